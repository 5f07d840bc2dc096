// Types of a checked program as people read them: for golden files, hovers and the prompt.
//
// `Behavior<…>` is left out (behaviors are typed as their values). Classes stand before `=>`, overloaded built-ins
// that the callers decide after `where`: `Num a => (a) -> a`, `(a) -> Int where size(a)`.

import FRPBase
import FRPCore
import FRPSyntax

extension TypedProgram {
  /// The type of a definition. Cost: O(size of the text).
  package func describe(_ scheme: Scheme, of item: ItemID? = nil) -> String {
    var description = TypeDescription(program: self)
    let text = description.text(scheme.type, 0)
    var context: [String] = []
    for (generic, name) in description.order {
      let classes = genericClasses.indices.contains(Int(generic.raw)) ? genericClasses[Int(generic.raw)] : []
      context += classes.shownNames.map { "\($0) \(name)" }
    }
    var uses: [String] = []
    // In an order that does not depend on that of the definitions: by name, what the type mentions first.
    let open = (item.flatMap { openOverloads[$0] } ?? []).enumerated().map { place, use in
      (use: use, rank: (use.name, description.mentions(use.firstArgument) ? 0 : 1, place))
    }
    for (use, _) in open.sorted(by: { $0.rank < $1.rank }) {
      let line = "\(use.name)(\(description.text(use.firstArgument, 0)))"
      if !uses.contains(line) { uses.append(line) }
    }
    let prefix = context.isEmpty ? "" : context.joined(separator: ", ") + " => "
    return prefix + text + (uses.isEmpty ? "" : " where " + uses.joined(separator: ", "))
  }

  package func describe(_ type: Ty) -> String {
    var description = TypeDescription(program: self)
    return description.text(type, 0)
  }
}

private struct TypeDescription {
  let program: TypedProgram
  var names: [GenericID: String] = [:]
  var order: [(GenericID, String)] = []
  private var length = 0

  init(program: TypedProgram) { self.program = program }

  /// Whether all generics of a type have their letters.
  func mentions(_ type: Ty) -> Bool {
    var probe = self
    _ = probe.text(type, 0)
    return probe.names.count == names.count
  }

  mutating func text(_ type: Ty, _ depth: Int) -> String {
    length += 2
    if length > 20_000 || depth > 200 { return "…" }
    switch program[type] {
    case .error: return "?"
    case .unit: return "()"
    case .bool: return "Bool"
    case .int: return "Int"
    case .float: return "Float"
    case .string: return "String"
    case .generic(let id): return letter(id)
    case .list(let a): return "List<\(text(a, depth + 1))>"
    case .event(let a): return "Event<\(text(a, depth + 1))>"
    case .task(let a): return "Task<\(text(a, depth + 1))>"
    case .map(let k, let v):
      let key = text(k, depth + 1)
      return "Map<\(key), \(text(v, depth + 1))>"
    case .tuple(let list): return "(\(join(list, depth)))"
    case .nominal(let id, let list):
      let name = program.nominals[id.index].name
      return list.isEmpty ? name : "\(name)<\(join(list, depth))>"
    case .function(let list, let result):
      let parameters = join(list, depth)
      return "(\(parameters)) -> \(text(result, depth + 1))"
    case .record(let fields, let tail):
      var parts: [String] = []
      for field in fields { parts.append("\(fieldText(field.name)): \(text(field.type, depth + 1))") }
      if let tail { parts.append("...\(text(tail, depth + 1))") }
      return "{\(parts.joined(separator: ", "))}"
    }
  }

  private mutating func join(_ list: [Ty], _ depth: Int) -> String {
    var parts: [String] = []
    for type in list { parts.append(text(type, depth + 1)) }
    return parts.joined(separator: ", ")
  }

  private mutating func letter(_ id: GenericID) -> String {
    if let name = names[id] { return name }
    let index = names.count
    let scalar = UnicodeScalar(UInt8(97 + index % 26))
    let name = String(Character(scalar)) + (index < 26 ? "" : "\(index / 26)")
    names[id] = name
    order.append((id, name))
    return name
  }
}
