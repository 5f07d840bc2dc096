// Looking at half-written entries: whether they are finished, and their colours.

import FRPBase
import FRPSyntax

enum ReplSyntax {
  /// Whether an entry needs no more lines.
  static func isComplete(_ text: String) -> Bool {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: text))
    var tree = Tree()
    return Parser.parseEntry(file, in: sources, into: &tree).status == .complete
  }

  static let words: Set<String> = [
    "if", "then", "else", "match", "input", "output", "type", "alias", "import", "test", "true", "false", "as",
  ]

  /// The text with colours: words of the language, texts, numbers, and names by what they are.
  static func paint(_ text: String, _ program: ReplProgram) -> String? {
    var out = ""
    var rest = text[...]
    while let first = rest.first {
      if first == "\"" {
        let piece = stringPiece(rest)
        out += "\u{1B}[32m" + piece + "\u{1B}[0m"
        rest = rest.dropFirst(piece.count)
      } else if first == "#", let piece = rawPiece(rest) {
        out += "\u{1B}[32m" + piece + "\u{1B}[0m"
        rest = rest.dropFirst(piece.count)
      } else if first == "/", rest.hasPrefix("//") {
        let piece = rest.prefix { $0 != "\n" }
        out += "\u{1B}[90m" + piece + "\u{1B}[0m"
        rest = rest.dropFirst(piece.count)
      } else if first.isLetter || first == "_" || first == ":" {
        let piece = String(first) + rest.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        out += colour(piece, program).map { $0 + piece + "\u{1B}[0m" } ?? piece
        rest = rest.dropFirst(piece.count)
      } else if first.isNumber {
        let piece = rest.prefix { $0.isNumber || $0.isLetter || $0 == "." || $0 == "_" }
        out += "\u{1B}[36m" + piece + "\u{1B}[0m"
        rest = rest.dropFirst(piece.count)
      } else {
        out.append(first)
        rest = rest.dropFirst()
      }
    }
    return out
  }

  private static func colour(_ word: String, _ program: ReplProgram) -> String? {
    if words.contains(word) { return "\u{1B}[35m" }
    if word.hasPrefix(":") { return word.count > 1 ? "\u{1B}[1m" : nil }
    if let known = program.name(word) {
      switch known.kind {
      case .behavior: return "\u{1B}[34m"
      case .event: return "\u{1B}[33m"
      case .constant: return "\u{1B}[36m"
      default: return nil
      }
    }
    if word == "time" { return "\u{1B}[34m" }
    if ["start", "end", "never"].contains(word) { return "\u{1B}[33m" }
    if word.first?.isUppercase == true { return "\u{1B}[36m" }
    return nil
  }

  /// `#"…"#`, as far as it goes.
  private static func rawPiece(_ text: Substring) -> Substring? {
    let hashes = text.prefix { $0 == "#" }
    let body = text.dropFirst(hashes.count)
    guard body.first == "\"" else { return nil }
    let end = body.dropFirst().firstRange(of: "\"" + hashes)?.upperBound ?? body.endIndex
    return text[..<end]
  }

  private static func stringPiece(_ text: Substring) -> Substring {
    var isEscaped = false
    for index in text.indices.dropFirst() {
      let character = text[index]
      if isEscaped {
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        return text[...index]
      }
    }
    return text
  }
}
