// Numbers as text and back, by bytes. Floats are written in the shortest form that reads back as the same number, and
// always with a fraction or an exponent.

extension StringBuilder {
  /// An Int in decimal.
  mutating func append(int value: Int) {
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &digits) { buffer in
      var rest = value.magnitude
      var place = buffer.count
      repeat {
        place -= 1
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        buffer[place] = UInt8(truncatingIfNeeded: digit) &+ 0x30
        rest = quotient
      } while rest != 0
      if value < 0 {
        place -= 1
        buffer[place] = 0x2D
      }
      append(Bytes(rebasing: buffer.bindMemory(to: UInt8.self)[place...]))
    }
  }

  /// A Float in the shortest form that reads back the same.
  mutating func append(float value: Double) {
    // Whole numbers of moderate size, which are frequent, need no search for the shortest form.
    if value.magnitude < 1e15, value.rounded(.towardZero) == value, value != 0 || value.sign == .plus {
      append(int: Int(value))
      append(byte: 0x2E)
      append(byte: 0x30)
      return
    }
    append(value.description)
  }
}

/// Parses numbers of text.
enum NumberText {
  /// The Int that is written there, all of it: digits with an optional sign.
  static func int(_ text: Bytes) -> Int? {
    guard let first = text.first else { return nil }
    let isNegative = first == 0x2D
    let digits = text.dropFirst(isNegative || first == 0x2B ? 1 : 0)
    if digits.isEmpty { return nil }
    var value = 0
    for byte in digits {
      let digit = Int(byte) - 0x30
      guard digit >= 0, digit <= 9 else { return nil }
      let (shifted, isOver) = value.multipliedReportingOverflow(by: 10)
      // Downwards, because the lowest Int has no positive counterpart.
      let (next, isBelow) = shifted.subtractingReportingOverflow(digit)
      if isOver || isBelow { return nil }
      value = next
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// The finite Float that is written there, all of it: digits with an optional sign, fraction and exponent.
  static func float(_ text: Bytes) -> Double? {
    var place = 0
    var mantissa: UInt64 = 0
    func digits() -> Int {
      let start = place
      while place < text.count, text[place] >= 0x30, text[place] <= 0x39 {
        mantissa = mantissa &* 10 &+ UInt64(text[place] &- 0x30)
        place += 1
      }
      return place - start
    }
    if place < text.count, text[place] == 0x2D || text[place] == 0x2B { place += 1 }
    var count = digits()
    var fraction = 0
    if place < text.count, text[place] == 0x2E {
      place += 1
      fraction = digits()
      count += fraction
    }
    if count == 0 { return nil }
    if place == text.count, count <= 19, mantissa <= 1 << 53, fraction < powersOfTen.count {
      // Both numbers are exact, so their quotient is rounded once.
      let value = Double(mantissa) / powersOfTen[fraction]
      return text[0] == 0x2D ? -value : value
    }
    if place < text.count, text[place] | 0x20 == 0x65 {
      place += 1
      if place < text.count, text[place] == 0x2D || text[place] == 0x2B { place += 1 }
      if digits() == 0 { return nil }
    }
    return place == text.count ? rounded(text) : nil
  }

  /// The Float nearest to a number whose form is known to be right, or nil if it is too large.
  @inline(never)
  static func rounded(_ text: Bytes) -> Double? {
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }

  /// 10ⁿ, exactly, for n up to 22.
  static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]
}
