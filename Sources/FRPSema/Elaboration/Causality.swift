// Causality: no node may need its own value of the same instant. Edges are the *instantaneous* dependencies of the
// finished graph; what looks only at the past (`hold` read by an event operator, `integral`, `delay`, `when` of a jump,
// `perform`) has none. A cycle is an error that shows the shortest way round.

import FRPBase
import FRPCore

/// The instantaneous dependencies of every node of a core program.
public struct InstantaneousGraph {
  /// By `NodeID`: what must be known before it, in one instant.
  public private(set) var dependencies: [[NodeID]]

  public init(_ core: CoreProgram) {
    dependencies = Array(repeating: [], count: core.nodes.count)
    var owners = [NodeID?](repeating: nil, count: core.scopes.count)
    for (index, node) in core.nodes.enumerated() {
      for scope in node.op.scopes { owners[scope.index] = NodeID(index) }
    }
    for (index, node) in core.nodes.enumerated() {
      var result: [NodeID] = []
      switch node.op {
      case .when, .delay, .debounce, .audit, .perform, .crossing, .rounding: break
      case .busy(let performer): result += core[performer].op.nodeOperands
      case .batch(_, let ticks): result.append(ticks)
      case .chosen(let owner, let place):
        result += core[owner].op.nodeOperands
        for scope in core[owner].op.scopes where place < core[scope].results.count {
          result.append(core[scope].results[place])
        }
      case .group: result += owners[node.scope.index].map { core[$0].op.nodeOperands } ?? []
      case .member:
        if let owner = owners[node.scope.index], case .each(let list, _, _) = core[owner].op {
          result += Self.reads(core, list)
        }
      default:
        result += node.op.nodeOperands
        for scope in node.op.scopes { result += core[scope].results }
      }
      node.op.forEachExpr { expr, moment in
        if moment == .new || moment == .plain { result += Self.reads(core, expr) }
      }
      // The rate of an integral as it goes is what the rate is made of.
      if let integral = core.slopes[NodeID(index)], case .integral(let rate, _, _) = core[integral].op {
        result += Self.reads(core, rate)
      }
      dependencies[index] = result
    }
  }

  /// The behaviors an expression reads, in order of first mention.
  public static func reads(_ core: CoreProgram, _ root: CoreExprID) -> [NodeID] {
    var seen: Set<CoreExprID> = []
    var found: [NodeID] = []
    var known: Set<NodeID> = []
    var pending = [root]
    while let expr = pending.popLast() {
      guard seen.insert(expr).inserted else { continue }
      if case .read(let node) = core[expr] {
        if known.insert(node).inserted { found.append(node) }
      }
      core[expr].forEachChild { pending.append($0) }
    }
    return found
  }

  /// Nodes on cycles, one list a strongly connected component, found without recursion (Tarjan 1972).
  public func cycles() -> [[NodeID]] {
    let count = dependencies.count
    var order = [Int](repeating: -1, count: count)
    var low = [Int](repeating: 0, count: count)
    var onStack = [Bool](repeating: false, count: count)
    var stack: [Int] = []
    var work: [(node: Int, next: Int)] = []
    var counter = 0
    var result: [[NodeID]] = []
    for root in 0..<count where order[root] < 0 {
      work.append((root, 0))
      while let (node, next) = work.last {
        if next == 0 {
          order[node] = counter
          low[node] = counter
          counter += 1
          stack.append(node)
          onStack[node] = true
        }
        if next < dependencies[node].count {
          work[work.count - 1].next += 1
          let target = dependencies[node][next].index
          if order[target] < 0 {
            work.append((target, 0))
          } else if onStack[target] {
            low[node] = min(low[node], order[target])
          }
          if next == 0, work.last?.node == node { work[work.count - 1].next = 1 }
          continue
        }
        work.removeLast()
        if let parent = work.last?.node { low[parent] = min(low[parent], low[node]) }
        guard low[node] == order[node] else { continue }
        var component: [NodeID] = []
        while let top = stack.popLast() {
          onStack[top] = false
          component.append(NodeID(top))
          if top == node { break }
        }
        if component.count > 1 || dependencies[node].contains(NodeID(node)) { result.append(component) }
      }
    }
    return result
  }

  /// The shortest cycle within a component, by breadth-first search from each of its nodes (at most 200 of them).
  public func shortestCycle(in component: [NodeID]) -> [NodeID] {
    let members = Set(component)
    var best: [NodeID] = []
    for start in component.sorted().prefix(200) {
      var previous: [NodeID: NodeID] = [:]
      var queue = [start]
      var head = 0
      search: while head < queue.count {
        let node = queue[head]
        head += 1
        for target in dependencies[node.index] where members.contains(target) {
          if target == start {
            var path = [node]
            while let before = previous[path[path.count - 1]] { path.append(before) }
            if best.isEmpty || path.count < best.count { best = path.reversed() }
            break search
          }
          if target != start, previous[target] == nil {
            previous[target] = node
            queue.append(target)
          }
        }
      }
    }
    return best
  }
}

extension Elaborator {
  mutating func findCycles() {
    let graph = InstantaneousGraph(core)
    for component in graph.cycles() { reportCycle(component, graph) }
  }

  private mutating func reportCycle(_ component: [NodeID], _ graph: InstantaneousGraph) {
    let path = graph.shortestCycle(in: component)
    if let first = path.first { report(.cycle(path), at: core[first].span) }
  }

  /// What was taken to change over time although it only waits for itself is a circle: in `a = b + 1`, `b = a` nothing
  /// changes.
  mutating func findCyclesThatSeemToVary() {
    guard problems.contains(where: { if case .mustBePlain = $0.kind { true } else { false } }) else { return }
    for index in core.nodes.indices {
      // A definition that could not be made leaves a placeholder behind.
      guard case .lift(let expr) = core.nodes[index].op, expr.raw < 0 else { continue }
      core.nodes[index].op = .lift(add(.unit, .unit, core.nodes[index].span))
    }
    resolveAliases()
    let graph = InstantaneousGraph(core)
    let cycles = graph.cycles()
    let all = problems
    problems = []
    for problem in all {
      if case .mustBePlain(_, let expr, _, _) = problem.kind, let circle = onlyCircle(cycles, behind: expr) {
        reportCycle(circle, graph)
      } else {
        problems.append(problem)
      }
    }
  }

  /// The first of the circles that an expression reads, if it reads nothing that changes.
  private func onlyCircle(_ cycles: [[NodeID]], behind expr: CoreExprID) -> [NodeID]? {
    var pending = InstantaneousGraph.reads(core, expr)
    var reached = Set(pending)
    while let node = pending.popLast() {
      guard case .lift(let inner) = core[node].op else { return nil }
      pending += InstantaneousGraph.reads(core, inner).filter { reached.insert($0).inserted }
    }
    return cycles.first { $0.contains(where: reached.contains) }
  }
}
