// Runs the whole process on one thread with a large stack: deep recursion in a program is met by the machine's own
// depth limit, never by the end of the system's stack.

import Glibc

/// 1 GiB of address space; pages are only used when they are touched.
private let stackSize = 1 << 30

private final class Job {
  let body: () -> Int32
  var result: Int32 = 70
  init(_ body: @escaping () -> Int32) { self.body = body }
}

/// Runs `body` on a new thread with a 1 GiB stack and waits for it; on this thread if the system has no room for one.
public func onLargeStack(_ body: @escaping () -> Int32) -> Int32 {
  let job = Job(body)
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setstacksize(&attributes, stackSize)
  var thread = pthread_t()
  let context = Unmanaged.passRetained(job)
  let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
    guard let pointer else { return nil }
    let job = Unmanaged<Job>.fromOpaque(pointer).takeUnretainedValue()
    job.result = job.body()
    return nil
  }
  let failure = pthread_create(&thread, &attributes, entry, context.toOpaque())
  defer { context.release() }
  if failure != 0 { return body() }
  pthread_join(thread, nil)
  return job.result
}
