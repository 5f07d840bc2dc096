// JSON of the protocol: trees that are written, and objects that are looked into as far as somebody asks (`JSONParts`).

import FRPBase

/// A JSON value to write.
indirect enum JSONTree: Sendable {
  case null
  case bool(Bool)
  case int(Int)
  case text(String)
  case array([JSONTree])
  case object([(name: String, value: JSONTree)])

  /// As it goes over the wire.
  var json: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .text(let text): jsonString(text)
    case .array(let items): "[" + items.map(\.json).joined(separator: ",") + "]"
    case .object(let fields):
      "{" + fields.map { "\(jsonString($0.name)):\($0.value.json)" }.joined(separator: ",") + "}"
    }
  }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(integerLiteral value: Int) { self = .int(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(arrayLiteral elements: JSONTree...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSONTree)...) { self = .object(elements.map { ($0, $1) }) }
  init(nilLiteral: ()) { self = .null }
}

/// An object of a message; what is missing, or of another kind, is nil or empty.
struct JSONObject {
  private let fields: [String: String]

  /// Empty where the text is no object.
  init(_ json: String?) {
    fields = Dictionary(json.flatMap(JSONParts.object) ?? []) { $1 }
  }

  /// The text of a value.
  subscript(name: String) -> String? { fields[name] }

  func object(_ name: String) -> JSONObject { JSONObject(fields[name]) }

  func string(_ name: String) -> String? { fields[name].flatMap(JSONParts.string) }

  func int(_ name: String) -> Int? { fields[name].flatMap { Int($0) } }

  func array(_ name: String) -> [String] { fields[name].flatMap(JSONParts.array) ?? [] }
}
