// Texts that grow. `s ++ t` of a long s is a view of a buffer with spare room behind its used part, as lists are
// (HeapList.swift): appending to the text that ends at the used part's end fills that room, which no other text can see.
// So `s ++ "a"` in a fold is amortised O(1), and texts stay values.
//
// Such a text is an object of its own (flag B) above a list's view of a buffer of words, which the collector knows how to
// move, to share and to cut. In the buffer's last word the bytes that are free are 0xFF, which no UTF-8 has: the text
// after which such a byte comes is the newest. What follows in the last word of an older text is not zero, so words are
// read through `TextWords`.

import FRPBase

/// A text's bytes as words, zeros after the last; valid until the next collection.
struct TextWords {
  let start: UnsafeRawPointer
  let bytes: Int

  @inline(__always)
  init(_ text: Word) {
    start = Heap.textStart(text)
    bytes = Int(text.address[1])
  }

  var count: Int { (bytes + 7) >> 3 }
  /// Words that hold bytes of the text alone.
  var whole: Int { bytes >> 3 }

  @inline(__always)
  subscript(index: Int) -> Word {
    if index < whole { return start.loadUnaligned(fromByteOffset: index * 8, as: Word.self) }
    let left = UInt64((bytes & 7) * 8)
    // Behind the last byte of a part there may be no memory: its last eight are read.
    if whole > 0 { return start.loadUnaligned(fromByteOffset: bytes - 8, as: Word.self) >> (64 - left) }
    return start.load(as: Word.self) & ~(~0 << left)
  }
}

extension Heap {
  /// A text of fewer bytes is copied when something is appended to it, which costs less than a view. Tests that collect
  /// always try short ones.
  private var leastGrown: Int { collectAlways ? 4 : 512 }
  private static let free: UInt64 = ~0

  @inline(__always)
  static func isGrown(_ text: Word) -> Bool { text.address[0] & Header.flagB != 0 }

  /// Where a text's bytes begin.
  @inline(__always)
  static func textStart(_ text: Word) -> UnsafeRawPointer {
    isGrown(text) ? sharedStart(text) : UnsafeRawPointer(text.address + 3)
  }

  // MARK: Comparing

  @inline(never)
  static func sameGrown(_ a: Word, _ b: Word) -> Bool {
    let (x, y) = (TextWords(a), TextWords(b))
    return (0..<x.count).allSatisfy { x[$0] == y[$0] }
  }

  // MARK: Growing

  /// What is appended to in place, or copied to where it can be.
  func isNewest(text: Word) -> Bool {
    guard Heap.isGrown(text) else { return false }
    let (view, bytes) = (text.address[3], byteCount(text))
    if Header(bits: view.address[0]).kind != ObjectKind.list.rawValue || !Heap.isNewest(view) { return false }
    if (Heap.sharedOffset(text) + bytes) & 7 == 0 { return true }
    return Heap.textStart(text).load(fromByteOffset: bytes, as: UInt8.self) == 0xFF
  }

  /// The first of the texts with the others appended, all of `total` bytes; nil where a text of its own is the better one:
  /// where the first is short, or shorter than what comes. Cost: that of the others, amortised, where it is the newest.
  func grow(
    _ texts: UnsafePointer<Word>, _ count: Int, total: Int, pause: (Int) throws(Fault) -> Void
  ) throws(Fault) -> Word? {
    let first = texts[0]
    let bytes = byteCount(first)
    if bytes < leastGrown || total - bytes > bytes { return nil }
    let isNewest = isNewest(text: first)
    // Where in the buffer the list's view begins, and at which of its bytes the text.
    var (buffer, offset, start) = (first.address, 0, 0)
    if isNewest {
      let view = first.address[3]
      (buffer, offset, start) = (view.field(0).address, Int(view.field(1)), Heap.sharedOffset(first))
    }
    var words = (start + total + 7) / 8
    let isCopied = !isNewest || offset + words >= Header(bits: buffer[0]).payloadCount
    if isCopied {
      (offset, start, words) = (0, 0, (total + 7) / 8)
      buffer = try newBuffer(capacity: words + words / 4, references: false)
    }
    let view = try viewToFill(buffer)
    let payload = Heap.isPart(first) ? 5 : 3
    let text = try allocate(payload + 1)
    text[0] = Header.other(.bytes, payload: payload).bits
    if isCopied {
      let target = UnsafeMutableRawPointer(buffer + 2)
      // The newest has paid for its copy as lists do.
      try Heap.copy(self.bytes(first), to: target) { (bytes) throws(Fault) in try pause(isNewest ? 0 : bytes) }
      if isNewest { Heap.close(first.address[3]) }
    }
    var isASCII = isASCII(first)
    var end = UnsafeMutableRawPointer(buffer + 2 + offset) + (start + bytes)
    for index in 1..<count {
      isASCII = isASCII && self.isASCII(texts[index])
      let more = self.bytes(texts[index])
      try Heap.copy(more, to: end, pause)
      end += more.count
    }
    let used = (start + total) & 7
    if used != 0 { buffer[1 + offset + words] |= Heap.free << UInt64(used * 8) }
    buffer[1] = UInt64(offset + words)
    text[0] = Header.other(.string, payload: payload, flags: Header.flagB | (isASCII ? Header.flagA : 0)).bits
    text[1] = UInt64(total)
    text[2] = isASCII ? UInt64(total) : Heap.unknownCount
    text[3] = show(view, offset, words)
    if payload > 3 {
      text[4] = UInt64(start)
      text[5] = first.address[5]
    }
    return Word(text)
  }

  /// Copies stretch by stretch; `pause` is told of each before, and may give it up.
  static func copy(
    _ bytes: Bytes, to target: UnsafeMutableRawPointer, _ pause: (Int) throws(Fault) -> Void
  ) throws(Fault) {
    var done = 0
    while done < bytes.count, let start = bytes.baseAddress {
      let length = min(bytes.count - done, 8 * Heap.longText)
      try pause(length)
      (target + done).copyMemory(from: start + done, byteCount: length)
      done += length
    }
  }
}
