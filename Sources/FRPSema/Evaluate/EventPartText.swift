// E0403 of evaluation: a value is needed, and what is there has an event in it. The part that is one is named and underlined, where it
// stands in the text: a field of the record, an element, what a lambda gives.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

extension Elaborator {
  func renderEventAsData(_ node: NodeID, _ steps: [ValueStep], at span: Span) -> Diagnostic {
    var rest = steps[...]
    let part = expression(at: span).map { descend($0, &rest) }
    let place = part.map { program.tree.span($0) } ?? span
    let written = rest.isEmpty ? part.flatMap { shortText(program.tree.span($0)) } : nil
    let event = written ?? name(node).flatMap { isWhole($0, node) ? $0 : nil }
    let subject = rest.isEmpty ? event.map { "`\($0)`" } ?? "this" : partWords(rest)
    // A pipe in a pipe needs no parentheses.
    let isOneName = event?.allSatisfy { $0.isLetter || $0.isNumber || "_.|> (){}=,\"".contains($0) } ?? false
    let code = isOneName ? event ?? "e" : "e"
    return Diagnostic(
      .eventAsValue, "this needs a value, but \(subject) is an event", at: place,
      label: "an event has no value between its occurrences",
      helps: [
        Help("keep the last occurrence", code: "\(code) |> hold(\(startValue(core[node].type)))"),
        Help("work on the occurrences", code: "\(code) |> map(x => …)"),
      ])
  }

  /// "its field `c`", "in it, the field `c` of part 2"
  private func partWords(_ steps: ArraySlice<ValueStep>) -> String {
    let names = steps.map { step in
      switch step {
      case .field(let name): "field `\(name)`"
      case .place(let place): "part \(place + 1)"
      }
    }
    return names.count == 1 ? "its \(names[0])" : "in it, the " + names.reversed().joined(separator: " of ")
  }

  /// Whether a definition is that event, and not something with it inside.
  private func isWhole(_ name: String, _ node: NodeID) -> Bool {
    if program.inputs.contains(where: { $0.name == name }) { return true }
    return program.tree.items.contains { item in
      guard case .definition(let definition) = item, case .value(let pattern) = definition.binder,
        case .name(name) = program.tree[pattern]
      else { return false }
      return program.tree.span(definition.body) == core[node].span
    }
  }

  /// The outermost expression that stands in a place.
  private func expression(at span: Span) -> ExprID? {
    // Parents come after their children.
    program.tree.exprSpans.lastIndex(of: span).map { ExprID($0) }
  }

  /// Goes as far towards a part as the text shows it; what is left of the way stays in `steps`.
  private func descend(_ expr: ExprID, _ steps: inout ArraySlice<ValueStep>) -> ExprID {
    var expr = expr
    while let next = inner(expr, &steps) { expr = next }
    return expr
  }

  private func inner(_ expr: ExprID, _ steps: inout ArraySlice<ValueStep>) -> ExprID? {
    var next: ExprID?
    switch (program.tree[expr], steps.first) {
    case (.paren(let inside), _): return inside
    case (.block(_, let result), .some): return result
    case (.lambda(_, let body), _): return body
    case (.record(let fields), .field(let name)): next = fields.first { $0.name.text == name }?.value
    case (.update(_, let fields), .field(let name)):
      next = fields.first { $0.path.count == 1 && $0.path[0].text == name }?.value
    case (.tuple(let parts), .place(let place)) where place < parts.count: next = parts[place]
    case (.list(let elements), .place(let place)) where place < elements.count:
      if elements.prefix(place + 1).allSatisfy({ if case .item = $0 { true } else { false } }),
        case .item(let item) = elements[place]
      {
        next = item
      }
    case (.call(let callee, let arguments), .place(let place)) where place < arguments.count:
      if case .constructor = program.tree[callee] { next = arguments[place] }
    default: break
    }
    if next != nil { steps.removeFirst() }
    return next
  }
}
