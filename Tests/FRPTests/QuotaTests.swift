// What runs take: figures, quotas of sessions, and interruptions by other threads.

import Glibc
import Synchronization
import Testing

@testable import FRP

private func compiled(_ text: String, _ host: HostModule...) throws -> Program {
  let program = Program(Source(name: "test.frp", text: text), host: host)
  try #require(!program.hasErrors, "\(program.report)")
  return program
}

/// A thread that interrupts again and again until it is told to stop, whatever the tasks of Swift do.
private final class Watchdog: Sendable {
  private let interrupter: Interrupter
  private let isOver = Atomic<Bool>(false)
  private let hasEnded = Atomic<Bool>(false)

  init(_ interrupter: Interrupter) {
    self.interrupter = interrupter
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self).toOpaque()
    let isThere = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Watchdog>.fromOpaque(pointer).takeRetainedValue().watch()
        return nil
      }, context)
    #expect(isThere == 0)
    pthread_detach(thread)
  }

  private func watch() {
    while !isOver.load(ordering: .relaxed) {
      usleep(5_000)
      interrupter.interrupt()
    }
    hasEnded.store(true, ordering: .releasing)
  }

  /// After it nothing is interrupted any more.
  func stop() {
    isOver.store(true, ordering: .relaxed)
    while !hasEnded.load(ordering: .acquiring) { usleep(1_000) }
  }
}

@Suite struct InterruptionTests {
  private static let text = """
    input go: Event<Int>
    input n: Event<Int>
    output sum = n |> fold(0, (+))
    output never = go |> map(x => forever(x)) |> hold(0)
    output ticks = every(1ms) |> count
    forever(x) = forever(x + 0)
    """

  private static func watched() -> Limits {
    var limits = Limits()
    limits.isWatched = true
    limits.stepsPerInstant = .max / 4
    return limits
  }

  @Test func anInstantIsEnded() throws {
    let run = try Simulation(try compiled(Self.text), limits: Self.watched())
    run.start()
    try run.send("4", to: "n")
    let watchdog = Watchdog(run.interrupter)
    let error = #expect(throws: SimulationError.self) { try run.send("1", to: "go") }
    watchdog.stop()
    guard case .fault(let diagnostic) = error else { throw FrpError("no fault") }
    #expect(diagnostic.code == .limitReached && diagnostic.reason == "the host has interrupted this instant")
    #expect(run.program.json(of: diagnostic).contains(#""definition":"never","at":0"#))
    #expect(run.program.report(on: diagnostic).contains("forever(x) = forever(x + 0)"))
    // The run goes on, and what was asked for between two calls is forgotten.
    usleep(10_000)
    run.interrupter.interrupt()
    try run.send("5", to: "n")
    #expect(try run.value(of: "sum") == "9")
  }

  /// Who asks while a function of the host runs is heard when it comes back, however little is left to do; so is the limit of time.
  @Test(arguments: [
    "fold(0, (s, k) => s + H.f(k))", "map(k => H.f(k)) |> hold(0)", "map(H.f) |> count",
    "hold(H.f(0)) |> (k => H.f(k))",
  ])
  func functionsOfTheHostHideNoEnd(of steps: String) throws {
    for isOfTime in [false, true] {
      let ended = Mutex<(isOn: Bool, run: Interrupter?)>((false, nil))
      let host = HostModule("H", interface: "f(n: Int): Int\n") { _, _ in
        ended.withLock { state in
          guard state.isOn else { return }
          state.run?.interrupt()
          if isOfTime { usleep(60_000) }
        }
        return "3"
      }
      var limits = Self.watched()
      if isOfTime { limits.secondsPerInstant = 0.05 }
      let text = "input n: Event<Int>\noutput v = n |> \(steps)\noutput all = every(1s) |> map(_ => H.f(1)) |> count\n"
      let run = try Simulation(try compiled(text, host), limits: limits)
      run.start()
      let before = try run.value(of: "v")
      ended.withLock { $0 = (true, isOfTime ? nil : run.interrupter) }
      #expect(throws: SimulationError.self) { try run.send("1", to: "n") }
      run.advance(to: 1.5)
      #expect(run.faults.count == 2 && run.faults.allSatisfy { $0.code == .limitReached }, "\(run.faultMessages)")
      ended.withLock { $0.isOn = false }
      #expect(try run.value(of: "v") == before)
      run.advance(to: 2.5)
      #expect(try run.value(of: "all") == "1")
      try run.send("1", to: "n")
      #expect(try run.value(of: "v") != before || steps.contains("=> H.f(k))"))
    }
  }

  @Test func timeStopsWhereItIs() throws {
    let run = try Simulation(try compiled(Self.text), limits: Self.watched())
    run.start()
    let watchdog = Watchdog(run.interrupter)
    run.advance(to: 1e7)
    watchdog.stop()
    let reached = run.now
    #expect(reached < 1e7)
    // It goes on from there; the sum of two numbers of seconds may be rounded where the moment is not.
    run.advance(to: reached + 1)
    #expect(abs(run.now - (reached + 1)) < 1e-9 && run.faults.allSatisfy { $0.code == .limitReached })
  }

  /// Whoever runs it may have been told to end, by a signal: between instants that is asked for.
  @Test func whoeverRunsItMayWantAnEnd() throws {
    let run = try Simulation(try compiled("y = integral(-1e5 * (y - sin(time)))\noutput y"))
    run.start()
    var steps = 0
    run.reactor.isEndWanted = {
      steps += 1
      return steps > 1_000
    }
    run.advance(to: 1e9)
    #expect(run.now > 0 && run.now < 1 && steps < 1_100)
    run.reactor.isEndWanted = nil
    let reached = run.now
    run.advance(to: reached + 0.01)
    #expect(run.now > reached && run.faults.isEmpty)
  }

  /// Between instants what moves is left where it is, unharmed, and gone on with by the next call; no instant sees it before.
  @Test(arguments: ["", "output late = when(y > 1.5)"])
  func whatMovesIsLeftWhereItIs(more: String) throws {
    let text = """
      y = integralFrom(-3e5 * (y - cos(time)), 1.0, never)
      tick = every(800ms)
      output seen = sample(y, tick)
      input go: Event<Int>
      output asked = sample(y, go)
      """
    let program = try compiled(text + "\n" + more)
    let seen = try program.events("seen", of: Double.self)
    let (whole, run) = (
      try Simulation(program, limits: Self.watched()), try Simulation(program, limits: Self.watched())
    )
    var values: [[Double]] = [[], []]
    var answers: [Double] = []
    let observations = [
      run.observe(try program.events("asked", of: Double.self)) { answers.append($0.value) },
      whole.observe(seen) { values[0].append($0.value) }, run.observe(seen) { values[1].append($0.value) },
    ]
    defer { withExtendedLifetime(observations) {} }
    whole.start()
    whole.advance(to: 1)
    run.start()
    let watchdog = Watchdog(run.interrupter)
    var calls = 0
    while run.now < 1, calls < 3 {
      let before = run.now
      run.advance(to: 1)
      calls += 1
      // What an instant sees there is what there is then.
      #expect(run.now > before)
      try run.send("1", to: "go")
      #expect(abs(try #require(answers.last) - cos(run.now)) < 1e-5)
    }
    watchdog.stop()
    #expect(calls == 3)
    run.advance(to: 1)
    #expect(run.now == 1 && run.faults.isEmpty && values[0].count == 1 && values[0] == values[1])
    #expect(try run.snapshot() == whole.snapshot())
  }

  /// Where a call was broken off says nothing once nothing moves any more: the clock never goes back there.
  @Test func whereItWasBrokenOffIsForgotten() throws {
    let text = """
      input stop: Event<Int>
      fast = start |> keyedUntil(_ => 1, (_, own) => {
        y = integralFrom(-3e5 * (y - cos(time)), 1.0, never)
        (sample(y, every(800ms)), stop)
      })
      output fast
      output ticks = every(900ms) |> count
      """
    let run = try Simulation(try compiled(text), limits: Self.watched())
    run.start()
    let watchdog = Watchdog(run.interrupter)
    run.advance(to: 1)
    watchdog.stop()
    let reached = run.now
    #expect(reached > 0 && reached < 0.8)
    try run.send("1", to: "stop")
    run.advance(to: 1)
    #expect(try run.now == 1 && run.value(of: "ticks") == "1" && run.faults.isEmpty)
  }

  /// What needs more steps than an instant may take, and the same again for every second, stands still and says so.
  @Test func whatIsTooFastToFollowStandsStill() throws {
    var limits = Limits()
    limits.stepsPerInstant = 1_000_000
    let run = try Simulation(
      try compiled(
        """
        input go: Event<()>
        y = integralFrom(-1e9 * (y - cos(time)), 0.0, go |> map(_ => 2.0))
        calm = integralFrom(-1e5 * (calm - cos(time)), 1.0, never)
        high = when(y > 1.0)
        output y
        output calm
        output high
        """), limits: limits)
    run.start()
    run.advance(to: 0.3)
    let fault = try #require(run.faults.first)
    #expect(run.faults.count == 1 && fault.code == .limitReached)
    #expect(fault.reason == "following this integral takes more steps than the host allows for a second of time")
    #expect(run.program.json(of: fault).contains(#""definition":"y""#))
    // The others go on, and so does it after an instant that touches it, as long as that may take.
    let calm = try #require(Double(try run.value(of: "calm")))
    #expect(abs(calm - cos(0.3)) < 1e-5)
    try run.send("null", to: "go")
    run.advance(to: 0.4)
    let y = try #require(Double(try run.value(of: "y")))
    #expect(run.faults.count == 2 && abs(y - cos(0.3)) < 1e-3)
  }

  /// Of a limit of wall time everybody has as much: who uses it up stands still alone.
  @Test func timeIsLimitedForEach() throws {
    var limits = Limits()
    limits.stepsPerInstant = .max / 4
    limits.secondsPerInstant = 0.05
    let run = try Simulation(
      try compiled(
        """
        output y = integralFrom(-1e9 * (y - cos(time)), 0.0, never)
        output calm = integral(cos(time))
        """), limits: limits)
    run.start()
    run.advance(to: 1)
    let fault = try #require(run.faults.first)
    #expect(run.faults.count == 1 && fault.code == .limitReached && fault.definition == "y")
    #expect(fault.notes == ["it stays as it is until an instant touches what it reads; the program goes on"])
    let calm = try #require(Double(try run.value(of: "calm")))
    #expect(abs(calm - sin(1)) < 1e-9)
  }

  /// Restored and replaced engines listen, too.
  @Test func anotherEngineIsWatched() throws {
    let program = try compiled(Self.text)
    let first = try Simulation(program, limits: Self.watched())
    first.start()
    let run = try Simulation(program, restoring: try first.snapshot(), limits: Self.watched())
    try run.replaceProgram(with: try compiled(Self.text + "\noutput more = sum"))
    let watchdog = Watchdog(run.interrupter)
    #expect(throws: SimulationError.self) { try run.send("1", to: "go") }
    watchdog.stop()
  }

  @Test func aSessionGoesOnAfterIt() async throws {
    let program = try compiled(Self.text)
    let (go, n) = (try program.eventInput("go", of: Int.self), try program.eventInput("n", of: Int.self))
    let sum = try program.behavior("sum", of: Int.self)
    var limits = Limits()
    limits.stepsPerInstant = .max / 4
    let session = try Session(program, clock: VirtualClock(), limits: limits)
    let faults = await session.faults()
    let watchdog = Watchdog(session.interrupter)
    await #expect(throws: SimulationError.self) { try await session.send(1, to: go) }
    watchdog.stop()
    usleep(10_000)
    try await session.send(3, to: n)
    #expect(try await session.value(of: sum) == 3)
    var iterator = faults.makeAsyncIterator()
    #expect(await iterator.next()?.definition == "never")
    #expect(await session.usage.faults == 1)
  }
}

@Suite struct UsageTests {
  private static let text = """
    input n: Event<Int>
    output list = n |> map(k => 1..k |> map(x => x * x)) |> hold([])
    output inverse = n |> map(k => div(1, k)) |> hold(0)
    output groups = n |> groupBy(k => k, (_, e) => e |> count)
    """

  @Test func whatHasBeenTakenIsCounted() throws {
    var limits = Limits()
    limits.isWatched = true
    let program = try compiled(Self.text)
    let run = try Simulation(program, limits: limits)
    run.start()
    let start = run.usage
    #expect(start.instants == 1 && start.faults == 0)
    for value in 1...100 { try run.send("\(value * 10)", to: "n") }
    let after = run.usage
    #expect(after.instants == 101 && after.liveNodes > start.liveNodes && after.tasks == 0)
    // Each number is a turn of a loop, and 8 bytes of a list.
    #expect(after.steps - start.steps > 40_000 && after.steps - start.steps < 505_000)
    #expect(after.madeBytes - start.madeBytes > 404_000)
    #expect(throws: SimulationError.self) { try run.send("0", to: "n") }
    #expect(run.usage.faults == 1)
    // Another engine goes on counting.
    let before = run.usage
    try run.restore(try run.snapshot())
    try run.send("10", to: "n")
    #expect(run.usage.instants > before.instants && run.usage.steps > before.steps && run.usage.faults == 1)
    #expect(run.usage.madeBytes > before.madeBytes && run.usage.steps < before.steps + 100_000)
    // Who does not want it does not pay for it.
    let other = try Simulation(program)
    other.start()
    try other.send("1000", to: "n")
    #expect(other.usage.steps == 0 && other.usage.instants == 2)
  }
}

@Suite struct QuotaTests {
  private static let text = """
    input n: Event<Int>
    output total = n |> fold(0, (+))
    output ticks = every(10ms) |> count
    output work = n |> map(k => size(1..k |> map(x => x * x))) |> hold(0)
    """

  /// Ten instants a second, where the program wants a hundred: at once as many as a second has, then ten a second. What is
  /// due is late, and not lost.
  @Test func timersAreLate() async throws {
    let program = try compiled(Self.text)
    let ticks = try program.behavior("ticks", of: Int.self)
    let clock = VirtualClock()
    let session = try Session(program, clock: clock, quota: Quota(instantsPerSecond: 10))
    await session.start()
    var counts: [Int] = []
    for _ in 1...5 {
      await clock.advance(by: .seconds(1))
      counts.append(try await session.value(of: ticks))
    }
    #expect((8...21).contains(counts[0]), "\(counts)")
    for (one, next) in zip(counts, counts.dropFirst()) { #expect((9...11).contains(next - one), "\(counts)") }
  }

  /// A session that is run sleeps until it may go on.
  @Test func aRunWaits() async throws {
    let program = try compiled(Self.text)
    let ticks = try program.behavior("ticks", of: Int.self)
    let clock = VirtualClock()
    let session = try Session(program, clock: clock, quota: Quota(instantsPerSecond: 10))
    let running = Task { try await session.run() }
    await clock.waiters(1)
    for _ in 1...40 { await clock.advance(by: .milliseconds(100)) }
    #expect((35...52).contains(try await session.value(of: ticks)))
    await session.close()
    try await running.value
  }

  @Test func sendersWait() async throws {
    let program = try compiled("input n: Event<Int>\noutput total = n |> fold(0, (+))")
    let n = try program.eventInput("n", of: Int.self)
    let total = try program.behavior("total", of: Int.self)
    let clock = VirtualClock()
    let session = try Session(program, clock: clock, quota: Quota(instantsPerSecond: 10))
    let sender = Task { for _ in 1...40 { try await session.send(1, to: n) } }
    await clock.waiters(1)
    #expect((8...12).contains(try await session.value(of: total)))
    while try await session.value(of: total) < 40 {
      await clock.advance(by: .milliseconds(200))
      for _ in 0..<20 { await Task.yield() }
    }
    try await sender.value
    #expect(clock.now.sinceStart > .seconds(2))
    // Who is cancelled while it waits has sent nothing.
    let late = Task { for _ in 1...100 { try await session.send(1, to: n) } }
    await clock.waiters(1)
    late.cancel()
    await #expect(throws: SimulationError.cancelled) { try await late.value }
  }

  /// An instant that takes a second's steps or bytes is paid for by the ones after it.
  @Test(arguments: [Quota(stepsPerSecond: 20_000), Quota(bytesPerSecond: 160_000)])
  func largeInstantsArePaidFor(_ quota: Quota) async throws {
    let program = try compiled(Self.text)
    let n = try program.eventInput("n", of: Int.self)
    let work = try program.behavior("work", of: Int.self)
    let clock = VirtualClock()
    let session = try Session(program, clock: clock, quota: quota)
    await session.start()
    try await session.send(40_000, to: n)
    let sender = Task { try await session.send(7, to: n) }
    await clock.waiters(1)
    #expect(try await session.value(of: work) == 40_000)
    var waited = 0
    while try await session.value(of: work) != 7 {
      waited += 1
      await clock.advance(by: .milliseconds(100))
      for _ in 0..<20 { await Task.yield() }
    }
    try await sender.value
    #expect(waited > 5)
  }
}
