// SIGINT, SIGTERM and SIGHUP as a readable descriptor: poll(2) waits for inputs, timers, and signals in one place.

import FRPBase
import FRPIO
import Glibc
import Synchronization

/// The signal that came since somebody began to watch; 0 for none. Written by the handler.
private let received = Atomic<Int32>(0)
/// When it came, on the clock of `RealClock`. Written before it.
private let receivedAt = Atomic<Int>(0)
/// One of the same kind within so many nanoseconds is the same: `timeout` signals its child, and then the group of both.
private let sameWithin = 100_000_000
/// How many runs of this process watch, each on a thread of its own. A signal is for all of them.
private let watchers = Mutex(0)
/// A pipe that the handler writes to and nobody reads while a run watches. It stays: a handler may be writing at any time.
private let alarm = (try? Descriptors.pipe(isBlocking: false)) ?? (readable: -1, writable: -1)

/// Watches until it is told to stop, or is gone.
final class SignalWatch {
  /// Readable once a signal has come.
  let descriptor = alarm.readable
  private var isWatching = true

  /// Starts to watch; a second signal then ends the process at once, unless it is the first one told twice.
  init() {
    watchers.withLock { count in
      if count == 0 { SignalWatch.begin() }
      count += 1
    }
  }

  deinit { stop() }

  private static func begin() {
    received.store(0, ordering: .relaxed)
    receivedAt.store(0, ordering: .relaxed)
    var byte: UInt8 = 0
    while read(alarm.readable, &byte, 1) == 1 {}
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { signal in
      let now = RealClock.reading()
      let (isFirst, first) = receivedAt.compareExchange(expected: 0, desired: now, ordering: .relaxed)
      let former = received.exchange(signal, ordering: .relaxed)
      if !isFirst, former == signal, now - first < sameWithin { return }
      if former != 0 {
        ChildProcesses.killAtOnce()
        _exit(128 + signal)
      }
      var byte: UInt8 = 1
      _ = write(alarm.writable, &byte, 1)
    }
    sigaction(SIGINT, &action, nil)
    sigaction(SIGTERM, &action, nil)
    // nohup has it ignored, and means it.
    var former = sigaction()
    sigaction(SIGHUP, nil, &former)
    if !isIgnored(former) { sigaction(SIGHUP, &action, nil) }
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    // SIG_IGN, which is no address.
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  /// What ends the run, if a signal has come.
  var exitCode: ExitCode? {
    switch received.load(ordering: .relaxed) {
    case SIGINT: .interrupted
    case SIGTERM: .terminated
    case SIGHUP: .hungUp
    default: nil
    }
  }

  /// Whether one has come so long ago that no call should still be under way: 0.2 s.
  var isOverdue: Bool {
    received.load(ordering: .relaxed) != 0
      && RealClock.reading() - receivedAt.load(ordering: .relaxed) > 2 * sameWithin
  }

  /// Gives the signals their ordinary meaning back, unless another run watches, or one has come: then the process is about to end, and the
  /// same one may come again.
  func stop() {
    if !isWatching { return }
    isWatching = false
    watchers.withLock { count in
      count -= 1
      if count > 0 || received.load(ordering: .relaxed) != 0 { return }
      signal(SIGINT, SIG_DFL)
      signal(SIGTERM, SIG_DFL)
      var present = sigaction()
      sigaction(SIGHUP, nil, &present)
      if !SignalWatch.isIgnored(present) { signal(SIGHUP, SIG_DFL) }
    }
  }
}

/// Nanoseconds since it was made, on the system's clock that never goes back.
struct RealClock {
  private let start: Int

  /// It begins at a time of its own.
  init(from time: Int = 0) { start = Self.reading() - time }

  var now: Int { Self.reading() - start }

  static func reading() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
