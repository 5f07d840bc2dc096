// What the private words of entries are, said once for each kind: the planner lays them out, the collector finds
// references among them, released frames give back what they hold, and snapshots write, check and restore them.
//
// Each kind of entry has its shape in EntryKind.swift. Words that no part names are worked out anew.

/// Whose type a value among the private words has.
public enum StateContent: Sendable {
  /// The entry's own: the payload of an event, the value of a behavior.
  case own
  /// That of what the entry is fed with.
  case fed
  /// That of its keys, or of what it remembers beside what it shows.
  case key
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
  /// A value that is worked out anew where the word is 0: no image has it. It stands behind all other words.
  case remembered(Int, StateContent)
  /// A queue (`QueueState`) whose elements have so many words, of which the last is the value.
  case queue(Int, width: Int, StateContent)
  /// Instances of scopes (`OwnerState`).
  case scopes(ScopeOwner)
  /// Tasks under way (`PerformState`).
  case tasks
  /// By which number the tasks that wait for its occurrences know it.
  case number(Int)
}

/// What the instances of an inner scope are to the entry that owns them.
public enum ScopeOwner: Sendable {
  /// One for each occurrence, or the newest only.
  case occurrences, latest
  /// The newest, which says how long a pause is.
  case pause
  /// The newest, whose behavior it shows; or whose many results others show.
  case behavior, results
  /// One for each key that occurred, or the same whose behaviors are shown as a map.
  case keys, groups
  /// One for each member of a list, whose behaviors are shown as a list.
  case members
  /// One that is chosen at the start.
  case choice

  /// Whether what several instances show counts at once.
  public var showsMany: Bool {
    switch self {
    case .occurrences, .keys, .groups, .members: true
    case .latest, .pause, .behavior, .results, .choice: false
    }
  }

  /// Whether each instance has a key.
  public var isKeyed: Bool {
    switch self {
    case .keys, .groups, .members: true
    case .occurrences, .latest, .pause, .behavior, .results, .choice: false
    }
  }
}

/// What the private words of an entry are to one another, where it relies on that. Images from outside are held to it.
public enum StateRule: Sendable {
  case none
  /// The next tick is what the timer waits for.
  case ticks
  /// As many wait as the count and the step say.
  case slides
  /// So many of those that wait are joined.
  case joins
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
  public var rule: StateRule

  init(_ words: Int = 0, value: KeptValue = .none, rule: StateRule = .none, _ parts: StatePart...) {
    self.words = words
    self.value = value
    self.rule = rule
    self.parts = parts
  }

  /// Instances of scopes.
  init(_ owner: ScopeOwner) { self.init(OwnerState.words, .scopes(owner)) }

  /// How many of its words images have: what is worked out anew is in none, so images do not change with what is remembered.
  public var imageWords: Int {
    for case .remembered(let offset, _) in parts { return offset }
    return words
  }

  /// What the instances are that it keeps; nil if it keeps none.
  public var owner: ScopeOwner? {
    for case .scopes(let owner) in parts { return owner }
    return nil
  }
}

extension StateShape {
  /// What waits for its time in a queue of (due, value).
  static func waiting(_ words: Int, _ content: StateContent, value: KeptValue = .none) -> StateShape {
    StateShape(
      words, value: value, .timer, .float(TimedState.duration), .queue(TimedState.queue, width: 2, content))
  }
}
