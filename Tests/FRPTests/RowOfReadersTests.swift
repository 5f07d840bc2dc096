// Integrals of which each reads the one before: how far each is followed ahead, and what each is thought to read.

import Testing

@testable import FRP
@testable import FRPRuntime

struct RowOfReadersTests {
  /// What a run's groups show while it lives.
  private func groups<Shown>(_ text: String, at time: Double, _ show: ([ContinuousGroup]) -> Shown) throws -> Shown {
    let run = try ContinuousRun(text)
    run.simulation.advance(to: time)
    let shown = show(try #require(run.simulation.reactor.live.solver).groups.compactMap { $0 })
    withExtendedLifetime(run) {}
    return shown
  }

  private func row(_ count: Int, _ first: String, _ link: String) -> String {
    let links = (1...count).map { "x\($0) = " + link.replacing("P", with: "x\($0 - 1)").replacing("X", with: "x\($0)") }
    return "x0 = \(first)\n" + links.joined(separator: "\n") + "\noutput y = sample(x\(count), every(10s))\n"
  }

  /// Steps are about a second long here. If each were one further ahead than its reader, the first would be followed for 300 s.
  @Test func theFirstIsNotFarAhead() throws {
    let row = row(300, "1.0 + 0.1 * sin(time)", "1.0 + integral(0.5 * (P - X))")
    let reaches = try groups(row, at: 30) { $0.filter { $0.course == .steps }.map(\.reach) }
    #expect(reaches.count == 300)
    #expect(reaches.allSatisfy { $0 >= 30 && $0 < 70 }, "\(reaches.max() ?? 0)")
  }

  /// The start value of a `switch` is not read any more once something else is shown.
  @Test func whatIsNotShownAnyMoreIsNotRead() throws {
    let row = row(12, "sin(time)", "switch(every(1s), P, _ => 0.1 + integral(P))") + "output z = integral(x12)\n"
    func read(at time: Double) throws -> [Int] {
      try groups(row, at: time) { $0.filter { !$0.integrals.isEmpty }.map(\.fed.count) }
    }
    // The last integral was there before.
    #expect(try read(at: 0.5) == [0])
    let after = try read(at: 1.5)
    #expect(after.count == 13 && after.reduce(0, +) == 12, "\(after)")
  }

  /// Two ways lead from each start value to those before: each is linked once. Once for each way would not end.
  @Test func whatManyWaysLeadToIsLinkedOnce() throws {
    let pairs = (1...40).map { number in
      """
      a\(number) = switch(every(10s), a\(number - 1) + b\(number - 1), _ => time)
      b\(number) = switch(every(10s), a\(number - 1) - b\(number - 1), _ => time)
      """
    }
    let run = try ContinuousRun(
      "a0 = time\nb0 = 1.0 + time\n" + pairs.joined(separator: "\n")
        + "\noutput z = integral(sin(a40 + b40) * 0.0 + 1.0)\n")
    run.simulation.advance(to: 0.1)
    #expect(near(try run.value("z"), 0.1))
  }

  /// Rates that are small differences of large terms are known to the digits of these only: filters in a row, which begin where they rest.
  @Test(arguments: [1.0, 100.0, 1e6, 1e12]) func smallDifferencesOfLargeTermsAreFollowed(_ base: Double) throws {
    let run = try ContinuousRun(
      """
      base = \(base)
      a1 = base + integral(0.5 * (base + sin(time) - a1))
      a2 = base + integral(0.5 * (a1 - a2))
      a3 = base + integral(0.5 * (a2 - a3))
      b1 = base + integral(0.5 * (base + sin(time) - b1) + 0.0 * b3)
      b2 = base + integral(0.5 * (b1 - b2))
      b3 = base + integral(0.5 * (b2 - b3))
      c1 = integral(0.5 * (sin(time) - c1))
      c2 = integral(0.5 * (c1 - c2))
      c3 = integral(0.5 * (c2 - c3))
      output a = a3 - base
      output b = b3 - base
      output c = c3
      """)
    for time in [0.01, 0.5, 2, 7] {
      run.simulation.advance(to: time)
      let (a, b, c) = (try run.value("a"), try run.value("b"), try run.value("c"))
      #expect(abs(a - c) <= 4e-15 * base + 1e-9 * abs(c), "\(time): \(a) instead of \(c)")
      #expect(abs(b - c) <= 4e-15 * base + 1e-9 * abs(c), "\(time): \(b) instead of \(c)")
    }
    #expect(run.simulation.faults.isEmpty, "\(run.simulation.faults.map(\.title))")
  }
}
