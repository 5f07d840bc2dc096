// The running side of a session: its clock, what is shown while somebody types, and how a program is replaced.

import CEditline
import FRP
import FRPBase
import FRPRuntime
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

  /// A clock that stands still shows what the program's own time is there: whole nanoseconds. Else what has just happened
  /// could seem to lie in the future.
  mutating func set(to time: Double) {
    base = Double(Clock.nanoseconds(time)) / 1e9
    since = Self.monotonic()
  }

  /// Seconds of real time that do not count.
  mutating func skip(_ seconds: Double) { since += seconds }

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
  /// At most this many lines of occurrences are shown at once; the others are counted.
  static let burst = 12
  /// The behavior whose row is kept up to date.
  var expression: String?
  /// The event of the last entry.
  var followed: String?
  /// Behaviors and events of `:log`.
  var watched: [String] = []
  /// Those of `:watch`, in rows at the top of the screen.
  var pinned: [String] = []
  var paneDrawn = 0.0
  /// The plot above them, and what has been of those that vary between instants.
  var plot: ReplLivePlot?
  var series: [String: ReplSeries] = [:]
  /// Whether a program has the whole screen, and what is to be shown after that.
  var isPlaying = false
  var held: [String] = []
  /// Whether the last look ahead was ended, since there was too much.
  var hasSeenTooMuch = false
  /// What `:sample` takes as time goes on.
  var sampling: ReplSampling?
  /// The name of the value that was shown in part.
  var partlyShown: String?
  var lastRow = ""
  var lastDrawn = 0.0
  /// Occurrences that are to be shown, and how many more there were.
  var waiting: [(time: Double, name: String, text: String)] = []
  var hidden = 0
  var lastShown = 0.0
  /// Whether it was said that the program needs more time than there is.
  var hasComplained = false
}

extension ReplSession {
  /// A run of a program whose `Date.epoch` is the session's.
  func newRun(_ program: Program) -> Simulation? {
    let run = try? Simulation(program, limits: Self.limits, seed: seed)
    run?.epoch = epoch
    chooseAnswers(of: run)
    return run
  }
}

extension ReplSession: EntryListener {
  func goOn() -> Int32? {
    // While the process stood still, so did its time.
    let suspended = source.takeSuspended()
    if suspended > 0 { clock.skip(suspended) }
    // A key press is to be answered at once, so the program gets a slice; it goes on after the key.
    advance(to: clock.now, slice: 0.006)
    drawLiveRow()
    drawPane()
    let hasStopped = ReplInterrupt.hasStopped
    if ReplInterrupt.clear() {
      if !hasStopped { return nil }
      stopClock()
    }
    return wait
  }

  /// After ^C: pushes that were to come do not.
  func dropPlanned() {
    if planned.count == 0 { return }
    show("stopped; \(planned.count) pushes that were to come are dropped")
    planned = []
  }

  /// After ^C: the clock stands where the program is, so that it does not go on at once.
  func stopClock() {
    live.expression = nil
    dropPlanned()
    clock.set(to: simulation?.now ?? clock.now)
    clock.pause(true)
    show("stopped; the clock is paused at \(seconds(clock.now))   (:resume goes on)")
  }

  private var wait: Int32 {
    if !source.isInteractive || clock.isPaused || clock.isVirtual { return 1000 }
    let moves = live.expression != nil || !live.pinned.isEmpty || live.plot != nil
    let busy: Int32 = tasks.isIdle ? 1000 : 20
    let redraw: Int32 = moves ? Int32(1000 / options.rate) : live.waiting.isEmpty ? 1000 : 50
    let coming = [simulation?.nextWakeUp, planned.first?.time, live.sampling?.next].compactMap { $0 }
    guard let next = coming.min() else { return min(redraw, busy) }
    let seconds = (next - clock.now) / max(clock.speed, 1e-9)
    return min(redraw, busy, Int32(min(1000, max(1, (seconds * 1000).rounded(.up)))))
  }

  /// Lets the program catch up with the clock, and shows what is followed.
  func advance() { advance(to: clock.now) }

  /// Goes to a time piece by piece, so that ^C can stop it; for `slice` seconds of real time at most.
  func advance(to time: Double, slice: Double? = nil) {
    guard let simulation else { return }
    let began = ReplClock.monotonic()
    ReplInterrupt.guarding(simulation) {
      while !ReplInterrupt.isPressed {
        let due = min(planned.first?.time ?? .infinity, simulation.nextWakeUp ?? .infinity)
        if let sampling = live.sampling, sampling.next <= time, sampling.next < due {
          simulation.advance(to: max(simulation.now, sampling.next))
          if sampling.next < time { simulation.reactor.advance(through: simulation.reactor.now.nanoseconds) }
          takeSample(sampling)
        } else if let next = planned.first, next.time <= time, next.time <= (simulation.nextWakeUp ?? .infinity) {
          planned.removeFirst()
          simulation.advance(to: next.time)
          send(next.values)
        } else if let due = simulation.nextWakeUp, due < time, due > simulation.now {
          simulation.advance(to: min(time, scheduled.isEmpty ? due + 0.002 : due))
        } else if current.program.hasHostTasks, clock.isVirtual {
          while simulation.reactor.advanceOnce(to: Clock.nanoseconds(time)), !ReplInterrupt.isPressed {
            goOnWithTasks()
          }
          break
        } else {
          simulation.advance(to: time)
          break
        }
        if !scheduled.isEmpty { takeScheduled() }
        if let slice, ReplClock.monotonic() - began > slice { break }
        collect()
      }
    }
    goOnWithTasks()
    if !scheduled.isEmpty { takeScheduled() }
    complainOfLag(time - simulation.now)
    checkpointIfDue()
    showOccurrences(isDue: slice == nil)
    showFaults()
  }

  private func complainOfLag(_ lag: Double) {
    if lag < 0.001 { live.hasComplained = false }
    guard source.isInteractive, lag > 2, !live.hasComplained else { return }
    live.hasComplained = true
    show("the program needs more time than there is: it is \(seconds(lag)) behind   (:speed 0.1, or :pause)")
  }

  /// Sends values at the present time and keeps them in the log.
  /// Whether they were taken: an instant that faults is undone.
  @discardableResult
  func send(_ values: [(name: String, json: String)]) -> Bool {
    guard let simulation else { return false }
    let problem: SimulationError? = ReplInterrupt.guarding(simulation) {
      do throws(SimulationError) {
        try simulation.send(values)
        return nil
      } catch { return error }
    }
    switch problem {
    case nil, .fault: keep(ReplEvent(time: simulation.now, values: values))
    case .unfit?:
      let name = values.first { (try? simulation.canonical($0.json, of: $0.name)) == nil }?.name
      fail((name ?? "a value") + (problem?.behindSubject ?? ""))
    case let error?: fail(words(error))
    }
    collect()
    return problem == nil
  }

  private func keep(_ event: ReplEvent) {
    log.append(event)
    appendToRecording(event)
  }

  func words(_ error: SimulationError) -> String {
    switch error {
    case .unknownPort(let name, let near):
      return "there is no input called \(name)" + (near.map { "; did you mean \($0)?" } ?? "")
    default: return error.message
    }
  }

  func showFaults() {
    guard let simulation, simulation.faults.count > faultsShown else { return }
    let new = simulation.faults[faultsShown...]
    faultsShown = simulation.faults.count
    if ReplInterrupt.isPressed { return }
    for fault in new { show(isBrief ? brief(fault) : render([fault], simulation.program.sources)) }
  }

  /// The row of the behavior that was looked at last, ten times a second at most.
  private func drawLiveRow() {
    guard source.isInteractive, options.isLive, let name = live.expression else { return }
    let moment = ReplClock.monotonic()
    if moment - live.lastDrawn < 1 / Double(options.rate) { return }
    live.lastDrawn = moment
    let width = console.width(nil)
    let text = describe(name) + "   t=\(seconds(clock.now))"
    let row = fit(text, width - 1)
    if row == live.lastRow { return }
    live.lastRow = row
    source.replaceLast(row)
  }

  /// `12.4s`.
  func seconds(_ time: Double) -> String {
    let tenths = (time * 1000).rounded() / 1000
    // What is that large has no thousandths.
    return "\(tenths.isFinite ? tenths : time)s"
  }

  /// What a program may take at the prompt before it is stopped: an instant of some seconds is a mistake, and so are
  /// values beyond a gigabyte, of which copies and checkpoints are made.
  static let limits: Limits = {
    var limits = Limits()
    limits.stepsPerInstant = 100_000_000
    limits.heapBytes = min(limits.heapBytes, 1 << 30)
    return limits
  }()

  func columns(_ text: String) -> Int { ScreenText.columns(text) }
  func fit(_ text: String, _ width: Int) -> String { ScreenText.fit(text, width) }

  // MARK: Completeness and colours

  func isComplete(_ text: String) -> Bool {
    if [":", "?"].contains(trimmed(text).prefix(1)) { return true }
    return isCompleteTranscript(text) ?? ReplSyntax.isComplete(text)
  }

  func complete(_ text: String, cursor: Int) -> CompletionAnswer {
    ReplCompletion.answer(text, cursor: cursor, self)
  }

  func paint(_ text: String, cursor: Int?) -> String? {
    hasColours ? EntryPainter(text, current, cursor: cursor).painted : nil
  }

  /// Grey is what tells it from what was typed.
  func suggestion(_ text: String) -> String? { hasColours && hasScreen ? entries.suggestion(text) : nil }
}
