// Continuous programs against closed forms, and their independence of who looks when.

import FRP
import Glibc
import Testing

/// A run of a program, looked at on some grid.
struct ContinuousRun {
  let simulation: Simulation

  init(_ text: String) throws {
    let program = Program(Source(name: "test.frp", text: text))
    try #require(program.diagnostics.isEmpty, "\(program.diagnostics)")
    simulation = try Simulation(program)
    for port in program.outputs { try simulation.record(port.name) }
    simulation.start()
  }

  func value(_ name: String) throws -> Double {
    let text = try simulation.value(of: name)
    return try #require(Double(text), "\(text)")
  }

  /// When an output has shown something, and what.
  func shown(_ name: String) throws -> [Occurrence] { try simulation.occurrences(of: name) }

  func times(_ name: String) throws -> [Double] { try shown(name).map(\.time) }
}

func near(_ a: Double, _ b: Double, _ tolerance: Double = 1e-8) -> Bool {
  abs(a - b) <= tolerance * max(1e-300, max(abs(a), abs(b)))
}

struct ContinuousAccuracyTests {
  /// To the last bit, also where that decides what comes later: the system of Lorenz.
  @Test func theOrderOfDefinitionsMakesNoDifference() throws {
    let definitions = [
      "x = integralFrom(10.0 * (y - x), 1.0, never)", "y = integralFrom(x * (28.0 - z) - y, 1.0, never)",
      "z = integralFrom(x * y - 8.0 / 3.0 * z, 1.0, never)",
    ]
    var values: Set<Double> = []
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      let run = try ContinuousRun(order.map { definitions[$0] }.joined(separator: "\n") + "\noutput x")
      run.simulation.advance(to: 20)
      values.insert(try run.value("x"))
    }
    #expect(values.count == 1)
  }

  /// What a rate rounds jumps: it is followed up to each jump, however many there are and however short they last.
  @Test(arguments: [
    ("toFloat(floor(time))", 1100.0, 604450.0), ("if floor(time) == 1807 then 1.0 else 0.0", 3600, 1),
    ("if floor(time * 100.0) == 537 then 1.0 else 0.0", 10, 0.01), ("mod(time, 0.7)", 7, 2.45),
    ("toFloat(floor(time * time))", 40, (1...1600).reduce(64000.0) { $0 - Double($1).squareRoot() }),
    ("sign(sin(time))", 10, 4 * Double.pi - 10),
  ])
  func whatARateRounds(_ rate: String, until end: Double, is expected: Double) throws {
    let text = "named = \(rate)\noutput x = integral(\(rate))\noutput y = integral(named)\noutput named"
    let run = try ContinuousRun(text)
    run.simulation.advance(to: end)
    #expect(near(try run.value("x"), expected, 1e-10))
    #expect(near(try run.value("y"), try run.value("x"), 1e-12))
  }

  @Test func harmonicOscillator() throws {
    let run = try ContinuousRun(
      """
      x = integralFrom(v, 1.0, never)
      v = integralFrom(-1.0 * x, 0.0, never)
      output x
      output v
      """)
    let end = 200 * Double.pi + 1
    run.simulation.advance(to: end)
    let t = run.simulation.now
    #expect(near(try run.value("x"), cos(t)))
    #expect(near(try run.value("v"), -sin(t)))
  }

  /// What can only change at instants is constant between them, however it is computed: its integral is exact.
  @Test func ratesThatAreStepsAreExact() throws {
    let run = try ContinuousRun(
      """
      config = after(0.5) |> map(_ => {rate: 3.0, gains: [0.5, 0.25]}) |> hold({rate: 1.0, gains: [1.0]})
      field = integral(config.rate)
      computed = integral(sum(config.gains) * sqrt(config.rate * 3.0))
      mixed = integral(config.rate * time)
      members = each([{id: 1, rate: 2.0}], .id, m => integral(m.rate))
      reached = when(field >= config.rate) |> map(_ => time)
      output field
      output computed
      output mixed
      output members
      output reached
      """)
    run.simulation.advance(to: 1.5)
    #expect(try run.value("field") == 3.5)
    #expect(try run.value("computed") == 0.5 * 3.0.squareRoot() + 2.25)
    #expect(try run.value("mixed") == 0.125 + 3.0)
    #expect(try run.simulation.value(of: "members") == "[3.0]")
    #expect(try run.shown("reached").map(\.json) == ["1.3333333333333333"])
  }

  @Test func exponentialDecay() throws {
    let run = try ContinuousRun("output x = integralFrom(-0.5 * x, 3.0, never)\n")
    for t in [0.1, 1, 10, 50, 100] {
      run.simulation.advance(to: t)
      #expect(near(try run.value("x"), 3 * exp(-0.5 * t)), "at \(t)")
    }
  }

  @Test(arguments: [0.0, 0.001])
  func tenBounces(drag: Double) throws {
    let run = try ContinuousRun(
      """
      height = integralFrom(velocity, 10.0, never)
      velocity = integralFrom(-9.81 + \(drag) * (height - height), 0.0, bounce |> map(_ => -0.8 * velocity))
      bounce = when(height <= 0.0)
      output impact = bounce |> map(_ => velocity)
      output height
      """)
    run.simulation.advance(to: 22)
    let impacts = try run.shown("impact").prefix(10)
    #expect(impacts.count == 10)
    var speed = (2 * 9.81 * 10.0).squareRoot()
    var t = speed / 9.81
    for impact in impacts {
      #expect(near(impact.time, t))
      #expect(near(try #require(Double(impact.json)), -speed))
      speed *= 0.8
      t += 2 * speed / 9.81
    }
  }

  @Test func twoBodiesKeepTheirEnergy() throws {
    let run = try ContinuousRun(
      """
      x = integralFrom(vx, 0.4, never)
      y = integralFrom(vy, 0.0, never)
      r3 = pow(x * x + y * y, 1.5)
      vx = integralFrom(-1.0 * x / r3, 0.0, never)
      vy = integralFrom(-1.0 * y / r3, 2.0, never)
      output energy = (vx * vx + vy * vy) / 2.0 - 1.0 / pow(x * x + y * y, 0.5)
      """)
    for turn in 1...20 {
      run.simulation.advance(to: Double(turn) * .pi)
      #expect(near(try run.value("energy"), -0.5), "after \(turn) half turns")
    }
  }

  @Test func thermostat() throws {
    let run = try ContinuousRun(
      """
      heating = merge(when(temperature <= 19.0) |> map(_ => true), when(temperature >= 21.0) |> map(_ => false))
        |> hold(false)
      temperature = integralFrom(0.1 * (10.0 - temperature) + (if heating then 2.0 else 0.0), 20.0, never)
      output heating
      output temperature
      """)
    run.simulation.advance(to: 60)
    let switches = try run.times("heating").dropFirst()
    let down = log(10.0 / 9.0) * 10
    let up = log((30 - 19.0) / (30 - 21.0)) * 10
    let cool = log(11.0 / 9.0) * 10
    var t = down
    #expect(switches.count > 20)
    for (index, found) in switches.enumerated() {
      #expect(near(found, t))
      t += index % 2 == 0 ? up : cool
    }
  }

  @Test func polynomialsAreExact() throws {
    let run = try ContinuousRun(
      """
      output position = integral(integral(6.0 * time) + 1.0)
      output constant = integral(0.1)
      """)
    for t in [1.0, 3.5, 1000] {
      run.simulation.advance(to: t)
      #expect(try run.value("position") == t * t * t + t)
      #expect(try run.value("constant") == 0.1 * t)
    }
  }

  @Test func crossingsOfTimeNeedNoIntegral() throws {
    let run = try ContinuousRun(
      """
      s = time * time / 100.0 - 10.0 / (1.0 + time)
      output up = when(s > 0.0)
      output never2 = when(time < -1.0)
      output late = when(time >= 1000000.5)
      """)
    run.simulation.advance(to: 2_000_000)
    let up = try run.times("up")
    #expect(up.count == 1)
    // t²(1 + t) = 1000
    let t = try #require(up.first)
    #expect(near(t * t * (1 + t), 1000, 1e-12))
    #expect(try run.times("late") == [1_000_000.5])
    #expect(try run.times("never2").isEmpty)
  }
}

struct ContinuousMeaningTests {
  @Test func aRestingBallIsAFaultThatNamesTheCycle() throws {
    for rate in ["-9.81", "-9.81 - 0.1 * velocity"] {
      for bounciness in ["0.8", "0.5", "0.1", "0.01"] {
        let run = try ContinuousRun(
          """
          height = integralFrom(velocity, 10.0, never)
          velocity = integralFrom(\(rate), 0.0, bounce |> map(_ => -\(bounciness) * velocity))
          output bounce = when(height <= 0.0)
          output height
          """)
        run.simulation.advance(to: 20)
        let faults = run.simulation.faults
        #expect(faults.count == 1, "\(rate) \(bounciness)")
        let words = faults.map { "\($0)" }.joined()
        #expect(words.contains("bounce") && words.contains("velocity"))
        // What the comparison resets stands still from there on, so the ball rests, to within the speed it had left.
        #expect(abs(try run.value("height")) < 1e-6, "\(rate) \(bounciness)")
      }
    }
  }

  @Test func touchingIsNoCrossing() throws {
    let run = try ContinuousRun(
      """
      x = integralFrom(v, 0.0, never)
      v = integralFrom(-1.0 * x, 1.0, never)
      output top = when(x >= 1.0)
      output bottom = when(x <= -1.0)
      output half = when(x >= 0.5)
      output parabola = when((time - 2.0) * (time - 2.0) <= 0.0)
      output x
      """)
    run.simulation.advance(to: 50)
    #expect(try run.times("top").isEmpty)
    #expect(try run.times("bottom").isEmpty)
    #expect(try run.times("parabola").isEmpty)
    #expect(try run.times("half").count == 8)
  }

  @Test func conditionsDoNotFireAtTheStart() throws {
    let run = try ContinuousRun(
      """
      output above = when(time > 0.0)
      output atFirst = when(time >= 0.0)
      ball = integralFrom(speed, 0.0, never)
      speed = integralFrom(-10.0, 5.0, never)
      output landed = when(ball <= 0.0)
      output ball
      """)
    run.simulation.advance(to: 3)
    #expect(try run.times("above").isEmpty)
    #expect(try run.times("atFirst").isEmpty)
    #expect(try run.times("landed") == [1.0])
  }

  @Test func aJumpMakesAConditionTrueInTheNextStep() throws {
    let run = try ContinuousRun(
      """
      input push: Event<Float>
      x = integralFrom(1.0, 0.0, push)
      output high = when(x > 10.0)
      output seen = high |> map(_ => x)
      output x
      """)
    run.simulation.advance(to: 1)
    try run.simulation.send("20.0", to: "push")
    #expect(try run.times("high") == [1.0])
    #expect(try run.shown("seen").map(\.json) == ["20.0"])
    run.simulation.advance(to: 2)
    try run.simulation.send("0.0", to: "push")
    run.simulation.advance(to: 20)
    #expect(try run.times("high") == [12.0])
  }

  @Test func simultaneousCrossingsAreOneInstant() throws {
    let run = try ContinuousRun(
      """
      a = when(time >= 0.7)
      b = when(1.4 - time <= 0.7)
      output both = merge(a, b) |> coalesce((x, _) => x) |> count
      output each = merge(a, b) |> count
      """)
    run.simulation.advance(to: 2)
    #expect(try run.shown("both").map(\.json) == ["0", "1"])
    #expect(try run.shown("each").map(\.json) == ["0", "2"])
  }

  @Test func aConditionOverCrossingsFiresWhereItIsLocated() throws {
    let run = try ContinuousRun(
      """
      input armed: Behavior<Bool> = false
      output alarm = when(time >= 2.5 && armed)
      output inside = when(time > 1.0 && time < 2.0)
      output n = alarm |> map(_ => time)
      """)
    try run.simulation.set("armed", to: "true")
    run.simulation.advance(to: 4)
    #expect(try run.times("inside") == [1.0])
    #expect(try run.shown("n").map(\.json) == ["2.5"])
  }

  @Test func aFaultingRateKeepsItsValue() throws {
    let run = try ContinuousRun(
      """
      input kick: Event<()>
      a = integralFrom(1.0 / (2.0 - time) * 0.0 + pow(2.0 - time, 0.5), 0.0, never)
      output a
      output other = integral(1.0)
      output kicks = kick |> count
      """)
    run.simulation.advance(to: 5)
    #expect(near(try run.value("a"), 2.0 / 3 * pow(2, 1.5), 1e-6))
    #expect(try run.value("other") == 5)
    #expect(run.simulation.faults.count == 1)
    try run.simulation.send("null", to: "kick")
    run.simulation.advance(to: 6)
    #expect(near(try run.value("a"), 2.0 / 3 * pow(2, 1.5), 1e-6))
    #expect(run.simulation.faults.count == 1)
  }

  @Test func aPoleIsAFault() throws {
    let run = try ContinuousRun("output y = integralFrom(y * y, 1.0, never)\n")
    run.simulation.advance(to: 3)
    #expect(run.simulation.faults.count == 1)
    #expect(try run.value("y") > 1e6)
  }

  @Test func scopesHaveIntegralsOfTheirOwn() throws {
    let run = try ContinuousRun(
      """
      input go: Event<Float>
      x = integralFrom(1.0, 0.0, never)
      local = switch(go, 0.0, rate => integral(rate * x))
      output local
      total = integral(local)
      output total
      """)
    run.simulation.advance(to: 1)
    #expect(try run.value("local") == 0)
    try run.simulation.send("2.0", to: "go")
    run.simulation.advance(to: 3)
    // local = t² - 1, from 1 on.
    #expect(near(try run.value("local"), 8))
    #expect(near(try run.value("total"), (27 - 1) / 3.0 - 2))
    try run.simulation.send("-1.0", to: "go")
    run.simulation.advance(to: 4)
    #expect(near(try run.value("local"), -3.5))
  }

  @Test func scopesAndWhatIsOutsideMayDependOnOneAnother() throws {
    // x'' = -x, with the velocity in a scope.
    let run = try ContinuousRun(
      """
      input go: Event<()>
      x = integralFrom(v, 1.0, never)
      v = switch(go, 0.0, _ => integral(-1.0 * x))
      output x
      output zero = when(x <= 0.0)
      """)
    try run.simulation.send("null", to: "go")
    run.simulation.advance(to: 3)
    #expect(near(try run.value("x"), cos(3)))
    #expect(near(try #require(try run.times("zero").first), .pi / 2, 1e-11))
  }

  @Test func membersOfAListFallEachForItself() throws {
    let run = try ContinuousRun(
      """
      input balls: Behavior<List<Float>> = [1.0, 2.0]
      heights = balls |> each(b => b, b => integralFrom(-2.0 * b, 10.0, never))
      output heights
      output down = when(minimumOr(heights) <= 0.0)
      minimumOr(list) = withDefault(minimum(list), 0.0)
      """)
    run.simulation.advance(to: 1)
    #expect(try run.simulation.value(of: "heights") == "[8.0,6.0]")
    try run.simulation.set("balls", to: "[1.0, 2.0, 4.0]")
    run.simulation.advance(to: 3)
    #expect(try run.simulation.value(of: "heights") == "[4.0,-2.0,-6.0]")
    #expect(try run.times("down") == [2.25])
  }

  @Test func aLimitThatMovesIsFollowed() throws {
    let run = try ContinuousRun(
      """
      input limit: Behavior<Float> = 5.0
      x = integral(1.0)
      output reached = when(x >= limit)
      output x
      """)
    run.simulation.advance(to: 4)
    try run.simulation.set("limit", to: "6.5")
    run.simulation.advance(to: 6)
    #expect(try run.times("reached").isEmpty)
    run.simulation.advance(to: 7)
    #expect(try run.times("reached") == [6.5])
  }
}

struct FrameIndependenceTests {
  static let programs = [
    """
    height = integralFrom(velocity, 10.0, never)
    velocity = integralFrom(-9.81 - 0.05 * velocity, 0.0, bounce |> map(_ => -0.8 * velocity))
    bounce = when(height <= 0.0)
    output impact = bounce |> map(_ => velocity)
    output shown = height
    """,
    """
    heating = merge(when(temperature <= 19.0) |> map(_ => true), when(temperature >= 21.0) |> map(_ => false))
      |> hold(false)
    temperature = integralFrom(0.1 * (10.0 - temperature) + (if heating then 2.0 else 0.0), 20.0, never)
    output impact = merge(when(heating), when(!heating)) |> map(_ => temperature)
    output shown = temperature
    """,
    """
    x = integralFrom(v, 1.0, never)
    v = integralFrom(-40.0 * x + (if x > 0.2 then 3.0 else 0.0), 0.0, never)
    tick = every(700ms)
    w = integralFrom(x * x, 0.0, tick |> map(_ => 0.0))
    output impact = merge(when(x * w > 0.05), tick) |> map(_ => x + w)
    output shown = x + w
    """,
    """
    a = 5.0 * time - 3.0 * time * time + 0.3 * time * time * time
    phase = time - 2.0 * integral(if a > 1.0 then 0.5 else 0.2)
    output impact = when(a > 1.0) |> map(_ => phase)
    output shown = phase
    """,
  ]

  /// What happens, and the values at whole seconds, when somebody looks every `grid` seconds.
  func observe(_ text: String, grid: Double?) throws -> (events: [Occurrence], values: [String]) {
    let run = try ContinuousRun(text)
    var values: [String] = []
    for second in 1...9 {
      if let grid {
        let steps = Int((1 / grid).rounded())
        for step in 1..<max(1, steps) {
          run.simulation.advance(to: Double(second - 1) + Double(step) * grid)
          _ = try run.simulation.value(of: "shown")
        }
      }
      run.simulation.advance(to: Double(second))
      values.append(try run.simulation.value(of: "shown"))
    }
    return (try run.shown("impact"), values)
  }

  @Test(arguments: programs.indices)
  func nobodysLookingChangesAnything(index: Int) throws {
    let text = FrameIndependenceTests.programs[index]
    let reference = try observe(text, grid: nil)
    #expect(reference.events.count >= 2)
    for grid in [0.001, 0.01, 1.0] {
      let other = try observe(text, grid: grid)
      #expect(other.events == reference.events, "grid \(grid)")
      #expect(other.values == reference.values, "grid \(grid)")
    }
  }
}
