// Decoding records and lists straight from words of a heap.
//
// What is a scalar, a record or a list and is asked for as one is read as it lies there; anything else is what `FrpDecoder`
// makes of the same word, with the same place. Nothing collects the heap meanwhile.

import FRPCore
import FRPRuntime

/// Decodes one record or list.
struct DirectDecoder: Decoder {
  let layout: UnsafeMutablePointer<DirectLayout>
  let word: Word
  let place: CodingPlace
  var codingPath: [any CodingKey] { place.path }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Of a value of a type that is read so; nil of another.
  init?(_ word: Word, _ type: TypeID, _ bridge: ValueBridge) {
    let layout = bridge.directCoders.layout(type)
    guard layout.pointee.form == .record || layout.pointee.form == .list else { return nil }
    self.init(layout, word, .top)
  }

  init(_ layout: UnsafeMutablePointer<DirectLayout>, _ word: Word, _ place: CodingPlace) {
    self.layout = layout
    self.word = word
    self.place = place
  }

  /// The same value for who reads it in another form.
  private var other: FrpDecoder {
    FrpDecoder(source: .word(word, layout.pointee.type, layout.pointee.bridge), place: place)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    if layout.pointee.form != .record { return try other.container(keyedBy: type) }
    layout.pointee.begin()
    return KeyedDecodingContainer(DirectRecord<Key>(layout: layout, word: word, place: place))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    if layout.pointee.form != .list { return try other.unkeyedContainer() }
    return DirectList(layout: layout, word: word, place: place)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { try other.singleValueContainer() }
}

/// A part of a record or list.
private struct DirectPart {
  let word: Word
  let type: TypeID
  let layout: UnsafeMutablePointer<DirectLayout>

  /// What an Option holds stands for it; whoever reads that there is none asks before.
  @inline(__always)
  init(_ word: Word, _ type: TypeID, _ coders: UnsafeMutablePointer<DirectCoders>) {
    let layout = coders.layout(type)
    if layout.pointee.form == .option, word.isObject {
      self.word = word.field(0)
      self.type = layout.pointee.content
      self.layout = coders.layout(layout.pointee.content)
    } else {
      (self.word, self.type, self.layout) = (word, type, layout)
    }
  }

  /// The value, where it is read as it lies there; nil where it is not.
  @inline(__always)
  func scalar<Value>(_ type: Value.Type) -> Value? {
    switch layout.pointee.form {
    case .int: Value.self == Int.self ? unsafeBitCast(word.int, to: Value.self) : nil
    case .float: Value.self == Double.self ? unsafeBitCast(word.float, to: Value.self) : nil
    case .bool: Value.self == Bool.self ? unsafeBitCast(word.bool, to: Value.self) : nil
    case .string: Value.self == String.self ? unsafeBitCast(text, to: Value.self) : nil
    default: nil
    }
  }

  private var text: String { layout.pointee.coders.pointee.heap._withUnsafeGuaranteedRef { $0.swiftString(word) } }
}

private struct DirectRecord<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let layout: UnsafeMutablePointer<DirectLayout>
  let word: Word
  let place: CodingPlace
  var codingPath: [any CodingKey] { place.path }
  var allKeys: [Key] { (0..<layout.pointee.count).compactMap { Key(stringValue: layout.pointee.names[$0]) } }

  @inline(__always)
  private func part(_ key: Key) -> DirectPart? {
    guard let index = layout.pointee.index(key.stringValue) else { return nil }
    return DirectPart(word.field(index), layout.pointee.types[index], layout.pointee.coders)
  }

  @inline(__always)
  private func scalar<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
    if let value = part(key)?.scalar(type) { return value }
    return try other(key).decode(type)
  }

  /// What a key names, for who reads it in another form.
  @inline(never)
  private func other(_ key: any CodingKey) throws -> FrpDecoder {
    guard let index = layout.pointee.index(key.stringValue) else {
      throw ConversionFailure(path: codingPath + [key], expected: "a value", found: "no such field")
    }
    return FrpDecoder(
      source: .word(word.field(index), layout.pointee.types[index], layout.pointee.bridge),
      place: .key(key, below: place))
  }

  func contains(_ key: Key) -> Bool { layout.pointee.index(key.stringValue) != nil }
  func decodeNil(forKey key: Key) throws -> Bool {
    guard let index = layout.pointee.index(key.stringValue) else { return try other(key).isNil }
    let part = layout.pointee.coders.layout(layout.pointee.types[index])
    switch part.pointee.form {
    case .option: return !word.field(index).isObject
    case .other: return try other(key).isNil
    default: return false
    }
  }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try scalar(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try scalar(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try scalar(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try scalar(type, key) }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    guard let part = part(key), part.layout.pointee.form == .record || part.layout.pointee.form == .list else {
      return try other(key).decode(type)
    }
    return try Value(from: DirectDecoder(part.layout, part.word, .key(key, below: place)))
  }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  { try other(key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try other(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { try other(FrpKey(stringValue: "super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try other(key) }
}

private struct DirectList: UnkeyedDecodingContainer {
  let layout: UnsafeMutablePointer<DirectLayout>
  let word: Word
  let place: CodingPlace
  var currentIndex = 0
  var codingPath: [any CodingKey] { place.path }
  var count: Int? { ListView(word).count }
  var isAtEnd: Bool { currentIndex >= ListView(word).count }

  /// The element that comes next, for who reads it in another form.
  private mutating func other() throws -> FrpDecoder {
    let below = CodingPlace.key(FrpKey(intValue: currentIndex), below: place)
    guard !isAtEnd else {
      throw ConversionFailure(path: below.path, expected: "a value", found: "the end of the list")
    }
    currentIndex += 1
    return FrpDecoder(
      source: .word(ListView(word)[currentIndex - 1], layout.pointee.content, layout.pointee.bridge), place: below)
  }

  mutating func decodeNil() throws -> Bool {
    if isAtEnd { return false }
    var element = self
    if try !element.other().isNil { return false }
    currentIndex += 1
    return true
  }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if isAtEnd { return try other().decode(type) }
    let part = DirectPart(ListView(word)[currentIndex], layout.pointee.content, layout.pointee.coders)
    if let value = part.scalar(type) {
      currentIndex += 1
      return value
    }
    guard part.layout.pointee.form == .record || part.layout.pointee.form == .list else {
      return try other().decode(type)
    }
    currentIndex += 1
    return try Value(
      from: DirectDecoder(part.layout, part.word, .key(FrpKey(intValue: currentIndex - 1), below: place)))
  }
  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try other().container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try other().unkeyedContainer() }
  mutating func superDecoder() throws -> any Decoder { try other() }
}

extension DirectLayout {
  /// Whose values they are.
  fileprivate var bridge: ValueBridge { coders.pointee.bridge._withUnsafeGuaranteedRef { $0 } }
}
