// Walking expressions of the tree.

extension Tree {
  /// The names of modules that expressions, patterns, types and imports mention. Cost: linear in the tree.
  package var qualifiers: Set<String> {
    var names: Set<String> = []
    for case .qualified(let module, _) in exprs { names.insert(module.text) }
    for case .constructor(let module?, _, _) in patterns { names.insert(module.text) }
    for case .named(let module?, _, _) in typeExprs { names.insert(module.text) }
    for case .importModule(let module) in items { names.insert(module.text) }
    return names
  }

  /// Visits the direct parts of an expression as they are written; guards of arms are parts. Of a block, its value and then
  /// the bodies of its definitions.
  package func forEachChild(of expr: ExprID, _ visit: (ExprID) -> Void) {
    switch self[expr] {
    case .missing, .int, .float, .duration, .bool, .unit, .name, .constructor, .qualified, .fieldFunction,
      .operatorFunction:
      break
    case .string(let parts): for case .expr(let part) in parts { visit(part) }
    case .field(let base, _), .unary(_, let base), .paren(let base), .lambda(_, let base): visit(base)
    case .call(let callee, let arguments):
      visit(callee)
      arguments.forEach(visit)
    case .callLabelled(let callee, let arguments):
      visit(callee)
      for argument in arguments { visit(argument.value) }
    case .pipe(let a, let b), .binary(_, let a, let b, _):
      visit(a)
      visit(b)
    case .conditional(let test, let a, let b):
      visit(test)
      visit(a)
      visit(b)
    case .match(let subject, let arms):
      visit(subject)
      for arm in arms {
        arm.guardExpr.map(visit)
        visit(arm.body)
      }
    case .tuple(let all): all.forEach(visit)
    case .list(let elements):
      for element in elements {
        switch element {
        case .item(let item), .spread(let item): visit(item)
        }
      }
    case .record(let fields): for field in fields { visit(field.value) }
    case .update(let base, let fields):
      visit(base)
      for field in fields { visit(field.value) }
    case .block(let items, let value):
      visit(value)
      for item in items { if case .definition(let definition) = self[item] { visit(definition.body) } }
    }
  }

  /// The patterns of an expression that nothing else stands beside, and so may not fail.
  package func patternsWithoutChoice(of expr: ExprID) -> [PatternID] {
    switch self[expr] {
    case .lambda(let parameters, _): parameters
    case .missing, .int, .float, .duration, .bool, .unit, .string, .name, .constructor, .qualified, .field,
      .fieldFunction, .operatorFunction, .call, .callLabelled, .pipe, .unary, .binary, .conditional, .match, .tuple,
      .paren, .list, .record, .update, .block:
      []
    }
  }

  /// Visits the names that a pattern binds, in order.
  package func forEachName(in pattern: PatternID, _ visit: (String, PatternID) -> Void) {
    switch self[pattern] {
    case .name(let name): visit(name, pattern)
    case .alias(let inner, let name):
      forEachName(in: inner, visit)
      forEachName(in: name, visit)
    case .tuple(let all), .alternatives(let all), .list(let all, _, _):
      for inner in all { forEachName(in: inner, visit) }
    case .record(let fields): for field in fields { forEachName(in: field.pattern, visit) }
    case .constructor(_, _, let arguments): for argument in arguments { forEachName(in: argument.pattern, visit) }
    default: break
    }
  }

  /// Visits an expression and all below it, last parts first, until `visit` says false.
  package func walk(_ root: ExprID, _ visit: (ExprID) -> Bool) {
    var pending = [root]
    while let expr = pending.popLast() {
      if !visit(expr) { return }
      forEachChild(of: expr) { pending.append($0) }
    }
  }
}
