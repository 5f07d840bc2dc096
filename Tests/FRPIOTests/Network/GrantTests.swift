import FRPIO
import Glibc
import Testing

/// What is not granted is not connected to, however it is named.
@Suite(.enabled(if: hasNetwork, noNetwork)) struct ConnectGrantTests {
  /// A server that must not be reached, and what came to it.
  private func unreached(_ body: (Peer) -> Void) {
    let peer = Peer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret") }
    defer { peer.stop() }
    body(peer)
    usleep(20_000)
    #expect(peer.connections == 0)
  }

  private func refusal(_ url: String, _ grants: Grants) -> String { problem(ask(HTTPRequest("GET", url), grants)) }

  /// Each is granted as the name that it is not, and refused as what it is.
  @Test func waysToWriteThisMachine() {
    unreached { peer in
      for host in [
        "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "0",
        "0.0.0.0",
        "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:0001]", "user@127.0.0.1", "LOCALHOST",
        "example.org@127.0.0.1", "a:b@127.1", "127.0.0.1.", "localhost.", "sub.localhost", "example.org:80@localhost",
        "example.org%2f@127.0.0.1", "%31%32%37.0.0.1", "127。0。0。1",
      ] {
        let sentence = refusal(peer.url(host: host), granting("example.org", "user", "a"))
        let isRefused = ["not granted: net ", "not a URL", "a URL whose port"].contains { sentence.hasPrefix($0) }
        #expect(isRefused, "\(host): \(sentence)")
      }
    }
  }

  /// A name that is granted, and that is found to be this machine, whoever says so.
  @Test(.enabled(if: leadsToLoopback(nameOfThisMachine), "the name of this machine is not that of a loopback address"))
  func aNameThatTurnsOutToBeThisMachine() throws {
    let host = nameOfThisMachine
    unreached { peer in
      let sentence = refusal(peer.url(host: host), granting(host))
      #expect(sentence.hasPrefix("not granted: net 127.") && sentence.hasSuffix(":\(peer.port) (\(host.lowercased()))"))
    }
    let peer = Peer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
    defer { peer.stop() }
    let both = granting(host, "127.0.0.1", "127.0.1.1")
    #expect(!refusal(peer.url(host: host), both).hasPrefix("not granted"))
  }

  @Test func namesAreAskedForAsTheyAreConnectedTo() {
    for (url, name) in [
      ("http://2130706433:1/", "127.0.0.1:1"), ("http://Example.ORG/", "example.org:80"), ("https://a.b/", "a.b:443"),
      ("http://granted.example@evil.example/", "evil.example:80"),
      ("http://[::FFFF:127.0.0.1]:5/", "[::ffff:127.0.0.1]:5"),
      ("http://evil.example#@granted.example/", "evil.example:80"),
      ("http://evil.example?@granted.example/", "evil.example:80"),
    ] {
      #expect(refusal(url, granting("granted.example")) == "not granted: net \(name)", "\(url)")
    }
  }

  @Test func aPortIsPartOfIt() {
    unreached { peer in
      #expect(refusal(peer.url(), granting("127.0.0.1:1")) == "not granted: net 127.0.0.1:\(peer.port)")
    }
  }

  @Test func redirectsAreRequestsOfTheirOwn() {
    unreached { target in
      for status in [301, 302, 303, 307, 308] {
        let peer = Peer { connection in
          connection.receiveHead()
          connection.send(
            "HTTP/1.1 \(status) Moved\r\nLocation: http://localhost:\(target.port)/x\r\nContent-Length: 0\r\n\r\n")
        }
        defer { peer.stop() }
        #expect(refusal(peer.url(), granting("127.0.0.1")) == "not granted: net localhost:\(target.port)")
        #expect(
          refusal(peer.url(), granting("127.0.0.1:\(peer.port)", "localhost:1")).hasPrefix("not granted: net localhost")
        )
      }
    }
  }

  @Test func aRedirectToWhatIsGranted() throws {
    let heard = Log<String>()
    let target = Peer { connection in
      heard.add(connection.receiveText(until: "\r\n\r\nbody"))
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    let peer = Peer { connection in
      connection.receiveHead()
      connection.send(
        "HTTP/1.1 307 Moved\r\nLocation: \(target.url("/to", host: "localhost"))\r\nContent-Length: 0\r\n\r\n")
    }
    defer {
      peer.stop()
      target.stop()
    }
    var request = HTTPRequest(
      "POST", peer.url(), headers: [("Authorization", "secret"), ("X-Api-Key", "secret")], body: Array("body".utf8))
    request.own = [("X-Kept", "1")]
    #expect(try ask(request)?.get().body == Array("ok".utf8))
    let text = try #require(heard.all.first)
    #expect(text.hasPrefix("POST /to ") && text.contains("X-Kept: 1") && text.hasSuffix("\r\n\r\nbody"))
    #expect(!text.contains("secret"), "another host is not told")
  }

  @Test func redirectsWithoutEnd() {
    let peer = Peer { connection in
      while !connection.receiveHead().isEmpty {
        connection.send("HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { peer.stop() }
    #expect(problem(ask(HTTPRequest("GET", peer.url()))) == "127.0.0.1:\(peer.port) redirects more than 10 times")
  }

  @Test func aRedirectToAnotherProtocol() {
    let peer = Peer { connection in
      connection.receiveHead()
      connection.send("HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n")
    }
    defer { peer.stop() }
    #expect(problem(ask(HTTPRequest("GET", peer.url()))).hasSuffix(": file:///etc/passwd"))
  }

  /// Whatever the environment says of proxies: what is connected to is what was granted.
  @Test func noProxy() {
    unreached { proxy in
      setenv("http_proxy", proxy.url(), 1)
      defer { unsetenv("http_proxy") }
      let peer = Peer { connection in
        connection.receiveHead()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
      defer { peer.stop() }
      #expect(problem(ask(HTTPRequest("GET", peer.url()))).hasPrefix("it succeeds"))
    }
  }
}

private let nameOfThisMachine: String = {
  var name = [CChar](repeating: 0, count: 256)
  gethostname(&name, 255)
  return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}()

private func leadsToLoopback(_ host: String) -> Bool {
  var found: UnsafeMutablePointer<addrinfo>?
  guard getaddrinfo(host, "80", nil, &found) == 0, let found else { return false }
  defer { freeaddrinfo(found) }
  var next: UnsafeMutablePointer<addrinfo>? = found
  while let one = next {
    if IPAddress(one.pointee.ai_addr)?.isLoopback != true { return false }
    next = one.pointee.ai_next
  }
  return true
}
