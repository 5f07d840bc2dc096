// Nesting limits for recursive passes. A pass runs on the caller's stack; the driver calls it on a big one.

import FRPBase

struct DepthGuard {
  /// Levels of nesting: a little more than the parser lets through, so that what it accepts is checked. Nobody writes a
  /// hundred; generators reach a few hundred.
  static let limit = 2_500

  private var depth = 0

  /// Whether one more level is possible; only then `leave` must follow.
  mutating func enter() -> Bool {
    if depth >= Self.limit || !hasStackLeft { return false }
    depth += 1
    return true
  }

  mutating func leave() { depth -= 1 }
}
