// What the tests and definitions of other reactive languages say, as programs of ours. The programs were written by hand
// (`peers.txt`); inputs, traces and expectations come from the data. A tick is a second.

import FRPBase
import FRPCore
import FRPModel
import FRPTestFiles

package struct PeerCase: Sendable {
  package let id: Int
  let json: JSON
  let program: String
  /// The section of the language that decides that ours answers otherwise.
  package let differs: String?
  /// The streams of which that is so, if not all.
  let exceptions: [String]
  /// The diagnostic's code, of a program that must not compile.
  let error: String?
  /// Whether there is something to compare at all.
  package var hasProgram: Bool { !program.isEmpty }

  /// All cases, in order; one without an entry in `peers.txt` has no program.
  package static let all: [PeerCase] = {
    let folder = TestFiles.tests + "/Conformance/"
    let rows = (TestFiles.read(folder + "frp_peers.jsonl") ?? "").split(separator: "\n").compactMap { JSON($0) }
    var entries: [Int: Entry] = [:]
    var current: Int?
    for line in (TestFiles.read(folder + "peers.txt") ?? "").split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("@ ") {
        let rest = line.dropFirst(2)
        current = Int(rest.prefix { $0.isNumber }) ?? -1
        entries[current ?? -1] = Entry(note: rest.drop { $0.isNumber }.trimmed)
      } else if let current {
        entries[current]?.program += line + "\n"
      }
    }
    return rows.enumerated().map { id, json in
      let entry = entries[id] ?? Entry(note: "")
      return PeerCase(
        id: id, json: json, program: entry.program, differs: entry.differs, exceptions: entry.exceptions,
        error: entry.error)
    }
  }()

  /// What `peers.txt` says of a case.
  private struct Entry {
    var program = ""
    var differs: String?
    var exceptions: [String] = []
    var error: String?

    init(note: String) {
      if note.hasPrefix("differs: ") { differs = String(note.dropFirst(9)) }
      if note.hasPrefix("error ") { error = String(note.dropFirst(6)) }
      if note.hasPrefix("except "), let colon = note.firstIndex(of: ":") {
        exceptions = note[..<colon].dropFirst(7).split(separator: " ").map(String.init)
      }
    }
  }

  /// What is wrong with a run; nil if nothing is.
  package func problem(engine: Bool) -> String? {
    if program.isEmpty { return "no program" }
    let source = header + program
    let compiled = Compiled(source)
    if let error {
      let codes = compiled.diagnostics.filter { $0.severity == .error }.map(\.code)
      return codes.contains { $0.rawValue.hasPrefix(error) } ? nil : "wants error \(error), got \(codes)\n\(source)"
    }
    guard let core = compiled.core else { return "\(compiled.problems)\n\(source)" }
    guard let trace = TraceLine.parse(trace) else { return "bad trace" }
    let run = onLargeStack {
      engine ? Engine.run(core, trace, until: end, sample: 0.05) : Model(core).run(trace, until: end, sample: 0.05)
    }
    guard let run else { return "no plan" }
    guard case .object(let expected)? = json["expected"], !expected.isEmpty else { return "no expectation" }
    for stream in expected {
      let isOutput = core.outputs.contains { $0.name == stream.name }
      if stream.name == "error" { return "compiles, which the other does not" }
      if isOutput == exceptions.contains(stream.name) {
        return "\(stream.name): \(isOutput ? "is listed" : "no output")"
      }
      if !isOutput { continue }
      let lines = run.lines.filter { $0.name == stream.name }
      if let problem = compare(stream.value.array ?? [], lines, json["kinds"]?[stream.name]?.string ?? "") {
        return "\(stream.name): \(problem)\n\(source)"
      }
    }
    return nil
  }

  // MARK: Inputs

  private var inputs: [(name: String, steps: [(time: Double?, value: JSON)])] {
    guard case .object(let members)? = json["inputs"] else { return [] }
    return members.map { member in
      let steps = (member.value.array ?? []).compactMap { step -> (Double?, JSON)? in
        guard let parts = step.array, parts.count == 2 else { return nil }
        if case .number(let text) = parts[0] { return (Double(text), parts[1]) }
        return parts[0] == .string("init") ? (nil, parts[1]) : nil
      }
      return (member.name, steps)
    }
  }

  private func isUnit(_ steps: [(time: Double?, value: JSON)]) -> Bool {
    steps.allSatisfy { $0.value == .string("unit") }
  }

  /// Whether an input has several occurrences at one tick: they come as a list.
  private func isList(_ steps: [(time: Double?, value: JSON)]) -> Bool {
    let times = steps.compactMap(\.time)
    return steps.allSatisfy { $0.time != nil } && Set(times).count < times.count
  }

  private var header: String {
    var lines = ""
    for (name, steps) in inputs where !steps.isEmpty {
      guard let type = isUnit(steps) ? "Unit" : type(of: steps.map(\.value)) else { continue }
      if steps[0].time == nil {
        guard let start = literal(steps[0].value, type) else { continue }
        lines += "input \(name): Behavior<\(type)> = \(start)\n"
      } else if isList(steps) {
        lines += "input \(name)All: Event<List<\(type)>>\n\(name) = \(name)All |> spill\n"
      } else {
        lines += "input \(name): Event<\(type)>\n"
      }
    }
    return lines
  }

  private func type(of values: [JSON]) -> String? {
    let present = values.filter { $0 != .null }
    if present.count < values.count { return type(of: present).map { "Option<\($0)>" } }
    let types = Set(present.compactMap { type($0) })
    if types == ["Int", "Float"] { return "Float" }
    return types.count == 1 ? types.first : nil
  }

  private func type(_ value: JSON) -> String? {
    switch value {
    case .bool: return "Bool"
    case .string: return "String"
    case .number(let text): return text.contains { ".eE".contains($0) } ? "Float" : "Int"
    case .array(let all):
      if let element = type(of: all) { return "List<\(element)>" }
      let types = all.compactMap { type($0) }
      return types.count == all.count && all.count > 1 ? "(\(types.joined(separator: ", ")))" : nil
    default: return nil
    }
  }

  private func literal(_ value: JSON, _ type: String) -> String? {
    if type.hasPrefix("Option<") { return value == .null ? "None" : literal(value, "").map { "Some(\($0))" } }
    switch value {
    case .bool, .number, .string: return value.text
    case .array(let all):
      let parts = all.compactMap { literal($0, "") }
      let isList = self.type(of: all) != nil
      return isList ? "[\(parts.joined(separator: ", "))]" : "(\(parts.joined(separator: ", ")))"
    default: return nil
    }
  }

  private var trace: String {
    var lines: [Double: [String]] = [:]
    for (name, steps) in inputs where header.contains("input \(name): ") || header.contains("input \(name)All: ") {
      var byTime: [Double: [JSON]] = [:]
      for step in steps {
        if let time = step.time { byTime[time, default: []].append(isUnit(steps) ? .null : step.value) }
      }
      for (time, values) in byTime {
        let value = isList(steps) ? JSON.array(values) : values[values.count - 1]
        lines[time, default: []].append("\"\(name)\(isList(steps) ? "All" : "")\": \(value.text)")
      }
    }
    return lines.sorted { $0.key < $1.key }
      .map { "{\"at\": \($0.key), \($0.value.sorted().joined(separator: ", "))}\n" }.joined()
  }

  private var end: Double {
    var result = 0.0
    for (_, steps) in inputs { for step in steps { result = max(result, step.time ?? 0) } }
    guard case .object(let expected)? = json["expected"] else { return result }
    for stream in expected { for item in stream.value.array ?? [] { result = max(result, time(item) ?? 4) } }
    return result
  }

  // MARK: Expectations

  /// The time of an expected item; nil for `init` and what has none.
  private func time(_ item: JSON) -> Double? {
    guard let first = item.array?.first else { return nil }
    if case .number(let text) = first { return Double(text) }
    if case .number(let text)? = first.array?.first { return Double(text) }
    return first == .string("init") ? 0 : nil
  }

  private func value(_ item: JSON) -> JSON {
    guard let value = item.array?.last, value != .string("unit") else { return .null }
    if let parts = value.array, parts.count == 2, parts[0] == .string("Some") { return parts[1] }
    return value
  }

  private func compare(_ expected: [JSON], _ lines: [ModelLine], _ kind: String) -> String? {
    switch kind {
    case "law", "formula":
      let bad = lines.first { line in
        if case .number(let text)? = JSON(line.json), let x = Double(text) { return x.magnitude > 1e-6 }
        return true
      }
      return lines.isEmpty ? "shows nothing" : bad.map { "is not zero: \(Expectations.describe($0))" }
    case "count":
      return isSame(lines.last?.json, value(expected[0]))
        ? nil : "wants \(value(expected[0]).text), got \(lines.last?.json ?? "nothing")"
    case "samples", "behavior-samples":
      for item in expected {
        guard let time = time(item) else { return "no time" }
        let got = lines.last { $0.seconds <= time + 1e-6 }?.json
        if !isSame(got, value(item)) { return "at \(time) wants \(value(item).text), got \(got ?? "nothing")" }
      }
      return nil
    default: return compareInOrder(expected, lines, isBehavior: kind == "behavior")
    }
  }

  private func compareInOrder(_ expected: [JSON], _ lines: [ModelLine], isBehavior: Bool) -> String? {
    var wanted: [JSON] = []
    for item in expected where !isBehavior || wanted.last.map({ value($0) != value(item) }) ?? true {
      wanted.append(item)
    }
    for index in 0..<max(wanted.count, lines.count) {
      guard index < wanted.count else { return "got \(Expectations.describe(lines[index])) as well" }
      guard index < lines.count else { return "wants \(wanted[index].text), got nothing" }
      let isInTime = time(wanted[index]).map { ($0 - lines[index].seconds).magnitude < 1e-6 } ?? false
      if !isInTime || !isSame(lines[index].json, value(wanted[index])) {
        return "wants \(wanted[index].text), got \(Expectations.describe(lines[index]))"
      }
    }
    return nil
  }

  /// Numbers as numbers, whether they are written with a fraction or not.
  private func isSame(_ text: String?, _ wanted: JSON) -> Bool {
    guard let text, let json = JSON(text) else { return false }
    return isNear(json, wanted)
  }

  private func isNear(_ a: JSON, _ b: JSON) -> Bool {
    switch (a, b) {
    case (.number(let x), .number(let y)): return ((Double(x) ?? 0) - (Double(y) ?? 1)).magnitude < 1e-6
    case (.array(let x), .array(let y)): return x.count == y.count && zip(x, y).allSatisfy { isNear($0, $1) }
    default: return a == b
    }
  }
}
