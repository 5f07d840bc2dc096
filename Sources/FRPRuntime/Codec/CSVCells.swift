// How a CSV text is written, and the cells of one record of it.

import FRPLibc

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
  /// The bytes of a cell in its record, without its quotes.
  private struct Place {
    var start: Int
    var end: Int
  }

  private let separator: UInt8
  private var record = Bytes(start: nil, count: 0)
  private var places: UnsafeMutablePointer<Place>
  private var capacity = 32
  private(set) var count = 0
  /// Whether there is a quote in the record.
  private var isQuoted = false
  /// A cell without its doubled quotes.
  private var plain = StringBuilder()

  init(separator: UInt8) {
    self.separator = separator
    places = .allocate(capacity: capacity)
  }

  deinit { places.deallocate() }

  enum Flaw {
    /// The offset of what is no UTF-8, and of a quoted cell that does not end well.
    case encoding(Int)
    case quotes(Int)
  }

  /// Finds the cells of a record, whose bytes must stay in place until the next one; nil, or what is wrong.
  mutating func split(_ record: Bytes) -> Flaw? {
    self.record = record
    count = 0
    guard let base = record.baseAddress else {
      add(0, 0)
      return nil
    }
    var end = record.count
    if end > 0, base[end - 1] == 0x0A { end -= 1 }
    if end > 0, base[end - 1] == 0x0D { end -= 1 }
    isQuoted = memchr(base, 0x22, end) != nil
    let isASCII = !isQuoted && splitPlain(base, end)
    if !isASCII, let flaw = UTF8Text.firstFlaw(record) { return .encoding(flaw) }
    return isQuoted ? splitQuoted(base, end).map { .quotes($0) } : nil
  }

  @inline(__always)
  private mutating func add(_ start: Int, _ end: Int) {
    if count == capacity { grow() }
    places[count] = Place(start: start, end: end)
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

  /// Cells without quotes, eight bytes at a time; whether all of them are ASCII.
  private mutating func splitPlain(_ base: UnsafePointer<UInt8>, _ end: Int) -> Bool {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    let wanted = UInt64(separator) &* 0x0101_0101_0101_0101
    var all: UInt64 = 0
    var start = 0
    var place = 0
    // Not the fields, which would be written at every cell.
    var next = places
    while place &+ 8 <= end {
      let bytes = (UnsafeRawPointer(base) + place).loadUnaligned(as: UInt64.self)
      all |= bytes
      let differences = bytes ^ wanted
      // The high bit of each byte that is zero.
      var hits = ~(((differences & low) &+ low) | differences | low)
      count = next - places
      if count &+ 8 > capacity {
        grow()
        next = places + count
      }
      while hits != 0 {
        let found = place &+ hits.trailingZeroBitCount &>> 3
        next.initialize(to: Place(start: start, end: found))
        next += 1
        start = found &+ 1
        hits &= hits &- 1
      }
      place &+= 8
    }
    count = next - places
    while place < end {
      all |= UInt64(base[place])
      if base[place] == separator {
        add(start, place)
        start = place + 1
      }
      place += 1
    }
    add(start, end)
    return all & ~low == 0
  }

  private mutating func splitQuoted(_ base: UnsafePointer<UInt8>, _ end: Int) -> Int? {
    var index = 0
    while true {
      let start = index
      if index < end, base[index] == 0x22 {
        guard let next = quoted(base, index, end: end) else { return index }
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
  private mutating func quoted(_ base: UnsafePointer<UInt8>, _ start: Int, end: Int) -> Int? {
    var index = start + 1
    while index < end {
      if base[index] == 0x22 {
        if index + 1 < end, base[index + 1] == 0x22 {
          index += 1
        } else {
          add(start + 1, index)
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
      return isQuoted && hasDoubled(place) ? single(cell) : cell
    }
  }

  /// Whether a cell stands in quotes, and has some itself.
  private func hasDoubled(_ place: Place) -> Bool {
    place.start > 0 && record[place.start - 1] == 0x22 && record[place.start..<place.end].contains(0x22)
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
