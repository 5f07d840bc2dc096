// What was put in front of a text so that it is a program. Nobody typed it, so no message shows it.

import FRPBase

struct UntypedPrefix {
  /// The name of the source that begins with it.
  var file: String
  var text: String

  /// Takes it off the first line, and moves every place in that source.
  func remove(from diagnostics: inout [Diagnostic], _ sources: inout SourceMap) {
    let count = text.utf8.count
    guard let file = sources.files.indices.first(where: { sources.files[$0].name == file }),
      sources.files[file].bytes.starts(with: text.utf8)
    else { return }
    var shorter = SourceMap()
    for (index, source) in sources.files.enumerated() {
      let bytes = index == file ? Array(source.bytes.dropFirst(count)) : source.bytes
      _ = shorter.add(SourceFile(name: source.name, bytes: bytes))
    }
    shorter.reportOrder = sources.reportOrder
    func moved(_ span: Span) -> Span {
      guard !span.isNone, Int(span.file.raw) == file else { return span }
      return Span(file: span.file, start: max(0, Int(span.start) - count), end: max(0, Int(span.end) - count))
    }
    for index in diagnostics.indices {
      diagnostics[index].span = moved(diagnostics[index].span)
      for label in diagnostics[index].labels.indices {
        diagnostics[index].labels[label].span = moved(diagnostics[index].labels[label].span)
      }
      for help in diagnostics[index].helps.indices {
        guard let code = diagnostics[index].helps[help].code, code.hasPrefix(text) else { continue }
        diagnostics[index].helps[help].code = String(code.dropFirst(count))
      }
    }
    sources = shorter
  }
}
