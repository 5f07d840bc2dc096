// `frp graph FILE`: which definition uses which, as text, for other tools, or as a picture.

import FRP
import FRPBase

enum GraphCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    let path = invocation.operands.first ?? "-"
    guard let program = ProgramFile.compile(path, reporter, surroundings: invocation.surroundings) else {
      return .wrongUsage
    }
    reporter.report(program.diagnostics.filter { $0.severity == .error }, program.sources)
    if program.hasErrors { return .programHasErrors }
    let graph = program.graph
    var names = graph.definitions
    if let focus = invocation.value("--focus") {
      guard names.contains(focus) else {
        return Usage.report(
          UsageProblem(
            message: "no event or behavior is called `\(focus)`", command: "graph",
            suggestion: nearestNames(focus, among: names).first.map { "--focus \($0)" }), console)
      }
      names = graph.near(focus)
    }
    let text =
      switch format(invocation) {
      case "dot": graph.dot(of: names)
      case "mermaid": graph.mermaid(of: names)
      case "svg": GraphPicture(graph, of: names).svg
      case "json": json(graph, names, of: program)
      default: lines(graph, names)
      }
    guard let file = invocation.value("--output"), file != "-" else {
      console.out.write(text)
      return .success
    }
    do { try Files.write(text, to: file) } catch {
      reporter.failure("cannot write `\(file)`: \(error.message)")
      return .fault
    }
    return .success
  }

  /// What `--as` says, or the ending of the file.
  private static func format(_ invocation: Invocation) -> String {
    if let format = invocation.value("--as") { return format }
    let endings = ["svg": "svg", "dot": "dot", "gv": "dot", "mmd": "mermaid", "json": "json"]
    let ending = invocation.value("--output")?.split(separator: ".").last.map(String.init)
    return ending.flatMap { endings[$0] } ?? "text"
  }

  /// A line for each definition: what it is, and what it uses.
  private static func lines(_ graph: DependencyGraph, _ names: [String]) -> String {
    let arrows = graph.arrows(among: names)
    let width = names.map(\.count).max() ?? 0
    let types = names.map { what(graph, $0) }
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

  private static func json(_ graph: DependencyGraph, _ names: [String], of program: Program) -> String {
    let nodes = names.compactMap { name -> String? in
      guard let node = graph.main(name) else { return nil }
      let ends = graph.ends(of: name)
      let file = program.sources[node.span.file]
      let place = file.position(at: Int(node.span.start))
      return "    {\"name\":\(jsonString(name)),\"type\":\(jsonString(node.type)),\"kind\":\"\(node.kind.rawValue)\","
        + "\"operator\":\(jsonString(node.operation)),\"isInput\":\(ends.isInput),\"isOutput\":\(ends.isOutput),"
        + "\"file\":\(jsonString(file.name)),\"line\":\(place.line),\"column\":\(place.column)}"
    }
    let edges = graph.arrows(among: names).map { arrow in
      "    {\"from\":\(jsonString(arrow.from)),\"to\":\(jsonString(arrow.to)),\"looksAtPast\":\(arrow.looksAtPast)}"
    }
    return "{\n  \"nodes\": [\n\(nodes.joined(separator: ",\n"))\n  ],\n  \"edges\": [\n"
      + "\(edges.joined(separator: ",\n"))\n  ]\n}\n"
  }
}
