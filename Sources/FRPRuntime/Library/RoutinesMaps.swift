// Routines of maps, options and results. Functions of entries see them in the order of keys.

import FRPCore
import FRPGraph

extension RoutineTable {
  static let maps: [(Prim, Routine)] = [
    (.mapEmpty, mapEmpty), (.mapGet, mapGet), (.mapGetOr, mapGetOr), (.mapSet, mapSet), (.mapUpdate, mapUpdate),
    (.mapRemove, mapRemove), (.mapContains, mapContains), (.mapKeys, mapKeys), (.mapValues, mapValues),
    (.mapToList, mapToList), (.mapSize, mapSize), (.mapIsEmpty, mapIsEmpty), (.mapFold, mapFold),
    (.mapUnion, mapUnion), (.mapUnionWith, mapUnionWith), (.mapAdd, mapAdd),
  ]

  private static func shape(_ m: Machine, _ type: TypeID) -> MapShape { MapShape(m.heap.shapes, type) }

  // MARK: Entries

  private static func mapEmpty(_ m: Machine, _ a: Arguments) throws(Fault) -> Word { .emptyMap }

  private static func mapGet(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.optional(m.heap.mapValue(a[0], a[1], shape: shape(m, a.call.a0)), a.call.result)
  }

  private static func mapGetOr(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    m.heap.mapValue(a[0], a[1], shape: shape(m, a.call.a0)) ?? a[2]
  }

  private static func mapContains(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(bool: m.heap.mapValue(a[0], a[1], shape: shape(m, a.call.a0)) != nil)
  }

  private static func mapSet(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.mapSet(a[0], a[1], value: a[2], shape: shape(m, a.call.result))
  }

  private static func mapRemove(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.mapRemove(a[0], a[1], shape: shape(m, a.call.result))
  }

  private static func mapUpdate(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let shape = shape(m, a.call.result)
    let option = m.heap.result(of: a.call.a2)
    let old = try m.heap.optional(m.heap.mapValue(a[0], a[1], shape: shape), option)
    let new = try m.apply(a[2], old)
    if new == .none { return old == .none ? a[0] : try m.heap.mapRemove(a[0], a[1], shape: shape) }
    return try m.heap.mapSet(a[0], a[1], value: new.field(0), shape: shape)
  }

  private static func mapAdd(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let shape = shape(m, a.call.result)
    let isFloat = a.call.a2 == .float
    let changed = try m.heap.mapReplacing(a[0], a[1], shape) { (old) throws(Fault) in
      let new: Word
      if isFloat {
        new = try finite(old.float + a[2].float)
      } else {
        let (sum, isOver) = old.int.addingReportingOverflow(a[2].int)
        if isOver { throw Fault.overflow }
        new = Word(int: sum)
      }
      // By bits: 0.0 may come in the place of -0.0, which equals it.
      return new == old ? nil : new
    }
    if let changed { return changed }
    return try m.heap.mapSet(a[0], a[1], value: a[2], shape: shape)
  }

  private static func mapSize(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(int: m.heap.mapCount(a[0]))
  }

  private static func mapIsEmpty(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(bool: m.heap.mapCount(a[0]) == 0)
  }

  // MARK: All entries

  /// A list of what `part` gives for each entry.
  @inline(__always)
  private static func list(
    _ m: Machine, _ map: Word, type: TypeID, part: (Word, Word) throws(Fault) -> Word
  ) throws(Fault) -> Word {
    var result = try builder(m, type, capacity: m.heap.mapCount(map))
    try m.heap.mapForEach(map) { (key, value) throws(Fault) in
      try m.step()
      try result.append(try part(key, value))
    }
    return try result.finish()
  }

  private static func mapKeys(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try list(m, a[0], type: a.call.result) { (key, _) throws(Fault) in key }
  }

  private static func mapValues(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try list(m, a[0], type: a.call.result) { (_, value) throws(Fault) in value }
  }

  private static func mapToList(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let pair = m.heap.element(a.call.result)
    return try list(m, a[0], type: a.call.result) { (key, value) throws(Fault) in try m.heap.construct(pair, key, value)
    }
  }

  /// A map of the entries for which `part` gives a value.
  @inline(__always)
  private static func map(
    _ m: Machine, _ map: Word, type: TypeID, part: (Word, Word) throws(Fault) -> Word?
  ) throws(Fault) -> Word {
    let count = m.heap.mapCount(map)
    let shape = shape(m, type)
    let hasReferences = (key: m.heap.shapes.isReference(shape.key), value: m.heap.shapes.isReference(shape.value))
    return try m.borrowing(2 * count * RootSet.stride) { () throws(Fault) in
      let entries = RootSet(m.heap)
      try m.heap.mapForEach(map) { (key, value) throws(Fault) in
        try m.step()
        guard let new = try part(key, value) else { return }
        entries.append(key, isReference: hasReferences.key)
        entries.append(new, isReference: hasReferences.value)
      }
      return try m.heap.mapFromSorted(entries.words, entries.count / 2, shape: shape) { () throws(Fault) in try m.step()
      }
    }
  }

  static func mapMap(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try map(m, a[0], type: a.call.result) { (key, value) throws(Fault) in try m.apply(a[1], key, second: value) }
  }

  static func mapMapValues(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try map(m, a[0], type: a.call.result) { (_, value) throws(Fault) in try m.apply(a[1], value) }
  }

  static func mapFilter(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try map(m, a[0], type: a.call.result) { (key, value) throws(Fault) in
      try m.apply(a[1], key, second: value).bool ? value : nil
    }
  }

  static func mapFilterValues(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try map(m, a[0], type: a.call.result) { (_, value) throws(Fault) in try m.apply(a[1], value).bool ? value : nil }
  }

  private static func mapFold(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.step(m.heap.mapCount(a[0]))
    var state = a[1]
    try m.heap.mapForEach(a[0]) { (key, value) throws(Fault) in state = try m.apply(a[2], state, key, value) }
    return state
  }

  // MARK: Union

  private static func mapUnion(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try union(m, a) { (first, _) throws(Fault) in first }
  }

  private static func mapUnionWith(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try union(m, a) { (first, second) throws(Fault) in
      try m.holdingStill { () throws(Fault) in try m.apply(a[2], first, second: second) }
    }
  }

  /// How many times as large a map must be that entries are put into, or taken out of, one by one.
  static let fewTimes = 16

  /// A map with a few more entries, or with other values for them. Cost: O(m log n).
  private static func adding(
    _ m: Machine, _ few: Word, to many: Word, _ shape: MapShape,
    join: (_ there: Word, _ new: Word) throws(Fault) -> Word
  ) throws(Fault) -> Word {
    var result = many
    try m.heap.mapForEach(few) { (key, value) throws(Fault) in
      try m.step()
      let new = try m.heap.mapValue(many, key, shape: shape).map { (there) throws(Fault) in try join(there, value) }
      result = try m.heap.mapSet(result, key, value: new ?? value, shape: shape)
    }
    return result
  }

  /// Both maps' entries, merged in the order of keys. Cost: O(m + n), or O(m log n) where one has few.
  private static func union(
    _ m: Machine, _ a: Arguments, join: (Word, Word) throws(Fault) -> Word
  ) throws(Fault) -> Word {
    let shape = shape(m, a.call.result)
    if m.heap.mapCount(a[0]) == 0 { return a[1] }
    if m.heap.mapCount(a[1]) == 0 { return a[0] }
    let (first, second) = (m.heap.mapCount(a[0]), m.heap.mapCount(a[1]))
    if second * fewTimes < first { return try adding(m, a[1], to: a[0], shape, join: join) }
    if first * fewTimes < second {
      return try adding(m, a[0], to: a[1], shape) { (there, new) throws(Fault) in try join(new, there) }
    }
    return try m.borrowing((first + 2 * second) * MemoryLayout<Keyed>.stride) { () throws(Fault) in
      var seconds: [Keyed] = []
      seconds.reserveCapacity(second)
      try m.heap.mapForEach(a[1]) { (key, value) throws(Fault) in
        try m.step()
        seconds.append(Keyed(key: key, value: value))
      }
      var entries: [Word] = []
      entries.reserveCapacity(2 * (first + second))
      var next = 0
      func add(_ key: Word, _ value: Word) throws(Fault) {
        try m.step()
        entries.append(key)
        entries.append(value)
      }
      try m.heap.mapForEach(a[0]) { (key, value) throws(Fault) in
        var order = 1
        while next < seconds.count {
          order = m.heap.compare(seconds[next].key, key, type: shape.key)
          if order >= 0 { break }
          try add(seconds[next].key, seconds[next].value)
          next += 1
        }
        let isInBoth = next < seconds.count && order == 0
        try add(key, isInBoth ? try join(value, seconds[next].value) : value)
        if isInBoth { next += 1 }
      }
      for second in seconds[next...] { try add(second.key, second.value) }
      return try m.heap.mapFromSorted(entries, entries.count / 2, shape: shape) {
        () throws(Fault) in try m.step()
      }
    }
  }
}
