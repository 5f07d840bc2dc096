// What a host grants a program. Hitting a limit is a fault of the instant; the session stays usable.

/// Limits of a run; each says what it counts.
public struct Limits: Sendable {
  /// Calls, loop turns and library steps of one instant: about a second of work.
  public var stepsPerInstant = 200_000_000
  /// Bytes of values.
  public var heapBytes = 4 << 30
  /// Words of the machine's stack: bounds the depth of calls.
  public var stackWords = 16 << 20
  /// Nodes in all live scopes: an instance of a scope counts all of its entries.
  public var liveNodes = 50_000_000
  /// Occurrences of all events in one instant.
  public var occurrencesPerInstant = 20_000_000
  /// Occurrences that may wait in one queue: of `zip`, `delay`, `buffer`, `batch`, `window`, or a `perform` that queues.
  /// Rounded up to a power of two.
  public var queueLength = 1 << 40
  /// Seconds of wall time that one instant may take; looked at about once a millisecond. The only limit that depends on
  /// the machine: set it only where nothing is to be replayed.
  public var secondsPerInstant = Double.infinity
  /// Caused micro-steps at one clock time: the language fixes it.
  public var microsteps = 10_000

  public init() {}
}
