// Located comparisons of what cannot be bounded over a stretch of time (W0406): the solver looks at them at moments only,
// and may miss that they hold for a short while.
//
// Understood are numbers computed with `Prim.boundable`, what chooses among them, records and variants that are put
// together in sight, and calls that end there. A delay or a scope on the way is looked at as well, but that is the
// solver's own matter, and no rewriting helps: it is not warned of.

import FRPBase
import FRPCore

extension Elaborator {
  /// A warning for each comparison that cannot be bounded, at most one a place.
  func unboundedComparisons() -> [Diagnostic] {
    var found: [Diagnostic] = []
    var known: [CoreExprID: Unbounded?] = [:]
    for node in core.nodes {
      guard case .crossing(_, let left, let right) = node.op,
        let reason = unbounded(left, &known) ?? unbounded(right, &known),
        !found.contains(where: { $0.span == node.span })
      else { continue }
      found.append(warning(reason, at: node.span))
    }
    return found
  }

  private enum Unbounded {
    case calls(String)
    /// A function of data, or of the host.
    case data(Span)
  }

  private func warning(_ reason: Unbounded, at span: Span) -> Diagnostic {
    let why =
      switch reason {
      case .calls(let name): "what `\(name)` makes of what varies (it calls itself)"
      case .data: "what is computed from lists, texts, or by the host"
      }
    var labels: [Label] = []
    if case .data(let place) = reason, place != span { labels.append(Label(place, "this")) }
    return Diagnostic(
      .sampledComparison, "that this holds for a short while may be missed", at: span,
      label: "looked at 16 times a step",
      labels: labels, notes: ["between looks, \(why) cannot be bounded"],
      helps: [Help("compare numbers that are computed from `time` and integrals by arithmetic and `Math` alone")])
  }

  /// Why an expression that varies between instants cannot be bounded; nil if it can.
  private func unbounded(_ root: CoreExprID, _ known: inout [CoreExprID: Unbounded?]) -> Unbounded? {
    if let answer = known[root] { return answer }
    var seen: Set<CoreExprID> = []
    var seenNodes: Set<NodeID> = []
    var pending = [root]
    var answer: Unbounded?
    // What the instances of a scope show: no rewriting helps.
    var hasScope = false
    while let expr = pending.popLast() {
      guard isContinuous(expr), seen.insert(expr).inserted else { continue }
      switch core[expr] {
      case .read(let node):
        if case .lift(let inner) = core[node].op, seenNodes.insert(node).inserted { pending.append(inner) }
        hasScope = hasScope || !core[node].op.scopes.isEmpty
        continue
      case .prim(let prim, let operands):
        let isPair = prim == .tupleFirst || prim == .tupleSecond
        let areNumbers = operands.allSatisfy { [.float, .int, .bool].contains(core.type($0)) }
        if !isPair, !Prim.boundable.contains(prim) || !areNumbers { answer = answer ?? .data(core.span(expr)) }
      case .call(let function, _): answer = answer ?? unboundedBody(of: function)
      case .apply(let function, _):
        if case .lambda = core[function] { break }
        answer = answer ?? .data(core.span(expr))
      case .list, .string, .update, .unreachable: answer = answer ?? .data(core.span(expr))
      default: break
      }
      core[expr].forEachChild { pending.append($0) }
    }
    if hasScope { answer = nil }
    known[root] = .some(answer)
    return answer
  }

  /// The same of what a function makes of arguments that vary.
  private func unboundedBody(of function: FunctionID) -> Unbounded? {
    var seen: Set<FunctionID> = []
    var pending = [function]
    while let next = pending.popLast() {
      guard seen.insert(next).inserted else { continue }
      var seenExprs: Set<CoreExprID> = []
      var parts = [core[next].body]
      while let expr = parts.popLast() {
        guard seenExprs.insert(expr).inserted else { continue }
        switch core[expr] {
        case .call(let callee, _):
          if callee == function { return .calls(core[function].name) }
          pending.append(callee)
        case .prim(let prim, _) where !Prim.boundable.contains(prim) && prim != .tupleFirst && prim != .tupleSecond:
          if isPointwise(expr) { return .data(core.span(expr)) }
        default: break
        }
        core[expr].forEachChild { parts.append($0) }
      }
    }
    return nil
  }
}
