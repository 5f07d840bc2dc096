// Where a solution may slide along a limit it is followed piece by piece: where the limit has a kink (of `abs`, `min`, `max`,
// `clamp`, `hypot`, `List.minimum`, `List.maximum`) or jumps (what is rounded, `Math.mod`), the slide may be left, or go on with
// other weights. There these become choices between smooth pieces, by comparisons that are located.
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

  /// Whether a primitive has kinks where operands that move are equal, or zero, or jumps where one passes a multiple.
  func isKinked(_ prim: Prim, _ operands: [CoreExprID]) -> Bool {
    if operands.contains(where: { isPointwise($0) }) || !operands.contains(where: { isContinuous($0) }) { return false }
    return switch prim {
    case .abs, .min, .max, .clamp, .hypot: core.type(operands[0]) == .float
    // Where the modulus moves as well, the quotient would be bounded badly, and is looked at.
    case .mod: core.type(operands[0]) == .float && !isContinuous(operands[1])
    case .listMinimum, .listMaximum: floats(of: operands[0])?.isEmpty == false
    default: false
    }
  }

  /// The elements of a list of Floats that is written out.
  private func floats(of list: CoreExprID) -> [CoreExprID]? {
    guard case .list(let items, let spreads) = core[list], !spreads.contains(true),
      items.allSatisfy({ core.type($0) == .float })
    else { return nil }
    return items
  }

  /// What such a primitive is, piece by piece.
  mutating func pieces(
    _ prim: Prim, _ operands: [CoreExprID], _ whole: TypeID, path: CoreExprID?, at span: Span
  ) -> CoreExprID {
    switch prim {
    case .abs: return magnitude(operands[0], path: path, at: span)
    case .min, .max: return extreme(prim, operands[0], operands[1], path: path, at: span)
    case .hypot:
      let sides = operands.map { isContinuous($0) ? magnitude($0, path: path, at: span) : $0 }
      return add(.prim(.hypot, sides), .float, span)
    case .mod: return remainder(operands, path: path, at: span)
    case .listMinimum, .listMaximum:
      let items = floats(of: operands[0]) ?? []
      let result = items.dropFirst().reduce(items[0]) {
        extreme(prim == .listMinimum ? .min : .max, $0, $1, path: path, at: span)
      }
      return option(result, whole, at: span)
    default: return clamped(operands, path: path, at: span)
    }
  }

  private mutating func choice(
    _ test: CoreExprID, _ then: CoreExprID, _ otherwise: CoreExprID, at span: Span
  ) -> CoreExprID { add(.conditional(test, then: then, otherwise: otherwise), .float, span) }

  private mutating func magnitude(_ x: CoreExprID, path: CoreExprID?, at span: Span) -> CoreExprID {
    let isBelow = crossing(.less, x, add(.float(0), .float, span), path: path, at: span)
    return choice(isBelow, add(.prim(.negate, [x]), .float, span), x, at: span)
  }

  private mutating func extreme(
    _ prim: Prim, _ x: CoreExprID, _ y: CoreExprID, path: CoreExprID?, at span: Span
  ) -> CoreExprID {
    choice(crossing(prim == .min ? .less : .greater, y, x, path: path, at: span), y, x, at: span)
  }

  private mutating func clamped(_ operands: [CoreExprID], path: CoreExprID?, at span: Span) -> CoreExprID {
    let (x, low, high) = (operands[0], operands[1], operands[2])
    let isBelow = crossing(.less, x, low, path: path, at: span)
    let isAbove = crossing(.greater, x, high, path: path, at: span)
    let piece = choice(isBelow, low, choice(isAbove, high, x, at: span), at: span)
    // Where low is above high it faults.
    let isRange =
      isContinuous(low) || isContinuous(high)
      ? crossing(.lessEqual, low, high, path: path, at: span) : add(.prim(.lessEqual, [low, high]), .bool, span)
    return choice(isRange, piece, add(.prim(.clamp, operands), .float, span), at: span)
  }

  /// `mod(x, m)`, and the pieces of m by which its own quotient is beside the one whose steps are located: none but for the
  /// moment of the jump.
  private mutating func remainder(_ operands: [CoreExprID], path: CoreExprID?, at span: Span) -> CoreExprID {
    let (x, modulus) = (operands[0], operands[1])
    func float(_ prim: Prim, _ draft: inout Draft, _ a: CoreExprID, _ b: CoreExprID) -> CoreExprID {
      draft.add(.prim(prim, [a, b]), .float, span)
    }
    let whole = add(.prim(.mod, operands), .float, span)
    let own = add(.prim(.round, [float(.divide, &self, float(.subtract, &self, x, whole), modulus)]), .int, span)
    let quotient = located(.floor, float(.divide, &self, x, modulus), path: path, at: span)
    let beside = add(.prim(.toFloat, [add(.prim(.subtract, [own, quotient]), .int, span)]), .float, span)
    return float(.add, &self, whole, float(.multiply, &self, modulus, beside))
  }
}
