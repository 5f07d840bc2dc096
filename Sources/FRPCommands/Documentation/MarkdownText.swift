// Markdown as blocks: what documents and `///` comments are written in.
//
// Rules
// - Headings, paragraphs, lists, tables, code in fences or behind four blanks; `code`, **strong**, *emphasis*, links.
// - There is no markup besides: what looks like a tag is text.

/// A text of blocks.
struct MarkdownText {
  indirect enum Block: Equatable {
    case heading(level: Int, String)
    case paragraph(String)
    /// Code, and the word behind its fence; nil where it is set in.
    case code(String, language: String?)
    case list(isNumbered: Bool, [[Block]])
    case table(head: [String], rows: [[String]])
  }

  private(set) var blocks: [Block] = []
  private let lines: [Substring]
  private var next = 0

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    while next < lines.count { readBlock() }
  }

  /// The text of the first heading.
  var title: String? {
    for case .heading(_, let text) in blocks { return text }
    return nil
  }

  private static func isBlank(_ line: Substring) -> Bool { line.allSatisfy { $0 == " " || $0 == "\t" || $0 == "\r" } }

  private static func indent(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }

  private mutating func readBlock() {
    let line = lines[next]
    if Self.isBlank(line) {
      next += 1
    } else if Self.fence(line) != nil {
      readFence()
    } else if Self.indent(line) >= 4 {
      readIndented()
    } else if let level = Self.headingLevel(line) {
      blocks.append(.heading(level: level, Self.trimmed(line.dropFirst(level))))
      next += 1
    } else if Self.item(line) != nil {
      readList()
    } else if line.hasPrefix("|"), next + 1 < lines.count, lines[next + 1].hasPrefix("|--") {
      readTable()
    } else {
      readParagraph()
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " }
    while text.last == " " || text.last == "\r" { text.removeLast() }
    return String(text)
  }

  private static func headingLevel(_ line: Substring) -> Int? {
    let level = line.prefix { $0 == "#" }.count
    return (1...6).contains(level) && line.dropFirst(level).first == " " ? level : nil
  }

  /// The marks that open a fence.
  private static func fence(_ line: Substring) -> Substring? {
    let text = line.drop { $0 == " " }
    let marks = text.prefix { $0 == text.first }
    return text.first == "`" && marks.count >= 3 ? marks : nil
  }

  private mutating func readFence() {
    let line = lines[next]
    let marks = Self.fence(line) ?? ""
    let indent = Self.indent(line)
    let language = Self.trimmed(line.dropFirst(indent + marks.count))
    var code: [Substring] = []
    next += 1
    while next < lines.count {
      let line = lines[next]
      next += 1
      if let end = Self.fence(line), end.count >= marks.count, line.drop(while: { $0 == " " }).count == end.count {
        break
      }
      code.append(line.dropFirst(min(indent, Self.indent(line))))
    }
    blocks.append(.code(code.joined(separator: "\n"), language: language))
  }

  private mutating func readIndented() {
    var code: [Substring] = []
    while next < lines.count, Self.isBlank(lines[next]) || Self.indent(lines[next]) >= 4 {
      code.append(lines[next].dropFirst(4))
      next += 1
    }
    while let last = code.last, Self.isBlank(last) { code.removeLast() }
    blocks.append(.code(code.joined(separator: "\n"), language: nil))
  }

  /// How wide the mark of a list's item is, and whether it is a number.
  private static func item(_ line: Substring) -> (width: Int, isNumbered: Bool)? {
    let indent = indent(line)
    let text = line.dropFirst(indent)
    if text.hasPrefix("- ") || text.hasPrefix("* ") { return (indent + 2, false) }
    let digits = text.prefix { $0.isNumber }.count
    return (1...3).contains(digits) && text.dropFirst(digits).hasPrefix(". ") ? (indent + digits + 2, true) : nil
  }

  /// Items, each with what is set in below it.
  private mutating func readList() {
    guard let first = Self.item(lines[next]) else { return }
    var items: [[Block]] = []
    while next < lines.count, let mark = Self.item(lines[next]), mark.isNumbered == first.isNumbered,
      mark.width == first.width || mark.width < 6
    {
      var own = [lines[next].dropFirst(mark.width)]
      next += 1
      while next < lines.count, belongs(lines[next], toItemAt: mark.width) {
        own.append(lines[next].dropFirst(min(mark.width, Self.indent(lines[next]))))
        next += 1
      }
      items.append(MarkdownText(own.joined(separator: "\n")).blocks)
      while next + 1 < lines.count, Self.isBlank(lines[next]), Self.item(lines[next + 1]) != nil { next += 1 }
    }
    blocks.append(.list(isNumbered: first.isNumbered, items))
  }

  private func belongs(_ line: Substring, toItemAt width: Int) -> Bool {
    if Self.isBlank(line) {
      return next + 1 < lines.count && !Self.isBlank(lines[next + 1]) && Self.indent(lines[next + 1]) >= width
    }
    if Self.indent(line) >= width { return true }
    let isFollowed = next > 0 && !Self.isBlank(lines[next - 1])
    return isFollowed && Self.item(line) == nil && Self.headingLevel(line) == nil && Self.fence(line) == nil
  }

  private mutating func readTable() {
    let head = Self.cells(lines[next])
    next += 2
    var rows: [[String]] = []
    while next < lines.count, lines[next].hasPrefix("|") {
      rows.append(Self.cells(lines[next]))
      next += 1
    }
    blocks.append(.table(head: head, rows: rows))
  }

  /// `\|` is no border.
  private static func cells(_ line: Substring) -> [String] {
    var cells: [String] = []
    var cell = ""
    var isEscaped = false
    for character in line.dropFirst() {
      if character == "|", !isEscaped {
        cells.append(trimmed(cell[...]))
        cell = ""
      } else {
        if isEscaped, character != "|" { cell += "\\" }
        if character != "\\" || isEscaped { cell.append(character) }
      }
      isEscaped = character == "\\" && !isEscaped
    }
    return cells
  }

  private mutating func readParagraph() {
    var text: [Substring] = []
    while next < lines.count, !Self.isBlank(lines[next]), Self.fence(lines[next]) == nil,
      Self.headingLevel(lines[next]) == nil, text.isEmpty || Self.item(lines[next]) == nil
    {
      text.append(lines[next].drop { $0 == " " })
      next += 1
    }
    blocks.append(.paragraph(text.joined(separator: "\n")))
  }
}
