// A delayed continuous behavior of one frame: which past moment it shows.
//
// In: its jumps, as they happen and as they come due; a moment. Out: the moment it shows then, and on which side of a jump.
// Rules:
// - A jump at a located moment is due at a whole nanosecond, up to half of one before or after the exact moment. Up to
//   that instant the last value before the jump is shown, from it on the first one after: the time in between stands.
// - In that instant it is seen just after it, not as it begins.

import FRPCore
import FRPGraph

struct DelayRow {
  /// A jump of what is delayed.
  struct Jump {
    var at: Double
    /// When it was shown; until then, when it will be.
    var shown: Double
  }

  /// Seconds.
  var duration: Double
  /// When its scope started, and what it shows until `duration` has passed.
  var start: Double
  var first: Result<Word, Fault>
  var isReference: Bool
  /// The behavior: its node, slot and frame.
  var source: NodeID
  var slot: Int
  var base: Address
  /// What it reads is kept as far back as its value may depend on it: with the delays below.
  var watch: Watch

  /// Oldest first.
  private var jumps: [Jump] = []
  /// How many of them have been shown, and how many had been just before instant `shownIn`.
  private var shownCount = 0
  private var shownBefore = 0
  private var shownIn: UInt64 = 0

  init(
    duration: Double, start: Double, first: Result<Word, Fault>, isReference: Bool, source: NodeID, slot: Int,
    base: Address, watch: Watch
  ) {
    self.duration = duration
    self.start = start
    self.first = first
    self.isReference = isReference
    self.source = source
    self.slot = slot
    self.base = base
    self.watch = watch
  }

  // MARK: Jumps

  mutating func noteJump(at t: Double, due: Int64, keep: Double) {
    jumps.append(Jump(at: t, shown: Double(due) / 1e9))
    let old = jumps[..<shownCount].firstIndex { $0.shown > t - keep } ?? shownCount
    if old > 32 {
      jumps.removeFirst(old - 1)
      shownCount -= old - 1
      shownBefore = max(0, shownBefore - (old - 1))
    }
  }

  /// The next `count` jumps are due in this instant.
  mutating func show(_ count: Int, at t: Double, in instant: UInt64) {
    if shownIn != instant {
      shownIn = instant
      shownBefore = shownCount
    }
    for _ in 0..<count where shownCount < jumps.count {
      jumps[shownCount].shown = t
      shownCount += 1
    }
  }

  // MARK: Moments

  /// Which side of an instant is meant.
  enum Side {
    case before, after
  }

  /// What is shown: the first value, or what was then; of a moment with a jump, one of its sides.
  enum Shown {
    case first
    case past(Double, Side)
  }

  /// What is shown at the present moment or a later one; `side` is that of the running instant.
  func shown(at t: Double, _ side: Side, in instant: UInt64) -> Shown {
    var come = side == .before && shownIn == instant ? shownBefore : shownCount
    while come < jumps.count, jumps[come].shown + GuardScan.together < t { come += 1 }
    return shown(at: t, side, come: come)
  }

  /// What was shown at a past moment.
  func shown(atPast t: Double, _ side: Side) -> Shown {
    var low = 0
    var high = jumps.count
    while low < high {
      let middle = (low + high) / 2
      let isShown = side == .before ? jumps[middle].shown < t : jumps[middle].shown <= t
      if isShown { low = middle + 1 } else { high = middle }
    }
    return shown(at: t, side, come: low)
  }

  /// After `come` jumps have been shown.
  private func shown(at t: Double, _ side: Side, come: Int) -> Shown {
    let moment = t - duration
    let low = come > 0 ? jumps[come - 1].at : start
    if come < jumps.count, moment >= jumps[come].at {
      // What jumped in the instant of its start had no other past than its first value.
      return jumps[come].at <= start ? .first : .past(jumps[come].at, .before)
    }
    if come == 0, moment <= start { return .first }
    return moment <= low ? .past(low, .after) : .past(moment, side)
  }
}
