import Glibc
import Synchronization
import Testing

@testable import FRPIO

/// Runs `body` on the loop and gives what it tells, or nil after a minute: far more than anything here takes on a busy machine.
func onLoop<Value: Sendable>(
  _ body: @escaping @Sendable (_ tell: @escaping @Sendable (Value) -> Void) -> Void
) -> Value? {
  let told = Mutex<Value?>(nil)
  let semaphore = Semaphore()
  IOLoop.shared.run {
    body { value in
      told.withLock { if $0 == nil { $0 = value } }
      semaphore.signal()
    }
  }
  return semaphore.wait(seconds: 60) ? told.withLock { $0 } : nil
}

/// What was told so far, in order; several threads may tell.
final class Log<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  private let semaphore = Semaphore()

  func add(_ element: Element) {
    elements.withLock { $0.append(element) }
    semaphore.signal()
  }

  var all: [Element] { elements.withLock { $0 } }

  /// Tells of each line of a batch.
  func add(_ batch: LineBatch) where Element == String {
    for line in batch.lines { add(String(decoding: line, as: UTF8.self)) }
  }

  /// All that was told, once `isDone` of it, or after so many seconds.
  func wait(seconds: Int = 60, until isDone: ([Element]) -> Bool) -> [Element] {
    let end = IOLoop.now + seconds * 1_000_000_000
    while !isDone(all), IOLoop.now < end { _ = semaphore.wait(milliseconds: 100) }
    return all
  }
}

final class Semaphore: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signal() { sem_post(semaphore) }

  func wait(seconds: Int) -> Bool { wait(milliseconds: 1000 * seconds) }

  func wait(milliseconds: Int) -> Bool {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let nanoseconds = time.tv_nsec + milliseconds % 1000 * 1_000_000
    time.tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
    time.tv_nsec = nanoseconds % 1_000_000_000
    while sem_timedwait(semaphore, &time) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }
}

/// A listener that pauses at each batch, for a millisecond, gets all that a flow gives: how much that is, and how it ends.
func takenWithPauses<Item: Sendable>(
  _ count: @escaping @Sendable (Item) -> Int,
  _ begin: @escaping @Sendable (@escaping @Sendable (Item) -> Void, @escaping Completion<Void>) -> any Flow
) -> (count: Int, ends: [String]) {
  let (counts, ends) = (Log<Int>(), Log<String>())
  let holder = LoopLocal<(any Flow)?>(nil)
  IOLoop.shared.run {
    let flow = begin(
      { item in
        counts.add(count(item))
        let flow = holder.with { $0 }
        flow?.pause()
        _ = IOLoop.shared.after(1_000_000) { flow?.resume() }
      }, { ends.add($0.message ?? "end") })
    holder.with { $0 = flow }
  }
  let told = ends.wait { !$0.isEmpty }
  return (counts.all.reduce(0, +), told)
}

/// Waits until what was begun before has been looked at by workers and told to the loop, as far as one can tell from outside.
func settle(milliseconds: Int = 100) {
  for _ in 0..<4 {
    for workers in [Workers.reading, Workers.writing, Workers.spawning] { workers.runAndWait {} }
    _ = onLoop { tell in tell(()) } as Void?
    usleep(UInt32(milliseconds) * 250)
  }
}

/// A thread that a test waits for.
final class Thread: Sendable {
  private let done = Semaphore()

  init(_ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(body: body, done: done))
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        let start = Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
        start.body()
        start.done.signal()
        return nil
      }, start.toOpaque())
    pthread_detach(thread)
  }

  private final class Start: Sendable {
    let body: @Sendable () -> Void
    let done: Semaphore

    init(body: @escaping @Sendable () -> Void, done: Semaphore) { (self.body, self.done) = (body, done) }
  }

  func join() { _ = done.wait(seconds: 60) }
}
