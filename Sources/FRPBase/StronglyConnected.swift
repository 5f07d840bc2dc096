// Strongly connected groups (Tarjan), as a loop: a chain of 10,000 definitions must not need stack.
//
// In:  nodes in an order of their own and their edges; edges that lead elsewhere do not count.
// Out: the groups, those that are depended on first; nodes of a group in that order.

/// Cost: O(nodes + edges).
package func stronglyConnected<Node: Hashable>(_ nodes: [Node], _ edges: (Node) -> [Node]) -> [[Node]] {
  var place: [Node: Int] = [:]
  for (index, node) in nodes.enumerated() { place[node] = index }
  let successors = nodes.map { node in edges(node).compactMap { place[$0] } }
  var order = Array(repeating: -1, count: nodes.count)
  var low = Array(repeating: 0, count: nodes.count)
  var isOnStack = Array(repeating: false, count: nodes.count)
  var stack: [Int] = []
  var counter = 0
  var groups: [[Node]] = []
  var work: [(node: Int, edge: Int)] = []

  func open(_ node: Int) {
    order[node] = counter
    low[node] = counter
    counter += 1
    stack.append(node)
    isOnStack[node] = true
    work.append((node, 0))
  }

  for root in nodes.indices where order[root] < 0 {
    open(root)
    while let (node, edge) = work.last {
      if edge < successors[node].count {
        work[work.count - 1].edge += 1
        let target = successors[node][edge]
        if order[target] < 0 {
          open(target)
        } else if isOnStack[target] {
          low[node] = min(low[node], order[target])
        }
        continue
      }
      work.removeLast()
      if let parent = work.last?.node { low[parent] = min(low[parent], low[node]) }
      if low[node] == order[node] {
        var group: [Int] = []
        while let last = stack.popLast() {
          isOnStack[last] = false
          group.append(last)
          if last == node { break }
        }
        groups.append(group.sorted().map { nodes[$0] })
      }
    }
  }
  return groups
}
