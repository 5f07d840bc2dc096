// The clock of a session, without its type: times are counted from the moment at which the session was made.

struct SessionClock: Sendable {
  let now: @Sendable () -> Duration
  /// Returns at a time, or throws if the task is cancelled.
  let sleep: @Sendable (Duration) async throws -> Void
  /// Of a clock that knows who waits on it: returns at a time, or when woken; and what wakes.
  let idle: (@Sendable (Waiter, Duration?) async -> Void)?
  let wake: (@Sendable (Waiter) -> Void)?
  /// Whether it is one of the machine's, so that the wall clock says which moment it is.
  let isOfMachine: Bool

  init<C: _Concurrency.Clock<Duration>>(_ clock: C) {
    let origin = clock.now
    now = { origin.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
    if let waking = clock as? any WakingClock {
      idle = { waiter, due in await waking.idle(waiter, until: due.map { origin.advanced(by: $0) }) }
      wake = { waiter in waking.wake(waiter) }
    } else {
      (idle, wake) = (nil, nil)
    }
    isOfMachine = clock is ContinuousClock || clock is SuspendingClock
  }
}
