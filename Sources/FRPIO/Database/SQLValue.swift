// What SQLite holds.

import CSQLite

public enum SQLValue: Hashable, Sendable {
  case null
  case int(Int)
  case float(Double)
  case text(String)
  case blob([UInt8])
}

/// The answer to a query.
public struct SQLRows: Hashable, Sendable {
  public var columns: [String] = []
  /// Each as long as `columns`.
  public var rows: [[SQLValue]] = []
}

extension SQLValue {
  /// Of a row that was just stepped to.
  init(_ statement: OpaquePointer, column: Int32) throws(IOError) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: self = .int(Int(sqlite3_column_int64(statement, column)))
    case SQLITE_FLOAT: self = .float(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let bytes = UnsafeRawBufferPointer(
        start: sqlite3_column_text(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
      guard let text = String(validating: bytes, as: UTF8.self) else {
        let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? ""
        throw IOError("the text in the column \(name) is not UTF-8")
      }
      self = .text(text)
    case SQLITE_BLOB:
      let bytes = UnsafeRawBufferPointer(
        start: sqlite3_column_blob(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
      self = .blob(Array(bytes))
    default: self = .null
    }
  }

  /// A code of SQLite.
  func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 {
    switch self {
    case .null: return sqlite3_bind_null(statement, index)
    case .int(let value): return sqlite3_bind_int64(statement, index, sqlite3_int64(value))
    case .float(let value): return sqlite3_bind_double(statement, index, value)
    case .text(var text):
      return text.withUTF8 { csqlite_bind_text(statement, index, $0.baseAddress, sqlite3_uint64($0.count)) }
    case .blob(let bytes):
      return bytes.withUnsafeBytes { csqlite_bind_blob(statement, index, $0.baseAddress, sqlite3_uint64($0.count)) }
    }
  }

  /// About how much memory it takes.
  var size: Int {
    switch self {
    case .text(let text): 32 + text.utf8.count
    case .blob(let bytes): 32 + bytes.count
    default: 16
    }
  }
}
