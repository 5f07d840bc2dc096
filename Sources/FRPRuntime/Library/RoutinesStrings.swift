// Routines of strings as wholes. Sizes and places count Characters; for ASCII (flagged in the heap) a Character is a
// byte and nothing is decoded.

import FRPCore
import FRPGraph

extension RoutineTable {
  static let strings: [(Prim, Routine)] = [
    (.stringSize, stringSize), (.stringIsEmpty, stringIsEmpty), (.stringUpper, cased(true)),
    (.stringLower, cased(false)), (.stringTrim, trimmed(true, true)), (.stringTrimStart, trimmed(true, false)),
    (.stringTrimEnd, trimmed(false, true)), (.stringReverse, stringReverse), (.stringRepeat, stringRepeat),
    (.stringReplace, stringReplace), (.stringPadStart, padded(true)), (.stringPadEnd, padded(false)),
    (.stringContains, stringContains), (.stringStartsWith, stringStartsWith), (.stringEndsWith, stringEndsWith),
    (.stringIndexOf, stringIndexOf), (.stringToInt, stringToInt), (.stringToFloat, stringToFloat),
    (.stringCode, stringCode), (.stringFromCode, stringFromCode), (.stringIsDigit, all { $0 >= "0" && $0 <= "9" }),
    (.stringIsLetter, all { $0.properties.isAlphabetic }), (.stringIsSpace, all { $0.properties.isWhitespace }),
  ]

  /// Counts the steps of work on so many bytes.
  @inline(__always)
  static func stepBytes(_ m: Machine, _ count: Int) throws(Fault) { try m.step(count / 64 + 1) }

  /// How many Characters a text has; a step for each where they must be counted.
  static func characterCount(_ m: Machine, _ text: Word) throws(Fault) -> Int {
    try m.heap.characterCount(text) { () throws(Fault) in try m.step() }
  }

  /// Where Character `index` begins; the end if there are not so many. A step for each Character that must be counted: those
  /// before it, or behind a place nearby that was looked for before.
  static func place(_ m: Machine, ofCharacter index: Int, in text: Word) throws(Fault) -> TextPlace {
    if index <= 0 { return TextPlace() }
    if m.heap.isASCII(text) {
      let place = min(index, m.heap.byteCount(text))
      return TextPlace(byte: place, character: place)
    }
    if index < TextPlaces.distance { return try CharacterCursor(m.heap.bytes(text)).skip(index, from: TextPlace(), m) }
    return try m.library.places.find(index, in: text, m)
  }

  /// Where a pattern first occurs from `start` on, which parts two Characters, as whole Characters; a step for 64 bytes that are
  /// passed.
  static func first(_ m: Machine, _ search: StringSearch, in text: Bytes, from start: Int = 0) throws(Fault) -> Int? {
    var begins = CharacterCursor(text, from: start)
    var ends = begins
    var start = start
    while true {
      let end = min(text.count, start + max(1 << 20, 4 * search.count))
      let found = search.first(in: Bytes(rebasing: text[..<end]), from: start)
      try stepBytes(m, (found ?? end) - start)
      if let found {
        if try begins.parts(at: found, m), try ends.parts(at: found + search.count, m) { return found }
        start = try begins.next(after: found, m)
      } else if end == text.count {
        return nil
      } else {
        start = end - max(0, search.count - 1)
      }
    }
  }

  /// Appends `text` again and again, and the beginning of it, until it is so many bytes; a step for 64 of them.
  private static func fill(
    _ m: Machine, _ out: inout StringBuilder, text: Bytes, times count: Int
  ) throws(Fault) {
    var block = StringBuilder()
    let perBlock = max(1, min(count, Machine.stretch / max(1, text.count)))
    for _ in 0..<perBlock { block.append(text) }
    for _ in 0..<(count / perBlock) {
      try stepBytes(m, block.count)
      out.append(block.view)
    }
    for _ in 0..<(count % perBlock) { out.append(text) }
  }

  private static func stringSize(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(int: try characterCount(m, a[0]))
  }

  private static func stringIsEmpty(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(bool: m.heap.byteCount(a[0]) == 0)
  }

  // MARK: Other forms of a text

  private static func cased(_ isUpper: Bool) -> Routine {
    { (m, a) throws(Fault) -> Word in
      let text = m.heap.bytes(a[0])
      var out = StringBuilder()
      if !m.heap.isASCII(a[0]) {
        for scalar in m.heap.swiftString(a[0]).unicodeScalars {
          try m.step()
          out.append(isUpper ? scalar.properties.uppercaseMapping : scalar.properties.lowercaseMapping)
          if out.count > m.heap.textLimit { throw Fault.memory }
        }
        return try out.finish(m.heap)
      }
      if text.count > m.heap.textLimit { throw Fault.memory }
      let first: UInt8 = isUpper ? 0x61 : 0x41
      var isOther = false
      try m.inStretches(text.count, perStep: 64) { (stretch) throws(Fault) in
        for index in stretch {
          let isCased = text[index] &- first < 26
          isOther = isOther || isCased
          out.append(byte: isCased ? text[index] ^ 0x20 : text[index])
        }
      }
      return isOther ? try out.finish(m.heap) : a[0]
    }
  }

  private static func trimmed(_ atStart: Bool, _ atEnd: Bool) -> Routine {
    { (m, a) throws(Fault) -> Word in
      let text = m.heap.bytes(a[0])
      var start = 0
      var end = text.count
      while atStart, start < end {
        try m.step()
        guard let width = UTF8Text.space(text, at: start) else { break }
        start += width
      }
      while atEnd, start < end {
        try m.step()
        guard let width = UTF8Text.space(text, endingAt: end) else { break }
        end -= width
      }
      return try part(m, a[0], from: start, to: end)
    }
  }

  private static func stringReverse(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    if text.count > m.heap.textLimit { throw Fault.memory }
    var out = StringBuilder()
    if m.heap.isASCII(a[0]) {
      try m.inStretches(text.count, perStep: 64) { (stretch) throws(Fault) in
        for index in stretch { out.append(byte: text[text.count - 1 - index]) }
      }
      return try out.finish(m.heap)
    }
    let string = m.heap.swiftString(a[0])
    var end = string.endIndex
    while end > string.startIndex {
      try m.step()
      let start = string.index(before: end)
      out.append(String(string[start..<end]))
      end = start
    }
    return try out.finish(m.heap)
  }

  private static func stringRepeat(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    let count = max(0, a[1].int)
    let (total, isOver) = text.count.multipliedReportingOverflow(by: count)
    if isOver || total > m.heap.textLimit { throw Fault.memory }
    if total == 0 { return m.heap.emptyString }
    var out = StringBuilder()
    try fill(m, &out, text: text, times: count)
    return try out.finish(m.heap)
  }

  private static func stringReplace(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    let part = m.heap.bytes(a[1])
    let by = m.heap.bytes(a[2])
    try stepBytes(m, part.count)
    let search = StringSearch(part)
    guard var found = try first(m, search, in: text) else { return a[0] }
    var out = StringBuilder()
    var start = 0
    while true {
      out.append(Bytes(rebasing: text[start..<found]))
      out.append(by)
      if out.count > m.heap.textLimit { throw Fault.memory }
      start = found + part.count
      guard let next = try first(m, search, in: text, from: start) else { break }
      try stepBytes(m, by.count)
      found = next
    }
    out.append(Bytes(rebasing: text[start...]))
    return try out.finish(m.heap)
  }

  private static func padded(_ atStart: Bool) -> Routine {
    { (m, a) throws(Fault) -> Word in
      let missing = a[1].int.subtractingReportingOverflow(try characterCount(m, a[0])).partialValue
      let fillCount = try characterCount(m, a[2])
      if a[1].int <= 0 || missing <= 0 || fillCount == 0 { return a[0] }
      let text = m.heap.bytes(a[2])
      let (total, isOver) = text.count.multipliedReportingOverflow(by: missing / fillCount + 1)
      if isOver || total > m.heap.textLimit { throw Fault.memory }
      var out = StringBuilder()
      if !atStart { out.append(m.heap.bytes(a[0])) }
      try fill(m, &out, text: text, times: missing / fillCount)
      out.append(Bytes(rebasing: text[..<(try place(m, ofCharacter: missing % fillCount, in: a[2]).byte)]))
      if atStart { out.append(m.heap.bytes(a[0])) }
      return try out.finish(m.heap)
    }
  }

  // MARK: Searching

  private static func place(_ m: Machine, _ a: Arguments) throws(Fault) -> Int? {
    let text = m.heap.bytes(a[0])
    let part = m.heap.bytes(a[1])
    try stepBytes(m, part.count)
    return part.isEmpty ? 0 : try first(m, StringSearch(part), in: text)
  }

  private static func stringContains(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(bool: try place(m, a) != nil)
  }

  private static func stringIndexOf(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    guard let place = try place(m, a) else { return .none }
    if m.heap.isASCII(a[0]) { return try m.heap.some(Word(int: place), a.call.result) }
    var count = 0
    let text = m.heap.bytes(a[0])
    for _ in String(decoding: text.prefix(place), as: UTF8.self) {
      try m.step()
      count += 1
    }
    // A line feed is in the Character that its carriage return begins.
    if place > 0, text[place] == 0x0A, text[place - 1] == 0x0D { count -= 1 }
    return try m.heap.some(Word(int: count), a.call.result)
  }

  private static func stringStartsWith(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let (text, part) = (m.heap.bytes(a[0]), m.heap.bytes(a[1]))
    guard try isSame(m, Bytes(rebasing: text.prefix(part.count)), part) else { return Word(bool: false) }
    var cursor = CharacterCursor(text)
    return Word(bool: try cursor.parts(at: part.count, m))
  }

  private static func stringEndsWith(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    let part = m.heap.bytes(a[1])
    guard try isSame(m, Bytes(rebasing: text.suffix(part.count)), part) else { return Word(bool: false) }
    var cursor = CharacterCursor(text)
    return Word(bool: try cursor.parts(at: text.count - part.count, m))
  }

  private static func isSame(_ m: Machine, _ a: Bytes, _ b: Bytes) throws(Fault) -> Bool {
    if a.count != b.count { return false }
    var isSame = true
    try m.inStretches(a.count, perStep: 64) { (stretch) throws(Fault) in
      isSame = isSame && a[stretch].elementsEqual(b[stretch])
    }
    return isSame
  }

  // MARK: Conversions

  private static func stringToInt(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try stepBytes(m, m.heap.byteCount(a[0]))
    guard let value = NumberText.int(m.heap.bytes(a[0])) else { return .none }
    return try m.heap.some(Word(int: value), a.call.result)
  }

  private static func stringToFloat(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    try stepBytes(m, text.count)
    guard let value = NumberText.float(text) else { return .none }
    return try m.heap.some(Word(float: value), a.call.result)
  }

  private static func stringCode(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let first = String(decoding: m.heap.bytes(a[0]).prefix(4), as: UTF8.self).unicodeScalars.first
    guard let first else { return .none }
    return try m.heap.some(Word(int: Int(first.value)), a.call.result)
  }

  private static func stringFromCode(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    guard let code = UInt32(exactly: a[0].int), let scalar = Unicode.Scalar(code) else { return .none }
    return try m.heap.some(try m.heap.string(String(Character(scalar))), a.call.result)
  }

  private static func all(_ test: @escaping @Sendable (Unicode.Scalar) -> Bool) -> Routine {
    { (m, a) throws(Fault) -> Word in
      for scalar in m.heap.swiftString(a[0]).unicodeScalars {
        try m.step()
        if !test(scalar) { return Word(bool: false) }
      }
      return Word(bool: m.heap.byteCount(a[0]) > 0)
    }
  }
}
