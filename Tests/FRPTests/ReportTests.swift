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

@Suite struct ReportTests {
  private func number(_ report: HostReport) -> Int {
    if case .item(.value(.integer(let number)), _) = report { number } else { -1 }
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
    var taken: [Int] = []
    while let next = turns.next() {
      taken.append(number(next.report))
      if taken.count == 1 { turns.add(c, .item(.value(.integer(30)))) }
    }
    #expect(taken == [10, 20, 11, 21, 30, 12])
    #expect(turns.isEmpty && turns.isRoundOver)
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
    for expected in 0..<32_768 { #expect(turns.next().map { number($0.report) } == expected) }
    #expect(sender.words.withLock { $0 } == ["pause"])
    #expect(turns.next().map { number($0.report) } == 32_768)
    #expect(sender.words.withLock { $0 } == ["pause", "resume"])
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
