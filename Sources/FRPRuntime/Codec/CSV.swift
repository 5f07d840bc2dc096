// CSV (RFC 4180): the first line names the fields of a record; every further line is one value. A tuple's fields are the
// columns in order, anything else is the only column. In a cell a String stands as it is, an Option is empty or its
// content, numbers, Bools and cases without content are words, and all other data is JSON.

import FRPBase
import FRPCore
import FRPLibc

/// Reads the records of one CSV text in turn.
public struct CSVReader: ~Copyable {
  /// A column that fills a field of the type.
  struct Column {
    var column: Int
    var field: Int
    var type: TypeID
    var isOption: Bool
    /// Whether it is an Option<String>, in which any word is one.
    var isOptionalText = false
  }

  let type: TypeID
  let form: CSVForm
  /// What the columns of the text are called; nil before the first line was read.
  public private(set) var header: [String]?
  /// What fills the fields, from left to right; of what is no record or tuple, the column of its value.
  var columns: [Column] = []
  /// What is wrong with the header, if it cannot be used: no record can be read then.
  var headerFlaw: String?
  /// The line on which the next record begins, from 1; counted here where records come with their line breaks.
  public var line = 1
  /// Whether a word that often stands for no value is told where it is read as a text (`Codec.takeOddity`): once, and not
  /// where somebody has said which words do.
  public var tellsAbsence = false
  var cells: CSVCells
  /// The fields of a value under way.
  var fields: UnsafeMutablePointer<Word>
  let fieldCount: Int

  public init(as type: TypeID, _ codec: Codec, form: CSVForm = CSVForm()) {
    self.type = type
    self.form = form
    cells = CSVCells(separator: form.separator)
    fieldCount = codec.heap.shapes[type].kind == .product ? Int(codec.names.constructor(type, 0).fieldCount) : 0
    fields = .allocate(capacity: max(1, fieldCount))
    fields.initialize(repeating: .none, count: max(1, fieldCount))
  }

  deinit { fields.deallocate() }

  /// Whether the header lacks a column, or has one twice.
  public var isUnusable: Bool { headerFlaw != nil }

  /// What one record held.
  public enum Record: Sendable {
    case header, blank
    case value(Word)
    /// See `Codec.problem`.
    case problem
  }

  mutating func setHeader(_ names: [String]) { header = names }

  /// The column of a name, or, where there is none, the one that fills the field of that name; nil before the first record.
  public func column(_ name: String, _ codec: Codec) -> Int? {
    if let column = header?.firstIndex(of: name) { return column }
    guard codec.isRecord(type) else { return nil }
    let constructor = codec.names.constructor(type, 0)
    return columns.first { codec.names.string(codec.names.label(constructor, $0.field)) == name }?.column
  }

  /// The text of a cell of the last record, without spaces around it; nil if it has none there. Valid until the next call.
  public mutating func text(ofColumn column: Int) -> Bytes? {
    column < cells.count ? Codec.trimmed(cells[column]) : nil
  }
}

extension Codec {
  /// Reads the next record of a CSV text, as `CSVBreaks` cuts it. The bytes must stay in place until the next one.
  public func decodeCSV(_ record: Bytes, _ reader: inout CSVReader) throws(Fault) -> CSVReader.Record {
    let line = reader.line
    reader.line += Self.lineBreaks(record)
    var record = record
    if line == 1, record.starts(with: [0xEF, 0xBB, 0xBF]) { record = Bytes(rebasing: record.dropFirst(3)) }
    switch reader.cells.split(record) {
    case .encoding(let flaw): return fail(record, flaw, line: line, path: "", message: "these bytes are not UTF-8")
    case .quotes(let flaw):
      return fail(record, flaw, line: line, path: "", message: "this quoted cell does not end well")
    case nil: break
    }
    if record.allSatisfy({ $0 == 0x0A || $0 == 0x0D }) { return .blank }
    if let flaw = reader.headerFlaw { return fail(record, 0, line: line, path: "", message: flaw) }
    if reader.header == nil {
      if let flaw = readHeader(&reader) {
        reader.headerFlaw = flaw
        return fail(record, 0, line: line, path: "", message: flaw)
      }
      noteMissingColumns(reader, line: line)
      if reader.form.hasHeader { return .header }
    }
    // Without a first line the cells at the end need no names.
    if reader.form.hasHeader, let width = reader.header?.count, reader.cells.count > width {
      return fail(
        record, reader.cells.start(width), line: line, path: "",
        message: "expected \(width) cells, found \(reader.cells.count)")
    }
    return try readRow(record, &reader, line: line)
  }

  private static func lineBreaks(_ text: Bytes) -> Int {
    guard var place = text.baseAddress.map({ UnsafeRawPointer($0) }) else { return 0 }
    let end = place + text.count
    var count = 0
    while let found = memchr(place, 0x0A, end - place) {
      count += 1
      place = UnsafeRawPointer(found) + 1
    }
    return count
  }

  /// Where a record ends, without its line break.
  private static func end(of record: Bytes) -> Int {
    var end = record.count
    while end > 0, record[end - 1] == 0x0A || record[end - 1] == 0x0D { end -= 1 }
    return end
  }

  private func fail(_ record: Bytes, _ offset: Int, line: Int, path: String, message: String)
    -> CSVReader.Record
  {
    var problem = DecodeProblem(offset: offset, in: record, path: path, message: message)
    problem.line += line - 1
    self.problem = problem
    return .problem
  }

  fileprivate func isRecord(_ type: TypeID) -> Bool {
    heap.shapes[type].kind == .product && names.constructor(type, 0).labels >= 0
  }

  /// Reads all records of a CSV text as a list of `type`; nil if the type is no list or one does not fit (see `problem`). What is odd
  /// first is what there is to take.
  public func decodeCSVList(_ text: Bytes, as type: TypeID, form: CSVForm) throws(Fault) -> Word? {
    guard heap.shapes[type].kind == .list else {
      problem = DecodeProblem(
        line: 1, column: 1, path: "", message: "rows are a List, and \(heap.shapes.types.describe(type)) is none")
      return nil
    }
    let element = heap.element(type)
    var result = try ListBuilder(heap, references: heap.shapes.isReference(element))
    var reader = CSVReader(as: element, self, form: form)
    var breaks = CSVBreaks(separator: form.separator)
    var rest = text
    oddity = nil
    var firstOddity: DecodeProblem?
    defer { oddity = firstOddity }
    while let length = breaks.recordLength(rest) {
      let record = Bytes(rebasing: rest[..<length])
      rest = Bytes(rebasing: rest[length...])
      let found = try decodeCSV(record, &reader)
      if let oddity = takeOddity(), firstOddity == nil { firstOddity = oddity }
      switch found {
      case .header, .blank: break
      case .value(let word): try result.append(word)
      case .problem: return nil
      }
    }
    return try result.finish()
  }

  // MARK: Columns

  /// Finds out which column fills which field, from the first record; why no record can be read, if that is so.
  private func readHeader(_ reader: inout CSVReader) -> String? {
    let form = reader.form
    var header: [String] = []
    if form.hasHeader {
      // Blanks around a name are no part of it, unless a field is called so.
      let fields = csvColumns(reader.type)
      for index in 0..<reader.cells.count {
        let cell = String(decoding: reader.cells[index], as: UTF8.self)
        header.append(fields.contains(cell) ? cell : String(decoding: Self.trimmed(reader.cells[index]), as: UTF8.self))
      }
    } else {
      header = form.columns ?? (0..<reader.cells.count).map { "\($0 + 1)" }
    }
    reader.setHeader(header)
    var chosen = Array(header.indices)
    if let wanted = form.columns, form.hasHeader {
      chosen = []
      for name in wanted {
        guard let column = header.firstIndex(of: name) else { return flaw("has no column \(name)", header) }
        if header.lastIndex(of: name) != column { return flaw("has the column \(name) twice", header) }
        chosen.append(column)
      }
    }
    if isRecord(reader.type) { return fillFields(&reader, header, chosen: chosen) }
    let isTuple = heap.shapes[reader.type].kind == .product
    let types = isTuple ? (0..<reader.fieldCount).map { heap.shapes.fieldType(reader.type, $0) } : [reader.type]
    for (field, type) in types.enumerated() {
      reader.columns.append(column(field < chosen.count ? chosen[field] : Int.max, field, type))
    }
    return nil
  }

  private func flaw(_ what: String, _ header: [String]) -> String {
    "the first line \(what): it has \(header.prefix(20).map(fieldText).joined(separator: ", "))\(header.count > 20 ? ", …" : "")"
  }

  /// Tells of fields that may be None, and are in every record, since the first line has no column for them. Where somebody has
  /// chosen the columns, that is meant.
  private func noteMissingColumns(_ reader: borrowing CSVReader, line: Int) {
    guard reader.form.hasHeader, reader.form.columns == nil, let header = reader.header else { return }
    let found = Set(reader.columns.filter { $0.column < header.count }.map(\.field))
    let missing = (0..<reader.fieldCount).filter { field in
      !found.contains(field) && names.isOption(heap.shapes.fieldType(reader.type, field))
    }
    if missing.isEmpty { return }
    let isRecord = isRecord(reader.type)
    let constructor = names.constructor(reader.type, 0)
    let wanted = missing.map { isRecord ? fieldText(names.string(names.label(constructor, $0))) : "\($0 + 1)" }
    var note = DecodeProblem(
      line: line, column: 1, path: "",
      message: flaw("has no column \(wanted.joined(separator: ", "))", header) + "; in each record that is None")
    note.isOfHeader = true
    oddity = note
  }

  private func column(_ column: Int, _ field: Int, _ type: TypeID) -> CSVReader.Column {
    let isOption = names.isOption(type)
    let isText = isOption && heap.shapes[heap.shapes.fieldType(type, tag: 1, 0)].kind == .string
    return CSVReader.Column(column: column, field: field, type: type, isOption: isOption, isOptionalText: isText)
  }

  /// The columns of a record's fields.
  private func fillFields(_ reader: inout CSVReader, _ header: [String], chosen: [Int]) -> String? {
    if !reader.form.hasHeader, reader.form.columns == nil {
      return "without a first line, `columns` must name the cells"
    }
    let constructor = names.constructor(reader.type, 0)
    let labels = (0..<reader.fieldCount).map { names.string(names.label(constructor, $0)) }
    for (field, label) in labels.enumerated() {
      let type = heap.shapes.fieldType(reader.type, field)
      // A column may begin with a capital, which fields mostly do not, where no other has the very name.
      var found = chosen.filter { header[$0] == label }
      if found.isEmpty { found = chosen.filter { uncapitalized(header[$0]) == label }.prefix(1).map { $0 } }
      if found.count > 1 {
        if reader.form.hasHeader { return flaw("has the column \(label) twice", header) }
        return "`columns` has \(label) twice"
      }
      if let place = found.first {
        reader.columns.append(column(place, field, type))
      } else if !names.isOption(type) {
        if reader.form.hasHeader { return flaw("has no column \(label)", header) }
        return "`columns` has no \(label): it has \(header.filter { !$0.isEmpty }.joined(separator: ", "))"
      }
    }
    reader.columns.sort { $0.column < $1.column }
    return nil
  }

  /// A name with a small first letter; nil if it has that.
  private func uncapitalized(_ name: String) -> String? {
    guard let first = name.utf8.first, (0x41...0x5A).contains(first) else { return nil }
    return String(decoding: [first | 0x20] + name.utf8.dropFirst(), as: UTF8.self)
  }

  // MARK: Rows

  private func readRow(_ record: Bytes, _ reader: inout CSVReader, line: Int) throws(Fault) -> CSVReader.Record {
    let isProduct = heap.shapes[reader.type].kind == .product
    for column in reader.columns {
      let isThere = column.column < reader.cells.count
      if column.isOption, !isThere || reader.form.isNull(Self.trimmed(reader.cells[column.column])) {
        reader.fields[column.field] = .none
        continue
      }
      if !isThere {
        return fail(
          record, Self.end(of: record), line: line, path: path(reader.type, column.field),
          message: "this cell is missing")
      }
      guard let word = try decodeCell(reader.cells[column.column], column.type) else {
        let place = isProduct ? path(reader.type, column.field) : ""
        return located(record, reader.cells.start(column.column), line: line, path: place)
      }
      reader.fields[column.field] = word
    }
    if reader.tellsAbsence { tellAbsence(record, &reader, line: line) }
    if !isProduct { return .value(reader.fields[0]) }
    return .value(try heap.construct(reader.type, reader.fields, reader.fieldCount))
  }

  /// Tells of the first text of a record that often stands for no value.
  private func tellAbsence(_ record: Bytes, _ reader: inout CSVReader, line: Int) {
    for column in reader.columns where column.isOptionalText && column.column < reader.cells.count {
      let text = Self.trimmed(reader.cells[column.column])
      guard let word = Self.absence(text), !Self.marks.contains(word) else { continue }
      var found = DecodeProblem(
        offset: reader.cells.start(column.column), in: record, path: path(reader.type, column.field),
        message: "`\(word)` is a text here")
      found.line += line - 1
      found.absence = word
      oddity = found
      reader.tellsAbsence = false
      return
    }
  }

  /// A cell that often stands for no value.
  private static func absence(_ text: Bytes) -> String? {
    if text.isEmpty || text.count >= 8 { return nil }
    let word = String(decoding: text, as: UTF8.self)
    return absences.contains(word.lowercased()) ? word : nil
  }

  private func path(_ type: TypeID, _ field: Int) -> String {
    if heap.shapes[type].kind != .product { return "" }
    let constructor = names.constructor(type, 0)
    return constructor.labels >= 0 ? ".\(names.string(names.label(constructor, field)))" : "[\(field)]"
  }

  /// The present problem, placed in the text.
  private func located(_ record: Bytes, _ offset: Int, line: Int, path: String) -> CSVReader.Record {
    let absence = problem?.absence
    let result = fail(
      record, offset, line: line, path: path + (problem?.path ?? ""),
      message: problem?.message ?? "this cell cannot be read")
    problem?.absence = absence
    return result
  }

  static func trimmed(_ cell: Bytes) -> Bytes {
    var start = 0
    var end = cell.count
    while start < end, cell[start] == 0x20 || cell[start] == 0x09 { start += 1 }
    while end > start, cell[end - 1] == 0x20 || cell[end - 1] == 0x09 { end -= 1 }
    return Bytes(rebasing: cell[start..<end])
  }

  /// The value of one cell, nil if it does not fit (see `problem`).
  func decodeCell(_ cell: Bytes, _ type: TypeID) throws(Fault) -> Word? {
    let text = Self.trimmed(cell)
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
      // As in JSON, `null` in an Option<Json> is None: both are written alike.
      if names.isJson(content), word == Word(tag: JsonCase.null.rawValue) { return Word.none }
      return try heap.some(word, type)
    case .variant where names.isJson(type): return try jsonCell(cell, text, type: type)
    case .variant where text.first != 0x7B && text.first != 0x22:
      if let tag = names.tag(type, text), names.constructor(type, tag).fieldCount == 0 { result = Word(tag: tag) }
    default: return try decodeJSON(text, as: type)
    }
    if result == nil {
      let found = DecodeProblem.named(text.prefix(40))
      let message = "expected \(heap.shapes.types.describe(type)), found \(text.isEmpty ? "an empty cell" : found)"
      problem = DecodeProblem(line: 1, column: 1, path: "", message: message)
      problem?.absence = Self.absence(text)
    }
    return result
  }

  /// What programs write, in small letters, where there is no value.
  private static let absences: Set<String> = ["na", "n/a", "#n/a", "nan", "null", "none", "nil", "-", "--", ".", "?"]
  /// Those of them that a text may well mean.
  private static let marks: Set<String> = ["-", "--", ".", "?"]

  /// A cell as Json: nothing is Null, a text of JSON is what it says, all else is a String.
  private func jsonCell(_ cell: Bytes, _ text: Bytes, type: TypeID) throws(Fault) -> Word? {
    if text.isEmpty { return Word(tag: JsonCase.null.rawValue) }
    if Self.isJSON(text), let word = try decodeJSON(text, as: type) { return word }
    return try heap.construct(type, tag: JsonCase.string.rawValue, field: try heap.string(cell))
  }

  /// Whether a text has the form of JSON.
  private static func isJSON(_ text: Bytes) -> Bool {
    guard let start = text.baseAddress else { return false }
    var cursor = JSONCursor(start, text.count)
    var scratch = StringBuilder()
    do throws(JSONStop) { try cursor.skipValue(0, &scratch) } catch { return false }
    cursor.skipSpace()
    return cursor.isAtEnd
  }

  // MARK: Writing

  /// What the columns of values of a type are called: a record's fields, numbers for a tuple, else `value`.
  public func csvColumns(_ type: TypeID) -> [String] {
    if heap.shapes[type].kind != .product { return ["value"] }
    let constructor = names.constructor(type, 0)
    return (0..<Int(constructor.fieldCount)).map {
      constructor.labels >= 0 ? names.string(names.label(constructor, $0)) : "\($0 + 1)"
    }
  }

  /// Appends the first line of a CSV text of values of a type.
  public func appendCSVHeader(_ type: TypeID, to out: inout StringBuilder) {
    let start = out.count
    for (index, name) in csvColumns(type).enumerated() {
      if index > 0 { out.append(byte: 0x2C) }
      out.append(cell: name, separator: 0x2C)
    }
    out.markRecord(from: start)
    out.append(byte: 0x0A)
  }

  /// Appends a value as one line.
  public func encodeCSV(_ value: Word, _ type: TypeID, to out: inout StringBuilder) throws(Fault) {
    let start = out.count
    let count = heap.shapes[type].kind == .product ? Int(names.constructor(type, 0).fieldCount) : 1
    for column in 0..<count {
      if column > 0 { out.append(byte: 0x2C) }
      try encodeCSV(value, type, column: column, CSVForm(), to: &out)
    }
    out.markRecord(from: start)
    out.append(byte: 0x0A)
  }

  /// Appends one cell of a value's line; columns count as in `csvColumns`.
  public func encodeCSV(
    _ value: Word, _ type: TypeID, column: Int, _ form: CSVForm, to out: inout StringBuilder
  ) throws(Fault) {
    if heap.shapes[type].kind == .product {
      try encodeCell(value.field(column), heap.shapes.fieldType(type, column), form: form, to: &out)
    } else {
      try encodeCell(value, type, form: form, to: &out)
    }
  }

  /// A String stands as it is where it does not read as something else.
  private func encodeJsonCell(_ value: Word, _ type: TypeID, form: CSVForm, to out: inout StringBuilder) throws(Fault) {
    if !value.isObject { return }
    if value.tag == JsonCase.string.rawValue {
      let text = heap.bytes(value.field(0))
      let plain = Self.trimmed(text)
      if !plain.isEmpty, !Self.isJSON(plain) { return out.append(cell: text, separator: form.separator) }
    }
    var text = StringBuilder()
    try encodeJSON(value, type, to: &text)
    out.append(cell: text.view, separator: form.separator)
  }

  private func encodeCell(_ value: Word, _ type: TypeID, form: CSVForm, to out: inout StringBuilder) throws(Fault) {
    switch heap.shapes[type].kind {
    case .string: out.append(cell: heap.bytes(value), separator: form.separator)
    case .unit: break
    case .int, .float, .bool: try encodeJSON(value, type, to: &out)
    case .variant where names.isOption(type) && !names.mayBeNull(heap.shapes.fieldType(type, tag: 1, 0)):
      if value != .none {
        return try encodeCell(value.field(0), heap.shapes.fieldType(type, tag: 1, 0), form: form, to: &out)
      }
      let null = form.nulls.first ?? []
      null.withUnsafeBufferPointer { out.append(cell: $0, separator: form.separator) }
    case .variant where names.isJson(type):
      try encodeJsonCell(value, type, form: form, to: &out)
    case .variant where names.constructor(type, value.tag).fieldCount == 0 && !names.isOption(type):
      out.append(names.text(names.constructor(type, value.tag).name))
    default:
      var text = StringBuilder()
      try encodeJSON(value, type, to: &text)
      out.append(cell: text.view, separator: form.separator)
    }
  }
}

extension StringBuilder {
  /// A cell of CSV, in quotes if it must be.
  public mutating func append(cell text: String, separator: UInt8) {
    var text = text
    text.withUTF8 { append(cell: $0, separator: separator) }
  }

  /// Behind the cells of a record, which began at `start`: readers skip a line that is empty, so an only cell without
  /// anything in it is a pair of quotes.
  public mutating func markRecord(from start: Int) {
    if count > start { return }
    append(byte: 0x22)
    append(byte: 0x22)
  }

  fileprivate mutating func append(cell text: Bytes, separator: UInt8) {
    // A byte order mark at the beginning of a text is not part of it.
    let needsQuotes =
      text.contains { $0 == separator || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D } || text.first == 0x20
      || text.last == 0x20 || text.starts(with: [0xEF, 0xBB, 0xBF])
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
