// Looking at half-written entries: whether they are finished. And their texts without what surrounds them.

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
}

/// Without blanks and line breaks at both ends.
func trimmed(_ text: String) -> String {
  guard let first = text.firstIndex(where: { !$0.isWhitespace }),
    let last = text.lastIndex(where: { !$0.isWhitespace })
  else { return "" }
  return String(text[first...last])
}

extension String {
  /// Every line but the first is indented, so that it continues a definition; not within a text of many lines.
  func replacingLineBreaks() -> String {
    var result = ""
    var isText = false
    for (number, line) in split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if number > 0 { result += isText ? "\n" : "\n  " }
      result += line
      var quotes = 0
      for byte in line.utf8 {
        quotes = byte == 0x22 ? quotes + 1 : 0
        if quotes == 3 { (quotes, isText) = (0, !isText) }
      }
    }
    return result
  }

  func trimmingLines() -> String {
    var text = self[...]
    while text.hasSuffix("\n") { text = text.dropLast() }
    return String(text)
  }
}
