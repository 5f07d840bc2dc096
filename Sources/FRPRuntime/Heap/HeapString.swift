// Strings in the heap: valid UTF-8, a byte count and a cached Character count. ASCII without carriage returns is flagged
// (then a Character is a byte). Those that grow are views: GrownText.swift.

import FRPBase

/// A string's bytes, for reading; valid until the next collection.
public typealias Bytes = UnsafeBufferPointer<UInt8>

extension Heap {
  static let unknownCount = UInt64.max

  /// A permanent string, for constants. `utf8` must be valid.
  public func permanentString(_ utf8: [UInt8]) -> Word {
    let address = permanent(3 + (utf8.count + 7) / 8)
    utf8.withUnsafeBufferPointer { fill(address, $0, permanent: true) }
    return Word(address)
  }

  /// A string of valid UTF-8.
  public func string(_ utf8: Bytes) throws(Fault) -> Word {
    if utf8.count == 0 { return emptyString }
    let address = try allocate(3 + (utf8.count + 7) / 8)
    fill(address, utf8, permanent: false)
    return Word(address)
  }

  public func string(_ text: String) throws(Fault) -> Word {
    var text = text
    var result: Result<Word, Fault> = .success(emptyString)
    text.withUTF8 { bytes in
      do throws(Fault) { result = .success(try string(bytes)) } catch { result = .failure(error) }
    }
    return try result.get()
  }

  private func fill(_ address: Address, _ utf8: Bytes, permanent: Bool) {
    let words = (utf8.count + 7) / 8
    if words > 0 { address[2 + words] = 0 }
    let target = UnsafeMutableRawPointer(address + 3)
    if let source = utf8.baseAddress { target.copyMemory(from: source, byteCount: utf8.count) }
    seal(address, utf8.count, permanent: permanent)
  }

  /// Writes the header of a string whose bytes (and padding) are in place.
  private func seal(_ address: Address, _ count: Int, permanent: Bool) {
    let ascii = isPlainASCII(address + 3, words: (count + 7) / 8)
    var flags = ascii ? Header.flagA : 0
    if permanent { flags |= Header.permanent }
    address[0] = Header.other(.string, payload: 2 + (count + 7) / 8, flags: flags).bits
    address[1] = UInt64(count)
    address[2] = ascii ? UInt64(count) : Heap.unknownCount
  }

  /// Whether all bytes are ASCII and none is a carriage return (CR LF is one Character).
  private func isPlainASCII(_ address: Address, words: Int) -> Bool {
    for index in 0..<words where !Heap.isPlain(address[index]) { return false }
    return true
  }

  /// The same of the bytes of one word.
  @inline(__always)
  static func isPlain(_ word: UInt64) -> Bool {
    if word & 0x8080_8080_8080_8080 != 0 { return false }
    // A zero byte of `word ^ 0x0D…` is a carriage return.
    let x = word ^ 0x0D0D_0D0D_0D0D_0D0D
    return (x &- 0x0101_0101_0101_0101) & ~x & 0x8080_8080_8080_8080 == 0
  }

  @inline(__always)
  public func bytes(_ string: Word) -> Bytes {
    let start = Heap.textStart(string).assumingMemoryBound(to: UInt8.self)
    return Bytes(start: start, count: Int(string.address[1]))
  }

  @inline(__always) public func byteCount(_ string: Word) -> Int { Int(string.field(0)) }

  /// Whether every Character is one byte.
  @inline(__always) public func isASCII(_ string: Word) -> Bool {
    string.address[0] & Header.flagA != 0
  }

  /// The number of Characters. Cost: O(1) for ASCII and after the first time.
  public func characterCount(_ string: Word) -> Int {
    characterCount(string) {}
  }

  /// The same, with a call for each Character that is counted, which may give it up.
  func characterCount<Failure: Error>(_ string: Word, _ step: () throws(Failure) -> Void) throws(Failure) -> Int {
    let cached = string.field(1)
    if cached != Heap.unknownCount { return Int(cached) }
    var count = 0
    for _ in swiftString(string) {
      try step()
      count += 1
    }
    string.address[2] = UInt64(count)
    return count
  }

  /// A Swift string with the same text.
  public func swiftString(_ string: Word) -> String {
    String(decoding: bytes(string), as: UTF8.self)
  }

  @inline(__always)
  public func equalStrings(_ a: Word, _ b: Word) -> Bool {
    if Heap.isLong(a) { return equalLongStrings(a, b) }
    return Heap.sameStrings(a, b)
  }

  private func equalLongStrings(_ a: Word, _ b: Word) -> Bool {
    a == b || byteCount(a) == byteCount(b) && firstDifference(a, b, (byteCount(a) + 7) >> 3) == nil
  }

  /// `equalStrings` of texts that are not long, which needs nothing of the heap.
  @inline(__always)
  static func sameStrings(_ a: Word, _ b: Word) -> Bool {
    if a == b { return true }
    let x = a.address
    let y = b.address
    guard x[1] == y[1] else { return false }
    if (x[0] | y[0]) & Header.flagB != 0 { return sameGrown(a, b) }
    let words = Int(x[1] &+ 7) >> 3
    for index in 0..<words where x[3 + index] != y[3 + index] { return false }
    return true
  }

  /// Below, equal or above zero, by bytes (which is by scalars).
  public func compareStrings(_ a: Word, _ b: Word) -> Int {
    if a == b { return 0 }
    let x = a.address
    let y = b.address
    let shorter = Int(min(x[1], y[1]))
    let common = (shorter + 7) >> 3
    var start = 0
    if common > Heap.longText { start = firstDifference(a, b, common) ?? common }
    let (p, q) = (TextWords(a), TextWords(b))
    // Padding is zero, so words compare as bytes do, most significant first.
    for index in start..<common where p[index] != q[index] {
      return p[index].byteSwapped < q[index].byteSwapped ? -1 : 1
    }
    return x[1] == y[1] ? 0 : (x[1] < y[1] ? -1 : 1)
  }

  /// The strings of consecutive words, joined. Cost: O(bytes); where the first is long, amortised those of the others if it
  /// is the newest of its line. `pause` is told of every stretch of bytes before it is
  /// copied, and may give it up.
  public func concatenate(
    _ strings: UnsafePointer<Word>, _ count: Int, pause: (Int) throws(Fault) -> Void
  ) throws(Fault) -> Word {
    var total = 0
    for index in 0..<count { total += byteCount(strings[index]) }
    if total == 0 { return emptyString }
    if count > 1, let grown = try grow(strings, count, total: total, pause: pause) { return grown }
    let words = (total + 7) / 8
    let address = try allocate(3 + words)
    address[2 + words] = 0
    let target = UnsafeMutableRawPointer(address + 3)
    var offset = 0
    for index in 0..<count {
      let piece = bytes(strings[index])
      try Heap.copy(piece, to: target + offset, pause)
      offset += piece.count
    }
    seal(address, total, permanent: false)
    return Word(address)
  }
}

/// Collects bytes, then makes one string of them.
public struct StringBuilder: ~Copyable {
  public private(set) var bytes: UnsafeMutablePointer<UInt8>
  public private(set) var count = 0
  private var capacity = 256

  public init() { bytes = .allocate(capacity: 256) }
  deinit { bytes.deallocate() }

  private mutating func grow(to needed: Int) {
    let wider = max(needed, capacity * 2)
    let new = UnsafeMutablePointer<UInt8>.allocate(capacity: wider)
    new.update(from: bytes, count: count)
    bytes.deallocate()
    bytes = new
    capacity = wider
  }

  @inline(__always)
  public mutating func append(byte: UInt8) {
    if count == capacity { grow(to: count + 1) }
    bytes[count] = byte
    count += 1
  }

  public mutating func append(_ other: Bytes) {
    if count + other.count > capacity { grow(to: count + other.count) }
    if let start = other.baseAddress { (bytes + count).update(from: start, count: other.count) }
    count += other.count
  }

  public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  /// Forgets the bytes, keeps the memory.
  public mutating func removeAll() { count = 0 }

  /// The bytes, valid until the builder changes.
  public var view: Bytes { Bytes(start: bytes, count: count) }

  /// The string in the heap.
  public func finish(_ heap: Heap) throws(Fault) -> Word { try heap.string(view) }
}
