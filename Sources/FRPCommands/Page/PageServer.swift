// The server of a page: who comes, and what is said to whom.
//
// Rules
// - One thread has the sessions: it waits for browsers, for what the programs' tasks report, and for what is due.
// - The first word of a socket is the token; nothing is done for who does not know it.

import FRP
import FRPBase
import FRPIO
import Glibc

final class PageServer {
  private let server = HTTPServer(limits: limits)
  /// Frames are held back from who does not take them, so that nobody who is slow need be cut off.
  private static let limits = {
    var limits = ServerLimits()
    limits.stuckSeconds = limits.idleSeconds
    limits.behindSeconds = 86_400
    return limits
  }()
  private let inbox = PageInbox()
  private let rooms: PageRooms
  /// Who knows the first may do everything; who knows the second only looks on.
  let token = PageServer.secret()
  let viewersToken = PageServer.secret()
  private let letsViewersIn: Bool
  /// Who has said the token; without a room, who reads a lesson.
  private var guests: [Int: (viewer: PageViewer, room: PageRoom?)] = [:]
  private var sockets: (any Flow)?

  /// A socket that has not said its token within this many seconds is closed.
  private var strangers: [Int: Double] = [:]
  private static let patience = 10.0

  init(_ rooms: PageRooms, letsViewersIn: Bool) { (self.rooms, self.letsViewersIn) = (rooms, letsViewersIn) }

  /// 128 bits that nobody can guess.
  private static func secret() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let text = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
  }

  // MARK: Listening

  /// Opens the port; the address that people are given, without its token.
  func listen(on address: IPAddress, port: Int, _ grants: Grants) throws(IOError) -> String {
    PageAssets.serve(on: server, isLesson: rooms.lesson != nil)
    sockets = server.sockets("/socket", item: { [inbox] in inbox.put($0) }, end: { _ in })
    let host = address.isV4 ? "\(address)" : "[\(address)]"
    let port = try server.listen(on: address, port: port, grants) { port in
      let names = ["\(host):\(port)", "localhost:\(port)"]
      return ServerAudience(hosts: Set(names), origins: Set(names.map { "http://\($0)" }))
    }
    return "http://\(host):\(port)/"
  }

  func close() { server.close() }

  // MARK: The loop

  func run(until isOver: () -> Bool, _ signals: Int32) {
    while !isOver() {
      wait(signals)
      for event in inbox.take() { take(event) }
      for room in rooms.open { room.goOn() }
      dismissStrangers()
    }
  }

  private func wait(_ signals: Int32) {
    var waiting = ([inbox.descriptor, signals] + rooms.open.map(\.descriptor)).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let patience: Int32 = strangers.isEmpty ? 1000 : 250
    _ = poll(&waiting, nfds_t(waiting.count), rooms.open.reduce(patience) { min($0, $1.timeout) })
  }

  // MARK: Who comes

  private func take(_ event: ServerSocketEvent) {
    switch event {
    case .joined(let id): strangers[id] = ReplClock.monotonic()
    case .left(let id):
      if let guest = guests.removeValue(forKey: id) { guest.room?.leave(guest.viewer) }
      strangers[id] = nil
    case .said(let id, let bytes):
      guard let fields = JSONParts.object(String(decoding: bytes, as: UTF8.self)) else { return }
      let message = PageMessage(fields)
      if let guest = guests[id] { guest.room?.perform(message, guest.viewer) } else { admit(id, message) }
    }
  }

  private func admit(_ id: Int, _ message: PageMessage) {
    let word = message.text("token") ?? ""
    let mayAct = message.verb == "hello" && word == token
    guard mayAct || letsViewersIn && message.verb == "hello" && word == viewersToken else {
      return refuse(id, "this is not the page's address any more: it is printed where `frp serve` runs")
    }
    let viewer = PageViewer(id, isViewer: !mayAct, draws: message.flag("draws"), server)
    let number = message.number("program").flatMap { Int(exactly: $0) }
    if let lesson = rooms.lesson, number == nil {
      guests[id] = (viewer, nil)
      viewer.send(lesson.message(isViewer: !mayAct))
    } else {
      guard let room = rooms.room(number ?? 0) else {
        return refuse(id, "\(PageRooms.most) programs are looked at already: close another page of this lesson")
      }
      guests[id] = (viewer, room)
      room.enter(viewer)
    }
    strangers[id] = nil
  }

  private func refuse(_ id: Int, _ why: String) {
    strangers[id] = nil
    server.say(id, Array("{\"is\":\"refused\",\"why\":\(jsonString(why))}".utf8)) { _ in }
    server.dismiss(id, code: 4401, "token")
  }

  private func dismissStrangers() {
    let moment = ReplClock.monotonic()
    for (id, since) in strangers where moment - since > Self.patience { refuse(id, "nothing was said") }
  }
}

/// A message of a browser: `do`, and what belongs to it.
struct PageMessage {
  private let fields: [(name: String, json: String)]

  init(_ fields: [(name: String, json: String)]) { self.fields = fields }

  var verb: String { text("do") ?? "" }

  func json(_ name: String) -> String? { fields.first { $0.name == name }?.json }

  func text(_ name: String) -> String? { json(name).flatMap(JSONParts.string) }

  func number(_ name: String) -> Double? { json(name).flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil } }

  func flag(_ name: String) -> Bool { json(name) == "true" }

  /// `"sends":[["gravity",2.5],…]`: values for inputs, in their order.
  var sends: [(name: String, json: String)] {
    (json("sends").flatMap(JSONParts.array) ?? []).compactMap { pair in
      guard let parts = JSONParts.array(pair), parts.count == 2, let name = JSONParts.string(parts[0]) else {
        return nil
      }
      return (name, parts[1])
    }
  }
}
