// Outputs that would change only at instants if `floor`, `ceil`, `round`, `truncate` and `sign` of what moves did: they are
// shown when they change, at the moment (section 9 of the language). For them, and for nobody else, these become steps whose
// moments are located, as comparisons are. Where they stand in functions that call themselves, or in lambdas over lists, the
// calls are written out (`PartialEvaluation`, `MemberComparisons`).
//
// In: the graph with its kinds, in which what is rounded still varies between instants. Out: for such an output a behavior
// of its own that says the same; what else reads what it was made of reads that as before, so that an output changes
// nothing elsewhere. What a list's members or groups show has one reader's copy only: there the copy takes its place.

import FRPBase
import FRPCore

/// What is known of behaviors and expressions while outputs are looked through.
struct RoundedOutputs {
  var isAtWork = false
  /// While a call is being written out no other is: what comes of it may hold the same call again.
  var isWritingOut = false
  /// Whether they vary between instants even if everything that is rounded is a step.
  var moves: [CoreExprID: Bool] = [:]
  var nodeMoves: [NodeID: Bool] = [:]
  /// Calls that have been written out, or could not be.
  var written: [Call: CoreExprID] = [:]
  /// The copies.
  var copies: [NodeID: NodeID] = [:]
  var located = Located(isRounding: true)

  struct Call: Hashable {
    var expr: CoreExprID
    var scope: ScopeID
  }

  /// What was known of expressions and nodes that were taken back.
  mutating func forget(expressions: Int, nodes: Int) {
    moves = moves.filter { $0.key.index < expressions }
    nodeMoves = nodeMoves.filter { $0.key.index < nodes }
    written = written.filter { $0.key.expr.index < expressions }
  }
}

extension Draft {
  /// Gives every output that can be shown at its moments a behavior whose moments are located.
  mutating func roundOutputs() {
    rounded.isAtWork = true
    defer { rounded = RoundedOutputs() }
    // What is only sampled is what it reads, where that is located for those that are pushed.
    for isSampled in [false, true] {
      for (index, output) in core.outputs.enumerated() where !output.isEvent && output.isSampled == isSampled {
        let node = output.node
        guard core[node].isContinuous, !holdsMovingFloat(node), !moves(node) else { continue }
        if isSampled, !isLocatedAnyway(node) {
          core.outputs[index].isStepWhenPushed = true
        } else {
          core.outputs[index].node = copy(node)
        }
      }
    }
  }

  /// Whether the copy of a behavior is there, or is made of copies that are.
  private func isLocatedAnyway(_ node: NodeID) -> Bool {
    if rounded.copies[node] != nil { return true }
    guard case .lift(let expr) = core[node].op.motion else { return false }
    return reads(expr).allSatisfy { !core[$0].isContinuous || rounded.copies[$0] != nil }
  }

  // MARK: What moves

  private mutating func moves(_ node: NodeID) -> Bool {
    guard core[node].isContinuous else { return false }
    if let known = rounded.nodeMoves[node] { return known }
    rounded.nodeMoves[node] = true
    let outer = context
    context = Context(scope: core[node].scope, definition: core[node].definition)
    let answer = core.slopes[node] != nil || movesAnew(node)
    context = outer
    rounded.nodeMoves[node] = answer && rounded.isWritingOut ? nil : answer
    return answer
  }

  private mutating func movesAnew(_ node: NodeID) -> Bool {
    switch core[node].op.motion {
    case .lift(let expr): moves(expr)
    case .delayed(let inner, _): moves(inner)
    case .switched(let first, _): moves(first) || showsMoving(node)
    case .chosen, .groups: showsMoving(node)
    case .members(let list, _): isContinuous(list) || showsMoving(node)
    case .time, .integral, .member, .crossing, .step: true
    }
  }

  private mutating func showsMoving(_ node: NodeID) -> Bool {
    for result in core.results(shownBy: node) where moves(result) { return true }
    return false
  }

  /// Whether an expression varies between instants even if all that it rounds is a step, calls written out where they can be.
  mutating func moves(_ expr: CoreExprID) -> Bool {
    guard isContinuous(expr) else { return false }
    if let known = rounded.moves[expr] { return known }
    guard budget.spend() else { return true }
    var answer = false
    switch core[expr] {
    case .read(let node): answer = moves(node)
    case .prim(let prim, let operands) where isRounding(prim, operands): break
    default:
      if writtenOutRounding(expr) != nil { break }
      var children: [CoreExprID] = []
      core[expr].forEachChild { children.append($0) }
      for child in children where !answer { answer = moves(child) }
    }
    // What could be written out may still be found not to move.
    if !answer || !rounded.isWritingOut { rounded.moves[expr] = answer }
    return answer
  }

  /// What a call is that does not move once it is written out; nil for everything else.
  private mutating func writtenOutRounding(_ expr: CoreExprID) -> CoreExprID? {
    let call = RoundedOutputs.Call(expr: expr, scope: context.scope)
    if let known = rounded.written[call] { return known == expr ? nil : known }
    if rounded.isWritingOut { return nil }
    rounded.isWritingOut = true
    let result = writtenOut(expr)
    rounded.isWritingOut = false
    rounded.written[call] = result ?? expr
    return result == expr ? nil : result
  }

  /// Whether an expression rounds a Float that moves and does not depend on names that are bound point by point.
  func isRounding(_ prim: Prim, _ operands: [CoreExprID]) -> Bool {
    switch prim {
    case .floor, .ceil, .round, .truncate, .sign: isContinuous(operands[0]) && !isPointwise(operands[0])
    default: false
    }
  }

  // MARK: Floats

  /// Whether a Float that varies between instants, be it in steps of what is rounded, is part of what a node shows: such
  /// outputs are sampled.
  private func holdsMovingFloat(_ node: NodeID) -> Bool {
    var seen: Set<CoreExprID> = []
    var seenNodes: Set<NodeID> = []
    var nodes = [node]
    var exprs: [CoreExprID] = []
    while true {
      if let node = nodes.popLast() {
        guard core[node].isContinuous, core.types.holdsFloat(core[node].type), seenNodes.insert(node).inserted else {
          continue
        }
        nodes += core.results(shownBy: node)
        switch core[node].op.motion {
        case .lift(let expr), .switched(let expr, _): exprs.append(expr)
        case .delayed(let inner, _): nodes.append(inner)
        case .chosen, .groups, .members: break
        case .time, .integral, .member, .crossing, .step: return true
        }
      } else if let expr = exprs.popLast() {
        guard isContinuous(expr), core.types.holdsFloat(core.type(expr)), seen.insert(expr).inserted else { continue }
        switch core[expr] {
        case .read(let node): nodes.append(node)
        case .construct(_, let parts): exprs += parts
        case .list(let items, _): exprs += items
        case .conditional(_, let then, let otherwise): exprs += [then, otherwise]
        default: return true
        }
      } else {
        return false
      }
    }
  }

  // MARK: Copies

  /// A behavior that says the same, as a step.
  private mutating func copy(_ node: NodeID) -> NodeID {
    guard core[node].isContinuous, budget.spend() else { return node }
    if let known = rounded.copies[node] { return known }
    let outer = context
    defer { context = outer }
    let whole = core[node]
    context.scope = whole.scope
    context.definition = whole.definition
    let result: NodeID
    switch whole.op.motion {
    case .lift(let expr): result = addNode(.lift(located(expr)), whole.type, at: whole.span)
    case .delayed(let inner, let by):
      result = addNode(.delayBehavior(copy(inner), by: by), whole.type, at: whole.span)
    case .switched, .chosen:
      guard let (owner, place) = opened(whole) else { return node }
      core.nodes[node.index].op = .chosen(owner, index: place)
      for scope in core[owner].op.scopes {
        let shown = core[scope].results[place]
        if case .lift(let expr) = core[shown].op, isContinuous(expr) { core.nodes[shown.index].isContinuous = true }
      }
      result = copyChosen(owner, place, whole: whole)
    case .groups(let scope), .members(_, let scope):
      core.scopes[scope.index].results = core[scope].results.map { copy($0) }
      core.nodes[node.index].isContinuous = false
      if case .each(let list, let key, _) = whole.op {
        core.nodes[node.index].op = .each(located(list), key: key, scope)
      }
      result = node
    case .time, .integral, .member, .crossing, .step: return node
    }
    rounded.copies[node] = result
    return result
  }

  /// What a choice shows, as one more result of each of its scopes.
  private mutating func copyChosen(
    _ owner: NodeID, _ place: Int, whole: CoreNode
  ) -> NodeID {
    var count = 0
    for scope in core[owner].op.scopes {
      let result = copy(core[scope].results[place])
      count = core[scope].results.count
      core.scopes[scope.index].results.append(result)
    }
    context.scope = whole.scope
    return addNode(.chosen(owner, index: count), whole.type, at: whole.span)
  }

  private mutating func located(_ expr: CoreExprID) -> CoreExprID {
    var memo: [CoreExprID: CoreExprID] = [:]
    let whole = rewrite(expr, &memo) { draft, part in
      draft.isContinuous(part)
        ? draft.rounded.written[RoundedOutputs.Call(expr: part, scope: draft.context.scope)].flatMap {
          $0 == part ? nil : $0
        } : part
    }
    copyReads(whole)
    // Whatever holds them twice would copy them.
    var places = Located()
    swap(&places, &rounded.located)
    defer { swap(&places, &rounded.located) }
    return locate(whole, path: nil, located: &places)
  }

  /// Makes copies of all that is read, so that they are there when the expression is copied.
  private mutating func copyReads(_ root: CoreExprID) {
    var seen: Set<CoreExprID> = []
    var pending = [root]
    while let expr = pending.popLast() {
      guard isContinuous(expr), seen.insert(expr).inserted, budget.spend() else { continue }
      if case .read(let node) = core[expr], !moves(node) { rounded.located.copies[node] = copy(node) }
      core[expr].forEachChild { pending.append($0) }
    }
  }

  // MARK: Nodes

  /// The step that a rounded Float is, with the comparisons that locate its moments.
  mutating func rounding(_ prim: Prim, _ x: CoreExprID, at span: Span) -> CoreExprID {
    switch prim {
    case .floor, .ceil: return read(wholePart(prim, x, at: span), span)
    case .sign: return signed(x, span)
    default: break
    }
    // On either side of zero one of them, beside which the other is 0: it has a constant to look at there. Both choices are
    // made where nothing changes, be it by rounding.
    let half = add(.float(0.5), .float, span)
    let minusHalf = add(.float(-0.5), .float, span)
    let isRound = prim == .round
    let up = isRound ? add(.prim(.add, [x, half]), .float, span) : x
    let down = isRound ? add(.prim(.subtract, [x, half]), .float, span) : x
    let zero = add(.float(0), .float, span)
    let isAbove = read(addNode(.crossing(.greaterEqual, x, isRound ? zero : half), .bool, at: span), span)
    let isBelow = read(addNode(.crossing(.lessEqual, x, isRound ? zero : minusHalf), .bool, at: span), span)
    let above = wholePart(.floor, add(.conditional(isAbove, then: up, otherwise: half), .float, span), at: span)
    let below = wholePart(.ceil, add(.conditional(isBelow, then: down, otherwise: minusHalf), .float, span), at: span)
    return add(.prim(.add, [read(above, span), read(below, span)]), .int, span)
  }

  private mutating func signed(_ x: CoreExprID, _ span: Span) -> CoreExprID {
    let (plus, zero, minus) = (
      add(.float(1), .float, span), add(.float(0), .float, span), add(.float(-1), .float, span)
    )
    let isAbove = read(addNode(.crossing(.greater, x, zero), .bool, at: span), span)
    let isBelow = read(addNode(.crossing(.less, x, zero), .bool, at: span), span)
    let rest = add(.conditional(isBelow, then: minus, otherwise: zero), .float, span)
    return add(.conditional(isAbove, then: plus, otherwise: rest), .float, span)
  }

  private mutating func wholePart(_ prim: Prim, _ x: CoreExprID, at span: Span) -> NodeID {
    let node = addNode(.rounding(prim, x, above: NodeID(0), below: NodeID(0)), .int, at: span)
    let one = add(.float(1), .float, span)
    let whole = add(.prim(.toFloat, [read(node, span)]), .float, span)
    let next = add(.prim(.add, [whole, one]), .float, span)
    let last = add(.prim(.subtract, [whole, one]), .float, span)
    let above: NodeOp = prim == .floor ? .crossing(.greaterEqual, x, next) : .crossing(.greater, x, whole)
    let below: NodeOp = prim == .floor ? .crossing(.less, x, whole) : .crossing(.lessEqual, x, last)
    let limits = (addNode(above, .bool, at: span), addNode(below, .bool, at: span))
    core.nodes[node.index].op = .rounding(prim, x, above: limits.0, below: limits.1)
    return node
  }
}
