// After the last line: whether a run goes on for what is still held back, and what is said of it.

import FRPRuntime

extension Runner {
  /// Notes what is held back, the first time; whether the run goes on for it in real time. The inputs have ended.
  func goesOnLive() -> Bool {
    if beginDrain() == false || options.draining == .never { return false }
    if reactor.now.nanoseconds >= drainEnd { return false }
    return drain?.isHolding == true && (reactor.nextDue != nil || tasks?.isIdle == false)
  }

  /// Simulated time after the last line.
  func drainSimulated() {
    guard stop == nil, beginDrain(), let drain else { return }
    if options.draining == .live || options.draining == .never { return }
    while stop == nil, drain.isHolding, let due = reactor.nextDue?.nanoseconds {
      let next = min(due, nextSample ?? due, drainEnd)
      advance(to: next)
      takeSamples(through: next)
      if next == drainEnd { return }
    }
  }

  /// When draining is over at the latest.
  var drainEnd: Int64 { drainStart.map { Clock.adding($0, drainBound) } ?? Clock.never }

  private var drainBound: Int64 {
    if case .atMost(let nanoseconds) = options.draining { return Int64(nanoseconds) }
    return Clock.never
  }

  /// False where --for says when the run ends.
  private func beginDrain() -> Bool {
    if options.end != nil { return false }
    if drain == nil {
      drain = Drain(reactor, countsCircles: drainBound != Clock.never)
      drainStart = reactor.now.nanoseconds
    }
    return true
  }

  /// Says what came in and did not come out.
  func note(held: String, begun: String, incomplete: String) {
    if !held.isEmpty, options.draining != .never {
      let advice = options.draining == .live ? "; --drain goes on until it has come" : ""
      reporter.note("still held back at the end: \(held)\(advice)")
    }
    if !begun.isEmpty, options.draining != .never {
      let advice = "--for says how long a run is, and delay(e, d) is waited for"
      reporter.note("still to come at the end: \(begun) (after); \(advice)")
    }
    if !incomplete.isEmpty {
      let advice = "batch(e, merge(ticks, end)), and bufferUntil alike, gives out what is left"
      reporter.note("not given out at the end: \(incomplete); \(advice)")
    }
  }
}
