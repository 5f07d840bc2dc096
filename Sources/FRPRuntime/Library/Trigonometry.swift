// Trigonometric functions of Floats. See `Elementary` for the rules. Angles of any size are reduced exactly: by three
// parts of pi/2 up to 2^19, and beyond that with as many bits of 2/pi as it takes (Payne and Hanek).

extension Elementary {
  /// The sine.
  public static func sin(_ x: Double) -> Double {
    let magnitude = x.magnitude
    if magnitude <= 0.78539816339744830962 { return magnitude < 0x1p-26 ? x : kernelSin(x, 0, hasRest: false) }
    if !x.isFinite { return .nan }
    let (quadrant, y, rest) = reducedAngle(x)
    switch quadrant & 3 {
    case 0: return kernelSin(y, rest, hasRest: true)
    case 1: return kernelCos(y, rest)
    case 2: return -kernelSin(y, rest, hasRest: true)
    default: return -kernelCos(y, rest)
    }
  }

  /// The cosine.
  public static func cos(_ x: Double) -> Double {
    let magnitude = x.magnitude
    if magnitude <= 0.78539816339744830962 { return magnitude < 0x1p-27 ? 1 : kernelCos(x, 0) }
    if !x.isFinite { return .nan }
    let (quadrant, y, rest) = reducedAngle(x)
    switch quadrant & 3 {
    case 0: return kernelCos(y, rest)
    case 1: return -kernelSin(y, rest, hasRest: true)
    case 2: return -kernelCos(y, rest)
    default: return kernelSin(y, rest, hasRest: true)
    }
  }

  /// The tangent.
  public static func tan(_ x: Double) -> Double {
    let magnitude = x.magnitude
    if magnitude <= 0.78539816339744830962 { return magnitude < 0x1p-27 ? x : kernelTan(x, 0, inverse: false) }
    if !x.isFinite { return .nan }
    let (quadrant, y, rest) = reducedAngle(x)
    return kernelTan(y, rest, inverse: quadrant & 1 == 1)
  }

  /// The sine of x + y, |x + y| ≤ pi/4.
  private static func kernelSin(_ x: Double, _ y: Double, hasRest: Bool) -> Double {
    let z = x * x
    let w = z * z
    let r =
      8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06)
      + z * w * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
    let v = z * x
    if !hasRest { return x + v * (-1.66666666666666324348e-01 + z * r) }
    return x - ((z * (0.5 * y - v * r) - y) - v * -1.66666666666666324348e-01)
  }

  /// The cosine of x + y, |x + y| ≤ pi/4.
  private static func kernelCos(_ x: Double, _ y: Double) -> Double {
    let z = x * x
    let w = z * z
    let r =
      z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05))
      + w * w * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))
    let half = 0.5 * z
    let whole = 1 - half
    return whole + (((1 - whole) - half) + (z * r - x * y))
  }

  /// The tangent of x + y, |x + y| ≤ pi/4, or -1 / that.
  private static func kernelTan(_ argument: Double, _ restArgument: Double, inverse: Bool) -> Double {
    var x = argument
    var y = restArgument
    let isLarge = x.magnitude >= 0.6744
    let isNegative = x.sign == .minus
    if isLarge {
      if isNegative { (x, y) = (-x, -y) }
      x = (7.85398163397448278999e-01 - x) + (3.06161699786838301793e-17 - y)
      y = 0
    }
    let z = x * x
    let w = z * z
    let odd =
      1.33333333333201242699e-01
      + w
      * (2.18694882948595424599e-02
        + w
        * (3.59207910759131235356e-03
          + w * (5.88041240820264096874e-04 + w * (7.81794442939557092300e-05 + w * -1.85586374855275456654e-05))))
    let even =
      z
      * (5.39682539762260521377e-02
        + w
        * (8.86323982359930005737e-03
          + w
          * (1.45620945432529025516e-03
            + w * (2.46463134818469906812e-04 + w * (7.14072491382608190305e-05 + w * 2.59073051863633712884e-05)))))
    let s = z * x
    let r = y + z * (s * (odd + even) + y) + s * 3.33333333333334091986e-01
    let value = x + r
    if isLarge {
      let sign = inverse ? -1.0 : 1.0
      let v = sign - 2.0 * (x + (r - value * value / (value + sign)))
      return isNegative ? -v : v
    }
    if !inverse { return value }
    // -1 / (x + r), more exactly than the division alone.
    let top = Double(bitPattern: value.bitPattern & 0xFFFF_FFFF_0000_0000)
    let rest = r - (top - x)
    let a = -1 / value
    let a0 = Double(bitPattern: a.bitPattern & 0xFFFF_FFFF_0000_0000)
    return a0 + a * (1 + a0 * top + a0 * rest)
  }

  // MARK: Reduction

  /// x as quadrant·pi/2 + y + rest, |y| ≤ pi/4; the quadrant is right modulo 4.
  static func reducedAngle(_ x: Double) -> (quadrant: Int, y: Double, rest: Double) {
    if x.magnitude > 0x1p19 { return reducedHugeAngle(x) }
    // Rounds to the nearest whole number, ties to even: below 2^51 that is what adding this does.
    let n = x * 6.36619772367581382433e-01 + 0x1.8p52 - 0x1.8p52
    var r = x - n * 1.57079632673412561417e+00
    var w = n * 6.07710050650619224932e-11
    var y = r - w
    let exponent = Int(x.bitPattern >> 52 & 0x7FF)
    if exponent - Int(y.bitPattern >> 52 & 0x7FF) > 16 {
      var t = r
      w = n * 6.07710050630396597660e-11
      r = t - w
      w = n * 2.02226624879595063154e-21 - ((t - r) - w)
      y = r - w
      if exponent - Int(y.bitPattern >> 52 & 0x7FF) > 49 {
        t = r
        w = n * 2.02226624871116645580e-21
        r = t - w
        w = n * 8.47842766036889956997e-32 - ((t - r) - w)
        y = r - w
      }
    }
    return (Int(n), y, (r - y) - w)
  }

  /// The bits of 2/pi after the point, with 64 zeros before them.
  private static let twoOverPi: [UInt64] = [
    0x0000_0000_0000_0000, 0xA2F9_836E_4E44_1529, 0xFC27_57D1_F534_DDC0, 0xDB62_9599_3C43_9041,
    0xFE51_63AB_DEBB_C561, 0xB724_6E3A_424D_D2E0, 0x0649_2EEA_09D1_921C, 0xFE1D_EB1C_B129_A73E,
    0xE882_35F5_2EBB_4484, 0xE99C_7026_B45F_7E41, 0x3991_D639_8353_39F4, 0x9C84_5F8B_BDF9_283B,
    0x1FF8_97FF_DE05_980F, 0xEF2F_118B_5A0A_6D1F, 0x6D36_7ECF_27CB_09B7, 0x4F46_3F66_9E5F_EA2D,
    0x7527_BAC7_EBE5_F17B, 0x3D07_39F7_8A52_92EA, 0x6BFB_5FB1_1F8D_5D08, 0x5603_3046_FC7B_6BAB,
  ]

  /// x = m·2^e. Of m·2^e·(2/pi) only the last two bits before the point and what comes after it matter; 192 bits of
  /// 2/pi, from the first that can reach them, give them with 137 bits after the point.
  private static func reducedHugeAngle(_ x: Double) -> (quadrant: Int, y: Double, rest: Double) {
    let m = x.bitPattern & 0x000F_FFFF_FFFF_FFFF | 0x0010_0000_0000_0000
    let e = Int(x.bitPattern >> 52 & 0x7FF) - 1075
    let first = e + 62
    func window(_ index: Int) -> UInt64 {
      let bit = first + 64 * index
      let shift = UInt64(bit & 63)
      let high = twoOverPi[bit >> 6] << shift
      return shift == 0 ? high : high | twoOverPi[(bit >> 6) + 1] >> (64 - shift)
    }
    // The product modulo 2^192; its unit is 2^-190.
    let low = m.multipliedFullWidth(by: window(2))
    let middle = m.multipliedFullWidth(by: window(1))
    var w0 = low.low
    let (sum, carry) = middle.low.addingReportingOverflow(low.high)
    var w1 = sum
    var w2 = (m &* window(0)) &+ middle.high &+ (carry ? 1 : 0)
    var quadrant = Int(w2 >> 62)
    // The fraction, rounded to the nearer quadrant and so in -½…½, as sign and size.
    let isOver = w2 >> 61 & 1 == 1
    if isOver {
      quadrant += 1
      w0 = ~w0 &+ 1
      w1 = ~w1 &+ (w0 == 0 ? 1 : 0)
      w2 = ~w2 &+ (w0 == 0 && w1 == 0 ? 1 : 0)
    }
    w2 &= 0x3FFF_FFFF_FFFF_FFFF
    var (y, rest) = angle(w2, w1, w0: w0)
    if isOver != (x < 0) { (y, rest) = (-y, -rest) }
    return (x < 0 ? -quadrant : quadrant, y, rest)
  }

  /// pi/2 times a fraction of unit 2^-190, as two Doubles.
  private static func angle(_ w2: UInt64, _ w1: UInt64, w0: UInt64) -> (Double, Double) {
    // Four parts of at most 53 bits each add up to the fraction exactly enough; the sums are exact (Fast2Sum).
    let parts = [
      Double(w2 >> 31) * 0x1p-31, Double(w2 & 0x7FFF_FFFF) * 0x1p-62, Double(w1 >> 32) * 0x1p-94,
      Double(w1 & 0xFFFF_FFFF) * 0x1p-126 + Double(w0 >> 32) * 0x1p-158,
    ]
    var high = 0.0
    var low = 0.0
    for part in parts {
      let sum = high + part
      let error = high == 0 ? 0 : (high - sum) + part
      high = sum
      low += error
    }
    let fraction = high + low
    let left = (high - fraction) + low
    // The product with pi/2 in two Doubles; fused, which is exact on every machine.
    let y = fraction * 1.57079632679489655800e+00
    let error = (-y).addingProduct(fraction, 1.57079632679489655800e+00)
    let rest = error + (fraction * 6.12323399573676603587e-17 + left * 1.57079632679489655800e+00)
    let sum = y + rest
    return (sum, (y - sum) + rest)
  }
}
