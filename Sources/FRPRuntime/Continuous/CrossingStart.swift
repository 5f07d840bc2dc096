// Which side of its limit a comparison is on, just after a moment at which it is exactly there.
//
// In: a comparison in the middle of an instant, whose sides are equal. Out: whether it holds just after, as far as can
// be told from the rates of now: it is looked at a little later, with everything moved along its rate. What the rest
// of the instant changes about that is put right in the next micro-step.

import FRPCore
import FRPGraph

extension ContinuousSolver {
  /// left - right a little after the present; nil if nothing moves, or that cannot be told. `old`: as all was going just
  /// before the instant.
  func drift(of node: NodeID, _ frame: FrameRef, isBirth: Bool, old: Bool) -> Double? {
    guard case .crossing(_, let left, let right) = core[node].op else { return nil }
    let entry = frame.pointee.template.pointee.entries[Int(reactor.plan.entryOfNode[node.index])]
    let base = old ? frame.pointee.old : frame.pointee.new
    var sources = reads.sources(left)
    for source in reads.sources(right) where !sources.contains(source) { sources.append(source) }
    return soon(sources, node, frame: frame, isBirth: isBirth, old: old) {
      guard let a = try? machine.run(reactor.code(entry.code), base: base).float,
        let b = try? machine.run(reactor.code(entry.plain), base: base).float
      else { return nil }
      return (a - b).magnitude > 2e-15 * (a.magnitude + b.magnitude) ? a - b : nil
    }
  }

  /// How a Float moves that is rounded to a whole number and is exactly at a limit; as `drift`.
  func drift(rounding node: NodeID, of x: Double, frame: FrameRef, isBirth: Bool, old: Bool) -> Double? {
    guard case .rounding(_, let expr, _, _) = core[node].op else { return nil }
    let entry = frame.pointee.template.pointee.entries[Int(reactor.plan.entryOfNode[node.index])]
    let base = old ? frame.pointee.old : frame.pointee.new
    return soon(reads.sources(expr), node, frame: frame, isBirth: isBirth, old: old) {
      guard let later = try? machine.run(reactor.code(entry.code), base: base).float else { return nil }
      return (later - x).magnitude > 2e-15 * (later.magnitude + x.magnitude) ? later - x : nil
    }
  }

  /// What is seen a little after the present, with everything moved along its rate; nil if that cannot be told.
  private func soon(
    _ sources: [NodeID], _ node: NodeID, frame: FrameRef, isBirth: Bool, old: Bool, look: () -> Double?
  ) -> Double? {
    // What delays hold meanwhile is seen by no collection.
    machine.state.pointee.stillness += 1
    defer { machine.state.pointee.stillness -= 1 }
    let now = reactor.now.seconds
    let h = 1e-7 * max(1, 1e-3 * now)
    defer { delays.held = [:] }
    guard let moves = moves(sources, of: node, frame: frame, isBirth: isBirth, old: old, within: h) else { return nil }
    let saved = moves.map(\.slot.pointee)
    let time = clock.time
    for move in moves { move.slot.pointee = Word(float: move.slot.pointee.float + h * move.rate) }
    clock.time = now + h
    machine.epoch += 1
    defer {
      for (move, word) in zip(moves, saved) { move.slot.pointee = word }
      clock.time = time
      machine.epoch += 1
    }
    return look()
  }

  private struct Move {
    var slot: Address
    var rate: Double
  }

  /// Time and integrals among these sources with their present rates, also those of the scopes that count now; nil if one
  /// cannot be computed now. Entries before the comparison's own are started before it.
  private func moves(
    _ sources: [NodeID], of crossing: NodeID, frame: FrameRef, isBirth: Bool, old: Bool, within h: Double
  ) -> [Move]? {
    let position = reactor.plan.entryOfNode[crossing.index]
    func isStarted(_ node: NodeID) -> Bool {
      let entry = reactor.plan.entryOfNode[node.index]
      return core[node].scope == core[crossing].scope && entry >= 0 && entry < position
    }
    var result: [Move] = []
    var pending = sources.map { (node: $0, frame: frame) }
    while let (source, frame) = pending.popLast() {
      guard let place = place(of: source, from: frame) else { return nil }
      let entry = place.frame.pointee.template.pointee.entries + Int(place.owner.entry)
      let base = old ? place.frame.pointee.old : place.frame.pointee.new
      switch core[source].op.motion {
      case .time: add(Move(slot: base + layout.slot(source), rate: 1), to: &result)
      case .integral(let rate):
        let isNew = isBirth || place.frame.pointee.born == reactor.live.instant
        guard !isNew || reads.isReadyAtStart(rate, scope: core[source].scope, isStarted: isStarted),
          let value = try? machine.run(reactor.code(entry.pointee.code), base: base).float
        else { return nil }
        add(Move(slot: base + Int(entry.pointee.slot), rate: value), to: &result)
      case .switched(let first, _):
        if let child = reactor.current(place.frame, entry, old: old) {
          let scope = reactor.plan.templates[child.pointee.template.pointee.index].scope
          for node in core[scope].results { pending += reads.sources(of: node).map { ($0, child) } }
        } else {
          pending += reads.sources(first).map { ($0, place.frame) }
        }
      case .delayed(let inner, _):
        let duration = place.frame.pointee.state[Int(entry.pointee.state) + TimedState.duration].float
        let isNew = place.frame.pointee.born == reactor.live.instant
        guard core[source].isContinuous, duration > h else { return nil }
        if isNew && isBirth {
          // A group's delay shows first what was just before.
          let isKnown = reads.isReadyAtStart(inner, scope: core[source].scope, isStarted: isStarted)
          guard isKnown, !place.frame.pointee.isGroup else { return nil }
        }
        // It begins by repeating its first value; later its past tells.
        if isNew {
          let read = entry.pointee.first
          guard
            let value = try? reactor.read(
              reactor.outer(place.frame, read.up), inner, slot: Int(read.slot), continuous: true, old: old)
          else { return nil }
          delays.held[place.owner] = value
        }
      case .lift, .members, .groups, .chosen, .member, .crossing, .step: return nil
      }
    }
    return result
  }

  private func add(_ move: Move, to moves: inout [Move]) {
    if !moves.contains(where: { $0.slot == move.slot }) { moves.append(move) }
  }
}
