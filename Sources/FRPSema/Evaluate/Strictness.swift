// Which arguments a called function certainly needs. A call means the body with the arguments put in, so an argument that may not be
// needed is not computed before it is (section 1 of the language); only functions that call themselves compute all of theirs.
//
// In: the body of a finished function. Out: its parameters that are computed where they are needed (`localIsLazy`).

import FRPCore
import FRPPasses

/// What is certainly computed with an expression: a bit for each parameter.
private struct Needs {
  let core: CoreProgram
  let places: [LocalID: Int]
  private var known: [CoreExprID: UInt64] = [:]

  init(_ core: CoreProgram, _ parameters: some Sequence<LocalID>) {
    self.core = core
    places = Dictionary(uniqueKeysWithValues: parameters.enumerated().map { ($0.element, $0.offset) })
  }

  mutating func of(_ expr: CoreExprID) -> UInt64 {
    if let known = known[expr] { return known }
    let result: UInt64
    switch core[expr] {
    case .local(let local): result = places[local].map { 1 << UInt64($0) } ?? 0
    case .conditional(let test, let then, let otherwise): result = of(test) | of(then) & of(otherwise)
    case .prim(let prim, let operands) where prim == .and || prim == .or: result = of(operands[0])
    case .suspend(_, let body): result = of(body)
    // Computed when it is called, or asked for, if at all.
    case .lambda, .thunk: result = 0
    default:
      var children: [CoreExprID] = []
      core[expr].forEachChild { children.append($0) }
      result = children.reduce(0) { $0 | of($1) }
    }
    known[expr] = result
    return result
  }
}

extension Elaborator {
  /// Lets a function that does not call itself compute those of its arguments that it may not need where it needs them.
  mutating func computeWhereNeeded(_ function: FunctionID) {
    let parameters = core.functions[function.index].parameters.prefix(UInt64.bitWidth)
    guard parameters.contains(where: { !core.localIsLazy[$0.index] }) else { return }
    let certain = needed(function, parameters)
    for (place, parameter) in parameters.enumerated() where certain >> UInt64(place) & 1 == 0 {
      core.localIsLazy[parameter.index] = true
    }
  }

  private func needed(_ function: FunctionID, _ parameters: some Sequence<LocalID>) -> UInt64 {
    var needs = Needs(core, parameters)
    return needs.of(core.functions[function.index].body)
  }
}
