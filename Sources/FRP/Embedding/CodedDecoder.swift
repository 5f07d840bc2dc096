// A Decoder over FrpValue: see Coded.swift for what becomes of what.

import FRPCore
import FRPRuntime

/// Reads a Codable type from a value.
struct FrpDecoder: Decoder {
  /// A value, or a word of a heap that nothing collects meanwhile.
  enum Source {
    case value(FrpValue)
    case word(Word, TypeID, ValueBridge)
  }

  let source: Source
  var place = CodingPlace.top
  /// How the fields of a variant are found that are asked for by their labels.
  var labels = Labels()
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  var codingPath: [any CodingKey] { place.path }

  var value: FrpValue {
    switch source {
    case .value(let value): value
    case .word(let word, let type, let bridge): (try? bridge.value(word, type)) ?? .unit
    }
  }

  /// What an Option holds, or the value itself.
  private var content: FrpValue {
    let value = value
    if case .tagged("Some", let fields) = value, fields.count == 1 { return fields[0] }
    return value
  }

  /// The same of a word: its type, and where that is an Option what it holds.
  private var contentWord: (word: Word, type: TypeID, bridge: ValueBridge)? {
    guard case .word(let word, let type, let bridge) = source else { return nil }
    if case .variant(.option, let arguments) = bridge.heap.shapes.types[type], word.isObject, arguments.count == 1 {
      return (word.field(0), arguments[0], bridge)
    }
    return (word, type, bridge)
  }

  func failure(_ expected: String) -> ConversionFailure {
    ConversionFailure(path: codingPath, expected: expected, found: value.kind)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    if let (word, id, bridge) = contentWord, case .record(let fields) = bridge.heap.shapes.types[id] {
      return KeyedDecodingContainer(WordFields<Key>(decoder: self, word: word, fields: fields, bridge: bridge))
    }
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
    if let (word, id, bridge) = contentWord, case .list(let element) = bridge.heap.shapes.types[id] {
      return UnkeyedSource(decoder: self, items: ListView(word).map { .word($0, element, bridge) })
    }
    guard case .list(let list) = content else { throw failure("a list") }
    return UnkeyedSource(decoder: self, items: list.map { .value($0) })
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleSource(decoder: self) }

  var isNil: Bool {
    if case .word(let word, let type, let bridge) = source {
      switch bridge.heap.shapes.types[type] {
      case .unit: return true
      case .variant(.option, _): return !word.isObject
      default: break
      }
    }
    switch value {
    case .unit, .tagged("None", _): return true
    default: return false
    }
  }

  // MARK: Scalars

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if type == Int.self, let value = try integer(Int.self) as? Value { return value }
    if type == Double.self, let value = try number() as? Value { return value }
    if type == Bool.self, let value = try flag() as? Value { return value }
    if type == String.self, let value = try text() as? Value { return value }
    if let option = type as? any DecodedOption.Type, let value = try read(option) as Value? { return value }
    return try Value(from: self)
  }

  /// An Optional. A value that was asked before whether it is nil (`decodeIfPresent`) has an Option more than the type.
  private func read<Option: DecodedOption, Value>(_ type: Option.Type) throws -> Value? {
    var decoder = self
    while decoder.optionDepth > type.depth, let inner = decoder.unwrapped { decoder = inner }
    return try Option.read(decoder) as Any as? Value
  }

  /// The Options around a value, as far as they can be seen.
  private var optionDepth: Int {
    var depth = 0
    if case .word(_, var type, let bridge) = source {
      while case .variant(.option, let arguments) = bridge.heap.shapes.types[type], arguments.count == 1 {
        depth += 1
        type = arguments[0]
      }
      return depth
    }
    var value = value
    while case .tagged("Some", let fields) = value, fields.count == 1 {
      depth += 1
      value = fields[0]
    }
    if case .tagged("None", _) = value { depth += 1 }
    return depth
  }

  /// What an Option holds; nil where it holds nothing, or there is none.
  fileprivate var unwrapped: FrpDecoder? {
    if case .word(let word, let type, let bridge) = source {
      guard case .variant(.option, let arguments) = bridge.heap.shapes.types[type], word.isObject, arguments.count == 1
      else { return nil }
      return FrpDecoder(source: .word(word.field(0), arguments[0], bridge), place: place, labels: labels)
    }
    guard case .tagged("Some", let fields) = value, fields.count == 1 else { return nil }
    return FrpDecoder(source: .value(fields[0]), place: place, labels: labels)
  }

  private func flag() throws -> Bool {
    if let (word, type, _) = contentWord, type == .bool { return word.bool }
    guard case .bool(let value) = content else { throw failure("Bool") }
    return value
  }

  private func number() throws -> Double {
    if let (word, type, _) = contentWord, type == .float { return word.float }
    do throws(ConversionFailure) { return try Double(frpValue: content) } catch { throw failure(error.expected) }
  }

  /// A String; of a variant without fields its name, for enums of Strings.
  private func text() throws -> String {
    if let (word, type, bridge) = contentWord, type == .string { return bridge.heap.swiftString(word) }
    switch content {
    case .text(let text): return text
    case .tagged(let name, let fields) where fields.isEmpty: return name.withSmallFirst
    default: throw failure("String")
    }
  }

  func integer<Number: BinaryInteger>(_ type: Number.Type) throws -> Number {
    if let (word, id, _) = contentWord, id == .int, let number = Number(exactly: word.int) { return number }
    guard case .integer(let value) = content, let number = Number(exactly: value) else { throw failure("\(type)") }
    return number
  }
}

/// An Optional that is read level by level; its own `init(from:)` does not say at which one it is.
private protocol DecodedOption {
  /// How many Optionals there are, one in the other.
  static var depth: Int { get }
  static func read(_ decoder: FrpDecoder) throws -> Self
}

extension Optional: DecodedOption where Wrapped: Decodable {
  static var depth: Int { 1 + ((Wrapped.self as? any DecodedOption.Type)?.depth ?? 0) }
  static func read(_ decoder: FrpDecoder) throws -> Wrapped? {
    if decoder.isNil { return nil }
    return try (decoder.unwrapped ?? decoder).decode(Wrapped.self)
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
    return FrpDecoder(source: .value(value), place: .key(key, below: decoder.place))
  }

  func decodeNil(forKey key: Key) throws -> Bool { try inner(key).isNil }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try inner(key).decode(type) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  {
    let inner = try inner(key)
    guard let payload, case .value(.record(let record)) = inner.source else {
      return try inner.container(keyedBy: type)
    }
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
  let items: [FrpDecoder.Source]
  var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { items.count }
  var isAtEnd: Bool { currentIndex >= items.count }

  private mutating func next() throws -> FrpDecoder {
    let place = CodingPlace.key(FrpKey(intValue: currentIndex), below: decoder.place)
    guard !isAtEnd else {
      throw ConversionFailure(path: place.path, expected: "a value", found: "the end of the list")
    }
    currentIndex += 1
    return FrpDecoder(source: items[currentIndex - 1], place: place)
  }

  mutating func decodeNil() throws -> Bool {
    if isAtEnd || !FrpDecoder(source: items[currentIndex]).isNil { return false }
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
