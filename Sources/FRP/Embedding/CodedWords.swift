// What Codable types encode, straight to words of a heap; and records and lists of a heap for a decoder to read.

import FRPCore
import FRPRuntime

extension ValueBridge {
  /// Whether a decoder reads values of a type word by word.
  func isRecordOrList(_ type: TypeID) -> Bool {
    switch heap.shapes.types[type] {
    case .record, .list: true
    default: false
    }
  }

  /// Whether values of a type are objects of the heap, which may move between instants.
  func isReference(_ type: ValueType) -> Bool { heap.shapes.isReference(type.id) }

  /// The type of a list's elements; nil for what is no list.
  func element(of type: ValueType) -> ValueType? {
    if case .list(let element) = heap.shapes.types[type.id] { ValueType(id: element) } else { nil }
  }

  /// The word of what was encoded.
  func word(_ part: EncodedTarget.Part, _ type: TypeID, depth: Int = 0) throws(ConversionFailure) -> Word {
    if depth > ValueBridge.deepest { throw ConversionFailure(expected: "less depth", found: "a very deep value") }
    guard case .target(let target) = part else { return try word(part.value, type, depth: depth) }
    switch (heap.shapes.types[type], target.kind) {
    case (.record(let fields), .keyed): return try record(target, fields, type, depth)
    case (.list(let element), .unkeyed): return try list(target.items, element, depth)
    default: return try word(target.value, type, depth: depth)
    }
  }

  private func record(_ target: EncodedTarget, _ fields: [FieldType], _ type: TypeID, _ depth: Int)
    throws(ConversionFailure) -> Word
  {
    if fields.isEmpty { return .emptyRecord }
    let words = Address.allocate(capacity: fields.count)
    defer { words.deallocate() }
    for (index, field) in fields.enumerated() {
      guard let part = target.field(field.name) else {
        guard case .variant(.option, _) = heap.shapes.types[field.type] else {
          throw ConversionFailure(
            path: ".\(field.name)", expected: heap.shapes.types.describe(field.type), found: "no such field")
        }
        (words + index).initialize(to: Word.none)
        continue
      }
      do throws(ConversionFailure) {
        (words + index).initialize(to: try word(part, field.type, depth: depth + 1))
      } catch { throw error.inside(".\(field.name)") }
    }
    return try made { () throws(Fault) in try self.heap.construct(type, UnsafePointer(words), fields.count) }
  }

  private func list(_ items: [EncodedTarget.Part], _ element: TypeID, _ depth: Int) throws(ConversionFailure) -> Word {
    var words: [Word] = []
    words.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      do throws(ConversionFailure) {
        words.append(try word(item, element, depth: depth + 1))
      } catch { throw error.inside("[\(index)]") }
    }
    return try list(of: words, element)
  }

  /// A list of words of a type.
  func list(of words: [Word], _ element: TypeID) throws(ConversionFailure) -> Word {
    try made { () throws(Fault) in
      try self.heap.list(words, references: self.heap.shapes.isReference(element))
    }
  }
}

/// The fields of a record of a heap, as a decoder asks for them.
struct WordFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: FrpDecoder
  let word: Word
  let fields: [FieldType]
  let bridge: ValueBridge
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { fields.compactMap { Key(stringValue: $0.name) } }

  private func index(_ name: String) -> Int? { fields.firstIndex { $0.name == name } }

  private func inner(_ key: any CodingKey) throws -> FrpDecoder {
    guard let index = index(key.stringValue) else {
      throw ConversionFailure(path: codingPath + [key], expected: "a value", found: "no such field")
    }
    return FrpDecoder(
      source: .word(word.field(index), fields[index].type, bridge), place: .key(key, below: decoder.place))
  }

  func contains(_ key: Key) -> Bool { index(key.stringValue) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try inner(key).isNil }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try inner(key).decode(type) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  {
    try inner(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try inner(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { try inner(FrpKey(stringValue: "super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try inner(key) }
}
