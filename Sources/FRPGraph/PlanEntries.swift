// What each node becomes: the drafts of its entries and what they depend on in the instant.

import FRPCore

extension PlanBuilder {
  // MARK: Drafts

  mutating func addDrafts(_ id: NodeID) {
    let node = core[id]
    let (kind, feed) = kinds(id)
    var draft = DraftEntry(entry: entry(id, kind))
    fill(&draft, node)
    addStages(&draft, id)
    let main = Int32(scopes[node.scope.index].drafts.count)
    draftOfNode[id.index] = main
    if let feed {
      draft.partner = main + 1
      var feedDraft = DraftEntry(entry: entry(id, feed))
      feedDraft.entry.inputType = draft.entry.inputType
      feedDraft.entry.code = draft.entry.code
      feedDraft.firstNode = node.op.operands(.later, .laterButFirst).first
      feedDraft.partner = main
      scopes[node.scope.index].drafts += [draft, feedDraft]
    } else {
      scopes[node.scope.index].drafts.append(draft)
    }
  }

  private func entry(_ id: NodeID, _ kind: EntryKind) -> Entry {
    let node = core[id]
    let type = payload(node.type)
    var entry = Entry(kind: kind, node: id, type: type, inputType: type)
    entry.isContinuous = node.isContinuous
    entry.slot = plan.layout.slots[id.index]
    if let first = node.op.nodeOperands.first { entry.inputType = payload(core[first].type) }
    entry.equality = equality(type)
    return entry
  }

  func payload(_ type: TypeID) -> TypeID {
    if case .event(let payload) = core.types[type] { return payload }
    return type
  }

  private func slotSum(_ node: CoreNode) -> SlotSum? {
    plan.optimisations.contains(.changedSums) ? SlotSum(node, core, plan.layout.slots) : nil
  }

  private func equality(_ type: TypeID) -> ValueEquality {
    switch core.types[type] {
    case .unit, .bool, .int: return .word
    case .float: return .float
    default: return .structure
    }
  }

  private func kinds(_ id: NodeID) -> (EntryKind, feed: EntryKind?) {
    let node = core[id]
    guard case .lift = node.op else { return node.op.entries }
    if node.isContinuous { return (.jump, nil) }
    if isConstant[id.index] { return (.constant, nil) }
    return (slotSum(node) == nil ? .lift : .sum, nil)
  }

  /// Operands, codes and inner scopes.
  private mutating func fill(_ draft: inout DraftEntry, _ node: CoreNode) {
    let scope = node.scope
    draft.firstNode = node.op.operands(.now).first ?? node.op.operands(.later, .laterButFirst, .tasks, .results).first
    draft.secondNode = node.op.operands(.second).first
    if let function = node.op.function { draft.entry.code = request(function, scope) }
    node.op.forEachExpression { expr, role in
      switch role {
      case .input, .start, .duration, .count, .policy, .choice, .first, .list, .right:
        draft.entry.plain = request(expr, scope)
      case .lift, .rate, .left: draft.entry.code = request(expr, scope)
      case .body, .key, .memberKey, .argument: break
      }
    }
    switch node.op {
    case .inputBehavior(let port, _), .inputEvent(let port): draft.entry.count = Int32(port)
    case .lift:
      if draft.entry.kind == .sum, let sum = slotSum(node) {
        draft.entry.first.slot = sum.slot
        draft.entry.count = sum.count
        draft.entry.isPlainTest = sum.isChain
      }
    case .crossing(let prim, _, _), .rounding(let prim, _, _, _): draft.entry.count = Int32(prim.rawValue)
    case .filter(_, let f): draft.entry.isPlainTest = collector.isPlain(f)
    case .merge(let list): draft.mergedNodes = list
    case .mapAccum(_, let start, _): draft.entry.keyType = core.type(start)
    case .switchTo(_, _, let child), .flatMap(_, let child), .flatMapLatest(_, let child), .debounceUntil(_, let child),
      .throttleUntil(_, let child), .auditUntil(_, let child):
      draft.entry.child = child.raw
    case .switchOpen(_, let first, let child):
      draft.entry.count = first.raw
      draft.entry.child = child.raw
    case .keyed(_, let key, let child), .groupBy(_, let key, let child):
      draft.entry.keyType = core.type(key.body)
      if let field = strictField(key) { draft.entry.keyField = field }
      draft.entry.child = child.raw
    case .each(let list, let key, let child):
      draft.entry.inputType = core.type(list)
      draft.entry.keyType = core.type(key.body)
      draft.entry.keyVaries = !collector.reads(key).isEmpty
      draft.entry.child = child.raw
    case .choose(_, let alternatives):
      draft.entry.child = Int32(plan.alternatives.count)
      draft.entry.count = Int32(alternatives.count)
      add(alternatives, in: scope)
    case .chosen(_, let index): draft.entry.count = Int32(index)
    case .every(_, let isAligned): draft.entry.count = isAligned ? 1 : 0
    case .time, .hold, .fold, .integral, .delayBehavior, .window, .summary, .member, .busy, .link, .items,
      .never, .start, .end, .after, .map, .filterMap, .scan, .take, .drop, .takeWhile, .takeThrough, .dropWhile,
      .takeUntil,
      .dropUntil, .distinct, .pairwise, .zip, .both, .except, .spill, .coalesce, .buffer, .bufferEvery, .batch,
      .bufferUntil, .delay, .debounce, .throttle, .audit, .changes, .updates, .when, .group, .awaited:
      break
    case .perform(_, _, let f):
      if case .source(let item) = core.types[core.type(f.body)] {
        draft.entry.performsSources = true
        draft.entry.keyType = item
      }
    }
  }

  /// The field of its record that a function gives, if that is all it does.
  private func strictField(_ function: CoreLambda) -> Int32? {
    guard case .field(let record, let index, _) = core[function.body], case .local(let local) = core[record],
      function.parameters.first == local, !core.localIsLazy[local.index]
    else { return nil }
    return Int32(index)
  }

  private mutating func add(_ alternatives: [Alternative], in scope: ScopeID) {
    let rows = alternatives.map { alternative in
      PlanAlternative(template: alternative.scope.raw, arguments: alternative.arguments.map { request($0, scope) })
    }
    plan.alternatives += rows
  }

  /// Takes in the stages that come before a node. Of operators without memory is left a `map` that may skip.
  private mutating func addStages(_ draft: inout DraftEntry, _ id: NodeID) {
    var stages = fusion.stages(before: id)
    let tail = fusion.tails[id]
    if stages.isEmpty, tail == nil { return }
    let node = core[id]
    var last: CoreLambda?
    switch node.op {
    case .scan(_, _, let f), .fold(_, _, let f): last = f
    case .hold: break
    default:
      if let own = Stage(node.op) { stages.append(own) }
      draft.entry.kind = .map
    }
    draft.entry.hasStages = !stages.isEmpty
    draft.entry.hasTail = tail != nil
    let chain = CodeRequest.chain(stages, last: last, tail: tail, node.scope)
    if draft.entry.code >= 0 {
      plan.requests[Int(draft.entry.code)] = chain
    } else {
      plan.requests.append(chain)
      draft.entry.code = Int32(plan.requests.count - 1)
    }
  }

  private mutating func request(_ expr: CoreExprID, _ scope: ScopeID) -> Int32 {
    plan.requests.append(.expression(expr, scope))
    return Int32(plan.requests.count - 1)
  }

  private mutating func request(_ lambda: CoreLambda, _ scope: ScopeID) -> Int32 {
    plan.requests.append(.lambda(lambda, scope))
    return Int32(plan.requests.count - 1)
  }

  // MARK: Dependencies in the instant

  mutating func addDependencies(_ id: NodeID) {
    let node = core[id]
    let scope = node.scope
    let main = draftOfNode[id.index]
    let partner = scopes[scope.index].drafts[Int(main)].partner
    let feed = partner >= 0 && scopes[scope.index].drafts[Int(partner)].entry.kind != .ownerLate ? partner : -1
    if feed >= 0 { dependLocally(feed, in: scope, on: main, marks: false) }
    node.op.forEachOperand { operand, role in
      switch role {
      case .now, .second, .results: depend(main, in: scope, on: operand)
      case .moments: break
      case .tasks: dependOnTasks(main, in: scope, of: operand)
      case .later: depend(feed, in: scope, on: operand)
      case .laterButFirst:
        // Only for its first value, and not where that would make a cycle.
        if delaysNeedFirstValues { depend(main, in: scope, on: operand) }
        depend(feed, in: scope, on: operand)
      }
    }
    node.op.forEachExpression { expr, role in
      switch role {
      case .lift, .left, .right, .first, .list, .memberKey: dependOnReads(main, scope, expr: expr)
      case .rate: dependOnReads(feed, scope, expr: expr)
      case .input, .start, .duration, .count, .policy, .choice, .argument, .body, .key: break
      }
    }
  }

  private mutating func dependOnTasks(_ draft: Int32, in scope: ScopeID, of perform: NodeID) {
    guard core[perform].scope == scope else { return depend(draft, in: scope, on: perform) }
    let main = draftOfNode[perform.index]
    dependLocally(draft, in: scope, on: scopes[scope.index].drafts[Int(main)].partner)
    dependLocally(draft, in: scope, on: main)
  }

  private mutating func dependOnReads(_ draft: Int32, _ scope: ScopeID, expr: CoreExprID) {
    for node in collector.reads(expr) { depend(draft, in: scope, on: node) }
  }
}
