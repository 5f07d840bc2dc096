import FRPRuntime
import Glibc
import Testing

/// Elementary functions against the system's, on many arguments of all sizes.
struct ElementaryTests {
  /// How many Doubles lie between two.
  func distance(_ a: Double, _ b: Double) -> Int {
    if a.isNaN && b.isNaN || a == b { return 0 }
    if !a.isFinite || !b.isFinite { return .max }
    func place(_ x: Double) -> Int {
      let bits = Int(Int64(bitPattern: x.magnitude.bitPattern))
      return x.sign == .minus ? -bits : bits
    }
    return Swift.abs(place(a) - place(b))
  }

  struct Arguments: Sequence, IteratorProtocol {
    var state: UInt64
    var left = 20_000
    let range: ClosedRange<Double>
    mutating func next() -> Double? {
      if left == 0 { return nil }
      left -= 1
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let x = range.lowerBound + (range.upperBound - range.lowerBound) * (Double(state >> 11) * 0x1p-53)
      // Half of them spread evenly, half over many magnitudes.
      return left & 1 == 0 ? x : x * Glibc.pow(10, -Double(state >> 5 & 15))
    }
  }

  func worst(
    _ range: ClosedRange<Double>, _ f: (Double) -> Double, _ g: (Double) -> Double
  ) -> (Int, Double) {
    var result = (0, 0.0)
    for x in Arguments(state: 12345, range: range) {
      let d = distance(f(x), g(x))
      if d > result.0 { result = (d, x) }
    }
    return result
  }

  @Test func oneArgument() {
    let cases: [(String, ClosedRange<Double>, (Double) -> Double, (Double) -> Double)] = [
      ("sin", -100...100, Elementary.sin, Glibc.sin), ("cos", -100...100, Elementary.cos, Glibc.cos),
      ("tan", -100...100, Elementary.tan, Glibc.tan), ("sin", -1e9...1e9, Elementary.sin, Glibc.sin),
      ("cos", -1e22...1e22, Elementary.cos, Glibc.cos), ("sin", -1e300...1e300, Elementary.sin, Glibc.sin),
      ("tan", -1e300...1e300, Elementary.tan, Glibc.tan), ("asin", -1...1, Elementary.asin, Glibc.asin),
      ("acos", -1...1, Elementary.acos, Glibc.acos), ("atan", -50...50, Elementary.atan, Glibc.atan),
      ("atan", -1e20...1e20, Elementary.atan, Glibc.atan), ("exp", -740...709, Elementary.exp, Glibc.exp),
      ("exp", -1...1, Elementary.exp, Glibc.exp), ("log", 0...10, Elementary.log, Glibc.log),
      ("log", 0...1e300, Elementary.log, Glibc.log), ("log2", 0...1e9, Elementary.log2, Glibc.log2),
      ("log10", 0...1e9, Elementary.log10, Glibc.log10), ("cbrt", -1e9...1e9, Elementary.cbrt, Glibc.cbrt),
    ]
    for (name, range, f, g) in cases {
      let (distance, x) = worst(range, f, g)
      // The system's cube root is up to 4 places off itself.
      #expect(distance <= (name == "cbrt" ? 5 : 2), "\(name)(\(x)) is \(f(x)), not \(g(x))")
    }
  }

  @Test func twoArguments() {
    for (x, y) in zip(
      Arguments(state: 1, range: 0...1e5), Arguments(state: 99, range: -60...60))
    {
      #expect(distance(Elementary.pow(x, y), Glibc.pow(x, y)) <= 2, "pow(\(x), \(y))")
      #expect(
        distance(Elementary.pow(1 + x * 1e-9, y * 1e9), Glibc.pow(1 + x * 1e-9, y * 1e9)) <= 2, "pow near 1: \(x)")
      #expect(distance(Elementary.atan2(y, x - 5e4), Glibc.atan2(y, x - 5e4)) <= 2, "atan2(\(y), \(x - 5e4))")
      #expect(distance(Elementary.hypot(x, y), Glibc.hypot(x, y)) <= 2, "hypot(\(x), \(y))")
    }
  }

  @Test func limits() {
    let special: [Double] = [
      0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1e300, -1e300, Double.leastNonzeroMagnitude, 0x1p-1040, 0x1p53, 0x1p64,
      .infinity, -.infinity, .nan,
      709.79, 745.2, -745.2, 1.5707963267948966, 0.7853981633974483,
    ]
    for x in special {
      for (name, f, g): (String, (Double) -> Double, (Double) -> Double) in [
        ("sin", Elementary.sin, Glibc.sin), ("cos", Elementary.cos, Glibc.cos), ("tan", Elementary.tan, Glibc.tan),
        ("asin", Elementary.asin, Glibc.asin), ("acos", Elementary.acos, Glibc.acos),
        ("atan", Elementary.atan, Glibc.atan), ("exp", Elementary.exp, Glibc.exp), ("log", Elementary.log, Glibc.log),
        ("log2", Elementary.log2, Glibc.log2), ("log10", Elementary.log10, Glibc.log10),
        ("cbrt", Elementary.cbrt, Glibc.cbrt),
      ] {
        #expect(distance(f(x), g(x)) <= 2, "\(name)(\(x)) is \(f(x)), not \(g(x))")
      }
      for y in special {
        #expect(distance(Elementary.pow(x, y), Glibc.pow(x, y)) <= 2, "pow(\(x), \(y)) is \(Elementary.pow(x, y))")
        #expect(distance(Elementary.atan2(x, y), Glibc.atan2(x, y)) <= 2, "atan2(\(x), \(y))")
        if !x.isNaN, !y.isNaN { #expect(distance(Elementary.hypot(x, y), Glibc.hypot(x, y)) <= 2, "hypot(\(x), \(y))") }
      }
    }
    for n in 0...22 { #expect(Elementary.pow(10, Double(n)) == Glibc.pow(10, Double(n)), "10^\(n)") }
    // The Double nearest to a multiple of pi/2; the system's is 8 places off here.
    #expect(Elementary.cos(6_381_956_970_095_103 * 0x1p797) == -4.68716592425462761112e-19)
  }
}
