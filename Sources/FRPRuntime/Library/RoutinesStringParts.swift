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

  /// The bytes in a range of offsets as a string; the same word for the whole. `characters` says how many Characters it has, where
  /// that is known.
  static func part(
    _ m: Machine, _ text: Word, from: Int, to: Int, characters: Int? = nil
  ) throws(Fault) -> Word {
    try m.heap.part(text, from..<max(from, to), characters: characters) { (bytes) throws(Fault) in
      try stepBytes(m, bytes)
    }
  }

  /// The part between two places of Characters.
  private static func part(_ m: Machine, _ text: Word, _ from: TextPlace, _ to: TextPlace) throws(Fault) -> Word {
    let count = to.character - from.character
    return try part(m, text, from: from.byte, to: to.byte, characters: max(0, count))
  }

  private static func stringTake(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try part(m, a[0], TextPlace(), try place(m, ofCharacter: a[1].int, in: a[0]))
  }

  private static func stringDrop(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let from = try place(m, ofCharacter: a[1].int, in: a[0])
    let characters = m.heap.knownCount(a[0]).map { $0 - from.character }
    return try part(m, a[0], from: from.byte, to: m.heap.byteCount(a[0]), characters: characters)
  }

  /// Where the last `a[1]` Characters begin, and where the text ends.
  private static func lastPlace(_ m: Machine, _ a: Arguments) throws(Fault) -> (TextPlace, end: TextPlace) {
    let count = try characterCount(m, a[0])
    let amount = min(max(0, a[1].int), count)
    let end = TextPlace(byte: m.heap.byteCount(a[0]), character: count)
    if !m.heap.isASCII(a[0]), amount < min(TextPlaces.distance, count - amount),
      let place = try CharacterCursor(m.heap.bytes(a[0])).back(amount, from: end, m)
    {
      return (place, end)
    }
    return (try place(m, ofCharacter: count - amount, in: a[0]), end)
  }

  private static func stringTakeLast(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let (from, end) = try lastPlace(m, a)
    return try part(m, a[0], from, end)
  }

  private static func stringDropLast(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try part(m, a[0], TextPlace(), try lastPlace(m, a).0)
  }

  private static func stringSlice(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let from = try place(m, ofCharacter: a[1].int, in: a[0])
    let count = a[2].int.subtractingReportingOverflow(from.character).partialValue
    return try part(m, a[0], from, try place(m, count, after: from, in: a[0]))
  }

  private static func stringGet(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let index = a[1].int
    if index < 0 { return .none }
    let from = try place(m, ofCharacter: index, in: a[0])
    if from.byte == m.heap.byteCount(a[0]) { return .none }
    return try m.heap.some(try part(m, a[0], from, try place(m, 1, after: from, in: a[0])), a.call.result)
  }

  /// So many Characters behind a place, or the end of the text.
  private static func place(
    _ m: Machine, _ count: Int, after from: TextPlace, in text: Word
  ) throws(Fault) -> TextPlace {
    if count <= 0 { return from }
    if m.heap.isASCII(text) || count >= TextPlaces.distance {
      return try place(m, ofCharacter: from.character + min(count, Int.max - from.character), in: text)
    }
    return try CharacterCursor(m.heap.bytes(text)).skip(count, from: from, m)
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
