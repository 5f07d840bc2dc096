// Types that do not fit, in words. The leaf says what differs, the reason says why it matters, and together they
// choose the code (E0301, E0304 to E0311, E0401, E0403, E0501 to E0503).

import FRPBase
import FRPCore
import FRPSyntax

extension Rendering {
  func mismatch(_ fact: MismatchFact) -> Diagnostic {
    var diagnostic = special(fact) ?? general(fact)
    if let help = pipedFirst(fact) {
      diagnostic.helps = [help]
      diagnostic.notes = [Self.pipeReach]
    } else if let other = otherOperator(fact) {
      (diagnostic.helps, diagnostic.notes) = other
    } else if let help = elementCount(fact) ?? signedArgument(fact) ?? pair(fact) ?? valueOfOption(fact)
      ?? operatorOfPair(fact) ?? appended(fact) ?? formatted(fact) ?? rangeInList(fact) ?? addedLists(fact)
    {
      diagnostic.helps = [help]
    } else if diagnostic.helps.isEmpty, diagnostic.notes.isEmpty, let help = uncalled(fact) {
      diagnostic.helps = [help]
    }
    return fact.path.isEmpty ? openingSource(diagnostic, fact.expr, fact.actual) : diagnostic
  }

  // MARK: Special causes

  private func special(_ fact: MismatchFact) -> Diagnostic? {
    if case .start(let name, _) = fact.reason, case .event = fact.expected.head { return startOfEvent(fact, name) }
    if case .infinite(let type) = fact.leaf { return infinite(fact, type) }
    if case .noClass(_, let type) = fact.leaf, case .event = type.head, fact.path.isEmpty, !isPart(type, of: fact) {
      return eventAsValue(fact)
    }
    if fact.path.isEmpty {
      if case .event = fact.actual.head, isData(fact.expected.head), !wantsPair(fact) { return eventAsValue(fact) }
      if case .event = fact.expected.head, isData(fact.actual.head), fact.looksVarying, let expr = fact.expr {
        return behaviorAsEvent(expr, place(fact.reason), declaration: fact.declaration)
      }
    }
    if case .noClass(let classes, let type) = fact.leaf { return noClass(fact, classes, type: type) }
    if case .operand(.add, let expr, _) = fact.reason { if let text = joinText(fact, expr) { return text } }
    if let numbers = intAndFloat(fact) { return numbers }
    return fields(fact)
  }

  /// `input e: Event<Int> = 0`
  private func startOfEvent(_ fact: MismatchFact, _ name: String) -> Diagnostic {
    let value = fact.expr.flatMap(source) ?? Help.blank
    let type = fact.expected.text
    let behavior = "Behavior" + type.dropFirst("Event".count)
    return Diagnostic(
      .typeMismatch, "`\(name)` is an event, which has no start value", at: fact.span,
      labels: reasonLabels(fact.reason),
      helps: [
        Help("something that happens", code: "input \(name): \(type)"),
        Help("something that always has a value", code: "input \(name): \(behavior) = \(value)"),
      ])
  }

  func isData(_ head: Head) -> Bool {
    switch head {
    case .event, .function, .error: return false
    case .open(let classes): return !classes.isEmpty
    default: return true
    }
  }

  /// Whether what lacks a class stands in a list, a record, …
  private func isPart(_ type: ShownType, of fact: MismatchFact) -> Bool {
    if case .event = fact.expected.head { return false }
    switch fact.actual.head {
    case .list, .map, .tuple, .record, .nominal: return type.text != fact.actual.text
    default: return false
    }
  }

  private func infinite(_ fact: MismatchFact, _ type: ShownType) -> Diagnostic {
    var title =
      fact.expr.flatMap(source).map { "the type of `\($0)` would have to contain itself" }
      ?? "this would have to contain itself"
    var notes = ["Nothing is a part of itself, however deeply."]
    if case .callee = fact.reason { notes = ["A function does not take itself as an argument."] }
    if case .argument = fact.reason, case .function = type.head {
      notes = ["A function does not take itself as an argument."]
    }
    if case .recursion(let name, _) = fact.reason, !name.isEmpty, case .function = fact.actual.head {
      title = "`\(name)` would have to return itself"
      notes = ["A function that gives back a function that gives back … has no type. Is an argument missing?"]
    } else if case .recursion(let name, _) = fact.reason, !name.isEmpty {
      title = "`\(name)` would have to contain itself"
    }
    // A single letter says nothing.
    let label = fact.actual.text.count > 1 ? "this is \(fact.actual.text)" : "it would be needed to make itself"
    return Diagnostic(.infiniteType, title, at: fact.span, label: label, notes: notes)
  }

  /// E0403, with code to paste.
  private func eventAsValue(_ fact: MismatchFact) -> Diagnostic {
    let name = fact.expr.map(quoted) ?? "this"
    var helps: [Help] = []
    var notes: [String] = []
    if case .lambdaResult(.argument(_, let callee, _)) = fact.reason, callee.name == "map" {
      notes.append(
        "A function that gives events belongs to `flatMapLatest` (the newest one counts) or `flatMap` (all do).")
    }
    if let expr = fact.expr, let text = source(expr) {
      let start = fact.actual.startValue ?? Help.blank
      let code = "\(text) |> hold(\(start))"
      helps = soFar(fact, text, start: start)
      // Of what brings nothing nothing can be kept.
      let isUnit = start == "()"
      if isUnit {
        helps.append(
          Help("how many so far", code: "count(\(text))", edit: .init(tree.span(expr), "count(\(text))")))
      } else {
        let edit = fact.actual.startValue.map { _ in Help.Edit(tree.span(expr), "(\(code))") }
        helps.append(Help("keep the last one", code: code, edit: edit))
      }
      if let (name, fold) = accumulating(expr, start: start) {
        notes.append("In `\(name)` itself there is no `\(name)` yet; `fold` hands on what it was before.")
        helps = [Help("to go on from what it was", code: fold, edit: .init(tree.span(expr), fold))]
      } else if let total = runningTotal(fact, text, start: start) {
        helps = [total]
      } else if let call = methodCall(fact, text) {
        helps = call.helps
        notes += call.notes
      } else if let call = grouping(fact) {
        helps = [call]
      } else if let lists = asList(fact, text) {
        helps = lists
      } else if let pause = pause(fact, expr, text: text) {
        helps = [pause]
      } else if case .condition = fact.reason, start != "false" {
        helps = [Help("whether it has occurred", code: "\(text) |> map(_ => true) |> hold(false)")]
      } else if isUnit || isSoFar(fact) {
        // What works on the value works on no occurrence.
      } else if case .field = fact.reason, fact.actual.content.first != .record, isOfNoCollection(fact.actual) {
        // Nor has what it brings the field.
      } else if isReactive(fact.reason) {
        notes += alreadyEvent(fact.reason, name)
        helps.append(Help("or work on each occurrence first", code: "\(text) |> map(x => …) |> hold(\(start))"))
      } else {
        helps.append(Help("or work on each occurrence", code: "\(text) |> map(\(mapping(fact, expr)))"))
      }
    }
    var labels: [Label] = []
    if let span = fact.declaration { labels = [Label(span, "\(name) is declared as an event here")] }
    if case .unaryOperand = fact.reason { labels += reasonLabels(fact.reason) }
    return Diagnostic(
      .eventAsValue, "\(name) is an event, but a value is needed \(placeOf(fact.reason))", at: fact.span,
      label: "an event has no value between its occurrences", labels: labels, notes: notes, helps: helps)
  }

  private func isSoFar(_ fact: MismatchFact) -> Bool {
    guard case .argument(0, let callee, _) = fact.reason else { return false }
    return callee.kind == .builtin && callee.name == "sum"
  }

  /// `sum(e)`: of what has come so far.
  private func soFar(_ fact: MismatchFact, _ text: String, start: String) -> [Help] {
    guard isSoFar(fact) else { return [] }
    return [Help("the sum so far", code: "\(text) |> fold(\(start), (+))")]
  }

  /// `debounce(after(1s))`: what ends a pause is made anew of each occurrence.
  private func pause(_ fact: MismatchFact, _ expr: ExprID, text: String) -> Help? {
    guard case .argument(1, let callee, _) = fact.reason, ["debounce", "throttle", "audit"].contains(callee.name),
      callee.kind == .builtin
    else { return nil }
    return Help(
      "end it by that event", code: "\(callee.name)(_ => \(text))", edit: .init(tree.span(expr), "_ => \(text)"))
  }

  private func isReactive(_ reason: Reason) -> Bool {
    if case .lambdaResult(let outer) = reason { return isReactive(outer) }
    guard case .argument(_, let callee, _) = reason, callee.kind == .builtin else { return false }
    let rows = Builtins.byBareName[callee.name] ?? []
    return rows.contains { if case .reactive = Builtins.all[$0].operation { true } else { false } }
  }

  private func alreadyEvent(_ reason: Reason, _ name: String) -> [String] {
    guard case .argument(_, let callee, _) = reason, ["changes", "when", "sample"].contains(callee.name) else {
      return []
    }
    return ["`\(callee.name)` makes an event of a behavior; \(name) is one already."]
  }

  /// The lambda that does to an occurrence what was tried with the event.
  private func mapping(_ fact: MismatchFact, _ expr: ExprID) -> String {
    guard let outer = context(fact.reason) else { return "x => …" }
    let whole = tree.span(outer)
    let inner = tree.span(expr)
    guard whole.file == inner.file, whole.start <= inner.start, inner.end <= whole.end, source(whole) != nil else {
      return "x => …"
    }
    let before = sources.text(Span(file: whole.file, start: Int(whole.start), end: Int(inner.start)))
    let after = sources.text(Span(file: whole.file, start: Int(inner.end), end: Int(whole.end)))
    return "x => \(before)x\(after)"
  }

  private func context(_ reason: Reason) -> ExprID? {
    switch reason {
    case .operand(_, let expr, _), .unaryOperand(_, let expr), .argument(_, _, let expr), .condition(let expr),
      .interpolation(let expr):
      return expr
    case .field(_, let expr): return expr
    case .subject(let expr): return expr
    case .lambdaResult(let inner): return context(inner)
    default: return nil
    }
  }

  private func noClass(_ fact: MismatchFact, _ classes: ClassSet, type: ShownType) -> Diagnostic {
    if classes == .eq {
      return Diagnostic(
        .notComparable, "\(opaque(type)) cannot be compared with `==`", at: fact.span,
        label: "this is \(named(fact.actual))",
        labels: reasonLabels(fact.reason),
        notes: ["Two functions, events or tasks are never known to be equal. Compare data that describes them."])
    }
    if classes == .show {
      return Diagnostic(
        .notComparable, "\(opaque(type)) cannot be shown as text", at: fact.span,
        label: "this is \(named(fact.actual))",
        labels: reasonLabels(fact.reason),
        notes: type.head == .event
          ? ["An event has no value between its occurrences. The last one's is `event |> hold(\(Help.blank))`."] : [])
    }
    if classes == .num, case .operand(.add, let expr, _) = fact.reason, let text = joinText(fact, expr) { return text }
    let need =
      classes == .num ? "a number" : classes == .append ? "a String or a List" : "something with an order"
    let type = isPart(type, of: fact) ? fact.actual : type
    return Diagnostic(
      .typeMismatch, "\(place(fact.reason)) needs \(need), this is \(named(type))", at: fact.span,
      label: "this is \(named(type))", labels: reasonLabels(fact.reason),
      notes: type.head == .unit
        ? ["`()` says that something happened, and nothing else. How often it did is `e |> count`."]
        : classes == .ord ? ["Int, Float, String, and tuples and lists of them have an order."] : [])
  }

  /// E0310: `+` with a String.
  private func joinText(_ fact: MismatchFact, _ expr: ExprID) -> Diagnostic? {
    guard case .binary(_, let left, let right, _) = tree[expr] else { return nil }
    let isText = fact.actual.head == .string || fact.expected.head == .string
    guard isText else { return nil }
    var helps: [Help] = []
    if let a = source(left), let b = source(right) {
      let inner = { (text: String) in
        text.hasPrefix("\"") && text.hasSuffix("\"") && text.count > 1
          ? String(text.dropFirst().dropLast()) : "{\(text)}"
      }
      helps.append(Help("put a value into a text", code: "\"\(inner(a))\(inner(b))\""))
      if !isNumber(left), !isNumber(right) {
        // What stands beside a literal is rather a value than another text.
        let isLiteral = a.hasPrefix("\"") != b.hasPrefix("\"")
        helps.insert(Help("join two texts", code: "\(a) ++ \(b)"), at: isLiteral ? 1 : 0)
      }
    }
    return Diagnostic(
      .addedTexts, "`+` adds numbers, this is a String", at: fact.span, label: "this is a String",
      labels: reasonLabels(fact.reason), helps: helps)
  }

  /// Whether an expression is a number as it stands.
  private func isNumber(_ expr: ExprID) -> Bool { source(expr)?.first?.isNumber ?? false }

  /// E0309: an Int meets a Float.
  private func intAndFloat(_ fact: MismatchFact) -> Diagnostic? {
    guard case .different(let expected, let actual) = fact.leaf, fact.path.isEmpty,
      Set([expected.head, actual.head]) == [.int, .float]
    else { return nil }
    var target = fact.expr
    var span = fact.span
    var labels = reasonLabels(fact.reason)
    if case .operand = fact.reason { labels = [] }
    if case .operand(let op, let expr, false) = fact.reason, actual.head == .float, op != .remainder, op != .range,
      case .binary(_, let left, _, _) = tree[expr]
    {
      target = left
      span = tree.span(left)
      labels = []
    }
    let text = target.flatMap(source)
    if actual.head == .int || span != fact.span {
      let code = text.map { "toFloat(\($0))" }
      return Diagnostic(
        .mixedNumbers, "an Int is not turned into a Float by itself", at: span, label: "this is an Int",
        labels: labels + needLabels(fact, span),
        helps: code.map { [Help("convert it", code: $0, edit: .init(span, $0, isSafe: true))] } ?? [])
    }
    if let (note, help) = ofFloats(fact) {
      return Diagnostic(
        .mixedNumbers, "a Float is not turned into an Int by itself", at: span, label: "this is a Float",
        labels: labels, notes: ["\(capitalised(place(fact.reason))) needs an Int. \(note)"],
        helps: help.map { [$0] } ?? [])
    }
    let code = text.map { "round(\($0))" }
    var helps: [Help] = []
    if case .argument(1, let callee, _) = fact.reason, callee.name == "buffer", let text {
      helps = [Help("what comes in such a time", code: "batch(every(\(text)))")]
    }
    return Diagnostic(
      .mixedNumbers, "a Float is not turned into an Int by itself", at: span, label: "this is a Float", labels: labels,
      notes: ["\(capitalised(place(fact.reason))) needs an Int."],
      helps: !helps.isEmpty
        ? helps
        : code.map {
          [Help("the nearest Int", code: $0), Help("or work with Floats: an Int becomes one by", code: "toFloat(n)")]
        } ?? [])
  }

  private func needLabels(_ fact: MismatchFact, _ span: Span) -> [Label] {
    guard case .operand(let op, let expr, _) = fact.reason, case .binary(_, let left, let right, let place) = tree[expr]
    else { return [] }
    if op == .remainder || op == .range { return [Label(place, "`\(op.rawValue)` is for Ints")] }
    if op == .divide { return [Label(place, "`/` is for Floats; `div(a, b)` divides Ints")] }
    let other = span == tree.span(left) ? right : left
    return [Label(tree.span(other), "this is a Float")].filter { $0.span != span }
  }

  // MARK: General

  private func general(_ fact: MismatchFact) -> Diagnostic {
    let (code, title) = heading(fact)
    var notes: [String] = []
    if !fact.path.isEmpty, case .different(let expected, let actual) = fact.leaf {
      notes.append("They differ inside: \(expected.text) is needed there, \(actual.text) is given.")
    }
    if case .parameterCount(let expected, let actual) = fact.leaf {
      notes.append("A function of \(count(expected, "parameter")) is needed, this one takes \(actual).")
    }
    if case .notAnyType(let name, let type) = fact.leaf {
      notes.append("`\(name)` stands for any type, so it cannot be \(named(type)).")
    }
    notes += advice(fact)
    return Diagnostic(
      code, title, at: fact.span, label: "this is \(given(fact.actual))", labels: reasonLabels(fact.reason),
      notes: notes, helps: functionOfIt(fact) + eventBesideValue(fact) + eventsInside(fact) + conversion(fact))
  }

  /// The call that makes the type that is needed of the one that is there.
  private func conversion(_ fact: MismatchFact) -> [Help] {
    guard let expr = fact.expr, let text = source(expr) else { return [] }
    let (needed, given) = (fact.expected, fact.actual)
    switch (needed.head, given.head) {
    case (.list, .list) where needed.content == [.float] && given.content == [.int]:
      return [Help("Floats of them", code: "\(text) |> map(toFloat)")]
    case (.list, .list) where given.content == [.nominal(.option)] && needed.content != given.content:
      return [Help("without the Nones", code: "\(text) |> filterMap(x => x)")]
    case (.list, .string) where needed.content == [.string]: return [Help("a list of it", code: "[\(text)]")]
    case (.string, let head) where isPlainValue(head):
      return [Help("as a text", code: "toString(\(text))", edit: Help.Edit(tree.span(expr), "toString(\(text))"))]
    case (.event, .float) where isPause(fact):
      return [Help("an event after that time", code: "after(\(text))", edit: .init(tree.span(expr), "after(\(text))"))]
    case (.nominal(.policy), .function):
      return [Help("how many at a time", code: "\(text)(4)", edit: .init(tree.span(expr), "\(text)(4)"))]
    case (.nominal(.set), .list): return [Help("the set of a list", code: "Set.fromList(\(text))")]
    case (.list, .map): return Help.lists(ofMap: text)
    // `{}` may stand where it was begun with.
    case (.map, .record) where given.text == "{}": return [Help("the map with nothing in it", code: "Map.empty")]
    case (.nominal(.set), .record) where given.text == "{}":
      return [Help("the set with nothing in it", code: "Set.empty")]
    case (.list, .nominal(.set)): return [Help("the list of a set", code: "toList(\(text))")]
    case (.nominal(.json), let head) where isData(head): return [Help("as Json", code: "Json.of(\(text))")]
    case (.int, .nominal(.json)): return [Help("if it is one", code: "Json.int(\(text)) |> withDefault(0)")]
    case (.float, .nominal(.json)): return [Help("if it is one", code: "Json.float(\(text)) |> withDefault(0.0)")]
    case (.string, .nominal(.json)): return [Help("if it is one", code: "Json.text(\(text)) |> withDefault(\"\")")]
    case (.task, let head) where isData(head): return task(fact, expr, text: text)
    case (.float, .string):
      if let duration = duration(text, expr) { return [duration] }
      guard case .argument(_, let callee, _) = fact.reason, callee.parameters.contains("seconds") else { return [] }
      return [Help("the moment that a text states", code: "Date.parse(\(text)) |> withDefault(0.0)")]
    default: return []
    }
  }

  private func isPlainValue(_ head: Head) -> Bool {
    if case .open(let classes) = head { return classes.contains(.num) }
    return [.int, .float, .bool].contains(head)
  }

  /// What the function given to `debounce` and its like must give.
  private func isPause(_ fact: MismatchFact) -> Bool {
    guard case .lambdaResult(.argument(1, let callee, _)) = fact.reason else { return false }
    return ["debounce", "throttle", "audit"].contains(callee.name) && callee.kind == .builtin
  }

  /// A branch, an arm or an element that is an event, where another is a value.
  private func eventBesideValue(_ fact: MismatchFact) -> [Help] {
    switch fact.reason {
    case .otherwise, .arm, .element: break
    default: return []
    }
    if case .event = fact.actual.head, isData(fact.expected.head) {
      return eventHelps(fact.expr.flatMap(source) ?? "e", start: fact.actual.startValue)
    }
    if case .event = fact.expected.head, isData(fact.actual.head) {
      return eventHelps("e", start: fact.expected.startValue)
    }
    return []
  }

  /// A value where a function is expected: the function that gives it.
  private func functionOfIt(_ fact: MismatchFact) -> [Help] {
    guard case .argument = fact.reason, case .function = fact.expected.head, fact.path.isEmpty,
      isData(fact.actual.head),
      let expr = fact.expr, let text = source(expr)
    else { return [] }
    if let swapped = swappedArguments(fact, expr, text: text) { return [swapped] }
    if let field = fieldNamed(text, fact) { return [field] }
    let ignored = fact.expected.text.hasPrefix("(") ? parameters(fact.expected.text) : "_"
    return [Help("the function that always gives it", code: "\(ignored) => \(text)")]
  }

  /// `sumBy("kind", …)`: a field of the records that the function is for, as a text.
  private func fieldNamed(_ text: String, _ fact: MismatchFact) -> Help? {
    guard fact.actual.head == .string, text.count > 2, text.first == "\"" else { return nil }
    let field = fieldText(String(text.dropFirst().dropLast()))
    let parameters = fact.expected.text.prefix { $0 != ">" }
    guard parameters.contains("{\(field): ") || parameters.contains(" \(field): ") else { return nil }
    return Help("the function that takes that field", code: ".\(field)")
  }

  /// `fold(f, 0)`: the function stands where the value belongs.
  private func swappedArguments(_ fact: MismatchFact, _ expr: ExprID, text: String) -> Help? {
    guard case .argument(_, let callee, var call) = fact.reason else { return nil }
    if case .pipe(_, let right) = tree[call] { call = right }
    guard case .call(_, let arguments) = tree[call], let place = arguments.firstIndex(of: expr), place > 0,
      isFunction(arguments[place - 1]), let function = source(arguments[place - 1])
    else { return nil }
    let before = arguments[..<(place - 1)].compactMap(source)
    let all = (before + [text, function]).joined(separator: ", ")
    return Help("the value comes before the function", code: "\(callee.name)(\(all))")
  }

  /// Whether it is a function as it stands: `x => x`, `(+)`.
  private func isFunction(_ expr: ExprID) -> Bool {
    switch tree[expr] {
    case .lambda, .operatorFunction: true
    default: false
    }
  }

  /// As many `_` as a function's type has parameters.
  private func parameters(_ type: String) -> String {
    var depth = 0
    var count = 1
    for character in type.dropFirst().replacing("->", with: "") {
      if "([{<".contains(character) { depth += 1 }
      if ")]}>".contains(character) { depth -= 1 }
      if depth < 0 { break }
      if character == ",", depth == 0 { count += 1 }
    }
    return count == 1 ? "_" : "(" + [String](repeating: "_", count: count).joined(separator: ", ") + ")"
  }

  /// Slips that are likely behind a mismatch.
  private func advice(_ fact: MismatchFact) -> [String] {
    if case .operand(_, let expr, true) = fact.reason, case .function = fact.actual.head, isRightOfPipe(expr) {
      return [Self.pipeReach]
    }
    if case .lambdaResult(.argument(_, let callee, _)) = fact.reason, case .event = fact.expected.head {
      if callee.name == "flatMap" || callee.name == "flatMapLatest" {
        return ["For a value of each occurrence there is `map`."]
      }
    }
    return []
  }

  static var pipeReach: String {
    "`|>` reaches as far right as it can. Put what belongs to it in parentheses: `(x |> f) / y`."
  }

  /// Whether `expr` begins a chain of operators that `|>` takes as its function.
  func beginsRightOfPipe(_ expr: ExprID) -> Bool {
    for (index, other) in tree.exprs.enumerated() {
      guard case .binary(_, expr, _, _) = other else { continue }
      let whole = ExprID(index)
      return isRightOfPipe(whole) || beginsRightOfPipe(whole)
    }
    return false
  }

  private func isRightOfPipe(_ expr: ExprID) -> Bool {
    tree.exprs.contains { other in
      if case .pipe(_, let right) = other { right == expr } else { false }
    }
  }

  private func heading(_ fact: MismatchFact) -> (code: DiagnosticCode, title: String) {
    let expected = named(fact.expected)
    let actual = given(fact.actual)
    switch fact.reason {
    case .otherwise:
      return (.branchMismatch, "the branches disagree: `then` gives \(given(fact.expected)), `else` gives \(actual)")
    case .arm(_, let isModel):
      let others = isModel ? "most give" : "the first gives"
      return (.branchMismatch, "the arms disagree: \(others) \(given(fact.expected)), this one \(actual)")
    case .element(let index, _, let isModel):
      let before = isModel ? "most are" : index == 1 ? "the first is" : "those before it are"
      return (.elementMismatch, "element \(index + 1) is \(actual), \(before) \(given(fact.expected))")
    case .annotation(_, let name):
      return (
        .annotationMismatch, "\(name.map { "`\($0)`" } ?? "this") is declared to be \(expected), but this is \(actual)"
      )
    case .recursion(let name, _) where !name.isEmpty:
      return (.typeMismatch, "`\(name)` gives \(actual), but it is used as \(expected)")
    case .lambdaResult(let outer):
      let name = if case .argument(_, let callee, _) = outer { " given to `\(callee.name)`" } else { "" }
      return (.typeMismatch, "the function\(name) must return \(expected), this is \(actual)")
    case .pattern: return (.typeMismatch, "this pattern matches \(actual), but \(expected) is matched")
    default: return (.typeMismatch, "\(place(fact.reason)) needs \(expected), this is \(actual)")
    }
  }

  /// The type of what is there: a number of no certain type is an Int, as people read it.
  func given(_ type: ShownType) -> String {
    if case .open(let classes) = type.head, classes.contains(.num), !type.isRigid { return "an Int" }
    return named(type)
  }

  /// What has the need, as the subject of a sentence.
  func place(_ reason: Reason) -> String {
    switch reason {
    case .argument(let index, let callee, _):
      let name = callee.parameters.indices.contains(index) ? callee.parameters[index] : ""
      return "the \(ordinal(index + 1)) argument of `\(callee.name)`\(name.isEmpty ? "" : " (`\(name)`)")"
    case .lambdaResult(let inner): return place(inner)
    case .operand(let op, _, _): return "`\(op.rawValue)`"
    case .unaryOperand(let op, _): return "`\(op.rawValue)`"
    case .condition: return "the condition of `if`"
    case .guardCondition: return "a guard"
    case .otherwise: return "the `else` branch"
    case .arm: return "this arm"
    case .element(let index, _, _): return "element \(index + 1)"
    case .spread: return "`...`"
    case .annotation(_, let name): return name.map { "`\($0)`" } ?? "the annotation"
    case .recursion(let name, _): return name.isEmpty ? "the pattern" : "`\(name)`"
    case .start(let name, _): return "the start value of `\(name)`"
    case .source(let name, _): return "the source of `\(name)`"
    case .sink(let name, _): return "the sink of `\(name)`"
    case .interpolation: return "a text"
    case .field(let name, _): return "the field `\(name.text)`"
    case .newValue(let name): return "the field `\(name.text)`"
    case .part(_, let outer): return place(outer)
    case .pattern, .subject: return "`match`"
    case .testValue: return "the test"
    case .callee: return "a call"
    }
  }

  /// The place as the end of a sentence.
  private func placeOf(_ reason: Reason) -> String {
    switch reason {
    case .argument(let index, let callee, _): return "as the \(ordinal(index + 1)) argument of `\(callee.name)`"
    case .operand(let op, _, _): return "by `\(op.rawValue)`"
    case .unaryOperand(let op, _): return "by `\(op.rawValue)`"
    case .condition: return "by `if`"
    case .subject: return "by `match`"
    case .lambdaResult(.argument(_, let callee, _)): return "from the function given to `\(callee.name)`"
    case .interpolation: return "in a text"
    case .field(let name, _): return "before `.\(name.text)`"
    default: return "here"
    }
  }

  func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  func reasonLabels(_ reason: Reason) -> [Label] {
    switch reason {
    case .argument(_, let callee, _): return declared(callee)
    case .lambdaResult(let inner): return reasonLabels(inner)
    case .otherwise(let span): return [Label(span, "the `then` branch")]
    case .arm(let span, let isModel): return [Label(span, isModel ? "one of most" : "the first arm")]
    case .element(_, let span, let isModel): return [Label(span, isModel ? "one of most" : "the first element")]
    case .annotation(let span, _): return [Label(span, "declared here")]
    case .start(_, let span), .source(_, let span), .sink(_, let span): return [Label(span, "declared here")]
    case .pattern(let subject?): return [Label(subject, "this is matched")]
    case .testValue(let span?): return [Label(span, "compared with this")]
    case .operand(_, let expr, _):
      if case .binary(_, _, _, let span) = tree[expr] { return [Label(span, "because of this")] }
      return []
    default: return []
    }
  }
}

extension Help {
  /// The lists that a map has, for what works on lists.
  static func lists(ofMap text: String) -> [Help] {
    [
      Help("its keys with their values", code: "Map.toList(\(text))"),
      Help("its values", code: "Map.values(\(text))"),
    ]
  }
}
