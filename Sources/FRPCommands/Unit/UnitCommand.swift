// `frp unit FILE …`: writes the systemd unit that runs a program as `frp run FILE …` would.
//
// In: the flags of a live run. Out: the unit on standard output. What would not begin as a service is refused here, with the
// reason, and not by the manager at night.

import FRP
import FRPBase
import FRPIO
import FRPWorld
import Glibc

enum UnitCommand {
  /// What is of simulated time, or of one process only.
  static let notOfServices: Set<String> = ["--trace", "--virtual", "--time", "--from", "--late", "--drain", "--final"]

  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    let path = invocation.operands[0]
    let options: RunOptions
    do { options = try RunOptions(invocation) } catch { return Usage.report(error, console) }
    if path == "-" {
      reporter.failure("a service reads its program from a file, not from standard input")
      return .wrongUsage
    }
    guard var source = ProgramFile.read(path, reporter) else { return .wrongUsage }
    do { try RunCommand.connect(options, in: &source) } catch { return Usage.report(error, console) }
    let program = invocation.surroundings.compile(source)
    reporter.report(program.diagnostics, program.sources)
    if program.hasErrors { return .programHasErrors }
    let words = ["frp", "unit", path] + invocation.givenFlags
    if let code = RunCommand.missing(program, options, words, reporter) { return code }
    if let problem = unknownName(program, options) {
      reporter.failure(problem)
      return .wrongUsage
    }
    if let input = standardInput(program, options) {
      reporter.failure(
        "a service has no standard input: connect `\(input)` with --in \(input)=…, or with `from` in the text")
      return .wrongUsage
    }
    do throws(IOError) {
      console.out.write(try ServiceUnit(invocation, program, options).text)
    } catch {
      reporter.failure(error.message)
      return .wrongUsage
    }
    console.out.flush()
    return .success
  }

  /// What a flag names and the program does not have.
  private static func unknownName(_ program: Program, _ options: RunOptions) -> String? {
    let (inputs, outputs) = (program.inputs.map(\.name), program.outputs.map(\.name))
    let uses = [
      ("--in", "input", options.inputs.map(\.name), inputs), ("--set", "input", options.settings.map(\.name), inputs),
      ("--out", "output", options.outputs.map(\.name), outputs),
      ("--until", "output", options.until.map { [$0] } ?? [], outputs),
    ]
    for (flag, kind, names, known) in uses {
      guard let name = names.first(where: { !known.contains($0) }) else { continue }
      let near = nearestNames(name, among: known).first.map { "; did you mean `\($0)`?" } ?? ""
      return "\(flag) \(name): the program has no \(kind) `\(name)`\(near)"
    }
    return nil
  }

  /// The input that `frp run` would read from standard input.
  private static func standardInput(_ program: Program, _ options: RunOptions) -> String? {
    if let binding = options.inputs.first(where: { $0.path == "-" }) { return binding.name }
    guard options.inputs.isEmpty, program.inputs.count == 1, let input = program.inputs.first,
      !program.boundInputs.contains(input.name), !options.disconnected.contains(input.name)
    else { return nil }
    return input.name
  }
}
