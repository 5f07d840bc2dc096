// The ways out where something cannot vary (E0402, E0404): what depends on it is made anew whenever it changes, and from what it
// is at first. `updates` has the present value, which `changes` has not.
//
// In: the place of what varies. Out: the call that it is an argument of, or the choice it decides, as it would be written; where
// that is long, only what belongs around it.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

extension Elaborator {
  /// What is to be known once, its place, and whether it varies between instants.
  struct Varying {
    var span: Span
    var text: String
    var isContinuous: Bool
  }

  /// Starts the call anew at every change. A start value is also what it shows before the first of them.
  func startingAnew(_ varying: Varying, isStart: Bool) -> Help {
    let events =
      varying.isContinuous
      ? "sample(\(varying.text), merge(after(0s), every(1s)))" : "updates(\(varying.text))"
    return remaking("start anew whenever it changes", varying, at: events, first: isStart ? varying.text : nil)
  }

  /// Makes the call once, with what it is at first.
  func beginning(_ varying: Varying) -> Help {
    remaking("begin with what it is at first", varying, at: "sample(\(varying.text), after(0s))", first: varying.text)
  }

  private func remaking(_ text: String, _ varying: Varying, at events: String, first: String? = nil) -> Help {
    guard let call = call(with: varying.span) else {
      return Help(text, code: "\(events) |> switch(\(first ?? "first"), x => \(Help.blank))")
    }
    let name = freeName(in: program.tree.span(call))
    let inner = substituting(name, at: varying.span, in: program.tree.span(call)) ?? Help.blank
    var code = "\(events) |> flatMapLatest(\(name) => \(inner))"
    if case .event = program[type(of: call)] {
    } else {
      code = "\(events) |> switch(\(first ?? startText(type(of: call))), \(name) => \(inner))"
    }
    let edit = code.contains(Help.blank) ? nil : Help.Edit(program.tree.span(call), "(\(code))")
    return Help(text, code: code, edit: edit)
  }

  /// The call that something is an argument of, with the pipe that feeds it.
  private func call(with argument: Span) -> ExprID? {
    let tree = program.tree
    for (index, expr) in tree.exprs.enumerated() {
      switch expr {
      case .call(_, let arguments) where arguments.contains { tree.span($0) == argument }:
        let call = ExprID(index)
        // A pipe comes after what it feeds.
        let pipe = tree.exprs.indices.dropFirst(index).prefix(200).first {
          if case .pipe(_, call) = tree.exprs[$0] { true } else { false }
        }
        return pipe.map { ExprID($0) } ?? call
      case .pipe(let left, _) where tree.span(left) == argument: return ExprID(index)
      default: break
      }
    }
    return nil
  }

  /// The text of a place with something else in a part of it; nil where that is long.
  func substituting(_ text: String, at part: Span, in whole: Span, atMost: Int = 60) -> String? {
    let before = program.sources.text(Span(file: whole.file, start: Int(whole.start), end: Int(part.start)))
    let after = program.sources.text(Span(file: whole.file, start: Int(part.end), end: Int(whole.end)))
    let code = before + text + after
    return code.count > atMost || code.contains("\n") ? nil : code
  }

  /// A name that nothing there has.
  func freeName(among names: [String] = ["x", "y", "now", "value"], in place: Span) -> String {
    let words = program.sources.text(place).split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    return names.first { name in !words.contains { $0 == name } } ?? "it"
  }

  /// A value of a type that can be written down; a blank where none can.
  private func startText(_ type: Ty) -> String {
    switch program[type] {
    case .int: "0"
    case .float: "0.0"
    case .bool: "false"
    case .string: "\"\""
    case .unit: "()"
    case .list: "[]"
    case .map: "Map.empty"
    case .event: "never"
    case .tuple(let parts): "(" + parts.map(startText).joined(separator: ", ") + ")"
    case .record(let fields, nil):
      "{" + fields.map { "\(fieldText($0.name)): \(startText($0.type))" }.joined(separator: ", ") + "}"
    case .nominal(let id, _) where program.nominals[id.index].name == "Option": "None"
    default: Help.blank
    }
  }

  // MARK: Choices

  /// `if c then a else b` of events, as it may be meant.
  func choosingEvents(_ span: Span) -> [Help] {
    let general = [
      Help("let occurrences through while a condition holds", code: "merge(a |> gate(c), b |> gate(!c))"),
      Help("start a new one at every change", code: "updates(c) |> flatMapLatest(c => if c then a else b)"),
    ]
    let tree = program.tree
    guard let choice = tree.exprSpans.lastIndex(of: span).map({ ExprID($0) }),
      case .conditional(let test, let then, let otherwise) = tree[choice],
      let condition = shortText(tree.span(test)), let first = shortText(tree.span(then)),
      let second = shortText(tree.span(otherwise))
    else { return general }
    let (a, b) = (piped(then, first), piped(otherwise, second))
    let negated = isAtom(test) ? "!\(condition)" : "!(\(condition))"
    let gates =
      switch (first, second) {
      case (_, "never"): "\(a) |> gate(\(condition))"
      case ("never", _): "\(b) |> gate(\(negated))"
      default: "merge(\(a) |> gate(\(condition)), \(b) |> gate(\(negated)))"
      }
    let name = freeName(in: span)
    let anew = "updates(\(condition)) |> flatMapLatest(\(name) => if \(name) then \(first) else \(second))"
    return [
      Help(general[0].text, code: gates, edit: Help.Edit(span, "(\(gates))")),
      Help(general[1].text, code: anew, edit: Help.Edit(span, "(\(anew))")),
    ]
  }

  /// What stands before a pipe.
  private func piped(_ expr: ExprID, _ text: String) -> String {
    if case .pipe = program.tree[expr] { return text }
    return isAtom(expr) ? text : "(\(text))"
  }

  private func isAtom(_ expr: ExprID) -> Bool {
    switch program.tree[expr] {
    case .name, .call, .paren, .field, .qualified: true
    default: false
    }
  }

  // MARK: Functions that call themselves

  /// Instead of a function with memory that calls itself: members of a list; where it goes through them already, of one
  /// with all that it would come to.
  func waysDown(_ name: String) -> [Help] {
    let body = program.tree.items.lazy.compactMap { item -> ExprID? in
      guard case .definition(let definition) = item, case .function(let own, _) = definition.binder, own.text == name
      else { return nil }
      return definition.body
    }.first
    if let body, mentions(body, ["each"]) {
      let all = "members(x) = [x, ...flatMap(kids(x), members)]"
      return [
        Help("list all members, with a function without memory", code: all),
        Help("and make one for each", code: "members(tree) |> each(key, member => …)"),
      ]
    }
    return [Help("make one for each member of a list", code: "list |> each(.key, member => …)")]
  }
}
