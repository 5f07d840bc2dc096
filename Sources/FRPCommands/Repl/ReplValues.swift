// A value on a screen: in one row if it fits, else laid out in as many as are its due.
//
// - Records are rows of labels and values, lists of like records tables, maps rows of keys and values.
// - Everything else flows over rows that break between elements.
// - What is left out is counted: `… and 999,980 more`. A pipe gets the plain text; see `describe`.

import CEditline
import FRP
import FRPBase

/// Texts by the columns that they take on a screen.
enum ScreenText {
  static func columns(_ character: Character) -> Int {
    character.unicodeScalars.reduce(0) { max($0, Int(ce_width($1.value))) }
  }

  static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

  /// The beginning of a text that takes no more than `width` columns.
  static func fit(_ text: String, _ width: Int) -> String {
    var used = 0
    var result = ""
    for character in text {
      let columns = columns(character)
      if used + columns > width - 1 { return result + "…" }
      used += columns
      result.append(character)
    }
    return result
  }

  /// Blanks up to a width, before or behind a text.
  static func padded(_ text: String, _ width: Int, before: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - columns(text)))
    return before ? blanks + text : text + blanks
  }

  /// `999,980`
  static func grouped(_ number: Int) -> String {
    let digits = Array(String(number))
    return digits.indices.reduce(into: "") { text, index in
      if index > 0, (digits.count - index) % 3 == 0, digits[index - 1] != "-" { text += "," }
      text.append(digits[index])
    }
  }
}

/// What stands between the outermost brackets of a value's text.
struct ValueParts {
  /// `[`, `{`, `Map.fromList([`
  private(set) var opening = ""
  private(set) var parts: [String] = []
  /// `]`, `])`; empty where the text is cut.
  private(set) var closing = ""

  var isRecord: Bool { opening == "{" }
  var isMap: Bool { opening == "Map.fromList([" }

  /// nil for a text that has no parts, such as a number.
  init?(_ text: String) {
    let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" }
    let brackets = text.dropFirst(name.count).prefix { "([{".contains($0) }
    guard let first = brackets.first else { return nil }
    let isCollection = ["Map.fromList", "Set.fromList"].contains(name) && brackets.hasPrefix("([")
    opening = name + (isCollection ? "([" : String(first))
    let rest = text.dropFirst(opening.count)
    let end = split(rest)
    closing = String(rest[end...])
    // What is cut within a part shows nothing of use.
    if closing.isEmpty, parts.count > 1 { parts.removeLast() }
  }

  /// Takes the parts; where the bracket is that closes.
  private mutating func split(_ text: Substring) -> String.Index {
    var depth = 0
    var start = text.startIndex
    var isText = false
    var isEscaped = false
    func part(_ end: String.Index) -> String { trimmed(String(text[start..<end])) }
    for index in text.indices {
      let character = text[index]
      if isText {
        if character == "\"", !isEscaped { isText = false }
        isEscaped = character == "\\" && !isEscaped
        continue
      }
      switch character {
      case "\"": isText = true
      case "(", "[", "{": depth += 1
      case ")", "]", "}":
        depth -= 1
        if depth < 0 {
          if start < index { parts.append(part(index)) }
          return index
        }
      case "," where depth == 0:
        parts.append(part(index))
        start = text.index(after: index)
      default: break
      }
    }
    parts.append(part(text.endIndex))
    return text.endIndex
  }

  /// `x` and `1` of `x: 1`, for the parts of a record.
  var fields: [(label: String, value: String)] {
    parts.compactMap { part in
      part.firstRange(of: ": ").map { (String(part[..<$0.lowerBound]), String(part[$0.upperBound...])) }
    }
  }
}

/// The rows of a value.
struct ValueLayout {
  /// Of the screen.
  var columns: Int
  /// That a value may take.
  var rows: Int

  private static let note = "   (:show all shows all)"
  /// Rows of what flows, where that is not all.
  private static let flowing = 6
  private static let narrowest = 6

  /// `head = text` in rows; `rest` tells where the text is a beginning.
  func lines(_ head: String, _ text: String, _ rest: ValueSize?) -> [String] {
    let line = "\(head) = \(text)"
    if rest == nil, ScreenText.columns(line) < columns { return [line] }
    guard let value = ValueParts(text) else { return broken(line, rest) }
    if value.isRecord, !value.fields.isEmpty {
      return [ScreenText.fit(head, columns)] + pairs(value.fields.map { [$0.label, $0.value] })
        + more(rest == nil ? 0 : nil)
    }
    if let records = records(value) {
      let shown = Array(records.cells.prefix(max(3, min(30, rows - 4))))
      return [ScreenText.fit(head, columns)] + table(records.labels, shown) + more(total(value, rest) - shown.count)
    }
    if value.isMap, value.parts.allSatisfy({ $0.hasPrefix("(") }) {
      let shown = value.parts.prefix(max(3, min(30, rows - 3))).compactMap { ValueParts($0)?.parts }.filter {
        $0.count == 2
      }
      return [ScreenText.fit(head, columns)] + pairs(shown) + more(total(value, rest) - shown.count)
    }
    return flow("\(head) = \(value.opening)", value, rest)
  }

  private func total(_ value: ValueParts, _ rest: ValueSize?) -> Int { rest?.count ?? value.parts.count }

  private func more(_ count: Int?) -> [String] {
    guard let count else { return ["  … and more" + Self.note] }
    return count > 0 ? ["  … and \(ScreenText.grouped(count)) more" + Self.note] : []
  }

  /// The labels and cells of a list of records that have the same ones.
  private func records(_ value: ValueParts) -> (labels: [String], cells: [[String]])? {
    guard value.opening == "[", value.parts.count > 1 else { return nil }
    let all = value.parts.compactMap { ValueParts($0) }.map(\.fields)
    guard let labels = all.first?.map(\.label), !labels.isEmpty, all.count == value.parts.count,
      all.allSatisfy({ $0.map(\.label) == labels })
    else { return nil }
    return (labels, all.map { $0.map(\.value) })
  }

  /// A cell: the whole text if it fits.
  private func cut(_ text: String, _ width: Int) -> String {
    ScreenText.columns(text) <= width ? text : ScreenText.fit(text, width)
  }

  private func pairs(_ rows: [[String]]) -> [String] {
    let width = min(columns / 3, rows.map { ScreenText.columns($0[0]) }.max() ?? 0)
    return rows.map { row in
      ScreenText.fit("  " + ScreenText.padded(cut(row[0], width), width) + "  " + row[1], columns)
    }
  }

  // MARK: Tables

  private func table(_ labels: [String], _ cells: [[String]]) -> [String] {
    let natural = labels.indices.map { column in
      ([labels[column]] + cells.map { $0[column] }).reduce(0) { max($0, ScreenText.columns($1)) }
    }
    let widths = fitting(natural)
    let areNumbers = labels.indices.map { column in cells.allSatisfy { Double($0[column]) != nil } }
    return ([labels] + cells).map { row in
      let texts = zip(row, widths).enumerated().map { column, cell in
        ScreenText.padded(cut(cell.0, cell.1), cell.1, before: areNumbers[column])
      }
      let line = "  " + texts.joined(separator: "  ") + (widths.count < labels.count ? "  …" : "")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// The widths of as many columns as fit side by side; wide ones give way to the narrow ones.
  private func fitting(_ natural: [Int]) -> [Int] {
    for count in stride(from: natural.count, to: 0, by: -1) {
      let room = columns - 1 - 2 * count - (count < natural.count ? 3 : 0)
      let wanted = natural.prefix(count)
      func taken(_ cap: Int) -> Int { wanted.reduce(0) { $0 + min($1, cap) } }
      if taken(Self.narrowest) > room { continue }
      var cap = wanted.max() ?? 0
      while cap > Self.narrowest, taken(cap) > room { cap -= 1 }
      return wanted.map { min($0, cap) }
    }
    return [max(1, columns - 6)]
  }

  // MARK: Rows that break

  /// Elements one after the other, over rows that break between them.
  private func flow(_ head: String, _ value: ValueParts, _ rest: ValueSize?) -> [String] {
    var lines = [head]
    var ends: [Int] = []
    for (index, part) in value.parts.enumerated() {
      let isLast = index + 1 == value.parts.count && rest == nil
      let text = ScreenText.fit(part, columns - 6) + (isLast ? value.closing : ",")
      let blank = lines.count == 1 && index == 0 ? "" : " "
      if ScreenText.columns(lines[lines.count - 1] + blank + text) < columns {
        lines[lines.count - 1] += blank + text
      } else {
        ends.append(index)
        lines.append("  " + text)
      }
    }
    ends.append(value.parts.count)
    let most = rest == nil && lines.count <= rows / 2 ? lines.count : min(lines.count, Self.flowing)
    let cut = lines.prefix(most).map { ScreenText.fit($0, columns) }
    if rest != nil, rest?.count == nil { return cut + more(nil) }
    return cut + more(total(value, rest) - ends[most - 1])
  }

  /// A long text, broken where the screen ends.
  private func broken(_ line: String, _ rest: ValueSize?) -> [String] {
    var lines = [""]
    var used = 0
    for character in line {
      let width = ScreenText.columns(character)
      if used + width >= columns {
        lines.append("")
        used = 0
      }
      lines[lines.count - 1].append(character)
      used += width
    }
    if rest == nil, lines.count <= rows / 2 { return lines }
    let shown = Array(lines.prefix(Self.flowing))
    if rest == nil, shown.count == lines.count { return shown }
    let size = rest?.count ?? line.count
    return shown + ["  … \(ScreenText.grouped(size)) \(rest?.unit ?? "characters") in all" + Self.note]
  }
}

extension ReplSession {
  /// Whether there is a screen on which things can be placed, and not only lines.
  var hasScreen: Bool { source.isInteractive && !["dumb", ""].contains(console.environment("TERM") ?? "") }

  /// A definition with its value as its own answer: laid out on a screen, else in a line, with a note where it is cut.
  func showWithValue(_ name: String) {
    live.partlyShown = name
    guard hasScreen, let known = current.name(name), let head = headOfValue(known) else {
      show(describe(name))
      noteOfRest(name)
      return
    }
    let width = console.width(nil)
    let layout = ValueLayout(columns: width, rows: source.paneRoom)
    let found = value(name, atMost: max(ReplOptions.shownBytes, width * source.paneRoom))
    show(layout.lines(head, found.text, found.rest).joined(separator: "\n"))
  }

  /// One row for each of several definitions, on a screen.
  func rowOf(_ name: String) -> String {
    hasScreen ? ScreenText.fit(describe(name), console.width(nil)) : describe(name)
  }

  /// After a value that was shown in part: how much there is, and how to see it.
  private func noteOfRest(_ name: String) {
    guard let kind = current.name(name)?.kind, kind == .constant || kind == .behavior,
      let rest = value(name, atMost: ReplOptions.shownBytes).rest
    else { return }
    show("  \(rest.words)   (:show all shows all)")
  }
}
