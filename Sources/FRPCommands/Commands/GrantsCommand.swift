// `frp grants FILE`: what a program needs, as lines of a file of grants.

import FRP
import FRPWorld

enum GrantsCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    let path = invocation.operands.first ?? "-"
    guard let program = ProgramFile.compile(path, reporter, surroundings: invocation.surroundings) else {
      return .wrongUsage
    }
    reporter.report(program.diagnostics, program.sources)
    if program.hasErrors { return .programHasErrors }
    let needs = WorldNeed.all(of: program)
    if needs.isEmpty { reporter.note("it needs nothing") }
    for need in needs { console.out.writeLine(need.text) }
    return .success
  }
}
