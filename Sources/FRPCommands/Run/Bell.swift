// A descriptor that poll(2) waits for, and any thread makes readable.

import Glibc

/// A pipe that holds a byte while something waits. Its owner decides within a lock, so that the byte is there as long as what it
/// stands for; it is written behind the lock, since whoever it wakes wants that at once.
final class Bell: @unchecked Sendable {
  private let ends: (read: Int32, write: Int32)
  private var isRung = false

  init() {
    var pair: [Int32] = [-1, -1]
    if pipe(&pair) == 0 {
      for end in pair {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
    }
    ends = (pair[0], pair[1])
  }

  deinit {
    close(ends.read)
    close(ends.write)
  }

  /// Readable once it was rung, until it is silenced.
  var descriptor: Int32 { ends.read }

  /// Within the lock: whether the caller is to `ring` behind it.
  var mustRing: Bool {
    defer { isRung = true }
    return !isRung
  }

  /// Behind the lock, after `mustRing`.
  func ring() {
    var byte: UInt8 = 1
    _ = write(ends.write, &byte, 1)
  }

  /// Within the lock: silences it, if it rings. False where somebody is just about to ring: its owner then looks once more.
  var isSilenced: Bool {
    if !isRung { return true }
    var byte: UInt8 = 0
    isRung = read(ends.read, &byte, 1) != 1
    return !isRung
  }

  /// Waits for so many milliseconds, or until it is rung.
  func wait(_ milliseconds: Int32) {
    var waiting = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
    _ = poll(&waiting, 1, milliseconds)
  }
}
