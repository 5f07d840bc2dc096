// UTF-8 from outside: is it well-formed, as Unicode's table 3-7 has it (no surrogates, nothing overlong, at most U+10FFFF).

public enum UTF8Text {
  /// Whether all bytes are well-formed UTF-8.
  public static func isValid(_ text: Bytes) -> Bool { firstFlaw(text) == nil }

  /// Where the first ill-formed sequence begins.
  static func firstFlaw(_ text: Bytes) -> Int? {
    guard let start = text.baseAddress.map({ UnsafeRawPointer($0) }) else { return nil }
    var index = 0
    while index < text.count {
      if text.count - index >= 8,
        start.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        index += 8
        continue
      }
      let lead = text[index]
      if lead < 0x80 {
        index += 1
        continue
      }
      let length = sequenceLength(lead)
      if length == 0 || index + length > text.count { return index }
      let second = text[index + 1]
      if second < lowestSecond(lead) || second > highestSecond(lead) { return index }
      for offset in 2..<max(2, length) where text[index + offset] & 0xC0 != 0x80 { return index }
      index += length
    }
    return nil
  }

  /// The bytes of the white space that begins at a place of well-formed UTF-8; nil where there is something else.
  static func space(_ text: Bytes, at place: Int) -> Int? {
    let lead = text[place]
    if lead < 0x80 { return Unicode.Scalar(lead).properties.isWhitespace ? 1 : nil }
    let length = sequenceLength(lead)
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    for offset in 1..<length { value = value << 6 | UInt32(text[place + offset] & 0x3F) }
    return Unicode.Scalar(value)?.properties.isWhitespace == true ? length : nil
  }

  /// The same of what ends before a place.
  static func space(_ text: Bytes, endingAt end: Int) -> Int? {
    var place = end - 1
    while place > 0, text[place] & 0xC0 == 0x80 { place -= 1 }
    return space(text, at: place)
  }

  private static func sequenceLength(_ lead: UInt8) -> Int {
    switch lead {
    case 0xC2...0xDF: return 2
    case 0xE0...0xEF: return 3
    case 0xF0...0xF4: return 4
    default: return 0
    }
  }

  private static func lowestSecond(_ lead: UInt8) -> UInt8 {
    switch lead {
    case 0xE0: return 0xA0
    case 0xF0: return 0x90
    default: return 0x80
    }
  }

  private static func highestSecond(_ lead: UInt8) -> UInt8 {
    switch lead {
    case 0xED: return 0x9F
    case 0xF4: return 0x8F
    default: return 0xBF
    }
  }
}
