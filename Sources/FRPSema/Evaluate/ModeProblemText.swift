// The words for what evaluation and the passes find wrong (`ModeProblem`): codes E04xx (time and lifting) and E06xx (reactive
// structure), and for what they warn of.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

extension Elaborator {
  /// Takes up a problem, in the call that is being put in.
  mutating func report(_ kind: ModeProblem.Kind, at span: Span) {
    draft.report(kind, at: span, in: unfolding.calls.first)
  }

  func renderProblems() -> [Diagnostic] {
    draft.problems.map { problem in
      var diagnostic = render(problem)
      if let call = problem.call, !call.span.isNone {
        diagnostic.labels.append(Label(call.span, "in this call of `\(call.name)`"))
      }
      return diagnostic
    }
  }

  /// What a function of the library is called.
  private func functionName(_ prim: Prim) -> String? {
    Builtins.all.first { if case .data(prim) = $0.operation { true } else { false } }?.name
  }

  /// The definition a behavior belongs to, as the reader knows it.
  func name(_ node: NodeID?) -> String? {
    guard let node else { return nil }
    if case .time = core[node].op { return "time" }
    let name = core[node].definition
    return name.isEmpty ? nil : name
  }

  private func render(_ problem: ModeProblem) -> Diagnostic {
    let span = problem.span
    switch problem.kind {
    case .mustBePlain(let what, let expr, let varying, let definition):
      return renderMustBePlain(what, expr, varying, definition: definition, at: span)
    case .memoryPointwise(let name, let pointwise): return renderMemory(name, pointwise, at: span)
    case .eventAsData(let node, let steps): return renderEventAsData(node, steps, at: span)
    case .eventsChosenByBehavior(let varying, let definition):
      let subject = varying.flatMap { partName($0, definition, at: span) }.map { "`\($0)`" } ?? "the condition"
      return Diagnostic(
        .choiceOfEvents, "`if` and `match` on a behavior cannot choose between events", at: span,
        label: "\(subject) changes over time",
        notes: ["An event has no value to show; which occurrences should come out when the choice changes?"],
        helps: choosingEvents(span))
    case .endlessUnrolling(let name):
      return Diagnostic(
        .endlessUnfolding, "`\(name)` would be put into itself for ever", at: span,
        label: "it makes events or memory, so a call means its body, which calls it again",
        notes: ["What remembers must be known when its scope starts; how deep this goes is not."],
        helps: waysDown(name))
    case .functionCannotBeLifted(let name):
      return Diagnostic(
        .varyingCallOfEvents, "`\(name)` cannot be applied to values that change", at: span,
        label: "it takes or gives events")
    case .recursiveStructure(let name):
      return Diagnostic(
        .circularStructure, "`\(name)` refers to itself, but it is not a behavior or an event", at: span,
        label: "its structure is needed before it is there",
        helps: [Help("take the events and behaviors apart, one definition each")])
    case .changesOfContinuous(let node, let operation, let definition, let hidden):
      return renderContinuous(node, operation, name: watchedName(node, definition, at: span), hidden: hidden, at: span)
    case .whenOfUnlocated(let node, let definition, let hidden):
      return renderUnlocated(node, watchedName(node, definition, at: span), hidden, at: span)
    case .cannotDifferentiate(let node, let prim):
      return Diagnostic(
        .notDifferentiable, "this cannot be differentiated exactly", at: span,
        label: prim.flatMap(functionName).map { "`\($0)` is none of the functions that can be" }
          ?? "\(name(node).map { "`\($0)`" } ?? "it") is not built from time, integrals and smooth functions",
        helps: [Help("measure the change over a short time", code: "(b - delay(b, 10ms)) / 10ms")])
    case .cycle(let path): return renderCycle(path, span)
    }
  }

  private func renderMustBePlain(
    _ what: String, _ expr: CoreExprID, _ varying: NodeID?, definition: String, at span: Span
  ) -> Diagnostic {
    let name = varying.flatMap { partName($0, definition, at: span) }
    let subject = name.map { "`\($0)`" } ?? "this"
    var labels: [Label] = []
    if let varying, case .time = core[varying].op {
    } else if let varying, parameterNames[varying] == nil, !core[varying].span.isNone, core[varying].span != span {
      labels.append(Label(core[varying].span, "\(subject) changes here"))
    }
    let argument = Varying(span: span, text: shortText(span) ?? name ?? "b", isContinuous: draft.isContinuous(expr))
    let anew = startingAnew(argument, isStart: what.hasPrefix("start value"))
    var helps = [anew, Help("give a fixed value here")]
    if what.hasPrefix("first value") || name == definition {
      helps.removeFirst()
    } else if what.hasPrefix("start value") {
      helps = [beginning(argument), anew]
    }
    return Diagnostic(
      .varyingConstant, "the \(what) must be known once, but \(subject) changes over time", at: span,
      label: "\(subject) varies", labels: labels, helps: helps)
  }

  /// What a behavior is called in the definition that complains about it: a part of that very definition is called by its
  /// text or by its parameter, since the definition's name would say something else; nil where the text is long.
  private func partName(_ node: NodeID, _ definition: String, at span: Span) -> String? {
    if let parameter = parameterNames[node] { return parameter }
    if let name = watchedName(node, definition, at: span) { return name }
    return shortText(core[node].span)
  }

  /// What stands there, if it is short enough to be quoted.
  func shortText(_ span: Span) -> String? {
    let text = program.sources.text(span)
    return text.isEmpty || text.count > 40 || text.contains("\n") ? nil : text
  }

  private func renderMemory(_ operatorName: String, _ pointwise: Pointwise, at span: Span) -> Diagnostic {
    let name: String
    let why: String
    switch pointwise {
    case .local(let local):
      let text = core.localNames[local.index]
      name = text.isEmpty ? "a parameter" : "`\(text)`"
      why = "\(name) is bound anew at every moment"
    case .matched(let expr):
      let text = program.sources.text(core.span(expr))
      name = text.isEmpty || text.count > 30 ? "a part of the match" : "`\(text)`"
      why = "\(name) is only there while the pattern matches"
    }
    let what = operatorName.isEmpty ? "this" : "`\(operatorName)`"
    let example = remembersOne(operatorName) ? operatorName : "integral"
    return Diagnostic(
      .memoryInLift, "\(what) remembers, but it depends on \(name)", at: span, label: why,
      notes: ["What remembers starts once, with its scope; here it would be born anew at every moment."],
      helps: awaited(operatorName, span) + [
        Help("start one at every occurrence", code: "e |> switch(0.0, x => \(example)(x))"),
        Help(
          "one for each member of a list",
          code: name.hasPrefix("`(")
            ? "list |> each((key, _) => key, (_, x) => \(example)(x))" : "list |> each(.key, x => \(example)(x))"),
      ])
  }

  /// Whether it makes a number of one that changes, as `integral` does.
  private func remembersOne(_ operatorName: String) -> Bool {
    let number = SignatureType.float
    return Builtins.all.indices.contains { row in
      let signature = Signature.all[row]
      return Builtins.all[row].name == operatorName && signature.resultIsBehavior && signature.result == number
        && signature.parameters?.map(\.type) == [number]
    }
  }

  /// Some occurrences of an event are mostly wanted by a task that waits for its own.
  private func awaited(_ operatorName: String, _ span: Span) -> [Help] {
    if operatorName != "filter" { return [] }
    let parts = (shortText(span) ?? "").parts(separatedBy: " |> filter(", maxSplits: 1)
    let code = parts.count == 2 ? "Task.await(\(parts[0]), \(parts[1])" : "Task.await(e, a => a.id == id)"
    return [Help("in a task, wait for the occurrence that is meant", code: code)]
  }

  /// The name of what `changes` or `when` watches; nil for a part of the very definition that watches it.
  private func watchedName(_ node: NodeID, _ definition: String, at span: Span) -> String? {
    guard let name = name(node) else { return nil }
    if name != definition { return name }
    let words = program.sources.text(span).split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    return words.contains { $0 == name } ? name : nil
  }

  /// Definitions that are only other names for others share a node with them: the shortest way from what one mentions to another, or
  /// round to itself, without its end; nil if there is none.
  private func namedWay(from name: String, to end: String) -> [String]? {
    func definition(_ item: ItemID) -> (name: String, body: ExprID)? {
      guard case .definition(let definition) = program.tree[item], case .value(let pattern) = definition.binder,
        case .name(let text) = program.tree[pattern]
      else { return nil }
      return (text, definition.body)
    }
    guard let group = program.groups.first(where: { $0.contains { definition($0)?.name == name } }), group.count > 1,
      let start = group.first(where: { definition($0)?.name == name }),
      let goal = group.first(where: { definition($0)?.name == end })
    else { return nil }
    var previous: [ItemID: ItemID] = [:]
    var queue = [start]
    var head = 0
    while head < queue.count {
      let item = queue[head]
      head += 1
      guard let body = definition(item)?.body else { continue }
      var mentioned: [ItemID] = []
      program.tree.walk(body) { child in
        if case .binder(let pattern, _) = program.resolutions[child.index],
          let target = program.definitionOfBinder[pattern], group.contains(target)
        {
          mentioned.append(target)
        }
        return true
      }
      if mentioned.contains(goal) {
        var path = [item]
        while let before = previous[path[path.count - 1]] { path.append(before) }
        return path.reversed().compactMap { definition($0)?.name }
      }
      for target in mentioned where target != start && previous[target] == nil {
        previous[target] = item
        queue.append(target)
      }
    }
    return nil
  }

  /// The shortest way round, drawn by definitions.
  private func renderCycle(_ path: [NodeID], _ span: Span) -> Diagnostic {
    var drawn: [(name: String, span: Span)] = []
    for node in path {
      let name = self.name(node) ?? "…"
      if drawn.last?.name != name { drawn.append((name, core[node].span)) }
    }
    // The last may be another node of the first.
    let around = drawn.count > 1 && drawn.first?.name == drawn.last?.name ? drawn.dropLast() : drawn[...]
    // Long ones are read by nobody.
    let ways = around.indices.map { index in
      let (name, next) = (around[index].name, around[(index + 1) % around.count].name)
      return around.count > 50 ? [name] : namedWay(from: name, to: next) ?? [name]
    }
    let names = ways.flatMap(\.self)
    // A definition may take several nodes of the way; it needs the one after them.
    let labels = drawn.indices.dropFirst().filter { !drawn[$0].span.isNone }.map { index in
      let place = index % around.count
      let next = ways[place].count > 1 ? ways[place][1] : around[(place + 1) % around.count].name
      return Label(drawn[index].span, "`\(drawn[index].name)` needs `\(next)`")
    }
    let allEvents = path.allSatisfy { if case .event = core.types[core[$0].type] { true } else { false } }
    let circle = (names + [names.first ?? "…"]).joined(separator: " -> ")
    let first = names.first ?? "x"
    let title =
      names.count == 1
      ? "`\(first)` needs its own value at the same instant"
      : "these definitions wait for each other at the same instant"
    let second = names.count > 1 ? names[1] : first
    let isDelayed = path.contains { if case .delayBehavior = core[$0].op { true } else { false } }
    let reason =
      isDelayed
      ? "`delay` looks at the past, but it begins with the first value of what it delays, which it needs at once."
      : "the circle closes with nothing in between that looks at the past."
    return Diagnostic(
      allEvents ? .circularEvents : .circularDefinition, title, at: span, label: "`\(first)` needs `\(second)`",
      labels: labels,
      notes: ["\(circle): \(reason)"]
        + (names.count == 1 && !allEvents
          ? ["A definition holds for ever: nothing is assigned. What counts is `clicks |> count`."] : []),
      helps: allEvents
        ? [Help("let the answer come just after", code: "\(second) |> delay(0s)")]
        : delaying(path).map { [$0] } ?? differencing(names) ?? remembering(first, second, path))
  }

  /// Ways out of a circle of behaviors.
  private func remembering(_ first: String, _ second: String, _ path: [NodeID]) -> [Help] {
    let behavior = core.nodes.last { node in
      if node.definition != second { return false }
      if case .event = core.types[node.type] { return false } else { return true }
    }
    let start = startValue((behavior ?? core[path[0]]).type)
    return [
      wayRound(
        "look at the value of a moment ago", first, reading: second,
        as: "sample(\(second), every(10ms)) |> hold(\(start))"),
      wayRound(
        "remember: read it where an event occurs", first, reading: second,
        as: "\(anyEvent) |> map(_ => \(second)) |> hold(\(start))"),
    ]
  }

  /// A definition with something else in place of a name that it mentions; that alone where the line would be long.
  private func wayRound(_ text: String, _ name: String, reading other: String, as code: String) -> Help {
    for (index, item) in program.tree.items.enumerated() {
      guard case .definition(let definition) = item, case .value(let pattern) = definition.binder,
        case .name(name) = program.tree[pattern]
      else { continue }
      var place: Span?
      program.tree.walk(definition.body) { child in
        if place == nil, case .name(other) = program.tree[child] { place = program.tree.span(child) }
        return place == nil
      }
      guard let place else { break }
      let whole = program.tree.span(ItemID(index))
      let before = program.sources.text(Span(file: whole.file, start: Int(whole.start), end: Int(place.start)))
      let after = program.sources.text(Span(file: whole.file, start: Int(place.end), end: Int(whole.end)))
      let line = "\(before)(\(code))\(after)"
      let isShort = line.count <= 110 && !line.contains("\n")
      let edit = code.contains(Help.blank) ? nil : Help.Edit(place, "(\(code))")
      return Help(text, code: isShort ? line : code, edit: edit)
    }
    return Help(text, code: code)
  }

  /// An event that is there: an input, or ticks.
  private var anyEvent: String {
    program.inputs.first { $0.isEvent }?.name ?? "every(1s)"
  }

  /// A value of a node's type that can be written down, for `hold`.
  func startValue(_ type: TypeID) -> String {
    switch core.types[type] {
    case .event(let content): return startValue(content)
    case .int: return "0"
    case .float: return "0.0"
    case .bool: return "false"
    case .string: return "\"\""
    case .unit: return "()"
    case .list: return "[]"
    case .map: return "Map.empty"
    default: return Help.blank
    }
  }
}
