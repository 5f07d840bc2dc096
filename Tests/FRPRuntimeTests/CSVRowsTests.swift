// Rows of one and of two columns come back from CSV as they were, whatever stands in their cells.

import FRPCore
import Testing

@testable import FRPRuntime

struct CSVRowsTests {
  /// A sort of cell, and values of it as JSON: each reads as another.
  private struct Sort {
    var type: TypeID
    var values: [String]
  }

  private struct Rows {
    var list: TypeID
    var sorts: [Sort]
    /// What stands around the cells of a row in JSON, and before each of them.
    var open = ""
    var close = ""
    var labels = ["", ""]
  }

  private static let texts = [
    #""""#, #"" ""#, #""  ""#, #""\t""#, #"" \t ""#, #""\n""#, #""\n\n""#, #""\r""#, #""\r\n""#, #"" \n ""#, #""\"""#,
    #""\"\"""#, #""\"\n""#, #"",""#, #""a""#, #"" a""#, #""a ""#, #""a,b""#, #""a\nb""#, #""NA""#, #""null""#, #""é""#,
    #""\uFEFF""#, #""\uFEFFa""#, #""\uFEFF\"a\"""#,
  ]

  private static func sorts(_ types: inout TypeTable) -> [Sort] {
    // An Option of a text without anything but blanks in it is None in CSV.
    let shown = texts.filter { !["", " ", "  ", "\\t", " \\t "].contains($0.dropFirst().dropLast()) }
    return [
      Sort(type: .string, values: texts), Sort(type: types.option(.string), values: ["null"] + shown),
      Sort(type: types.option(.int), values: ["null", "0", "-7"]), Sort(type: .unit, values: ["null"]),
      Sort(type: .float, values: ["0.5", "-1e300"]), Sort(type: types.option(.bool), values: ["null", "true"]),
      Sort(type: types.list(.int), values: ["[]", "[1,2]"]),
      Sort(type: types.json(), values: ["null", "1", #""1""#, "[]", "{}"] + texts),
    ]
  }

  /// Values by themselves, records of one field, and records and tuples of two.
  private static func rows(_ types: inout TypeTable) -> [Rows] {
    var rows: [Rows] = []
    let sorts = sorts(&types)
    for sort in sorts {
      rows.append(Rows(list: types.list(sort.type), sorts: [sort]))
      for name in ["a", "a b", " ", " a", "a\n", ",", "\u{FEFF}a"] {
        let record = types.intern(.record([FieldType(name, sort.type)]))
        let label = name == "a\n" ? #""a\n":"# : "\"\(name)\":"
        rows.append(Rows(list: types.list(record), sorts: [sort], open: "{", close: "}", labels: [label]))
      }
      for other in sorts {
        let record = types.intern(.record([FieldType("a", sort.type), FieldType("b", other.type)]))
        rows.append(
          Rows(
            list: types.list(record), sorts: [sort, other], open: "{", close: "}", labels: ["\"a\":", "\"b\":"]))
        let tuple = types.intern(.tuple([sort.type, other.type]))
        rows.append(Rows(list: types.list(tuple), sorts: [sort, other], open: "[", close: "]"))
      }
    }
    return rows
  }

  @Test func rowsComeBack() throws {
    var types = TypeTable()
    let rows = Self.rows(&types)
    let empty = types.intern(.record([]))
    let all = rows + [Rows(list: types.list(empty), sorts: [], open: "{", close: "}")]
    let codec = Codec(Heap(types: types))
    var random = SplitMix(seed: 19)
    for rows in all {
      for count in [1, 1, 2, 3, 5, 8, 13] {
        let values = (0..<count).map { _ in
          let cells = rows.sorts.enumerated().map { place, sort in
            rows.labels[place] + sort.values[random.int(0, sort.values.count - 1)]
          }
          return rows.open + cells.joined(separator: ",") + rows.close
        }
        try comesBack("[\(values.joined(separator: ","))]", rows.list, codec)
      }
    }
  }

  /// Writes a list that JSON says, and reads it.
  private func comesBack(_ json: String, _ list: TypeID, _ codec: Codec) throws {
    let read = try Array(json.utf8).withUnsafeBufferPointer { (text) throws(Fault) in
      try codec.decodeJSON(text, as: list)
    }
    let value = try #require(read, "\(json): \(codec.problem?.text ?? "")")
    let element = codec.heap.element(list)
    var out = StringBuilder()
    codec.appendCSVHeader(element, to: &out)
    for row in ListView(value) { try codec.encodeCSV(row, element, to: &out) }
    let shown = String(decoding: out.view, as: UTF8.self)
    let back = try codec.decodeCSVList(out.view, as: list, form: CSVForm())
    guard let back else {
      Issue.record("\(json) cannot be read: \(codec.problem?.text ?? "")\n\(shown)")
      return
    }
    #expect(codec.heap.equal(value, back, type: list), "\(json) is \(codec.source(back, list))\n\(shown)")
  }
}
