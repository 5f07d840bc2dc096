// What is shown of two lanes that differ: all of short ones, of others what is around the first difference.
//
// Limits: of a cut lane `before` columns, then at most `after` columns or `letters` values; of one moment of it `group`
// values.

struct LaneExcerpt {
  /// One moment of a lane, or a part of it.
  struct Moment {
    var letters: [Character]
    var isCutBefore = false
    var isCutAfter = false

    var text: String {
      if letters.count == 1, !isCutBefore, !isCutAfter { return String(letters) }
      return "[" + (isCutBefore ? "…" : "") + String(letters) + (isCutAfter ? "…" : "") + "]"
    }
  }

  private(set) var columns: Range<Int>
  private(set) var expected: [Int: Moment] = [:]
  private(set) var actual: [Int: Moment] = [:]
  /// What is not shown, in words; nil if all is.
  private(set) var rest: String?

  private static let wholeColumns = 400
  private static let wholeLetters = 80
  private static let before = 16
  private static let after = 48
  private static let letters = 24
  private static let group = 8

  init(_ wanted: LaneReport.Moments, _ got: LaneReport.Moments, length: Int) {
    let counts = [wanted, got].map { lane in lane.reduce(0) { $0 + $1.letters.count } }
    columns = 0..<length
    let all = [wanted, got].map { lane in Dictionary(lane.map { ($0.column, $0.letters) }) { first, _ in first } }
    if length <= Self.wholeColumns, counts.allSatisfy({ $0 <= Self.wholeLetters }) {
      expected = all[0].mapValues { Moment(letters: $0) }
      actual = all[1].mapValues { Moment(letters: $0) }
      return
    }
    let first = (0..<length).first { all[0][$0] ?? [] != all[1][$0] ?? [] } ?? 0
    let start = max(0, first - Self.before)
    var end = start
    var room = Self.letters
    while end < length, end < first + Self.after, room > 0 {
      let (a, b) = (all[0][end] ?? [], all[1][end] ?? [])
      let place = zip(a, b).prefix { $0 == $1 }.count
      if !a.isEmpty { expected[end] = Self.part(a, around: place) }
      if !b.isEmpty { actual[end] = Self.part(b, around: place) }
      if end >= first { room -= max(expected[end]?.letters.count ?? 0, actual[end]?.letters.count ?? 0) }
      end += 1
    }
    columns = start..<end
    expected = expected.filter { columns.contains($0.key) }
    actual = actual.filter { columns.contains($0.key) }
    let shown = actual.values.reduce(0) { $0 + $1.letters.count }
    rest = Self.words(values: counts[1] - shown, moments: length - columns.count)
  }

  private static func part(_ letters: [Character], around place: Int) -> Moment {
    if letters.count <= group { return Moment(letters: letters) }
    let start = max(0, min(place - 2, letters.count - group))
    let end = min(letters.count, start + group)
    return Moment(
      letters: Array(letters[start..<end]), isCutBefore: start > 0, isCutAfter: end < letters.count)
  }

  private static func words(values: Int, moments: Int) -> String? {
    let parts = [(values, "value"), (moments, "moment")].filter { $0.0 > 0 }.map { count, what in
      "\(TestText.grouped(count)) more \(what)\(count == 1 ? "" : "s")"
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
