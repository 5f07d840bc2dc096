// What may have been meant by a call that does not fit: another built-in, operator or form. Each is a help, or nil where
// something else is wrong.

import FRPBase
import FRPCore
import FRPSyntax

extension Rendering {
  /// A call with another function in the place of its own: `xs |> every(f)` as `xs |> all(f)`.
  private func renamed(_ call: ExprID, to name: String) -> String? {
    guard let whole = source(call) else { return nil }
    var inner = call
    if case .pipe(_, let right) = tree[call] { inner = right }
    var function = inner
    if case .call(let callee, _) = tree[inner] { function = callee }
    let (all, place) = (tree.span(call), tree.span(function))
    guard all.start <= place.start, place.end <= all.end else { return nil }
    let start = Int(place.start - all.start)
    let bytes = Array(whole.utf8)
    return String(decoding: bytes[..<start], as: UTF8.self) + name
      + String(decoding: bytes[(start + Int(place.end - place.start))...], as: UTF8.self)
  }

  /// The built-in that was meant by one that takes another number of arguments.
  func otherBuiltin(_ call: ExprID, _ callee: CalleeFact, _ arguments: [ExprID], subject: ShownType?) -> Help? {
    guard callee.kind == .builtin, subject?.head == .list else { return nil }
    var sizes: [Int] = []
    for argument in arguments {
      if case .lambda(let parameters, _) = tree[argument] { sizes.append(parameters.count) } else { sizes.append(0) }
    }
    let (name, text): (String, String)
    switch (callee.name, arguments.count) {
    case ("max", 1): (name, text) = ("maximum", "the greatest of a list, if it has any")
    case ("min", 1): (name, text) = ("minimum", "the least of a list, if it has any")
    case ("every", 2) where sizes[1] == 1: (name, text) = ("all", "whether it holds of all elements")
    case ("sort", 2) where sizes[1] == 1: (name, text) = ("sortBy", "in the order of what a function gives")
    case ("sort", 2) where sizes[1] == 2: return sortingTest(call, arguments[1])
    default: return nil
    }
    guard let code = renamed(call, to: name) else { return nil }
    return Help(text, code: code, edit: Help.Edit(tree.span(call), code))
  }

  /// `sort((a, b) => a - b)`: a function that compares two elements.
  private func sortingTest(_ call: ExprID, _ function: ExprID) -> Help? {
    guard case .lambda(let parameters, let body) = tree[function], let start = renamed(call, to: "sortWith"),
      let old = source(function), let first = source(tree.span(parameters[0])),
      let second = source(tree.span(parameters[1])), start.hasSuffix("\(old))")
    else { return nil }
    var test = "\(first) < \(second)"
    if case .binary(.subtract, let left, let right, _) = tree[body], let a = source(left), let b = source(right) {
      test = "\(a) < \(b)"
    }
    let code = start.dropLast(old.count + 1) + "(\(first), \(second)) => \(test))"
    return Help("by what tells which of two comes first", code: String(code))
  }

  /// `f(1, 2)` of a function that gives a function.
  func oneByOne(_ call: ExprID, _ arguments: [ExprID], taken: Int) -> Help? {
    if case .pipe(let subject, let right) = tree[call] {
      guard case .call(_, let own) = tree[right], own.count == taken, let text = source(right),
        let argument = source(subject)
      else { return nil }
      let code = "\(text)(\(argument))"
      return Help("the function that it gives is called in turn", code: code, edit: Help.Edit(tree.span(call), code))
    }
    guard case .call(let function, let own) = tree[call], own.count == arguments.count, let name = source(function)
    else { return nil }
    let texts = arguments.compactMap(source)
    if texts.count != arguments.count { return nil }
    let code =
      "\(name)(\(texts.prefix(taken).joined(separator: ", ")))(\(texts.dropFirst(taken).joined(separator: ", ")))"
    return Help("the function that it gives is called in turn", code: code, edit: Help.Edit(tree.span(call), code))
  }

  /// `p |> size` for a field of what is piped.
  func namingField(_ diagnostic: Diagnostic, _ name: Name) -> Diagnostic {
    var diagnostic = diagnostic
    let code = ".\(fieldText(name.text))"
    diagnostic.helps.insert(Help("the function that takes that field", code: code, edit: .init(name.span, code)), at: 0)
    return diagnostic
  }

  /// `p._1`: a part of a tuple, as a field.
  func partHelp(_ name: Name, _ tuple: ShownType, text: String, expr: ExprID) -> [Help] {
    let letters = ["a", "b", "c", "d", "e"].prefix(tuple.content.count).joined(separator: ", ")
    let apart = Help("take it apart with a pattern", code: "(\(letters)) = \(text)")
    let parts = ["_1": "first", "first": "first", "fst": "first", "_2": "second", "second": "second", "snd": "second"]
    guard tuple.content.count == 2, let part = parts[name.text] else { return [apart] }
    let code = "Tuple.\(part)(\(text))"
    return [Help("its \(part) part", code: code, edit: .init(tree.span(expr).union(name.span), code)), apart]
  }

  /// `x = 3 -- comment`: one word behind two dashes.
  func commentHelp(_ name: Name) -> Help? {
    let bytes = sources[name.span.file].bytes
    let start = Int(name.span.start)
    guard start > 3, bytes[(start - 4)..<start].elementsEqual(" -- ".utf8) else { return nil }
    let dashes = Span(file: name.span.file, start: start - 3, end: start - 1)
    return Help("comments begin with `//`", code: "// \(name.text)", edit: .init(dashes, "//"))
  }

  /// `a()` where `a` is a value.
  func withoutCall(_ callee: ExprID) -> Help? {
    for (index, expr) in tree.exprs.enumerated() {
      guard case .call(callee, let arguments) = expr, arguments.isEmpty, let text = source(callee) else { continue }
      return Help("a value stands by itself", code: text, edit: Help.Edit(tree.span(ExprID(index)), text))
    }
    return nil
  }

  /// `fold(0, n => n + 1)`: the function takes what it was, and what has come.
  func folding(_ expr: ExprID, _ reason: Reason) -> Help? {
    guard case .argument(_, let callee, _) = reason, callee.kind == .builtin, ["fold", "scan"].contains(callee.name),
      case .lambda(let parameters, let body) = tree[expr], parameters.count == 1,
      let name = source(tree.span(parameters[0])), let text = source(body)
    else { return nil }
    let total = name == "_" ? "total" : name
    let code = "(\(total), \(name == "x" ? "new" : "x")) => \(text)"
    return Help("of what it was, and of what comes", code: code, edit: Help.Edit(tree.span(expr), code))
  }

  /// `zip(a, b) |> map((+))`: an operator, where one pair is given.
  func operatorOfPair(_ fact: MismatchFact) -> Help? {
    guard case .parameterCount(1, 2) = fact.leaf, fact.path.isEmpty, let expr = fact.expr,
      case .operatorFunction(let op) = tree[expr], fact.expected.text.hasPrefix("((")
    else { return nil }
    let code = "(a, b) => a \(op.rawValue) b"
    return Help("a function that takes the pair apart", code: code, edit: Help.Edit(tree.span(expr), code))
  }

  /// `1..3 ++ [9]`: a range that goes to what `++` joins, or begins with it.
  private func joinedRange(_ join: ExprID, _ left: ExprID, _ right: ExprID) -> Help? {
    for (index, expr) in tree.exprs.enumerated() {
      guard case .binary(.range, let first, let last, _) = expr, first == join || last == join else { continue }
      let ends = (last == join ? (first, left) : (right, last))
      guard let low = source(ends.0), let high = source(ends.1), let other = source(last == join ? right : left) else {
        return nil
      }
      let code = last == join ? "(\(low)..\(high)) ++ \(other)" : "\(other) ++ (\(low)..\(high))"
      return Help("a range that is joined stands in parentheses", code: code, edit: .init(tree.exprSpans[index], code))
    }
    return nil
  }

  /// `"n: " ++ 3`, `[1] ++ 3`
  func appended(_ fact: MismatchFact) -> Help? {
    guard case .operand(.append, let whole, let isLeft) = fact.reason, fact.path.isEmpty, let expr = fact.expr,
      case .binary(_, let left, let right, _) = tree[whole], let text = source(expr),
      let other = source(isLeft ? right : left)
    else { return nil }
    if case .string = tree[isLeft ? right : left], other.hasPrefix("\""), other.hasSuffix("\""), other.count > 1,
      !other.hasPrefix("\"\"\"")
    {
      if case .open(let classes) = fact.actual.head {
        guard classes.contains(.num) else { return nil }
      } else if ![.int, .float, .bool].contains(fact.actual.head) {
        return nil
      }
      let inner = other.dropFirst().dropLast()
      let code = isLeft ? "\"{\(text)}\(inner)\"" : "\"\(inner){\(text)}\""
      return Help("put a value into a text", code: code, edit: Help.Edit(tree.span(whole), code))
    }
    if case .noClass = fact.leaf, let help = joinedRange(whole, left, right) { return help }
    if case .list = tree[isLeft ? right : left], case .noClass = fact.leaf {
      return Help("a list of it", code: "[\(text)]", edit: Help.Edit(tree.span(expr), "[\(text)]"))
    }
    return nil
  }

  /// `10 % 3.0`, `div(5.0, 2.0)`: what there is for Floats.
  func ofFloats(_ fact: MismatchFact) -> (note: String, help: Help?)? {
    let (place, sides, isRemainder): (ExprID, [ExprID], Bool)
    switch fact.reason {
    case .operand(.remainder, let expr, _):
      guard case .binary(_, let left, let right, _) = tree[expr] else { return nil }
      (place, sides, isRemainder) = (expr, [left, right], true)
    case .argument(_, let callee, let call) where callee.kind == .builtin && callee.name == "div":
      guard case .call(_, let arguments) = tree[call], arguments.count == 2 else { return nil }
      (place, sides, isRemainder) = (call, arguments, false)
    default: return nil
    }
    let note = isRemainder ? "The remainder of Floats is `mod(a, b)`." : "Floats are divided by `/`."
    let floats = sides.compactMap { side -> String? in
      switch tree[side] {
      case .int: source(side).map { "\($0).0" }
      case .float, .duration: source(side)
      default: side == fact.expr ? source(side) : nil
      }
    }
    guard floats.count == 2 else { return (note, nil) }
    let code = isRemainder ? "mod(\(floats[0]), \(floats[1]))" : "\(floats[0]) / \(floats[1])"
    let edit = Help.Edit(tree.span(place), isRemainder ? code : "(\(code))")
    return (note, Help(isRemainder ? "the remainder of Floats" : "to divide Floats", code: code, edit: edit))
  }

  /// `e |> groupBy(x => x.key)`: of an event, with what is made of each group.
  func grouping(_ fact: MismatchFact) -> Help? {
    guard case .argument(0, let callee, let call) = fact.reason, callee.kind == .builtin, callee.name == "groupBy",
      let text = source(call), text.hasSuffix(")")
    else { return nil }
    let code = "\(text.dropLast()), (k, es) => es |> count)"
    return Help("of an event, with what is made of each group", code: code, edit: Help.Edit(tree.span(call), code))
  }

  /// `perform(Latest, n => n + 1)`: what is done must be a task.
  func task(_ fact: MismatchFact, _ expr: ExprID, text: String) -> [Help] {
    let code = "Task.succeed(\(text))"
    var helps = [Help("a task that gives it at once", code: code, edit: Help.Edit(tree.span(expr), code))]
    if case .lambdaResult(.argument(_, let callee, let call)) = fact.reason, callee.name == "perform",
      case .pipe(let left, let right) = tree[call], case .call(_, let arguments) = tree[right],
      let event = source(left), let function = arguments.last.flatMap(source)
    {
      helps.append(Help("or, where nothing is waited for", code: "\(event) |> map(\(function))"))
    }
    return helps
  }

  /// `delay("1s")`: a length of time as a text.
  func duration(_ text: String, _ expr: ExprID) -> Help? {
    guard text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
    let inner = text.dropFirst().dropLast()
    let number = inner.prefix { $0.isASCII && $0.isNumber }
    guard !number.isEmpty, ["ns", "us", "ms", "s", "min", "h"].contains(inner.dropFirst(number.count)) else {
      return nil
    }
    return Help("a length of time", code: String(inner), edit: Help.Edit(tree.span(expr), String(inner)))
  }

  /// What an output is that holds what `perform` gives.
  func resultsOnly(_ name: Name, _ type: ShownType) -> [Help] {
    guard type.text.hasPrefix("{busy: Bool, results: Event<") else { return [] }
    guard let body = body(of: name), let text = source(body) else {
      return [Help("what the tasks gave", code: "output results = \(name.text).results")]
    }
    let code = "(\(text)).results"
    return [
      Help("what the tasks gave", code: "output \(name.text) = \(code)", edit: Help.Edit(tree.span(body), code))
    ]
  }

  /// What a definition is, that is named there.
  func body(of name: Name) -> ExprID? {
    for case .definition(let definition) in tree.items {
      if case .value(let pattern) = definition.binder, case .name(name.text) = tree[pattern],
        tree.span(pattern) == name.span
      {
        return definition.body
      }
    }
    return nil
  }

  /// What an output is that holds events in the fields of a record: each is one by itself.
  func outputsOfEvents(_ name: Name, _ type: ShownType) -> [Help] {
    if type.text.hasPrefix("{busy: Bool, results: Event<") { return [] }
    let events = type.fields.filter { $0.text.hasPrefix("Event<") }.prefix(3)
    return events.map { field in
      let code = "output \(field.name) = \(name.text).\(field.name)"
      return Help("an output of its own, with `\(name.text)` as none", code: code)
    }
  }

  /// `a ++ b` of two events.
  func appendedEvents(_ expr: ExprID, _ left: ExprID, _ right: ExprID) -> Diagnostic {
    var helps: [Help] = []
    if let a = source(left), let b = source(right) {
      helps.append(
        Help("the occurrences of both", code: "merge(\(a), \(b))", edit: .init(tree.span(expr), "merge(\(a), \(b))")))
    }
    return Diagnostic(
      .eventAsValue, "`++` joins texts and lists, and these are events", at: tree.span(expr), helps: helps)
  }
}

/// Of both operands of `%` and `div` that are Floats the same is said: once is enough.
func saidOnce(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
  var seen: Set<Span> = []
  return diagnostics.filter { diagnostic in
    guard diagnostic.code == .mixedNumbers, diagnostic.helps.count == 1, let edit = diagnostic.helps[0].edit,
      edit.span != diagnostic.span
    else { return true }
    return seen.insert(edit.span).inserted
  }
}
