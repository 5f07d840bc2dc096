// Db: SQLite.

import FRP
import FRPIO

extension World {
  var db: HostModule {
    let databases = databases
    return HostModule("Db", help: "SQLite. A record of parameters binds `:names`; `{}` is none.") { module in
      module.operation(
        "query(file: String, sql: String, parameters: p): Task<List<a>>", decodes: true,
        help:
          "The rows of a statement, as records with a field for each column. SQLite has no truths: a Bool that went in comes out as the Int 0 or 1."
      ) { call in
        let parameters = call.sqlParameters(2)
        return calling({ databases.query(call.text(0), call.text(1), parameters: parameters, completion: $0) }) {
          (rows: SQLRows) in
          .success(.body(rows.json))
        }
      }
      module.operation(
        "exec(file: String, sql: String, parameters: p): Task<{changed: Int}>",
        help:
          "Runs one statement or several, as one transaction; once, also where a run with a journal is killed meanwhile."
      ) { call in
        let parameters = call.sqlParameters(2)
        let key = call.key.map { SQLCall(run: $0.run, number: $0.number, settled: $0.settled) }
        return calling({ databases.exec(call.text(0), call.text(1), parameters: parameters, once: key, completion: $0) }
        ) {
          (changed: Int) in
          .success(.value(.record(["changed": .integer(changed)])))
        }
      }
    }
  }
}

extension HostCall {
  fileprivate func sqlParameters(_ place: Int) -> [String: SQLValue] {
    guard case .record(let fields) = arguments[place] else { return [:] }
    return fields.mapValues(\.sql)
  }
}

extension FrpValue {
  /// As SQLite keeps it: truths are 0 and 1, what is not there is NULL, and what has parts is JSON.
  fileprivate var sql: SQLValue {
    switch self {
    case .unit, .tagged("None", []): .null
    case .bool(let flag): .int(flag ? 1 : 0)
    case .integer(let number): .int(number)
    case .number(let number): .float(number)
    case .text(let text): .text(text)
    case .tagged("Some", let parts) where parts.count == 1: parts[0].sql
    case .list, .map, .record, .tagged: .text(json)
    }
  }
}

extension SQLRows {
  /// A list of objects.
  fileprivate var json: String {
    FrpValue.list(rows.map { row in .record(Dictionary(zip(columns, row.map(\.value))) { first, _ in first }) }).json
  }
}

extension SQLValue {
  fileprivate var value: FrpValue {
    switch self {
    case .null: .unit
    case .int(let number): .integer(number)
    case .float(let number): .number(number)
    case .text(let text): .text(text)
    case .blob(let bytes): .list(bytes.map { .integer(Int($0)) })
    }
  }
}
