// Step or continuous (section 2 of the language).
//
// In: the graph. Out: the same, with `isContinuous` of every node. It is inferred anew whenever `calls` or `parts` has
// changed the graph.
// Rules: what reads `time` or an integral varies between instants. A comparison of continuous Floats is a step again; one at
// a parameter of a function that is called, or of a lambda over a list, becomes one by writing the call out
// (`PartialEvaluation`). What then becomes of it is in `Crossings`. A part of a tuple or record that changes only at instants
// is a step, though the others move (`StepParts`).

import FRPBase
import FRPCore

/// By expression: whether it varies between instants, as far as that was asked. Copies of the draft share it, so it is
/// forgotten whenever a node's kind, or what an expression's number stands for, becomes another.
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

extension Draft {
  mutating func inferKinds() {
    for index in core.nodes.indices { core.nodes[index].isContinuous = false }
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
        if isContinuous(NodeID(index)) {
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

  /// A member is continuous if its list is.
  private func isContinuous(_ node: NodeID) -> Bool {
    switch core[node].op.motion {
    case .time, .integral: true
    case .lift(let expr): isContinuous(expr)
    case .delayed(let inner, _): core[inner].isContinuous
    case .switched(let first, _): isContinuous(first) || hasContinuousResult(node)
    case .members(let list, _): isContinuous(list) || hasContinuousResult(node)
    case .groups, .chosen: hasContinuousResult(node)
    case .member, .crossing, .step: false
    }
  }

  private func hasContinuousResult(_ node: NodeID) -> Bool {
    core.results(shownBy: node).contains { core[$0].isContinuous }
  }

  /// Whether an expression varies between instants. Comparisons of Floats do not.
  package func isContinuous(_ expr: CoreExprID) -> Bool {
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
  package func isPointwise(_ expr: CoreExprID) -> Bool {
    if case .local? = firstPointwise(expr) { true } else { false }
  }
}
