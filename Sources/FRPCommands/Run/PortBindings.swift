// What `--in`, `--out`, `--set` and `--time` say -> names, formats and paths.

import FRPBase
import FRPRuntime

enum PortFormat: String, CaseIterable, Sendable {
  /// A JSON value a line.
  case jsonl
  /// Raw text a line.
  case lines
  /// A header line of field names, then a record a line.
  case csv
  /// JSON over any lines: the elements of a list, or values that begin a line each.
  case json
}

/// One `--in` or `--out`.
struct PortBinding: Sendable {
  var name: String
  var format: PortFormat
  /// `-` is the standard stream.
  var path: String
  /// How the text is written, of `csv`.
  var csv = CSVForm()
  /// The keys of the list, of `json`, where it stands in an object.
  var keys: [String] = []
  /// As the command line says it.
  var word = ""
}

/// A source or sink of the language, for an input or output: `--in x='Files.tail("a.log")'`, `--out y='Http.post(url)'`.
struct PortEnd: Sendable {
  var name: String
  var isInput: Bool
  /// As a program writes it behind `from` or `to`; nil for nothing.
  var text: String?

  /// Nil for what names a file.
  init?(_ word: String, isInput: Bool) {
    guard let (name, rest) = halves(word) else { return nil }
    // `Module.operation(…)`, or a function.
    let head = rest.prefix { $0.isLetter || $0.isNumber || $0 == "." }
    let isCall = head.first?.isUppercase == true && head.contains(".") && rest.dropFirst(head.count).first == "("
    guard isCall || rest == "none" || !isInput && rest.contains("=>") else { return nil }
    self.name = name
    self.isInput = isInput
    text = rest == "none" ? nil : rest
  }
}

/// A part of a word of the command line: `NAME=REST`.
private func halves(_ text: String) -> (name: String, rest: String)? {
  guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
  return (String(text[..<equals]), String(text[text.index(after: equals)...]))
}

extension PortBinding {
  /// `name=format:path`; a path alone chooses the format by its extension.
  init(_ text: String, _ flag: String, _ command: String) throws(UsageProblem) {
    let json = flag == "--in" ? "`csv:FILE` or `json:FILE`" : "or `csv:FILE`"
    let wanted = "write `\(flag) NAME=jsonl:FILE`, `lines:FILE`\(flag == "--in" ? "," : "") \(json)"
    guard let (name, rest) = halves(text), !rest.isEmpty else {
      throw UsageProblem(message: "`\(flag) \(text)` is no connection: \(wanted)", command: command)
    }
    let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let formats = PortFormat.allCases.filter { flag == "--in" || $0 != .json }
    if parts.count == 2, let format = PortFormat(rawValue: parts[0]), formats.contains(format), !parts[1].isEmpty {
      self.init(name: name, format: format, path: parts[1])
      try takeOptions(flag, command)
      return
    }
    let path = CSVForm.split(rest).path
    let ending = path.split(separator: ".").last.map(String.init) ?? ""
    if !path.contains(":"), let format = Self.extensions[ending], formats.contains(format) {
      self.init(name: name, format: format, path: rest)
      if ending == "tsv" { csv.separator = 0x09 }
      try takeOptions(flag, command)
      return
    }
    let format = parts.count == 2 ? parts[0] : nil
    throw UsageProblem(
      message: "`\(flag) \(text)` has no format: \(wanted)", command: command,
      suggestion: format.flatMap { nearestNames($0, among: formats.map(\.rawValue)).first })
  }

  private static let extensions: [String: PortFormat] = [
    "json": .json, "jsonl": .jsonl, "ndjson": .jsonl, "csv": .csv, "tsv": .csv, "txt": .lines, "log": .lines,
  ]

  /// Takes what stands behind the `?` of the path.
  private mutating func takeOptions(_ flag: String, _ command: String) throws(UsageProblem) {
    if format != .csv && (format != .json || flag != "--in") { return }
    let (path, options) = CSVForm.split(path)
    self.path = path
    do {
      if format == .csv { try csv.set(options) } else if let options { keys = try Self.keys(options) }
    } catch {
      throw UsageProblem(message: "`\(flag) \(name)=…`: \(error.message)", suggestion: error.suggestion)
    }
  }
}

extension PortBinding {
  /// `at=data.items`: the keys of a list, each in the object of the one before.
  private static func keys(_ options: String) throws(PortProblem) -> [String] {
    let wanted = "write `?at=features`, or `?at=data.items` for a list in an object in an object"
    guard let (key, value) = halves(options), key == "at" else {
      throw PortProblem(message: "`?\(options)` is no option of JSON: \(wanted)")
    }
    let keys = value.split(separator: ".", omittingEmptySubsequences: false).map { CSVForm.decoded(String($0)) }
    if keys.contains("") { throw PortProblem(message: "`?at=\(value)` has an empty key: \(wanted)") }
    return keys
  }
}

// MARK: CSV

extension CSVForm {
  private static let keys = ["columns", "separator", "header", "null"]

  /// A path and the options behind its `?`; a file may be called so, too.
  static func split(_ text: String) -> (path: String, options: String?) {
    if Files.exists(text) { return (text, nil) }
    for mark in text.indices where text[mark] == "?" {
      let rest = text[text.index(after: mark)...]
      if rest.contains("=") { return (String(text[..<mark]), String(rest)) }
    }
    return (text, nil)
  }

  /// `columns=b,a&separator=;&header=no&null=NA`. In a value `%26` stands for `&`, and `%2C` in a column for a comma.
  mutating func set(_ options: String?) throws(PortProblem) {
    for option in (options ?? "").split(separator: "&") {
      guard let (key, value) = halves(String(option)) else {
        throw PortProblem(message: "`?\(option)` is no option of CSV: write \(Self.wanted)")
      }
      switch key {
      case "columns":
        columns = value.split(separator: ",", omittingEmptySubsequences: false).map { Self.decoded(String($0)) }
      case "separator": separator = try Self.separator(Self.decoded(value))
      case "header" where value == "yes" || value == "no": hasHeader = value == "yes"
      case "null": nulls.append(Array(Self.decoded(value).utf8))
      case "header": throw PortProblem(message: "`?header` is `yes` or `no`, not `\(value)`")
      default:
        throw PortProblem(
          message: "CSV has no option `\(key)`: write \(Self.wanted)",
          suggestion: nearestNames(key, among: Self.keys).first)
      }
    }
  }

  private static let wanted = "`?columns=b,a`, `?separator=;`, `?header=no` or `?null=NA`, joined by `&`"

  private static func separator(_ text: String) throws(PortProblem) -> UInt8 {
    if text == "tab" || text == "\\t" { return 0x09 }
    if text.utf8.count == 1, let byte = text.utf8.first, byte < 0x80, byte != 0x22, byte != 0x0A, byte != 0x0D {
      return byte
    }
    throw PortProblem(message: "`?separator` is one character of ASCII or `tab`, and no quote, not `\(text)`")
  }

  /// `%2C` and the like as the bytes that they stand for.
  fileprivate static func decoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == 0x25, digits.count == 2, let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) {
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension RunOptions {
  /// A file that is read is not written, since it would be emptied before.
  func checkOverwriting(of texts: [String]) throws(PortProblem) {
    let read = inputs.map(\.path) + [trace].compactMap { $0 } + texts
    for written in outputs.map(\.path) + [record].compactMap({ $0 }) {
      if let journal, let path = Files.ofJournal(journal, written) {
        throw PortProblem(
          message: "`\(written)` cannot be written: `\(path)` is a file of the journal itself; name another one")
      }
      guard let path = read.first(where: { Files.areSame($0, written) }) else { continue }
      throw PortProblem(message: "`\(written)` cannot be written: this run reads `\(path)`, which is the same file")
    }
  }
}

extension RunOptions {
  /// Of two that write to one file each would overwrite what the other has written.
  func checkWritingTwice() throws(PortProblem) {
    var written = outputs.filter { $0.path != "-" }.map { (what: "`--out \($0.name)`", path: $0.path) }
    if let record { written.append(("`--record`", record)) }
    for (index, one) in written.enumerated() {
      guard let other = written[..<index].first(where: { Files.leadToOne($0.path, one.path) }) else { continue }
      throw PortProblem(
        message:
          "\(other.what) and \(one.what) would write to the same file, `\(one.path)`, and destroy each other's lines")
    }
  }
}

// MARK: Settings

extension RunOptions {
  static func setting(_ text: String, _ command: String) throws(UsageProblem) -> (name: String, value: String) {
    guard let (name, value) = halves(text) else {
      throw UsageProblem(message: "`--set \(text)` sets nothing: write `--set NAME=VALUE`", command: command)
    }
    return (name, value)
  }

  static func time(_ text: String, _ command: String) throws(UsageProblem) -> (name: String, field: String) {
    guard let (name, field) = halves(text), !field.isEmpty else {
      throw UsageProblem(message: "`--time \(text)` names no field: write `--time NAME=FIELD`", command: command)
    }
    return (name, field)
  }
}
