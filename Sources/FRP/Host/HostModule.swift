// What a host adds to the language: modules of functions and tasks that are Swift closures.
//
// In:  closures; their types are taken from their parameters and results. Out: a module as the language sees it: a text
// of declarations, which is checked with the program like any other, and a table of what to call.
// Rules
// - A module is seen by its name everywhere (`Geo.distance(a, b)`); `import Geo` is allowed and changes nothing.
// - A function is pure by contract: for equal arguments it gives equal results, and nobody can tell how often it is
//   called. It may throw: that is a fault of the instant, at the place of the call.
// - A task is a description to the program, as `Task.after` is. The closure runs when the task is performed; throwing
//   is `Err`; when its scope goes, it is cancelled.
// - A closure without parameters is a name without parentheses: `Clock.zone`. A declaration says it itself: `zone: String`, or
//   `zone(): String`, which programs call as they call `zone()` of their own.

import FRPBase

/// Functions and tasks of a host, under one name.
///
///     let geo = HostModule("Geo", help: "Places on earth.") {
///       $0.function("distance", "from", "to", help: "Kilometres between two places.") {
///         (from: Place, to: Place) in from.distance(to: to)
///       }
///       $0.task("locate", "address", help: "The place of an address.") {
///         (address: String) async throws in try await server.locate(address)
///       }
///     }
///     let program = Program(source, host: [geo])
public struct HostModule: Sendable {
  /// As programs write it: begins with a capital letter.
  public let name: String
  /// What it is about, for people.
  public let help: String
  /// In the order in which they were added.
  public private(set) var functions: [HostFunction] = []
  /// Declarations of types, without the word `type`.
  public internal(set) var types: [String] = []
  /// Definitions in the language itself, which are checked with the program like those of a file that is imported.
  var definitions = ""
  /// Whether only programs that name the module are compiled with it.
  public var isOnDemand = false
  /// Whether what its tasks and sources do is of the world outside: in simulated time nothing of it is done, and a call
  /// that nobody answers fails.
  public var isOfWorld = false { didSet { for index in functions.indices { functions[index].isOfWorld = isOfWorld } } }

  /// Makes a module; `build` adds its functions.
  public init(_ name: String, help: String = "", _ build: (inout HostModule) -> Void = { _ in }) {
    self.name = name
    self.help = help
    build(&self)
  }

  /// Adds a pure function. `parameters` name its parameters for people who read its signature; the types are those of
  /// the closure. If it throws, the instant that called it faults and is undone.
  public mutating func function<each Argument: FrpConvertible, Output: FrpConvertible>(
    _ name: String, _ parameters: String..., help: String = "", fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (repeat each Argument) throws -> Output
  ) {
    var types: [FrpType] = []
    repeat types.append((each Argument).frpType)
    add(name, parameters, types, Output.frpType, isTask: false, help, "\(fileID):\(line)") { arguments, result in
      var place = 0
      func next<Value: FrpConvertible>(_ type: Value.Type) throws(ConversionFailure) -> Value {
        defer { place += 1 }
        return try arguments.value(place, as: type)
      }
      let output = try body(repeat try next((each Argument).self))
      return .value(try output._word(arguments.bridge, result))
    }
  }

  /// Adds a task: what the closure does begins when a program performs it, and is cancelled when its scope goes. What it
  /// throws is the `message` of the `Err`.
  public mutating func task<each Argument: FrpConvertible, Output: FrpConvertible>(
    _ name: String, _ parameters: String..., help: String = "", fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (repeat each Argument) async throws -> Output
  ) {
    var types: [FrpType] = []
    repeat types.append((each Argument).frpType)
    add(name, parameters, types, Output.frpType, isTask: true, help, "\(fileID):\(line)") { arguments, _ in
      var place = 0
      func next<Value: FrpConvertible>(_ type: Value.Type) throws(ConversionFailure) -> Value {
        defer { place += 1 }
        return try arguments.value(place, as: type)
      }
      let values = (repeat try next((each Argument).self))
      return .operation { HostWorkUnderway({ try await body(repeat each values).frpValue }, $0) }
    }
  }

  /// Adds a task that gives nothing but its end.
  public mutating func task<each Argument: FrpConvertible>(
    _ name: String, _ parameters: String..., help: String = "", fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (repeat each Argument) async throws -> Void
  ) {
    var types: [FrpType] = []
    repeat types.append((each Argument).frpType)
    add(name, parameters, types, .unit, isTask: true, help, "\(fileID):\(line)") { arguments, _ in
      var place = 0
      func next<Value: FrpConvertible>(_ type: Value.Type) throws(ConversionFailure) -> Value {
        defer { place += 1 }
        return try arguments.value(place, as: type)
      }
      let values = (repeat try next((each Argument).self))
      return .operation {
        HostWorkUnderway(
          {
            try await body(repeat each values)
            return .unit
          }, $0)
      }
    }
  }

  private mutating func add(
    _ name: String, _ parameters: [String], _ types: [FrpType], _ result: FrpType, isTask: Bool, _ help: String,
    _ place: String, _ call: @escaping HostFunction.Call
  ) {
    var variables = 0
    let declared = types.enumerated().map { index, type in
      HostFunction.Parameter(
        name: parameters.indices.contains(index) ? parameters[index] : HostFunction.parameterName(index),
        type: type.declared(&variables))
    }
    let output = result.declared(&variables)
    functions.append(
      HostFunction(
        module: self.name, name: name, parameters: declared, result: isTask ? "Task<\(output)>" : output,
        isTask: isTask, help: help, place: place, call: call))
  }

  mutating func add(_ function: HostFunction) {
    functions.append(function)
    functions[functions.count - 1].isOfWorld = isOfWorld
  }
}

/// A function or task of a host, as programs see it.
public struct HostFunction: Sendable {
  /// A parameter: what people call it, and its type as a program writes it.
  public struct Parameter: Sendable, Hashable {
    /// What people call it.
    public var name: String
    /// As a program writes it.
    public var type: String
  }

  /// The module's name.
  public let module: String
  /// Its own name, without the module's.
  public let name: String
  /// In order; none for a name without parentheses, or where nothing stands between them.
  public let parameters: [Parameter]
  /// `Task<…>` for tasks.
  public let result: String
  /// Whether it is a task, which is performed.
  public let isTask: Bool
  /// Whether it is a source, which is listened to.
  public var isSource: Bool { result.hasPrefix("Source<") }
  /// Whether it gives bodies of text, which are decoded to the type that the program uses.
  public var decodes = false
  /// Whether it acts on the world outside (`HostModule.isOfWorld`).
  public internal(set) var isOfWorld = false
  /// What people read about it.
  public let help: String
  /// Where it was registered: `App/Geo.swift:12`.
  public let place: String
  let call: Call
  /// `Geo.distance`
  package let qualifiedName: String

  /// Whether what a source brings first is there before a run starts.
  package internal(set) var isThere = false

  /// Why a call can never do anything, as far as its arguments are known before the program runs.
  var refusal: (@Sendable ([OperationUse.Text]) -> String?)?

  /// Whether its last parameter is given by a second call.
  var isCurried = false

  /// Whether it is declared, and called, with parentheses that have nothing between them.
  var hasEmptyParentheses = false

  init(
    module: String, name: String, parameters: [Parameter], result: String, isTask: Bool, help: String, place: String,
    call: @escaping Call
  ) {
    (self.module, self.name, self.parameters, self.result) = (module, name, parameters, result)
    (self.isTask, self.help, self.place, self.call) = (isTask, help, place, call)
    qualifiedName = "\(module).\(name)"
  }

  /// `distance(from: Place, to: Place): Float`
  public var signature: String {
    let type = isCurried ? "(\(parameters[parameters.count - 1].type)) -> \(result)" : result
    return "\(head): \(type)"
  }

  /// The same without what it gives.
  var head: String {
    let shown = isCurried ? parameters.dropLast() : parameters[...]
    let list = shown.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
    return shown.isEmpty && !hasEmptyParentheses ? name : "\(name)(\(list))"
  }

  /// Whether programs cannot tell one from the other; what parameters are called is for people.
  func isSame(as other: HostFunction) -> Bool {
    identity == other.identity
  }

  /// What `isSame` compares, as a text.
  var identity: String { "\(module).\(name)(\(parameters.map(\.type).joined(separator: ", "))): \(result)" }

  /// What programs write behind its name: `(from, to)`, by the names of the parameters.
  package var shownArguments: String {
    parameters.isEmpty && !hasEmptyParentheses ? "" : "(\(parameters.map(\.name).joined(separator: ", ")))"
  }

  /// The same as it is called, where the last parameter is given by a second call: `(path)(value)`.
  package var shownCalls: String {
    guard isCurried, let last = parameters.last else { return shownArguments }
    return "(\(parameters.dropLast().map(\.name).joined(separator: ", ")))(\(last.name))"
  }

  /// `(from: Place, to: Place) -> Float`, as the types of built-ins are written.
  package var type: String {
    if shownArguments.isEmpty { return result }
    func list(_ some: some Sequence<Parameter>) -> String {
      "(\(some.map { "\($0.name): \($0.type)" }.joined(separator: ", "))) -> "
    }
    return (isCurried ? list(parameters.dropLast()) + list(parameters.suffix(1)) : list(parameters)) + result
  }

  /// What calling it comes to.
  enum Outcome {
    case value(UInt64)
    case operation(HostBegin)
  }

  typealias Call = @Sendable (HostArguments, ValueBridge.ValueType) throws -> Outcome

  /// `a`, `b`, … of those that nobody named.
  static func parameterName(_ index: Int) -> String {
    index < 26 ? String(UnicodeScalar(UInt8(97 + index))) : "a\(index)"
  }
}

extension FrpType {
  /// As an annotation: what is decided value by value becomes a type variable.
  func declared(_ variables: inout Int) -> String {
    switch self {
    case .any, .partial, .coded:
      variables += 1
      return "t\(variables)"
    case .list(let element): return "List<\(element.declared(&variables))>"
    case .option(let value): return "Option<\(value.declared(&variables))>"
    case .map(let key, let value):
      let first = key.declared(&variables)
      return "Map<\(first), \(value.declared(&variables))>"
    case .result(let value, let error):
      let first = value.declared(&variables)
      return "Result<\(first), \(error.declared(&variables))>"
    case .tuple(let elements): return "(\(elements.map { $0.declared(&variables) }.joined(separator: ", ")))"
    case .record(let fields):
      let list = fields.sorted { $0.key < $1.key }.map { "\(fieldText($0.key)): \($0.value.declared(&variables))" }
      return "{\(list.joined(separator: ", "))}"
    default: return text
    }
  }
}
