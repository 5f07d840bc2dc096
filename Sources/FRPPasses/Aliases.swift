// Placeholders and re-namings that only look at another node disappear from the graph.
//
// In: the graph as evaluation leaves it. Out: the same, with every mention of such a node replaced by the node it stands for.
// Rules: a chain is followed to its end; one that leads into itself stays, and is a circle for `Causality`. A node of another
// scope keeps its own place; so does a slope, whose value is not what it reads.

import FRPCore

extension Draft {
  mutating func resolveAliases() {
    var target = (0..<core.nodes.count).map { NodeID($0) }
    for index in core.nodes.indices {
      var node = NodeID(index)
      var steps = 0
      while let next = aliased(node), steps < core.nodes.count {
        node = next
        steps += 1
      }
      target[index] = steps < core.nodes.count ? node : NodeID(index)
    }
    for index in core.exprs.indices {
      if case .read(let node) = core.exprs[index] { core.exprs[index] = .read(target[node.index]) }
    }
    for index in core.nodes.indices { core.nodes[index].op = core.nodes[index].op.mapNodes { target[$0.index] } }
    for index in core.scopes.indices {
      core.scopes[index].results = core.scopes[index].results.map { target[$0.index] }
    }
    for index in core.outputs.indices { core.outputs[index].node = target[core.outputs[index].node.index] }
    for index in core.bindings.indices { core.bindings[index].node = target[core.bindings[index].node.index] }
  }

  /// The node that this one merely repeats.
  private func aliased(_ node: NodeID) -> NodeID? {
    switch core[node].op {
    case .lift(let expr):
      guard core.slopes[node] == nil, case .read(let target) = core[expr] else { return nil }
      return target
    case .merge(let all) where all.count == 1: return all[0]
    default: return nil
    }
  }
}
