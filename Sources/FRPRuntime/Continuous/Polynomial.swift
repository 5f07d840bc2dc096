// Polynomials in the seconds since a moment: what integrals of constants, of `time`, and of such integrals are. They
// need no steps at all, and their crossings are roots that can be isolated.
//
// In: coefficients. Out: values, integrals, the first moment of a change of sign.
// Rules: arithmetic gives nil where the degree would exceed `most`; nothing allocates.

/// c0 + c1·s + c2·s² + …
struct Polynomial: Equatable {
  private(set) var coefficients: SIMD16<Double>
  /// The highest power with a coefficient other than 0; 0 for constants.
  private(set) var degree: Int

  /// Beyond this the rounding of high powers is worse than the stepper.
  static let most = 12

  init(_ constant: Double) {
    coefficients = .zero
    coefficients[0] = constant
    degree = 0
  }

  init(_ list: [Double]) {
    coefficients = .zero
    for (power, value) in list.prefix(Polynomial.most + 1).enumerated() { coefficients[power] = value }
    degree = 0
    trim(from: Polynomial.most)
  }

  subscript(power: Int) -> Double { coefficients[power] }

  var isConstant: Bool { degree == 0 }
  var isFinite: Bool { (0...degree).allSatisfy { coefficients[$0].isFinite } }

  private mutating func trim(from power: Int) {
    degree = power
    while degree > 0, coefficients[degree] == 0 { degree -= 1 }
  }

  /// The same with a slope of zero at 0, if it is next to nothing there.
  var flatAtZero: Polynomial {
    var result = self
    if degree > 1, coefficients[1].magnitude <= 1e-9 * size(at: 1) { result.coefficients[1] = 0 }
    return result
  }

  /// The size of each coefficient.
  var sizes: SIMD16<Double> {
    var result = coefficients
    for power in 0...degree { result[power] = result[power].magnitude }
    return result
  }

  /// The same without coefficients that are rounding alone, where terms of these sizes were added up.
  func withoutRounding(of sizes: SIMD16<Double>) -> Polynomial {
    var result = self
    for power in 0...degree where coefficients[power].magnitude <= 1e-14 * min(sizes[power], .greatestFiniteMagnitude) {
      result.coefficients[power] = 0
    }
    result.trim(from: degree)
    return result
  }

  /// Whether it is next to nothing at all times, against what it was made of.
  func isNothing(_ size: Double) -> Bool {
    (0...degree).allSatisfy { coefficients[$0].magnitude <= 1e-13 * max(size, 1) }
  }

  /// The value after `s` seconds.
  func value(at s: Double) -> Double {
    var sum = coefficients[degree]
    var power = degree
    while power > 0 {
      power -= 1
      sum = sum * s + coefficients[power]
    }
    return sum
  }

  /// The sum of the sizes of all terms after `s` seconds: what rounding is relative to.
  func size(at s: Double) -> Double {
    var sum = coefficients[degree].magnitude
    var power = degree
    while power > 0 {
      power -= 1
      sum = sum * s.magnitude + coefficients[power].magnitude
    }
    return sum
  }

  var derivative: Polynomial {
    var result = Polynomial(0)
    guard degree > 0 else { return result }
    for power in 1...degree { result.coefficients[power - 1] = Double(power) * coefficients[power] }
    result.trim(from: degree - 1)
    return result
  }

  /// Its integral from 0, which begins with `start`; nil if the degree is too high.
  func integral(from start: Double) -> Polynomial? {
    guard degree < Polynomial.most else { return nil }
    var result = Polynomial(start)
    for power in 0...degree { result.coefficients[power + 1] = coefficients[power] / Double(power + 1) }
    result.trim(from: degree + 1)
    return result
  }

  static func + (a: Polynomial, b: Polynomial) -> Polynomial {
    var result = a
    result.coefficients += b.coefficients
    result.trim(from: max(a.degree, b.degree))
    return result
  }

  static func - (a: Polynomial, b: Polynomial) -> Polynomial {
    var result = a
    result.coefficients -= b.coefficients
    result.trim(from: max(a.degree, b.degree))
    return result
  }

  static prefix func - (a: Polynomial) -> Polynomial {
    var result = a
    result.coefficients = -a.coefficients
    return result
  }

  /// Nil if the degree is too high.
  func times(_ other: Polynomial) -> Polynomial? {
    guard degree + other.degree <= Polynomial.most else { return nil }
    var result = Polynomial(0)
    for i in 0...degree {
      for j in 0...other.degree { result.coefficients[i + j] += coefficients[i] * other.coefficients[j] }
    }
    result.trim(from: degree + other.degree)
    return result
  }

  /// Nil unless the divisor is a constant other than 0.
  func divided(by other: Polynomial) -> Polynomial? {
    guard other.isConstant, other[0] != 0 else { return nil }
    var result = self
    result.coefficients /= SIMD16(repeating: other[0])
    result.trim(from: degree)
    return result
  }

  /// The same polynomial, counting from `s` on.
  func shifted(by s: Double) -> Polynomial {
    var result = self
    if degree == 0 { return result }
    // Horner's scheme, again and again.
    for first in 0..<degree {
      var power = degree - 1
      while power >= first {
        result.coefficients[power] += s * result.coefficients[power + 1]
        power -= 1
      }
    }
    return result
  }

  /// The same without its constant term: it is known to be at zero now.
  var fromZero: Polynomial {
    var result = self
    result.coefficients[0] = 0
    return result
  }

  /// Its sign just after 0 seconds: that of the first coefficient that is not 0.
  var signAfterZero: Int {
    for power in 0...degree where coefficients[power] != 0 { return coefficients[power] > 0 ? 1 : -1 }
    return 0
  }

  // MARK: Changes of sign

  /// The first moment s in (0, limit] at which the sign changes from `sign`, which it has just after 0; nil if it
  /// does not. Touching zero and turning back is no change.
  func firstChange(from sign: Int, within limit: Double) -> Double? {
    var isClear = true
    return firstChange(from: sign, within: limit, isClear: &isClear)
  }

  /// The same; and whether rounding leaves no doubt on which side of zero it turns, up to the limit.
  func firstChange(from sign: Int, within limit: Double, isClear: inout Bool) -> Double? {
    guard degree > 0, sign != 0 else { return nil }
    let bound = min(limit, rootBound)
    var marks = Marks()
    changes(of: self, to: bound, into: &marks)
    var last = 0.0
    var found: Double?
    for index in 0...marks.count {
      let next = index < marks.count ? marks[index] : bound
      if next <= last { continue }
      // Between turning points: monotone.
      let side = clearSign(at: next)
      if found == nil, side == -sign { found = bisect(last, next, sign: -sign) }
      if side == 0, index < marks.count { isClear = false }
      last = next
    }
    return found
  }

  /// The sign after `s` seconds; 0 where rounding decides it.
  private func clearSign(at s: Double) -> Int {
    let value = self.value(at: s)
    if value.isInfinite { return value > 0 ? 1 : -1 }
    return value.magnitude <= 1e-14 * min(size(at: s), .greatestFiniteMagnitude) ? 0 : value > 0 ? 1 : -1
  }

  /// Beyond this moment (Cauchy's bound) nothing changes sign; a little more, so that the sign there is clear.
  private var rootBound: Double {
    var largest = 0.0
    for power in 0..<degree { largest = max(largest, (coefficients[power] / coefficients[degree]).magnitude) }
    let bound = 2 * (1 + largest)
    return bound.isFinite ? bound : .greatestFiniteMagnitude.squareRoot()
  }

  /// Where its derivative changes sign in (0, bound), in order.
  private func changes(of polynomial: Polynomial, to bound: Double, into marks: inout Marks) {
    let slope = polynomial.derivative
    guard slope.degree > 0 else { return }
    var inner = Marks()
    changes(of: slope, to: bound, into: &inner)
    var last = 0.0
    var sign = slope.signAfterZero
    for index in 0...inner.count {
      let next = index < inner.count ? inner[index] : bound
      if next <= last { continue }
      let value = slope.value(at: next)
      if value != 0, (value > 0 ? 1 : -1) != sign {
        marks.append(slope.bisect(last, next, sign: -sign))
        sign = -sign
      }
      last = next
    }
  }

  /// The first representable moment in (low, high] with the sign `sign`, or zero; monotone between them.
  private func bisect(_ start: Double, _ end: Double, sign: Int) -> Double {
    let sign = Double(sign)
    let slope = derivative
    var (low, high) = (start, end)
    var guess = high
    for round in 0..<300 {
      let middle = low + (high - low) / 2
      if middle <= low || middle >= high { break }
      // Newton from the newest point while it stays inside, and halving in between.
      var s = guess - value(at: guess) / slope.value(at: guess)
      let least = max(high.ulp, Double.leastNonzeroMagnitude)
      if s.isFinite, s > low - least, s < high + least {
        s = min(max(s, low + low.ulp), high - least)
      } else {
        s = middle
      }
      if round % 4 == 3 || !(s > low && s < high) { s = middle }
      if value(at: s) * sign >= 0 { high = s } else { low = s }
      guess = s
    }
    return high
  }
}

/// At most as many moments as a polynomial has turning points.
private struct Marks {
  private var storage = SIMD16<Double>.zero
  private(set) var count = 0

  subscript(index: Int) -> Double { storage[index] }

  mutating func append(_ moment: Double) {
    guard count < 16 else { return }
    storage[count] = moment
    count += 1
  }
}
