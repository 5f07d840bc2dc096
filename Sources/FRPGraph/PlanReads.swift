// Which nodes an expression reads.
//
// In:  an expression of the arena, or a lambda. Out: the nodes below it, each once, in the order in which they are met.
// Functions that are called count with their bodies. No recursion: expressions may be deep.

import FRPBase
import FRPCore

/// Collects reads; remembers what it has found.
struct ReadCollector {
  let core: CoreProgram
  private let budget: CheckBudget?
  private var known: [CoreExprID: [NodeID]] = [:]
  private var visited: [Int32]
  private var visit: Int32 = 0
  /// The expression below which the budget came to its end.
  private var last: CoreExprID?

  init(_ core: CoreProgram, _ budget: CheckBudget? = nil) {
    self.core = core
    self.budget = budget
    visited = [Int32](repeating: 0, count: core.exprs.count)
  }

  mutating func reads(_ root: CoreExprID) -> [NodeID] {
    if let found = known[root] { return found }
    visit += 1
    var result: [NodeID] = []
    var seenNodes: Set<NodeID> = []
    var seenFunctions: Set<FunctionID> = []
    var pending = [root]
    while let id = pending.popLast() {
      if visited[id.index] == visit { continue }
      visited[id.index] = visit
      if let budget, !budget.spend() {
        last = last ?? root
        break
      }
      let expr = core[id]
      switch expr {
      case .read(let node): if seenNodes.insert(node).inserted { result.append(node) }
      case .call(let function, _):
        if seenFunctions.insert(function).inserted { pending.append(core[function].body) }
      default: break
      }
      let mark = pending.count
      expr.forEachChild { pending.append($0) }
      pending[mark...].reverse()
    }
    known[root] = result
    return result
  }

  /// The node for whose expression the budget did not suffice.
  func stoppedAt() -> NodeID? {
    guard let last else { return nil }
    return core.nodes.firstIndex { $0.op.expressions.contains(last) }.map { NodeID($0) }
  }

  /// Whether a lambda gives the same at every occurrence: it reads nothing and does not look at its parameters.
  mutating func isPlain(_ lambda: CoreLambda) -> Bool {
    guard reads(lambda.body).isEmpty else { return false }
    visit += 1
    var pending = [lambda.body]
    while let id = pending.popLast() {
      if visited[id.index] == visit { continue }
      visited[id.index] = visit
      switch core[id] {
      case .local(let local), .thunk(let local): if lambda.parameters.contains(local) { return false }
      default: core[id].forEachChild { pending.append($0) }
      }
    }
    return true
  }

  mutating func reads(_ lambda: CoreLambda) -> [NodeID] { reads(lambda.body) }
}
