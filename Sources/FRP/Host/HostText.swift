// Host modules as texts: what the compiler reads, and what tools without the host read.
//
// The interface is a declaration a line, as a program would write it, with its documentation:
//
//     /// Kilometres between two places.
//     distance(from: {lat: Float, lon: Float}, to: {lat: Float, lon: Float}): Float
//
// The compiler's text has the same lines with bodies.

import FRPBase
import FRPSema

extension HostModule {
  /// The module's declarations, a line each, with their documentation: what `frp check --host` and editors read.
  public var interface: String {
    var lines: [String] = []
    for line in documentation(help, mark: "//") { lines.append(line) }
    lines += types.map { "type \($0)" }
    if !definitions.isEmpty { lines.append(definitions) }
    for function in functions { lines += documentation(function.help, mark: "///") + [function.signature] }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A module as tools know it that do not have its host: calling a function is a fault, performing a task an `Err`.
  /// `text` is what `interface` gave; `file` is where it was read from, for people. Lines that are no declarations are
  /// errors of the program that uses the module.
  public init(_ name: String, interface text: String, file: String = "") {
    self.init(
      name, interface: text, file: file,
      each: { function in
        let message = "nobody provides `\(name).\(function)` here"
        return { _, _ in throw FrpError(message) }
      })
  }

  /// A module whose functions are called with their arguments as a JSON array, and give JSON: for hosts in other
  /// languages. Its tasks are ended by the host: see `Simulation.end(_:json:)`.
  package init(
    _ name: String, interface text: String,
    calling body: @escaping @Sendable (_ function: String, _ arguments: String) throws -> String
  ) {
    self.init(
      name, interface: text,
      each: { function in { arguments, result in .value(try arguments.called(function, result.id, body)) } })
  }

  private init(
    _ name: String, interface text: String, file: String = "", each call: (String) -> HostFunction.Call
  ) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(\.trimmingSpaces)
    let about = lines.prefix { $0.hasPrefix("//") && !$0.hasPrefix("///") }.map { $0.dropFirst(2).trimmingSpaces }
    self.init(name, help: about.joined(separator: "\n"))
    var help: [String] = []
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("type ") {
        type(String(line.dropFirst(5)))
      } else if line.hasPrefix("///") {
        help.append(line.dropFirst(3).trimmingSpaces)
      } else if !line.isEmpty, !line.hasPrefix("//") {
        let place = file.isEmpty ? "" : "\(file):\(index + 1)"
        add(
          HostFunction(module: name, declaration: line, help: help.joined(separator: "\n"), place: place, answer: call))
        help = []
      }
    }
  }

  /// What keeps programs from using it, in words, with the place where it was registered: for a test of the host's own.
  /// Empty if all of it can be used. Cost: a small compilation for each function.
  public var mistakes: [String] {
    allMistakes.map { function, reason in
      "\(function.place.isEmpty ? "" : "\(function.place): ")`\(name).\(function.name)`: \(reason)"
    }
  }

  /// The first of its declarations that cannot be used, and why; nil if all can be.
  package var mistake: (declaration: HostFunction, reason: String)? { allMistakes.first }

  private var allMistakes: [(declaration: HostFunction, reason: String)] {
    var names: Set<String> = []
    return functions.compactMap { function in
      if !names.insert(function.name).inserted { return (function, "it is declared twice") }
      var alone = HostModule(name)
      (alone.types, alone.definitions) = (types, definitions)
      alone.add(function)
      let program = Program(Source(name: "", text: ""), host: [alone])
      guard let error = program.diagnostics.first(where: { $0.severity == .error }) else { return nil }
      return (function, function.mentionsEvents ? HostFunction.noEvents : error.title)
    }
  }

  private func documentation(_ text: String, mark: String) -> [String] {
    text.split(separator: "\n").map { "\(mark) \($0)" }
  }
}

extension HostFunction {
  /// From `name(a: A, b: B): R`; what cannot be read becomes a declaration that the parser complains about.
  fileprivate init(
    module: String, declaration: String, help: String, place: String, answer: (_ function: String) -> Call
  ) {
    let name = Self.parts(of: declaration).name
    var body = answer(name)
    if Self.isUnderway(declaration) {
      body = { _, _ in
        .operation { HostRefusal(FrpError("nobody provides `\(module).\(name)` here"), $0) }
      }
    }
    self.init(module: module, declaration: declaration, decodes: false, help: help, place: place, call: body)
  }

  init(module: String, declaration: String, decodes: Bool, help: String, place: String, call: @escaping Call) {
    let parts = Self.parts(of: declaration)
    self.init(
      module: module, name: parts.name, parameters: parts.parameters, result: parts.result,
      isTask: parts.result.hasPrefix("Task<"), help: help, place: place, call: call)
    self.decodes = decodes
    hasEmptyParentheses = parts.parameters.isEmpty && parts.hasParentheses
  }

  /// Whether it is a declaration of a task or a source.
  private static func isUnderway(_ declaration: String) -> Bool {
    let result = parts(of: declaration).result
    return result.hasPrefix("Task<") || result.hasPrefix("Source<")
  }

  private struct Parts {
    var name: String
    var parameters: [Parameter] = []
    var result = ""
    var hasParentheses = false
  }

  private static func parts(of text: String) -> Parts {
    guard let open = text.firstIndex(where: { $0 == "(" || $0 == ":" }) else { return Parts(name: text) }
    let name = text[..<open].trimmingSpaces
    let rest = text[open...].dropFirst()
    if text[open] == ":" { return Parts(name: name, result: rest.trimmingSpaces) }
    var depth = 1
    var pieces = [""]
    var place = rest.startIndex
    while place < rest.endIndex, depth > 0 {
      let character = rest[place]
      place = rest.index(after: place)
      if "(<{[".contains(character) { depth += 1 }
      if ")>}]".contains(character) { depth -= 1 }
      if depth == 1, character == "," {
        pieces.append("")
      } else if depth > 0 {
        pieces[pieces.count - 1].append(character)
      }
    }
    let result = rest[place...].trimmingSpaces
    // Nothing between the parentheses is no parameter; nor is what stands behind the last comma.
    if pieces.last?.trimmingSpaces == "" { pieces.removeLast() }
    return Parts(
      name: name, parameters: pieces.map(parameter),
      result: result.hasPrefix(":") ? result.dropFirst().trimmingSpaces : "", hasParentheses: true)
  }

  private static func parameter(_ text: String) -> Parameter {
    let sides = text.split(separator: ":", maxSplits: 1).map(\.trimmingSpaces)
    return Parameter(name: sides.first ?? "", type: sides.count > 1 ? sides[1] : "")
  }
}

extension StringProtocol {
  fileprivate var trimmingSpaces: String {
    var text = Substring(self)
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}

extension HostFunction {
  fileprivate static let noEvents = "a host takes and gives data, and no events"

  fileprivate var mentionsEvents: Bool { (parameters.map(\.type) + [result]).contains { $0.contains("Event<") } }
}

extension Program {
  /// Whether it can ask its host for something that takes time.
  package var hasHostTasks: Bool { host.functions.contains { $0.isTask || $0.isSource } }
}

/// The host's functions in one list, numbered as compiled programs number them.
struct HostTable: Sendable {
  private(set) var functions: [HostFunction] = []
  /// What the compiler reads.
  private(set) var texts: [ModuleLoader.HostText] = []

  /// `answers` names definitions of the program that answer calls in a test, by the operation's full name.
  init(_ modules: [HostModule], answers: [String: String] = [:]) {
    for module in modules {
      var lines = module.types.map { "type \($0)" } + (module.definitions.isEmpty ? [] : [module.definitions])
      for function in module.functions {
        lines += function.help.split(separator: "\n").map { "/// \($0)" }
        let call = "hostCall(\(functions.count), \(Self.arguments(function)))"
        let answer = answers["\(module.name).\(function.name)"].map { Self.answer(function, $0) }
        let last = function.isCurried ? "\(function.parameters[function.parameters.count - 1].name) => " : ""
        // A lane has values of one type, which are what such a source brings in that test.
        // What gives its value at once is not begun where somebody else answers.
        let mayTakeTime = function.isTask || function.isSource
        let isLane = answer != nil && function.isSource && function.decodes
        lines += [
          isLane ? function.head : function.signature,
          "  = " + last + (answer.map { mayTakeTime ? "standIn(\(call), \($0))" : $0 } ?? call),
        ]
        functions.append(function)
      }
      texts.append(
        ModuleLoader.HostText(
          name: module.name, text: lines.joined(separator: "\n") + "\n", isOnDemand: module.isOnDemand))
    }
  }

  /// What a definition of the program says for a call; of a task that decodes, the body that is decoded.
  private static func answer(_ function: HostFunction, _ definition: String) -> String {
    let call = "\(ModuleLoader.mainAsHost).\(definition)\(function.shownArguments)"
    if !function.decodes || function.isSource { return call }
    return "Task.andThen(\(call), text => Task.fromResult(bodyValue(text)))"
  }

  /// Adds what the checker does not see: a declaration that gives an event. Says of errors in the host's own text whose
  /// they are: a program's author can do nothing about them.
  func attribute(_ diagnostics: inout [Diagnostic], _ sources: SourceMap) {
    for (number, function) in functions.enumerated() where function.mentionsEvents {
      guard let span = declaration(number, in: sources), !diagnostics.contains(where: { $0.span.file == span.file })
      else { continue }
      diagnostics.append(Diagnostic(.eventAsValue, HostFunction.noEvents, at: span, label: "declared here"))
    }
    for index in diagnostics.indices {
      let span = diagnostics[index].span
      guard diagnostics[index].severity == .error, !span.isNone, sources[span.file].isHost else { continue }
      let line = sources[span.file].lineIndex(at: Int(span.start))
      let lines = functions.indices.filter { number in
        guard let place = declaration(number, in: sources), place.file == span.file else { return false }
        return sources[span.file].lineIndex(at: Int(place.start)) == line
      }
      let places = lines.map { functions[$0].place }.filter { !$0.isEmpty }
      let origin = places.isEmpty ? "" : ", which registered it at \(places.joined(separator: " and "))"
      diagnostics[index].notes.append(
        "this is a mistake of the application that runs the program\(origin); the program is not at fault")
    }
  }

  private static func arguments(_ function: HostFunction) -> String {
    let names = function.parameters.map(\.name)
    return names.count == 1 ? names[0] : "(\(names.joined(separator: ", ")))"
  }

  /// Where a function is declared.
  func declaration(_ number: Int, in sources: SourceMap) -> Span? {
    guard functions.indices.contains(number) else { return nil }
    let function = functions[number]
    guard let place = sources.files.firstIndex(where: { $0.name == "\(function.module) (host)" }) else { return nil }
    let file = FileID(place)
    let bytes = sources[file].bytes
    let wanted = Array((function.signature + "\n").utf8)
    guard bytes.count >= wanted.count else { return nil }
    for start in 0...(bytes.count - wanted.count) where bytes[start..<(start + wanted.count)].elementsEqual(wanted) {
      return Span(file: file, start: start, end: start + function.name.utf8.count)
    }
    return nil
  }
}
