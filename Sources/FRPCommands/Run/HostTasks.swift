// The host's tasks and sources of a run that a command drives: they are begun, and what they report is taken between
// instants, by the thread that owns the run.
//
// Rules
// - A run that takes the place of another (after undo, say) takes over what is the same: the same function with the same
//   arguments is not begun a second time.
// - What is ready together comes by turns, one report of each, in the order in which they began. Nothing is dropped: a source
//   that brings more than is taken is paused, and whoever sends to it waits.

import FRP
import Glibc
import Synchronization

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
  private struct Running {
    var task: HostTask
    var underway: any HostUnderway
  }

  /// By serial, which says in which order they began: those under way.
  private var running: [Int: Running] = [:]
  private var sources = 0
  private var serialOf: [HostTask.ID: Int] = [:]
  private var serial = 0
  private let box = ReportBox()
  private weak var followed: Simulation?
  /// Told of what begins.
  var began: ((HostTask) -> Void)?
  /// What a run has asked for since somebody looked.
  private let asked = Asked()

  deinit { for entry in running.values { entry.underway.cancel() } }

  /// Whether nothing is under way.
  var isIdle: Bool { running.isEmpty }

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
    simulation.taskBegan = { asked.begun.append($0) }
    simulation.taskCancelled = { asked.cancelled.insert($0) }
    var former = running.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    (running, sources, serialOf) = ([:], 0, [:])
    for task in simulation.tasks where !task.isAnsweredElsewhere {
      if let place = former.firstIndex(where: { $0.1.task.isLike(task) }) {
        let (serial, entry) = former.remove(at: place)
        keep(serial, Running(task: task, underway: entry.underway))
      } else {
        begin(task)
      }
    }
    for (serial, entry) in former {
      box.remove(serial)
      entry.underway.cancel()
    }
  }

  private func begin(_ task: HostTask) {
    if task.isAnsweredElsewhere { return }
    began?(task)
    serial += 1
    let (number, box) = (serial, box)
    box.open(number)
    let underway = task.begin { report in box.put(number, report) }
    keep(number, Running(task: task, underway: underway))
    box.add(number, underway)
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
    box.remove(serial)
    return entry
  }

  /// What was reported meanwhile by those that are still wanted, by turns; at most so many.
  func take(atMost count: Int = 1024) -> [(task: HostTask, report: HostReport)] {
    if running.isEmpty { return [] }
    return box.take(atMost: count).compactMap { serial, report in
      guard let entry = running[serial] else { return nil }
      if case .ended = report { drop(serial) }
      return (entry.task, report)
    }
  }

  /// Cancels what is listened to: nothing more comes in.
  func dropSources() {
    for (serial, entry) in running where entry.task.isSource { drop(serial)?.underway.cancel() }
  }

  /// Waits until all tasks under way have ended, or `isStopped` says to.
  func wait(until isStopped: () -> Bool) {
    while !isStopped(), !box.hasEnded(serials) { box.wait(20) }
  }

  /// Waits for so many milliseconds, or until something was reported.
  func wait(atMost milliseconds: Int32) { box.wait(milliseconds) }
}

/// What a run has asked for: kept by its callbacks.
private final class Asked {
  var begun: [HostTask] = []
  var cancelled: Set<HostTask.ID> = []

  var isEmpty: Bool { begun.isEmpty && cancelled.isEmpty }

  func take() -> (begun: [HostTask], cancelled: Set<HostTask.ID>) {
    defer { (begun, cancelled) = ([], []) }
    return (begun, cancelled)
  }
}

/// Reports by the number of who made them, put there by any thread.
private final class ReportBox: Sendable {
  /// What may wait of one source before it is paused; it goes on when half of that is taken.
  private static let mostReports = 65_536
  private static let mostBytes = 64 << 20

  private struct Lane {
    var reports: [HostReport] = []
    var head = 0
    var bytes = 0
    var underway: (any HostUnderway)?
    var isPaused = false
    var hasEnded = false

    var count: Int { reports.count - head }
    var isFull: Bool { count >= mostReports || bytes >= mostBytes }
    var isHalfEmpty: Bool { count < mostReports / 2 && bytes < mostBytes / 2 }

    mutating func next() -> HostReport? {
      if head == reports.count { return nil }
      let report = reports[head]
      head += 1
      bytes -= report.bytes
      if head == reports.count {
        reports.removeAll(keepingCapacity: head <= 1024)
        head = 0
      }
      return report
    }
  }

  private struct State {
    var lanes: [Int: Lane] = [:]
    /// Those that have a report.
    var ready: [Int] = []
  }

  private let state = Mutex(State())
  /// Rung as long as something waits.
  private let bell = Bell()

  var descriptor: Int32 { bell.descriptor }

  /// Says that there will be reports of this number.
  func open(_ number: Int) { state.withLock { $0.lanes[number] = Lane() } }

  /// What nobody waits for any more is dropped.
  func put(_ number: Int, _ report: HostReport) {
    let full = state.withLock { state -> (any HostUnderway)? in
      guard var lane = state.lanes.removeValue(forKey: number) else { return nil }
      if lane.count == 0 { state.ready.append(number) }
      lane.reports.append(report)
      lane.bytes += report.bytes
      if case .ended = report { lane.hasEnded = true }
      let isFull = lane.isFull && !lane.isPaused && lane.underway != nil
      if isFull { lane.isPaused = true }
      state.lanes[number] = lane
      bell.ring()
      return isFull ? lane.underway : nil
    }
    full?.pause()
  }

  func add(_ number: Int, _ underway: any HostUnderway) {
    let full = state.withLock { state in
      state.lanes[number]?.underway = underway
      if state.lanes[number]?.isFull != true { return false }
      state.lanes[number]?.isPaused = true
      return true
    }
    if full { underway.pause() }
  }

  func remove(_ number: Int) {
    state.withLock { state in
      guard let lane = state.lanes.removeValue(forKey: number), lane.count > 0 else { return }
      state.ready.removeAll { $0 == number }
      if state.ready.isEmpty { bell.silence() }
    }
  }

  /// Rounds of one report each, of those that have one. Cost: O(what is taken, and a sort of who reported).
  func take(atMost most: Int) -> [(Int, HostReport)] {
    var taken: [(Int, HostReport)] = []
    let emptied = state.withLock { state -> [any HostUnderway] in
      let order = state.ready.sorted()
      while !state.ready.isEmpty, taken.count < most { takeRound(&state, &taken, most) }
      if state.ready.isEmpty { bell.silence() }
      return order.compactMap { number in
        guard let lane = state.lanes[number], lane.isPaused, lane.isHalfEmpty else { return nil }
        state.lanes[number]?.isPaused = false
        return lane.underway
      }
    }
    for underway in emptied { underway.resume() }
    return taken
  }

  private func takeRound(_ state: inout State, _ taken: inout [(Int, HostReport)], _ most: Int) {
    let order = state.ready.sorted()
    state.ready = []
    for (index, number) in order.enumerated() {
      if taken.count == most {
        state.ready += order[index...]
        return
      }
      guard let report = state.lanes[number]?.next() else { continue }
      taken.append((number, report))
      if let lane = state.lanes[number], lane.count > 0 { state.ready.append(number) }
    }
  }

  func hasEnded(_ numbers: Set<Int>) -> Bool {
    state.withLock { state in numbers.allSatisfy { state.lanes[$0]?.hasEnded == true } }
  }

  func wait(_ milliseconds: Int32) { bell.wait(milliseconds) }
}

extension HostReport {
  /// About how many bytes it holds.
  fileprivate var bytes: Int {
    if case .item(.body(let text), _) = self { text.utf8.count + 64 } else { 64 }
  }
}
