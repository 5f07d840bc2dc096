// Texts that are parts of longer ones. `drop(s, 1)` of a long s shows the bytes of s from its second one on, so that taking a
// text apart from either end costs what is taken off and not what is left.
//
// Such a text is an object of its own (flag B), as a text that grows is (GrownText.swift), with two words more: where it begins,
// and a byte in it that is not plain ASCII. What holds its bytes is a text, of which a part is a quarter at least: what it
// keeps in memory is at most four times as large. Or it is a list's view, whose buffer the collector cuts to what is shown.
//
// Which parts are copied does not depend on when memory was collected, and so what they cost does not either.

import FRPBase

extension Heap {
  /// Parts of fewer bytes are copied, which costs less than sharing. Tests that collect always try short ones; of eight bytes
  /// at least, since `TextWords` reads the last eight at once.
  private var leastPart: Int { collectAlways ? 8 : 512 }
  /// In the place of the byte that is not plain, where none is known.
  static let unknownPlace = UInt64.max

  /// Whether a text says itself where in its holder it begins.
  @inline(__always)
  static func isPart(_ text: Word) -> Bool { isGrown(text) && Header(bits: text.address[0]).payloadCount > 3 }

  /// Where the bytes begin of a text that others share with it.
  static func sharedStart(_ text: Word) -> UnsafeRawPointer {
    let holder = text.address[3]
    let isText = Header(bits: holder.address[0]).kind == ObjectKind.string.rawValue
    let start = isText ? UnsafeRawPointer(holder.address + 3) : UnsafeRawPointer(ListView(holder).start)
    return start + sharedOffset(text)
  }

  /// At which byte of its holder such a text begins: one of the first eight where that is a list's view.
  static func sharedOffset(_ text: Word) -> Int { isPart(text) ? Int(text.address[4]) : 0 }

  /// How many Characters a text has, where that was found out before.
  func knownCount(_ text: Word) -> Int? {
    let count = text.field(1)
    return count == Heap.unknownCount ? nil : Int(count)
  }

  /// A range of a text's bytes, which begins and ends between scalars, as a text. `characters` says how many Characters it has,
  /// where that is known. Cost: O(bytes) where it is copied; else amortised O(1) for each byte left off where parts are taken of
  /// parts. `pause` is told of every stretch of bytes before it is copied or looked at, and may give it up.
  func part(
    _ text: Word, _ range: Range<Int>, characters: Int? = nil, pause: (Int) throws(Fault) -> Void
  ) throws(Fault) -> Word {
    if range.isEmpty { return emptyString }
    if range.count == byteCount(text) { return text }
    let result: Word
    if range.count >= leastPart, isShared(text, range.count) {
      result = try sharedPart(text, range, pause)
    } else {
      try pause(range.count)
      result = try string(Bytes(rebasing: bytes(text)[range]))
    }
    if let characters { result.address[2] = UInt64(characters) }
    return result
  }

  /// Whether so many bytes of a text are to be shared with it.
  private func isShared(_ text: Word, _ count: Int) -> Bool {
    let holder = Heap.isGrown(text) ? text.address[3] : text
    return Header(bits: holder.address[0]).kind != ObjectKind.string.rawValue || count * 4 >= byteCount(holder)
  }

  private func sharedPart(
    _ text: Word, _ range: Range<Int>, _ pause: (Int) throws(Fault) -> Void
  ) throws(Fault) -> Word {
    let place = try placeNotPlain(text, range, pause)
    var (holder, offset) = (text, range.lowerBound)
    if Heap.isGrown(text) {
      (holder, offset) = (text.address[3], offset + Heap.sharedOffset(text))
      if Header(bits: holder.address[0]).kind == ObjectKind.list.rawValue {
        let (first, end) = (offset / 8, (offset + range.count + 7) / 8)
        holder = try slice(holder, from: first, count: end - first)
        offset &= 7
      }
    }
    let part = try allocate(6)
    part[0] = Header.other(.string, payload: 5, flags: Header.flagB | (place == nil ? Header.flagA : 0)).bits
    part[1] = UInt64(range.count)
    part[2] = place == nil ? UInt64(range.count) : Heap.unknownCount
    part[3] = holder
    part[4] = UInt64(offset)
    part[5] = place.map { UInt64($0) } ?? Heap.unknownPlace
    return Word(part)
  }

  /// A byte of a part that is not plain ASCII, from its start; nil where all are. What the text knows is passed on, so
  /// that parts of parts do not look at the same bytes again.
  private func placeNotPlain(
    _ text: Word, _ range: Range<Int>, _ pause: (Int) throws(Fault) -> Void
  ) throws(Fault) -> Int? {
    // A step even for what is not looked at.
    try pause(0)
    if isASCII(text) { return nil }
    if Heap.isPart(text), text.address[5] != Heap.unknownPlace, range.contains(Int(text.address[5])) {
      return Int(text.address[5]) - range.lowerBound
    }
    let bytes = UnsafeRawBufferPointer(bytes(text))
    var start = range.lowerBound
    while start < range.upperBound {
      let from = start
      let end = min(range.upperBound, start + 8 * Heap.longText)
      while start + 8 <= end, Heap.isPlain(bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)) { start += 8 }
      while start < end, Heap.isPlain(UInt64(bytes[start])) { start += 1 }
      try pause(start - from)
      if start < end { return start - range.lowerBound }
    }
    return nil
  }
}
