// Located comparisons of what cannot be bounded over a stretch of time (W0406): the solver looks at them at moments only,
// and may miss that they hold for a short while.
//
// Understood are numbers computed with `Prim.boundable`, what chooses among them, records, variants and lists that are put
// together in sight (`Prim.followable`), calls that end there, what scopes show, and what was some time ago. What changes
// only at instants is a step, however it is computed: it is made one (`withSteps`).

import FRPBase
import FRPCore

extension Elaborator {
  /// A warning for each comparison that cannot be bounded, at most one a place.
  func unboundedComparisons() -> [Diagnostic] {
    var found: [Diagnostic] = []
    var known: [CoreExprID: Unbounded?] = [:]
    var limits: Set<NodeID> = []
    for case .rounding(_, _, let above, let below) in core.nodes.map(\.op) { limits.formUnion([above, below]) }
    for (index, node) in core.nodes.enumerated() {
      guard case .crossing(_, let left, let right) = node.op,
        let reason = unbounded(left, &known) ?? unbounded(right, &known),
        !found.contains(where: { $0.span == node.span })
      else { continue }
      found.append(warning(reason, at: node.span, isLimit: limits.contains(NodeID(index))))
    }
    return found
  }

  private enum Unbounded {
    case calls(String)
    /// A function of data, or of the host.
    case data(Span)
    /// The list of an `each` that varies between instants.
    case members(Span)
    /// More parts than are looked at, or nested deeper.
    case large
    /// `derivative` of what may slide.
    case slope(Span)
  }

  private func warning(_ reason: Unbounded, at span: Span, isLimit: Bool) -> Diagnostic {
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
    }
    return Diagnostic(
      .sampledComparison, "that this \(isLimit ? "changes" : "holds") for a short while may be missed", at: span,
      label: "looked at 16 times a step",
      labels: labels.filter { $0.span != span && !$0.span.isNone }, notes: ["between looks, \(why) cannot be bounded"],
      helps: [Help("compare numbers that are computed from `time` and integrals by arithmetic and `Math` alone")])
  }

  /// Why an expression that varies between instants cannot be bounded; nil if it can.
  private func unbounded(_ root: CoreExprID, _ known: inout [CoreExprID: Unbounded?]) -> Unbounded? {
    if let answer = known[root] { return answer }
    var walk = BoundWalk()
    if isContinuous(root) { walk.add(root, inBody: false) }
    var answer: Unbounded?
    while answer == nil, let (expr, inBody, depth) = walk.pending.popLast() {
      walk.depth = depth + 1
      answer = unbounded(expr, inBody, &walk)
    }
    known[root] = .some(answer)
    return answer
  }

  /// What of an expression is still to be looked at. In the body of a function its arguments are taken to vary.
  private struct BoundWalk {
    var pending: [(expr: CoreExprID, inBody: Bool, depth: Int)] = []
    var seen: [Set<CoreExprID>] = [[], []]
    var nodes: Set<NodeID> = []
    /// How deep the parts stand of what is being looked at, and how many parts there were.
    var depth = 0
    var parts = 0

    mutating func add(_ expr: CoreExprID, inBody: Bool) { pending.append((expr, inBody, depth)) }

    /// What the engine looks at before it gives up (`BoundReader`), each part being read and made an operation.
    static let mostParts = 2_000
    static let deepest = 150
  }

  private func unbounded(_ expr: CoreExprID, _ inBody: Bool, _ walk: inout BoundWalk) -> Unbounded? {
    guard walk.seen[inBody ? 1 : 0].insert(expr).inserted else { return nil }
    walk.parts += 1
    if walk.parts > BoundWalk.mostParts || walk.depth > BoundWalk.deepest { return .large }
    guard isContinuous(expr) || inBody && isPointwise(expr) else {
      return isFollowed(expr) ? nil : .data(core.span(expr))
    }
    switch core[expr] {
    case .read(let node): return unbounded(node, &walk)
    case .prim(let prim, let operands):
      let areTexts = (prim == .equal || prim == .notEqual) && core.type(operands[0]) == .string
      let areNumbers = operands.allSatisfy { [.float, .int, .bool].contains(core.type($0)) }
      if prim != .identity, !areTexts, !Prim.followable.contains(prim), !Prim.boundable.contains(prim) || !areNumbers {
        return .data(core.span(expr))
      }
    case .call(let function, let arguments):
      if callsItself(function) { return .calls(core[function].name) }
      if let unknown = arguments.first(where: { !isFunctionInSight($0) }) { return .data(core.span(unknown)) }
      walk.add(core[function].body, inBody: true)
    case .apply(let function, let arguments):
      if let unknown = ([function] + arguments).first(where: { !isFunctionInSight($0) }) {
        return .data(core.span(unknown))
      }
    case .lambda(let lambda):
      walk.add(lambda.body, inBody: true)
      return nil
    case .unreachable: return .data(core.span(expr))
    default: break
    }
    core[expr].forEachChild { walk.add($0, inBody: inBody) }
    return nil
  }

  private func unbounded(_ node: NodeID, _ walk: inout BoundWalk) -> Unbounded? {
    var pending = [node]
    while let node = pending.popLast() {
      guard core[node].isContinuous, walk.nodes.insert(node).inserted else { continue }
      switch core[node].op {
      case .lift(let inner):
        if let integral = core.slopes[node], maySlide(integral) { return .slope(core[node].span) }
        walk.add(inner, inBody: false)
      case .switchTo(_, let first, let scope):
        walk.add(first, inBody: false)
        pending += core[scope].results
      case .each(let list, _, let scope):
        if isContinuous(list) { return .members(core[node].span) }
        pending += core[scope].results
      case .groupBy(_, _, let scope): pending += core[scope].results
      case .chosen(let owner, let index): pending += core[owner].op.scopes.map { core[$0].results[index] }
      case .delayBehavior(let inner, _): pending.append(inner)
      case .member: return .members(core[node].span)
      default: break
      }
    }
    return nil
  }

  /// Whether an expression is no function, or one whose body can be seen where it is called.
  private func isFunctionInSight(_ expr: CoreExprID) -> Bool {
    guard case .function = core.types[core.type(expr)] else { return true }
    switch core[expr] {
    case .lambda, .local, .thunk: return true
    default: return false
    }
  }

  private func callsItself(_ function: FunctionID) -> Bool {
    var seen: Set<FunctionID> = []
    var seenExprs: Set<CoreExprID> = []
    var pending = [core[function].body]
    while let expr = pending.popLast() {
      guard seenExprs.insert(expr).inserted else { continue }
      if case .call(let callee, _) = core[expr] {
        if callee == function { return true }
        if seen.insert(callee).inserted { pending.append(core[callee].body) }
      }
      core[expr].forEachChild { pending.append($0) }
    }
    return false
  }

  // MARK: Steps

  /// A side of a comparison whose parts that change only at instants, but that are not followed, are steps of their own.
  mutating func withSteps(_ side: CoreExprID) -> CoreExprID {
    var made: [StandingPart: CoreExprID] = [:]
    return isContinuous(side) ? withSteps(side, isSure: true, &made) : side
  }

  private struct StandingPart: Hashable {
    var expr: CoreExprID
    /// It is computed whenever the side is. Else it may fault, which matters only to who reads it, but not take long.
    var isSure: Bool
  }

  private mutating func withSteps(
    _ expr: CoreExprID, isSure: Bool, _ made: inout [StandingPart: CoreExprID]
  ) -> CoreExprID {
    if let known = made[StandingPart(expr: expr, isSure: isSure)] ?? made[StandingPart(expr: expr, isSure: true)] {
      return known
    }
    guard budget.spend() else { return expr }
    var result = expr
    if isContinuous(expr) || isPointwise(expr) {
      var isFirst = true
      let isBranching =
        switch core[expr] {
        case .conditional, .lambda, .suspend, .prim(.and, _), .prim(.or, _): true
        default: false
        }
      var isChanged = false
      let new = core[expr].mapChildren { child in
        let part = withSteps(child, isSure: isSure && (!isBranching || isFirst), &made)
        isFirst = false
        isChanged = isChanged || part != child
        return part
      }
      if isChanged {
        result = add(new, core.type(expr), core.span(expr))
        if facts(expr).isGuarded { exprFacts[result.index].isGuarded = true }
      }
    } else if !isFollowed(expr), !mustStay(expr, isSure: isSure) {
      result = read(addNode(.lift(expr), core.type(expr), core.span(expr)), core.span(expr))
    }
    made[StandingPart(expr: expr, isSure: isSure)] = result
    return result
  }

  /// Whether an expression is computed only where it stands: a part that is there only if a pattern matched, or what may
  /// take long and is not always needed.
  private func mustStay(_ root: CoreExprID, isSure: Bool) -> Bool {
    holds(root) { expr in
      if facts(expr).isGuarded { return true }
      switch core[expr] {
      case .field(let whole, _, _):
        if case .variant = core.types[core.type(whole)] { return true }
        return false
      case .unreachable: return true
      case .call, .apply, .prim(.hostCall, _): return !isSure
      default: return false
      }
    }
  }

  /// Whether a step is understood where a bound is made: numbers, and parts of what lies there.
  private func isFollowed(_ root: CoreExprID) -> Bool {
    !holds(root) { expr in
      switch core[expr] {
      case .call, .apply, .list, .unreachable: true
      case .prim(let prim, let operands):
        !Prim.boundable.contains(prim)
          || !operands.allSatisfy { [.float, .int, .bool, .string].contains(core.type($0)) }
      default: false
      }
    }
  }

  /// Whether some part of an expression is such.
  private func holds(_ root: CoreExprID, _ isSuch: (CoreExprID) -> Bool) -> Bool {
    var seen: Set<CoreExprID> = []
    var pending = [root]
    while let expr = pending.popLast() {
      guard seen.insert(expr).inserted, budget.spend() else { continue }
      if isSuch(expr) { return true }
      core[expr].forEachChild { pending.append($0) }
    }
    return false
  }
}
