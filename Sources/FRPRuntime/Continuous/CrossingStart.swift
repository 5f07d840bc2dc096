// Which side of its limit a comparison is on, just after a moment at which it is exactly there.
//
// In: a comparison in the middle of an instant, whose sides are equal. Out: whether it holds just after, as far as can
// be told from the rates of now: it is looked at a little later, with everything moved along its rate. What the rest
// of the instant changes about that is put right in the next micro-step.

import FRPCore
import FRPGraph

extension ContinuousSolver {
  /// left - right a little after the present, 0 where they go on being equal; nil if that cannot be told. `old`: as all was
  /// going just before the instant.
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
      return Glimpse(difference: a - b, noise: 2e-15 * (a.magnitude + b.magnitude))
    }
  }

  /// How a Float moves that is rounded to a whole number and is exactly at a limit; nil if it does not, or cannot be told.
  func drift(rounding node: NodeID, of x: Double, frame: FrameRef, isBirth: Bool, old: Bool) -> Double? {
    guard case .rounding(_, let expr, _, _) = core[node].op else { return nil }
    let entry = frame.pointee.template.pointee.entries[Int(reactor.plan.entryOfNode[node.index])]
    let base = old ? frame.pointee.old : frame.pointee.new
    let drift = soon(reads.sources(expr), node, frame: frame, isBirth: isBirth, old: old) {
      guard let later = try? machine.run(reactor.code(entry.code), base: base).float else { return nil }
      return Glimpse(difference: later - x, noise: 2e-15 * (later.magnitude + x.magnitude))
    }
    return drift == 0 ? nil : drift
  }

  /// What is compared a little later.
  private struct Glimpse {
    var difference: Double
    /// What is less is rounding.
    var noise: Double

    var isClear: Bool { difference.magnitude > noise }
  }

  /// The difference that is seen a little after the present, with everything moved along its rate and that along its own; if
  /// nothing is told by that, or nothing has changed, a while after. Nil if it cannot be told.
  private func soon(
    _ sources: [NodeID], _ node: NodeID, frame: FrameRef, isBirth: Bool, old: Bool, look: () -> Glimpse?
  ) -> Double? {
    // What delays hold meanwhile is seen by no collection.
    machine.state.pointee.stillness += 1
    defer { machine.state.pointee.stillness -= 1 }
    let scale = max(1, 1e-3 * reactor.now.seconds)
    for h in [1e-7 * scale, 1e-4 * scale] {
      defer { delays.held = [:] }
      func moves(isDeep: Bool) -> [Move]? {
        self.moves(sources, of: node, frame: frame, isBirth: isBirth, old: old, within: h, isDeep: isDeep)
      }
      // Along a line what curves is not told from what parts: that is for rates whose own rates are not known yet.
      let deep = moves(isDeep: true)
      guard let moves = deep ?? moves(isDeep: false) else { return nil }
      func see(_ h: Double) -> Glimpse? { deep == nil ? afterLine(moves, h, look) : after(moves, h, look) }
      guard let seen = see(h) else { return nil }
      if seen.isClear, let half = see(h / 2), let quarter = see(h / 4),
        Parting.isTold(by: seen.difference, half: half.difference, quarter: quarter.difference)
      {
        return seen.difference
      }
      if moves.isEmpty { return seen.difference == 0 ? 0 : nil }
      if deep == nil { return nil }
    }
    return isSame(sources, node, frame: frame, isBirth: isBirth, old: old, within: scale, look: look) ? 0 : nil
  }

  /// Whether what is compared is the same a little later, and far away, too: then it is not just too near to be told apart.
  private func isSame(
    _ sources: [NodeID], _ node: NodeID, frame: FrameRef, isBirth: Bool, old: Bool, within h: Double,
    look: () -> Glimpse?
  ) -> Bool {
    defer { delays.held = [:] }
    guard let moves = moves(sources, of: node, frame: frame, isBirth: isBirth, old: old, within: h, isDeep: true)
    else { return false }
    return after(moves, 1e-4 * h, look)?.difference == 0 && afterLine(moves, h, look)?.difference == 0
  }

  /// What is seen after h seconds in a line.
  private func afterLine(_ moves: [Move], _ h: Double, _ look: () -> Glimpse?) -> Glimpse? {
    let time = clock.time
    let saved = moves.map(\.slot.pointee)
    defer { put(saved, moves, time: time) }
    put(zip(moves, saved).map { Word(float: $1.float + h * $0.rate) }, moves, time: reactor.now.seconds + h)
    return look()
  }

  /// The same along what the rates become meanwhile, by one step of the classical Runge-Kutta method.
  private func after(_ moves: [Move], _ h: Double, _ look: () -> Glimpse?) -> Glimpse? {
    let time = clock.time
    let now = reactor.now.seconds
    let saved = moves.map(\.slot.pointee)
    defer { put(saved, moves, time: time) }
    var rates = moves.map(\.rate)
    var sum = rates
    for (part, weight) in [(0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
      put(zip(saved, rates).map { Word(float: $0.float + h * part * $1) }, moves, time: now + h * part)
      for (place, move) in moves.enumerated() {
        guard let code = move.code else { continue }
        guard let rate = try? machine.run(code, base: move.base).float else { return nil }
        rates[place] = rate
      }
      for place in sum.indices { sum[place] += weight * rates[place] }
    }
    put(zip(saved, sum).map { Word(float: $0.float + h / 6 * $1) }, moves, time: now + h)
    return look()
  }

  private func put(_ words: [Word], _ moves: [Move], time: Double) {
    for (move, word) in zip(moves, words) { move.slot.pointee = word }
    clock.time = time
    machine.epoch += 1
  }

  private struct Move {
    var slot: Address
    var rate: Double
    /// What computes its rate; none for time.
    var code: CodeID?
    var base: Address
  }

  /// Time and integrals among these sources with their present rates, also those of the scopes that count now; where
  /// `isDeep`, also among the sources of their rates. Nil if one cannot be computed now. Entries before the comparison's
  /// own are started before it.
  private func moves(
    _ sources: [NodeID], of crossing: NodeID, frame: FrameRef, isBirth: Bool, old: Bool, within h: Double,
    isDeep: Bool
  ) -> [Move]? {
    let own = frame
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
      case .time: add(Move(slot: base + layout.slot(source), rate: 1, base: base), to: &result)
      case .integral(let rate):
        let isNew = isBirth && place.frame == own || place.frame.pointee.born == reactor.live.instant
        guard !isNew || reads.isReadyAtStart(rate, scope: core[source].scope, isStarted: isStarted),
          let value = try? machine.run(reactor.code(entry.pointee.code), base: base).float
        else { return nil }
        let code = reactor.code(entry.pointee.code)
        let isFirst = add(Move(slot: base + Int(entry.pointee.slot), rate: value, code: code, base: base), to: &result)
        if isDeep && isFirst { pending += reads.sources(rate).map { ($0, place.frame) } }
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

  /// Gives whether it was not there.
  @discardableResult
  private func add(_ move: Move, to moves: inout [Move]) -> Bool {
    if moves.contains(where: { $0.slot == move.slot }) { return false }
    moves.append(move)
    return true
  }
}

/// Which way a difference goes from zero.
enum Parting {
  /// Whether differences after h, h/2 and h/4 seconds tell a course: a low power of h, or a jump. What is left of terms that
  /// cancel out tells none, nor does the error of a step.
  static func isTold(by whole: Double, half: Double, quarter: Double) -> Bool {
    if half == 0 || whole == 0 { return false }
    let (first, second) = (half / whole, quarter / half)
    return first > 0.02 && (second - first).magnitude <= 0.2 * first
  }
}
