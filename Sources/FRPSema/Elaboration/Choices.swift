// `if` and what is joined by a test. A test that is known here leaves one branch; else both are elaborated and joined, an
// expression where they are data, part by part where they are open.

import FRPBase
import FRPCore
import FRPSyntax

extension Elaborator {
  mutating func evaluateConditional(
    _ condition: ExprID, _ then: ExprID, _ otherwise: ExprID, _ id: ExprID, _ env: Env
  ) -> StaticValue {
    guard let test = residual(evaluate(condition, env), at: program.tree.span(condition)) else { return .error }
    if case .bool(let known) = core[test] { return evaluate(known ? then : otherwise, env) }
    let first = evaluate(then, env)
    let second = evaluate(otherwise, env)
    return join(test, first, second, monomorph(type(of: id), env), program.tree.span(id))
  }

  /// `if test then a else b` on static values: part by part where both are open, an expression where they are data.
  mutating func join(
    _ test: CoreExprID, _ a: StaticValue, _ b: StaticValue, _ type: TypeID, _ span: Span
  ) -> StaticValue {
    switch (a, b) {
    case (.error, _), (_, .error): return .error
    case (.event(let x), .event(let y)): return joinEvents(test, x, y, span)
    case (.closure, .closure):
      return .closure(Closure(.either(test, a, b), env: top, type: type, span: span))
    case (.closure, .data), (.data, .closure):
      return .closure(Closure(.either(test, a, b), env: top, type: type, span: span))
    default:
      if let parts = joinedByParts(test, a, b, span) { return parts }
      guard let x = residual(a, at: span), let y = residual(b, at: span) else { return .error }
      return .data(add(.conditional(test, then: x, otherwise: y), core.type(x), span))
    }
  }

  /// Open values part by part: where they hold events, and where a plain test leaves some parts plain though others vary.
  /// So what is plain does not depend on whether the test can be decided here. Nil where one expression will do.
  private mutating func joinedByParts(
    _ test: CoreExprID, _ a: StaticValue, _ b: StaticValue, _ span: Span
  ) -> StaticValue? {
    guard let type = openType(a) ?? openType(b) else { return nil }
    let isPlain = !facts(test).isVarying && firstPointwise(test) == nil
    guard holdsEvents(type) || isPlain && (varies(a) || varies(b)) else { return nil }
    switch (core.types[type], a, b) {
    case (.record(let fields), _, _):
      var joined: [(name: String, value: StaticValue)] = []
      for part in fields {
        let (x, y) = (field(a, part.name, at: span), field(b, part.name, at: span))
        joined.append((part.name, join(test, x, y, part.type, span)))
      }
      return .record(joined, type)
    case (.tuple(let types), _, _):
      let (x, y) = (parts(of: a, count: types.count, span), parts(of: b, count: types.count, span))
      return .tuple(join(test, x, y, types, span), type)
    case (.list(let element), .list(let x, _), .list(let y, _)) where x.count == y.count:
      return .list(join(test, x, y, x.map { _ in element }, span), type)
    case (_, .variant(let tag, let x, _), .variant(let other, let y, _)) where tag == other:
      guard let fields = core.types.constructors[type]?[tag].fields else { return nil }
      return .variant(tag: tag, join(test, x, y, fields, span), type)
    default: return nil
    }
  }

  private mutating func join(
    _ test: CoreExprID, _ a: [StaticValue], _ b: [StaticValue], _ types: [TypeID], _ span: Span
  ) -> [StaticValue] {
    zip(zip(a, b), types).map { join(test, $0.0, $0.1, $1, span) }
  }

  private func openType(_ value: StaticValue) -> TypeID? {
    switch value {
    case .record(_, let type), .tuple(_, let type), .list(_, let type), .variant(_, _, let type): type
    case .data, .event, .closure, .error: nil
    }
  }

  private func varies(_ value: StaticValue) -> Bool {
    switch value {
    case .data(let expr): facts(expr).isVarying
    case .record(let fields, _): fields.contains { varies($0.value) }
    case .tuple(let all, _), .list(let all, _), .variant(_, let all, _): all.contains { varies($0) }
    case .event, .closure, .error: false
    }
  }

  /// A plain condition may choose between events; a varying one must be a `switch` or a `gate`.
  private mutating func joinEvents(_ test: CoreExprID, _ a: NodeID, _ b: NodeID, _ span: Span) -> StaticValue {
    if facts(test).isVarying || firstPointwise(test) != nil {
      report(.eventsChosenByBehavior(varying: firstRead(test), in: context.definition), at: span)
      return .error
    }
    let negated = add(.prim(.not, [test]), .bool, span)
    let type = core[a].type
    let first = addNode(.filter(a, CoreLambda([core.addLocal("", payload(a))], test)), type, span)
    let second = addNode(.filter(b, CoreLambda([core.addLocal("", payload(b))], negated)), type, span)
    return .event(addNode(.merge([first, second]), type, span))
  }

  func payload(_ event: NodeID) -> TypeID {
    if case .event(let type) = core.types[core[event].type] { return type }
    return .unit
  }
}
