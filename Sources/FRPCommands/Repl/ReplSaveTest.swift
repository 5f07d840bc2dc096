// `:save test FILE`: a whole session as a program with a `test` block: what was pushed, and what comes of it.
//
// In a file all definitions begin at time 0. Times are counted from when the last of them was made before the first push,
// unless more comes out as it was without that; what still differs from the session is named, with the reason.

import FRP
import FRPBase
import FRPRuntime

/// A run of a session's definitions as a program of their own, from time 0, with what was pushed.
private struct ReplTestRun {
  var run: Simulation
  var events: [ReplEvent]
  var grid: ReplGrid
  var end: Double
  /// Behaviors that are there what they are not in the session.
  var differing: [String] = []
}

extension ReplSession {
  private static let nameOfTest = "a session"

  func saveTest(_ path: String) {
    if path.isEmpty { return fail("Write :save test FILE") }
    advance()
    // That of a session before is replaced.
    let kept = tests.filter { $0.name != Self.nameOfTest }.map(\.text)
    let text = programText(with: kept)
    let program = surroundings.compile(Source(name: path, text: text))
    if program.hasErrors { return fail("the definitions do not make a program of their own") }
    let origins = [0, lastDefinition].filter { $0 == 0 || $0 > 0 }
    let runs = origins.compactMap { testRun(program, from: $0) }
    guard let made = runs.min(by: { $0.differing.count < $1.differing.count }) else {
      return fail(ReplInterrupt.isPressed ? "stopped; nothing was written" : "there is no run of these definitions")
    }
    // The session shows its inputs as well, so it knows how their values are written.
    let expectations = expectations(program, made)
    let lines =
      ["test \"\(Self.nameOfTest)\" {"] + givens(program, simulation ?? made.run, made) + expectations.lines + ["}"]
    if !writeFile(path, programText(with: kept + [lines.joined(separator: "\n")])) {
      return fail("\(path) cannot be written")
    }
    show(
      "\(path): \(expectations.lines.count) expectations"
        + (made.grid.isRounded ? "; times moved to every \(made.grid.text)" : "") + "   run them: frp test \(path)")
    if !expectations.left.isEmpty {
      show(
        wrappedToFit(
          "without \(expectations.left.joined(separator: ", ")): no test says what moves without being a Float"))
    }
    for name in made.differing.prefix(8) { show(wrappedToFit(difference(name, made.run))) }
  }

  /// When the last definition before the first push was made.
  private var lastDefinition: Double {
    let first = allPushes.first?.time ?? clock.now
    return trace.filter { $0.key != "it" }.values.compactMap { $0.birth?.time }.filter { $0 <= first }.max() ?? 0
  }

  private func testRun(_ program: Program, from origin: Double) -> ReplTestRun? {
    var events = allPushes.map { event in
      var event = event
      event.time -= origin
      return event
    }
    func lastMoment() -> Double { max(clock.now - origin, events.last?.time ?? 0) }
    var grid = ReplGrid(events.map(\.time), length: lastMoment(), columns: 100)
    grid.separate(&events)
    let length = lastMoment()
    guard let run = try? Simulation(program, limits: Self.limits) else { return nil }
    var made = ReplTestRun(
      run: run, events: events, grid: grid, end: Double(grid.column(length) + 1) * grid.period)
    for port in program.outputs { try? run.record(port.name) }
    ReplInterrupt.guarding(run) {
      run.start()
      for event in events where !ReplInterrupt.isPressed {
        let time = Double(grid.column(event.time)) * grid.period
        // As a test does it.
        run.reactor.inputDue = Clock.nanoseconds(time)
        run.passTime(to: time)
        try? run.send(event.values.filter { value in program.inputs.contains { $0.name == value.name } })
      }
      run.passTime(to: length)
      made.differing = program.outputs.map(\.name).filter { isOther($0, in: made, origin) }
      // A test looks when that time is over.
      run.passTime(through: made.end)
    }
    return ReplInterrupt.isPressed ? nil : made
  }

  /// Whether a step behavior is there what it is not in the session, or an event occurred otherwise.
  private func isOther(_ name: String, in made: ReplTestRun, _ origin: Double) -> Bool {
    let run = made.run
    guard let known = current.name(name), let simulation, !current.program.isContinuous(output: name) else {
      return false
    }
    if known.kind == .behavior { return (try? run.value(of: name)) != (try? simulation.value(of: name)) }
    // What occurred before `:restore` was not counted.
    guard known.kind == .event, restored == nil else { return false }
    let there = (try? run.shownSoFar(of: name)) ?? []
    let here = trace[name] ?? ReplTrace()
    if there.count != here.count { return true }
    // Times that were moved onto the grid are others anyway.
    return zip(there.suffix(here.recent.count), here.recent).contains { a, b in
      a.json != b.json && !b.json.hasSuffix("…") || !made.grid.isRounded && abs(a.time + origin - b.time) > 1e-6
    }
  }

  private func difference(_ name: String, _ run: Simulation) -> String {
    let birth = trace[name]?.birth?.time ?? 0
    let reason =
      restored != nil && birth == 0
      ? "the session went on from :restore" : "it was defined at \(seconds(birth)), and begins at 0 there"
    if current.name(name)?.kind == .event { return "\(name) occurs at other times in the test: \(reason)" }
    return "\(name) is \((try? run.source(of: name)) ?? "?") in the test and \(value(name)) here: \(reason)"
  }

  private func givens(_ program: Program, _ run: Simulation, _ made: ReplTestRun) -> [String] {
    program.inputs.compactMap { port in
      let list = made.events.flatMap { event in
        event.values.filter { $0.name == port.name }.map { Occurrence(time: event.time, json: $0.json) }
      }
      if list.isEmpty { return nil }
      let length = Double((list.map { made.grid.column($0.time) }.max() ?? 0) + 1) * made.grid.period
      let lane = ReplLane(list, length: length, grid: made.grid, of: port.name, in: run)
      return "  given \(port.name) = \(lane.text)"
    }
  }

  /// An expectation for each output, and the names of those that none can be written for.
  private func expectations(_ program: Program, _ made: ReplTestRun) -> (lines: [String], left: [String]) {
    let end = (made.end * 1e9).rounded() / 1e9
    let moment = "\(Int((end * 1000).rounded()))ms"
    var (lines, left) = ([String](), [String]())
    for port in program.outputs {
      if port.isEvent {
        let list = (try? made.run.occurrences(of: port.name)) ?? []
        let grid = made.grid
        let isOnGrid = list.allSatisfy { abs($0.time / grid.period - ($0.time / grid.period).rounded()) < 1e-6 }
        if list.isEmpty || list.count > 200 || !isOnGrid {
          // No lane holds them, or shows that there are none.
          lines.append("  expect count(\(port.name)) at \(moment) == \(list.count)")
        } else {
          lines.append(
            "  expect \(port.name) == \(ReplLane(list, length: end, grid: grid, of: port.name, in: made.run).text)")
        }
        continue
      }
      guard let value = try? made.run.source(of: port.name) else { continue }
      let within = program.isContinuous(output: port.name) && port.type == "Float" ? " ± 0.000001" : ""
      if program.isContinuous(output: port.name), within.isEmpty {
        left.append(port.name)
      } else {
        lines.append("  expect \(port.name) at \(moment) == \(value)\(within)")
      }
    }
    return (lines, left)
  }
}
