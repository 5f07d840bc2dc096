import FRP
import FRPBase
import Testing

@testable import FRPCommands

/// The library as an application uses it.
@Suite struct SimulationTests {
  private func program(_ text: String) -> Program { onLargeStack { Program(Source(name: "test", text: text)) } }

  @Test func theReadmesExample() throws {
    let program = program("input n: Event<Int>\noutput total = n |> fold(0, (+))")
    let simulation = try Simulation(program)
    simulation.start()
    try simulation.send("3", to: "n")
    simulation.advance(by: 1.5)
    try simulation.send("4", to: "n")
    #expect(try simulation.value(of: "total") == "7")
    #expect(simulation.now == 1.5)
  }

  /// What leaves a window waits for what is sent at its time, and goes when the clock does.
  @Test func whatLeavesAWindowWaitsForInputs() throws {
    let program = program("input n: Event<Int>\noutput recent = n |> window(2s)")
    let simulation = try Simulation(program)
    try simulation.record("recent")
    simulation.start()
    for second in 0...3 {
      simulation.advance(to: Double(second))
      try simulation.send("\(second)", to: "n")
    }
    #expect(try simulation.occurrences(of: "recent").map(\.json) == ["[]", "[0]", "[0,1]", "[1,2]", "[2,3]"])
    simulation.advance(to: 4)
    #expect(try simulation.value(of: "recent") == "[2,3]")
    #expect(simulation.nextWakeUp == 4.000000001)
    simulation.advance(to: 4.5)
    #expect(try simulation.occurrences(of: "recent").last?.time == 4.0)
    #expect(try simulation.value(of: "recent") == "[3]")
    simulation.advance(to: 5)
    simulation.finish()
    #expect(try simulation.occurrences(of: "recent").last?.time == 5.0)
    #expect(try simulation.value(of: "recent") == "[]")
  }

  /// A crossing keeps the moment that was located; what is sent at its nanosecond, and the end, are at that nanosecond.
  @Test func whatIsSentRightAfterACrossing() throws {
    let program = program(
      """
      input e: Event<()>
      output c = when(0.1 * time > 0.3) |> map(_ => time)
      output s = e |> map(_ => time)
      output last = end |> map(_ => time)
      """)
    let simulation = try Simulation(program)
    for output in ["c", "s", "last"] { try simulation.record(output) }
    simulation.start()
    simulation.advance(to: 3)
    #expect(simulation.now == (3.0).nextDown)
    try simulation.send("null", to: "e")
    #expect(simulation.now == 3)
    simulation.finish()
    #expect(try simulation.occurrences(of: "c").map(\.time) == [(3.0).nextDown])
    #expect(try simulation.occurrences(of: "s").map(\.json) == ["3.0"])
    #expect(try simulation.occurrences(of: "last").map(\.json) == ["3.0"])
  }

  @Test func sortingIsStable() throws {
    let program = program(
      """
      pairs = 1..100 |> map(x => (x % 5, x))
      output isStable = pairs |> sortBy(p => Tuple.first(p)) |> pairwise |> all((a, b) => a < b)
      """)
    let simulation = try Simulation(program)
    simulation.start()
    #expect(try simulation.value(of: "isStable") == "true")
  }

  @Test func occurrencesAreRecorded() throws {
    let program = program("input n: Event<Int>\noutput late = n |> delay(1s)\noutput even = n |> map(k => k % 2 == 0)")
    let simulation = try Simulation(program)
    try simulation.record("late")
    try simulation.record("even")
    simulation.start()
    try simulation.send("3", to: "n")
    #expect(simulation.nextWakeUp == 1.0)
    simulation.advance(to: 5)
    #expect(try simulation.occurrences(of: "late") == [Occurrence(time: 1.0, json: "3")])
    #expect(try simulation.occurrences(of: "late") == [])
    #expect(try simulation.occurrences(of: "even").map(\.json) == ["false"])
  }

  @Test func severalInputsAtOnceAreOneInstant() throws {
    let program = program("input a: Behavior<Int> = 1\ninput b: Behavior<Int> = 2\noutput c = changes(a + b)")
    let simulation = try Simulation(program, settings: ["a": "10"])
    try simulation.record("c")
    simulation.start()
    try simulation.send([("a", "0"), ("b", "12")])
    try simulation.send([("a", "1"), ("b", "1")])
    #expect(try simulation.occurrences(of: "c").map(\.json) == ["2"])
  }

  @Test func mistakesOfTheCallerAreErrors() throws {
    let simulation = try Simulation(program("input clicks: Event<Int>\noutput n = clicks |> count"))
    simulation.start()
    #expect(throws: SimulationError.unknownPort(name: "click", near: "clicks")) {
      try simulation.send("1", to: "click")
    }
    #expect(throws: SimulationError.self) { try simulation.send("\"one\"", to: "clicks") }
    #expect(throws: SimulationError.self) { _ = try simulation.value(of: "m") }
    #expect(throws: SimulationError.programHasErrors) { _ = try Simulation(program("output x = y")) }
    #expect(throws: SimulationError.hasNoStart(name: "clicks")) {
      _ = try Simulation(simulation.program, settings: ["clicks": "1"])
    }
    #expect(try simulation.value(of: "n") == "0")
  }

  @Test func aFaultIsThrownAndUndone() throws {
    let program = program(
      "input n: Event<Int>\noutput sum = n |> fold(0, (+))\noutput share = n |> map(k => div(10, k))")
    let simulation = try Simulation(program)
    simulation.start()
    try simulation.send("5", to: "n")
    #expect(throws: SimulationError.self) { try simulation.send("0", to: "n") }
    try simulation.send("2", to: "n")
    #expect(try simulation.value(of: "sum") == "7")
    #expect(simulation.faults.map(\.code) == [.undefinedValue])
  }

  /// A program is compiled once and shared; simulations on many threads do not know of one another.
  @Test func oneProgramManySimulations() async throws {
    let program = program("input n: Event<Int>\noutput total = n |> fold(0, (a, b) => a + size(1..b))")
    let totals = try await withThrowingTaskGroup(of: String.self) { group in
      for k in 1...64 {
        group.addTask {
          let simulation = try Simulation(program)
          simulation.start()
          for _ in 0..<100 { try simulation.send("\(k)", to: "n") }
          return try simulation.value(of: "total")
        }
      }
      var totals: Set<String> = []
      for try await total in group { totals.insert(total) }
      return totals
    }
    #expect(totals == Set((1...64).map { String($0 * 100) }))
  }

  @Test func portsAreDescribed() {
    let program = program("input p: Behavior<{x: Float}> = {x: 1.0}\noutput e = every(1s)\noutput list = [p.x]")
    #expect(program.inputs == [Port(name: "p", type: "{x: Float}", isEvent: false)])
    #expect(program.outputs.map(\.type) == ["()", "List<Float>"])
    #expect(program.outputs.map(\.isEvent) == [true, false])
  }
}
