// `frp graph FILE`: which definition uses which, as text, for other tools, or as a picture.

import FRP
import FRPBase

enum GraphCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    do {
      let format = format(invocation)
      let path = invocation.value("--output").flatMap { $0 == "-" ? nil : $0 }
      let isPicture = format == "svg" && path != nil
      let canvas = isPicture ? try Canvas(invocation, console) : nil
      let (program, rates) = try measured(invocation, console)
      let graph = program.graph
      let names = try names(of: graph, invocation, console)
      let notes = rates.mapValues { rate($0) }
      if let canvas {
        try canvas.show(svg: { GraphPicture(graph, of: names, notes: notes).svg }, characters: { _, _ in "" })
        return .success
      }
      let text =
        switch format {
        case "dot": graph.dot(of: names, notes: notes)
        case "mermaid": graph.mermaid(of: names, notes: notes)
        case "svg": GraphPicture(graph, of: names, notes: notes).svg
        case "json": json(graph, names, of: program, rates)
        default: lines(graph, names, notes)
        }
      return write(text, to: path, Reporter(invocation, console))
    } catch {
      return error.code
    }
  }

  private static func write(_ text: String, to path: String?, _ reporter: Reporter) -> ExitCode {
    guard let path else {
      reporter.console.out.write(text)
      return .success
    }
    do { try Files.write(text, to: path) } catch {
      reporter.failure("cannot write `\(path)`: \(error.message)")
      return .fault
    }
    return .success
  }

  /// The program, and where it runs how often a second each event occurred and each step changed.
  private static func measured(
    _ invocation: Invocation, _ console: Console
  ) throws(NoPicture) -> (program: Program, rates: [String: Double]) {
    let runs = ["--trace", "--in", "--for", "--until"].contains { invocation.has($0) }
    let reporter = Reporter(invocation, console)
    if !runs {
      let path = invocation.operands.first ?? "-"
      guard let program = ProgramFile.compile(path, reporter, surroundings: invocation.surroundings) else {
        throw NoPicture(code: .wrongUsage)
      }
      reporter.report(program.diagnostics.filter { $0.severity == .error }, program.sources)
      if program.hasErrors { throw NoPicture(code: .programHasErrors) }
      return (program, [:])
    }
    let measured = try MeasuredRun(invocation, console, operand: 0, optimisations: ProfileCommand.apart)
    var simulation: Simulation?
    let code = measured.run {
      $0.reactor.count()
      simulation = $0
    }
    guard let simulation, let profile = simulation.reactor.profile, code != .wrongUsage else {
      throw NoPicture(code: code)
    }
    guard simulation.now > 0 else {
      reporter.note("no time passes in this run, so nothing has a rate")
      return (measured.program, [:])
    }
    var rates: [String: Double] = [:]
    for definition in ProfileReport(simulation, profile, by: .steps).definitions {
      let kind = measured.program.graph.main(definition.name)?.kind
      if kind == .event || kind == .step {
        rates[definition.name] = Double(definition.row.shown) / simulation.now
      }
    }
    return (measured.program, rates)
  }

  /// Those that `--focus` leaves.
  private static func names(
    of graph: DependencyGraph, _ invocation: Invocation, _ console: Console
  ) throws(NoPicture) -> [String] {
    let names = graph.definitions
    guard let focus = invocation.value("--focus") else { return names }
    if names.contains(focus) { return graph.near(focus) }
    let problem = UsageProblem(
      message: "no event or behavior is called `\(focus)`", command: "graph",
      suggestion: nearestNames(focus, among: names).first.map { "--focus \($0)" })
    throw NoPicture(code: Usage.report(problem, console))
  }

  /// `2.5/s`.
  private static func rate(_ rate: Double) -> String {
    let digits = rate < 10 ? 100.0 : rate < 100 ? 10 : 1
    let rounded = (rate * digits).rounded() / digits
    if rounded == 0, rate > 0 { return "<0.01/s" }
    return SVG.number(rounded) + "/s"
  }

  /// What `--as` says, or the ending of the file.
  private static func format(_ invocation: Invocation) -> String {
    if let format = invocation.value("--as") { return format }
    let endings = ["svg": "svg", "png": "svg", "dot": "dot", "gv": "dot", "mmd": "mermaid", "json": "json"]
    let ending = invocation.value("--output")?.split(separator: ".").last.map(String.init)
    return ending.flatMap { endings[$0] } ?? "text"
  }

  /// A line for each definition: what it is, and what it uses.
  private static func lines(_ graph: DependencyGraph, _ names: [String], _ notes: [String: String]) -> String {
    let arrows = graph.arrows(among: names)
    let width = names.map(\.count).max() ?? 0
    let types = names.map { what(graph, $0) + (notes[$0].map { ", \($0)" } ?? "") }
    let typeWidth = min(32, types.map(\.count).max() ?? 0)
    var out = ""
    for (name, type) in zip(names, types) {
      let now = arrows.filter { $0.to == name && !$0.looksAtPast }.map(\.from)
      let before = arrows.filter { $0.to == name && $0.looksAtPast }.map { $0.from + " before" }
      var line = name + String(repeating: " ", count: width - name.count) + " : " + type
      let uses = (now + before).joined(separator: ", ")
      if !uses.isEmpty { line += String(repeating: " ", count: max(0, typeWidth - type.count)) + "  <- " + uses }
      out += line + "\n"
    }
    return out
  }

  private static func what(_ graph: DependencyGraph, _ name: String) -> String {
    guard let node = graph.main(name) else { return "" }
    let ends = graph.ends(of: name)
    let kind = node.kind == .event ? "" : ", \(node.kind.rawValue)"
    return node.type + kind + (ends.isInput ? ", input" : "") + (ends.isOutput ? ", output" : "")
  }

  private static func json(
    _ graph: DependencyGraph, _ names: [String], of program: Program, _ rates: [String: Double]
  ) -> String {
    let nodes = names.compactMap { name -> String? in
      guard let node = graph.main(name) else { return nil }
      let ends = graph.ends(of: name)
      let file = program.sources[node.span.file]
      let place = file.position(at: Int(node.span.start))
      return "    {\"name\":\(jsonString(name)),\"type\":\(jsonString(node.type)),\"kind\":\"\(node.kind.rawValue)\","
        + "\"operator\":\(jsonString(node.operation)),\"isInput\":\(ends.isInput),\"isOutput\":\(ends.isOutput),"
        + "\"file\":\(jsonString(file.name)),\"line\":\(place.line),\"column\":\(place.column)"
        + (rates[name].map { ",\"rate\":\($0)}" } ?? "}")
    }
    let edges = graph.arrows(among: names).map { arrow in
      "    {\"from\":\(jsonString(arrow.from)),\"to\":\(jsonString(arrow.to)),\"looksAtPast\":\(arrow.looksAtPast)}"
    }
    return "{\n  \"nodes\": [\n\(nodes.joined(separator: ",\n"))\n  ],\n  \"edges\": [\n"
      + "\(edges.joined(separator: ",\n"))\n  ]\n}\n"
  }
}
