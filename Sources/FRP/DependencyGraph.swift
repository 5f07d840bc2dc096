// What of a program depends on what: for tools that draw it, and for hosts that want to know what an input moves.
//
// In:  the core of a checked program. Out: a node for each event and behavior, with its definition and place, and edges.
// Rules
// - An edge goes from what is used to what uses it. It looks at the past where the value just before an instant counts
//   (an event operator that reads a behavior), or the value of a scope's start: no cycle is without such an edge.
// - An output that is only another name (`output y = x`) has a node of its own behind those of the core, which uses the other.
// - What lies in a scope (`switch`, `keyed`, `each`, …) is there once, as it is written, not once for each instance.

import FRPBase
import FRPCore
import FRPGraph

/// The events and behaviors of a program, and how they depend on each other.
public struct DependencyGraph: Sendable, Hashable {
  /// What a node is in time.
  public enum Kind: String, Sendable, Hashable {
    /// It has occurrences, and no value between them.
    case event
    /// A behavior that changes only at instants.
    case step
    /// A behavior that varies between instants.
    case continuous
    /// A behavior that is known once.
    case constant
  }

  /// An event or behavior.
  public struct Node: Sendable, Hashable, Identifiable {
    /// Its place in `nodes`.
    public var id: Int
    /// The definition it is part of; empty for what belongs to none.
    public var definition: String
    /// What makes it: `fold`, `merge`, `input`, `lift` for what is computed point by point, or `output` for what is only
    /// another name.
    public var operation: String
    /// An event, or which kind of behavior.
    public var kind: Kind
    /// As a program writes it: `Event<Int>`.
    public var type: String
    /// How many scopes it lies in; 0 for the program itself.
    public var depth: Int
    /// Whether it is an input or an output.
    public var isInput: Bool
    /// Whether it is shown by an output.
    public var isOutput: Bool
    /// Where it is written, in the sources of the program.
    public var span: Span
  }

  /// That one node uses another.
  public struct Edge: Sendable, Hashable {
    /// What is used.
    public var from: Int
    /// What uses it.
    public var to: Int
    /// Whether only the past of `from` counts.
    public var looksAtPast: Bool
  }

  /// In the order in which they are made.
  public var nodes: [Node] = []
  /// By the node that uses, then in the order of its arguments.
  public var edges: [Edge] = []

  /// The graph of no program.
  public init() {}

  /// The names of inputs that a definition depends on, directly or not, in the order of the nodes.
  public func inputs(of definition: String) -> [String] {
    reach(definition, forward: false).filter(\.isInput).map(\.definition)
  }

  /// The names of outputs that an input or definition moves, directly or not.
  public func outputs(of definition: String) -> [String] {
    var seen: Set<String> = []
    return reach(definition, forward: true).filter(\.isOutput).map(\.definition).filter { seen.insert($0).inserted }
  }

  private func reach(_ definition: String, forward: Bool) -> [Node] {
    var next: [Int: [Int]] = [:]
    for edge in edges { next[forward ? edge.from : edge.to, default: []].append(forward ? edge.to : edge.from) }
    var pending = nodes.filter { $0.definition == definition }.map(\.id)
    var found = Set(pending)
    while let node = pending.popLast() {
      for other in next[node] ?? [] where found.insert(other).inserted { pending.append(other) }
    }
    return nodes.filter { found.contains($0.id) }
  }

  /// The definitions as a graph in Mermaid's language, with their types; dashed where only the past counts.
  public var mermaid: String { mermaid(of: definitions) }

  /// `notes` are shown after the types.
  package func mermaid(of names: [String], notes: [String: String] = [:]) -> String {
    var lines = ["graph LR"]
    let places = Dictionary(names.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    for (index, name) in names.enumerated() {
      let (isInput, isOutput) = ends(of: name)
      let shape = isInput ? ("([", "])") : isOutput ? ("[[", "]]") : ("[", "]")
      let label = label(name, notes).replacing("\"", with: "#quot;")
      lines.append("  d\(index)\(shape.0)\"\(label)\"\(shape.1)")
    }
    for arrow in arrows(among: names) {
      lines.append("  d\(places[arrow.from] ?? 0) \(arrow.looksAtPast ? "-.->" : "-->") d\(places[arrow.to] ?? 0)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The definitions as a graph in Graphviz' language, with their types; dashed where only the past counts.
  public var dot: String { dot(of: definitions) }

  /// `notes` are shown after the types.
  package func dot(of names: [String], notes: [String: String] = [:]) -> String {
    var lines = ["digraph program {", "  rankdir = LR", "  node [shape = box, fontname = monospace]"]
    let places = Dictionary(names.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    for (index, name) in names.enumerated() {
      let (isInput, isOutput) = ends(of: name)
      let label = label(name, notes).replacing("\"", with: "\\\"")
      let shape = main(name)?.kind == .event ? ", shape = ellipse" : ""
      lines.append("  d\(index) [label = \"\(label)\"\(shape)\(isInput || isOutput ? ", style = bold" : "")]")
    }
    for arrow in arrows(among: names) {
      let style = arrow.looksAtPast ? " [style = dashed]" : ""
      lines.append("  d\(places[arrow.from] ?? 0) -> d\(places[arrow.to] ?? 0)\(style)")
    }
    return lines.joined(separator: "\n") + "\n}\n"
  }

  private func label(_ name: String, _ notes: [String: String]) -> String {
    "\(name) : \(type(of: name))" + (notes[name].map { ", \($0)" } ?? "")
  }

  /// The definitions, in the order of their first nodes.
  public var definitions: [String] {
    var seen: Set<String> = []
    return nodes.map(\.definition).filter { !$0.isEmpty && seen.insert($0).inserted }
  }

  /// The node that is a definition's own: of those that lie in the fewest scopes, one that is a port or is used by another
  /// definition. What a pass of the compiler has made for it, such as the comparison of a `when`, is used by it alone.
  package func main(_ definition: String) -> Node? {
    let own = nodes.filter { $0.definition == definition }
    let depth = own.map(\.depth).min()
    let outer = own.filter { $0.depth == depth }
    let ids = Set(own.map(\.id))
    let within = Set(edges.filter { $0.from != $0.to && ids.contains($0.from) && ids.contains($0.to) }.map(\.from))
    let outside = Set(edges.filter { ids.contains($0.from) && !ids.contains($0.to) }.map(\.from))
    let seen = outer.filter { $0.isInput || $0.isOutput || outside.contains($0.id) }
    let candidates = seen.isEmpty ? outer : seen
    return candidates.last { !within.contains($0.id) } ?? candidates.last
  }

  /// As a program writes it.
  package func type(of definition: String) -> String { main(definition)?.type ?? "" }

  package func ends(of definition: String) -> (isInput: Bool, isOutput: Bool) {
    let own = nodes.filter { $0.definition == definition }
    return (own.contains(where: \.isInput), own.contains(where: \.isOutput))
  }

  /// A definition, what it depends on, and what depends on it, directly or not, in the order of `definitions`.
  package func near(_ definition: String) -> [String] {
    let found = Set((reach(definition, forward: false) + reach(definition, forward: true)).map(\.definition))
    return definitions.filter { found.contains($0) }
  }

  /// That one definition uses another.
  package struct Arrow {
    package var from: String
    package var to: String
    /// Whether only the past of `from` counts wherever it is used.
    package var looksAtPast: Bool
  }

  /// Which of these definitions uses which, each pair once.
  package func arrows(among names: [String]) -> [Arrow] {
    let known = Set(names)
    var found: [Arrow] = []
    var places: [[String]: Int] = [:]
    for edge in edges {
      let (from, to) = (nodes[edge.from].definition, nodes[edge.to].definition)
      guard from != to, known.contains(from), known.contains(to) else { continue }
      if let place = places[[from, to]] {
        if !edge.looksAtPast { found[place].looksAtPast = false }
      } else {
        places[[from, to]] = found.count
        found.append(Arrow(from: from, to: to, looksAtPast: edge.looksAtPast))
      }
    }
    return found
  }
}

extension Program {
  /// What depends on what; empty if there are errors. Cost: about linear in the program, each time.
  public var graph: DependencyGraph { plan.map { GraphMaker(core: $0.core).graph() } ?? DependencyGraph() }
}

/// Makes the graph of a core program.
private struct GraphMaker {
  let core: CoreProgram

  func graph() -> DependencyGraph {
    let inputs = Set(core.inputs.map(\.node))
    let names = core.nodes.map { isShared($0.op) ? "" : $0.definition }
    // An output may show a node without a name.
    let unnamed = core.outputs.filter { names[$0.node.index].isEmpty }
    let shown = Dictionary(unnamed.map { ($0.node, $0.name) }) { first, _ in first }
    let outputs = Set(core.outputs.filter { $0.name == shown[$0.node] ?? names[$0.node.index] }.map(\.node))
    var graph = DependencyGraph()
    for (index, node) in core.nodes.enumerated() {
      let id = NodeID(index)
      let isEvent = if case .event = core.types[node.type] { true } else { false }
      graph.nodes.append(
        DependencyGraph.Node(
          id: index, definition: shown[id] ?? names[index], operation: node.op.name,
          kind: isEvent ? .event : node.isContinuous ? .continuous : isConstant(id) ? .constant : .step,
          type: core.types.describe(node.type), depth: depth(node.scope), isInput: inputs.contains(id),
          isOutput: outputs.contains(id), span: node.span))
      for use in uses(of: node.op) {
        graph.edges.append(
          DependencyGraph.Edge(from: use.node.index, to: index, looksAtPast: use.isPast))
      }
    }
    for output in core.outputs where graph.nodes[output.node.index].definition != output.name {
      var node = graph.nodes[output.node.index]
      (node.id, node.definition, node.operation) = (graph.nodes.count, output.name, "output")
      (node.isInput, node.isOutput) = (false, true)
      graph.nodes.append(node)
      graph.edges.append(DependencyGraph.Edge(from: output.node.index, to: node.id, looksAtPast: false))
    }
    return graph
  }

  /// Whether all definitions share a node, which is of none of them.
  private func isShared(_ op: NodeOp) -> Bool {
    switch op {
    case .time, .start, .end, .never: true
    default: false
    }
  }

  private func depth(_ scope: ScopeID) -> Int {
    var depth = 0
    var next = core[scope].parent
    while let scope = next {
      depth += 1
      next = core[scope].parent
    }
    return depth
  }

  private func isConstant(_ node: NodeID) -> Bool {
    guard case .lift(let expr) = core[node].op else { return false }
    return reads(expr).isEmpty
  }

  private func uses(of op: NodeOp) -> [(node: NodeID, isPast: Bool)] {
    var found: [(node: NodeID, isPast: Bool)] = op.nodeOperands.map { ($0, Self.remembers(op)) }
    for scope in op.scopes { found += core[scope].results.map { ($0, false) } }
    op.forEachExpr { expr, moment in
      for node in reads(expr) where !found.contains(where: { $0.node == node }) {
        found.append((node, moment == .old || moment == .plain || moment == .rate))
      }
    }
    return found
  }

  /// Whether an operator shows what it got only just after.
  private static func remembers(_ op: NodeOp) -> Bool {
    switch op {
    case .hold, .fold, .delay, .delayBehavior, .integral, .perform, .when: true
    default: false
    }
  }

  /// The nodes that an expression reads, and the functions it calls. No recursion: expressions may be deep.
  private func reads(_ root: CoreExprID) -> [NodeID] {
    var seen: Set<CoreExprID> = []
    var functions: Set<FunctionID> = []
    var found: [NodeID] = []
    var pending = [root]
    while let expr = pending.popLast() {
      guard seen.insert(expr).inserted else { continue }
      if case .read(let node) = core[expr], !found.contains(node) { found.append(node) }
      if case .call(let function, _) = core[expr], functions.insert(function).inserted {
        pending.append(core[function].body)
      }
      core[expr].forEachChild { pending.append($0) }
    }
    return found
  }
}
