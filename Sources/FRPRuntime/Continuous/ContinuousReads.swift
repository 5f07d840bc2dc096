// What continuous expressions and conditions depend on, found once per program.
//
// In: the core program. Out: for an expression, the continuous nodes below it that are no lifts (integrals, `time`,
// delays, scopes); for the condition of a `when`, the comparisons below it and the lifts between.
// Rules: lifts are looked through, functions that are called count with their bodies; each answer is computed once.

import FRPCore
import FRPGraph

/// The way from located comparisons to the condition of a `when`.
struct ConditionPlan {
  /// Lifts to compute again, in order; the last is the condition itself, unless that is a comparison.
  var lifts: [NodeID] = []
  var comparisons: [NodeID] = []
}

final class ContinuousReads {
  let core: CoreProgram
  private var leaves: [CoreExprID: [NodeID]] = [:]
  /// What an expression reads itself; see Steering.swift.
  var direct: [CoreExprID: [NodeID]] = [:]
  /// By integral: the comparisons on which it depends in any way.
  var dependencies: [NodeID: Set<NodeID>] = [:]
  /// By node: whether it leads to a comparison that may slide.
  var leading: [NodeID: Bool] = [:]
  /// The comparisons that some rate reads.
  private(set) lazy var steering = findSteering()
  /// The comparisons on which some reset depends.
  private(set) lazy var resetting = core.nodes.reduce(into: Set<NodeID>()) { result, node in
    if case .integral(_, _, let reset?) = node.op { result.formUnion(comparisons(behind: [reset])) }
  }
  /// By comparison with a limit of what is rounded: the step that it moves, and to which side.
  private(set) lazy var roundings = findRoundings()
  private(set) lazy var steeringKeys = Set(steering.compactMap { LimitKey.make($0, core)?.key })
  private var conditions: [NodeID: ConditionPlan] = [:]

  init(_ core: CoreProgram) { self.core = core }

  /// The continuous nodes other than lifts that an expression reads, directly or through lifts.
  func sources(_ expr: CoreExprID) -> [NodeID] {
    if let known = leaves[expr] { return known }
    var result: [NodeID] = []
    walk(expr) { node in
      guard core[node].isContinuous else { return nil }
      if case .lift(let inner) = core[node].op { return inner }
      result.append(node)
      return nil
    }
    leaves[expr] = result
    return result
  }

  /// The continuous nodes that a behavior's value depends on: itself, unless it is a lift or a step.
  func sources(of node: NodeID) -> [NodeID] {
    guard core[node].isContinuous else { return [] }
    if case .lift(let expr) = core[node].op { return sources(expr) }
    return [node]
  }

  /// Calls `visit` once for every node that is read; it may give an expression to go on with.
  func walk(_ root: CoreExprID, _ visit: (NodeID) -> CoreExprID?) {
    var seenExprs: Set<CoreExprID> = []
    var seenNodes: Set<NodeID> = []
    var pending = [root]
    while let id = pending.popLast() {
      if !seenExprs.insert(id).inserted { continue }
      switch core[id] {
      case .read(let node):
        if seenNodes.insert(node).inserted, let next = visit(node) { pending.append(next) }
      case .call(let function, _): pending.append(core[function].body)
      default: break
      }
      core[id].forEachChild { pending.append($0) }
    }
  }

  // MARK: Roundings

  /// The limit above or below the whole number that a rounded Float is.
  struct RoundingLimit {
    var rounding: NodeID
    var prim: Prim
    var isAbove: Bool
    /// The limit on the other side.
    var other: NodeID
  }

  private func findRoundings() -> [NodeID: RoundingLimit] {
    var result: [NodeID: RoundingLimit] = [:]
    for (index, node) in core.nodes.enumerated() {
      guard case .rounding(let prim, _, let above, let below) = node.op else { continue }
      let rounding = NodeID(index)
      result[above] = RoundingLimit(rounding: rounding, prim: prim, isAbove: true, other: below)
      result[below] = RoundingLimit(rounding: rounding, prim: prim, isAbove: false, other: above)
    }
    return result
  }

  // MARK: Delays

  /// What a delayed behavior must find as it was: integrals, steps and scopes, directly or through lifts and further delays.
  struct Leaves {
    var integrals: [NodeID] = []
    var steps: [NodeID] = []
    /// The nodes that own scopes; what those show has leaves of its own.
    var scopes: [NodeID] = []
    /// The delays on the way.
    var delays: [NodeID] = []
  }

  func leaves(_ sources: [NodeID]) -> Leaves {
    var result = Leaves()
    var seen: Set<NodeID> = []
    var pending = sources
    while let node = pending.popLast() {
      if !seen.insert(node).inserted { continue }
      if case .event = core.types[core[node].type] { continue }
      guard core[node].isContinuous else {
        result.steps.append(node)
        continue
      }
      switch core[node].op.motion {
      case .lift(let expr):
        walk(expr) { read in
          pending.append(read)
          return nil
        }
      case .integral: result.integrals.append(node)
      case .delayed(let inner, _):
        result.delays.append(node)
        pending.append(inner)
      case .switched(let first, _):
        result.scopes.append(node)
        walk(first) { read in
          pending.append(read)
          return nil
        }
      case .members, .groups: result.scopes.append(node)
      case .chosen(let choose, _): result.scopes.append(choose)
      case .time, .member, .crossing, .step: break
      }
    }
    return result
  }

  // MARK: Starts

  /// Whether a rate can be computed while its scope still starts: the steps it reads of that scope have their values from
  /// the outset, or were started before (`isStarted`). A switch begins with its first behavior, a delay with the present.
  func isReadyAtStart(_ rate: CoreExprID, scope: ScopeID, isStarted: (NodeID) -> Bool) -> Bool {
    areReadyAtStart([rate], [], scope: scope, isStarted: isStarted)
  }

  /// The same of a behavior.
  func isReadyAtStart(_ node: NodeID, scope: ScopeID, isStarted: (NodeID) -> Bool) -> Bool {
    areReadyAtStart([], [node], scope: scope, isStarted: isStarted)
  }

  private func areReadyAtStart(
    _ rates: [CoreExprID], _ behaviors: [NodeID], scope: ScopeID, isStarted: (NodeID) -> Bool
  ) -> Bool {
    var pending = rates
    var nodes = behaviors
    var seen: Set<NodeID> = []
    while true {
      if let node = nodes.popLast() {
        guard seen.insert(node).inserted else { continue }
        switch core[node].op {
        case .lift(let inner) where core[node].isContinuous: pending.append(inner)
        case .switchTo(_, let first, _) where core[node].isContinuous: pending.append(first)
        case .delayBehavior(let inner, _) where core[node].isContinuous: nodes.append(inner)
        case .inputBehavior, .hold, .fold, .time, .integral, .busy, .link: break
        default: if core[node].isContinuous || core[node].scope == scope && !isStarted(node) { return false }
        }
      } else if let expr = pending.popLast() {
        walk(expr) { node in
          nodes.append(node)
          return nil
        }
      } else {
        return true
      }
    }
  }

  // MARK: Conditions

  /// What the condition of a `when` has to do with located comparisons; nil if nothing.
  func condition(_ node: NodeID) -> ConditionPlan? {
    if let known = conditions[node] { return known.comparisons.isEmpty ? nil : known }
    var plan = ConditionPlan()
    var states: [NodeID: Bool] = [:]
    _ = explore(node, &plan, states: &states, depth: 0)
    conditions[node] = plan
    return plan.comparisons.isEmpty ? nil : plan
  }

  /// Whether a comparison lies below `node`; lifts are noted once everything below them is.
  private func explore(
    _ node: NodeID, _ plan: inout ConditionPlan, states: inout [NodeID: Bool], depth: Int
  ) -> Bool {
    if let known = states[node] { return known }
    states[node] = false
    switch core[node].op.motion {
    case .crossing:
      plan.comparisons.append(node)
      states[node] = true
    case .lift(let expr):
      if core[node].isContinuous || depth >= 200 { break }
      var reads: [NodeID] = []
      walk(expr) { read in
        reads.append(read)
        return nil
      }
      var isAbove = false
      for read in reads where explore(read, &plan, states: &states, depth: depth + 1) { isAbove = true }
      if isAbove { plan.lifts.append(node) }
      states[node] = isAbove
    case .time, .integral, .delayed, .switched, .members, .groups, .chosen, .member, .step: break
    }
    return states[node] ?? false
  }
}
