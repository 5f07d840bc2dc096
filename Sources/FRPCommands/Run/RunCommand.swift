// `frp run FILE` and `frp -e TEXT`.

import FRP
import FRPBase

enum RunCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    let options: RunOptions
    do { options = try RunOptions(invocation) } catch { return Usage.report(error, console) }
    guard let source = ProgramFile.read(invocation.operands.first ?? "-", reporter) else { return .wrongUsage }
    let program = Program(source)
    reporter.report(program.diagnostics, program.sources)
    let verdict = reporter.exitCode(program.diagnostics)
    if verdict != .success { return verdict }
    _ = options
    return .success
  }
}

enum EvalCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode { .success }
}
