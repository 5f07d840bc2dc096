// Random hybrid programs: linear and other systems of integrals with limits, resets, modes, timers and scopes.

extension Generator {
  /// A program of continuous time and its trace.
  package static func hybrid(seed: UInt64) -> GeneratedProgram {
    var generator = HybridGenerator(random: Random(seed: seed))
    return generator.make(seed)
  }

  /// The same with scopes in scopes, groups, members, delays, and crossings inside of them.
  package static func wideHybrid(seed: UInt64) -> GeneratedProgram {
    var generator = HybridGenerator(random: Random(seed: ~seed))
    generator.isWide = true
    return generator.make(seed)
  }
}

private struct HybridGenerator {
  var random: Random
  var isWide = false

  /// A number with two decimals between -size and size.
  private mutating func float(_ size: Int) -> String {
    let hundredths = random.below(size * 200 + 1) - size * 100
    return hundredths < 0 ? "(\(Double(hundredths) / 100))" : "\(Double(hundredths) / 100)"
  }

  private mutating func pick(_ choices: String...) -> String { random.pick(choices) }

  mutating func make(_ seed: UInt64) -> GeneratedProgram {
    var definitions: [GeneratedProgram.Definition] = []
    func define(_ name: String, _ text: String) {
      definitions.append(
        .init(binder: name, annotation: "", body: Term(.fixed, text), names: [(name, .behavior(.float))]))
    }
    for (name, size) in [("a", 1), ("b", 4), ("c", 2), ("k", 1)] { define(name, float(size)) }
    define("tick", "every(\(pick("370ms", "1s", "650ms")))")
    define(
      "x",
      "integralFrom(\(rateX()), \(float(2)), \(pick("never", "push", "high |> map(_ => k)", "low |> map(_ => 0.5 * x)")))"
    )
    define(
      "v",
      "integralFrom(\(rateV()), \(float(2)), \(pick("never", "push", "high |> map(_ => -0.7 * v)", "tick |> map(_ => c)")))"
    )
    define("y", scope())
    define(
      "high",
      "when(\(pick("x > level", "x * v >= 0.3", "x + 0.5 * v > level", "y > x && v < 2.0", "sin(3.0 * time) > x")))")
    define("low", "when(\(pick("v <= k", "x < k", "x - v < level", "y + x <= k", "time >= 1.0 + y * y")))")
    define("mode", "merge(high |> map(_ => true), low |> map(_ => false)) |> hold(false)")
    define("up", isWide ? occurring("high", "x") : "high |> map(_ => x)")
    define("down", isWide ? occurring("low", "x + v") : "low |> map(_ => x + v)")
    define("ticks", "tick |> map(_ => y)")
    define("n", "merge(high, low) |> count")
    define("state", "x + 2.0 * v")
    define("extra", pick("delay(x, 250ms)", "y", "derivative(x)", "x > v", "integral(v * x)"))
    // A rate that depends on itself is a circle.
    if definitions.contains(where: { $0.binder == "x" && $0.text.contains("c * y") }) {
      for index in definitions.indices where definitions[index].text.contains("derivative(x) * 0.1") {
        let text = definitions[index].body.text.replacing("derivative(x)", with: "derivative(v)")
        definitions[index].body = Term(.fixed, text)
      }
    }
    if random.oneIn(2) { random.shuffle(&definitions) }
    return GeneratedProgram(
      seed: seed, header: ["input push: Event<Float>", "input level: Behavior<Float> = \(float(1))"],
      definitions: definitions, outputs: ["up", "down", "mode", "ticks", "n", "state", "extra"], trace: trace())
  }

  private mutating func rateX() -> String {
    pick("v", "a * x + v", "sin(time) - x", "(if mode then 1.5 else -1.0) - 0.3 * x", "c * y - x", "c")
  }

  private mutating func rateV() -> String {
    pick("b * x", "b * x - 0.2 * v", "c - v", "(if x > level then -2.0 else 1.0) + b", "0.0 - x * abs(x)")
  }

  private mutating func occurring(_ event: String, _ value: String) -> String {
    pick(
      "\(event) |> map(_ => \(value))", "\(event) |> delay(150ms) |> map(_ => \(value))",
      "\(event) |> flatMapLatest(_ => when(integral(1.0 + x * x) > 0.4) |> map(_ => \(value)))",
      "\(event) |> flatMap(_ => after(230ms) |> map(_ => \(value)))",
      "\(event) |> debounce(90ms) |> map(_ => \(value))",
      "\(event) |> map(_ => \(value)) |> throttle(300ms)", "sample(\(value), merge(\(event), tick))",
      "\(event) |> keyed(_ => mode, (m, es) => when(integral(1.0) > 0.7) |> map(_ => if m then \(value) else 0.0))")
  }

  private mutating func scope() -> String {
    if isWide, random.oneIn(2) {
      return pick(
        "switch(low, x, _ => switch(high, v, _ => integral(v) + x))",
        "switch(tick, 0.0, _ => delay(x, 170ms) + integral(1.0))",
        "(push |> groupBy(p => p > 0.0, (_, ps) => integralFrom(x, 0.0, ps)) |> Map.values |> sum)",
        "sum(each([0.5, 2.0], m => m, m => integral(m * x)))",
        "sum(each(if mode then [1.0] else [1.0, 2.0], m => m, m => integralFrom(m - x, 0.5, tick |> map(_ => m))))",
        "switch(tick, 0.0, _ => { r = {b: integral(x), e: when(x > 0.2)}; integralFrom(1.0, 0.0, r.e |> map(_ => r.b)) })",
        "(if mode then integral(x) else delay(v, 200ms))", "switch(low |> delay(100ms), 0.5, _ => derivative(x) * 0.1)")
    }
    return pick(
      "switch(low, 0.0, _ => integral(x))", "switch(push, v, p => integralFrom(p - x, p + 0.1, never))",
      "switch(high, 1.0, _ => x * x)", "integralFrom(v * v, 0.0, tick |> map(_ => 0.0))")
  }

  private mutating func trace() -> [(milliseconds: Int, values: [String])] {
    var lines: [(milliseconds: Int, values: [String])] = []
    var at = 0
    for _ in 0..<random.below(4) {
      at += 100 + random.below(1500)
      lines.append((at, ["\"\(pick("push", "level"))\": \(Double(random.below(400) - 200) / 100)"]))
    }
    lines.append((5_000, []))
    return lines
  }
}
