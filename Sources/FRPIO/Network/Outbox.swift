// What is said to a WebSocket by any thread, on its way to the loop: as long as there is room it is taken at once, and the loop
// sends all that has come together.
//
// Rules
// - Texts go in the order in which they were said.
// - Room is counted in bytes: what waits here, while what was sent before has not found room.
// - What was taken is sent before the connection is closed by this side.

import Synchronization

final class Outbox: Sendable {
  /// What may wait before whoever says more has to.
  static let limit = 256 << 10

  private enum Phase { case opening, open, closed }
  private struct State {
    var phase = Phase.opening
    var texts: [[UInt8]] = []
    var bytes = 0
    var waiting: [Completion<Void>] = []
    var isScheduled = false
    /// Whether the loop waits for room.
    var isHeld = false

    mutating func add(_ text: [UInt8]) -> Bool {
      texts.append(text)
      bytes += text.count
      if isScheduled || isHeld || phase == .opening { return false }
      isScheduled = true
      return true
    }
  }

  private let state = Mutex(State())
  /// On the loop's thread: sends what waits (`drain`).
  private let hasCome: @Sendable () -> Void

  init(_ hasCome: @escaping @Sendable () -> Void) { self.hasCome = hasCome }

  static let closed = IOError("the WebSocket is closed")

  /// Takes a text if there is room; nil if not. Any thread.
  func offer(_ text: [UInt8]) -> Result<Void, IOError>? {
    let (result, mustWake) = state.withLock { state -> (Result<Void, IOError>?, Bool) in
      if state.phase == .closed { return (.failure(Self.closed), false) }
      if state.phase == .opening || state.bytes + text.count > Self.limit { return (nil, false) }
      return (.success(()), state.add(text))
    }
    if mustWake { wake() }
    return result
  }

  /// Takes a text; `done` is called on the loop's thread once there is room for more. Any thread.
  func say(_ text: [UInt8], _ done: @escaping Completion<Void>) {
    let (isClosed, mustWake) = state.withLock { state -> (Bool, Bool) in
      if state.phase == .closed { return (true, false) }
      state.waiting.append(done)
      return (false, state.add(text))
    }
    if isClosed { IOLoop.shared.run { done(.failure(Self.closed)) } }
    if mustWake { wake() }
  }

  private func wake() { IOLoop.shared.run(hasCome) }

  /// What is said from now on is sent, and what was said before. On the loop's thread, as everything below.
  func open() {
    state.withLock { $0.phase = .open }
    hasCome()
  }

  /// Gives what waits to `send` as one; that calls its closure once there is room, or there never will be.
  func drain(_ frames: ([[UInt8]]) -> [UInt8], _ send: ([UInt8], @escaping Completion<Void>) -> Void) {
    let taken = state.withLock { state -> State? in
      state.isScheduled = false
      if state.phase != .open || state.isHeld || state.texts.isEmpty { return nil }
      let taken = state
      (state.texts, state.bytes, state.waiting, state.isHeld) = ([], 0, [], true)
      return taken
    }
    guard let taken else { return }
    send(frames(taken.texts)) { [weak self] result in
      for done in taken.waiting { done(result) }
      self?.letGo()
    }
  }

  private func letGo() {
    let hasMore = state.withLock { state in
      state.isHeld = false
      if state.texts.isEmpty || state.isScheduled || state.phase != .open { return false }
      state.isScheduled = true
      return true
    }
    if hasMore { wake() }
  }

  /// What waits, before the connection is closed; whoever waits for room is told what was made of it.
  func takeLast(_ result: Result<Void, IOError>) -> [[UInt8]] {
    let taken = state.withLock { state in
      defer { state = State(phase: .closed) }
      return state
    }
    for done in taken.waiting { done(result) }
    return taken.phase == .open ? taken.texts : []
  }
}
