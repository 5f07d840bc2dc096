// The names that a program's aliases give to record types: messages say `Player`, not what is in one.

import FRPCore

struct AliasNames {
  /// Aliases of closed records, by their field names.
  private var byFields: [[String]: [(name: String, fields: [RecordFieldType])]] = [:]

  /// The records that have a name, in order.
  private(set) var named: [(name: String, type: Ty)] = []

  /// Notes an alias without parameters; others, and types that are no records, are passed over.
  mutating func add(_ name: String, _ type: Ty, in store: TypeStore) {
    guard case .record(let fields, let tail) = store[type] else { return }
    let row = store.row(fields, tail)
    guard row.tail == nil, !row.fields.isEmpty else { return }
    byFields[row.fields.map(\.name), default: []].append((name, row.fields))
    named.append((name, type))
  }

  /// The first alias of exactly these fields. Cost: O(nodes) for each alias with the same field names.
  func name(of fields: [RecordFieldType], in store: TypeStore) -> String? {
    byFields[fields.map(\.name)]?.first { alias in
      zip(alias.fields, fields).allSatisfy { Self.isSame($0.type, $1.type, store: store, depth: 0) }
    }?.name
  }

  private static func isSame(_ a: Ty, _ b: Ty, store: TypeStore, depth: Int) -> Bool {
    let x = store.find(a)
    let y = store.find(b)
    if x == y { return true }
    if depth > 20 { return false }
    func all(_ xs: [Ty], _ ys: [Ty]) -> Bool {
      xs.count == ys.count && zip(xs, ys).allSatisfy { isSame($0, $1, store: store, depth: depth + 1) }
    }
    switch (store[x], store[y]) {
    case (.unit, .unit), (.bool, .bool), (.int, .int), (.float, .float), (.string, .string): return true
    case (.nominal(let m, let xs), .nominal(let n, let ys)): return m == n && all(xs, ys)
    case (.record(let f, let t), .record(let g, let u)):
      let left = store.row(f, t)
      let right = store.row(g, u)
      return left.tail == nil && right.tail == nil && left.fields.map(\.name) == right.fields.map(\.name)
        && all(left.fields.map(\.type), right.fields.map(\.type))
    case (.list, .list), (.map, .map), (.event, .event), (.task, .task), (.tuple, .tuple), (.function, .function):
      return all(store.parts(x), store.parts(y))
    default: return false
    }
  }
}
