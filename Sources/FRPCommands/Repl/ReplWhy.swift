// `:why`: why a value is what it is, in terms of the definitions.
//
// Rules
// - A cause is shown as it was where it had its effect: an occurrence of the instant or before it, and a behavior as it
//   was just before the instant where an event operator read it, just after it elsewhere.
// - A definition has seen nothing of what came before it was made.

import FRP
import FRPBase
import FRPSyntax

extension ReplSession {
  /// `:why NAME`: the values and occurrences behind the present one.
  func why(_ text: String) {
    advance()
    guard current.name(text) != nil else {
      let names = mentioned(in: text).filter { current.name($0) != nil }
      if names.isEmpty {
        if program(asking: text) == nil { return }
        return show("nothing in \(text) changes: it is \(present(text) ?? "what it is")")
      }
      return show(names.map { reasons(of: $0).joined(separator: "\n") }.joined(separator: "\n"))
    }
    show(reasons(of: text).map { fit($0, console.width(nil)) }.joined(separator: "\n"))
  }

  private static let depth = 12

  func reasons(of name: String) -> [String] {
    let reads = ReplReads(current.program.graph)
    var lines: [String] = []
    var seen: Set<String> = []
    var pending = [(name: name, level: 0, bound: ReplBound.now, effect: String?.none)]
    while let next = pending.popLast(), !ReplInterrupt.isPressed {
      let indent = next.level == 0 ? "" : String(repeating: "  ", count: next.level - 1) + "└ "
      let isRepeated = !seen.insert(next.name).inserted
      let definition = isRepeated || next.level >= Self.depth ? "" : shortSource(next.name)
      lines.append(indent + state(of: next.name, at: next.bound, behind: next.effect) + definition)
      if isRepeated || next.level >= Self.depth { continue }
      let moment = lastShown(next.name, at: next.bound, behind: next.effect)
      for used in uses(of: next.name).reversed() {
        let bound = moment.map { self.reach(of: used, for: next.name, at: $0, reads) } ?? next.bound
        pending.append((used, next.level + 1, bound, next.name))
      }
    }
    return lines
  }

  /// Up to where a cause counts for what its effect showed.
  private func reach(of cause: String, for effect: String, at moment: Occurrence, _ reads: ReplReads) -> ReplBound {
    let isStart = trace[effect]?.start == moment.instant
    if current.name(cause)?.kind == .event {
      guard !isStart, let wait = wait(of: effect, for: cause) else { return bound(after: moment) }
      let first = trace[cause]?.recent.last { $0.time <= moment.time - wait + 0.6e-9 }
      return first.map { bound(after: $0) } ?? bound(after: moment)
    }
    let isEvent = current.name(effect)?.kind == .event
    return !isStart && reads.isOfPast(cause, by: effect, isEvent: isEvent)
      ? bound(before: moment) : bound(after: moment)
  }

  /// What a definition showed last up to a moment, and what it began with; nil of what moves all the time.
  private func lastShown(_ name: String, at bound: ReplBound, behind effect: String?) -> Occurrence? {
    let isEvent = current.name(name)?.kind == .event
    let first = isEvent ? effect.flatMap { trace[$0]?.birth?.instant } ?? -1 : -1
    return trace[name]?.recent.last { $0.instant <= bound.instant && $0.instant > first }
  }

  /// How long a definition that delays an event, or waits for its silence, holds an occurrence back.
  private func wait(of effect: String, for cause: String) -> Double? {
    guard let text = current.items.first(where: { $0.names == [effect] })?.text else { return nil }
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: text))
    var tree = Tree()
    _ = Parser.parseEntry(file, in: sources, into: &tree)
    for expr in tree.exprs {
      var (subject, call) = (ExprID?.none, expr)
      if case .pipe(let left, let right) = expr { (subject, call) = (left, tree[right]) }
      guard case .call(let callee, let arguments) = call, case .name(let operation) = tree[callee],
        operation == "delay" || operation == "debounce"
      else { continue }
      let all = (subject.map { [$0] } ?? []) + arguments
      guard all.count == 2, case .name(cause) = tree[all[0]] else { continue }
      let length = sources.text(tree.span(all[1]))
      return ReplWords.duration(length) ?? present(length).flatMap(Double.init)
    }
    return nil
  }

  /// What a definition mentions, in the order of the session; functions are seen through.
  func uses(of name: String) -> [String] {
    var found: Set<String> = []
    var pending = [name]
    var seen: Set<String> = [name]
    while let next = pending.popLast() {
      for (used, users) in current.users where users.contains(next) && current.name(used) != nil {
        if current.name(used)?.kind != .function {
          found.insert(used)
        } else if seen.insert(used).inserted {
          pending.append(used)
        }
      }
    }
    return current.names.map(\.name).filter { found.contains($0) && $0 != name }
  }

  func shortSource(_ name: String) -> String {
    guard let item = current.items.first(where: { $0.names.contains(name) }) else { return "" }
    let lines = item.text.split(separator: "\n")
    return "    " + (lines.first.map(String.init) ?? "") + (lines.count > 1 ? " …" : "")
  }

  /// `n = 2 since 1.52s`, `clicks #2 at 1.52s (:push)`; up to a moment, and of an event only what came after `effect`
  /// was defined.
  func state(of name: String, at bound: ReplBound = .now, behind effect: String? = nil) -> String {
    guard let known = current.name(name) else { return name }
    switch known.kind {
    case .constant: return "\(name) = \(value(name)), a constant"
    case .function, .hidden: return "\(name) : \(known.type)"
    case .event: return stateOfEvent(known, bound, effect)
    case .behavior: return stateOfBehavior(known, bound)
    }
  }

  private func stateOfEvent(_ known: ReplName, _ bound: ReplBound, _ effect: String?) -> String {
    let shown = trace[known.name] ?? ReplTrace()
    if let last = lastShown(known.name, at: bound, behind: effect) { return numbered(known, last) }
    if let birth = shown.birth, birth.instant > bound.instant {
      return "\(known.name) was defined later, at \(seconds(birth.time))"
    }
    if let later = shown.recent.first(where: { $0.instant > bound.instant }) {
      return numbered(known, later) + ", which changed nothing"
    }
    if shown.last != nil, let effect, let birth = trace[effect]?.birth {
      return "\(known.name) has not occurred since \(seconds(birth.time)), when \(effect) was defined"
    }
    return "\(known.name) has not occurred" + (restored.map { " since \(seconds($0.time)) (:restore)" } ?? "")
  }

  private func numbered(_ known: ReplName, _ occurrence: Occurrence) -> String {
    let shown = trace[known.name] ?? ReplTrace()
    let number = shown.count - shown.recent.count { $0.instant > occurrence.instant }
    let value = occurrence.json == "null" ? "" : " = " + short(occurrence.json, known.name)
    return "\(known.name) #\(number)\(value) at \(seconds(occurrence.time))" + (known.isInput ? " (:push)" : "")
  }

  private func stateOfBehavior(_ known: ReplName, _ bound: ReplBound) -> String {
    let name = known.name
    guard let last = lastShown(name, at: bound, behind: nil) else {
      if bound == .now { return "\(name) = \(value(name)) at \(seconds(clock.now))" }
      if let birth = trace[name]?.birth, birth.instant > bound.instant {
        return "\(name) was defined later, at \(seconds(birth.time))"
      }
      let value = values(of: [name], at: bound)[name].map { Self.rounded($0) }
      return "\(name) = \(value ?? "no value") at \(seconds(bound.time))"
    }
    let isLast = trace[name]?.last?.instant == last.instant
    let since = last.time == 0 ? "since the start" : "since \(seconds(last.time))"
    let isStart = last.instant == trace[name]?.start
    let origin = !known.isInput || last.time == 0 ? "" : isStart ? " (its start value)" : " (:set)"
    return "\(name) = \(isLast ? value(name) : short(last.json, name)) \(since)\(origin)"
  }

  private func short(_ json: String, _ name: String) -> String { simulation?.sourceText(json, name) ?? json }

  /// A Float that was read up to a nanosecond beside its moment.
  private static func rounded(_ text: String) -> String {
    guard text.contains("."), let value = Double(text), abs(value) < 1e6 else { return text }
    return "\((value * 1e7).rounded() / 1e7)"
  }

  /// Names in an expression.
  func mentioned(in text: String) -> [String] {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: text))
    var tree = Tree()
    _ = Parser.parseEntry(file, in: sources, into: &tree)
    var names: [String] = []
    for case .name(let name) in tree.exprs where !names.contains(name) { names.append(name) }
    return names
  }
}

/// Which definitions read others as they were just before an instant.
private struct ReplReads {
  private let edges: [Pair: Bool]
  private struct Pair: Hashable {
    var cause: String
    var effect: String
  }

  init(_ graph: DependencyGraph) {
    var edges: [Pair: Bool] = [:]
    for edge in graph.edges {
      let (from, to) = (graph.nodes[edge.from], graph.nodes[edge.to])
      // What makes `when` occur is true already where it does.
      let isPast = edge.looksAtPast && to.operation != "when"
      let pair = Pair(cause: from.definition, effect: to.definition)
      edges[pair] = (edges[pair] ?? true) && isPast
    }
    self.edges = edges
  }

  func isOfPast(_ cause: String, by effect: String, isEvent: Bool) -> Bool {
    edges[Pair(cause: cause, effect: effect)] ?? isEvent
  }
}
