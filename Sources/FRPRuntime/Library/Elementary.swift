// Elementary functions of Floats, the same to the last bit on every machine: the system's libm picks its code by CPU.
// Only additions, multiplications, divisions and square roots are used, all of which IEEE 754 fixes. The algorithms and
// coefficients are those of Sun's fdlibm (freely distributable); errors are below 1 unit in the last place.
//
// Double in, Double out. Outside of its domain a function gives a NaN or an infinity; the callers make that a fault.

// Only to link `floor`, `sqrt` and `fma`, which are exact.
import FRPLibc

/// Elementary functions that depend on nothing but their arguments.
public enum Elementary {
  /// e to the power of x.
  public static func exp(_ x: Double) -> Double {
    if x > 709.782712893383973096 { return x.isNaN ? x : .infinity }
    if x < -745.13321910194110842 { return 0 }
    if x.isNaN { return x }
    let magnitude = x.magnitude
    var high = x
    var low = 0.0
    var k = 0
    if magnitude > 0.34657359027997264 {
      k = magnitude < 1.0397207708399179 ? (x < 0 ? -1 : 1) : Int(1.44269504088896338700 * x + (x < 0 ? -0.5 : 0.5))
      high = x - Double(k) * 6.93147180369123816490e-01
      low = Double(k) * 1.90821492927058770002e-10
    } else if magnitude < 3.7252902984619140625e-09 {
      return 1 + x
    }
    let r = high - low
    let c = r - expRemainder(r * r)
    if k == 0 { return 1 + (r * c / (2 - c) + r) }
    return scaled(1 + (r * c / (2 - c) - low + high), by: k)
  }

  /// r coth(r/2) - 2, from z = r², as far as exp needs it.
  @inline(__always)
  private static func expRemainder(_ z: Double) -> Double {
    z
      * (1.66666666666666019037e-01
        + z
        * (-2.77777777770155933842e-03
          + z * (6.61375632143793436117e-05 + z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08))))
  }

  /// y·2ᵏ, rounded once.
  static func scaled(_ y: Double, by k: Int) -> Double {
    if k > 1023 { return y * 0x1p1023 * power2(min(k - 1023, 1023)) }
    if k >= -1022 { return y * power2(k) }
    // Below the normal range: first to where the last product rounds once.
    let left = k + 969
    if left >= -1022 { return y * 0x1p-969 * power2(left) }
    return y * 0x1p-969 * 0x1p-969 * power2(max(left + 969, -1022))
  }

  @inline(__always)
  private static func power2(_ k: Int) -> Double { Double(bitPattern: UInt64(k + 1023) << 52) }

  /// A positive x as 2ᵏ(1 + f), with 1 + f in √½…√2.
  @inline(__always)
  private static func reduced(_ x: Double) -> (k: Int, f: Double) {
    var bits = x.bitPattern
    var k = 0
    if bits < 0x0010_0000_0000_0000 {
      bits = (x * 0x1p54).bitPattern
      k = -54
    }
    // Adds so that fractions from √2 on carry into the exponent.
    let high = (bits >> 32) &+ (0x3FF0_0000 - 0x3FE6_A09E)
    k += Int(high >> 20) - 1023
    let fraction = (high & 0xF_FFFF) + 0x3FE6_A09E
    return (k, Double(bitPattern: fraction << 32 | bits & 0xFFFF_FFFF) - 1)
  }

  /// (log(1 + f) - f + f²/2) as a series of s = f/(2 + f).
  @inline(__always)
  private static func logSeries(_ s: Double) -> Double {
    let z = s * s
    let w = z * z
    let even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01))
    let odd =
      z
      * (6.666666666666735130e-01
        + w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)))
    return odd + even
  }

  private static func logLimit(_ x: Double) -> Double? {
    if x.isNaN || x < 0 { return .nan }
    if x == 0 { return -.infinity }
    return x == .infinity ? x : nil
  }

  /// The natural logarithm.
  public static func log(_ x: Double) -> Double {
    if let limit = logLimit(x) { return limit }
    let (k, f) = reduced(x)
    let half = 0.5 * f * f
    let s = f / (2 + f)
    let r = logSeries(s)
    let n = Double(k)
    return s * (half + r) + n * 1.90821492927058770002e-10 - half + f + n * 6.93147180369123816490e-01
  }

  /// log(1 + f) as two Doubles, the high one with 21 low bits zero.
  @inline(__always)
  private static func splitLog(_ f: Double) -> (high: Double, low: Double) {
    let half = 0.5 * f * f
    let s = f / (2 + f)
    let r = logSeries(s)
    let high = Double(bitPattern: (f - half).bitPattern & 0xFFFF_FFFF_0000_0000)
    return (high, f - high - half + s * (half + r))
  }

  /// The logarithm to base 2.
  public static func log2(_ x: Double) -> Double {
    if let limit = logLimit(x) { return limit }
    let (k, f) = reduced(x)
    let (high, low) = splitLog(f)
    var valueHigh = high * 1.44269504072144627571e+00
    var valueLow = (low + high) * 1.67517131648865118353e-10 + low * 1.44269504072144627571e+00
    let y = Double(k)
    let w = y + valueHigh
    valueLow += y - w + valueHigh
    valueHigh = w
    return valueLow + valueHigh
  }

  /// The logarithm to base 10.
  public static func log10(_ x: Double) -> Double {
    if let limit = logLimit(x) { return limit }
    let (k, f) = reduced(x)
    let (high, low) = splitLog(f)
    let valueHigh = high * 4.34294481878168880939e-01
    let y = Double(k) * 3.01029995663611771306e-01
    var valueLow =
      Double(k) * 3.69423907715893078616e-13 + (low + high) * 2.50829467116452752298e-11
      + low * 4.34294481878168880939e-01
    let w = y + valueHigh
    valueLow += y - w + valueHigh
    return valueLow + w
  }

  /// The cube root.
  public static func cbrt(_ x: Double) -> Double {
    if x == 0 || !x.isFinite { return x }
    let bits = x.bitPattern
    var high = UInt32(truncatingIfNeeded: bits >> 32 & 0x7FFF_FFFF)
    if high < 0x0010_0000 {
      high = UInt32(truncatingIfNeeded: (x * 0x1p54).bitPattern >> 32 & 0x7FFF_FFFF) / 3 + 696_219_795
    } else {
      high = high / 3 + 715_094_163
    }
    var t = Double(bitPattern: UInt64(high) << 32 | bits & 1 << 63)
    // 5 bits of the root are right; a polynomial makes 23, a step of Newton's the rest.
    let r = (t * t) * (t / x)
    t =
      t
      * ((1.87595182427177009643 + r * (-1.88497979543377169875 + r * 1.621429720105354466140))
        + ((r * r) * r) * (-0.758397934778766047437 + r * 0.145996192886612446982))
    t = Double(bitPattern: (t.bitPattern &+ 0x8000_0000) & 0xFFFF_FFFF_C000_0000)
    let s = t * t
    let quotient = x / s
    return t + t * ((quotient - t) / (t + t + quotient))
  }

  /// √(x² + y²) without overflow on the way.
  public static func hypot(_ x: Double, _ y: Double) -> Double {
    var a = x.magnitude
    var b = y.magnitude
    if a < b { swap(&a, &b) }
    if b == 0 || !a.isFinite { return a + b }
    if b < a * 0x1p-60 { return a + b }
    var scale = 1.0
    if a > 0x1p510 {
      (a, b, scale) = (a * 0x1p-700, b * 0x1p-700, 0x1p700)
    } else if b < 0x1p-450 {
      (a, b, scale) = (a * 0x1p700, b * 0x1p700, 0x1p-700)
    }
    let (ah, al) = square(a)
    let (bh, bl) = square(b)
    return scale * (bl + al + bh + ah).squareRoot()
  }

  /// x² as a sum of two Doubles, exactly.
  @inline(__always)
  private static func square(_ x: Double) -> (high: Double, low: Double) {
    let c = x * 134_217_729
    let top = x - c + c
    let rest = x - top
    let high = x * x
    return (high, top * top - high + 2 * top * rest + rest * rest)
  }
}
