// The host's tasks and sources of a run that a command drives: they are begun, and what they report is taken between
// instants, by the thread that owns the run.
//
// Rules
// - A run that takes the place of another (after undo, say) takes over what is the same: the same function with the same
//   arguments is not begun a second time.
// - What is ready together comes by turns, one report of each, in the order in which they began. Nothing is dropped: a source
//   that brings more than is taken is paused, and whoever sends to it waits. So it is while sinks are behind.

import FRP

/// What a task or source has reported, so that it can happen again when a run is repeated.
struct HostHappening {
  var name: String
  var arguments: [FrpValue]
  /// Which one, of those of that name with these arguments, oldest first.
  var place: Int
  var report: HostReport

  /// Nil if the run no longer waits for it.
  init?(_ id: HostTask.ID, _ report: HostReport, of simulation: Simulation) {
    let tasks = simulation.tasks
    guard let task = tasks.first(where: { $0.id == id }) else { return nil }
    name = task.name
    arguments = task.arguments
    place = tasks.count { $0.id < id && $0.isLike(task) }
    self.report = report
    // Whoever sent it hears of it the first time only.
    if case .item(let answer, _) = report { self.report = .item(answer) }
  }

  /// Lets it happen to the task of a run that this was; nothing if it has none.
  func happen(in simulation: Simulation) {
    let same = simulation.tasks.filter { $0.name == name && $0.arguments == arguments }
    if same.indices.contains(place) { report.happen(in: simulation, same[place].id) }
  }
}

extension HostTask {
  /// Whether it asks for the same as another one.
  fileprivate func isLike(_ other: HostTask) -> Bool { name == other.name && arguments == other.arguments }
}

final class HostTasks {
  private final class Running {
    let task: HostTask
    let underway: any HostUnderway
    let lane: ReportLane

    init(task: HostTask, underway: any HostUnderway, lane: ReportLane) {
      (self.task, self.underway, self.lane) = (task, underway, lane)
    }
  }

  /// By serial, which says in which order they began: those under way.
  private var running: [Int: Running] = [:]
  private var sources = 0
  private var serialOf: [HostTask.ID: Int] = [:]
  private var serial = 0
  private let box = ReportBox()
  private var turns = ReportTurns()
  private var collected: ReportBox.Arrivals = []
  private var followed: Simulation?
  /// Told of what is to begin; false where it may not.
  var mayBegin: ((HostTask) -> Bool)?
  /// What a run has asked for since somebody looked.
  private let asked = Asked()
  /// How many reports were taken so far.
  private(set) var taken = 0

  deinit { for entry in running.values { entry.underway.cancel() } }

  /// Whether something was reported that was not taken yet.
  var hasReports: Bool { !turns.isEmpty || box.hasAny }

  /// Whether nothing is under way.
  var isIdle: Bool { running.isEmpty }

  /// Whether no task is, whatever is listened to.
  var isDone: Bool { running.count == sources }

  /// Whether a source is: something may still come in.
  var hasSources: Bool { sources > 0 }

  /// The numbers of the tasks under way, which no other gets.
  var serials: Set<Int> { Set(running.filter { !$0.value.task.isSource }.keys) }

  /// Readable once something was reported, until it is taken.
  var descriptor: Int32 { box.descriptor }

  /// Begins what a run has asked for since, and cancels what it no longer waits for. Cost: of what is new.
  func follow(_ simulation: Simulation) {
    if followed !== simulation { return takeOver(simulation) }
    if asked.isEmpty { return }
    let (begun, cancelled) = asked.take()
    for id in cancelled { if let serial = serialOf[id] { drop(serial)?.underway.cancel() } }
    for task in begun where !cancelled.contains(task.id) { begin(task) }
  }

  /// Follows another run: what that waits for and is under way goes on.
  private func takeOver(_ simulation: Simulation) {
    followed = simulation
    let asked = asked
    _ = asked.take()
    simulation.taskBegan = { asked.begin($0) }
    simulation.taskCancelled = { asked.cancel($0) }
    var former = running.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    (running, sources, serialOf) = ([:], 0, [:])
    for task in simulation.tasks where !task.isAnsweredElsewhere {
      if let place = former.firstIndex(where: { $0.1.task.isLike(task) }) {
        let (serial, entry) = former.remove(at: place)
        keep(serial, Running(task: task, underway: entry.underway, lane: entry.lane))
      } else {
        begin(task)
      }
    }
    for (_, entry) in former {
      entry.lane.close()
      entry.underway.cancel()
    }
  }

  private func begin(_ task: HostTask) {
    if task.isAnsweredElsewhere || mayBegin?(task) == false { return }
    serial += 1
    let (lane, box) = (ReportLane(serial, isSource: task.isSource), box)
    let underway = task.begin { report in box.put(lane, report) }
    keep(serial, Running(task: task, underway: underway, lane: lane))
    if task.isSource { lane.set(underway) }
  }

  private func keep(_ serial: Int, _ entry: Running) {
    running[serial] = entry
    if entry.task.isSource { sources += 1 }
    serialOf[entry.task.id] = serial
  }

  @discardableResult
  private func drop(_ serial: Int) -> Running? {
    guard let entry = running.removeValue(forKey: serial) else { return nil }
    serialOf[entry.task.id] = nil
    if entry.task.isSource { sources -= 1 }
    entry.lane.close()
    return entry
  }

  /// Takes what was reported meanwhile by those that are still wanted, by turns, until `body` says false; at most so many, and
  /// how many. What `body` begins and is over at once has its turn here, too.
  @discardableResult
  func take(atMost most: Int = 1024, _ body: (HostTask, HostReport) -> Bool) -> Int {
    take(atMost: most, text: { task, text in body(task, .item(.bytes(Array(text)[...]))) }, body)
  }

  /// The same, where `text` gets each of many values that came together; nothing of sources where these are to wait.
  func take(
    atMost most: Int, holdingSources holdsSources: Bool = false, text: (HostTask, UnsafeBufferPointer<UInt8>) -> Bool,
    _ body: (HostTask, HostReport) -> Bool
  ) -> Int {
    if turns.holdsSources != holdsSources { turns.holdsSources = holdsSources }
    if turns.isEmpty, !box.hasAny { return 0 }
    var count = 0
    var goesOn = true
    while goesOn, count < most, let (lane, next) = next() {
      guard let entry = running[lane.number] else {
        lane.close()
        turns.took(1, of: lane)
        continue
      }
      switch next {
      case .report(let report):
        turns.took(1, of: lane)
        if case .ended = report { drop(lane.number) }
        count += 1
        taken += 1
        goesOn = body(entry.task, report)
      case .text(let bodies, let place):
        let range = place..<min(bodies.ranges.count, turns.isAnyoneElse ? place + 1 : place + most - count)
        let given: Int
        (given, goesOn) = give(bodies, range, lane) { text(entry.task, $0) }
        turns.took(given, of: lane)
        count += given
        taken += given
      }
    }
    box.rest(isEmpty: turns.isEmpty)
    return count
  }

  /// Gives some of what came together, while nobody else has anything; how many, and whether it may go on.
  private func give(
    _ bodies: HostBodies, _ range: Range<Int>, _ lane: ReportLane, _ body: (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> (count: Int, goesOn: Bool) {
    bodies.bytes.withUnsafeBufferPointer { bytes in
      for place in range {
        if !body(UnsafeBufferPointer(rebasing: bytes[bodies.ranges[place]])) {
          return (place + 1 - range.lowerBound, false)
        }
        if lane.isClosed || box.hasAny { return (place + 1 - range.lowerBound, true) }
      }
      return (range.count, true)
    }
  }

  private func next() -> (lane: ReportLane, next: ReportQueue.Next)? {
    if turns.isRoundOver, turns.isEmpty || box.hasAny {
      box.collect(&collected)
      for (lane, report) in collected { turns.add(lane, report) }
      collected.removeAll(keepingCapacity: collected.count <= 1024)
    }
    return turns.next()
  }

  /// Cancels what is listened to: nothing more comes in.
  func dropSources() { dropSources { _ in false } }

  /// The same, but for what calls still need: that only waits.
  func dropSources(keeping isNeeded: (HostTask) -> Bool) {
    for (serial, entry) in running where entry.task.isSource {
      if isNeeded(entry.task) { entry.underway.pause() } else { drop(serial)?.underway.cancel() }
    }
  }

  /// Cancels what the program itself waits for: only sinks go on.
  func dropCalls() {
    for (serial, entry) in running where entry.task.port == nil { drop(serial)?.underway.cancel() }
  }

  /// The ports for which something is under way.
  var ports: Set<String> { Set(running.values.compactMap { $0.task.isSource ? nil : $0.task.port }) }

  /// What is under way, by the port for which it is done, else by name: `the sink of x (2), Http.get`.
  var description: String {
    let tasks = running.values.map(\.task).filter { !$0.isSource }
    let names = tasks.map { task in task.port.map { "the sink of `\($0)`" } ?? task.name }
    let counts = Dictionary(grouping: names) { $0 }.mapValues(\.count)
    return counts.sorted { $0.key < $1.key }.map { $1 > 1 ? "\($0) (\($1))" : $0 }.joined(separator: ", ")
  }

  /// Waits until all tasks under way have ended, or `isStopped` says to.
  func wait(until isStopped: () -> Bool) {
    while !isStopped(), !running.values.allSatisfy({ $0.task.isSource || $0.lane.hasEnded }) { box.wait(20) }
  }

  /// Waits for so many milliseconds, or until something was reported.
  func wait(atMost milliseconds: Int32) { box.wait(milliseconds) }
}

/// What a run has asked for: kept by its callbacks.
private final class Asked {
  private var begun: [HostTask] = []
  private var cancelled: Set<HostTask.ID> = []
  /// One field, since it is looked at behind each value.
  private(set) var isEmpty = true

  func begin(_ task: HostTask) {
    begun.append(task)
    isEmpty = false
  }

  func cancel(_ id: HostTask.ID) {
    cancelled.insert(id)
    isEmpty = false
  }

  func take() -> (begun: [HostTask], cancelled: Set<HostTask.ID>) {
    defer { (begun, cancelled, isEmpty) = ([], [], true) }
    return (begun, cancelled)
  }
}
