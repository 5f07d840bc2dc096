// What is no plain token: letters beyond ASCII, characters that only look like ours (E0108), foreign comments and
// quotes (E0106), and bytes that have no place in a program (E0111).

import FRPBase

extension Lexer {
  func scalar(at offset: Int) -> (Unicode.Scalar, length: Int)? {
    let lead = byte(offset)
    let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    guard offset + length <= bytes.count else { return nil }
    var iterator = bytes[offset..<(offset + length)].makeIterator()
    var decoder = UTF8()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
    return (scalar, length)
  }

  /// The character that was meant, for those that look like one of ours.
  func lookAlike(_ scalar: Unicode.Scalar) -> String? {
    switch scalar.value {
    case 0x201C, 0x201D, 0x201E, 0x00AB, 0x00BB: "\""
    case 0x2018, 0x2019: "\""
    case 0x00A0, 0x2000...0x200A, 0x202F, 0x3000: " "
    case 0x200B...0x200D, 0x2060, 0xFEFF, 0x00AD: ""
    case 0x2010...0x2015, 0x2212: "-"
    case 0x00D7, 0x22C5: "*"
    case 0x00F7, 0x2215: "/"
    case 0x2192: "->"
    case 0x21D2: "=>"
    case 0x2264: "<="
    case 0x2265: ">="
    case 0x2260: "!="
    case 0x2026: "..."
    case 0x037E: ";"
    case 0xFF01...0xFF5E: String(Unicode.Scalar(UInt8(scalar.value - 0xFEE0)))
    default: nil
    }
  }

  /// A character beyond ASCII outside of texts.
  mutating func lexOther(_ start: Int) {
    guard let (scalar, length) = scalar(at: start) else {
      position += 1
      return
    }
    if scalar.value == 0xB1 { return emit(.plusMinus, start, end: start + length) }
    if let meant = lookAlike(scalar) { return lexLookAlike(start, length, scalar: scalar, meant: meant) }
    if scalar.properties.isAlphabetic || scalar.properties.isXIDStart {
      let isUpper = scalar.properties.isUppercase || scalar.properties.generalCategory == .titlecaseLetter
      lexName(start, firstLength: length, isUpper: isUpper)
      return
    }
    reportBadCharacter(start, length, scalar: scalar)
  }

  private mutating func lexName(_ start: Int, firstLength: Int, isUpper: Bool) {
    var end = start + firstLength
    while end < bytes.count {
      if isNameByte(bytes[end]) {
        end += 1
      } else if bytes[end] >= 0x80, let (scalar, length) = scalar(at: end), scalar.properties.isXIDContinue,
        lookAlike(scalar) == nil
      {
        end += length
      } else {
        break
      }
    }
    emit(isUpper ? .upperName : .lowerName, start, end: end)
  }

  private mutating func lexLookAlike(_ start: Int, _ length: Int, scalar: Unicode.Scalar, meant: String) {
    let code = name(of: scalar)
    let end = start + length
    let title: String
    switch meant {
    case "": title = "there is an invisible character (\(code)) here"
    case " ": title = "this blank is \(code), not an ordinary one"
    default: title = "this is \(code), not `\(meant)`"
    }
    var diagnostic = Diagnostic(
      .lookAlikeCharacter, title, at: span(start, end),
      helps: [fix(meant == "" ? "remove it" : "write", start, end: end, replacement: meant, isSafe: true)])
    if meant == "" || meant == " " {
      diagnostic.helps[0].code = nil
      if meant == " " { diagnostic.helps[0].text = "write an ordinary blank" }
    }
    if meant == "\"" { return lexSmartText(start, length, diagnostic: diagnostic) }
    report(diagnostic)
    readAs(meant, start, end: end)
  }

  /// Goes on as if the right character stood there.
  private mutating func readAs(_ meant: String, _ start: Int, end: Int) {
    switch meant {
    case "", " ":
      position = end
      column += meant.utf8.count
    case "-": emit(.minus, start, end: end)
    case "*": emit(.star, start, end: end)
    case "/": emit(.slash, start, end: end)
    case "->": emit(.arrow, start, end: end)
    case "=>": emit(.fatArrow, start, end: end)
    case "<=": emit(.lessEqual, start, end: end)
    case ">=": emit(.greaterEqual, start, end: end)
    case "!=": emit(.notEqual, start, end: end)
    case "...": emit(.ellipsis, start, end: end)
    case "(": emit(.leftParen, start, end: end)
    case ")": emit(.rightParen, start, end: end)
    case ",": emit(.comma, start, end: end)
    case ";": emit(.semicolon, start, end: end)
    case ":": emit(.colon, start, end: end)
    case "=": emit(.equal, start, end: end)
    case "+": emit(.plus, start, end: end)
    case "0"..."9" where meant.utf8.count == 1:
      lexed.ints.append(UInt64(meant) ?? 0)
      emit(.int, start, end: end, payload: lexed.ints.count - 1)
    default: position = end
    }
  }

  /// `“text”`: read as a text, reported once with an edit for each end.
  private mutating func lexSmartText(_ start: Int, _ length: Int, diagnostic: Diagnostic) {
    var end = start + length
    while end < bytes.count, bytes[end] != 10 {
      if bytes[end] >= 0xC2, let (scalar, width) = scalar(at: end), lookAlike(scalar) == "\"" {
        var both = diagnostic
        both.reason =
          "these quotes are \(name(of: self.scalar(at: start)?.0 ?? "\"")) and \(name(of: scalar)), not `\"`"
        both.span = span(start, end + width)
        both.helps = [
          Help(
            "write", code: "\"" + string(start + length, end) + "\"",
            edit: Help.Edit(span(start, start + length), "\"", isSafe: true)),
          Help("and the same at its end", edit: Help.Edit(span(end, end + width), "\"", isSafe: true)),
        ]
        report(both)
        return emitPlainText(start, start + length, textEnd: end, end: end + width)
      }
      if bytes[end] == ascii("\"") { break }
      end += 1
    }
    report(diagnostic)
    if byte(end) == ascii("\"") { return emitPlainText(start, start + length, textEnd: end, end: end + 1) }
    while end > start + length, bytes[end - 1] == 13 { end -= 1 }
    emitPlainText(start, start + length, textEnd: end, end: end)
  }

  private mutating func emitPlainText(_ start: Int, _ textStart: Int, textEnd: Int, end: Int) {
    emit(.stringBegin, start, end: textStart)
    if textEnd > textStart {
      lexed.texts.append(string(textStart, textEnd))
      emit(.stringText, textStart, end: textEnd, payload: lexed.texts.count - 1)
    }
    emit(.stringEnd, textEnd, end: end)
  }

  /// `'text'`
  mutating func lexSingleQuotes(_ start: Int) {
    var end = start + 1
    while end < bytes.count, bytes[end] != 10, bytes[end] != ascii("'") { end += 1 }
    guard byte(end) == ascii("'") else {
      report(
        Diagnostic(.strayCharacter, "`'` has no meaning here", at: span(start, start + 1), label: "texts stand in `\"`")
      )
      position = start + 1
      return
    }
    let text = string(start + 1, end)
    report(
      Diagnostic(
        .foreignHabit, "texts stand in double quotes", at: span(start, end + 1),
        helps: [
          fix(
            "write", start, end: end + 1, replacement: "\"" + text + "\"",
            isSafe: !text.contains("\"") && !text.contains("{"))
        ]))
    emitPlainText(start, start + 1, textEnd: end, end: end + 1)
  }

  /// `# comment`
  mutating func lexHash(_ start: Int) {
    report(
      Diagnostic(
        .foreignHabit, "comments begin with `//`", at: span(start, start + 1),
        helps: [fix("write", start, end: start + 1, replacement: "//", isSafe: startsLine)]))
    while position < bytes.count, bytes[position] != 10 { position += 1 }
  }

  /// `/* comment */`
  mutating func lexBlockComment(_ start: Int) {
    var end = start + 2
    while end < bytes.count, !(bytes[end] == ascii("*") && byte(end + 1) == ascii("/")) {
      if bytes[end] == 10 { startsLine = true }
      end += 1
    }
    report(
      Diagnostic(
        .foreignHabit, "a comment begins with `//` and ends with its line", at: span(start, start + 2),
        helps: [Help("write", code: "// comment")]))
    position = min(end + 2, bytes.count)
    column = 0
  }

  /// A control character. A run of them is one mistake.
  mutating func lexControl(_ start: Int) {
    let value = bytes[start]
    var end = start + 1
    while end < bytes.count, bytes[end] < 0x20 || bytes[end] == 0x7F, ![9, 10, 13].contains(bytes[end]) { end += 1 }
    report(
      Diagnostic(
        .strayCharacter, "the control character \(hex(UInt32(value))) has no place in a program", at: span(start, end))
    )
    position = end
  }

  private mutating func reportBadCharacter(_ start: Int, _ length: Int, scalar: Unicode.Scalar) {
    var end = start + length
    // One mistake a run: a line of them is not a line of messages.
    while end < bytes.count, bytes[end] >= 0x80, let (next, width) = self.scalar(at: end), lookAlike(next) == nil,
      !next.properties.isAlphabetic
    {
      end += width
    }
    report(
      Diagnostic(
        .strayCharacter, "`\(string(start, end))` has no meaning outside of a text", at: span(start, end),
        label: "this is \(name(of: scalar))"))
    position = end
  }

  private func name(of scalar: Unicode.Scalar) -> String { hex(scalar.value) }

  private func hex(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
