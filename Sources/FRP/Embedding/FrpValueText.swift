// FrpValue -> JSON, as outputs write it. What a type would say and a value does not (an empty map is an object) is taken
// from the value.

import FRPBase

extension FrpValue {
  /// The value as JSON: Unit and None are `null`, Some is its content, variants are `"Name"`, `{"Name": x}` or
  /// `{"Name": [x, y]}`, records and maps with String keys are objects, other maps arrays of pairs.
  public var json: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .unit, .tagged("None", []): text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += "\(value)"
    case .number(let value): text += "\(value)"
    case .text(let value): text += jsonString(value)
    case .list(let list): Self.write(list, to: &text)
    case .record(let fields):
      Self.object(fields.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }, to: &text)
    case .map(let entries): Self.write(entries, to: &text)
    case .tagged(FrpValue.secretTag, _): text += jsonString("•••")
    case .tagged("Some", let fields) where fields.count == 1: writeContent(fields[0], to: &text)
    case .tagged(let name, let fields):
      if fields.isEmpty { return text += jsonString(name) }
      Self.object([(key: name, value: fields.count == 1 ? fields[0] : .list(fields))], to: &text)
    }
  }

  /// What Some holds; where that would be `null`, the Some is told.
  private func writeContent(_ content: FrpValue, to text: inout String) {
    switch content {
    case .unit, .tagged("None", _), .tagged("Some", _): Self.object([(key: "Some", value: content)], to: &text)
    default: content.write(to: &text)
    }
  }

  private static func write(_ list: [FrpValue], to text: inout String) {
    text += "["
    for (index, value) in list.enumerated() {
      if index > 0 { text += "," }
      value.write(to: &text)
    }
    text += "]"
  }

  private static func write(_ entries: [Entry], to text: inout String) {
    let fields = entries.compactMap { entry -> (key: String, value: FrpValue)? in
      if case .text(let key) = entry.key { (key: key, value: entry.value) } else { nil }
    }
    if fields.count == entries.count { return object(fields, to: &text) }
    write(entries.map { FrpValue.list([$0.key, $0.value]) }, to: &text)
  }

  private static func object(_ fields: [(key: String, value: FrpValue)], to text: inout String) {
    text += "{"
    for (index, field) in fields.enumerated() {
      if index > 0 { text += "," }
      text += jsonString(field.key)
      text += ":"
      field.value.write(to: &text)
    }
    text += "}"
  }
}
