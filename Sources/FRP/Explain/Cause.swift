// Why an output is what it is: the definitions behind it, with their present values.
//
// In:  a running simulation, and the name of an output, input or definition. Out: a tree, as the program's graph says.
// Rules: a definition that was met before is named once more, without what is behind it; so cycles end.

import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime

/// A definition with its present value, and what it depends on.
public struct Cause: Sendable, Hashable {
  /// As the program calls it.
  public var name: String
  /// What makes it: `fold`, `input`, `lift`.
  public var operation: String
  /// An event, or which kind of behavior.
  public var kind: DependencyGraph.Kind
  /// The present value as JSON; nil of events, and of what has none now.
  public var value: String?
  /// Whether only its past counts for what it is a cause of.
  public var looksAtPast: Bool
  /// Where it is written.
  public var span: Span
  /// What it depends on; empty where that stands elsewhere in the tree.
  public var causes: [Cause]

  /// The tree in lines, what is behind a definition below it: `label = "3 clicks"`, `└ count = 3`.
  public var text: String { lines(0).joined(separator: "\n") }

  private func lines(_ level: Int) -> [String] {
    let indent = level == 0 ? "" : String(repeating: "  ", count: level - 1) + "└ "
    let state = kind == .event ? " (event, \(operation))" : value.map { " = \($0)" } ?? " has no value"
    return [indent + name + state] + causes.flatMap { $0.lines(level + 1) }
  }
}

extension Simulation {
  /// Why an output, input or definition is what it is now. Throws `unknownPort` where there is none of this name. Cost:
  /// about linear in the program.
  public func explain(_ name: String) throws(SimulationError) -> Cause {
    let graph = program.graph
    let names = graph.definitions
    guard names.contains(name) else { throw .unknownPort(name: name, near: nearestNames(name, among: names).first) }
    var seen: Set<String> = []
    return cause(name, false, graph, &seen, depth: 0)
  }

  /// The same of an output behavior's handle.
  public func explain<Value>(_ output: BehaviorOutput<Value>) throws(SimulationError) -> Cause {
    try explain(output.name)
  }

  private static let deepestCause = 200

  private func cause(
    _ name: String, _ looksAtPast: Bool, _ graph: DependencyGraph, _ seen: inout Set<String>, depth: Int
  ) -> Cause {
    let own = graph.nodes.filter { $0.definition == name }
    let numbers = Set(own.map(\.id))
    let used = graph.edges.filter { numbers.contains($0.from) && !numbers.contains($0.to) }.map(\.from)
    let shown = own.last { $0.isOutput || $0.isInput } ?? own.last { used.contains($0.id) } ?? own[own.count - 1]
    var result = Cause(
      name: name, operation: shown.operation, kind: shown.kind, value: present(shown), looksAtPast: looksAtPast,
      span: shown.span, causes: [])
    if !seen.insert(name).inserted || depth >= Self.deepestCause { return result }
    var behind: [(name: String, looksAtPast: Bool)] = []
    for edge in graph.edges where numbers.contains(edge.to) && !numbers.contains(edge.from) {
      let other = graph.nodes[edge.from].definition
      if other.isEmpty { continue }
      if let known = behind.firstIndex(where: { $0.name == other }) {
        if !edge.looksAtPast { behind[known].looksAtPast = false }
      } else {
        behind.append((other, edge.looksAtPast))
      }
    }
    result.causes = behind.map { cause($0.name, $0.looksAtPast, graph, &seen, depth: depth + 1) }
    return result
  }

  private func present(_ node: DependencyGraph.Node) -> String? {
    if node.kind == .event || node.depth > 0 { return nil }
    // What is only another name stands behind the nodes of the core.
    let isNode = node.id < plan.core.nodes.count
    let other = isNode ? NodeID(node.id) : plan.core.outputs.first { $0.name == node.definition }?.node
    guard let id = other, case .success(let word)? = reactor.value(of: id) else { return nil }
    return json(word, as: plan.core.nodes[id.index].type)
  }
}
