// The changes of a page's text, and whose they are: each takes back their own.

/// A change of the text.
struct PageChange {
  /// The text before it.
  var before: PageText
  /// The viewer who made it; nil where it was taken back without being the last, or is such a taking back.
  var author: Int?

  /// Whether somebody may take it back: it is theirs, or of somebody who is gone.
  func isOf(_ viewer: Int, among others: Set<Int>) -> Bool {
    guard let author else { return false }
    return author == viewer || !others.contains(author)
  }
}

extension PageChange {
  /// A text without a change that came before others: what was between `before` and `after` is put back in `now`. Nil where
  /// the others have changed the same lines.
  static func taken(back before: String, _ after: String, in now: String) -> String? {
    let own = LineChange(before, after)
    let others = LineChange(after, now)
    let shift: Int
    if own.new.upperBound <= others.old.lowerBound {
      shift = 0
    } else if others.old.upperBound <= own.new.lowerBound {
      shift = others.new.count - others.old.count
    } else {
      return nil
    }
    var lines = LineChange.lines(now)
    let place = own.new.lowerBound + shift..<own.new.upperBound + shift
    lines.replaceSubrange(place, with: LineChange.lines(before)[own.old])
    return lines.joined(separator: "\n")
  }
}

/// Where two texts differ: the lines between what both begin and end with.
struct LineChange {
  let old: Range<Int>
  let new: Range<Int>

  static func lines(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

  init(_ before: String, _ after: String) {
    let (old, new) = (Self.lines(before), Self.lines(after))
    let most = min(old.count, new.count)
    var head = 0
    while head < most, old[head] == new[head] { head += 1 }
    var tail = 0
    while tail < most - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
    (self.old, self.new) = (head..<old.count - tail, head..<new.count - tail)
  }
}
