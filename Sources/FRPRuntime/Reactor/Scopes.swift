// Scopes come and go: birth, departure, release, and what all owners do before they read their scopes' results.
//
// A birth is complete at once; a departure takes effect when the instant is committed, so that a fault can revive the
// scope. Releasing gives timers, tasks, buffers and inner scopes back and puts the block into its template's free list.

import FRPBase
import FRPCore
import FRPGraph

extension Reactor {
  @inline(__always)
  func frame(_ word: Word) -> FrameRef? { FrameRef(bitPattern: UInt(word)) }

  @inline(__always)
  func word(_ frame: FrameRef?) -> Word { Word(UInt(bitPattern: frame)) }

  /// The instance that counts just after the instant, or just before it.
  @inline(__always)
  func current(_ frame: FrameRef, _ entry: EntryRef, old: Bool = false) -> FrameRef? {
    self.frame(frame.pointee.state[Int(entry.pointee.state) + (old ? OwnerState.previous : OwnerState.current)])
  }

  // MARK: Birth

  /// A new instance of a template, its parameters still to be set, its entries still to be started.
  func birth(_ site: EntrySite, _ template: Int) throws(Fault) -> FrameRef {
    let shape = templates + template
    if liveNodes + shape.pointee.nodeCount > limits.liveNodes {
      throw Fault(.limit(.nodes), "the limit of live nodes is exhausted")
    }
    if liveBytes > limits.heapBytes { throw Fault.memory }
    let frame: FrameRef
    if let free = shape.pointee.free {
      shape.pointee.free = free.pointee.nextSibling
      frame = free
    } else {
      if live.frameBytes > frameBytesWithRoom {
        if !SystemMemory.hasRoom { throw Fault.memory }
        frameBytesWithRoom = live.frameBytes + 1 << 18
      }
      frame = FrameRecord.allocate(shape)
    }
    enroll(frame, parent: site.frame, owner: site.index)
    frame.pointee.birthDepth = shape.pointee.depth
    live.bornFrames.append(frame)
    link(frame, to: site.state)
    return frame
  }

  func enroll(_ frame: FrameRef, parent: FrameRef?, owner: Int) {
    let shape = frame.pointee.template
    frame.pointee.parent = parent
    frame.pointee.owner = Int32(owner)
    frame.pointee.number = live.frames.add(frame)
    frame.pointee.isLive = true
    frame.pointee.isLeaving = false
    frame.pointee.born = live.instant
    frame.pointee.age = live.nextAge
    frame.pointee.key = 0
    // The program's frame always runs; it needs no place in a list.
    frame.pointee.isQueued = parent == nil
    live.nextAge += 1
    for index in 0..<shape.pointee.stateWords { frame.pointee.state[index] = 0 }
    frame.pointee.old[0] = parent.map { Word($0.pointee.old) } ?? 0
    frame.pointee.new[0] = parent.map { Word($0.pointee.new) } ?? 0
    frame.pointee.old[1] = Word(UInt32(bitPattern: frame.pointee.number))
    frame.pointee.new[1] = frame.pointee.old[1]
    live.liveNodes += shape.pointee.nodeCount
    live.liveScopes += 1
    live.frameBytes += shape.pointee.bytes
  }

  /// Appends to the owner's list of instances.
  private func link(_ frame: FrameRef, to state: Address) {
    let last = self.frame(state[OwnerState.lastChild])
    frame.pointee.previousSibling = last
    frame.pointee.nextSibling = nil
    if let last { last.pointee.nextSibling = frame } else { state[OwnerState.firstChild] = word(frame) }
    state[OwnerState.lastChild] = word(frame)
    state[OwnerState.childCount] += 1
  }

  private func unlink(_ frame: FrameRef) {
    guard let parent = frame.pointee.parent, parent.pointee.isLive else { return }
    let entry = parent.pointee.template.pointee.entries[Int(frame.pointee.owner)]
    let state = parent.pointee.state + Int(entry.state)
    let previous = frame.pointee.previousSibling
    let next = frame.pointee.nextSibling
    if let previous { previous.pointee.nextSibling = next } else { state[OwnerState.firstChild] = word(next) }
    if let next { next.pointee.previousSibling = previous } else { state[OwnerState.lastChild] = word(previous) }
    state[OwnerState.childCount] -= 1
    if state[OwnerState.table] != 0 { KeyTable(state + OwnerState.table).remove(frame) }
    if state[OwnerState.previous] == word(frame) { state[OwnerState.previous] = state[OwnerState.current] }
  }

  func setParameter(_ frame: FrameRef, _ place: Int, to value: Word) {
    if place >= frame.pointee.template.pointee.parameterCount { return }
    frame.pointee.old[Layout.header + place] = value
    frame.pointee.new[Layout.header + place] = value
  }

  // MARK: Departure

  /// The scope goes when the instant is committed.
  func leave(_ frame: FrameRef) {
    if frame.pointee.isLeaving { return }
    frame.pointee.isLeaving = true
    live.leavingFrames.append(frame)
  }

  /// Gives everything back that a frame and its inner scopes hold. If what it has shown may be asked for, its slots are
  /// kept.
  func release(_ frame: FrameRef) {
    if !frame.pointee.isLive { return }
    let template = frame.pointee.template
    let isKept = live.hasSolver && live.solver?.delays.past.mayAsk(for: frame) == true
    unlink(frame)
    frame.pointee.isLive = false
    frame.pointee.isKept = isKept
    if template.pointee.holdingCount != 0 { releaseResources(frame) }
    if template.pointee.isContinuous { live.solver?.release(frame) }
    frame.pointee.clearMarks()
    frame.pointee.generation &+= 1
    frame.pointee.isLeaving = false
    if !isKept { giveBack(frame) }
  }

  /// Puts a frame that has ended into its template's free list.
  func giveBack(_ frame: FrameRef) {
    let template = frame.pointee.template
    frame.pointee.isKept = false
    if template.pointee.isContinuous { releaseContinuous(frame) }
    if machine.state.pointee.poisonCount > 0 {
      for slot in 0..<template.pointee.frameWords {
        machine.cure(frame.pointee.old + slot)
        machine.cure(frame.pointee.new + slot)
      }
    }
    live.frames.remove(frame.pointee.number)
    live.liveNodes -= template.pointee.nodeCount
    live.liveScopes -= 1
    live.frameBytes -= template.pointee.bytes
    frame.pointee.parent = nil
    frame.pointee.nextSibling = template.pointee.free
    template.pointee.free = frame
  }

  private func releaseResources(_ frame: FrameRef) {
    let template = frame.pointee.template
    for place in 0..<template.pointee.holdingCount {
      let row = template.pointee.holdings[place]
      let words = frame.pointee.state + Int(row.offset)
      switch row.content {
      case .timer: releaseTimer(words)
      case .queue: release(Queue(words, width: Int(row.width)))
      case .scopes: releaseScopes(words)
      case .tasks: releaseTasks(frame, words)
      case .value: break
      }
    }
  }

  private func releaseScopes(_ state: Address) {
    var next = frame(state[OwnerState.firstChild])
    while let child = next {
      next = child.pointee.nextSibling
      release(child)
    }
    if state[OwnerState.table] != 0 { KeyTable(state + OwnerState.table).deallocate() }
    if state[OwnerState.order] != 0 { state[OwnerState.order].address.deallocate() }
    for index in 0..<OwnerState.words { state[index] = 0 }
  }

  /// Frees all blocks; the end of the reactor.
  func releaseAll() {
    if live.root.pointee.isLive {
      for frame in live.leavingFrames.buffer { frame.pointee.isLeaving = false }
      release(live.root)
    } else {
      templates[0].free = live.root
    }
    for index in plan.templates.indices {
      while let frame = templates[index].free {
        templates[index].free = frame.pointee.nextSibling
        UnsafeMutableRawPointer(frame).deallocate()
      }
    }
    settleBuffers(committed: true)
  }

  /// A born frame's first instant is over: what it has is what it had.
  func settleBirth(_ frame: FrameRef) {
    let words = frame.pointee.template.pointee.frameWords
    for slot in Layout.header..<max(Layout.header, words) { frame.pointee.old[slot] = frame.pointee.new[slot] }
    if machine.state.pointee.poisonCount == 0 { return }
    for slot in Layout.header..<max(Layout.header, words) {
      if let fault = machine.poison(at: frame.pointee.new + slot) {
        machine.poison(frame.pointee.old + slot, fault)
      } else {
        machine.cure(frame.pointee.old + slot)
      }
    }
  }

  // MARK: What owners share

  /// Marks, in every older instance, what depends on outer things that have changed.
  @inline(__always)
  func passCaptures(_ frame: FrameRef, _ state: Address, late: Bool = false) {
    guard let first = self.frame(state[OwnerState.firstChild]) else { return }
    let template = first.pointee.template
    let count = late ? template.pointee.lateCaptureCount : template.pointee.earlyCaptureCount
    if count > 0 { passCaptures(frame, first, count: count, late: late) }
  }

  @inline(never)
  private func passCaptures(_ frame: FrameRef, _ first: FrameRef, count: Int, late: Bool) {
    let template = first.pointee.template
    let captures = late ? template.pointee.lateCaptures : template.pointee.earlyCaptures
    for place in 0..<count {
      let capture = captures[place]
      let source = Operand(up: capture.source.up - 1, entry: capture.source.entry, slot: capture.source.slot)
      if !isTouched(frame, source) { continue }
      var next: FrameRef? = first
      while let child = next {
        next = child.pointee.nextSibling
        if child.pointee.isLeaving || !sees(child, capture.source) { continue }
        // An open `switch` has turned to a newborn of another template, which sees nothing of this instant.
        if child.pointee.template != template { continue }
        for dependent in 0..<capture.count { mark(child, Int(capture.dependents[dependent])) }
      }
    }
  }

  /// Whether a frame sees what an outer operand shows in this instant.
  @inline(__always)
  func sees(_ frame: FrameRef, _ operand: Operand) -> Bool {
    frame.pointee.born != live.instant
      || frame.pointee.template.pointee.depth - operand.up >= frame.pointee.birthDepth
  }

  /// The instances that have something to do, oldest first: places in `frameStack`, to be removed by the caller.
  @inline(__always)
  func takeDirty(_ state: Address) -> Range<Int> {
    let start = live.frameStack.count
    guard let first = frame(state[OwnerState.dirty]) else { return start..<start }
    state[OwnerState.dirty] = 0
    if first.pointee.nextDirty == nil {
      live.frameStack.append(first)
      return start..<start + 1
    }
    return takeDirty(from: first, start)
  }

  @inline(never)
  private func takeDirty(from first: FrameRef, _ start: Int) -> Range<Int> {
    var next: FrameRef? = first
    while let child = next {
      next = child.pointee.nextDirty
      child.pointee.nextDirty = nil
      live.frameStack.append(child)
    }
    sortByAge(start)
    return start..<live.frameStack.count
  }

  /// Sorts what lies on the stack from `start` on.
  func sortByAge(_ start: Int) {
    let count = live.frameStack.count - start
    if count < 2 { return }
    var list = UnsafeMutableBufferPointer(start: live.frameStack.start + start, count: count)
    list.sort { $0.pointee.age < $1.pointee.age }
  }

  /// Runs the part of an instance that its result needs.
  @inline(__always)
  func runEarly(_ child: FrameRef) throws(Fault) {
    try run(child, below: child.pointee.template.pointee.earlyCount)
    child.pointee.isQueued = false
  }

  /// Whether an instance's (only) result occurred or changed.
  @inline(__always)
  func resultIsTouched(_ child: FrameRef) -> Bool {
    isTouched(child, child.pointee.template.pointee.results[0])
  }

  /// Adds what an instance's result shows.
  func addResult(_ child: FrameRef) throws(Fault) {
    let (first, count) = occurred(child, child.pointee.template.pointee.results[0])
    for place in first..<first + count { try add(live.occurrences[place]) }
  }

  /// Adds what the instances of an entry show, where those at these places of the stack ran.
  func addResults(_ entry: EntryRef, _ state: Address, ran places: Range<Int>) throws(Fault) {
    guard resultIsOutside(entry.pointee.child) else {
      for place in places where resultIsTouched(live.frameStack[place]) { try addResult(live.frameStack[place]) }
      return
    }
    var next = frame(state[OwnerState.firstChild])
    while let child = next {
      next = child.pointee.nextSibling
      try addResult(child)
    }
  }

  /// Whether the results of a template's instances lie outside of them: then a change concerns them all.
  @inline(__always)
  func resultIsOutside(_ template: Int32) -> Bool { templates[Int(template)].results[0].up > 0 }
}
