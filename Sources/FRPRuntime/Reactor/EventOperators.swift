// Event to event, within one instant. Functions see behaviors as they were just before it (`old`).
//
// Occurrences of an entry lie side by side in `occurrences`; what passes unchanged is shown in place, without a copy.

import FRPCore
import FRPGraph

extension Reactor {
  /// map(e, f) = [(ti, f(ti)(ai))]
  func runMap(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    let start = live.occurrenceCount
    let function = code(site.entry.pointee.code)
    for place in first..<first + count {
      let value = try machine.run(function, base: site.frame.pointee.old, with: live.occurrences[place])
      if site.entry.pointee.hasStages, machine.hasSkipped { continue }
      try add(value)
    }
    emit(site, from: start)
  }

  /// filter(e, p) = those for which p(ti)(ai)
  func runFilter(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    let start = live.occurrenceCount
    let function = code(site.entry.pointee.code)
    for place in first..<first + count {
      if try machine.run(function, base: site.frame.pointee.old, with: live.occurrences[place]).bool {
        try add(live.occurrences[place])
      }
    }
    emit(site, from: start)
  }

  /// filterMap(e, f) = the contents of every Some that f gives
  func runFilterMap(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    let start = live.occurrenceCount
    let function = code(site.entry.pointee.code)
    for place in first..<first + count {
      let option = try machine.run(function, base: site.frame.pointee.old, with: live.occurrences[place])
      if option.isObject { try add(option.field(0)) }
    }
    emit(site, from: start)
  }

  /// scan(e, x0, f) = [(ti, f(...f(x0, a1)..., ai))]
  func runScan(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    if count == 0 { return }
    let start = live.occurrenceCount
    let state = site.state
    let step = code(site.entry.pointee.code)
    var value = state[0]
    for place in first..<first + count {
      let next = try machine.run(step, base: site.frame.pointee.old, with: value, live.occurrences[place])
      if site.entry.pointee.hasStages, machine.hasSkipped { continue }
      value = site.entry.pointee.hasTail ? machine.firstParameter : next
      try add(next)
    }
    set(state, value)
    emit(site, from: start)
  }

  /// mapAccum(e, s0, f) = [(ti, bi)] where (si, bi) = f(s(i-1), ai)
  func runMapAccum(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    let start = live.occurrenceCount
    let state = site.state
    let step = code(site.entry.pointee.code)
    for place in first..<first + count {
      let pair = try machine.run(step, base: site.frame.pointee.old, with: state[0], live.occurrences[place])
      set(state, pair.field(0))
      try add(pair.field(1))
    }
    emit(site, from: start)
  }

  /// merge(a, b) = both, by time; in one instant first those of a, then those of b
  func runMerge(_ site: EntrySite) throws(Fault) {
    let list = operands + Int(site.entry.pointee.operands)
    let start = live.occurrenceCount
    // Those of the first that has any: shown where they are, unless others follow.
    var leading = (start: 0, count: 0)
    var isCopied = false
    for place in 0..<Int(site.entry.pointee.count) {
      let found = occurred(site.frame, list[place])
      if found.count == 0 { continue }
      if leading.count == 0 {
        leading = found
        continue
      }
      if !isCopied { try copy(leading) }
      isCopied = true
      try copy(found)
    }
    if isCopied {
      emit(site, from: start)
    } else if leading.count > 0 {
      show(site, from: leading.start, count: leading.count)
    }
  }

  /// Adds occurrences that are there already.
  @inline(__always)
  private func copy(_ found: (start: Int, count: Int)) throws(Fault) {
    var place = found.start
    while place < found.start &+ found.count {
      try add(live.occurrences[place])
      place &+= 1
    }
  }

  /// take(e, n): the first n
  func runTake(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    let state = site.state
    let taken = min(count, max(0, state[0].int))
    if taken == 0 { return }
    set(state, Word(int: state[0].int - taken))
    show(site, from: first, count: taken)
  }

  /// drop(e, n): all but the first n
  func runDrop(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    if count == 0 { return }
    let state = site.state
    let dropped = min(count, max(0, state[0].int))
    if dropped > 0 { set(state, Word(int: state[0].int - dropped)) }
    if dropped < count { show(site, from: first + dropped, count: count - dropped) }
  }

  /// takeWhile(e, p): those before the first that fails; takeThrough(e, p): and that one, where `through` is 1
  func runTakeWhile(_ site: EntrySite, through: Int = 0) throws(Fault) {
    let (first, count) = fed(site)
    let state = site.state
    if count == 0 || state[0].bool { return }
    var taken = 0
    while taken < count {
      let word = live.occurrences[first + taken]
      if !(try machine.run(code(site.entry.pointee.code), base: site.frame.pointee.old, with: word).bool) {
        set(state, Word(bool: true))
        taken += through
        break
      }
      taken += 1
    }
    if taken > 0 { show(site, from: first, count: taken) }
  }

  /// dropWhile(e, p): those from the first that fails on
  func runDropWhile(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    if count == 0 { return }
    let state = site.state
    var dropped = 0
    if !state[0].bool {
      while dropped < count {
        let word = live.occurrences[first + dropped]
        if !(try machine.run(code(site.entry.pointee.code), base: site.frame.pointee.old, with: word).bool) { break }
        dropped += 1
      }
      if dropped == count { return }
      set(state, Word(bool: true))
    }
    show(site, from: first + dropped, count: count - dropped)
  }

  /// takeUntil(e, stop): those before the instant of stop's first occurrence
  func runTakeUntil(_ site: EntrySite) {
    let state = site.state
    if state[0].bool { return }
    if occurred(site.frame, site.entry.pointee.second).count > 0 {
      set(state, Word(bool: true))
      return
    }
    let (first, count) = fed(site)
    if count > 0 { show(site, from: first, count: count) }
  }

  /// dropUntil(e, s): those from the instant of s's first occurrence on, which is included
  func runDropUntil(_ site: EntrySite) {
    let state = site.state
    if !state[0].bool {
      if occurred(site.frame, site.entry.pointee.second).count == 0 { return }
      set(state, Word(bool: true))
    }
    let (first, count) = fed(site)
    if count > 0 { show(site, from: first, count: count) }
  }

  /// distinct(e): drops what equals the occurrence before it
  func runDistinct(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    if count == 0 { return }
    let start = live.occurrenceCount
    let state = site.state
    var hasLast = state[0].bool
    var last = state[1]
    for place in first..<first + count {
      let word = live.occurrences[place]
      if hasLast, heap.equal(word, last, type: site.entry.pointee.type) { continue }
      hasLast = true
      last = word
      try add(word)
    }
    set(state, Word(bool: hasLast))
    set(state + 1, last)
    emit(site, from: start)
  }

  /// pairwise(e): each with the one before it
  func runPairwise(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    if count == 0 { return }
    let start = live.occurrenceCount
    let state = site.state
    var last = state[1]
    for place in first..<first + count {
      let word = live.occurrences[place]
      if place > first || state[0].bool { try add(try heap.construct(site.entry.pointee.type, last, word)) }
      last = word
    }
    set(state, Word(bool: true))
    set(state + 1, last)
    emit(site, from: start)
  }

  /// zip(a, b): the n-th of one with the n-th of the other
  func runZip(_ site: EntrySite) throws(Fault) {
    let state = site.state
    let left = Queue(state)
    let right = Queue(state + QueueState.words)
    let a = fed(site)
    for place in a.start..<a.start + a.count { append(left, live.occurrences[place]) }
    let b = occurred(site.frame, site.entry.pointee.second)
    for place in b.start..<b.start + b.count { append(right, live.occurrences[place]) }
    let pairs = min(left.count, right.count)
    if pairs == 0 { return }
    let start = live.occurrenceCount
    for pair in 0..<pairs {
      try add(try heap.construct(site.entry.pointee.type, left.element(pair)[0], right.element(pair)[0]))
    }
    dropFirst(left, pairs)
    dropFirst(right, pairs)
    emit(site, from: start)
  }

  /// both(a, b): pairs of what the two have in this instant, n-th with n-th
  func runBoth(_ site: EntrySite) throws(Fault) {
    let a = fed(site)
    let b = occurred(site.frame, site.entry.pointee.second)
    let start = live.occurrenceCount
    for place in 0..<min(a.count, b.count) {
      let (left, right) = (live.occurrences[a.start + place], live.occurrences[b.start + place])
      try add(try heap.construct(site.entry.pointee.type, left, right))
    }
    emit(site, from: start)
  }

  /// except(a, b): those of a in instants in which b has none
  func runExcept(_ site: EntrySite) {
    if occurred(site.frame, site.entry.pointee.second).count > 0 { return }
    let (first, count) = fed(site)
    if count > 0 { show(site, from: first, count: count) }
  }

  /// spill(e): each element of each list, in order
  func runSpill(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    let start = live.occurrenceCount
    for place in first..<first + count {
      for element in ListView(live.occurrences[place]) { try add(element) }
    }
    emit(site, from: start)
  }

  /// coalesce(e, f): the occurrences of one instant, folded into one
  func runCoalesce(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    if count == 0 { return }
    if count == 1 {
      show(site, from: first, count: 1)
      return
    }
    var value = live.occurrences[first]
    for place in first + 1..<first + count {
      value = try machine.run(
        code(site.entry.pointee.code), base: site.frame.pointee.old, with: value, live.occurrences[place])
    }
    let start = live.occurrenceCount
    try add(value)
    emit(site, from: start)
  }

  /// buffer(e, n): every n as one list
  func runBuffer(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    if count == 0 { return }
    let state = site.state
    let size = max(1, state[0].int)
    let waiting = Queue(state + 1)
    let start = live.occurrenceCount
    for place in first..<first + count {
      append(waiting, live.occurrences[place])
      if waiting.count >= size {
        try add(try list(of: waiting, count: size, type: site.entry.pointee.inputType))
        dropFirst(waiting, size)
      }
    }
    emit(site, from: start)
  }

  func startSliding(_ state: Address, _ pair: Word) {
    let count = max(1, pair.field(0).int)
    state[SlidingState.count] = Word(int: count)
    state[SlidingState.step] = Word(int: max(1, pair.field(1).int))
    state[SlidingState.left] = Word(int: count)
    state[SlidingState.last] = 0
  }

  /// buffer(e, n, step): the last n at every step-th, from the n-th. Cost: amortised O(1) an occurrence, since each list shares
  /// with the one before what both have.
  func runBufferEvery(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    if count == 0 { return }
    let state = site.state
    let size = state[SlidingState.count].int
    let step = state[SlidingState.step].int
    var left = state[SlidingState.left].int
    let waiting = Queue(state + SlidingState.queue)
    let start = live.occurrenceCount
    for place in first..<first + count {
      left -= 1
      if left < size { append(waiting, live.occurrences[place]) }
      if left > 0 { continue }
      try add(try nextList(site, waiting, size: size, step: step))
      dropFirst(waiting, min(step, size))
      left = step
    }
    set(state + SlidingState.left, Word(int: left))
    emit(site, from: start)
  }

  /// The elements that wait, as the end of the last list and what has come since.
  private func nextList(_ site: EntrySite, _ waiting: Queue, size: Int, step: Int) throws(Fault) -> Word {
    let type = site.entry.pointee.inputType
    // Lists that have nothing in common are made one by one, and none is kept.
    if step >= size { return try list(of: waiting, count: size, type: type) }
    let last = site.state + SlidingState.last
    let hasReferences = heap.shapes.isReference(type)
    var next = last.pointee
    if next == 0 {
      next = try list(of: waiting, count: size, type: type)
    } else {
      next = try heap.suffix(next, size - step, references: hasReferences)
      for place in size - step..<size {
        next = try heap.append(next, waiting.element(place).pointee, references: hasReferences)
      }
    }
    set(last, next)
    return next
  }

  /// batch(e, ticks): at each tick the list since the last; those of the tick's own instant belong to the next
  func runBatch(_ site: EntrySite) throws(Fault) {
    let waiting = Queue(site.state)
    try giveOut(waiting, times: fed(site).count, at: site)
  }

  /// Shows all that waits as one list; further occurrences of the same instant find nothing.
  private func giveOut(
    _ waiting: Queue, times: Int, at site: EntrySite
  ) throws(Fault) {
    if times == 0 { return }
    let start = live.occurrenceCount
    let size = waiting.count
    try add(try list(of: waiting, count: size, type: site.entry.pointee.inputType))
    dropFirst(waiting, size)
    for _ in 1..<times { try add(heap.emptyList) }
    emit(site, from: start)
  }

  /// bufferUntil(e, end): at each end the list since the last; those of the end's own instant belong to it
  func runBufferUntil(_ site: EntrySite) throws(Fault) {
    let waiting = Queue(site.state)
    let (first, count) = fed(site)
    for place in first..<first + count { append(waiting, live.occurrences[place]) }
    try giveOut(waiting, times: occurred(site.frame, site.entry.pointee.second).count, at: site)
  }

  func runBatchFeed(_ site: EntrySite) {
    let source = site.frame.pointee.template.pointee.entries + Int(site.entry.pointee.partner)
    let waiting = Queue(site.frame.pointee.state + Int(source.pointee.state))
    let (first, count) = fed(site)
    for place in first..<first + count { append(waiting, live.occurrences[place]) }
  }

  /// A list of the oldest elements of a queue; with two words each, of the second.
  func list(of queue: Queue, count: Int, type: TypeID) throws(Fault) -> Word {
    if count == 0 { return heap.emptyList }
    var builder = try ListBuilder(heap, references: heap.shapes.isReference(type), capacity: count)
    for place in 0..<count { try builder.append(queue.element(place)[queue.width - 1]) }
    return try builder.finish()
  }
}
