// A host's thread may have a small stack: however long a chain of definitions is, none of it is followed by calls in calls.

import FRP
import FRPLibc
import Foundation
import Testing

struct SmallStackTests {
  /// What a definition makes of the one before.
  struct Chain: Sendable {
    var name: String
    var first: String
    /// With `P` for the name of the one before.
    var link: String
    /// What is asked of the last.
    var last = "output y = sample(P, every(1s))"
    /// The last definition comes first.
    var isBackwards = false
    /// A snapshot keeps it.
    var isKept = true
    /// So many in a row are refused.
    var faults = false
  }

  static let chains = [
    Chain(name: "integrals", first: "1.0 + sin(time)", link: "1.0 + integral(0.1 * (P - 1.0))"),
    Chain(
      name: "integrals, the last first", first: "1.0 + sin(time)", link: "1.0 + integral(0.1 * (P - 1.0))",
      isBackwards: true),
    Chain(name: "tanks", first: "1.0 + sin(time)", link: "1.0 + integral(0.1 * (P - SELF))"),
    Chain(name: "polynomials", first: "1.0", link: "(1.0 + integral(0.001 * P))"),
    Chain(name: "sums of time", first: "time", link: "(P + 0.001)"),
    Chain(name: "comparisons", first: "time", link: "(P + 0.0005)", last: "output y = when(P > 3.0) |> map(_ => time)"),
    Chain(name: "delays", first: "time", link: "delay(P, 1ms)", isKept: false, faults: true),
    Chain(
      name: "delays or not", first: "time", link: "(if time > 0.5 then delay(P, 1ms) else P)", isKept: false,
      faults: true),
    Chain(
      name: "scopes", first: "1.0 + sin(time)", link: "switch(every(1.7s), P, _ => 1.0 + integral(0.1 * (P - 1.0)))"),
    Chain(name: "scopes, the last first", first: "time", link: "switch(every(1s), P, _ => P + 0.1)", isBackwards: true),
    Chain(name: "steps", first: "count(every(0.3))", link: "(P + 1)"),
    Chain(name: "holds", first: "count(every(0.3))", link: "(changes(P) |> hold(1))"),
    Chain(name: "events", first: "every(0.3) |> map(_ => 1)", link: "(P |> map(x => x + 1))", last: "output y = P"),
    Chain(name: "functions", first: "time", link: "List.sum(List.map([1.0, 2.0], x => x * P)) / 3.0"),
  ]

  static func text(_ chain: Chain, _ count: Int) -> String {
    var lines = ["x0 = \(chain.first)"]
    for number in 1...count {
      let link = chain.link.replacingOccurrences(of: "P", with: "x\(number - 1)")
      lines.append("x\(number) = \(link.replacingOccurrences(of: "SELF", with: "x\(number)"))")
    }
    if chain.isBackwards { lines.reverse() }
    return lines.joined(separator: "\n") + "\n" + chain.last.replacingOccurrences(of: "P", with: "x\(count)") + "\n"
  }

  @Test(arguments: chains) func aLongChainNeedsNoStack(_ chain: Chain) throws {
    let program = Program(Source(name: "chain.frp", text: Self.text(chain, 4_000)))
    try #require(!program.hasErrors, "\(program.diagnostics.map(\.title).prefix(3))")
    let few = try onStack(of: 768 << 10) { try Self.shown(chain, program) }
    #expect(!few.isEmpty && (chain.faults || !few.contains { $0.contains("fault") }), "\(few)")
    #expect(try onStack(of: 64 << 20) { try Self.shown(chain, program) } == few)
  }

  /// What a run shows, that goes on from a snapshot in another one, and why.
  private static func shown(_ chain: Chain, _ program: Program) throws -> [String] {
    var run = try Simulation(program)
    run.start()
    try run.record("y")
    run.advance(to: 2.5)
    var shown = try run.occurrences(of: "y").map { "\($0)" }
    if chain.isKept {
      let image = try run.snapshot()
      run = try Simulation(program)
      try run.restore(image)
      try run.record("y")
    }
    run.advance(to: 4.5)
    shown += try run.occurrences(of: "y").map { "\($0)" }
    _ = try run.explain("y")
    return shown + run.faults.map { "fault: \($0.title)" }
  }

  /// Runs on a thread of its own with so many bytes of stack.
  private func onStack<Result>(of bytes: Int, _ body: @escaping () throws -> Result) throws -> Result {
    nonisolated(unsafe) var result: Swift.Result<Result, any Error>?
    nonisolated(unsafe) let body = body
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      result = Swift.Result { try body() }
      done.signal()
    }
    thread.stackSize = bytes
    thread.start()
    done.wait()
    return try #require(result).get()
  }

  /// Each pull of what a scope shows leaves the machine's stack as it was: such a run has no end.
  @Test func whatAScopeShowsIsReadForEver() throws {
    let program = Program(
      Source(
        name: "reads.frp",
        text: """
          x = switch(every(1s), time, _ => integral(time))
          kept = sample(x + 1.0, every(1ms)) |> map(_ => List.map([1], _ => x)) |> fold(0, (n, _) => n + 1)
          output y = sample(kept, every(1s))
          """))
    try #require(!program.hasErrors, "\(program.diagnostics.map(\.title))")
    var limits = Limits()
    limits.stackWords = 1 << 12
    let run = try Simulation(program, limits: limits)
    run.start()
    try run.record("y")
    run.advance(to: 20)
    #expect(try run.occurrences(of: "y").last?.json == "19999")
    #expect(run.faults.isEmpty, "\(run.faults.map(\.title))")
  }
}
