// Types: `Int`, `List<a>`, `Geometry.Point`, `()`, `(A, B)`, `{x: T}`, `(A, B) -> C`, `A -> B`.

import FRPBase

extension Parser {
  /// Type = TypePrimary [ "->" Type ] | "(" [ Type { "," Type } [ "," ] ] ")" "->" Type
  mutating func type() -> TypeExprID {
    if failed { return tree.add(.missing, currentSpan) as TypeExprID }
    defer { nesting -= 1 }
    guard enter() else { return tree.add(.missing, currentSpan) }
    let start = here
    if current == .leftParen {
      let parts = bracketed(.rightParen, "a type") { $0.type() }
      if eat(.arrow) {
        let result = type()
        return tree.add(.function(parts, result), span(from: start))
      }
      switch parts.count {
      case 0: return tree.add(.unit, span(from: start))
      case 1: return parts[0]
      default: return tree.add(.tuple(parts), span(from: start))
      }
    }
    let primary = typePrimary()
    guard eat(.arrow) else { return primary }
    let result = type()
    return tree.add(.function([primary], result), span(from: start))
  }

  /// TypePrimary = LowerName | [ UpperName "." ] UpperName [ TypeArguments ] | RecordType
  private mutating func typePrimary() -> TypeExprID {
    let start = here
    switch current {
    case .lowerName:
      return typeVariable()
    case .upperName:
      var name = takeName()
      var module: Name?
      if current == .dot {
        advance()
        module = name
        name = typeName("a type's name", example: "Geometry.Point")
      }
      let arguments = typeArguments()
      reportForeignType(from: start)
      return tree.add(.named(module: module, name: name, arguments: arguments), span(from: start))
    case .leftBrace:
      let fields: [(name: Name, type: TypeExprID)] = bracketed(.rightBrace, "a field") { parser in
        let name = parser.fieldName("a field's name", example: "{x: Float}")
        if parser.current != .colon { parser.reportNoFieldType(name) }
        _ = parser.eat(.colon)
        return (name, parser.type())
      }
      return tree.add(.record(fields), span(from: start))
    case .leftBracket:
      report(
        Diagnostic(
          .foreignHabit, "the type of lists is `List<…>`", at: currentSpan,
          helps: [Help("for example", code: "List<Int>")]))
    default:
      if current.isWord { reportReserved(index, as: "a type") } else { unexpected("a type") }
    }
    return tree.add(.missing, currentSpan)
  }

  private mutating func reportNoFieldType(_ name: Name) {
    if failed { return }
    if let help = backticked(from: index - 1) {
      return report(
        Diagnostic(
          .malformedRecord, "a field's name with other signs than letters and digits stands in backticks",
          at: currentSpan, helps: [help]))
    }
    guard current == .equal else { return unexpected("`:` and the field's type") }
    report(
      Diagnostic(
        .malformedRecord, "the fields of a record are written with `:`", at: currentSpan,
        helps: [replacing("write", currentSpan, new: ":")]))
  }

  private mutating func typeVariable() -> TypeExprID {
    let known: [String: String] = [
      "int": "Int", "float": "Float", "double": "Float", "string": "String", "str": "String", "bool": "Bool",
      "boolean": "Bool", "unit": "Unit", "void": "Unit", "number": "Float", "list": "List", "option": "Option",
    ]
    let start = here
    if let right = known[text(index)] {
      report(
        Diagnostic(
          .unexpectedToken, "types start with a capital letter", at: currentSpan,
          helps: [Help("write", code: right, edit: Help.Edit(currentSpan, right))]))
      return tree.add(.missing, currentSpan)
    }
    let name = takeName()
    if current == .less, !failed {
      report(
        Diagnostic(
          .unexpectedToken, "types start with a capital letter", at: name.span,
          helps: [Help("write", code: upperFirst(name.text), edit: Help.Edit(name.span, upperFirst(name.text)))]))
    }
    return tree.add(.variable(name), span(from: start))
  }

  /// TypeArguments = "<" Type { "," Type } ">"
  private mutating func typeArguments() -> [TypeExprID] {
    if !failed, current == .lowerName || current == .upperName, !token().startsLine, !isTestWord(), !isWord("from") {
      let argument = text(index)
      report(
        Diagnostic(
          .unexpectedToken, "the arguments of a type stand in `<` and `>`", at: currentSpan,
          helps: [Help("write", code: "<\(argument)>", edit: Help.Edit(currentSpan, "<\(argument)>"))]))
    }
    reportRoundArguments()
    guard current == .less else { return [] }
    let opener = index
    advance()
    var arguments = [type()]
    while eat(.comma) { arguments.append(type()) }
    if !failed, current != .greater, current != .greaterEqual {
      report(
        Diagnostic(
          .unbalancedBracket, "this `<` is never closed", at: tokenSpan(opener),
          label: "the types of `\(text(opener - 1))` begin here",
          labels: [Label(currentSpan, "expected `>` before this")],
          helps: [Help("close it", code: ">", edit: Help.Edit(span(lastEnd, lastEnd), ">"))]))
    }
    closeAngle()
    return arguments
  }

  /// `List(Int)`
  private mutating func reportRoundArguments() {
    guard !failed, current == .leftParen, index > 0, token().start == layout.tokens[index - 1].end,
      layout.tokens[index - 1].kind == .upperName, let after = layout.afterClose(index)
    else { return }
    let place = span(Int(token().start), Int(layout.tokens[after - 1].end))
    let inside = String(
      decoding: bytes[Int(token().end)..<Int(layout.tokens[after - 1].start)], as: UTF8.self)
    report(
      Diagnostic(
        .unexpectedToken, "the arguments of a type stand in `<` and `>`", at: place,
        helps: [Help("write", code: "\(text(index - 1))<\(inside)>", edit: Help.Edit(place, "<\(inside)>"))]))
  }

  /// Eats `>`; of `>=` only its first half (`x: List<Int>= …`).
  mutating func closeAngle() {
    if current == .greaterEqual {
      layout.tokens[index].kind = .equal
      layout.tokens[index].start += 1
      lastEnd = Int(layout.tokens[index].start)
      return refresh()
    }
    if eat(.greater) || failed { return }
    unexpected("`>`")
  }

  /// Whether a word of the test language stands here.
  func isTestWord() -> Bool {
    current == .lowerName && ["every", "with", "at", "within"].contains(text(index))
  }
}
