// Task.await: tasks that end with the next occurrence of an event.
//
// The event's entry has a number, of which its tasks, being data, can go anywhere: into lists, through other scopes, into
// snapshots. A task that is performed waits under that number; if the entry's scope goes, nothing ends it any more.
//
//   await(e), begun at t, ends with Ok(ai) one micro-step after the first ti > t (with a condition: for which it holds)
//
// It ends in a step of its own since what performs it may stand anywhere in the order of the instant.

import FRPCore
import FRPGraph

/// A task that waits for an event.
struct Awaiting {
  var token: TaskToken
  /// The instant that began it: what occurs in that is not for it.
  var since: UInt64
}

/// What an awaited event has shown in an instant.
struct AwaitedOccurrences {
  var number: UInt64
  /// The event's; a task of another, which has the same number in a damaged snapshot, gets nothing of another type.
  var node: NodeID
  var instant: UInt64
  var isReference: Bool
  var values: [Word]

  mutating func visit(_ visitor: borrowing RootVisitor) {
    if !isReference { return }
    for index in values.indices { visitor.visit(&values[index]) }
  }
}

struct Awaits {
  private struct Waiting {
    var tasks: [Awaiting] = []
    /// How many of them do not wait any more.
    var ended = 0
  }

  private var lastNumber: UInt64 = 0
  private var waiting: [UInt64: Waiting] = [:]
  /// What is to end tasks in the next micro-step: of the instant under way, and of the one before.
  private var shown: [AwaitedOccurrences] = []
  var due: [AwaitedOccurrences] = []

  /// A number for an entry that begins.
  mutating func number() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// The same for one that goes on.
  mutating func keep(_ number: UInt64) { lastNumber = max(lastNumber, min(number, 1 << 62)) }

  func isAwaited(_ number: UInt64) -> Bool { waiting[number] != nil }

  mutating func wait(_ number: UInt64, _ task: Awaiting) {
    waiting[number, default: Waiting()].tasks.append(task)
  }

  /// A task has ended or was cancelled. Cost: O(1), amortised.
  mutating func forget(_ number: UInt64, _ steps: borrowing TaskTable) {
    guard let index = waiting.index(forKey: number) else { return }
    waiting.values[index].ended += 1
    if 2 * waiting.values[index].ended < waiting.values[index].tasks.count { return }
    let all = take(number)
    put(back: all, number, steps: steps)
  }

  /// How many are kept, those that have ended among them.
  var count: Int { waiting.values.reduce(0) { $0 + $1.tasks.count } }

  mutating func take(_ number: UInt64) -> [Awaiting] { waiting.removeValue(forKey: number)?.tasks ?? [] }

  /// What still waits comes before what has begun to wait in the meantime.
  mutating func put(back tasks: [Awaiting], _ number: UInt64, steps: borrowing TaskTable) {
    let all = (tasks + take(number)).filter { steps.isLive($0.token.step, $0.token.serial) }
    if !all.isEmpty { waiting[number] = Waiting(tasks: all) }
  }

  mutating func show(_ occurrences: AwaitedOccurrences) { shown.append(occurrences) }

  mutating func commit() {
    if shown.isEmpty { return }
    due += shown
    shown.removeAll()
  }

  mutating func undo() { shown.removeAll() }

  mutating func visit(_ visitor: borrowing RootVisitor) {
    for index in shown.indices { shown[index].visit(visitor) }
    for index in due.indices { due[index].visit(visitor) }
  }
}

extension Reactor {
  /// Tasks that are kept as waiting for an event.
  public var awaitingTasks: Int { live.awaits.count }

  func startAwaited(_ site: EntrySite, number: UInt64) throws(Fault) {
    site.frame.pointee.state[Int(site.entry.pointee.state)] = number
    begin(site, try heap.awaitTask(number, site.entry.pointee.node))
  }

  func runAwaitedFeed(_ site: EntrySite) {
    let main = site.frame.pointee.template.pointee.entries + Int(site.entry.pointee.partner)
    let number = site.frame.pointee.state[Int(main.pointee.state)]
    let (first, count) = fed(site)
    if count == 0 || !live.awaits.isAwaited(number) { return }
    live.hasTaskWork = true
    live.awaits.show(
      AwaitedOccurrences(
        number: number, node: site.entry.pointee.node, instant: live.instant,
        isReference: heap.shapes.isReference(site.entry.pointee.inputType),
        values: (first..<first + count).map { live.occurrences[$0] }))
  }

  func wait(_ step: Int32, for task: TaskValue) {
    let token = TaskToken(step: step, serial: live.tasks.steps[Int(step)].serial)
    live.awaits.wait(task.awaitNumber, Awaiting(token: token, since: live.instant))
  }

  /// Ends what waited for events, that of one task in the order of its lists; all of it, even if some of it meets a limit.
  func end(awaiting events: [AwaitedOccurrences]) throws(Fault) {
    var tasks: [(task: Awaiting, event: Int)] = []
    for (place, event) in events.enumerated() { tasks += live.awaits.take(event.number).map { ($0, place) } }
    tasks.removeAll { !live.tasks.isLive($0.task.token.step, $0.task.token.serial) }
    tasks.sort { live.tasks.comesBefore($0.task.token.step, $1.task.token.step) }
    var left = [[Awaiting]](repeating: [], count: events.count)
    var fault: Fault?
    for (task, place) in tasks where live.tasks.isLive(task.token.step, task.token.serial) {
      do throws(Fault) {
        guard task.since < events[place].instant, let end = try firstFitting(task.token, events[place]) else {
          left[place].append(task)
          continue
        }
        let run = live.tasks.steps[Int(task.token.step)].run
        try goOn([.end(task.token.step, task.token.serial, isOk: end.isOk, end.value)], run)
      } catch { fault = fault ?? error }
    }
    for (place, event) in events.enumerated() { live.awaits.put(back: left[place], event.number, steps: live.tasks) }
    if let fault { throw fault }
  }

  /// The first value for which a task's condition holds, or the error with which the condition faults.
  private func firstFitting(_ token: TaskToken, _ shown: AwaitedOccurrences) throws(Fault) -> (isOk: Bool, value: Word)?
  {
    let row = live.tasks.steps[Int(token.step)]
    let task = TaskValue(row.task)
    if task.awaitNode != shown.node { return nil }
    guard let condition = task.awaitCondition else { return shown.values.first.map { (true, $0) } }
    for value in shown.values {
      let holds: (isOk: Bool, value: Word)
      do throws(Fault) { holds = try machine.attempt(condition, value) } catch {
        stop(row.run)
        throw error
      }
      if !holds.isOk { return holds }
      if holds.value.bool { return (true, value) }
    }
    return nil
  }

  /// Whether all that a task waits for are events.
  func isOnlyAwaiting(_ run: Int32) -> Bool {
    var pending = [live.tasks.runs[Int(run)].root]
    while let step = pending.popLast(), step >= 0 {
      let row = live.tasks.steps[Int(step)]
      if row.timer != 0 || row.firstPart < 0 && TaskValue(row.task).kind != .awaited { return false }
      var part = row.firstPart
      while part >= 0 {
        pending.append(part)
        part = live.tasks.steps[Int(part)].nextPart
      }
    }
    return true
  }
}
