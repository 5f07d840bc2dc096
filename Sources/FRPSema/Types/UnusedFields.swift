// A record of functions, one of which is overloaded: a use that takes another field leaves its type open, and nobody can
// tell the difference. `tools = {double: xs => xs |> map(x => x * 2), next: n => n + 1}` may be used as `tools.next(3)`.

import FRPCore
import FRPSyntax

extension Checker {
  /// Settles an overloaded use that lies in a field of a record which this use of the record does not take; false if it
  /// is no such use. What is taken there does not matter: it gets the first type that there is.
  func settleUnused(_ index: Int) -> Bool {
    let overload = overloads[index]
    guard overload.callee == nil, let first = firstParameter(index), let row = overload.rows.first,
      let wanted = store.instantiate(Signature.all[row]).parameters?.first, isUnused(overload)
    else { return false }
    _ = store.unify(expected: wanted, actual: first)
    solve(index)
    return overloads[index].isSolved
  }

  /// Whether the use stands before `.field`, and nothing of its type is in that field's.
  private func isUnused(_ overload: Overload) -> Bool {
    let open = Set(store.openVariables(overload.function))
    return tree.exprs.indices.contains { place in
      guard case .field(let base, _) = tree.exprs[place], base == overload.site else { return false }
      return open.isDisjoint(with: store.openVariables(exprTypes[place]))
    }
  }
}
