// Diagnostics and notes on standard error, in the format the user asked for.

import FRP
import FRPBase

struct Reporter {
  enum Format: String { case human, short, json }

  private(set) var console: Console
  let format: Format
  let isQuiet: Bool
  let deniesWarnings: Bool
  private let hasColor: Bool
  private let width: Int

  init(_ invocation: Invocation, _ console: Console) {
    self.console = console
    // Of a run it says how outputs are written.
    let isAllJSON = invocation.value("--format") == "json" && !["run", "eval"].contains(invocation.command)
    format = isAllJSON ? .json : invocation.value("--error-format").flatMap(Format.init) ?? .human
    isQuiet = invocation.has("--quiet")
    deniesWarnings = invocation.value("--deny") == "warnings"
    hasColor = console.wantsColor(invocation.value("--color"))
    width = console.width(invocation.value("--width"))
  }

  /// The same, with other streams for what a program shows.
  func writing(to console: Console) -> Reporter {
    var reporter = self
    reporter.console = console
    return reporter
  }

  /// Something a person should know; nothing a machine reads.
  func note(_ text: String) {
    if isQuiet || format == .json { return }
    say("frp: " + text)
  }

  /// Something went wrong that is no fault of the program's text.
  func failure(_ text: String) { say("frp: " + text) }

  /// Text that may hold parts of data, without colours of its own.
  private func say(_ text: String) {
    console.err.writeLine(console.err.isTerminal ? safeForTerminal(text) : text)
  }

  /// Errors and warnings; in the order of their places.
  func report(_ diagnostics: [Diagnostic], _ sources: SourceMap) {
    var (diagnostics, sources) = (diagnostics, sources)
    EvalCommand.prefix.remove(from: &diagnostics, &sources)
    switch format {
    case .json: console.err.write(renderJSON(diagnostics, sources: sources))
    case .short:
      for diagnostic in sortedDiagnostics(diagnostics, in: sources) { say(Self.short(diagnostic, sources)) }
    case .human:
      var style = DiagnosticStyle(width: width, color: hasColor)
      style.cropsLines = console.errorIsTerminal
      let text = renderText(diagnostics, sources: sources, style: style)
      if !text.isEmpty { console.err.write(text + "\n") }
    }
  }

  /// 1 if there are errors, or warnings that are denied.
  func exitCode(_ diagnostics: [Diagnostic]) -> ExitCode {
    let isBad = diagnostics.contains { $0.severity == .error || deniesWarnings && $0.severity == .warning }
    return isBad ? .programHasErrors : .success
  }

  /// `file:line:column: error[E0101]: title`.
  static func short(_ diagnostic: Diagnostic, _ sources: SourceMap) -> String {
    let head = "\(diagnostic.severity.rawValue)[\(diagnostic.code)]: \(diagnostic.title)"
    if diagnostic.span.isNone { return head }
    let file = sources[diagnostic.span.file]
    let place = file.position(at: Int(diagnostic.span.start))
    return "\(file.name):\(place.line):\(place.column): \(head)"
  }
}
