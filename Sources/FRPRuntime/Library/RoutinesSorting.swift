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
    (.listSort, listSort), (.listSortBy, listSortBy), (.listSortWith, listSortWith), (.listMinimum, extreme(-1)),
    (.listMaximum, extreme(1)), (.listMinimumBy, extremeBy(-1)), (.listMaximumBy, extremeBy(1)),
    (.listGroupBy, listGroupBy), (.listCountBy, listCountBy), (.mapFromList, mapFromList),
  ]

  /// Sorts `items`, which it may use as room; `isAfter(a, b)` says that a must come after b.
  @inline(__always)
  static func mergeSort(
    _ items: inout [Keyed], _ isAfter: (Keyed, Keyed) throws(Fault) -> Bool
  ) throws(Fault) {
    let count = items.count
    if count < 2 { return }
    try sortRuns(&items, isAfter)
    var other = items
    var width = 8
    while width < count {
      var start = 0
      while start < count {
        let middle = Swift.min(start + width, count)
        let end = Swift.min(middle + width, count)
        var left = start
        var right = middle
        for target in start..<end {
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
        start = end
      }
      swap(&items, &other)
      width *= 2
    }
  }

  /// Sorts runs of eight by insertion.
  @inline(__always)
  private static func sortRuns(
    _ items: inout [Keyed], _ isAfter: (Keyed, Keyed) throws(Fault) -> Bool
  ) throws(Fault) {
    var start = 0
    while start < items.count {
      let end = Swift.min(start + 8, items.count)
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
    try m.step(items.count * (1 + (64 - items.count.leadingZeroBitCount)) / 4 + 1)
    let heap = m.heap
    switch heap.shapes[type].kind {
    case .int: try mergeSort(&items) { (a, b) throws(Fault) in a.key.int > b.key.int }
    case .float: try mergeSort(&items) { (a, b) throws(Fault) in a.key.float > b.key.float }
    case .string: try mergeSort(&items) { (a, b) throws(Fault) in heap.compareStrings(a.key, b.key) > 0 }
    default: try mergeSort(&items) { (a, b) throws(Fault) in heap.compare(a.key, b.key, type) > 0 }
    }
  }

  private static func keyed(_ list: ListView) -> [Keyed] { list.map { Keyed(key: $0, value: $0) } }

  /// The elements with the keys that the closure in `a[1]` gives.
  private static func keyed(_ m: Machine, _ a: Arguments) throws(Fault) -> [Keyed] {
    let list = ListView(a[0])
    try m.step(list.count)
    var items: [Keyed] = []
    items.reserveCapacity(list.count)
    for word in list { items.append(Keyed(key: try m.apply(a[1], word), value: word)) }
    return items
  }

  private static func values(_ m: Machine, _ items: [Keyed], _ list: TypeID) throws(Fault) -> Word {
    var result = try builder(m, list, capacity: items.count)
    for item in items { try result.append(item.value) }
    return try result.finish()
  }

  // MARK: Sorting

  private static func listSort(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    var items = keyed(ListView(a[0]))
    try sort(m, &items, by: m.heap.element(call.a0))
    return try values(m, items, call.result)
  }

  private static func listSortBy(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    var items = try keyed(m, a)
    try sort(m, &items, by: m.heap.result(of: call.a1))
    return try values(m, items, call.result)
  }

  private static func listSortWith(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    var items = keyed(ListView(a[0]))
    let before = a[1]
    try mergeSort(&items) { (x, y) throws(Fault) in
      try m.step()
      return try m.apply(before, y.value, x.value).bool
    }
    return try values(m, items, call.result)
  }

  // MARK: Least and greatest

  /// The first element that is beyond all others: below them for -1, above for 1.
  private static func extreme(_ side: Int) -> Routine {
    { (m, a, call) throws(Fault) -> Word in
      let list = ListView(a[0])
      let element = m.heap.element(call.a0)
      guard var best = list.first else { return .none }
      try m.step(list.count)
      for word in list where m.heap.compare(word, best, element).signum() == side { best = word }
      return try m.heap.some(best, call.result)
    }
  }

  private static func extremeBy(_ side: Int) -> Routine {
    { (m, a, call) throws(Fault) -> Word in
      let items = try keyed(m, a)
      let key = m.heap.result(of: call.a1)
      guard var best = items.first else { return .none }
      for item in items where m.heap.compare(item.key, best.key, key).signum() == side { best = item }
      return try m.heap.some(best.value, call.result)
    }
  }

  // MARK: Maps of lists

  /// The map of runs of equal keys in sorted items: what `make` gives for the places of each run.
  private static func mapOfRuns(
    _ m: Machine, _ items: [Keyed], _ type: TypeID, _ make: (Range<Int>) throws(Fault) -> Word
  ) throws(Fault) -> Word {
    let key = m.heap.element(type)
    var entries: [Word] = []
    var start = 0
    while start < items.count {
      var end = start + 1
      while end < items.count, m.heap.equal(items[start].key, items[end].key, key) { end += 1 }
      entries.append(items[start].key)
      entries.append(try make(start..<end))
      start = end
    }
    return try m.heap.mapFromSorted(entries, entries.count / 2, MapShape(m.heap.shapes, type))
  }

  private static func listGroupBy(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    var items = try keyed(m, a)
    try sort(m, &items, by: m.heap.element(call.result))
    let sorted = items
    return try mapOfRuns(m, sorted, call.result) { (run) throws(Fault) in try values(m, Array(sorted[run]), call.a0) }
  }

  private static func listCountBy(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    var items = try keyed(m, a)
    try sort(m, &items, by: m.heap.element(call.result))
    return try mapOfRuns(m, items, call.result) { (run) throws(Fault) in Word(int: run.count) }
  }

  private static func mapFromList(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    var items = ListView(a[0]).map { Keyed(key: $0.field(0), value: $0.field(1)) }
    try sort(m, &items, by: m.heap.element(call.result))
    let sorted = items
    return try mapOfRuns(m, sorted, call.result) { (run) throws(Fault) in sorted[run.upperBound - 1].value }
  }
}
