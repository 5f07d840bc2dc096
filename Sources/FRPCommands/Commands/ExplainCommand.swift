// `frp explain CODE`: the page of a diagnostic code, with what the compiler says about its wrong program.

import FRP
import FRPBase
import FRPRuntime

enum ExplainCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    if invocation.has("--all") { return gallery(invocation, console) }
    guard let code = invocation.operands.first else {
      for page in ExplainPage.all { console.out.writeLine("\(page.code)  \(page.title)") }
      return .success
    }
    guard let page = ExplainPage.find(code) else {
      return Usage.report(
        UsageProblem(
          message: "there is no code `\(code)`; `frp explain` lists them all", command: "explain",
          suggestion: nearestNames(code.uppercased(), among: DiagnosticCode.allCases.map(\.rawValue)).first), console)
    }
    console.out.write(page.text(message: message(of: page)))
    return .success
  }

  /// All pages: as text, or as a page of HTML.
  private static func gallery(_ invocation: Invocation, _ console: Console) -> ExitCode {
    if let code = invocation.operands.first {
      return Usage.report(
        UsageProblem(message: "`--all` explains every code: leave out `\(code)`", command: "explain"), console)
    }
    guard let path = invocation.value("--output") else {
      console.out.write(ErrorGallery.text())
      return .success
    }
    if path == "-" {
      console.out.write(ErrorGallery.document(invocation.surroundings))
      return .success
    }
    do {
      // Said before anything is made.
      try Files.write("", to: path)
      try Files.write(ErrorGallery.document(invocation.surroundings), to: path)
    } catch {
      Reporter(invocation, console).failure("cannot write `\(path)`: \(error.message)")
      return .fault
    }
    return .success
  }

  /// What the compiler says about the wrong program of a page, or what happens when it runs.
  static func message(of page: ExplainPage) -> String {
    if page.isSketch { return "" }
    let program = Program(Source(name: "wrong.frp", text: page.wrong))
    let diagnostics =
      page.code == .unsetInput
      ? program.unsetInputs { _ in false }
      : program.hasErrors || !page.code.isOfARun ? program.diagnostics : faults(of: program, page.trace)
    let style = DiagnosticStyle(showsMore: false)
    return renderText(diagnostics.filter { $0.code == page.code }, sources: program.sources, style: style)
  }

  /// Runs a program on a trace.
  private static func faults(of program: Program, _ trace: String) -> [Diagnostic] {
    guard let simulation = try? Simulation(program) else { return [] }
    simulation.start()
    let entry = Codec.TraceLine(simulation.reactor.heap)
    for line in trace.split(separator: "\n") {
      let bytes = Array(line.utf8)
      let isRead = bytes.withUnsafeBufferPointer { buffer in
        (try? simulation.codec.decodeTrace(buffer, simulation.ports, into: entry)) ?? false
      }
      guard isRead else { continue }
      simulation.reactor.advance(to: Clock.nanoseconds(entry.time ?? 0))
      simulation.reactor.send(entry)
    }
    return simulation.faults
  }
}
