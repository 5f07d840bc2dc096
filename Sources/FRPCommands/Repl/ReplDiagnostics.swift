// Diagnostics as the prompt shows them: without a file name, and with places counted in what was typed.

import FRP
import FRPBase

extension ReplSession {
  /// The text that an expression gets in front of it, so that it is a definition. Nobody typed it.
  static let itPrefix = "it = "

  func render(_ diagnostics: [Diagnostic], _ sources: SourceMap) -> String {
    var diagnostics = diagnostics
    var sources = sources
    withoutPrefix(&diagnostics, &sources)
    let text = renderText(
      diagnostics, sources: sources, style: DiagnosticStyle(width: console.width(nil), color: hasColours))
    // There is one file, the prompt: its name would be noise.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      !line.drop { "\u{1B}[;0123456789m ".contains($0) }.hasPrefix("prompt:")
    }
    return lines.joined(separator: "\n").trimmingLines()
  }

  /// Takes `it = ` off the first line, and moves every place in that file.
  private func withoutPrefix(_ diagnostics: inout [Diagnostic], _ sources: inout SourceMap) {
    let prefix = Array(Self.itPrefix.utf8)
    guard let file = sources.files.indices.first(where: { sources.files[$0].name == "prompt" }),
      sources.files[file].bytes.starts(with: prefix)
    else { return }
    var shorter = SourceMap()
    for (index, source) in sources.files.enumerated() {
      let bytes = index == file ? Array(source.bytes.dropFirst(prefix.count)) : source.bytes
      _ = shorter.add(SourceFile(name: source.name, bytes: bytes))
    }
    func moved(_ span: Span) -> Span {
      guard !span.isNone, Int(span.file.raw) == file else { return span }
      return Span(
        file: span.file, start: max(0, Int(span.start) - prefix.count), end: max(0, Int(span.end) - prefix.count))
    }
    for index in diagnostics.indices {
      diagnostics[index].span = moved(diagnostics[index].span)
      for label in diagnostics[index].labels.indices {
        diagnostics[index].labels[label].span = moved(diagnostics[index].labels[label].span)
      }
      for help in diagnostics[index].helps.indices {
        guard let code = diagnostics[index].helps[help].code, code.hasPrefix(Self.itPrefix) else { continue }
        diagnostics[index].helps[help].code = String(code.dropFirst(Self.itPrefix.count))
      }
    }
    sources = shorter
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
