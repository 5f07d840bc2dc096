// The flags of `run` and `eval` -> options, with every value parsed.

import FRP
import FRPBase
import FRPWorld

struct RunOptions: Sendable {
  enum Format: String, Sendable { case text, jsonl, json }

  /// The command that they are of: whose usage is shown.
  var command: String
  /// A file of timed inputs, or `-`.
  var trace: String?
  /// Where to write what comes from outside.
  var record: String?
  /// The directory of the journal from which a run goes on.
  var journal: String?
  /// Whether another text may take over what the journal has kept.
  var upgrades = false
  /// Whether time has gone on while no process ran.
  var elapses = false
  /// By input: the field that says when a line happens.
  var times: [(name: String, field: String)] = []
  /// Which moment is time 0, of inputs or a trace with times of their own.
  var from: EventStart?
  /// How far a line may lie behind the greatest time of its own input, in nanoseconds.
  var late = 0
  /// Whether time is simulated.
  var isVirtual = false
  var inputs: [PortBinding] = []
  var outputs: [PortBinding] = []
  /// Sources and sinks that take the place of those in the program's text.
  var ends: [PortEnd] = []
  /// Inputs to which nothing is to be connected.
  var disconnected: [String] { ends.filter { $0.isInput && $0.text == nil }.map(\.name) }
  var settings: [(name: String, value: String)] = []
  /// When to end, in nanoseconds.
  var end: Int?
  var until: String?
  /// The period of samples of continuous outputs, in nanoseconds.
  var sample: Int?
  var seed: UInt64 = 0
  /// Whether the command line says it.
  var hasSeed = false
  /// The start values with which a run with a journal began, where it goes on: as a JSON object.
  var begunWith: String?
  var isStrict = false
  /// Whether only the last values are shown.
  var isFinal = false
  var isQuiet = false
  var format = Format.text
  var limits = Limits()
  /// The world of a live run.
  var world: World?
  /// Whether the process is confined to what was granted, for good.
  var isConfined = false

  /// What happens with what is still held back when the inputs have ended.
  enum Draining: Equatable, Sendable {
    /// It is waited for in real time, and named in simulated time.
    case live
    case never
    case always
    /// At most so many nanoseconds; then what leads to itself counts, too.
    case atMost(Int)
  }
  var draining = Draining.live

  /// Whether nothing waits, and nothing of the world is done.
  var isSimulated: Bool { isVirtual || trace != nil }

  static let defaultSample = 100_000_000

  init(_ invocation: Invocation) throws(UsageProblem) {
    command = invocation.command
    trace = invocation.value("--trace")
    record = invocation.value("--record")
    for (flag, isInput) in [("--in", true), ("--out", false)] {
      for text in invocation.values(flag) {
        if let end = PortEnd(text, isInput: isInput) {
          ends.append(end)
        } else if isInput {
          try inputs.append(PortBinding(text, flag, command))
        } else {
          var output = try PortBinding(text, flag, command)
          output.word = text
          outputs.append(output)
        }
      }
    }
    for text in invocation.values("--time") { try times.append(Self.time(text, command)) }
    isVirtual = invocation.has("--virtual") || trace != nil || !times.isEmpty
    if let text = invocation.value("--from") { from = try EventStart(text, command) }
    late = try Self.duration(invocation, "--late") ?? 0
    for text in invocation.values("--set") { try settings.append(Self.setting(text, command)) }
    end = try Self.duration(invocation, "--for")
    until = invocation.value("--until")
    sample = try Self.duration(invocation, "--sample")
    if sample == 0 { throw UsageProblem(message: "`--sample` must be longer than nothing", command: command) }
    if let text = invocation.value("--seed") {
      // Those that `Random.seed` can show.
      guard let number = Int64(text) else {
        throw UsageProblem(
          message: "`--seed` is a whole number from \(Int64.min) to \(Int64.max), not `\(text)`", command: command)
      }
      (seed, hasSeed) = (UInt64(bitPattern: number), true)
    }
    draining = try Self.draining(invocation)
    isStrict = invocation.has("--strict")
    isFinal = invocation.has("--final")
    isQuiet = invocation.has("--quiet")
    limits = invocation.limits.run
    if !isSimulated { (world, isConfined) = (invocation.world, invocation.isProcess) }
    format = invocation.value("--format").flatMap(Format.init) ?? .text
    if trace != nil, let first = inputs.first {
      throw UsageProblem(
        message: "`--in \(first.name)=…` and `--trace` cannot go together: the trace holds all inputs", command: command
      )
    }
    try checkTimes(invocation)
    try takeJournal(invocation)
    if record != nil, isSimulated {
      throw UsageProblem(message: "`--record` is for live runs: a simulated one is its own trace", command: command)
    }
  }

  private mutating func takeJournal(_ invocation: Invocation) throws(UsageProblem) {
    journal = invocation.value("--journal")
    upgrades = invocation.has("--upgrade")
    let downtime = invocation.value("--downtime")
    elapses = downtime == "elapse"
    var message: String?
    if journal == nil, upgrades || downtime != nil {
      message = "`\(upgrades ? "--upgrade" : "--downtime")` is about the journal of a run: write `--journal DIR`, too"
    }
    if journal != nil {
      if isSimulated { message = "`--journal` is for live runs: a simulated one can be run again" }
      if isFinal { message = "`--journal` and `--final` cannot go together: last values are shown at the end of a run" }
      if limits.secondsPerInstant.isFinite {
        message =
          "`--journal` and `--limit instant=…` cannot go together: what a clock has ended comes to another end when it is "
          + "made again; `--limit steps=…` comes to the same"
      }
      if record != nil { message = "`--journal` and `--record` cannot go together: a journal is a recording" }
    }
    if let message { throw UsageProblem(message: message, command: invocation.command) }
  }

  private func checkTimes(_ invocation: Invocation) throws(UsageProblem) {
    var message: String?
    if trace != nil, !times.isEmpty { message = "`--time` and `--trace` cannot go together: a trace says when by `at`" }
    if times.isEmpty, invocation.has("--late") {
      message = "`--late` needs `--time NAME=FIELD`, which says when a line happens"
    }
    if times.isEmpty, trace == nil, from != nil {
      message = "`--from` needs times: `--time NAME=FIELD` or `--trace FILE`"
    }
    if let twice = times.indices.first(where: { index in times[..<index].contains { $0.name == times[index].name } }) {
      message = "`--time` is given twice for `\(times[twice].name)`"
    }
    if let message { throw UsageProblem(message: message, command: invocation.command) }
  }

  private static func draining(_ invocation: Invocation) throws(UsageProblem) -> Draining {
    let hasDrain = invocation.has("--drain")
    if invocation.has("--no-drain") {
      if !hasDrain { return .never }
      throw UsageProblem(message: "`--drain` and `--no-drain` cannot go together", command: invocation.command)
    }
    if !hasDrain { return .live }
    if invocation.value("--drain") == "" { return .always }
    return try duration(invocation, "--drain", joint: "=").map { .atMost($0) } ?? .always
  }

  private static func duration(
    _ invocation: Invocation, _ flag: String, joint: String = " "
  ) throws(UsageProblem) -> Int? {
    guard let text = invocation.value(flag) else { return nil }
    if let nanoseconds = DurationText.nanoseconds(text) { return nanoseconds }
    let example = flag + joint
    let hint =
      DurationText.nanoseconds(text + "s") != nil
      ? "`\(text)` of what? write `\(example)\(text)s`" : "write `\(example)10s`, `250ms`, `5min`, `1h`"
    throw UsageProblem(message: "`\(flag)` is a length of time, not `\(text)`: \(hint)", command: invocation.command)
  }
}

// MARK: Of a run with a journal

extension RunOptions {
  /// The period of samples, in nanoseconds.
  var samplePeriod: Int { sample ?? Self.defaultSample }

  /// Where outputs go, and how: as a JSON object.
  var ways: String {
    let words = outputs.map { jsonString($0.word) }.sorted()
    return
      "{\"format\":\"\(format.rawValue)\",\"sample\":\(samplePeriod),\"out\":[\(words.joined(separator: ","))]}"
  }

  /// The same with outputs that go as `ways` says; nil where that cannot be read.
  func going(_ ways: String) -> RunOptions? {
    var next = self
    next.outputs = []
    for (name, json) in JSONParts.object(ways) ?? [] {
      switch name {
      case "format": next.format = JSONParts.string(json).flatMap(Format.init) ?? format
      // Journals of older versions do not say it.
      case "sample": next.sample = Int(json).flatMap { $0 > 0 ? $0 : nil } ?? sample
      default:
        for word in (JSONParts.array(json) ?? []).compactMap(JSONParts.string) {
          guard var output = try? PortBinding(word, "--out", "run") else { return nil }
          output.word = word
          next.outputs.append(output)
        }
      }
    }
    return next
  }
}

enum DurationText {
  private static let units: [(name: String, nanoseconds: Int)] = [
    ("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("min", 60_000_000_000), ("h", 3_600_000_000_000),
    ("s", 1_000_000_000),
  ]

  /// `1.5s`, `250ms`, `5min`, `1h` in whole nanoseconds; nil for anything else or beyond 292 years.
  static func nanoseconds(_ text: String) -> Int? {
    guard let unit = units.first(where: { text.hasSuffix($0.name) && isNumber(text.dropLast($0.name.count)) }) else {
      return nil
    }
    let number = text.dropLast(unit.name.count).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = number.first.flatMap({ Int($0) }) else { return nil }
    let (product, overflow) = whole.multipliedReportingOverflow(by: unit.nanoseconds)
    if overflow { return nil }
    guard number.count == 2 else { return product }
    guard let fraction = Double("0." + number[1]) else { return nil }
    let rest = Int((fraction * Double(unit.nanoseconds)).rounded())
    let (sum, overflows) = product.addingReportingOverflow(rest)
    return overflows ? nil : sum
  }

  private static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) } && text.utf8.first != 0x2E
  }
}
