// When lines happened, by what stands in them: `--time NAME=FIELD`, `--from`, `--late`.

import FRPBase
import FRPRuntime

/// Which moment is time 0.
enum EventStart: Sendable, Equatable {
  /// The least time of all inputs.
  case first
  case moment(CivilMoment)

  init(_ text: String, _ command: String) throws(UsageProblem) {
    var bytes = text
    if text == "first" {
      self = .first
    } else if let moment = bytes.withUTF8({ EventTime.moment($0) }) {
      self = .moment(moment)
    } else {
      throw UsageProblem(
        message: "`--from \(text)` is no moment: write `first`, seconds, or `2026-01-02T03:04:05Z`", command: command)
    }
  }
}

enum EventTime {
  /// The parts of a second that `--time NAME=FIELD/1000` and the like divide by.
  static let fractions = [1_000, 1_000_000, 1_000_000_000]

  /// A moment as seconds since 1970, or so many parts of them, or as one of the forms of `Date.parse`; decimals are exact.
  /// nil if it is neither. With a `pattern`, only what `Date.parse` understands in it.
  static func moment(
    _ text: UnsafeBufferPointer<UInt8>, fraction: Int = 1, pattern: [UInt8]? = nil
  ) -> CivilMoment? {
    if let pattern { return pattern.withUnsafeBufferPointer { CivilMoment(text, pattern: $0) } }
    guard let number = number(text) else { return CivilMoment(text) }
    if fraction == 1 { return number }
    // Rounded down, as the nanoseconds count up from the second.
    let (whole, rest) = number.seconds.quotientAndRemainder(dividingBy: fraction)
    let (seconds, parts) = rest < 0 ? (whole - 1, rest + fraction) : (whole, rest)
    let nanoseconds = parts * (1_000_000_000 / fraction) + number.nanoseconds / fraction
    return CivilMoment(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// `-1767322445.678`; exponents are rounded to a Float.
  private static func number(_ text: UnsafeBufferPointer<UInt8>) -> CivilMoment? {
    var place = 0
    let isNegative = text.first == 0x2D
    if isNegative || text.first == 0x2B { place += 1 }
    let start = place
    var seconds = 0
    while place < text.count, 0x30...0x39 ~= text[place] {
      // What is larger is no moment that anybody means, in nanoseconds either.
      if seconds >= Int.max / 10 { return nil }
      seconds = seconds * 10 + Int(text[place] - 0x30)
      place += 1
    }
    if place == start { return nil }
    var nanoseconds = 0
    if place < text.count, text[place] == 0x2E {
      place += 1
      var scale = 100_000_000
      while place < text.count, 0x30...0x39 ~= text[place] {
        nanoseconds += Int(text[place] - 0x30) * scale
        scale /= 10
        place += 1
      }
    }
    if place < text.count {
      if text[place] | 0x20 != 0x65 { return nil }
      return Double(String(decoding: text, as: UTF8.self)).flatMap { CivilMoment($0) }
    }
    if !isNegative || nanoseconds == 0 {
      return CivilMoment(seconds: isNegative ? -seconds : seconds, nanoseconds: nanoseconds)
    }
    return CivilMoment(seconds: -seconds - 1, nanoseconds: 1_000_000_000 - nanoseconds)
  }

  /// `Order Date(MM/dd/yyyy)` -> `Order Date` and the pattern of its dates, where a year stands in brackets at the end.
  static func patterned(_ field: String) -> (field: String, pattern: [UInt8]?) {
    guard field.last == ")", let open = field.lastIndex(of: "("), open != field.startIndex else { return (field, nil) }
    let pattern = field[field.index(after: open)...].dropLast()
    return pattern.contains("yyyy") ? (String(field[..<open]), Array(pattern.utf8)) : (field, nil)
  }

  /// The pattern that a date may have which only people understand.
  static func likelyPattern(_ text: String) -> String? {
    let parts = text.prefix { $0 != " " }.split(separator: "/", omittingEmptySubsequences: false).map(\.count)
    guard parts.count == 3, parts.prefix(2).allSatisfy({ 1...2 ~= $0 }), parts[2] == 4 else { return nil }
    switch text.filter({ $0 == ":" }).count {
    case 0: return "MM/dd/yyyy"
    case 1: return "MM/dd/yyyy HH:mm"
    default: return "MM/dd/yyyy HH:mm:ss"
    }
  }

  /// What is said of a number of seconds that lies after the year 9999, which moments of the calendar do not.
  static func notSeconds(_ text: String, _ input: String, _ field: String, isPattern: Bool) -> String {
    let digits = text.prefix { $0.isNumber }.count
    let fraction = fractions.first { digits - String($0).count < 11 } ?? 1_000_000_000
    let way = isPattern ? "" : ": for parts of a second write --time \(input)=\(field)/\(fraction)"
    return "its time \(text), in seconds, lies after the year 9999\(way)"
  }
}

/// The inputs whose lines have times, merged: by time, at equal times all lines of one, then of the next by declaration.
///
/// Memory: what lies within `late` behind the greatest time of each input, and a line of each.
struct TimedMerge {
  /// A line that waits for its moment.
  struct Line {
    /// Nanoseconds after the base.
    var time: Int64
    /// Counted from the first of its input.
    var number: Int
    /// Where its value is kept.
    var value: Int
  }

  /// One input.
  struct Stream {
    /// Which of the sources.
    let source: Int
    /// The lines that wait, as a heap: the earliest first.
    var waiting: [Line] = []
    var count = 0
    /// The greatest time so far.
    var greatest: Int64?
    var isEnded = false
  }

  private(set) var streams: [Stream]
  let values: RootSet
  private let late: Int64
  /// What times are counted from: `--from`, else the first one that is read.
  private(set) var base: CivilMoment?
  /// The moment 0 of the program, after the base; nil while it is looked for.
  private(set) var origin: Int64?

  /// Merges `sources`, in the order of their declarations; `late` is in nanoseconds.
  init(_ heap: Heap, sources: [Int], late: Int64, from: EventStart?) {
    streams = sources.map { Stream(source: $0) }
    values = RootSet(heap)
    // Times lie within 146 years of the first, so that differences and sums of them fit.
    self.late = min(late, 1 << 61)
    if case .moment(let moment)? = from {
      base = moment
      origin = 0
    }
  }

  /// The moment 0, once that is known; nil where there is no line either.
  var epoch: CivilMoment? {
    guard let base, let origin else { return nil }
    let nanoseconds = base.nanoseconds + Int(origin)
    let part = nanoseconds % 1_000_000_000
    let (fraction, whole) = part < 0 ? (part + 1_000_000_000, -1) : (part, 0)
    return CivilMoment(seconds: base.seconds + nanoseconds / 1_000_000_000 + whole, nanoseconds: fraction)
  }

  // MARK: Lines in

  /// Why a line with a time is not taken.
  enum Refusal {
    case tooFar, beforeStart
    /// So many nanoseconds behind the greatest time.
    case late(Int64)
  }

  /// Whether a time of an input counts; notes it if so.
  mutating func refusal(_ moment: CivilMoment, stream: Int) -> Refusal? {
    let base = base ?? moment
    self.base = base
    guard let nanoseconds = moment.nanoseconds(since: base), nanoseconds.magnitude < 1 << 62 else { return .tooFar }
    let time = Int64(nanoseconds)
    if let greatest = streams[stream].greatest, time < greatest - late { return .late(greatest - time) }
    streams[stream].greatest = max(streams[stream].greatest ?? time, time)
    if let origin, time < origin { return .beforeStart }
    return nil
  }

  /// Keeps a value until its moment, the last that `refusal` was asked for.
  mutating func add(_ word: Word, isReference: Bool, _ moment: CivilMoment, stream: Int) {
    let time = base.flatMap { moment.nanoseconds(since: $0) } ?? 0
    let place = values.insert(word, isReference: isReference)
    let line = Line(time: Int64(time), number: streams[stream].count, value: place)
    streams[stream].count += 1
    streams[stream].waiting.push(line)
  }

  mutating func end(stream: Int) { streams[stream].isEnded = true }

  // MARK: Lines out

  /// Which input must be read before the next line is known; nil if it is, or there is none.
  var wanted: Int? {
    guard let next = earliest else { return streams.firstIndex { !$0.isEnded } }
    let time = streams[next].waiting[0].time
    return streams.indices.first { index in
      let stream = streams[index]
      if stream.isEnded { return false }
      guard let greatest = stream.greatest else { return true }
      // Its next line may be as early as this.
      let bound = greatest - late
      return index < next ? bound <= time : bound < time
    }
  }

  /// The input whose line is next, of those that wait.
  private var earliest: Int? {
    var found: Int?
    for index in streams.indices {
      guard let time = streams[index].waiting.first?.time else { continue }
      if let best = found, streams[best].waiting[0].time <= time { continue }
      found = index
    }
    return found
  }

  /// The next line, where nothing is `wanted`; nil at the end.
  mutating func next() -> (source: Int, line: Line)? {
    earliest.map { (streams[$0].source, streams[$0].waiting.pop()) }
  }

  /// Which input must be read before it is known which time is the first.
  var wantedForFirst: Int? {
    streams.indices.first { index in
      let stream = streams[index]
      if stream.isEnded { return false }
      guard let first = stream.waiting.first?.time, let greatest = stream.greatest else { return true }
      return greatest - late < first
    }
  }

  /// Makes the least time of all the moment 0.
  mutating func beginAtFirst() { origin = streams.compactMap { $0.waiting.first?.time }.min() ?? 0 }
}

extension TimedMerge.Line {
  fileprivate static func < (a: Self, b: Self) -> Bool { (a.time, a.number) < (b.time, b.number) }
}

extension [TimedMerge.Line] {
  /// Adds to a heap. Cost: O(log n), and O(1) for what comes in order.
  fileprivate mutating func push(_ line: Element) {
    append(line)
    var place = count - 1
    while place > 0, case let parent = (place - 1) / 2, self[place] < self[parent] {
      swapAt(place, parent)
      place = parent
    }
  }

  /// Takes the least one of a heap that is not empty. Cost: O(log n).
  fileprivate mutating func pop() -> Element {
    swapAt(0, count - 1)
    let least = removeLast()
    var place = 0
    while true {
      var child = 2 * place + 1
      if child >= count { return least }
      if child + 1 < count, self[child + 1] < self[child] { child += 1 }
      if !(self[child] < self[place]) { return least }
      swapAt(child, place)
      place = child
    }
  }
}
