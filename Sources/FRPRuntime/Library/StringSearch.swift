// Finding bytes in bytes, in linear time whatever they are (Knuth, Morris and Pratt for long patterns; short ones are
// tried at every place where their first byte is). UTF-8 synchronises itself, so matches are matches of scalars.

import FRPLibc

/// A pattern of bytes to be found.
struct StringSearch {
  private let pattern: Bytes
  var count: Int { pattern.count }
  /// By place: how much of the pattern still fits when the byte there does not.
  private var fallback: [Int32] = []

  /// An empty pattern is found nowhere.
  init(_ pattern: Bytes) {
    self.pattern = pattern
    if pattern.count <= 16 { return }
    fallback = [Int32](repeating: 0, count: pattern.count)
    var length = 0
    for index in 1..<pattern.count {
      while length > 0, pattern[length] != pattern[index] { length = Int(fallback[length - 1]) }
      if pattern[length] == pattern[index] { length += 1 }
      fallback[index] = Int32(truncatingIfNeeded: length)
    }
  }

  /// Where the pattern first occurs from `start` on.
  func first(in text: Bytes, from start: Int = 0) -> Int? {
    guard let base = text.baseAddress, let wanted = pattern.baseAddress, !pattern.isEmpty,
      text.count - start >= pattern.count
    else { return nil }
    return fallback.isEmpty ? short(base, text.count, wanted: wanted, start: start) : long(text, start)
  }

  private func short(_ base: UnsafePointer<UInt8>, _ count: Int, wanted: UnsafePointer<UInt8>, start: Int) -> Int? {
    var place = start
    while count - place >= pattern.count {
      guard let found = memchr(base + place, Int32(wanted[0]), count - place - pattern.count + 1) else { return nil }
      place = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      if memcmp(base + place, wanted, pattern.count) == 0 { return place }
      place += 1
    }
    return nil
  }

  private func long(_ text: Bytes, _ start: Int) -> Int? {
    var length = 0
    for index in start..<text.count {
      while length > 0, pattern[length] != text[index] { length = Int(fallback[length - 1]) }
      if pattern[length] == text[index] { length += 1 }
      if length == pattern.count { return index + 1 - length }
    }
    return nil
  }
}
