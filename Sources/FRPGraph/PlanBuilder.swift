// Core -> plan. Scopes are taken from the innermost out, because an owner depends on what its scopes capture.
//
// 1. Every live node becomes one or two drafts of entries (PlanEntries.swift), with what they need in the instant.
// 2. Every scope, inner ones first: which entries its results need, their order, and what it asks of outer scopes.
// 3. With all orders known, operands are resolved and dependents listed.

import FRPBase
import FRPCore

/// An entry before its place is known. Numbers of drafts are dense in their scope.
struct DraftEntry {
  var entry: Entry
  /// Drafts of the same scope that must come before it.
  var after: [Int32] = []
  /// Those of `after` that mark it when they change.
  var markedBy: [Int32] = []
  /// Nodes of outer scopes that it depends on.
  var outer: [NodeID] = []
  var firstNode: NodeID?
  var secondNode: NodeID?
  var mergedNodes: [NodeID] = []
  /// Set where source and feed, owner and late part name one another.
  var partner: Int32 = -1
}

struct DraftScope {
  var drafts: [DraftEntry] = []
  /// Draft -> place in the order; -1 for those that do not run.
  var places: [Int32] = []
  var order: [Int32] = []
  var earlyCount = 0
}

private struct Dependency: Hashable {
  var scope: ScopeID
  var draft: Int32
  var source: Int32
  var marks: Bool
}

struct PlanBuilder {
  let core: CoreProgram
  var plan: Plan
  var collector: ReadCollector
  var fusion: EventFusion
  var scopes: [DraftScope]
  /// By node: its main draft; -1 if it does not run.
  var draftOfNode: [Int32]
  /// By node: whether it is data that is known as soon as its scope starts. Start values, durations and the like may
  /// read it.
  var isConstant: [Bool]
  /// By scope: the node that owns it.
  var ownerOfScope: [NodeID?]
  /// What has been listed in `after` and `markedBy` of drafts: an entry may depend on any number of others.
  private var dependencies: Set<Dependency> = []
  /// Whether `delay` of a behavior comes after that behavior, so that it starts with its first value.
  let delaysNeedFirstValues: Bool

  private let budget: CheckBudget?

  static func build(
    _ core: CoreProgram, _ optimisations: Optimisations, budget: CheckBudget?
  ) throws(PlanProblem) -> Plan {
    var builder = PlanBuilder(core, optimisations, budget, delaysNeedFirstValues: true)
    do throws(PlanProblem) {
      return try builder.run()
    } catch {
      guard case .cycle = error else { throw error }
      // A loop through a delayed behavior.
      builder = PlanBuilder(core, optimisations, budget, delaysNeedFirstValues: false)
      return try builder.run()
    }
  }

  private init(
    _ core: CoreProgram, _ optimisations: Optimisations, _ budget: CheckBudget?, delaysNeedFirstValues: Bool
  ) {
    self.core = core
    self.budget = budget
    self.delaysNeedFirstValues = delaysNeedFirstValues
    plan = Plan(core: core, optimisations: optimisations, layout: Layout(core))
    fusion = EventFusion(none: core)
    collector = ReadCollector(core, budget)
    scopes = [DraftScope](repeating: DraftScope(), count: core.scopes.count)
    draftOfNode = [Int32](repeating: -1, count: core.nodes.count)
    ownerOfScope = [NodeID?](repeating: nil, count: core.scopes.count)
    isConstant = [Bool](repeating: false, count: core.nodes.count)
  }

  private mutating func run() throws(PlanProblem) -> Plan {
    plan.isLive = liveNodes(core, &collector)
    isConstant = constants(core, plan.isLive, collector: &collector)
    if plan.optimisations.contains(.fusedEvents) {
      fusion = EventFusion(core, plan.isLive, &collector)
      for index in core.nodes.indices where fusion.isStage[index] { plan.isLive[index] = false }
    }
    for index in core.nodes.indices where plan.isLive[index] && !fusion.isTail[index] {
      for scope in core.nodes[index].op.scopes { ownerOfScope[scope.index] = NodeID(index) }
      addDrafts(NodeID(index))
      try spend(4, on: NodeID(index))
    }
    for index in core.nodes.indices where fusion.isTail[index] {
      guard let scan = core.nodes[index].op.nodeOperands.first else { continue }
      draftOfNode[index] = draftOfNode[scan.index]
    }
    for index in core.nodes.indices where plan.isLive[index] && !fusion.isTail[index] {
      addDependencies(NodeID(index))
      try spend(4, on: NodeID(index))
    }
    for scope in core.scopes.indices.reversed() { try order(ScopeID(scope)) }
    for scope in core.scopes.indices { plan.templates.append(template(ScopeID(scope))) }
    addPorts()
    try compile()
    return plan
  }

  /// Takes work for a node.
  private func spend(_ count: Int, on node: NodeID?) throws(PlanProblem) {
    if let budget, !budget.spend(count), let limit = budget.exceeded {
      throw .tooMuchWork(limit, collector.stoppedAt() ?? node)
    }
  }

  private mutating func compile() throws(PlanProblem) {
    var compiler = CodeCompiler(core: core, layout: plan.layout, plan.optimisations, budget: budget)
    for (index, request) in plan.requests.enumerated() {
      let code =
        switch request {
        case .expression(let expr, let scope): compiler.compile(expression: expr, in: scope)
        case .lambda(let lambda, let scope): compiler.compile(lambda, in: scope)
        case .chain(let stages, let last, let tail, let scope):
          compiler.compile(stages, last: last, tail: tail, in: scope)
        }
      plan.codes.append(code)
      if budget?.exceeded != nil { try spend(1, on: node(ofRequest: index)) }
    }
    for index in core.nodes.indices where plan.isLive[index] && core.nodes[index].isContinuous {
      _ = compiler.compile(pulled: NodeID(index))
      try spend(1, on: NodeID(index))
    }
    plan.code = compiler.code
  }

  /// The node whose expression or function a code is.
  private func node(ofRequest index: Int) -> NodeID? {
    for template in plan.templates {
      for entry in template.entries where Int(entry.code) == index || Int(entry.plain) == index { return entry.node }
    }
    return nil
  }

  // MARK: Dependencies

  /// Says that `draft` of `scope` depends, within the instant, on a node.
  mutating func depend(_ draft: Int32, in scope: ScopeID, on node: NodeID) {
    let node = fusion.origin(node)
    guard plan.isLive[node.index] else { return }
    if core[node].scope == scope {
      let source = draftOfNode[node.index]
      dependLocally(draft, in: scope, on: source)
    } else if !scopes[scope.index].drafts[Int(draft)].outer.contains(node) {
      scopes[scope.index].drafts[Int(draft)].outer.append(node)
    }
  }

  mutating func dependLocally(_ draft: Int32, in scope: ScopeID, on source: Int32, marks: Bool = true) {
    guard source >= 0 else { return }
    let index = Int(draft)
    var edge = Dependency(scope: scope, draft: draft, source: source, marks: false)
    if dependencies.insert(edge).inserted, scopes[scope.index].drafts[index].after.first != source {
      scopes[scope.index].drafts[index].after.append(source)
    }
    edge.marks = true
    if marks, dependencies.insert(edge).inserted { scopes[scope.index].drafts[index].markedBy.append(source) }
  }

  // MARK: Order

  /// Orders the entries of one scope; its inner scopes have been ordered.
  private mutating func order(_ id: ScopeID) throws(PlanProblem) {
    let drafts = scopes[id.index].drafts
    let needs = drafts.map(\.after)
    let results = core[id].results.filter { plan.isLive[$0.index] && core[$0].scope == id }
      .map { draftOfNode[$0.index] }
    let pushed = drafts.indices.filter { drafts[$0].entry.kind != .jump }.map { Int32($0) }
    let runs = closure(pushed + results, needs)
    let isEarly: [Bool]
    if id == .program {
      isEarly = runs
    } else {
      isEarly = closure(results, needs)
    }
    let early = drafts.indices.filter { runs[$0] && isEarly[$0] }.map { Int32($0) }
    let late = drafts.indices.filter { runs[$0] && !isEarly[$0] }.map { Int32($0) }
    let placed = placingCrossings(needs, id)
    let first = try sorted(early, placed, id: id)
    let second = try sorted(late, placed, id: id)
    scopes[id.index].order = first + second
    scopes[id.index].earlyCount = first.count
    var places = [Int32](repeating: -1, count: drafts.count)
    for (place, draft) in scopes[id.index].order.enumerated() { places[Int(draft)] = Int32(place) }
    scopes[id.index].places = places
    if let parent = core[id].parent, let owner = ownerOfScope[id.index] { handOut(id, to: parent, owner: owner) }
  }

  private func sorted(_ members: [Int32], _ needs: [[Int32]], id: ScopeID) throws(PlanProblem) -> [Int32] {
    let (order, cycle) = topologicalOrder(needs, among: members)
    if let cycle { throw .cycle(cycle.map { scopes[id.index].drafts[Int($0)].entry.node }) }
    return order
  }

  /// Makes the owner depend on what the scope depends on.
  private mutating func handOut(_ id: ScopeID, to parent: ScopeID, owner: NodeID) {
    let main = draftOfNode[owner.index]
    var late = scopes[parent.index].drafts[Int(main)].partner
    let scope = scopes[id.index]
    if late < 0, scope.order.count > scope.earlyCount {
      late = addLateOwner(main, owner, in: parent)
    }
    for (place, draft) in scope.order.enumerated() {
      let reader = place < scope.earlyCount ? main : late
      for node in scope.drafts[Int(draft)].outer { depend(reader, in: parent, on: node) }
    }
    for node in core[id].results where core[node].scope != id { depend(main, in: parent, on: node) }
  }

  private mutating func addLateOwner(_ main: Int32, _ owner: NodeID, in parent: ScopeID) -> Int32 {
    let late = Int32(scopes[parent.index].drafts.count)
    var draft = DraftEntry(
      entry: Entry(kind: .ownerLate, node: owner, type: core[owner].type, inputType: core[owner].type))
    draft.partner = main
    draft.after = [main]
    scopes[parent.index].drafts.append(draft)
    scopes[parent.index].drafts[Int(main)].partner = late
    return late
  }

  // MARK: Templates

  func operand(_ node: NodeID?, from scope: ScopeID) -> Operand {
    guard let node = node.map(fusion.origin), plan.isLive[node.index] else { return .none }
    let home = core[node].scope
    let draft = draftOfNode[node.index]
    return Operand(
      up: plan.layout.depths[scope.index] - plan.layout.depths[home.index],
      entry: draft < 0 ? -1 : scopes[home.index].places[Int(draft)], slot: plan.layout.slots[node.index])
  }

  private mutating func template(_ id: ScopeID) -> Template {
    let scope = scopes[id.index]
    var template = Template(
      scope: id, parent: core[id].parent.map { $0.raw } ?? -1, depth: plan.layout.depths[id.index],
      parameters: core[id].parameters, frameWords: plan.layout.frameSizes[id.index])
    if let owner = ownerOfScope[id.index], let parent = core[id].parent {
      template.owner = scopes[parent.index].places[Int(draftOfNode[owner.index])]
    }
    template.earlyCount = Int32(scope.earlyCount)
    template.stageCount = Int32(core[id].nodes.count { fusion.isStage[$0.index] || fusion.isTail[$0.index] })
    var dependents = [[Int32]](repeating: [], count: scope.order.count)
    for (place, draft) in scope.order.enumerated() {
      for source in scope.drafts[Int(draft)].markedBy {
        let sourcePlace = scope.places[Int(source)]
        if sourcePlace >= 0 { dependents[Int(sourcePlace)].append(Int32(place)) }
      }
    }
    for (place, draft) in scope.order.enumerated() {
      var entry = resolved(scope.drafts[Int(draft)], in: id)
      let words = entry.kind.state.words
      if words > 0 {
        entry.state = template.stateWords
        template.stateWords += Int32(words)
      }
      entry.dependentsStart = Int32(template.dependents.count)
      template.dependents += dependents[place].sorted()
      entry.dependentsEnd = Int32(template.dependents.count)
      template.entries.append(entry)
    }
    template.earlyCaptures = captures(id, 0..<scope.earlyCount)
    template.lateCaptures = captures(id, scope.earlyCount..<scope.order.count)
    template.results = core[id].results.map { operand($0, from: id) }
    for result in template.results where result.up == 0 && result.entry >= 0 {
      template.entries[Int(result.entry)].isResult = true
    }
    addReferenceSlots(&template)
    return template
  }

  private mutating func resolved(_ draft: DraftEntry, in id: ScopeID) -> Entry {
    var entry = draft.entry
    if entry.kind != .sum { entry.first = operand(draft.firstNode, from: id) }
    entry.second = operand(draft.secondNode, from: id)
    if draft.partner >= 0 { entry.partner = scopes[id.index].places[Int(draft.partner)] }
    if !draft.mergedNodes.isEmpty {
      entry.operands = Int32(plan.operands.count)
      entry.count = Int32(draft.mergedNodes.count)
      plan.operands += draft.mergedNodes.map { operand($0, from: id) }
    }
    return entry
  }

  private func captures(_ id: ScopeID, _ places: Range<Int>) -> [ScopeCapture] {
    let scope = scopes[id.index]
    var sources: [NodeID] = []
    var dependents: [NodeID: [Int32]] = [:]
    for place in places {
      for node in scope.drafts[Int(scope.order[place])].outer {
        if dependents[node] == nil { sources.append(node) }
        dependents[node, default: []].append(Int32(place))
      }
    }
    return sources.map { ScopeCapture(source: operand($0, from: id), dependents: dependents[$0] ?? []) }
      .filter { $0.source.entry >= 0 }
  }

  private func addReferenceSlots(_ template: inout Template) {
    let id = template.scope
    for parameter in core[id].parameters where core.types.mayRefer(core.localTypes[parameter.index]) {
      template.referenceSlots.append(plan.layout.parameterSlots[parameter.index])
    }
    for node in core[id].nodes where plan.layout.slots[node.index] >= 0 && core.types.mayRefer(core[node].type) {
      if core[node].isContinuous {
        template.pulledReferenceSlots.append(plan.layout.slots[node.index])
      } else {
        template.referenceSlots.append(plan.layout.slots[node.index])
      }
    }
  }

  private mutating func addPorts() {
    plan.entryOfNode = core.nodes.indices.map { index in
      let draft = draftOfNode[index]
      return draft < 0 ? -1 : scopes[core.nodes[index].scope.index].places[Int(draft)]
    }
    plan.inputs = core.inputs.map {
      PlanInput(
        name: $0.name, type: $0.type, isEvent: $0.isEvent, entry: plan.entryOfNode[$0.node.index],
        slot: plan.layout.slots[$0.node.index])
    }
    plan.outputs = core.outputs.map {
      PlanOutput(
        name: $0.name, type: $0.type, isEvent: $0.isEvent, isContinuous: core[$0.node].isContinuous,
        isStepWhenPushed: $0.isStepWhenPushed && core[$0.node].isContinuous,
        entry: plan.entryOfNode[$0.node.index], slot: plan.layout.slots[$0.node.index], node: $0.node)
    }
    for output in plan.outputs where output.entry >= 0 { plan.templates[0].entries[Int(output.entry)].isOutput = true }
    for node in core.watched where plan.entryOfNode[node.index] >= 0 {
      plan.templates[0].entries[Int(plan.entryOfNode[node.index])].isOutput = true
    }
    plan.bindings = core.bindings.filter { plan.entryOfNode[$0.node.index] >= 0 }
    for (number, binding) in plan.bindings.enumerated() {
      plan.templates[0].entries[Int(plan.entryOfNode[binding.node.index])].binding = Int32(number)
    }
  }
}

extension Plan {
  /// The plan of a checked program. Throws where `budget` does not suffice, and where an earlier pass has made a mistake.
  /// Cost: linear in the core, but that what several behaviors share is written into the code of each.
  public init(
    _ core: CoreProgram, _ optimisations: Optimisations = .all, budget: CheckBudget? = nil
  ) throws(PlanProblem) {
    var collector = ReadCollector(core, budget)
    let fused = optimisations.contains(.fusedLifts) ? CodeFusion.fused(core, &collector) : core
    if let limit = budget?.exceeded { throw .tooMuchWork(limit, collector.stoppedAt()) }
    let named = optimisations.contains(.slidingLists) ? EntryLists.named(fused) : fused
    self = try PlanBuilder.build(named, optimisations, budget: budget)
  }
}

extension TypeTable {
  /// Whether words of a type can be references.
  func mayRefer(_ id: TypeID) -> Bool {
    switch self[id] {
    case .unit, .bool, .int, .float, .event: return false
    default: return true
    }
  }
}
