// Which nodes run: those from which an output can be reached. What nobody looks at cannot fault, and costs nothing. And
// which of them are constants.

import FRPCore

extension NodeOp {
  /// The expressions it evaluates, lambdas' bodies included.
  var expressions: [CoreExprID] {
    switch self {
    case .time, .member, .inputEvent, .never, .start, .end, .merge, .takeUntil, .dropUntil, .distinct, .pairwise,
      .zip, .spill, .batch, .changes, .when, .group, .flatMap, .flatMapLatest, .switchOpen, .chosen,
      .busy:
      return []
    case .inputBehavior(_, let start): return start.map { [$0] } ?? []
    case .lift(let e), .hold(_, let e), .every(let e), .after(let e), .take(_, let e), .drop(_, let e),
      .buffer(_, let e), .delay(_, let e), .debounce(_, let e), .throttle(_, let e), .audit(_, let e),
      .delayBehavior(_, let e), .window(_, let e), .switchTo(_, let e, _):
      return [e]
    case .fold(_, let start, let f), .scan(_, let start, let f): return [start, f.body]
    case .integral(let rate, let start, _): return [rate, start]
    case .crossing(_, let left, let right): return [left, right]
    case .rounding(_, let x, _, _): return [x]
    case .map(_, let f), .filter(_, let f), .filterMap(_, let f), .takeWhile(_, let f), .dropWhile(_, let f),
      .coalesce(_, let f), .keyed(_, let f, _), .groupBy(_, let f, _):
      return [f.body]
    case .each(let list, let key, _): return [list, key.body]
    case .choose(let selector, let alternatives): return [selector] + alternatives.flatMap(\.arguments)
    case .perform(_, let policy, let f): return [policy, f.body]
    }
  }
}

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
  while let node = pending.popLast() {
    let op = core[node].op
    op.nodeOperands.forEach(need)
    for expr in op.expressions { collector.reads(expr).forEach(need) }
    switch op {
    case .choose, .switchOpen: break
    case .chosen(let owner, let index):
      for scope in core[owner].op.scopes where index < core[scope].results.count { need(core[scope].results[index]) }
    default: for scope in op.scopes { core[scope].results.forEach(need) }
    }
  }
  return live
}

/// By `NodeID`: whether a live node is a lift over nothing that changes.
func constants(_ core: CoreProgram, _ live: [Bool], _ collector: inout ReadCollector) -> [Bool] {
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
