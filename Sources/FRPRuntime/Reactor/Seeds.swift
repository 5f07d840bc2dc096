// What opens an instant: caused steps, timers, crossings, inputs, the end. And what an instant shows.

import FRPBase
import FRPCore
import FRPGraph

extension Reactor {
  // MARK: What is caused

  /// Whether something is caused that has not happened yet.
  @inline(__always)
  public var hasCaused: Bool {
    (live.caused.count | live.sentNext.count | live.hostEnds.count | live.awaits.due.count) != 0 || hasFixups
  }

  /// Whether comparisons must be put right (see `ContinuousSolver.fixups`).
  private var hasFixups: Bool { live.hasSolver && !live.isClockOnly && live.solver?.fixups.isEmpty == false }

  /// Runs the next micro-step, if anything is caused. Gives whether there was.
  func runCaused() -> Bool {
    if isOver || isRunning || !hasCaused { return false }
    live.causedSteps += 1
    if live.causedSteps > limits.microsteps { live.solver?.dropFixups() }
    swap(&live.caused, &live.firing)
    live.now.step += 1
    if live.sentNext.isEmpty, live.hostEnds.isEmpty, live.awaits.due.isEmpty, !hasFixups {
      runFiring()
    } else {
      runFiringWithOthers()
    }
    live.firing.removeAll()
    if live.causedSteps > limits.microsteps { endCycle() }
    return true
  }

  /// What most micro-steps are.
  private func runFiring() {
    beginInstant()
    do throws(Fault) {
      try fireAll()
      try checkCycle()
      try showTasks()
      try seedArrivals()
      try runSeeded()
    } catch {
      giveUp(error)
    }
    checkInvariants()
    collectIfNeeded()
  }

  private func runFiringWithOthers() {
    var sent: [(port: Int, value: Word)] = []
    for row in live.sentNext.buffer { sent.append((row.port, row.value)) }
    live.sentNext.removeAll()
    let ends = live.hostEnds
    live.hostEnds = []
    let awaited = live.awaits.due
    live.awaits.due = []
    let isAlone = live.firing.count == 0 && sent.isEmpty && ends.isEmpty && awaited.isEmpty
    let turned = hasFixups ? live.solver?.takeFixups(leaving: isAlone) : nil
    runInstant { () throws(Fault) in
      // What was sent, and what tasks ended with, is seen by no collection before it has been seeded.
      try machine.holdingStill { () throws(Fault) in
        if let turned, let solver = live.solver {
          if isAlone, turned.seeds.allSatisfy(\.isSilent), let first = turned.seeds.map(\.frame.pointee.born).min() {
            solver.begun = (in: live.instant, first: first)
          }
          try seedCrossings(turned.seeds, solver)
        }
        // What ends ends, whatever else faults.
        try seedAll(3) { (part) throws(Fault) in
          switch part {
          case 0: try fireAll()
          case 1: try seedAll(ends.count) { (index) throws(Fault) in try endHost(ends[index]) }
          default: try end(awaiting: awaited)
          }
        }
        try checkCycle()
        try showTasks()
        for index in live.arrivedInputs.indices {
          let row = live.arrivedInputs[index]
          sent.append((row.port, row.value))
        }
        if !sent.isEmpty { try seed(sent.count) { index in sent[index] } }
      }
    }
  }

  /// Lets everything fire that was caused. All of it is consumed, even when one faults.
  @inline(__always)
  private func fireAll() throws(Fault) {
    if live.firing.count == 1 { return try fireCaused(live.firing[0]) }
    try fireEach()
  }

  @inline(never)
  private func fireEach() throws(Fault) {
    var fault: Fault?
    for index in live.firing.range {
      do throws(Fault) { try fireCaused(live.firing[index]) } catch { fault = fault ?? error }
    }
    if let fault { throw fault }
  }

  /// Lets several things fire. All of them are consumed, even when one faults.
  private func seedAll(_ count: Int, _ body: (Int) throws(Fault) -> Void) throws(Fault) {
    var fault: Fault?
    for index in 0..<count {
      do throws(Fault) { try body(index) } catch { fault = fault ?? error }
    }
    if let fault { throw fault }
  }

  @inline(__always)
  private func fireCaused(_ step: CausedStep) throws(Fault) {
    guard step.frame.pointee.generation == step.generation, step.frame.pointee.isLive else { return }
    if step.step < 0 {
      try fire(step.frame, Int(step.entry))
    } else if live.tasks.isLive(step.step, step.serial) {
      // What a task does is not taken back with its instant: where it took part in a cycle, it would go on for ever.
      if live.causedSteps > limits.microsteps { return stop(live.tasks.steps[Int(step.step)].run) }
      try fireTask(step.step)
    }
  }

  /// Something causes itself without end: the instant faults like any other, so that what fired in it is consumed.
  @inline(__always)
  private func checkCycle() throws(Fault) {
    if live.causedSteps > limits.microsteps { throw cycleFault() }
  }

  /// Names the definitions that were about to go on.
  @inline(never)
  private func cycleFault() -> Fault {
    var names: [String] = []
    for step in live.firing.buffer where step.frame.pointee.generation == step.generation && step.frame.pointee.isLive {
      let node = step.frame.pointee.template.pointee.entries[Int(step.entry)].node
      live.runningNode = node
      let name = plan.core[node].definition
      if !name.isEmpty, !names.contains(name) { names.append(name) }
    }
    let list = names.isEmpty ? "" : ": \(names.joined(separator: ", "))"
    return Fault(
      .limit(.microsteps), "more than \(limits.microsteps) steps at one moment, each caused by the one before\(list)",
      at: plan.core.nodes.isEmpty ? .none : plan.core[live.runningNode].span)
  }

  /// Comparisons that took part in it are put right no more before they were otherwise.
  @inline(never)
  private func endCycle() {
    live.causedSteps = 0
    live.solver?.dropFixups()
  }

  // MARK: Timers

  /// One instant with all timers that are due at the present time; those that are late only where no others are.
  func runTimers() { runTimers(through: now.nanoseconds) }

  /// The same with those that are due up to a time, at the present one.
  func runTimers(through time: Int64) {
    live.causedSteps = 0
    openStep()
    let isLate = live.timers.isFirstLate
    runInstant { () throws(Fault) in
      var fault: Fault?
      while live.timers.count > 0, live.timers.nextDue <= time, live.timers.isFirstLate == isLate {
        do throws(Fault) { try fireTimer(live.timers.first) } catch { fault = fault ?? error }
      }
      if !live.tasksDue.isEmpty {
        do throws(Fault) { try fireTasksDue() } catch { fault = fault ?? error }
      }
      if let fault { throw fault }
      try showTasks()
      try seedArrivals()
    }
  }

  /// What sources have brought for inputs.
  private func seedArrivals() throws(Fault) {
    if live.arrivedInputs.isEmpty { return }
    try seed(live.arrivedInputs.count) { index in (live.arrivedInputs[index].port, live.arrivedInputs[index].value) }
  }

  private func fireTimer(_ row: Int32) throws(Fault) {
    let timer = live.timers.rows[Int(row)]
    live.timers.disarm(row)
    live.timers.free(row)
    guard let frame = timer.frame else { return }
    let entry = frame.pointee.template.pointee.entries[Int(timer.entry)]
    if entry.kind == .perform {
      live.tasks.steps[Int(timer.tag)].timer = 0
      live.tasksDue.append((timer.tag, live.tasks.steps[Int(timer.tag)].serial))
    } else {
      frame.pointee.state[Int(entry.state) + TimedState.timer] = 0
      try fire(frame, Int(timer.entry))
    }
  }

  /// The same for what comes from outside, which is at a whole nanosecond, also where a crossing lies just before it.
  @inline(__always)
  func openStepFromOutside() {
    if live.hasSolver {
      live.inputDue = Clock.never
      let whole = Moment(nanoseconds: now.nanoseconds)
      if now.seconds < whole.seconds { moveClock(to: whole) }
    }
    openStep()
  }

  /// The next free micro-step of the present time, for what is not caused.
  @inline(__always)
  func openStep() {
    if live.hasStepped { live.now.step &+= 1 }
    live.hasStepped = true
  }

  func moveClock(to moment: Moment) {
    if moment.nanoseconds != now.nanoseconds || moment.seconds != now.seconds { live.hasStepped = false }
    live.now = moment
    clockMoved()
  }

  // MARK: Inputs

  func sending(_ list: [(port: Int, value: Word)]) {
    if !hasStarted { return }
    for (port, value) in list { live.waiting.append(Sent(port: port, value: value)) }
    defer { live.waiting.removeAll() }
    collectBeforeCall()
    while runCaused() {}
    if isOver { return }
    live.causedSteps = 0
    openStepFromOutside()
    runInstant { () throws(Fault) in
      try seed(list.count) { index in (live.waiting[index].port, live.waiting[index].value) }
    }
    live.waiting.removeAll()
    while runCaused() {}
  }

  /// Lets one input occur, or sets it.
  @inline(__always)
  func seed(_ port: Int, _ value: Word) throws(Fault) {
    guard port >= 0, port < inputCount, case let index = Int(inputs[port].entry), index >= 0 else { return }
    if inputs[port].isEvent {
      let start = live.occurrenceCount
      try add(value)
      show(EntrySite(live.root, index), from: start, count: 1)
    } else {
      store(EntrySite(live.root, index), value)
    }
  }

  /// Lets inputs occur and sets input behaviors; of a behavior the last counts.
  private func seed(_ count: Int, _ item: (Int) -> (port: Int, value: Word)) throws(Fault) {
    for place in 0..<count {
      let (port, value) = item(place)
      guard port >= 0, port < inputCount else { continue }
      let input = inputs[port]
      if input.entry < 0 { continue }
      let site = EntrySite(live.root, Int(input.entry))
      if input.isEvent {
        if live.root.pointee.info[Int(input.entry)].instant == live.instant { continue }
        let start = live.occurrenceCount
        try add(value)
        for later in place + 1..<max(place + 1, count) {
          let next = item(later)
          if next.port == port { try add(next.value) }
        }
        emit(site, from: start)
      } else {
        var last = value
        for later in place + 1..<max(place + 1, count) {
          let next = item(later)
          if next.port == port { last = next.value }
        }
        store(site, last)
      }
    }
  }

  // MARK: The end

  /// The last instant: every `end` occurs.
  func runEnd() {
    live.causedSteps = 0
    openStepFromOutside()
    runInstant { () throws(Fault) in
      for number in 0..<live.frames.count {
        guard let frame = live.frames.frames[number] else { continue }
        for index in 0..<frame.pointee.template.pointee.count
        where frame.pointee.template.pointee.entries[index].kind == .end {
          try showOne(EntrySite(frame, index), Word.unit)
        }
      }
    }
  }

  // MARK: What an instant shows

  /// Turns touched outputs into changes, in order of declaration. An output that has no value is a fault.
  @inline(__always)
  func gatherOutputs() throws(Fault) {
    live.outputChanges.removeAll()
    let count = live.touchedOutputs.count
    if count == 0 { return }
    if count == 1, gatherOne() { return }
    try gatherTouched()
  }

  /// The changes of the only entry that is touched, if one output shows it.
  @inline(__always)
  private func gatherOne() -> Bool {
    let live = liveState
    let entry = Int(live.pointee.touchedOutputs[0])
    let output = Int(firstOutput[entry])
    if output < 0 || machine.state.pointee.poisonCount != 0 { return false }
    let row = outputs + output
    if row.pointee.next >= 0 || row.pointee.isContinuous { return false }
    let root = live.pointee.root
    if row.pointee.isEvent {
      let info = root.pointee.info + entry
      var place = live.pointee.occurrences + Int(info.pointee.start)
      let end = place + Int(info.pointee.count)
      while place < end {
        live.pointee.outputChanges.append(OutputChange(output: output, value: place.pointee))
        place += 1
      }
    } else {
      let value = root.pointee.new[Int(row.pointee.slot)]
      live.pointee.outputChanges.replaceAll(with: OutputChange(output: output, value: value))
    }
    live.pointee.touchedOutputs.removeAll()
    return true
  }

  @inline(never)
  private func gatherTouched() throws(Fault) {
    let live = liveState
    let count = live.pointee.touchedOutputs.count
    if count > 1 { sortTouched() }
    var touched = live.pointee.touchedOutputs.start
    let end = touched + count
    let (outputs, firstOutput) = (self.outputs, self.firstOutput)
    let root = live.pointee.root
    var last: Int32 = -1
    var newest = -1
    var isSorted = true
    while touched < end {
      let entry = touched.pointee
      touched += 1
      if entry == last { continue }
      last = entry
      var output = Int(firstOutput[Int(entry)])
      if output < 0 { try checkWatched(entry) }
      while output >= 0 {
        if output < newest { isSorted = false }
        newest = output
        let row = outputs + output
        if row.pointee.isEvent {
          let info = root.pointee.info + Int(entry)
          var place = live.pointee.occurrences + Int(info.pointee.start)
          let last = place + Int(info.pointee.count)
          while place < last {
            live.pointee.outputChanges.append(OutputChange(output: output, value: place.pointee))
            place += 1
          }
        } else if !row.pointee.isContinuous {
          let slot = root.pointee.new + Int(row.pointee.slot)
          if machine.state.pointee.poisonCount != 0, let fault = machine.poison(at: slot) { throw fault }
          live.pointee.outputChanges.append(OutputChange(output: output, value: slot.pointee))
        }
        output = Int(row.pointee.next)
      }
    }
    live.pointee.touchedOutputs.removeAll()
    if !isSorted { sortChanges() }
  }

  /// A behavior that is watched and that nobody shows: its fault counts.
  private func checkWatched(_ entry: Int32) throws(Fault) {
    let slot = Int(templates[0].entries[Int(entry)].slot)
    if slot >= 0, let fault = machine.poison(at: live.root.pointee.new + slot) { throw fault }
  }

  /// Entries run in their order, so what they have touched is sorted but for what was seeded or run late.
  @inline(never)
  private func sortTouched() {
    let touched = live.touchedOutputs.buffer
    var place = touched.startIndex &+ 1
    while place < touched.count {
      if touched[place &- 1] > touched[place] {
        var rows = touched
        rows.sort()
        return
      }
      place &+= 1
    }
  }

  /// By output; occurrences of one stay in order. Insertion: the list is short or nearly sorted. It may be empty: what
  /// was touched need not be shown.
  private func sortChanges() {
    for index in stride(from: 1, to: live.outputChanges.count, by: 1) {
      let change = live.outputChanges[index]
      var place = index
      while place > 0, live.outputChanges[place - 1].output > change.output {
        live.outputChanges[place] = live.outputChanges[place - 1]
        place -= 1
      }
      live.outputChanges[place] = change
    }
  }

  func deliver() {
    if live.outputChanges.isEmpty { return }
    guard let observer = live.observer else { return }
    // Whoever sets another observer meanwhile keeps this one alive.
    observer._withUnsafeGuaranteedRef {
      if $0.isNeeded.pointee { $0.call(now, UnsafeBufferPointer(live.outputChanges.buffer)) }
    }
  }

  /// Whether somebody wants to know what instants show.
  @inline(__always)
  var isHeard: Bool {
    guard let observer = live.observer else { return false }
    return observer._withUnsafeGuaranteedRef { $0.isNeeded.pointee }
  }
}
