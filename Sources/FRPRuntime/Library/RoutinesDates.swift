// Routines of moments: seconds since 1970 as Floats, and the calendar of FRPBase.

import FRPBase
import FRPCore
import FRPGraph

extension RoutineTable {
  static let dates: [(Prim, Routine)] = [
    (.dateParse, dateParse), (.dateFormat, dateFormat), (.dateParts, dateParts), (.dateFromParts, dateFromParts),
    (.dateAddMonths, dateAddMonths), (.dateEpoch, dateEpoch), (.dateParseIn, dateParseIn),
  ]

  private static func dateEpoch(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(float: m.library.epoch)
  }

  private static func dateParse(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    try stepBytes(m, text.count)
    guard let moment = CivilMoment(text) else { return .none }
    return try m.heap.some(Word(float: moment.value), a.call.result)
  }

  private static func dateParseIn(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let (text, pattern) = (m.heap.bytes(a[0]), m.heap.bytes(a[1]))
    try stepBytes(m, text.count + pattern.count)
    guard let moment = CivilMoment(text, pattern: pattern) else { return .none }
    return try m.heap.some(Word(float: moment.value), a.call.result)
  }

  private static func civil(_ seconds: Word) throws(Fault) -> CivilTime {
    guard let moment = CivilMoment(seconds.float) else { throw outside(seconds) }
    return CivilTime(moment)
  }

  private static func outside(_ seconds: Word) -> Fault {
    Fault(.message, "\(seconds.float) seconds since 1970 are outside of the years 0 to 9999")
  }

  private static func dateFormat(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let pattern = m.heap.bytes(a[1])
    try stepBytes(m, pattern.count)
    let time = try civil(a[0])
    var out = StringBuilder()
    time.formatted(pattern) { out.append(byte: $0) }
    return try out.finish(m.heap)
  }

  private static func dateParts(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let time = try civil(a[0])
    // In the order of memory, which is that of the names.
    let parts = [
      time.day, time.dayOfYear, time.hour, time.minute, time.month, time.second, time.week, time.weekday, time.year,
    ]
    return try m.heap.construct(a.call.result, parts.map { Word(int: $0) }, parts.count)
  }

  private static func dateFromParts(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    guard case .record(let fields) = m.heap.shapes.types[a.call.a0] else { return .none }
    func part(_ name: String) -> Int { fields.firstIndex { $0.name == name }.map { a[0].field($0).int } ?? 0 }
    let time = CivilTime(
      year: part("year"), month: part("month"), day: part("day"), hour: part("hour"), minute: part("minute"),
      second: part("second"))
    guard let moment = time.moment else { return .none }
    return try m.heap.some(Word(float: moment.value), a.call.result)
  }

  private static func dateAddMonths(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let time = try civil(a[0])
    guard let moment = time.adding(months: a[1].int)?.moment else {
      throw Fault(.message, "\(a[1].int) months later is outside of the years 0 to 9999")
    }
    return Word(float: moment.value)
  }
}
