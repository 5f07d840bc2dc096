// Clock time: whole nanoseconds for inputs and timers, a Double beside it for located crossings.

/// An instant's place in superdense time.
public struct Moment: Hashable, Sendable {
  /// The clock, to the nearest nanosecond; what timers are compared with.
  public var nanoseconds: Int64
  /// The clock in seconds; for a located crossing more exact than `nanoseconds`.
  public var seconds: Double
  /// The micro-step at this clock time.
  public var step: Int

  /// A moment at whole nanoseconds.
  public init(nanoseconds: Int64, step: Int = 0) {
    self.nanoseconds = nanoseconds
    seconds = Double(nanoseconds) / 1e9
    self.step = step
  }

  /// A located moment; within half a nanosecond of the given due time it is that time.
  public init(located seconds: Double) {
    nanoseconds = Clock.nanoseconds(seconds)
    self.seconds = seconds
    step = 0
  }

  /// The same, before a time in nanoseconds that it may be rounded to, but never behind the present.
  init(located seconds: Double, before limit: Int64, after present: Moment) {
    self.init(located: seconds)
    nanoseconds = max(present.nanoseconds, min(nanoseconds, limit - 1))
  }

  public static let start = Moment(nanoseconds: 0)
}

/// Conversions between the units of time.
public enum Clock {
  /// A time that is never reached.
  public static let never = Int64.max

  /// Seconds in whole nanoseconds, halves away from zero; what does not fit is never. What is no number lies before
  /// everything, so that nobody waits for it.
  public static func nanoseconds(_ seconds: Double) -> Int64 {
    let scaled = (seconds * 1e9).rounded()
    if scaled >= 9.2e18 { return never }
    return scaled > -9.2e18 ? Int64(scaled) : -never
  }

  public static func adding(_ a: Int64, _ b: Int64) -> Int64 {
    if a == never || b == never { return never }
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? never : sum
  }

  /// When something is due that takes `seconds` from `moment` on.
  static func due(_ moment: Moment, after seconds: Double) -> Int64 {
    let whole = Double(moment.nanoseconds) / 1e9
    if moment.seconds == whole { return adding(moment.nanoseconds, nanoseconds(seconds)) }
    return nanoseconds(moment.seconds + seconds)
  }
}
