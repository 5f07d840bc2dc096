// One instant: what occurs is seeded, the entries that depend on it run in their order, and all is committed or undone.
//
// Marking is hierarchical: a frame with something to do stands in a list of its owner's entry, which is marked in the
// parent's frame, up to the program. So an instant costs what it touches, however many frames there are.

import FRPCore
import FRPGraph

struct ChangedSlot {
  var old: Address
  var new: Address
}

/// What a slot's fault was, to take it back.
struct PoisonChange {
  var slot: Address
  var before: Fault?
}

extension Reactor {
  // MARK: Marking

  /// An entry has occurred or changed: whatever depends on it must run.
  @inline(__always)
  func touch(_ frame: FrameRef, _ index: Int) {
    frame.pointee.info[index].instant = instant
    markDependents(present, frame, index, frame.pointee.template.pointee.rows + index)
  }

  /// `touch` of an entry whose info is written.
  @inline(__always)
  func markDependents(
    _ present: UnsafeMutablePointer<Present>, _ frame: FrameRef, _ index: Int, _ row: UnsafeMutablePointer<EntryRow>
  ) {
    if row.pointee.isOutput { present.pointee.touchedOutputs.append(Int32(truncatingIfNeeded: index)) }
    if row.pointee.isResult, !frame.pointee.isQueued { enqueue(frame) }
    var left = row.pointee.markCount
    if left == 0 { return }
    let dirty = frame.pointee.dirty
    let summary = frame.pointee.summary
    var mark = row.pointee.marks
    repeat {
      let word = Int(mark.pointee.word)
      dirty[word] |= mark.pointee.bits
      summary[word >> 6] |= 1 << UInt64(word & 63)
      mark += 1
      left &-= 1
    } while left != 0
    if row.pointee.marksEarly, !frame.pointee.isQueued { enqueue(frame) }
    if row.pointee.marksLate, !frame.pointee.isQueuedLate { queueLate(frame) }
  }

  /// Makes an entry run in this instant.
  @inline(__always)
  func mark(_ frame: FrameRef, _ index: Int) {
    let word = index >> 6
    frame.pointee.dirty[word] |= 1 << UInt64(index & 63)
    frame.pointee.summary[word >> 6] |= 1 << UInt64(word & 63)
    if index < frame.pointee.template.pointee.earlyCount { queue(frame) } else { queueLate(frame) }
  }

  /// Puts a frame into its owner's list.
  @inline(__always)
  func queue(_ frame: FrameRef) {
    if frame.pointee.isQueued { return }
    enqueue(frame)
  }

  @inline(never)
  func enqueue(_ frame: FrameRef) {
    var frame = frame
    while true {
      if !frame.pointee.isTouched {
        frame.pointee.isTouched = true
        touchedFrames.append(frame)
      }
      frame.pointee.isQueued = true
      guard let parent = frame.pointee.parent else { return }
      let owner = Int(frame.pointee.owner)
      let list = parent.pointee.state + Int(parent.pointee.template.pointee.entries[owner].state) + OwnerState.dirty
      frame.pointee.nextDirty = FrameRef(bitPattern: UInt(list.pointee))
      list.pointee = Word(UInt(bitPattern: frame))
      parent.pointee.dirty[owner >> 6] |= 1 << UInt64(owner & 63)
      parent.pointee.summary[owner >> 12] |= 1 << UInt64(owner >> 6 & 63)
      if owner >= parent.pointee.template.pointee.earlyCount {
        queueLate(parent)
        return
      }
      if parent.pointee.isQueued { return }
      frame = parent
    }
  }

  @inline(never)
  func queueLate(_ frame: FrameRef) {
    if frame.pointee.isQueuedLate { return }
    frame.pointee.isQueuedLate = true
    if !frame.pointee.isTouched {
      frame.pointee.isTouched = true
      touchedFrames.append(frame)
    }
    guard let parent = frame.pointee.parent else { return }
    let template = parent.pointee.template
    let late = Int(template.pointee.entries[Int(frame.pointee.owner)].partner)
    if late < 0 { return }
    let list = parent.pointee.state + Int(template.pointee.entries[late].state) + OwnerState.lateDirty
    frame.pointee.nextLate = FrameRef(bitPattern: UInt(list.pointee))
    list.pointee = Word(UInt(bitPattern: frame))
    mark(parent, late)
  }

  // MARK: Occurrences

  /// Where an operand's occurrences of this instant are.
  @inline(__always)
  func occurred(_ frame: FrameRef, _ operand: Operand) -> (start: Int, count: Int) {
    var home = frame
    if operand.up > 0 {
      guard let outer = seen(frame, operand) else { return (0, 0) }
      home = outer
    }
    let info = home.pointee.info[Int(operand.entry)]
    return info.instant == instant ? (Int(info.start), Int(info.count)) : (0, 0)
  }

  /// The frame of an outer operand; nil if `frame` was born in this instant and does not see it yet.
  @inline(__always)
  func seen(_ frame: FrameRef, _ operand: Operand) -> FrameRef? {
    let target = frame.pointee.template.pointee.depth - operand.up
    if frame.pointee.born == instant, target < frame.pointee.birthDepth { return nil }
    return outer(frame, operand.up)
  }

  @inline(__always)
  func outer(_ frame: FrameRef, _ up: Int32) -> FrameRef {
    var frame = frame
    var up = up
    while up > 0, let parent = frame.pointee.parent {
      frame = parent
      up -= 1
    }
    return frame
  }

  /// Whether an operand occurred or changed in this instant.
  @inline(__always)
  func isTouched(_ frame: FrameRef, _ operand: Operand) -> Bool {
    if operand.entry < 0 { return false }
    guard let home = operand.up == 0 ? frame : seen(frame, operand) else { return false }
    return home.pointee.info[Int(operand.entry)].instant == instant
  }

  /// Adds an occurrence to the one being shown.
  @inline(__always)
  func add(_ word: Word) throws(Fault) {
    if occurrenceCount == occurrenceCapacity { try growOccurrences() }
    occurrences[occurrenceCount] = word
    occurrenceCount += 1
  }

  @inline(never)
  private func growOccurrences() throws(Fault) {
    if occurrenceCapacity > limits.occurrencesPerInstant {
      throw Fault(.limit(.occurrences), "the limit of occurrences in one instant is exhausted")
    }
    let larger = Address.allocate(capacity: occurrenceCapacity * 2)
    larger.update(from: occurrences, count: occurrenceCount)
    occurrences.deallocate()
    occurrences = larger
    occurrenceCapacity *= 2
  }

  /// Shows the occurrences added since `start`.
  @inline(__always)
  func emit(_ frame: FrameRef, _ index: Int, from start: Int) {
    if occurrenceCount == start { return }
    show(frame, index, start, occurrenceCount - start)
  }

  /// Shows occurrences that are there already.
  @inline(__always)
  func show(_ frame: FrameRef, _ index: Int, _ start: Int, _ count: Int) {
    frame.pointee.info[index].start = Int32(truncatingIfNeeded: start)
    frame.pointee.info[index].count = Int32(truncatingIfNeeded: count)
    touch(frame, index)
  }

  // MARK: Values

  /// Gives a step behavior its new value; marks what depends on it if that differs.
  @inline(__always)
  func store(_ frame: FrameRef, _ index: Int, _ entry: UnsafeMutablePointer<Entry>, _ value: Word) {
    let slot = Int(entry.pointee.slot)
    let address = frame.pointee.new + slot
    let isPoisoned = machine.state.pointee.poisonCount != 0 && machine.poison(at: address) != nil
    if !isPoisoned, isSame(address.pointee, value, entry) { return }
    if isPoisoned { cure(address) }
    address.pointee = value
    noteChange(frame.pointee.old + slot, address)
    touch(frame, index)
  }

  /// Whether two values of an entry are the same.
  @inline(__always)
  func isSame(_ a: Word, _ b: Word, _ entry: UnsafeMutablePointer<Entry>) -> Bool {
    if a == b { return true }
    switch entry.pointee.equality {
    case .word: return false
    case .float: return a.float == b.float
    case .structure: return heap.equal(a, b, entry.pointee.type)
    }
  }

  /// Gives a step behavior that has a value a new one, which is known to differ.
  @inline(__always)
  func replace(_ frame: FrameRef, _ index: Int, _ entry: UnsafeMutablePointer<Entry>, _ value: Word) {
    let slot = Int(entry.pointee.slot)
    frame.pointee.new[slot] = value
    noteChange(frame.pointee.old + slot, frame.pointee.new + slot)
    touch(frame, index)
  }

  /// A lifted value that faults is a fault only for who needs it.
  func storeFault(_ frame: FrameRef, _ index: Int, _ entry: UnsafeMutablePointer<Entry>, _ fault: Fault) throws(Fault) {
    if fault.kind.endsTheInstant { throw fault }
    let slot = Int(entry.pointee.slot)
    poison(frame.pointee.new + slot, fault)
    noteChange(frame.pointee.old + slot, frame.pointee.new + slot)
    touch(frame, index)
  }

  @inline(__always)
  func noteChange(_ old: Address, _ new: Address) {
    if changedCount == changedCapacity { growChanged() }
    (changed + changedCount).initialize(to: ChangedSlot(old: old, new: new))
    changedCount += 1
  }

  @inline(never)
  func growChanged() {
    let larger = UnsafeMutablePointer<ChangedSlot>.allocate(capacity: changedCapacity * 2)
    larger.moveInitialize(from: changed, count: changedCount)
    changed.deallocate()
    changed = larger
    changedCapacity *= 2
  }

  func poison(_ slot: Address, _ fault: Fault) {
    poisonChanges.append(PoisonChange(slot: slot, before: machine.poison(at: slot)))
    machine.poison(slot, fault)
  }

  func cure(_ slot: Address) {
    guard let before = machine.poison(at: slot) else { return }
    poisonChanges.append(PoisonChange(slot: slot, before: before))
    machine.cure(slot)
  }

  // MARK: The end of an instant

  /// Runs what the seeds have marked; shows it, or undoes everything. `seed` makes the first entries occur.
  func runInstant(_ seed: () throws(Fault) -> Void) {
    beginInstant()
    do throws(Fault) {
      try seed()
      try runSeeded()
    } catch {
      giveUp(error)
    }
    checkInvariants()
    collectIfNeeded()
  }

  /// The instant in which one input occurs: `runInstant` for what hosts do most.
  @inline(__always)
  func runInstant(port: Int, _ value: Word) {
    beginInstant()
    do throws(Fault) {
      try seed(port, value)
      try runSeeded()
    } catch {
      giveUp(error)
    }
    checkInvariants()
    collectIfNeeded()
  }

  @inline(__always)
  func runSeeded() throws(Fault) {
    try run(root, below: templates[0].count)
    if isOverMemory { throw isOverQueue ? Fault.queue : Fault.memory }
    try gatherOutputs()
    try machine.checkGivenUp()
    commit()
    deliver()
    isRunning = false
  }

  @inline(never)
  func giveUp(_ fault: Fault) {
    undoInstant()
    isRunning = false
    report(fault)
    // What it allocated is garbage now, and there is no room for it.
    if fault.kind == .limit(.memory) { collect() }
  }

  @inline(__always)
  func beginInstant() {
    let present = self.present
    let state = machine.state
    present.pointee.instant &+= 1
    present.pointee.instantCount &+= 1
    present.pointee.isRunning = true
    present.pointee.isComputing = true
    present.pointee.occurrenceCount = 0
    machine.grant(steps: limits.stepsPerInstant, seconds: limits.secondsPerInstant)
    state.pointee.epoch &+= 1
    if present.pointee.hasSolver { beginContinuous() }
  }

  @inline(__always)
  func commit() {
    let present = self.present
    let state = machine.state
    present.pointee.isComputing = false
    heap.stopMetering()
    var slot = present.pointee.changed
    let end = slot + present.pointee.changedCount
    while slot < end {
      slot.pointee.old.pointee = slot.pointee.new.pointee
      slot += 1
    }
    if state.pointee.poisonCount > 0 || !present.pointee.poisonChanges.isEmpty { commitPoison() }
    present.pointee.changedCount = 0
    present.pointee.undo.forget()
    if isUnusual { commitUnusual() }
    if !present.pointee.touchedFrames.isEmpty { resetTouched() }
    state.pointee.epoch &+= 1
    if present.pointee.hasSolver { endContinuous() }
  }

  /// Whether the instant did more than change values and private words.
  @inline(__always)
  private var isUnusual: Bool {
    let present = self.present
    let scopes = present.pointee.bornFrames.count | present.pointee.leavingFrames.count
    let waits =
      present.pointee.timerChanges.count | present.pointee.causedNext.count | present.pointee.causedForGood.count
    let buffers = present.pointee.buffersToFreeOnCommit.count | present.pointee.buffersToFreeOnUndo.count
    return scopes | waits | buffers != 0 || present.pointee.hasTaskWork
  }

  @inline(never)
  private func commitUnusual() {
    if !timerChanges.isEmpty { commitTimers() }
    if !buffersToFreeOnCommit.isEmpty || !buffersToFreeOnUndo.isEmpty { settleBuffers(committed: true) }
    if !bornFrames.isEmpty {
      for frame in bornFrames.buffer where frame.pointee.isLive { settleBirth(frame) }
      bornFrames.removeAll()
    }
    if !leavingFrames.isEmpty {
      for frame in leavingFrames.buffer { release(frame) }
      leavingFrames.removeAll()
    }
    moveCaused()
    if present.pointee.hasTaskWork {
      commitTasks()
      present.pointee.hasTaskWork = !hostStarts.isEmpty
    }
  }

  private func moveCaused() {
    if !causedNext.isEmpty {
      if caused.isEmpty {
        swap(&present.pointee.caused, &present.pointee.causedNext)
      } else {
        caused.append(all: causedNext)
        causedNext.removeAll()
      }
    }
    if !causedForGood.isEmpty {
      caused.append(all: causedForGood)
      causedForGood.removeAll()
    }
  }

  @inline(never)
  private func commitPoison() {
    for index in 0..<changedCount {
      let slot = changed[index]
      if let fault = machine.poison(at: slot.new) {
        machine.poison(slot.old, fault)
      } else {
        machine.cure(slot.old)
      }
    }
    poisonChanges.removeAll(keepingCapacity: true)
  }

  /// Takes everything back: values, private words, timers, scopes, and what was to be caused.
  func undoInstant() {
    present.pointee.isComputing = false
    heap.stopMetering()
    for index in 0..<changedCount {
      let slot = changed[index]
      slot.new.pointee = slot.old.pointee
    }
    changedCount = 0
    for change in poisonChanges.reversed() {
      if let before = change.before { machine.poison(change.slot, before) } else { machine.cure(change.slot) }
    }
    poisonChanges.removeAll(keepingCapacity: true)
    undoTasks()
    undoTimers()
    undo.takeBack()
    undoQueues()
    settleBuffers(committed: false)
    let touched = clearTouched()
    for frame in leavingFrames.buffer { frame.pointee.isLeaving = false }
    leavingFrames.removeAll()
    for frame in bornFrames.buffer.reversed() where frame.pointee.isLive { release(frame) }
    bornFrames.removeAll()
    for frame in frameStack.buffer { frame.pointee.dealt = 0 }
    frameStack.removeAll()
    causedNext.removeAll()
    moveCaused()
    touchedOutputs.removeAll()
    isOverMemory = false
    isOverQueue = false
    machine.epoch += 1
    // Nothing of this instant is shown any more.
    instant &+= 1
    releaseWhatIsOver(touched)
    undoContinuous()
  }

  /// After an instant that went well nothing is marked; only the flags are left.
  @inline(never)
  private func resetTouched() {
    for frame in touchedFrames.buffer {
      frame.pointee.isTouched = false
      frame.pointee.isQueued = false
      frame.pointee.isQueuedLate = false
    }
    touchedFrames.removeAll()
  }

  /// After a fault: takes back the marks as well. Gives the frames that had some.
  private func clearTouched() -> [FrameRef] {
    let touched = Array(touchedFrames.buffer)
    for frame in touched { clearMarks(frame) }
    touchedFrames.removeAll()
    clearMarks(root)
    root.pointee.isQueued = true
    return touched
  }

  private func clearMarks(_ frame: FrameRef) {
    frame.pointee.clearMarks()
    let template = frame.pointee.template
    for index in 0..<template.pointee.count {
      let entry = template.pointee.entries[index]
      if entry.kind.ownsScopes { frame.pointee.state[Int(entry.state) + OwnerState.dirty] = 0 }
      if entry.kind == .ownerLate { frame.pointee.state[Int(entry.state) + OwnerState.lateDirty] = 0 }
    }
  }
}

extension FrameRecord {
  mutating func clearMarks() {
    for word in 0..<template.pointee.dirtyWords { dirty[word] = 0 }
    for word in 0..<template.pointee.summaryWords { summary[word] = 0 }
    isTouched = false
    isQueued = false
    isQueuedLate = false
    nextDirty = nil
    nextLate = nil
  }
}
