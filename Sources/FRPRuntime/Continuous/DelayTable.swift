// delay(b, d) of a continuous b: its expression once more, with what it reads put back to how it was d seconds ago.
//
// In: frames with such nodes; what instants changed. Out: the value at the moment of evaluation.
// [[delay(b, d)]](t) = b(t - d), and b's first value until d has passed.
// Rules:
// - Integrals are kept as the pieces they were made of, steps as a list of their changes; d seconds of both.
// - Evaluation leaves no trace: slots are restored, and what is computed meanwhile belongs to an epoch of its own.
// - What a continuous scope (`switch`, `each`, …) showed is not kept: delaying it is a fault.

import FRPCore
import FRPGraph

/// The changes of a step behavior that a delayed behavior reads.
final class StepLog {
  /// Its slot in `new`.
  let slot: Address
  let isReference: Bool
  var keep = 0.0
  var users = 0
  /// When it got each value; the first has always been.
  private var times: [Double] = [-.infinity]
  private var words: [Word]

  init(slot: Address, isReference: Bool) {
    self.slot = slot
    self.isReference = isReference
    words = [slot.pointee]
  }

  /// After an instant.
  func note(at t: Double) {
    if words[words.count - 1] == slot.pointee { return }
    if times[times.count - 1] == t {
      words[words.count - 1] = slot.pointee
      return
    }
    times.append(t)
    words.append(slot.pointee)
    let old = times.firstIndex { $0 > t - keep } ?? 0
    if old > 32 {
      times.removeFirst(old - 1)
      words.removeFirst(old - 1)
    }
  }

  func word(at t: Double, before: Bool) -> Word {
    var low = 0
    var high = times.count
    while low < high {
      let middle = (low + high) / 2
      if before ? times[middle] < t : times[middle] <= t { low = middle + 1 } else { high = middle }
    }
    return words[max(0, low - 1)]
  }

  func visit(_ visitor: borrowing RootVisitor) {
    guard isReference else { return }
    for index in words.indices { visitor.visit(&words[index]) }
  }
}

/// A delayed behavior of one frame.
struct DelayRow {
  /// Seconds.
  var duration: Double
  /// When its scope started, and the behavior's value then.
  var start: Double
  var first: Result<Word, Fault>
  var isReference: Bool
  /// The behavior: its node, slot and frame.
  var source: NodeID
  var slot: Int
  var base: Address
  var integrals: [RowOwner]
  var steps: [Address]
  /// It reads what a continuous scope shows.
  var isBeyondUs: Bool
}

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

  private static let deepest = 32

  init(_ solver: ContinuousSolver) { self.solver = solver }

  var isEmpty: Bool { rows.isEmpty }

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
    let duration = frame.pointee.state[Int(entry.state) + TimedState.duration].float
    var row = DelayRow(
      duration: max(duration, 1e-9), start: reactor.now.seconds, first: .success(0),
      isReference: reactor.heap.shapes.isReference(entry.type), source: source,
      slot: solver.layout.slot(source), base: home.pointee.new, integrals: [], steps: [],
      isBeyondUs: leaves.hasScopes)
    do throws(Fault) {
      row.first = .success(try solver.machine.pull(source, slot: row.slot, base: row.base))
    } catch { row.first = .failure(error) }
    let keep = row.duration * Double(1 + leaves.delays)
    for node in leaves.integrals {
      guard let place = solver.place(of: node, from: frame) else { continue }
      let address = place.frame.pointee.new + solver.layout.slot(node)
      let history = integrals[place.owner] ?? IntegralHistory(slot: address)
      integrals[place.owner] = history
      history.keep = max(history.keep, keep)
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
      log.keep = max(log.keep, keep)
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

  /// After an instant was committed.
  func note(at t: Double) {
    for log in steps.values { log.note(at: t) }
  }

  func visit(_ visitor: borrowing RootVisitor) {
    for log in steps.values { log.visit(visitor) }
    for owner in rows.keys {
      guard rows[owner]?.isReference == true, case .success(var word)? = rows[owner]?.first else { continue }
      visitor.visit(&word)
      rows[owner]?.first = .success(word)
    }
  }

  // MARK: Values

  /// The value of a delayed behavior at the moment of evaluation.
  func value(_ owner: RowOwner, before: Bool) throws(Fault) -> Word? {
    guard let row = rows[owner] else { return held[owner] }
    let t = solver.clock.time - row.duration
    if t < row.start || (before && t == row.start) { return try row.first.get() }
    if row.isBeyondUs {
      throw Fault(.message, "what a continuous `switch`, `each` or `groupBy` shows cannot be delayed")
    }
    if depth >= DelayTable.deepest { throw Fault(.message, "delays of delays are nested too deeply here") }
    return try inThePast(row, t, before)
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
