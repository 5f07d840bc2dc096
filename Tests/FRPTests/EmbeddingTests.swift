// Typed handles, changes, observation, limits, and live sessions.

import FRP
import FRPBase
import FRPRuntime
import Testing

private func compiled(_ text: String) throws -> Program {
  let program = Program(Source(name: "test.frp", text: text))
  try #require(!program.hasErrors, "\(program.diagnostics.map(\.title))")
  return program
}

private func started(_ program: Program, limits: Limits = Limits()) throws -> Simulation {
  let run = try Simulation(program, limits: limits)
  run.start()
  return run
}

@Suite struct EmbeddingHandleTests {
  private static let ports = """
    type Shape = Circle(Float) | Rect(w: Float, h: Float) | Dot
    input int: Event<Int>
    input float: Event<Float>
    input bool: Event<Bool>
    input text: Event<String>
    input list: Event<List<Int>>
    input option: Event<Option<String>>
    input map: Event<Map<String, Int>>
    input pair: Event<(Int, String)>
    input shape: Event<Shape>
    input result: Event<Result<Int, Error>>
    output int
    output float
    output bool
    output text
    output list
    output option
    output map
    output pair
    output shape
    output result
    """

  private func echo<Value: FrpConvertible & Equatable>(_ name: String, _ values: Value...) throws {
    let program = try compiled(Self.ports)
    let run = try started(program)
    let input = try program.eventInput(name, of: Value.self)
    let output = try program.events(name, of: Value.self)
    let changes = try run.changes { run throws(SimulationError) in
      for value in values { try run.send(value, to: input) }
    }
    #expect(changes.occurrences(of: output).map(\.value) == values)
  }

  @Test func valuesComeBackAsTheyWere() throws {
    try echo("int", 0, -1, Int.max, Int.min)
    try echo("float", 0.0, -1.5, 1e300, .leastNonzeroMagnitude)
    try echo("bool", true, false)
    try echo("text", "", "a", "ä\n\"\u{1F600}", String(repeating: "x", count: 1000))
    try echo("list", [], [1], Array(0..<500))
    try echo("option", nil, "", "x" as String?)
    try echo("map", [:], ["a": 1, "b": 2])
    try echo("pair", FrpValue.list([.integer(1), .text("x")]))
    try echo("shape", FrpValue.tagged("Circle", [.number(1)]), .tagged("Dot", []))
    try echo("result", Result<Int, FrpError>.success(3), .failure(FrpError("no")))
  }

  @Test func labelledFieldsCanBeGivenByName() throws {
    let program = try compiled(Self.ports)
    let run = try started(program)
    let input = try program.eventInput("shape", of: FrpValue.self)
    let changes = try run.changes { run throws(SimulationError) in
      try run.send(.tagged("Rect", [.record(["w": .number(1), "h": .integer(2)])]), to: input)
    }
    let shapes = changes.occurrences(of: try program.events("shape", of: FrpValue.self))
    #expect(shapes.map(\.value) == [.tagged("Rect", [.number(1), .number(2)])])
  }

  @Test func wrongShapesAreToldBeforeAnythingRuns() throws {
    let program = try compiled("input a: Event<{x: List<Int>}>\ninput b: Behavior<Int> = 0\noutput b")
    #expect(throws: BindingFailure.unknownPort(name: "bb", near: "b")) { try program.behavior("bb", of: Int.self) }
    #expect(throws: BindingFailure.otherKind(name: "b", isEvent: false)) { try program.eventInput("b", of: Int.self) }
    #expect(throws: BindingFailure.otherType(name: "b", path: "", expected: "Float", found: "Int")) {
      try program.behavior("b", of: Double.self)
    }
    let wanted = BindingFailure.otherType(name: "a", path: ".message", expected: "String", found: "no such field")
    #expect(throws: wanted) { try program.eventInput("a", of: FrpError.self) }
    #expect(wanted.message == "`a` at .message is no such field, not String")
  }

  @Test func valuesThatDoNotFitAreErrorsWithAPath() throws {
    let program = try compiled("input a: Event<{x: List<Int>}>\noutput a\ninput f: Event<Float>\noutput f")
    let run = try started(program)
    let input = try program.eventInput("a", of: FrpValue.self)
    #expect(throws: SimulationError.unfit(column: 1, path: ".x[1]", message: "expected Int, found a String")) {
      try run.send(.record(["x": .list([.integer(1), .text("2")])]), to: input)
    }
    #expect(throws: SimulationError.self) { try run.send(.record([:]), to: input) }
    let float = try program.eventInput("f", of: Double.self)
    #expect(throws: SimulationError.self) { try run.send(.infinity, to: float) }
    var deep = FrpValue.unit
    for _ in 0..<1000 { deep = .list([deep]) }
    #expect(throws: SimulationError.self) { try run.send(deep, to: input) }
  }

  @Test func handlesOutliveTheirProgram() throws {
    let first = try compiled("input n: Event<Int>\noutput total = n |> fold(0, (+))")
    let second = try compiled(
      "input m: Event<Int>\ninput n: Event<Int>\noutput x = m\noutput total = n |> fold(0, (+))")
    let third = try compiled("input n: Event<String>\noutput total = n |> count")
    let n = try first.eventInput("n", of: Int.self)
    let total = try first.behavior("total", of: Int.self)
    let run = try started(first)
    try run.send(2, to: n)
    try run.replaceProgram(with: second)
    try run.send(3, to: n)
    #expect(try run.value(of: total) == 5)
    try run.replaceProgram(with: third)
    #expect(throws: SimulationError.self) { try run.send(3, to: n) }
  }

  @Test func watchersFindTheirOutputInAnotherProgram() throws {
    let first = try compiled("input n: Event<Int>\noutput a = n\noutput total = n |> fold(0, (+))")
    let moved = try compiled("input n: Event<Int>\noutput total = n |> fold(0, (+))\noutput b = n")
    let other = try compiled("input n: Event<Int>\noutput total = n |> fold(\"\", (t, k) => t ++ \"{k}\")")
    let n = try first.eventInput("n", of: Int.self)
    let run = try started(first)
    var seen: [Int] = []
    run.observe(try first.behavior("total", of: Int.self)) { seen.append($0.value) }
    try run.send(1, to: n)
    try run.replaceProgram(with: moved)
    try run.send(2, to: n)
    // A String is no Int: nothing is shown while it is one.
    try run.replaceProgram(with: other)
    try run.send(3, to: n)
    try run.replaceProgram(with: first)
    try run.send(4, to: n)
    #expect(seen == [1, 3, 4])
  }

  @Test func watchingBeginsAndEndsInsideACallback() throws {
    let program = try compiled("input n: Event<Int>\noutput total = n |> fold(0, (+))")
    let n = try program.eventInput("n", of: Int.self)
    let total = try program.behavior("total", of: Int.self)
    let run = try started(program)
    var seen: [String] = []
    var second: OutputObservation?
    var first: OutputObservation?
    first = run.observe(total) { value in
      seen.append("a\(value.value)")
      if second == nil { second = run.observe(total) { seen.append("b\($0.value)") } }
      if value.value == 2 { first?.cancel() }
      if value.value == 2 { #expect(throws: SimulationError.notBetweenInstants) { try run.snapshot() } }
    }
    let start = try run.snapshot()
    run.observe(total) { _ in
      #expect(throws: SimulationError.notBetweenInstants) { try run.restore(start) }
    }
    for _ in 1...4 { try run.send(1, to: n) }
    second?.cancel()
    try run.send(1, to: n)
    #expect(seen == ["a1", "a2", "b2", "b3", "b4"])
  }

  @Test func whoWatchesAndEndsLeavesNothing() throws {
    final class Held {}
    let program = try compiled("input n: Event<Int>\noutput total = n |> fold(0, (+))")
    let total = try program.behavior("total", of: Int.self)
    let run = try started(program)
    weak var gone: Held?
    do {
      let held = Held()
      gone = held
      let observation = run.observe(total) { _ in withExtendedLifetime(held) {} }
      observation.cancel()
    }
    // The output shows nothing meanwhile; the next who watches it takes those who have ended off the list.
    run.observe(total) { _ in }
    #expect(gone == nil)
  }

  @Test func aMirrorFollowsItsOutput() throws {
    let program = try compiled("input n: Event<Int>\noutput total = n |> fold(0, (+))")
    let run = try started(program)
    var mirror: Mirrored<Int>? = try run.mirror(program.behavior("total", of: Int.self))
    weak let gone = mirror
    try run.send(4, to: program.eventInput("n", of: Int.self))
    #expect(mirror?.value == 4)
    mirror = nil
    #expect(gone == nil)
  }

  @Test func observationsEndWithTheirHandleOrOwner() throws {
    final class Owner {
      var seen: [Int] = []
    }
    let program = try compiled("input n: Event<Int>\noutput total = n |> fold(0, (+))")
    let n = try program.eventInput("n", of: Int.self)
    let total = try program.behavior("total", of: Int.self)
    let run = try started(program)
    var seen: [Int] = []
    let observation = run.observe(total) { seen.append($0.value) }
    var owner: Owner? = Owner()
    weak let watched = owner
    if let owner { run.observe(total, while: owner) { $0.seen.append($1.value) } }
    try run.send(1, to: n)
    #expect(owner?.seen == [1])
    owner = nil
    #expect(watched == nil)
    try run.send(2, to: n)
    observation.cancel()
    try run.send(3, to: n)
    #expect(seen == [1, 3])
  }
}

@Suite struct EmbeddingLimitTests {
  /// Each program goes wrong at 1 and must go on afterwards.
  @Test(arguments: [
    "output n = go |> map(x => if x == 1 then forever(0) else x) |> hold(0)\nforever(n) = if n < 0 then n else forever(n + 1)",
    "output n = go |> map(x => if x == 1 then deep(1000000000) else x) |> hold(0)\ndeep(n) = if n == 0 then 0 else 1 + deep(n - 1)",
    "output n = go |> map(x => if x == 1 then size(double([1], 60)) else x) |> hold(0)\ndouble(l, k) = if k == 0 then l else double(l ++ l, k - 1)",
    "output n = go |> map(x => if x == 1 then 1..100000 else [x]) |> spill |> hold(0)",
    "output n = go |> map(x => if x == 1 then 1..30000 else [x]) |> spill |> flatMap(x => merge(go, after(1s) |> map(_ => x)) |> map(_ => x)) |> hold(0)",
    "output n = merge(go |> map(x => x), again) |> hold(0)\nagain = changes(m) |> filter(x => x == 1) |> delay(0s)\nm = merge(go, again |> map(_ => 0), again |> map(_ => 1) |> delay(0s)) |> hold(0)",
  ])
  func aRunGoesOnAfterALimit(_ text: String) throws {
    let program = try compiled("input go: Event<Int>\n" + text)
    var limits = Limits()
    limits.stepsPerInstant = 2_000_000
    limits.heapBytes = 8 << 20
    limits.stackWords = 1 << 16
    limits.liveNodes = 10_000
    limits.occurrencesPerInstant = 20_000
    let run = try started(program, limits: limits)
    let go = try program.eventInput("go", of: Int.self)
    let n = try program.behavior("n", of: Int.self)
    try? run.send(1, to: go)
    #expect(!run.faults.isEmpty, "no limit was met")
    for value in [5, 6, 7] { try? run.send(value, to: go) }
    _ = try run.value(of: n)
    #expect(run.usedBytes < 64 << 20)
  }
}

@Suite struct EmbeddingSessionTests {
  private static let text = """
    input n: Event<Int>
    output total = n |> fold(0, (+))
    output ticks = every(1s) |> count
    output tick = every(1s)
    """

  @Test func aSessionFollowsItsClockAndManyListen() async throws {
    let program = try compiled(Self.text)
    let n = try program.eventInput("n", of: Int.self)
    let total = try program.behavior("total", of: Int.self)
    let tick = try program.events("tick", of: FrpUnit.self)
    let clock = VirtualClock()
    let session = try Session(program, clock: clock)
    let running = Task { try await session.run() }
    await clock.waiters(1)
    let all = await session.values(of: total, buffering: .unbounded)
    let newest = await session.values(of: total, buffering: .newest(1))
    let oldest = await session.values(of: total, buffering: .oldest(2))
    let ticks = await session.occurrences(of: tick)
    for value in 1...4 {
      try await session.send(value, to: n)
      await clock.advance(by: .seconds(1))
    }
    #expect(try await session.value(of: total) == 10)
    await session.close()
    func collect<Value>(_ stream: OutputSequence<TimedValue<Value>>) async -> [Value] {
      var list: [Value] = []
      for await item in stream { list.append(item.value) }
      return list
    }
    #expect(await collect(all) == [0, 1, 3, 6, 10])
    #expect(await collect(newest) == [10])
    #expect(await collect(oldest) == [0, 1])
    var times: [Double] = []
    for await item in ticks { times.append(item.time) }
    #expect(times == [1, 2, 3, 4])
    try await running.value
    await #expect(throws: SimulationError.isOver) { try await session.send(1, to: n) }
  }

  @Test func cancellingARunLeavesTheSessionUsable() async throws {
    let program = try compiled(Self.text)
    let n = try program.eventInput("n", of: Int.self)
    let total = try program.behavior("total", of: Int.self)
    let session = try Session(program)
    let running = Task { try await session.run() }
    try await session.send(1, to: n)
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    try await session.send(2, to: n)
    #expect(try await session.value(of: total) == 3)
    let again = Task { try await session.run() }
    try await session.send(3, to: n)
    await session.close()
    try await again.value
    #expect(try await session.value(of: total) == 6)
  }

  @Test func sequencesFeedInputs() async throws {
    let program = try compiled(Self.text)
    let n = try program.eventInput("n", of: Int.self)
    let total = try program.behavior("total", of: Int.self)
    let session = try Session(program, clock: VirtualClock())
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    for value in 1...100 { continuation.yield(value) }
    continuation.finish()
    try await session.feed(stream, to: n)
    #expect(try await session.value(of: total) == 5050)
  }

  @Test func aClosedSessionIsGivenBack() async throws {
    let program = try compiled(Self.text)
    let total = try program.behavior("total", of: Int.self)
    weak var gone: Session?
    do {
      let clock = VirtualClock()
      let session = try Session(program, clock: clock)
      gone = session
      let running = Task { try await session.run() }
      await clock.waiters(1)
      let stream = await session.values(of: total)
      await session.close()
      for await _ in stream {}
      try await running.value
    }
    for _ in 0..<1000 where gone != nil { await Task.yield() }
    #expect(gone == nil)
  }

  @Test func aVirtualClockWakesSleepersInOrder() async throws {
    let clock = VirtualClock()
    let order = Task {
      await withTaskGroup(of: Int.self) { group in
        for seconds in [3, 1, 2] {
          group.addTask {
            try? await clock.sleep(until: clock.now.advanced(by: .seconds(seconds)))
            return seconds
          }
        }
        var list: [Int] = []
        for await seconds in group { list.append(seconds) }
        return list
      }
    }
    await clock.waiters(3)
    for left in [2, 1, 0] {
      await clock.advance(by: .seconds(1))
      await clock.waiters(left)
      for _ in 0..<20 { await Task.yield() }
    }
    #expect(await order.value.sorted() == [1, 2, 3])
    #expect(clock.now.sinceStart == .seconds(3))
  }
}

@Suite struct EmbeddingProgramTests {
  private static let text = """
    /// How often.
    /// In all.
    input clicks: Event<Int>
    input speed: Behavior<Float> = 1.0
    count = clicks |> fold(0, (n, k) => n + k)
    /// What is shown.
    output label = "{count} clicks"
    output way = integral(speed)
    output fast = clicks |> filter(_ => way > 10.0)
    """

  @Test func filesAreCompiledWithTheModulesBesideThem() throws {
    let folder = TemporaryFolder()
    _ = try folder.file("area(w, h) = w * h\n", "Geometry.frp")
    let main = try folder.file("import Geometry\noutput a = Geometry.area(2, 3)\n", "main.frp")
    let run = try Simulation(Program(contentsOf: main))
    run.start()
    #expect(try run.value(of: "a") == "6")
    let wrong = try folder.file("import Geometri\noutput a = 1\n", "wrong.frp")
    #expect(try Program(contentsOf: wrong).report.contains("There is \(folder.path)/Geometry.frp"))
    #expect(throws: FrpError("cannot read `\(folder.path)/none.frp`: No such file or directory")) {
      try Program(contentsOf: "\(folder.path)/none.frp")
    }
    #expect(throws: FrpError("cannot read `\(folder.path)`: Is a directory")) { try Program(contentsOf: folder.path) }
  }

  @Test func portsAreDocumented() throws {
    let program = try compiled(Self.text)
    #expect(program.inputs.map(\.documentation) == ["How often.\nIn all.", ""])
    #expect(program.outputs.map(\.documentation) == ["What is shown.", "", ""])
    #expect(program.inputs.map(\.type) == ["Int", "Float"])
  }

  @Test func theGraphSaysWhatDependsOnWhat() throws {
    let graph = try compiled(Self.text).graph
    #expect(graph.definitions == ["clicks", "speed", "count", "label", "way", "fast"])
    #expect(graph.inputs(of: "label") == ["clicks"])
    #expect(graph.inputs(of: "fast").sorted() == ["clicks", "speed"])
    #expect(graph.outputs(of: "speed") == ["way", "fast"])
    let fold = try #require(graph.nodes.first { $0.operation == "fold" })
    #expect(fold.kind == .step && fold.type == "Int" && fold.definition == "count" && fold.depth == 0)
    #expect(graph.nodes.first { $0.definition == "way" }?.kind == .continuous)
    #expect(graph.edges.contains { $0.to == fold.id && $0.looksAtPast })
    let filter = try #require(graph.nodes.first { $0.operation == "filter" })
    #expect(graph.edges.contains { $0.to == filter.id && !$0.looksAtPast && graph.nodes[$0.from].isInput })
    #expect(graph.edges.contains { $0.to == filter.id && $0.looksAtPast && graph.nodes[$0.from].kind == .continuous })
    #expect(graph.mermaid.contains("d0([\"clicks : Event<Int>\"])") && graph.mermaid.contains("-.->"))
    #expect(graph.dot.hasPrefix("digraph program {"))
    #expect(Program(Source(name: "t.frp", text: "output x = y")).graph == DependencyGraph())
  }

  @Test func aValueIsExplained() throws {
    let program = try compiled(Self.text)
    let run = try started(program)
    try run.send(3, to: program.eventInput("clicks", of: Int.self))
    let cause = try run.explain("label")
    #expect(cause.value == "\"3 clicks\"" && cause.kind == .step)
    #expect(cause.text == "label = \"3 clicks\"\n└ count = 3\n  └ clicks (event, input)")
    #expect(cause.causes.first?.causes.first?.looksAtPast == true)
    #expect(throws: SimulationError.unknownPort(name: "lable", near: "label")) { try run.explain("lable") }
    let cyclic = try started(
      try compiled("input e: Event<Int>\na = e |> map(x => x + b) |> hold(0)\noutput b = a + 1"))
    #expect(try cyclic.explain("b").text.split(separator: "\n").count <= 5)
  }

  @Test func diagnosticsHavePages() throws {
    let program = Program(Source(name: "t.frp", text: "output x = y"))
    let page = try #require(program.diagnostics.first?.explanation)
    #expect(page.code == .unknownName && page.waysOut.count == 2 && !page.why.isEmpty)
  }
}
