// What is under way: a call that ends once, or a stream of values that goes on until its end.
//
// Rules
// - Completions, items and ends are called on the loop's thread, never before the call that began them has returned.
// - Each operation ends once, or is cancelled. `cancel` decides which: if nothing was called before it returns, nothing is.
//   An item that another thread is just being called with may still be under way then.
// - Whoever implements one tells it of the end from any thread, and is told of cancel, pause and resume on the loop's.

import Synchronization

/// Something under way that can be given up. Whoever drops it without that lets it go on.
public protocol Operation: AnyObject, Sendable {
  /// Nothing is called any more, and what it holds is given back. Any thread, any number of times.
  func cancel()
}

/// A stream: items until its end.
public protocol Flow: Operation {
  /// Reading stops, so that the sender waits. Items that were read already wait, too, but for the one being called with.
  func pause()
  func resume()
}

/// What a call is asked with, and what it does in the end.
public typealias Completion<Value> = @Sendable (Result<Value, IOError>) -> Void

/// An operation that ends once.
final class Call<Value: Sendable>: Operation {
  private enum State { case pending, ended, cancelled }
  private struct Inside {
    var state = State.pending
    var completion: Completion<Value>?
    var onCancel: (@Sendable () -> Void)?
  }

  private let inside: Mutex<Inside>

  init(_ completion: @escaping Completion<Value>) { inside = Mutex(Inside(completion: completion)) }

  /// Whether somebody still waits for its end. Any thread.
  var isPending: Bool { inside.withLock { $0.state == .pending } }

  /// Ends it; what comes second is dropped. Any thread.
  func finish(_ result: Result<Value, IOError>) {
    IOLoop.shared.run {
      self.leave(.ended)?.completion?(result)
    }
  }

  /// The same at once, on the loop's thread: for what certainly happens after the call that began it has returned.
  func end(_ result: Result<Value, IOError>) {
    precondition(IOLoop.shared.isCurrent, "on the loop's thread only")
    leave(.ended)?.completion?(result)
  }

  func succeed(_ value: Value) { finish(.success(value)) }
  func fail(_ error: IOError) { finish(.failure(error)) }

  /// What gives back what the call holds if it is cancelled: run on the loop, at once if it was cancelled already.
  func onCancel(_ body: @escaping @Sendable () -> Void) {
    let isCancelled = inside.withLock { inside in
      if inside.state == .pending { inside.onCancel = body }
      return inside.state == .cancelled
    }
    if isCancelled { IOLoop.shared.run(body) }
  }

  func cancel() {
    if let onCancel = leave(.cancelled)?.onCancel { IOLoop.shared.run(onCancel) }
  }

  /// What it was while it was pending; nil if it is over already. What the closures hold is released by the caller, outside
  /// of the lock.
  private func leave(_ state: State) -> Inside? {
    inside.withLock { inside in
      if inside.state != .pending { return nil }
      let former = inside
      inside = Inside(state: state)
      return former
    }
  }
}

/// A stream, as its implementation sees it.
final class Stream<Item: Sendable>: Flow {
  /// What the implementation does when its listener says so; all are called on the loop's thread. What is registered late
  /// is told at once.
  struct Hooks: Sendable {
    var pause: @Sendable () -> Void = {}
    var resume: @Sendable () -> Void = {}
    /// Gives back what it holds. Not called after `finish`.
    var cancel: @Sendable () -> Void = {}
  }

  private struct Inside {
    var isPaused = false
    var isOpen = true
    var isCancelled = false
    var hooks: Hooks?
    var item: (@Sendable (Item) -> Void)?
    var end: Completion<Void>?
  }

  private let inside: Mutex<Inside>

  init(item: @escaping @Sendable (Item) -> Void, end: @escaping Completion<Void>) {
    inside = Mutex(Inside(item: item, end: end))
  }

  /// Whether an item may be given now. Any thread.
  var isWanted: Bool { inside.withLock { $0.isOpen && !$0.isPaused } }
  /// Whether it goes on. Any thread.
  var isOpen: Bool { inside.withLock { $0.isOpen } }

  /// Gives an item, on the loop's thread. An implementation looks at `isWanted` first; here a paused stream's items are not
  /// held back.
  func give(_ item: Item) {
    precondition(IOLoop.shared.isCurrent, "on the loop's thread only")
    inside.withLock { $0.isOpen ? $0.item : nil }?(item)
  }

  /// Ends it, after the items that were given. Any thread. Also a paused stream ends, so its implementation waits with it
  /// until the items before have been given.
  func finish(_ result: Result<Void, IOError> = .success(())) {
    IOLoop.shared.run {
      self.close(Inside(isOpen: false))?.end?(result)
    }
  }

  func fail(_ error: IOError) { finish(.failure(error)) }

  func onChange(_ hooks: Hooks) {
    let (isPaused, isCancelled) = inside.withLock { inside in
      if inside.isOpen { inside.hooks = hooks }
      return (inside.isPaused, inside.isCancelled)
    }
    if isCancelled { IOLoop.shared.run(hooks.cancel) } else if isPaused { IOLoop.shared.run(hooks.pause) }
  }

  func pause() { change(to: true) }
  func resume() { change(to: false) }

  private func change(to isPaused: Bool) {
    let hook = inside.withLock { inside -> (@Sendable () -> Void)? in
      if !inside.isOpen || inside.isPaused == isPaused { return nil }
      inside.isPaused = isPaused
      return isPaused ? inside.hooks?.pause : inside.hooks?.resume
    }
    if let hook { IOLoop.shared.run(hook) }
  }

  func cancel() {
    if let hooks = close(Inside(isOpen: false, isCancelled: true))?.hooks { IOLoop.shared.run(hooks.cancel) }
  }

  /// What it was while it was open; nil if it is over already.
  private func close(_ state: Inside) -> Inside? {
    inside.withLock { inside in
      if !inside.isOpen { return nil }
      let former = inside
      inside = state
      return former
    }
  }
}
