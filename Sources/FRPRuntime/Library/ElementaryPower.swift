// Powers of Floats: x^y = 2^(y·log2 x), with log2 x in two Doubles. See `Elementary` for the rules.

extension Elementary {
  /// x to the power of y. A negative x is in the domain for whole y only.
  public static func pow(_ x: Double, _ y: Double) -> Double {
    if y == 0 || x == 1 { return 1 }
    if x.isNaN || y.isNaN { return .nan }
    if y == 1 { return x }
    if y == 2 { return x * x }
    if y == -1 { return 1 / x }
    if y == 0.5, x >= 0, x.isFinite { return x.squareRoot() }
    let wholeness = x.sign == .minus ? parity(y) : 0
    if let limit = powLimit(x, y, wholeness: wholeness) { return limit }
    if x < 0, wholeness == 0 { return .nan }
    let sign: Double = wholeness == 1 ? -1 : 1
    return sign * powMagnitude(x.magnitude, y)
  }

  /// 1 of an odd whole number, 2 of an even one, 0 of others.
  private static func parity(_ y: Double) -> Int {
    let magnitude = y.magnitude
    if magnitude >= 0x1p53 { return 2 }
    if magnitude < 1 || magnitude.rounded(.towardZero) != magnitude { return 0 }
    return Int(magnitude) & 1 == 1 ? 1 : 2
  }

  /// The result where x or y is zero or infinite, or |x| is 1.
  private static func powLimit(_ x: Double, _ y: Double, wholeness: Int) -> Double? {
    let magnitude = x.magnitude
    if y.isInfinite {
      if magnitude == 1 { return 1 }
      return (magnitude > 1) == (y > 0) ? .infinity : 0
    }
    guard magnitude == 0 || magnitude == 1 || magnitude.isInfinite else { return nil }
    let z = y < 0 ? 1 / magnitude : magnitude
    if x.sign == .plus { return z }
    if magnitude == 1, wholeness == 0 { return .nan }
    return wholeness == 1 ? -z : z
  }

  @inline(__always)
  private static func top(_ x: Double) -> Double { Double(bitPattern: x.bitPattern & 0xFFFF_FFFF_0000_0000) }

  private static func powMagnitude(_ x: Double, _ y: Double) -> Double {
    // Beyond 2^64 every x but those very near to 1 is out of range, and those are powers near e^(y(x-1)).
    if y.magnitude > 0x1p64 {
      if x < 0.99999904632568359375 { return y < 0 ? .infinity : 0 }
      if x > 1.00000095367431640625 { return y > 0 ? .infinity : 0 }
    }
    let (t1, t2) = y.magnitude > 0x1p31 && (x - 1).magnitude < 0x1p-20 ? logNearOne(x) : logInTwo(x)
    let y1 = top(y)
    let low = (y - y1) * t1 + y * t2
    let high = y1 * t1
    let z = low + high
    if z >= 1024 {
      if z > 1024 || low + 8.0085662595372944372e-17 > z - high { return .infinity }
    } else if z <= -1075 {
      if z < -1075 || low <= z - high { return 0 }
    }
    return exp2(z, high, low: low)
  }

  /// log2(x) as two Doubles for x so near to 1 that a short series is enough.
  private static func logNearOne(_ x: Double) -> (Double, Double) {
    let t = x - 1
    let w = (t * t) * (0.5 - t * (0.3333333333333333333333 - t * 0.25))
    let u = 1.44269502162933349609e+00 * t
    let v = t * 1.92596299112661746887e-08 - w * 1.44269504088896338700e+00
    let t1 = top(u + v)
    return (t1, v - (t1 - u))
  }

  /// log2(x) as two Doubles.
  private static func logInTwo(_ argument: Double) -> (Double, Double) {
    var x = argument
    var n = 0
    if x.bitPattern < 0x0010_0000_0000_0000 {
      x *= 0x1p53
      n = -53
    }
    let high = x.bitPattern >> 32
    n += Int(high >> 20) - 1023
    let fraction = high & 0xF_FFFF
    var exponent: UInt64 = fraction | 0x3FF0_0000
    // Which of the two points, 1 and 1.5, the fraction is near to.
    var near15 = false
    if fraction <= 0x3988E {
    } else if fraction < 0xBB67A {
      near15 = true
    } else {
      n += 1
      exponent -= 0x0010_0000
    }
    let base = near15 ? 1.5 : 1.0
    let ax = Double(bitPattern: exponent << 32 | x.bitPattern & 0xFFFF_FFFF)

    let u = ax - base
    let v = 1 / (ax + base)
    let ss = u * v
    let sHigh = top(ss)
    let halved = (exponent >> 1 | 0x2000_0000) + 0x0008_0000 + (near15 ? 0x0004_0000 : 0)
    let tHigh = Double(bitPattern: halved << 32)
    let tLow = ax - (tHigh - base)
    let sLow = v * ((u - sHigh * tHigh) - sHigh * tLow)
    // log(ax / base) by a series of ss.
    let s2 = ss * ss
    var r = s2 * s2 * powSeries(s2)
    r += sLow * (sHigh + ss)
    let squared = sHigh * sHigh
    let t3 = top(3.0 + squared + r)
    let t4 = r - ((t3 - 3.0) - squared)
    let upper = sHigh * t3
    let lower = sLow * t3 + t4 * ss
    let pHigh = top(upper + lower)
    let pLow = lower - (pHigh - upper)
    let zHigh = 9.61796700954437255859e-01 * pHigh
    let zLow =
      -7.02846165095275826516e-09 * pHigh + pLow * 9.61796693925975554329e-01
      + (near15 ? 1.35003920212974897128e-08 : 0)
    let whole = Double(n)
    let logHigh = near15 ? 5.84962487220764160156e-01 : 0
    let t1 = top(((zHigh + zLow) + logHigh) + whole)
    return (t1, zLow - (((t1 - whole) - logHigh) - zHigh))
  }

  @inline(__always)
  private static func powSeries(_ s2: Double) -> Double {
    let far = 2.72728123808534006489e-01 + s2 * (2.30660745775561754067e-01 + s2 * 2.06975017800338417784e-01)
    return 5.99999999999994648725e-01 + s2 * (4.28571428578550184252e-01 + s2 * (3.33333329818377432918e-01 + s2 * far))
  }

  /// 2^(high + low), where z is their sum.
  private static func exp2(_ z: Double, _ high: Double, low: Double) -> Double {
    var high = high
    let n = z.magnitude > 0.5 ? Int(z + (z < 0 ? -0.5 : 0.5)) : 0
    high -= Double(n)
    let t = top(low + high)
    let u = t * 6.93147182464599609375e-01
    let v = (low - (t - high)) * 6.93147180559945286227e-01 + t * -1.90465429995776804525e-09
    let x = u + v
    let w = v - (x - u)
    let s = x * x
    let c =
      x - s
      * (1.66666666666666019037e-01
        + s
        * (-2.77777777770155933842e-03
          + s * (6.61375632143793436117e-05 + s * (-1.65339022054652515390e-06 + s * 4.13813679705723846039e-08))))
    let r = (x * c) / (c - 2) - (w + x * w)
    return scaled(1 - (r - x), by: n)
  }
}
