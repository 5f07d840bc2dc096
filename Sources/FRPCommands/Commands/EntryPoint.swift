// The way in: words of the command line and a console -> an exit code.

import FRP
import FRPBase
import FRPWorld
import Glibc

import enum FRPIO.StartedAs

package enum CommandLineInterface {
  /// Runs one command line (without the program's own name). Everything is flushed when it returns. Programs, tests and
  /// the prompt have what `host` adds, and what the files of `--host` declare.
  package static func run(_ words: [String], _ console: Console, host: [HostModule] = []) -> ExitCode {
    run(words, console, host: host, isProcess: false)
  }

  private static func run(
    _ words: [String], _ console: Console, host: [HostModule], isProcess: Bool, built: BuiltProgram? = nil
  ) -> ExitCode {
    defer {
      console.out.flush()
      console.err.flush()
    }
    do {
      let request = try ArgumentParser.parse(built?.words(words) ?? words)
      return told(try perform(request, console, host, isProcess: isProcess, built), console)
    } catch {
      return Usage.report(error, console)
    }
  }

  /// The whole process: its own streams, on a large stack, with quiet broken pipes.
  package static func main(
    _ words: [String] = Array(StartedAs.arguments.dropFirst()), host: [HostModule] = []
  ) -> Int32 {
    reserveStandardStreams()
    signal(SIGPIPE, SIG_IGN)
    // A file that has reached its limit of size is a write that fails.
    signal(SIGXFSZ, SIG_IGN)
    // The bytes of a name are lost where it becomes a text: it would be another file's.
    if let word = StartedAs.unreadable {
      return refused(
        "`\(word)` is not UTF-8: a file with such a name is given another, or read as standard input, < FILE")
    }
    var built: BuiltProgram?
    switch BuiltProgram.ofThisProcess() {
    case .none: break
    case .program(let program): built = program
    case .damaged:
      return refused("the program in this file is damaged: it was cut off or changed after `frp build`")
    case .hidden:
      return refused(
        "the program in this file cannot be read: that needs the right to read the file, and /proc or its path, ./NAME")
    }
    // What a host does is not the program's, and is not confined with it.
    var console = Console.standard()
    if built != nil { console.program = StartedAs.arguments.first }
    return onLargeStack {
      run(words, console, host: host, isProcess: host.isEmpty, built: built).rawValue
    }
  }

  /// Nothing can begin: says why.
  private static func refused(_ why: String) -> Int32 {
    let console = Console.standard()
    console.err.writeLine("frp: " + (console.err.isTerminal ? safeForTerminal(why) : why))
    console.err.flush()
    return ExitCode.wrongUsage.rawValue
  }

  /// Success only if all that was written has arrived. A reader who went away has seen enough.
  private static func told(_ code: ExitCode, _ console: Console) -> ExitCode {
    console.out.flush()
    if code != .success || console.out.failure == 0 || console.out.failure == EPIPE { return code }
    console.err.writeLine("frp: cannot write: \(SystemError(code: console.out.failure).message)")
    return .fault
  }

  /// What the caller has closed must not become the descriptor of something else. Standard input is empty then; writing to
  /// the others fails, and is said to.
  private static func reserveStandardStreams() {
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 { _ = open("/dev/null", O_RDONLY) }
  }

  private static func perform(
    _ request: Request, _ console: Console, _ host: [HostModule], isProcess: Bool, _ built: BuiltProgram?
  ) throws(UsageProblem) -> ExitCode {
    switch request {
    case .command(let command, var invocation):
      invocation.built = built
      invocation.limits = try GrantedLimits(invocation.values("--limit"), command: invocation.command)
      do throws(ExitCode) {
        invocation.host = host + (try ProgramFile.host(invocation.values("--host"), Reporter(invocation, console)))
      } catch { return error }
      invocation.world = try GrantedWorld.world(of: invocation)
      invocation.isProcess = isProcess
      defer { invocation.world?.close() }
      return command.run(invocation, console)
    case .help(let command):
      if let built {
        console.out.write(built.help(console.program ?? "frp"))
        return .success
      }
      console.out.write(command.map(HelpText.page) ?? HelpText.overview())
      return .success
    case .version:
      return VersionCommand.run(Invocation(command: "version", operands: [], flags: [:]), console)
    case .nothing(var invocation):
      invocation.limits = try GrantedLimits(invocation.values("--limit"), command: "")
      invocation.host = host
      invocation.isProcess = isProcess
      invocation.world = try GrantedWorld.world(of: invocation)
      defer { invocation.world?.close() }
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
