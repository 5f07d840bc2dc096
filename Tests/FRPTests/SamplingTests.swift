import FRP
import FRPGraph
import FRPRuntime
import Testing

/// Samples taken together are those taken one by one, to the last bit.
struct SamplingTests {
  private func simulation(_ text: String) throws -> Simulation {
    let program = Program(Source(name: "t", text: text))
    try #require(program.diagnostics.filter { $0.severity == .error }.isEmpty)
    let simulation = try Simulation(program)
    simulation.start()
    return simulation
  }

  private func together(_ text: String, every seconds: Double, _ count: Int) throws -> ([Double], now: Double) {
    let simulation = try simulation(text)
    let values = try simulation.samples(of: "y", every: seconds, count: count)
    return (values, simulation.now)
  }

  private func oneByOne(_ text: String, every seconds: Double, _ count: Int) throws -> ([Double], now: Double) {
    let simulation = try simulation(text)
    var values: [Double] = []
    for index in 1...count {
      simulation.reactor.advance(to: Int64(index) * Clock.nanoseconds(seconds))
      guard case .success(let word) = simulation.reactor.value(of: 0) else { break }
      values.append(word.float)
    }
    return (values, simulation.now)
  }

  @Test(arguments: [
    "output y = time\n",
    "output y = 2.5\n",
    "c = cos(3.0 * time)\noutput y = sin(time) * exp(-time / 10.0) + c * c\n",
    "output y = sqrt(time) - log(time + 1.0) / 3.0 + min(time, 1.0) * max(2.0 - time, 0.25) + abs(1.0 - time)\n",
    "input gain: Behavior<Float> = 2.0\noutput y = gain * time + 1.0 / (gain - time * 0.001)\n",
    // A value that is not there: at 0.5 s.
    "output y = 1.0 / (time - 0.5)\n",
    "output y = sqrt(0.25 - time)\n",
    // Something happens in between.
    "n = every(70ms) |> count\noutput y = time * toFloat(n)\n",
    "input gain: Behavior<Float> = 2.0\nn = every(70ms) |> map(_ => time) |> hold(0.0)\noutput y = gain * time - n\n",
    // Not of the clock alone.
    "output y = integral(sin(time))\n",
    "output y = if time < 0.3 then time else 1.0 - time\n",
    "x = integral(1.0)\nn = when(x > 0.41) |> count\noutput y = x + toFloat(n)\n",
  ])
  func blocksAreRight(_ text: String) throws {
    for (seconds, count) in [(0.005, 200), (0.01, 64), (0.001, 700), (0.1, 3)] {
      let blocks = try together(text, every: seconds, count)
      let single = try oneByOne(text, every: seconds, count)
      #expect(blocks.0.map(\.bitPattern) == single.0.map(\.bitPattern))
      #expect(blocks.now == single.now)
    }
  }

  @Test func inputsCountBetweenBlocks() throws {
    let simulation = try simulation("input gain: Behavior<Float> = 2.0\noutput y = gain * time\n")
    #expect(try simulation.samples(of: "y", every: 0.25, count: 2) == [0.5, 1])
    try simulation.set("gain", to: "4.0")
    #expect(try simulation.samples(of: "y", every: 0.25, count: 2) == [3, 4])
    #expect(try simulation.samples(of: "y", every: 0, count: 2).isEmpty)
    #expect(throws: SimulationError.self) { try simulation.samples(of: "z", every: 0.25, count: 2) }
  }
}
