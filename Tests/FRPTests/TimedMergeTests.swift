// Lines with times of their own, merged: against sorting all of them.

import FRP
import FRPBase
import FRPRuntime
import Testing

@testable import FRPCommands

@Suite struct TimedMergeTests {
  private struct Line: Equatable {
    var stream: Int
    var number: Int
    var time: Int
  }

  /// What the merge gives for lines at these times (in seconds), and what it refused.
  private func merged(_ times: [[Int]], late: Int, from: EventStart?) throws -> (lines: [Line], refused: Int) {
    let simulation = try Simulation(Program(Source(name: "p.frp", text: "input n: Event<Int>\noutput m = n\n")))
    var merge = TimedMerge(
      simulation.reactor.heap, sources: Array(times.indices), late: Int64(late) * 1_000_000_000, from: from)
    var next = times.map { _ in 0 }
    var refused = 0
    func read(_ stream: Int) {
      if next[stream] == times[stream].count { return merge.end(stream: stream) }
      let number = next[stream]
      next[stream] += 1
      let moment = CivilMoment(seconds: times[stream][number])
      if merge.refusal(moment, stream: stream) != nil {
        refused += 1
      } else {
        merge.add(Word(int: number), isReference: false, moment, stream: stream)
      }
    }
    if merge.origin == nil {
      while let stream = merge.wantedForFirst { read(stream) }
      merge.beginAtFirst()
    }
    var found: [Line] = []
    while true {
      if let stream = merge.wanted {
        read(stream)
        continue
      }
      guard let (stream, line) = merge.next() else { return (found, refused) }
      let time = Int(line.time - (merge.origin ?? 0)) / 1_000_000_000
      found.append(Line(stream: stream, number: merge.values.remove(line.value).int, time: time))
    }
  }

  /// The same by sorting: what is on time behind the greatest time of its own input, by time, input and line.
  private func sorted(_ times: [[Int]], late: Int, from: Int?) -> [Line] {
    var lines: [Line] = []
    for (stream, list) in times.enumerated() {
      var greatest = Int.min / 2
      for (number, time) in list.enumerated() {
        if time >= greatest - late { lines.append(Line(stream: stream, number: number, time: time)) }
        greatest = max(greatest, time)
      }
    }
    let origin = from ?? lines.map(\.time).min() ?? 0
    lines = lines.filter { $0.time >= origin }
    lines.sort { ($0.time, $0.stream, $0.number) < ($1.time, $1.stream, $1.number) }
    return lines.map { Line(stream: $0.stream, number: $0.number, time: $0.time - origin) }
  }

  @Test func linesComeInTheOrderOfTheirTimes() throws {
    var random = SystemRandomNumberGenerator()
    for round in 0..<400 {
      let late = Int.random(in: 0...4, using: &random)
      let times = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        var time = Int.random(in: 0...5, using: &random)
        return (0..<Int.random(in: 0...12, using: &random)).map { _ in
          time += Int.random(in: 0...2, using: &random)
          return max(0, time - Int.random(in: 0...5, using: &random))
        }
      }
      let start = round % 2 == 0 ? nil : Int.random(in: 0...8, using: &random)
      let from = start.map { EventStart.moment(CivilMoment(seconds: $0)) }
      let (lines, refused) = try merged(times, late: late, from: from)
      #expect(lines == sorted(times, late: late, from: start), "\(times), late \(late), from \(start ?? -1)")
      #expect(lines.count + refused == times.joined().count)
    }
  }

  @Test(arguments: [
    ("1767323045.6", 1_767_323_045, 600_000_000), ("-1.25", -2, 750_000_000), ("+3", 3, 0), ("1.5e3", 1500, 0),
    ("1767323045.123456789", 1_767_323_045, 123_456_789), ("2026-01-02T03:04:05.6Z", 1_767_323_045, 600_000_000),
    ("2026-01-02", 1_767_312_000, 0),
  ])
  func momentsAreRead(_ text: String, seconds: Int, nanoseconds: Int) {
    var text = text
    let moment = text.withUTF8 { EventTime.moment($0) }
    #expect(moment == CivilMoment(seconds: seconds, nanoseconds: nanoseconds))
  }

  @Test(arguments: ["", "x", "1.5.2", "2026-02-30", "99999999999999999999", "1e400"])
  func whatIsNoMomentIsNone(_ text: String) {
    var text = text
    #expect(text.withUTF8 { EventTime.moment($0) } == nil)
  }
}
