// What came from outside, in order: a run that is given the same goes the same way, without its host.
//
// The results of the host's tasks are inputs like any other: a replay does not call the host again for them. Pure
// functions are called again; they give what they gave.

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
  public enum Entry: Sendable, Hashable, Codable {
    /// The start instant.
    case start
    /// These happened together, as JSON by the input's name.
    case inputs(at: Int64, [String: String])
    /// The task of this number ended with a value, as JSON.
    case ended(at: Int64, task: Int, json: String)
    /// The task of this number ended with an error.
    case failed(at: Int64, task: Int, message: String)
    /// The last instant.
    case finish(at: Int64)
  }

  /// Oldest first; moments are nanoseconds since the start.
  public var entries: [Entry] = []
  /// Nanoseconds until which the run went.
  public var end: Int64 = 0

  /// A log in which nothing has come yet.
  public init() {}
}

extension Simulation {
  /// From now on keeps what comes from outside. Call it before `start` for a log of the whole run.
  public func beginLog() { inputLog = InputLog() }

  /// What came from outside since `beginLog`; empty if that was never called.
  public var log: InputLog {
    var log = inputLog ?? InputLog()
    log.end = reactor.now.nanoseconds
    return log
  }

  /// Lets everything of a log happen again, each at its moment; outputs show what they showed. Of faults that happened
  /// then, too, none is thrown: they stand in `faults`. Throws `unknownPort` or `unfit` where the log is of another
  /// program.
  public func replay(_ log: InputLog) throws(SimulationError) {
    for entry in log.entries {
      do throws(SimulationError) {
        try replay(entry)
      } catch {
        guard case .fault = error else { throw error }
      }
    }
    reactor.advance(to: log.end)
  }

  private func replay(_ entry: InputLog.Entry) throws(SimulationError) {
    switch entry {
    case .start: start()
    case .inputs(let at, let values):
      reactor.advance(to: at)
      try send(values.sorted { $0.key < $1.key }.map { (name: $0.key, json: $0.value) })
    case .ended(let at, let task, let json):
      reactor.advance(to: at)
      try end(task, json: json)
    case .failed(let at, let task, let message):
      reactor.advance(to: at)
      try end(task, with: .failure(FrpError(message)))
    case .finish(let at):
      reactor.advance(to: at)
      finish()
    }
  }

  // MARK: Writing

  func log(_ task: Int, _ result: Result<FrpValue, FrpError>, _ type: TypeID) {
    if inputLog == nil { return }
    let at = reactor.now.nanoseconds
    switch result {
    case .success(let value):
      if let word = try? bridge.word(value, type) {
        inputLog?.entries.append(.ended(at: at, task: task, json: json(word, as: type)))
      }
    case .failure(let error): inputLog?.entries.append(.failed(at: at, task: task, message: error.message))
    }
  }

  func log(_ port: Int, _ word: Word) {
    let input = plan.inputs[port]
    inputLog?.entries.append(.inputs(at: reactor.now.nanoseconds, [input.name: json(word, as: input.type)]))
  }
}
