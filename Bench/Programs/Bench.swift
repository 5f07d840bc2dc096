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
      case .rows(let rows):
        try Growth.runRows(rows)
        return 0
      case .growth: return try Growth.check()
      case .instructions(let baseline, let accept): return try count(options.only, baseline, accept)
      }
    } catch let failure as BenchFailure {
      print(failure.message)
    } catch {
      print("\(error)")
    }
    return 2
  }

  // MARK: The tables

  private static func table(_ options: Options) throws -> Int32 {
    var tables: [Table] = []
    // Processes first: what Linux calls a child's memory begins with that of its parent.
    for part in [processes, log, peers, workloads, sizes] {
      guard let table = try part(options) else { continue }
      print(table.text)
      tables.append(table)
    }
    if let path = options.markdown { try write(tables.map(\.markdown).joined(separator: "\n"), to: path) }
    if let path = options.json { try write("{\n\(tables.map(\.jsonText).joined(separator: ",\n"))\n}\n", to: path) }
    return tables.allSatisfy { !$0.isWrong } ? 0 : 1
  }

  private static func workloads(_ options: Options) throws -> Table? {
    let chosen = Workload.named(options.only)
    if chosen.isEmpty { return nil }
    var table = Table(
      title: "ns an event, processor time, median of \(options.isQuick ? 5 : 15) runs",
      columns: ["", "workload", "frp", "least", "most", "loop", "ratio", "must", "goal", "allocations", "result"])
    for workload in chosen {
      let events = options.isQuick ? max(1, workload.events / 10) : workload.events
      table.add(try Measurement(workload, runs: options.isQuick ? 5 : 15, events: events))
    }
    return table
  }

  private static func processes(_ options: Options) throws -> Table? {
    if !options.wants("W10"), !options.wants("W11") { return nil }
    var table = Table(
      title: "whole processes",
      columns: ["", "workload", "unit", "frp", "least", "most", "must", "goal", "MB", "result"])
    let processes = options.processes
    if options.wants("W10") { table.add(try processes.lines()) }
    if options.wants("W11") { table.add(try processes.hello()) }
    return table
  }

  private static func sizes(_ options: Options) throws -> Table? {
    if !options.wants("sizes") { return nil }
    var table = Table(title: "sizes", columns: ["", "unit", "frp", "must", "verdict"])
    for size in try Sizes.all(isQuick: options.isQuick) { table.add(size) }
    return table
  }

  private static func peers(_ options: Options) throws -> Table? {
    guard let folder = options.peers else { return nil }
    var table = Table(title: "others", columns: ["", "peer", "note", "unit", "least"])
    for peer in try Peers(folder: folder, processes: options.processes).measure() { table.add(peer) }
    return table
  }

  private static func log(_ options: Options) throws -> Table? {
    if !options.wants("log") { return nil }
    var table = Table(title: "a log", columns: ["", "unit", "frp", "must", "verdict"])
    for size in try options.processes.log() { table.add(size) }
    return table
  }

  /// Sets up and warms up uncounted, then takes the events.
  private static func run(_ name: String, _ events: Int) throws -> Int32 {
    guard let workload = Workload.all.first(where: { $0.name == name }) else {
      throw BenchFailure(message: "there is no workload \(name)")
    }
    let program = try workload.program()
    program.take(workload.warmUp)
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
    let costs = try Instructions.count(names, folder: temporaryFolder)
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
