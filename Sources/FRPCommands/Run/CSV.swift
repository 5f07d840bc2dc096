// Comma-separated values of the ports: a header, then records. Cells are read and written by the runtime's codec, as
// `Csv.decode` and `Csv.encode` do; here they meet lines, and the time that stands before an output's value.

import FRPBase
import FRPCore
import FRPRuntime

/// Reads records of one input: the first line names the fields of a record, columns that it does not name are ignored.
final class CSVLines {
  /// Behind a pointer: as a field, each access would be checked for exclusivity.
  private let reader: UnsafeMutablePointer<CSVReader>

  /// Whether a flaw of the header was said, and which word may stand for no value.
  var hasToldFlaw = false
  var hasToldAbsence = false

  init(type: TypeID, _ codec: Codec, _ form: CSVForm) {
    reader = .allocate(capacity: 1)
    reader.initialize(to: CSVReader(as: type, codec, form: form))
    reader.pointee.tellsAbsence = form.nulls.isEmpty
  }

  deinit {
    reader.deinitialize(count: 1)
    reader.deallocate()
  }

  /// Whether no record can be read.
  var hasUnusableHeader: Bool { reader.pointee.isUnusable }
  /// What the columns are called; nil before the first record.
  var header: [String]? { reader.pointee.header }

  /// See `Codec.decodeCSV`; the record begins on line `line`.
  func record(_ record: Bytes, line: Int, _ codec: Codec) throws(Fault) -> CSVReader.Record {
    reader.pointee.line = line
    return try codec.decodeCSV(record, &reader.pointee)
  }

  /// See `CSVReader`.
  func column(_ name: String, _ codec: Codec) -> Int? { reader.pointee.column(name, codec) }
  func text(ofColumn column: Int) -> Bytes? { reader.pointee.text(ofColumn: column) }
}

/// Writes values of one output as lines.
struct CSVWriter {
  /// What a cell shows.
  private enum Cell {
    case time
    case column(Int)
  }

  private let type: TypeID
  private let form: CSVForm
  private var cells: [Cell] = []
  /// What the columns are called, as a line.
  let columns: String
  /// The first line; nil if there is none.
  var header: String? { form.hasHeader ? columns : nil }

  /// Writes what `form` chooses, else all columns, and the time before them where `isTimed`.
  init(_ output: (name: String, type: TypeID), _ form: CSVForm, isTimed: Bool, _ codec: Codec) throws(PortProblem) {
    type = output.type
    self.form = form
    var columns = codec.csvColumns(type)
    if columns == ["value"] { columns = [output.name] }
    let time = isTimed ? ["at"] : []
    if isTimed, columns.contains("at") {
      throw PortProblem(
        message: "`\(output.name)` has a field `at`, and so is the column of the time called: give the field another "
          + "name, or write it as jsonl")
    }
    var header = StringBuilder()
    for name in form.columns ?? time + columns {
      guard let cell = columns.firstIndex(of: name).map({ Cell.column($0) }) ?? (time.contains(name) ? .time : nil)
      else { throw PortProblem(unknownColumn: name, of: output.name, among: time + columns) }
      if !cells.isEmpty { header.append(byte: form.separator) }
      header.append(cell: name, separator: form.separator)
      cells.append(cell)
    }
    header.markRecord(from: 0)
    self.columns = String(decoding: header.view, as: UTF8.self)
  }

  /// Appends the line of a value, without its break.
  func append(_ value: Word, _ seconds: Double, _ codec: Codec, to out: inout StringBuilder) throws(Fault) {
    let start = out.count
    for (index, cell) in cells.enumerated() {
      if index > 0 { out.append(byte: form.separator) }
      switch cell {
      case .time: try codec.encodeJSON(Word(float: seconds), .float, to: &out)
      case .column(let column): try codec.encodeCSV(value, type, column: column, form, to: &out)
      }
    }
    out.markRecord(from: start)
  }
}

extension PortProblem {
  fileprivate init(unknownColumn name: String, of output: String, among columns: [String]) {
    self.init(
      message: "`\(output)` has no column \(name): it has \(columns.joined(separator: ", "))",
      suggestion: nearestNames(name, among: columns).first)
  }
}
