// What operators are made of, said once: every traversal of the graph (liveness, causality, order, rewriting, the identity
// of nodes in snapshots) is made of `mapParts`.
//
// Rules: no `default`, so an operator that is missing here does not compile.

/// How a node is fed by another.
public enum OperandRole: Sendable {
  /// In the instant: what the other shows counts at once.
  case now
  /// The same, in the second place: what stops, resets, or is paired.
  case second
  /// At the end of the instant: what it takes in shows in another.
  case later
  /// The same, but that it begins with the other's first value.
  case laterButFirst
  /// It shows how the other's tasks stand.
  case tasks
  /// It shows one of the results of the other's scopes.
  case results
}

/// What an expression is for its node.
public enum ExpressionRole: Sendable {
  /// Plain, once, when the scope starts. `input` is the start value of an input, `argument` what a chosen scope is given.
  case input, start, duration, count, policy, choice, argument
  /// A function of the occurrence, with the values just before.
  case body, key
  /// With the values just after: a lift, the first of a switch, the list of an `each` and the keys of its members.
  case lift, first, list, memberKey
  /// Between instants, too: a rate, and the sides of a comparison.
  case rate, left, right

  public var moment: NodeOp.Moment {
    switch self {
    case .input, .start, .duration, .count, .policy, .choice, .argument: .plain
    case .body, .key: .old
    case .lift, .first, .list, .memberKey: .new
    case .rate, .left, .right: .rate
    }
  }

  /// What programs must not change if a node is to go on with what it remembers, in words; nil for what they may.
  public var identity: String? {
    switch self {
    case .start: "start value"
    case .duration: "duration"
    case .count: "count"
    case .policy: "policy"
    case .choice, .argument: "choice"
    case .key, .memberKey: "key"
    case .input, .body, .lift, .first, .list, .rate, .left, .right: nil
    }
  }
}

extension NodeOp {
  /// How the expressions of a node are evaluated.
  public enum Moment: Sendable { case old, new, plain, rate }

  /// The same operator with other parts: its operands, its expressions, its scopes, in this order. A function goes
  /// through `function` or, if that is nil, its body through `expression`.
  public func mapParts(
    node: (NodeID, OperandRole) -> NodeID = { id, _ in id },
    expression: (CoreExprID, ExpressionRole) -> CoreExprID = { id, _ in id },
    function: ((CoreLambda, ExpressionRole) -> CoreLambda)? = nil,
    scope: (ScopeID) -> ScopeID = { $0 }
  ) -> NodeOp {
    func lambda(_ f: CoreLambda, _ role: ExpressionRole = .body) -> CoreLambda {
      function?(f, role) ?? CoreLambda(f.parameters, expression(f.body, role))
    }
    switch self {
    case .inputBehavior(let port, let start):
      return .inputBehavior(port: port, start: start.map { expression($0, .input) })
    case .time, .member, .inputEvent, .never, .start, .end, .group: return self
    case .lift(let e): return .lift(expression(e, .lift))
    case .hold(let e, let start): return .hold(node(e, .now), start: expression(start, .start))
    case .fold(let e, let start, let f):
      return .fold(node(e, .now), start: expression(start, .start), lambda(f))
    case .integral(let rate, let start, let reset):
      let reset = reset.map { node($0, .second) }
      return .integral(rate: expression(rate, .rate), start: expression(start, .start), reset: reset)
    case .delayBehavior(let b, let by): return .delayBehavior(node(b, .laterButFirst), by: expression(by, .duration))
    case .window(let e, let length): return .window(node(e, .now), length: expression(length, .duration))
    case .crossing(let comparison, let left, let right):
      return .crossing(comparison, expression(left, .left), expression(right, .right))
    case .busy(let e): return .busy(node(e, .tasks))
    case .every(let period): return .every(expression(period, .duration))
    case .after(let by): return .after(expression(by, .duration))
    case .map(let e, let f): return .map(node(e, .now), lambda(f))
    case .filter(let e, let f): return .filter(node(e, .now), lambda(f))
    case .filterMap(let e, let f): return .filterMap(node(e, .now), lambda(f))
    case .scan(let e, let start, let f):
      return .scan(node(e, .now), start: expression(start, .start), lambda(f))
    case .merge(let all): return .merge(all.map { node($0, .now) })
    case .take(let e, let n): return .take(node(e, .now), expression(n, .count))
    case .drop(let e, let n): return .drop(node(e, .now), expression(n, .count))
    case .takeWhile(let e, let f): return .takeWhile(node(e, .now), lambda(f))
    case .dropWhile(let e, let f): return .dropWhile(node(e, .now), lambda(f))
    case .takeUntil(let e, let stop): return .takeUntil(node(e, .now), node(stop, .second))
    case .dropUntil(let e, let begin): return .dropUntil(node(e, .now), node(begin, .second))
    case .distinct(let e): return .distinct(node(e, .now))
    case .pairwise(let e): return .pairwise(node(e, .now))
    case .zip(let a, let b): return .zip(node(a, .now), node(b, .second))
    case .spill(let e): return .spill(node(e, .now))
    case .coalesce(let e, let f): return .coalesce(node(e, .now), lambda(f))
    case .buffer(let e, let n): return .buffer(node(e, .now), expression(n, .count))
    case .batch(let e, let ticks): return .batch(node(e, .later), ticks: node(ticks, .now))
    case .delay(let e, let by): return .delay(node(e, .later), by: expression(by, .duration))
    case .debounce(let e, let by): return .debounce(node(e, .later), by: expression(by, .duration))
    case .throttle(let e, let by): return .throttle(node(e, .now), by: expression(by, .duration))
    case .audit(let e, let by): return .audit(node(e, .later), by: expression(by, .duration))
    case .changes(let b): return .changes(node(b, .now))
    case .when(let b): return .when(node(b, .later))
    case .switchTo(let e, let first, let next):
      return .switchTo(node(e, .now), first: expression(first, .first), scope(next))
    case .switchOpen(let e, let first, let next): return .switchOpen(node(e, .now), first: scope(first), scope(next))
    case .flatMap(let e, let next): return .flatMap(node(e, .now), scope(next))
    case .flatMapLatest(let e, let next): return .flatMapLatest(node(e, .now), scope(next))
    case .keyed(let e, let key, let group): return .keyed(node(e, .now), key: lambda(key, .key), scope(group))
    case .groupBy(let e, let key, let group): return .groupBy(node(e, .now), key: lambda(key, .key), scope(group))
    case .each(let list, let key, let member):
      return .each(expression(list, .list), key: lambda(key, .memberKey), scope(member))
    case .choose(let selector, let alternatives):
      let selector = expression(selector, .choice)
      return .choose(
        selector: selector,
        alternatives.map { row in
          Alternative(scope: scope(row.scope), arguments: row.arguments.map { expression($0, .argument) })
        })
    case .chosen(let owner, let index): return .chosen(node(owner, .results), index: index)
    case .perform(let e, let policy, let f):
      return .perform(node(e, .later), policy: expression(policy, .policy), lambda(f))
    }
  }

  /// The nodes it names directly (not through expressions).
  public func forEachOperand(_ visit: (NodeID, OperandRole) -> Void) {
    _ = mapParts(node: { id, role in
      visit(id, role)
      return id
    })
  }

  /// Its expressions, functions' bodies included.
  public func forEachExpression(_ visit: (CoreExprID, ExpressionRole) -> Void) {
    _ = mapParts(expression: { id, role in
      visit(id, role)
      return id
    })
  }

  public func forEachExpr(_ visit: (CoreExprID, Moment) -> Void) { forEachExpression { visit($0, $1.moment) } }

  public var nodeOperands: [NodeID] {
    var result: [NodeID] = []
    forEachOperand { id, _ in result.append(id) }
    return result
  }

  /// Its operands in one of these roles.
  public func operands(_ roles: OperandRole...) -> [NodeID] {
    var result: [NodeID] = []
    forEachOperand { id, role in if roles.contains(role) { result.append(id) } }
    return result
  }

  /// The expressions it evaluates, functions' bodies included.
  public var expressions: [CoreExprID] {
    var result: [CoreExprID] = []
    forEachExpression { id, _ in result.append(id) }
    return result
  }

  /// What is computed once, at the start of the scope, with its name: if the text of that changes, what it began must begin
  /// anew.
  public var identity: [(what: String, expr: CoreExprID)] {
    var result: [(what: String, expr: CoreExprID)] = []
    forEachExpression { id, role in if let what = role.identity { result.append((what, id)) } }
    return result
  }

  /// Its function of the occurrence, if it has one; of an `each` that of the key.
  public var function: CoreLambda? {
    var result: CoreLambda?
    _ = mapParts(function: { f, _ in
      result = f
      return f
    })
    return result
  }

  /// The scopes it owns.
  public var scopes: [ScopeID] {
    var result: [ScopeID] = []
    _ = mapParts(scope: { id in
      result.append(id)
      return id
    })
    return result
  }

  /// The same operation on other nodes.
  public func mapNodes(_ change: (NodeID) -> NodeID) -> NodeOp { mapParts(node: { id, _ in change(id) }) }

  /// The same operation with other expressions, where these show what is *new*, or are rates; all others are kept.
  public func mapExprs(_ change: (CoreExprID, Moment) -> CoreExprID) -> NodeOp {
    mapParts(expression: { id, role in
      switch role {
      case .lift, .first, .list, .rate: change(id, role.moment)
      case .input, .start, .duration, .count, .policy, .choice, .argument, .body, .key, .memberKey, .left, .right: id
      }
    })
  }
}
