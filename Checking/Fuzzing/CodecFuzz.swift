// JSON and CSV: the first byte chooses a type, the others are the text. What is read can be written and read again, and
// is the same.

import FRPCore
import FRPRuntime

enum CodecFuzz {
  nonisolated(unsafe) private static var fixture = Fixture()
  nonisolated(unsafe) private static var runs = 0

  /// A heap and the types that texts are read as.
  private struct Fixture {
    let heap: Heap
    let codec: Codec
    let types: [TypeID]

    init() {
      var table = TypeTable()
      table.nominalNames += ["Shape", "Tree"]
      let option = table.option(.int)
      let point = table.intern(
        .record([FieldType("note", option), FieldType("x", .float), FieldType("y", .float)]))
      let shape = table.intern(.variant(NominalID(NominalID.firstDeclared), []))
      let tree = table.intern(.variant(NominalID(NominalID.firstDeclared + 1), []))
      table.setConstructors(
        [
          Constructor(name: "Empty", labels: nil, fields: []),
          Constructor(name: "Circle", labels: nil, fields: [.float]),
          Constructor(name: "Line", labels: nil, fields: [.int, .string]),
          Constructor(name: "Rect", labels: ["w", "h"], fields: [.float, .float]),
        ], of: shape)
      table.setConstructors(
        [
          Constructor(name: "Leaf", labels: nil, fields: []),
          Constructor(name: "Node", labels: nil, fields: [tree, tree]),
        ], of: tree)
      var types: [TypeID] = [.unit, .bool, .int, .float, .string, option, point, shape, tree]
      types.append(table.list(.int))
      types.append(table.list(point))
      types.append(table.list(table.list(.string)))
      types.append(table.option(option))
      types.append(table.option(.unit))
      types.append(table.option(.string))
      types.append(table.intern(.variant(.result, [.int, .string])))
      types.append(table.intern(.variant(.policy, [])))
      types.append(table.intern(.map(.string, .int)))
      types.append(table.set(.string))
      types.append(table.json())
      types.append(table.option(table.json()))
      types.append(table.intern(.map(.float, .string)))
      types.append(table.intern(.map(shape, table.list(.float))))
      types.append(table.intern(.tuple([.int, .string, .bool])))
      types.append(table.intern(.tuple([point, option])))
      types.append(table.intern(.record([])))
      types.append(
        table.intern(.record([FieldType("name", .string), FieldType("shape", shape), FieldType("tags", types[9])])))
      self.types = types
      heap = Heap(types: table, limitBytes: 256 << 20)
      codec = Codec(heap)
    }

    func decode(_ text: [UInt8], _ type: TypeID) throws(Fault) -> Word? {
      let result: Result<Word?, Fault> = text.withUnsafeBufferPointer { bytes in
        do throws(Fault) { return .success(try codec.decodeJSON(bytes, as: type)) } catch { return .failure(error) }
      }
      return try result.get()
    }

    func encode(_ word: Word, _ type: TypeID) throws(Fault) -> [UInt8] {
      var out = StringBuilder()
      try codec.encodeJSON(word, type, to: &out)
      return Array(out.view)
    }
  }

  private static func next(_ bytes: [UInt8]) -> (Fixture, TypeID, [UInt8])? {
    guard let first = bytes.first else { return nil }
    runs += 1
    // Nothing is collected: a new heap now and then.
    if runs % 2_000 == 0 { fixture = Fixture() }
    return (fixture, fixture.types[Int(first) % fixture.types.count], Array(bytes.dropFirst()))
  }

  static func json(_ bytes: [UInt8]) -> String? {
    guard let (fixture, type, text) = next(bytes) else { return nil }
    do throws(Fault) {
      guard let word = try fixture.decode(text, type) else {
        guard let problem = fixture.codec.problem else { return "a text that does not fit has no problem" }
        return problem.column >= 1 && problem.column <= text.count + 1
          ? nil : "column \(problem.column) of a text of \(text.count)"
      }
      return try again(fixture, word, type)
    } catch { return "faults: \(error)" }
  }

  /// Writes a value, reads it, writes it again.
  private static func again(_ fixture: Fixture, _ word: Word, _ type: TypeID) throws(Fault) -> String? {
    let once = try fixture.encode(word, type)
    let shown = String(decoding: once, as: UTF8.self)
    _ = fixture.codec.source(word, type)
    guard let back = try fixture.decode(once, type) else {
      return "what was written cannot be read (\(fixture.codec.problem?.text ?? "")): \(shown)"
    }
    if !fixture.heap.equal(word, back, type: type) { return "what was written reads as another value: \(shown)" }
    if fixture.heap.hash(word, type) != fixture.heap.hash(back, type) { return "equal values, two hashes: \(shown)" }
    if try fixture.encode(back, type) != once { return "what was written is written in another way: \(shown)" }
    return nil
  }

  static func csv(_ bytes: [UInt8]) -> String? {
    guard let (fixture, type, text) = next(bytes) else { return nil }
    let result: Result<String?, Fault> = text.withUnsafeBufferPointer { buffer in
      do throws(Fault) { return .success(try records(fixture, type, buffer)) } catch { return .failure(error) }
    }
    switch result {
    case .success(let problem): return problem
    case .failure(let fault): return "faults: \(fault)"
    }
  }

  private static func records(_ fixture: Fixture, _ type: TypeID, _ text: Bytes) throws(Fault) -> String? {
    let form = form(fixture, type, text.count)
    var reader = CSVReader(as: type, fixture.codec, form: form)
    var breaks = CSVBreaks(separator: form.separator)
    var at = 0
    while let length = breaks.recordLength(Bytes(rebasing: text[at...])) {
      if length <= 0 || length > text.count - at { return "a record of \(length) bytes" }
      switch try fixture.codec.decodeCSV(Bytes(rebasing: text[at..<at + length]), &reader) {
      case .header, .blank: break
      case .problem: if fixture.codec.problem == nil { return "a record that does not fit has no problem" }
      case .value(let word): if let problem = try row(fixture, word, type) { return problem }
      }
      at += length
    }
    return nil
  }

  /// One of the ways to write CSV.
  private static func form(_ fixture: Fixture, _ type: TypeID, _ choice: Int) -> CSVForm {
    var form = CSVForm()
    if choice & 1 != 0 { form.separator = 0x3B }
    if choice & 2 != 0 { form.hasHeader = false }
    if choice & 6 != 0 { form.columns = fixture.codec.csvColumns(type) }
    if choice & 8 != 0 { form.nulls = [Array("NA".utf8)] }
    return form
  }

  /// Writes a value as a row under a header, and reads both.
  private static func row(_ fixture: Fixture, _ word: Word, _ type: TypeID) throws(Fault) -> String? {
    if let problem = try again(fixture, word, type) { return problem }
    var header = StringBuilder()
    fixture.codec.appendCSVHeader(type, to: &header)
    var line = StringBuilder()
    try fixture.codec.encodeCSV(word, type, to: &line)
    var reader = CSVReader(as: type, fixture.codec)
    _ = try fixture.codec.decodeCSV(header.view, &reader)
    let shown = String(decoding: header.view, as: UTF8.self) + String(decoding: line.view, as: UTF8.self)
    switch try fixture.codec.decodeCSV(line.view, &reader) {
    case .value(let back):
      return fixture.heap.equal(word, back, type: type) ? nil : "a row reads as another value: \(shown)"
    case .blank: return "a row reads as an empty line: \(shown)"
    default: return "a row cannot be read (\(fixture.codec.problem?.text ?? "")): \(shown)"
    }
  }
}
