// Running on a thread with a large stack: recursion over a program's structure is met by the compiler's and machine's own
// depth limits, never by the end of the system's stack.

import Glibc

/// 1 GiB of address space; pages are only used when they are touched.
private let stackSize = 1 << 30

/// Where the stack of a thread made here begins; null on other threads.
private let stackTop: pthread_key_t = {
  var key = pthread_key_t()
  pthread_key_create(&key, nil)
  return key
}()

/// Whether this thread was made here and most of its stack is left.
private var hasLargeStack: Bool {
  guard let top = pthread_getspecific(stackTop) else { return false }
  var here: UInt8 = 0
  return withUnsafeMutablePointer(to: &here) { top - UnsafeMutableRawPointer($0) < stackSize / 4 }
}

private final class Job {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}

/// Runs `body` on a new thread with a 1 GiB stack and waits for it; on this thread if it is such a thread already, or the
/// system has no room for one. Cost: about 30 µs.
public func onLargeStack<Result>(_ body: () -> Result) -> Result {
  if hasLargeStack { return body() }
  var result: Result?
  withoutActuallyEscaping(body) { body in
    let job = Job { result = body() }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)
    var thread = pthread_t()
    let context = Unmanaged.passUnretained(job).toOpaque()
    if pthread_create(&thread, &attributes, enter, context) == 0 { pthread_join(thread, nil) }
    withExtendedLifetime(job) {}
  }
  return result ?? body()
}

private func enter(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  var here: UInt8 = 0
  withUnsafeMutablePointer(to: &here) { _ = pthread_setspecific(stackTop, $0) }
  if let pointer { Unmanaged<Job>.fromOpaque(pointer).takeUnretainedValue().run() }
  return nil
}
