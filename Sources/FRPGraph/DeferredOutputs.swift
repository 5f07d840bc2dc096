// Outputs of which only the last value is wanted (`frp run --final`): what they show is computed when the run has ended.
//
// In:  the plan of a program, and which of its outputs are shown at the end only. Out: the plan of the same program, in which
//      behaviors that nothing else looks at are pulled; they run when `Reactor.value(of:)` asks for them.
// Rules
// - Only what never faults waits: a fault undoes its instant, and that is seen by everything.
// - What a deferred behavior reads may be a fault itself. Then it is *watched*: its fault counts in its instant, as before.
// - A function that may fault and that runs once for each entry of a map (`Map.toList(m) |> sortBy(((_, n)) => -n)`) is run as
//   before, by a *guard* that is watched: a call of `Map.map`, which costs the entries that have changed (decision 0024).
// - What is computed in one branch only is computed in no guard, and watched nowhere: such a behavior is not deferred.

import FRPCore

extension Plan {
  /// The plan that shows these outputs, by place, only when it is asked; the same plan where nothing is gained.
  public func deferring(_ outputs: [Int]) -> Plan {
    var deferral = Deferral(core)
    let deferred = deferral.choose(Set(outputs.map { self.outputs[$0].node }))
    if deferred.isEmpty { return self }
    let changed = deferral.deferring(deferred)
    guard var plan = try? PlanBuilder.build(changed, optimisations, budget: nil) else { return self }
    for output in outputs where deferred.contains(plan.outputs[output].node) { plan.outputs[output].isDeferred = true }
    plan.hostSignatures = hostSignatures
    return plan
  }
}

/// Which behaviors can wait, and what must be looked at in their place.
private struct Deferral {
  private var core: CoreProgram
  private var collector: ReadCollector
  private let isLive: [Bool]
  private let isConstant: [Bool]
  /// By node: what can be said of its expression; nil for those that have not been looked at.
  private var verdicts: [NodeID: Verdict] = [:]

  /// What a lift needs in its place; nil where it cannot wait.
  private typealias Verdict = WaitingLift?

  init(_ core: CoreProgram) {
    self.core = core
    collector = ReadCollector(core)
    isLive = liveNodes(core, &collector)
    isConstant = constants(core, isLive, collector: &collector)
  }

  // MARK: Which

  /// The lifts of the program's own scope that can wait and that nothing but such lifts and `shownLast` reads.
  mutating func choose(_ shownLast: Set<NodeID>) -> Set<NodeID> {
    var pinned = Set(core.outputs.map(\.node)).subtracting(shownLast)
    pinned.formUnion(core.scopes.flatMap(\.results))
    pinned.formUnion(core.slopes.keys)
    var readers: [NodeID: [NodeID]] = [:]
    for index in core.nodes.indices where isLive[index] {
      let op = core.nodes[index].op
      for node in op.nodeOperands { readers[node, default: []].append(NodeID(index)) }
      for expr in op.expressions {
        for node in collector.reads(expr) { readers[node, default: []].append(NodeID(index)) }
      }
    }
    var chosen: Set<NodeID> = []
    for index in core.nodes.indices where isLive[index] && !pinned.contains(NodeID(index)) {
      if canWait(NodeID(index)) { chosen.insert(NodeID(index)) }
    }
    while let pushed = chosen.first(where: { readers[$0]?.contains { !chosen.contains($0) } ?? false }) {
      chosen.remove(pushed)
    }
    return chosen
  }

  private mutating func canWait(_ node: NodeID) -> Bool {
    guard core[node].scope == .program, !core[node].isContinuous, !isConstant[node.index],
      case .lift(let expr) = core[node].op
    else { return false }
    if let known = verdicts[node] { return known != nil }
    verdicts[node] = .some(nil)
    let found = WaitingLift(expr, core) { isSafe($0) }
    verdicts[node] = .some(found)
    return found != nil
  }

  /// Whether a behavior always has a value that is no fault.
  private mutating func isSafe(_ node: NodeID) -> Bool {
    if !core[node].op.mayHoldFault { return true }
    if case .inputBehavior(_, let start) = core[node].op { return start != nil }
    guard case .lift = core[node].op, !isConstant[node.index], canWait(node), let lift = verdicts[node] ?? nil else {
      return false
    }
    return lift.watched.isEmpty && lift.guards.isEmpty
  }

  // MARK: How

  mutating func deferring(_ chosen: Set<NodeID>) -> CoreProgram {
    var watched: [NodeID] = []
    for node in chosen.sorted() {
      core.nodes[node.index].isContinuous = true
      guard let lift = verdicts[node] ?? nil else { continue }
      for read in lift.watched where !chosen.contains(read) && !watched.contains(read) { watched.append(read) }
      for call in lift.guards { watched.append(core.addGuard(call, of: node)) }
    }
    core.watched = watched
    return core
  }
}

/// A function that runs once for each entry of a map.
private struct EntryCall {
  var map: CoreExprID
  var function: CoreExprID
  /// Which prim lists the entries: `mapToList`, `mapValues` or `mapKeys`; nil where the function is given key and value.
  var list: Prim?
}

/// What is to be said of a lift that can wait.
private struct WaitingLift {
  /// What it always reads and what may be a fault.
  private(set) var watched: [NodeID] = []
  private(set) var guards: [EntryCall] = []
  private let core: CoreProgram
  /// What is computed whenever the lift is.
  private var always: Set<CoreExprID> = []
  private var bindings: [LocalID: CoreExprID] = [:]
  /// Functions whose bodies are being looked at: one that calls itself may have no end.
  private var callers: Set<FunctionID> = []
  private var seen: Set<CoreExprID> = []

  init?(_ root: CoreExprID, _ core: CoreProgram, _ isSafe: (NodeID) -> Bool) {
    self.core = core
    core.visit(root) { expr in
      if case .suspend(let list, _) = core[expr] { for (local, value) in list { bindings[local] = value } }
      return .enter
    }
    findAlways(root)
    if !look(root, isSafe) { return nil }
  }

  /// Goes down wherever what is above needs the value.
  private mutating func findAlways(_ root: CoreExprID) {
    var pending = [root]
    while let expr = pending.popLast() {
      guard always.insert(expr).inserted else { continue }
      switch core[expr] {
      case .lambda, .call, .apply, .prim(.attempt, _): break
      case .prim(.and, let sides), .prim(.or, let sides): pending.append(sides[0])
      case .conditional(let condition, then: _, otherwise: _): pending.append(condition)
      case .suspend(_, let body): pending.append(body)
      case .local(let local): if let value = bindings[local] { pending.append(value) }
      default: core[expr].forEachChild { pending.append($0) }
      }
    }
  }

  /// Whether nothing below an expression can fault, but what is watched and guarded.
  private mutating func look(_ root: CoreExprID, _ isSafe: (NodeID) -> Bool) -> Bool {
    var pending = [root]
    while let expr = pending.popLast() {
      guard seen.insert(expr).inserted else { continue }
      switch core[expr] {
      case .apply, .unreachable, .placeholder: return false
      case .call(let function, _):
        guard callers.insert(function).inserted, look(core[function].body, isSafe) else { return false }
        callers.remove(function)
      case .read(let node):
        if isSafe(node) { break }
        guard always.contains(expr) else { return false }
        if !watched.contains(node) { watched.append(node) }
      case .prim(let prim, let arguments):
        guard prim.neverFaults(core.type(expr), core) else { return false }
        for argument in arguments where isFunction(argument) {
          if !take(function: argument, of: expr, prim, arguments, isSafe) { return false }
        }
      default: break
      }
      core[expr].forEachChild { child in if !isFunction(child) { pending.append(child) } }
    }
    return true
  }

  private func isFunction(_ expr: CoreExprID) -> Bool {
    if case .function = core.types[core.type(expr)] { true } else { false }
  }

  /// A function that is given to a built-in: one that cannot fault, or one that a guard can run in its place.
  private mutating func take(
    function: CoreExprID, of call: CoreExprID, _ prim: Prim, _ arguments: [CoreExprID], _ isSafe: (NodeID) -> Bool
  ) -> Bool {
    guard case .lambda(let lambda) = core[resolved(function)] else { return false }
    let before = self
    if look(lambda.body, isSafe) { return true }
    self = before
    guard always.contains(call), prim.runsForEachElement, let entries = entries(of: arguments[0]),
      core.isClosed(lambda), core.reads(lambda.body).allSatisfy(isSafe)
    else { return false }
    guards.append(EntryCall(map: entries.map, function: resolved(function), list: entries.list))
    return true
  }

  /// The map whose entries, values or keys a list is, where the map is a behavior.
  private func entries(of argument: CoreExprID) -> (map: CoreExprID, list: Prim?)? {
    var (expr, list) = (resolved(argument), Prim?.none)
    if case .prim(let prim, let maps) = core[expr], [.mapToList, .mapValues, .mapKeys].contains(prim) {
      (expr, list) = (resolved(maps[0]), prim)
    }
    guard case .read = core[expr], case .map = core.types[core.type(expr)] else { return nil }
    return (expr, list)
  }

  private func resolved(_ expr: CoreExprID) -> CoreExprID {
    var expr = expr
    while true {
      switch core[expr] {
      case .suspend(_, let body): expr = body
      case .local(let local):
        guard let value = bindings[local] else { return expr }
        expr = value
      default: return expr
      }
    }
  }
}

extension CoreProgram {
  /// A behavior that runs a function for each entry of a map, and shows how many there are.
  fileprivate mutating func addGuard(_ call: EntryCall, of node: NodeID) -> NodeID {
    let span = span(call.function)
    guard case .map(let key, let value) = types[type(call.map)],
      case .function(_, let result) = types[type(call.function)]
    else { return node }
    let function = call.list.map { ofEntry(call.function, $0, key, value) } ?? call.function
    let takesValue = call.list == nil && isOfOne(function)
    let made = types.intern(.map(key, result))
    let mapped = add(.prim(takesValue ? .mapMapValues : .mapMap, [call.map, function]), made, span)
    let size = add(.prim(.mapSize, [mapped]), .int, span)
    return addNode(
      CoreNode(op: .lift(size), scope: .program, type: .int, span: self[node].span, definition: self[node].definition))
  }

  private func isOfOne(_ function: CoreExprID) -> Bool {
    if case .lambda(let lambda) = self[function] { lambda.parameters.count == 1 } else { false }
  }
}

extension Prim {
  /// Whether a call with a result of this type cannot fault, if the functions that it is given do not.
  fileprivate func neverFaults(_ type: TypeID, _ core: CoreProgram) -> Bool {
    switch self {
    case .negate, .abs: type == .float
    default: Prim.total.contains(self) || Prim.alsoTotal.contains(self)
    }
  }

  /// Beside `total`, what no crossing needs to know of.
  private static let alsoTotal: Set<Prim> = [
    .listTopBy, .listMinimum, .listMaximum, .listMinimumBy, .listMaximumBy, .listPartition, .listFindIndex,
    .listIndexOf,
    .listUnzip, .listPairwise, .listIntersperse, .listJoin, .listTakeWhile, .listDropWhile, .listDistinctBy,
    .listSortWith, .listZipWith,
    .stringSize, .stringIsEmpty, .stringUpper, .stringLower, .stringTrim, .stringTrimStart, .stringTrimEnd,
    .stringLines, .stringWords, .stringCharacters, .stringContains, .stringStartsWith, .stringEndsWith, .stringIndexOf,
    .stringTake, .stringDrop, .stringTakeLast, .stringDropLast, .stringReverse, .stringToInt, .stringToFloat,
    .mapEmpty, .mapSet, .mapRemove, .mapIsEmpty, .mapMap, .mapMapValues, .mapFilter, .mapFilterValues, .mapUnion,
    .setFromList, .setAdd, .setIntersect, .setDifference,
    .optionFilter, .optionOrElse, .optionFlatMap, .optionToList, .resultWithDefault, .resultMap, .resultIsOk,
    .resultIsErr,
    .resultOk, .resultErr, .jsonEncode,
  ]

  /// Whether it calls the function that it is given for each element of its first argument, whatever comes of it.
  fileprivate var runsForEachElement: Bool {
    switch self {
    case .listMap, .listSortBy, .listTopBy, .listFilter, .listFilterMap, .listFlatMap, .listPartition, .listMinimumBy,
      .listMaximumBy, .mapMap, .mapMapValues, .mapFilter, .mapFilterValues:
      true
    default: false
    }
  }
}
