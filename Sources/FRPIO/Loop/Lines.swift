// Bytes, cut into lines: many at a time, in the memory that they were read into.
//
// Rules (those of the lines of `--in`)
// - A line ends with `\n` or `\r\n`; the last one may lack it. A byte order mark before the first is no part of it.
// - One that is longer than the limit is counted and dropped while it is read, so that memory is bounded; the rest is read.

import Glibc

/// Some whole lines of a stream.
public struct LineBatch: Sendable {
  /// What was read; the lines are parts of it.
  public fileprivate(set) var bytes: [UInt8] = []
  /// Each line without its break.
  public fileprivate(set) var ranges: [Range<Int>] = []
  /// How many lines were too long, and are missing among these or after them.
  public fileprivate(set) var dropped = 0
  /// How many of these stand before the first that is missing.
  fileprivate(set) var beforeDropped = Int.max

  public var isEmpty: Bool { ranges.isEmpty && dropped == 0 }

  /// Each line as an array of its own.
  public var lines: [[UInt8]] { ranges.map { Array(bytes[$0]) } }

  fileprivate mutating func drop() {
    dropped += 1
    beforeDropped = min(beforeDropped, ranges.count)
  }

  /// Leaves out all but the first lines.
  mutating func keep(_ count: Int) { ranges.removeSubrange(min(count, ranges.count)...) }
}

/// Cuts what comes into lines.
package struct LineCutter {
  /// 64 MiB, as for `--in`.
  static let longest = 64 << 20

  private let longest: Int
  /// The beginning of a line whose end has not come.
  private var rest: [UInt8] = []
  private var isSkipping = false
  private var isFirst = true

  package init(longest: Int = 64 << 20) { self.longest = longest }

  /// Lets `fill` put at most so many bytes into the memory it is given, and cuts them; also what `fill` returned, the
  /// number of bytes, or 0 or less where there are none.
  mutating func read(
    _ count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int
  ) -> (batch: LineBatch, count: Int) {
    var filled = 0
    // Behind the line that has begun, so that nothing is copied again, unless that is long.
    let start = rest.count <= count ? rest.count : 0
    let bytes = [UInt8](unsafeUninitializedCapacity: start + count) { buffer, size in
      _ = buffer.initialize(fromContentsOf: rest[..<start])
      filled = fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[start...]))
      size = start + max(0, filled)
    }
    if filled <= 0 { return (LineBatch(), filled) }
    if start == 0 { return (add(bytes), filled) }
    rest = []
    return (cut(bytes, searched: start), filled)
  }

  /// Cuts bytes that are here already.
  package mutating func add(_ bytes: [UInt8]) -> LineBatch {
    if rest.isEmpty { return cut(bytes, searched: 0) }
    let start = rest.count
    // In its place: a line of many blocks is not copied at each.
    rest += bytes
    let hasEnd = bytes.withUnsafeBytes { $0.baseAddress.map { memchr($0, 0x0A, bytes.count) != nil } ?? false }
    if !hasEnd { return dropLong() }
    let all = rest
    rest = []
    return cut(all, searched: start)
  }

  /// What was left without a break, as a line; what comes then begins a new one.
  package mutating func end() -> LineBatch {
    var batch = LineBatch()
    if !rest.isEmpty, !isSkipping {
      batch.bytes = rest
      append(0..<rest.count, to: &batch)
    }
    rest = []
    isSkipping = false
    return batch
  }

  /// How many bytes wait for their line's end.
  var pending: Int { rest.count }

  private mutating func cut(_ bytes: [UInt8], searched: Int) -> LineBatch {
    var batch = LineBatch()
    batch.bytes = bytes
    batch.ranges.reserveCapacity(bytes.count / 64)
    var start = 0
    bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      var at = searched
      while let found = memchr(base + at, 0x0A, buffer.count - at) {
        let end = UnsafeRawPointer(found) - base
        if isSkipping { isSkipping = false } else { append(start..<end, to: &batch) }
        start = end + 1
        at = start
      }
    }
    keep(bytes[start...], &batch)
    return batch
  }

  /// Drops what waits for its line's end, if that is too long already.
  private mutating func dropLong() -> LineBatch {
    var batch = LineBatch()
    if rest.count > longest {
      rest = []
      (isSkipping, isFirst) = (true, false)
      batch.drop()
    }
    return batch
  }

  private mutating func keep(_ slice: ArraySlice<UInt8>, _ batch: inout LineBatch) {
    if isSkipping { return }
    if slice.count > longest {
      isSkipping = true
      isFirst = false
      batch.drop()
    } else {
      rest = Array(slice)
    }
  }

  private mutating func append(_ range: Range<Int>, to batch: inout LineBatch) {
    var range = range
    if range.count > longest {
      batch.drop()
      isFirst = false
      return
    }
    if let last = range.last, batch.bytes[last] == 0x0D { range = range.lowerBound..<last }
    if isFirst, batch.bytes[range].starts(with: [0xEF, 0xBB, 0xBF]) { range = range.lowerBound + 3..<range.upperBound }
    isFirst = false
    batch.ranges.append(range)
  }
}
