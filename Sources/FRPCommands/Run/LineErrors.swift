// Bad lines and faults: reported, counted, and (with --strict) the end of the run.

import FRP
import FRPBase
import FRPRuntime

/// Keeps count of what went wrong in a run and says it, without flooding the terminal.
final class Complaints {
  private let reporter: Reporter
  private let program: Program
  /// How many are said in full, of lines and for each place that faults.
  private static let fullReports = 10
  private static let reportsOfOnePlace = 3
  /// And of what was told by earlier processes.
  private static let pastReportsOfAll = 3
  private(set) var badLines = 0
  private var reports = 0
  private(set) var faults = 0
  /// How often a sink failed, or a source ended with an error.
  private(set) var failedSinks = 0
  /// How late the latest line was, in nanoseconds.
  private var lateness: Int64 = 0
  /// Inputs of which a line fits, and of which one does not.
  private var good: Set<String> = []
  private var bad: Set<String> = []
  private var lastGood = ""
  /// Inputs of whose first line, and of whose other lines, something odd was told.
  private var oddHeaders: Set<String> = []
  private var odd: Set<String> = []
  private var faultsByPlace: [Span: Int] = [:]
  /// What happened in an earlier process and happens again: by itself, so that it hides nothing that is new.
  private var pastSinks = 0
  private var pastReports = 0
  private var pastFaultsByPlace: [Span: Int] = [:]
  private static let ofThePast = "; that was in an earlier process, and the journal has it still"

  init(_ reporter: Reporter, _ program: Program) {
    self.reporter = reporter
    self.program = program
  }

  /// So many lines of an input fit. Cost: little, as it is mostly the input of before.
  func addGood(_ count: Int, of source: String) {
    if count == 0 || source == lastGood { return }
    lastGood = source
    good.insert(source)
  }

  /// Inputs of which no line fits, though they have some.
  private var unusable: [String] { bad.subtracting(good).sorted() }

  var isAnyInputUnusable: Bool { !unusable.isEmpty }

  func add(_ line: BadLine, isPast: Bool = false) {
    if !line.isHeader { badLines += 1 }
    bad.insert(line.source)
    lateness = max(lateness, line.lateness)
    if line.isRepetition { return }
    if isPast { return addPast(line) }
    reports += 1
    if reporter.format == .json { return reporter.console.err.writeLine(line.json()) }
    if reports <= Self.fullReports { reporter.failure(line.text) }
    if reports == Self.fullReports + 1 { reporter.failure("more lines that do not fit are only counted") }
  }

  private func addPast(_ line: BadLine) {
    pastReports += 1
    var line = line
    line.message += Self.ofThePast
    if reporter.format == .json { return reporter.console.err.writeLine(line.json()) }
    if pastReports <= Self.pastReportsOfAll { reporter.failure(line.text) }
    if pastReports == Self.pastReportsOfAll + 1 {
      reporter.failure("more values of earlier processes that do not fit are only counted")
    }
  }

  /// An input of JSON has no list where it was said to stand.
  func add(listMissingAt keys: [String], of source: String) {
    bad.insert(source)
    let line = BadLine(
      source: source, line: 0, column: 0, path: "", message: "no list stands at `\(keys.joined(separator: "."))`")
    if reporter.format == .json { return reporter.console.err.writeLine(line.json()) }
    reporter.failure(line.text)
  }

  /// A line fits, but a key came twice, or a word may stand for no value; or a header has no column for what may be None. Told
  /// once an input.
  func add(_ oddity: DecodeProblem, of source: String, line: Int) {
    let isNew = oddity.isOfHeader ? oddHeaders.insert(source).inserted : odd.insert(source).inserted
    if !isNew { return }
    var note = BadLine(source: source, line: line, oddity)
    note.message += oddity.absenceHelp(source)
    if reporter.format == .json { return reporter.console.err.writeLine(note.json(severity: "warning")) }
    reporter.failure("warning: " + note.text)
  }

  func add(_ fault: ReactorFault, _ sequel: FaultSequel) {
    faults += 1
    let count: Int
    if case .isPast = sequel {
      pastFaultsByPlace[fault.fault.span, default: 0] += 1
      count = pastFaultsByPlace[fault.fault.span] ?? 0
    } else {
      faultsByPlace[fault.fault.span, default: 0] += 1
      count = faultsByPlace[fault.fault.span] ?? 0
    }
    if count > Self.reportsOfOnePlace { return }
    var diagnostic = program.diagnostic(of: fault, sequel)
    if count == Self.reportsOfOnePlace { diagnostic.notes.append("more faults of this place are only counted") }
    reporter.report([diagnostic], program.sources)
  }

  /// The source of an input has ended with an error.
  func add(sourceOf input: String, _ message: String, isPast: Bool = false) {
    failedSinks += 1
    reporter.failure("the source of `\(input)` has ended: \(message)\(isPast ? Self.ofThePast : "")")
  }

  /// The sink of an output has ended with an error.
  func add(sinkOf output: String, _ message: String, isPast: Bool = false) {
    failedSinks += 1
    if isPast {
      pastSinks += 1
      if pastSinks <= Self.pastReportsOfAll { reporter.failure("the sink of `\(output)`: \(message)\(Self.ofThePast)") }
      if pastSinks == Self.pastReportsOfAll + 1 {
        reporter.failure("more sinks that failed in earlier processes are only counted")
      }
      return
    }
    let count = failedSinks - pastSinks
    if count <= Self.fullReports { reporter.failure("the sink of `\(output)`: \(message)") }
    if count == Self.fullReports + 1 { reporter.failure("more sinks that fail are only counted") }
  }

  /// Says how much there was, at the end.
  func summarize() {
    if reporter.format == .json { return }
    if badLines > 0 { reporter.failure(Self.counted(badLines, "line was", "lines were") + " skipped" + lateHelp) }
    for source in unusable { reporter.failure("no line of \(source) fits") }
    if failedSinks > 1 { reporter.failure(Self.counted(failedSinks, "failure", "failures") + " of sources and sinks") }
    if faults > 1 { reporter.failure(Self.counted(faults, "fault", "faults") + " in all") }
  }

  /// What would have let the late lines in, in whole hours, minutes or seconds.
  private var lateHelp: String {
    if lateness == 0 { return "" }
    let seconds = (lateness - 1) / 1_000_000_000 + 1
    let (length, unit) = seconds > 7200 ? (3600, "h") : seconds > 120 ? (60, "min") : (1, "s") as (Int64, String)
    return "; `--late \((seconds - 1) / length + 1)\(unit)` waits for those that are late"
  }

  private static func counted(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }
}
