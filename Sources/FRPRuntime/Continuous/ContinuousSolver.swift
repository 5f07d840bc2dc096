// The solver of a reactor: which integrals and comparisons live, which of them belong together, and when to look
// again.
//
// In: frames that start and go, notes of what instants touched. Out: groups (ContinuousGroup.swift) that are up to
// date.
// Rules:
// - What depends on one another in a circle is one group (GroupLinks.swift); who reads a group starts anew with it, and makes no
//   difference to it.
// - Frames are taken in and groups restarted when an instant is committed; an instant that faults leaves no trace.

import FRPCore
import FRPGraph

final class ContinuousSolver: ContinuousHost {
  unowned let reactor: Reactor
  let machine: Machine
  let core: CoreProgram
  let layout: Layout
  let clock = ClockTable()
  let reads: ContinuousReads
  let stepBudget: Int

  /// By number; nil where one has been merged or has gone.
  private(set) var groups: [ContinuousGroup?] = []
  private var freeNumbers: [Int] = []
  /// The group of an integral, a comparison, or a scope that somebody reads.
  var home: [RowOwner: Int] = [:]
  var links = RowLinks()
  var open = OpenLinks()
  /// Scopes that are one group with what they show.
  var joinedScopes: Set<RowOwner> = []
  var newFrames: [FrameRef] = []

  /// Groups whose inputs changed in the running instant.
  private var touched: [Int] = []
  private var isTouched: [Bool] = []
  /// Faults that are to be reported once the instant is over.
  private(set) var untold: [(fault: Fault, node: NodeID, seconds: Double)] = []
  /// Groups in which something has begun to slide, or ceased to, at the present moment.
  var turned: [Int] = []
  /// Groups with integrals that stand still, and the rows that the running instant has touched meanwhile.
  var frozen: Set<Int> = []
  private var touchedRows: Set<RowOwner> = []
  /// Whether steps are made to see what may come, while something else may still come before it.
  var isForeseeing = false
  /// Whether groups are starting anew: how far they had come tells nothing.
  private(set) var isSettling = false
  var present: Double { reactor.now.seconds }
  /// Whether the slots hold the values of the present.
  var areSlotsCurrent = false

  // Crossings. By group: up to when it is known, and its first switch.
  var knownUntil = Tournament()
  var nextSwitches = Tournament()
  /// By group in which nothing is compared: how far its steps go.
  var reached = Tournament()
  /// Where the newest search for a crossing was broken off: everything is known until then.
  var brokenOff: Moment?
  /// Comparisons that are otherwise just after the newest instant than their slots say.
  var fixups: [Fixup] = []
  /// The newest instant that did nothing but put right what frames began with, and when the first of these began.
  var begun: (in: UInt64, first: UInt64)?
  /// Comparisons that were taken in the running instant.
  var taken: [RowOwner] = []
  var lastCrossing = -Double.infinity
  /// Limits of what is rounded that the running instant has passed: there the Float stands, whatever rounding says of it.
  var passedLimits: Set<RowOwner> = []
  /// By step that is a rounded Float, the limit that it passes in the running instant.
  var passed: [RowOwner: PassedLimit] = [:]
  var whens = WhenTable()
  private(set) lazy var delays = DelayTable(self)
  /// Comparisons that took part in what faulted, and when: they count again after they were false, and nothing they do
  /// within a nanosecond counts, since that is still the same moment.
  private var muted: [RowOwner: Double] = [:]

  init(_ reactor: Reactor) {
    self.reactor = reactor
    machine = reactor.machine
    core = reactor.plan.core
    layout = reactor.plan.layout
    stepBudget = reactor.limits.stepsPerInstant
    reads = ContinuousReads(reactor.plan.core)
    clock.time = reactor.now.seconds
  }

  deinit { for group in groups { group?.forgetSources() } }

  /// Whether there is nothing to follow between instants but the clock.
  var isIdle: Bool {
    home.isEmpty && groups.allSatisfy { $0 == nil } && newFrames.isEmpty && touched.isEmpty && frozen.isEmpty
      && fixups.isEmpty && taken.isEmpty && delays.isEmpty
  }

  func isStep(_ expr: CoreExprID) -> Bool { reads.sources(expr).isEmpty }

  // MARK: Frames

  func owner(_ frame: FrameRef, _ entry: Int) -> RowOwner {
    RowOwner(frame: UInt(bitPattern: frame), entry: Int32(entry))
  }

  /// The frame around `frame` (or itself) that holds a node, and the node's entry there.
  func place(of node: NodeID, from frame: FrameRef) -> (frame: FrameRef, owner: RowOwner)? {
    let entry = Int(reactor.plan.entryOfNode[node.index])
    guard entry >= 0 else { return nil }
    let up = frame.pointee.template.pointee.depth - layout.depths[core[node].scope.index]
    guard up >= 0 else { return nil }
    let holder = reactor.outer(frame, up)
    return (holder, owner(holder, entry))
  }

  /// How long a delay delays, in seconds, as seen from `frame`.
  func duration(of delay: NodeID, from frame: FrameRef) -> Double? {
    guard let place = place(of: delay, from: frame) else { return nil }
    let entry = place.frame.pointee.template.pointee.entries[Int(place.owner.entry)]
    return max(0, place.frame.pointee.state[Int(entry.state) + TimedState.duration].float)
  }

  /// Takes in the frames that started in an instant that was committed.
  func takeInFrames() {
    if newFrames.isEmpty { return }
    let frames = newFrames.filter { $0.pointee.isLive }
    newFrames.removeAll(keepingCapacity: true)
    for frame in frames { addRows(frame) }
    for frame in frames {
      linkRows(frame)
      linkToOwner(frame)
      whens.add(frame, self)
      delays.add(frame)
    }
    settleLinks()
  }

  /// From now on the past of an integral is kept; or not any more.
  func keep(_ history: IntegralHistory?, for owner: RowOwner) {
    guard let group = group(of: owner) else { return }
    for index in group.integrals.indices where group.integrals[index].owner == owner { group.keep(history, for: index) }
  }

  private func addRows(_ frame: FrameRef) {
    let template = frame.pointee.template
    let scope = reactor.plan.templates[template.pointee.index].scope
    for index in 0..<template.pointee.count {
      let entry = template.pointee.entries[index]
      let owner = owner(frame, index)
      if reactor.plan.entryOfNode[entry.node.index] != Int32(index) { continue }
      switch core[entry.node].op.motion {
      case .integral(let rate):
        var row = IntegralRow(
          owner: owner, node: entry.node, scope: scope, new: frame.pointee.new, old: frame.pointee.old,
          slot: Int(entry.slot), rate: reactor.code(entry.code), rateExpr: rate)
        let flags = frame.pointee.state[Int(entry.state) + StandingState.flags]
        row.isFrozen = flags & StandingState.isFrozen != 0
        row.isReported = flags & StandingState.isReported != 0
        row.isStuck = flags & StandingState.isStuck != 0
        let group = group(for: owner)
        group.integrals.append(row)
        if row.isFrozen || row.isStuck { frozen.insert(group.number) }
      case .crossing(let comparison, let left, let right):
        var row = GuardRow(
          owner: owner, node: entry.node, scope: scope, new: frame.pointee.new, slot: Int(entry.slot),
          left: reactor.code(entry.code), right: reactor.code(entry.plain), leftExpr: left, rightExpr: right,
          isGreater: comparison == .greater || comparison == .greaterEqual,
          holdsAtZero: comparison == .lessEqual || comparison == .greaterEqual)
        row.holds = frame.pointee.new[Int(entry.slot)].bool
        row.isSteering = isSteering(entry.node)
        row.isResetting = reads.resetting.contains(entry.node)
        let flags = frame.pointee.state[Int(entry.state) + StandingState.flags]
        row.isStuck = flags & StandingState.isStuck != 0
        let group = group(for: owner)
        if row.isStuck { frozen.insert(group.number) }
        group.guards.append(row)
        group.hasSteering = group.hasSteering || row.isSteering
      case .time, .lift, .delayed, .switched, .members, .groups, .chosen, .member, .step: break
      }
    }
  }

  /// A frame ends: nothing of it is followed any more. Its past is kept until its slots go.
  func release(_ frame: FrameRef) {
    newFrames.removeAll { $0 == frame }
    let template = frame.pointee.template
    for index in 0..<template.pointee.count {
      let owner = owner(frame, index)
      guard let number = home.removeValue(forKey: owner), let group = groups[number] else { continue }
      group.close(at: reactor.now.seconds)
      unlink(owner)
      switch template.pointee.entries[index].kind {
      case .integral: group.integrals.removeAll { $0.owner == owner }
      case .crossing:
        group.guards.removeAll { $0.owner == owner }
        fixups.removeAll { $0.owner == owner }
        taken.removeAll { $0 == owner }
        muted[owner] = nil
      default: group.scopes.removeAll { $0 == owner }
      }
      touch(number)
      // Other integrals may stand in its place.
      for reader in group.readers { reopen(reader) }
      if group.isEmpty { remove(number) }
    }
    whens.remove(frame)
  }

  // MARK: Groups

  /// The group of a row; a new one if it has none.
  func group(for owner: RowOwner) -> ContinuousGroup {
    if let number = home[owner], let group = groups[number] { return group }
    let number = freeNumbers.popLast() ?? groups.count
    let group = ContinuousGroup(host: self, number: number)
    if number == groups.count {
      groups.append(group)
      isTouched.append(false)
    } else {
      groups[number] = group
    }
    home[owner] = number
    touch(number)
    return group
  }

  func group(of owner: RowOwner) -> ContinuousGroup? { home[owner].flatMap { groups[$0] } }

  func remove(_ number: Int) {
    for source in groups[number]?.sources ?? [] { groups[source]?.readers.removeAll { $0 == number } }
    groups[number]?.forgetSources()
    groups[number] = nil
    refresh(number)
    frozen.remove(number)
    freeNumbers.append(number)
  }

  /// What is known of a group has changed.
  func refresh(_ number: Int) {
    let group = groups[number].flatMap { $0.guards.isEmpty ? nil : $0 }
    knownUntil.set(number, group?.knownUntil ?? .infinity)
    nextSwitches.set(number, group?.nextSwitch ?? .infinity)
    reached.set(number, group == nil ? groups[number]?.reach ?? .infinity : .infinity)
  }

  // MARK: Instants

  func touch(_ owner: RowOwner) {
    guard let number = home[owner] else { return }
    if !frozen.isEmpty { touchedRows.insert(owner) }
    touch(number)
  }

  /// What a comparison compares has jumped: it is not at its limit any more, or only by its values.
  func leaveLimit(_ owner: RowOwner) {
    guard let group = group(of: owner) else { return }
    for index in group.guards.indices where group.guards[index].owner == owner {
      group.guards[index].limitTime = -.infinity
      group.guards[index].hasJumped = true
    }
  }

  func touch(_ number: Int) {
    if isTouched[number] { return }
    isTouched[number] = true
    touched.append(number)
  }

  /// Brings every integral and every clock to the present, as it is just before an instant.
  func bringToPresent() {
    if areSlotsCurrent { return }
    areSlotsCurrent = true
    grantTime()
    let now = reactor.now.seconds
    for case let group? in groups { _ = following(group) { group.come(to: now) } }
    for case let group? in groups { group.show(at: now) }
    areSlotsCurrent = true
    clock.time = now
    reactor.setClocks(now)
    machine.epoch += 1
    machine.grantNext(stepBudget)
  }

  /// After an instant was committed: what it touched starts anew from the values it left.
  func settle() {
    isSettling = true
    defer { isSettling = false }
    takeInFrames()
    settleLinks()
    if !delays.isEmpty { delays.note(at: reactor.now.seconds) }
    if !frozen.isEmpty {
      for number in frozen.sorted() where groups[number]?.thaw(touchedRows) == true { touch(number) }
      frozen = frozen.filter { groups[$0]?.isFrozen == true }
      touchedRows.removeAll(keepingCapacity: true)
    }
    turned.removeAll(keepingCapacity: true)
    for number in touched { isTouched[number] = false }
    let restarted = withReaders(touched)
    touched.removeAll(keepingCapacity: true)
    for number in restarted {
      guard let group = groups[number] else { continue }
      following(group) { group.restart(at: reactor.now.seconds) }
      refresh(number)
      areSlotsCurrent = false
      noteFixups(group)
    }
    taken.removeAll(keepingCapacity: true)
    forgetPassed()
  }

  /// After an instant was undone: nothing it touched has changed. What it took is taken for good.
  func undo() {
    delays.undo()
    for number in touched { isTouched[number] = false }
    touched.removeAll(keepingCapacity: true)
    newFrames.removeAll(keepingCapacity: true)
    touchedRows.removeAll(keepingCapacity: true)
    for owner in taken { mute(owner) }
    taken.removeAll(keepingCapacity: true)
    forgetPassed()
    areSlotsCurrent = false
    restartTurned()
  }

  /// What begins to slide, or ceases to, does so whether or not an instant comes of it.
  func restartTurned() {
    if turned.isEmpty { return }
    for number in turned { touch(number) }
    bringToPresent()
    settle()
  }

  /// Comparisons that are otherwise just after the instant than their slots say.
  private func noteFixups(_ group: ContinuousGroup) {
    for row in group.guards where machine.poison(at: row.new + row.slot) == nil {
      let agrees = row.new[row.slot].bool == row.holds
      if isSilent(row.owner) { continue }
      if agrees {
        muted[row.owner] = nil
      } else if !row.holds || muted[row.owner] == nil {
        let isLeaving = row.limitTime == reactor.now.seconds
        fixups.append(Fixup(owner: row.owner, isSilent: row.isNew, isLeaving: isLeaving))
      }
    }
    group.forgetBirths()
  }

  /// Puts down among the entries' words what stands still until an instant touches what it reads, for an image.
  func noteWhatStands() {
    for case let group? in groups {
      for row in group.integrals {
        let flags =
          (row.isFrozen ? StandingState.isFrozen : 0) | (row.isReported ? StandingState.isReported : 0)
          | (row.isStuck ? StandingState.isStuck : 0)
        note(flags, of: row.owner)
      }
      for row in group.guards { note(row.isStuck ? StandingState.isStuck : 0, of: row.owner) }
    }
  }

  private func note(_ flags: UInt64, of owner: RowOwner) {
    guard let frame = FrameRef(bitPattern: owner.frame) else { return }
    let entry = frame.pointee.template.pointee.entries[Int(owner.entry)]
    frame.pointee.state[Int(entry.state) + StandingState.flags] = Word(flags)
  }

  func mute(_ owner: RowOwner) { muted[owner] = reactor.now.seconds }

  /// Whether what a comparison does now is still part of what faulted.
  func isSilent(_ owner: RowOwner) -> Bool {
    guard let since = muted[owner] else { return false }
    return reactor.now.seconds - since < 1e-9
  }

  // MARK: The host of groups

  func pause() {
    areSlotsCurrent = false
    reactor.collectIfNeeded()
  }

  var isBrokenOff: Bool { !reactor.isRunning && (machine.isCallStopped || reactor.isEndWanted?() == true) }

  /// Between instants what is followed has the time of an instant, call by call.
  func grantTime() {
    if reactor.isRunning { return }
    machine.grant(steps: stepBudget, seconds: reactor.limits.secondsPerInstant)
    machine.heap.stopMetering()
  }

  func didFreeze(_ group: ContinuousGroup) {
    // The others have as long.
    grantTime()
    frozen.insert(group.number)
    refresh(group.number)
  }

  func didStick(_ group: ContinuousGroup, _ guards: [Int], at seconds: Double) {
    frozen.insert(group.number)
    untold.append((stillFault(guards.map { group.guards[$0].node }), group.guards[guards[0]].node, seconds))
  }

  /// Tells of what cannot be decided, after the instant in which it was found.
  func tellWhatStands() {
    let list = untold
    untold.removeAll()
    for (fault, node, seconds) in list { report(fault, node: node, at: seconds) }
  }

  /// Comparisons of which no outcome holds, with a way out.
  func stillFault(_ comparisons: [NodeID], _ others: [NodeID] = []) -> Fault {
    var names: [String] = []
    for node in comparisons + others where !core[node].definition.isEmpty && !names.contains(core[node].definition) {
      names.append(core[node].definition)
    }
    let list = names.isEmpty ? "" : " (\(names.map { "`\($0)`" }.joined(separator: ", ")))"
    return Fault(
      .limit(.microsteps),
      "the clock cannot get past this moment: each crossing causes the next one at once\(list); "
        + "hysteresis helps: let a comparison become false at another limit than that at which it becomes true",
      at: core[comparisons[0]].span)
  }

  func report(_ fault: Fault, node: NodeID, at seconds: Double) {
    let moment = reactor.now
    reactor.live.now = Moment(located: seconds)
    reactor.live.runningNode = node
    reactor.report(fault, isBetweenInstants: true)
    reactor.live.now = moment
  }
}
