// Routines of numbers and of any data. Int results are checked for overflow, Float results for being finite.

import FRPCore
import FRPGraph

extension RoutineTable {
  static let numbers: [(Prim, Routine)] = [
    (.div, div), (.mod, mod), (.abs, abs), (.sign, sign), (.min, min), (.max, max), (.clamp, clamp), (.pow, pow),
    (.gcd, gcd), (.lcm, lcm), (.isEven, isEven), (.isOdd, isOdd), (.toFloat, toFloat),
    (.round, rounding(.toNearestOrAwayFromZero)), (.floor, rounding(.down)), (.ceil, rounding(.up)),
    (.truncate, rounding(.towardZero)), (.lerp, lerp), (.bitAnd, bits { $0 & $1 }), (.bitOr, bits { $0 | $1 }),
    (.bitXor, bits { $0 ^ $1 }), (.shiftLeft, bits { $0 << $1 }), (.shiftRight, bits { $0 >> $1 }), (.bitNot, bitNot),
  ]

  static let elementary: [(Prim, Routine)] = [
    (.pi, constant(3.141592653589793)), (.tau, constant(6.283185307179586)), (.e, constant(2.718281828459045)),
    (.sqrt, squareRoot), (.cbrt, float(Elementary.cbrt)), (.sin, float(Elementary.sin)),
    (.cos, float(Elementary.cos)), (.tan, float(Elementary.tan)), (.asin, float(Elementary.asin)),
    (.acos, float(Elementary.acos)), (.atan, float(Elementary.atan)), (.exp, float(Elementary.exp)),
    (.log, logarithm(Elementary.log)), (.log2, logarithm(Elementary.log2)), (.log10, logarithm(Elementary.log10)),
    (.toRadians, float { $0 / 180 * 3.141592653589793 }), (.toDegrees, float { $0 / 3.141592653589793 * 180 }),
    (.atan2, float2(Elementary.atan2)), (.hypot, float2(Elementary.hypot)),
  ]

  static let data: [(Prim, Routine)] = [
    (.identity, identity), (.secretOf, identity), (.compare, compare), (.show, show), (.tupleFirst, field(0)),
    (.tupleSecond, field(1)),
    (.tupleSwap, tupleSwap),
  ]

  // MARK: Makers

  /// A function of one Float.
  private static func float(_ f: @escaping @Sendable (Double) -> Double) -> Routine {
    { (_, a) throws(Fault) -> Word in try finite(f(a[0].float)) }
  }

  private static func squareRoot(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if a[0].float < 0 { throw Fault.squareRootOfNegative }
    return Word(float: a[0].float.squareRoot())
  }

  private static func logarithm(_ f: @escaping @Sendable (Double) -> Double) -> Routine {
    { (_, a) throws(Fault) -> Word in
      let value = f(a[0].float)
      if !value.isFinite { throw Fault.logarithm(of: a[0].float) }
      return Word(float: value)
    }
  }

  private static func float2(_ f: @escaping @Sendable (Double, Double) -> Double) -> Routine {
    { (_, a) throws(Fault) -> Word in try finite(f(a[0].float, a[1].float)) }
  }

  private static func constant(_ value: Double) -> Routine { { (_, _) throws(Fault) -> Word in Word(float: value) } }

  private static func bits(_ f: @escaping @Sendable (Int, Int) -> Int) -> Routine {
    { (_, a) throws(Fault) -> Word in Word(int: f(a[0].int, a[1].int)) }
  }

  private static func rounding(_ rule: FloatingPointRoundingRule) -> Routine {
    { (_, a) throws(Fault) -> Word in
      guard let value = Int(exactly: a[0].float.rounded(rule)) else {
        throw Fault(.overflow, "this Float is out of the range of Int")
      }
      return Word(int: value)
    }
  }

  private static func field(_ index: Int) -> Routine { { (_, a) throws(Fault) -> Word in a[0].field(index) } }

  /// A Float that is one.
  @inline(__always)
  static func finite(_ value: Double) throws(Fault) -> Word {
    if !value.isFinite { throw Fault.notFinite }
    return Word(float: value)
  }

  // MARK: Arithmetic

  private static func div(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if a[1].int == 0 { throw Fault.divisionByZero }
    guard let value = Arithmetic.divide(a[0].int, a[1].int) else { throw Fault.overflow }
    return Word(int: value)
  }

  private static func mod(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if a.call.result == .float {
      if a[1].float == 0 { throw Fault.divisionByZero }
      return try finite(Arithmetic.remainder(a[0].float, a[1].float))
    }
    if a[1].int == 0 { throw Fault.divisionByZero }
    return Word(int: Arithmetic.remainder(a[0].int, a[1].int))
  }

  private static func abs(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if a.call.result == .float { return Word(float: a[0].float.magnitude) }
    if a[0].int == .min { throw Fault.overflow }
    return Word(int: Swift.abs(a[0].int))
  }

  private static func sign(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if a.call.result == .float { return Word(float: a[0].float > 0 ? 1 : (a[0].float < 0 ? -1 : 0)) }
    return Word(int: a[0].int.signum())
  }

  private static func min(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    m.heap.compare(a[1], a[0], type: a.call.a0) < 0 ? a[1] : a[0]
  }

  private static func max(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    m.heap.compare(a[1], a[0], type: a.call.a0) > 0 ? a[1] : a[0]
  }

  private static func clamp(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if m.heap.compare(a[1], a[2], type: a.call.a0) > 0 {
      throw Fault(.message, "clamp: low is above high")
    }
    if m.heap.compare(a[0], a[1], type: a.call.a0) < 0 { return a[1] }
    return m.heap.compare(a[0], a[2], type: a.call.a0) > 0 ? a[2] : a[0]
  }

  private static func pow(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if a.call.result == .float { return try finite(Elementary.pow(a[0].float, a[1].float)) }
    return Word(int: try intPower(a[0].int, a[1].int))
  }

  static func intPower(_ base: Int, _ exponent: Int) throws(Fault) -> Int {
    if exponent < 0 { throw Fault(.message, "pow: a negative exponent needs Floats") }
    var result = 1
    var square = base
    var rest = exponent
    while rest > 0 {
      if rest & 1 == 1 {
        let (product, isOver) = result.multipliedReportingOverflow(by: square)
        if isOver { throw Fault.overflow }
        result = product
      }
      rest >>= 1
      if rest == 0 { break }
      let (next, isOver) = square.multipliedReportingOverflow(by: square)
      if isOver { throw Fault.overflow }
      square = next
    }
    return result
  }

  private static func divisor(_ x: Int, _ y: Int) -> UInt {
    var a = x.magnitude
    var b = y.magnitude
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }

  private static func gcd(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    guard let value = Int(exactly: divisor(a[0].int, a[1].int)) else { throw Fault.overflow }
    return Word(int: value)
  }

  private static func lcm(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if a[0].int == 0 || a[1].int == 0 { return Word(int: 0) }
    let part = a[0].int.magnitude / divisor(a[0].int, a[1].int)
    let (product, isOver) = part.multipliedReportingOverflow(by: a[1].int.magnitude)
    guard !isOver, let value = Int(exactly: product) else { throw Fault.overflow }
    return Word(int: value)
  }

  private static func isEven(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(bool: a[0].int & 1 == 0)
  }

  private static func isOdd(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(bool: a[0].int & 1 == 1)
  }

  private static func toFloat(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(float: Double(a[0].int))
  }

  private static func lerp(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let part = a[2].float
    // Both ends exactly, at 0 and at 1.
    return try finite(a[0].float * (1 - part) + a[1].float * part)
  }

  private static func bitNot(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(int: ~a[0].int)
  }

  // MARK: Any data

  private static func identity(_ m: Machine, _ a: Arguments) throws(Fault) -> Word { a[0] }

  private static func compare(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(int: m.heap.compare(a[0], a[1], type: a.call.a0).signum())
  }

  private static func show(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if a.call.a0 == .string { return a[0] }
    var out = StringBuilder()
    try m.library.codec.appendText(a[0], a.call.a0, to: &out)
    try m.step(out.count / 16 + 1)
    return try out.finish(m.heap)
  }

  private static func tupleSwap(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.construct(a.call.result, a[0].field(1), a[0].field(0))
  }
}
