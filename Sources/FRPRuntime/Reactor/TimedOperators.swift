// Operators that wait. What is due is taken out and shown when the instant is seeded, for good: a fault consumes it.
// What comes in is taken by the entry's feed, at its place in the order.

import FRPCore
import FRPGraph

extension Reactor {
  // MARK: Firing

  @inline(__always)
  func isDue(_ word: Word) -> Bool { Int64(bitPattern: word) <= now.nanoseconds }

  func showOne(_ site: EntrySite, _ word: Word) throws(Fault) {
    let start = live.occurrenceCount
    try add(word)
    emit(site, from: start)
  }

  /// Arms the timer of a queue's oldest element.
  func armHead(_ site: EntrySite, _ queue: Queue) {
    if !queue.isEmpty { armForGood(site, due: Int64(bitPattern: queue.element(0)[0])) }
  }

  /// every(d) = [(k·d, ()) | k = 1, 2, …], exactly
  func fireEvery(_ site: EntrySite) throws(Fault) {
    site.state[TimedState.ticks] &+= 1
    armForGood(site, due: nextTick(site.state))
    try showOne(site, Word.unit)
  }

  /// When tick `ticks + 1` is due.
  func nextTick(_ state: Address) -> Int64 { TimedState.nextTick(UnsafePointer(state)) }

  /// delay(e, d) = [(ti + d, ai)]
  func fireDelay(_ site: EntrySite) throws(Fault) {
    let queue = Queue(site.state + TimedState.queue, width: 2)
    let start = live.occurrenceCount
    while !queue.isEmpty, isDue(queue.element(0)[0]) {
      try add(queue.element(0)[1])
      queue.dropFirstForGood()
    }
    armHead(site, queue)
    emit(site, from: start)
  }

  /// What `debounce` or `audit` keeps.
  func firePayload(_ site: EntrySite) throws(Fault) {
    let state = site.state
    if state[TimedState.isWaiting] == 0 { return }
    let payload = state[TimedState.payload]
    state[TimedState.isWaiting] = 0
    state[TimedState.payload] = 0
    try showOne(site, payload)
  }

  /// What has become too old for a window.
  func fireWindow(_ site: EntrySite) {
    let queue = Queue(site.state + TimedState.queue, width: 2)
    while !queue.isEmpty, isDue(queue.element(0)[0]) { queue.dropFirstForGood() }
    armHead(site, queue)
    mark(site)
  }

  // MARK: Taking in

  /// The due time of something that takes the entry's duration from now on; now itself for the next micro-step.
  func due(_ state: Address) -> Int64 {
    let duration = state[TimedState.duration].float
    return duration <= 0 ? now.nanoseconds : max(now.nanoseconds, Clock.due(now, after: duration))
  }

  func runDelayFeed(_ site: EntrySite) {
    let (first, count) = fed(site)
    if count == 0 { return }
    let (source, state) = (site.partner, site.partner.state)
    let queue = Queue(state + TimedState.queue, width: 2)
    let time = due(state)
    for place in first..<first + count { append(queue, Word(bitPattern: time), second: live.occurrences[place]) }
    armIfFirst(source, due: time)
  }

  /// Arms the timer if nothing was waiting before.
  func armIfFirst(_ site: EntrySite, due time: Int64) {
    if time <= now.nanoseconds {
      cause(site)
    } else if !isArmed(site.state[TimedState.timer]) {
      arm(site, due: time)
    }
  }

  func isArmed(_ word: Word) -> Bool { word != 0 && live.timers.rows[Int(word) - 1].place >= 0 }

  /// debounce(e, d): x at t comes out at t + d if no other came after it and before that timer's instant
  func runDebounceFeed(_ site: EntrySite) {
    let (first, count) = fed(site)
    if count == 0 { return }
    let (source, state) = (site.partner, site.partner.state)
    set(state + TimedState.isWaiting, 1)
    set(state + TimedState.payload, live.occurrences[first + count - 1])
    arm(source, due: due(state))
  }

  /// audit(e, d): the first opens a window of d; at its end the newest comes out
  func runAuditFeed(_ site: EntrySite) {
    let (first, count) = fed(site)
    if count == 0 { return }
    let (source, state) = (site.partner, site.partner.state)
    let isOpen = state[TimedState.isWaiting] != 0
    set(state + TimedState.payload, live.occurrences[first + count - 1])
    if isOpen { return }
    set(state + TimedState.isWaiting, 1)
    arm(source, due: due(state))
  }

  /// throttle(e, d): first comes out, then nothing for less than d
  func runThrottle(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    if count == 0 { return }
    let state = site.state
    if state[TimedState.hasPassed] != 0, !isDue(state[TimedState.openAt]) { return }
    set(state + TimedState.hasPassed, 1)
    set(state + TimedState.openAt, Word(bitPattern: due(state)))
    show(site, from: first, count: 1)
  }

  /// window(e, d): those in (t - d, t]. What has become too old leaves in the first instant of that clock time in which
  /// something comes, else by itself after the inputs of that time.
  func runWindow(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    let state = site.state
    let queue = Queue(state + TimedState.queue, width: 2)
    let isHeadOld = count > 0 && dropTooOld(queue)
    let kept = queue.count
    if count > 0 {
      let time = due(state)
      for place in first..<first + count { append(queue, Word(bitPattern: time), second: live.occurrences[place]) }
      if isHeadOld {
        arm(site, due: Int64(bitPattern: queue.element(0)[0]))
      } else {
        armIfFirst(site, due: time)
      }
    }
    let slot = site.new
    if machine.poison(at: slot) != nil || heap.count(slot.pointee) < kept {
      set(state + TimedState.run, 0)
      store(site, try list(of: queue, count: queue.count, type: site.entry.pointee.inputType))
    } else {
      try slide(site, kept: kept, from: first, count: count)
    }
  }

  /// Gives a window its new value: the last `kept` of those that it has, and `count` occurrences. Cost: amortised O(1) an
  /// occurrence; only where several come and as many go in one instant may the two lists have to be compared.
  private func slide(
    _ site: EntrySite, kept: Int, from first: Int, count: Int
  ) throws(Fault) {
    let run = site.state + TimedState.run
    let before = site.new.pointee
    let size = heap.count(before)
    let element = site.entry.pointee.inputType
    let hasReferences = heap.shapes.isReference(element)
    var list = try heap.suffix(before, kept, references: hasReferences)
    var equal = run.pointee == 0 ? lastEqual(before, element) : Int(run.pointee)
    var last = size > 0 ? heap.element(before, size - 1) : 0
    for place in first..<first + count {
      let next = live.occurrences[place]
      equal = equal > 0 && heap.equal(last, next, type: element) ? equal + 1 : 1
      last = next
      list = try heap.append(list, next, references: hasReferences)
    }
    if heap.count(list) == 0 { equal = 0 }
    set(run, Word(UInt(equal)))
    let isSame: Bool
    if kept + count != size || size == 0 {
      isSame = kept + count == size
    } else if count < 2 {
      // One came and one left, or nothing did: the same only if all of them are.
      isSame = count == 0 || equal > size
    } else {
      isSame = equal >= size + count || heap.equal(before, list, type: site.entry.pointee.type)
    }
    if !isSame { return replace(site, list) }
    // Nobody sees a difference, but the next one is appended to this list.
    site.new.pointee = list
    noteChange(site.old, site.new)
  }

  /// How many elements at the end of a list are equal.
  private func lastEqual(_ list: Word, _ type: TypeID) -> Int {
    let view = ListView(list)
    var count = min(1, view.count)
    while count < view.count, heap.equal(view[view.count - count - 1], view[view.count - 1], type: type) { count += 1 }
    return count
  }

  /// Takes out what has become too old, unless the instant faults; gives whether there was any.
  @inline(__always)
  private func dropTooOld(_ queue: Queue) -> Bool {
    var old = 0
    while old < queue.count, isDue(queue.element(old)[0]) { old += 1 }
    if old > 0 { dropFirst(queue, old) }
    return old > 0
  }

  // MARK: delay of a step behavior: its changes, later

  func runDelayBehaviorFeed(_ site: EntrySite) throws(Fault) {
    let operand = site.entry.pointee.first
    let home = outer(site.frame, operand.up)
    let (source, state) = (site.partner, site.partner.state)
    let queue = Queue(state + TimedState.queue, width: 2)
    let time = due(state)
    if site.entry.pointee.isContinuous {
      // It jumped; then so does its delay, whose value the solver knows.
      append(queue, Word(bitPattern: time), second: 0)
      armIfFirst(source, due: time)
      live.solver?.delays.jumped(RowOwner(source), due: time)
      return
    }
    if let fault = machine.poison(at: home.pointee.new + Int(operand.slot)) {
      // What had no value before and has none now has not changed.
      if machine.poison(at: home.pointee.old + Int(operand.slot)) != nil { return }
      throw fault
    }
    append(queue, Word(bitPattern: time), second: home.pointee.new[Int(operand.slot)])
    armIfFirst(source, due: time)
  }

  func fireDelayBehavior(_ site: EntrySite) {
    let queue = Queue(site.state + TimedState.queue, width: 2)
    var value: Word?
    var count = 0
    while !queue.isEmpty, isDue(queue.element(0)[0]) {
      value = queue.element(0)[1]
      count += 1
      queue.dropFirstForGood()
    }
    armHead(site, queue)
    if site.entry.pointee.isContinuous {
      live.solver?.delays.show(count, of: RowOwner(site))
      touch(site)
    } else if let value {
      store(site, value)
    }
  }
}

extension TimedState {
  /// Of the words of an `every`: when tick `ticks + 1` is due.
  static func nextTick(_ state: UnsafePointer<Word>) -> Int64 {
    let offset = state[period].float * Double(state[ticks] &+ 1)
    let start = Int64(bitPattern: state[startNanoseconds])
    let seconds = state[startSeconds].float
    if Double(start) / 1e9 == seconds { return Clock.adding(start, Clock.nanoseconds(offset)) }
    return Clock.nanoseconds(seconds + offset)
  }
}
