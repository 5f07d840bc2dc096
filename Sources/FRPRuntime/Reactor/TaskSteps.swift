// How tasks go on: a part begins, a part ends, and what that means for the whole. A worklist, no recursion: a task may
// be as deep as memory allows.
//
// Within an instant a task goes on as far as it can: what follows an `andThen` begins in the instant that ended the
// first part. Only the task as a whole never ends in the instant that began it. Ending beats a timeout at the same
// time: timeouts are looked at when everything else that is due in what they limit has fired. Of parts of a list that end at
// one time the first counts.

import FRPCore
import FRPGraph

/// What is to be done next in the tree of a task.
enum TaskAction {
  case begin(Int32, UInt64)
  case end(Int32, UInt64, isOk: Bool, Word)
}

extension Reactor {
  /// More parts than this that begin one another at one moment are a cycle. The parts of a list that is there are not
  /// counted: they come to an end.
  private static let partsPerInstant = 1_000_000

  /// A step's time has come.
  func fireTask(_ step: Int32) throws(Fault) {
    let row = live.tasks.steps[Int(step)]
    let task = TaskValue(row.task)
    switch task.kind {
    case .after: try goOn([.end(step, row.serial, isOk: true, task.delayedValue)], row.run)
    case .timeout: live.timeoutsDue.append((step, row.serial))
    case .lane: try fireLane(step, row.serial)
    case .retryWith, .reconnect:
      if task.kind == .reconnect { setLink(row.run, .opening) }
      let inner = live.tasks.makeStep(task.inner.word, run: row.run, parent: step, place: 0)
      try goOn([.begin(inner, live.tasks.steps[Int(inner)].serial)], row.run)
    default: break
    }
  }

  /// Lets all steps go on whose timers have come. Those of one task in the order of its lists, so that of parts that end at one
  /// time the first of a list counts; a timeout comes after what it limits.
  func fireTasksDue() throws(Fault) {
    live.tasksDue.sort { live.tasks.comesBefore($0.step, $1.step) }
    var fault: Fault?
    var place = 0
    while place < live.tasksDue.count {
      let (step, serial) = live.tasksDue[place]
      place += 1
      guard live.tasks.isLive(step, serial) else { continue }
      do throws(Fault) {
        if TaskValue(live.tasks.steps[Int(step)].task).kind == .timeout {
          try fireTimeout(step, serial)
        } else {
          try fireTask(step)
        }
      } catch { fault = fault ?? error }
    }
    live.tasksDue.removeAll(keepingCapacity: true)
    if let fault { throw fault }
  }

  /// Fires the timeouts that are due and shows what has ended.
  @inline(__always)
  func showTasks() throws(Fault) {
    if live.timeoutsDue.count | live.performsToShow.count != 0 { try showTasksThatEnd() }
  }

  private func showTasksThatEnd() throws(Fault) {
    if live.timeoutsDue.count > 1 {
      live.timeoutsDue.removeAll { !live.tasks.isLive($0.step, $0.serial) }
      live.timeoutsDue.sort { live.tasks.comesBefore($1.step, $0.step) }
    }
    while let timeout = live.timeoutsDue.popLast() { try fireTimeout(timeout.step, timeout.serial) }
    for perform in live.performsToShow { try showEnded(perform) }
  }

  /// The limit of a task's time has come, and nothing else that is due has ended the task.
  func fireTimeout(_ step: Int32, _ serial: UInt64) throws(Fault) {
    guard live.tasks.isLive(step, serial) else { return }
    let row = live.tasks.steps[Int(step)]
    let limit = TaskValue(row.task).limit
    let error = try heap.error("timeout after \(limit) s")
    try goOn([.end(step, serial, isOk: false, error)], row.run)
  }

  /// Does what is to be done until the task waits or has ended. A fault drops the task for good.
  func goOn(_ first: [TaskAction], _ run: Int32) throws(Fault) {
    // What the actions hold is seen by no collection.
    machine.state.pointee.stillness += 1
    defer { machine.state.pointee.stillness -= 1 }
    var actions = first
    var parts = 0
    do throws(Fault) {
      while let action = actions.popLast() {
        try machine.step()
        if case .begin(let step, let serial) = action, live.tasks.isLive(step, serial), !isListed(step) { parts += 1 }
        if parts > Reactor.partsPerInstant {
          throw Fault(.limit(.microsteps), "a task goes on without end at one moment")
        }
        switch action {
        case .begin(let step, let serial):
          if live.tasks.isLive(step, serial) { try begin(step, &actions) }
        case .end(let step, let serial, let isOk, let value):
          if live.tasks.isLive(step, serial) { try end(step, isOk, value: value, actions: &actions) }
        }
      }
    } catch {
      stop(run)
      throw error
    }
  }

  /// A limit was met in a task's own function: there is nothing it could end with.
  func stop(_ run: Int32) {
    live.runningNode = live.tasks.runs[Int(run)].perform.entryNode
    abandon(run)
  }

  /// Whether a step is one of a list of tasks.
  private func isListed(_ step: Int32) -> Bool {
    let parent = live.tasks.steps[Int(step)].parent
    if parent < 0 { return false }
    switch TaskValue(live.tasks.steps[Int(parent)].task).kind {
    case .all, .race: return true
    default: return false
    }
  }

  private func abandon(_ run: Int32) {
    if live.tasks.runs[Int(run)].began == live.instant { return }
    let perform = live.tasks.runs[Int(run)].perform
    let words =
      perform.frame.pointee.state
      + Int(perform.frame.pointee.template.pointee.entries[perform.entry].state)
    words[PerformState.busyCount] -= 1
    dropRun(run)
    showSoon(perform)
  }

  private func part(_ task: Word, of parent: Int32, place: Int, actions: inout [TaskAction]) {
    let step = live.tasks.makeStep(task, run: live.tasks.steps[Int(parent)].run, parent: parent, place: place)
    actions.append(.begin(step, live.tasks.steps[Int(step)].serial))
  }

  // MARK: Beginning

  private func begin(_ step: Int32, _ actions: inout [TaskAction]) throws(Fault) {
    let row = live.tasks.steps[Int(step)]
    let task = TaskValue(row.task)
    switch task.kind {
    case .succeed: actions.append(.end(step, row.serial, isOk: true, task.value))
    case .fail: actions.append(.end(step, row.serial, isOk: false, task.error))
    case .after: wait(step, task.delay)
    case .map, .andThen, .recover, .retry, .retryWith, .sourceMap, .sourceFilterMap, .reconnect:
      part(task.inner.word, of: step, place: 0, actions: &actions)
    case .timeout:
      wait(step, task.limit)
      part(task.inner.word, of: step, place: 0, actions: &actions)
    case .all, .race: try beginAll(step, task, actions: &actions)
    case .host:
      live.hasTaskWork = true
      live.hostStarts.append(TaskToken(step: step, serial: row.serial))
    case .awaited: wait(step, for: task)
    case .lane: beginLane(step, task)
    case .standIn:
      live.hasTaskWork = true
      live.answeredCalls.append(task.inner.word)
      part(task.answer.word, of: step, place: 1, actions: &actions)
    }
  }

  private func beginAll(_ step: Int32, _ task: TaskValue, actions: inout [TaskAction]) throws(Fault) {
    let list = task.tasks
    if list.count == 0 {
      if task.kind == .all {
        actions.append(.end(step, live.tasks.steps[Int(step)].serial, isOk: true, heap.emptyList))
      }
      return
    }
    if task.kind == .all {
      let values = Address.allocate(capacity: list.count)
      values.initialize(repeating: 0, count: list.count)
      live.tasks.steps[Int(step)].values = Word(values)
      live.tasks.steps[Int(step)].partCount = list.count
      live.tasks.steps[Int(step)].count = list.count
    }
    // The last action is done first.
    for place in stride(from: list.count - 1, through: 0, by: -1) {
      part(list[place], of: step, place: place, actions: &actions)
    }
  }

  /// Lets a step fire after some seconds; at the next micro-step if that is not after now.
  func wait(_ step: Int32, _ seconds: Double) {
    let perform = live.tasks.runs[Int(live.tasks.steps[Int(step)].run)].perform
    let due = seconds <= 0 ? now.nanoseconds : Clock.due(now, after: seconds)
    if due <= now.nanoseconds {
      let next = CausedStep(
        frame: perform.frame, generation: perform.frame.pointee.generation, entry: Int32(perform.entry), step: step,
        serial: live.tasks.steps[Int(step)].serial)
      let isNew = live.tasks.runs[Int(live.tasks.steps[Int(step)].run)].began == live.instant
      if isNew { live.causedNext.append(next) } else { live.causedForGood.append(next) }
    } else if due != Clock.never {
      let timer = live.timers.make(for: EntrySite(perform.frame, perform.entry), tag: step)
      live.tasks.steps[Int(step)].timer = Word(timer) + 1
      live.timers.arm(timer, due: Clock.adding(due, live.sinceEnd))
    }
  }

  // MARK: Ending

  private func end(_ step: Int32, _ isOk: Bool, value: Word, actions: inout [TaskAction]) throws(Fault) {
    let row = live.tasks.steps[Int(step)]
    detach(step)
    live.tasks.steps[Int(step)].isHosts = false
    dropStep(step)
    if row.parent < 0 {
      endRun(row.run, isOk, value: value)
      return
    }
    let parent = row.parent
    let whole = live.tasks.steps[Int(parent)]
    let task = TaskValue(whole.task)
    func pass(_ isOk: Bool, _ value: Word) { actions.append(.end(parent, whole.serial, isOk: isOk, value)) }
    // A function of the program that faults fails the task.
    func apply(_ argument: Word, _ goOn: (Word) throws(Fault) -> Void) throws(Fault) {
      let result = try machine.attempt(task.function, argument)
      if result.isOk { try goOn(result.value) } else { pass(false, result.value) }
    }
    switch task.kind {
    case .map: if isOk { try apply(value) { pass(true, $0) } } else { pass(false, value) }
    case .andThen, .recover:
      if whole.count == 0, isOk == (task.kind == .andThen) {
        live.tasks.steps[Int(parent)].count = 1
        try apply(value) { part($0, of: parent, place: 1, actions: &actions) }
      } else {
        pass(isOk, value)
      }
    case .retry:
      if isOk || whole.count >= task.count {
        pass(isOk, value)
      } else {
        live.tasks.steps[Int(parent)].count += 1
        part(task.inner.word, of: parent, place: 0, actions: &actions)
      }
    case .retryWith:
      if isOk {
        pass(true, value)
      } else {
        live.tasks.steps[Int(parent)].count += 1
        try apply(Word(int: whole.count + 1)) { pause in
          if pause.isObject { wait(parent, pause.field(0).float) } else { pass(false, value) }
        }
      }
    case .reconnect:
      live.tasks.steps[Int(parent)].count += 1
      setLink(row.run, .retrying, text: isOk ? try heap.string("it ended") : value.field(0))
      try apply(Word(int: whole.count + 1)) { pause in
        if pause.isObject { wait(parent, pause.field(0).float) } else { pass(isOk, value) }
      }
    case .all:
      if !isOk {
        pass(false, value)
      } else if let list = try collected(value, at: row.place, of: parent) {
        pass(true, list)
      }
    default: pass(isOk, value)
    }
  }

  /// The list of an `all` whose part at this place has given a value; nil while others are under way.
  private func collected(_ value: Word, at place: Int32, of parent: Int32) throws(Fault) -> Word? {
    let whole = live.tasks.steps[Int(parent)]
    whole.values.address[Int(place)] = value
    live.tasks.steps[Int(parent)].count -= 1
    if whole.count > 1 { return nil }
    let references = TaskValue(whole.task).hasReferences
    return try heap.list(UnsafePointer(whole.values.address), whole.partCount, references: references)
  }

  /// A whole task has ended: it is shown in this instant if that did not begin it, else in the next micro-step.
  private func endRun(_ run: Int32, _ isOk: Bool, value: Word) {
    let row = live.tasks.runs + Int(run)
    row.pointee.hasEnded = true
    row.pointee.isOk = isOk
    row.pointee.value = value
    linkEnded(run)
    let perform = row.pointee.perform
    if row.pointee.began == live.instant {
      cause(EntrySite(perform.frame, perform.entry))
    } else {
      showSoon(perform)
    }
  }

  // MARK: Hosts

  /// Ends a task of the host, or lets a source of its bring a value, at the present time. One instant, and all that it causes; from inside a callback it is
  /// part of the next micro-step. A token that is no longer wanted is ignored.
  public func tell(_ news: HostNews, of token: TaskToken, value: Word, isReference: Bool) {
    if isOver || !live.tasks.isLive(token.step, token.serial) { return }
    if case .item = news, let port = plainInput(token.step) { return send(port: port, value) }
    live.hostEnds.append(HostEnd(token: token, news: news, isReference: isReference, value: value))
    runHostNews()
  }

  /// Lets what the host said happen, unless an instant is under way: then it is part of the next micro-step.
  func runHostNews() {
    if isRunning { return }
    collectBeforeCall()
    live.causedSteps = 0
    while runCaused() {}
  }

  func endHost(_ end: HostEnd) throws(Fault) {
    guard live.tasks.isLive(end.token.step, end.token.serial) else { return }
    let run = live.tasks.steps[Int(end.token.step)].run
    switch end.news {
    case .opened: setLink(run, .open)
    case .retrying: setLink(run, .retrying, text: end.value)
    case .item: try arrive(end.token.step, end.value)
    case .ok, .failed:
      if end.endsRun {
        dropStep(live.tasks.runs[Int(run)].root)
        live.tasks.runs[Int(run)].root = -1
        return endRun(run, true, value: end.value)
      }
      try goOn([.end(end.token.step, end.token.serial, isOk: end.news == .ok, end.value)], run)
    }
  }
}

extension PerformRef {
  var entryNode: NodeID { frame.pointee.template.pointee.entries[entry].node }
}
