// What a host adds, at the prompt: its modules are listed and documented as built-ins are, and its tasks are done.

import FRP
import FRPBase
import FRPRuntime
import FRPWorld

extension ReplSession {
  // MARK: Looking

  /// `Geo: distance, locate`, a module a line.
  var hostSummary: String {
    surroundings.host.map { module in
      "\(module.name): \(module.functions.map(\.name).joined(separator: ", "))   (:doc \(module.name))"
    }.joined(separator: "\n")
  }

  /// What is known of a module of the host, or of its functions of a name; nil if there are none.
  func hostDocumentation(_ name: String) -> String? {
    let functions = surroundings.functions(named: name)
    let definitions = surroundings.definitions(named: name)
    let modules = surroundings.allModules.filter { $0.name == name }
    if functions.isEmpty, definitions.isEmpty, modules.isEmpty { return nil }
    var lines: [String] = []
    for module in modules {
      lines.append("\(module.name), a module of the \(module.isOfWorld ? "world" : "host")")
      lines += module.help.split(separator: "\n").map { "  " + $0 }
    }
    for function in functions {
      lines.append("\(function.qualifiedName) : \(function.type)")
      lines += function.help.split(separator: "\n").map { "  " + $0 }
      if modules.isEmpty, !function.place.isEmpty { lines.append("  declared at \(function.place)") }
      if modules.isEmpty, let users = users(of: function) { lines.append("  used by \(users)") }
    }
    for (module, definition) in definitions {
      lines.append("\(module).\(definition.name): \(definition.declaration)")
      lines += definition.help.split(separator: "\n").map { "  " + $0 }
    }
    return lines.joined(separator: "\n")
  }

  private func users(of function: HostFunction) -> String? {
    let users = current.items.filter { item in
      item.names != ["it"] && ReplNames.mentions(function.module, function.name, in: item.text)
    }
    return users.isEmpty ? nil : users.flatMap(\.names).joined(separator: ", ")
  }

  /// What is wrong with the host's own declarations; nil if nothing is.
  var mistakesOfHost: String? {
    current.errors.isEmpty ? nil : render(current.errors, current.program.sources)
  }

  /// Says once what the program names and nobody has granted: it fails there, which is seen only where its results are.
  func tellWhatIsMissing() {
    guard let world = surroundings.world, !isRecorded else { return }
    let missing = world.missing(current.program).filter { !toldFlags.contains($0.flag) }
    if missing.isEmpty { return }
    for need in missing {
      toldFlags.insert(need.flag)
      show("not granted: \(need.words)")
    }
    show("to grant it: \((["frp", "repl"] + missing.map(\.flag)).map(RunCommand.shellWord).joined(separator: " "))")
  }

  // MARK: Tasks

  /// Lets what the host's tasks have come to happen. Where time is virtual such a task takes none of it: it is waited
  /// for, and so it is between the entries of a pipe. ^C ends the waiting.
  func goOnWithTasks() {
    guard current.program.hasHostTasks, !isRecorded, let simulation else { return }
    tasks.follow(simulation)
    while clock.isVirtual, !tasks.serials.isEmpty, !ReplInterrupt.isPressed {
      tasks.wait { ReplInterrupt.isPressed }
      takeReports(simulation)
    }
    takeReports(simulation)
  }

  /// Who answers calls of the world where time is virtual: what the log has of them, and else nobody.
  func chooseAnswers(of simulation: Simulation?) {
    if !clock.isVirtual {
      simulation?.isAnswered = nil
    } else {
      simulation?.isAnswered = { [weak self] task in self?.log.contains { $0.answers(task) } == true }
    }
  }

  private func takeReports(_ simulation: Simulation) {
    tasks.take { task, report in
      let id = task.id
      guard let happening = HostHappening(id, report, of: simulation) else { return true }
      log.append(ReplEvent(time: simulation.now, happening: happening))
      ReplInterrupt.guarding(simulation) { _ = report.happen(in: simulation, id) }
      collect()
      return true
    }
    tasks.follow(simulation)
  }

  /// After an entry from a pipe: what it has begun comes to its end before the next one is read.
  func awaitTasks() {
    guard current.program.hasHostTasks, !source.isInteractive, !clock.isVirtual else { return }
    advance()
    let begun = tasks.serials
    while !tasks.serials.isDisjoint(with: begun) {
      tasks.wait(atMost: 20)
      advance()
    }
  }
}
