// Parts that change only at instants, of what varies between them: of `(mode, integral(1.0))` the first is a step behavior
// (section 2 of the language), whatever stands beside it, also where an `if` chooses the pair or a `switch` shows it. So
// such a part is taken out by itself: `(if c then (1, time) else (2, 0.0)).0` is `if c then 1 else 2`, and a `switch` of such
// a pair gives its parts one by one, as one between records of events does (`switchOpen`). It does so whether or not
// somebody takes a part: at the prompt, who asks for a part later must find the same state.
//
// In: the finished graph with its kinds. Out: the same, with parts taken out and switches opened, whose kinds are to be
// inferred anew. A part that moves stays a part of the whole.

import FRPBase
import FRPCore

/// What is known while one pass over the graph takes parts out.
struct StepParts {
  struct Part: Hashable {
    var whole: CoreExprID
    var index: Int
  }
  struct Shown: Hashable {
    var node: NodeID
    var index: Int
  }
  var known: [Part: CoreExprID] = [:]
  /// Whether a part of what a node shows changes only at instants; false while that is being found out.
  var isStep: [Shown: Bool] = [:]
}

extension Elaborator {
  /// What stands for a part that is a step, though the whole is not; nil for everything else.
  mutating func stepPart(_ expr: CoreExprID) -> CoreExprID? {
    guard let (whole, index) = partTaken(expr), isContinuous(whole) else { return nil }
    let part = part(whole, index, core.type(expr), core.span(expr))
    return part == expr || isContinuous(part) ? nil : part
  }

  /// The tuple or record that an expression takes a part of, and which.
  private func partTaken(_ expr: CoreExprID) -> (whole: CoreExprID, index: Int)? {
    switch core[expr] {
    case .field(let whole, let index, tag: 0) where partTypes(core.type(whole)) != nil: (whole, index)
    case .prim(.tupleFirst, let operands): (operands[0], 0)
    case .prim(.tupleSecond, let operands): (operands[0], 1)
    default: nil
    }
  }

  private func partTypes(_ type: TypeID) -> [TypeID]? {
    switch core.types[type] {
    case .tuple(let all): all
    case .record(let fields): fields.map(\.type)
    default: nil
    }
  }

  /// Part `index` of a tuple or record, taken as far inside as its structure is known.
  private mutating func part(_ whole: CoreExprID, _ index: Int, _ type: TypeID, _ span: Span) -> CoreExprID {
    let key = StepParts.Part(whole: whole, index: index)
    if let known = stepParts.known[key] { return known }
    let result = newPart(whole, index, type, span)
    stepParts.known[key] = result
    return result
  }

  private mutating func newPart(_ whole: CoreExprID, _ index: Int, _ type: TypeID, _ span: Span) -> CoreExprID {
    switch core[whole] {
    case .construct(_, let parts) where index < parts.count: return parts[index]
    case .conditional(let test, let then, let otherwise):
      let (a, b) = (part(then, index, type, span), part(otherwise, index, type, span))
      return add(.conditional(test, then: a, otherwise: b), type, span)
    case .update(let base, let fields):
      return fields.last { $0.index == index }?.value ?? part(base, index, type, span)
    case .read(let node) where core[node].isContinuous:
      if case .lift(let inner) = core[node].op { return part(inner, index, type, span) }
      let result = add(.field(whole, index: index, tag: 0), type, span)
      if isStepShown(node, index, type, span) { continuity[result] = false }
      return result
    default:
      guard let (outer, place) = partTaken(whole) else { break }
      let inner = part(outer, place, core.type(whole), span)
      if partTaken(inner)?.whole != outer { return part(inner, index, type, span) }
    }
    return add(.field(whole, index: index, tag: 0), type, span)
  }

  /// Whether part `index` of what a `switch` (or a match on what is known once) shows changes only at instants.
  private mutating func isStepShown(_ node: NodeID, _ index: Int, _ type: TypeID, _ span: Span) -> Bool {
    let key = StepParts.Shown(node: node, index: index)
    if let known = stepParts.isStep[key] { return known }
    stepParts.isStep[key] = false
    var shown: [CoreExprID]
    switch core[node].op {
    case .switchTo(_, let first, let scope): shown = [first] + core[scope].results.map { read($0, span) }
    case .chosen(let owner, let place): shown = core[owner].op.scopes.map { read(core[$0].results[place], span) }
    default: return false
    }
    shown = shown.map { part($0, index, type, span) }
    let answer = !shown.contains { isContinuous($0) }
    stepParts.isStep[key] = answer
    return answer
  }

  // MARK: Opening

  /// Lets every node that shows steps and what moves give its parts one by one. True if there were some.
  mutating func openSwitches() -> Bool {
    var nodes: [NodeID] = []
    for (index, node) in core.nodes.enumerated() where node.isContinuous {
      guard node.op.showsScopes, let types = partTypes(node.type) else { continue }
      let parts = types.enumerated()
      if parts.contains(where: { isStepShown(NodeID(index), $0, $1, node.span) }) { nodes.append(NodeID(index)) }
    }
    var parts: [NodeID: [CoreExprID]] = [:]
    for node in nodes { parts[node] = open(node) }
    if !nodes.isEmpty { readParts(parts) }
    stepParts = StepParts()
    return !nodes.isEmpty
  }

  /// Makes a node for each part of what a node shows; the node itself then only puts them together.
  private mutating func open(_ node: NodeID) -> [CoreExprID]? {
    let whole = core[node]
    let outer = context
    defer { context = outer }
    context.scope = whole.scope
    context.definition = whole.definition
    guard let types = partTypes(whole.type), let (owner, place) = opened(whole) else { return nil }
    var count = 0
    for scope in core[owner].op.scopes {
      context.scope = scope
      let result = read(core[scope].results[place], whole.span)
      count = core[scope].results.count
      for (index, type) in types.enumerated() {
        let leaf = addNode(.lift(part(result, index, type, whole.span)), type, whole.span)
        core.scopes[scope.index].results.append(leaf)
      }
    }
    context.scope = whole.scope
    var parts: [CoreExprID] = []
    for (index, type) in types.enumerated() {
      parts.append(read(addNode(.chosen(owner, index: count + index), type, whole.span), whole.span))
    }
    core.nodes[node.index].op = .lift(add(.construct(tag: 0, parts), whole.type, whole.span))
    return parts
  }

  /// The node with the scopes that a node shows, which can have many results, and which of them it shows.
  private mutating func opened(_ whole: CoreNode) -> (owner: NodeID, place: Int)? {
    switch whole.op {
    case .chosen(let owner, let place): return (owner, place)
    case .switchTo(let source, let first, let next):
      let begin = ScopeID(core.scopes.count)
      core.scopes.append(CoreScope(parent: whole.scope, parameters: []))
      context.scope = begin
      core.scopes[begin.index].results = [addNode(.lift(first), whole.type, whole.span)]
      context.scope = whole.scope
      return (addNode(.switchOpen(source, first: begin, next), .unit, whole.span), 0)
    default: return nil
    }
  }

  /// Whoever takes a part of a node that was opened reads that part, also where it is only sampled.
  private mutating func readParts(_ parts: [NodeID: [CoreExprID]]) {
    for index in core.exprs.indices {
      guard let (base, place) = partTaken(CoreExprID(index)), case .read(let node) = core[base],
        let reads = parts[node]
      else { continue }
      core.exprs[index] = core[reads[place]]
    }
  }
}

extension NodeOp {
  /// Whether it shows what scopes of its own, or of its owner, show: one at a time.
  fileprivate var showsScopes: Bool {
    switch self {
    case .switchTo, .chosen: true
    default: false
    }
  }
}
