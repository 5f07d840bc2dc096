// What came from outside, in order: a run that is given the same goes the same way, without its host.
//
// Rules
// - The results of the host's tasks are inputs like any other: a replay does not call the host again for them. Pure
//   functions are called again; they give what they gave.
// - What an observer sends inside its callback belongs to the micro-step after the instant that it was shown. It is kept
//   with the number of that instant, in the order in which it was sent, and a replay sends it in that very callback. So it
//   meets the same other causes of that micro-step as it did, and not what comes after them.
// - Observers of a replay are told what they were told; what they send is not taken, since the log has it.

import FRPCore
import FRPGraph
import FRPRuntime

/// All that came from outside during a run: values of inputs, results of the host's tasks, with their moments.
///
///     let run = try Simulation(program)
///     run.beginLog()
///     …
///     let again = try Simulation(program)
///     try again.replay(run.log)
public struct InputLog: Sendable, Hashable, Codable {
  /// One thing that came.
  public indirect enum Entry: Sendable, Hashable, Codable {
    /// The start instant.
    case start
    /// These happened together, in this order.
    case inputs(at: Int64, [Input])
    /// The task of this number ended with a value, as JSON.
    case ended(at: Int64, task: Int, json: String)
    /// The task of this number ended with an error.
    case failed(at: Int64, task: Int, message: String)
    /// The source of this number was there, and has brought nothing yet.
    case opened(at: Int64, task: Int)
    /// The source of this number was lost, and went on by itself.
    case retrying(at: Int64, task: Int, message: String)
    /// The source of this number brought a value, as JSON.
    case arrived(at: Int64, task: Int, json: String)
    /// The last instant.
    case finish(at: Int64)
    /// An observer did this when it was shown the instant of this number, counted from the log's beginning.
    case answer(instant: Int, Entry)
  }

  /// An occurrence of an event, or a new value of a behavior.
  public struct Input: Sendable, Hashable, Codable {
    /// The input's name.
    public var name: String
    /// Its value as JSON.
    public var json: String

    /// An occurrence or value of an input.
    public init(name: String, json: String) {
      self.name = name
      self.json = json
    }
  }

  /// Oldest first; moments are nanoseconds since the start.
  public var entries: [Entry] = []
  /// Nanoseconds until which the run went.
  public var end: Int64 = 0
  /// What `Date.epoch` gave; nil in logs of old, which had none.
  public var epoch: Double?

  /// A log in which nothing has come yet.
  public init() {}
}

/// What a log counts from, and what a replay still has to do.
struct LogState {
  /// What is kept; nil if nothing is.
  var log: InputLog?
  /// The number of the instant at which the log began.
  var origin = 0
  /// While a log is replayed: what observers did, by the number of the instant that they were shown.
  var answers: [Int: [InputLog.Entry]] = [:]
  /// The number of the instant at which the replay began; nil if there is none.
  var replayOrigin: Int?
  /// Whether what is sent comes from the log that is replayed.
  var isAnswering = false
  /// What went wrong with an answer: the log is of another program.
  var problem: SimulationError?

  var isUsed: Bool { log != nil || replayOrigin != nil }
}

extension Simulation {
  /// From now on keeps what comes from outside. Call it before `start` for a log of the whole run.
  public func beginLog() {
    logState.log = InputLog()
    logState.origin = instantNumber
  }

  /// What came from outside since `beginLog`; empty if that was never called.
  public var log: InputLog {
    var log = logState.log ?? InputLog()
    log.end = reactor.now.nanoseconds
    log.epoch = epoch
    return log
  }

  /// Lets everything of a log happen again, each at its moment; outputs show what they showed. The run must stand where
  /// the logged one stood at its `beginLog`: with the same start values, before its start or restored from a snapshot.
  ///
  /// Observers are told; what they send is not taken, since the log has it. Of faults that happened then, too, none is
  /// thrown: they stand in `faults`. Throws `unknownPort` or `unfit` where the log is of another program.
  public func replay(_ log: InputLog) throws(SimulationError) {
    logState.replayOrigin = instantNumber
    logState.answers = [:]
    logState.problem = nil
    if let moment = log.epoch { epoch = moment }
    for case .answer(let instant, let entry) in log.entries { logState.answers[instant, default: []].append(entry) }
    defer {
      logState.replayOrigin = nil
      logState.answers = [:]
    }
    for entry in log.entries {
      do throws(SimulationError) {
        try replay(entry)
      } catch {
        guard case .fault = error else { throw error }
      }
    }
    reactor.advance(to: log.end)
    if let problem = logState.problem {
      logState.problem = nil
      throw problem
    }
  }

  private func replay(_ entry: InputLog.Entry) throws(SimulationError) {
    switch entry {
    case .start: start()
    case .inputs(let at, let values):
      reactor.advance(to: at)
      try send(values.map { (name: $0.name, json: $0.json) })
    case .ended(let at, let task, let json):
      reactor.advance(to: at)
      if hostTasks[task]?.task.isSource == true {
        try end(task, with: .success(.unit))
      } else {
        try end(task, json: json)
      }
    case .opened(let at, let task):
      reactor.advance(to: at)
      try take(.opened, of: task)
    case .retrying(let at, let task, let message):
      reactor.advance(to: at)
      try take(.retrying(message), of: task)
    case .arrived(let at, let task, let json):
      reactor.advance(to: at)
      try bring(task, json: json)
    case .failed(let at, let task, let message):
      reactor.advance(to: at)
      try take(.ended(.failure(FrpError(message))), of: task)
    case .finish(let at):
      reactor.advance(to: at)
      finish()
    case .answer: break
    }
  }

  /// Inside a callback: does what observers did when they were shown this instant.
  func answerAsLogged() {
    guard let origin = logState.replayOrigin else { return }
    let entries = logState.answers.removeValue(forKey: instantNumber - origin) ?? []
    logState.isAnswering = true
    defer { logState.isAnswering = false }
    for entry in entries {
      do throws(SimulationError) {
        try replay(entry)
      } catch {
        logState.problem = logState.problem ?? error
      }
    }
  }

  /// Whether what is sent now is to be taken: in a replay, an observer's own is not.
  var takesInputs: Bool { logState.replayOrigin == nil || logState.isAnswering || !reactor.isRunning }

  /// Instants so far, over all engines that have run.
  package var instantNumber: Int { formerInstants + reactor.instantCount }

  // MARK: Writing

  func log(_ entry: InputLog.Entry) {
    if logState.log == nil { return }
    let placed = reactor.isRunning ? .answer(instant: instantNumber - logState.origin, entry) : entry
    logState.log?.entries.append(placed)
  }

  func log(_ report: HostReport, _ live: LiveHostTask, _ word: Word) {
    if logState.log == nil { return }
    let (at, task) = (reactor.now.nanoseconds, live.task.id)
    switch report {
    case .opened: log(.opened(at: at, task: task))
    case .retrying(let why): log(.retrying(at: at, task: task, message: why))
    case .item, .items: log(.arrived(at: at, task: task, json: json(word, as: live.result)))
    case .ended(.success):
      log(.ended(at: at, task: task, json: live.task.isSource ? "null" : json(word, as: live.result)))
    case .ended(.failure(let error)): log(.failed(at: at, task: task, message: error.message))
    }
  }

  func log(_ port: Int, _ word: Word) { log([(port, word)]) }

  /// What happens together.
  func log(_ values: [(port: Int, value: Word)]) {
    if logState.log == nil { return }
    let inputs = values.map { port, word in
      InputLog.Input(name: plan.inputs[port].name, json: json(word, as: plan.inputs[port].type))
    }
    log(.inputs(at: reactor.now.nanoseconds, inputs))
  }
}
