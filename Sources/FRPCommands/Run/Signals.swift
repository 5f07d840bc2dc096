// SIGINT and SIGTERM as a readable descriptor: poll(2) waits for inputs, timers, and signals in one place.

import Glibc

/// The writing end that the handler uses; -1 while nobody watches.
nonisolated(unsafe) private var wakeUp: Int32 = -1
/// The signal that came; 0 for none. Written only by the handler.
nonisolated(unsafe) private var received: Int32 = 0

struct SignalWatch {
  /// Readable once a signal has come.
  let descriptor: Int32

  /// Starts to watch; a second signal then ends the process at once.
  init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      wakeUp = ends[1]
    }
    descriptor = ends[0]
    received = 0
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { signal in
      if received != 0 { _exit(128 + signal) }
      received = signal
      var byte: UInt8 = 1
      _ = write(wakeUp, &byte, 1)
    }
    sigaction(SIGINT, &action, nil)
    sigaction(SIGTERM, &action, nil)
  }

  /// What ends the run, if a signal has come.
  var exitCode: ExitCode? {
    switch received {
    case SIGINT: .interrupted
    case SIGTERM: .terminated
    default: nil
    }
  }

  /// Gives the signals their ordinary meaning back.
  func stop() {
    signal(SIGINT, SIG_DFL)
    signal(SIGTERM, SIG_DFL)
    if wakeUp >= 0 { close(wakeUp) }
    if descriptor >= 0 { close(descriptor) }
    wakeUp = -1
  }
}

/// Nanoseconds since it was made, on the system's clock that never goes back.
struct RealClock {
  private let start: Int

  init() { start = Self.reading() }

  var now: Int { Self.reading() - start }

  private static func reading() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
