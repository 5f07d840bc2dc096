// Steps that were made to see what may come, and that the clock has not passed: an instant may still come before their end.

/// Oldest first.
struct ForeseenSteps {
  private var steps: [(end: Double, pieces: [IntegralPiece])] = []
  /// Those before it have been passed.
  private var first = 0

  var isEmpty: Bool { steps.isEmpty }

  mutating func removeAll() {
    steps.removeAll(keepingCapacity: true)
    first = 0
  }

  /// Adds one to the end, where it is not over at `present`: its integrals' pieces. Forgets those that are. Cost: amortized that of the new
  /// one, however many there are.
  mutating func append(end: Double, present: Double, _ pieces: () -> [IntegralPiece]) {
    while first < steps.count, steps[first].end <= present { first += 1 }
    if first == steps.count { removeAll() }
    if first > 64, 2 * first > steps.count {
      steps.removeFirst(first)
      first = 0
    }
    if end > present { steps.append((end, pieces())) }
  }

  /// The pieces of the first step that ends at `t` or later. Cost: O(log n).
  func pieces(at t: Double) -> [IntegralPiece]? {
    let place = steps.partition { t <= $0.end }
    return place < steps.count ? steps[place].pieces : nil
  }
}
