// Descriptors that no child inherits.

import CLinux
import Glibc

package enum Descriptors {
  /// Both ends are closed on exec from the start, and block unless told otherwise.
  package static func pipe(isBlocking: Bool = true) throws(IOError) -> (readable: Int32, writable: Int32) {
    var ends: [Int32] = [-1, -1]
    if clinux_pipe(&ends, isBlocking) != 0 { throw IOError(errno, "pipe") }
    return (ends[0], ends[1])
  }

  static func setNonBlocking(_ descriptor: Int32) {
    while fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) < 0, errno == EINTR {}
  }
}
