// Reads grammar/frp.ebnf into data: what the generator walks at random and the recogniser checks tokens against.

import FRPTestFiles

/// The right side of a rule.
indirect enum GrammarNode {
  case terminal(String)
  case rule(String)
  /// "a" … "z"
  case range(UInt8, UInt8)
  /// ? words ?
  case words(String)
  case sequence([GrammarNode])
  case choice([GrammarNode])
  case optional(GrammarNode)
  case many(GrammarNode)
}

struct Grammar {
  var rules: [String: GrammarNode] = [:]
  var order: [String] = []

  init(_ text: String) throws {
    var reader = GrammarReader(text)
    while !reader.isAtEnd {
      let name = try reader.name()
      try reader.expect("=")
      rules[name] = try reader.choice()
      order.append(name)
      try reader.expect(";")
    }
  }

  /// Names that are used but not defined, or defined but never used.
  func looseEnds() -> [String] {
    var used: Set<String> = ["File"]
    for name in order { if let node = rules[name] { collect(node, &used) } }
    let undefined = used.subtracting(order).subtracting(["NEWLINE"])
    return undefined.sorted() + Set(order).subtracting(used).sorted()
  }

  private func collect(_ node: GrammarNode, _ used: inout Set<String>) {
    switch node {
    case .rule(let name): used.insert(name)
    case .sequence(let nodes), .choice(let nodes): for node in nodes { collect(node, &used) }
    case .optional(let node), .many(let node): collect(node, &used)
    case .terminal, .range, .words: break
    }
  }
}

extension Grammar {
  /// The grammar of the language, as the project has it.
  static func ofTheLanguage() throws -> Grammar {
    let path = TestFiles.root + "/grammar/frp.ebnf"
    guard let text = TestFiles.read(path) else { throw GrammarError(message: "no file \(path)") }
    return try Grammar(text)
  }
}

struct GrammarError: Error { var message: String }

private struct GrammarReader {
  var symbols: [String] = []
  var index = 0

  var isAtEnd: Bool { index >= symbols.count }
  var current: String { isAtEnd ? "" : symbols[index] }

  init(_ text: String) {
    let characters = Array(text)
    var at = 0
    while at < characters.count {
      let character = characters[at]
      if character.isWhitespace {
        at += 1
      } else if character == "(", at + 1 < characters.count, characters[at + 1] == "*" {
        at += 2
        while at + 1 < characters.count, !(characters[at] == "*" && characters[at + 1] == ")") { at += 1 }
        at += 2
      } else if character == "\"" || character == "'" || character == "?" {
        var end = at + 1
        while end < characters.count, characters[end] != character { end += 1 }
        symbols.append(String(characters[at..<min(end, characters.count)]))
        at = end + 1
      } else if character.isLetter || character == "_" {
        var end = at
        while end < characters.count, characters[end].isLetter || characters[end] == "_" { end += 1 }
        symbols.append(String(characters[at..<end]))
        at = end
      } else {
        symbols.append(String(character))
        at += 1
      }
    }
  }

  mutating func name() throws -> String {
    guard let first = current.first, first.isLetter else {
      throw GrammarError(message: "a rule's name, not \(current)")
    }
    index += 1
    return symbols[index - 1]
  }

  mutating func expect(_ symbol: String) throws {
    guard current == symbol else {
      throw GrammarError(message: "\(symbol) expected, not \(current), at symbol \(index)")
    }
    index += 1
  }

  mutating func choice() throws -> GrammarNode {
    var choices = [try sequence()]
    while current == "|" {
      index += 1
      choices.append(try sequence())
    }
    return choices.count == 1 ? choices[0] : .choice(choices)
  }

  mutating func sequence() throws -> GrammarNode {
    var parts: [GrammarNode] = []
    while !isAtEnd, !["|", ";", ")", "]", "}"].contains(current) { parts.append(try part()) }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  mutating func part() throws -> GrammarNode {
    let symbol = current
    index += 1
    switch symbol.first {
    case "(":
      let inner = try choice()
      try expect(")")
      return inner
    case "[":
      let inner = try choice()
      try expect("]")
      return .optional(inner)
    case "{":
      let inner = try choice()
      try expect("}")
      return .many(inner)
    case "?": return .words(String(symbol.dropFirst()).trimmed)
    case "\"", "'":
      let text = String(symbol.dropFirst())
      guard current == "…" else { return .terminal(text) }
      index += 1
      guard let low = text.utf8.first, let high = current.dropFirst().utf8.first else {
        throw GrammarError(message: "a range needs two characters")
      }
      index += 1
      return .range(low, high)
    default:
      guard let first = symbol.first, first.isLetter else { throw GrammarError(message: "unexpected \(symbol)") }
      return .rule(symbol)
    }
  }
}

extension String {
  var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
