import Testing

@testable import FRPIO

/// What strangers send, as bytes: heads, chunks, frames.
@Suite struct ServerParserTests {
  private func head(_ text: String) -> Result<RequestHead?, Refusal> {
    var scanner = HeadScanner()
    do throws(Refusal) { return .success(try scanner.next(Array(text.utf8), from: 0)) } catch { return .failure(error) }
  }

  private func status(_ text: String) -> Int? {
    switch head(text) {
    case .success(nil): nil
    case .success: 200
    case .failure(let refusal): refusal.status
    }
  }

  @Test func aHeadIsRead() throws {
    let text =
      "PUT /a%20b/%C3%A9?x=1+2&y=%26&y=3&z HTTP/1.1\r\nHOST: h:1\r\nContent-length:  12 \r\nconnection: Keep-Alive, Upgrade\r\n"
      + "Upgrade: WebSocket\r\nOrigin: http://o\r\nExpect: 100-Continue\r\n\r\nrest"
    let head = try #require(try head(text).get())
    #expect(head.method == "PUT" && head.path == "/a b/é" && head.host == "h:1" && head.origin == "http://o")
    #expect(HTTPText.query(head.query) == ["x": "1 2", "y": "3", "z": ""])
    #expect(head.body == .bytes(12) && head.isUpgrade && head.keepsAlive && head.expectsContinue)
    #expect(head.count == text.utf8.count - 4)
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 200), ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 200),
    ("GET / HTTP/1.0\r\n\r\n", 200), ("GET http://a/x HTTP/1.1\r\nHost: a\r\n\r\n", 200),
    ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
    ("GET / HTTP/1.1\nHost: a\n\n", 400), ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("G\u{0}T / HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505), ("GET / FTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\n X: folded\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{1}\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4x\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4, 4\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", 501),
    ("GET / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n", 417),
  ])
  func aHeadIsRefused(_ text: String, _ wanted: Int) {
    #expect(status(text) == wanted, "\(text)")
  }

  @Test func headsWithoutEnd() {
    let long = "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: RequestHead.limit)
    #expect(status(long) == 431)
    #expect(status(String(long.prefix(1000))) == nil)
    #expect(status("GET /" + String(repeating: "a", count: 9000) + " HTTP/1.1\r\nHost: a\r\n\r\n") == 414)
    let many = String(repeating: "X: 1\r\n", count: 101)
    #expect(status("GET / HTTP/1.1\r\nHost: a\r\n\(many)\r\n") == 431)
  }

  /// A head that comes byte by byte is the head that comes at once.
  @Test func headsInPieces() throws {
    let text = "\r\nPOST /x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n"
    let bytes = Array("junk\(text)abc".utf8)
    var scanner = HeadScanner()
    for end in 4..<bytes.count {
      let found = try scanner.next(Array(bytes[..<end]), from: 4)
      if end < 4 + text.utf8.count {
        #expect(found == nil)
      } else {
        #expect(found == (try head(text).get()))
        break
      }
    }
  }

  private func body(_ bytes: [UInt8], _ length: RequestHead.BodyLength, pieces: Int) -> Result<[UInt8]?, Refusal> {
    do throws(Refusal) {
      var body = try RequestBody(length, limit: 1000)
      var (start, index) = (0, 0)
      while index < bytes.count, !body.isWhole {
        let end = min(bytes.count, index + pieces)
        start = try body.take(Array(bytes[..<end]), from: start)
        index = end
      }
      return .success(body.isWhole ? body.bytes : nil)
    } catch { return .failure(error) }
  }

  @Test(arguments: [
    ("3\r\nabc\r\n0\r\n\r\n", "abc"), ("3;x=y\r\nabc\r\n00\r\nTrailer: 1\r\nB: 2\r\n\r\nGET", "abc"),
    ("a\r\n0123456789\r\n1 \r\nx\r\n0\r\n\r\n", "0123456789x"), ("0\r\n\r\n", ""),
  ])
  func chunks(_ text: String, _ wanted: String) throws {
    for pieces in 1...text.utf8.count {
      #expect(try body(Array(text.utf8), .chunked, pieces: pieces).get() == Array(wanted.utf8))
    }
  }

  @Test(arguments: [
    ("x\r\n", 400), ("\r\n", 400), ("3\nabc", 400), ("-3\r\nabc", 400), ("3\r\nabcd\r\n", 400), ("3\r\nabc\r0", 400),
    ("fffffffffffffff\r\n", 413), ("fffffffffffffffff\r\n", 400), ("3e9\r\n", 413), ("; x\r\n", 400),
    ("0x3\r\nabc", 400),
    ("3" + String(repeating: ";", count: 300), 400), ("0\r\n" + String(repeating: "a", count: 9000), 431),
    ("3e8\r\n" + String(repeating: "a", count: 1000) + "\r\n1\r\n", 413),
  ])
  func chunksThatAreRefused(_ text: String, _ wanted: Int) {
    for pieces in [1, 2, 7, text.utf8.count] {
      guard case .failure(let refusal) = body(Array(text.utf8), .chunked, pieces: pieces) else {
        Issue.record("\(text) is taken")
        continue
      }
      #expect(refusal.status == wanted)
    }
  }

  @Test func aBodyOfAKnownLength() throws {
    #expect(try body(Array("abcdef".utf8), .bytes(4), pieces: 3).get() == Array("abcd".utf8))
    #expect(try body(Array("abc".utf8), .bytes(4), pieces: 3).get() == nil)
    guard case .failure(let refusal) = body([], .bytes(1001), pieces: 1) else {
      Issue.record("it is taken")
      return
    }
    #expect(refusal == Refusal(413, "a body has at most 1000 bytes"))
  }

  // MARK: Frames

  private func frames(_ bytes: [UInt8], isServer: Bool = true, limit: Int = 200_000) -> Result<
    [SocketInput], SocketFault
  > {
    var decoder = SocketDecoder(isServer: isServer, limit: limit)
    var (index, inputs) = (0, [SocketInput]())
    do throws(SocketFault) {
      while let input = try decoder.next(bytes, at: &index) { inputs.append(input) }
      return .success(inputs)
    } catch { return .failure(error) }
  }

  @Test(arguments: [0, 1, 125, 126, 127, 65535, 65536, 100_000])
  func framesThereAndBack(_ count: Int) throws {
    let text = (0..<count).map { UInt8(97 + $0 % 26) }
    #expect(try frames(SocketFrame.text(text, mask: 0xDEAD_BEEF)).get() == [.text(text)])
    #expect(try frames(SocketFrame.text(text), isServer: false).get() == [.text(text)])
  }

  @Test func framesOfOneMessage() throws {
    let parts: [[UInt8]] = [
      [0x01, 0x02, 0x68, 0xC3], [0x89, 0x01, 0x70], [0x00, 0x01, 0xA9], [0x80, 0x00], [0x8A, 0x00],
    ]
    let bytes = parts.flatMap(\.self)
    #expect(try frames(bytes, isServer: false).get() == [.ping([0x70]), .text(Array("hé".utf8)), .pong])
    for end in bytes.indices { #expect(throws: Never.self) { try frames(Array(bytes[..<end]), isServer: false).get() } }
    let close = SocketFrame.close(4001, "done", mask: 7)
    #expect(try frames(close).get() == [.close(code: 4001, reason: "done")])
    #expect(try frames([0x88, 0x00], isServer: false).get() == [.close(code: nil, reason: "")])
  }

  @Test(
    arguments: [
      ([0x81, 0x01, 0x61], true, 1002), ([0x81, 0x81, 0, 0, 0, 0, 0x61], false, 1002),
      ([0x81, 0x80, 0, 0, 0, 0], false, 1002), ([0x81, 0x80], false, 1002), ([0xC1, 0x00], false, 1002),
      ([0x82, 0x00], false, 1003), ([0x83, 0x00], false, 1002), ([0x80, 0x00], false, 1002),
      ([0x8B, 0x00], false, 1002),
      ([0x01, 0x00, 0x01, 0x00], false, 1002), ([0x09, 0x00], false, 1002), ([0x89, 0x7E, 0x00, 0x7E], false, 1002),
      ([0x81, 0x7E, 0x00, 0x10], false, 1002), ([0x81, 0x7F, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], false, 1002),
      ([0x81, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 0], false, 1002), ([0x81, 0x7F, 0, 0, 0, 1, 0, 0, 0, 0], false, 1009),
      ([0x81, 0x01, 0xFF], false, 1007), ([0x81, 0x02, 0xC0, 0x80], false, 1007),
      ([0x81, 0x03, 0xED, 0xA0, 0x80], false, 1007),
      ([0x88, 0x01, 0x03], false, 1002), ([0x88, 0x02, 0x03, 0xE7], false, 1002),
      ([0x88, 0x02, 0x03, 0xED], false, 1002),
      ([0x88, 0x03, 0x03, 0xE8, 0xFF], false, 1007), ([0x01, 0x01, 0xC3, 0x80, 0x01, 0x28], false, 1007),
    ] as [([UInt8], Bool, Int)])
  func framesThatAreRefused(_ bytes: [UInt8], _ isServer: Bool, _ code: Int) {
    guard case .failure(let fault) = frames(bytes, isServer: isServer) else {
      Issue.record("\(bytes) is taken")
      return
    }
    #expect(fault.code == code, "\(fault.sentence)")
  }

  @Test func messagesAreBoundedInAllTheirFrames() {
    let bytes: [UInt8] = [0x01, 0x03, 0x61, 0x61, 0x61, 0x00, 0x03, 0x61, 0x61, 0x61]
    guard case .failure(let fault) = frames(bytes, isServer: false, limit: 5) else {
      Issue.record("it is taken")
      return
    }
    #expect(fault.code == 1009)
  }

  /// The example of RFC 6455, and the vectors of FIPS 180.
  @Test func theHandshake() {
    #expect(SocketHandshake.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    let long = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
    #expect(SocketHandshake.base64(SocketHandshake.sha1(long)) == "hJg+RBw70m66rkqh+VEp5eVGcPE=")
    #expect(SocketHandshake.base64(SocketHandshake.sha1([])) == "2jmj7l5rSw0yVb/vlWAYkK/YBwk=")
    #expect(SocketHandshake.isKey("dGhlIHNhbXBsZSBub25jZQ==") && !SocketHandshake.isKey("dGhlIHNhbXBsZSBub25jZQ"))
  }
}
