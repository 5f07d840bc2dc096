// Keeping what was pushed: marks to come back to, and traces in files that `frp run --trace` reads as well.

import FRP
import FRPBase
import Glibc

/// A moment, with all that had happened by then, and what that began with: with these a session can go there from any other.
struct ReplMark {
  var time: Double
  var log: [ReplEvent]
  /// `ReplSession.restored` and `earlierPushes` of that time.
  var restored: ReplCheckpoint?
  var earlierPushes: [ReplEvent] = []
}

extension ReplSession {
  /// What has happened so far, up to a time.
  func mark(at time: Double) -> ReplMark {
    ReplMark(time: time, log: log, restored: restored, earlierPushes: earlierPushes)
  }

  /// Lets what began a run at a mark be what begins the present one; checkpoints are of the run before.
  func takeBeginning(of mark: ReplMark) {
    (restored, earlierPushes) = (mark.restored, mark.earlierPushes)
    checkpoints = []
  }

  func mark(_ name: String) {
    if name.isEmpty {
      let all = marks.sorted { $0.value.time < $1.value.time }.map { "\($0.key) at \(seconds($0.value.time))" }
      return show(all.isEmpty ? "no mark yet; write :mark NAME" : all.joined(separator: "\n"))
    }
    let word = String(name.prefix { !$0.isWhitespace })
    if word != name {
      return fail(Self.tooMuch(trimmed(String(name.dropFirst(word.count))), behind: ":mark \(word)"))
    }
    advance()
    marks[name] = mark(at: clock.now)
    show("\(name) at \(seconds(clock.now))")
  }

  /// Goes to a mark, with what had been pushed by then.
  func goTo(_ name: String) {
    guard let mark = marks[name] else {
      return fail(
        "there is no mark \(name)"
          + (nearestNames(name, among: marks.keys.sorted()).first.map { "; did you mean \($0)?" }
            ?? "   (:mark \(name) makes one)"))
    }
    leaving {
      takeBeginning(of: mark)
      log = mark.log + log.filter { $0.items != nil && $0.time > mark.time }
      if !clock.isVirtual && !clock.isPaused { clock.pause(true) }
      goBack(to: mark.time)
    }
    show("at \(name), \(seconds(mark.time))" + (clock.isVirtual ? "" : ", paused; :resume goes on"))
  }

  // MARK: Traces

  /// What was sent so far.
  var pushes: [ReplEvent] { happened.filter { $0.happening == nil } }

  /// What came from outside so far.
  var happened: [ReplEvent] { log.filter { $0.items == nil } }

  /// One line of a trace: `{"at":1.5,"clicks":null}`.
  func traceLine(_ event: ReplEvent) -> String {
    let values = event.values.map { ",\(jsonString($0.name)):\($0.json)" }.joined()
    return "{\"at\":\(event.time)\(values)}\n"
  }

  /// The line that says which moment time 0 is, so that `Date.epoch` gives the same again.
  private var traceHead: String { epoch == 0 ? "" : "{\"epoch\":\(epoch)}\n" }

  func record(_ path: String) {
    if path.isEmpty, let recording {
      return show("what is pushed is written to \(recording)   (:record off ends it)")
    }
    if path.isEmpty || path == "off" {
      show(recording.map { "\($0) is complete" } ?? "nothing is recorded; write :record FILE")
      recording = nil
      return
    }
    guard writeFile(path, traceHead + pushes.map(traceLine).joined()) else { return fail("\(path) cannot be written") }
    recording = path
    show("\(path): \(pushes.count) so far, and what is pushed from now on   (:record off ends it)")
  }

  func appendToRecording(_ event: ReplEvent) {
    guard let recording else { return }
    let file = open(recording, O_WRONLY | O_APPEND | O_CLOEXEC)
    if file < 0 { return }
    defer { close(file) }
    var line = traceLine(event)
    line.withUTF8 { bytes in _ = write(file, bytes.baseAddress, bytes.count) }
  }

  /// `FILE [SPEED] [first]`: pushes what a trace holds, from now on; with `first`, its first line is now.
  func replay(_ text: String) {
    var words = ReplWords(text)
    let path = words.next()
    var options = [words.next(), words.next()].filter { !$0.isEmpty }
    let isFromFirst = options.contains("first")
    options.removeAll { $0 == "first" }
    let rest = trimmed(words.rest)
    if !rest.isEmpty || options.count > 1 {
      return fail(
        Self.tooMuch(options.dropFirst().first ?? rest, behind: ":replay \(path) \(options.first ?? "first")"))
    }
    guard let speed = options.isEmpty ? 1 : Double(options[0]), speed > 0, speed.isFinite else {
      return fail("how fast? Write :replay \(path) 2 for twice the speed")
    }
    guard let bytes = contents(of: path) else { return }
    advance()
    var events: [ReplEvent] = []
    var first: CivilMoment?
    for (number, line) in bytes.split(separator: 0x0A).enumerated() {
      let fields = JSONParts.object(String(decoding: line, as: UTF8.self))
      // What is pushed now happens now: the moment that was 0 there does not count.
      if number == 0, let fields, fields.count == 1, fields[0].name == "epoch" { continue }
      guard let fields, let at = fields.first(where: { $0.name == "at" }).flatMap({ Double($0.json) }), at >= 0,
        at.isFinite
      else { return fail("\(path), line \(number + 1): write {\"at\": 1.5, \"clicks\": null}") }
      let values = fields.filter { $0.name != "at" }
      if let unknown = values.first(where: { value in !current.names.contains { $0.isInput && $0.name == value.name } })
      {
        return fail("\(path), line \(number + 1): there is no input called \(unknown.name)")
      }
      let moment = CivilMoment(at)
      first = first ?? moment
      let passed = isFromFirst ? first.flatMap { moment?.nanoseconds(since: $0) }.map { Double($0) / 1e9 } ?? at : at
      if passed < 0 { return fail("\(path), line \(number + 1): its `at` lies before that of the first line") }
      events.append(ReplEvent(time: clock.now + passed / speed, values: values))
    }
    planned.add(events)
    show("\(path): \(events.count) to come" + (events.last.map { ", until \(seconds($0.time))" } ?? ""))
    advance()
  }
}
