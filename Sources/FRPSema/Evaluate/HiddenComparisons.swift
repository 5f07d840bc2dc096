// `changes` and `when` of what is no step: where a comparison stands that would make one, if it could be followed, and
// what to write instead.

import FRPBase
import FRPCore
import FRPSyntax

/// Where a comparison stands that would make a step, if it could be followed.
enum HiddenComparison {
  /// In a function that is called: it calls itself, as often as its arguments decide.
  case calls(String)
  /// In a lambda over a list that is not known before the run.
  case list(Span)
  /// Of the members of a list that varies between instants.
  case moving(Span)
  /// Of what varies between instants and is no Float: it jumps, nothing crosses.
  case jumping(CoreExprID)
}

extension Elaborator {
  /// The first comparison that cannot be followed, in what a behavior is made of. Only if the behavior is no Float: that
  /// would vary anyway.
  private func hiddenComparison(in node: NodeID) -> HiddenComparison? {
    if core[node].type == .float { return nil }
    var seen: Set<CoreExprID> = []
    var seenNodes: Set<NodeID> = []
    var pending: [(expr: CoreExprID, function: String?, isMember: Bool)] = []
    var moving: Span?
    func enter(_ node: NodeID) {
      guard core[node].isContinuous, seenNodes.insert(node).inserted else { return }
      switch core[node].op {
      case .lift(let expr): pending.append((expr, nil, false))
      case .each(let list, _, _) where isContinuous(list): moving = moving ?? core[node].span
      default: break
      }
    }
    enter(node)
    while let (expr, function, isMember) = pending.popLast() {
      guard seen.insert(expr).inserted else { continue }
      var isMember = isMember
      switch core[expr] {
      case .read(let node): enter(node)
      case .call(let callee, let arguments):
        if arguments.contains(where: { isContinuous($0) || isThunk($0) }) {
          pending.append((core[callee].body, core[callee].name, false))
        }
      case .prim(let prim, let sides) where Self.comparisons.contains(prim):
        if core.type(sides[0]) != .float {
          if sides.contains(where: isContinuous) { return .jumping(expr) }
        } else if prim != .equal, prim != .notEqual, sides.contains(where: isPointwise) {
          if let function { return .calls(function) }
          if sides.contains(where: isContinuous) { return .list(core.span(expr)) }
        }
        if isMember, sides.contains(where: isPointwise) { return .moving(core.span(expr)) }
      case .prim(_, let operands): isMember = isMember || isContinuous(operands)
      default: break
      }
      core[expr].forEachChild { pending.append(($0, function, isMember)) }
    }
    return moving.map { .moving($0) }
  }

  /// Whether a function is applied to the members of a list that varies between instants.
  private func isContinuous(_ operands: [CoreExprID]) -> Bool {
    guard operands.count > 1, let list = operands.first, let function = operands.last, isContinuous(list),
      case .list = core.types[core.type(list)], case .lambda = core[function]
    else { return false }
    return true
  }

  private func isThunk(_ expr: CoreExprID) -> Bool {
    if case .thunk = core[expr] { true } else { false }
  }

  private static let comparisons: [Prim] = [.less, .lessEqual, .greater, .greaterEqual, .equal, .notEqual]

  // MARK: Words

  func renderUnlocated(_ node: NodeID, _ name: String?, _ span: Span) -> Diagnostic {
    let title = "the moment when this becomes true cannot be located"
    if let place = hiddenComparison(in: node) { return renderHidden(place, .unlocatedCondition, title, span) }
    return Diagnostic(
      .unlocatedCondition, title, at: span,
      label: "\(name.map { "`\($0)`" } ?? "it") varies continuously and is no comparison",
      notes: ["`==` on a continuous behavior is true at single moments only; a comparison has a crossing."],
      helps: [Help("use a comparison", code: "when(x >= limit)")])
  }

  func renderContinuous(_ node: NodeID, _ name: String?, _ span: Span) -> Diagnostic {
    let subject = name.map { "`\($0)`" } ?? "this"
    if let place = hiddenComparison(in: node) {
      return renderHidden(place, .continuousChanges, "the moments when \(subject) changes cannot be located", span)
    }
    let looks = [Help("look at it at regular times", code: "sample(\(name ?? "x"), every(20ms))")]
    let limit = Help("notice when it crosses a limit", code: "when(\(name ?? "x") >= limit)")
    return Diagnostic(
      .continuousChanges, "`changes` needs a behavior that changes in steps, but \(subject) changes all the time",
      at: span,
      label: "it has a new value at every moment",
      helps: core[node].type == .float ? looks + [limit] : looks)
  }

  /// What would be a step if its comparisons could be followed.
  private func renderHidden(_ place: HiddenComparison, _ code: DiagnosticCode, _ title: String, _ span: Span)
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
    }
  }

  private func comparedOperand(_ comparison: CoreExprID) -> CoreExprID {
    if case .prim(_, let sides) = core[comparison] { sides[0] } else { comparison }
  }

  /// What says the same about the Float that was rounded, where that is known.
  private func helps(insteadOf comparison: CoreExprID) -> [Help] {
    var helps: [Help] = []
    if let condition = unrounded(comparison) { helps.append(Help("compare the Float itself", code: condition)) }
    let seconds = program.sources.text(core.span(comparison)).split(
      separator: "floor(time)", omittingEmptySubsequences: false)
    if seconds.count > 1 { helps.append(Help("count ticks", code: seconds.joined(separator: "(every(1s) |> count)"))) }
    return helps.isEmpty ? [Help("compare Floats, before they are rounded or taken apart", code: "x >= limit")] : helps
  }

  private func unrounded(_ comparison: CoreExprID) -> String? {
    guard case .prim(let comparing, let sides) = core[comparison],
      case .prim(let rounding, let rounded) = core[sides[0]],
      rounded.count == 1, case .int(let limit) = core[sides[1]], abs(limit) < 1_000_000
    else { return nil }
    let text = program.sources.text(core.span(rounded[0]))
    let isSimple = text.allSatisfy { $0.isLetter || $0.isNumber || "_.()*/+- ".contains($0) }
    return text.isEmpty || text.count > 30 || !isSimple ? nil : Self.unrounded(rounding, comparing, limit, text)
  }

  /// `floor(x) > 2` is `x >= 3.0`, and so on.
  private static func unrounded(_ rounding: Prim, _ comparing: Prim, _ limit: Int, _ x: String) -> String? {
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
