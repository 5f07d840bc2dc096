// CSV (RFC 4180): the first line names the fields of a record; every further line is one value. A tuple's fields are the
// columns in order, anything else is the only column. In a cell a String stands as it is, an Option is empty or its
// content, numbers, Bools and cases without content are words, and all other data is JSON.

import FRPCore

/// Reads the records of one CSV text in turn.
public struct CSVReader: ~Copyable {
  let type: TypeID
  let codec: Codec
  /// By column: the field it fills, -1 for none; nil before the header was read.
  var columns: [Int]?
  /// What is wrong with the header, if it cannot be used: no record can be read then.
  var headerFlaw: String?
  /// The line on which the next record begins, from 1; counted here where records come with their line breaks.
  public var line = 1
  /// The cells of a record, unquoted, one after the other, and where each ends here and began in the record.
  var cells = StringBuilder()
  var ends: [Int] = []
  var starts: [Int] = []

  public init(as type: TypeID, _ codec: Codec) {
    self.type = type
    self.codec = codec
  }

  /// Whether the header lacks a column, or has one twice.
  public var isUnusable: Bool { headerFlaw != nil }

  /// What one record held.
  public enum Record: Sendable {
    case header, blank
    case value(Word)
    /// See `Codec.problem`.
    case problem
  }

  /// Splits a record into cells; nil, or the offset of what is wrong.
  mutating func split(_ record: Bytes) -> Int? {
    cells.removeAll()
    ends.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    var end = record.count
    if end > 0, record[end - 1] == 0x0A { end -= 1 }
    if end > 0, record[end - 1] == 0x0D { end -= 1 }
    var index = 0
    while true {
      starts.append(index)
      if index < end, record[index] == 0x22 {
        guard let next = quoted(record, index, end) else { return index }
        index = next
        if index < end, record[index] != 0x2C { return index }
      } else {
        while index < end, record[index] != 0x2C {
          cells.append(byte: record[index])
          index += 1
        }
      }
      ends.append(cells.count)
      if index >= end { return nil }
      index += 1
    }
  }

  /// Appends a quoted cell; where it ends, nil if it does not.
  private mutating func quoted(_ record: Bytes, _ start: Int, _ end: Int) -> Int? {
    var index = start + 1
    while index < end {
      if record[index] == 0x22 {
        if index + 1 < end, record[index + 1] == 0x22 { index += 1 } else { return index + 1 }
      }
      cells.append(byte: record[index])
      index += 1
    }
    return nil
  }

  func cell(_ index: Int) -> Bytes {
    let start = index == 0 ? 0 : ends[index - 1]
    return Bytes(rebasing: cells.view[start..<ends[index]])
  }
}

extension Codec {
  /// Reads the next record of a CSV text, as `CSVBreaks` cuts it.
  public func decodeCSV(_ record: Bytes, _ reader: inout CSVReader) throws(Fault) -> CSVReader.Record {
    let line = reader.line
    for byte in record where byte == 0x0A { reader.line += 1 }
    var record = record
    if line == 1, record.starts(with: [0xEF, 0xBB, 0xBF]) { record = Bytes(rebasing: record.dropFirst(3)) }
    let flaw = UTF8Text.firstFlaw(record)
    if let flaw { return fail(record, flaw, line, "", "these bytes are not UTF-8") }
    if let flaw = reader.split(record) { return fail(record, flaw, line, "", "this quoted cell does not end well") }
    if record.allSatisfy({ $0 == 0x0A || $0 == 0x0D }) { return .blank }
    if let flaw = reader.headerFlaw { return fail(record, 0, line, "", flaw) }
    guard let columns = reader.columns else { return readHeader(record, &reader) }
    if reader.ends.count > columns.count {
      return fail(
        record, reader.starts[columns.count], line, "", "expected \(columns.count) cells, found \(reader.ends.count)")
    }
    return try readRow(record, &reader, columns, line)
  }

  private func fail(_ record: Bytes, _ offset: Int, _ line: Int, _ path: String, _ message: String)
    -> CSVReader.Record
  {
    var problem = DecodeProblem(offset: offset, in: record, path: path, message: message)
    problem.line += line - 1
    self.problem = problem
    return .problem
  }

  private func isRecord(_ type: TypeID) -> Bool {
    heap.shapes[type].kind == .product && names.constructor(type, 0).labels >= 0
  }

  private func readHeader(_ record: Bytes, _ reader: inout CSVReader) -> CSVReader.Record {
    let count = reader.ends.count
    guard isRecord(reader.type) else {
      reader.columns = Array(0..<count)
      return .header
    }
    let constructor = names.constructor(reader.type, 0)
    let columns = fields(of: reader, count, constructor)
    if let flaw = flaw(of: columns, reader, constructor) {
      reader.headerFlaw = flaw
      return fail(record, 0, 1, "", flaw)
    }
    reader.columns = columns
    return .header
  }

  /// By column the field it fills. A column may begin with a capital, which fields cannot, where no other has the very name.
  private func fields(of reader: borrowing CSVReader, _ count: Int, _ constructor: ConstructorNames) -> [Int] {
    var columns: [Int] = []
    for index in 0..<count { columns.append(names.field(constructor, trimmed(reader.cell(index)), hint: index) ?? -1) }
    for index in 0..<count where columns[index] < 0 {
      var name = Array(trimmed(reader.cell(index)))
      guard let first = name.first, (0x41...0x5A).contains(first) else { continue }
      name[0] = first | 0x20
      let field = name.withUnsafeBufferPointer { names.field(constructor, $0, hint: index) }
      if let field, !columns.contains(field) { columns[index] = field }
    }
    return columns
  }

  /// Why no record can be read with these columns, if that is so.
  private func flaw(of columns: [Int], _ reader: borrowing CSVReader, _ constructor: ConstructorNames) -> String? {
    func flaw(_ field: Int, _ what: (String) -> String) -> String {
      let shown = columns.indices.prefix(20).map { String(decoding: trimmed(reader.cell($0)), as: UTF8.self) }
      let rest = columns.count > 20 ? ", …" : ""
      return what(names.string(names.label(constructor, field))) + ": it has \(shown.joined(separator: ", "))\(rest)"
    }
    for field in 0..<Int(constructor.fieldCount) {
      let count = columns.count { $0 == field }
      if count > 1 { return flaw(field) { "the first line has the column \($0) twice" } }
      if count == 1 || names.isOption(heap.shapes.fieldType(reader.type, field)) { continue }
      return flaw(field) { "the first line has no column \($0)" }
    }
    return nil
  }

  private func readRow(_ record: Bytes, _ reader: inout CSVReader, _ columns: [Int], _ line: Int) throws(Fault)
    -> CSVReader.Record
  {
    let shape = heap.shapes[reader.type]
    if shape.kind != .product {
      guard let word = try decodeCell(reader.cell(0), reader.type) else { return located(record, 0, line, "") }
      return .value(word)
    }
    let constructor = names.constructor(reader.type, 0)
    let count = Int(constructor.fieldCount)
    var fields = [Word](repeating: .none, count: count)
    var isSeen = [Bool](repeating: false, count: count)
    for (index, field) in columns.prefix(reader.ends.count).enumerated() where field >= 0 && field < count {
      let type = heap.shapes.fieldType(reader.type, field)
      guard let word = try decodeCell(reader.cell(index), type) else {
        return located(record, reader.starts[index], line, path(constructor, field))
      }
      fields[field] = word
      isSeen[field] = true
    }
    for field in 0..<count where !isSeen[field] && !names.isOption(heap.shapes.fieldType(reader.type, field)) {
      return fail(record, record.count, line, path(constructor, field), "this cell is missing")
    }
    return .value(try heap.construct(reader.type, fields, count))
  }

  private func path(_ constructor: ConstructorNames, _ field: Int) -> String {
    constructor.labels >= 0 ? ".\(names.string(names.label(constructor, field)))" : "[\(field)]"
  }

  /// The present problem, placed in the text.
  private func located(_ record: Bytes, _ offset: Int, _ line: Int, _ path: String) -> CSVReader.Record {
    fail(record, offset, line, path + (problem?.path ?? ""), problem?.message ?? "this cell cannot be read")
  }

  private func trimmed(_ cell: Bytes) -> Bytes {
    var start = 0
    var end = cell.count
    while start < end, cell[start] == 0x20 || cell[start] == 0x09 { start += 1 }
    while end > start, cell[end - 1] == 0x20 || cell[end - 1] == 0x09 { end -= 1 }
    return Bytes(rebasing: cell[start..<end])
  }

  /// The value of one cell, nil if it does not fit (see `problem`).
  func decodeCell(_ cell: Bytes, _ type: TypeID) throws(Fault) -> Word? {
    let text = trimmed(cell)
    var result: Word?
    switch heap.shapes[type].kind {
    case .string: return try heap.string(cell)
    case .int: result = NumberText.int(text).map { Word(int: $0) }
    case .float: result = NumberText.float(text).map { Word(float: $0) }
    case .bool:
      if text.elementsEqual("true".utf8) { result = Word(bool: true) }
      if text.elementsEqual("false".utf8) { result = Word(bool: false) }
    case .unit: result = text.isEmpty ? .unit : nil
    case .variant where names.isOption(type):
      if text.isEmpty { return Word.none }
      let content = heap.shapes.fieldType(type, tag: 1, 0)
      if names.mayBeNull(content) { return try decodeJSON(text, as: type) }
      guard let word = try decodeCell(cell, content) else { return nil }
      return try heap.some(word, type)
    case .variant where text.first != 0x7B && text.first != 0x22:
      if let tag = names.tag(type, text), names.constructor(type, tag).fieldCount == 0 { result = Word(tag: tag) }
    default: return try decodeJSON(text, as: type)
    }
    if result == nil {
      let found = DecodeProblem.named(text.prefix(40))
      let message = "expected \(heap.shapes.types.describe(type)), found \(text.isEmpty ? "an empty cell" : found)"
      problem = DecodeProblem(line: 1, column: 1, path: "", message: message)
    }
    return result
  }

  // MARK: Writing

  /// Appends the first line of a CSV text of values of a type.
  public func appendCSVHeader(_ type: TypeID, to out: inout StringBuilder) {
    if heap.shapes[type].kind == .product {
      let constructor = names.constructor(type, 0)
      for field in 0..<Int(constructor.fieldCount) {
        if field > 0 { out.append(byte: 0x2C) }
        if constructor.labels >= 0 {
          out.append(names.text(names.label(constructor, field)))
        } else {
          out.append(int: field + 1)
        }
      }
    } else {
      out.append("value")
    }
    out.append(byte: 0x0A)
  }

  /// Appends a value as one line.
  public func encodeCSV(_ value: Word, _ type: TypeID, to out: inout StringBuilder) throws(Fault) {
    if heap.shapes[type].kind == .product {
      for field in 0..<Int(names.constructor(type, 0).fieldCount) {
        if field > 0 { out.append(byte: 0x2C) }
        try encodeCell(value.field(field), heap.shapes.fieldType(type, field), to: &out)
      }
    } else {
      try encodeCell(value, type, to: &out)
    }
    out.append(byte: 0x0A)
  }

  private func encodeCell(_ value: Word, _ type: TypeID, to out: inout StringBuilder) throws(Fault) {
    switch heap.shapes[type].kind {
    case .string: out.append(cell: heap.bytes(value))
    case .unit: break
    case .int, .float, .bool: try encodeJSON(value, type, to: &out)
    case .variant where names.isOption(type) && !names.mayBeNull(heap.shapes.fieldType(type, tag: 1, 0)):
      if value != .none { try encodeCell(value.field(0), heap.shapes.fieldType(type, tag: 1, 0), to: &out) }
    case .variant where names.constructor(type, value.tag).fieldCount == 0 && !names.isOption(type):
      out.append(names.text(names.constructor(type, value.tag).name))
    default:
      var text = StringBuilder()
      try encodeJSON(value, type, to: &text)
      out.append(cell: text.view)
    }
  }
}

extension StringBuilder {
  /// A cell of CSV, in quotes if it must be.
  fileprivate mutating func append(cell text: Bytes) {
    let needsQuotes =
      text.contains { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D } || text.first == 0x20 || text.last == 0x20
    if !needsQuotes {
      append(text)
      return
    }
    append(byte: 0x22)
    for byte in text {
      if byte == 0x22 { append(byte: 0x22) }
      append(byte: byte)
    }
    append(byte: 0x22)
  }
}
