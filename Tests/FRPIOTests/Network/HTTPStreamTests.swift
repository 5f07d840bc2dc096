import Glibc
import Testing

@testable import FRPIO

/// Lines and events, cut at every byte.
@Suite struct StreamSplitterTests {
  private func items<Splitter: StreamSplitter>(
    _ splitter: Splitter, _ bytes: [UInt8], pieces: Int
  ) -> Result<[Splitter.Item], IOError> {
    var splitter = splitter
    var (have, start, items) = ([UInt8](), 0, [Splitter.Item]())
    do throws(IOError) {
      for index in stride(from: 0, through: bytes.count, by: pieces) {
        have += bytes[index..<min(bytes.count, index + pieces)]
        let isLast = index + pieces > bytes.count
        while let item = try splitter.next(have, &start, isLast: isLast) { items.append(item) }
        have.removeFirst(start)
        start = 0
      }
      return .success(items)
    } catch { return .failure(error) }
  }

  @Test func lines() throws {
    let text = "a\r\n\nbé\n\r\nlast"
    for pieces in 1...text.utf8.count {
      let lines = try items(BodyLines(limit: 4), Array(text.utf8), pieces: pieces).get().flatMap(\.lines)
      #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["a", "", "bé", "", "last"])
    }
    #expect(throws: IOError("line 2 is longer than 4 bytes")) {
      try items(BodyLines(limit: 4), Array("a\nbcdef".utf8), pieces: 1).get()
    }
    #expect(throws: IOError("line 1 is not UTF-8")) {
      try items(BodyLines(limit: 4), [0xFF, 0x0A], pieces: 2).get()
    }
    // What comes before is there, in whatever pieces.
    for (text, problem) in [
      ("a\nb\ntoo long\nc\n", "line 3 is longer than 4 bytes"), ("a\nb\nX\ntoo long\n", "line 3 is not UTF-8"),
    ] {
      let bytes = text.utf8.map { $0 == 0x58 ? 0xFF : $0 }
      for size in 1...bytes.count {
        var (lines, given, start) = (BodyLines(limit: 4), [String](), 0)
        #expect(throws: IOError(problem)) {
          for index in stride(from: 0, to: bytes.count, by: size) {
            start = 0
            let piece = Array(bytes[index..<min(bytes.count, index + size)])
            while let batch = try lines.next(piece, &start, isLast: false) {
              given += batch.lines.map { String(decoding: $0, as: UTF8.self) }
            }
          }
        }
        #expect(given == ["a", "b"], "\(size)")
      }
    }
  }

  /// The examples of the standard, and their neighbours.
  @Test func events() throws {
    let text =
      "\u{FEFF}: comment\n\ndata: one\n\nevent: add\r\nid: 7\r\ndata: two\r\ndata:  three\r\n\r\ndata\n\nid\rdata:four\r\revent: x\n\n"
      + "retry: 50\ndata: cut"
    for pieces in 1...text.utf8.count {
      let place = EventPlace()
      let events = try items(EventSplitter(limit: 100, from: place), Array(text.utf8), pieces: pieces).get()
      #expect(
        events.map { "\($0.type)/\($0.id)/\(String(decoding: $0.data, as: UTF8.self))" }
          == ["message//one", "add/7/two\n three", "message/7/", "message//four"], "\(pieces)")
      #expect(place.id.isEmpty)
    }
    // How long to wait before the next connection.
    let waits = [("", 3000), ("retry: 250\n", 250), ("retry: 0\n", 10), ("retry: 999999\nretry: soon\n", 60_000)]
    for (named, wait) in waits {
      var (splitter, start) = (EventSplitter(limit: 100, from: EventPlace()), 0)
      _ = try splitter.next(Array(named.utf8), &start, isLast: false)
      #expect(splitter.waitMilliseconds == wait)
    }
    #expect(throws: IOError("an event is longer than 20 bytes")) {
      try items(
        EventSplitter(limit: 20, from: EventPlace()), Array("data: 0123456789\ndata: 0123456789\n".utf8), pieces: 3
      )
      .get()
    }
    #expect(throws: IOError("an event is not UTF-8")) {
      try items(EventSplitter(limit: 20, from: EventPlace()), Array("data: ".utf8) + [0xC0, 0x0A], pieces: 3).get()
    }
  }
}

@Suite(.enabled(if: hasNetwork, noNetwork)) struct HTTPStreamTests {
  /// What a stream gives, and how it ends.
  private final class Heard: Sendable {
    let items = Log<String>()
    /// That it has opened, and why it was lost.
    let breaks = Log<String>()
    let outcome = Outcome<Void>()

    func lines(_ url: String, _ grants: Grants = loopback) -> any Flow {
      HTTP.lines(url, grants, item: { self.items.add($0) }, end: outcome.completion)
    }

    func events(_ url: String, from place: EventPlace = EventPlace()) -> any Flow {
      HTTP.events(
        url, from: place, loopback, item: { self.items.add("\($0.id) \(String(decoding: $0.data, as: UTF8.self))") },
        end: outcome.completion)
    }

    func eventsThatGoOn(_ url: String, from place: EventPlace = EventPlace()) -> any Flow {
      HTTP.events(
        url, from: place, loopback, opened: { self.breaks.add("opened") }, lost: { self.breaks.add($0) },
        item: { self.items.add("\($0.id) \(String(decoding: $0.data, as: UTF8.self))") }, end: outcome.completion)
    }
  }

  @Test func linesComeAsTheyAreSent() {
    let go = Flag()
    let peer = Peer { connection in
      connection.receiveHead()
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\none\nt\r\n")
      while !go.isSet { connection.pause(milliseconds: 10) }
      connection.send("3\r\nwo\n\r\n5\r\nthree\r\n0\r\n\r\n")
    }
    defer { peer.stop() }
    let heard = Heard()
    _ = heard.lines(peer.url())
    #expect(heard.items.wait { $0.count == 1 } == ["one"])
    go.set()
    #expect(problem(heard.outcome.wait()).hasPrefix("it succeeds"))
    #expect(heard.items.all == ["one", "two", "three"])
  }

  @Test(arguments: [
    ("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nhtml", "404 Not Found", []),
    ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na\nb", "the answer was cut short after 3 of 9 bytes", ["a"]),
    ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na\n\u{1}\n\u{2}\n\n\nx", "", ["a", "\u{1}", "\u{2}", "", "", "x"]),
  ])
  func linesThatEnd(_ answer: String, _ sentence: String, _ lines: [String]) {
    let peer = Peer { connection in
      connection.receiveHead()
      connection.send(answer)
    }
    defer { peer.stop() }
    let heard = Heard()
    _ = heard.lines(peer.url())
    let said = problem(heard.outcome.wait())
    #expect(sentence.isEmpty ? said.hasPrefix("it succeeds") : said == sentence, "\(said)")
    #expect(heard.items.all == lines)
  }

  /// The server waits while the listener does: it does not get rid of 64 MiB.
  @Test func aPausedStreamHoldsItsServer() {
    let (go, sent) = (Flag(), Flag())
    let line = String(repeating: "x", count: 1023) + "\n"
    let peer = Peer { connection in
      connection.receiveHead()
      connection.send("HTTP/1.1 200 OK\r\n\r\n\(line)")
      while !go.isSet { connection.pause(milliseconds: 10) }
      for _ in 0..<64 { connection.send(String(repeating: line, count: 1024)) }
      sent.set()
    }
    defer { peer.stop() }
    let heard = Heard()
    let flow = heard.lines(peer.url())
    _ = heard.items.wait { $0.count == 1 }
    flow.pause()
    go.set()
    usleep(500_000)
    #expect(heard.items.all.count == 1 && !sent.isSet)
    flow.resume()
    #expect(problem(heard.outcome.wait(seconds: 300)).hasPrefix("it succeeds"))
    #expect(heard.items.all.count == 65537)
  }

  @Test func eventsGoOnFromTheLast() throws {
    let heads = Log<String>()
    let peer = Peer { connection in
      let head = connection.receiveHead()
      heads.add(head)
      let start = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"
      switch heads.all.count {
      case 1: connection.send(start + "id: 1\ndata: a\n\nid: 2\ndata: cut")
      case 2:
        connection.send(start + "id: 2\ndata: b\n\n")
        connection.pause(milliseconds: 50)
        connection.reset()
      case 3: connection.send(start + "data: c\n\n")
      default: connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    defer { peer.stop() }
    let place = EventPlace(after: "0")
    let ends = (1...4).map { _ in
      let heard = Heard()
      _ = heard.events(peer.url(), from: place)
      let end = problem(heard.outcome.wait())
      return "\(end.hasPrefix("it succeeds") ? "ended" : end): \(heard.items.all.joined(separator: ", "))"
    }
    #expect(ends[0] == "ended: 1 a")
    #expect(!ends[1].hasPrefix("ended") && ends[1].hasSuffix(": 2 b"), "\(ends[1])")
    #expect(ends[2...] == ["ended: 2 c", "ended: "])
    let ids = heads.all.map { head in
      head.split(separator: "\r\n").filter { $0.hasPrefix("Last-Event-ID: ") }.map { String($0.dropFirst(15)) }
    }
    #expect(ids == [["0"], ["1"], ["2"], ["2"]])
    #expect(heads.all.allSatisfy { $0.contains("\r\nAccept: text/event-stream\r\n") })
  }

  /// Where nobody else opens it again: until the server has no more.
  @Test func eventsGoOnByThemselves() {
    let heads = Log<String>()
    let peer = Peer { connection in
      let head = connection.receiveHead()
      heads.add(head)
      let start = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
      switch heads.all.count {
      case 1: connection.send(start + "retry: 20\nid: 1\ndata: a\n\nid: 2\ndata: cut")
      case 2:
        connection.send(start + "id: 2\ndata: b\n\n")
        connection.pause(milliseconds: 50)
        connection.reset()
      // The server is not there yet.
      case 3: connection.reset()
      case 4: connection.send(start + "data: c\n\n")
      default: connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    defer { peer.stop() }
    let heard = Heard()
    _ = heard.eventsThatGoOn(peer.url(), from: EventPlace(after: "0"))
    #expect(problem(heard.outcome.wait()).hasPrefix("it succeeds"))
    #expect(heard.items.all == ["1 a", "2 b", "2 c"])
    let breaks = heard.breaks.all
    #expect(breaks.count == 7 && [0, 2, 5].allSatisfy { breaks[$0] == "opened" }, "\(breaks)")
    #expect(breaks.filter { $0 == "it ended" }.count == 2, "\(breaks)")
    let ids = heads.all.map { head in
      head.split(separator: "\r\n").filter { $0.hasPrefix("Last-Event-ID: ") }.map { String($0.dropFirst(15)) }
    }
    #expect(ids == [["0"], ["1"], ["2"], ["2"], ["2"]])
  }

  /// What was never there, and what answers otherwise, is not asked again.
  @Test func eventsThatDoNotGoOn() {
    let never = Heard()
    _ = never.eventsThatGoOn("http://127.0.0.1:\(freePort())/")
    #expect(!problem(never.outcome.wait()).hasPrefix("it ") && never.breaks.all.isEmpty)
    for other in ["404 Not Found\r\nContent-Length: 0\r\n\r\n", "200 OK\r\nContent-Type: text/html\r\n\r\n"] {
      let heads = Log<String>()
      let peer = Peer { connection in
        heads.add(connection.receiveHead())
        let first = "200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 10\n\n"
        connection.send("HTTP/1.1 " + (heads.all.count == 1 ? first : other))
      }
      let heard = Heard()
      _ = heard.eventsThatGoOn(peer.url())
      let said = problem(heard.outcome.wait())
      #expect(["404 Not Found", "the answer is text/html, and not text/event-stream"].contains(said))
      #expect(heard.breaks.all == ["opened", "it ended"] && heads.all.count == 2)
      peer.stop()
    }
  }

  /// One that waits for its next connection asks for none when nobody wants it any more.
  @Test func eventsAreCancelledWhileTheyWait() {
    let heads = Log<String>()
    let peer = Peer { connection in
      heads.add(connection.receiveHead())
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 200\n\n")
    }
    defer { peer.stop() }
    let heard = Heard()
    let flow = heard.eventsThatGoOn(peer.url())
    _ = heard.breaks.wait { $0.count == 2 }
    flow.cancel()
    usleep(500_000)
    #expect(heads.all.count == 1 && heard.breaks.all == ["opened", "it ended"])
  }

  @Test func eventsThatAreNone() {
    let peer = Peer { connection in
      connection.receiveHead()
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi")
    }
    defer { peer.stop() }
    let heard = Heard()
    _ = heard.events(peer.url())
    #expect(problem(heard.outcome.wait()) == "the answer is text/html, and not text/event-stream")
    let other = Heard()
    _ = other.lines("http://10.1.2.3/")
    #expect(problem(other.outcome.wait()) == "not granted: net 10.1.2.3:80")
  }

  @Test func aCancelledStreamIsClosed() {
    let gone = Flag()
    let peer = Peer { connection in
      connection.receiveHead()
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while connection.send("line\n") { connection.pause(milliseconds: 5) }
      gone.set()
    }
    defer { peer.stop() }
    let heard = Heard()
    let flow = heard.lines(peer.url())
    _ = heard.items.wait { $0.count > 3 }
    flow.cancel()
    for _ in 0..<100 where !gone.isSet { usleep(50_000) }
    #expect(gone.isSet && heard.outcome.ends == 0)
  }

  /// Our own server's values are events for our own client.
  @Test func eventsOfAServedValue() throws {
    let served = try Served()
    served.server.serve("/v", json: Array("1".utf8)) { _ in }
    let heard = Heard()
    let flow = heard.events("http://127.0.0.1:\(served.port)/v")
    defer { flow.cancel() }
    _ = heard.items.wait { $0.count == 1 }
    served.server.serve("/v", json: Array("2".utf8)) { _ in }
    #expect(heard.items.wait { $0.count == 2 } == [" 1", " 2"])
  }
}
