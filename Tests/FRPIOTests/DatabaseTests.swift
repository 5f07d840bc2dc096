import Glibc
import Synchronization
import Testing

@testable import FRPIO

@Suite struct DatabaseTests {
  let folder = Folder()

  func databases(_ grants: [(Grants.Kind, String)] = [(.read, "."), (.write, ".")]) throws -> Databases {
    Databases(try folder.access(grants))
  }

  @Test func typedValues() throws {
    let databases = try databases()
    #expect(SQL(databases).exec("CREATE TABLE t (a, b, c, d, e)") == "0")
    let values: [String: SQLValue] = [
      "a": .null, "b": .int(.min), "c": .float(0.1), "d": .text("é'\"; DROP TABLE t; --\0x"), "e": .blob([0, 1, 255]),
      "unused": .int(1),
    ]
    #expect(SQL(databases).exec("INSERT INTO t VALUES (:a, :b, :c, :d, :e)", values) == "1")
    #expect(
      SQL(databases).exec(
        "INSERT INTO t VALUES (:a, :a, :b, :d, :e)", ["a": .text(""), "b": .float(.nan), "d": .blob([]), "e": .int(7)])
        == "1")
    let rows = try SQL(databases).query("SELECT a, b, c, d AS \"the d\", e, typeof(a) FROM t").get()
    #expect(rows.columns == ["a", "b", "c", "the d", "e", "typeof(a)"])
    #expect(
      rows.rows == [
        [.null, .int(.min), .float(0.1), .text("é'\"; DROP TABLE t; --\0x"), .blob([0, 1, 255]), .text("null")],
        [.text(""), .text(""), .null, .blob([]), .int(7), .text("text")],
      ])
    #expect(try SQL(databases).query("SELECT * FROM t WHERE b = :b", ["b": .int(.min)]).get().rows.count == 1)
    #expect(SQL(databases).exec("UPDATE t SET a = @a", ["a": .int(1)]) == "2")
    #expect(SQL(databases).exec("DELETE FROM t WHERE a = $a", ["a": .int(2)]) == "0")
  }

  @Test func settings() throws {
    let databases = try databases()
    #expect(SQL(databases).exec("CREATE TABLE t (a)") == "0")
    #expect(SQL(databases).rows("PRAGMA journal_mode") == [[.text("wal")]])
    #expect(SQL(databases).rows("PRAGMA synchronous") == [[.int(2)]])
    #expect(SQL(databases).rows("PRAGMA temp_store") == [[.int(2)]])
    #expect(SQL(databases).rows("PRAGMA trusted_schema") == [[.int(0)]])
  }

  @Test func whatIsWrong() throws {
    let databases = try databases()
    _ = SQL(databases).exec("CREATE TABLE t (a UNIQUE)")
    for (sql, message) in [
      ("SELEC", "a.db: near \"SELEC\": syntax error"), ("INSERT INTO u VALUES (1)", "a.db: no such table: u"),
      ("INSERT INTO t VALUES (:b)", "a.db: there is no value for :b"),
      ("INSERT INTO t VALUES (?)", "a.db: a parameter has a name, as :name, and not ?"),
      ("", "a.db: there is no statement"), (" -- nothing", "a.db: there is no statement"),
      ("SELECT 1\0", "a.db: the statement contains a NUL"),
      ("BEGIN; INSERT INTO t VALUES (9)", "a.db: a transaction ends with the call that began it"),
    ] { #expect(SQL(databases).exec(sql) == message) }
    #expect(SQL(databases).query("SELECT 1; SELECT 2").message == "a.db: a query is one statement")
    #expect(
      SQL(databases).query("SELECT 1 AS id, 2 AS x, 3 AS id").message
        == "a.db: the answer has the column id twice: `as` gives one of them another name")
    #expect(SQL(databases).query("SELECT 1; -- and no more\n ;").message == nil)
    #expect(
      SQL(databases).query("SELECT randomblob(1000)", limit: 999).message == "larger than 999 bytes: answer of a.db")
    #expect(
      SQL(databases).query(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n", limit: 1 << 20
      ).message
        == "larger than 1 MiB: answer of a.db")
    #expect(SQL(databases).rows("SELECT count(*) FROM t") == [[.int(0)]])
    folder.write("text", "This is not a database, but a text of some length; it has nothing that SQLite would know.")
    #expect(SQL(databases).query("SELECT * FROM sqlite_schema", path: "text").message == "text: file is not a database")
    folder.make("d")
    #expect(SQL(databases).exec("CREATE TABLE t (a)", path: "d") == "it is a directory: d")
  }

  /// What was done under a name gives what it gave, and is not done again; what failed was not done.
  @Test func once() throws {
    let databases = try databases()
    _ = SQL(databases).exec("CREATE TABLE t (a UNIQUE)")
    func exec(_ sql: String, _ number: Int, settled: Int = 0, of run: String = "r") -> String {
      SQL(databases).exec(sql, once: SQLCall(run: run, number: number, settled: settled))
    }
    let insert = "INSERT INTO t VALUES (abs(random())); INSERT INTO t VALUES (abs(random()))"
    #expect(exec(insert, 3) == "2")
    #expect(exec(insert, 3) == "2")
    #expect(exec(insert, 3, of: "s") == "2")
    #expect(exec("INSERT INTO t VALUES (7)", 4) == "1")
    #expect(exec("INSERT INTO t VALUES (8); INSERT INTO t VALUES (7)", 5) == "a.db: UNIQUE constraint failed: t.a")
    #expect(exec("INSERT INTO t VALUES (8)", 5) == "1")
    // What ends a transaction itself, and what is in none, is done as it says.
    #expect(exec("INSERT INTO t VALUES (9); COMMIT", 6) == "1")
    #expect(exec("PRAGMA user_version = 3", 7) == "0")
    #expect(exec("BEGIN; INSERT INTO t VALUES (10)", 8) == "a.db: a transaction ends with the call that began it")
    #expect(SQL(databases).rows("SELECT count(*) FROM t") == [[.int(7)]])
    let names = "SELECT call FROM frp_calls WHERE run = 'r' ORDER BY call"
    #expect(SQL(databases).rows(names) == [[.int(3)], [.int(4)], [.int(5)]])
    #expect(exec("DELETE FROM t WHERE a = 7", 9, settled: 4) == "1")
    #expect(SQL(databases).rows(names) == [[.int(5)], [.int(9)]])
    #expect(SQL(databases).rows("SELECT count(*) FROM frp_calls WHERE run = 's'") == [[.int(1)]])
  }

  /// Several statements are one transaction, whatever fails.
  @Test func wholeOrNothing() throws {
    let databases = try databases()
    #expect(
      SQL(databases).exec(
        "CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (:a); INSERT INTO t VALUES (2)", ["a": .int(1)]) == "2")
    #expect(
      SQL(databases).exec("INSERT INTO t VALUES (3); INSERT INTO t VALUES (1)") == "a.db: UNIQUE constraint failed: t.a"
    )
    #expect(SQL(databases).exec("INSERT INTO t VALUES (4); SELEC") == "a.db: near \"SELEC\": syntax error")
    #expect(
      SQL(databases).exec("BEGIN; INSERT INTO t VALUES (5); INSERT INTO t VALUES (1); COMMIT")
        == "a.db: UNIQUE constraint failed: t.a")
    #expect(SQL(databases).exec("BEGIN; INSERT INTO t VALUES (6); COMMIT") == "1")
    #expect(SQL(databases).exec("VACUUM; PRAGMA optimize") == "0")
    #expect(SQL(databases).rows("SELECT a FROM t ORDER BY a") == [[.int(1)], [.int(2)], [.int(6)]])
  }

  @Test func grants() throws {
    let both = try databases()
    _ = SQL(both).exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    _ = SQL(both).exec("CREATE TABLE secret (a); INSERT INTO secret VALUES (42)", path: "other.db")
    _ = SQL(both).exec("PRAGMA journal_mode = DELETE")
    let reading = try databases([(.read, "a.db")])
    #expect(SQL(reading).rows("SELECT a FROM t") == [[.int(1)]])
    #expect(SQL(reading).exec("INSERT INTO t VALUES (2)") == "not granted: write a.db")
    #expect(
      SQL(reading).query("INSERT INTO t VALUES (2) RETURNING a").message == "a.db: attempt to write a readonly database"
    )
    #expect(SQL(reading).query("SELECT 1", path: "other.db").message == "not granted: read other.db")
    #expect(SQL(reading).query("SELECT 1", path: "none/../none.db").message == "not granted: read none/../none.db")
    let none = try databases([(.read, "none.db")])
    #expect(SQL(none).query("SELECT 1", path: "none.db").message == "no such file: none.db")
    let writing = try databases([(.write, "a.db")])
    #expect(SQL(writing).exec("INSERT INTO t VALUES (3)") == "1")
    #expect(SQL(writing).query("SELECT a FROM t").message == "not granted: read a.db")
    // It has become a WAL again.
    let later = try databases([(.read, "a.db")])
    #expect(
      SQL(later).query("SELECT 1").message == "not granted: write a.db, which its readers need as well: it has a WAL")
  }

  private func exec(_ sql: String, databases: Databases) -> String { SQL(databases).exec(sql) }

  /// Other files, by whatever a statement may say.
  @Test(arguments: [
    "ATTACH 'other.db' AS o", "ATTACH DATABASE '/proc/self/fd/3/other.db' AS o", "ATTACH 'file:other.db' AS o",
    "VACUUM INTO 'copy.db'",
    "VACUUM main INTO '/tmp/copy.db'", "SELECT load_extension('x')", "SELECT readfile('/etc/passwd')",
    "SELECT writefile('x', 'y')",
    "ATTACH ':memory:' AS o", "CREATE VIRTUAL TABLE v USING csv(filename='/etc/passwd')",
    "SELECT fts3_tokenizer('simple', x'00')",
  ])
  func otherFiles(_ sql: String) throws {
    let databases = try databases()
    _ = SQL(databases).exec("CREATE TABLE secret (a)", path: "other.db")
    _ = SQL(databases).exec("CREATE TABLE t (a)")
    let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    let sql = sql.replacing("fd/3", with: "fd/\(descriptor)")
    #expect(Int(SQL(databases).exec(sql)) == nil, "\(SQL(databases).exec(sql))")
    #expect(folder.read("copy.db") == nil && access("/tmp/copy.db", F_OK) != 0)
  }

  /// The directory is renamed, and another file takes the name: each call is about what is there.
  @Test func movedFiles() throws {
    folder.make("d")
    let databases = try databases([(.read, "d"), (.write, "d")])
    #expect(SQL(databases).exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)", path: "d/a.db") == "1")
    rename(folder.file("d"), folder.file("e"))
    #expect(SQL(databases).exec("INSERT INTO t VALUES (2)", path: "d/a.db") == "1")
    #expect(try SQL(databases).query("SELECT count(*) FROM t", path: "d/a.db").get().rows == [[.int(2)]])
    for name in ["a.db", "a.db-wal", "a.db-shm"] { unlink(folder.file("e/\(name)")) }
    #expect(SQL(databases).query("SELECT * FROM t", path: "d/a.db").message == "no such file: d/a.db")
    #expect(SQL(databases).exec("CREATE TABLE t (a)", path: "d/a.db") == "0")
    folder.link("e/link.db", to: "a.db")
    #expect(SQL(databases).exec("INSERT INTO t VALUES (3)", path: "d/link.db") == "1")
    #expect(try SQL(databases).query("SELECT a FROM t", path: "d/a.db").get().rows == [[.int(3)]])
    folder.link("e/out.db", to: "../out.db")
    #expect(SQL(databases).exec("CREATE TABLE t (a)", path: "d/out.db") == "not granted: write d/out.db")
  }

  /// What takes for ever is given up, and the next call finds everything as it was.
  @Test func cancelling() throws {
    let databases = try databases()
    _ = SQL(databases).exec("CREATE TABLE t (a)")
    let log = Log<Int>()
    let endless = "INSERT INTO t WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    for sql in [endless, "INSERT INTO t VALUES (0); \(endless)"] {
      let operation = databases.exec("a.db", sql, parameters: [:]) { _ in log.add(1) }
      usleep(100_000)
      operation.cancel()
      #expect(SQL(databases).rows("SELECT count(*) FROM t") == [[.int(0)]])
    }
    #expect(log.all == [])
  }

  /// Another connection holds the lock for a while.
  @Test func locks() throws {
    let (first, second) = (try databases(), try databases())
    _ = SQL(first).exec("CREATE TABLE t (a)")
    let log = Log<String>()
    // Counting for a while within a transaction.
    _ = first.exec(
      "a.db",
      "INSERT INTO t VALUES (1); UPDATE t SET a = (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000000) SELECT max(x) FROM n)",
      parameters: [:]
    ) { log.add("first \((try? $0.get()) ?? -1)") }
    usleep(50_000)
    _ = second.exec("a.db", "INSERT INTO t VALUES (2)", parameters: [:]) { log.add("second \((try? $0.get()) ?? -1)") }
    #expect(log.wait { $0.count == 2 } == ["first 2", "second 1"])
    #expect(SQL(second).rows("SELECT a FROM t ORDER BY a") == [[.int(2)], [.int(1_000_000)]])
  }

  /// More statements than are kept, and one that is used again after the table has changed.
  @Test func preparedStatements() throws {
    let databases = try databases()
    _ = SQL(databases).exec("CREATE TABLE t (a)")
    for number in 0..<200 { #expect(SQL(databases).exec("INSERT INTO t VALUES (\(number))") == "1") }
    #expect(try SQL(databases).query("SELECT * FROM t").get().columns == ["a"])
    _ = SQL(databases).exec("ALTER TABLE t ADD COLUMN b DEFAULT 7")
    let rows = try SQL(databases).query("SELECT * FROM t").get()
    #expect(rows.columns == ["a", "b"] && rows.rows.count == 200 && rows.rows.first == [.int(0), .int(7)])
    #expect(try SQL(databases).query("SELECT '\u{E9}' AS x").get().rows == [[.text("\u{E9}")]])
    #expect(
      try Array(SQL(databases).query("SELECT 'e\u{301}' AS x").get().rows.map { $0.map(\.utf8) }) == [
        [Array("e\u{301}".utf8)]
      ])
  }
}

extension SQLValue {
  fileprivate var utf8: [UInt8] { if case .text(let text) = self { Array(text.utf8) } else { [] } }
}

/// Calls that are waited for.
private struct SQL {
  let databases: Databases

  init(_ databases: Databases) { self.databases = databases }

  /// How many rows were changed, or what is wrong.
  func exec(
    _ sql: String, _ parameters: [String: SQLValue] = [:], path: String = "a.db", once call: SQLCall? = nil
  ) -> String {
    switch result({ databases.exec(path, sql, parameters: parameters, once: call, completion: $0) }) {
    case .success(let changed): "\(changed)"
    case .failure(let error): error.message
    }
  }

  func query(
    _ sql: String, _ parameters: [String: SQLValue] = [:], path: String = "a.db", limit: Int = Databases.limit
  ) -> Result<SQLRows, IOError> {
    result { databases.query(path, sql, parameters: parameters, limit: limit, completion: $0) }
  }

  func rows(_ sql: String) -> [[SQLValue]]? { try? query(sql).get().rows }
}
