// How operators give a value between instants. What looks into continuous behaviors (kinds, derivatives, roundings, bounds, the
// solver) asks for this instead of the operator: there are few forms, each of its switches has all of them, and an operator
// that is missing here does not compile.

/// What a behavior's value is made of between instants.
public enum Motion: Sendable {
  case time
  /// The rate, which is continuous-time itself.
  case integral(rate: CoreExprID)
  case lift(CoreExprID)
  case delayed(NodeID, by: CoreExprID)
  /// The first behavior, then the result of the newest instance of a scope.
  case switched(first: CoreExprID, ScopeID)
  /// A list of the results of a scope, an instance for each member of a list.
  case members(of: CoreExprID, ScopeID)
  /// A map of the results of a scope.
  case groups(ScopeID)
  /// A result of the scopes that another node has.
  case chosen(NodeID, index: Int)
  case member
  /// A comparison whose switching times are located: a step that continuous behaviors make.
  case crossing(Prim, left: CoreExprID, right: CoreExprID)
  /// What changes at instants only, and events.
  case step
}

extension NodeOp {
  /// How the operator gives a value between instants, if it is continuous there.
  public var motion: Motion {
    switch self {
    case .time: .time
    case .integral(let rate, _, _): .integral(rate: rate)
    case .lift(let expr): .lift(expr)
    case .delayBehavior(let inner, let by): .delayed(inner, by: by)
    case .switchTo(_, let first, let scope): .switched(first: first, scope)
    case .each(let list, _, let scope): .members(of: list, scope)
    case .groupBy(_, _, let scope): .groups(scope)
    case .chosen(let owner, let index): .chosen(owner, index: index)
    case .member: .member
    case .crossing(let prim, let left, let right): .crossing(prim, left: left, right: right)
    case .inputBehavior, .hold, .fold, .window, .summary, .rounding, .busy, .link, .awaited, .switchOpen, .choose: .step
    case .inputEvent, .never, .start, .end, .every, .after, .map, .filter, .filterMap, .scan, .mapAccum, .merge, .take,
      .drop, .takeWhile, .takeThrough, .dropWhile, .takeUntil, .dropUntil, .distinct, .pairwise, .zip, .both, .except,
      .spill, .coalesce, .buffer, .bufferEvery, .batch, .bufferUntil, .delay, .debounce, .throttle, .audit,
      .debounceUntil, .throttleUntil, .auditUntil, .changes, .updates, .when, .group, .flatMap, .flatMapLatest, .keyed,
      .perform, .items:
      .step
    }
  }
}

extension NodeOp {
  /// Whether a behavior may hold a fault instead of a value. A fault in a start value or a step ends the instant, so that what
  /// only remembers never does.
  public var mayHoldFault: Bool {
    switch self {
    case .hold, .fold, .window, .summary, .crossing, .busy, .link, .time, .integral: false
    case .inputBehavior, .lift, .delayBehavior, .rounding, .member, .awaited, .switchTo, .switchOpen, .groupBy, .each,
      .choose, .chosen:
      true
    case .inputEvent, .never, .start, .end, .every, .after, .map, .filter, .filterMap, .scan, .mapAccum, .merge, .take,
      .drop, .takeWhile, .takeThrough, .dropWhile, .takeUntil, .dropUntil, .distinct, .pairwise, .zip, .both, .except,
      .spill, .coalesce, .buffer, .bufferEvery, .batch, .bufferUntil, .delay, .debounce, .throttle, .audit,
      .debounceUntil, .throttleUntil, .auditUntil, .changes, .updates, .when, .group, .flatMap, .flatMapLatest, .keyed,
      .perform, .items:
      false
    }
  }

  /// Whether the results of its scopes are read one by one, each through a `chosen`.
  public var isReadThroughChosen: Bool {
    switch self {
    case .choose, .switchOpen: true
    case .switchTo, .groupBy, .each, .keyed, .flatMap, .flatMapLatest, .debounceUntil, .throttleUntil, .auditUntil:
      false
    case .inputBehavior, .time, .lift, .hold, .fold, .integral, .delayBehavior, .window, .summary, .crossing, .rounding,
      .member, .busy, .link, .awaited, .inputEvent, .never, .start, .end, .every, .after, .map, .filter, .filterMap,
      .scan, .mapAccum, .merge, .take, .drop, .takeWhile, .takeThrough, .dropWhile, .takeUntil, .dropUntil, .distinct,
      .pairwise, .zip, .both, .except, .spill, .coalesce, .buffer, .bufferEvery, .batch, .bufferUntil, .delay,
      .debounce, .throttle, .audit, .changes, .updates, .when, .group, .chosen, .perform, .items:
      false
    }
  }

  /// The behavior whose changes it waits for, which has to be a step.
  public var watched: NodeID? {
    switch self {
    case .changes(let behavior), .updates(let behavior), .when(let behavior): behavior
    case .inputBehavior, .time, .lift, .hold, .fold, .integral, .delayBehavior, .window, .summary, .crossing, .rounding,
      .member, .busy, .link, .awaited, .inputEvent, .never, .start, .end, .every, .after, .map, .filter, .filterMap,
      .scan, .mapAccum, .merge, .take, .drop, .takeWhile, .takeThrough, .dropWhile, .takeUntil, .dropUntil, .distinct,
      .pairwise, .zip, .both, .except, .spill, .coalesce, .buffer, .bufferEvery, .batch, .bufferUntil, .delay,
      .debounce, .throttle, .audit, .debounceUntil, .throttleUntil, .auditUntil, .group, .switchTo, .switchOpen,
      .flatMap, .flatMapLatest, .keyed, .groupBy, .each, .choose, .chosen, .perform, .items:
      nil
    }
  }

  /// What it has to do with tasks.
  public var tasks: TaskUse {
    switch self {
    case .perform, .awaited: .keeps
    case .items, .busy, .link: .shows
    case .inputBehavior, .time, .lift, .hold, .fold, .integral, .delayBehavior, .window, .summary, .crossing, .rounding,
      .member, .inputEvent, .never, .start, .end, .every, .after, .map, .filter, .filterMap, .scan, .mapAccum, .merge,
      .take, .drop, .takeWhile, .takeThrough, .dropWhile, .takeUntil, .dropUntil, .distinct, .pairwise, .zip, .both,
      .except, .spill, .coalesce, .buffer, .bufferEvery, .batch, .bufferUntil, .delay, .debounce, .throttle, .audit,
      .debounceUntil, .throttleUntil, .auditUntil, .changes, .updates, .when, .group, .switchTo, .switchOpen, .flatMap,
      .flatMapLatest, .keyed, .groupBy, .each, .choose, .chosen:
      .none
    }
  }
}

/// What an operator has to do with tasks.
public enum TaskUse: Sendable {
  case none
  /// It has some under way, or is known to some.
  case keeps
  /// It shows how another's stand.
  case shows
}

extension CoreProgram {
  /// The nodes in inner scopes whose values a behavior shows.
  public func results(shownBy node: NodeID) -> [NodeID] {
    switch self[node].op.motion {
    case .switched(_, let scope), .members(_, let scope), .groups(let scope): self[scope].results
    case .chosen(let owner, let index): self[owner].op.scopes.compactMap { self[$0].results[at: index] }
    case .time, .integral, .lift, .delayed, .member, .crossing, .step: []
    }
  }
}

extension Array {
  fileprivate subscript(at index: Int) -> Element? { index < count ? self[index] : nil }
}
