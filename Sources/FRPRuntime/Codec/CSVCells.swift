// How a CSV text is written, and the cells of one record of it.

import Glibc

/// How a CSV text is written, where that is not as RFC 4180 has it.
public struct CSVForm: Hashable, Sendable {
  /// A byte of ASCII, no quote and no line break.
  public var separator: UInt8 = 0x2C
  /// Whether the first line names the columns.
  public var hasHeader = true
  /// The columns that count, in this order; without a header the names of the cells. nil: all, as the first line has them.
  public var columns: [String]?
  /// What stands for None beside the empty cell.
  public var nulls: [[UInt8]] = []

  public init() {}

  /// Whether a cell means None.
  @inline(__always)
  func isNull(_ cell: Bytes) -> Bool { cell.isEmpty || !nulls.isEmpty && nulls.contains { $0.elementsEqual(cell) } }
}

/// Where the cells of a record stand in it. One for a reader: a record costs no memory once there was one as wide.
struct CSVCells: ~Copyable {
  /// The bytes of a cell in its record, without its quotes, and whether quotes in it are doubled.
  private struct Place {
    var start: Int
    var end: Int
    var isDoubled: Bool
  }

  private let separator: UInt8
  private var record = Bytes(start: nil, count: 0)
  private var places: UnsafeMutablePointer<Place>
  private var capacity = 32
  private(set) var count = 0
  /// A cell without its doubled quotes.
  private var plain = StringBuilder()

  init(separator: UInt8) {
    self.separator = separator
    places = .allocate(capacity: capacity)
  }

  deinit { places.deallocate() }

  /// Finds the cells of a record, whose bytes must stay in place until the next one; nil, or the offset of what is wrong.
  mutating func split(_ record: Bytes) -> Int? {
    self.record = record
    count = 0
    guard let base = record.baseAddress else {
      add(0, 0)
      return nil
    }
    var end = record.count
    if end > 0, base[end - 1] == 0x0A { end -= 1 }
    if end > 0, base[end - 1] == 0x0D { end -= 1 }
    if end > 0, memchr(base, 0x22, end) != nil { return splitQuoted(base, end) }
    splitPlain(base, end)
    return nil
  }

  @inline(__always)
  private mutating func add(_ start: Int, _ end: Int, isDoubled: Bool = false) {
    if count == capacity { grow() }
    places[count] = Place(start: start, end: end, isDoubled: isDoubled)
    count += 1
  }

  @inline(never)
  private mutating func grow() {
    let wider = UnsafeMutablePointer<Place>.allocate(capacity: 2 * capacity)
    wider.update(from: places, count: count)
    places.deallocate()
    places = wider
    capacity *= 2
  }

  /// Cells without quotes, eight bytes at a time.
  private mutating func splitPlain(_ base: UnsafePointer<UInt8>, _ end: Int) {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    let wanted = UInt64(separator) &* 0x0101_0101_0101_0101
    var start = 0
    var place = 0
    while place + 8 <= end {
      let bytes = (UnsafeRawPointer(base) + place).loadUnaligned(as: UInt64.self) ^ wanted
      // The high bit of each byte that is zero.
      var hits = ~(((bytes & low) &+ low) | bytes | low)
      while hits != 0 {
        let found = place + hits.trailingZeroBitCount >> 3
        add(start, found)
        start = found + 1
        hits &= hits &- 1
      }
      place += 8
    }
    while place < end {
      if base[place] == separator {
        add(start, place)
        start = place + 1
      }
      place += 1
    }
    add(start, end)
  }

  private mutating func splitQuoted(_ base: UnsafePointer<UInt8>, _ end: Int) -> Int? {
    var index = 0
    while true {
      let start = index
      if index < end, base[index] == 0x22 {
        guard let next = quoted(base, index, end) else { return index }
        index = next
        if index < end, base[index] != separator { return index }
      } else {
        while index < end, base[index] != separator { index += 1 }
        add(start, index)
      }
      if index >= end { return nil }
      index += 1
    }
  }

  /// Adds a quoted cell; where it ends, nil if it does not.
  private mutating func quoted(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
    var index = start + 1
    var isDoubled = false
    while index < end {
      if base[index] == 0x22 {
        if index + 1 < end, base[index + 1] == 0x22 {
          isDoubled = true
          index += 1
        } else {
          add(start + 1, index, isDoubled: isDoubled)
          return index + 1
        }
      }
      index += 1
    }
    return nil
  }

  /// The bytes of a cell, valid until the next one is asked for.
  @inline(__always)
  subscript(index: Int) -> Bytes {
    mutating get {
      let place = places[index]
      let cell = Bytes(rebasing: record[place.start..<place.end])
      return place.isDoubled ? single(cell) : cell
    }
  }

  private mutating func single(_ cell: Bytes) -> Bytes {
    plain.removeAll()
    var isSecond = false
    for byte in cell {
      isSecond = byte == 0x22 && !isSecond
      if byte != 0x22 || isSecond { plain.append(byte: byte) }
    }
    return plain.view
  }

  /// Where a cell begins in the record, with its quote.
  func start(_ index: Int) -> Int {
    let start = places[index].start
    return start > 0 && record[start - 1] == 0x22 ? start - 1 : start
  }
}
