// What people write out of habit from other languages, and what it is here (E0106). Only what is no legal program
// is looked at, so none of these words is reserved: `let = 3` is a definition of `let`.

import FRPBase

extension Parser {
  private static let bindingWords: Set<String> = [
    "let", "var", "val", "const", "mut", "local", "my", "auto", "static", "final",
  ]
  private static let functionWords: Set<String> = ["def", "fn", "fun", "func", "function", "proc", "sub"]
  private static let typeWords: Set<String> = [
    "class", "struct", "enum", "interface", "record", "data", "newtype", "union", "trait",
  ]
  private static let loopWords: Set<String> = ["for", "while", "foreach", "loop", "repeat", "until", "do"]
  private static let moduleWords: Set<String> = [
    "module", "package", "namespace", "use", "using", "open", "require", "include", "from",
  ]
  private static let scopeWords: Set<String> = ["export", "public", "private", "pub"]
  private static let printWords: Set<String> = ["print", "println", "puts", "echo", "printf", "console"]

  /// Whether a statement here begins with a word of another language, followed by what no call or definition allows.
  func isForeignStatement() -> Bool {
    guard index < limit, layout.tokens[index].kind == .lowerName,
      !(token(1).startsLine && token(1).column <= max(margin, 0))
    else { return false }
    switch peek() {
    case .lowerName, .upperName, .wildcard, .stringBegin, .int, .float, .ifWord, .matchWord, .typeWord: break
    case .trueWord, .falseWord, .not:
      if !Parser.loopWords.contains(text(index)) { return false }
    case .leftParen, .leftBrace, .leftBracket:
      // `let (a, b) = …`, `class {`; a call or definition otherwise, as is what no blank parts from its arguments.
      guard peek() != .leftParen || layout.tokens[index].blankAfter else { return false }
      guard Parser.bindingWords.contains(text(index)) || peek() == .leftBrace, !beginsDefinition() else { return false }
    default: return false
    }
    let word = text(index)
    return Parser.bindingWords.contains(word) || Parser.functionWords.contains(word) || Parser.typeWords.contains(word)
      || Parser.loopWords.contains(word) || Parser.moduleWords.contains(word) || Parser.scopeWords.contains(word)
      || Parser.printWords.contains(word) || word == "return" || word == "where"
  }

  /// Reports such a statement; false when there is none.
  mutating func reportForeignStatement() -> Bool {
    if failed || !isForeignStatement() { return reportAssignment() }
    let word = text(index)
    let place = tokenSpan(index)
    var next = index + 1
    while next < limit - 1, layout.tokens[next].kind == .lowerName,
      Parser.bindingWords.contains(text(next)) || text(next) == "rec"
    {
      next += 1
    }
    let rest = lineText(next)
    if Parser.bindingWords.contains(word) || Parser.scopeWords.contains(word) {
      let edit = Help.Edit(span(Int(place.start), Int(layout.tokens[next].start)), "")
      report(
        Diagnostic(
          .foreignHabit, "a definition needs no `\(word)`", at: place, label: "a name and `=` make one",
          helps: [Help("write", code: strippingSemicolon(rest), edit: edit)]))
    } else if Parser.functionWords.contains(word) {
      let name = layout.tokens[next].kind == .lowerName ? text(next) : "area"
      report(
        Diagnostic(
          .foreignHabit, "a function needs no `\(word)`", at: place,
          label: "it is defined like a value, with its parameters",
          helps: [Help("write", code: "\(name)(x) = x + 1")]))
    } else if Parser.typeWords.contains(word) {
      let name = layout.tokens[next].kind == .upperName ? text(next) : "Shape"
      report(
        Diagnostic(
          .foreignHabit, "`\(word)` is not how types are made", at: place,
          helps: [
            Help("variants", code: "type \(name) = Circle(Float) | Square(Float)"),
            Help("a name for a record", code: "alias \(name) = {x: Float, y: Float}"),
          ]))
    } else {
      reportOtherStatement(word, place, rest: rest)
    }
    return true
  }

  private mutating func reportOtherStatement(_ word: String, _ place: Span, rest: String) {
    if Parser.loopWords.contains(word) {
      report(
        Diagnostic(
          .foreignHabit, "there are no loops", at: place, label: "lists and events are mapped and folded",
          helps: [
            Help("each element", code: "xs |> map(x => x + 1)"),
            Help("all to one", code: "xs |> fold(0, (sum, x) => sum + x)"),
          ]))
    } else if Parser.printWords.contains(word) {
      report(
        Diagnostic(
          .foreignHabit, "a program shows its values as outputs", at: place,
          helps: [Help("write", code: "output message = \(rest)")]))
    } else if word == "return" {
      report(
        Diagnostic(
          .foreignHabit, "there is no `return`: a function is its value", at: place,
          label: "in a block, the last line is the value",
          helps: [
            Help(
              "write", code: strippingSemicolon(rest), edit: Help.Edit(span(Int(place.start), Int(token(1).start)), ""))
          ]))
    } else if word == "where" {
      report(
        Diagnostic(
          .foreignHabit, "local definitions stand in a block, before its value", at: place,
          helps: [Help("for example", code: "area(r) = { pi2 = 2.0 * pi; pi2 * r * r }")]))
    } else {
      report(
        Diagnostic(
          .foreignHabit, "every file is a module", at: place, label: "`import Geometry` reads `Geometry.frp`",
          helps: [Help("write", code: "import Geometry")]))
    }
  }

  private func strippingSemicolon(_ line: String) -> String { line.hasSuffix(";") ? String(line.dropLast()) : line }

  /// `x += 1`, `x := 1`
  private mutating func reportAssignment() -> Bool {
    guard !failed, current == .lowerName, isAssignment(index + 1) else { return false }
    reportForeignOperator(index + 1)
    return true
  }

  // MARK: - Operators

  /// An operator of another language.
  mutating func reportForeignOperator(_ position: Int) {
    let op = text(position)
    let place = tokenSpan(position)
    let name = position > statementStart && layout.tokens[position - 1].kind == .lowerName ? text(position - 1) : "x"
    func replace(_ title: String, _ right: String, isSafe: Bool = false) -> Diagnostic {
      Diagnostic(.foreignHabit, title, at: place, helps: [replacing("write", place, new: right, isSafe: isSafe)])
    }
    switch op {
    case "+=", "-=", "*=", "/=", "%=", "+", "-", "*", "/", "%":
      let bare = String(op.prefix(1))
      var diagnostic = Diagnostic(
        .foreignHabit, "there is no assignment", at: place,
        label: "a definition holds for ever; what changes is made from events",
        helps: [
          Help("to change over time", code: "\(name) = clicks |> fold(0, (\(name), _) => \(name) \(bare) 1)"),
          Help("for another value", code: "\(name)2 = \(name) \(bare) 1"),
        ])
      if op == "/=" { diagnostic.helps.append(Help("for \"not equal\"", code: "!=")) }
      report(diagnostic)
    case ":=": report(replace("a definition is made with `=`", "=", isSafe: true))
    case "===": report(replace("values are compared with `==`", "==", isSafe: true))
    case "!==": report(replace("values are compared with `!=`", "!=", isSafe: true))
    case "&": report(replace("\"and\" is written `&&`", "&&"))
    case "**", "^":
      report(Diagnostic(.foreignHabit, "there is no operator for powers", at: place, helps: [power(position)]))
    case "?", "??", "?.": reportQuestion(op, position, name: name)
    case "::":
      report(
        Diagnostic(
          .foreignHabit, "`::` is not used here", at: place,
          helps: [
            Help("a name of a module", code: "Geometry.area"),
            Help("an element before a list", code: "[first, ...rest]"), Help("a type", code: "x: Int = 3"),
          ]))
    case "\\":
      report(
        Diagnostic(
          .foreignHabit, "a lambda is written with `=>`", at: place, helps: [Help("for example", code: "x => x + 1")]))
    case "~": report(replace("\"not\" is written `!`", "!"))
    case "$" where lambda(meantAt: position) != nil && kind(at: position + 1) == .int:
      report(
        Diagnostic(
          .foreignHabit, "arguments have no numbers", at: place, helps: [lambda(meantAt: position)].compactMap { $0 }))
    case "$", "@":
      report(
        Diagnostic(
          .foreignHabit, "`\(op)` has no meaning here", at: place,
          helps: [Help("to call a function", code: "f(x)"), Help("or", code: "x |> f")]))
    default: report(Diagnostic(.foreignHabit, "`\(op)` is no operator", at: place))
    }
  }

  private mutating func reportQuestion(_ op: String, _ position: Int, name: String) {
    let help =
      switch op {
      case "?" where choice(at: position) != nil: choice(at: position) ?? Help("")
      case "??": Help("a value for nothing", code: "\(name) |> withDefault(0)")
      case "?.": Help("go on if there is something", code: "\(name) |> map(.field)")
      default: Help("a choice", code: "if \(name) then 1 else 0")
      }
    report(Diagnostic(.foreignHabit, "`\(op)` is no operator", at: tokenSpan(position), helps: [help]))
  }

  /// What other languages write behind a type: `Int?`, `Int[]`, `Int | String`.
  mutating func reportForeignType(from start: Int) {
    if failed || index >= limit { return }
    let written = String(decoding: bytes[start..<lastEnd], as: UTF8.self)
    let place = span(start, here + 1)
    if text(index).hasPrefix("?") {
      let help = replacing("write", place, new: "Option<\(written)>")
      report(Diagnostic(.foreignHabit, "what may be missing is an `Option<…>`", at: place, helps: [help]))
    } else if current == .leftBracket, !token().startsLine, text(index + 1) == "]" {
      let all = span(start, Int(layout.tokens[index + 1].end))
      let help = replacing("write", all, new: "List<\(written)>")
      report(Diagnostic(.foreignHabit, "the type of lists is `List<…>`", at: all, helps: [help]))
    } else if text(index) == "|", !token().startsLine {
      let other = layout.tokens[index + 1].kind == .upperName ? text(index + 1) : "String"
      report(
        Diagnostic(
          .foreignHabit, "a value has one type", at: tokenSpan(index), label: "types are not joined",
          helps: [Help("a case for each", code: "type Choice = First(\(written)) | Second(\(other))")]))
    }
  }

  // MARK: - Words inside expressions

  private static let infixWords: [String: (title: String, right: String)] = [
    "and": ("\"and\" is written `&&`", "&&"), "or": ("\"or\" is written `||`", "||"),
    "xor": ("\"either, not both\" is written `!=`", "!="), "mod": ("the remainder is written `%`", "%"),
    "rem": ("the remainder is written `%`", "%"), "is": ("values are compared with `==`", "=="),
    "isnt": ("values are compared with `!=`", "!="), "equals": ("values are compared with `==`", "=="),
  ]

  /// Whether a word of another language follows a value here.
  func wordIsForeign() -> Bool {
    guard current == .lowerName else { return false }
    let word = text(index)
    return Parser.infixWords[word] != nil
      || ["elif", "elsif", "elseif", "where", "div", "for", "in", "unless", "of", "not"].contains(word)
  }

  /// `a and b`, `elif`, …: a word where an operator could stand.
  mutating func reportForeignWord() -> Bool {
    guard !failed, wordIsForeign(), index > statementStart else { return false }
    let word = text(index)
    let place = currentSpan
    if let (title, right) = Parser.infixWords[word] {
      report(Diagnostic(.foreignHabit, title, at: place, helps: [replacing("write", place, new: right)]))
      return true
    }
    guard let (title, helps) = foreignWord(word, place) else { return false }
    report(Diagnostic(.foreignHabit, title, at: place, helps: helps))
    return true
  }

  private func foreignWord(_ word: String, _ place: Span) -> (title: String, helps: [Help])? {
    switch word {
    case "elif", "elsif", "elseif":
      ("`\(word)` is written `else if`", [replacing("write", place, new: "else if", isSafe: true)])
    case "div": ("`div` is a function", [Help("write", code: "div(a, b)")])
    case "in":
      (
        "`in` has no meaning here",
        [
          Help("whether a list holds it", code: "xs |> contains(x)"),
          Help("local definitions", code: "{ x = 1; x + 1 }"),
        ]
      )
    case "for":
      (
        "there are no comprehensions",
        [
          Help("something for each element", code: "xs |> map(x => x * 2)"),
          Help("some of the elements", code: "xs |> filter(x => x > 0)"),
        ]
      )
    case "where", "unless", "of", "not":
      (
        "`\(word)` has no meaning here",
        [
          Help("local definitions stand in a block", code: "{ x = 1; x + 1 }"),
          Help("cases", code: "match e { Some(x) => x; None => 0 }"),
        ]
      )
    default: nil
    }
  }

  /// What stands behind a word where an operand begins.
  private struct Follower {
    var kind: TokenKind
    /// Whether it is an operand of its own: `not x`.
    var isOperand: Bool
    /// What stands behind its parentheses, if it has some: the brace of `while (x) { … }`.
    var behind: TokenKind
  }

  /// What stands behind this word; nil if that may as well follow a name.
  private func follower() -> Follower? {
    let next = peek()
    guard next.startsOperand, !token(1).startsLine else { return nil }
    let operands: [TokenKind] = [
      .lowerName, .upperName, .int, .stringBegin, .wildcard, .trueWord, .falseWord, .not,
    ]
    let behind = next == .leftParen ? kind(at: layout.afterClose(index + 1)) : .endOfFile
    // `match repeat(…) {`: the brace is another's, and so is the word of `expect a == var every 1s`.
    if context == .beforeArms, next == .leftBrace || behind == .leftBrace { return nil }
    if next == .lowerName, text(index + 1) == "every", token(2).kind.startsOperand { return nil }
    let follower = Follower(kind: next, isOperand: operands.contains(next), behind: behind)
    if follower.isOperand || next == .leftBrace || behind.startsOperand { return follower }
    return behind == .arrow || behind == .fatArrow || behind == .colon ? follower : nil
  }

  /// `not x`, `fn x -> …`, `let x = 1 in …`, `case x of …`: a word where an operand begins.
  mutating func reportForeignOperand() -> Bool {
    guard let follower = follower(), let (title, helps) = foreignOperand(text(index), follower) else { return false }
    report(Diagnostic(.foreignHabit, title, at: currentSpan, helps: helps))
    return true
  }

  /// What is said of such a word; nil if it is a name after all.
  private func foreignOperand(_ word: String, _ follower: Follower) -> (title: String, helps: [Help])? {
    let (next, behind) = (follower.kind, follower.behind)
    switch word {
    case "not" where follower.isOperand:
      let place = span(Int(currentSpan.start), Int(token(1).start))
      return ("\"not\" is written `!`", [Help("write", code: "!" + text(index + 1), edit: Help.Edit(place, "!"))])
    case "fn", "fun", "func", "function", "lambda", "proc":
      let isFunction = [.leftBrace, .arrow, .fatArrow, .colon, .lowerName].contains(behind)
      guard follower.isOperand || isFunction else { return nil }
      return (
        "a function without a name is written with `=>`",
        [Help("for example", code: "x => x + 1"), Help("with two parameters", code: "(a, b) => a + b")]
      )
    case "let", "var", "const", "val":
      guard follower.isOperand else { return nil }
      return ("local definitions stand in a block", [Help("for example", code: "{ x = 1; x + 1 }")])
    case "for", "foreach", "while", "loop", "repeat":
      guard follower.isOperand || next == .leftBrace || behind == .leftBrace else { return nil }
      return ("there are no loops", Parser.insteadOfLoops)
    case "when" where next == .lowerName && !lineText(index + 1).contains("{"):
      return (
        "the arguments of a function stand in parentheses",
        [Help("where a condition becomes true", code: "when(\(lineText(index + 1)))")]
      )
    case "case", "when", "switch":
      guard follower.isOperand || next == .leftBrace || behind == .leftBrace else { return nil }
      let example =
        next == .int
        ? "match \(text(index + 1)) { 1 => \"one\"; _ => \"other\" }" : "match e { Some(x) => x; None => 0 }"
      return ("cases are told apart by `match`", [Help("for example", code: example)])
    case "new", "await", "yield", "do", "return":
      guard follower.isOperand else { return nil }
      return ("there is no `\(word)`", [Help("write", code: lineText(index + 1))])
    default: return nil
    }
  }

  private static let insteadOfLoops = [
    Help("each element of a list", code: "list |> map(x => x + 1)"),
    Help("all of them together", code: "list |> fold(0, (sum, x) => sum + x)"),
    Help("again and again in time", code: "every(1s) |> map(_ => 1)"),
  ]

  // MARK: - Items that are none

  /// What stands at the margin defines nothing.
  mutating func reportNoDefinition() {
    if failed { return }
    if current == .foreign { return reportForeignOperator(index) }
    if current.opener != nil || current.infix != nil && current != .minus
      || [.elseWord, .thenWord, .equal].contains(current)
    {
      return unexpected("a definition")
    }
    let isCallOfWord = peek() == .leftParen && kind(at: layout.afterClose(index + 1)) == .equal
    if current.isWord, isCallOfWord || ![.ifWord, .matchWord, .trueWord, .falseWord].contains(current) {
      return reportReserved(index, as: "a name")
    }
    if current == .lowerName, reportForeignOperand() || reportBadFunction() || reportMethodLine() { return }
    if current == .lowerName, token(1).kind.startsOperand, !token(1).startsLine,
      reportTestStep(text(index), at: currentSpan)
    {
      return
    }
    if current == .minus, token(1).kind == .minus, token(1).start == token().end {
      let dashes = span(Int(token().start), Int(token(1).end))
      return report(
        Diagnostic(
          .foreignHabit, "comments begin with `//`", at: dashes,
          helps: [Help("write", code: "//", edit: Help.Edit(dashes, "//"))]))
    }
    var line = lineText(index)
    if line.isEmpty { line = "…" }
    report(
      Diagnostic(
        .misplacedLine, "this is a value without a name", at: currentSpan, label: "a file holds definitions",
        helps: [Help("to show it", code: "output result = \(line)"), Help("to name it", code: "result = \(line)")]))
  }

  /// A comment at the end of a bracket's line that has what would close it: `map(c => c // 100)`, as one divides elsewhere.
  func commentWithin(_ open: Int, _ closer: String) -> Span? {
    var last = open
    while last + 1 < layout.tokens.count - 1, !layout.tokens[last + 1].startsLine { last += 1 }
    let slashes = bytes[Int(layout.tokens[last].end)...].drop { $0 == 32 }
    guard slashes.starts(with: "//".utf8) else { return nil }
    let comment = slashes.prefix { $0 != 10 && $0 != 13 }
    return closer.utf8.first.map(comment.contains) == true ? span(comment.startIndex, comment.endIndex) : nil
  }

  /// `f x = …`, `f(x) { … }`, `f(x) => …`, `print(x)`, and a bracket that is never closed.
  private mutating func reportBadFunction() -> Bool {
    let name = text(index)
    var position = index + 1
    if peek() == .leftParen {
      guard let after = layout.afterClose(position) else {
        reportUnclosedParameters(position)
        return true
      }
      let next = kind(at: after)
      if next == .leftBrace || next == .fatArrow || next == .arrow {
        let call = String(decoding: bytes[Int(token().start)..<Int(layout.tokens[after - 1].end)], as: UTF8.self)
        report(
          Diagnostic(
            .foreignHabit, "a function is defined with `=`", at: tokenSpan(after),
            helps: [Help("write", code: "\(call) = …")]
          ))
        return true
      }
      guard Parser.printWords.contains(name) else { return false }
      report(
        Diagnostic(
          .foreignHabit, "a program shows its values as outputs", at: currentSpan,
          helps: [Help("for example", code: "output total = 1 + 2")]))
      return true
    }
    if peek() == .append, position + 1 >= limit {
      let place = tokenSpan(position)
      report(
        Diagnostic(
          .foreignHabit, "there is no assignment", at: place, label: "what counts is made from events",
          helps: [Help("for example", code: "\(name) = clicks |> count")]))
      return true
    }
    var names: [String] = []
    while [.lowerName, .wildcard].contains(kind(at: position)) {
      names.append(text(position))
      position += 1
    }
    guard !names.isEmpty, kind(at: position) == .equal else { return false }
    if names.count == 1, reportMisspeltItem(name, names[0], at: tokenSpan(index)) { return true }
    let code = "\(name)(\(names.joined(separator: ", "))) ="
    report(
      Diagnostic(
        .foreignHabit, "the parameters of a function stand in parentheses", at: tokenSpan(index + 1),
        helps: [
          Help("write", code: code, edit: Help.Edit(span(Int(token().start), Int(layout.tokens[position].end)), code))
        ]))
    return true
  }

  private mutating func reportUnclosedParameters(_ open: Int) {
    // Reading on as a definition finds the place where the bracket should have been closed.
    _ = definition(isOutput: false)
    if !failed { reportUnclosed(open, .rightParen) }
  }
}
