// Causality: no node may need its own value of the same instant.
//
// In: the graph with its kinds, without aliases. Out: the same; a problem for each component of nodes that need one another.
// Rules: edges are the *instantaneous* dependencies of the graph; what looks only at the past (`hold` read by an event
// operator, `integral`, `delay`, `when` of a jump, `perform`) has none. A cycle is an error that shows the shortest way round.

import FRPBase
import FRPCore

extension CoreProgram {
  /// What the scopes of an owner show at one place.
  fileprivate func results(of owner: NodeID, at place: Int) -> [NodeID] {
    self[owner].op.scopes.map { self[$0].results }.filter { place < $0.count }.map { $0[place] }
  }
}

/// The instantaneous dependencies of every node of a core program.
package struct InstantaneousGraph {
  /// By `NodeID`: what must be known before it, in one instant.
  package private(set) var dependencies: [[NodeID]]

  /// Of what the budget suffices for. Cost: for each node linear in what its expressions are made of, shared or not.
  package init(_ core: CoreProgram, within budget: CheckBudget) {
    dependencies = Array(repeating: [], count: core.nodes.count)
    var owners = [NodeID?](repeating: nil, count: core.scopes.count)
    for (index, node) in core.nodes.enumerated() {
      for scope in node.op.scopes { owners[scope.index] = NodeID(index) }
    }
    for (index, node) in core.nodes.enumerated() {
      var result: [NodeID] = []
      node.op.forEachOperand { operand, role in
        switch role {
        case .now, .second, .laterButFirst: result.append(operand)
        case .later, .moments: break
        case .tasks: result += core[operand].op.nodeOperands
        case .results:
          result += core[operand].op.nodeOperands
          if case .chosen(_, let place) = node.op { result += core.results(of: operand, at: place) }
        }
      }
      for scope in node.op.scopes { result += core[scope].results }
      // What a scope's owner hands to it.
      if let owner = owners[node.scope.index] {
        if case .group = node.op { result += core[owner].op.nodeOperands }
        if case .member = node.op, case .each(let list, _, _) = core[owner].op {
          result += core.reads(list, within: budget)
        }
      }
      node.op.forEachExpr { expr, moment in
        if moment == .new || moment == .plain { result += core.reads(expr, within: budget) }
      }
      // The rate of an integral as it goes is what the rate is made of.
      if let integral = core.slopes[NodeID(index)], case .integral(let rate, _, _) = core[integral].op {
        result += core.reads(rate, within: budget)
      }
      dependencies[index] = result
    }
  }

  /// Nodes on cycles, one list a strongly connected component, found without recursion (Tarjan 1972).
  package func cycles() -> [[NodeID]] {
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
  package func shortestCycle(in component: [NodeID]) -> [NodeID] {
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

extension Draft {
  mutating func findCycles() {
    let graph = InstantaneousGraph(core, within: budget)
    for component in graph.cycles() { reportCycle(component, graph) }
  }

  private mutating func reportCycle(_ component: [NodeID], _ graph: InstantaneousGraph) {
    let path = graph.shortestCycle(in: component)
    if let first = path.first { report(.cycle(path), at: core[first].span) }
  }

  /// What was taken to change over time although it only waits for itself is a circle: in `a = b + 1`, `b = a` nothing
  /// changes. Then every behavior is a step or continuous.
  package mutating func findCyclesThatSeemToVary() {
    guard problems.contains(where: { if case .mustBePlain = $0.kind { true } else { false } }) else { return }
    resolveAliases()
    let graph = InstantaneousGraph(core, within: budget)
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
    // What is proposed depends on whether it is a step.
    inferKinds()
  }

  /// The first of the circles that an expression reads, if it reads nothing that changes.
  private func onlyCircle(_ cycles: [[NodeID]], behind expr: CoreExprID) -> [NodeID]? {
    var pending = reads(expr)
    var reached = Set(pending)
    while let node = pending.popLast() {
      guard case .lift(let inner) = core[node].op else { return nil }
      pending += reads(inner).filter { reached.insert($0).inserted }
    }
    return cycles.first { $0.contains(where: reached.contains) }
  }
}
