// Which lifts are sums of neighbouring slots: `sum([a, b, c, …])` and `a + b + c + …` of behaviors that were declared
// one after another. The reactor adds to such a sum what has changed instead of adding all of it again.

import FRPCore

/// A lift that is the sum of `count` numbers from word `slot` of its frame on.
struct SlotSum {
  var slot: Int32
  var count: Int32
  /// Whether it is written with `+`: the sum of the first is itself, not 0 plus itself (-0.0 shows the difference).
  var isChain: Bool

  /// Shorter ones are computed as fast as they are looked up.
  static let shortest = 8

  init?(_ node: CoreNode, _ core: CoreProgram, _ slots: [Int32]) {
    guard case .lift(let root) = node.op, !node.isContinuous, node.type == .int || node.type == .float else {
      return nil
    }
    guard let (terms, isChain) = SlotSum.terms(root, core), terms.count >= SlotSum.shortest else { return nil }
    var next: Int32?
    for term in terms {
      guard case .read(let read) = core[term], core[read].scope == node.scope, !core[read].isContinuous,
        core[read].type == node.type, next == nil || next == slots[read.index]
      else { return nil }
      next = slots[read.index] + 1
    }
    slot = (next ?? 0) - Int32(terms.count)
    count = Int32(terms.count)
    self.isChain = isChain
  }

  private static func terms(_ root: CoreExprID, _ core: CoreProgram) -> (list: [CoreExprID], isChain: Bool)? {
    if case .prim(.listSum, let arguments) = core[root], case .list(let elements, let spreads) = core[arguments[0]] {
      return spreads.contains(true) ? nil : (elements, false)
    }
    var reversed: [CoreExprID] = []
    var left = root
    while case .prim(.add, let arguments) = core[left] {
      reversed.append(arguments[1])
      left = arguments[0]
    }
    reversed.append(left)
    return (reversed.reversed(), true)
  }
}
