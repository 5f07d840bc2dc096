// The journal of a run that outlives its process: batches of lines, and states to begin from, in one database of SQLite.
//
// Rules
// - One run at a time has a journal: its directory is locked as long as the store is open.
// - What `append` and `begin` were given is on the disk when they return (WAL, synchronous FULL), whole or not at all.
// - Each row has a checksum of its own beside those of SQLite's log, since the database's pages have none. It is of where the
//   row stands, too, and of how many rows a state has: a row under another name, or one that is gone, is damage like another byte.
//
// Source: the write-ahead log of databases (Mohan et al., ARIES, 1992), with snapshots in the place of pages.

import CLinux
import Glibc

/// The lines and states of one run.
public final class JournalStore {
  /// A state to begin from: named parts of bytes, and the number of the last batch that it holds.
  public struct Point: Sendable {
    public var batch: Int
    public var parts: [String: [UInt8]]

    public init(batch: Int, parts: [String: [UInt8]]) { (self.batch, self.parts) = (batch, parts) }
  }

  private let database: Database
  /// Holds the lock.
  private let directory: Descriptor
  private let path: String
  /// The number of the newest batch.
  public private(set) var last = 0

  private static let file = "journal.sqlite"
  /// What the database says it is, by SQLite's `application_id`: "frpj".
  private static let mark = 0x6672_706A
  private static let version = 2
  /// Bytes of a row: SQLite's own limit is set to 64 MiB.
  private static let piece = 16 << 20
  /// Batches that are read at a time.
  private static let group = 64

  /// Opens the journal in a directory, which is made where there is none. Throws where another run has it, or where it is no
  /// journal, or damaged.
  public init(_ path: String) throws(IOError) {
    self.path = path
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw IOError(errno, path) }
    let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if opened < 0 { throw IOError(errno, path) }
    directory = Descriptor(opened)
    let code = directory.with { flock($0, LOCK_EX | LOCK_NB) == 0 ? 0 : errno }
    if code == EWOULDBLOCK { throw IOError("another run has the journal \(path)") }
    if code != 0 { throw IOError(code, path) }
    let spot = Spot(directory: directory, name: Array(Self.file.utf8))
    database = try Database(spot, "\(path)/\(Self.file)", canWrite: true)
    try prepare()
    last = max(try number("SELECT max(seq) FROM batch") ?? 0, try number("SELECT max(batch) FROM point") ?? 0)
  }

  /// Whether a directory has a journal.
  public static func exists(_ path: String) -> Bool { access("\(path)/\(file)", F_OK) == 0 }

  private func prepare() throws(IOError) {
    let mark = try number("PRAGMA application_id") ?? 0
    let version = try number("PRAGMA user_version") ?? 0
    if mark == 0, try number("SELECT count(*) FROM sqlite_schema") == 0 {
      _ = try database.exec(
        """
        BEGIN;
        CREATE TABLE batch(seq INTEGER PRIMARY KEY, crc INTEGER NOT NULL, lines BLOB NOT NULL);
        CREATE TABLE point(batch INTEGER NOT NULL, name TEXT NOT NULL, piece INTEGER NOT NULL, crc INTEGER NOT NULL,
          bytes BLOB NOT NULL, PRIMARY KEY(batch, name, piece)) WITHOUT ROWID;
        PRAGMA application_id = \(Self.mark);
        PRAGMA user_version = \(Self.version);
        COMMIT;
        """, [:])
    } else if mark != Self.mark {
      throw IOError("\(path): this is no journal")
    } else if version != Self.version {
      throw IOError("\(path): the journal has the version \(version), and this program knows \(Self.version)")
    }
  }

  private func number(_ sql: String) throws(IOError) -> Int? {
    if case .int(let value)? = try database.query(sql, [:], limit: 1 << 20).rows.first?.first { value } else { nil }
  }

  private func damaged(_ what: String) -> IOError { IOError("\(path): the journal is damaged: \(what)") }

  // MARK: Reading

  /// The state to begin from; nil where nothing has begun.
  public func point() throws(IOError) -> Point? {
    guard let batch = try number("SELECT max(batch) FROM point") else { return nil }
    let heads = try database.query(
      "SELECT name, piece, crc FROM point WHERE batch = :batch ORDER BY name, piece", ["batch": .int(batch)],
      limit: 1 << 20)
    if try number("SELECT count(*) FROM point") != heads.rows.count { throw damaged("a state") }
    var point = Point(batch: batch, parts: [:])
    for row in heads.rows {
      guard case .text(let name) = row[0], case .int(let piece) = row[1], case .int(let crc) = row[2] else {
        throw damaged("a state")
      }
      let found = try database.query(
        "SELECT bytes FROM point WHERE batch = :batch AND name = :name AND piece = :piece",
        ["batch": .int(batch), "name": .text(name), "piece": .int(piece)], limit: Databases.limit)
      guard case .blob(let bytes)? = found.rows.first?.first,
        Self.checksum(bytes, "\(batch) \(name) \(piece) of \(heads.rows.count)") == crc,
        point.parts[name, default: []].count == piece * Self.piece
      else { throw damaged("the state of batch \(batch)") }
      point.parts[name, default: []] += bytes
    }
    return point
  }

  /// The batches after one, in order.
  public func forEachBatch(
    after batch: Int, _ body: (_ number: Int, _ lines: [UInt8]) throws(IOError) -> Void
  ) throws(IOError) {
    var done = batch
    while done < last {
      let found = try database.query(
        "SELECT seq, crc, lines FROM batch WHERE seq > :done ORDER BY seq LIMIT \(Self.group)", ["done": .int(done)],
        limit: Databases.limit * 2)
      if found.rows.isEmpty { throw damaged("batch \(done + 1) is missing") }
      for row in found.rows {
        guard case .int(let number) = row[0], case .int(let crc) = row[1], case .blob(let lines) = row[2],
          number == done + 1
        else { throw damaged("batch \(done + 1) is missing") }
        if Self.checksum(lines, "\(number)") != crc { throw damaged("batch \(number) is not what was written") }
        done = number
        try body(number, lines)
      }
    }
  }

  // MARK: Writing

  /// Adds a batch. It is on the disk when this returns; where it throws, nothing of it is.
  public func append(_ lines: [UInt8]) throws(IOError) {
    _ = try database.exec(
      "INSERT INTO batch VALUES (:seq, :crc, :lines)",
      ["seq": .int(last + 1), "crc": .int(Self.checksum(lines, "\(last + 1)")), "lines": .blob(lines)])
    last += 1
  }

  /// Makes the present state that to begin from: what it holds already is forgotten, unless it is to be kept. One transaction.
  public func begin(from parts: [String: [UInt8]], keepsBatches: Bool = false) throws(IOError) {
    var sql = "BEGIN IMMEDIATE;"
    var values: [String: SQLValue] = ["last": .int(last)]
    if !keepsBatches { sql += "DELETE FROM batch WHERE seq <= :last;" }
    sql += "DELETE FROM point;"
    let rows = parts.values.reduce(0) { $0 + Self.pieces($1) }
    for (place, (name, bytes)) in parts.sorted(by: { $0.key < $1.key }).enumerated() {
      values["n\(place)"] = .text(name)
      for piece in 0..<Self.pieces(bytes) {
        let part = Array(bytes.dropFirst(piece * Self.piece).prefix(Self.piece))
        values["c\(place)_\(piece)"] = .int(Self.checksum(part, "\(last) \(name) \(piece) of \(rows)"))
        values["b\(place)_\(piece)"] = .blob(part)
        sql += "INSERT INTO point VALUES (:last, :n\(place), \(piece), :c\(place)_\(piece), :b\(place)_\(piece));"
      }
    }
    _ = try database.exec(sql + "COMMIT;", values)
  }

  private static func pieces(_ bytes: [UInt8]) -> Int { max(1, (bytes.count + piece - 1) / piece) }

  /// Of a row's bytes, and of where it stands.
  private static func checksum(_ bytes: [UInt8], _ place: String) -> Int {
    Int(crc32c(bytes, after: crc32c(Array(place.utf8))))
  }

  /// Gives the space of what was forgotten back to the file system.
  public func compact() throws(IOError) {
    _ = try database.exec("VACUUM", [:])
    _ = try database.query("PRAGMA wal_checkpoint(TRUNCATE)", [:], limit: 1 << 20)
  }

  /// Bytes of the file and its log.
  public var size: Int {
    ["", "-wal"].reduce(0) { sum, suffix in
      var status = stat()
      return sum + (stat("\(path)/\(Self.file)\(suffix)", &status) == 0 ? Int(status.st_size) : 0)
    }
  }
}

/// CRC-32C of RFC 3720, reflected, bit by bit in a table.
private let crcTable: [UInt32] = (0..<256).map { byte in
  (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
}

/// The checksum of bytes, or of what has a checksum with these behind it. Cost: linear.
func crc32c(_ bytes: [UInt8], after checksum: UInt32 = 0) -> UInt32 {
  ~bytes.reduce(~checksum) { value, byte in value >> 8 ^ crcTable[Int((value ^ UInt32(byte)) & 0xFF)] }
}
