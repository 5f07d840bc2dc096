// What is sent to a child that listens, while its lines are read.
//
// Rules
// - What is sent arrives whole, in the order of the calls. `send` says whether there is little to be written yet: whoever is
//   told `false` sends no more until `onRoom`.
// - What is sent to a child that has closed its input, or ended, is dropped; its stream says how it ended.

import Glibc

/// A program that is spoken with.
public final class Conversation: Flow {
  /// Bytes that may wait before somebody who sends is told to wait.
  public static let room = 1 << 20

  private struct State {
    var pipe: Descriptor?
    var watch: IOWatch?
    /// What is not written yet, of which so much is.
    var waiting: [[UInt8]] = []
    var written = 0
    var count = 0
    /// Whether somebody was told that there is no room.
    var hadNoRoom = false
    var isClosed = false
    var onRoom: (@Sendable () -> Void)?

    mutating func note(_ bytes: Int, of all: Int) {
      written += bytes
      count -= bytes
      if written < all { return }
      waiting.removeFirst()
      written = 0
    }
  }

  let stream: Stream<LineBatch>
  private let state = LoopLocal(State())

  init(_ item: @escaping @Sendable (LineBatch) -> Void, _ end: @escaping Completion<Void>) {
    let state = state
    // The pipe goes with the child, whoever still holds this.
    stream = Stream(item: item) { result in
      state.with { Self.close(&$0) }
      end(result)
    }
  }

  public func pause() { stream.pause() }
  public func resume() { stream.resume() }

  public func cancel() {
    stream.cancel()
    finish()
  }

  /// Sends bytes, on the loop's thread. Gives whether there is room for more.
  @discardableResult
  public func send(_ bytes: [UInt8]) -> Bool {
    if bytes.isEmpty || state.with({ $0.isClosed }) { return true }
    let isFirst = state.with { state in
      state.waiting.append(bytes)
      state.count += bytes.count
      return state.waiting.count == 1
    }
    if isFirst { write() }
    return state.with { state in
      if state.count > Self.room { state.hadNoRoom = true }
      return state.count <= Self.room
    }
  }

  /// Called on the loop each time that all is written, where there was no room before.
  public func onRoom(_ body: @escaping @Sendable () -> Void) {
    IOLoop.shared.run { self.state.with { $0.onRoom = body } }
  }

  /// No more is sent: the child reads the end, once what was sent before is written. Any thread.
  public func finish() {
    IOLoop.shared.run {
      self.state.with { state in
        if state.waiting.isEmpty || !self.stream.isOpen { Self.close(&state) } else { state.isClosed = true }
      }
    }
  }

  func begin(_ pipe: Descriptor) {
    let isOver = state.with { $0.isClosed && $0.waiting.isEmpty }
    if !stream.isOpen || isOver { return }
    state.with { $0.pipe = pipe }
    do throws(IOError) {
      let watch = try pipe.with { number throws(IOError) in
        try IOLoop.shared.watch(number, .writing) { [weak self] _ in self?.write() }
      }
      state.with { $0.watch = watch }
    } catch { return stream.fail(error) }
    write()
  }

  private static func close(_ state: inout State) {
    state.watch?.cancel()
    state = State(isClosed: true)
  }

  private func write() {
    guard let pipe = state.with({ $0.pipe }) else { return }
    while let bytes = state.with({ $0.waiting.first }) {
      let start = state.with { $0.written }
      let count = bytes.withUnsafeBytes { buffer in
        pipe.with { Glibc.write($0, buffer.baseAddress.map { $0 + start }, buffer.count - start) }
      }
      if count < 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN { state.with { Self.close(&$0) } }
        return wait(true)
      }
      state.with { $0.note(count, of: bytes.count) }
    }
    wait(false)
    allIsWritten()
  }

  private func wait(_ isFull: Bool) { try? state.with { $0.watch }?.set(isFull ? .writing : []) }

  private func allIsWritten() {
    let onRoom = state.with { state -> (@Sendable () -> Void)? in
      if state.isClosed { Self.close(&state) }
      defer { state.hadNoRoom = false }
      return state.hadNoRoom ? state.onRoom : nil
    }
    onRoom?()
  }
}
