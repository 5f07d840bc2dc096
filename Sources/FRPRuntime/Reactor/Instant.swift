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
    frame.pointee.info[index].instant = live.instant
    let row = frame.pointee.template.pointee.rows + index
    markDependents(RowSite(live: liveState, frame: frame, index: index, row: row))
  }

  @inline(__always)
  func touch(_ site: EntrySite) { touch(site.frame, site.index) }

  /// `touch` of an entry whose info is written.
  @inline(__always)
  func markDependents(_ site: RowSite) {
    let (frame, row) = (site.frame, site.row)
    if row.pointee.isOutput { site.live.pointee.touchedOutputs.append(Int32(truncatingIfNeeded: site.index)) }
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

  @inline(__always)
  func mark(_ site: EntrySite) { mark(site.frame, site.index) }

  /// Whether an entry is still to run in this instant.
  func isMarked(_ frame: FrameRef, _ index: Int) -> Bool {
    frame.pointee.dirty[index >> 6] & 1 << UInt64(index & 63) != 0
  }

  /// The lowest marked entry of a frame.
  func firstMarked(_ frame: FrameRef) -> Int? {
    for block in 0..<frame.pointee.template.pointee.summaryWords {
      while case let bits = frame.pointee.summary[block], bits != 0 {
        let word = block << 6 | bits.trailingZeroBitCount
        if frame.pointee.dirty[word] != 0 { return word << 6 | frame.pointee.dirty[word].trailingZeroBitCount }
        frame.pointee.summary[block] = bits & (bits &- 1)
      }
    }
    return nil
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
        live.touchedFrames.append(frame)
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
      live.touchedFrames.append(frame)
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
    return info.instant == live.instant ? (Int(info.start), Int(info.count)) : (0, 0)
  }

  /// The occurrences of an entry's first operand.
  @inline(__always)
  func fed(_ site: EntrySite) -> (start: Int, count: Int) { occurred(site.frame, site.entry.pointee.first) }

  /// The frame of an outer operand; nil if `frame` was born in this instant and does not see it yet.
  @inline(__always)
  func seen(_ frame: FrameRef, _ operand: Operand) -> FrameRef? {
    let target = frame.pointee.template.pointee.depth - operand.up
    if frame.pointee.born == live.instant, target < frame.pointee.birthDepth { return nil }
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
    return home.pointee.info[Int(operand.entry)].instant == live.instant
  }

  /// Adds an occurrence to the one being shown.
  @inline(__always)
  func add(_ word: Word) throws(Fault) {
    if live.occurrenceCount == live.occurrenceCapacity { try growOccurrences() }
    live.occurrences[live.occurrenceCount] = word
    live.occurrenceCount += 1
  }

  @inline(never)
  private func growOccurrences() throws(Fault) {
    if live.occurrenceCapacity > limits.occurrencesPerInstant {
      throw Fault(.limit(.occurrences), "the limit of occurrences in one instant is exhausted")
    }
    let larger = Address.allocate(capacity: live.occurrenceCapacity * 2)
    larger.update(from: live.occurrences, count: live.occurrenceCount)
    live.occurrences.deallocate()
    live.occurrences = larger
    live.occurrenceCapacity *= 2
  }

  /// Shows the occurrences added since `start`.
  @inline(__always)
  func emit(_ site: EntrySite, from start: Int) {
    if live.occurrenceCount != start { show(site, from: start, count: live.occurrenceCount - start) }
  }

  /// Shows occurrences that are there already.
  @inline(__always)
  func show(_ site: EntrySite, from start: Int, count: Int) {
    site.frame.pointee.info[site.index].start = Int32(truncatingIfNeeded: start)
    site.frame.pointee.info[site.index].count = Int32(truncatingIfNeeded: count)
    touch(site)
  }

  // MARK: Values

  /// Gives a step behavior its new value; marks what depends on it if that differs.
  @inline(__always)
  func store(_ site: EntrySite, _ value: Word) {
    let address = site.new
    let isPoisoned = machine.state.pointee.poisonCount != 0 && machine.poison(at: address) != nil
    if !isPoisoned, isSame(address.pointee, value, of: site.entry) { return }
    if isPoisoned { cure(address) }
    replace(site, value)
  }

  /// Whether two values of an entry are the same.
  @inline(__always)
  func isSame(_ a: Word, _ b: Word, of entry: EntryRef) -> Bool {
    if a == b { return true }
    switch entry.pointee.equality {
    case .word: return false
    case .float: return a.float == b.float
    case .structure: return heap.equal(a, b, type: entry.pointee.type)
    }
  }

  /// Gives a step behavior that has a value a new one, which is known to differ.
  @inline(__always)
  func replace(_ site: EntrySite, _ value: Word) {
    site.new.pointee = value
    noteChange(site.old, site.new)
    touch(site)
  }

  /// A lifted value that faults is a fault only for who needs it.
  func storeFault(_ site: EntrySite, _ fault: Fault) throws(Fault) {
    if fault.kind.endsTheInstant { throw fault }
    poison(site.new, fault)
    noteChange(site.old, site.new)
    touch(site)
  }

  @inline(__always)
  func noteChange(_ old: Address, _ new: Address) {
    if live.changedCount == live.changedCapacity { growChanged() }
    (live.changed + live.changedCount).initialize(to: ChangedSlot(old: old, new: new))
    live.changedCount += 1
  }

  @inline(never)
  func growChanged() {
    let larger = UnsafeMutablePointer<ChangedSlot>.allocate(capacity: live.changedCapacity * 2)
    larger.moveInitialize(from: live.changed, count: live.changedCount)
    live.changed.deallocate()
    live.changed = larger
    live.changedCapacity *= 2
  }

  func poison(_ slot: Address, _ fault: Fault) {
    live.poisonChanges.append(PoisonChange(slot: slot, before: machine.poison(at: slot)))
    machine.poison(slot, fault)
  }

  func cure(_ slot: Address) {
    guard let before = machine.poison(at: slot) else { return }
    live.poisonChanges.append(PoisonChange(slot: slot, before: before))
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
    try run(live.root, below: templates[0].count)
    if live.isOverMemory { throw live.isOverQueue ? Fault.queue : Fault.memory }
    try gatherOutputs()
    try machine.checkGivenUp()
    commit()
    deliver()
    live.isRunning = false
  }

  @inline(never)
  func giveUp(_ fault: Fault) {
    undoInstant()
    live.isRunning = false
    report(fault)
    // What it allocated is garbage now, and there is no room for it.
    if fault.kind == .limit(.memory) { collect() }
  }

  @inline(__always)
  func beginInstant() {
    let live = liveState
    let state = machine.state
    live.pointee.instant &+= 1
    live.pointee.instantCount &+= 1
    live.pointee.isRunning = true
    live.pointee.isComputing = true
    live.pointee.occurrenceCount = 0
    machine.grant(steps: limits.stepsPerInstant, seconds: limits.secondsPerInstant)
    state.pointee.epoch &+= 1
    if live.pointee.hasSolver { beginContinuous() }
  }

  @inline(__always)
  func commit() {
    let live = liveState
    let state = machine.state
    live.pointee.isComputing = false
    heap.stopMetering()
    var slot = live.pointee.changed
    let end = slot + live.pointee.changedCount
    while slot < end {
      slot.pointee.old.pointee = slot.pointee.new.pointee
      slot += 1
    }
    if state.pointee.poisonCount > 0 || !live.pointee.poisonChanges.isEmpty { commitPoison() }
    live.pointee.changedCount = 0
    live.pointee.undo.forget()
    if isUnusual { commitUnusual() }
    if !live.pointee.touchedFrames.isEmpty { resetTouched() }
    state.pointee.epoch &+= 1
    if live.pointee.hasSolver { endContinuous() }
  }

  /// Whether the instant did more than change values and private words.
  @inline(__always)
  private var isUnusual: Bool {
    let live = liveState
    let scopes = live.pointee.bornFrames.count | live.pointee.leavingFrames.count
    let waits =
      live.pointee.timerChanges.count | live.pointee.causedNext.count | live.pointee.causedForGood.count
    let buffers = live.pointee.buffersToFreeOnCommit.count | live.pointee.buffersToFreeOnUndo.count
    return scopes | waits | buffers != 0 || live.pointee.hasTaskWork
  }

  @inline(never)
  private func commitUnusual() {
    if !live.timerChanges.isEmpty { commitTimers() }
    if !live.buffersToFreeOnCommit.isEmpty || !live.buffersToFreeOnUndo.isEmpty { settleBuffers(committed: true) }
    if !live.bornFrames.isEmpty {
      for frame in live.bornFrames.buffer where frame.pointee.isLive { settleBirth(frame) }
      live.bornFrames.removeAll()
    }
    if !live.leavingFrames.isEmpty {
      for frame in live.leavingFrames.buffer { release(frame) }
      live.leavingFrames.removeAll()
    }
    moveCaused()
    if live.hasTaskWork {
      commitTasks()
      live.hasTaskWork = !live.hostStarts.isEmpty
    }
  }

  private func moveCaused() {
    if !live.causedNext.isEmpty {
      if live.caused.isEmpty {
        swap(&live.caused, &live.causedNext)
      } else {
        live.caused.append(all: live.causedNext)
        live.causedNext.removeAll()
      }
    }
    if !live.causedForGood.isEmpty {
      live.caused.append(all: live.causedForGood)
      live.causedForGood.removeAll()
    }
  }

  @inline(never)
  private func commitPoison() {
    for index in 0..<live.changedCount {
      let slot = live.changed[index]
      if let fault = machine.poison(at: slot.new) {
        machine.poison(slot.old, fault)
      } else {
        machine.cure(slot.old)
      }
    }
    live.poisonChanges.removeAll(keepingCapacity: true)
  }

  /// Takes everything back: values, private words, timers, scopes, and what was to be caused.
  func undoInstant() {
    live.isComputing = false
    heap.stopMetering()
    for index in 0..<live.changedCount {
      let slot = live.changed[index]
      slot.new.pointee = slot.old.pointee
    }
    live.changedCount = 0
    for change in live.poisonChanges.reversed() {
      if let before = change.before { machine.poison(change.slot, before) } else { machine.cure(change.slot) }
    }
    live.poisonChanges.removeAll(keepingCapacity: true)
    undoTasks()
    undoTimers()
    live.undo.takeBack()
    undoQueues()
    settleBuffers(committed: false)
    let touched = clearTouched()
    for frame in live.leavingFrames.buffer { frame.pointee.isLeaving = false }
    live.leavingFrames.removeAll()
    for frame in live.bornFrames.buffer.reversed() where frame.pointee.isLive { release(frame) }
    live.bornFrames.removeAll()
    for frame in live.frameStack.buffer { frame.pointee.dealt = 0 }
    live.frameStack.removeAll()
    live.causedNext.removeAll()
    moveCaused()
    live.touchedOutputs.removeAll()
    live.isOverMemory = false
    live.isOverQueue = false
    machine.epoch += 1
    // Nothing of this instant is shown any more.
    live.instant &+= 1
    releaseWhatIsOver(touched)
    undoContinuous()
  }

  /// After an instant that went well nothing is marked; only the flags are left.
  @inline(never)
  private func resetTouched() {
    for frame in live.touchedFrames.buffer {
      frame.pointee.isTouched = false
      frame.pointee.isQueued = false
      frame.pointee.isQueuedLate = false
    }
    live.touchedFrames.removeAll()
  }

  /// After a fault: takes back the marks as well. Gives the frames that had some.
  private func clearTouched() -> [FrameRef] {
    let touched = Array(live.touchedFrames.buffer)
    for frame in touched { clearMarks(frame) }
    live.touchedFrames.removeAll()
    clearMarks(live.root)
    live.root.pointee.isQueued = true
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
