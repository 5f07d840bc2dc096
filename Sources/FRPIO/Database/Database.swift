// One connection to SQLite, used by one thread.

import CSQLite
import Glibc

package final class Database {
  let identity: FileIdentity?
  /// Whether somebody still waits for what is under way.
  var isWanted: () -> Bool = { true }

  private let handle: OpaquePointer
  private let path: String
  /// Held as long as the connection, which finds its journals by it.
  private let directory: Descriptor
  /// What was prepared, the one that was used longest ago first.
  private var statements: [(sql: String, statement: Statement)] = []

  private static let mostStatements = 64
  /// Milliseconds for others' locks.
  private static let patience = 5000
  /// Steps of SQLite's machine between two looks whether the call is still wanted: some ten microseconds.
  private static let steps: Int32 = 1000

  /// An exclusive one takes its locks once, and keeps them: nobody else reads the file meanwhile, and no commit can wait for a lock.
  convenience init(_ spot: Spot, _ path: String, canWrite: Bool, isExclusive: Bool = false) throws(IOError) {
    let flags = canWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
    var opened: OpaquePointer?
    let code = spot.directory.with { csqlite_open($0, spot.name.systemName, flags, &opened) }
    try self.init(opened, code, spot, path, canWrite: canWrite, isExclusive: isExclusive)
  }

  /// To look at one that nobody else has: nothing changes in its directory.
  convenience init(lookingAt spot: Spot, _ path: String, hasLog: Bool) throws(IOError) {
    var opened: OpaquePointer?
    let code = spot.directory.with { csqlite_look($0, spot.name.systemName, hasLog, &opened) }
    try self.init(opened, code, spot, path, canWrite: false, isExclusive: true)
  }

  private init(
    _ opened: OpaquePointer?, _ code: Int32, _ spot: Spot, _ path: String, canWrite: Bool, isExclusive: Bool
  ) throws(IOError) {
    guard let handle = opened else { throw IOError("\(path): \(String(cString: sqlite3_errstr(code)))") }
    var status = stat()
    let exists = spot.directory.with { fstatat($0, spot.name.systemName, &status, AT_SYMLINK_NOFOLLOW) } == 0
    (self.handle, self.path, directory) = (handle, path, spot.directory)
    // SQLite makes the file when it first writes; that of the other names is looked at by the caller.
    identity = exists ? status.identity : nil
    if code != SQLITE_OK { throw problem() }
    csqlite_defend(handle)
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(handle, Self.steps, { context in Database.of(context).isWanted() ? 0 : 1 }, context)
    sqlite3_busy_handler(handle, { context, count in Database.of(context).waits(count) ? 1 : 0 }, context)
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(Databases.limit))
    var settings = ["PRAGMA temp_store = MEMORY"]
    // Before the log is opened, so that its index is in this process's memory.
    if isExclusive { settings.append("PRAGMA locking_mode = EXCLUSIVE") }
    if canWrite { settings += ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"] }
    for setting in settings { try run(setting) }
  }

  /// A file in a directory, both by their names: for whoever has no grants to look at.
  package convenience init(_ name: String, in directory: String) throws(IOError) {
    let opened = try Descriptor.open(PathName(directory), O_RDONLY | O_DIRECTORY, called: directory)
    try self.init(Spot(directory: opened, name: Array(name.utf8)), "\(directory)/\(name)", canWrite: true)
  }

  deinit {
    statements = []
    csqlite_close(handle)
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Database {
    guard let context else { preconditionFailure("a handler without its database") }
    return Unmanaged<Database>.fromOpaque(context).takeUnretainedValue()
  }

  private func waits(_ count: Int32) -> Bool {
    let pause = min(20, Int(count) + 1)
    // 1, 2, … 20 milliseconds, then 20 each.
    let waited = count < 20 ? Int(count) * (Int(count) + 1) / 2 : 210 + 20 * (Int(count) - 20)
    if waited >= Self.patience || !isWanted() { return false }
    usleep(UInt32(pause) * 1000)
    return true
  }

  fileprivate func problem() -> IOError { IOError("\(path): \(String(cString: sqlite3_errmsg(handle)))") }
}

/// A statement, prepared.
private final class Statement {
  let statement: OpaquePointer
  /// What stands behind it in the text.
  let rest: String

  /// Nil where the text is blank.
  init?(_ database: Database, _ handle: OpaquePointer, _ sql: String) throws(IOError) {
    var prepared: OpaquePointer?
    var rest = ""
    let code = sql.withCString { text in
      var tail: UnsafePointer<CChar>?
      defer { rest = tail.map { String(cString: $0) } ?? "" }
      return sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, &tail)
    }
    if code != SQLITE_OK { throw database.problem() }
    guard let prepared else { return nil }
    (statement, self.rest) = (prepared, rest)
  }

  deinit { sqlite3_finalize(statement) }
}

extension Database {
  package func query(_ sql: String, _ parameters: [String: SQLValue], limit: Int) throws(IOError) -> SQLRows {
    let first = try prepared(sql)
    if !isBlank(first.rest) { throw IOError("\(path): a query is one statement") }
    let statement = first.statement
    defer { reset(statement) }
    try bind(statement, parameters)
    var result = SQLRows()
    var size = 0
    var isTooLarge = false
    var problem: IOError?
    try step(statement) {
      var row: [SQLValue] = []
      for column in 0..<sqlite3_column_count(statement) {
        do throws(IOError) { row.append(try SQLValue(statement, column: column)) } catch {
          problem = IOError("\(path): \(error.message)")
          return false
        }
      }
      size += row.reduce(32) { $0 + $1.size }
      isTooLarge = size > limit
      result.rows.append(row)
      return !isTooLarge
    }
    if let problem { throw problem }
    if isTooLarge { throw IOError(tooLarge: "answer of \(path)", limit) }
    // Only now: the first step prepares it again where a table has changed.
    result.columns = (0..<sqlite3_column_count(statement)).map { column in
      sqlite3_column_name(statement, column).map { String(cString: $0) } ?? ""
    }
    try checkDone()
    var names: Set<String> = []
    if let name = result.columns.first(where: { !names.insert($0).inserted }) {
      throw IOError("\(path): the answer has the column \(name) twice: `as` gives one of them another name")
    }
    return result
  }

  func exec(_ sql: String, _ parameters: [String: SQLValue]) throws(IOError) -> Int {
    let before = sqlite3_total_changes64(handle)
    do throws(IOError) { try runAll(sql, parameters) } catch {
      // What fails in the middle takes back what was done before.
      rollBack()
      throw error
    }
    try checkDone()
    return Int(sqlite3_total_changes64(handle) - before)
  }

  /// The same, unless it was done under this name before: then what it gave.
  package func exec(_ sql: String, _ parameters: [String: SQLValue], once call: SQLCall) throws(IOError) -> Int {
    do throws(IOError) {
      try run("BEGIN IMMEDIATE")
      let former = try known(call)
      let changed = if let former { former } else { try done(sql, parameters, call) }
      // The text may have ended the transaction itself: then nothing is known of it.
      if sqlite3_get_autocommit(handle) == 0 { try run("COMMIT") }
      return changed
    } catch {
      rollBack()
      throw error
    }
  }

  /// What a call gave that was made before.
  private func known(_ call: SQLCall) throws(IOError) -> Int? {
    try run(
      "CREATE TABLE IF NOT EXISTS frp_calls(run TEXT, call INTEGER, changed INTEGER, PRIMARY KEY(run, call)) WITHOUT ROWID",
      [:])
    let statement = try prepared("SELECT changed FROM frp_calls WHERE run = :run AND call = :call").statement
    defer { reset(statement) }
    try bind(statement, ["run": .text(call.run), "call": .int(call.number)])
    var changed: Int?
    try step(statement) {
      if case .int(let count)? = try? SQLValue(statement, column: 0) { changed = count }
      return true
    }
    return changed
  }

  /// Makes a call, and leaves its name.
  private func done(_ sql: String, _ parameters: [String: SQLValue], _ call: SQLCall) throws(IOError) -> Int {
    let before = sqlite3_total_changes64(handle)
    try runStatements(sql, parameters)
    let changed = Int(sqlite3_total_changes64(handle) - before)
    if sqlite3_get_autocommit(handle) != 0 { return changed }
    try run(
      "INSERT INTO frp_calls VALUES (:run, :call, :changed)",
      ["run": .text(call.run), "call": .int(call.number), "changed": .int(changed)])
    try run(
      "DELETE FROM frp_calls WHERE run = :run AND call <= :settled",
      ["run": .text(call.run), "settled": .int(call.settled)])
    return changed
  }

  private func run(_ sql: String, _ parameters: [String: SQLValue]) throws(IOError) {
    try run(try prepared(sql).statement, parameters)
  }

  private func runAll(_ sql: String, _ parameters: [String: SQLValue]) throws(IOError) {
    let isOne = isBlank(try prepared(sql).rest)
    if isOne || begins(sql) { return try runStatements(sql, parameters) }
    try run("BEGIN IMMEDIATE")
    try runStatements(sql, parameters)
    if sqlite3_get_autocommit(handle) == 0 { try run("COMMIT") }
  }

  /// One after the other. What stands behind the first is prepared when it is its turn: it may need what stands before it.
  private func runStatements(_ sql: String, _ parameters: [String: SQLValue]) throws(IOError) {
    let first = try prepared(sql)
    try run(first.statement, parameters)
    if isBlank(first.rest) { return }
    var rest = first.rest
    while let next = try anew(rest) {
      try run(next.statement, parameters)
      rest = next.rest
    }
  }

  /// Whether a text cares for its transactions itself, or is of those that may not be in one.
  func begins(_ sql: String) -> Bool {
    let word = sql.drop { $0.isWhitespace }.prefix { $0.isLetter }.uppercased()
    return ["BEGIN", "SAVEPOINT", "PRAGMA", "VACUUM"].contains(word)
  }

  /// Whether a text has nothing but blanks, semicolons and comments. It is not prepared: what stands there may need what
  /// stands before it.
  private func isBlank(_ sql: String) -> Bool {
    var rest = sql.utf8[...]
    while let first = rest.first {
      if first == 0x3B || first == 0x20 || 0x09...0x0D ~= first {
        rest = rest.dropFirst()
      } else if rest.starts(with: "--".utf8) {
        rest = rest.drop { $0 != 0x0A }
      } else if rest.starts(with: "/*".utf8) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
        rest = rest.dropFirst(2)
      } else {
        return false
      }
    }
    return true
  }

  /// A transaction that is left open would hold the calls of others.
  private func checkDone() throws(IOError) {
    if sqlite3_get_autocommit(handle) != 0 { return }
    rollBack()
    throw IOError("\(path): a transaction ends with the call that began it")
  }

  private func rollBack() {
    isWanted = { true }
    if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
  }

  private func run(_ sql: String) throws(IOError) {
    if let statement = try Statement(self, handle, sql) { try step(statement.statement) { true } }
  }

  private func run(_ statement: OpaquePointer, _ parameters: [String: SQLValue]) throws(IOError) {
    defer { reset(statement) }
    try bind(statement, parameters)
    try step(statement) { true }
  }

  private func prepared(_ sql: String) throws(IOError) -> Statement {
    if sql.utf8.contains(0) { throw IOError("\(path): the statement contains a NUL") }
    if let index = statements.lastIndex(where: { $0.sql.utf8.elementsEqual(sql.utf8) }) {
      statements.append(statements.remove(at: index))
    } else {
      guard let made = try anew(sql) else { throw IOError("\(path): there is no statement") }
      statements.append((sql, made))
      if statements.count > Self.mostStatements { statements.removeFirst() }
    }
    return statements[statements.count - 1].statement
  }

  /// Where it cannot be prepared, another process may have changed the tables: they are looked at again, once.
  private func anew(_ sql: String) throws(IOError) -> Statement? {
    do throws(IOError) { return try Statement(self, handle, sql) } catch {
      // The first step of what reads a table finds that the schema has changed.
      try? run("SELECT 1 FROM sqlite_schema LIMIT 1")
      return try Statement(self, handle, sql)
    }
  }

  private func bind(_ statement: OpaquePointer, _ parameters: [String: SQLValue]) throws(IOError) {
    for index in 0..<sqlite3_bind_parameter_count(statement) {
      guard let name = sqlite3_bind_parameter_name(statement, index + 1) else {
        throw IOError("\(path): a parameter has a name, as :name, and not ?")
      }
      let text = String(cString: name).dropFirst()
      guard let value = parameters[String(text)] else { throw IOError("\(path): there is no value for :\(text)") }
      if value.bind(to: statement, index + 1) != SQLITE_OK { throw problem() }
    }
  }

  private func reset(_ statement: OpaquePointer) {
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
  }

  /// Calls `body` for each row, until it has enough.
  private func step(_ statement: OpaquePointer, _ body: () -> Bool) throws(IOError) {
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: if !body() { return }
      case SQLITE_DONE: return
      default: throw problem()
      }
    }
  }
}
