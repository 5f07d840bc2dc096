import FRP
import FRPBase
import Testing

/// Every rule of `derivative` against the slope of its function, at many moments.
@Suite struct DerivativeTests {
  /// Functions of x, which runs from 0.2 to 0.95.
  static let functions = [
    "x + 3.0", "2.0 - x", "x * x * x", "3.0 / (1.0 + x)", "x / (1.0 + x * x)", "-x * 2.0", "sin(x)", "cos(3.0 * x)",
    "tan(x)", "exp(-x)", "log(1.0 + x)", "log2(1.0 + x)", "log10(x)", "sqrt(x)", "cbrt(x)", "asin(x)", "acos(x)",
    "atan(2.0 * x)", "atan2(x, 2.0 - x)", "pow(x, 2.5)", "pow(2.0, x)", "pow(x, x)", "abs(x - 3.0)", "abs(x)",
    "min(x, 3.0)", "max(x * x, 0.0)", "min(2.0, 1.0)", "max(sin(x), cos(x) - 5.0)", "clamp(x, 0.0, 2.0)",
    "clamp(x, 5.0, 6.0)", "toRadians(x)", "toDegrees(x)", "if x > 5.0 then 1.0 else x * x",
    "if x < 5.0 then 2.0 * x else 1.0",
    "{a: x * x, b: 1.0}.a", "{a: x * x, b: 1.0}.b", "match (x * x, 2.0) { (a, b) => a * b }",
    "sin(x) * exp(x) / (2.0 + cos(x))", "toFloat(floor(x)) + x", "Tuple.first((x * x, 2.0))",
    "Tuple.second((1.0, x * x)) * x", "match (if x < 5.0 then (x * x, 1.0) else (2.0, x)) { (a, b) => a * b }",
    "(if x < 5.0 then {a: x * x} else {a: 1.0}).a",
    "match (if x < 5.0 then Some(x * x) else None) { Some(y) => y; None => 1.0 }",
    "Tuple.second(if x < 5.0 then (x, 1.0) else (x, 2.0))",
  ]

  private func program(_ function: String) -> Program {
    Program(
      Source(
        name: "a.frp",
        text: """
          f(x) = \(function)
          x = 0.2 + 0.15 * time
          output exact = derivative(f(x))
          output slope = (f(x + 0.00001) - f(x - 0.00001)) / 0.00002 * 0.15
          """))
  }

  @Test(arguments: functions)
  func agreesWithTheSlope(function: String) throws {
    let program = program(function)
    // What has no rule is told, and not a wrong number.
    if program.hasErrors {
      #expect(
        program.diagnostics.allSatisfy { $0.code.rawValue.hasPrefix("E04") } && function.hasPrefix("sum"),
        "\(program.report)")
      return
    }
    let simulation = try Simulation(program)
    simulation.start()
    for step in 1...20 {
      simulation.advance(to: Double(step) * 0.25)
      let exact = try #require(Double(simulation.value(of: "exact")))
      let slope = try #require(Double(simulation.value(of: "slope")))
      #expect(abs(exact - slope) <= 1e-6 * max(1, abs(slope)), "\(function) at \(simulation.now)")
    }
  }

  @Test func ofStepsIsZero() throws {
    let program = Program(
      Source(
        name: "a.frp",
        text: "input l: Behavior<List<Float>> = [1.0, 2.0]\noutput d = derivative(sum(l) + toFloat(size([time])))\n"))
    try #require(!program.hasErrors, "\(program.report)")
    let simulation = try Simulation(program)
    simulation.start()
    simulation.advance(to: 1)
    #expect(try simulation.value(of: "d") == "0.0")
  }

  @Test func ofWhatIsDelayed() throws {
    let program = Program(
      Source(
        name: "a.frp",
        text: "output d = derivative(delay(time * time, 1s))\noutput i = derivative(integral(sin(time)))\n"
          + "output s = derivative(delay(3.0 * time, 1s))\n"))
    let simulation = try Simulation(program)
    simulation.start()
    simulation.advance(to: 0.5)
    #expect(try simulation.value(of: "d") == "0.0")
    // What has not begun does not move.
    #expect(try simulation.value(of: "s") == "0.0")
    simulation.advance(to: 3)
    #expect(try simulation.value(of: "s") == "3.0")
    #expect(abs(try #require(Double(simulation.value(of: "d"))) - 4) < 1e-9)
    #expect(abs(try #require(Double(simulation.value(of: "i"))) - 0.1411200080598672) < 1e-9)
  }

  /// At a kink the derivative is the one to the right, whichever way the parts of the expression go.
  @Test(arguments: [
    ("abs(time - 1)", "1.0"), ("abs(1 - time)", "1.0"), ("min(1 - time, time - 1)", "-1.0"),
    ("max(1 - time, 0)", "0.0"), ("max(time - 1, 0)", "1.0"), ("clamp(time, 0, 1)", "0.0"),
    ("clamp(1 - time, 0, 1)", "0.0"), ("clamp(time, 1, 2)", "1.0"),
  ])
  func atAKinkTheRightSideIsTaken(function: String, slope: String) throws {
    let program = Program(Source(name: "a.frp", text: "output d = derivative(\(function))\n"))
    try #require(!program.hasErrors, "\(program.report)")
    let simulation = try Simulation(program)
    simulation.start()
    simulation.advance(to: 1)
    #expect(try simulation.value(of: "d") == slope)
  }

  /// What has no rule is told, and not a wrong number.
  @Test(arguments: [
    "output d = derivative(sum([time, time * time]))",
    "output d = derivative([time] |> map(t => t * t) |> fold(0.0, (a, b) => a + b))",
    "output d = derivative(Some(time) |> withDefault(1.0))",
    "input e: Event<Int>\noutput d = derivative(switch(e, time, k => time * toFloat(k)))",
    "input l: Behavior<List<Int>> = []\noutput d = derivative(sum(each(l, k => k, k => time)))",
  ])
  func whatCannotBeDoneIsAnError(text: String) {
    let program = Program(Source(name: "a.frp", text: text))
    #expect(program.diagnostics.contains { $0.code == .notDifferentiable }, "\(program.report)")
  }
}
