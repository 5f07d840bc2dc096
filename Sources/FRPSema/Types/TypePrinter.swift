// Types as a program writes them, while they are inferred: `(List<a>, (a) -> b) -> List<b>`.
//
// Undecided variables get letters in order of appearance; a number that may still be Int or Float prints as `number`.
// A record that an alias of the program names prints as that name.
// A text that grows beyond `maximalLength` is cut with `…`.

import FRPBase
import FRPCore

struct TypePrinter {
  private let store: TypeStore
  private let nominalNames: [String]
  private let aliases: AliasNames
  private var names: [Int32: String] = [:]
  private var taken: Set<String> = []
  private var length = 0

  static let maximalLength = 400

  init(_ store: TypeStore, nominalNames: [String], aliases: AliasNames) {
    self.store = store
    self.aliases = aliases
    self.nominalNames = nominalNames
  }

  mutating func text(_ type: Ty) -> String {
    length = 0
    return visit(type, 0)
  }

  private mutating func visit(_ type: Ty, _ depth: Int) -> String {
    let root = store.find(type)
    length += 2
    if length > Self.maximalLength || depth > 40 { return "…" }
    switch store.nodes[root.index] {
    case .error, .link: return "?"
    case .unit: return "()"
    case .bool: return "Bool"
    case .int: return "Int"
    case .float: return "Float"
    case .string: return "String"
    case .variable(let index): return letter(root, store.variables[index].classes, given: store.variables[index].rigid)
    case .generic(let id):
      let generic = store.generics[Int(id.raw)]
      return letter(root, generic.classes, given: generic.name)
    case .list(let a): return "List<\(visit(a, depth + 1))>"
    case .event(let a): return "Event<\(visit(a, depth + 1))>"
    case .task(let a): return "Task<\(visit(a, depth + 1))>"
    case .map(let k, let v): return "Map<\(visit(k, depth + 1)), \(visit(v, depth + 1))>"
    case .tuple(let list): return "(\(join(list, depth)))"
    case .nominal(let id, let list):
      let name = nominalNames.indices.contains(id.index) ? nominalNames[id.index] : "?"
      return list.isEmpty ? name : "\(name)<\(join(list, depth))>"
    case .function(let list, let result): return "(\(join(list, depth))) -> \(visit(result, depth + 1))"
    case .record(let fields, let tail): return record(fields, tail, depth: depth)
    }
  }

  private mutating func record(_ fields: [RecordFieldType], _ tail: Ty?, depth: Int) -> String {
    let row = store.row(fields, tail)
    if row.tail == nil, let name = aliases.name(of: row.fields, in: store) { return name }
    var parts: [String] = []
    for field in row.fields {
      length += field.name.utf8.count + 2
      parts.append("\(fieldText(field.name)): \(visit(field.type, depth + 1))")
    }
    if let tail = row.tail, !store.isError(tail) { parts.append("...") }
    return "{\(parts.joined(separator: ", "))}"
  }

  private mutating func join(_ list: [Ty], _ depth: Int) -> String {
    var parts: [String] = []
    for type in list { parts.append(visit(type, depth + 1)) }
    return parts.joined(separator: ", ")
  }

  private mutating func letter(_ root: Ty, _ classes: ClassSet, given: String?) -> String {
    if classes.contains(.num) { return "number" }
    if let name = names[root.raw] { return name }
    var name = given ?? ""
    if given == nil || taken.contains(name) {
      var index = 0
      repeat {
        let scalar = UnicodeScalar(UInt8(97 + index % 26))
        name = String(Character(scalar)) + (index < 26 ? "" : "\(index / 26)")
        index += 1
      } while taken.contains(name)
    }
    names[root.raw] = name
    taken.insert(name)
    return name
  }
}
