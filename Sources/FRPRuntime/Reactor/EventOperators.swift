// Event to event, within one instant. Functions see behaviors as they were just before it (`old`).
//
// Occurrences of an entry lie side by side in `occurrences`; what passes unchanged is shown in place, without a copy.

import FRPCore
import FRPGraph

extension Reactor {
  /// map(e, f) = [(ti, f(ti)(ai))]
  func runMap(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    let start = live.occurrenceCount
    let function = code(entry.pointee.code)
    for place in first..<first + count {
      let value = try machine.run(function, base: frame.pointee.old, live.occurrences[place])
      if entry.pointee.hasStages, machine.hasSkipped { continue }
      try add(value)
    }
    emit(frame, index, from: start)
  }

  /// filter(e, p) = those for which p(ti)(ai)
  func runFilter(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    let start = live.occurrenceCount
    let function = code(entry.pointee.code)
    for place in first..<first + count {
      if try machine.run(function, base: frame.pointee.old, live.occurrences[place]).bool {
        try add(live.occurrences[place])
      }
    }
    emit(frame, index, from: start)
  }

  /// filterMap(e, f) = the contents of every Some that f gives
  func runFilterMap(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    let start = live.occurrenceCount
    let function = code(entry.pointee.code)
    for place in first..<first + count {
      let option = try machine.run(function, base: frame.pointee.old, live.occurrences[place])
      if option.isObject { try add(option.field(0)) }
    }
    emit(frame, index, from: start)
  }

  /// scan(e, x0, f) = [(ti, f(...f(x0, a1)..., ai))]
  func runScan(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    if count == 0 { return }
    let start = live.occurrenceCount
    let state = frame.pointee.state + Int(entry.pointee.state)
    let step = code(entry.pointee.code)
    var value = state[0]
    for place in first..<first + count {
      let next = try machine.run(step, base: frame.pointee.old, value, live.occurrences[place])
      if entry.pointee.hasStages, machine.hasSkipped { continue }
      value = entry.pointee.hasTail ? machine.firstParameter : next
      try add(next)
    }
    set(state, value)
    emit(frame, index, from: start)
  }

  /// mapAccum(e, s0, f) = [(ti, bi)] where (si, bi) = f(s(i-1), ai)
  func runMapAccum(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    let start = live.occurrenceCount
    let state = frame.pointee.state + Int(entry.pointee.state)
    let step = code(entry.pointee.code)
    for place in first..<first + count {
      let pair = try machine.run(step, base: frame.pointee.old, state[0], live.occurrences[place])
      set(state, pair.field(0))
      try add(pair.field(1))
    }
    emit(frame, index, from: start)
  }

  /// merge(a, b) = both, by time; in one instant first those of a, then those of b
  func runMerge(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let list = operands + Int(entry.pointee.operands)
    let start = live.occurrenceCount
    // Those of the first that has any: shown where they are, unless others follow.
    var leading = (start: 0, count: 0)
    var isCopied = false
    for place in 0..<Int(entry.pointee.count) {
      let found = occurred(frame, list[place])
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
      emit(frame, index, from: start)
    } else if leading.count > 0 {
      show(frame, index, leading.start, leading.count)
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
  func runTake(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    let state = frame.pointee.state + Int(entry.pointee.state)
    let taken = min(count, max(0, state[0].int))
    if taken == 0 { return }
    set(state, Word(int: state[0].int - taken))
    show(frame, index, first, taken)
  }

  /// drop(e, n): all but the first n
  func runDrop(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    if count == 0 { return }
    let state = frame.pointee.state + Int(entry.pointee.state)
    let dropped = min(count, max(0, state[0].int))
    if dropped > 0 { set(state, Word(int: state[0].int - dropped)) }
    if dropped < count { show(frame, index, first + dropped, count - dropped) }
  }

  /// takeWhile(e, p): those before the first that fails; takeThrough(e, p): and that one, where `through` is 1
  func runTakeWhile(_ frame: FrameRef, _ index: Int, _ entry: EntryRef, through: Int = 0) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    let state = frame.pointee.state + Int(entry.pointee.state)
    if count == 0 || state[0].bool { return }
    var taken = 0
    while taken < count {
      let word = live.occurrences[first + taken]
      if !(try machine.run(code(entry.pointee.code), base: frame.pointee.old, word).bool) {
        set(state, Word(bool: true))
        taken += through
        break
      }
      taken += 1
    }
    if taken > 0 { show(frame, index, first, taken) }
  }

  /// dropWhile(e, p): those from the first that fails on
  func runDropWhile(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    if count == 0 { return }
    let state = frame.pointee.state + Int(entry.pointee.state)
    var dropped = 0
    if !state[0].bool {
      while dropped < count {
        let word = live.occurrences[first + dropped]
        if !(try machine.run(code(entry.pointee.code), base: frame.pointee.old, word).bool) { break }
        dropped += 1
      }
      if dropped == count { return }
      set(state, Word(bool: true))
    }
    show(frame, index, first + dropped, count - dropped)
  }

  /// takeUntil(e, stop): those before the instant of stop's first occurrence
  func runTakeUntil(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) {
    let state = frame.pointee.state + Int(entry.pointee.state)
    if state[0].bool { return }
    if occurred(frame, entry.pointee.second).count > 0 {
      set(state, Word(bool: true))
      return
    }
    let (first, count) = occurred(frame, entry.pointee.first)
    if count > 0 { show(frame, index, first, count) }
  }

  /// dropUntil(e, s): those from the instant of s's first occurrence on, which is included
  func runDropUntil(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) {
    let state = frame.pointee.state + Int(entry.pointee.state)
    if !state[0].bool {
      if occurred(frame, entry.pointee.second).count == 0 { return }
      set(state, Word(bool: true))
    }
    let (first, count) = occurred(frame, entry.pointee.first)
    if count > 0 { show(frame, index, first, count) }
  }

  /// distinct(e): drops what equals the occurrence before it
  func runDistinct(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    if count == 0 { return }
    let start = live.occurrenceCount
    let state = frame.pointee.state + Int(entry.pointee.state)
    var hasLast = state[0].bool
    var last = state[1]
    for place in first..<first + count {
      let word = live.occurrences[place]
      if hasLast, heap.equal(word, last, entry.pointee.type) { continue }
      hasLast = true
      last = word
      try add(word)
    }
    set(state, Word(bool: hasLast))
    set(state + 1, last)
    emit(frame, index, from: start)
  }

  /// pairwise(e): each with the one before it
  func runPairwise(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    if count == 0 { return }
    let start = live.occurrenceCount
    let state = frame.pointee.state + Int(entry.pointee.state)
    var last = state[1]
    for place in first..<first + count {
      let word = live.occurrences[place]
      if place > first || state[0].bool { try add(try heap.construct(entry.pointee.type, last, word)) }
      last = word
    }
    set(state, Word(bool: true))
    set(state + 1, last)
    emit(frame, index, from: start)
  }

  /// zip(a, b): the n-th of one with the n-th of the other
  func runZip(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let state = frame.pointee.state + Int(entry.pointee.state)
    let left = Queue(state)
    let right = Queue(state + QueueState.words)
    let a = occurred(frame, entry.pointee.first)
    for place in a.start..<a.start + a.count { append(left, live.occurrences[place]) }
    let b = occurred(frame, entry.pointee.second)
    for place in b.start..<b.start + b.count { append(right, live.occurrences[place]) }
    let pairs = min(left.count, right.count)
    if pairs == 0 { return }
    let start = live.occurrenceCount
    for pair in 0..<pairs {
      try add(try heap.construct(entry.pointee.type, left.element(pair)[0], right.element(pair)[0]))
    }
    dropFirst(left, pairs)
    dropFirst(right, pairs)
    emit(frame, index, from: start)
  }

  /// both(a, b): pairs of what the two have in this instant, n-th with n-th
  func runBoth(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let a = occurred(frame, entry.pointee.first)
    let b = occurred(frame, entry.pointee.second)
    let start = live.occurrenceCount
    for place in 0..<min(a.count, b.count) {
      let (left, right) = (live.occurrences[a.start + place], live.occurrences[b.start + place])
      try add(try heap.construct(entry.pointee.type, left, right))
    }
    emit(frame, index, from: start)
  }

  /// except(a, b): those of a in instants in which b has none
  func runExcept(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) {
    if occurred(frame, entry.pointee.second).count > 0 { return }
    let (first, count) = occurred(frame, entry.pointee.first)
    if count > 0 { show(frame, index, first, count) }
  }

  /// spill(e): each element of each list, in order
  func runSpill(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    let start = live.occurrenceCount
    for place in first..<first + count {
      for element in ListView(live.occurrences[place]) { try add(element) }
    }
    emit(frame, index, from: start)
  }

  /// coalesce(e, f): the occurrences of one instant, folded into one
  func runCoalesce(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    if count == 0 { return }
    if count == 1 {
      show(frame, index, first, 1)
      return
    }
    var value = live.occurrences[first]
    for place in first + 1..<first + count {
      value = try machine.run(code(entry.pointee.code), base: frame.pointee.old, value, live.occurrences[place])
    }
    let start = live.occurrenceCount
    try add(value)
    emit(frame, index, from: start)
  }

  /// buffer(e, n): every n as one list
  func runBuffer(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    if count == 0 { return }
    let state = frame.pointee.state + Int(entry.pointee.state)
    let size = max(1, state[0].int)
    let waiting = Queue(state + 1)
    let start = live.occurrenceCount
    for place in first..<first + count {
      append(waiting, live.occurrences[place])
      if waiting.count >= size {
        try add(try list(of: waiting, size, entry.pointee.inputType))
        dropFirst(waiting, size)
      }
    }
    emit(frame, index, from: start)
  }

  func startSliding(_ state: Address, _ pair: Word) {
    let count = max(1, pair.field(0).int)
    state[SlidingState.count] = Word(int: count)
    state[SlidingState.step] = Word(int: max(1, pair.field(1).int))
    state[SlidingState.left] = Word(int: count)
  }

  /// buffer(e, n, step): the last n at every step-th, from the n-th. Cost: O(1) an occurrence, and that of the lists.
  func runBufferEvery(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (first, count) = occurred(frame, entry.pointee.first)
    if count == 0 { return }
    let state = frame.pointee.state + Int(entry.pointee.state)
    let size = state[SlidingState.count].int
    let step = state[SlidingState.step].int
    var left = state[SlidingState.left].int
    let waiting = Queue(state + SlidingState.queue)
    let start = live.occurrenceCount
    for place in first..<first + count {
      left -= 1
      if left < size { append(waiting, live.occurrences[place]) }
      if left > 0 { continue }
      try add(try list(of: waiting, size, entry.pointee.inputType))
      dropFirst(waiting, min(step, size))
      left = step
    }
    set(state + SlidingState.left, Word(int: left))
    emit(frame, index, from: start)
  }

  /// batch(e, ticks): at each tick the list since the last; those of the tick's own instant belong to the next
  func runBatch(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let waiting = Queue(frame.pointee.state + Int(entry.pointee.state))
    try giveOut(waiting, times: occurred(frame, entry.pointee.first).count, frame, index, entry)
  }

  /// Shows all that waits as one list; further occurrences of the same instant find nothing.
  private func giveOut(
    _ waiting: Queue, times: Int, _ frame: FrameRef, _ index: Int, _ entry: EntryRef
  ) throws(Fault) {
    if times == 0 { return }
    let start = live.occurrenceCount
    let size = waiting.count
    try add(try list(of: waiting, size, entry.pointee.inputType))
    dropFirst(waiting, size)
    for _ in 1..<times { try add(heap.emptyList) }
    emit(frame, index, from: start)
  }

  /// bufferUntil(e, end): at each end the list since the last; those of the end's own instant belong to it
  func runBufferUntil(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let waiting = Queue(frame.pointee.state + Int(entry.pointee.state))
    let (first, count) = occurred(frame, entry.pointee.first)
    for place in first..<first + count { append(waiting, live.occurrences[place]) }
    try giveOut(waiting, times: occurred(frame, entry.pointee.second).count, frame, index, entry)
  }

  func runBatchFeed(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) {
    let source = frame.pointee.template.pointee.entries + Int(entry.pointee.partner)
    let waiting = Queue(frame.pointee.state + Int(source.pointee.state))
    let (first, count) = occurred(frame, entry.pointee.first)
    for place in first..<first + count { append(waiting, live.occurrences[place]) }
  }

  /// A list of the oldest elements of a queue; with two words each, of the second.
  func list(of queue: Queue, _ count: Int, _ type: TypeID) throws(Fault) -> Word {
    if count == 0 { return heap.emptyList }
    var builder = try ListBuilder(heap, references: heap.shapes.isReference(type), capacity: count)
    for place in 0..<count { try builder.append(queue.element(place)[queue.width - 1]) }
    return try builder.finish()
  }
}
