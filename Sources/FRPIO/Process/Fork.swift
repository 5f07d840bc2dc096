// Work on what this process knows at one moment, done by a copy of it while it goes on: fork(2), of which the kernel copies the
// pages that one of them writes to.
//
// Rules
// - The copy has the calling thread alone, so what another thread had locked stays locked. glibc sets the locks of its memory
//   free; those of Swift's runtime are taken where a type is used for the first time. So whoever waits for a copy has an end to
//   its patience, and is able to do without.
// - It has one descriptor: no lock, socket or pipe of this process lives on in it. It ends with the thread that made it.

import CLinux
import Glibc

/// A copy of this process at work; it is killed with its last owner.
public final class Fork {
  private var pid: Int32

  /// Lets a copy do `body`, which says whether it went well, and has but this descriptor. Nil where the system has no room for
  /// one. Cost: of the page tables, some 0.1 ms a megabyte.
  init?(with descriptor: Descriptor, _ body: () -> Bool) {
    pid = descriptor.with(clinux_fork)
    if pid == 0 { _exit(body() ? 0 : 1) }
    if pid < 0 { return nil }
  }

  deinit {
    if pid < 0 { return }
    kill(pid, SIGKILL)
    while waitpid(pid, nil, 0) < 0, errno == EINTR {}
  }

  /// Whether it went well; nil while it is at work.
  public func outcome() -> Bool? {
    if pid < 0 { return false }
    var status: Int32 = 0
    let ended = waitpid(pid, &status, WNOHANG)
    if ended == 0 || ended < 0 && errno == EINTR { return nil }
    pid = -1
    return ended > 0 && status == 0
  }
}
