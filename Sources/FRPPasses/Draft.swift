// A core program under way: what evaluation hands to the passes, and each pass to the next.
//
// An expression and the facts about it are made together (`add`), so both are one value. What only evaluation knows (the
// tree, environments, names of parameters, words) is not here; what only one pass knows while it is at work stands in
// that pass's file.

import FRPBase
import FRPCore

/// What is known of a core expression; kept as it is made.
package struct ExprFacts {
  /// Reads a behavior.
  package var isVarying: Bool
  /// May have free locals that are bound point by point.
  package var mayBePointwise: Bool
  /// A part of a value that is only there if a pattern matched; point-wise where the match varies.
  package var isGuarded = false
  /// Operations, not counting what is shared twice; saturates.
  package var size: Int32
}

/// Where expressions are being made.
package struct Context {
  /// Where memory starts.
  package var scope: ScopeID
  /// The definition that faults and the graph name.
  package var definition: String

  package init(scope: ScopeID, definition: String) {
    self.scope = scope
    self.definition = definition
  }
}

package struct Draft {
  package var core: CoreProgram
  /// The work that is left.
  package var budget: CheckBudget
  package var context = Context(scope: .program, definition: "")
  /// Errors, in the order in which they were found.
  package var problems: [ModeProblem] = []
  /// Located comparisons (`.crossing` nodes) that cannot be bounded, at most one a place.
  package internal(set) var unboundedComparisons: [(comparison: NodeID, reason: Unbounded)] = []

  /// By `CoreExprID`.
  package var exprFacts: [ExprFacts] = []
  /// By expression: the guarded parts that its own conditionals guard.
  package var closedGuards: [CoreExprID: Set<CoreExprID>] = [:]
  /// `derivative` nodes that wait for the whole graph. Until then each is its subject.
  package var pendingDerivatives: [(node: NodeID, of: CoreExprID)] = []
  /// Nodes that were made for an expression, so that it is computed once.
  private var lifts: [Lift: NodeID] = [:]

  let continuity = Continuity()
  /// How much work was spent on writing out calls, of what all of a program's calls are given.
  var writingOut = 0

  // What passes know while they are at work.
  var partial = PartialEvaluation()
  var stepParts = StepParts()
  var rounded = RoundedOutputs()

  private struct Lift: Hashable {
    var expr: CoreExprID
    var scope: ScopeID
  }

  package init(_ core: CoreProgram, _ budget: CheckBudget) {
    self.core = core
    self.budget = budget
  }

  /// The draft itself, for a pass that holds it while it is at work: two that hold it would copy it.
  mutating func taken() -> Draft {
    var result = Draft(CoreProgram(sources: core.sources), budget)
    swap(&self, &result)
    return result
  }

  // MARK: Making

  package mutating func add(_ expr: CoreExpr, _ type: TypeID, _ span: Span) -> CoreExprID {
    _ = budget.spend(bytes: 150)
    let id = core.add(expr, type, span)
    exprFacts.append(computeFacts(expr))
    return id
  }

  package mutating func read(_ node: NodeID, _ span: Span) -> CoreExprID { add(.read(node), core[node].type, span) }

  package mutating func addNode(_ op: NodeOp, _ type: TypeID, at span: Span) -> NodeID {
    _ = budget.spend(4, bytes: 1_000)
    return core.addNode(CoreNode(op: op, scope: context.scope, type: type, span: span, definition: context.definition))
  }

  /// The node of an expression without point-wise names, in the context's scope.
  package mutating func lift(_ expr: CoreExprID, _ span: Span) -> NodeID {
    if case .read(let node) = core[expr] { return node }
    let key = Lift(expr: expr, scope: context.scope)
    if let node = lifts[key] { return node }
    let node = addNode(.lift(expr), core.type(expr), at: span)
    lifts[key] = node
    return node
  }

  /// An expression inside the suspensions that it needs.
  package mutating func wrapped(
    _ expr: CoreExprID, in suspended: [(local: LocalID, value: CoreExprID)], type: TypeID, at span: Span
  ) -> CoreExprID {
    suspended.isEmpty ? expr : add(.suspend(suspended, expr), type, span)
  }

  /// Takes up a problem, at most one a place. `call` is the one that put the place into the program.
  package mutating func report(_ kind: ModeProblem.Kind, at span: Span, in call: (name: String, span: Span)? = nil) {
    if problems.contains(where: { $0.span == span }) { return }
    problems.append(ModeProblem(kind: kind, span: span, call: call))
  }

  // MARK: Facts

  package func facts(_ id: CoreExprID) -> ExprFacts { exprFacts[id.index] }

  private func computeFacts(_ expr: CoreExpr) -> ExprFacts {
    var result = ExprFacts(isVarying: false, mayBePointwise: false, size: 1)
    switch expr {
    case .read(let node): result.isVarying = !isPlain(node)
    case .placeholder(let isPlain): result.isVarying = !isPlain
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
  private func isPlain(_ node: NodeID) -> Bool {
    if case .lift(let expr) = core[node].op { !facts(expr).isVarying } else { false }
  }

  /// What a read of a definition stands for: its form is known, though its parts may vary.
  package func known(_ expr: CoreExprID) -> CoreExprID {
    if case .read(let node) = core[expr], case .lift(let inner) = core[node].op { inner } else { expr }
  }

  /// Whether evaluating again costs about as much as remembering.
  package func isCheap(_ expr: CoreExprID) -> Bool {
    switch core[expr] {
    case .local(let local) where core.localIsLazy[local.index]: false
    case .unit, .bool, .int, .float, .string, .local, .read, .thunk: true
    case .field(let base, _, _), .hasTag(let base, _): isCheap(base)
    case .construct(_, let parts): parts.isEmpty
    default: false
    }
  }

  /// Visits what an expression is made of, as far as the budget goes; see `CoreProgram.visit`.
  @discardableResult
  package func visit(
    _ root: CoreExprID, among isAmong: (CoreExprID) -> Bool = { _ in true }, _ visit: (CoreExprID) -> Visit
  ) -> Bool {
    core.visit(root, among: isAmong) { budget.spend() ? visit($0) : .leave }
  }

  /// The behaviors an expression reads, in order of first mention, as far as the budget goes.
  func reads(_ root: CoreExprID) -> [NodeID] { core.reads(root, within: budget) }

  /// Whether some part of an expression, or itself, is such.
  func contains(_ root: CoreExprID, _ isSuch: (CoreExprID) -> Bool) -> Bool {
    visit(root) { isSuch($0) ? .stop : .enter }
  }

  /// A free name of the expression that is bound point by point.
  package func firstPointwise(_ root: CoreExprID, bound parameters: [LocalID] = []) -> Pointwise? {
    guard facts(root).mayBePointwise || facts(root).isGuarded else { return nil }
    var bound = Set(parameters)
    var free: [LocalID] = []
    var matched: [CoreExprID] = []
    var closed: Set<CoreExprID> = []
    func isAmong(_ expr: CoreExprID) -> Bool {
      if exprFacts[expr.index].isGuarded { matched.append(expr) }
      return exprFacts[expr.index].mayBePointwise
    }
    visit(root, among: isAmong) { expr in
      if let guards = closedGuards[expr] { closed.formUnion(guards) }
      switch core[expr] {
      case .local(let local), .thunk(let local): if core.localScopes[local.index] == nil { free.append(local) }
      case .lambda(let lambda): bound.formUnion(lambda.parameters)
      case .suspend(let bindings, _): bound.formUnion(bindings.map(\.local))
      default: break
      }
      return .enter
    }
    if let local = free.first(where: { !bound.contains($0) }) { return .local(local) }
    return matched.first { !closed.contains($0) && !mentions($0, bound) }.map { .matched($0) }
  }

  /// Whether an expression mentions one of these that is not bound within itself.
  private func mentions(_ root: CoreExprID, _ locals: Set<LocalID>) -> Bool {
    if locals.isEmpty { return false }
    var (mentioned, own): (Set<LocalID>, Set<LocalID>) = ([], [])
    visit(root, among: { exprFacts[$0.index].mayBePointwise }) { expr in
      switch core[expr] {
      case .local(let local): if locals.contains(local) { mentioned.insert(local) }
      case .lambda(let lambda): own.formUnion(lambda.parameters)
      case .suspend(let bindings, _): own.formUnion(bindings.map(\.local))
      default: break
      }
      return .enter
    }
    return !mentioned.isSubset(of: own)
  }

  /// Some behavior that the expression reads, for messages: the one whose definition has a name.
  package func firstRead(_ root: CoreExprID) -> NodeID? {
    var found: NodeID?
    visit(root, among: { exprFacts[$0.index].isVarying }) { expr in
      guard case .read(let node) = core[expr] else { return .enter }
      found = node
      return core[node].definition.isEmpty ? .enter : .stop
    }
    return found
  }

  // MARK: Rewriting

  /// An expression with others in place of some of its parts; `change` answers nil to go on below.
  package mutating func rewrite(
    _ expr: CoreExprID, _ memo: inout [CoreExprID: CoreExprID],
    change: (inout Draft, CoreExprID) -> CoreExprID?
  ) -> CoreExprID {
    if let known = memo[expr] { return known }
    guard budget.spend() else { return expr }
    if let changed = change(&self, expr) {
      memo[expr] = changed
      return changed
    }
    var isChanged = false
    let node = core[expr].mapChildren { child in
      let new = rewrite(child, &memo, change: change)
      isChanged = isChanged || new != child
      return new
    }
    let result = isChanged ? add(node, core.type(expr), core.span(expr)) : expr
    if isChanged { keepGuards(of: expr, in: result, memo: memo) }
    memo[expr] = result
    return result
  }

  /// What was said of parts that are there only if a pattern matched holds for those that take their places.
  package mutating func keepGuards(
    of expr: CoreExprID, in result: CoreExprID, memo: [CoreExprID: CoreExprID]
  ) {
    if facts(expr).isGuarded { exprFacts[result.index].isGuarded = true }
    guard let closed = closedGuards[expr] else { return }
    closedGuards[result, default: []].formUnion(closed.map { memo[$0] ?? $0 })
  }
}
