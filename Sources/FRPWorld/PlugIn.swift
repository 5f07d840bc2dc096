// A plug-in: a module whose tasks and sources are done by a program of its own, in any language.
//
// In: the program. `PROGRAM describe` writes the module's declarations, as `HostModule.interface` has them, and ends. `PROGRAM`
// alone reads and writes JSON, an object a line:
//
//     {"begin":7,"call":"send","args":["orders",{"id":1}]}    from the run; numbers count from 1
//     {"end":7,"ok":VALUE}    {"end":7,"err":"a sentence"}     from the plug-in; of a source, `ok` may be missing
//     {"item":7,"value":VALUE}                                 what a source brings
//     {"cancel":7}                                             from the run: nobody waits for it any more
//
// Rules
// - It is started at the first call, and again at the next one where it has ended. The end of its input is the end of the run.
// - When it ends, or says what is none of this, everything that it had under way fails with a sentence.
// - A source that is paused holds back the plug-in: its lines are not read.
// - Whoever names it on the command line grants it; what it does is not confined.

import FRP
import FRPBase
import FRPIO

/// Programs as modules of the language.
public enum PlugIn {
  private static let patience = 10
  private static let describingLimit = 1 << 20

  /// The module that a program describes. Throws a sentence.
  public static func module(_ name: String, program: String) throws(FrpError) -> HostModule {
    if World.names.contains(name) { throw FrpError("the plug-in \(program): there is a module \(name) already") }
    let processes = try processes()
    let text = try describe(name, program, processes)
    let described = HostModule(name, interface: text, file: "\(program) describe")
    if let mistake = described.mistake {
      throw FrpError("\(mistake.declaration.place): `\(mistake.declaration.signature)`: \(mistake.reason)")
    }
    let process = PlugInProcess(name, program, processes)
    var module = HostModule(name, help: described.help)
    for type in described.types { module.type(type) }
    for function in described.functions {
      if !function.isTask && !function.isSource {
        throw FrpError("\(function.place): `\(function.qualifiedName)` is neither a Task nor a Source")
      }
      module.operation(function.signature, help: function.help) { call in
        let arguments = call.arguments.map(\.json).joined(separator: ",")
        return { process.begin(function.name, arguments, isSource: function.isSource, $0) }
      }
    }
    (module.isOnDemand, module.isOfWorld) = (true, true)
    return module
  }

  private static func processes() throws(FrpError) -> Processes {
    do throws(IOError) { return Processes(try Access(Grants())) } catch { throw FrpError(error.message) }
  }

  private static func describe(_ name: String, _ program: String, _ processes: Processes) throws(FrpError) -> String {
    let result: ProcessResult
    do throws(IOError) {
      result = try processes.ask(program, ["describe"], within: patience, limit: describingLimit)
    } catch { throw FrpError("the plug-in \(name): \(error.message)") }
    let last = result.err.split(separator: 0x0A).last.map { ": " + String(decoding: $0, as: UTF8.self) } ?? ""
    if result.status != 0 {
      throw FrpError("the plug-in \(name): `\(program) describe` ended with status \(result.status)\(last)")
    }
    guard let text = String(validating: result.out, as: UTF8.self) else {
      throw FrpError("the plug-in \(name): what `\(program) describe` writes is not UTF-8")
    }
    return text
  }
}

/// A call or source that a plug-in does. On the loop's thread, but for what its host says.
private final class PlugInCall: HostUnderway, @unchecked Sendable {
  let name: String
  let arguments: String
  let isSource: Bool
  let report: @Sendable (HostReport) -> Void
  private let process: PlugInProcess
  /// 0 before it has begun.
  var number = 0
  var isCancelled = false
  var isPaused = false

  init(
    _ process: PlugInProcess, _ name: String, _ arguments: String, isSource: Bool,
    _ report: @escaping @Sendable (HostReport) -> Void
  ) {
    (self.process, self.name, self.arguments, self.isSource) = (process, name, arguments, isSource)
    self.report = report
  }

  func cancel() { IOLoop.shared.run { self.process.cancel(self) } }
  func pause() { IOLoop.shared.run { self.process.set(self, isPaused: true) } }
  func resume() { IOLoop.shared.run { self.process.set(self, isPaused: false) } }
}

/// The program of a plug-in, while it runs, and what it has under way.
private final class PlugInProcess: Sendable {
  private struct State {
    var conversation: Conversation?
    /// Which one it is: what a former one says is not heard.
    var generation = 0
    var calls: [Int: PlugInCall] = [:]
    var last = 0
    var paused = 0
    /// What is said while it does not read.
    var unread = 0
  }

  private let name: String
  private let program: String
  private let processes: Processes
  private let state = LoopLocal(State())
  /// What a plug-in that does not read is told before it is given up.
  private static let unreadLimit = 64 << 20

  init(_ name: String, _ program: String, _ processes: Processes) {
    (self.name, self.program, self.processes) = (name, program, processes)
  }

  func begin(
    _ function: String, _ arguments: String, isSource: Bool, _ report: @escaping @Sendable (HostReport) -> Void
  ) -> any HostUnderway {
    let call = PlugInCall(self, function, arguments, isSource: isSource, report)
    IOLoop.shared.run { self.begin(call) }
    return call
  }

  private func begin(_ call: PlugInCall) {
    if call.isCancelled { return }
    let conversation = conversation()
    let number = state.with { state in
      state.last += 1
      state.calls[state.last] = call
      return state.last
    }
    call.number = number
    say("{\"begin\":\(number),\"call\":\(jsonString(call.name)),\"args\":[\(call.arguments)]}\n", conversation)
  }

  private func conversation() -> Conversation {
    if let running = state.with({ $0.conversation }) { return running }
    let generation = state.with { state in
      state.generation += 1
      return state.generation
    }
    let begun = processes.converse(
      program, [], item: { [weak self] in self?.take($0, generation) },
      end: { [weak self] in self?.ended($0, generation) })
    begun.onRoom { [weak self] in self?.state.with { $0.unread = 0 } }
    state.with { ($0.conversation, $0.unread) = (begun, 0) }
    return begun
  }

  private func say(_ line: String, _ conversation: Conversation) {
    let bytes = Array(line.utf8)
    if conversation.send(bytes) { return }
    let unread = state.with { state in
      state.unread += bytes.count
      return state.unread
    }
    if unread > Self.unreadLimit { giveUp("it does not read what it is told") }
  }

  func cancel(_ call: PlugInCall) {
    call.isCancelled = true
    set(call, isPaused: false)
    guard state.with({ $0.calls.removeValue(forKey: call.number) }) != nil else { return }
    if let conversation = state.with({ $0.conversation }) { say("{\"cancel\":\(call.number)}\n", conversation) }
  }

  func set(_ call: PlugInCall, isPaused: Bool) {
    if call.isPaused == isPaused || (isPaused && call.isCancelled) { return }
    call.isPaused = isPaused
    let (conversation, isHeld) = state.with { state in
      state.paused += isPaused ? 1 : -1
      return (state.conversation, state.paused > 0)
    }
    if isHeld { conversation?.pause() } else { conversation?.resume() }
  }

  // MARK: What it says

  private func take(_ batch: LineBatch, _ generation: Int) {
    for line in batch.lines where state.with({ $0.generation == generation && $0.conversation != nil }) { take(line) }
    if batch.dropped > 0, state.with({ $0.generation == generation }) { giveUp("it says a line of more than 64 MiB") }
  }

  private func take(_ line: [UInt8]) {
    guard let text = String(validating: line, as: UTF8.self) else { return giveUp("what it says is not UTF-8") }
    let fields = JSONParts.object(text) ?? []
    func value(_ name: String) -> String? { fields.first { $0.name == name }?.json }
    if let number = value("end").flatMap({ Int($0) }) {
      return end(number, ok: value("ok"), error: value("err").flatMap(JSONParts.string), text)
    }
    if let number = value("item").flatMap({ Int($0) }), let json = value("value") {
      guard let call = call(number, text) else { return }
      return call.isSource ? call.report(.item(.json(json))) : misspoke(text)
    }
    misspoke(text)
  }

  /// One under way; nil where it is over or cancelled, which is not the plug-in's mistake.
  private func call(_ number: Int, _ text: String) -> PlugInCall? {
    if number < 1 || number > state.with({ $0.last }) { misspoke(text) }
    return state.with { $0.calls[number] }
  }

  private func end(_ number: Int, ok: String?, error: String?, _ text: String) {
    guard let call = call(number, text) else { return }
    if ok == nil, error == nil, !call.isSource { return misspoke(text) }
    state.with { $0.calls[number] = nil }
    set(call, isPaused: false)
    if let error { return call.report(.ended(.failure(FrpError(error)))) }
    call.report(.ended(.success(call.isSource ? .value(.unit) : .json(ok ?? "null"))))
  }

  private func misspoke(_ text: String) {
    let start = text.prefix(60)
    giveUp("it says what is no answer: \(start)\(start.count < text.count ? "…" : "")")
  }

  // MARK: Its end

  private func ended(_ result: Result<Void, IOError>, _ generation: Int) {
    if state.with({ $0.generation != generation || $0.conversation == nil }) { return }
    switch result {
    case .success: giveUp("\(program) has ended")
    case .failure(let error): giveUp(error.message)
    }
  }

  /// Everything that is under way fails, and the program is ended; the next call starts it again.
  private func giveUp(_ reason: String) {
    let former = state.with { state in
      defer { (state.conversation, state.calls, state.paused) = (nil, [:], 0) }
      return state
    }
    former.conversation?.cancel()
    for (_, call) in former.calls.sorted(by: { $0.key < $1.key }) {
      (call.isCancelled, call.isPaused) = (true, false)
      call.report(.ended(.failure(FrpError("the plug-in \(name): \(reason)"))))
    }
  }
}
