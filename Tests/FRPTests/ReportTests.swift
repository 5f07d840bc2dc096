// What operations report to a run: in turns, nothing lost, and nobody further ahead than the limit.

import FRP
import Foundation
import Glibc
import Synchronization
import Testing

@testable import FRPCommands

private final class Sender: HostUnderway {
  let words = Mutex<[String]>([])
  func cancel() {}
  func pause() { words.withLock { $0.append("pause") } }
  func resume() { words.withLock { $0.append("resume") } }
}

/// How many of something there are.
private final class Counter: Sendable {
  let count = Atomic(0)
}

private final class Counted: Sendable {
  private let counter: Counter

  init(_ counter: Counter) {
    self.counter = counter
    counter.count.add(1, ordering: .relaxed)
  }

  deinit { counter.count.subtract(1, ordering: .relaxed) }
}

@Suite struct ReportTests {
  private func number(_ report: HostReport) -> Int {
    if case .item(.value(.integer(let number)), _) = report { number } else { -1 }
  }

  /// What comes next, as it is shown, is taken.
  private func take(_ turns: inout ReportTurns) -> String? {
    guard let (lane, next) = turns.next() else { return nil }
    turns.took(1, of: lane)
    switch next {
    case .report(let report): return "\(number(report))"
    case .text(let bodies, let place): return String(decoding: bodies.bytes[bodies.ranges[place]], as: UTF8.self)
    }
  }

  /// Bodies that came together.
  private func together(_ words: String...) -> HostReport {
    let bytes = Array(words.joined().utf8)
    var ranges: [Range<Int>] = []
    for word in words {
      ranges.append((ranges.last?.upperBound ?? 0)..<(ranges.last?.upperBound ?? 0) + word.utf8.count)
    }
    return .items(HostBodies(bytes, ranges))
  }

  private func isReadable(_ descriptor: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 0) == 1
  }

  /// One of each, oldest first, whoever came first; who comes within a round has its turn in the next.
  @Test func turns() {
    let (a, b, c) = (ReportLane(1), ReportLane(2), ReportLane(3))
    var turns = ReportTurns()
    for (lane, number) in [(b, 20), (b, 21), (a, 10), (a, 11), (a, 12)] {
      turns.add(lane, .item(.value(.integer(number))))
    }
    var taken: [String] = []
    while let next = take(&turns) {
      taken.append(next)
      if taken.count == 1 { turns.add(c, .item(.value(.integer(30)))) }
    }
    #expect(taken == ["10", "20", "11", "21", "30", "12"])
    #expect(turns.isEmpty && turns.isRoundOver)
  }

  /// Who brings many at once has no more turns than others.
  @Test func turnsOfMany() {
    let (a, b) = (ReportLane(1), ReportLane(2))
    var turns = ReportTurns()
    turns.add(a, together("u", "", "v"))
    turns.add(a, together("w"))
    turns.add(b, .item(.value(.integer(1))))
    turns.add(b, together("x", "y"))
    turns.add(a, .item(.value(.integer(2))))
    var taken: [String] = []
    while let next = take(&turns) { taken.append(next) }
    #expect(taken == ["u", "1", "", "x", "v", "y", "w", "2"])
    turns.add(a, together("u", "v"))
    turns.add(b, together("x"))
    #expect(take(&turns) == "u")
    a.close()
    #expect(take(&turns) == "x" && take(&turns) == nil)
  }

  /// A source that is ahead by the limit waits until half of that is taken; what it has sent is all there.
  @Test func whoIsAheadWaits() {
    let (sender, lane, box) = (Sender(), ReportLane(1), ReportBox())
    lane.set(sender)
    for number in 0..<65_536 { box.put(lane, .item(.value(.integer(number)))) }
    #expect(sender.words.withLock { $0 } == ["pause"])
    var arrivals: ReportBox.Arrivals = []
    var turns = ReportTurns()
    box.collect(&arrivals)
    for (lane, report) in arrivals { turns.add(lane, report) }
    for expected in 0..<32_768 { #expect(take(&turns) == "\(expected)") }
    #expect(sender.words.withLock { $0 } == ["pause"])
    #expect(take(&turns) == "32768")
    #expect(sender.words.withLock { $0 } == ["pause", "resume"])
  }

  /// The same in a program: two sources that bring many at once, and one that brings one each time.
  @Test func inputsHaveTurns() throws {
    final class Told: HostUnderway { func cancel() {} }
    let module = HostModule("Many") { module in
      module.operation("words(text: String): Source<String>") { call in
        { report in
          let bytes = Array(call.text(0).utf8)
          report(.items(HostBodies(bytes, bytes.indices.map { $0..<$0 + 1 })))
          report(.ended(.success(.value(.unit))))
          return Told()
        }
      }
      module.operation("numbers(text: String): Source<Int>", decodes: true) { call in
        { report in
          for letter in call.text(0) { report(.item(.body(String(letter)))) }
          report(.ended(.success(.value(.unit))))
          return Told()
        }
      }
    }
    let folder = TemporaryFolder()
    let path = try folder.file(
      """
      input a: Event<String> from Many.words("abcd")
      input n: Event<Int> from Many.numbers("123")
      input b: Event<String> from Many.words("xy")
      output all = merge(merge(a, b), n |> map(i => "{i}"))
      """, "turns.frp")
    #expect(frp(["run", path], host: [module]).out == "a\n1\nx\nb\n2\ny\nc\n3\nd\n")
  }

  /// Long lines of a file wait there, and not in memory.
  @Test func whoIsAheadWithLongOnesWaits() {
    let (sender, lane, box) = (Sender(), ReportLane(1), ReportBox())
    lane.set(sender)
    let long = [UInt8](repeating: 0x61, count: 1 << 20)
    for _ in 0..<7 { box.put(lane, .items(HostBodies(long, [0..<long.count]))) }
    #expect(sender.words.withLock { $0 } == [])
    box.put(lane, .items(HostBodies(long, [0..<long.count])))
    #expect(sender.words.withLock { $0 } == ["pause"])
    var turns = ReportTurns()
    var arrivals: ReportBox.Arrivals = []
    box.collect(&arrivals)
    for (lane, report) in arrivals { turns.add(lane, report) }
    for _ in 0..<4 { _ = take(&turns) }
    #expect(sender.words.withLock { $0 } == ["pause"])
    _ = take(&turns)
    #expect(sender.words.withLock { $0 } == ["pause", "resume"])
  }

  /// What came together counts as so many, until all of it is taken.
  @Test func whoIsAheadWithManyWaits() {
    let (sender, lane, box) = (Sender(), ReportLane(1), ReportBox())
    lane.set(sender)
    let many = HostReport.items(HostBodies([], Array(repeating: 0..<0, count: 32_768)))
    box.put(lane, many)
    #expect(sender.words.withLock { $0 }.isEmpty)
    box.put(lane, .items(HostBodies([1, 2], [])))
    box.put(lane, many)
    #expect(sender.words.withLock { $0 } == ["pause"])
    var arrivals: ReportBox.Arrivals = []
    var turns = ReportTurns()
    box.collect(&arrivals)
    #expect(arrivals.count == 2, "none is no report")
    for (lane, report) in arrivals { turns.add(lane, report) }
    for _ in 0..<32_768 { _ = take(&turns) }
    #expect(sender.words.withLock { $0 } == ["pause"])
    box.put(lane, .opened)
    for _ in 0..<32_768 { _ = take(&turns) }
    #expect(sender.words.withLock { $0 } == ["pause", "resume"])
    #expect(turns.isEmpty)
  }

  /// So does one whose bytes are many.
  @Test func bytesCount() {
    let (sender, lane, box) = (Sender(), ReportLane(1), ReportBox())
    lane.set(sender)
    let text = String(repeating: "x", count: 1 << 20)
    for _ in 0..<63 { box.put(lane, .item(.body(text))) }
    #expect(sender.words.withLock { $0 }.isEmpty)
    box.put(lane, .item(.body(text)))
    #expect(sender.words.withLock { $0 } == ["pause"])
  }

  /// The descriptor is readable whenever something waits and nobody takes, and is not when all is taken.
  @Test func theBell() {
    let (lane, box) = (ReportLane(1), ReportBox())
    var arrivals: ReportBox.Arrivals = []
    #expect(!isReadable(box.descriptor) && !box.hasAny)
    box.put(lane, .opened)
    #expect(isReadable(box.descriptor) && box.hasAny)
    box.collect(&arrivals)
    box.put(lane, .opened)
    box.rest(isEmpty: true)
    #expect(isReadable(box.descriptor) && box.hasAny)
    box.collect(&arrivals)
    box.rest(isEmpty: false)
    #expect(isReadable(box.descriptor) && box.hasAny)
    arrivals = []
    box.collect(&arrivals)
    box.rest(isEmpty: true)
    #expect(!isReadable(box.descriptor) && !box.hasAny)
  }

  /// What was taken is given back, also of a source that always has more.
  @Test func nothingIsKept() {
    let (lane, kept) = (ReportLane(1), Counter())
    var turns = ReportTurns()
    func add() {
      let value = Counted(kept)
      turns.add(lane, .item(.value(.unit)) { _ in withExtendedLifetime(value) {} })
    }
    add()
    for _ in 0..<3000 {
      add()
      _ = take(&turns)
      #expect(kept.count.load(ordering: .relaxed) == 1)
    }
  }

  /// Two threads put while one takes and sleeps: each report comes once, in the order of its lane.
  @Test func nothingIsLost() {
    let box = ReportBox()
    let lanes = [ReportLane(1), ReportLane(2)]
    let count = 20_000
    for lane in lanes {
      Thread.detachNewThread { for number in 0..<count { box.put(lane, .item(.value(.integer(number)))) } }
    }
    var next = [0, 0]
    var arrivals: ReportBox.Arrivals = []
    let end = Date(timeIntervalSinceNow: 60)
    while next != [count, count], Date() < end {
      box.wait(60_000)
      box.collect(&arrivals)
      for (lane, report) in arrivals {
        #expect(number(report) == next[lane.number - 1])
        next[lane.number - 1] += 1
      }
      arrivals = []
      box.rest(isEmpty: true)
    }
    #expect(next == [count, count])
  }
}
