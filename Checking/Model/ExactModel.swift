// Exact sums of Floats, rounded once: by lists of Floats that do not overlap (Shewchuk, "Adaptive precision floating-point
// arithmetic", 1997), and not by digits, as the engine does it.

import Foundation

enum ExactModel {
  /// The exact sum, to the nearest Float.
  static func sum(_ numbers: [Double]) -> Double {
    let scale = scale(numbers, below: 900)
    return rounded(parts(numbers.map { scalbn($0, -scale) })) * scalbn(1, scale)
  }

  /// The variance of a sample: n·Σx² - (Σx)², exactly, by n·(n - 1).
  static func variance(_ numbers: [Double]) -> Double {
    let scale = scale(numbers, below: 0)
    let scaled = numbers.map { scalbn($0, -scale) }
    let count = Double(numbers.count)
    var terms: [Double] = []
    for square in scaled.flatMap({ product($0, $0) }) { terms += product(count, square) }
    let sum = parts(scaled)
    for x in sum { for y in sum { terms += product(-x, y) } }
    return scalbn(rounded(parts(terms)) / (count * (count - 1)), 2 * scale)
  }

  /// By how many bits the numbers must be smaller for all to be below 2^limit.
  private static func scale(_ numbers: [Double], below limit: Int) -> Int {
    let greatest = numbers.map(\.magnitude).max() ?? 0
    return greatest == 0 ? 0 : max(limit == 0 ? Int.min : 0, Int(greatest.exponent) + 1 - limit)
  }

  private static func product(_ x: Double, _ y: Double) -> [Double] {
    let high = x * y
    return [high, (-high).addingProduct(x, y)]
  }

  /// Floats with the same sum that do not overlap, the smallest first.
  private static func parts(_ numbers: [Double]) -> [Double] {
    var parts: [Double] = []
    for number in numbers {
      var rest = number
      var smaller: [Double] = []
      for part in parts {
        let (large, small) = rest.magnitude < part.magnitude ? (part, rest) : (rest, part)
        rest = large + small
        let lost = small - (rest - large)
        if lost != 0 { smaller.append(lost) }
      }
      parts = smaller + [rest]
    }
    return parts
  }

  private static func rounded(_ parts: [Double]) -> Double {
    var left = parts
    var sum = left.popLast() ?? 0
    var lost = 0.0
    while lost == 0, let next = left.popLast() {
      let before = sum
      sum = before + next
      lost = next - (sum - before)
    }
    // Half of the last bit was lost: what is still smaller says to which side.
    if let next = left.last, (lost < 0) == (next < 0), lost != 0 {
      let twice = lost * 2
      if (sum + twice) - sum == twice { sum += twice }
    }
    return sum + 0.0
  }
}
