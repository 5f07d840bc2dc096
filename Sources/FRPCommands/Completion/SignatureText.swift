// The texts of types, taken apart: what a function takes and gives.

import FRPBase

enum SignatureText {
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
}
