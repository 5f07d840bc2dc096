// Maps in the heap: persistent weight-balanced trees (Adams 1993, with the parameters 3 and 2 of Hirai and Yamamoto
// 2011), ordered by the structural order of keys. A map is its root node, or `Word.emptyMap`.
//
// node: key, value, left, right, size. Height is below 2 log2(size) + 2, so recursion here is shallow.

import FRPBase
import FRPCore

/// Which types a map's keys and values have; the same for all nodes of a tree.
public struct MapShape: Sendable {
  public var key: TypeID
  public var value: TypeID
  var kind: ShapeKind
  var flags: UInt64

  /// Of the map type given.
  public init(_ shapes: TypeShapes, _ type: TypeID) {
    let shape = shapes[type]
    self.init(shapes, key: shape.first, value: shape.second)
  }

  public init(_ shapes: TypeShapes, key: TypeID, value: TypeID) {
    self.key = key
    self.value = value
    kind = shapes[key].kind
    flags = (shapes.isReference(key) ? Header.flagA : 0) | (shapes.isReference(value) ? Header.flagB : 0)
  }
}

extension Heap {
  @inline(__always) public func mapCount(_ map: Word) -> Int { map & 1 != 0 ? 0 : Int(map.field(4)) }

  @inline(__always)
  func compareKeys(_ a: Word, _ b: Word, _ shape: MapShape) -> Int {
    switch shape.kind {
    case .int: return a == b ? 0 : (a.int < b.int ? -1 : 1)
    case .string: return compareStrings(a, b)
    default: return compare(a, b, type: shape.key)
    }
  }

  /// The value of a key, or nil. Cost: O(log n) comparisons.
  public func mapValue(_ map: Word, _ key: Word, shape: MapShape) -> Word? {
    var node = map
    while node & 1 == 0 {
      let order = compareKeys(key, node.field(0), shape)
      if order == 0 { return node.field(1) }
      node = node.field(order < 0 ? 2 : 3)
    }
    return nil
  }

  /// The node of entry `index` in the order of keys, which must exist: field 0 is its key, field 1 its value.
  /// Cost: O(log n).
  public func mapNode(_ map: Word, at index: Int) -> Word {
    var node = map
    var index = index
    while true {
      let before = mapCount(node.field(2))
      if index == before { return node }
      if index < before {
        node = node.field(2)
      } else {
        index -= before + 1
        node = node.field(3)
      }
    }
  }

  /// Calls `body` with every key and value, in order. Cost: O(n).
  public func mapForEach(_ map: Word, _ body: (Word, Word) throws(Fault) -> Void) throws(Fault) {
    var node = map
    while node & 1 == 0 {
      try mapForEach(node.field(2), body)
      try body(node.field(0), node.field(1))
      node = node.field(3)
    }
  }

  private func node(_ key: Word, _ value: Word, left: Word, right: Word, flags: UInt64) throws(Fault)
    -> Word
  {
    let address = try allocate(6)
    address[0] = Header.other(.mapNode, payload: 5, flags: flags).bits
    address[1] = key
    address[2] = value
    address[3] = left
    address[4] = right
    address[5] = UInt64(mapCount(left) + mapCount(right) + 1)
    return Word(address)
  }

  /// The map with `key` set to `value`. Cost: O(log n).
  public func mapSet(_ map: Word, _ key: Word, value: Word, shape: MapShape) throws(Fault) -> Word {
    if map & 1 != 0 { return try node(key, value, left: .emptyMap, right: .emptyMap, flags: shape.flags) }
    let order = compareKeys(key, map.field(0), shape)
    if order == 0 { return try node(key, value, left: map.field(2), right: map.field(3), flags: shape.flags) }
    if order < 0 {
      let left = try mapSet(map.field(2), key, value: value, shape: shape)
      return try balanced(map.field(0), map.field(1), left: left, right: map.field(3), flags: shape.flags)
    }
    let right = try mapSet(map.field(3), key, value: value, shape: shape)
    return try balanced(map.field(0), map.field(1), left: map.field(2), right: right, flags: shape.flags)
  }

  /// The map with another value for a key that it has; the same word if the value is equal, nil if it has no such key.
  /// Cost: O(log n), without looking at any balance.
  func mapReplacing(_ map: Word, _ key: Word, value: Word, shape: MapShape) throws(Fault) -> Word? {
    try mapReplacing(map, key, shape) { (old) throws(Fault) in equal(old, value, type: shape.value) ? nil : value }
  }

  /// The same with what `change` makes of the value; nil keeps the map as it is.
  @inline(__always)
  func mapReplacing(
    _ map: Word, _ key: Word, _ shape: MapShape, _ change: (_ old: Word) throws(Fault) -> Word?
  ) throws(Fault) -> Word? {
    // The way down, a bit a level, the last lowest: 1 is right. A tree that fits into memory has fewer than 64 levels.
    var way: UInt64 = 0
    var depth = 0
    var node = map
    while true {
      if node & 1 != 0 { return nil }
      let order = compareKeys(key, node.field(0), shape)
      if order == 0 { break }
      way = way << 1 | (order < 0 ? 0 : 1)
      depth += 1
      node = node.field(order < 0 ? 2 : 3)
    }
    guard let value = try change(node.field(1)) else { return map }
    let copy = try allocate(6 * (depth + 1))
    node = map
    var target = copy
    while depth > 0 {
      depth -= 1
      let side = way >> UInt64(depth) & 1 == 0 ? 2 : 3
      target.update(from: node.address, count: 6)
      target[1 + side] = Word(target + 6)
      node = node.field(side)
      target += 6
    }
    target.update(from: node.address, count: 6)
    target[2] = value
    return Word(copy)
  }

  /// The map without `key`; the same word if it has none. Cost: O(log n).
  public func mapRemove(_ map: Word, _ key: Word, shape: MapShape) throws(Fault) -> Word {
    if map & 1 != 0 { return map }
    let left = map.field(2)
    let right = map.field(3)
    let order = compareKeys(key, map.field(0), shape)
    if order == 0 { return try glued(left, right, flags: shape.flags) }
    if order < 0 {
      let rest = try mapRemove(left, key, shape: shape)
      return rest == left ? map : try balanced(map.field(0), map.field(1), left: rest, right: right, flags: shape.flags)
    }
    let rest = try mapRemove(right, key, shape: shape)
    return rest == right ? map : try balanced(map.field(0), map.field(1), left: left, right: rest, flags: shape.flags)
  }

  /// A map of entries in strictly increasing order of keys: `entries[2i]` is key i, `entries[2i + 1]` its value.
  /// `step` is called for each entry, and may give it up. Cost: O(n).
  public func mapFromSorted(
    _ entries: UnsafePointer<Word>, _ count: Int, shape: MapShape, step: () throws(Fault) -> Void
  ) throws(Fault) -> Word {
    if count == 0 { return .emptyMap }
    let middle = count / 2
    try step()
    let left = try mapFromSorted(entries, middle, shape: shape, step: step)
    let right = try mapFromSorted(entries + 2 * (middle + 1), count - middle - 1, shape: shape, step: step)
    return try node(entries[2 * middle], entries[2 * middle + 1], left: left, right: right, flags: shape.flags)
  }

  // MARK: Balance

  /// A node over two balanced trees of which one may have gained or lost one entry.
  private func balanced(_ key: Word, _ value: Word, left: Word, right: Word, flags: UInt64) throws(Fault)
    -> Word
  {
    let l = mapCount(left) + 1
    let r = mapCount(right) + 1
    if l + r > 3 {
      if r > 3 * l { return try rotatedLeft(key, value, left: left, right: right, flags: flags) }
      if l > 3 * r { return try rotatedRight(key, value, left: left, right: right, flags: flags) }
    }
    return try node(key, value, left: left, right: right, flags: flags)
  }

  private func rotatedLeft(_ key: Word, _ value: Word, left: Word, right: Word, flags: UInt64) throws(Fault)
    -> Word
  {
    let inner = right.field(2)
    let outer = right.field(3)
    if mapCount(inner) + 1 < 2 * (mapCount(outer) + 1) {
      let below = try node(key, value, left: left, right: inner, flags: flags)
      return try node(right.field(0), right.field(1), left: below, right: outer, flags: flags)
    }
    let low = try node(key, value, left: left, right: inner.field(2), flags: flags)
    let high = try node(right.field(0), right.field(1), left: inner.field(3), right: outer, flags: flags)
    return try node(inner.field(0), inner.field(1), left: low, right: high, flags: flags)
  }

  private func rotatedRight(_ key: Word, _ value: Word, left: Word, right: Word, flags: UInt64) throws(Fault)
    -> Word
  {
    let inner = left.field(3)
    let outer = left.field(2)
    if mapCount(inner) + 1 < 2 * (mapCount(outer) + 1) {
      let below = try node(key, value, left: inner, right: right, flags: flags)
      return try node(left.field(0), left.field(1), left: outer, right: below, flags: flags)
    }
    let low = try node(left.field(0), left.field(1), left: outer, right: inner.field(2), flags: flags)
    let high = try node(key, value, left: inner.field(3), right: right, flags: flags)
    return try node(inner.field(0), inner.field(1), left: low, right: high, flags: flags)
  }

  /// Two trees that were one node's, joined.
  private func glued(_ left: Word, _ right: Word, flags: UInt64) throws(Fault) -> Word {
    if left & 1 != 0 { return right }
    if right & 1 != 0 { return left }
    if mapCount(left) > mapCount(right) {
      let last = mapNode(left, at: mapCount(left) - 1)
      let rest = try withoutLast(left, flags)
      return try balanced(last.field(0), last.field(1), left: rest, right: right, flags: flags)
    }
    let first = mapNode(right, at: 0)
    let rest = try withoutFirst(right, flags)
    return try balanced(first.field(0), first.field(1), left: left, right: rest, flags: flags)
  }

  private func withoutFirst(_ map: Word, _ flags: UInt64) throws(Fault) -> Word {
    if map.field(2) & 1 != 0 { return map.field(3) }
    let left = try withoutFirst(map.field(2), flags)
    return try balanced(map.field(0), map.field(1), left: left, right: map.field(3), flags: flags)
  }

  private func withoutLast(_ map: Word, _ flags: UInt64) throws(Fault) -> Word {
    if map.field(3) & 1 != 0 { return map.field(2) }
    let right = try withoutLast(map.field(3), flags)
    return try balanced(map.field(0), map.field(1), left: map.field(2), right: right, flags: flags)
  }
}
