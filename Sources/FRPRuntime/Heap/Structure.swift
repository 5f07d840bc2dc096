// The structural operations of all data: equality, the one order, and hashing. Types say how words are read. Depth is
// limited by memory, not by the stack: parts still to be compared wait in a `WorkStack`.
//
// The order: false < true; numbers by value (-0.0 equals 0.0); strings by their scalars; tuples and records by their
// fields in order of memory; lists like words in a dictionary; variants by declaration, then fields; maps as lists of
// pairs. Functions and tasks are equal only if they are the same object, and are not ordered by programs.
//
// Within an instant they take steps as they go, and can be given up: `hasGivenUp` is set then, the result means nothing
// (values are equal, a hash is any), and whoever grants the limits undoes what was done with it. So what compares in a
// thousand places need not throw.

import FRPCore
import FRPLibc

extension Heap {
  /// Whether two values are the same. No Float is NaN, so the same word is always the same value.
  @inline(__always)
  public func equal(_ a: Word, _ b: Word, type: TypeID) -> Bool {
    a == b || equalParts(a, b, type: type)
  }

  @inline(never)
  private func equalParts(_ a: Word, _ b: Word, type: TypeID) -> Bool {
    let shape = shapes[type]
    switch shape.kind {
    case .unit, .bool, .int: return false
    case .float: return a.float == b.float
    case .string: return equalStrings(a, b)
    default: return a == b || order(a, b, type: type, onlyEquality: true) == 0
    }
  }

  /// Below, equal or above zero as a is before, equal to, or after b.
  public func compare(_ a: Word, _ b: Word, type: TypeID) -> Int {
    switch shapes[type].kind {
    case .unit: return 0
    case .bool: return a == b ? 0 : (a < b ? -1 : 1)
    case .int: return a == b ? 0 : (a.int < b.int ? -1 : 1)
    case .float: return a.float == b.float ? 0 : (a.float < b.float ? -1 : 1)
    case .string: return compareStrings(a, b)
    default: return a == b ? 0 : order(a, b, type: type, onlyEquality: false)
    }
  }

  // MARK: Limits

  /// Parts, or words of texts, that are looked at between two looks at the limits: some 30 µs.
  private static let partsAtOnce = 1 << 14
  /// Parts that a list or map gives before others are asked for.
  private static let stretch = 1 << 12

  /// From here on until `stopMetering`, what is looked at takes steps.
  @inline(__always)
  func startMetering() {
    state.pointee.partsLeft = Heap.partsAtOnce
    state.pointee.hasGivenUp = false
  }

  @inline(__always)
  func stopMetering() {
    state.pointee.partsLeft = .max
    state.pointee.hasGivenUp = false
  }

  /// Whether it may go on after so many parts.
  @inline(__always)
  private func mayGoOn(after parts: Int) -> Bool {
    state.pointee.partsLeft &-= parts
    return state.pointee.partsLeft >= 0 || askMeter()
  }

  @inline(never)
  private func askMeter() -> Bool {
    let parts = Heap.partsAtOnce &- state.pointee.partsLeft
    state.pointee.partsLeft = 0
    if state.pointee.hasGivenUp { return false }
    guard let meter, !meter(parts) else {
      state.pointee.partsLeft = Heap.partsAtOnce
      return true
    }
    state.pointee.hasGivenUp = true
    return false
  }

  // MARK: Order

  private func order(_ a: Word, _ b: Word, type: TypeID, onlyEquality: Bool) -> Int {
    let mark = work.count
    work.push(WorkItem(a: a, b: b, type: type, index: 0))
    while work.count > mark {
      guard mayGoOn(after: 1) else {
        work.removeAll(from: mark)
        return 0
      }
      let result = step(work.pop(), onlyEquality)
      if result != 0 {
        work.removeAll(from: mark)
        return result
      }
    }
    return 0
  }

  /// Compares scalars and strings at once, defers everything else.
  @inline(__always)
  private func part(_ a: Word, _ b: Word, type: TypeID) -> Int {
    switch shapes[type].kind {
    case .unit: return 0
    case .bool, .int: return a == b ? 0 : (a.int < b.int ? -1 : 1)
    case .float: return a.float == b.float ? 0 : (a.float < b.float ? -1 : 1)
    case .string: return compareStrings(a, b)
    default:
      if a != b { work.push(WorkItem(a: a, b: b, type: type, index: 0)) }
      return 0
    }
  }

  private func step(_ item: WorkItem, _ onlyEquality: Bool) -> Int {
    let shape = shapes[item.type]
    switch shape.kind {
    case .list: return stepList(item, shape, onlyEquality: onlyEquality)
    case .map: return stepMap(item, shape, onlyEquality: onlyEquality)
    case .product: return stepFields(item, tag: 0)
    case .variant:
      let tag = item.a.tag
      let other = item.b.tag
      if tag != other { return tag < other ? -1 : 1 }
      return item.a & 1 != 0 ? 0 : stepFields(item, tag: tag)
    case .function, .task: return item.a == item.b ? 0 : (item.a < item.b ? -1 : 1)
    default: return part(item.a, item.b, type: item.type)
    }
  }

  private func stepFields(_ item: WorkItem, tag: Int) -> Int {
    if item.a & 1 != 0 || item.b & 1 != 0 { return 0 }
    let shape = shapes.constructor(item.type, tag)
    var index = item.index
    while index < Int(shape.fieldCount) {
      let mark = work.count
      let result = part(item.a.field(index), item.b.field(index), type: shapes.fieldType(shape, index))
      if result != 0 { return result }
      index += 1
      if work.count > mark {
        suspend(item, at: index, if: index < Int(shape.fieldCount))
        return 0
      }
    }
    return 0
  }

  /// Puts the rest of `item` below the part just pushed.
  @inline(__always)
  private func suspend(_ item: WorkItem, at index: Int, if isNeeded: Bool) {
    if !isNeeded { return }
    let part = work.pop()
    work.push(WorkItem(a: item.a, b: item.b, type: item.type, index: index))
    work.push(part)
  }

  /// Leaves the rest of a long list or map for the next step.
  private func goOnLater(_ item: WorkItem, at index: Int) -> Int {
    state.pointee.partsLeft &-= index - item.index
    work.push(WorkItem(a: item.a, b: item.b, type: item.type, index: index))
    return 0
  }

  private func stepList(_ item: WorkItem, _ shape: Shape, onlyEquality: Bool) -> Int {
    let a = ListView(item.a)
    let b = ListView(item.b)
    if onlyEquality, a.count != b.count { return 1 }
    let shorter = min(a.count, b.count)
    var index = a.start == b.start ? shorter : item.index
    let end = min(shorter, index + Heap.stretch)
    while index < end {
      let mark = work.count
      let result = part(a[index], b[index], type: shape.first)
      if result != 0 { return result }
      index += 1
      if work.count > mark {
        suspend(item, at: index, if: index < shorter || a.count != b.count)
        return 0
      }
    }
    if index < shorter { return goOnLater(item, at: index) }
    return a.count == b.count ? 0 : (a.count < b.count ? -1 : 1)
  }

  /// Part 2i is key i, part 2i + 1 its value.
  private func stepMap(_ item: WorkItem, _ shape: Shape, onlyEquality: Bool) -> Int {
    let m = mapCount(item.a)
    let n = mapCount(item.b)
    if onlyEquality, m != n { return 1 }
    if onlyEquality, item.index == 0, let isChanged = hasChanged(item.a, item.b, kind: shapes[shape.second].kind) {
      return isChanged ? 1 : 0
    }
    var index = item.index
    let end = min(2 * min(m, n), index + Heap.stretch)
    while index < end {
      if index & 1 == 0 {
        let shared = sharedEntries(item.a, item.b, from: index / 2)
        if shared > 0 {
          index += 2 * shared
          continue
        }
      }
      let mark = work.count
      let x = mapNode(item.a, at: index / 2)
      let y = mapNode(item.b, at: index / 2)
      let field = index & 1
      let result = part(x.field(field), y.field(field), type: field == 0 ? shape.first : shape.second)
      if result != 0 { return result }
      index += 1
      if work.count > mark {
        suspend(item, at: index, if: index < 2 * min(m, n) || m != n)
        return 0
      }
    }
    if index < 2 * min(m, n) { return goOnLater(item, at: index) }
    return m == n ? 0 : (m < n ? -1 : 1)
  }

  /// Whether two maps differ of which one was made of the other by another value for one key: all else is shared. nil where
  /// that is not so, or cannot be told. Cost: O(log n).
  private func hasChanged(_ a: Word, _ b: Word, kind: ShapeKind) -> Bool? {
    var (x, y) = (a, b)
    while x != y {
      if (x | y) & 1 != 0 || x.field(0) != y.field(0) { return nil }
      if x.field(1) != y.field(1) {
        switch kind {
        case .bool, .int: return true
        case .float: if x.field(1).float != y.field(1).float { return true }
        default: return nil
        }
      }
      let isLeftShared = x.field(2) == y.field(2)
      if !isLeftShared, x.field(3) != y.field(3) { return nil }
      (x, y) = (x.field(isLeftShared ? 3 : 2), y.field(isLeftShared ? 3 : 2))
    }
    return false
  }

  /// How many entries from `index` on are one subtree that both maps share: an update copies only the path to its
  /// key, so that comparing a map with its next version costs O((log n)^2) and not O(n).
  private func sharedEntries(_ a: Word, _ b: Word, from index: Int) -> Int {
    var tree = a
    var first = 0
    while tree & 1 == 0 {
      if first == index, holds(b, tree, from: index) { return mapCount(tree) }
      let middle = first + mapCount(tree.field(2))
      if index == middle { return 0 }
      if index < middle {
        tree = tree.field(2)
      } else {
        first = middle + 1
        tree = tree.field(3)
      }
    }
    return 0
  }

  /// Whether `subtree` is the very part of `map` whose first entry is `index`.
  private func holds(_ map: Word, _ subtree: Word, from index: Int) -> Bool {
    var tree = map
    var first = 0
    while tree & 1 == 0 {
      if first == index, tree == subtree { return true }
      let middle = first + mapCount(tree.field(2))
      if index == middle { return false }
      if index < middle {
        tree = tree.field(2)
      } else {
        first = middle + 1
        tree = tree.field(3)
      }
    }
    return false
  }

  // MARK: Hashing

  /// A hash of any data; equal values have equal hashes. Seeded by `hashSeed`, the same in every process.
  @inline(__always)
  public func hash(_ value: Word, _ type: TypeID) -> UInt64 {
    var state = hashSeed
    switch shapes[type].kind {
    case .bool, .int: mix(&state, value)
    case .string: mixString(&state, value)
    default: hashAll(value, type, state: &state)
    }
    return finish(state)
  }

  @inline(never)
  private func hashAll(_ value: Word, _ type: TypeID, state: inout UInt64) {
    let mark = work.count
    work.push(WorkItem(a: value, b: 0, type: type, index: 0))
    while work.count > mark {
      guard mayGoOn(after: 1) else { return work.removeAll(from: mark) }
      let item = work.pop()
      hashParts(item, &state)
    }
  }

  @inline(__always)
  private func mixString(_ state: inout UInt64, _ value: Word) {
    let address = value.address
    let words = Int(address[1] &+ 7) >> 3
    mix(&state, address[1])
    if words > Heap.longText || Heap.isGrown(value) { return mixLongString(&state, TextWords(value)) }
    for index in 0..<words { mix(&state, address[3 + index]) }
  }

  @inline(never)
  private func mixLongString(_ state: inout UInt64, _ words: TextWords) {
    var start = 0
    while start < words.count {
      let end = min(words.count, start + Heap.stretch)
      for index in start..<end { mix(&state, words[index]) }
      if !mayGoOn(after: end - start) { return }
      start = end
    }
  }

  @inline(__always)
  private func mix(_ state: inout UInt64, _ word: UInt64) {
    let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    state = product.high ^ product.low ^ 0xA076_1D64_78BD_642F
  }

  @inline(__always)
  private func finish(_ state: UInt64) -> UInt64 {
    let product = (state ^ 0xE703_7ED1_A0B4_28DB).multipliedFullWidth(by: 0x8EBC_6AF0_9C88_C6E3)
    return product.high ^ product.low
  }

  private func hashParts(_ item: WorkItem, _ state: inout UInt64) {
    let shape = shapes[item.type]
    let value = item.a
    switch shape.kind {
    case .unit: break
    case .bool, .int, .function, .task: mix(&state, value)
    case .float: mix(&state, value.float == 0 ? 0 : value)
    case .string: mixString(&state, value)
    case .list: hashList(item, shape, state: &state)
    case .map: hashMap(item, shape, state: &state)
    case .product, .variant:
      let tag = shape.kind == .variant ? value.tag : 0
      mix(&state, UInt64(tag))
      if value & 1 != 0 { return }
      let constructor = shapes.constructor(item.type, tag)
      for index in 0..<Int(constructor.fieldCount) {
        let type = shapes.fieldType(constructor, index)
        work.push(WorkItem(a: value.field(index), b: 0, type: type, index: 0))
      }
    }
  }

  /// Mixes scalars and strings at once; defers everything else, and gives whether it did.
  @inline(__always)
  private func hashPart(_ word: Word, _ type: TypeID, state: inout UInt64) -> Bool {
    switch shapes[type].kind {
    case .bool, .int: mix(&state, word)
    case .string: mixString(&state, word)
    default:
      work.push(WorkItem(a: word, b: 0, type: type, index: 0))
      return true
    }
    return false
  }

  private func hashList(_ item: WorkItem, _ shape: Shape, state: inout UInt64) {
    let view = ListView(item.a)
    if item.index == 0 { mix(&state, UInt64(view.count)) }
    let end = min(view.count, item.index + Heap.stretch)
    for index in item.index..<end where hashPart(view[index], shape.first, state: &state) {
      return suspend(item, at: index + 1, if: index + 1 < view.count)
    }
    if end < view.count { _ = goOnLater(item, at: end) }
  }

  private func hashMap(_ item: WorkItem, _ shape: Shape, state: inout UInt64) {
    let count = mapCount(item.a)
    if item.index == 0 { mix(&state, UInt64(count)) }
    let end = min(2 * count, item.index + Heap.stretch)
    for index in item.index..<end {
      let part = mapNode(item.a, at: index / 2).field(index & 1)
      if hashPart(part, index & 1 == 0 ? shape.first : shape.second, state: &state) {
        return suspend(item, at: index + 1, if: index + 1 < 2 * count)
      }
    }
    if end < 2 * count { _ = goOnLater(item, at: end) }
  }

  // MARK: Long texts

  /// Texts of more words take steps as they are looked at.
  static let longText = 1 << 14

  @inline(__always)
  static func isLong(_ string: Word) -> Bool { string.address[1] > longText * 8 }

  /// The first of so many words in which two texts differ; nil where they do not.
  @inline(never)
  func firstDifference(_ a: Word, _ b: Word, _ words: Int) -> Int? {
    let (x, y) = (TextWords(a), TextWords(b))
    let whole = min(words, x.whole, y.whole)
    var start = 0
    while start < whole {
      let end = min(whole, start + Heap.stretch)
      if memcmp(x.start + start * 8, y.start + start * 8, (end - start) * 8) != 0 {
        return (start..<end).first { x[$0] != y[$0] }
      }
      if !mayGoOn(after: (end - start) / 8) { return nil }
      start = end
    }
    return (whole..<words).first { x[$0] != y[$0] }
  }
}
