// Chains of event operators become one entry.
//
// In:  a core program and its live nodes. Out: which `map`, `filter` and `filterMap` nodes run as *stages* of the operator
//      that takes what they let through, and so are no entries of their own.
// Rules: a stage is read by exactly one operator, of its own scope, and is not shown. Stages remember nothing, so what
// an operator remembers stays its own. A `map` that alone reads a `scan` runs at the end of the scan's code. Their functions are strict: each stage is computed for every occurrence that
// reaches it, whether or not the next one looks at what it gives. A filter that is shut for good (see `isPlainTest`)
// stays an entry, since scopes end by it.

import FRPCore

/// One `map`, `filter` or `filterMap` of a fused chain.
public struct Stage: Sendable {
  public enum Kind: Sendable { case map, filter, filterMap }
  public var kind: Kind
  public var lambda: CoreLambda

  public init(kind: Kind, lambda: CoreLambda) {
    self.kind = kind
    self.lambda = lambda
  }

  /// What a node is as a stage; nil if it cannot be one.
  init?(_ op: NodeOp) {
    switch op {
    case .map(_, let f): self.init(kind: .map, lambda: f)
    case .filter(_, let f): self.init(kind: .filter, lambda: f)
    case .filterMap(_, let f): self.init(kind: .filterMap, lambda: f)
    default: return nil
    }
  }
}

struct EventFusion {
  private let core: CoreProgram
  /// By node: whether it runs as a stage of another.
  private(set) var isStage: [Bool]
  /// By node: whether it is a `map` that runs at the end of the `scan` before it, which nobody else reads.
  private(set) var isTail: [Bool]
  /// By `scan`: the function of the `map` that runs at its end.
  private(set) var tails: [NodeID: CoreLambda] = [:]

  /// Nothing is fused.
  init(none core: CoreProgram) {
    self.core = core
    isStage = [Bool](repeating: false, count: core.nodes.count)
    isTail = isStage
  }

  init(_ core: CoreProgram, _ live: [Bool], _ collector: inout ReadCollector) {
    self.init(none: core)
    var users = [Int32](repeating: 0, count: core.nodes.count)
    var taker = [Int32](repeating: -1, count: core.nodes.count)
    for output in core.outputs { users[output.node.index] += 1 }
    for scope in core.scopes { for node in scope.results { users[node.index] += 1 } }
    for index in core.nodes.indices where live[index] {
      for node in core.nodes[index].op.nodeOperands {
        users[node.index] += 1
        taker[node.index] = Int32(index)
      }
    }
    for index in core.nodes.indices where live[index] && users[index] == 1 && taker[index] >= 0 {
      let next = core.nodes[Int(taker[index])]
      guard let stage = Stage(core.nodes[index].op), next.scope == core.nodes[index].scope else { continue }
      isStage[index] = takesStages(next.op, &collector) && !isShut(stage, &collector)
    }
    for index in core.nodes.indices where live[index] && !isStage[index] {
      guard case .map(let before, let f) = core.nodes[index].op, users[before.index] == 1,
        core[before].scope == core.nodes[index].scope, case .scan = core[before].op
      else { continue }
      isTail[index] = true
      tails[before] = f
    }
  }

  private func takesStages(_ op: NodeOp, _ collector: inout ReadCollector) -> Bool {
    switch op {
    case .map, .filterMap, .scan, .fold, .hold: return true
    case .filter(_, let f): return !collector.isPlain(f)
    default: return false
    }
  }

  private func isShut(_ stage: Stage, _ collector: inout ReadCollector) -> Bool {
    stage.kind == .filter && collector.isPlain(stage.lambda)
  }

  /// The event that the chain which ends in this one begins with: itself, if it is no stage.
  func origin(_ node: NodeID) -> NodeID {
    var node = node
    while isStage[node.index], let before = core[node].op.nodeOperands.first { node = before }
    return node
  }

  /// The stages before an operator, the first one first.
  func stages(before node: NodeID) -> [Stage] {
    var result: [Stage] = []
    var next = core[node].op.nodeOperands.first
    while let id = next, isStage[id.index], let stage = Stage(core[id].op) {
      result.append(stage)
      next = core[id].op.nodeOperands.first
    }
    return result.reversed()
  }
}
