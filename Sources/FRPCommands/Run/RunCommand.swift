// `frp run FILE`: compile, connect the ports, run.

import FRP
import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime
import FRPWorld
import Glibc

enum RunCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    run(invocation, console, as: invocation.command)
  }

  /// `command` is what was called.
  private static func run(_ invocation: Invocation, _ console: Console, as command: String) -> ExitCode {
    let reporter = Reporter(invocation, console)
    let path = invocation.operands.first ?? "-"
    var options: RunOptions
    do { options = try RunOptions(invocation) } catch { return Usage.report(error, console) }
    options.command = command
    guard var source = invocation.built?.source ?? ProgramFile.read(path, reporter) else { return .wrongUsage }
    do { try connect(options, in: &source) } catch { return Usage.report(error, console) }
    let program = invocation.surroundings.compile(source)
    let words = console.program.map { [$0] } ?? ["frp", "run", path] + invocation.givenFlags
    if let code = missing(program, options, words, reporter) { return code }
    return run(
      program, options, reporter, isInputTaken: path == "-", surroundings: invocation.surroundings)
  }

  /// The recording stands where `--trace` does.
  static func replay(_ invocation: Invocation, _ console: Console) -> ExitCode {
    var invocation = invocation
    invocation.command = "run"
    invocation.flags["--trace"] = [invocation.operands.removeLast()]
    return run(invocation, console, as: "replay")
  }

  /// What is said of a live run that lacks what its text names; nil if it lacks nothing. `words` are the command line so far.
  static func missing(
    _ program: Program, _ options: RunOptions, _ words: [String], _ reporter: Reporter
  ) -> ExitCode? {
    guard let world = options.world, !program.hasErrors else { return nil }
    let missing = world.missing(program)
    return missing.isEmpty ? nil : tell(missing, options, words, reporter)
  }

  /// Puts sources and sinks of the command line in the place of those in the text.
  static func connect(_ options: RunOptions, in source: inout Source) throws(UsageProblem) {
    for end in options.ends {
      guard let changed = source.binding(end.name, isInput: end.isInput, to: end.text) else {
        let (flag, what) = end.isInput ? ("--in", "input") : ("--out", "output with a definition")
        throw UsageProblem(
          message: "`\(flag) \(end.name)=…`: the program has no \(what) `\(end.name)`", command: options.command)
      }
      source = changed
    }
    // A file takes the place of a source or sink, too. Names that the program does not have are complained of later.
    for file in options.inputs { source = source.binding(file.name, isInput: true, to: nil) ?? source }
    for file in options.outputs { source = source.binding(file.name, isInput: false, to: nil) ?? source }
  }

  /// All that is known to be missing, and the line that grants it.
  private static func tell(
    _ missing: [WorldNeed], _ options: RunOptions, _ words: [String], _ reporter: Reporter
  ) -> ExitCode {
    reporter.failure("this program needs what was not granted:")
    for need in missing {
      // What stands in the place of the text's own source or sink has no line of it.
      let end = need.named.flatMap { named in options.ends.first { $0.text?.contains(named) == true } }
      let place = end.map { "\($0.isInput ? "--in" : "--out") \($0.name)" } ?? "line \(need.line)"
      reporter.failure("  \(need.words)" + (end == nil && need.line == 0 ? "" : "   (\(place))"))
    }
    reporter.failure("to grant it: \((words + missing.map(\.flag)).map(shellWord).joined(separator: " "))")
    return .wrongUsage
  }

  /// A word that a shell reads as it is.
  static func shellWord(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      byte >= 0x80 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        || "0123456789-_./:=,[]@%+".utf8.contains(byte)
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }

  /// Runs a compiled program. `isInputTaken`: the program itself was read from standard input. `prepare` gets the
  /// simulation before it starts; `surroundings` compile the text that a journal has kept.
  static func run(
    _ program: Program, _ options: RunOptions, _ reporter: Reporter, isInputTaken: Bool,
    surroundings: Surroundings = Surroundings(), prepare: (Simulation) -> Void = { _ in }
  ) -> ExitCode {
    reporter.report(program.diagnostics, program.sources)
    let verdict = reporter.exitCode(program.diagnostics)
    if verdict != .success { return verdict }
    if program.outputs.isEmpty {
      reporter.note("nothing to show: write `output` before a definition")
      return .success
    }
    do {
      try options.checkOverwriting(of: program.ownTexts.map(\.name))
      try options.checkWritingTwice()
      if let path = options.journal {
        return try JournaledRun(program, options, reporter, surroundings).run(path, isInputTaken: isInputTaken)
      }
      let trace = try openTrace(options, reporter.console)
      defer { if let trace, options.trace != "-" { close(trace) } }
      let recording = try recording(program, options, trace)
      var options = options
      if let seed = recording?.seed, options.seed == 0 { options.seed = seed }
      for (name, json) in recording?.settings ?? [] where !options.settings.contains(where: { $0.name == name }) {
        options.settings.append((name, json))
      }
      let program = options.isFinal ? program.showingLast(except: options.until) : program
      let simulation = try simulation(program, options, reporter)
      prepare(simulation)
      var sources = try connect(simulation, options, reporter, isInputTaken: isInputTaken)
      if !options.isSimulated { try takeWhatIsThere(simulation, reporter) }
      let runner = try Runner(program, simulation, options, reporter)
      runner.recording = recording
      if let path = options.record { runner.recorder = try Recorder(path, simulation) }
      let connected = Set(sources.map { simulation.reactor.plan.inputs[$0.port].name } + program.boundInputs)
      runner.startedWell = {
        // A line of a trace may set it yet.
        if trace != nil { return }
        let unset = program.unsetInputs { name in
          connected.contains(name) || options.settings.contains { $0.name == name }
        }
        reporter.report(unset, program.sources)
      }
      // Everything that the run itself needs is open.
      if options.isConfined { options.world?.confine(for: program) }
      if !options.times.isEmpty {
        runner.runTimed(&sources)
      } else {
        run(runner, &sources, trace)
      }
      tell(sources, runner)
      return runner.finish()
    } catch { return tell(error, options, reporter) }
  }

  /// Why there is no run.
  private static func tell(_ problem: PortProblem, _ options: RunOptions, _ reporter: Reporter) -> ExitCode {
    if let code = problem.code {
      reporter.failure(problem.message)
      return code
    }
    var usage = UsageProblem(message: problem.message, command: options.command)
    usage.suggestion = problem.suggestion
    return Usage.report(usage, reporter.console)
  }

  /// How many lines fitted, and what was missing in a file.
  static func tell(_ sources: [InputSource], _ runner: Runner) {
    for source in sources {
      if source.lines.lacksList { runner.complaints.add(listMissingAt: source.keys, of: source.name) }
      runner.complaints.addGood(source.good, of: source.name)
    }
  }

  private static func run(_ runner: Runner, _ sources: inout [InputSource], _ trace: Int32?) {
    let options = runner.options
    if let trace {
      runner.runTrace(trace, name: options.trace == "-" ? "standard input" : options.trace ?? "")
    } else if options.isVirtual {
      runner.start()
      runner.runSimulated(&sources)
    } else {
      runner.start(at: CivilMoment.present)
      runner.runLive(&sources)
    }
  }

  /// What a trace says of the world and of how the run began; nil where it is no file, or has neither.
  private static func recording(
    _ program: Program, _ options: RunOptions, _ trace: Int32?
  ) throws(PortProblem) -> Recording? {
    guard let trace, let path = options.trace else { return nil }
    let recording: Recording
    do {
      guard try Files.status(of: trace).isFile else { return nil }
      if program.worldUses.isEmpty, try !Recording.begins(trace) { return nil }
      let start = lseek(trace, 0, SEEK_CUR)
      recording = Recording(try Files.contents(of: trace))
      lseek(trace, start, SEEK_SET)
    } catch { throw PortProblem(message: "cannot read `\(path)`: \(error.message)") }
    if recording.beginsFromState {
      throw PortProblem(
        message: "`\(path)` begins from a state, without what led to it: `frp serve --recording \(path)` shows it")
    }
    return recording
  }

  /// The descriptor that `--trace` names, if it does.
  private static func openTrace(_ options: RunOptions, _ console: Console) throws(PortProblem) -> Int32? {
    guard let path = options.trace else { return nil }
    if path == "-" { return console.input }
    do { return try Files.open(path, O_RDONLY) } catch {
      throw PortProblem(message: "cannot read `\(path)`: \(error.message)")
    }
  }

  /// Start values that stand in files and in the environment.
  static func takeWhatIsThere(_ simulation: Simulation, _ reporter: Reporter) throws(PortProblem) {
    let sources: [HostTask]
    do throws(SimulationError) { sources = try simulation.sourcesThatAreThere() } catch { return }
    for task in sources {
      guard let name = task.port, let answer = FirstValue.of(task) else { continue }
      do throws(SimulationError) { try simulation.setStart(of: name, answer) } catch .unfit {
        // The run is brought it, too, and tells of it as of a bad line.
      } catch {
        throw PortProblem(message: "the source of `\(name)`: \(error.message)")
      }
    }
  }

  // MARK: Settings

  static func simulation(
    _ program: Program, _ options: RunOptions, _ reporter: Reporter
  ) throws(PortProblem) -> Simulation {
    var settings: [String: String] = [:]
    var files: [SettingFile] = []
    for (name, value) in options.settings {
      if let file = try SettingFile(name, value, program) {
        files.append(file)
      } else {
        settings[name] = program.settingJSON(name, value)
      }
    }
    do {
      let simulation = try Simulation(program, limits: options.limits, seed: options.seed, settings: settings)
      let complaints = Complaints(reporter, program)
      for file in files { try file.set(in: simulation, complaints) }
      return simulation
    } catch let error as SimulationError {
      throw problem(error, settings)
    } catch let error as PortProblem {
      throw error
    } catch {
      throw PortProblem(message: "the start values cannot be set")
    }
  }

  private static func problem(_ error: SimulationError, _ settings: [String: String]) -> PortProblem {
    switch error {
    case .unknownPort(let name, let near):
      return PortProblem(message: "the program has no input `\(name)`", suggestion: near.map { "--set \($0)=…" })
    case .hasNoStart(let name):
      return PortProblem(message: "`\(name)` is an event: --set gives start values of behaviors")
    case .unfit(let column, let path, let message):
      let place = path.isEmpty ? "column \(column)" : "column \(column), at \(path)"
      return PortProblem(message: "--set: \(message) (\(place))")
    default: return PortProblem(message: error.message)
    }
  }

  // MARK: Inputs

  /// Connects what the flags say; without any, the one input to standard input.
  static func connect(
    _ simulation: Simulation, _ options: RunOptions, _ reporter: Reporter, isInputTaken: Bool
  ) throws(PortProblem) -> [InputSource] {
    if options.trace != nil { return [] }
    let plan = simulation.reactor.plan
    let console = reporter.console
    var bindings = options.inputs
    let bound = simulation.program.boundInputs
    if bindings.isEmpty, plan.inputs.count == 1, !isInputTaken, let input = plan.inputs.first,
      !bound.contains(input.name), !options.disconnected.contains(input.name)
    {
      if options.isVirtual, console.inputIsTerminal { return [] }
      bindings.append(PortBinding(name: input.name, format: input.type == .string ? .lines : .jsonl, path: "-"))
      if console.inputIsTerminal { reporter.note("reading `\(input.name)` from the terminal, one a line; ^D ends it") }
    }
    var sources: [InputSource] = []
    for binding in bindings { sources.append(try InputSource(binding, plan, standardInput: console.input)) }
    try checkStandardInput(bindings, isInputTaken: isInputTaken)
    for (name, field) in options.times { try setTime(name, field, &sources, plan) }
    // By turns, in the order of the declarations.
    sources = sources.enumerated().sorted { ($0.element.port, $0.offset) < ($1.element.port, $1.offset) }.map(\.element)
    let idle = plan.inputs.indices.filter { index in
      plan.inputs[index].isEvent && !sources.contains { $0.port == index } && !bound.contains(plan.inputs[index].name)
        && !options.disconnected.contains(plan.inputs[index].name)
    }
    if !idle.isEmpty, !options.isVirtual {
      let names = idle.map { plan.inputs[$0].name }
      let all = names.map { "`\($0)`" }.joined(separator: ", ")
      reporter.note(
        "nothing is connected to \(all): use --in \(names[0])=jsonl:FILE (or csv:, lines:, json:) or --trace FILE")
    }
    return sources
  }

  /// The lines of an input say in a field when they happen (`ts/1000`: in milliseconds) or in several
  /// (`{day} {hour}`), those of text in what a pattern fits; dates may be written as `(dd/MM/yyyy)` behind it says.
  private static func setTime(
    _ name: String, _ text: String, _ sources: inout [InputSource], _ plan: Plan
  ) throws(PortProblem) {
    guard let port = plan.inputs.firstIndex(where: { $0.name == name }) else {
      throw PortProblem(unknown: "input", name, among: plan.inputs.map(\.name))
    }
    let own = sources.indices.filter { sources[$0].port == port }
    let (field, pattern) = EventTime.patterned(text)
    if own.isEmpty { throw PortProblem(message: "`--time \(name)=\(text)`: nothing is connected to `\(name)`") }
    for index in own {
      sources[index].datePattern = pattern
      if sources[index].isRaw {
        do { sources[index].timePattern = try TextPattern(field) } catch {
          throw PortProblem(message: "`--time \(name)=…`: \(error.text)")
        }
      }
      sources[index].timeField = field
      for fraction in EventTime.fractions where !sources[index].isRaw && field.hasSuffix("/\(fraction)") {
        sources[index].timeField = String(field.dropLast(String(fraction).count + 1))
        sources[index].timeFraction = fraction
      }
      if !sources[index].isRaw { sources[index].timeForm = TimeForm(sources[index].timeField ?? "") }
    }
  }

  /// Standard input can be read by one only: two would get parts of lines.
  private static func checkStandardInput(_ bindings: [PortBinding], isInputTaken: Bool) throws(PortProblem) {
    let readers = bindings.filter { $0.path == "-" }.map { "`\($0.name)`" }
    if let name = readers.first, isInputTaken {
      throw PortProblem(message: "\(name) cannot read standard input: the program itself is read from there")
    }
    if readers.count > 1 {
      throw PortProblem(message: "only one input can read standard input, not \(readers.joined(separator: " and "))")
    }
  }
}
