// What a host module defines in the language itself, taken apart for the reference: a name, how it is declared, its words.

/// A type, alias or function that a host module defines in the language.
public struct HostDefinition: Sendable {
  /// Without the module's name.
  public let name: String
  /// A type or alias as it stands there; of a function what stands before its body.
  public let declaration: String
  /// Its `///` lines, without the mark.
  public let help: String
}

extension HostModule {
  /// What the module defines besides its functions, in the order in which it stands there.
  public var defined: [HostDefinition] {
    var result: [HostDefinition] = []
    var help: [Substring] = []
    var lines = definitions.split(separator: "\n")[...]
    while let line = lines.popFirst() {
      if line.hasPrefix("///") {
        help.append(line.dropFirst(3).drop { $0 == " " })
        continue
      }
      var whole = [line]
      // A definition goes on as long as lines are indented.
      while let next = lines.first, next.hasPrefix(" ") {
        whole.append(next)
        lines.removeFirst()
      }
      result.append(HostDefinition(whole, help: help.joined(separator: "\n")))
      help = []
    }
    return result
  }
}

extension HostDefinition {
  fileprivate init(_ lines: [Substring], help: String) {
    self.help = help
    let words = lines[0].split(separator: " ")
    let isType = words[0] == "type" || words[0] == "alias"
    name = String((isType ? words[1] : lines[0]).prefix { $0.isLetter || $0.isNumber })
    declaration = isType ? lines.joined(separator: "\n") : Self.signature(lines.joined(separator: "\n"))
  }

  /// What stands before the `=` of a definition; one within brackets is of a type or a default.
  private static func signature(_ text: String) -> String {
    var depth = 0
    for (index, character) in zip(text.indices, text) {
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      if depth == 0, character == "=" { return String(text[..<index]).trimmed }
    }
    return text
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = Substring(self)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
