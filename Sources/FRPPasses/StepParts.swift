// Parts that change only at instants, of what varies between them: of `(mode, integral(1.0))` the first is a step behavior
// (section 2 of the language), whatever stands beside it, also where an `if` chooses the pair or a `switch` shows it; so is
// whether a value is `Running(time)` or `Idle`. Such a part is taken out by itself: `(if c then (1, time) else (2, 0.0)).0` is
// `if c then 1 else 2`, and a `switch` of such a pair gives its parts one by one, as one between records of events does
// (`switchOpen`). It does so whether or not somebody takes a part: at the prompt, who asks for a part later must find the
// same state.
//
// In: the finished graph with its kinds. Out: the same, with parts taken out and switches opened, whose kinds are to be
// inferred anew. A part that moves stays a part of the whole.

import FRPBase
import FRPCore

/// What is known while one pass over the graph takes parts out.
struct StepParts {
  /// Which part of a tuple, record or variant.
  enum Place: Hashable {
    case field(Int, tag: Int)
    /// Whether it has this tag.
    case tag(Int)
  }
  struct Part: Hashable {
    var whole: CoreExprID
    var place: Place
  }
  struct Shown: Hashable {
    var node: NodeID
    var place: Place
  }
  var known: [Part: CoreExprID] = [:]
  /// Whether a part of what a node shows changes only at instants; false while that is being found out.
  var isStep: [Shown: Bool] = [:]
  /// By type, for all passes.
  var ofType: [TypeID: [(place: Place, type: TypeID)]?] = [:]
  /// How many nodes have been opened in all passes.
  var opened = 0
  /// How deep in what was opened a node stands that shows a part of it.
  var depth: [NodeID: Int] = [:]

  mutating func forget() {
    known = [:]
    isStep = [:]
  }
}

extension Draft {
  private typealias Place = StepParts.Place
  /// The parts of a type, with theirs.
  private typealias Parts = [(place: Place, type: TypeID)]

  /// What stands for a part that is a step, though the whole is not; nil for everything else.
  mutating func stepPart(_ expr: CoreExprID) -> CoreExprID? {
    guard let (whole, place) = partTaken(expr), isContinuous(whole) else { return nil }
    let part = part(whole, place, type: core.type(expr), at: core.span(expr))
    if part == expr || isContinuous(part) { return nil }
    switch core[part] {
    // Made here, so it is nobody else's.
    case .conditional, .field: if facts(expr).isGuarded { exprFacts[part.index].isGuarded = true }
    default: break
    }
    return part
  }

  /// What an expression takes a part of, and which.
  private func partTaken(_ expr: CoreExprID) -> (whole: CoreExprID, place: Place)? {
    switch core[expr] {
    case .field(let whole, let index, let tag): (whole, .field(index, tag: tag))
    case .hasTag(let whole, let tag): (whole, .tag(tag))
    case .prim(.tupleFirst, let operands): (operands[0], .field(0, tag: 0))
    case .prim(.tupleSecond, let operands): (operands[0], .field(1, tag: 0))
    case .prim(.optionIsNone, let operands): (operands[0], .tag(0))
    case .prim(.optionIsSome, let operands): (operands[0], .tag(1))
    default: nil
    }
  }

  /// A part of a value, taken as far inside as its structure is known.
  private mutating func part(_ whole: CoreExprID, _ place: Place, type: TypeID, at span: Span) -> CoreExprID {
    let key = StepParts.Part(whole: whole, place: place)
    if let known = stepParts.known[key] { return known }
    let result = newPart(whole, place, type: type, at: span)
    stepParts.known[key] = result
    return result
  }

  private mutating func newPart(_ whole: CoreExprID, _ place: Place, type: TypeID, at span: Span) -> CoreExprID {
    switch (core[whole], place) {
    case (.construct(let tag, let parts), .field(let index, let asked)) where tag == asked && index < parts.count:
      return parts[index]
    case (.construct, .field): return anyValue(type, span, depth: 0) ?? take(whole, place, type: type, at: span)
    case (.construct(let tag, _), .tag(let asked)): return add(.bool(tag == asked), .bool, span)
    case (.conditional(let test, let then, let otherwise), _):
      let (a, b) = (part(then, place, type: type, at: span), part(otherwise, place, type: type, at: span))
      if case (.bool(let x), .bool(let y)) = (core[a], core[b]), x == y { return a }
      return add(.conditional(test, then: a, otherwise: b), type, span)
    case (.update(let base, let fields), .field(let index, _)):
      return fields.last { $0.index == index }?.value ?? part(base, place, type: type, at: span)
    case (.read(let node), _) where core[node].isContinuous:
      if case .lift(let inner) = core[node].op { return part(inner, place, type: type, at: span) }
      let result = take(whole, place, type: type, at: span)
      if isStepShown(node, place, type: type, at: span) { continuity[result] = false }
      return result
    default:
      guard let (outer, outerPlace) = partTaken(whole) else { break }
      let inner = part(outer, outerPlace, type: core.type(whole), at: span)
      if partTaken(inner)?.whole != outer { return part(inner, place, type: type, at: span) }
    }
    return take(whole, place, type: type, at: span)
  }

  private mutating func take(_ whole: CoreExprID, _ place: Place, type: TypeID, at span: Span) -> CoreExprID {
    switch place {
    case .field(let index, let tag): add(.field(whole, index: index, tag: tag), type, span)
    case .tag(let tag): add(.hasTag(whole, tag), .bool, span)
    }
  }

  /// Whether a part of what a `switch` (or a match on what is known once) shows changes only at instants.
  private mutating func isStepShown(_ node: NodeID, _ place: Place, type: TypeID, at span: Span) -> Bool {
    let key = StepParts.Shown(node: node, place: place)
    if let known = stepParts.isStep[key] { return known }
    stepParts.isStep[key] = false
    var shown: [CoreExprID] = []
    switch core[node].op.motion {
    case .switched(let first, _): shown.append(first)
    case .chosen: break
    case .time, .integral, .lift, .delayed, .members, .groups, .member, .crossing, .step: return false
    }
    shown += core.results(shownBy: node).map { read($0, span) }
    guard openable(node)?.contains(where: { $0.place == place }) ?? false else { return false }
    shown = shown.map { part($0, place, type: type, at: span) }
    let answer = !shown.contains { isContinuous($0) }
    stepParts.isStep[key] = answer
    return answer
  }

  // MARK: Types

  /// The parts by which a `switch` of this type can be opened: the fields of tuples and records; of variants the tags, and
  /// the fields of each. Nil for other types, and where a field would have no value beside another tag.
  private mutating func parts(of type: TypeID) -> Parts? {
    if let known = stepParts.ofType[type] { return known }
    let result = newParts(of: type)
    stepParts.ofType[type] = .some(result)
    return result
  }

  private mutating func newParts(of type: TypeID) -> Parts? {
    switch core.types[type] {
    case .tuple(let all): return fields(all, tag: 0)
    case .record(let all): return fields(all.map(\.type), tag: 0)
    case .variant(.set, _), .variant(.secret, _): return nil
    case .variant:
      guard let constructors = core.types.constructors[type] else { return nil }
      var result: Parts = []
      for tag in constructors.indices { result.append((.tag(tag), .bool)) }
      for (tag, constructor) in constructors.enumerated() {
        for field in constructor.fields where anyValue(field, .none, depth: 0) == nil { return nil }
        result += fields(constructor.fields, tag: tag)
      }
      return result
    default: return nil
    }
  }

  private func fields(_ types: [TypeID], tag: Int) -> Parts {
    types.enumerated().map { (.field($0, tag: tag), $1) }
  }

  /// Some value of a type, which nobody looks at: it stands for a field beside another tag. Nil where there is none, or
  /// none that is short.
  private mutating func anyValue(_ type: TypeID, _ span: Span, depth: Int) -> CoreExprID? {
    if depth > 6 { return nil }
    func all(_ types: [TypeID], _ draft: inout Draft) -> [CoreExprID]? {
      var result: [CoreExprID] = []
      for type in types {
        guard let value = draft.anyValue(type, span, depth: depth + 1) else { return nil }
        result.append(value)
      }
      return result
    }
    switch core.types[type] {
    case .unit: return add(.unit, type, span)
    case .bool: return add(.bool(false), type, span)
    case .int: return add(.int(0), type, span)
    case .float: return add(.float(0), type, span)
    case .string: return add(.string(""), type, span)
    case .list: return add(.list([], spreads: []), type, span)
    case .tuple(let types): return all(types, &self).map { add(.construct(tag: 0, $0), type, span) }
    case .record(let fields): return all(fields.map(\.type), &self).map { add(.construct(tag: 0, $0), type, span) }
    case .variant(.set, _), .variant(.secret, _): return nil
    case .variant:
      for (tag, constructor) in (core.types.constructors[type] ?? []).enumerated() {
        if let parts = all(constructor.fields, &self) { return add(.construct(tag: tag, parts), type, span) }
      }
      return nil
    case .map, .function, .event, .task, .source: return nil
    }
  }

  // MARK: Opening

  /// Who opens `Node(Node(…))` in a `switch` between such opens what that shows, which may be as much again. Beyond these bounds
  /// a part is sampled like the whole: so deep, and so many in a program.
  private static let deepest = 4
  private static let mostOpened = 2_000

  /// The parts by which a node can be opened.
  private mutating func openable(_ node: NodeID) -> Parts? {
    guard core[node].op.showsScopes, stepParts.depth[node, default: 0] < Self.deepest,
      stepParts.opened < Self.mostOpened
    else { return nil }
    return parts(of: core[node].type)
  }

  /// Lets every node that shows steps and what moves give its parts one by one. True if there were some.
  mutating func openSwitches() -> Bool {
    var nodes: [(NodeID, Parts)] = []
    for (index, node) in core.nodes.enumerated() where node.isContinuous {
      guard let parts = openable(NodeID(index)) else { continue }
      if parts.contains(where: { isStepShown(NodeID(index), $0.place, type: $0.type, at: node.span) }) {
        nodes.append((NodeID(index), parts))
      }
    }
    var reads: [StepParts.Shown: CoreExprID] = [:]
    for (node, parts) in nodes { open(node, parts, reads: &reads) }
    if !nodes.isEmpty { readParts(reads) }
    stepParts.opened += nodes.count
    stepParts.forget()
    return !nodes.isEmpty
  }

  /// Makes a node for each part of what a node shows; the node itself then only puts them together.
  private mutating func open(_ node: NodeID, _ parts: Parts, reads: inout [StepParts.Shown: CoreExprID]) {
    let whole = core[node]
    let outer = context
    defer { context = outer }
    context.scope = whole.scope
    context.definition = whole.definition
    guard let (owner, place) = opened(whole) else { return }
    var count = 0
    for scope in core[owner].op.scopes {
      context.scope = scope
      let result = read(core[scope].results[place], whole.span)
      count = core[scope].results.count
      for part in parts {
        let leaf = leaf(result, part.place, type: part.type, whole: whole)
        core.scopes[scope.index].results.append(addNode(.lift(leaf), part.type, at: whole.span))
      }
    }
    context.scope = whole.scope
    for (index, part) in parts.enumerated() {
      let leaf = addNode(.chosen(owner, index: count + index), part.type, at: whole.span)
      stepParts.depth[leaf] = stepParts.depth[node, default: 0] + 1
      reads[StepParts.Shown(node: node, place: part.place)] = read(leaf, whole.span)
    }
    core.nodes[node.index].op = .lift(together(node, whole, reads: reads))
  }

  /// A part of what a scope shows, or any value where it is not there.
  private mutating func leaf(_ shown: CoreExprID, _ place: Place, type: TypeID, whole: CoreNode) -> CoreExprID {
    let part = part(shown, place, type: type, at: whole.span)
    guard case .field(_, let tag) = place, case .variant = core.types[whole.type],
      let other = anyValue(type, whole.span, depth: 0)
    else { return part }
    let isThere = self.part(shown, .tag(tag), type: .bool, at: whole.span)
    if case .bool(let known) = core[isThere] { return known ? part : other }
    return add(.conditional(isThere, then: part, otherwise: other), type, whole.span)
  }

  /// The value that has these parts.
  private mutating func together(
    _ node: NodeID, _ whole: CoreNode, reads: [StepParts.Shown: CoreExprID]
  ) -> CoreExprID {
    let counts: [Int]
    switch core.types[whole.type] {
    case .tuple(let all): counts = [all.count]
    case .record(let all): counts = [all.count]
    default: counts = (core.types.constructors[whole.type] ?? []).map(\.fields.count)
    }
    var result: CoreExprID?
    for (tag, count) in counts.enumerated().reversed() {
      let fields = (0..<count).compactMap { reads[StepParts.Shown(node: node, place: .field($0, tag: tag))] }
      let value = add(.construct(tag: tag, fields), whole.type, whole.span)
      if let rest = result, let test = reads[StepParts.Shown(node: node, place: .tag(tag))] {
        result = add(.conditional(test, then: value, otherwise: rest), whole.type, whole.span)
      } else {
        result = value
      }
    }
    return result ?? add(.unreachable, whole.type, whole.span)
  }

  /// The node with the scopes that a node shows, which can have many results, and which of them it shows.
  mutating func opened(_ whole: CoreNode) -> (owner: NodeID, place: Int)? {
    if case .chosen(let owner, let place) = whole.op { return (owner, place) }
    guard case .switchTo(let source, let first, let next) = whole.op else { return nil }
    let begin = ScopeID(core.scopes.count)
    core.scopes.append(CoreScope(parent: whole.scope, parameters: []))
    context.scope = begin
    core.scopes[begin.index].results = [addNode(.lift(first), whole.type, at: whole.span)]
    context.scope = whole.scope
    return (addNode(.switchOpen(source, first: begin, next), .unit, at: whole.span), 0)
  }

  /// Whoever takes a part of a node that was opened reads that part, also where it is only sampled.
  private mutating func readParts(_ reads: [StepParts.Shown: CoreExprID]) {
    for index in core.exprs.indices {
      guard let (base, place) = partTaken(CoreExprID(index)), case .read(let node) = core[base],
        let read = reads[StepParts.Shown(node: node, place: place)]
      else { continue }
      core.exprs[index] = core[read]
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
