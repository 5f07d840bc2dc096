// `test` blocks: `given`, `expect … at …`, `expect … == "marbles" every …` (section 10 of the language).
// `given expect every with at within` are words only here.

import FRPBase

extension Parser {
  /// Test = "test" Text "{" { Step } "}"
  mutating func test() -> Item {
    advance()
    if !failed, current != .stringBegin {
      report(
        Diagnostic(
          .unexpectedToken, "a test needs a name in quotes", at: currentSpan,
          helps: [Help("for example", code: "test \"counts clicks\" {")]))
    }
    let name = failed ? "" : plainText("the name of a test")
    if !failed, current != .leftBrace { unexpected("`{` and the steps of the test") }
    if failed { return .test(name: name, []) }
    let reported = diagnostics.count
    var steps: [TestStep] = []
    let outer = openBracket(asBlock: true)
    let close = closeIndex(outer)
    while true {
      skipSeparators()
      if current == .rightBrace || current == .endOfFile || failed { break }
      statementStart = index
      let first = index
      if let step = step() { steps.append(step) }
      if !failed, current != .rightBrace, current != .semicolon, current != .separator, current != .endOfFile {
        unexpected("a new line or `}`")
      }
      recover(from: first, close: close)
    }
    if current == .endOfFile, diagnostics.count > reported { failed = true; current = .stop }
    closeBracket(.rightBrace, outer)
    return .test(name: name, steps)
  }

  func isWord(_ word: String) -> Bool { current == .lowerName && text(index) == word }

  mutating func eatWord(_ word: String) -> Bool {
    guard isWord(word) else { return false }
    advance()
    return true
  }

  /// Step = Given | ExpectAt | ExpectMarbles
  private mutating func step() -> TestStep? {
    if isWord("given") { return given() }
    if isWord("expect") { return expect() }
    report(
      Diagnostic(
        .unexpectedToken, "a line of a test begins with `given` or `expect`", at: currentSpan,
        helps: [
          Help("what comes in", code: "given clicks = \"--x-x\" every 100ms"),
          Help("what must hold", code: "expect count at 450ms == 2"),
        ]))
    return nil
  }

  /// Given = "given" ( LowerName | Qualified [ Parameters ] ) "=" Expression [ "every" Range ] [ With ]
  private mutating func given() -> TestStep {
    let start = here
    advance()
    if current == .upperName, peek() == .dot, kind(at: index + 2) == .lowerName { return answer(start) }
    let input = bindingName("an input's name", example: "given clicks = \"--x-x\" every 100ms")
    if !eat(.equal) { unexpected("`=`") }
    let value = expression()
    let every: ExprID? = eatWord("every") ? closed(.range) : nil
    return .given(input: input, value: value, every: every, with: with(), span: span(from: start))
  }

  private mutating func answer(_ start: Int) -> TestStep {
    let place = here
    let module = takeName()
    advance()
    let name = takeName()
    let callee = add(.qualified(module: module, name: name), span(from: place))
    let parameters: [PatternID] =
      current == .leftParen ? bracketed(.rightParen, "a parameter") { parser in parser.pattern() } : []
    if !eat(.equal) { unexpected("`=`") }
    let value = expression()
    let every: ExprID? = eatWord("every") ? closed(.range) : nil
    return .answer(
      callee, parameters: parameters, value: value, every: every, with: with(), span: span(from: start))
  }

  /// ExpectAt = "expect" Subject "at" Range "==" Expression [ ( "±" | "within" ) Range ]
  /// ExpectMarbles = "expect" Subject "==" Expression "every" Range [ With ]
  private mutating func expect() -> TestStep {
    let start = here
    advance()
    let subject = closed(.pipe, stopsAtComparison: true)
    if eatWord("at") {
      let moment = closed(.range)
      if !eat(.equalEqual) { reportNoEquals() }
      let value = expression()
      let within: ExprID? = eat(.plusMinus) || eatWord("within") ? closed(.range) : nil
      return .expectAt(subject, at: moment, equals: value, within: within, span: span(from: start))
    }
    if !eat(.equalEqual) { reportNoEquals() }
    let marbles = expression()
    if !failed, !isWord("every") {
      report(
        Diagnostic(
          .unexpectedToken, "an expectation says when", at: current == .lowerName ? currentSpan : span(from: start),
          label: "expected `every` and the length of one character" + (current == .lowerName ? "" : " after this"),
          helps: [
            Help("a value at a moment", code: "expect count at 450ms == 2"),
            Help("occurrences as marbles", code: "expect doubled == \"--A-B\" every 100ms with {A: 2, B: 4}"),
          ]))
    }
    _ = eatWord("every")
    let every = closed(.range)
    return .expectMarbles(subject, marbles: marbles, every: every, with: with(), span: span(from: start))
  }

  private mutating func reportNoEquals() {
    if failed { return }
    if current == .equal {
      return report(
        Diagnostic(
          .confusedEquals, "`=` defines, `==` compares", at: currentSpan,
          helps: [replacing("write", currentSpan, new: "==")]))
    }
    unexpected("`at` or `==`")
  }

  /// With = "with" "{" [ Marble ":" Expression { "," Marble ":" Expression } [ "," ] ] "}"
  private mutating func with() -> [RecordField] {
    guard eatWord("with") else { return [] }
    if current != .leftBrace {
      report(
        Diagnostic(
          .unexpectedToken, "what the characters stand for is a record", at: currentSpan,
          label: "expected `{` before this",
          helps: [Help("for example", code: "with {A: 2, B: 4}")]))
      return []
    }
    var letters: Set<Character> = []
    return bracketed(.rightBrace, "a character") { parser in
      let name = parser.marble()
      parser.check(name, &letters)
      if !parser.eat(.colon) { parser.unexpected("`:`") }
      return RecordField(name: name, value: parser.expression())
    }
  }

  /// What a name of `with` stands for must be one character, and no other's.
  private mutating func check(_ name: Name, _ letters: inout Set<Character>) {
    if failed { return }
    guard name.text.count == 1, let letter = name.text.first else {
      return report(
        Diagnostic(
          .malformedRecord, "a character of the marbles has a value, and \(jsonString(name.text)) is not one character",
          at: name.span, notes: ["Each character of a lane is a moment of its own; `[ab]` are two at one moment."]))
    }
    if "- []".contains(letter) {
      return report(
        Diagnostic(
          .malformedRecord, "`\(letter)` has a meaning of its own in marbles", at: name.span,
          notes: ["`-` is a moment without anything, a blank is nothing, and `[ab]` are two at one moment."]))
    }
    if !letters.insert(letter).inserted {
      report(Diagnostic(.malformedRecord, "`\(letter)` has two values here", at: name.span))
    }
  }

  /// Marble = LowerName | UpperName | Int | Text
  private mutating func marble() -> Name {
    switch current {
    case .lowerName, .upperName, .int, .wildcard: return takeName()
    case .stringBegin:
      let start = here
      return Name(plainText("a character"), span(from: start))
    default:
      unexpected("a character of the marbles")
      return Name("", currentSpan)
    }
  }
}
