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
  public init(frpValue: FrpValue) throws(ConversionFailure) { self = try FrpDecoder.decode(frpValue) }
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

  public init(frpValue: FrpValue) throws(ConversionFailure) { value = try FrpDecoder.decode(frpValue) }
}

extension FrpDecoder {
  fileprivate static func decode<Value: Decodable>(_ value: FrpValue) throws(ConversionFailure) -> Value {
    do {
      return try Value(from: FrpDecoder(value: value, codingPath: []))
    } catch let error as ConversionFailure {
      throw error
    } catch let error as DecodingError {
      throw ConversionFailure(error, value)
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

/// What a container has been given so far; shared by the container and who asked for it.
final class EncodedTarget {
  var single: FrpValue?
  var fields: [String: EncodedTarget] = [:]
  var items: [EncodedTarget] = []
  var kind = Kind.single
  enum Kind { case single, keyed, unkeyed }

  var value: FrpValue {
    switch kind {
    case .single: single ?? .record([:])
    case .keyed: .record(fields.mapValues(\.value))
    case .unkeyed: .list(items.map(\.value))
    }
  }
}

struct FrpEncoder: Encoder {
  let target: EncodedTarget
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// What a value encodes; `()` where it refuses to.
  static func value(of value: some Encodable) -> FrpValue { (try? encode(value)) ?? .unit }

  static func encode(_ value: some Encodable) throws -> FrpValue {
    let target = EncodedTarget()
    try encode(value, target, [])
    return target.value
  }

  static func encode(_ value: some Encodable, _ target: EncodedTarget, _ path: [any CodingKey]) throws {
    if let known = value as? any FrpConvertible & FrpScalar {
      target.single = known.frpValue
    } else {
      try value.encode(to: FrpEncoder(target: target, codingPath: path))
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    target.kind = .keyed
    return KeyedEncodingContainer(KeyedTarget<Key>(target: target, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    target.kind = .unkeyed
    return UnkeyedTarget(target: target, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleTarget(target: target, codingPath: codingPath)
  }
}

/// Types that are one value of the language by themselves.
private protocol FrpScalar {}
extension Int: FrpScalar {}
extension Double: FrpScalar {}
extension Bool: FrpScalar {}
extension String: FrpScalar {}

private struct KeyedTarget<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let target: EncodedTarget
  let codingPath: [any CodingKey]

  private func field(_ key: any CodingKey) -> EncodedTarget {
    let field = target.fields[key.stringValue] ?? EncodedTarget()
    target.fields[key.stringValue] = field
    return field
  }

  func encodeNil(forKey key: Key) throws { field(key).single = .tagged("None", []) }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try FrpEncoder.encode(value, field(key), codingPath + [key])
  }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested>
  {
    FrpEncoder(target: field(key), codingPath: codingPath + [key]).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    FrpEncoder(target: field(key), codingPath: codingPath + [key]).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { superEncoder(FrpKey(stringValue: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key) }
  private func superEncoder(_ key: any CodingKey) -> any Encoder {
    FrpEncoder(target: field(key), codingPath: codingPath + [key])
  }
}

private struct UnkeyedTarget: UnkeyedEncodingContainer {
  let target: EncodedTarget
  let codingPath: [any CodingKey]
  var count: Int { target.items.count }

  private func item() -> EncodedTarget {
    target.items.append(EncodedTarget())
    return target.items[target.items.count - 1]
  }
  private var path: [any CodingKey] { codingPath + [FrpKey(intValue: count)] }

  func encodeNil() throws { item().single = .tagged("None", []) }
  func encode<Value: Encodable>(_ value: Value) throws {
    let path = path
    try FrpEncoder.encode(value, item(), path)
  }
  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let path = path
    return FrpEncoder(target: item(), codingPath: path).container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let path = path
    return FrpEncoder(target: item(), codingPath: path).unkeyedContainer()
  }
  func superEncoder() -> any Encoder {
    let path = path
    return FrpEncoder(target: item(), codingPath: path)
  }
}

private struct SingleTarget: SingleValueEncodingContainer {
  let target: EncodedTarget
  let codingPath: [any CodingKey]

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
  func encode<Value: Encodable>(_ value: Value) throws { try FrpEncoder.encode(value, target, codingPath) }

  private func integer(_ value: some BinaryInteger) throws {
    guard let number = Int(exactly: value) else {
      throw ConversionFailure(path: codingPath, expected: "Int", found: "\(value)")
    }
    target.single = .integer(number)
  }
}
