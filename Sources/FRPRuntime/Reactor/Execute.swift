// What each kind of entry does when it runs: the dispatch, and the behaviors.

import FRPCore
import FRPGraph

extension Reactor {
  typealias EntryRef = UnsafeMutablePointer<Entry>

  /// Runs one marked entry.
  func execute(_ frame: FrameRef, _ index: Int) throws(Fault) {
    let entry = frame.pointee.template.pointee.entries + index
    runningNode = entry.pointee.node
    switch entry.pointee.kind {
    case .lift: try runLift(frame, index, entry)
    case .sum: try runSum(frame, index, entry)
    case .hold: try runHold(frame, index, entry)
    case .fold: try runFold(frame, index, entry)
    case .map: try runMap(frame, index, entry)
    case .filter: try runFilter(frame, index, entry)
    case .filterMap: try runFilterMap(frame, index, entry)
    case .scan: try runScan(frame, index, entry)
    case .merge: try runMerge(frame, index, entry)
    case .take: try runTake(frame, index, entry)
    case .drop: try runDrop(frame, index, entry)
    case .takeWhile: try runTakeWhile(frame, index, entry)
    case .dropWhile: try runDropWhile(frame, index, entry)
    case .takeUntil: runTakeUntil(frame, index, entry)
    case .dropUntil: runDropUntil(frame, index, entry)
    case .distinct: try runDistinct(frame, index, entry)
    case .pairwise: try runPairwise(frame, index, entry)
    case .zip: try runZip(frame, index, entry)
    case .spill: try runSpill(frame, index, entry)
    case .coalesce: try runCoalesce(frame, index, entry)
    case .buffer: try runBuffer(frame, index, entry)
    case .batch: try runBatch(frame, index, entry)
    case .batchFeed: runBatchFeed(frame, index, entry)
    case .delayFeed: runDelayFeed(frame, index, entry)
    case .debounceFeed: runDebounceFeed(frame, index, entry)
    case .throttle: try runThrottle(frame, index, entry)
    case .auditFeed: runAuditFeed(frame, index, entry)
    case .window: try runWindow(frame, index, entry)
    case .delayBehaviorFeed: try runDelayBehaviorFeed(frame, index, entry)
    case .changes: try runChanges(frame, index, entry)
    case .whenWatch: try runWhenWatch(frame, index, entry)
    case .jump: touch(frame, index)
    case .integral: try runIntegral(frame, index, entry)
    case .integralFeed: runIntegralFeed(frame, index, entry)
    case .crossing: try runCrossing(frame, index, entry)
    case .rounding: try runRounding(frame, index, entry)
    case .switchTo: try runSwitch(frame, index, entry)
    case .switchOpen: try runSwitchOpen(frame, index, entry)
    case .flatMap: try runFlatMap(frame, index, entry)
    case .flatMapLatest: try runFlatMapLatest(frame, index, entry)
    case .keyed: try runKeyed(frame, index, entry)
    case .groupBy: try runGroupBy(frame, index, entry)
    case .each: try runEach(frame, index, entry)
    case .choose: try runChoose(frame, index, entry)
    case .ownerLate: try runOwnerLate(frame, index, entry)
    case .chosen: try runChosen(frame, index, entry)
    case .performFeed: try runPerformFeed(frame, index, entry)
    case .busy: runBusy(frame, index, entry)
    // These show what was seeded; nothing ever marks them.
    case .inputBehavior, .time, .constant, .member, .inputEvent, .never, .start, .end, .every, .after, .group, .delay,
      .debounce, .audit, .when, .perform, .delayBehavior:
      break
    }
  }

  @inline(__always)
  func code(_ raw: Int32) -> CodeID { codes[Int(raw)] }

  /// A plain expression of an entry.
  @inline(__always)
  func plain(_ frame: FrameRef, _ entry: EntryRef) throws(Fault) -> Word {
    try machine.run(code(entry.pointee.plain), base: frame.pointee.new)
  }

  // MARK: Behaviors

  /// [[lift(x)]](t) = x, point by point.
  func runLift(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let value: Word
    do throws(Fault) {
      value = try machine.run(code(entry.pointee.code), base: frame.pointee.new)
    } catch {
      try storeFault(frame, index, entry, error)
      return
    }
    store(frame, index, entry, value)
  }

  /// hold(e, x0)(t) = the last a with (t', a) in e and t' < t, else x0
  func runHold(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (start, count) = occurred(frame, entry.pointee.first)
    if count == 0 { return }
    if !entry.pointee.hasStages {
      store(frame, index, entry, occurrences[start + count - 1])
      return
    }
    var last: Word?
    for place in start..<start + count {
      let value = try machine.run(code(entry.pointee.code), base: frame.pointee.old, occurrences[place])
      if !machine.hasSkipped { last = value }
    }
    if let last { store(frame, index, entry, last) }
  }

  /// fold(e, x0, f)(t) = f(...f(f(x0, a1), a2)..., an) over the (ti, ai) in e with ti < t
  func runFold(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (start, count) = occurred(frame, entry.pointee.first)
    if count == 0 { return }
    let step = code(entry.pointee.code)
    var value = frame.pointee.new[Int(entry.pointee.slot)]
    for place in start..<start + count {
      let next = try machine.run(step, base: frame.pointee.old, value, occurrences[place])
      if entry.pointee.hasStages, machine.hasSkipped { continue }
      value = next
    }
    store(frame, index, entry, value)
  }

  /// changes(b) = (t, value just after t) for each instant t where that differs from just before
  func runChanges(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let operand = entry.pointee.first
    if frame.pointee.born != instant, !isTouched(frame, operand) { return }
    let home = outer(frame, operand.up)
    let slot = Int(operand.slot)
    if let fault = machine.poison(at: home.pointee.new + slot) {
      // What had no value before and has none now has not changed.
      if machine.poison(at: home.pointee.old + slot) != nil { return }
      throw fault
    }
    let new = home.pointee.new[slot]
    let start = occurrenceCount
    if machine.poison(at: home.pointee.old + slot) == nil, heap.equal(new, home.pointee.old[slot], entry.pointee.type) {
      return
    }
    try add(new)
    emit(frame, index, from: start)
  }

  /// when(c): made true by an instant, it fires in the next micro-step; at a located crossing, in that instant.
  func runWhenWatch(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let source = Int(entry.pointee.partner)
    let state = frame.pointee.state + Int(frame.pointee.template.pointee.entries[source].state)
    let operand = entry.pointee.first
    let home = outer(frame, operand.up)
    if let fault = machine.poison(at: home.pointee.new + Int(operand.slot)) { throw fault }
    let isTrue = home.pointee.new[Int(operand.slot)].bool
    let wasTrue = state[WhenState.seen].bool
    if isTrue == wasTrue { return }
    set(state + WhenState.seen, Word(bool: isTrue))
    if isTrue { cause(frame, source) }
  }

  /// Lets an entry fire in the next micro-step, if this instant does not fault.
  func cause(_ frame: FrameRef, _ index: Int) {
    causedNext.append(CausedStep(frame: frame, generation: frame.pointee.generation, entry: Int32(index)))
  }

  /// A result of a `choose` or an open `switch`: the behavior of the instance that counts just after the instant, the
  /// occurrences of the one that counted just before.
  func runChosen(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let home = outer(frame, entry.pointee.first.up)
    let chooser = home.pointee.template.pointee.entries + Int(entry.pointee.first.entry)
    let isEvent = entry.pointee.slot < 0
    let side = isEvent ? OwnerState.previous : OwnerState.current
    guard let child = self.frame(home.pointee.state[Int(chooser.pointee.state) + side]) else { return }
    let result = child.pointee.template.pointee.results[Int(entry.pointee.count)]
    if isEvent {
      let (start, count) = occurred(child, result)
      if count > 0 { show(frame, index, start, count) }
      return
    }
    if entry.pointee.isContinuous {
      touch(frame, index)
      return
    }
    let isTurned = self.frame(home.pointee.state[Int(chooser.pointee.state) + OwnerState.previous]) != child
    if !isTurned, child.pointee.born != instant, !isTouched(child, result) { return }
    try copyResult(frame, index, entry, child, result)
  }

  /// Makes a behavior what a result of one of its scopes is.
  func copyResult(_ frame: FrameRef, _ index: Int, _ entry: EntryRef, _ child: FrameRef, _ result: Operand)
    throws(Fault)
  {
    let home = outer(child, result.up)
    let slot = home.pointee.new + Int(result.slot)
    if let fault = machine.poison(at: slot) {
      try storeFault(frame, index, entry, fault)
    } else {
      store(frame, index, entry, slot.pointee)
    }
  }
}
