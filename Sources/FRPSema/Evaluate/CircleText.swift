// The way out of a circle that an event is part of: that event, a micro-step later.
//
// In:  the nodes of the circle, each needing the next one, and the last one the first.
// Out: a definition as it would be written; nil where no event is part of it, or none that stands in the text.
// Rules: an event with a name is delayed where it is defined, since others should see it when the circle does; what is made
// in other definitions of that name is not touched.

import FRPBase
import FRPCore
import FRPSyntax

extension Elaborator {
  func delaying(_ path: [NodeID]) -> Help? {
    let text = "let the event come just after"
    for (index, node) in path.enumerated() where isEvent(node) {
      let before = path[(index + path.count - 1) % path.count]
      let name = core[node].definition
      // The circle enters the definition here, so this is what the definition's name stands for.
      guard !name.isEmpty, core[before].definition != name, let body = body(of: name, around: core[node].span)
      else { continue }
      return delayed(text, program.tree.span(body), in: name, needsParens: !isOperand(body))
    }
    // Within one definition: the event nearest to what it was made of, as `changes(b)`.
    guard let node = path.indices.first(where: { isEvent(path[$0]) && !isEvent(path[($0 + 1) % path.count]) }) else {
      return nil
    }
    let place = core[path[node]].span
    return place.isNone ? nil : delayed(text, place, in: core[path[node]].definition, needsParens: false)
  }

  private func isEvent(_ node: NodeID) -> Bool {
    if case .event = core.types[core[node].type] { true } else { false }
  }

  /// What stands for a name where that is: several scopes may have one.
  private func body(of name: String, around place: Span) -> ExprID? {
    for item in program.tree.items {
      guard case .definition(let definition) = item, case .value(let pattern) = definition.binder,
        case .name(name) = program.tree[pattern]
      else { continue }
      let whole = program.tree.span(definition.body)
      if whole.file == place.file, whole.start <= place.start, place.end <= whole.end { return definition.body }
    }
    return nil
  }

  /// Whether a pipe behind it takes all of it.
  private func isOperand(_ expr: ExprID) -> Bool {
    switch program.tree[expr] {
    case .call, .pipe, .name, .paren: true
    default: false
    }
  }

  private func delayed(_ text: String, _ place: Span, in name: String, needsParens: Bool) -> Help {
    let old = program.sources.text(place)
    let code = (needsParens ? "(\(old))" : old) + " |> delay(0s)"
    let isPart = !code.contains("\n") && code.count <= 110
    guard let body = body(of: name, around: place) else {
      return Help(text, code: isPart ? code : "e |> delay(0s)", edit: Help.Edit(place, code))
    }
    let whole = program.tree.span(body)
    let before = program.sources.text(Span(file: whole.file, start: Int(whole.start), end: Int(place.start)))
    let after = program.sources.text(Span(file: whole.file, start: Int(place.end), end: Int(whole.end)))
    let line = "\(name) = \(before)\(code)\(after)"
    let isShort = line.count <= 110 && !line.contains("\n")
    let shown = isShort ? line : isPart ? code : "\(name) = … |> delay(0s)"
    return Help(text, code: shown, edit: Help.Edit(place, code))
  }
}
