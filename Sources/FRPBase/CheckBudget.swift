// How much work checking a program may take. A program of one line can ask for any amount: functions with memory are
// replaced by their bodies, so one that calls itself twice a level doubles at every level.
//
// Steps are counted where something is made or looked at again: an expression evaluated, a core expression, a node, an
// instance of a type, a derivative. So the answer is the same on every machine; only `seconds` depends on it.

import FRPLibc

/// How much work checking may take before a program is refused with E0411.
public struct CheckLimits: Sendable, Hashable {
  /// Parts of the program made while it is checked. A little over half a million are a second of work.
  public var steps: Int
  /// Bytes of what is made.
  public var memoryBytes: Int
  /// Seconds of wall time; looked at ten times a millisecond. The only limit that depends on the machine.
  public var seconds: Double

  /// Steps for each byte of the text that come on top: long programs are honest work.
  public static let stepsPerByte = 100
  /// Bytes for each byte of the text that come on top.
  public static let memoryPerByte = 2_000

  /// Limits for programs of one's own.
  public init(steps: Int = 1_500_000, memoryBytes: Int = 400 << 20, seconds: Double = .infinity) {
    self.steps = steps
    self.memoryBytes = memoryBytes
    self.seconds = seconds
  }
}

/// What is left of the limits while one program is checked. It belongs to one thread.
public final class CheckBudget {
  /// `depth` is that of the thread's stack: what is nested in one another without end, or nearly so.
  public enum Limit: Sendable { case steps, memory, seconds, depth }

  /// The limit that was met first.
  public private(set) var exceeded: Limit?
  private var steps: Int
  private var memory: Int
  private let end: Double
  /// Steps until the stack, and the clock, are looked at again.
  private var quiet = CheckBudget.quietSteps

  private static let quietSteps = 100

  /// The budget of a program of so many bytes.
  public init(_ limits: CheckLimits = CheckLimits(), bytes: Int = 0) {
    steps = Self.sum(limits.steps, bytes, times: CheckLimits.stepsPerByte)
    memory = Self.sum(limits.memoryBytes, bytes, times: CheckLimits.memoryPerByte)
    end = limits.seconds.isFinite ? Self.now + limits.seconds : .infinity
  }

  private static func sum(_ base: Int, _ bytes: Int, times factor: Int) -> Int {
    let (more, isTooMuch) = bytes.multipliedReportingOverflow(by: factor)
    let (sum, overflow) = base.addingReportingOverflow(more)
    return isTooMuch || overflow ? Int.max : sum
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Whether work may go on, after so many steps and bytes more.
  public func spend(_ count: Int = 1, bytes: Int = 0) -> Bool {
    if exceeded != nil { return false }
    steps -= count
    memory -= bytes
    quiet -= count
    if steps < 0 {
      exceeded = .steps
    } else if memory < 0 {
      exceeded = .memory
    } else if quiet < 0 {
      quiet = Self.quietSteps
      if end < .infinity, Self.now > end { exceeded = .seconds }
      if !hasStackLeft { exceeded = .depth }
    }
    return exceeded == nil
  }
}
