// `frp test FILES`: runs the `test` blocks of programs under the simulated clock.

import FRP
import FRPBase

enum TestCommand {
  private struct Outcome {
    var file: String
    var result: TestResult
  }

  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    var outcomes: [Outcome] = []
    var worst = ExitCode.success
    for path in invocation.operands {
      guard let source = ProgramFile.read(path, reporter) else { return .wrongUsage }
      let program = Program(source, modules: ProgramFile.modules)
      reporter.report(program.diagnostics, program.sources)
      if program.hasErrors {
        worst = .programHasErrors
        continue
      }
      for block in TestBlock.all(in: source) where invocation.value("--filter").map(block.name.contains) ?? true {
        outcomes.append(Outcome(file: path, result: block.run(in: source, modules: ProgramFile.modules)))
      }
    }
    show(outcomes, invocation.value("--format") ?? "text", console)
    return outcomes.allSatisfy(\.result.passed) ? worst : .programHasErrors
  }

  private static func show(_ outcomes: [Outcome], _ format: String, _ console: Console) {
    switch format {
    case "json": for outcome in outcomes { console.out.writeLine(json(outcome)) }
    case "junit": console.out.write(junit(outcomes))
    default: text(outcomes, console)
    }
  }

  private static func text(_ outcomes: [Outcome], _ console: Console) {
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
    console.out.writeLine("\(outcomes.count - failed) passed, \(failed) failed")
  }

  private static func json(_ outcome: Outcome) -> String {
    let result = outcome.result
    let failures = result.failures.map(jsonString).joined(separator: ",")
    return "{\"test\":\(jsonString(result.name)),\"file\":\(jsonString(outcome.file)),\"line\":\(result.line),"
      + "\"passed\":\(result.passed),\"failures\":[\(failures)]}"
  }

  private static func junit(_ outcomes: [Outcome]) -> String {
    let failed = outcomes.count { !$0.result.passed }
    var text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"frp\" tests=\"\(outcomes.count)\" failures=\"\(failed)\">\n"
    for outcome in outcomes {
      text += "  <testcase classname=\"\(xml(outcome.file))\" name=\"\(xml(outcome.result.name))\""
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
