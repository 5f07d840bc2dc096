// What must hold between instants; checked after every instant in debug builds.
//
// - In every live frame `old` equals `new` (steps), nothing is marked, and nothing stands in a list.
// - Frames, their numbers, parents and siblings agree; counters count them.
// - The heap of timers is one; armed timers belong to live frames; nothing is due in the past.
// - Nothing is left to undo, and nothing stands on the machine's stack.

import FRPGraph

extension Reactor {
  /// The first thing that does not hold, in words; nil if all is well. Cost: linear in all live state.
  func brokenInvariant() -> String? {
    if !machine.isIdle { return "the machine's stack is in use" }
    if live.undo.count != 0 || live.changedCount != 0 { return "something is left to undo" }
    if !live.bornFrames.isEmpty || !live.leavingFrames.isEmpty || !live.touchedFrames.isEmpty {
      return "an instant is not over"
    }
    if !live.timers.isConsistent() { return "the heap of timers is none" }
    if live.timers.count > 0, live.timers.nextDue < now.nanoseconds { return "a timer is due in the past" }
    var scopes = 0
    var nodes = 0
    for number in 0..<live.frames.count {
      guard let frame = live.frames.frames[number] else { continue }
      if frame.pointee.isKept == frame.pointee.isLive || Int(frame.pointee.number) != number {
        return "frame \(number) is not itself"
      }
      scopes += 1
      nodes += frame.pointee.template.pointee.nodeCount
      if frame.pointee.isKept { continue }
      if let problem = brokenInvariant(frame) { return "frame \(number): \(problem)" }
    }
    if scopes != liveScopes || nodes != liveNodes { return "the counters do not count" }
    return nil
  }

  private func brokenInvariant(_ frame: FrameRef) -> String? {
    let template = frame.pointee.template
    if frame.pointee.isQueued != (frame == live.root) || frame.pointee.isQueuedLate || frame.pointee.isTouched {
      return "stands in a list"
    }
    for word in 0..<template.pointee.dirtyWords where frame.pointee.dirty[word] != 0 { return "is marked" }
    for word in 0..<template.pointee.summaryWords where frame.pointee.summary[word] != 0 { return "is marked above" }
    if let parent = frame.pointee.parent, !parent.pointee.isLive { return "has outlived its parent" }
    for index in 0..<template.pointee.count {
      let entry = template.pointee.entries[index]
      if entry.kind.ownsScopes, let problem = brokenInvariant(frame, entry) { return "entry \(index): \(problem)" }
      if entry.slot < 0 || entry.isContinuous { continue }
      let slot = Int(entry.slot)
      if frame.pointee.old[slot] != frame.pointee.new[slot] { return "entry \(index) differs before and after" }
    }
    return nil
  }

  private func brokenInvariant(_ frame: FrameRef, _ entry: Entry) -> String? {
    let state = frame.pointee.state + Int(entry.state)
    if state[OwnerState.dirty] != 0 { return "scopes are waiting" }
    if state[OwnerState.current] != state[OwnerState.previous] { return "turns before and after" }
    if state[OwnerState.order] != state[OwnerState.previousOrder]
      || state[OwnerState.orderCount] != state[OwnerState.previousCount]
    {
      return "has other members before and after"
    }
    var count: UInt64 = 0
    var last: FrameRef?
    var next = self.frame(state[OwnerState.firstChild])
    while let child = next {
      if child.pointee.parent != frame || child.pointee.previousSibling != last { return "siblings disagree" }
      count += 1
      last = child
      next = child.pointee.nextSibling
    }
    if self.frame(state[OwnerState.lastChild]) != last { return "the last sibling is another" }
    return count == state[OwnerState.childCount] ? nil : "the count of scopes is wrong"
  }

  /// `brokenInvariant`, for tests in other modules.
  package var brokenInvariantForTests: String? { brokenInvariant() }

  /// Stops a debug build where an invariant is broken: that is a mistake of ours, never of a program.
  func checkInvariants() {
    #if DEBUG
      if !checksInvariants || liveNodes > 10_000 { return }
      if let problem = brokenInvariant() {
        assertionFailure("after instant \(live.instant) at \(now.seconds): \(problem)")
      }
    #endif
  }
}
