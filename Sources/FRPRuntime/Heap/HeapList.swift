// Lists in the heap: a view (buffer, offset, count) of a shared buffer. Slices are O(1). A buffer has spare room behind
// its used part: appending to the view that ends at the used part's end fills that room, which no other view can see,
// so values stay immutable and `xs ++ [x]` in a loop is amortised O(1). A buffer that was made for `[x] ++ xs` (flag B) has
// its room before the elements instead, and in its last word the place from which on it is used.
//
// The list after which nothing was put yet is the *newest* of its line. Copying it to where there is more room was paid for by
// what filled its buffer, so it takes no steps; copying any other does. Whether a list is the newest is kept by collections,
// how much room it has is not: so steps do not depend on when memory was collected. A buffer of whose lists none is the newest,
// since it goes on elsewhere, is closed (flag A).

import FRPBase

/// A list, for reading; valid until the next collection.
public struct ListView: RandomAccessCollection {
  public let start: UnsafePointer<Word>
  public let count: Int

  @inline(__always)
  public init(_ list: Word) {
    let address = list.address
    let buffer = address[1].address
    start = UnsafePointer(buffer + 2 + Int(address[2]))
    count = Int(address[3])
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }
  /// Unchecked.
  @inline(__always) public subscript(index: Int) -> Word { start[index] }
}

extension Heap {
  @inline(__always) public func count(_ list: Word) -> Int { Int(list.field(2)) }
  /// Element `index`, unchecked.
  @inline(__always) public func element(_ list: Word, _ index: Int) -> Word {
    ListView(list).start[index]
  }

  func newBuffer(capacity: Int, references: Bool) throws(Fault) -> Address {
    guard capacity < limitBytes / 8 else { throw Fault.memory }
    let buffer = try allocate(capacity + 2)
    buffer[0] = Header.other(references ? .references : .words, payload: capacity + 1).bits
    buffer[1] = 0
    return buffer
  }

  @inline(__always)
  func view(_ buffer: Address, _ offset: Int, _ count: Int) throws(Fault) -> Word {
    if count == 0 { return emptyList }
    let list = try allocate(4)
    list[0] = Header.other(.list, payload: 3).bits
    list[1] = Word(buffer)
    list[2] = UInt64(offset)
    list[3] = UInt64(count)
    return Word(list)
  }

  /// A view that shows nothing yet, so that memory is refused before anything has changed: what is refused is done again after
  /// a collection.
  func viewToFill(_ buffer: Address) throws(Fault) -> Word {
    let list = try allocate(4)
    list[0] = Header.other(.list, payload: 3).bits
    list[1] = Word(buffer)
    list[2] = 0
    list[3] = 0
    return Word(list)
  }

  /// Makes a view show a part of its buffer.
  func show(_ list: Word, _ offset: Int, _ count: Int) -> Word {
    list.address[2] = UInt64(offset)
    list.address[3] = UInt64(count)
    return list
  }

  /// A list of the elements. `references` says whether the element type is a reference type.
  public func list(_ elements: UnsafePointer<Word>, _ count: Int, references: Bool) throws(Fault) -> Word {
    if count == 0 { return emptyList }
    let buffer = try newBuffer(capacity: count, references: references)
    (buffer + 2).update(from: elements, count: count)
    buffer[1] = UInt64(count)
    return try view(buffer, 0, count)
  }

  public func list(_ elements: [Word], references: Bool) throws(Fault) -> Word {
    if elements.isEmpty { return emptyList }
    let buffer = try newBuffer(capacity: elements.count, references: references)
    for index in elements.indices { buffer[2 + index] = elements[index] }
    buffer[1] = UInt64(elements.count)
    return try view(buffer, 0, elements.count)
  }

  /// The list of the elements of a buffer made by the loop.
  func list(adopting buffer: Address) throws(Fault) -> Word { try view(buffer, 0, Int(buffer[1])) }

  /// The elements `range.lowerBound ..< range.upperBound`, which must lie in the list. Cost: O(1).
  public func slice(_ list: Word, from start: Int, count: Int) throws(Fault) -> Word {
    let address = list.address
    if start == 0, count == Int(address[3]) { return list }
    return try view(address[1].address, Int(address[2]) + start, count)
  }

  /// The last `count` elements, in memory that is at most four times as large. Cost: amortised O(1) where the elements
  /// that are left off are never seen again.
  func suffix(_ list: Word, _ count: Int, references: Bool) throws(Fault) -> Word {
    let address = list.address
    let size = Int(address[3])
    if count > 0, count < size, Header(bits: address[1].address[0]).payloadCount > 4 * count + 64 {
      return try self.list(ListView(list).start + (size - count), count, references: references)
    }
    return try slice(list, from: size - count, count: count)
  }

  /// `list ++ [element]`. Cost: amortised O(1) when `list` is the newest of its line. `pause` is told of every stretch of words
  /// before it is copied, and may give it up; of 0 words where they are paid for.
  @inline(__always)
  public func append(
    _ list: Word, _ element: Word, references: Bool, pause: (Int) throws(Fault) -> Void = { (_) throws(Fault) in }
  ) throws(Fault) -> Word {
    let address = list.address
    let buffer = address[1].address
    let end = Int(address[2]) + Int(address[3])
    if Int(buffer[1]) == end, end + 1 < Header(bits: buffer[0]).payloadCount, Heap.growsAtEnd(buffer) {
      let longer = try view(buffer, Int(address[2]), Int(address[3]) + 1)
      buffer[2 + end] = element
      buffer[1] = UInt64(end + 1)
      return longer
    }
    return try widened(list, element, references: references, pause)
  }

  /// `list ++ [element]` in a buffer of its own, with room for more.
  @inline(never)
  private func widened(
    _ list: Word, _ element: Word, references: Bool, _ pause: (Int) throws(Fault) -> Void
  ) throws(Fault) -> Word {
    let old = ListView(list)
    let isPaid = Heap.isNewest(list)
    let buffer = try newBuffer(capacity: max(4, old.count + old.count / 2 + 1), references: references)
    let longer = try viewToFill(buffer)
    try copy(old.start, old.count, to: buffer + 2, isPaid: isPaid, pause)
    if isPaid { Heap.close(list) }
    buffer[2 + old.count] = element
    buffer[1] = UInt64(old.count + 1)
    return show(longer, 0, old.count + 1)
  }

  /// Whether there may be room behind what a buffer has in use.
  @inline(__always)
  static func growsAtEnd(_ buffer: Address) -> Bool {
    buffer[0] & (Header.permanent | Header.flagA | Header.flagB) == 0
  }

  /// Whether nothing was put behind a list yet, nor behind another one that ends where it does.
  static func isNewest(_ list: Word) -> Bool {
    let buffer = list.field(0).address
    return list.field(1) + list.field(2) == buffer[1] && growsAtEnd(buffer)
  }

  /// The newest list goes on elsewhere.
  static func close(_ list: Word) { list.field(0).address[0] |= Header.flagA }

  /// `first ++ second`. Cost: O(second), amortised, when `first` is the newest of its line; O(first) when `second` is much
  /// longer and the newest of a line that grows at its start. `pause` is told of every stretch of words before it is
  /// copied, and may give it up; of 0 words where they are paid for.
  public func append(
    _ first: Word, list second: Word, references: Bool, pause: (Int) throws(Fault) -> Void
  ) throws(Fault) -> Word {
    let more = ListView(second)
    if more.count == 0 { return first }
    let address = first.address
    let count = Int(address[3])
    if count == 0 { return second }
    if more.count >= leastAtStart, count <= more.count / 8 || collectAlways {
      return try prepend(ListView(first), second, references: references, pause: pause)
    }
    let buffer = address[1].address
    let end = Int(address[2]) + count
    let isNewest = Heap.isNewest(first)
    if isNewest, end + more.count < Header(bits: buffer[0]).payloadCount {
      let longer = try viewToFill(buffer)
      try copy(more.start, more.count, to: buffer + 2 + end, pause)
      buffer[1] = UInt64(end + more.count)
      return show(longer, Int(address[2]), count + more.count)
    }
    let wider = try newBuffer(capacity: max(4, count + more.count, count + count / 2 + 1), references: references)
    let longer = try viewToFill(wider)
    try copy(ListView(first).start, count, to: wider + 2, isPaid: isNewest, pause)
    try copy(more.start, more.count, to: wider + 2 + count, pause)
    if isNewest { Heap.close(first) }
    wider[1] = UInt64(count + more.count)
    return show(longer, 0, count + more.count)
  }

  /// Shorter lists are copied when something is put before them. Tests that collect always try short ones.
  private var leastAtStart: Int { collectAlways ? 2 : 64 }

  /// `head ++ list`. What is free at the start of the buffer holds copies of an element, since whoever goes through a buffer
  /// looks at all of it.
  private func prepend(
    _ head: ListView, _ list: Word, references: Bool, pause: (Int) throws(Fault) -> Void
  ) throws(Fault) -> Word {
    let rest = ListView(list)
    var buffer = list.address[1].address
    var offset = Int(list.address[2])
    let isNewest =
      buffer[0] & (Header.permanent | Header.flagB) == Header.flagB && Heap.usedFrom(buffer).pointee == UInt64(offset)
    if !isNewest || offset < head.count {
      offset = head.count + rest.count / 4
      let used = offset + rest.count
      buffer = try newBuffer(capacity: used + 1, references: references)
    }
    let longer = try viewToFill(buffer)
    if buffer != list.address[1].address {
      (buffer + 2).update(repeating: rest[0], count: offset)
      try copy(rest.start, rest.count, to: buffer + 2 + offset, isPaid: isNewest, pause)
      buffer[0] |= Header.flagB
      buffer[1] = UInt64(offset + rest.count)
      // No list begins there: none is the newest any more.
      if isNewest { Heap.usedFrom(list.address[1].address).pointee = list.address[1].address[1] }
    }
    offset -= head.count
    try copy(head.start, head.count, to: buffer + 2 + offset, pause)
    Heap.usedFrom(buffer).pointee = UInt64(offset)
    return show(longer, offset, head.count + rest.count)
  }

  /// Where a buffer that grows at its start says from which place on it is used.
  static func usedFrom(_ buffer: Address) -> Address { buffer + Header(bits: buffer[0]).payloadCount }

  private func copy(
    _ words: UnsafePointer<Word>, _ count: Int, to target: Address, isPaid: Bool = false,
    _ pause: (Int) throws(Fault) -> Void
  ) throws(Fault) {
    var start = 0
    while start < count {
      let length = min(count - start, Machine.stretch)
      try pause(isPaid ? 0 : length)
      (target + start).update(from: words + start, count: length)
      start += length
    }
  }
}

/// Fills one buffer, then makes a list of it. The buffer lives in the heap: between instants, do not collect meanwhile; in
/// one, a builder in a variable of a routine keeps its buffer where it is.
public struct ListBuilder {
  private let heap: Heap
  private let references: Bool
  private var buffer: Address?
  private var capacity = 0
  public private(set) var count = 0

  /// `references` says whether the element type is a reference type.
  public init(_ heap: Heap, references: Bool, capacity: Int = 0) throws(Fault) {
    self.heap = heap
    self.references = references
    if capacity > 0 { try grow(to: capacity) }
  }

  private mutating func grow(to wanted: Int) throws(Fault) {
    guard wanted < heap.limitBytes / 8 else { throw Fault.memory }
    let new = try heap.allocate(wanted + 2)
    new[0] = Header.other(references ? .references : .words, payload: wanted + 1).bits
    new[1] = UInt64(count)
    if let buffer { (new + 2).update(from: buffer + 2, count: count) }
    buffer = new
    capacity = wanted
  }

  @inline(__always)
  public mutating func append(_ element: Word) throws(Fault) {
    if count == capacity { try grow(to: max(4, capacity * 2)) }
    buffer.unsafelyUnwrapped[2 + count] = element
    count += 1
    // What a collection looks at if the next element is computed by a function.
    if references { buffer.unsafelyUnwrapped[1] = UInt64(count) }
  }

  public mutating func append(_ words: UnsafePointer<Word>, _ more: Int) throws(Fault) {
    if count + more > capacity { try grow(to: max(count + more, capacity * 2)) }
    guard let buffer else { return }
    (buffer + 2 + count).update(from: words, count: more)
    count += more
    buffer[1] = UInt64(count)
  }

  /// Element `index` of what was appended so far, unchecked; may be exchanged (for sorting in place).
  public subscript(index: Int) -> Word {
    get { buffer.unsafelyUnwrapped[2 + index] }
    nonmutating set { buffer.unsafelyUnwrapped[2 + index] = newValue }
  }

  /// The list; the builder must not be used afterwards.
  public func finish() throws(Fault) -> Word {
    guard let buffer, count > 0 else { return heap.emptyList }
    buffer[1] = UInt64(count)
    let list = try heap.allocate(4)
    list[0] = Header.other(.list, payload: 3).bits
    list[1] = Word(buffer)
    list[2] = 0
    list[3] = UInt64(count)
    return Word(list)
  }
}
