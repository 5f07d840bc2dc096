// What happened in a session, so that it can be lived through again: pushes and changes of the program, by time.
//
// - A redefinition keeps the state of what is the same (`Simulation.replaceProgram`); living through the log again does
//   the same at the same times, so it comes to the same state.
// - Checkpoints (a snapshot and its program) are where that begins, so that going back is quick.
// - The program that the run begins with (a file's, and all definitions after `:reset`) starts with it, so that `start` occurs
//   there. Whatever comes later takes another program's place: `start` has been.
// - `it`, the last expression, is not in the log: it begins anew.

import FRP
import FRPBase
import FRPRuntime

/// Something that happened at some time: values that were sent, a task that ended, or another program.
struct ReplEvent {
  var time: Double
  var values: [(name: String, json: String)] = []
  /// What a task or source of the host reported.
  var happening: HostHappening?
  /// The moment of time 0 from then on, where the process had stood still.
  var epoch: Double?
  /// A journal began a state there, from which what is integrated goes on.
  var isState = false
  /// The definitions from then on, where they changed.
  var items: [ReplItem]?
  /// What they import, as it was then; nil where the program before them says.
  var modules: ReplModules?
  /// What `:undo` calls that change.
  var title = ""
  /// Whether the run begins with that program: all such events are the first of a log, and the last of them counts.
  var isStart = false
  /// What was restored: nothing before it can be undone.
  var isBeginning = false
  /// On the way to the next change, which it is undone with: a number that was being changed.
  var isStep = false
  /// What had waited, and was taken with the change.
  var woken: [ReplPending] = []

  /// Whether it is what a call like this one reported.
  func answers(_ task: HostTask) -> Bool { happening?.name == task.name && happening?.arguments == task.arguments }

  /// Lets the same happen in a run of a program that has these inputs, at its present time.
  func happen(in simulation: Simulation, where isInput: (String) -> Bool) {
    if let epoch { simulation.epoch = epoch }
    if isState { _ = try? simulation.settleForSnapshot() }
    if let happening { return happening.happen(in: simulation) }
    try? simulation.send(values.filter { isInput($0.name) })
  }
}

/// Something that was taken back, and can be done again.
enum ReplUndone {
  /// A change of the program, and where in the log it was.
  case change(ReplEvent, index: Int)
  /// Going back in time: to there.
  case move(ReplMark)

  var time: Double {
    switch self {
    case .change(let event, _): event.time
    case .move(let mark): mark.time
    }
  }
}

/// What is to come, by time; what is due at one time comes in the order in which it was planned. Taking the first costs
/// O(1): a `:push` may plan a million.
struct ReplPlan: ExpressibleByArrayLiteral {
  private var events: [ReplEvent] = []
  /// How many of them have been taken.
  private var taken = 0

  init(arrayLiteral events: ReplEvent...) { add(events) }

  /// How many are to come.
  var count: Int { events.count - taken }

  var first: ReplEvent? { taken < events.count ? events[taken] : nil }

  mutating func add(_ more: [ReplEvent]) {
    events.removeFirst(taken)
    taken = 0
    events += more
    events.sort { $0.time < $1.time }
  }

  mutating func removeFirst() { if taken < events.count { taken += 1 } }
}

/// When states to begin from are kept, and how many.
struct ReplCheckpointing {
  /// Seconds of program time between two.
  var distance = 10.0
  /// Or so much that has happened: what was sent, or instants.
  var events = Int.max
  var most = 24

  /// Where somebody takes hold of the past and draws it: no moment is far from one.
  static let often = ReplCheckpointing(distance: 2, events: 5000, most: 400)
}

/// A state to begin from.
struct ReplCheckpoint {
  /// How much of the log had happened.
  var count: Int
  var time: Double
  var program: ReplProgram
  var snapshot: Snapshot
  var trace: [String: ReplTrace]
  /// How many instants there had been.
  var instants = 0
  /// What it takes: its state, and what was shown since the one before.
  private(set) var bytes = 0

  mutating func measure(after before: ReplCheckpoint?) {
    bytes = snapshot.bytes.count + trace.values.reduce(0) { $0 + $1.bytes(after: before?.time ?? -1) }
  }
}

extension ReplSession {
  private static let mostChanges = 400
  /// Bytes of all checkpoints together.
  private static let mostBytes = 128 << 20

  /// Keeps the present state to come back to. Where something has no snapshot, an earlier one serves.
  func checkpoint() {
    guard let simulation, let snapshot = try? simulation.snapshot() else { return }
    collect()
    if let last = checkpoints.last, last.count == log.count, last.time == simulation.now { checkpoints.removeLast() }
    var checkpoint = ReplCheckpoint(
      count: log.count, time: simulation.now, program: current, snapshot: snapshot, trace: trace,
      instants: simulation.instantNumber)
    checkpoint.measure(after: checkpoints.last)
    checkpoints.append(checkpoint)
    thinOut()
    while checkpoints.count > 1, bytesOfCheckpoints > Self.mostBytes { checkpoints.removeFirst() }
  }

  private var bytesOfCheckpoints: Int { checkpoints.reduce(0) { $0 + $1.bytes } }

  /// The newest eight stay. Of the older ones those go that leave the shortest stretches, so that no moment of a long run is much
  /// farther from one than another. Where it began stays.
  private func thinOut() {
    while checkpoints.count > checkpointing.most || bytesOfCheckpoints > Self.mostBytes,
      let last = checkpoints.indices.dropLast(9).last, last > 0
    {
      let index = (1...last).min { stretch(without: $0) < stretch(without: $1) } ?? last
      checkpoints.remove(at: index)
      checkpoints[index].measure(after: checkpoints[index - 1])
    }
  }

  private func stretch(without index: Int) -> Double { checkpoints[index + 1].time - checkpoints[index - 1].time }

  func checkpointIfDue() {
    guard let simulation else { return }
    let (time, count) = (checkpoints.last?.time ?? 0, checkpoints.last?.count ?? 0)
    let instants = simulation.instantNumber - (checkpoints.last?.instants ?? 0)
    let isDue =
      simulation.now - time >= checkpointing.distance || max(log.count - count, instants) >= checkpointing.events
    // Large states are kept seldom, so that keeping them takes little of the time there is.
    let moment = ReplClock.monotonic()
    guard isDue, moment - checkpointed.moment >= 50 * checkpointed.cost else { return }
    checkpoint()
    checkpointed = (moment, ReplClock.monotonic() - moment)
  }

  /// Notes that the program is another from now on.
  func keepChange(_ items: [ReplItem], title: String) {
    log.append(
      ReplEvent(
        time: simulation?.now ?? 0, items: withoutLastExpression(items), modules: current.modules, title: title))
    // What the run begins with stays: `start` occurs in nothing else.
    let start = log.lastIndex { $0.isStart }
    let changes = log.indices.filter { log[$0].items != nil && !log[$0].isBeginning && $0 != start }
    guard changes.count > Self.mostChanges else { return }
    // The oldest can no longer be undone; the definitions count from the next change on.
    for index in changes.prefix(changes.count - Self.mostChanges).reversed() { log.remove(at: index) }
    checkpoints = []
  }

  private func withoutLastExpression(_ items: [ReplItem]) -> [ReplItem] {
    let isUsed = !(current.users["it"] ?? []).isEmpty
    return isUsed ? items : items.filter { $0.names != ["it"] }
  }

  // MARK: Living through it again

  /// Of what was before it nothing is known.
  var startOfPast: Double { restored?.time ?? 0 }

  /// Lives through the log up to a time. The program is then that of the log.
  func rebuild(until time: Double) {
    checkpoints.removeAll { $0.count > log.count || $0.time > time }
    let last = current.items.first { $0.names == ["it"] }
    let followed = (live.followed, live.watched, live.waiting)
    (live.followed, live.watched) = (nil, [])
    begin(until: time)
    guard let beginning = simulation else { return }
    let first = min(checkpoints.last?.count ?? 0, log.count)
    let isStopped = ReplInterrupt.guarding(beginning) {
      for index in first..<log.count where log[index].time <= time && !ReplInterrupt.isPressed { repeatEvent(index) }
      liveOn(until: time)
      return ReplInterrupt.isPressed
    }
    faultsShown = simulation?.faults.count ?? 0
    if let last, current.name("it") == nil { exchange(compiled(current.items + [last])) }
    collect()
    pending.removeAll { waiting in waiting.item.names.contains { current.name($0) != nil } }
    (live.followed, live.watched, live.waiting) = followed
    if isStopped { show("stopped while the run was repeated; the state may not be complete   (:reset begins anew)") }
  }

  /// A fresh run at the last checkpoint, else where `:restore` began, else at the start without definitions.
  private func begin(until time: Double) {
    faultOfStart = nil
    if let base = checkpoints.last, let run = newRun(base.program.program),
      (try? run.restore(base.snapshot)) != nil
    {
      (simulation, current, trace) = (run, base.program, base.trace)
      run.formerInstants += base.instants - run.instantNumber
      recordAll()
      return
    }
    checkpoints = []
    // Of what was before that nothing is known.
    if let base = restored, let run = newRun(base.program.program),
      (try? run.restore(base.snapshot)) != nil
    {
      (simulation, current, trace) = (run, base.program, [:])
      return recordAll()
    }
    current = compiled([])
    trace = [:]
    guard let run = newRun(current.program) else { return }
    simulation = run
    run.start()
  }

  /// A session that lives through the log of another again, or through one that is the same in its first `same` events,
  /// from a time before its present; `extra` is part of its program wherever it checks.
  convenience init(
    past session: ReplSession, at time: Double, with extra: ReplItem?,
    through other: (log: [ReplEvent], same: Int)? = nil
  ) {
    self.init(SilentSource(), session.console, session.surroundings)
    clock.choose(virtual: true)
    (epoch, seed) = (session.epoch, session.seed)
    log = other?.log ?? session.log
    checkpoints = session.checkpoints
    if let same = other?.same { checkpoints.removeAll { $0.count > same } }
    restored = session.restored
    rebuild(until: time)
    self.extra = extra
    if let extra { exchange(compiled(current.items + [extra])) }
    lived = log.firstIndex { $0.time > time } ?? log.count
  }

  /// One that begins where the other did; `extra` is there from when the definition of these names is, and begins anew
  /// where that does.
  convenience init(past session: ReplSession, watching extra: ReplItem, beside names: [String]) {
    self.init(SilentSource(), session.console, session.surroundings)
    clock.choose(virtual: true)
    (epoch, seed) = (session.epoch, session.seed)
    (log, restored) = (session.log, session.restored)
    self.extra = extra
    companions = names
    rebuild(until: -1)
  }

  /// Goes on through the log up to a time; for a session of the past.
  func liveOn(to time: Double) {
    guard let simulation else { return }
    ReplInterrupt.guarding(simulation) {
      while lived < log.count, log[lived].time <= time, !ReplInterrupt.isPressed {
        repeatEvent(lived)
        lived += 1
      }
      liveOn(until: time)
    }
    collect()
  }

  /// The same, and what leaves windows at that time has left, as in all that samples: `time` is over.
  func liveOn(through time: Double) {
    liveOn(to: time)
    guard lived >= log.count || Clock.nanoseconds(log[lived].time) > Clock.nanoseconds(time) else { return }
    simulation?.passTime(through: time)
    collect()
  }

  /// Lets time pass in what runs now: what has been repeated may have put another run in place.
  private func liveOn(until time: Double) {
    simulation?.passTime(to: time)
  }

  /// Keeps what is shown from now on, and what events have shown at this moment already.
  func captureFromNow() {
    let now = simulation?.now ?? 0
    captured = current.names.filter { $0.kind == .event }.flatMap { known in
      (trace[known.name]?.recent ?? []).filter { $0.time == now }.map { (known.name, $0) }
    }
  }

  func repeatEvent(_ index: Int) {
    let event = log[index]
    simulation?.passTime(to: event.time)
    if event.items == nil {
      if let simulation { event.happen(in: simulation) { current.name($0)?.isInput == true } }
      return
    }
    // Of several changes at one time only the last matters, and of those that the run begins with.
    let following = index + 1 < log.count ? log[index + 1] : nil
    if let following, following.items != nil, following.time == event.time, following.isStart == event.isStart {
      return
    }
    let next = programOfLog(index)
    if startsRun(index), start(with: next) { return }
    if case .failure(let error) = exchange(next) { refusal = error }
  }

  /// The program from a change on.
  func programOfLog(_ index: Int) -> ReplProgram {
    let items = log[index].items ?? []
    let isWanted = companions.map { names in items.contains { $0.names == names } } ?? true
    let modules = log[index].modules
    let next = compiled(items + (isWanted ? extra.map { [$0] } ?? [] : []), modules: modules)
    return next.errors.isEmpty ? next : compiled(items, modules: modules)
  }

  /// Puts a compiled program in place of the present one; nil, and nothing changed, if what begins with it faults.
  @discardableResult
  func exchange(_ next: ReplProgram) -> Result<ReloadReport, SimulationError> {
    guard let simulation, !next.isStopped else { return .failure(.programHasErrors) }
    collect()
    let instants = simulation.instantNumber
    let result: Result<ReloadReport, SimulationError> = ReplInterrupt.guarding(simulation) {
      simulation.reactorBegins = { ReplInterrupt.watchSteps(of: $0.machine) }
      defer { simulation.reactorBegins = nil }
      do throws(SimulationError) {
        return .success(try simulation.replaceProgram(with: next.program))
      } catch { return .failure(error) }
    }
    guard case .success(let report) = result else { return result }
    let changed = next.items.filter { item in !current.items.contains(item) }.flatMap(\.names)
    current = next
    recordAll()
    // What takes the old state over is no instant of the run.
    simulation.formerInstants -= simulation.instantNumber - instants
    let now = ReplBound(time: simulation.now, instant: instants)
    for name in changed { beginTrace(name, at: now, isKept: report.kept.contains(name)) }
    for restart in report.restarted { trace[restart.name, default: ReplTrace()].birth = now }
    collect(inInstant: instants)
    return result
  }

  /// What a definition shows first is its value now.
  func beginTrace(_ name: String, at now: ReplBound, isKept: Bool) {
    var first = ReplTrace()
    first.birth = isKept ? trace[name]?.birth : now
    defer { trace[name] = first }
    guard current.name(name)?.kind == .behavior, !current.program.isContinuous(output: name), let simulation,
      let value = ReplInterrupt.guarding(
        simulation, { try? simulation.value(of: name, atMost: ReplOptions.shownBytes) })
    else { return }
    _ = try? simulation.occurrences(of: name)
    let start = Occurrence(time: now.time, json: value, instant: now.instant)
    first.add([start])
    first.count = 0
    first.start = now.instant
    if keepsStarts { captured?.append((name, start)) }
  }

  /// Goes to an earlier time, but not to before what was restored: what was pushed after it is forgotten, definitions stay. At
  /// time 0 the run `beginsAnew` with them, unless it is to be what it was.
  func goBack(to time: Double, beginsAnew: Bool = true) {
    let target = max(startOfPast, time)
    checkpoints.removeAll { $0.time > target }
    log = log.compactMap { event in
      if event.time <= target { return event }
      if event.items == nil { return nil }
      var event = event
      event.time = target
      return event
    }
    if let last = checkpoints.last, last.count > log.count { checkpoints = [] }
    if target == 0, beginsAnew, restored == nil { beginWithDefinitions() }
    clock.set(to: target)
    rebuild(until: target)
  }

  // MARK: Undo

  func undo() {
    if !undoMove() { undoChange() }
  }

  /// Takes the last change of the program back.
  func undoChange() {
    guard let index = log.lastIndex(where: { $0.items != nil && !$0.isBeginning }) else {
      return show("there is nothing to undo")
    }
    let event = log.remove(at: index)
    let steps = log[..<index].indices.reversed().filter { log[$0].items != nil }.prefix { log[$0].isStep }
    for step in steps { log.remove(at: step) }
    let first = index - steps.count
    pending += event.woken
    undone.append(.change(event, index: first))
    checkpoints.removeAll { $0.count > min(steps.last ?? first, first) }
    rebuild(until: clock.now)
    show("\(event.title) undone" + again(event))
  }

  func redo() {
    switch undone.popLast() {
    case nil: show("there is nothing to redo")
    case .move(let mark): redoMove(mark)
    case .change(let event, let index): redo(event, index)
    }
  }

  private func redo(_ event: ReplEvent, _ place: Int) {
    var (event, index) = (event, place)
    event.time = min(event.time, clock.now)
    let fits = index <= log.count && (index == 0 || log[index - 1].time <= event.time)
    if !fits || index < log.count && log[index].time < event.time {
      index = log.firstIndex { $0.time > event.time } ?? log.count
    }
    log.insert(event, at: index)
    checkpoints.removeAll { $0.count > index }
    rebuild(until: clock.now)
    show("\(event.title) is back" + again(event))
  }

  /// What the changed definitions are now.
  private func again(_ event: ReplEvent) -> String {
    let names = event.title.parts(separatedBy: ", ").map(String.init)
    let texts = current.items.filter { !Set($0.names).isDisjoint(with: names) }.map(\.text)
    return texts.count == 1 && !texts[0].contains("\n") ? " · \(texts[0])" : ""
  }
}
