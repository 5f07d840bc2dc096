// Bytes -> tokens. One pass, no backtracking, linear; never fails: what cannot be read becomes a diagnostic and
// the nearest sensible token, so that the parser does not complain a second time.
//
// Rules: names are letters, digits and `_` (the case of the first letter tells values from types); blanks
// separate; `//` comments and the `#!` first line are kept apart; texts push a mode, so that `{` in a text
// leads back to ordinary tokens and the matching `}` returns to the text.

import FRPBase

struct Lexed {
  var tokens: [Token] = []
  var ints: [UInt64] = []
  var doubles: [Double] = []
  var texts: [String] = []
  var comments: [Comment] = []
  var diagnostics: [Diagnostic] = []
  /// Whether the text ends inside a `"""`.
  var endsInText = false
}

struct Lexer {
  /// A text that is being read; `braces` counts what is open inside its interpolation.
  struct TextMode {
    var isMultiline: Bool
    /// The byte sequence of U+201C began it, so U+201D may end it.
    var isSmart = false
    var opener: Int
    var inInterpolation = false
    var interpolationStart = 0
    var braces = 0
    /// The tokens that hold its raw pieces; only kept for `"""`.
    var pieces: [Int] = []
  }

  let bytes: [UInt8]
  let file: FileID
  var position = 0
  var lexed = Lexed()
  var modes: [TextMode] = []
  var startsLine = true
  var column = 0
  var lastTokenLineBreaks = 0
  /// Line breaks since the last token or comment.
  var lineBreaks = 0
  /// Where the last text begins of which an escape was reported.
  var toldEscape = -1

  init(_ source: SourceFile, _ file: FileID) {
    bytes = source.bytes
    self.file = file
  }

  static func lex(_ source: SourceFile, _ file: FileID) -> Lexed {
    var lexer = Lexer(source, file)
    lexer.run()
    return lexer.lexed
  }

  // MARK: - Reading bytes

  func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

  func span(_ start: Int, _ end: Int) -> Span { Span(file: file, start: start, end: end) }

  func string(_ start: Int, _ end: Int) -> String {
    String(decoding: bytes[start..<max(start, end)], as: UTF8.self)
  }

  mutating func report(_ diagnostic: Diagnostic) {
    if lexed.diagnostics.count < 200 { lexed.diagnostics.append(diagnostic) }
  }

  mutating func emit(_ kind: TokenKind, _ start: Int, end: Int, payload: Int = -1) {
    let next = byte(end)
    lexed.tokens.append(
      Token(
        kind: kind, startsLine: startsLine,
        blankAfter: next == 0 || next == 0x20 || next == 9 || next == 10 || next == 13,
        column: Int32(startsLine ? column : 0), start: Int32(start), end: Int32(end), payload: Int32(payload)))
    startsLine = false
    lineBreaks = 0
    position = end
  }

  // MARK: - The loop

  mutating func run() {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    lexed.tokens.reserveCapacity(bytes.count / 4)
    if byte(position) == ascii("#"), byte(position + 1) == ascii("!") {
      lexComment(start: position)
    }
    while position < bytes.count {
      if let mode = modes.last, !mode.inInterpolation {
        lexText(mode)
      } else {
        lexToken()
      }
    }
    while !modes.isEmpty { endUnfinishedText() }
    emit(.endOfFile, bytes.count, end: bytes.count)
  }

  mutating func lexToken() {
    let start = position
    let first = bytes[start]
    switch first {
    case 0x20:
      position += 1
      column += 1
    case 9:
      position += 1
      column = (column / 8 + 1) * 8
    case 13:
      position += 1
    case 10:
      lexLineBreak()
    case ascii("a")...ascii("z"), ascii("A")...ascii("Z"), ascii("_"):
      lexName(start)
    case ascii("0")...ascii("9"):
      lexNumber(start)
    case ascii("\""):
      beginText(start)
    case ascii("/") where byte(start + 1) == ascii("/"):
      lexComment(start: start)
    case ascii("{"):
      if !modes.isEmpty { modes[modes.count - 1].braces += 1 }
      emit(.leftBrace, start, end: start + 1)
    case ascii("}"):
      lexRightBrace(start)
    case 0x80...0xFF:
      lexOther(start)
    default:
      lexOperator(start, first)
    }
  }

  mutating func lexLineBreak() {
    if let mode = modes.last, !mode.isMultiline {
      endUnfinishedText()
      return
    }
    position += 1
    startsLine = true
    column = 0
    lineBreaks += 1
  }

  mutating func lexRightBrace(_ start: Int) {
    guard let mode = modes.last else { return emit(.rightBrace, start, end: start + 1) }
    if mode.braces > 0 {
      modes[modes.count - 1].braces -= 1
      emit(.rightBrace, start, end: start + 1)
    } else {
      emit(.interpolationEnd, start, end: start + 1)
      modes[modes.count - 1].inInterpolation = false
    }
  }

  mutating func lexName(_ start: Int) {
    var end = start + 1
    var isPlain = true
    while end < bytes.count {
      let next = bytes[end]
      if isNameByte(next) {
        end += 1
      } else if next >= 0x80, let (scalar, length) = scalar(at: end), scalar.properties.isXIDContinue,
        lookAlike(scalar) == nil
      {
        end += length
        isPlain = false
      } else {
        break
      }
    }
    let first = bytes[start]
    if first >= ascii("A"), first <= ascii("Z") { return emit(.upperName, start, end: end) }
    if first == ascii("_"), end == start + 1 { return emit(.wildcard, start, end: end) }
    if isPlain, let word = reservedWord(bytes, start, end: end) {
      return emit(word, start, end: end)
    }
    emit(.lowerName, start, end: end)
  }

  /// `` `Order ID` ``: the name of a field, up to the next backtick of its line.
  mutating func lexQuotedName(_ start: Int) {
    var end = start + 1
    while end < bytes.count, bytes[end] >= 0x20, bytes[end] != ascii("`") { end += 1 }
    let isClosed = end < bytes.count && bytes[end] == ascii("`")
    if isClosed, end > start + 1 { return emit(.quotedName, start, end: end + 1) }
    report(
      Diagnostic(
        .malformedRecord, isClosed ? "there is no name between these backticks" : "this name has no closing backtick",
        at: span(start, isClosed ? end + 1 : start + 1), label: isClosed ? "" : "it begins here",
        helps: [Help("for example", code: "{`Order ID`: 7}")]))
    // A name all the same, so that nothing more is said.
    emit(.quotedName, start, end: isClosed ? end + 1 : start + 1)
  }

  mutating func lexComment(start: Int) {
    var end = start
    while end < bytes.count, bytes[end] != 10 { end += 1 }
    var textEnd = end
    while textEnd > start, bytes[textEnd - 1] == 13 || bytes[textEnd - 1] == 0x20 || bytes[textEnd - 1] == 9 {
      textEnd -= 1
    }
    let ownsLine = startsLine || followsSeparators(start)
    lexed.comments.append(
      Comment(
        text: string(start, textEnd), span: span(start, textEnd), ownsLine: ownsLine,
        blankLinesBefore: max(0, lineBreaks - (lexed.tokens.isEmpty && lexed.comments.isEmpty ? 0 : 1))))
    lineBreaks = 0
    position = end
  }

  /// Whether only `;` stands before `place` on its line. Nothing remains of them, so that a comment there owns its line.
  private func followsSeparators(_ place: Int) -> Bool {
    var before = place
    while before > 0, [0x20, 9, 0x3B].contains(bytes[before - 1]) { before -= 1 }
    return before == 0 || bytes[before - 1] == 10
  }

  // MARK: - Operators

  /// What begins with a sign: of the operators that stand there, the longest.
  mutating func lexOperator(_ start: Int, _ first: UInt8) {
    switch first {
    case ascii("."): return lexDots(start)
    case ascii("`"): return lexQuotedName(start)
    case ascii("'"): return lexSingleQuotes(start)
    case ascii("#"): return lexRawText(start) ? () : lexHash(start)
    case ascii("/") where byte(start + 1) == ascii("*"): return lexBlockComment(start)
    default: break
    }
    let bytes = UInt32(first) | UInt32(byte(start + 1)) << 8 | UInt32(byte(start + 2)) << 16
    guard let found = Sign.all.first(where: { bytes & $0.mask == $0.bytes }) else { return lexControl(start) }
    emit(found.kind, start, end: start + found.count)
  }

  /// `.`, `..`, `...`, and the number forms `.5`.
  mutating func lexDots(_ start: Int) {
    if byte(start + 1) == ascii(".") {
      return byte(start + 2) == ascii(".")
        ? emit(.ellipsis, start, end: start + 3) : emit(.range, start, end: start + 2)
    }
    let next = byte(start + 1)
    if next >= ascii("0"), next <= ascii("9") { return lexNumberWithoutWhole(start) }
    emit(.dot, start, end: start + 1)
  }
}

/// A token of one to three signs.
private struct Sign {
  let bytes: UInt32
  let mask: UInt32
  let count: Int
  let kind: TokenKind

  init(_ text: String, _ kind: TokenKind) {
    bytes = text.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    count = text.utf8.count
    mask = 0xFF_FFFF >> UInt32(24 - 8 * count)
    self.kind = kind
  }

  /// The longest first.
  static let all: [Sign] = {
    let own: [(String, TokenKind)] = [
      ("=>", .fatArrow), ("->", .arrow), ("|>", .pipe), ("||", .or), ("&&", .and), ("==", .equalEqual),
      ("!=", .notEqual),
      ("<=", .lessEqual), (">=", .greaterEqual), ("++", .append), ("(", .leftParen), (")", .rightParen),
      ("[", .leftBracket), ("]", .rightBracket), (",", .comma), (";", .semicolon), (":", .colon), ("=", .equal),
      ("|", .bar), ("!", .not), ("<", .less), (">", .greater), ("+", .plus), ("-", .minus), ("*", .star), ("/", .slash),
      ("%", .percent),
    ]
    let foreign = [
      "===", "!==", ":=", "::", "+=", "-=", "*=", "/=", "%=", "**", "??", "?.", "?", "&", "^", "~", "@", "$", "\\",
    ]
    return (own.map { Sign($0.0, $0.1) } + foreign.map { Sign($0, .foreign) }).sorted { $0.count > $1.count }
  }()
}

/// The byte of an ASCII character.
@inline(__always)
func ascii(_ scalar: Unicode.Scalar) -> UInt8 { UInt8(truncatingIfNeeded: scalar.value) }

@inline(__always)
func isNameByte(_ byte: UInt8) -> Bool {
  (byte >= 0x61 && byte <= 0x7A) || (byte >= 0x41 && byte <= 0x5A) || (byte >= 0x30 && byte <= 0x39) || byte == 0x5F
}
