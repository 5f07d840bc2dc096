// Calling the host's functions from a running program, and the tasks of the host that are under way.
//
// In:  words of one reactor's heap. Out: Swift values for closures, and their results as words.
// Rules
// - A pure function is called in the middle of an instant, where nothing moves: words may be held while it runs.
// - A task is described by one word: which function, and the types of its argument and its result. Its argument is made
//   a Swift value when it begins; nothing of the heap outlives that.
// - Tasks are numbered in the order in which they begin: equal inputs and results begin equal tasks.

import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime

/// The arguments of one call, in the machine's form.
struct HostArguments {
  let bridge: ValueBridge
  let word: Word
  let types: [TypeID]
  let isOne: Bool
  /// Of a task that may begin again.
  var key: HostCallKey?
  /// Of a source that is part of a `reconnect`.
  var isReconnected = false

  init(_ bridge: ValueBridge, _ word: Word, _ type: TypeID, count: Int) {
    self.bridge = bridge
    self.word = word
    isOne = count == 1
    types = count == 1 ? [type] : bridge.elements(of: type)
  }

  private func part(_ place: Int) throws(ConversionFailure) -> (word: Word, type: TypeID) {
    guard types.indices.contains(place) else {
      throw ConversionFailure(expected: "argument \(place + 1)", found: "\(types.count) arguments")
    }
    return (isOne ? word : word.field(place), types[place])
  }

  func value<Value: FrpConvertible>(_ place: Int, as type: Value.Type) throws(ConversionFailure) -> Value {
    let part = try part(place)
    do throws(ConversionFailure) {
      return try Value._value(part.word, bridge, ValueBridge.ValueType(id: part.type))
    } catch {
      throw error.inside("[\(place)]")
    }
  }

  func values() throws(ConversionFailure) -> [FrpValue] {
    var values: [FrpValue] = []
    for place in types.indices { values.append(try value(place, as: FrpValue.self)) }
    return values
  }
}

extension HostArguments {
  /// Calls a function by texts: the arguments as a JSON array, the result as JSON of a type.
  func called(_ name: String, _ result: TypeID, _ body: (String, String) throws -> String) throws -> Word {
    let codec = Codec(bridge.heap)
    var text = StringBuilder()
    text.append("[")
    for place in types.indices {
      if place > 0 { text.append(",") }
      try codec.encodeJSON(isOne ? word : word.field(place), types[place], to: &text)
    }
    text.append("]")
    var answer = try body(name, String(decoding: text.view, as: UTF8.self))
    let word = try answer.withUTF8 { bytes in try codec.decodeJSON(bytes, as: result) }
    guard let word else { throw FrpError("it gave what does not fit: \(codec.problem?.message ?? "no JSON")") }
    return word
  }
}

extension HostTaskKey {
  /// The same function, at the same types, in another program; nil if that has none.
  func heir(of old: Program, in new: Program) -> HostTaskKey? {
    guard let before = old.plan?.core.types, let after = new.plan?.core.types,
      old.host.functions.indices.contains(function)
    else { return nil }
    let mine = old.host.functions[function]
    guard let place = new.host.functions.firstIndex(where: { $0.isSame(as: mine) }),
      let argument = before.counterpart(of: argument, in: after), let result = before.counterpart(of: result, in: after)
    else { return nil }
    return HostTaskKey(function: place, argument: argument, result: result)
  }
}

extension Simulation {
  /// Lets a reactor call the functions of a program's host.
  func connectHost(_ reactor: Reactor, _ program: Program) {
    let functions = program.host.functions
    if functions.isEmpty { return }
    let heap = reactor.heap
    let bridge = ValueBridge(heap)
    reactor.machine.hostCall = { (number, argument, call) throws(Fault) -> Word in
      guard functions.indices.contains(number) else {
        throw Fault(.hostFailed(-1), "this run's host has no function \(number)")
      }
      let function = functions[number]
      if let result = heap.shapes.types.given(call.result) {
        let key = HostTaskKey(function: number, argument: call.a1, result: result)
        guard let word = key.word else { throw Fault(.hostFailed(number), "this program has too many types") }
        return try heap.task(
          .host, Word(int: word), second: argument, references: heap.shapes.isReference(call.a1) ? 0b10 : 0)
      }
      return try Self.call(function, number, argument, call, bridge)
    }
  }

  /// Hears of the host's tasks that a reactor begins, and of how what its ports perform ends, from now on.
  func connectTasks(_ reactor: Reactor, _ program: Program) {
    reactor.bindingEnded = { [weak self] number, message in
      guard let self else { return }
      let binding = plan.bindings[number]
      bindingEnded?(portName(of: binding), binding.isSource, message)
    }
    let functions = program.host.functions
    if functions.isEmpty { return }
    let bridge = ValueBridge(reactor.heap)
    reactor.hostTaskBegins = { [weak self] key, argument, token in
      self?.begin(HostTaskKey(key), argument, token, functions, bridge)
    }
    reactor.hostTaskIsAnswered = { [weak self] key, argument in
      self?.note(HostTaskKey(key), argument, functions, bridge)
    }
    reactor.hostTaskCancelled = { [weak self] token in
      // The run may be going itself.
      guard let self, let id = hostTasks.remove(token) else { return }
      taskCancelled?(id)
    }
    reactor.hostTaskNumbers = { [weak self] in
      self?.hostTasks.byToken ?? [:]
    }
  }

  private static func call(
    _ function: HostFunction, _ number: Int, _ argument: Word, _ call: PrimCall, _ bridge: ValueBridge
  ) throws(Fault) -> Word {
    let arguments = HostArguments(bridge, argument, call.a1, count: function.parameters.count)
    let text: String
    do {
      if case .value(let word) = try function.call(arguments, ValueBridge.ValueType(id: call.result)) { return word }
      text = "it is a task"
    } catch let error as FrpError {
      text = error.message
    } catch {
      text = "\(error)"
    }
    throw Fault(.hostFailed(number), "`\(function.module).\(function.name)` failed: \(text)", at: call.span)
  }

  private func begin(
    _ key: HostTaskKey, _ argument: Word, _ token: TaskToken, _ functions: [HostFunction], _ bridge: ValueBridge
  ) {
    var number = begunTasks + 1
    if let known = reactor.restoredNumbers.removeValue(forKey: token) { number = known } else { begunTasks = number }
    let function = functions.indices.contains(key.function) ? functions[key.function] : nil
    let name = function?.qualifiedName ?? "?"
    var values: [FrpValue] = []
    let start: HostBegin
    do {
      guard let function else { throw FrpError("this run's host has no function \(key.function)") }
      var arguments = HostArguments(bridge, argument, key.argument, count: function.parameters.count)
      arguments.key = self.name.map { HostCallKey(run: $0, number: number, settled: settledCalls) }
      // A source stands under few others, a task perhaps under any number.
      arguments.isReconnected = function.isSource && reactor.isReconnected(token)
      values = try arguments.values()
      guard case .operation(let begin) = try function.call(arguments, ValueBridge.ValueType(id: key.result)) else {
        throw FrpError("`\(name)` is no task")
      }
      start = begin
    } catch {
      start = { HostRefusal(error, $0) }
    }
    let port = reactor.binding(of: token).map { portName(of: plan.bindings[$0]) }
    let task = HostTask(
      id: number, name: name, arguments: values, isSource: function?.isSource ?? false, port: port,
      isAnsweredElsewhere: function?.isOfWorld == true && isAnswered != nil,
      isThere: function?.isThere ?? false, start: start)
    hostTasks.insert(
      LiveHostTask(
        task: task, token: token, result: key.result, reactor.heap, decodes: function?.decodes ?? false))
    taskBegan?(task)
    if task.isAnsweredElsewhere, isAnswered?(task) != true { leaveUnanswered(task) }
  }

  /// Nobody answers a call of the world in simulated time: a sink's ends well, the source of an input is as if it were not
  /// there, and anything else is an error.
  private func leaveUnanswered(_ task: HostTask) {
    guard let token = hostTasks[task.id]?.token else { return }
    if task.port != nil { return task.isSource ? () : reactor.endSink(of: token) }
    guard let error = try? bridge.error("simulated time: nobody answers \(task.name)") else { return }
    hostTasks.remove(task.id)
    reactor.tell(.failed, of: token, value: error, isReference: true)
  }

  /// A call that something in the program answers.
  private func note(_ key: HostTaskKey, _ argument: Word, _ functions: [HostFunction], _ bridge: ValueBridge) {
    guard let tell = callAnswered, functions.indices.contains(key.function) else { return }
    let function = functions[key.function]
    let arguments = HostArguments(bridge, argument, key.argument, count: function.parameters.count)
    tell(function.qualifiedName, (try? arguments.values()) ?? [])
  }

  private func portName(of binding: CoreBinding) -> String {
    switch binding.kind {
    case .source(let port): plan.inputs[port].name
    case .sink(let name): name
    }
  }

  /// The host's tasks under way, oldest first. A `Session` runs them by itself; who owns a simulation does it like this:
  /// `for task in run.tasks { try run.end(task.id, with: await task.run()) }`.
  public var tasks: [HostTask] { hostTasks.inOrder.map(\.task) }

  /// What has ended so far never begins again: its host has kept that it has ended. Cost: O(tasks under way).
  package func settleCalls() {
    settledCalls = (hostTasks.oldestCall ?? begunTasks + 1) - 1
  }

  /// Says how a task of the host has ended, at the present time: one instant, and all that it causes. A task that was
  /// cancelled meanwhile is ignored. Throws `unfit` if the value is not of the task's type (the task then goes on), and
  /// `fault` if the instant faulted.
  public func end(_ task: HostTask.ID, with result: Result<FrpValue, FrpError>) throws(SimulationError) {
    try take(.ended(result.map(HostAnswer.value)), of: task)
  }

  /// What a task or source of the host reports happens, at the present time: one instant, and all that it causes. What was
  /// cancelled meanwhile is ignored. Throws `unfit` if a value is not of the declared type, or a body not of that which the
  /// program uses: the task or source then goes on as if nothing had been said.
  public func take(_ report: HostReport, of task: HostTask.ID) throws(SimulationError) {
    if case .items(let bodies) = report { return try take(bodies, of: task) }
    guard takesInputs, let live = hostTasks[task] else { return }
    settle()
    let news: (HostNews, Word, Bool)
    switch report {
    case .opened, .items: news = (.opened, Word.unit, false)
    case .retrying(let why):
      let word = try made { () throws(ConversionFailure) in try bridge.word(.text(why), .string) }
      news = (.retrying, word, true)
    case .item(let answer, _):
      news = (.item, try word(of: answer, as: live.result, isItem: true), reactor.heap.shapes.isReference(live.result))
    case .ended(.success(let answer)):
      let word = live.task.isSource ? Word.unit : try word(of: answer, as: live.result, isItem: false)
      news = (.ok, word, !live.task.isSource && reactor.heap.shapes.isReference(live.result))
    case .ended(.failure(let error)):
      news = (.failed, try made { () throws(ConversionFailure) in try bridge.error(error.message) }, true)
    }
    if case .ended = report { hostTasks.remove(task) }
    log(report, live, news.1)
    try tell(news.0, live, news.1, isReference: news.2)
  }

  private func tell(_ news: HostNews, _ live: LiveHostTask, _ value: Word, isReference: Bool) throws(SimulationError) {
    let before = reactor.faultCount
    reactor.tell(news, of: live.token, value: value, isReference: isReference)
    if reactor.faultCount != before, let lastFault { throw .fault(lastFault) }
  }

  /// Many values, each in an instant of its own, whatever becomes of the others; throws what was wrong first.
  private func take(_ bodies: HostBodies, of task: HostTask.ID) throws(SimulationError) {
    var problem: SimulationError?
    for item in bodies.items {
      do throws(SimulationError) { try take(item, of: task) } catch { problem = problem ?? error }
    }
    if let problem { throw problem }
  }

  /// The same as an item with these bytes, which belong to the caller; gives what does not fit. For many small ones.
  package func take(text: UnsafeBufferPointer<UInt8>, of task: HostTask.ID) -> String? {
    guard takesInputs, let live = hostTasks[task] else { return nil }
    // Each look at a property that may change costs as much as the rest of this.
    let reactor = reactor
    if reactor.hasCaused { settle() }
    if live.isText, logState.log == nil, isUTF8(text), let word = try? reactor.heap.string(text) {
      reactor.tell(.item, of: live.token, value: word, isReference: true)
      return nil
    }
    do throws(SimulationError) {
      let word = try self.word(ofBytes: text, as: live.result, isItem: true)
      if logState.log != nil { log(.item(.value(.unit)), live, word) }
      try tell(.item, live, word, isReference: reactor.heap.shapes.isReference(live.result))
    } catch {
      if case .unfit = error { return (live.task.file ?? "body") + error.behindSubject }
    }
    return nil
  }

  /// An answer as a value of the type that the program waits for.
  func word(of answer: HostAnswer, as type: TypeID, isItem: Bool) throws(SimulationError) -> Word {
    switch answer {
    case .value(let value): return try made { () throws(ConversionFailure) in try bridge.word(value, type) }
    case .body(let text): return try body(text, as: type, isItem: isItem)
    case .bytes(let bytes):
      return try bytes.withUnsafeBufferPointer { bytes throws(SimulationError) in
        try word(ofBytes: bytes, as: type, isItem: isItem)
      }
    case .json(let text): return try decode(text, as: type)
    case .unfit(let why): throw .unfit(column: 0, path: "", message: why)
    case .csv(let text):
      if reactor.heap.shapes.types[type] == .string { return try body(text, as: type, isItem: isItem) }
      return try decoded(text) { (codec, bytes) throws(Fault) in
        try codec.decodeCSVList(bytes, as: type, form: CSVForm())
      }
    }
  }

  private func made(_ body: () throws(ConversionFailure) -> Word) throws(SimulationError) -> Word {
    do throws(ConversionFailure) { return try body() } catch { throw .unfit(error) }
  }

  /// A body of text as a String.
  private func body(_ text: String, as type: TypeID, isItem: Bool) throws(SimulationError) -> Word {
    var text = text
    return try text.withUTF8 { bytes in
      Result { () throws(SimulationError) in try body(bytes, as: type, isItem: isItem) }
    }.get()
  }

  /// One of bytes that may be anything.
  private func word(ofBytes bytes: Bytes, as type: TypeID, isItem: Bool) throws(SimulationError) -> Word {
    if isUTF8(bytes) { return try body(bytes, as: type, isItem: isItem) }
    // As a line of an input is.
    if isItem, reactor.heap.shapes.types[type] == .string {
      throw .unfit(column: 1, path: "", message: "these bytes are not UTF-8")
    }
    return try body(String(decoding: bytes, as: UTF8.self), as: type, isItem: isItem)
  }

  /// A body of text: a String as it is, `()` whatever it is, anything else as JSON; an item may be the Result of that.
  private func body(_ text: Bytes, as type: TypeID, isItem: Bool) throws(SimulationError) -> Word {
    guard case .variant(.result, let parts) = reactor.heap.shapes.types[type], isItem, bridge.isError(parts[1]) else {
      return try decodeBody(text, as: type)
    }
    do throws(SimulationError) {
      let word = try decodeBody(text, as: parts[0])
      return try made { () throws(ConversionFailure) in try bridge.result(word, type, isOk: true) }
    } catch {
      let message = error.behindSubject
      return try made { () throws(ConversionFailure) in
        try bridge.result(try bridge.error("body\(message)"), type, isOk: false)
      }
    }
  }

  /// A byte order mark before JSON is no part of it; of a String it is.
  private func decodeBody(_ text: Bytes, as type: TypeID) throws(SimulationError) -> Word {
    let isMarked = text.starts(with: [0xEF, 0xBB, 0xBF]) && reactor.heap.shapes.types[type] != .string
    let text = isMarked ? Bytes(rebasing: text[3...]) : text
    do throws(Fault) { if let word = try codec.decodeBody(text, as: type) { return word } } catch {}
    throw unfit
  }

  private func decoded(
    _ text: String, _ decode: (Codec, Bytes) throws(Fault) -> Word?
  ) throws(SimulationError) -> Word {
    var text = text
    let result: Result<Word?, Fault> = text.withUTF8 { bytes in
      do throws(Fault) { return .success(try decode(codec, bytes)) } catch { return .failure(error) }
    }
    if case .success(let word?) = result { return word }
    throw unfit
  }

  /// What the codec has just found.
  var unfit: SimulationError {
    let problem = codec.problem
    return .unfit(
      column: problem?.column ?? 1, path: problem?.path ?? "", message: problem?.message ?? "out of memory")
  }

  /// The same with what `HostTask.run` gave.
  @_disfavoredOverload
  public func end(_ task: HostTask.ID, with result: Result<HostAnswer, FrpError>) throws(SimulationError) {
    try take(.ended(result), of: task)
  }

  /// The same with a value as JSON of the task's type.
  public func end(_ task: HostTask.ID, json: String) throws(SimulationError) {
    try end(task, with: .success(try value(json, of: task)))
  }

  /// A source of the host brings a value, as JSON of its type.
  public func bring(_ task: HostTask.ID, json: String) throws(SimulationError) {
    try take(.item(.value(try value(json, of: task))), of: task)
  }

  private func value(_ json: String, of task: HostTask.ID) throws(SimulationError) -> FrpValue {
    guard let live = hostTasks[task] else { return .unit }
    settle()
    let word = try decode(json, as: live.result)
    do throws(ConversionFailure) { return try bridge.value(word, live.result) } catch {
      throw .unfit(column: 1, path: error.path, message: error.message)
    }
  }

  /// Whether a task or source of this number is under way.
  package func isUnderway(_ task: HostTask.ID) -> Bool { hostTasks[task] != nil }

  /// Whether a task or source under way gives bodies of text; nil if it is not under way.
  package func decodes(_ task: HostTask.ID) -> Bool? { hostTasks[task]?.decodes }

  /// An answer as a recording has it: a text where that is decoded, else JSON, in which bodies of text are as the program reads
  /// them. Nil where it does not fit.
  package func recording(of answer: HostAnswer, of task: HostTask.ID) -> String? {
    switch answer {
    case .body(let text), .csv(let text): return jsonString(text)
    case .unfit: return nil
    case .bytes(let bytes):
      let isLine = hostTasks[task].map { $0.task.isSource && $0.isText } ?? false
      if isLine, String(validating: bytes, as: UTF8.self) == nil { return nil }
      return jsonString(String(decoding: bytes, as: UTF8.self))
    case .value, .json:
      guard let live = hostTasks[task] else { return nil }
      if live.task.isSource, case .value(.unit) = answer { return "null" }
      settle()
      return (try? word(of: answer, as: live.result, isItem: true)).map { json($0, as: live.result) }
    }
  }

  /// The value that a recording has in the place of an answer. Throws `unfit`.
  package func recorded(_ json: String, of task: HostTask.ID) throws(SimulationError) -> FrpValue {
    if hostTasks[task]?.task.isSource == true, json == "null" { return .unit }
    return try value(json, of: task)
  }
  /// Runs what is already caused, so that a value made next is a root before anything is collected.
  func settle() { if reactor.hasCaused { reactor.advance(to: reactor.now.nanoseconds) } }

  /// Another reactor has taken over: it goes on with some of the old one's tasks; what the others do is of no use.
  func keepHostTasks(_ next: Reactor) {
    let all = hostTasks.inOrder
    let heirs = Dictionary(next.resumedHostTasks.map { ($0.before, $0) }) { first, _ in first }
    hostTasks = LiveHostTasks()
    var dropped: [HostTask.ID] = []
    for live in all {
      if let heir = heirs[live.token] {
        hostTasks.insert(
          LiveHostTask(
            task: live.task, token: heir.now, result: HostTaskKey(heir.function).result, next.heap,
            decodes: live.decodes))
      } else {
        dropped.append(live.task.id)
      }
    }
    for id in dropped { taskCancelled?(id) }
  }
}

extension TypeTable {
  /// What a task of a type gives, or a source brings; nil for other types.
  fileprivate func given(_ type: TypeID) -> TypeID? {
    switch self[type] {
    case .task(let result), .source(let result): result
    default: nil
    }
  }
}

extension ValueBridge {
  func isError(_ type: TypeID) -> Bool {
    if case .record(let fields) = heap.shapes.types[type] { fields == [FieldType("message", .string)] } else { false }
  }

  /// `Ok` or `Err` of a word.
  func result(_ word: Word, _ type: TypeID, isOk: Bool) throws(ConversionFailure) -> Word {
    do throws(Fault) { return try heap.construct(type, tag: isOk ? 0 : 1, field: word) } catch {
      throw ConversionFailure(expected: "a value within the memory limit", found: "a larger one")
    }
  }

  /// The parts of a tuple.
  func elements(of type: TypeID) -> [TypeID] {
    if case .tuple(let elements) = heap.shapes.types[type] { return elements }
    return []
  }

  /// The record `{message: String}`.
  func error(_ message: String) throws(ConversionFailure) -> Word {
    do throws(Fault) { return try heap.error(message) } catch {
      throw ConversionFailure(expected: "a value within the memory limit", found: "a larger one")
    }
  }
}
