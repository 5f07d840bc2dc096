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
    return isExhausted(child, child.pointee.template.pointee.results[0], budget: &budget)
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

  private func isExhausted(_ frame: FrameRef, _ operand: Operand, budget: inout Int) -> Bool {
    budget -= 1
    if budget < 0 || operand.entry < 0 { return false }
    let home = outer(frame, operand.up)
    // It has yet to run in this instant: what feeds it may have ended with what it will be handed.
    if isMarked(home, Int(operand.entry)) { return false }
    let entry = home.pointee.template.pointee.entries + Int(operand.entry)
    let state = home.pointee.state + Int(max(0, entry.pointee.state))
    let hasFirstEnded = { [self] (budget: inout Int) in isExhausted(home, entry.pointee.first, budget: &budget) }
    switch entry.pointee.kind.ending {
    case .open: return false
    case .atOnce: return true
    case .started: return !live.isStarting
    case .fired: return state[TimedState.timer] == 0 && state[TimedState.fired] != 0
    case .counted: return state[0].int <= 0 || hasFirstEnded(&budget)
    case .closed: return state[0].bool || hasFirstEnded(&budget)
    case .shut: return isShut(home, entry) || hasFirstEnded(&budget)
    case .withFirst: return hasFirstEnded(&budget)
    case .withSecond: return isExhausted(home, entry.pointee.second, budget: &budget)
    case .withAll:
      for place in 0..<Int(entry.pointee.count) {
        if !isExhausted(home, operands[Int(entry.pointee.operands) + place], budget: &budget) { return false }
      }
      return true
    case .withOne: return hasFirstEnded(&budget) || isExhausted(home, entry.pointee.second, budget: &budget)
    case .withEither:
      return Queue(state).isEmpty && hasFirstEnded(&budget)
        || Queue(state + QueueState.words).isEmpty && isExhausted(home, entry.pointee.second, budget: &budget)
    case .waiting:
      return held(home, Int(operand.entry), isNewest: false) == nil && hasFirstEnded(&budget)
        && !mayStillBeFed(home, entry)
    case .scopes: return state[OwnerState.childCount] == 0 && hasFirstEnded(&budget)
    case .latestScope:
      guard hasFirstEnded(&budget) else { return false }
      guard let child = current(home, entry) else { return true }
      return isExhausted(child, child.pointee.template.pointee.results[0], budget: &budget)
    case .result: return isResultExhausted(home, entry, budget: &budget)
    case .tasks:
      return state[PerformState.busyCount] == 0 && Queue(state + PerformState.queue).isEmpty
        && hasFirstEnded(&budget) && !mayStillBeFed(home, entry)
    }
  }

  /// Whether the result of its owner's scopes that an entry shows has ended.
  private func isResultExhausted(_ home: FrameRef, _ entry: EntryRef, budget: inout Int) -> Bool {
    let chooser = outer(home, entry.pointee.first.up)
    let owner = chooser.pointee.template.pointee.entries + Int(entry.pointee.first.entry)
    guard entry.pointee.slot < 0, let child = current(chooser, owner) else { return false }
    if owner.pointee.kind == .switchOpen, !isExhausted(chooser, owner.pointee.first, budget: &budget) { return false }
    return isExhausted(child, child.pointee.template.pointee.results[Int(entry.pointee.count)], budget: &budget)
  }

  /// Whether a filter's test is plain and fails: one branch of an `if` on what the scope was given.
  private func isShut(_ frame: FrameRef, _ entry: EntryRef) -> Bool {
    if !entry.pointee.isPlainTest { return false }
    do throws(Fault) {
      return !(try machine.run(code(entry.pointee.code), base: frame.pointee.old, with: 0).bool)
    } catch {
      return false
    }
  }

  /// Whether what feeds an entry has shown something in this instant that the feed has not taken in yet.
  private func mayStillBeFed(_ frame: FrameRef, _ entry: EntryRef) -> Bool {
    isTouched(frame, entry.pointee.first)
  }
}
