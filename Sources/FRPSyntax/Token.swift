// Tokens: what the lexer makes of the bytes, and what layout adds to it.
//
// Shape: a flat array, ended by `.endOfFile`. A text is a run of tokens: `stringBegin`, then `stringText` and
// `interpolationBegin … interpolationEnd` in any order, then `stringEnd`. Comments are no tokens.

import FRPBase

enum TokenKind: UInt8 {
  case endOfFile
  /// Made up by layout: a line that begins a new statement of its block.
  case separator
  /// Made up by the parser: nothing more can be read until it has recovered.
  case stop

  case lowerName, upperName, wildcard
  /// A field's name in backticks.
  case quotedName
  case int, float, duration
  case stringBegin, stringText, stringEnd, interpolationBegin, interpolationEnd

  case ifWord, thenWord, elseWord, matchWord, trueWord, falseWord, asWord, nullWord
  case inputWord, outputWord, typeWord, aliasWord, importWord, testWord

  case leftParen, rightParen, leftBracket, rightBracket, leftBrace, rightBrace
  case comma, semicolon, colon, dot, ellipsis, equal, fatArrow, arrow, bar

  case pipe, or, and, equalEqual, notEqual, less, lessEqual, greater, greaterEqual
  case range, append, plus, minus, star, slash, percent, not, plusMinus

  /// An operator of other languages; the message is looked up by its text.
  case foreign
}

struct Token {
  var kind: TokenKind
  /// Whether only blanks stand before it on its line.
  var startsLine: Bool
  /// Whether the next byte after it is a blank or a line break.
  var blankAfter: Bool
  /// Blanks before it when it starts its line (a tab goes to the next multiple of 8).
  var column: Int32
  var start: Int32
  var end: Int32
  /// Index into `ints`, `doubles`, `texts` or, for what opens, `brackets`.
  var payload: Int32
}

extension TokenKind {
  /// `input output type alias import test`: at the margin they close whatever is open.
  var opensItem: Bool {
    switch self {
    case .inputWord, .outputWord, .typeWord, .aliasWord, .importWord, .testWord: true
    default: false
    }
  }

  var isWord: Bool { rawValue >= TokenKind.ifWord.rawValue && rawValue <= TokenKind.testWord.rawValue }

  var opensBracket: Bool {
    switch self {
    case .leftParen, .leftBracket, .leftBrace, .interpolationBegin: true
    default: false
    }
  }

  /// What opens for what closes.
  var opener: TokenKind? {
    switch self {
    case .rightParen: .leftParen
    case .rightBracket: .leftBracket
    case .rightBrace: .leftBrace
    case .interpolationEnd: .interpolationBegin
    default: nil
    }
  }

  /// Whether a line that begins with it goes on with the line before.
  var continuesLine: Bool {
    switch self {
    case .rightParen, .rightBracket, .rightBrace, .interpolationEnd, .thenWord, .elseWord, .asWord: true
    case .comma, .colon, .equal, .fatArrow, .arrow, .bar, .foreign, .plusMinus: true
    case .stringText, .stringEnd, .endOfFile: true
    default: infix != nil
    }
  }

  /// Whether an operand can begin with it.
  var startsOperand: Bool {
    switch self {
    case .lowerName, .upperName, .wildcard, .int, .float, .duration, .stringBegin: true
    case .ifWord, .matchWord, .trueWord, .falseWord, .nullWord: true
    case .leftParen, .leftBracket, .leftBrace, .dot, .minus, .not: true
    default: false
    }
  }

  /// How tightly an infix operator binds; larger is tighter.
  var infix: Precedence? {
    switch self {
    case .pipe: .pipe
    case .or: .or
    case .and: .and
    case .equalEqual, .notEqual, .less, .lessEqual, .greater, .greaterEqual: .comparison
    case .range: .range
    case .append: .append
    case .plus, .minus: .sum
    case .star, .slash, .percent: .product
    default: nil
    }
  }

  var binaryOp: BinaryOp? {
    switch self {
    case .or: .or
    case .and: .and
    case .equalEqual: .equal
    case .notEqual: .notEqual
    case .less: .less
    case .lessEqual: .lessEqual
    case .greater: .greater
    case .greaterEqual: .greaterEqual
    case .range: .range
    case .append: .append
    case .plus: .add
    case .minus: .subtract
    case .star: .multiply
    case .slash: .divide
    case .percent: .remainder
    default: nil
    }
  }
}

/// Infix levels, loosest first.
enum Precedence: Int, Comparable {
  case pipe, or, and, comparison, range, append, sum, product, unary

  static func < (a: Precedence, b: Precedence) -> Bool { a.rawValue < b.rawValue }

  /// The level of the right operand: one tighter, or the same for what associates to the right.
  var ofRightOperand: Precedence {
    self == .append ? .append : Precedence(rawValue: rawValue + 1) ?? .unary
  }

  var associates: Bool { self != .comparison && self != .range }
}

/// Something that opens, with what layout found out about it.
struct Bracket {
  var open: Int32
  /// The token that closes it, or -1.
  var close: Int32 = -1
  /// The least column of the lines that begin directly inside; -1 when none does.
  var margin: Int32 = -1
  /// The column of the line it stands on.
  var lineColumn: Int32
}

/// The words that cannot be names, by their length.
private let reservedWords: [[(spelling: [UInt8], kind: TokenKind)]] = {
  let words: [(String, TokenKind)] = [
    ("if", .ifWord), ("then", .thenWord), ("else", .elseWord), ("match", .matchWord), ("true", .trueWord),
    ("false", .falseWord), ("as", .asWord), ("null", .nullWord), ("input", .inputWord), ("output", .outputWord),
    ("type", .typeWord), ("alias", .aliasWord), ("import", .importWord), ("test", .testWord),
  ]
  return (0...6).map { length in words.filter { $0.0.utf8.count == length }.map { (Array($0.0.utf8), $0.1) } }
}()

/// The word of the language that stands in a stretch of bytes, if one does.
func reservedWord(_ bytes: [UInt8], _ start: Int, end: Int) -> TokenKind? {
  guard end - start < reservedWords.count else { return nil }
  let first = bytes[start]
  for word in reservedWords[end - start] where word.spelling[0] == first {
    if bytes[start..<end].elementsEqual(word.spelling) { return word.kind }
  }
  return nil
}
