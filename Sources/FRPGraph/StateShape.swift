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

extension StateShape {
  /// What waits for its time in a queue of (due, value).
  static func waiting(_ words: Int, _ content: StateContent, value: KeptValue = .none) -> StateShape {
    StateShape(
      words, value: value, .timer, .float(TimedState.duration), .queue(TimedState.queue, width: 2, content))
  }
}
