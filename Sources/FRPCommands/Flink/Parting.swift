// Whether a program shows the same when each part of the keys has a run of its own: what `frp flink` asks before it hands a
// program out to many machines (decision 0029).

import FRPBase
import FRPCore

/// Looks for what needs more than one key's lines. Cost: linear in the program, times the depth of its events.
struct Parting {
  /// Where the key stands in a value: fields by index, outermost first.
  private typealias Place = [Int]

  /// Why a program cannot be parted.
  struct Refusal: Error {
    var node: NodeID
    /// What is said behind the name of the definition.
    var message: String
  }

  private let core: CoreProgram
  /// By port: the index of the field that is the key.
  private let keys: [Int: Int]
  /// Whether something depends on a line.
  private var isFed: [Bool]
  private var known: [NodeID: Set<Place>] = [:]
  private var pending: Set<NodeID> = []

  init(_ core: CoreProgram, keys: [Int: Int]) {
    self.core = core
    self.keys = keys
    isFed = core.nodes.map { if case .inputEvent = $0.op { true } else { false } }
    var goesOn = true
    while goesOn {
      goesOn = false
      for index in core.nodes.indices where !isFed[index] {
        if dependencies(NodeID(index)).contains(where: { isFed[$0.index] }) {
          isFed[index] = true
          goesOn = true
        }
      }
    }
  }

  /// Throws the first definition that needs more than one key's lines.
  mutating func check() throws(Refusal) {
    for index in core.nodes.indices {
      let id = NodeID(index)
      if core[id].op.tasks != .none {
        throw Refusal(node: id, message: " does something outside, and each worker would; a job only computes")
      }
      if !core[id].op.expressions(.rate, .left).isEmpty {
        throw Refusal(node: id, message: " is followed step by step, and other keys' lines lie between the steps")
      }
    }
    for output in core.outputs {
      if !output.isEvent {
        throw Refusal(
          node: output.node, message: " shows all keys in one value: an event made by keyed(…) shows each key's own")
      }
      if !isFed[output.node.index] {
        throw Refusal(node: output.node, message: " depends on no line, so that every worker would show it")
      }
      _ = try places(output.node)
    }
  }

  /// What a node depends on: its operands, what its expressions read, and what its scopes take from outside.
  private func dependencies(_ id: NodeID) -> [NodeID] {
    let op = core[id].op
    var found = op.nodeOperands
    for expr in op.expressions {
      found += core.reads(expr)
      guard core.contains(expr, { if case .call = core[$0] { true } else { false } }) else { continue }
      for function in core.functions { found += core.reads(function.body) }
    }
    for scope in op.scopes { found += core[scope].nodes.flatMap(dependencies) + core[scope].results }
    return found
  }

  /// Where the key stands in the occurrences of an event of the program, each of which comes from lines of one key; throws if
  /// they do not.
  private mutating func places(_ id: NodeID) throws(Refusal) -> Set<Place> {
    if let found = known[id] { return found }
    guard pending.insert(id).inserted else { throw mixes(id) }
    defer { pending.remove(id) }
    let found = try find(id)
    known[id] = found
    return found
  }

  private mutating func find(_ id: NodeID) throws(Refusal) -> Set<Place> {
    switch core[id].op {
    case .inputEvent(let port): return keys[port].map { [[$0]] } ?? []
    case .filter(let from, let test):
      try readsNoLines([test.body], of: id)
      return try places(from)
    case .map(let from, let body):
      try readsNoLines([body.body], of: id)
      return places(in: body.body, of: body.parameters[0], try places(from))
    case .filterMap(let from, let body):
      try readsNoLines([body.body], of: id)
      _ = try places(from)
      return []
    case .merge(let all):
      var common: Set<Place>?
      for event in all {
        if !isFed[event.index] { throw mixes(id) }
        let found = try places(event)
        common = common.map { $0.intersection(found) } ?? found
      }
      return common ?? []
    case .keyed(let from, let key, let scope):
      try readsNoLines([key.body], of: id)
      if places(in: key.body, of: key.parameters[0], try places(from)).isEmpty {
        throw Refusal(node: id, message: " has groups by something else than the key: make `--key` a part of theirs")
      }
      try staysInside(scope, of: id)
      return []
    case .flatMap(let from, let scope):
      _ = try places(from)
      try staysInside(scope, of: id)
      return []
    default: throw mixes(id)
    }
  }

  private func mixes(_ id: NodeID) -> Refusal {
    let name = core[id].op.name
    return Refusal(
      node: id,
      message: ": `\(name)` goes over the lines of all keys; keyed(lines, l => l.key, (key, ls) => …) has one for each")
  }

  private func readsNoLines(_ exprs: [CoreExprID], of id: NodeID) throws(Refusal) {
    for expr in exprs {
      for node in core.reads(expr) where isFed[node.index] { throw reads(node, by: id) }
    }
  }

  private func reads(_ node: NodeID, by id: NodeID) -> Refusal {
    Refusal(node: id, message: " reads `\(core[node].definition)`, which depends on the lines of all keys")
  }

  /// Throws if a scope takes from outside what depends on lines.
  private func staysInside(_ scope: ScopeID, of owner: NodeID) throws(Refusal) {
    for node in core[scope].nodes + core[scope].results {
      for other in dependencies(node) + [node] where core[other].scope == .program && isFed[other.index] {
        throw reads(other, by: owner)
      }
    }
  }

  /// Where the key stands in the value of an expression, if it does in its parameter.
  private func places(in expr: CoreExprID, of parameter: LocalID, _ given: Set<Place>) -> Set<Place> {
    switch core[expr] {
    case .local(parameter): return given
    case .field(let base, let index, _):
      let inside = places(in: base, of: parameter, given).filter { $0.first == index }
      return Set(inside.map { Array($0.dropFirst()) })
    case .construct(_, let parts):
      guard isProduct(core.type(expr)) else { return [] }
      let found = parts.enumerated().map { index, part in places(in: part, of: parameter, given).map { [index] + $0 } }
      return Set(found.joined())
    case .update(let base, let fields):
      let changed = Set(fields.map(\.index))
      return places(in: base, of: parameter, given).filter { $0.first.map { !changed.contains($0) } ?? false }
    default: return []
    }
  }

  private func isProduct(_ type: TypeID) -> Bool {
    switch core.types[type] {
    case .tuple, .record: true
    default: false
    }
  }
}
