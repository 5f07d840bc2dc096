// The ways out of a circle that an event is part of, and of one that goes through the slope of what is on it: that event, a
// micro-step later; a difference in the place of the slope.
//
// In:  the nodes of the circle, each needing the next one, and the last one the first; or the names of its definitions.
// Out: a definition as it would be written; nil where no event or slope is part of it, or none that stands in the text.
// Rules: an event with a name is delayed where it is defined, since others should see it when the circle does; what is made
// in other definitions of that name is not touched. Nothing is sampled inside of `derivative`: the slope of steps is 0.0.

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

  // MARK: Slopes

  /// A definition on the circle that needs the slope of what is on it.
  func differencing(_ names: [String]) -> [Help]? {
    let onCircle = Set(names)
    for (index, item) in program.tree.items.enumerated() {
      guard case .definition(let definition) = item, case .value(let pattern) = definition.binder,
        case .name(let name) = program.tree[pattern], onCircle.contains(name),
        let (whole, operand) = slope(in: definition.body, of: onCircle),
        let text = shortText(program.tree.span(operand))
      else { continue }
      let line = program.tree.span(ItemID(index))
      let x = isOperand(operand) ? text : "(\(text))"
      let slow = freeName(among: ["slow", "smooth", "late"], in: line)
      let lag = "(\(x) - \(slow)) / 50ms"
      return [
        replaced("measure the slope over a short time", whole, in: line, by: "((\(x) - delay(\(text), 10ms)) / 10ms)"),
        replaced("or that of what follows it", whole, in: line, by: "{ \(slow) = integral(\(lag)); \(lag) }"),
      ]
    }
    return nil
  }

  /// The first `derivative` of something that mentions one of the names.
  private func slope(in body: ExprID, of names: Set<String>) -> (whole: ExprID, operand: ExprID)? {
    var found: (whole: ExprID, operand: ExprID)?
    program.tree.walk(body) { expr in
      var pair: (callee: ExprID, operand: ExprID)?
      switch program.tree[expr] {
      case .call(let callee, let arguments) where arguments.count == 1: pair = (callee, arguments[0])
      case .pipe(let operand, let callee): pair = (callee, operand)
      default: break
      }
      if let pair, case .name("derivative") = program.tree[pair.callee],
        case .builtin = program.resolutions[pair.callee.index], mentions(pair.operand, names)
      {
        found = (expr, pair.operand)
      }
      return found == nil
    }
    return found
  }

  func mentions(_ expr: ExprID, _ names: Set<String>) -> Bool {
    var isMentioned = false
    program.tree.walk(expr) { child in
      if case .name(let name) = program.tree[child], names.contains(name) { isMentioned = true }
      return !isMentioned
    }
    return isMentioned
  }

  private func replaced(_ text: String, _ place: ExprID, in line: Span, by code: String) -> Help {
    let span = program.tree.span(place)
    let all = substituting(code, at: span, in: line, atMost: 120) ?? code
    return Help(text, code: all, edit: Help.Edit(span, code))
  }
}
