// What an expression can be over a short stretch of time: a polynomial of degree five, and how far from it the value may
// be at most (Makino and Berz, "Taylor models and other validated functional inclusion methods", 2003).
//
// In: models of operands. Out: models of results.
// Rules:
// - The stretch is v = -1...1, whatever its length; of length zero, a model is a number with its rounding.
// - Bounds are sound: what the exact value and the machine's may be lies within them, rounding included.
// - Where an operand is at a kink (`abs`, `min`, `max`, a choice that is open) only the range of the result is known.
// - Nothing allocates, and nothing depends on the machine it runs on.

/// t0 + t1·v + … + t5·v⁵, give or take `rest`, for v in -1...1.
struct TaylorModel {
  var t0 = 0.0
  var t1 = 0.0
  var t2 = 0.0
  var t3 = 0.0
  var t4 = 0.0
  var t5 = 0.0
  /// Infinity where nothing is known; not a number where the expression has no value at all.
  var rest = 0.0
  /// Whether the expression certainly has a value everywhere.
  var isTotal = true

  private static let epsilon = 0x1p-52

  init(_ constant: Double) { t0 = constant }

  /// Anything from `low` to `high`.
  init(_ low: Double, _ high: Double, isTotal: Bool = true) {
    t0 = low / 2 + high / 2
    rest = (high - t0) * (1 + 2 * TaylorModel.epsilon) + TaylorModel.epsilon * t0.magnitude
    if low == high { (t0, rest) = (low, 0) }
    self.isTotal = isTotal
    if !(t0.magnitude < .infinity && rest < .infinity) { (t0, rest) = (0, .infinity) }
  }

  static var nowhere: TaylorModel {
    var result = TaylorModel(0)
    (result.rest, result.isTotal) = (.nan, false)
    return result
  }

  static func unknown(isTotal: Bool = true) -> TaylorModel { TaylorModel(-.infinity, .infinity, isTotal: isTotal) }

  var isNowhere: Bool { rest.isNaN }
  var isZero: Bool { size == 0 && rest == 0 }

  /// Whether it does not move, and is zero but for the rounding of terms of this size. What creeps up to zero moves.
  func isLevel(ofSize size: Double) -> Bool {
    isTotal && spread == 0 && t0.magnitude <= rest && rest <= 1e-13 * size
  }

  /// How far the polynomial may be from its value in the middle.
  var spread: Double { (t1.magnitude + t2.magnitude) + (t3.magnitude + t4.magnitude) + t5.magnitude }
  var size: Double { t0.magnitude + spread }
  /// At least how fast the polynomial moves, for v in -1...1; not above zero where it may turn.
  var leastSlope: Double {
    t1.magnitude - (2 * t2.magnitude + 3 * t3.magnitude) - (4 * t4.magnitude + 5 * t5.magnitude)
  }

  /// The range: exactly that of the parabola in it, the higher powers at their worst.
  var bounds: (low: Double, high: Double) {
    let odd = t3.magnitude + t5.magnitude + rest + TaylorModel.epsilon * size
    var low = t0 + t2 - t1.magnitude
    var high = t0 + t2 + t1.magnitude
    if t1.magnitude < 2 * t2.magnitude {
      let vertex = t0 - t1 * t1 / (4 * t2)
      if t2 > 0 { low = vertex } else { high = vertex }
    }
    return (low + min(0, t4) - odd, high + max(0, t4) + odd)
  }

  /// How near the value comes to zero.
  var leastSize: Double {
    let (low, high) = bounds
    return max(0, low, -high)
  }

  /// The same with the rounding of an operation; of terms that have run over, nothing is known.
  private func rounded(_ units: Double = 1) -> TaylorModel {
    var result = self
    let size = self.size
    if isNowhere { return .nowhere }
    if !(size < .infinity && rest < .infinity) { return .unknown(isTotal: false) }
    result.rest = (rest + units * TaylorModel.epsilon * size) * (1 + 4 * TaylorModel.epsilon)
    return result
  }

  // MARK: Arithmetic

  static func + (a: TaylorModel, b: TaylorModel) -> TaylorModel {
    var result = a
    result.t0 += b.t0
    result.t1 += b.t1
    result.t2 += b.t2
    result.t3 += b.t3
    result.t4 += b.t4
    result.t5 += b.t5
    result.rest += b.rest
    result.isTotal = a.isTotal && b.isTotal
    return result.rounded()
  }

  static prefix func - (a: TaylorModel) -> TaylorModel {
    var result = a
    (result.t0, result.t1, result.t2) = (-a.t0, -a.t1, -a.t2)
    (result.t3, result.t4, result.t5) = (-a.t3, -a.t4, -a.t5)
    return result
  }

  static func - (a: TaylorModel, b: TaylorModel) -> TaylorModel { a + -b }

  static func * (a: TaylorModel, b: TaylorModel) -> TaylorModel {
    if a.isNowhere || b.isNowhere { return .nowhere }
    let isTotal = a.isTotal && b.isTotal
    if a.rest == .infinity || b.rest == .infinity { return .unknown(isTotal: isTotal) }
    var result = TaylorModel(a.t0 * b.t0)
    result.t1 = a.t0 * b.t1 + a.t1 * b.t0
    result.t2 = a.t0 * b.t2 + a.t1 * b.t1 + a.t2 * b.t0
    result.t3 = (a.t0 * b.t3 + a.t1 * b.t2) + (a.t2 * b.t1 + a.t3 * b.t0)
    result.t4 = (a.t0 * b.t4 + a.t1 * b.t3) + (a.t2 * b.t2 + a.t3 * b.t1) + a.t4 * b.t0
    result.t5 = (a.t0 * b.t5 + a.t1 * b.t4) + (a.t2 * b.t3 + a.t3 * b.t2) + (a.t4 * b.t1 + a.t5 * b.t0)
    // The powers from six on.
    let (b5, b4) = (b.t5.magnitude, b.t4.magnitude + b.t5.magnitude)
    let b3 = b.t3.magnitude + b4
    let b2 = b.t2.magnitude + b3
    let b1 = b.t1.magnitude + b2
    let high =
      (a.t1.magnitude * b5 + a.t2.magnitude * b4) + (a.t3.magnitude * b3 + a.t4.magnitude * b2) + a.t5.magnitude * b1
    let (sizeA, sizeB) = (a.size, b.size)
    result.rest = high + (a.rest * sizeB + b.rest * sizeA + a.rest * b.rest)
    if sizeA > 0, sizeB > 0 { result.rest += 8 * epsilon * sizeA * sizeB }
    result.isTotal = isTotal
    return result.rounded(0)
  }

  func scaled(_ factor: Double) -> TaylorModel {
    if isNowhere { return self }
    if rest == .infinity { return .unknown(isTotal: isTotal) }
    var result = self
    (result.t0, result.t1, result.t2) = (t0 * factor, t1 * factor, t2 * factor)
    (result.t3, result.t4, result.t5) = (t3 * factor, t4 * factor, t5 * factor)
    result.rest *= factor.magnitude
    return result.rounded()
  }

  /// Times (middle + half·v), plus a number: a step of Horner's scheme. Rounding is for the caller to add.
  mutating func climb(_ middle: Double, _ half: Double, plus constant: Double) {
    rest = rest * (middle.magnitude + half.magnitude) + (t5 * half).magnitude
    t5 = t5 * middle + t4 * half
    t4 = t4 * middle + t3 * half
    t3 = t3 * middle + t2 * half
    t2 = t2 * middle + t1 * half
    t1 = t1 * middle + t0 * half
    t0 = t0 * middle + constant
  }

  static func / (a: TaylorModel, b: TaylorModel) -> TaylorModel { a * b.inverse }

  private var inverse: TaylorModel {
    let (low, high) = bounds
    if low > 0 { return power(-1, low, high: high) }
    if high < 0 { return -(-self).power(-1, -high, high: -low) }
    return isNowhere ? self : .unknown(isTotal: false)
  }

  // MARK: Kinks

  var magnitude: TaylorModel {
    let (low, high) = bounds
    if low >= 0 { return self }
    if high <= 0 { return -self }
    return isNowhere ? self : TaylorModel(0, Swift.max(-low, high), isTotal: isTotal)
  }

  static func greater(_ a: TaylorModel, _ b: TaylorModel) -> TaylorModel {
    let difference = a - b
    let (low, high) = difference.bounds
    if difference.isNowhere { return .nowhere }
    // The other operand must have a value as well.
    if low >= 0 || high <= 0 {
      var result = low >= 0 ? a : b
      result.isTotal = difference.isTotal
      return result
    }
    // (a + b + |a - b|) / 2
    return (a + b).scaled(0.5) + difference.magnitude.scaled(0.5)
  }

  static func lesser(_ a: TaylorModel, _ b: TaylorModel) -> TaylorModel { -greater(-a, -b) }

  /// Between two limits; of limits that may be the wrong way round it has no value.
  func clamped(_ low: TaylorModel, _ high: TaylorModel) -> TaylorModel {
    var result = TaylorModel.lesser(.greater(self, low), high)
    if !((high - low).bounds.low >= 0) { result.isTotal = false }
    return result
  }

  // MARK: Truth: 1, 0, or anything between

  private static func truth(_ isTrue: Bool, _ isFalse: Bool, of: TaylorModel) -> TaylorModel {
    if of.isNowhere { return .nowhere }
    return TaylorModel(isTrue ? 1 : 0, isFalse ? 0 : 1, isTotal: of.isTotal)
  }

  var negation: TaylorModel {
    var result = self
    result.t0 = 1 - t0
    return result
  }

  var isBelowZero: TaylorModel { TaylorModel.truth(bounds.high < 0, bounds.low >= 0, of: self) }
  var isAtMostZero: TaylorModel { TaylorModel.truth(bounds.high <= 0, bounds.low > 0, of: self) }
  var isEqualZero: TaylorModel { TaylorModel.truth(isZero, bounds.low > 0 || bounds.high < 0, of: self) }

  /// One of two; where that is open, the range of both.
  static func choice(_ test: TaylorModel, _ a: TaylorModel, _ b: TaylorModel) -> TaylorModel {
    if test.isNowhere { return .nowhere }
    var result: TaylorModel
    if test.rest == 0 {
      result = test.t0 == 1 ? a : b
    } else if a.isNowhere || b.isNowhere {
      // It may have the other's value in a part of the stretch only, in which the model holds all the same.
      result = a.isNowhere ? b : a
      result.isTotal = false
    } else {
      let (x, y) = (a.bounds, b.bounds)
      result = TaylorModel(min(x.low, y.low), max(x.high, y.high), isTotal: a.isTotal && b.isTotal)
    }
    result.isTotal = result.isTotal && test.isTotal
    return result
  }

  // MARK: Functions

  /// A power series around `t0`, and what it leaves out.
  private func series(
    _ c0: Double, _ c1: Double, c2: Double, c3: Double, c4: Double, c5: Double, remainder: Double
  ) -> TaylorModel {
    var q = self
    q.t0 = 0
    var sum = TaylorModel(c5)
    for coefficient in [c4, c3, c2, c1, c0] {
      sum = sum * q
      sum.t0 += coefficient
    }
    sum.rest += remainder
    sum.isTotal = isTotal
    return sum.rounded(8)
  }

  /// How far the value may be from `t0`.
  private var reach: Double { spread + rest }

  private static func sixth(_ x: Double) -> Double { (x * x * x) * (x * x * x) }

  /// What a rising function makes of the range; a last place or two are added for its rounding.
  private func rising(_ low: Double, _ high: Double, isTotal: Bool, _ f: (Double) -> Double) -> TaylorModel {
    let (a, b) = (f(low), f(high))
    let slack = 8 * TaylorModel.epsilon
    let result = TaylorModel(a - slack * a.magnitude, b + slack * b.magnitude, isTotal: isTotal)
    return result
  }

  /// x^y for x in low...high, above zero.
  private func power(_ y: Double, _ low: Double, high: Double) -> TaylorModel {
    let z = reach / t0
    guard t0 > 0, z <= 0.4, y.magnitude <= 20 else {
      let f = { (x: Double) in y == -1 ? 1 / x : y == 0.5 ? x.squareRoot() : Elementary.pow(x, y) }
      let ends = y < 0 ? (high, low) : (low, high)
      return rising(ends.0, ends.1, isTotal: isTotal, f)
    }
    let c0 = y == -1 ? 1 / t0 : y == 0.5 ? t0.squareRoot() : Elementary.pow(t0, y)
    let c1 = c0 * y / t0
    let c2 = c1 * (y - 1) / (2 * t0)
    let c3 = c2 * (y - 2) / (3 * t0)
    let c4 = c3 * (y - 3) / (4 * t0)
    let c5 = c4 * (y - 4) / (5 * t0)
    let c6 = c5 * (y - 5) / (6 * t0)
    // The sixth derivative is largest at one of the ends.
    let growth = Swift.max(Elementary.pow(1 - z, y - 6), Elementary.pow(1 + z, y - 6))
    return series(c0, c1, c2: c2, c3: c3, c4: c4, c5: c5, remainder: c6.magnitude * TaylorModel.sixth(reach) * growth)
  }

  var squareRoot: TaylorModel {
    let (low, high) = bounds
    if isNowhere || high < 0 { return .nowhere }
    if low > 0 { return power(0.5, low, high: high) }
    return rising(0, Swift.max(0, high), isTotal: isTotal && low >= 0) { $0.squareRoot() }
  }

  /// The length of a vector: a square root of what is never below zero.
  static func hypot(_ a: TaylorModel, _ b: TaylorModel) -> TaylorModel {
    var result = (a * a + b * b).squareRoot
    result.isTotal = a.isTotal && b.isTotal
    return result
  }

  var cubeRoot: TaylorModel {
    let (low, high) = bounds
    if isNowhere { return self }
    if low > 0 { return power(1.0 / 3, low, high: high) }
    if high < 0 { return -(-self).power(1.0 / 3, -high, high: -low) }
    return rising(low, high, isTotal: isTotal, Elementary.cbrt)
  }

  static func power(_ x: TaylorModel, _ y: TaylorModel) -> TaylorModel {
    if x.isNowhere || y.isNowhere { return .nowhere }
    let (low, high) = x.bounds
    guard y.spread == 0, y.rest == 0 else {
      return low > 0 ? (y * x.logarithm).exponential : .unknown(isTotal: false)
    }
    let exponent = y.t0
    if exponent >= 0, exponent <= 16, exponent == exponent.rounded() {
      var result = TaylorModel(1)
      for _ in 0..<Int(exponent) { result = result * x }
      return result
    }
    if low > 0 { return x.power(exponent, low, high: high) }
    if exponent < 0, exponent >= -16, exponent == exponent.rounded() { return power(x, -y).inverse }
    if exponent > 0, exponent != exponent.rounded() {
      if high < 0 { return .nowhere }
      return x.rising(0, max(0, high), isTotal: x.isTotal && low >= 0) { Elementary.pow($0, exponent) }
    }
    return .unknown(isTotal: false)
  }

  var exponential: TaylorModel {
    guard reach <= 1 else {
      return isNowhere ? self : rising(bounds.low, bounds.high, isTotal: isTotal, Elementary.exp)
    }
    let e = Elementary.exp(t0)
    return series(
      e, e, c2: e / 2, c3: e / 6, c4: e / 24, c5: e / 120, remainder: e * TaylorModel.sixth(reach) * (2.72 / 720))
  }

  var logarithm: TaylorModel {
    let (low, high) = bounds
    if isNowhere || high <= 0 { return .nowhere }
    let z = reach / t0
    guard low > 0, t0 > 0, z <= 0.4 else {
      if low <= 0 { return TaylorModel(-.infinity, .infinity, isTotal: false) }
      return rising(low, high, isTotal: isTotal, Elementary.log)
    }
    let i = 1 / t0
    return series(
      Elementary.log(t0), i, c2: -i * i / 2, c3: i * i * i / 3, c4: -(i * i) * (i * i) / 4,
      c5: (i * i) * (i * i) * i / 5,
      remainder: TaylorModel.sixth(z / (1 - z)) / 6)
  }

  var sine: TaylorModel { wave(Elementary.sin(t0), Elementary.cos(t0)) }
  var cosine: TaylorModel { wave(Elementary.cos(t0), -Elementary.sin(t0)) }

  /// Sine or cosine, from its value and slope at `t0`.
  private func wave(_ s: Double, _ c: Double) -> TaylorModel {
    guard reach <= 1.5 else { return isNowhere ? self : TaylorModel(-1, 1, isTotal: isTotal) }
    return series(s, c, c2: -s / 2, c3: -c / 6, c4: s / 24, c5: c / 120, remainder: TaylorModel.sixth(reach) / 720)
  }

  var tangent: TaylorModel {
    guard reach <= 1.5 else { return isNowhere ? self : .unknown(isTotal: isTotal) }
    return sine / cosine
  }

  var arctangent: TaylorModel {
    guard reach <= 0.4 else {
      return isNowhere ? self : rising(bounds.low, bounds.high, isTotal: isTotal, Elementary.atan)
    }
    // Of 1 / (1 + x²), integrated.
    let (a, b) = (1 / (1 + t0 * t0), 2 * t0)
    let g1 = -b * a * a
    let g2 = -(b * g1 + a) * a
    let g3 = -(b * g2 + g1) * a
    let g4 = -(b * g3 + g2) * a
    return series(
      Elementary.atan(t0), a, c2: g1 / 2, c3: g2 / 3, c4: g3 / 4, c5: g4 / 5, remainder: TaylorModel.sixth(reach) / 6)
  }

  var arcsine: TaylorModel {
    let (low, high) = bounds
    if isNowhere || low > 1 || high < -1 { return .nowhere }
    if low > -0.99, high < 0.99 { return (self / (TaylorModel(1) - self * self).squareRoot).arctangent }
    return rising(Swift.max(-1, low), min(1, high), isTotal: isTotal && low >= -1 && high <= 1, Elementary.asin)
  }

  static func angle(_ y: TaylorModel, _ x: TaylorModel) -> TaylorModel {
    if x.isNowhere || y.isNowhere { return .nowhere }
    let quarter = TaylorModel(1.5707963267948966, 1.5707963267948968)
    if x.bounds.low > 0 { return (y / x).arctangent }
    if y.bounds.low > 0 { return quarter - (x / y).arctangent }
    if y.bounds.high < 0 { return -quarter - (x / y).arctangent }
    return TaylorModel(-3.1415926535897936, 3.1415926535897936, isTotal: x.isTotal && y.isTotal)
  }

  func rounded(_ rule: FloatingPointRoundingRule) -> TaylorModel {
    if isNowhere { return self }
    return TaylorModel(bounds.low.rounded(rule), bounds.high.rounded(rule), isTotal: isTotal)
  }

  /// With the divisor's sign.
  static func remainder(_ x: TaylorModel, _ y: TaylorModel) -> TaylorModel {
    let turns = (x / y).rounded(.down)
    if turns.isNowhere { return .nowhere }
    if turns.rest == 0 { return x - turns * y }
    let (low, high) = y.bounds
    return TaylorModel(min(0, low), max(0, high), isTotal: turns.isTotal)
  }

  var sign: TaylorModel {
    let (low, high) = bounds
    if isNowhere { return self }
    return TaylorModel(low > 0 ? 1 : low >= 0 ? 0 : -1, high < 0 ? -1 : high <= 0 ? 0 : 1, isTotal: isTotal)
  }
}
