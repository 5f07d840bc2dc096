// Buffered output without Foundation: to a file descriptor, or to memory in tests.
//
// Bytes in, write(2) out. Text for a terminal is made safe for it; its colours stay. A reader that went away (EPIPE) breaks the writer quietly: what is written later is dropped,
// and whoever runs a program looks at `isBroken` to stop.

import Glibc

package final class Writer {
  private var buffer: [UInt8] = []
  private let descriptor: Int32?
  /// Whether text is made safe: escape sequences other than colours, and what reorders lines, are shown and not obeyed.
  package let isTerminal: Bool
  private let capacity = 1 << 16
  /// The most that is kept in memory.
  private var limit = Int.max
  private var isForgetful = false
  /// Whether nobody reads any more, or the disk is full.
  package private(set) var isBroken = false
  /// The system's error number of the first failed write; 0 before. EPIPE is the quiet one.
  package private(set) var failure: Int32 = 0

  /// Asked before anything is handed over; where it says no, the writer is broken.
  var mayWrite: (() -> Bool)?
  /// So many bytes of what is written next were handed over by somebody before.
  var passingOver = 0
  /// How many bytes have been handed over, or passed over.
  private(set) var released = 0
  /// How many bytes have been written here, handed over or not.
  var made: Int { released + buffer.count }

  /// Counts what came before the first byte.
  func begin(at count: Int) { released = count }

  /// Writes to a descriptor, which stays the caller's to close.
  package init(descriptor: Int32, isTerminal: Bool = false) {
    self.descriptor = descriptor
    self.isTerminal = isTerminal
  }

  /// Keeps everything in memory, for tests: see `text`.
  package init(isTerminal: Bool = false) {
    descriptor = nil
    self.isTerminal = isTerminal
  }

  /// Keeps at most so many bytes in memory; then it is broken.
  init(keepingAtMost limit: Int) {
    descriptor = nil
    isTerminal = false
    self.limit = limit
  }

  /// Forgets everything.
  init(discarding: Void) {
    descriptor = nil
    isTerminal = false
    isForgetful = true
  }

  /// What a memory writer holds so far.
  package var text: String { String(decoding: buffer, as: UTF8.self) }

  package func write(_ text: String) {
    var text = isTerminal ? safeForTerminal(text, keepsColours: true) : text
    text.withUTF8 { buffer.append(contentsOf: $0) }
    writeIfFull()
  }

  package func write(_ bytes: [UInt8]) {
    buffer.append(contentsOf: bytes)
    writeIfFull()
  }

  package func writeLine(_ text: String) {
    write(text)
    buffer.append(0x0A)
    writeIfFull()
  }

  /// Lets the caller append to the buffer itself, so that no intermediate string is made.
  package func append(_ body: (inout [UInt8]) -> Void) {
    body(&buffer)
    writeIfFull()
  }

  package var hasPending: Bool { descriptor != nil && !buffer.isEmpty }

  private func writeIfFull() {
    if buffer.count >= capacity { flush() }
  }

  /// Hands everything to the system. Waits while a non-blocking reader is slow.
  package func flush() {
    guard let descriptor else { return keep() }
    defer { buffer.removeAll(keepingCapacity: true) }
    if isBroken || buffer.isEmpty { return }
    if let mayWrite, !mayWrite() {
      isBroken = true
      return
    }
    if passingOver > 0 {
      let count = min(passingOver, buffer.count)
      passingOver -= count
      released += count
      buffer.removeFirst(count)
    }
    buffer.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count, !isBroken {
        let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
        if count >= 0 { done += count } else { recover(from: errno, on: descriptor) }
      }
      released += done
    }
  }

  /// Forgets what was not handed over.
  func drop() { buffer.removeAll() }

  private func keep() {
    if isForgetful { return buffer.removeAll(keepingCapacity: true) }
    if buffer.count > limit {
      isBroken = true
      buffer.removeLast(buffer.count - limit)
    }
  }

  private func recover(from error: Int32, on descriptor: Int32) {
    switch error {
    case EINTR: break
    case EAGAIN:
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&waiting, 1, -1)
    default:
      isBroken = true
      failure = error
    }
  }
}
