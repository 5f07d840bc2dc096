// A scope starts: every entry gets its first value, in the order of the template.
//
// 1. What is known at once: constants, then start values, counts, durations, which may read them. 2. What follows from
//    it: lifts, scopes, conditions.
// Late entries of inner scopes follow when the owner's late part runs. Nothing occurs at a start, except `start`.

import FRPCore
import FRPGraph

extension Reactor {
  // MARK: The program

  func startProgram() throws(Fault) {
    live.isStarting = true
    beginInstant()
    enroll(live.root, parent: nil, owner: -1)
    live.root.pointee.birthDepth = 0
    try startFrame(live.root, isGroup: false)
    // What starts with the program is there when `start` occurs, and sees it; what was pulled until now is what was then.
    live.instant += 1
    machine.epoch &+= 1
    for site in live.startEntries {
      if site.entry.pointee.kind == .updates { showFirst(site) } else { try showOne(site, Word.unit) }
    }
    live.startEntries.removeAll()
    try run(live.root, below: templates[0].count)
    live.touchedOutputs.removeAll()
    for output in plan.outputs where output.entry >= 0 && !output.isContinuous {
      let info = live.root.pointee.info[Int(output.entry)]
      if output.isEvent ? info.instant == live.instant : isDue(output.entry) {
        live.touchedOutputs.append(output.entry)
      }
    }
    for node in plan.core.watched where plan.entryOfNode[node.index] >= 0 && isDue(plan.entryOfNode[node.index]) {
      live.touchedOutputs.append(plan.entryOfNode[node.index])
    }
    try gatherOutputs()
    try machine.checkGivenUp()
    commit()
    settleBirth(live.root)
    live.isStarting = false
    live.isRunning = true
    deliver()
    live.isRunning = false
    collectIfNeeded()
  }

  /// Whether a behavior of the program owes its value now that it has started.
  private func isDue(_ entry: Int32) -> Bool {
    let slot = Int(templates[0].entries[Int(entry)].slot)
    return !startsWithoutValues || slot < 0 || machine.poison(at: live.root.pointee.new + slot) == nil
  }

  // MARK: Frames

  /// Starts the early part of a new frame. Groups are handed an occurrence at once: the instant that makes them is one
  /// they see, so what is read as just before must be known too, and what changes in it has changed for them.
  func startFrame(_ frame: FrameRef, isGroup: Bool) throws(Fault) {
    let template = frame.pointee.template
    if live.isAdopting { findImage(of: frame) }
    frame.pointee.isGroup = isGroup
    if live.isAdopting {
      for place in 0..<template.pointee.constantCount {
        try startValue(frame, Int(template.pointee.starters[place]))
      }
      for index in 0..<template.pointee.count where template.pointee.entries[index].kind != .constant {
        try startValue(frame, index)
      }
      for index in 0..<template.pointee.earlyCount { try startDependent(frame, index, isGroup: isGroup) }
    } else {
      for place in 0..<template.pointee.starterCount {
        try startValue(frame, Int(template.pointee.starters[place]))
      }
      for place in 0..<template.pointee.earlyDependentStarterCount {
        try startDependent(frame, Int(template.pointee.dependentStarters[place]), isGroup: isGroup)
      }
    }
    if isGroup { try startWhatIsReadBefore(frame) }
    frame.pointee.needsLateStart = template.pointee.earlyCount < template.pointee.count
    if frame.pointee.needsLateStart { queueLate(frame) }
    if template.pointee.isContinuous { startContinuous(frame) }
    forgetPulled(frame)
  }

  /// What a group has pulled while it started it may pull otherwise as the instant goes on.
  private func forgetPulled(_ frame: FrameRef) {
    if frame.pointee.isGroup { machine.epoch += 1 }
  }

  /// Values of the late part of a group, which its early part may read as they were just before its first occurrence.
  /// They are made again when the late part starts.
  private func startWhatIsReadBefore(_ frame: FrameRef) throws(Fault) {
    let template = frame.pointee.template
    for index in template.pointee.earlyCount..<template.pointee.count {
      if template.pointee.entries[index].kind.start.isSuperset(of: .withOthers) {
        try startDependent(frame, index, isGroup: true)
      }
    }
    cureWhatStarts(frame, template.pointee.earlyCount..<template.pointee.count)
  }

  /// What starts with others, and faulted, has no fault any more: it will start again.
  private func cureWhatStarts(_ frame: FrameRef, _ indices: Range<Int>) {
    for index in indices {
      let entry = frame.pointee.template.pointee.entries[index]
      if entry.slot >= 0, entry.kind.start.isSuperset(of: .withOthers) { cure(frame.pointee.new + Int(entry.slot)) }
    }
  }

  /// A part of a group, which started with what its late part reads as it was before, once more: with what it is now.
  func startPartAgain(_ frame: FrameRef) throws(Fault) {
    if !frame.pointee.isGroup { return }
    let template = frame.pointee.template
    cureWhatStarts(frame, 0..<template.pointee.earlyCount)
    for index in 0..<template.pointee.earlyCount { try startDependent(frame, index, isGroup: frame.pointee.isGroup) }
    forgetPulled(frame)
  }

  /// Starts the late part.
  func startLate(_ frame: FrameRef) throws(Fault) {
    let template = frame.pointee.template
    frame.pointee.needsLateStart = false
    for index in template.pointee.earlyCount..<template.pointee.count {
      try startDependent(frame, index, isGroup: frame.pointee.isGroup)
    }
    forgetPulled(frame)
  }

  /// A slot's value just before and just after.
  @inline(__always)
  func begin(_ site: EntrySite, _ value: Word) {
    let slot = Int(site.entry.pointee.slot)
    site.frame.pointee.old[slot] = value
    site.frame.pointee.new[slot] = value
  }

  func beginFault(_ site: EntrySite, _ fault: Fault) throws(Fault) {
    if fault.kind.endsTheInstant { throw fault }
    begin(site, 0)
    // At the start faults are told when all has started.
    let fault = live.isStarting ? fault.kept(by: site.entry.pointee.node) : fault
    poison(site.frame.pointee.old + Int(site.entry.pointee.slot), fault)
    poison(site.frame.pointee.new + Int(site.entry.pointee.slot), fault)
  }

  func startInput(_ site: EntrySite) throws(Fault) {
    if let value = startValues[Int(site.entry.pointee.count)] {
      begin(site, value)
    } else if site.entry.pointee.plain >= 0 {
      begin(site, try plain(site))
    } else {
      let input = Int(site.entry.pointee.count)
      try beginFault(
        site, Fault(.unsetInput(input), "the input '\(plan.inputs[input].name)' has no value yet"))
    }
  }

  func startEvery(_ site: EntrySite) throws(Fault) {
    let state = site.state
    let period = try plain(site)
    if period.float <= 0 { throw Fault(.message, "'every' needs a duration above zero") }
    state[TimedState.period] = period
    state[TimedState.startNanoseconds] = Word(bitPattern: now.nanoseconds)
    state[TimedState.startSeconds] = Word(float: now.seconds)
    if site.entry.pointee.count != 0 { align(state) }
    armAtBirth(site, due: nextTick(state))
  }

  /// Makes an `every` count from the last multiple of its period since 1970 that the scope's start has not before it.
  private func align(_ state: Address) {
    let period = state[TimedState.period].float
    let epoch = machine.library.epoch
    let base = ((epoch + now.seconds) / period).rounded(.down) * period - epoch
    if !base.isFinite { return }
    state[TimedState.startSeconds] = Word(float: base)
    state[TimedState.startNanoseconds] = Word(bitPattern: Clock.nanoseconds(base))
    // Rounding may leave a multiple at the start itself, which does not count.
    if nextTick(state) <= now.nanoseconds { state[TimedState.ticks] &+= 1 }
  }

  /// Arms a timer of a scope that starts; if the instant is undone, the scope's release disarms it.
  @inline(__always)
  private func armAtBirth(_ site: EntrySite, due: Int64) {
    if due <= now.nanoseconds {
      cause(site)
    } else if due != Clock.never {
      let row = live.timers.make(for: site)
      site.state[TimedState.timer] = Word(row) + 1
      live.timers.arm(row, due: due)
    }
  }

  // MARK: What follows from other values

  func startLift(_ site: EntrySite, isGroup: Bool) throws(Fault) {
    try begin(site, with: code(site.entry.pointee.code), isGroup: isGroup)
  }

  func startChosen(_ site: EntrySite, isGroup: Bool) throws(Fault) {
    if site.entry.pointee.slot < 0 || site.entry.pointee.isContinuous { return }
    let home = outer(site.frame, site.entry.pointee.first.up)
    let chooser = home.pointee.template.pointee.entries + Int(site.entry.pointee.first.entry)
    guard let child = current(home, chooser) else { return }
    let result = child.pointee.template.pointee.results[Int(site.entry.pointee.count)]
    try startResult(site, result, of: child)
    if isGroup { startAsBefore(site, result, of: child) }
  }

  func startAfter(_ site: EntrySite) throws(Fault) {
    let delay = try plain(site).float
    let time = delay <= 0 ? now.nanoseconds : Clock.due(now, after: delay)
    armAtBirth(site, due: time)
  }

  func startTime(_ site: EntrySite) {
    begin(site, Word(float: now.seconds))
    site.frame.pointee.old[Int(site.entry.pointee.slot) + 1] = UInt64.max
    site.frame.pointee.new[Int(site.entry.pointee.slot) + 1] = UInt64.max
  }

  /// A `switch` starts with its first behavior.
  func startFirst(_ site: EntrySite, isGroup: Bool) throws(Fault) {
    try begin(site, with: code(site.entry.pointee.plain), isGroup: isGroup)
  }

  /// Begins with what an expression is now; just before the instant that made it, a group had what it was then.
  private func begin(_ site: EntrySite, with function: CodeID, isGroup: Bool) throws(Fault) {
    if isGroup {
      return try begin(site) { (isOld) throws(Fault) in
        try machine.run(function, base: isOld ? site.frame.pointee.old : site.frame.pointee.new)
      }
    }
    do throws(Fault) {
      begin(site, try machine.run(function, base: site.frame.pointee.new))
    } catch {
      try beginFault(site, error)
    }
  }

  /// The beginning in a group, which has a value now and had one just before.
  func begin(_ site: EntrySite, _ value: (_ isOld: Bool) throws(Fault) -> Word) throws(Fault) {
    do throws(Fault) {
      begin(site, try value(false))
    } catch {
      try beginFault(site, error)
    }
    let slot = site.frame.pointee.old + Int(site.entry.pointee.slot)
    do throws(Fault) {
      cure(slot)
      slot.pointee = try value(true)
    } catch {
      poison(slot, error)
    }
  }

  /// Starts as another behavior is.
  func startResult(_ site: EntrySite, _ result: Operand, of child: FrameRef) throws(Fault) {
    let slot = outer(child, result.up).pointee.new + Int(result.slot)
    if let fault = machine.poison(at: slot) {
      try beginFault(site, fault)
    } else {
      begin(site, slot.pointee)
    }
  }

  /// A group sees the instant that made it: what a behavior was just before it is what the other one was.
  private func startAsBefore(_ site: EntrySite, _ result: Operand, of child: FrameRef) {
    let source = outer(child, result.up).pointee.old + Int(result.slot)
    let slot = site.frame.pointee.old + Int(site.entry.pointee.slot)
    if let fault = machine.poison(at: source) {
      poison(slot, fault)
    } else {
      cure(slot)
      slot.pointee = source.pointee
    }
  }

  /// A delayed behavior starts with the first value of what it delays. A group sees the instant that made it, so there
  /// the first value is the one just before, and a change in that instant is one to be delayed.
  func startDelay(_ site: EntrySite, isGroup: Bool) throws(Fault) {
    if !isGroup { return try startResult(site, site.entry.pointee.first, of: site.frame) }
    let home = outer(site.frame, site.entry.pointee.first.up)
    let before = home.pointee.old + Int(site.entry.pointee.first.slot)
    let after = home.pointee.new + Int(site.entry.pointee.first.slot)
    let fault = machine.poison(at: before)
    if let fault { try beginFault(site, fault) } else { begin(site, before.pointee) }
    let faultNow = machine.poison(at: after)
    let isSame = fault == nil ? faultNow == nil && before.pointee == after.pointee : faultNow != nil
    if !isSame { mark(site.frame, Int(site.entry.pointee.partner)) }
  }

  func startWatch(_ site: EntrySite, isGroup: Bool) throws(Fault) {
    let source = site.frame.pointee.template.pointee.entries[Int(site.entry.pointee.partner)]
    let home = outer(site.frame, site.entry.pointee.first.up)
    let slot = (isGroup ? home.pointee.old : home.pointee.new) + Int(site.entry.pointee.first.slot)
    if let fault = machine.poison(at: slot) { throw fault }
    site.frame.pointee.state[Int(source.state) + WhenState.seen] = slot.pointee & 1
    if isGroup { mark(site) }
  }
}
