import FRPIO
import Glibc
import Synchronization
import Testing

/// Servers that answer well, and servers that do not.
@Suite(.enabled(if: hasNetwork, noNetwork)) struct HTTPTests {
  private func peer(_ answer: String) -> Peer {
    Peer { connection in
      connection.receiveHead()
      connection.send(answer)
    }
  }

  /// What one answer gives, as a sentence.
  private func sentence(of answer: String, change: (inout HTTPRequest) -> Void = { _ in }) -> (
    sentence: String, port: Int
  ) {
    let peer = peer(answer)
    defer { peer.stop() }
    var request = HTTPRequest("GET", peer.url())
    change(&request)
    return (problem(ask(request)), peer.port)
  }

  @Test func anAnswerHasStatusHeadersAndBody() throws {
    let peer = peer("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\nX-Two:  a b \r\nx-two: c\r\n\r\nhello")
    defer { peer.stop() }
    let answer = try #require(try ask(HTTPRequest("GET", peer.url("/a?b=c")))?.get())
    #expect(answer.status == 404)
    #expect(answer.body == Array("hello".utf8))
    #expect(answer.headers.map { "\($0.name)=\($0.value)" } == ["content-length=5", "x-two=a b", "x-two=c"])
  }

  @Test func whatIsSentArrives() throws {
    let heard = Log<String>()
    let peer = Peer { connection in
      heard.add(connection.receiveText(until: "{}"))
      connection.send("HTTP/1.1 204 No Content\r\n\r\n")
    }
    defer { peer.stop() }
    let request = HTTPRequest(
      "PATCH", peer.url("/x?y=%20"), headers: [("X-A", "1"), ("X-Empty", "")], body: Array("{}".utf8))
    #expect(try ask(request)?.get().status == 204)
    let text = try #require(heard.all.first)
    #expect(text.hasPrefix("PATCH /x?y=%20 HTTP/1.1\r\nHost: 127.0.0.1:\(peer.port)\r\n"))
    for line in ["X-A: 1", "X-Empty:", "Content-Length: 2"] { #expect(text.contains("\r\n\(line)\r\n"), "\(text)") }
    #expect(text.hasSuffix("\r\n\r\n{}"))
    #expect(!text.contains("Expect:"))
  }

  @Test func anEmptyBodyIsNoMissingOne() throws {
    let heard = Log<String>()
    let peer = Peer { connection in
      heard.add(connection.receiveHead())
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    defer { peer.stop() }
    _ = ask(HTTPRequest("POST", peer.url(), body: []))
    _ = ask(HTTPRequest("DELETE", peer.url()))
    #expect(heard.all.map { $0.contains("Content-Length: 0") } == [true, false])
  }

  @Test func oneConnectionServesMany() throws {
    let peer = Peer { connection in
      while !connection.receiveHead().isEmpty { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
    }
    defer { peer.stop() }
    for _ in 0..<20 { #expect(try ask(HTTPRequest("GET", peer.url()))?.get().body == Array("ok".utf8)) }
    #expect(peer.connections == 1)
  }

  @Test func anAnswerThatIsCutShort() {
    let (withLength, _) = sentence(
      of: "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "a", count: 512))
    #expect(withLength == "the answer was cut short after 512 of 1000 bytes")
    let (inChunk, _) = sentence(of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabc")
    #expect(inChunk == "the answer was cut short after 3 bytes")
    let (betweenChunks, _) = sentence(of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
    #expect(betweenChunks == "the answer was cut short after 3 bytes")
    let (nothing, port) = sentence(of: "")
    #expect(nothing == "127.0.0.1:\(port) closed the connection without an answer")
    let (inHead, _) = sentence(of: "HTTP/1.1 200 OK\r\nConte")
    #expect(inHead == "the answer was cut short in its headers")
    let (afterInterim, _) = sentence(of: "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n")
    #expect(afterInterim == "the answer was cut short in its headers")
  }

  @Test func anAnswerThatIsNone() {
    let (other, port) = sentence(of: "SSH-2.0-OpenSSH_9.2\r\n")
    #expect(other == "what 127.0.0.1:\(port) answers is not HTTP")
    let (chunk, _) = sentence(of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")
    #expect(chunk.hasPrefix("127.0.0.1:"), "\(chunk)")
    let (length, lengthPort) = sentence(of: "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello")
    #expect(length == "what 127.0.0.1:\(lengthPort) answers is not HTTP")
    let (coded, gzipPort) = sentence(of: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello")
    #expect(coded == "the answer of 127.0.0.1:\(gzipPort) is not compressed as it says")
  }

  @Test func whatIsTooLargeIsNotTaken() {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + String(repeating: "a", count: 100)
    #expect(sentence(of: text) { $0.bodyLimit = 99 }.sentence == "the answer is larger than 99 bytes")
    #expect(sentence(of: text) { $0.bodyLimit = 100 }.sentence.hasPrefix("it succeeds"))
    let long = "HTTP/1.1 200 OK\r\n" + String(repeating: "X: \(String(repeating: "a", count: 9990))\r\n", count: 30)
    #expect(sentence(of: long + "\r\n").sentence == "the headers of the answer are larger than 262144 bytes")
  }

  @Test func headersWithoutEnd() {
    let peer = Peer { connection in
      connection.receiveHead()
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send("X: \(String(repeating: "a", count: 4000))\r\n") {}
    }
    defer { peer.stop() }
    #expect(problem(ask(HTTPRequest("GET", peer.url()))) == "the headers of the answer are larger than 262144 bytes")
  }

  @Test func aServerThatSaysNothing() {
    let peer = Peer { connection in
      connection.receiveHead()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
      connection.pause(milliseconds: 6000)
    }
    defer { peer.stop() }
    var request = HTTPRequest("GET", peer.url())
    request.silenceSeconds = 1
    #expect(problem(ask(request)) == "127.0.0.1:\(peer.port) sent nothing for 1 s")
  }

  @Test func slowBytesAreWaitedFor() throws {
    let peer = Peer { connection in
      connection.receiveHead()
      for byte in "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc" {
        connection.send(String(byte))
        connection.pause(milliseconds: 5)
      }
    }
    defer { peer.stop() }
    #expect(try ask(HTTPRequest("GET", peer.url()))?.get().body == Array("abc".utf8))
  }

  @Test func aConnectionThatBreaks() {
    let peer = Peer { connection in
      connection.receiveHead()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc")
      connection.pause(milliseconds: 50)
      connection.reset()
    }
    defer { peer.stop() }
    let sentence = problem(ask(HTTPRequest("GET", peer.url())))
    #expect(sentence == "127.0.0.1:\(peer.port): recv failure: Connection reset by peer", "\(sentence)")
  }

  @Test func whatCannotBeReached() {
    let peer = Peer { _ in }
    peer.stop()
    usleep(50_000)
    #expect(
      problem(ask(HTTPRequest("GET", peer.url()))) == "cannot connect to 127.0.0.1:\(peer.port): connection refused")
    let unknown = ask(HTTPRequest("GET", "http://no-such-host.invalid/"), granting("no-such-host.invalid"))
    #expect(problem(unknown) == "cannot find the host no-such-host.invalid")
  }

  @Test func whatIsNoRequest() {
    for (url, words) in [
      ("", "a URL without its scheme: "), ("example.org", "a URL without its scheme: example.org"),
      ("ftp://a/", "not a URL that begins with http:// or https://: ftp://a/"),
      ("http://", "a URL without a host: http://"),
      ("http://a:99999/", "a URL whose port is no number up to 65535: http://a:99999/"),
      ("file:///etc/passwd", "a URL without a host: file:///etc/passwd"),
    ] {
      #expect(problem(ask(HTTPRequest("GET", url))) == words)
    }
    let line = HTTPRequest("GET", "http://127.0.0.1:1/\r\nX: 1")
    #expect(problem(ask(line)).hasPrefix("not a URL: http"))
    let header = HTTPRequest("GET", "http://127.0.0.1:1/", headers: [("X", "a\r\nY: b")])
    #expect(problem(ask(header)) == "the header X has a line break or a control character")
    #expect(problem(ask(HTTPRequest("GE T", "http://127.0.0.1:1/"))) == "it is not a method: GE T")
  }

  @Test func aCancelledRequestSaysNothing() {
    let peer = Peer { connection in
      connection.receiveHead()
      connection.pause(milliseconds: 300)
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    defer { peer.stop() }
    let outcome = Outcome<HTTPAnswer>()
    let operation = HTTP.send(HTTPRequest("GET", peer.url()), loopback, outcome.completion)
    usleep(100_000)
    operation.cancel()
    usleep(400_000)
    #expect(outcome.ends == 0)
  }

  /// Make test asks a thousand times; FRP_LEAKS=full a hundred thousand times.
  @Test func nothingLeaks() throws {
    let peer = Peer { connection in
      // Every third connection lies.
      for turn in 0..<7 {
        if connection.receiveHead().isEmpty { return }
        let isCut = turn == 6 && connection.descriptor % 3 == 0
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(isCut ? 9 : 2)\r\n\r\nok")
      }
    }
    defer { peer.stop() }
    let total = isSoaking ? 100_000 : 1000
    var (descriptors, memory) = (0, 0)
    for round in 0..<10 {
      let outcomes = (0..<total / 10).map { number in
        let outcome = Outcome<HTTPAnswer>()
        let operation = HTTP.send(HTTPRequest("GET", peer.url()), loopback, outcome.completion)
        if number % 50 == 49 { operation.cancel() }
        return number % 50 == 49 ? nil : outcome
      }
      for outcome in outcomes { if let outcome { #expect(outcome.wait() != nil) } }
      if round == 1 { (descriptors, memory) = (openDescriptors(), residentBytes()) }
    }
    // Idle connections come and go; 512 are far fewer than requests.
    #expect(openDescriptors() < descriptors + 512)
    if total >= 100_000 { #expect(residentBytes() < memory + 16 << 20) }
  }
}
