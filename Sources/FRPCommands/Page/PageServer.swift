// The server of a page: who looks at it, what they do, and when they are told.
//
// Rules
// - One thread has the session: it waits for browsers, for what the program's tasks report, and for what is due.
// - The first word of a socket is the token; nothing is done for who does not know it.
// - Who does not take what is sent is left out of frames until there is room again, and then told the whole state.

import FRP
import FRPBase
import FRPIO
import FRPWorld
import Glibc
import Synchronization

final class PageServer {
  /// Somebody who looks at the page.
  private final class Viewer {
    let id: Int
    /// Only looks on.
    let isViewer: Bool
    /// Messages that have no room yet.
    let unsent = Unsent()
    var needsWhole = false

    init(_ id: Int, isViewer: Bool) { (self.id, self.isViewer) = (id, isViewer) }
  }

  private final class Unsent: Sendable {
    let count = Atomic(0)
  }

  private let server = HTTPServer()
  private let inbox = PageInbox()
  private let page: PageSession
  private let past: PagePast
  private let frames: PageFrames
  private let world: World?
  /// Who knows the first may do everything; who knows the second only looks on.
  let token = PageServer.secret()
  let viewersToken = PageServer.secret()
  private let letsViewersIn: Bool
  private var viewers: [Int: Viewer] = [:]
  private var sockets: (any Flow)?
  private var lastFrame = 0.0
  private var lastInstant = -1

  /// A socket that has not said its token within this many seconds is closed.
  private var strangers: [Int: Double] = [:]
  private static let patience = 10.0
  /// Frames that wait for room before a viewer is left out.
  private static let mostUnsent = 3

  init(_ page: PageSession, _ world: World?, letsViewersIn: Bool) {
    (self.page, self.world, self.letsViewersIn) = (page, world, letsViewersIn)
    past = PagePast(page)
    frames = PageFrames(page)
    frames.forget()
  }

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
    PageAssets.serve(on: server)
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
      page.session.advance(to: page.session.clock.now, slice: 0.006)
      frames.collect()
      dismissStrangers()
      sendFrameIfDue()
    }
  }

  private func wait(_ signals: Int32) {
    var waiting = [inbox.descriptor, page.session.tasks.descriptor, signals].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    _ = poll(&waiting, nfds_t(waiting.count), timeout)
  }

  /// Milliseconds until something is due at the latest.
  private var timeout: Int32 {
    let clock = page.session.clock
    let now = page.session.simulation?.now ?? 0
    // The program has not caught up with its clock.
    if clock.now - now > 0.001, hasChanged || page.session.simulation?.nextWakeUp.map({ $0 <= clock.now }) == true {
      return untilFrame
    }
    var wait = viewers.isEmpty && strangers.isEmpty ? 1000 : 250
    if !clock.isPaused {
      if !viewers.isEmpty, frames.moves { wait = min(wait, Int(untilFrame)) }
      if let due = page.session.simulation?.nextWakeUp {
        wait = min(wait, Int(min(1000, max(0, ((due - clock.now) / clock.speed * 1000).rounded(.up)))))
      }
    }
    if hasChanged { wait = min(wait, Int(untilFrame)) }
    return Int32(wait)
  }

  private var hasChanged: Bool { page.session.simulation?.instantNumber != lastInstant }

  private var untilFrame: Int32 {
    let left = lastFrame + PageFrames.distance - ReplClock.monotonic()
    return Int32(max(0, min(1000, (left * 1000).rounded(.up))))
  }

  private func sendFrameIfDue() {
    let moment = ReplClock.monotonic()
    guard moment - lastFrame >= PageFrames.distance * 0.9 else { return }
    lastFrame = moment
    lastInstant = page.session.simulation?.instantNumber ?? -1
    if viewers.isEmpty { return }
    let frame = frames.next().map { Array($0.utf8) }
    for viewer in viewers.values {
      let unsent = viewer.unsent.count.load(ordering: .relaxed)
      if viewer.needsWhole {
        if unsent > 0 { continue }
        viewer.needsWhole = false
        send(frames.whole(), to: viewer)
      } else if let frame {
        if unsent >= Self.mostUnsent { viewer.needsWhole = true } else { send(frame, to: viewer) }
      }
    }
  }

  // MARK: Who looks

  private func take(_ event: ServerSocketEvent) {
    switch event {
    case .joined(let id): strangers[id] = ReplClock.monotonic()
    case .left(let id):
      viewers[id] = nil
      strangers[id] = nil
    case .said(let id, let bytes):
      guard let fields = JSONParts.object(String(decoding: bytes, as: UTF8.self)) else { return }
      let message = PageMessage(fields)
      if let viewer = viewers[id] { perform(message, viewer) } else { admit(id, message) }
    }
  }

  private func admit(_ id: Int, _ message: PageMessage) {
    let word = message.text("token") ?? ""
    let mayAct = message.verb == "hello" && word == token
    guard mayAct || letsViewersIn && message.verb == "hello" && word == viewersToken else {
      return refuse(id, "this is not the page's address any more: it is printed where `frp serve` runs")
    }
    strangers[id] = nil
    let viewer = Viewer(id, isViewer: !mayAct)
    viewers[id] = viewer
    send(page.program(isViewer: viewer.isViewer), to: viewer)
    _ = frames.next()
    send(frames.whole(), to: viewer)
    send(past.history(), to: viewer)
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

  private func send(_ text: String, to viewer: Viewer) { send(Array(text.utf8), to: viewer) }

  private func send(_ bytes: [UInt8], to viewer: Viewer) {
    let unsent = viewer.unsent
    unsent.count.add(1, ordering: .relaxed)
    server.say(viewer.id, bytes) { _ in unsent.count.subtract(1, ordering: .relaxed) }
  }

  /// The program is another, or its time: everybody is told.
  private func tellProgram() {
    page.session.captured = []
    frames.forget()
    _ = frames.next()
    for viewer in viewers.values {
      send(page.program(isViewer: viewer.isViewer), to: viewer)
      send(frames.whole(), to: viewer)
    }
  }

  // MARK: What they do

  private func perform(_ message: PageMessage, _ viewer: Viewer) {
    // Who asks without listening is not answered without end.
    if viewer.unsent.count.load(ordering: .relaxed) > 64 { return }
    switch message.verb {
    case "seek": if let time = message.number("to") { send(past.message(at: time), to: viewer) }
    case "why": if let name = message.text("name") { send(past.why(name, at: message.number("at")), to: viewer) }
    case "share": send(past.shared(), to: viewer)
    default: if !viewer.isViewer { act(message, viewer) }
    }
  }

  private func act(_ message: PageMessage, _ viewer: Viewer) {
    page.session.advance(to: page.session.clock.now, slice: 0.006)
    _ = page.words.take()
    switch message.verb {
    case "send": sendValue(message)
    case "key": if let key = message.text("key") { world?.page.key(key, isDown: message.flag("down")) }
    case "pointer":
      if let x = message.number("x"), let y = message.number("y") {
        world?.page.pointer(x: x, y: y, isDown: message.flag("down"))
      }
    case "pause", "resume", "step", "speed": changeClock(message)
    case "restart", "back", "undo", "redo", "keep": changePast(message)
    case "edit":
      guard let text = message.text("text") else { return }
      let answer = page.edit(text)
      send(answer, to: viewer)
      if answer.contains("\"isTaken\":true") { tellProgram() }
    case "check": if let text = message.text("text") { send(page.edit(text, isTrial: true), to: viewer) }
    case "rewrite":
      if let time = message.number("at"), let text = message.text("text") {
        send(past.rewrite(at: time, text), to: viewer)
      }
    case "drop":
      past.drop()
      send("{\"is\":\"dropped\"}", to: viewer)
    default: send("{\"is\":\"said\",\"text\":\(jsonString("the page knows no `\(message.verb)`"))}", to: viewer)
    }
    let said = page.words.take()
    if page.session.hasFailed, !said.isEmpty {
      send("{\"is\":\"said\",\"text\":\(jsonString(said.joined(separator: "\n")))}", to: viewer)
    }
    page.session.hasFailed = false
  }

  private func sendValue(_ message: PageMessage) {
    guard let name = message.text("name") else { return }
    page.session.send([(name, message.json("value") ?? "null")])
    page.session.goOnWithTasks()
  }

  private func changeClock(_ message: PageMessage) {
    switch message.verb {
    case "pause": page.pause(true)
    case "resume": page.pause(false)
    case "step": page.step()
    default: if let speed = message.number("speed") { page.setSpeed(speed) }
    }
    _ = page.session.hasFailed ? [] : page.words.take()
    lastInstant = -1
  }

  private func changePast(_ message: PageMessage) {
    switch message.verb {
    case "restart": page.restart()
    case "back": if let time = message.number("to") { page.goBack(to: time) }
    case "keep": if past.keep() { for viewer in viewers.values { send("{\"is\":\"kept\"}", to: viewer) } }
    case "undo": _ = page.undo()
    default: _ = page.redo()
    }
    if !page.session.hasFailed { _ = page.words.take() }
    tellProgram()
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
}
