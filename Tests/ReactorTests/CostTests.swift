// What built-ins and operators cost at n and at ten times n: none of them grows as the square. The rows come from the table of
// built-ins, so that a new one has a row from the start.
//
// A row's cost is counted: the steps that it takes and the words that it allocates. Work that takes neither is seen by
// `make count`, which counts the machine instructions of the same rows.

import FRPCosts
import Testing

@Suite struct CostTests {
  @Test func everyBuiltinHasARow() {
    let (rows, missing) = CostRow.ofTheTable()
    #expect(missing.isEmpty, "no row and no reason: \(missing)")
    #expect(rows.count > 150, "\(rows.count)")
  }

  @Test(arguments: CostRow.groups.map(\.name)) func nothingIsQuadratic(group: String) throws {
    for row in CostRow.groups.first(where: { $0.name == group })?.rows ?? [] {
      let (small, large) = (try run(row, row.size), try run(row, 10 * row.size))
      for (what, cost) in [("steps", \CostRow.Run.steps), ("words", \.words)] {
        // Constants do not count: what is less than this is no growth.
        let (a, b) = (Double(small[keyPath: cost]) + 1_000, Double(large[keyPath: cost]))
        #expect(b < CostRow.most * a, "\(row.name): \(row.text): \(a) \(what) at \(row.size), then \(b)")
      }
    }
  }

  private func run(_ row: CostRow, _ count: Int) throws -> CostRow.Run {
    var run = try CostRow.Run(row, count)
    let fault = run.take()
    #expect(fault == nil, "\(row.text): \(fault ?? "")")
    return run
  }

  /// The judge notices what it is for: a list that is copied at every turn, and one that is gone through.
  @Test(arguments: ["fold(1..n, 1..n, (l, x) => List.set(l, 1, x)) |> size", "fold(1..n, 0, (s, x) => s + sum(1..x))"])
  func aSquareIsSeen(text: String) throws {
    let row = CostRow(name: "square", text: text, isReactive: false)
    let (small, large) = (try run(row, row.size), try run(row, 10 * row.size))
    #expect(large.steps + large.words > 60 * (small.steps + small.words))
  }
}
