// Rows of cost (Checking/Costs) at n and at ten times n, counted by callgrind: work of any kind is seen, on a busy machine as on
// an idle one. `make test` judges the same rows by steps and words, which need no valgrind.

import CMeasure
import FRPCosts
import Glibc

enum Growth {
  private static var rows: [CostRow] { CostRow.groups.flatMap(\.rows) }
  /// Less than elsewhere: instructions are exact, and callgrind is fifty times as slow.
  private static func size(_ row: CostRow) -> Int { max(60, row.size / 5) }
  /// What so little costs is that of starting.
  private static let constant = 100_000.0

  // MARK: In the process that is watched

  static func runRows(_ places: ClosedRange<Int>) throws {
    for place in places {
      let row = rows[place]
      for count in [size(row), 10 * size(row)] {
        var run = try CostRow.Run(row, count)
        cm_start()
        let fault = run.take()
        cm_dump("\(place) \(count)")
        cm_stop()
        if let fault { throw BenchFailure(message: "\(row.text): \(fault)") }
      }
    }
  }

  // MARK: In the process that watches

  /// 1 where a row grows as the square, or nearly.
  static func check() throws(BenchFailure) -> Int32 {
    let rows = rows
    var wrong = 0
    // Some at a time: all files of one process stay until it ends.
    for start in stride(from: 0, to: rows.count, by: 50) {
      let end = min(rows.count, start + 50)
      let prefix = "\(temporaryFolder)/growth.\(getpid())"
      try Instructions.watch(["--rows", "\(start)-\(end - 1)"], prefix)
      for place in start..<end {
        let dumps = (1...2).map { "\(prefix).\((place - start) * 2 + $0)" }
        defer { for dump in dumps { Instructions.remove(dump) } }
        let (small, large) = (Double(try Dump(dumps[0]).total), Double(try Dump(dumps[1]).total))
        if large < CostRow.most * (small + constant) { continue }
        wrong += 1
        print("\(rows[place].name): \(rows[place].text): \(Int(small)) instructions, ten times as much: \(Int(large))")
      }
    }
    print("\(rows.count) rows of cost, \(wrong) that grow too fast")
    return wrong == 0 ? 0 : 1
  }
}
