// What a run took, by definition and by the parts of each: a table, a tree for a flame graph, JSON.
//
// In: what the reactor has counted (FRPRuntime/Reactor/Profile.swift) by node. Out: definitions with the line that each
// stands in, the greatest share first.
// Rules
// - What a definition's own nodes take is its own; what lies in the scopes that it opens belongs to the definition that
//   wrote it, which is mostly the same.
// - A function with memory is part of each definition that uses it, since it is there once for each.

import FRP
import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime

struct ProfileReport {
  /// What the shares are shares of.
  enum Measure: String, CaseIterable {
    case time, steps, words

    func of(_ row: Profile.Row) -> Double {
      switch self {
      case .time: row.nanoseconds
      case .steps: Double(row.steps)
      case .words: Double(row.words)
      }
    }

    func text(_ amount: Double) -> String {
      switch self {
      case .time: Amount.time(amount)
      case .steps: "\(Int(amount)) steps"
      case .words: Amount.bytes(Int(amount) * 8)
      }
    }
  }

  struct Definition {
    var name: String
    /// `shop.frp:7`; the file only where it is not the program's own.
    var place: String
    var line: Int
    var row = Profile.Row()
    var instants = 0
    var keptBytes = 0
  }

  /// In the order of their shares.
  private(set) var definitions: [Definition] = []
  let instants: Int
  let measure: Measure
  let total: Double
  private let core: CoreProgram
  private let plan: Plan
  private let sources: SourceMap
  private var rows: [NodeID: Profile.Row] = [:]
  private var looks: [NodeID: Profile.Row] = [:]

  init(_ simulation: Simulation, _ profile: Profile, by measure: Measure) {
    let reactor = simulation.reactor
    plan = reactor.plan
    core = plan.core
    sources = simulation.program.sources
    instants = reactor.instantCount
    self.measure = measure
    let kept = reactor.keptWords()
    var keptWords: [NodeID: Int] = [:]
    for (template, entries) in profile.rows.enumerated() {
      for (index, row) in entries.enumerated() {
        let node = plan.templates[template].entries[index].node
        rows[node, default: Profile.Row()] += row
        keptWords[node, default: 0] += kept[template][index]
      }
    }
    for (node, row) in profile.motion { rows[node, default: Profile.Row()] += row }
    for (output, row) in profile.looks { looks[plan.outputs[output].node, default: Profile.Row()] += row }
    let looked = looks
    total = rows.values.reduce(0) { $0 + measure.of($1) } + looked.values.reduce(0) { $0 + measure.of($1) }
    collect(keptWords, profile.instants, simulation.program.graph)
  }

  private mutating func collect(_ keptWords: [NodeID: Int], _ instants: [String: Int], _ graph: DependencyGraph) {
    var found: [String: Definition] = [:]
    for node in core.nodes.indices.map({ NodeID($0) }) {
      var row = rows[node] ?? Profile.Row()
      if let look = looks[node] { row += look }
      let name = core[node].definition
      let place = place(core[node].span)
      var definition = found[name] ?? Definition(name: name, place: place.text, line: place.line)
      if place.line > 0, definition.line == 0 || place.line < definition.line {
        (definition.place, definition.line) = (place.text, place.line)
      }
      definition.row += row
      definition.keptBytes += (keptWords[node] ?? 0) * 8
      found[name] = definition
    }
    for (name, count) in instants { found[name]?.instants = count }
    definitions = found.values.filter { $0.row != Profile.Row() }
    // Of its parts, the one that is the definition's own value.
    for place in definitions.indices {
      let main = graph.main(definitions[place].name).map { NodeID($0.id) }
      definitions[place].row.shown = main.flatMap { rows[$0]?.shown } ?? 0
    }
    definitions.sort {
      let (a, b) = (measure.of($0.row), measure.of($1.row))
      return a == b ? ($0.line, $0.name) < ($1.line, $1.name) : a > b
    }
  }

  private func place(_ span: Span) -> (text: String, line: Int) {
    if span.isNone { return ("", 0) }
    let file = sources[span.file]
    let line = file.position(at: Int(span.start)).line
    let isOwn = file.name == sources.files.first?.name
    return (isOwn ? "\(line)" : "\(file.name):\(line)", line)
  }

  func share(_ row: Profile.Row) -> Double { total > 0 ? measure.of(row) / total : 0 }

  // MARK: Text

  var text: String {
    var rows = [["definition", "line", "share", "runs", "instants", "shown", "steps", "words", "kept"]]
    for definition in definitions {
      let row = definition.row
      rows.append([
        definition.name.isEmpty ? "(no name)" : definition.name, definition.place, Amount.percent(share(row)),
        "\(row.runs)", "\(definition.instants)", "\(row.shown)", "\(row.steps)", "\(row.words)",
        Amount.bytes(definition.keptBytes),
      ])
    }
    return Amount.table(rows, leftAligned: [0])
  }

  var json: String {
    let list = definitions.map { definition in
      let row = definition.row
      return "    {\"name\":\(jsonString(definition.name)),\"line\":\(definition.line),\"share\":\(share(row)),"
        + "\"runs\":\(row.runs),\"instants\":\(definition.instants),\"shown\":\(row.shown),\"steps\":\(row.steps),"
        + "\"words\":\(row.words),\"nanoseconds\":\(row.nanoseconds.rounded()),\"keptBytes\":\(definition.keptBytes)}"
    }
    return "{\n  \"by\": \"\(measure.rawValue)\",\n  \"instants\": \(instants),\n  \"definitions\": [\n"
      + list.joined(separator: ",\n") + "\n  ]\n}\n"
  }

  // MARK: The tree

  /// The program, its definitions, their parts, and the scopes in these.
  var flame: FlameGraph {
    var root = FlameGraph.Node(label: "all definitions")
    for node in core.nodes.indices.map({ NodeID($0) }) {
      if let row = rows[node], measure.of(row) > 0 { root.add(measure.of(row), at: path(to: node)) }
      guard let look = looks[node], measure.of(look) > 0 else { continue }
      root.add(measure.of(look), at: path(to: node) + [FlameGraph.Step(label: "looked at", colour: 4)])
    }
    return FlameGraph(root: root, say: { measure.text($0) })
  }

  private func path(to node: NodeID) -> [FlameGraph.Step] {
    var steps: [FlameGraph.Step] = []
    var next: NodeID? = node
    while let node = next {
      let owner = owner(of: core[node].scope)
      let place = place(core[node].span)
      let line = place.line == 0 ? "" : ", line \(place.text)"
      steps.append(FlameGraph.Step(label: core[node].op.name + line, colour: colour(node)))
      if owner.map({ core[$0].definition }) != core[node].definition {
        steps.append(FlameGraph.Step(label: core[node].definition, colour: colour(node)))
      }
      next = owner
    }
    return steps.reversed()
  }

  /// The node that opens a scope.
  private func owner(of scope: ScopeID) -> NodeID? {
    guard let template = plan.templates.first(where: { $0.scope == scope }), template.parent >= 0, template.owner >= 0
    else { return nil }
    return plan.templates[Int(template.parent)].entries[Int(template.owner)].node
  }

  /// Events, steps and what is continuous have the colours that graphs give them.
  private func colour(_ node: NodeID) -> Int {
    if case .event = core.types[core[node].type] { return 1 }
    return core[node].isContinuous ? 2 : 0
  }
}

/// How amounts are written for people.
enum Amount {
  static func percent(_ share: Double) -> String {
    let tenths = Int((share * 1000).rounded())
    return "\(tenths / 10).\(tenths % 10) %"
  }

  static func bytes(_ count: Int) -> String {
    if count < 10_000 { return "\(count) B" }
    if count < 10_000_000 { return "\(count / 1000) kB" }
    return "\(count / 1_000_000) MB"
  }

  /// Of nanoseconds, three digits that count.
  static func time(_ nanoseconds: Double) -> String {
    for (unit, size) in [("s", 1e9), ("ms", 1e6), ("µs", 1e3)] where nanoseconds >= size {
      return digits(nanoseconds / size) + " " + unit
    }
    return digits(nanoseconds) + " ns"
  }

  /// `1.23`, `12.3`, `123`, `12,300`.
  static func digits(_ value: Double) -> String {
    let places = value < 10 ? 100.0 : value < 100 ? 10.0 : 1.0
    let rounded = (value * places).rounded() / places
    return rounded == rounded.rounded() && rounded.magnitude < 1e15 ? grouped(Int(rounded)) : "\(rounded)"
  }

  static func grouped(_ number: Int) -> String {
    var digits = Array("\(number.magnitude)")
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: place)
      place -= 3
    }
    return (number < 0 ? "-" : "") + String(digits)
  }

  /// Columns as wide as what they hold; numbers stand to the right.
  static func table(_ rows: [[String]], leftAligned: Set<Int>) -> String {
    var widths: [Int] = []
    for row in rows {
      for (column, text) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], text.count)
      }
    }
    return rows.map { row in
      var line = ""
      for (column, text) in row.enumerated() {
        let gap = String(repeating: " ", count: widths[column] - text.count)
        line += (column == 0 ? "" : "  ") + (leftAligned.contains(column) ? text + gap : gap + text)
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
