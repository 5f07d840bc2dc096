import FRPIO
import Foundation
import Testing

/// Certificates made by openssl, and servers that show them.
final class Authority: Sendable {
  let directory: String
  private static let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"

  init() throws {
    directory = NSTemporaryDirectory() + "frp-tls-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try run("req -x509 \(Self.key) -keyout ca.key -out ca.pem -subj /CN=test -days 2")
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  var file: String { directory + "/ca.pem" }

  /// Makes `NAME.pem` and `NAME.key`, for a host, for so many days from now.
  func certify(_ name: String, host: String, days: Int = 2) throws {
    try "subjectAltName=\(host)".write(toFile: directory + "/\(name).ext", atomically: true, encoding: .utf8)
    try run("req \(Self.key) -keyout \(name).key -out \(name).csr -subj /CN=\(name)")
    let signed = "-CA ca.pem -CAkey ca.key -CAcreateserial -days \(days) -extfile \(name).ext"
    try run("x509 -req -in \(name).csr \(signed) -out \(name).pem")
  }

  private func run(_ arguments: String) throws {
    let process = try start(arguments.split(separator: " ").map(String.init))
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw IOError("openssl \(arguments): \(process.terminationStatus)") }
  }

  private func start(_ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.currentDirectoryURL = URL(fileURLWithPath: directory)
    process.standardInput = FileHandle(forReadingAtPath: "/dev/null")
    process.standardOutput = FileHandle(forWritingAtPath: "/dev/null")
    process.standardError = FileHandle(forWritingAtPath: "/dev/null")
    try process.run()
    return process
  }

  /// Calls `body` with the port of a server that answers each request with a page.
  func serving(_ name: String, _ body: (Int) throws -> Void) throws {
    let port = freePort()
    let certificate = ["-cert", "\(name).pem", "-key", "\(name).key"]
    let process = try start(["s_server", "-accept", "127.0.0.1:\(port)", "-www"] + certificate)
    defer {
      // A signal that the thread of a test has blocked is blocked in what it starts.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    for _ in 0..<200 where !Connection.answers(port: port) { usleep(20_000) }
    try body(port)
  }
}

@Suite(.enabled(if: hasNetwork, noNetwork)) struct TLSTests {
  /// How it goes on where nobody knows who has signed a certificate.
  static let unknown =
    "unable to get local issuer certificate (SSL_CERT_FILE=FILE says which authorities are trusted)"

  private func problem(_ url: String, trusting file: String?) -> String {
    var request = HTTPRequest("GET", url)
    request.authorities = file
    let result = ask(request)
    if case .success(let answer) = result { return "\(answer.status)" }
    return FRPIOTests.problem(result)
  }

  @Test func certificates() throws {
    let authority = try Authority()
    try authority.certify("good", host: "DNS:localhost")
    try authority.certify("other", host: "DNS:other.example")
    try authority.certify("old", host: "DNS:localhost", days: -1)
    try authority.serving("good") { port in
      let url = "https://localhost:\(port)/"
      #expect(problem(url, trusting: authority.file) == "200")
      #expect(problem(url, trusting: nil) == "TLS with localhost:\(port): \(Self.unknown)")
      let other = problem("https://127.0.0.1:\(port)/", trusting: authority.file)
      #expect(other == "TLS: the certificate is not for 127.0.0.1:\(port)")
    }
    try authority.serving("other") { port in
      let sentence = problem("https://localhost:\(port)/", trusting: authority.file)
      #expect(sentence == "TLS: the certificate is not for localhost:\(port)")
    }
    try authority.serving("old") { port in
      let sentence = problem("https://localhost:\(port)/", trusting: authority.file)
      #expect(sentence == "TLS with localhost:\(port): certificate has expired")
    }
  }

  @Test func aServerWithoutTLS() {
    let peer = Peer { connection in
      _ = connection.receive()
      connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
    }
    defer { peer.stop() }
    let sentence = problem("https://127.0.0.1:\(peer.port)/", trusting: nil)
    #expect(sentence.hasPrefix("TLS with 127.0.0.1:\(peer.port): "), "\(sentence)")
  }

  @Test func aHandshakeThatIsCut() {
    let peer = Peer { connection in _ = connection.receive() }
    defer { peer.stop() }
    let sentence = problem("https://127.0.0.1:\(peer.port)/", trusting: nil)
    #expect(sentence.hasPrefix("TLS with 127.0.0.1:\(peer.port): "), "\(sentence)")
  }

  @Test func aHandshakeThatNeverComes() {
    let peer = Peer { $0.pause(milliseconds: 5000) }
    defer { peer.stop() }
    var request = HTTPRequest("GET", "https://127.0.0.1:\(peer.port)/")
    request.connectSeconds = 1
    #expect(FRPIOTests.problem(ask(request)) == "cannot connect to 127.0.0.1:\(peer.port): no answer in 1 s")
  }
}
