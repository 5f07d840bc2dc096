// The bench's commands.

import CMeasure
import Glibc

enum Bench {
  static func main(_ words: [String]) -> Int32 {
    do {
      let options = try Options(words)
      switch options.mode {
      case .table: return try table(options)
      case .run(let name, let events): return try run(name, events)
      case .blocks:
        try Instructions.runBlocks(options.only)
        return 0
      case .instructions(let baseline, let accept): return try count(options.only, baseline, accept)
      }
    } catch let failure as BenchFailure {
      print(failure.message)
    } catch {
      print("\(error)")
    }
    return 2
  }

  private static func table(_ options: Options) throws -> Int32 {
    var table = Table(
      title: "ns an event, processor time, median of \(options.isQuick ? 5 : 15) runs",
      columns: ["", "workload", "frp", "least", "most", "loop", "ratio", "must", "goal", "allocations", "result"])
    var isRight = true
    for workload in Workload.named(options.only) {
      let events = options.isQuick ? max(1, workload.events / 10) : workload.events
      let measured = try Measurement(workload, runs: options.isQuick ? 5 : 15, events: events)
      isRight = isRight && measured.isRight
      table.add(measured)
    }
    print(table.text, terminator: "")
    if let path = options.markdown { try write(table.markdown, to: path) }
    if let path = options.json { try write("{\n\(table.jsonText)\n}\n", to: path) }
    return isRight ? 0 : 1
  }

  /// Sets up and warms up uncounted, then takes the events.
  private static func run(_ name: String, _ events: Int) throws -> Int32 {
    guard let workload = Workload.all.first(where: { $0.name == name }) else {
      throw BenchFailure(message: "there is no workload \(name)")
    }
    let program = try workload.program()
    program.take(min(workload.events, 2000))
    cm_start()
    program.take(events > 0 ? events : workload.events)
    cm_stop()
    print(program.result)
    return 0
  }

  // MARK: Instructions

  private static func count(_ names: [String], _ path: String?, _ message: String?) throws -> Int32 {
    if cm_can_count() == 0 || !Child.isInstalled("valgrind") {
      print("skipped: instructions are not counted, since valgrind is not installed")
      return 0
    }
    let costs = try Instructions.count(names, folder: getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")
    var table = Table(
      title: "machine instructions an event, by callgrind",
      columns: ["", "frp", "loop", "ratio", "allocations", "retains"])
    for cost in costs { table.add(cost) }
    print(table.text, terminator: "")
    guard let path else { return 0 }
    var baseline = try Baseline(path)
    if let message {
      baseline.accept(costs, message)
      try write(baseline.text, to: path)
      return 0
    }
    let problems = costs.compactMap { cost in baseline.problem(cost).map { "\(cost.name): \($0)" } }
    for problem in problems { print(problem) }
    if !problems.isEmpty { print("if that is meant: make baseline MESSAGE=\"what changed\"") }
    return problems.isEmpty ? 0 : 1
  }
}

extension Table {
  mutating func add(_ measured: Measurement) {
    let work = measured.workload
    let result = measured.isRight ? "right" : "WRONG"
    add(
      [
        work.name, work.title, shown(measured.program.median), shown(measured.program.least),
        shown(measured.program.most), shown(measured.loop.median), shown(measured.ratio),
        work.must.map(shown) ?? "", work.goal.map(shown) ?? "", "\(measured.allocations)", result,
      ],
      json: [
        ("name", quoted(work.name)), ("title", quoted(work.title)), ("median", plain(measured.program.median)),
        ("least", plain(measured.program.least)), ("most", plain(measured.program.most)),
        ("loop", plain(measured.loop.median)), ("ratio", plain(measured.ratio)),
        ("allocations", "\(measured.allocations)"), ("right", "\(measured.isRight)"),
      ])
  }
}

extension Table {
  mutating func add(_ cost: EventCost) {
    let numbers = [cost.instructions, cost.loop, cost.ratio, cost.allocations, cost.retains]
    add([cost.name] + numbers.map(shown), json: [])
  }
}
