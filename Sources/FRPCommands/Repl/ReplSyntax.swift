// Looking at half-written entries: whether they are finished.

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
