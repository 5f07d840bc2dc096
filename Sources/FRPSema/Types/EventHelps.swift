// What is meant where an event is taken for an object with methods, or for a list of its occurrences.

import FRPBase
import FRPCore
import FRPSyntax

extension Rendering {
  /// `e.map(f)`, `e.pipe(map(f))`, `e.subscribe(f)`, as methods are called elsewhere.
  func methodCall(_ fact: MismatchFact, _ text: String) -> (helps: [Help], notes: [String])? {
    guard case .field(let name, let access) = fact.reason else { return nil }
    if Parser.listeners.contains(name.text) {
      return ([Help("an output is told by itself", code: "output result = \(text)")], [])
    }
    if name.text == "pipe" {
      let call = access.flatMap(call)
      let stages = call?.arguments.compactMap(source) ?? []
      let code = ([text] + (stages.isEmpty ? ["map(…)", "filter(…)"] : stages)).joined(separator: " |> ")
      let edit = stages.isEmpty ? nil : call.map { Help.Edit(tree.span($0.whole), code) }
      return ([Help("functions are applied with `|>`", code: code, edit: edit)], [])
    }
    if worksOnEvents(name.text) {
      return ([Help("functions are applied with `|>`", code: "\(text) |> \(name.text)(…)")], [])
    }
    let isOwn = Builtins.byBareName[name.text] != nil
    let written = otherNamesOfEvents[name.text].flatMap { $0.name == nil ? $0 : nil }
    guard let other = isOwn ? OtherName(name.text) : written ?? otherNames[name.text] else { return nil }
    if let here = other.name, other.advice == nil, worksOnEvents(here) {
      return ([Help("it is called `\(here)` here", code: "\(text) |> \(here)(…)")], [])
    }
    if let advice = other.advice { return ([], ["There is no `\(name.text)`: \(advice)."]) }
    return other.name.map { (occurrencesAsList(text, for: $0, fact.actual), []) }
  }

  /// The call of what is taken from something.
  private func call(of callee: ExprID) -> (whole: ExprID, arguments: [ExprID])? {
    // A call comes after its parts, and there are few of these.
    for index in tree.exprs.indices.dropFirst(callee.index).prefix(200) {
      if case .call(callee, let arguments) = tree.exprs[index] { return (ExprID(index), arguments) }
    }
    return nil
  }

  private func worksOnEvents(_ name: String) -> Bool {
    (Builtins.byBareName[name] ?? []).contains { Builtins.all[$0].signature.contains("(Event<") }
  }

  /// `e |> last`: what works on lists is given an event of no lists. Nil where that is not so.
  func asList(_ fact: MismatchFact, _ text: String) -> [Help]? {
    guard case .argument(0, let callee, _) = fact.reason, callee.kind == .builtin, fact.expected.head == .list,
      isOfNoCollection(fact.actual), callee.name != "sum"
    else { return nil }
    return occurrencesAsList(text, for: callee.name, fact.actual)
  }

  /// Whether what an event brings has no elements itself.
  func isOfNoCollection(_ event: ShownType) -> Bool {
    switch event.content.first {
    case .unit, .bool, .int, .float, .record, .tuple: true
    default: false
    }
  }

  /// What a function of lists would do to the occurrences of an event.
  func occurrencesAsList(_ text: String, for function: String, _ event: ShownType) -> [Help] {
    switch function {
    case "head": return [Help("only the first occurrence", code: "once(\(text))")]
    case "last" where event.startValue == "()":
      return [Help("when it occurred last", code: "\(text) |> map(_ => time) |> hold(0.0)")]
    case "last": return [Help("keep the last one", code: "\(text) |> hold(\(event.startValue ?? Help.blank))")]
    case "size": return [Help("how many so far", code: "count(\(text))")]
    default:
      return [
        Help("a list of those of the last while", code: "window(\(text), 10s)"),
        Help("of all so far", code: "\(text) |> fold([], (l, x) => l ++ [x])"),
      ]
    }
  }
}
