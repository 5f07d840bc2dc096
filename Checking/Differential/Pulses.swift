// Random pulses whose times are known in closed form: a condition that holds for a microsecond to a second, once, at a
// random place in up to an hour. Whoever looks at moments only misses most of them; the engine must find them all, also
// where what moves is shown by a scope, a member, or as it was some time ago.
//
// In: a seed. Out: a program with the two moments at which its condition turns, and what is wrong with the engine's.

import FRPCore
import FRPModel
import FRPRuntime

package struct Pulse: Sendable {
  package let source: String
  /// When the condition becomes true and false again, in seconds.
  package let rise: Double
  package let fall: Double
  /// How far a moment may be off: 1e-9 of it, and with it what the solver's error of 1e-11 makes of the pulse's edge.
  package let tolerance: Double
  /// How long to run.
  package let end: Double

  package init(seed: UInt64) {
    var random = Random(seed: seed &* 0x2545_F491 &+ 11)
    let motion = Motion(&random)
    let way = Way(motion, &random)
    let distance = motion.rate * motion.width
    source = motion.definitions + way.definitions + Pulse.outputs(motion, way, distance, &random)
    let ends = [motion.inverse(motion.level - distance), motion.inverse(motion.level + distance)]
    (rise, fall) = (min(ends[0], ends[1]) + way.delay, max(ends[0], ends[1]) + way.delay)
    tolerance = 1e-9 * fall + motion.solverError
    end = motion.end + way.delay
  }

  /// What the engine says that is not so; nil if nothing. Needs a large stack.
  package func problem() -> String? {
    let compiled = Compiled(source)
    guard let core = compiled.core else { return compiled.problems }
    guard let run = Engine.run(core, [], until: end, sample: nil) else { return "no plan" }
    if let fault = run.faults.first { return "fault at \(fault.seconds): \(fault.message)" }
    let found = run.lines.map { "\($0.name) at \($0.seconds)" }.joined(separator: ", ")
    let isRight =
      run.lines.map(\.name) == ["rise", "fall"] && (run.lines[0].seconds - rise).magnitude <= tolerance
      && (run.lines[1].seconds - fall).magnitude <= tolerance
    return isRight ? nil : "rise at \(rise), fall at \(fall), found: \(found)"
  }

  /// The condition in one of many forms, its opposite, and one that only touches.
  private static func outputs(_ motion: Motion, _ way: Way, _ d: Double, _ random: inout Random) -> String {
    let level = way.level ?? "\(motion.level)"
    let x = "(\(way.shown) - \(level))"
    let side = d * Double(1 + random.below(50))
    let radius = (d * d + side * side).squareRoot()
    let slow = 2 / motion.range
    let forms = [
      "abs(\(x)) <= \(d)",
      "max(\(x), -\(x)) <= \(d)",
      "min(\(d) - \(x), \(x) + \(d)) >= 0.0",
      "hypot(\(x), \(side)) <= \(radius)",
      "hypot(\(side), 0.0 - \(x)) <= \(radius)",
      "abs(clamp(\(x), -\(2 * d), \(3 * d))) <= \(d)",
      "max(\(d) - abs(\(x)), 0.0) > 0.0",
      "abs(sin(\(slow) * \(x))) <= \(Elementary.sin(slow * d))",
      "abs(atan(\(x) / \(d))) <= 0.7853981633974483",
      "sqrt(abs(\(x))) <= \(d.squareRoot())",
      "\(x) * \(x) <= \(d * d)",
      "(if \(x) < 0.0 then -\(x) else \(x)) <= \(d)",
      "(if \(x) < 0.0 then (if \(x) < \(-5 * d) then \(9 * d) else abs(\(x))) else \(x)) <= \(d)",
      "-abs(\(x)) >= -\(d)",
      "near(\(way.shown), \(level)) < \(d)",
      "abs(\(way.shown) - goal) <= \(d * motion.lead)",
    ]
    let form = motion.isMoving ? forms[forms.count - 1] : forms[random.below(forms.count - 1)]
    return """
      near(a, b) = { gap = a - b; if gap < 0.0 then -gap else gap }
      output rise = when(\(form))
      output fall = when(!(\(form)))
      output touch = when(abs(\(x)) <= 0.0)

      """
  }

  /// How what moves comes to be compared.
  private struct Way {
    var definitions = ""
    /// An expression that is `x`, or what it was `delay` seconds ago.
    var shown = "x"
    var delay = 0.0
    /// An expression that is the level; nil: the number itself.
    var level: String?

    init(_ motion: Motion, _ random: inout Random) {
      let at = motion.end * Double(1 + random.below(80)) / 100
      let late = motion.end * Double(1 + random.below(40)) / 100
      if random.oneIn(4) {
        definitions = "levels = after(\(at)) |> map(_ => [1.0, \(motion.level)]) |> hold([0.5, \(motion.level)])\n"
        level = "(levels |> last |> withDefault(0.0))"
      }
      if random.oneIn(3) { return }
      let scopes = [
        "after(\(at)) |> switch(x, _ => x)",
        "(after(\(at)) |> switch({at: x, on: false}, _ => {at: x, on: true})).at",
        "(after(\(at)) |> switch({at: x, go: never}, _ => {at: x, go: every(\(late + 0.5))})).at",
        "after(\(at)) |> switch(None, _ => Some(x)) |> withDefault(x)",
        "after(\(at)) |> switch(x, _ => after(\(late)) |> switch(x + 0.0, _ => x))",
        "each([0.0, 1.0, 2.5], n => n, n => x - n) |> maximum |> withDefault(0.0)",
        "each([2, 1, 0], n => n, n => {at: x + toFloat(n), n: n}) |> map(.at) |> last |> withDefault(0.0)",
        "each([1, 2], n => n, n => x) |> average |> withDefault(0.0)",
        "each([3.0, -3.0], n => n, n => x + n) |> fold(0.0, (all, one) => all + one / 2.0)",
        "start |> map(_ => 1) |> groupBy(n => n, (n, e) => x) |> values |> head |> withDefault(x)",
        "start |> map(_ => \"a\") |> groupBy(n => n, (n, e) => x) |> Map.getOr(\"a\", x)",
        "[x - 1.0, x, x - 2.0] |> maximum |> withDefault(0.0)",
        "each([1.0, 2.0], n => n, n => { \(motion.inside); p + 1.0 - n }) |> maximum |> withDefault(0.0)",
        "start |> map(_ => 1) |> groupBy(n => n, (n, e) => { \(motion.inside); p }) |> values |> sum",
      ]
      let past = [
        "Behavior.delay(x, \(late))",
        "Behavior.delay(Behavior.delay(x, \(late / 4)), \(late - late / 4))",
        "Behavior.delay(after(\(at)) |> switch(x, _ => x), \(late))",
        "Behavior.delay(each([0.0, 1.0], n => n, n => x - n) |> maximum |> withDefault(0.0), \(late))",
        "each([0.0, 1.0], n => n, n => Behavior.delay(x, \(late)) - n) |> maximum |> withDefault(0.0)",
        "after(\(at / 50)) |> switch(x, _ => Behavior.delay(x, 0.0))",
      ]
      let isPast = !motion.isMoving && random.oneIn(3)
      let text = random.pick(isPast ? past : scopes)
      definitions += "shown = \(text)\n"
      shown = "shown"
      if isPast, text != past[past.count - 1] { delay = late }
    }
  }

  /// What moves: `x`, strictly, so that the times at which it is somewhere are known.
  private struct Motion {
    var definitions: String
    /// Where the pulse is, and what `x` covers in the whole run.
    var level: Double
    var range: Double
    /// About how fast `x` is there, in size, and how long half of the pulse lasts.
    var rate: Double
    var width: Double
    var end: Double
    var solverError = 0.0
    /// There is a `goal` that moves as well; a distance from it is `lead` times that from `level`.
    var isMoving = false
    var lead = 1.0
    var inverse: @Sendable (Double) -> Double

    /// The definitions in a scope, with `p` for `x`.
    var inside: String {
      let lines = definitions.split(separator: "\n").joined(separator: "; ")
      let names = [("x", "p"), ("v =", "q ="), ("(v)", "(q)"), (" v,", " q,"), (" v)", " q)"), ("goal", "other")]
      return names.reduce(lines) { $0.replacing($1.0, with: $1.1) }
    }

    init(_ random: inout Random) {
      func uniform(_ low: Double, _ high: Double, _ random: inout Random) -> Double {
        low + (high - low) * (Double(random.next() >> 11) * 0x1p-53)
      }
      let c = random.oneIn(3) ? uniform(1, 3600, &random) : uniform(1, 60, &random)
      width = min(Elementary.pow(10, uniform(-6, 0, &random)) / 2, c / 4)
      end = c * 1.2 + 1
      let speed = uniform(0.1, 80, &random)
      switch random.below(6) {
      case 0:
        definitions = "x = time\n"
        (level, range, rate) = (c, end, 1)
        inverse = { $0 }
      case 1:
        definitions = "x = integral(\(speed))\n"
        (level, range, rate) = (speed * c, speed * end, speed)
        inverse = { $0 / speed }
      case 2:
        definitions = "x = integral(v)\nv = integral(\(speed))\n"
        (level, range, rate) = (speed * c * c / 2, speed * end * end / 2, speed * c)
        inverse = { (2 * $0 / speed).squareRoot() }
      case 3:
        // Towards a goal that moves more slowly, both from places that make them meet at c.
        isMoving = true
        let slower = speed * uniform(0.1, 0.9, &random)
        definitions = "x = integral(\(speed))\ngoal = \((speed - slower) * c) + \(slower) * time\n"
        (level, range, rate) = (speed * c, speed * end, speed)
        lead = (speed - slower) / speed
        inverse = { $0 / speed }
      case 4:
        let decay = uniform(0.5, 3, &random) / c
        definitions = "x = integralFrom(-\(decay) * x, 1.0, never)\n"
        level = Elementary.exp(-decay * c)
        (range, rate, solverError) = (1, decay * level, 1e-10 / decay)
        inverse = { -Elementary.log($0) / decay }
      default:
        // A quarter of a swing.
        let turn = uniform(0.3, 1.1, &random) / c
        definitions = "x = integral(\(turn) * v)\nv = integralFrom(-\(turn) * x, 1.0, never)\n"
        level = Elementary.sin(turn * c)
        end = c + 0.2 / turn
        (range, rate, solverError) = (1, turn * Elementary.cos(turn * c), 1e-10 / turn)
        inverse = { Elementary.asin($0) / turn }
      }
    }
  }
}
