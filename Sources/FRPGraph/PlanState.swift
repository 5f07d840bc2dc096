// The private words of entries: what only the reactor sees of a scan, a timer, a count.
//
// A frame's state is one array of words; an entry's words begin at `Entry.state`. The offsets below are relative to it;
// `StateShape` says what stands there.

/// Words of a queue (see `Queue` in the reactor).
public enum QueueState {
  public static let buffer = 0
  public static let capacity = 1
  public static let head = 2
  public static let tail = 3
  /// The head when the running instant began, and the instant.
  public static let floor = 4
  public static let instant = 5
  public static let words = 6
}

/// Words of entries that wait: the timer (its number + 1, or 0), the instant in which it fired, the duration in ns.
public enum TimedState {
  public static let timer = 0
  public static let fired = 1
  public static let duration = 2
  public static let afterWords = 3
  /// `every`: ticks so far, start of the scope in ns and in seconds, the period in seconds.
  public static let ticks = 3
  public static let startNanoseconds = 4
  public static let startSeconds = 5
  public static let period = 6
  public static let everyWords = 7
  /// `delay`, `window`, `delayBehavior`: a queue of (due, payload).
  public static let queue = 3
  public static let queueWords = 3 + QueueState.words
  /// `window`: how many equal ones came last, those that have left included; 0 where that is not known.
  public static let run = queueWords
  public static let windowWords = queueWords + 1
  /// `summary`: how many of the oldest elements hold what they and those after them up to the last of these are joined;
  /// whether it is known what the newer ones are joined, and that. Where it is not, how many of the last of them have been
  /// joined like the oldest.
  public static let joined = queueWords
  public static let hasNewest = queueWords + 1
  public static let newest = queueWords + 2
  public static let joinedAnew = queueWords + 3
  public static let summaryWords = queueWords + 4
  /// `debounce`, `audit`: whether something waits, and what.
  public static let isWaiting = 3
  public static let payload = 4
  public static let payloadWords = 5
  /// `throttle`: from when on the next may pass; whether any has passed.
  public static let openAt = 3
  public static let hasPassed = 4
  public static let throttleWords = 5
}

/// Words of the owner of scopes.
public enum OwnerState {
  /// Its instances in order of age, as a list through their records.
  public static let firstChild = 0
  public static let lastChild = 1
  /// Those whose early part must run.
  public static let dirty = 2
  public static let childCount = 3
  /// Instances by key.
  public static let table = 4
  /// The instance that counts, of `switch`, `flatMapLatest`, `choose`, as it is just after and just before.
  public static let current = 5
  public static let previous = 6
  /// `each`: the instances in the order of the list (a buffer, its capacity, its count).
  public static let order = 7
  public static let orderCapacity = 8
  public static let orderCount = 9
  /// The same just before the instant.
  public static let previousOrder = 10
  public static let previousCount = 11
  public static let words = 12
  /// `ownerLate`: the instances whose late part must run.
  public static let lateDirty = 0
  public static let lateWords = 1
}

/// Words of `debounce`, `throttle` and `audit` by an event: of the owner of scopes, and what waits.
public enum PauseState {
  public static let isWaiting = OwnerState.words
  public static let payload = OwnerState.words + 1
  public static let words = OwnerState.words + 2
}

/// Words of an integral and of a comparison, for images: whether it stands still until an instant changes what it reads. They are written
/// as an image is made, and read as a frame begins; in between the solver has them in its rows.
public enum StandingState {
  public static let flags = 0
  /// The second is not used: images from before had two.
  public static let words = 2
  public static let isFrozen: UInt64 = 1
  public static let isReported: UInt64 = 2
  public static let isStuck: UInt64 = 4
}

/// Words of a `buffer` with a step: its count and step, how many occurrences are to come before the next list, the
/// elements of that which have come, and the last list where the next one begins with a part of it.
public enum SlidingState {
  public static let count = 0
  public static let step = 1
  public static let left = 2
  public static let queue = 3
  public static let last = 3 + QueueState.words
  public static let words = 4 + QueueState.words
}

/// Words of `perform`.
public enum PerformState {
  /// The tag of its policy.
  public static let policy = 0
  /// The runs that have not been given back, as a list through their records (number + 1).
  public static let firstRun = 1
  public static let lastRun = 2
  /// How many are under way.
  public static let busyCount = 3
  /// Tasks that wait for their turn (`Queue`).
  public static let queue = 4
  /// The runs that have ended and are not shown, as a list through their records (number + 1).
  public static let firstEnded = 4 + QueueState.words
  /// The instant that will show them.
  public static let shown = 5 + QueueState.words
  /// How many may be under way where others wait for their turn.
  public static let limit = 6 + QueueState.words
  public static let words = 7 + QueueState.words
}

/// Words of `when`: the condition when last seen, the instant in which it fires.
public enum WhenState {
  public static let seen = 0
  public static let fired = 1
  public static let words = 2
}
