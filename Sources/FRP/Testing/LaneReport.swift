// What a lane should have shown and what it has shown: one under the other, the first difference marked, each in a form
// that can be pasted back behind `==`.
//
// Rules
// - A moment that is wider in one lane is followed by blanks in the other, which mean nothing.
// - What happened between two moments, at a part of them that can be shown, makes the grid finer.
// - `with` names the letters that do not speak for themselves, with their values as source.
// - Lanes that nobody reads to their end are cut: what is around the first difference stays, `…` stands for the rest.

import FRPBase
import FRPRuntime

struct LaneReport {
  typealias Moments = [(column: Int, letters: [Character])]

  var subject: String
  /// Nanoseconds of one character.
  var period: Int64
  /// The same as the test says it; nil where the grid was made finer.
  var everyText: String?
  var expected: Moments
  var actual: Moments
  var length: Int
  /// What the letters of both lanes stand for.
  var values: [Character: String]
  /// The letters that the test names: what is shown gets its letters anew, so that the first ones are the plainest.
  var alphabet: MarbleAlphabet
  /// A value as source, of a letter and JSON; nil where the letter says it.
  var source: (Character, String) -> String?

  /// In how many parts a moment of a test may be cut. What no such grid holds (where a wave crosses zero, a timer of 7 ms
  /// in a lane of seconds) stands at the nearest moment, however long the lane is.
  private static let finest = 20

  /// The grid on which everything lies that was seen: the test's own, cut into parts where it must be.
  static func grid(_ times: [Int64], _ every: Int64) -> (period: Int64, parts: Int) {
    let period = times.reduce(every, divisor)
    let parts = every / period
    return parts <= finest ? (period, Int(parts)) : (every, 1)
  }

  private static func divisor(_ a: Int64, _ b: Int64) -> Int64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }

  mutating func text() -> String {
    let excerpt = LaneExcerpt(expected, actual, length: length)
    let wanted = lettered(excerpt.expected)
    let got = lettered(excerpt.actual)
    let lanes = aligned(wanted, got, excerpt.columns)
    var lines = [
      "expect \(subject)", "  expected  \(line(lanes.wanted, wanted))", "  actual    \(line(lanes.got, got))",
    ]
    if let (place, column) = lanes.mark {
      lines.append(String(repeating: " ", count: 13 + place) + "^ at \(duration(period * Int64(column)))")
    }
    if let rest = excerpt.rest { lines.append("  … and \(rest)") }
    return lines.joined(separator: "\n")
  }

  /// The letters of what is shown.
  private mutating func lettered(_ moments: [Int: LaneExcerpt.Moment]) -> [Int: LaneExcerpt.Moment] {
    var result = moments
    for column in moments.keys.sorted() {
      result[column]?.letters = (moments[column]?.letters ?? []).map { letter in
        values[letter].map { alphabet.letter(of: $0) } ?? letter
      }
    }
    return result
  }

  private func line(_ lane: String, _ moments: [Int: LaneExcerpt.Moment]) -> String {
    "\"\(MarbleAlphabet.escaped(lane))\" every \(everyText ?? duration(period))" + with(moments)
  }

  private func with(_ moments: [Int: LaneExcerpt.Moment]) -> String {
    var seen: Set<Character> = []
    let letters = moments.keys.sorted().flatMap { moments[$0]?.letters ?? [] }
    return MarbleAlphabet.with(
      letters.filter { seen.insert($0).inserted }.compactMap { letter in
        alphabet.values[letter].flatMap { source(letter, $0) }.map { (letter, TestText.short($0)) }
      })
  }

  /// Both lanes, aligned, and where they first differ: the place in the text, and the column.
  private func aligned(
    _ expected: [Int: LaneExcerpt.Moment], _ actual: [Int: LaneExcerpt.Moment], _ columns: Range<Int>
  ) -> (wanted: String, got: String, mark: (place: Int, column: Int)?) {
    let start = columns.lowerBound > 0 ? "…" : ""
    var (wanted, got) = (start, start)
    var mark: (place: Int, column: Int)?
    for column in columns {
      let a = expected[column]?.text ?? "-"
      let b = actual[column]?.text ?? "-"
      if a != b, mark == nil { mark = (wanted.count, column) }
      let width = max(a.count, b.count)
      wanted += a + String(repeating: " ", count: width - a.count)
      got += b + String(repeating: " ", count: width - b.count)
    }
    let end = columns.upperBound < length ? "…" : ""
    return (wanted.trimmingEnd() + end, got.trimmingEnd() + end, mark)
  }

  /// A length of time as a program writes it.
  private func duration(_ nanoseconds: Int64) -> String {
    if nanoseconds % 1_000_000_000 == 0 { return "\(nanoseconds / 1_000_000_000)s" }
    if nanoseconds % 1_000_000 == 0 { return "\(nanoseconds / 1_000_000)ms" }
    return "\(Double(nanoseconds) / 1e9)s"
  }
}

extension String {
  fileprivate func trimmingEnd() -> String { String(reversed().drop { $0 == " " }.reversed()) }
}
