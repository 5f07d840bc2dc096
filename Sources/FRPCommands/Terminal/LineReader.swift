// Lines from a file descriptor, read in blocks.
//
// read(2) in, lines of bytes without their break out (`\n` or `\r\n`; the last line may lack it). Memory is bounded by
// the longest line; a line over the limit is cut to nothing and reported as too long, the rest is still read.

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
  private var buffer: [UInt8] = []
  private var start = 0
  /// Where the search for the next line break goes on.
  private var searched = 0
  private(set) var isAtEnd = false
  private var isSkippingLongLine = false
  /// The number of the line that `next` returned last, from 1.
  private(set) var lineNumber = 0
  private static let block = 1 << 16

  init(descriptor: Int32) { self.descriptor = descriptor }

  enum Line {
    case text(Range<Int>)
    case tooLong
  }

  /// The next whole line, if it is here already.
  mutating func next() -> Line? {
    while true {
      if let newline = nextBreak() {
        let range = start..<newline
        start = newline + 1
        searched = start
        if isSkippingLongLine {
          isSkippingLongLine = false
          continue
        }
        lineNumber += 1
        return .text(withoutReturn(range))
      }
      if buffer.count - start > Self.longestLine, !isSkippingLongLine { return skipLongLine() }
      guard isAtEnd, start < buffer.count else { return nil }
      let range = start..<buffer.count
      start = buffer.count
      searched = start
      if isSkippingLongLine { return nil }
      lineNumber += 1
      return .text(withoutReturn(range))
    }
  }

  /// The bytes of a line that `next` returned; valid until the next `fill`.
  subscript(range: Range<Int>) -> ArraySlice<UInt8> { buffer[range] }

  private mutating func nextBreak() -> Int? {
    guard searched < buffer.count else { return nil }
    let found: Int? = buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      guard let at = memchr(base + searched, 0x0A, bytes.count - searched) else { return nil }
      return UnsafeRawPointer(at) - base
    }
    searched = found ?? buffer.count
    return found
  }

  private func withoutReturn(_ range: Range<Int>) -> Range<Int> {
    guard let last = range.last, buffer[last] == 0x0D else { return range }
    return range.lowerBound..<last
  }

  private mutating func skipLongLine() -> Line {
    start = buffer.count
    searched = start
    isSkippingLongLine = true
    lineNumber += 1
    return .tooLong
  }

  /// Reads one block. Waits if nothing is there yet.
  mutating func fill() -> Filled {
    if isAtEnd { return .end }
    if start > 0 {
      buffer.removeSubrange(0..<start)
      searched -= start
      start = 0
    }
    let old = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: Self.block))
    let count = buffer.withUnsafeMutableBytes { bytes in
      read(descriptor, bytes.baseAddress.map { $0 + old }, Self.block)
    }
    let error = errno
    buffer.removeLast(Self.block - max(0, count))
    if count > 0 { return .some }
    if count == 0 {
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
}
