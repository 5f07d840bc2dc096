// Routines of lists: transforming and taking apart. Slices share the list's memory and cost O(1).

import FRPCore
import FRPGraph

extension RoutineTable {
  static let listTransforms: [(Prim, Routine)] = [
    (.listMap, listMap), (.listMapIndexed, listMapIndexed), (.listFilter, listFilter), (.listFilterMap, listFilterMap),
    (.listFlatMap, listFlatMap), (.listFold, listFold), (.listFoldRight, listFoldRight), (.listScan, listScan),
    (.listConcat, listConcat), (.listReverse, listReverse), (.listIntersperse, listIntersperse),
    (.listRepeat, listRepeat), (.listGenerate, listGenerate),
  ]

  static let listParts: [(Prim, Routine)] = [
    (.listSize, listSize), (.listIsEmpty, listIsEmpty), (.listHead, listHead), (.listTail, listTail),
    (.listLast, listLast), (.listGet, listGet), (.listSet, listSet), (.listUpdate, listUpdate),
    (.listInsert, listInsert), (.listRemoveAt, listRemoveAt), (.listTake, listTake), (.listDrop, listDrop),
    (.listTakeLast, listTakeLast), (.listDropLast, listDropLast), (.listTakeWhile, listTakeWhile),
    (.listDropWhile, listDropWhile), (.listChunk, listChunk), (.listWindows, listWindows),
  ]

  /// A builder for a result of `call`.
  @inline(__always)
  static func builder(_ m: Machine, _ list: TypeID, capacity: Int = 0) throws(Fault) -> ListBuilder {
    try ListBuilder(m.heap, references: m.heap.hasReferences(list), capacity: capacity)
  }

  /// Appends a part of a list; a step for eight words.
  static func append(_ m: Machine, _ list: ListView, part: Range<Int>, to result: inout ListBuilder) throws(Fault) {
    let start = list.start + part.lowerBound
    try m.inStretches(part.count, perStep: 8) { (stretch) throws(Fault) in
      try result.append(start + stretch.lowerBound, stretch.count)
    }
  }

  static func append(_ m: Machine, _ list: Word, to result: inout ListBuilder) throws(Fault) {
    try append(m, ListView(list), part: 0..<m.heap.count(list), to: &result)
  }

  // MARK: Transforms

  private static func listMap(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if let kept = m.library.sliding.find(a[0], a.call, function: a[1], SlidingMap.init) {
      return try slidMap(m, a, kept: kept)
    }
    let list = ListView(a[0])
    try m.step(list.count)
    var result = try builder(m, a.call.result, capacity: list.count)
    for word in list { try result.append(try m.apply(a[1], word)) }
    return try result.finish()
  }

  /// What is left of the last result, and what has come through the function.
  private static func slidMap(_ m: Machine, _ a: Arguments, kept: SlidingMap) throws(Fault) -> Word {
    let sliding = m.library.sliding
    defer { sliding.leave(kept) }
    let isReference = m.heap.hasReferences(a.call.result)
    let (gone, come) = (kept.gone, kept.come)
    let before = sliding.result(of: kept, orElse: m.heap.emptyList)
    var result = try m.heap.suffix(before, m.heap.count(before) - gone, references: isReference)
    for place in come {
      try m.step()
      result = try m.heap.append(result, try m.apply(a[1], ListView(a[0])[place]), references: isReference)
    }
    sliding.keep(kept, a[0], call: a.call, function: a[1], result: result)
    return result
  }

  private static func listMapIndexed(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    try m.step(list.count)
    var result = try builder(m, a.call.result, capacity: list.count)
    for (index, word) in list.enumerated() { try result.append(try m.apply(a[1], Word(int: index), second: word)) }
    return try result.finish()
  }

  /// Which elements of a list that slides pass the test in `a[1]`. `body` is told what has changed, before it is taken over,
  /// and may give a list that is kept as the result.
  static func slidFlags(
    _ m: Machine, _ a: Arguments,
    _ body: (_ kept: SlidingFlags, _ come: [Bool]) throws(Fault) -> Word? = { (_, _) throws(Fault) in nil }
  ) throws(Fault) -> SlidingFlags? {
    let sliding = m.library.sliding
    guard let kept = sliding.find(a[0], a.call, function: a[1], SlidingFlags.init) else { return nil }
    defer { sliding.leave(kept) }
    let (gone, places) = (kept.gone, kept.come)
    try m.step(gone)
    var come: [Bool] = []
    come.reserveCapacity(places.count)
    for place in places {
      try m.step()
      come.append(try m.apply(a[1], ListView(a[0])[place]).bool)
    }
    let result = try body(kept, come)
    kept.change(gone: gone, come: come)
    sliding.keep(kept, a[0], call: a.call, function: a[1], result: result)
    return kept
  }

  /// What is left of the last result, and what has come and passes.
  private static func slidFilter(_ m: Machine, _ a: Arguments) throws(Fault) -> Word? {
    let isReference = m.heap.hasReferences(a.call.result)
    var result = m.heap.emptyList
    let kept = try slidFlags(m, a) { (kept, come) throws(Fault) in
      let before = m.library.sliding.result(of: kept, orElse: m.heap.emptyList)
      let left = m.heap.count(before) - kept.passing(amongOldest: kept.gone)
      result = try m.heap.suffix(before, left, references: isReference)
      let start = m.heap.count(a[0]) - come.count
      for (place, passes) in come.enumerated() where passes {
        result = try m.heap.append(result, ListView(a[0])[start + place], references: isReference)
      }
      return result
    }
    return kept == nil ? nil : result
  }

  private static func listFilter(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if let result = try slidFilter(m, a) { return result }
    let list = ListView(a[0])
    try m.step(list.count)
    var result = try builder(m, a.call.result)
    for word in list where try m.apply(a[1], word).bool { try result.append(word) }
    return result.count == list.count ? a[0] : try result.finish()
  }

  private static func listFilterMap(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    try m.step(list.count)
    var result = try builder(m, a.call.result)
    for word in list {
      let option = try m.apply(a[1], word)
      if option != .none { try result.append(option.field(0)) }
    }
    return try result.finish()
  }

  private static func listFlatMap(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    try m.step(list.count)
    var result = try builder(m, a.call.result)
    for word in list {
      try append(m, try m.apply(a[1], word), to: &result)
    }
    return try result.finish()
  }

  private static func listFold(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    try m.step(list.count)
    var state = a[1]
    for word in list { state = try m.apply(a[2], state, second: word) }
    return state
  }

  private static func listFoldRight(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    try m.step(list.count)
    var state = a[1]
    for word in list.reversed() { state = try m.apply(a[2], state, second: word) }
    return state
  }

  private static func listScan(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    try m.step(list.count)
    var result = try builder(m, a.call.result, capacity: list.count)
    var state = a[1]
    for word in list {
      state = try m.apply(a[2], state, second: word)
      try result.append(state)
    }
    return try result.finish()
  }

  private static func listConcat(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    var result = try builder(m, a.call.result)
    for part in ListView(a[0]) {
      try m.step()
      try append(m, part, to: &result)
    }
    return try result.finish()
  }

  private static func listReverse(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    var result = try builder(m, a.call.result, capacity: list.count)
    for word in list.reversed() {
      try m.step()
      try result.append(word)
    }
    return try result.finish()
  }

  private static func listIntersperse(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    var result = try builder(m, a.call.result, capacity: list.count * 2)
    for (index, word) in list.enumerated() {
      try m.step()
      if index > 0 { try result.append(a[1]) }
      try result.append(word)
    }
    return try result.finish()
  }

  private static func listRepeat(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let count = Swift.max(0, a[1].int)
    var result = try builder(m, a.call.result, capacity: count)
    for _ in 0..<count {
      try m.step()
      try result.append(a[0])
    }
    return try result.finish()
  }

  private static func listGenerate(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let count = Swift.max(0, a[0].int)
    try m.step(count)
    var result = try builder(m, a.call.result)
    for index in 0..<count { try result.append(try m.apply(a[1], Word(int: index))) }
    return try result.finish()
  }

  // MARK: Parts

  private static func listSize(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(int: m.heap.count(a[0]))
  }

  private static func listIsEmpty(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(bool: m.heap.count(a[0]) == 0)
  }

  private static func listHead(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.optional(ListView(a[0]).first, a.call.result)
  }

  private static func listTail(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let count = m.heap.count(a[0])
    if count == 0 { return .none }
    return try m.heap.some(try m.heap.slice(a[0], from: 1, count: count - 1), a.call.result)
  }

  private static func listLast(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.optional(ListView(a[0]).last, a.call.result)
  }

  private static func listGet(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    let index = a[1].int
    return index >= 0 && index < list.count ? try m.heap.some(list[index], a.call.result) : .none
  }

  /// The index argument, if it is below `limit`.
  private static func index(_ m: Machine, _ a: Arguments, below limit: Int) throws(Fault) -> Int {
    let index = a[1].int
    if index < 0 || index >= limit { throw Fault.index(index, m.heap.count(a[0])) }
    return index
  }

  private static func replacing(_ m: Machine, _ list: Word, index: Int, word: Word, type: TypeID) throws(Fault)
    -> Word
  {
    var result = try builder(m, type, capacity: m.heap.count(list))
    try append(m, list, to: &result)
    result[index] = word
    return try result.finish()
  }

  private static func listSet(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try replacing(m, a[0], index: try index(m, a, below: m.heap.count(a[0])), word: a[2], type: a.call.result)
  }

  private static func listUpdate(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let place = try index(m, a, below: m.heap.count(a[0]))
    return try replacing(m, a[0], index: place, word: try m.apply(a[2], ListView(a[0])[place]), type: a.call.result)
  }

  private static func listInsert(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    let place = try index(m, a, below: list.count + 1)
    var result = try builder(m, a.call.result, capacity: list.count + 1)
    try append(m, list, part: 0..<place, to: &result)
    try result.append(a[2])
    try append(m, list, part: place..<list.count, to: &result)
    return try result.finish()
  }

  private static func listRemoveAt(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    let place = try index(m, a, below: list.count)
    var result = try builder(m, a.call.result, capacity: list.count)
    try append(m, list, part: 0..<place, to: &result)
    try append(m, list, part: (place + 1)..<list.count, to: &result)
    return try result.finish()
  }

  /// The count argument, cut to 0…count of the list.
  private static func amount(_ m: Machine, _ a: Arguments) -> Int {
    Swift.min(Swift.max(0, a[1].int), m.heap.count(a[0]))
  }

  private static func listTake(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.slice(a[0], from: 0, count: amount(m, a))
  }

  private static func listDrop(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let amount = amount(m, a)
    return try m.heap.slice(a[0], from: amount, count: m.heap.count(a[0]) - amount)
  }

  private static func listTakeLast(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let amount = amount(m, a)
    return try m.heap.slice(a[0], from: m.heap.count(a[0]) - amount, count: amount)
  }

  private static func listDropLast(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.slice(a[0], from: 0, count: m.heap.count(a[0]) - amount(m, a))
  }

  /// How many elements there are before the first that fails.
  private static func run(_ m: Machine, _ a: Arguments) throws(Fault) -> Int {
    let list = ListView(a[0])
    var count = 0
    try m.step()
    while count < list.count, try m.apply(a[1], list[count]).bool { count += 1 }
    return count
  }

  private static func listTakeWhile(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.slice(a[0], from: 0, count: try run(m, a))
  }

  private static func listDropWhile(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let count = try run(m, a)
    return try m.heap.slice(a[0], from: count, count: m.heap.count(a[0]) - count)
  }

  private static func listChunk(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let count = m.heap.count(a[0])
    let size = a[1].int
    if size < 1 { throw Fault(.message, "chunk: the size must be at least 1, not \(size)") }
    var result = try builder(m, a.call.result)
    var start = 0
    while start < count {
      try m.step()
      let length = Swift.min(size, count - start)
      try result.append(try m.heap.slice(a[0], from: start, count: length))
      start += length
    }
    return try result.finish()
  }

  private static func listWindows(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let count = m.heap.count(a[0])
    let size = a[1].int
    if size < 1 { throw Fault(.message, "windows: the size must be at least 1, not \(size)") }
    if size > count { return m.heap.emptyList }
    var result = try builder(m, a.call.result, capacity: count - size + 1)
    for start in 0...(count - size) {
      try m.step()
      try result.append(try m.heap.slice(a[0], from: start, count: size))
    }
    return try result.finish()
  }
}
