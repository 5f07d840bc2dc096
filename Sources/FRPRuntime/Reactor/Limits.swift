// What a host grants a program. Hitting a limit is a fault of the instant; the session stays usable.

import FRPBase

/// Limits of a run; each says what it counts.
public struct Limits: Sendable {
  /// Calls, loop turns and library steps of one instant: about a second of work. Between instants an integral's rate may be
  /// computed as often (65,536 times at least), and as often again in every second of the program's time.
  public var stepsPerInstant = 200_000_000
  /// Bytes of values that are alive, within an instant as well. By default 4 GiB, and not more than three eighths of what
  /// this process may have: a collection needs room for a second copy, and the process for itself.
  public var heapBytes = Limits.heapBytesOfThisSystem
  /// Words of the machine's stack: bounds the depth of calls. The system may grant less.
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
  /// Whether the steps of all instants are counted (`Simulation.usage`) and other threads may end what the run is doing
  /// (`Simulation.interrupter`); some nanoseconds an instant. A session always is.
  public var isWatched = false
  /// Caused micro-steps at one clock time: the language fixes it.
  public var microsteps = 10_000

  /// Limits for programs of one's own: a second of work an instant.
  public init() {}

  /// Under a limit of address space a quarter: stacks, threads and allocators reserve more than they use.
  private static let heapBytesOfThisSystem = max(
    16 << 20, min(4 << 30, SystemMemory.available / 8 * 3, SystemMemory.addressSpace / 4))
}
