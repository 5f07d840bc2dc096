// Snapshots of random programs: they restore to what they were made of, and none that was changed ends the process.
// `FRPSoak snapshots` runs more.

import FRPBase
import FRPDifferential
import Testing

@Suite struct SnapshotTests {
  @Test(arguments: ["", "wide", "hybrid", "wide hybrid", "sliding", "rounding"])
  func restoreAndRefuse(kind: String) {
    var (changes, taken) = (0, 0)
    for seed in 0..<(kind.isEmpty ? 120 : 40) as Range<UInt64> {
      let program =
        switch kind {
        case "wide": Generator.wide(seed: seed)
        case "hybrid": Generator.hybrid(seed: seed)
        case "wide hybrid": Generator.wideHybrid(seed: seed)
        case "sliding": Generator.sliding(seed: seed)
        case "rounding": Generator.rounding(seed: seed)
        default: Generator.program(seed: seed)
        }
      let isSettled = kind == "sliding" || seed.isMultiple(of: 2)
      let tally = onLargeStack { Snapshots.check(program, changes: 40, isSettled: isSettled) }
      changes += tally.changes
      taken += tally.taken
      #expect(tally.problem == nil, "\(kind) seed \(seed): \(tally.problem ?? "")")
    }
    // A check that refuses everything would pass.
    #expect(changes > 500 && taken > changes / 100, "\(taken) of \(changes)")
  }

  /// The length of a host task's name could reach beyond the end, by the bytes of the length itself: one change in some
  /// ten thousand wrote such a one.
  @Test func lengthsEndWithTheImage() {
    let tally = onLargeStack { Snapshots.check(Generator.program(seed: 30), changes: 1_500) }
    #expect(tally.problem == nil && tally.changes > 1_000)
  }

  /// Comparisons whose crossing had been undone made instants of their own after a restore.
  @Test(arguments: [200_570, 200_606] as [UInt64])
  func whatWasUndoneStaysSo(seed: UInt64) {
    for isSettled in [false, true] {
      let tally = onLargeStack { Snapshots.check(Generator.sliding(seed: seed), changes: 0, isSettled: isSettled) }
      #expect(tally.problem == nil)
    }
  }

  /// A slide that had been left touched its limit again to within 5e-14 of it: a restored run, with steps of its own, took that for a crossing.
  @Test func settledRunsGoOnToTheLastBit() {
    let tally = onLargeStack { Snapshots.check(Generator.sliding(seed: 248_459), changes: 0) }
    #expect(tally.problem == nil)
  }

  /// A function that awaits an event was handed another task (220635); a clock hardly after zero was followed in steps
  /// that led nowhere (201125).
  @Test func changesOnceTooManyFor() {
    for program in [Generator.program(seed: 220_635), Generator.hybrid(seed: 201_125)] {
      let tally = onLargeStack { Snapshots.check(program, changes: 1_000) }
      #expect(tally.problem == nil && tally.changes == 1_000)
    }
  }
}
