// Every word of the reactor that may refer to the heap, for the collector. Between instants only.

import FRPCore
import FRPGraph

extension Reactor {
  @inline(__always)
  func collectIfNeeded() {
    let top = heap.state.pointee.top
    if top == present.pointee.lastHeapTop, !heap.collectAlways { return }
    present.pointee.lastHeapTop = top
    if heap.wantsCollection, !isRunning { collect() }
  }

  /// Moves what is live and gives back the rest.
  @inline(never)
  public func collect() {
    if isRunning { return }
    // All frames are looked at, so many frames are worth more garbage.
    heap.threshold = min(max(1 << 20, 2 * frameBytes), limits.heapBytes / 4)
    heap.collect { visitor in visitRoots(visitor) }
  }

  private func visitRoots(_ visitor: borrowing RootVisitor) {
    for number in 0..<frames.count {
      if let frame = frames.frames[number] { visitFrame(frame, visitor) }
    }
    for index in sentNext.indices {
      let port = sentNext[index].port
      if plan.inputs.indices.contains(port), heap.shapes.isReference(plan.inputs[port].type) {
        visitor.visit(&sentNext.start[index].value)
      }
    }
    visitTasks(visitor)
    visitContinuous(visitor)
  }

  private func visitFrame(_ frame: FrameRef, _ visitor: borrowing RootVisitor) {
    let template = frame.pointee.template
    for place in 0..<template.pointee.referenceCount {
      let slot = Int(template.pointee.references[place])
      visitor.visit(frame.pointee.old + slot)
      visitor.visit(frame.pointee.new + slot)
    }
    for place in 0..<template.pointee.pulledReferenceCount {
      // What was computed for an epoch that is over is not needed again.
      let slot = Int(template.pointee.pulledReferences[place])
      for word in slot...slot + 1 {
        frame.pointee.old[word] = 0
        frame.pointee.new[word] = 0
      }
    }
    if frame.pointee.key != 0, let parent = frame.pointee.parent {
      let owner = parent.pointee.template.pointee.entries + Int(frame.pointee.owner)
      if heap.shapes.isReference(owner.pointee.keyType) { visitor.visit(&frame.pointee.key) }
    }
    // What has ended has nothing waiting.
    if frame.pointee.isKept { return }
    for place in 0..<template.pointee.keeperCount {
      visitState(frame, template.pointee.entries + Int(template.pointee.keepers[place]), visitor)
    }
  }

  /// The private words of an entry for which `mayKeepReferences` says so.
  private func visitState(_ frame: FrameRef, _ entry: EntryRef, _ visitor: borrowing RootVisitor) {
    if entry.pointee.state < 0 { return }
    let state = frame.pointee.state + Int(entry.pointee.state)
    let shapes = heap.shapes
    switch entry.pointee.kind {
    case .scan: visitor.visit(state)
    case .distinct, .pairwise: visitor.visit(state + 1)
    case .debounce, .audit: visitor.visit(state + TimedState.payload)
    case .zip:
      visitQueue(Queue(state), shapes.fieldType(entry.pointee.type, 0), visitor)
      visitQueue(Queue(state + QueueState.words), shapes.fieldType(entry.pointee.type, 1), visitor)
    case .buffer: visitQueue(Queue(state + 1), entry.pointee.inputType, visitor)
    case .batch: visitQueue(Queue(state), entry.pointee.inputType, visitor)
    case .delay, .delayBehavior: visitQueue(Queue(state + TimedState.queue, width: 2), entry.pointee.type, visitor)
    case .window: visitQueue(Queue(state + TimedState.queue, width: 2), entry.pointee.inputType, visitor)
    case .perform:
      // Tasks, which are references like strings.
      visitQueue(Queue(state + PerformState.queue), .string, visitor)
    default: break
    }
  }

  private func visitQueue(_ queue: Queue, _ type: TypeID, _ visitor: borrowing RootVisitor) {
    if !heap.shapes.isReference(type) { return }
    for place in 0..<queue.count { visitor.visit(queue.element(place) + (queue.width - 1)) }
  }
}
