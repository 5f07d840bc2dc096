// What runs take of a machine: figures, and what a session may take a second.

import FRPRuntime

/// What a run has taken so far, and what it holds. A restored snapshot and a new program go on counting.
public struct Usage: Sendable, Hashable {
  /// Instants that have happened or were undone.
  public var instants = 0
  /// Faults, all of them.
  public var faults = 0
  /// Calls, loop turns and library steps; 0 where neither `Limits.isWatched` nor a limit of time is set.
  public var steps = 0
  /// Bytes of all values that were made.
  public var madeBytes = 0
  /// Bytes of values and scopes in use, garbage included.
  public var usedBytes = 0
  /// Nodes in all live scopes.
  public var liveNodes = 0
  /// Tasks of the host under way.
  public var tasks = 0

  /// Nothing.
  public init() {}
}

extension Simulation {
  /// What this run has taken so far, and what it holds. Cost: constant.
  public var usage: Usage {
    var usage = formerUsage
    usage.instants += reactor.instantCount
    usage.faults += reactor.faultCount
    usage.steps += reactor.machine.stepsTaken
    usage.madeBytes += reactor.madeBytes
    usage.usedBytes = reactor.liveBytes
    usage.liveNodes = reactor.liveNodes
    usage.tasks = hostTasks.count
    return usage
  }
}

/// What a session may take a second, on average and with at most one second at once. One that has taken more waits: its
/// timers are late and its inputs wait, as with a consumer that holds it back. An instant that has begun is ended by
/// `Limits` only, and what it took beyond is waited for.
public struct Quota: Sendable, Hashable {
  /// Instants.
  public var instantsPerSecond: Double
  /// Calls, loop turns and library steps.
  public var stepsPerSecond: Double
  /// Bytes of values that are made.
  public var bytesPerSecond: Double

  /// A quota; what is not given is not bounded.
  public init(
    instantsPerSecond: Double = .infinity, stepsPerSecond: Double = .infinity, bytesPerSecond: Double = .infinity
  ) {
    self.instantsPerSecond = instantsPerSecond
    self.stepsPerSecond = stepsPerSecond
    self.bytesPerSecond = bytesPerSecond
  }
}

extension Limits {
  /// The same of a run that is watched.
  var watched: Limits {
    var limits = self
    limits.isWatched = true
    return limits
  }
}

/// What a session has taken of its quota: by resource, the moment at which all of it is paid for (the generic cell rate
/// algorithm of ATM, ITU-T I.371).
struct QuotaAccount {
  private let quota: Quota
  private var paid = (instants: -1.0, steps: -1.0, bytes: -1.0)
  private var charged = Usage()
  /// Whether there is anything to watch.
  let isBounded: Bool

  init(_ quota: Quota) {
    self.quota = quota
    isBounded = quota != Quota()
  }

  /// Seconds until something may run; not positive where it may now.
  func wait(at now: Double) -> Double { max(paid.instants, paid.steps, paid.bytes) - now }

  /// Charges what the run has taken since it was charged last.
  mutating func charge(_ usage: Usage, at now: Double) {
    func charge(_ paid: inout Double, _ count: Int, _ rate: Double) {
      paid = max(paid, now - 1) + Double(max(0, count)) / max(rate, 1e-9)
    }
    charge(&paid.instants, usage.instants - charged.instants, quota.instantsPerSecond)
    charge(&paid.steps, usage.steps - charged.steps, quota.stepsPerSecond)
    charge(&paid.bytes, usage.madeBytes - charged.madeBytes, quota.bytesPerSecond)
    charged = usage
  }
}
