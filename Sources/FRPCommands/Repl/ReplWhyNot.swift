// `:whynot EVENT`: why an event has not occurred since what it comes from last did. Every operator of its definition
// that lets only some things through is judged by the last thing that came to it, with the values of that moment: just
// before the occurrence, as the operators themselves see them. Events that it comes from are explained as well.

import FRP
import FRPBase
import FRPSyntax

extension ReplSession {
  func whyNot(_ name: String) {
    advance()
    guard let known = current.name(name), known.kind == .event else {
      if current.name(name) == nil { return fail(unknownName(name)) }
      return fail("\(name) is no event, and always has a value: :why \(name) tells where it comes from")
    }
    if known.isInput { return show("\(name) is an input: it occurs when you push it   (:push \(name))") }
    var lines: [String] = []
    var seen: Set<String> = []
    explain(name, level: 0, &seen, &lines)
    show(lines.map { fit($0, console.width(nil)) }.joined(separator: "\n"))
  }

  private func explain(_ name: String, level: Int, _ seen: inout Set<String>, _ lines: inout [String]) {
    let indent = level == 0 ? "" : String(repeating: "  ", count: level - 1) + "└ "
    let isNew = seen.insert(name).inserted
    lines.append(indent + state(of: name) + (isNew ? shortSource(name) : ""))
    guard isNew, level < 6, lines.count < 40 else { return }
    if let item = current.items.first(where: { $0.names.contains(name) }), current.name(name)?.isInput == false {
      let inner = String(repeating: "  ", count: level + 1)
      lines += guards(in: item.text).map { inner + $0 }
    }
    for used in uses(of: name) where current.name(used)?.kind == .event {
      explain(used, level: level + 1, &seen, &lines)
    }
  }

  /// One sentence for each operator of a definition that holds something back.
  private func guards(in text: String) -> [String] {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: text))
    var tree = Tree()
    _ = Parser.parseEntry(file, in: sources, into: &tree)
    var lines: [String] = []
    for expr in tree.exprs {
      var call = expr
      var subject: ExprID?
      if case .pipe(let left, let right) = expr {
        subject = left
        call = tree[right]
      }
      if case .name(let operation) = call, let subject {
        lines += judge(operation, [sources.text(tree.span(subject))], nil, tree, sources)
        continue
      }
      guard case .call(let callee, let arguments) = call, case .name(let operation) = tree[callee] else { continue }
      let all = (subject.map { [$0] } ?? []) + arguments
      lines += judge(operation, all.map { sources.text(tree.span($0)) }, all.dropFirst().first, tree, sources)
    }
    return lines
  }

  private func judge(
    _ operation: String, _ texts: [String], _ second: ExprID?, _ tree: Tree, _ sources: SourceMap
  ) -> [String] {
    guard let event = texts.first else { return [] }
    let argument = texts.count > 1 ? texts[1] : ""
    switch operation {
    case "filter" where texts.count == 2, "takeWhile" where texts.count == 2, "dropWhile" where texts.count == 2:
      return predicate(operation, event, argument, second, tree, sources)
    case "gate" where texts.count == 2: return gate(event, argument)
    case "filterMap" where texts.count == 2:
      guard let last = lastOccurrence(of: event) else { return ["filterMap: \(event) has not occurred"] }
      let value = value("(\(argument))(\(last.text))", before: last.time) ?? "no value"
      return ["filterMap: for \(event) = \(last.text) at \(seconds(last.time)) the function gives \(value)"]
    case "when" where texts.count == 1:
      return ["when: \(event) is \(present(event) ?? "not known") now; it fires when that becomes true"]
    case "takeUntil" where texts.count == 2:
      guard let stop = lastOccurrence(of: argument) else { return [] }
      return ["takeUntil: \(argument) has occurred (last at \(seconds(stop.time))), so nothing comes any more"]
    case "dropUntil" where texts.count == 2:
      return lastOccurrence(of: argument) == nil ? ["dropUntil: \(argument) has not occurred yet"] : []
    case "once" where texts.count == 1, "take" where texts.count == 2, "drop" where texts.count == 2:
      return [
        "\(operation)\(argument.isEmpty ? "" : "(\(argument))"): \(event) \(times(count(of: event)))"
      ]
    case "distinct" where texts.count == 1: return distinct(event)
    case "debounce", "throttle", "audit", "delay":
      guard texts.count == 2, let last = lastOccurrence(of: event) else { return [] }
      let wait = ReplWords.duration(argument) ?? present(argument).flatMap(Double.init) ?? 0
      let due = last.time + wait
      let what = due > clock.now ? "is waiting until \(seconds(due))" : "let go at \(seconds(due))"
      return [
        "\(operation)(\(argument)): what came at \(seconds(last.time)) \(operation == "throttle" ? "opens again at \(seconds(due))" : what)"
      ]
    default: return []
    }
  }

  /// The parts of a condition that were false, with the values they were made of.
  private func predicate(
    _ operation: String, _ event: String, _ predicate: String, _ expr: ExprID?, _ tree: Tree, _ sources: SourceMap
  ) -> [String] {
    guard let last = lastOccurrence(of: event) else { return ["\(operation): \(event) has not occurred"] }
    let of = "\(event)\(last.text == "()" ? "" : " = \(last.text)") at \(seconds(last.time))"
    guard let verdict = value("(\(predicate))(\(last.text))", before: last.time) else {
      return ["\(operation): \(predicate) could not be tried for \(of)"]
    }
    var lines = ["\(operation): \(predicate) was \(verdict) for \(of)"]
    guard verdict == "false", let expr, case .lambda(let parameters, let body) = tree[expr], parameters.count == 1
    else {
      return lines
    }
    let parameter = sources.text(tree.span(parameters[0]))
    let parts = conjuncts(body, tree)
    var told: Set<String> = []
    for part in parts where parts.count > 1 {
      let text = sources.text(tree.span(part))
      told.insert(text)
      if value("(\(parameter) => \(text))(\(last.text))", before: last.time) == "false" {
        lines.append("  \(text) was false")
      }
    }
    for name in mentioned(in: sources.text(tree.span(body)))
    where current.name(name)?.kind == .behavior && !told.contains(name) {
      lines.append("  \(name) was \(value(name, before: last.time) ?? "without a value")")
    }
    return lines
  }

  private func conjuncts(_ expr: ExprID, _ tree: Tree) -> [ExprID] {
    if case .binary(.and, let left, let right, _) = tree[expr] { return conjuncts(left, tree) + conjuncts(right, tree) }
    if case .paren(let inner) = tree[expr] { return conjuncts(inner, tree) }
    return [expr]
  }

  private func gate(_ event: String, _ condition: String) -> [String] {
    guard let last = lastOccurrence(of: event) else { return ["gate: \(event) has not occurred"] }
    let was = value(condition, before: last.time) ?? "without a value"
    return ["gate: \(condition) was \(was) when \(event) occurred at \(seconds(last.time))"]
  }

  private func distinct(_ event: String) -> [String] {
    guard let name = current.name(event)?.name, let list = trace[name]?.recent, list.count > 1, let simulation else {
      return []
    }
    let (before, last) = (list[list.count - 2], list[list.count - 1])
    if before.json != last.json { return [] }
    return [
      "distinct: \(event) = \(simulation.sourceText(last.json, name)) at \(seconds(last.time)) is what came before it"
    ]
  }

  private func times(_ count: Int) -> String {
    count == 0 ? "has not occurred yet" : count == 1 ? "has occurred once" : "has occurred \(count) times"
  }

  private func count(of event: String) -> Int {
    if let count = trace[event]?.count { return count }
    return window(event, ahead: nil, last: clock.now)?.look([]).shown.count ?? 0
  }

  /// An event's last occurrence, its value as source.
  private func lastOccurrence(of event: String) -> (time: Double, text: String)? {
    if let last = trace[event]?.last, let simulation {
      return (last.time, simulation.sourceText(last.json, event))
    }
    if current.name(event) != nil { return nil }
    guard let (program, name) = quietProgram(showing: event), program.name(name)?.kind == .event else { return nil }
    let past = ReplSession(past: self, at: 0, with: program.items.last { $0.names == ["it"] })
    past.captured = []
    past.liveOn(to: clock.now)
    let last = past.captured?.last { $0.name == name }?.occurrence
    return last.flatMap { last in past.simulation.map { (last.time, $0.sourceText(last.json, name)) } }
  }

  /// The value of an expression just before a moment of the past; nil if it has none.
  private func value(_ expression: String, before time: Double) -> String? {
    guard let (program, name) = quietProgram(showing: expression) else { return nil }
    let past = ReplSession(past: self, at: max(0, time - 1e-9), with: program.items.last { $0.names == ["it"] })
    return (try? past.simulation?.source(of: name)) ?? present(expression)
  }

  private func quietProgram(showing text: String) -> (ReplProgram, String)? {
    if current.name(text) != nil { return (current, text) }
    let item = ReplItem(names: ["it"], text: "it = " + text.replacingLineBreaks())
    let program = compiled(current.items.filter { $0.names != ["it"] } + [item], first: [item.text])
    return program.errors.isEmpty ? (program, "it") : nil
  }

  /// The value of an expression at this moment; nil if it has none.
  func present(_ expression: String) -> String? {
    guard let copy = copy(with: expression, until: clock.now) else { return nil }
    return try? copy.source(of: "it")
  }
}
