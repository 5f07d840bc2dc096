// A local of a block is computed once, whoever mentions it: lambdas given to built-ins, lambdas in lambdas, local functions
// that call themselves. The limit on steps lets it be computed twice, but not for each of a hundred elements.

import FRP
import Testing

@Suite struct SharedWorkTests {
  static let uses = [
    "Map.map(m, (k, v) => v + big) |> Map.size",
    "Map.mapValues(m, v => v + big) |> Map.size",
    "Map.filter(m, (k, v) => v > big) |> Map.size",
    "Map.fold(m, 0, (s, k, v) => s + v + big)",
    "list |> map(v => v + big) |> sum",
    "list |> fold(0, (s, v) => s + v + big)",
    "list |> filter(v => v < big) |> size",
    "list |> sortBy(v => v - big) |> size",
    "list |> groupBy(v => v % (big + 1)) |> Map.size",
    "list |> map(v => (w => w + big)(v)) |> sum",
    "list |> map(v => if v > 50 then v + big else v) |> sum",
    "list |> flatMap(v => [v, big]) |> size",
    "count(100)",
  ]

  @Test(arguments: uses)
  func localsOfBlocksAreComputedOnce(use: String) throws {
    let text = """
      work(n) = {
        big = 1..n |> filter(k => k % 3 == 0) |> size
        list = 1..100
        m = Map.fromList(list |> map(k => (k, k)))
        count(k) = if k == 0 then 0 else count(k - 1) + big
        \(use)
      }
      input go: Event<Int>
      output result = go |> map(work)
      """
    let program = Program(Source(name: "a.frp", text: text))
    #expect(program.diagnostics.filter { $0.severity == .error } == [])
    var limits = Limits()
    limits.stepsPerInstant = 1_000_000
    let simulation = try Simulation(program, limits: limits)
    simulation.start()
    try simulation.send([("go", "100000")])
    #expect(simulation.faults.isEmpty)
  }
}
