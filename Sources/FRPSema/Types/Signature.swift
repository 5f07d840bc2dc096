// Signatures of the table of built-ins, parsed once.
//
// In:  the text of `Builtin.signature`: `Eq a => (Event<a>, =Int) -> Behavior<a>`.
// Out: `Signature`, with `Behavior` taken off the types (it is typed as its value) and kept as a flag.
// Rules: the grammar stands at `Builtin.signature`. The table is ours, so a text that does not parse is our own
// mistake: the row then gets the error type, and a test that parses every row says so.

import FRPCore

/// A type in a signature; variables are named.
package indirect enum SignatureType: Hashable, Sendable {
  case error
  case variable(String)
  case unit, bool, int, float, string
  case list(SignatureType)
  case map(SignatureType, SignatureType)
  case event(SignatureType)
  case task(SignatureType)
  case tuple([SignatureType])
  /// An open one may have other fields, too.
  case record([SignatureField], isOpen: Bool)
  case nominal(NominalID, [SignatureType])
  case function([SignatureType], SignatureType)
}

package struct SignatureField: Hashable, Sendable {
  package var name: String
  package var type: SignatureType
}

package struct SignatureParameter: Hashable, Sendable {
  package var type: SignatureType
  /// Written with `=`: it must be known once.
  package var isPlain: Bool
  /// Written `Behavior<…>`: it stays alive.
  package var isBehavior: Bool
}

/// A row's type.
package struct Signature: Hashable, Sendable {
  package var classes: [String: ClassSet] = [:]
  /// nil for a value such as `time`.
  package var parameters: [SignatureParameter]?
  /// Whether the last parameter may be repeated, any number of times from one on.
  package var isVariadic = false
  package var result: SignatureType
  package var resultIsBehavior = false

  /// The parameters at a call with that many arguments; nil where the number does not fit.
  package func parameters(forCount count: Int) -> [SignatureParameter]? {
    guard let parameters else { return nil }
    if count == parameters.count { return parameters }
    guard isVariadic, count > parameters.count, let last = parameters.last else { return nil }
    return parameters + Array(repeating: last, count: count - parameters.count)
  }

  /// The signatures of `Builtins.all`, by row.
  package static let all: [Signature] = Builtins.all.map { Signature(parsing: $0.signature) }

  package init(parsing text: String) {
    var parser = SignatureParser(text)
    self = parser.signature()
  }

  init(parameters: [SignatureParameter]?, result: SignatureType) {
    self.parameters = parameters
    self.result = result
  }

  /// Whether the text was understood to its end.
  package var isWellFormed: Bool {
    result != .error && (parameters ?? []).allSatisfy { $0.type != .error }
  }
}

private struct SignatureParser {
  private enum Token: Equatable {
    case word(String), symbol(String), end
  }
  private var tokens: [Token] = []
  private var position = 0
  /// Variables that an event or a behavior carries.
  private var carried: Set<String> = []
  /// Those of them that may be events all the same, written `Open a =>`.
  private var open: Set<String> = []

  /// By bytes: the table is ASCII, and parsing it is a large part of what a small program takes to start.
  init(_ text: String) {
    let bytes = Array(text.utf8)
    func isWord(_ c: UInt8) -> Bool {
      c | 0x20 >= 0x61 && c | 0x20 <= 0x7A || c >= 0x30 && c <= 0x39 || c == 0x5F
    }
    var index = 0
    while index < bytes.count {
      let start = index
      while index < bytes.count, isWord(bytes[index]) { index += 1 }
      if index > start {
        tokens.append(.word(String(decoding: bytes[start..<index], as: UTF8.self)))
        continue
      }
      let isArrow =
        index + 1 < bytes.count && bytes[index + 1] == 0x3E && (bytes[index] == 0x2D || bytes[index] == 0x3D)
      index += isArrow ? 2 : bytes[index] == 0x2E && index + 2 < bytes.count ? 3 : 1
      if bytes[start] != 0x20 { tokens.append(.symbol(String(decoding: bytes[start..<index], as: UTF8.self))) }
    }
  }

  private var next: Token { position < tokens.count ? tokens[position] : .end }

  private mutating func eat(_ symbol: String) -> Bool {
    guard next == .symbol(symbol) else { return false }
    position += 1
    return true
  }

  mutating func signature() -> Signature {
    let classes = context()
    var result = Signature(parameters: nil, result: .error)
    if next == .symbol("("), let list = parameterList() {
      result.parameters = list.parameters
      result.isVariadic = list.isVariadic
      (result.result, result.resultIsBehavior) = top()
    } else {
      (result.result, result.resultIsBehavior) = top()
    }
    result.classes = classes
    for name in carried.subtracting(open) { result.classes[name, default: []].insert(.value) }
    if next != .end { result.result = .error }
    return result
  }

  /// `Num n, Ord o =>`, or nothing.
  private mutating func context() -> [String: ClassSet] {
    guard tokens.contains(.symbol("=>")) else { return [:] }
    var classes: [String: ClassSet] = [:]
    while case .word(let name) = next {
      position += 1
      if case .word(let variable) = next {
        position += 1
        if name == "Open" {
          open.insert(variable)
        } else {
          classes[variable, default: []].formUnion(ClassSet(named: name))
        }
      }
      if !eat(",") { break }
    }
    _ = eat("=>")
    return classes
  }

  /// `(A, =B, C...) ->`; nil, and nothing eaten, where no arrow follows (a tuple or unit).
  private mutating func parameterList() -> (parameters: [SignatureParameter], isVariadic: Bool)? {
    let start = position
    var parameters: [SignatureParameter] = []
    var isVariadic = false
    _ = eat("(")
    while next != .symbol(")"), next != .end {
      let isPlain = eat("=")
      let (type, isBehavior) = top()
      parameters.append(SignatureParameter(type: type, isPlain: isPlain, isBehavior: isBehavior))
      if eat("...") { isVariadic = true }
      if !eat(",") { break }
    }
    if eat(")"), eat("->") { return (parameters, isVariadic) }
    position = start
    return nil
  }

  /// A type whose outermost `Behavior` is reported.
  private mutating func top() -> (SignatureType, Bool) {
    if next == .word("Behavior") {
      position += 1
      guard eat("<") else { return (.error, true) }
      let inner = type()
      if case .variable(let name) = inner { carried.insert(name) }
      return (eat(">") ? inner : .error, true)
    }
    return (type(), false)
  }

  private mutating func type() -> SignatureType {
    switch next {
    case .symbol("("):
      position += 1
      let elements = list(until: ")")
      if eat("->") { return .function(elements, type()) }
      return elements.isEmpty ? .unit : elements.count == 1 ? elements[0] : .tuple(elements)
    case .symbol("{"):
      position += 1
      return record()
    case .word(let name):
      position += 1
      let arguments = eat("<") ? list(until: ">") : []
      if name == "Event" || name == "Behavior", case .variable(let inner)? = arguments.first { carried.insert(inner) }
      return named(name, arguments)
    default: return .error
    }
  }

  private mutating func list(until close: String) -> [SignatureType] {
    var elements: [SignatureType] = []
    while next != .symbol(close), next != .end {
      elements.append(type())
      if !eat(",") { break }
    }
    return eat(close) ? elements : [.error]
  }

  private mutating func record() -> SignatureType {
    var fields: [SignatureField] = []
    var isOpen = false
    while !isOpen {
      isOpen = eat("...")
      guard !isOpen, case .word(let name) = next else { break }
      position += 1
      guard eat(":") else { return .error }
      fields.append(SignatureField(name: name, type: type()))
      if !eat(",") { break }
    }
    guard eat("}") else { return .error }
    return .record(fields.sorted { $0.name < $1.name }, isOpen: isOpen)
  }

  private func named(_ name: String, _ arguments: [SignatureType]) -> SignatureType {
    switch (name, arguments.count) {
    case ("Unit", 0): return .unit
    case ("Bool", 0): return .bool
    case ("Int", 0): return .int
    case ("Float", 0): return .float
    case ("String", 0): return .string
    case ("Error", 0): return .record([SignatureField(name: "message", type: .string)], isOpen: false)
    case ("Policy", 0): return .nominal(.policy, [])
    case ("Json", 0): return .nominal(.json, [])
    case ("Set", 1): return .nominal(.set, arguments)
    case ("Source", 1): return .nominal(.source, arguments)
    case ("Secret", 0): return .nominal(.secret, [])
    case ("Link", 0): return .nominal(.link, [])
    case ("List", 1): return .list(arguments[0])
    case ("Event", 1): return .event(arguments[0])
    case ("Task", 1): return .task(arguments[0])
    case ("Behavior", 1): return arguments[0]
    case ("Option", 1): return .nominal(.option, arguments)
    case ("Map", 2): return .map(arguments[0], arguments[1])
    case ("Result", 2): return .nominal(.result, arguments)
    default:
      if arguments.isEmpty, name.first?.isLowercase == true { return .variable(name) }
      return .error
    }
  }
}
