// Why a value is what it is, why an event did not occur, and what is lifted: in terms of the definitions.

import FRP
import FRPBase
import FRPSyntax

extension ReplSession {
  /// `:why NAME`: the values and occurrences behind the present one.
  func why(_ text: String) {
    advance()
    guard current.name(text) != nil else {
      let names = mentioned(in: text).filter { current.name($0) != nil }
      if names.isEmpty { return fail(unknownName(text)) }
      return show(names.map { reasons(of: $0).joined(separator: "\n") }.joined(separator: "\n"))
    }
    show(reasons(of: text).joined(separator: "\n"))
  }

  private static let depth = 12

  private func reasons(of name: String) -> [String] {
    var lines: [String] = []
    var seen: Set<String> = []
    var pending: [(name: String, level: Int)] = [(name, 0)]
    while let next = pending.popLast() {
      let indent = next.level == 0 ? "" : String(repeating: "  ", count: next.level - 1) + "└ "
      let isRepeated = !seen.insert(next.name).inserted
      let definition = isRepeated || next.level >= Self.depth ? "" : shortSource(next.name)
      lines.append(indent + state(of: next.name) + definition)
      if isRepeated || next.level >= Self.depth { continue }
      for used in uses(of: next.name).reversed() { pending.append((used, next.level + 1)) }
    }
    return lines
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

  private func shortSource(_ name: String) -> String {
    guard let item = current.items.first(where: { $0.names.contains(name) }) else { return "" }
    let lines = item.text.split(separator: "\n")
    return "    " + (lines.first.map(String.init) ?? "") + (lines.count > 1 ? " …" : "")
  }

  /// `n = 2 since 1.52s`, `clicks #2 at 1.52s (:push)`.
  private func state(of name: String) -> String {
    guard let known = current.name(name) else { return name }
    let shown = trace[name]
    switch known.kind {
    case .constant: return "\(name) = \(value(name)), a constant"
    case .function, .hidden: return "\(name) : \(known.type)"
    case .event:
      guard let last = shown?.last, let count = shown?.count else { return "\(name) has not occurred" }
      let value = last.json == "null" ? "" : " = " + (simulation?.sourceText(last.json, name) ?? last.json)
      return "\(name) #\(count)\(value) at \(seconds(last.time))" + (known.isInput ? " (:push)" : "")
    case .behavior:
      guard let last = shown?.last else { return "\(name) = \(value(name)) at \(seconds(clock.now))" }
      let since = last.time == 0 ? "since the start" : "since \(seconds(last.time))"
      return "\(name) = \(value(name)) \(since)" + (known.isInput && last.time > 0 ? " (:set)" : "")
    }
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

  // MARK: Why not

  /// `:whynot EVENT`: what it comes from, and which guard was false.
  func whyNot(_ name: String) {
    advance()
    guard let known = current.name(name), known.kind == .event else {
      if current.name(name) == nil { return fail(unknownName(name)) }
      return fail("\(name) is no event, and always has a value: :why \(name) tells where it comes from")
    }
    if known.isInput { return show("\(name) is an input: it occurs when you push it   (:push \(name))") }
    var lines = [state(of: name) + shortSource(name)]
    for used in uses(of: name) { lines.append("└ " + state(of: used)) }
    if let item = current.items.first(where: { $0.names.contains(name) }) { lines += guards(in: item.text) }
    show(lines.joined(separator: "\n"))
  }

  /// Judges every `filter`, `takeWhile`, `gate` and `when` of a definition by what it got last.
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
      guard case .call(let callee, let arguments) = call, case .name(let operation) = tree[callee] else { continue }
      let all = (subject.map { [$0] } ?? []) + arguments
      let texts = all.map { sources.text(tree.span($0)) }
      switch operation {
      case "filter" where texts.count == 2, "takeWhile" where texts.count == 2:
        lines.append(judge(operation, texts[0], texts[1]))
      case "gate" where texts.count == 2: lines.append("  gate: \(texts[1]) is \(present(texts[1]) ?? "not known")")
      case "when" where texts.count == 1:
        lines.append("  when: \(texts[0]) is \(present(texts[0]) ?? "not known"); it fires when that becomes true")
      default: break
      }
    }
    return lines
  }

  private func judge(_ operation: String, _ event: String, _ predicate: String) -> String {
    guard let last = lastOccurrence(of: event) else { return "  \(operation): \(event) has not occurred" }
    let isTrue = present("(\(predicate))(\(last.text))")
    let value = last.text == "()" ? "" : " = \(last.text)"
    let verdict = isTrue.map { "\(predicate) is \($0) for it now" } ?? "\(predicate) could not be tried"
    return "  \(operation): \(event)\(value) at \(seconds(last.time)): \(verdict)"
  }

  private func lastOccurrence(of event: String) -> (time: Double, text: String)? {
    if let last = trace[event]?.last, let simulation {
      return (last.time, simulation.sourceText(last.json, event))
    }
    let item = ReplItem(names: ["it"], text: "it = " + event.replacingLineBreaks())
    let program = ReplProgram(items: current.items.filter { $0.names != ["it"] } + [item], first: [item.text])
    guard program.errors.isEmpty, let copy = rerun(of: program, until: clock.now) else { return nil }
    return (try? copy.sourceOccurrences(of: "it"))?.last
  }

  /// The value of an expression at this moment; nil if it has none.
  func present(_ expression: String) -> String? {
    guard let copy = copy(with: expression, until: clock.now) else { return nil }
    return try? copy.source(of: "it")
  }

  // MARK: Lifting

  /// `:lift EXPR`: what varies in an expression, and so why it is computed point by point.
  func lift(_ text: String) {
    let item = ReplItem(names: ["it"], text: "it = " + text.replacingLineBreaks())
    let next = ReplProgram(items: current.items.filter { $0.names != ["it"] } + [item], first: [item.text])
    if !next.errors.isEmpty { return fail(render(next.errors, next.program.sources)) }
    guard let known = next.name("it") else { return }
    let varying = mentioned(in: text).compactMap { name -> String? in
      if name == "time" { return "time : Behavior<Float>" }
      guard let used = current.name(name), used.kind == .behavior else { return nil }
      return "\(name) : \(used.type)"
    }
    if known.kind == .event {
      return show(": \(known.type)\nevents are never lifted; what is captured in a function is read at each occurrence")
    }
    if known.kind != .behavior { return show(": \(known.type)\nnothing varies here, so nothing is lifted") }
    let how = next.program.isContinuous(output: "it")
    var lines = [
      ": \(known.type), "
        + (how ? "continuous: it is computed whenever somebody looks" : "in steps: it changes only at instants")
    ]
    for entry in varying { lines.append("  lifted over \(entry)") }
    if varying.isEmpty { lines.append("  it varies by itself: nothing is lifted over a name") }
    show(lines.joined(separator: "\n"))
  }
}
