// When an instance of `flatMap` can never show anything again, it goes. Without this, every double click would leave a
// scope behind.
//
// The question is asked of the instance's result after it has run, from the result towards its sources, looking at a
// bounded number of entries; beyond that the answer is "it may".

import FRPCore
import FRPGraph

extension Reactor {
  func isExhausted(_ child: FrameRef) -> Bool {
    var budget = 64
    return isExhausted(child, child.pointee.template.pointee.results[0], &budget)
  }

  /// What a timer or a task has shown does not come again, even if its instant is undone: a scope may be over by that.
  /// Costs the depth of the touched frames.
  func releaseWhatIsOver(_ touched: [FrameRef]) {
    for frame in touched {
      var next: FrameRef? = frame
      while let child = next, child.pointee.isLive, let parent = child.pointee.parent {
        let owner = parent.pointee.template.pointee.entries[Int(child.pointee.owner)]
        if owner.kind == .flatMap, isExhausted(child) { release(child) }
        next = parent
      }
    }
  }

  private func isExhausted(_ frame: FrameRef, _ operand: Operand, _ budget: inout Int) -> Bool {
    budget -= 1
    if budget < 0 || operand.entry < 0 { return false }
    let home = outer(frame, operand.up)
    let entry = home.pointee.template.pointee.entries + Int(operand.entry)
    let state = home.pointee.state + Int(max(0, entry.pointee.state))
    switch entry.pointee.kind {
    case .never: return true
    case .start: return !isStarting
    case .after: return state[TimedState.timer] == 0 && state[TimedState.fired] != 0
    case .take:
      return state[0].int <= 0 || isExhausted(home, entry.pointee.first, &budget)
    case .takeWhile: return state[0].bool || isExhausted(home, entry.pointee.first, &budget)
    case .takeUntil: return state[0].bool || isExhausted(home, entry.pointee.first, &budget)
    case .filter:
      return isShut(home, entry) || isExhausted(home, entry.pointee.first, &budget)
    case .map, .filterMap, .scan, .drop, .dropWhile, .dropUntil, .distinct, .pairwise, .spill, .coalesce,
      .buffer, .throttle:
      return isExhausted(home, entry.pointee.first, &budget)
    case .batch: return isExhausted(home, entry.pointee.first, &budget)
    case .merge:
      for place in 0..<Int(entry.pointee.count) {
        if !isExhausted(home, operands[Int(entry.pointee.operands) + place], &budget) { return false }
      }
      return true
    case .zip:
      return Queue(state).isEmpty && isExhausted(home, entry.pointee.first, &budget)
        || Queue(state + QueueState.words).isEmpty && isExhausted(home, entry.pointee.second, &budget)
    case .delay:
      return Queue(state + TimedState.queue, width: 2).isEmpty && isExhausted(home, entry.pointee.first, &budget)
        && !mayStillBeFed(home, entry)
    case .debounce, .audit:
      return state[TimedState.isWaiting] == 0 && isExhausted(home, entry.pointee.first, &budget)
        && !mayStillBeFed(home, entry)
    case .flatMap:
      return state[OwnerState.childCount] == 0 && isExhausted(home, entry.pointee.first, &budget)
    case .flatMapLatest:
      guard isExhausted(home, entry.pointee.first, &budget) else { return false }
      guard let child = current(home, entry) else { return true }
      return isExhausted(child, child.pointee.template.pointee.results[0], &budget)
    case .chosen:
      let chooser = outer(home, entry.pointee.first.up)
      let owner = chooser.pointee.template.pointee.entries + Int(entry.pointee.first.entry)
      guard entry.pointee.slot < 0, let child = current(chooser, owner) else { return false }
      if owner.pointee.kind == .switchOpen, !isExhausted(chooser, owner.pointee.first, &budget) { return false }
      return isExhausted(child, child.pointee.template.pointee.results[Int(entry.pointee.count)], &budget)
    case .perform:
      return state[PerformState.busyCount] == 0 && Queue(state + PerformState.queue).isEmpty
        && isExhausted(home, entry.pointee.first, &budget) && !mayStillBeFed(home, entry)
    default: return false
    }
  }

  /// Whether a filter's test is plain and fails: one branch of an `if` on what the scope was given.
  private func isShut(_ frame: FrameRef, _ entry: EntryRef) -> Bool {
    if !entry.pointee.isPlainTest { return false }
    do throws(Fault) {
      return !(try machine.run(code(entry.pointee.code), base: frame.pointee.old, 0).bool)
    } catch {
      return false
    }
  }

  /// Whether what feeds an entry has shown something in this instant that the feed has not taken in yet.
  private func mayStillBeFed(_ frame: FrameRef, _ entry: EntryRef) -> Bool {
    isTouched(frame, entry.pointee.first)
  }
}
