// Located comparisons of what cannot be bounded over a stretch of time (W0406): the solver looks at them at moments only,
// and may miss that they hold for a short while.
//
// In: the graph with its crossings. Out: the same, and `unboundedComparisons`.
// Rules: understood are numbers computed with `Prim.boundable`, what chooses among them, records, variants and lists that are
// put together in sight (`Prim.followable`), calls that end there, what scopes show, and what was some time ago. What changes
// only at instants is a step, however it is computed: it is made one (`withSteps`). Of a limit along which integrals may slide
// the slopes on its sides must be bounded, too (`SteeredSlopes`).

import FRPBase
import FRPCore

extension Draft {
  /// Notes each comparison that cannot be bounded, at most one a place.
  mutating func findUnbounded() {
    var known: [CoreExprID: Unbounded?] = [:]
    for (index, node) in core.nodes.enumerated() {
      guard case .crossing(_, let left, let right) = node.op,
        let reason = unbounded(left, &known) ?? unbounded(right, &known) ?? unboundedSlide(NodeID(index), &known),
        !unboundedComparisons.contains(where: { core[$0.comparison].span == node.span })
      else { continue }
      unboundedComparisons.append((NodeID(index), reason))
    }
  }

  /// Why an expression that varies between instants cannot be bounded; nil if it can.
  func unbounded(_ root: CoreExprID, _ known: inout [CoreExprID: Unbounded?]) -> Unbounded? {
    if let answer = known[root] { return answer }
    var walk = BoundWalk()
    if isContinuous(root) { walk.add(root, inBody: false) }
    var answer: Unbounded?
    while answer == nil, let (expr, inBody, depth) = walk.pending.popLast() {
      walk.depth = depth + 1
      answer = unbounded(expr, inBody, walk: &walk)
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

  private func unbounded(_ expr: CoreExprID, _ inBody: Bool, walk: inout BoundWalk) -> Unbounded? {
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
      pending += core.results(shownBy: node)
      switch core[node].op.motion {
      case .lift(let inner):
        if let integral = core.slopes[node], maySlide(integral) { return .slope(core[node].span) }
        walk.add(inner, inBody: false)
      case .switched(let first, _): walk.add(first, inBody: false)
      case .members(let list, _): if isContinuous(list) { return .members(core[node].span) }
      case .delayed(let inner, _): pending.append(inner)
      case .member: return .members(core[node].span)
      case .time, .integral, .groups, .chosen, .crossing, .step: break
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
    var pending = [function]
    while let next = pending.popLast() {
      let isFound = core.contains(core[next].body) { expr in
        guard case .call(let callee, _) = core[expr] else { return false }
        if seen.insert(callee).inserted { pending.append(callee) }
        return callee == function
      }
      if isFound { return true }
    }
    return false
  }

  // MARK: Steps

  /// A side of a comparison whose parts that change only at instants, but that are not followed, are steps of their own.
  mutating func withSteps(_ side: CoreExprID) -> CoreExprID {
    var made: [StandingPart: CoreExprID] = [:]
    return isContinuous(side) ? withSteps(side, isSure: true, made: &made) : side
  }

  private struct StandingPart: Hashable {
    var expr: CoreExprID
    /// It is computed whenever the side is. Else it may fault, which matters only to who reads it, but not take long.
    var isSure: Bool
  }

  private mutating func withSteps(
    _ expr: CoreExprID, isSure: Bool, made: inout [StandingPart: CoreExprID]
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
        let part = withSteps(child, isSure: isSure && (!isBranching || isFirst), made: &made)
        isFirst = false
        isChanged = isChanged || part != child
        return part
      }
      if isChanged {
        result = add(new, core.type(expr), core.span(expr))
        if facts(expr).isGuarded { exprFacts[result.index].isGuarded = true }
      }
    } else if !isFollowed(expr), !mustStay(expr, isSure: isSure) {
      result = read(addNode(.lift(expr), core.type(expr), at: core.span(expr)), core.span(expr))
    }
    made[StandingPart(expr: expr, isSure: isSure)] = result
    return result
  }

  /// Whether an expression is computed only where it stands: a part that is there only if a pattern matched, or what may
  /// take long and is not always needed.
  private func mustStay(_ root: CoreExprID, isSure: Bool) -> Bool {
    contains(root) { expr in
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
    !contains(root) { expr in
      switch core[expr] {
      case .call, .apply, .list, .unreachable: true
      case .prim(let prim, let operands):
        !Prim.boundable.contains(prim)
          || !operands.allSatisfy { [.float, .int, .bool, .string].contains(core.type($0)) }
      default: false
      }
    }
  }
}
