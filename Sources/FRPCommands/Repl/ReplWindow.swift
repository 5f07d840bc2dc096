// A stretch of time to look at, as often as one likes: the next seconds in a copy of the run, or the last ones, lived
// through again from a checkpoint. The session itself does not move.

import FRP
import FRPBase

/// What an expression shows in a stretch of time.
struct ReplWindow {
  let title: String
  let known: ReplName
  let start: Double
  let end: Double
  let isContinuous: Bool
  /// Values at times that never decrease (nil: none then), and everything that was shown.
  let look: (_ times: [Double]) -> (values: [String?], shown: [Occurrence])
  /// A value as the language writes it.
  let source: (String) -> String
}

extension ReplSession {
  /// The next `length` seconds of an expression, or the last ones; nil after saying why not.
  func window(_ expression: String, ahead: Double?, last: Double?) -> ReplWindow? {
    let text = trimmed(expression)
    guard let (program, name) = program(showing: text) else { return nil }
    guard let known = program.name(name), known.kind != .function, known.kind != .hidden else {
      fail("\(text) is a function: it has no values over time")
      return nil
    }
    live.hasSeenTooMuch = false
    let now = simulation?.now ?? clock.now
    let reader = newRun(program.program)
    let isContinuous = known.kind == .behavior && program.program.isContinuous(output: name)
    func window(_ start: Double, _ end: Double, _ look: @escaping ([Double]) -> ([String?], [Occurrence])) -> ReplWindow
    {
      ReplWindow(
        title: text, known: known, start: start, end: end, isContinuous: isContinuous, look: look,
        source: { reader?.sourceText($0, name) ?? $0 })
    }
    if let last {
      let start = min(now, max(startOfPast, now - last))
      let extra = name == "it" ? program.items.last { $0.names == ["it"] } : nil
      return window(start, now) { self.lookBack($0, name, from: start, to: now, extra) }
    }
    return window(now, now + (ahead ?? 10)) { self.lookAhead($0, name, text, program, to: now + (ahead ?? 10)) }
  }

  /// The session's program, with an expression as `it` if it is no name.
  func program(showing text: String) -> (ReplProgram, String)? {
    if current.name(text) != nil { return (current, text) }
    return program(asking: text).map { ($0, "it") }
  }

  private func lookAhead(
    _ times: [Double], _ name: String, _ title: String, _ program: ReplProgram, to end: Double
  ) -> ([String?], [Occurrence]) {
    guard let copy = copy(of: program, until: times.first ?? clock.now) else { return ([], []) }
    copy.recordsAtMost = ReplOptions.shownBytes
    try? copy.record(name)
    forgetOthers(than: name, of: program, in: copy)
    var values: [String?] = []
    for time in times where !ReplInterrupt.isPressed {
      let now = copy.now
      guard look(ahead: copy, to: time, at: title) else { return ([], []) }
      // What is sampled is over; the present is not.
      if time > now { copy.passTime(through: time) }
      ReplInterrupt.guarding(copy) { values.append(try? copy.value(of: name, atMost: ReplOptions.shownBytes)) }
    }
    guard look(ahead: copy, to: end, at: title) else { return ([], []) }
    return (values, (try? copy.occurrences(of: name)) ?? [])
  }

  /// Of all that a copy keeps only one name is asked for, from now on.
  func forgetOthers(than name: String, of program: ReplProgram, in copy: Simulation) {
    _ = try? copy.occurrences(of: name)
    for other in program.names where other.kind == .event && other.name != name { _ = try? copy.endRecord(other.name) }
  }

  /// Bytes of occurrences that a look ahead keeps.
  private static let keptBytes = 64 << 20

  /// Lets a copy go on to a time. False where it shows more than can be kept, which is then told: no terminal has room for it, and the
  /// machine may not have either.
  func look(ahead copy: Simulation, to time: Double, at title: String) -> Bool {
    copy.passTime(to: time) { copy.recordedBytes < Self.keptBytes }
    live.hasSeenTooMuch = copy.recordedBytes >= Self.keptBytes && !ReplInterrupt.isPressed
    guard live.hasSeenTooMuch else { return true }
    fail("there is too much to show of \(title): it is kept up to \(seconds(copy.now)); write a shorter time")
    return false
  }

  private func lookBack(
    _ times: [Double], _ name: String, from start: Double, to end: Double, _ extra: ReplItem?
  ) -> ([String?], [Occurrence]) {
    let past = ReplSession(past: self, at: start, with: extra)
    past.captureFromNow()
    past.keepsStarts = true
    let values = times.map { time -> String? in
      if ReplInterrupt.isPressed { return nil }
      if time < end { past.liveOn(through: time) } else { past.liveOn(to: time) }
      return past.simulation.flatMap { run in
        ReplInterrupt.guarding(run) { try? run.value(of: name, atMost: ReplOptions.shownBytes) }
      }
    }
    past.liveOn(to: end)
    let shown = (past.captured ?? []).filter { $0.name == name }.map(\.occurrence)
    return (values, shown.filter { $0.time >= start && $0.time <= end })
  }
}
