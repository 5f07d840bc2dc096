// Calls in any order: what cannot be done now is said, and nothing is dropped in silence.

import FRPBase
import FRPRuntime
import Testing

@testable import FRP

@Suite struct CallOrderTests {
  private static let program = onLargeStack {
    Program(
      Source(
        name: "test.frp",
        text: """
          input n: Event<Int>
          input s: Behavior<String> = "a"
          output total = n |> fold(0, (+))
          output text = s ++ s
          output last = end |> map(_ => total)
          output late = n |> delay(1s) |> fold(0, (+))
          output inverse = n |> map(k => 12 // k) |> hold(0)
          """.replacing("12 // k", with: "div(12, k)")))
  }

  private enum Phase { case before, running, over }

  /// What a run should be at, followed beside it.
  private struct Expected {
    var phase = Phase.before
    var total = 0
    var text = "a"
    var refusal: SimulationError? {
      switch phase {
      case .before: .notStarted
      case .running: nil
      case .over: .isOver
      }
    }
  }

  private struct Dice {
    var state: UInt64
    mutating func roll(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
  }

  @Test func anyOrder() throws {
    try #require(!Self.program.hasErrors, "\(Self.program.report)")
    var (refused, sent) = (0, 0)
    for seed in 1...400 {
      var dice = Dice(state: UInt64(seed) &* 977)
      let run = try Simulation(Self.program)
      var expected = Expected()
      var kept: (Snapshot, Expected)?
      for _ in 0..<12 { try step(run, &dice, &expected, &kept, &refused, &sent) }
    }
    #expect(refused > 300 && sent > 300, "\(refused), \(sent)")
  }

  private func step(
    _ run: Simulation, _ dice: inout Dice, _ expected: inout Expected, _ kept: inout (Snapshot, Expected)?,
    _ refused: inout Int, _ sent: inout Int
  ) throws {
    let n = try Self.program.eventInput("n", of: Int.self)
    let s = try Self.program.behaviorInput("s", of: String.self)
    let value = dice.roll(9) + 1
    var problem: SimulationError?
    switch dice.roll(11) {
    case 0:
      run.start()
      if expected.phase == .before { expected.phase = .running }
      return
    case 1:
      run.finish()
      if expected.phase == .running { expected.phase = .over }
      return
    case 2: return run.advance(by: 0.5)
    case 3: problem = Self.problem { () throws(SimulationError) in try run.send("\(value)", to: "n") }
    case 4: problem = Self.problem { () throws(SimulationError) in try run.send(value, to: n) }
    case 5:
      problem = Self.problem { () throws(SimulationError) in
        try run.send(together: [n.sending(value), s.setting(to: "t\(value)")])
      }
      if problem == nil { expected.text = "t\(value)" }
    case 6:
      problem = Self.problem { () throws(SimulationError) in try run.set(s, to: "s\(value)") }
      #expect(problem == expected.refusal)
      if problem == nil { expected.text = "s\(value)" }
      return
    case 7:
      let snapshot = try? run.snapshot()
      #expect((snapshot == nil) == (expected.phase == .before))
      if let snapshot { kept = (snapshot, expected) }
      return
    case 8:
      guard let known = kept else { return }
      try run.restore(known.0)
      expected = known.1
      return
    case 9:
      // Division by zero: the instant is undone, and said so.
      problem = Self.problem { () throws(SimulationError) in try run.send(0, to: n) }
      if expected.phase != .running { #expect(problem == expected.refusal) }
      if expected.phase == .running, problem?.isFault != true { Issue.record("\(String(describing: problem))") }
      return
    default:
      let total = try? run.value(of: "total")
      #expect(total == (expected.phase == .before ? nil : "\(expected.total)"))
      let text = try? run.value(of: "text")
      #expect(text == (expected.phase == .before ? nil : "\"\(expected.text)\(expected.text)\""))
      return
    }
    #expect(problem == expected.refusal)
    if problem == nil { expected.total += value }
    if problem == nil { sent += 1 } else { refused += 1 }
  }

  private static func problem(_ body: () throws(SimulationError) -> Void) -> SimulationError? {
    do throws(SimulationError) {
      try body()
      return nil
    } catch { return error }
  }

  @Test func errorsAreSentences() throws {
    let run = try Simulation(Self.program)
    let early = Self.problem { () throws(SimulationError) in try run.send("1", to: "n") }
    #expect("\(try #require(early))" == "the run has not started")
    run.start()
    let zero = Self.problem { () throws(SimulationError) in try run.send("0", to: "n") }
    #expect("\(try #require(zero))" == "division by zero in `inverse`, at 0 s")
    #expect("\(try #require(run.faults.first))" == "error[R0101]: division by zero in `inverse`, at 0 s")
    let unknown = Self.problem { () throws(SimulationError) in try run.send("0", to: "m") }
    #expect("\(try #require(unknown))" == "there is no `m`")
    do {
      _ = try Self.program.eventInput("n", of: String.self)
      Issue.record("it is no String")
    } catch { #expect("\(error)" == "`n` is Int, not String") }
    #expect("\(FrpError("no such path"))" == "no such path")
  }

  @Test func severalInputsAreOneInstant() throws {
    let program = onLargeStack {
      Program(
        Source(
          name: "test.frp",
          text: """
            input a: Event<Int>
            input b: Event<String>
            input level: Behavior<Float> = 0.0
            output both = merge(a |> map(x => "{x}"), b) |> map(t => "{t} at {level}") |> coalesce((x, y) => x ++ ", " ++ y)
            output late = merge(a |> map(_ => ()), b |> map(_ => ())) |> coalesce((x, _) => x) |> count
            output now = level
            """))
    }
    try #require(!program.hasErrors, "\(program.report)")
    let a = try program.eventInput("a", of: Int.self)
    let b = try program.eventInput("b", of: String.self)
    let level = try program.behaviorInput("level", of: Double.self)
    let run = try Simulation(program)
    try run.record("both")
    run.beginLog()
    run.start()
    try run.send(together: [a.sending(1), b.sending("x"), level.setting(to: 2.5)])
    #expect(try run.value(of: "late") == "1" && run.value(of: "now") == "2.5")
    #expect(throws: SimulationError.self) { try run.send(together: [a.sending(2), level.setting(to: .nan)]) }
    #expect(try run.value(of: "late") == "1")
    let shown = try run.occurrences(of: "both")
    #expect(shown.map(\.json) == [#""1 at 0.0, x at 0.0""#])
    let again = try Simulation(program)
    try again.record("both")
    try again.replay(run.log)
    #expect(try again.occurrences(of: "both") == shown)
  }
}

extension SimulationError {
  fileprivate var isFault: Bool { if case .fault = self { true } else { false } }
}
