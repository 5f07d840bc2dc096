// The words for comparisons that cannot be followed: of `changes` and `when` of what is no step, with what to write instead,
// and of what cannot be bounded (W0406).

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

extension Elaborator {
  func renderUnbounded() -> [Diagnostic] {
    var limits: Set<NodeID> = []
    for case .rounding(_, _, let above, let below) in core.nodes.map(\.op) { limits.formUnion([above, below]) }
    return draft.unboundedComparisons.map {
      warning($0.reason, at: core[$0.comparison].span, isLimit: limits.contains($0.comparison))
    }
  }

  private func warning(_ reason: Unbounded, at span: Span, isLimit: Bool) -> Diagnostic {
    if case .leaving(let place) = reason { return leaving(place, span) }
    var labels: [Label] = []
    let why: String
    switch reason {
    case .calls(let name): why = "what `\(name)` makes of what varies (it calls itself)"
    case .data(let place):
      why = "what is made of texts, by the host, or of lists and maps in other ways than element by element"
      labels.append(Label(place, "this"))
    case .members(let place):
      why = "what the members of a list show that is another one at every moment"
      labels.append(Label(place, "these members"))
    case .large: why = "an expression of thousands of parts, or nested very deep,"
    case .slope(let place):
      why = "what `derivative` of an integral is that slides along a limit"
      labels.append(Label(place, "this rate"))
    case .leaving: why = ""
    }
    return Diagnostic(
      .sampledComparison, "that this \(isLimit ? "changes" : "holds") for a short while may be missed", at: span,
      label: "looked at 16 times a step",
      labels: labels.filter { $0.span != span && !$0.span.isNone }, notes: ["between looks, \(why) cannot be bounded"],
      helps: [Help("compare numbers that are computed from `time` and integrals by arithmetic and `Math` alone")])
  }

  private func leaving(_ place: Span?, _ span: Span) -> Diagnostic {
    Diagnostic(
      .sampledComparison, "that a slide along this limit is left for a short while may be missed", at: span,
      label: "looked at 16 times a step",
      labels: place.flatMap { $0 == span || $0.isNone ? nil : [Label($0, "its slope cannot be bounded")] } ?? [],
      notes: [
        place == nil
          ? "the rates of what is compared read other limits as well: of several that slide together no slope is bounded"
          : "of what is compared while it slides, slopes are bounded for `+ - * /`, `abs min max hypot mod sqrt sin cos exp log`"
      ])
  }

  /// Whether a behavior is an equality, or made of one.
  private func isEquality(_ node: NodeID) -> Bool {
    guard case .lift(let expr) = core[node].op else { return false }
    var pending = [expr]
    while let expr = pending.popLast() {
      if case .prim(.equal, _) = core[expr] { return true }
      if case .prim(.notEqual, _) = core[expr] { return true }
      core[expr].forEachChild { pending.append($0) }
    }
    return false
  }

  func renderUnlocated(
    _ condition: NodeID, _ name: String?, _ hidden: HiddenComparison?, at span: Span
  ) -> Diagnostic {
    let title = "the moment when this becomes true cannot be located"
    if let place = hidden { return renderHidden(place, .unlocatedCondition, title: title, at: span) }
    return Diagnostic(
      .unlocatedCondition, title, at: span,
      label: "\(name.map { "`\($0)`" } ?? "it") varies continuously and is no comparison",
      notes: isEquality(condition)
        ? ["`==` on a continuous behavior is true at single moments only; a comparison has a crossing."]
        : ["Only comparisons of Floats (`<`, `<=`, `>`, `>=`) are followed between instants."],
      helps: [Help("use a comparison", code: "when(x >= limit)")])
  }

  func renderContinuous(
    _ node: NodeID, _ operation: String, name: String?, hidden: HiddenComparison?, at span: Span
  ) -> Diagnostic {
    let subject = name.map { "`\($0)`" } ?? "this"
    if let place = hidden {
      return renderHidden(
        place, .continuousChanges, title: "the moments when \(subject) changes cannot be located", at: span)
    }
    if [.int, .bool, .string].contains(core[node].type) {
      let text = program.sources.text(span)
      let isShort = text.count <= 60 && !text.contains("\n") && text.contains("floor(time)")
      let counted =
        text == "changes(floor(time))"
        ? "changes(every(1s) |> count)"
        : text.parts(separatedBy: "floor(time)").joined(separator: "(every(1s) |> count)")
      return Diagnostic(
        .continuousChanges, "the moments when \(subject) changes cannot be located", at: span,
        label: "it is computed from what has a new value at every moment",
        helps: (isShort ? [Help("count ticks", code: counted)] : [])
          + [Help("look at it at regular times", code: "sample(\(name ?? "x"), every(20ms))")])
    }
    let looks = [Help("look at it at regular times", code: "sample(\(name ?? "x"), every(20ms))")]
    let limit = Help("notice when it crosses a limit", code: "when(\(name ?? "x") >= limit)")
    return Diagnostic(
      .continuousChanges,
      "`\(operation)` needs a behavior that changes in steps, but \(subject) changes all the time", at: span,
      label: "it has a new value at every moment",
      helps: core[node].type == .float ? looks + [limit] : looks)
  }

  /// What would be a step if its comparisons could be followed.
  private func renderHidden(_ place: HiddenComparison, _ code: DiagnosticCode, title: String, at span: Span)
    -> Diagnostic
  {
    switch place {
    case .calls(let function):
      return Diagnostic(
        code, title, at: span, label: "`\(function)` calls itself: how many comparisons it makes is not known here",
        notes: ["A call is written out where what decides its depth is known before the program runs."],
        helps: [
          Help("give it a fixed depth"),
          Help("a function over a list makes a comparison for each member", code: "list |> count(x => time > x)"),
        ])
    case .list(let comparison):
      return Diagnostic(
        code, title, at: span, label: "it compares members of a list that is not known before the program runs",
        labels: comparison.isNone || comparison == span ? [] : [Label(comparison, "this comparison")],
        helps: [Help("one comparison for each member", code: "each(list, x => x, x => time > x) |> any(b => b)")])
    case .moving(let comparison):
      return Diagnostic(
        code, title, at: span, label: "it looks at the members of a list that is another one at every moment",
        labels: comparison.isNone || comparison == span ? [] : [Label(comparison, "this looks at them")],
        helps: [
          Help(
            "compare where the members are made to move",
            code: "items |> each(.id, x => place(x) > limit) |> any(b => b)"),
          Help("or compare the furthest of them", code: "(list |> maximum |> withDefault(0.0)) > limit"),
        ])
    case .jumping(let comparison):
      let type = core.types.describe(core.type(comparedOperand(comparison)))
      return Diagnostic(
        code, title, at: span, label: "it compares values of \(type), which jump: nothing crosses a limit",
        labels: core.span(comparison).isNone || core.span(comparison) == span
          ? [] : [Label(core.span(comparison), "only comparisons of Floats can be followed")],
        helps: helps(insteadOf: comparison))
    case .taken(let node): return renderTaken(node, code, title: title, at: span)
    }
  }

  /// What would be a step if it were made where the rest of it is.
  private func renderTaken(_ node: NodeID, _ code: DiagnosticCode, title: String, at span: Span) -> Diagnostic {
    let (what, help, example): (String, String, String)
    switch core[node].op.motion {
    case .groups:
      what = "groups that also move"
      help = "make the steps in a `groupBy` that gives nothing else"
      example = "events |> groupBy(.key, (key, e) => place(e) >= limit)"
    case .delayed:
      what = "what also moves"
      help = "take the step first, and delay that"
      example = "delay(x.isOver, 1s)"
    default:
      what = "members that also move"
      help = "make the steps in an `each` that gives nothing else"
      example = "items |> each(.id, x => (x.id, place(x) >= limit))"
    }
    let place = core[node].span
    let isNamed = !place.isNone && place != span
    return Diagnostic(
      code, title, at: span, label: "it is taken out of \(what)",
      labels: isNamed ? [Label(place, "another value at every moment")] : [],
      notes: ["where a part of a value moves, all of it is another value at every moment"],
      helps: [Help(help, code: example)])
  }

  private func comparedOperand(_ comparison: CoreExprID) -> CoreExprID {
    if case .prim(_, let sides) = core[comparison] { sides[0] } else { comparison }
  }

  /// What says the same about the Float that was rounded, where that is known.
  private func helps(insteadOf comparison: CoreExprID) -> [Help] {
    var helps: [Help] = []
    if let condition = counted(comparison) { helps.append(Help("compare it as a Float", code: condition)) }
    if let condition = unrounded(comparison) { helps.append(Help("compare the Float itself", code: condition)) }
    let seconds = program.sources.text(core.span(comparison)).parts(separatedBy: "floor(time)")
    if seconds.count > 1 { helps.append(Help("count ticks", code: seconds.joined(separator: "(every(1s) |> count)"))) }
    return helps.isEmpty ? [Help("compare Floats, before they are rounded or taken apart", code: "x >= limit")] : helps
  }

  /// How many there are of what moves: halfway between two numbers.
  private func counted(_ comparison: CoreExprID) -> String? {
    guard case .prim(let comparing, let sides) = core[comparison], case .prim(let size, _) = core[sides[0]],
      [.listSize, .mapSize, .stringSize].contains(size), case .int(let n) = core[sides[1]], (0..<1_000_000).contains(n),
      let text = shortText(core.span(sides[0]))
    else { return nil }
    let x = "toFloat(\(text))"
    return switch comparing {
    case .greaterEqual where n > 0: "\(x) > \(n - 1).5"
    case .greater: "\(x) > \(n).5"
    case .less where n > 0: "\(x) < \(n - 1).5"
    case .lessEqual: "\(x) < \(n).5"
    case .equal: n == 0 ? "\(x) < 0.5" : "\(x) > \(n - 1).5 && \(x) < \(n).5"
    case .notEqual where n == 0: "\(x) > 0.5"
    default: nil
    }
  }

  private func unrounded(_ comparison: CoreExprID) -> String? {
    guard case .prim(let comparing, let sides) = core[comparison],
      case .prim(let rounding, let rounded) = core[sides[0]],
      rounded.count == 1, case .int(let limit) = core[sides[1]], abs(limit) < 1_000_000
    else { return nil }
    let text = program.sources.text(core.span(rounded[0]))
    let isSimple = text.allSatisfy { $0.isLetter || $0.isNumber || "_.()*/+- ".contains($0) }
    return text.isEmpty || text.count > 30 || !isSimple ? nil : Self.unrounded(rounding, comparing, limit: limit, text)
  }

  /// `floor(x) > 2` is `x >= 3.0`, and so on.
  private static func unrounded(_ rounding: Prim, _ comparing: Prim, limit: Int, _ x: String) -> String? {
    switch (rounding, comparing) {
    case (.floor, .greaterEqual): "\(x) >= \(limit).0"
    case (.floor, .greater): "\(x) >= \(limit + 1).0"
    case (.floor, .less): "\(x) < \(limit).0"
    case (.floor, .lessEqual): "\(x) < \(limit + 1).0"
    case (.floor, .equal): "\(x) >= \(limit).0 && \(x) < \(limit + 1).0"
    case (.ceil, .greaterEqual): "\(x) > \(limit - 1).0"
    case (.ceil, .greater): "\(x) > \(limit).0"
    case (.ceil, .less): "\(x) <= \(limit - 1).0"
    case (.ceil, .lessEqual): "\(x) <= \(limit).0"
    case (.ceil, .equal): "\(x) > \(limit - 1).0 && \(x) <= \(limit).0"
    default: nil
    }
  }
}
