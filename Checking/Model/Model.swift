// The meaning of a program, executed: section 2 and 6 of the language as functions of a history, slow on purpose. It
// shares nothing with the engine below the core.
//
// In:  a CoreProgram, a trace. Out: what its outputs show, instant by instant, and its faults.
//
// At one clock time: what was caused, then crossings, then timers, then inputs, one instant a line, then what leaves
// windows.

import FRPCore

/// One line of a trace.
package struct TraceLine: Sendable {
  package var nanoseconds: Int
  /// By input name.
  package var values: [(name: String, value: JSON)]

  package init(nanoseconds: Int, values: [(name: String, value: JSON)]) {
    self.nanoseconds = nanoseconds
    self.values = values
  }

  /// The lines of a trace's text; nil if one is malformed.
  package static func parse(_ text: String) -> [TraceLine]? {
    var lines: [TraceLine] = []
    for line in text.split(separator: "\n") {
      guard let json = JSON(line), case .object(let members) = json, case .number(let at)? = json["at"],
        let seconds = Double(at)
      else { return nil }
      lines.append(
        TraceLine(
          nanoseconds: Clock.whole(seconds),
          values: members.filter { $0.name != "at" }.map { ($0.name, $0.value) }))
    }
    return lines
  }
}

/// One thing an output showed.
package struct ModelLine: Sendable, Equatable {
  package var seconds: Double
  package var name: String
  package var json: String

  package init(seconds: Double, name: String, json: String) {
    self.seconds = seconds
    self.name = name
    self.json = json
  }
}

package struct ModelRun: Sendable {
  package var lines: [ModelLine] = []
  package var faults: [(seconds: Double, message: String, definition: String)] = []
  /// Whether a limit on memory or steps decided what came out; the model has none.
  package var hasMetLimit = false
  /// The shortest time between two located crossings of one comparison.
  package var closestCrossings = Double.infinity
  package init() {}
}

package final class Model {
  let core: CoreProgram
  /// By `NodeID`: whether an output needs it.
  let isNeeded: [Bool]
  var history: [Record] = [Record(0, Clock(0), .before, attempt: 0, timersServed: -1)]
  let program = Instance(id: 0, scope: .program, parent: nil, birth: 0, clock: Clock(0))
  var instances: [Int: Instance] = [:]
  var instanceCount = 0
  /// The last time at which timers were served, whether or not that instant was undone.
  var timersServed = 0
  /// The last time at which something left windows by itself, whether or not that instant was undone.
  var leavingServed = 0
  /// How many instants have been tried, undone ones included; and which of them served the timers of a time.
  var attempts = 0
  var attemptsAtTimers: [Int: Int] = [:]
  /// Crossings whose instant was undone: they must turn back before they can fire again.
  var undone: [Place: Bool] = [:]
  /// How many instants of crossings came less than a nanosecond after the one before, and how many may.
  private var crossingSteps = 0
  private static let mostCrossings = 1_000
  var scannedTo = 0.0
  /// What the results of a scope are made of, by scope.
  var made: [ScopeID: Set<NodeID>] = [:]
  var depth = 0
  /// Comparisons that are at their limit and about to be decided.
  var atLimits: Set<Place> = []
  let depthLimit = 6_000
  private var shown: [Int: ModelValue] = [:]
  /// When comparisons crossed last.
  private var crossed: [Place: Double] = [:]
  private var run = ModelRun()
  /// The time of the last instant, even if it was undone.
  private var now = Clock(0)
  /// Micro-steps at one clock time.
  private var steps = 0

  /// The host's pure functions: which one, and its argument, or its arguments as a tuple. What it throws is a fault.
  let host: ((Int, ModelValue) throws -> ModelValue)?

  package init(_ core: CoreProgram, host: ((Int, ModelValue) throws -> ModelValue)? = nil) {
    self.core = core
    self.host = host
    isNeeded = needed(core)
  }

  /// Runs a trace to its last line or to `until`, which wins; continuous outputs are shown every `sample` seconds.
  /// A model can be run once.
  package func run(_ trace: [TraceLine], until: Double? = nil, sample: Double? = 0.1) -> ModelRun {
    instances[0] = program
    let end = until.map(Clock.whole) ?? trace.last?.nanoseconds ?? 0
    if !attempt(.start, Clock(0)) { return run }
    var inputs = trace[...]
    var samples = 0
    var isCaused = true
    func showSamples(before seconds: Double) {
      guard let sample else { return }
      while Double(samples) * sample < seconds, Clock.whole(Double(samples) * sample) <= end {
        showContinuous(at: Clock(Clock.whole(Double(samples) * sample)))
        samples += 1
      }
    }
    while true {
      do {
        if isCaused, try hasCaused() {
          isCaused = attempt(.caused, history[history.count - 1].clock)
          continue
        }
        if !isCaused, try haveTasksMore() {
          isCaused = attempt(.tasks, now)
          continue
        }
        isCaused = true
        let timer = try nextTimer() ?? .max
        let input = inputs.first?.nanoseconds ?? .max
        let leaving = try nextLeaving() ?? .max
        let next = min(timer, input, leaving, end)
        let isLast = min(timer, input, leaving) > end
        if let outcome = try attemptCrossings(before: next, showSamples) {
          isCaused = outcome
          continue
        }
        if isLast { break }
        showSamples(before: Double(next) / 1e9)
        if timer <= min(input, leaving) {
          timersServed = timer
          isCaused = attempt(.timers, Clock(timer))
        } else if input <= leaving, let line = inputs.popFirst() {
          isCaused = attempt(.inputs(values(of: line)), Clock(line.nanoseconds))
        } else {
          leavingServed = leaving
          isCaused = attempt(.leaving, Clock(leaving))
        }
      } catch {
        fault(ModelFault(error), Double(end) / 1e9)
        break
      }
    }
    if core.nodes.contains(where: { if case .end = $0.op { true } else { false } }) { finish(Clock(end)) }
    showSamples(before: .infinity)
    return run
  }

  /// The instant of the first crossings until `next`, and whether it went well; nil if there are none.
  private func attemptCrossings(before next: Int, _ showSamples: (Double) -> Void) throws -> Bool? {
    guard let crossings = try nextCrossings(Double(next) / 1e9) else { return nil }
    let isDue = (crossings.seconds - Double(next) / 1e9).magnitude <= 0.5e-9
    let clock = isDue ? Clock(next) : Clock(located: crossings.seconds)
    showSamples(clock.seconds)
    let (located, left) = try withSlides(crossings.located, history.count - 1, clock.seconds)
    let isCaused = attempt(.crossings(located), clock, left: left)
    note(crossings.located, at: clock.seconds)
    // Each causes the next one: the clock would not get past it, and what then stands still is not told here.
    crossingSteps = clock.seconds - scannedTo < 1e-9 ? crossingSteps + 1 : 0
    if crossingSteps > Self.mostCrossings { throw ModelFault("too many micro-steps") }
    scannedTo = clock.seconds
    undone = isCaused ? [:] : located
    return isCaused
  }

  private func note(_ located: [Place: Bool], at seconds: Double) {
    for place in located.keys {
      if let last = crossed.updateValue(seconds, forKey: place) {
        run.closestCrossings = min(run.closestCrossings, seconds - last)
      }
    }
  }

  /// The last instant of all, and what it causes.
  private func finish(_ clock: Clock) {
    var isCaused = attempt(.end, clock)
    do {
      while try isCaused ? hasCaused() : haveTasksMore() { isCaused = attempt(isCaused ? .caused : .tasks, clock) }
    } catch {
      fault(ModelFault(error), clock.seconds)
    }
  }

  private func values(of line: TraceLine) -> [Int: ModelValue] {
    var result: [Int: ModelValue] = [:]
    for (name, json) in line.values {
      guard let port = core.inputs.firstIndex(where: { $0.name == name }) else { continue }
      result[port] = core.types.value(json, core.inputs[port].type)
    }
    return result
  }

  func fault(_ fault: ModelFault, _ seconds: Double) {
    run.faults.append((seconds, fault.message, fault.definition))
  }

  /// One instant: everything an output needs is computed, or nothing has happened.
  private func attempt(_ cause: Cause, _ clock: Clock, left: [Place: Bool] = [:]) -> Bool {
    switch cause {
    case .caused, .tasks: steps += 1
    default: steps = 0
    }
    now = clock
    attempts += 1
    if case .timers = cause { attemptsAtTimers[clock.nanoseconds] = attempts }
    let k = history.count
    history.append(Record(k, clock, cause, attempt: attempts, timersServed: timersServed))
    history[k].left = left
    do {
      if steps > 10_000 { throw ModelFault("too many micro-steps") }
      try settle(program, k)
      try show(k)
      return true
    } catch {
      history.removeLast()
      fault(ModelFault(error), clock.seconds)
      return false
    }
  }

  /// Whatever remembers is computed in every instance, whether or not it is looked at now.
  private func settle(_ instance: Instance, _ k: Int) throws {
    instances[instance.id] = instance
    if k == instance.startIndex { try settlePlain(instance) }
    for node in core[instance.scope].nodes where isNeeded[node.index] {
      try settle(node, instance, k)
      switch core[node].op {
      case .integral: _ = try integral(node, instance, after(k))
      // It remembers what its behavior is now.
      case .delayBehavior(let b, _): if !core[b].isContinuous, k > instance.unseen { _ = try changed(b, instance, k) }
      case .perform: _ = try runs(node, instance, k)
      // It remembers whether its condition held, from just before what it sees.
      case .when(let c):
        if k == instance.startIndex { _ = try value(c, instance, after(instance.unseen)) }
        _ = try value(c, instance, after(k))
      default: break
      }
    }
    for node in core[instance.scope].nodes where isNeeded[node.index] && !core[node].op.scopes.isEmpty {
      let goOn = try children(node, instance, k)
      for child in goOn { try settle(child, k) }
      for child in try counting(node, instance, k) where !goOn.contains(where: { $0 === child }) {
        try settleLast(child, k)
      }
    }
  }

  /// What a node shows at an instant, or remembers of what it shows.
  func settle(_ node: NodeID, _ instance: Instance, _ k: Int) throws {
    switch core[node].op {
    case .lift, .time, .crossing, .member, .chosen, .choose, .switchOpen, .switchTo, .groupBy, .each, .integral,
      .awaited, .delayBehavior:
      break
    case .hold, .fold, .inputBehavior, .window, .summary, .busy, .link, .rounding:
      _ = try value(node, instance, after(k))
    default: _ = try occurrences(node, instance, k)
    }
  }

  /// Start values, durations and counts are known from the moment on at which their scope starts, whether or not anything
  /// ever looks at them; what a choice gives to its alternatives is known once it is chosen.
  func settlePlain(_ instance: Instance) throws {
    for node in core[instance.scope].nodes where isNeeded[node.index] {
      if case .choose = core[node].op { continue }
      var exprs: [CoreExprID] = []
      core[node].op.forEachExpr { expr, moment in if moment == .plain { exprs.append(expr) } }
      do {
        for expr in exprs { _ = try plain(expr, instance) }
        if case .every(let period, _) = core[node].op { try checkPeriod(period, instance) }
      } catch {
        throw named(ModelFault(error), node)
      }
    }
  }

  private func show(_ k: Int) throws {
    var lines: [ModelLine] = []
    var seen = shown
    let seconds = history[k].clock.seconds
    for (index, output) in core.outputs.enumerated() {
      if output.isEvent {
        for a in try occurrences(output.node, program, k) {
          lines.append(ModelLine(seconds: seconds, name: output.name, json: core.types.json(a, output.type)))
        }
      } else if !core[output.node].isContinuous {
        let value = try value(output.node, program, after(k))
        if let last = seen[index], ModelValue.equal(last, value) { continue }
        seen[index] = value
        lines.append(ModelLine(seconds: seconds, name: output.name, json: core.types.json(value, output.type)))
      }
    }
    shown = seen
    run.lines += lines
  }

  /// A sample of the continuous outputs; one that faults is missing.
  private func showContinuous(at clock: Clock) {
    let k = history.count - 1
    let view = clock.seconds <= history[k].clock.seconds ? after(k) : View(k, clock.seconds)
    for output in core.outputs where !output.isEvent && core[output.node].isContinuous {
      do {
        let value = try value(output.node, program, view)
        run.lines.append(
          ModelLine(seconds: clock.seconds, name: output.name, json: core.types.json(value, output.type)))
      } catch {
        fault(ModelFault(error), clock.seconds)
      }
    }
  }
}

/// The nodes that some output needs.
private func needed(_ core: CoreProgram) -> [Bool] {
  var result = [Bool](repeating: false, count: core.nodes.count)
  var seen = [Bool](repeating: false, count: core.exprs.count)
  var nodes = core.outputs.map(\.node)
  var exprs: [CoreExprID] = []
  while true {
    if let expr = exprs.popLast() {
      if seen[expr.index] { continue }
      seen[expr.index] = true
      if case .read(let node) = core[expr] { nodes.append(node) }
      if case .call(let function, _) = core[expr] { exprs.append(core[function].body) }
      core[expr].forEachChild { exprs.append($0) }
    } else if let node = nodes.popLast() {
      if result[node.index] { continue }
      result[node.index] = true
      nodes += core[node].op.nodeOperands
      switch core[node].op {
      // Of what is read result by result, only those are needed that somebody reads.
      case .choose, .switchOpen: break
      case .chosen(let owner, let index): nodes += core[owner].op.scopes.map { core[$0].results[index] }
      default: for scope in core[node].op.scopes { nodes += core[scope].results }
      }
      core[node].op.forEachExpr { expr, _ in exprs.append(expr) }
    } else {
      return result
    }
  }
}
