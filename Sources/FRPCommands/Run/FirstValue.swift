// What a source brings first, where that is there already: waited for before a run starts.

import FRP
import Glibc
import Synchronization

enum FirstValue {
  /// Nil where nothing comes within some seconds, or it has ended without.
  static func of(_ task: HostTask) -> HostAnswer? {
    let box = Box()
    let underway = task.begin { report in
      switch report {
      // It is there, and has nothing yet.
      case .opened, .retrying: box.put(nil)
      case .items(let bodies): for case .item(let answer, _) in bodies.items { box.put(answer) }
      case .item(let answer, let taken):
        taken?(nil)
        box.put(answer)
      case .ended: box.put(nil)
      }
    }
    let answer = box.wait()
    underway.cancel()
    return answer
  }

  private final class Box: Sendable {
    private static let longest: Int64 = 5_000_000_000

    private let answer = Mutex<(isThere: Bool, value: HostAnswer?)>((false, nil))
    private let signal = Signal()

    func put(_ value: HostAnswer?) {
      answer.withLock { if !$0.isThere { $0 = (true, value) } }
      signal.raise()
    }

    func wait() -> HostAnswer? {
      signal.wait(atMost: Self.longest)
      return answer.withLock { $0.value }
    }
  }

  /// One thread waits until another says so.
  private final class Signal: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
      sem_destroy(semaphore)
      semaphore.deallocate()
    }

    func raise() { sem_post(semaphore) }

    func wait(atMost nanoseconds: Int64) {
      var until = timespec()
      clock_gettime(CLOCK_REALTIME, &until)
      until.tv_sec += Int(nanoseconds / 1_000_000_000)
      while sem_timedwait(semaphore, &until) != 0, errno == EINTR {}
    }
  }
}
