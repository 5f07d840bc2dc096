// The journal of a run that outlives its process: batches of lines in a database of SQLite, and the state to begin from in a file
// beside it, which the database names.
//
// Rules
// - One run at a time has a journal: its directory is locked as long as the store is open.
// - What `append` and `begin` were given is on the disk when they return (WAL, synchronous FULL), whole or not at all.
// - Each row has a checksum of its own beside those of SQLite's log, since the database's pages have none. It is of where the
//   row stands, too, and of how many rows a state has: a row under another name, or one that is gone, is damage like another byte.
// - A file beside the database says how many batches there are at least: after each of them, without waiting for the disk. So it never says more
//   than what outlives a loss of power, and what was in a log that somebody has removed is missed. A run that goes on from a log that was cut
//   writes there how many are left, before anything else happens.
// - Who only looks changes nothing in the directory, so that what was found there is found again; it may be one that cannot be written to.
// - A state is on the disk before the transaction that names its file, and forgets the file before it. So it can be written by
//   somebody else, while batches are added (Fork.swift). A file that no row names is none.
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

  /// Nil where somebody looks, and nothing has begun.
  private var opened: Database?
  /// Holds the lock.
  private let directory: Descriptor
  private let path: String
  /// The number of the newest batch.
  public private(set) var last = 0
  /// The file of the state that counts.
  private var current: String?
  /// Where the number of the newest batch is kept beside the database.
  private var note: Descriptor?
  /// Which file the database is, so that it is noticed when it is no longer in the directory.
  private var number: ino_t?
  /// Whether the directory had a database before.
  public let wasThere: Bool
  /// How many batches were written and are not there, since the log was cut off.
  public private(set) var missing = 0
  private let isLooking: Bool
  /// Batches up to this one are in a state; some may still be in the database.
  private var forgotten = 0

  private static let file = "journal.sqlite"
  /// What the database says it is, by SQLite's `application_id`: "frpj".
  private static let mark = 0x6672_706A
  private static let version = 3
  /// The files of states, by turns, and the row that names the one that counts.
  private static let files = ["state-a", "state-b"]
  private static let row = "file"
  /// The number of the newest batch or an older one, the lowest byte first, then its checksum.
  private static let noteFile = "journal.last"
  /// What each database of SQLite begins with, and the size of its pages here.
  private static let magic = Array("SQLite format 3\0".utf8)
  private static let onePage = 4096
  /// Forgotten batches that are removed with a new one: 1 MiB at most, so that nobody waits for all of them.
  private static let removedAtOnce = 4
  /// Batches that are read at a time.
  private static let group = 64

  /// Opens the journal in a directory, which is made where there is none. Throws where another run has it, or where it is no
  /// journal, or damaged. One that is only looked at cannot be added to.
  public init(_ path: String, isLooking: Bool = false) throws(IOError) {
    (self.path, self.isLooking) = (path, isLooking)
    if !isLooking, mkdir(path, 0o700) != 0, errno != EEXIST { throw IOError(errno, path) }
    let place = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if place < 0 { throw IOError(errno, path) }
    let code = flock(place, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
    directory = Descriptor(place, isLocked: code == 0)
    if code == EWOULDBLOCK { throw Self.taken(path) }
    if code != 0 { throw IOError(code, path) }
    if Self.looksAtLog(directory, JournalLog.isChanged) {
      throw IOError("\(path): the journal is damaged: \(Self.file)-wal is not what was written")
    }
    let noted = Self.noted(directory)
    // SQLite makes one, and takes it away only once the database has all that is in it.
    let hasLog = Self.status(of: "\(Self.file)-wal", directory) != nil
    let isStillborn = noted == 0 && !hasLog && Self.rest(directory, Self.files) == nil
    let isNone = isStillborn ? try Self.clearStillborn(directory, path, isLooking: isLooking) : false
    wasThere = !isNone && Self.size(of: Self.file, directory) > 0
    if !wasThere {
      let log = Self.looksAtLog(directory, JournalLog.hasBegun) ? "\(Self.file)-wal" : noted > 0 ? Self.noteFile : nil
      if let rest = Self.rest(directory, Self.files) ?? log { throw Self.gone(rest, path) }
    }
    try openDatabase(hasLog: hasLog)
    number = Self.status(of: Self.file, directory)?.st_ino
    if opened != nil { try count() }
    missing = max(0, noted - last)
    if !hasLog, missing > 0 {
      throw IOError(
        "\(path): the journal is damaged: it ends with batch \(last), and \(noted) were written: \(Self.file)-wal was removed from the "
          + "directory. Put it back, or remove \(Self.noteFile) to go on without what it had")
    }
    if isLooking { return }
    if missing > 0 { try noteCut() }
    try synchronizeLog()
    // SQLite has the names of its files written, too, but never looks whether that failed.
    try synchronizeNames()
    try synchronizeOwnName()
  }

  /// Opens the database, and makes the tables of one that has none. Nobody who looks makes them.
  private func openDatabase(hasLog: Bool) throws(IOError) {
    let (spot, name) = (Spot(directory: directory, name: Array(Self.file.utf8)), "\(path)/\(Self.file)")
    if isLooking {
      // A journal of SQLite's own is there as long as it makes the database: that will be taken back.
      if !wasThere || Self.size(of: "\(Self.file)-journal", directory) > 0 { return }
      opened = try Database(lookingAt: spot, name, hasLog: hasLog)
    } else {
      // SQLite would say that something is the matter with the disk.
      let isFixed = directory.with { faccessat($0, ".", W_OK, 0) != 0 && errno == EROFS }
      if isFixed { throw IOError(EROFS, path) }
      opened = try Database(spot, name, canWrite: true, isExclusive: true)
    }
    try prepare()
    if !isLooking { try checkPages() }
  }

  /// What there is: batches, and the file of the state.
  private func count() throws(IOError) {
    if case .blob(let name)? = try value("SELECT bytes FROM point WHERE name = '\(Self.row)'") {
      current = String(decoding: name, as: UTF8.self)
    }
    // A run has begun before its first state is made: what says so was in the log.
    if current == nil, try number("SELECT count(*) FROM point") == 0, let rest = Self.rest(directory, Self.files) {
      throw Self.gone(rest, path)
    }
    forgotten = try number("SELECT max(batch) FROM point WHERE batch >= (SELECT min(seq) FROM batch)") ?? 0
    last = max(try number("SELECT max(seq) FROM batch") ?? 0, try number("SELECT max(batch) FROM point") ?? 0)
  }

  private var database: Database {
    get throws(IOError) {
      guard let opened else { throw IOError("\(path): nothing has begun") }
      return opened
    }
  }

  /// What is thrown where another run has a journal.
  public static func taken(_ path: String) -> IOError { IOError("another run has the journal \(path)") }

  /// The first of some files that is there and has something in it.
  private static func rest(_ directory: Descriptor, _ names: [String]) -> String? {
    names.first { size(of: $0, directory) > 0 }
  }

  private static func size(of name: String, _ directory: Descriptor) -> Int {
    status(of: name, directory).map { Int($0.st_size) } ?? 0
  }

  private static func status(of name: String, _ directory: Descriptor) -> stat? {
    directory.with { place in
      var status = stat()
      return fstatat(place, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }
  }

  /// Makes a database empty again whose first page was never on the disk as it should be: fsync(2) failed as it was made, and then the power was
  /// lost. One page has no table of a journal, so nothing was promised. Whether it is such a one.
  private static func clearStillborn(_ directory: Descriptor, _ path: String, isLooking: Bool) throws(IOError) -> Bool {
    let size = size(of: file, directory)
    if size == 0 || size > onePage { return false }
    let opened = directory.with { openat($0, file, (isLooking ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOFOLLOW) }
    if opened < 0 { throw IOError(errno, "\(path)/\(file)") }
    let database = Descriptor(opened)
    var start = [UInt8](repeating: 0, count: magic.count)
    let count = database.with { pread($0, &start, start.count, 0) }
    if count < 0 { throw IOError(errno, "\(path)/\(file)") }
    if start == magic || isLooking { return start != magic }
    let code = database.with { ftruncate($0, 0) == 0 ? 0 : errno }
    if code != 0 { throw IOError(code, "\(path)/\(file)") }
    return true
  }

  /// Throws where somebody has removed the database: what is written to it then, nobody reads again. Whatever else is the matter with its name,
  /// SQLite finds out itself.
  private func checkPresence() throws(IOError) {
    let isThere = directory.with { place in
      var status = stat()
      if fstatat(place, Self.file, &status, AT_SYMLINK_NOFOLLOW) != 0 { return errno != ENOENT }
      return number == nil || status.st_ino == number
    }
    if !isThere { throw IOError("\(path)/\(Self.file) was removed or replaced while the run had it") }
  }

  /// What the files of a journal are called.
  public static func files(of path: String) -> [String] {
    (["", "-wal", "-shm", "-journal"].map { file + $0 } + files + [noteFile]).map { "\(path)/\($0)" }
  }

  /// Somebody has removed what a run would go on from. What is left is not taken for nothing.
  private static func gone(_ rest: String, _ path: String) -> IOError {
    IOError(
      "\(path): the journal is damaged: there is \(rest), and what belongs to it was removed from the directory. "
        + "Put it back, or remove the whole directory to begin anew")
  }

  /// What is so of the log, before SQLite opens it, which would go on from what stands before a change. False where there is none.
  private static func looksAtLog(_ directory: Descriptor, _ isSo: (Int32) -> Bool) -> Bool {
    let log = directory.with { openat($0, file + "-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
    if log < 0 { return false }
    defer { close(log) }
    return isSo(log)
  }

  /// What was read from SQLite's log is on the disk when this returns. A process that is killed while it waits for that leaves it in memory, where
  /// the next one sees it: a loss of power would take it from under what that one has shown.
  private func synchronizeLog() throws(IOError) {
    let code = directory.with { place -> Int32 in
      while true {
        let log = openat(place, Self.file + "-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if log < 0, errno == EINTR { continue }
        if log < 0 { return errno == ENOENT ? 0 : errno }
        defer { close(log) }
        return fdatasync(log) == 0 ? 0 : errno
      }
    }
    if code != 0 { throw IOError(code, path) }
  }

  /// The names of the directory's files are on the disk when this returns.
  private func synchronizeNames() throws(IOError) {
    let code = directory.with { fsync($0) == 0 ? 0 : errno }
    if code != 0 { throw IOError(code, path) }
  }

  /// The name of the directory itself is on the disk when this returns, also where a process made it that was killed then. Nobody
  /// who may not read what is around it has made it here.
  private func synchronizeOwnName() throws(IOError) {
    let code = directory.with { place -> Int32 in
      while true {
        let around = openat(place, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if around < 0, errno == EINTR { continue }
        if around < 0 { return errno == EACCES ? 0 : errno }
        defer { close(around) }
        // Some file systems write names at once, and know no such call.
        return fsync(around) == 0 || errno == EINVAL ? 0 : errno
      }
    }
    if code != 0 { throw IOError(code, path) }
  }

  /// Whether a directory has a journal.
  public static func exists(_ path: String) -> Bool {
    ([file, "\(file)-wal", noteFile] + files).contains { access("\(path)/\($0)", F_OK) == 0 }
  }

  private func prepare() throws(IOError) {
    // Else each page that is given up is written, with zeros: 14,000 for what a state of a million keys takes the place of.
    if !isLooking { _ = try database.query("PRAGMA secure_delete = OFF", [:], limit: 1 << 20) }
    let mark = try number("PRAGMA application_id") ?? 0
    let version = try number("PRAGMA user_version") ?? 0
    if mark == 0, try number("SELECT count(*) FROM sqlite_schema") == 0 {
      if isLooking { return opened = nil }
      _ = try database.exec(
        """
        BEGIN;
        CREATE TABLE batch(seq INTEGER PRIMARY KEY, crc INTEGER NOT NULL, lines BLOB NOT NULL);
        CREATE TABLE point(batch INTEGER NOT NULL, name TEXT NOT NULL, crc INTEGER NOT NULL, bytes BLOB NOT NULL,
          PRIMARY KEY(batch, name)) WITHOUT ROWID;
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
    if case .int(let number)? = try value(sql) { number } else { nil }
  }

  private func value(_ sql: String) throws(IOError) -> SQLValue? {
    try database.query(sql, [:], limit: 1 << 20).rows.first?.first
  }

  private func damaged(_ what: String) -> IOError { IOError("\(path): the journal is damaged: \(what)") }

  /// Throws where a page of the database is damaged that no row is read from, or not yet: the run would end when it is written to. Cost: reads all
  /// of it, 0.1 s of a processor for 100 MB, a tenth of what it takes to go on from that.
  public func checkPages() throws(IOError) {
    if opened == nil { return }
    let found = try value("PRAGMA quick_check(1)")
    if case .text("ok") = found { return }
    guard case .text(let what) = found else { throw damaged(Self.file) }
    throw damaged("\(Self.file): \(what.split(separator: "\n").last ?? "")")
  }

  // MARK: Reading

  /// The state to begin from; nil where nothing has begun.
  public func point() throws(IOError) -> Point? {
    guard opened != nil, let batch = try number("SELECT max(batch) FROM point") else { return nil }
    let found = try database.query(
      "SELECT name, crc, bytes FROM point WHERE batch = :batch", ["batch": .int(batch)], limit: Databases.limit * 2)
    if try number("SELECT count(*) FROM point") != found.rows.count { throw damaged("a state") }
    var point = Point(batch: batch, parts: [:])
    for row in found.rows {
      guard case .text(let name) = row[0], case .int(let crc) = row[1], case .blob(let bytes) = row[2],
        Self.checksum(bytes, "\(batch) \(name) of \(found.rows.count)") == crc
      else { throw damaged("the state of batch \(batch)") }
      point.parts[name] = bytes
    }
    if let name = point.parts.removeValue(forKey: Self.row) {
      point.parts["state"] = try state(String(decoding: name, as: UTF8.self), batch)
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
    try checkPresence()
    var sql = "INSERT INTO batch VALUES (:seq, :crc, :lines);"
    var values: [String: SQLValue] = [
      "seq": .int(last + 1), "crc": .int(Self.checksum(lines, "\(last + 1)")), "lines": .blob(lines),
    ]
    if forgotten > 0 {
      sql +=
        "DELETE FROM batch WHERE seq IN (SELECT seq FROM batch WHERE seq <= :forgotten ORDER BY seq LIMIT \(Self.removedAtOnce));"
      values["forgotten"] = .int(forgotten)
    }
    let changed = try database.exec(sql, values)
    last += 1
    if changed <= Self.removedAtOnce { forgotten = 0 }
    noteLast()
  }

  /// Writes down that the log was cut off and is gone on from. It is on the disk when this returns: the log is removed when the database is closed.
  private func noteCut() throws(IOError) {
    noteLast()
    let code = note.map { note in note.with { fdatasync($0) == 0 ? 0 : errno } } ?? errno
    if code != 0 { throw IOError(code, "\(path)/\(Self.noteFile)") }
  }

  /// Writes down that there is a batch, which is on the disk already. Where that cannot be, less is missed later.
  private func noteLast() {
    if note == nil {
      let opened = directory.with { openat($0, Self.noteFile, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
      if opened < 0 { return }
      note = Descriptor(opened)
    }
    let number = Self.littleEndian(last, 8)
    let bytes = number + Self.littleEndian(Int(crc32c(number)), 4)
    note?.with { _ = pwrite($0, bytes, bytes.count, 0) }
  }

  /// What is written down there; 0 where nothing is, or what is there is not whole.
  private static func noted(_ directory: Descriptor) -> Int {
    let opened = directory.with { openat($0, noteFile, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
    if opened < 0 { return 0 }
    let file = Descriptor(opened)
    var bytes = [UInt8](repeating: 0, count: 12)
    guard file.with({ pread($0, &bytes, 12, 0) }) == 12,
      Array(bytes[8...]) == littleEndian(Int(crc32c(Array(bytes[..<8]))), 4)
    else { return 0 }
    return bytes[..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private static func littleEndian(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Makes a state that to begin from, with the parts that stand beside it, and forgets the batches that it holds, which are then
  /// removed few at a time. Without a file, the run begins with the next batch.
  public func begin(from parts: [String: [UInt8]], _ file: StateFile? = nil) throws(IOError) {
    try checkPresence()
    let batch = file?.batch ?? last
    var parts = parts
    if let file {
      try synchronizeNames()
      parts[Self.row] = Array(file.name.utf8)
    }
    var sql = "BEGIN IMMEDIATE;DELETE FROM point;"
    var values: [String: SQLValue] = ["batch": .int(batch)]
    for (place, (name, bytes)) in parts.sorted(by: { $0.key < $1.key }).enumerated() {
      values["n\(place)"] = .text(name)
      values["c\(place)"] = .int(Self.checksum(bytes, "\(batch) \(name) of \(parts.count)"))
      values["b\(place)"] = .blob(bytes)
      sql += "INSERT INTO point VALUES (:batch, :n\(place), :c\(place), :b\(place));"
    }
    _ = try database.exec(sql + "COMMIT;", values)
    if let current { directory.with { _ = unlinkat($0, current, 0) } }
    (current, forgotten) = (file?.name, batch)
  }

  /// Of a row's bytes, and of where it stands.
  private static func checksum(_ bytes: [UInt8], _ place: String) -> Int {
    Int(crc32c(bytes, after: crc32c(Array(place.utf8))))
  }

  /// What stands behind the bytes of a file.
  fileprivate static func ending(_ bytes: [UInt8], _ place: String) -> [UInt8] {
    littleEndian(checksum(bytes, place), 4)
  }

  /// Gives the space of what was forgotten back to the file system.
  public func compact() throws(IOError) {
    _ = try database.exec("DELETE FROM batch WHERE seq <= :forgotten", ["forgotten": .int(forgotten)])
    _ = try database.exec("VACUUM", [:])
    _ = try database.query("PRAGMA wal_checkpoint(TRUNCATE)", [:], limit: 1 << 20)
  }

  /// Bytes of the file, its log and its state.
  public var size: Int {
    ([Self.file, "\(Self.file)-wal"] + Self.files).reduce(0) { sum, name in
      var status = stat()
      return sum + (stat("\(path)/\(name)", &status) == 0 ? Int(status.st_size) : 0)
    }
  }
}

// MARK: States

/// A state to come, in a file of its own: it counts once `begin` has named it.
public struct StateFile: Sendable {
  fileprivate let name: String
  /// How messages call it.
  fileprivate let path: String
  fileprivate let descriptor: Descriptor
  /// The last batch that the state holds.
  fileprivate let batch: Int

  /// Writes the state, which is on the disk when this returns.
  public func write(_ state: [UInt8]) throws(IOError) {
    let ending = JournalStore.ending(state, "\(batch) \(name)")
    var code: Int32 = 0
    // In pieces, so that a batch that is written meanwhile does not wait for all of it.
    for start in stride(from: 0, to: state.count, by: 1 << 20) where code == 0 {
      code = writeAll(descriptor, Array(state[start..<min(start + 1 << 20, state.count)])).error
      if code == 0 { code = descriptor.with { fdatasync($0) == 0 ? 0 : errno } }
    }
    if code == 0 { code = writeAll(descriptor, ending).error }
    if code == 0 { code = descriptor.with { fsync($0) == 0 ? 0 : errno } }
    if code != 0 { throw IOError(code, path) }
  }

  /// Lets a copy of this process write the state that `body` gives, if it gives one. Nil where there is no room for a copy.
  public func write(beside body: () -> [UInt8]?) -> Fork? {
    Fork(with: descriptor) {
      guard let state = body() else { return false }
      do throws(IOError) { try write(state) } catch { return false }
      return true
    }
  }
}

extension JournalStore {
  /// The file of a state that holds the batches so far. One that was begun before is none any more.
  public func makeFile() throws(IOError) -> StateFile {
    let name = Self.files.first { $0 != current } ?? Self.files[0]
    let opened = directory.with { directory in
      // Another one, since somebody may still be writing to that of this name.
      unlinkat(directory, name, 0)
      return openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    let path = "\(path)/\(name)"
    if opened < 0 { throw IOError(errno, path) }
    return StateFile(name: name, path: path, descriptor: Descriptor(opened), batch: last)
  }

  /// Reads what a file has.
  private func state(_ name: String, _ batch: Int) throws(IOError) -> [UInt8] {
    guard Self.files.contains(name) else { throw damaged("the state of batch \(batch)") }
    let opened = directory.with { openat($0, name, O_RDONLY | O_CLOEXEC) }
    if opened < 0 { throw IOError(errno, "\(path)/\(name)") }
    let bytes = try contents(of: Descriptor(opened), "\(path)/\(name)", limit: .max - 1)
    let state = Array(bytes.dropLast(4))
    if !bytes.elementsEqual(state + Self.ending(state, "\(batch) \(name)")) {
      throw damaged("the state of batch \(batch)")
    }
    return state
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
