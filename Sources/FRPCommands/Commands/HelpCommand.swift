// `frp help [COMMAND|TOPIC]` and `frp version`.

import FRP
import FRPBase
import FRPRuntime

enum HelpCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    guard let name = invocation.operands.first else {
      console.out.write(HelpText.overview())
      return .success
    }
    if let command = CommandTable.commands.first(where: { $0.name == name }) {
      console.out.write(HelpText.page(command))
      return .success
    }
    if let topic = HelpTopic.all.first(where: { $0.name == name }) {
      console.out.write(topic.text)
      return .success
    }
    if ExplainPage.find(name) != nil {
      var invocation = invocation
      invocation.operands = [name]
      return ExplainCommand.run(invocation, console)
    }
    let names = CommandTable.commands.map(\.name) + HelpTopic.all.map(\.name)
    return Usage.report(
      UsageProblem(
        message: "there is no help on `\(name)`; topics are \(HelpTopic.all.map(\.name).joined(separator: ", "))",
        command: "help", suggestion: nearestNames(name, among: names).first),
      console)
  }
}

enum VersionCommand {
  static let version = "0.1.0"
  /// The edition of the language that this build reads.
  static let language = "0.1"

  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    if invocation.has("--json") {
      console.out.writeLine(
        "{\"version\":\"\(version)\",\"language\":\"\(language)\",\"platform\":\"\(platform)\",\"build\":\"\(build)\"}")
    } else {
      console.out.writeLine("frp \(version) (language \(language), \(platform))")
      if invocation.has("--verbose") {
        console.out.writeLine("machine code: \(Reactor.nativeRefusal ?? "what runs often becomes some")")
      }
    }
    return .success
  }

  private static var platform: String {
    #if arch(x86_64)
      let machine = "x86_64"
    #elseif arch(arm64)
      let machine = "arm64"
    #else
      let machine = "unknown"
    #endif
    #if os(Linux)
      return "linux-" + machine
    #elseif os(macOS)
      return "macos-" + machine
    #else
      return machine
    #endif
  }

  private static var build: String {
    #if DEBUG
      return "debug"
    #else
      return "release"
    #endif
  }
}

/// Wrong use of the command line: what is wrong, what may be meant, how it goes.
enum Usage {
  static func report(_ problem: UsageProblem, _ console: Console) -> ExitCode {
    console.err.writeLine("\(console.program ?? "frp"): \(problem.message)")
    if let suggestion = problem.suggestion { console.err.writeLine("  did you mean `\(suggestion)`?") }
    if let program = console.program {
      console.err.writeLine("  `\(program) --help` tells more")
    } else if let command = CommandTable.commands.first(where: { $0.name == problem.command }) {
      console.err.writeLine("usage: \(HelpText.usage(command))")
      console.err.writeLine("  `frp help \(command.name)` tells more")
    } else {
      console.err.writeLine("usage: frp COMMAND [flags] [operands]    or    frp FILE")
      console.err.writeLine("  `frp help` lists the commands")
    }
    return .wrongUsage
  }
}
