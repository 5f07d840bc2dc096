// Work that ^C can leave behind: it runs on a thread of its own, and where ^C comes first nobody waits for its end. The
// compiler has its own limits, so what is left behind does end.

import Glibc

/// A piece of work, and the semaphore that says it is done.
private final class AbandonableJob: @unchecked Sendable {
  let run: () -> Void
  let done = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init(_ run: @escaping () -> Void) {
    self.run = run
    sem_init(done, 0, 0)
  }

  deinit {
    sem_destroy(done)
    done.deallocate()
  }
}

private final class Box<Value> {
  var value: Value?
}

extension ReplInterrupt {
  /// Does some work; nil if ^C came before its end. Without a terminal there is no ^C to wait for.
  static func abandonable<Value>(_ body: @escaping () -> Value) -> Value? {
    guard isWatching else { return body() }
    let box = Box<Value>()
    let job = AbandonableJob { box.value = body() }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, 1 << 26)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let context = Unmanaged.passRetained(job)
    let failure = pthread_create(
      &thread, &attributes,
      { pointer in
        guard let pointer else { return nil }
        let job = Unmanaged<AbandonableJob>.fromOpaque(pointer).takeRetainedValue()
        job.run()
        sem_post(job.done)
        return nil
      }, context.toOpaque())
    if failure != 0 {
      context.release()
      return body()
    }
    while !waited(job) { if isPressed { return nil } }
    return box.value
  }

  /// Waits for a moment; whether the work is done.
  private static func waited(_ job: AbandonableJob) -> Bool {
    var until = timespec()
    clock_gettime(CLOCK_REALTIME, &until)
    until.tv_nsec += 20_000_000
    if until.tv_nsec >= 1_000_000_000 {
      until.tv_nsec -= 1_000_000_000
      until.tv_sec += 1
    }
    return sem_timedwait(job.done, &until) == 0
  }
}
