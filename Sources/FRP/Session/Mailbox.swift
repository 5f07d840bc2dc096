// What lies between a session and who sends to it or listens to it: a queue with a policy.
//
// Rules
// - Whoever takes an element and whoever waits for room are resumed in the order in which they came.
// - After `finish` nothing is put in; what is there is still taken.

import Synchronization

/// What happens at an edge of a session when its other side is slower.
public enum Buffering: Sendable, Hashable {
  /// Nothing is lost; memory grows with the delay.
  case unbounded
  /// The newest are kept, older ones are dropped: right for values of behaviors.
  case newest(Int)
  /// The oldest are kept, newer ones are dropped.
  case oldest(Int)
  /// Nothing is lost and memory is bounded: when so many wait, the producer is held back until there is room. At an
  /// output that is the program itself: its timers are late and its inputs wait (one instant may still show more). At
  /// an input it is whoever awaits `send`; an `offer` is refused.
  case suspend(Int)

  /// How many may wait.
  var capacity: Int {
    switch self {
    case .unbounded: .max
    case .newest(let count), .oldest(let count), .suspend(let count): max(1, count)
    }
  }

  var suspends: Bool { if case .suspend = self { true } else { false } }
}

/// A queue between two tasks.
final class Mailbox<Element: Sendable>: Sendable {
  private struct State {
    var items: [Element] = []
    var head = 0
    var isFinished = false
    var nextWaiter = 0
    var takers: [(number: Int, continuation: CheckedContinuation<Element?, Never>)] = []
    var givers: [(number: Int, continuation: CheckedContinuation<Void, Never>)] = []

    var count: Int { items.count - head }

    mutating func take() -> Element? {
      if count == 0 { return nil }
      let item = items[head]
      head += 1
      if head > 32, head * 2 > items.count {
        items.removeFirst(head)
        head = 0
      }
      return item
    }
  }

  let policy: Buffering
  private let state = Mutex(State())

  init(_ policy: Buffering) { self.policy = policy }

  /// How many elements wait.
  var count: Int { state.withLock { $0.count } }

  var isFull: Bool { state.withLock { $0.count >= policy.capacity } }
  var isFinished: Bool { state.withLock { $0.isFinished } }

  /// Puts an element in. Gives whether it is there: `oldest` refuses what does not fit. Where `suspend` holds the
  /// producer back, that is the producer's matter (`room`): here it is taken.
  @discardableResult
  func put(_ element: Element) -> Bool {
    var taker: CheckedContinuation<Element?, Never>?
    let isTaken = state.withLock { state in
      if state.isFinished { return false }
      if !state.takers.isEmpty {
        taker = state.takers.removeFirst().continuation
        return true
      }
      if state.count >= policy.capacity {
        if case .oldest = policy { return false }
        if case .newest = policy { _ = state.take() }
      }
      state.items.append(element)
      return true
    }
    taker?.resume(returning: element)
    return isTaken
  }

  /// Puts an element in unless that would be too many for a policy that holds back.
  func offer(_ element: Element) -> Bool {
    if policy.suspends, isFull { return false }
    return put(element)
  }

  /// No more comes.
  func finish() {
    let (takers, givers) = state.withLock { state in
      state.isFinished = true
      defer {
        state.takers = []
        state.givers = []
      }
      return (state.takers, state.givers)
    }
    for taker in takers { taker.continuation.resume(returning: nil) }
    for giver in givers { giver.continuation.resume() }
  }

  /// The next element; nil when there is no more, or the task is cancelled.
  func next() async -> Element? {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        var giver: CheckedContinuation<Void, Never>?
        let answer: Element?? = state.withLock { state in
          if let item = state.take() {
            if state.count < policy.capacity, !state.givers.isEmpty { giver = state.givers.removeFirst().continuation }
            return .some(item)
          }
          if state.isFinished || Task.isCancelled { return .some(nil) }
          state.takers.append((number, continuation))
          return nil
        }
        giver?.resume()
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let taker = state.withLock { state in
        state.takers.firstIndex { $0.number == number }.map { state.takers.remove(at: $0).continuation }
      }
      taker?.resume(returning: nil)
    }
  }

  /// Returns when there is room, or it is finished, or the task is cancelled.
  func room() async {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          if state.count < policy.capacity || state.isFinished || Task.isCancelled { return true }
          state.givers.append((number, continuation))
          return false
        }
        if isThere { continuation.resume() }
      }
    } onCancel: {
      let giver = state.withLock { state in
        state.givers.firstIndex { $0.number == number }.map { state.givers.remove(at: $0).continuation }
      }
      giver?.resume()
    }
  }
}

/// Tasks that wait for their turn, which belongs to one actor: `next` lets the one that came first go on.
final class Turns: Sendable {
  private let mailbox = Mailbox<Void>(.newest(1))

  /// Returns when it is this task's turn, the task is cancelled, or nobody has to wait any more.
  func turn() async { _ = await mailbox.next() }
  func next() { mailbox.put(()) }
  func finish() { mailbox.finish() }
}

/// What an output of a session shows, for one consumer: an async sequence with a buffer of its own. It ends when the
/// session is closed or gone. Who drops it is no longer counted as a consumer.
public struct OutputSequence<Element: Sendable>: AsyncSequence, Sendable {
  /// Tells the session when nobody is left who could take anything.
  final class Consumer: Sendable {
    let mailbox: Mailbox<Element>
    private let left: @Sendable () -> Void

    init(_ mailbox: Mailbox<Element>, left: @escaping @Sendable () -> Void) {
      self.mailbox = mailbox
      self.left = left
    }

    deinit {
      mailbox.finish()
      left()
    }
  }

  let consumer: Consumer

  /// Takes the elements one after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let consumer: Consumer

    /// The next element, as soon as there is one; nil at the end, and when the task is cancelled.
    public mutating func next() async -> Element? { await consumer.mailbox.next() }
  }

  /// An iterator; several of one sequence share its buffer: each element is taken once.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(consumer: consumer) }
}

/// A way into a session with a buffer of its own, for senders that cannot wait or must not be held back for long: call
/// `offer` from a callback, or await `send`. Values are taken in their order. Dropping it ends it once it is empty.
public final class Inlet<Value: Sendable>: Sendable {
  let mailbox: Mailbox<Value>

  init(_ policy: Buffering) { mailbox = Mailbox(policy) }
  deinit { mailbox.finish() }

  /// Hands a value over without waiting. Gives whether it was taken in: not when the session is closed, or the buffer
  /// is full and keeps the `oldest` or holds senders back. From any thread.
  @discardableResult
  public func offer(_ value: Value) -> Bool { mailbox.offer(value) }

  /// Hands a value over, waiting for room where the policy is `suspend`.
  public func send(_ value: Value) async {
    while mailbox.policy.suspends, mailbox.isFull, !mailbox.isFinished, !Task.isCancelled { await mailbox.room() }
    if !Task.isCancelled { mailbox.put(value) }
  }

  /// No more comes; what was handed over still happens.
  public func finish() { mailbox.finish() }
}
