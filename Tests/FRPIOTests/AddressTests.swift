import FRPIO
import Testing

/// Where connections may go, as a table: what is granted, what is tried, and what a resolver answers.
@Suite struct AddressTests {
  /// A host and a port before anything is looked up.
  struct Try: CustomTestStringConvertible, Sendable {
    let grants: [String]
    let host: String
    let port: Int
    var address: String?
    var testDescription: String { "\(host):\(port) \(address ?? "") of \(grants)" }

    init(_ grants: [String], _ host: String, _ port: Int = 443, at address: String? = nil) {
      (self.grants, self.host, self.port, self.address) = (grants, host, port, address)
    }

    /// What is wrong; nil if it is granted.
    func problem() throws -> String? {
      var all = Grants()
      for grant in grants { try all.add(.net, grant) }
      let parsed = try address.map { try #require(IPAddress($0), "\($0) is an address") }
      do throws(IOError) {
        try all.check(host: host, port: port)
        if let parsed { try all.check(address: parsed, port: port, host: host) }
        return nil
      } catch { return error.message }
    }
  }

  static let site = ["api.example.org:443"]
  static let outside = "93.184.216.34"
  static let inside = ["127.0.0.1:8080"]

  static let refusedHosts: [Try] =
    // Nothing is granted; another port; other names.
    [Try([], "api.example.org"), Try(site, "api.example.org", 80), Try(site, "api.example.org", 8443)]
    + [
      "example.org", "org", "x.api.example.org", "api.example.org.evil.net", "evilapi.example.org", "api-example.org",
      "api.example.orgg", "api.example.or", "api..example.org", ".api.example.org", "api.example.org..", "",
      ".", "api.example.org:443", "user@api.example.org", "api.example.org@evil.net", "api.example.org/",
      "api.example.org#",
      "api.example.org?", "api.example.org\\evil", "api.example.org ", " api.example.org", "api.example.org\0",
      "api.example.org\0.evil.net", "api.example.org\n", "api%2eexample.org", "api.example.org%00", "аpi.example.org",
      "api。example.org", "ａpi.example.org", "api.example.orɡ", "[api.example.org]", "*.example.org", "*",
      String(repeating: "a", count: 64) + ".org",
    ].map { Try(site, $0) }
    // This machine and the network around, however it is written, where a name is all that is granted.
    + [
      "127.0.0.1", "127.1", "127.0.1", "2130706433", "0177.0.0.1", "017700000001", "0x7f.0.0.1", "0x7f000001", "0x7F.1",
      "0177.1", "127.0.0.1.", "127.000.000.001", "localhost", "LOCALHOST", "localhost.", "x.localhost", "0", "0.0.0.0",
      "0x0",
      "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:0001]", "[::127.0.0.1]",
      "[64:ff9b::7f00:1]", "[fe80::1]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[fc00::1]", "10.0.0.1", "192.168.0.1",
      "172.16.0.1", "169.254.169.254", "0xa9fea9fe", "2852039166", "169.254.43518", "0251.0376.0251.0376",
      "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "１２７.0.0.1", "127。0。0。1", "①②⑦.0.0.1", "0x7f.0x0.0x0.0x1",
      "00000177.0.0.1",
    ].map { Try(site, $0) }
    // One address is granted; its neighbours are others.
    + [
      "127.0.0.2", "127.2", "2130706434", "localhost", "[::1]", "0.0.0.0", "10.0.0.1", "127.0.0.1.2", "127.0.0.256",
      "0x7f000002", "1.127.0.0.1", "127.0.0.1x", "[::127.0.0.1]", "[::ffff:127.0.0.2]", "127.0.0.08",
    ].map { Try(inside, $0, 8080) }
    + [Try(inside, "127.0.0.1", 8081), Try(inside, "127.0.0.1", 80), Try(["localhost:80"], "127.0.0.1", 80)]

  static let refusedAnswers: [Try] =
    // A name that is granted, and whoever answers for it says this.
    [
      "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1",
      "100.127.255.255",
      "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1",
      "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1",
      "255.255.255.255", "::", "::1", "::2", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::127.0.0.1",
      "64:ff9b::a00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:4136:e378::1", "2001:db8::1", "2002:7f00:1::",
      "2002:a00:1::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1",
    ].map { Try(site, "api.example.org", at: $0) }
    // An address says where it leads; a resolver that reads it otherwise is not followed.
    + [
      Try(["10.0.0.1:443"], "10.0.0.1", at: "10.0.0.2"), Try(["93.184.216.34"], "93.184.216.34", at: "93.184.216.35"),
      Try(["93.184.216.34"], "93.184.216.34", at: "127.0.0.1"), Try(["localhost"], "localhost", at: "10.0.0.1"),
      Try(["localhost"], "localhost", at: outside), Try(["localhost"], "x.localhost", at: "127.0.0.1"),
      Try(["db.corp:443", "10.1.2.3:80"], "db.corp", at: "10.1.2.3"),
      Try(["db.corp:443", "10.1.2.3"], "db.corp", at: "10.1.2.4"), Try(["10.1.2.3:443"], "db.corp", at: "10.1.2.3"),
    ]

  static let granted: [Try] = [
    Try(site, "api.example.org"), Try(site, "API.Example.ORG"), Try(site, "api.example.org."),
    Try(["api.example.org"], "api.example.org", 1), Try(["API.EXAMPLE.ORG."], "api.example.org", 65535),
    Try(["a_b.example.org"], "a_b.example.org"), Try(["xn--bcher-kva.example"], "xn--bcher-kva.example"),
    Try(site, "api.example.org", at: outside), Try(site, "api.example.org", at: "2606:2800:220:1::1"),
    Try(site, "api.example.org", at: "::ffff:93.184.216.34"), Try(site, "api.example.org", at: "64:ff9b::5db8:d822"),
    Try(site, "api.example.org", at: "2002:5db8:d822::1"), Try(site, "api.example.org", at: "9.255.255.255"),
    Try(site, "api.example.org", at: "11.0.0.0"), Try(site, "api.example.org", at: "100.63.255.255"),
    Try(site, "api.example.org", at: "100.128.0.0"), Try(site, "api.example.org", at: "126.255.255.255"),
    Try(site, "api.example.org", at: "128.0.0.0"), Try(site, "api.example.org", at: "169.253.255.255"),
    Try(site, "api.example.org", at: "172.15.255.255"), Try(site, "api.example.org", at: "172.32.0.0"),
    Try(site, "api.example.org", at: "192.0.1.0"), Try(site, "api.example.org", at: "192.167.255.255"),
    Try(site, "api.example.org", at: "192.169.0.0"), Try(site, "api.example.org", at: "198.17.255.255"),
    Try(site, "api.example.org", at: "198.20.0.0"), Try(site, "api.example.org", at: "223.255.255.255"),
    Try(site, "api.example.org", at: "2001:200::1"), Try(site, "api.example.org", at: "2001:db9::1"),
    Try(site, "api.example.org", at: "3ffe:ffff::1"), Try(inside, "127.0.0.1", 8080, at: "127.0.0.1"),
    Try(inside, "127.1", 8080, at: "127.0.0.1"), Try(inside, "0x7f000001", 8080, at: "127.0.0.1"),
    Try(inside, "[::ffff:127.0.0.1]", 8080, at: "127.0.0.1"), Try(["127.0.0.1"], "127.0.0.1", 1, at: "127.0.0.1"),
    Try(["[::1]:80"], "[::1]", 80, at: "::1"), Try(["::1"], "[0:0::1]", 80, at: "::1"),
    Try(["[::1]"], "::1", 9, at: "::1"),
    Try(["localhost:80"], "LocalHost.", 80, at: "127.0.0.1"), Try(["localhost"], "localhost", 80, at: "::1"),
    Try(["x.localhost"], "x.localhost", 80, at: "127.0.0.53"), Try(["10.0.0.1:443"], "10.0.0.1", at: "10.0.0.1"),
    Try(["db.corp:443", "10.1.2.3"], "db.corp", at: "10.1.2.3"),
    Try(["db.corp", "10.1.2.3:443"], "db.corp", at: "::ffff:10.1.2.3"),
  ]

  @Test func enough() { #expect(Self.refusedHosts.count + Self.refusedAnswers.count >= 100) }

  @Test(arguments: refusedHosts) func refused(_ attempt: Try) throws {
    #expect(try attempt.problem() == "not granted: net \(IOError(notGranted: attempt.need).message.dropFirst(17))")
  }

  @Test(arguments: refusedAnswers) func refusedOnceLookedUp(_ attempt: Try) throws {
    #expect(try attempt.problem()?.hasPrefix("not granted: net ") == true)
  }

  @Test(arguments: granted) func passes(_ attempt: Try) throws { #expect(try attempt.problem() == nil) }

  @Test func words() throws {
    #expect(try Try([], "api.x").problem() == "not granted: net api.x:443")
    #expect(try Try(["db.corp"], "db.corp", at: "10.1.2.3").problem() == "not granted: net 10.1.2.3:443 (db.corp)")
    #expect(try Try(["db.corp"], "db.corp", at: "fd00::1").problem() == "not granted: net [fd00::1]:443 (db.corp)")
  }
}

extension AddressTests.Try {
  var need: Need { .net(host: host, port: port) }
}

@Suite struct GrantTextTests {
  @Test(arguments: [
    (Grants.Kind.net, "", "nothing is named"), (.net, "https://x.org", "a host, and not a URL: https://x.org"),
    (.net, "x.org/a", "a host has no `/`: x.org/a"),
    (.net, "*.x.org", "hosts are named one by one, without `*`: *.x.org"),
    (.net, ":80", "a host is missing before `:`"), (.net, "x.org:", "ports are 1 to 65535, not ``"),
    (.net, "x.org:0", "ports are 1 to 65535, not 0"), (.net, "x.org:65536", "ports are 1 to 65535, not `65536`"),
    (.net, "x.org:http", "ports are 1 to 65535, not `http`"), (.net, "x.org:-1", "ports are 1 to 65535, not `-1`"),
    (.net, "127.1", "write 127.1 as 127.0.0.1"), (.net, "0x7f000001:80", "write 0x7f000001 as 127.0.0.1"),
    (.net, "bücher.example", "write bücher.example as it is looked up, xn--…"), (.net, "a b", "no name of a host: a b"),
    (.net, "user@x.org", "no name of a host: user@x.org"), (.net, "fe80:1:80", "write it with brackets: [fe80:1]:80"),
    (.net, "x\0", "it contains a NUL"), (.listen, "127.0.0.1", "a port is missing: 127.0.0.1"),
    (.listen, "x.org:80", "an address like 127.0.0.1, 0.0.0.0 or [::], not `x.org`"),
    (.listen, ":80", "an address like 127.0.0.1, 0.0.0.0 or [::], not ``"),
    (.listen, "127.1:80", "an address like 127.0.0.1, 0.0.0.0 or [::], not `127.1`"),
    (.listen, "99999", "ports are 1 to 65535, not `99999`"), (.listen, "", "nothing is named"),
    (.env, "A=1", "a name of the environment has no `=`: A=1"), (.read, "", "nothing is named"),
    (.write, "a\0b", "it contains a NUL"),
  ])
  func wrong(_ kind: Grants.Kind, _ value: String, _ message: String) {
    var grants = Grants()
    #expect(throws: IOError(message)) { try grants.add(kind, value) }
    #expect(grants.isEmpty)
  }

  @Test func files() throws {
    var grants = Grants()
    try grants.add(
      lines:
        "# the api\nnet=api.x:443\n\n  net = [::1] \r\nlisten=80\nlisten=[::]:81\nread=a=b c\nwrite=é\nrun=ls\nenv=HOME",
      of: "grants.txt")
    #expect(
      grants.lines == [
        "net=api.x:443", "net=[::1]", "listen=127.0.0.1:80", "listen=[::]:81", "read=a=b c", "write=é", "run=ls",
        "env=HOME",
      ])
    var again = Grants()
    try again.add(lines: grants.lines.joined(separator: "\n"), of: "again")
    #expect(again == grants)
  }

  @Test(arguments: [
    (
      "net=a\nnett=b", "g, line 2: a grant begins with `net=`, `listen=`, `read=`, `write=`, `run=`, `env=`, not `nett`"
    ),
    ("read", "g, line 1: `read=` and what is granted"), ("\n\nlisten=x", "g, line 3: a port is missing: x"),
    ("all=", "g, line 1: a grant begins with `net=`, `listen=`, `read=`, `write=`, `run=`, `env=`, not `all`"),
  ])
  func wrongFiles(_ text: String, _ message: String) {
    var grants = Grants()
    #expect(throws: IOError(message)) { try grants.add(lines: text, of: "g") }
  }

  @Test(arguments: [
    (Need.net(host: "::1", port: 80), "--allow-net=[::1]:80"), (.net(host: "[::1]", port: 80), "--allow-net=[::1]:80"),
    (.listen(address: "127.0.0.1", port: 80), "--allow-listen=80"),
    (.listen(address: "0.0.0.0", port: 80), "--allow-listen=0.0.0.0:80"), (.read("a b"), "--allow-read=a b"),
  ])
  func flags(_ need: Need, _ flag: String) { #expect(need.flag == flag) }

  @Test func listening() throws {
    var grants = Grants()
    try grants.add(.listen, "80")
    try grants.add(.listen, "[::]:81")
    try grants.check(listen: try #require(IPAddress("127.0.0.1")), port: 80)
    try grants.check(listen: try #require(IPAddress("::")), port: 81)
    for (address, port) in [("127.0.0.1", 81), ("0.0.0.0", 80), ("::", 80), ("127.0.0.2", 80), ("::1", 81)] {
      let parsed = try #require(IPAddress(address))
      #expect(throws: IOError(notGranted: .listen(address: address, port: port))) {
        try grants.check(listen: parsed, port: port)
      }
    }
    #expect(IOError(notGranted: .listen(address: "127.0.0.1", port: 81)).message == "not granted: listen 81")
  }

  @Test func environment() throws {
    var grants = Grants()
    try grants.add(.env, "H\u{E9}")
    try grants.check(env: "H\u{E9}")
    for name in ["H", "He\u{301}", "h\u{E9}", "", "H\u{E9} "] {
      #expect(throws: IOError(notGranted: .env(name))) { try grants.check(env: name) }
    }
  }
}
