// How measurements lie: least, quartiles, median, and within which bounds a median is.

struct Spread {
  private let sorted: [Double]

  init(_ values: [Double]) { sorted = values.sorted() }

  var count: Int { sorted.count }
  var least: Double { sorted.first ?? 0 }
  var median: Double { quantile(0.5) }
  var lowerQuartile: Double { quantile(0.25) }
  var upperQuartile: Double { quantile(0.75) }

  /// Between two values in proportion.
  private func quantile(_ part: Double) -> Double {
    if sorted.isEmpty { return 0 }
    let place = part * Double(sorted.count - 1)
    let low = Int(place)
    let high = min(low + 1, sorted.count - 1)
    return sorted[low] + (sorted[high] - sorted[low]) * (place - Double(low))
  }

  /// Where the median of all that could be measured lies with a probability of 95 % or more, whatever the distribution: from
  /// the k-th least to the k-th greatest value, k so that a fair coin shows fewer than k heads in at most 2.5 % of cases. Nil
  /// for fewer than six values.
  var interval: ClosedRange<Double>? {
    let count = sorted.count
    var k = 0
    var chance = 0.0
    var term = Double(sign: .plus, exponent: -count, significand: 1)
    while k < count / 2, chance + term <= 0.025 {
      chance += term
      term *= Double(count - k) / Double(k + 1)
      k += 1
    }
    return k == 0 ? nil : sorted[k - 1]...sorted[count - k]
  }
}
