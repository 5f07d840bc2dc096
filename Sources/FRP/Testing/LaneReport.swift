// What a lane should have shown and what it has shown: one under the other, the first difference marked, each in a form
// that can be pasted back behind `==`.
//
// Rules
// - A moment that is wider in one lane is followed by blanks in the other, which mean nothing.
// - What happened between two moments, at a part of them that can be shown, makes the grid finer.
// - `with` names the letters that do not speak for themselves, with their values as source.

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
  /// The value of a letter as source; nil where the letter says it.
  var source: (Character) -> String?

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

  var text: String {
    let (wanted, got, mark) = lanes
    var lines = ["expect \(subject)", "  expected  \(line(wanted, expected))", "  actual    \(line(got, actual))"]
    if let (place, column) = mark {
      lines.append(String(repeating: " ", count: 13 + place) + "^ at \(duration(period * Int64(column)))")
    }
    return lines.joined(separator: "\n")
  }

  private func line(_ lane: String, _ moments: Moments) -> String {
    "\"\(MarbleAlphabet.escaped(lane))\" every \(everyText ?? duration(period))" + with(moments)
  }

  private func with(_ moments: Moments) -> String {
    var seen: Set<Character> = []
    return MarbleAlphabet.with(
      moments.flatMap(\.letters).filter { seen.insert($0).inserted }.compactMap { letter in
        source(letter).map { (letter, $0) }
      })
  }

  /// Both lanes, aligned, and where they first differ: the place in the text, and the column.
  private var lanes: (String, String, (place: Int, column: Int)?) {
    var (wanted, got) = ("", "")
    var mark: (place: Int, column: Int)?
    for column in 0..<length {
      let a = piece(expected, column)
      let b = piece(actual, column)
      if a != b, mark == nil { mark = (wanted.count, column) }
      let width = max(a.count, b.count)
      wanted += a + String(repeating: " ", count: width - a.count)
      got += b + String(repeating: " ", count: width - b.count)
    }
    return (wanted.trimmingEnd(), got.trimmingEnd(), mark)
  }

  private func piece(_ moments: Moments, _ column: Int) -> String {
    guard let moment = moments.first(where: { $0.column == column }) else { return "-" }
    return moment.letters.count == 1 ? String(moment.letters) : "[" + String(moment.letters) + "]"
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
