// Going through an expression and all that it is made of: each part once, without recursion, since expressions are deep and
// share their parts.

import FRPBase

/// Where a visit goes on.
public enum Visit: Sendable {
  /// To the parts of this expression.
  case enter
  /// Elsewhere: its parts are not looked at for its sake.
  case leave
  /// Nowhere.
  case stop
}

extension CoreProgram {
  /// Visits an expression and what it is made of, parts last to first; those that are not `among` the ones in question are
  /// left out with all below them. True if the visit was stopped. Cost: linear in the parts that are looked at.
  @inlinable
  @discardableResult
  public func visit(
    _ root: CoreExprID, among isAmong: (CoreExprID) -> Bool = { _ in true }, _ visit: (CoreExprID) -> Visit
  ) -> Bool {
    var seen: Set<CoreExprID> = []
    var pending = [root]
    while let expr = pending.popLast() {
      guard isAmong(expr), seen.insert(expr).inserted else { continue }
      switch visit(expr) {
      case .enter: self[expr].forEachChild { pending.append($0) }
      case .leave: break
      case .stop: return true
      }
    }
    return false
  }

  /// Whether some part of an expression, or itself, is such.
  @inlinable
  public func contains(_ root: CoreExprID, _ isSuch: (CoreExprID) -> Bool) -> Bool {
    visit(root) { isSuch($0) ? .stop : .enter }
  }

  /// The behaviors an expression reads, in order of first mention; those that a budget suffices for.
  public func reads(_ root: CoreExprID, within budget: CheckBudget? = nil) -> [NodeID] {
    var found: [NodeID] = []
    var known: Set<NodeID> = []
    visit(root) { expr in
      if let budget, !budget.spend() { return .stop }
      if case .read(let node) = self[expr], known.insert(node).inserted { found.append(node) }
      return .enter
    }
    return found
  }
}
