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
      feedDraft.firstNode = feed == .batchFeed ? node.op.nodeOperands.first : draft.firstNode
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
    switch node.op {
    case .inputBehavior: return (.inputBehavior, nil)
    case .time: return (.time, nil)
    case .lift:
      if node.isContinuous { return (.jump, nil) }
      if isConstant[id.index] { return (.constant, nil) }
      return (slotSum(node) == nil ? .lift : .sum, nil)
    case .hold: return (.hold, nil)
    case .fold: return (.fold, nil)
    case .integral: return (.integral, .integralFeed)
    case .delayBehavior: return (.delayBehavior, .delayBehaviorFeed)
    case .window: return (.window, nil)
    case .crossing: return (.crossing, nil)
    case .rounding: return (.rounding, nil)
    case .member: return (.member, nil)
    case .busy: return (.busy, nil)
    case .inputEvent: return (.inputEvent, nil)
    case .never: return (.never, nil)
    case .start: return (.start, nil)
    case .end: return (.end, nil)
    case .every: return (.every, nil)
    case .after: return (.after, nil)
    case .map: return (.map, nil)
    case .filter: return (.filter, nil)
    case .filterMap: return (.filterMap, nil)
    case .scan: return (.scan, nil)
    case .merge: return (.merge, nil)
    case .take: return (.take, nil)
    case .drop: return (.drop, nil)
    case .takeWhile: return (.takeWhile, nil)
    case .dropWhile: return (.dropWhile, nil)
    case .takeUntil: return (.takeUntil, nil)
    case .dropUntil: return (.dropUntil, nil)
    case .distinct: return (.distinct, nil)
    case .pairwise: return (.pairwise, nil)
    case .zip: return (.zip, nil)
    case .spill: return (.spill, nil)
    case .coalesce: return (.coalesce, nil)
    case .buffer: return (.buffer, nil)
    case .batch: return (.batch, .batchFeed)
    case .delay: return (.delay, .delayFeed)
    case .debounce: return (.debounce, .debounceFeed)
    case .throttle: return (.throttle, nil)
    case .audit: return (.audit, .auditFeed)
    case .changes: return (.changes, nil)
    case .when: return (.when, .whenWatch)
    case .group: return (.group, nil)
    case .switchTo: return (.switchTo, nil)
    case .switchOpen: return (.switchOpen, nil)
    case .flatMap: return (.flatMap, nil)
    case .flatMapLatest: return (.flatMapLatest, nil)
    case .keyed: return (.keyed, nil)
    case .groupBy: return (.groupBy, nil)
    case .each: return (.each, nil)
    case .choose: return (.choose, nil)
    case .chosen: return (.chosen, nil)
    case .perform: return (.perform, .performFeed)
    }
  }

  /// Operands, codes and inner scopes.
  private mutating func fill(_ draft: inout DraftEntry, _ node: CoreNode) {
    let scope = node.scope
    draft.firstNode = node.op.nodeOperands.first
    switch node.op {
    case .inputBehavior(let port, let start):
      draft.entry.count = Int32(port)
      if let start { draft.entry.plain = request(start, scope) }
    case .inputEvent(let port): draft.entry.count = Int32(port)
    case .lift(let expr):
      draft.entry.code = request(expr, scope)
      if draft.entry.kind == .sum, let sum = slotSum(node) {
        draft.entry.first.slot = sum.slot
        draft.entry.count = sum.count
        draft.entry.isPlainTest = sum.isChain
      }
    case .hold(_, let e), .take(_, let e), .drop(_, let e), .buffer(_, let e), .every(let e), .after(let e),
      .delay(_, let e), .debounce(_, let e), .throttle(_, let e), .audit(_, let e), .delayBehavior(_, let e),
      .window(_, let e):
      draft.entry.plain = request(e, scope)
    case .fold(_, let start, let f), .scan(_, let start, let f):
      draft.entry.plain = request(start, scope)
      draft.entry.code = request(f, scope)
    case .integral(let rate, let start, let reset):
      draft.entry.plain = request(start, scope)
      draft.entry.code = request(rate, scope)
      draft.firstNode = nil
      draft.secondNode = reset
    case .crossing(let comparison, let left, let right):
      draft.entry.code = request(left, scope)
      draft.entry.plain = request(right, scope)
      draft.entry.count = Int32(comparison.rawValue)
    case .rounding(let prim, let x, _, _):
      draft.entry.code = request(x, scope)
      draft.entry.count = Int32(prim.rawValue)
      draft.firstNode = nil
    case .map(_, let f), .filter(_, let f), .filterMap(_, let f), .takeWhile(_, let f), .dropWhile(_, let f),
      .coalesce(_, let f):
      draft.entry.code = request(f, scope)
      if case .filter = node.op { draft.entry.isPlainTest = collector.isPlain(f) }
    case .takeUntil(_, let other), .dropUntil(_, let other), .zip(_, let other): draft.secondNode = other
    case .batch(_, let ticks): draft.firstNode = ticks
    case .merge(let list): draft.mergedNodes = list
    case .switchTo(_, let first, let child):
      draft.entry.plain = request(first, scope)
      draft.entry.child = child.raw
    case .switchOpen(_, let first, let child):
      draft.entry.count = first.raw
      draft.entry.child = child.raw
    case .flatMap(_, let child), .flatMapLatest(_, let child): draft.entry.child = child.raw
    case .keyed(_, let key, let child), .groupBy(_, let key, let child):
      draft.entry.code = request(key, scope)
      draft.entry.keyType = core.type(key.body)
      if case .field(let record, let index, _) = core[key.body], case .local(let local) = core[record],
        key.parameters.first == local, !core.localIsLazy[local.index]
      {
        draft.entry.keyField = Int32(index)
      }
      draft.entry.child = child.raw
    case .each(let list, let key, let child):
      draft.entry.plain = request(list, scope)
      draft.entry.code = request(key, scope)
      draft.entry.inputType = core.type(list)
      draft.entry.keyType = core.type(key.body)
      draft.entry.keyVaries = !collector.reads(key).isEmpty
      draft.entry.child = child.raw
    case .choose(let selector, let alternatives):
      draft.entry.plain = request(selector, scope)
      draft.entry.child = Int32(plan.alternatives.count)
      draft.entry.count = Int32(alternatives.count)
      let rows = alternatives.map { alternative in
        PlanAlternative(
          template: alternative.scope.raw, arguments: alternative.arguments.map { request($0, scope) })
      }
      plan.alternatives += rows
    case .chosen(_, let index): draft.entry.count = Int32(index)
    case .perform(_, let policy, let f):
      draft.entry.plain = request(policy, scope)
      draft.entry.code = request(f, scope)
    case .time, .member, .busy, .never, .start, .end, .distinct, .pairwise, .spill, .changes, .when, .group: break
    }
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
    for operand in mainOperands(node.op) { depend(main, in: scope, on: operand) }
    for operand in feedOperands(node.op) { depend(feed, in: scope, on: operand) }
    switch node.op {
    case .lift(let e): dependOnReads(main, scope, e)
    case .crossing(_, let left, let right):
      dependOnReads(main, scope, left)
      dependOnReads(main, scope, right)
    case .rounding(_, let x, _, _): dependOnReads(main, scope, x)
    case .switchTo(_, let first, _): dependOnReads(main, scope, first)
    case .each(let list, let key, _):
      dependOnReads(main, scope, list)
      dependOnReads(main, scope, key.body)
    case .integral(let rate, _, _): dependOnReads(feed, scope, rate)
    case .busy(let perform):
      let performFeed = scopes[core[perform].scope.index].drafts[Int(draftOfNode[perform.index])].partner
      if core[perform].scope == scope {
        dependLocally(main, in: scope, on: performFeed)
        dependLocally(main, in: scope, on: draftOfNode[perform.index])
      } else {
        depend(main, in: scope, on: perform)
      }
    default: break
    }
  }

  private mutating func dependOnReads(_ draft: Int32, _ scope: ScopeID, _ expr: CoreExprID) {
    for node in collector.reads(expr) { depend(draft, in: scope, on: node) }
  }

  /// What the main entry is fed by.
  private func mainOperands(_ op: NodeOp) -> [NodeID] {
    switch op {
    case .delay, .debounce, .audit, .when, .perform, .busy, .rounding: return []
    // Only for its first value, and not where that would make a cycle.
    case .delayBehavior(let b, _): return delaysNeedFirstValues ? [b] : []
    case .batch(_, let ticks): return [ticks]
    default: return op.nodeOperands
    }
  }

  private func feedOperands(_ op: NodeOp) -> [NodeID] {
    switch op {
    case .delay(let e, _), .debounce(let e, _), .audit(let e, _), .when(let e), .perform(let e, _, _),
      .delayBehavior(let e, _), .batch(let e, _):
      return [e]
    default: return []
    }
  }
}
