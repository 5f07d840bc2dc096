// What the reactor visits: the kinds of entries, and a row of traits for each. What an entry *does* when it runs, when its
// time has come and when its scope starts is the reactor's (Reactor/Dispatch.swift).
//
// Rules: no `default`, so a kind that is missing here does not compile.

import FRPCore

public enum EntryKind: UInt8, Sendable, CaseIterable {
  // Behaviors.
  // `constant` is a lift over nothing that changes: it has its value before anything else of its scope starts.
  case inputBehavior, time, constant, lift, sum, jump, hold, fold, integral, integralFeed, delayBehavior,
    delayBehaviorFeed
  case window, summary, crossing, rounding, member, busy, link, awaited, awaitedFeed
  // Sources of events.
  case inputEvent, never, start, end, every, after, group
  // Event to event.
  case map, filter, filterMap, scan, mapAccum, merge, take, drop, takeWhile, takeThrough, dropWhile, takeUntil,
    dropUntil
  case distinct, pairwise, zip, both, except, spill, coalesce, buffer, bufferEvery, batch, batchFeed, bufferUntil
  case delay, delayFeed, debounce, debounceFeed, throttle, audit, auditFeed
  // Behavior to event.
  case changes, updates, when, whenWatch
  // Scopes and tasks.
  case switchTo, switchOpen, flatMap, flatMapLatest, debounceUntil, throttleUntil, auditUntil, keyed, groupBy, each
  case choose, ownerLate, chosen, perform, performFeed, items
}

extension NodeOp {
  /// What a node becomes: an entry, and its feed where what it takes in shows later. A lift becomes what its expression
  /// allows.
  var entries: (main: EntryKind, feed: EntryKind?) {
    switch self {
    case .inputBehavior: return (.inputBehavior, nil)
    case .time: return (.time, nil)
    case .lift: return (.lift, nil)
    case .hold: return (.hold, nil)
    case .fold: return (.fold, nil)
    case .integral: return (.integral, .integralFeed)
    case .delayBehavior: return (.delayBehavior, .delayBehaviorFeed)
    case .window: return (.window, nil)
    case .summary: return (.summary, nil)
    case .crossing: return (.crossing, nil)
    case .rounding: return (.rounding, nil)
    case .member: return (.member, nil)
    case .busy: return (.busy, nil)
    case .link: return (.link, nil)
    case .awaited: return (.awaited, .awaitedFeed)
    case .inputEvent: return (.inputEvent, nil)
    case .never: return (.never, nil)
    case .start: return (.start, nil)
    case .end: return (.end, nil)
    case .every: return (.every, nil)
    case .after: return (.after, nil)
    case .map: return (.map, nil)
    case .filter: return (.filter, nil)
    case .filterMap: return (.filterMap, nil)
    case .scan: return (.scan, nil)
    case .mapAccum: return (.mapAccum, nil)
    case .merge: return (.merge, nil)
    case .take: return (.take, nil)
    case .drop: return (.drop, nil)
    case .takeWhile: return (.takeWhile, nil)
    case .takeThrough: return (.takeThrough, nil)
    case .dropWhile: return (.dropWhile, nil)
    case .takeUntil: return (.takeUntil, nil)
    case .dropUntil: return (.dropUntil, nil)
    case .distinct: return (.distinct, nil)
    case .pairwise: return (.pairwise, nil)
    case .zip: return (.zip, nil)
    case .both: return (.both, nil)
    case .except: return (.except, nil)
    case .spill: return (.spill, nil)
    case .coalesce: return (.coalesce, nil)
    case .buffer: return (.buffer, nil)
    case .bufferEvery: return (.bufferEvery, nil)
    case .batch: return (.batch, .batchFeed)
    case .bufferUntil: return (.bufferUntil, nil)
    case .delay: return (.delay, .delayFeed)
    case .debounce: return (.debounce, .debounceFeed)
    case .throttle: return (.throttle, nil)
    case .audit: return (.audit, .auditFeed)
    case .changes: return (.changes, nil)
    case .updates: return (.updates, nil)
    case .when: return (.when, .whenWatch)
    case .group: return (.group, nil)
    case .switchTo: return (.switchTo, nil)
    case .switchOpen: return (.switchOpen, nil)
    case .flatMap: return (.flatMap, nil)
    case .flatMapLatest: return (.flatMapLatest, nil)
    case .debounceUntil: return (.debounceUntil, nil)
    case .throttleUntil: return (.throttleUntil, nil)
    case .auditUntil: return (.auditUntil, nil)
    case .keyed: return (.keyed, nil)
    case .groupBy: return (.groupBy, nil)
    case .each: return (.each, nil)
    case .choose: return (.choose, nil)
    case .chosen: return (.chosen, nil)
    case .perform: return (.perform, .performFeed)
    case .items: return (.items, nil)
    }
  }
}

/// When an entry begins.
public struct EntryStart: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// As soon as its scope starts, before it knows what others are.
  public static let atOnce = EntryStart(rawValue: 1)
  /// Once others have their values.
  public static let fromOthers = EntryStart(rawValue: 2)
  /// The same, and with a value, or with scopes, that follow from what others are.
  public static let withOthers = EntryStart(rawValue: 6)
}

/// When the event of an entry can never show anything again, so that the instance of `flatMap` whose result it is may go.
public enum EntryEnd: Sendable {
  /// That is not known.
  case open
  case atOnce
  /// After the instant of the start.
  case started
  /// A timer that fires once.
  case fired
  /// With what feeds it, or when its first private word has counted to zero.
  case counted
  /// With what feeds it, or when its first private word says so.
  case closed
  /// With what feeds it, or when its test is plain and fails.
  case shut
  case withFirst, withSecond
  case withAll
  /// When one side has ended; or has, and has nothing waiting.
  case withOne
  case withEither
  /// With what feeds it, and when nothing waits for its time.
  case waiting
  /// With what feeds it, and when its instances have ended.
  case scopes, latestScope
  /// With one of its owner's results.
  case result
  /// With what feeds it, and when no task is under way.
  case tasks
}

/// What an entry keeps for later, as notes at the end of a run name it.
public enum Holding: Sendable {
  case nothing
  /// In a queue, or in one word: for its time.
  case queue(String)
  case word(String)
  case tasks(String)
  /// Until an event of its scope, if that waits for a timer.
  case scope(String)
  /// Until it is complete: in a queue behind so many private words.
  case part(String, offset: Int)
}

extension EntryKind {
  /// Whether entries of this kind own instances of an inner scope.
  public var ownsScopes: Bool { owner != nil }

  /// What these are to it.
  public var owner: ScopeOwner? { Self.owners[Int(rawValue)] }

  private static let owners = allCases.map(\.state.owner)

  /// What the private words of an entry of this kind are.
  public var state: StateShape {
    switch self {
    case .time, .constant, .lift, .jump, .integralFeed, .delayBehaviorFeed, .member, .busy, .link, .items, .inputEvent,
      .never, .start, .end, .group, .map, .filter, .filterMap, .merge, .both, .except, .spill, .coalesce, .batchFeed,
      .delayFeed,
      .debounceFeed,
      .auditFeed, .changes, .whenWatch, .chosen, .performFeed, .awaitedFeed:
      return StateShape()
    case .inputBehavior, .hold, .fold, .rounding: return StateShape(value: .always)
    case .integral, .crossing:
      return StateShape(StandingState.words, value: .always, .plain(StandingState.flags))
    case .sum: return StateShape(1)
    case .awaited: return StateShape(1, .number(0))
    // The instant that shows the first value, and that there was one to be.
    case .updates: return StateShape(2, .plain(1))
    case .when: return StateShape(WhenState.words)
    case .ownerLate: return StateShape(OwnerState.lateWords)
    case .take, .drop, .takeWhile, .takeThrough, .dropWhile, .takeUntil, .dropUntil: return StateShape(1, .plain(0))
    case .scan: return StateShape(1, .value(0, .own))
    case .mapAccum: return StateShape(1, .value(0, .key))
    case .distinct: return StateShape(2, .plain(0), .value(1, .own, inUse: 0))
    case .pairwise: return StateShape(2, .plain(0), .value(1, .fed, inUse: 0))
    case .zip:
      return StateShape(
        2 * QueueState.words, .queue(0, width: 1, .field(0)), .queue(QueueState.words, width: 1, .field(1)))
    case .buffer: return StateShape(1 + QueueState.words, .plain(0), .queue(1, width: 1, .fed))
    case .bufferEvery:
      return StateShape(
        SlidingState.words, rule: .slides, .plain(SlidingState.count), .plain(SlidingState.step),
        .plain(SlidingState.left), .queue(SlidingState.queue, width: 1, .fed),
        .remembered(SlidingState.last, .own))
    case .batch, .bufferUntil: return StateShape(QueueState.words, .queue(0, width: 1, .fed))
    case .every:
      return StateShape(
        TimedState.everyWords, rule: .ticks, .timer, .plain(TimedState.ticks), .plain(TimedState.startNanoseconds),
        .float(TimedState.startSeconds), .float(TimedState.period))
    case .after: return StateShape(TimedState.afterWords, .timer, .plain(TimedState.fired))
    case .delay: return .waiting(TimedState.queueWords, .own)
    case .delayBehavior: return .waiting(TimedState.queueWords, .own, value: .ofSteps)
    case .window: return .waiting(TimedState.windowWords, .fed, value: .ofSteps)
    case .summary:
      return StateShape(
        TimedState.summaryWords, value: .always, rule: .joins, .timer, .float(TimedState.duration),
        .queue(TimedState.queue, width: 2, .fed), .plain(TimedState.joined), .plain(TimedState.hasNewest),
        .plain(TimedState.joinedAnew), .value(TimedState.newest, .fed, inUse: TimedState.hasNewest))
    case .debounce, .audit:
      return StateShape(
        TimedState.payloadWords, .timer, .float(TimedState.duration), .plain(TimedState.isWaiting),
        .value(TimedState.payload, .own, inUse: TimedState.isWaiting))
    case .throttle:
      return StateShape(
        TimedState.throttleWords, .float(TimedState.duration), .plain(TimedState.openAt), .plain(TimedState.hasPassed))
    case .switchTo: return StateShape(.behavior)
    case .switchOpen: return StateShape(.results)
    case .flatMap: return StateShape(.occurrences)
    case .flatMapLatest: return StateShape(.latest)
    case .keyed: return StateShape(.keys)
    case .groupBy: return StateShape(.groups)
    case .each: return StateShape(.members)
    case .choose: return StateShape(.choice)
    case .debounceUntil, .throttleUntil, .auditUntil:
      return StateShape(
        PauseState.words, .scopes(.pause), .plain(PauseState.isWaiting),
        .value(PauseState.payload, .own, inUse: PauseState.isWaiting))
    case .perform:
      return StateShape(PerformState.words, .tasks, .queue(PerformState.queue, width: 1, .task))
    }
  }

  /// Whether what an entry of this kind shows depends on more than the present values of what it reads.
  public var remembers: Bool {
    let state = state
    return state.value != .none || !state.parts.isEmpty
  }

  /// When it begins.
  public var start: EntryStart {
    switch self {
    case .hold, .fold, .inputBehavior, .integral, .scan, .mapAccum, .take, .drop, .buffer, .bufferEvery, .delay,
      .debounce, .throttle, .audit, .window, .summary, .every, .after, .time, .groupBy, .busy, .link, .perform,
      .start, .awaited:
      return .atOnce
    case .delayBehavior: return [.atOnce, .withOthers]
    case .lift, .sum, .switchTo, .switchOpen, .each, .choose, .chosen, .crossing, .rounding: return .withOthers
    case .whenWatch, .changes, .updates, .ownerLate: return .fromOthers
    // Constants begin before all others.
    case .constant, .jump, .integralFeed, .delayBehaviorFeed, .member, .items, .inputEvent, .never, .end, .group, .map,
      .filter,
      .filterMap, .merge, .takeWhile, .takeThrough, .dropWhile, .takeUntil, .dropUntil, .distinct, .pairwise, .zip,
      .both,
      .except, .spill, .coalesce, .batch, .batchFeed, .bufferUntil, .delayFeed, .debounceFeed, .auditFeed, .when,
      .flatMap, .flatMapLatest, .debounceUntil, .throttleUntil, .auditUntil, .keyed, .performFeed, .awaitedFeed:
      return []
    }
  }

  /// When its event has ended.
  public var ending: EntryEnd {
    switch self {
    case .never: return .atOnce
    case .start: return .started
    case .after: return .fired
    case .take: return .counted
    case .takeWhile, .takeThrough, .takeUntil: return .closed
    case .filter: return .shut
    case .map, .filterMap, .scan, .mapAccum, .drop, .dropWhile, .dropUntil, .distinct, .pairwise, .except, .spill,
      .coalesce, .buffer, .bufferEvery, .throttle, .throttleUntil, .batch:
      return .withFirst
    case .bufferUntil: return .withSecond
    case .merge: return .withAll
    case .both: return .withOne
    case .zip: return .withEither
    case .delay, .debounce, .audit: return .waiting
    case .flatMap: return .scopes
    case .flatMapLatest, .debounceUntil, .auditUntil: return .latestScope
    case .chosen: return .result
    case .perform: return .tasks
    case .items: return .withFirst
    case .inputBehavior, .time, .constant, .lift, .sum, .jump, .hold, .fold, .integral, .integralFeed, .delayBehavior,
      .delayBehaviorFeed, .window, .summary, .crossing, .rounding, .member, .busy, .link, .inputEvent, .end, .every,
      .group,
      .batchFeed, .delayFeed, .debounceFeed, .auditFeed, .changes, .updates, .when, .whenWatch, .switchTo, .switchOpen,
      .keyed, .groupBy, .each, .choose,
      .ownerLate, .performFeed, .awaited, .awaitedFeed:
      return .open
    }
  }

  /// What it keeps for later.
  public var holding: Holding {
    switch self {
    case .delay, .delayBehavior: return .queue("delay")
    case .debounce: return .word("debounce")
    case .audit: return .word("audit")
    case .debounceUntil: return .scope("debounce")
    case .auditUntil: return .scope("audit")
    case .perform: return .tasks("perform")
    case .batch: return .part("batch", offset: 0)
    case .bufferUntil: return .part("bufferUntil", offset: 0)
    case .buffer: return .part("buffer", offset: 1)
    // A `window` shows what it keeps, and so does a `buffer` with a step; what `zip` keeps has no partner yet, and scopes
    // and switches are no values.
    case .inputBehavior, .time, .constant, .lift, .sum, .jump, .hold, .fold, .integral, .integralFeed,
      .delayBehaviorFeed, .window, .summary, .crossing, .rounding, .member, .busy, .link, .items, .inputEvent, .never,
      .start, .end, .every, .after, .group, .map, .filter, .filterMap, .scan, .mapAccum, .merge, .take, .drop,
      .takeWhile,
      .takeThrough,
      .dropWhile, .takeUntil, .dropUntil, .distinct, .pairwise, .zip, .both, .except, .spill, .coalesce, .bufferEvery,
      .batchFeed, .delayFeed, .debounceFeed, .throttle, .throttleUntil, .auditFeed, .changes, .updates, .when,
      .whenWatch, .switchTo, .switchOpen, .flatMap, .flatMapLatest, .keyed, .groupBy, .each, .choose, .ownerLate,
      .chosen, .performFeed, .awaited, .awaitedFeed:
      return .nothing
    }
  }
}
