// Expressions in the formatter: flat where they fit, else broken by the rule of their kind. A line that goes on with an
// expression is indented by two more than the line it began on, so it continues it whatever it starts with.

import FRPBase

extension Printer {
  mutating func expr(_ id: ExprID) {
    hook(tree.span(id).start)
    if isFlat || column + flatWidth(id) <= width {
      let outer = isFlat
      isFlat = true
      flat(id)
      isFlat = outer
    } else {
      broken(id)
    }
  }

  // MARK: - Width

  /// Columns an expression takes on one line; `tooWide` for what cannot stand on one.
  mutating func flatWidth(_ id: ExprID) -> Int {
    if widths[id.index] >= 0 { return Int(widths[id.index]) }
    let span = tree.span(id)
    let width = hasComment(span) || isForced(id) ? Printer.tooWide : min(measure(id), Printer.tooWide)
    widths[id.index] = Int32(width)
    return width
  }

  private mutating func sum(_ ids: [ExprID], _ separator: Int) -> Int {
    var total = max(0, ids.count - 1) * separator
    for id in ids { total += flatWidth(id) }
    return total
  }

  private mutating func measure(_ id: ExprID) -> Int {
    switch tree[id] {
    case .missing: return 0
    case .int, .float, .duration, .bool, .unit, .name, .constructor, .qualified, .fieldFunction, .operatorFunction:
      return displayWidth(leafText(id))
    case .string: return stringWidth(id)
    case .field(let base, let name): return flatWidth(base) + 1 + displayWidth(fieldText(name.text))
    case .call(let callee, let arguments): return flatWidth(callee) + 2 + sum(arguments, 2)
    case .callLabelled(let callee, let arguments):
      let labels = arguments.reduce(0) { $0 + displayWidth(fieldText($1.label.text)) + 2 }
      return flatWidth(callee) + 2 + labels + sum(arguments.map(\.value), 2)
    case .pipe(let left, let right): return flatWidth(left) + 4 + flatWidth(right)
    case .unary(_, let operand): return 1 + flatWidth(operand)
    case .binary(let op, let left, let right, _):
      return flatWidth(left) + flatWidth(right)
        + (op == .range && !beginsWithDot(right) ? 2 : op.rawValue.utf8.count + 2)
    case .conditional(let condition, let then, let otherwise): return 15 + sum([condition, then, otherwise], 0)
    case .match(let subject, let arms):
      var total = 10 + flatWidth(subject) + max(0, arms.count - 1) * 2
      for arm in arms {
        total += displayWidth(patternText(arm.pattern)) + 4 + flatWidth(arm.body)
        if let condition = arm.guardExpr { total += 4 + flatWidth(condition) }
      }
      return total
    case .lambda(let parameters, let body): return displayWidth(lambdaHead(parameters)) + flatWidth(body)
    case .tuple(let parts): return 2 + sum(parts, 2)
    case .paren(let inner): return 2 + flatWidth(inner)
    case .list(let elements): return 2 + sum(elements.map(\.value), 2) + elements.filter(\.isSpread).count * 3
    case .record(let fields):
      return 2 + sum(fields.map(\.value), 2) + fields.reduce(0) { $0 + displayWidth(fieldText($1.name.text)) + 2 }
    case .update(let base, let fields):
      let names = fields.reduce(0) { $0 + displayWidth(pathText($1)) + 4 }
      return 5 + flatWidth(base) + names + sum(fields.map(\.value), 0)
    case .block(let items, let value):
      var total = 4 + flatWidth(value)
      for item in items { total += definitionWidth(item) + 2 }
      return total
    }
  }

  private mutating func definitionWidth(_ id: ItemID) -> Int {
    guard case .definition(let definition) = tree[id] else { return Printer.tooWide }
    var head = 3
    switch definition.binder {
    case .value(let pattern): head += displayWidth(binderText(pattern))
    case .function(let name, let parameters):
      head += displayWidth(name.text) + 2 + max(0, parameters.count - 1) * 2
      for parameter in parameters {
        head += displayWidth(patternText(parameter.pattern))
        if let type = parameter.type { head += 2 + displayWidth(typeText(type)) }
      }
    }
    if let type = definition.type { head += 2 + displayWidth(typeText(type)) }
    return head + flatWidth(definition.body)
  }

  private func stringWidth(_ id: ExprID) -> Int {
    let text = slice(tree.span(id))
    return text.utf8.contains(10) ? Printer.tooWide : displayWidth(text)
  }

  /// Whether the author broke it in a way that is kept.
  private func isForced(_ id: ExprID) -> Bool {
    let span = tree.span(id)
    switch tree[id] {
    case .pipe(let left, let right), .binary(_, let left, let right, _):
      return hasLineBreak(tree.span(left).end, tree.span(right).start)
    case .conditional(let condition, let then, let otherwise):
      return hasLineBreak(tree.span(condition).end, tree.span(then).start)
        || hasLineBreak(tree.span(then).end, tree.span(otherwise).start)
    case .match, .block:
      return hasLineBreak(span.start, span.end)
    case .record(let fields):
      return fields.first.map { hasLineBreak(span.start, $0.name.span.start) } ?? false
    case .update(let base, _): return hasLineBreak(span.start, tree.span(base).start)
    case .list(let elements):
      return elements.first.map { hasLineBreak(span.start, tree.span($0.value).start) } ?? false
    default: return false
    }
  }

  // MARK: - Flat

  func leafText(_ id: ExprID) -> String {
    switch tree[id] {
    case .int, .float, .duration: signed(slice(tree.span(id)))
    case .bool(let value): value ? "true" : "false"
    case .unit: "()"
    case .name(let name), .constructor(let name): name
    case .qualified(let module, let name): module.text + "." + name.text
    case .fieldFunction(let name): "." + fieldText(name.text)
    case .operatorFunction(let op): "(" + op.rawValue + ")"
    default: ""
    }
  }

  func lambdaHead(_ parameters: [PatternID]) -> String {
    if parameters.count == 1, isBareParameter(parameters[0]) { return patternText(parameters[0]) + " => " }
    return "(" + parameters.map { patternText($0) }.joined(separator: ", ") + ") => "
  }

  private func isBareParameter(_ id: PatternID) -> Bool {
    switch tree[id] {
    case .name, .wildcard, .record, .list, .constructor: true
    default: false
    }
  }

  func pathText(_ field: UpdateField) -> String { field.path.map { fieldText($0.text) }.joined(separator: ".") }

  private mutating func flat(_ id: ExprID) {
    switch tree[id] {
    case .string:
      writeVerbatim(slice(tree.span(id)))
      skipComments(tree.span(id))
    case .block(let items, let value):
      write("{ ")
      for item in items {
        if case .definition(let definition) = tree[item] { self.definition(definition) }
        write("; ")
      }
      expr(value)
      write(" }")
    case .match(let subject, let arms):
      matchHead(subject)
      for (number, arm) in arms.enumerated() {
        write(number == 0 ? " " : "; ")
        self.arm(arm)
      }
      write(" }")
    default: broken(id)
    }
  }

  /// Comments inside a text are part of it.
  private mutating func skipComments(_ span: Span) {
    while nextComment < comments.count, comments[nextComment].span.start < span.end,
      comments[nextComment].span.start >= span.start
    {
      nextComment += 1
    }
  }

  // MARK: - Broken (and, where `isFlat`, what is the same on one line)

  private mutating func broken(_ id: ExprID) {
    let span = tree.span(id)
    switch tree[id] {
    case .missing: break
    case .int, .float, .duration, .bool, .unit, .name, .constructor, .qualified, .fieldFunction, .operatorFunction:
      write(leafText(id))
    case .string: flat(id)
    case .field(let base, let name):
      expr(base)
      hook(name.span.start)
      write("." + fieldText(name.text))
    case .call(let callee, let arguments):
      expr(callee)
      elements("(", arguments.map { ("", $0) }, close: ")", at: span, canHug: true)
    case .callLabelled(let callee, let arguments):
      expr(callee)
      elements("(", arguments.map { (fieldText($0.label.text) + ": ", $0.value) }, close: ")", at: span)
    case .pipe: pipes(id)
    case .unary(let op, let operand):
      write(op.rawValue)
      expr(operand)
    case .binary(let op, _, _, _): chain(id, op)
    case .conditional: conditional(id)
    case .match(let subject, let arms): match(subject, arms, at: span)
    case .lambda(let parameters, let body):
      write(lambdaHead(parameters))
      expr(body)
    case .tuple(let parts): elements("(", parts.map { ("", $0) }, close: ")", at: span)
    case .paren(let inner):
      write("(")
      expr(inner)
      hook(span.end - 1)
      write(")")
    case .list(let parts): elements("[", parts.map { ($0.isSpread ? "..." : "", $0.value) }, close: "]", at: span)
    case .record(let fields):
      elements("{", fields.map { (fieldText($0.name.text) + ": ", $0.value) }, close: "}", at: span)
    case .update(let base, let fields):
      elements("{", [("...", base)] + fields.map { (pathText($0) + ": ", $0.value) }, close: "}", at: span)
    case .block(let items, let value): block(items, value, at: span)
    }
  }

  /// Elements in brackets: on one line, with the last one hugged (`f(a, x => {`), or one a line.
  private mutating func elements(
    _ open: String, _ parts: [(head: String, value: ExprID)], close: String, at span: Span, canHug: Bool = false
  ) {
    let inner = Span(
      file: span.file, start: parts.first.map { Int(tree.span($0.value).start) } ?? Int(span.start), end: Int(span.end))
    let hugs = !isFlat && canHug && hugsLast(parts, inner)
    if isFlat || hugs
      || parts.isEmpty && !hasComment(Span(file: span.file, start: Int(span.end) - 1, end: Int(span.end)))
    {
      write(open)
      for (number, part) in parts.enumerated() {
        write((number > 0 ? ", " : "") + part.head)
        expr(part.value)
      }
      hook(span.end - 1)
      return write(close)
    }
    write(open)
    indent += 2
    for (number, part) in parts.enumerated() {
      breakLine(before: tree.span(part.value).start)
      write(part.head)
      expr(part.value)
      if number + 1 < parts.count { write(",") }
      trailingComment(after: tree.span(part.value).end)
    }
    endBrackets(close, span)
  }

  /// Comments before what closes, then that, on a line of its own.
  private mutating func endBrackets(_ close: String, _ span: Span) {
    flushComments(before: span.end - 1)
    indent -= 2
    if !lineIsEmpty { newline() }
    column = indent
    write(close)
  }

  /// Whether all but the last fit on this line and the last opens braces or brackets of its own.
  private mutating func hugsLast(_ parts: [(head: String, value: ExprID)], _ inner: Span) -> Bool {
    guard let last = parts.last, opensLines(last.value) else { return false }
    let before = parts.dropLast().map(\.value)
    let comments = Span(file: inner.file, start: Int(inner.start), end: Int(tree.span(last.value).start))
    if hasComment(comments)
      || hasComment(Span(file: inner.file, start: Int(tree.span(last.value).end), end: Int(inner.end)))
    {
      return false
    }
    var head = 0
    if case .lambda(let parameters, _) = tree[last.value] { head = displayWidth(lambdaHead(parameters)) }
    return column + 1 + sum(before, 2) + 2 + head + 8 <= width
  }

  private func opensLines(_ id: ExprID) -> Bool {
    switch tree[id] {
    case .block, .match, .record, .update, .list: true
    case .lambda(_, let body): opensLines(body)
    case .string: hasLineBreak(tree.span(id).start, tree.span(id).end)
    default: false
    }
  }

  // MARK: - Operators

  private mutating func pipes(_ id: ExprID) {
    var parts: [ExprID] = []
    var first = id
    while case .pipe(let left, let right) = tree[first] {
      parts.append(right)
      first = left
    }
    expr(first)
    for part in parts.reversed() { continued("|> ", " |> ", operand: part) }
  }

  /// A chain of operators of one level.
  private mutating func chain(_ id: ExprID, _ op: BinaryOp) {
    if op == .range { return range(id) }
    var parts: [(String, ExprID)] = []
    var first = id
    if op == .append {
      while case .binary(.append, let left, let right, _) = tree[first] {
        parts.append(("++", left))
        first = right
      }
      for (number, part) in parts.enumerated() {
        if number == 0 { expr(part.1) } else { continued("++ ", " ++ ", operand: part.1) }
      }
      return continued("++ ", " ++ ", operand: first)
    }
    while case .binary(let next, let left, let right, _) = tree[first], next.level == op.level {
      parts.append((next.rawValue, right))
      first = left
    }
    expr(first)
    for (text, part) in parts.reversed() { continued(text + " ", " " + text + " ", operand: part) }
  }

  private mutating func range(_ id: ExprID) {
    guard case .binary(_, let left, let right, let place) = tree[id] else { return }
    expr(left)
    hook(place.start)
    write(beginsWithDot(right) ? " .. " : "..")
    expr(right)
  }

  /// `1..n`, but `1 .. .first`: three dots would be another token.
  private func beginsWithDot(_ id: ExprID) -> Bool {
    let start = Int(tree.span(id).start)
    return start < source.bytes.count && source.bytes[start] == 0x2E
  }

  /// An operand with its operator: on this line, or on one of its own.
  private mutating func continued(_ head: String, _ flatHead: String, operand: ExprID) {
    if isFlat {
      write(flatHead)
      return expr(operand)
    }
    indent += 2
    breakLine(before: tree.span(operand).start)
    write(head)
    expr(operand)
    indent -= 2
  }

  // MARK: - If, match, blocks

  private mutating func conditional(_ id: ExprID) {
    // At the start of a line `else` stands below `if`, otherwise it is indented.
    let extra = lineIsEmpty || isFlat ? 0 : 2
    indent += extra
    var current = id
    while case .conditional(let condition, let then, let otherwise) = tree[current] {
      if current != id { hook(tree.span(current).start) }
      write("if ")
      expr(condition)
      write(" then ")
      expr(then)
      let staysOnLine =
        isFlat || (opensLines(then) && endsInBrace(then) && !hasPendingComment(before: tree.span(otherwise).start))
      if staysOnLine {
        write(" else ")
      } else {
        breakLine(before: tree.span(otherwise).start)
        write("else ")
      }
      current = otherwise
    }
    expr(current)
    indent -= extra
  }

  private func hasPendingComment(before offset: Int32) -> Bool {
    nextComment < comments.count && comments[nextComment].span.start < offset
  }

  /// Whether it was printed over lines and ends in a closing bracket on a line of its own.
  private func endsInBrace(_ id: ExprID) -> Bool {
    let line = out.utf8.reversed().prefix { $0 != 10 }
    return line.count <= indent + 1 && line.first.map { $0 == 0x7D || $0 == 0x5D } ?? false
  }

  private mutating func matchHead(_ subject: ExprID) {
    write("match ")
    expr(subject)
    write(" {")
  }

  private mutating func arm(_ arm: MatchArm) {
    write(patternText(arm.pattern))
    if let condition = arm.guardExpr {
      write(" if ")
      expr(condition)
    }
    write(" => ")
    expr(arm.body)
  }

  private mutating func match(_ subject: ExprID, _ arms: [MatchArm], at span: Span) {
    matchHead(subject)
    indent += 2
    for (number, arm) in arms.enumerated() {
      let start = tree.span(arm.pattern).start
      breakLine(before: start)
      if number > 0, hasBlankLine(before: start) { blankLine() }
      self.arm(arm)
      trailingComment(after: tree.span(arm.body).end)
    }
    endBrackets("}", span)
  }

  private mutating func block(_ items: [ItemID], _ value: ExprID, at span: Span) {
    write("{")
    indent += 2
    for (number, item) in items.enumerated() {
      let place = tree.span(item)
      breakLine(before: place.start)
      if number > 0, hasBlankLine(before: place.start) { blankLine() }
      if case .definition(let definition) = tree[item] { self.definition(definition) }
      trailingComment(after: place.end)
    }
    let place = tree.span(value)
    breakLine(before: place.start)
    if !items.isEmpty, hasBlankLine(before: place.start) { blankLine() }
    expr(value)
    trailingComment(after: place.end)
    endBrackets("}", span)
  }
}

extension ListElement {
  var value: ExprID {
    switch self {
    case .item(let id), .spread(let id): id
    }
  }

  var isSpread: Bool { if case .spread = self { true } else { false } }
}

extension BinaryOp {
  /// Operators of one level form one chain.
  var level: Int {
    switch self {
    case .or: 0
    case .and: 1
    case .equal, .notEqual, .less, .lessEqual, .greater, .greaterEqual: 2
    case .range: 3
    case .append: 4
    case .add, .subtract: 5
    case .multiply, .divide, .remainder: 6
    }
  }
}
