// Layout: which bracket closes which, where the margin of every brace lies, and where the top-level items begin.
// Runs before the parser, so that a mistake costs at most the item it stands in.
//
// Rules:
// - An item begins at the left margin, with a token that cannot continue a line, or after a `;` outside of brackets.
// - `input output type alias import test` at the margin close what is open.
// - So does a definition (`name =`, `name(…) =`, …) at the margin: always inside `(` and `[`, where no `=` can
//   stand; inside `{` only when the brackets up to the next such word do not match.
// - The margin of a brace is the least column of the lines that begin directly inside.

import FRPBase

struct Layout {
  var tokens: [Token]
  var brackets: [Bracket] = []
  /// The tokens at which items begin; `;` between them is skipped by the parser.
  var itemStarts: [Int] = []
  /// The column at which items begin.
  var margin: Int32 = 0

  private var open: [Int] = []
  /// How many of each kind are open, so that a stray closer costs nothing.
  private var openCount = [Int](repeating: 0, count: 256)
  private var lineColumn: Int32 = 0

  init(_ tokens: [Token]) {
    self.tokens = tokens
    margin = Layout.findMargin(tokens)
  }

  static func split(_ tokens: [Token]) -> Layout {
    var layout = Layout(tokens)
    layout.run()
    return layout
  }

  /// The least column of a line that begins outside of brackets, or of an item word.
  private static func findMargin(_ tokens: [Token]) -> Int32 {
    var depth = 0
    var least = Int32.max
    for token in tokens {
      if token.startsLine, depth == 0 || token.kind.opensItem, !token.kind.continuesLine {
        least = min(least, token.column)
      }
      if token.kind.opensBracket { depth += 1 }
      if token.kind.opener != nil { depth = max(0, depth - 1) }
      if least == 0 { return 0 }
    }
    return least == Int32.max ? 0 : least
  }

  // MARK: - The walk

  private mutating func run() {
    var segmentEnd = 0
    var isBalanced = true
    var afterSemicolon = true
    for index in tokens.indices {
      if index >= segmentEnd { (segmentEnd, isBalanced) = segment(from: index) }
      let token = tokens[index]
      if token.kind == .endOfFile { break }
      if token.startsLine { lineColumn = token.column }
      if beginsItem(index, token, isBalanced: isBalanced, afterSemicolon: afterSemicolon) {
        open.removeAll(keepingCapacity: true)
        for kind in [TokenKind.leftParen, .leftBracket, .leftBrace, .interpolationBegin] {
          openCount[Int(kind.rawValue)] = 0
        }
        itemStarts.append(index)
      }
      afterSemicolon = open.isEmpty && token.kind == .semicolon
      if token.startsLine { noteLine(index, token) }
      if token.kind.opensBracket {
        brackets.append(Bracket(open: Int32(index), lineColumn: lineColumn))
        tokens[index].payload = Int32(brackets.count - 1)
        open.append(brackets.count - 1)
        openCount[Int(token.kind.rawValue)] += 1
      } else if let opener = token.kind.opener {
        close(index, token, opener: opener, isBalanced: isBalanced)
      }
    }
  }

  /// From an item word to the next one: where it ends, and whether all brackets in it match.
  private func segment(from start: Int) -> (end: Int, isBalanced: Bool) {
    var stack: [TokenKind] = []
    var isBalanced = true
    var index = start
    while index < tokens.count {
      let token = tokens[index]
      if index > start, token.startsLine, token.column <= margin, token.kind.opensItem { break }
      if token.kind.opensBracket { stack.append(token.kind) }
      if let opener = token.kind.opener, stack.popLast() != opener { isBalanced = false }
      index += 1
    }
    return (index, isBalanced && stack.isEmpty)
  }

  private func beginsItem(_ index: Int, _ token: Token, isBalanced: Bool, afterSemicolon: Bool) -> Bool {
    if itemStarts.isEmpty { return token.kind != .semicolon }
    if afterSemicolon, !token.startsLine { return token.kind != .semicolon }
    guard token.startsLine, token.column <= margin, !token.kind.continuesLine else { return false }
    if open.isEmpty { return token.kind != .semicolon }
    if openCount[Int(TokenKind.interpolationBegin.rawValue)] > 0 { return false }
    if token.kind.opensItem { return true }
    let innermost = tokens[Int(brackets[open[open.count - 1]].open)].kind
    if innermost == .leftBrace, isBalanced { return false }
    return looksLikeDefinition(index)
  }

  /// Lowers the margin of the brace a line begins in.
  private mutating func noteLine(_ index: Int, _ token: Token) {
    guard let innermost = open.last else { return }
    if token.kind.continuesLine, !isSigned(index) { return }
    let margin = brackets[innermost].margin
    if margin < 0 || token.column < margin { brackets[innermost].margin = token.column }
  }

  /// Whether a minus stands directly before its operand, as in `-1`.
  func isSigned(_ index: Int) -> Bool {
    tokens[index].kind == .minus && !tokens[index].blankAfter
  }

  private mutating func close(_ index: Int, _ token: Token, opener: TokenKind, isBalanced: Bool) {
    guard openCount[Int(opener.rawValue)] > 0, var position = open.lastIndex(where: { kind($0) == opener }) else {
      return
    }
    if !isBalanced, token.startsLine, opener != .interpolationBegin,
      brackets[open[position]].lineColumn > token.column
    {
      // By indentation: `}` at the column of the line that opened an outer brace closes that one. Looking
      // further up than 64 brackets would cost more than the better message is worth.
      position =
        open.indices.suffix(64).last { candidate in
          kind(open[candidate]) == opener && brackets[open[candidate]].lineColumn == token.column
        } ?? position
    }
    brackets[open[position]].close = Int32(index)
    tokens[index].payload = Int32(open[position])
    for bracket in open[position...] { openCount[Int(kind(bracket).rawValue)] -= 1 }
    open.removeSubrange(position...)
  }

  private func kind(_ bracket: Int) -> TokenKind { tokens[Int(brackets[bracket].open)].kind }

  // MARK: - Looking ahead

  /// The token after a bracket's closing one; nil when nothing closes it.
  func afterClose(_ index: Int) -> Int? {
    let payload = Int(tokens[index].payload)
    guard payload >= 0, payload < brackets.count else { return nil }
    let close = Int(brackets[payload].close)
    return close < 0 ? nil : close + 1
  }

  /// Whether what begins here reads `name =`, `name: T =`, `name(…) =`, `(a, b) =` and the like. In the item
  /// splitter brackets further on are not matched yet, so there a short scan stands in.
  func looksLikeDefinition(_ index: Int) -> Bool {
    guard index + 1 < tokens.count else { return false }
    let next = tokens[index + 1].kind
    switch tokens[index].kind {
    case .lowerName:
      switch next {
      case .equal: return true
      case .colon: return hasEqualOnLine(index + 2)
      case .leftParen:
        guard let after = scanClose(index + 1), after < tokens.count else { return false }
        return tokens[after].kind == .equal || tokens[after].kind == .colon
      default: return false
      }
    case .leftParen:
      guard let after = scanClose(index), after < tokens.count else { return false }
      return tokens[after].kind == .equal
    default: return false
    }
  }

  private func hasEqualOnLine(_ start: Int) -> Bool {
    var index = start
    while index < tokens.count, index < start + 64 {
      let token = tokens[index]
      if token.startsLine || token.kind == .comma { return false }
      if token.kind == .equal { return true }
      if token.kind.opensBracket {
        guard let after = scanClose(index) else { return false }
        index = after
      } else {
        index += 1
      }
    }
    return false
  }

  /// The token after the matching bracket, by counting, within 200 tokens.
  private func scanClose(_ start: Int) -> Int? {
    var depth = 0
    var index = start
    while index < tokens.count, index < start + 200 {
      if tokens[index].kind.opensBracket { depth += 1 }
      if tokens[index].kind.opener != nil {
        depth -= 1
        if depth == 0 { return index + 1 }
      }
      index += 1
    }
    return nil
  }
}
