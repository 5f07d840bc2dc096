// Time, as the model has it: a history of instants, and everything else a function of it.
//
// There is no state. What a node shows at instant k is defined by what happened at the instants up to k; a record
// keeps what has been computed for an instant, so that it is computed once. A fault removes its instant from the history
// and with it everything that was ever said about it.
//
// Instant 0 is the moment before everything; instant 1 is the start instant.

import FRPCore

/// Clock time: whole nanoseconds, and seconds, which for a located crossing are more exact.
struct Clock {
  var nanoseconds: Int
  var seconds: Double

  init(_ nanoseconds: Int) {
    self.nanoseconds = nanoseconds
    seconds = Double(nanoseconds) / 1e9
  }

  init(located seconds: Double) {
    nanoseconds = Self.whole(seconds)
    self.seconds = seconds
  }

  static func whole(_ seconds: Double) -> Int {
    Int(exactly: (seconds * 1e9).rounded()) ?? (seconds < 0 ? .min : .max)
  }

  /// When something is due that takes `duration` seconds from here; nil for the next micro-step.
  func due(_ duration: Double) -> Int? {
    if duration <= 0 { return nil }
    let isWhole = Double(nanoseconds) / 1e9 == seconds
    let (sum, isOver) = nanoseconds.addingReportingOverflow(Self.whole(duration))
    let result = isWhole ? (isOver ? .max : sum) : Self.whole(seconds + duration)
    return result <= nanoseconds ? nil : result
  }
}

/// What opened an instant.
enum Cause {
  case before
  case start
  /// What the instant before it caused.
  case caused
  /// What tasks do after an instant that was undone: those that ended in it are over, others go on.
  case tasks
  /// The crossings that are located here, with the condition's new value.
  case crossings([Place: Bool])
  /// All timers due now.
  case timers
  /// One line of a trace, by port.
  case inputs([Int: ModelValue])
  /// What leaves windows now, after the inputs.
  case leaving
  case end
}

/// A node of one instance.
struct Place: Hashable {
  var node: NodeID
  var instance: Int
}

/// One stamped-out scope. It starts at its birth and sees only what comes strictly after it; a group sees also the
/// occurrences that made it.
final class Instance {
  let id: Int
  let scope: ScopeID
  let parent: Instance?
  /// The instant at which it starts.
  let birth: Int
  /// What its durations count from.
  let clock: Clock
  let parameters: [LocalID: ModelValue]
  /// The key of a group or member.
  let key: ModelValue?
  let owner: NodeID?
  let isGroup: Bool
  /// An alternative of a `choose`: a part of the scope around it.
  let isPart: Bool
  /// Start values and other plain things, computed once.
  var plain: [CoreExprID: ModelValue] = [:]

  init(
    id: Int, scope: ScopeID, parent: Instance?, birth: Int, clock: Clock, parameters: [LocalID: ModelValue] = [:],
    key: ModelValue? = nil, owner: NodeID? = nil, isGroup: Bool = false, isPart: Bool = false
  ) {
    self.id = id
    self.scope = scope
    self.parent = parent
    self.birth = birth
    self.clock = clock
    self.parameters = parameters
    self.key = key
    self.owner = owner
    self.isGroup = isGroup
    self.isPart = isPart
  }

  /// The instance it is a part of.
  var root: Instance { isPart ? parent?.root ?? self : self }

  /// The last instant it does not see: a group sees the one that made it.
  var unseen: Int { root.isGroup ? root.birth - 1 : birth }

  func parameter(_ local: LocalID) -> ModelValue? { parameters[local] ?? parent?.parameter(local) }

  /// The first instant whose caused instant may serve it: the program starts before the start instant.
  var startIndex: Int { max(1, birth) }
}

/// A moment at which behaviors are looked at: clock time `seconds`, with the effects of the instants up to `index`.
final class View {
  let index: Int
  let seconds: Double
  /// Integrals under trial, by the method that solves for them.
  let trial: [Place: Double]?
  /// Crossings as they are located, while everything else is still as it was just before.
  let located: [Place: Bool]?
  /// So many seconds after the instant: integrals have moved along their rates just after it.
  let ahead: Double
  var memo: [Place: ModelValue] = [:]

  init(
    _ index: Int, _ seconds: Double, trial: [Place: Double]? = nil, located: [Place: Bool]? = nil, ahead: Double = 0
  ) {
    self.ahead = ahead
    self.index = index
    self.seconds = seconds
    self.trial = trial
    self.located = located
  }
}

/// What is known of one instant.
final class Record {
  let clock: Clock
  let cause: Cause
  /// Just before and just after it.
  let before: View
  let after: View
  /// Its number among all instants that were tried.
  let attempt: Int
  /// The last time at which timers were served.
  let timersServed: Int
  var occurrences: [Place: [ModelValue]] = [:]
  var values: [Place: ModelValue] = [:]
  var spawned: [Place: [Instance]] = [:]
  var members: [Place: [Instance]] = [:]
  var runs: [Place: Runs] = [:]
  var flow: Flow?
  /// What slides from here on, once that is asked for; and the sides to which limits go that have been left here.
  var sliding: SlidingLimits?
  var left: [Place: Bool] = [:]

  init(_ index: Int, _ clock: Clock, _ cause: Cause, attempt: Int, timersServed: Int) {
    self.attempt = attempt
    self.clock = clock
    self.cause = cause
    self.timersServed = timersServed
    before = View(index - 1, clock.seconds)
    after = View(index, clock.seconds)
  }
}
