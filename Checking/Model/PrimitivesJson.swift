// The pure operations on Json: data of any form.

import FRPCore

extension Model {
  func jsonFunction(
    _ prim: Prim, _ v: [ModelValue], _ types: [TypeID], _ result: TypeID
  ) throws -> ModelValue? {
    switch prim {
    case .jsonOf:
      // What its JSON reads as.
      guard let json = JSON(core.types.json(v[0], types[0])), let value = core.types.value(json, result) else {
        throw ModelFault("no JSON")
      }
      return value
    case .jsonAt:
      var json = v[0]
      for step in try list(v[1]) {
        guard let next = try part(json, string(step)) else { return ModelValue.none }
        json = next
      }
      return ModelValue.some(json)
    case .jsonContent: return .option(content(v[0], result))
    default: return nil
    }
  }

  /// What stands at a key of an object, or at an index of a list.
  private func part(_ json: ModelValue, _ key: String) throws -> ModelValue? {
    guard case .data(let tag, let parts) = json, let content = parts.first else { return nil }
    switch (JsonCase(rawValue: tag), content) {
    case (.object, .map(let entries)):
      return entries.first { ModelValue.equal($0.key, .string(key)) }?.value
    case (.list, .list(let items)):
      return Int(key).flatMap { items.indices.contains($0) ? items[$0] : nil }
    default: return nil
    }
  }

  /// What Json holds, if that is what an Option of this type may hold.
  private func content(_ json: ModelValue, _ option: TypeID) -> ModelValue? {
    guard case .data(let tag, let parts) = json, let content = parts.first,
      let wanted = core.types.constructors[option]?[1].fields[0]
    else { return nil }
    switch (JsonCase(rawValue: tag), content, core.types[wanted]) {
    case (.int, .int(let x), .float): return .float(Double(x))
    case (.int, _, .int), (.float, _, .float), (.string, _, .string), (.bool, _, .bool), (.list, _, .list),
      (.object, _, .map):
      return content
    default: return nil
    }
  }
}
