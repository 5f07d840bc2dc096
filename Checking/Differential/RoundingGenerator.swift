// Random programs whose outputs hold no Float that moves, but what is rounded of such: they are shown at the moments at
// which they change, which engine and model find in their own ways.

extension Generator {
  /// A program that rounds what moves, and its trace.
  package static func rounding(seed: UInt64) -> GeneratedProgram {
    var generator = RoundingGenerator(random: Random(seed: seed &* 0x9E37_79B9 &+ 11))
    return generator.make(seed)
  }
}

private struct RoundingGenerator {
  var random: Random

  private mutating func pick(_ choices: String...) -> String { random.pick(choices) }

  /// A number with two decimals, and a little more, so that limits seldom meet.
  private mutating func number(_ low: Int, _ high: Int) -> String {
    let hundredths = low + random.below(high - low)
    return hundredths < 0 ? "(\(Double(hundredths) / 100 - 0.0013))" : "\(Double(hundredths) / 100 + 0.0013)"
  }

  mutating func make(_ seed: UInt64) -> GeneratedProgram {
    var definitions: [GeneratedProgram.Definition] = []
    func define(_ name: String, _ text: String) {
      definitions.append(
        .init(binder: name, annotation: "", body: Term(.fixed, text), names: [(name, .behavior(.float))]))
    }
    define("tick", "every(\(pick("370ms", "1s", "650ms")))")
    define("x", motion())
    define(
      "v",
      "integralFrom(\(pick("-1.3 * x", "0.7 - v", "-2.1", "1.1")), \(number(-150, 150)), hit |> map(_ => -0.8 * v))")
    define("hit", "when(x \(pick("<=", ">")) \(number(-50, 50)))")
    define("y", pick("x", "x + level", "2.0 * x", "x * x", "abs(x)", "delay(x, 210ms)", "x - toFloat(floor(x))"))
    define("whole", rounded("y"))
    define("shown", shown())
    define("seen", pick("tick |> map(_ => whole)", "sample(whole, every(330ms))", "hit |> map(_ => (whole, x > 0.0))"))
    if random.oneIn(2) { random.shuffle(&definitions) }
    return GeneratedProgram(
      seed: seed,
      header: [
        "input push: Event<Float>", "input level: Behavior<Float> = \(number(-90, 90))",
        "digits(v, n) = if n <= 0 then [] else [floor(v)] ++ digits(v * 1.7, n - 1)",
        "scales = push |> fold([0.6], (all, p) => all ++ [p])",
      ],
      definitions: definitions, outputs: ["shown", "seen"], trace: trace())
  }

  private mutating func motion() -> String {
    let start = number(-150, 150)
    return pick(
      "integralFrom(v, \(start), push)", "integralFrom(v, \(start), never)", "1.4 * sin(\(number(60, 190)) * time)",
      "integralFrom(\(number(40, 190)), \(start), when(x > 1.6) |> map(_ => -0.9))",
      "integralFrom((if hold(hit |> map(_ => true), false) then -1.2 else 1.1), \(start), push)", "v + 0.6 * time",
      "integralFrom(0.9 - x, \(start), push)", "\(number(40, 190)) * time - 1.2")
  }

  private mutating func rounded(_ x: String) -> String {
    "\(pick("floor", "ceil", "round", "truncate"))(\(pick(x, x, "1.7 * \(x)", "\(x) + 0.31")))"
  }

  private mutating func shown() -> String {
    switch random.below(14) {
    case 0: "whole"
    case 8: "digits(y, 3)"
    case 9: "scales |> map(s => \(rounded("s * y")))"
    case 10: "scales |> filter(s => \(rounded("s + y")) > 0) |> size"
    case 11: "[0.7, 1.9] |> fold(0, (sum, s) => sum + \(rounded("s * y")))"
    case 12: "\"{sign(y)} {sign(v - 0.31)}\""
    case 13: "scales |> any(s => \(rounded("s * y")) == 1 || y > s)"
    case 1: "\"{whole} of {\(rounded("v"))}\""
    case 2: "(whole, x > \(number(-90, 90)), 0.5)"
    case 3: "if whole > 0 then \"above\" else \"{x <= \(number(-90, 90))}\""
    case 4: "if x > \(number(-90, 90)) then Some(whole) else None"
    case 5: "[1.0, 2.0] |> each(m => m, m => \(rounded("0.13 + integral(m * x)")))"
    case 6: "tick |> switch(whole, _ => \(rounded("y + integral(0.8)")))"
    default: "push |> groupBy(p => p > 0.0, (_, ps) => \(rounded("integralFrom(x, 0.3, ps)")))"
    }
  }

  private mutating func trace() -> [(milliseconds: Int, values: [String])] {
    var lines: [(milliseconds: Int, values: [String])] = []
    var at = 0
    for _ in 0..<random.below(4) {
      at += 100 + random.below(900)
      lines.append((at, ["\"\(pick("push", "level"))\": \(Double(random.below(300) - 150) / 100 + 0.0017)"]))
    }
    lines.append((3_000, []))
    return lines
  }
}
