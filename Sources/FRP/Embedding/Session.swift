// A simulation that lives: it follows a Swift clock, takes values from any task, and hands its outputs to many.
//
// In:  values of inputs; the passing of a clock's time. Out: async sequences of what outputs show, each consumer with a
// buffer of its own.
// Rules
// - The simulation's time is the clock's time since `start`. Timers fire at their own moments, however late the process
//   wakes up; an input happens at the moment at which it is taken.
// - Inputs are taken one after the other by the actor, so whoever awaits `send` is held back while the program is busy:
//   back-pressure lives there and only there.
// - Between two awaits everything that is due has happened: `value(of:)` and `send` first let time pass up to now.

import FRPBase
import FRPRuntime

/// How much a consumer of an output may fall behind.
public enum Buffering: Sendable, Hashable {
  /// Nothing is lost; memory grows with the delay.
  case unbounded
  /// The newest are kept, older ones are dropped: right for values of behaviors.
  case newest(Int)
  /// The oldest are kept, newer ones are dropped.
  case oldest(Int)

  func policy<Value>() -> AsyncStream<Value>.Continuation.BufferingPolicy {
    switch self {
    case .unbounded: .unbounded
    case .newest(let count): .bufferingNewest(max(1, count))
    case .oldest(let count): .bufferingOldest(max(1, count))
    }
  }
}

/// A live run of a program. See the file's head for what it promises.
///
///     let session = try Session(program)
///     try await session.start()
///     let running = Task { try await session.run() }
///     for await total in await session.values(of: total) { print(total.value) }
public actor Session<C: _Concurrency.Clock> where C.Duration == Duration {
  private let simulation: Simulation
  private let clock: C
  private var origin: C.Instant?
  /// Waits in `run` for the next moment at which something is to do.
  private var waiting: CheckedContinuation<Void, Never>?
  private var sleeper: Task<Void, Never>?
  private var waits = 0
  private var isClosed = false
  private let waker: (any WakingClock)?
  private let waiter = Waiter()
  private var closers: [Int: @Sendable () -> Void] = [:]
  private var nextConsumer = 0

  /// Prepares a run; nothing happens until `start` or `run`. `settings` are start values of input behaviors, as JSON.
  public init(
    _ program: Program, clock: C, limits: Limits = Limits(), seed: UInt64 = 0, settings: [String: String] = [:]
  ) throws(SimulationError) {
    simulation = try Simulation(program, limits: limits, seed: seed, settings: settings)
    self.clock = clock
    waker = clock as? any WakingClock
  }

  // MARK: Running

  /// Runs the start instant, at the clock's present time. `run` does it if nobody has.
  public func start() {
    if origin != nil { return }
    origin = clock.now
    simulation.start()
  }

  /// Follows the clock until the task is cancelled or the session is closed. Throws `CancellationError` when cancelled;
  /// the session can then be run again.
  public func run() async throws {
    start()
    while !isClosed {
      try Task.checkCancellation()
      bringToPresent()
      await wait()
    }
  }

  /// Ends the run: the program's last instant (`end`) happens, and all sequences of its outputs end.
  public func close() {
    if isClosed { return }
    bringToPresent()
    simulation.finish()
    isClosed = true
    for (_, close) in closers.sorted(by: { $0.key < $1.key }) { close() }
    closers = [:]
    wake()
  }

  /// Seconds since the start, by the clock.
  private var elapsed: Double {
    guard let origin else { return 0 }
    return Self.seconds(origin.duration(to: clock.now))
  }

  private static func seconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  private func bringToPresent() {
    start()
    if elapsed > simulation.now { simulation.advance(to: elapsed) }
  }

  /// Waits for the next moment at which the program has something to do, or for `wake`.
  private func wait() async {
    waits += 1
    let number = waits
    let due = simulation.nextWakeUp.flatMap { seconds in
      origin.map { $0.advanced(by: Self.duration(seconds)) }
    }
    if let waker {
      await waker.idle(waiter, until: due)
      return
    }
    let clock = clock
    if let due {
      sleeper = Task { [weak self] in
        try? await clock.sleep(until: due, tolerance: nil)
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

  private func wake() {
    waker?.wake(waiter)
    waits += 1
    waiting?.resume()
    waiting = nil
  }

  // MARK: Inputs

  /// One occurrence of an input event, now. Throws as `Simulation.send` does.
  public func send<Value>(_ value: Value, to input: EventInput<Value>) throws(SimulationError) {
    try take { (simulation) throws(SimulationError) in try simulation.send(value, to: input) }
  }

  /// A new value of an input behavior, now. Throws as `Simulation.set` does.
  public func set<Value>(_ input: BehaviorInput<Value>, to value: Value) throws(SimulationError) {
    try take { (simulation) throws(SimulationError) in try simulation.set(input, to: value) }
  }

  private func take(_ body: (Simulation) throws(SimulationError) -> Void) throws(SimulationError) {
    if isClosed { throw .notBetweenInstants }
    bringToPresent()
    defer { wake() }
    try body(simulation)
  }

  /// Sends every element of a sequence, until that ends or the task is cancelled. The sequence is asked for its next
  /// element only when the program has taken the last.
  public func feed<Elements: AsyncSequence & Sendable>(_ elements: Elements, to input: EventInput<Elements.Element>)
    async throws where Elements.Element: FrpConvertible
  {
    for try await element in elements {
      try Task.checkCancellation()
      try send(element, to: input)
    }
  }

  // MARK: Outputs

  /// The present value of an output behavior. Throws `fault` if it has none.
  public func value<Value>(of output: BehaviorOutput<Value>) throws(SimulationError) -> Value {
    if !isClosed { bringToPresent() }
    return try simulation.value(of: output)
  }

  /// The occurrences of an output event from now on. Any number of consumers may ask; each gets all of them.
  public func occurrences<Value>(of output: EventOutput<Value>, buffering: Buffering = .unbounded)
    -> AsyncStream<TimedValue<Value>>
  {
    stream(buffering, first: nil) { (simulation, receive) in simulation.observe(output, receive) }
  }

  /// The present value of an output behavior, then every new one. Of one that varies between instants: only the present.
  public func values<Value>(of output: BehaviorOutput<Value>, buffering: Buffering = .newest(1))
    -> AsyncStream<TimedValue<Value>>
  {
    if !isClosed { bringToPresent() }
    let first = (try? simulation.value(of: output)).map { TimedValue($0, at: simulation.now) }
    return stream(buffering, first: first) { (simulation, receive) in simulation.observe(output, receive) }
  }

  private func stream<Value: Sendable>(
    _ buffering: Buffering, first: TimedValue<Value>?,
    _ observe: (Simulation, @escaping (TimedValue<Value>) -> Void) -> OutputObservation
  ) -> AsyncStream<TimedValue<Value>> {
    let (stream, continuation) = AsyncStream<TimedValue<Value>>.makeStream(bufferingPolicy: buffering.policy())
    if let first { continuation.yield(first) }
    if isClosed {
      continuation.finish()
      return stream
    }
    let observation = observe(simulation) { continuation.yield($0) }
    nextConsumer += 1
    let number = nextConsumer
    observations[number] = observation
    closers[number] = { continuation.finish() }
    continuation.onTermination = { [weak self] _ in Task { await self?.forget(number) } }
    return stream
  }

  private var observations: [Int: OutputObservation] = [:]

  private func forget(_ number: Int) {
    observations.removeValue(forKey: number)?.cancel()
    closers[number] = nil
  }

  // MARK: The simulation

  /// What went wrong so far, oldest first; at most a hundred are kept.
  public var faults: [String] { simulation.faults.map(\.title) }

  /// Works with the simulation itself, at the present time.
  public func withSimulation<Result: Sendable, Failure: Error>(_ body: (Simulation) throws(Failure) -> Result)
    throws(Failure) -> Result
  {
    bringToPresent()
    defer { wake() }
    return try body(simulation)
  }

  /// Goes on with another program: see `Simulation.replaceProgram(with:)`.
  @discardableResult
  public func replaceProgram(with program: Program) throws(SimulationError) -> ReloadReport {
    bringToPresent()
    defer { wake() }
    return try simulation.replaceProgram(with: program)
  }
}

extension Session where C == ContinuousClock {
  /// A run that follows the machine's own clock.
  public init(_ program: Program, limits: Limits = Limits()) throws(SimulationError) {
    try self.init(program, clock: ContinuousClock(), limits: limits)
  }
}
