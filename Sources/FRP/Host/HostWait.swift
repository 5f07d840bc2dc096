// One Swift task that waits for the end of an operation, which may come from any thread, or be cancelled.

import Synchronization

final class HostWait: Sendable {
  typealias Answer = Result<HostAnswer, FrpError>

  private struct State {
    var continuation: CheckedContinuation<Answer, Never>?
    var underway: (any HostUnderway)?
    var isOver = false
  }

  private let state = Mutex(State())

  func set(_ continuation: CheckedContinuation<Answer, Never>) {
    let isOver = state.withLock { state in
      if !state.isOver { state.continuation = continuation }
      return state.isOver
    }
    if isOver { continuation.resume(returning: .failure(FrpError("it was cancelled"))) }
  }

  func set(_ underway: any HostUnderway) {
    let isOver = state.withLock { state in
      if !state.isOver { state.underway = underway }
      return state.isOver
    }
    if isOver { underway.cancel() }
  }

  func end(_ answer: Answer) { finish(answer) }

  func cancel() { finish(.failure(FrpError("it was cancelled")))?.cancel() }

  @discardableResult
  private func finish(_ answer: Answer) -> (any HostUnderway)? {
    let (continuation, underway) = state.withLock { state in
      state.isOver = true
      defer { (state.continuation, state.underway) = (nil, nil) }
      return (state.continuation, state.underway)
    }
    continuation?.resume(returning: answer)
    return underway
  }
}
