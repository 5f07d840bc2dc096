// A pattern of `Regex` for a host that looks into texts itself.

/// What a part of a text looks like. One thread.
public struct TextPattern {
  private let matcher: RegexMatcher

  /// Throws a fault that says what is malformed.
  public init(_ pattern: String) throws(Fault) {
    var pattern = pattern
    let result = pattern.withUTF8 { bytes in
      Result { () throws(Fault) in try PatternCache().matcher(bytes) }
    }
    matcher = try result.get()
  }

  /// Where in a text the pattern's first group is, or what fits if it has none or that took no part; nil where nothing
  /// fits. The text is well-formed UTF-8.
  public func find(in text: Bytes) -> Range<Int>? {
    guard matcher.search(text, { _ in }) else { return nil }
    let slots = matcher.slots
    let place = slots.count > 3 && slots[2] >= 0 ? 2 : 0
    return slots[place]..<slots[place + 1]
  }
}
