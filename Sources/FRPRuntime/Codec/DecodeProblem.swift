// Why text from outside does not fit its type: line, column, path, what was expected and what is there.

import FRPBase

/// Why a text could not be read as a type.
public struct DecodeProblem: Error, Hashable, Sendable {
  /// From 1, in the text that was given.
  public var line: Int
  /// From 1; counts Unicode scalars.
  public var column: Int
  /// Where in the value: `.author.followers`, `[2]`; empty at the top.
  public var path: String
  /// `expected Int, found "a"`.
  public var message: String
  /// A cell that does not fit, where it is a word that often stands for no value: `NA`.
  public var absence: String?
  /// Whether it is said of the first line of CSV, and so of all records.
  public var isOfHeader = false

  public init(line: Int, column: Int, path: String, message: String) {
    self.line = line
    self.column = column
    self.path = path
    self.message = message
  }

  /// All of it: `line 1, column 12, at .author.followers: expected Int, found "a"`.
  public var text: String { "line \(line), \(textInLine)" }
  /// The same for somebody who knows the line.
  public var textInLine: String {
    "column \(column)\(path.isEmpty ? "" : ", at \(path)"): \(message)"
  }

  /// The same behind the name of what does not fit: ` at .price: expected Float, found "a"`.
  public var behindSubject: String { path.isEmpty ? ": \(message)" : " at \(path): \(message)" }

  /// The problem a cursor stopped with.
  init(_ cursor: JSONCursor) {
    let offset = cursor.at - cursor.start
    let text = Bytes(start: cursor.start, count: cursor.end - cursor.start)
    self.init(offset: offset, in: text, path: JSONPath.path(to: offset, in: text), message: "")
    switch cursor.flaw {
    case .missing(let field, let others):
      path = JSONPath.path(to: offset, in: text, ofContainer: true)
      message = "the field \(fieldText(field)) is missing\(DecodeProblem.found(others))"
    case .expected(let what): message = "expected \(what), found \(DecodeProblem.found(cursor))"
    case .message(let text): message = text
    case nil: message = "this cannot be read"
    }
  }

  /// A key that its object had before ends, with its colon, before `place`.
  init(repeatedAt place: UnsafePointer<UInt8>, in text: Bytes) {
    let offset = text.baseAddress.map { place - $0 } ?? 0
    self.init(
      offset: offset, in: text, path: JSONPath.path(to: offset, in: text),
      message: "this key comes twice; what comes last counts")
  }

  init(offset: Int, in text: Bytes, path: String, message: String) {
    var line = 1
    var column = 1
    for byte in text.prefix(offset) {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    self.init(line: line, column: column, path: path, message: message)
  }

  /// `; the object has `Order ID` and price`: names in backticks are written so in a program, too.
  private static func found(_ others: [String]) -> String {
    let names = others.map { $0.contains("`") ? "\"\($0)\"" : fieldText($0) }
    guard let last = names.last else { return "" }
    return "; the object has \(names.count == 1 ? last : names.dropLast().joined(separator: ", ") + " and " + last)"
  }

  private static func found(_ cursor: JSONCursor) -> String {
    let rest = Bytes(start: cursor.at, count: cursor.end - cursor.at)
    guard let first = rest.first else { return "nothing more" }
    switch first {
    case 0x7B:
      let next = rest.dropFirst().first { $0 != 0x20 && !(0x09...0x0D ~= $0) }
      return next.map { $0 != 0x22 && $0 != 0x7D } ?? false ? "'{' of what is no JSON" : "an object"
    case 0x5B: return "a list"
    case 0x22: return excerpt(rest, through: 0x22)
    case 0x2D, 0x30...0x39, 0x41...0x5A, 0x61...0x7A:
      let token = rest.prefix { byte in
        byte == 0x2D || byte == 0x2B || byte == 0x2E || 0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20
      }
      return named(token.prefix(40))
    default:
      let text = String(decoding: rest.prefix(8), as: UTF8.self)
      return "'\(text.prefix(1))'"
    }
  }

  /// A word as it stands there: a number, `true`, `false` and `null` as they are, what has no meaning in quotes.
  static func named(_ word: Slice<Bytes>) -> String {
    let text = String(decoding: word, as: UTF8.self)
    let isNumber = word.first.map { $0 == 0x2D || 0x30...0x39 ~= $0 } ?? false
    return isNumber || ["true", "false", "null"].contains(text) ? text : "'\(text)'"
  }

  /// A short piece of a text in quotes.
  private static func excerpt(_ rest: Bytes, through quote: UInt8) -> String {
    var length = 1
    while length < rest.count, length < 40, rest[length] != quote {
      length += rest[length] == 0x5C ? 2 : 1
    }
    let isWhole = length < rest.count && rest[length] == quote
    let text = String(decoding: rest.prefix(isWhole ? length + 1 : min(length, rest.count)), as: UTF8.self)
    return isWhole ? text : text + "…"
  }
}

/// The path of a place in JSON text, found by reading again from the start: so reading itself need not keep it.
enum JSONPath {
  private enum Level {
    case object(key: String)
    case list(index: Int)
  }

  /// A path of more is told without its middle, which nobody reads.
  private static let mostLevels = 24

  /// Only what comes before `offset` is looked at; it is taken to be well-formed.
  static func path(to offset: Int, in text: Bytes, ofContainer: Bool = false) -> String {
    var levels: [Level] = []
    var index = 0
    var expectsKey = false
    while index < offset, index < text.count {
      switch text[index] {
      case 0x7B:
        levels.append(.object(key: ""))
        expectsKey = true
      case 0x5B:
        levels.append(.list(index: 0))
        expectsKey = false
      case 0x7D, 0x5D:
        _ = levels.popLast()
        expectsKey = false
      case 0x2C: expectsKey = next(&levels)
      case 0x22:
        let end = stringEnd(text, index)
        if expectsKey, end <= offset {
          levels[levels.count - 1] = .object(key: String(decoding: text[(index + 1)..<end], as: UTF8.self))
          expectsKey = false
        }
        index = end
      default: break
      }
      index += 1
    }
    if ofContainer { _ = levels.popLast() }
    if levels.count <= mostLevels { return levels.map(describe).joined() }
    let (first, last) = (levels.prefix(mostLevels / 2), levels.suffix(mostLevels / 4))
    return first.map(describe).joined() + "…" + last.map(describe).joined()
  }

  private static func next(_ levels: inout [Level]) -> Bool {
    switch levels.popLast() {
    case .object?:
      levels.append(.object(key: ""))
      return true
    case .list(let index)?:
      levels.append(.list(index: index + 1))
      return false
    case nil: return false
    }
  }

  /// The place of the quote that closes the string opened at `start`; the text's end if none does.
  private static func stringEnd(_ text: Bytes, _ start: Int) -> Int {
    var index = start + 1
    while index < text.count, text[index] != 0x22 { index += text[index] == 0x5C ? 2 : 1 }
    return min(index, text.count)
  }

  private static func describe(_ level: Level) -> String {
    switch level {
    case .object(let key): return key.isEmpty ? "" : ".\(key)"
    case .list(let index): return "[\(index)]"
    }
  }
}
