// delay(b, d) of a continuous b: its expression once more, with what it reads put back to how it was d seconds ago.
//
// In: frames with such nodes; what instants changed. Out: the value at the moment of evaluation.
// [[delay(b, d)]](t) = b(t - d), and b's first value until d has passed.
// Rules:
// - What b reads is kept as far back as it may be asked for (Past.swift): d seconds, and those of the delays below.
// - A jump of b is seen from the instant on in which it is due, which is a whole nanosecond, and never before; so which
//   jumps are past is counted, not computed (DelayRow.swift).

import FRPCore
import FRPGraph

final class DelayTable {
  unowned let solver: ContinuousSolver
  private var rows: [RowOwner: DelayRow] = [:]
  private(set) lazy var past = Past(solver)

  /// What delays that begin in this instant go on to show, while a comparison is looked at a little later.
  var held: [RowOwner: Word] = [:]

  /// Jumps in the running instant of what is delayed.
  private var jumps: [(owner: RowOwner, due: Int64)] = []
  /// What delays of the running instant show first, where that is not the present value.
  private var firsts: [RowOwner: Result<Word, Fault>] = [:]
  /// How far back any delayed behavior has ever reached.
  private var longestReach = 0.0

  init(_ solver: ContinuousSolver) { self.solver = solver }

  var isEmpty: Bool { rows.isEmpty && firsts.isEmpty }

  subscript(owner: RowOwner) -> DelayRow? { rows[owner] }

  // MARK: Rows

  func add(_ frame: FrameRef) {
    let template = frame.pointee.template
    for index in 0..<template.pointee.count {
      let entry = template.pointee.entries[index]
      guard entry.kind == .delayBehavior, entry.isContinuous else { continue }
      guard case .delayBehavior(let source, _) = solver.core[entry.node].op else { continue }
      add(RowOwner(frame: UInt(bitPattern: frame), entry: Int32(index)), frame, entry: entry, source: source)
    }
  }

  private func add(_ owner: RowOwner, _ frame: FrameRef, entry: Entry, source: NodeID) {
    let reactor = solver.reactor
    let up = frame.pointee.template.pointee.depth - solver.layout.depths[solver.core[source].scope.index]
    let home = reactor.outer(frame, up)
    let duration = max(0, frame.pointee.state[Int(entry.state) + TimedState.duration].float)
    var row = DelayRow(
      duration: duration, start: reactor.now.seconds, first: .success(0),
      isReference: reactor.heap.shapes.isReference(entry.type), source: source, slot: solver.layout.slot(source),
      base: home.pointee.new, watch: past.watch([source], from: frame, reach: duration))
    if let first = firsts[owner] {
      row.first = first
    } else {
      do throws(Fault) {
        row.first = .success(try solver.machine.pull(source, slot: row.slot, base: row.base))
      } catch { row.first = .failure(error) }
    }
    longestReach = max(longestReach, row.watch.reach)
    rows[owner] = row
  }

  func remove(_ frame: FrameRef) {
    past.forgetScopes(of: frame)
    if rows.isEmpty { return }
    for index in 0..<frame.pointee.template.pointee.count {
      let owner = RowOwner(frame: UInt(bitPattern: frame), entry: Int32(index))
      guard let row = rows.removeValue(forKey: owner) else { continue }
      past.forget(row.watch)
    }
  }

  // MARK: Instants

  /// What a delay that begins in the running instant shows first, if that is not the present value.
  func begin(_ owner: RowOwner, with first: Result<Word, Fault>) {
    firsts[owner] = first
  }

  /// What a row delays has jumped in the running instant, which is due then.
  func jumped(_ owner: RowOwner, due: Int64) { jumps.append((owner, due)) }

  /// Jumps of a row are due in the running instant.
  func show(_ count: Int, of owner: RowOwner) {
    rows[owner]?.show(count, at: solver.reactor.now.seconds, in: solver.reactor.live.instant)
  }

  /// After an instant was committed.
  func note(at t: Double) {
    past.note(at: t)
    for (owner, due) in jumps { rows[owner]?.noteJump(at: t, due: due, keep: longestReach) }
    forgetInstant()
  }

  /// After an instant was undone.
  func undo() { forgetInstant() }

  private func forgetInstant() {
    jumps.removeAll(keepingCapacity: true)
    firsts.removeAll(keepingCapacity: true)
  }

  /// What may be a reference besides, within an instant.
  func pin(_ pins: borrowing PinVisitor) {
    for case .success(let word) in firsts.values { pins.visit(word) }
  }

  func visit(_ visitor: borrowing RootVisitor) {
    past.visit(visitor)
    for owner in rows.keys {
      guard rows[owner]?.isReference == true, case .success(var word)? = rows[owner]?.first else { continue }
      visitor.visit(&word)
      rows[owner]?.first = .success(word)
    }
  }

  // MARK: Values

  /// Whether what is delayed jumps in the running instant, be it that the delay has not taken it in yet: outside of its scope
  /// what it shows is read before the late part of the scope runs.
  private func jumpsNow(_ owner: RowOwner) -> Bool {
    if jumps.contains(where: { $0.owner == owner }) { return true }
    guard solver.reactor.live.isComputing, let frame = FrameRef(bitPattern: owner.frame) else { return false }
    let source = frame.pointee.template.pointee.entries[Int(owner.entry)].first
    return solver.reactor.isTouched(frame, source)
  }

  /// The value of a delayed behavior at the moment of evaluation.
  func value(_ owner: RowOwner, before: Bool) throws(Fault) -> Word? {
    guard let row = rows[owner] else {
      if let held = held[owner] { return held }
      return try firsts[owner]?.get()
    }
    let t = solver.clock.time
    let isPast = past.depth > 0
    let side: DelayRow.Side = (isPast ? past.isBefore : before) ? .before : .after
    let shown = isPast ? row.shown(atPast: t, side) : row.shown(at: t, side, in: solver.reactor.live.instant)
    guard case .past(let moment, let side) = shown else { return try row.first.get() }
    if row.duration == 0, side == .after, !jumpsNow(owner) {
      // Nothing but jumps comes later.
      return try solver.machine.pull(row.source, slot: row.slot, base: row.base)
    }
    return try past.value(
      of: row.source, slot: row.slot, base: row.base, row.watch, at: moment,
      before: side == .before || row.duration == 0 && moment == t)
  }
}
