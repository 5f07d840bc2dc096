// When something happens, as crontab(5) writes it: minute, hour, day, month, weekday. In UTC.
//
// Rules
// - `*`, `5`, `1-5`, `*/15`, `10-50/20`, `5/15` (from 5 on), lists of these with `,`; `jan` to `dec`, `sun` to `sat`, 7 for
//   Sunday; `@hourly` and the like.
// - Where both days are said, one of them is enough; a field that begins with `*` says none.

import FRPBase

/// The moments of a crontab line.
public struct Cron: Hashable, Sendable {
  private let minutes: UInt64
  private let hours: UInt64
  private let days: UInt64
  private let months: UInt64
  /// 0 (Sunday) to 6.
  private let weekdays: UInt64
  /// Whether a day is one by its number or by its weekday, rather than by both.
  private let isEither: Bool

  public init(_ text: String) throws(IOError) {
    let lowered = text.lowercased()
    let words = (Self.names[lowered] ?? lowered).split(whereSeparator: \.isWhitespace)
    if words.first?.hasPrefix("@") == true {
      throw IOError(
        "a moment of cron is \(Self.names.keys.sorted().joined(separator: ", ")) or five fields, not `\(text)`")
    }
    guard words.count == 5 else {
      throw IOError("a moment of cron has five fields (minute hour day month weekday), not \(words.count): `\(text)`")
    }
    var sets: [UInt64] = []
    for (field, word) in zip(CronField.all, words) { sets.append(try field.set(word)) }
    (minutes, hours, days, months) = (sets[0], sets[1], sets[2], sets[3])
    weekdays = (sets[4] | sets[4] >> 7) & 0x7F
    isEither = !words[2].hasPrefix("*") && !words[4].hasPrefix("*")
  }

  private static let names = [
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
  ]

  /// The first moment after another; nil where there is none (30 February), or none before the calendar's end. Cost: O(days
  /// in between), at most those of 400 years, after which days and weekdays repeat.
  public func next(after moment: CivilMoment) -> CivilMoment? {
    let minute = moment.seconds.dividingRounded(by: 60) + 1
    let today = minute.dividingRounded(by: 1440)
    var first = minute - today * 1440
    for day in today...today + 146_097 {
      if isDay(day), let found = time(from: first) {
        let seconds = day * 86400 + found * 60
        return seconds < CivilMoment.end ? CivilMoment(seconds: seconds) : nil
      }
      first = 0
    }
    return nil
  }

  private func isDay(_ number: Int) -> Bool {
    let date = CivilDay.civil(number)
    if months & 1 << date.month == 0 { return false }
    let (isDay, isWeekday) = (days & 1 << date.day != 0, weekdays & 1 << (CivilDay.weekday(number) % 7) != 0)
    return isEither ? isDay || isWeekday : isDay && isWeekday
  }

  /// The first minute of a day from one on.
  private func time(from minute: Int) -> Int? {
    for hour in minute / 60..<24 where hours & 1 << hour != 0 {
      let first = hour == minute / 60 ? minute % 60 : 0
      let rest = minutes & ~0 << first
      if rest != 0 { return hour * 60 + rest.trailingZeroBitCount }
    }
    return nil
  }
}

/// One of the five.
private struct CronField {
  let name: String
  let range: ClosedRange<Int>
  var words: [Substring] = []

  static let all = [
    CronField(name: "minute", range: 0...59), CronField(name: "hour", range: 0...23),
    CronField(name: "day", range: 1...31),
    CronField(
      name: "month", range: 1...12,
      words: ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
    CronField(name: "weekday", range: 0...7, words: ["sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun"]),
  ]

  /// A bit for each value.
  func set(_ text: Substring) throws(IOError) -> UInt64 {
    var bits: UInt64 = 0
    for part in text.split(separator: ",", omittingEmptySubsequences: false) { bits |= try bitsOf(part) }
    return bits
  }

  private func bitsOf(_ part: Substring) throws(IOError) -> UInt64 {
    let pieces = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    var step = 1
    if pieces.count == 2 {
      guard let number = Self.number(pieces[1]), number > 0 else {
        throw IOError("a step of cron is 1 to 99, not `\(pieces[1])`: `\(part)`")
      }
      step = number
    }
    let span = try span(pieces[0], part, isOpen: pieces.count == 2)
    return stride(from: span.lowerBound, through: span.upperBound, by: step).reduce(0) { $0 | 1 << $1 }
  }

  private func span(_ text: Substring, _ part: Substring, isOpen: Bool) throws(IOError) -> ClosedRange<Int> {
    // 7 is 0 again.
    if text == "*" { return range.lowerBound...(name == "weekday" ? 6 : range.upperBound) }
    let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = value(ends[0], isEnd: false) else { throw wrong(part) }
    if ends.count == 1 { return first...(isOpen ? range.upperBound : first) }
    guard let last = value(ends[1], isEnd: true) else { throw wrong(part) }
    if last < first { throw IOError("the \(name) `\(part)` of cron goes backwards") }
    return first...last
  }

  private func value(_ text: Substring, isEnd: Bool) -> Int? {
    if !text.isEmpty, let named = isEnd ? words.lastIndex(of: text) : words.firstIndex(of: text) { return named }
    return Self.number(text).flatMap { range.contains($0) ? $0 : nil }
  }

  private static func number(_ text: Substring) -> Int? {
    1...2 ~= text.utf8.count && text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(text) : nil
  }

  private func wrong(_ part: Substring) -> IOError {
    let names =
      words.isEmpty ? "" : " or \(words.first { !$0.isEmpty } ?? "") to \(words[range.upperBound == 7 ? 6 : 12])"
    let last = name == "weekday" ? 7 : range.upperBound
    return IOError(
      "\(name == "hour" ? "an" : "a") \(name) of cron is \(range.lowerBound) to \(last)\(names), not `\(part)`")
  }
}

extension Int {
  /// Down, also below zero.
  fileprivate func dividingRounded(by divisor: Int) -> Int {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient - 1 : quotient
  }
}
