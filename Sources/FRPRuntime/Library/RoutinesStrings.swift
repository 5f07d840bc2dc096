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

  private static func stringSize(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    Word(int: m.heap.characterCount(a[0]))
  }

  private static func stringIsEmpty(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    Word(bool: m.heap.byteCount(a[0]) == 0)
  }

  // MARK: Other forms of a text

  private static func cased(_ isUpper: Bool) -> Routine {
    { (m, a, _) throws(Fault) -> Word in
      let text = m.heap.bytes(a[0])
      try stepBytes(m, text.count)
      if !m.heap.isASCII(a[0]) {
        let string = m.heap.swiftString(a[0])
        return try m.heap.string(isUpper ? string.uppercased() : string.lowercased())
      }
      let first: UInt8 = isUpper ? 0x61 : 0x41
      if !text.contains(where: { $0 &- first < 26 }) { return a[0] }
      var out = StringBuilder()
      for byte in text { out.append(byte: byte &- first < 26 ? byte ^ 0x20 : byte) }
      return try out.finish(m.heap)
    }
  }

  private static func trimmed(_ atStart: Bool, _ atEnd: Bool) -> Routine {
    { (m, a, _) throws(Fault) -> Word in
      let text = m.heap.bytes(a[0])
      let scalars = m.heap.swiftString(a[0]).unicodeScalars
      try stepBytes(m, text.count)
      var start = 0
      var end = text.count
      if atStart {
        for scalar in scalars {
          if !scalar.properties.isWhitespace { break }
          start += UTF8.width(scalar)
        }
      }
      if atEnd, start < end {
        for scalar in scalars.reversed() {
          if !scalar.properties.isWhitespace { break }
          end -= UTF8.width(scalar)
        }
      }
      return start == 0 && end == text.count ? a[0] : try m.heap.string(Bytes(rebasing: text[start..<end]))
    }
  }

  private static func stringReverse(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    try stepBytes(m, text.count)
    if !m.heap.isASCII(a[0]) { return try m.heap.string(String(m.heap.swiftString(a[0]).reversed())) }
    var out = StringBuilder()
    for byte in text.reversed() { out.append(byte: byte) }
    return try out.finish(m.heap)
  }

  private static func stringRepeat(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    let count = max(0, a[1].int)
    let (total, isOver) = text.count.multipliedReportingOverflow(by: count)
    if isOver || total > m.heap.textLimit { throw Fault.memory }
    if total == 0 { return m.heap.emptyString }
    try stepBytes(m, total)
    var out = StringBuilder()
    for _ in 0..<count { out.append(text) }
    return try out.finish(m.heap)
  }

  private static func stringReplace(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    let part = m.heap.bytes(a[1])
    let by = m.heap.bytes(a[2])
    try stepBytes(m, text.count)
    let search = StringSearch(part)
    guard var found = search.first(in: text) else { return a[0] }
    var out = StringBuilder()
    var start = 0
    while true {
      out.append(Bytes(rebasing: text[start..<found]))
      out.append(by)
      if out.count > m.heap.textLimit { throw Fault.memory }
      start = found + part.count
      guard let next = search.first(in: text, from: start) else { break }
      found = next
    }
    out.append(Bytes(rebasing: text[start...]))
    try stepBytes(m, out.count)
    return try out.finish(m.heap)
  }

  private static func padded(_ atStart: Bool) -> Routine {
    { (m, a, _) throws(Fault) -> Word in
      let missing = a[1].int.subtractingReportingOverflow(m.heap.characterCount(a[0])).partialValue
      let fillCount = m.heap.characterCount(a[2])
      if a[1].int <= 0 || missing <= 0 || fillCount == 0 { return a[0] }
      if missing > m.heap.textLimit { throw Fault.memory }
      try stepBytes(m, missing)
      let fill = m.heap.bytes(a[2])
      var out = StringBuilder()
      if !atStart { out.append(m.heap.bytes(a[0])) }
      for _ in 0..<(missing / fillCount) {
        out.append(fill)
        if out.count > m.heap.textLimit { throw Fault.memory }
      }
      out.append(Bytes(rebasing: fill[..<m.heap.offset(ofCharacter: missing % fillCount, in: a[2])]))
      if atStart { out.append(m.heap.bytes(a[0])) }
      return try out.finish(m.heap)
    }
  }

  // MARK: Searching

  private static func place(_ m: Machine, _ a: Arguments) throws(Fault) -> Int? {
    let text = m.heap.bytes(a[0])
    let part = m.heap.bytes(a[1])
    try stepBytes(m, text.count + part.count)
    return part.isEmpty ? 0 : StringSearch(part).first(in: text)
  }

  private static func stringContains(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    Word(bool: try place(m, a) != nil)
  }

  private static func stringIndexOf(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    guard let place = try place(m, a) else { return .none }
    return try m.heap.some(Word(int: m.heap.character(atOffset: place, in: a[0])), call.result)
  }

  private static func stringStartsWith(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    Word(bool: m.heap.bytes(a[0]).starts(with: m.heap.bytes(a[1])))
  }

  private static func stringEndsWith(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    let part = m.heap.bytes(a[1])
    return Word(bool: text.count >= part.count && text.suffix(part.count).elementsEqual(part))
  }

  // MARK: Conversions

  private static func stringToInt(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    guard let value = NumberText.int(m.heap.bytes(a[0])) else { return .none }
    return try m.heap.some(Word(int: value), call.result)
  }

  private static func stringToFloat(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    try stepBytes(m, text.count)
    guard let value = NumberText.float(text) else { return .none }
    return try m.heap.some(Word(float: value), call.result)
  }

  private static func stringCode(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    let first = String(decoding: m.heap.bytes(a[0]).prefix(4), as: UTF8.self).unicodeScalars.first
    guard let first else { return .none }
    return try m.heap.some(Word(int: Int(first.value)), call.result)
  }

  private static func stringFromCode(_ m: Machine, _ a: Arguments, _ call: PrimCall) throws(Fault) -> Word {
    guard let code = UInt32(exactly: a[0].int), let scalar = Unicode.Scalar(code) else { return .none }
    return try m.heap.some(try m.heap.string(String(Character(scalar))), call.result)
  }

  private static func all(_ test: @escaping @Sendable (Unicode.Scalar) -> Bool) -> Routine {
    { (m, a, _) throws(Fault) -> Word in
      try stepBytes(m, m.heap.byteCount(a[0]))
      return Word(bool: m.heap.byteCount(a[0]) > 0 && m.heap.swiftString(a[0]).unicodeScalars.allSatisfy(test))
    }
  }
}

extension Heap {
  /// Where Character `index` begins, in bytes; the end if there are not so many. Cost: O(1) for ASCII, else O(n).
  func offset(ofCharacter index: Int, in string: Word) -> Int {
    if index <= 0 { return 0 }
    if isASCII(string) { return min(index, byteCount(string)) }
    let text = swiftString(string)
    let place = text.index(text.startIndex, offsetBy: index, limitedBy: text.endIndex) ?? text.endIndex
    return text.utf8.distance(from: text.startIndex, to: place)
  }

  /// How many Characters begin before a place in bytes. Cost: O(1) for ASCII, else O(n).
  func character(atOffset offset: Int, in string: Word) -> Int {
    if isASCII(string) { return offset }
    return String(decoding: bytes(string).prefix(offset), as: UTF8.self).count
  }
}
