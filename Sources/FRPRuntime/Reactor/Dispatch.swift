// What each kind of entry does: when it runs, when its time has come, as its scope starts. What it is (its state, when it
// begins and ends, what it holds back) stands in its row, FRPGraph/EntryKind.swift.
//
// Rules: no `default`, so a kind that is missing here does not compile.

import FRPCore
import FRPGraph

extension Reactor {
  /// Runs one marked entry.
  func execute(_ frame: FrameRef, _ index: Int) throws(Fault) {
    let site = EntrySite(frame, index)
    live.runningNode = site.entry.pointee.node
    switch site.entry.pointee.kind {
    case .lift: try runLift(site)
    case .sum: try runSum(site)
    case .hold: try runHold(site)
    case .fold: try runFold(site)
    case .map: try runMap(site)
    case .filter: try runFilter(site)
    case .filterMap: try runFilterMap(site)
    case .scan: try runScan(site)
    case .mapAccum: try runMapAccum(site)
    case .merge: try runMerge(site)
    case .take: try runTake(site)
    case .drop: try runDrop(site)
    case .takeWhile: try runTakeWhile(site)
    case .takeThrough: try runTakeWhile(site, through: 1)
    case .dropWhile: try runDropWhile(site)
    case .takeUntil: runTakeUntil(site)
    case .dropUntil: runDropUntil(site)
    case .distinct: try runDistinct(site)
    case .pairwise: try runPairwise(site)
    case .zip: try runZip(site)
    case .both: try runBoth(site)
    case .except: runExcept(site)
    case .spill: try runSpill(site)
    case .coalesce: try runCoalesce(site)
    case .buffer: try runBuffer(site)
    case .bufferEvery: try runBufferEvery(site)
    case .batch: try runBatch(site)
    case .batchFeed: runBatchFeed(site)
    case .bufferUntil: try runBufferUntil(site)
    case .delayFeed: runDelayFeed(site)
    case .debounceFeed: runDebounceFeed(site)
    case .throttle: try runThrottle(site)
    case .auditFeed: runAuditFeed(site)
    case .window: try runWindow(site)
    case .summary: try runSummary(site)
    case .delayBehaviorFeed: try runDelayBehaviorFeed(site)
    case .changes: try runChanges(site)
    case .updates: try runUpdates(site)
    case .whenWatch: try runWhenWatch(site)
    case .jump: touch(site)
    case .integral: try runIntegral(site)
    case .integralFeed: runIntegralFeed(site)
    case .crossing: try runCrossing(site)
    case .rounding: try runRounding(site)
    case .switchTo: try runSwitch(site)
    case .switchOpen: try runSwitchOpen(site)
    case .flatMap: try runFlatMap(site)
    case .flatMapLatest: try runFlatMapLatest(site)
    case .debounceUntil, .throttleUntil, .auditUntil: try runPause(site)
    case .keyed: try runKeyed(site)
    case .groupBy: try runGroupBy(site)
    case .each: try runEach(site)
    case .choose: try runChoose(site)
    case .ownerLate: try runOwnerLate(site)
    case .chosen: try runChosen(site)
    case .performFeed: try runPerformFeed(site)
    case .awaitedFeed: runAwaitedFeed(site)
    case .busy: runBusy(site)
    case .link: try runLink(site)
    case .items: try runItems(site)
    // These show what was seeded; nothing ever marks them.
    case .inputBehavior, .time, .constant, .member, .inputEvent, .never, .start, .end, .every, .after, .group, .delay,
      .debounce, .audit, .when, .perform, .delayBehavior, .awaited:
      break
    }
  }

  /// An entry's time has come: its timer, or the micro-step it was waiting for.
  func fire(_ frame: FrameRef, _ index: Int) throws(Fault) {
    let site = EntrySite(frame, index)
    let state = site.state
    switch site.entry.pointee.kind {
    case .every: try fireEvery(site)
    case .after:
      state[TimedState.fired] = 1
      try showOne(site, Word.unit)
    case .when: try showOne(site, Word.unit)
    case .delay: try fireDelay(site)
    case .debounce, .audit: try firePayload(site)
    case .window: fireWindow(site)
    case .summary: fireSummary(site)
    case .updates: showFirst(site)
    case .delayBehavior: fireDelayBehavior(site)
    case .perform: firePerform(site)
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
    let site = EntrySite(frame, index)
    let state = frame.pointee.state + Int(max(0, site.entry.pointee.state))
    live.runningNode = site.entry.pointee.node
    if live.isAdopting, try resumeValue(site) { return }
    switch site.entry.pointee.kind {
    case .constant: try startLift(site, isGroup: false)
    case .hold, .fold, .integral: begin(site, try plain(site))
    case .inputBehavior: try startInput(site)
    case .scan, .mapAccum, .take, .drop, .buffer: state[0] = try plain(site)
    case .bufferEvery: startSliding(state, try plain(site))
    case .delay, .debounce, .throttle, .audit, .delayBehavior:
      state[TimedState.duration] = try plain(site)
    case .window:
      state[TimedState.duration] = try plain(site)
      begin(site, heap.emptyList)
    case .summary:
      state[TimedState.duration] = try plain(site)
      begin(site, Word.none)
    case .every: try startEvery(site)
    case .after: try startAfter(site)
    case .time: startTime(site)
    case .groupBy: if !site.entry.pointee.isContinuous { begin(site, Word.emptyMap) }
    case .busy: begin(site, Word(bool: false))
    case .link: begin(site, Word(tag: LinkCase.idle.rawValue))
    case .perform: startPolicy(state, try plain(site))
    case .awaited: try startAwaited(site, number: live.awaits.number())
    case .start: if live.isStarting { live.startEntries.append(site) }
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
    let site = EntrySite(frame, index)
    live.runningNode = site.entry.pointee.node
    if live.isAdopting, try resumeDependent(site) { return }
    switch site.entry.pointee.kind {
    case .lift, .sum: try startLift(site, isGroup: isGroup)
    case .delayBehavior:
      if !site.entry.pointee.isContinuous {
        try startDelay(site, isGroup: isGroup)
      } else if isGroup {
        try startContinuousDelay(site)
      }
    case .whenWatch: try startWatch(site, isGroup: isGroup)
    case .changes: if isGroup { mark(site) }
    case .updates: startUpdates(site, isGroup: isGroup)
    case .crossing: try startCrossing(site, isGroup: isGroup)
    case .rounding: try startRounding(site, isGroup: isGroup)
    case .switchTo: if !site.entry.pointee.isContinuous { try startFirst(site, isGroup: isGroup) }
    case .each:
      if isGroup { try startMembers(site) } else { try runEach(site) }
    case .choose: try startChoose(site)
    case .switchOpen: try startSwitchOpen(site)
    case .chosen: try startChosen(site, isGroup: isGroup)
    // A group runs in the instant that makes it: then it does, after what its parts are handed.
    case .ownerLate: if !isGroup { try runOwnerLate(site) }
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
