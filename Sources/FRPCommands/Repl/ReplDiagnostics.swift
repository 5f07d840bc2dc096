// Diagnostics as the prompt shows them: without a file name, and with places counted in what was typed.

import FRP
import FRPBase

extension ReplSession {
  /// The text that an expression gets in front of it, so that it is a definition. Nobody typed it.
  static let itPrefix = "it = "

  func render(_ diagnostics: [Diagnostic], _ sources: SourceMap) -> String {
    var diagnostics = diagnostics
    var sources = sources
    UntypedPrefix(file: "prompt", text: Self.itPrefix).remove(from: &diagnostics, &sources)
    var style = DiagnosticStyle(width: console.width(nil), color: hasColours)
    style.cropsLines = source.isInteractive
    let text = renderText(diagnostics, sources: sources, style: style)
    // There is one file, the prompt: its name would be noise.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      !line.drop { "\u{1B}[;0123456789m ".contains($0) }.hasPrefix("prompt:")
    }
    return lines.joined(separator: "\n").trimmingLines()
  }

  /// What a fault is, on one line: for who has no terminal.
  func brief(_ fault: Diagnostic) -> String { fault.title + (fault.label.isEmpty ? "" : ": \(fault.label)") }

  /// Why something could not be, on one line.
  func said(_ error: SimulationError) -> String {
    if case .fault(let fault) = error { brief(fault) } else { words(error) }
  }

  /// Errors of a program that a file is to become part of, with the file's name and its lines.
  func render(
    _ diagnostics: [Diagnostic], _ program: ReplProgram, of source: SourceFile, _ places: [(item: ReplItem, start: Int)]
  ) -> String {
    var sources = program.program.sources
    let file = sources.add(source)
    var ranges: [(range: Range<Int>, shift: Int)] = []
    var start = 0
    for text in program.texts {
      let end = start + text.utf8.count
      if let place = places.first(where: { $0.item.text == text }) { ranges.append((start..<end, place.start - start)) }
      start = end + 1
    }
    func moved(_ span: Span) -> Span {
      guard !span.isNone, sources.files[Int(span.file.raw)].name == "prompt",
        let found = ranges.first(where: { $0.range.contains(Int(span.start)) })
      else { return span }
      return Span(file: file, start: Int(span.start) + found.shift, end: Int(span.end) + found.shift)
    }
    let placed = diagnostics.map { diagnostic in
      var diagnostic = diagnostic
      diagnostic.span = moved(diagnostic.span)
      for index in diagnostic.labels.indices { diagnostic.labels[index].span = moved(diagnostic.labels[index].span) }
      for index in diagnostic.helps.indices {
        guard let edit = diagnostic.helps[index].edit else { continue }
        diagnostic.helps[index].edit = Help.Edit(moved(edit.span), edit.text, isSafe: edit.isSafe)
      }
      return diagnostic
    }
    return render(placed, sources)
  }

  /// Whether none of these errors lies in what was typed, but all in definitions that depend on it.
  func liesInDependents(_ errors: [Diagnostic], _ items: [ReplItem]) -> Bool {
    let typed = items.reduce(0) { $0 + $1.text.utf8.count + 1 }
    return !errors.isEmpty && errors.allSatisfy { !$0.span.isNone && Int($0.span.start) >= typed }
  }

  /// The definitions that errors lie in.
  func itemsWithErrors(_ program: ReplProgram) -> [ReplItem] {
    var start = 0
    var found: Set<String> = []
    for text in program.texts {
      let end = start + text.utf8.count
      if program.errors.contains(where: { (start..<end).contains(Int($0.span.start)) }) { found.insert(text) }
      start = end + 1
    }
    return program.items.filter { found.contains($0.text) }
  }
}
