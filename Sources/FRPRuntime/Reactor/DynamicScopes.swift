// switch (also between records of behaviors and events), flatMap, flatMapLatest and choose: what their entries do.
//
// Each run: births (which show nothing yet), then the marks of what is captured, then the instances that have something
// to do, oldest first, then the result.

import FRPCore
import FRPGraph

extension Reactor {
  /// switch(e, b0, f)(t) = b0, then f(a) of the last occurrence before t
  func runSwitch(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let state = frame.pointee.state + Int(entry.pointee.state)
    let (first, count) = occurred(frame, entry.pointee.first)
    if count > 0 { try turn(frame, index, entry, state, live.occurrences[first + count - 1]) }
    passCaptures(frame, state)
    let now = self.frame(state[OwnerState.current])
    let dirty = takeDirty(state)
    for place in dirty where live.frameStack[place] == now { try runEarly(live.frameStack[place]) }
    live.frameStack.removeLast(to: dirty.lowerBound)
    live.runningNode = entry.pointee.node
    if entry.pointee.isContinuous {
      touch(frame, index)
    } else if let now {
      try copyResult(frame, index, entry, now, now.pointee.template.pointee.results[0])
    } else {
      let value: Word
      do throws(Fault) {
        value = try plain(frame, entry)
      } catch {
        try storeFault(frame, index, entry, error)
        return
      }
      store(frame, index, entry, value)
    }
  }

  /// Makes the instance of a new occurrence the one that counts; the old one goes.
  func turn(_ frame: FrameRef, _ index: Int, _ entry: EntryRef, _ state: Address, _ occurrence: Word)
    throws(Fault)
  {
    if let old = self.frame(state[OwnerState.current]) { leave(old) }
    let child = try birth(frame, index, Int(entry.pointee.child))
    setParameter(child, 0, occurrence)
    set(state + OwnerState.current, word(child))
    noteChange(state + OwnerState.previous, state + OwnerState.current)
    try startFrame(child, isGroup: false)
  }

  /// As `flatMapLatest`, but there is an instance from the start, and results are read one by one (`chosen`).
  func runSwitchOpen(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let state = frame.pointee.state + Int(entry.pointee.state)
    _ = try turnAndRun(frame, index, entry, state)
    live.runningNode = entry.pointee.node
    touch(frame, index)
  }

  /// The instance from which an open `switch` begins.
  func startSwitchOpen(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let state = frame.pointee.state + Int(entry.pointee.state)
    if let child = self.frame(state[OwnerState.current]) { return try startPartAgain(child) }
    try startPart(frame, state, try birth(frame, index, Int(entry.pointee.count)))
  }

  /// flatMapLatest(e, f): the occurrences of the event that f made of the newest occurrence. When it turns to a new
  /// one, the old one still counts.
  func runFlatMapLatest(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let state = frame.pointee.state + Int(entry.pointee.state)
    let before = try turnAndRun(frame, index, entry, state)
    live.runningNode = entry.pointee.node
    guard let before, resultIsTouched(before) else { return }
    let (start, shown) = occurred(before, before.pointee.template.pointee.results[0])
    if shown > 0 { show(frame, index, start, shown) }
  }

  /// Turns to a new instance if there is an occurrence, and runs what there was: gives the instance before.
  private func turnAndRun(_ frame: FrameRef, _ index: Int, _ entry: EntryRef, _ state: Address) throws(Fault)
    -> FrameRef?
  {
    let before = self.frame(state[OwnerState.current])
    let (first, count) = occurred(frame, entry.pointee.first)
    if count > 0 { try turn(frame, index, entry, state, live.occurrences[first + count - 1]) }
    if let before, before.pointee.isLeaving {
      // Its captures are marked although it leaves: what it shows at this instant still counts.
      before.pointee.isLeaving = false
      passCaptures(frame, state)
      before.pointee.isLeaving = true
    } else {
      passCaptures(frame, state)
    }
    try runDirty(state)
    return before
  }

  /// flatMap(e, f): the occurrences of all events that f has made
  func runFlatMap(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let state = frame.pointee.state + Int(entry.pointee.state)
    let (first, count) = occurred(frame, entry.pointee.first)
    for place in first..<first + count {
      let child = try birth(frame, index, Int(entry.pointee.child))
      setParameter(child, 0, live.occurrences[place])
      try startFrame(child, isGroup: false)
      if isExhausted(child) { leave(child) }
    }
    passCaptures(frame, state)
    let dirty = takeDirty(state)
    for place in dirty { try runEarly(live.frameStack[place]) }
    live.runningNode = entry.pointee.node
    let start = live.occurrenceCount
    try addResults(entry, state, ran: dirty)
    for place in dirty where isExhausted(live.frameStack[place]) { leave(live.frameStack[place]) }
    live.frameStack.removeLast(to: dirty.lowerBound)
    emit(frame, index, from: start)
  }

  /// Runs the early parts of the instances that have something to do.
  func runDirty(_ state: Address) throws(Fault) {
    let dirty = takeDirty(state)
    for place in dirty { try runEarly(live.frameStack[place]) }
    live.frameStack.removeLast(to: dirty.lowerBound)
  }

  // MARK: choose

  func startChoose(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let state = frame.pointee.state + Int(entry.pointee.state)
    if let child = self.frame(state[OwnerState.current]) { return try startPartAgain(child) }
    let selector = try plain(frame, entry).int
    guard selector >= 0, selector < Int(entry.pointee.count) else { return }
    let alternative = plan.alternatives[Int(entry.pointee.child) + selector]
    let child = try birth(frame, index, Int(alternative.template))
    for (place, argument) in alternative.arguments.enumerated() {
      setParameter(child, place, try machine.run(code(argument), base: frame.pointee.new))
    }
    try startPart(frame, state, child)
  }

  /// Starts an instance that is a part of the scope around it, from its start.
  private func startPart(_ frame: FrameRef, _ state: Address, _ child: FrameRef) throws(Fault) {
    child.pointee.birthDepth = frame.pointee.birthDepth
    state[OwnerState.current] = word(child)
    state[OwnerState.previous] = word(child)
    try startFrame(child, isGroup: frame.pointee.isGroup)
  }

  func runChoose(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let state = frame.pointee.state + Int(entry.pointee.state)
    passCaptures(frame, state)
    try runDirty(state)
    live.runningNode = entry.pointee.node
    touch(frame, index)
  }

  // MARK: The late part

  func runOwnerLate(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let owner = frame.pointee.template.pointee.entries + Int(entry.pointee.partner)
    passCaptures(frame, frame.pointee.state + Int(owner.pointee.state), late: true)
    let state = frame.pointee.state + Int(entry.pointee.state)
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
      for place in bottom..<live.frameStack.count {
        let child = live.frameStack[place]
        if child.pointee.isLeaving { continue }
        if child.pointee.needsLateStart { try startLate(child) }
        try run(child, below: child.pointee.template.pointee.count)
      }
      live.frameStack.removeLast(to: bottom)
    }
  }
}
