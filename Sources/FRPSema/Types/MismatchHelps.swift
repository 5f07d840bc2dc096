// What may have been meant where types do not fit: each a help, or nil where something else is wrong.

import FRPBase
import FRPCore
import FRPSyntax

extension Rendering {
  /// A function that must give two things gives the first.
  func pair(_ fact: MismatchFact) -> Help? {
    guard wantsPair(fact), fact.path.isEmpty, fact.actual.head != .tuple, fact.actual.head != .function,
      case .lambdaResult(.argument(_, let callee, let call)) = fact.reason, let expr = fact.expr,
      let text = source(expr)
    else { return nil }
    switch callee.name {
    case "mapAccum": return Help("what is remembered, and what is shown", code: "(\(text), \(text))")
    case "groupUntil", "keyedUntil":
      let own = lastParameter(of: call) ?? "own"
      return Help("with an event that ends the group", code: "(\(text), \(own) |> debounce(10min))")
    default: return nil
    }
  }

  func wantsPair(_ fact: MismatchFact) -> Bool {
    if case .lambdaResult(.argument) = fact.reason { fact.expected.head == .tuple } else { false }
  }

  /// How the function given to a call calls its last parameter.
  private func lastParameter(of call: ExprID) -> String? {
    var call = call
    if case .pipe(_, let right) = tree[call] { call = right }
    guard case .call(_, let arguments) = tree[call], let last = arguments.last,
      case .lambda(let parameters, _) = tree[last], let parameter = parameters.last
    else { return nil }
    return source(tree.span(parameter)).flatMap { $0 == "_" ? nil : $0 }
  }

  /// `total = e |> map(x => total + x)`, where what it was before is meant: the definition's name, and what to write.
  func accumulating(_ expr: ExprID, start: String) -> (name: String, code: String)? {
    guard case .pipe(let subject, let right) = tree[expr], case .call(let function, let arguments) = tree[right],
      case .name("map") = tree[function], arguments.count == 1, case .lambda(let own, let body) = tree[arguments[0]],
      own.count == 1, let name = nameOfDefinition(expr), isMentioned(name, in: body),
      let subject = source(subject), let parameter = source(tree.span(own[0])), let value = source(body)
    else { return nil }
    return (name, "\(subject) |> fold(\(start), (\(name), \(parameter)) => \(value))")
  }

  /// `total = total + e`: the same, written with an operator.
  func runningTotal(_ fact: MismatchFact, _ text: String, start: String) -> Help? {
    guard case .operand(let op, let whole, let isLeft) = fact.reason,
      case .binary(_, let left, let right, _) = tree[whole], case .name(let name) = tree[isLeft ? right : left],
      nameOfDefinition(whole) == name
    else { return nil }
    let value = isLeft ? "x \(op.rawValue) \(name)" : "\(name) \(op.rawValue) x"
    let code = "\(text) |> fold(\(start), (\(name), x) => \(value))"
    return Help("to go on from what it was", code: code, edit: Help.Edit(tree.span(whole), code))
  }

  /// What is defined as this, if it has a name of its own.
  private func nameOfDefinition(_ body: ExprID) -> String? {
    for case .definition(let definition) in tree.items where definition.body == body {
      if case .value(let pattern) = definition.binder, case .name(let name) = tree[pattern] { return name }
    }
    return nil
  }

  private func isMentioned(_ name: String, in expr: ExprID) -> Bool {
    let whole = tree.span(expr)
    return tree.exprs.enumerated().contains { place, other in
      guard case .name(name) = other else { return false }
      let span = tree.span(ExprID(place))
      return span.start >= whole.start && span.end <= whole.end
    }
  }

  /// `merge([a, b])`: what is given one by one, in a list.
  func spread(_ call: ExprID, _ callee: CalleeFact, _ arguments: [ExprID]) -> Help? {
    guard callee.kind == .builtin, callee.name == "merge", arguments.count == 1,
      case .list(let elements) = tree[arguments[0]], elements.count > 1
    else { return nil }
    let texts = elements.compactMap { element in
      if case .item(let value) = element { source(value) } else { nil }
    }
    if texts.count != elements.count { return nil }
    let code = "merge(\(texts.joined(separator: ", ")))"
    return Help("events are given one by one", code: code, edit: Help.Edit(tree.span(call), code))
  }

  /// A list of events, or a pair of them, where one event or a list of values is needed.
  func eventsInside(_ fact: MismatchFact) -> [Help] {
    guard let expr = fact.expr, let text = source(expr), fact.actual.content.first == .event else { return [] }
    switch (fact.expected.head, fact.actual.head) {
    case (.event, .list):
      var code = "\(text) |> fold(never, merge)"
      if case .list(let elements) = tree[expr] {
        let items = elements.compactMap { if case .item(let item) = $0 { source(item) } else { nil } }
        if items.count == elements.count {
          code = items.count == 1 ? items[0] : "merge(\(items.joined(separator: ", ")))"
        }
      }
      return [Help("what occurs in any of them", code: code, edit: .init(tree.span(expr), "(\(code))"))]
    case (.event, .tuple):
      let names = ["first", "second", "third", "fourth"].prefix(fact.actual.content.count).joined(separator: ", ")
      return [Help("take it apart, and use the one that is meant", code: "(\(names)) = \(text)")]
    case (.list, .list):
      let start = fact.expected.content.first.map { $0 == .string ? "\"\"" : $0 == .bool ? "false" : "0" } ?? "0"
      return [
        Help("how many have occurred of each", code: "\(text) |> map(count)"),
        Help("the last that has occurred of each", code: "\(text) |> map(e => e |> hold(\(start)))"),
      ]
    default: return []
    }
  }

  /// What may be missing stands where it may not.
  func valueOfOption(_ fact: MismatchFact) -> Help? {
    guard let expr = fact.expr, fact.path.isEmpty else { return nil }
    if case .noClass = fact.leaf { return valueOfOption(expr, fact.actual) }
    if !isData(fact.expected.head) || fact.expected.head == fact.actual.head { return nil }
    return valueOfOption(expr, fact.actual)
  }

  func valueOfOption(_ expr: ExprID, _ type: ShownType) -> Help? {
    let isResult = type.head == .nominal(.result)
    guard isResult || type.head == .nominal(.option), let text = source(expr) else { return nil }
    let code = "\(text) |> withDefault(\(type.startValue ?? Help.blank))"
    let edit = type.startValue.map { _ in Help.Edit(tree.span(expr), "(\(code))") }
    return Help("say what counts when \(isResult ? "it failed" : "there is none")", code: code, edit: edit)
  }

  /// `count(list)`: occurrences are counted, elements are not.
  func elementCount(_ fact: MismatchFact) -> Help? {
    guard case .argument(0, let callee, _) = fact.reason, callee.kind == .builtin, callee.name == "count",
      case .event = fact.expected.head, let expr = fact.expr
    else { return nil }
    switch fact.actual.head {
    case .list, .map, .string: return Help("the number of its elements", code: "size(\(source(expr) ?? "list"))")
    default: return nil
    }
  }

  /// `abs -3`, also in `1 + abs -3`: a function stands where its argument is meant to be put in.
  func signedArgument(_ fact: MismatchFact) -> Help? {
    guard case .operand = fact.reason, case .function = fact.actual.head, let callee = fact.expr,
      let name = source(callee)
    else { return nil }
    guard let (sign, argument, value) = signed(after: callee), let text = source(value) else { return nil }
    let code = sign == .subtract ? "\(name)(-\(text))" : "\(name)(\(text))"
    return Help("arguments stand in parentheses", code: code, edit: Help.Edit(argument, code))
  }

  /// `xs |> sum + 1`: what belongs to the pipe is an operand of what it would feed.
  func pipedFirst(_ fact: MismatchFact) -> Help? {
    guard case .operand(_, _, true) = fact.reason, case .function = fact.actual.head, let function = fact.expr,
      let (left, right) = pipe(before: function), let name = source(function)
    else { return nil }
    let rest = sources.text(
      Span(file: tree.span(right).file, start: Int(tree.span(function).end), end: Int(tree.span(right).end)))
    guard let subject = source(left), !rest.contains("\n") else { return nil }
    let code = "(\(subject) |> \(name))\(rest)"
    return Help("the pipe first", code: code, edit: Help.Edit(tree.span(left).union(tree.span(right)), code))
  }

  /// The pipe that takes as its function a chain of operators that begins with `expr`.
  private func pipe(before expr: ExprID) -> (left: ExprID, right: ExprID)? {
    for (index, other) in tree.exprs.enumerated() {
      if case .binary(_, expr, _, _) = other { return pipe(before: ExprID(index)) }
      if case .pipe(let left, expr) = other { return (left, expr) }
    }
    return nil
  }

  /// A function is an operand by itself.
  func uncalled(_ fact: MismatchFact) -> Help? {
    guard case .operand = fact.reason, case .function = fact.actual.head, let name = fact.expr.flatMap(source) else {
      return nil
    }
    return Help("a function is used by calling it", code: "\(name)(…)")
  }

  /// A sign that stands right before what follows, and not right behind the function before it; with what it stands between.
  private func signed(after callee: ExprID) -> (sign: BinaryOp, whole: Span, value: ExprID)? {
    let start = tree.span(callee)
    for case .binary(let sign, let left, let right, let place) in tree.exprs
    where (sign == .subtract || sign == .add) && tree.span(left).contains(start) && tree.span(left).end == start.end
      && start.end < place.start && place.end == tree.span(right).start
    {
      return (sign, start.union(tree.span(right)), right)
    }
    return nil
  }
}
