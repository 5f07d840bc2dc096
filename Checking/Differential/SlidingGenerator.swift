// Random programs that slide: rates that depend on comparisons of what they integrate, with limits that stand, move, jump
// and are left again, several at once, in scopes and members.

extension Generator {
  /// A program whose solutions reach limits and stay there, and its trace.
  package static func sliding(seed: UInt64) -> GeneratedProgram {
    var generator = SlidingGenerator(random: Random(seed: seed &* 0x9E37_79B9 &+ 5))
    return generator.make(seed)
  }
}

private struct SlidingGenerator {
  var random: Random

  private mutating func pick(_ choices: String...) -> String { random.pick(choices) }

  /// A number with two decimals from `low` to `high` hundredths; none that others are a simple multiple of, so that
  /// limits seldom meet.
  private mutating func number(_ low: Int, _ high: Int) -> String {
    let hundredths = low + random.below(high - low)
    let text = "\(Double(hundredths) / 100 + 0.0013)"
    return hundredths < 0 ? "(\(text))" : text
  }

  private mutating func compares(_ a: String, _ b: String) -> String {
    let prim = pick("<", "<=", ">", ">=")
    return pick("\(a) \(prim) \(b)", "\(b) \(prim) \(a)", "\(a) - \(b) \(prim) 0.0", "!(\(a) \(prim) \(b))")
  }

  /// A rate that drives `x` to `limit` from both sides, or from one.
  private mutating func towards(_ x: String, _ limit: String) -> String {
    let (up, down) = (number(40, 220), number(40, 220))
    let along = random.oneIn(6) ? "0.0" : "-\(down)"
    switch random.below(4) {
    case 0: return "(if \(x) < \(limit) then \(up) else \(along))"
    case 1: return "(if \(limit) <= \(x) then \(along) else \(up))"
    case 2: return "(if \(x) > \(limit) then \(along) else if \(x) < \(limit) then \(up) else 0.1)"
    default: return "(if !(\(x) - \(limit) > 0.0) then \(up) else \(along))"
    }
  }

  private mutating func disturbance() -> String {
    pick("", "", " + 0.3", " - 0.3", " + 0.9 * sin(2.0 * time)", " + level", " - 0.2 * x", " + 0.4 * time")
  }

  /// A limit that jumps while it is slid along. (The model does not tell what stays on a limit at a kink from what leaves it:
  /// these are in the corpus, with closed forms.)
  private mutating func bent() -> String {
    pick(
      "if later then \(number(-80, 80)) else \(number(-80, 80))", "if later then 0.3 * time else \(number(-80, 80))",
      "0.3 * toFloat(floor(time / \(number(20, 150)))) + \(number(-80, 80))",
      "Math.mod(\(number(20, 60)) * time, \(number(40, 160))) + \(number(-80, 20))")
  }

  private mutating func later() -> String { "\(pick("time", "integral(0.8)", "time - level")) > \(number(50, 350))" }

  mutating func make(_ seed: UInt64) -> GeneratedProgram {
    var definitions: [GeneratedProgram.Definition] = []
    func define(_ name: String, _ text: String) {
      definitions.append(
        .init(binder: name, annotation: "", body: Term(.fixed, text), names: [(name, .behavior(.float))]))
    }
    let smooth = pick(
      number(-80, 80), "level", "0.3 * time", "0.5 * sin(time)", "tick |> fold(0.21, (g, _) => 0.4 - g)")
    var bends = SlidingGenerator(random: Random(seed: ~seed))
    if seed % 4 == 3 { define("later", bends.later()) }
    define("goal", seed % 4 == 3 ? bends.bent() : smooth)
    define("tick", "every(\(pick("1370ms", "910ms", "2110ms")))")
    define("x", "integralFrom(\(towards("x", "goal"))\(disturbance()), \(number(-150, 150)), \(pick("never", "push")))")
    define("v", "integralFrom(\(rateV()), \(number(-150, 150)), never)")
    define("y", scope())
    define("high", "when(\(compares("x", pick("goal", "0.0", "v"))))")
    define("low", "when(\(compares("v", pick(number(-80, 80), "x"))))")
    define("mode", "merge(high |> map(_ => true), low |> map(_ => false)) |> hold(false)")
    define("state", "x + 2.0 * v")
    define("slope", "derivative(\(pick("x", "v", "x + v", "x * x")))")
    define("sides", compares("x", "goal"))
    define("seen", "sample((\(compares("x", "goal")), x), every(770ms))")
    define("extra", pick("delay(x, 250ms)", "integral(if x > goal then 1.0 else -1.0)", "integral(x)", "y * v"))
    if random.oneIn(2) { random.shuffle(&definitions) }
    return GeneratedProgram(
      seed: seed, header: ["input push: Event<Float>", "input level: Behavior<Float> = \(number(-60, 60))"],
      definitions: definitions, outputs: ["high", "low", "mode", "y", "state", "slope", "sides", "seen", "extra"],
      trace: trace())
  }

  private mutating func rateV() -> String {
    let limit = pick(number(-80, 80), "x", "level", "0.2 * time")
    return pick(
      towards("v", limit), towards("v", limit) + disturbance(), "x - v", "if x > goal then 0.5 else -0.4",
      towards("v", limit) + " + (if x > goal then 0.2 else -0.2)", "(if mode then 0.5 else -0.5) - v")
  }

  private mutating func scope() -> String {
    pick(
      "switch(tick, 0.0, _ => { z = integral(\(towards("z", number(10, 60)))); z })",
      "sum(each([0.51, 0.87], m => m, m => { z = integral(\(towards("z", "m"))); z }))",
      "(push |> groupBy(p => p > 0.0, (_, ps) => { z = integralFrom(\(towards("z", "0.2")), 0.0, ps); z }) |> Map.values |> sum)",
      "integral(if x > goal then 1.0 else -1.0)", "integral(abs(x - goal))")
  }

  private mutating func trace() -> [(milliseconds: Int, values: [String])] {
    var lines: [(milliseconds: Int, values: [String])] = []
    var at = 0
    for _ in 0..<random.below(4) {
      at += 100 + random.below(1500)
      lines.append((at, ["\"\(pick("push", "level"))\": \(Double(random.below(300) - 150) / 100 + 0.0017)"]))
    }
    lines.append((5_000, []))
    return lines
  }
}
