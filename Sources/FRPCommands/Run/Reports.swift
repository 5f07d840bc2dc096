// What operations report, from any thread to the one that owns the run.
//
// Rules
// - Nothing is dropped: a lane that holds much is paused, and goes on when half of it is taken.
// - The descriptor is readable as long as something waits while nobody takes: whoever is just taking is not told, so that many
//   reports cost no system call.

import FRP
import Synchronization

/// The reports of one operation. Its queue belongs to whoever takes (`ReportTurns`).
final class ReportLane: @unchecked Sendable {
  /// What may wait of one source before it is paused.
  private static let mostReports = 65_536
  private static let mostBytes = 64 << 20
  /// The same of one that brings many at a time, from a file or a pipe: what lies there need not lie here as well, and is
  /// read faster than it is taken.
  private static let mostBytesOfMany = 8 << 20

  private struct Sender {
    var underway: (any HostUnderway)?
    var isPaused = false
  }

  let number: Int
  /// Whether it brings values, and is no call.
  let isSource: Bool
  private let count = Atomic(0)
  private let bytes = Atomic(0)
  private let ended = Atomic(false)
  private let closed = Atomic(false)
  private let paused = Atomic(false)
  private let roomInBytes = Atomic(ReportLane.mostBytes)
  private let sender = Mutex(Sender())
  fileprivate var queue = ReportQueue()

  init(_ number: Int, isSource: Bool = false) { (self.number, self.isSource) = (number, isSource) }

  /// Whether its end has been reported.
  var hasEnded: Bool { ended.load(ordering: .acquiring) }
  /// Whether nobody wants its reports any more.
  var isClosed: Bool { closed.load(ordering: .relaxed) }

  /// What reports here may hold the lane, so nothing of it is held any more.
  func close() {
    closed.store(true, ordering: .relaxed)
    sender.withLock { $0.underway = nil }
  }

  /// What is paused when much waits.
  func set(_ underway: any HostUnderway) {
    // It may be over already.
    sender.withLock { sender in if !isClosed { sender.underway = underway } }
    holdBack()
  }

  func wasPut(_ report: HostReport) {
    count.add(report.values, ordering: .relaxed)
    bytes.add(report.bytes, ordering: .relaxed)
    if case .items = report { roomInBytes.store(Self.mostBytesOfMany, ordering: .relaxed) }
    if case .ended = report { ended.store(true, ordering: .releasing) }
    holdBack()
  }

  /// Of many that were put together: once the last is taken.
  func wasTaken(_ report: HostReport) {
    count.subtract(report.values, ordering: .relaxed)
    bytes.subtract(report.bytes, ordering: .relaxed)
    if paused.load(ordering: .relaxed) { letGo() }
  }

  private var room: Int { roomInBytes.load(ordering: .relaxed) }

  private var isFull: Bool {
    count.load(ordering: .relaxed) >= Self.mostReports || bytes.load(ordering: .relaxed) >= room
  }

  private var isHalfEmpty: Bool {
    count.load(ordering: .relaxed) < Self.mostReports / 2 && bytes.load(ordering: .relaxed) < room / 2
  }

  // Within the lock, so that a pause and what undoes it come in this order.

  private func holdBack() {
    if !isFull { return }
    sender.withLock { sender in
      guard let underway = sender.underway, !sender.isPaused, isFull else { return }
      sender.isPaused = true
      paused.store(true, ordering: .relaxed)
      underway.pause()
    }
  }

  private func letGo() {
    if !isHalfEmpty { return }
    sender.withLock { sender in
      guard sender.isPaused else { return }
      sender.isPaused = false
      paused.store(false, ordering: .relaxed)
      sender.underway?.resume()
    }
  }
}

/// What has been reported and is not taken yet, in the order in which it came.
final class ReportBox: Sendable {
  typealias Arrivals = [(lane: ReportLane, report: HostReport)]

  private struct State {
    var arrivals: Arrivals = []
    var isTaking = false
  }

  private let state = Mutex(State())
  private let bell = Bell()
  /// Whether there is something to take, or a bell to silence.
  private let isWorthwhile = Atomic(false)

  var descriptor: Int32 { bell.descriptor }

  /// Waits for so many milliseconds, or until something was reported.
  func wait(_ milliseconds: Int32) { bell.wait(milliseconds) }

  /// Any thread. What nobody waits for any more is dropped.
  func put(_ lane: ReportLane, _ report: HostReport) {
    if lane.isClosed || report.values == 0 { return }
    lane.wasPut(report)
    let mustRing = state.withLock { state in
      state.arrivals.append((lane, report))
      if state.arrivals.count == 1 { isWorthwhile.store(true, ordering: .relaxed) }
      return !state.isTaking && bell.mustRing
    }
    if mustRing { bell.ring() }
  }

  /// Whether the owner should begin to take.
  var hasAny: Bool { isWorthwhile.load(ordering: .relaxed) }

  /// The owner begins to take, and takes more: exchanges what has come for an empty list.
  func collect(_ list: inout Arrivals) {
    state.withLock { state in
      state.isTaking = true
      swap(&state.arrivals, &list)
      isWorthwhile.store(false, ordering: .relaxed)
    }
  }

  /// The owner stops for now; `isEmpty` says whether it has taken all that it has collected.
  func rest(isEmpty: Bool) {
    let mustRing = state.withLock { state in
      state.isTaking = false
      let isDone = isEmpty && state.arrivals.isEmpty
      let isSilent = isDone && bell.isSilenced
      isWorthwhile.store(!isSilent, ordering: .relaxed)
      return !isDone && bell.mustRing
    }
    if mustRing { bell.ring() }
  }
}

/// What was collected of one operation, and has not had its turn.
struct ReportQueue {
  /// What comes next.
  enum Next {
    case report(HostReport)
    /// One of many that came together, and how many of these were taken before; nobody has been told that it was taken.
    case text(HostBodies, Int)
  }

  private var reports: [HostReport] = []
  private var head = 0
  /// How many were taken of the bodies at the head.
  private var place = 0

  var isEmpty: Bool { head == reports.count }

  mutating func add(_ report: HostReport) { reports.append(report) }

  /// What comes next; nil where nothing does.
  var next: Next? {
    if isEmpty { return nil }
    if case .items(let bodies) = reports[head] { return .text(bodies, place) }
    return .report(reports[head])
  }

  /// So many more are taken; gives the report of which that was all.
  mutating func remove(_ count: Int) -> HostReport? {
    let report = reports[head]
    place += count
    if place < report.values { return nil }
    place = 0
    // Whoever is always ahead never leaves it empty.
    reports[head] = .opened
    head += 1
    if head == reports.count {
      reports.removeAll(keepingCapacity: head <= 1024)
      head = 0
    } else if head >= 256, head >= reports.count / 2 {
      reports.removeFirst(head)
      head = 0
    }
    return report
  }
}

/// The turns of those who have reported: rounds of one value each, in the order in which they began.
struct ReportTurns {
  private var ready: [ReportLane] = []
  private var round: [ReportLane] = []
  private var place = 0
  /// Whether the turns of sources are put off. What they have fills their lanes meanwhile, and then they are paused.
  var holdsSources = false {
    didSet {
      if holdsSources { return }
      ready += held
      held = []
    }
  }
  /// Those whose turn was put off.
  private var held: [ReportLane] = []

  /// Whether nobody has a turn.
  var isEmpty: Bool { ready.isEmpty && place == round.count }
  /// Whether others than the one whose turn it is have something.
  var isAnyoneElse: Bool { !ready.isEmpty || place < round.count }
  /// Whether whoever comes now has its turn before somebody comes a second time.
  var isRoundOver: Bool { place == round.count }

  mutating func add(_ lane: ReportLane, _ report: HostReport) {
    if lane.queue.isEmpty { ready.append(lane) }
    lane.queue.add(report)
  }

  /// Whose turn it is, and what it has: taken once `took` is called, before anybody else's turn.
  mutating func next() -> (lane: ReportLane, next: ReportQueue.Next)? {
    while let lane = nextLane() {
      if lane.isClosed { lane.queue = ReportQueue() }
      if let next = lane.queue.next { return (lane, next) }
    }
    return nil
  }

  /// So many values of a lane whose turn it was were taken.
  mutating func took(_ count: Int, of lane: ReportLane) {
    if let report = lane.queue.remove(count) { lane.wasTaken(report) }
    if !lane.queue.isEmpty { ready.append(lane) }
  }

  private mutating func nextLane() -> ReportLane? {
    while true {
      if place == round.count {
        (round, ready, place) = (ready, [], 0)
        if round.count > 1 { round.sort { $0.number < $1.number } }
      }
      guard place < round.count else { return nil }
      let lane = round[place]
      place += 1
      if !holdsSources || !lane.isSource { return lane }
      held.append(lane)
    }
  }
}

extension HostReport {
  /// How many values it holds.
  fileprivate var values: Int { if case .items(let bodies) = self { bodies.ranges.count } else { 1 } }

  /// About how many bytes it holds.
  fileprivate var bytes: Int {
    switch self {
    case .item(.body(let text), _): text.utf8.count + 64
    case .item(.bytes(let bytes), _): bytes.count + 64
    case .items(let bodies): bodies.bytes.count + 16 * bodies.ranges.count
    case .retrying(let why): why.utf8.count + 64
    case .opened, .item, .ended: 64
    }
  }
}
