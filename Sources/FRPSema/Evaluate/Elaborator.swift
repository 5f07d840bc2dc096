// Elaboration: the typed tree -> the core. Here it *evaluates* the structure of the program (definitions, functions, open
// records, events, scopes) and leaves data as core expressions; see `StaticValue`. What can be said of the finished graph alone
// is the matter of FRPPasses. Every decision about lifting falls out of evaluation:
//
// - an operator on data whose operands read behaviors is an expression that reads behaviors (rule 1);
// - a call of a function is its body with the arguments put in, or a call of a point-wise core function (rule 2);
// - a lambda given to an event operator is entered at the occurrence, its reads are samples (rule 3);
// - what remembers becomes a node of the scope it stands in; an argument with a free point-wise name is an error (rule 7).
//
// There is no search: evaluation is deterministic, each definition is evaluated once (once a choice of types).
//
// In: `TypedProgram` (no errors). Out: a `Draft`, which the passes make a `CoreProgram`, or problems of codes E04xx and E06xx.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

/// What becomes of calls of functions without memory: the only choice that lifting leaves open, one of cost (rule 2).
package enum CallChoice: Sendable {
  /// Small bodies are put in, large ones called.
  case bySize
  /// Whatever can be called is, so that the two can be held against each other.
  case calls
}

/// Turns a typed program into core. Cost: linear in the program after calls of functions with memory are replaced by
/// their bodies.
///
/// What would take more work than `budget` allows is refused (E0411). `shows` sees the core after evaluation and after each
/// pass (`Passes.names`), every time it is run.
package func elaborate(
  _ program: TypedProgram, calls: CallChoice = .bySize, budget: CheckBudget = CheckBudget(),
  shows: (_ pass: String, CoreProgram) -> Void = { _, _ in }
) -> (core: CoreProgram?, diagnostics: [Diagnostic]) {
  var foreseen: [ItemID: Outline] = [:]
  var first: [Diagnostic]?
  for _ in 0..<mostPasses {
    var elaborator = Elaborator(program, budget)
    if calls == .calls { elaborator.unfolding.sizeLimit = 0 }
    elaborator.circles.foreseen = foreseen
    elaborator.elaborateProgram()
    let (core, diagnostics) = elaborator.finish(shows)
    if budget.exceeded != nil { return (nil, diagnostics) }
    if let first, elaborator.circles.isRefuted { return (nil, first) }
    if let core { return (core, diagnostics) }
    first = first ?? diagnostics
    let known = foreseen.merging(elaborator.circles.found) { $1 }
    if known == foreseen { return (nil, diagnostics) }
    foreseen = known
  }
  return (nil, first ?? [])
}

/// Every pass learns more of what is in a circle of definitions; a chain that needs more passes than this is refused.
private let mostPasses = 8

struct Elaborator {
  let program: TypedProgram
  /// What is being made.
  var draft: Draft
  /// Whether what is being made is given up because it has no end.
  var isGivenUp = false
  /// What is wrong with functions that nobody calls.
  var problemsOfUnused: [Diagnostic] = []
  var effects: Effects

  /// Top-level value definitions and the environment of the top level.
  var thunks: [ItemID: Thunk] = [:]
  let top = Env(parent: nil, generics: [:])
  var inputNodes: [ItemID: NodeID] = [:]
  var topLevel: Set<ItemID> = []

  /// Interned monomorphic types of `Ty`s without generics, by `Ty`.
  var monomorphic: [Int32: TypeID] = [:]

  var unfolding = Unfolding()
  var functions = CoreFunctions()
  /// Definitions in the order in which they were made, with the expressions that were made for them.
  var forced: [Forced] = []
  /// Definitions that are asked for while they are being made.
  var circles = Circles()
  let reactiveInstances = ReactiveInstances()
  /// What functions call the members they are given, for messages.
  var parameterNames: [NodeID: String] = [:]
  /// One shared node for each source without arguments, by scope.
  var sharedSources: [String: NodeID] = [:]
  /// Guarded parts of the match that is being evaluated.
  var openGuards: Set<CoreExprID> = []
  /// The nodes of plain lists that were given a name, by the scopes they stand in and their elements.
  private var closedLists: [ScopeID: [[CoreExprID]: CoreExprID]] = [:]

  init(_ program: TypedProgram, _ budget: CheckBudget) {
    self.program = program
    draft = Draft(CoreProgram(sources: program.sources), budget)
    effects = Effects(program)
    core.types.nominalNames = program.nominals.map(\.name)
  }

  // MARK: The program

  mutating func elaborateProgram() {
    for (port, input) in program.inputs.enumerated() { declareInput(input, port: port) }
    for module in program.tree.modules {
      for item in module.items {
        declareDefinition(item, env: top)
        topLevel.insert(item)
      }
    }
    for (port, input) in program.inputs.enumerated() { giveStart(input, port: port) }
    for group in program.groups {
      for item in group {
        isGivenUp = false
        evaluateDefinition(item)
      }
    }
    isGivenUp = false
    for output in program.outputs { declareOutput(output) }
    for (port, input) in program.inputs.enumerated() { bindSource(input, port: port) }
    checkUnusedFunctions()
  }

  mutating func finish(
    _ shows: (_ pass: String, CoreProgram) -> Void
  ) -> (core: CoreProgram?, diagnostics: [Diagnostic]) {
    if !problemsOfUnused.isEmpty { return (nil, problemsOfUnused) }
    // Passes put lifted nodes in the place of what was written.
    let doubts = draft.problems.isEmpty ? renderReadOnce() : []
    if draft.problems.isEmpty {
      Passes.run(&draft) { shows($0, $1.core) }
    } else {
      draft.findCyclesThatSeemToVary()
    }
    if let limit = budget.exceeded { return (nil, [tooMuchWork(limit)]) }
    return draft.problems.isEmpty ? (core, doubts + renderUnbounded()) : (nil, renderProblems())
  }

  private mutating func declareInput(_ input: InputPort, port: Int) {
    let type = monomorph(input.type, top)
    let span = program.tree.span(input.item)
    context = Context(scope: .program, definition: input.name)
    let node = addNode(
      input.isEvent ? .inputEvent(port: port) : .inputBehavior(port: port, start: nil),
      input.isEvent ? core.types.event(type) : type, at: span)
    inputNodes[input.item] = node
    core.inputs.append(
      CorePort(name: input.name, type: type, isEvent: input.isEvent, node: node, span: span))
  }

  /// The start value of an input may name definitions.
  private mutating func giveStart(_ input: InputPort, port: Int) {
    guard let expr = input.start, let node = inputNodes[input.item] else { return }
    context = Context(scope: .program, definition: input.name)
    let start = plain(evaluate(expr, top), "first value", of: input.name, at: program.tree.span(expr))
    core.nodes[node.index].op = .inputBehavior(port: port, start: start)
  }

  /// Makes a definition's name known; its value is made when it is first needed.
  mutating func declareDefinition(_ item: ItemID, env: Env) {
    guard case .definition(let definition) = program.tree[item] else { return }
    guard case .value(let pattern) = definition.binder else {
      if !env.isTop { env.functions.insert(item) }
      return
    }
    var inner = context
    inner.definition = Printer.text(of: pattern, of: program.tree, in: program.sources)
    let thunk = Thunk(item: item, env: env, context: inner, born: core.exprs.count)
    if env.isTop { thunks[item] = thunk } else { env.thunks[item] = thunk }
  }

  private mutating func evaluateDefinition(_ item: ItemID) {
    guard let thunk = thunks[item], let scheme = program.schemes[item], scheme.generics.isEmpty else { return }
    _ = force(thunk, [], at: program.tree.span(item))
  }

  private mutating func declareOutput(_ output: OutputPort) {
    context = Context(scope: .program, definition: output.name)
    let value = resolve(output.target, type: nil, at: output.span, top)
    if case .error = value { return }
    if case .event(let node) = value {
      guard case .event(let payload) = core.types[core[node].type] else { return }
      core.outputs.append(
        CorePort(name: output.name, type: payload, isEvent: true, node: node, span: output.span))
      bindSink(output, to: node)
      return
    }
    let count = core.nodes.count
    guard let node = behavior(value, at: output.span) else { return }
    // A node that was made for the output is the definition's value, and a fault in it the definition's.
    if core.nodes.count > count, case .binder(let pattern, _) = output.target,
      let item = program.definitionOfBinder[pattern]
    {
      core.nodes[node.index].span = program.tree.span(item)
    }
    var port = CorePort(name: output.name, type: core[node].type, isEvent: false, node: node, span: output.span)
    port.isSampled = output.isSampled
    core.outputs.append(port)
    if output.sink != nil {
      bindSink(output, to: addNode(.updates(node), core.types.event(core[node].type), at: output.span))
    }
  }

  // MARK: Definitions

  /// The value of a definition at some choice of types; a definition that is asked for while it is being made answers
  /// with a placeholder node, which is tied to the value in the end.
  mutating func force(_ thunk: Thunk, _ instance: [TypeID], at span: Span) -> StaticValue {
    switch thunk.instances[instance] {
    case .done(let value): return value
    case .running(let placeholder?): return placeholder
    case .running(nil):
      let placeholder = makePlaceholder(thunk, instance, at: span)
      thunk.instances[instance] = .running(placeholder: placeholder)
      return placeholder
    case nil: break
    }
    guard case .definition(let definition) = program.tree[thunk.item] else { return .error }
    thunk.instances[instance] = .running(placeholder: nil)
    let outer = context
    defer { context = outer }
    context = thunk.context
    let env = Env(parent: thunk.env, generics: generics(of: thunk.item, instance, in: thunk.env))
    let (first, calls) = (core.exprs.count, functions.openCalls)
    defer {
      // Calls of functions that are still being made are completed in the body that they stand in.
      if calls == functions.openCalls { forced.append(Forced(first: first, end: core.exprs.count, born: thunk.born)) }
    }
    var value = evaluate(definition.body, env)
    value = shareDefinition(value, thunk, span: program.tree.span(definition.body))
    if case .running(let placeholder?) = thunk.instances[instance] {
      tie(placeholder, to: value, at: program.tree.span(definition.body))
      noteOutline(of: value, for: thunk.item)
    }
    thunk.instances[instance] = .done(value)
    return value
  }

  func generics(of item: ItemID, _ instance: [TypeID], in env: Env) -> [GenericID: TypeID]? {
    guard let scheme = program.schemes[item], !scheme.generics.isEmpty else { return nil }
    var result = env.generics
    for (generic, type) in zip(scheme.generics, instance) { result[generic] = type }
    return result
  }

  /// A definition is one shared thing: data that takes work becomes a node of its own. A node of plain data is
  /// computed once, when its scope starts, and still counts as plain.
  private mutating func shareDefinition(_ value: StaticValue, _ thunk: Thunk, span: Span) -> StaticValue {
    switch value {
    case _ where !budget.spend(): return .error
    case .data(let expr):
      guard !isCheap(expr), firstPointwise(expr) == nil else { return value }
      let isSmall = facts(expr).size < (facts(expr).isVarying && thunk.env.isTop ? 2 : 6)
      return isSmall ? value : .data(read(lift(expr, span), span))
    case .record(let fields, let type):
      return .record(
        fields.map { ($0.name, shareDefinition($0.value, thunk, span: span)) }, type)
    case .tuple(let elements, let type):
      return .tuple(elements.map { shareDefinition($0, thunk, span: span) }, type)
    case .list(let elements, let type): return shareList(elements, type, thunk: thunk, span: span)
    default: return value
    }
  }

  /// A list stays open, and its closed form is remembered if all of it is plain data.
  private mutating func shareList(
    _ elements: [StaticValue], _ type: TypeID, thunk: Thunk, span: Span
  ) -> StaticValue {
    guard budget.spend(1 + elements.count / 4) else { return .error }
    let plain = elements.compactMap { element -> CoreExprID? in
      if case .data(let expr) = element, !facts(expr).isVarying, firstPointwise(expr) == nil { expr } else { nil }
    }
    if plain.count == elements.count, !plain.isEmpty {
      if closedList(plain) == nil {
        let closed = add(.list(plain, spreads: plain.map { _ in false }), type, span)
        closedLists[context.scope, default: [:]][plain] = read(lift(closed, span), span)
      }
      return .list(elements, type)
    }
    if elements.count > 64 { return .list(elements, type) }
    return .list(elements.map { shareDefinition($0, thunk, span: span) }, type)
  }

  /// The node of a plain list with these elements that is there wherever this scope is.
  func closedList(_ elements: [CoreExprID]) -> CoreExprID? {
    if closedLists.isEmpty { return nil }
    var scope: ScopeID? = context.scope
    while let inner = scope {
      if let known = closedLists[inner]?[elements] { return known }
      scope = core[inner].parent
    }
    return nil
  }

  // MARK: Types

  /// The monomorphic type of an inferred one, where `env` says what its generics stand for.
  mutating func monomorph(_ ty: Ty, _ env: Env) -> TypeID {
    if let known = monomorphic[ty.raw] { return known }
    var isClosed = true
    let type = monomorph(ty, env, isClosed: &isClosed)
    if isClosed { monomorphic[ty.raw] = type }
    return type
  }

  private mutating func monomorph(_ ty: Ty, _ env: Env, isClosed: inout Bool) -> TypeID {
    switch program[ty] {
    case .error, .unit: return .unit
    case .bool: return .bool
    case .int: return .int
    case .float: return .float
    case .string: return .string
    case .list(let a): return core.types.intern(.list(monomorph(a, env, isClosed: &isClosed)))
    case .event(let a): return core.types.intern(.event(monomorph(a, env, isClosed: &isClosed)))
    case .task(let a): return core.types.intern(.task(monomorph(a, env, isClosed: &isClosed)))
    case .map(let k, let v):
      let key = monomorph(k, env, isClosed: &isClosed)
      return core.types.intern(.map(key, monomorph(v, env, isClosed: &isClosed)))
    case .tuple(let all):
      var types: [TypeID] = []
      for element in all { types.append(monomorph(element, env, isClosed: &isClosed)) }
      return core.types.intern(.tuple(types))
    case .function(let parameters, let result):
      var types: [TypeID] = []
      for parameter in parameters { types.append(monomorph(parameter, env, isClosed: &isClosed)) }
      return core.types.intern(.function(types, monomorph(result, env, isClosed: &isClosed)))
    case .record(let fields, let tail):
      var types: [FieldType] = []
      for field in fields { types.append(FieldType(field.name, monomorph(field.type, env, isClosed: &isClosed))) }
      let rest = tail.map { monomorph($0, env, isClosed: &isClosed) }
      if let rest, case .record(let more) = core.types[rest] {
        types.append(contentsOf: more.filter { extra in !types.contains { $0.name == extra.name } })
        types.sort { $0.name < $1.name }
      }
      return core.types.intern(.record(types))
    case .nominal(.source, let all): return core.types.intern(.source(monomorph(all[0], env, isClosed: &isClosed)))
    case .nominal(let nominal, let all):
      var types: [TypeID] = []
      for argument in all { types.append(monomorph(argument, env, isClosed: &isClosed)) }
      return nominalType(nominal, types)
    case .generic(let generic):
      isClosed = false
      return env.generics[generic] ?? .unit
    }
  }

  mutating func nominalType(_ nominal: NominalID, _ arguments: [TypeID]) -> TypeID {
    let id = core.types.intern(.variant(nominal, arguments))
    if core.types.constructors[id] != nil { return id }
    core.types.setConstructors([], of: id)
    // A type that holds itself at other types may have any number of instances.
    guard budget.spend(8, bytes: 4_000) else { return id }
    let declaration = program.nominals[nominal.index]
    var generics: [GenericID: TypeID] = [:]
    for (generic, type) in zip(declaration.generics, arguments) { generics[generic] = type }
    let env = Env(parent: nil, generics: generics)
    var constructors: [Constructor] = []
    for declared in declaration.cases {
      var fields: [TypeID] = []
      for field in declared.fields {
        var isClosed = true
        fields.append(monomorph(field, env, isClosed: &isClosed))
      }
      constructors.append(Constructor(name: declared.name, labels: declared.labels, fields: fields))
    }
    core.types.setConstructors(constructors, of: id)
    return id
  }

  func type(of expr: ExprID) -> Ty { program.exprTypes[expr.index] }

  func holdsEvents(_ type: TypeID) -> Bool { core.types.holdsEvents(type) }
}

// MARK: - What is being made

extension Elaborator {
  var core: CoreProgram {
    _read { yield draft.core }
    _modify { yield &draft.core }
  }
  var context: Context {
    _read { yield draft.context }
    _modify { yield &draft.context }
  }
  var budget: CheckBudget { draft.budget }

  mutating func add(_ expr: CoreExpr, _ type: TypeID, _ span: Span) -> CoreExprID { draft.add(expr, type, span) }
  mutating func read(_ node: NodeID, _ span: Span) -> CoreExprID { draft.read(node, span) }
  mutating func addNode(_ op: NodeOp, _ type: TypeID, at span: Span) -> NodeID { draft.addNode(op, type, at: span) }
  mutating func lift(_ expr: CoreExprID, _ span: Span) -> NodeID { draft.lift(expr, span) }
  func facts(_ expr: CoreExprID) -> ExprFacts { draft.exprFacts[expr.index] }
  func known(_ expr: CoreExprID) -> CoreExprID { draft.known(expr) }
  func isCheap(_ expr: CoreExprID) -> Bool { draft.isCheap(expr) }
  func firstRead(_ expr: CoreExprID) -> NodeID? { draft.firstRead(expr) }
  func firstPointwise(_ expr: CoreExprID, bound: [LocalID] = []) -> Pointwise? {
    draft.firstPointwise(expr, bound: bound)
  }
  /// Whether an expression is known once, when its scope starts.
  func isPlain(_ expr: CoreExprID) -> Bool { !facts(expr).isVarying && firstPointwise(expr) == nil }
}
