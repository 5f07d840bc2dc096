// `frp diff A B`: whether two runs show the same, numbers and times within a tolerance.
//
// In: what `frp run --format jsonl` writes, or traces. Out: for each name the first differences, in the order of time.
// Rules
// - Lines of different names may stand in any order; those of one name are compared one by one.
// - Numbers are equal within the tolerance, absolutely below 1 and relatively above; everything else to the letter.

import FRP
import FRPBase

enum DiffCommand {
  /// A line of a run: when, and what one name shows.
  private struct Shown {
    var line: Int
    var time: Double
    var json: String
  }

  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    let tolerance = invocation.value("--tolerance").map { Double($0) ?? -1 } ?? 0
    if tolerance < 0 || !tolerance.isFinite {
      let given = invocation.value("--tolerance") ?? ""
      return Usage.report(
        UsageProblem(message: "`--tolerance` is a number like 1e-9, not `\(given)`", command: "diff"), console)
    }
    guard let before = read(invocation.operands[0], reporter), let after = read(invocation.operands[1], reporter) else {
      return .wrongUsage
    }
    var count = 0
    for name in before.names + after.names.filter({ before.lanes[$0] == nil }) {
      let differences = differences(before.lanes[name] ?? [], after.lanes[name] ?? [], within: tolerance)
      count += differences.count
      for text in differences.prefix(10) { console.out.writeLine("\(name): \(text)") }
      if differences.count > 10 { console.out.writeLine("\(name): and \(differences.count - 10) more") }
    }
    if count > 0 { return .programHasErrors }
    reporter.note("the same\(tolerance > 0 ? " within \(tolerance)" : "")")
    return .success
  }

  private typealias Run = (names: [String], lanes: [String: [Shown]])

  private static func read(_ path: String, _ reporter: Reporter) -> Run? {
    let bytes: [UInt8]
    do { bytes = try Files.contents(of: path, standardInput: reporter.console.input) } catch {
      reporter.failure("cannot read `\(path)`: \(error.message)")
      return nil
    }
    var run: Run = ([], [:])
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() where !line.isEmpty
    {
      guard let parts = JSONParts.object(String(decoding: line, as: UTF8.self)),
        let time = parts.first(where: { $0.name == "at" }).flatMap({ Double($0.json) })
      else {
        reporter.failure(
          "`\(path)`, line \(index + 1): no `at`; `frp run --format jsonl` writes {\"at\":0.5,\"name\":value}")
        return nil
      }
      for part in parts where part.name != "at" {
        if run.lanes[part.name] == nil { run.names.append(part.name) }
        run.lanes[part.name, default: []].append(Shown(line: index + 1, time: time, json: part.json))
      }
    }
    return run
  }

  private static func differences(_ a: [Shown], _ b: [Shown], within tolerance: Double) -> [String] {
    var found: [String] = []
    for (x, y) in zip(a, b) {
      let isLate = !isNear(x.time, y.time, within: tolerance)
      if !isLate, isSame(x.json, y.json, within: tolerance) { continue }
      let place = "line \(x.line) and \(y.line)"
      found.append("\(place): \(x.json) at \(x.time) s, then \(y.json)\(isLate ? " at \(y.time) s" : "")")
    }
    for x in a.dropFirst(b.count) { found.append("line \(x.line): \(x.json) at \(x.time) s is missing") }
    for y in b.dropFirst(a.count) { found.append("line \(y.line): \(y.json) at \(y.time) s is new") }
    return found
  }

  private static func isNear(_ a: Double, _ b: Double, within tolerance: Double) -> Bool {
    a == b || abs(a - b) <= tolerance * max(1, abs(a), abs(b))
  }

  /// Whether two texts of JSON differ in nothing but numbers that are near.
  static func isSame(_ a: String, _ b: String, within tolerance: Double) -> Bool {
    if a == b { return true }
    if tolerance == 0 { return false }
    var (x, y) = (Substring(a), Substring(b))
    while true {
      let (one, other) = (part(&x), part(&y))
      if one == nil, other == nil { return true }
      guard let one, let other else { return false }
      if one == other { continue }
      guard let p = Double(one), let q = Double(other), isNear(p, q, within: tolerance) else { return false }
    }
  }

  /// The next string, number or sign.
  private static func part(_ text: inout Substring) -> Substring? {
    while let first = text.first, first == " " { text.removeFirst() }
    guard let first = text.first else { return nil }
    var end = text.index(after: text.startIndex)
    if first == "\"" {
      var isEscaped = false
      while end < text.endIndex, isEscaped || text[end] != "\"" {
        isEscaped = !isEscaped && text[end] == "\\"
        end = text.index(after: end)
      }
      if end < text.endIndex { end = text.index(after: end) }
    } else if !"{}[],:".contains(first) {
      while end < text.endIndex, !" {}[],:\"".contains(text[end]) { end = text.index(after: end) }
    }
    defer { text = text[end...] }
    return text[..<end]
  }
}
