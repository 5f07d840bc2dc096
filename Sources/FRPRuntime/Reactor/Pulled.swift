// Behaviors that are pulled but neither computed by code nor kept by the solver: what continuous scopes show.
//
// The machine asks for their values with the base of `old` or of `new`; the answer is for that side of the instant.

import FRPCore
import FRPGraph

extension Reactor {
  func connectPulls() {
    for index in plan.core.nodes.indices where plan.isLive[index] && plan.core.nodes[index].isContinuous {
      switch plan.core.nodes[index].op.motion {
      case .switched, .groups, .members, .chosen, .delayed: machine.askReactor(for: NodeID(index))
      case .time, .integral, .lift, .member, .crossing, .step: break
      }
    }
    for node in plan.core.slopes.keys where plan.isLive[node.index] { machine.askReactor(for: node) }
    machine.reactorPull = { [unowned self] (node, base) throws(Fault) in try pulled(node, base) }
  }

  private func pulled(_ node: NodeID, _ base: Address) throws(Fault) -> Word {
    let number = Int(truncatingIfNeeded: base[1])
    let index = Int(plan.entryOfNode[node.index])
    guard number < live.frames.count, let frame = live.frames.frames[number] else { return 0 }
    let isOld = base == frame.pointee.old
    if let integral = plan.core.slopes[node] { return try slope(of: integral, frame, base: base, old: isOld) }
    if index < 0 { return 0 }
    let entry = frame.pointee.template.pointee.entries + index
    let state = frame.pointee.state + Int(max(0, entry.pointee.state))
    switch entry.pointee.kind.owner {
    case .behavior:
      if let child = turned(frame, index, state: state, old: isOld) { return try result(child, old: isOld) }
      return try machine.run(code(entry.pointee.plain), base: base)
    case .groups:
      if let members = pastMembers(frame, index) { return try pulledMap(entry, members) }
      return try pulledMap(entry, state, old: isOld)
    case .members:
      if let members = pastMembers(frame, index) { return try eachResult(entry, members) }
      return try eachResult(entry, state, old: isOld)
    // Their results are shown one by one, or occur.
    case .results, .choice, .occurrences, .latest, .pause, .keys, nil: break
    }
    if entry.pointee.kind == .chosen {
      let home = outer(frame, entry.pointee.first.up)
      let chooser = Int(entry.pointee.first.entry)
      let choice = home.pointee.state + Int(home.pointee.template.pointee.entries[chooser].state)
      guard let child = turned(home, chooser, state: choice, old: isOld) else {
        throw Fault(.message, "nothing has been chosen yet")
      }
      return try result(child, Int(entry.pointee.count), old: isOld)
    }
    guard case .delayBehavior(let inner, _) = plan.core[node].op else { return base[Int(entry.pointee.slot)] }
    let owner = RowOwner(frame: UInt(bitPattern: frame), entry: Int32(index))
    if let value = try live.solver?.delays.value(owner, before: isOld) { return value }
    // Its scope has just started.
    let source = entry.pointee.first
    return try read(outer(frame, source.up), inner, slot: Int(source.slot), continuous: true, old: isOld)
  }

  /// The rate of an integral as it goes.
  private func slope(of integral: NodeID, _ frame: FrameRef, base: Address, old: Bool) throws(Fault) -> Word {
    let index = Int(plan.entryOfNode[integral.index])
    let owner = RowOwner(frame: UInt(bitPattern: frame), entry: Int32(index))
    if let mean = try live.solver?.meanRate(of: owner, old: old) { return Word(float: mean) }
    return try machine.run(code(frame.pointee.template.pointee.entries[index].code), base: base)
  }

  /// The instances that count where a past value is being computed; nil in the present.
  private func pastMembers(_ frame: FrameRef, _ index: Int) -> ArraySlice<FrameRef>? {
    live.solver?.delays.past.members(RowOwner(frame: UInt(bitPattern: frame), entry: Int32(index)))
  }

  /// The only instance that counts of those of an entry.
  private func turned(_ frame: FrameRef, _ index: Int, state: Address, old: Bool) -> FrameRef? {
    if let members = pastMembers(frame, index) { return members.first }
    return self.frame(state[old ? OwnerState.previous : OwnerState.current])
  }

  private func pulledMap(_ entry: EntryRef, _ members: ArraySlice<FrameRef>) throws(Fault) -> Word {
    let shape = MapShape(heap.shapes, entry.pointee.type)
    var map = Word.emptyMap
    for child in members {
      map = try heap.mapSet(map, child.pointee.key, value: try result(child, old: false), shape: shape)
    }
    return map
  }

  private func eachResult(_ entry: EntryRef, _ members: ArraySlice<FrameRef>) throws(Fault) -> Word {
    if members.isEmpty { return heap.emptyList }
    let element = heap.shapes[entry.pointee.type].first
    var builder = try ListBuilder(heap, references: heap.shapes.isReference(element), capacity: members.count)
    for child in members { try builder.append(try result(child, old: false)) }
    return try builder.finish()
  }

  func pulledMap(_ entry: EntryRef, _ state: Address, old: Bool) throws(Fault) -> Word {
    let shape = MapShape(heap.shapes, entry.pointee.type)
    var map = Word.emptyMap
    var next = frame(state[OwnerState.firstChild])
    while let child = next {
      next = child.pointee.nextSibling
      if old ? child.pointee.born == live.instant && isRunning : child.pointee.isLeaving { continue }
      map = try heap.mapSet(map, child.pointee.key, value: try result(child, old: old), shape: shape)
    }
    return map
  }
}
