// Lines from a file descriptor, or records of CSV, or values of JSON, read in blocks.
//
// read(2) in, lines of bytes without their break out (`\n` or `\r\n`; the last line may lack it). Memory is bounded by
// the limit of a line, which holds while the line is read: one that is longer is reported as too long and dropped block
// by block up to its break; the rest is still read.

import CStack
import FRPRuntime
import Glibc

struct LineReader {
  enum Filled: Equatable {
    case some, end
    /// Nothing there yet, on a non-blocking descriptor.
    case later
    case failed(Int32)
  }

  /// 64 MiB: no honest line is longer, and a file without line breaks must not fill the memory.
  static let longestLine = 64 << 20

  let descriptor: Int32
  /// Longer lines are too long, whatever blocks they come in. Less than was asked for once the system has refused memory.
  private(set) var longest: Int
  /// What was read and not yet forgotten: `count` bytes of `capacity`, in memory that `owner` frees.
  private var bytes: UnsafeMutablePointer<UInt8>
  private var count = 0
  private var capacity: Int
  private let owner: LineMemory
  private var start = 0
  /// Where the search for the next line break goes on.
  private var searched = 0
  private(set) var isAtEnd = false
  private var isSkippingLongLine = false
  /// The number of the line that `next` returned last, from 1; of a record its first one.
  private(set) var lineNumber = 0
  private var linesRead = 0
  /// What cuts records; nil for plain lines.
  private var breaks: CSVBreaks?
  /// What cuts values; nil for lines and records.
  private var values: JSONBreaks?
  private let separator: UInt8
  static let block = 1 << 16

  /// With `closes`, the descriptor is closed with the last copy of the reader. With `records`, lines whose break stands
  /// in quotes of CSV stay together; `separator` is that of its cells. With `values`, a line is a value of JSON, however
  /// many lines it takes, and with `keys` an element of the list that they lead to; what stands around it are blank lines.
  init(
    descriptor: Int32, closes: Bool = false, records: Bool = false, values: Bool = false, keys: [String] = [],
    separator: UInt8 = 0x2C, longest: Int = LineReader.longestLine
  ) {
    self.descriptor = descriptor
    self.longest = longest
    self.separator = separator
    breaks = records ? CSVBreaks(separator: separator) : nil
    self.values = values ? JSONBreaks(at: keys) : nil
    capacity = 2 * LineReader.block
    owner = LineMemory(capacity, closing: closes ? descriptor : nil)
    bytes = owner.start
  }

  enum Line {
    case text(Range<Int>)
    case tooLong
  }

  /// The next whole line, if it is here already.
  mutating func next() -> Line? {
    if isSkippingLongLine { skipToBreak() }
    if isSkippingLongLine { return nil }
    let isAround = values?.isAround ?? false
    if let newline = nextBreak() {
      let range = start..<newline
      start = newline + 1
      searched = start
      if range.count > longest { return tooLong(range) }
      return .text(isAround ? nothing(range) : contents(range))
    }
    if count - start > longest {
      isSkippingLongLine = true
      if breaks != nil { breaks = CSVBreaks(separator: separator) }
      values?.giveUp()
      return tooLong(start..<count)
    }
    guard isAtEnd, start < count else { return nil }
    let range = start..<count
    start = count
    searched = start
    return .text(isAround ? nothing(range) : contents(range))
  }

  /// Whether all was read, and the list of its keys was not there.
  var lacksList: Bool { isAtEnd && start == count && values?.lacksList == true }

  /// Whether `next` gives a line without a `fill` before it.
  var hasLine: Bool {
    if isSkippingLongLine { return false }
    if breaks != nil || values != nil || isAtEnd { return start < count }
    return searched < count || count - start > longest
  }

  /// The bytes of a line that `next` returned; valid until the next `fill`.
  @inline(__always)
  subscript(range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
  }

  private mutating func nextBreak() -> Int? {
    if breaks != nil {
      let text = self[start..<count]
      // What grows beyond all bounds has lost a quote.
      let isComplete = isAtEnd || text.count > longest
      return breaks?.next(in: text, isComplete: isComplete).map { start + $0 }
    }
    if values != nil {
      let text = self[start..<count]
      return values?.next(in: text).map { start + $0 }
    }
    guard searched < count else { return nil }
    guard let at = memchr(bytes + searched, 0x0A, count - searched) else {
      searched = count
      return nil
    }
    searched = UnsafeRawPointer(at) - UnsafeRawPointer(bytes)
    return searched
  }

  /// A line without its carriage return; the first one without a byte order mark.
  private mutating func contents(_ range: Range<Int>) -> Range<Int> {
    countLines(range)
    let line = values == nil ? withoutReturn(range) : withoutBlanks(range)
    guard lineNumber == 1, self[line].starts(with: [0xEF, 0xBB, 0xBF]) else { return line }
    return line.lowerBound + 3..<line.upperBound
  }

  /// What is no value, though its lines count.
  private mutating func nothing(_ range: Range<Int>) -> Range<Int> {
    countLines(range)
    return range.upperBound..<range.upperBound
  }

  private mutating func countLines(_ range: Range<Int>) {
    lineNumber = linesRead + 1
    // A value may end within its line.
    let endsLine = values == nil || (range.upperBound < count && bytes[range.upperBound] == 0x0A)
    if endsLine { linesRead = lineNumber }
    if breaks == nil && values == nil { return }
    var place = range.lowerBound
    while let found = memchr(bytes + place, 0x0A, range.upperBound - place) {
      linesRead += 1
      place = UnsafeRawPointer(found) - UnsafeRawPointer(bytes) + 1
    }
  }

  private func withoutReturn(_ range: Range<Int>) -> Range<Int> {
    if range.isEmpty || bytes[range.upperBound - 1] != 0x0D { return range }
    return range.lowerBound..<range.upperBound - 1
  }

  /// A value without the blanks before it, whose lines are not its own.
  private mutating func withoutBlanks(_ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    while start < range.upperBound, [0x20, 0x09, 0x0D, 0x0A].contains(bytes[start]) {
      if bytes[start] == 0x0A { lineNumber += 1 }
      start += 1
    }
    return start..<range.upperBound
  }

  private mutating func tooLong(_ range: Range<Int>) -> Line {
    countLines(range)
    return .tooLong
  }

  /// Drops what is here of a line that was too long, quotes or not.
  private mutating func skipToBreak() {
    let newline = memchr(bytes + start, 0x0A, count - start).map { UnsafeRawPointer($0) - UnsafeRawPointer(bytes) }
    start = newline.map { $0 + 1 } ?? count
    searched = start
    isSkippingLongLine = newline == nil
  }

  /// Reads one block. Waits if nothing is there yet.
  mutating func fill() -> Filled {
    if isAtEnd { return .end }
    makeRoom()
    if capacity - count < Self.block { return .some }
    let added = read(descriptor, bytes + count, Self.block)
    if added > 0 {
      count += added
      return .some
    }
    let error = errno
    if added == 0 {
      isAtEnd = true
      return .end
    }
    switch error {
    case EINTR, EAGAIN: return .later
    default:
      isAtEnd = true
      return .failed(error)
    }
  }

  /// Moves what is left of the last block to the front, and makes room for another block behind it.
  private mutating func makeRoom() {
    if start > 0 {
      count -= start
      searched -= start
      memmove(bytes, bytes + start, count)
      start = 0
    }
    if capacity - count >= Self.block { return }
    let wanted = max(count + Self.block, min(2 * capacity, longest + 2 * Self.block))
    if let larger = owner.grow(to: wanted) {
      bytes = larger
      capacity = wanted
    } else {
      // What is here of the line is dropped, and it is said to be too long; so is the next one of this length.
      longest = min(longest, count - Self.block)
    }
  }
}

/// The bytes of a reader, and its descriptor if it is its own; they go with the last copy of it.
private final class LineMemory {
  private(set) var start: UnsafeMutablePointer<UInt8>
  private let descriptor: Int32?

  init(_ capacity: Int, closing descriptor: Int32?) {
    start = .allocate(capacity: capacity)
    self.descriptor = descriptor
  }

  deinit {
    free(start)
    if let descriptor { close(descriptor) }
  }

  /// Where the bytes are now; nil, and nothing has changed, where the system has no memory.
  func grow(to capacity: Int) -> UnsafeMutablePointer<UInt8>? {
    guard let larger = cs_reallocate(start, capacity) else { return nil }
    start = larger.bindMemory(to: UInt8.self, capacity: capacity)
    return start
  }
}
