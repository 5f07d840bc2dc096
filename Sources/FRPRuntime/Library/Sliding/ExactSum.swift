// Sums of Floats that do not depend on the order of adding: exact, and rounded once when they are read (decision 0022).
//
// A Float is a whole number of the least Float, 2^-1074. The sum is a number of 32-bit digits of that, each in a word of
// 64 bits with its own sign, so that two thousand million Floats can be added, or taken away again, before a carry is due
// (Neal, "Fast exact summation using small and large superaccumulators", 2015). The same digits hold sums of squares, which
// count in 2^-2148.

/// A sum of Floats, or of products of two Floats.
final class ExactSum {
  private let digits: UnsafeMutablePointer<Int64>
  /// The digits in use; all others are zero, and nothing was written there.
  private var low = ExactSum.width
  private var high = 0
  private var untilCarry = ExactSum.betweenCarries

  /// For products of the largest Floats, 2^63 of them.
  private static let width = 144
  private static let betweenCarries = 1 << 29
  static let bytes = width * MemoryLayout<Int64>.stride

  init() { digits = .allocate(capacity: Self.width) }
  deinit { digits.deallocate() }

  func removeAll() { (low, high, untilCarry) = (Self.width, 0, Self.betweenCarries) }

  /// A Float as `bits` times 2^(place - 1074).
  @inline(__always)
  private static func parts(_ value: Double) -> (bits: UInt64, place: Int) {
    let exponent = Int(value.exponentBitPattern)
    let fraction = value.significandBitPattern
    return exponent == 0 ? (fraction, 0) : (fraction | 1 << 52, exponent - 1)
  }

  @inline(__always)
  func add(_ value: Double) {
    let (bits, place) = Self.parts(value)
    add(bits, at: place, isNegative: value.sign == .minus)
  }

  /// Of words that are Floats, with nothing before.
  func sum(_ words: UnsafePointer<Word>, _ count: Int) -> Double {
    removeAll()
    for place in 0..<count { add(words[place].float) }
    return value
  }

  /// Adds the square, or takes it away.
  @inline(__always)
  func addSquare(_ value: Double, isNegative: Bool = false) {
    let (bits, place) = Self.parts(value)
    let (upper, lower) = bits.multipliedFullWidth(by: bits)
    add(lower, at: 2 * place, isNegative: isNegative)
    add(upper, at: 2 * place + 64, isNegative: isNegative)
  }

  @inline(__always)
  private func add(_ bits: UInt64, at place: Int, isNegative: Bool) {
    let digit = place >> 5
    if digit < low || digit + 3 > high { cover(digit, digit + 3) }
    let shift = UInt64(place & 31)
    let lower = bits << shift
    let sign: Int64 = isNegative ? -1 : 1
    digits[digit] &+= sign &* Int64(lower & 0xFFFF_FFFF)
    digits[digit + 1] &+= sign &* Int64(lower >> 32)
    digits[digit + 2] &+= sign &* Int64(bits >> (64 - shift))
    untilCarry &-= 1
    if untilCarry == 0 { carry() }
  }

  @inline(never)
  private func cover(_ from: Int, _ to: Int) {
    if low >= high { (low, high) = (from, from) }
    while low > from {
      low -= 1
      digits[low] = 0
    }
    while high < to {
      digits[high] = 0
      high += 1
    }
  }

  /// Makes all digits but the highest 0 to 2^32 - 1, and the highest smaller than 2^32, with the sign of the sum.
  private func carry() {
    var carry: Int64 = 0
    var index = low
    while index < high {
      let digit = digits[index] &+ carry
      let isLast = index == high - 1 && digit.magnitude < 1 << 32
      digits[index] = isLast ? digit : digit & 0xFFFF_FFFF
      carry = isLast ? 0 : digit >> 32
      index += 1
      if index == high, carry != 0 { cover(low, high + 1) }
    }
    untilCarry = Self.betweenCarries
  }

  private func negate() {
    for index in low..<max(low, high) { digits[index] = -digits[index] }
  }

  /// Calls `body` while all digits are those of the magnitude.
  private func withMagnitude<Result>(_ body: (_ isNegative: Bool) -> Result) -> Result {
    carry()
    // A sum that is below zero has a highest digit below zero, or zeros there and one below.
    let isNegative = (low..<max(low, high)).reversed().first { digits[$0] != 0 }.map { digits[$0] < 0 } ?? false
    if isNegative {
      negate()
      carry()
    }
    defer { if isNegative { negate() } }
    return body(isNegative)
  }

  /// The sum, to the nearest Float and of two the even one; infinite where it is beyond all Floats.
  var value: Double {
    withMagnitude { isNegative in
      let (significand, exponent) = rounded
      return Double(sign: isNegative ? .minus : .plus, exponent: exponent - 1074, significand: Double(significand))
    }
  }

  /// The digits of the magnitude, rounded to 53 bits: `significand` times 2^`exponent`.
  private var rounded: (significand: UInt64, exponent: Int) {
    guard let top = (low..<max(low, high)).reversed().first(where: { digits[$0] != 0 }) else { return (0, 0) }
    var bits: UInt128 = 0
    for index in [top, top - 1, top - 2] { bits = bits << 32 | UInt128(index < low ? 0 : UInt64(digits[index])) }
    let exponent = 32 * (top - 2) + (128 - bits.leadingZeroBitCount) - 53
    if exponent <= 0 { return (UInt64(bits >> (32 * (2 - top))), 0) }
    let dropped = (128 - bits.leadingZeroBitCount) - 53
    let significand = UInt64(bits >> dropped)
    let rest = bits & (1 << dropped - 1)
    let half: UInt128 = 1 << (dropped - 1)
    let isBeyond = rest > half || rest == half && (low..<max(low, top - 2)).contains { digits[$0] != 0 }
    return (significand + (isBeyond || rest == half && significand & 1 == 1 ? 1 : 0), exponent)
  }

  /// The variance of a sample of `count` numbers with this sum, and with the sum of squares: n·Σx² - (Σx)², which is exact,
  /// rounded, by n·(n - 1). `room` is overwritten.
  func variance(squares: ExactSum, count: Int, room: ExactSum) -> Double {
    room.removeAll()
    squares.carry()
    for index in squares.low..<max(squares.low, squares.high) {
      // Of squares the sum is not below zero.
      room.add(UInt64(squares.digits[index]) &* UInt64(count), at: 32 * index, isNegative: false)
    }
    withMagnitude { _ in
      for i in low..<max(low, high) where digits[i] != 0 {
        for j in low..<high { room.add(UInt64(digits[i]) &* UInt64(digits[j]), at: 32 * (i + j), isNegative: true) }
      }
    }
    return room.withMagnitude { _ in
      let (significand, exponent) = room.rounded
      let share = Double(significand) / (Double(count) * Double(count - 1))
      return Double(sign: .plus, exponent: exponent - 2148, significand: share)
    }
  }
}
