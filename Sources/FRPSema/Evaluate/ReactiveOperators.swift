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
    case .every, .after: return source(operation, call)
    case .map, .filter, .filterMap, .takeWhile, .dropWhile, .coalesce, .partition: return functional(operation, call)
    case .sample, .gate: return sampling(operation, call)
    case .scan, .fold, .count: return accumulation(operation, call)
    case .merge, .takeUntil, .dropUntil, .zip, .batch: return combination(operation, call)
    case .once, .distinct, .pairwise, .spill: return simple(operation, call)
    case .take, .drop, .buffer, .delay, .debounce, .throttle, .audit, .window: return counted(operation, call)
    case .hold: return hold(call)
    case .changes, .when: return observation(operation, call)
    case .integral, .integralFrom, .derivative, .delayBehavior: return continuous(operation, call)
    case .switchTo, .flatMapLatest, .flatMap: return dynamic(operation, call)
    case .keyed, .groupBy: return grouped(operation, call)
    case .each: return members(call)
    case .perform: return perform(call)
    }
  }

  // MARK: Arguments

  private mutating func eventArgument(_ call: ReactiveCall, _ index: Int) -> NodeID? {
    guard index < call.arguments.count else { return nil }
    return event(call.arguments[index])
  }

  private mutating func plainArgument(_ call: ReactiveCall, _ index: Int, _ what: String) -> CoreExprID? {
    plain(call.arguments[index], what, of: call.name, at: call.span(index))
  }

  /// A function argument, entered at fresh parameters, for a node of this scope.
  private mutating func enteredArgument(
    _ call: ReactiveCall, _ index: Int, _ parameters: [TypeID]
  ) -> CoreLambda? {
    guard let lambda = entered(call.arguments[index], parameters, at: call.span(index)) else { return nil }
    if let pointwise = firstPointwise(lambda.body, bound: lambda.parameters) {
      report(.memoryPointwise(operatorName: call.name, pointwise), at: call.span)
      return nil
    }
    return lambda
  }

  private mutating func eventNode(_ op: NodeOp, _ call: ReactiveCall) -> StaticValue {
    .event(addNode(op, call.result, call.span))
  }

  private mutating func behaviorNode(_ op: NodeOp, _ call: ReactiveCall) -> StaticValue {
    .data(read(addNode(op, call.result, call.span), call.span))
  }

  // MARK: Events

  private mutating func source(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    let what = operation == .every ? "period" : "delay"
    guard let time = plainArgument(call, 0, what) else { return .error }
    return eventNode(operation == .every ? .every(time) : .after(time), call)
  }

  private mutating func functional(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0) else { return .error }
    let item = payload(source)
    let parameters = operation == .coalesce ? [item, item] : [item]
    guard let lambda = enteredArgument(call, 1, parameters) else { return .error }
    switch operation {
    case .map: return eventNode(.map(source, lambda), call)
    case .filter: return eventNode(.filter(source, lambda), call)
    case .filterMap: return eventNode(.filterMap(source, lambda), call)
    case .takeWhile: return eventNode(.takeWhile(source, lambda), call)
    case .dropWhile: return eventNode(.dropWhile(source, lambda), call)
    case .coalesce: return eventNode(.coalesce(source, lambda), call)
    default:
      let type = core[source].type
      let negated = CoreLambda(lambda.parameters, add(.prim(.not, [lambda.body]), .bool, call.span))
      let yes = addNode(.filter(source, lambda), type, call.span)
      return .tuple([.event(yes), .event(addNode(.filter(source, negated), type, call.span))], call.result)
    }
  }

  /// `sample(b, e)` is `map(e, _ => b)`; `gate(e, b)` is `filter(e, _ => b)`.
  private mutating func sampling(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    let isGate = operation == .gate
    guard let ticks = eventArgument(call, isGate ? 0 : 1),
      let value = residual(call.arguments[isGate ? 1 : 0], at: call.span(isGate ? 1 : 0))
    else { return .error }
    if rejectPointwise(value, call.name, at: call.span) { return .error }
    let lambda = CoreLambda([core.addLocal("", payload(ticks))], value)
    return eventNode(isGate ? .filter(ticks, lambda) : .map(ticks, lambda), call)
  }

  private mutating func accumulation(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0) else { return .error }
    if operation == .count {
      let state = core.addLocal("n", .int)
      let one = add(.int(1), .int, call.span)
      let next = add(.prim(.add, [add(.local(state), .int, call.span), one]), .int, call.span)
      let lambda = CoreLambda([state, core.addLocal("", payload(source))], next)
      return behaviorNode(.fold(source, start: add(.int(0), .int, call.span), lambda), call)
    }
    guard let start = plainArgument(call, 1, "start value"),
      let lambda = enteredArgument(call, 2, [core.type(start), payload(source)])
    else { return .error }
    return operation == .scan
      ? eventNode(.scan(source, start: start, lambda), call)
      : behaviorNode(.fold(source, start: start, lambda), call)
  }

  private mutating func combination(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    let sources = call.arguments.compactMap { event($0) }
    guard sources.count == call.arguments.count, sources.count > 1 else { return .error }
    switch operation {
    case .takeUntil: return eventNode(.takeUntil(sources[0], sources[1]), call)
    case .dropUntil: return eventNode(.dropUntil(sources[0], sources[1]), call)
    case .zip: return eventNode(.zip(sources[0], sources[1]), call)
    case .batch: return eventNode(.batch(sources[0], ticks: sources[1]), call)
    default: return eventNode(.merge(sources), call)
    }
  }

  private mutating func simple(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0) else { return .error }
    switch operation {
    case .once: return eventNode(.take(source, add(.int(1), .int, call.span)), call)
    case .distinct: return eventNode(.distinct(source), call)
    case .pairwise: return eventNode(.pairwise(source), call)
    default: return eventNode(.spill(source), call)
    }
  }

  private mutating func counted(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    let what: String
    switch operation {
    case .take, .drop, .buffer: what = "count"
    default: what = "duration"
    }
    guard let source = eventArgument(call, 0), let amount = plainArgument(call, 1, what) else { return .error }
    switch operation {
    case .take: return eventNode(.take(source, amount), call)
    case .drop: return eventNode(.drop(source, amount), call)
    case .buffer: return eventNode(.buffer(source, amount), call)
    case .delay: return eventNode(.delay(source, by: amount), call)
    case .debounce: return eventNode(.debounce(source, by: amount), call)
    case .throttle: return eventNode(.throttle(source, by: amount), call)
    case .audit: return eventNode(.audit(source, by: amount), call)
    default: return behaviorNode(.window(source, length: amount), call)
    }
  }

  // MARK: Between events and behaviors

  private mutating func hold(_ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0), let start = plainArgument(call, 1, "start value") else { return .error }
    return behaviorNode(.hold(source, start: start), call)
  }

  private mutating func observation(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    guard let watched = behavior(call.arguments[0], at: call.span, operatorName: call.name) else { return .error }
    return eventNode(operation == .changes ? .changes(watched) : .when(watched), call)
  }

  private mutating func continuous(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    guard let subject = residual(call.arguments[0], at: call.span(0)) else { return .error }
    if rejectPointwise(subject, call.name, at: call.span) { return .error }
    switch operation {
    case .integral:
      let zero = add(.float(0), .float, call.span)
      return behaviorNode(.integral(rate: subject, start: zero, reset: nil), call)
    case .integralFrom:
      guard let start = plainArgument(call, 1, "start value"), let resets = eventArgument(call, 2) else {
        return .error
      }
      let isNever = if case .never = core[resets].op { true } else { false }
      return behaviorNode(.integral(rate: subject, start: start, reset: isNever ? nil : resets), call)
    case .derivative:
      let node = addNode(.lift(subject), .float, call.span)
      draft.pendingDerivatives.append((node, subject))
      return .data(read(node, call.span))
    default:
      guard let by = plainArgument(call, 1, "duration") else { return .error }
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

  private mutating func dynamic(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0) else { return .error }
    let isSwitch = operation == .switchTo
    let function = call.arguments[isSwitch ? 2 : 1]
    let span = call.span(isSwitch ? 2 : 1)
    if isSwitch, holdsEvents(call.result) { return openSwitch(source, call) }
    let made = makeScope(function, parameters: [payload(source)], at: span) { _, _ in [] }
    guard setResult(made, isEvent: !isSwitch, at: span) else { return .error }
    if operation == .flatMap { return eventNode(.flatMap(source, made.scope), call) }
    if operation == .flatMapLatest { return eventNode(.flatMapLatest(source, made.scope), call) }
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
    let node = addNode(.switchOpen(source, first: first, made.scope), .unit, call.span)
    var index = 0
    return chosen(node, call.result, &index, call.span)
  }

  /// The leaves of a record of behaviors and events as nodes of this scope: what lies outside is passed on.
  private mutating func leaves(_ value: StaticValue, _ type: TypeID, at span: Span) -> [NodeID]? {
    var nodes: [NodeID] = []
    guard flatten(value, type, &nodes, span) else { return nil }
    return nodes.map { node in
      if core[node].scope == context.scope { return node }
      if case .event = core.types[core[node].type] { return addNode(.merge([node]), core[node].type, span) }
      return addNode(.lift(read(node, span)), core[node].type, span)
    }
  }

  private mutating func grouped(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0), let key = enteredArgument(call, 1, [payload(source)]) else {
      return .error
    }
    let type = core[source].type
    let made = makeScope(call.arguments[2], parameters: [core.type(key.body)], at: call.span(2)) { elaborator, _ in
      [.event(elaborator.addNode(.group, type, call.span))]
    }
    guard setResult(made, isEvent: operation == .keyed, at: call.span(2)) else { return .error }
    return operation == .keyed
      ? eventNode(.keyed(source, key: key, made.scope), call)
      : behaviorNode(.groupBy(source, key: key, made.scope), call)
  }

  private mutating func members(_ call: ReactiveCall) -> StaticValue {
    guard let list = residual(call.arguments[0], at: call.span(0)),
      case .list(let element) = core.types[core.type(list)]
    else { return .error }
    if rejectPointwise(list, call.name, at: call.span) { return .error }
    guard let key = enteredArgument(call, 1, [element]) else { return .error }
    let made = makeScope(call.arguments[2], parameters: [], at: call.span(2)) { elaborator, _ in
      let member = elaborator.addNode(.member, element, call.span)
      return [.data(elaborator.read(member, call.span))]
    }
    guard setResult(made, isEvent: false, at: call.span(2)) else { return .error }
    return behaviorNode(.each(list, key: key, made.scope), call)
  }

  private mutating func perform(_ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0), let policy = plainArgument(call, 1, "policy"),
      let lambda = enteredArgument(call, 2, [payload(source)]),
      case .record(let fields) = core.types[call.result],
      let results = fields.first(where: { $0.name == "results" })?.type
    else { return .error }
    let node = addNode(.perform(source, policy: policy, lambda), results, call.span)
    let busy = addNode(.busy(node), .bool, call.span)
    return .record(
      [("busy", .data(read(busy, call.span))), ("results", .event(node))], call.result)
  }
}
