// The engine's run of a core program, in the same terms as the model's.

import FRPCore
import FRPGraph
import FRPModel
import FRPRuntime

package enum Engine {
  /// Runs a trace as `Model.run` does; nil if the program has no plan.
  package static func run(
    _ core: CoreProgram, _ trace: [TraceLine], until: Double? = nil, sample: Double? = 0.1,
    _ optimisations: Optimisations = .all
  ) -> ModelRun? {
    guard let session = session(core, optimisations) else { return nil }
    session.run(trace, until: until, sample: sample)
    return session.result
  }

  /// A run as a host drives it: the clock moves in steps of its own, and what a line of the trace says is sent at
  /// whatever time it then is. Gives what was shown, and what was sent, written down as a trace.
  package static func live(
    _ core: CoreProgram, _ trace: [TraceLine], seed: UInt64
  ) -> (run: ModelRun, recorded: [TraceLine], end: Double)? {
    guard let session = session(core, .all) else { return nil }
    var random = Random(seed: seed)
    let (recorded, end) = session.live(trace, &random)
    return (session.result, recorded, end)
  }

  /// What a program shows last, by output, and what went wrong; `isDeferred`: of a run that shows nothing before. Nil if it
  /// has no plan; `deferred` is how many outputs waited.
  public static func last(
    _ core: CoreProgram, _ trace: [TraceLine], isDeferred: Bool
  ) -> (shown: [String: String], run: ModelRun, deferred: Int)? {
    guard var plan = try? Plan(core) else { return nil }
    if isDeferred { plan = plan.deferring(Array(plan.outputs.indices)) }
    let session = session(plan)
    session.run(trace, until: nil, sample: nil)
    for output in plan.outputs.indices where !plan.outputs[output].isEvent {
      if case .success(let value) = session.reactor.value(of: output) {
        session.show(output, value, session.reactor.now.seconds)
      }
    }
    let shown = Dictionary(session.result.lines.map { ($0.name, $0.json) }) { $1 }
    return (shown, session.result, plan.outputs.count { $0.isDeferred })
  }

  private static func session(_ core: CoreProgram, _ optimisations: Optimisations) -> EngineRun? {
    guard let plan = try? Plan(core, optimisations) else { return nil }
    return session(plan)
  }

  static func session(_ plan: Plan) -> EngineRun {
    var limits = Limits()
    limits.stepsPerInstant = 5_000_000
    limits.heapBytes = 16 << 20
    let session = EngineRun(Reactor(plan: plan, limits: limits, seed: 0))
    // A root that the reactor forgets shall show.
    session.reactor.heap.collectAlways = true
    // It takes six times as long, so one program in eight does it; all do in a debug build with FRP_COLLECT=2.
    if plan.core.nodes.count % 8 == 0 { session.reactor.heap.collectInside = true }
    // Machine code from the first instant on, and each of them interpreted, too.
    session.reactor.turnsUntilNative = 0
    session.reactor.nativeDiffers = { [unowned session] in
      session.result.faults.append((session.reactor.now.seconds, $0, "lockstep"))
    }
    session.reactor.machine.hostCall = { (number, argument, _) throws(Fault) in
      try HostExamples.call(number, argument)
    }
    return session
  }
}

/// A run of the engine that writes down what it shows.
final class EngineRun {
  let reactor: Reactor
  let codec: Codec
  var result = ModelRun()
  private var samples = 0
  private var text = StringBuilder()

  init(_ reactor: Reactor) {
    self.reactor = reactor
    codec = Codec(reactor.heap)
    reactor.observer = { [unowned self] moment, changes in
      for change in changes { show(change.output, change.value, moment.seconds) }
    }
    reactor.faultObserver = { [unowned self] fault in
      note(fault.fault)
      result.faults.append((fault.moment.seconds, "\(fault.fault)", fault.definition))
    }
  }

  func show(_ output: Int, _ value: Word, _ seconds: Double) {
    let port = reactor.plan.outputs[output]
    text.removeAll()
    do throws(Fault) { try codec.encodeJSON(value, port.type, to: &text) } catch {
      note(error)
      return
    }
    result.lines.append(
      ModelLine(seconds: seconds, name: port.name, json: String(decoding: text.view, as: UTF8.self)))
  }

  private func note(_ fault: Fault) {
    if fault.kind == .limit(.memory) || fault.kind == .limit(.steps) { result.hasMetLimit = true }
  }

  func run(_ trace: [TraceLine], until: Double?, sample: Double?) {
    let end = until.map(Clock.nanoseconds) ?? Int64(trace.last?.nanoseconds ?? 0)
    reactor.start()
    if reactor.isOver { return }
    for line in trace where Int64(line.nanoseconds) <= end {
      reactor.inputDue = Int64(line.nanoseconds)
      advance(to: Int64(line.nanoseconds), sample)
      reactor.send(line.values.compactMap(decode))
    }
    reactor.inputDue = end
    advance(to: end, sample)
    reactor.finish()
    showSamples(through: end, sample, isLast: true)
  }

  func live(_ trace: [TraceLine], _ random: inout Random) -> (recorded: [TraceLine], end: Double) {
    var recorded: [TraceLine] = []
    var now = 0
    reactor.start()
    for line in trace where !reactor.isOver {
      for _ in 0..<random.below(4) {
        now += random.oneIn(2) ? random.below(5) * 50_000_000 : random.below(300_000_000)
        reactor.advance(to: Int64(now))
      }
      recorded.append(TraceLine(nanoseconds: now, values: line.values))
      reactor.send(line.values.compactMap(decode))
    }
    now += 1_000_000_000
    reactor.advance(to: Int64(now))
    reactor.finish()
    return (recorded, Double(now) / 1e9)
  }

  /// Runs what is due, and samples before it whatever lies before `time`.
  private func advance(to time: Int64, _ sample: Double?) {
    showSamples(through: time, sample, isLast: false)
    reactor.advance(to: time)
  }

  private func showSamples(through time: Int64, _ sample: Double?, isLast: Bool) {
    guard let sample else { return }
    while true {
      let next = Clock.nanoseconds(Double(samples) * sample)
      if next > time || next == time && !isLast { return }
      reactor.advance(through: next)
      samples += 1
      for (index, output) in reactor.plan.outputs.enumerated() where output.isContinuous {
        switch reactor.value(of: index) {
        case .success(let word): show(index, word, Double(next) / 1e9)
        case .failure(let fault): result.faults.append((Double(next) / 1e9, "\(fault)", output.name))
        }
      }
    }
  }

  /// Sends what the lines say, each at its time.
  func goOn(_ trace: ArraySlice<TraceLine>) {
    for line in trace {
      reactor.advance(to: Int64(line.nanoseconds))
      reactor.send(line.values.compactMap(decode))
    }
  }

  private func decode(_ name: String, _ json: JSON) -> (port: Int, value: Word)? {
    guard let port = reactor.plan.inputs.firstIndex(where: { $0.name == name }) else { return nil }
    var source = json.text
    let word: Word?? = source.withUTF8 { bytes in
      do throws(Fault) { return try codec.decodeJSON(bytes, as: reactor.plan.inputs[port].type) } catch { return nil }
    }
    guard let word = word ?? nil else { return nil }
    return (port, word)
  }
}
