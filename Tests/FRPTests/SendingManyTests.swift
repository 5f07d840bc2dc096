// `send(many:)`: what a loop of `send` does, by every way to an input.

import FRP
import FRPBase
import FRPRuntime
import Testing

@Suite struct SendingManyTests {
  private static let text = """
    input n: Event<Int>
    input x: Event<Float>
    input b: Event<Bool>
    input s: Event<String>
    input r: Event<{id: Int, name: String}>
    output total = n |> map(i => div(720, i)) |> fold(0, (sum, i) => sum + i)
    output most = x |> fold(0.0, (a, b) => max(a, b))
    output yes = b |> filter(y => y) |> count
    output words = s |> fold("", (a, b) => a ++ b)
    output names = r |> map(p => "{p.name}{p.id}") |> fold("", (a, b) => a ++ b)

    """

  private func started(_ text: String = text) throws -> Simulation {
    let program = Program(Source(name: "many.frp", text: text))
    try #require(!program.hasErrors, "\(program.report)")
    let run = try Simulation(program)
    run.start()
    return run
  }

  private struct Named: FrpCodable {
    var id: Int
    var name: String
  }

  @Test func everyTypeArrivesInOrder() throws {
    let run = try started()
    let program = run.program
    try run.send(many: Array(1...700), to: try program.eventInput("n"))
    try run.send(many: [0.5, 2.5, 1.0], to: try program.eventInput("x"))
    try run.send(many: [true, false, true], to: try program.eventInput("b"))
    try run.send(many: (0..<300).map { "\($0 % 10)" }, to: try program.eventInput("s"))
    try run.send(many: [Named(id: 1, name: "a"), Named(id: 2, name: "b")], to: try program.eventInput("r"))
    try run.send(many: [Int](), to: try program.eventInput("n"))
    let total = (1...700).reduce(0) { $0 + 720 / $1 }
    #expect(try run.value(of: try program.behavior("total", of: Int.self)) == total)
    #expect(try run.value(of: try program.behavior("most", of: Double.self)) == 2.5)
    #expect(try run.value(of: try program.behavior("yes", of: Int.self)) == 2)
    #expect(try run.value(of: try program.behavior("words", of: String.self)).count == 300)
    #expect(try run.value(of: try program.behavior("names", of: String.self)) == "a1b2")
  }

  @Test func theFirstThatFailsEndsIt() throws {
    let run = try started()
    let n: EventInput<Int> = try run.program.eventInput("n")
    // Beyond the first block, too.
    for place in [0, 3, 127, 128, 600] {
      var values = [Int](repeating: 720, count: 601)
      values[place] = 0
      let failure = #expect(throws: SendingManyFailure.self) { try run.send(many: values, to: n) }
      #expect(failure?.taken == place)
      guard case .fault = failure?.error else { throw FrpError("\(String(describing: failure))") }
    }
    #expect(try run.value(of: try run.program.behavior("total", of: Int.self)) == 0 + 3 + 127 + 128 + 600)
  }

  @Test func whatIsNoValueEndsItToo() throws {
    let run = try started()
    let x: EventInput<Double> = try run.program.eventInput("x")
    let failure = #expect(throws: SendingManyFailure.self) { try run.send(many: [1, 2, .nan, 9], to: x) }
    #expect(failure?.taken == 2)
    guard case .unfit = failure?.error else { throw FrpError("\(String(describing: failure))") }
    #expect(try run.value(of: try run.program.behavior("most", of: Double.self)) == 2)
  }

  @Test func nothingIsTakenOutsideOfTheRun() throws {
    let program = Program(Source(name: "many.frp", text: Self.text))
    let run = try Simulation(program)
    let n: EventInput<Int> = try program.eventInput("n")
    #expect(throws: SendingManyFailure(taken: 0, error: .notStarted)) { try run.send(many: [1], to: n) }
    run.start()
    run.finish()
    #expect(throws: SendingManyFailure(taken: 0, error: .isOver)) { try run.send(many: [1], to: n) }
  }

  @Test func observersHearEachAndMaySend() throws {
    let run = try started("input n: Event<Int>\noutput twice = n |> map(i => i * 2)\n")
    let n: EventInput<Int> = try run.program.eventInput("n")
    var heard: [Int] = []
    run.observe(try run.program.events("twice", of: Int.self)) { value in
      heard.append(value.value)
      // What is sent from inside is the next micro-step, before the next of the many.
      if value.value == 4 { try? run.send(100, to: n) }
      if value.value == 6 { try? run.send(many: [200, 300], to: n) }
    }
    try run.send(many: [1, 2, 3, 4], to: n)
    #expect(heard == [2, 4, 200, 6, 400, 600, 8])
  }

  @Test func aLogHasEach() throws {
    let run = try started()
    let again = try Simulation(run.program)
    let n: EventInput<Int> = try run.program.eventInput("n")
    run.beginLog()
    try? run.send(many: [1, 2, 0, 3], to: n)
    try run.send(many: [4], to: n)
    #expect(run.log.entries.count == 4)
    again.start()
    try again.replay(run.log)
    let total = try run.program.behavior("total", of: Int.self)
    #expect(try again.value(of: total) == (try run.value(of: total)))
  }

  @Test func handlesFindTheirPortInAnotherProgram() throws {
    let run = try started("input n: Event<Int>\noutput sum = n |> fold(0, (+))\n")
    let n: EventInput<Int> = try run.program.eventInput("n")
    try run.send(many: [1, 2], to: n)
    let text = "input a: Event<Int>\ninput n: Event<Int>\noutput sum = n |> fold(0, (+))\n"
    _ = try run.replaceProgram(with: Program(Source(name: "many.frp", text: text)))
    try run.send(many: [3, 4], to: n)
    #expect(try run.value(of: "sum") == "10")
  }

  @Test func aSessionTakesThem() async throws {
    let program = Program(Source(name: "many.frp", text: Self.text))
    let session = try Session(program, clock: VirtualClock())
    await session.start()
    let n: EventInput<Int> = try program.eventInput("n")
    try await session.send(many: [1, 2, 3], to: n)
    let total = try program.behavior("total", of: Int.self)
    #expect(try await session.value(of: total) == 720 + 360 + 240)
    await #expect(throws: SendingManyFailure.self) { try await session.send(many: [5, 0], to: n) }
    await session.close()
    await #expect(throws: SendingManyFailure(taken: 0, error: .isOver)) { try await session.send(many: [1], to: n) }
  }
}
