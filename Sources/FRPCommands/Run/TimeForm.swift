// A time that is written over several fields of a line: `--time 'e={year}-{month}-{day} {hour}:{minute}'`.

import FRPRuntime

/// What stands between fields, and which these are. A number of one digit gets a 0 before it, as moments are written.
final class TimeForm {
  /// By field: the text before it, its name, and where that is in JSON.
  private var fields: [(before: [UInt8], name: String, path: FieldPath)] = []
  private var end: [UInt8] = []
  /// The columns of the fields, once the first line of CSV is read.
  private(set) var columns: [Int] = []
  private var text = StringBuilder()

  /// nil for the name of a field.
  init?(_ text: String) {
    var before: [UInt8] = []
    var rest = text.utf8[...]
    while let next = rest.popFirst() {
      guard next == UInt8(ascii: "{"), let close = rest.firstIndex(of: UInt8(ascii: "}")) else {
        before.append(next)
        continue
      }
      let name = String(decoding: rest[..<close], as: UTF8.self)
      fields.append((before, name, FieldPath(name)))
      before = []
      rest = rest[close...].dropFirst()
    }
    if fields.isEmpty { return nil }
    end = before
  }

  /// Finds the columns; gives the first that is not there.
  func findColumns(_ column: (String) -> Int?) -> String? {
    let found = fields.map { column($0.name) }
    columns = found.compactMap { $0 }
    guard let missing = found.firstIndex(of: nil) else { return nil }
    columns = []
    return fields[missing].name
  }

  /// The time as one text, nil where a field has none; valid until the next one.
  func text(_ value: (_ path: FieldPath, _ place: Int) -> Bytes?) -> Bytes? {
    text.removeAll()
    for (place, field) in fields.enumerated() {
      guard let value = value(field.path, place), !value.isEmpty else { return nil }
      field.before.withUnsafeBufferPointer { text.append($0) }
      if value.count == 1, 0x30...0x39 ~= value[0] { text.append(byte: 0x30) }
      text.append(value)
    }
    end.withUnsafeBufferPointer { text.append($0) }
    return text.view
  }
}
