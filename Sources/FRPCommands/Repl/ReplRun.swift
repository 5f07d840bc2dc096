// The running side of a session: its clock, what is shown while somebody types, and how a program is replaced.

import FRP
import FRPBase
import Glibc

/// Program time from the machine's clock: it can be stopped, sped up, or moved by hand.
struct ReplClock {
  private(set) var isVirtual = false
  private(set) var isPaused = false
  private(set) var speed = 1.0
  private var base = 0.0
  private var since = ReplClock.monotonic()

  static func monotonic() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Seconds of program time.
  var now: Double { isPaused || isVirtual ? base : base + (Self.monotonic() - since) * speed }

  mutating func set(to time: Double) {
    base = time
    since = Self.monotonic()
  }

  mutating func pause(_ paused: Bool) {
    set(to: now)
    isPaused = paused
  }

  mutating func run(at speed: Double) {
    set(to: now)
    self.speed = speed
  }

  mutating func choose(virtual: Bool) {
    set(to: now)
    isVirtual = virtual
  }
}

/// What is shown while somebody types.
struct ReplLive {
  /// The behavior whose row is kept up to date.
  var expression: String?
  /// The event of the last entry.
  var followed: String?
  /// Behaviors and events of `:watch`.
  var watched: [String] = []
  var lastRow = ""
  var lastDrawn = 0.0
}

extension ReplSession: EntryListener {
  /// At most this many new lines of occurrences are shown at once; the others are counted.
  private static let burst = 12

  func goOn() -> Int32 {
    advance()
    drawLiveRow()
    return wait
  }

  private var wait: Int32 {
    if !source.isInteractive || clock.isPaused || clock.isVirtual { return 1000 }
    if live.expression != nil { return 100 }
    guard let next = [simulation?.nextWakeUp, planned.first?.time].compactMap({ $0 }).min() else { return 1000 }
    let seconds = (next - clock.now) / max(clock.speed, 1e-9)
    return Int32(min(1000, max(1, (seconds * 1000).rounded(.up))))
  }

  /// Lets the program catch up with the clock, and shows what is followed.
  func advance() { advance(to: clock.now) }

  func advance(to time: Double) {
    guard let simulation else { return }
    while let next = planned.first, next.time <= time {
      planned.removeFirst()
      simulation.advance(to: next.time)
      send(next.values)
    }
    simulation.advance(to: time)
    showOccurrences()
    showFaults()
  }

  /// Sends values at the present time and keeps them in the log.
  func send(_ values: [(name: String, json: String)]) {
    guard let simulation else { return }
    do throws(SimulationError) {
      try simulation.send(values)
      log.append(ReplEvent(time: simulation.now, values: values))
    } catch .fault {
      log.append(ReplEvent(time: simulation.now, values: values))
    } catch {
      fail(words(error))
    }
    showOccurrences()
    showFaults()
  }

  func words(_ error: SimulationError) -> String {
    switch error {
    case .programHasErrors: return "the program has errors"
    case .unknownPort(let name, let near):
      return "there is no input called \(name)" + (near.map { "; did you mean \($0)?" } ?? "")
    case .unfit(_, let path, let message): return path.isEmpty ? message : "at \(path): \(message)"
    case .fault(let fault): return fault.title
    case .hasNoStart(let name): return "\(name) has no start value"
    default: return error.message
    }
  }

  private func showFaults() {
    guard let simulation, simulation.faults.count > faultsShown else { return }
    for fault in simulation.faults[faultsShown...] { show(render([fault], simulation.program.sources)) }
    faultsShown = simulation.faults.count
  }

  private func showOccurrences() {
    guard let simulation else { return }
    var names = live.watched
    if let followed = live.followed, !names.contains(followed) { names.append(followed) }
    var lines: [(time: Double, text: String)] = []
    for name in names {
      guard let list = try? simulation.sourceOccurrences(of: name) else { continue }
      for occurrence in list {
        lines.append(
          (occurrence.time, "\(seconds(occurrence.time))  \(name == "it" ? "" : name + " ")\(occurrence.text)"))
      }
    }
    if lines.isEmpty { return }
    lines.sort { $0.time < $1.time }
    let hidden = lines.count - Self.burst
    if source.isInteractive, hidden > 0 {
      lines.removeFirst(hidden)
      show("  +\(hidden) more")
    }
    show(lines.map { "  " + $0.text }.joined(separator: "\n"))
  }

  /// The row of the behavior that was looked at last, ten times a second at most.
  private func drawLiveRow() {
    guard source.isInteractive, let name = live.expression else { return }
    let moment = ReplClock.monotonic()
    if moment - live.lastDrawn < 0.1 { return }
    live.lastDrawn = moment
    let width = console.width(nil)
    let text = describe(name) + "   t=\(seconds(clock.now))"
    let row = text.count < width ? text : String(text.prefix(width - 2)) + "…"
    if row == live.lastRow { return }
    live.lastRow = row
    source.replaceLast(row)
  }

  /// `12.4s`.
  func seconds(_ time: Double) -> String {
    let tenths = (time * 1000).rounded() / 1000
    return "\(tenths)s"
  }

  // MARK: Replacing the program

  /// Runs the present program in place of another: what kept its identity keeps its state, and the clock goes on.
  func continueRun(from old: Simulation?) {
    rebuild(until: old?.now ?? clock.now)
  }

  /// Runs the log again, from the start to a time.
  func rebuild(until time: Double) {
    guard let simulation = try? Simulation(current.program) else { return }
    simulation.start()
    for event in log where event.time <= time {
      simulation.advance(to: event.time)
      try? simulation.send(event.values.filter { value in current.name(value.name)?.isInput == true })
    }
    simulation.advance(to: time)
    faultsShown = simulation.faults.count
    for name in current.names where name.kind == .event || live.watched.contains(name.name) {
      try? simulation.record(name.name)
    }
    self.simulation = simulation
  }

  /// Goes to an earlier time; what was pushed after it is forgotten.
  func goBack(to time: Double) {
    let target = max(0, time)
    log.removeAll { $0.time > target }
    clock.set(to: target)
    rebuild(until: target)
  }

  // MARK: Completeness and colours

  func isComplete(_ text: String) -> Bool {
    if trimmed(text).hasPrefix(":") { return true }
    return ReplSyntax.isComplete(text)
  }

  func complete(_ text: String, cursor: Int) -> CompletionAnswer {
    ReplCompletion.answer(text, cursor: cursor, self)
  }

  func paint(_ text: String) -> String? { hasColours ? ReplSyntax.paint(text, current) : nil }
}
