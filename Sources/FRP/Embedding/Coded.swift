// Codable types as values of the language, without JSON and without Foundation.
//
//   struct                          record             its fields by name
//   array, set, unkeyed container   list or tuple
//   optional                        Option
//   dictionary with String keys     Map<String, _>
//   enum with payloads              variant            `circle` is `Circle`; payloads in their order, labels as fields' names
//   enum of Strings                 variant without fields
//
// The shape is looked at when a handle is made: structs by decoding an example (CodedShape.swift), enums by decoding an
// example of each of the program's cases (CodedCases.swift). What is left to values, and is then an `unfit` error with its
// path: cases of an enum that is sent and not `CaseIterable`, of which the program knows only some; and what a type's own
// `init(from:)` refuses for its value.
//
// Records and lists, which most values are made of, go from the coder to words and back (DirectEncoder.swift,
// DirectDecoder.swift); only what is read otherwise than it is written (variants, maps, tuples), and what does not fit, takes
// the way over `FrpValue`.

import FRPCore
import FRPRuntime

/// A Codable type of your own that crosses the border as it is:
///
///     struct Site: FrpCodable {
///       var name: String
///       var x, y: Double
///     }
///     let sites = try program.behaviorInput("sites", of: [Site].self)
///
/// There is nothing to implement. For a type of somebody else's there is `Coded`.
public protocol FrpCodable: FrpConvertible, Codable {}

extension FrpCodable {
  public static var frpType: FrpType { shape(of: Self.self) }
  public var frpValue: FrpValue { FrpEncoder.value(of: self) }
  public init(frpValue: FrpValue) throws(ConversionFailure) { self = try FrpDecoder.decode(.value(frpValue)) }

  public func _word(_ bridge: ValueBridge, _ type: ValueBridge.ValueType) throws(ConversionFailure) -> UInt64 {
    try FrpEncoder.word(of: self, bridge, type.id)
  }

  public static func _value(_ word: UInt64, _ bridge: ValueBridge, _ type: ValueBridge.ValueType)
    throws(ConversionFailure) -> Self
  {
    try FrpDecoder.decode(.word(word, type.id, bridge))
  }
}

/// A Codable type in a wrapper that crosses the border: `program.eventInput("moved", of: Coded<Point>.self)`. Types of your
/// own need none: see `FrpCodable`.
public struct Coded<Wrapped: Codable & Sendable>: FrpConvertible {
  /// The value itself.
  public var value: Wrapped

  /// Wraps a value.
  public init(_ value: Wrapped) { self.value = value }

  /// Its shape, found by decoding an example; `_` for an enum, which is asked when a handle is made.
  public static var frpType: FrpType { shape(of: Wrapped.self) }

  /// What `Wrapped` encodes; `()` where it refuses to.
  public var frpValue: FrpValue { FrpEncoder.value(of: value) }

  public init(frpValue: FrpValue) throws(ConversionFailure) { value = try FrpDecoder.decode(.value(frpValue)) }

  public func _word(_ bridge: ValueBridge, _ type: ValueBridge.ValueType) throws(ConversionFailure) -> UInt64 {
    try FrpEncoder.word(of: value, bridge, type.id)
  }

  public static func _value(_ word: UInt64, _ bridge: ValueBridge, _ type: ValueBridge.ValueType)
    throws(ConversionFailure) -> Self
  {
    Coded(try FrpDecoder.decode(.word(word, type.id, bridge)))
  }
}

extension FrpDecoder {
  fileprivate static func decode<Value: Decodable>(_ source: Source) throws(ConversionFailure) -> Value {
    // A value of a shape that nothing can hold, such as one that is too deep, is told as that.
    do {
      if case .word(let word, let type, let bridge) = source {
        if let direct = DirectDecoder(word, type, bridge) { return try Value(from: direct) }
        if !bridge.isRecordOrList(type) { return try decode(.value(try bridge.value(word, type))) }
      }
      return try Value(from: FrpDecoder(source: source))
    } catch let error as ConversionFailure {
      throw error
    } catch let error as DecodingError {
      throw ConversionFailure(error, FrpDecoder(source: source).value)
    } catch {
      throw ConversionFailure(expected: "\(Value.self)", found: "\(error)")
    }
  }
}

extension Coded: Equatable where Wrapped: Equatable {}
extension Coded: Hashable where Wrapped: Hashable {}

extension ConversionFailure {
  init(path: [any CodingKey], expected: String, found: String) {
    let text = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
    self.init(path: text, expected: expected, found: found)
  }

  init(_ error: DecodingError, _ value: FrpValue) {
    switch error {
    case .keyNotFound(let key, let context):
      self.init(path: context.codingPath + [key], expected: "a value", found: "no such field")
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      self.init(path: context.codingPath, expected: "\(type)", found: value.kind)
    case .dataCorrupted(let context):
      self.init(path: context.codingPath, expected: "another value", found: context.debugDescription)
    @unknown default: self.init(expected: "another value", found: value.kind)
    }
  }
}

struct FrpKey: CodingKey {
  var stringValue: String
  var intValue: Int?
  init(stringValue: String) { self.stringValue = stringValue }
  init(intValue: Int) {
    self.intValue = intValue
    stringValue = "\(intValue)"
  }
}

// MARK: Encoding

/// Where a coder is in a value: kept as it comes, and spelled out only where something is wrong.
indirect enum CodingPlace {
  case top
  case key(any CodingKey, below: CodingPlace)

  var path: [any CodingKey] {
    var keys: [any CodingKey] = []
    var place = self
    while case .key(let key, let below) = place {
      keys.append(key)
      place = below
    }
    return keys.reversed()
  }
}

/// What a container has been given so far; shared by the container and who asked for it.
final class EncodedTarget {
  /// A part that is one value by itself, or a container.
  enum Part {
    case value(FrpValue)
    case target(EncodedTarget)

    var value: FrpValue {
      switch self {
      case .value(let value): value
      case .target(let target): target.value
      }
    }
  }
  enum Kind { case single, keyed, unkeyed }

  let place: CodingPlace
  var single: FrpValue?
  /// In the order in which they came; the last of a name counts.
  var fields: [(name: String, part: Part)] = []
  var items: [Part] = []
  var kind = Kind.single

  init(_ place: CodingPlace = .top) { self.place = place }

  var value: FrpValue {
    switch kind {
    case .single: single ?? .record([:])
    case .keyed: .record(Dictionary(fields.map { ($0.name, $0.part.value) }) { $1 })
    case .unkeyed: .list(items.map(\.value))
    }
  }

  func field(_ name: String) -> Part? { fields.last { $0.name == name }?.part }
}

struct FrpEncoder: Encoder {
  let target: EncodedTarget
  var codingPath: [any CodingKey] { target.place.path }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// What a value encodes; `()` where it refuses to.
  static func value(of value: some Encodable) -> FrpValue { (try? encode(value)) ?? .unit }

  static func encode(_ value: some Encodable) throws -> FrpValue { try part(value, .top).value }

  /// What a value encodes, as a word of a heap: records and lists without a `FrpValue` between.
  static func word(of value: some Encodable, _ bridge: ValueBridge, _ type: TypeID) throws(ConversionFailure) -> UInt64
  {
    if let word = bridge.directWord(of: value, type) { return word }
    guard let part = try? part(value, .top) else { return try bridge.word(.unit, type) }
    return try bridge.word(part, type)
  }

  static func part<Value: Encodable>(_ value: Value, _ place: CodingPlace) throws -> EncodedTarget.Part {
    if Value.self == Int.self, let value = value as? Int { return .value(.integer(value)) }
    if Value.self == Double.self, let value = value as? Double { return .value(.number(value)) }
    if Value.self == String.self, let value = value as? String { return .value(.text(value)) }
    if Value.self == Bool.self, let value = value as? Bool { return .value(.bool(value)) }
    let target = EncodedTarget(place)
    try value.encode(to: FrpEncoder(target: target))
    return .target(target)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    target.kind = .keyed
    return KeyedEncodingContainer(KeyedTarget<Key>(target: target))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    target.kind = .unkeyed
    return UnkeyedTarget(target: target)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleTarget(target: target) }
}

private struct KeyedTarget<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let target: EncodedTarget
  var codingPath: [any CodingKey] { target.place.path }

  private func put(_ value: FrpValue, _ key: Key) { target.fields.append((key.stringValue, .value(value))) }

  private func nested(_ key: any CodingKey) -> FrpEncoder {
    // Who asks twice for one key goes on with the same container.
    if case .target(let known)? = target.field(key.stringValue) { return FrpEncoder(target: known) }
    let inner = EncodedTarget(.key(key, below: target.place))
    target.fields.append((key.stringValue, .target(inner)))
    return FrpEncoder(target: inner)
  }

  func encodeNil(forKey key: Key) throws { put(.tagged("None", []), key) }
  func encode(_ value: Bool, forKey key: Key) throws { put(.bool(value), key) }
  func encode(_ value: Int, forKey key: Key) throws { put(.integer(value), key) }
  func encode(_ value: Double, forKey key: Key) throws { put(.number(value), key) }
  func encode(_ value: String, forKey key: Key) throws { put(.text(value), key) }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    let part = try FrpEncoder.part(value, .key(key, below: target.place))
    target.fields.append((key.stringValue, part))
  }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested>
  {
    nested(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { nested(FrpKey(stringValue: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}

private struct UnkeyedTarget: UnkeyedEncodingContainer {
  let target: EncodedTarget
  var codingPath: [any CodingKey] { target.place.path }
  var count: Int { target.items.count }

  private var place: CodingPlace { .key(FrpKey(intValue: count), below: target.place) }

  private func nested() -> FrpEncoder {
    let inner = EncodedTarget(place)
    target.items.append(.target(inner))
    return FrpEncoder(target: inner)
  }

  func encodeNil() throws { target.items.append(.value(.tagged("None", []))) }
  func encode(_ value: Bool) throws { target.items.append(.value(.bool(value))) }
  func encode(_ value: Int) throws { target.items.append(.value(.integer(value))) }
  func encode(_ value: Double) throws { target.items.append(.value(.number(value))) }
  func encode(_ value: String) throws { target.items.append(.value(.text(value))) }
  func encode<Value: Encodable>(_ value: Value) throws { target.items.append(try FrpEncoder.part(value, place)) }
  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    nested().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
  func superEncoder() -> any Encoder { nested() }
}

private struct SingleTarget: SingleValueEncodingContainer {
  let target: EncodedTarget
  var codingPath: [any CodingKey] { target.place.path }

  func encodeNil() throws { target.single = .tagged("None", []) }
  func encode(_ value: Bool) throws { target.single = .bool(value) }
  func encode(_ value: String) throws { target.single = .text(value) }
  func encode(_ value: Double) throws { target.single = .number(value) }
  func encode(_ value: Float) throws { target.single = .number(Double(value)) }
  func encode(_ value: Int) throws { target.single = .integer(value) }
  func encode(_ value: Int8) throws { try integer(value) }
  func encode(_ value: Int16) throws { try integer(value) }
  func encode(_ value: Int32) throws { try integer(value) }
  func encode(_ value: Int64) throws { try integer(value) }
  func encode(_ value: UInt) throws { try integer(value) }
  func encode(_ value: UInt8) throws { try integer(value) }
  func encode(_ value: UInt16) throws { try integer(value) }
  func encode(_ value: UInt32) throws { try integer(value) }
  func encode(_ value: UInt64) throws { try integer(value) }
  func encode<Value: Encodable>(_ value: Value) throws {
    // A type that is encoded as another one: into the same place.
    switch try FrpEncoder.part(value, target.place) {
    case .value(let value): target.single = value
    case .target(let inner):
      target.kind = inner.kind
      target.single = inner.single
      target.fields = inner.fields
      target.items = inner.items
    }
  }

  private func integer(_ value: some BinaryInteger) throws {
    guard let number = Int(exactly: value) else {
      throw ConversionFailure(path: codingPath, expected: "Int", found: "\(value)")
    }
    target.single = .integer(number)
  }
}
