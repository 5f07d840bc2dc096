// What stands in braces: records, updates, blocks, the arms of a match.
//
// `{}` is the empty record, `{x: 1}` a record, `{...p, x: 3}` an update, everything else a block: `{x}` is one.
// `{x: Int = 1; x}` begins a block too: a `=` follows before the first `,`.

import FRPBase

extension Parser {
  /// Brace = Record | Update | Block
  mutating func brace() -> ExprID {
    if beginsLambda() { return lambda() }
    switch peek() {
    case .rightBrace: return record()
    case .ellipsis: return update()
    case .stringBegin where kind(at: afterText(index + 1)) == .colon:
      return record()
    default: break
    }
    if isFieldName(peek()) {
      if peek(2) == .colon, !beginsAnnotatedDefinition(index + 3) { return record() }
      if peek(2) == .comma || (peek(2) == .dot && pathEndsInColon(index + 2)) {
        reportNoRecord()
        return missing()
      }
      if reportForeignUpdate() { return missing() }
    }
    return block()
  }

  /// Whether the tokens after `name:` are a type and `=`. What stands in brackets is passed over, so the cost is bounded.
  private func beginsAnnotatedDefinition(_ start: Int) -> Bool {
    var position = start
    var angles = 0
    for _ in 0..<256 where position < limit {
      let kind = layout.tokens[position].kind
      switch kind {
      case .equal: return true
      // `List<Int>= x`.
      case .greaterEqual: return angles > 0
      case .leftParen, .leftBrace:
        guard let after = layout.afterClose(position) else { return false }
        position = after
        continue
      case .less: angles += 1
      case .greater: angles -= 1
      // A comma belongs to the type only inside `<…>`.
      case .comma: if angles <= 0 { return false }
      case .upperName, .lowerName, .dot, .arrow: break
      default: return false
      }
      position += 1
    }
    return false
  }

  private func afterText(_ start: Int) -> Int {
    var position = start
    while position < limit, position < start + 8, layout.tokens[position].kind != .stringEnd { position += 1 }
    return position + 1
  }

  private func pathEndsInColon(_ start: Int) -> Bool {
    var position = start
    while kind(at: position) == .dot, isFieldName(kind(at: position + 1)) { position += 2 }
    return kind(at: position) == .colon
  }

  // MARK: - Records

  /// Record = "{" [ FieldName ":" Expression { "," FieldName ":" Expression } [ "," ] ] "}"
  private mutating func record() -> ExprID {
    let start = here
    var height: Int32 = 0
    let fields: [RecordField] = bracketed(.rightBrace, "a field") { parser in
      if parser.current == .ellipsis { parser.reportLateSpread() }
      if parser.isFieldName(parser.current), parser.peek() == .dot { parser.reportPathOutsideUpdate() }
      let name = parser.fieldName("a field's name", example: "{x: 1, y: 2}")
      parser.expectColon(after: name)
      let value = parser.expression()
      height = max(height, parser.height(value))
      return RecordField(name: name, value: value)
    }
    return add(.record(fields), span(from: start), height: height + 1)
  }

  /// Update = "{" "..." Expression { "," Path ":" Expression } [ "," ] "}" with Path = FieldName { "." FieldName }
  private mutating func update() -> ExprID {
    let start = here
    let outer = openBracket()
    advance()
    let base = expression()
    var height = self.height(base)
    var fields: [UpdateField] = []
    while eat(.comma), current != .rightBrace, !failed {
      if current == .ellipsis { reportLateSpread() }
      var path = [fieldName("a field's name", example: "{...p, x: 3}")]
      while eat(.dot) { path.append(fieldName("a field's name", example: "{...person, address.zip: \"47523\"}")) }
      if let last = path.last { expectColon(after: last) }
      let value = expression()
      height = max(height, self.height(value))
      fields.append(UpdateField(path: path, value: value))
    }
    closeBracket(.rightBrace, outer)
    return add(.update(base, fields), span(from: start), height: height + 1)
  }

  private mutating func expectColon(after name: Name) {
    if eat(.colon) || failed { return }
    if current == .equal {
      return report(
        Diagnostic(
          .malformedRecord, "the fields of a record are written with `:`", at: currentSpan,
          helps: [Help("write", code: "\(fieldText(name.text)): …", edit: Help.Edit(currentSpan, ":"))]))
    }
    if current == .comma || current == .rightBrace {
      return report(
        Diagnostic(
          .malformedRecord, "the field `\(name.text)` needs a value", at: name.span,
          helps: isPlain(name)
            ? [
              Help(
                "write", code: "\(name.text): \(name.text)", edit: Help.Edit(name.span, "\(name.text): \(name.text)"))
            ] : [Help("write", code: "`\(name.text)`: …")]))
    }
    if let help = backticked(from: index - 1) {
      return report(
        Diagnostic(
          .malformedRecord, "a field's name with other signs than letters and digits stands in backticks",
          at: currentSpan, helps: [help]))
    }
    unexpected("`:`")
  }

  private func isPlain(_ name: Name) -> Bool { !fieldText(name.text).hasPrefix("`") }

  private mutating func reportLateSpread() {
    report(
      Diagnostic(
        .malformedRecord, "the record that is updated comes first", at: currentSpan,
        notes: ["An update changes fields; it adds none."],
        helps: [Help("for example", code: "{...point, x: 3}")]))
  }

  private mutating func reportPathOutsideUpdate() {
    report(
      Diagnostic(
        .malformedRecord, "only an update can reach into a field of a field", at: currentSpan,
        helps: [Help("for example", code: "{...person, address.zip: \"47523\"}")]))
  }

  /// `{x, y}` and `{a.b: 1}` as values.
  private mutating func reportNoRecord() {
    advance()
    if peek() == .dot { return reportPathOutsideUpdate() }
    var names = [text(index)]
    while names.count < 8, peek(2 * names.count - 1) == .comma, isFieldName(peek(2 * names.count)) {
      names.append(text(index + 2 * names.count))
    }
    // A field with its value behind them: then no tuple was meant.
    let next = 2 * names.count - 1
    let goesOn = peek(next) == .colon || (peek(next) == .comma && kind(at: index + next + 2) == .colon)
    if goesOn, peek(next) == .colon { names.removeLast() }
    if names.count == 1, !goesOn { names.append(names[0] == "y" ? "x" : "y") }
    let fields = names.map { "\($0): \($0)" }.joined(separator: ", ")
    let tuple = Help(names.count == 2 ? "for a pair" : "for a tuple", code: "(\(names.joined(separator: ", ")))")
    report(
      Diagnostic(
        .malformedRecord, "a record names the value of every field", at: currentSpan,
        label: "`{\(names[0])}` alone would be a block",
        helps: [Help("for a record", code: "{\(fields)\(goesOn ? ", …" : "")}")] + (goesOn ? [] : [tuple])))
  }

  // MARK: - Blocks

  /// Block = "{" { Definition Separator } Expression [ Separator ] "}"
  private mutating func block() -> ExprID {
    let start = here
    let outerStatement = statementStart
    let reported = diagnostics.count
    var items: [ItemID] = []
    var value: ExprID?
    var height: Int32 = 0
    let outer = openBracket(asBlock: true)
    let close = closeIndex(outer)
    while true {
      skipSeparators()
      if current == .rightBrace || current == .endOfFile || failed { break }
      statementStart = index
      let first = index
      statement(&items, &value, height: &height)
      if !failed, current != .rightBrace, current != .semicolon, current != .separator, current != .endOfFile {
        unexpected("a new line or `}`")
      }
      recover(from: first, close: close)
    }
    statementStart = outerStatement
    if value == nil, !failed, diagnostics.count == reported, current == .rightBrace { reportNoValue(start) }
    if current == .endOfFile, diagnostics.count > reported, close < 0 { failed = true; current = .stop }
    closeBracket(.rightBrace, outer)
    let result = value ?? missing()
    return add(.block(items, result), span(from: start), height: max(height, self.height(result)) + 1)
  }

  private mutating func statement(_ items: inout [ItemID], _ value: inout ExprID?, height: inout Int32) {
    let first = index
    if let earlier = value, !failed {
      let place = tree.span(earlier)
      value = nil
      return report(
        Diagnostic(
          .unexpectedToken, "only the last line of a block is its value", at: place,
          label: "this value is used for nothing", labels: [Label(currentSpan, "more follows here")],
          helps: token().kind == .minus
            ? [Help("to continue the line before, put a blank after the `-`", code: "- ")]
            : [Help("to give it a name", code: "name = …")]))
    }
    if current.opensItem { return reportItemInBlock() }
    if reportForeignStatement() { return }
    guard beginsDefinition() else {
      value = expression()
      if current == .equal || current == .comma { reportBlockRecord(first) }
      return
    }
    let start = here
    let definition = definition(isOutput: false)
    height = max(height, self.height(definition.body))
    if !failed, current == .comma { reportBlockRecord(first) }
    let id = tree.add(.definition(definition), span(from: start))
    if let docs = docs(before: start) { tree.itemDocs[id] = docs }
    items.append(id)
  }

  mutating func skipSeparators() {
    while true {
      if current == .separator {
        passed = index
        refresh()
      } else if current == .semicolon {
        advance()
      } else {
        return
      }
    }
  }

  private mutating func reportItemInBlock() {
    if [.equal, .colon].contains(peek()) { return reportReserved(index, as: "a name") }
    report(
      Diagnostic(
        .misplacedLine, "`\(text(index))` stands at the left margin of a file", at: currentSpan,
        label: "a block holds only definitions and its value"))
  }

  private mutating func reportNoValue(_ start: Int) {
    report(
      Diagnostic(
        .unexpectedToken, "this block has no value", at: currentSpan, label: "expected an expression before this",
        labels: [Label(span(start, start + 1), "the block begins here")]))
  }

  private mutating func reportBlockRecord(_ first: Int) {
    if current == .comma, isFieldName(layout.tokens[first].kind), layout.tokens[first + 1].kind == .equal {
      let name = text(first)
      return report(
        Diagnostic(
          .malformedRecord, "the fields of a record are written with `:`", at: tokenSpan(first + 1),
          helps: [Help("write", code: "\(name): …", edit: Help.Edit(tokenSpan(first + 1), ":"))]))
    }
    if current == .comma {
      return report(
        Diagnostic(
          .unexpectedToken, "expected a new line or `}`", at: currentSpan, label: "braces hold a record, or a block",
          helps: [Help("for a list", code: "[1, 2]"), Help("for a set", code: "Set.fromList([1, 2])")]))
    }
    unexpected("a new line or `}`")
  }

  // MARK: - Match

  /// Match = "match" Expression "{" Arm { Separator Arm } [ Separator ] "}"
  mutating func match() -> ExprID {
    let start = here
    let outerStatement = statementStart
    let outerContext = context
    context = .beforeArms
    advance()
    let subject = expression()
    context = outerContext
    var height = self.height(subject)
    if !failed, current != .leftBrace { reportNoArms() }
    if failed { return add(.missing, span(from: start)) }
    let reported = diagnostics.count
    var arms: [MatchArm] = []
    var isToldOfWord = false
    let outer = openBracket(asBlock: true)
    let close = closeIndex(outer)
    while true {
      skipSeparators()
      if current == .rightBrace || current == .endOfFile || failed { break }
      statementStart = index
      let first = index
      let arm = arm(&isToldOfWord)
      height = max(height, self.height(arm.body))
      arms.append(arm)
      if !failed, current == .comma {
        noteArmComma()
        advance()
        continue
      }
      if !failed, current != .rightBrace, current != .semicolon, current != .separator, current != .endOfFile {
        unexpected("a new line or `}`")
      }
      recover(from: first, close: close)
    }
    statementStart = outerStatement
    if arms.isEmpty, !failed, current == .rightBrace {
      report(
        Diagnostic(
          .unexpectedToken, "this `match` has no cases", at: currentSpan, helps: [Help("for example", code: "_ => 0")]))
    }
    if current == .endOfFile, diagnostics.count > reported, close < 0 { failed = true; current = .stop }
    closeBracket(.rightBrace, outer)
    return add(.match(subject, arms), span(from: start), height: height + 1)
  }

  /// Arm = Pattern [ "if" Guard ] "=>" Expression
  private mutating func arm(_ isToldOfWord: inout Bool) -> MatchArm {
    if current == .elseWord {
      report(
        Diagnostic(
          .foreignHabit, "the case for everything else is `_`", at: currentSpan,
          helps: [Help("write", code: "_ => …", edit: Help.Edit(currentSpan, "_"))]))
    }
    reportArmWord(&isToldOfWord)
    let first = index
    let pattern = pattern()
    reportForeignArm(from: first)
    var guardExpr: ExprID?
    if eat(.ifWord) { guardExpr = closed(.pipe) }
    if !failed, current != .fatArrow { reportNoFatArrow() }
    _ = eat(.fatArrow)
    return MatchArm(pattern: pattern, guardExpr: guardExpr, body: expression())
  }

  /// An expression that is no lambda and no `if` unless in brackets, from a level on.
  mutating func closed(_ minimum: Precedence, stopsAtComparison: Bool = false) -> ExprID {
    let outer = context
    context = .beforeArrow
    defer { context = outer }
    return binary(minimum, stopsAtComparison: stopsAtComparison)
  }

  private mutating func reportNoFatArrow() {
    if current == .arrow || current == .colon || current == .equal || (current == .foreign && text(index) == ":=") {
      return report(
        Diagnostic(
          .foreignHabit, "between a pattern and its value stands `=>`", at: currentSpan,
          helps: [replacing("write", currentSpan, new: "=>", isSafe: current == .arrow)]))
    }
    unexpected("`=>`")
  }

  private mutating func noteArmComma() {
    note(
      Diagnostic(
        .foreignHabit, "cases are separated by new lines or `;`", at: currentSpan,
        helps: [replacing("write", currentSpan, new: token(1).startsLine ? "" : ";", isSafe: true)]))
  }

  private mutating func reportNoArms() {
    if current == .colon || current == .lowerName && ["with", "of", "in"].contains(text(index)) {
      return report(
        Diagnostic(
          .foreignHabit, "the cases of a `match` stand in braces", at: currentSpan,
          helps: [Help("for example", code: "match shape { Circle(r) => r; _ => 0.0 }")]))
    }
    unexpected("`{` and the cases")
  }
}
