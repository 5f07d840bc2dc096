// The edges of live sessions: policies, sampling, pauses, observers, limits, memory.

import FRPBase
import FRPRuntime
import Observation
import Synchronization
import Testing

@testable import FRP

private func compiled(_ text: String) throws -> Program {
  let program = Program(Source(name: "test.frp", text: text))
  try #require(!program.hasErrors, "\(program.report)")
  return program
}

private let text = """
  input n: Event<Int>
  input level: Behavior<Int> = 0
  output total = n |> fold(0, (+))
  output each = n
  output tick = every(1s)
  output ticks = every(1s) |> count
  output height = time * 2.0
  output doubled = level * 2
  """

private func collect<Value>(_ sequence: OutputSequence<TimedValue<Value>>) async -> [Value] {
  var list: [Value] = []
  for await item in sequence { list.append(item.value) }
  return list
}

@Suite struct SessionEdgeTests {
  @Test func aConsumerCanHoldTheProgramBack() async throws {
    let program = try compiled(text)
    let n = try program.eventInput("n", of: Int.self)
    let each = try program.events("each", of: Int.self)
    let total = try program.behavior("total", of: Int.self)
    let session = try Session(program, clock: VirtualClock())
    let sequence = await session.occurrences(of: each, buffering: .suspend(2))
    let sent = Mutex(0)
    let sender = Task {
      for value in 1...100 {
        try await session.send(value, to: n)
        sent.withLock { $0 = value }
      }
    }
    for _ in 0..<200 { await Task.yield() }
    #expect(sent.withLock { $0 } <= 3)
    #expect(try await session.value(of: total) <= 6)
    var iterator = sequence.makeAsyncIterator()
    var values: [Int] = []
    while values.count < 100, let item = await iterator.next() { values.append(item.value) }
    #expect(values == Array(1...100))
    try await sender.value
    #expect(try await session.value(of: total) == 5050)
  }

  @Test func theEpochIsTheWallClocksOrTheHosts() async throws {
    let program = try compiled("output now = Date.epoch")
    let now = try program.behavior("now", of: Double.self)
    #expect(try await Session(program, clock: VirtualClock()).value(of: now) == 0)
    #expect(try await Session(program, clock: VirtualClock(), epoch: 1e9).value(of: now) == 1e9)
    #expect(abs(try await Session(program).value(of: now) - CivilMoment.present.value) < 60)
  }

  @Test func itHoldsTimersBackToo() async throws {
    let program = try compiled(text)
    let tick = try program.events("tick", of: FrpUnit.self)
    let ticks = try program.behavior("ticks", of: Int.self)
    let clock = VirtualClock()
    let session = try Session(program, clock: clock)
    await session.start()
    let sequence = await session.occurrences(of: tick, buffering: .suspend(1))
    await clock.advance(by: .seconds(5))
    #expect(try await session.value(of: ticks) == 1)
    var iterator = sequence.makeAsyncIterator()
    var times: [Double] = []
    for _ in 1...5 {
      if let item = await iterator.next() { times.append(item.time) }
      _ = try await session.value(of: ticks)
    }
    #expect(times == [1, 2, 3, 4, 5])
    #expect(try await session.value(of: ticks) == 5)
  }

  /// The session sleeps at the time at which something leaves, and lets it go with what is sent then.
  @Test func whatLeavesAWindowWaitsForInputs() async throws {
    let program = try compiled("input n: Event<Int>\noutput low = when(size(n |> window(2s)) < 2)")
    let n = try program.eventInput("n", of: Int.self)
    let low = try program.events("low", of: FrpUnit.self)
    let clock = VirtualClock()
    let session = try Session(program, clock: clock)
    await session.start()
    let sequence = await session.occurrences(of: low)
    for second in 0...4 {
      try await session.send(second, to: n)
      await clock.advance(by: .seconds(1))
    }
    await clock.advance(by: .seconds(2))
    await session.close()
    var times: [Double] = []
    for await item in sequence { times.append(item.time) }
    #expect(times == [5])
  }

  /// A program with more instants than a machine can run leaves the threads to others, and ends when it is told to.
  @Test(.timeLimit(.minutes(1))) func whoNeverCatchesUpStarvesNobody() async throws {
    let program = try compiled("output n = every(10ms) |> count")
    let n = try program.behavior("n", of: Int.self)
    let busy = try Session(try compiled("output n = every(0.000000001) |> count"))
    let calm = try Session(program)
    let running = [Task { try await busy.run() }, Task { try await calm.run() }]
    let clock = ContinuousClock()
    var (shown, longest) = (0, Duration.zero)
    while shown < 20 {
      try await Task.sleep(for: .milliseconds(5))
      let asked = clock.now
      shown = try await calm.withSimulation { (simulation) throws(SimulationError) in try simulation.value(of: n) }
      longest = max(longest, asked.duration(to: clock.now))
    }
    // A turn is 20 ms; other tests run beside this one.
    #expect(longest < .seconds(2))
    let closing = await clock.measure { await busy.close() }
    #expect(closing < .seconds(2))
    await calm.close()
    for task in running { try await task.value }
  }

  /// What counts is the work of instants, not their number: a turn would have 64 of these. The instants that a pause has to wait
  /// for are counted, not timed, since a machine may be busy; for the same reason the best of three tells.
  @Test func aTurnIsShortThoughInstantsAreLong() async throws {
    let instants = Mutex(0)
    let (began, begin) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let host = HostModule("Count") {
      $0.function("instant") { (sum: Int) in
        instants.withLock { $0 += 1 }
        begin.yield()
        return sum
      }
    }
    let text = "output n = every(1ms) |> map(_ => Count.instant(1..400000 |> map(k => k % 7) |> sum))"
    let session = try Session(Program(Source(name: "test.frp", text: text), host: [host]))
    let running = Task { try await session.run() }
    var isNext = began.makeAsyncIterator()
    var (seen, fewest) = (0, Int.max)
    for _ in 0..<3 {
      // A turn has begun.
      while instants.withLock({ $0 }) == seen { await isNext.next() }
      let asked = instants.withLock { $0 }
      await session.pause()
      seen = instants.withLock { $0 }
      fewest = min(fewest, seen - asked)
      await session.resume()
    }
    #expect(fewest < 32)
    await session.close()
    try await running.value
  }

  @Test func whoLeavesHoldsNobodyBack() async throws {
    let program = try compiled(text)
    let n = try program.eventInput("n", of: Int.self)
    let each = try program.events("each", of: Int.self)
    let total = try program.behavior("total", of: Int.self)
    let session = try Session(program, clock: VirtualClock())
    do {
      let sequence = await session.occurrences(of: each, buffering: .suspend(1))
      try await session.send(1, to: n)
      for await item in sequence {
        #expect(item.value == 1)
        break
      }
    }
    for value in 2...10 { try await session.send(value, to: n) }
    #expect(try await session.value(of: total) == 55)
  }

  @Test func inletsHavePolicies() async throws {
    let program = try compiled(text)
    let n = try program.eventInput("n", of: Int.self)
    let level = try program.behaviorInput("level", of: Int.self)
    let total = try program.behavior("total", of: Int.self)
    let doubled = try program.behavior("doubled", of: Int.self)
    let session = try Session(program, clock: VirtualClock())
    let seen = await session.values(of: total, buffering: .unbounded)
    let inlet = await session.inlet(to: n)
    for value in 1...100 { #expect(inlet.offer(value)) }
    var iterator = seen.makeAsyncIterator()
    while let item = await iterator.next(), item.value != 5050 {}
    let bounded = await session.inlet(to: n, buffering: .suspend(2))
    for _ in 1...1000 { await bounded.send(1) }
    while let item = await iterator.next(), item.value != 6050 {}
    let settings = await session.inlet(to: level)
    for value in 1...500 { settings.offer(value) }
    let levels = await session.values(of: doubled)
    for await item in levels where item.value == 1000 { break }
    await session.close()
    #expect(!inlet.offer(1))
  }

  @Test func aFullInletRefuses() {
    let oldest = Inlet<Int>(.oldest(2))
    #expect([1, 2, 3].map { oldest.offer($0) } == [true, true, false])
    let suspend = Inlet<Int>(.suspend(2))
    #expect([1, 2, 3].map { suspend.offer($0) } == [true, true, false])
    let newest = Inlet<Int>(.newest(2))
    #expect([1, 2, 3].map { newest.offer($0) } == [true, true, true])
  }

  @Test func continuousBehaviorsAreSampled() async throws {
    let program = try compiled(text)
    let height = try program.behavior("height", of: Double.self)
    let clock = VirtualClock()
    let session = try Session(program, clock: clock)
    let samples = await session.samples(of: height, every: .milliseconds(250), buffering: .unbounded)
    let running = Task { try await session.run() }
    await clock.waiters(1)
    await clock.advance(by: .seconds(1))
    await session.close()
    #expect(await collect(samples) == [0, 0.5, 1, 1.5, 2])
    try await running.value
  }

  @Test func aPauseStopsTime() async throws {
    let program = try compiled(text)
    let n = try program.eventInput("n", of: Int.self)
    let ticks = try program.behavior("ticks", of: Int.self)
    let total = try program.behavior("total", of: Int.self)
    let clock = VirtualClock()
    let session = try Session(program, clock: clock)
    let running = Task { try await session.run() }
    await clock.waiters(1)
    await clock.advance(by: .milliseconds(2500))
    await session.pause()
    await clock.advance(by: .seconds(10))
    #expect(try await session.value(of: ticks) == 2)
    try await session.send(3, to: n)
    #expect(try await session.value(of: total) == 3)
    await session.resume()
    await clock.advance(by: .milliseconds(400))
    #expect(try await session.value(of: ticks) == 2)
    await clock.advance(by: .milliseconds(200))
    #expect(try await session.value(of: ticks) == 3)
    await session.close()
    try await running.value
  }

  @Test func observationsEndWithHandleOwnerOrSession() async throws {
    final class Owner: Sendable {
      let seen = Mutex<[Int]>([])
    }
    let program = try compiled(text)
    let n = try program.eventInput("n", of: Int.self)
    let each = try program.events("each", of: Int.self)
    let session = try Session(program, clock: VirtualClock())
    let seen = Mutex<[Int]>([])
    let all = AsyncStream<Int>.makeStream()
    let observation = await session.observe(each) { item in
      seen.withLock { $0.append(item.value) }
      all.continuation.yield(item.value)
    }
    var owner: Owner? = Owner()
    weak let watched = owner
    let owned = AsyncStream<Int>.makeStream()
    if let owner {
      await session.observe(each, while: owner) { owner, item in
        owner.seen.withLock { $0.append(item.value) }
        owned.continuation.yield(item.value)
      }
    }
    try await session.send(1, to: n)
    for await _ in all.stream { break }
    for await _ in owned.stream { break }
    #expect(owner?.seen.withLock { $0 } == [1])
    owner = nil
    for _ in 0..<1000 where watched != nil { await Task.yield() }
    #expect(watched == nil)
    observation.cancel()
    for _ in 0..<100 { await Task.yield() }
    try await session.send(2, to: n)
    for _ in 0..<100 { await Task.yield() }
    #expect(seen.withLock { $0 } == [1])
  }

  @Test @MainActor func aMirrorOnTheMainActorFollowsASession() async throws {
    let program = try compiled(text)
    let n = try program.eventInput("n", of: Int.self)
    let session = try Session(program, clock: VirtualClock())
    var mirror: SessionMirror<Int>? = try await session.mirror(program.behavior("total", of: Int.self))
    #expect(mirror?.value == 0)
    weak let gone = mirror
    let told = Mutex(0)
    withObservationTracking {
      _ = mirror?.value
    } onChange: {
      told.withLock { $0 += 1 }
    }
    try await session.send(4, to: n)
    for _ in 0..<10_000 where mirror?.value != 4 { await Task.yield() }
    #expect(mirror?.value == 4)
    #expect(told.withLock { $0 } == 1)
    mirror = nil
    for _ in 0..<10_000 where gone != nil { await Task.yield() }
    #expect(gone == nil)
    try await session.send(4, to: n)
  }

  @Test func anInputWithoutAValueHasNone() async throws {
    let program = try compiled(
      "input x: Behavior<String>\ninput n: Event<Int>\noutput y = x\noutput z = n |> map(_ => x)")
    let y = try program.behavior("y", of: String.self)
    let x = try program.behaviorInput("x", of: String.self)
    let run = try Simulation(program)
    #expect(throws: SimulationError.self) { try run.value(of: y) }
    run.start()
    #expect(throws: SimulationError.self) { try run.value(of: y) }
    #expect(throws: SimulationError.self) { try run.mirror(y) }
    let session = try Session(program, clock: VirtualClock())
    await #expect(throws: SimulationError.self) { try await session.value(of: y) }
    await #expect(throws: SimulationError.self) { try await session.mirror(y) }
    #expect(run.faults.first?.title.contains("the input 'x' has no value yet") == true)
    // With a value from the beginning there is one.
    let good = try Simulation(program, settings: ["x": "\"a\""])
    good.start()
    try good.set(x, to: "b")
    #expect(try good.value(of: y) == "b")
  }

  @Test func whoListensToASessionThatIsGoneHasHeardAll() async throws {
    let program = try compiled(text)
    let n = try program.eventInput("n", of: Int.self)
    let each = try program.events("each", of: Int.self)
    var session: Session? = try Session(program, clock: VirtualClock())
    let listening = try #require(await session?.occurrences(of: each))
    let task = Task { await collect(listening) }
    try await session?.send(1, to: n)
    try await session?.send(2, to: n)
    session = nil
    #expect(await task.value == [1, 2])
  }

  @Test func aClosedSessionGivesItsMemoryBack() async throws {
    let program = try compiled(text + "\noutput all = n |> fold([], (l, k) => l ++ [\"{k} {k}\"])")
    let n = try program.eventInput("n", of: Int.self)
    let each = try program.events("each", of: Int.self)
    let level = try program.behaviorInput("level", of: Int.self)
    final class Witness: @unchecked Sendable {
      weak var simulation: Simulation?
    }
    let witness = Witness()
    weak var session: Session?
    do {
      let live = try Session(program, clock: VirtualClock())
      session = live
      await live.withSimulation { witness.simulation = $0 }
      let sequence = await live.occurrences(of: each)
      let inlet = await live.inlet(to: level)
      await live.observe(each) { _ in }
      for value in 1...100 { try await live.send(value, to: n) }
      inlet.offer(3)
      await live.close()
      #expect(await collect(sequence).count == 100)
    }
    for _ in 0..<10_000 where witness.simulation != nil || session != nil { await Task.yield() }
    #expect(session == nil)
    #expect(witness.simulation == nil)
  }
}

@Suite struct EmbeddingLimitKindTests {
  private func faults(_ text: String, _ change: (inout Limits) -> Void, modules: ModuleFiles = .none) throws -> [String]
  {
    let program = Program(Source(name: "test.frp", text: "input go: Event<Int>\n" + text), modules: modules)
    try #require(!program.hasErrors, "\(program.report)")
    var limits = Limits()
    change(&limits)
    let run = try Simulation(program, limits: limits)
    run.start()
    let go = try program.eventInput("go", of: Int.self)
    let n = try program.behavior("n", of: Int.self)
    for _ in 0..<100 where run.faults.isEmpty { try? run.send(1, to: go) }
    let met = run.faultMessages
    try? run.send(5, to: go)
    _ = try run.value(of: n)
    return met
  }

  @Test func queuesHaveALength() throws {
    let met = try faults("output n = zip(go, go |> filter(x => x > 100)) |> count") { $0.queueLength = 64 }
    #expect(met.first?.contains("wait in a queue") == true, "\(met)")
    let waiting = try faults("output n = go |> delay(1h) |> count") { $0.queueLength = 64 }
    #expect(waiting.first?.contains("wait in a queue") == true, "\(waiting)")
  }

  @Test func instantsHaveAWallTime() throws {
    let began = ContinuousClock.now
    let met = try faults("output n = go |> map(x => forever(x)) |> hold(0)\nforever(x) = forever(x + 0)") {
      $0.secondsPerInstant = 0.05
      $0.stepsPerInstant = .max / 4
    }
    #expect(met.first?.contains("takes more time than the host allows") == true, "\(met)")
    #expect(ContinuousClock.now - began < .seconds(20))
    let lists = try faults("output n = go |> map(x => size(1..100000000 |> map(k => k * x))) |> hold(0)") {
      $0.secondsPerInstant = 0.02
    }
    #expect(lists.first?.contains("time") == true, "\(lists)")
  }

  @Test func stepsAreLimitedWhereTimeIsToo() throws {
    let met = try faults("output n = go |> map(x => forever(x)) |> hold(0)\nforever(x) = forever(x + 0)") {
      $0.secondsPerInstant = 10
      $0.stepsPerInstant = 300_000
    }
    #expect(met.first?.contains("step limit") == true, "\(met)")
  }

  @Test func importedModulesShareTheLimits() throws {
    let modules = ModuleFiles(read: { path in
      path == "Lib.frp" ? Array("forever(x) = if x < 0 then x else forever(x + 1)".utf8) : nil
    })
    let met = try faults(
      "import Lib\noutput n = go |> map(x => if x == 1 then Lib.forever(x) else x) |> hold(0)",
      { $0.stepsPerInstant = 100_000 }, modules: modules)
    #expect(met.first?.contains("step limit") == true, "\(met)")
  }

  @Test func hostsShareTheLimits() throws {
    let host = HostModule("Geo") { $0.function("many") { (n: Int) in Array(repeating: "text", count: n) } }
    let program = Program(
      Source(name: "t.frp", text: "input go: Event<Int>\noutput n = go |> map(x => size(Geo.many(x))) |> hold(0)"),
      host: [host])
    var limits = Limits()
    limits.heapBytes = 1 << 20
    let run = try Simulation(program, limits: limits)
    run.start()
    #expect(throws: SimulationError.self) { try run.send("1000000", to: "go") }
    try run.send("10", to: "go")
    #expect(try run.value(of: "n") == "10")
  }
}
