// `frp -e TEXT`: a program, or an expression whose value is shown.
//
// An expression becomes the program `output it = TEXT`. Where the text uses `lines` and does not define it, `lines` is
// standard input, one String a line.

import FRP
import FRPBase

enum EvalCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    let options: RunOptions
    do { options = try RunOptions(invocation) } catch { return Usage.report(error, console) }
    guard let text = invocation.value("--eval") ?? invocation.operands.first else {
      return Usage.report(UsageProblem(message: "`frp eval` needs a TEXT", command: "eval"), console)
    }
    return RunCommand.run(program(text), options, reporter, isInputTaken: false)
  }

  /// The program that is meant by a text.
  static func program(_ text: String) -> Program {
    let whole = Program(source(text), modules: ProgramFile.modules)
    if !whole.hasErrors, !whole.outputs.isEmpty { return whole }
    let expression = Program(source("output it = " + indented(text)), modules: ProgramFile.modules)
    if !expression.hasErrors { return expression }
    // Both are wrong: the one with definitions is meant if the text has any that can be read.
    return isProgram(whole) ? whole : expression
  }

  private static func isProgram(_ program: Program) -> Bool {
    !program.diagnostics.contains { $0.code.hasPrefix("E01") }
  }

  private static func source(_ text: String) -> Source {
    Source(name: "text", text: usesLines(text) ? text + "\ninput lines: Event<String>\n" : text + "\n")
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
  }

  /// Whether the word `lines` stands in the text and is not declared there.
  private static func usesLines(_ text: String) -> Bool {
    var words: [Substring] = []
    words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    guard let index = words.firstIndex(of: "lines") else { return false }
    return index == 0 || words[index - 1] != "input"
  }
}
