// Routines that are given a map: as it is, or in the place of the list of its pairs or values that they look at
// (`Map.toList(m) |> topBy(…)`). What a call computed of an earlier version of the map is brought up to date (decision 0024).

import FRPCore
import FRPGraph

extension RoutineTable {
  static let entries: [(Prim, Routine)] = [
    (.listTopBy, ofEntries(listTopBy, topOfEntries)), (.listMinimumBy, ofEntries(extremeBy(-1), extremeOfEntries(-1))),
    (.listMaximumBy, ofEntries(extremeBy(1), extremeOfEntries(1))), (.listSum, ofEntries(listSum, sumOfValues)),
    (.listAverage, ofEntries(listAverage, averageOfValues)), (.listVariance, ofEntries(listVariance, varianceOfValues)),
    (.listMinimum, ofEntries(extreme(-1), extremeOfValues(-1))),
    (.listMaximum, ofEntries(extreme(1), extremeOfValues(1))),
    (.listMedian, ofEntries(listMedian, medianOfValues)), (.listQuantile, ofEntries(listQuantile, quantileOfValues)),
    (.listAny, ofEntries(listAny, anyOfEntries)), (.listAll, ofEntries(listAll, allOfEntries)),
    (.listCount, ofEntries(listCount, countOfEntries)),
    (.mapMap, changing(mapMap, mapped)), (.mapMapValues, changing(mapMapValues, mapped)),
    (.mapFilter, changing(mapFilter, filtered)), (.mapFilterValues, changing(mapFilterValues, filtered)),
  ]

  private typealias Kept = @Sendable (Machine, Arguments) throws(Fault) -> Word?

  /// What is kept of the map, or what `routine` makes of the list.
  private static func ofEntries(_ routine: @escaping Routine, _ kept: @escaping Kept) -> Routine {
    { (m, a) throws(Fault) -> Word in
      if a.call.entries == .none { return try routine(m, a) }
      if let known = try kept(m, a) { return known }
      // The arguments are registers of this call alone.
      UnsafeMutablePointer(mutating: a.words)[0] = try list(m, a[0], a.call)
      return try routine(m, a)
    }
  }

  private static func list(_ m: Machine, _ map: Word, _ call: PrimCall) throws(Fault) -> Word {
    var result = try builder(m, call.a0, capacity: m.heap.mapCount(map))
    try m.heap.mapForEach(map) { (key, value) throws(Fault) in
      try m.step()
      try result.append(call.entries == .values ? value : try m.heap.construct(m.heap.element(call.a0), key, value))
    }
    return try result.finish()
  }

  /// An element of that list.
  @inline(__always)
  private static func element(_ m: Machine, _ node: Word, _ call: PrimCall) throws(Fault) -> Word {
    if call.entries == .values { return node.field(1) }
    return try m.heap.construct(m.heap.element(call.a0), node.field(0), node.field(1))
  }

  // MARK: The largest

  private static func topOfEntries(_ m: Machine, _ a: Arguments) throws(Fault) -> Word? {
    guard let kept = try numbers(m, a[0], a[2], a.call.a2, a.call, turn: a.call.isReversed ? -1 : 0) else { return nil }
    let wanted = Swift.min(Swift.max(0, a[1].int), m.heap.mapCount(a[0]))
    if kept.hasSame(wanted), let result = m.library.maps.result(of: kept) { return result }
    var places: [Int] = []
    kept.largest(wanted) { places.append($0) }
    var result = try builder(m, a.call.result, capacity: wanted)
    for place in places {
      try m.step()
      try result.append(try element(m, m.heap.mapNode(a[0], at: place), a.call))
    }
    let list = try result.finish()
    m.library.maps.keep(kept, result: list)
    kept.settle(wanted)
    return list
  }

  private static func extremeOfEntries(_ side: Int) -> Kept {
    { (m, a) throws(Fault) -> Word? in
      guard let kept = try numbers(m, a[0], a[1], a.call.a1, a.call, turn: side < 0 ? -1 : 0) else { return nil }
      return try largest(m, a[0], kept: kept, call: a.call)
    }
  }

  private static func extremeOfValues(_ side: Int) -> Kept {
    { (m, a) throws(Fault) -> Word? in
      if a.call.entries != .values { return nil }
      guard let kept = try numbers(m, a[0], nil, .unit, a.call, turn: side < 0 ? -1 : 0) else { return nil }
      return try largest(m, a[0], kept: kept, call: a.call)
    }
  }

  private static func largest(_ m: Machine, _ map: Word, kept: ChangingKeys, call: PrimCall) throws(Fault) -> Word {
    var found = 0
    kept.largest(1) { found = $0 }
    return try m.heap.some(try element(m, m.heap.mapNode(map, at: found), call), call.result)
  }

  /// What a function gives for each entry, or without one its value, if that is a number; with all bits turned by `turn`, the least
  /// is the largest.
  private static func numbers(
    _ m: Machine, _ map: Word, _ function: Word?, _ type: TypeID, _ call: PrimCall, turn: Int64
  ) throws(Fault) -> ChangingKeys? {
    let key = function == nil ? m.heap.element(call.a0) : m.heap.result(of: type)
    let maps = m.library.maps
    guard key == .int || key == .float,
      let kept = maps.find(map, call, call.map, function: function, ChangingKeys.init)
    else { return nil }
    defer { maps.leave(kept) }
    func number(_ node: Word) throws(Fault) -> Int64 {
      try m.step()
      let element = try element(m, node, call)
      let word = if let function { try m.apply(function, element) } else { element }
      return SlidingOrder.key(word, key == .float) ^ turn
    }
    var numbers: [Int64] = []
    if kept.isFresh {
      numbers.reserveCapacity(m.heap.mapCount(map))
      try forEachNode(map) { (node) throws(Fault) in numbers.append(try number(node)) }
      kept.replaceAll(numbers)
    } else {
      try m.step(kept.differences.edits.count)
      for index in kept.differences.edits.indices where kept.differences.edits[index].isNew {
        numbers.append(try number(kept.differences.after(index)))
      }
      kept.change(numbers)
    }
    maps.keep(kept, map, function: function)
    return kept
  }

  private static func forEachNode(_ map: Word, _ body: (Word) throws(Fault) -> Void) throws(Fault) {
    var node = map
    while node & 1 == 0 {
      try forEachNode(node.field(2), body)
      try body(node)
      node = node.field(3)
    }
  }

  // MARK: Sums

  private static func sumOfValues(_ m: Machine, _ a: Arguments) throws(Fault) -> Word? {
    if a.call.entries != .values { return nil }
    if a.call.result == .float {
      guard let kept = try total(m, a[0], a.call, SlidingFloats.init) else { return nil }
      return try finite(kept.sum.value)
    }
    return try total(m, a[0], a.call, SlidingInts.init)?.sum.map { Word(int: $0) }
  }

  private static func averageOfValues(_ m: Machine, _ a: Arguments) throws(Fault) -> Word? {
    guard a.call.entries == .values, let kept = try total(m, a[0], a.call, SlidingFloats.init) else { return nil }
    return try m.heap.some(try finite(kept.sum.value / Double(m.heap.mapCount(a[0]))), a.call.result)
  }

  private static func varianceOfValues(_ m: Machine, _ a: Arguments) throws(Fault) -> Word? {
    guard a.call.entries == .values, let kept = try total(m, a[0], a.call, SlidingSquares.init) else { return nil }
    let (sum, squares) = (kept.sum, kept.squares)
    let variance = sum.variance(squares: squares, count: m.heap.mapCount(a[0]), room: m.library.sums.2)
    return try m.heap.some(try finite(variance), a.call.result)
  }

  // MARK: Places in the order

  private static func medianOfValues(_ m: Machine, _ a: Arguments) throws(Fault) -> Word? {
    try quantile(m, a[0], part: 0.5, call: a.call)
  }

  private static func quantileOfValues(_ m: Machine, _ a: Arguments) throws(Fault) -> Word? {
    try quantile(m, a[0], part: try part(a[1]), call: a.call)
  }

  private static func quantile(_ m: Machine, _ map: Word, part: Double, call: PrimCall) throws(Fault) -> Word? {
    guard call.entries == .values, m.heap.element(call.a0) == .float,
      let kept = try total(m, map, call, UnagedFloats.init), !kept.hasNegativeZeros
    else { return nil }
    let value = between(m.heap.mapCount(map), part) { kept[$0] }
    return try m.heap.some(Word(float: value), call.result)
  }

  // MARK: Tests

  /// How many entries pass; nil where nothing is kept.
  private static func passing(_ m: Machine, _ a: Arguments) throws(Fault) -> Int? {
    let (map, function, maps) = (a[0], a[1], m.library.maps)
    guard let kept = maps.find(map, a.call, a.call.map, function: function, ChangingCount.init) else { return nil }
    defer { maps.leave(kept) }
    var passing = 0
    func pass(_ node: Word) throws(Fault) -> Int {
      try m.step()
      return try m.apply(function, try element(m, node, a.call)).bool ? 1 : 0
    }
    if kept.isFresh {
      try forEachNode(map) { (node) throws(Fault) in passing += try pass(node) }
    } else {
      passing = kept.passing
      for (index, edit) in kept.differences.edits.enumerated() {
        if edit.isGone { passing -= try pass(kept.differences.before(index)) }
        if edit.isNew { passing += try pass(kept.differences.after(index)) }
      }
    }
    kept.passing = passing
    maps.keep(kept, map, function: function)
    return passing
  }

  /// The same, and nil where the test of an entry is a fault: it may lie behind the entry that decides.
  private static func passingIfAll(_ m: Machine, _ a: Arguments) -> Int? {
    do throws(Fault) { return try passing(m, a) } catch { return nil }
  }

  private static func anyOfEntries(_ m: Machine, _ a: Arguments) throws(Fault) -> Word? {
    passingIfAll(m, a).map { Word(bool: $0 > 0) }
  }

  private static func allOfEntries(_ m: Machine, _ a: Arguments) throws(Fault) -> Word? {
    passingIfAll(m, a).map { Word(bool: $0 == m.heap.mapCount(a[0])) }
  }

  private static func countOfEntries(_ m: Machine, _ a: Arguments) throws(Fault) -> Word? {
    try passing(m, a).map { Word(int: $0) }
  }

  /// The sum of a map's values, or what else is kept of them, up to date.
  private static func total<Sum: SlidingCall>(
    _ m: Machine, _ map: Word, _ call: PrimCall, _ make: () -> Sum
  ) throws(Fault) -> Sum? {
    let maps = m.library.maps
    guard let kept = maps.find(map, call, call.map, { ChangingSum($0, make()) }) else { return nil }
    defer { maps.leave(kept) }
    if kept.isFresh {
      try m.step(m.heap.mapCount(map))
      try m.heap.mapForEach(map) { (_, value) throws(Fault) in kept.sum.add(value) }
    } else {
      try m.step(kept.differences.edits.count)
      kept.change()
    }
    maps.keep(kept, map)
    return kept.sum
  }

  // MARK: Maps of maps

  private static func changing(_ routine: @escaping Routine, _ change: @escaping Change) -> Routine {
    { (m, a) throws(Fault) -> Word in
      let maps = m.library.maps
      guard let kept = maps.find(a[0], a.call, a.call.a0, function: a[1], ChangingResult.init) else {
        return try routine(m, a)
      }
      defer { maps.leave(kept) }
      guard let before = maps.result(of: kept) else {
        let result = try routine(m, a)
        maps.keep(kept, a[0], function: a[1])
        maps.keep(kept, result: result)
        return result
      }
      var result = before
      for (index, edit) in kept.differences.edits.enumerated() {
        try m.step()
        let shape = MapShape(m.heap.shapes, a.call.result)
        if edit.isNew, let value = try change(m, a[1], kept.differences.after(index), a.call) {
          let key = kept.differences.after(index).field(0)
          result = try m.heap.mapSet(result, key, value: value, shape: shape)
        } else {
          let node = edit.isGone ? kept.differences.before(index) : kept.differences.after(index)
          result = try m.heap.mapRemove(result, node.field(0), shape: shape)
        }
      }
      maps.keep(kept, a[0], function: a[1])
      maps.keep(kept, result: result)
      return result
    }
  }

  /// The new value of an entry, or nil where it is left out.
  private typealias Change = @Sendable (Machine, _ function: Word, _ node: Word, PrimCall) throws(Fault) -> Word?

  private static func mapped(_ m: Machine, _ function: Word, _ node: Word, _ call: PrimCall) throws(Fault) -> Word? {
    call.prim == .mapMap
      ? try m.apply(function, node.field(0), second: node.field(1)) : try m.apply(function, node.field(1))
  }

  private static func filtered(_ m: Machine, _ function: Word, _ node: Word, _ call: PrimCall) throws(Fault) -> Word? {
    let value = node.field(1)
    let passes =
      call.prim == .mapFilter ? try m.apply(function, node.field(0), second: value) : try m.apply(function, value)
    return passes.bool ? value : nil
  }
}
