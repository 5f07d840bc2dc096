// A place in JSON text, and the lexical part of reading it: white space, strings, numbers, skipping. RFC 8259 to the
// letter; text must be well-formed UTF-8, escapes must make Unicode scalars.

/// Reading stops; the cursor's problem, or the reader's fault, says why.
struct JSONStop: Error {}

/// What is wrong, where: the place is the cursor's when it stopped.
enum JSONFlaw {
  case expected(String)
  /// A field, of the object whose end is here, and keys of it that are no fields.
  case missing(String, others: [String])
  /// The whole message.
  case message(String)
}

struct JSONCursor {
  let start: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  var at: UnsafePointer<UInt8>
  var flaw: JSONFlaw?
  /// Whether the last string has an escape that only `unescape` can judge: `\u`, or one that there is not.
  var hasOddEscape = false

  init(_ start: UnsafePointer<UInt8>, _ count: Int) {
    self.start = start
    end = start + count
    at = start
  }

  static let deepest = 512

  @inline(__always)
  var isAtEnd: Bool { at >= end }

  @inline(__always)
  mutating func skipSpace() {
    while at < end, at.pointee <= 0x20 {
      switch at.pointee {
      case 0x20, 0x0A, 0x0D, 0x09: at += 1
      default: return
      }
    }
  }

  /// The next byte that is not white space, 0 at the end.
  @inline(__always)
  mutating func peek() -> UInt8 {
    skipSpace()
    return at < end ? at.pointee : 0
  }

  @inline(never)
  mutating func stop(_ flaw: JSONFlaw, at place: UnsafePointer<UInt8>? = nil) -> JSONStop {
    if let place { at = place }
    self.flaw = flaw
    return JSONStop()
  }

  /// Passes one byte after white space.
  @inline(__always)
  mutating func pass(_ byte: UInt8) throws(JSONStop) {
    if peek() != byte || at >= end {
      throw stop(.expected("'\(Character(Unicode.Scalar(byte)))'"))
    }
    at += 1
  }

  /// Whether `byte` is next; passes it.
  @inline(__always)
  mutating func passes(_ byte: UInt8) -> Bool {
    if peek() != byte || at >= end { return false }
    at += 1
    return true
  }

  /// Passes a word of letters, if it is next.
  @inline(__always)
  mutating func passes(_ word: StaticString) -> Bool {
    skipSpace()
    let count = word.utf8CodeUnitCount
    if end - at < count { return false }
    for index in 0..<count where at[index] != word.utf8Start[index] { return false }
    at += count
    return true
  }

  // MARK: Strings

  /// Passes a string; gives the bytes between its quotes and whether escapes are among them.
  @inline(__always)
  mutating func string() throws(JSONStop) -> (text: Bytes, isEscaped: Bool) {
    if peek() != 0x22 { throw stop(.expected("a string")) }
    let open = at
    var place = at + 1
    var foreign: UInt64 = 0
    var isEscaped = false
    hasOddEscape = false
    while true {
      // Eight bytes at a time to the next quote, backslash or control character.
      while end - place >= 8 {
        let word = UnsafeRawPointer(place).loadUnaligned(as: UInt64.self)
        let marks = JSONCursor.marks(word)
        if marks != 0 {
          let count = marks.trailingZeroBitCount >> 3
          foreign |= word & (0x0080_8080_8080_8080 >> UInt64((7 - count) * 8))
          place += count
          break
        }
        foreign |= word & 0x8080_8080_8080_8080
        place += 8
      }
      if place >= end { throw stop(.message("this string has no end"), at: open) }
      let byte = place.pointee
      if byte == 0x22 { break }
      if byte < 0x20 { throw stop(.message("a control character in a string must be escaped"), at: place) }
      if byte == 0x5C {
        isEscaped = true
        place += 1
        if place < end, !JSONCursor.isSimpleEscape(place.pointee) { hasOddEscape = true }
      } else {
        foreign |= UInt64(byte) & 0x80
      }
      place += 1
    }
    let text = Bytes(start: open + 1, count: place - open - 1)
    if foreign != 0, let flaw = UTF8Text.firstFlaw(text) {
      throw stop(.message("these bytes are not UTF-8"), at: open + 1 + flaw)
    }
    at = place + 1
    return (text, isEscaped)
  }

  /// Whether this stands for itself or one other character after a backslash: `"`, `/`, `\`, b, f, n, r, t.
  @inline(__always)
  private static func isSimpleEscape(_ byte: UInt8) -> Bool {
    let low: UInt64 = 1 << 0x22 | 1 << 0x2F
    let high: UInt64 = 1 << 0x1C | 1 << 0x22 | 1 << 0x26 | 1 << 0x2E | 1 << 0x32 | 1 << 0x34
    return byte < 0x80 && (byte < 0x40 ? low : high) >> UInt64(byte & 0x3F) & 1 == 1
  }

  /// A bit for each byte that is a quote, a backslash, or below 0x20; the lowest is exact.
  @inline(__always)
  private static func marks(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (0x22 &* ones)
    let slashes = word ^ (0x5C &* ones)
    return
      ((quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes | (word &- (0x20 &* ones)) & ~word)
      & 0x8080_8080_8080_8080
  }

  /// The text of a string with escapes; `text` is what `string` gave.
  @inline(never)
  mutating func unescape(_ text: Bytes, into out: inout StringBuilder) throws(JSONStop) {
    out.removeAll()
    guard let base = text.baseAddress else { return }
    var place = base
    let end = base + text.count
    while place < end {
      let run = place
      while place < end, place.pointee != 0x5C { place += 1 }
      out.append(Bytes(start: run, count: place - run))
      if place == end { return }
      place += 1
      let escape = place
      place += 1
      switch escape.pointee {
      case 0x22, 0x5C, 0x2F: out.append(byte: escape.pointee)
      case 0x6E: out.append(byte: 0x0A)
      case 0x74: out.append(byte: 0x09)
      case 0x72: out.append(byte: 0x0D)
      case 0x62: out.append(byte: 0x08)
      case 0x66: out.append(byte: 0x0C)
      case 0x75: out.append(scalar: try scalar(&place, end))
      default: throw stop(.message("this escape is unknown"), at: escape - 1)
      }
    }
  }

  /// The scalar of a `\u`, whose digits are at `place`: one unit, or two that are a surrogate pair.
  private mutating func scalar(
    _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) throws(JSONStop) -> Unicode.Scalar {
    let escape = place - 2
    let first = try unit(&place, end)
    if let scalar = Unicode.Scalar(first) { return scalar }
    if first < 0xDC00, end - place >= 6, place[0] == 0x5C, place[1] == 0x75 {
      place += 2
      let second = try unit(&place, end)
      if second >= 0xDC00, second < 0xE000,
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return scalar
      }
    }
    throw stop(.message("this escape is half of a surrogate pair"), at: escape)
  }

  private mutating func unit(
    _ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) throws(JSONStop) -> UInt32 {
    if end - place < 4 { throw stop(.message("\\u needs four hexadecimal digits"), at: place) }
    var value: UInt32 = 0
    for _ in 0..<4 {
      let byte = place.pointee
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
      case 0x41...0x46: value = value << 4 | UInt32(byte - 0x37)
      case 0x61...0x66: value = value << 4 | UInt32(byte - 0x57)
      default: throw stop(.message("\\u needs four hexadecimal digits"), at: place)
      }
      place += 1
    }
    return value
  }

  // MARK: Numbers

  @inline(__always)
  private var digit: UInt8 { at < end ? at.pointee &- 0x30 : 0xFF }

  @inline(__always)
  private var isInFraction: Bool { at < end && (at.pointee == 0x2E || at.pointee | 0x20 == 0x65) }

  /// Passes an Int.
  @inline(__always)
  mutating func int() throws(JSONStop) -> Int {
    skipSpace()
    let begin = at
    let isNegative = at < end && at.pointee == 0x2D
    if isNegative { at += 1 }
    if digit > 9 { throw stop(.expected("Int"), at: begin) }
    var value: UInt64 = 0
    let first = at
    while digit <= 9 {
      value = value &* 10 &+ UInt64(digit)
      at += 1
    }
    let count = at - first
    if isInFraction { throw stop(.expected("Int"), at: begin) }
    if count > 1, first.pointee == 0x30 { throw stop(.message("a number must not begin with 0"), at: begin) }
    if count > 18 { return try largeInt(begin) }
    return isNegative ? -Int(value) : Int(value)
  }

  /// The Int from `begin` to here, which may be too large.
  @inline(never)
  private mutating func largeInt(_ begin: UnsafePointer<UInt8>) throws(JSONStop) -> Int {
    guard let value = NumberText.int(Bytes(start: begin, count: at - begin)) else {
      throw stop(.message("this number does not fit in an Int (64 bits)"), at: begin)
    }
    return value
  }

  /// Passes a Float. Cost: without search for numbers of up to 15 digits and small exponents.
  @inline(__always)
  mutating func float() throws(JSONStop) -> Double {
    skipSpace()
    let begin = at
    let isNegative = at < end && at.pointee == 0x2D
    if isNegative { at += 1 }
    if digit > 9 { throw stop(.expected("Float"), at: begin) }
    var mantissa: UInt64 = 0
    let first = at
    while digit <= 9 {
      mantissa = mantissa &* 10 &+ UInt64(digit)
      at += 1
    }
    var digits = at - first
    if digits > 1, first.pointee == 0x30 { throw stop(.message("a number must not begin with 0"), at: begin) }
    var exponent = 0
    if isInFraction {
      if at.pointee == 0x2E {
        at += 1
        let point = at
        while digit <= 9 {
          mantissa = mantissa &* 10 &+ UInt64(digit)
          at += 1
        }
        if at == point { throw stop(.message("digits must follow the point"), at: begin) }
        digits += at - point
        exponent = point - at
      }
      if at < end, at.pointee | 0x20 == 0x65 { exponent += try exponentPart(begin) }
    }
    if digits <= 19, mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
      // Both numbers are exact, so their product or quotient is rounded once.
      let value = Double(mantissa)
      let size = exponent < 0 ? value / NumberText.powersOfTen[-exponent] : value * NumberText.powersOfTen[exponent]
      return isNegative ? -size : size
    }
    guard let value = NumberText.rounded(Bytes(start: begin, count: at - begin)) else {
      throw stop(.message("this number is too large for a Float"), at: begin)
    }
    return value
  }

  @inline(never)
  private mutating func exponentPart(_ begin: UnsafePointer<UInt8>) throws(JSONStop) -> Int {
    at += 1
    let isNegative = at < end && at.pointee == 0x2D
    if isNegative || at < end && at.pointee == 0x2B { at += 1 }
    if digit > 9 { throw stop(.message("digits must follow the exponent's e"), at: begin) }
    var value = 0
    while digit <= 9 {
      if value < 100_000 { value = value * 10 + Int(digit) }
      at += 1
    }
    return isNegative ? -value : value
  }

  // MARK: Skipping

  /// Passes any value, with the same care as one that is wanted.
  mutating func skipValue(_ depth: Int, _ scratch: inout StringBuilder) throws(JSONStop) {
    if depth > JSONCursor.deepest { throw stop(.message("this is nested more than \(JSONCursor.deepest) deep")) }
    switch peek() {
    case 0x22:
      let (text, isEscaped) = try string()
      if isEscaped, hasOddEscape { try unescape(text, into: &scratch) }
    case 0x7B: try skipObject(depth, &scratch)
    case 0x5B:
      at += 1
      if passes(0x5D) { return }
      repeat { try skipValue(depth + 1, &scratch) } while passes(0x2C)
      try pass(0x5D)
    case 0x2D, 0x30...0x39: _ = try float()
    default:
      if !(passes("null") || passes("true") || passes("false")) { throw stop(.expected("a value")) }
    }
  }

  private mutating func skipObject(_ depth: Int, _ scratch: inout StringBuilder) throws(JSONStop) {
    at += 1
    if passes(0x7D) { return }
    repeat {
      let (key, isEscaped) = try string()
      if isEscaped { try unescape(key, into: &scratch) }
      try pass(0x3A)
      try skipValue(depth + 1, &scratch)
    } while passes(0x2C)
    try pass(0x7D)
  }
}

extension StringBuilder {
  /// One scalar in UTF-8.
  mutating func append(scalar: Unicode.Scalar) {
    for byte in UTF8.encode(scalar).unsafelyUnwrapped { append(byte: byte) }
  }
}
