// Texts: `"…"` with escapes and `{interpolation}`, and `"""` over several lines whose indentation is that of the
// closing quotes and is stripped, as in Swift. A line break right after the opening and right before the closing
// quotes does not belong to the text; `\` at the end of a line joins it with the next.

import FRPBase

extension Lexer {
  mutating func beginText(_ start: Int) {
    let isMultiline = byte(start + 1) == ascii("\"") && byte(start + 2) == ascii("\"")
    emit(.stringBegin, start, end: start + (isMultiline ? 3 : 1))
    modes.append(TextMode(isMultiline: isMultiline, opener: start))
    guard isMultiline else { return }
    var end = position
    while byte(end) == 0x20 || byte(end) == 9 || byte(end) == 13 { end += 1 }
    if byte(end) == 10 { position = end + 1 }
  }

  /// `#"…"#`, with as many `#` on both sides as one likes: no escapes, nothing put in. On one line, or over several as
  /// `"""` is: with three quotes, a line break behind the opening ones, and the indentation of the closing ones stripped.
  /// False if it is none.
  mutating func lexRawText(_ start: Int) -> Bool {
    var opening = start
    while byte(opening) == ascii("#") { opening += 1 }
    guard byte(opening) == ascii("\"") else { return false }
    let lineBreak =
      byte(opening + 1) == ascii("\"") && byte(opening + 2) == ascii("\"")
      ? lineBreakAfterBlanks(opening + 3, bytes.count) : nil
    let quotes = [UInt8](repeating: ascii("\""), count: lineBreak == nil ? 1 : 3)
    let closing = quotes + bytes[start..<opening]
    let first = opening + quotes.count
    let content = lineBreak.map { $0 + 1 } ?? first
    var end = content
    while end < bytes.count, bytes[end] != 10 || lineBreak != nil {
      if bytes[end] == ascii("\""), bytes[end...].starts(with: closing) { break }
      end += 1
    }
    let isClosed = end < bytes.count && bytes[end] == ascii("\"")
    if !isClosed, end > first, bytes[end - 1] == 13 { end -= 1 }
    emit(.stringBegin, start, end: first)
    if lineBreak != nil {
      emit(.stringText, content, end: end)
      cookLines([lexed.tokens.count - 1], opener: opening, closing: end, isRaw: true)
    } else if end > first {
      lexed.texts.append(string(first, end))
      emit(.stringText, first, end: end, payload: lexed.texts.count - 1)
    }
    if !isClosed {
      reportUnfinishedRaw(
        start, end, first: first, quotes: String(decoding: closing, as: UTF8.self), isLong: lineBreak != nil)
    }
    emit(.stringEnd, end, end: isClosed ? end + closing.count : end)
    return true
  }

  private mutating func reportUnfinishedRaw(_ start: Int, _ end: Int, first: Int, quotes: String, isLong: Bool) {
    var helps = [Help("close it on a line of its own", code: quotes)]
    if isLong {
      lexed.endsInText = true
    } else {
      helps = [
        Help("close it", code: string(start, min(end, start + 40)) + quotes, edit: Help.Edit(span(end, end), quotes))
      ]
      if laterQuoteBeforeBlankLine(end) {
        helps.append(Help("for a text over several lines", code: String(quotes.dropFirst()) + "\"\"\""))
      }
    }
    report(
      Diagnostic(
        .unterminatedText, "this text has no closing quote", at: span(start, first),
        label: isLong ? "it begins here" : "it begins here and ends with its line", helps: helps))
  }

  /// Reads up to an interpolation, the end of the text or, in a `"` text, of the line.
  mutating func lexText(_ mode: TextMode) {
    let start = position
    var end = start
    while end < bytes.count {
      let next = bytes[end]
      if next == ascii("{") { return beginInterpolation(start, end, mode: mode) }
      if next == ascii("\\") {
        end += 1
        if !mode.isMultiline, byte(end) == 10 { break }
        if byte(end) == ascii("u"), byte(end + 1) == ascii("{") { end += 1 }
        if end < bytes.count { end += 1 }
        continue
      }
      if mode.isMultiline {
        if next == ascii("\""), byte(end + 1) == ascii("\""), byte(end + 2) == ascii("\"") {
          return endMultilineText(start, end)
        }
      } else {
        if next == 10 { break }
        if next == ascii("\"") { return endText(start, end, length: 1) }
        if mode.isSmart, next == 0xE2, byte(end + 1) == 0x80, byte(end + 2) == 0x9D {
          return endText(start, end, length: 3)
        }
      }
      end += 1
    }
    end = min(end, bytes.count)
    addPiece(start, end, mode: mode)
    position = end
    endUnfinishedText()
  }

  private mutating func beginInterpolation(_ start: Int, _ end: Int, mode: TextMode) {
    addPiece(start, end, mode: mode)
    emit(.interpolationBegin, end, end: end + 1)
    modes[modes.count - 1].inInterpolation = true
    modes[modes.count - 1].interpolationStart = end
    modes[modes.count - 1].braces = 0
  }

  private mutating func addPiece(_ start: Int, _ end: Int, mode: TextMode) {
    if mode.isMultiline {
      // Kept even when empty: it tells that an interpolation began or ended here.
      emit(.stringText, start, end: end)
      modes[modes.count - 1].pieces.append(lexed.tokens.count - 1)
    } else if end > start {
      var text: [UInt8] = []
      let hasEscapes = bytes[start..<end].contains(ascii("\\"))
      if hasEscapes {
        cook(start, end, into: &text, stripping: nil)
        lexed.texts.append(String(decoding: text, as: UTF8.self))
      } else {
        lexed.texts.append(string(start, end))
      }
      emit(.stringText, start, end: end, payload: lexed.texts.count - 1)
    }
  }

  private mutating func endText(_ start: Int, _ end: Int, length: Int) {
    let mode = modes[modes.count - 1]
    addPiece(start, end, mode: mode)
    if length == 3 { modes[modes.count - 1].isSmart = true }
    modes.removeLast()
    emit(.stringEnd, end, end: end + length)
  }

  private mutating func endMultilineText(_ start: Int, _ end: Int) {
    let mode = modes[modes.count - 1]
    addPiece(start, end, mode: mode)
    let pieces = modes.removeLast().pieces
    cookLines(pieces, opener: mode.opener, closing: end)
    emit(.stringEnd, end, end: end + 3)
  }

  /// Strips the indentation of the closing quotes from the pieces of a `"""`.
  private mutating func cookLines(_ pieces: [Int], opener: Int, closing: Int, isRaw: Bool = false) {
    var lineStart = closing
    while lineStart > opener + 3, bytes[lineStart - 1] == 0x20 || bytes[lineStart - 1] == 9 { lineStart -= 1 }
    let ownsLine = bytes[lineStart - 1] == 10
    let indentation = ownsLine ? Array(bytes[lineStart..<closing]) : []
    for (number, piece) in pieces.enumerated() {
      let start = Int(lexed.tokens[piece].start)
      var end = Int(lexed.tokens[piece].end)
      if number == pieces.count - 1, ownsLine {
        end = max(start, lineStart - 1)
        if end > start, bytes[end - 1] == 13 { end -= 1 }
      }
      var text: [UInt8] = []
      let atLineStart = number == 0 && bytes[start - 1] == 10
      cook(start, end, into: &text, stripping: indentation, atLineStart: atLineStart, isRaw: isRaw)
      lexed.texts.append(String(decoding: text, as: UTF8.self))
      lexed.tokens[piece].payload = Int32(lexed.texts.count - 1)
    }
  }

  /// Replaces escapes; with an indentation, also strips it after every line break.
  private mutating func cook(
    _ start: Int, _ end: Int, into text: inout [UInt8], stripping indentation: [UInt8]?, atLineStart: Bool = false,
    isRaw: Bool = false
  ) {
    var at = start
    if atLineStart, let indentation { at = strip(at, end, indentation: indentation) }
    while at < end {
      let next = bytes[at]
      if next == ascii("\\"), !isRaw {
        at = cookEscape(at, end, into: &text, indentation)
      } else if next == 13, byte(at + 1) == 10, indentation != nil {
        at += 1
      } else {
        text.append(next)
        at += 1
        if next == 10, let indentation { at = strip(at, end, indentation: indentation) }
      }
    }
  }

  private mutating func strip(_ start: Int, _ end: Int, indentation: [UInt8]) -> Int {
    if indentation.isEmpty { return start }
    let stop = start + indentation.count
    if stop <= end, bytes[start..<stop].elementsEqual(indentation) { return stop }
    var blankEnd = start
    while blankEnd < end, bytes[blankEnd] == 0x20 || bytes[blankEnd] == 9 || bytes[blankEnd] == 13 { blankEnd += 1 }
    if blankEnd >= end || bytes[blankEnd] == 10 { return blankEnd }
    report(
      Diagnostic(
        .malformedText, "this line is indented less than the closing `\"\"\"`",
        at: span(start, max(blankEnd, start + 1)),
        label: "every line of the text starts with the blanks that stand before the closing quotes"))
    return blankEnd
  }

  private mutating func cookEscape(
    _ start: Int, _ end: Int, into text: inout [UInt8], _ indentation: [UInt8]?
  ) -> Int {
    let next = start + 1 < end ? bytes[start + 1] : 0
    switch next {
    case ascii("0"): text.append(0)
    case ascii("t"): text.append(9)
    case ascii("n"): text.append(10)
    case ascii("r"): text.append(13)
    case ascii("\""), ascii("'"), ascii("\\"), ascii("{"), ascii("}"): text.append(next)
    case ascii("u"): return cookScalar(start, end, into: &text)
    default:
      if let indentation, let lineBreak = lineBreakAfterBlanks(start + 1, end) {
        return strip(lineBreak + 1, end, indentation: indentation)
      }
      reportEscape(start, end)
    }
    return min(start + 2, end)
  }

  private func lineBreakAfterBlanks(_ start: Int, _ end: Int) -> Int? {
    var at = start
    while at < end, bytes[at] == 0x20 || bytes[at] == 9 || bytes[at] == 13 { at += 1 }
    return at < end && bytes[at] == 10 ? at : nil
  }

  /// Once a text: what is no escape is usually a pattern.
  private mutating func reportEscape(_ start: Int, _ end: Int) {
    let opener = modes.last?.opener ?? lexed.tokens.last { $0.kind == .stringBegin }.map { Int($0.start) } ?? start
    if toldEscape == opener { return }
    var stop = min(start + 2, end)
    while stop < end, bytes[stop] & 0xC0 == 0x80 { stop += 1 }
    if start + 1 < end, bytes[start + 1] == ascii("(") {
      return report(
        Diagnostic(
          .foreignHabit, "a value is put into a text with braces, not with `\\(…)`", at: span(start, stop),
          helps: [Help("write", code: "\"{value}\"")]))
    }
    toldEscape = opener
    report(
      Diagnostic(
        .malformedText, "`\(string(start, stop))` is no escape", at: span(start, stop),
        label: "there are \\n \\t \\r \\0 \\\\ \\\" \\' \\{ \\} and \\u{1F600}",
        helps: [
          fix("for a backslash itself", start, end: min(start + 1, end), replacement: "\\\\"),
          Help(
            "or a raw text, in which nothing is an escape", code: rawText(opener) ?? "#\"…\(string(start, stop))…\"#"),
        ]))
  }

  /// The text that begins at `opener` as a raw one, where it is short, ends with its line and has no escape.
  private func rawText(_ opener: Int) -> String? {
    var end = opener + 1
    while end < bytes.count, end - opener <= 60, bytes[end] != 10, bytes[end] != ascii("\"") {
      if bytes[end] == ascii("\\") {
        end += 1
        if "0tnr\"'\\{}u".utf8.contains(byte(end)) { return nil }
      }
      end += 1
    }
    return byte(end) == ascii("\"") && end > opener + 1 ? "#\(string(opener, end + 1))#" : nil
  }

  private mutating func cookScalar(_ start: Int, _ end: Int, into text: inout [UInt8]) -> Int {
    var at = start + 2
    var value: UInt32 = 0
    var digits = 0
    if at < end, bytes[at] == ascii("{") {
      at += 1
      while at < end, digits < 9, let digit = Character(Unicode.Scalar(bytes[at])).hexDigitValue {
        value = (value << 4) | UInt32(digit)
        digits += 1
        at += 1
      }
      if at < end, bytes[at] == ascii("}"), digits >= 1, digits <= 8, let scalar = Unicode.Scalar(value) {
        text.append(contentsOf: Array(String(Character(scalar)).utf8))
        return at + 1
      }
    }
    report(
      Diagnostic(
        .malformedText, "`\\u` needs the number of a character in braces",
        at: span(start, min(max(at, start + 2), end)),
        helps: [Help("for example", code: "\"\\u{1F600}\"")]))
    return max(at, start + 2)
  }

  /// Ends the innermost text where it has no end, so that the parser sees a whole one.
  mutating func endUnfinishedText() {
    guard let mode = modes.popLast() else { return }
    let isMultiline = mode.isMultiline
    if isMultiline { lexed.endsInText = true }
    // Of nested texts only the outermost is reported: it is where the quote is missing.
    if modes.isEmpty || mode.isMultiline { reportUnfinished(mode) }
    if isMultiline {
      for piece in mode.pieces where lexed.tokens[piece].payload < 0 {
        lexed.texts.append(string(Int(lexed.tokens[piece].start), Int(lexed.tokens[piece].end)))
        lexed.tokens[piece].payload = Int32(lexed.texts.count - 1)
      }
    }
    if mode.inInterpolation { emit(.interpolationEnd, position, end: position) }
    emit(.stringEnd, position, end: position)
    if !modes.isEmpty, !isMultiline, !modes[modes.count - 1].isMultiline { endUnfinishedText() }
  }

  private mutating func reportUnfinished(_ mode: TextMode) {
    let quotes = mode.isMultiline ? "\"\"\"" : "\""
    let openerEnd = mode.opener + (mode.isSmart ? 3 : mode.isMultiline ? 3 : 1)
    if mode.inInterpolation {
      let value = bytes[mode.interpolationStart..<min(position, bytes.count)]
      let isEscaped = zip(value, value.dropFirst()).contains { $0 == ascii("\\") && $1 == ascii("\"") }
      return report(
        Diagnostic(
          .unterminatedText, "this text has no closing quote", at: span(mode.opener, openerEnd),
          label: "it begins here",
          labels: [
            Label(
              span(mode.interpolationStart, mode.interpolationStart + 1), "this `{` begins a value and is not closed")
          ],
          notes: isEscaped ? ["Between braces a text has its own quotes, without a backslash."] : [],
          helps: isEscaped
            ? [Help("for example", code: #""{names |> join(", ")}""#)]
            : [Help("a brace that is only text", code: "\\{")]))
    }
    var end = min(position, bytes.count)
    while end > openerEnd, bytes[end - 1] == 13 || bytes[end - 1] == 0x20 { end -= 1 }
    var helps = [
      Help(
        "close it", code: string(mode.opener, min(end, mode.opener + 40)) + quotes,
        edit: Help.Edit(span(end, end), quotes))
    ]
    if mode.isMultiline {
      helps = [Help("close it on a line of its own", code: quotes)]
    } else if laterQuoteBeforeBlankLine(end) {
      helps.append(Help("for a text over several lines", code: "\"\"\""))
    }
    report(
      Diagnostic(
        .unterminatedText, "this text has no closing quote", at: span(mode.opener, openerEnd),
        label: mode.isMultiline ? "it begins here" : "it begins here and ends with its line", helps: helps))
  }

  /// Whether one of the next lines ends in a lone quote, as if the text were meant to go on.
  private func laterQuoteBeforeBlankLine(_ start: Int) -> Bool {
    var at = start
    var quotes = 0
    var lines = 0
    while at < bytes.count, lines < 8 {
      if bytes[at] == ascii("\"") { quotes += 1 }
      if bytes[at] == 10 {
        if quotes % 2 == 1 { return true }
        quotes = 0
        lines += 1
      }
      at += 1
    }
    return quotes % 2 == 1
  }
}
