// What an integral was, for as long as a delayed behavior may ask.
//
// In: the pieces that its group leaves behind, a step or a polynomial each. Out: its value at a past moment, on either
// side of an instant. Memory: pieces of the last `keep` seconds.

import FRPGraph

/// A stretch of time in which an integral was smooth.
struct IntegralPiece {
  var start: Double
  var end: Double
  var course: Course

  enum Course {
    /// Counting from a moment.
    case polynomial(Polynomial, origin: Double)
    /// An interpolant over a step that may have ended later; see `Stepper`.
    case step(start: Double, end: Double, last: Double, rows: SIMD8<Double>)
  }

  func value(at t: Double) -> Double {
    switch course {
    case .polynomial(let polynomial, let origin): return polynomial.floatValue(at: t - origin)
    case .step(let start, let end, let last, let rows):
      return t >= end ? last : Stepper.interpolate(rows, (t - start) / (end - start))
    }
  }
}

final class IntegralHistory {
  /// Its slot in `new`.
  let slot: Address
  /// Seconds.
  private var keep = 0.0
  /// How many delayed behaviors ask.
  var users = 0
  /// Oldest first; those before `first` are forgotten.
  private var pieces: [IntegralPiece] = []
  private var first = 0
  /// Its value before all pieces.
  private let initial: Double

  init(slot: Address) {
    self.slot = slot
    initial = slot.pointee.float
  }

  /// At least so many seconds are kept from now on.
  func raise(to seconds: Double) { keep = max(keep, seconds) }

  /// Forgets what was only foreseen.
  func cut(at t: Double) {
    while let last = pieces.last, last.end > t, pieces.count > first {
      if last.start < t {
        pieces[pieces.count - 1].end = t
        return
      }
      pieces.removeLast()
    }
  }

  func add(_ piece: IntegralPiece, present: Double) {
    pieces.append(piece)
    while first < pieces.count - 1, pieces[first].end < min(piece.end, present) - keep { first += 1 }
    if first > 64, first * 2 > pieces.count {
      pieces.removeFirst(first)
      first = 0
    }
  }

  /// The pieces that touch a stretch of time, oldest first; what comes before them all is like the start of the first.
  func forEachPiece(from low: Double, to high: Double, visit: (IntegralPiece) -> Void) {
    for index in firstPiece(since: low)..<pieces.count {
      if pieces[index].start > high { return }
      visit(pieces[index])
    }
  }

  /// The first piece that ends at `t` or later.
  private func firstPiece(since t: Double) -> Int {
    var low = first
    var high = pieces.count
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].end < t { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The value at a moment that the present piece does not cover; `before`: on the left side of a jump there.
  func value(at t: Double, before: Bool) -> Double {
    var low = first
    var high = pieces.count
    // The last piece that starts before t, or at t for the right side.
    while low < high {
      let middle = (low + high) / 2
      if before ? pieces[middle].start < t : pieces[middle].start <= t { low = middle + 1 } else { high = middle }
    }
    if low == first { return pieces.isEmpty ? initial : pieces[first].value(at: pieces[first].start) }
    return pieces[low - 1].value(at: min(t, pieces[low - 1].end))
  }
}
