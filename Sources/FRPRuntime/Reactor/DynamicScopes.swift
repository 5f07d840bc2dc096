// switch (also between records of behaviors and events), flatMap, flatMapLatest and choose: what their entries do.
//
// Each run: births (which show nothing yet), then the marks of what is captured, then the instances that have something
// to do, oldest first, then the result.

import FRPCore
import FRPGraph

extension Reactor {
  /// switch(e, b0, f)(t) = b0, then f(a) of the last occurrence before t
  func runSwitch(_ site: EntrySite) throws(Fault) {
    let state = site.state
    let (first, count) = fed(site)
    if count > 0 { try turn(site, live.occurrences[first + count - 1]) }
    passCaptures(site.frame, state)
    let now = self.frame(state[OwnerState.current])
    let dirty = takeDirty(state)
    for place in dirty where live.frameStack[place] == now { try runEarly(live.frameStack[place]) }
    live.frameStack.removeLast(to: dirty.lowerBound)
    live.runningNode = site.entry.pointee.node
    if site.entry.pointee.isContinuous {
      touch(site)
    } else if let now {
      try copyResult(site, now.pointee.template.pointee.results[0], of: now)
    } else {
      let value: Word
      do throws(Fault) {
        value = try plain(site)
      } catch {
        try storeFault(site, error)
        return
      }
      store(site, value)
    }
  }

  /// Makes the instance of a new occurrence the one that counts; the old one goes.
  @inline(__always)
  func turn(_ site: EntrySite, _ occurrence: Word) throws(Fault) {
    let state = site.state
    if let old = self.frame(state[OwnerState.current]) { leave(old) }
    let child = try birth(site, Int(site.entry.pointee.child))
    setParameter(child, 0, to: occurrence)
    set(state + OwnerState.current, word(child))
    noteChange(state + OwnerState.previous, state + OwnerState.current)
    try startFrame(child, isGroup: false)
  }

  /// As `flatMapLatest`, but there is an instance from the start, and results are read one by one (`chosen`).
  func runSwitchOpen(_ site: EntrySite) throws(Fault) {
    _ = try turnAndRun(site)
    live.runningNode = site.entry.pointee.node
    touch(site)
  }

  /// The instance from which an open `switch` begins.
  func startSwitchOpen(_ site: EntrySite) throws(Fault) {
    let state = site.state
    if let child = self.frame(state[OwnerState.current]) { return try startPartAgain(child) }
    try startPart(site, try birth(site, Int(site.entry.pointee.count)))
  }

  /// flatMapLatest(e, f): the occurrences of the event that f made of the newest occurrence. When it turns to a new
  /// one, the old one still counts.
  func runFlatMapLatest(_ site: EntrySite) throws(Fault) {
    let before = try turnAndRun(site)
    live.runningNode = site.entry.pointee.node
    guard let before, resultIsTouched(before) else { return }
    let (start, shown) = occurred(before, before.pointee.template.pointee.results[0])
    if shown > 0 { show(site, from: start, count: shown) }
  }

  /// Turns to a new instance if there is an occurrence, and runs what there was: gives the instance before.
  @inline(__always)
  private func turnAndRun(_ site: EntrySite) throws(Fault) -> FrameRef? {
    let state = site.state
    let before = self.frame(state[OwnerState.current])
    let (first, count) = fed(site)
    if count > 0 { try turn(site, live.occurrences[first + count - 1]) }
    if let before, before.pointee.isLeaving {
      // Its captures are marked although it leaves: what it shows at this instant still counts.
      before.pointee.isLeaving = false
      passCaptures(site.frame, state)
      before.pointee.isLeaving = true
    } else {
      passCaptures(site.frame, state)
    }
    try runDirty(state)
    return before
  }

  /// flatMap(e, f): the occurrences of all events that f has made
  func runFlatMap(_ site: EntrySite) throws(Fault) {
    let state = site.state
    let (first, count) = fed(site)
    for place in first..<first + count {
      let child = try birth(site, Int(site.entry.pointee.child))
      setParameter(child, 0, to: live.occurrences[place])
      try startFrame(child, isGroup: false)
      if isExhausted(child) { leave(child) }
    }
    passCaptures(site.frame, state)
    let dirty = takeDirty(state)
    for place in dirty { try runEarly(live.frameStack[place]) }
    live.runningNode = site.entry.pointee.node
    let start = live.occurrenceCount
    try addResults(site.entry, state, ran: dirty)
    for place in dirty where isExhausted(live.frameStack[place]) { leave(live.frameStack[place]) }
    live.frameStack.removeLast(to: dirty.lowerBound)
    emit(site, from: start)
  }

  /// Runs the early parts of the instances that have something to do.
  func runDirty(_ state: Address) throws(Fault) {
    let dirty = takeDirty(state)
    for place in dirty { try runEarly(live.frameStack[place]) }
    live.frameStack.removeLast(to: dirty.lowerBound)
  }

  // MARK: choose

  func startChoose(_ site: EntrySite) throws(Fault) {
    let state = site.state
    if let child = self.frame(state[OwnerState.current]) { return try startPartAgain(child) }
    let selector = try plain(site).int
    guard selector >= 0, selector < Int(site.entry.pointee.count) else { return }
    let alternative = plan.alternatives[Int(site.entry.pointee.child) + selector]
    let child = try birth(site, Int(alternative.template))
    for (place, argument) in alternative.arguments.enumerated() {
      setParameter(child, place, to: try machine.run(code(argument), base: site.frame.pointee.new))
    }
    try startPart(site, child)
  }

  /// Starts an instance that is a part of the scope around it, from its start.
  private func startPart(_ site: EntrySite, _ child: FrameRef) throws(Fault) {
    let (frame, state) = (site.frame, site.state)
    child.pointee.birthDepth = frame.pointee.birthDepth
    state[OwnerState.current] = word(child)
    state[OwnerState.previous] = word(child)
    try startFrame(child, isGroup: frame.pointee.isGroup)
  }

  func runChoose(_ site: EntrySite) throws(Fault) {
    let state = site.state
    passCaptures(site.frame, state)
    try runDirty(state)
    live.runningNode = site.entry.pointee.node
    touch(site)
  }

  // MARK: The late part

  func runOwnerLate(_ site: EntrySite) throws(Fault) {
    passCaptures(site.frame, site.partner.state, late: true)
    let state = site.state
    let bottom = live.frameStack.count
    while state[OwnerState.lateDirty] != 0 {
      var next = self.frame(state[OwnerState.lateDirty])
      state[OwnerState.lateDirty] = 0
      while let child = next {
        next = child.pointee.nextLate
        child.pointee.nextLate = nil
        child.pointee.isQueuedLate = false
        live.frameStack.append(child)
      }
      sortByAge(bottom)
      let (top, queues) = (live.frameStack.count, live.queuesThatFaulted.count)
      for place in bottom..<top {
        let child = live.frameStack[place]
        if child.pointee.isLeaving { continue }
        if child.pointee.needsLateStart { try startLate(child) }
        let mayEnd = site.partner.entry.pointee.kind == .flatMap
        do throws(Fault) {
          try run(child, below: child.pointee.template.pointee.count)
        } catch {
          if !mayEnd { throw error }
          try runRest(child, after: error, top: top)
          live.queuesThatFaulted.removeLast(live.queuesThatFaulted.count - queues)
        }
        if mayEnd, isExhausted(child, isLateDone: true) { leave(child) }
      }
      live.frameStack.removeLast(to: bottom)
    }
  }

  /// An entry of a late part has faulted. If the scope is over with this instant, nobody needs what faulted, and there is no
  /// fault. Whether it is over shows when the rest of the part has run; an entry that faulted has not ended.
  @inline(never)
  private func runRest(_ child: FrameRef, after first: Fault, top: Int) throws(Fault) {
    var faulted: [Int] = []
    var next: Fault? = first
    while let fault = next {
      guard !fault.kind.endsTheInstant, let index = firstMarked(child) else { throw fault }
      for place in top..<live.frameStack.count { live.frameStack[place].pointee.dealt = 0 }
      live.frameStack.removeLast(to: top)
      faulted.append(index)
      child.pointee.dirty[index >> 6] &= ~(1 << UInt64(index & 63))
      do throws(Fault) {
        try run(child, below: child.pointee.template.pointee.count)
        next = nil
      } catch {
        next = error
      }
    }
    for index in faulted { markWithFollowers(child, index) }
    if !isExhausted(child, isLateDone: true) { throw first }
  }

  /// Marks an entry that faulted, and all that might have shown something if it had not: none of these is known to have ended.
  private func markWithFollowers(_ frame: FrameRef, _ faulted: Int) {
    var next = [faulted]
    while let index = next.popLast() {
      frame.pointee.dirty[index >> 6] |= 1 << UInt64(index & 63)
      let row = frame.pointee.template.pointee.rows + index
      for mark in UnsafeBufferPointer(start: row.pointee.marks, count: Int(row.pointee.markCount)) {
        var bits = mark.bits & ~frame.pointee.dirty[Int(mark.word)]
        while bits != 0 {
          let follower = Int(mark.word) << 6 | bits.trailingZeroBitCount
          if !takesNothing(EntrySite(frame, follower)) { next.append(follower) }
          bits &= bits &- 1
        }
      }
    }
  }

  /// Whether an entry shows nothing in this instant, whatever it is handed: it has let through all that it does.
  private func takesNothing(_ site: EntrySite) -> Bool {
    switch site.entry.pointee.kind {
    case .take: site.state[0].int <= 0 && !isTouched(site.frame, site.entry.pointee.first)
    case .takeWhile, .takeThrough: site.state[0].bool && !isTouched(site.frame, site.entry.pointee.first)
    case .takeUntil: site.state[0].bool
    default: false
    }
  }
}
