// What comes from browsers, from the loop's thread to that of the session.

import FRPIO
import Glibc
import Synchronization

/// A queue with a descriptor that is readable while something waits.
final class PageInbox: Sendable {
  private let waiting = Mutex<[ServerSocketEvent]>([])
  private let bell: Bell

  init() { bell = Bell() }

  var descriptor: Int32 { bell.descriptor }

  func put(_ event: ServerSocketEvent) {
    let mustRing = waiting.withLock { waiting in
      waiting.append(event)
      return bell.mustRing
    }
    if mustRing { bell.ring() }
  }

  /// All that waits.
  func take() -> [ServerSocketEvent] {
    waiting.withLock { waiting in
      _ = bell.isSilenced
      defer { waiting = [] }
      return waiting
    }
  }
}
