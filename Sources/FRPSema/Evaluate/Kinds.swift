// Step or continuous (section 2 of the language), inferred on the finished graph, and what follows from it:
//
// - `changes` and `when` need steps;
// - a comparison of continuous Floats is a step again; one at a parameter of a function that is called, or of a lambda
//   over a list, becomes one by writing the call out (`PartialEvaluation`). What then becomes of it is in `Crossings`;
// - a part of a tuple or record that changes only at instants is a step, though the others move (`StepParts`).

import FRPBase
import FRPCore

/// By expression: whether it varies between instants, as far as that was asked. Copies of the elaborator share it, so it
/// is forgotten whenever a node's kind, or what an expression's number stands for, becomes another.
final class Continuity {
  private var known: [Bool?] = []

  subscript(_ expr: CoreExprID) -> Bool? {
    get { expr.index < known.count ? known[expr.index] : nil }
    set {
      if expr.index >= known.count { known += Array(repeating: nil, count: expr.index + 1 - known.count) }
      known[expr.index] = newValue
    }
  }

  func forget(from first: Int = 0) { known.removeLast(max(0, known.count - first)) }
}

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
      guard expr.raw >= 0, core.slopes[node] == nil, case .read(let target) = core[expr] else { return nil }
      return target
    case .merge(let all) where all.count == 1: return all[0]
    default: return nil
    }
  }

  // MARK: Kinds

  mutating func inferKinds() {
    var isFinal = false
    while !isFinal {
      for index in core.nodes.indices { core.nodes[index].isContinuous = false }
      inferContinuity()
      let wroteOut = writeOutSteps()
      isFinal = !openSwitches() && !wroteOut
    }
    for node in core.nodes {
      switch node.op {
      case .changes(let watched) where core[watched].isContinuous:
        report(.changesOfContinuous(watched, in: node.definition), at: node.span)
      case .when(let watched) where core[watched].isContinuous:
        report(.whenOfUnlocated(watched, in: node.definition), at: node.span)
      default: break
      }
    }
  }

  private mutating func inferContinuity() {
    var changed = true
    var isBackward = true
    while changed {
      changed = false
      isBackward.toggle()
      continuity.forget()
      // Forward and backward by turns, so that a chain of behaviors takes few rounds in whatever order it was made.
      for place in core.nodes.indices {
        let index = isBackward ? core.nodes.count - 1 - place : place
        guard !core.nodes[index].isContinuous, budget.spend() else { continue }
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
  func isContinuous(_ expr: CoreExprID) -> Bool {
    guard facts(expr).isVarying else { return false }
    if let known = continuity[expr] { return known }
    guard budget.spend() else { return false }
    var answer = false
    switch core[expr] {
    case .read(let node): answer = core[node].isContinuous
    case .prim(let prim, let operands) where isLocatable(prim, operands): break
    default: core[expr].forEachChild { answer = answer || isContinuous($0) }
    }
    continuity[expr] = answer
    return answer
  }

  /// A comparison of Floats without names that are bound point by point. A part of a matched value may take part: it
  /// is followed only while the pattern matches (see `Crossings`).
  func isLocatable(_ prim: Prim, _ operands: [CoreExprID]) -> Bool {
    switch prim {
    case .less, .lessEqual, .greater, .greaterEqual:
      return core.type(operands[0]) == .float && !operands.contains { isPointwise($0) }
    default: return false
    }
  }

  /// Whether an expression has free names that are bound point by point.
  func isPointwise(_ expr: CoreExprID) -> Bool {
    if case .local? = firstPointwise(expr) { true } else { false }
  }
}
