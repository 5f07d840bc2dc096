// Which definitions are *reactive*: calling them may make nodes, or handles events, so a call must be replaced by the
// body. All others are point-wise and may also become functions of the core.
//
// Shape in: the typed tree. Shape out: one bit an item, by a fixpoint over the call graph.

import FRPCore
import FRPSyntax

struct Effects {
  private let program: TypedProgram
  private var reactiveItems: Set<ItemID> = []

  init(_ program: TypedProgram) {
    self.program = program
    findReactiveItems()
  }

  func isReactive(_ item: ItemID) -> Bool { reactiveItems.contains(item) }

  static func isReactive(row: Int) -> Bool {
    guard case .reactive(let operation) = Builtins.all[row].operation else { return false }
    return operation != .time
  }

  /// Caller lists, then a worklist from the items that use a reactive built-in themselves. Cost: O(program).
  private mutating func findReactiveItems() {
    var callers: [ItemID: [ItemID]] = [:]
    var worklist: [ItemID] = []
    for (index, item) in program.tree.items.enumerated() {
      guard case .definition(let definition) = item, case .function = definition.binder else { continue }
      let id = ItemID(index)
      var direct = Self.mentionsEvents(program, scheme: program.schemes[id])
      Effects.walk(program.tree, definition.body) { child in
        switch program.resolutions[child.index] {
        case .builtin(let rows) where rows.contains(where: Effects.isReactive): direct = true
        case .function(let callee, _): callers[callee, default: []].append(id)
        default: break
        }
        return true
      }
      if direct { worklist.append(id) }
    }
    while let item = worklist.popLast() {
      guard reactiveItems.insert(item).inserted else { continue }
      worklist.append(contentsOf: callers[item] ?? [])
    }
  }

  static func mentionsEvents(_ program: TypedProgram, scheme: Scheme?) -> Bool {
    guard let scheme else { return false }
    var pending = [scheme.type]
    var budget = 1000
    while let ty = pending.popLast(), budget > 0 {
      budget -= 1
      switch program[ty] {
      case .event: return true
      case .list(let a), .task(let a): pending.append(a)
      case .map(let a, let b): pending += [a, b]
      case .tuple(let all), .nominal(_, let all): pending += all
      case .record(let fields, _): pending += fields.map(\.type)
      case .function(let parameters, let result): pending += parameters + [result]
      default: break
      }
    }
    return false
  }

  /// Visits an expression and all below it, local definitions included, until `visit` says false.
  static func walk(_ tree: Tree, _ root: ExprID, _ visit: (ExprID) -> Bool) {
    var pending = [root]
    while let expr = pending.popLast() {
      if !visit(expr) { return }
      children(tree, expr, into: &pending)
    }
  }

  static func children(_ tree: Tree, _ expr: ExprID, into pending: inout [ExprID]) {
    switch tree[expr] {
    case .missing, .int, .float, .duration, .bool, .unit, .name, .constructor, .qualified, .fieldFunction,
      .operatorFunction:
      break
    case .string(let parts):
      for case .expr(let part) in parts { pending.append(part) }
    case .field(let base, _), .unary(_, let base), .paren(let base): pending.append(base)
    case .call(let callee, let arguments): pending += [callee] + arguments
    case .callLabelled(let callee, let arguments): pending += [callee] + arguments.map(\.value)
    case .pipe(let a, let b), .binary(_, let a, let b, _): pending += [a, b]
    case .conditional(let c, let a, let b): pending += [c, a, b]
    case .match(let scrutinee, let arms):
      pending.append(scrutinee)
      for arm in arms {
        if let guardExpr = arm.guardExpr { pending.append(guardExpr) }
        pending.append(arm.body)
      }
    case .lambda(_, let body): pending.append(body)
    case .tuple(let all): pending += all
    case .list(let elements):
      for element in elements {
        switch element {
        case .item(let item), .spread(let item): pending.append(item)
        }
      }
    case .record(let fields): pending += fields.map(\.value)
    case .update(let base, let fields): pending += [base] + fields.map(\.value)
    case .block(let items, let result):
      pending.append(result)
      for item in items {
        if case .definition(let definition) = tree[item] { pending.append(definition.body) }
      }
    }
  }
}
