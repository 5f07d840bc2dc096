// Types as the page reads them, to choose controls and views: see README.md.

import FRPBase
import FRPCore

struct PageTypes {
  let types: TypeTable

  /// A type as JSON. What holds itself is named where it comes again.
  func json(_ type: TypeID) -> String { json(type, within: []) }

  private func json(_ type: TypeID, within outer: Set<TypeID>) -> String {
    func inner(_ type: TypeID) -> String { json(type, within: outer) }
    switch types[type] {
    case .unit: return "\"Unit\""
    case .bool: return "\"Bool\""
    case .int: return "\"Int\""
    case .float: return "\"Float\""
    case .string: return "\"String\""
    case .list(let element): return "{\"list\":\(inner(element))}"
    case .map(let key, let value): return "{\"map\":[\(inner(key)),\(inner(value))]}"
    case .tuple(let elements): return "{\"tuple\":[\(elements.map(inner).joined(separator: ","))]}"
    case .record(let fields):
      let list = fields.map { "[\(jsonString($0.name)),\(inner($0.type))]" }
      return "{\"record\":[\(list.joined(separator: ","))]}"
    case .variant(.option, let arguments): return "{\"option\":\(inner(arguments[0]))}"
    case .variant(.result, let arguments): return "{\"result\":[\(inner(arguments[0])),\(inner(arguments[1]))]}"
    case .variant(.set, let arguments): return "{\"set\":\(inner(arguments[0]))}"
    case .variant(.json, _): return "\"Json\""
    case .variant(.secret, _): return "{\"other\":\"Secret\"}"
    case .variant: return variants(type, outer)
    case .event(let payload): return inner(payload)
    case .function, .task, .source: return "{\"other\":\(jsonString(types.describe(type)))}"
    }
  }

  private func variants(_ type: TypeID, _ outer: Set<TypeID>) -> String {
    let name = jsonString(types.describe(type))
    if outer.contains(type) { return "{\"ref\":\(name)}" }
    let cases = (types.constructors[type] ?? []).map { constructor in
      let fields = constructor.fields.enumerated().map { place, field in
        "[\(constructor.labels.map { jsonString($0[place]) } ?? "null"),\(json(field, within: outer.union([type])))]"
      }
      return "[\(jsonString(constructor.name)),[\(fields.joined(separator: ","))]]"
    }
    return "{\"variants\":\(name),\"cases\":[\(cases.joined(separator: ","))]}"
  }
}
