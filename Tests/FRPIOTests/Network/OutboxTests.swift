import Synchronization
import Testing

@testable import FRPIO

/// What is said to a WebSocket, before it is sent.
@Suite struct OutboxTests {
  private final class Sent: Sendable {
    let texts = Log<[String]>()
    let room = LoopLocal<Completion<Void>?>(nil)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// An outbox whose texts are noted as they are sent; `isRoomy`: there is room for more at once.
  private func outbox(_ sent: Sent, isRoomy: Bool) -> Outbox {
    final class Holder: @unchecked Sendable { weak var outbox: Outbox? }
    let holder = Holder()
    let outbox = Outbox {
      holder.outbox?.drain({ Array($0.joined(separator: [0x20])) }) { bytes, done in
        sent.texts.add(String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init))
        if isRoomy { done(.success(())) } else { sent.room.with { $0 = done } }
      }
    }
    holder.outbox = outbox
    return outbox
  }

  /// In the order in which it was said, whether there was room at once or not, and together where it came together.
  @Test func order() {
    let sent = Sent()
    let outbox = outbox(sent, isRoomy: true)
    #expect(outbox.offer(Array("early".utf8)) == nil)
    let ends = Log<String>()
    outbox.say(Array("0".utf8)) { ends.add($0.message ?? "ok") }
    IOLoop.shared.run { outbox.open() }
    #expect(ends.wait { !$0.isEmpty } == ["ok"])
    for number in 1...1000 { #expect(outbox.offer(Array("\(number)".utf8))?.message == .some(nil)) }
    let all = sent.texts.wait { $0.reduce(0) { $0 + $1.count } == 1001 }.flatMap { $0 }
    #expect(all == (0...1000).map(String.init))
  }

  /// Where nothing is taken, only so much is kept; then whoever says more waits for room.
  @Test func room() {
    let sent = Sent()
    let outbox = outbox(sent, isRoomy: false)
    IOLoop.shared.run { outbox.open() }
    let piece = [UInt8](repeating: 0x61, count: Outbox.limit / 4)
    outbox.say(Array("first".utf8)) { _ in }
    _ = sent.texts.wait { !$0.isEmpty }
    var taken = 0
    while outbox.offer(piece) != nil { taken += 1 }
    #expect(taken == 4)
    let ends = Log<String>()
    outbox.say(Array("last".utf8)) { ends.add($0.message ?? "ok") }
    #expect(sent.texts.all.count == 1 && ends.all.isEmpty)
    let told: Bool? = onLoop { tell in
      sent.room.with { $0 }?(.success(()))
      tell(true)
    }
    #expect(told == true)
    #expect(sent.texts.wait { $0.count == 2 }.last?.count == 5)
    #expect(ends.all.isEmpty)
    IOLoop.shared.run { sent.room.with { $0 }?(.success(())) }
    #expect(ends.wait { !$0.isEmpty } == ["ok"])
  }

  /// What was taken is given before the connection is closed; what is said then, and who waits, hears of it.
  @Test func closing() {
    let sent = Sent()
    let outbox = outbox(sent, isRoomy: false)
    let ends = Log<String>()
    let last: [String]? = onLoop { tell in
      outbox.open()
      _ = outbox.offer(Array("a".utf8))
      outbox.say(Array("b".utf8)) { ends.add($0.message ?? "ok") }
      tell(outbox.takeLast(.failure(Outbox.closed)).map { String(decoding: $0, as: UTF8.self) })
    }
    #expect(last == ["a", "b"])
    #expect(outbox.offer(Array("c".utf8))?.message == "the WebSocket is closed")
    outbox.say(Array("d".utf8)) { ends.add($0.message ?? "ok") }
    #expect(ends.wait { $0.count == 2 } == ["the WebSocket is closed", "the WebSocket is closed"])
  }
}
