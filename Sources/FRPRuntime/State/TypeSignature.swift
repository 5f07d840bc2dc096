// Whether two programs mean the same by a type: its text with the constructors of its variants written out.

import FRPCore

extension TypeTable {
  /// The type of another program that means the same; nil if that program has none. Cost: linear in its types.
  public func counterpart(of id: TypeID, in other: TypeTable) -> TypeID? {
    let signature = TypeSignature(self, id)
    return other.types.indices.lazy.map { TypeID($0) }.first { TypeSignature(other, $0) == signature }
  }
}

/// A type, free of the numbers of its program.
struct TypeSignature: Hashable {
  var text: String
  /// Whether values of it may hold functions or tasks, which belong to one program's code.
  var holdsCode: Bool

  init(_ types: TypeTable, _ id: TypeID) {
    var parts: [String] = [types.describe(id)]
    var seen: Set<TypeID> = [id]
    var pending = [id]
    var holdsCode = false
    while let next = pending.popLast() {
      for part in TypeSignature.parts(types, next, text: &parts, holdsCode: &holdsCode) where seen.insert(part).inserted
      {
        pending.append(part)
      }
    }
    text = parts.joined(separator: ";")
    self.holdsCode = holdsCode
  }

  private static func parts(_ types: TypeTable, _ id: TypeID, text: inout [String], holdsCode: inout Bool)
    -> [TypeID]
  {
    switch types[id] {
    case .unit, .bool, .int, .float, .string: return []
    case .list(let element), .event(let element): return [element]
    case .map(let key, let value): return [key, value]
    case .tuple(let elements): return elements
    case .record(let fields): return fields.map(\.type)
    case .variant(.set, let arguments): return arguments
    case .variant:
      let constructors = types.constructors[id] ?? []
      for constructor in constructors {
        let fields = constructor.fields.map(types.describe).joined(separator: ",")
        text.append("\(types.describe(id))=\(constructor.name)\(constructor.labels ?? [])(\(fields))")
      }
      return constructors.flatMap(\.fields)
    case .function, .task, .source:
      holdsCode = true
      return []
    }
  }
}
