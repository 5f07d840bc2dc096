// Every word of the reactor that may refer to the heap, for the collector.
//
// Between instants these are the words of frames, and of what waits. Within one there are, besides, what has occurred, what
// undoing would bring back, and what may or may not be a reference any more: the words of a frame that has just been born
// are still those of an earlier one until its entries have started. Objects that such words point to stay where they are.

import FRPCore
import FRPGraph

extension Reactor {
  /// In the mode that collects at every chance: whoever has kept a word since the last call notices. Nothing in release.
  @inline(__always)
  func collectBeforeCall() {
    #if DEBUG
      if heap.collectAlways { collect() }
    #endif
  }

  @inline(__always)
  func collectIfNeeded() {
    let top = heap.state.pointee.top
    if top == live.lastHeapTop, !heap.collectAlways { return }
    live.lastHeapTop = top
    if heap.wantsCollection, !isRunning { collect() }
  }

  /// Moves what is live and gives back the rest.
  @inline(never)
  public func collect() {
    if isRunning { return }
    // All frames are looked at, so many frames are worth more garbage.
    heap.threshold = min(max(1 << 20, 2 * live.frameBytes), limits.heapBytes / 4)
    heap.collect { visitor in visitRoots(visitor) }
  }

  /// The same within an instant, the machine's stack being in use between two addresses. False where nothing was done:
  /// before the entries of an instant run, and after.
  func collectInside(_ start: Address, _ end: Address) -> Bool {
    if !live.isComputing || live.isAdopting { return false }
    heap.threshold = min(max(1 << 20, 2 * live.frameBytes), limits.heapBytes / 4)
    return heap.collect(
      pinning: { pins in
        pins.visit(from: start, to: end)
        visitPins(pins)
      }, { visitor in visitRoots(visitor) })
  }

  /// Whether a frame may have entries that have not started.
  private func isNew(_ frame: FrameRef) -> Bool {
    isRunning && (frame.pointee.born == live.instant || live.isStarting)
  }

  /// The words of an instant that may be references.
  private func visitPins(_ pins: borrowing PinVisitor) {
    pins.visit(from: live.occurrences, to: live.occurrences + live.occurrenceCount)
    for row in 0..<live.undo.count { pins.visit(live.undo.rows[row].word) }
    for change in live.outputChanges.buffer { pins.visit(change.value) }
    for number in 0..<live.frames.count {
      guard let frame = live.frames.frames[number], isNew(frame) else { continue }
      pins.visit(from: frame.pointee.old, to: frame.pointee.state)
      pins.visit(frame.pointee.key)
    }
    if live.hasSolver { live.solver?.delays.pin(pins) }
  }

  private func visitRoots(_ visitor: borrowing RootVisitor) {
    for number in 0..<live.frames.count {
      if let frame = live.frames.frames[number] { visitFrame(frame, visitor) }
    }
    for rows in [live.sentNext, live.waiting, live.arrivedInputs] {
      for index in rows.indices where isReference(port: rows[index].port) {
        visitor.visit(&rows.start[index].value)
      }
    }
    for port in startValues.keys where isReference(port: port) {
      if var word = startValues[port] {
        visitor.visit(&word)
        startValues[port] = word
      }
    }
    visitTasks(visitor)
    visitContinuous(visitor)
  }

  private func isReference(port: Int) -> Bool {
    plan.inputs.indices.contains(port) && heap.shapes.isReference(plan.inputs[port].type)
  }

  private func visitFrame(_ frame: FrameRef, _ visitor: borrowing RootVisitor) {
    let template = frame.pointee.template
    for place in 0..<template.pointee.pulledReferenceCount {
      let slot = Int(template.pointee.pulledReferences[place])
      visitPulled(frame.pointee.old + slot, visitor)
      visitPulled(frame.pointee.new + slot, visitor)
    }
    // Its words are pinned.
    if isNew(frame) { return visitKeepers(frame, visitor) }
    for place in 0..<template.pointee.referenceCount {
      let slot = Int(template.pointee.references[place])
      visitor.visit(frame.pointee.old + slot)
      visitor.visit(frame.pointee.new + slot)
    }
    if frame.pointee.key != 0, let parent = frame.pointee.parent {
      let owner = parent.pointee.template.pointee.entries + Int(frame.pointee.owner)
      if heap.shapes.isReference(owner.pointee.keyType) { visitor.visit(&frame.pointee.key) }
    }
    // What has ended has nothing waiting.
    if !frame.pointee.isKept { visitKeepers(frame, visitor) }
  }

  /// What was computed for an epoch that is over is not needed again.
  private func visitPulled(_ slot: Address, _ visitor: borrowing RootVisitor) {
    if isRunning, slot[1] == machine.epoch { return visitor.visit(slot) }
    slot[0] = 0
    slot[1] = 0
  }

  private func visitKeepers(_ frame: FrameRef, _ visitor: borrowing RootVisitor) {
    let template = frame.pointee.template
    for place in 0..<template.pointee.keeperCount {
      let row = template.pointee.keepers[place]
      let words = frame.pointee.state + Int(row.offset)
      if row.content == .queue {
        visitQueue(Queue(words, width: Int(row.width)), visitor)
      } else {
        visitor.visit(words)
      }
    }
  }

  private func visitQueue(_ queue: Queue, _ visitor: borrowing RootVisitor) {
    // What the running instant has taken out is put back if it is undone.
    let isTouched = isRunning && queue.words[QueueState.instant] == live.instant
    let taken = isTouched ? Int(queue.words[QueueState.head] &- queue.words[QueueState.floor]) : 0
    for place in -taken..<queue.count { visitor.visit(queue.element(place) + (queue.width - 1)) }
  }
}
