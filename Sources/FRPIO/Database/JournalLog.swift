// Whether the log of a journal's database is what was written, or was changed since.
//
// In: a `-wal` file, before SQLite reads it. SQLite takes the frames up to the last commit before the first one whose checksum does not
// fit, without a word: that is right where the power was lost, and wrong where a byte was changed, since what comes behind was shown.
//
// Rules
// - Every transaction is on the disk before the next one writes a frame (synchronous FULL). So where a commit has a frame behind it that
//   goes on from it, no loss of power has touched what stands before: a frame there that does not fit was changed.
// - What a loss of power leaves of the last transaction may have holes, since writes have no order before they are waited for. It was not
//   promised to anybody, so it is no damage; nor can a change in it be told from that.
// - A frame goes on from another if it has the same salts, and its checksum fits to the one that the other says it has. What an earlier
//   transaction has left behind the end goes on from nothing.
//
// Source: SQLite, "The Write-Ahead Log" of fileformat2.html.

import Glibc

struct JournalLog {
  private typealias Checksum = (UInt32, UInt32)

  private let file: Int32
  private let pageSize: Int
  private let isBigEndian: Bool
  /// How many whole frames there are.
  private let count: Int
  /// What the first frame goes on from; nil where the header is not what was written.
  private let beginning: Frame?

  private static let headerSize = 32
  private static let frameHeaderSize = 24
  private static let magic: UInt32 = 0x377F_0682

  /// What a frame says of itself.
  private struct Frame {
    /// The first eight bytes, of which its checksum is, too.
    var start: [UInt8] = []
    /// The number of its page, from 1: zeros are no frame, though their checksum fits.
    var page: UInt32 = 0
    var isCommit = false
    var salts: (UInt32, UInt32)
    var checksum: Checksum
  }

  /// Whether something was changed in a log. One that cannot be read is left to SQLite, which says so.
  static func isChanged(_ file: Int32) -> Bool {
    // The byte that says which way round checksums are may be the one that was changed.
    [false, true].contains { JournalLog(file, isBigEndian: $0)?.isChanged ?? false }
  }

  /// Whether a log has more than the transaction that makes a journal's tables: then a run has begun, and the names of its files were on the
  /// disk. Before that, a loss of power may leave the log and take the database back to its beginning, which was never promised to anybody.
  static func hasBegun(_ file: Int32) -> Bool {
    [false, true].contains { order in
      guard let log = JournalLog(file, isBigEndian: order) else { return false }
      return (0..<max(0, log.count)).count { log.frame($0)?.isCommit ?? false } > 1
    }
  }

  private init?(_ file: Int32, isBigEndian: Bool) {
    var status = stat()
    guard fstat(file, &status) == 0, let header = Self.bytes(file, 0, Self.headerSize) else { return nil }
    let words = stride(from: 0, to: Self.headerSize, by: 4).map { Self.word(header, $0) }
    let checksum = Self.checksum(header[..<24], after: (0, 0), isBigEndian: isBigEndian)
    let isRight = words[0] == Self.magic | (isBigEndian ? 1 : 0) && checksum == (words[6], words[7])
    (self.file, self.isBigEndian) = (file, isBigEndian)
    // Where the header is not right, that of every journal.
    pageSize = isRight ? Int(words[2]) : 4096
    count = (Int(status.st_size) - Self.headerSize) / (Self.frameHeaderSize + pageSize)
    beginning = isRight ? Frame(salts: (words[4], words[5]), checksum: checksum) : nil
  }

  private var isChanged: Bool {
    // The header is on the disk before the first frame is written.
    guard let beginning else {
      return (0..<max(0, count - 1)).contains { place in frame(place).map { goesOn(from: $0, place) } ?? false }
    }
    var last = beginning
    var place = 0
    while place < count, let next = frame(place), fits(next, place, after: last) {
      last = next
      place += 1
    }
    if place >= count { return false }
    return (place..<count).contains { place in
      guard var commit = frame(place), commit.isCommit else { return false }
      // They may be what was changed.
      commit.salts = beginning.salts
      return goesOn(from: commit, place)
    }
  }

  /// Whether the frame behind one goes on from it.
  private func goesOn(from frame: Frame, _ place: Int) -> Bool {
    guard place + 1 < count, let next = self.frame(place + 1) else { return false }
    return fits(next, place + 1, after: frame)
  }

  private func fits(_ frame: Frame, _ place: Int, after last: Frame) -> Bool {
    guard frame.page != 0, frame.salts == last.salts,
      let page = Self.bytes(file, offset(place) + Self.frameHeaderSize, pageSize)
    else { return false }
    let start = Self.checksum(frame.start[...], after: last.checksum, isBigEndian: isBigEndian)
    return Self.checksum(page[...], after: start, isBigEndian: isBigEndian) == frame.checksum
  }

  private func offset(_ place: Int) -> Int { Self.headerSize + place * (Self.frameHeaderSize + pageSize) }

  private func frame(_ place: Int) -> Frame? {
    guard let bytes = Self.bytes(file, offset(place), Self.frameHeaderSize) else { return nil }
    let words = stride(from: 0, to: Self.frameHeaderSize, by: 4).map { Self.word(bytes, $0) }
    return Frame(
      start: Array(bytes[..<8]), page: words[0], isCommit: words[1] != 0, salts: (words[2], words[3]),
      checksum: (words[4], words[5]))
  }

  private static func bytes(_ file: Int32, _ offset: Int, _ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return pread(file, &bytes, count, off_t(offset)) == count ? bytes : nil
  }

  private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Over pairs of words of four bytes each.
  private static func checksum(_ bytes: ArraySlice<UInt8>, after start: Checksum, isBigEndian: Bool) -> Checksum {
    bytes.withUnsafeBytes { bytes in
      var (first, second) = start
      for place in stride(from: 0, to: bytes.count, by: 8) {
        let left = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        let right = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
        first &+= (isBigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
        second &+= (isBigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
      }
      return (first, second)
    }
  }
}
