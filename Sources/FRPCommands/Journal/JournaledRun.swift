// `frp run FILE --journal DIR`: begins a run, goes on with one, or lets another text take over what one has remembered.
//
// Rules
// - Another text first becomes what the run goes on as: the old text lives through what the journal has, so that every output that
//   belongs to it is made by it; then the new text and the state it has taken over are one transaction; then the new text runs.
// - So does a text whose outputs are to go elsewhere, or are sampled otherwise: what was made until then goes where it went, as it was.

import FRP
import FRPBase
import FRPIO
import FRPRuntime
import FRPWorld

struct JournaledRun {
  private let program: Program
  private var options: RunOptions
  private let reporter: Reporter
  private let surroundings: Surroundings

  init(_ program: Program, _ options: RunOptions, _ reporter: Reporter, _ surroundings: Surroundings) {
    (self.program, self.options, self.reporter, self.surroundings) = (program, options, reporter, surroundings)
  }

  func run(_ path: String, isInputTaken: Bool) throws(PortProblem) -> ExitCode {
    let journal = try Journal(path)
    if journal.store.missing > 0 {
      let (last, count) = (journal.store.last, journal.store.missing)
      reporter.note(
        "the journal in \(path) was cut off: it ends with batch \(last), and \(last + count) were written. "
          + "The run goes on from what is there")
    }
    // Who connects waits until all that is served is there.
    options.world?.hold()
    guard var kept = journal.kept else {
      if journal.store.wasThere { reporter.note("the journal in \(path) has nothing in it: the run begins anew") }
      return try begin(journal, isInputTaken: isInputTaken)
    }
    var going = self
    going.options.seed = kept.field("seed").flatMap(UInt64.init) ?? 0
    going.options.begunWith = kept.field("begun") ?? kept.field("set")
    try tellWhatCountsNoMore(going.options)
    if kept.isOf(program) {
      if let former = going.formerOptions(kept) {
        switch try going.move(journal, kept, former) {
        case .done(let next): kept = next
        case .over: going.options = former
        case .ended(let code): return code
        }
      }
      return try going.goOn(journal, kept, isInputTaken: isInputTaken)
    }
    let old = kept.compile(surroundings)
    if old.hasErrors {
      throw PortProblem(
        message: "the text that the journal \(path) is of cannot be read by this version of frp",
        code: .programHasErrors)
    }
    switch try going.upgrade(journal, kept, old) {
    case .done(let next): kept = next
    case .anew: return try begin(journal, isInputTaken: isInputTaken)
    case .ended(let code): return code
    }
    return try going.goOn(journal, kept, isInputTaken: isInputTaken)
  }

  /// What the command line says again and is not what the run began with.
  private func tellWhatCountsNoMore(_ begun: RunOptions) throws(PortProblem) {
    var words = options.hasSeed && options.seed != begun.seed ? ["--seed \(options.seed)"] : []
    if !options.settings.isEmpty {
      let given = Recorder.run(try RunCommand.simulation(program, options, reporter), seed: 0)
      let set = begun.begunWith.flatMap(JSONParts.object) ?? []
      let now = JSONParts.object(given)?.first { $0.name == "set" }.flatMap { JSONParts.object($0.json) } ?? []
      for (name, json) in now where !set.contains(where: { $0 == (name, json) }) { words.append("--set \(name)=…") }
    }
    if words.isEmpty { return }
    let seed = options.hasSeed && options.seed != begun.seed ? ", with the seed \(begun.seed)" : ""
    reporter.note(
      "the run goes on as it began\(seed): \(words.joined(separator: " and ")) would count at the beginning only. "
        + "To begin another run, name another directory with --journal")
  }

  // MARK: Beginning

  private func begin(_ journal: Journal, isInputTaken: Bool) throws(PortProblem) -> ExitCode {
    let simulation = try RunCommand.simulation(program, options, reporter)
    var sources = try RunCommand.connect(simulation, options, reporter, isInputTaken: isInputTaken)
    try RunCommand.takeWhatIsThere(simulation, reporter)
    let runner = try Runner(program, simulation, options, reporter)
    confine(journal)
    try runner.begin(journal, at: CivilMoment.present)
    return live(runner, &sources)
  }

  private func confine(_ journal: Journal) {
    if options.isConfined { options.world?.confine(for: program, writing: [journal.path]) }
  }

  private func live(_ runner: Runner, _ sources: inout [InputSource]) -> ExitCode {
    runner.runLive(&sources)
    RunCommand.tell(sources, runner)
    return runner.finish()
  }

  // MARK: Going on

  private func goOn(_ journal: Journal, _ kept: JournalState, isInputTaken: Bool) throws(PortProblem) -> ExitCode {
    let simulation = try simulation(program, options, kept)
    var sources = try RunCommand.connect(simulation, options, reporter, isInputTaken: isInputTaken)
    let runner = try Runner(program, simulation, options, reporter, former: kept.outputs)
    let hasEnded = try runner.recover(journal, from: kept)
    if let code = runner.interruption {
      runner.giveUp()
      return code
    }
    confine(journal)
    if hasEnded {
      runner.service?.ready()
      reporter.note("the run in \(journal.path) has ended at \(Recorder.seconds(runner.reactor.now.nanoseconds)) s")
      let code = runner.finish()
      journal.conclude(runner)
      return journal.failure == nil ? code : .fault
    }
    do throws(PortProblem) { try runner.passOver(&sources) } catch {
      runner.giveUp()
      throw error
    }
    runner.goOn(journal, elapsing: options.elapses)
    return live(runner, &sources)
  }

  /// A simulation with what was kept of it.
  private func simulation(
    _ program: Program, _ options: RunOptions, _ kept: JournalState
  ) throws(PortProblem) -> Simulation {
    var options = options
    options.seed = kept.field("seed").flatMap(UInt64.init) ?? 0
    options.settings = (kept.field("set").flatMap(JSONParts.object) ?? []).map { ($0.name, $0.json) }
    let simulation = try RunCommand.simulation(program, options, reporter)
    simulation.name = kept.field("name").flatMap(JSONParts.string)
    guard let state = kept.state else { return simulation }
    do throws(SimulationError) { try simulation.restore(Snapshot(bytes: state)) } catch {
      throw PortProblem(message: "the state in the journal: \(error.message)", code: .programHasErrors)
    }
    return simulation
  }

  // MARK: Outputs that go elsewhere

  /// As the process before had them go; nil where they go there still, or where a journal of an older version does not say it.
  private func formerOptions(_ kept: JournalState) -> RunOptions? {
    guard let former = kept.field("ways").flatMap(options.going), former.ways != options.ways else { return nil }
    return former
  }

  private enum Move {
    /// What the run goes on from.
    case done(JournalState)
    /// The run is over already: nothing more comes, and what came goes where it went.
    case over
    /// A signal came, or something could not be written.
    case ended(ExitCode)
  }

  /// Lets what the journal has go where it went, and keeps a state of then, whose outputs go where they are to now.
  private func move(
    _ journal: Journal, _ kept: JournalState, _ former: RunOptions
  ) throws(PortProblem) -> Move {
    var next = kept
    if kept.batch == journal.store.last {
      next.set("ways", options.ways)
      let number = kept.field("sample").flatMap(Int64.init) ?? 0
      let last = number > 0 ? (number - 1) &* Int64(former.samplePeriod) : nil
      let now = kept.state.flatMap { try? Snapshot(bytes: $0) }.map { Clock.nanoseconds($0.time) } ?? 0
      next.set(
        "sample", "\(RunOptions.sampleNumber(every: Int64(options.samplePeriod), after: last, at: now))")
    } else {
      var quiet = former
      (quiet.inputs, quiet.isQuiet) = ([], true)
      let runner = try Runner(program, try simulation(program, quiet, kept), quiet, reporter, former: kept.outputs)
      defer { runner.giveUp() }
      let hasEnded = try runner.recover(journal, from: kept)
      if let signal = runner.interruption { return .ended(signal) }
      if hasEnded || runner.stop != nil || runner.reactor.isOver { return .over }
      runner.numbered.forgetEnded(runner.simulation.tasks)
      if let code = try handOver(runner, journal) { return .ended(code) }
      next = JournalState(texts: program.ownTexts, state: nil, run: runner.journalled(going: options))
      do throws(SimulationError) { next.state = try runner.simulation.snapshot().bytes } catch {
        throw PortProblem(
          message: "outputs cannot go elsewhere, or be sampled otherwise, than before, since no state can be kept: "
            + error.message, code: .wrongUsage)
      }
      if let code = runner.signals?.exitCode { return .ended(code) }
    }
    forgetFiles(&next, since: kept)
    try OutputSinks.check(try simulation(program, options, next), options, next.outputs)
    try journal.keep(next)
    next.batch = journal.store.last
    return .done(next)
  }

  /// Files to which nothing led last, and which were removed since, begin anew: all that was written there had been written, so nothing of it is
  /// made again.
  private func forgetFiles(_ next: inout JournalState, since kept: JournalState) {
    let last = (formerOptions(kept) ?? options).outputs.map(\.path)
    var outputs = next.outputs
    for path in options.outputs.map(\.path) {
      if !last.contains(where: { $0 == path || Files.leadToOne($0, path) }) { outputs.forgetIfGone(path) }
    }
    next.set("outputs", Recorder.numbers(outputs.positions))
  }

  /// What was made is handed over, and on the disk; else the code to end with.
  private func handOver(_ runner: Runner, _ journal: Journal) throws(PortProblem) -> ExitCode? {
    runner.sinks.flush()
    journal.conclude(runner)
    if journal.failure != nil { return .fault }
    // What could not be written, the next one would take for written.
    if runner.sinks.isBroken { return runner.saysWhatWasNotWritten ? .fault : .success }
    do throws(IOError) { try runner.sinks.synchronize() } catch { throw PortProblem(message: error.message) }
    return nil
  }

  // MARK: Another text

  private enum Upgrade {
    /// What the new text goes on from.
    case done(JournalState)
    /// The old text's run ended at its start, and has done nothing: there is nothing to go on from.
    case anew
    /// Nobody has said that it may, or a signal came.
    case ended(ExitCode)
  }

  private func upgrade(_ journal: Journal, _ kept: JournalState, _ old: Program) throws(PortProblem) -> Upgrade {
    let former = formerOptions(of: old, journal, kept)
    let runner = try Runner(old, try simulation(old, former, kept), former, reporter, former: kept.outputs)
    defer { runner.giveUp() }
    let hasEnded = try runner.recover(journal, from: kept)
    if let code = runner.interruption { return .ended(code) }
    // A run that `--until` or `--strict` ended in its first instant has shown something: only where that was undone is it over here.
    if kept.state == nil, !runner.hasValues, runner.reactor.isOver {
      reporter.note("the run in \(journal.path) ended at its start, and has done nothing")
      guard options.upgrades else {
        reporter.failure("to begin with the changed program: the same with --upgrade")
        return .ended(.wrongUsage)
      }
      return .anew
    }
    if hasEnded {
      throw PortProblem(
        message: "the run in \(journal.path) has ended: another text cannot go on with it", code: .wrongUsage)
    }
    runner.numbered.forgetEnded(runner.simulation.tasks)
    let before = runner.simulation.stepValues
    let report: ReloadReport
    do throws(SimulationError) { report = try runner.simulation.replaceProgram(with: program) } catch {
      throw PortProblem(
        message: "the changed program cannot go on with what the journal has: \(error.message)", code: .wrongUsage)
    }
    let words = report.text.isEmpty ? "nothing that is remembered is concerned" : report.text
    reporter.note("the program has changed since the journal was written: \(words)")
    if !options.upgrades {
      reporter.failure("to go on with the changed program: the same with --upgrade")
      return .ended(.wrongUsage)
    }
    if let code = try handOver(runner, journal) { return .ended(code) }
    runner.forgetUnserved(program)
    var next = JournalState(texts: program.ownTexts, state: nil, run: runner.journalled(going: options))
    do throws(SimulationError) {
      let takeover = try runner.simulation.takeover(since: before)
      next.state = takeover.state.bytes
      let shown = takeover.shown.map { "{\(jsonString($0.name)):\($0.json)}" }.joined(separator: ",")
      next.run = next.run.dropLast() + ",\"shownAtOnce\":[\(shown)]}"
    } catch { throw Self.notKept(error.message) }
    // What could not be read again must not take the place of what can.
    let trial: Simulation
    do throws(PortProblem) { trial = try simulation(program, options, next) } catch {
      throw Self.notKept(error.message)
    }
    forgetFiles(&next, since: kept)
    try OutputSinks.check(trial, options, next.outputs)
    do throws(PortProblem) { try journal.keep(next) } catch { throw Self.notKept(error.message) }
    if let code = runner.signals?.exitCode { return .ended(code) }
    next.batch = journal.store.last
    return .done(next)
  }

  /// How the old text goes through what the journal has: it writes where it wrote.
  private func formerOptions(of old: Program, _ journal: Journal, _ kept: JournalState) -> RunOptions {
    var former = formerOptions(kept) ?? options
    (former.inputs, former.isQuiet) = ([], true)
    former.outputs.removeAll { binding in !old.outputs.contains { $0.name == binding.name } }
    // Where all of it was written, its files need not be there any more.
    let showsMore = kept.field("shownAtOnce") ?? "[]" != "[]"
    if kept.state != nil, kept.batch == journal.store.last, !showsMore { former.outputs = [] }
    return former
  }

  private static func notKept(_ reason: String) -> PortProblem {
    PortProblem(message: "the state of the changed program cannot be kept: \(reason)", code: .wrongUsage)
  }
}

extension JournalState {
  /// Whether this is of a program's very text.
  func isOf(_ program: Program) -> Bool {
    let own = program.ownTexts
    return own.count == texts.count && zip(own, texts).allSatisfy { $0.name == $1.name && $0.bytes == $1.bytes }
  }
}
