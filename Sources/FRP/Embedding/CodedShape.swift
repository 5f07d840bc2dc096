// The shape of a Codable type, found by decoding one: a decoder that answers every question with something and writes down
// what was asked.
//
//   asked for                       becomes
//   a key of a container            a field of a record
//   Int, UInt8, …                   Int; Double, Float: Float; Bool; String
//   Array, Set, Dictionary, Optional  List, Map<String, _>, Option
//   an enum, or what refuses an example  asked with examples of the program's (CodedCases.swift), `_` in words
//
// Where an example cannot be made (an enum with payloads, a type that refuses 0 or ""), the fields after it remain unknown:
// the shape is then a record of at least those that were asked for. A type that holds itself is decided value by value.

/// Why probing a type stopped.
private struct ProbeEnded: Error {}

/// The shape of a Codable type, as far as it can be known without a value.
func shape<Value: Decodable>(of type: Value.Type) -> FrpType {
  var prober = Prober()
  return prober.probe(type).type
}

/// Probes types; remembers those it is inside of.
private struct Prober {
  private var open: [ObjectIdentifier] = []

  /// The shape, and an example if one can be made.
  mutating func probe<Value: Decodable>(_ type: Value.Type) -> (type: FrpType, example: Value?) {
    if let known = scalar(type) { return known }
    if let kind = type as? any ProbedContainer.Type { return container(kind, type) }
    let id = ObjectIdentifier(type)
    if open.contains(id) || open.count > 40 { return (.any, nil) }
    open.append(id)
    defer { open.removeLast() }
    if let kind = type as? any CaseIterable.Type { return (.coded(CodedCases(type)), firstCase(kind) as? Value) }
    let probe = ProbeTarget(prober: self)
    do {
      let example = try Value(from: ShapeDecoder(target: probe, codingPath: []))
      return (known(probe.type(isWhole: true), type), example)
    } catch {
      return (known(probe.type(isWhole: false), type), nil)
    }
  }

  private func known<Value: Decodable>(_ shape: FrpType, _ type: Value.Type) -> FrpType {
    shape == .any ? .coded(CodedCases(type)) : shape
  }

  private func firstCase<Cases: CaseIterable>(_ type: Cases.Type) -> Any? { type.allCases.first }

  private mutating func container<Value>(_ kind: any ProbedContainer.Type, _ type: Value.Type) -> (FrpType, Value?) {
    let shape = kind.shape { (element: any Decodable.Type) in self.element(element) }
    return (shape, kind.empty as? Value)
  }

  private mutating func element<Value: Decodable>(_ type: Value.Type) -> FrpType { probe(type).type }

  private func scalar<Value>(_ type: Value.Type) -> (FrpType, Value?)? {
    switch type {
    case is Bool.Type: (.bool, false as? Value)
    case is String.Type: (.text, "" as? Value)
    case is Double.Type: (.number, 0.0 as? Value)
    case is Float.Type: (.number, Float(0) as? Value)
    case let kind as any FixedWidthInteger.Type: (.integer, zero(kind) as? Value)
    default: nil
    }
  }

  private func zero<Number: FixedWidthInteger>(_ type: Number.Type) -> Any { Number.zero }
}

/// Containers of the standard library, whose shapes are known without an example.
private protocol ProbedContainer {
  static func shape(_ element: (any Decodable.Type) -> FrpType) -> FrpType
  static var empty: Any { get }
}

extension Array: ProbedContainer where Element: Decodable {
  static func shape(_ element: (any Decodable.Type) -> FrpType) -> FrpType { .list(element(Element.self)) }
  static var empty: Any { [Element]() }
}

extension Set: ProbedContainer where Element: Decodable {
  static func shape(_ element: (any Decodable.Type) -> FrpType) -> FrpType { .list(element(Element.self)) }
  static var empty: Any { Set<Element>() }
}

extension Optional: ProbedContainer where Wrapped: Decodable {
  static func shape(_ element: (any Decodable.Type) -> FrpType) -> FrpType { .option(element(Wrapped.self)) }
  static var empty: Any { Wrapped?.none as Any }
}

extension Dictionary: ProbedContainer where Key == String, Value: Decodable {
  static func shape(_ element: (any Decodable.Type) -> FrpType) -> FrpType { .map(.text, element(Value.self)) }
  static var empty: Any { [String: Value]() }
}

/// What was asked of one decoder.
private final class ProbeTarget {
  var prober: Prober
  private var fields: [String: FrpType] = [:]
  private var single: FrpType?
  private var isKeyed = false
  /// Asked for something that says nothing about the shape.
  private var isOpaque = false

  init(prober: Prober) { self.prober = prober }

  func type(isWhole: Bool) -> FrpType {
    if isOpaque { return .any }
    if isKeyed { return isWhole ? .record(fields) : .partial(fields) }
    return isWhole ? single ?? .record([:]) : .any
  }

  func beginFields() { isKeyed = true }
  func refuse() -> ProbeEnded {
    isOpaque = true
    return ProbeEnded()
  }

  func decode<Value: Decodable>(_ type: Value.Type, _ key: (any CodingKey)?, isOption: Bool = false) throws -> Value {
    let found = prober.probe(type)
    let shape = isOption ? FrpType.option(found.type) : found.type
    if let key { fields[key.stringValue] = shape } else { single = shape }
    guard let example = found.example else { throw ProbeEnded() }
    return example
  }

  func note(_ shape: FrpType, _ key: any CodingKey) { fields[key.stringValue] = shape }
}

private struct ShapeDecoder: Decoder {
  let target: ProbeTarget
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    target.beginFields()
    return KeyedDecodingContainer(KeyedShape<Key>(target: target))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw target.refuse() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleShape(target: target) }
}

private struct KeyedShape<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let target: ProbeTarget
  var codingPath: [any CodingKey] { [] }
  /// An enum with payloads looks for its case here.
  var allKeys: [Key] {
    _ = target.refuse()
    return []
  }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) throws -> Bool {
    // Whoever asks takes nothing for an answer; what else it would take is not known.
    target.note(.option(.any), key)
    return true
  }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try target.decode(type, key) }
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try? target.decode(type, key, isOption: true)
  }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try option(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try option(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try option(type, key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try option(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try option(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try option(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try option(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try option(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try option(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try option(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try option(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try option(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try option(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try option(type, key) }

  private func option<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
    try target.decode(type, key, isOption: true)
  }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  { throw target.refuse() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw target.refuse() }
  func superDecoder() throws -> any Decoder { throw target.refuse() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw target.refuse() }
}

private struct SingleShape: SingleValueDecodingContainer {
  let target: ProbeTarget
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool {
    _ = target.refuse()
    return true
  }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try target.decode(type, nil) }
}
