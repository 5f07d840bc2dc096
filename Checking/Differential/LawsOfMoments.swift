// The law of moments at which something is due: what is located beside them is at their time, and comes first.

import FRPGraph
import FRPModel
import Glibc

extension Law {
  /// A crossing within half a nanosecond of a timer, an input or the end is at its time; they are at whole nanoseconds.
  static let due = Law("a crossing beside what is due is at its time", section: 11) { seed in
    let (source, trace) = Moments.program(seed)
    guard Compiled(source).core != nil else {
      return .broken("does not compile: \(Compiled(source).problems)\n\(source)")
    }
    guard let difference = Differential.difference(source, trace, settings: [.all, .none]) else { return .holds }
    return .broken("\(difference)\n\(source)\(trace)")
  }
}

private enum Moments {
  /// A crossing that rounding puts just before, at or just after a whole nanosecond, at which other things may be due.
  static func program(_ seed: UInt64) -> (source: String, trace: String) {
    var random = Random(seed: seed ^ 0xD0E5)
    let nanoseconds = random.oneIn(2) ? 100_000_000 * (1 + random.below(60)) : 1 + random.below(6_000_000_000)
    let due = Double(nanoseconds) / 1e9
    let factor = Double(1 + random.below(30)) / 10
    let condition = random.pick([
      "\(factor) * time > \(factor * due)", "time * \(factor) >= \(due * factor)",
      "integral(\(factor)) > \(factor * due)", "time * time > \(due * due)", "sin(0.2 * time) > \(sin(0.2 * due))",
      "time / 3.0 >= \(due / 3)",
      "\(factor) - time < \(factor - due)", "integral(2.0 * time) >= \(due * due)",
    ])
    var source = "input e: Event<Int>\nc = \(condition)\noutput hits = when(c) |> count\n"
    source += "output s = e |> map(_ => (time == \(due), hits, hits > 0))\n"
    if random.oneIn(2) { source += "output f = end |> map(_ => (time == \(due), hits))\n" }
    if random.oneIn(3) { source += "output u = after(\(nanoseconds)ns) |> map(_ => (time == \(due), hits))\n" }
    var trace = random.oneIn(3) ? "{\"at\":\(due / 2),\"e\":0}\n" : ""
    trace += random.oneIn(6) ? "{\"at\":\(due)}\n" : "{\"at\":\(due),\"e\":1}\n"
    if random.oneIn(2) { trace += "{\"at\":\(due + (random.oneIn(2) ? 1e-9 : 0.25)),\"e\":2}\n" }
    return (source, trace)
  }
}
