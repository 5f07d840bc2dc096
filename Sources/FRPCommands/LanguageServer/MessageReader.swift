// Messages from a stream: `Content-Length: N`, an empty line, N bytes of JSON.
//
// read(2) in, texts out. What a header promises is read as it comes, so a lie takes no memory; a message that is too long
// is dropped block by block, and the stream goes on behind it. A header that says no length ends the stream: nobody knows
// where the next message begins.

import Glibc

struct MessageReader {
  enum Message: Equatable {
    case text(String)
    /// Of so many bytes, which are skipped.
    case tooLong(Int)
    /// The header cannot be read.
    case malformed
    /// The stream has ended, in the middle of a message or between two.
    case end(isTruncated: Bool)
  }

  /// The longest program is 8 MiB; as JSON it may take some more.
  static let longest = 64 << 20
  private static let longestHeader = 8 << 10
  private static let block = 1 << 16

  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var start = 0

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Whether nothing has come yet that could be read without waiting.
  var isIdle: Bool {
    if start < bytes.count { return false }
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 0) == 0
  }

  /// The next message; waits for it.
  mutating func next() -> Message {
    guard let header = header() else {
      return start < bytes.count && bytes.count - start > Self.longestHeader
        ? .malformed : .end(isTruncated: start < bytes.count)
    }
    guard let length = Self.length(header) else { return .malformed }
    if length > Self.longest { return skip(length) ? .tooLong(length) : .end(isTruncated: true) }
    while bytes.count - start < length {
      if !fill() { return .end(isTruncated: true) }
    }
    defer { start += length }
    return .text(String(decoding: bytes[start..<start + length], as: UTF8.self))
  }

  /// The header's bytes without the empty line; nil where the stream ends before it, or it is too long.
  private mutating func header() -> ArraySlice<UInt8>? {
    var searched = start
    while true {
      while searched + 3 < bytes.count {
        if bytes[searched] == 0x0D, bytes[searched + 1] == 0x0A, bytes[searched + 2] == 0x0D,
          bytes[searched + 3] == 0x0A
        {
          defer { start = searched + 4 }
          return bytes[start..<searched]
        }
        searched += 1
      }
      if bytes.count - start > Self.longestHeader { return nil }
      let read = searched - start
      if !fill() { return nil }
      searched = start + read
    }
  }

  private static func length(_ header: ArraySlice<UInt8>) -> Int? {
    let text = String(decoding: header, as: UTF8.self)
    var found: Int?
    for line in text.split(separator: "\r\n") {
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "content-length" else { continue }
      guard let value = Int(trimmed(String(line[line.index(after: colon)...]))), value >= 0 else { return nil }
      found = value
    }
    return found
  }

  private mutating func skip(_ length: Int) -> Bool {
    var left = length
    while true {
      let here = min(left, bytes.count - start)
      start += here
      left -= here
      if left == 0 { return true }
      if !fill() { return false }
    }
  }

  /// Reads one block; false at the end.
  private mutating func fill() -> Bool {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    var block = [UInt8](repeating: 0, count: Self.block)
    while true {
      let count = read(descriptor, &block, block.count)
      if count > 0 {
        bytes += block[..<count]
        return true
      }
      if count == 0 || errno != EINTR { return false }
    }
  }
}
