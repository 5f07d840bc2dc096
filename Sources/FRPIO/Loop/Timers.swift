// What is due when: a binary heap in which each timer knows its place, so that cancelling takes it out at once.
// Timeouts of calls are nearly all cancelled; kept to their end they would be the largest part of the memory.

/// A call that is due at a moment. On the loop's thread only.
public final class IOTimer {
  /// On the clock of `IOLoop.now`.
  public let moment: Int
  fileprivate var body: (() -> Void)?
  fileprivate var place = -1
  /// Those of one moment are called in the order in which they were set.
  fileprivate var number = 0
  fileprivate weak var heap: TimerHeap?

  init(moment: Int, _ body: @escaping () -> Void) { (self.moment, self.body) = (moment, body) }

  /// It is not called any more. Cost: O(log n).
  public func cancel() {
    body = nil
    heap?.remove(self)
  }

  fileprivate func isBefore(_ other: IOTimer) -> Bool { (moment, number) < (other.moment, other.number) }
}

final class TimerHeap {
  private var timers: [IOTimer] = []
  private var lastNumber = 0

  func insert(_ timer: IOTimer) {
    lastNumber += 1
    (timer.number, timer.heap, timer.place) = (lastNumber, self, timers.count)
    timers.append(timer)
    rise(timer)
  }

  /// Nanoseconds until the first is due; -1 where there is none.
  var wait: Int { timers.isEmpty ? -1 : max(0, timers[0].moment - IOLoop.now) }

  /// Calls what is due; what these set to the same moment waits for the next turn.
  func run() {
    if timers.isEmpty { return }
    let (now, last) = (IOLoop.now, lastNumber)
    while let first = timers.first, first.moment <= now, first.number <= last {
      remove(first)
      let body = first.body
      first.body = nil
      body?()
    }
  }

  func remove(_ timer: IOTimer) {
    let place = timer.place
    if place < 0 { return }
    timer.place = -1
    let last = timers.removeLast()
    if last === timer { return }
    put(last, place)
    rise(last)
    sink(last)
  }

  private func put(_ timer: IOTimer, _ place: Int) {
    timers[place] = timer
    timer.place = place
  }

  private func rise(_ timer: IOTimer) {
    var place = timer.place
    while place > 0, timer.isBefore(timers[(place - 1) / 2]) {
      put(timers[(place - 1) / 2], place)
      place = (place - 1) / 2
    }
    put(timer, place)
  }

  private func sink(_ timer: IOTimer) {
    var place = timer.place
    while true {
      var child = 2 * place + 1
      if child >= timers.count { break }
      if child + 1 < timers.count, timers[child + 1].isBefore(timers[child]) { child += 1 }
      if !timers[child].isBefore(timer) { break }
      put(timers[child], place)
      place = child
    }
    put(timer, place)
  }
}
