// Limits, delays and foresight of continuous programs: the cases in which rounding, or who asks, must not decide.

import FRP
import FRPRuntime
import Glibc
import Testing

struct DelayedBehaviorTests {
  @Test func ofTimeAndIntegrals() throws {
    let run = try ContinuousRun(
      """
      output a = delay(sin(time), 500ms)
      y = integral(2.0 * time)
      output b = delay(y, 1s)
      z = integralFrom(-1.0 * z, 1.0, never)
      output c = delay(z * z, 250ms)
      output twice = delay(delay(y, 1s), 1s)
      """)
    for t in [0.2, 0.7, 1.5, 3.0, 10.0] {
      run.simulation.advance(to: t)
      #expect(near(try run.value("a"), t < 0.5 ? 0 : sin(t - 0.5), 1e-12))
      #expect(near(try run.value("b"), t < 1 ? 0 : (t - 1) * (t - 1), 1e-12))
      #expect(near(try run.value("c"), t < 0.25 ? 1 : exp(-2 * (t - 0.25)), 1e-9))
      #expect(near(try run.value("twice"), t < 2 ? 0 : (t - 2) * (t - 2), 1e-12))
    }
  }

  @Test func withStepsAndJumps() throws {
    let run = try ContinuousRun(
      """
      input name: Behavior<String> = "start"
      input reset: Event<Float>
      x = integralFrom(1.0, 0.0, reset)
      output old = delay({x: x, who: name}, 1s)
      output jumped = when(delay(x, 1s) > 10.0)
      """)
    #expect(try run.simulation.value(of: "old") == #"{"who":"start","x":0.0}"#)
    run.simulation.advance(to: 2)
    #expect(try run.simulation.value(of: "old") == #"{"who":"start","x":1.0}"#)
    try run.simulation.set("name", to: "\"second\"")
    try run.simulation.send("20.0", to: "reset")
    run.simulation.advance(to: 2.5)
    #expect(try run.simulation.value(of: "old") == #"{"who":"start","x":1.5}"#)
    run.simulation.advance(to: 3.5)
    #expect(try run.simulation.value(of: "old") == #"{"who":"second","x":20.5}"#)
    #expect(try run.times("jumped") == [3.0])
  }

  @Test func inADifferentialEquation() throws {
    // x' = -x(t - 1), x = 1 before: 1 - t, then 1 - t + (t - 1)²/2, …
    let run = try ContinuousRun(
      """
      x = integralFrom(-1.0 * delay(x, 1s), 1.0, never)
      output x
      output zero = when(x <= 0.0)
      """)
    for t in [0.5, 1.0, 1.5, 2.0] {
      run.simulation.advance(to: t)
      let later = max(0, t - 1)
      #expect(abs(try run.value("x") - (1 - t + later * later / 2)) < 1e-10, "at \(t)")
    }
    run.simulation.advance(to: 3)
    let exact = 1 - 3 + 2.0 - 1.0 / 6
    #expect(abs(try run.value("x") - exact) < 1e-10)
    #expect(near(try #require(try run.times("zero").first), 1, 1e-12))
    #expect(run.simulation.faults.isEmpty)
  }

  @Test func memoryIsBoundedByTheDelay() throws {
    let run = try ContinuousRun(
      """
      x = integralFrom(v, 1.0, never)
      v = integralFrom(-400.0 * x, 0.0, never)
      tick = every(10ms)
      n = tick |> count
      output late = delay(x + toFloat(n), 100ms)
      """)
    run.simulation.advance(to: 20)
    #expect(near(try run.value("late"), cos(20 * 19.9) + 1990, 1e-9))
  }
}

struct DecayTests {
  /// What is gone is zero, and the clock goes on; what is fed for ever is followed no further, and that is said.
  @Test func whatDecaysFastIsGone() throws {
    let run = try ContinuousRun(
      """
      y = integralFrom(-1e12 * y, 1.0, never)
      output level = y
      """)
    run.simulation.advance(to: 5)
    #expect(try run.value("level") == 0)
    #expect(run.simulation.faults.isEmpty)
    let fed = try ContinuousRun(
      """
      y = integralFrom(1e-290 - 1e12 * y, 1.0, never)
      output level = y
      """)
    fed.simulation.advance(to: 5)
    #expect(fed.simulation.faults.count == 1)
  }
}

struct ForesightTests {
  static let text = """
    input push: Event<Float>
    x = integralFrom(v, 1.0, never)
    v = integralFrom(-1.0 * x, 0.0, push)
    a = integralFrom(0.01 * (x - a), 0.0, push)
    output crossed = merge(when(x * a > 0.05), when(x > 0.999)) |> map(_ => x)
    output late = delay(x, 300ms)
    output sum = x + v + a
    """

  /// Asking when something will happen next changes nothing, whatever happens instead.
  @Test func askingWhatComesNextChangesNothing() throws {
    func observe(asking: Bool) throws -> [String] {
      let run = try ContinuousRun(ForesightTests.text)
      var seen: [String] = []
      for step in 1...40 {
        if asking { _ = run.simulation.nextWakeUp }
        run.simulation.advance(to: Double(step) * 0.37)
        if asking { _ = run.simulation.nextWakeUp }
        seen.append(try run.simulation.value(of: "sum"))
        seen.append(try run.simulation.value(of: "late"))
        if step % 5 == 0 {
          try run.simulation.send("0.5", to: "push")
          seen.append(try run.simulation.value(of: "sum"))
        }
      }
      return seen + (try run.shown("crossed").map { "\($0.time) \($0.json)" })
    }
    #expect(try observe(asking: true) == observe(asking: false))
  }

  @Test func whatComesNextIsTheCrossing() throws {
    let run = try ContinuousRun("output up = when(sin(time) > 0.5)\n")
    var found: [Double] = []
    while found.count < 20, let next = run.simulation.nextWakeUp {
      run.simulation.advance(to: next)
      found += try run.times("up")
    }
    #expect(found.count == 20)
    #expect(near(try #require(found.last), .pi / 6 + 38 * .pi, 1e-13))
  }

  @Test func faultsAreNotForeseen() throws {
    let run = try ContinuousRun(
      """
      input reset: Event<Float>
      y = integralFrom(y * y, 1.0, reset)
      output big = when(y > 1000000.0)
      output y
      """)
    _ = run.simulation.nextWakeUp
    run.simulation.advance(to: 0.9)
    _ = run.simulation.nextWakeUp
    try run.simulation.send("0.0", to: "reset")
    run.simulation.advance(to: 10)
    #expect(run.simulation.faults.isEmpty)
    #expect(try run.times("big").isEmpty)
  }
}

struct LimitTests {
  /// Outputs first show what holds just after the start.
  @Test func whatHoldsJustAfterTheStart() throws {
    let run = try ContinuousRun(
      """
      x = integralFrom(1.0, 0.0, never)
      ball = integralFrom(speed, 0.0, never)
      speed = integralFrom(-9.81, 5.0, never)
      output a = time > 0.0
      output b = x > 0.0
      output c = ball <= 0.0
      output d = time <= 0.0
      """)
    run.simulation.advance(to: 0.5)
    for (name, value) in [("a", "true"), ("b", "true"), ("c", "false"), ("d", "false")] {
      #expect(try run.shown(name).map(\.json) == [value], "\(name)")
    }
  }

  /// A reset to the limit from which it moves on: nothing has become true.
  @Test func aSawtoothNeverLeavesItsSide() throws {
    let run = try ContinuousRun(
      """
      phase = integralFrom(1.0, 0.0, wrap |> map(_ => 0.0))
      wrap = when(phase >= 1.0)
      output above = phase > 0.0
      output wraps = wrap |> count
      output rises = when(phase > 0.0) |> count
      """)
    run.simulation.advance(to: 4.5)
    #expect(try run.shown("above").map(\.json) == ["true"])
    #expect(try run.shown("rises").map(\.json) == ["0"])
    #expect(try run.shown("wraps").map(\.json) == ["0", "1", "2", "3", "4"])
  }

  @Test func creepingUpToALimitIsNoCrossing() throws {
    let run = try ContinuousRun(
      """
      x = integralFrom(1.0 - x, 0.0, never)
      output there = when(x >= 1.0)
      output past = when(1.0 - exp(-1.0 * time) >= 1.0)
      output stays = when(min(time, 2.0) >= 2.0)
      output x
      """)
    run.simulation.advance(to: 100)
    #expect(try run.times("there").isEmpty)
    #expect(try run.times("past").isEmpty)
    #expect(try run.times("stays") == [2.0])
  }

  @Test func fastGuardsAreFollowed() throws {
    let run = try ContinuousRun(
      """
      output fast = when(sin(20000.0 * time) > 0.5)
      output slow = when(sin(0.001 * time) > 0.5)
      """)
    run.simulation.advance(to: 0.5)
    let fast = try run.times("fast")
    #expect(fast.count == 1592)
    #expect(near(try #require(fast.last), (.pi / 6 + 1591 * 2 * .pi) / 20000, 1e-11))
  }

  @Test func slidingStaysOnTheLimit() throws {
    let run = try ContinuousRun("output x = integralFrom(if x > 0.5 then -1.0 else 1.0, 0.0, never)\n")
    run.simulation.advance(to: 2)
    #expect(run.simulation.faults.isEmpty)
    #expect(near(try run.value("x"), 0.5, 1e-12))
  }

  @Test func aGuardThatCannotBeComputedIsAFaultOnce() throws {
    let run = try ContinuousRun(
      """
      output deep = when(sqrt(2.0 - time) < 0.5)
      output n = deep |> count
      """)
    run.simulation.advance(to: 10)
    #expect(near(try #require(try run.times("deep").first), 1.75, 1e-12))
    #expect(run.simulation.faults.count == 1)
  }

  @Test func anEndlessRateIsAFaultAndTheRunGoesOn() throws {
    let program = Program(
      Source(
        name: "test.frp",
        text: """
          loop(n) = if n < 0.0 then n else loop(n + 1.0)
          input go: Behavior<Bool> = false
          output x = integral(if go then loop(time) else 1.0)
          output y = integral(1.0)
          """))
    var limits = Limits()
    limits.stepsPerInstant = 100_000
    let simulation = try Simulation(program, limits: limits)
    simulation.start()
    simulation.advance(to: 1)
    try simulation.set("go", to: "true")
    simulation.advance(to: 3)
    #expect(simulation.faults.count == 1)
    #expect(try simulation.value(of: "x") == "1.0")
    #expect(try simulation.value(of: "y") == "3.0")
    try simulation.set("go", to: "false")
    simulation.advance(to: 4)
    #expect(try simulation.value(of: "x") == "2.0")
  }

  @Test func collectionsDuringStepsLoseNothing() throws {
    let run = try ContinuousRun(
      """
      input label: Behavior<String> = "a"
      state = {x: x, y: y, tags: [label, "{x}", "b"]}
      force(s) = {fx: 0.0 - s.x, fy: 0.0 - s.y, all: s.tags ++ s.tags}
      f = force(state)
      x = integralFrom(u, 1.0, never)
      u = integralFrom(f.fx + 0.0 * toFloat(size(f.all)), 0.0, never)
      y = integralFrom(w, 0.0, never)
      w = integralFrom(f.fy, 1.0, never)
      output r = x * x + y * y
      output tags = state.tags |> map(t => size(t))
      output turns = when(y > 0.0) |> count
      """)
    run.simulation.advance(to: 200)
    #expect(near(try run.value("r"), 1))
    #expect(try run.shown("turns").last?.json == "31")
  }
}
