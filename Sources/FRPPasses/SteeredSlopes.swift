// Which integrals may slide along a limit: then `derivative` of them is a mean that has no expression (`CoreProgram.slopes`),
// and what compares it cannot be bounded. And of which limits it cannot be bounded when a slide along them is left: the engine
// differentiates what they compare (`SlideBounds` of the runtime), and follows nothing but one limit at a time.

import FRPBase
import FRPCore

extension Draft {
  /// Whether the rate of an integral reads a comparison that may slide: one of an integral whose own rate reads it.
  func maySlide(_ integral: NodeID) -> Bool { comparisons(below: integral).contains { maySlide(along: $0) } }

  /// Whether a node is a comparison of an integral whose rate reads it.
  func maySlide(along comparison: NodeID) -> Bool {
    guard case .crossing(_, let left, let right) = core[comparison].op else { return false }
    return readAtOnce(reads(left) + reads(right)).contains { comparisons(below: $0).contains(comparison) }
  }

  // MARK: Leaving

  /// Why it cannot be bounded when a slide along the limit of a comparison is left; nil where it can, or nothing slides.
  func unboundedSlide(_ comparison: NodeID, _ known: inout [CoreExprID: Unbounded?]) -> Unbounded? {
    guard case .crossing(_, let left, let right) = core[comparison].op else { return nil }
    let compared = readAtOnce(reads(left) + reads(right))
    let steered = compared.filter { comparisons(below: $0).contains(comparison) }
    if steered.isEmpty { return nil }
    // What goes at rates that are steps, and is compared as it is, slides in a straight line, which is followed exactly.
    let places = slopes(of: [left, right])
    let rates = compared.compactMap { node in
      if case .integral(let rate, _, _) = core[node].op { rate } else { nil }
    }
    if places.isLinear, !rates.contains(where: { isContinuous($0) }) { return nil }
    if let place = places.without { return .leaving(place) }
    let limits = Set(steered.flatMap { comparisons(below: $0) }.map { limit(of: $0) })
    if limits.count > 1 { return .leaving(nil) }
    for rate in rates { if let reason = unbounded(rate, &known) { return reason } }
    return nil
  }

  /// A side of a comparison; the same wherever it is written.
  private enum Side: Hashable {
    case number(Double)
    case node(NodeID)
    case other(CoreExprID)
  }

  /// What a comparison compares, turned round or not.
  private func limit(of comparison: NodeID) -> Set<Side> {
    guard case .crossing(_, let left, let right) = core[comparison].op else { return [] }
    return Set(
      [left, right].map { side in
        switch core[side] {
        case .float(let x): .number(x)
        case .read(let node): .node(node)
        default: .other(side)
        }
      })
  }

  /// The first part of expressions that has no rule of derivatives, and whether they are sums of what they read.
  private func slopes(of roots: [CoreExprID]) -> (without: Span?, isLinear: Bool) {
    var isLinear = true
    var seen: Set<CoreExprID> = []
    var pending = roots
    while let expr = pending.popLast() {
      guard isContinuous(expr), seen.insert(expr).inserted else { continue }
      switch core[expr] {
      case .read(let node):
        switch core[node].op.motion {
        case .lift(let inner): pending.append(inner)
        case .time, .integral: break
        case .delayed: return (core.span(expr), false)
        case .switched, .members, .groups, .chosen, .member, .crossing, .step: isLinear = false
        }
      case .prim(let prim, let operands):
        let isScaled = prim == .multiply && operands.contains { !isContinuous($0) }
        isLinear = isLinear && (isScaled || [.add, .subtract, .negate, .identity].contains(prim))
        if !hasSlope(prim, operands, core.type(expr)) { return (core.span(expr), false) }
        pending += operands
      default:
        isLinear = false
        core[expr].forEachChild { pending.append($0) }
      }
    }
    return (nil, isLinear)
  }

  private func hasSlope(_ prim: Prim, _ operands: [CoreExprID], _ type: TypeID) -> Bool {
    switch prim {
    case .listMinimum, .listMaximum: false
    case .mod where type == .float: !isContinuous(operands[1]) && !operands.contains { isPointwise($0) }
    default: type != .float || Self.differentiable.contains(prim) || Prim.followable.contains(prim)
    }
  }

  /// What `BoundReader.slope` has a rule for.
  private static let differentiable: Set<Prim> = [
    .add, .subtract, .negate, .multiply, .divide, .sqrt, .sin, .cos, .exp, .log, .abs, .min, .max, .identity, .pi, .e,
    .tau, .hypot, .toFloat,
  ]

  /// The comparisons that the rate of an integral reads; none of other nodes.
  private func comparisons(below node: NodeID) -> Set<NodeID> {
    guard case .integral(let rate, _, _) = core[node].op else { return [] }
    return readAtOnce(reads(rate)).filter {
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
        pending += reads(rate)
        continue
      }
      pending += core.results(shownBy: node)
      switch core[node].op.motion {
      case .lift(let expr), .switched(let expr, _): pending += reads(expr)
      case .time, .integral, .delayed, .members, .groups, .chosen, .member, .crossing, .step: break
      }
    }
    return seen
  }
}
