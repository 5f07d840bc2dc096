// `frp test FILES`: runs the `test` blocks of programs under the simulated clock; with --watch again and again.

import FRP
import FRPBase
import Glibc

enum TestCommand {
  private struct Outcome {
    var file: String
    var result: TestResult
  }

  /// What a run of all tests came to.
  private struct Report {
    var outcomes: [Outcome] = []
    /// Files whose tests could not run, and why.
    var broken: [(file: String, reason: String)] = []
  }

  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    if invocation.has("--watch") { return watch(invocation, console) }
    return runOnce(invocation, console).code
  }

  /// Runs all tests, and gives the files they were read from: the programs, and the modules that these import.
  private static func runOnce(_ invocation: Invocation, _ console: Console) -> (code: ExitCode, files: [String]) {
    let reporter = Reporter(invocation, console)
    var report = Report()
    var worst = ExitCode.success
    var files = invocation.operands
    // Also those that do not exist yet.
    var surroundings = invocation.surroundings
    let modules = surroundings.modules
    surroundings.modules.read = { path in
      if !files.contains(path) { files.append(path) }
      return modules.read(path)
    }
    for path in invocation.operands {
      guard let source = ProgramFile.read(path, reporter) else {
        worst = .wrongUsage
        report.broken.append((path, "it cannot be read"))
        if invocation.has("--watch") { continue }
        break
      }
      let program = surroundings.compile(source)
      reporter.report(program.diagnostics, program.sources)
      if program.hasErrors {
        worst = max(worst, .programHasErrors)
        report.broken.append((path, program.diagnostics.first { $0.severity == .error }?.title ?? "it has errors"))
        continue
      }
      for block in TestBlock.all(in: source) where invocation.value("--filter").map(block.name.contains) ?? true {
        let result = block.run(
          in: source, modules: modules, host: surroundings.modules(for: source))
        report.outcomes.append(Outcome(file: path, result: result))
      }
    }
    show(report, format: invocation.value("--format") ?? "text", on: console)
    if let word = invocation.value("--filter"), report.outcomes.isEmpty, worst == .success {
      reporter.failure("no test has `\(word)` in its name, so none ran: `--filter` takes a part of a name")
      worst = .wrongUsage
    }
    return (report.outcomes.allSatisfy(\.result.passed) ? worst : max(worst, .programHasErrors), files)
  }

  // MARK: Watching

  /// Runs the tests again whenever a file changes, until ^C. A terminal shows the newest run only.
  private static func watch(_ invocation: Invocation, _ console: Console) -> ExitCode {
    while true {
      if console.outputIsTerminal { console.out.write(Array("\u{1B}[H\u{1B}[2J\u{1B}[3J".utf8)) }
      console.out.writeLine("\(timeOfDay())  frp test \(invocation.operands.joined(separator: " "))")
      let files = runOnce(invocation, console).files
      console.out.writeLine("")
      console.out.flush()
      console.err.flush()
      // Nobody reads any more.
      if console.out.isBroken { return .success }
      waitForChange(of: files)
    }
  }

  /// Looks five times a second: editors replace files in ways that change notices miss.
  private static func waitForChange(of files: [String]) {
    let before = files.map(Files.stamp)
    while files.map(Files.stamp) == before { usleep(200_000) }
    // What is still being written is let be written.
    usleep(50_000)
  }

  private static func timeOfDay() -> String {
    var now = Glibc.time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
  }

  // MARK: Showing

  private static func show(_ report: Report, format: String, on console: Console) {
    switch format {
    case "json":
      for outcome in report.outcomes { console.out.writeLine(json(outcome)) }
      for (file, reason) in report.broken {
        console.out.writeLine("{\"file\":\(jsonString(file)),\"passed\":false,\"error\":\(jsonString(reason))}")
      }
    case "junit": console.out.write(junit(report))
    default: text(report, console)
    }
  }

  private static func text(_ report: Report, _ console: Console) {
    let outcomes = report.outcomes
    for outcome in outcomes {
      let result = outcome.result
      console.out.writeLine("\(result.passed ? "ok  " : "FAIL")  \(result.name)  (\(outcome.file):\(result.line))")
      for failure in result.failures {
        for line in failure.split(separator: "\n", omittingEmptySubsequences: false) {
          console.out.writeLine("  " + line)
        }
      }
    }
    let failed = outcomes.count { !$0.result.passed }
    let broken = report.broken.count
    let unrun = broken == 0 ? "" : ", \(broken) \(broken == 1 ? "file" : "files") not run"
    console.out.writeLine("\(outcomes.count - failed) passed, \(failed) failed\(unrun)")
  }

  private static func json(_ outcome: Outcome) -> String {
    let result = outcome.result
    let failures = result.failures.map(jsonString).joined(separator: ",")
    return "{\"test\":\(jsonString(result.name)),\"file\":\(jsonString(outcome.file)),\"line\":\(result.line),"
      + "\"passed\":\(result.passed),\"failures\":[\(failures)]}"
  }

  private static func junit(_ report: Report) -> String {
    let failed = report.outcomes.count { !$0.result.passed }
    // A file is a case in error, since nobody knows how many tests it has.
    let (broken, all) = (report.broken.count, report.outcomes.count + report.broken.count)
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"frp\" tests=\"\(all)\""
    text += " failures=\"\(failed)\" errors=\"\(broken)\">\n"
    for (file, reason) in report.broken {
      text += "  <testcase classname=\"\(xml(file))\" name=\"\(xml(file))\" file=\"\(xml(file))\">\n"
      text += "    <error message=\"\(xml(reason))\"/>\n  </testcase>\n"
    }
    for outcome in report.outcomes {
      text += "  <testcase classname=\"\(xml(outcome.file))\" name=\"\(xml(outcome.result.name))\""
      text += " file=\"\(xml(outcome.file))\" line=\"\(outcome.result.line)\""
      if outcome.result.passed {
        text += "/>\n"
      } else {
        text += ">\n"
        for failure in outcome.result.failures { text += "    <failure>\(xml(failure))</failure>\n" }
        text += "  </testcase>\n"
      }
    }
    return text + "</testsuite>\n"
  }

  private static func xml(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20: result += "?"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
