// What the parser says when something is missing or does not belong: one place, so that the words agree.
// `ForeignHabits.swift` holds what people bring along from other languages.

import FRPBase

extension Parser {
  /// What stands here, in words, for a label.
  func foundText() -> String {
    if index >= limit {
      return limit >= layout.tokens.count - 1 ? "but the text ends here" : "but the definition ends here"
    }
    let token = token()
    switch token.kind {
    case .stringBegin: return "found a text"
    case .interpolationEnd: return "but the value in the text ends here"
    case .endOfFile: return "but the text ends here"
    default: break
    }
    if current == .separator { return "but a new line begins here" }
    return "found `\(text(index))`"
  }

  /// Reports that something else should stand here, as precisely as what stands here allows.
  mutating func unexpected(_ expected: String) {
    if failed || reportDashes() { return }
    if index < limit, current != .separator {
      if current == .foreign { return reportForeignOperator(index) }
      if reportForeignWord() || reportStrayCloser() || reportIndentedDefinition() || reportDecimalComma() { return }
      if reportByKind() { return }
    }
    report(Diagnostic(.unexpectedToken, "expected \(expected)", at: currentSpan, label: foundText()))
  }

  private mutating func reportByKind() -> Bool {
    switch current {
    case .colon: return reportCons()
    case .equal where index > statementStart + 1 && kind(at: index - 2) == .fatArrow:
      report(
        Diagnostic(
          .foreignHabit, "there is no assignment", at: currentSpan, label: "a function gives a value, and does nothing",
          helps: [Help("what counts is made from events", code: "clicks |> fold(0, (sum, x) => sum + x)")]))
    case .equal:
      report(
        Diagnostic(
          .confusedEquals, "`=` defines, `==` compares", at: currentSpan,
          helps: meantByEquals() + [replacing("to compare", currentSpan, new: "==")]))
    case .arrow:
      report(
        Diagnostic(
          .foreignHabit, "`->` stands only in types; a lambda is written with `=>`", at: currentSpan,
          helps: [replacing("write", currentSpan, new: "=>")]))
    case .ellipsis:
      report(
        Diagnostic(
          .foreignHabit, "a range is written with two dots", at: currentSpan, label: "it includes both ends",
          helps: [replacing("write", currentSpan, new: "..")]))
    case .ifWord where index > 0 && !token().startsLine:
      report(
        Diagnostic(
          .foreignHabit, "the condition comes before what it chooses", at: currentSpan,
          helps: [laterCondition() ?? Help("write", code: "if ready then 1 else 0")]))
    case .elseWord, .thenWord:
      report(Diagnostic(.unexpectedToken, "this `\(text(index))` belongs to no `if`", at: currentSpan))
    case .bar where reportComprehension(): break
    case .bar:
      report(
        Diagnostic(
          .foreignHabit, "`|` stands only between patterns and between variants", at: currentSpan,
          helps: [replacing("for \"or\"", currentSpan, new: "||")]))
    case .asWord: reportCast()
    default:
      guard current.startsOperand, index > 0, !token().startsLine else { return false }
      return reportJuxtaposition()
    }
    return true
  }

  /// `f x`: something follows a whole value.
  private mutating func reportJuxtaposition() -> Bool {
    let previous = layout.tokens[index - 1]
    if reportUnitWord(previous) || reportIndexing(previous) || reportSpacedType(previous) { return true }
    if reportBangs(previous) || reportForced(previous) || reportTextLetter(previous) { return true }
    guard previous.kind == .lowerName || previous.kind == .upperName else { return false }
    let callee = text(index - 1)
    if previous.startsLine, reportTestStep(callee, at: tokenSpan(index - 1)) { return true }
    if kind(at: index + 1) == .equal, reportMisspeltItem(callee, text(index), at: tokenSpan(index - 1)) { return true }
    var arguments = [current == .stringBegin ? "\"…\"" : current.opensBracket ? "…" : text(index)]
    let plain: [TokenKind] = [.lowerName, .int, .float, .trueWord, .falseWord]
    while plain.contains(kind(at: index + arguments.count - 1)), plain.contains(kind(at: index + arguments.count)),
      !layout.tokens[index + arguments.count].startsLine
    {
      arguments.append(text(index + arguments.count))
    }
    report(
      Diagnostic(
        .foreignHabit, "the arguments of a function stand in parentheses", at: currentSpan,
        label: "this follows `\(callee)` without an operator",
        helps: [Help("to call it", code: "\(callee)(\(arguments.joined(separator: ", ")))")]))
    return true
  }

  /// `expect n at 1s == 3`, in no test.
  mutating func reportTestStep(_ word: String, at place: Span) -> Bool {
    let examples = ["given": "given clicks = \"--x-x\" every 100ms", "expect": "expect count at 1s == 2"]
    guard let example = examples[word] else { return false }
    report(
      Diagnostic(
        .unexpectedToken, "`\(word)` stands in a test", at: place,
        helps: [Help("for example", code: "test \"two clicks\" { \(example) }")]))
    return true
  }

  /// `outptu n = 3`
  mutating func reportMisspeltItem(_ word: String, _ name: String, at place: Span) -> Bool {
    guard let meant = nearestNames(word, among: ["output", "input"]).first else { return false }
    report(
      Diagnostic(
        .unexpectedToken, "no definition begins with `\(word)`", at: place,
        helps: [Help("did you mean", code: "\(meant) \(name)"), Help("for a function", code: "\(word)(\(name)) =")]))
    return true
  }

  /// `xs[0]`
  private mutating func reportIndexing(_ previous: Token) -> Bool {
    // `sum [1, 2]` is a call.
    guard current == .leftBracket, [.lowerName, .rightBracket, .rightParen].contains(previous.kind),
      !previous.blankAfter || previous.kind != .lowerName
    else { return false }
    let list = previous.kind == .lowerName ? text(index - 1) : "xs"
    if kind(at: index + 1) == .stringBegin, kind(at: index + 2) == .stringText, kind(at: index + 3) == .stringEnd {
      let key = text(index + 2)
      report(
        Diagnostic(
          .foreignHabit, "an element is taken with `get`, a field with a dot", at: currentSpan,
          label: "no brackets follow a value",
          helps: [
            Help("of a record", code: "\(list).\(fieldText(key))"),
            Help("of a map", code: "\(list) |> get(\"\(key)\")"),
          ]))
      return true
    }
    let isNumber = kind(at: index + 1) == .int && kind(at: index + 2) == .rightBracket
    report(
      Diagnostic(
        .foreignHabit, "an element of a list is taken with `get`", at: currentSpan,
        label: "no brackets follow a list", notes: ["It gives an Option: there may be no such element."],
        helps: [Help("write", code: "\(list) |> get(\(isNumber ? text(index + 1) : "i"))")]))
    return true
  }

  /// `type Shape = Circle Float`, `input x: event Int`
  private mutating func reportSpacedType(_ previous: Token) -> Bool {
    if reportBracketedType(previous) { return true }
    guard current == .upperName else { return false }
    var first = index
    while first > 0, !(layout.tokens[first].startsLine && layout.tokens[first].column == 0) { first -= 1 }
    let (name, type) = (text(index - 1), text(index))
    if kind(at: first) == .typeWord, previous.kind == .upperName {
      report(
        Diagnostic(
          .unexpectedToken, "the fields of a variant stand in parentheses", at: currentSpan,
          helps: [Help("write", code: "\(name)(\(type))")]))
      return true
    }
    guard kind(at: first) == .inputWord, previous.kind == .lowerName || previous.kind == .upperName else {
      return false
    }
    let word = name.lowercased() == "behavior" ? "Behavior" : "Event"
    report(
      Diagnostic(
        .unexpectedToken, "what a type is made of stands in `<` and `>`", at: currentSpan,
        helps: [Help("write", code: "\(word)<\(type)>")]))
    return true
  }

  /// `Event[Int]`
  private mutating func reportBracketedType(_ previous: Token) -> Bool {
    guard current == .leftBracket, previous.kind == .upperName, !previous.blankAfter, kind(at: index + 1) == .upperName
    else { return false }
    let isWhole = kind(at: index + 2) == .rightBracket
    report(
      Diagnostic(
        .foreignHabit, "what a type is made of stands in `<` and `>`", at: currentSpan,
        helps: [Help("write", code: "\(text(index - 1))<\(text(index + 1))\(isWhole ? "" : "…")>")]))
    return true
  }

  /// `5 seconds`
  private mutating func reportUnitWord(_ previous: Token) -> Bool {
    let units = [
      "s": "s", "second": "s", "seconds": "s", "sec": "s", "ms": "ms", "milliseconds": "ms", "min": "min",
      "minute": "min",
      "minutes": "min", "h": "h", "hour": "h", "hours": "h",
    ]
    guard current == .lowerName, previous.kind == .int || previous.kind == .float, let unit = units[text(index)] else {
      return false
    }
    let place = span(Int(previous.start), Int(token().end))
    report(
      Diagnostic(
        .unknownUnit, "a unit stands directly after its number", at: place,
        helps: [replacing("write", place, new: text(index - 1) + unit)]))
    return true
  }

  /// A help that shows the line as it would be; only the new text where the line is long.
  func replacing(_ text: String, _ place: Span, new: String, isSafe: Bool = false) -> Help {
    var start = Int(place.start)
    while start > 0, bytes[start - 1] != 10 { start -= 1 }
    while start < Int(place.start), bytes[start] == 32 || bytes[start] == 9 { start += 1 }
    var end = Int(place.end)
    while end < bytes.count, bytes[end] != 10, end - start < 80 { end += 1 }
    while end > Int(place.end), bytes[end - 1] == 13 || bytes[end - 1] == 32 { end -= 1 }
    let before = String(decoding: bytes[start..<Int(place.start)], as: UTF8.self)
    let after = String(decoding: bytes[Int(place.end)..<max(end, Int(place.end))], as: UTF8.self)
    let code = end - start > 70 ? new : before + new + after
    return Help(text, code: code, edit: Help.Edit(place, new, isSafe: isSafe))
  }

  /// `)` that nothing opened.
  private mutating func reportStrayCloser() -> Bool {
    guard current.opener != nil, current != .interpolationEnd, token().payload < 0 else { return false }
    report(
      Diagnostic(
        .unbalancedBracket, "this `\(text(index))` closes nothing", at: currentSpan,
        helps: [Help("remove it", edit: Help.Edit(currentSpan, ""))]))
    return true
  }

  private mutating func reportIndentedDefinition() -> Bool {
    guard token().startsLine, margin < 0 || token().column > margin else { return false }
    guard current.opensItem || beginsDefinition(),
      !current.startsOperand || current == .lowerName || current.opensBracket
    else { return false }
    if margin < 0, insideBrackets() { return false }
    let place = margin < 0 ? "at the left margin" : "below the first line of its block"
    report(
      Diagnostic(
        .misplacedLine, "this line is indented, so it continues the one before", at: currentSpan,
        label: "a definition begins \(place)",
        helps: margin < 0 ? [Help("move it to the left margin", code: lineText(index))] : []))
    return true
  }

  private func insideBrackets() -> Bool {
    var depth = 0
    for position in statementStart..<min(index, layout.tokens.count) {
      if layout.tokens[position].kind.opensBracket { depth += 1 }
      if layout.tokens[position].kind.opener != nil { depth -= 1 }
    }
    return depth > 0
  }

  /// `1,5` where no comma can stand.
  private mutating func reportDecimalComma() -> Bool {
    guard current == .comma, index > 0, peek() == .int else { return false }
    let before = layout.tokens[index - 1]
    guard before.kind == .int, before.end == token().start, token(1).start == token().end else { return false }
    let number = text(index - 1) + "." + text(index + 1)
    let place = span(Int(before.start), Int(token(1).end))
    if index > 1, layout.tokens[index - 2].kind == .interpolationBegin {
      let brace = Int(layout.tokens[index - 2].start)
      report(
        Diagnostic(
          .malformedNumber, "braces in a text hold a value, and this is none", at: place, label: "a comma makes a pair",
          helps: [
            Help(
              "for the braces themselves", code: "\\{\(text(index - 1)),\(text(index + 1))}",
              edit: Help.Edit(span(brace, brace + 1), "\\{")),
            Help("or a raw text, in which nothing is put", code: "#\"[0-9]{\(text(index - 1)),\(text(index + 1))}\"#"),
          ]))
      return true
    }
    report(
      Diagnostic(
        .malformedNumber, "a comma makes a pair, not a fraction", at: place,
        helps: [Help("did you mean", code: number, edit: Help.Edit(place, number))]))
    return true
  }

  /// The rest of the line that begins at a token.
  func lineText(_ position: Int) -> String {
    var end = Int(layout.tokens[position].start)
    let start = end
    while end < bytes.count, bytes[end] != 10, end < start + 72 { end += 1 }
    while end > start, bytes[end - 1] & 0xC0 == 0x80 || bytes[end - 1] == 13 || bytes[end - 1] == 32 { end -= 1 }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  // MARK: - Brackets

  func spelling(_ closing: TokenKind) -> String {
    switch closing {
    case .rightParen: ")"
    case .rightBracket: "]"
    case .greater: ">"
    default: "}"
    }
  }

  /// `closing` was expected for the bracket at `open`.
  mutating func reportUnclosed(_ open: Int, _ closing: TokenKind) {
    if failed { return }
    let payload = Int(layout.tokens[open].payload)
    if payload >= 0, layout.brackets[payload].close >= 0 {
      return unexpected(separatorWords(closing))
    }
    if current == .foreign { return reportForeignOperator(index) }
    let closer = spelling(closing)
    let next = firstLineBack(open)
    let why: String
    if next >= limit {
      why =
        limit >= layout.tokens.count - 1 ? "the text ends here" : "I gave up here: this line begins a new definition"
    } else if next < index {
      why = "this line begins something new"
    } else if current.opener != nil {
      why = "this `\(text(index))` closes something else"
    } else {
      why = "I gave up here"
    }
    let end = next > open ? Int(layout.tokens[next - 1].end) : lastEnd
    var labels = [Label(labelPlace(next, end), why)]
    var helps = [Help("close it", code: closedLine(open, closer, end: end), edit: Help.Edit(span(end, end), closer))]
    if let comment = commentWithin(open, closer) {
      labels = [Label(comment, "`//` begins a comment, so this `\(closer)` is not read")]
      helps.append(Help("to divide Ints", code: "div(a, b)"))
    }
    report(
      Diagnostic(
        .unbalancedBracket, "this `\(text(open))` is never closed", at: tokenSpan(open), label: "opened here",
        labels: labels, helps: helps))
  }

  private func labelPlace(_ next: Int, _ end: Int) -> Span {
    if layout.tokens[next].kind == .endOfFile { return span(end, end) }
    return next < limit && next >= index ? currentSpan : tokenSpan(next)
  }

  /// The first line after a bracket that is indented no further than the bracket's own, up to here.
  private func firstLineBack(_ open: Int) -> Int {
    let payload = Int(layout.tokens[open].payload)
    guard payload >= 0 else { return index }
    let column = layout.brackets[payload].lineColumn
    for position in (open + 1)..<max(open + 1, index) {
      let token = layout.tokens[position]
      if token.startsLine, token.column <= column, !token.kind.continuesLine { return position }
    }
    return index
  }

  private func separatorWords(_ closing: TokenKind) -> String {
    switch closing {
    case .interpolationEnd: "`}` at the end of the value"
    case .rightBrace where margin >= 0: "a new line or `}`"
    default: "`,` or `\(spelling(closing))`"
    }
  }

  /// The line of the bracket as it would be with the bracket closed, when it is one short line.
  private func closedLine(_ open: Int, _ closer: String, end: Int) -> String {
    var start = Int(layout.tokens[open].start)
    while start > 0, bytes[start - 1] != 10 { start -= 1 }
    while start < end, bytes[start] == 32 || bytes[start] == 9 { start += 1 }
    let line = bytes[start..<max(start, end)]
    if line.contains(10) || line.count > 100 { return closer }
    return String(decoding: line, as: UTF8.self) + closer
  }

  /// What an unfinished entry at a prompt waits for.
  func waitingFor() -> String {
    guard let diagnostic = diagnostics.first, diagnostic.code == .unbalancedBracket else { return "" }
    return diagnostic.helps.first?.edit?.text ?? ""
  }

  // MARK: - Operands

  /// After an operator there must be something.
  mutating func checkOperand(after operatorIndex: Int) -> Bool {
    if failed { return false }
    if current.startsOperand { return true }
    let op = text(operatorIndex)
    let place = tokenSpan(operatorIndex)
    if current == .greater, op == "<", layout.tokens[operatorIndex].end == token().start {
      let both = span(Int(place.start), Int(token().end))
      report(
        Diagnostic(
          .foreignHabit, "`<>` is no operator", at: both,
          helps: [
            replacing("for \"not equal\"", both, new: "!="), replacing("to join texts or lists", both, new: "++"),
          ]))
      return false
    }
    if current == .less, op == ".." {
      report(
        Diagnostic(
          .foreignHabit, "a range includes both ends", at: place, helps: [Help("without the last", code: "0..(n - 1)")])
      )
      return false
    }
    if current == .equal, layout.tokens[operatorIndex].end == token().start {
      reportForeignOperator(operatorIndex)
      return false
    }
    if current.isWord, current != .thenWord, current != .elseWord, current != .asWord {
      reportReserved(index, as: "a value")
      return false
    }
    var diagnostic = Diagnostic(.missingOperand, "`\(op)` needs something on its right", at: place)
    if index >= limit, limit >= layout.tokens.count - 1 {
      diagnostic.label = "the text ends here"
    } else {
      let next = index >= limit ? tokenSpan(limit) : currentSpan
      diagnostic.labels = [Label(next, "this comes next")]
    }
    if op == "++" || op == "-" && operatorIndex > 0 && text(operatorIndex - 1) == "-" {
      diagnostic.notes = ["There is no assignment: a value that counts is `clicks |> count`."]
    }
    if operatorIndex > 0, endsArgument(current), opensArgument(layout.tokens[operatorIndex - 1].kind) {
      diagnostic.helps = [operatorFunction(operatorIndex)]
    }
    report(diagnostic)
    return false
  }

  /// An expression was expected.
  mutating func reportNoOperand() {
    if failed { return }
    let place = currentSpan
    switch index < limit ? current : .endOfFile {
    case .wildcard:
      return report(
        Diagnostic(
          .unexpectedToken, "`_` stands only in patterns", at: place, label: "it has no value",
          helps: [lambda(meantAt: index) ?? Help("a function that ignores its argument", code: "_ => 0")]))
    case .nullWord:
      return report(
        Diagnostic(
          .foreignHabit, "there is no `null`", at: place, label: "what may be absent is an Option",
          helps: [
            Help("nothing", code: "None", edit: Help.Edit(place, "None")), Help("something", code: "Some(value)"),
          ]))
    case .foreign: return reportForeignOperator(index)
    case .quotedName where text(index).contains("${"): return reportTemplate(at: place)
    case .quotedName:
      return report(
        Diagnostic(
          .unexpectedToken, "only the names of fields stand in backticks", at: place,
          helps: [Help("the field of a record", code: "order.\(text(index))")]))
    case .bar:
      return report(
        Diagnostic(
          .foreignHabit, "a lambda is written with `=>`", at: place, helps: [Help("for example", code: "x => x + 1")]))
    case .ellipsis:
      return report(
        Diagnostic(
          .unexpectedToken, "`...` stands only in lists and at the start of a record", at: place,
          helps: [Help("for example", code: "[1, 2, ...rest]")]))
    case .equal where index > 0 && layout.tokens[index - 1].kind == .equal:
      let rest = span(Int(place.start), Int(layout.tokens[min(index + 1, layout.tokens.count - 1)].start))
      return report(
        Diagnostic(
          .confusedEquals, "a definition has one `=`", at: place,
          helps: index + 1 < limit ? [replacing("write", rest, new: "")] : []))
    default: break
    }
    if index < limit, current.infix != nil {
      var diagnostic = Diagnostic(
        .missingOperand, "`\(text(index))` needs something on its left", at: place, label: "no value stands before it")
      if endsArgument(layout.tokens[index + 1].kind) { diagnostic.helps = [operatorFunction(index)] }
      if index > 0, opensArgument(layout.tokens[index - 1].kind), let help = lambda(meantAt: index) {
        diagnostic.helps = [help]
      }
      return report(diagnostic)
    }
    if index < limit, current.isWord, current != .thenWord, current != .elseWord, current != .asWord {
      return reportReserved(index, as: "a value")
    }
    if index < limit, reportStrayCloser() { return }
    reportNoExpression()
  }

  /// A text of JavaScript, in backticks and with `${…}` in it.
  private mutating func reportTemplate(at place: Span) {
    let inside = text(index).dropFirst().dropLast()
    let code = "\"\(inside.replacing("${", with: "{"))\""
    report(
      Diagnostic(
        .foreignHabit, "texts stand in double quotes", at: place, label: "braces put a value into any text",
        helps: [Help("write", code: code, edit: Help.Edit(place, code))]))
  }

  /// `fold(0, +)`: an operator that stands where an argument does.
  private func operatorFunction(_ index: Int) -> Help {
    let function = "(\(text(index)))"
    return Help("the operator as a function", code: function, edit: Help.Edit(tokenSpan(index), function))
  }

  private func opensArgument(_ kind: TokenKind) -> Bool { [.leftParen, .leftBracket, .comma].contains(kind) }

  private func endsArgument(_ kind: TokenKind) -> Bool { [.rightParen, .rightBracket, .comma].contains(kind) }

  private mutating func reportNoExpression() {
    let before = index > 0 ? layout.tokens[index - 1] : layout.tokens[0]
    var diagnostic = Diagnostic(.unexpectedToken, "expected an expression", at: currentSpan, label: foundText())
    if index > 0,
      [.equal, .fatArrow, .comma, .leftParen, .thenWord, .elseWord, .ifWord, .lowerName].contains(before.kind)
    {
      diagnostic.reason = "expected an expression after `\(text(index - 1))`"
    }
    if index > 0, index >= limit || current == .separator { diagnostic.span = tokenSpan(index - 1) }
    let next = index >= limit ? limit : index
    if index >= limit || current == .separator, next < layout.tokens.count - 1, layout.tokens[next].kind.startsOperand {
      diagnostic.label = ""
      let isDefinition = layout.looksLikeDefinition(next) || layout.tokens[next].kind.opensItem
      diagnostic.labels = [
        Label(
          tokenSpan(next),
          isDefinition ? "the next definition begins here" : "a line that belongs to it would be indented")
      ]
    }
    report(diagnostic)
  }

  /// `a < b < c`
  mutating func reportChain(_ level: Precedence, _ start: Int) {
    if failed { return }
    if level == .range {
      return report(Diagnostic(.chainedComparison, "a range has two ends", at: currentSpan))
    }
    report(
      Diagnostic(
        .chainedComparison, "comparisons cannot be chained", at: currentSpan,
        label: "a comparison stands before this one",
        helps: [Help("write", code: "a < b && b < c")]))
  }

  // MARK: - Words

  /// A word of the language where a name should be.
  mutating func reportReserved(_ position: Int, as what: String) {
    let word = text(position)
    if word == "null" {
      return report(
        Diagnostic(
          .foreignHabit, "there is no `null`", at: tokenSpan(position), label: "what may be absent is an Option",
          helps: [Help("nothing", code: "None")]))
    }
    let better = [
      "type": "kind", "input": "source", "output": "result", "test": "check", "match": "fit", "import": "entry",
      "alias": "other",
    ]
    var helps = [replacing("another name", tokenSpan(position), new: word + "_")]
    if let other = better[word] { helps.append(Help("or", code: other)) }
    report(
      Diagnostic(
        .reservedWord, "`\(word)` is a word of the language", at: tokenSpan(position), label: "it cannot be \(what)",
        helps: helps))
  }

  // MARK: - If

  mutating func reportNoThen(_ word: Int) {
    if current == .equal || current == .foreign { return unexpected("`then`") }
    if current == .leftBrace || current == .colon || current == .separator || current.startsOperand,
      !(current == .lowerName && token().startsLine), !wordIsForeign()
    {
      return report(
        Diagnostic(
          .unexpectedToken, "this `if` has no `then`", at: tokenSpan(word),
          labels: [Label(currentSpan, "expected `then` before this")],
          helps: [Help("write", code: "if ready then 1 else 0")]))
    }
    unexpected("`then`")
  }

  mutating func reportNoElse(_ word: Int) {
    if current == .foreign || current == .equal || wordIsForeign() { return unexpected("`else`") }
    if index < limit, current != .separator, current.opener == nil, current != .comma, current != .semicolon {
      return unexpected("`else`")
    }
    report(
      Diagnostic(
        .missingElse, "`if` needs an `else`, because it is a value", at: tokenSpan(word),
        label: "what is it when the condition is false?",
        labels: index < limit ? [Label(currentSpan, "expected `else` before this")] : [],
        helps: [
          Help("a value for the other case", code: "if ready then 1 else 0"),
          Help("to let an event through only sometimes", code: "clicks |> filter(_ => ready)"),
        ]))
  }
}
