// Where a solution may slide along a limit it is followed piece by piece: where the limit has a kink (of `abs`, `min`, `max`,
// `clamp`) or jumps (what is rounded), the slide may be left, or go on with other weights. There these become choices between
// smooth pieces, by comparisons that are located.
//
// In: the graph with its located comparisons. Out: the same; what comparisons that may slide compare, and the behaviors that
// they read, are such choices.
// Rules: a choice shows what the built-in does. What else reads such a behavior reads the same as before.

import FRPBase
import FRPCore

extension Draft {
  mutating func locateKinks() {
    var located = Located(isRounding: true, isKinked: true)
    var pending = core.nodes.indices.map { NodeID($0) }.filter { maySlide(along: $0) }
    var seen = Set(pending)
    while let node = pending.popLast() {
      guard budget.spend() else { break }
      context.scope = core[node].scope
      context.definition = core[node].definition
      var read: [NodeID] = core.results(shownBy: node)
      core.nodes[node.index].op = core[node].op.mapParts(expression: { expr, role in
        switch role {
        case .lift, .first, .left, .right:
          read += reads(expr)
          return locate(expr, path: nil, located: &located)
        default: return expr
        }
      })
      if case .delayed(let inner, _) = core[node].op.motion { read.append(inner) }
      pending += read.filter { core[$0].isContinuous && seen.insert($0).inserted }
    }
    continuity.forget()
  }

  /// Whether a primitive has kinks where operands that move are equal, or zero.
  func isKinked(_ prim: Prim, _ operands: [CoreExprID]) -> Bool {
    switch prim {
    case .abs, .min, .max, .clamp:
      core.type(operands[0]) == .float && operands.contains { isContinuous($0) }
        && !operands.contains { isPointwise($0) }
    default: false
    }
  }

  /// What such a primitive is, piece by piece.
  mutating func pieces(
    _ prim: Prim, _ operands: [CoreExprID], path: CoreExprID?, at span: Span
  ) -> CoreExprID {
    func choice(_ draft: inout Draft, _ test: CoreExprID, _ then: CoreExprID, _ otherwise: CoreExprID) -> CoreExprID {
      draft.add(.conditional(test, then: then, otherwise: otherwise), .float, span)
    }
    let x = operands[0]
    switch prim {
    case .abs:
      let isBelow = crossing(.less, x, add(.float(0), .float, span), path: path, at: span)
      return choice(&self, isBelow, add(.prim(.negate, [x]), .float, span), x)
    case .min, .max:
      let isSecond = crossing(prim == .min ? .less : .greater, operands[1], x, path: path, at: span)
      return choice(&self, isSecond, operands[1], x)
    default:
      let (low, high) = (operands[1], operands[2])
      let isBelow = crossing(.less, x, low, path: path, at: span)
      let isAbove = crossing(.greater, x, high, path: path, at: span)
      let piece = choice(&self, isBelow, low, choice(&self, isAbove, high, x))
      // Where low is above high it faults.
      let isRange =
        isContinuous(low) || isContinuous(high)
        ? crossing(.lessEqual, low, high, path: path, at: span) : add(.prim(.lessEqual, [low, high]), .bool, span)
      return choice(&self, isRange, piece, add(.prim(.clamp, operands), .float, span))
    }
  }
}
