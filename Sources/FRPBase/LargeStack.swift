// Running on a thread with a large stack: recursion over a program's structure is met by the compiler's and machine's own
// depth limits, never by the end of the system's stack. Where the system grants only a small one, those who recurse ask
// for what is left of it.

import FRPLibc

/// 1 GiB of address space; pages are only used when they are touched. Of limited address space an eighth.
private let stackSize = max(leastStack, min(1 << 30, SystemMemory.addressSpace / 8 & ~0xFFFF))
/// No more than what threads have anyway.
private let leastStack = 8 << 20

/// The job that a thread made here runs; null on other threads.
private let currentJob: pthread_key_t = {
  var key = pthread_key_t()
  pthread_key_create(&key, nil)
  return key
}()

private final class Job {
  let run: () -> Void
  /// Bytes of the thread's stack, and where it begins.
  let size: Int
  var top: UnsafeMutableRawPointer?

  init(size: Int, _ run: @escaping () -> Void) {
    self.size = size
    self.run = run
  }

  /// Bytes of the stack that are in use.
  var used: Int {
    var here: UInt8 = 0
    return withUnsafeMutablePointer(to: &here) { here in top.map { $0 - UnsafeMutableRawPointer(here) } ?? 0 }
  }

  /// Of the thread this runs on.
  static var current: Job? {
    pthread_getspecific(currentJob).map { Unmanaged<Job>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// Runs `body` on a new thread with a 1 GiB stack and waits for it; on this thread if it is such a thread already. Where the
/// system has no room for so large a stack, it is smaller. Cost: about 30 µs.
public func onLargeStack<Result>(_ body: () -> Result) -> Result {
  if let job = Job.current, job.used < job.size / 4 { return body() }
  var result: Result?
  withoutActuallyEscaping(body) { body in
    var size = stackSize
    while result == nil, size >= leastStack {
      let job = Job(size: size) { result = body() }
      run(job)
      size /= 2
    }
  }
  return result ?? body()
}

/// On a thread of its own, if the system has room for one.
private func run(_ job: Job) {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setstacksize(&attributes, job.size)
  #if canImport(Glibc)
    var thread = pthread_t()
  #else
    var thread: pthread_t?
  #endif
  if pthread_create(&thread, &attributes, enter, Unmanaged.passUnretained(job).toOpaque()) == 0 {
    pthread_join(thread, nil)
  }
  withExtendedLifetime(job) {}
}

private func enter(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let pointer else { return nil }
  var here: UInt8 = 0
  let job = Unmanaged<Job>.fromOpaque(pointer).takeUnretainedValue()
  withUnsafeMutablePointer(to: &here) { job.top = UnsafeMutableRawPointer($0) }
  pthread_setspecific(currentJob, pointer)
  job.run()
  return nil
}

/// Whether those who recurse may go on: a quarter of a thread's stack, or half a MiB where nobody knows its size, is
/// left for what they call. Cost: a few instructions.
public var hasStackLeft: Bool {
  guard let job = Job.current else { return true }
  return job.used < job.size - job.size / 4
}
