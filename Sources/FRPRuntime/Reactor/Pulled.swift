// Behaviors that are pulled but neither computed by code nor kept by the solver: what continuous scopes show.
//
// The machine asks for their values with the base of `old` or of `new`; the answer is for that side of the instant.

import FRPCore
import FRPGraph

extension Reactor {
  func connectPulls() {
    for index in plan.core.nodes.indices where plan.isLive[index] && plan.core.nodes[index].isContinuous {
      switch plan.core.nodes[index].op {
      case .switchTo, .groupBy, .each, .chosen, .delayBehavior: machine.askReactor(for: NodeID(index))
      default: break
      }
    }
    machine.reactorPull = { [unowned self] (node, base) throws(Fault) in try pulled(node, base) }
  }

  private func pulled(_ node: NodeID, _ base: Address) throws(Fault) -> Word {
    let number = Int(truncatingIfNeeded: base[1])
    let index = Int(plan.entryOfNode[node.index])
    guard number < frames.count, let frame = frames.frames[number], index >= 0 else { return 0 }
    let isOld = base == frame.pointee.old
    let entry = frame.pointee.template.pointee.entries + index
    let state = frame.pointee.state + Int(max(0, entry.pointee.state))
    switch entry.pointee.kind {
    case .switchTo:
      let side = isOld ? OwnerState.previous : OwnerState.current
      if let child = self.frame(state[side]) { return try result(child, old: isOld) }
      return try machine.run(code(entry.pointee.plain), base: base)
    case .chosen:
      let home = outer(frame, entry.pointee.first.up)
      let chooser = home.pointee.template.pointee.entries + Int(entry.pointee.first.entry)
      let side = isOld ? OwnerState.previous : OwnerState.current
      guard let child = self.frame(home.pointee.state[Int(chooser.pointee.state) + side]) else {
        throw Fault(.message, "nothing has been chosen yet")
      }
      return try result(child, Int(entry.pointee.count), old: isOld)
    case .delayBehavior:
      let owner = RowOwner(frame: UInt(bitPattern: frame), entry: Int32(index))
      if let value = try solver?.delays.value(owner, before: isOld) { return value }
      // Its scope has just started.
      let source = entry.pointee.first
      guard case .delayBehavior(let inner, _) = plan.core[node].op else { return 0 }
      return try read(outer(frame, source.up), inner, Int(source.slot), continuous: true, old: isOld)
    case .groupBy: return try pulledMap(entry, state, old: isOld)
    case .each: return try eachResult(entry, state, old: isOld)
    default: return base[Int(entry.pointee.slot)]
    }
  }

  private func pulledMap(_ entry: EntryRef, _ state: Address, old: Bool) throws(Fault) -> Word {
    let shape = MapShape(heap.shapes, entry.pointee.type)
    var map = Word.emptyMap
    var next = frame(state[OwnerState.firstChild])
    while let child = next {
      next = child.pointee.nextSibling
      if old, child.pointee.born == instant, isRunning { continue }
      map = try heap.mapSet(map, child.pointee.key, try result(child, old: old), shape)
    }
    return map
  }
}
