// Comma-separated values of the ports: a header, then records. Cells are read and written by the runtime's codec, as
// `Csv.decode` and `Csv.encode` do; here they meet lines, and the time that stands before an output's value.

import FRPBase
import FRPCore
import FRPRuntime

/// Reads records of one input: the first line names the fields of a record, columns that it does not name are ignored.
final class CSVLines {
  private var reader: CSVReader

  /// Whether no record can be read, and whether that was said.
  var hasUnusableHeader: Bool { reader.isUnusable }
  var hasToldFlaw = false

  init(type: TypeID, _ codec: Codec) { reader = CSVReader(as: type, codec) }

  /// See `Codec.decodeCSV`; the record begins on line `line`.
  func record(_ record: Bytes, line: Int, _ codec: Codec) throws(Fault) -> CSVReader.Record {
    reader.line = line
    return try codec.decodeCSV(record, &reader)
  }
}

/// Writes values of one output as lines.
struct CSVWriter {
  private let type: TypeID
  let header: String
  /// Whether the values have a column `at` of their own, beside that of the time.
  let hasOwnTime: Bool

  init(name: String, type: TypeID, types: TypeTable, _ codec: Codec) {
    self.type = type
    switch types[type] {
    case .record, .tuple:
      var names = StringBuilder()
      codec.appendCSVHeader(type, to: &names)
      let columns = Self.withoutBreak(names)
      header = "at," + columns
      hasOwnTime = columns.split(separator: ",").contains("at")
    default:
      header = "at," + name
      hasOwnTime = false
    }
  }

  /// What stands after the time in the line of a value.
  func row(_ value: Word, _ codec: Codec) throws(Fault) -> String {
    var text = StringBuilder()
    try codec.encodeCSV(value, type, to: &text)
    return Self.withoutBreak(text)
  }

  private static func withoutBreak(_ text: borrowing StringBuilder) -> String {
    String(decoding: text.view.dropLast(), as: UTF8.self)
  }
}
