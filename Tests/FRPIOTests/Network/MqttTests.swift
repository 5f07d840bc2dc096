import Foundation
import Testing

@testable import FRPIO

/// A broker of the test, by mosquitto.
final class Broker {
  let port = freePort()
  private let directory: String
  private var process: Process?
  private let lines: String

  static let program = ["/usr/sbin/mosquitto", "/usr/bin/mosquitto"].first { (path: String) in access(path, X_OK) == 0 }

  /// `lines` of its configuration beside the port.
  init(in directory: String? = nil, lines: String = "allow_anonymous true\n") throws {
    self.directory = directory ?? NSTemporaryDirectory() + "frp-mqtt-\(UUID().uuidString)"
    self.lines = lines
    try FileManager.default.createDirectory(atPath: self.directory, withIntermediateDirectories: true)
    try start()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(atPath: directory)
  }

  func start() throws {
    let file = directory + "/mosquitto.conf"
    try "user root\nlistener \(port) 127.0.0.1\n\(lines)".write(toFile: file, atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.program ?? "")
    process.arguments = ["-c", file]
    process.currentDirectoryURL = URL(fileURLWithPath: directory)
    process.standardError = FileHandle(forWritingAtPath: "/dev/null")
    process.standardOutput = FileHandle(forWritingAtPath: "/dev/null")
    try process.run()
    self.process = process
    for _ in 0..<200 where !Connection.answers(port: port) { usleep(20_000) }
  }

  func stop() {
    guard let process else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }

  var url: String { "mqtt://127.0.0.1:\(port)" }
}

@Suite struct MqttTopicTests {
  @Test(arguments: [
    ("a", "a", true), ("a", "b", false), ("a/b", "a", false), ("a", "a/b", false), ("+", "a", true),
    ("+", "a/b", false),
    ("a/+/c", "a/b/c", true), ("a/+/c", "a//c", true), ("a/+", "a", false), ("a/#", "a", true), ("a/#", "a/b/c", true),
    ("#", "a/b", true), ("#", "$SYS/x", false), ("+/x", "$SYS/x", false), ("$SYS/#", "$SYS/x", true),
    ("/a", "a", false),
    ("+/+", "/a", true), ("a/", "a", false),
  ])
  func filters(_ filter: String, _ topic: String, _ wanted: Bool) {
    #expect(Mqtt.names(filter, topic) == wanted)
  }

  @Test(arguments: [
    ("a/b", true), ("#", true), ("a/#", true), ("+/a/+", true), ("", false), ("a#", false), ("#/a", false),
    ("a/b+", false),
    ("a\u{0}", false),
  ])
  func filtersThatAreNone(_ filter: String, _ wanted: Bool) { #expect(Mqtt.isFilter(filter) == wanted) }
}

@Suite(
  .enabled(if: hasNetwork, noNetwork), .enabled(if: Broker.program != nil, "mosquitto is not installed"), .serialized)
struct MqttTests {
  private final class Heard: Sendable {
    let items = Log<String>()
    let opened = Log<Bool>()
    let outcome = Outcome<Void>()

    func listen(_ url: String, _ topic: String, _ grants: Grants = loopback, authorities: String? = nil) -> any Flow {
      Mqtt.messages(
        url, topic, grants, authorities: authorities, opened: { self.opened.add(true) },
        item: { self.items.add(String(decoding: $0, as: UTF8.self)) }, end: outcome.completion)
    }
  }

  private func publish(_ url: String, _ topic: String, _ text: String, authorities: String? = nil) -> String {
    let outcome = Outcome<Void>()
    Mqtt.publish(url, topic, Array(text.utf8), loopback, authorities: authorities, outcome.completion)
    return problem(outcome.wait())
  }

  @Test func messagesAndPublications() throws {
    let broker = try Broker()
    let (one, all) = (Heard(), Heard())
    let flows = [one.listen(broker.url, "home/attic/temperature"), all.listen(broker.url, "home/+/temperature")]
    defer { for flow in flows { flow.cancel() } }
    _ = one.opened.wait { !$0.isEmpty }
    _ = all.opened.wait { !$0.isEmpty }
    #expect(publish(broker.url, "home/attic/temperature", "20.5").hasPrefix("it succeeds"))
    #expect(publish(broker.url, "home/cellar/temperature", "").hasPrefix("it succeeds"))
    let long = String(repeating: "x", count: 300_000)
    #expect(publish(broker.url, "home/attic/temperature", long).hasPrefix("it succeeds"))
    #expect(one.items.wait { $0.count == 2 } == ["20.5", long])
    #expect(all.items.wait { $0.count == 3 } == ["20.5", "", long])
    #expect(publish(broker.url, "home/#", "x") == "no topic to publish to: home/#")
    let bad = Heard()
    _ = bad.listen(broker.url, "a#b")
    #expect(problem(bad.outcome.wait()) == "no topic: a#b")
  }

  @Test func aBrokerThatGoesAndComesBack() throws {
    let broker = try Broker()
    let heard = Heard()
    _ = heard.listen(broker.url, "a")
    _ = heard.opened.wait { !$0.isEmpty }
    broker.stop()
    #expect(problem(heard.outcome.wait()) == "the connection to the broker 127.0.0.1:\(broker.port) broke")
    #expect(publish(broker.url, "a", "x") == "cannot connect to 127.0.0.1:\(broker.port): connection refused")
    try broker.start()
    let again = Heard()
    let flow = again.listen(broker.url, "a")
    defer { flow.cancel() }
    _ = again.opened.wait { !$0.isEmpty }
    #expect(publish(broker.url, "a", "x").hasPrefix("it succeeds"))
    #expect(again.items.wait { !$0.isEmpty } == ["x"])
  }

  /// The broker keeps what comes while nobody wants it.
  @Test func aPausedListenerLosesNothing() throws {
    let broker = try Broker(lines: "allow_anonymous true\nmax_queued_messages 0\nmax_inflight_messages 0\n")
    let heard = Heard()
    let flow = heard.listen(broker.url, "a")
    defer { flow.cancel() }
    _ = heard.opened.wait { !$0.isEmpty }
    flow.pause()
    // From another connection, since this one is not read.
    let other = "mqtt://localhost:\(broker.port)"
    let outcomes = (0..<2000).map { number in
      let outcome = Outcome<Void>()
      Mqtt.publish(other, "a", Array("\(number)".utf8), loopback, outcome.completion)
      return outcome
    }
    for outcome in outcomes { #expect(problem(outcome.wait()).hasPrefix("it succeeds")) }
    #expect(heard.items.all.isEmpty)
    flow.resume()
    #expect(heard.items.wait { $0.count == 2000 } == (0..<2000).map { "\($0)" })
  }

  @Test func whoIsNotLetIn() throws {
    let directory = NSTemporaryDirectory() + "frp-mqtt-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let program = Process()
    program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    program.arguments = ["mosquitto_passwd", "-b", "-c", directory + "/passwords", "ann", "s3c:ret"]
    try program.run()
    program.waitUntilExit()
    let broker = try Broker(in: directory, lines: "allow_anonymous false\npassword_file \(directory)/passwords\n")
    let place = "127.0.0.1:\(broker.port)"
    #expect(publish(broker.url, "a", "x") == "the broker \(place) refuses it: not authorised")
    #expect(publish("mqtt://ann:wrong@\(place)", "a", "x") == "the broker \(place) refuses it: not authorised")
    #expect(publish("mqtt://ann:s3c%3Aret@\(place)", "a", "x").hasPrefix("it succeeds"))
  }

  @Test func brokersWithCertificates() throws {
    let authority = try Authority()
    try authority.certify("good", host: "DNS:localhost")
    try authority.certify("other", host: "DNS:other.example")
    try authority.certify("old", host: "DNS:localhost", days: -1)
    for (name, sentence) in [
      ("good", nil), ("other", "TLS: the certificate is not for localhost:PORT"),
      ("old", "TLS with localhost:PORT: certificate has expired"),
    ] {
      let files = "certfile \(authority.directory)/\(name).pem\nkeyfile \(authority.directory)/\(name).key\n"
      let broker = try Broker(lines: "allow_anonymous true\n\(files)")
      let url = "mqtts://localhost:\(broker.port)"
      let said = publish(url, "a", "x", authorities: authority.file)
      if let sentence {
        #expect(said == sentence.replacingOccurrences(of: "PORT", with: "\(broker.port)"))
      } else {
        #expect(said.hasPrefix("it succeeds"), "\(said)")
        let heard = Heard()
        let flow = heard.listen(url, "b", authorities: authority.file)
        _ = heard.opened.wait { !$0.isEmpty }
        let long = String(repeating: "y", count: 200_000)
        #expect(publish(url, "b", long, authorities: authority.file).hasPrefix("it succeeds"))
        #expect(heard.items.wait { !$0.isEmpty } == [long])
        flow.cancel()
        #expect(publish(url, "a", "x") == "TLS with localhost:\(broker.port): \(TLSTests.unknown)")
      }
    }
  }

  @Test func brokersThatAreNone() {
    for (answer, sentence) in [
      ([0x00, 0x00], "what PLACE says is not MQTT"),
      (Array("HTTP/1.1 400\r\n\r\n".utf8), "the connection to the broker PLACE broke"),
      ([0x20], "the connection to the broker PLACE broke"), ([], "the connection to the broker PLACE broke"),
      ([0x20, 0x02, 0x00, 0x03], "the broker PLACE refuses it: broker unavailable"),
    ] as [([UInt8], String)] {
      let peer = Peer { connection in
        _ = connection.receive()
        connection.send(answer)
        connection.pause(milliseconds: 100)
      }
      defer { peer.stop() }
      let said = publish("mqtt://127.0.0.1:\(peer.port)", "a", "x")
      #expect(said == sentence.replacingOccurrences(of: "PLACE", with: "127.0.0.1:\(peer.port)"), "\(said)")
    }
    #expect(publish("mqtt://10.1.2.3", "a", "x") == "not granted: net 10.1.2.3:1883")
    #expect(publish("http://127.0.0.1", "a", "x").hasPrefix("not a URL that begins with mqtt://"))
  }
}
