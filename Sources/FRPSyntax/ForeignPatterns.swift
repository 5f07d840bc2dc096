// What people write for patterns out of habit from other languages, and what it is here: `x:xs`, `Some x`, `all@[x]`, `1..5`,
// `Point{x, y}`, `n > 0`. Only what is no pattern is looked at.

import FRPBase

extension Parser {
  /// What a pattern ends at, outside of its brackets.
  private static let patternEnds: Set<TokenKind> = [
    .fatArrow, .arrow, .ifWord, .comma, .rightParen, .rightBracket, .rightBrace, .equal, .separator, .semicolon,
    .endOfFile,
  ]

  /// Where the part of a pattern that begins at a token ends: at the end of the pattern, or at one of these.
  private func endOfPattern(_ start: Int, orAt stops: Set<TokenKind> = []) -> Int {
    var position = start
    while position < limit {
      // The first of a case begins a line of its block.
      let kind = position == statementStart ? layout.tokens[position].kind : kind(at: position)
      if Parser.patternEnds.contains(kind) || stops.contains(kind) { break }
      position = kind.opensBracket ? layout.afterClose(position) ?? position + 1 : position + 1
    }
    return min(position, limit)
  }

  private func place(_ start: Int, _ end: Int) -> Span {
    span(Int(layout.tokens[start].start), Int(layout.tokens[end - 1].end))
  }

  /// The line as it would be with something else in place of some tokens.
  private func writing(_ code: String, _ start: Int, _ end: Int) -> Help {
    replacing("write", place(start, end), new: code)
  }

  private mutating func reportPattern(_ title: String, at place: Span, label: String = "", _ helps: [Help]) {
    report(Diagnostic(.foreignHabit, title, at: place, label: label, helps: helps))
  }

  // MARK: - Behind a pattern

  /// What stands behind a pattern that began at a token, and goes on with none.
  mutating func reportForeignPattern(from first: Int) {
    guard !failed, index > first, index < limit, !token().startsLine else { return }
    switch current {
    case .colon: reportConsPattern(first)
    case .foreign where text(index) == "::": reportConsPattern(first)
    case .foreign where text(index) == "@": reportAtPattern(first)
    case .range, .ellipsis: reportRangePattern(first)
    case .less, .lessEqual, .greater, .greaterEqual, .equalEqual, .notEqual, .and, .or: reportCondition(first)
    case .leftBrace: reportBracedPattern(first)
    case .lowerName where ["when", "where", "unless", "and", "given"].contains(text(index)): reportGuardWord()
    default: reportSpacedPattern(first)
    }
  }

  /// `x:xs`, `x::y::rest`. What follows the colon of another language's case is no pattern with an arrow behind it.
  private mutating func reportConsPattern(_ first: Int) {
    let isColon = current == .colon
    if isColon, ![.lowerName, .wildcard, .leftBracket, .leftParen].contains(peek()) { return }
    var parts: [String] = []
    var start = first
    var end = endOfPattern(start, orAt: [.colon, .foreign])
    while end < limit, [.colon, .foreign].contains(kind(at: end)) {
      parts.append(written(start, end))
      start = end + 1
      end = endOfPattern(start, orAt: [.colon, .foreign])
    }
    let ends: [TokenKind] = [.fatArrow, .arrow, .ifWord, .rightParen, .rightBracket, .comma]
    guard end > start, !isColon || ends.contains(kind(at: end)) else { return }
    let last = written(start, end)
    var help = Help("for example", code: "[first, ...rest]")
    if last == "[]" || end == start + 1 && [.lowerName, .wildcard].contains(kind(at: start)) {
      if last != "[]" { parts.append(last == "_" ? "..." : "...\(last)") }
      help = writing("[\(parts.joined(separator: ", "))]", first, end)
    }
    reportPattern("a list is taken apart with `[first, ...rest]`", at: currentSpan, [help])
  }

  /// `all@(x, y)`
  private mutating func reportAtPattern(_ first: Int) {
    let end = endOfPattern(index + 1)
    guard index == first + 1, layout.tokens[first].kind == .lowerName, end > index + 1 else { return }
    let code = "\(written(index + 1, end)) as \(text(first))"
    reportPattern(
      "a whole gets its name behind its pattern, with `as`", at: currentSpan, [writing(code, first, end)])
  }

  /// `1..5`, `1..=5`, `1...5`
  private mutating func reportRangePattern(_ first: Int) {
    let start = index + (peek() == .equal ? 2 : 1)
    let end = endOfPattern(start)
    guard [.int, .float, .minus].contains(layout.tokens[first].kind) else { return }
    let low = written(first, index)
    let code = end > start ? "n if n >= \(low) && n <= \(written(start, end))" : "n if n >= \(low)"
    reportPattern(
      "a range is no pattern: a guard compares", at: currentSpan, [writing(code, first, max(end, start))])
  }

  /// `n > 5 =>`, `Some(x) && x > 5 =>`, `x | x > 5 =>`
  private mutating func reportCondition(_ first: Int) {
    let end = max(endOfPattern(index + 1), index + 1)
    let bar = (first..<index).last { layout.tokens[$0].kind == .bar }
    let help: Help
    if let bar {
      help = writing("if", bar, bar + 1)
    } else if current == .and {
      help = writing("if", index, index + 1)
    } else if layout.tokens[first].kind == .lowerName, index == first + 1 {
      help = writing("\(text(first)) if \(written(first, end))", first, end)
    } else {
      help = Help("for example", code: "n if n > 5 => …")
    }
    reportPattern(
      "the condition of a case stands behind its pattern, after `if`", at: bar.map(tokenSpan) ?? currentSpan, [help])
  }

  /// `Some(x) when x > 5`
  private mutating func reportGuardWord() {
    let word = text(index)
    let help = word == "unless" ? Help("for example", code: "n if !(n > 5) => …") : writing("if", index, index + 1)
    reportPattern("the condition of a case begins with `if`, not `\(word)`", at: currentSpan, [help])
  }

  /// `Point{x, y}`, `Rect {w, h}`
  private mutating func reportBracedPattern(_ first: Int) {
    guard layout.tokens[index - 1].kind == .upperName, let after = layout.afterClose(index) else { return }
    var fields: [String] = []
    var position = index + 1
    while position < after - 1 {
      let end = endOfPattern(position)
      let hasPattern = kind(at: position + 1) == .colon
      fields.append(hasPattern ? written(position, end) : "\(text(position)): \(text(position))")
      position = end + 1
    }
    let braces = written(index, after)
    reportPattern(
      "no name stands before a record pattern", at: place(first, index), label: "records have no names",
      [
        replacing("for a record", place(first, after), new: braces),
        replacing(
          "for a variant with named fields",
          span(Int(layout.tokens[index - 1].end), Int(layout.tokens[after - 1].end)),
          new: "(\(fields.joined(separator: ", ")))"),
      ])
  }

  /// `Some x`, `Node left right`, `let x`, `mut x`
  private mutating func reportSpacedPattern(_ first: Int) {
    let operands: [TokenKind] = [
      .lowerName, .upperName, .wildcard, .int, .float, .stringBegin, .trueWord, .falseWord, .leftParen, .leftBracket,
    ]
    guard operands.contains(current) else { return }
    let words = ["let", "var", "val", "const", "mut", "ref", "final", "case", "is"]
    if index == first + 1, words.contains(text(first)) {
      return reportPattern(
        "a pattern needs no `\(text(first))`", at: tokenSpan(first), label: "a name in a pattern is a new one",
        [replacing("write", span(Int(layout.tokens[first].start), here), new: "")])
    }
    guard layout.tokens[index - 1].kind == .upperName else { return }
    var parts: [String] = []
    var position = index
    while operands.contains(kind(at: position)) {
      let next = layout.tokens[position].kind.opensBracket ? layout.afterClose(position) ?? position + 1 : position + 1
      if kind(at: position) == .stringBegin { return }
      parts.append(written(position, next))
      position = next
    }
    reportPattern(
      "what a variant holds stands in parentheses", at: place(index, position),
      [writing("\(text(index - 1))(\(parts.joined(separator: ", ")))", index - 1, position)])
  }

  // MARK: - The beginning of a pattern

  /// `| Some(x)`, `.some(x)`, `> 5`, `&x`: what begins no pattern. False where it is nothing of the kind.
  mutating func reportForeignPatternStart() -> Bool {
    if failed || index + 1 >= limit { return false }
    switch current {
    case .bar:
      reportPattern(
        "a case begins with its pattern, and stands on a line of its own", at: currentSpan,
        [Help("write", code: armText(index + 1))])
    case .dot where peek() == .lowerName || peek() == .upperName:
      let name = upperFirst(text(index + 1))
      reportPattern("the name of a variant stands without a dot", at: currentSpan, [writing(name, index, index + 2)])
    case .less, .lessEqual, .greater, .greaterEqual, .equalEqual, .notEqual:
      let end = max(endOfPattern(index + 1), index + 1)
      reportPattern(
        "a comparison is no pattern: a guard compares", at: currentSpan,
        [writing("n if n \(written(index, end))", index, end)])
    case .foreign where ["&", "~", "^"].contains(text(index)):
      reportPattern(
        "a pattern needs no `\(text(index))`", at: currentSpan, [writing("", index, index + 1)])
    default: return false
    }
    return true
  }

  /// A case as it would be here, from its pattern on.
  func armText(_ start: Int) -> String {
    let end = endOfPattern(start, orAt: [.colon])
    var pattern = written(start, end)
    if end > start + 1, kind(at: start) == .upperName, [.lowerName, .wildcard].contains(kind(at: start + 1)) {
      pattern = "\(text(start))(\((start + 1..<end).map { text($0) }.joined(separator: ", ")))"
    }
    return "\(pattern.isEmpty ? "_" : pattern) => …"
  }

  // MARK: - Cases

  /// What begins a case elsewhere: `case Some(x):`, `when Some(x) ->`. Of the cases of one `match` the first is told.
  mutating func reportArmWord(_ isTold: inout Bool) {
    let words = ["case", "when", "of", "is", "on"]
    guard current == .lowerName, words.contains(text(index)),
      ![.fatArrow, .arrow, .ifWord, .bar, .colon, .equal, .asWord].contains(peek())
    else { return }
    if isTold {
      failed = true
      current = .stop
      return
    }
    isTold = true
    reportPattern(
      "a case begins with its pattern", at: currentSpan,
      [Help("write", code: armText(index + 1), edit: Help.Edit(span(here, Int(token(1).start)), ""))])
  }

  /// `1, 2 => …`, `n: Int => …`: behind the pattern of a case.
  mutating func reportForeignArm(from first: Int) {
    guard !failed, index < limit, !token().startsLine else { return }
    if current == .comma {
      var end = endOfPattern(first)
      while kind(at: end) == .comma { end = endOfPattern(end + 1) }
      let tokens = first..<end
      guard [.fatArrow, .arrow].contains(kind(at: end)),
        !tokens.contains(where: { layout.tokens[$0].kind.infix != nil && layout.tokens[$0].kind != .minus })
      else { return }
      let code = written(first, end).split(separator: ",").map { part in part.drop { $0 == " " } }.joined(
        separator: " | ")
      return reportPattern(
        "patterns of one case are parted by `|`", at: currentSpan,
        written(first, end).contains("(") ? [Help("for example", code: "1 | 2 => …")] : [writing(code, first, end)])
    }
    let end = endOfPattern(index + 1)
    guard current == .colon, peek() == .upperName, [.fatArrow, .arrow].contains(kind(at: end)) else { return }
    reportPattern(
      "a pattern has no type: a value has one, and it is known", at: currentSpan,
      [
        replacing("write", place(index, end), new: ""),
        Help("what may be of several types is made with variants", code: "type Id = Number(Int) | Name(String)"),
      ])
  }

  // MARK: - Lists and records

  /// `[x, *rest]`, `[x, ..rest]`, `[x, rest @ ..]`, `[x, rest...]`: the rest of a list as others write it.
  mutating func reportForeignRest() {
    if failed || index >= limit { return }
    let place = currentSpan
    var name = ""
    switch current {
    case .star, .range: name = peek() == .lowerName ? text(index + 1) : ""
    case .lowerName where [.ellipsis, .range].contains(peek()): name = text(index)
    case .lowerName where peek() == .foreign && text(index + 1) == "@" && [.ellipsis, .range].contains(peek(2)):
      name = text(index)
    default: return
    }
    let end = endOfPattern(index)
    reportPattern(
      "the rest of a list is written with three dots before its name", at: place, [writing("...\(name)", index, end)])
  }

  /// `{x = 0}`, `{x as a}`, behind the name of a field.
  mutating func reportForeignField(_ field: Name) {
    guard !failed, index < limit, current == .equal || current == .asWord else { return }
    let end = endOfPattern(index + 1)
    let pattern = end > index + 1 ? written(index + 1, end) : "…"
    let code = "\(fieldText(field.text)): \(pattern)"
    report(
      Diagnostic(
        .malformedRecord, "the pattern of a field stands behind `:`", at: currentSpan,
        helps: [
          replacing("write", span(Int(field.span.start), Int(layout.tokens[max(end, index + 1) - 1].end)), new: code)
        ]))
  }

  // MARK: - Parameters

  /// `f = (x, y) = x + y`, `map(x = x + 1)`, `f(x = 1)`: what may be meant by `=` where none can stand.
  func meantByEquals() -> [Help] {
    let function = replacing("for a function", currentSpan, new: "=>")
    guard index > statementStart + 1 else { return [] }
    if layout.tokens[index - 1].kind == .rightParen {
      guard let open = opener(of: index - 1), open > statementStart else { return [] }
      return [.equal, .leftParen, .comma, .fatArrow].contains(layout.tokens[open - 1].kind) ? [function] : []
    }
    guard let (open, start) = bracket(around: index), layout.tokens[open].kind == .leftParen, open > statementStart,
      start == index - 1, layout.tokens[start].kind == .lowerName, layout.tokens[open - 1].kind == .lowerName,
      !layout.tokens[open - 1].blankAfter
    else { return [] }
    let value = index + 1..<max(endOfPart(index + 1), index + 1)
    if value.contains(where: { text($0) == text(start) }) { return [function] }
    let name = span(Int(layout.tokens[start].start), Int(token(1).start))
    return [replacing("arguments have no names, but an order", name, new: "")]
  }

  /// Where the bracket opens that closes at a token.
  private func opener(of close: Int) -> Int? {
    var depth = 0
    for position in (statementStart...close).reversed() {
      if layout.tokens[position].kind.opener != nil { depth += 1 }
      if layout.tokens[position].kind.opensBracket { depth -= 1 }
      if depth == 0 { return position }
    }
    return nil
  }

  /// `output (a, b) = …`
  mutating func reportOutputPattern() {
    guard !failed, [.leftParen, .leftBracket, .leftBrace].contains(current), let after = layout.afterClose(index),
      kind(at: after) == .equal
    else { return }
    let names = (index..<after).filter { layout.tokens[$0].kind == .lowerName }.map { text($0) }
    let pattern = written(index, after)
    reportPattern(
      "an output is one name or several, and no pattern", at: place(index, after),
      [Help("define them, and name them as outputs", code: "\(pattern) = …; output \(names.joined(separator: ", "))")])
  }
}
