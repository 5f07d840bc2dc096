// Random pulses whose times are known in closed form: a condition that holds for a microsecond to a second, once, at a
// random place in up to an hour. Whoever looks at moments only misses most of them; the engine must find them all.
//
// In: a seed. Out: a program with the two moments at which its condition turns, and what is wrong with the engine's.

import FRPCore
import FRPModel
import FRPRuntime

public struct Pulse: Sendable {
  public let source: String
  /// When the condition becomes true and false again, in seconds.
  public let rise: Double
  public let fall: Double
  /// How far a moment may be off: 1e-9 of it, and with it what the solver's error of 1e-11 makes of the pulse's edge.
  public let tolerance: Double
  /// How long to run.
  public let end: Double

  public init(seed: UInt64) {
    var random = Random(seed: seed &* 0x2545_F491 &+ 11)
    let motion = Motion(&random)
    let distance = motion.rate * motion.width
    source = motion.definitions + Pulse.outputs(motion, distance, &random)
    let ends = [motion.inverse(motion.level - distance), motion.inverse(motion.level + distance)]
    (rise, fall) = (min(ends[0], ends[1]), max(ends[0], ends[1]))
    tolerance = 1e-9 * fall + motion.solverError
    end = motion.end
  }

  /// What the engine says that is not so; nil if nothing. Needs a large stack.
  public func problem() -> String? {
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
  private static func outputs(_ motion: Motion, _ d: Double, _ random: inout Random) -> String {
    let x = "(x - \(motion.level))"
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
      "(if x < \(motion.level) then \(motion.level) - x else x - \(motion.level)) <= \(d)",
      "(if x < \(motion.level) then (if x < \(motion.level - 5 * d) then \(9 * d) else abs(\(x))) else \(x)) <= \(d)",
      "-abs(\(x)) >= -\(d)",
      "near(x, \(motion.level)) < \(d)",
      "abs(x - goal) <= \(d * motion.lead)",
    ]
    let form = motion.isMoving ? forms[forms.count - 1] : forms[random.below(forms.count - 1)]
    return """
      near(a, b) = { gap = a - b; if gap < 0.0 then -gap else gap }
      output rise = when(\(form))
      output fall = when(!(\(form)))
      output touch = when(abs(\(x)) <= 0.0)

      """
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
