// In what two versions of a map differ, found without looking at the subtrees that they share.
//
// A map that is made of another by setting some keys shares all nodes with it but those on the ways to these keys. Both trees
// are walked in the order of keys; wherever the same node comes next in both, it is passed as a whole.

/// An entry that came, went, or has another value.
struct MapEdit {
  /// Where it stands, or stood, after all edits before this one.
  var place: Int
  var isGone: Bool
  var isNew: Bool
}

/// The edits that make one map of another, in the order of keys.
struct MapDifferences {
  private(set) var edits: [MapEdit] = []
  /// Two words for each edit: the entry's node before and after, or the empty map.
  private let nodes: RootSet
  private var old: [Word] = []
  private var new: [Word] = []

  init(_ heap: Heap) { nodes = RootSet(heap) }

  /// The entry's node before and after an edit: field 0 is its key, field 1 its value.
  func before(_ edit: Int) -> Word { nodes[2 * edit] }
  func after(_ edit: Int) -> Word { nodes[2 * edit + 1] }

  mutating func removeAll() {
    edits.removeAll(keepingCapacity: true)
    nodes.removeAll()
  }

  /// A node of which only the entry is still to come, not the subtrees.
  private static let entry: Word = 2

  /// Finds the edits. False if the maps share so little that this would cost as much as to look at all entries; maps that
  /// have nothing to do with each other are found out early.
  mutating func find(_ heap: Heap, _ before: Word, _ after: Word, _ shape: MapShape) -> Bool {
    removeAll()
    old.removeAll(keepingCapacity: true)
    new.removeAll(keepingCapacity: true)
    if before & 1 == 0 { old.append(before) }
    if after & 1 == 0 { new.append(after) }
    let count = heap.mapCount(after)
    var place = 0
    var expanded = 0
    var shared = 0
    while let x = old.last ?? new.last {
      let y = new.last ?? x
      if old.isEmpty || new.isEmpty {
        if x & Self.entry == 0 {
          if old.isEmpty { Self.expand(&new) } else { Self.expand(&old) }
          expanded += 1
        } else if old.isEmpty {
          add(.emptyMap, new.removeLast() & ~Self.entry, &place)
        } else {
          add(old.removeLast() & ~Self.entry, .emptyMap, &place)
        }
      } else if x == y {
        old.removeLast()
        new.removeLast()
        shared += 1
        place += x & Self.entry == 0 ? heap.mapCount(x) : 1
      } else if x & Self.entry == 0, y & Self.entry != 0 || heap.mapCount(x) >= heap.mapCount(y) {
        Self.expand(&old)
        expanded += 1
      } else if y & Self.entry == 0 {
        Self.expand(&new)
        expanded += 1
      } else {
        compare(heap, x & ~Self.entry, y & ~Self.entry, shape, &place)
      }
      if expanded > 64 + count || expanded > 64 + count / 8 + 16 * shared { return false }
    }
    return true
  }

  /// Puts a subtree's parts in its place, those that come first last.
  private static func expand(_ pending: inout [Word]) {
    let node = pending.removeLast()
    if node.field(3) & 1 == 0 { pending.append(node.field(3)) }
    pending.append(node | entry)
    if node.field(2) & 1 == 0 { pending.append(node.field(2)) }
  }

  private mutating func compare(_ heap: Heap, _ x: Word, _ y: Word, _ shape: MapShape, _ place: inout Int) {
    let order = heap.compareKeys(x.field(0), y.field(0), shape)
    if order <= 0 { old.removeLast() }
    if order >= 0 { new.removeLast() }
    if order == 0, x.field(1) == y.field(1), x.field(0) == y.field(0) {
      place += 1
    } else {
      add(order <= 0 ? x : .emptyMap, order >= 0 ? y : .emptyMap, &place)
    }
  }

  private mutating func add(_ before: Word, _ after: Word, _ place: inout Int) {
    edits.append(MapEdit(place: place, isGone: before & 1 == 0, isNew: after & 1 == 0))
    nodes.append(before, isReference: true)
    nodes.append(after, isReference: true)
    if after & 1 == 0 { place += 1 }
  }
}
