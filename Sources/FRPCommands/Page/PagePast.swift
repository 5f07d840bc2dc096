// Moments of a page's past: what was there, what was shown from then on, and what would have been with another text.
//
// The past is lived through again from a checkpoint (`ReplLog`). Going on from the moment looked at last costs what has
// happened since.

import FRP
import FRPBase

final class PagePast {
  private let page: PageSession
  /// The moment looked at last.
  private var last: (session: ReplSession, time: Double, revision: Int, count: Int)?
  /// What is other from a moment on.
  private(set) var rewritten: Rewriting?

  /// A text in place of the present one, from a moment on, and what is sent at that moment.
  struct Rewriting {
    var time: Double
    var text: PageText
    var sends: [(name: String, json: String)]

    /// The text's place in the log.
    func change(_ title: String) -> ReplEvent {
      ReplEvent(time: time, items: text.items, modules: text.modules, title: title)
    }
  }

  /// How many occurrences of each name a moment tells.
  private static let occurrences = 50
  /// Seconds that a page which is opened is told of.
  private static let recent = 30.0
  /// How many samples, changes or occurrences of each output a stretch tells.
  private static let most = 500

  init(_ page: PageSession) { self.page = page }

  // MARK: A moment

  /// Everything at a moment of the past.
  func message(at time: Double) -> String {
    let time = within(time)
    let past = session(at: time)
    guard let simulation = past.simulation else { return said("the past is gone") }
    let shown = page.shown.filter { past.current.name($0.name) != nil }
    let values = shown.filter { $0.kind != "event" }.map {
      "\(jsonString($0.name)):\(PageSession.value($0.name, in: simulation))"
    }
    let events = shown.filter { $0.kind == "event" }.flatMap { known in
      (past.trace[known.name]?.recent ?? []).suffix(Self.occurrences).map { (known.name, $0) }
    }.sorted { $0.1.time < $1.1.time }
      .map { name, shown in "[\(jsonString(name)),\(shown.time),\(shown.whole)]" }
    return "{\"is\":\"past\",\"t\":\(time),\"values\":{\(values.joined(separator: ","))},"
      + "\"events\":[\(events.joined(separator: ","))]}"
  }

  private func within(_ time: Double) -> Double {
    min(max(page.beginning, time.isFinite ? time : 0), page.session.simulation?.now ?? 0)
  }

  private func session(at time: Double) -> ReplSession {
    let live = page.session
    if let last, last.revision == page.revision, last.time <= time, last.count == live.log.count,
      !live.checkpoints.contains(where: { $0.time > last.time && $0.time <= time })
    {
      last.session.liveOn(to: time)
      self.last?.time = time
      return last.session
    }
    let made = ReplSession(past: live, at: time, with: nil)
    last = (made, time, page.revision, live.log.count)
    return made
  }

  // MARK: Why

  /// The chain of causes behind a name's value; `time` of the past, or now.
  func why(_ name: String, at time: Double?) -> String {
    let lines: [String]
    if let time {
      let past = session(at: within(time))
      lines = past.current.name(name) == nil ? ["\(name) was not there yet"] : past.reasons(of: name)
    } else {
      lines = page.session.current.name(name) == nil ? ["nothing is called \(name)"] : page.session.reasons(of: name)
    }
    let moment = time ?? page.session.simulation?.now ?? 0
    return "{\"is\":\"why\",\"name\":\(jsonString(name)),\"at\":\(moment),"
      + "\"lines\":[\(lines.map(jsonString).joined(separator: ","))]}"
  }

  // MARK: A stretch

  /// What names have shown in a stretch of a session of the past, which goes on to the stretch's end: what each was at
  /// first, then samples of what moves, and all else when it changed.
  private func stretch(
    _ past: ReplSession, _ shown: [PageSession.Shown], from start: Double, to end: Double, samples: Int
  ) -> [String: [String]] {
    guard let simulation = past.simulation else { return [:] }
    var found: [String: [String]] = [:]
    let known = shown.filter { past.current.name($0.name) != nil }
    past.captureFromNow()
    // A drawing is longer than what the prompt shows.
    simulation.recordsAtMost = PageSession.mostBytesOfOccurrence
    func sample(_ names: [PageSession.Shown], at time: Double) {
      for one in names {
        found[one.name, default: []].append("[\(time),\(PageSession.value(one.name, in: simulation))]")
      }
    }
    sample(known.filter { $0.kind != "event" }, at: start)
    let moving = known.filter { $0.kind == "continuous" }
    let steps = moving.isEmpty ? 1 : samples
    for step in 1...steps where end > start {
      let time = step == steps ? end : start + (end - start) * Double(step) / Double(steps)
      past.liveOn(to: time)
      sample(moving.filter { past.current.name($0.name) != nil }, at: time)
    }
    let names = Set(known.filter { $0.kind != "continuous" }.map(\.name))
    for (name, shown) in past.captured ?? [] where names.contains(name) {
      found[name, default: []].append("[\(shown.time),\(shown.whole)]")
    }
    past.captured = nil
    return found.mapValues { $0.count > Self.most ? Array($0.suffix(Self.most)) : $0 }
  }

  private static func object(_ lists: [String: [String]]) -> String {
    "{"
      + lists.sorted { $0.key < $1.key }.map { "\(jsonString($0)):[\($1.joined(separator: ","))]" }
      .joined(separator: ",") + "}"
  }

  /// What the newest seconds were, for plots and lanes of a page that has just been opened or whose past is another since
  /// a moment.
  func history(since moment: Double = .infinity) -> String {
    let end = page.session.simulation?.now ?? 0
    let start = max(page.beginning, min(end - Self.recent, moment))
    // Drawings, lists and records have neither, and a hundred drawings are megabytes.
    let shown = page.shown.filter { $0.kind != "constant" && ($0.kind == "event" || page.isScalar($0.name)) }
    let past = ReplSession(past: page.session, at: start, with: nil)
    let all = stretch(past, shown, from: start, to: end, samples: min(Self.most - 1, max(120, Int((end - start) * 30))))
    let events = Set(shown.filter { $0.kind == "event" }.map(\.name))
    return "{\"is\":\"history\",\"until\":\(end),\"values\":\(Self.object(all.filter { !events.contains($0.key) })),"
      + "\"events\":\(Self.object(all.filter { events.contains($0.key) }))}"
  }

  // MARK: Another past

  /// Lets what was recorded since a moment happen again with another text, or after other values; the run itself stays as
  /// it is.
  func rewrite(at time: Double, _ source: String, sending sends: [(name: String, json: String)]) -> String {
    let time = within(time)
    let next = source == page.text.text ? page.text : PageText(source, name: page.name, page.session)
    let end = page.session.simulation?.now ?? 0
    var (old, new): ([String: [String]], [String: [String]]) = ([:], [:])
    var problems = next.problems
    rewritten = nil
    let rewriting = Rewriting(time: time, text: next, sends: sends)
    let made = next.hasErrors ? nil : ReplSession(past: page.session, at: time, with: nil, through: log(rewriting))
    // What would not be taken now is not taken then.
    if let refused = made?.refusal ?? made?.faultOfConstants(page.session.current).map(SimulationError.fault) {
      problems = next.problems(refused, page.session.said(refused))
    } else if let other = made {
      rewritten = rewriting
      let shown = page.shown.filter(\.isOutput)
      old = stretch(
        ReplSession(past: page.session, at: time, with: nil), shown, from: time, to: end, samples: 200)
      let names = Set(next.outputs)
      let kinds = names.map { name in
        PageSession.Shown(
          name: name,
          kind: other.current.name(name)?.kind == .event
            ? "event" : other.current.program.isContinuous(output: name) ? "continuous" : "step",
          isInput: false, isOutput: true)
      }
      new = stretch(other, kinds, from: time, to: end, samples: 200)
    }
    return "{\"is\":\"rewritten\",\"at\":\(time),\"until\":\(end),\"problems\":\(problems),"
      + "\"old\":\(Self.object(old)),\"new\":\(Self.object(new))}"
  }

  /// What happened, with what is other at its moment, and how many events are as they were. Another text is in place of
  /// those that came after it; at the beginning in place of the first, so that it is what began.
  private func log(_ other: Rewriting) -> (log: [ReplEvent], same: Int) {
    let isOtherText = other.text.text != page.text.text
    var before = page.session.log.filter { $0.time <= other.time }
    let after = page.session.log.filter { $0.time > other.time && !(isOtherText && $0.items != nil) }
    var text = isOtherText ? [other.change(page.name)] : []
    let begins = isOtherText && other.time == 0 ? before.firstIndex { $0.items != nil } : nil
    if let begins { text[0].isStart = before[begins].isStart }
    let sends = other.sends.map { ReplEvent(time: other.time, values: [$0]) }
    guard let begins else { return (before + text + sends + after, before.count) }
    before.removeAll { $0.items != nil }
    return (before[..<begins] + text + before[begins...] + sends + after, begins)
  }

  /// Makes the rewritten past that of the run. The moment since when it is another; nil where there is none.
  func keep(by viewer: Int = 0) -> Double? {
    guard let other = rewritten else { return nil }
    rewritten = nil
    page.adopt(log(other), other.text, by: viewer)
    return other.time
  }

  func drop() { rewritten = nil }

  // MARK: The whole past

  /// The run as one file: see README.md.
  func shared() -> String {
    let end = page.session.simulation?.now ?? 0
    let shown = page.shown
    let start = page.beginning
    let past = ReplSession(past: page.session, at: start, with: nil)
    let samples = min(1200, max(1, Int((end - start) * 30)))
    var frames: [String] = []
    var known: [String: String] = [:]
    past.captureFromNow()
    for step in 0...samples {
      let time = start + (end - start) * Double(step) / Double(samples)
      past.liveOn(to: time)
      guard let simulation = past.simulation else { break }
      var changed: [String] = []
      for one in shown where one.kind != "event" && past.current.name(one.name) != nil {
        let value = PageSession.value(one.name, in: simulation)
        if known.updateValue(value, forKey: one.name) != value { changed.append("\(jsonString(one.name)):\(value)") }
      }
      frames.append("{\"t\":\(time),\"values\":{\(changed.joined(separator: ","))}}")
    }
    var events: [String: [String]] = [:]
    let names = Set(shown.filter { $0.kind == "event" }.map(\.name))
    for (name, shown) in past.captured ?? [] where names.contains(name) {
      events[name, default: []].append("[\(shown.time),\(shown.whole)]")
    }
    let bounded = events.mapValues { Array($0.suffix(5000)) }
    let recording =
      "{\"program\":\(page.program(isViewer: true)),\"duration\":\(end),\"frames\":[\(frames.joined(separator: ","))],"
      + "\"events\":\(Self.object(bounded))}"
    let title = page.name.hasSuffix(".frp") ? String(page.name.dropLast(4)) : page.name
    return "{\"is\":\"shared\",\"name\":\(jsonString(title + ".html")),"
      + "\"html\":\(jsonString(PageAssets.whole(title: title, recording: recording)))}"
  }

  private func said(_ words: String) -> String { "{\"is\":\"said\",\"text\":\(jsonString(words))}" }
}
