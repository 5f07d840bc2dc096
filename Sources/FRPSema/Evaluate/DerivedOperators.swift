// Operators that are others put together, by their equations in the table of built-ins.

import FRPCore
import FRPPasses

extension Elaborator {
  /// `count(e)` is `fold(e, 0, (n, _) => n + 1)`.
  mutating func count(_ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0) else { return .error }
    let state = core.addLocal("n", .int)
    let one = add(.int(1), .int, call.span)
    let next = add(.prim(.add, [add(.local(state), .int, call.span), one]), .int, call.span)
    let lambda = CoreLambda([state, core.addLocal("", payload(source))], next)
    return behaviorNode(.fold(source, start: add(.int(0), .int, call.span), lambda), call)
  }

  /// `indexed(e)` is `mapAccum(e, 0, (n, a) => (n + 1, (n, a)))`.
  mutating func indexed(_ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0) else { return .error }
    let (n, a) = (core.addLocal("n", .int), core.addLocal("a", payload(source)))
    let number = add(.local(n), .int, call.span)
    let next = add(.prim(.add, [number, add(.int(1), .int, call.span)]), .int, call.span)
    let numbered = tuple([number, add(.local(a), payload(source), call.span)], call)
    let step = CoreLambda([n, a], tuple([next, numbered], call))
    return eventNode(.mapAccum(source, start: add(.int(0), .int, call.span), step), call)
  }

  /// `unique(e, key)` keeps the keys that came: those of a map to nothing.
  mutating func unique(_ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0), let key = enteredArgument(call, 1, parameters: [payload(source)]) else {
      return .error
    }
    let keys = core.types.intern(.map(core.type(key.body), .unit))
    let option = core.types.option(payload(source))
    let (seen, a) = (core.addLocal("seen", keys), key.parameters[0])
    let before = add(.local(seen), keys, call.span)
    let k = core.addLocal("", core.type(key.body), isLazy: true)
    let itsKey = add(.local(k), core.type(key.body), call.span)
    let first = add(.construct(tag: 1, [add(.local(a), payload(source), call.span)]), option, call.span)
    let none = add(.construct(tag: 0, []), option, call.span)
    let with = add(.prim(.mapSet, [before, itsKey, add(.unit, .unit, call.span)]), keys, call.span)
    let (old, new) = (tuple([before, none], call), tuple([with, first], call))
    let known = add(.prim(.mapContains, [before, itsKey]), .bool, call.span)
    let step = add(.conditional(known, then: old, otherwise: new), core.type(old), call.span)
    let body = add(.suspend([(k, key.body)], step), core.type(old), call.span)
    let empty = add(.prim(.mapEmpty, []), keys, call.span)
    let marked = addNode(
      .mapAccum(source, start: empty, CoreLambda([seen, a], body)), core.types.event(option), at: call.span)
    let same = core.addLocal("", option)
    return eventNode(.filterMap(marked, CoreLambda([same], add(.local(same), option, call.span))), call)
  }

  /// `countBy(e, key)` is a fold over a map to which `key(a)` adds 1; `sumBy` adds `value(a)`.
  mutating func totals(_ operation: ReactiveOperator, _ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0), let key = enteredArgument(call, 1, parameters: [payload(source)]) else {
      return .error
    }
    var amount = add(.int(1), .int, call.span)
    if operation == .sumBy {
      guard let value = enteredArgument(call, 2, at: key.parameters[0]) else { return .error }
      amount = value
    }
    let type = core.type(amount)
    let map = core.types.intern(.map(core.type(key.body), type))
    let state = core.addLocal("totals", map)
    // A sum begins with 0.0, which -0.0 is not.
    if type == .float { amount = add(.prim(.add, [add(.float(0), .float, call.span), amount]), type, call.span) }
    let before = add(.local(state), map, call.span)
    let body = add(.prim(.mapAdd, [before, key.body, amount]), map, call.span)
    let empty = add(.prim(.mapEmpty, []), map, call.span)
    return behaviorNode(.fold(source, start: empty, CoreLambda([state, key.parameters[0]], body)), call)
  }

  /// `zip(a, b, c)` is `zip(zip(a, b), c) |> map(((a, b), c) => (a, b, c))`.
  mutating func zipped(_ call: ReactiveCall) -> StaticValue {
    let sources = call.arguments.compactMap { event($0) }
    guard sources.count == call.arguments.count, sources.count > 1 else { return .error }
    if sources.count == 2 { return eventNode(.zip(sources[0], sources[1]), call) }
    var zipped = sources[0]
    var types = [payload(sources[0])]
    for next in sources.dropFirst() {
      let pair = core.types.intern(.tuple([payload(zipped), payload(next)]))
      zipped = addNode(.zip(zipped, next), core.types.event(pair), at: call.span)
      types.append(payload(next))
    }
    let nested = core.addLocal("", payload(zipped))
    var rest = add(.local(nested), payload(zipped), call.span)
    var fields: [CoreExprID] = []
    for place in types.indices.dropFirst().reversed() {
      fields.insert(add(.field(rest, index: 1, tag: 0), types[place], call.span), at: 0)
      guard case .tuple(let parts) = core.types[core.type(rest)] else { return .error }
      rest = add(.field(rest, index: 0, tag: 0), parts[0], call.span)
    }
    return eventNode(.map(zipped, CoreLambda([nested], tuple([rest] + fields, call))), call)
  }

  /// A `buffer` with a step has both numbers as one pair.
  mutating func sliding(_ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0), let count = plainArgument(call, 1, what: "count"),
      let step = plainArgument(call, 2, what: "step")
    else { return .error }
    return eventNode(.bufferEvery(source, tuple([count, step], call)), call)
  }

  /// `summary(e, d, f, join)` joins what `e |> map(f)` has in the window.
  mutating func summary(_ call: ReactiveCall) -> StaticValue {
    guard let source = eventArgument(call, 0), let length = plainArgument(call, 1, what: "duration"),
      let f = enteredArgument(call, 2, parameters: [payload(source)])
    else { return .error }
    let part = core.type(f.body)
    guard let join = enteredArgument(call, 3, parameters: [part, part]) else { return .error }
    let parts = addNode(.map(source, f), core.types.event(part), at: call.span)
    return behaviorNode(.summary(parts, length: length, join), call)
  }

  private mutating func tuple(_ parts: [CoreExprID], _ call: ReactiveCall) -> CoreExprID {
    add(.construct(tag: 0, parts), core.types.intern(.tuple(parts.map { core.type($0) })), call.span)
  }
}
