// Which definitions are *reactive*: calling them may make nodes, or handles events, so a call must be replaced by the
// body. All others are point-wise and may also become functions of the core.
//
// Shape in: the typed tree. Shape out: a bit an item, by a fixpoint over the call graph; and one for what may reach `attempt`.

import FRPCore
import FRPSyntax

struct Effects {
  private let reactiveItems: Set<ItemID>
  private let attemptingItems: Set<ItemID>

  init(_ program: TypedProgram) {
    let calls = Calls(program)
    reactiveItems = calls.reaching(
      { Effects.isReactive(row: $0) }, or: { Effects.mentionsEvents(program, scheme: program.schemes[$0]) })
    attemptingItems = calls.reaching({ Builtins.all[$0].operation == .data(.attempt) }, or: { _ in false })
  }

  func isReactive(_ item: ItemID) -> Bool { reactiveItems.contains(item) }

  /// Whether what a function is given may reach `attempt`, which computes it.
  func attempts(_ item: ItemID) -> Bool { attemptingItems.contains(item) }

  static func isReactive(row: Int) -> Bool {
    guard case .reactive(let operation) = Builtins.all[row].operation else { return false }
    return operation != .time
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

/// What the functions of a program mention, themselves and through others.
private struct Calls {
  private var builtins: [ItemID: Set<Int>] = [:]
  private var callers: [ItemID: [ItemID]] = [:]

  /// Cost: O(program).
  init(_ program: TypedProgram) {
    for (index, item) in program.tree.items.enumerated() {
      guard case .definition(let definition) = item, case .function = definition.binder else { continue }
      let id = ItemID(index)
      builtins[id] = []
      program.tree.walk(definition.body) { child in
        switch program.resolutions[child.index] {
        case .builtin(let rows): builtins[id, default: []].formUnion(rows)
        case .function(let callee, _): callers[callee, default: []].append(id)
        default: break
        }
        return true
      }
    }
  }

  /// The functions that mention such a built-in, or are such, and all that call them: a worklist over the callers.
  func reaching(_ isWanted: (Int) -> Bool, or isDirect: (ItemID) -> Bool) -> Set<ItemID> {
    var found: Set<ItemID> = []
    var worklist = builtins.filter { $0.value.contains(where: isWanted) || isDirect($0.key) }.map(\.key)
    while let item = worklist.popLast() {
      guard found.insert(item).inserted else { continue }
      worklist.append(contentsOf: callers[item] ?? [])
    }
    return found
  }
}
