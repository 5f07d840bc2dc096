// What a rate rounds (`floor`, `ceil`, `round`, `truncate`, `sign`, `Math.mod`) jumps, and an integral is followed up to a jump and on from
// there: a step of the solver across one would be wrong by what it passes over, or be refused until there are none left. There these become
// steps whose moments are located, as comparisons are.
//
// In: the graph with its located comparisons. Out: the same, but for the rates of integrals and the behaviors that they read at once.
// Rules: what stands in the sides of a comparison stays as it is: the comparison is located. So does what rounds something that depends
// on it: whether it slides along its jumps is known of comparisons only. What else reads such a behavior reads the same as before.

import FRPBase
import FRPCore

extension Draft {
  mutating func locateJumps() {
    var located = Located(isRounding: true, hasJumps: true)
    var pending = core.nodes.indices.map { NodeID($0) }.filter { core[$0].op.hasRate }
    var seen = Set(pending)
    while let node = pending.popLast() {
      guard budget.spend() else { break }
      context.scope = core[node].scope
      context.definition = core[node].definition
      var read = core.results(shownBy: node)
      let isIntegral = core[node].op.hasRate
      core.nodes[node.index].op = core[node].op.mapExprs { expr, moment in
        guard moment == (isIntegral ? .rate : .new), isContinuous(expr) else { return expr }
        read += reads(expr)
        return isFed(by: node, jumpsOf(expr)) ? expr : locate(expr, path: nil, located: &located)
      }
      pending += read.filter { core[$0].isContinuous && !core[$0].op.hasRate && seen.insert($0).inserted }
    }
    continuity.forget()
  }

  /// What an expression rounds.
  private func jumpsOf(_ expr: CoreExprID) -> [CoreExprID] {
    var jumps: [CoreExprID] = []
    visit(expr, among: { facts($0).isVarying }) { part in
      if case .prim(let prim, let operands) = core[part], isRounding(prim, operands) || prim == .mod {
        jumps += operands
      }
      return .enter
    }
    return jumps
  }

  /// Whether expressions depend on a node.
  private func isFed(by node: NodeID, _ exprs: [CoreExprID]) -> Bool {
    var seen: Set<NodeID> = []
    var pending = exprs.flatMap { reads($0) }
    while let next = pending.popLast() {
      if next == node { return true }
      guard seen.insert(next).inserted, budget.spend() else { continue }
      let op = core[next].op
      pending += op.nodeOperands + core.results(shownBy: next)
      op.forEachExpr { expr, _ in pending += reads(expr) }
    }
    return false
  }
}

extension NodeOp {
  fileprivate var hasRate: Bool { if case .integral = self { true } else { false } }
}
