// When an instance of `flatMap` can never show anything again, it goes. Without this, every double click would leave a
// scope behind.
//
// The question is asked of the instance's result after it has run, from the result towards its sources, looking at a
// bounded number of entries; beyond that the answer is "it may".

import FRPCore
import FRPGraph

/// What is left of one question.
private struct EndQuestion {
  /// How many entries may still be looked at.
  var budget = 64
  /// From this depth on, late parts have done in this instant what they had to do.
  var lateDepth: Int
}

extension Reactor {
  /// `isLateDone`: whether its late part, and those within it, have run in this instant.
  func isExhausted(_ child: FrameRef, isLateDone: Bool = false) -> Bool {
    let template = child.pointee.template
    var question = EndQuestion(lateDepth: isLateDone ? Int(template.pointee.depth) : .max)
    return isExhausted(child, template.pointee.results[0], by: 0, &question)
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

  /// Whether an operand of entry `reader` of `frame` has ended.
  private func isExhausted(_ frame: FrameRef, _ operand: Operand, by reader: Int, _ question: inout EndQuestion) -> Bool
  {
    question.budget -= 1
    if question.budget < 0 || operand.entry < 0 { return false }
    let home = outer(frame, operand.up)
    // What has yet to run in this instant may be handed the last of what has ended. Late parts are not marked yet by what
    // they read of outer scopes.
    if isMarked(home, Int(operand.entry)) { return false }
    let template = frame.pointee.template
    if operand.up > 0, reader >= template.pointee.earlyCount, Int(template.pointee.depth) < question.lateDepth,
      isTouched(frame, operand)
    {
      return false
    }
    let entry = home.pointee.template.pointee.entries + Int(operand.entry)
    let state = home.pointee.state + Int(max(0, entry.pointee.state))
    let place = Int(operand.entry)
    let hasFirstEnded = { [self] (question: inout EndQuestion) in
      isExhausted(home, entry.pointee.first, by: place, &question)
    }
    switch entry.pointee.kind.ending {
    case .open: return false
    case .atOnce: return true
    case .started: return !live.isStarting
    case .fired: return state[TimedState.timer] == 0 && state[TimedState.fired] != 0
    case .counted: return state[0].int <= 0 || hasFirstEnded(&question)
    case .closed: return state[0].bool || hasFirstEnded(&question)
    case .shut: return isShut(home, entry) || hasFirstEnded(&question)
    case .withFirst: return hasFirstEnded(&question)
    case .withSecond: return isExhausted(home, entry.pointee.second, by: place, &question)
    case .withAll:
      for index in 0..<Int(entry.pointee.count) {
        let part = operands[Int(entry.pointee.operands) + index]
        if !isExhausted(home, part, by: place, &question) { return false }
      }
      return true
    case .withOne: return hasFirstEnded(&question) || isExhausted(home, entry.pointee.second, by: place, &question)
    case .withEither:
      return Queue(state).isEmpty && hasFirstEnded(&question)
        || Queue(state + QueueState.words).isEmpty && isExhausted(home, entry.pointee.second, by: place, &question)
    case .waiting:
      return held(home, Int(operand.entry), isNewest: false) == nil && hasFirstEnded(&question)
        && !mayStillBeFed(home, entry)
    case .scopes: return state[OwnerState.childCount] == 0 && hasFirstEnded(&question)
    case .latestScope:
      guard hasFirstEnded(&question) else { return false }
      guard let child = current(home, entry) else { return true }
      return isExhausted(child, child.pointee.template.pointee.results[0], by: 0, &question)
    case .result: return isResultExhausted(home, entry, &question)
    case .tasks:
      return state[PerformState.busyCount] == 0 && Queue(state + PerformState.queue).isEmpty
        && hasFirstEnded(&question) && !mayStillBeFed(home, entry)
    }
  }

  /// Whether the result of its owner's scopes that an entry shows has ended.
  private func isResultExhausted(_ home: FrameRef, _ entry: EntryRef, _ question: inout EndQuestion) -> Bool {
    let chooser = outer(home, entry.pointee.first.up)
    let owner = chooser.pointee.template.pointee.entries + Int(entry.pointee.first.entry)
    guard entry.pointee.slot < 0, let child = current(chooser, owner) else { return false }
    if owner.pointee.kind == .switchOpen,
      !isExhausted(chooser, owner.pointee.first, by: Int(entry.pointee.first.entry), &question)
    {
      return false
    }
    return isExhausted(child, child.pointee.template.pointee.results[Int(entry.pointee.count)], by: 0, &question)
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
