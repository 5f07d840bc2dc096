// The soak: fresh random programs until the time is up. A failure is printed with its seed and as the smallest program
// that fails in the same way; the same seed shows it again (`shrink`, `shrinkhybrid`, `laws`).

import FRPBase
import FRPDifferential
import Glibc

struct Soak {
  private var programs = 0
  private var hybrids = 0
  private var laws = 0
  private var failures = 0

  /// Whether nothing failed.
  static func run(minutes: Double) -> Bool {
    // Seeds of eighteen digits at most, so that they are read back as they were printed.
    let first = UInt64.random(in: 0..<1_000_000_000_000_000)
    say("seeds from \(first) on, for \(minutes) minutes")
    var soak = Soak()
    let end = seconds() + minutes * 60
    var told = seconds()
    var seed = first
    while seconds() < end {
      soak.take(seed)
      seed += 1
      if seconds() - told >= 60 {
        told = seconds()
        say(soak.counts)
      }
    }
    say(soak.counts)
    return soak.failures == 0
  }

  private var counts: String {
    "\(programs) programs, \(hybrids) of continuous time, \(laws) laws held: \(failures) failures"
  }

  private static func seconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }

  /// Most seeds are a program on engine and model; some are one of continuous time, or a law.
  private mutating func take(_ seed: UInt64) {
    switch seed % 20 {
    case 0:
      hybrids += 1
      check(Generator.hybrid(seed: seed), command: "shrinkhybrid")
    case 4, 5:
      programs += 1
      check(Nestings.program(seed), command: "shrinknesting")
    case 6:
      programs += 1
      check(CallChains.program(seed), command: "shrinkchain")
    case 1...3:
      laws += 1
      let law = Law.all[Int(seed / 20 % UInt64(Law.all.count))]
      if case .broken(let why) = onLargeStack({ law.verdict(seed) }) {
        fail("laws \(seed) \(seed) \"\(law.name)\"", why)
      }
    default:
      programs += 1
      check(Generator.program(seed: seed), command: "shrink")
    }
  }

  private mutating func check(_ program: GeneratedProgram, command: String) {
    let turn = Int(program.seed % 1_000)
    guard let difference = onLargeStack({ Differential.check(program, turn: turn) }) else { return }
    let small = onLargeStack { () -> GeneratedProgram in
      guard let kind = Differential.kind(program, turn: turn) else { return program }
      return Shrinker.shrink(program) { Differential.kind($0, turn: turn) == kind }
    }
    fail("\(command) \(program.seed)", "\(difference)\n\(small.source)\(small.traceText)")
  }

  private mutating func fail(_ command: String, _ why: String) {
    failures += 1
    Self.say("FRPSoak \(command)\n\(why)\n")
  }

  /// At once, since somebody may be reading along in a file.
  private static func say(_ text: String) {
    print(text)
    fflush(nil)
  }
}
