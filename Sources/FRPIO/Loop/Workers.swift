// Threads for what blocks: regular files, which epoll does not know, and databases.

import CLinux
import Glibc
import Synchronization

/// At most so many threads that take jobs from one queue, in order; each begins when there is work for it, and stays.
final class Workers: Sendable {
  /// Reading. Two, so that a file system that hangs does not keep the others waiting at once.
  static let reading = Workers(threads: 2)
  /// Writing, in the order of the calls.
  static let writing = Workers(threads: 1)

  /// Starting children, which end with the thread that started them, and are not confined.
  static let spawning = Workers(threads: 1, isConfined: false)

  private struct Queue {
    var jobs: [@Sendable () -> Void] = []
    var head = 0
    var threads = 0
    var idle = 0

    mutating func next() -> (@Sendable () -> Void)? {
      if head == jobs.count { return nil }
      defer {
        head += 1
        if head > 64, head * 2 > jobs.count {
          jobs.removeFirst(head)
          head = 0
        }
      }
      return jobs[head]
    }
  }

  private let most: Int
  private let isConfined: Bool
  private let queue = Mutex(Queue())
  private let permits = Permits()
  private static let stack: UInt = 512 << 10

  init(threads: Int, isConfined: Bool = true) { (most, self.isConfined) = (threads, isConfined) }

  /// Runs `body` on one of the threads. What it throws away is thrown away there.
  func run(_ body: @escaping @Sendable () -> Void) {
    let needsThread = queue.withLock { queue in
      queue.jobs.append(body)
      let isNeeded = queue.idle < queue.jobs.count - queue.head && queue.threads < most
      if isNeeded { queue.threads += 1 }
      return isNeeded
    }
    if needsThread { start() }
    permits.give()
  }

  /// The same, and returns when it is done.
  func runAndWait(_ body: @escaping @Sendable () -> Void) {
    let done = Permits()
    run {
      body()
      done.give()
    }
    done.take()
  }

  private func start() {
    let context = Unmanaged.passRetained(self).toOpaque()
    let error = clinux_start_thread(
      { context in
        if let context { Unmanaged<Workers>.fromOpaque(context).takeRetainedValue().work() }
      }, context, Self.stack)
    if error == 0 { return }
    Unmanaged<Workers>.fromOpaque(context).release()
    let left = queue.withLock { queue in
      queue.threads -= 1
      return queue.threads
    }
    // One is enough.
    if left == 0 { endProcess(error) }
  }

  private func work() {
    var hasJoined = !isConfined
    while true {
      queue.withLock { $0.idle += 1 }
      permits.take()
      Confinement.join(&hasJoined)
      let job = queue.withLock { queue in
        queue.idle -= 1
        return queue.next()
      }
      job?()
    }
  }
}

/// A semaphore.
final class Permits: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func give() { sem_post(semaphore) }

  func take() { while sem_wait(semaphore) != 0 {} }

  /// Takes one, or gives up after so many seconds.
  func take(within seconds: Int) {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    end.tv_sec += seconds
    while sem_timedwait(semaphore, &end) != 0, errno == EINTR {}
  }
}
