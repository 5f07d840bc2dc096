// Rounds of a program: each is a whole run in simulated time, from its start to its end, timed by the processor's clock.
//
// Rules
// - A first run counts what there is to do, and its messages are shown; it is not timed.
// - What a run shows is written as `frp run` would, and forgotten. Compiling and opening files come before the clock starts.

import FRP
import FRPBase
import FRPGraph
import FRPIO
import FRPRuntime
import Glibc

/// A program that is run again and again.
struct BenchSubject {
  let title: String
  private(set) var occurrences = 0
  private(set) var instants = 0
  /// Bytes of values and of what lives, at most.
  private(set) var mostBytes = 0
  private(set) var code: ExitCode
  private(set) var times: [Double] = []
  private(set) var instructions: [Double] = []
  /// One round; gives the simulation that ran, where there is just one.
  private let run: (_ isSilent: Bool, _ isCounting: Bool, _ begun: () -> Void) -> (Simulation?, ExitCode)
  private let counter: InstructionCounter?

  /// What there is to run: what the flags say, or the tests of the program.
  init(
    _ invocation: Invocation, _ console: Console, operand: Int, counter: InstructionCounter?
  ) throws(NoPicture) {
    title = invocation.operands[operand]
    self.counter = counter
    if let tests = try TestRounds(invocation, console, operand: operand) {
      run = { _, _, begun in
        begun()
        return (nil, tests.run())
      }
    } else {
      let counted = try MeasuredRun(invocation, console, operand: operand, optimisations: ProfileCommand.apart)
      let plain = try MeasuredRun(invocation, console, operand: operand)
      try plain.refuseWhatIsReadOnce(console, invocation)
      run = { isSilent, isCounting, begun in
        var simulation: Simulation?
        lseek(console.input, 0, SEEK_SET)
        let code = (isCounting ? counted : plain).run(isSilent: isSilent) {
          if isCounting { $0.reactor.count() }
          simulation = $0
          begun()
        }
        return (simulation, code)
      }
    }
    let (simulation, code) = run(false, true, {})
    self.code = code
    guard let simulation else { return }
    instants = simulation.reactor.instantCount
    let reactor = simulation.reactor
    for input in reactor.plan.inputs where input.entry >= 0 {
      occurrences += reactor.profile?.rows[0][Int(input.entry)].shown ?? 0
    }
  }

  /// One more round, timed.
  mutating func round() {
    var began = 0.0
    var count: Int64 = 0
    let (simulation, _) = run(true, false) {
      count = counter?.count ?? 0
      began = Self.processorTime()
    }
    times.append(Self.processorTime() - began)
    if let counter { instructions.append(Double(counter.count - count)) }
    guard let simulation else { return }
    let frames = simulation.reactor.liveBytes - simulation.reactor.heap.usedBytes
    mostBytes = max(mostBytes, simulation.reactor.heap.mostHeldBytes + frames)
  }

  /// Nanoseconds of this thread.
  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}

/// The tests of a program, for who names no inputs and no time.
private struct TestRounds {
  let tests: [TestBlock]
  let source: Source
  let surroundings: Surroundings

  /// Nil where there are none, or the flags say what to run.
  init?(_ invocation: Invocation, _ console: Console, operand: Int) throws(NoPicture) {
    let chosen = ["--trace", "--in", "--for", "--until", "--time"].contains { invocation.has($0) }
    let path = invocation.operands[operand]
    if chosen || path == "-" { return nil }
    let reporter = Reporter(invocation, console)
    guard let source = ProgramFile.read(path, reporter) else { throw NoPicture(code: .wrongUsage) }
    let tests = TestBlock.all(in: source)
    if tests.isEmpty { return nil }
    let program = invocation.surroundings.compile(source)
    if program.hasErrors {
      reporter.report(program.diagnostics, program.sources)
      throw NoPicture(code: .programHasErrors)
    }
    (self.tests, self.source, surroundings) = (tests, source, invocation.surroundings)
    let count = tests.count == 1 ? "its test" : "its \(tests.count) tests"
    reporter.note("`\(path)`: \(count), compiled and run; --trace, --in or --for measure a run alone")
  }

  func run() -> ExitCode {
    let failed = tests.filter { test in
      !test.run(in: source, modules: surroundings.modules, host: surroundings.modules(for: source)).passed
    }
    return failed.isEmpty ? .success : .programHasErrors
  }
}
