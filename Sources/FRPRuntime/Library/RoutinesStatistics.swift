// Routines of lists of numbers: where they lie, how far apart, and the largest of them.

import FRPCore
import FRPGraph

extension RoutineTable {
  static func listMedian(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try quantile(m, a[0], part: 0.5, call: a.call)
  }

  static func listQuantile(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try quantile(m, a[0], part: try part(a[1]), call: a.call)
  }

  static func part(_ word: Word) throws(Fault) -> Double {
    let part = word.float
    if part < 0 || part > 1 { throw Fault(.message, "a quantile is for a part of 0.0 to 1.0, not \(part)") }
    return part
  }

  /// The element at `part` of the way from the least to the greatest; between two in proportion (type 7 of Hyndman and
  /// Fan 1996). Cost: O(n log n).
  private static func quantile(_ m: Machine, _ word: Word, part: Double, call: PrimCall) throws(Fault) -> Word {
    let list = ListView(word)
    if list.isEmpty { return .none }
    if let kept = try m.library.sliding.slid(m, word, call: call, make: { SlidingOrder(isFloat: true) }) {
      let value = between(list.count, part) { list[kept.order.age(at: $0)].float }
      return try m.heap.some(Word(float: value), call.result)
    }
    let value = try m.borrowing(2 * list.count * MemoryLayout<Keyed>.stride) { () throws(Fault) in
      var items: [Keyed] = []
      items.reserveCapacity(list.count)
      for word in list {
        try m.step()
        items.append(Keyed(key: word, value: .unit))
      }
      try sort(m, &items, by: .float)
      return between(list.count, part) { items[$0].key.float }
    }
    return try m.heap.some(Word(float: value), call.result)
  }

  static func between(_ count: Int, _ part: Double, number: (Int) -> Double) -> Double {
    let place = Double(count - 1) * part
    let below = Int(place)
    let beyond = place - Double(below)
    let low = number(below)
    // The difference of the two might be beyond what a Float holds.
    return beyond == 0 ? low : low * (1 - beyond) + number(below + 1) * beyond
  }

  static func listVariance(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    if list.count < 2 { return .none }
    var (sum, squares) = (m.library.sums.0, m.library.sums.1)
    if let kept = try m.library.sliding.slid(m, a[0], call: a.call, make: SlidingSquares.init) {
      (sum, squares) = (kept.sum, kept.squares)
    } else {
      sum.removeAll()
      squares.removeAll()
      try m.inStretches(list.count) { (stretch) throws(Fault) in
        for index in stretch {
          sum.add(list[index].float)
          squares.addSquare(list[index].float)
        }
      }
    }
    let variance = sum.variance(squares: squares, count: list.count, room: m.library.sums.2)
    return try m.heap.some(try finite(variance), a.call.result)
  }

  // MARK: The largest

  static func listTopBy(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    let key = m.heap.result(of: a.call.a2)
    let wanted = Swift.min(Swift.max(0, a[1].int), list.count)
    if key == .int || key == .float, let kept = try slidTop(m, a, isFloat: key == .float) {
      var result = try builder(m, a.call.result, capacity: wanted)
      for place in 0..<wanted {
        try m.step()
        try result.append(list[kept.order.age(at: place)])
      }
      return try result.finish()
    }
    let isReference = m.heap.shapes.isReference(key)
    return try m.borrowing(list.count * RootSet.stride + wanted * MemoryLayout<Keyed>.stride) { () throws(Fault) in
      let keys = RootSet(m.heap)
      for word in list {
        try m.step()
        keys.append(try m.apply(a[2], word), isReference: isReference)
      }
      var heap = TopHeap(m.heap, key, wanted, isReversed: a.call.isReversed)
      for index in 0..<list.count {
        try m.step()
        heap.add(Keyed(key: keys[index], value: Word(int: index)))
      }
      var result = try builder(m, a.call.result, capacity: wanted)
      for item in try heap.sorted(m) { try result.append(list[item.value.int]) }
      return try result.finish()
    }
  }
}

extension RoutineTable {
  /// The keys of a list that slides, the largest first. Each is computed once.
  private static func slidTop(_ m: Machine, _ a: Arguments, isFloat: Bool) throws(Fault)
    -> SlidingOrder?
  {
    let sliding = m.library.sliding
    guard let kept = sliding.find(a[0], a.call, function: a[2], { SlidingOrder(isFloat: isFloat) }) else { return nil }
    defer { sliding.leave(kept) }
    try m.step(kept.gone)
    let (gone, come) = (kept.gone, kept.come)
    var keys: [Word] = []
    keys.reserveCapacity(come.count)
    for place in come {
      try m.step()
      keys.append(try m.apply(a[2], ListView(a[0])[place]))
    }
    for _ in 0..<gone { kept.remove(.unit) }
    for word in keys { kept.add(key: a.call.isReversed ? kept.key(word) : ~kept.key(word)) }
    sliding.keep(kept, a[0], call: a.call, function: a[2])
    return kept
  }
}

/// The items with the largest (or the least) keys so far, in a binary heap whose root is the first to go: of equal keys the later one. An
/// item's value is its place in the list.
private struct TopHeap {
  private let heap: Heap
  private let key: TypeID
  private let wanted: Int
  private let isReversed: Bool
  private var items: [Keyed] = []

  init(_ heap: Heap, _ key: TypeID, _ wanted: Int, isReversed: Bool) {
    (self.heap, self.key, self.wanted, self.isReversed) = (heap, key, wanted, isReversed)
    items.reserveCapacity(wanted)
  }

  /// Whether `a` goes before `b` does.
  private func goes(_ a: Keyed, before b: Keyed) -> Bool {
    let order = isReversed ? heap.compare(b.key, a.key, type: key) : heap.compare(a.key, b.key, type: key)
    return order < 0 || (order == 0 && a.value.int > b.value.int)
  }

  mutating func add(_ item: Keyed) {
    if items.count < wanted {
      items.append(item)
      rise(items.count - 1)
    } else if let first = items.first, goes(first, before: item) {
      items[0] = item
      sink(0)
    }
  }

  private mutating func rise(_ start: Int) {
    var place = start
    while place > 0, goes(items[place], before: items[(place - 1) / 2]) {
      items.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func sink(_ start: Int) {
    var place = start
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < items.count && goes(items[child], before: items[least])
      {
        least = child
      }
      if least == place { return }
      items.swapAt(place, least)
      place = least
    }
  }

  /// The largest first. Takes the items out.
  mutating func sorted(_ m: Machine) throws(Fault) -> [Keyed] {
    var result: [Keyed] = []
    result.reserveCapacity(items.count)
    while let first = items.first {
      try m.step()
      result.append(first)
      let last = items.removeLast()
      if items.isEmpty { break }
      items[0] = last
      sink(0)
    }
    return result.reversed()
  }
}
