// A Decoder over FrpValue: see Coded.swift for what becomes of what.

/// Reads a Codable type from a value.
struct FrpDecoder: Decoder {
  let value: FrpValue
  let codingPath: [any CodingKey]
  /// How the fields of a variant are found that are asked for by their labels.
  var labels = Labels()
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// What an Option holds, or the value itself.
  private var content: FrpValue {
    if case .tagged("Some", let fields) = value, fields.count == 1 { return fields[0] }
    return value
  }

  func failure(_ expected: String) -> ConversionFailure {
    ConversionFailure(path: codingPath, expected: expected, found: value.kind)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let fields: [(String, FrpValue)]
    var places: Labels?
    switch content {
    case .record(let record): fields = record.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    case .map(let entries):
      fields = try entries.map { entry in
        guard case .text(let key) = entry.key else { throw failure("a map with String keys") }
        return (key, entry.value)
      }
    case .tagged(let name, let payload):
      // An enum: its case, and under it the payload by place.
      let items = payload.enumerated().map { ("_\($0.offset)", $0.element) }
      fields = [(name.withSmallFirst, .record(Dictionary(items) { first, _ in first }))]
      places = labels
    default: throw failure("a record")
    }
    return KeyedDecodingContainer(KeyedSource<Key>(decoder: self, fields: fields, payload: places))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let list) = content else { throw failure("a list") }
    return UnkeyedSource(decoder: self, items: list)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleSource(decoder: self) }

  var isNil: Bool {
    switch value {
    case .unit, .tagged("None", _): true
    default: false
    }
  }

  // MARK: Scalars

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let kind = type as? any FrpConvertible.Type, kind is Int.Type || kind is Double.Type || kind is Bool.Type {
      do throws(ConversionFailure) {
        if let value = try kind.init(frpValue: content) as? Value { return value }
      } catch {
        throw failure(error.expected)
      }
    }
    if type == String.self, let text = try text() as? Value { return text }
    return try Value(from: FrpDecoder(value: value, codingPath: codingPath))
  }

  /// A String; of a variant without fields its name, for enums of Strings.
  private func text() throws -> String {
    switch content {
    case .text(let text): return text
    case .tagged(let name, let fields) where fields.isEmpty: return name.withSmallFirst
    default: throw failure("String")
    }
  }

  func integer<Number: BinaryInteger>(_ type: Number.Type) throws -> Number {
    guard case .integer(let value) = content, let number = Number(exactly: value) else { throw failure("\(type)") }
    return number
  }
}

extension String {
  /// `Circle` is `circle` in Swift.
  var withSmallFirst: String { prefix(1).lowercased() + dropFirst() }
  /// And the other way round.
  var withLargeFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// Labels of a case's payload. Values have them by place: the first that is asked for is the first, and so on. When a
/// handle is made the program's labels are known, and the order is looked at afterwards.
final class Labels {
  private let known: [String]?
  private(set) var asked: [String] = []

  init(_ known: [String]? = nil) { self.known = known }

  func place(of label: String) -> Int? {
    let place = asked.firstIndex(of: label)
    if place == nil { asked.append(label) }
    if let known { return known.firstIndex(of: label) }
    return place ?? asked.count - 1
  }
}

private struct KeyedSource<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: FrpDecoder
  let fields: [(name: String, value: FrpValue)]
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { fields.compactMap { Key(stringValue: $0.name) } }
  /// Of an enum's case: for the payload below it.
  let payload: Labels?
  /// Of a payload: for its fields.
  let places: Labels?

  init(decoder: FrpDecoder, fields: [(String, FrpValue)], payload: Labels? = nil, places: Labels? = nil) {
    self.decoder = decoder
    self.payload = payload
    self.places = places
    self.fields = fields.map { (name: $0.0, value: $0.1) }
  }

  func contains(_ key: Key) -> Bool { field(key) != nil }

  private func field(_ key: any CodingKey) -> FrpValue? {
    if let field = fields.first(where: { $0.name == key.stringValue }) { return field.value }
    guard let place = places?.place(of: key.stringValue) else { return nil }
    return fields.first { $0.name == "_\(place)" }?.value
  }

  private func inner(_ key: any CodingKey) throws -> FrpDecoder {
    guard let value = field(key) else {
      throw ConversionFailure(path: codingPath + [key], expected: "a value", found: "no such field")
    }
    return FrpDecoder(value: value, codingPath: codingPath + [key])
  }

  func decodeNil(forKey key: Key) throws -> Bool { try inner(key).isNil }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try inner(key).decode(type) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  {
    let inner = try inner(key)
    guard let payload, case .record(let record) = inner.value else { return try inner.container(keyedBy: type) }
    let fields = record.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    return KeyedDecodingContainer(KeyedSource<Nested>(decoder: inner, fields: fields, places: payload))
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try inner(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { try inner(FrpKey(stringValue: "super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try inner(key) }
}

private struct UnkeyedSource: UnkeyedDecodingContainer {
  let decoder: FrpDecoder
  let items: [FrpValue]
  var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { items.count }
  var isAtEnd: Bool { currentIndex >= items.count }

  private mutating func next() throws -> FrpDecoder {
    let path = codingPath + [FrpKey(intValue: currentIndex)]
    guard !isAtEnd else { throw ConversionFailure(path: path, expected: "a value", found: "the end of the list") }
    currentIndex += 1
    return FrpDecoder(value: items[currentIndex - 1], codingPath: path)
  }

  mutating func decodeNil() throws -> Bool {
    if isAtEnd || !FrpDecoder(value: items[currentIndex], codingPath: []).isNil { return false }
    currentIndex += 1
    return true
  }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }
  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try next().container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
  mutating func superDecoder() throws -> any Decoder { try next() }
}

private struct SingleSource: SingleValueDecodingContainer {
  let decoder: FrpDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.isNil }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.decode(type) }
  func decode(_ type: String.Type) throws -> String { try decoder.decode(type) }
  func decode(_ type: Double.Type) throws -> Double { try decoder.decode(type) }
  func decode(_ type: Float.Type) throws -> Float { Float(try decoder.decode(Double.self)) }
  func decode(_ type: Int.Type) throws -> Int { try decoder.integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer(type) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
}
