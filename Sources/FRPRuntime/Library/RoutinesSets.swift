// Routines of sets: maps whose values are `()`. What looks at keys alone is a routine of maps.

import FRPCore
import FRPGraph

extension RoutineTable {
  static let sets: [(Prim, Routine)] = [
    (.setFromList, setFromList), (.setAdd, setAdd), (.setIntersect, setIntersect), (.setDifference, setDifference),
    (.setMap, setMap), (.setFilter, setFilter), (.setFold, setFold),
  ]

  private static func shape(_ m: Machine, _ type: TypeID) -> MapShape { MapShape(m.heap.shapes, type) }

  private static func setFromList(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try set(m, ListView(a[0]), type: a.call.result)
  }

  /// The set of a list's elements.
  private static func set(_ m: Machine, _ list: ListView, type: TypeID) throws(Fault) -> Word {
    try m.borrowing(4 * list.count * MemoryLayout<Keyed>.stride) { () throws(Fault) in
      var items: [Keyed] = []
      items.reserveCapacity(list.count)
      for word in list {
        try m.step()
        items.append(Keyed(key: word, value: .unit))
      }
      let element = m.heap.element(type)
      try sort(m, &items, by: element)
      var entries: [Word] = []
      for item in items {
        try m.step()
        if let last = entries.dropLast().last, m.heap.equal(last, item.key, type: element) { continue }
        entries.append(item.key)
        entries.append(.unit)
      }
      return try m.heap.mapFromSorted(entries, entries.count / 2, shape: shape(m, type)) { () throws(Fault) in
        try m.step()
      }
    }
  }

  private static func setAdd(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let shape = shape(m, a.call.result)
    if m.heap.mapValue(a[0], a[1], shape: shape) != nil { return a[0] }
    return try m.heap.mapSet(a[0], a[1], value: .unit, shape: shape)
  }

  /// The elements of the first of two sets that are in the second, or those that are not. Cost: O(m log n), m being the elements of the first.
  private static func part(
    _ m: Machine, of first: Word, _ second: Word, _ shape: MapShape, inSecond wanted: Bool
  ) throws(Fault) -> Word {
    try m.borrowing(2 * m.heap.mapCount(first) * MemoryLayout<Word>.stride) { () throws(Fault) in
      var entries: [Word] = []
      try m.heap.mapForEach(first) { (key, _) throws(Fault) in
        try m.step()
        if (m.heap.mapValue(second, key, shape: shape) != nil) == wanted { entries += [key, .unit] }
      }
      return try m.heap.mapFromSorted(entries, entries.count / 2, shape: shape) { () throws(Fault) in try m.step() }
    }
  }

  private static func setIntersect(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let isFew = m.heap.mapCount(a[1]) < m.heap.mapCount(a[0])
    return try part(m, of: a[isFew ? 1 : 0], a[isFew ? 0 : 1], shape(m, a.call.result), inSecond: true)
  }

  private static func setDifference(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let shape = shape(m, a.call.result)
    if m.heap.mapCount(a[1]) * fewTimes >= m.heap.mapCount(a[0]) {
      return try part(m, of: a[0], a[1], shape, inSecond: false)
    }
    var result = a[0]
    try m.heap.mapForEach(a[1]) { (key, _) throws(Fault) in
      try m.step()
      result = try m.heap.mapRemove(result, key, shape: shape)
    }
    return result
  }

  // MARK: With functions

  private static func setMap(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let isReference = m.heap.shapes.isReference(m.heap.element(a.call.result))
    var list = try ListBuilder(m.heap, references: isReference, capacity: m.heap.mapCount(a[0]))
    try m.heap.mapForEach(a[0]) { (key, _) throws(Fault) in
      try m.step()
      try list.append(try m.apply(a[1], key))
    }
    return try set(m, ListView(try list.finish()), type: a.call.result)
  }

  private static func setFilter(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let shape = shape(m, a.call.result)
    let isReference = m.heap.shapes.isReference(shape.key)
    return try m.borrowing(2 * m.heap.mapCount(a[0]) * RootSet.stride) { () throws(Fault) in
      let entries = RootSet(m.heap)
      try m.heap.mapForEach(a[0]) { (key, _) throws(Fault) in
        try m.step()
        guard try m.apply(a[1], key).bool else { return }
        entries.append(key, isReference: isReference)
        entries.append(.unit, isReference: false)
      }
      return try m.heap.mapFromSorted(entries.words, entries.count / 2, shape: shape) { () throws(Fault) in try m.step()
      }
    }
  }

  private static func setFold(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.step(m.heap.mapCount(a[0]))
    var state = a[1]
    try m.heap.mapForEach(a[0]) { (key, _) throws(Fault) in state = try m.apply(a[2], state, second: key) }
    return state
  }
}
