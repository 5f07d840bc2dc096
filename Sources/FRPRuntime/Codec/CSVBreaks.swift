// Where the records of a CSV text end: at line breaks that do not stand in quotes.

import FRPLibc

/// Finds the ends of records in text that may still be arriving. The lines of a record whose quotes do not end well are
/// records of their own, so that a forgotten quote does not cost the rest of the text. No byte is looked at more than
/// twice.
public struct CSVBreaks {
  private enum Place {
    case cellStart, plain, quoted
    /// Behind a quote within quotes: the end of the cell, or the first half of `""`.
    case afterQuote
    /// In a cell that goes on after its quotes.
    case malformed
  }

  private var place = Place.cellStart
  /// How much of the present record was looked at.
  private var searched = 0
  /// The first line break in quotes of the present record.
  private var quotedBreak: Int?
  /// How much of what comes is taken line by line.
  private var broken = 0
  private let separator: UInt8

  public init(separator: UInt8 = 0x2C) { self.separator = separator }

  /// The offset of the line break that ends the first record of `text`; nil if there is none yet. To be asked again
  /// with the same bytes and more behind them, or, after an answer, with what follows the line break. `isComplete` says
  /// that nothing follows `text`.
  public mutating func next(in text: Bytes, isComplete: Bool) -> Int? {
    if searched == 0, broken == 0, let end = plainEnd(text) { return end }
    if searched == 0, text.starts(with: [0xEF, 0xBB, 0xBF]) { searched = 3 }
    while searched < text.count {
      let ends = goOver(text[searched])
      if place == .malformed, quotedBreak != nil { return firstLine() }
      if ends { return end(at: searched) }
      searched += 1
    }
    return isComplete && place == .quoted ? firstLine() : nil
  }

  /// The length of the first record of a text that is all there, with its line break; nil if there is none.
  public mutating func recordLength(_ text: Bytes) -> Int? {
    text.isEmpty ? nil : next(in: text, isComplete: true).map { $0 + 1 } ?? text.count
  }

  /// The end of a first line without quotes, which is most of them.
  private func plainEnd(_ text: Bytes) -> Int? {
    guard let start = text.baseAddress, let end = memchr(start, 0x0A, text.count) else { return nil }
    let length = UnsafeRawPointer(end) - UnsafeRawPointer(start)
    return memchr(start, 0x22, length) == nil ? length : nil
  }

  /// Goes over the byte at `searched`; whether the record ends there.
  private mutating func goOver(_ byte: UInt8) -> Bool {
    switch (place, byte) {
    case (_, 0x0A) where broken > 0: return true
    case (.quoted, 0x22): place = .afterQuote
    case (.quoted, 0x0A): quotedBreak = quotedBreak ?? searched
    case (.quoted, _), (.afterQuote, 0x0D): break
    case (.afterQuote, 0x22): place = .quoted
    case (_, 0x0A): return true
    case (.malformed, _): break
    case (_, separator): place = .cellStart
    case (.cellStart, 0x22): place = .quoted
    case (.afterQuote, _): place = .malformed
    default: place = .plain
    }
    return false
  }

  /// Gives up the record: its lines come one by one.
  private mutating func firstLine() -> Int? {
    guard let quotedBreak else { return nil }
    broken = searched
    return end(at: quotedBreak)
  }

  private mutating func end(at offset: Int) -> Int {
    let left = max(0, broken - offset - 1)
    self = CSVBreaks(separator: separator)
    broken = left
    return offset
  }
}
