// A program that is served: its run, who looks at it, what they do, and when they are told.
//
// Rules
// - Who does not take what is sent, or has not drawn it, is left out of frames until it has, and then told the whole state.
// - The session belongs to the server's thread.

import FRP
import FRPBase
import FRPIO
import FRPWorld
import Synchronization

/// Somebody who looks at a page.
final class PageViewer {
  let id: Int
  /// Only looks on.
  let isViewer: Bool
  var needsWhole = false
  /// Says of each frame that it was drawn.
  let draws: Bool
  /// The frames that it has not drawn yet, and the moment of the newest that was sent.
  private var undrawn: [(number: Int, bytes: Int, sent: Double)] = []
  private(set) var lastTold = 0.0
  /// The keys that are down here, and where the pointer is.
  var keysDown: Set<String> = []
  var pointerDown: (x: Double, y: Double)?
  private let unsent = Unsent()
  /// Frames that wait for room before it is left out.
  private static let mostUnsent = 3
  /// More than a few that are on their way may be neither large nor old, in seconds.
  private static let fewUndrawn = 6
  private static let mostBytesUndrawn = 32 << 10
  private static let patience = 1.0
  private let server: HTTPServer

  private final class Unsent: Sendable {
    let count = Atomic(0)
  }

  init(_ id: Int, isViewer: Bool, draws: Bool = false, _ server: HTTPServer) {
    (self.id, self.isViewer, self.draws, self.server) = (id, isViewer, draws, server)
  }

  /// Messages that have no room yet.
  var waiting: Int { unsent.count.load(ordering: .relaxed) }

  /// Frames that it could not keep up with would only wait on their way to it.
  var isBehind: Bool {
    if waiting >= Self.mostUnsent { return true }
    guard undrawn.count >= Self.fewUndrawn else { return false }
    return undrawn.reduce(0) { $0 + $1.bytes } > Self.mostBytesUndrawn
      || ReplClock.monotonic() - undrawn[0].sent > Self.patience
  }

  /// Whether it is time for the whole state that it needs.
  var canCatchUp: Bool { needsWhole && waiting == 0 && undrawn.count <= 1 }

  func send(frame bytes: [UInt8], number: Int, at time: Double) {
    lastTold = time
    if draws { undrawn.append((number, bytes.count, ReplClock.monotonic())) }
    send(bytes)
  }

  /// It has drawn a frame, and needs none of those before it.
  func hasDrawn(_ number: Double) { undrawn.removeAll { Double($0.number) <= number } }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    let unsent = unsent
    unsent.count.add(1, ordering: .relaxed)
    server.say(id, bytes) { _ in unsent.count.subtract(1, ordering: .relaxed) }
  }
}

final class PageRoom {
  let page: PageSession
  private let past: PagePast
  private let frames: PageFrames
  private let world: World?
  private var viewers: [Int: PageViewer] = [:]
  private var lastFrame = 0.0
  private var lastInstant = -1
  /// When the file was looked at last.
  private var lastLook = 0.0
  /// When somebody was here last.
  private(set) var wasSeen = ReplClock.monotonic()

  /// Seconds of the run's own work between two looks at what browsers say.
  private static let slice = 0.006
  /// Keys that are remembered to be down.
  private static let mostKeys = 32
  /// Seconds between two looks at the file.
  private static let looks = 0.2
  /// Messages that wait for room before a viewer is no longer answered.
  private static let mostAnswers = 64

  init(_ page: PageSession, _ world: World?) {
    (self.page, self.world) = (page, world)
    past = PagePast(page)
    frames = PageFrames(page)
    frames.forget()
  }

  // MARK: Time

  /// Readable when a task of the program has reported.
  var descriptor: Int32 { page.session.tasks.descriptor }

  /// Lets the run go on, and tells who looks.
  func goOn() {
    page.session.advance(to: page.session.clock.now, slice: Self.slice)
    followFile()
    frames.collect()
    sendFrameIfDue()
  }

  /// Milliseconds until something is due at the latest.
  var timeout: Int32 {
    let clock = page.session.clock
    let now = page.session.simulation?.now ?? 0
    // The program has not caught up with its clock.
    if clock.now - now > 0.001, hasChanged || page.session.simulation?.nextWakeUp.map({ $0 <= clock.now }) == true {
      return untilFrame
    }
    var wait = viewers.isEmpty ? 1000 : 250
    if !clock.isPaused {
      if !viewers.isEmpty, frames.moves { wait = min(wait, Int(untilFrame)) }
      if let due = page.session.simulation?.nextWakeUp {
        wait = min(wait, Int(min(1000, max(0, ((due - clock.now) / clock.speed * 1000).rounded(.up)))))
      }
    }
    if hasChanged || viewers.values.contains(where: \.canCatchUp) { wait = min(wait, Int(untilFrame)) }
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
    let (number, now) = (frames.number, page.session.simulation?.now ?? 0)
    for viewer in viewers.values {
      if viewer.canCatchUp {
        sendWhole(viewer, since: viewer.lastTold)
      } else if let frame, !viewer.needsWhole {
        if viewer.isBehind { viewer.needsWhole = true } else { viewer.send(frame: frame, number: number, at: now) }
      }
    }
  }

  private func sendWhole(_ viewer: PageViewer, since time: Double = .infinity) {
    viewer.needsWhole = false
    let whole = Array(frames.whole(since: time).utf8)
    viewer.send(frame: whole, number: frames.number, at: page.session.simulation?.now ?? 0)
  }

  // MARK: Who looks

  private func program(for viewer: PageViewer) -> String {
    page.program(isViewer: viewer.isViewer, for: viewer.id, among: Set(viewers.keys))
  }

  var isEmpty: Bool { viewers.isEmpty }

  func enter(_ viewer: PageViewer) {
    viewers[viewer.id] = viewer
    viewer.send(program(for: viewer))
    _ = frames.next()
    sendWhole(viewer)
    viewer.send(past.history())
  }

  /// What somebody holds who goes is let go of.
  func leave(_ viewer: PageViewer) {
    viewers[viewer.id] = nil
    wasSeen = ReplClock.monotonic()
    for key in viewer.keysDown.sorted() { press(key, isDown: false, viewer) }
    if let (x, y) = viewer.pointerDown { world?.page.pointer(x: x, y: y, isDown: false) }
  }

  private func press(_ key: String, isDown: Bool, _ viewer: PageViewer) {
    if !isDown {
      viewer.keysDown.remove(key)
    } else if viewer.keysDown.count < Self.mostKeys {
      viewer.keysDown.insert(key)
    }
    world?.page.key(key, isDown: isDown)
  }

  /// The program is another, or its time: everybody is told.
  private func tellProgram() {
    page.session.captured = []
    frames.forget()
    _ = frames.next()
    // What has occurred as the program started is all that a run at time 0 has to tell.
    let since = page.session.simulation?.now == 0 ? -1 : Double.infinity
    for viewer in viewers.values {
      viewer.send(program(for: viewer))
      sendWhole(viewer, since: since)
    }
  }

  // MARK: What they do

  func perform(_ message: PageMessage, _ viewer: PageViewer) {
    if message.verb == "drawn" { return viewer.hasDrawn(message.number("frame") ?? 0) }
    // Who asks without listening is not answered without end.
    if viewer.waiting > Self.mostAnswers { return }
    switch message.verb {
    case "seek": if let time = message.number("to") { viewer.send(past.message(at: time)) }
    case "why": if let name = message.text("name") { viewer.send(past.why(name, at: message.number("at"))) }
    case "share": viewer.send(past.shared())
    default: if !viewer.isViewer { act(message, viewer) }
    }
  }

  private func act(_ message: PageMessage, _ viewer: PageViewer) {
    page.session.advance(to: page.session.clock.now, slice: Self.slice)
    _ = page.words.take()
    switch message.verb {
    case "send": sendValue(message, viewer)
    case "key": if let key = message.text("key") { press(key, isDown: message.flag("down"), viewer) }
    case "pointer":
      if let x = message.number("x"), let y = message.number("y") {
        let isDown = message.flag("down")
        viewer.pointerDown = isDown ? (x, y) : nil
        world?.page.pointer(x: x, y: y, isDown: isDown)
      }
    case "pause", "resume", "step", "speed": changeClock(message)
    case "restart", "back", "recover", "undo", "redo", "keep": changePast(message, viewer)
    case "edit", "check", "rewrite": changeText(message, viewer)
    case "save": save(message, viewer)
    case "drop":
      past.drop()
      viewer.send("{\"is\":\"dropped\"}")
    default: viewer.send(said("the page knows no `\(message.verb)`"))
    }
    tellFailure(viewer)
  }

  /// What could not be done; other words are of no use here.
  private func tellFailure(_ viewer: PageViewer) {
    let words = page.words.take()
    if page.session.hasFailed, !words.isEmpty { viewer.send(said(words.joined(separator: "\n"))) }
    page.session.hasFailed = false
  }

  private func said(_ words: String) -> String { "{\"is\":\"said\",\"text\":\(jsonString(words))}" }

  private func sendValue(_ message: PageMessage, _ viewer: PageViewer) {
    guard let name = message.text("name") else { return }
    let sent = message.json("value") ?? "null"
    if !page.session.send([(name, sent)]), let simulation = page.session.simulation {
      // No frame will say so: the input is what it was.
      let value = PageSession.value(name, in: simulation)
      let why = page.session.hasFailed ? page.words.take().joined(separator: "\n") : ""
      page.session.hasFailed = false
      viewer.send(
        "{\"is\":\"undone\",\"name\":\(jsonString(name)),\"sent\":\(sent),\"value\":\(value)"
          + (why.isEmpty ? "}" : ",\"why\":\(jsonString(why))}"))
    }
    page.session.goOnWithTasks()
  }

  private func changeText(_ message: PageMessage, _ viewer: PageViewer) {
    guard let text = message.text("text") else { return }
    switch message.verb {
    case "check": viewer.send(page.edit(text, isTrial: true))
    case "rewrite":
      if let time = message.number("at") { viewer.send(past.rewrite(at: time, text, sending: message.sends)) }
    default:
      let answer = page.edit(text, by: viewer.id)
      viewer.send(answer)
      if answer.contains("\"isTaken\":true") { tellProgram() }
    }
  }

  // MARK: The file

  /// What another editor has written there, or in what it imports, is the program, as what is written in the page is.
  private func followFile() {
    guard let file = page.file, ReplClock.monotonic() - lastLook >= Self.looks else { return }
    lastLook = ReplClock.monotonic()
    if let text = file.takeChange() {
      file.isRefused = text != page.text.text && !takes { page.edit(text, by: PageFile.author) }
      // The text that it has is saved now.
      if text == page.text.text { tellProgram() }
    }
    let isRefused = file.isRefused
    guard file.takeChange(ofImports: page.text.imports + (isRefused ? page.refusedImports : [])) else { return }
    // What a text was refused for may have been in what it imports.
    if isRefused { file.isRefused = !takes { page.retry(file.text) } }
    if isRefused && !file.isRefused || takes(page.renew) { tellProgram() }
  }

  /// Whether a change from outside is taken; if not, everybody is told why.
  private func takes(_ change: () -> String) -> Bool {
    _ = page.words.take()
    let isTaken = change().contains("\"isTaken\":true")
    page.file?.note(imports: page.text.imports + page.refusedImports)
    _ = page.words.take()
    if !isTaken {
      let why = "\(page.name) has been changed and is not taken: \(page.refusal)"
      tellAll(said(why + ". The run goes on with the text before."))
    }
    return isTaken
  }

  private func save(_ message: PageMessage, _ viewer: PageViewer) {
    guard let text = message.text("text"), let file = page.file, file.isWritable else {
      return viewer.send(said("this page may not write to its file: `frp serve --save` lets it"))
    }
    if file.isAhead, !message.flag("isForced") {
      let why = "\(page.name) has been changed by another editor: nothing is written over that."
      return viewer.send("{\"is\":\"unsaved\",\"why\":\(jsonString(why))}")
    }
    do throws(SystemError) { try file.save(text) } catch {
      return viewer.send(said("\(page.name) is not saved: \(error.message)"))
    }
    let isProgram = text == page.text.text
    for other in viewers.values {
      other.send("{\"is\":\"saved\",\"isProgram\":\(isProgram),\"isYours\":\(other === viewer)}")
    }
  }

  private func tellAll(_ message: String) { for viewer in viewers.values { viewer.send(message) } }

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

  private func changePast(_ message: PageMessage, _ viewer: PageViewer) {
    // Since when what was shown is no longer what was.
    var moment: Double?
    switch message.verb {
    case "restart": page.restart()
    case "recover": if page.recover() { moment = 0 }
    case "back": if let time = message.number("to") { page.goBack(to: time) }
    case "keep":
      moment = past.keep(by: viewer.id)
      if moment != nil { tellAll("{\"is\":\"kept\"}") }
    case "undo": moment = page.undo(by: viewer.id, among: Set(viewers.keys))
    default: moment = page.redo()
    }
    // A frame would take these words for faults.
    tellFailure(viewer)
    tellProgram()
    guard let moment else { return }
    tellAll(past.history(since: moment))
  }
}
