// Diagnostics -> text for people, 80 columns wide:
//
//   error[E0403]: this needs a behavior, but `clicks` is an event
//
//     game.frp:12:14
//      11 │ input clicks: Event<Point>
//         │       ------ `clicks` is declared as an Event here
//      12 │ cursor = 2.0 * clicks.x
//         │                ^^^^^^ an event has no value between its occurrences
//     help: keep the last click:      clicks |> hold(origin)
//     more: frp explain E0403
//
// Prose is wrapped, source never; tabs are expanded, wide characters measured, control characters escaped. What is
// printed depends on nothing but the diagnostics, the sources and the options.

/// How diagnostics become text.
public struct DiagnosticStyle: Sendable {
  /// Columns prose is wrapped at.
  public var width = 80
  /// Whether to use ANSI colours.
  public var color = false
  /// Diagnostics shown before "and N more"; nil for all.
  public var limit: Int? = 20
  /// Whether to say in which file; the prompt does not.
  public var showsFile = true
  /// Whether to end with `more: frp explain CODE`.
  public var showsMore = true
  /// Whether only the part of a source line is shown that fits; a terminal would break it, and marks would be nowhere.
  public var cropsLines = false
  public init(width: Int = 80, color: Bool = false, limit: Int? = 20, showsFile: Bool = true, showsMore: Bool = true) {
    self.width = width
    self.color = color
    self.limit = limit
    self.showsFile = showsFile
    self.showsMore = showsMore
  }
}

/// Diagnostics by file and place, errors before warnings at one place; equal ones once. The files stand in the order in which
/// `sources` reports them.
public func sortedDiagnostics(_ diagnostics: [Diagnostic], in sources: SourceMap) -> [Diagnostic] {
  var seen: Set<Diagnostic> = []
  let unique = diagnostics.filter { seen.insert($0).inserted }
  return unique.enumerated().sorted { a, b in
    let (x, y) = (a.element, b.element)
    let left = (sources.rank(x.span.file), x.span.start, x.severity == .error ? 0 : 1, a.offset)
    let right = (sources.rank(y.span.file), y.span.start, y.severity == .error ? 0 : 1, b.offset)
    return left < right
  }.map(\.element)
}

/// Renders diagnostics, in order of place, separated by blank lines; ends with a line break unless empty.
public func renderText(_ diagnostics: [Diagnostic], sources: SourceMap, style: DiagnosticStyle = DiagnosticStyle())
  -> String
{
  let ordered = sortedDiagnostics(diagnostics, in: sources)
  let shown = style.limit.map { ordered.prefix(max(0, $0)) } ?? ordered[...]
  var text = shown.map { renderText($0, sources: sources, style: style) }.joined(separator: "\n")
  let hidden = ordered.count - shown.count
  if hidden > 0 { text += "\nand \(hidden) more\n" }
  return text
}

/// Renders one diagnostic; ends with a line break.
public func renderText(_ diagnostic: Diagnostic, sources: SourceMap, style: DiagnosticStyle = DiagnosticStyle())
  -> String
{
  var writer = DiagnosticWriter(sources: sources, style: style)
  writer.write(diagnostic)
  return writer.out
}

private struct DiagnosticWriter {
  enum Ink { case error, warning, accent, quiet }

  let sources: SourceMap
  let style: DiagnosticStyle
  var out = ""

  func ink(_ text: String, _ ink: Ink) -> String {
    guard style.color, !text.isEmpty else { return text }
    let code =
      switch ink {
      case .error: "1;31"
      case .warning: "1;33"
      case .accent: "1;36"
      case .quiet: "2"
      }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  mutating func write(_ diagnostic: Diagnostic) {
    let severity = diagnostic.severity
    let head = "\(severity.rawValue)[\(diagnostic.code)]: "
    let titleLines = wrapped(printable(diagnostic.title), width: style.width - head.count)
    let headInk: Ink = severity == .error ? .error : severity == .warning ? .warning : .accent
    out += ink(head, headInk) + titleLines[0] + "\n"
    for line in titleLines.dropFirst() { out += "  " + line + "\n" }
    writePlace(diagnostic)
    for note in diagnostic.notes { writeProse("  note: ", note) }
    writeHelps(diagnostic.helps)
    if style.showsMore { out += ink("  more: frp explain \(diagnostic.code)", .quiet) + "\n" }
  }

  private mutating func writeProse(_ head: String, _ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
      // A line that is indented is a drawing, not prose.
      line.hasPrefix("  ")
        ? [printable(String(line))] : wrapped(printable(String(line)), width: style.width - head.count)
    }
    for (number, line) in lines.enumerated() {
      out += (number == 0 ? ink(head, .accent) : String(repeating: " ", count: head.count)) + line + "\n"
    }
  }

  /// The code of all helps begins in one column where that fits.
  private mutating func writeHelps(_ helps: [Help]) {
    let heads = helps.map { "  help: " + printable($0.text) + ($0.code == nil ? "" : ":") }
    let column = heads.indices.filter { helps[$0].code != nil }.map { displayWidth(heads[$0]) }.max() ?? 0
    for (help, head) in zip(helps, heads) {
      guard let code = help.code else {
        writeProse("  help: ", help.text)
        continue
      }
      let lines = code.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
      let fits = lines.count == 1 && column + 2 + displayWidth(lines[0]) <= style.width
      if fits {
        let gap = String(repeating: " ", count: column + 2 - displayWidth(head))
        out += inkHelp(head) + gap + lines[0] + "\n"
      } else {
        let prose = wrapped(printable(help.text) + ":", width: style.width - 8)
        for (number, line) in prose.enumerated() {
          out += (number == 0 ? inkHelp("  help: ") : "        ") + line + "\n"
        }
        for line in lines { out += "          " + line + "\n" }
      }
    }
  }

  private func inkHelp(_ head: String) -> String { ink("  help:", .accent) + head.dropFirst("  help:".count) }

  // MARK: - Excerpts

  private struct Mark {
    var start: Int
    var end: Int
    var isPrimary: Bool
    var text: String
  }

  private mutating func writePlace(_ diagnostic: Diagnostic) {
    guard isKnown(diagnostic.span) else { return }
    let source = sources[diagnostic.span.file]
    let position = source.position(at: Int(diagnostic.span.start))
    out += "\n"
    if style.showsFile {
      out += "  " + ink("\(printable(source.name)):\(position.line):\(position.column)", .accent) + "\n"
    }
    let local = diagnostic.labels.filter { isKnown($0.span) && $0.span.file == diagnostic.span.file }
    writeExcerpt(source, primary: diagnostic, labels: local)
    for label in diagnostic.labels where isKnown(label.span) && label.span.file != diagnostic.span.file {
      let other = sources[label.span.file]
      let place = other.position(at: Int(label.span.start))
      out += "  " + ink("\(printable(other.name)):\(place.line):\(place.column)", .accent) + "\n"
      let mark = Mark(start: Int(label.span.start), end: Int(label.span.end), isPrimary: false, text: label.text)
      writeLines(other, [mark])
    }
  }

  private func isKnown(_ span: Span) -> Bool { !span.isNone && Int(span.file.raw) < sources.files.count }

  private mutating func writeExcerpt(_ source: SourceFile, primary: Diagnostic, labels: [Label]) {
    var marks = [Mark(start: Int(primary.span.start), end: Int(primary.span.end), isPrimary: true, text: primary.label)]
    for label in labels {
      marks.append(Mark(start: Int(label.span.start), end: Int(label.span.end), isPrimary: false, text: label.text))
    }
    writeLines(source, marks)
  }

  private mutating func writeLines(_ source: SourceFile, _ marks: [Mark]) {
    let lineOf = marks.map { source.lineIndex(at: min(max($0.start, 0), source.bytes.count)) }
    let lines = Array(Set(lineOf)).sorted()
    let gutter = max(4, String((lines.last ?? 0) + 1).count + 1)
    var previous: Int?
    for line in lines {
      if let previous, line > previous + 1 {
        if line == previous + 2 {
          writeSource(source, previous + 1, gutter: gutter)
        } else {
          out += ink(String(repeating: " ", count: gutter) + " ⋮", .quiet) + "\n"
        }
      }
      // From right to left would need a drawing; one row a mark, in the order they stand, reads as well.
      let here = marks.indices.filter { lineOf[$0] == line }.sorted { (marks[$0].start, $0) < (marks[$1].start, $1) }
      let seen = here.first { marks[$0].isPrimary } ?? here.first
      let columns = writeSource(source, line, gutter: gutter, showing: seen.map { marks[$0].start })
      for index in here { writeMark(marks[index], source, line: line, columns: columns, gutter: gutter) }
      previous = line
    }
  }

  /// The display column at which each byte of a part of a line begins.
  private struct Columns {
    /// The first byte of the part.
    var first: Int
    /// By byte from there on; the last is the part's end.
    var list: [Int]

    /// That of a byte of the file; what lies outside of the part is where it begins, or ends.
    subscript(offset: Int) -> Int { list[min(max(0, offset - first), list.count - 1)] }
  }

  /// Writes a source line, with a byte of it in view.
  @discardableResult
  private mutating func writeSource(
    _ source: SourceFile, _ line: Int, gutter: Int, showing offset: Int? = nil
  ) -> Columns {
    let number = String(line + 1)
    let room = style.width - gutter - 4
    let isCropped = style.cropsLines && room > 8
    let (shown, columns) =
      isCropped ? cropped(source, line, offset, room: room) : expand(source.lineBytes(line))
    out += ink(String(repeating: " ", count: max(0, gutter - number.count)) + number + " │ ", .quiet) + shown + "\n"
    return columns
  }

  /// Longest stretch of a line that is shown; a machine-written line can be megabytes.
  private static let longestLine = 400

  /// The part of a line around a byte that takes no more than so many columns. Cost: O(room), wherever the byte is.
  private func cropped(_ source: SourceFile, _ line: Int, _ offset: Int?, room: Int) -> (String, Columns) {
    let bytes = source.lineBytes(line)
    let offset = min(max(offset ?? 0, bytes.startIndex), bytes.endIndex)
    let start = source.characterStart(before: max(bytes.startIndex, offset - 4 * room), line: line)
    let part = bytes[start...]
    let (text, columns) = expand(part, longest: max(DiagnosticWriter.longestLine, offset - start + 4 * room))
    let anchor = columns[offset]
    let isCut = start > bytes.startIndex
    guard isCut || columns[bytes.endIndex] > room else { return (text, columns) }
    let first = anchor < room * 2 / 3 ? (isCut ? 1 : 0) : anchor - room / 3
    var shown = first > 0 ? "…" : ""
    var column = 0
    for character in text {
      let next = column + displayWidth(of: character)
      if next > first + room - 1 {
        shown += "…"
        break
      }
      if column > first || first == 0 {
        shown.append(character)
      } else if column == first, next - column == 2 {
        shown += " "
      }
      column = next
    }
    return (shown, Columns(first: start, list: columns.list.map { min(max($0 - first, 0), room - 1) }))
  }

  private func expand(_ bytes: ArraySlice<UInt8>, longest: Int = DiagnosticWriter.longestLine) -> (String, Columns) {
    let isCut = bytes.count > longest
    let text = String(decoding: bytes.prefix(longest), as: UTF8.self)
    var shown = ""
    var columns: [Int] = []
    var column = 0
    for character in text {
      let piece = character == "\t" ? String(repeating: " ", count: 4 - column % 4) : printable(character)
      for _ in 0..<character.utf8.count { columns.append(column) }
      shown += piece
      column += character == "\t" ? piece.count : displayWidth(piece)
    }
    columns.append(column)
    return (isCut ? shown + "…" : shown, Columns(first: bytes.startIndex, list: columns))
  }

  private mutating func writeMark(_ mark: Mark, _ source: SourceFile, line: Int, columns: Columns, gutter: Int) {
    let start = columns[mark.start]
    let end = max(start + 1, columns[min(max(mark.end, mark.start), source.lineBytes(line).endIndex)])
    let sign = String(repeating: mark.isPrimary ? "^" : "-", count: end - start)
    let left = ink(String(repeating: " ", count: gutter) + " │ ", .quiet)
    let room = style.width - gutter - 3 - end - 1
    let text = printable(mark.text)
    let inked = ink(sign, mark.isPrimary ? .error : .accent)
    let pad = String(repeating: " ", count: start)
    if text.isEmpty || displayWidth(text) <= room {
      out += left + pad + inked + (text.isEmpty ? "" : " " + text) + "\n"
      return
    }
    out += left + pad + inked + "\n"
    // Beneath the mark, or from the left where that leaves too little room.
    let indent = style.width - gutter - 3 - start >= 40 ? start : 0
    for part in wrapped(text, width: max(40, style.width - gutter - 3 - indent)) {
      out += left + String(repeating: " ", count: indent) + part + "\n"
    }
  }
}
