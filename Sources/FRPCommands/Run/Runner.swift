// One run of a program on the command line: inputs, time, outputs.
//
// Rules
// - Time is either real (poll(2) waits for lines, due timers and samples) or simulated (nothing waits).
// - A sample at time t shows what holds after the last instant of t. So what comes from outside, later, gets a later time: a recording,
//   which says no more than the times, then leads to the same.
// - What is written reaches the reader before the run waits for anything.
// - The run ends at --for; else at the last line of its inputs, or when nothing is held back any more (see Draining.swift);
//   else when nothing can happen any more.

import FRP
import FRPBase
import FRPCore
import FRPGraph
import FRPIO
import FRPRuntime
import FRPWorld
import Glibc

final class Runner {
  let options: RunOptions
  let reporter: Reporter
  let simulation: Simulation
  let reactor: Reactor
  /// Of the simulation, which keeps it: nothing of a run is exchanged.
  let codec: Codec
  let sinks: OutputSinks
  let complaints: Complaints
  let signals: SignalWatch?
  /// Who has started the process and waits to hear of it, if it is this run's alone.
  let service: ServiceManager?
  /// Why the run must end before its time.
  private(set) var stop: ExitCode? {
    get { stopped.pointee }
    set { stopped.pointee = newValue }
  }
  /// Behind pointers: as fields, each of a line's many looks at them would be checked for exclusivity.
  private let stopped = UnsafeMutablePointer<ExitCode?>.allocate(capacity: 1)
  private let draining = UnsafeMutablePointer<Drain?>.allocate(capacity: 1)
  /// The host's tasks that are under way, if the program can have any.
  let tasks: HostTasks?
  /// What is still held back, once the inputs have ended.
  var drain: Drain? {
    get { draining.pointee }
    set { draining.pointee = newValue }
  }
  /// When the inputs had ended.
  var drainStart: Int64?
  /// Writes down what comes from outside.
  var recorder: Recorder?
  /// Keeps what comes from outside for the next process.
  var journal: Journal?
  /// By input: how many lines of it were taken.
  var taken: [String: Int] = [:]
  /// And what these lines were, of files.
  var digests: [String: Int] = [:]
  /// By path: what `Serve.value` has given there last, as JSON. Its calls have ended, but what they did ends with the process.
  var served: [String: String] = [:]
  /// Which numbers requests and WebSockets have had.
  var numbered = ServedNumbers()
  /// Whether what comes is what came to an earlier process: nothing is begun for it.
  var isRecovering = false
  /// Answers calls of the world in a trace that is a recording.
  var recording: Recording?
  /// Called when the start has not faulted.
  var startedWell: (() -> Void)?
  /// Whether the start has not faulted.
  var hasValues = false
  /// Whether the last instant has begun, or would have.
  private var isEnding = false
  /// The time of a run in real time. It goes on while the start is computed: what begins there takes its time from then.
  var clock = RealClock()
  private let until: Int?
  let period: Int64
  var sampleNumber: Int64 = 0
  /// The last time at which nothing more can be sent, since what waited for its inputs has happened.
  private var closed: Int64 = -1
  /// The time of the last sample that was shown.
  private var shown: Int64 = -1
  /// Whether the run is on its way to the present: where it is, something may be due yet.
  private var isCatchingUp = false

  init(
    _ program: Program, _ simulation: Simulation, _ options: RunOptions, _ reporter: Reporter,
    former: FormerOutputs? = nil
  ) throws(PortProblem) {
    stopped.initialize(to: nil)
    draining.initialize(to: nil)
    self.options = options
    self.reporter = reporter
    self.simulation = simulation
    reactor = simulation.reactor
    codec = simulation.codec
    sinks = try OutputSinks(simulation, options, standard: reporter.console.out, former: former)
    complaints = Complaints(reporter, program)
    tasks = program.hasHostTasks ? HostTasks() : nil
    period = Int64(options.samplePeriod)
    if let name = options.until {
      let names = reactor.plan.outputs.map(\.name)
      guard let output = names.firstIndex(of: name) else { throw PortProblem(unknown: "output", name, among: names) }
      until = output
    } else {
      until = nil
    }
    signals = SignalWatch()
    service = options.isConfined ? ServiceManager.present : nil
    reactor.isEndWanted = { [weak self] in self?.isEndOverdue == true }
  }

  deinit {
    stopped.deallocate()
    draining.deinitialize(count: 1)
    draining.deallocate()
  }

  // MARK: Start and end

  /// `moment` is time 0 (`Date.epoch`), if it is known.
  func start(at moment: CivilMoment? = nil) {
    if let moment { simulation.epoch = moment.value }
    prepare()
    if let recorder {
      recorder.begin(seed: options.seed)
      if journal == nil {
        tasks?.mayBegin = { [unowned self] in
          self.recorder?.begun($0)
          return true
        }
      }
    }
    options.world?.hold()
    clock = RealClock()
    reactor.start()
    hasValues = stop == nil
    if hasValues { startedWell?() }
    checkForStop()
    options.world?.open()
  }

  /// Hears of what the run does.
  func prepare() {
    if !sinks.continuous.isEmpty, options.sample == nil, !options.isQuiet, !options.isFinal {
      let sampled = sinks.sampled
      let names = (sampled.isEmpty ? sinks.continuous : sampled).map { "`\(reactor.plan.outputs[$0].name)`" }
      let what = sampled.isEmpty ? "looked at" : "shown"
      let list = names.joined(separator: ", ")
      reporter.note("continuous outputs (\(list)) are \(what) every 100ms; choose with --sample")
    }
    if isSimulated { simulation.isAnswered = { [unowned self] in recording?.answers($0) ?? false } }
    simulation.bindingEnded = { [unowned self] port, isSource, message in
      guard let message else { return }
      if isSource {
        complaints.add(sourceOf: port, message, isPast: isRecovering)
      } else {
        complaints.add(sinkOf: port, message, isPast: isRecovering)
      }
      if options.isStrict { stop = stop ?? .fault }
    }
    reactor.observer = { [unowned self] moment, changes in observe(moment, changes) }
    reactor.faultObserver = { [unowned self] fault in
      complaints.add(fault, sequel)
      if fault.isAtStart || options.isStrict { stop = stop ?? .fault }
    }
  }

  private func observe(_ moment: Moment, _ changes: UnsafeBufferPointer<OutputChange>) {
    if stop != nil { return }
    sinks.write(moment, changes)
    guard let until, let change = changes.first(where: { $0.output == until }) else { return }
    let output = reactor.plan.outputs[until]
    if output.isEvent || output.type != .bool || change.value.bool { stop = stop ?? .success }
  }

  /// Runs the last instant, shows the last samples, and says how it went.
  func finish() -> ExitCode {
    let ended = stop
    stop = nil
    isEnding = true
    service?.stopping()
    // What could not be read may be readable the next time.
    let isInterrupted = ended?.isSignal == true || ended == .wrongUsage
    if let journal, isInterrupted || journal.failure != nil || sinks.isBroken {
      return pause(journal, ended ?? .fault)
    }
    // What has been shown of a time is not followed by more of it.
    if !isSimulated, ended != .fault, reactor.now.nanoseconds <= shown {
      advance(to: shown + 1)
      stop = nil
    }
    journal?.add("@end", "null")
    let held = ended == nil ? drain?.description ?? "" : ""
    let begun = ended == nil ? drain?.begun ?? "" : ""
    if reactor.isOver == false, ended != .fault { runLastInstant() }
    if ended == nil, let drain { note(held: held, begun: begun, incomplete: drain.incomplete) }
    if ended == nil || ended == .success || isInterrupted { takeSamples(through: reactor.now.nanoseconds) }
    if hasValues { sinks.writeLast { fault, output in report(fault, output) } }
    if journal == nil { recorder?.finish() }
    sinks.close()
    if let journal {
      journal.commit()
      journal.conclude(self)
    }
    complaints.summarize()
    signals?.stop()
    // What was made at the end was not shown, since it is not kept.
    if journal?.failure != nil { return .fault }
    if saysWhatWasNotWritten { return signals?.exitCode ?? .fault }
    if let ended, ended != .success { return ended }
    if let code = signals?.exitCode { return code }
    return complaints.faults + complaints.failedSinks > 0 || complaints.isAnyInputUnusable ? .fault : .success
  }

  /// Says why something could not be written; whether there was anything.
  var saysWhatWasNotWritten: Bool {
    if let error = recorder?.failure(), error != 0 {
      reporter.failure("cannot write the recording: \(SystemError(code: error).message)")
      if sinks.failure == nil { return true }
    }
    guard let failure = sinks.failure else { return false }
    reporter.failure(failure.message)
    return true
  }

  /// `end`, and what sinks have begun: their effects are waited for, until a second signal. What other calls would come to
  /// comes after the end.
  private func runLastInstant() {
    if let tasks, !isSimulated {
      tasks.follow(simulation)
      tasks.dropCalls()
    }
    reactor.runLastInstant()
    if isSimulated { happenAtEnd() } else { endSinks() }
    reactor.close()
  }

  // MARK: Time

  /// When the next sample is due; nil if nothing is sampled.
  var nextSample: Int64? {
    sinks.continuous.isEmpty || options.isFinal
      ? nil : sampleNumber.multipliedReportingOverflow(by: period).partialValue
  }

  /// Lets time pass up to and including `time`, with the samples before it. Samples at `time` itself wait for
  /// `takeSamples`, and what waits for the inputs of `time` goes on waiting: something may still happen then.
  func advance(to time: Int64) {
    while stop == nil, let sample = nextSample, sample < time { takeSample(at: sample) }
    run(to: time)
  }

  /// Runs what waits for the inputs of `time`: there are none.
  func closeTime(_ time: Int64) { run(to: time, isClosing: true) }

  /// Takes the samples that are due up to and including `time`.
  func takeSamples(through time: Int64) {
    while stop == nil, let sample = nextSample, sample <= time { takeSample(at: sample) }
  }

  private func takeSample(at time: Int64) {
    run(to: time, isClosing: true)
    if stop != nil { return }
    sample()
    shown = time
    sampleNumber += 1
    checkForStop()
  }

  private func sample() {
    sinks.sample { fault, output in
      report(fault, output)
      if options.isStrict { stop = stop ?? .fault }
    }
  }

  /// An output has no value when it is looked at.
  private func report(_ fault: Fault, _ output: Int) {
    let name = reactor.plan.outputs[output].name
    complaints.add(reactor.faultOfLook(fault, definition: name), sequel)
  }

  /// What becomes of the run behind a fault.
  private var sequel: FaultSequel {
    isEnding ? .isOver : options.isStrict ? .isStopped : isRecovering ? .isPast : .goesOn
  }

  private func run(to time: Int64, isClosing: Bool = false) {
    if let drain {
      while stop == nil, let due = reactor.nextDue?.nanoseconds, due <= time {
        drain.step(at: due) { runAll(to: due, isClosing: true) }
      }
    }
    runAll(to: time, isClosing: isClosing)
  }

  private func runAll(to time: Int64, isClosing: Bool) {
    isCatchingUp = true
    while stop == nil, reactor.advanceOnce(to: time, isClosing: isClosing) {
      checkForStop()
      if let tasks { hear(tasks, before: time) }
    }
    // What is followed without instants comes back here, too.
    if reactor.now.nanoseconds < time, isEndOverdue { checkForStop() }
    isCatchingUp = false
    if isClosing { closed = max(closed, time) }
  }

  /// Whether a signal has come that following has not let be heard: what is about to happen has a moment to do so. What a journal has taken
  /// happens.
  private var isEndOverdue: Bool { journal == nil && signals?.isOverdue == true }

  /// A run that is far behind the clock hears of the world on its way: a nanosecond after what has just happened.
  private func hear(_ tasks: HostTasks, before time: Int64) {
    let next = reactor.now.nanoseconds + 1
    guard !isSimulated, tasks.hasReports, drain == nil, next > closed, next < time,
      Int64(clock.now) - next > Self.farBehind
    else { return }
    while stop == nil, reactor.advanceOnce(to: next) { checkForStop() }
    if stop != nil { return }
    isCatchingUp = false
    checkForStop()
    isCatchingUp = true
  }

  private static let farBehind: Int64 = 10_000_000

  /// The present, which lies behind every time that is over.
  var present: Int64 { max(Int64(clock.now), closed + 1) }

  /// Whether what has come from outside may happen now.
  private var mayHear: Bool { isSimulated || !isCatchingUp && reactor.now.nanoseconds > closed }

  /// Notices what the host's tasks came to, signals, and readers that went away.
  func checkForStop() {
    if let tasks { goOn(with: tasks) }
    if stop == nil { sinks.showChanges() }
    if stop != nil { return }
    if let code = signals?.exitCode { stop = code }
    if sinks.isBroken { stop = .success }
  }

  /// Waits until a descriptor can be read or a signal comes; hands over what was written before it waits.
  func waitForInput(_ descriptor: Int32) {
    var waiting = [descriptor, signals?.descriptor ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    if poll(&waiting, 2, 0) == 0 {
      sinks.flush()
      reporter.console.err.flush()
      _ = poll(&waiting, 2, -1)
    }
    checkForStop()
  }

  /// Lets what the host's tasks came to happen. In simulated time they take none of it, so they are waited for. Once the run is to stop nothing
  /// more happens: it would be kept as taken, and not be shown.
  private func goOn(with tasks: HostTasks) {
    if isRecovering || stop != nil { return }
    repeat {
      tasks.follow(simulation)
      if !mayHear { return }
      if isSimulated { tasks.wait { signals?.exitCode != nil } }
      let recorder = recorder
      let wasBehind = isBehind
      let count = tasks.take(atMost: 1024, holdingSources: wasBehind) { task, text in
        // One of many values that came together; run again, each is a line of its own.
        recorder?.record(.item(.bytes(Array(text)[...])), task.id)
        tell(simulation.take(text: text, of: task.id), of: task)
        if recorder != nil { sinks.showChanges() }
        tasks.follow(simulation)
        return stop == nil && !isBehind
      } _: { task, report in
        happen(report, task)
        if recorder != nil { sinks.showChanges() }
        tasks.follow(simulation)
        return stop == nil && (wasBehind || !isBehind)
      }
      if count > 0 { drain?.tasksEnded() }
    } while isSimulated && !tasks.isIdle && stop == nil && signals?.exitCode == nil
  }

  /// One report, at the present time; what does not fit is told like a bad line.
  func happen(_ report: HostReport, _ task: HostTask) {
    recorder?.record(report, task.id)
    if journal != nil || isRecovering { numbered.note(report, task) }
    let report = journal?.withholding(report) ?? report
    let problem = report.happen(in: simulation, task.id)
    guard case .item = report else { return }
    tell(problem, of: task)
  }

  private func tell(_ problem: String?, of task: HostTask) {
    if let problem { skip(item: problem, of: task) } else { complaints.addGood(1, of: task.name) }
  }

  private var isSimulated: Bool { options.isSimulated }

  /// Whether inputs and sources wait for the sinks. Simulated time waits for nobody.
  var isBehind: Bool { !isSimulated && reactor.hasFullSinks }

  func end(with code: ExitCode) { stop = stop ?? code }

  /// Whether anything can still happen without an input.
  var isIdle: Bool { sinks.continuous.isEmpty && reactor.nextDue == nil }

  private func skip(item problem: String, of task: HostTask) {
    skip(BadLine(source: task.name, input: task.port, line: 0, column: 0, path: "", message: problem))
  }

  func skip(_ line: BadLine) {
    complaints.add(line, isPast: isRecovering)
    if options.isStrict { stop = stop ?? .fault }
  }
}
