// A copy of a program with lines of a test behind it.
//
// In:  the program's text, and lines, each of parts that are written in the program's file and of parts that were made. Out: the
// text of the copy, and what is said about it as something that is said about the file.
// Rules: what lies in a part that is written there is at its own place; everything else in a line is at the place of what the line
// is there for.

import FRPBase

struct ProgramCopy {
  /// A part of a line.
  enum Part: Sendable {
    case made(String)
    /// A text as it stands in the program's file, from this offset on.
    case written(String, at: Int32)
  }

  /// A line behind the program.
  struct Line: Sendable {
    var parts: [Part]
    /// The part of the file that it is there for.
    var place: Span
  }

  let name: String
  private(set) var bytes: [UInt8]
  private let length: Int
  private var lines: [(copy: Range<Int>, place: Span)] = []
  private var written: [(copy: Range<Int>, start: Int)] = []

  init(_ source: Source) {
    name = source.name
    bytes = source.bytes + [0x0A]
    length = source.bytes.count
  }

  var source: Source { Source(name: name, bytes: bytes) }

  mutating func add(_ line: Line) {
    let start = bytes.count
    for part in line.parts {
      switch part {
      case .made(let text): bytes += text.utf8
      case .written(let text, let place):
        written.append((bytes.count..<bytes.count + text.utf8.count, Int(place)))
        bytes += text.utf8
      }
    }
    bytes.append(0x0A)
    lines.append((start..<bytes.count, line.place))
  }

  /// What is said about the copy, said about the program's file. `words` changes what names the copy's own definitions.
  func told(_ diagnostic: Diagnostic, words: (String) -> String) -> Diagnostic {
    var told = diagnostic
    told.span = place(of: diagnostic.span)
    told.reason = words(diagnostic.reason)
    told.label = words(diagnostic.label)
    told.labels = diagnostic.labels.map { Label(place(of: $0.span), words($0.text)) }
    told.notes = diagnostic.notes.map(words)
    if !([diagnostic.span] + diagnostic.labels.map(\.span)).contains(where: isBehind) {
      told.notes.append("only a test needs this: without its tests the program is sound")
    }
    told.helps = diagnostic.helps.map { help in
      // What would change a part that was made changes nothing in the file.
      let edit = help.edit.flatMap { edit in
        self.written(edit.span).map { Help.Edit($0, edit.text, isSafe: edit.isSafe) }
      }
      return Help(words(help.text), code: help.code.map(words), edit: edit)
    }
    return told
  }

  /// Whether something stands behind the program.
  private func isBehind(_ span: Span) -> Bool { span.file == FileID(0) && Int(span.end) > length }

  private func place(of span: Span) -> Span {
    if let own = written(span) { return own }
    return lines.first { $0.copy.contains(Int(span.start)) }?.place ?? lines.last?.place ?? span
  }

  /// Where a part of the copy is written in the file of the program, or in a module; nil where it is not.
  private func written(_ span: Span) -> Span? {
    if !isBehind(span) { return span }
    let (start, end) = (Int(span.start), Int(span.end))
    guard let part = written.first(where: { $0.copy.lowerBound <= start && end <= $0.copy.upperBound }) else {
      return nil
    }
    let first = part.start + start - part.copy.lowerBound
    return Span(file: span.file, start: first, end: first + end - start)
  }
}
