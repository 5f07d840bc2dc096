// Whoever only reads what moves makes no difference to it, to the last bit.

import FRP
import Testing

struct LookingTests {
  /// What is followed, and the names of what is compared.
  struct System {
    var name: String
    var text: String
    var shown: [String]
  }

  static let systems = [
    System(
      name: "the system of Lorenz",
      text: """
        x = integralFrom(10.0 * (y - x), 1.0, never)
        y = integralFrom(x * (28.0 - z) - y, 1.0, never)
        z = integralFrom(x * y - 8.0 / 3.0 * z, 1.0, never)
        turned = when(z > 25.0) |> map(_ => time)
        """, shown: ["x", "turned"]),
    System(
      name: "a swing that is pushed as it passes",
      text: """
        pushes = when(x > 0.0)
        v = integralFrom(-sin(x), 0.5, pushes |> map(_ => v * 1.01))
        x = integral(v)
        turned = when(v < 0.1) |> map(_ => (time, x))
        """, shown: ["x", "v", "turned"]),
    System(
      name: "polynomials",
      text: """
        bounces = when(x < 0.0)
        v = integralFrom(-9.81, 0.0, bounces |> map(_ => -0.9 * v))
        x = 1.0 + integral(v)
        turned = when(v < 0.0) |> map(_ => (time, x))
        """, shown: ["x", "turned"]),
    System(
      name: "members that come and go, and their sum",
      text: """
        many = every(0.3) |> map(_ => round(3.0 * time)) |> map(n => n % 5) |> hold(0)
        parts = each(List.map(1..many, n => toFloat(n)), n => n, n => { p = 1.0 + integral(0.3 * n - p * p); p })
        x = integral(sum(parts) - x)
        turned = when(x > 1.0) |> map(_ => time)
        """, shown: ["x", "turned"]),
    System(
      name: "friction",
      text: """
        x = integral(v)
        v = integralFrom(sin(time) - (if v > 0.0 then 0.4 else if v < 0.0 then -0.4 else 0.0), 0.1, never)
        turned = when(v > 0.3) |> map(_ => time)
        """, shown: ["x", "v", "turned"]),
  ]

  static let readers = """
    w0 = integral(exp(-x * x))
    w1 = integral(cos(40.0 * x))
    w2 = integral(abs(x))
    w3 = integral(x * w2)
    w4 = integralFrom(1.0 - w4 * x * x, 0.0, when(x + w1 > 1.5) |> map(_ => 0.1))
    w5 = integral(delay(x, 0.5) - w5)
    w6 = when(sin(x + time) > 0.5) |> map(_ => w3)
    w7 = every(0.7) |> flatMapLatest(k => when(integral(x * x) > 0.2))
    w8 = sqrt(x * x + 1.0) + derivative(x)
    w9 = when(w8 > 2.0 + w0) |> map(_ => time)
    """

  func shown(_ system: System, readers: Bool) throws -> [[Occurrence]] {
    var text = system.text + "\n" + (readers ? LookingTests.readers + "\n" : "")
    for name in system.shown { text += "output \(name)\noutput \(name)Seen = sample(\(name), every(0.25))\n" }
    if readers { for place in 0..<10 { text += "output w\(place)\n" } }
    text = text.replacing("output turnedSeen = sample(turned, every(0.25))\n", with: "")
    let run = try ContinuousRun(text)
    run.simulation.advance(to: 6)
    return try system.shown.map { try run.shown($0 == "turned" ? $0 : $0 + "Seen") }
  }

  @Test(arguments: systems) func movesNothing(_ system: System) throws {
    let alone = try shown(system, readers: false)
    #expect(alone.allSatisfy { !$0.isEmpty })
    #expect(try shown(system, readers: true) == alone)
  }

  /// What reads an integral that stands still goes on from there, also where it takes no steps of its own.
  @Test func whatIsReadStandsStill() throws {
    let run = try ContinuousRun(
      """
      x = integral(1.0 / (1.0 - 0.5 * time))
      far = integral(2e307 * time)
      y = integral(sin(x) * 0.0 + 1.0)
      z = integral(if far > 1e300 then 1.0 else 1.0)
      late = integral(far * 1e-308)
      passed = when(y > 2.5) |> map(_ => time)
      beyond = when(x + y > 1000.0)
      output y
      output z
      output late
      output passed
      output beyond
      """)
    run.simulation.advance(to: 12)
    #expect(near(try run.value("y"), 12))
    #expect(near(try run.value("z"), 12))
    // far is 1e307 t² until it leaves the Floats.
    let left = (Double.greatestFiniteMagnitude / 1e307).squareRoot()
    #expect(near(try run.value("late"), 0.1 * left * left * left / 3 + (12 - left) * 0.1 * left * left))
    #expect(near(try run.times("passed")[0], 2.5))
    #expect(run.simulation.faults.count == 2)
  }
}
