// Lambdas of several parameters, in groups of definitions that need each other. `(k, v) => …` is a function of two
// parameters, or of one pair, as the function that it is given to wants it; where that function is defined in the same
// group, its body may not have been looked at yet. So the lambda's type stays open until something decides it, or the group
// is done: which definition was checked first makes no difference.

import FRPBase
import FRPCore
import FRPSyntax

extension Checker {
  /// The type of a lambda where it is used: its own, or open as long as the group is.
  func useOfLambda(_ id: ExprID, _ own: Ty, count: Int) -> Ty {
    guard count > 1, openGroups > 0 else { return own }
    let use = store.fresh()
    wait(
      Overload(
        rows: [], function: store.function([use], own), name: "", site: id, callee: nil, arguments: [], isLambda: true))
    return use
  }

  /// Decides a lambda whose use is known.
  func solveLambda(_ index: Int) {
    guard !overloads[index].isSolved, case .function(let uses, let own) = store[overloads[index].function] else {
      return
    }
    let id = overloads[index].site
    let use = uses[0]
    if case .variable = store[use] { return watch(use, index) }
    overloads[index].isSolved = true
    var actual = own
    if case .function(let needed, _) = store[use], needed.count == 1,
      case .function(let parameters, let result) = store[own]
    {
      tupleLambdas.insert(id)
      actual = store.function([store.add(.tuple(parameters))], result)
    }
    if let failure = store.unify(expected: use, actual: actual) {
      mismatch(id, tree.span(id), actual: actual, expected: use, failure: failure, reason: .callee)
    }
  }

  /// Lambdas that nothing has decided by now are functions of their parameters.
  func settleLambdas(_ indices: inout [Int]) {
    for index in indices where overloads[index].isLambda && !overloads[index].isSolved {
      guard case .function(let uses, let own) = store[overloads[index].function] else { continue }
      overloads[index].isSolved = true
      _ = store.unify(expected: own, actual: uses[0])
      solveReady()
    }
    indices.removeAll { overloads[$0].isLambda }
  }
}
