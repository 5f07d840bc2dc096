// A program and a trace -> checked, and run under limits. Where the engine met no limit the model must say the same.

import FRP
import FRPBase
import FRPCore
import FRPDifferential
import FRPGraph
import FRPModel
import FRPRuntime

enum ProgramFuzz {
  /// Small, so that a run is short; every one of them can be met.
  static var limits: Limits {
    var limits = Limits()
    limits.stepsPerInstant = 100_000
    limits.heapBytes = 16 << 20
    limits.stackWords = 1 << 16
    limits.liveNodes = 10_000
    limits.occurrencesPerInstant = 10_000
    return limits
  }

  /// Instants of a run: programs may have timers for ever.
  static let instants = 400

  static func problem(_ bytes: [UInt8]) -> String? {
    let (source, trace) = parts(bytes)
    // All that says something about it: types, diagnostics, the plan.
    let program = Program(Source(name: "a.frp", bytes: Array(source.utf8)))
    let words = renderText(program.diagnostics, sources: program.sources)
    if program.hasErrors {
      return program.diagnostics.contains { [.circularDefinition, .unordered].contains($0.code) } ? words : nil
    }
    let lines = TraceLine.parse(trace) ?? []
    do {
      let simulation = try Simulation(program, limits: limits)
      let isQuiet = run(simulation, lines)
      if !isQuiet { return nil }
    } catch { return nil }
    guard let core = Compiled(source).core else { return "it compiles in one way only" }
    if core.nodes.contains(where: \.isContinuous) { return nil }
    return Differential.difference(core, lines)
  }

  static func growth(_ bytes: [UInt8]) -> String? {
    let text = Growth.program(choices: bytes)
    return Growth.problem(text).map { "\($0)\n\(text)" }
  }

  static func generated(_ bytes: [UInt8]) -> String? {
    generated(Generator.program(choices: bytes), turn: bytes.count)
      ?? generated(Nestings.program(choices: bytes), turn: bytes.count)
  }

  private static func generated(_ program: GeneratedProgram, turn: Int) -> String? {
    let compiled = Compiled(program.source)
    guard compiled.core != nil else { return "does not compile: \(compiled.problems)\n\(program.source)" }
    // The model has no limits, and remembers all that ever was.
    let lines = TraceLine.parse(program.traceText) ?? []
    guard
      let simulation = try? Simulation(Program(Source(name: "a.frp", text: program.source)), limits: limits),
      run(simulation, lines)
    else { return nil }
    return Differential.check(program, turn: turn).map { "\($0)\n\(program.source)---\n\(program.traceText)" }
  }

  /// Source and trace, around a line of `---`.
  static func parts(_ bytes: [UInt8]) -> (source: String, trace: String) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let cut = text.firstRange(of: "\n---\n") else { return (text, "") }
    return (String(text[..<cut.lowerBound]) + "\n", String(text[cut.upperBound...]))
  }

  /// Whether the run was over soon, and no limit was met.
  private static func run(_ simulation: Simulation, _ lines: [TraceLine]) -> Bool {
    simulation.start()
    var left = instants
    for line in lines.prefix(50) {
      let time = Int64(line.nanoseconds)
      if time < simulation.reactor.now.nanoseconds { return false }
      if !advance(simulation.reactor, to: time, &left) { return false }
      try? simulation.send(line.values.map { ($0.name, $0.value.text) })
    }
    for output in simulation.program.outputs { _ = try? simulation.value(of: output.name) }
    // The differential run takes samples.
    if let last = lines.last, last.nanoseconds > 100_000_000_000 { return false }
    let isQuiet =
      lines.count <= 50 && !simulation.faults.contains { $0.code == .endlessInstant || $0.code == .limitReached }
    simulation.finish()
    return isQuiet && isSorted(lines)
  }

  private static func isSorted(_ lines: [TraceLine]) -> Bool {
    zip(lines, lines.dropFirst()).allSatisfy { $0.nanoseconds <= $1.nanoseconds }
  }

  /// Whether the time was reached within the instants that are left.
  static func advance(_ reactor: Reactor, to time: Int64, _ left: inout Int) -> Bool {
    while !reactor.isOver, reactor.advanceOnce(to: time) {
      left -= 1
      if left <= 0 { return false }
    }
    return true
  }
}
