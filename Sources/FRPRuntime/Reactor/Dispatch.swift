// What each kind of entry does: when it runs, when its time has come, as its scope starts. What it is (its state, when it
// begins and ends, what it holds back) stands in its row, FRPGraph/EntryKind.swift.
//
// Rules: no `default`, so a kind that is missing here does not compile.

import FRPCore
import FRPGraph

extension Reactor {
  /// Runs one marked entry.
  func execute(_ frame: FrameRef, _ index: Int) throws(Fault) {
    let entry = frame.pointee.template.pointee.entries + index
    live.runningNode = entry.pointee.node
    switch entry.pointee.kind {
    case .lift: try runLift(frame, index, entry)
    case .sum: try runSum(frame, index, entry)
    case .hold: try runHold(frame, index, entry)
    case .fold: try runFold(frame, index, entry)
    case .map: try runMap(frame, index, entry)
    case .filter: try runFilter(frame, index, entry)
    case .filterMap: try runFilterMap(frame, index, entry)
    case .scan: try runScan(frame, index, entry)
    case .mapAccum: try runMapAccum(frame, index, entry)
    case .merge: try runMerge(frame, index, entry)
    case .take: try runTake(frame, index, entry)
    case .drop: try runDrop(frame, index, entry)
    case .takeWhile: try runTakeWhile(frame, index, entry)
    case .takeThrough: try runTakeWhile(frame, index, entry, through: 1)
    case .dropWhile: try runDropWhile(frame, index, entry)
    case .takeUntil: runTakeUntil(frame, index, entry)
    case .dropUntil: runDropUntil(frame, index, entry)
    case .distinct: try runDistinct(frame, index, entry)
    case .pairwise: try runPairwise(frame, index, entry)
    case .zip: try runZip(frame, index, entry)
    case .both: try runBoth(frame, index, entry)
    case .except: runExcept(frame, index, entry)
    case .spill: try runSpill(frame, index, entry)
    case .coalesce: try runCoalesce(frame, index, entry)
    case .buffer: try runBuffer(frame, index, entry)
    case .bufferEvery: try runBufferEvery(frame, index, entry)
    case .batch: try runBatch(frame, index, entry)
    case .batchFeed: runBatchFeed(frame, index, entry)
    case .bufferUntil: try runBufferUntil(frame, index, entry)
    case .delayFeed: runDelayFeed(frame, index, entry)
    case .debounceFeed: runDebounceFeed(frame, index, entry)
    case .throttle: try runThrottle(frame, index, entry)
    case .auditFeed: runAuditFeed(frame, index, entry)
    case .window: try runWindow(frame, index, entry)
    case .summary: try runSummary(frame, index, entry)
    case .delayBehaviorFeed: try runDelayBehaviorFeed(frame, index, entry)
    case .changes: try runChanges(frame, index, entry)
    case .updates: try runUpdates(frame, index, entry)
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
    case .debounceUntil, .throttleUntil, .auditUntil: try runPause(frame, index, entry)
    case .keyed: try runKeyed(frame, index, entry)
    case .groupBy: try runGroupBy(frame, index, entry)
    case .each: try runEach(frame, index, entry)
    case .choose: try runChoose(frame, index, entry)
    case .ownerLate: try runOwnerLate(frame, index, entry)
    case .chosen: try runChosen(frame, index, entry)
    case .performFeed: try runPerformFeed(frame, index, entry)
    case .awaitedFeed: runAwaitedFeed(frame, index, entry)
    case .busy: runBusy(frame, index, entry)
    case .link: try runLink(frame, index, entry)
    case .items: try runItems(frame, index, entry)
    // These show what was seeded; nothing ever marks them.
    case .inputBehavior, .time, .constant, .member, .inputEvent, .never, .start, .end, .every, .after, .group, .delay,
      .debounce, .audit, .when, .perform, .delayBehavior, .awaited:
      break
    }
  }

  /// An entry's time has come: its timer, or the micro-step it was waiting for.
  func fire(_ frame: FrameRef, _ index: Int) throws(Fault) {
    let entry = frame.pointee.template.pointee.entries + index
    let state = frame.pointee.state + Int(entry.pointee.state)
    switch entry.pointee.kind {
    case .every: try fireEvery(frame, index, state)
    case .after:
      state[TimedState.fired] = 1
      try showOne(frame, index, Word.unit)
    case .when: try showOne(frame, index, Word.unit)
    case .delay: try fireDelay(frame, index, state)
    case .debounce, .audit: try firePayload(frame, index, state)
    case .window: fireWindow(frame, index, state)
    case .summary: fireSummary(frame, index, state)
    case .updates: showFirst(frame, index)
    case .delayBehavior: fireDelayBehavior(frame, index, entry, state)
    case .perform: firePerform(frame, index, entry, state)
    case .inputBehavior, .time, .constant, .lift, .sum, .jump, .hold, .fold, .integral, .integralFeed,
      .delayBehaviorFeed, .crossing, .rounding, .member, .busy, .link, .items, .inputEvent, .never, .start, .end,
      .group, .map,
      .filter, .filterMap, .scan, .mapAccum, .merge, .take, .drop, .takeWhile, .takeThrough, .dropWhile, .takeUntil,
      .dropUntil, .distinct, .pairwise, .zip, .both, .except, .spill, .coalesce, .buffer, .bufferEvery, .batch,
      .batchFeed,
      .bufferUntil, .delayFeed, .debounceFeed, .throttle, .auditFeed, .changes, .whenWatch, .switchTo, .switchOpen,
      .flatMap, .flatMapLatest, .debounceUntil, .throttleUntil, .auditUntil, .keyed, .groupBy, .each, .choose,
      .ownerLate,
      .chosen, .performFeed, .awaited, .awaitedFeed:
      break
    }
  }

  /// What an entry begins with at once, as its scope starts.
  func startValue(_ frame: FrameRef, _ index: Int) throws(Fault) {
    let entry = frame.pointee.template.pointee.entries + index
    let state = frame.pointee.state + Int(max(0, entry.pointee.state))
    live.runningNode = entry.pointee.node
    if live.isAdopting, try resumeValue(frame, index) { return }
    switch entry.pointee.kind {
    case .constant: try startLift(frame, entry, isGroup: false)
    case .hold, .fold, .integral: begin(frame, entry, try plain(frame, entry))
    case .inputBehavior: try startInput(frame, entry)
    case .scan, .mapAccum, .take, .drop, .buffer: state[0] = try plain(frame, entry)
    case .bufferEvery: startSliding(state, try plain(frame, entry))
    case .delay, .debounce, .throttle, .audit, .delayBehavior:
      state[TimedState.duration] = try plain(frame, entry)
    case .window:
      state[TimedState.duration] = try plain(frame, entry)
      begin(frame, entry, heap.emptyList)
    case .summary:
      state[TimedState.duration] = try plain(frame, entry)
      begin(frame, entry, Word.none)
    case .every: try startEvery(frame, index, entry, state)
    case .after: try startAfter(frame, index, entry, state)
    case .time: startTime(frame, entry)
    case .groupBy: if !entry.pointee.isContinuous { begin(frame, entry, Word.emptyMap) }
    case .busy: begin(frame, entry, Word(bool: false))
    case .link: begin(frame, entry, Word(tag: LinkCase.idle.rawValue))
    case .perform: startPolicy(state, try plain(frame, entry))
    case .awaited: try startAwaited(frame, entry, number: live.awaits.number())
    case .start: if live.isStarting { live.startEntries.append((frame, Int32(index))) }
    case .lift, .sum, .jump, .integralFeed, .delayBehaviorFeed, .crossing, .rounding, .member, .items, .inputEvent,
      .never,
      .end, .group, .map, .filter, .filterMap, .merge, .takeWhile, .takeThrough, .dropWhile, .takeUntil, .dropUntil,
      .distinct, .pairwise, .zip, .both, .except, .spill, .coalesce, .batch, .batchFeed, .bufferUntil, .delayFeed,
      .debounceFeed, .auditFeed, .changes, .updates, .when, .whenWatch, .switchTo, .switchOpen, .flatMap,
      .flatMapLatest,
      .debounceUntil, .throttleUntil, .auditUntil, .keyed, .each, .choose, .ownerLate, .chosen, .performFeed,
      .awaitedFeed:
      break
    }
  }

  /// What an entry begins with once others have their values.
  func startDependent(_ frame: FrameRef, _ index: Int, isGroup: Bool) throws(Fault) {
    let entry = frame.pointee.template.pointee.entries + index
    live.runningNode = entry.pointee.node
    if live.isAdopting, try resumeDependent(frame, index) { return }
    switch entry.pointee.kind {
    case .lift, .sum: try startLift(frame, entry, isGroup: isGroup)
    case .delayBehavior:
      if !entry.pointee.isContinuous {
        try startDelay(frame, entry, isGroup: isGroup)
      } else if isGroup {
        try startContinuousDelay(frame, index, entry)
      }
    case .whenWatch: try startWatch(frame, index, entry, isGroup: isGroup)
    case .changes: if isGroup { mark(frame, index) }
    case .updates: startUpdates(frame, index, entry, isGroup: isGroup)
    case .crossing: try startCrossing(frame, entry, isGroup: isGroup)
    case .rounding: try startRounding(frame, entry, isGroup: isGroup)
    case .switchTo: if !entry.pointee.isContinuous { try startFirst(frame, entry, isGroup: isGroup) }
    case .each:
      if isGroup { try startMembers(frame, index, entry) } else { try runEach(frame, index, entry) }
    case .choose: try startChoose(frame, index, entry)
    case .switchOpen: try startSwitchOpen(frame, index, entry)
    case .chosen: try startChosen(frame, entry, isGroup: isGroup)
    // A group runs in the instant that makes it: then it does, after what its parts are handed.
    case .ownerLate: if !isGroup { try runOwnerLate(frame, index, entry) }
    case .inputBehavior, .time, .constant, .jump, .hold, .fold, .integral, .integralFeed, .delayBehaviorFeed, .window,
      .summary, .member, .busy, .link, .items, .inputEvent, .never, .start, .end, .every, .after, .group, .map, .filter,
      .filterMap, .scan, .mapAccum, .merge, .take, .drop, .takeWhile, .takeThrough, .dropWhile, .takeUntil, .dropUntil,
      .distinct,
      .pairwise, .zip, .both, .except, .spill, .coalesce, .buffer, .bufferEvery, .batch, .batchFeed, .bufferUntil,
      .delay,
      .delayFeed, .debounce, .debounceFeed, .throttle, .audit, .auditFeed, .when, .flatMap, .flatMapLatest,
      .debounceUntil, .throttleUntil, .auditUntil, .keyed, .groupBy, .perform, .performFeed, .awaited, .awaitedFeed:
      break
    }
  }
}
