// Tasks under way: one run for each task that is performed, and in it a tree of steps, one for each part that has begun
// and not ended. Rows of two tables, with free lists; a task value itself (TaskValue.swift) is only read.
//
// What ends or goes on because a timer fired is so for good, even if the instant faults for another reason: a task is
// not broken by somebody else's fault. What begins or is cancelled by an occurrence is taken back with its instant; what
// waits in a queue is tried again in the next micro-step, and is gone if it faults itself.

import FRPCore
import FRPGraph

/// The `perform` of a frame.
struct PerformRef: Equatable {
  var frame: FrameRef
  var entry: Int

  init(_ site: EntrySite) { (frame, entry) = (site.frame, site.index) }

  init(frame: FrameRef, entry: Int) { (self.frame, self.entry) = (frame, entry) }
}

/// Names a task of a host while it is under way.
public struct TaskToken: Hashable, Sendable {
  var step: Int32
  var serial: UInt64
}

/// What a host said of a task of its own.
struct HostEnd {
  var token: TaskToken
  var news: HostNews
  var isReference: Bool
  var value: Word
  /// Whether that ends the whole that the task is part of.
  var endsRun = false
}

/// How the source or sink of a port has ended.
struct BindingEnd {
  var binding: Int
  /// Nil if it ended well.
  var message: String?
}

struct TaskRun {
  var perform: PerformRef
  var age: UInt64
  /// Which of those that waited in the queue it was, from 1; 0 if it did not, or before a snapshot.
  var number: UInt64 = 0
  /// The instant that began it.
  var began: UInt64
  var root: Int32
  var previous: Int32
  var next: Int32
  /// Its neighbours among those that have ended and are not shown.
  var previousEnded: Int32
  var nextEnded: Int32
  var hasEnded: Bool
  var isCancelled: Bool
  var isOk: Bool
  /// What it ended with.
  var value: Word
  /// Of a source: how it stands, and why it is opened again.
  var link = LinkCase.opening
  var linkText: Word = 0
}

struct TaskStep {
  /// The task value.
  var task: Word
  var run: Int32
  /// The step it is part of; -1 for the whole task.
  var parent: Int32
  /// Its place among its parent's parts.
  var place: Int32
  var firstPart: Int32
  var previousPart: Int32
  var nextPart: Int32
  var serial: UInt64
  /// Its timer, as `TimerTable` numbers them, + 1.
  var timer: Word
  /// Tries so far, parts still to end, or whether the second part has begun.
  var count: Int
  /// `all`: the values so far, and how many parts there are.
  var values: Word
  var partCount: Int
  var isLive: Bool
  /// Whether the host has been told of it.
  var isHosts: Bool
}

struct TaskTable {
  private(set) var runs: UnsafeMutablePointer<TaskRun>
  private(set) var steps: UnsafeMutablePointer<TaskStep>
  private var runCapacity = 16
  private var stepCapacity = 32
  private(set) var runCount = 0
  private(set) var stepCount = 0
  private var freeRuns: [Int32] = []
  private var freeSteps: [Int32] = []
  private var serial: UInt64 = 0
  private(set) var liveSteps = 0

  init() {
    runs = .allocate(capacity: 16)
    steps = .allocate(capacity: 32)
  }

  func deallocate() {
    runs.deallocate()
    steps.deallocate()
  }

  /// Whether a step goes on before another at one time: by the age of their tasks, and within a task in the order of its
  /// lists, parts before what they are parts of.
  func comesBefore(_ a: Int32, _ b: Int32) -> Bool {
    if steps[Int(a)].run != steps[Int(b)].run { return age(a) < age(b) }
    var (x, y) = (a, b)
    var (depthX, depthY) = (depth(a), depth(b))
    while depthX > depthY { (x, depthX) = (steps[Int(x)].parent, depthX - 1) }
    while depthY > depthX { (y, depthY) = (steps[Int(y)].parent, depthY - 1) }
    if x == y { return a != x }
    while steps[Int(x)].parent != steps[Int(y)].parent { (x, y) = (steps[Int(x)].parent, steps[Int(y)].parent) }
    return steps[Int(x)].place < steps[Int(y)].place
  }

  private func age(_ step: Int32) -> UInt64 {
    let root = runs[Int(steps[Int(step)].run)].root
    return steps[Int(root < 0 ? step : root)].serial
  }

  private func depth(_ step: Int32) -> Int {
    var depth = 0
    var step = steps[Int(step)].parent
    while step >= 0 { (step, depth) = (steps[Int(step)].parent, depth + 1) }
    return depth
  }

  func isLive(_ step: Int32, _ serial: UInt64) -> Bool {
    step >= 0 && Int(step) < stepCount && steps[Int(step)].isLive && steps[Int(step)].serial == serial
  }

  mutating func makeRun(_ perform: PerformRef, began: UInt64) -> Int32 {
    let row: Int32
    if let free = freeRuns.popLast() {
      row = free
    } else {
      if runCount == runCapacity {
        runs = TaskTable.grown(runs, runCount)
        runCapacity *= 2
      }
      row = Int32(runCount)
      runCount += 1
    }
    serial += 1
    (runs + Int(row)).initialize(
      to: TaskRun(
        perform: perform, age: serial, began: began, root: -1, previous: -1, next: -1, previousEnded: -1,
        nextEnded: -1, hasEnded: false, isCancelled: false, isOk: false, value: 0))
    return row
  }

  mutating func makeStep(_ task: Word, run: Int32, parent: Int32, place: Int) -> Int32 {
    let row: Int32
    if let free = freeSteps.popLast() {
      row = free
    } else {
      if stepCount == stepCapacity {
        steps = TaskTable.grown(steps, stepCount)
        stepCapacity *= 2
      }
      row = Int32(stepCount)
      stepCount += 1
    }
    serial += 1
    liveSteps += 1
    (steps + Int(row)).initialize(
      to: TaskStep(
        task: task, run: run, parent: parent, place: Int32(truncatingIfNeeded: place), firstPart: -1,
        previousPart: -1, nextPart: -1, serial: serial, timer: 0, count: 0, values: 0, partCount: 0, isLive: true,
        isHosts: false))
    if parent >= 0 {
      let next = steps[Int(parent)].firstPart
      steps[Int(row)].nextPart = next
      if next >= 0 { steps[Int(next)].previousPart = row }
      steps[Int(parent)].firstPart = row
    }
    return row
  }

  mutating func freeRun(_ row: Int32) { freeRuns.append(row) }

  mutating func freeStep(_ row: Int32) {
    steps[Int(row)].isLive = false
    liveSteps -= 1
    freeSteps.append(row)
  }

  private static func grown<T>(_ rows: UnsafeMutablePointer<T>, _ count: Int) -> UnsafeMutablePointer<T> {
    let larger = UnsafeMutablePointer<T>.allocate(capacity: count * 2)
    larger.moveInitialize(from: rows, count: count)
    rows.deallocate()
    return larger
  }
}

extension Reactor {
  /// Tasks under way.
  public var liveTasks: Int { live.tasks.liveSteps }

  // MARK: The lists of a perform

  func stateWords(_ perform: PerformRef) -> Address {
    let entry = perform.frame.pointee.template.pointee.entries[perform.entry]
    return perform.frame.pointee.state + Int(entry.state)
  }

  func linkRun(_ run: Int32) {
    let words = stateWords(live.tasks.runs[Int(run)].perform)
    let last = Int32(truncatingIfNeeded: Int(words[PerformState.lastRun]) - 1)
    live.tasks.runs[Int(run)].previous = last
    if last >= 0 {
      live.tasks.runs[Int(last)].next = run
    } else {
      words[PerformState.firstRun] = Word(run) + 1
    }
    words[PerformState.lastRun] = Word(run) + 1
  }

  private func unlinkRun(_ run: Int32) {
    let row = live.tasks.runs[Int(run)]
    let words = stateWords(row.perform)
    if row.previous >= 0 {
      live.tasks.runs[Int(row.previous)].next = row.next
    } else {
      words[PerformState.firstRun] = Word(UInt(row.next + 1))
    }
    if row.next >= 0 {
      live.tasks.runs[Int(row.next)].previous = row.previous
    } else {
      words[PerformState.lastRun] = Word(UInt(row.previous + 1))
    }
  }

  // MARK: Runs that have ended

  /// Keeps a run until it is shown.
  func linkEnded(_ run: Int32) {
    let words = stateWords(live.tasks.runs[Int(run)].perform)
    let next = Int32(truncatingIfNeeded: Int(words[PerformState.firstEnded]) - 1)
    live.tasks.runs[Int(run)].previousEnded = -1
    live.tasks.runs[Int(run)].nextEnded = next
    if next >= 0 { live.tasks.runs[Int(next)].previousEnded = run }
    words[PerformState.firstEnded] = Word(run) + 1
  }

  private func unlinkEnded(_ run: Int32) {
    let row = live.tasks.runs[Int(run)]
    if row.nextEnded >= 0 { live.tasks.runs[Int(row.nextEnded)].previousEnded = row.previousEnded }
    if row.previousEnded >= 0 {
      live.tasks.runs[Int(row.previousEnded)].nextEnded = row.nextEnded
    } else {
      stateWords(row.perform)[PerformState.firstEnded] = Word(UInt(row.nextEnded + 1))
    }
  }

  /// The first of the runs that have ended and are not shown; -1 without one.
  func firstEnded(_ words: Address) -> Int32 { Int32(truncatingIfNeeded: Int(words[PerformState.firstEnded]) - 1) }

  /// Puts the runs that have ended in the order of their age.
  func sortEnded(_ words: Address) {
    let first = firstEnded(words)
    if first < 0 || live.tasks.runs[Int(first)].nextEnded < 0 { return }
    var list: [Int32] = []
    var run = first
    while run >= 0 {
      list.append(run)
      run = live.tasks.runs[Int(run)].nextEnded
    }
    list.sort { live.tasks.runs[Int($0)].age > live.tasks.runs[Int($1)].age }
    words[PerformState.firstEnded] = 0
    for run in list { linkEnded(run) }
  }

  /// Lets the instant that is being seeded show what has ended of a perform.
  func showSoon(_ perform: PerformRef) {
    let words = stateWords(perform)
    if words[PerformState.shown] == live.instant { return }
    words[PerformState.shown] = live.instant
    live.hasTaskWork = true
    live.performsToShow.append(perform)
  }

  // MARK: Giving back

  /// Cancels a run's steps and gives it back, for good.
  func dropRun(_ run: Int32) {
    if live.tasks.runs[Int(run)].root >= 0 { dropStep(live.tasks.runs[Int(run)].root) }
    if live.tasks.runs[Int(run)].hasEnded { unlinkEnded(run) }
    unlinkRun(run)
    live.tasks.runs[Int(run)].isCancelled = false
    live.tasks.freeRun(run)
  }

  /// Cancels a step and its parts, for good.
  func dropStep(_ step: Int32) {
    var pending = [step]
    while let next = pending.popLast() {
      if !live.tasks.steps[Int(next)].isLive { continue }
      var part = live.tasks.steps[Int(next)].firstPart
      while part >= 0 {
        pending.append(part)
        part = live.tasks.steps[Int(part)].nextPart
      }
      let row = live.tasks.steps + Int(next)
      if row.pointee.timer != 0 {
        let timer = Int32(row.pointee.timer - 1)
        live.timers.disarm(timer)
        live.timers.free(timer)
        row.pointee.timer = 0
      }
      if row.pointee.values != 0 { row.pointee.values.address.deallocate() }
      row.pointee.values = 0
      if row.pointee.isHosts { hostTaskCancelled?(TaskToken(step: next, serial: row.pointee.serial)) }
      live.tasks.freeStep(next)
      let task = TaskValue(row.pointee.task)
      if task.kind == .awaited { live.awaits.forget(task.awaitNumber, live.tasks) }
    }
  }

  /// Takes an ended part out of its parent's list.
  func detach(_ step: Int32) {
    let row = live.tasks.steps[Int(step)]
    if row.parent < 0 {
      live.tasks.runs[Int(row.run)].root = -1
      return
    }
    if row.nextPart >= 0 { live.tasks.steps[Int(row.nextPart)].previousPart = row.previousPart }
    if row.previousPart >= 0 {
      live.tasks.steps[Int(row.previousPart)].nextPart = row.nextPart
    } else {
      live.tasks.steps[Int(row.parent)].firstPart = row.nextPart
    }
  }

  /// A scope goes: its tasks are cancelled.
  func releaseTasks(_ frame: FrameRef, _ words: Address) {
    while words[PerformState.firstRun] != 0 { dropRun(Int32(words[PerformState.firstRun] - 1)) }
  }

  // MARK: The end of an instant

  func commitTasks() {
    if !live.cancelledRuns.isEmpty {
      // A run that began and was cancelled in one instant, or whose scope is gone, may be gone already.
      for run in live.cancelledRuns where live.tasks.runs[Int(run)].isCancelled {
        dropRun(run)
      }
      live.cancelledRuns.removeAll(keepingCapacity: true)
    }
    live.startedRuns.removeAll(keepingCapacity: true)
    live.performsToShow.removeAll(keepingCapacity: true)
    live.queuesToGoOn.removeAll(keepingCapacity: true)
    live.awaits.commit()
    live.arrivals.removeAll(keepingCapacity: true)
    live.arrivedInputs.removeAll()
    beginHostTasks()
    tellAnsweredCalls()
    tellBindings()
  }

  /// Tells the host of the tasks that it is to begin: at the end of every instant, and when a state was resumed. They
  /// wait for as long as nobody listens.
  public func beginHostTasks() {
    if live.hostStarts.isEmpty || hostTaskBegins == nil { return }
    let starts = live.hostStarts
    live.hostStarts.removeAll()
    for token in starts where live.tasks.isLive(token.step, token.serial) {
      let task = TaskValue(live.tasks.steps[Int(token.step)].task)
      live.tasks.steps[Int(token.step)].isHosts = true
      hostTaskBegins?(task.hostFunction, task.hostArgument, token)
    }
  }

  func undoTasks() {
    for run in live.cancelledRuns { live.tasks.runs[Int(run)].isCancelled = false }
    live.cancelledRuns.removeAll(keepingCapacity: true)
    for run in live.startedRuns.reversed() { dropRun(run) }
    live.startedRuns.removeAll(keepingCapacity: true)
    live.awaits.undo()
    live.arrivals.removeAll(keepingCapacity: true)
    live.arrivedInputs.removeAll()
    live.answeredCalls.removeAll()
    live.hostStarts.removeAll { !live.tasks.isLive($0.step, $0.serial) }
    fireTimeoutsUnseen()
    // What ended has ended for good, unseen; the next in the queue begins in a step of its own.
    for perform in live.performsToShow where perform.frame.pointee.isLive {
      dropEnded(perform)
      lookAgain(perform)
    }
    live.performsToShow.removeAll(keepingCapacity: true)
  }

  /// What waits in queues, when all else is as it was before the instant.
  func undoQueues() {
    for perform in live.queuesToGoOn { lookAgain(perform) }
    live.queuesToGoOn.removeAll(keepingCapacity: true)
    if live.queuesThatFaulted.isEmpty { return }
    // A task that faults as soon as it begins is over, or nothing behind it would ever begin.
    for perform in live.queuesThatFaulted where perform.frame.pointee.isLive {
      stateWords(perform)[PerformState.queue + QueueState.head] &+= 1
      lookAgain(perform)
    }
    live.queuesThatFaulted.removeAll(keepingCapacity: true)
  }

  /// Lets a perform have a micro-step of its own, whatever becomes of this instant.
  private func lookAgain(_ perform: PerformRef) {
    live.causedForGood.append(
      CausedStep(EntrySite(perform.frame, perform.entry)))
  }

  /// The faults of others do not lengthen a task: timeouts that were due in an instant that is undone fire all the same.
  private func fireTimeoutsUnseen() {
    if live.timeoutsDue.isEmpty { return }
    machine.grant(steps: limits.stepsPerInstant, seconds: limits.secondsPerInstant)
    while let timeout = live.timeoutsDue.popLast() {
      // A task whose own function faults is over as well.
      do throws(Fault) { try fireTimeout(timeout.step, timeout.serial) } catch {}
      guard live.tasks.isLive(timeout.step, timeout.serial) else { continue }
      // Without memory for its error it is looked at in a step of its own.
      let perform = live.tasks.runs[Int(live.tasks.steps[Int(timeout.step)].run)].perform
      live.causedForGood.append(
        CausedStep(
          frame: perform.frame, generation: perform.frame.pointee.generation, entry: Int32(perform.entry),
          step: timeout.step, serial: timeout.serial))
    }
  }

  /// Gives back the runs that have ended without showing them.
  private func dropEnded(_ perform: PerformRef) {
    let words = stateWords(perform)
    while case let run = firstEnded(words), run >= 0 {
      words[PerformState.busyCount] -= 1
      dropRun(run)
    }
  }

  func visitTasks(_ visitor: borrowing RootVisitor) {
    for row in 0..<live.tasks.stepCount where live.tasks.steps[row].isLive {
      visitor.visit(&live.tasks.steps[row].task)
      if live.tasks.steps[row].values != 0, TaskValue(live.tasks.steps[row].task).hasReferences {
        let values = live.tasks.steps[row].values.address
        for place in 0..<live.tasks.steps[row].partCount { visitor.visit(values + place) }
      }
    }
    for number in 0..<live.frames.count {
      guard let frame = live.frames.frames[number] else { continue }
      let template = frame.pointee.template
      if template.pointee.holdingCount == 0 { continue }
      for index in 0..<template.pointee.count where template.pointee.entries[index].kind == .perform {
        visitEnded(frame, template.pointee.entries + index, visitor: visitor)
      }
    }
    for row in 0..<live.tasks.runCount where live.tasks.runs[row].linkText != 0 {
      visitor.visit(&live.tasks.runs[row].linkText)
    }
    for index in live.answeredCalls.indices { visitor.visit(&live.answeredCalls[index]) }
    for index in live.arrivals.indices where live.arrivals[index].isReference {
      visitor.visit(&live.arrivals[index].value)
    }
    for index in live.hostEnds.indices where live.hostEnds[index].isReference {
      visitor.visit(&live.hostEnds[index].value)
    }
    live.awaits.visit(visitor)
  }

  /// The values of runs that have ended but not been shown.
  private func visitEnded(_ frame: FrameRef, _ entry: EntryRef, visitor: borrowing RootVisitor) {
    var run = firstEnded(frame.pointee.state + Int(entry.pointee.state))
    while run >= 0 {
      let row = live.tasks.runs + Int(run)
      let type = heap.shapes.fieldType(entry.pointee.type, tag: row.pointee.isOk ? 0 : 1, 0)
      if heap.shapes.isReference(type) { visitor.visit(&row.pointee.value) }
      run = row.pointee.nextEnded
    }
  }
}
