// delay(b, d) of a continuous b: its expression once more, with what it reads put back to how it was d seconds ago.
//
// In: frames with such nodes; what instants changed. Out: the value at the moment of evaluation.
// [[delay(b, d)]](t) = b(t - d), and b's first value until d has passed.
// Rules:
// - Integrals are kept as the pieces they were made of, steps as a list of their changes; d seconds of both, and of
//   whatever delays are below.
// - A jump of b is seen from the instant on in which it is due, which is a whole nanosecond, and never before; so which
//   jumps are past is counted, not computed (DelayRow.swift).
// - Evaluation leaves no trace: slots are restored, and what is computed meanwhile belongs to an epoch of its own.
// - What a continuous scope (`switch`, `each`, …) showed is not kept: delaying it is a fault.

import FRPCore
import FRPGraph

final class DelayTable {
  unowned let solver: ContinuousSolver
  private var rows: [RowOwner: DelayRow] = [:]
  private var integrals: [RowOwner: IntegralHistory] = [:]
  private var steps: [Address: StepLog] = [:]
  /// Epochs of evaluations in the past; far from those of the present.
  private var pastEpoch: UInt64 = 1 << 62
  private var depth = 0

  /// What delays that begin in this instant go on to show, while a comparison is looked at a little later.
  var held: [RowOwner: Word] = [:]

  /// Jumps in the running instant of what is delayed.
  private var jumps: [(owner: RowOwner, due: Int64)] = []
  /// What delays of the running instant show first, where that is not the present value.
  private var firsts: [RowOwner: (value: Result<Word, Fault>, isReference: Bool)] = [:]
  /// How far back any delayed behavior has ever reached.
  private var longestReach = 0.0

  private static let deepest = 32

  init(_ solver: ContinuousSolver) { self.solver = solver }

  var isEmpty: Bool { rows.isEmpty && firsts.isEmpty }

  // MARK: Rows

  func add(_ frame: FrameRef) {
    let template = frame.pointee.template
    for index in 0..<template.pointee.count {
      let entry = template.pointee.entries[index]
      guard entry.kind == .delayBehavior, entry.isContinuous else { continue }
      guard case .delayBehavior(let source, _) = solver.core[entry.node].op else { continue }
      add(RowOwner(frame: UInt(bitPattern: frame), entry: Int32(index)), frame, entry, source)
    }
  }

  private func add(_ owner: RowOwner, _ frame: FrameRef, _ entry: Entry, _ source: NodeID) {
    let reactor = solver.reactor
    let up = frame.pointee.template.pointee.depth - solver.layout.depths[solver.core[source].scope.index]
    let home = reactor.outer(frame, up)
    let leaves = solver.reads.leaves(source)
    let duration = max(0, frame.pointee.state[Int(entry.state) + TimedState.duration].float)
    let below = leaves.delays.reduce(0) { $0 + (solver.duration(of: $1, from: frame) ?? 0) }
    var row = DelayRow(
      duration: duration, reach: duration + below, start: reactor.now.seconds, first: .success(0),
      isReference: reactor.heap.shapes.isReference(entry.type), source: source,
      slot: solver.layout.slot(source), base: home.pointee.new, isBeyondUs: leaves.hasScopes)
    if let first = firsts[owner]?.value {
      row.first = first
    } else {
      do throws(Fault) {
        row.first = .success(try solver.machine.pull(source, slot: row.slot, base: row.base))
      } catch { row.first = .failure(error) }
    }
    longestReach = max(longestReach, row.reach)
    for node in leaves.integrals {
      guard let place = solver.place(of: node, from: frame) else { continue }
      let address = place.frame.pointee.new + solver.layout.slot(node)
      let history = integrals[place.owner] ?? IntegralHistory(slot: address)
      integrals[place.owner] = history
      history.keep = max(history.keep, row.reach)
      history.users += 1
      solver.keep(history, for: place.owner)
      row.integrals.append(place.owner)
    }
    for node in leaves.steps {
      let up = frame.pointee.template.pointee.depth - solver.layout.depths[solver.core[node].scope.index]
      let address = reactor.outer(frame, up).pointee.new + solver.layout.slot(node)
      let log =
        steps[address]
        ?? StepLog(slot: address, isReference: reactor.heap.shapes.isReference(solver.core[node].type))
      steps[address] = log
      log.keep = max(log.keep, row.reach)
      log.users += 1
      row.steps.append(address)
    }
    rows[owner] = row
  }

  func remove(_ frame: FrameRef) {
    if rows.isEmpty { return }
    for index in 0..<frame.pointee.template.pointee.count {
      let owner = RowOwner(frame: UInt(bitPattern: frame), entry: Int32(index))
      guard let row = rows.removeValue(forKey: owner) else { continue }
      for integral in row.integrals {
        guard let history = integrals[integral] else { continue }
        history.users -= 1
        if history.users == 0 {
          integrals[integral] = nil
          solver.keep(nil, for: integral)
        }
      }
      for step in row.steps {
        guard let log = steps[step] else { continue }
        log.users -= 1
        if log.users == 0 { steps[step] = nil }
      }
    }
  }

  // MARK: Instants

  /// What a delay that begins in the running instant shows first, if that is not the present value.
  func begin(_ owner: RowOwner, with first: Result<Word, Fault>, isReference: Bool) {
    firsts[owner] = (first, isReference)
  }

  /// What a row delays has jumped in the running instant, which is due then.
  func jumped(_ owner: RowOwner, due: Int64) { jumps.append((owner, due)) }

  /// Jumps of a row are due in the running instant.
  func show(_ count: Int, of owner: RowOwner) {
    rows[owner]?.show(count, at: solver.reactor.now.seconds, in: solver.reactor.instant)
  }

  /// After an instant was committed.
  func note(at t: Double) {
    for log in steps.values { log.note(at: t) }
    for (owner, due) in jumps { rows[owner]?.noteJump(at: t, due: due, keep: longestReach) }
    forgetInstant()
  }

  /// After an instant was undone.
  func undo() { forgetInstant() }

  private func forgetInstant() {
    jumps.removeAll(keepingCapacity: true)
    firsts.removeAll(keepingCapacity: true)
  }

  func visit(_ visitor: borrowing RootVisitor) {
    for log in steps.values { log.visit(visitor) }
    for owner in rows.keys {
      guard rows[owner]?.isReference == true, case .success(var word)? = rows[owner]?.first else { continue }
      visitor.visit(&word)
      rows[owner]?.first = .success(word)
    }
    for owner in firsts.keys {
      guard firsts[owner]?.isReference == true, case .success(var word)? = firsts[owner]?.value else { continue }
      visitor.visit(&word)
      firsts[owner]?.value = .success(word)
    }
  }

  // MARK: Values

  /// The value of a delayed behavior at the moment of evaluation.
  func value(_ owner: RowOwner, before: Bool) throws(Fault) -> Word? {
    guard let row = rows[owner] else {
      if let held = held[owner] { return held }
      return try firsts[owner]?.value.get()
    }
    let t = solver.clock.time
    let side: DelayRow.Side = before ? .before : .after
    let shown =
      depth > 0 ? row.shown(atPast: t, side) : row.shown(at: t, side, in: solver.reactor.instant)
    guard case .past(let moment, let side) = shown else { return try row.first.get() }
    if row.isBeyondUs {
      throw Fault(.message, "what a continuous `switch`, `each` or `groupBy` shows cannot be delayed")
    }
    if depth >= DelayTable.deepest { throw Fault(.message, "delays of delays are nested too deeply here") }
    if row.duration == 0, side == .after, !jumps.contains(where: { $0.owner == owner }) {
      // Nothing but jumps comes later.
      return try solver.machine.pull(row.source, slot: row.slot, base: row.base)
    }
    return try inThePast(row, moment, side == .before || row.duration == 0 && moment == t)
  }

  private func inThePast(_ row: DelayRow, _ t: Double, _ before: Bool) throws(Fault) -> Word {
    let machine = solver.machine
    let clock = solver.clock
    let (epoch, time) = (machine.epoch, clock.time)
    var saved: [(slot: Address, word: Word)] = []
    saved.reserveCapacity(clock.slots.count + row.integrals.count + row.steps.count)
    func put(_ slot: Address, _ word: Word) {
      saved.append((slot, slot.pointee))
      slot.pointee = word
    }
    for slot in clock.slots { put(slot, Word(float: t)) }
    for owner in row.integrals {
      guard let history = integrals[owner] else { continue }
      let present = solver.group(of: owner)?.presentValue(of: history, at: t, before: before)
      put(history.slot, Word(float: present ?? history.value(at: t, before: before)))
    }
    for step in row.steps {
      if let log = steps[step] { put(step, log.word(at: t, before: before)) }
    }
    clock.time = t
    pastEpoch += 1
    machine.epoch = pastEpoch
    depth += 1
    defer {
      depth -= 1
      machine.epoch = epoch
      clock.time = time
      for (slot, word) in saved.reversed() { slot.pointee = word }
    }
    return try machine.pull(row.source, slot: row.slot, base: row.base)
  }
}
