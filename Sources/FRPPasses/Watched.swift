// `changes`, `updates` and `when` need steps.
//
// In: the graph with its kinds. Out: the same; a problem for each that looks at what varies between instants, with the
// comparison that would make it a step, if it could be followed.

import FRPBase
import FRPCore

extension Draft {
  mutating func checkWatched() {
    for node in core.nodes {
      guard let watched = node.op.watched, core[watched].isContinuous else { continue }
      let hidden = hiddenComparison(in: watched)
      if case .when = node.op {
        report(.whenOfUnlocated(watched, in: node.definition, hidden), at: node.span)
      } else {
        report(.changesOfContinuous(watched, by: node.op.name, in: node.definition, hidden), at: node.span)
      }
    }
  }

  /// The first comparison that cannot be followed, in what a behavior is made of. Only if the behavior is no Float: that
  /// would vary anyway.
  private func hiddenComparison(in node: NodeID) -> HiddenComparison? {
    if core[node].type == .float { return nil }
    var seen: Set<CoreExprID> = []
    var seenNodes: Set<NodeID> = []
    var pending: [(expr: CoreExprID, function: String?, isMember: Bool)] = []
    var moving: Span?
    var taken: NodeID?
    func enter(_ node: NodeID) {
      guard core[node].isContinuous, seenNodes.insert(node).inserted else { return }
      switch core[node].op.motion {
      case .lift(let expr): pending.append((expr, nil, false))
      case .members(let list, _) where isContinuous(list): moving = moving ?? core[node].span
      case .members, .groups, .delayed: if hasParts(node) { taken = taken ?? node }
      case .time, .integral, .switched, .chosen, .member, .crossing, .step: break
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
    if let moving { return .moving(moving) }
    // What holds a Float may be the very part that moves.
    return core.types.holdsFloat(core[node].type) ? nil : taken.map { .taken($0) }
  }

  /// Whether of what a node shows a part may be a step while another moves.
  private func hasParts(_ node: NodeID) -> Bool {
    let shown = core.results(shownBy: node).map { core[$0].type }
    return (shown.isEmpty ? [core[node].type] : shown).contains { type in
      switch core.types[type] {
      case .record, .tuple, .variant, .list, .map: core.types.holdsFloat(type)
      default: false
      }
    }
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
}
