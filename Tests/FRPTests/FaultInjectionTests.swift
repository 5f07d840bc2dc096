import FRP
import FRPBase
import FRPRuntime
import Glibc
import Synchronization
import Testing

@testable import FRPCommands

/// Faults on purpose: whatever an instant dies of, it leaves nothing behind, and the run goes on as if it had not been.
@Suite struct FaultInjectionTests {
  /// Everything that remembers, beside something that a large number blows up.
  private static func program(_ bomb: String) -> Program {
    Program(
      Source(
        name: "a.frp",
        text: """
          input n: Event<Int>
          input bomb: Event<Int>
          both = merge(n, bomb)
          output total = both |> fold(0, (a, b) => a + b % 1000)
          output texts = both |> scan("", (a, b) => takeLast3(a ++ toString(b)))
          takeLast3(s) = drop(s, max(0, size(s) - 3))
          output lasts = both |> scan([], (xs, x) => takeLast([x, ...xs], 3)) |> hold([])
          output pairs = both |> pairwise
          output batches = both |> buffer(2)
          output late = both |> delay(250ms)
          output calm = both |> debounce(300ms)
          output groups = both |> groupBy(x => x % 3, (k, es) => es |> count)
          output rows = both |> keyed(x => x % 2, (k, es) => es |> map(x => (k, x)))
          output chosen = switch(both, 0, x => both |> count |> map2(x))
          map2(c, x) = c * 10 + x % 10
          output inner = both |> flatMap(x => n |> map(y => x % 10 + y) |> take(2))
          output done = (both |> perform(Queue, x => Task.after(400ms, x))).results
          output members = each(lasts |> unique, x => x, x => x + total)
          unique(xs) = distinct(xs)
          deep(k: Int): Int = if k <= 0 then 0 else 1 + deep(k - 1)
          spin(k: Int): Int = if k <= 0 then 0 else spin(k - 1)
          \(bomb)
          """), host: [host])
  }

  /// A host whose functions fail for large numbers, each in its way.
  private static let host = HostModule("Host") {
    $0.function("check") { (n: Int) throws in
      if n > 1000 { throw FrpError("\(n) is too large") }
      return n
    }
    $0.function("shape") { (n: Int) in n > 1000 ? FrpValue.text("large") : .integer(n) }
  }

  private static let bombs = [
    "output blast = bomb |> map(k => div(1, k - k))",
    "output blast = bomb |> map(k => k * 9223372036854775807)",
    "output blast = bomb |> map(k => 1e308 * toFloat(k))",
    "output blast = bomb |> map(k => deep(k))",
    "output blast = bomb |> map(k => spin(k * 1000))",
    "output blast = bomb |> map(k => size(1..k |> map(x => [x, x])))",
    "output blast = bomb |> map(k => 1..k) |> spill |> map(x => x + 1)",
    "output blast = bomb |> map(k => 1..k) |> spill |> flatMap(x => every(1s) |> map(_ => x))",
    "output blast = bomb |> map(k => 1..k) |> spill |> keyed(x => x, (k, es) => es |> map(x => k))",
    "output blast = bomb |> map(k => fold(1..k, \"\", (s, x) => s ++ \"0123456789\")) |> map(s => size(s))",
    "output blast = bomb |> map(k => Host.check(k))",
    "output blast = bomb |> scan(0, (a, k) => a + Host.check(k))",
    "output blast = bomb |> fold(0, (a, k) => a + Host.check(k))",
    "output blast = Host.check(bomb |> hold(0)) + total",
    "output blast = bomb |> filter(k => Host.check(k) > 0) |> count",
    "output blast = bomb |> map(k => [k, 1] |> map(Host.check))",
    "output blast = bomb |> map(k => k % 7) |> flatMap(k => n |> map(x => x + k)) |> merge(bomb |> map(Host.check))",
    "output blast = bomb |> groupBy(k => Host.check(k), (k, es) => es |> count)",
    "output blast = bomb |> switch(0, k => n |> hold(Host.check(k)))",
    "output blast = (bomb |> perform(All, k => Task.after(toFloat(Host.check(k)), k))).results",
    "output blast: Event<Int> = bomb |> map(k => Host.shape(k))",
    "output blast = each(merge(n |> map(_ => 1), bomb) |> map(k => [k, if k > 1000 then k else 0]) |> hold([]), x => x, x => x)",
  ]

  private static var limits: Limits {
    var limits = Limits()
    limits.stepsPerInstant = 200_000
    limits.heapBytes = 4 << 20
    limits.stackWords = 1 << 14
    limits.liveNodes = 2_000
    limits.occurrencesPerInstant = 2_000
    return limits
  }

  /// What all outputs but `blast` show while a script runs; faults are counted.
  private static func run(
    _ program: Program, _ limits: Limits, _ script: [(time: Double, values: [(name: String, json: String)])]
  ) throws -> (shown: [String], faults: Int) {
    let simulation = try Simulation(program, limits: limits)
    let names = program.outputs.map(\.name).filter { $0 != "blast" }
    for name in names { try simulation.record(name) }
    simulation.start()
    var faults = 0
    for line in script {
      simulation.advance(to: line.time)
      if (try? simulation.send(line.values)) == nil { faults += 1 }
    }
    simulation.advance(to: 10)
    var shown: [String] = []
    for name in names {
      shown += try simulation.occurrences(of: name).map { "\(name) \($0.time) \($0.json)" }
    }
    return (shown, faults)
  }

  @Test(arguments: bombs)
  func anInstantThatBlowsUpLeavesNothing(bomb: String) throws {
    let program = Self.program(bomb)
    try #require(!program.hasErrors, "\(program.report)")
    let harmless = (1...6).map { (time: Double($0) * 0.2, values: [(name: "n", json: "\($0)")]) }
    var script = harmless
    for place in [5, 3, 1] {
      let time = script[place].time - 0.05
      script.insert((time, [("n", "77"), ("bomb", "1000000")]), at: place)
    }
    let with = try Self.run(program, Self.limits, script)
    let without = try Self.run(program, Self.limits, harmless)
    #expect(with.faults == 3)
    #expect(with.shown == without.shown)
    #expect(without.faults == 0 && without.shown.count > 60)
  }

  /// Faults at every point in turn: with any number of steps allowed, what an instant cannot finish has not happened.
  @Test func everyStepCanBeTheLast() throws {
    let program = Self.program("output blast = bomb |> map(k => spin(k))")
    let script = (1...8).map { number in
      (
        time: Double(number) * 0.5,
        values: number % 3 == 0
          ? [(name: "n", json: "\(number)"), ("bomb", "\(number)")] : [(name: "n", json: "\(number * number)")]
      )
    }
    var outcomes: Set<Int> = []
    for steps in 1...120 {
      var limits = Limits()
      limits.stepsPerInstant = steps
      let simulation = try Simulation(program, limits: limits)
      simulation.start()
      var kept: [(time: Double, values: [(name: String, json: String)])] = []
      for line in script {
        simulation.advance(to: line.time)
        if (try? simulation.send(line.values)) != nil { kept.append(line) }
      }
      outcomes.insert(simulation.hasEnded ? -1 : kept.count)
      // Timers may have faulted on their own; what inputs alone decide is what they decide without the others.
      let control = try Simulation(program)
      control.start()
      for line in kept {
        control.advance(to: line.time)
        try control.send(line.values)
      }
      // A fault at the start ends the run.
      if simulation.hasEnded { continue }
      for name in ["total", "groups", "lasts", "chosen"] {
        #expect(try simulation.value(of: name) == control.value(of: name), "\(name) with \(steps) steps")
      }
    }
    #expect(outcomes.contains(8) && outcomes.count > 2)
  }

  /// The same with memory: from too little to enough.
  @Test func everyByteCanBeTheLast() throws {
    let program = Program(
      Source(
        name: "a.frp",
        text: """
          input n: Event<Int>
          all = n |> scan([], (xs, x) => xs ++ (1..(x * 400))) |> hold([])
          output size1 = size(all)
          output count1 = n |> count
          output groups = n |> groupBy(x => x % 2, (k, es) => es |> scan("", (a, b) => a ++ "{b}") |> hold(""))
          """))
    try #require(!program.hasErrors, "\(program.report)")
    var outcomes: Set<Int> = []
    for kilobytes in stride(from: 64, through: 1_600, by: 48) {
      var limits = Limits()
      limits.heapBytes = kilobytes << 10
      let simulation = try Simulation(program, limits: limits)
      simulation.start()
      var sum = 0
      var taken = 0
      for number in 1...12 {
        if (try? simulation.send("\(number)", to: "n")) == nil { continue }
        sum += number * 400
        taken += 1
      }
      outcomes.insert(taken)
      if simulation.hasEnded { continue }
      #expect(try simulation.value(of: "size1") == "\(sum)", "with \(kilobytes) kB")
      #expect(try simulation.value(of: "count1") == "\(taken)", "with \(kilobytes) kB")
    }
    #expect(outcomes.count > 3 && outcomes.contains(12), "\(outcomes.sorted())")
  }

  /// Where a host's function may throw, it throws at each of its calls in turn: that instant has not happened.
  @Test func everyCallOfAHostCanThrow() throws {
    let calls = Mutex((made: 0, failing: Int.max))
    let program = Program(
      Source(
        name: "a.frp",
        text: """
          input n: Event<Int>
          output total = n |> fold(0, (a, b) => a + Host.id(b))
          output texts = n |> filter(x => Host.id(x) % 2 == 0) |> scan("", (a, b) => a ++ "{Host.id(b)}") |> hold("")
          output groups = n |> groupBy(x => Host.id(x) % 3, (k, es) => es |> map(x => Host.id(x) + k) |> hold(k))
          output chosen = switch(n, 0, x => n |> fold(x, (a, b) => a + Host.id(b)))
          output late = n |> delay(100ms) |> map(x => Host.id(x)) |> hold(0)
          output shown = Host.id(total) * 2
          """),
      host: [
        HostModule("Host") {
          $0.function("id") { (x: Int) throws in
            let isFailing = calls.withLock { state in
              state.made += 1
              return state.made == state.failing
            }
            if isFailing { throw FrpError("no more") }
            return x
          }
        }
      ])
    try #require(!program.hasErrors, "\(program.report)")
    /// What is shown when some numbers have come, and which of them were taken.
    func run(_ numbers: [Int], failing: Int) throws -> (values: [String], taken: [Int], faults: Int) {
      calls.withLock { $0 = (0, failing) }
      let simulation = try Simulation(program)
      simulation.start()
      var taken: [Int] = []
      for number in numbers {
        if (try? simulation.send("\(number)", to: "n")) != nil { taken.append(number) }
        simulation.advance(by: 1)
      }
      let names = ["total", "texts", "groups", "chosen", "shown"] + (taken == numbers ? [] : ["late"])
      return (try names.map(simulation.value), taken, simulation.faults.count)
    }
    let numbers = [4, 1, 6, 3, 8, 2]
    #expect(try run(numbers, failing: .max).taken == numbers)
    let total = calls.withLock { $0.made }
    #expect(total > 40)
    var inTimers = 0
    for failing in 2...total {
      let with = try run(numbers, failing: failing)
      #expect(with.faults == 1, "call \(failing)")
      #expect(numbers.count - with.taken.count <= 1)
      if with.taken == numbers { inTimers += 1 }
      let without = try run(with.taken, failing: .max)
      // The last may have been lost in a timer of its own; what inputs decide is what they decide without it.
      #expect(zip(with.values, without.values).allSatisfy { $0 == $1 }, "call \(failing): \(with) and \(without)")
    }
    #expect(inTimers == numbers.count)
  }

  /// A cycle of micro-steps ends with a fault that names it, and the run goes on.
  @Test func anEndlessCycleIsCut() throws {
    let program = Program(
      Source(
        name: "a.frp",
        text: """
          input n: Event<Int>
          round: Event<Int> = merge(n |> filter(x => x > 9), round |> delay(0.0))
          output rounds = round |> count
          output total = n |> fold(0, (a, b) => a + b)
          """))
    try #require(!program.hasErrors, "\(program.report)")
    let simulation = try Simulation(program)
    simulation.start()
    try simulation.send("1", to: "n")
    try? simulation.send("10", to: "n")
    simulation.advance(to: 1)
    #expect(
      simulation.faults.contains { $0.code == .endlessInstant && $0.title.contains("round") }, "\(simulation.faults)")
    try simulation.send("5", to: "n")
    #expect(try simulation.value(of: "total") == "16")
  }

  // MARK: Sinks

  private func written(_ text: String, _ words: [String]) throws -> CommandResult {
    let folder = TemporaryFolder()
    return frp(["run", try folder.file(text, "program.frp"), "--virtual"] + words)
  }

  @Test func aFullDeviceIsToldAndTheOtherSinksAreWhole() throws {
    let folder = TemporaryFolder()
    let other = folder.path + "/other.jsonl"
    let result = try written(
      "output a = every(1s) |> count\noutput b = every(1s) |> count\noutput c = every(1s) |> count\n",
      ["--for", "3s", "--out", "a=jsonl:/dev/full", "--out", "b=jsonl:\(other)"])
    #expect(result.code != 0)
    #expect(result.err.contains("cannot write") && result.err.contains("No space left"), "\(result.err)")
    #expect(
      String(decoding: try Files.contents(of: other), as: UTF8.self).split(separator: "\n").last == #"{"at":3.0,"b":3}"#
    )
    #expect(result.out.hasSuffix("3\n"), "\(result.out)")
  }

  @Test func aFileThatCannotBeMadeIsToldBeforeAnythingRuns() throws {
    let result = try written("output a = 1\n", ["--out", "a=jsonl:/no/such/place"])
    #expect(result.code == 2 && result.err.contains("/no/such/place"), "\(result.err)")
  }

  // MARK: Clocks that jump

  /// A clock that is where it is put.
  private final class LooseClock: _Concurrency.Clock, Sendable {
    struct Instant: InstantProtocol {
      var sinceStart: Duration
      func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }
      func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }
      static func < (a: Instant, b: Instant) -> Bool { a.sinceStart < b.sinceStart }
    }

    private let place = Mutex(Instant(sinceStart: .zero))
    func set(_ seconds: Double) { place.withLock { $0 = Instant(sinceStart: .seconds(seconds)) } }
    var now: Instant { place.withLock { $0 } }
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  @Test func aClockThatJumpsLosesNothing() async throws {
    let program = Program(
      Source(
        name: "a.frp",
        text: "input n: Event<Int>\noutput ticks = every(1s) |> count\noutput total = n |> fold(0, (a, b) => a + b)\n"))
    let clock = LooseClock()
    let session = try Session(program, clock: clock)
    let n = try program.eventInput("n", of: Int.self)
    let ticks = try program.behavior("ticks", of: Int.self)
    let total = try program.behavior("total", of: Int.self)
    await session.start()
    clock.set(100.5)
    #expect(try await session.value(of: ticks) == 100)
    clock.set(20)
    try await session.send(1, to: n)
    #expect(try await session.value(of: ticks) == 100)
    #expect(try await session.value(of: total) == 1)
    clock.set(-1000)
    try await session.send(2, to: n)
    #expect(try await session.value(of: total) == 3)
    clock.set(102)
    #expect(try await session.value(of: ticks) == 102)
    await session.close()
  }

  /// Everything that waits: after each jump the session is where a simulation is that went there at its leisure.
  @Test func afterAJumpNothingIsHalfDone() async throws {
    let program = Program(
      Source(
        name: "a.frp",
        text: """
          input n: Event<Int>
          output ticks = every(700ms) |> count
          output late = n |> delay(2s) |> fold(0, (a, b) => a + b)
          output calm = n |> debounce(500ms) |> count
          output recent = window(n, 3s)
          output height = integralFrom(speed, 0.0, landing |> map(_ => 0.0))
          speed = n |> fold(1.0, (a, _) => a + 0.5)
          landing = when(height >= 10.0)
          output landings = landing |> count
          output done = (n |> perform(Queue, x => Task.after(1500ms, x) |> timeout(2s))).results |> count
          output turned = n |> switch(0, x => every(300ms) |> count)
          """))
    try #require(!program.hasErrors, "\(program.report)")
    let clock = LooseClock()
    let session = try Session(program, clock: clock)
    let n = try program.eventInput("n", of: Int.self)
    await session.start()
    let control = try Simulation(program)
    control.start()
    var latest = 0.0
    for (number, time) in [0.3, 7.25, 7.2, 100, -5, 99.9, 100.1, 500].enumerated() {
      latest = max(latest, time)
      clock.set(time)
      try await session.send(number, to: n)
      while control.now < latest { control.advance(to: min(latest, control.now + 0.37)) }
      try control.send("\(number)", to: "n")
      let names = program.outputs.map(\.name)
      let shown = try await session.withSimulation { run throws(SimulationError) in
        var values: [String] = []
        for name in names { values.append(try run.value(of: name)) }
        return values
      }
      #expect(try shown == names.map(control.value), "at \(time)")
    }
    #expect(try control.value(of: "landings") != "0" && control.value(of: "done") == "7")
    await session.close()
  }

  @Test func timesThatAreNoneAreIgnored() throws {
    let simulation = try Simulation(Program(Source(name: "a.frp", text: "output ticks = after(1s) |> count\n")))
    simulation.start()
    for time in [Double.nan, -1, -.infinity, 0.5, 0.25, .greatestFiniteMagnitude, .infinity, 1] {
      simulation.advance(to: time)
    }
    #expect(try simulation.value(of: "ticks") == "1")
  }
}
