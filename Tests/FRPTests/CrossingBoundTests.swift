// What can be bounded between the solver's steps, so that no crossing is missed, and what cannot and is named (W0406).

import FRP
import FRPBase
import Testing

struct CrossingBoundTests {
  private static let common = """
    input samples: Event<List<Float>>
    input mode: Behavior<String> = "a"
    table = samples |> hold([1.0, 5.0, 2.0])
    x = integral(1.0)
    v = integralFrom(-0.5 * v, 1.0, never)
    gap(a, b) = { d = a - b; if d < 0.0 then -d else d }
    twice(f, a) = f(f(a))
    rest(t) = if t < 1.0 then t else rest(t - 1.0)

    """

  /// The codes of what is said about a comparison, with the place where it cannot be bounded.
  private func warnings(_ definitions: String) throws -> [DiagnosticCode] {
    let program = Program(Source(name: "test.frp", text: Self.common + definitions + "\n"))
    try #require(!program.hasErrors, "\(program.diagnostics)")
    return program.diagnostics.filter { $0.code != .unusedDefinition }.map(\.code)
  }

  @Test(arguments: [
    "output a = when(gap(x, v) < 0.1)",
    "output a = when({at: x, n: 1}.at > 2.0)",
    "output a = when((after(1.0) |> switch(x, _ => integral(v))) > 2.0)",
    "output a = when((samples |> switch({at: x, go: never}, _ => {at: v, go: every(1.0)})).at > 2.0)",
    "output a = when((each([1.0, 2.0], n => n, n => integral(n * v)) |> maximum |> withDefault(0.0)) > 2.0)",
    "output a = when((each(table, n => n, n => {at: n * x, n: n}) |> map(.at) |> sum) > 9.0)",
    "output a = when((samples |> groupBy(size, (n, e) => x - toFloat(n)) |> values |> sum) > 1.0)",
    "output a = when(Behavior.delay(x, 0.5) > v)",
    "output a = when(Behavior.delay(after(1.0) |> switch(x, _ => v), 0.5) > 2.0)",
    "output a = when(x * sum(table) > 20.0)",
    "output a = when(gap(x, sum(table)) < 0.1)",
    "output a = when((match samples |> map(s => Some(s)) |> hold(None) { Some(s) => x * 2.0; None => x }) > 2.0)",
    "output a = when((if mode == \"a\" then x + sum(table) else x) > 20.0)",
    "output a = when(x > (table |> filter(n => n > 1.5) |> head |> withDefault(0.0)))",
    "output a = when((table |> map(n => n * x) |> minimum |> withDefault(0.0)) > 2.0)",
    "output a = when((if mode == \"a\" then x else v) > 2.0)",
    "output a = when(twice(n => n * x, 2.0) > 9.0)",
    "output a = when(rest(sum(table)) * x > 9.0)",
    "output a = when(((if v > 0.5 then Some(x) else None) |> withDefault(0.0)) > 9.0)",
    // Slides: when the one is left is bounded, and the others go straight.
    "y = integral(2.0 * sin(x) - (if y > 0.0 then 1.0 else -1.0))\noutput a = y > 1.0",
    "y = integral(sin(x) - (if abs(y - v) > 0.5 then 1.0 else -1.0))\noutput a = y > 1.0",
    "y = integral(sin(x) - (if y > 0.0 then 3.0 else if y < 0.0 then -3.0 else 0.0))\noutput a = y > 1.0",
    "y = integral(if y * y + v > exp(x) then -1.0 else 1.0)\noutput a = y > 1.0",
    "y = integral(if y > 0.5 then -1.0 else if y < 0.4 then 1.0 else -0.5)\noutput a = y > 1.0",
  ])
  func isBounded(_ output: String) throws {
    #expect(try warnings(output) == [])
  }

  @Test(arguments: [
    "output a = when(rest(x) > 0.5)",
    "output a = when(toFloat(size(\"{x}\")) > 3.5)",
    "output a = when((each([1.0], n => n, n => rest(x)) |> sum) > 0.5)",
    "output a = when((after(1.0) |> switch(x, _ => toFloat(size(\"{v}\")))) > 2.5)",
    "output a = when(Behavior.delay(rest(x), 0.5) > 0.5)",
    "output a = when(([x, v] |> sortBy(n => -n) |> head |> withDefault(0.0)) > 2.0)",
    "output a = when((each([x], n => 1, m => m) |> sum) > 2.0)",
    "output a = when((table |> map(n => rest(n * x)) |> sum) > 2.0)",
    // A part that a pattern takes out of a step without a name.
    "output a = match table |> List.find(n => n > 1.5) { Some(n) => abs(x - n) < 0.001; None => false }",
    // It slides along 0.5, and then its derivative is a mean.
    "y = integral(if y < 0.5 then 1.0 + v else -1.0)\noutput a = when(derivative(y) > 0.7)",
    "output a = floor(rest(x))",
    // When a slide is left: its slope has no rule, its rate cannot be bounded, or it may slide together with another.
    "y = integral(sin(x) - (if pow(y, 2.0) + v > 0.5 then 1.0 else -1.0))\noutput a = y > 1.0",
    "y = integral(rest(x) - (if y > 0.0 then 1.0 else -1.0))\noutput a = y > 1.0",
    "y = integral(sin(x) - (if y > 0.0 then 1.0 else if x < z then 0.5 else -1.0))\n"
      + "z = integral(if x < z then 1.0 else 2.0)\noutput a = y > 1.0",
  ])
  func isNamed(_ output: String) throws {
    #expect(try warnings(output) == [.sampledComparison])
  }

  /// An expression of more parts, or deeper, than are looked at.
  @Test func whatIsTooLargeIsNamed() throws {
    let deep = (1...200).reduce("x") { "sin(\($0) + \($1).5)" }
    #expect(try warnings("output a = when(\(deep) > 0.5)") == [.sampledComparison])
    func sum(_ names: ArraySlice<String>) -> String {
      if names.count == 1 { return names.first ?? "" }
      let middle = (names.startIndex + names.endIndex) / 2
      return "(\(sum(names[..<middle])) + \(sum(names[middle...])))"
    }
    let parts = (1...900).map { "abs(x - \($0).5)" }
    #expect(try warnings("output a = when(\(sum(parts[...])) > 0.5)") == [.sampledComparison])
    #expect(try warnings("output a = when(\(sum(parts[..<90])) > 0.5)") == [])
  }

  /// Guards of one group that can be bounded, and others that cannot.
  @Test func someGuardsOfAGroupAreBounded() throws {
    var text = "x = integral(1.0)\nrest(t) = if t < 1.0 then t else rest(t - 1.0)\n"
    for n in 1...7 {
      text += "output a\(n) = when(abs(x - \(n).5) <= 0.0001) |> map(_ => time)\n"
      text += "output b\(n) = when(rest(x) >= 0.\(n)) |> map(_ => time)\n"
    }
    let simulation = try Simulation(Program(Source(name: "test.frp", text: text)))
    for n in 1...7 {
      try simulation.record("a\(n)")
      try simulation.record("b\(n)")
    }
    simulation.start()
    simulation.advance(to: 8.95)
    for n in 1...7 {
      let bounded = try simulation.occurrences(of: "a\(n)").map(\.time)
      #expect(bounded.count == 1 && near(bounded[0], Double(n) + 0.4999), "\(bounded)")
      let looked = try simulation.occurrences(of: "b\(n)").map(\.time)
      #expect(looked.count == 9 && zip(looked, 0...).allSatisfy { near($0, Double($1) + Double(n) / 10) }, "\(looked)")
    }
  }

  /// What a reset reads counts, however short it is.
  @Test func aResetSeesWhatIsShorterThanANanosecond() throws {
    let run = try ContinuousRun(
      """
      hit = when(abs(x - 1.0) <= 0.5)
      x = integralFrom(1.0e10, 0.0, hit |> map(_ => 100.0))
      hits = hit |> count
      output x
      output hits
      """)
    run.simulation.advance(to: 0.01)
    #expect(try run.simulation.value(of: "hits") == "1")
    #expect(near(try run.value("x"), 100 + 1e10 * (0.01 - 0.5e-10)))
  }

  /// Friction holds v but for pushes of a tenth of a millisecond, which are over before anybody looks.
  @Test(arguments: [3.3217, 7.771, 18.0123]) func aSlideThatIsLeftShortly(moment: Double) throws {
    let run = try ContinuousRun(
      """
      away = time - \(moment)
      v = integral(0.5 + 2.0 * exp(0.0 - away * away / 1.0e-8) - (if v > 0.0 then 1.0 else -1.0))
      moves = v > 0.0
      output left = when(moves) |> map(_ => time)
      output back = when(!moves) |> map(_ => time)
      """)
    run.simulation.advance(to: 20)
    let (left, back) = (try run.times("left"), try run.times("back"))
    // The push is 1 where it is left; it is held again where what was won is spent.
    #expect(left.count == 1 && near(left[0], moment - 0.000117741002251547), "\(left)")
    #expect(back.count == 1 && near(back[0], moment + 0.000557248075315), "\(back)")
  }

  /// Long sums are not given up.
  @Test func aSumOfManyTermsIsBounded() throws {
    let sum = (1...120).map { "abs(x - \($0).0)" }.joined(separator: " + ")
    let run = try ContinuousRun("x = integral(1.0)\noutput low = when(\(sum) <= 3600.01) |> map(_ => time)\n")
    run.simulation.advance(to: 121)
    #expect(try run.times("low").count == 1)
  }

  /// A pulse of one of many members, in the maximum of all of them.
  @Test func aPulseOfOneOfManyMembers() throws {
    let run = try ContinuousRun(
      """
      places = each(1..300, n => n, n => { v = integral(1.0); -abs(v - toFloat(n) / 10.0) })
      first = places |> maximum |> withDefault(0.0)
      output near = when(first >= -0.000001) |> map(_ => time)
      """)
    run.simulation.advance(to: 1)
    let times = try run.times("near")
    #expect(times.count == 10 && zip(times, 1...).allSatisfy { near($0, Double($1) / 10 - 1e-6) }, "\(times)")
  }
}
