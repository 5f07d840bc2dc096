// Floats as decimal text with a given number of digits, exactly: a Float m·2^e has a finite decimal expansion, which is
// found in full and then rounded once, halves away from zero. Nothing depends on a locale.

/// The decimal digits of a Float, all of them.
struct DecimalDigits {
  /// 0…9, the highest first.
  private(set) var digits: [UInt8]
  /// How many of them stand after the point.
  private(set) var fraction: Int
  let isNegative: Bool

  /// Cost: about the square of the size of the exponent, in limbs.
  init(_ value: Double) {
    isNegative = value.sign == .minus
    let bits = value.magnitude.bitPattern
    let biased = Int(bits >> 52)
    let stored = bits & 0x000F_FFFF_FFFF_FFFF
    var mantissa = biased == 0 ? stored : stored | 0x0010_0000_0000_0000
    var exponent = max(biased, 1) - 1075
    while exponent < 0, mantissa & 1 == 0, mantissa != 0 {
      mantissa >>= 1
      exponent += 1
    }
    if mantissa == 0 { exponent = 0 }
    var number = BigNatural(mantissa)
    // m·2^-k is m·5^k with k digits after the point.
    number.multiply(by: exponent < 0 ? 5 : 2, times: exponent.magnitude)
    digits = number.decimal()
    fraction = exponent < 0 ? -exponent : 0
    padInteger()
  }

  /// At least one digit before the point.
  private mutating func padInteger() {
    if digits.count <= fraction {
      digits.insert(contentsOf: repeatElement(0, count: fraction + 1 - digits.count), at: 0)
    }
  }

  /// Times 10^places.
  mutating func shift(_ places: Int) {
    fraction -= places
    if fraction < 0 {
      digits += repeatElement(0, count: -fraction)
      fraction = 0
    }
  }

  /// Rounds to, or fills up to, a number of digits after the point; a negative number rounds before it.
  mutating func round(to wanted: Int) {
    if wanted >= fraction {
      digits += repeatElement(0, count: wanted - fraction)
      fraction = wanted
      return
    }
    let drop = fraction - wanted
    if drop > digits.count {
      digits = [0]
    } else {
      let roundsUp = digits[digits.count - drop] >= 5
      digits.removeLast(drop)
      if roundsUp { increment() }
    }
    fraction = wanted
    if wanted >= 0 { padInteger() }
  }

  private mutating func increment() {
    var index = digits.count - 1
    while index >= 0, digits[index] == 9 {
      digits[index] = 0
      index -= 1
    }
    if index < 0 { digits.insert(1, at: 0) } else { digits[index] += 1 }
  }

  /// The place of the first digit that is not zero: 0 for units, 1 for tens, -1 for tenths; nil for zero.
  var magnitude: Int? {
    guard let first = digits.firstIndex(where: { $0 != 0 }) else { return nil }
    return digits.count - 1 - fraction - first
  }

  /// In plain notation; `fraction` must not be negative. A result of zero has no sign.
  func write(to out: inout StringBuilder) {
    if isNegative, digits.contains(where: { $0 != 0 }) { out.append(byte: 0x2D) }
    let point = digits.count - fraction
    var start = 0
    while start < point - 1, digits[start] == 0 { start += 1 }
    for index in start..<digits.count {
      if index == point { out.append(byte: 0x2E) }
      out.append(byte: 0x30 + digits[index])
    }
  }
}

/// A natural number of any size, as far as this file needs one.
private struct BigNatural {
  /// The lowest first.
  private var limbs: [UInt32]

  init(_ value: UInt64) {
    limbs = [UInt32(truncatingIfNeeded: value), UInt32(truncatingIfNeeded: value >> 32)]
  }

  mutating func multiply(by factor: UInt32, times: UInt) {
    // As many factors at once as fit in a limb.
    var rest = times
    while rest > 0 {
      var product: UInt32 = 1
      while rest > 0, product <= UInt32.max / factor {
        product *= factor
        rest -= 1
      }
      multiply(by: product)
    }
  }

  private mutating func multiply(by factor: UInt32) {
    var carry: UInt64 = 0
    for index in limbs.indices {
      let value = UInt64(limbs[index]) * UInt64(factor) + carry
      limbs[index] = UInt32(truncatingIfNeeded: value)
      carry = value >> 32
    }
    if carry > 0 { limbs.append(UInt32(carry)) }
  }

  /// The digits, the highest first; none for zero.
  consuming func decimal() -> [UInt8] {
    var digits: [UInt8] = []
    while true {
      while limbs.last == 0 { limbs.removeLast() }
      if limbs.isEmpty { break }
      var rest: UInt64 = 0
      for index in limbs.indices.reversed() {
        let value = rest << 32 | UInt64(limbs[index])
        limbs[index] = UInt32(value / 1_000_000_000)
        rest = value % 1_000_000_000
      }
      for _ in 0..<9 {
        digits.append(UInt8(rest % 10))
        rest /= 10
      }
    }
    while digits.last == 0 { digits.removeLast() }
    return digits.reversed()
  }
}
