// The way in: words of the command line and a console -> an exit code.

import FRP
import FRPBase
import Glibc

public enum CommandLineInterface {
  /// Runs one command line (without the program's own name). Everything is flushed when it returns. Programs, tests and
  /// the prompt have what `host` adds, and what the files of `--host` declare.
  public static func run(_ words: [String], _ console: Console, host: [HostModule] = []) -> ExitCode {
    defer {
      console.out.flush()
      console.err.flush()
    }
    do {
      return try perform(ArgumentParser.parse(words), console, host)
    } catch {
      return Usage.report(error, console)
    }
  }

  /// The whole process: its own streams, on a large stack, with quiet broken pipes.
  public static func main(
    _ words: [String] = Array(CommandLine.arguments.dropFirst()), host: [HostModule] = []
  ) -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    return onLargeStack { run(words, .standard(), host: host).rawValue }
  }

  private static func perform(
    _ request: Request, _ console: Console, _ host: [HostModule]
  ) throws(UsageProblem) -> ExitCode {
    switch request {
    case .command(let command, var invocation):
      do throws(ExitCode) {
        invocation.host = host + (try ProgramFile.host(invocation.values("--host"), Reporter(invocation, console)))
      } catch { return error }
      return command.run(invocation, console)
    case .help(let command):
      console.out.write(command.map(HelpText.page) ?? HelpText.overview())
      return .success
    case .version:
      return VersionCommand.run(Invocation(command: "version", operands: [], flags: [:]), console)
    case .nothing(var invocation):
      invocation.host = host
      return try nothing(invocation, console)
    }
  }

  /// Without a command: the prompt on a terminal, else the program on standard input.
  private static func nothing(_ invocation: Invocation, _ console: Console) throws(UsageProblem) -> ExitCode {
    if console.inputIsTerminal { return ReplEntryPoint.run(invocation, console) }
    var invocation = invocation
    invocation.command = "run"
    invocation.operands = ["-"]
    return RunCommand.run(invocation, console)
  }
}
