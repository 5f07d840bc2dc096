// Steps before the newest that somebody may still ask for: groups that read this one and have not come as far, or the clock, where
// steps were made to see what may come.
//
// In: each step, as the next one begins. Out: what it knew of an integral, to the very bits that it would tell as the newest.

struct StepTrail {
  /// How many integrals a step has.
  let count: Int
  /// Step after step, the oldest first: its start and its end, then of each integral its value there, its recent size, and the rows of
  /// its interpolant.
  private var words: [Double] = []
  /// Steps before it have been passed.
  private var first = 0

  private static let head = 2
  private static let perIntegral = 10
  private var stride: Int { StepTrail.head + StepTrail.perIntegral * count }
  private var end: Int { words.count / stride }

  init(count: Int) { self.count = count }

  var isEmpty: Bool { first == end }

  mutating func removeAll() {
    words.removeAll(keepingCapacity: true)
    first = 0
  }

  /// Adds the newest step. Cost: that of its integrals, amortized.
  mutating func append(_ stepper: Stepper) {
    words.append(stepper.start)
    words.append(stepper.end)
    for index in 0..<count {
      words.append(stepper.last(index))
      words.append(stepper.recentSize(index))
      let rows = stepper.rows(index)
      for row in 0..<8 { words.append(rows[row]) }
    }
  }

  /// Forgets the steps that end by a moment.
  mutating func forget(until t: Double) {
    while first < end, words[first * stride + 1] <= t { first += 1 }
    if first == end { return removeAll() }
    if first >= 64, 2 * first >= end {
      words.removeFirst(first * stride)
      first = 0
    }
  }

  /// The first step that ends at `t` or later; nil if the newest does. Cost: O(log n).
  func step(at t: Double) -> Int? { step { t <= words[$0 * stride + 1] } }

  /// The first step that ends after `t`.
  func step(after t: Double) -> Int? { step { t < words[$0 * stride + 1] } }

  private func step(_ isThere: (Int) -> Bool) -> Int? {
    var (low, high) = (first, end)
    while low < high {
      let middle = (low + high) / 2
      if isThere(middle) { high = middle } else { low = middle + 1 }
    }
    return low < end ? low : nil
  }

  /// All steps, the oldest first.
  func forEach(_ body: (Int) -> Void) { for step in first..<end { body(step) } }

  /// The step after one; nil if that is the newest.
  func next(_ step: Int) -> Int? { step + 1 < end ? step + 1 : nil }

  func start(_ step: Int) -> Double { words[step * stride] }
  func end(_ step: Int) -> Double { words[step * stride + 1] }

  private func place(_ step: Int, _ index: Int) -> Int {
    step * stride + StepTrail.head + StepTrail.perIntegral * index
  }

  func recentSize(_ step: Int, _ index: Int) -> Double { words[place(step, index) + 1] }

  func rows(_ step: Int, _ index: Int) -> SIMD8<Double> {
    let place = place(step, index) + 2
    var rows = SIMD8<Double>.zero
    for row in 0..<8 { rows[row] = words[place + row] }
    return rows
  }

  /// An integral so many seconds after the start of a step.
  func value(_ step: Int, _ index: Int, after s: Double) -> Double {
    let length = end(step) - start(step)
    if s >= length { return words[place(step, index)] }
    if s <= 0 { return words[place(step, index) + 2] }
    return Stepper.interpolate(rows(step, index), s / length)
  }
}
