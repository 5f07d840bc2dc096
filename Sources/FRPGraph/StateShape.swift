// What the private words of entries are, said once for each kind: the planner lays them out, the collector finds
// references among them, released frames give back what they hold, and snapshots write, check and restore them.
//
// In:  a kind of entry.
// Out: its words, as parts.
// Rules: no `default`, so a kind that is missing here does not compile. Words that no part names are worked out anew.

/// Whose type a value among the private words has.
public enum StateContent: Sendable {
  /// The entry's own: the payload of an event, the value of a behavior.
  case own
  /// That of what the entry is fed with.
  case fed
  /// A field of its own, which is a pair.
  case field(Int)
  /// A task, which is a reference as a text is.
  case task
}

/// One part of an entry's private words; offsets are relative to `Entry.state`.
public enum StatePart: Sendable {
  /// A timer, at `TimedState.timer`.
  case timer
  /// A word that is copied as it is.
  case plain(Int)
  /// The same, which is a finite Float.
  case float(Int)
  /// A value; where the word `inUse` is 0, it may be 0 instead.
  case value(Int, StateContent, inUse: Int? = nil)
  /// A queue (`QueueState`) whose elements have so many words, of which the last is the value.
  case queue(Int, width: Int, StateContent)
  /// Instances of scopes (`OwnerState`).
  case scopes
  /// Tasks under way (`PerformState`).
  case tasks
}

/// What an entry remembers.
public struct StateShape: Sendable {
  /// Whether its slot keeps a value that nothing works out anew.
  public enum KeptValue: Sendable {
    case none, always
    /// Only if it is a step behavior.
    case ofSteps
  }

  /// How many private words there are.
  public var words: Int
  public var value: KeptValue
  public var parts: [StatePart]

  init(_ words: Int = 0, value: KeptValue = .none, _ parts: StatePart...) {
    self.words = words
    self.value = value
    self.parts = parts
  }
}

extension EntryKind {
  /// What the private words of an entry of this kind are.
  public var state: StateShape {
    switch self {
    case .time, .constant, .lift, .jump, .integralFeed, .delayBehaviorFeed, .member, .busy, .inputEvent, .never, .start,
      .end, .group, .map, .filter, .filterMap, .merge, .spill, .coalesce, .batchFeed, .delayFeed, .debounceFeed,
      .auditFeed, .changes, .whenWatch, .chosen, .performFeed:
      return StateShape()
    case .inputBehavior, .hold, .fold, .rounding: return StateShape(value: .always)
    case .integral, .crossing: return StateShape(2, value: .always)
    case .sum: return StateShape(1)
    case .when: return StateShape(WhenState.words)
    case .ownerLate: return StateShape(OwnerState.lateWords)
    case .take, .drop, .takeWhile, .dropWhile, .takeUntil, .dropUntil: return StateShape(1, .plain(0))
    case .scan: return StateShape(1, .value(0, .own))
    case .distinct: return StateShape(2, .plain(0), .value(1, .own, inUse: 0))
    case .pairwise: return StateShape(2, .plain(0), .value(1, .fed, inUse: 0))
    case .zip:
      return StateShape(
        2 * QueueState.words, .queue(0, width: 1, .field(0)), .queue(QueueState.words, width: 1, .field(1)))
    case .buffer: return StateShape(1 + QueueState.words, .plain(0), .queue(1, width: 1, .fed))
    case .batch: return StateShape(QueueState.words, .queue(0, width: 1, .fed))
    case .every:
      return StateShape(
        TimedState.everyWords, .timer, .plain(TimedState.ticks), .plain(TimedState.startNanoseconds),
        .float(TimedState.startSeconds), .float(TimedState.period))
    case .after: return StateShape(TimedState.afterWords, .timer, .plain(TimedState.fired))
    case .delay: return .waiting(TimedState.queueWords, .own)
    case .delayBehavior: return .waiting(TimedState.queueWords, .own, value: .ofSteps)
    case .window: return .waiting(TimedState.windowWords, .fed, value: .ofSteps)
    case .debounce, .audit:
      return StateShape(
        TimedState.payloadWords, .timer, .float(TimedState.duration), .plain(TimedState.isWaiting),
        .value(TimedState.payload, .own, inUse: TimedState.isWaiting))
    case .throttle:
      return StateShape(
        TimedState.throttleWords, .float(TimedState.duration), .plain(TimedState.openAt), .plain(TimedState.hasPassed))
    case .switchTo, .switchOpen, .flatMap, .flatMapLatest, .keyed, .groupBy, .each, .choose:
      return StateShape(OwnerState.words, .scopes)
    case .perform:
      return StateShape(PerformState.words, .tasks, .queue(PerformState.queue, width: 1, .task))
    }
  }

  /// Whether what an entry of this kind shows depends on more than the present values of what it reads.
  public var remembers: Bool {
    let state = state
    return state.value != .none || !state.parts.isEmpty
  }
}

extension StateShape {
  /// What waits for its time in a queue of (due, value).
  fileprivate static func waiting(_ words: Int, _ content: StateContent, value: KeptValue = .none) -> StateShape {
    StateShape(
      words, value: value, .timer, .float(TimedState.duration), .queue(TimedState.queue, width: 2, content))
  }
}
