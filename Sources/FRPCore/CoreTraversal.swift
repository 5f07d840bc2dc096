// Walking and rewriting core expressions.

extension CoreExpr {
  /// Visits the direct parts, in order of evaluation.
  @inline(__always)
  public func forEachChild(_ visit: (CoreExprID) -> Void) {
    switch self {
    case .unit, .bool, .int, .float, .string, .local, .read, .thunk, .unreachable, .placeholder: break
    case .call(_, let all), .prim(_, let all), .list(let all, spreads: _), .construct(tag: _, let all):
      for child in all { visit(child) }
    case .apply(let callee, let all):
      visit(callee)
      for child in all { visit(child) }
    case .lambda(let lambda): visit(lambda.body)
    case .field(let base, index: _, tag: _), .hasTag(let base, _): visit(base)
    case .conditional(let condition, let then, let otherwise):
      visit(condition)
      visit(then)
      visit(otherwise)
    case .update(let base, let fields):
      visit(base)
      for field in fields { visit(field.value) }
    case .suspend(let bindings, let body):
      for binding in bindings { visit(binding.value) }
      visit(body)
    }
  }

  /// The same expression with other parts.
  public func mapChildren(_ change: (CoreExprID) -> CoreExprID) -> CoreExpr {
    switch self {
    case .unit, .bool, .int, .float, .string, .local, .read, .thunk, .unreachable, .placeholder: return self
    case .call(let function, let all): return .call(function, all.map(change))
    case .prim(let prim, let all): return .prim(prim, all.map(change))
    case .list(let all, let spreads): return .list(all.map(change), spreads: spreads)
    case .construct(let tag, let all): return .construct(tag: tag, all.map(change))
    case .apply(let callee, let all): return .apply(change(callee), all.map(change))
    case .lambda(let lambda): return .lambda(CoreLambda(lambda.parameters, change(lambda.body)))
    case .field(let base, let index, let tag): return .field(change(base), index: index, tag: tag)
    case .hasTag(let base, let tag): return .hasTag(change(base), tag)
    case .conditional(let condition, let then, let otherwise):
      return .conditional(change(condition), then: change(then), otherwise: change(otherwise))
    case .update(let base, let fields):
      return .update(change(base), fields.map { (index: $0.index, value: change($0.value)) })
    case .suspend(let bindings, let body):
      return .suspend(bindings.map { (local: $0.local, value: change($0.value)) }, change(body))
    }
  }
}
