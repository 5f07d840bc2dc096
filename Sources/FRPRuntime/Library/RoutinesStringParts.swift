// Routines of strings that give parts of them.

import FRPCore
import FRPGraph

extension RoutineTable {
  static let stringParts: [(Prim, Routine)] = [
    (.stringTake, stringTake), (.stringDrop, stringDrop), (.stringTakeLast, stringTakeLast),
    (.stringDropLast, stringDropLast), (.stringSlice, stringSlice), (.stringGet, stringGet),
    (.stringSplit, stringSplit), (.stringLines, stringLines), (.stringWords, stringWords),
    (.stringCharacters, stringCharacters),
  ]

  /// The bytes in a range of offsets as a string; the same word for the whole.
  private static func part(_ m: Machine, _ text: Word, from: Int, to: Int) throws(Fault) -> Word {
    let bytes = m.heap.bytes(text)
    if from == 0, to == bytes.count { return text }
    if from >= to { return m.heap.emptyString }
    try stepBytes(m, to - from)
    return try m.heap.string(Bytes(rebasing: bytes[from..<to]))
  }

  private static func stringTake(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try part(m, a[0], from: 0, to: try offset(m, ofCharacter: a[1].int, in: a[0]))
  }

  private static func stringDrop(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try part(m, a[0], from: try offset(m, ofCharacter: a[1].int, in: a[0]), to: m.heap.byteCount(a[0]))
  }

  /// Where the last `a[1]` Characters begin.
  private static func lastOffset(_ m: Machine, _ a: Arguments) throws(Fault) -> Int {
    let count = try characterCount(m, a[0])
    let amount = min(max(0, a[1].int), count)
    return try offset(m, ofCharacter: count - amount, in: a[0])
  }

  private static func stringTakeLast(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try part(m, a[0], from: try lastOffset(m, a), to: m.heap.byteCount(a[0]))
  }

  private static func stringDropLast(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try part(m, a[0], from: 0, to: try lastOffset(m, a))
  }

  private static func stringSlice(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let from = try offset(m, ofCharacter: a[1].int, in: a[0])
    return try part(m, a[0], from: from, to: max(from, try offset(m, ofCharacter: a[2].int, in: a[0])))
  }

  private static func stringGet(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let index = a[1].int
    let count = try characterCount(m, a[0])
    if index < 0 || index >= count { return .none }
    let from = try offset(m, ofCharacter: index, in: a[0])
    let to = try offset(m, ofCharacter: index + 1, in: a[0])
    return try m.heap.some(try part(m, a[0], from: from, to: to), a.call.result)
  }

  // MARK: Splitting

  private static func stringSplit(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    let separator = m.heap.bytes(a[1])
    if separator.isEmpty { return try stringCharacters(m, a) }
    try stepBytes(m, separator.count)
    let search = StringSearch(separator)
    var result = try builder(m, a.call.result)
    var start = 0
    while let found = try first(m, search, in: text, from: start) {
      try m.step()
      try result.append(try part(m, a[0], from: start, to: found))
      start = found + separator.count
    }
    try result.append(try part(m, a[0], from: start, to: text.count))
    return try result.finish()
  }

  private static func stringLines(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    var result = try builder(m, a.call.result)
    var start = 0
    var index = 0
    var looked = 0
    while index < text.count {
      if index >= looked {
        try m.pause(Machine.stretch / 64)
        looked = index + Machine.stretch
      }
      let byte = text[index]
      if byte == 0x0A || byte == 0x0D {
        try m.step()
        try result.append(try part(m, a[0], from: start, to: index))
        if byte == 0x0D, index + 1 < text.count, text[index + 1] == 0x0A { index += 1 }
        start = index + 1
      }
      index += 1
    }
    if start < text.count { try result.append(try part(m, a[0], from: start, to: text.count)) }
    return try result.finish()
  }

  private static func stringWords(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    var result = try builder(m, a.call.result)
    var start: Int?
    var index = 0
    for scalar in m.heap.swiftString(a[0]).unicodeScalars {
      try m.step()
      if scalar.properties.isWhitespace {
        if let from = start { try result.append(try part(m, a[0], from: from, to: index)) }
        start = nil
      } else if start == nil {
        start = index
      }
      index += UTF8.width(scalar)
    }
    if let from = start { try result.append(try part(m, a[0], from: from, to: index)) }
    return try result.finish()
  }

  private static func stringCharacters(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let count = try characterCount(m, a[0])
    var result = try builder(m, a.call.result, capacity: count)
    if m.heap.isASCII(a[0]) {
      for index in 0..<count { try result.append(try part(m, a[0], from: index, to: index + 1)) }
      return try result.finish()
    }
    for character in m.heap.swiftString(a[0]) {
      try m.step()
      try result.append(try m.heap.string(String(character)))
    }
    return try result.finish()
  }
}
