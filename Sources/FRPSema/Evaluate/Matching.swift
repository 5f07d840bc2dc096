// Patterns. A match on data is a nest of conditionals in the order of the arms; all arms stay alive (rule 8). Parts of
// a value that are only there if a pattern matched are *guarded*: what remembers may not be made of them where the
// match varies. A match on plain data whose arms remember becomes a `choose` node: the arm is known once, and only its
// scope is made; not where an arm mentions what is bound point by point, which no scope can be made of.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

extension Elaborator {
  private enum Test {
    case always
    case never
    case when(CoreExprID)
  }

  private struct Candidate {
    var test: CoreExprID?
    var env: Env
    var arm: MatchArm
  }

  mutating func evaluateMatch(
    _ scrutinee: ExprID, _ arms: [MatchArm], id: ExprID, env: Env
  ) -> StaticValue {
    let value = evaluate(scrutinee, env)
    if case .error = value { return .error }
    let span = program.tree.span(id)
    let type = monomorph(type(of: id), env)
    let outerGuards = openGuards
    openGuards = []
    defer { openGuards = outerGuards }
    let candidates = self.candidates(arms, value, env: env)
    guard let last = candidates.last else { return .error }
    if candidates.count > 1, needsChoice(candidates), !mentionPointwise(candidates), let tests = plainTests(candidates)
    {
      return choose(candidates, tests, type: type, at: span)
    }
    var result = evaluate(last.arm.body, last.env)
    for candidate in candidates.dropLast().reversed() {
      guard let test = candidate.test else { continue }
      let branch = evaluate(candidate.arm.body, candidate.env)
      result = join(test, branch, result, type, span)
    }
    if candidates.count > 1 { closeGuards(of: result) }
    return result
  }

  /// Within the conditionals of its match a guarded part is safe: the parts met so far are closed by the result.
  private mutating func closeGuards(of value: StaticValue) {
    if openGuards.isEmpty || !budget.spend() { return }
    switch value {
    case .data(let expr): draft.closedGuards[expr, default: []].formUnion(openGuards)
    case .tuple(let parts, _), .list(let parts, _), .variant(_, let parts, _):
      for part in parts { closeGuards(of: part) }
    case .record(let fields, _): for field in fields { closeGuards(of: field.value) }
    case .event, .closure, .error: break
    }
  }

  private mutating func markGuarded(_ expr: CoreExprID) {
    draft.exprFacts[expr.index].isGuarded = true
    openGuards.insert(expr)
  }

  /// The arms that can be taken, each with its test (nil: always) and its variables; the last one needs no test, since
  /// matches are exhaustive.
  private mutating func candidates(_ arms: [MatchArm], _ value: StaticValue, env: Env) -> [Candidate] {
    var result: [Candidate] = []
    for arm in arms {
      let inner = Env(parent: env)
      var condition: CoreExprID?
      switch test(arm.pattern, value) {
      case .never: continue
      case .always: bind(arm.pattern, to: value, in: inner, guarded: false)
      case .when(let expr):
        condition = expr
        bind(arm.pattern, to: value, in: inner, guarded: true)
      }
      if let guardExpr = arm.guardExpr {
        let span = program.tree.span(guardExpr)
        guard let extra = residual(evaluate(guardExpr, inner), at: span) else { continue }
        if case .bool(let known) = core[extra] {
          if !known { continue }
        } else {
          condition = condition.map { add(.prim(.and, [$0, extra]), .bool, span) } ?? extra
        }
      }
      result.append(Candidate(test: condition, env: inner, arm: arm))
      if condition == nil { break }
    }
    return result
  }

  private mutating func needsChoice(_ candidates: [Candidate]) -> Bool {
    for candidate in candidates {
      let closure = Closure(
        .lambda(candidate.arm.body, [], candidate.arm.body), env: candidate.env, type: .unit, span: .none)
      if isReactive(closure) { return true }
    }
    return false
  }

  /// The tests of all arms but the last, if all are plain: known once in this scope.
  private func plainTests(_ candidates: [Candidate]) -> [CoreExprID]? {
    let tests = candidates.dropLast().compactMap(\.test)
    return tests.allSatisfy(isPlain) ? tests : nil
  }

  private func mentionPointwise(_ candidates: [Candidate]) -> Bool {
    candidates.contains { candidate in
      var isFound = false
      program.tree.walk(candidate.arm.body) { child in
        if case .binder(let name, _) = program.resolutions[child.index],
          case .data(let expr)? = candidate.env.lookup(name), draft.isPointwise(expr)
        {
          isFound = true
        }
        return !isFound
      }
      return isFound
    }
  }

  private mutating func choose(
    _ candidates: [Candidate], _ tests: [CoreExprID], type: TypeID, at span: Span
  ) -> StaticValue {
    var selector = add(.int(candidates.count - 1), .int, span)
    for (index, test) in tests.enumerated().reversed() {
      selector = add(
        .conditional(test, then: add(.int(index), .int, span), otherwise: selector), .int, span)
    }
    var alternatives: [(Alternative, value: StaticValue)] = []
    for candidate in candidates { alternatives.append(alternative(candidate, span)) }
    let part = chosenPart(alternatives.map(\.value), type, tests: tests, at: span)
    for (alternative, value) in alternatives {
      let outer = context
      defer { context = outer }
      context.scope = alternative.scope
      var results: [NodeID] = []
      guard flatten(value, part, nodes: &results, at: span) else { return .error }
      core.scopes[alternative.scope.index].results = results
    }
    let node = addNode(.choose(selector: selector, alternatives.map(\.0)), .unit, at: span)
    var index = 0
    return chosen(node, part, index: &index, at: span)
  }

  private mutating func alternative(_ candidate: Candidate, _ span: Span) -> (Alternative, value: StaticValue) {
    var arguments: [CoreExprID] = []
    let inner = Env(parent: candidate.env.parent)
    let scope = ScopeID(core.scopes.count)
    core.scopes.append(CoreScope(parent: context.scope, parameters: []))
    for (pattern, value) in candidate.env.bindings.sorted(by: { $0.key.raw < $1.key.raw }) {
      guard case .data(let expr) = value else {
        inner.bindings[pattern] = value
        continue
      }
      let local = core.addLocal("", core.type(expr), scope: scope)
      core.scopes[scope.index].parameters.append(local)
      arguments.append(expr)
      inner.bindings[pattern] = .data(add(.local(local), core.type(expr), span))
    }
    let outer = context
    defer { context = outer }
    context.scope = scope
    return (Alternative(scope: scope, arguments: arguments), evaluate(candidate.arm.body, inner))
  }

  /// The nodes of a result, leaf by leaf in the order of its type.
  mutating func flatten(_ value: StaticValue, _ type: TypeID, nodes: inout [NodeID], at span: Span) -> Bool {
    switch (value, core.types[type]) {
    case (.error, _): return false
    case (.event(let node), _):
      nodes.append(node)
      return true
    case (.record(let fields, _), .record(let types)) where holdsEvents(type):
      return zip(fields, types).allSatisfy { flatten($0.value, $1.type, nodes: &nodes, at: span) }
    case (.tuple(let elements, _), .tuple(let types)) where holdsEvents(type):
      return zip(elements, types).allSatisfy { flatten($0, $1, nodes: &nodes, at: span) }
    default:
      guard let node = behavior(value, at: span) else { return false }
      nodes.append(node)
      return true
    }
  }

  /// The value that reads the leaves of a `choose` or `switchOpen` node.
  mutating func chosen(_ node: NodeID, _ type: TypeID, index: inout Int, at span: Span) -> StaticValue {
    switch core.types[type] {
    case .record(let fields) where holdsEvents(type):
      var values: [(name: String, value: StaticValue)] = []
      for field in fields { values.append((field.name, chosen(node, field.type, index: &index, at: span))) }
      return .record(values, type)
    case .tuple(let types) where holdsEvents(type):
      var values: [StaticValue] = []
      for element in types { values.append(chosen(node, element, index: &index, at: span)) }
      return .tuple(values, type)
    default:
      let leaf = addNode(.chosen(node, index: index), type, at: span)
      index += 1
      if case .event = core.types[type] { return .event(leaf) }
      return .data(read(leaf, span))
    }
  }

  // MARK: Tests

  private mutating func test(_ id: PatternID, _ value: StaticValue) -> Test {
    let span = program.tree.span(id)
    switch program.tree[id] {
    case .missing: return .never
    case .wildcard, .name, .unit: return .always
    case .int(let known):
      let isFloat = valueType(value) == .float
      return equals(value, isFloat ? .float(Double(known)) : .int(known), type: isFloat ? .float : .int, at: span)
    case .float(let known): return equals(value, .float(known), type: .float, at: span)
    case .string(let known): return equals(value, .string(known), type: .string, at: span)
    case .bool(let known):
      guard let expr = residual(value, at: span) else { return .never }
      if case .bool(let actual) = core[expr] { return actual == known ? .always : .never }
      return .when(known ? expr : add(.prim(.not, [expr]), .bool, span))
    case .alias(let inner, _): return test(inner, value)
    case .alternatives(let all):
      return all.reduce(.never) { either($0, test($1, value), at: span) }
    case .tuple(let elements):
      let parts = parts(of: value, count: elements.count, at: span)
      return zip(elements, parts).reduce(.always) { both($0, test($1.0, $1.1), at: span) }
    case .record(let fields):
      return fields.reduce(.always) { both($0, test($1.pattern, field(value, $1.name.text, at: span)), at: span) }
    case .constructor: return testConstructor(id, value, at: span)
    case .list(let elements, let rest, let restIndex):
      return testList(elements, rest, restIndex: restIndex, value: value, at: span)
    }
  }

  private func valueType(_ value: StaticValue) -> TypeID? {
    if case .data(let expr) = value { return core.type(expr) }
    return nil
  }

  private mutating func equals(_ value: StaticValue, _ known: CoreExpr, type: TypeID, at span: Span) -> Test {
    guard let expr = residual(value, at: span) else { return .never }
    switch (core[expr], known) {
    case (.int(let a), .int(let b)): return a == b ? .always : .never
    case (.string(let a), .string(let b)): return a.isSame(as: b) ? .always : .never
    default: break
    }
    return .when(add(.prim(.equal, [expr, add(known, type, span)]), .bool, span))
  }

  private mutating func both(_ a: Test, _ b: Test, at span: Span) -> Test {
    switch (a, b) {
    case (_, .never): return .never
    case (.always, let other), (let other, .always): return other
    case (.when(let x), .when(let y)): return .when(add(.prim(.and, [x, y]), .bool, span))
    case (.never, _): return .never
    }
  }

  private mutating func either(_ a: Test, _ b: Test, at span: Span) -> Test {
    switch (a, b) {
    case (.always, _), (_, .always): return .always
    case (.never, let other), (let other, .never): return other
    case (.when(let x), .when(let y)): return .when(add(.prim(.or, [x, y]), .bool, span))
    }
  }

  private mutating func testConstructor(_ id: PatternID, _ value: StaticValue, at span: Span) -> Test {
    guard let pattern = program.constructorPatterns[id] else { return .never }
    var result = Test.always
    switch value {
    case .variant(let tag, _, _):
      if tag != pattern.tag { return .never }
    default:
      guard let expr = residual(value, at: span) else { return .never }
      if case .construct(let tag, _) = core[known(expr)] {
        if tag != pattern.tag { return .never }
      } else if (core.types.constructors[core.type(expr)]?.count ?? 0) > 1 {
        result = .when(add(.hasTag(expr, pattern.tag), .bool, span))
      }
    }
    for (index, inner) in pattern.fieldPatterns.enumerated() {
      guard let inner else { continue }
      result = both(result, test(inner, payloadPart(value, pattern, index: index, guarded: true, at: span)), at: span)
    }
    return result
  }

  /// Field `index` of a value that has (or is guarded to have) the pattern's constructor.
  private mutating func payloadPart(
    _ value: StaticValue, _ pattern: ConstructorPattern, index: Int, guarded: Bool, at span: Span
  ) -> StaticValue {
    if case .variant(_, let parts, _) = value { return index < parts.count ? parts[index] : .error }
    guard let expr = residual(value, at: span), let cases = core.types.constructors[core.type(expr)],
      pattern.tag < cases.count, index < cases[pattern.tag].fields.count
    else { return .error }
    let isThere = if case .construct = core[known(expr)] { true } else { cases.count == 1 }
    let part = self.part(expr, index: index, tag: pattern.tag, cases[pattern.tag].fields[index], span)
    if guarded && !isThere { markGuarded(part) }
    return .data(part)
  }

  // MARK: Lists

  private mutating func testList(
    _ elements: [PatternID], _ rest: RestPattern, restIndex: Int, value: StaticValue, at span: Span
  ) -> Test {
    var result: Test
    let hasRest = if case .none = rest { false } else { true }
    if case .list(let known, _) = value {
      let fits = hasRest ? known.count >= elements.count : known.count == elements.count
      result = fits ? .always : .never
      if !fits { return .never }
    } else {
      guard let expr = residual(value, at: span) else { return .never }
      let size = add(.prim(.listSize, [expr]), .int, span)
      let wanted = add(.int(elements.count), .int, span)
      result =
        hasRest && elements.isEmpty
        ? .always : .when(add(.prim(hasRest ? .greaterEqual : .equal, [size, wanted]), .bool, span))
    }
    for (index, element) in elements.enumerated() {
      result = both(
        result,
        test(
          element, listElement(value, index, count: elements.count, restIndex: restIndex, hasRest: hasRest, at: span)),
        at: span)
    }
    return result
  }

  /// Element `index` of a list pattern: counted from the end where it stands behind the rest.
  private mutating func listElement(
    _ value: StaticValue, _ index: Int, count: Int, restIndex: Int, hasRest: Bool, at span: Span
  ) -> StaticValue {
    let fromEnd = hasRest && index >= restIndex ? count - index : 0
    if case .list(let known, _) = value {
      let place = fromEnd > 0 ? known.count - fromEnd : index
      return known.indices.contains(place) ? known[place] : .error
    }
    guard let expr = residual(value, at: span), case .list(let element) = core.types[core.type(expr)] else {
      return .error
    }
    var place = add(.int(index), .int, span)
    if fromEnd > 0 {
      let size = add(.prim(.listSize, [expr]), .int, span)
      place = add(.prim(.subtract, [size, add(.int(fromEnd), .int, span)]), .int, span)
    }
    let option = add(.prim(.listGet, [expr, place]), core.types.option(element), span)
    let result = add(.field(option, index: 0, tag: 1), element, span)
    markGuarded(result)
    return .data(result)
  }

  private mutating func listRest(
    _ value: StaticValue, _ count: Int, restIndex: Int, at span: Span
  ) -> StaticValue {
    let after = count - restIndex
    if case .list(let known, let type) = value {
      guard known.count >= count else { return .error }
      return .list(Array(known[restIndex..<(known.count - after)]), type)
    }
    guard var expr = residual(value, at: span) else { return .error }
    let type = core.type(expr)
    if restIndex > 0 { expr = add(.prim(.listDrop, [expr, add(.int(restIndex), .int, span)]), type, span) }
    if after > 0 { expr = add(.prim(.listDropLast, [expr, add(.int(after), .int, span)]), type, span) }
    return .data(expr)
  }

  // MARK: Variables

  /// Binds the variables of a pattern that is known to match.
  mutating func bind(_ id: PatternID, to value: StaticValue, in env: Env, guarded: Bool) {
    let span = program.tree.span(id)
    switch program.tree[id] {
    case .missing, .wildcard, .unit, .int, .float, .bool, .string: break
    case .name: env.bindings[id] = value
    case .alias(let inner, let name):
      bind(inner, to: value, in: env, guarded: guarded)
      bind(name, to: value, in: env, guarded: guarded)
    case .tuple(let elements):
      for (element, part) in zip(elements, parts(of: value, count: elements.count, at: span)) {
        bind(element, to: part, in: env, guarded: guarded)
      }
    case .record(let fields):
      for part in fields { bind(part.pattern, to: field(value, part.name.text, at: span), in: env, guarded: guarded) }
    case .constructor:
      guard let pattern = program.constructorPatterns[id] else { return }
      for (index, inner) in pattern.fieldPatterns.enumerated() {
        guard let inner else { continue }
        bind(
          inner, to: payloadPart(value, pattern, index: index, guarded: guarded, at: span), in: env, guarded: guarded)
      }
    case .list(let elements, let rest, let restIndex):
      let hasRest = if case .none = rest { false } else { true }
      for (index, element) in elements.enumerated() {
        bind(
          element,
          to: listElement(value, index, count: elements.count, restIndex: restIndex, hasRest: hasRest, at: span),
          in: env, guarded: guarded)
      }
      if case .rest(let name?) = rest {
        bind(name, to: listRest(value, elements.count, restIndex: restIndex, at: span), in: env, guarded: guarded)
      }
    case .alternatives(let all): bindAlternatives(all, to: value, in: env, span)
    }
  }

  /// Every alternative binds the same names; a use refers to the first one's variables.
  private mutating func bindAlternatives(
    _ all: [PatternID], to value: StaticValue, in env: Env, _ span: Span
  ) {
    let (possible, isCertain) = possibleAlternatives(all, value)
    guard let first = all.first, let last = possible.last else { return }
    bind(last, to: value, in: env, guarded: !isCertain)
    var homes: [String: PatternID] = [:]
    variables(first) { homes[$0] = $1 }
    guard !homes.isEmpty else { return }
    var joined: [String: StaticValue] = [:]
    variables(last) { joined[$0] = env.bindings[$1] }
    for other in possible.dropLast().reversed() {
      let inner = Env(parent: nil)
      bind(other, to: value, in: inner, guarded: true)
      guard case .when(let isOther) = test(other, value) else { continue }
      var bound: [(String, PatternID)] = []
      variables(other) { bound.append(($0, $1)) }
      for (name, pattern) in bound {
        guard let home = homes[name], let new = inner.bindings[pattern], let old = joined[name] else { continue }
        let type = monomorph(program.patternTypes[home.index], env)
        joined[name] = join(isOther, new, old, type, span)
      }
    }
    for (name, home) in homes.sorted(by: { $0.value.raw < $1.value.raw }) {
      if case .data(let expr)? = joined[name], !isCheap(expr), !isCertain { markGuarded(expr) }
      env.bindings[home] = joined[name]
    }
  }

  /// The alternatives that a value may fit, up to the first that it must fit; whether that is the only one.
  private mutating func possibleAlternatives(
    _ all: [PatternID], _ value: StaticValue
  ) -> (possible: [PatternID], isCertain: Bool) {
    var possible: [PatternID] = []
    for id in all {
      switch test(id, value) {
      case .never: continue
      case .always: return (possible + [id], possible.isEmpty)
      case .when: possible.append(id)
      }
    }
    return (possible, false)
  }

  private func variables(_ id: PatternID, _ visit: (String, PatternID) -> Void) {
    switch program.tree[id] {
    case .name(let name): visit(name, id)
    case .alias(let inner, let name):
      variables(inner, visit)
      variables(name, visit)
    case .tuple(let all), .alternatives(let all): for inner in all { variables(inner, visit) }
    case .record(let fields): for field in fields { variables(field.pattern, visit) }
    case .constructor(_, _, let arguments): for argument in arguments { variables(argument.pattern, visit) }
    case .list(let all, let rest, _):
      for inner in all { variables(inner, visit) }
      if case .rest(let name?) = rest { variables(name, visit) }
    default: break
    }
  }
}
