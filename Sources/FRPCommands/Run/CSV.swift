// Comma-separated values: a header of field names, then a record a line.
//
// Rules
// - Fields are as RFC 4180 has them, within one line: `a,"b, c","say ""hi"""`.
// - A column becomes the field of its name: text for a String, else JSON of the field's type; empty is None for an
//   Option. Columns that the type does not name are ignored.
// - A payload that is no record has one column.

import FRPBase
import FRPCore
import FRPRuntime

/// Turns lines of one input into JSON of its type.
struct CSVRecords {
  private let columns: [String]
  private let fields: [FieldType]?
  private let payload: TypeID
  private let types: TypeTable

  init(header: ArraySlice<UInt8>, type: TypeID, types: TypeTable) {
    columns = Self.fields(header).map { String($0.filter { $0 != "\u{FEFF}" }) }
    payload = type
    self.types = types
    if case .record(let fields) = types[type] { self.fields = fields } else { fields = nil }
  }

  /// A line as JSON; fields without a column are left out, so that the decoder says what is missing.
  func json(_ line: ArraySlice<UInt8>) -> String {
    let texts = Self.fields(line)
    guard let fields else { return value(texts.first ?? "", payload) }
    var parts: [String] = []
    for field in fields {
      guard let column = columns.firstIndex(of: field.name), column < texts.count else { continue }
      parts.append("\(jsonString(field.name)):\(value(texts[column], field.type))")
    }
    return "{" + parts.joined(separator: ",") + "}"
  }

  private func value(_ text: String, _ type: TypeID) -> String {
    switch types[type] {
    case .string: return jsonString(text)
    case .variant(.option, let arguments):
      return text.isEmpty ? "null" : arguments.first.map { value(text, $0) } ?? "null"
    case .variant: return text.hasPrefix("{") || text.hasPrefix("[") ? text : jsonString(text)
    default: return text
    }
  }

  /// The fields of a line.
  static func fields(_ line: ArraySlice<UInt8>) -> [String] {
    var fields: [String] = []
    var field: [UInt8] = []
    var isQuoted = false
    var index = line.startIndex
    while index < line.endIndex {
      let byte = line[index]
      if isQuoted, byte == 0x22, index + 1 < line.endIndex, line[index + 1] == 0x22 {
        field.append(0x22)
        index += 1
      } else if byte == 0x22, isQuoted || field.isEmpty {
        isQuoted.toggle()
      } else if byte == 0x2C, !isQuoted {
        fields.append(String(decoding: field, as: UTF8.self))
        field = []
      } else {
        field.append(byte)
      }
      index += 1
    }
    fields.append(String(decoding: field, as: UTF8.self))
    return fields
  }

  /// A text as a field of a line.
  static func quoted(_ text: String) -> String {
    if !text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}

/// Writes values of one output as lines.
struct CSVWriter {
  private let fields: [FieldType]?
  private let type: TypeID
  private let types: TypeTable
  let header: String

  init(name: String, type: TypeID, types: TypeTable) {
    self.type = type
    self.types = types
    if case .record(let fields) = types[type], !fields.isEmpty {
      self.fields = fields
      header = (["at"] + fields.map(\.name)).map(CSVRecords.quoted).joined(separator: ",")
    } else {
      fields = nil
      header = "at," + CSVRecords.quoted(name)
    }
  }

  /// What stands after the time in the line of a value.
  func row(_ value: Word, _ codec: Codec) throws(Fault) -> String {
    guard let fields else { return try cell(value, type, codec) }
    var cells: [String] = []
    for (index, field) in fields.enumerated() { cells.append(try cell(value.field(index), field.type, codec)) }
    return cells.joined(separator: ",")
  }

  private func cell(_ value: Word, _ type: TypeID, _ codec: Codec) throws(Fault) -> String {
    if case .variant(.option, let arguments) = types[type], let content = arguments.first {
      return value == .none ? "" : try cell(value.field(0), content, codec)
    }
    var text = StringBuilder()
    if type == .string {
      try codec.appendText(value, type, to: &text)
    } else {
      try codec.encodeJSON(value, type, to: &text)
    }
    return CSVRecords.quoted(String(decoding: text.view, as: UTF8.self))
  }
}
