// The operators that make nodes, one case an operator. What each means stands in section 2 of the language; here is
// only how its arguments become a node: events by name, functions entered at the occurrence, plain arguments checked,
// scopes made for what creates.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

/// A call of a reactive built-in, with the types of this use.
struct ReactiveCall {
  var name: String
  var arguments: [StaticValue]
  var parameters: [TypeID]
  var result: TypeID
  var span: Span
  var argumentSpans: [Span]

  func span(_ index: Int) -> Span { index < argumentSpans.count ? argumentSpans[index] : span }
}

extension Elaborator {
  mutating func applyReactive(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    switch operation {
    case .time, .start, .end, .never: return .error
    case .every, .dateEvery: return timer(call, "period") { .every($0, isAligned: operation == .dateEvery) }
    case .after: return timer(call, "delay") { .after($0) }
    case .map: return functional(call) { .map($0, $1) }
    case .filter: return functional(call) { .filter($0, $1) }
    case .filterMap: return functional(call) { .filterMap($0, $1) }
    case .takeWhile: return functional(call) { .takeWhile($0, $1) }
    case .takeThrough: return functional(call) { .takeThrough($0, $1) }
    case .dropWhile: return functional(call) { .dropWhile($0, $1) }
    case .coalesce: return functional(call, parameters: 2) { .coalesce($0, $1) }
    case .partition: return partition(call)
    case .sample: return sampling(call, 1, of: 0) { .map($0, $1) }
    case .gate: return sampling(call, 0, of: 1) { .filter($0, $1) }
    case .scan: return accumulation(call) { $0.eventNode(.scan($1, start: $2, $3), call) }
    case .fold: return accumulation(call) { $0.behaviorNode(.fold($1, start: $2, $3), call) }
    case .mapAccum: return accumulation(call) { $0.eventNode(.mapAccum($1, start: $2, $3), call) }
    case .count: return count(call)
    case .countBy, .sumBy: return totals(operation, call)
    case .indexed: return indexed(call)
    case .unique: return unique(call)
    case .merge: return combination(call) { .merge($0) }
    case .takeUntil: return combination(call) { .takeUntil($0[0], $0[1]) }
    case .dropUntil: return combination(call) { .dropUntil($0[0], $0[1]) }
    case .zip: return zipped(call)
    case .both: return combination(call) { .both($0[0], $0[1]) }
    case .except: return combination(call) { .except($0[0], $0[1]) }
    case .batch: return combination(call) { .batch($0[0], ticks: $0[1]) }
    case .bufferUntil: return combination(call) { .bufferUntil($0[0], $0[1]) }
    case .once: return once(call)
    case .distinct: return simple(call) { .distinct($0) }
    case .pairwise: return simple(call) { .pairwise($0) }
    case .spill: return simple(call) { .spill($0) }
    case .take: return counted(call, "count") { .take($0, $1) }
    case .drop: return counted(call, "count") { .drop($0, $1) }
    case .buffer: return counted(call, "count") { .buffer($0, $1) }
    case .bufferEvery: return sliding(call)
    case .delay: return counted(call, "duration") { .delay($0, by: $1) }
    case .debounce: return counted(call, "duration") { .debounce($0, by: $1) }
    case .throttle: return counted(call, "duration") { .throttle($0, by: $1) }
    case .audit: return counted(call, "duration") { .audit($0, by: $1) }
    case .window: return remembering(call, "duration") { .window($0, length: $1) }
    case .summary: return summary(call)
    case .hold: return remembering(call, "start value") { .hold($0, start: $1) }
    case .changes: return observation(call) { .changes($0) }
    case .updates: return observation(call) { .updates($0) }
    case .when: return observation(call) { .when($0) }
    case .integral, .integralFrom, .derivative, .delayBehavior: return continuous(operation, call)
    case .switchTo, .flatMapLatest, .flatMap, .debounceUntil, .throttleUntil, .auditUntil:
      return dynamic(operation, call)
    case .keyed, .keyedUntil, .groupBy, .groupUntil: return grouped(operation, call)
    case .each: return members(call)
    case .perform: return perform(call)
    case .listen: return listen(call)
    case .await: return awaiting(call)
    case .calls: return eventNode(.never, call)
    }
  }

  private mutating func once(_ call: ReactiveCall) -> StaticValue {
    let one = add(.int(1), .int, call.span)
    return simple(call) { .take($0, one) }
  }

  // MARK: Arguments

  mutating func eventArgument(_ call: ReactiveCall, _ index: Int) -> NodeID? {
    guard index < call.arguments.count else { return nil }
    return event(call.arguments[index])
  }

  mutating func plainArgument(_ call: ReactiveCall, _ index: Int, what: String) -> CoreExprID? {
    plain(call.arguments[index], what, of: call.name, at: call.span(index))
  }

  /// A function argument, entered at fresh parameters, for a node of this scope.
  mutating func enteredArgument(
    _ call: ReactiveCall, _ index: Int, parameters: [TypeID]
  ) -> CoreLambda? {
    guard let lambda = entered(call.arguments[index], parameters, at: call.span(index)),
      !rejectOtherPointwise(lambda.body, than: lambda.parameters, call: call)
    else { return nil }
    return lambda
  }

  /// Another function argument, of a parameter that a function has been entered at already.
  mutating func enteredArgument(_ call: ReactiveCall, _ index: Int, at parameter: LocalID) -> CoreExprID? {
    let span = call.span(index)
    let argument = StaticValue.data(add(.local(parameter), core.localTypes[parameter.index], span))
    let result = apply(call.arguments[index], [argument], at: span)
    guard let body = residual(result, at: span), !rejectOtherPointwise(body, than: [parameter], call: call) else {
      return nil
    }
    return body
  }

  private mutating func rejectOtherPointwise(_ body: CoreExprID, than bound: [LocalID], call: ReactiveCall) -> Bool {
    guard let pointwise = firstPointwise(body, bound: bound) else { return false }
    report(.memoryPointwise(operatorName: call.name, pointwise), at: call.span)
    return true
  }

  mutating func eventNode(_ op: NodeOp, _ call: ReactiveCall) -> StaticValue {
    .event(addNode(op, call.result, at: call.span))
  }

  mutating func behaviorNode(_ op: NodeOp, _ call: ReactiveCall) -> StaticValue {
    .data(read(addNode(op, call.result, at: call.span), call.span))
  }

  // MARK: Events

  private mutating func timer(_ call: ReactiveCall, _ what: String, op: (CoreExprID) -> NodeOp) -> StaticValue {
    guard let time = plainArgument(call, 0, what: what) else { return .error }
    return eventNode(op(time), call)
  }

  private mutating func functional(
    _ call: ReactiveCall, parameters: Int = 1, op: (NodeID, CoreLambda) -> NodeOp
  ) -> StaticValue {
    guard let source = eventArgument(call, 0),
      let lambda = enteredArgument(call, 1, parameters: Array(repeating: payload(source), count: parameters))
    else { return .error }
    return eventNode(op(source, lambda), call)
  }

  private mutating func partition(_ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0), let test = enteredArgument(call, 1, parameters: [payload(source)]) else {
      return .error
    }
    let type = core[source].type
    let negated = CoreLambda(test.parameters, add(.prim(.not, [test.body]), .bool, call.span))
    let yes = addNode(.filter(source, test), type, at: call.span)
    return .tuple([.event(yes), .event(addNode(.filter(source, negated), type, at: call.span))], call.result)
  }

  /// `sample(b, e)` is `map(e, _ => b)`; `gate(e, b)` is `filter(e, _ => b)`.
  private mutating func sampling(
    _ call: ReactiveCall, _ event: Int, of behavior: Int, _ op: (NodeID, CoreLambda) -> NodeOp
  ) -> StaticValue {
    guard let ticks = eventArgument(call, event),
      let value = residual(call.arguments[behavior], at: call.span(behavior))
    else { return .error }
    if rejectPointwise(value, call.name, at: call.span) { return .error }
    return eventNode(op(ticks, CoreLambda([core.addLocal("", payload(ticks))], value)), call)
  }

  private mutating func accumulation(
    _ call: ReactiveCall, _ op: (inout Elaborator, NodeID, CoreExprID, CoreLambda) -> StaticValue
  ) -> StaticValue {
    guard let source = eventArgument(call, 0), let start = plainArgument(call, 1, what: "start value"),
      let lambda = enteredArgument(call, 2, parameters: [core.type(start), payload(source)])
    else { return .error }
    return op(&self, source, start, lambda)
  }

  private mutating func combination(_ call: ReactiveCall, _ op: ([NodeID]) -> NodeOp) -> StaticValue {
    let sources = call.arguments.compactMap { event($0) }
    guard sources.count == call.arguments.count, sources.count > 1 else { return .error }
    return eventNode(op(sources), call)
  }

  private mutating func simple(_ call: ReactiveCall, _ op: (NodeID) -> NodeOp) -> StaticValue {
    guard let source = eventArgument(call, 0) else { return .error }
    return eventNode(op(source), call)
  }

  private mutating func counted(
    _ call: ReactiveCall, _ what: String, op: (NodeID, CoreExprID) -> NodeOp
  ) -> StaticValue {
    guard let source = eventArgument(call, 0), let amount = plainArgument(call, 1, what: what) else { return .error }
    return eventNode(op(source, amount), call)
  }

  // MARK: Between events and behaviors

  private mutating func remembering(
    _ call: ReactiveCall, _ what: String, op: (NodeID, CoreExprID) -> NodeOp
  ) -> StaticValue {
    guard let source = eventArgument(call, 0), let plain = plainArgument(call, 1, what: what) else { return .error }
    return behaviorNode(op(source, plain), call)
  }

  private mutating func observation(_ call: ReactiveCall, _ op: (NodeID) -> NodeOp) -> StaticValue {
    guard let watched = behavior(call.arguments[0], at: call.span, operatorName: call.name) else { return .error }
    return eventNode(op(watched), call)
  }

  private mutating func continuous(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    guard let subject = residual(call.arguments[0], at: call.span(0)) else { return .error }
    if rejectPointwise(subject, call.name, at: call.span) { return .error }
    switch operation {
    case .integral:
      let zero = add(.float(0), .float, call.span)
      return behaviorNode(.integral(rate: subject, start: zero, reset: nil), call)
    case .integralFrom:
      guard let start = plainArgument(call, 1, what: "start value"), let resets = eventArgument(call, 2) else {
        return .error
      }
      let isNever = if case .never = core[resets].op { true } else { false }
      return behaviorNode(.integral(rate: subject, start: start, reset: isNever ? nil : resets), call)
    case .derivative:
      let node = addNode(.lift(subject), .float, at: call.span)
      draft.pendingDerivatives.append((node, subject))
      return .data(read(node, call.span))
    default:
      guard let by = plainArgument(call, 1, what: "duration") else { return .error }
      let node = lift(subject, call.span)
      return behaviorNode(.delayBehavior(node, by: by), call)
    }
  }

  // MARK: Scopes

  /// Makes a scope and evaluates `function` in it; `arguments` are made inside.
  private mutating func makeScope(
    _ function: StaticValue, parameters: [TypeID], at span: Span,
    _ inner: (inout Elaborator, ScopeID) -> [StaticValue]
  ) -> (scope: ScopeID, result: StaticValue) {
    let scope = ScopeID(core.scopes.count)
    core.scopes.append(CoreScope(parent: context.scope, parameters: []))
    let outer = context
    defer { context = outer }
    context.scope = scope
    var arguments: [StaticValue] = []
    for type in parameters {
      let local = core.addLocal("", type, scope: scope)
      core.scopes[scope.index].parameters.append(local)
      arguments.append(.data(add(.local(local), type, span)))
    }
    nameParameters(function, core.scopes[scope.index].parameters)
    let made = inner(&self, scope)
    for (name, value) in zip(parameterNames(of: function).dropFirst(arguments.count), made) {
      if case .data(let expr) = value, case .read(let node) = core[expr] { parameterNames[node] = name }
    }
    arguments += made
    return (scope, apply(function, arguments, at: span))
  }

  /// Gives a scope its one result; false where that was reported.
  private mutating func setResult(
    _ made: (scope: ScopeID, result: StaticValue), isEvent: Bool, at span: Span
  ) -> Bool {
    let outer = context
    defer { context = outer }
    context.scope = made.scope
    let node = isEvent ? event(made.result) : behavior(made.result, at: span)
    guard let node else { return false }
    core.scopes[made.scope.index].results = [node]
    return true
  }

  /// Gives a group its result and the event with which it ends, which are a pair.
  private mutating func setResults(
    _ made: (scope: ScopeID, result: StaticValue), isEvent: Bool, at span: Span
  ) -> Bool {
    let outer = context
    defer { context = outer }
    context.scope = made.scope
    let pair = parts(of: made.result, count: 2, at: span)
    guard setResult((made.scope, pair[0]), isEvent: isEvent, at: span), let over = event(pair[1]) else { return false }
    core.scopes[made.scope.index].results.append(over)
    return true
  }

  private mutating func dynamic(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0) else { return .error }
    let isSwitch = operation == .switchTo
    let function = call.arguments[isSwitch ? 2 : 1]
    let span = call.span(isSwitch ? 2 : 1)
    if isSwitch, holdsEvents(call.result) { return openSwitch(source, call) }
    let made = makeScope(function, parameters: [payload(source)], at: span) { _, _ in [] }
    guard setResult(made, isEvent: !isSwitch, at: span) else { return .error }
    switch operation {
    case .flatMap: return eventNode(.flatMap(source, made.scope), call)
    case .flatMapLatest: return eventNode(.flatMapLatest(source, made.scope), call)
    case .debounceUntil: return eventNode(.debounceUntil(source, made.scope), call)
    case .throttleUntil: return eventNode(.throttleUntil(source, made.scope), call)
    case .auditUntil: return eventNode(.auditUntil(source, made.scope), call)
    default: break
    }
    guard let first = residual(call.arguments[1], at: call.span(1)) else { return .error }
    if rejectPointwise(first, call.name, at: call.span) { return .error }
    return behaviorNode(.switchTo(source, first: first, made.scope), call)
  }

  /// A `switch` between records of behaviors and events: every leaf is read for itself, from one instance of the scope.
  private mutating func openSwitch(_ source: NodeID, _ call: ReactiveCall) -> StaticValue {
    let outer = context
    defer { context = outer }
    let first = ScopeID(core.scopes.count)
    core.scopes.append(CoreScope(parent: outer.scope, parameters: []))
    context.scope = first
    guard let begun = leaves(call.arguments[1], call.result, at: call.span(1)) else { return .error }
    core.scopes[first.index].results = begun
    context = outer
    let made = makeScope(call.arguments[2], parameters: [payload(source)], at: call.span(2)) { _, _ in [] }
    context.scope = made.scope
    guard let turned = leaves(made.result, call.result, at: call.span(2)) else { return .error }
    core.scopes[made.scope.index].results = turned
    context = outer
    let node = addNode(.switchOpen(source, first: first, made.scope), .unit, at: call.span)
    var index = 0
    return chosen(node, call.result, index: &index, at: call.span)
  }

  /// The leaves of a record of behaviors and events as nodes of this scope: what lies outside is passed on.
  private mutating func leaves(_ value: StaticValue, _ type: TypeID, at span: Span) -> [NodeID]? {
    var nodes: [NodeID] = []
    guard flatten(value, type, nodes: &nodes, at: span) else { return nil }
    return nodes.map { node in
      if core[node].scope == context.scope { return node }
      if case .event = core.types[core[node].type] { return addNode(.merge([node]), core[node].type, at: span) }
      return addNode(.lift(read(node, span)), core[node].type, at: span)
    }
  }

  private mutating func grouped(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0), let key = enteredArgument(call, 1, parameters: [payload(source)]) else {
      return .error
    }
    let type = core[source].type
    let made = makeScope(call.arguments[2], parameters: [core.type(key.body)], at: call.span(2)) { elaborator, _ in
      [.event(elaborator.addNode(.group, type, at: call.span))]
    }
    let isEvent = operation == .keyed || operation == .keyedUntil
    guard
      operation == .keyed || operation == .groupBy
        ? setResult(made, isEvent: isEvent, at: call.span(2)) : setResults(made, isEvent: isEvent, at: call.span(2))
    else { return .error }
    return isEvent
      ? eventNode(.keyed(source, key: key, made.scope), call)
      : behaviorNode(.groupBy(source, key: key, made.scope), call)
  }

  private mutating func members(_ call: ReactiveCall) -> StaticValue {
    guard let list = residual(call.arguments[0], at: call.span(0)),
      case .list(let element) = core.types[core.type(list)]
    else { return .error }
    if rejectPointwise(list, call.name, at: call.span) { return .error }
    guard let key = enteredArgument(call, 1, parameters: [element]) else { return .error }
    let made = makeScope(call.arguments[2], parameters: [], at: call.span(2)) { elaborator, _ in
      let member = elaborator.addNode(.member, element, at: call.span)
      return [.data(elaborator.read(member, call.span))]
    }
    guard setResult(made, isEvent: false, at: call.span(2)) else { return .error }
    return behaviorNode(.each(list, key: key, made.scope), call)
  }

  private mutating func perform(_ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0), let policy = plainArgument(call, 1, what: "policy"),
      let lambda = enteredArgument(call, 2, parameters: [payload(source)]),
      case .record(let fields) = core.types[call.result],
      let results = fields.first(where: { $0.name == "results" })?.type
    else { return .error }
    let node = addNode(.perform(source, policy: policy, lambda), results, at: call.span)
    let busy = addNode(.busy(node), .bool, at: call.span)
    return .record(
      [("busy", .data(read(busy, call.span))), ("results", .event(node))], call.result)
  }

  private mutating func listen(_ call: ReactiveCall) -> StaticValue {
    guard let event = eventArgument(call, 0), let policy = plainArgument(call, 1, what: "policy"),
      let lambda = enteredArgument(call, 2, parameters: [payload(event)]),
      case .record(let fields) = core.types[call.result],
      let ends = fields.first(where: { $0.name == "ends" })?.type,
      let items = fields.first(where: { $0.name == "items" })?.type,
      let link = fields.first(where: { $0.name == "state" })?.type
    else { return .error }
    let node = addNode(.perform(event, policy: policy, lambda), ends, at: call.span)
    let state = addNode(.link(node), link, at: call.span)
    return .record(
      [
        ("ends", .event(node)), ("items", .event(addNode(.items(node), items, at: call.span))),
        ("state", .data(read(state, call.span))),
      ], call.result)
  }

  /// The event's task; where it ends with some occurrences only, that with a condition.
  private mutating func awaiting(_ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0) else { return .error }
    let task = read(addNode(.awaited(source), call.result, at: call.span), call.span)
    if call.arguments.count == 1 { return .data(task) }
    guard let condition = residual(call.arguments[1], at: call.span(1)) else { return .error }
    return .data(add(.prim(.taskAwaitWhere, [task, condition]), call.result, call.span))
  }
}
