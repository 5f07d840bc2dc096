// A descriptor that poll(2) waits for, and any thread makes readable.

import FRPIO
import Glibc

/// A pipe that holds a byte while something waits. Its owner decides within a lock, so that the byte is there as long as what it
/// stands for; it is written behind the lock, since whoever it wakes wants that at once.
final class Bell: @unchecked Sendable {
  private let ends: (readable: Int32, writable: Int32)
  private var isRung = false

  init() {
    ends = (try? Descriptors.pipe(isBlocking: false)) ?? (-1, -1)
  }

  deinit {
    close(ends.readable)
    close(ends.writable)
  }

  /// Readable once it was rung, until it is silenced.
  var descriptor: Int32 { ends.readable }

  /// Within the lock: whether the caller is to `ring` behind it.
  var mustRing: Bool {
    defer { isRung = true }
    return !isRung
  }

  /// Behind the lock, after `mustRing`.
  func ring() {
    var byte: UInt8 = 1
    _ = write(ends.writable, &byte, 1)
  }

  /// Within the lock: silences it, if it rings. False where somebody is just about to ring: its owner then looks once more.
  var isSilenced: Bool {
    if !isRung { return true }
    var byte: UInt8 = 0
    isRung = read(ends.readable, &byte, 1) != 1
    return !isRung
  }

  /// Waits for so many milliseconds, or until it is rung.
  func wait(_ milliseconds: Int32) {
    var waiting = pollfd(fd: ends.readable, events: Int16(POLLIN), revents: 0)
    _ = poll(&waiting, 1, milliseconds)
  }
}
