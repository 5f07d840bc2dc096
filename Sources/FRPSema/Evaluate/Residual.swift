// Closing static values into core expressions, and the facts about expressions that lifting needs.

import FRPBase
import FRPCore
import FRPSyntax

/// What elaboration knows of a core expression.
struct ExprFacts {
  /// Reads a behavior.
  var isVarying: Bool
  /// May have free locals that are bound point by point.
  var mayBePointwise: Bool
  /// A part of a value that is only there if a pattern matched; point-wise where the match varies.
  var isGuarded = false
  /// Operations, not counting what is shared twice; saturates.
  var size: Int32
}

extension Elaborator {
  // MARK: Making expressions

  mutating func add(_ expr: CoreExpr, _ type: TypeID, _ span: Span) -> CoreExprID {
    _ = budget.spend(bytes: 150)
    let id = core.add(expr, type, span)
    exprFacts.append(computeFacts(expr))
    return id
  }

  func facts(_ id: CoreExprID) -> ExprFacts { exprFacts[id.index] }

  private func computeFacts(_ expr: CoreExpr) -> ExprFacts {
    var result = ExprFacts(isVarying: false, mayBePointwise: false, size: 1)
    switch expr {
    case .read(let node): result.isVarying = !isPlain(node)
    case .local(let local), .thunk(let local): result.mayBePointwise = core.localScopes[local.index] == nil
    default: break
    }
    expr.forEachChild { child in
      let facts = exprFacts[child.index]
      result.isVarying = result.isVarying || facts.isVarying
      result.mayBePointwise = result.mayBePointwise || facts.mayBePointwise || facts.isGuarded
      result.size = min(1_000_000, result.size + facts.size)
    }
    return result
  }

  /// Whether a node's value is known once, at the start of its scope.
  func isPlain(_ node: NodeID) -> Bool {
    guard case .lift(let expr) = core[node].op, expr.raw >= 0 else { return circles.plain.contains(node) }
    return !facts(expr).isVarying
  }

  mutating func read(_ node: NodeID, _ span: Span) -> CoreExprID { add(.read(node), core[node].type, span) }

  // MARK: Nodes

  mutating func addNode(_ op: NodeOp, _ type: TypeID, _ span: Span) -> NodeID {
    _ = budget.spend(4, bytes: 1_000)
    return core.addNode(CoreNode(op: op, scope: context.scope, type: type, span: span, definition: context.definition))
  }

  /// The node of an expression without point-wise names, in the context's scope.
  mutating func lift(_ expr: CoreExprID, _ span: Span) -> NodeID {
    if case .read(let node) = core[expr] { return node }
    let key = LiftKey(expr: expr, scope: context.scope)
    if let node = liftOfExpr[key] { return node }
    let node = addNode(.lift(expr), core.type(expr), span)
    liftOfExpr[key] = node
    return node
  }

  /// The behavior node of any value that is data; nil where that was reported.
  mutating func behavior(
    _ value: StaticValue, at span: Span, operatorName: String = ""
  ) -> NodeID? {
    guard let expr = residual(value, at: span) else { return nil }
    if rejectPointwise(expr, operatorName, at: span) { return nil }
    return lift(expr, span)
  }

  /// The event node of a value whose type is an event.
  func event(_ value: StaticValue) -> NodeID? {
    if case .event(let node) = value { return node }
    return nil
  }

  // MARK: Requirements

  /// The expression of a value that must be known once (start values, durations, counts, policies).
  mutating func plain(_ value: StaticValue, _ what: String, of name: String, at span: Span) -> CoreExprID? {
    guard let expr = residual(value, at: span) else { return nil }
    if facts(expr).isVarying {
      let varying = firstRead(expr)
      report(.mustBePlain(what: "\(what) of `\(name)`", expr, varying: varying, in: context.definition), at: span)
      return nil
    }
    if rejectPointwise(expr, name, at: span) { return nil }
    return expr
  }

  /// Reports an argument of what remembers that depends on a point-wise name; true if it did.
  mutating func rejectPointwise(_ expr: CoreExprID, _ operatorName: String, at span: Span) -> Bool {
    guard let pointwise = firstPointwise(expr) else { return false }
    report(.memoryPointwise(operatorName: operatorName, pointwise), at: span)
    return true
  }

  enum Pointwise {
    case local(LocalID)
    case matched(CoreExprID)
  }

  /// A free name of the expression that is bound point by point.
  func firstPointwise(_ root: CoreExprID, bound parameters: [LocalID] = []) -> Pointwise? {
    guard facts(root).mayBePointwise || facts(root).isGuarded else { return nil }
    var bound = Set(parameters)
    var free: [LocalID] = []
    var seen: Set<CoreExprID> = []
    var pending = [root]
    var matched: [CoreExprID] = []
    var closed: Set<CoreExprID> = []
    while let expr = pending.popLast() {
      if exprFacts[expr.index].isGuarded { matched.append(expr) }
      guard exprFacts[expr.index].mayBePointwise, seen.insert(expr).inserted, budget.spend() else { continue }
      if let guards = closedGuards[expr] { closed.formUnion(guards) }
      switch core[expr] {
      case .local(let local) where core.localScopes[local.index] == nil: free.append(local)
      case .thunk(let local) where core.localScopes[local.index] == nil: free.append(local)
      case .lambda(let lambda): bound.formUnion(lambda.parameters)
      case .suspend(let bindings, _): bound.formUnion(bindings.map(\.local))
      default: break
      }
      core[expr].forEachChild { pending.append($0) }
    }
    if let local = free.first(where: { !bound.contains($0) }) { return .local(local) }
    return matched.first { !closed.contains($0) && !mentions($0, bound) }.map { .matched($0) }
  }

  private func mentions(_ root: CoreExprID, _ locals: Set<LocalID>) -> Bool {
    if locals.isEmpty { return false }
    var seen: Set<CoreExprID> = []
    var pending = [root]
    while let expr = pending.popLast() {
      guard exprFacts[expr.index].mayBePointwise, seen.insert(expr).inserted, budget.spend() else { continue }
      if case .local(let local) = core[expr], locals.contains(local) { return true }
      core[expr].forEachChild { pending.append($0) }
    }
    return false
  }

  /// Some behavior that the expression reads, for messages: the one whose definition has a name.
  func firstRead(_ root: CoreExprID) -> NodeID? {
    var seen: Set<CoreExprID> = []
    var pending = [root]
    var found: NodeID?
    while let expr = pending.popLast() {
      guard exprFacts[expr.index].isVarying, seen.insert(expr).inserted, budget.spend() else { continue }
      if case .read(let node) = core[expr] {
        found = node
        if !core[node].definition.isEmpty { return node }
      }
      core[expr].forEachChild { pending.append($0) }
    }
    return found
  }

  // MARK: Closing

  /// The core expression of a value that is data; nil (and a report) for events and functions with memory.
  mutating func residual(_ value: StaticValue, at span: Span) -> CoreExprID? {
    if isGivenUp { return nil }
    switch value {
    case .data(let expr): return expr
    case .error: return nil
    case .event(let node):
      report(.eventAsData(node), at: span)
      return nil
    case .tuple(let elements, let type):
      guard let parts = residuals(elements, at: span) else { return nil }
      return add(.construct(tag: 0, parts), type, span)
    case .record(let fields, let type):
      guard let parts = residuals(fields.map(\.value), at: span) else { return nil }
      return add(.construct(tag: 0, parts), type, span)
    case .list(let elements, let type):
      guard let parts = residuals(elements, at: span) else { return nil }
      if let closed = closedLists[parts] { return closed }
      return add(.list(parts, spreads: parts.map { _ in false }), type, span)
    case .variant(let tag, let parts, let type):
      guard let parts = residuals(parts, at: span) else { return nil }
      return add(.construct(tag: tag, parts), type, span)
    case .closure(let closure): return residual(closure, at: span)
    }
  }

  private mutating func residuals(_ values: [StaticValue], at span: Span) -> [CoreExprID]? {
    guard spendList(values.count) else { return nil }
    var result: [CoreExprID] = []
    for value in values {
      guard let expr = residual(value, at: span) else { return nil }
      result.append(expr)
    }
    return result
  }

  /// A function as a value of the core.
  private mutating func residual(_ closure: Closure, at span: Span) -> CoreExprID? {
    guard case .function(let parameters, _) = core.types[closure.type] else { return nil }
    guard let lambda = lambda(closure, parameters, at: span) else { return nil }
    return add(.lambda(lambda.lambda), closure.type, span).wrapped(in: lambda.suspended, &self, closure.type, span)
  }

  struct MadeLambda {
    var lambda: CoreLambda
    /// Computations from outside that the body shares: to be suspended where the lambda's value is made.
    var suspended: [(local: LocalID, value: CoreExprID)]
  }

  /// A function entered at fresh parameters, as a node's own function: what it shares with the outside stays in
  /// place, since it is entered where it stands.
  mutating func entered(
    _ function: StaticValue, _ parameters: [TypeID], at span: Span
  ) -> CoreLambda? {
    let locals = parameters.map { core.addLocal("", $0) }
    let arguments = locals.map { StaticValue.data(add(.local($0), core.localTypes[$0.index], span)) }
    nameParameters(function, locals)
    let result = apply(function, arguments, at: span)
    guard let body = residual(result, at: span) else { return nil }
    return CoreLambda(locals, body)
  }

  /// Gives locals the names of the parameters they stand for, for messages.
  mutating func nameParameters(_ function: StaticValue, _ locals: [LocalID]) {
    for (name, local) in zip(parameterNames(of: function), locals) {
      if let name { core.localNames[local.index] = name }
    }
  }

  /// What a function calls its parameters; nil for one that it takes apart.
  func parameterNames(of function: StaticValue) -> [String?] {
    guard case .closure(let closure) = function else { return [] }
    var patterns: [PatternID] = []
    switch closure.kind {
    case .lambda(_, let parameters, _) where closure.takesTuple:
      // One parameter stands for all of them.
      let names = parameters.map { program.sources.text(program.tree.span($0)) }
      return ["(\(names.joined(separator: ", ")))"]
    case .lambda(_, let parameters, _): patterns = parameters
    case .function(let item):
      if case .definition(let definition) = program.tree[item], case .function(_, let parameters) = definition.binder {
        patterns = parameters.map(\.pattern)
      }
    default: break
    }
    return patterns.map { if case .name(let name) = program.tree[$0] { name } else { nil } }
  }

  private mutating func lambda(_ closure: Closure, _ parameters: [TypeID], at span: Span) -> MadeLambda? {
    let locals = parameters.map { core.addLocal("", $0) }
    nameParameters(.closure(closure), locals)
    let start = core.exprs.count
    let mark = forced.count
    let arguments = locals.map { StaticValue.data(add(.local($0), core.localTypes[$0.index], span)) }
    let result = apply(.closure(closure), arguments, at: span)
    guard let body = residual(result, at: span) else { return nil }
    var suspended: [(local: LocalID, value: CoreExprID)] = []
    let closed = suspendOutside(body, Outside(before: start, forced[mark...]), &suspended)
    return MadeLambda(lambda: CoreLambda(locals, closed), suspended: suspended)
  }

  /// Replaces computations that were made outside of the lambda by lazy locals, so that they are done once and not at
  /// every call. Looking something up is cheap and is left alone.
  private mutating func suspendOutside(
    _ root: CoreExprID, _ outside: Outside, _ suspended: inout [(local: LocalID, value: CoreExprID)]
  ) -> CoreExprID {
    var replaced: [CoreExprID: CoreExprID] = [:]
    var found = suspended
    let result = rewrite(root, &replaced) { elaborator, expr in
      guard outside.contains(expr) else { return nil }
      if case .local = elaborator.core[expr] { return expr }
      if elaborator.isCheap(expr) { return expr }
      let type = elaborator.core.type(expr)
      let local = elaborator.core.addLocal("", type, isLazy: true)
      found.append((local, expr))
      return elaborator.add(.local(local), type, elaborator.core.span(expr))
    }
    suspended = found
    return result
  }

  /// Whether evaluating again costs about as much as remembering.
  func isCheap(_ expr: CoreExprID) -> Bool {
    switch core[expr] {
    case .local(let local) where core.localIsLazy[local.index]: return false
    case .unit, .bool, .int, .float, .string, .local, .read, .thunk: return true
    case .field(let base, _, _), .hasTag(let base, _): return isCheap(base)
    case .construct(_, let parts): return parts.isEmpty
    default: return false
    }
  }
}

/// What was made outside of a function while its body was made, or before: definitions of the blocks around it are made
/// where they are needed first, which may be there.
struct Outside {
  private let start: Int
  /// By place, none in another.
  private var ranges: [Range<Int>] = []

  init(before start: Int, _ forced: ArraySlice<Elaborator.Forced>) {
    self.start = start
    for definition in forced.sorted(by: { ($0.first, $1.end) < ($1.first, $0.end) })
    where definition.born <= start && definition.first >= start && definition.end > definition.first {
      if let last = ranges.last, definition.first < last.upperBound { continue }
      ranges.append(definition.first..<definition.end)
    }
  }

  func contains(_ expr: CoreExprID) -> Bool {
    if expr.index < start { return true }
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= expr.index { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(expr.index)
  }
}

extension CoreExprID {
  /// The expression inside the suspensions that it needs.
  func wrapped(
    in suspended: [(local: LocalID, value: CoreExprID)], _ elaborator: inout Elaborator, _ type: TypeID, _ span: Span
  ) -> CoreExprID {
    suspended.isEmpty ? self : elaborator.add(.suspend(suspended, self), type, span)
  }
}
