// Which nodes of a new program go on with the state of which nodes of an old one.
//
// In:  two plans. Out: by node of the new plan the old node, or why it begins anew; and a report by definition.
// Rules
// - A node's identity is its scope, its definition, its operator, and which of that definition's operators of this name
//   it is. A scope's identity is that of the node that owns it (and which of its alternatives it is).
// - State is kept if the types are the same and what was computed at the start (a start value, a duration, a count, a
//   key) is written as it was. What functions do may change: that is what redefinition is for.
// - Values that hold functions or tasks are kept only by the very same program, since they are that program's code. Tasks
//   under way go on where they need none of it, and the host knows the functions of its own that they need.

import FRPCore
import FRPGraph

/// What became of the state of an old program in a new one, by definition, each list in order of the text.
public struct AdoptionReport: Sendable, Hashable {
  /// Definitions with memory that have all of it.
  public var kept: [String] = []
  /// Definitions that have lost some or all of it, and why.
  public var restarted: [(name: String, reason: String)] = []
  /// Definitions with memory that there were none of.
  public var new: [String] = []
  /// Definitions with memory that there are none of any more.
  public var dropped: [String] = []

  public init() {}

  public static func == (a: Self, b: Self) -> Bool {
    a.kept == b.kept && a.new == b.new && a.dropped == b.dropped
      && a.restarted.map(\.name) == b.restarted.map(\.name) && a.restarted.map(\.reason) == b.restarted.map(\.reason)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kept)
    hasher.combine(new)
    hasher.combine(dropped)
    for (name, reason) in restarted {
      hasher.combine(name)
      hasher.combine(reason)
    }
  }
}

/// Names a node in its scope.
private struct NodeIdentity: Hashable {
  var definition: String
  var op: String
  var ordinal: Int
}

struct PlanMatch {
  let old: Plan
  let new: Plan
  /// Whether both are the same program.
  let isSame: Bool
  /// By new node: the old one whose state it keeps.
  private(set) var nodes: [NodeID: NodeID] = [:]
  /// By new node with memory: why it begins anew.
  private(set) var reasons: [NodeID: String] = [:]
  /// By new scope: the old one.
  private(set) var scopes: [ScopeID: ScopeID] = [:]
  /// By old node: its place among those of its template that remember.
  private(set) var places: [NodeID: Int] = [:]

  init(old: Plan, new: Plan) {
    self.old = old
    self.new = new
    isSame = old.textHash == new.textHash
    for template in old.templates {
      for (place, entry) in template.entries.filter({ $0.kind.remembers }).enumerated() { places[entry.node] = place }
    }
    var pending: [(old: ScopeID, new: ScopeID)] = [(.program, .program)]
    while let (before, after) = pending.popLast() {
      scopes[after] = before
      match(before, after) { pending.append(($0, $1)) }
    }
  }

  private func identities(_ plan: Plan, _ scope: ScopeID) -> [(NodeIdentity, NodeID)] {
    var counts: [NodeIdentity: Int] = [:]
    var result: [(NodeIdentity, NodeID)] = []
    for node in plan.core[scope].nodes where plan.remembers(node) {
      var identity = NodeIdentity(definition: plan.identityName(node), op: plan.core[node].op.name, ordinal: 0)
      counts[identity, default: 0] += 1
      identity.ordinal = counts[identity, default: 1]
      result.append((identity, node))
    }
    return result
  }

  private mutating func match(_ before: ScopeID, _ after: ScopeID, inner: (ScopeID, ScopeID) -> Void) {
    let known = Dictionary(uniqueKeysWithValues: identities(old, before))
    for (identity, node) in identities(new, after) {
      guard let candidate = known[identity] else {
        reasons[node] = "its `\(identity.op)` is new"
        continue
      }
      if let reason = difference(candidate, node) {
        reasons[node] = reason
        continue
      }
      nodes[node] = candidate
      for (a, b) in zip(old.core[candidate].op.scopes, new.core[node].op.scopes) { inner(a, b) }
    }
  }

  /// Why a node cannot go on with the state of another; nil if it can.
  private func difference(_ before: NodeID, _ after: NodeID) -> String? {
    let (a, b) = (old.core[before], new.core[after])
    // The very same program keeps it no more than another does.
    if case .delayBehavior = b.op, b.isContinuous { return "the past of a continuous behavior is not kept" }
    if isSame { return nil }
    if a.isContinuous != b.isContinuous { return "it is continuous now, or was" }
    if case .crossing = b.op { return nil }
    for (x, y) in zip(old.stateTypes(before), new.stateTypes(after)) {
      let (was, now) = (TypeSignature(old.core.types, x), TypeSignature(new.core.types, y))
      if was.text != now.text { return typeReason(x, y) }
      // Tasks are looked at one by one, or made anew.
      if was.holdsCode, b.op.tasks != .keeps { return "it holds functions" }
    }
    let (was, now) = (a.op.identity, b.op.identity)
    if was.count != now.count, let what = was.first?.what { return "its \(what) is another" }
    for (x, y) in zip(was, now) where old.core.fingerprint(x.expr) != new.core.fingerprint(y.expr) {
      return "its \(x.what) is another"
    }
    return parametersDiffer(a.op.scopes, b.op.scopes)
  }

  private func typeReason(_ x: TypeID, _ y: TypeID) -> String {
    let (was, now) = (old.core.types.describe(x), new.core.types.describe(y))
    return was == now ? "the type \(now) is another" : "its type was \(was) and is \(now)"
  }

  private func parametersDiffer(_ a: [ScopeID], _ b: [ScopeID]) -> String? {
    if a.count != b.count { return "its choice is another" }
    for (x, y) in zip(a, b) {
      let (was, now) = (old.parameterTypes(x), new.parameterTypes(y))
      if was != now { return "what its scopes are given has another type" }
      if was.contains(where: \.holdsCode) { return "its scopes are given functions" }
    }
    return nil
  }

  // MARK: The report

  /// By definition: what is kept, what begins anew, what is new, what is gone.
  func report(alsoRestarted: [NodeID: String]) -> AdoptionReport {
    var report = AdoptionReport()
    let before = definitions(old)
    let after = definitions(new)
    let lost = reasons.merging(alsoRestarted) { first, _ in first }
    for (name, members) in after.list {
      if before.members[name] == nil {
        report.new.append(name)
      } else if let node = members.first(where: { lost[$0] != nil }) {
        report.restarted.append((name, lost[node] ?? ""))
      } else if members.contains(where: { nodes[$0] == nil }) {
        report.restarted.append((name, "the scope around it began anew"))
      } else {
        report.kept.append(name)
      }
    }
    report.dropped = before.list.map(\.0).filter { after.members[$0] == nil }
    return report
  }

  private func definitions(_ plan: Plan) -> (list: [(String, [NodeID])], members: [String: [NodeID]]) {
    var members: [String: [NodeID]] = [:]
    var order: [String] = []
    for index in plan.core.nodes.indices where plan.remembers(NodeID(index)) {
      let name = plan.identityName(NodeID(index))
      if members[name] == nil { order.append(name) }
      members[name, default: []].append(NodeID(index))
    }
    return (order.map { ($0, members[$0] ?? []) }, members)
  }
}

extension Plan {
  /// Whether a run of this program may remember what no other program goes on with: functions, tasks, the past of what is continuous.
  package var remembersCode: Bool {
    core.nodes.indices.contains { index in
      let (node, op) = (NodeID(index), core.nodes[index].op)
      if !remembers(node) { return false }
      if case .delayBehavior = op, core.nodes[index].isContinuous { return true }
      return op.tasks == .keeps || stateTypes(node).contains { TypeSignature(core.types, $0).holdsCode }
        || op.scopes.contains { parameterTypes($0).contains(where: \.holdsCode) }
    }
  }

  /// Whether nothing of a definition remembers anything but where it has come to at the present.
  package func isMemoryless(_ definition: String) -> Bool {
    !core.nodes.indices.contains { index in
      switch core.nodes[index].op {
      case .crossing, .rounding: false
      default: remembers(NodeID(index)) && identityName(NodeID(index)) == definition
      }
    }
  }

  /// The types of what a node remembers, its scopes' parameters aside.
  fileprivate func stateTypes(_ node: NodeID) -> [TypeID] {
    let own = core[node].type
    guard let entry = mainEntry(node) else { return [own] }
    let shape = entry.kind.state
    var types = shape.value == .none ? [] : [own]
    for part in shape.parts {
      switch part {
      case .value(_, let content, _), .queue(_, _, let content):
        switch content {
        case .own, .field, .task: types.append(own)
        case .fed: types.append(entry.inputType)
        case .key: types.append(entry.keyType)
        }
      case .scopes: types.append(entry.keyType)
      case .tasks, .number: types.append(own)
      case .timer, .plain, .float, .remembered: break
      }
    }
    return types
  }

  /// The types of what the instances of a scope are given.
  fileprivate func parameterTypes(_ scope: ScopeID) -> [TypeSignature] {
    core[scope].parameters.map { TypeSignature(core.types, core.localTypes[$0.index]) }
  }

  /// The main entry of a node that runs.
  func mainEntry(_ node: NodeID) -> Entry? {
    guard entryOfNode.indices.contains(node.index), entryOfNode[node.index] >= 0, isLive[node.index] else { return nil }
    let entries = templates[core[node].scope.index].entries
    let place = Int(entryOfNode[node.index])
    // A node that runs at the end of another has no entry of its own.
    return entries.indices.contains(place) && entries[place].node == node ? entries[place] : nil
  }

  func remembers(_ node: NodeID) -> Bool { mainEntry(node)?.kind.remembers ?? false }

  /// The definition of a node; of an input its name.
  func identityName(_ node: NodeID) -> String {
    if case .inputBehavior(let port, _) = core[node].op, core.inputs.indices.contains(port) {
      return core.inputs[port].name
    }
    return core[node].definition
  }
}
