// No Float is infinite: an integral that is a polynomial stands still where it, or its rate, would leave them.
//
// In: the polynomials that a restart has found. Out: the last moment at which all of them are Floats.

/// A power of 2, by which what is beyond the largest Float can be told from it.
private let shrunk = 0x1p-64

extension ContinuousGroup {
  /// Later than any clock comes.
  private static let end = Double(Int64.max) / 1e9

  /// Finds where a polynomial leaves the Floats first.
  func findLeaving() {
    for index in integrals.indices where !integrals[index].isFrozen && !polynomials[index].isConstant {
      // Hardly any comes near them.
      if polynomials[index].size(at: Self.end) < .greatestFiniteMagnitude { continue }
      let time = origin + min(lastFinite(polynomials[index]), lastFinite(polynomials[index].derivative))
      if time < leaving.time { leaving = (time, index) }
    }
  }

  /// The last moment, in seconds, up to which the values of a polynomial are Floats.
  private func lastFinite(_ polynomial: Polynomial) -> Double {
    var last = Double.infinity
    for sign in [1.0, -1.0] {
      var list = (0...polynomial.degree).map { sign * shrunk * polynomial[$0] }
      list[0] -= shrunk * .greatestFiniteMagnitude
      let beyond = Polynomial(list)
      let first = beyond.signAfterZero > 0 ? 0 : beyond.firstChange(from: -1, within: Self.end)
      if let first { last = min(last, max(0, first.nextDown)) }
    }
    return last
  }

  /// Lets the integral stand still that leaves the Floats first, as one whose rate faults.
  func stopLeaving() {
    fault = .notFinite
    freeze(.fault(component: leaving.index))
  }
}

extension Polynomial {
  /// The value after `s` seconds, also where a part of the sum is beyond the Floats; beyond them, the largest one.
  func floatValue(at s: Double) -> Double {
    let value = value(at: s)
    if value.isFinite { return value }
    let small = (0...degree).reversed().reduce(0.0) { $0 * s + shrunk * self[$1] }
    let limit = shrunk * Double.greatestFiniteMagnitude
    return min(max(small, -limit), limit) / shrunk
  }
}
