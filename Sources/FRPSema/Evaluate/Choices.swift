// `if` and what is joined by a test. A test that is known here leaves one branch; else both are elaborated and joined, an
// expression where they are data, part by part where they are open.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

extension Elaborator {
  mutating func evaluateConditional(
    _ condition: ExprID, _ then: ExprID, otherwise: ExprID, id: ExprID, env: Env
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
    guard budget.spend() else { return .error }
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
    let isPlain = self.isPlain(test)
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
      let (x, y) = (parts(of: a, count: types.count, at: span), parts(of: b, count: types.count, at: span))
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
    if !budget.spend() { return false }
    return switch value {
    case .data(let expr): facts(expr).isVarying
    case .record(let fields, _): fields.contains { varies($0.value) }
    case .tuple(let all, _), .list(let all, _), .variant(_, let all, _): all.contains { varies($0) }
    case .event, .closure, .error: false
    }
  }

  /// A plain condition may choose between events; a varying one must be a `switch` or a `gate`.
  private mutating func joinEvents(_ test: CoreExprID, _ a: NodeID, _ b: NodeID, _ span: Span) -> StaticValue {
    if !isPlain(test) {
      report(.eventsChosenByBehavior(varying: firstRead(test), in: context.definition), at: span)
      return .error
    }
    let negated = add(.prim(.not, [test]), .bool, span)
    let type = core[a].type
    let first = addNode(.filter(a, CoreLambda([core.addLocal("", payload(a))], test)), type, at: span)
    let second = addNode(.filter(b, CoreLambda([core.addLocal("", payload(b))], negated)), type, at: span)
    return .event(addNode(.merge([first, second]), type, at: span))
  }

  func payload(_ event: NodeID) -> TypeID {
    if case .event(let type) = core.types[core[event].type] { return type }
    return .unit
  }
}

// MARK: - Parts of what a `choose` node chooses

/// What becomes of a part of the arms of a match on plain data.
indirect enum ChosenPart {
  /// It is made in the arm's scope, and read from there.
  case made(TypeID)
  /// It is known once, outside of the arms.
  case known(CoreExprID)
  case record([(name: String, part: ChosenPart)], TypeID)
  case tuple([ChosenPart], TypeID)

  fileprivate var knowsSome: Bool {
    switch self {
    case .made: false
    case .known: true
    case .record(let fields, _): fields.contains { $0.part.knowsSome }
    case .tuple(let all, _): all.contains { $0.knowsSome }
    }
  }

  fileprivate var makesSome: Bool {
    switch self {
    case .made: true
    case .known: false
    case .record(let fields, _): fields.contains { $0.part.makesSome }
    case .tuple(let all, _): all.contains { $0.makesSome }
    }
  }
}

extension Elaborator {
  /// Which parts of the arms are plain, and mention nothing of the arm: they are chosen by the tests, outside of the arms'
  /// scopes, so they are plain whether or not the tests can be decided here.
  mutating func chosenPart(
    _ values: [StaticValue], _ type: TypeID, tests: [CoreExprID], at span: Span
  ) -> ChosenPart {
    let part = part(of: values, type, tests: tests, at: span)
    return part.knowsSome && part.makesSome ? part : .made(type)
  }

  private mutating func part(
    of values: [StaticValue], _ type: TypeID, tests: [CoreExprID], at span: Span
  ) -> ChosenPart {
    if let known = plainParts(values), let last = known.last {
      var result = last
      for (test, expr) in zip(tests, known).reversed() {
        result = add(.conditional(test, then: expr, otherwise: result), type, span)
      }
      return .known(result)
    }
    switch core.types[type] {
    case .record(let fields):
      var parts: [(name: String, part: ChosenPart)] = []
      for field in fields {
        let inner = values.compactMap { value -> StaticValue? in
          if case .record(let open, _) = value { open.first { $0.name == field.name }?.value } else { nil }
        }
        if inner.count < values.count { return .made(type) }
        parts.append((field.name, part(of: inner, field.type, tests: tests, at: span)))
      }
      let whole = ChosenPart.record(parts, type)
      return whole.knowsSome ? whole : .made(type)
    case .tuple(let types):
      let open = values.compactMap { if case .tuple(let all, _) = $0, all.count == types.count { all } else { nil } }
      if open.count < values.count { return .made(type) }
      var parts: [ChosenPart] = []
      for (place, type) in types.enumerated() {
        parts.append(part(of: open.map { $0[place] }, type, tests: tests, at: span))
      }
      let whole = ChosenPart.tuple(parts, type)
      return whole.knowsSome ? whole : .made(type)
    default: return .made(type)
    }
  }

  /// The expressions of values that are plain and can be seen from here; nil where one is not.
  private mutating func plainParts(_ values: [StaticValue]) -> [CoreExprID]? {
    var result: [CoreExprID] = []
    for value in values {
      guard !mustStayOpen(value), !varies(value), !holdsFunctions(value), let expr = residual(value, at: .none),
        isPlainHere(expr)
      else { return nil }
      result.append(expr)
    }
    return result
  }

  private func holdsFunctions(_ value: StaticValue) -> Bool {
    if !budget.spend() { return true }
    return switch value {
    case .closure, .error: true
    case .data, .event: false
    case .record(let fields, _): fields.contains { holdsFunctions($0.value) }
    case .tuple(let all, _), .list(let all, _), .variant(_, let all, _): all.contains { holdsFunctions($0) }
    }
  }

  private func isPlainHere(_ root: CoreExprID) -> Bool {
    if !isPlain(root) { return false }
    var scopes: Set<ScopeID> = [context.scope]
    var scope = context.scope
    while let parent = core[scope].parent {
      scopes.insert(parent)
      scope = parent
    }
    return !core.contains(root) { expr in
      switch core[expr] {
      case .read(let node): !scopes.contains(core[node].scope)
      case .local(let local), .thunk(let local): core.localScopes[local.index].map { !scopes.contains($0) } ?? false
      default: false
      }
    }
  }

  mutating func flatten(_ value: StaticValue, _ part: ChosenPart, nodes: inout [NodeID], at span: Span) -> Bool {
    switch (part, value) {
    case (.known, _): return true
    case (.record(let parts, _), .record(let fields, _)):
      return parts.allSatisfy { name, part in
        fields.first { $0.name == name }.map { flatten($0.value, part, nodes: &nodes, at: span) } ?? false
      }
    case (.tuple(let parts, _), .tuple(let elements, _)):
      return zip(elements, parts).allSatisfy { flatten($0, $1, nodes: &nodes, at: span) }
    case (.made(let type), _): return flatten(value, type, nodes: &nodes, at: span)
    default: return false
    }
  }

  mutating func chosen(_ node: NodeID, _ part: ChosenPart, index: inout Int, at span: Span) -> StaticValue {
    switch part {
    case .made(let type): return chosen(node, type, index: &index, at: span)
    case .known(let expr): return .data(expr)
    case .record(let parts, let type):
      var values: [(name: String, value: StaticValue)] = []
      for (name, part) in parts { values.append((name, chosen(node, part, index: &index, at: span))) }
      return .record(values, type)
    case .tuple(let parts, let type):
      var values: [StaticValue] = []
      for part in parts { values.append(chosen(node, part, index: &index, at: span)) }
      return .tuple(values, type)
    }
  }
}
