// What delayed behaviors read, as it was.
//
// In: which nodes are asked for, and how far back; notes after instants. Out: the value of a behavior at a past moment.
// Rules:
// - Integrals are kept as the pieces they were made of, steps and the instances of scopes as lists of their changes. An
//   instance that has ended is kept, with all that is in it, while somebody may ask what it showed; it does nothing more.
// - A past value is the behavior's own expression once more, with what it reads put back to how it was. Evaluation leaves
//   no trace: slots are restored, and what is computed meanwhile belongs to an epoch of its own.

import FRPCore
import FRPGraph

/// What a delayed behavior must find as it was.
struct Watch {
  /// How far back, in seconds.
  var reach: Double
  /// The delays below it, added up.
  var below: Double
  var integrals: [RowOwner] = []
  var steps: [Address] = []
  var scopes: [RowOwner] = []
}

final class Past {
  unowned let solver: ContinuousSolver
  private var integrals: [RowOwner: IntegralHistory] = [:]
  private var steps: [Address: StepLog] = [:]
  private var scopes: [RowOwner: ScopeLog] = [:]
  /// Scopes whose instances are being taken in: what shows itself through a delay is not kept twice.
  private var open: Set<RowOwner> = []
  /// How often steps and instances have changed.
  private(set) var changes = 0

  /// The instances that count at the past moment of evaluation.
  private var shown: [RowOwner: ArraySlice<FrameRef>] = [:]
  /// Epochs of evaluations in the past; far from those of the present.
  private var epoch: UInt64 = 1 << 62
  private(set) var depth = 0
  /// Whether the left side of the past moment of evaluation is meant.
  private(set) var isBefore = false

  static let deepest = 32

  init(_ solver: ContinuousSolver) { self.solver = solver }

  private var reactor: Reactor { solver.reactor }

  // MARK: What is kept

  /// Keeps `reach` seconds of all that these nodes depend on, as seen from `frame`.
  func watch(_ nodes: [NodeID], from frame: FrameRef, reach: Double) -> Watch {
    let leaves = solver.reads.leaves(nodes)
    let below = leaves.delays.reduce(0) { $0 + (solver.duration(of: $1, from: frame) ?? 0) }
    var watch = Watch(reach: reach + below, below: below)
    for node in leaves.integrals {
      guard let place = solver.place(of: node, from: frame) else { continue }
      let history =
        integrals[place.owner] ?? IntegralHistory(slot: place.frame.pointee.new + solver.layout.slot(node))
      integrals[place.owner] = history
      history.users += 1
      solver.keep(history, for: place.owner)
      watch.integrals.append(place.owner)
    }
    for node in leaves.steps {
      let address = home(of: node, frame).pointee.new + solver.layout.slot(node)
      let isReference = reactor.heap.shapes.isReference(solver.core[node].type)
      let log = steps[address] ?? StepLog(slot: address, isReference: isReference)
      steps[address] = log
      log.users += 1
      watch.steps.append(address)
    }
    for node in leaves.scopes {
      guard let place = solver.place(of: node, from: frame) else { continue }
      if open.contains(place.owner) {
        // It shows its own past: that of its past, and so on, as deep as delays may be.
        watch.below = Double(Past.deepest) * below
        watch.reach = reach + watch.below
        continue
      }
      if let log = scopes[place.owner] {
        log.users += 1
      } else {
        add(ScopeLog(home: place.frame, entry: Int(place.owner.entry), present: present(place)), place.owner)
      }
      watch.scopes.append(place.owner)
    }
    raise(&watch)
    return watch
  }

  private func home(of node: NodeID, _ frame: FrameRef) -> FrameRef {
    reactor.outer(frame, frame.pointee.template.pointee.depth - solver.layout.depths[solver.core[node].scope.index])
  }

  private func add(_ log: ScopeLog, _ owner: RowOwner) {
    scopes[owner] = log
    log.users = 1
    for frame in log.frames { add(frame, log, owner: owner) }
  }

  private func add(_ frame: FrameRef, _ log: ScopeLog, owner: RowOwner) {
    open.insert(owner)
    defer { open.remove(owner) }
    let scope = reactor.plan.templates[frame.pointee.template.pointee.index].scope
    log.watches[frame] = watch(solver.core[scope].results, from: frame, reach: log.keep)
  }

  /// Everything of a watch is kept for as long as its reach.
  private func raise(_ watch: inout Watch) {
    for owner in watch.integrals { integrals[owner]?.raise(to: watch.reach) }
    for address in watch.steps { steps[address]?.raise(to: watch.reach) }
    for owner in watch.scopes {
      guard let log = scopes[owner], log.keep < watch.reach, !log.isRaising else { continue }
      log.keep = watch.reach
      log.isRaising = true
      for frame in log.frames {
        guard var inner = log.watches[frame] else { continue }
        inner.reach = max(inner.reach, log.keep + inner.below)
        raise(&inner)
        log.watches[frame] = inner
      }
      log.isRaising = false
    }
  }

  /// What was kept for a watch is not needed for it any more.
  func forget(_ watch: Watch) {
    for owner in watch.integrals {
      guard let history = integrals[owner] else { continue }
      history.users -= 1
      if history.users > 0 { continue }
      integrals[owner] = nil
      solver.keep(nil, for: owner)
    }
    for address in watch.steps {
      guard let log = steps[address] else { continue }
      log.users -= 1
      if log.users == 0 { steps[address] = nil }
    }
    for owner in watch.scopes {
      guard let log = scopes[owner] else { continue }
      log.users -= 1
      if log.users == 0 { forget(owner) }
    }
  }

  private func forget(_ owner: RowOwner) {
    guard let log = scopes.removeValue(forKey: owner) else { return }
    for frame in log.frames { forget(frame, log) }
  }

  private func forget(_ frame: FrameRef, _ log: ScopeLog) {
    if let watch = log.watches.removeValue(forKey: frame) { forget(watch) }
    if frame.pointee.isKept { reactor.giveBack(frame) }
  }

  /// A frame goes for good, and the past of its scopes with it.
  func forgetScopes(of frame: FrameRef) {
    if scopes.isEmpty { return }
    for index in 0..<frame.pointee.template.pointee.count {
      forget(RowOwner(frame: UInt(bitPattern: frame), entry: Int32(index)))
    }
  }

  /// Whether somebody may ask what a frame that ends has shown.
  func mayAsk(for frame: FrameRef) -> Bool {
    guard !scopes.isEmpty, let parent = frame.pointee.parent else { return false }
    return scopes[RowOwner(frame: UInt(bitPattern: parent), entry: frame.pointee.owner)]?.mayAsk(for: frame) ?? false
  }

  // MARK: Instants

  /// After an instant was committed.
  func note(at t: Double) {
    for log in steps.values where log.note(at: t) { changes += 1 }
    if !scopes.isEmpty { noteScopes(at: t) }
  }

  private func noteScopes(at t: Double) {
    // In the order of their frames, so that frames are given back in an order of their own.
    let owners = scopes.keys.sorted { ($0.frame, $0.entry) < ($1.frame, $1.entry) }
    for owner in owners {
      guard let log = scopes[owner], log.home.pointee.isLive else { continue }
      let before = log.changes
      let gone = log.note(present((log.home, owner)), at: t)
      changes += log.changes - before
      for frame in gone { forget(frame, log) }
      for frame in log.members(at: t, before: false) where log.watches[frame] == nil { add(frame, log, owner: owner) }
    }
  }

  /// The instances of a scope that count now.
  func present(_ place: (frame: FrameRef, owner: RowOwner)) -> [FrameRef] {
    let entry = place.frame.pointee.template.pointee.entries + Int(place.owner.entry)
    let state = place.frame.pointee.state + Int(entry.pointee.state)
    switch entry.pointee.kind.owner {
    case .members:
      let order = state[OwnerState.order].address
      return (0..<Int(state[OwnerState.orderCount])).compactMap { reactor.frame(order[$0]) }
    case .groups:
      var result: [FrameRef] = []
      var next = reactor.frame(state[OwnerState.firstChild])
      while let child = next {
        next = child.pointee.nextSibling
        if !child.pointee.isLeaving { result.append(child) }
      }
      return result
    case .behavior, .results, .choice: return reactor.current(place.frame, entry).map { [$0] } ?? []
    // Events' scopes show nothing between instants.
    case .occurrences, .latest, .pause, .keys, nil: return []
    }
  }

  func visit(_ visitor: borrowing RootVisitor) {
    for log in steps.values { log.visit(visitor) }
  }

  // MARK: For bounds

  func history(of owner: RowOwner) -> IntegralHistory? { integrals[owner] }
  func log(of slot: Address) -> StepLog? { steps[slot] }
  func log(of scope: RowOwner) -> ScopeLog? { scopes[scope] }

  // MARK: Values

  /// The instances of a scope that count where a past value is being computed; nil in the present.
  func members(_ owner: RowOwner) -> ArraySlice<FrameRef>? { depth == 0 ? nil : shown[owner] }

  /// A behavior at the moment `t`; `before`: on the left side of what happened then.
  func value(of node: NodeID, slot: Int, base: Address, _ watch: Watch, at t: Double, before: Bool) throws(Fault)
    -> Word
  {
    if depth >= Past.deepest { throw Fault(.message, "delays of delays are nested too deeply here") }
    let machine = solver.machine
    let clock = solver.clock
    let (present, time, side) = (machine.epoch, clock.time, isBefore)
    var trail = Trail()
    for slot in clock.slots { trail.put(slot, Word(float: t)) }
    put(watch, at: t, before: before, &trail)
    clock.time = t
    epoch += 1
    machine.epoch = epoch
    depth += 1
    isBefore = before
    defer {
      depth -= 1
      isBefore = side
      machine.epoch = present
      clock.time = time
      trail.takeBack(&shown)
    }
    // The present values are in the trail meanwhile.
    return try machine.holdingStill { () throws(Fault) in try machine.pull(node, slot: slot, base: base) }
  }

  /// What was overwritten.
  private struct Trail {
    var words: [(slot: Address, word: Word)] = []
    var members: [(owner: RowOwner, before: ArraySlice<FrameRef>?)] = []

    mutating func put(_ slot: Address, _ word: Word) {
      words.append((slot, slot.pointee))
      slot.pointee = word
    }

    func takeBack(_ shown: inout [RowOwner: ArraySlice<FrameRef>]) {
      for (slot, word) in words.reversed() { slot.pointee = word }
      for (owner, before) in members.reversed() { shown[owner] = before }
    }
  }

  private func put(_ watch: Watch, at t: Double, before: Bool, _ trail: inout Trail) {
    for owner in watch.integrals {
      guard let history = integrals[owner] else { continue }
      let present = solver.group(of: owner)?.presentValue(of: history, at: t, before: before)
      trail.put(history.slot, Word(float: present ?? history.value(at: t, before: before)))
    }
    for address in watch.steps {
      if let log = steps[address] { trail.put(address, log.word(at: t, before: before)) }
    }
    for owner in watch.scopes {
      guard let log = scopes[owner] else { continue }
      let members = log.members(at: t, before: before)
      trail.members.append((owner, shown[owner]))
      shown[owner] = members
      for frame in members {
        if let inner = log.watches[frame] { put(inner, at: t, before: before, &trail) }
      }
    }
  }
}
