// Chains of cheap definitions become one code.
//
// In:  a core program. Out: the same program, in which a step `lift` that only one other step `lift` of its scope reads
//      stands in that one's expression; its own node is then needed by nobody and does not run.
// Rules: only expressions that are a few instructions (no calls, no text, no allocation), so computing one again, when
// something else in the fused code has changed, costs less than scheduling it would; at most `limit` of them together,
// so that a change at the end of a long chain stays cheap. What is lazy stays lazy. Faults still name the definition:
// their place says which it is.

import FRPCore

enum CodeFusion {
  /// Instructions of one fused code: an entry of the schedule costs about as much as ten.
  static let limit = 64

  static func fused(_ core: CoreProgram, _ collector: inout ReadCollector) -> CoreProgram {
    let live = liveNodes(core, &collector)
    let sizes = core.nodes.indices.map { live[$0] ? size(of: $0, core) : nil }
    let consumers = consumers(core, live, sizes: sizes, collector: &collector)
    let inlined = chosen(consumers, sizes)
    if !inlined.contains(true) { return core }
    var result = core
    for (index, expr) in core.exprs.enumerated() {
      if case .read(let node) = expr, inlined[node.index], case .lift(let value) = core[node].op {
        result.exprs[index] = .suspend([], value)
      }
    }
    return result
  }

  /// The instructions of a step lift, if there are few and all are cheap.
  private static func size(of index: Int, _ core: CoreProgram) -> Int? {
    guard case .lift(let root) = core.nodes[index].op, !core.nodes[index].isContinuous else { return nil }
    var seen: Set<CoreExprID> = []
    var pending = [root]
    while let id = pending.popLast() {
      if !seen.insert(id).inserted { continue }
      guard seen.count <= limit, isCheap(core[id], core) else { return nil }
      core[id].forEachChild { pending.append($0) }
    }
    return seen.count
  }

  private static func isCheap(_ expr: CoreExpr, _ core: CoreProgram) -> Bool {
    switch expr {
    case .unit, .bool, .int, .float, .read, .conditional, .field, .hasTag: return true
    case .local(let local): return !core.localIsLazy[local.index]
    case .construct(_, let fields): return fields.isEmpty
    case .prim(let prim, let arguments):
      return CodeOperators.isInstruction(prim)
        && arguments.allSatisfy { [TypeID.int, .float, .bool].contains(core.type($0)) }
    default: return false
    }
  }

  /// By node: the only node that reads it, if both are cheap lifts of one scope; -1 otherwise.
  private static func consumers(
    _ core: CoreProgram, _ live: [Bool], sizes: [Int?], collector: inout ReadCollector
  ) -> [Int] {
    var consumers = [Int](repeating: -1, count: core.nodes.count)
    var isTaken = [Bool](repeating: false, count: core.nodes.count)
    func take(_ node: NodeID, by reader: Int?) {
      let fits =
        reader.map { sizes[$0] != nil && sizes[node.index] != nil && core.nodes[$0].scope == core[node].scope } ?? false
      consumers[node.index] = fits && !isTaken[node.index] ? reader ?? -1 : -1
      isTaken[node.index] = true
    }
    for output in core.outputs { take(output.node, by: nil) }
    for scope in core.scopes { for node in scope.results { take(node, by: nil) } }
    for index in core.nodes.indices where live[index] {
      let op = core.nodes[index].op
      for node in op.nodeOperands { take(node, by: nil) }
      // A node that reads another twice, in two expressions, is no lift.
      for expr in op.expressions { for node in collector.reads(expr) { take(node, by: index) } }
    }
    return consumers
  }

  /// Which nodes go into their consumers: from the sources on, as long as the sum stays below the limit.
  private static func chosen(_ consumers: [Int], _ sizes: [Int?]) -> [Bool] {
    var total = sizes.map { $0 ?? 0 }
    var waitingFor = [Int](repeating: 0, count: consumers.count)
    for consumer in consumers where consumer >= 0 { waitingFor[consumer] += 1 }
    var chosen = [Bool](repeating: false, count: consumers.count)
    var ready = consumers.indices.filter { waitingFor[$0] == 0 }
    while let node = ready.popLast() {
      let consumer = consumers[node]
      if consumer < 0 { continue }
      if total[node] + total[consumer] <= limit {
        total[consumer] += total[node]
        chosen[node] = true
      }
      waitingFor[consumer] -= 1
      if waitingFor[consumer] == 0 { ready.append(consumer) }
    }
    return chosen
  }
}
