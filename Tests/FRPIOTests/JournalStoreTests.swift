import Glibc
import Testing

@testable import FRPIO

@Suite struct JournalStoreTests {
  let folder = Folder()

  private var path: String { folder.path + "/kept" }

  private func keep(_ state: [UInt8], in store: JournalStore) throws {
    let file = try store.makeFile()
    try file.write(state)
    try store.begin(from: ["run": Array("{}".utf8)], file)
  }

  private func batches(_ store: JournalStore, after batch: Int = 0) throws -> [String] {
    var found: [String] = []
    try store.forEachBatch(after: batch) { (number, lines) throws(IOError) in
      found.append("\(number): \(String(decoding: lines, as: UTF8.self))")
    }
    return found
  }

  @Test func batchesAndStatesComeBack() throws {
    #expect(!JournalStore.exists(path))
    do {
      let store = try JournalStore(path)
      #expect(try store.point() == nil)
      try store.begin(from: ["run": Array("{}".utf8), "empty": []])
      for text in ["a", "b", ""] { try store.append(Array(text.utf8)) }
      #expect(try batches(store) == ["1: a", "2: b", "3: "])
      #expect(try batches(store, after: 2) == ["3: "])
    }
    do {
      let store = try JournalStore(path)
      #expect(store.last == 3)
      #expect(try store.point()?.batch == 0)
      #expect(try store.point()?.parts == ["run": Array("{}".utf8), "empty": []])
      // More than is written at a time.
      let large = [UInt8]((0..<(1 << 20) + 1000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      try keep(large, in: store)
      try store.append(Array("c".utf8))
      #expect(try store.point()?.parts["state"] == large)
    }
    let store = try JournalStore(path)
    #expect(store.last == 4)
    #expect(try store.point()?.batch == 3)
    #expect(try batches(store, after: 3) == ["4: c"])
    try store.compact()
    #expect(try batches(store, after: 3) == ["4: c"])
  }

  @Test func aCopyWritesWhileBatchesAreAdded() throws {
    var state: [UInt8] = [1, 2, 3]
    do {
      let store = try JournalStore(path)
      try store.append(Array("a".utf8))
      let file = try store.makeFile()
      let fork = try #require(file.write(beside: { state }))
      // The copy has what was there when it was made.
      state = [4]
      for text in ["b", "c"] { try store.append(Array(text.utf8)) }
      #expect(try store.point() == nil)
      var outcome: Bool?
      while outcome == nil {
        outcome = fork.outcome()
        usleep(1000)
      }
      #expect(outcome == true)
      try store.begin(from: ["run": []], file)
    }
    let store = try JournalStore(path)
    #expect(try store.point()?.parts == ["run": [], "state": [1, 2, 3]])
    #expect(try batches(store, after: try #require(try store.point()?.batch)) == ["2: b", "3: c"])
    // The next has the other name, and takes the place of one that was begun.
    for number in 1...3 as ClosedRange<UInt8> {
      _ = try store.makeFile()
      try keep([number], in: store)
      #expect(try store.point()?.parts["state"] == [number])
    }
    #expect(access(path + "/state-a", F_OK) != access(path + "/state-b", F_OK))
  }

  @Test func whatAStateHoldsIsRemovedBitByBit() throws {
    // No store is open meanwhile, which nobody reads beside.
    func count() throws -> SQLValue? {
      let directory = Descriptor(open(path, O_RDONLY | O_DIRECTORY))
      let database = try Database(Spot(directory: directory, name: Array("journal.sqlite".utf8)), "it", canWrite: true)
      return try database.query("SELECT count(*) FROM batch", [:], limit: 1000).rows.first?.first
    }
    do {
      let store = try JournalStore(path)
      for _ in 0..<10 { try store.append([1]) }
      try keep([1], in: store)
      try store.append([2])
    }
    #expect(try count() == .int(7))
    do {
      let store = try JournalStore(path)
      #expect(try batches(store, after: try #require(try store.point()?.batch)) == ["11: \u{2}"])
    }
    for wanted in [4, 3, 4] {
      do { try JournalStore(path).append([3]) }
      #expect(try count() == .int(wanted))
    }
    #expect(try batches(JournalStore(path), after: 10).count == 4)
  }

  @Test func aCopyThatFailsOrIsNotWaitedForIsNoState() throws {
    let store = try JournalStore(path)
    let failing = try #require(try store.makeFile().write(beside: { nil }))
    while failing.outcome() == nil { usleep(1000) }
    #expect(failing.outcome() == false)
    let endless = try #require(try store.makeFile().write(beside: { while true { sleep(1) } }))
    #expect(endless.outcome() == nil)
    _ = consume endless
    #expect(try store.point() == nil)
  }

  @Test func oneProcessHasIt() throws {
    let store = try JournalStore(path)
    #expect(throws: IOError("another run has the journal \(path)")) { try JournalStore(path) }
    withExtendedLifetime(store) {}
  }

  @Test func whatIsNoJournalIsLeftAlone() throws {
    folder.make("other")
    let directory = Descriptor(open(folder.path + "/other", O_RDONLY | O_DIRECTORY))
    do {
      let other = try Database(Spot(directory: directory, name: Array("journal.sqlite".utf8)), "other", canWrite: true)
      _ = try other.exec("CREATE TABLE t (a)", [:])
    }
    #expect(throws: IOError("\(folder.path)/other: this is no journal")) { try JournalStore(folder.path + "/other") }
  }

  /// What the pages of a database may have become, beside other bytes of a row.
  @Test(arguments: [
    "UPDATE point SET name = 'filf' WHERE name = 'file'", "DELETE FROM point WHERE name = 'file'",
    "UPDATE point SET bytes = CAST('state-b' AS BLOB) WHERE name = 'file'",
    "UPDATE point SET batch = 5", "UPDATE point SET batch = 5 WHERE name = 'run'",
    "UPDATE batch SET seq = 7 WHERE seq = 3", "DELETE FROM batch WHERE seq = 2",
    "UPDATE batch SET lines = 'd' WHERE seq = 3", "UPDATE batch SET crc = crc + 1 WHERE seq = 3",
  ])
  func rowsThatStandElsewhereAreDamage(sql: String) throws {
    do {
      let store = try JournalStore(path)
      try store.append(Array("a".utf8))
      try keep([1, 2, 3], in: store)
      for text in ["b", "c"] { try store.append(Array(text.utf8)) }
    }
    do {
      let directory = Descriptor(open(path, O_RDONLY | O_DIRECTORY))
      let database = try Database(Spot(directory: directory, name: Array("journal.sqlite".utf8)), "it", canWrite: true)
      _ = try database.exec(sql, [:])
    }
    #expect(throws: IOError.self) {
      let store = try JournalStore(path)
      _ = try batches(store, after: try store.point()?.batch ?? 0)
    }
  }

  /// SQLite's log of a process that was killed: each frame with another byte, with zeros in its place, and cut off there.
  @Test func aLogThatWasChangedIsTold() throws {
    folder.make("copy")
    let copy = folder.path + "/copy"
    let names = ["journal.sqlite", "journal.sqlite-wal"]
    func bytes(_ file: String) throws -> [UInt8] {
      try contents(of: Descriptor(open(file, O_RDONLY)), file, limit: 1 << 24)
    }
    var kept: [[UInt8]] = []
    do {
      let store = try JournalStore(path)
      for number in 0..<12 { try store.append([UInt8](repeating: UInt8(number), count: number % 3 * 6000)) }
      kept = try names.map { try bytes("\(path)/\($0)") }
    }
    func opened(_ log: [UInt8]) throws -> Int {
      for (name, bytes) in zip(names, [kept[0], log]) {
        let file = Descriptor(open("\(copy)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600))
        #expect(writeAll(file, bytes).error == 0)
      }
      return try batches(try JournalStore(copy)).count
    }
    #expect(try opened(kept[1]) == 12)
    let size = 24 + 4096
    let frames = (kept[1].count - 32) / size
    let commits = (0..<frames).filter { kept[1][(32 + $0 * size + 4)..<(32 + $0 * size + 8)] != [0, 0, 0, 0] }
    // Where the last transaction begins.
    let last = try #require(commits.dropLast().last) + 1
    for frame in 0..<frames {
      let start = 32 + frame * size
      for offset in [0, 3, 5, 9, 13, 17, 21, 24, 2000, size - 1] {
        var log = kept[1]
        log[start + offset] ^= 0x10
        if frame < last {
          // A commit whose checksum was changed is told by the one behind it, if there is one.
          if offset == 17 || offset == 21, frame >= last - 1 { continue }
          #expect(throws: IOError.self, "frame \(frame), byte \(offset)") { try opened(log) }
        } else if offset == 5 {
          // One that says that it is a commit, and has a frame behind it.
          #expect((try? opened(log)) ?? 11 == 11)
        } else {
          #expect(try opened(log) == 11)
        }
      }
      var hole = kept[1]
      for place in start..<start + size { hole[place] = 0 }
      if frame >= last { #expect(try opened(hole) == 11) }
      #expect(try opened(Array(kept[1][..<(start + size / 2)])) <= 11)
      #expect(try opened(Array(kept[1][..<start]) + [UInt8](repeating: 0, count: kept[1].count - start)) <= 11)
    }
    for place in 0..<32 {
      var log = kept[1]
      log[place] ^= 1
      #expect(throws: IOError.self, "byte \(place)") { try opened(log) }
    }
  }

  /// A loss of power may take a database back to its beginning while its log has nothing yet but its tables: SQLite's own journal of how it
  /// was made comes back. Once something was promised, the database was removed.
  @Test func aLogOfNothingBesideAnEmptyDatabaseIsNoDamage() throws {
    folder.make("copy")
    let copy = folder.path + "/copy"
    func opened(_ batches: Int) throws -> Int {
      let store = try JournalStore("\(path)\(batches)")
      for _ in 0..<batches { try store.append([1]) }
      let log = "\(path)\(batches)/journal.sqlite-wal"
      let bytes = try contents(of: Descriptor(open(log, O_RDONLY)), log, limit: 1 << 24)
      for (name, bytes) in [("journal.sqlite", []), ("journal.sqlite-wal", bytes)] {
        let file = Descriptor(open("\(copy)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600))
        #expect(writeAll(file, bytes).error == 0)
      }
      return try JournalStore(copy).last
    }
    #expect(try opened(0) == 0)
    #expect(throws: IOError.self) { try opened(1) }
  }

  /// The log has batches that were promised; where it is gone, the file beside the database tells how many. What says more than what is
  /// there, or is not whole, while the log is there, is no damage.
  @Test func aLogThatWasRemovedIsMissed() throws {
    folder.make("copy")
    let copy = folder.path + "/copy"
    func bytes(_ file: String) throws -> [UInt8] {
      try contents(of: Descriptor(open(file, O_RDONLY)), file, limit: 1 << 24)
    }
    func put(_ bytes: [UInt8], _ name: String) {
      let file = Descriptor(open("\(copy)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600))
      #expect(writeAll(file, bytes).error == 0)
    }
    let names = ["journal.sqlite", "journal.sqlite-wal", "journal.last"]
    var kept: [[UInt8]] = []
    do {
      let store = try JournalStore(path)
      for _ in 0..<3 { try store.append([1]) }
      kept = try names.map { try bytes("\(path)/\($0)") }
    }
    func opened(log: Bool, note: [UInt8]) throws -> Int {
      for name in names { unlink("\(copy)/\(name)") }
      put(kept[0], names[0])
      if log { put(kept[1], names[1]) }
      put(note, names[2])
      return try JournalStore(copy).last
    }
    #expect(try opened(log: true, note: kept[2]) == 3)
    #expect(throws: IOError.self) { try opened(log: false, note: kept[2]) }
    for place in kept[2].indices {
      var changed = kept[2]
      changed[place] ^= 1
      #expect(try opened(log: true, note: changed) == 3)
      #expect(try opened(log: false, note: changed) == 0)
    }
    #expect(try opened(log: false, note: []) == 0)
    // The store that was closed has all in its database.
    unlink("\(path)/journal.sqlite-wal")
    #expect(try JournalStore(path).last == 3)
    for name in names.prefix(2) { unlink("\(path)/\(name)") }
    #expect(throws: IOError.self) { try JournalStore(path) }
  }

  /// Whoever looks leaves each byte where it is, also of a log that was cut off; a run goes on from what is left of it, and so does the next one.
  @Test func aLookChangesNothing() throws {
    folder.make("copy")
    let copy = folder.path + "/copy"
    let names = ["journal.sqlite", "journal.sqlite-wal", "journal.last"]
    func bytes(_ file: String) -> [UInt8]? {
      let opened = open(file, O_RDONLY)
      if opened < 0 { return nil }
      return try? contents(of: Descriptor(opened), file, limit: 1 << 24)
    }
    func put(_ bytes: [UInt8], _ name: String) {
      let file = Descriptor(open("\(copy)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600))
      #expect(writeAll(file, bytes).error == 0)
    }
    var kept: [[UInt8]] = []
    do {
      let store = try JournalStore(path)
      try store.begin(from: ["run": [1]])
      for _ in 0..<6 { try store.append([1]) }
      kept = names.compactMap { bytes("\(path)/\($0)") }
    }
    for size in [kept[1].count, kept[1].count - 1, 20_000, 9_000, 32, 0] {
      for (name, bytes) in zip(names, [kept[0], Array(kept[1][..<size]), kept[2]]) { put(bytes, name) }
      var last = 0
      do {
        let look = try JournalStore(copy, isLooking: true)
        last = look.last
        #expect(look.missing == 6 - last && last <= 6)
        #expect(try look.point()?.batch == (size > 9_000 ? 0 : nil))
        #expect(try batches(look).count == last)
        #expect(throws: IOError.self) { try look.append([2]) }
      }
      #expect(names.map { bytes("\(copy)/\($0)") } == [kept[0], Array(kept[1][..<size]), kept[2]])
      #expect(access("\(copy)/journal.sqlite-shm", F_OK) != 0)
      do {
        let store = try JournalStore(copy)
        #expect(store.last == last && store.missing == 6 - last)
      }
      let next = try JournalStore(copy)
      #expect(next.last == last && next.missing == 0)
    }
    // Without a log, none is made.
    #expect(try JournalStore(path, isLooking: true).last == 6)
    #expect(bytes("\(path)/\(names[1])") == nil)
    #expect(throws: IOError.self) { try JournalStore("\(path)/none", isLooking: true) }
    #expect(access("\(path)/none", F_OK) != 0)
  }

  /// Pages that no row is read from count, too.
  @Test func aDamagedPageIsToldBeforeItIsMet() throws {
    do {
      let store = try JournalStore(path)
      for number in 0..<40 { try store.append([UInt8](repeating: UInt8(number), count: 20_000)) }
      try keep([1], in: store)
      for _ in 0..<12 { try store.append([1]) }
    }
    let file = path + "/journal.sqlite"
    let whole = try contents(of: Descriptor(open(file, O_RDONLY)), file, limit: 1 << 24)
    // The first page of the list of those that are free, and what it says is the first of them.
    let trunk = whole[32..<36].reduce(0) { $0 << 8 | Int($1) }
    try #require(trunk > 0)
    var changed = whole
    changed[(trunk - 1) * 4096 + 9] ^= 0x7F
    #expect(writeAll(Descriptor(open(file, O_WRONLY | O_TRUNC)), changed).error == 0)
    #expect(throws: IOError.self) { try JournalStore(path, isLooking: true).checkPages() }
    #expect(throws: IOError.self) { try JournalStore(path) }
    #expect(writeAll(Descriptor(open(file, O_WRONLY | O_TRUNC)), whole).error == 0)
    try JournalStore(path, isLooking: true).checkPages()
    #expect(try JournalStore(path).last == 52)
  }

  /// A page that is none, and nothing beside it, is what a failed fsync and a loss of power may leave of a journal that was being made.
  @Test func aPageThatIsNoneIsNoDamageAtItsBirth() throws {
    folder.make("kept")
    func put(_ bytes: [UInt8], _ name: String) {
      let file = Descriptor(open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600))
      #expect(writeAll(file, bytes).error == 0)
    }
    for count in [1, 12, 512, 4096] {
      put([UInt8](repeating: 7, count: count), "journal.sqlite")
      do {
        let store = try JournalStore(path)
        #expect(!store.wasThere && store.last == 0)
      }
      unlink("\(path)/journal.sqlite")
    }
    put([UInt8](repeating: 7, count: 8192), "journal.sqlite")
    #expect(throws: IOError.self) { try JournalStore(path) }
    put([UInt8](repeating: 7, count: 4096), "journal.sqlite")
    put([1], "state-a")
    #expect(throws: IOError.self) { try JournalStore(path) }
  }

  @Test func aFileThatIsAnotherIsDamage() throws {
    do { try keep(Array(0..<100), in: try JournalStore(path)) }
    let file = path + "/state-a"
    let whole = try contents(of: Descriptor(open(file, O_RDONLY)), file, limit: 1000)
    #expect(whole.count == 104)
    let changed = whole.indices.map { index in
      var bytes = whole
      bytes[index] ^= 1
      return bytes
    }
    for bytes in (0..<whole.count).map({ Array(whole[..<$0]) }) + changed + [whole + [0]] {
      #expect(writeAll(Descriptor(open(file, O_WRONLY | O_TRUNC)), bytes).error == 0)
      #expect(throws: IOError("\(path): the journal is damaged: the state of batch 0")) {
        _ = try JournalStore(path).point()
      }
    }
    unlink(file)
    #expect(throws: IOError("no such file: \(file)")) { _ = try JournalStore(path).point() }
  }

  /// As a child has it that was made beside the store, and has not begun to run.
  @Test func aCopyOfItsDescriptorDoesNotKeepTheLock() throws {
    var copies: [Descriptor] = []
    do {
      let store = try JournalStore(path)
      for number in 0..<1024 {
        var (mine, status) = (stat(), stat())
        if fstat(Int32(number), &mine) == 0, stat(path, &status) == 0, mine.identity == status.identity {
          copies.append(Descriptor(fcntl(Int32(number), F_DUPFD_CLOEXEC, 0)))
        }
      }
      #expect(throws: IOError("another run has the journal \(path)")) { try JournalStore(path) }
      try store.append(Array("a".utf8))
    }
    #expect(!copies.isEmpty)
    #expect(try JournalStore(path).last == 1)
  }

  @Test func checksumsAreThoseOfTheStandard() {
    // RFC 3720, B.4.
    #expect(crc32c([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(crc32c([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    #expect(crc32c(Array(0..<32)) == 0x46DD_794E)
    #expect(crc32c(Array("123456789".utf8)) == 0xE306_9283)
    #expect(crc32c(Array("6789".utf8), after: crc32c(Array("12345".utf8))) == 0xE306_9283)
  }
}
