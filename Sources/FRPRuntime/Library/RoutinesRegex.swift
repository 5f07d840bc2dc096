// Routines of regular expressions. Matches are found in bytes; what programs see are texts and Character indices.

import FRPCore
import FRPGraph

extension RoutineTable {
  static let regexes: [(Prim, Routine)] = [
    (.regexMatches, regexMatches), (.regexContains, regexContains), (.regexFind, regexFind),
    (.regexFindAll, regexFindAll), (.regexReplace, regexReplace), (.regexReplaceWith, regexReplaceWith),
    (.regexSplit, regexSplit),
  ]

  private static func regexMatches(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try fits(m, a, isWhole: true)
  }

  private static func regexContains(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try fits(m, a, isWhole: false)
  }

  private static func fits(_ m: Machine, _ a: Arguments, isWhole: Bool) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    let matcher = try m.library.patterns.matcher(m.heap.bytes(a[1]))
    return Word(bool: try matcher.fits(text, isWhole: isWhole) { (steps) throws(Fault) in try m.step(steps) })
  }

  /// Calls `body` with the slots of every match, from the left, without overlap. Cost: O(text).
  private static func forEachMatch(
    _ m: Machine, _ a: Arguments, body: ([Int]) throws(Fault) -> Void
  ) throws(Fault) {
    let text = m.heap.bytes(a[0])
    let matcher = try m.library.patterns.matcher(m.heap.bytes(a[1]))
    var scan = try RegexScan(matcher, text, m)
    var start = 0
    while try scan.next(from: start) {
      let slots = scan.slots
      try body(slots)
      // Behind an empty match the next may begin one scalar later.
      start = slots[1] > slots[0] ? slots[1] : slots[1] + max(1, RegexMatcher.decode(text, slots[1]).1)
    }
    scan.end(matcher)
  }

  /// The slots of the first match; nil without one. A long text is searched from the front, since its end may not matter.
  private static func firstMatch(_ m: Machine, _ a: Arguments) throws(Fault) -> [Int]? {
    let text = m.heap.bytes(a[0])
    let matcher = try m.library.patterns.matcher(m.heap.bytes(a[1]))
    if text.count > RegexScan.blockLength {
      return try matcher.search(text, { (steps) throws(Fault) in try m.step(steps) }) ? matcher.slots : nil
    }
    var scan = try RegexScan(matcher, text, m)
    let isFound = try scan.next(from: 0)
    let slots = scan.slots
    scan.end(matcher)
    return isFound ? slots : nil
  }

  // MARK: Matches as values

  /// Makes `{groups, index, text}` of matches, in one pass over the text.
  private struct MatchMaker {
    let heap: Heap
    let text: Word
    let type: TypeID
    private var offset = 0
    private var character = 0

    init(_ heap: Heap, _ text: Word, _ type: TypeID) {
      self.heap = heap
      self.text = text
      self.type = type
    }

    mutating func make(_ slots: [Int]) throws(Fault) -> Word {
      let bytes = heap.bytes(text)
      if heap.isASCII(text) {
        character = slots[0]
      } else {
        character += String(decoding: bytes[offset..<slots[0]], as: UTF8.self).count
      }
      offset = slots[0]
      let groups = heap.shapes.fieldType(type, 0)
      let option = heap.element(groups)
      var builder = try ListBuilder(heap, references: true)
      for group in 1..<(slots.count / 2) {
        let isCaught = slots[2 * group] >= 0 && slots[2 * group + 1] >= 0
        try builder.append(
          isCaught ? try heap.some(try part(bytes, slots[2 * group], to: slots[2 * group + 1]), option) : .none)
      }
      return try heap.construct(
        type, [try builder.finish(), Word(int: character), try part(bytes, slots[0], to: slots[1])], 3)
    }

    private func part(_ bytes: Bytes, _ from: Int, to: Int) throws(Fault) -> Word {
      try heap.string(Bytes(rebasing: bytes[from..<max(from, to)]))
    }
  }

  private static func regexFind(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    guard let slots = try firstMatch(m, a) else { return .none }
    var maker = MatchMaker(m.heap, a[0], m.heap.shapes.fieldType(a.call.result, tag: 1, 0))
    return try m.heap.some(try maker.make(slots), a.call.result)
  }

  private static func regexFindAll(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    var maker = MatchMaker(m.heap, a[0], m.heap.element(a.call.result))
    var result = try builder(m, a.call.result)
    try forEachMatch(m, a) { (slots) throws(Fault) in
      try result.append(try maker.make(slots))
    }
    return try result.finish()
  }

  // MARK: Replacing and splitting

  /// The text with each match replaced by what `body` appends.
  private static func replacing(
    _ m: Machine, _ a: Arguments, body: ([Int], inout StringBuilder) throws(Fault) -> Void
  ) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    var out = StringBuilder()
    var start = 0
    try forEachMatch(m, a) { (slots) throws(Fault) in
      out.append(Bytes(rebasing: text[start..<slots[0]]))
      try body(slots, &out)
      if out.count > m.heap.textLimit { throw Fault.memory }
      start = slots[1]
    }
    out.append(Bytes(rebasing: text[start...]))
    try stepBytes(m, out.count)
    return try out.finish(m.heap)
  }

  private static func regexReplace(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    let template = m.heap.bytes(a[2])
    return try replacing(m, a) { (slots, out) throws(Fault) in
      var index = 0
      while index < template.count {
        let byte = template[index]
        let next = index + 1 < template.count ? template[index + 1] : 0
        if byte == 0x24, next == 0x24 {
          out.append(byte: 0x24)
          index += 2
        } else if byte == 0x24, next >= 0x30, next <= 0x39 {
          let group = 2 * Int(next - 0x30)
          if group + 1 < slots.count, slots[group] >= 0, slots[group + 1] >= slots[group] {
            out.append(Bytes(rebasing: text[slots[group]..<slots[group + 1]]))
          }
          index += 2
        } else {
          out.append(byte: byte)
          index += 1
        }
      }
    }
  }

  private static func regexReplaceWith(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    var maker = MatchMaker(m.heap, a[0], m.heap.parameter(0, of: a.call.a2))
    return try replacing(m, a) { (slots, out) throws(Fault) in
      out.append(m.heap.bytes(try m.apply(a[2], try maker.make(slots))))
    }
  }

  private static func regexSplit(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    var result = try builder(m, a.call.result)
    var start = 0
    try forEachMatch(m, a) { (slots) throws(Fault) in
      // Nothing is cut off by an empty match at either end.
      if slots[1] == slots[0], slots[0] == 0 || slots[0] == text.count { return }
      try result.append(try m.heap.string(Bytes(rebasing: text[start..<slots[0]])))
      start = slots[1]
    }
    try result.append(try m.heap.string(Bytes(rebasing: text[start...])))
    return try result.finish()
  }
}
