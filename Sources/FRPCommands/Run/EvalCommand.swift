// `frp -e TEXT`: a program, or an expression whose value is shown.
//
// An expression becomes the program `output it = TEXT`. Where the text uses `lines` and does not define it, `lines` is
// standard input, one String a line.

import FRP
import FRPBase

enum EvalCommand {
  static let prefix = UntypedPrefix(file: "text", text: "output it = ")

  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    let options: RunOptions
    do { options = try RunOptions(invocation) } catch { return Usage.report(error, console) }
    guard let text = invocation.value("--eval") ?? invocation.operands.first else {
      return Usage.report(UsageProblem(message: "`frp eval` needs a TEXT", command: "eval"), console)
    }
    let program = program(text, invocation.surroundings)
    let words = ["frp", "-e", text] + invocation.givenFlags
    if let code = RunCommand.missing(program, options, words, reporter) { return code }
    return RunCommand.run(program, options, reporter, isInputTaken: false)
  }

  /// The program that is meant by a text: the first reading without errors, else the likeliest.
  static func program(_ text: String, _ surroundings: Surroundings = Surroundings()) -> Program {
    let plain = readings(text, surroundings)
    if let program = plain.first(where: isGood) { return program }
    var reading = plain
    if usesLines(text) {
      let lined = readings(text, surroundings, prelude: "input lines: Event<String>\n")
      if let program = lined.first(where: isGood) { return program }
      // The text may define the name itself.
      if !lined[0].diagnostics.contains(where: { $0.code == .duplicateName }) { reading = lined }
    }
    return isDefinition(text) || isProgram(plain[0]) ? reading[0] : reading[1]
  }

  /// Whether a text begins as a definition or declaration does: `x = …`, `f(x) = …`, `input x: …`.
  private static func isDefinition(_ text: String) -> Bool {
    let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    // These words begin nothing else; what is wrong with the rest is said of a program.
    if ["input", "output", "type", "alias", "import", "test"].contains(String(name)) {
      return text.dropFirst(name.count).first?.isWhitespace == true
    }
    if name.isEmpty || ReplSyntax.words.contains(String(name)) { return false }
    var rest = text.dropFirst(name.count)
    if rest.first == "(", let end = rest.firstIndex(of: ")") { rest = rest[rest.index(after: end)...] }
    rest = rest.drop { $0 == " " }
    return rest.first == "=" && !["==", "=>"].contains(String(rest.prefix(2)))
  }

  /// A text as a program, and as an expression.
  private static func readings(_ text: String, _ surroundings: Surroundings, prelude: String = "") -> [Program] {
    let expression = prefix.text + text.replacingLineBreaks()
    return [text, expression].map {
      surroundings.compile(Source(name: "text", text: $0 + "\n" + prelude))
    }
  }

  private static func isGood(_ program: Program) -> Bool { !program.hasErrors && !program.outputs.isEmpty }

  private static func isProgram(_ program: Program) -> Bool {
    !program.diagnostics.contains { $0.code.isOfSyntax }
  }

  /// Whether the word `lines` stands in the text; it is a built-in function, too.
  private static func usesLines(_ text: String) -> Bool {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains("lines")
  }
}
