import FRPBase
import Glibc
import Testing

@testable import FRPIO

@Suite struct CronTests {
  private func moment(_ text: String) throws -> CivilMoment { try #require(CivilMoment(text), "\(text)") }

  private func text(_ moment: CivilMoment) -> String {
    var bytes: [UInt8] = []
    CivilTime(moment).formatted("yyyy-MM-ddTHH:mm".utf8) { bytes.append($0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("* * * * *", "2026-01-02T03:04:05", ["2026-01-02T03:05", "2026-01-02T03:06"]),
    ("* * * * *", "2026-12-31T23:59:59.9", ["2027-01-01T00:00"]),
    ("30 2 * * *", "2026-01-02T02:30", ["2026-01-03T02:30"]),
    ("30 2 * * *", "2026-01-02T02:29:59.999", ["2026-01-02T02:30"]),
    ("*/5 * * * *", "2026-01-02T02:53", ["2026-01-02T02:55", "2026-01-02T03:00"]),
    (
      "5/20 * * * *", "2026-01-02T02:53",
      ["2026-01-02T03:05", "2026-01-02T03:25", "2026-01-02T03:45", "2026-01-02T04:05"]
    ),
    ("10-50/20 9-17 * * mon-fri", "2026-01-02T17:30", ["2026-01-02T17:50", "2026-01-05T09:10"]),
    ("0 0 1,15 * *", "2026-01-02", ["2026-01-15T00:00", "2026-02-01T00:00"]),
    ("0 0 29 2 *", "2026-01-01", ["2028-02-29T00:00", "2032-02-29T00:00"]),
    ("0 0 29 feb *", "2097-01-01", ["2104-02-29T00:00"]),
    ("0 0 31 * *", "2026-01-31", ["2026-03-31T00:00", "2026-05-31T00:00"]),
    // Both days: either. 2026-03-13 is a Friday.
    (
      "0 0 13 * fri", "2026-03-06T12:00",
      [
        "2026-03-13T00:00", "2026-03-20T00:00", "2026-03-27T00:00", "2026-04-03T00:00", "2026-04-10T00:00",
        "2026-04-13T00:00",
      ]
    ),
    // A star, with a step or without, says no day of its own.
    ("0 0 */2 * mon", "2026-03-01", ["2026-03-09T00:00", "2026-03-23T00:00"]),
    ("0 0 13 * */7", "2026-01-01", ["2026-09-13T00:00"]),
    ("0 0 * * 0", "2026-01-01", ["2026-01-04T00:00"]), ("0 0 * * 7", "2026-01-01", ["2026-01-04T00:00"]),
    ("0 0 * * sat-sun", "2026-01-01", ["2026-01-03T00:00", "2026-01-04T00:00", "2026-01-10T00:00"]),
    ("0 0 * * 5-7", "2026-01-01", ["2026-01-02T00:00", "2026-01-03T00:00", "2026-01-04T00:00", "2026-01-09T00:00"]),
    ("0 12 * JAN,Jul *", "2026-01-31T12:00", ["2026-07-01T12:00"]),
    ("@hourly", "2026-01-01T00:00:01", ["2026-01-01T01:00"]),
    ("@weekly", "2026-01-01", ["2026-01-04T00:00"]), ("@yearly", "2026-01-01", ["2027-01-01T00:00"]),
    ("59 23 31 12 *", "1969-12-31T23:58", ["1969-12-31T23:59"]),
    ("0\t0  1 1 *", "1960-01-01", ["1961-01-01T00:00"]), ("0 0 1 1 *", "9998-06-01", ["9999-01-01T00:00", ""]),
    ("0 0 30 2 *", "2026-01-01", [""]),
    ("0 0 31 4,6,9,11 *", "2026-01-01", [""]),
  ])
  func moments(_ cron: String, _ from: String, _ expected: [String]) throws {
    let cron = try Cron(cron)
    var present = try moment(from)
    for text in expected {
      let next = cron.next(after: present)
      #expect(next.map(self.text) ?? "" == text)
      guard let next else { break }
      present = next
    }
  }

  @Test(arguments: [
    ("", "a moment of cron has five fields (minute hour day month weekday), not 0: ``"),
    ("* * * *", "a moment of cron has five fields (minute hour day month weekday), not 4: `* * * *`"),
    ("* * * * * *", "a moment of cron has five fields (minute hour day month weekday), not 6: `* * * * * *`"),
    ("60 * * * *", "a minute of cron is 0 to 59, not `60`"), ("* 24 * * *", "an hour of cron is 0 to 23, not `24`"),
    ("* * 0 * *", "a day of cron is 1 to 31, not `0`"),
    ("* * * 13 *", "a month of cron is 1 to 12 or jan to dec, not `13`"),
    ("* * * * 8", "a weekday of cron is 0 to 7 or sun to sat, not `8`"),
    ("* * * * fry", "a weekday of cron is 0 to 7 or sun to sat, not `fry`"),
    ("*/0 * * * *", "a step of cron is 1 to 99, not `0`: `*/0`"),
    ("1,,2 * * * *", "a minute of cron is 0 to 59, not ``"),
    ("5-1 * * * *", "the minute `5-1` of cron goes backwards"), ("- * * * *", "a minute of cron is 0 to 59, not `-`"),
    ("1- * * * *", "a minute of cron is 0 to 59, not `1-`"), ("-1 * * * *", "a minute of cron is 0 to 59, not `-1`"),
    ("+1 * * * *", "a minute of cron is 0 to 59, not `+1`"), ("001 * * * *", "a minute of cron is 0 to 59, not `001`"),
    (
      "@never",
      "a moment of cron is @annually, @daily, @hourly, @midnight, @monthly, @weekly, @yearly or five fields, not `@never`"
    ),
    ("* * * jan-feb-mar *", "a month of cron is 1 to 12 or jan to dec, not `jan-feb-mar`"),
    ("**  * * * *", "a minute of cron is 0 to 59, not `**`"),
  ])
  func wrong(_ cron: String, _ message: String) { #expect(throws: IOError(message)) { try Cron(cron) } }

  /// Against looking at every minute of ten days.
  @Test(arguments: 0..<40) func everyMinute(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    func field(_ range: ClosedRange<Int>) -> String {
      let (a, b) = (Int.random(in: range, using: &random), Int.random(in: range, using: &random))
      return [
        "*", "\(a)", "\(min(a, b))-\(max(a, b))", "*/\(max(1, b / 2))", "\(a),\(b)", "\(min(a, b))-\(max(a, b))/2",
      ][Int(random.next() % 6)]
    }
    let text = [field(0...59), field(0...23), field(1...10), "*", field(0...6)].joined(separator: " ")
    let cron = try Cron(text)
    let sets = values(text)
    let isEither = !text.split(separator: " ")[2].hasPrefix("*") && !text.split(separator: " ")[4].hasPrefix("*")
    let start = try moment("2026-02-20").seconds
    var present = CivilMoment(seconds: start - 1)
    for minute in 0..<14400 {
      let time = CivilTime(CivilMoment(seconds: start + 60 * minute))
      let fits = zip(sets, [time.minute, time.hour, time.day, time.month, time.weekday % 7]).map { $0.contains($1) }
      guard fits[0], fits[1], isEither ? fits[2] || fits[4] : fits[2] && fits[4] else { continue }
      present = try #require(cron.next(after: present))
      #expect(present.seconds == start + 60 * minute, "\(text)")
    }
  }

  /// The values of each field, in the plainest way.
  private func values(_ text: String) -> [Set<Int>] {
    text.split(separator: " ").enumerated().map { index, word in
      Set(
        (0..<60).filter { value in
          word.split(separator: ",").contains { part in
            let step = part.split(separator: "/")
            let width = step.count == 2 ? Int(step[1]) ?? 1 : 1
            let span = step[0] == "*" ? [index == 2 ? 1 : 0, 60] : step[0].split(separator: "-").compactMap { Int($0) }
            return span[0]...span[span.count - 1] ~= value && (value - span[0]) % width == 0
          }
        })
    }
  }

  /// What comes on a clock that is set, slept over, and read late.
  @Test func clocksThatAreSet() throws {
    var schedule = CronSchedule(try Cron("30 2 * * *"), start: try moment("2026-01-01T02:00"))
    func due(_ text: String) throws -> String? { try schedule.due(moment(text)).map(self.text) }
    #expect(try due("2026-01-01T02:29:59") == nil)
    #expect(try due("2026-01-01T02:30:00.01") == "2026-01-01T02:30")
    #expect(try due("2026-01-01T02:31") == nil)
    // Back by an hour, and the same moment again: it has come.
    schedule.clockWasSet(try moment("2026-01-01T01:31"))
    #expect(try due("2026-01-01T02:30:01") == nil)
    #expect(schedule.next == (try moment("2026-01-02T02:30")))
    // Forward by a day and a half: what lies between does not come.
    schedule.clockWasSet(try moment("2026-01-02T14:00"))
    #expect(try due("2026-01-02T14:00:01") == nil)
    #expect(try due("2026-01-03T02:30") == "2026-01-03T02:30")
    // A sleep of three nights: the newest.
    #expect(try due("2026-01-06T07:00") == "2026-01-06T02:30")
    #expect(try due("2026-01-06T07:01") == nil)
    // Far back: the clock was wrong.
    schedule.clockWasSet(try moment("2025-05-05T00:00"))
    #expect(try due("2025-05-05T02:30") == "2025-05-05T02:30")
    // The same, where nobody said that it was set.
    #expect(try due("2024-01-01") == nil)
    #expect(try due("2024-01-01T02:30") == "2024-01-01T02:30")
    var yearly = CronSchedule(try Cron("0 0 1 1 *"), start: try moment("2020-06-01"))
    #expect(yearly.due(try moment("2020-12-31")) == nil)
    #expect(yearly.due(try moment("2021-06-01")) == (try moment("2021-01-01")))
  }

  /// A clock that is looked at every few minutes, and set by so many seconds at one moment (0: it is let be).
  private func come(
    _ cron: String, _ start: String, _ end: String, setAt change: String? = nil, by seconds: Int = 0, seed: UInt64
  ) throws -> [String] {
    var random = SplitMix(seed: seed)
    var now = try moment(start)
    var schedule = CronSchedule(try Cron(cron), start: now)
    var change = try change.map { try moment($0) }
    var moments: [String] = []
    while now < (try moment(end)) {
      now = CivilMoment(seconds: now.seconds + Int.random(in: 1...240, using: &random))
      if let at = change, now >= at {
        now = CivilMoment(seconds: at.seconds + seconds)
        schedule.clockWasSet(now)
        change = nil
      }
      if let due = schedule.due(now) { moments.append(text(due)) }
    }
    return moments
  }

  /// Moments are of UTC: the nights in which summer time begins and ends are nights as any other. A clock that somebody sets
  /// by that hour by hand leaves out what it jumps over, and repeats nothing.
  @Test(arguments: 0..<20) func nightsInWhichTheTimeChanges(seed: UInt64) throws {
    for (day, next) in [("2026-03-29", "2026-03-30"), ("2026-10-25", "2026-10-26"), ("2026-03-08", "2026-03-09")] {
      let hours = (0..<24).map { "\(day)T\($0 < 10 ? "0" : "")\($0):30" }
      #expect(try come("30 * * * *", day, next, seed: seed) == hours)
      let forward = hours.filter { $0 != "\(day)T02:30" }
      #expect(try come("30 * * * *", day, next, setAt: "\(day)T02:00", by: 3600, seed: seed) == forward)
      #expect(try come("30 * * * *", day, next, setAt: "\(day)T03:00", by: -3600, seed: seed) == hours)
    }
  }

  @Test(arguments: 0..<20) func endsOfYears(seed: UInt64) throws {
    #expect(
      try come("*/30 * * * *", "2026-12-31T22:40", "2027-01-01T01:10", seed: seed) == [
        "2026-12-31T23:00", "2026-12-31T23:30", "2027-01-01T00:00", "2027-01-01T00:30", "2027-01-01T01:00",
      ])
    #expect(
      try come("0 0 * * *", "2027-12-30T12:00", "2028-01-02T12:00", seed: seed) == [
        "2027-12-31T00:00", "2028-01-01T00:00", "2028-01-02T00:00",
      ])
    #expect(try come("59 23 31 12 *", "2026-12-31", "2027-01-02", seed: seed) == ["2026-12-31T23:59"])
    #expect(try come("0 0 1 1 *", "2026-12-31", "2027-01-02", setAt: "2026-12-31T23:59", by: 7200, seed: seed) == [])
    // The clock goes back over it: it has come.
    #expect(
      try come("0 0 1 1 *", "2026-12-31", "2027-01-02", setAt: "2027-01-01T00:10", by: -1200, seed: seed) == [
        "2027-01-01T00:00"
      ])
    #expect(
      try come("0 12 29 2 *", "2028-02-28", "2028-03-01T12:00", seed: seed) == ["2028-02-29T12:00"])
    #expect(try come("0 12 29 2 *", "2027-02-27", "2027-03-02", seed: seed) == [])
  }

  @Test func flows() throws {
    let log = Log<String>()
    _ = Clock.cron("x", item: { _ in }, end: { log.add($0.message ?? "") })
    _ = Clock.cron("0 0 30 2 *", item: { _ in }, end: { log.add($0.message ?? "") })
    let given = Clock.cron("* * * * *", item: { _ in }, end: { log.add($0.message ?? "") })
    given.pause()
    given.resume()
    #expect(log.wait { $0.count == 2 }.last == "no day is one of `0 0 30 2 *`")
    given.cancel()
  }
}

@Suite(.serialized) struct SignalTests {
  @Test func counting() throws {
    // What it means besides: nothing. Never the end of the process: the main thread blocks signals for a moment after each, and one
    // that is blocked is kept until somebody has given it that meaning back.
    signal(SIGUSR1, SIG_IGN)
    let log = Log<String>()
    let first = Signals.on("USR1", item: { log.add("first") }, end: { log.add($0.message ?? "end") })
    let second = Signals.on("SIGUSR1", item: { log.add("second") }, end: { log.add($0.message ?? "end") })
    _ = onLoop { tell in tell(()) } as Void?
    kill(getpid(), SIGUSR1)
    #expect(Set(log.wait { $0.count == 2 }) == ["first", "second"])
    second.pause()
    for count in 3...5 {
      kill(getpid(), SIGUSR1)
      #expect(log.wait { $0.count == count }.last == "first")
    }
    second.resume()
    #expect(log.wait { $0.count == 8 }.suffix(3) == ["second", "second", "second"])
    first.cancel()
    second.cancel()
    _ = onLoop { tell in tell(()) } as Void?
    // It means again what it meant.
    kill(getpid(), SIGUSR1)
    var action = sigaction()
    #expect(sigaction(SIGUSR1, nil, &action) == 0)
    #expect(unsafeBitCast(action.__sigaction_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self))
    #expect(log.all.count == 8)
  }

  @Test(arguments: ["TERM", "INT", "KILL", "", "usr1", "10"]) func others(_ name: String) {
    let log = Log<String>()
    _ = Signals.on(name, item: {}, end: { log.add($0.message ?? "end") })
    #expect(log.wait { !$0.isEmpty } == ["a signal is CONT, HUP, USR1, USR2, WINCH, not `\(name)`"])
  }

  @Test func environment() throws {
    var grants = Grants()
    try grants.add(.env, "FRP_TEST_A")
    try grants.add(.env, "FRP_TEST_B")
    setenv("FRP_TEST_A", "é", 1)
    let environment = Environment(grants)
    #expect(try environment.value("FRP_TEST_A") == "é")
    #expect(throws: IOError("not set in the environment: FRP_TEST_B")) { try environment.value("FRP_TEST_B") }
    #expect(throws: IOError("not granted: env HOME")) { try environment.value("HOME") }
  }
}
