// Expressions: precedence climbing over operators, then prefix, postfix and primary forms.
//
//   |>  ||  &&  == != < <= > >=  ..  ++ (right)  + -  * / %  - !  call and field        (loosest first)
//
// A lambda, `if … else` and a guard-free `match` arm reach as far right as they can; they are primaries here, and
// since they eat everything, no operator is left for whoever asked for them.

import FRPBase

extension Parser {
  /// Expression = Pipe | OpenExpression
  mutating func expression() -> ExprID { binary(.pipe) }

  /// Every infix level; `stopsAtComparison` is the subject of a test's `expect`.
  mutating func binary(_ minimum: Precedence, stopsAtComparison: Bool = false) -> ExprID {
    if failed { return missing() }
    defer { nesting -= 1 }
    guard enter() else { return missing() }
    let start = here
    var left = unary()
    while let level = current.infix, level >= minimum, !failed {
      if stopsAtComparison, level == .or || level == .and || level == .comparison { break }
      let operatorIndex = index
      advance()
      if !checkOperand(after: operatorIndex) { return left }
      let right = binary(stopsAtComparison && level == .pipe ? .range : level.ofRightOperand)
      left = join(left, operatorIndex, right: right, start: start)
      if !level.associates, current.infix == level { reportChain(level, start) }
    }
    return left
  }

  private mutating func join(_ left: ExprID, _ operatorIndex: Int, right: ExprID, start: Int) -> ExprID {
    let height = 1 + max(self.height(left), self.height(right))
    let place = span(from: start)
    guard let op = layout.tokens[operatorIndex].kind.binaryOp else {
      return add(.pipe(left, right), place, height: height)
    }
    return add(.binary(op, left, right, operatorSpan: tokenSpan(operatorIndex)), place, height: height)
  }

  /// Unary = { "-" | "!" } Postfix
  private mutating func unary() -> ExprID {
    guard current == .minus || current == .not else { return postfix() }
    if failed { return missing() }
    defer { nesting -= 1 }
    guard enter() else { return missing() }
    let start = here
    let operatorIndex = index
    let isMinus = current == .minus
    advance()
    if !checkOperand(after: operatorIndex) { return missing() }
    if isMinus, current == .int, lexed.ints[Int(token().payload)] == 1 << 63 {
      advance()
      return add(.int(Int.min), span(from: start))
    }
    let operand = unary()
    if isMinus, layout.tokens[operatorIndex + 1].end == Int32(lastEnd) {
      switch tree[operand] {
      case .int(let value): return add(.int(-value), span(from: start))
      case .float(let value): return add(.float(-value), span(from: start))
      default: break
      }
    }
    return add(.unary(isMinus ? .negate : .not, operand), span(from: start), height: 1 + height(operand))
  }

  /// Postfix = Primary { "." FieldName | "(" Arguments ")" }
  private mutating func postfix() -> ExprID {
    let start = here
    let first = current
    var result = primary()
    if first == .ifWord || first == .stop { return result }
    if case .lambda = tree[result] { return result }
    while !failed {
      if current == .dot {
        advance()
        let name = afterDot()
        result = add(.field(result, name), span(from: start), height: 1 + height(result))
      } else if current == .leftParen {
        result = call(result, start)
      } else {
        return result
      }
    }
    return result
  }

  private mutating func afterDot() -> Name {
    if !failed, current == .int {
      report(
        Diagnostic(
          .foreignHabit, "a tuple has no numbered fields", at: currentSpan,
          helps: [Help("take it apart with a pattern", code: "(first, second) = pair")]))
    }
    return fieldName("a field's name", example: "point.x")
  }

  /// Arguments = "(" [ Expression { "," Expression } [ "," ] ] ")", after a constructor also labelled
  private mutating func call(_ callee: ExprID, _ start: Int) -> ExprID {
    let isLabelled = isFieldName(peek()) && peek(2) == .colon
    if isLabelled { return labelledCall(callee, start) }
    let arguments = bracketed(.rightParen, "an argument") { parser in
      if parser.isFieldName(parser.current), parser.peek() == .colon { parser.reportLabel(of: callee) }
      return parser.expression()
    }
    let height = arguments.reduce(self.height(callee)) { max($0, self.height($1)) } + 1
    return add(.call(callee, arguments), span(from: start), height: height)
  }

  private mutating func labelledCall(_ callee: ExprID, _ start: Int) -> ExprID {
    if !isConstructor(callee) {
      advance()
      reportLabel(of: callee)
      return missing()
    }
    let arguments: [(label: Name, value: ExprID)] = bracketed(.rightParen, "an argument") { parser in
      if !parser.isFieldName(parser.current) || parser.peek() != .colon { parser.reportSomeLabels() }
      let label = parser.fieldName("a label", example: "Rect(w: 1.0, h: 2.0)")
      _ = parser.eat(.colon)
      return (label, parser.expression())
    }
    let height = arguments.reduce(self.height(callee)) { max($0, self.height($1.value)) } + 1
    return add(.callLabelled(callee, arguments), span(from: start), height: height)
  }

  /// A label where none can stand.
  private mutating func reportLabel(of callee: ExprID) {
    if isConstructor(callee) { return reportSomeLabels() }
    report(
      Diagnostic(
        .unexpectedToken, "the arguments of a function have no labels", at: currentSpan,
        label: "only those of a variant have, as in `Rect(w: 1.0, h: 2.0)`"))
  }

  private mutating func reportSomeLabels() {
    report(Diagnostic(.unexpectedToken, "either all arguments have labels or none", at: currentSpan))
  }

  private func isConstructor(_ id: ExprID) -> Bool {
    switch tree[id] {
    case .constructor: true
    case .qualified(_, let name): name.text.first?.isUppercase ?? false
    default: false
    }
  }

  // MARK: - Primaries

  /// Primary = Literal | Name | Qualified | Paren | List | Brace | FieldFunction | If | Match | Lambda
  private mutating func primary() -> ExprID {
    let start = here
    switch current {
    case .lowerName: return lowerName()
    case .upperName: return upperName()
    case .int:
      let value = intValue(Int(token().payload), isNegative: false)
      advance()
      return add(.int(value), span(from: start))
    case .float, .duration:
      let value = lexed.doubles[Int(token().payload)]
      let isFloat = current == .float
      advance()
      return add(isFloat ? .float(value) : .duration(value), span(from: start))
    case .trueWord, .falseWord:
      let value = current == .trueWord
      advance()
      return add(.bool(value), span(from: start))
    case .stringBegin: return string()
    case .leftParen: return paren()
    case .leftBracket: return list()
    case .leftBrace: return brace()
    case .dot: return fieldFunction()
    case .ifWord, .matchWord:
      if usedAsName(peek()) {
        reportReserved(index, as: "a value")
        return missing()
      }
      return current == .ifWord ? conditional() : match()
    case .wildcard where beginsLambda(): return lambda()
    default:
      reportNoOperand()
      return missing()
    }
  }

  /// Whether what follows `if` or `match` could only follow a name.
  private func usedAsName(_ next: TokenKind) -> Bool {
    next.infix != nil && next != .minus || [.rightParen, .rightBracket, .comma, .equal, .colon].contains(next)
  }

  mutating func intValue(_ payload: Int, isNegative: Bool) -> Int {
    let value = lexed.ints[payload]
    if value == 1 << 63 {
      if isNegative { return Int.min }
      note(
        Diagnostic(
          .malformedNumber, "this number is too large", at: currentSpan,
          label: "an Int lies between -9223372036854775808 and 9223372036854775807"))
      return Int.max
    }
    let plain = Int(truncatingIfNeeded: value)
    return isNegative ? -plain : plain
  }

  private mutating func lowerName() -> ExprID {
    if beginsLambda() { return lambda() }
    if reportForeignOperand() { return missing() }
    let start = here
    let name = text(index)
    advance()
    return add(.name(name), span(from: start))
  }

  private mutating func upperName() -> ExprID {
    if beginsLambda() { return lambda() }
    let start = here
    let name = takeName()
    guard current == .dot else { return add(.constructor(name.text), name.span) }
    advance()
    // `Json.as` has the name that people look for.
    if current == .upperName || current == .lowerName || current == .asWord {
      return add(.qualified(module: name, name: takeName()), span(from: start))
    }
    if !failed, current.isWord { reportReserved(index, as: "a name") }
    unexpected("a name of the module `\(name.text)`")
    return missing()
  }

  private mutating func string() -> ExprID {
    let start = here
    var parts: [StringPart] = []
    var height: Int32 = 0
    advance()
    while !failed, current != .stringEnd, current != .endOfFile {
      if current == .interpolationBegin {
        let part = interpolation()
        height = max(height, 1 + self.height(part))
        parts.append(.expr(part))
      } else {
        let payload = Int(token().payload)
        if current == .stringText, payload >= 0, payload < lexed.texts.count, !lexed.texts[payload].isEmpty {
          parts.append(.text(lexed.texts[payload]))
        }
        advance()
      }
    }
    _ = eat(.stringEnd)
    return add(.string(parts), span(from: start), height: height)
  }

  private mutating func interpolation() -> ExprID {
    if peek() == .interpolationEnd {
      report(
        Diagnostic(
          .malformedText, "there is no value between these braces", at: currentSpan,
          helps: [Help("a brace that is only text", code: "\\{\\}")]))
    }
    let outer = openBracket()
    let value = expression()
    if !failed, current == .colon, case .string = tree[value] { reportJSONInText(outer.open) }
    closeBracket(.interpolationEnd, outer)
    return value
  }

  /// Paren = "(" Operator ")" | "(" [ Expression { "," Expression } ] ")"
  private mutating func paren() -> ExprID {
    if beginsLambda() { return lambda() }
    let start = here
    if peek(2) == .rightParen, let op = peek().binaryOp {
      advance()
      advance()
      advance()
      return add(.operatorFunction(op), span(from: start))
    }
    if peek(2) == .rightParen, peek() == .not || peek() == .pipe {
      report(
        Diagnostic(
          .unexpectedToken, "`\(text(index + 1))` alone is no function", at: tokenSpan(index + 1),
          helps: [peek() == .not ? Help("write", code: "x => !x") : Help("write", code: "(x, f) => x |> f")]))
      return missing()
    }
    var endsInComma = false
    let parts = bracketed(.rightParen, "a value") { parser in
      let part = parser.expression()
      endsInComma = parser.current == .comma
      return part
    }
    if parts.isEmpty { return add(.unit, span(from: start)) }
    let height = parts.reduce(0) { max($0, self.height($1)) } + 1
    if parts.count > 1 { return add(.tuple(parts), span(from: start), height: height) }
    if endsInComma {
      report(
        Diagnostic(
          .unexpectedToken, "there are no tuples of one", at: span(from: start), helps: [Help("remove the comma")]))
    }
    return add(.paren(parts[0]), span(from: start), height: height)
  }

  /// List = "[" [ Element { "," Element } [ "," ] ] "]" with Element = [ "..." ] Expression
  private mutating func list() -> ExprID {
    if beginsLambda() { return lambda() }
    let start = here
    var height: Int32 = 0
    let elements: [ListElement] = bracketed(.rightBracket, "an element") { parser in
      let isSpread = parser.eat(.ellipsis)
      let value = parser.expression()
      height = max(height, parser.height(value))
      return isSpread ? .spread(value) : .item(value)
    }
    return add(.list(elements), span(from: start), height: height + 1)
  }

  /// FieldFunction = "." FieldName
  private mutating func fieldFunction() -> ExprID {
    let start = here
    advance()
    let name = fieldName("a field's name", example: ".name")
    if !failed, current == .dot || current == .leftParen {
      report(
        Diagnostic(
          .unexpectedToken, "`.\(name.text)` is the function that takes one field", at: span(from: start),
          label: "more than that needs a lambda", helps: [fieldsOfFields(from: start, name)]))
    }
    return add(.fieldFunction(name), span(from: start))
  }

  /// The lambda for `.job.id`; what is called behind the fields is not known here.
  private func fieldsOfFields(from start: Int, _ name: Name) -> Help {
    var path = "x => x.\(fieldText(name.text))"
    var offset = 0
    while kind(ahead: offset) == .dot, isFieldName(kind(ahead: offset + 1)) {
      path += "." + text(index + offset + 1)
      offset += 2
    }
    if kind(ahead: offset) == .leftParen || offset == 0 { return Help("for example", code: path + ".…") }
    let end = Int(token(offset - 1).end)
    return Help("write", code: path, edit: Help.Edit(span(start, end), path))
  }

  private func kind(ahead offset: Int) -> TokenKind { offset == 0 ? current : peek(offset) }

  // MARK: - Lambda

  /// Whether the token here begins a lambda: a parameter or parameters, then `=>`. `->` is read as `=>`.
  func beginsLambda() -> Bool {
    if context == .beforeArrow { return false }
    func isArrow(_ kind: TokenKind) -> Bool { kind == .fatArrow || kind == .arrow }
    switch current {
    case .lowerName, .wildcard: return isArrow(peek())
    case .leftParen, .leftBracket, .leftBrace: return isArrow(kind(at: layout.afterClose(index)))
    case .upperName:
      if isArrow(peek()) { return true }
      var position = index + 1
      if peek() == .dot, peek(2) == .upperName { position = index + 3 }
      if isArrow(kind(at: position)) { return true }
      return kind(at: position) == .leftParen && isArrow(kind(at: layout.afterClose(position)))
    default: return false
    }
  }

  /// Lambda = ( PatternPrimary | "(" [ Pattern { "," Pattern } ] ")" ) "=>" Expression
  mutating func lambda() -> ExprID {
    let start = here
    var parameters: [PatternID] = []
    if current == .leftParen {
      parameters = bracketed(.rightParen, "a parameter") { parser in
        let pattern = parser.pattern()
        if parser.current == .colon {
          parser.report(
            Diagnostic(
              .unexpectedToken, "the parameters of a lambda have no types", at: parser.currentSpan,
              label: "they are inferred", helps: [Help("or define a function", code: "f(x: Int) = x + 1")]))
        }
        return pattern
      }
    } else {
      parameters = [patternPrimary()]
    }
    if !failed, current == .arrow {
      note(
        Diagnostic(
          .foreignHabit, "a lambda is written with `=>`", at: currentSpan,
          helps: [replacing("write", currentSpan, new: "=>", isSafe: true)]))
      advance()
    } else if !eat(.fatArrow) {
      unexpected("`=>`")
    }
    let body = expression()
    return add(.lambda(parameters, body), span(from: start), height: 1 + height(body))
  }

  // MARK: - If

  /// If = "if" Expression "then" Expression "else" Expression
  private mutating func conditional() -> ExprID {
    let start = here
    let word = index
    if context == .beforeArrow {
      report(Diagnostic(.unexpectedToken, "an `if` needs parentheses here", at: currentSpan))
      return missing()
    }
    advance()
    let condition = expression()
    if !failed, current != .thenWord { reportNoThen(word) }
    _ = eat(.thenWord)
    let then = expression()
    if !failed, current != .elseWord { reportNoElse(word) }
    _ = eat(.elseWord)
    let otherwise = expression()
    let height = 1 + max(self.height(condition), self.height(then), self.height(otherwise))
    return add(.conditional(condition, then: then, otherwise: otherwise), span(from: start), height: height)
  }
}
