// Routines that follow an order: sorting, least and greatest, and maps made of lists. Sorting is stable (bottom-up merge
// sort: at most n log2 n comparisons), computes each key once, and stays in bounds whatever the comparison says.

import FRPCore
import FRPGraph

/// An element and what it is sorted by.
struct Keyed {
  var key: Word
  var value: Word
}

extension RoutineTable {
  static let sorting: [(Prim, Routine)] = [
    (.listSort, listSort), (.listSortBy, listSortBy), (.listSortWith, listSortWith),
    (.listGroupBy, listGroupBy), (.listCountBy, listCountBy), (.mapFromList, mapFromList),
  ]

  /// Sorts `items`, which it may use as room; `isAfter(a, b)` says that a must come after b. A step for four elements that are
  /// moved.
  @inline(__always)
  static func mergeSort(
    _ m: Machine, _ items: inout [Keyed], isAfter: (Keyed, Keyed) throws(Fault) -> Bool
  ) throws(Fault) {
    let count = items.count
    if count < 2 { return }
    try sortRuns(m, &items, isAfter: isAfter)
    if count <= 8 { return }
    var other: [Keyed] = []
    other.reserveCapacity(count)
    try m.inStretches(count, perStep: 8) { (stretch) throws(Fault) in other += items[stretch] }
    var width = 8
    while width < count {
      var start = 0
      while start < count {
        let middle = Swift.min(start + width, count)
        let end = Swift.min(middle + width, count)
        var left = start
        var right = middle
        try m.inStretches(end - start, perStep: 4) { (stretch) throws(Fault) in
          for place in stretch {
            let target = start + place
            // Autoclosures of `&&` and `||` would lose the type of what is thrown.
            var takesLeft = left < middle
            if takesLeft, right < end { takesLeft = !(try isAfter(items[left], items[right])) }
            if takesLeft {
              other[target] = items[left]
              left += 1
            } else {
              other[target] = items[right]
              right += 1
            }
          }
        }
        start = end
      }
      swap(&items, &other)
      width *= 2
    }
  }

  /// Sorts runs of eight by insertion.
  @inline(__always)
  private static func sortRuns(
    _ m: Machine, _ items: inout [Keyed], isAfter: (Keyed, Keyed) throws(Fault) -> Bool
  ) throws(Fault) {
    var start = 0
    while start < items.count {
      let end = Swift.min(start + 8, items.count)
      try m.step(2)
      for index in (start + 1)..<Swift.max(start + 1, end) {
        let item = items[index]
        var place = index
        while place > start, try isAfter(items[place - 1], item) {
          items[place] = items[place - 1]
          place -= 1
        }
        items[place] = item
      }
      start = end
    }
  }

  /// Sorts by keys of a type.
  static func sort(_ m: Machine, _ items: inout [Keyed], by type: TypeID) throws(Fault) {
    let heap = m.heap
    switch heap.shapes[type].kind {
    case .int: try mergeSort(m, &items) { (a, b) throws(Fault) in a.key.int > b.key.int }
    case .float: try mergeSort(m, &items) { (a, b) throws(Fault) in a.key.float > b.key.float }
    case .string: try mergeSort(m, &items) { (a, b) throws(Fault) in heap.compareStrings(a.key, b.key) > 0 }
    default: try mergeSort(m, &items) { (a, b) throws(Fault) in heap.compare(a.key, b.key, type: type) > 0 }
    }
  }

  /// What `body` gives for the elements of a list with what `key` makes of each and its place. They, and as much again to
  /// sort them, count against the limit of memory meanwhile.
  @inline(__always)
  private static func withItems(
    _ m: Machine, _ list: ListView, key: (Int, Word) -> Word, _ body: (inout [Keyed]) throws(Fault) -> Word
  ) throws(Fault) -> Word {
    try m.borrowing(2 * list.count * MemoryLayout<Keyed>.stride) { () throws(Fault) in
      var items: [Keyed] = []
      items.reserveCapacity(list.count)
      for (place, word) in list.enumerated() {
        try m.step()
        items.append(Keyed(key: key(place, word), value: word))
      }
      return try body(&items)
    }
  }

  /// The same with the keys that the closure in `a[1]`, of type `function`, gives. They are kept current while it runs.
  @inline(__always)
  static func withKeys(
    _ m: Machine, _ a: Arguments, function: TypeID, body: (inout [Keyed]) throws(Fault) -> Word
  ) throws(Fault) -> Word {
    let list = ListView(a[0])
    let isReference = m.heap.shapes.isReference(m.heap.result(of: function))
    return try m.borrowing(list.count * RootSet.stride) { () throws(Fault) in
      let keys = RootSet(m.heap)
      for word in list {
        try m.step()
        keys.append(try m.apply(a[1], word), isReference: isReference)
      }
      return try withItems(m, list, key: { (place, _) in keys[place] }, body)
    }
  }

  private static func values(_ m: Machine, _ items: ArraySlice<Keyed>, list: TypeID) throws(Fault) -> Word {
    var result = try builder(m, list, capacity: items.count)
    for item in items {
      try m.step()
      try result.append(item.value)
    }
    return try result.finish()
  }

  // MARK: Sorting

  private static func listSort(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try withItems(m, ListView(a[0]), key: { (_, word) in word }) { (items) throws(Fault) in
      try sort(m, &items, by: m.heap.element(a.call.a0))
      return try values(m, items[...], list: a.call.result)
    }
  }

  private static func listSortBy(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try withKeys(m, a, function: a.call.a1) { (items) throws(Fault) in
      try sort(m, &items, by: m.heap.result(of: a.call.a1))
      return try values(m, items[...], list: a.call.result)
    }
  }

  private static func listSortWith(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    let before = a[1]
    // By place, since the elements may move while they are compared.
    return try withItems(m, list, key: { (place, _) in Word(int: place) }) { (items) throws(Fault) in
      try mergeSort(m, &items) { (x, y) throws(Fault) in
        try m.step()
        return try m.apply(before, list[y.key.int], second: list[x.key.int]).bool
      }
      for place in items.indices { items[place].value = list[items[place].key.int] }
      return try values(m, items[...], list: a.call.result)
    }
  }

  // MARK: Least and greatest

  /// The first element that is beyond all others: below them for -1, above for 1.
  static func extreme(_ side: Int) -> Routine {
    { (m, a) throws(Fault) -> Word in
      let list = ListView(a[0])
      let element = m.heap.element(a.call.a0)
      if element == .int || element == .float,
        let kept = try m.library.sliding.slid(m, a[0], call: a.call, make: { SlidingOrder(isFloat: element == .float) })
      {
        return try m.heap.some(list[side < 0 ? kept.order.age(at: 0) : kept.order.ageOfGreatest()], a.call.result)
      }
      guard var best = list.first else { return .none }
      for word in list {
        try m.step()
        if m.heap.compare(word, best, type: element).signum() == side { best = word }
      }
      return try m.heap.some(best, a.call.result)
    }
  }

  static func extremeBy(_ side: Int) -> Routine {
    { (m, a) throws(Fault) -> Word in
      let key = m.heap.result(of: a.call.a1)
      var best: Keyed?
      for word in ListView(a[0]) {
        try m.step()
        let item = Keyed(key: try m.apply(a[1], word), value: word)
        if let known = best, m.heap.compare(item.key, known.key, type: key).signum() != side { continue }
        best = item
      }
      return try m.heap.optional(best?.value, a.call.result)
    }
  }

  // MARK: Maps of lists

  /// The map of runs of equal keys in sorted items: what `make` gives for the places of each run.
  private static func mapOfRuns(
    _ m: Machine, _ items: [Keyed], type: TypeID, make: (Range<Int>) throws(Fault) -> Word
  ) throws(Fault) -> Word {
    let key = m.heap.element(type)
    var entries: [Word] = []
    var start = 0
    while start < items.count {
      try m.step()
      var end = start + 1
      while end < items.count, m.heap.equal(items[start].key, items[end].key, type: key) { end += 1 }
      entries.append(items[start].key)
      entries.append(try make(start..<end))
      start = end
    }
    return try m.heap.mapFromSorted(entries, entries.count / 2, shape: MapShape(m.heap.shapes, type)) {
      () throws(Fault) in try m.step()
    }
  }

  /// The map of a list that slides: the last one, of which the keys of elements that have gone are taken out, the oldest first, and
  /// to which those of elements that have come are added. Each gives what its key has from now on; nil for nothing. Nil where
  /// nothing is kept.
  private static func slidGroups(
    _ m: Machine, _ a: Arguments, without: (_ old: Word) throws(Fault) -> Word?,
    with: (_ old: Word?, _ element: Word) throws(Fault) -> Word
  ) throws(Fault) -> Word? {
    let sliding = m.library.sliding
    guard let kept = sliding.find(a[0], a.call, function: a[1], SlidingMap.init) else { return nil }
    defer { sliding.leave(kept) }
    let shape = MapShape(m.heap.shapes, a.call.result)
    let (gone, come) = (kept.gone, kept.come)
    var map = sliding.result(of: kept, orElse: .emptyMap)
    for place in 0..<gone {
      try m.step()
      let key = try m.apply(a[1], sliding.goneElement(of: kept, place))
      guard let old = m.heap.mapValue(map, key, shape: shape) else { continue }
      if let rest = try without(old) {
        map = try m.heap.mapReplacing(map, key, shape) { (_) throws(Fault) in rest } ?? map
      } else {
        map = try m.heap.mapRemove(map, key, shape: shape)
      }
    }
    for place in come {
      try m.step()
      let element = ListView(a[0])[place]
      let key = try m.apply(a[1], element)
      let old = m.heap.mapValue(map, key, shape: shape)
      let new = try with(old, ListView(a[0])[place])
      if let replaced = try m.heap.mapReplacing(map, key, shape, { (_) throws(Fault) in new }) {
        map = replaced
      } else {
        map = try m.heap.mapSet(map, key, value: new, shape: shape)
      }
    }
    sliding.keep(kept, a[0], call: a.call, function: a[1], result: map)
    return map
  }

  private static func listGroupBy(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let isReference = m.heap.hasReferences(a.call.a0)
    let slid = try slidGroups(m, a) { (old) throws(Fault) in
      let left = m.heap.count(old) - 1
      return left == 0 ? nil : try m.heap.suffix(old, left, references: isReference)
    } with: { (old, element) throws(Fault) in
      try m.heap.append(old ?? m.heap.emptyList, element, references: isReference)
    }
    if let slid { return slid }
    return try withKeys(m, a, function: a.call.a1) { (items) throws(Fault) in
      try sort(m, &items, by: m.heap.element(a.call.result))
      let sorted = items
      return try mapOfRuns(m, sorted, type: a.call.result) { (run) throws(Fault) in
        try values(m, sorted[run], list: a.call.a0)
      }
    }
  }

  private static func listCountBy(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let slid = try slidGroups(m, a) { (old) throws(Fault) in
      old.int == 1 ? nil : Word(int: old.int - 1)
    } with: { (old, _) throws(Fault) in
      Word(int: (old?.int ?? 0) + 1)
    }
    if let slid { return slid }
    return try withKeys(m, a, function: a.call.a1) { (items) throws(Fault) in
      try sort(m, &items, by: m.heap.element(a.call.result))
      return try mapOfRuns(m, items, type: a.call.result) { (run) throws(Fault) in Word(int: run.count) }
    }
  }

  private static func mapFromList(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try withItems(m, ListView(a[0]), key: { (_, pair) in pair.field(0) }) { (items) throws(Fault) in
      try sort(m, &items, by: m.heap.element(a.call.result))
      let sorted = items
      return try mapOfRuns(m, sorted, type: a.call.result) { (run) throws(Fault) in
        sorted[run.upperBound - 1].value.field(1)
      }
    }
  }
}
