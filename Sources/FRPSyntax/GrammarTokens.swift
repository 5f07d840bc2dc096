// Tokens as the grammar file names them, for the test that holds grammar and parser together.

import FRPBase

/// A token under its name in `grammar/frp.ebnf`.
package struct GrammarToken: Sendable {
  /// `LOWER`, `INT`, `"=>"` without its quotes, …; `;` and layout's `NEWLINE` are themselves.
  package var name: String
  package var text: String
  package var start: Int
  package var end: Int
}

extension Parser {
  /// The tokens of a text with the `NEWLINE`s that layout may put between them. In braces that turn out to hold a record
  /// they are blanks, which only the grammar can tell.
  package static func grammarTokens(_ source: SourceFile) -> [GrammarToken] {
    let lexed = Lexer.lex(source, FileID(0))
    let layout = Layout.split(lexed.tokens)
    let starts = Set(layout.itemStarts.dropFirst())
    var result: [GrammarToken] = []
    var margins: [Int32] = []
    for (index, token) in layout.tokens.enumerated() where token.kind != .endOfFile {
      let start = Int(token.start)
      let end = Int(token.end)
      if starts.contains(index) { margins = [] }
      let continues = token.kind.continuesLine && !layout.isSigned(index)
      let beginsLine = token.startsLine && !continues && token.column <= margins.last ?? -1
      let isAfterSemicolon = index > 0 && layout.tokens[index - 1].kind == .semicolon
      if beginsLine || starts.contains(index) && !isAfterSemicolon {
        result.append(GrammarToken(name: "NEWLINE", text: "", start: start, end: start))
      }
      let text = source.text(Span(file: FileID(0), start: start, end: end))
      result.append(GrammarToken(name: grammarName(token.kind, text), text: text, start: start, end: end))
      if token.kind.opensBracket {
        margins.append(token.kind == .leftBrace ? layout.brackets[Int(token.payload)].margin : -1)
      } else if token.kind.opener != nil {
        _ = margins.popLast()
      }
    }
    return result
  }

  private static func grammarName(_ kind: TokenKind, _ text: String) -> String {
    switch kind {
    case .lowerName: "LOWER"
    case .upperName: "UPPER"
    case .quotedName: "QUOTED"
    case .int: "INT"
    case .float: "FLOAT"
    case .duration: "DURATION"
    case .stringBegin: "TEXT_BEGIN"
    case .stringText: "TEXT_PIECE"
    case .stringEnd: "TEXT_END"
    default: text
    }
  }
}
