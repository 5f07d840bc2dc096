// `frp explain CODE`: the page of a diagnostic code, with what the compiler says about its wrong program.

import FRP
import FRPBase

enum ExplainCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    guard let code = invocation.operands.first else {
      for page in ExplainPage.all { console.out.writeLine("\(page.code)  \(page.title)") }
      return .success
    }
    guard let page = ExplainPage.find(code) else {
      return Usage.report(
        UsageProblem(
          message: "there is no code `\(code)`; `frp explain` lists them all", command: "explain",
          suggestion: nearestNames(code.uppercased(), among: ExplainPage.all.map(\.code)).first), console)
    }
    console.out.write(page.text(message: message(of: page)))
    return .success
  }

  /// What the compiler says about the wrong program of a page; empty for faults of run time.
  static func message(of page: ExplainPage) -> String {
    if page.isSketch || page.code.hasPrefix("R") { return "" }
    let program = Program(Source(name: "wrong.frp", text: page.wrong))
    let style = DiagnosticStyle(showsMore: false)
    return renderText(program.diagnostics.filter { $0.code == page.code }, sources: program.sources, style: style)
  }
}
