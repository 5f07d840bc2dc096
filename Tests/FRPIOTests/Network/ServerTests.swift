import Glibc
import Synchronization
import Testing

@testable import FRPIO

/// A server of the test: what is served, and a port of 127.0.0.1.
final class Served: Sendable {
  let server: HTTPServer
  let port: Int

  init(_ limits: ServerLimits = ServerLimits(), audience: ServerAudience = ServerAudience()) throws {
    server = HTTPServer(limits: limits, audience: audience)
    let address = try #require(IPAddress("127.0.0.1"))
    var grants = Grants()
    try grants.add(.listen, "127.0.0.1:0")
    port = try server.listen(on: address, port: 0, grants)
  }

  deinit { server.close() }

  /// Answers each request with what a function makes of it.
  @discardableResult
  func echo(
    _ path: String,
    _ answer: @escaping @Sendable (ServerRequest) -> String = { String(decoding: $0.body, as: UTF8.self) }
  ) -> any Flow {
    server.requests(path) { [server] request in
      server.reply(request.id, status: 200, body: Array(answer(request).utf8), type: "text/plain") { _ in }
    } end: { _ in
    }
  }

  /// What is answered to some bytes; the other side says that it is done.
  func answer(_ request: String, closes: Bool = true) -> String {
    let connection = Connection(port: port)
    defer { connection.close() }
    connection.send(request)
    if closes { connection.finish() }
    return connection.receiveText()
  }
}

@Suite struct ServerTests {
  @Test func aPostIsAnItem() throws {
    let served = try Served()
    let log = Log<ServerRequest>()
    let flow = served.server.posts("/orders") { request in
      log.add(request)
      served.server.accept(request.id)
    } end: { _ in
    }
    defer { flow.cancel() }
    let answer = served.answer("POST /orders?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n{\"a\":1}")
    #expect(answer.hasPrefix("HTTP/1.1 202 Accepted\r\nDate: "))
    let request = try #require(log.all.first)
    #expect(request.body == Array("{\"a\":1}".utf8) && request.query == ["x": "1"] && request.method == "POST")
  }

  /// A body is small for who takes it so, and plain for others; one that would not be smaller is always plain.
  @Test func aFileComesDeflatedToWhoTakesThat() throws {
    let served = try Served()
    let text = String(repeating: "words and words ", count: 500)
    served.server.serve("/long", ServedFile(Array(text.utf8), type: "text/plain", isDeflated: true))
    served.server.serve("/short", ServedFile(Array("x".utf8), type: "text/plain", isDeflated: true))
    func answer(_ path: String, _ accepted: String?) -> String {
      served.answer(
        "GET \(path) HTTP/1.1\r\nHost: a\r\n\(accepted.map { "Accept-Encoding: \($0)\r\n" } ?? "")Connection: close\r\n\r\n"
      )
    }
    for plain in [answer("/long", nil), answer("/long", "gzip, br"), answer("/long", "deflate;q=0")] {
      #expect(plain.hasSuffix(text) && !plain.contains("Content-Encoding"))
    }
    #expect(answer("/short", "deflate").hasSuffix("\r\n\r\nx"))
    guard let made = Deflate.bytes(of: Array(text.utf8)) else { return }
    #expect(made.count < text.utf8.count / 10)
    for accepted in ["deflate", "gzip, deflate, br", "Deflate;q=0.5", "br;q=1, deflate; q=1"] {
      let small = answer("/long", accepted)
      #expect(small.contains("Content-Encoding: deflate\r\n") && small.contains("Vary: Accept-Encoding\r\n"))
      #expect(small.contains("Content-Length: \(made.count)\r\n"))
    }
    #expect(Deflate.bytes(of: []) != nil)
  }

  @Test func requestsAreAnsweredInTurn() throws {
    let served = try Served()
    served.echo("/*") { "\($0.method) \($0.path) \(String(decoding: $0.body, as: UTF8.self))" }
    let text = served.answer(
      "GET /a HTTP/1.1\r\nHost: a\r\n\r\nPUT /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
        + "HEAD /c HTTP/1.1\r\nHost: a\r\n\r\nGET /d HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /e HTTP/1.1\r\n\r\n"
    )
    #expect(text.components("HTTP/1.1 200 OK") == 4)
    #expect(text.contains("\r\n\r\nGET /a HTTP") && text.contains("\r\n\r\nPUT /b hiHTTP"))
    #expect(text.contains("Content-Length: 8\r\n\r\nHTTP"), "HEAD has a length, and no body")
    #expect(text.hasSuffix("Connection: close\r\n\r\nGET /d "))
  }

  @Test(arguments: [
    ("GET /none HTTP/1.1\r\nHost: a\r\n\r\n", "404 Not Found", "nothing is served at /none"),
    ("GET /posts HTTP/1.1\r\nHost: a\r\n\r\n", "405 Method Not Allowed", "/posts is for POST, and not for GET"),
    ("POST /value HTTP/1.1\r\nHost: a\r\n\r\n", "405 Method Not Allowed", "/value is for GET, HEAD, and not for POST"),
    ("GET /sockets HTTP/1.1\r\nHost: a\r\n\r\n", "426 Upgrade Required", "a WebSocket is served at /sockets"),
    (
      "POST /posts HTTP/1.1\r\nHost: a\r\nContent-Length: 17000000\r\n\r\n", "413 Content Too Large",
      "a body has at most 16777216 bytes"
    ),
    (
      "POST /posts HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx",
      "415 Unsupported Media Type",
      "a body is sent without compression, and not as gzip"
    ),
    (
      "POST /posts HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1\r\n\r\nx",
      "415 Unsupported Media Type", "a body is one text, and not in parts"
    ),
    ("POST /posts HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n\u{1}", "202 Accepted", ""),
    ("POST /posts HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nx", "400 Bad Request", "the request was cut short"),
    ("POST /posts HTT", "400 Bad Request", "the request was cut short"),
    ("BREW /posts HTTP/1.1\r\nHost: a\r\n\r\n", "405 Method Not Allowed", "/posts is for POST, and not for BREW"),
    ("junk\r\n\r\n", "400 Bad Request", "a request begins with a line of method, path and version"),
    ("GET /value HTTP/1.1\r\nHost: a\r\n\r\n", "503 Service Unavailable", "/value has no value yet"),
  ])
  func refusals(_ request: String, _ status: String, _ sentence: String) throws {
    let served = try Served()
    let server = served.server
    let flows: [any Flow] = [
      server.posts("/posts", item: { server.accept($0.id) }, end: { _ in }),
      server.sockets("/sockets", item: { _ in }, end: { _ in }),
    ]
    defer { for flow in flows { flow.cancel() } }
    server.announce("/value")
    let answer = served.answer(request)
    #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"), "\(answer)")
    #expect(sentence.isEmpty || answer.hasSuffix("\r\n\r\n\(sentence)\n"), "\(answer)")
    if status.hasPrefix("405") { #expect(answer.contains("\r\nAllow: ")) }
  }

  @Test func aBodyThatIsNoText() throws {
    let served = try Served()
    served.echo("/x")
    let connection = Connection(port: served.port)
    defer { connection.close() }
    connection.send(Array("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n".utf8) + [0xC3, 0x28])
    #expect(connection.receiveText().hasSuffix("the body is not UTF-8\n"))
  }

  @Test func leaveToSendIsGivenAtOnce() throws {
    let served = try Served()
    served.echo("/x")
    let connection = Connection(port: served.port)
    defer { connection.close() }
    connection.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    #expect(connection.receiveHead() == "HTTP/1.1 100 Continue\r\n\r\n")
    connection.send("hi")
    #expect(connection.receiveText(until: "hi").hasSuffix("\r\n\r\nhi"))
  }

  /// Who sends waits while nobody wants more: nothing beyond the head is read, and no leave to send is given.
  @Test func aPausedRouteHoldsItsSenders() throws {
    let served = try Served()
    let log = Log<String>()
    let flow = served.server.posts("/x") { request in
      log.add(String(decoding: request.body, as: UTF8.self))
      served.server.accept(request.id)
    } end: { _ in
    }
    defer { flow.cancel() }
    flow.pause()
    let connections = (0..<5).map { _ in Connection(port: served.port) }
    defer { for connection in connections { connection.close() } }
    for (number, connection) in connections.enumerated() {
      connection.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n\(number)")
    }
    // One that would fill every buffer on the way.
    let large = Connection(port: served.port)
    let text = String(repeating: "a", count: 12 << 20)
    let done = Flag()
    detach {
      large.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
      done.set()
    }
    usleep(300_000)
    #expect(log.all.isEmpty && !done.isSet)
    flow.resume()
    #expect(log.wait { $0.count == 6 }.count == 6)
    #expect(Set(log.all.map(\.utf8.count)) == [1, 12 << 20] && done.isSet)
    #expect(large.receiveHead().hasPrefix("HTTP/1.1 202"))
    large.close()
    for connection in connections { #expect(connection.receiveHead().hasPrefix("HTTP/1.1 202")) }
  }

  @Test func whoLeavesBeforeTheAnswer() throws {
    let served = try Served()
    let log = Log<Int>()
    let flow = served.server.requests("/x", item: { log.add($0.id) }, end: { _ in })
    defer { flow.cancel() }
    let connection = Connection(port: served.port)
    connection.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
    let id = try #require(log.wait { !$0.isEmpty }.first)
    connection.reset()
    connection.close()
    usleep(50_000)
    let outcomes = (0..<3).map { _ in Outcome<Void>() }
    served.server.reply(id, status: 200, body: [], outcomes[0].completion)
    served.server.reply(id, status: 200, body: [], outcomes[1].completion)
    served.server.reply(id + 1, status: 200, body: [], outcomes[2].completion)
    #expect(problem(outcomes[0].wait()).hasPrefix("it succeeds"))
    #expect(problem(outcomes[1].wait()) == "request \(id) was answered already")
    #expect(problem(outcomes[2].wait()) == "there is no request \(id + 1)")
  }

  @Test func valuesHaveTags() throws {
    let served = try Served()
    let outcome = Outcome<Void>()
    served.server.serve("/best", json: Array("[1]".utf8), outcome.completion)
    _ = outcome.wait()
    let first = served.answer("GET /best HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(first.hasSuffix("\r\n\r\n[1]") && first.contains("Content-Type: application/json\r\n"))
    let tag = try #require(first.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") }?.dropFirst(6))
    let ask = "GET /best HTTP/1.1\r\nHost: a\r\nIf-None-Match: \(tag)\r\n\r\n"
    #expect(served.answer(ask).hasPrefix("HTTP/1.1 304 Not Modified\r\n"))
    served.server.serve("/best", json: Array("[2]".utf8)) { _ in }
    #expect(served.answer(ask).hasSuffix("\r\n\r\n[2]"))
    let head = served.answer("HEAD /best HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(head.contains("Content-Length: 3\r\n") && head.hasSuffix("\r\n\r\n"))
  }

  /// Each change is sent; who is slow gets the newest, and not all that were between.
  @Test func eventsOfAValue() throws {
    let served = try Served()
    served.server.serve("/v", json: Array("0".utf8)) { _ in }
    let connection = Connection(port: served.port)
    defer { connection.close() }
    connection.send("GET /v HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n")
    #expect(connection.receiveText(until: "data: 0\n\n").contains("Content-Type: text/event-stream\r\n"))
    served.server.serve("/v", json: Array("{\n\"a\":1}".utf8)) { _ in }
    #expect(connection.receiveText(until: "\n\n") == "data: {\ndata: \"a\":1}\n\n")
    // 64 MiB do not fit between the two.
    let large = String(repeating: "x", count: 1 << 20)
    for number in 1...64 { served.server.serve("/v", json: Array("[\(number),\"\(large)\"]".utf8)) { _ in } }
    served.server.serve("/v", json: Array("\"last\"".utf8)) { _ in }
    usleep(300_000)
    let rest = connection.receiveText(until: "data: \"last\"\n\n")
    #expect(rest.utf8.count < 32 << 20 && rest.hasSuffix("data: \"last\"\n\n"))
  }

  @Test func connectionsAreBounded() throws {
    var limits = ServerLimits()
    limits.connections = 4
    let served = try Served(limits)
    served.echo("/x")
    let lasting = (0..<4).map { _ in Connection(port: served.port) }
    for connection in lasting {
      connection.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(connection.receiveHead().hasPrefix("HTTP/1.1 200"))
    }
    func another() -> String {
      let connection = Connection(port: served.port)
      defer { connection.close() }
      connection.send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      return connection.receiveText()
    }
    #expect(another().hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
    for connection in lasting { connection.close() }
    while onLoop({ tell in tell(served.server.connections) }) ?? 0 > 0 { usleep(10_000) }
    #expect(another().hasPrefix("HTTP/1.1 200"))
  }

  @Test func slowHeadsAndBodies() throws {
    var limits = ServerLimits()
    limits.patienceSeconds = 1
    limits.idleSeconds = 3
    let served = try Served(limits)
    served.echo("/x")
    let head = Connection(port: served.port)
    let body = Connection(port: served.port)
    let idle = Connection(port: served.port)
    let isDone = Log<Bool>()
    detach {
      while head.send("X") { usleep(100_000) }
      isDone.add(true)
    }
    defer {
      // A descriptor that is closed may soon be another's.
      _ = isDone.wait { !$0.isEmpty }
      for connection in [head, body, idle] { connection.close() }
    }
    body.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
    #expect(body.receiveText().hasSuffix("the request did not come within 1 s\n"))
    #expect(head.receiveText().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    #expect(idle.receiveText().isEmpty)
  }

  @Test func whomAServerListensTo() throws {
    let served = try Served(audience: ServerAudience(hosts: ["a:1"], origins: ["http://a:1"]))
    served.echo("/x") { _ in "hi" }
    func answer(_ headers: String) -> String { served.answer("GET /x HTTP/1.1\r\n\(headers)\r\n") }
    #expect(answer("Host: A:1\r\nOrigin: http://a:1\r\n").hasSuffix("hi"))
    #expect(answer("Host: evil\r\n").hasPrefix("HTTP/1.1 421 "))
    #expect(answer("Host: a:1\r\nOrigin: http://evil\r\n").hasSuffix("pages of http://evil are not served\n"))
  }

  @Test func portsAreGranted() throws {
    let server = HTTPServer()
    let address = try #require(IPAddress("127.0.0.1"))
    #expect(throws: IOError("not granted: listen 8080")) { try server.listen(on: address, port: 8080, Grants()) }
    let served = try Served()
    var grants = Grants()
    try grants.add(.listen, "\(served.port)")
    #expect(throws: IOError("cannot listen on 127.0.0.1:\(served.port): address already in use")) {
      try server.listen(on: address, port: served.port, grants)
    }
  }

  @Test func aPathIsServedOnce() throws {
    let served = try Served()
    served.echo("/x")
    let outcome = Outcome<Void>()
    _ = served.server.requests("/x", item: { _ in }, end: outcome.completion)
    #expect(problem(outcome.wait()) == "/x is served already")
  }

  @Test func aRouteThatGoes() throws {
    let served = try Served()
    let log = Log<Int>()
    let flow = served.server.requests("/x", item: { log.add($0.id) }, end: { _ in })
    let connection = Connection(port: served.port)
    defer { connection.close() }
    connection.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = log.wait { !$0.isEmpty }
    flow.cancel()
    #expect(connection.receiveText().hasPrefix("HTTP/1.1 503 "))
    #expect(served.answer("GET /x HTTP/1.1\r\nHost: a\r\n\r\n").hasPrefix("HTTP/1.1 404 "))
  }

  /// Random bytes, requests cut at random places, and resets: the server goes on, and nothing is left of them.
  @Test func strangers() throws {
    let served = try Served()
    served.echo("/x")
    served.server.serve("/v", json: Array("1".utf8)) { _ in }
    let sockets = served.server.sockets("/s", item: { _ in }, end: { _ in })
    defer { sockets.cancel() }
    _ = served.answer("GET /v HTTP/1.1\r\nHost: a\r\n\r\n")
    var random = Seeded(7)
    let samples = [
      "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "GET /v HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /s HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\u{1}\u{2}\u{3}",
      "GET /v HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n",
    ]
    let total = isSoaking ? 100_000 : 1000
    for _ in 0..<total {
      let connection = Connection(port: served.port)
      var bytes = Array((samples.randomElement(using: &random) ?? "").utf8)
      for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      connection.send(Array(bytes[..<Int.random(in: 0...bytes.count, using: &random)]))
      if Bool.random(using: &random) { connection.finish() }
      if Bool.random(using: &random) { connection.reset() }
      connection.close()
    }
    #expect(served.answer("GET /v HTTP/1.1\r\nHost: a\r\n\r\n").hasSuffix("\r\n\r\n1"))
    // Whoever has gone is noticed, followers of values and sockets included.
    var left = 1
    for _ in 0..<100 where left > 0 {
      left = onLoop { tell in tell(served.server.connections) } ?? -1
      usleep(50_000)
    }
    #expect(left == 0)
  }
}

/// Set once, on any thread.
final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
  func set() { value.store(true, ordering: .sequentiallyConsistent) }
}

/// The same numbers for the same seed.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension String {
  fileprivate func components(_ part: String) -> Int {
    split(separator: part, omittingEmptySubsequences: false).count - 1
  }
}
