// Looking at half-written entries: whether they are finished, their colours, and how a word at the cursor goes on.

import FRPBase
import FRPCore
import FRPSyntax

enum ReplSyntax {
  /// Whether an entry needs no more lines.
  static func isComplete(_ text: String) -> Bool {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: text))
    var tree = Tree()
    return Parser.parseEntry(file, in: sources, into: &tree).status == .complete
  }

  private static let words: Set<String> = [
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
      default: return nil
      }
    }
    if word.first?.isUppercase == true { return "\u{1B}[36m" }
    return nil
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

enum ReplCompletion {
  /// Completes the word that ends at the cursor: commands after `:`, else names of the session and of the table.
  static func answer(_ text: String, cursor: Int, _ session: ReplSession) -> CompletionAnswer {
    let scalars = Array(text.unicodeScalars.prefix(cursor))
    var start = scalars.count
    while start > 0, isWord(scalars[start - 1]) { start -= 1 }
    var word = ""
    for scalar in scalars[start...] { word.unicodeScalars.append(scalar) }
    let candidates = self.candidates(text, start, scalars, session)
    let fitting = candidates.filter { $0.name.hasPrefix(word) }
    guard let first = fitting.first else { return .nothing }
    if fitting.count == 1 {
      return CompletionAnswer(replaced: 0, insertion: String(first.name.dropFirst(word.count)), listing: nil)
    }
    let common = fitting.dropFirst().reduce(first.name) { commonPrefix($0, $1.name) }
    if common.count > word.count {
      return CompletionAnswer(replaced: 0, insertion: String(common.dropFirst(word.count)), listing: nil)
    }
    let width = fitting.map(\.name.count).max() ?? 0
    let rows = fitting.prefix(20).map {
      "  " + $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.note
    }
    let more = fitting.count > 20 ? ["  … \(fitting.count - 20) more"] : []
    return CompletionAnswer(replaced: 0, insertion: nil, listing: (rows + more).joined(separator: "\n") + "\n")
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar == "." || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
  }

  private static func candidates(
    _ text: String, _ start: Int, _ scalars: [Unicode.Scalar], _ session: ReplSession
  ) -> [(name: String, note: String)] {
    if start == 1, scalars.first == ":" { return ReplCommand.all.map { ($0.name, $0.summary) } }
    var result = session.current.names.filter { $0.name != "it" }.map { ($0.name, ": " + $0.type) }
    for item in session.current.items {
      for name in item.names where session.current.name(name) == nil { result.append((name, "type")) }
    }
    if text.hasPrefix(":") { return result.sorted { $0.0 < $1.0 } }
    var seen = Set(result.map(\.0))
    for builtin in Builtins.all {
      let name = builtin.isBare ? builtin.name : "\(builtin.container).\(builtin.name)"
      if seen.insert(name).inserted { result.append((name, ": " + builtin.signature)) }
    }
    return result.sorted { $0.0 < $1.0 }
  }

  private static func commonPrefix(_ a: String, _ b: String) -> String {
    String(zip(a, b).prefix { $0 == $1 }.map(\.0))
  }
}
