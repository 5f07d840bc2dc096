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
      program.tree.walk(definition.body) { child in
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
}
