// What is meant where an operator of events is given something else than it takes, as other systems have it: `batch(1s)`,
// `takeUntil(x => x > 3)`, `window(every(1s))`, `flatMap(x => task)`. By the operator, the place and the types.

import FRPBase
import FRPCore
import FRPSyntax

/// A call of a built-in that is given something wrong.
private struct GivenCall {
  var whole: ExprID
  var name: String
  /// The first argument is what is piped into it, if something is.
  var arguments: [String]
  /// The place of the wrong argument among them.
  var place: Int
  var isPiped: Bool

  /// The call with another name, and other arguments behind the subject.
  func written(_ name: String, _ others: [String]) -> String {
    if isPiped { return "\(arguments[0]) |> \(name)" + (others.isEmpty ? "" : "(\(others.joined(separator: ", ")))") }
    return "\(name)(\(([arguments[0]] + others).joined(separator: ", ")))"
  }
}

extension Rendering {
  /// What to write instead, with a sentence where the code does not say enough.
  func otherOperator(_ fact: MismatchFact) -> (helps: [Help], notes: [String])? {
    guard let expr = fact.expr, let text = source(expr) else { return nil }
    switch fact.reason {
    case .argument(let index, let callee, let call) where callee.kind == .builtin:
      guard let given = givenCall(call, callee.name, index) else { return nil }
      if index == 0 { return subject(given, fact) }
      if fact.path.isEmpty { return argument(given, fact, expr, text: text) }
      return mixed(given, fact, text: text)
    case .lambdaResult(.argument(let index, let callee, let call)) where callee.kind == .builtin && fact.path.isEmpty:
      guard let given = givenCall(call, callee.name, index) else { return nil }
      return result(given, fact, text: text)
    default: return nil
    }
  }

  private func givenCall(_ whole: ExprID, _ name: String, _ place: Int) -> GivenCall? {
    var (call, subject): (ExprID, [ExprID]) = (whole, [])
    if case .pipe(let left, let right) = tree[whole] { (call, subject) = (right, [left]) }
    var arguments = subject
    if case .call(_, let others) = tree[call] { arguments += others }
    let texts = arguments.compactMap(source)
    guard texts.count == arguments.count, texts.indices.contains(place) else { return nil }
    return GivenCall(whole: whole, name: name, arguments: texts, place: place, isPiped: !subject.isEmpty)
  }

  private func instead(_ text: String, _ given: GivenCall, _ code: String) -> Help {
    Help(text, code: code, edit: Help.Edit(tree.span(given.whole), "(\(code))"))
  }

  // MARK: Subjects

  /// `e |> timeout(2s)`; `e |> perform(…) |> hold(0)`
  private func subject(_ given: GivenCall, _ fact: MismatchFact) -> (helps: [Help], notes: [String])? {
    if fact.expected.head == .event, let results = fact.expr.flatMap({ resultsOf($0, fact.actual) }) {
      return ([results], [])
    }
    guard given.name == "timeout", fact.actual.head == .event, given.arguments.count == 2 else { return nil }
    let (event, length) = (given.arguments[0], given.arguments[1])
    return (
      [
        instead("when nothing has come for that long", given, "\(event) |> debounce(\(length))"),
        Help("of a task", code: "\(event) |> perform(Latest, x => Task.after(1s, x) |> timeout(\(length)))"),
      ], []
    )
  }

  /// What the tasks gave, where all that `perform` gives stands: its results are what occurs.
  func resultsOf(_ expr: ExprID, _ type: ShownType) -> Help? {
    guard type.head == .record, type.text.hasPrefix("{busy: Bool, results: Event<"), let text = source(expr) else {
      return nil
    }
    let isName = text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    let code = "\(isName ? text : "(\(text))").results |> filterMap(ok)"
    return Help("what the tasks gave", code: code, edit: Help.Edit(tree.span(expr), "(\(code))"))
  }

  // MARK: Other arguments

  private func argument(
    _ given: GivenCall, _ fact: MismatchFact, _ expr: ExprID, text: String
  ) -> (helps: [Help], notes: [String])? {
    switch (given.name, given.place, fact.actual.head) {
    case ("batch", 1, .float), ("bufferUntil", 1, .float), ("sample", 1, .float):
      return ([Help("a tick each time", code: "every(\(text))", edit: .init(tree.span(expr), "every(\(text))"))], [])
    case ("batch", 1, .int), ("batch", 1, .open):
      return ([instead("so many at a time", given, given.written("buffer", [text]))], [])
    case ("takeUntil", 1, .float), ("dropUntil", 1, .float):
      return (
        [Help("once, after that time", code: "after(\(text))", edit: .init(tree.span(expr), "after(\(text))"))], []
      )
    case ("window", 1, .event):
      return ([instead("those since the last tick", given, given.written("batch", [text]))], [])
    case ("takeUntil", 1, .function), ("dropUntil", 1, .function): return untilTrue(given, expr)
    case ("delay", 1, .function): return delayedBy(given, expr)
    case ("zip", 2..., .function), ("merge", 1..., .function): return combined(given, text: text)
    case ("perform", 1, .nominal): return hiddenPolicy(expr, fact.actual, text: text).map { ($0, []) }
    default: return nil
    }
  }

  /// `takeUntil(x => x > 3)`: a condition, where an event is meant.
  private func untilTrue(_ given: GivenCall, _ function: ExprID) -> (helps: [Help], notes: [String])? {
    guard case .lambda(let parameters, let body) = tree[function], parameters.count == 1,
      let name = source(tree.span(parameters[0])), let test = source(body)
    else { return nil }
    let lambda = "\(name) => !(\(test))"
    if given.name == "dropUntil" {
      return ([instead("from the first that it holds of", given, given.written("dropWhile", [lambda]))], [])
    }
    return (
      [
        instead("up to the first that it holds of, without that", given, given.written("takeWhile", [lambda])),
        instead("or with it", given, given.written("takeThrough", [lambda])),
      ], []
    )
  }

  /// `delay(x => after(1s))`, `delay(x => x.wait)`: each by a time of its own.
  private func delayedBy(_ given: GivenCall, _ function: ExprID) -> (helps: [Help], notes: [String])? {
    guard case .lambda(let parameters, let body) = tree[function], parameters.count == 1,
      let name = source(tree.span(parameters[0])), let wait = source(body)
    else { return nil }
    let parameter = name == "_" ? "x" : name
    let isEvent = exprIsEvent(body)
    let code = "\(parameter) => \(isEvent ? wait : "after(\(wait))") |> map(_ => \(parameter))"
    return ([instead("each by a time of its own", given, given.written("flatMap", [code]))], [])
  }

  /// Whether it is a call of what makes an event of a time.
  private func exprIsEvent(_ expr: ExprID) -> Bool {
    guard case .call(let callee, _) = tree[expr], case .name(let name) = tree[callee] else { return false }
    return ["after", "every"].contains(name)
  }

  /// `zip(a, b, (x, y) => x + y)`, `merge(a, b, (x, y) => x)`: what is made of the pair stands behind it.
  private func combined(_ given: GivenCall, text: String) -> (helps: [Help], notes: [String])? {
    guard given.place == given.arguments.count - 1 else { return nil }
    let others = Array(given.arguments.dropFirst().dropLast())
    if others.isEmpty { return nil }
    let call = given.written(given.name, others)
    return given.name == "zip"
      ? ([instead("what is made of each pair stands behind it", given, "\(call) |> map(\(text))")], [])
      : ([instead("what is made of those of one instant stands behind it", given, "\(call) |> coalesce(\(text))")], [])
  }

  /// `merge(numbers, clicks)`: events of different types.
  private func mixed(_ given: GivenCall, _ fact: MismatchFact, text: String) -> (helps: [Help], notes: [String])? {
    guard given.name == "merge", fact.actual.head == .event, fact.expected.head == .event,
      let wanted = fact.expected.startValue, let start = fact.actual.startValue, wanted != start
    else { return nil }
    let code = "\(text) |> map(_ => \(wanted))"
    let edit = fact.expr.map { Help.Edit(tree.span($0), "(\(code))") }
    let note =
      "All events of a `merge` bring one type. Where both kinds count, that is a type: `type Input = Number(Int) | Click`."
    return ([Help("make of it what the first one brings", code: code, edit: edit)], [note])
  }

  // MARK: What functions give

  private func result(_ given: GivenCall, _ fact: MismatchFact, text: String) -> (helps: [Help], notes: [String])? {
    switch (given.name, fact.actual.head) {
    case ("flatMap", .task), ("flatMapLatest", .task), ("map", .task):
      let policy = given.name == "flatMapLatest" ? "Latest" : "All"
      let code = "(\(given.arguments[0]) |> perform(\(policy), \(given.arguments[given.place]))).results"
      return ([instead("tasks are performed", given, "\(code) |> filterMap(ok)")], [])
    case ("perform", .event):
      guard given.arguments.count == 3 else { return nil }
      let name = given.arguments[1] == "Latest" ? "flatMapLatest" : "flatMap"
      return ([instead("events are put in by", given, "\(given.arguments[0]) |> \(name)(\(given.arguments[2]))")], [])
    default: return nil
    }
  }

  // MARK: Policies

  /// A constructor of the program stands where a policy of that name is meant.
  private func hiddenPolicy(_ expr: ExprID, _ type: ShownType, text: String) -> [Help]? {
    var constructor = expr
    if case .call(let callee, _) = tree[expr] { constructor = callee }
    guard case .constructor(let name) = tree[constructor] else { return nil }
    return policyHidden(name)
  }

  /// The ways to a policy whose name the program gives to a constructor of its own; nil where it does not.
  func policyHidden(_ name: String) -> [Help]? {
    guard ["Latest", "All", "Queue", "Ignore", "Limit"].contains(name) else { return nil }
    for case .type(let type, _, let cases) in tree.items {
      guard let own = cases.first(where: { $0.name.text == name }) else { continue }
      let new = "\(type.text)\(name)"
      let rename = Help(
        "`\(name)` is a constructor of `\(type.text)` here, which needs another name", code: new,
        edit: .init(own.name.span, new))
      let others = ["All": "Limit(1000000)", "Queue": "Limit(1)"]
      return [rename] + (others[name].map { [Help("or the policy by another name", code: $0)] } ?? [])
    }
    return nil
  }
}
