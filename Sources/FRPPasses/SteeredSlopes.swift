// Which integrals may slide along a limit: then `derivative` of them is a mean that has no expression (`CoreProgram.slopes`),
// and what compares it cannot be bounded.

import FRPBase
import FRPCore

extension Draft {
  /// Whether the rate of an integral reads a comparison that may slide: one of an integral whose own rate reads it.
  func maySlide(_ integral: NodeID) -> Bool {
    comparisons(below: integral).contains { comparison in
      guard case .crossing(_, let left, let right) = core[comparison].op else { return false }
      let compared = readAtOnce(core.reads(left) + core.reads(right))
      return compared.contains { comparisons(below: $0).contains(comparison) }
    }
  }

  /// The comparisons that the rate of an integral reads; none of other nodes.
  private func comparisons(below node: NodeID) -> Set<NodeID> {
    guard case .integral(let rate, _, _) = core[node].op else { return [] }
    return readAtOnce(core.reads(rate)).filter {
      if case .crossing = core[$0].op { true } else { false }
    }
  }

  /// What is read through whatever is computed point by point: comparisons and integrals among it.
  private func readAtOnce(_ nodes: [NodeID]) -> Set<NodeID> {
    var seen: Set<NodeID> = []
    var pending = nodes
    while let node = pending.popLast() {
      guard seen.insert(node).inserted, budget.spend() else { continue }
      if let integral = core.slopes[node], case .integral(let rate, _, _) = core[integral].op {
        pending += core.reads(rate)
        continue
      }
      switch core[node].op {
      case .lift(let expr): pending += core.reads(expr)
      case .switchTo(_, let first, let scope): pending += core.reads(first) + core[scope].results
      case .each(_, _, let scope), .groupBy(_, _, let scope): pending += core[scope].results
      case .chosen(let owner, let index): pending += core[owner].op.scopes.map { core[$0].results[index] }
      default: break
      }
    }
    return seen
  }
}
