// Where inputs come from: lines of descriptors, turned into occurrences.
//
// In: descriptors with lines. Out: decoded values for the reactor, or a problem with line, column, and path.

import FRP
import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime
import Glibc

extension PortProblem {
  init(unknown kind: String, _ name: String, among names: [String]) {
    let all = names.isEmpty ? "it has none" : "it has " + names.map { "`\($0)`" }.joined(separator: ", ")
    self.init(
      message: "the program has no \(kind) `\(name)`: \(all)", suggestion: nearestNames(name, among: names).first)
  }
}

/// A line that does not fit.
struct BadLine {
  var source: String
  /// The input that it would have fed, where the source is a call of the program.
  var input: String?
  var line: Int
  /// 0 for the line as a whole.
  var column: Int
  var path: String
  var message: String
  /// Whether it is wrong for a reason that was told already, of the header: it is only counted.
  var isRepetition = false
  /// Whether it is the first line of CSV, which is none of the lines that bring something.
  var isHeader = false
  /// Nanoseconds behind the greatest time of its input, where that is what is wrong.
  var lateness: Int64 = 0

  var text: String {
    let source = input.map { "\(self.source) of `\($0)`" } ?? self.source
    if line == 0 { return "\(source): \(message)" }
    let place = column > 0 ? "line \(line), column \(column)" : "line \(line)"
    return "\(source), \(place)\(path.isEmpty ? "" : ", at \(shortPath)"): \(message)"
  }

  /// The same for a machine.
  func json(severity: String = "error") -> String {
    let fed = input.map { "\"input\":\(jsonString($0))," } ?? ""
    return
      "{\"code\":\(jsonString(DiagnosticCode.unfitLine.rawValue)),\"severity\":\(jsonString(severity)),\"message\":\(jsonString(message)),\"file\":\(jsonString(source)),"
      + "\(fed)\"line\":\(line),\"column\":\(column),\"path\":\(jsonString(path))}"
  }

  /// A path that is too long to read keeps its ends.
  private var shortPath: String { path.count <= 80 ? path : path.prefix(38) + " … " + path.suffix(38) }
}

extension BadLine {
  /// What the codec said; of the line as a whole, it stands at `column`.
  init(source: String, line: Int, column: Int = 1, _ problem: DecodeProblem?) {
    self.init(
      source: source, line: line, column: problem?.column ?? column, path: problem?.path ?? "",
      message: problem?.message ?? "does not fit")
  }
}

extension DecodeProblem {
  /// How a word that may stand for no value is read as that; empty where there is none.
  func absenceHelp(_ source: String, _ condition: String = "") -> String {
    absence.map { "; \(condition)`csv:\(source)?null=\($0)` reads it as None" } ?? ""
  }
}

/// One connected input.
struct InputSource {
  let port: Int
  let input: String
  let type: TypeID
  let format: PortFormat
  /// How messages call it: a path, or `standard input`.
  let name: String
  var lines: LineReader
  /// Whether it is a file, which always has its next line here. Pipes and devices have what has come.
  let isFile: Bool
  /// Of others: whether something came since the last read.
  var isReady = false
  /// How its text is written, of `csv`.
  private let form: CSVForm
  /// Where its list stands, of `json`.
  let keys: [String]
  /// Set once the first line is read.
  private(set) var csv: CSVLines?
  /// How many lines have fitted.
  private(set) var good = 0
  var isOpen = true
  /// How many lines were taken, whatever they said.
  var taken = 0
  /// Of these lines, so that another file is not taken for this one.
  private(set) var digest = 0
  /// The field that says when a line happens, if one does, and where that is in JSON.
  var timeField: String? { didSet { timePath = FieldPath(timeField ?? "") } }
  private(set) var timePath = FieldPath("")
  /// How many of its units are a second.
  var timeFraction = 1
  /// How its dates are written, where `--time NAME=FIELD(PATTERN)` says so.
  var datePattern: [UInt8]?
  /// Where several fields make the time.
  var timeForm: TimeForm?
  /// Of lines of text: what their times look like.
  var timePattern: TextPattern?
  /// Its column, once the first line of CSV is read.
  private(set) var timeColumn: Int?
}

extension InputSource {
  /// Counts a line of a file into `digest`: FNV-1a, eight bytes at a time.
  mutating func digest(_ line: LineReader.Line) {
    guard case .text(let range) = line else { return digest = mixed(digest, -1) }
    let bytes = UnsafeRawBufferPointer(lines[range])
    var place = 0
    var hash = mixed(digest, bytes.count)
    while place + 8 <= bytes.count {
      hash = mixed(hash, bytes.loadUnaligned(fromByteOffset: place, as: Int.self))
      place += 8
    }
    while place < bytes.count {
      hash = mixed(hash, Int(bytes[place]))
      place += 1
    }
    digest = hash
  }

  private func mixed(_ hash: Int, _ word: Int) -> Int {
    let product = (hash ^ word) &* 0x100_0000_01B3
    return product ^ Int(truncatingIfNeeded: UInt(bitPattern: product) >> 29)
  }
}

/// What a line gave.
enum LineResult {
  case value(Word)
  /// Nothing: a header, or a blank line.
  case nothing
  case bad(BadLine)
  case fault(Fault)

  /// Whether it has no place in the run.
  var isSkipped: Bool {
    switch self {
    case .value, .nothing: false
    case .bad, .fault: true
    }
  }
}

extension InputSource {
  init(_ binding: PortBinding, _ plan: Plan, standardInput: Int32) throws(PortProblem) {
    guard let port = plan.inputs.firstIndex(where: { $0.name == binding.name }) else {
      throw PortProblem(unknown: "input", binding.name, among: plan.inputs.map(\.name))
    }
    self.port = port
    input = binding.name
    type = plan.inputs[port].type
    format = binding.format
    form = binding.csv
    keys = binding.keys
    name = binding.path == "-" ? "standard input" : binding.path
    let isNamed = binding.path != "-"
    do {
      let descriptor = isNamed ? try Files.open(binding.path, O_RDONLY) : standardInput
      lines = LineReader(
        descriptor: descriptor, closes: isNamed, records: format == .csv, values: format == .json,
        keys: binding.keys, separator: form.separator)
      isFile = try Files.status(of: descriptor).isFile
      let compression = isFile ? try Files.compression(of: descriptor) : nil
      if let compression {
        let (file, word) = isNamed ? (name, "`\(name)`") : ("FILE", name)
        let pipe = "\(compression.command) \(file) | frp … --in \(input)=\(format.rawValue):-"
        throw PortProblem(message: "\(word) is compressed (\(compression.name)): write `\(pipe)`")
      }
    } catch let error as SystemError {
      throw PortProblem(message: "cannot read `\(binding.path)`: \(error.message)")
    } catch let error as PortProblem {
      throw error
    } catch {
      throw PortProblem(message: "cannot read `\(binding.path)`")
    }
  }

  /// Whether lines are texts as they stand.
  var isRaw: Bool { format == .lines && type == .string }

  /// What a line of `lines` says.
  mutating func decode(_ line: LineReader.Line, _ codec: Codec) -> LineResult {
    switch line {
    case .tooLong:
      let isAsked = lines.longest == LineReader.longestLine
      let limit = isAsked ? "\(LineReader.longestLine >> 20) MiB" : "there is memory for"
      return .bad(bad(column: 0, "longer than \(limit)"))
    case .text(let range):
      let result = decode(lines[range], codec)
      if case .value = result { good += 1 }
      return result
    }
  }

  /// The line that was decoded last has no place in the run.
  mutating func refuse() { good -= 1 }

  private func bad(column: Int, _ message: String) -> BadLine {
    BadLine(source: name, line: lines.lineNumber, column: column, path: "", message: message)
  }

  private mutating func decode(_ line: UnsafeBufferPointer<UInt8>, _ codec: Codec) -> LineResult {
    switch format {
    // As on standard input: raw for a String, else JSON.
    case .lines: return isRaw ? raw(line, codec) : json(line, codec)
    case .jsonl, .json: return json(line, codec)
    case .csv: return record(line, codec)
    }
  }

  private func raw(_ line: UnsafeBufferPointer<UInt8>, _ codec: Codec) -> LineResult {
    if !isUTF8(line) { return .bad(bad(column: 0, "not valid UTF-8")) }
    do throws(Fault) { return .value(try codec.heap.string(line)) } catch { return .fault(error) }
  }

  fileprivate func json(_ line: UnsafeBufferPointer<UInt8>, _ codec: Codec) -> LineResult {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return .nothing }
    do throws(Fault) {
      if let value = try codec.decodeJSON(line, as: type) { return .value(value) }
    } catch { return .fault(error) }
    // A value may take several lines, and its problem counts from its first.
    var problem = BadLine(source: name, line: lines.lineNumber + (codec.problem?.line ?? 1) - 1, codec.problem)
    if format != .json, lines.lineNumber == 1, line.first == 0x5B {
      problem.message += "; `--in \(input)=json:FILE` takes the elements of a list, over any lines"
    }
    if format == .json, keys.isEmpty, codec.problem?.path == "", let key = JSONBreaks.keyOfList(in: line) {
      problem.message += "; `--in \(input)=json:\(name)?at=\(key)` takes the elements of that list"
    }
    do throws(Fault) {
      if try isValueByName(line, codec) { problem.message += ": each line is the value of `\(input)` itself" }
    } catch {
      // What it would have been said to be took too much memory: then it is said to be nothing.
    }
    return .bad(problem)
  }

  /// Whether a line is what a trace would say, `{"clicks": 3}`, where `3` is wanted.
  private func isValueByName(_ line: UnsafeBufferPointer<UInt8>, _ codec: Codec) throws(Fault) -> Bool {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    var rest = line[...]
    for part in ["{", "\"\(input)\"", ":"] {
      rest = rest.drop(while: isBlank)
      guard rest.starts(with: part.utf8) else { return false }
      rest = rest.dropFirst(part.utf8.count)
    }
    while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
    guard rest.last == 0x7D else { return false }
    return try codec.decodeJSON(UnsafeBufferPointer(rebasing: rest.dropLast()), as: type) != nil
  }
}

extension InputSource {
  /// The first line is the header, unless there is none.
  fileprivate mutating func record(_ record: UnsafeBufferPointer<UInt8>, _ codec: Codec) -> LineResult {
    let csv = self.csv ?? CSVLines(type: type, codec, form)
    self.csv = csv
    let isHeader = form.hasHeader && csv.header == nil
    do throws(Fault) {
      let result = try csv.record(record, line: lines.lineNumber, codec)
      if var flaw = timeFlaw(csv, codec) {
        flaw.isHeader = isHeader
        return .bad(flaw)
      }
      switch result {
      case .value(let value): return .value(value)
      case .header, .blank: return .nothing
      case .problem:
        var line = BadLine(source: name, line: codec.problem?.line ?? lines.lineNumber, column: 0, codec.problem)
        (line.isRepetition, line.isHeader) = (csv.hasToldFlaw, isHeader)
        csv.hasToldFlaw = csv.hasUnusableHeader
        if let problem = codec.problem, problem.absence != nil, !csv.hasToldAbsence {
          csv.hasToldAbsence = true
          line.message += problem.absenceHelp(name, "in an Option, ")
        }
        return .bad(line)
      }
    } catch { return .fault(error) }
  }

  /// Finds the column of the times, once the header is known; what is wrong with the line where there is none.
  private mutating func timeFlaw(_ csv: CSVLines, _ codec: Codec) -> BadLine? {
    guard let timeField, timeColumn == nil, let header = csv.header, !csv.hasUnusableHeader else { return nil }
    let missing: String?
    if timeForm == nil {
      timeColumn = csv.column(timeField, codec)
      missing = timeColumn == nil ? timeField : nil
    } else {
      missing = timeForm?.findColumns { csv.column($0, codec) }
      timeColumn = timeForm?.columns.first
    }
    guard let missing else { return nil }
    let columns = header.prefix(20).joined(separator: ", ") + (header.count > 20 ? ", …" : "")
    var line = bad(column: 1, "there is no column \(missing) for the time: the columns are \(columns)")
    line.isRepetition = csv.hasToldFlaw
    csv.hasToldFlaw = true
    return line
  }
}
