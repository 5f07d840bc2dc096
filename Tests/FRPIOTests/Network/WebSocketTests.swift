import Glibc
import Testing

@testable import FRPIO

/// Our client with servers of the test, and with our server.
@Suite(.enabled(if: hasNetwork, noNetwork)) struct WebSocketTests {
  private final class Heard: Sendable {
    let items = Log<String>()
    let opened = Log<Bool>()
    let outcome = Outcome<Void>()

    func connect(_ url: String, _ grants: Grants = loopback, authorities: String? = nil, limit: Int = 1 << 20)
      -> WebSocket
    {
      WebSocket.connect(
        url, grants, authorities: authorities, messageLimit: limit, opened: { self.opened.add(true) },
        item: { self.items.add(String(decoding: $0, as: UTF8.self)) }, end: outcome.completion)
    }
  }

  /// A server that agrees to the handshake, and then does as it is told.
  private func peer(_ script: @escaping @Sendable (Connection) -> Void) -> Peer {
    Peer { connection in
      let head = connection.receiveHead()
      let key = head.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
      connection.send(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
          + "Sec-WebSocket-Accept: \(SocketHandshake.accept(String(key)))\r\n\r\n")
      script(connection)
    }
  }

  private func url(_ peer: Peer) -> String { "ws://127.0.0.1:\(peer.port)/feed?a=b" }

  /// How a connection ends on which a server sends some bytes, and what came before.
  private func end(_ bytes: [UInt8], resets: Bool = false) -> (sentence: String, items: [String]) {
    let peer = peer { connection in
      connection.send(bytes)
      connection.pause(milliseconds: 100)
      if resets { connection.reset() }
    }
    defer { peer.stop() }
    let heard = Heard()
    _ = heard.connect(url(peer), limit: 1000)
    return (problem(heard.outcome.wait()), heard.items.all)
  }

  @Test func messagesBothWays() throws {
    let heads = Log<[SocketInput]>()
    let peer = peer { connection in
      connection.send(SocketFrame.text(Array("hello".utf8)) + SocketFrame.text(Array("wörld".utf8)))
      var decoder = SocketDecoder(isServer: true, limit: 1000)
      var (bytes, index, inputs) = ([UInt8](), 0, [SocketInput]())
      while inputs.count < 3 {
        bytes += connection.receive()
        while let input = try? decoder.next(bytes, at: &index) { inputs.append(input) }
      }
      heads.add(inputs)
      connection.send(SocketFrame.close(1000, "bye"))
      _ = connection.receive()
    }
    defer { peer.stop() }
    let heard = Heard()
    let socket = heard.connect(url(peer))
    for text in ["a", "", String(repeating: "x", count: 300)] { socket.send(Array(text.utf8)) { _ in } }
    #expect(problem(heard.outcome.wait()).hasPrefix("it succeeds"))
    #expect(heard.items.all == ["hello", "wörld"] && heard.opened.all.count == 1)
    let texts = ["a", "", String(repeating: "x", count: 300)].map { SocketInput.text(Array($0.utf8)) }
    #expect(heads.all == [texts])
    let late = Outcome<Void>()
    socket.send([], late.completion)
    #expect(problem(late.wait()) == "the WebSocket is closed")
  }

  @Test func endsHaveSentences() {
    let text = SocketFrame.text(Array("a".utf8))
    for (bytes, sentence) in [
      (text + SocketFrame.close(1011, "disk full"), "the server closed it with 1011: disk full"),
      (text + SocketFrame.close(4000, ""), "the server closed it with 4000"),
      (text, "the connection was cut without a close"), (text + [0x81], "the connection was cut without a close"),
      (text + [0x81, 0x05, 0x61], "the connection was cut without a close"),
      (text + [0x81, 0x01, 0xFF], "a text is not UTF-8"),
      (text + [0x82, 0x01, 0x61], "messages are texts, and not binary"),
      (text + [0x81, 0x81, 0, 0, 0, 0, 0x61], "a server's frames are not masked"),
      (text + [0x81, 0x7E, 0x07, 0xD0], "a message has at most 1000 bytes"),
      (text + [0xFF, 0xFF, 0xFF], "a frame has bits of an extension that was not agreed on"),
    ] as [([UInt8], String)] {
      let (said, items) = end(bytes)
      #expect(said == sentence && items == ["a"], "\(said)")
    }
    #expect(end(text, resets: true).sentence.hasPrefix("the connection "))
    #expect(end([0x88, 0x00]).sentence.hasPrefix("it succeeds"))
  }

  @Test func handshakesThatAreNone() {
    for (answer, sentence) in [
      ("HTTP/1.1 404 Not Found\r\n\r\n", "404 Not Found"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "200 OK"), ("SSH-2.0\r\n\r\n", "is not HTTP"),
      ("", "within the handshake"),
      ("HTTP/1.1 101 Yes\r\n\r\n", "not the handshake of a WebSocket"),
      (
        "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
        "not the handshake of a WebSocket"
      ), ("HTTP/1.1 101 \(String(repeating: "x", count: 20_000))", "the answer to the handshake is too long"),
    ] {
      let peer = Peer { connection in
        connection.receiveHead()
        connection.send(answer)
      }
      defer { peer.stop() }
      let heard = Heard()
      _ = heard.connect(url(peer))
      let said = problem(heard.outcome.wait())
      #expect(said.hasSuffix(sentence), "\(said)")
    }
  }

  @Test func grantsAreAsked() {
    let heard = Heard()
    _ = heard.connect("ws://10.1.2.3/")
    #expect(problem(heard.outcome.wait()) == "not granted: net 10.1.2.3:80")
    let other = Heard()
    _ = other.connect("http://127.0.0.1/")
    #expect(problem(other.outcome.wait()).hasPrefix("not a URL that begins with ws://"))
    let refused = Heard()
    _ = refused.connect("ws://127.0.0.1:\(freePort())/")
    #expect(problem(refused.outcome.wait()).hasSuffix(": connection refused"))
  }

  @Test func secureSocketsCheckTheirServer() throws {
    let authority = try Authority()
    try authority.certify("other", host: "DNS:other.example")
    try authority.certify("good", host: "DNS:localhost")
    try authority.serving("other") { port in
      let heard = Heard()
      _ = heard.connect("wss://localhost:\(port)/", authorities: authority.file)
      #expect(problem(heard.outcome.wait()) == "TLS: the certificate is not for localhost:\(port)")
    }
    // It speaks HTTP over TLS, so the handshake of TLS is well, and that of the WebSocket is not.
    try authority.serving("good") { port in
      let heard = Heard()
      _ = heard.connect("wss://localhost:\(port)/", authorities: authority.file)
      #expect(problem(heard.outcome.wait()).hasSuffix("is not HTTP"))
    }
  }

  @Test func aPausedSocketHoldsItsServer() {
    let (go, sent) = (Flag(), Flag())
    let frame = SocketFrame.text([UInt8](repeating: 0x78, count: 1020))
    let peer = peer { connection in
      connection.send(frame)
      while !go.isSet { connection.pause(milliseconds: 10) }
      for _ in 0..<32 { connection.send([[UInt8]](repeating: frame, count: 1024).flatMap(\.self)) }
      sent.set()
      connection.send(SocketFrame.close(1000, ""))
    }
    defer { peer.stop() }
    let heard = Heard()
    let socket = heard.connect(url(peer))
    _ = heard.items.wait { $0.count == 1 }
    socket.pause()
    go.set()
    usleep(400_000)
    #expect(heard.items.all.count == 1 && !sent.isSet)
    socket.resume()
    #expect(problem(heard.outcome.wait(seconds: 300)).hasPrefix("it succeeds"))
    #expect(heard.items.all.count == 32769)
  }

  @Test func ourServerAndOurClient() throws {
    let served = try Served()
    let events = Log<ServerSocketEvent>()
    let flow = served.server.sockets("/chat") { [server = served.server] event in
      events.add(event)
      if case .said(let id, let text) = event { server.say(id, text + text) { _ in } }
    } end: { _ in
    }
    defer { flow.cancel() }
    let heard = Heard()
    let socket = heard.connect("ws://127.0.0.1:\(served.port)/chat")
    let long = String(repeating: "é", count: 40_000)
    for text in ["a", long] { socket.send(Array(text.utf8)) { _ in } }
    #expect(heard.items.wait { $0.count == 2 } == ["aa", long + long])
    socket.cancel()
    let all = events.wait { $0.count == 4 }
    #expect(all == [.joined(1), .said(1, Array("a".utf8)), .said(1, Array(long.utf8)), .left(1)])
    let outcome = Outcome<Void>()
    served.server.say(1, [], outcome.completion)
    #expect(problem(outcome.wait()).hasPrefix("it succeeds"), "who has left is not missed")
    let none = Outcome<Void>()
    served.server.say(7, [], none.completion)
    #expect(problem(none.wait()) == "there is no socket 7")
  }

  /// What sockets say waits while the program does, and so does that they have left.
  @Test func aPausedRouteHoldsItsSockets() throws {
    let served = try Served()
    let events = Log<ServerSocketEvent>()
    let flow = served.server.sockets("/s", item: { events.add($0) }, end: { _ in })
    defer { flow.cancel() }
    let heard = Heard()
    let socket = heard.connect("ws://127.0.0.1:\(served.port)/s")
    _ = events.wait { $0.count == 1 }
    flow.pause()
    usleep(50_000)
    let said = Log<Bool>()
    for _ in 0..<64 { socket.send([UInt8](repeating: 0x78, count: 256 << 10)) { _ in said.add(true) } }
    // Until nothing moves any more.
    var before = -1
    while said.all.count != before {
      before = said.all.count
      while onLoop({ tell in tell(true) }) == nil {}
      usleep(500_000)
      while onLoop({ tell in tell(true) }) == nil {}
    }
    #expect(events.all.count == 1 && said.all.count < 64)
    let late = Heard()
    _ = late.connect("ws://127.0.0.1:\(served.port)/s")
    usleep(100_000)
    #expect(late.opened.all.isEmpty)
    flow.resume()
    #expect(events.wait(seconds: 300) { $0.count >= 66 }.count == 66)
    #expect(said.all.count == 64 && late.opened.wait { !$0.isEmpty } == [true])
  }

  @Test func aValueByWebSocket() throws {
    let served = try Served()
    served.server.serve("/v", json: Array("1".utf8)) { _ in }
    let heard = Heard()
    let socket = heard.connect("ws://127.0.0.1:\(served.port)/v")
    defer { socket.cancel() }
    _ = heard.items.wait { $0.count == 1 }
    socket.send(Array("is not looked at".utf8)) { _ in }
    served.server.serve("/v", json: Array("2".utf8)) { _ in }
    #expect(heard.items.wait { $0.count == 2 } == ["1", "2"])
  }

  @Test func clientsThatLie() throws {
    let served = try Served()
    let events = Log<ServerSocketEvent>()
    let flow = served.server.sockets("/s", item: { events.add($0) }, end: { _ in })
    defer { flow.cancel() }
    for (bytes, code) in [
      ([0x81, 0x01, 0x61], 1002), ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007), ([0x82, 0x80, 0, 0, 0, 0], 1003),
    ]
      as [([UInt8], Int)]
    {
      let connection = Connection(port: served.port)
      defer { connection.close() }
      connection.send(
        "GET /s HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
      #expect(connection.receiveHead().contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
      connection.send(bytes)
      let answer = connection.receive()
      #expect(answer.count > 3 && answer[0] == 0x88 && Int(answer[2]) << 8 | Int(answer[3]) == code, "\(answer)")
      #expect(connection.receive().isEmpty)
    }
    #expect(events.wait { $0.count == 6 }.filter { if case .left = $0 { true } else { false } }.count == 3)
  }
}
