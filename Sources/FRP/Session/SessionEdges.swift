// Sending to a session, and listening to it.

import FRPBase
import FRPRuntime

/// Somebody who looks at a behavior at regular moments of the program's time.
struct Sampler {
  /// The next moment.
  var due: Double
  let interval: Double
  let take: (Simulation) -> Void

  /// The next moment after this one. Moments that a process has slept through are passed over but for the last.
  mutating func goOn(after moment: Double, until seconds: Double) {
    due = moment + interval
    if due + interval < seconds { due += ((seconds - due) / interval).rounded(.down) * interval }
  }
}

/// An observation of a session under way: it lasts until it is cancelled, its owner is gone, or the session is closed.
public final class SessionObservation: Sendable {
  private let task: Task<Void, Never>
  init(_ task: Task<Void, Never>) { self.task = task }
  /// Ends it; a call that is under way is not interrupted, but its task is cancelled.
  public func cancel() { task.cancel() }
}

extension Session {
  // MARK: Inputs

  /// One occurrence of an input event, now. Waits while a consumer holds the program back; throws as `Simulation.send`
  /// does, `isOver` when the session is closed, and `cancelled` where the task was cancelled while it waited: then nothing
  /// was sent.
  public func send<Value>(_ value: Value, to input: EventInput<Value>) async throws(SimulationError) {
    try await take { (simulation) throws(SimulationError) in try simulation.send(value, to: input) }
  }

  /// One occurrence of an input event of `()`, now. Waits and throws as the other does.
  public func send(to input: EventInput<FrpUnit>) async throws(SimulationError) {
    try await send(FrpUnit(), to: input)
  }

  /// A new value of an input behavior, now. Waits and throws as `send` does.
  public func set<Value>(_ input: BehaviorInput<Value>, to value: Value) async throws(SimulationError) {
    try await take { (simulation) throws(SimulationError) in try simulation.set(input, to: value) }
  }

  /// Lets these happen together, in one instant, now: `send(together: [clicks.sending(1), level.setting(to: 0.5)])`. Waits
  /// and throws as the others do.
  public func send(together values: [SentValue]) async throws(SimulationError) {
    try await take { (simulation) throws(SimulationError) in try simulation.send(together: values) }
  }

  func take(_ body: (Simulation) throws(SimulationError) -> Void) async throws(SimulationError) {
    if isClosed { throw .isOver }
    if await !catchUp(within: Self.mostTurns) { throw .cancelled }
    if isClosed { throw .isOver }
    defer {
      charge()
      goOnWithWork()
      wake()
    }
    try body(simulation)
  }

  /// Sends every element of a sequence, until that ends or the task is cancelled. The sequence is asked for its next
  /// element only when the program has taken the last.
  public func feed<Elements: AsyncSequence & Sendable>(_ elements: Elements, to input: EventInput<Elements.Element>)
    async throws where Elements.Element: FrpConvertible
  {
    for try await element in elements {
      try Task.checkCancellation()
      do throws(SimulationError) {
        try await send(element, to: input)
      } catch {
        if case .cancelled = error { throw CancellationError() }
        throw error
      }
    }
  }

  /// A way to an input event with a buffer of its own, from any thread. Faults that a value causes stand in `faults`.
  public func inlet<Value>(to input: EventInput<Value>, buffering: Buffering = .unbounded) -> Inlet<Value> {
    open(Inlet(buffering)) { (session, value) in try? await session.send(value, to: input) }
  }

  /// A way to an input behavior with a buffer of its own, from any thread.
  public func inlet<Value>(to input: BehaviorInput<Value>, buffering: Buffering = .newest(1)) -> Inlet<Value> {
    open(Inlet(buffering)) { (session, value) in try? await session.set(input, to: value) }
  }

  private func open<Value: Sendable>(
    _ inlet: Inlet<Value>, _ send: @escaping @Sendable (Session, Value) async -> Void
  ) -> Inlet<Value> {
    let mailbox = inlet.mailbox
    if isClosed { mailbox.finish() }
    nextConsumer += 1
    let number = nextConsumer
    closers[number] = { mailbox.finish() }
    Task { [weak self] in
      while let value = await mailbox.next() {
        guard let self else { break }
        await send(self, value)
      }
      await self?.forget(number)
    }
    return inlet
  }

  // MARK: Outputs

  /// The present value of an output behavior. Throws `fault` if it has none.
  public func value<Value>(of output: BehaviorOutput<Value>) throws(SimulationError) -> Value {
    if !isClosed { bringToPresent() }
    return try simulation.value(of: output)
  }

  /// The occurrences of an output event from now on. Any number of consumers may ask; each gets all of them.
  public func occurrences<Value>(of output: EventOutput<Value>, buffering: Buffering = .unbounded)
    -> OutputSequence<TimedValue<Value>>
  {
    let mailbox = Mailbox<TimedValue<Value>>(buffering)
    return listen(mailbox, isClosed ? nil : simulation.observe(output) { mailbox.put($0) })
  }

  /// The present value of an output behavior, then every new one. Of one that varies between instants: only the present;
  /// see `samples`.
  public func values<Value>(of output: BehaviorOutput<Value>, buffering: Buffering = .newest(1))
    -> OutputSequence<TimedValue<Value>>
  {
    let mailbox = Mailbox<TimedValue<Value>>(buffering)
    if !isClosed { bringToPresent() }
    if let first = try? simulation.value(of: output) { mailbox.put(TimedValue(first, at: simulation.now)) }
    return listen(mailbox, isClosed ? nil : simulation.observe(output) { mailbox.put($0) })
  }

  /// What an output behavior is now, and then after every interval of the program's time. Where the process was too late
  /// for several moments, the last of them counts. For behaviors that vary between instants.
  public func samples<Value>(
    of output: BehaviorOutput<Value>, every interval: Duration, buffering: Buffering = .newest(1)
  ) -> OutputSequence<TimedValue<Value>> {
    let mailbox = Mailbox<TimedValue<Value>>(buffering)
    if isClosed { return listen(mailbox, nil) }
    bringToPresent()
    let take: (Simulation) -> Void = { simulation in
      if let value = try? simulation.value(of: output) { mailbox.put(TimedValue(value, at: simulation.now)) }
    }
    take(simulation)
    let (seconds, attoseconds) = interval.components
    let length = max(1e-6, Double(seconds) + Double(attoseconds) / 1e18)
    let sequence = listen(mailbox, nil)
    samplers[nextConsumer] = Sampler(due: simulation.now + length, interval: length, take: take)
    wake()
    return sequence
  }

  /// What goes wrong from now on: faults as diagnostics, with their places; `program.report(on:)` shows one with its
  /// source. Any number of consumers may ask; each gets all of them.
  public func faults(buffering: Buffering = .newest(100)) -> OutputSequence<Diagnostic> {
    let mailbox = Mailbox<Diagnostic>(buffering)
    return listen(mailbox, isClosed ? nil : simulation.observeFaults { mailbox.put($0) })
  }

  private func listen<Element>(_ mailbox: Mailbox<Element>, _ observation: OutputObservation?)
    -> OutputSequence<Element>
  {
    nextConsumer += 1
    let number = nextConsumer
    if isClosed { mailbox.finish() } else { closers[number] = { mailbox.finish() } }
    observations[number] = observation
    if mailbox.policy.suspends, !isClosed {
      suspending[number] = ({ mailbox.isFull && !mailbox.isFinished }, { await mailbox.room() })
    }
    return OutputSequence(
      consumer: .init(mailbox) { [weak self] in
        guard let self else { return }
        Task { await self.forget(number) }
      })
  }

  private func forget(_ number: Int) {
    observations.removeValue(forKey: number)?.cancel()
    closers[number] = nil
    suspending[number] = nil
    samplers[number] = nil
  }

  // MARK: Observing

  /// Calls `body` for every occurrence of an output event, one after the other, until the observation is cancelled.
  @discardableResult
  public func observe<Value>(
    _ output: EventOutput<Value>, buffering: Buffering = .unbounded,
    _ body: @escaping @Sendable (TimedValue<Value>) async -> Void
  ) -> SessionObservation { observation(occurrences(of: output, buffering: buffering), body) }

  /// Calls `body` for the present value of an output behavior, and every new one.
  @discardableResult
  public func observe<Value>(
    _ output: BehaviorOutput<Value>, buffering: Buffering = .newest(1),
    _ body: @escaping @Sendable (TimedValue<Value>) async -> Void
  ) -> SessionObservation { observation(values(of: output, buffering: buffering), body) }

  /// The same for as long as `owner` lives, which is handed to `body`: no cycle of references can come from it.
  @discardableResult
  public func observe<Value, Owner: AnyObject & Sendable>(
    _ output: EventOutput<Value>, while owner: Owner, buffering: Buffering = .unbounded,
    _ body: @escaping @Sendable (Owner, TimedValue<Value>) async -> Void
  ) -> SessionObservation { observation(occurrences(of: output, buffering: buffering), while: owner, body) }

  /// The same for as long as `owner` lives, which is handed to `body`: no cycle of references can come from it.
  @discardableResult
  public func observe<Value, Owner: AnyObject & Sendable>(
    _ output: BehaviorOutput<Value>, while owner: Owner, buffering: Buffering = .newest(1),
    _ body: @escaping @Sendable (Owner, TimedValue<Value>) async -> Void
  ) -> SessionObservation { observation(values(of: output, buffering: buffering), while: owner, body) }

  private func observation<Element>(
    _ sequence: OutputSequence<Element>, _ body: @escaping @Sendable (Element) async -> Void
  ) -> SessionObservation {
    SessionObservation(Task { for await element in sequence { await body(element) } })
  }

  private func observation<Element, Owner: AnyObject & Sendable>(
    _ sequence: OutputSequence<Element>, while owner: Owner,
    _ body: @escaping @Sendable (Owner, Element) async -> Void
  ) -> SessionObservation {
    SessionObservation(
      Task { [weak owner] in
        for await element in sequence {
          guard let owner else { break }
          await body(owner, element)
        }
      })
  }
}
