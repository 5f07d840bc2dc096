// Where the solver (../Continuous) meets the reactor: the moments before and after instants, crossings, and the entries
// of integrals and comparisons.

import FRPCore
import FRPGraph

/// A `time` slot, which the clock sets.
struct ClockSlot {
  var old: Address
  var new: Address
}

extension Reactor {
  // MARK: Instants

  /// Before the first entry of an instant runs: what is continuous has its values just before it.
  func beginContinuous() { if live.hasSolver { live.solver?.bringToPresent() } }

  /// After an instant was committed.
  func endContinuous() {
    if !live.hasSolver { return }
    live.solver?.settle()
    live.isClockOnly = live.solver?.isIdle ?? false
    if live.isClockOnly { live.solver?.areSlotsCurrent = false }
  }

  /// After an instant was undone.
  func undoContinuous() { live.solver?.undo() }

  /// After the clock has moved, before any instant there.
  func clockMoved() {
    machine.epoch += 1
    if !live.hasSolver { return }
    if live.isClockOnly {
      setClocks(now.seconds)
      machine.stepsLeft = limits.stepsPerInstant
      return
    }
    guard let solver = live.solver else { return }
    solver.areSlotsCurrent = false
    solver.bringToPresent()
  }

  /// Lets the solver begin anew at the present from nothing but what an image has: from here on a run and one that is restored from its
  /// image are the same to the last bit. False where there is nothing to follow. Cost: linear in the scopes.
  func renewContinuous() -> Bool {
    guard live.hasSolver, !live.isClockOnly, live.solver?.delays.isEmpty == true else { return false }
    live.causedSteps = 0
    // What was looked at ahead stands in the slots.
    live.solver?.bringToPresent()
    // What slides may come nearer to its limits once more.
    var words = integralWords
    for _ in 0..<8 {
      takeInAgain()
      let next = integralWords
      if next == words { break }
      words = next
    }
    return true
  }

  /// A new solver takes in all scopes, and brings them to the present.
  private func takeInAgain() {
    let solver = ContinuousSolver(self)
    solver.clock.slots = live.solver?.clock.slots ?? []
    forEachFrame { if $0.pointee.template.pointee.isContinuous { solver.newFrames.append($0) } }
    live.solver = solver
    endContinuous()
    // A comparison that shows otherwise than it holds is part of an instant that was undone: nothing comes of it.
    solver.dropFixups()
    solver.bringToPresent()
  }

  private var integralWords: [Word] {
    var words: [Word] = []
    forEachFrame { frame in
      let template = frame.pointee.template
      for index in 0..<template.pointee.count where template.pointee.entries[index].kind == .integral {
        words.append(frame.pointee.new[Int(template.pointee.entries[index].slot)])
      }
    }
    return words
  }

  /// Gives every `time` its value.
  func setClocks(_ seconds: Double) {
    for slot in live.clockSlots.buffer {
      slot.old.pointee = Word(float: seconds)
      slot.new.pointee = Word(float: seconds)
    }
  }

  /// The solver; it is made where the first continuous scope starts.
  func solver(for frame: FrameRef) -> ContinuousSolver {
    if let solver = live.solver { return solver }
    let made = ContinuousSolver(self)
    live.solver = made
    return made
  }

  // MARK: Scopes

  /// After the early part of a frame with continuous nodes has started.
  func startContinuous(_ frame: FrameRef) {
    let solver = live.solver ?? ContinuousSolver(self)
    live.solver = solver
    live.hasSolver = true
    live.isClockOnly = false
    let template = frame.pointee.template
    for index in 0..<template.pointee.count where template.pointee.entries[index].kind == .time {
      let slot = Int(template.pointee.entries[index].slot)
      live.clockSlots.append(ClockSlot(old: frame.pointee.old + slot, new: frame.pointee.new + slot))
      solver.clock.slots.append(frame.pointee.new + slot)
    }
    solver.newFrames.append(frame)
  }

  /// A delay in a group, which sees the instant that made it: its first value is that from just before, and what jumps in
  /// this instant is to be delayed.
  func startContinuousDelay(_ site: EntrySite) throws(Fault) {
    guard case .delayBehavior(let source, _) = plan.core[site.entry.pointee.node].op else { return }
    let read = site.entry.pointee.first
    var first: Result<Word, Fault>
    do throws(Fault) {
      first = .success(
        try self.read(outer(site.frame, read.up), source, slot: Int(read.slot), continuous: true, old: true))
    } catch {
      switch error.kind {
      case .limit(.steps), .limit(.memory): throw error
      default: first = .failure(error)
      }
    }
    let owner = RowOwner(site)
    solver(for: site.frame).delays.begin(owner, with: first)
    mark(site.frame, Int(site.entry.pointee.partner))
  }

  /// Before the slots of a frame with continuous nodes go.
  func releaseContinuous(_ frame: FrameRef) {
    let low = frame.pointee.old
    let high = frame.pointee.state
    live.clockSlots.removeAll { $0.old >= low && $0.old < high }
    live.solver?.clock.slots.removeAll { $0 >= low && $0 < high }
    live.solver?.delays.remove(frame)
  }

  // MARK: Crossings

  /// The first located crossing at or before a time in nanoseconds, if any.
  func nextCrossing(before limit: Int64) -> Moment? {
    if !live.hasSolver || live.isClockOnly { return nil }
    return live.solver?.nextCrossing(before: limit, due: min(live.timers.nextDue, live.inputDue))
  }

  /// The first crossing that is foreseen before a time in nanoseconds, or when to ask again.
  func foreseeCrossing(before due: Int64) -> Moment? {
    !live.hasSolver || live.isClockOnly ? nil : live.solver?.foreseeCrossing(before: due)
  }

  /// One instant with all crossings located at the present time.
  func runCrossings() {
    guard let solver = live.solver else { return }
    if now.seconds - solver.lastCrossing < 1e-9 { live.causedSteps += 1 } else { live.causedSteps = 0 }
    solver.lastCrossing = now.seconds
    let batch = solver.takeCrossings()
    if batch.seeds.isEmpty { return solver.restartTurned() }
    openStep()
    if batch.standsStill || live.causedSteps > limits.microsteps {
      live.causedSteps = 0
      return report(solver.cycleFault(batch))
    }
    runInstant { () throws(Fault) in try seedCrossings(batch.seeds, solver) }
  }

  /// Gives comparisons their new values, and lets the `when`s above them occur that this makes true.
  func seedCrossings(_ seeds: [CrossingSeed], _ solver: ContinuousSolver) throws(Fault) {
    let hasRoundings = !solver.reads.roundings.isEmpty
    for seed in seeds {
      let site = EntrySite(seed.frame, seed.entry)
      if hasRoundings, let limit = solver.reads.roundings[site.entry.pointee.node] {
        if seed.holds { passLimit(limit, of: seed, solver: solver) }
        continue
      }
      store(site, Word(bool: seed.holds))
    }
    if solver.whens.isEmpty { return }
    let silent = seeds.filter(\.isSilent).map(\.owner)
    for row in solver.whens.rows(above: silent) {
      let state = EntrySite(row.frame, row.entry).state
      if let holds = solver.condition(of: row) { set(state + WhenState.seen, Word(bool: holds)) }
    }
    for row in solver.whens.rows(above: seeds.filter { !$0.isSilent }.map(\.owner)) {
      let site = EntrySite(row.frame, row.entry)
      let state = site.state
      guard !state[WhenState.seen].bool, solver.condition(of: row) == true else { continue }
      set(state + WhenState.seen, Word(bool: true))
      try showOne(site, Word.unit)
      // The rest of the instant may make the condition false again, and then it has not changed at all.
      mark(site.partner)
    }
  }

  /// Whether what the running instant gives this frame, comparisons that compare others included, is what it should have
  /// begun with.
  func isBeginning(_ frame: FrameRef) -> Bool {
    guard live.hasSolver, let begun = live.solver?.begun else { return false }
    return begun.in == live.instant && frame.pointee.born >= begun.first
  }

  // MARK: Entries

  /// A reset of an integral.
  func runIntegral(_ site: EntrySite) throws(Fault) {
    let (start, count) = occurred(site.frame, site.entry.pointee.second)
    if count == 0 { return }
    let slot = Int(site.entry.pointee.slot)
    site.frame.pointee.new[slot] = live.occurrences[start + count - 1]
    noteChange(site.frame.pointee.old + slot, site.frame.pointee.new + slot)
    touch(site)
    runIntegralFeed(site)
  }

  /// A rate may have jumped.
  func runIntegralFeed(_ site: EntrySite) {
    let integral = site.entry.pointee.kind == .integralFeed ? site.entry.pointee.partner : Int32(site.index)
    live.solver?.touch(RowOwner(frame: UInt(bitPattern: site.frame), entry: integral))
  }

  /// A comparison may have jumped. If what it compares has not, its value stays: at a limit rounding must not decide. So
  /// it does where nothing tells yet which way it goes from its limit; then it turns, if at all, in the next micro-step.
  func runCrossing(_ site: EntrySite) throws(Fault) {
    let owner = RowOwner(site)
    live.solver?.touch(owner)
    if isLimitOfRounding(site.frame, site.entry) { return moveLimit(site, owner) }
    let left: Double
    let right: Double
    do throws(Fault) {
      (left, right) = try sides(site.entry, site.frame.pointee.new)
    } catch {
      try storeFault(site, error)
      return
    }
    let slot = site.frame.pointee.new + Int(site.entry.pointee.slot)
    if machine.poison(at: slot) == nil, site.frame.pointee.born != live.instant,
      let before = try? sides(site.entry, site.frame.pointee.old), before == (left, right)
    {
      return
    }
    live.solver?.leaveLimit(owner)
    let isKnown = machine.poison(at: slot) == nil && site.frame.pointee.born != live.instant
    if left == right, isKnown, !solver(for: site.frame).reads.isAtSteeringLimit(site.entry.pointee.node),
      drift(site, isBirth: false) == nil
    {
      return
    }
    store(site, Word(bool: compare(site, left, right: right, isBirth: false)))
  }

  func startCrossing(_ site: EntrySite, isGroup: Bool) throws(Fault) {
    if isLimitOfRounding(site.frame, site.entry) { return begin(site, Word(bool: false)) }
    if isGroup {
      return try begin(site) { (isOld) throws(Fault) in
        isOld ? try valueBefore(site) : try startValue(site)
      }
    }
    do throws(Fault) {
      begin(site, try startValue(site))
    } catch {
      try beginFault(site, error)
    }
  }

  private func startValue(_ site: EntrySite) throws(Fault) -> Word {
    let (left, right) = try sides(site.entry, site.frame.pointee.new)
    return Word(bool: compare(site, left, right: right, isBirth: true))
  }

  /// A comparison of a group just before the instant that made it: at its limit it is as it will be, unless a side jumps.
  private func valueBefore(_ site: EntrySite) throws(Fault) -> Word {
    let (left, right) = try sides(site.entry, site.frame.pointee.old)
    let now = try? sides(site.entry, site.frame.pointee.new)
    let jumps = now.map { $0 != (left, right) } ?? true
    return Word(bool: compare(site, left, right: right, isBirth: true, old: jumps))
  }

  func sides(_ entry: EntryRef, _ base: Address) throws(Fault) -> (left: Double, right: Double) {
    let left = try machine.run(code(entry.pointee.code), base: base).float
    return (left, try machine.run(code(entry.pointee.plain), base: base).float)
  }

  private func drift(_ site: EntrySite, isBirth: Bool, old: Bool = false) -> Double? {
    solver(for: site.frame).drift(of: site.entry.pointee.node, site.frame, isBirth: isBirth, old: old)
  }

  /// What holds just after: where both sides are equal, the way they move decides.
  private func compare(
    _ site: EntrySite, _ left: Double, right: Double, isBirth: Bool, old: Bool = false
  ) -> Bool {
    // What may slide at its limit is what its sides say there; if it does not, it turns in the next micro-step.
    if left == right, solver(for: site.frame).reads.isAtSteeringLimit(site.entry.pointee.node) {
      return compare(site.entry, left, right: right)
    }
    if left == right, let drift = drift(site, isBirth: isBirth, old: old) {
      return compare(site.entry, drift, right: 0)
    }
    return compare(site.entry, left, right: right)
  }

  private func compare(_ entry: EntryRef, _ left: Double, right: Double) -> Bool {
    switch Prim(rawValue: UInt16(truncatingIfNeeded: entry.pointee.count)) {
    case .less: return left < right
    case .lessEqual: return left <= right
    case .greater: return left > right
    default: return left >= right
    }
  }

  func visitContinuous(_ visitor: borrowing RootVisitor) { live.solver?.delays.visit(visitor) }
}
