// Which nodes run: those from which an output or a sink can be reached, and the sources of inputs that do. What nobody looks at cannot fault, and costs nothing. And
// which of them are constants.

import FRPCore

/// By `NodeID`: whether an output needs the node.
func liveNodes(_ core: CoreProgram, _ collector: inout ReadCollector) -> [Bool] {
  var live = [Bool](repeating: false, count: core.nodes.count)
  var pending: [NodeID] = []
  func need(_ node: NodeID) {
    if live[node.index] { return }
    live[node.index] = true
    pending.append(node)
  }
  core.outputs.forEach { need($0.node) }
  core.watched.forEach(need)
  for binding in core.bindings where !binding.isSource { need(binding.node) }
  while let node = pending.popLast() {
    for binding in core.bindings {
      if case .source(let port) = binding.kind, core.inputs[port].node == node { need(binding.node) }
    }
    let op = core[node].op
    op.nodeOperands.forEach(need)
    for expr in op.expressions { collector.reads(expr).forEach(need) }
    if case .chosen = op { core.results(shownBy: node).forEach(need) }
    if !op.isReadThroughChosen { for scope in op.scopes { core[scope].results.forEach(need) } }
  }
  return live
}

/// By `NodeID`: whether a live node is a lift over nothing that changes.
func constants(_ core: CoreProgram, _ live: [Bool], collector: inout ReadCollector) -> [Bool] {
  var result = [Bool](repeating: false, count: core.nodes.count)
  var readers = [[Int]](repeating: [], count: core.nodes.count)
  for index in core.nodes.indices where live[index] && !core.nodes[index].isContinuous {
    guard case .lift(let expr) = core.nodes[index].op else { continue }
    result[index] = true
    for node in collector.reads(expr) { readers[node.index].append(index) }
  }
  // What reads something that changes, changes.
  var changing = core.nodes.indices.filter { !result[$0] }
  while let node = changing.popLast() {
    for reader in readers[node] where result[reader] {
      result[reader] = false
      changing.append(reader)
    }
  }
  return result
}
