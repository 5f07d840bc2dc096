// Calling the host's functions from a running program, and the tasks of the host that are under way.
//
// In:  words of one reactor's heap. Out: Swift values for closures, and their results as words.
// Rules
// - A pure function is called in the middle of an instant, where nothing moves: words may be held while it runs.
// - A task is described by one word: which function, and the types of its argument and its result. Its argument is made
//   a Swift value when it begins; nothing of the heap outlives that.
// - Tasks are numbered in the order in which they begin: equal inputs and results begin equal tasks.

import FRPCore
import FRPGraph
import FRPRuntime

/// The arguments of one call, in the machine's form.
struct HostArguments {
  let bridge: ValueBridge
  let word: Word
  let types: [TypeID]
  let isOne: Bool

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

/// A task of the host that a program performs.
public struct HostTask: Sendable, Identifiable {
  /// Its number in its run, by the order in which they begin, from 1.
  public let id: Int
  /// `Geo.locate`.
  public let name: String
  /// What the program gave it.
  public let arguments: [FrpValue]
  let work: @Sendable () async throws -> FrpValue

  /// Does it; what the closure throws is the error's message.
  public func run() async -> Result<FrpValue, FrpError> {
    do {
      return .success(try await work())
    } catch let error as FrpError {
      return .failure(error)
    } catch {
      return .failure(FrpError("\(error)"))
    }
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

/// A task of the host under way: how the reactor knows it, and the type of what it gives.
struct LiveHostTask {
  var task: HostTask
  var token: TaskToken
  var result: TypeID
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
      if case .task(let result) = heap.shapes.types[call.result] {
        let key = HostTaskKey(function: number, argument: call.a1, result: result)
        guard let word = key.word else { throw Fault(.hostFailed(number), "this program has too many types") }
        return try heap.task(
          .host, Word(int: word), argument, references: heap.shapes.isReference(call.a1) ? 0b10 : 0)
      }
      return try Self.call(function, number, argument, call, bridge)
    }
  }

  /// Hears of the host's tasks that a reactor begins, from now on.
  func connectTasks(_ reactor: Reactor, _ program: Program) {
    let functions = program.host.functions
    if functions.isEmpty { return }
    let bridge = ValueBridge(reactor.heap)
    reactor.hostTaskBegins = { [weak self] key, argument, token in
      self?.begin(HostTaskKey(key), argument, token, functions, bridge)
    }
    reactor.hostTaskCancelled = { [weak self] token in
      // The run may be going itself.
      guard let self, let place = hostTasks.firstIndex(where: { $0.token == token }) else { return }
      let id = hostTasks.remove(at: place).task.id
      taskCancelled?(id)
    }
    reactor.hostTaskNumbers = { [weak self] in
      Dictionary((self?.hostTasks ?? []).map { ($0.token, $0.task.id) }) { first, _ in first }
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
    let name = function.map { "\($0.module).\($0.name)" } ?? "?"
    var values: [FrpValue] = []
    let work: @Sendable () async throws -> FrpValue
    do {
      guard let function else { throw FrpError("this run's host has no function \(key.function)") }
      let arguments = HostArguments(bridge, argument, key.argument, count: function.parameters.count)
      values = try arguments.values()
      guard case .work(let body) = try function.call(arguments, ValueBridge.ValueType(id: key.result)) else {
        throw FrpError("`\(name)` is no task")
      }
      work = body
    } catch {
      work = { throw error }
    }
    let task = HostTask(id: number, name: name, arguments: values, work: work)
    hostTasks.append(LiveHostTask(task: task, token: token, result: key.result))
    taskBegan?(task)
  }

  /// The host's tasks under way, oldest first. A `Session` runs them by itself; who owns a simulation does it like this:
  /// `for task in run.tasks { try run.end(task.id, with: await task.run()) }`.
  public var tasks: [HostTask] { hostTasks.map(\.task) }

  /// Says how a task of the host has ended, at the present time: one instant, and all that it causes. A task that was
  /// cancelled meanwhile is ignored. Throws `unfit` if the value is not of the task's type (the task then goes on), and
  /// `fault` if the instant faulted.
  public func end(_ task: HostTask.ID, with result: Result<FrpValue, FrpError>) throws(SimulationError) {
    guard takesInputs, let live = hostTasks.first(where: { $0.task.id == task }) else { return }
    settle()
    let word: Word
    let isReference: Bool
    do throws(ConversionFailure) {
      switch result {
      case .success(let value):
        word = try bridge.word(value, live.result)
        isReference = reactor.heap.shapes.isReference(live.result)
      case .failure(let error):
        word = try bridge.error(error.message)
        isReference = true
      }
    } catch {
      throw .unfit(column: 1, path: error.path, message: "expected \(error.expected), found \(error.found)")
    }
    hostTasks.removeAll { $0.task.id == task }
    log(task, result, live.result)
    let before = reactor.faultCount
    if case .success = result {
      reactor.endHostTask(live.token, isOk: true, word, isReference: isReference)
    } else {
      reactor.endHostTask(live.token, isOk: false, word, isReference: true)
    }
    if reactor.faultCount != before, let lastFault { throw .fault(lastFault) }
  }

  /// The same with a value as JSON of the task's type.
  public func end(_ task: HostTask.ID, json: String) throws(SimulationError) {
    guard let live = hostTasks.first(where: { $0.task.id == task }) else { return }
    settle()
    let word = try decode(json, as: live.result)
    let value: FrpValue
    do throws(ConversionFailure) {
      value = try bridge.value(word, live.result)
    } catch {
      throw .unfit(column: 1, path: error.path, message: error.message)
    }
    try end(task, with: .success(value))
  }

  /// Runs what is already caused, so that a value made next is a root before anything is collected.
  func settle() { if reactor.hasCaused { reactor.advance(to: reactor.now.nanoseconds) } }

  /// Another reactor has taken over: it goes on with some of the old one's tasks; what the others do is of no use.
  func keepHostTasks(_ next: Reactor) {
    let all = hostTasks
    hostTasks = []
    var dropped: [HostTask.ID] = []
    for var live in all {
      if let heir = next.resumedHostTasks.first(where: { $0.before == live.token }) {
        live.token = heir.now
        live.result = HostTaskKey(heir.function).result
        hostTasks.append(live)
      } else {
        dropped.append(live.task.id)
      }
    }
    for id in dropped { taskCancelled?(id) }
  }
}

extension ValueBridge {
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
