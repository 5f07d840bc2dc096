// Where comparisons stand in the order of an instant: after what says which way they go.
//
// In: what the entries of a scope need before them. Out: the same with what its comparisons would have before them.
// A comparison that an instant puts exactly at its limit is decided by the rates of what it compares, as they are just
// after the instant. So it comes after what these rates read, unless that depends on the comparison itself; then what
// was foreseen wrongly is put right in the next micro-step.

import FRPCore

extension PlanBuilder {
  mutating func placingCrossings(_ needs: [[Int32]], _ id: ScopeID) -> [[Int32]] {
    var needs = needs
    for node in core[id].nodes where plan.isLive[node.index] {
      let compared = core[node].op.expressions(.left, .right)
      if compared.isEmpty { continue }
      let crossing = draftOfNode[node.index]
      for source in readByRates(of: compared) where core[source].scope == id && plan.isLive[source.index] {
        let wanted = draftOfNode[source.index]
        if wanted < 0 || needs[Int(crossing)].contains(wanted) { continue }
        if closure([wanted], needs)[Int(crossing)] { continue }
        needs[Int(crossing)].append(wanted)
      }
    }
    return needs
  }

  /// What the rates of the integrals in these expressions read, through whatever is continuous.
  private mutating func readByRates(of exprs: [CoreExprID]) -> [NodeID] {
    var result: [NodeID] = []
    for source in sources(of: exprs) {
      guard case .integral(let rate, _, _) = core[source].op else { continue }
      for read in sources(of: [rate]) where !result.contains(read) { result.append(fusion.origin(read)) }
    }
    return result
  }

  /// What expressions read, with continuous lifts replaced by what these read.
  private mutating func sources(of exprs: [CoreExprID]) -> [NodeID] {
    var result: [NodeID] = []
    var seen: Set<NodeID> = []
    var pending = exprs
    while let expr = pending.popLast() {
      for node in collector.reads(expr) where seen.insert(node).inserted {
        if case .lift(let inner) = core[node].op, core[node].isContinuous {
          pending.append(inner)
        } else {
          result.append(node)
        }
      }
    }
    return result
  }
}
