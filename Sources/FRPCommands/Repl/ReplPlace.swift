// What stands before the cursor, as far as it says what may come: a command's operand, a type, the field of something, or
// a function for what is piped into it. Types are asked of the checker.

import FRPBase
import FRPSyntax

struct ReplPlace {
  typealias Candidate = ReplCompletion.Candidate
  private let before: String
  private let session: ReplSession
  private let tokens: [GrammarToken]
  /// The type of what is piped into the word at the cursor.
  private(set) var subject: String?

  init(_ before: String, _ session: ReplSession) {
    self.before = before
    self.session = session
    let tokens = Parser.grammarTokens(SourceFile(name: "prompt", text: before)).filter { $0.end > $0.start }
    self.tokens = tokens
    if tokens.last?.text == "|>" {
      subject = Self.inferredType(of: expression(endingAt: tokens.count - 1), session)
    }
  }

  // MARK: Commands

  /// What a command takes as its first operand, where that is a name or a word.
  func operands(_ start: Int) -> [Candidate]? {
    guard before.hasPrefix(":"), let space = before.firstIndex(of: " ") else { return nil }
    let command = String(before[before.index(after: before.startIndex)..<space])
    guard trimmed(String(before[space...])).isEmpty else { return nil }
    let known = session.current.names.filter { $0.name != "it" }
    func named(_ names: [ReplName]) -> [Candidate] { names.map { ($0.name, ": " + $0.type) } }
    func words(_ words: [String], _ note: String) -> [Candidate] { words.map { ($0, note) } }
    switch command {
    case "help": return ReplCommand.all.map { ($0.name, $0.summary) }
    case "set":
      return words(ReplSession.optionNames, "option") + named(known.filter { $0.isInput && $0.kind != .event })
    case "push", "feed": return named(known.filter(\.isInput))
    case "whynot", "at": return named(known.filter { $0.kind == .event })
    case "info", "source", "forget", "rename", "edit":
      return session.current.items.flatMap(\.names).filter { $0 != "it" }.map { name in
        (name, session.current.name(name).map { ": " + $0.type } ?? "type")
      }
    case "show": return words(["all"], "what was shown in part") + named(known)
    case "goto": return words(session.marks.keys.sorted(), "mark")
    case "unwatch": return words(session.live.watched + session.live.pinned, "watched")
    case "clock": return words(["real", "virtual"], "")
    case "tour": return words(["next", "back", "stop"], "")
    case "step": return words(["next"], "")
    default: return nil
    }
  }

  // MARK: Types

  /// Whether a type is written here.
  var isType: Bool {
    guard let first = tokens.first?.text, let last = tokens.last?.text else { return false }
    let equal = tokens.firstIndex { $0.text == "=" }
    switch first {
    case "input": return equal == nil && tokens.count > 1
    case "alias": return equal != nil
    case "type": return equal != nil && ["(", "<", ":", ","].contains(last)
    default: return equal == nil && (last == ":" || last == "<" && tokens.contains { $0.text == ":" })
    }
  }

  /// The type of an expression, if the session's program checks with it.
  private static func inferredType(of text: String, _ session: ReplSession) -> String? {
    if text.isEmpty { return nil }
    if let known = session.current.name(text) { return known.type }
    let item = ReplItem(names: ["it"], text: ReplSession.itPrefix + text.replacingLineBreaks())
    let program = session.compiled(session.current.items.filter { $0.names != ["it"] } + [item], first: [item.text])
    return program.errors.isEmpty ? program.name("it")?.type : nil
  }

  /// Whether a function of this signature takes a value of this type first.
  static func takes(_ signature: String, _ type: String) -> Bool {
    var text = signature[...]
    if text.hasPrefix(": ") { text = text.dropFirst(2) }
    if let arrow = text.firstRange(of: " => ") { text = text[arrow.upperBound...] }
    guard text.hasPrefix("("), let first = parts(String(text.prefix(closing(text)))).first else { return false }
    let needed = head(first.hasPrefix("=") ? String(first.dropFirst()) : first)
    let given = head(type)
    if given == "Event" || needed == "Event" { return given == needed }
    let value = given == "Behavior" ? head(inner(type)) : given
    if needed == "Behavior" || needed.first?.isLowercase == true { return needed != "" && !needed.hasPrefix("(") }
    return needed == value
  }

  /// What a function's type says it takes, and what it gives; nil for other types. What a type must allow goes with the result.
  static func parameters(of signature: String) -> (parameters: [String], result: String)? {
    var text = signature[...]
    if let arrow = text.firstRange(of: " => ") { text = text[arrow.upperBound...] }
    guard text.hasPrefix("(") else { return nil }
    let head = text.prefix(closing(text))
    let rest = trimmed(String(text.dropFirst(head.count)))
    guard rest.hasPrefix("->") else { return nil }
    return (parts(String(head)), trimmed(String(rest.dropFirst(2))))
  }

  /// How many characters a bracket that begins a text and what it encloses take.
  private static func closing(_ text: Substring) -> Int {
    var depth = 0
    for (index, character) in text.enumerated() {
      if "([{<".contains(character) { depth += 1 }
      if ")]}".contains(character) || character == ">" && !text.prefix(index).hasSuffix("-") { depth -= 1 }
      if depth == 0 { return index + 1 }
    }
    return text.count
  }

  private static func head(_ type: String) -> String {
    if type.hasPrefix("{") || type.hasPrefix("(") { return String(type.prefix(1)) }
    return String(type.prefix { $0.isLetter || $0.isNumber || $0 == "." })
  }

  /// `Int` of `List<Int>`.
  private static func inner(_ type: String) -> String {
    guard let open = type.firstIndex(of: "<"), type.hasSuffix(">") else { return type }
    return String(type[type.index(after: open)...].dropLast())
  }

  /// What commas divide within the brackets around a text.
  private static func parts(_ type: String) -> [String] {
    var depth = 0
    var parts = [""]
    var last: Character = " "
    for character in type.dropFirst().dropLast() {
      if "{<([".contains(character) { depth += 1 }
      if "})]".contains(character) || character == ">" && last != "-" { depth -= 1 }
      if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
      last = character
    }
    return parts.map { trimmed($0) }.filter { !$0.isEmpty }
  }

  // MARK: Fields

  /// The fields that go on after the last dot of a word: of a definition, a parameter of a lambda, or, after a dot alone,
  /// of what the function around it is given. nil if nothing is known of what stands before the dot.
  func fields(of word: String) -> [Candidate]? {
    var path = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    _ = path.popLast()
    let base = path.removeFirst()
    let found =
      base.isEmpty
      ? callAround(tokens.count).flatMap { element(of: $0, parameter: 0, among: 1) }
      : session.current.name(base)?.type ?? parameter(base)
    guard var type = found else { return nil }
    for name in path {
      guard let field = Self.fields(ofType: type).first(where: { $0.name == name }) else { return nil }
      type = field.type
    }
    let prefix = word[...(word.lastIndex(of: ".") ?? word.startIndex)]
    return Self.fields(ofType: type).map { (String(prefix) + $0.name, ": " + $0.type) }
  }

  /// The fields of `{x: Float, y: Float}`, also of a behavior of such records.
  private static func fields(ofType type: String) -> [(name: String, type: String)] {
    let record = type.hasPrefix("Behavior<") ? inner(type) : type
    guard record.hasPrefix("{"), record.hasSuffix("}") else { return [] }
    return parts(record).compactMap { part in
      guard let colon = part.firstIndex(of: ":") else { return nil }
      return (trimmed(String(part[..<colon])), trimmed(String(part[part.index(after: colon)...])))
    }
  }

  /// The type of a lambda's parameter: what the call around the lambda hands to it.
  private func parameter(_ name: String) -> String? {
    for arrow in tokens.indices.reversed() where tokens[arrow].text == "=>" && arrow > 0 {
      var start = arrow - 1
      if tokens[start].text == ")" {
        guard let open = opening(start) else { continue }
        start = open
      }
      let names = tokens[start..<arrow].map(\.text).filter { !["(", ")", ","].contains($0) }
      guard let place = names.firstIndex(of: name), let call = callAround(start) else { continue }
      return element(of: call, parameter: place, among: names.count)
    }
    return nil
  }

  /// The bracket that is open before a token, and what is called with it.
  private func callAround(_ end: Int) -> (function: String, subject: String)? {
    guard let open = unclosed(before: end), open > 0, tokens[open].text == "(" else { return nil }
    if open > 1, tokens[open - 2].text == "|>" { return (tokens[open - 1].text, expression(endingAt: open - 2)) }
    let first = (open + 1..<end).first { tokens[$0].text == "," && unclosed(before: $0) == open } ?? end
    guard first > open + 1, first < end else { return nil }
    return (tokens[open - 1].text, text(open + 1, first))
  }

  /// What a function hands to a parameter of its lambda, by the type of its subject.
  private func element(of call: (function: String, subject: String), parameter: Int, among count: Int) -> String? {
    guard var type = Self.inferredType(of: call.subject, session) else { return nil }
    if type.hasPrefix("Behavior<") { type = Self.inner(type) }
    let content = Self.inner(type)
    switch Self.head(type) {
    case "Map": return Self.parts("<\(content)>").suffix(count).dropFirst(parameter).first
    case "Event", "List", "Option", "Set":
      if ["fold", "scan", "mapAccum", "foldRight"].contains(call.function) {
        return parameter == count - 1 ? content : nil
      }
      if count == 1 || call.function == "each" { return parameter == count - 1 ? content : nil }
      let tuple = content.hasPrefix("(") ? Self.parts(content) : []
      return tuple.count == count ? tuple[parameter] : nil
    default: return nil
    }
  }

  // MARK: Text

  /// The expression that ends before a token: back to a bracket that is open there, `=`, `=>`, a comma or a line.
  private func expression(endingAt end: Int) -> String {
    var start = end
    while start > 0 {
      let token = tokens[start - 1].text
      if [")", "]", "}"].contains(token) {
        guard let open = opening(start - 1) else { break }
        start = open
        continue
      }
      if ["(", "[", "{", "=", "=>", ",", "then", "else", ";"].contains(token) { break }
      start -= 1
    }
    var expression = text(start, end)
    if tokens.first?.text == ":", start == 0 {
      // Behind a command's name.
      expression = trimmed(String(expression.drop { !$0.isWhitespace }))
    }
    return expression
  }

  private func text(_ start: Int, _ end: Int) -> String {
    if start >= end { return "" }
    return String(decoding: Array(before.utf8)[tokens[start].start..<tokens[end - 1].end], as: UTF8.self)
  }

  /// The bracket that a closing one belongs to.
  private func opening(_ close: Int) -> Int? {
    var depth = 0
    for index in stride(from: close, through: 0, by: -1) {
      if [")", "]", "}"].contains(tokens[index].text) { depth += 1 }
      if ["(", "[", "{"].contains(tokens[index].text) { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  /// The innermost bracket that is open before a token.
  private func unclosed(before end: Int) -> Int? {
    var depth = 0
    for index in stride(from: end - 1, through: 0, by: -1) {
      if [")", "]", "}"].contains(tokens[index].text) { depth += 1 }
      if ["(", "[", "{"].contains(tokens[index].text) {
        if depth == 0 { return index }
        depth -= 1
      }
    }
    return nil
  }
}
