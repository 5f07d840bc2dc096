// Which comparisons steer which integrals: those that a rate reads, through whatever is computed point by point.
//
// In: the rows of a group. Out: for every rate the comparisons below it and the steps between, so that a rate can be
// computed as it would be if a comparison said something else; and which comparisons are of one difference.
// Rules
// - What reads a comparison through `hold`, `delay` or an event reads what it shows: the walk ends there.
// - Scopes are looked through: a `switch`, a choice, the members of a list as they are now.
// - Programs in which no rate reads a comparison are told from the others once, and pay nothing.

import FRPCore
import FRPGraph

/// A step value between a comparison and a rate.
struct SteeredStep {
  var owner: RowOwner
  /// The comparisons below it.
  var comparisons: Set<RowOwner>
}

/// How the rates of a group depend on comparisons.
struct Steering {
  /// In the order in which they are computed again.
  var steps: [SteeredStep] = []
  /// By integral of the group: the comparisons below its rate.
  var comparisons: [Set<RowOwner>] = []
  /// By comparison: the steps above it, by their places.
  private(set) lazy var stepsAbove = steps.indices.reduce(into: [RowOwner: [Int]]()) { result, place in
    for comparison in steps[place].comparisons { result[comparison, default: []].append(place) }
  }
}

extension ContinuousReads {
  /// The comparisons that may slide, in any scope: those whose own outcome is read by the rate of an integral that they
  /// compare; and those of one difference with them.
  func findSteering() -> Set<NodeID> {
    var below: [NodeID: Set<NodeID>] = [:]
    func comparisons(below integral: NodeID) -> Set<NodeID> {
      if let known = below[integral] { return known }
      guard case .integral(let rate, _, _) = core[integral].op else { return [] }
      let found = reachable(from: directReads(rate)).comparisons
      below[integral] = found
      return found
    }
    var result: Set<NodeID> = []
    for (index, node) in core.nodes.enumerated() {
      guard case .crossing(_, let left, let right) = node.op else { continue }
      let compared = reachable(from: directReads(left) + directReads(right)).integrals
      if compared.contains(where: { comparisons(below: $0).contains(NodeID(index)) }) { result.insert(NodeID(index)) }
    }
    if result.isEmpty { return [] }
    let keys = Set(result.compactMap { LimitKey.make($0, core)?.key })
    for index in core.nodes.indices {
      for comparison in comparisons(below: NodeID(index)) where !result.contains(comparison) {
        if let key = LimitKey.make(comparison, core)?.key, keys.contains(key) { result.insert(comparison) }
      }
    }
    return result
  }

  /// The comparisons and the integrals that are read through whatever is computed point by point.
  private func reachable(from nodes: [NodeID]) -> (comparisons: Set<NodeID>, integrals: Set<NodeID>) {
    var comparisons: Set<NodeID> = []
    var integrals: Set<NodeID> = []
    var seen: Set<NodeID> = []
    var pending = nodes
    while let node = pending.popLast() {
      if !seen.insert(node).inserted { continue }
      if let rate = rateOfSlope(node) {
        pending += directReads(rate)
        continue
      }
      pending += core.results(shownBy: node)
      switch core[node].op.motion {
      case .crossing: comparisons.insert(node)
      case .integral: integrals.insert(node)
      case .lift(let expr), .switched(let expr, _): pending += directReads(expr)
      case .time, .delayed, .members, .groups, .chosen, .member, .step: break
      }
    }
    return (comparisons, integrals)
  }

  /// What a rate belongs together with: the continuous nodes that it reads, the comparisons that may slide, and scopes in
  /// which there are such.
  func links(_ rate: CoreExprID) -> [NodeID] {
    steering.isEmpty ? sources(rate) : sources(rate) + steeringLinks(directReads(rate))
  }

  /// The same for what a scope shows.
  func links(of node: NodeID) -> [NodeID] {
    steering.isEmpty ? sources(of: node) : sources(of: node) + steeringLinks([node])
  }

  /// The comparisons that may slide, and scopes in which there are such, that are read, be it in the place of a rate that is shown.
  func steeringLinks(_ expr: CoreExprID) -> [NodeID] { steering.isEmpty ? [] : steeringLinks(directReads(expr)) }

  /// Whether a node is a comparison that may slide, or shows such ones.
  func leadsToSteering(_ node: NodeID) -> Bool {
    if steering.isEmpty { return false }
    if let known = leading[node] { return known }
    let leads = !reachable(from: [node]).comparisons.isDisjoint(with: steering)
    leading[node] = leads
    return leads
  }

  private func steeringLinks(_ nodes: [NodeID]) -> [NodeID] {
    var result: [NodeID] = []
    var seen: Set<NodeID> = []
    var pending = nodes
    while let node = pending.popLast() {
      if !seen.insert(node).inserted { continue }
      if let rate = rateOfSlope(node) {
        pending += directReads(rate)
        continue
      }
      switch core[node].op.motion {
      case .crossing: if steering.contains(node) { result.append(node) }
      case .lift(let expr): pending += directReads(expr)
      case .switched, .members, .groups, .chosen:
        if core[node].isContinuous || leadsToSteering(node) { result.append(node) }
      case .time, .integral, .delayed, .member, .step: break
      }
    }
    return result
  }

  /// The rate that a node shows as that of an integral.
  func rateOfSlope(_ node: NodeID) -> CoreExprID? {
    guard let integral = core.slopes[node], case .integral(let rate, _, _) = core[integral].op else { return nil }
    return rate
  }

  /// Whether a comparison steers some rate, or is of one difference with one that does.
  func isAtSteeringLimit(_ comparison: NodeID) -> Bool {
    if steering.isEmpty { return false }
    return steering.contains(comparison)
      || LimitKey.make(comparison, core).map { steeringKeys.contains($0.key) } ?? false
  }

  /// Whether an integral's rate or resets depend on a comparison, be it through what remembers; not through other
  /// integrals.
  func dependsOn(_ integral: NodeID, _ comparison: NodeID) -> Bool {
    if let known = dependencies[integral] { return known.contains(comparison) }
    let found = comparisons(behind: inputs(of: integral))
    dependencies[integral] = found
    return found.contains(comparison)
  }

  /// The comparisons on which some nodes depend in any way but through integrals.
  func comparisons(behind nodes: [NodeID]) -> Set<NodeID> {
    var found: Set<NodeID> = []
    var seen = Set(nodes)
    var pending = nodes
    while let node = pending.popLast() {
      switch core[node].op.motion {
      case .crossing: found.insert(node)
      case .integral: break
      case .time, .lift, .delayed, .switched, .members, .groups, .chosen, .member, .step:
        pending += inputs(of: node).filter { seen.insert($0).inserted }
      }
    }
    return found
  }

  private func inputs(of node: NodeID) -> [NodeID] {
    var result = core[node].op.nodeOperands + core[node].op.scopes.flatMap { core[$0].results }
    core[node].op.forEachExpr { expr, _ in result += directReads(expr) }
    return result
  }

  /// The nodes that an expression reads itself.
  func directReads(_ expr: CoreExprID) -> [NodeID] {
    if let known = direct[expr] { return known }
    var result: [NodeID] = []
    walk(expr) { node in
      result.append(node)
      return nil
    }
    direct[expr] = result
    return result
  }
}

extension ContinuousSolver {
  func isSteering(_ node: NodeID) -> Bool { reads.steering.contains(node) }

  func steering(of group: ContinuousGroup) -> Steering {
    var walk = SteeringWalk(solver: self)
    for row in group.integrals {
      guard let frame = FrameRef(bitPattern: row.owner.frame) else { continue }
      walk.result.comparisons.append(walk.comparisons(row.rateExpr, frame))
    }
    return walk.result
  }

  func integrals(comparedBy row: GuardRow) -> Set<RowOwner> {
    guard let frame = FrameRef(bitPattern: row.owner.frame) else { return [] }
    var walk = ComparedWalk(solver: self)
    walk.add(row.leftExpr, frame)
    walk.add(row.rightExpr, frame)
    return walk.integrals
  }

  func limit(of row: GuardRow) -> TurnedKey? {
    FrameRef(bitPattern: row.owner.frame).map { LimitKey.make(row, $0, solver: self) }
  }

  /// Computes a step again from what it reads.
  func recompute(_ step: RowOwner) {
    guard let frame = FrameRef(bitPattern: step.frame) else { return }
    let site = EntrySite(frame, Int(step.entry))
    let slot = site.new
    do throws(Fault) {
      let word = try reactor.presentValue(site)
      if machine.poison(at: slot) != nil { machine.cure(slot) }
      slot.pointee = word
    } catch {
      machine.poison(slot, error)
    }
  }
}

extension Reactor {
  /// What a step that is made point by point is now, by what it reads.
  fileprivate func presentValue(_ site: EntrySite) throws(Fault) -> Word {
    let (frame, entry) = (site.frame, site.entry)
    let state = frame.pointee.state + Int(max(0, entry.pointee.state))
    switch entry.pointee.kind.owner {
    case .behavior:
      if let child = current(frame, entry) { return try result(child, old: false) }
      return try plain(site)
    case .members: return try eachResult(entry, state, old: false)
    case .groups: return try pulledMap(entry, state, old: false)
    // Their results are shown one by one, or occur.
    case .results, .choice, .occurrences, .latest, .pause, .keys, nil: break
    }
    if entry.pointee.kind == .chosen {
      let home = outer(frame, entry.pointee.first.up)
      let chooser = home.pointee.template.pointee.entries + Int(entry.pointee.first.entry)
      guard let child = current(home, chooser) else { throw Fault(.message, "nothing has been chosen yet") }
      return try result(child, Int(entry.pointee.count), old: false)
    }
    return try machine.run(code(entry.pointee.code), base: frame.pointee.new)
  }
}

/// Finds what lies below rates, in the frames that live now.
private struct SteeringWalk {
  let solver: ContinuousSolver
  var result = Steering()
  private var known: [RowOwner: Set<RowOwner>] = [:]

  init(solver: ContinuousSolver) { self.solver = solver }

  mutating func comparisons(_ expr: CoreExprID, _ frame: FrameRef) -> Set<RowOwner> {
    solver.reads.directReads(expr).reduce(into: []) { $0.formUnion(comparisons($1, frame)) }
  }

  private mutating func comparisons(_ node: NodeID, _ frame: FrameRef) -> Set<RowOwner> {
    guard let (holder, owner) = solver.place(of: node, from: frame) else {
      // It is part of what reads it.
      if case .lift(let expr) = solver.core[node].op { return comparisons(expr, frame) }
      return []
    }
    if let known = known[owner] { return known }
    known[owner] = []
    let found = search(node, holder, owner: owner)
    known[owner] = found
    if !found.isEmpty, !solver.core[node].isContinuous, !found.contains(owner) {
      result.steps.append(SteeredStep(owner: owner, comparisons: found))
    }
    return found
  }

  private mutating func search(_ node: NodeID, _ frame: FrameRef, owner: RowOwner) -> Set<RowOwner> {
    let entry = frame.pointee.template.pointee.entries + Int(owner.entry)
    if let rate = solver.reads.rateOfSlope(node) { return comparisons(rate, frame) }
    switch solver.core[node].op.motion {
    case .crossing: return [owner]
    case .lift(let expr): return comparisons(expr, frame)
    case .switched(let first, _):
      guard let child = solver.reactor.current(frame, entry) else { return comparisons(first, frame) }
      return results(of: child)
    case .members, .groups:
      var found: Set<RowOwner> = []
      var next = solver.reactor.frame(frame.pointee.state[Int(entry.pointee.state) + OwnerState.firstChild])
      while let child = next {
        next = child.pointee.nextSibling
        found.formUnion(results(of: child))
      }
      return found
    case .chosen(let choose, let index):
      guard let (home, chooser) = solver.place(of: choose, from: frame),
        let child = solver.reactor.current(
          home, home.pointee.template.pointee.entries + Int(chooser.entry))
      else { return [] }
      return results(of: child, index)
    case .time, .integral, .delayed, .member, .step: return []
    }
  }

  private mutating func results(of child: FrameRef, _ index: Int = 0) -> Set<RowOwner> {
    let scope = solver.reactor.plan.templates[child.pointee.template.pointee.index].scope
    return comparisons(solver.core[scope].results[index], child)
  }
}

/// Finds the integrals that are compared, in the frames that live now.
private struct ComparedWalk {
  let solver: ContinuousSolver
  private(set) var integrals: Set<RowOwner> = []
  private var seen: Set<RowOwner> = []

  init(solver: ContinuousSolver) { self.solver = solver }

  mutating func add(_ expr: CoreExprID, _ frame: FrameRef) {
    for node in solver.reads.directReads(expr) { add(node, frame) }
  }

  private mutating func add(_ node: NodeID, _ frame: FrameRef) {
    if let rate = solver.reads.rateOfSlope(node) { return add(rate, frame) }
    guard let (holder, owner) = solver.place(of: node, from: frame) else {
      if case .lift(let expr) = solver.core[node].op { add(expr, frame) }
      return
    }
    if !seen.insert(owner).inserted { return }
    let entry = holder.pointee.template.pointee.entries + Int(owner.entry)
    switch solver.core[node].op.motion {
    case .integral: integrals.insert(owner)
    case .lift(let expr): add(expr, holder)
    case .switched(let first, _):
      guard let child = solver.reactor.current(holder, entry) else { return add(first, holder) }
      addResults(of: child)
    case .members, .groups:
      var next = solver.reactor.frame(holder.pointee.state[Int(entry.pointee.state) + OwnerState.firstChild])
      while let child = next {
        next = child.pointee.nextSibling
        addResults(of: child)
      }
    case .chosen(let choose, let index):
      guard let (home, chooser) = solver.place(of: choose, from: holder),
        let child = solver.reactor.current(home, home.pointee.template.pointee.entries + Int(chooser.entry))
      else { return }
      addResults(of: child, index)
    case .time, .delayed, .member, .crossing, .step: break
    }
  }

  private mutating func addResults(of child: FrameRef, _ index: Int = 0) {
    let scope = solver.reactor.plan.templates[child.pointee.template.pointee.index].scope
    add(solver.core[scope].results[index], child)
  }
}

// MARK: Which comparisons are of one difference

/// What is above zero where a comparison holds, or its opposite.
struct TurnedKey {
  var key: LimitKey
  var isTurned: Bool
}

/// What a comparison compares, as a sum of parts, so that turned round, negated, or as a difference with 0.0 it is the same.
struct LimitKey: Hashable {
  private(set) var parts: [String: Double] = [:]

  private mutating func add(_ key: String, _ factor: Double) {
    let sum = parts[key, default: 0] + factor
    parts[key] = sum == 0 ? nil : sum
  }

  /// What is above zero where the comparison of a row holds.
  static func make(_ row: GuardRow, _ frame: FrameRef, solver: ContinuousSolver) -> TurnedKey {
    make(
      row.leftExpr, row.rightExpr, isGreater: row.isGreater, reader: LimitReader(core: solver.core, solver: solver),
      frame: frame)
  }

  /// The same for a comparison of the program, whatever instance of its scope it stands in.
  static func make(_ comparison: NodeID, _ core: CoreProgram) -> TurnedKey? {
    guard case .crossing(let prim, let left, let right) = core[comparison].op else { return nil }
    return make(
      left, right, isGreater: prim == .greater || prim == .greaterEqual, reader: LimitReader(core: core, solver: nil),
      frame: nil)
  }

  private static func make(
    _ left: CoreExprID, _ right: CoreExprID, isGreater: Bool, reader: LimitReader, frame: FrameRef?
  ) -> TurnedKey {
    var key = LimitKey()
    key.add(left, isGreater ? 1 : -1, frame: frame, reader: reader)
    key.add(right, isGreater ? -1 : 1, frame: frame, reader: reader)
    guard let first = key.parts.keys.filter({ !$0.isEmpty }).min(), let factor = key.parts[first] else {
      return TurnedKey(key: key, isTurned: false)
    }
    key.parts = key.parts.mapValues { $0 / factor }
    return TurnedKey(key: key, isTurned: factor < 0)
  }

  private mutating func add(
    _ expr: CoreExprID, _ factor: Double, frame: FrameRef?, reader: LimitReader
  ) {
    let core = reader.core
    guard reader.enters() else { return add(reader.name(expr, frame), factor) }
    switch core[expr] {
    case .float(let x): add("", factor * x)
    case .suspend(let bindings, let body) where bindings.isEmpty: add(body, factor, frame: frame, reader: reader)
    case .read(let node):
      if case .lift(let inner) = core[node].op {
        return add(inner, factor, frame: reader.home(node, frame), reader: reader)
      }
      add(reader.name(expr, frame), factor)
    case .prim(.add, let sides):
      for side in sides { add(side, factor, frame: frame, reader: reader) }
    case .prim(.subtract, let sides) where sides.count == 2:
      add(sides[0], factor, frame: frame, reader: reader)
      add(sides[1], -factor, frame: frame, reader: reader)
    case .prim(.negate, let sides): add(sides[0], -factor, frame: frame, reader: reader)
    case .prim(.multiply, let sides) where sides.count == 2:
      if case .float(let x) = core[sides[0]] { return add(sides[1], factor * x, frame: frame, reader: reader) }
      if case .float(let x) = core[sides[1]] { return add(sides[0], factor * x, frame: frame, reader: reader) }
      add(reader.name(expr, frame), factor)
    default: add(reader.name(expr, frame), factor)
    }
  }
}

/// Names what comparisons are made of, so that the same has one name wherever it is written.
private final class LimitReader {
  let core: CoreProgram
  /// Tells instances of scopes apart; nil where that does not matter.
  let solver: ContinuousSolver?
  /// Parts that may still be looked into; beyond, each expression is something of its own.
  private var budget = 1_000

  init(core: CoreProgram, solver: ContinuousSolver?) {
    self.core = core
    self.solver = solver
  }

  /// Whether to look into one more part.
  func enters() -> Bool {
    budget -= 1
    return budget > 0
  }

  func home(_ node: NodeID, _ frame: FrameRef?) -> FrameRef? {
    guard let solver, let frame else { return nil }
    return solver.place(of: node, from: frame)?.frame ?? frame
  }

  func name(_ expr: CoreExprID, _ frame: FrameRef?) -> String {
    guard enters() else { return "\(UInt(bitPattern: frame)):\(expr.index)" }
    switch core[expr] {
    case .float(let x): return "\(x)"
    case .suspend(let bindings, let body) where bindings.isEmpty:
      return name(body, frame)
    case .read(let node):
      let home = home(node, frame)
      if case .lift(let inner) = core[node].op { return name(inner, home) }
      return "\(UInt(bitPattern: home)) node \(node.index)"
    case .local(let local): return "\(UInt(bitPattern: frame)) local \(local.index)"
    case .field(let base, let index, let tag):
      return "field \(index) \(tag) " + name(base, frame)
    case .prim(let prim, let sides):
      return "\(prim)(" + sides.map { name($0, frame) }.joined(separator: ",") + ")"
    default: return "\(UInt(bitPattern: frame)):\(expr.index)"
    }
  }
}
