// What a step behavior was, for as long as a delayed behavior may ask.
//
// In: notes after instants. Out: its value at a past moment, on either side of an instant. Memory: the changes of the
// last `keep` seconds.

import FRPGraph

/// The changes of a step behavior that a delayed behavior reads.
final class StepLog {
  /// Its slot in `new`.
  let slot: Address
  let isReference: Bool
  private var keep = 0.0
  var users = 0
  /// When it got each value; the first has always been.
  private var times: [Double] = [-.infinity]
  private var words: [Word]

  init(slot: Address, isReference: Bool) {
    self.slot = slot
    self.isReference = isReference
    words = [slot.pointee]
  }

  /// At least so many seconds are kept from now on.
  func raise(to seconds: Double) { keep = max(keep, seconds) }

  /// After an instant: whether it has changed.
  func note(at t: Double) -> Bool {
    if words[words.count - 1] == slot.pointee { return false }
    if times[times.count - 1] == t {
      words[words.count - 1] = slot.pointee
      return true
    }
    times.append(t)
    words.append(slot.pointee)
    let old = times.firstIndex { $0 > t - keep } ?? 0
    if old > 32 {
      times.removeFirst(old - 1)
      words.removeFirst(old - 1)
    }
    return true
  }

  func word(at t: Double, before: Bool) -> Word { words[max(0, next(after: t, before: before) - 1)] }

  /// The value just after a moment, and when it changes next.
  func word(after t: Double) -> (word: Word, until: Double) {
    let next = next(after: t, before: false)
    return (words[max(0, next - 1)], next < times.count ? times[next] : .infinity)
  }

  private func next(after t: Double, before: Bool) -> Int {
    var low = 0
    var high = times.count
    while low < high {
      let middle = (low + high) / 2
      if before ? times[middle] < t : times[middle] <= t { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func visit(_ visitor: borrowing RootVisitor) {
    guard isReference else { return }
    for index in words.indices { visitor.visit(&words[index]) }
  }
}
