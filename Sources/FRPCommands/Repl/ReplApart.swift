// Looking at an expression without letting the run's program be another. Another program goes on with most of what a run remembers, but
// not with functions, tasks that need some, and the past of what is continuous; nobody's looking may cost these. So where something
// would be lost, an expression without memory is computed in a run of its own, which has all else and is thrown away. What depends on what
// is lost has its present value there.

import FRP
import FRPBase

extension ReplSession {
  /// A run apart that has become another program; nil where the session's run can become that itself and loses nothing.
  func apart(_ next: ReplProgram) -> (run: Simulation, losses: [ReloadReport.Restart])? {
    guard let simulation, simulation.program.remembersCode else { return nil }
    return ReplInterrupt.guarding(simulation) {
      simulation.reactorBegins = { ReplInterrupt.watchSteps(of: $0.machine) }
      defer { simulation.reactorBegins = nil }
      guard let (run, report) = try? simulation.apart(with: next.program) else { return nil }
      let losses = report.restarted.filter { $0.name != "it" }
      return losses.isEmpty ? nil : (run, losses)
    }
  }

  /// Does something as if the session ran a run apart.
  func looking<Found>(at run: Simulation, of program: ReplProgram, _ look: () -> Found) -> Found {
    let (kept, keptRun) = (current, simulation)
    defer { (current, simulation) = (kept, keptRun) }
    (current, simulation) = (program, run)
    return look()
  }

  /// Shows what an expression is now, if it has no memory and the run would lose something by becoming a program that has it; else false.
  func lookApart(_ next: ReplProgram, _ item: ReplItem) -> Bool {
    let old = current
    guard let known = next.name("it"), known.kind != .event, known.kind != .hidden, next.program.isMemoryless("it"),
      let (first, losses) = apart(next)
    else { return false }
    guard let (run, found) = depends(next, losses) ? atPresent(next) : (first, next) else {
      fail("that cannot be looked at without \(lost(losses)) beginning anew   (a definition, x = …, does so)")
      return true
    }
    var shown = found
    shown.names = next.names
    if let fault = looking(at: run, of: shown, { faultOfConstants(old) }) {
      refuse(.fault(fault), next)
      return true
    }
    if let last = lastExpression { keepExpression(last) }
    expressionApart = item
    deed.looked = (known.kind, String(item.text.dropFirst(Self.itPrefix.count)))
    looking(at: run, of: shown) { showWithValue("it") }
    if source.isInteractive, known.kind == .behavior {
      show(wrappedToFit("its value now: to follow it, \(lost(losses)) would begin anew"))
    }
    return true
  }

  private func depends(_ program: ReplProgram, _ losses: [ReloadReport.Restart]) -> Bool {
    losses.contains { program.dependents(of: $0.name).contains("it") }
  }

  /// A run apart in which behaviors are what they are now; nil where the expression needs what has no such text.
  private func atPresent(_ next: ReplProgram) -> (run: Simulation, program: ReplProgram)? {
    let items = next.items.map { item in
      guard item.names.count == 1, !item.isInput, item.names != ["it"], let known = current.name(item.names[0]),
        known.kind == .behavior, case let (text, rest) = value(known.name, atMost: .max), rest == nil,
        (try? simulation?.value(of: known.name, atMost: 1)) != nil
      else { return item }
      return ReplItem(names: item.names, text: "\(known.name) = \(text)")
    }
    let program = compiled(items)
    guard program.errors.isEmpty, let simulation, let (run, report) = try? simulation.apart(with: program.program),
      !depends(program, report.restarted)
    else { return nil }
    return (run, program)
  }

  /// `lap (its type is another), hud (it holds functions)`.
  func lost(_ losses: [ReloadReport.Restart]) -> String {
    several(losses.filter { $0.name != "it" }.map { "\($0.name) (\($0.reason))" })
  }

  func several(_ names: [String]) -> String {
    let shown = names.prefix(8).joined(separator: ", ")
    return names.count > 8 ? shown + " and \(names.count - 8) more" : shown
  }
}
