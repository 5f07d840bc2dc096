// Looking for a text in another. Swift's own functions for this come with its regular expressions, which are 1.4 MB of a
// program that is linked as a whole; these stand before them wherever FRPBase is imported.

extension StringProtocol {
  /// Where a text occurs first, compared byte by byte, from one Character's start to another's end; the empty text at the start.
  public func firstRange(of text: String) -> Range<String.Index>? {
    guard let first = text.utf8.first else { return startIndex..<startIndex }
    let (count, bytes) = (text.utf8.count, utf8)
    var from = startIndex
    while let start = bytes[from...].firstIndex(of: first) {
      if bytes[start...].starts(with: text.utf8) {
        let end = bytes.index(start, offsetBy: count)
        if String.Index(start, within: self) != nil, String.Index(end, within: self) != nil { return start..<end }
      }
      from = bytes.index(after: start)
    }
    return nil
  }

  /// Whether a text occurs.
  public func contains(_ text: String) -> Bool { firstRange(of: text) != nil }

  /// With another text wherever one occurs, from the start on; one that is not empty.
  public func replacing(_ text: String, with other: String) -> String {
    parts(separatedBy: text).joined(separator: other)
  }

  /// What stands between the places where a text occurs that is not empty; at most so many of these count.
  public func parts(separatedBy text: String, maxSplits: Int = .max) -> [SubSequence] {
    var parts: [SubSequence] = []
    var rest = self[...]
    while parts.count < maxSplits, !text.isEmpty, let place = rest.firstRange(of: text) {
      parts.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    return parts + [rest]
  }
}
