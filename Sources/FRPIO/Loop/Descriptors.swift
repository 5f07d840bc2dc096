// Descriptors that no child inherits.

import CLinux
import Glibc

enum Descriptors {
  /// Both ends are closed on exec, and block.
  static func pipe() throws(IOError) -> (readable: Int32, writable: Int32) {
    var ends: [Int32] = [-1, -1]
    if clinux_pipe(&ends) != 0 { throw IOError(errno, "pipe") }
    return (ends[0], ends[1])
  }

  static func setNonBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }
}
