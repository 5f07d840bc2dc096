// How coders go through the records and lists of one heap, found once for each type.
//
// In:  a type. Out: what its values are, and for a record the names and types of its fields.
//
// Rules
// - Whoever codes a record asks for its fields in the same order each time. So a layout remembers which field was asked for
//   after which, and a name is mostly compared once.
// - Everything is behind pointers, and nothing counts references: a record has few fields, and each count would cost as
//   much as one of them.

import FRPCore
import FRPRuntime

/// What the values of a type are to a coder. What is neither a scalar, a record nor a list has other forms in Swift than
/// in the heap, and takes the way over `FrpValue`.
enum DirectForm {
  case bool, int, float, string, record, list, option, other
}

/// A type as coders go through it.
struct DirectLayout {
  let coders: UnsafeMutablePointer<DirectCoders>
  let type: TypeID
  let form: DirectForm
  /// The type of a list's elements, or of what an Option holds.
  let content: TypeID
  /// Of a record: how many fields, their names and types.
  let count: Int
  let names: UnsafeMutablePointer<String>
  let types: UnsafeMutablePointer<TypeID>
  /// The fields that must be there: what is an Option may be missing.
  let needed: UInt64
  /// By field: which was asked for after it, and at `count` which came first.
  private let following: UnsafeMutablePointer<Int>
  /// The field that was asked for last; `count` at the beginning.
  private var last: Int
  /// How often values could not be coded so, less how often they could.
  var trouble = 0

  /// A record of more fields is coded over `FrpValue`.
  static let mostFields = 60

  init(_ coders: UnsafeMutablePointer<DirectCoders>, _ type: TypeID, _ table: TypeTable) {
    var fields: [FieldType] = []
    (form, content) = Self.form(of: type, table, &fields)
    self.coders = coders
    self.type = type
    count = fields.count
    names = .allocate(capacity: max(1, count))
    types = .allocate(capacity: max(1, count))
    following = .allocate(capacity: count + 1)
    last = count
    var needed: UInt64 = 0
    for (index, field) in fields.enumerated() {
      (names + index).initialize(to: field.name)
      (types + index).initialize(to: field.type)
      if case .variant(.option, _) = table[field.type] { continue }
      needed |= 1 << UInt64(index)
    }
    self.needed = needed
    for index in 0...count { (following + index).initialize(to: (index + 1) % (count + 1)) }
  }

  private static func form(of type: TypeID, _ table: TypeTable, _ fields: inout [FieldType]) -> (DirectForm, TypeID) {
    switch table[type] {
    case .bool: return (.bool, type)
    case .int: return (.int, type)
    case .float: return (.float, type)
    case .string: return (.string, type)
    case .list(let element): return (.list, element)
    case .record(let list) where !list.isEmpty && list.count <= mostFields:
      fields = list
      return (.record, type)
    case .variant(.option, let arguments) where arguments.count == 1: return (.option, arguments[0])
    default: return (.other, type)
    }
  }

  func deallocate() {
    names.deinitialize(count: count)
    names.deallocate()
    types.deallocate()
    following.deallocate()
  }

  /// A record is begun.
  mutating func begin() { last = count }

  /// The place of a field; nil if there is none of this name.
  @inline(__always)
  mutating func index(_ name: String) -> Int? {
    let guess = following[last]
    if guess < count, names[guess] == name {
      last = guess
      return guess
    }
    return search(name)
  }

  @inline(never)
  private mutating func search(_ name: String) -> Int? {
    // Whoever asks whether a field is there asks for the same once more.
    if last < count, names[last] == name { return last }
    for index in 0..<count where names[index] == name {
      following[last] = index
      last = index
      return index
    }
    return nil
  }
}

/// What the coders of one heap share.
struct DirectCoders {
  let bridge: Unmanaged<ValueBridge>
  let heap: Unmanaged<Heap>
  /// By type; made when they are asked for.
  private let layouts: UnsafeMutablePointer<UnsafeMutablePointer<DirectLayout>?>
  private let typeCount: Int
  /// Records and lists that are being encoded: see `DirectEncoder`.
  var words: Address
  var top = 0
  private var capacity = 256
  /// Where the innermost of them begins; -1 where there is none.
  var innermost = -1
  var depth = 0
  /// Whether a value does something that only the other coder can do, or tell.
  var isIrregular = false

  static func make(_ bridge: ValueBridge) -> UnsafeMutablePointer<DirectCoders> {
    let coders = UnsafeMutablePointer<DirectCoders>.allocate(capacity: 1)
    coders.initialize(to: DirectCoders(bridge))
    return coders
  }

  private init(_ bridge: ValueBridge) {
    self.bridge = .passUnretained(bridge)
    heap = .passUnretained(bridge.heap)
    typeCount = bridge.heap.shapes.count
    layouts = .allocate(capacity: typeCount)
    layouts.initialize(repeating: nil, count: typeCount)
    words = .allocate(capacity: capacity)
  }

  func deallocate() {
    for index in 0..<typeCount {
      layouts[index]?.pointee.deallocate()
      layouts[index]?.deallocate()
    }
    layouts.deallocate()
    words.deallocate()
  }

  /// Makes room for so many words more.
  @inline(__always)
  mutating func reserve(_ count: Int) {
    if top + count > capacity { grow(by: count) }
  }

  @inline(never)
  private mutating func grow(by count: Int) {
    capacity = max(capacity * 2, top + count)
    let larger = Address.allocate(capacity: capacity)
    larger.update(from: words, count: top)
    words.deallocate()
    words = larger
  }

  fileprivate func known(_ type: TypeID) -> UnsafeMutablePointer<DirectLayout>? { layouts[type.index] }

  fileprivate func keep(_ layout: UnsafeMutablePointer<DirectLayout>, of type: TypeID) { layouts[type.index] = layout }
}

extension UnsafeMutablePointer<DirectCoders> {
  /// A type as coders go through it.
  @inline(__always)
  func layout(_ type: TypeID) -> UnsafeMutablePointer<DirectLayout> { pointee.known(type) ?? made(type) }

  @inline(never)
  private func made(_ type: TypeID) -> UnsafeMutablePointer<DirectLayout> {
    let layout = UnsafeMutablePointer<DirectLayout>.allocate(capacity: 1)
    let types = pointee.heap._withUnsafeGuaranteedRef { $0.shapes.types }
    layout.initialize(to: DirectLayout(self, type, types))
    pointee.keep(layout, of: type)
    return layout
  }
}
