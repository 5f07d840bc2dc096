// Which row of an overloaded built-in is meant (section 5 of the language: chosen by the type of the first argument).
//
// In:  rows of one name and the outermost shape of the first argument.
// Out: the row; all that are possible while the shape is open; or none.
// Rules, in order: the row of the shape's container (`List`, `Option`, `Result`, `Map`, `Set`, `String`, `Event`, `Task`);
// a row whose first parameter has that shape; a row of another container (`Behavior`, `Math`) that takes anything.

import FRPCore

/// The outermost constructor of a type.
enum Head: Hashable {
  case open(ClassSet)
  case error
  case unit, bool, int, float, string, list, map, event, task, tuple, record, function
  case nominal(NominalID)

  /// The container whose rows it chooses.
  var container: String? {
    switch self {
    case .list: return "List"
    case .map: return "Map"
    case .string: return "String"
    case .event: return "Event"
    case .task: return "Task"
    case .nominal(.option): return "Option"
    case .nominal(.result): return "Result"
    case .nominal(.set): return "Set"
    case .nominal(.source): return "Source"
    default: return nil
    }
  }

  /// Whether a type of this head can belong to classes.
  func allows(_ classes: ClassSet) -> Bool {
    switch self {
    case .open, .error: return true
    case .int, .float: return !classes.contains(.append)
    case .string: return !classes.contains(.num)
    case .list: return !classes.contains(.num)
    case .tuple: return classes.isDisjoint(with: [.num, .append])
    case .event: return classes.isEmpty
    case .task, .function: return classes.isSubset(of: .value)
    case .nominal(.secret): return classes.isDisjoint(with: [.num, .ord])
    case .unit, .bool, .map, .record, .nominal: return classes.isDisjoint(with: [.num, .ord, .append])
    }
  }
}

enum RowChoice {
  case one(Int)
  case many([Int])
  case none
}

extension SignatureType {
  /// Its head; a variable is open, with its classes.
  func head(_ classes: [String: ClassSet]) -> Head {
    switch self {
    case .error: return .error
    case .variable(let name): return .open(classes[name] ?? [])
    case .unit: return .unit
    case .bool: return .bool
    case .int: return .int
    case .float: return .float
    case .string: return .string
    case .list: return .list
    case .map: return .map
    case .event: return .event
    case .task: return .task
    case .tuple: return .tuple
    case .record: return .record
    case .nominal(let id, _): return .nominal(id)
    case .function: return .function
    }
  }
}

extension Signature {
  /// The head of the first parameter; nil for values and functions without parameters.
  var firstHead: Head? { parameters?.first?.type.head(classes) }
}

private let containersByShape: Set<String> = [
  "List", "Option", "Result", "Map", "Set", "String", "Event", "Task", "Source",
]

func chooseRow(_ rows: [Int], head: Head) -> RowChoice {
  if case .error = head { return rows.first.map { .many([$0]) } ?? .none }
  if case .open(let classes) = head {
    let possible = rows.filter { Signature.all[$0].firstHead?.allows(classes) ?? true }
    return possible.isEmpty ? .none : possible.count == 1 ? .one(possible[0]) : .many(possible)
  }
  let heads = rows.map { ($0, Signature.all[$0].firstHead) }
  if let container = head.container,
    let hit = heads.first(where: { Builtins.all[$0.0].container == container && fits($0.1, head) })
  {
    return .one(hit.0)
  }
  if let hit = heads.first(where: { $0.1 == head }) { return .one(hit.0) }
  let general = heads.first { row, first in
    guard case .open = first else { return false }
    return !containersByShape.contains(Builtins.all[row].container) && fits(first, head)
  }
  return general.map { .one($0.0) } ?? .none
}

private func fits(_ parameter: Head?, _ head: Head) -> Bool {
  guard let parameter else { return false }
  if case .open(let classes) = parameter { return head.allows(classes) }
  return parameter == head
}

/// The row of an overload set that a first argument of a monomorphic type means; nil where none does, which a checked
/// program never has. A set of one row is that row, whatever the argument.
package func chooseRow(_ rows: [Int], firstArgument: DataType) -> Int? {
  if rows.count == 1 { return rows[0] }
  let head: Head
  switch firstArgument {
  case .unit: head = .unit
  case .bool: head = .bool
  case .int: head = .int
  case .float: head = .float
  case .string: head = .string
  case .list: head = .list
  case .map: head = .map
  case .tuple: head = .tuple
  case .record: head = .record
  case .variant(let id, _): head = .nominal(id)
  case .function: head = .function
  case .event: head = .event
  case .task: head = .task
  case .source: head = .nominal(.source)
  }
  if case .one(let row) = chooseRow(rows, head: head) { return row }
  return nil
}

/// What all rows of an overload set have in common (their least general generalisation): `(x, (y) -> z) -> w` for the
/// rows of `map`. It types the other arguments while the first is still open.
func skeleton(of rows: [Int], count: Int) -> Signature {
  var variables: [[SignatureType]: String] = [:]
  let signatures = rows.map { Signature.all[$0] }
  let columns = signatures.map { $0.parameters(forCount: count) ?? [] }
  var parameters: [SignatureParameter] = []
  for index in 0..<count {
    let type = common(columns.map { $0.indices.contains(index) ? $0[index].type : .error }, &variables)
    parameters.append(SignatureParameter(type: type, isPlain: false, isBehavior: false))
  }
  return Signature(parameters: parameters, result: common(signatures.map(\.result), &variables))
}

private func common(_ types: [SignatureType], _ variables: inout [[SignatureType]: String]) -> SignatureType {
  func column(_ lists: [[SignatureType]]) -> [SignatureType] {
    guard let count = lists.first?.count else { return [] }
    return (0..<count).map { index in common(lists.map { $0[index] }, &variables) }
  }
  func variable() -> SignatureType {
    let name = variables[types] ?? "v\(variables.count)"
    variables[types] = name
    return .variable(name)
  }
  let lists = types.map(\.children)
  guard let first = types.first, Set(types.map(\.shape)).count == 1, Set(lists.map(\.count)).count == 1 else {
    return variable()
  }
  switch first {
  case .variable: return variable()
  case .error, .unit, .bool, .int, .float, .string: return first
  default: return first.withChildren(column(lists))
  }
}

extension SignatureType {
  var children: [SignatureType] {
    switch self {
    case .error, .variable, .unit, .bool, .int, .float, .string: return []
    case .list(let a), .event(let a), .task(let a): return [a]
    case .map(let a, let b): return [a, b]
    case .tuple(let list), .nominal(_, let list): return list
    case .record(let fields, _): return fields.map(\.type)
    case .function(let list, let last): return list + [last]
    }
  }

  /// The type without its children, so that two types of one shape can be walked side by side.
  var shape: SignatureType {
    if case .variable = self { return .variable("") }
    return withChildren(children.map { _ in .unit })
  }

  func withChildren(_ list: [SignatureType]) -> SignatureType {
    switch self {
    case .error, .variable, .unit, .bool, .int, .float, .string: return self
    case .list: return .list(list[0])
    case .event: return .event(list[0])
    case .task: return .task(list[0])
    case .map: return .map(list[0], list[1])
    case .tuple: return .tuple(list)
    case .nominal(let id, _): return .nominal(id, list)
    case .record(let fields, let isOpen):
      return .record(zip(fields, list).map { SignatureField(name: $0.name, type: $1) }, isOpen: isOpen)
    case .function: return .function(Array(list.dropLast()), list[list.count - 1])
    }
  }
}
