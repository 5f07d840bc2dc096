// A simulation that lives: it follows a Swift clock, takes values from any task, and hands its outputs to many.
//
// In:  values of inputs, results of the host's tasks; the passing of a clock's time. Out: async sequences of what
// outputs show, each consumer with a buffer of its own.
// Rules
// - The simulation's time is the clock's time since `start`, less the time it was paused. Timers fire at their own
//   moments, however late the process wakes up; an input happens at the moment at which it is taken.
// - Inputs are taken one after the other by the actor, so whoever awaits `send` is held back while the program is busy:
//   back-pressure lives at the edges and only there. A consumer that suspends the producer holds back instants.
// - Between two awaits everything that is due has happened: `value(of:)` and `send` first let time pass up to now.
// - The host's tasks run as Swift tasks, and are cancelled when their scope goes, and at the end.

import FRPBase
import FRPRuntime

/// A live run of a program. See the file's head for what it promises.
///
///     let session = try Session(program)
///     let running = Task { try await session.run() }
///     for await total in await session.values(of: total) { print(total.value) }
public actor Session {
  let simulation: Simulation
  private let clock: SessionClock
  /// The clock's time at the program's time 0.
  private var origin: Duration?
  private let epoch: Double?
  /// How other threads end the instant that is under way: it faults and is undone, and the session goes on.
  public nonisolated let interrupter: Interrupter
  private var account: QuotaAccount
  /// The time at which it stands still.
  private var pausedAt: Double?
  /// Whether somebody is in `run`, and who waits for the end of that to run it in turn.
  private var isRunning = false
  private let runners = Turns()
  /// Waits in `run` for the next moment at which something is to do.
  private var waiting: CheckedContinuation<Void, Never>?
  private var sleeper: Task<Void, Never>?
  private var waits = 0
  private(set) var isClosed = false
  private let waiter = Waiter()

  // Who listens, by number: how it is told of the end, and what it holds on to.
  var closers: [Int: @Sendable () -> Void] = [:]
  var observations: [Int: OutputObservation] = [:]
  /// Consumers that hold the program back, and whether each is full.
  var suspending: [Int: (isFull: @Sendable () -> Bool, room: @Sendable () async -> Void)] = [:]
  var samplers: [Int: Sampler] = [:]
  var nextConsumer = 0

  private let work: HostWork
  /// By number: the host's tasks. After a restore one may have the number of another that is still being cancelled;
  /// `turn` tells them apart.
  private var running: [HostTask.ID: (turn: Int, task: Task<Void, Never>)] = [:]
  private var turns = 0

  /// Prepares a run that follows a clock, the machine's own if none is given; nothing happens until `start` or `run`.
  /// `settings` are start values of input behaviors, as JSON; `epoch` is what `Date.epoch` gives, in seconds since 1970:
  /// without it the wall clock's moment of the start where the clock is the machine's, else 0.
  public init(
    _ program: Program, clock: some _Concurrency.Clock<Duration> = ContinuousClock(), limits: Limits = Limits(),
    quota: Quota = Quota(), seed: UInt64 = 0, settings: [String: String] = [:], epoch: Double? = nil
  ) throws(SimulationError) {
    try self.init(
      try Simulation(program, limits: limits.watched, seed: seed, settings: settings), SessionClock(clock), epoch, quota
    )
  }

  /// Prepares a run that goes on where a snapshot was made; its start instant has happened then, and does not again. The
  /// program's time stands at that of the snapshot until `start` or `run`, and its tasks of the host begin then once more.
  /// `limits` and `seed` are no part of a snapshot. Throws as `Simulation.restore` does.
  public init(
    _ program: Program, restoring snapshot: Snapshot, clock: some _Concurrency.Clock<Duration> = ContinuousClock(),
    limits: Limits = Limits(), quota: Quota = Quota(), seed: UInt64 = 0, epoch: Double? = nil
  ) throws(SimulationError) {
    try self.init(
      try Simulation(program, limits: limits.watched, seed: seed), SessionClock(clock), epoch, quota, snapshot)
  }

  private init(
    _ simulation: sending Simulation, _ clock: SessionClock, _ epoch: Double?, _ quota: Quota,
    _ snapshot: Snapshot? = nil
  ) throws(SimulationError) {
    let work = HostWork()
    simulation.taskBegan = { work.items.append(.begin($0)) }
    simulation.taskCancelled = { work.items.append(.cancel($0)) }
    if let snapshot { try simulation.restore(snapshot) }
    self.simulation = simulation
    interrupter = simulation.interrupter
    account = QuotaAccount(quota)
    self.clock = clock
    self.epoch = epoch
    self.work = work
  }

  /// A session that nobody holds any more has ended for those who listen, too.
  deinit {
    for (_, (_, task)) in running { task.cancel() }
    for (_, close) in closers { close() }
  }

  // MARK: Running

  /// Runs the start instant, at the clock's present time. `run` does it if nobody has.
  public func start() { start(withWork: true) }

  private func start(withWork: Bool) {
    if origin != nil { return }
    origin = clock.now() - Self.duration(simulation.now)
    if simulation.reactor.hasStarted {
      // A snapshot has said the moment, too; who knows it better says it again.
      if saysMoment { setEpoch(at: simulation.now) }
    } else {
      setEpoch(at: 0)
      simulation.start()
    }
    if withWork { goOnWithWork() }
  }

  /// What `Date.epoch` gives in a run whose time is so many seconds now.
  private func setEpoch(at seconds: Double) {
    simulation.epoch = epoch ?? (saysMoment ? CivilMoment.present.value - seconds : 0)
  }

  private var saysMoment: Bool { epoch != nil || clock.isOfMachine }

  /// What the session has taken so far, and what it holds.
  public var usage: Usage { simulation.usage }

  /// Follows the clock until the task is cancelled or the session is closed. Throws `CancellationError` when cancelled;
  /// the session can then be run again. One task runs a session: who calls this meanwhile waits, and runs it from where
  /// that one has left it.
  public func run() async throws {
    start()
    while isRunning, !isClosed, !Task.isCancelled { await runners.turn() }
    if Task.isCancelled {
      // The turn may have been this task's.
      runners.next()
      throw CancellationError()
    }
    if isClosed { return }
    isRunning = true
    defer {
      isRunning = false
      runners.next()
    }
    while !isClosed {
      try Task.checkCancellation()
      await catchUp(isRunner: true)
      if !isClosed { await wait() }
    }
  }

  /// Ends the run: the program's last instant (`end`) happens, all sequences of its outputs end, and the host's tasks are
  /// cancelled.
  public func close() {
    if isClosed { return }
    bringToPresent()
    simulation.finish()
    isClosed = true
    for (_, close) in closers.sorted(by: { $0.key < $1.key }) { close() }
    closers = [:]
    samplers = [:]
    suspending = [:]
    goOnWithWork()
    for (_, (_, task)) in running { task.cancel() }
    running = [:]
    wake()
    runners.finish()
  }

  /// Lets the program's time stand still; what is sent meanwhile happens at this moment.
  public func pause() {
    if pausedAt != nil || isClosed { return }
    bringToPresent()
    pausedAt = max(simulation.now, elapsed)
    wake()
  }

  /// Lets time go on after `pause`.
  public func resume() {
    guard let pausedAt else { return }
    self.pausedAt = nil
    origin = clock.now() - Self.duration(pausedAt)
    wake()
  }

  /// Whether time stands still.
  public var isPaused: Bool { pausedAt != nil }

  /// Seconds since the start, by the clock, without pauses.
  private var elapsed: Double {
    if let pausedAt { return pausedAt }
    guard let origin else { return 0 }
    let (seconds, attoseconds) = (clock.now() - origin).components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// Lets time pass up to now; less far where a consumer holds the program back, or its clock runs faster than it.
  func bringToPresent() {
    start()
    _ = pass(to: elapsed, longest: Self.turn)
    goOnWithWork()
  }

  /// How far a turn got.
  private enum Progress {
    case present
    /// A consumer holds the program back.
    case heldBack
    /// It has taken more than its quota.
    case overQuota
    /// There is more to do, but others must have their turn.
    case turnIsOver
  }

  /// Seconds of the session's clock that may pass while it catches up in one turn. A program with more instants than the
  /// machine can run falls behind the clock, but it keeps no thread from others for longer than this, and can be closed.
  private static var turn: Double { 0.02 }

  /// Turns after which whoever sends does so though the program is behind the clock.
  static var mostTurns: Int { 10 }

  /// The same, waiting for consumers that hold the program back and letting others have their turn. Gives false where the
  /// task was cancelled before they had taken enough.
  @discardableResult
  func catchUp(within limit: Int = .max, isRunner: Bool = false) async -> Bool {
    start()
    var left = limit
    while !isClosed {
      let progress = pass(to: elapsed, longest: Self.turn)
      if progress == .present { break }
      goOnWithWork()
      if Task.isCancelled { return false }
      if progress == .turnIsOver {
        left -= 1
        if left <= 0 { return true }
        await Task.yield()
        continue
      }
      if progress == .overQuota {
        let due = clock.now() + Self.duration(account.wait(at: clockSeconds))
        if isRunner, let idle = clock.idle { await idle(waiter, due) } else { try? await clock.sleep(due) }
        continue
      }
      if let full = suspending.sorted(by: { $0.key < $1.key }).first(where: { $0.value.isFull() }) {
        await full.value.room()
      }
    }
    goOnWithWork()
    return true
  }

  /// Runs what is due up to `seconds`, sampling on the way, until the clock has gone on by `longest` meanwhile.
  private func pass(to seconds: Double, longest: Double) -> Progress {
    var work = 0
    while true {
      let sample = samplers.values.map(\.due).min() ?? .infinity
      let stop = min(seconds, sample)
      // Something may still be sent at the present time, but not at a sample before it.
      let isClosing = stop < seconds
      if !suspending.isEmpty || isClosing || stop > simulation.now {
        while !isHeldBack, !isOverQuota, simulation.advanceOnce(to: stop, isClosing: isClosing) {
          charge()
          // Looking at the clock costs as much as a small instant: 64 of these, or fewer larger ones, are well below 1 ms.
          work += 1 + simulation.stepsOfLastInstant >> 10
          if work < 64 { continue }
          work = 0
          if elapsed - seconds > longest { return .turnIsOver }
        }
      }
      if isHeldBack { return .heldBack }
      if isOverQuota { return .overQuota }
      if sample > seconds { return .present }
      takeSamples(at: sample, until: seconds)
    }
  }

  private var clockSeconds: Double {
    let (seconds, attoseconds) = clock.now().components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  private var isOverQuota: Bool { account.isBounded && account.wait(at: clockSeconds) > 0 }

  /// Charges the quota with what has been taken since it was charged last.
  func charge() { if account.isBounded { account.charge(simulation.usage, at: clockSeconds) } }

  private var isHeldBack: Bool { suspending.values.contains { $0.isFull() } }

  private func takeSamples(at moment: Double, until seconds: Double) {
    for (number, sampler) in samplers.sorted(by: { $0.key < $1.key }) where sampler.due <= moment {
      sampler.take(simulation)
      samplers[number]?.goOn(after: moment, until: seconds)
    }
  }

  /// Waits for the next moment at which the program has something to do, or for `wake`.
  private func wait() async {
    waits += 1
    let number = waits
    var due: Duration?
    if pausedAt == nil, let origin {
      let next = min(simulation.nextWakeUp ?? .infinity, samplers.values.map(\.due).min() ?? .infinity)
      if next < .infinity { due = origin + Self.duration(next) }
    }
    if let idle = clock.idle {
      await idle(waiter, due)
      return
    }
    let clock = clock
    if let due {
      sleeper = Task { [weak self] in
        try? await clock.sleep(due)
        await self?.wake(number)
      }
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled || waits != number { continuation.resume() } else { waiting = continuation }
      }
    } onCancel: {
      Task { await self.wake(number) }
    }
    sleeper?.cancel()
    sleeper = nil
  }

  /// A moment after the start; rounded up, so that a timer is due when the clock gets there.
  private static func duration(_ seconds: Double) -> Duration {
    let limit = 1e9
    return .nanoseconds(Int64((min(max(0, seconds), limit) * 1e9).rounded(.up)))
  }

  private func wake(_ number: Int) { if number == waits { wake() } }

  func wake() {
    clock.wake?(waiter)
    waits += 1
    waiting?.resume()
    waiting = nil
  }

  // MARK: The host's tasks

  /// Begins and cancels what the program has asked for meanwhile.
  func goOnWithWork() {
    if work.isEmpty { return }
    let items = work.items
    work.items = []
    for (place, item) in items.enumerated() {
      switch item {
      case .cancel(let id): running.removeValue(forKey: id)?.task.cancel()
      case .begin(let task):
        // What was cancelled before anybody could begin it is not begun.
        if isClosed || items[place...].contains(where: { $0.cancels(task.id) }) { continue }
        turns += 1
        let turn = turns
        let work = Task { [weak self] in
          if task.isSource {
            let inlet = SourceInlet(task)
            while let report = await inlet.next() {
              guard let self, await self.take(report, task.id, turn) else { return inlet.cancel() }
            }
            inlet.cancel()
          } else {
            let result = await task.run()
            await _ = self?.take(.ended(result), task.id, turn)
          }
        }
        running[task.id] = (turn, work)
      }
    }
  }

  /// What a task or source reports happens now. Gives whether it is still wanted.
  private func take(_ report: HostReport, _ id: HostTask.ID, _ turn: Int) async -> Bool {
    if running[id]?.turn != turn || isClosed { return false }
    await catchUp(within: Self.mostTurns)
    if running[id]?.turn != turn || isClosed { return false }
    if case .ended = report { running[id] = nil }
    report.happen(in: simulation, id)
    charge()
    goOnWithWork()
    wake()
    return running[id]?.turn == turn
  }

  /// Waits until no task of the host is under way: for tests.
  public func tasksEnded() async {
    while let (_, (_, task)) = running.min(by: { $0.key < $1.key }) { await task.value }
  }

  // MARK: The simulation

  /// What went wrong so far, oldest first; at most a hundred are kept.
  public var faults: [String] { simulation.faults.map(\.title) }

  /// Works with the simulation itself, at the present time. Where `body` restores a snapshot, time goes on from there;
  /// to begin with a snapshot, `restore` before `start`.
  public func withSimulation<Result: Sendable, Failure: Error>(
    _ body: sending (Simulation) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let isNew = origin == nil
    start(withWork: false)
    if !isNew { bringToPresent() }
    let restores = simulation.restores
    defer {
      if simulation.restores != restores { timeIsThatOfSimulation() }
      goOnWithWork()
      wake()
    }
    return try body(simulation)
  }

  /// Goes on where a snapshot was made, at the program's time of then; in the place of `start`, or at any time after it.
  /// The host's tasks that were under way then begin once more. Throws as `Simulation.restore` does, and the session is
  /// then as it was.
  public func restore(_ snapshot: Snapshot) throws(SimulationError) {
    if isClosed { throw .isOver }
    if origin == nil { setEpoch(at: snapshot.time) } else { bringToPresent() }
    let moment = simulation.epoch
    try simulation.restore(snapshot)
    // A clock that follows the machine's knows which moment it is now, and so does a host that has said it.
    if saysMoment { simulation.epoch = moment }
    timeIsThatOfSimulation()
    goOnWithWork()
    wake()
  }

  /// All that the run remembers, at the present time: for `Session(…, restoring:)`, in this process or another. Throws as
  /// `Simulation.snapshot` does.
  public func snapshot() throws(SimulationError) -> Snapshot {
    if !isClosed { bringToPresent() }
    return try simulation.snapshot()
  }

  /// The simulation has another time now: the clock goes on from there.
  private func timeIsThatOfSimulation() {
    origin = clock.now() - Self.duration(simulation.now)
    if pausedAt != nil { pausedAt = simulation.now }
    for (number, sampler) in samplers { samplers[number]?.due = simulation.now + sampler.interval }
  }

  /// Goes on with another program: see `Simulation.replaceProgram(with:)`.
  @discardableResult
  public func replaceProgram(with program: Program) throws(SimulationError) -> ReloadReport {
    bringToPresent()
    defer {
      goOnWithWork()
      wake()
    }
    return try simulation.replaceProgram(with: program)
  }
}

/// What the program has asked of the host since somebody looked. Belongs to one session.
private final class HostWork {
  enum Item {
    case begin(HostTask)
    case cancel(HostTask.ID)

    func cancels(_ id: HostTask.ID) -> Bool { if case .cancel(id) = self { true } else { false } }
  }
  /// In the order in which it was asked for.
  var items: [Item] = []
  var isEmpty: Bool { items.isEmpty }
}
