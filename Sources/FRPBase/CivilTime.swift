// The civil calendar in UTC, without Foundation (decision 0015): moments to the nanosecond, the Gregorian calendar of the
// years 0 to 9999 (also before there was one), and offsets as texts state them. Leap seconds do not exist: 23:59:60 is
// the second after it.

import FRPLibc

/// A moment, exact to the nanosecond: a Float of seconds since 1970 holds microseconds at most.
public struct CivilMoment: Hashable, Comparable, Sendable {
  /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
  public let seconds: Int
  /// 0 to 999,999,999.
  public let nanoseconds: Int

  public init(seconds: Int, nanoseconds: Int = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// The wall clock's moment.
  public static var present: CivilMoment {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return CivilMoment(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
  }

  /// The moment whose shortest decimal is that of a Float, so that 1767323045.6 is 600 ms after the second (the Float
  /// itself is a little less); nil outside of the years 0 to 9999. Cost: O(1).
  public init?(_ value: Double) {
    // Comparing so rejects what is not a number, too.
    guard value >= Double(Self.first), value < Double(Self.end) else { return nil }
    let whole = value.rounded(.down)
    if whole == value {
      self.init(seconds: Int(whole))
      return
    }
    let text = "\(value.magnitude)"
    let part: Int
    if let point = text.utf8.firstIndex(of: 0x2E), !text.utf8.contains(0x65) {
      part = Self.nanoseconds(text.utf8[text.utf8.index(after: point)...])
    } else {
      part = Int((value.magnitude * 1e9).rounded())
    }
    if value > 0 || part == 0 {
      self.init(seconds: Int(whole) + (value < 0 ? 1 : 0), nanoseconds: part)
    } else {
      self.init(seconds: Int(whole), nanoseconds: 1_000_000_000 - part)
    }
  }

  /// The nearest Float. Cost: O(1).
  public var value: Double {
    // Dividing and adding would round twice; the decimal, read as a Float, is rounded once.
    if nanoseconds == 0 { return Double(seconds) }
    let (isNegative, whole, part) =
      seconds < 0 ? (true, -(seconds + 1), 1_000_000_000 - nanoseconds) : (false, seconds, nanoseconds)
    let digits = String(part)
    let text = "\(whole).\(String(repeating: "0", count: 9 - digits.utf8.count))\(digits)"
    let value = Double(text) ?? (Double(whole) + Double(part) / 1e9)
    return isNegative ? -value : value
  }

  /// How many nanoseconds it is after another moment; nil if an Int does not hold them (292 years). Cost: O(1).
  public func nanoseconds(since other: CivilMoment) -> Int? {
    let (scaled, overflows) = (seconds - other.seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowsToo) = scaled.addingReportingOverflow(nanoseconds - other.nanoseconds)
    return overflows || overflowsToo ? nil : sum
  }

  public static func < (a: CivilMoment, b: CivilMoment) -> Bool {
    (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
  }

  /// The first second of the calendar, and the one after its last.
  static let first = CivilDay.number(year: 0, month: 1, day: 1) * 86400
  /// The seconds with which the calendar ends, after the year 9999.
  public static let end = CivilDay.number(year: 10000, month: 1, day: 1) * 86400

  /// The digits of a fraction as nanoseconds; what is finer is cut off.
  static func nanoseconds(_ digits: some Collection<UInt8>) -> Int {
    var result = 0
    var scale = 100_000_000
    for digit in digits {
      result += Int(digit &- 0x30) * scale
      scale /= 10
    }
    return result
  }
}

/// Days and their numbers, counted from 1970-01-01.
public enum CivilDay {
  /// The number of a day; months and days outside of their ranges are not checked. Cost: O(1).
  public static func number(year: Int, month: Int, day: Int) -> Int {
    // Years begin in March, so that the leap day is a year's last; 400 years have 146097 days.
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The day with a number. Cost: O(1).
  public static func civil(_ number: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }

  public static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  /// How many days a month (1 to 12) has.
  public static func count(year: Int, month: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// 1 (Monday) to 7.
  public static func weekday(_ number: Int) -> Int { remainder(number + 3, 7) + 1 }

  static func remainder(_ a: Int, _ b: Int) -> Int {
    let rest = a % b
    return rest < 0 ? rest + b : rest
  }
}

/// A moment as the calendar and the clock show it in UTC.
public struct CivilTime: Hashable, Sendable {
  public var year, month, day, hour, minute, second, nanosecond: Int

  public init(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, nanosecond: Int = 0
  ) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second, self.nanosecond) = (hour, minute, second, nanosecond)
  }

  /// Cost: O(1).
  public init(_ moment: CivilMoment) {
    let second = CivilDay.remainder(moment.seconds, 86400)
    (year, month, day) = CivilDay.civil((moment.seconds - second) / 86400)
    (hour, minute, self.second) = (second / 3600, second / 60 % 60, second % 60)
    nanosecond = moment.nanoseconds
  }

  /// The moment; nil if there is no such day or time of day, or the year is not 0 to 9999. Cost: O(1).
  public var moment: CivilMoment? {
    guard
      0...9999 ~= year, 1...12 ~= month, 1...CivilDay.count(year: year, month: month) ~= day, 0...23 ~= hour,
      0...59 ~= minute, 0...59 ~= second, 0...999_999_999 ~= nanosecond
    else { return nil }
    return CivilMoment(
      seconds: dayNumber * 86400 + hour * 3600 + minute * 60 + second, nanoseconds: nanosecond)
  }

  /// Days since 1970-01-01.
  public var dayNumber: Int { CivilDay.number(year: year, month: month, day: day) }
  /// 1 (Monday) to 7.
  public var weekday: Int { CivilDay.weekday(dayNumber) }
  /// 1 to 366.
  public var dayOfYear: Int { dayNumber - CivilDay.number(year: year, month: 1, day: 1) + 1 }
  /// The week as ISO 8601 counts: the one with the year's first Thursday is 1, so the first days of January may belong
  /// to week 52 or 53, and the last ones of December to week 1.
  public var week: Int {
    // The Thursday of the week says which year the week belongs to.
    let thursday = dayNumber - weekday + 4
    let owner = CivilDay.civil(thursday).year
    return (thursday - CivilDay.number(year: owner, month: 1, day: 1)) / 7 + 1
  }

  /// The same day and time a number of months later (earlier, if it is negative); the month's last day where that day
  /// does not exist. nil if that is not in the years 0 to 9999. Cost: O(1).
  public func adding(months: Int) -> CivilTime? {
    let (count, overflows) = (year * 12 + month - 1).addingReportingOverflow(months)
    guard !overflows, 0..<120_000 ~= count else { return nil }
    var result = self
    (result.year, result.month) = (count / 12, count % 12 + 1)
    result.day = min(day, CivilDay.count(year: result.year, month: result.month))
    return result
  }

  /// The time in a pattern: runs of `yyyy MM dd HH mm ss SSS` (and of `S` up to nine: so many digits of the fraction, cut
  /// off) stand for the parts, every other sign for itself. Cost: O(pattern).
  public func formatted(_ pattern: some Sequence<UInt8>, _ append: (UInt8) -> Void) {
    var run: (sign: UInt8, count: Int) = (0, 0)
    for byte in pattern {
      if byte == run.sign, run.count < Self.longest(run.sign) {
        run.count += 1
      } else {
        write(run.sign, run.count, append: append)
        run = (byte, 1)
      }
    }
    write(run.sign, run.count, append: append)
  }

  /// How long a run of a sign is at most.
  static func longest(_ sign: UInt8) -> Int {
    switch sign {
    case UInt8(ascii: "y"): 4
    case UInt8(ascii: "S"): 9
    default: 2
    }
  }

  /// What a run of so many of a sign stands for; nil for itself.
  static func part(_ sign: UInt8, _ count: Int) -> WritableKeyPath<CivilTime, Int>? {
    switch (sign, count) {
    case (UInt8(ascii: "y"), 4): \.year
    case (UInt8(ascii: "M"), 2): \.month
    case (UInt8(ascii: "d"), 2): \.day
    case (UInt8(ascii: "H"), 2): \.hour
    case (UInt8(ascii: "m"), 2): \.minute
    case (UInt8(ascii: "s"), 2): \.second
    case (UInt8(ascii: "S"), 1...): \.nanosecond
    default: nil
    }
  }

  private func write(_ sign: UInt8, _ count: Int, append: (UInt8) -> Void) {
    guard let part = Self.part(sign, count) else {
      for _ in 0..<count { append(sign) }
      return
    }
    let whole = self[keyPath: part]
    let value = part == \.nanosecond ? (0..<(9 - count)).reduce(whole) { rest, _ in rest / 10 } : whole
    let digits = Array(String(value).utf8)
    for _ in 0..<max(0, count - digits.count) { append(0x30) }
    for digit in digits { append(digit) }
  }
}
