// `:whynot EVENT`: why an event has not occurred since what it comes from last did. Every operator of its definition
// that lets only some things through is judged by the last thing that came to it, with the values of that moment: just
// before the occurrence, as the operators themselves see them. Events that it comes from are explained as well.
//
// What has no name in the definition is watched under one in the session lived through again: from the same moment on.

import FRP
import FRPBase
import FRPSyntax

extension ReplSession {
  func whyNot(_ name: String) {
    advance()
    guard let known = current.name(name), known.kind == .event else {
      if current.name(name) == nil { return failWithoutEvent(name) }
      return fail("\(name) is no event, and always has a value: :why \(name) tells where it comes from")
    }
    if known.isInput { return show("\(name) is an input: it occurs when you push it   (:push \(name))") }
    var lines: [String] = []
    var seen: Set<String> = []
    explain(name, level: 0, &seen, &lines)
    show(lines.map { fit($0, console.width(nil)) }.joined(separator: "\n"))
  }

  /// Says what to write where a name is none, or an expression stands in its place.
  private func failWithoutEvent(_ text: String) {
    if text.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) { return fail(unknownName(text)) }
    guard let known = program(asking: text)?.name("it") else { return }
    let isCondition = ["Bool", "Behavior<Bool>"].contains(known.type)
    guard isCondition || known.kind == .event else {
      return fail(":whynot takes the name of an event, and \(text) is \(known.type)")
    }
    let event = isCondition ? "when(\(text))" : text
    fail(":whynot takes the name of an event: write  NAME = \(event)  and then  :whynot NAME")
  }

  private func explain(_ name: String, level: Int, _ seen: inout Set<String>, _ lines: inout [String]) {
    let indent = level == 0 ? "" : String(repeating: "  ", count: level - 1) + "└ "
    let isNew = seen.insert(name).inserted
    lines.append(indent + state(of: name) + (isNew ? shortSource(name) : ""))
    guard isNew, level < 6, lines.count < 40 else { return }
    if let item = current.items.first(where: { $0.names.contains(name) }), current.name(name)?.isInput == false {
      let inner = String(repeating: "  ", count: level + 1)
      lines += Guards(session: self, item: item, name: name).lines.map { inner + $0 }
    }
    for used in uses(of: name) where current.name(used)?.kind == .event {
      explain(used, level: level + 1, &seen, &lines)
    }
  }

  /// The value of an expression at this moment; nil if it has none.
  func present(_ expression: String) -> String? {
    guard let copy = copy(with: expression, until: clock.now) else { return nil }
    return ReplInterrupt.guarding(copy) { (try? copy.source(of: "it", atMost: ReplOptions.shownBytes))?.text }
  }
}

/// What holds something back in a definition.
private struct Guards {
  let session: ReplSession
  let item: ReplItem
  /// The event that the definition is asked about.
  let name: String

  /// Something that came, with its value as source.
  private struct Seen {
    var occurrence: Occurrence
    var text: String
    /// In which run.
    var session: ReplSession
    var time: Double { occurrence.time }
  }

  /// One sentence for each operator that holds something back.
  var lines: [String] {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: item.text))
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
      guard let last = lastOccurrence(of: event) else { return ["filterMap: \(event) \(absence)"] }
      let value = value("(\(argument))(\(last.text))", before: last) ?? "no value"
      return ["filterMap: for \(event) = \(last.text) at \(seconds(last.time)) the function gives \(value)"]
    case "when" where texts.count == 1:
      return ["when: \(event) is \(session.present(event) ?? "not known") now; it fires when that becomes true"]
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
      guard let wait = ReplWords.duration(argument) ?? session.present(argument).flatMap(Double.init) else { return [] }
      let due = last.time + wait
      let what = due > session.clock.now ? "is waiting until \(seconds(due))" : "let go at \(seconds(due))"
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
    guard let last = lastOccurrence(of: event) else { return ["\(operation): \(event) \(absence)"] }
    let of = "\(event)\(last.text == "()" ? "" : " = \(last.text)") at \(seconds(last.time))"
    guard let verdict = value("(\(predicate))(\(last.text))", before: last) else {
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
      if value("(\(parameter) => \(text))(\(last.text))", before: last) == "false" {
        lines.append("  \(text) was false")
      }
    }
    for name in session.mentioned(in: sources.text(tree.span(body)))
    where session.current.name(name)?.kind == .behavior && !told.contains(name) {
      lines.append("  \(name) was \(value(name, before: last) ?? "without a value")")
    }
    return lines
  }

  private func conjuncts(_ expr: ExprID, _ tree: Tree) -> [ExprID] {
    if case .binary(.and, let left, let right, _) = tree[expr] { return conjuncts(left, tree) + conjuncts(right, tree) }
    if case .paren(let inner) = tree[expr] { return conjuncts(inner, tree) }
    return [expr]
  }

  private func gate(_ event: String, _ condition: String) -> [String] {
    guard let last = lastOccurrence(of: event) else { return ["gate: \(event) \(absence)"] }
    let was = value(condition, before: last) ?? "without a value"
    return ["gate: \(condition) was \(was) when \(event) occurred at \(seconds(last.time))"]
  }

  private func distinct(_ event: String) -> [String] {
    let list = occurrences(of: event).suffix(2)
    guard list.count > 1 else { return [] }
    let (before, last) = (list[list.startIndex], list[list.startIndex + 1])
    if before.text != last.text { return [] }
    return ["distinct: \(event) = \(last.text) at \(seconds(last.time)) is what came before it"]
  }

  private func times(_ count: Int) -> String {
    count == 0 ? absence : count == 1 ? "has occurred once" : "has occurred \(count) times"
  }

  private var absence: String {
    let birth = session.trace[name]?.birth?.time ?? 0
    return birth > 0 ? "has not occurred since \(seconds(birth)), when \(name) was defined" : "has not occurred yet"
  }

  private func count(of event: String) -> Int {
    let list = occurrences(of: event)
    // Only the newest are kept.
    guard let shown = session.trace[event], list.count == shown.recent.count else { return list.count }
    return shown.count
  }

  private func lastOccurrence(of event: String) -> Seen? { occurrences(of: event).last }

  /// What the definition has seen of an event, oldest first.
  private func occurrences(of event: String) -> [Seen] {
    if session.current.name(event) != nil {
      let birth = session.trace[name]?.birth?.instant ?? -1
      return session.trace[event]?.recent.filter { $0.instant > birth }.compactMap { seen($0, event, session) } ?? []
    }
    // What was restored goes on from a state that a new name does not have.
    if session.restored != nil { return [] }
    var watched = "watched"
    while session.current.name(watched) != nil { watched += "_" }
    let extra = ReplItem(names: [watched], text: "\(watched) = " + event.replacingLineBreaks())
    let past = ReplSession(past: session, watching: extra, beside: item.names)
    past.captured = []
    past.liveOn(to: session.clock.now)
    return past.captured?.filter { $0.name == watched }.compactMap { seen($0.occurrence, watched, past) } ?? []
  }

  private func seen(_ occurrence: Occurrence, _ name: String, _ session: ReplSession) -> Seen? {
    session.simulation.map {
      Seen(occurrence: occurrence, text: $0.sourceText(occurrence.json, name), session: session)
    }
  }

  /// The value of an expression just before an occurrence of the past; nil if it has none.
  private func value(_ expression: String, before seen: Seen) -> String? {
    let isName = session.current.name(expression) != nil
    let extra = ReplItem(names: ["it"], text: "it = " + expression.replacingLineBreaks())
    let shown = isName ? expression : "it"
    return session.values(of: [shown], at: seen.session.bound(before: seen.occurrence), with: isName ? nil : extra)[
      shown]
  }

  private func seconds(_ time: Double) -> String { session.seconds(time) }
}
