// Encoding records and lists straight into words of a heap.
//
// In:  a Codable value, the type that it shall have. Out: a word, or nil: then the value is encoded once more, by way of
// `FrpValue`, which can do everything and says what is wrong.
//
// Rules
// - What is being encoded lies on a stack of words, which no collection looks at. Should the heap have been collected
//   meanwhile (a type's own `encode(to:)` may run the simulation), all of it is thrown away.
// - On the stack each record or list begins with its head: where what is around it begins, its layout, the field or
//   element under way, and which fields it has been given.

import FRPCore
import FRPRuntime

/// What is at the head of a record or list on the stack.
private enum Head {
  static let around = 0
  static let layout = 1
  static let current = 2
  static let given = 3
  static let size = 4
  /// Among the fields given: that a container was asked for.
  static let isOpen: UInt64 = 1 << 63
}

extension ValueBridge {
  /// The word of a record or list; nil where it must be made by way of `FrpValue`.
  func directWord<Value: Encodable>(of value: Value, _ type: TypeID) -> Word? {
    let coders = directCoders
    let layout = coders.layout(type)
    if layout.pointee.form != .record && layout.pointee.form != .list || layout.pointee.trouble > 16 { return nil }
    let (top, innermost, depth) = (coders.pointee.top, coders.pointee.innermost, coders.pointee.depth)
    let isAroundIrregular = coders.pointee.isIrregular
    let collections = heap.collections
    coders.pointee.isIrregular = false
    coders.pointee.innermost = -1
    var word: Word?
    do {
      let made = try coders.word(of: value, type)
      if !coders.pointee.isIrregular, heap.collections == collections { word = made }
    } catch {}
    coders.pointee.top = top
    coders.pointee.innermost = innermost
    coders.pointee.depth = depth
    coders.pointee.isIrregular = isAroundIrregular
    layout.pointee.trouble = max(0, layout.pointee.trouble + (word == nil ? 4 : -1))
    return word
  }
}

extension UnsafeMutablePointer<DirectCoders> {
  /// The word of a value, which means nothing where the coders say that something was irregular.
  @inline(__always)
  fileprivate func word<Value: Encodable>(of value: Value, _ type: TypeID) throws -> Word {
    let layout = layout(type)
    switch layout.pointee.form {
    case .int: if Value.self == Int.self { return Word(int: unsafeBitCast(value, to: Int.self)) }
    case .float:
      if Value.self == Double.self {
        let number = unsafeBitCast(value, to: Double.self)
        if !number.isFinite { return irregular() }
        return Word(float: number)
      }
    case .bool: if Value.self == Bool.self { return Word(bool: unsafeBitCast(value, to: Bool.self)) }
    case .string: if Value.self == String.self { return string(unsafeBitCast(value, to: String.self)) }
    case .record: return try record(value, layout)
    case .list: return try list(value, layout)
    case .option: return try option(value, layout)
    case .other: break
    }
    return try other(value, type)
  }

  @inline(never)
  fileprivate func irregular() -> Word {
    pointee.isIrregular = true
    return 0
  }

  private func made(_ make: (Heap) throws(Fault) -> Word) -> Word {
    pointee.heap._withUnsafeGuaranteedRef { heap in
      do throws(Fault) { return try make(heap) } catch { return irregular() }
    }
  }

  private func string(_ text: String) -> Word { made { heap throws(Fault) in try heap.string(text) } }

  private func option<Value: Encodable>(_ value: Value, _ layout: UnsafeMutablePointer<DirectLayout>) throws -> Word {
    let content = layout.pointee.content
    switch self.layout(content).pointee.form {
    case .other, .option: return try other(value, layout.pointee.type)
    default:
      let word = try word(of: value, content)
      return made { heap throws(Fault) in try heap.some(word, layout.pointee.type) }
    }
  }

  /// What has another form in Swift than in the heap.
  @inline(never)
  private func other<Value: Encodable>(_ value: Value, _ type: TypeID) throws -> Word {
    let part = try FrpEncoder.part(value, place(pointee.innermost))
    let depth = pointee.depth
    return pointee.bridge._withUnsafeGuaranteedRef { bridge in
      do throws(ConversionFailure) { return try bridge.word(part, type, depth: depth) } catch { return irregular() }
    }
  }

  // MARK: Records and lists

  /// Begins a record or list on the stack, with so many words behind its head; gives where.
  @inline(__always)
  private func open(_ layout: UnsafeMutablePointer<DirectLayout>, _ count: Int) -> Int {
    let base = pointee.top
    pointee.reserve(Head.size + count)
    let head = pointee.words + base
    head[Head.around] = Word(bitPattern: Int64(pointee.innermost))
    head[Head.layout] = Word(UInt(bitPattern: layout))
    head[Head.current] = 0
    head[Head.given] = 0
    pointee.top = base + Head.size + count
    pointee.innermost = base
    pointee.depth += 1
    return base
  }

  @inline(__always)
  private func close(_ base: Int) {
    pointee.innermost = Int(Int64(bitPattern: pointee.words[base + Head.around]))
    pointee.top = base
    pointee.depth -= 1
  }

  @inline(never)
  private func record<Value: Encodable>(_ value: Value, _ layout: UnsafeMutablePointer<DirectLayout>) throws -> Word {
    if pointee.depth >= ValueBridge.deepest { return irregular() }
    let count = layout.pointee.count
    let base = open(layout, count)
    defer { close(base) }
    (pointee.words + base + Head.size).update(repeating: .none, count: count)
    layout.pointee.begin()
    try value.encode(to: DirectEncoder(coders: self, base: base))
    let given = pointee.words[base + Head.given]
    let needed = layout.pointee.needed | Head.isOpen
    if given & needed != needed { return irregular() }
    return made { heap throws(Fault) in
      try heap.construct(layout.pointee.type, UnsafePointer(pointee.words + base + Head.size), count)
    }
  }

  @inline(never)
  private func list<Value: Encodable>(_ value: Value, _ layout: UnsafeMutablePointer<DirectLayout>) throws -> Word {
    if pointee.depth >= ValueBridge.deepest { return irregular() }
    let base = open(layout, 0)
    defer { close(base) }
    try value.encode(to: DirectEncoder(coders: self, base: base))
    if pointee.words[base + Head.given] != Head.isOpen { return irregular() }
    let start = base + Head.size
    return made { heap throws(Fault) in
      try heap.list(
        UnsafePointer(pointee.words + start), pointee.top - start,
        references: heap.shapes.isReference(layout.pointee.content))
    }
  }

  fileprivate func layout(at base: Int) -> UnsafeMutablePointer<DirectLayout> {
    // A head has always been given one.
    UnsafeMutablePointer<DirectLayout>(bitPattern: UInt(pointee.words[base + Head.layout])).unsafelyUnwrapped
  }

  /// A container of this form is asked for; false where that is not what is being encoded, or it was asked for before.
  fileprivate func begin(_ form: DirectForm, at base: Int) -> Bool {
    if base != pointee.innermost || layout(at: base).pointee.form != form || pointee.words[base + Head.given] != 0 {
      _ = irregular()
      return false
    }
    pointee.words[base + Head.given] = Head.isOpen
    return true
  }

  // MARK: Where a coder is

  /// The place of what is being encoded now within a record or list.
  fileprivate func place(_ base: Int) -> CodingPlace {
    base < 0 ? .top : .key(key(base), below: place(of: base))
  }

  /// The place of a record or list itself.
  fileprivate func place(of base: Int) -> CodingPlace {
    place(Int(Int64(bitPattern: pointee.words[base + Head.around])))
  }

  private func key(_ base: Int) -> FrpKey {
    let layout = layout(at: base)
    let current = Int(pointee.words[base + Head.current])
    return layout.pointee.form == .record
      ? FrpKey(stringValue: layout.pointee.names[current]) : FrpKey(intValue: current)
  }
}

/// Encodes one record or list. What it cannot do it says to the coders, and takes all the same.
struct DirectEncoder: Encoder {
  let coders: UnsafeMutablePointer<DirectCoders>
  let base: Int
  var codingPath: [any CodingKey] { coders.place(of: base).path }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if !coders.begin(.record, at: base) { return elsewhere.container(keyedBy: type) }
    return KeyedEncodingContainer(DirectFields<Key>(coders: coders, base: base, layout: coders.layout(at: base)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    coders.begin(.list, at: base) ? DirectItems(coders: coders, base: base) : elsewhere.unkeyedContainer()
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { elsewhere.singleValueContainer() }

  /// What takes something that will be encoded once more.
  var elsewhere: FrpEncoder {
    _ = coders.irregular()
    return FrpEncoder(target: EncodedTarget(coders.place(of: base)))
  }
}

private struct DirectFields<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let coders: UnsafeMutablePointer<DirectCoders>
  let base: Int
  let layout: UnsafeMutablePointer<DirectLayout>
  var codingPath: [any CodingKey] { coders.place(of: base).path }

  @inline(__always)
  private func put<Value: Encodable>(_ value: Value, _ key: Key) throws {
    // Somebody who kept the container beyond its record may come when another lies there.
    guard coders.pointee.innermost == base, coders.layout(at: base) == layout,
      let index = layout.pointee.index(key.stringValue)
    else {
      _ = coders.irregular()
      return
    }
    coders.pointee.words[base + Head.current] = Word(index)
    let word = try coders.word(of: value, layout.pointee.types[index])
    coders.pointee.words[base + Head.size + index] = word
    coders.pointee.words[base + Head.given] |= 1 << UInt64(index)
  }

  private var elsewhere: FrpEncoder { DirectEncoder(coders: coders, base: base).elsewhere }

  func encodeNil(forKey key: Key) throws { _ = coders.irregular() }
  func encode(_ value: Bool, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: Int, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: Double, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: String, forKey key: Key) throws { try put(value, key) }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try put(value, key) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested>
  { elsewhere.container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { elsewhere.unkeyedContainer() }
  func superEncoder() -> any Encoder { elsewhere }
  func superEncoder(forKey key: Key) -> any Encoder { elsewhere }
}

private struct DirectItems: UnkeyedEncodingContainer {
  let coders: UnsafeMutablePointer<DirectCoders>
  let base: Int
  var codingPath: [any CodingKey] { coders.place(of: base).path }
  var count: Int { coders.pointee.innermost == base ? Int(coders.pointee.words[base + Head.current]) : 0 }

  @inline(__always)
  private func put<Value: Encodable>(_ value: Value) throws {
    guard coders.pointee.innermost == base else {
      _ = coders.irregular()
      return
    }
    let word = try coders.word(of: value, coders.layout(at: base).pointee.content)
    coders.pointee.reserve(1)
    coders.pointee.words[coders.pointee.top] = word
    coders.pointee.top += 1
    coders.pointee.words[base + Head.current] += 1
  }

  private var elsewhere: FrpEncoder { DirectEncoder(coders: coders, base: base).elsewhere }

  func encodeNil() throws { _ = coders.irregular() }
  func encode(_ value: Bool) throws { try put(value) }
  func encode(_ value: Int) throws { try put(value) }
  func encode(_ value: Double) throws { try put(value) }
  func encode(_ value: String) throws { try put(value) }
  func encode<Value: Encodable>(_ value: Value) throws { try put(value) }
  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    elsewhere.container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { elsewhere.unkeyedContainer() }
  func superEncoder() -> any Encoder { elsewhere }
}
