// A running simulation gets another program and keeps what it remembers where the new one remembers the same.
//
// In:  a program. Out: what became of the state, by definition. If the program has errors, or what begins anew faults,
// the simulation is as it was.

import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime

/// What became of the state of a program that was replaced, by definition.
///
/// Only definitions with memory of their own are named: what is lifted over others has none, and follows by itself.
public struct ReloadReport: Sendable, Hashable {
  /// A definition that began anew, and why.
  public struct Restart: Sendable, Hashable {
    /// The definition.
    public var name: String
    /// `its start value is another`
    public var reason: String
  }

  /// Definitions that go on with all they remember.
  public var kept: [String]
  /// Definitions that have lost some or all of it.
  public var restarted: [Restart]
  /// Definitions that were not there before.
  public var new: [String]
  /// Definitions that are gone, with what they remembered.
  public var dropped: [String]

  init(_ report: AdoptionReport) {
    kept = report.kept
    restarted = report.restarted.map { Restart(name: $0.name, reason: $0.reason) }
    new = report.new
    dropped = report.dropped
  }

  /// In one line: `state kept: pos, score · restarted: lap (its start value is another) · new: hud`. Empty where no
  /// definition has memory.
  public var text: String {
    var parts: [String] = []
    func add(_ title: String, _ names: [String]) {
      if !names.isEmpty { parts.append("\(title): \(names.joined(separator: ", "))") }
    }
    add("state kept", kept)
    add("restarted", restarted.map { "\($0.name) (\($0.reason))" })
    add("new", new)
    add("dropped", dropped)
    return parts.joined(separator: " · ")
  }
}

extension Simulation {
  /// Goes on with another program at the present time. What is defined under the same name, with the same operators,
  /// types and start values, keeps its state: values, timers, what waits in delays and queues, scopes and tasks.
  /// Everything else starts now. Recorded output behaviors whose value is another afterwards show it, and their sinks get it; so does a sink that
  /// is written differently.
  ///
  /// The host's tasks go on, too, with their numbers, where the new program's host has a task of the same name and
  /// signature; those that a function of the old text still waits for (`map`, `andThen`, …) are cancelled.
  ///
  /// Throws `programHasErrors`, `fault` (something that begins anew faulted) or `notBetweenInstants`; the simulation then
  /// goes on as if nothing had been asked. Cost: linear in the size of program and state.
  @discardableResult
  public func replaceProgram(with program: Program) throws(SimulationError) -> ReloadReport {
    let (next, plan, report) = try adopting(program)
    // Only who is told of what has changed asks.
    let isAsked = !recorded.isEmpty || plan.bindings.contains { !$0.isSource }
    let before = isAsked ? stepValues : [:]
    let former = self.plan
    take(next, program, plan)
    showChanged(since: before)
    renewSinks(since: before, of: former)
    return report
  }

  /// Another simulation that goes on from here with another program, as this one would by `replaceProgram`, and what becomes of the state there;
  /// this one stays as it is. It is to be looked at: tasks of the host do not begin in it. Throws as `replaceProgram`.
  package func apart(with program: Program) throws(SimulationError) -> (run: Simulation, report: ReloadReport) {
    let (next, plan, report) = try adopting(program)
    let run = try Simulation(program, limits: limits, seed: seed)
    run.epoch = epoch
    run.become(next, program, plan)
    return (run, report)
  }

  /// A reactor of another program with what this one remembers.
  private func adopting(_ program: Program) throws(SimulationError) -> (Reactor, Plan, ReloadReport) {
    guard let plan = program.plan else { throw .programHasErrors }
    if reactor.isOver { throw .notBetweenInstants }
    let next = Reactor(plan: plan, limits: limits, seed: seed)
    next.machine.library.epoch = epoch
    connectHost(next, program)
    reactorBegins?(next)
    do throws(AdoptionProblem) {
      let old = self.program
      let report = try next.adopt(from: reactor) { HostTaskKey($0).heir(of: old, in: program)?.word }
      return (next, plan, ReloadReport(report))
    } catch {
      throw failure(error, program)
    }
  }

  func failure(_ problem: AdoptionProblem, _ program: Program) -> SimulationError {
    switch problem {
    case .notBetweenInstants: return .notBetweenInstants
    case .fault(let fault, let definition):
      return .fault(
        program.diagnostic(
          of: ReactorFault(fault: fault, definition: definition, moment: reactor.now, isAtStart: false)))
    case .image(.otherProgram): return .unusableSnapshot("it is of another program")
    case .image(.version(let number)): return .unusableSnapshot("it has the unknown version \(number)")
    case .image(.damaged): return .unusableSnapshot("it is damaged")
    case .state(let problem): return failure(problem)
    }
  }

  func failure(_ problem: StateProblem) -> SimulationError {
    switch problem {
    case .notBetweenInstants: .notBetweenInstants
    case .pastOfContinuous(let definition): .cannotSnapshot(definition: definition)
    }
  }

  /// Makes another reactor the one that runs. Who watched the old one watches it.
  func take(_ next: Reactor, _ program: Program, _ plan: Plan) {
    let names = self.plan.outputs.map(\.name)
    var moved: [Int: [Occurrence]] = [:]
    for (output, list) in recorded {
      if let place = plan.outputs.firstIndex(where: { $0.name == names[output] }) { moved[place] = list }
    }
    recorded = moved
    next.currentObserver = reactor.currentObserver
    next.faultObserver = reactor.faultObserver
    formerUsage = usage
    formerInstants += reactor.instantCount
    next.interrupter = interrupter
    // It goes, and with it its tasks; which of them go on is not its matter.
    reactor.hostTaskBegins = nil
    reactor.hostTaskCancelled = nil
    become(next, program, plan)
    watchers.pointee.move(to: plan)
    keepHostTasks(next)
    connectTasks(next, program)
    next.beginHostTasks()
  }

  private func become(_ next: Reactor, _ program: Program, _ plan: Plan) {
    self.program = program
    self.plan = plan
    reactor = next
    codec = Codec(next.heap)
    bridge = ValueBridge(next.heap)
    ports = Codec.Ports(plan.inputs.map { ($0.name, $0.type) })
    wiring.pointee.program = program.id
    wiring.pointee.reactor = .passUnretained(next)
    wiring.pointee.bridge = .passUnretained(bridge)
  }

  /// By name, as JSON: the values of output behaviors that do not vary between instants.
  package var stepValues: [String: String] {
    var values: [String: String] = [:]
    for output in plan.outputs.indices { values[plan.outputs[output].name] = stepValue(output) }
    return values
  }

  /// Sinks get values that are others than before; one that is another itself has never had the value that there is.
  private func renewSinks(since before: [String: String], of former: Plan) {
    for (place, binding) in plan.bindings.enumerated() {
      guard case .sink(let name) = binding.kind, let last = before[name],
        let output = plan.outputs.firstIndex(where: { $0.name == name }), let value = stepValue(output)
      else { continue }
      if value != last || plan.hasOtherSink(name, than: former) { reactor.renewSink(place) }
    }
  }

  /// What another process needs to go on with the program that has just taken over: a snapshot, and what outputs show at once, by name and
  /// as JSON, in order. What is already caused happens first; then come the values of output behaviors that are not what `before` has.
  package func takeover(since before: [String: String]) throws(SimulationError) -> (
    state: Snapshot, shown: [(name: String, json: String)]
  ) {
    var shown: [(name: String, json: String)] = []
    reactor.observer = { [unowned self] _, changes in
      for change in changes { shown.append((plan.outputs[change.output].name, json(change.value, change.output))) }
    }
    defer { reactor.observer = nil }
    let state = try snapshot()
    let names = Set(shown.map(\.name))
    for (output, port) in plan.outputs.enumerated() where !names.contains(port.name) {
      if let value = stepValue(output), before[port.name] != value { shown.append((port.name, value)) }
    }
    return (state, shown)
  }

  private func stepValue(_ output: Int) -> String? {
    if plan.outputs[output].isEvent || plan.outputs[output].isContinuous { return nil }
    guard case .success(let word) = reactor.value(of: output) else { return nil }
    return json(word, output)
  }

  private func showChanged(since before: [String: String]) {
    for output in recorded.keys.sorted() {
      guard let value = stepValue(output), before[plan.outputs[output].name] != value else { continue }
      keep(Occurrence(time: now, json: value, instant: instantNumber), of: output)
    }
  }
}
