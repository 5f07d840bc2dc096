// Walking and rewriting core expressions.

extension CoreExpr {
  /// Visits the direct parts, in order of evaluation.
  @inline(__always)
  public func forEachChild(_ visit: (CoreExprID) -> Void) {
    switch self {
    case .unit, .bool, .int, .float, .string, .local, .read, .thunk, .unreachable: break
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
    case .unit, .bool, .int, .float, .string, .local, .read, .thunk, .unreachable: return self
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

extension NodeOp {
  /// The expressions of a node, with how they are evaluated.
  public enum Moment: Sendable { case old, new, plain, rate }

  public func forEachExpr(_ visit: (CoreExprID, Moment) -> Void) {
    switch self {
    case .inputBehavior(_, let start): if let start { visit(start, .plain) }
    case .lift(let expr): visit(expr, .new)
    case .hold(_, let start): visit(start, .plain)
    case .fold(_, let start, let lambda), .scan(_, let start, let lambda):
      visit(start, .plain)
      visit(lambda.body, .old)
    case .integral(let rate, let start, _):
      visit(rate, .rate)
      visit(start, .plain)
    case .crossing(_, let left, let right):
      visit(left, .rate)
      visit(right, .rate)
    case .rounding(_, let x, _, _): visit(x, .rate)
    case .delayBehavior(_, let by), .window(_, let by), .every(let by), .after(let by), .take(_, let by),
      .drop(_, let by), .buffer(_, let by), .delay(_, let by), .debounce(_, let by), .throttle(_, let by),
      .audit(_, let by):
      visit(by, .plain)
    case .map(_, let lambda), .filter(_, let lambda), .filterMap(_, let lambda), .takeWhile(_, let lambda),
      .dropWhile(_, let lambda), .coalesce(_, let lambda), .keyed(_, let lambda, _), .groupBy(_, let lambda, _):
      visit(lambda.body, .old)
    case .switchTo(_, let first, _): visit(first, .new)
    case .each(let list, let key, _):
      visit(list, .new)
      visit(key.body, .new)
    case .choose(let selector, let alternatives):
      visit(selector, .plain)
      for alternative in alternatives {
        for argument in alternative.arguments { visit(argument, .plain) }
      }
    case .perform(_, let policy, let lambda):
      visit(policy, .plain)
      visit(lambda.body, .old)
    case .time, .member, .busy, .inputEvent, .never, .start, .end, .merge, .takeUntil, .dropUntil, .distinct, .pairwise,
      .zip, .spill, .batch, .changes, .when, .group, .flatMap, .flatMapLatest, .switchOpen,
      .chosen:
      break
    }
  }

  /// The nodes it names directly (not through expressions).
  public var nodeOperands: [NodeID] {
    switch self {
    case .hold(let e, _), .fold(let e, _, _), .scan(let e, _, _), .window(let e, _), .map(let e, _), .filter(let e, _),
      .filterMap(let e, _), .take(let e, _), .drop(let e, _), .takeWhile(let e, _), .dropWhile(let e, _),
      .distinct(let e), .pairwise(let e), .spill(let e), .coalesce(let e, _), .buffer(let e, _), .delay(let e, _),
      .debounce(let e, _), .throttle(let e, _), .audit(let e, _), .changes(let e), .when(let e), .busy(let e),
      .switchTo(let e, _, _), .switchOpen(let e, _, _), .flatMap(let e, _), .flatMapLatest(let e, _),
      .keyed(let e, _, _), .groupBy(let e, _, _),
      .chosen(let e, _), .perform(let e, _, _), .delayBehavior(let e, _):
      return [e]
    case .takeUntil(let a, let b), .dropUntil(let a, let b), .zip(let a, let b), .batch(let a, let b): return [a, b]
    case .merge(let all): return all
    case .rounding(_, _, let above, let below): return [above, below]
    case .integral(_, _, let reset): return reset.map { [$0] } ?? []
    case .inputBehavior, .time, .lift, .crossing, .member, .inputEvent, .never, .start, .end, .every, .after, .group,
      .each, .choose:
      return []
    }
  }

  /// The scopes it owns.
  public var scopes: [ScopeID] {
    switch self {
    case .switchTo(_, _, let scope), .flatMap(_, let scope), .flatMapLatest(_, let scope), .keyed(_, _, let scope),
      .groupBy(_, _, let scope), .each(_, _, let scope):
      return [scope]
    case .switchOpen(_, let first, let next): return [first, next]
    case .choose(_, let alternatives): return alternatives.map(\.scope)
    default: return []
    }
  }
}

extension NodeOp {
  /// The same operation on other nodes.
  public func mapNodes(_ change: (NodeID) -> NodeID) -> NodeOp {
    switch self {
    case .hold(let e, let start): return .hold(change(e), start: start)
    case .fold(let e, let start, let f): return .fold(change(e), start: start, f)
    case .scan(let e, let start, let f): return .scan(change(e), start: start, f)
    case .window(let e, let length): return .window(change(e), length: length)
    case .map(let e, let f): return .map(change(e), f)
    case .filter(let e, let f): return .filter(change(e), f)
    case .filterMap(let e, let f): return .filterMap(change(e), f)
    case .take(let e, let n): return .take(change(e), n)
    case .drop(let e, let n): return .drop(change(e), n)
    case .takeWhile(let e, let f): return .takeWhile(change(e), f)
    case .dropWhile(let e, let f): return .dropWhile(change(e), f)
    case .distinct(let e): return .distinct(change(e))
    case .pairwise(let e): return .pairwise(change(e))
    case .spill(let e): return .spill(change(e))
    case .coalesce(let e, let f): return .coalesce(change(e), f)
    case .buffer(let e, let n): return .buffer(change(e), n)
    case .delay(let e, let by): return .delay(change(e), by: by)
    case .debounce(let e, let by): return .debounce(change(e), by: by)
    case .throttle(let e, let by): return .throttle(change(e), by: by)
    case .audit(let e, let by): return .audit(change(e), by: by)
    case .changes(let b): return .changes(change(b))
    case .when(let b): return .when(change(b))
    case .busy(let e): return .busy(change(e))
    case .switchTo(let e, let first, let scope): return .switchTo(change(e), first: first, scope)
    case .switchOpen(let e, let first, let next): return .switchOpen(change(e), first: first, next)
    case .flatMap(let e, let scope): return .flatMap(change(e), scope)
    case .flatMapLatest(let e, let scope): return .flatMapLatest(change(e), scope)
    case .keyed(let e, let key, let scope): return .keyed(change(e), key: key, scope)
    case .groupBy(let e, let key, let scope): return .groupBy(change(e), key: key, scope)
    case .chosen(let owner, let index): return .chosen(change(owner), index: index)
    case .perform(let e, let policy, let f): return .perform(change(e), policy: policy, f)
    case .delayBehavior(let b, let by): return .delayBehavior(change(b), by: by)
    case .takeUntil(let a, let b): return .takeUntil(change(a), change(b))
    case .dropUntil(let a, let b): return .dropUntil(change(a), change(b))
    case .zip(let a, let b): return .zip(change(a), change(b))
    case .batch(let a, let ticks): return .batch(change(a), ticks: change(ticks))
    case .merge(let all): return .merge(all.map(change))
    case .rounding(let prim, let x, let above, let below):
      return .rounding(prim, x, above: change(above), below: change(below))
    case .integral(let rate, let start, let reset):
      return .integral(rate: rate, start: start, reset: reset.map(change))
    case .inputBehavior, .time, .lift, .crossing, .member, .inputEvent, .never, .start, .end, .every, .after, .group,
      .each, .choose:
      return self
    }
  }

  /// The same operation with other expressions, where they are *new* or rates; all others are kept.
  public func mapExprs(_ change: (CoreExprID, Moment) -> CoreExprID) -> NodeOp {
    switch self {
    case .lift(let expr): return .lift(change(expr, .new))
    case .integral(let rate, let start, let reset):
      return .integral(rate: change(rate, .rate), start: start, reset: reset)
    case .switchTo(let e, let first, let scope): return .switchTo(e, first: change(first, .new), scope)
    case .each(let list, let key, let scope): return .each(change(list, .new), key: key, scope)
    default: return self
    }
  }
}
