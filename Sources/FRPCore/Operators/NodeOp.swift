// The operators of the language as the core has them: one case each, its name, and its parts. Every traversal of the graph
// (liveness, causality, order, rewriting, the identity of nodes in snapshots) is made of `mapParts`.
//
// Rules: no `default`, so an operator that is missing here does not compile.

/// What a node is. `e…` are events, `b…` behaviors. Expressions in comments marked *old* are evaluated with the values
/// just before the instant, those marked *new* with the values just after; *plain* ones once, when the scope starts.
public enum NodeOp: Sendable {
  // MARK: Behaviors
  /// A declared input behavior; plain start value.
  case inputBehavior(port: Int, start: CoreExprID?)
  /// `time`.
  case time
  /// *New*: the expression, point by point. Step or continuous as `CoreNode.isContinuous` says.
  case lift(CoreExprID)
  case hold(NodeID, start: CoreExprID)
  /// The lambda is (state, occurrence) -> state, *old*.
  case fold(NodeID, start: CoreExprID, CoreLambda)
  /// Rate is continuous-time (*new* between instants); an occurrence of `reset` sets the value.
  case integral(rate: CoreExprID, start: CoreExprID, reset: NodeID?)
  /// The value of another behavior of this or an outer scope, `by` seconds ago; its first value until then.
  case delayBehavior(NodeID, by: CoreExprID)
  /// The occurrences in (t - length, t].
  case window(NodeID, length: CoreExprID)
  /// Those, joined by the lambda, as an Option.
  case summary(NodeID, length: CoreExprID, CoreLambda)
  /// A comparison of continuous Floats that is pushed: a step Bool whose switching times are located. The comparison
  /// is `left op right` with op one of less, lessEqual, greater, greaterEqual.
  case crossing(Prim, CoreExprID, CoreExprID)
  /// `floor` or `ceil` of a continuous Float that is pushed: a step Int whose moments of change are located. They are where
  /// one of the comparisons of the Float with the limits of the present Int becomes true: the next above, the next below.
  case rounding(Prim, CoreExprID, above: NodeID, below: NodeID)
  /// The member of an `each` scope.
  case member
  /// Whether a task of a `perform` node is under way (or queued).
  case busy(NodeID)
  /// How the newest source under way of a `perform` node stands: a Link.
  case link(NodeID)
  /// The task that ends with the next occurrence of an event: a behavior that never changes.
  case awaited(NodeID)

  // MARK: Events
  case inputEvent(port: Int)
  case never
  case start
  case end
  /// Aligned: at the multiples of the period since 1970, not since the scope's start.
  case every(CoreExprID, isAligned: Bool)
  case after(CoreExprID)
  /// *Old*; so are all lambdas of events below.
  case map(NodeID, CoreLambda)
  case filter(NodeID, CoreLambda)
  /// The lambda gives an Option.
  case filterMap(NodeID, CoreLambda)
  case scan(NodeID, start: CoreExprID, CoreLambda)
  /// The lambda gives a pair: the next state, and what is shown.
  case mapAccum(NodeID, start: CoreExprID, CoreLambda)
  case merge([NodeID])
  case take(NodeID, CoreExprID)
  case drop(NodeID, CoreExprID)
  case takeWhile(NodeID, CoreLambda)
  case takeThrough(NodeID, CoreLambda)
  case dropWhile(NodeID, CoreLambda)
  case takeUntil(NodeID, NodeID)
  case dropUntil(NodeID, NodeID)
  case distinct(NodeID)
  case pairwise(NodeID)
  case zip(NodeID, NodeID)
  case both(NodeID, NodeID)
  case except(NodeID, NodeID)
  case spill(NodeID)
  case coalesce(NodeID, CoreLambda)
  case buffer(NodeID, CoreExprID)
  /// The pair of the count and the step.
  case bufferEvery(NodeID, CoreExprID)
  case batch(NodeID, ticks: NodeID)
  case bufferUntil(NodeID, NodeID)
  case delay(NodeID, by: CoreExprID)
  case debounce(NodeID, by: CoreExprID)
  case throttle(NodeID, by: CoreExprID)
  case audit(NodeID, by: CoreExprID)
  /// The scope gives the event that ends the quiet, the pause, or the window.
  case debounceUntil(NodeID, ScopeID)
  case throttleUntil(NodeID, ScopeID)
  case auditUntil(NodeID, ScopeID)
  /// Occurrences of a step behavior's *new* value where it differs from the old.
  case changes(NodeID)
  /// The same, and the first value.
  case updates(NodeID)
  /// Of a step Bool behavior.
  case when(NodeID)
  /// The occurrences that a `keyed` or `groupBy` scope gets.
  case group

  // MARK: Dynamic scopes. The scope's first parameter is the occurrence (or the key).
  /// Behavior. `first` is *new*; the scope's result is a behavior.
  case switchTo(NodeID, first: CoreExprID, ScopeID)
  /// A `switch` between records of behaviors and events: an instance of `first`, then one of the second scope for each
  /// occurrence, its parameter. Both have a result for every leaf, read through `.chosen`. Has type unit.
  case switchOpen(NodeID, first: ScopeID, ScopeID)
  case flatMap(NodeID, ScopeID)
  case flatMapLatest(NodeID, ScopeID)
  /// Event. The scope's parameter is the key, its `.group` node the occurrences. A second result of the scope is the event
  /// with which a group ends; so it is with `groupBy`.
  case keyed(NodeID, key: CoreLambda, ScopeID)
  /// Behavior of a Map.
  case groupBy(NodeID, key: CoreLambda, ScopeID)
  /// Behavior of a List. The list is *new*; the scope's `.member` node is the member.
  case each(CoreExprID, key: CoreLambda, ScopeID)
  /// One of several scopes, chosen once when this node's scope starts: `selector` is a plain Int, `arguments` are the
  /// plain arguments of each alternative. Its results are read through `.chosen`. Has type unit.
  case choose(selector: CoreExprID, [Alternative])
  /// Result `index` of a `choose` or `switchOpen` node: a behavior or an event, by its type.
  case chosen(NodeID, index: Int)

  // MARK: Tasks
  /// Event of Result. The lambda gives the task of an occurrence, *old*; the policy is a plain Policy value. A source is
  /// performed like a task.
  case perform(NodeID, policy: CoreExprID, CoreLambda)
  /// What the sources that a `perform` node has under way bring.
  case items(NodeID)
}

public struct Alternative: Sendable {
  public var scope: ScopeID
  public var arguments: [CoreExprID]
  public init(scope: ScopeID, arguments: [CoreExprID]) {
    self.scope = scope
    self.arguments = arguments
  }
}

extension NodeOp {
  /// The operator's name, as programs write it where they do.
  public var name: String {
    switch self {
    case .inputBehavior, .inputEvent: "input"
    case .time: "time"
    case .lift: "lift"
    case .hold: "hold"
    case .fold: "fold"
    case .integral: "integral"
    case .delayBehavior, .delay: "delay"
    case .window: "window"
    case .summary: "summary"
    case .crossing: "comparison"
    case .rounding(let prim, _, _, _): "\(prim)"
    case .member: "member"
    case .busy: "busy"
    case .link: "state"
    case .awaited: "await"
    case .never: "never"
    case .start: "start"
    case .end: "end"
    case .every(_, let isAligned): isAligned ? "Date.every" : "every"
    case .after: "after"
    case .map: "map"
    case .filter: "filter"
    case .filterMap: "filterMap"
    case .scan: "scan"
    case .mapAccum: "mapAccum"
    case .merge: "merge"
    case .take: "take"
    case .drop: "drop"
    case .takeWhile: "takeWhile"
    case .takeThrough: "takeThrough"
    case .dropWhile: "dropWhile"
    case .takeUntil: "takeUntil"
    case .dropUntil: "dropUntil"
    case .distinct: "distinct"
    case .pairwise: "pairwise"
    case .zip: "zip"
    case .both: "both"
    case .except: "except"
    case .spill: "spill"
    case .coalesce: "coalesce"
    case .buffer, .bufferEvery: "buffer"
    case .batch: "batch"
    case .bufferUntil: "bufferUntil"
    case .debounce, .debounceUntil: "debounce"
    case .throttle, .throttleUntil: "throttle"
    case .audit, .auditUntil: "audit"
    case .changes: "changes"
    case .updates: "updates"
    case .when: "when"
    case .group: "group"
    case .switchTo, .switchOpen: "switch"
    case .flatMap: "flatMap"
    case .flatMapLatest: "flatMapLatest"
    case .keyed: "keyed"
    case .groupBy: "groupBy"
    case .each: "each"
    case .choose, .chosen: "choice"
    case .perform: "perform"
    case .items: "items"
    }
  }
}

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
  /// It is told by the other when to look again, which is no dependency.
  case moments
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

  /// When it is evaluated.
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
    case .input, .start: "start value"
    case .duration: "duration"
    case .count: "count"
    case .policy: "policy"
    case .choice, .argument: "choice"
    case .key, .memberKey: "key"
    case .body, .lift, .first, .list, .rate, .left, .right: nil
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
    case .rounding(let prim, let x, let above, let below):
      return .rounding(prim, expression(x, .left), above: node(above, .moments), below: node(below, .moments))
    case .summary(let e, let length, let join):
      return .summary(node(e, .now), length: expression(length, .duration), lambda(join))
    case .busy(let e): return .busy(node(e, .tasks))
    case .link(let e): return .link(node(e, .tasks))
    case .awaited(let e): return .awaited(node(e, .later))
    case .every(let period, let isAligned): return .every(expression(period, .duration), isAligned: isAligned)
    case .after(let by): return .after(expression(by, .duration))
    case .map(let e, let f): return .map(node(e, .now), lambda(f))
    case .filter(let e, let f): return .filter(node(e, .now), lambda(f))
    case .filterMap(let e, let f): return .filterMap(node(e, .now), lambda(f))
    case .scan(let e, let start, let f):
      return .scan(node(e, .now), start: expression(start, .start), lambda(f))
    case .mapAccum(let e, let start, let f):
      return .mapAccum(node(e, .now), start: expression(start, .start), lambda(f))
    case .merge(let all): return .merge(all.map { node($0, .now) })
    case .take(let e, let n): return .take(node(e, .now), expression(n, .count))
    case .drop(let e, let n): return .drop(node(e, .now), expression(n, .count))
    case .takeWhile(let e, let f): return .takeWhile(node(e, .now), lambda(f))
    case .takeThrough(let e, let f): return .takeThrough(node(e, .now), lambda(f))
    case .dropWhile(let e, let f): return .dropWhile(node(e, .now), lambda(f))
    case .takeUntil(let e, let stop): return .takeUntil(node(e, .now), node(stop, .second))
    case .dropUntil(let e, let begin): return .dropUntil(node(e, .now), node(begin, .second))
    case .distinct(let e): return .distinct(node(e, .now))
    case .pairwise(let e): return .pairwise(node(e, .now))
    case .zip(let a, let b): return .zip(node(a, .now), node(b, .second))
    case .both(let a, let b): return .both(node(a, .now), node(b, .second))
    case .except(let a, let b): return .except(node(a, .now), node(b, .second))
    case .spill(let e): return .spill(node(e, .now))
    case .coalesce(let e, let f): return .coalesce(node(e, .now), lambda(f))
    case .buffer(let e, let n): return .buffer(node(e, .now), expression(n, .count))
    case .bufferEvery(let e, let pair): return .bufferEvery(node(e, .now), expression(pair, .count))
    case .batch(let e, let ticks): return .batch(node(e, .later), ticks: node(ticks, .now))
    case .bufferUntil(let e, let end): return .bufferUntil(node(e, .now), node(end, .second))
    case .delay(let e, let by): return .delay(node(e, .later), by: expression(by, .duration))
    case .debounce(let e, let by): return .debounce(node(e, .later), by: expression(by, .duration))
    case .throttle(let e, let by): return .throttle(node(e, .now), by: expression(by, .duration))
    case .audit(let e, let by): return .audit(node(e, .later), by: expression(by, .duration))
    case .debounceUntil(let e, let over): return .debounceUntil(node(e, .now), scope(over))
    case .throttleUntil(let e, let over): return .throttleUntil(node(e, .now), scope(over))
    case .auditUntil(let e, let over): return .auditUntil(node(e, .now), scope(over))
    case .changes(let b): return .changes(node(b, .now))
    case .updates(let b): return .updates(node(b, .now))
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
    case .items(let e): return .items(node(e, .now))
    }
  }
}
