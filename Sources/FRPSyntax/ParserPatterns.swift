// Patterns: literals, names, `_`, constructors, tuples, records `{x, y: 0}`, lists `[first, ...rest]`, `a | b`,
// `p as name`.

import FRPBase

extension Parser {
  /// Pattern = PatternPrimary { "|" PatternPrimary } [ "as" LowerName ]. `isTyped`: a type may stand behind it.
  mutating func pattern(isTyped: Bool = false) -> PatternID {
    if failed { return missingPattern() }
    defer { nesting -= 1 }
    guard enter() else { return missingPattern() }
    let start = here
    let firstToken = index
    let first = patternPrimary()
    var result = first
    if current == .bar {
      var alternatives = [first]
      while eat(.bar) { alternatives.append(patternPrimary()) }
      result = tree.add(.alternatives(alternatives), span(from: start))
    }
    result = aliasSuffix(result, start)
    if !Parser.followsPattern(current), !isTyped || current != .colon { reportForeignPattern(from: firstToken) }
    return result
  }

  /// Whether a kind of token may stand behind a whole pattern.
  private static func followsPattern(_ kind: TokenKind) -> Bool {
    switch kind {
    case .fatArrow, .comma, .rightParen, .rightBracket, .rightBrace, .ifWord, .arrow, .equal, .separator, .stop: true
    default: false
    }
  }

  mutating func missingPattern() -> PatternID { tree.add(.missing, currentSpan) }

  mutating func aliasSuffix(_ inner: PatternID, _ start: Int) -> PatternID {
    guard eat(.asWord) else { return inner }
    let name = bindingName("a name", example: "Some(x) as whole")
    let binder: PatternID = tree.add(.name(name.text), name.span)
    return tree.add(.alias(inner, binder), span(from: start))
  }

  /// PatternPrimary = Literal | "_" | LowerName | ConstructorPattern | TuplePattern | RecordPattern | ListPattern
  mutating func patternPrimary() -> PatternID {
    let start = here
    switch current {
    case .lowerName:
      let name = takeName()
      return tree.add(.name(name.text), name.span)
    case .wildcard:
      advance()
      return tree.add(.wildcard, span(from: start))
    case .int, .float, .minus:
      return numberPattern()
    case .trueWord, .falseWord:
      let value = current == .trueWord
      advance()
      return tree.add(.bool(value), span(from: start))
    case .stringBegin:
      let text = plainText("a pattern")
      return tree.add(.string(text), span(from: start))
    case .upperName: return constructorPattern()
    case .leftParen: return parenPattern()
    case .leftBrace: return recordPattern()
    case .leftBracket: return listPattern()
    case .duration:
      report(
        Diagnostic(
          .unexpectedToken, "a duration cannot be a pattern", at: currentSpan,
          helps: [Help("compare in a guard", code: "d if d == \(text(index)) => …")]))
    default:
      if reportForeignPatternStart() { break }
      if current.isWord { reportReserved(index, as: "a pattern") } else { unexpected("a pattern") }
    }
    return missingPattern()
  }

  private mutating func numberPattern() -> PatternID {
    let start = here
    let isNegative = eat(.minus)
    let payload = Int(token().payload)
    if current == .int {
      let value = intValue(payload, isNegative: isNegative)
      advance()
      return tree.add(.int(value), span(from: start))
    }
    guard current == .float else {
      unexpected("a number")
      return missingPattern()
    }
    let value = lexed.doubles[payload]
    advance()
    return tree.add(.float(isNegative ? -value : value), span(from: start))
  }

  /// ConstructorPattern = [ UpperName "." ] UpperName [ "(" Arguments ")" ]
  private mutating func constructorPattern() -> PatternID {
    let start = here
    var name = takeName()
    var module: Name?
    if current == .dot {
      advance()
      module = name
      name = typeName("a variant's name", example: "Geometry.Circle(r)")
    }
    var arguments: [(label: Name?, pattern: PatternID)] = []
    if current == .leftParen {
      arguments = bracketed(.rightParen, "a pattern") { parser in
        var label: Name?
        if parser.isFieldName(parser.current), parser.peek() == .colon {
          label = parser.takeName()
          parser.advance()
        }
        return (label, parser.pattern())
      }
      let labelled = arguments.filter { $0.label != nil }.count
      if labelled != 0, labelled != arguments.count {
        note(
          Diagnostic(.unexpectedToken, "either all fields in the pattern have labels or none", at: span(from: start)))
      }
      if arguments.isEmpty, !failed {
        note(
          Diagnostic(
            .unexpectedToken, "a variant without fields has no parentheses", at: span(from: start),
            helps: [Help("write", code: name.text)]))
      }
    }
    return tree.add(.constructor(module: module, name: name, arguments: arguments), span(from: start))
  }

  private mutating func parenPattern() -> PatternID {
    let start = here
    let parts = bracketed(.rightParen, "a pattern") { $0.pattern() }
    switch parts.count {
    case 0: return tree.add(.unit, span(from: start))
    case 1: return parts[0]
    default: return tree.add(.tuple(parts), span(from: start))
    }
  }

  /// RecordPattern = "{" [ Field { "," Field } [ "," ] ] "}" with Field = LowerName [ ":" Pattern ]
  private mutating func recordPattern() -> PatternID {
    let start = here
    let fields: [(name: Name, pattern: PatternID)] = bracketed(.rightBrace, "a field") { parser in
      if parser.current == .ellipsis || parser.current == .range {
        parser.report(
          Diagnostic(
            .unexpectedToken, "a record pattern needs no rest", at: parser.currentSpan,
            label: "it fits every record that has the fields it names"))
      }
      if parser.current.isWord, parser.peek() != .colon { parser.reportReserved(parser.index, as: "a name") }
      let isQuoted = parser.current == .quotedName
      let name = parser.fieldName("a field's name", example: "{x, y: 0}")
      if parser.eat(.colon) { return (name, parser.pattern()) }
      parser.reportForeignField(name)
      if isQuoted { parser.reportNoBinder(name) }
      return (name, parser.tree.add(.name(name.text), name.span))
    }
    return tree.add(.record(fields), span(from: start))
  }

  private mutating func reportNoBinder(_ field: Name) {
    let words = field.text.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.map { String($0) }
    var name = (words.first?.lowercased() ?? "") + words.dropFirst().map { upperFirst($0) }.joined()
    if name.first?.isLetter != true || reservedWord(Array(name.utf8), 0, end: name.utf8.count) != nil { name = "value" }
    report(
      Diagnostic(
        .unexpectedToken, "what a field in backticks holds needs a name", at: field.span,
        helps: [
          Help("write", code: "`\(field.text)`: \(name)", edit: Help.Edit(field.span, "`\(field.text)`: \(name)"))
        ]))
  }

  /// ListPattern = "[" [ Element { "," Element } [ "," ] ] "]" with Element = Pattern | "..." [ LowerName ]
  private mutating func listPattern() -> PatternID {
    let start = here
    var elements: [PatternID] = []
    var rest = RestPattern.none
    var restIndex = 0
    _ = bracketed(.rightBracket, "a pattern") { parser in
      parser.reportForeignRest()
      guard parser.current == .ellipsis else { return elements.append(parser.pattern()) }
      let place = parser.currentSpan
      parser.advance()
      if case .rest = rest {
        parser.report(Diagnostic(.unexpectedToken, "a list pattern has at most one rest", at: place))
      }
      rest = .rest(parser.restBinder())
      restIndex = elements.count
    }
    if case .none = rest { restIndex = elements.count }
    return tree.add(.list(elements, rest: rest, restIndex: restIndex), span(from: start))
  }

  private mutating func restBinder() -> PatternID? {
    let start = here
    if current == .lowerName {
      let name = takeName()
      return tree.add(.name(name.text), name.span)
    }
    if eat(.wildcard) { return tree.add(.wildcard, span(from: start)) }
    return nil
  }

  /// A text without interpolation.
  mutating func plainText(_ place: String) -> String {
    var text = ""
    advance()
    while !failed, current != .stringEnd, current != .endOfFile {
      if current == .interpolationBegin {
        report(
          Diagnostic(
            .malformedText, "\(place) cannot hold an interpolated value", at: currentSpan,
            helps: [Help("a brace that is only text", code: "\\{")]))
        return text
      }
      let payload = Int(token().payload)
      if payload >= 0, payload < lexed.texts.count { text += lexed.texts[payload] }
      advance()
    }
    _ = eat(.stringEnd)
    return text
  }

  /// A name after a dot or in a record; words of the language are allowed there.
  func isFieldName(_ kind: TokenKind) -> Bool { kind == .lowerName || kind == .quotedName || kind.isWord }

  /// What stands from a token up to the next `:` of its line, as a name in backticks: the way to write a key of JSON or CSV that is
  /// no name by itself. nil where that is none.
  func backticked(from start: Int) -> Help? {
    if start >= limit { return nil }
    var end = start
    var written: String?
    if layout.tokens[start].kind == .stringBegin {
      end = start + 3
      guard kind(at: start + 1) == .stringText, kind(at: start + 2) == .stringEnd else { return nil }
      let payload = Int(layout.tokens[start + 1].payload)
      if payload >= 0, payload < lexed.texts.count { written = lexed.texts[payload] }
    } else {
      let ends: [TokenKind] = [.colon, .comma, .equal, .rightBrace, .rightParen, .stringBegin, .separator, .endOfFile]
      while end < start + 12, !ends.contains(kind(at: end)), end == start || !layout.tokens[end].startsLine { end += 1 }
    }
    guard end > start, end < limit, layout.tokens[end].kind == .colon else { return nil }
    let place = span(Int(layout.tokens[start].start), Int(layout.tokens[end - 1].end))
    let name = written ?? text(place)
    if name.contains("`") || name.utf8.contains(where: { $0 < 0x20 }) || !fieldText(name).hasPrefix("`") { return nil }
    return Help("for a key of JSON or CSV", code: "`\(name)`", edit: Help.Edit(place, "`\(name)`"))
  }

  /// `."Order ID"`: the key of a field that is no name.
  private func quotedKey() -> Help? {
    guard current == .stringBegin, kind(at: index + 1) == .stringText, kind(at: index + 2) == .stringEnd else {
      return nil
    }
    let name = text(index + 1)
    if name.contains("`") || name.contains("\\") { return nil }
    return Help("the field of that name", code: ".\(fieldText(name))")
  }

  mutating func fieldName(_ what: String, example: String) -> Name {
    if isFieldName(current) { return takeName() }
    let isAfterDot = index > 0 && kind(at: index - 1) == .dot
    let asItStands = (isAfterDot ? quotedKey() : backticked(from: index)).map { [$0] } ?? []
    if !failed, current == .stringBegin {
      report(
        Diagnostic(
          .foreignHabit, "the names of fields stand without quotes", at: currentSpan,
          helps: asItStands.isEmpty ? [Help("for example", code: "{name: \"Ada\"}")] : asItStands))
    }
    if !failed, current == .upperName {
      let lower = lowerFirst(text(index))
      let quoted = "`\(text(index))`"
      let other = Help("for a key of JSON or CSV", code: quoted, edit: Help.Edit(currentSpan, quoted))
      report(
        Diagnostic(
          .unexpectedToken, "the names of fields start with a small letter, or stand in backticks", at: currentSpan,
          helps: (asItStands.isEmpty ? [other] : asItStands)
            + [Help("for a field of your own", code: lower, edit: Help.Edit(currentSpan, lower))]))
    }
    if !failed {
      report(
        Diagnostic(
          .unexpectedToken, "expected \(what)", at: currentSpan, label: foundText(),
          helps: asItStands.isEmpty ? [Help("for example", code: example)] : asItStands)
      )
    }
    return Name("", currentSpan)
  }
}
