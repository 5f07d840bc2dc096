// The driver: a tree in, a typed program out.
//
// Order: declared types, inputs, definitions in groups (dependencies first), start values of inputs, tests, outputs,
// then what is still open gets its default, patterns are checked for gaps, and the types are handed over.

import FRPBase
import FRPCore
import FRPSyntax

/// Checks names and types of all modules of a tree. The program is nil only when there are errors; diagnostics are in
/// the order of places, warnings only where there are no errors. Cost: near linear in the size of the tree.
///
/// `syntaxErrors` are what the parser reported: definitions they lie in are not judged, and names they may have hidden
/// are not missed.
///
/// What would take more work than `budget` allows is refused (E0411).
package func checkTypes(
  _ tree: Tree, sources: SourceMap, syntaxErrors: [Diagnostic] = [], budget: CheckBudget = CheckBudget()
) -> (program: TypedProgram?, diagnostics: [Diagnostic]) {
  let facts = checkFacts(tree, sources: sources, syntaxErrors: syntaxErrors, budget: budget)
  return (facts.isClean ? facts.program : nil, facts.diagnostics)
}

/// All that checking finds out, also of a program with mistakes: what editors ask.
package struct ProgramFacts: Sendable {
  /// With `.error` where something is wrong; nil where checking was given up.
  package var program: TypedProgram?
  /// In order of place.
  package var diagnostics: [Diagnostic]
  /// Whether there are no errors of names and types, so that the program can be evaluated.
  package var isClean: Bool
  let names: NameTable
  let aliases: [(name: String, type: Ty)]

  /// The record types that have a name, as they are written out, and that name; larger ones first.
  package var aliasTexts: [(text: String, name: String)] {
    guard let program else { return [] }
    return aliases.map { (text: program.describe($0.type), name: $0.name) }.sorted {
      $0.text.utf8.count > $1.text.utf8.count
    }
  }

  /// Every name that is written, with its meaning. Cost: linear, and sorting.
  package var occurrences: [NameOccurrence] { program.map { OccurrenceFinder.all($0.tree, names) } ?? [] }

  /// The names that nothing defines.
  package var unresolved: [UnresolvedName] { program.map { OccurrenceFinder.unresolved($0.tree, names) } ?? [] }

  /// The values, and types and constructors, that a module of the program has; nil if it has none of this name.
  package func members(of module: String) -> [String]? {
    guard let program, let index = program.tree.modules.firstIndex(where: { $0.name == module }) else { return nil }
    return names.scopes[index].valueOrder + names.scopes[index].constructors.keys.sorted()
  }

  /// The constructors and types that the main file declares.
  package var declared: (constructors: [String], types: [String]) {
    guard let main = names.scopes.first else { return ([], []) }
    return (main.constructors.keys.sorted(), main.types.keys.sorted())
  }

  /// The modules that the main file imports.
  package var imports: [String] { names.scopes.first?.imports.keys.sorted() ?? [] }
}

/// The same as `checkTypes`, for who wants to know what is known of a program with mistakes.
package func checkFacts(
  _ tree: Tree, sources: SourceMap, syntaxErrors: [Diagnostic] = [], budget: CheckBudget = CheckBudget()
) -> ProgramFacts {
  let (table, nameProblems) = Resolver.resolve(tree)
  let checker = Checker(tree, sources, table, budget)
  let damage = Damage(tree, sources, syntaxErrors)
  checker.damaged = damage.items
  checker.nameProblems = nameProblems
  checker.checkProgram()
  let outputs = checker.checkOutputs()
  checker.finish()
  if let limit = budget.exceeded {
    return ProgramFacts(
      program: nil, diagnostics: [checker.tooMuchWork(limit)], isClean: false, names: table, aliases: [])
  }
  let program = checker.program(outputs)
  let gaps = checkMatches(program)
  let render = Rendering(tree: tree, sources: sources, nominals: program.nominals)
  var diagnostics = withoutRepetition(checker.nameProblems).map { render.diagnostic($0) }
  let problems = namingPipes(
    checker.problems.map { render.diagnostic($0).explained(by: checker.sharedCauses) }, tree, sources: sources)
  diagnostics += namingVariants(namingHidden(problems, program), program.nominals)
  diagnostics = saidOnce(diagnostics).filter { !damage.explains($0) }
  let isWhole = syntaxErrors.isEmpty && !diagnostics.contains { $0.severity == .error }
  diagnostics += gaps.filter { ($0.severity == .error || isWhole) && !damage.explains($0) }
  let isClean = !diagnostics.contains { $0.severity == .error }
  if isClean, syntaxErrors.isEmpty {
    diagnostics += checker.warnings().map { render.diagnostic($0) }
    diagnostics += doubts(tree, sources) + commentDoubts(tree, sources)
  }
  return ProgramFacts(
    program: program, diagnostics: inOrder(diagnostics), isClean: isClean, names: table,
    aliases: checker.aliasNames.named)
}

/// By place; equal reports once.
private func inOrder(_ list: [Diagnostic]) -> [Diagnostic] {
  let sorted = list.enumerated().sorted { a, b in
    let x = a.element.span
    let y = b.element.span
    return (x.file.raw, x.start, x.end, a.offset) < (y.file.raw, y.start, y.end, b.offset)
  }.map(\.element)
  var seen: Set<Diagnostic> = []
  return sorted.filter { seen.insert($0).inserted }
}

extension Checker {
  func checkProgram() {
    declareNominals()
    eachItem { if case .alias = tree[$0] { expandAlias($0) } }
    eachItem { if case .input = tree[$0] { declareInput($0) } }
    for group in names.groups { checkGroup(group) }
    store.steps = 0
    eachItem { item in
      switch tree[item] {
      case .input(let name, let type, let start, let source):
        guard let port = inputs[item] else { return }
        if let start { check(start, port.type, .start(name.text, tree.span(type))) }
        if let source { check(source, sourceType(port), .source(name.text, tree.span(type))) }
      case .test(_, let steps): steps.forEach(checkStep)
      default: break
      }
    }
  }

  private func eachItem(_ body: (ItemID) -> Void) {
    for (index, file) in tree.modules.enumerated() {
      module = ModuleID(index)
      file.items.forEach(body)
    }
  }

  /// Everything that is still open gets its default.
  func finish() {
    let start = progress
    solveReady()
    var rest = pending[0]
    pending[0] = []
    store.level = -1
    settleLambdas(&rest)
    settleAlone(rest)
    solveReady()
    decodings.forEach(defaultError)
    // What cannot be read may be what decides.
    for decoding in decodings where damaged.isEmpty && isUndecided(decoding.type) {
      let span = tree.span(decoding.call)
      if decoding.kind == .answer, store.variable(decoding.type) != nil {
        if isShown(decoding.type) { report(.unreadAnswer(decoding.call), at: span) }
      } else if !isIdle(span) {
        report(.undecided(decoding.call, isAnswer: decoding.kind != .data), at: span)
      }
    }
    settleOpenReports(since: start)
  }

  /// Whether an open type is a part of what an output shows.
  private func isShown(_ type: Ty) -> Bool {
    var work = outputTypes
    var seen: Set<Ty> = []
    while let next = work.popLast() {
      let root = store.find(next)
      if root == store.find(type) { return true }
      if seen.insert(root).inserted { work += store.parts(root) }
    }
    return false
  }

  /// Where a source's payload is a Result, what does not fit is its `Err`, which is an Error unless something else is said.
  private func defaultError(_ decoding: Decoding) {
    guard decoding.kind == .answer, case .nominal(.result, let parts) = store[decoding.type], store.isOpen(parts[1])
    else { return }
    _ = store.unify(expected: store.record([("message", TypeStore.string)]), actual: parts[1])
  }

  /// Whether what is decoded to a type is open. Numbers that nothing decides are Int; a record whose other fields nobody
  /// uses has no others.
  private func isUndecided(_ type: Ty) -> Bool {
    var work = [type]
    var seen: Set<Ty> = []
    while let next = work.popLast() {
      if !seen.insert(next).inserted { continue }
      if let variable = store.variable(next) {
        if !variable.classes.contains(.num) { return true }
        continue
      }
      if case .record(let fields, let tail) = store[next] {
        work += store.row(fields, tail).fields.map(\.type)
      } else {
        work += store.parts(next)
      }
    }
    return false
  }

  // MARK: Ports

  private func declareInput(_ item: ItemID) {
    guard case .input(let name, let written, let start, let source) = tree[item] else { return }
    var isEvent = false
    var payload = TypeStore.error
    if case .named(nil, let kind, let arguments) = tree[written], arguments.count == 1,
      kind.text == "Event" || kind.text == "Behavior"
    {
      isEvent = kind.text == "Event"
      payload = convert(arguments[0], .port)
    } else if case .missing = tree[written] {
    } else {
      nameProblems.append(.inputKind(name, type: tree.span(written)))
    }
    checkPortName(name, "input")
    if let (other, first) = names.input(name.text), other != item, names.moduleOfItem[other] != names.moduleOfItem[item]
    {
      nameProblems.append(.inputTwice(name, first: first))
    }
    if let part = notData(payload) {
      report(.badInput(name, show(payload), part: show(part)), at: tree.span(written))
      payload = TypeStore.error
    }
    let type = isEvent && !store.isError(payload) ? store.event(payload) : payload
    inputs[item] = InputPort(
      item: item, name: name.text, type: type, isEvent: isEvent, start: start, source: source)
  }

  /// What an input can be bound to.
  private func sourceType(_ port: InputPort) -> Ty {
    var payload = port.type
    if port.isEvent, case .event(let inner) = store[port.type] { payload = inner }
    return store.add(.nominal(.source, [payload]))
  }

  /// The first part of a type that is no data: a function, an event, a task.
  func notData(_ type: Ty) -> Ty? {
    var seen: Set<Ty> = []
    var work = [type]
    while let next = work.popLast() {
      let root = store.find(next)
      if !seen.insert(root).inserted { continue }
      switch store.nodes[root.index] {
      case .function, .event, .task: return root
      case .nominal(let id, let list):
        if store.opaqueNominals.contains(id) { return root }
        work += list
      default: work += store.parts(root)
      }
    }
    return nil
  }

  /// The outputs of the main module, in order of declaration.
  func checkOutputs() -> [OutputPort] {
    guard let main = tree.modules.first else { return [] }
    module = .main
    var outputs: [OutputPort] = []
    duplicates = Set(nameProblems.compactMap(\.duplicate))
    for item in main.items {
      switch tree[item] {
      case .definition(let definition) where definition.isOutput:
        if case .function(let name, _) = definition.binder {
          nameProblems.append(.outputFunction(name))
        }
        for pattern in names.bindersOfDefinition[item] ?? [] {
          guard case .name(let text) = tree[pattern] else { continue }
          addOutput(Name(text, tree.span(pattern)), .binder(pattern), outputs: &outputs, sink: definition.sink)
        }
      case .output(let list):
        for name in list {
          if let value = names.scopes[0].values[name.text] {
            addOutput(name, value.reference, outputs: &outputs)
          } else if let source = outerSource(name.text) {
            addOutput(name, .builtin([source]), outputs: &outputs)
          } else if !name.text.isEmpty {
            nameProblems.append(.outputUnknown(name, known: names.scopes[0].valueOrder))
          }
        }
      default: break
      }
    }
    return outputs
  }

  /// The row of `time`, `start` or `end`, which may be named as outputs like definitions.
  private func outerSource(_ name: String) -> Int? {
    (Builtins.byBareName[name] ?? []).first {
      switch Builtins.all[$0].operation {
      case .reactive(.time), .reactive(.start), .reactive(.end): true
      default: false
      }
    }
  }

  private func addOutput(
    _ name: Name, _ reference: Reference, outputs: inout [OutputPort], sink: ExprID? = nil
  ) {
    var target = Resolution.none
    var type = TypeStore.error
    switch reference {
    case .input(let item):
      target = .input(item)
      type = inputs[item]?.type ?? TypeStore.error
      if inputs[item]?.isEvent == true { type = store.parts(type).first ?? type }
    case .binder(let pattern):
      let item = names.definitionOfBinder[pattern]
      let scheme = item.flatMap { schemes[$0] } ?? OpenScheme(generics: [], type: TypeStore.error)
      let map = store.freshVariables(for: scheme.generics)
      target = .binder(pattern, scheme.generics.map { map[$0] ?? TypeStore.error })
      type = store.substitute(patternTypes[pattern.index], map)
      for generic in scheme.generics {
        if let kind = decodingGenerics[generic], let item, let open = map[generic],
          case .definition(let definition) = tree[item]
        {
          decodings.append(Decoding(call: definition.body, type: open, kind: kind))
        }
      }
      if case .event(let payload) = store[type] { type = payload }
    case .function: nameProblems.append(.outputFunction(name))
    case .builtin(let rows):
      target = .builtin(rows: rows)
      type = rows.first.map { store.instantiate(Signature.all[$0]).result } ?? TypeStore.error
      if case .event(let payload) = store[type] { type = payload }
    case .none, .reported, .constructor: break
    }
    if let part = notData(type) {
      report(.badOutput(name, show(type), part: show(part)), at: name.span)
    }
    if let first = outputPlaces[name.text].map({ outputs[$0] }) {
      // Two definitions of one name were reported as that.
      if !duplicates.contains(name.span) { nameProblems.append(.outputTwice(name, first: first.span)) }
      return
    }
    outputPlaces[name.text] = outputs.count
    outputTypes.append(type)
    checkPortName(name, "output")
    if let sink {
      check(sink, store.function([type], store.add(.task(store.fresh()))), .sink(name.text, name.span))
    }
    outputs.append(OutputPort(name: name.text, target: target, span: name.span, sink: sink))
  }

  /// Lines of traces and outputs have one key that is no port, the time, and recordings have keys that begin with `@`.
  private func checkPortName(_ name: Name, _ kind: String) {
    if name.text == "at" || name.text.hasPrefix("@") { nameProblems.append(.portName(name, kind: kind)) }
  }

  // MARK: Tests

  private func checkStep(_ step: TestStep) {
    switch step {
    case .given(let input, let value, let every, let with, _): checkGiven(input, value, every: every, with: with)
    case .answer(let callee, let parameters, let value, let every, let with, _):
      checkAnswer(callee, parameters, value: value, every: every, with: with)
    case .expectAt(let value, let at, let equals, let within, _):
      let type = infer(value)
      check(at, TypeStore.float, .testValue(nil))
      if let within {
        check(within, TypeStore.float, .testValue(nil))
      }
      demand(.eq, value, type: type, reason: .testValue(nil))
      check(equals, type, .testValue(tree.span(value)))
    case .expectMarbles(let value, let marbles, let every, let with, _):
      var type = infer(value)
      if case .event(let payload) = store[type] { type = payload }
      check(marbles, TypeStore.string, .testValue(nil))
      check(every, TypeStore.float, .testValue(nil))
      for field in with { check(field.value, type, .testValue(tree.span(value))) }
    }
  }

  private func checkGiven(_ input: Name, _ value: ExprID, every: ExprID?, with: [RecordField]) {
    guard let (item, _) = names.input(input.text), let port = inputs[item] else {
      report(.inputNotFound(input, known: inputs.values.map(\.name).sorted()), at: input.span)
      _ = infer(value)
      return
    }
    var payload = port.type
    if port.isEvent, case .event(let inner) = store[port.type] { payload = inner }
    for field in with { check(field.value, payload, .testValue(input.span)) }
    if let every {
      check(every, TypeStore.float, .testValue(nil))
      check(value, TypeStore.string, .testValue(nil))
    } else if port.isEvent {
      check(value, TypeStore.string, .testValue(nil))
    } else {
      check(value, payload, .testValue(input.span))
    }
  }

  /// What answers a task is a task that gives the same, or the text where that is decoded; what answers a source is a lane.
  private func checkAnswer(
    _ callee: ExprID, _ parameters: [PatternID], value: ExprID, every: ExprID?, with: [RecordField]
  ) {
    let type = infer(callee)
    let given = parameters.map { _ in store.fresh() }
    var result = type
    if !parameters.isEmpty {
      result = store.fresh()
      require(
        expr: callee, span: tree.span(callee), actual: type, expected: store.function(given, result),
        reason: .testValue(nil))
    }
    for (pattern, type) in zip(parameters, given) { checkPattern(pattern, type, subject: nil) }
    if let every { check(every, TypeStore.float, .testValue(nil)) }
    switch store[result] {
    case .nominal(.source, let items):
      check(value, TypeStore.string, .testValue(nil))
      for field in with { check(field.value, items[0], .testValue(tree.span(callee))) }
    case .task(let content):
      // What only the program's use decides is decoded from a text.
      let isDecoded = store.variable(content) != nil
      check(value, isDecoded ? store.add(.task(TypeStore.string)) : result, .testValue(tree.span(callee)))
    default: _ = infer(value)
    }
  }

  // MARK: Handing over

  func program(_ outputs: [OutputPort]) -> TypedProgram {
    var typed = TypedProgram(
      sources: sources, tree: tree, types: handedOver(), nominals: nominals, exprTypes: exprTypes,
      patternTypes: patternTypes, resolutions: resolutions, constructorPatterns: constructorPatterns, schemes: [:],
      definitionOfBinder: names.definitionOfBinder, behaviorAnnotations: behaviorAnnotations, groups: names.groups,
      inputs: [], outputs: outputs, tupleLambdas: tupleLambdas, alternativeBinders: names.alternativeBinders,
      blockGroups: names.blockGroups, genericClasses: store.generics.map(\.classes), openOverloads: [:])
    for (item, scheme) in schemes {
      typed.schemes[item] = Scheme(generics: scheme.generics, type: scheme.type)
      let open: [(name: String, firstArgument: Ty)] = scheme.overloads.compactMap { overload in
        guard case .function(let parameters, _) = store[overload.function], let first = parameters.first else {
          return nil
        }
        return (Builtins.all[overload.rows[0]].name, first)
      }
      if !open.isEmpty { typed.openOverloads[item] = open }
    }
    for module in tree.modules { typed.inputs += module.items.compactMap { inputs[$0] } }
    for index in typed.inputs.indices where typed.inputs[index].isEvent {
      if case .event(let payload) = typed[typed.inputs[index].type] { typed.inputs[index].type = payload }
    }
    return typed
  }

  /// All nodes, at their places, links replaced by what they lead to. A variable nobody decided is Int if it is a
  /// number, String if only `++` wants it, the empty record if it is a row, else `()`.
  private func handedOver() -> [TyNode] {
    var rows: Set<Ty> = []
    for case .record(_, let tail?) in store.nodes { rows.insert(store.find(tail)) }
    return (0..<store.nodes.count).map { index in
      let root = store.find(Ty(index))
      switch store.nodes[root.index] {
      case .variable(let variable):
        let classes = store.variables[variable].classes
        if rows.contains(root) { return .record([], tail: nil) }
        return classes.contains(.num) ? .int : classes.contains(.append) ? .string : .unit
      case .error, .link: return .error
      case .unit: return .unit
      case .bool: return .bool
      case .int: return .int
      case .float: return .float
      case .string: return .string
      case .list(let a): return .list(a)
      case .map(let k, let v): return .map(k, v)
      case .event(let a): return .event(a)
      case .task(let a): return .task(a)
      case .tuple(let list): return .tuple(list)
      case .nominal(let id, let list): return .nominal(id, list)
      case .function(let list, let result): return .function(list, result)
      case .generic(let id): return .generic(id)
      case .record(let fields, let tail): return handedOver(fields, tail)
      }
    }
  }

  private func handedOver(_ fields: [RecordFieldType], _ tail: Ty?) -> TyNode {
    let row = store.row(fields, tail)
    guard let rest = row.tail, case .generic = store[rest] else { return .record(row.fields, tail: nil) }
    return .record(row.fields, tail: rest)
  }

  // MARK: Warnings

  /// Names that hide others; definitions nobody uses, where the program says what it wants (an output or a test).
  func warnings() -> [NameProblem] {
    var found = names.hidden.map { NameProblem.hides($0.name, $0.outer) }
    guard let main = tree.modules.first else { return found }
    for item in main.items {
      guard case .importModule(let name) = tree[item], names.usedImports[.main]?.contains(name.text) != true,
        usedImports[.main]?.contains(name.text) != true
      else { continue }
      found.append(.unusedImport(name))
    }
    // A file without outputs is there for others, which use what it does not.
    let own = Set(main.items)
    for item in (main.items.contains(where: isOutput) ? main.items : []) + names.localDefinitions {
      guard case .definition(let definition) = tree[item], !definition.isOutput, !names.used.contains(item),
        names.moduleOfItem[item] == .main
      else { continue }
      guard let name = definedName(item), !name.hasPrefix("_") else { continue }
      found.append(.unused(Name(name, nameSpan(item)), isLocal: !own.contains(item)))
    }
    return found
  }

  private func isOutput(_ item: ItemID) -> Bool {
    switch tree[item] {
    case .output: return true
    case .definition(let definition): return definition.isOutput
    default: return false
    }
  }
}
