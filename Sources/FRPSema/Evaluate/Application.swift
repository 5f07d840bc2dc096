// Applying functions (rule 2): a call is the function's body with the arguments put in. A point-wise function that
// calls itself, or is large, becomes a function of the core instead; nobody can tell the difference.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

/// What is being put in, to notice recursion.
struct InlineKey: Hashable {
  var item: Int32
  var isLambda: Bool
}

/// How deep a function stands in itself, and how often it was put in at all.
struct Inlining {
  var depth = 0
  var total = 0

  mutating func enter() {
    depth += 1
    total += 1
  }
}

/// Functions whose bodies are put in at their calls.
struct Unfolding {
  /// Those that are being put in, to notice recursion.
  var running: [InlineKey: Inlining] = [:]
  var depth = 0
  /// The calls whose bodies are being put in, outermost first, for messages.
  var calls: [(name: String, span: Span)] = []
  /// Bodies above this many tree nodes are called, not put in, where there is a choice.
  var sizeLimit = 600
  /// Sizes of bodies in tree nodes, for that choice.
  var sizes: [ExprID: Int] = [:]
  /// Functions that turned out long when they were put in.
  var long: Set<ItemID> = []
  /// Functions that were put in or made, so that the others can be checked by themselves.
  var visited: Set<ItemID> = []
}

extension Elaborator {
  /// How often a function with memory may be put into itself before it is taken to be endless.
  static let unrollingLimit = 256
  /// Above this many core expressions in all, whatever can be called is.
  static let inlineBudget = 1_000_000
  /// A function whose body, with all that it puts in, was longer than this is called from then on: what calls itself
  /// twice a level would double at every level.
  static let expansionLimit = 2_000

  mutating func apply(
    _ function: StaticValue, _ arguments: [StaticValue], at span: Span, argumentSpans: [Span] = []
  ) -> StaticValue {
    switch function {
    case .error: return .error
    case .data(let callee): return applyData(callee, arguments, at: span)
    case .closure(let closure): return apply(closure, arguments, at: span, argumentSpans)
    default: return .error
    }
  }

  private mutating func applyData(
    _ callee: CoreExprID, _ arguments: [StaticValue], at span: Span
  ) -> StaticValue {
    guard case .function(_, let result) = core.types[core.type(callee)],
      let values = residualAll(arguments, at: span)
    else { return .error }
    if case .lambda(let lambda) = core[callee], lambda.parameters.isEmpty { return .data(lambda.body) }
    return .data(add(.apply(callee, values), result, span))
  }

  mutating func residualAll(
    _ values: [StaticValue], at span: Span, standing places: [Span] = []
  ) -> [CoreExprID]? {
    var result: [CoreExprID] = []
    for (index, value) in values.enumerated() {
      let place = index < places.count ? places[index] : span
      guard let expr = residual(value, at: span, standing: place) else { return nil }
      result.append(expr)
    }
    return result
  }

  private mutating func apply(
    _ closure: Closure, _ arguments: [StaticValue], at span: Span, _ argumentSpans: [Span]
  ) -> StaticValue {
    // A choice of choices of functions doubles at every level, and evaluates nothing on the way.
    if !budget.spend() { return .error }
    switch closure.kind {
    case .lambda(let id, let parameters, let body):
      let values =
        closure.takesTuple ? parts(of: arguments.first ?? .error, count: parameters.count, at: span) : arguments
      return putIn(
        InlineKey(item: id.raw, isLambda: true), parameters, body: body, arguments: values, env: closure.env, at: span)
    case .function(let item): return applyFunction(item, closure, arguments: arguments, at: span)
    case .builtin(let rows):
      return applyBuiltin(rows, closure, arguments: arguments, at: span, argumentSpans: argumentSpans)
    case .operation(let operation):
      guard arguments.count == 2, case .function(_, let result) = core.types[closure.type] else { return .error }
      return binary(operation, arguments[0], right: arguments[1], type: result, at: span)
    case .field(let name): return field(arguments.first ?? .error, name, at: span)
    case .constructor(_, let tag):
      guard case .function(_, let result) = core.types[closure.type] else { return .error }
      return construct(tag, arguments, type: result, at: span)
    case .either(let test, let a, let b):
      guard case .function(_, let result) = core.types[closure.type] else { return .error }
      let first = apply(a, arguments, at: span)
      let joined = join(test, first, apply(b, arguments, at: span), result, span)
      if case .data(let expr) = joined { draft.closedGuards[expr] = guardedParts(of: expr) }
      return joined
    }
  }

  private func guardedParts(of root: CoreExprID) -> Set<CoreExprID> {
    var guarded: Set<CoreExprID> = []
    draft.visit(root, among: { facts($0).mayBePointwise || facts($0).isGuarded }) { expr in
      if facts(expr).isGuarded { guarded.insert(expr) }
      return .enter
    }
    return guarded
  }

  /// The elements of a tuple that a pattern or a function of several parameters takes apart.
  mutating func parts(of value: StaticValue, count: Int, at span: Span) -> [StaticValue] {
    switch value {
    case .tuple(let elements, _): return elements
    case .data(let expr):
      guard case .tuple(let types) = core.types[core.type(expr)] else { return [] }
      return types.enumerated().map { .data(part(expr, index: $0.offset, tag: 0, $0.element, span)) }
    default: return Array(repeating: .error, count: count)
    }
  }

  mutating func construct(
    _ tag: Int, _ arguments: [StaticValue], type: TypeID, at span: Span
  ) -> StaticValue {
    if mustStayOpen(anyOf: arguments) { return .variant(tag: tag, arguments, type) }
    guard let values = residualAll(arguments, at: span) else { return .error }
    return .data(add(.construct(tag: tag, values), type, span))
  }

  // MARK: Defined functions

  private mutating func applyFunction(
    _ item: ItemID, _ closure: Closure, arguments: [StaticValue], at span: Span
  ) -> StaticValue {
    guard case .definition(let definition) = program.tree[item],
      case .function(let name, let parameters) = definition.binder
    else { return .error }
    unfolding.visited.insert(item)
    let key = InlineKey(item: item.raw, isLambda: false)
    let mustPutIn = isReactive(item, in: closure.env) || mustStayOpen(anyOf: arguments)
    let isRecursive = unfolding.running[key].map { $0.depth > 0 } ?? false
    if mustPutIn {
      if unfolding.running[key]?.depth ?? 0 >= Self.unrollingLimit {
        report(.endlessUnrolling(name.text), at: span)
        // The other branches of what has no end have none either.
        isGivenUp = true
        return .error
      }
    } else if isRecursive || unfolding.long.contains(item) || bodySize(definition.body) > unfolding.sizeLimit
      || core.exprs.count > Self.inlineBudget || unfolding.depth > 400
    {
      return callInstance(
        item, name.text, closure: closure, parameters: parameters, body: definition.body, arguments: arguments, at: span
      )
    }
    unfolding.calls.append((name.text, span))
    defer { unfolding.calls.removeLast() }
    let before = core.exprs.count - functions.expressions
    let result = putIn(
      key, parameters.map(\.pattern), body: definition.body, arguments: arguments, env: closure.env, at: span)
    if core.exprs.count - functions.expressions - before > Self.expansionLimit { unfolding.long.insert(item) }
    return result
  }

  private mutating func putIn(
    _ key: InlineKey, _ parameters: [PatternID], body: ExprID, arguments: [StaticValue], env: Env, at span: Span
  ) -> StaticValue {
    guard parameters.count == arguments.count else { return .error }
    if unfolding.depth > 3000 {
      report(.endlessUnrolling(context.definition), at: span)
      isGivenUp = true
      return .error
    }
    let inner = Env(parent: env)
    for (pattern, value) in zip(parameters, arguments) { bind(pattern, to: value, in: inner, guarded: false) }
    unfolding.running[key, default: Inlining()].enter()
    unfolding.depth += 1
    let result = evaluate(body, inner)
    unfolding.depth -= 1
    unfolding.running[key]?.depth -= 1
    return result
  }

  private mutating func bodySize(_ body: ExprID) -> Int {
    if let known = unfolding.sizes[body] { return known }
    var size = 0
    let limit = unfolding.sizeLimit
    program.tree.walk(body) { _ in
      size += 1
      return size <= limit
    }
    unfolding.sizes[body] = size
    return size
  }

  /// Whether calling the function may make nodes.
  func isReactive(_ closure: Closure) -> Bool { isReactive(closure, depth: 0) }

  /// Remembered with the closure: its environment binds other closures, and so on, which many may share.
  func isReactive(_ closure: Closure, depth: Int) -> Bool {
    if let known = closure.isReactive { return known }
    let answer = depth > 100 || mayMakeNodes(closure, depth)
    closure.isReactive = answer
    return answer
  }

  private func mayMakeNodes(_ closure: Closure, _ depth: Int) -> Bool {
    switch closure.kind {
    case .function(let item): return isReactive(item, in: closure.env)
    case .builtin(let rows):
      guard case .function(let parameters, _) = core.types[closure.type] else {
        return isReactive(rows, firstArgument: nil)
      }
      return isReactive(rows, firstArgument: parameters.first.map { core.types[$0] })
    case .operation, .field, .constructor: return false
    case .either(_, let a, let b):
      return [a, b].contains { if case .closure(let inner) = $0 { isReactive(inner, depth: depth + 1) } else { false } }
    case .lambda(_, _, let body): return isReactive(body, in: closure.env, depth: depth)
    }
  }

  // MARK: Built-ins

  private mutating func applyBuiltin(
    _ rows: [Int], _ closure: Closure, arguments: [StaticValue], at span: Span, argumentSpans: [Span]
  ) -> StaticValue {
    guard case .function(let parameters, let result) = core.types[closure.type] else { return .error }
    let first = parameters.first.map { core.types[$0] } ?? .unit
    guard let row = rows.count == 1 ? rows[0] : chooseRow(rows, firstArgument: first) else { return .error }
    if arguments.contains(where: { if case .error = $0 { true } else { false } }) { return .error }
    let arguments = rows.count == 1 ? arguments : takingApart(arguments, row)
    switch Builtins.all[row].operation {
    case .reactive(let operation):
      let call = ReactiveCall(
        name: Builtins.all[row].name, arguments: arguments, parameters: parameters, result: result, span: span,
        argumentSpans: argumentSpans)
      return applyReactive(operation, call)
    case .data(let prim):
      if prim == .attempt { return attempt(arguments, result, at: span) }
      if let open = applyToOpen(prim, arguments, type: result, at: span) { return open }
      guard let values = residualAll(arguments, at: span, standing: argumentSpans) else { return .error }
      // The host's own text says nothing: what went wrong did so where it was called.
      let place = prim == .hostCall ? unfolding.calls.last?.span ?? span : span
      return .data(add(.prim(prim, values), result, place))
    }
  }

  /// The argument is handed on as a function of nothing, which computes it where a fault of it is caught.
  private mutating func attempt(_ arguments: [StaticValue], _ type: TypeID, at span: Span) -> StaticValue {
    guard let values = residualAll(arguments, at: span), let value = values.first else { return .error }
    let content = core.type(value)
    let computed = core.addLocal("", content, isLazy: true)
    let body = CoreLambda([core.addLocal("", .unit)], add(.local(computed), content, span))
    let function = add(.lambda(body), core.types.intern(.function([.unit], content)), span)
    return .data(
      draft.wrapped(add(.prim(.attempt, [function]), type, span), in: [(computed, value)], type: type, at: span))
  }

  /// Where the row was open until now, a lambda of several parameters takes a tuple apart if the row wants a function of
  /// one (see `TypedProgram.tupleLambdas`).
  private mutating func takingApart(_ arguments: [StaticValue], _ row: Int) -> [StaticValue] {
    guard let wanted = Signature.all[row].parameters(forCount: arguments.count) else { return arguments }
    return zip(arguments, wanted).map { argument, parameter in
      guard case .closure(let closure) = argument, case .lambda(_, let patterns, _) = closure.kind, patterns.count > 1,
        !closure.takesTuple, case .function(let one, _) = parameter.type, one.count == 1,
        case .function(let types, let result) = core.types[closure.type]
      else { return argument }
      let tuple = core.types.intern(.tuple(types))
      let type = core.types.intern(.function([tuple], result))
      return .closure(Closure(closure.kind, env: closure.env, type: type, span: closure.span, takesTuple: true))
    }
  }
}
