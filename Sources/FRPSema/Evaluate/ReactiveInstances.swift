// Whether a call may make nodes, at the types of the call. `Effects` answers for all types at once: what a function
// leaves open (`both(a, b) = a |> flatMap(…)`) might be about events. Here the rows are chosen as the call's types say,
// so that a helper for lists, options and results does not count as reactive because it would work on events, too.
//
// Of a type only its head matters: it chooses the row, and a function's body sees its generics as they are.

import FRPCore
import FRPSyntax

/// Answers found so far. They depend on the program alone, so copies of the elaborator may share them.
final class ReactiveInstances {
  struct Key: Hashable {
    var item: ItemID
    /// What the generics stand for, heads only.
    var heads: [GenericID: DataType]
  }
  fileprivate var known: [Key: Bool] = [:]
}

extension Elaborator {
  private typealias Heads = [GenericID: DataType]
  private typealias Key = ReactiveInstances.Key
  /// So many functions are looked at for one answer; more count as reactive.
  private static let searchLimit = 20_000

  /// Whether calling the function may make nodes; `env` says what its generics stand for.
  func isReactive(_ item: ItemID, in env: Env) -> Bool {
    effects.isReactive(item) && reaches(key(item, heads(env)))
  }

  /// Whether evaluating an expression may make nodes, by what it mentions and by the closures that `env` binds.
  func isReactive(_ expr: ExprID, in env: Env, depth: Int) -> Bool {
    guard let found = mentions(expr, heads(env), in: env, depth: depth) else { return true }
    for key in found where effects.isReactive(key.item) && reaches(key) { return true }
    return false
  }

  /// Whether one of a set of built-ins makes nodes where its first argument has a type.
  func isReactive(_ rows: [Int], firstArgument: DataType?) -> Bool {
    if rows.count > 1, let firstArgument, let row = chooseRow(rows, firstArgument: firstArgument) {
      return Effects.isReactive(row: row)
    }
    return rows.contains(where: Effects.isReactive)
  }

  /// A search through the functions that a function calls, nearest first.
  private func reaches(_ start: Key) -> Bool {
    if let known = reactiveInstances.known[start] { return known }
    var found = [start]
    var callers = [-1]
    var seen: Set<Key> = [start]
    var next = 0
    while next < found.count {
      let calls = self.calls(of: found[next])
      if calls == nil || calls?.contains(where: { reactiveInstances.known[$0] == true }) == true
        || found.count > Self.searchLimit
      {
        var place = next
        while place >= 0 {
          reactiveInstances.known[found[place]] = true
          place = callers[place]
        }
        return true
      }
      for call in calls ?? [] where reactiveInstances.known[call] == nil && seen.insert(call).inserted {
        found.append(call)
        callers.append(next)
      }
      next += 1
    }
    for key in found { reactiveInstances.known[key] = false }
    return false
  }

  /// The functions that a function calls and that might be reactive; nil if it is so itself.
  private func calls(of key: Key) -> [Key]? {
    guard case .definition(let definition) = program.tree[key.item],
      !Effects.mentionsEvents(program, scheme: program.schemes[key.item])
    else { return nil }
    return mentions(definition.body, key.heads, in: nil, depth: 0)?.filter { effects.isReactive($0.item) }
  }

  /// The functions that an expression mentions; nil if it mentions a reactive built-in or a reactive closure. Local
  /// functions count where they are mentioned, and closures where `env` binds them.
  private func mentions(_ root: ExprID, _ heads: Heads, in env: Env?, depth: Int) -> [Key]? {
    var result: [Key] = []
    var pending = [root]
    while let expr = pending.popLast() {
      switch program.resolutions[expr.index] {
      case .builtin(let rows):
        var first: DataType?
        if case .function(let parameters, _) = program[type(of: expr)] {
          first = parameters.first.flatMap { head($0, heads) }
        }
        if isReactive(rows, firstArgument: first) { return nil }
      case .function(let item, let instance):
        var inner = heads
        for (generic, type) in zip(program.schemes[item]?.generics ?? [], instance) {
          inner[generic] = head(type, heads)
        }
        result.append(key(item, inner))
      case .binder(let pattern, _):
        if case .closure(let inner)? = env?.lookup(pattern), isReactive(inner, depth: depth + 1) { return nil }
      case .none, .input, .constructor: break
      }
      guard case .block(let items, let value) = program.tree[expr] else {
        program.tree.forEachChild(of: expr) { pending.append($0) }
        continue
      }
      pending.append(value)
      for item in items {
        if case .definition(let definition) = program.tree[item], case .value = definition.binder {
          pending.append(definition.body)
        }
      }
    }
    return result
  }

  /// A function of the top level sees its own generics only.
  private func key(_ item: ItemID, _ heads: Heads) -> Key {
    guard topLevel.contains(item) else { return Key(item: item, heads: heads) }
    let own = program.schemes[item]?.generics ?? []
    return Key(item: item, heads: heads.filter { own.contains($0.key) })
  }

  // MARK: Heads

  private func heads(_ env: Env) -> Heads { env.generics.mapValues { head(core.types[$0]) } }

  private func head(_ type: DataType) -> DataType {
    switch type {
    case .unit, .bool, .int, .float, .string: type
    case .list: .list(.unit)
    case .map: .map(.unit, .unit)
    case .tuple: .tuple([])
    case .record: .record([])
    case .variant(let id, _): .variant(id, [])
    case .function: .function([], .unit)
    case .event: .event(.unit)
    case .task: .task(.unit)
    case .source: .source(.unit)
    }
  }

  private func head(_ type: Ty, _ heads: Heads) -> DataType? {
    switch program[type] {
    case .error: nil
    case .generic(let generic): heads[generic]
    case .unit: .unit
    case .bool: .bool
    case .int: .int
    case .float: .float
    case .string: .string
    case .list: .list(.unit)
    case .map: .map(.unit, .unit)
    case .event: .event(.unit)
    case .task: .task(.unit)
    case .tuple: .tuple([])
    case .record: .record([])
    case .nominal(.source, _): .source(.unit)
    case .nominal(let id, _): .variant(id, [])
    case .function: .function([], .unit)
    }
  }
}
