// A running program without a clock and without threads: the caller says what happens and when.
//
// In:  a `Program`, values of inputs as JSON, the passing of time. Out: values and occurrences of outputs as JSON,
// faults as diagnostics. The same calls give the same answers, always. Confined to one thread at a time; not Sendable.

import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime

/// One occurrence of an output event, or a new value of an output behavior.
public struct Occurrence: Sendable, Hashable {
  /// Seconds since the start.
  public var time: Double
  /// The value as JSON.
  public var json: String
  /// The number of its instant in the run, which orders what has the same time; 0 where nobody counted.
  package var instant = 0

  /// An occurrence or value at a time.
  public init(time: Double, json: String) {
    self.time = time
    self.json = json
  }

  package init(time: Double, json: String, instant: Int) {
    self.init(time: time, json: json)
    self.instant = instant
  }

  /// About how many bytes it takes to keep it.
  var cost: Int { 64 + json.utf8.count }

  /// Whether time and value are the same.
  public static func == (a: Occurrence, b: Occurrence) -> Bool { a.time == b.time && a.json == b.json }

  /// Hashes time and value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(time)
    hasher.combine(json)
  }
}

/// Why a call of a `Simulation` had no effect.
public enum SimulationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The program has errors: see `Program.diagnostics`.
  case programHasErrors
  /// There is no input or output of this name; `near` is one that may be meant.
  case unknownPort(name: String, near: String?)
  /// The input is an event, so it has no start value.
  case hasNoStart(name: String)
  /// The text is no JSON of the port's type.
  case unfit(column: Int, path: String, message: String)
  /// The program faulted; the instant was undone.
  case fault(Diagnostic)
  /// The state cannot be taken or replaced now: the run has not started, or a callback of it is running.
  case notBetweenInstants
  /// The run has not started: nothing can be sent to it.
  case notStarted
  /// The run is over: nothing more can be sent to it.
  case isOver
  /// The task that awaited this call was cancelled before anything happened.
  case cancelled
  /// This definition delays a continuous behavior, whose past no snapshot keeps.
  case cannotSnapshot(definition: String)
  /// The snapshot is damaged, of another version, or of another program; the text says which.
  case unusableSnapshot(String)
}

extension SimulationError {
  static func unfit(_ problem: ConversionFailure) -> SimulationError {
    .unfit(column: 1, path: problem.path, message: "expected \(problem.expected), found \(problem.found)")
  }

  /// The same in words.
  public var description: String { message }

  /// The same behind the name of what does not fit: `body at .price: expected Float, found "high"`.
  package var behindSubject: String {
    if case .unfit(_, let path, let message) = self {
      path.isEmpty ? ": \(message)" : " at \(path): \(message)"
    } else {
      ": \(message)"
    }
  }

  /// The same in words, without a full stop.
  public var message: String {
    switch self {
    case .programHasErrors: return "the program has errors"
    case .unknownPort(let name, let near):
      return near.map { "there is no `\(name)`, did you mean `\($0)`?" } ?? "there is no `\(name)`"
    case .hasNoStart(let name): return "`\(name)` is an event and has no start value"
    case .unfit(_, let path, let message): return path.isEmpty ? message : "at \(path): \(message)"
    case .fault(let diagnostic): return diagnostic.title
    case .notBetweenInstants: return "the run has not started, is over, or a callback of it is running"
    case .notStarted: return "the run has not started"
    case .isOver: return "the run is over"
    case .cancelled: return "the task was cancelled before anything was sent"
    case .cannotSnapshot(let definition): return "`\(definition)` delays a continuous behavior: no snapshot keeps that"
    case .unusableSnapshot(let why): return "this snapshot cannot be used: \(why)"
    }
  }
}

/// A running program without a clock: what happens, and when, is said by calls. The same calls give the same answers.
///
///     let simulation = try Simulation(program)
///     simulation.start()
///     try simulation.send(1, to: clicks)
///     simulation.advance(by: 0.5)
///     let total = try simulation.value(of: total)
///
/// Confined to one thread at a time. Memory, time and depth are bounded by `Limits`; an instant that meets one is undone
/// and the simulation goes on.
public final class Simulation {
  /// What runs; another after `replaceProgram(with:)`.
  public internal(set) var program: Program
  package internal(set) var reactor: Reactor
  package internal(set) var codec: Codec
  package internal(set) var ports: Codec.Ports
  var plan: Plan
  private var text = StringBuilder()
  /// By output: what has been recorded, for those that are.
  var recorded: [Int: [Occurrence]] = [:] { didSet { wiring.pointee.isRecording = !recorded.isEmpty } }
  /// About how many bytes that takes.
  package private(set) var recordedBytes = 0
  /// What went wrong so far, oldest first; at most a hundred are kept.
  public internal(set) var faults: [Diagnostic] = []
  var lastFault: Diagnostic?
  private var faultObservers: [(observation: OutputObservation, tell: (Diagnostic) -> Void)] = []
  /// Called with a reactor that is to take the present one's place, before anything of it runs.
  package var reactorBegins: ((Reactor) -> Void)?
  let limits: Limits
  let seed: UInt64
  /// What `Date.epoch` gives: the moment of time 0, in seconds since 1970. Set it before `start`; it must be finite.
  public var epoch = 0.0 { didSet { reactor.machine.library.epoch = epoch } }
  var bridge: ValueBridge
  /// Whether the reactor tells this object what it shows: a host may have taken its place.
  private var isObserving = false
  let wiring: UnsafeMutablePointer<Wiring>
  let watchers: UnsafeMutablePointer<WatcherTable>
  /// While `changes(during:)` runs: what was shown.
  var collected: Changes?
  /// The host's tasks under way; how many have begun; and who is told.
  var hostTasks = LiveHostTasks()
  var begunTasks = 0
  /// What names this run among all others. A host whose runs outlive their process sets it, before anything begins: calls then have a
  /// key, which is the same where they begin again.
  public var name: String?
  /// Calls up to this number never begin again: they have ended, and what they came to is kept.
  package var settledCalls = 0
  /// How often a snapshot has been restored.
  var restores = 0
  package var taskBegan: ((HostTask) -> Void)?
  package var taskCancelled: ((HostTask.ID) -> Void)?
  /// In simulated time: whether a call of the world, which is not made, will be answered all the same.
  package var isAnswered: ((HostTask) -> Bool)?
  /// Called when a call of the host begins that something in the program answers, with its name and arguments.
  package var callAnswered: ((String, [FrpValue]) -> Void)?
  /// Called when the source of an input or the sink of an output has ended: the port, and why if not well.
  package var bindingEnded: ((_ port: String, _ isSource: Bool, _ message: String?) -> Void)?
  /// What came from outside, if that is kept, and what a replay still has to do.
  var logState = LogState() { didSet { wiring.pointee.isLogging = logState.isUsed } }
  /// How other threads end what this run is doing, where its `Limits.isWatched`.
  public let interrupter = Interrupter()
  /// What the engines have taken that this one has taken the place of.
  var formerUsage = Usage()
  /// Instants of the engines that this one has taken the place of.
  package var formerInstants = 0
  /// About how many bytes of a value are recorded, for who only shows them; `…` ends what is longer. nil: all.
  package var recordsAtMost: Int?

  /// Prepares a run. `settings` are start values of input behaviors, as JSON.
  public init(
    _ program: Program, limits: Limits = Limits(), seed: UInt64 = 0, settings: [String: String] = [:]
  ) throws(SimulationError) {
    guard let plan = program.plan else { throw .programHasErrors }
    self.program = program
    self.plan = plan
    self.limits = limits
    self.seed = seed
    reactor = Reactor(plan: plan, limits: limits, seed: seed)
    codec = Codec(reactor.heap)
    bridge = ValueBridge(reactor.heap)
    ports = Codec.Ports(plan.inputs.map { ($0.name, $0.type) })
    wiring = .allocate(capacity: 1)
    wiring.initialize(
      to: Wiring(
        program: program.id, reactor: .passUnretained(reactor), bridge: .passUnretained(bridge)))
    watchers = .allocate(capacity: 1)
    watchers.initialize(to: WatcherTable(plan, wiring))
    reactor.interrupter = interrupter
    connectHost(reactor, program)
    connectTasks(reactor, program)
    for (name, json) in settings.sorted(by: { $0.key < $1.key }) { try setStart(of: name, to: json) }
  }

  /// Gives an input behavior another start value, before `start`.
  package func setStart(of name: String, to json: String) throws(SimulationError) {
    let port = try input(name)
    if plan.inputs[port].isEvent { throw .hasNoStart(name: name) }
    do { reactor.startValues[port] = try decode(json, port) } catch .unfit(let column, let path, let message) {
      throw .unfit(column: column, path: path, message: "the start value of `\(name)` does not fit: \(message)")
    }
  }

  deinit {
    if isObserving {
      reactor.observer = nil
      reactor.faultObserver = nil
    }
    watchers.pointee.deallocate()
    watchers.deinitialize(count: 1)
    watchers.deallocate()
    wiring.deinitialize(count: 1)
    wiring.deallocate()
  }

  /// Runs the start instant. Call it once, before anything else; a run that has started is left as it is.
  public func start() {
    if reactor.hasStarted { return }
    log(.start)
    observe(reactor)
    reactor.start()
  }

  /// Calls `body` with everything that goes wrong from now on, as a diagnostic with its place, until the observation is
  /// cancelled. It comes after the instant was undone; `body` may look, but sends nothing.
  @discardableResult
  public func observeFaults(_ body: @escaping (Diagnostic) -> Void) -> OutputObservation {
    let observation = OutputObservation()
    faultObservers.append((observation, body))
    return observation
  }

  private func tellFault(_ diagnostic: Diagnostic) {
    if faultObservers.isEmpty { return }
    faultObservers.removeAll { $0.observation.isOver }
    for (_, tell) in faultObservers { tell(diagnostic) }
  }

  /// Hears what a reactor shows. It may outlive this object, which then hears no more.
  func observe(_ reactor: Reactor) {
    isObserving = true
    reactor.faultObserver = { [unowned self] fault in
      let diagnostic = program.diagnostic(of: fault)
      lastFault = diagnostic
      if faults.count < 100 { faults.append(diagnostic) }
      tellFault(diagnostic)
    }
    let (wiring, watchers) = (wiring, watchers)
    reactor.currentObserver = Observer(while: Wiring.ear(wiring)) { [unowned(unsafe) self] moment, changes in
      if wiring.pointee.isRecording { record(moment, changes) }
      if wiring.pointee.isLogging { answerAsLogged() }
      wiring.pointee.bridge._withUnsafeGuaranteedRef { bridge in
        for change in changes {
          if wiring.pointee.isCollecting { collect(change, moment.seconds) }
          WatcherTable.tell(watchers, change.output, change.value, bridge, moment.seconds)
        }
      }
    }
  }

  private func record(_ moment: Moment, _ changes: UnsafeBufferPointer<OutputChange>) {
    for change in changes where recorded[change.output] != nil {
      let json =
        recordsAtMost.map { shortJSON(change.value, change.output, atMost: $0) } ?? json(change.value, change.output)
      keep(Occurrence(time: moment.seconds, json: json, instant: instantNumber), of: change.output)
    }
  }

  /// Adds to what has been recorded of an output.
  func keep(_ occurrence: Occurrence, of output: Int) {
    recorded[output, default: []].append(occurrence)
    recordedBytes += occurrence.cost
  }

  // MARK: Time

  /// Seconds since the start.
  public var now: Double { reactor.now.seconds }

  /// When the program next has something to do of its own; nil if it only waits for inputs.
  public var nextWakeUp: Double? { reactor.wakeUp?.seconds }

  /// Lets time pass, running everything that is due up to and including `seconds` after the start. What leaves a
  /// `window` at exactly that time waits for what is still sent at it: it leaves in the instant of the next `send` that
  /// brings the window something, else when time goes on, or with `finish`. Does nothing before the start and after the
  /// end, and never goes back.
  public func advance(to seconds: Double) { reactor.advance(to: Clock.nanoseconds(seconds)) }

  /// The same, and `seconds` is over: nothing more is sent at it.
  func advance(through seconds: Double) { reactor.advance(through: Clock.nanoseconds(seconds)) }

  /// Runs one instant that is due up to `seconds`, or moves the clock there. Gives whether there may be more. Where
  /// `isClosing`, nothing more is sent at `seconds`.
  func advanceOnce(to seconds: Double, isClosing: Bool) -> Bool {
    reactor.advanceOnce(to: Clock.nanoseconds(seconds), isClosing: isClosing)
  }

  /// Steps that the last instant took; more than it was granted where it was ended.
  var stepsOfLastInstant: Int { max(0, reactor.limits.stepsPerInstant &- reactor.machine.stepsLeft) }

  /// Lets so many seconds pass.
  public func advance(by seconds: Double) { advance(to: now + seconds) }

  /// Runs the last instant, in which `end` occurs. Inside a callback, before the start and after the end it does nothing.
  public func finish() {
    if reactor.isRunning || !reactor.hasStarted || reactor.isOver { return }
    log(.finish(at: reactor.now.nanoseconds))
    reactor.finish()
  }

  // MARK: Inputs

  /// Why nothing can be sent now; nil if it can.
  var whyNotNow: SimulationError? { reactor.isOver ? .isOver : reactor.hasStarted ? nil : .notStarted }

  /// Lets these happen together, in one instant at the present time: occurrences of events, new values of behaviors.
  /// Throws `notStarted` and `isOver` outside of the run, `unknownPort`, `unfit`, and `fault` if the instant faulted.
  public func send(_ values: [(name: String, json: String)]) throws(SimulationError) {
    if let whyNotNow { throw whyNotNow }
    var list: [(port: Int, value: Word)] = []
    settle()
    for (name, json) in values {
      let port = try input(name)
      list.append((port, try decode(json, port)))
    }
    if !takesInputs { return }
    if wiring.pointee.isLogging { log(.inputs(at: reactor.now.nanoseconds, values.map(InputLog.Input.init))) }
    let before = reactor.faultCount
    reactor.send(list)
    if reactor.faultCount != before, let lastFault { throw .fault(lastFault) }
  }

  /// One occurrence of an input event at the present time.
  public func send(_ json: String, to name: String) throws(SimulationError) {
    if let whyNotNow { throw whyNotNow }
    settle()
    let port = try input(name)
    var json = json
    let problem = json.withUTF8 { bytes in send(json: bytes, port: port) }
    if let problem { throw problem }
  }

  /// A new value of an input behavior at the present time.
  public func set(_ name: String, to json: String) throws(SimulationError) { try send(json, to: name) }

  /// One occurrence, or a new value, of the input at a place that there is; the text is well-formed UTF-8. Gives why not.
  package func send(json text: UnsafeBufferPointer<UInt8>, port: Int) -> SimulationError? {
    if let whyNotNow { return whyNotNow }
    settle()
    do throws(Fault) {
      guard let word = try codec.decodeJSON(text, as: withReactor { $0.type(ofInput: port) }) else { return unfit }
      return send(port: port, word, json: String(decoding: text, as: UTF8.self))
    } catch { return unfit }
  }

  /// The same of an input of Strings: the text itself.
  package func send(text: UnsafeBufferPointer<UInt8>, port: Int) -> SimulationError? {
    if let whyNotNow { return whyNotNow }
    settle()
    do throws(Fault) {
      return send(port: port, try codec.heap.string(text), json: jsonString(String(decoding: text, as: UTF8.self)))
    } catch { return .unfit(column: 1, path: "", message: "out of memory") }
  }

  /// Sends a word; its text is for the log.
  private func send(port: Int, _ word: Word, json: @autoclosure () -> String) -> SimulationError? {
    if wiring.pointee.isLogging {
      if !takesInputs { return nil }
      log(.inputs(at: reactor.now.nanoseconds, [InputLog.Input(name: plan.inputs[port].name, json: json())]))
    }
    return withReactor { reactor in
      let before = reactor.faultCount
      reactor.send(port: port, word)
      return reactor.faultCount == before ? nil : lastFault.map(SimulationError.fault)
    }
  }

  // MARK: Outputs

  /// The present value of an output behavior, as JSON.
  public func value(of name: String) throws(SimulationError) -> String {
    let output = try output(name)
    switch reactor.value(of: output) {
    case .success(let word): return json(word, output)
    case .failure(let fault):
      throw .fault(
        program.diagnostic(of: reactor.faultOfLook(fault)))
    }
  }

  /// What an output behavior of Floats is at each of the next `count` moments, `seconds` apart; time moves to the last.
  /// Fewer where it has no value; `value(of:)` then says why.
  public func samples(of name: String, every seconds: Double, count: Int) throws(SimulationError) -> [Double] {
    let output = try output(name)
    return [Double](unsafeUninitializedCapacity: max(0, count)) { values, taken in
      let room = UnsafeMutableBufferPointer(rebasing: values[..<max(0, count)])
      taken = reactor.sample(output, every: Clock.nanoseconds(seconds), into: room)
    }
  }

  /// From now on keeps what this output shows; `occurrences` gives it.
  public func record(_ name: String) throws(SimulationError) { recorded[try output(name), default: []] += [] }

  /// What a recorded output has shown since the last call.
  public func occurrences(of name: String) throws(SimulationError) -> [Occurrence] {
    let output = try output(name)
    return taken(output, leaving: [])
  }

  /// No longer keeps what this output shows; gives what it has shown since the last call of `occurrences`.
  package func endRecord(_ name: String) throws(SimulationError) -> [Occurrence] {
    taken(try output(name), leaving: nil)
  }

  private func taken(_ output: Int, leaving rest: [Occurrence]?) -> [Occurrence] {
    let all = recorded[output] ?? []
    for occurrence in all { recordedBytes -= occurrence.cost }
    recorded[output] = rest
    return all
  }

  /// What a recorded output has shown since its occurrences were asked for; it stays recorded.
  package func shownSoFar(of name: String) throws(SimulationError) -> [Occurrence] { recorded[try output(name)] ?? [] }

  /// A JSON text as this output would write the same value: `2` of a Float is `2.0`.
  package func canonical(_ text: String, of name: String) throws(SimulationError) -> String {
    let output = try output(name)
    return json(try decode(text, as: plan.outputs[output].type), output)
  }

  // MARK: Names and values

  private func shortJSON(_ value: Word, _ output: Int, atMost limit: Int) -> String {
    let short = codec.json(value, plan.outputs[output].type, atMost: limit)
    return short.isWhole ? short.text : short.text + "…"
  }

  func input(_ name: String) throws(SimulationError) -> Int {
    if let index = plan.inputs.firstIndex(where: { $0.name == name }) { return index }
    throw .unknownPort(name: name, near: nearestNames(name, among: plan.inputs.map(\.name)).first)
  }

  func output(_ name: String) throws(SimulationError) -> Int {
    if let index = plan.outputs.firstIndex(where: { $0.name == name }) { return index }
    throw .unknownPort(name: name, near: nearestNames(name, among: plan.outputs.map(\.name)).first)
  }

  func decode(_ json: String, _ port: Int) throws(SimulationError) -> Word {
    try decode(json, as: plan.inputs[port].type)
  }

  func decode(_ json: String, as type: TypeID) throws(SimulationError) -> Word {
    var json = json
    let result: Result<Word?, Fault> = json.withUTF8 { bytes in
      do throws(Fault) { return .success(try codec.decodeJSON(bytes, as: type)) } catch { return .failure(error) }
    }
    if case .success(let word?) = result { return word }
    throw unfit
  }

  /// An output by its name, and a value of it from JSON; nil if there is no such output, or it is no such value.
  package func value(_ json: String, ofOutput name: String) -> (output: Int, value: Word)? {
    guard let output = try? output(name) else { return nil }
    return (try? decode(json, as: plan.outputs[output].type)).map { (output, $0) }
  }

  package func json(_ value: Word, ofInput port: Int) -> String { json(value, as: plan.inputs[port].type) }

  /// Works with the JSON of an output's value, which is there until the next is asked for.
  package func withJSON<Answer>(
    _ value: Word, ofOutput output: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Answer
  ) -> Answer {
    text.removeAll()
    do throws(Fault) {
      try codec.encodeJSON(value, withReactor { $0.type(ofOutput: output) }, to: &text)
    } catch {
      text.removeAll()
      text.append("null")
    }
    return body(text.view)
  }

  func json(_ value: Word, _ output: Int) -> String { json(value, as: plan.outputs[output].type) }

  func json(_ value: Word, as type: TypeID) -> String {
    text.removeAll()
    do throws(Fault) {
      try codec.encodeJSON(value, type, to: &text)
    } catch { return "null" }
    return String(decoding: text.view, as: UTF8.self)
  }
}
