// Inverse trigonometric functions of Floats. See `Elementary` for the rules.

extension Elementary {
  private static let halfPi = 1.57079632679489655800e+00
  private static let halfPiRest = 6.12323399573676603587e-17

  /// (asin(x) - x) / x as a rational function of z = x².
  @inline(__always)
  private static func asinSeries(_ z: Double) -> Double {
    let p =
      z
      * (1.66666666666666657415e-01
        + z
        * (-3.25565818622400915405e-01
          + z
          * (2.01212532134862925881e-01
            + z * (-4.00555345006794114027e-02 + z * (7.91534994289814532176e-04 + z * 3.47933107596021167570e-05)))))
    let q =
      1.0 + z
      * (-2.40339491173441421878e+00
        + z * (2.02094576023350569471e+00 + z * (-6.88283971605453293030e-01 + z * 7.70381505559019352791e-02)))
    return p / q
  }

  /// The angle in -pi/2…pi/2 whose sine is x.
  public static func asin(_ x: Double) -> Double {
    let magnitude = x.magnitude
    if magnitude >= 1 { return magnitude == 1 ? x * halfPi + x * halfPiRest : .nan }
    if x.isNaN { return x }
    if magnitude < 0.5 { return magnitude < 0x1p-26 ? x : x + x * asinSeries(x * x) }
    let z = (1 - magnitude) * 0.5
    let s = z.squareRoot()
    let r = asinSeries(z)
    let result: Double
    if magnitude >= 0.975 {
      result = halfPi - (2 * (s + s * r) - halfPiRest)
    } else {
      let f = Double(bitPattern: s.bitPattern & 0xFFFF_FFFF_0000_0000)
      let c = (z - f * f) / (s + f)
      result = 0.5 * halfPi - (2 * s * r - (halfPiRest - 2 * c) - (0.5 * halfPi - 2 * f))
    }
    return x < 0 ? -result : result
  }

  /// The angle in 0…pi whose cosine is x.
  public static func acos(_ x: Double) -> Double {
    let magnitude = x.magnitude
    if magnitude >= 1 {
      if x == 1 { return 0 }
      return x == -1 ? 2 * halfPi : .nan
    }
    if x.isNaN { return x }
    if magnitude < 0.5 { return magnitude < 0x1p-57 ? halfPi : halfPi - (x - (halfPiRest - x * asinSeries(x * x))) }
    if x < 0 {
      let z = (1 + x) * 0.5
      let s = z.squareRoot()
      let w = asinSeries(z) * s - halfPiRest
      return 2 * (halfPi - (s + w))
    }
    let z = (1 - x) * 0.5
    let s = z.squareRoot()
    let f = Double(bitPattern: s.bitPattern & 0xFFFF_FFFF_0000_0000)
    let c = (z - f * f) / (s + f)
    return 2 * (f + (asinSeries(z) * s + c))
  }

  /// The angle in -pi/2…pi/2 whose tangent is x.
  public static func atan(_ x: Double) -> Double {
    if x.isNaN { return x }
    let magnitude = x.magnitude
    if magnitude >= 0x1p66 { return x < 0 ? -halfPi : halfPi }
    if magnitude < 0.4375 { return magnitude < 0x1p-27 ? x : x - x * atanSeries(x) }
    let t: Double
    let high: Double
    let low: Double
    if magnitude < 0.6875 {
      t = (2 * magnitude - 1) / (2 + magnitude)
      (high, low) = (4.63647609000806093515e-01, 2.26987774529616870924e-17)
    } else if magnitude < 1.1875 {
      t = (magnitude - 1) / (magnitude + 1)
      (high, low) = (7.85398163397448278999e-01, 3.06161699786838301793e-17)
    } else if magnitude < 2.4375 {
      t = (magnitude - 1.5) / (1 + 1.5 * magnitude)
      (high, low) = (9.82793723247329054082e-01, 1.39033110312309984516e-17)
    } else {
      t = -1 / magnitude
      (high, low) = (halfPi, halfPiRest)
    }
    let result = high - (t * atanSeries(t) - low - t)
    return x < 0 ? -result : result
  }

  /// (t - atan(t)) / t.
  @inline(__always)
  private static func atanSeries(_ t: Double) -> Double {
    let z = t * t
    let w = z * z
    let odd =
      z
      * (3.33333333333329318027e-01
        + w
        * (1.42857142725034663711e-01
          + w
          * (9.09088713343650656196e-02
            + w * (6.66107313738753120669e-02 + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))))
    let even =
      w
      * (-1.99999999998764832476e-01
        + w
        * (-1.11111104054623557880e-01
          + w * (-7.69187620504482999495e-02 + w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))))
    return odd + even
  }

  /// The angle of the point (x, y), in -pi…pi.
  public static func atan2(_ y: Double, _ x: Double) -> Double {
    if x.isNaN || y.isNaN { return .nan }
    let isLeft = x.sign == .minus
    let sign: Double = y.sign == .minus ? -1 : 1
    if y == 0 { return isLeft ? sign * 2 * halfPi : y }
    if x == 0 { return sign * halfPi }
    if x.isInfinite || y.isInfinite { return sign * infiniteAngle(isLeft, x.isInfinite, y.isInfinite) }
    let difference = Int(y.bitPattern >> 52 & 0x7FF) - Int(x.bitPattern >> 52 & 0x7FF)
    if difference > 64 { return sign * halfPi }
    let z = isLeft && difference < -64 ? 0 : atan((y / x).magnitude)
    if !isLeft { return sign * z }
    return sign * (2 * halfPi - (z - 2 * halfPiRest))
  }

  private static func infiniteAngle(_ isLeft: Bool, _ x: Bool, _ y: Bool) -> Double {
    if x, y { return isLeft ? 1.5 * halfPi : 0.5 * halfPi }
    if y { return halfPi }
    return isLeft ? 2 * halfPi : 0
  }
}
