// A clock for tests: time passes when `advance` says so, and `advance` returns when everything that was due has happened
// and all sessions that follow it wait again. So nothing is yielded and hoped for.

import Synchronization

/// Somebody who waits on a clock that can be asked to wake it.
final class Waiter: Sendable {}

/// A clock that knows who waits on it.
protocol WakingClock: Sendable {
  /// Returns at `deadline`, an instant of this clock, or when woken. Nil: only when woken.
  func idle(_ waiter: Waiter, until deadline: Any?) async
  func wake(_ waiter: Waiter)
}

/// A clock whose time stands still until it is advanced.
///
///     let clock = VirtualClock()
///     let session = try Session(program, clock: clock)
///     let running = Task { try await session.run() }
///     await clock.waiters(1)
///     await clock.advance(by: .seconds(2))
public final class VirtualClock: Clock, Sendable {
  /// A moment of a virtual clock.
  public struct Instant: InstantProtocol, Sendable, Hashable {
    /// Since the clock was made.
    public var sinceStart: Duration
    /// The moment a while later.
    public func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }
    /// The time from here to another moment.
    public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }
    public static func < (a: Instant, b: Instant) -> Bool { a.sinceStart < b.sinceStart }
  }

  private struct Sleeper {
    var number: Int
    var deadline: Instant?
    var session: ObjectIdentifier?
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now = Instant(sinceStart: .zero)
    var sleepers: [Sleeper] = []
    var next = 0
    /// Sessions that were woken and have not come back.
    var busy: Set<ObjectIdentifier> = []
    /// Sessions that are to be woken although they do not wait yet.
    var pending: Set<ObjectIdentifier> = []
    var cancelled: Set<Int> = []
    /// Who waits until a number of sleepers wait and nobody is busy.
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  /// A clock at its start.
  public init() {}

  /// Where the clock stands.
  public var now: Instant { state.withLock { $0.now } }
  /// A nanosecond, as programs count.
  public var minimumResolution: Duration { .nanoseconds(1) }

  // MARK: Advancing

  /// Lets time pass. What is due happens in order, each at its own time.
  public func advance(by duration: Duration) async { await advance(to: now.advanced(by: duration)) }

  /// Lets time pass up to a moment.
  public func advance(to target: Instant) async {
    while true {
      await waiters(0)
      let due: [CheckedContinuation<Void, Never>] = state.withLock { state in
        let first = state.sleepers.compactMap(\.deadline).filter { $0 <= target }.min()
        guard let first else {
          state.now = max(state.now, target)
          return []
        }
        state.now = max(state.now, first)
        return Self.take(&state) { $0.deadline.map { $0 <= first } ?? false }
      }
      if due.isEmpty { return }
      for continuation in due { continuation.resume() }
    }
  }

  /// Waits until at least `count` sleepers wait, and every session that was woken waits again.
  public func waiters(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.busy.isEmpty && state.sleepers.count >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  private static func take(_ state: inout State, _ isChosen: (Sleeper) -> Bool) -> [CheckedContinuation<Void, Never>] {
    let chosen = state.sleepers.filter(isChosen)
    state.sleepers.removeAll(where: isChosen)
    for sleeper in chosen { if let session = sleeper.session { state.busy.insert(session) } }
    return chosen.map(\.continuation)
  }

  private static func ready(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
    if !state.busy.isEmpty { return [] }
    let count = state.sleepers.count
    let ready = state.watchers.filter { $0.count <= count }.map(\.continuation)
    state.watchers.removeAll { $0.count <= count }
    return ready
  }

  // MARK: Sleeping

  /// Returns when the clock was advanced to `deadline`; throws if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    await enter(deadline, nil)
    try Task.checkCancellation()
  }

  private func enter(_ deadline: Instant?, _ session: ObjectIdentifier?) async {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let resumed: [CheckedContinuation<Void, Never>] = state.withLock { state in
          if let session { state.busy.remove(session) }
          let isWoken = session.map { state.pending.remove($0) != nil } ?? false
          let isDue = deadline.map { $0 <= state.now } ?? false
          if isWoken || isDue || state.cancelled.remove(number) != nil {
            if let session, !Task.isCancelled { state.busy.insert(session) }
            return [continuation] + Self.ready(&state)
          }
          state.sleepers.append(
            Sleeper(number: number, deadline: deadline, session: session, continuation: continuation))
          return Self.ready(&state)
        }
        for continuation in resumed { continuation.resume() }
      }
    } onCancel: {
      let resumed: [CheckedContinuation<Void, Never>] = state.withLock { state in
        guard let place = state.sleepers.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return []
        }
        return [state.sleepers.remove(at: place).continuation] + Self.ready(&state)
      }
      for continuation in resumed { continuation.resume() }
    }
    _ = state.withLock { $0.cancelled.remove(number) }
  }
}

extension VirtualClock: WakingClock {
  func idle(_ waiter: Waiter, until deadline: Any?) async {
    await enter(deadline as? Instant, ObjectIdentifier(waiter))
  }

  func wake(_ waiter: Waiter) {
    let session = ObjectIdentifier(waiter)
    let resumed: [CheckedContinuation<Void, Never>] = state.withLock { state in
      let woken = Self.take(&state) { $0.session == session }
      if woken.isEmpty { state.pending.insert(session) }
      return woken
    }
    for continuation in resumed { continuation.resume() }
  }
}
