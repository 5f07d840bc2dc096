// Numbers: `12`, `1_000`, `0xFF`, `0b101`, `0o17`, `1.5`, `1e9`, and durations `250ms 2s 5min 1h` (also `1.5s`,
// `us`, `ns`). Every wrong form gives E0109 (E0407 for a unit that is none) and a number token all the same.

import FRPBase

extension Lexer {
  static let secondsOfUnit: [String: (factor: Double, divides: Bool)] = [
    "ns": (1e9, true), "us": (1e6, true), "ms": (1e3, true), "s": (1, false), "min": (60, false), "h": (3600, false),
  ]

  mutating func lexNumber(_ start: Int) {
    let second = byte(start + 1)
    if bytes[start] == ascii("0") {
      switch second {
      case ascii("x"), ascii("X"): return lexRadix(start, 16, name: "hexadecimal", example: "0xFF")
      case ascii("b"), ascii("B"): return lexRadix(start, 2, name: "binary", example: "0b101")
      case ascii("o"), ascii("O"): return lexRadix(start, 8, name: "octal", example: "0o17")
      default: break
      }
    }
    var end = skipDigits(start)
    var isFloat = false
    if byte(end) == ascii("."), isDigit(byte(end + 1)) {
      isFloat = true
      end = skipDigits(end + 1)
    }
    if byte(end) == ascii("e") || byte(end) == ascii("E") {
      let sign = byte(end + 1) == ascii("+") || byte(end + 1) == ascii("-") ? 1 : 0
      if isDigit(byte(end + 1 + sign)) {
        isFloat = true
        end = skipDigits(end + 1 + sign)
      }
    }
    finishNumber(start, end, isFloat: isFloat)
  }

  /// After the digits: a unit, letters that are none, a lone dot.
  private mutating func finishNumber(_ start: Int, _ end: Int, isFloat: Bool) {
    var wordEnd = end
    while wordEnd < bytes.count, isNameByte(bytes[wordEnd]) { wordEnd += 1 }
    if hasStraySeparator(start, end, radix: 10) {
      report(
        Diagnostic(
          .malformedNumber, "a `_` in a number stands between two digits", at: span(start, end),
          helps: [fix("write it without", start, end: end, replacement: digits(start, end))]))
    }
    if wordEnd > end { return lexUnit(start, end, wordEnd: wordEnd) }
    if byte(end) == ascii("."), byte(end + 1) != ascii("."), byte(end + 1) != ascii("`"),
      !isNameStart(byte(end + 1))
    {
      report(
        Diagnostic(
          .malformedNumber, "a number needs digits after its dot", at: span(start, end + 1),
          helps: [fix("write", start, end: end + 1, replacement: string(start, end) + ".0")]))
      emitDouble(.float, start, end: end + 1, value: Double(digits(start, end)) ?? 0)
      return
    }
    if byte(end) == ascii("."), lexDottedUnit(start, end) { return }
    isFloat ? emitFloat(start, end) : emitInt(start, end, radix: 10, from: start)
  }

  /// `1.sec`, `100.millis`: a unit as a field, which no number has.
  private mutating func lexDottedUnit(_ start: Int, _ end: Int) -> Bool {
    var wordEnd = end + 1
    while wordEnd < bytes.count, isNameByte(bytes[wordEnd]) { wordEnd += 1 }
    let word = string(end + 1, wordEnd)
    let unit = Lexer.secondsOfUnit[word] == nil ? Lexer.otherUnits[word] : word
    guard let unit, byte(wordEnd) != ascii("("), let scale = Lexer.secondsOfUnit[unit] else { return false }
    report(
      Diagnostic(
        .unknownUnit, "a unit stands directly after its number", at: span(start, wordEnd),
        helps: [fix("write", start, end: wordEnd, replacement: digits(start, end) + unit)]))
    let number = Double(digits(start, end)) ?? 0
    emitDouble(.duration, start, end: wordEnd, value: scale.divides ? number / scale.factor : number * scale.factor)
    return true
  }

  private static let otherUnits: [String: String] = [
    "m": "min", "minutes": "min", "minute": "min", "mins": "min", "sec": "s", "secs": "s", "second": "s",
    "seconds": "s", "hour": "h", "hours": "h", "hr": "h", "hrs": "h", "msec": "ms", "millis": "ms", "usec": "us",
    "milliseconds": "ms",
  ]

  private mutating func lexUnit(_ start: Int, _ end: Int, wordEnd: Int) {
    let unit = string(end, wordEnd)
    let number = Double(digits(start, end)) ?? 0
    if let seconds = Lexer.secondsOfUnit[unit] {
      let value = seconds.divides ? number / seconds.factor : number * seconds.factor
      if !value.isFinite { reportTooLarge(start, wordEnd) }
      return emitDouble(.duration, start, end: wordEnd, value: value.isFinite ? value : 0)
    }
    let digitsText = string(start, end)
    if unit == "d" || unit == "days" || unit == "day" {
      report(
        Diagnostic(
          .unknownUnit, "`\(unit)` is no unit of time", at: span(end, wordEnd), label: "the largest is `h`",
          helps: [fix("in hours", start, end: wordEnd, replacement: "\(Int(min(number * 24, 1e15)))h")]))
      return emitDouble(.duration, start, end: wordEnd, value: number * 86400)
    }
    if let right = Lexer.otherUnits[unit] {
      let text = unit == "m" ? "`m` is no unit of time; minutes are `min`" : "`\(unit)` is no unit of time"
      report(
        Diagnostic(
          .unknownUnit, text, at: span(start, wordEnd),
          helps: [fix("write", start, end: wordEnd, replacement: digitsText + right)]))
      return emitDouble(.duration, start, end: wordEnd, value: number)
    }
    report(
      Diagnostic(
        .malformedNumber, "a number cannot be followed by `\(unit)`", at: span(start, wordEnd),
        label: "names start with a letter; durations are like `250ms`, `2s`, `5min`, `1h`",
        helps: [Help("to multiply", code: "\(digitsText) * \(unit)")]))
    emitInt(start, wordEnd, radix: 10, from: start, digitsEnd: end)
  }

  private mutating func lexRadix(_ start: Int, _ radix: UInt64, name: String, example: String) {
    var end = start + 2
    while end < bytes.count, isNameByte(bytes[end]) { end += 1 }
    let bad = bytes[(start + 2)..<end].first { byte in
      byte != ascii("_") && (digitValue(byte).map { $0 >= radix } ?? true)
    }
    if end == start + 2 || bad != nil || hasStraySeparator(start + 2, end, radix: radix) {
      report(
        Diagnostic(
          .malformedNumber, "`\(string(start, end))` is not a \(name) number", at: span(start, end),
          label: "such a number is written like `\(example)`"))
      lexed.ints.append(0)
      return emit(.int, start, end: end, payload: lexed.ints.count - 1)
    }
    emitInt(start, end, radix: radix, from: start + 2)
  }

  /// `.5` at a place where no field can be meant.
  mutating func lexNumberWithoutWhole(_ start: Int) {
    let end = skipDigits(start + 1)
    let previous = lexed.tokens.last
    if let previous, Int(previous.end) == start,
      [.lowerName, .rightParen, .rightBrace, .rightBracket].contains(previous.kind)
    {
      report(
        Diagnostic(
          .foreignHabit, "a tuple has no numbered fields", at: span(start, end),
          helps: [Help("take it apart with a pattern", code: "(first, second) = pair")]))
      // The field is dropped, so that the rest reads well.
      position = end
      return
    }
    report(
      Diagnostic(
        .malformedNumber, "a number needs digits before its dot", at: span(start, end),
        helps: [fix("write", start, end: end, replacement: "0" + string(start, end))]))
    emitDouble(.float, start, end: end, value: Double("0" + digits(start, end)) ?? 0)
  }

  private mutating func emitInt(_ start: Int, _ end: Int, radix: UInt64, from: Int, digitsEnd: Int? = nil) {
    var value: UInt64 = 0
    var overflows = false
    for byte in bytes[from..<(digitsEnd ?? end)] where byte != ascii("_") {
      let (product, over1) = value.multipliedReportingOverflow(by: radix)
      let (sum, over2) = product.addingReportingOverflow(digitValue(byte) ?? 0)
      overflows = overflows || over1 || over2
      value = sum
    }
    // 2^63 alone is legal after a minus; the parser decides.
    if overflows || value > 1 << 63 {
      reportTooLarge(start, end)
      value = 0
    }
    lexed.ints.append(value)
    emit(.int, start, end: end, payload: lexed.ints.count - 1)
  }

  mutating func reportTooLarge(_ start: Int, _ end: Int) {
    report(
      Diagnostic(
        .malformedNumber, "this number is too large", at: span(start, end),
        label: "an Int lies between -9223372036854775808 and 9223372036854775807, a Float below 1.8e308"))
  }

  private mutating func emitFloat(_ start: Int, _ end: Int) {
    let value = Double(digits(start, end)) ?? 0
    if !value.isFinite { reportTooLarge(start, end) }
    emitDouble(.float, start, end: end, value: value.isFinite ? value : 0)
  }

  private mutating func emitDouble(_ kind: TokenKind, _ start: Int, end: Int, value: Double) {
    lexed.doubles.append(value)
    emit(kind, start, end: end, payload: lexed.doubles.count - 1)
  }

  private func skipDigits(_ start: Int) -> Int {
    var end = start
    while end < bytes.count, isDigit(bytes[end]) || bytes[end] == ascii("_") { end += 1 }
    return end
  }

  /// Whether a `_` stands elsewhere than between two digits.
  private func hasStraySeparator(_ start: Int, _ end: Int, radix: UInt64) -> Bool {
    func isDigit(_ at: Int) -> Bool { start..<end ~= at && digitValue(bytes[at]).map { $0 < radix } ?? false }
    return (start..<end).contains { bytes[$0] == ascii("_") && !(isDigit($0 - 1) && isDigit($0 + 1)) }
  }

  /// The digits without `_`.
  private func digits(_ start: Int, _ end: Int) -> String {
    String(decoding: bytes[start..<end].filter { $0 != ascii("_") }, as: UTF8.self)
  }

  func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  private func isNameStart(_ byte: UInt8) -> Bool { isNameByte(byte) && !isDigit(byte) || byte >= 0x80 }

  private func digitValue(_ byte: UInt8) -> UInt64? {
    switch byte {
    case 0x30...0x39: UInt64(byte - 0x30)
    case 0x61...0x66: UInt64(byte - 0x61 + 10)
    case 0x41...0x46: UInt64(byte - 0x41 + 10)
    default: nil
    }
  }

  func fix(_ text: String, _ start: Int, end: Int, replacement: String, isSafe: Bool = false) -> Help {
    Help(text, code: replacement, edit: Help.Edit(span(start, end), replacement, isSafe: isSafe))
  }
}
