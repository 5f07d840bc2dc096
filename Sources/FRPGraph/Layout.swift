// Core scopes -> frames. A scope's instance is a *frame*: two arrays of 64-bit words of one shape, `old` (the values
// just before the running instant) and `new` (just after). Code is compiled once and is given the base of either.
//
// Each array of a frame begins with a header, so that code needs nothing but its base pointer:
//
//   base[0]   the base, as a bit pattern, of the same array (old or new) of the parent scope's frame; 0 for the program
//   base[1]   the frame's number
//   base[2…]  the scope's parameters, one word each
//   then      each behavior node of the scope, in order: one word if it is a step, two if it is pulled
//             (the value, and the epoch in which it was computed; see `Machine.epoch`)
//
// State that only the reactor sees (of scans, timers, counts) does not live in frames' words.

import FRPCore

public struct Layout: Sendable {
  public static let header = 2
  /// Words between a window and the window of a call: return address, caller's window, caller's base.
  public static let callHeader = 3

  /// By `NodeID`: the word of a behavior node in its scope's frame; -1 for events.
  public let slots: [Int32]
  /// By `LocalID`: the word of a scope's parameter; -1 for other locals.
  public let parameterSlots: [Int32]
  /// By `ScopeID`: words in one array of the frame, with the header.
  public let frameSizes: [Int32]
  /// By `ScopeID`: how many scopes enclose it.
  public let depths: [Int32]

  public init(_ core: CoreProgram) {
    var slots = [Int32](repeating: -1, count: core.nodes.count)
    var parameterSlots = [Int32](repeating: -1, count: core.localTypes.count)
    var sizes: [Int32] = []
    var depths: [Int32] = []
    for scope in core.scopes {
      var next = Int32(Layout.header)
      for parameter in scope.parameters {
        parameterSlots[parameter.index] = next
        next += 1
      }
      for node in scope.nodes {
        if case .event = core.types[core[node].type] { continue }
        slots[node.index] = next
        next += core[node].isContinuous ? 2 : 1
      }
      sizes.append(next)
      depths.append(scope.parent.map { depths[$0.index] + 1 } ?? 0)
    }
    self.slots = slots
    self.parameterSlots = parameterSlots
    frameSizes = sizes
    self.depths = depths
  }

  public func slot(_ node: NodeID) -> Int { Int(slots[node.index]) }
}
