// Moments as texts write them. What is understood:
//
//     2006-01-02, 2006-01-02T15:04, 2006-01-02 15:04:05.678, 20060102T150405        ISO 8601
//     2006/01/02, 2006/01/02 15:04:05                                                the same with slashes
//     Mon, 02 Jan 2006 15:04:05, 2 January 2006                                      RFC 2822; the weekday is optional
//     Mon Jan  2 15:04:05 2006                                                       C, git, many logs
//     Jan 2, 2006, January 2 2006 15:04                                              tables made by people
//     02/Jan/2006:15:04:05                                                           logs of web servers
//     2.1.2006, 02.01.2006 15:04                                                     tables with dots; the day comes first
//
// with a time of 12 hours where AM or PM stands behind it (3:04 PM), and
// each but the date alone also with an offset: `Z`, `UTC`, `GMT`, `+02:00`, `+0200`, `+02`, or a zone that RFC 2822 names.
// Without one it is UTC.

extension CivilMoment {
  /// The moment that a text states, spaces around it aside; nil if it states none, or one that does not exist
  /// (2026-02-30). Cost: O(text).
  public init?(_ text: String) {
    var text = text
    guard let moment = text.withUTF8({ CivilMoment($0) }) else { return nil }
    self = moment
  }

  /// The same of UTF-8.
  public init?(_ text: UnsafeBufferPointer<UInt8>) {
    var reader = CivilReader(text)
    reader.skipSpaces()
    guard let moment = reader.moment() else { return nil }
    reader.skipSpaces()
    guard reader.isAtEnd else { return nil }
    self = moment
  }
}

extension CivilMoment {
  /// The moment that a text states in a pattern of `yyyy MM dd HH mm ss SSS` and any other signs, as `formatted` writes it;
  /// nil if it states none, or one that does not exist. What the pattern has not is that of 1970-01-01, a month, day or
  /// time may have one digit where no digits stand beside it, and AM, PM and an offset may stand behind it. Cost: O(text).
  public init?(_ text: UnsafeBufferPointer<UInt8>, pattern: UnsafeBufferPointer<UInt8>) {
    var reader = CivilReader(text)
    reader.skipSpaces()
    guard let moment = reader.moment(pattern) else { return nil }
    reader.skipSpaces()
    guard reader.isAtEnd else { return nil }
    self = moment
  }
}

/// Reads one moment, part by part.
private struct CivilReader {
  private let text: UnsafeBufferPointer<UInt8>
  private var place = 0

  init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  var isAtEnd: Bool { place == text.count }
  private var next: UInt8 { place < text.count ? text[place] : 0 }

  mutating func moment() -> CivilMoment? {
    if 0x30...0x39 ~= next {
      var digits = 0
      while place + digits < text.count, 0x30...0x39 ~= text[place + digits] { digits += 1 }
      return digits >= 4 ? iso(digits) : dayFirst()
    }
    let start = place
    guard let name = name() else { return nil }
    guard let weekday = Self.place(name, in: Self.weekdays) else {
      place = start
      return monthFirst()
    }
    let moment = takes(0x2C) ? spaced { $0.dayFirst() } : spaced { $0.monthFirst() }
    // The day that was named is the one in the zone of the text.
    guard let moment, CivilDay.weekday(localDay) == weekday else { return nil }
    return moment
  }

  /// The day as the text states it, before its offset counts.
  private var localDay = 0

  // MARK: Forms

  private mutating func iso(_ digits: Int) -> CivilMoment? {
    let isBasic = digits == 8
    guard isBasic || digits == 4, let year = number(4) else { return nil }
    let separator: UInt8 = next == 0x2F ? 0x2F : 0x2D
    guard isBasic || takes(separator), let month = number(2), isBasic || takes(separator), let day = number(2) else {
      return nil
    }
    let isTimed = next == 0x54 || next == 0x74 || (next == 0x20 && place + 1 < text.count && text[place + 1] != 0x20)
    guard isTimed else { return isBasic ? nil : make(year, month, day: day, clock: .init(), offset: 0) }
    place += 1
    guard let clock = clock(isBasic: isBasic) else { return nil }
    return ending(year, month, day: day, clock: clock)
  }

  /// `02 Jan 2006 15:04:05`, `02 Jan 2006`, `02/Jan/2006:15:04:05`, `2.1.2006 15:04`.
  private mutating func dayFirst() -> CivilMoment? {
    guard let day = number(1...2) else { return nil }
    if takes(0x2E) {
      guard let month = number(1...2), takes(0x2E), let year = number(4) else { return nil }
      return timed(year, month, day: day)
    }
    let separator = next
    guard separator == 0x20 || separator == 0x2F || separator == 0x2D else { return nil }
    skip(separator)
    guard let month = month() else { return nil }
    guard next == separator else { return nil }
    skip(separator)
    guard let year = number(4) else { return nil }
    return takes(0x3A)
      ? clock(isBasic: false).flatMap { ending(year, month, day: day, clock: $0) } : timed(year, month, day: day)
  }

  /// `Jan  2 15:04:05 2006`, `Jan 2, 2006`, `January 2 2006 15:04`.
  private mutating func monthFirst() -> CivilMoment? {
    guard let month = month(), let day = spaced({ $0.number(1...2) }) else { return nil }
    let isYearNext = takes(0x2C)
    let start = place
    if !isYearNext, let clock = spaced({ $0.clock(isBasic: false) }), let year = spaced({ $0.number(4) }) {
      return ending(year, month, day: day, clock: clock)
    }
    place = start
    return spaced { $0.number(4) }.flatMap { timed($0, month, day: day) }
  }

  /// A day, with a time behind it or alone.
  private mutating func timed(_ year: Int, _ month: Int, day: Int) -> CivilMoment? {
    skipSpaces()
    if isAtEnd { return make(year, month, day: day, clock: .init(), offset: 0) }
    return clock(isBasic: false).flatMap { ending(year, month, day: day, clock: $0) }
  }

  private mutating func ending(_ year: Int, _ month: Int, day: Int, clock: Clock) -> CivilMoment? {
    skipSpaces()
    guard let offset = offset() else { return nil }
    return make(year, month, day: day, clock: clock, offset: offset)
  }

  private mutating func make(_ year: Int, _ month: Int, day: Int, clock: Clock, offset: Int) -> CivilMoment? {
    guard let midnight = CivilTime(year: year, month: month, day: day).moment else { return nil }
    localDay = midnight.seconds / 86400 - (midnight.seconds % 86400 < 0 ? 1 : 0)
    let seconds = midnight.seconds + clock.seconds - offset
    guard CivilMoment.first..<CivilMoment.end ~= seconds else { return nil }
    return CivilMoment(seconds: seconds, nanoseconds: clock.nanoseconds)
  }

  /// In the form that a pattern says.
  mutating func moment(_ pattern: UnsafeBufferPointer<UInt8>) -> CivilMoment? {
    var time = CivilTime(year: 1970, month: 1, day: 1)
    var rest = pattern[...]
    var follows = false
    while let (sign, count) = Self.run(rest) {
      rest = rest.dropFirst(count)
      guard let part = CivilTime.part(sign, count) else {
        for _ in 0..<count { if !takes(sign) { return nil } }
        follows = false
        continue
      }
      // Digits beside digits: all that are shown are there.
      let isFollowed = Self.run(rest).map { CivilTime.part($0.sign, $0.count) != nil } ?? false
      guard let value = value(of: part, count, isExact: isFollowed || follows) else { return nil }
      time[keyPath: part] = value
      follows = true
    }
    if let half = halfDay() {
      guard 1...12 ~= time.hour else { return nil }
      time.hour = time.hour % 12 + half
    }
    skipSpaces()
    guard let moment = time.moment, let offset = offset() else { return nil }
    let seconds = moment.seconds - offset
    guard CivilMoment.first..<CivilMoment.end ~= seconds else { return nil }
    return CivilMoment(seconds: seconds, nanoseconds: moment.nanoseconds)
  }

  /// The run of one sign that a pattern begins with.
  private static func run(_ pattern: Slice<UnsafeBufferPointer<UInt8>>) -> (sign: UInt8, count: Int)? {
    pattern.first.map { sign in (sign, pattern.prefix(CivilTime.longest(sign)).prefix { $0 == sign }.count) }
  }

  private mutating func value(of part: WritableKeyPath<CivilTime, Int>, _ count: Int, isExact: Bool) -> Int? {
    if part != \.nanosecond { return number(count == 4 || isExact ? count...count : 1...2) }
    let start = place
    return number(isExact ? count...count : 1...9) == nil ? nil : CivilMoment.nanoseconds(text[start..<place])
  }

  // MARK: Parts

  private struct Clock {
    var seconds = 0
    var nanoseconds = 0
  }

  /// `15:04`, `15:04:05`, `15:04:05.678`, `3:04 PM`; basic without colons. 24:00:00 is the midnight at the day's end.
  private mutating func clock(isBasic: Bool) -> Clock? {
    guard let hour = number(isBasic ? 2...2 : 1...2), isBasic || takes(0x3A), let minute = number(2), minute <= 59
    else {
      return nil
    }
    var clock = Clock(seconds: hour * 3600 + minute * 60)
    if isBasic ? 0x30...0x39 ~= next : takes(0x3A) {
      guard let second = number(2), second <= 60 else { return nil }
      clock.seconds += second
      if next == 0x2E || next == 0x2C {
        place += 1
        let start = place
        while 0x30...0x39 ~= next { place += 1 }
        guard place > start else { return nil }
        clock.nanoseconds = CivilMoment.nanoseconds(text[start..<place])
      }
    }
    if !isBasic, let half = halfDay() {
      guard 1...12 ~= hour else { return nil }
      clock.seconds += (hour % 12 + half - hour) * 3600
      return clock
    }
    return hour <= 23 || (clock.seconds == 86400 && clock.nanoseconds == 0) ? clock : nil
  }

  /// The hours that AM or PM, which may stand behind a time, add; nil, and nothing is read, where neither does.
  private mutating func halfDay() -> Int? {
    let start = place
    skipSpaces()
    switch name() {
    case [0x61, 0x6D]: return 0
    case [0x70, 0x6D]: return 12
    default:
      place = start
      return nil
    }
  }

  /// Seconds east of UTC; 0 if the text ends.
  private mutating func offset() -> Int? {
    if next == 0x2B || next == 0x2D {
      let sign = next == 0x2B ? 1 : -1
      place += 1
      guard let hours = number(2), hours <= 23 else { return nil }
      let isSplit = takes(0x3A)
      guard isSplit || 0x30...0x39 ~= next else { return sign * hours * 3600 }
      guard let minutes = number(2), minutes <= 59 else { return nil }
      return sign * (hours * 3600 + minutes * 60)
    }
    guard let name = name() else { return 0 }
    return Self.zones.first { $0.0.utf8.elementsEqual(name) }.map { $0.1 * 3600 }
  }

  private mutating func month() -> Int? { name().flatMap { Self.place($0, in: Self.months) } }

  // MARK: Letters and digits

  private mutating func number(_ digits: Int) -> Int? { number(digits...digits) }

  private mutating func number(_ digits: ClosedRange<Int>) -> Int? {
    var value = 0
    var count = 0
    while count < digits.upperBound, 0x30...0x39 ~= next {
      value = value * 10 + Int(next - 0x30)
      place += 1
      count += 1
    }
    return count < digits.lowerBound ? nil : value
  }

  /// Letters, in lower case; nil if there are none.
  private mutating func name() -> [UInt8]? {
    var name: [UInt8] = []
    while 0x41...0x5A ~= next || 0x61...0x7A ~= next {
      name.append(next | 0x20)
      place += 1
    }
    return name.isEmpty ? nil : name
  }

  private mutating func takes(_ byte: UInt8) -> Bool {
    if next != byte || isAtEnd { return false }
    place += 1
    return true
  }

  private mutating func skip(_ byte: UInt8) {
    place += 1
    if byte == 0x20 { skipSpaces() }
  }

  mutating func skipSpaces() {
    while next == 0x20 || next == 0x09 { place += 1 }
  }

  private mutating func spaced<Value>(_ read: (inout Self) -> Value?) -> Value? {
    guard next == 0x20 else { return nil }
    skipSpaces()
    return read(&self)
  }

  // MARK: Names

  /// The number, from 1, of a name that is one of these or begins with its three letters and is the whole of it.
  private static func place(_ name: [UInt8], in names: [String]) -> Int? {
    let found = names.firstIndex { full in
      full.utf8.elementsEqual(name) || (name.count == 3 && full.utf8.starts(with: name))
    }
    return found.map { $0 + 1 }
  }

  private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
  ]
  private static let zones = [
    ("z", 0), ("utc", 0), ("gmt", 0), ("ut", 0), ("est", -5), ("edt", -4), ("cst", -6), ("cdt", -5), ("mst", -7),
    ("mdt", -6), ("pst", -8), ("pdt", -7),
  ]
}
