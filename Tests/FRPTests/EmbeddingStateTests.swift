// What a simulation remembers outlives its program (reloading) and its process (snapshots).

import FRPBase
@testable import FRPCommands
import FRPRuntime
import Testing

@testable import FRP

private func simulation(_ text: String) throws -> Simulation {
  let compiled = program(text)
  #expect(!compiled.hasErrors, "\(compiled.diagnostics.map(\.title))")
  let simulation = try Simulation(compiled)
  simulation.start()
  return simulation
}

private func program(_ text: String) -> Program { onLargeStack { Program(Source(name: "test.frp", text: text)) } }

@Suite struct EmbeddingReloadTests {
  @Test func stateIsKeptWhenAFunctionChanges() throws {
    let run = try simulation("input clicks: Event<Int>\noutput n = clicks |> fold(0, (s, x) => s + x)")
    try run.send("3", to: "clicks")
    let report = try run.replaceProgram(
      with: program("input clicks: Event<Int>\noutput n = clicks |> fold(0, (s, x) => s + 10 * x)"))
    #expect(report.kept == ["n"])
    #expect(report.restarted.isEmpty && report.new.isEmpty && report.dropped.isEmpty)
    #expect(try run.value(of: "n") == "3")
    try run.send("1", to: "clicks")
    #expect(try run.value(of: "n") == "13")
  }

  @Test func anotherStartValueOrTypeBeginsAnew() throws {
    let run = try simulation(
      "input e: Event<Int>\noutput a = e |> hold(0)\noutput b = e |> hold(0)\noutput c = e |> hold(7)")
    try run.send("5", to: "e")
    let report = try run.replaceProgram(
      with: program(
        """
        input e: Event<Int>
        output a = e |> hold(1)
        output b = e |> map(x => "{x}") |> hold("none")
        output d = e |> hold(9)
        """))
    #expect(report.restarted.map(\.name) == ["a", "b"])
    #expect(report.restarted.first?.reason == "its start value is another")
    #expect(report.restarted.last?.reason == "its type was Int and is String")
    #expect(report.new == ["d"])
    #expect(report.dropped == ["c"])
    #expect(try run.value(of: "a") == "1")
    #expect(try run.value(of: "b") == "\"none\"")
    #expect(report.text.contains("restarted: a (its start value is another), b"))
  }

  @Test func timersAndWhatWaitsGoOn() throws {
    let text = """
      input e: Event<Int>
      late = e |> delay(2s)
      ticks = every(1s) |> count
      quiet = e |> debounce(3s)
      output all = merge(late, quiet) |> fold([], (l, x) => l ++ [x])
      output ticks
      """
    let run = try simulation(text)
    run.advance(to: 1.5)
    try run.send("7", to: "e")
    let report = try run.replaceProgram(with: program(text + "\noutput double = ticks * 2"))
    #expect(report.restarted.isEmpty)
    #expect(run.now == 1.5)
    run.advance(to: 3.5)
    #expect(try run.value(of: "all") == "[7]")
    run.advance(to: 4.5)
    #expect(try run.value(of: "all") == "[7,7]")
    #expect(try run.value(of: "double") == "8")
  }

  @Test func scopesKeepWhatTheyRemember() throws {
    let text = """
      input e: Event<(String, Int)>
      input names: Behavior<List<String>> = ["a", "b"]
      output totals = e |> groupBy(((k, _)) => k, (k, es) => es |> fold(0, (s, (_, x)) => s + x))
      output counts = each(names, n => n, n => e |> filter(((k, _)) => k == n) |> count)
      output last = e |> switch(0, ((_, x)) => e |> fold(x, (s, (_, y)) => s + y))
      """
    let run = try simulation(text)
    for value in ["[\"a\",1]", "[\"b\",2]", "[\"a\",3]"] { try run.send(value, to: "e") }
    let before = try ["totals", "counts", "last"].map { try run.value(of: $0) }
    let report = try run.replaceProgram(with: program(text + "\noutput many = size(totals)"))
    #expect(report.restarted.isEmpty, "\(report)")
    #expect(try ["totals", "counts", "last"].map { try run.value(of: $0) } == before)
    try run.send("[\"a\",10]", to: "e")
    #expect(try run.value(of: "totals") == "{\"a\":14,\"b\":2}")
    #expect(try run.value(of: "counts") == "[3,1]")
    #expect(try run.value(of: "many") == "2")
  }

  @Test func integralsGoOnAndInputsKeepTheirValues() throws {
    let run = try simulation(
      "input v: Behavior<Float> = 1.0\noutput x = integral(v)\noutput hit = when(x >= 10.0) |> count")
    try run.set("v", to: "2.0")
    run.advance(to: 3)
    let next = "input v: Behavior<Float> = 1.0\noutput x = integral(-v)\noutput hit = when(x >= 10.0) |> count"
    #expect(try run.replaceProgram(with: program(next)).restarted.isEmpty)
    #expect(try run.value(of: "x") == "6.0")
    run.advance(to: 4)
    #expect(try run.value(of: "x") == "4.0")
  }

  @Test func tasksUnderWayGoOn() throws {
    let text = """
      input go: Event<Int>
      job = go |> perform(Latest, x => Task.after(2s, x) |> timeout(5s))
      output got = job.results |> filterMap(ok) |> hold(0)
      output busy = job.busy
      """
    let run = try simulation(text)
    try run.send("4", to: "go")
    run.advance(to: 1)
    #expect(try run.replaceProgram(with: program(text + "\noutput more = got + 1")).restarted.isEmpty)
    #expect(try run.value(of: "busy") == "true")
    run.advance(to: 2)
    #expect(try run.value(of: "more") == "5")
    #expect(try run.value(of: "busy") == "false")
  }

  @Test func whatFailsChangesNothing() throws {
    let run = try simulation("input e: Event<Int>\noutput n = e |> hold(1)")
    try run.send("5", to: "e")
    #expect(throws: SimulationError.programHasErrors) { try run.replaceProgram(with: program("output n = y")) }
    #expect(throws: SimulationError.self) {
      try run.replaceProgram(
        with: program("input e: Event<Int>\noutput n = e |> hold(1)\noutput f = e |> hold(div(1, 0))"))
    }
    try run.send("6", to: "e")
    #expect(try run.value(of: "n") == "6")
  }

  @Test func recordedOutputsShowWhatIsAnother() throws {
    let run = try simulation("input e: Event<Int>\noutput n = e |> hold(1)")
    try run.record("n")
    try run.replaceProgram(with: program("input e: Event<Int>\nm = e |> hold(1)\noutput n = m + 1"))
    #expect(try run.occurrences(of: "n") == [Occurrence(time: 0, json: "2")])
  }
}

@Suite struct EmbeddingSnapshotTests {
  /// Programs with traces: run whole, and cut at every third line by a snapshot that another simulation restores.
  @Test(arguments: ProgramCase.all(in: "examples") + ProgramCase.all(in: "Tests/Golden/run"))
  func runningOnFromASnapshotIsRunningOn(_ name: String) throws {
    let folder = ProgramCase.all(in: "examples").contains(name) ? "examples" : "Tests/Golden/run"
    guard let bytes = try? Files.contents(of: "\(root)/\(folder)/\(name).frp") else { return }
    let modules = ModuleFiles(read: { try? Files.contents(of: "\(root)/\(folder)/\($0)") })
    let program = onLargeStack { Program(Source(name: "\(name).frp", bytes: bytes), modules: modules) }
    if program.hasErrors { return }
    let trace = (try? Files.contents(of: "\(root)/\(folder)/\(name).trace")) ?? Array("{\"at\":2}\n{\"at\":4}".utf8)
    let lines = trace.split(separator: 0x0A).prefix(60)
    let whole = try play(program, Array(lines), snapshotEvery: nil)
    let cut = try play(program, Array(lines), snapshotEvery: 3)
    guard let whole, let cut else { return }
    #expect(whole.count == cut.count)
    for (a, b) in zip(whole, cut) { #expect(ProgramCase.isNear(Substring(a), Substring(b)), "\(a) is not \(b)") }
  }

  /// What the outputs show, in text; nil if a snapshot cannot be made of this program.
  private func play(_ program: Program, _ lines: [ArraySlice<UInt8>], snapshotEvery step: Int?) throws -> [String]? {
    var run = try Simulation(program)
    var shown: [String] = []
    for output in program.outputs { try run.record(output.name) }
    run.start()
    for (number, line) in lines.enumerated() {
      var entry = Codec.TraceLine()
      let isRead = Array(line).withUnsafeBufferPointer { text in
        (try? run.codec.decodeTrace(text, run.ports, into: &entry)) ?? false
      }
      if !isRead { continue }
      run.reactor.advance(to: Clock.nanoseconds(entry.time ?? 0))
      run.reactor.send(entry.entries)
      shown += try Self.shown(run)
      guard let step, number % step == step - 1, !run.reactor.isOver else { continue }
      if Self.delaysContinuous(run) { return nil }
      let next = try Self.resumed(run)
      shown += try Self.shown(run)
      run = next
    }
    run.advance(to: run.now + 3)
    shown += try Self.shown(run)
    return shown
  }

  private static func shown(_ run: Simulation) throws -> [String] {
    try run.program.outputs.flatMap { output in
      try run.occurrences(of: output.name).map { "\(output.name) \($0.time) \($0.json)" }
    }
  }

  private static func delaysContinuous(_ run: Simulation) -> Bool {
    do {
      _ = try run.snapshot()
      return false
    } catch {
      return true
    }
  }

  private static func resumed(_ run: Simulation) throws -> Simulation {
    let snapshot = try run.snapshot()
    let next = try Simulation(run.program)
    for output in run.program.outputs { try next.record(output.name) }
    try next.restore(try Snapshot(bytes: snapshot.bytes))
    #expect(try next.snapshot() == snapshot, "restoring is not the identity")
    return next
  }

  @Test func functionsAndDeepValuesAreKept() throws {
    let text = """
      type Tree = Leaf | Node(Tree, Int)
      input e: Event<Int>
      output n = apply(e |> fold(x => x, (f, k) => y => f(y) + k), 1)
      output depth = e |> fold(Leaf, (t, k) => Node(t, k)) |> sizeOf
      apply(f, x) = f(x)
      sizeOf(t) = match t { Leaf => 0; Node(u, _) => 1 + sizeOf(u) }
      """
    let run = try simulation(text)
    for value in 0..<50 { try run.send("\(value)", to: "e") }
    let next = try Simulation(run.program)
    try next.restore(try run.snapshot())
    #expect(try next.value(of: "n") == run.value(of: "n"))
    #expect(try next.value(of: "depth") == "50")
  }

  @Test func otherProgramsAndDamageAreRefused() throws {
    let run = try simulation("input e: Event<Int>\noutput n = e |> hold(1)")
    try run.send("5", to: "e")
    let snapshot = try run.snapshot()
    let other = try simulation("input e: Event<Int>\noutput n = e |> hold(2)")
    #expect(throws: SimulationError.unusableSnapshot("it is of another program")) { try other.restore(snapshot) }
    #expect(try other.value(of: "n") == "2")
    for place in snapshot.bytes.indices {
      var bytes = snapshot.bytes
      bytes[place] ^= 0x10
      #expect(throws: SimulationError.self) { _ = try Snapshot(bytes: bytes) }
    }
    #expect(throws: SimulationError.self) { _ = try Snapshot(bytes: []) }
    let unstarted = try Simulation(run.program)
    #expect(throws: SimulationError.notBetweenInstants) { _ = try unstarted.snapshot() }
  }
}
