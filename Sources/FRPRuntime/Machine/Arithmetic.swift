// The arithmetic of the language where it differs from the processor's.

enum Arithmetic {
  /// Rounded down; nil on overflow. The divisor is not zero.
  @inline(__always)
  static func divide(_ x: Int, _ y: Int) -> Int? {
    let (quotient, overflow) = x.dividedReportingOverflow(by: y)
    if overflow { return nil }
    let rest = x &- quotient &* y
    return rest != 0 && (rest ^ y) < 0 ? quotient &- 1 : quotient
  }

  /// With the divisor's sign. The divisor is not zero.
  @inline(__always)
  static func remainder(_ x: Int, _ y: Int) -> Int {
    let rest = x.remainderReportingOverflow(dividingBy: y).partialValue
    return rest != 0 && (rest ^ y) < 0 ? rest &+ y : rest
  }

  /// With the divisor's sign. The divisor is not zero.
  static func remainder(_ x: Double, _ y: Double) -> Double {
    let rest = x.truncatingRemainder(dividingBy: y)
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest
  }
}
