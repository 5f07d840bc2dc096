// `frp profile FILE`: where the time and the memory of a program go, by definition.
//
// In: a program and the flags of `run`. Out: a table, or JSON, or a flame graph.
// Rules
// - The program runs in simulated time. What it shows is made as ever and not written.
// - Its plan keeps apart what `run` would join (chains of definitions, an input and the one entry that it makes run), so that
//   each definition has what is its own. The whole takes longer than it would: `frp bench` says how long that is.

import FRP
import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime
import Glibc

enum ProfileCommand {
  /// What joins definitions, or runs them where nobody counts.
  static let apart: Optimisations = .all.subtracting([
    .fusedLifts, .fusedEvents, .directGroups, .directInputs, .regions,
  ])

  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    do {
      let measured = try MeasuredRun(invocation, console, operand: 0, optimisations: apart)
      let canvas = try invocation.has("--output") ? Canvas(invocation, console) : nil
      var simulation: Simulation?
      let code = measured.run {
        $0.reactor.count()
        simulation = $0
      }
      guard let simulation, let profile = simulation.reactor.profile, code != .wrongUsage else { return code }
      let measure = invocation.value("--by").flatMap(ProfileReport.Measure.init) ?? .time
      let report = ProfileReport(simulation, profile, by: measure)
      if report.definitions.isEmpty {
        reporter.failure("nothing ran: no input occurred and no time passed; --trace FILE or --for 10s lets it")
        return .fault
      }
      if let canvas {
        try canvas.show(svg: { report.flame.svg }, characters: { _, _ in "" })
      } else if invocation.has("--json") {
        console.out.write(report.json)
      } else {
        console.out.write(report.text)
        say(report, reporter)
      }
      return code
    } catch {
      return error.code
    }
  }

  private static func say(_ report: ProfileReport, _ reporter: Reporter) {
    let whole = report.measure.text(report.total)
    reporter.note(
      "\(report.instants) instants, \(whole) in definitions; reading inputs and writing outputs come on top")
  }
}

/// A program that is run to be measured, with the flags of `run`.
struct MeasuredRun {
  let path: String
  let program: Program
  let options: RunOptions
  private let reporter: Reporter

  /// Says what is wrong before anything runs. `operand` is the place of the program's file.
  init(
    _ invocation: Invocation, _ console: Console, operand: Int, optimisations: Optimisations = .all
  ) throws(NoPicture) {
    let reporter = Reporter(invocation, console)
    path = invocation.operands[operand]
    self.reporter = reporter
    var options = try Self.options(invocation, console)
    guard var source = ProgramFile.read(path, reporter) else { throw NoPicture(code: .wrongUsage) }
    do { try RunCommand.connect(options, in: &source) } catch {
      throw NoPicture(code: Usage.report(error, console))
    }
    program = invocation.surroundings.compile(source, optimisations: optimisations)
    if program.hasErrors {
      reporter.report(program.diagnostics, program.sources)
      throw NoPicture(code: .programHasErrors)
    }
    if program.outputs.isEmpty {
      reporter.failure("`\(path)` shows nothing, so nothing of it runs: write `output` before a definition")
      throw NoPicture(code: .wrongUsage)
    }
    if options.end == nil, options.until == nil, !Self.ends(program, options, console) {
      throw NoPicture(
        code: Usage.report(
          UsageProblem(
            message: "nothing comes in that ends, so `\(path)` would run for ever: say how long with --for 10s",
            command: invocation.command), console))
    }
    if options.sample == nil { options.isQuiet = true }
    self.options = options
  }

  private static func options(_ invocation: Invocation, _ console: Console) throws(NoPicture) -> RunOptions {
    do {
      var options = try RunOptions(invocation)
      options.isVirtual = true
      options.outputs = []
      (options.world, options.isConfined) = (nil, false)
      return options
    } catch {
      throw NoPicture(code: Usage.report(error, console))
    }
  }

  /// Whether something is connected that will have ended, or nothing can happen after the start.
  private static func ends(_ program: Program, _ options: RunOptions, _ console: Console) -> Bool {
    if options.trace != nil || !options.inputs.isEmpty { return true }
    return program.inputs.count == 1 && program.boundInputs.isEmpty && !console.inputIsTerminal
  }

  /// Whether standard input is read.
  private var readsStandardInput: Bool {
    path == "-" || options.trace == "-" || options.inputs.contains { $0.path == "-" }
      || options.trace == nil && options.inputs.isEmpty && program.inputs.count == 1 && program.boundInputs.isEmpty
  }

  /// A run that is made again and again reads its input each time.
  func refuseWhatIsReadOnce(_ console: Console, _ invocation: Invocation) throws(NoPicture) {
    if !readsStandardInput || path != "-" && lseek(console.input, 0, SEEK_CUR) >= 0 { return }
    throw NoPicture(
      code: Usage.report(
        UsageProblem(
          message: "standard input can be read once, and a program runs many times here: name a file",
          command: invocation.command), console))
  }

  /// A run whose outputs nobody sees, and whose messages if `isSilent`; `prepare` gets it before it starts.
  func run(isSilent: Bool = false, _ prepare: (Simulation) -> Void) -> ExitCode {
    var console = reporter.console
    console.out = Writer(discarding: ())
    if isSilent { console.err = Writer(discarding: ()) }
    return RunCommand.run(
      program, options, reporter.writing(to: console), isInputTaken: path == "-", prepare: prepare)
  }
}
