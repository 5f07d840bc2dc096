// Machine instructions an event, counted by callgrind: the same on a busy machine as on an idle one.
//
// This program starts itself under valgrind, which counts only while a workload's events run: a block of n, then one of
// 2n, each written to a file of its own. Their difference by n is what an event costs, without what a block costs. The
// loops beside are counted the same way.

import CMeasure
import Glibc

/// What one event costs.
struct EventCost {
  var name: String
  var instructions: Double
  var loop: Double
  /// Calls of malloc and its like, of swift_retain, and of swift_allocObject.
  var allocations: Double
  var retains: Double

  var ratio: Double { loop > 0 ? instructions / loop : 0 }
}

enum Instructions {
  /// Where variants are not counted.
  static var workloads: [Workload] { Workload.all.filter { !$0.name.hasSuffix("b") } }

  private static func events(_ workload: Workload) -> Int { workload.counted ?? max(30, workload.events / 100) }

  // MARK: In the process that is watched

  /// Runs the blocks of these workloads, each between two dumps.
  static func runBlocks(_ names: [String]) throws {
    for workload in Workload.named(names) {
      let program = try workload.program()
      let loop = workload.loop()
      program.take(workload.warmUp)
      loop.take(workload.warmUp)
      for (work, kind) in [(program, "program"), (loop, "loop")] {
        cm_start()
        for size in 1...2 {
          work.take(events(workload) * size)
          cm_dump("\(workload.name) \(kind) \(size)")
        }
        cm_stop()
      }
      if !Measurement.agree(program.result, loop.result, workload.tolerance) {
        throw BenchFailure(message: "\(workload.name): \(program.result), not \(loop.result)")
      }
    }
  }

  // MARK: In the process that watches

  /// Counts by starting this program under callgrind; `folder` takes its files.
  static func count(_ names: [String], folder: String) throws(BenchFailure) -> [EventCost] {
    let chosen = workloads.filter { names.isEmpty || names.contains($0.name) }
    let prefix = "\(folder)/instructions.\(getpid())"
    try watch(["--blocks", chosen.map(\.name).joined(separator: ",")], prefix)
    var costs: [EventCost] = []
    for (place, workload) in chosen.enumerated() {
      let dumps = (1...4).map { "\(prefix).\(place * 4 + $0)" }
      defer { for dump in dumps { remove(dump) } }
      costs.append(try cost(workload, dumps))
    }
    return costs
  }

  /// Starts this program under callgrind; its dumps are files that begin with `prefix`.
  static func watch(_ words: [String], _ prefix: String) throws(BenchFailure) {
    let child = try Child.run(
      [
        "valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=\(prefix)", "--compress-pos=no",
        executable,
      ] + words,
      // Hashes would differ from run to run.
      settings: ["SWIFT_DETERMINISTIC_HASHING=1"], errors: .file("\(prefix).log"))
    defer { remove(prefix, "\(prefix).log") }
    if child.exitCode != 0 {
      let log = contents(of: "\(prefix).log").map { String(decoding: $0, as: UTF8.self) } ?? ""
      throw BenchFailure(message: "valgrind ended with \(child.exitCode):\n\(log)")
    }
  }

  private static func cost(_ workload: Workload, _ dumps: [String]) throws(BenchFailure) -> EventCost {
    var parsed: [Dump] = []
    for path in dumps { parsed.append(try Dump(path)) }
    let units = Double(events(workload) * workload.units)
    func an(_ value: KeyPath<Dump, Int>, from first: Int) -> Double {
      Double(parsed[first + 1][keyPath: value] - parsed[first][keyPath: value]) / units
    }
    return EventCost(
      name: workload.name, instructions: an(\.total, from: 0), loop: an(\.total, from: 2),
      allocations: an(\.allocations, from: 0), retains: an(\.retains, from: 0))
  }

  static func remove(_ paths: String...) { for path in paths { unlink(path) } }
}

/// What one file of callgrind says.
struct Dump {
  var total = 0
  var allocations = 0
  var retains = 0

  init(_ path: String) throws(BenchFailure) {
    guard let bytes = contents(of: path) else { throw BenchFailure(message: "callgrind has not written \(path)") }
    // Names are given once and then by number: `cfn=(12) malloc`, later `cfn=(12)`.
    var names: [Substring: Substring] = [:]
    var callee: Substring = ""
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("totals: ") {
        total = Int(line.dropFirst(8)) ?? 0
      } else if line.hasPrefix("fn=(") || line.hasPrefix("cfn=(") {
        let parts = line.split(separator: "=", maxSplits: 1)[1].split(separator: " ", maxSplits: 1)
        if parts.count > 1 { names[parts[0]] = parts[1] }
        if line.hasPrefix("cfn") { callee = names[parts[0]] ?? "" }
      } else if line.hasPrefix("calls=") {
        let count = Int(line.dropFirst(6).split(separator: " ")[0]) ?? 0
        switch callee {
        case "malloc", "calloc", "realloc", "memalign", "aligned_alloc", "posix_memalign": allocations += count
        case "swift_retain", "swift_bridgeObjectRetain": retains += count
        default: break
        }
      }
    }
    if total == 0 { throw BenchFailure(message: "callgrind counted nothing in \(path)") }
  }
}
