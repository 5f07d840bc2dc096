// Routines of lists: asking, and lists of pairs.

import FRPCore
import FRPGraph

extension RoutineTable {
  static let listQueries: [(Prim, Routine)] = [
    (.listProduct, listProduct), (.listContains, listContains),
    (.listIndexOf, listIndexOf), (.listFind, listFind), (.listFindIndex, listFindIndex), (.listJoin, listJoin),
    (.listDistinct, listDistinct), (.listDistinctBy, listDistinctBy), (.listPartition, listPartition),
  ]

  static let listPairs: [(Prim, Routine)] = [
    (.listZip, listZip), (.listZipWith, listZipWith), (.listUnzip, listUnzip), (.listIndexed, listIndexed),
    (.listPairwise, listPairwise),
  ]

  // MARK: Numbers

  static func listSum(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if a.call.result == .float { return try finite(try floatSum(m, a[0], call: a.call)) }
    let list = ListView(a[0])
    if let sum = try m.library.sliding.slid(m, a[0], call: a.call, make: SlidingInts.init)?.sum {
      return Word(int: sum)
    }
    var sum = 0
    try m.inStretches(list.count, perStep: 8) { (stretch) throws(Fault) in
      for index in stretch {
        let (next, isOver) = sum.addingReportingOverflow(list[index].int)
        if isOver { throw Fault.overflow }
        sum = next
      }
    }
    return Word(int: sum)
  }

  /// The exact sum, rounded.
  private static func floatSum(_ m: Machine, _ list: Word, call: PrimCall) throws(Fault) -> Double {
    if let kept = try m.library.sliding.slid(m, list, call: call, make: SlidingFloats.init) { return kept.sum.value }
    let sum = m.library.sums.0
    sum.removeAll()
    let list = ListView(list)
    try m.inStretches(list.count, perStep: 2) { (stretch) throws(Fault) in
      for index in stretch { sum.add(list[index].float) }
    }
    return sum.value
  }

  private static func listProduct(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    if a.call.result == .float {
      var product = 1.0
      try m.inStretches(list.count, perStep: 8) { (stretch) throws(Fault) in
        for index in stretch { product *= list[index].float }
      }
      return try finite(product)
    }
    var product = 1
    try m.inStretches(list.count, perStep: 8) { (stretch) throws(Fault) in
      for index in stretch {
        let (next, isOver) = product.multipliedReportingOverflow(by: list[index].int)
        if isOver { throw Fault.overflow }
        product = next
      }
    }
    return Word(int: product)
  }

  static func listAverage(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let count = m.heap.count(a[0])
    if count == 0 { return .none }
    return try m.heap.some(try finite(try floatSum(m, a[0], call: a.call) / Double(count)), a.call.result)
  }

  // MARK: Searching

  private static func place(_ m: Machine, _ a: Arguments) throws(Fault) -> Int? {
    let element = m.heap.element(a.call.a0)
    for (index, word) in ListView(a[0]).enumerated() {
      try m.step()
      if m.heap.equal(word, a[1], type: element) { return index }
    }
    return nil
  }

  /// The first index whose element's test gives `wanted`.
  private static func place(_ m: Machine, _ a: Arguments, where wanted: Bool) throws(Fault) -> Int? {
    for (index, word) in ListView(a[0]).enumerated() {
      try m.step()
      if try m.apply(a[1], word).bool == wanted { return index }
    }
    return nil
  }

  private static func listContains(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(bool: try place(m, a) != nil)
  }

  private static func listIndexOf(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    guard let index = try place(m, a) else { return .none }
    return try m.heap.some(Word(int: index), a.call.result)
  }

  /// How many elements of a list that slides pass; nil where nothing is kept, or the test of one of them is a fault, which may
  /// lie behind the element that decides.
  private static func passing(_ m: Machine, _ a: Arguments) -> Int? {
    do throws(Fault) { return try slidFlags(m, a)?.passing } catch { return nil }
  }

  static func listAny(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if let passing = passing(m, a) { return Word(bool: passing > 0) }
    return Word(bool: try place(m, a, where: true) != nil)
  }

  static func listAll(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if let passing = passing(m, a) { return Word(bool: passing == m.heap.count(a[0])) }
    return Word(bool: try place(m, a, where: false) == nil)
  }

  private static func listFind(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    guard let index = try place(m, a, where: true) else { return .none }
    return try m.heap.some(ListView(a[0])[index], a.call.result)
  }

  private static func listFindIndex(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    guard let index = try place(m, a, where: true) else { return .none }
    return try m.heap.some(Word(int: index), a.call.result)
  }

  static func listCount(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if let kept = try slidFlags(m, a) { return Word(int: kept.passing) }
    let list = ListView(a[0])
    try m.step(list.count)
    var count = 0
    for word in list where try m.apply(a[1], word).bool { count += 1 }
    return Word(int: count)
  }

  private static func listPartition(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    try m.step(list.count)
    var holding = try builder(m, a.call.a0)
    var others = try builder(m, a.call.a0)
    for word in list {
      if try m.apply(a[1], word).bool { try holding.append(word) } else { try others.append(word) }
    }
    return try m.heap.construct(a.call.result, try holding.finish(), try others.finish())
  }

  private static func listJoin(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let separator = m.heap.bytes(a[1])
    var out = StringBuilder()
    for (index, word) in ListView(a[0]).enumerated() {
      let before = out.count
      if index > 0 { out.append(separator) }
      out.append(m.heap.bytes(word))
      if out.count > m.heap.textLimit { throw Fault.memory }
      try stepBytes(m, out.count - before)
    }
    return try out.finish(m.heap)
  }

  // MARK: Distinct

  private static func listDistinct(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    var seen = ValueSet(m.heap, m.heap.element(a.call.a0))
    var result = try builder(m, a.call.result)
    for word in list {
      try m.step()
      if try seen.insert(word) { try result.append(word) }
    }
    return result.count == list.count ? a[0] : try result.finish()
  }

  private static func listDistinctBy(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try withKeys(m, a, function: a.call.a1) { (items) throws(Fault) in
      var seen = ValueSet(m.heap, m.heap.result(of: a.call.a1))
      var result = try builder(m, a.call.result)
      for item in items {
        try m.step()
        if try seen.insert(item.key) { try result.append(item.value) }
      }
      return try result.finish()
    }
  }

  // MARK: Pairs

  private static func listZip(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let first = ListView(a[0])
    let second = ListView(a[1])
    let count = Swift.min(first.count, second.count)
    let pair = m.heap.element(a.call.result)
    var result = try builder(m, a.call.result, capacity: count)
    for index in 0..<count {
      try m.step()
      try result.append(try m.heap.construct(pair, first[index], second[index]))
    }
    return try result.finish()
  }

  private static func listZipWith(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let first = ListView(a[0])
    let second = ListView(a[1])
    let count = Swift.min(first.count, second.count)
    try m.step(count)
    var result = try builder(m, a.call.result, capacity: count)
    for index in 0..<count { try result.append(try m.apply(a[2], first[index], second: second[index])) }
    return try result.finish()
  }

  private static func listUnzip(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    var firsts = try builder(m, m.heap.shapes.fieldType(a.call.result, 0), capacity: list.count)
    var seconds = try builder(m, m.heap.shapes.fieldType(a.call.result, 1), capacity: list.count)
    for pair in list {
      try m.step()
      try firsts.append(pair.field(0))
      try seconds.append(pair.field(1))
    }
    return try m.heap.construct(a.call.result, try firsts.finish(), try seconds.finish())
  }

  private static func listIndexed(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    let pair = m.heap.element(a.call.result)
    var result = try builder(m, a.call.result, capacity: list.count)
    for (index, word) in list.enumerated() {
      try m.step()
      try result.append(try m.heap.construct(pair, Word(int: index), word))
    }
    return try result.finish()
  }

  private static func listPairwise(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    if list.count < 2 { return m.heap.emptyList }
    let pair = m.heap.element(a.call.result)
    var result = try builder(m, a.call.result, capacity: list.count - 1)
    for index in 1..<list.count {
      try m.step()
      try result.append(try m.heap.construct(pair, list[index - 1], list[index]))
    }
    return try result.finish()
  }
}

/// A set of values of one type, by structural equality. Lives within one routine, which calls no functions meanwhile.
struct ValueSet {
  private let heap: Heap
  private let type: TypeID
  /// Open addressing: places in `values` plus one, 0 for none; a power of two of them.
  private var table: [Int32] = [Int32](repeating: 0, count: 16)
  private var values: [(word: Word, hash: UInt64)] = []

  init(_ heap: Heap, _ type: TypeID) {
    self.heap = heap
    self.type = type
  }

  /// Adds a value; false if an equal one is there. Faults where the set does not fit into what the heap may still take.
  /// Cost: O(size of the value), amortised.
  mutating func insert(_ word: Word) throws(Fault) -> Bool {
    let hash = heap.hash(word, type)
    var slot = Int(truncatingIfNeeded: hash) & (table.count - 1)
    while table[slot] != 0 {
      let other = values[Int(table[slot]) - 1]
      if other.hash == hash, heap.equal(other.word, word, type: type) { return false }
      slot = (slot + 1) & (table.count - 1)
    }
    values.append((word, hash))
    table[slot] = Int32(truncatingIfNeeded: values.count)
    if values.count * 2 > table.count { try grow() }
    return true
  }

  private mutating func grow() throws(Fault) {
    if heap.usedBytes + 2 * values.capacity * 16 + table.count * 5 * 4 > heap.limitBytes { throw Fault.memory }
    var wider = [Int32](repeating: 0, count: table.count * 4)
    for (index, value) in values.enumerated() {
      var slot = Int(truncatingIfNeeded: value.hash) & (wider.count - 1)
      while wider[slot] != 0 { slot = (slot + 1) & (wider.count - 1) }
      wider[slot] = Int32(truncatingIfNeeded: index + 1)
    }
    table = wider
  }
}
