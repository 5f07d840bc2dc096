// `frp fmt [--check] FILES`: one style, no options. `-` formats standard input to standard output.

import FRP
import FRPBase

enum FormatCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    var worst = ExitCode.success
    for path in invocation.operands {
      worst = max(worst, format(path, isCheck: invocation.has("--check"), reporter: reporter))
    }
    return worst
  }

  private static func format(_ path: String, isCheck: Bool, reporter: Reporter) -> ExitCode {
    guard let source = ProgramFile.read(path, reporter) else { return .wrongUsage }
    let result = source.formatted()
    guard let text = result.text else {
      reporter.report(result.diagnostics, result.sources)
      return .programHasErrors
    }
    let isSame = Array(text.utf8) == source.bytes
    if isCheck {
      if !isSame { reporter.failure("\(path) is not formatted") }
      return isSame ? .success : .programHasErrors
    }
    if path == "-" {
      reporter.console.out.write(text)
    } else if !isSame {
      do { try Files.replace(path, with: text) } catch {
        reporter.failure("cannot write `\(path)`: \(error.message)")
        return .wrongUsage
      }
    }
    return .success
  }
}
