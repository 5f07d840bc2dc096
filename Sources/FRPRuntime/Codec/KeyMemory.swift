// The keys of objects as they came last, place by place: the lines of a file tend to have the same keys in the same order,
// so most keys are recognised by comparing a word or two, quotes and colon included.
//
// A row is 7 words: how many bytes (0: nothing yet), the field (-1: a key that the type does not name), a mask for the last
// word, and the bytes. Equal bytes mean the same key, whatever escapes and spaces are in them.

/// Remembers the keys of each constructor's objects.
struct KeyMemory: ~Copyable {
  /// Further keys of an object are looked up as if new.
  static let places = 32
  private static let rowWords = 7
  private static let longestKey = 32

  /// By constructor; rows are made when the first object comes.
  private let rows: UnsafeMutablePointer<UnsafeMutablePointer<UInt64>?>
  private let count: Int

  init(constructors count: Int) {
    self.count = count
    rows = .allocate(capacity: max(1, count))
    rows.initialize(repeating: nil, count: max(1, count))
  }

  deinit {
    for index in 0..<count { rows[index]?.deallocate() }
    rows.deallocate()
  }

  /// The rows of a constructor.
  @inline(__always)
  func rows(of constructor: Int) -> UnsafeMutablePointer<UInt64> {
    if let found = rows[constructor] { return found }
    return makeRows(constructor)
  }

  @inline(never)
  private func makeRows(_ constructor: Int) -> UnsafeMutablePointer<UInt64> {
    let words = KeyMemory.places * KeyMemory.rowWords
    let new = UnsafeMutablePointer<UInt64>.allocate(capacity: words)
    new.initialize(repeating: 0, count: words)
    rows[constructor] = new
    return new
  }

  /// If the text at `cursor` begins with the key that was last at this place, passes it and gives its field, or -1 for one
  /// that the type does not name; nil otherwise.
  @inline(__always)
  static func pass(_ rows: UnsafeMutablePointer<UInt64>, _ place: Int, cursor: inout JSONCursor) -> Int? {
    if place >= places { return nil }
    let row = rows + place * rowWords
    let bytes = Int(row[0])
    // Whole words are compared, so the last must lie in the text.
    if bytes == 0 || cursor.end - cursor.at < (bytes + 7) & ~7 { return nil }
    let text = UnsafeRawPointer(cursor.at)
    let last = (bytes - 1) >> 3
    for index in 0..<last where text.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) != row[3 + index] {
      return nil
    }
    if text.loadUnaligned(fromByteOffset: last * 8, as: UInt64.self) & row[2] != row[3 + last] { return nil }
    cursor.at += bytes
    return Int(truncatingIfNeeded: Int64(bitPattern: row[1]))
  }

  /// Remembers that the key from `begin` to before `end` stands at this place.
  static func learn(
    _ rows: UnsafeMutablePointer<UInt64>, _ place: Int, begin: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>,
    field: Int
  ) {
    let bytes = end - begin
    if place >= places || bytes > longestKey { return }
    let row = rows + place * rowWords
    row[0] = UInt64(bytes)
    row[1] = UInt64(bitPattern: Int64(field))
    row[2] = ~0 >> UInt64((8 - (bytes - 1) % 8 - 1) * 8)
    for index in 3..<rowWords { row[index] = 0 }
    for index in 0..<bytes { row[3 + (index >> 3)] |= UInt64(begin[index]) << UInt64(index % 8 * 8) }
  }
}
