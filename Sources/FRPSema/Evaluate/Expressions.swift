// Evaluating expressions of the tree to static values, one function a form.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

extension Elaborator {
  mutating func evaluate(_ id: ExprID, _ env: Env) -> StaticValue {
    if isGivenUp || !budget.spend(bytes: 100) { return .error }
    let span = program.tree.span(id)
    switch program.tree[id] {
    case .missing: return .error
    case .int(let value):
      return monomorph(type(of: id), env) == .float
        ? constant(.float(Double(value)), .float, span) : constant(.int(value), .int, span)
    case .float(let value), .duration(let value): return constant(.float(value), .float, span)
    case .bool(let value): return constant(.bool(value), .bool, span)
    case .unit: return constant(.unit, .unit, span)
    case .string(let parts): return evaluateString(parts, env, at: span)
    case .name, .constructor, .qualified:
      return resolve(program.resolutions[id.index], type: type(of: id), at: span, env)
    case .field(let base, let name): return field(evaluate(base, env), name.text, at: span)
    case .fieldFunction(let name): return function(.field(name.text), id, env: env)
    case .operatorFunction(let operation): return function(.operation(operation), id, env: env)
    case .call(let callee, let arguments): return evaluateCall(callee, arguments, id: id, env: env)
    case .callLabelled(let callee, let arguments): return evaluateLabelled(callee, arguments, id: id, env: env)
    case .pipe(let subject, let target): return evaluatePipe(subject, target, id: id, env: env)
    case .unary(let operation, let operand): return evaluateUnary(operation, operand, id: id, env: env)
    case .binary(let operation, let left, let right, _):
      return binary(
        operation, evaluate(left, env), right: evaluate(right, env), type: monomorph(type(of: id), env), at: span)
    case .conditional(let condition, let then, let otherwise):
      return evaluateConditional(condition, then, otherwise: otherwise, id: id, env: env)
    case .match(let scrutinee, let arms): return evaluateMatch(scrutinee, arms, id: id, env: env)
    case .lambda(let parameters, let body): return function(.lambda(id, parameters, body), id, env: env)
    case .tuple(let elements):
      return .tuple(elements.map { evaluate($0, env) }, monomorph(type(of: id), env))
    case .paren(let inner): return evaluate(inner, env)
    case .list(let elements): return evaluateList(elements, id, env: env)
    case .record(let fields): return evaluateRecord(fields, id, env: env)
    case .update(let base, let fields): return evaluateUpdate(base, fields, id: id, env: env)
    case .block(let items, let result):
      let inner = Env(parent: env)
      for item in items { declareDefinition(item, env: inner) }
      return evaluate(result, inner)
    }
  }

  mutating func constant(_ expr: CoreExpr, _ type: TypeID, _ span: Span) -> StaticValue {
    .data(add(expr, type, span))
  }

  private mutating func function(_ kind: Closure.Kind, _ id: ExprID, env: Env) -> StaticValue {
    .closure(
      Closure(
        kind, env: env, type: monomorph(type(of: id), env), span: program.tree.span(id),
        takesTuple: program.tupleLambdas.contains(id)))
  }

  // MARK: Names

  /// What a resolved name is worth. `type` is its type at this use.
  mutating func resolve(_ resolution: Resolution, type: Ty?, at span: Span, _ env: Env) -> StaticValue {
    switch resolution {
    case .none: return .error
    case .input(let item):
      guard let node = inputNodes[item] else { return .error }
      if case .event = core.types[core[node].type] { return .event(node) }
      return .data(read(node, span))
    case .binder(let pattern, let instance): return binder(pattern, instance, at: span, env)
    case .function(let item, let instance):
      let types = instance.map { monomorph($0, env) }
      let home = homeEnvironment(of: item, env)
      let inner = Env(parent: home, generics: generics(of: item, types, in: home))
      let functionType = type.map { monomorph($0, env) } ?? .unit
      return .closure(Closure(.function(item), env: inner, type: functionType, span: span))
    case .builtin(let rows): return builtin(rows, type, at: span, env)
    case .constructor(let nominal, let tag):
      let type = type.map { monomorph($0, env) } ?? .unit
      if case .function = core.types[type] {
        return .closure(Closure(.constructor(nominal, tag: tag), env: env, type: type, span: span))
      }
      return constant(.construct(tag: tag, []), type, span)
    }
  }

  private mutating func binder(
    _ pattern: PatternID, _ instance: [Ty], at span: Span, _ env: Env
  ) -> StaticValue {
    if let value = env.lookup(pattern) { return value }
    guard let item = program.definitionOfBinder[pattern], let thunk = env.thunk(item) ?? thunks[item],
      case .definition(let definition) = program.tree[item], case .value(let root) = definition.binder
    else { return .error }
    let value = force(thunk, instance.map { monomorph($0, env) }, at: span)
    if root == pattern { return value }
    let parts = Env(parent: nil)
    bind(root, to: value, in: parts, guarded: false)
    return parts.lookup(pattern) ?? .error
  }

  /// The environment a function definition stands in: that of its block, or the top.
  private func homeEnvironment(of item: ItemID, _ env: Env) -> Env {
    var current: Env? = env
    while let candidate = current {
      if candidate.functions.contains(item) { return candidate }
      current = candidate.parent
    }
    return top
  }

  private mutating func builtin(_ rows: [Int], _ type: Ty?, at span: Span, _ env: Env) -> StaticValue {
    guard let first = rows.first else { return .error }
    let type = type.map { monomorph($0, env) } ?? .unit
    if rows.count == 1, !Builtins.all[first].signature.contains("->") {
      return builtinValue(first, type, at: span)
    }
    return .closure(Closure(.builtin(rows), env: env, type: type, span: span))
  }

  /// A row that is no function: `time`, `never`, `pi`, `Map.empty`.
  private mutating func builtinValue(_ row: Int, _ type: TypeID, at span: Span) -> StaticValue {
    switch Builtins.all[row].operation {
    case .data(let prim): return constant(.prim(prim, []), type, span)
    case .reactive(.time): return .data(read(sharedSource(.time, .float, at: span), span))
    case .reactive(.start): return .event(sharedSource(.start, core.types.intern(.event(.unit)), at: span))
    case .reactive(.end): return .event(sharedSource(.end, core.types.intern(.event(.unit)), at: span))
    case .reactive(.never): return .event(addNode(.never, type, at: span))
    case .reactive: return .error
    }
  }

  /// `time`, `start` and `end` belong to the program whatever scope they are named in.
  private mutating func sharedSource(_ op: NodeOp, _ type: TypeID, at span: Span) -> NodeID {
    let key = "\(op)"
    if let node = sharedSources[key] { return node }
    let outer = context
    defer { context = outer }
    context.scope = .program
    let node = addNode(op, type, at: span)
    sharedSources[key] = node
    return node
  }

  // MARK: Calls

  private mutating func evaluateCall(
    _ callee: ExprID, _ arguments: [ExprID], id: ExprID, env: Env
  ) -> StaticValue {
    let function = evaluate(callee, env)
    let values = arguments.map { evaluate($0, env) }
    return apply(function, values, at: program.tree.span(id), argumentSpans: arguments.map(program.tree.span))
  }

  private mutating func evaluatePipe(
    _ subject: ExprID, _ target: ExprID, id: ExprID, env: Env
  ) -> StaticValue {
    var callee = target
    var rest: [ExprID] = []
    if case .call(let inner, let arguments) = program.tree[target] {
      callee = inner
      rest = arguments
    }
    let value = evaluate(subject, env)
    let function = evaluate(callee, env)
    let values = [value] + rest.map { evaluate($0, env) }
    return apply(
      function, values, at: program.tree.span(id), argumentSpans: ([subject] + rest).map(program.tree.span))
  }

  private mutating func evaluateLabelled(
    _ callee: ExprID, _ arguments: [(label: Name, value: ExprID)], id: ExprID, env: Env
  ) -> StaticValue {
    guard case .constructor(let nominal, let tag) = program.resolutions[callee.index],
      let labels = program.nominals[nominal.index].cases[tag].labels
    else { return .error }
    var values: [StaticValue] = []
    for label in labels {
      guard let argument = arguments.first(where: { $0.label.text == label }) else { return .error }
      values.append(evaluate(argument.value, env))
    }
    return apply(evaluate(callee, env), values, at: program.tree.span(id))
  }

  // MARK: Operators

  private mutating func evaluateUnary(
    _ operation: UnaryOp, _ operand: ExprID, id: ExprID, env: Env
  ) -> StaticValue {
    self.operation(
      operation == .negate ? .negate : .not, [evaluate(operand, env)], type: monomorph(type(of: id), env),
      at: program.tree.span(id))
  }

  mutating func binary(
    _ operation: BinaryOp, _ left: StaticValue, right: StaticValue, type: TypeID, at span: Span
  ) -> StaticValue {
    if operation == .append, case .list(let a, let listType) = left, case .list(let b, _) = right {
      return spendList(a.count + b.count) ? .list(a + b, listType) : .error
    }
    return self.operation(Self.prim(operation), [left, right], type: type, at: span)
  }

  /// An operation on data. Floats stay as they are written, but for their sign: they decide no structure.
  mutating func operation(_ prim: Prim, _ operands: [StaticValue], type: TypeID, at span: Span) -> StaticValue {
    guard let values = residualAll(operands, at: span) else { return .error }
    if values.count == 1 || core.type(values[0]) != .float,
      let known = CoreExpr.folded(prim, values.map { core[$0] })
    {
      return constant(known, type, span)
    }
    return .data(add(.prim(prim, values), type, span))
  }

  static func prim(_ operation: BinaryOp) -> Prim {
    switch operation {
    case .or: .or
    case .and: .and
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .less
    case .lessEqual: .lessEqual
    case .greater: .greater
    case .greaterEqual: .greaterEqual
    case .range: .range
    case .append: .append
    case .add: .add
    case .subtract: .subtract
    case .multiply: .multiply
    case .divide: .divide
    case .remainder: .remainder
    }
  }

  // MARK: Data

  private mutating func evaluateString(_ parts: [StringPart], _ env: Env, at span: Span) -> StaticValue {
    var pieces: [CoreExprID] = []
    for part in parts {
      switch part {
      case .text(let text):
        if !text.isEmpty { pieces.append(add(.string(text), .string, span)) }
      case .expr(let expr):
        let partSpan = program.tree.span(expr)
        guard let value = residual(evaluate(expr, env), at: partSpan) else { return .error }
        pieces.append(
          core.type(value) == .string ? value : add(.prim(.show, [value]), .string, partSpan))
      }
    }
    if pieces.isEmpty { return constant(.string(""), .string, span) }
    if pieces.count == 1 { return .data(pieces[0]) }
    return .data(add(.prim(.concatStrings, pieces), .string, span))
  }

  /// A display stays open when it is short enough to matter; with spreads of unknown lists it is data.
  private mutating func evaluateList(_ elements: [ListElement], _ id: ExprID, env: Env) -> StaticValue {
    let type = monomorph(type(of: id), env)
    let span = program.tree.span(id)
    var values: [StaticValue] = []
    var spreads: [Bool] = []
    for element in elements {
      switch element {
      case .item(let item):
        values.append(evaluate(item, env))
        spreads.append(false)
      case .spread(let item):
        let value = evaluate(item, env)
        if case .list(let inner, _) = value {
          guard spendList(inner.count) else { return .error }
          values += inner
          spreads += inner.map { _ in false }
        } else {
          values.append(value)
          spreads.append(true)
        }
      }
    }
    if !spreads.contains(true) { return .list(values, type) }
    var parts: [CoreExprID] = []
    for value in values {
      guard let part = residual(value, at: span) else { return .error }
      parts.append(part)
    }
    return .data(add(.list(parts, spreads: spreads), type, span))
  }

  private mutating func evaluateRecord(_ fields: [RecordField], _ id: ExprID, env: Env) -> StaticValue {
    var values: [(name: String, value: StaticValue)] = []
    for field in fields { values.append((field.name.text, evaluate(field.value, env))) }
    values.sort { $0.name < $1.name }
    return .record(values, monomorph(type(of: id), env))
  }

  mutating func field(_ base: StaticValue, _ name: String, at span: Span) -> StaticValue {
    switch base {
    case .record(let fields, _): return fields.first { $0.name == name }?.value ?? .error
    case .data(let expr):
      guard case .record(let fields) = core.types[core.type(expr)],
        let index = fields.firstIndex(where: { $0.name == name })
      else { return .error }
      return .data(part(expr, index: index, tag: 0, fields[index].type, span))
    default: return .error
    }
  }

  /// A field of a composite, looking through a construction that stands right there.
  mutating func part(_ base: CoreExprID, index: Int, tag: Int, _ type: TypeID, _ span: Span) -> CoreExprID {
    if case .construct(let known, let parts) = core[base], known == tag, index < parts.count { return parts[index] }
    let expr = add(.field(base, index: index, tag: tag), type, span)
    return expr
  }

  private mutating func evaluateUpdate(
    _ base: ExprID, _ fields: [UpdateField], id: ExprID, env: Env
  ) -> StaticValue {
    var value = evaluate(base, env)
    for field in fields {
      let new = evaluate(field.value, env)
      value = updated(value, field.path.map(\.text)[...], new: new, at: program.tree.span(id))
    }
    return value
  }

  private mutating func updated(
    _ base: StaticValue, _ path: ArraySlice<String>, new: StaticValue, at span: Span
  ) -> StaticValue {
    guard let name = path.first else { return new }
    let inner = updated(field(base, name, at: span), path.dropFirst(), new: new, at: span)
    switch base {
    case .record(var fields, let type):
      guard let index = fields.firstIndex(where: { $0.name == name }) else { return .error }
      fields[index].value = inner
      return .record(fields, type)
    case .data(let expr):
      guard case .record(let fields) = core.types[core.type(expr)],
        let index = fields.firstIndex(where: { $0.name == name }), let value = residual(inner, at: span)
      else { return .error }
      return .data(add(.update(expr, [(index, value)]), core.type(expr), span))
    default: return .error
    }
  }
}
