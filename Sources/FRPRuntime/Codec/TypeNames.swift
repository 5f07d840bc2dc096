// The names that a program's types carry, as bytes in flat arrays: what the text and JSON of values need beside
// `TypeShapes`, whose numbering of constructors and fields this follows.

import FRPCore

/// A name in the bytes of `TypeNames`.
struct NameRange {
  var start: Int32
  var count: Int32
  /// The first eight bytes, the first lowest; shorter names are filled up with zeros.
  var prefix: UInt64
}

/// One constructor's names; a record or tuple is a constructor without a name of its own.
struct ConstructorNames {
  var name: NameRange
  /// Place of the first field's name in `labels`; -1 for positional fields.
  var labels: Int32
  var fieldCount: Int32
}

/// All names of a program's types. One for a heap; never changes.
final class TypeNames {
  private let bytes: UnsafeMutablePointer<UInt8>
  private let constructors: UnsafeMutablePointer<ConstructorNames>
  private let firsts: UnsafeMutablePointer<Int32>
  private let counts: UnsafeMutablePointer<Int32>
  private let labels: UnsafeMutablePointer<NameRange>
  private let natures: UnsafeMutablePointer<TypeNature>

  init(_ types: TypeTable) {
    var build = TypeNamesBuild()
    for index in types.types.indices { build.add(TypeID(index), types) }
    bytes = .copy(of: build.bytes)
    constructors = .copy(of: build.constructors)
    allConstructors = build.constructors.count
    firsts = .copy(of: build.firsts)
    counts = .copy(of: build.counts)
    labels = .copy(of: build.labels)
    natures = .copy(of: build.natures)
    hasOddLabels = build.hasOddLabels
  }

  deinit {
    bytes.deallocate()
    constructors.deallocate()
    firsts.deallocate()
    counts.deallocate()
    labels.deallocate()
    natures.deallocate()
  }

  /// Whether a type is an Option of something.
  @inline(__always)
  func isOption(_ type: TypeID) -> Bool { natures[type.index] == .option }

  /// Whether a value of a type may be written as null, so that an Option of it must say `Some`. Of Json it need not: `null` is
  /// None there.
  @inline(__always)
  func mayBeNull(_ type: TypeID) -> Bool { type == .unit || isOption(type) }

  /// Whether a type is Json.
  @inline(__always)
  func isJson(_ type: TypeID) -> Bool { natures[type.index] == .json }

  /// Whether what is kept as a map is a Set.
  @inline(__always)
  func isSet(_ type: TypeID) -> Bool { natures[type.index] == .set }

  /// Whether what is kept as a text is a Secret.
  @inline(__always)
  func isSecret(_ type: TypeID) -> Bool { natures[type.index] == .secret }

  /// Whether a field's name holds what JSON escapes.
  let hasOddLabels: Bool

  @inline(__always)
  func constructorCount(_ type: TypeID) -> Int { Int(counts[type.index]) }

  @inline(__always)
  func constructor(_ type: TypeID, _ tag: Int) -> ConstructorNames { constructors[Int(firsts[type.index]) + tag] }

  /// The number of all constructors, and the place of one among them.
  let allConstructors: Int

  @inline(__always)
  func place(_ type: TypeID, _ tag: Int) -> Int { Int(firsts[type.index]) + tag }

  @inline(__always)
  func label(_ constructor: ConstructorNames, _ index: Int) -> NameRange { labels[Int(constructor.labels) + index] }

  @inline(__always)
  func text(_ name: NameRange) -> Bytes { Bytes(start: bytes + Int(name.start), count: Int(name.count)) }

  @inline(__always)
  func string(_ name: NameRange) -> String { String(decoding: text(name), as: UTF8.self) }

  /// Whether a name is `key`, whose first eight bytes are `prefix`.
  @inline(__always)
  func isEqual(_ name: NameRange, _ key: Bytes, prefix: UInt64) -> Bool {
    guard name.prefix == prefix, Int(name.count) == key.count else { return false }
    var index = 8
    while index < key.count {
      if bytes[Int(name.start) + index] != key[index] { return false }
      index += 1
    }
    return true
  }

  /// The field called `key`; looks at `hint` first, since fields tend to come in one order.
  @inline(__always)
  func field(_ constructor: ConstructorNames, _ key: Bytes, hint: Int) -> Int? {
    let prefix = TypeNames.prefix(key)
    let count = Int(constructor.fieldCount)
    if hint < count, isEqual(label(constructor, hint), key, prefix: prefix) { return hint }
    for index in 0..<count where isEqual(label(constructor, index), key, prefix: prefix) { return index }
    return nil
  }

  /// The constructor called `key`.
  func tag(_ type: TypeID, _ key: Bytes) -> Int? {
    let prefix = TypeNames.prefix(key)
    for tag in 0..<constructorCount(type) where isEqual(constructor(type, tag).name, key, prefix: prefix) { return tag }
    return nil
  }

  /// The first eight bytes of a text, the first lowest.
  @inline(__always)
  static func prefix(_ key: Bytes) -> UInt64 {
    var result: UInt64 = 0
    var index = min(key.count, 8)
    while index > 0 {
      index -= 1
      result = result << 8 | UInt64(key[index])
    }
    return result
  }
}

/// What a type is, as far as texts make a difference that shapes do not.
enum TypeNature: UInt8 {
  case other, option, json, set, secret
}

private struct TypeNamesBuild {
  var bytes: [UInt8] = []
  var constructors: [ConstructorNames] = []
  var firsts: [Int32] = []
  var counts: [Int32] = []
  var labels: [NameRange] = []
  var natures: [TypeNature] = []
  var hasOddLabels = false

  mutating func add(_ id: TypeID, _ types: TypeTable) {
    firsts.append(Int32(constructors.count))
    natures.append(nature(types[id]))
    switch types[id] {
    case .record(let fields): add("", labels: fields.map(\.name), count: fields.count)
    case .tuple(let elements): add("", labels: nil, count: elements.count)
    case .variant:
      for constructor in types.constructors[id] ?? [] {
        add(constructor.name, labels: constructor.labels, count: constructor.fields.count)
      }
    default: break
    }
    counts.append(Int32(constructors.count) - firsts[firsts.count - 1])
  }

  private func nature(_ type: DataType) -> TypeNature {
    switch type {
    case .variant(.option, _): .option
    case .variant(.json, _): .json
    case .variant(.set, _): .set
    case .variant(.secret, _): .secret
    default: .other
    }
  }

  private mutating func add(_ name: String, labels names: [String]?, count: Int) {
    let start = names == nil ? -1 : Int32(labels.count)
    for name in names ?? [] {
      labels.append(range(name))
      if name.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) { hasOddLabels = true }
    }
    constructors.append(ConstructorNames(name: range(name), labels: start, fieldCount: Int32(count)))
  }

  private mutating func range(_ name: String) -> NameRange {
    let utf8 = Array(name.utf8)
    let start = Int32(bytes.count)
    bytes += utf8
    let prefix = utf8.withUnsafeBufferPointer { TypeNames.prefix($0) }
    return NameRange(start: start, count: Int32(utf8.count), prefix: prefix)
  }
}

extension UnsafeMutablePointer {
  /// New memory with the elements of an array.
  fileprivate static func copy(of array: [Pointee]) -> UnsafeMutablePointer {
    let result = UnsafeMutablePointer.allocate(capacity: Swift.max(1, array.count))
    array.withUnsafeBufferPointer { source in
      if let start = source.baseAddress { result.initialize(from: start, count: source.count) }
    }
    return result
  }
}
