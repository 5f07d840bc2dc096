// Problems become words: what all files of messages share.

import FRPBase
import FRPCore
import FRPSyntax

struct Rendering {
  let tree: Tree
  let sources: SourceMap
  let nominals: [Nominal]

  /// The source text of an expression on one line; nil where it is long.
  func source(_ id: ExprID) -> String? { source(tree.span(id)) }

  func source(_ span: Span) -> String? {
    let text = sources.text(span)
    return text.count <= 60 && !text.contains("\n") ? text : nil
  }

  /// `a`, or `this expression` where the text is long.
  func quoted(_ id: ExprID) -> String { source(id).map { "`\($0)`" } ?? "this expression" }

  func list(_ words: [String], _ last: String = "or") -> String {
    guard let end = words.last else { return "" }
    return words.count == 1 ? end : words.dropLast().joined(separator: ", ") + " \(last) " + end
  }

  func ordinal(_ number: Int) -> String {
    switch number {
    case 1: return "1st"
    case 2: return "2nd"
    case 3: return "3rd"
    default: return "\(number)th"
    }
  }

  func count(_ number: Int, _ noun: String) -> String { number == 1 ? "1 \(noun)" : "\(number) \(noun)s" }
}
