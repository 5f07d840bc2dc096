// The one thread on which everything that waits for the world is called.
//
// In: descriptors to watch, moments to wake at, and jobs from any thread. Out: calls, one after the other.
// Rules
// - Nothing exists before its first use: no thread, no descriptor.
// - Jobs run in the order in which they were given; those given by a job run in the next turn, after timers and
//   descriptors have had theirs, so that nobody starves the others.
// - What blocks does not run here (Workers).
// - A watch or a timer that was cancelled is not called any more, even if it was due in the same turn.

import CLinux
import Glibc
import Synchronization

/// Calls everything of this module, on one thread.
public final class IOLoop: Sendable {
  public static let shared = IOLoop()

  private struct Queue {
    var jobs: [@Sendable () -> Void] = []
    var isStarted = false
    /// Whether the loop knows that there are jobs.
    var isAwake = false
  }

  private let queue = Mutex(Queue())
  private let thread = Atomic<UInt>(0)
  /// The descriptor that wakes the loop; set before its thread starts.
  private let alarm = Atomic<Int32>(-1)
  private let state = LoopLocal(LoopState())

  private init() {}

  /// Whether the caller is on the loop's thread.
  public var isCurrent: Bool { UInt(pthread_self()) == thread.load(ordering: .relaxed) }

  /// Nanoseconds on the clock that never goes back, by which timers are set. It stands still while the machine sleeps.
  public static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Runs `body` on the loop's thread, after what was given before; never before this returns to a caller on it.
  /// Cost: O(1), and a system call where the loop sleeps.
  public func run(_ body: @escaping @Sendable () -> Void) {
    let mustWake = queue.withLock { queue in
      queue.jobs.append(body)
      if !queue.isStarted {
        queue.isStarted = true
        start()
      }
      defer { queue.isAwake = true }
      return !queue.isAwake
    }
    if mustWake && !isCurrent { eventfd_write(alarm.load(ordering: .relaxed), 1) }
  }

  /// Waits until what was given before has run, for a second at most: before the process ends. Not on the loop's thread.
  public func settle() {
    if !queue.withLock({ $0.isStarted }) { return }
    let done = Permits()
    run { done.give() }
    done.take(within: 1)
  }

  /// Calls `handler` on the loop whenever the descriptor is ready, until the watch is cancelled: at each turn while it stays
  /// ready. The descriptor belongs to the caller, who cancels the watch before it is closed. On the loop's thread only.
  public func watch(
    _ descriptor: Int32, _ interest: Interest, _ handler: @escaping (Ready) -> Void
  ) throws(IOError) -> IOWatch {
    try state.with { state throws(IOError) in try state.watch(descriptor, interest, handler) }
  }

  /// Calls `body` once on the loop when `now` has come to be `moment`. On the loop's thread only.
  public func at(_ moment: Int, _ body: @escaping () -> Void) -> IOTimer {
    state.with { state in
      let timer = IOTimer(moment: moment, body)
      state.timers.insert(timer)
      return timer
    }
  }

  /// The same, so many nanoseconds from now.
  public func after(_ nanoseconds: Int, _ body: @escaping () -> Void) -> IOTimer {
    let (moment, overflows) = Self.now.addingReportingOverflow(max(0, nanoseconds))
    return at(overflows ? .max : moment, body)
  }
}

extension IOLoop {
  /// Jobs of this module are shallow; those of a host may decode what came.
  private static let stack: UInt = 1 << 20

  private func start() {
    let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    let alarm = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard epoll >= 0, alarm >= 0, clinux_epoll_add(epoll, alarm, EPOLLIN.rawValue, 0) == 0 else {
      endProcess(errno)
    }
    self.alarm.store(alarm, ordering: .relaxed)
    state.unchecked.epoll = epoll
    let error = clinux_start_thread({ _ in IOLoop.shared.turn() }, nil, Self.stack)
    if error != 0 { endProcess(error) }
  }

  private func turn() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    let state = state.unchecked
    var isConfined = false
    while true {
      Confinement.join(&isConfined)
      let jobs = queue.withLock { queue in
        queue.isAwake = !queue.jobs.isEmpty
        defer { queue.jobs = [] }
        return queue.jobs
      }
      for job in jobs { job() }
      state.timers.run()
      // Between these two, a job that comes from elsewhere writes to the alarm.
      let hasMore = queue.withLock { queue in
        if queue.jobs.isEmpty { queue.isAwake = false }
        return !queue.jobs.isEmpty
      }
      state.wait(hasMore ? 0 : state.timers.wait) {
        var count: eventfd_t = 0
        eventfd_read(alarm.load(ordering: .relaxed), &count)
      }
    }
  }
}

/// Without the loop there is no input and output, and nobody to whom it could be said.
func endProcess(_ error: Int32) -> Never {
  let sentence = "frp: the system refuses what input and output need: \(IOError.words(error))\n"
  _ = sentence.utf8CString.withUnsafeBytes { write(2, $0.baseAddress, $0.count - 1) }
  _exit(3)
}
