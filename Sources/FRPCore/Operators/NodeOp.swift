// The operators of the language as the core has them, one case each, with their names.

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
  /// A comparison of continuous Floats that is pushed: a step Bool whose switching times are located. The comparison
  /// is `left op right` with op one of less, lessEqual, greater, greaterEqual.
  case crossing(Prim, CoreExprID, CoreExprID)
  /// The member of an `each` scope.
  case member
  /// Whether a task of a `perform` node is under way (or queued).
  case busy(NodeID)

  // MARK: Events
  case inputEvent(port: Int)
  case never
  case start
  case end
  case every(CoreExprID)
  case after(CoreExprID)
  /// *Old*; so are all lambdas of events below.
  case map(NodeID, CoreLambda)
  case filter(NodeID, CoreLambda)
  /// The lambda gives an Option.
  case filterMap(NodeID, CoreLambda)
  case scan(NodeID, start: CoreExprID, CoreLambda)
  case merge([NodeID])
  case take(NodeID, CoreExprID)
  case drop(NodeID, CoreExprID)
  case takeWhile(NodeID, CoreLambda)
  case dropWhile(NodeID, CoreLambda)
  case takeUntil(NodeID, NodeID)
  case dropUntil(NodeID, NodeID)
  case distinct(NodeID)
  case pairwise(NodeID)
  case zip(NodeID, NodeID)
  case spill(NodeID)
  case coalesce(NodeID, CoreLambda)
  case buffer(NodeID, CoreExprID)
  case batch(NodeID, ticks: NodeID)
  case delay(NodeID, by: CoreExprID)
  case debounce(NodeID, by: CoreExprID)
  case throttle(NodeID, by: CoreExprID)
  case audit(NodeID, by: CoreExprID)
  /// Occurrences of a step behavior's *new* value where it differs from the old.
  case changes(NodeID)
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
  /// Event. The scope's parameter is the key, its `.group` node the occurrences.
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
  /// Event of Result. The lambda gives the task of an occurrence, *old*; the policy is a plain Policy value.
  case perform(NodeID, policy: CoreExprID, CoreLambda)
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
    case .crossing: "comparison"
    case .member: "member"
    case .busy: "busy"
    case .never: "never"
    case .start: "start"
    case .end: "end"
    case .every: "every"
    case .after: "after"
    case .map: "map"
    case .filter: "filter"
    case .filterMap: "filterMap"
    case .scan: "scan"
    case .merge: "merge"
    case .take: "take"
    case .drop: "drop"
    case .takeWhile: "takeWhile"
    case .dropWhile: "dropWhile"
    case .takeUntil: "takeUntil"
    case .dropUntil: "dropUntil"
    case .distinct: "distinct"
    case .pairwise: "pairwise"
    case .zip: "zip"
    case .spill: "spill"
    case .coalesce: "coalesce"
    case .buffer: "buffer"
    case .batch: "batch"
    case .debounce: "debounce"
    case .throttle: "throttle"
    case .audit: "audit"
    case .changes: "changes"
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
    }
  }
}
