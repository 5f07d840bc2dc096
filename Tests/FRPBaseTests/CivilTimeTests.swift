import FRPBase
import Testing

@Suite struct CivilTimeTests {
  @Test(arguments: [
    ("1970-01-01", 0, 0), ("  2026-01-02\t", 1_767_312_000, 0), ("2026-01-02T03:04", 1_767_323_040, 0),
    ("2026-01-02T03:04:05.6Z", 1_767_323_045, 600_000_000),
    ("2026-01-02 03:04:05,123456789123", 1_767_323_045, 123_456_789),
    ("20260102T030405Z", 1_767_323_045, 0), ("2026-01-02t03:04:05z", 1_767_323_045, 0),
    ("2026-01-02T05:04:05+02:00", 1_767_323_045, 0), ("2026-01-02T05:04:05+0200", 1_767_323_045, 0),
    ("2026-01-01 22:04:05 -05", 1_767_323_045, 0), ("2026-01-02 03:04:05 UTC", 1_767_323_045, 0),
    ("Mon, 02 Jan 2006 15:04:05 -0700", 1_136_239_445, 0), ("2 Jan 2006 22:04:05 GMT", 1_136_239_445, 0),
    ("Mon Jan  2 15:04:05 2006 -0700", 1_136_239_445, 0), ("Monday, 02-January-2006 17:04:05 EST", 1_136_239_445, 0),
    ("02/Jan/2006:15:04:05 -0700", 1_136_239_445, 0), ("1969-12-31T23:59:59.25", -1, 250_000_000),
    ("2026-01-02T24:00:00", 1_767_398_400, 0), ("2026-01-02T23:59:60Z", 1_767_398_400, 0),
    ("2006/01/02", 1_136_160_000, 0), ("2006/01/02 22:04:05", 1_136_239_445, 0), ("02 Jan 2006", 1_136_160_000, 0),
    ("Jan 2 2006", 1_136_160_000, 0), ("January 2, 2006", 1_136_160_000, 0),
    ("Jan  2, 2006 22:04:05", 1_136_239_445, 0),
    ("Mon Jan 2 2006", 1_136_160_000, 0), ("Jan 2 22:04:05 2006", 1_136_239_445, 0),
    ("2 January 2006 15:04:05 -0700", 1_136_239_445, 0), ("2024-02-29", 1_709_164_800, 0),
    ("0000-01-01", -62_167_219_200, 0), ("2.1.2026", 1_767_312_000, 0), ("02.01.2026 3:04", 1_767_323_040, 0),
    ("2.1.2026 03:04:05 +02:00", 1_767_315_845, 0), ("Jan 2, 2026 3:04 PM", 1_767_366_240, 0),
    ("2026-01-02 12:04:05.5 am", 1_767_312_245, 500_000_000), ("2026-01-02 12:04PM UTC", 1_767_355_440, 0),
  ])
  func texts(_ text: String, _ seconds: Int, _ nanoseconds: Int) {
    #expect(CivilMoment(text) == CivilMoment(seconds: seconds, nanoseconds: nanoseconds))
  }

  @Test(arguments: [
    "", "12", "2026-02-30", "2023-02-29", "2026-13-01", "2026-00-01", "2026-1-2", "20260102", "2026-01-02T",
    "2026-01-02T24:00:01", "2026-01-02T23:60", "2026-01-02T23:59:61", "2026-01-02T03:04:05.", "2026-01-02T03:04:05+2",
    "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05 XYZ", "2026-01-02x", "Tue, 02 Jan 2006 15:04:05 -0700",
    "Mon, 02 Foo 2006 15:04:05", "02 Jan", "Jan 32 2006", "Jan 2", "Foo 2 2006", "2006/1/2", "2006/01-02", "01/02/2006",
    "2.13.2026", "30.2.2026", "2.1.26", "2.1", "2026-01-02 13:04 PM", "2026-01-02 0:04 AM", "2026-01-02 3:04 XM",
    "Jan 2 2006 15", "Tue Jan 2 2006", "9999-12-31T23:59:59-01:00", "2026-01-02\u{0}",
  ])
  func noMoments(_ text: String) { #expect(CivilMoment(text) == nil) }

  /// Every day of 12,000 years, by a count of its own.
  @Test func days() {
    var number = CivilDay.number(year: -1000, month: 1, day: 1)
    var weekday = CivilDay.weekday(number)
    for year in -1000..<11000 {
      for month in 1...12 {
        for day in 1...CivilDay.count(year: year, month: month) {
          #expect(CivilDay.number(year: year, month: month, day: day) == number)
          #expect(CivilDay.civil(number) == (year, month, day))
          #expect(CivilDay.weekday(number) == weekday)
          number += 1
          weekday = weekday % 7 + 1
        }
      }
    }
    #expect(CivilDay.number(year: 1970, month: 1, day: 1) == 0 && CivilDay.weekday(0) == 4)
  }

  @Test func weeks() throws {
    let expected = [("2021-01-03", 53), ("2021-01-04", 1), ("2024-12-30", 1), ("2026-12-31", 53), ("2027-01-01", 53)]
    for (text, week) in expected { #expect(CivilTime(try #require(CivilMoment(text))).week == week) }
    let last = CivilTime(try #require(CivilMoment("2024-12-31")))
    #expect(last.dayOfYear == 366 && last.weekday == 2)
  }

  @Test func months() throws {
    let time = CivilTime(year: 2024, month: 1, day: 31, hour: 5)
    #expect(time.adding(months: 1) == CivilTime(year: 2024, month: 2, day: 29, hour: 5))
    #expect(time.adding(months: -13) == CivilTime(year: 2022, month: 12, day: 31, hour: 5))
    #expect(time.adding(months: .max) == nil && time.adding(months: -24290) == nil)
  }

  @Test(arguments: [
    ("2026-01-02T03:04:05.6Z", "yyyy-MM-dd HH:mm:ss.SSS", "2026-01-02 03:04:05.600"),
    ("2026-01-02T03:04:05.000001Z", "ss.SSSSSS S dd/MM/yyyy", "05.000001 0 02/01/2026"),
    ("1969-12-31T23:59:59.75", "yyyyMMdd'T'HHhmm y yyyyMMddHH", "19691231'T'23h59 y 1969123123"),
    ("0000-01-01", "yyyy yy d é yyyyy", "0000 yy d é 0000y"), ("1970-01-01", "", ""),
  ])
  func patterns(_ text: String, _ pattern: String, _ expected: String) throws {
    var bytes: [UInt8] = []
    CivilTime(try #require(CivilMoment(text))).formatted(pattern.utf8) { bytes.append($0) }
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
  }

  @Test(arguments: [
    ("1/31/2026 9:05 PM", "MM/dd/yyyy HH:mm", "2026-01-31T21:05:00Z"), (" 31/1/2026 ", "dd/MM/yyyy", "2026-01-31"),
    ("20260102T030405,25", "yyyyMMddTHHmmss,SS", "2026-01-02T03:04:05.25Z"), ("2026", "yyyy", "2026-01-01"),
    ("02.01.2026 03:04 +02:00", "dd.MM.yyyy HH:mm", "2026-01-02T01:04:00Z"),
    ("5002026", "SSSyyyy", "2026-01-01T00:00:00.5Z"),
    ("day 9 of 3, 2026", "day dd of MM, yyyy", "2026-03-09"),
    ("1/31/2026", "dd/MM/yyyy", nil), ("1/31/26", "MM/dd/yyyy", nil), ("1/31/2026 9:05", "MM/dd/yyyy", nil),
    ("2026012", "yyyyMMdd", nil), ("13:05 PM", "HH:mm", nil), ("24:00", "HH:mm", nil), ("", "yyyy", nil),
    ("2026-02-30", "yyyy-MM-dd", nil),
    ("2026-1-2", "yyyy-MM-dd", "2026-01-02"), ("1/2/2026", "MM-dd-yyyy", nil), ("", "", "1970-01-01"),
  ])
  func textsInPatterns(_ text: String, _ pattern: String, _ expected: String?) {
    #expect(parsed(text, pattern) == expected.flatMap { CivilMoment($0) })
  }

  private func parsed(_ text: String, _ pattern: String) -> CivilMoment? {
    Array(text.utf8).withUnsafeBufferPointer { text in
      Array(pattern.utf8).withUnsafeBufferPointer { CivilMoment(text, pattern: $0) }
    }
  }

  /// What a pattern with the whole of a moment shows is read as that moment.
  @Test func patternsAreReadAsTheyAreWritten() {
    var random = SystemRandomNumberGenerator()
    for pattern in ["yyyy-MM-dd HH:mm:ss.SSSSSSSSS", "SSSSSSSSS ss mm HH dd MM yyyy", "yyyyMMddHHmmss,SSSSSSSSS"] {
      for _ in 0..<500 {
        let moment = CivilMoment(
          seconds: Int.random(in: -62_167_219_200..<CivilMoment.end, using: &random),
          nanoseconds: Int.random(in: 0..<1_000_000_000, using: &random))
        var bytes: [UInt8] = []
        CivilTime(moment).formatted(pattern.utf8) { bytes.append($0) }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(parsed(text, pattern) == moment, "\(text) in \(pattern)")
      }
    }
  }

  /// A Float holds the microseconds of our time, and shows them.
  @Test func floats() throws {
    for text in ["2026-01-02T03:04:05.600001Z", "1969-12-31T23:59:59.9", "1970-01-01T00:00:00.00001", "0001-01-01"] {
      let moment = try #require(CivilMoment(text))
      #expect(CivilMoment(moment.value) == moment)
    }
    for value in [Double.nan, .infinity, 1e300, -1e11, 253_402_300_800] { #expect(CivilMoment(value) == nil) }
    let (early, late) = (CivilMoment(seconds: -1, nanoseconds: 5), CivilMoment(seconds: 1, nanoseconds: 4))
    #expect(early < late && late.nanoseconds(since: early) == 1_999_999_999)
    #expect(CivilMoment(seconds: 1 << 40).nanoseconds(since: early) == nil)
  }
}
