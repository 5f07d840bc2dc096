// What the page is told as the run goes on: frames with what has changed, at most sixty a second, made once for all viewers.

import FRP
import FRPBase

final class PageFrames {
  private let page: PageSession
  /// The JSON of each value as it was told last.
  private var told: [String: String] = [:]
  /// What each step behavior had shown by then.
  private var counts: [String: Int] = [:]
  private var events: [(name: String, occurrence: Occurrence)] = []
  private var missed: [String: Int] = [:]
  private var faults: [String] = []
  private var shown: [PageSession.Shown] = []
  /// The definitions that have a lane, which would be drawn wrong from a few samples.
  private var drawn: Set<String> = []
  private var state = ""
  private var definitionsTold = 0.0
  private var ratesTold = 0.0
  private var timeTold = 0.0
  private var rates = ""
  /// Of the newest frame that was made, whole or not.
  private(set) var number = 0

  /// Of an event that occurs often a frame tells so many.
  private static let most = 60
  /// So many definitions are told in every frame; the page has as many lanes.
  private static let mostDrawn = 60
  /// Where nothing changes, the time is told every so many seconds.
  private static let pulse = 0.25
  /// Seconds between two frames.
  static let distance = 1 / 60.0

  init(_ page: PageSession) { self.page = page }

  /// Everything is told anew: the program is another, or the time.
  func forget() {
    (told, counts, events, missed, state) = ([:], [:], [], [:], "")
    shown = page.shown
    let definitions = shown.filter { !$0.isInput && !$0.isOutput && $0.kind != "constant" && page.isScalar($0.name) }
    drawn = Set(definitions.prefix(Self.mostDrawn).map(\.name))
    definitionsTold = 0
  }

  /// Takes what the session has shown since, so that it does not grow where nobody looks.
  func collect() {
    for (name, occurrence) in page.session.captured ?? [] where page.session.current.name(name)?.kind == .event {
      events.append((name, occurrence))
    }
    if page.session.captured?.isEmpty == false { page.session.captured = [] }
    if events.count > 16 * Self.most { bound() }
    let said = page.words.take()
    faults += said.prefix(max(0, 20 - faults.count))
  }

  /// Keeps the newest occurrences of each event, and counts the others.
  private func bound() {
    var counts: [String: Int] = [:]
    for event in events { counts[event.name, default: 0] += 1 }
    events.removeAll { event in
      guard let count = counts[event.name], count > Self.most else { return false }
      counts[event.name] = count - 1
      missed[event.name, default: 0] += 1
      return true
    }
  }

  /// Whether something moves by itself, so that frames follow one another.
  var moves: Bool { shown.contains { $0.kind == "continuous" && $0.isOutput } }

  /// What has changed since the last one; nil if nothing has.
  func next() -> String? {
    guard let simulation = page.session.simulation else { return nil }
    collect()
    let values = changes(simulation)
    let clock = page.session.clock
    let state = "\"paused\":\(clock.isPaused),\"speed\":\(clock.speed)"
    let rates = newRates()
    let isNew = !values.isEmpty || !events.isEmpty || !faults.isEmpty || state != self.state || !rates.isEmpty
    let moment = ReplClock.monotonic()
    let goesOn = !clock.isPaused && !clock.isVirtual && moment - timeTold >= Self.pulse
    if !isNew && !goesOn { return nil }
    self.state = state
    timeTold = moment
    return frame(simulation.now, values, isWhole: false, rates)
  }

  /// All that is known, for who has just come, or could not follow since a moment: with what has occurred after it.
  func whole(since time: Double = .infinity) -> String {
    number += 1
    let values = told.sorted { $0.key < $1.key }.map { "\(jsonString($0.key)):\($0.value)" }
    let counts = shown.filter { $0.kind == "event" }.map {
      "\(jsonString($0.name)):\(page.session.trace[$0.name]?.count ?? 0)"
    }
    let events = shown.filter { $0.kind == "event" }.flatMap { one in
      (page.session.trace[one.name]?.recent ?? []).suffix(Self.most).filter { $0.time > time }.map { (one.name, $0) }
    }.sorted { $0.1.time < $1.1.time }.map { "[\(jsonString($0)),\($1.time),\($1.whole)]" }
    let clock = page.session.clock
    return "{\"is\":\"frame\",\"number\":\(number),\"whole\":true,\"t\":\(page.session.simulation?.now ?? 0),"
      + "\"paused\":\(clock.isPaused),\"speed\":\(clock.speed),\"values\":{\(values.joined(separator: ","))},"
      + "\"events\":[\(events.joined(separator: ","))],\"missed\":{},\"count\":{\(counts.joined(separator: ","))},\"faults\":[]}"
  }

  private func changes(_ simulation: Simulation) -> [String] {
    let moment = ReplClock.monotonic()
    let withDefinitions = moment - definitionsTold >= 0.2
    if withDefinitions { definitionsTold = moment }
    var changed: [String] = []
    for one in shown
    where one.kind != "event" && (withDefinitions || one.isInput || one.isOutput || drawn.contains(one.name)) {
      let count = page.session.trace[one.name]?.count ?? 0
      if one.kind != "continuous", told[one.name] != nil, counts[one.name] == count { continue }
      counts[one.name] = count
      let value = PageSession.value(one.name, in: simulation)
      if told.updateValue(value, forKey: one.name) != value { changed.append("\(jsonString(one.name)):\(value)") }
    }
    return changed
  }

  private func newRates() -> String {
    let moment = ReplClock.monotonic()
    guard moment - ratesTold >= 1, let simulation = page.session.simulation else { return "" }
    ratesTold = moment
    let found = shown.filter { $0.kind == "event" || $0.kind == "step" }.compactMap { one -> String? in
      guard let trace = page.session.trace[one.name], trace.count > 0 else { return nil }
      let rate = (trace.rate(at: simulation.now) * 10).rounded() / 10
      return "\(jsonString(one.name)):\(rate)"
    }.joined(separator: ",")
    defer { rates = found }
    return found == rates ? "" : found
  }

  private func frame(_ time: Double, _ values: [String], isWhole: Bool, _ rates: String) -> String {
    bound()
    number += 1
    var names: [String] = []
    for event in events where !names.contains(event.name) { names.append(event.name) }
    let list = events.map { "[\(jsonString($0.name)),\($0.occurrence.time),\($0.occurrence.whole)]" }
    let missing = missed.sorted { $0.key < $1.key }.map { "\(jsonString($0.key)):\($0.value)" }
    let counts = names.map { "\(jsonString($0)):\(page.session.trace[$0]?.count ?? 0)" }
    let words = faults.map(jsonString)
    (events, missed, faults) = ([], [:], [])
    return "{\"is\":\"frame\",\"number\":\(number),\"t\":\(time),\(state),"
      + "\"values\":{\(values.joined(separator: ","))},"
      + "\"events\":[\(list.joined(separator: ","))],\"missed\":{\(missing.joined(separator: ","))},"
      + "\"count\":{\(counts.joined(separator: ","))},\"faults\":[\(words.joined(separator: ","))]"
      + (rates.isEmpty ? "" : ",\"rates\":{\(rates)}") + "}"
  }
}
