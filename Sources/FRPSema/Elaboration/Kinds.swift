// Step or continuous (section 2 of the language), inferred on the finished graph, and what follows from it:
//
// - `changes` and `when` need steps;
// - a comparison of continuous Floats is a step again. Where it is pushed (an output, `changes`, `when`, the list of an
//   `each`, a rate) it becomes a `.crossing` node, whose switching times the solver locates; where it is only sampled
//   it stays an expression, and the behavior that holds it is pulled.

import FRPBase
import FRPCore

extension Elaborator {
  // MARK: Aliases

  /// Placeholders and re-namings that only look at another node disappear from the graph.
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
  }

  /// The node that this one merely repeats. A node of another scope keeps its own place.
  private func aliased(_ node: NodeID) -> NodeID? {
    switch core[node].op {
    case .lift(let expr):
      guard expr.raw >= 0, case .read(let target) = core[expr] else { return nil }
      return target
    case .merge(let all) where all.count == 1: return all[0]
    default: return nil
    }
  }

  // MARK: Kinds

  mutating func inferKinds() {
    var changed = true
    while changed {
      changed = false
      for index in core.nodes.indices where !core.nodes[index].isContinuous {
        if isContinuous(core.nodes[index].op) {
          core.nodes[index].isContinuous = true
          changed = true
        }
        if case .each(let list, _, let scope) = core.nodes[index].op, isContinuous(list) {
          for member in core[scope].nodes {
            if case .member = core[member].op { core.nodes[member.index].isContinuous = true }
          }
        }
      }
    }
    for node in core.nodes {
      switch node.op {
      case .changes(let watched) where core[watched].isContinuous:
        report(.changesOfContinuous(watched), at: node.span)
      case .when(let watched) where core[watched].isContinuous:
        report(.whenOfUnlocated(watched), at: node.span)
      default: break
      }
    }
  }

  private func isContinuous(_ op: NodeOp) -> Bool {
    switch op {
    case .time, .integral: return true
    case .lift(let expr): return isContinuous(expr)
    case .delayBehavior(let node, _): return core[node].isContinuous
    case .switchTo(_, let first, let scope): return isContinuous(first) || hasContinuousResult(scope)
    case .groupBy(_, _, let scope): return hasContinuousResult(scope)
    case .each(let list, _, let scope): return isContinuous(list) || hasContinuousResult(scope)
    case .chosen(let owner, let index):
      return core[owner].op.scopes.contains {
        let results = core[$0].results
        return index < results.count && core[results[index]].isContinuous
      }
    case .member: return false
    default: return false
    }
  }

  private func hasContinuousResult(_ scope: ScopeID) -> Bool {
    core[scope].results.contains { core[$0].isContinuous }
  }

  /// Whether an expression varies between instants. Comparisons of Floats do not.
  func isContinuous(_ root: CoreExprID) -> Bool {
    guard facts(root).isVarying else { return false }
    var seen: Set<CoreExprID> = []
    var pending = [root]
    while let expr = pending.popLast() {
      guard exprFacts[expr.index].isVarying, seen.insert(expr).inserted else { continue }
      switch core[expr] {
      case .read(let node): if core[node].isContinuous { return true }
      case .prim(let prim, let operands) where isLocatable(prim, operands): continue
      default: break
      }
      core[expr].forEachChild { pending.append($0) }
    }
    return false
  }

  func isLocatable(_ prim: Prim, _ operands: [CoreExprID]) -> Bool {
    switch prim {
    case .less, .lessEqual, .greater, .greaterEqual:
      return core.type(operands[0]) == .float && firstPointwise(operands[0]) == nil
        && firstPointwise(operands[1]) == nil
    default: return false
    }
  }

  // MARK: Crossings

  /// Makes `.crossing` nodes for pushed comparisons, and pulled behaviors of those that are only sampled.
  mutating func locateCrossings() {
    var demanded: Set<NodeID> = []
    var pending: [NodeID] = []
    func demand(_ node: NodeID) {
      if demanded.insert(node).inserted { pending.append(node) }
    }
    for output in core.outputs where !output.isEvent && !core[output.node].isContinuous { demand(output.node) }
    let original = core.nodes.count
    for index in 0..<original {
      let node = NodeID(index)
      switch core[node].op {
      case .changes(let watched), .when(let watched): demand(watched)
      case .switchTo, .groupBy, .each, .choose, .switchOpen: if !core[node].isContinuous { demand(node) }
      case .delayBehavior(let inner, _): if !core[inner].isContinuous { demand(inner) }
      case .integral: demand(node)
      default: break
      }
    }
    var rewritten: [CoreExprID: CoreExprID] = [:]
    while let node = pending.popLast() {
      context.scope = core[node].scope
      context.definition = core[node].definition
      for scope in core[node].op.scopes {
        for result in core[scope].results where !core[result].isContinuous { demand(result) }
      }
      if case .chosen(let owner, _) = core[node].op { demand(owner) }
      core.nodes[node.index].op = core[node].op.mapExprs { expr, moment in
        guard moment == .new || moment == .rate else { return expr }
        let located = locate(expr, &rewritten)
        demandReads(located, intoContinuous: moment == .rate || core[node].isContinuous, demand)
        return located
      }
    }
    pullUndemanded(demanded)
  }

  /// Behaviors read by what is pushed are pushed too; below a rate, continuous ones are searched for comparisons.
  private func demandReads(
    _ root: CoreExprID, intoContinuous: Bool, _ demand: (NodeID) -> Void
  ) {
    var seen: Set<CoreExprID> = []
    var pending = [root]
    while let expr = pending.popLast() {
      guard exprFacts[expr.index].isVarying, seen.insert(expr).inserted else { continue }
      if case .read(let node) = core[expr] {
        if !core[node].isContinuous || intoContinuous { demand(node) }
      }
      core[expr].forEachChild { pending.append($0) }
    }
  }

  private mutating func locate(_ expr: CoreExprID, _ memo: inout [CoreExprID: CoreExprID]) -> CoreExprID {
    guard facts(expr).isVarying else { return expr }
    return rewrite(expr, &memo) { elaborator, candidate in
      guard elaborator.facts(candidate).isVarying else { return candidate }
      guard case .prim(let prim, let operands) = elaborator.core[candidate],
        elaborator.isLocatable(prim, operands),
        elaborator.isContinuous(operands[0]) || elaborator.isContinuous(operands[1])
      else { return nil }
      let span = elaborator.core.span(candidate)
      let node = elaborator.addNode(.crossing(prim, operands[0], operands[1]), .bool, span)
      return elaborator.read(node, span)
    }
  }

  /// A step behavior that holds a comparison which nobody pushes is pulled: it is looked at when it is sampled.
  private mutating func pullUndemanded(_ demanded: Set<NodeID>) {
    var changed = true
    while changed {
      changed = false
      for index in core.nodes.indices where !core.nodes[index].isContinuous && !demanded.contains(NodeID(index)) {
        guard case .lift(let expr) = core.nodes[index].op, dependsOnContinuous(expr) else { continue }
        core.nodes[index].isContinuous = true
        changed = true
      }
    }
  }

  private func dependsOnContinuous(_ root: CoreExprID) -> Bool {
    var seen: Set<CoreExprID> = []
    var pending = [root]
    while let expr = pending.popLast() {
      guard exprFacts[expr.index].isVarying, seen.insert(expr).inserted else { continue }
      if case .read(let node) = core[expr], core[node].isContinuous { return true }
      core[expr].forEachChild { pending.append($0) }
    }
    return false
  }
}
