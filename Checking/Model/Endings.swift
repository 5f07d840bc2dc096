// What has ended. A scope of `flatMap` goes when its result can never occur again: what else stands in it is not needed
// by anybody from then on, and cannot fault. (`switch`, `flatMapLatest`, `keyed` and `groupBy` say themselves when theirs
// end.) An answer is looked for from the result towards its sources; where none is known, it may still occur.
//
// The instant in which a scope ends is its last: its result still counts, and what that is made of may fault. What only
// later instants would read is not needed.

import FRPCore

extension Model {
  /// The instances of a `flatMap` that go on after instant k.
  func going(_ node: NodeID, _ home: Instance, _ k: Int) throws -> [Instance] {
    let place = Place(node: node, instance: home.id)
    if k < home.birth { return [] }
    if let known = history[k].members[place] { return known }
    // What has ended is not looked at again.
    let before = try k <= home.birth ? [] : going(node, home, k - 1)
    let result = try (before + spawned(node, home, k)).filter { instance in
      try !isOver(core[instance.scope].results[0], instance, k)
    }
    history[k].members[place] = result
    return result
  }

  /// Whether an event cannot occur after instant k.
  private func isOver(_ node: NodeID, _ reader: Instance, _ k: Int) throws -> Bool {
    let home = home(node, reader)
    func has(_ s: NodeID) throws -> Int {
      var count = 0
      for j in home.birth..<max(k + 1, home.birth) { count += try occurrences(s, home, j).count }
      return count
    }
    // What comes after the last that counts is not needed.
    func reaches(_ s: NodeID, _ most: Int) throws -> Bool {
      var left = most
      for j in home.birth..<max(k + 1, home.birth) where left > 0 { left -= try occurrences(s, home, j).count }
      return left <= 0
    }
    switch core[node].op {
    case .never: return true
    case .start: return k >= 1
    case .after(let d):
      guard let time = home.clock.due(try float(plain(d, home))) else { return k > home.startIndex }
      return time <= history[k].timersServed
    case .take(let s, let n): return try reaches(s, int(plain(n, home))) || isOver(s, home, k)
    case .takeWhile(let s, _): return try hasClosed(node, s, home, k) || isOver(s, home, k)
    case .takeThrough(let s, let p): return try hasFailed(p, s, home, k) || isOver(s, home, k)
    case .takeUntil(let s, let stop): return try reaches(stop, 1) || isOver(s, home, k)
    case .filter(let s, let p): return try isShut(p, home) || isOver(s, home, k)
    case .map(let s, _), .filterMap(let s, _), .scan(let s, _, _), .mapAccum(let s, _, _), .drop(let s, _),
      .dropWhile(let s, _),
      .dropUntil(let s, _), .distinct(let s), .pairwise(let s), .spill(let s), .coalesce(let s, _), .buffer(let s, _),
      .bufferEvery(let s, _), .except(let s, _), .throttle(let s, _), .throttleUntil(let s, _):
      return try isOver(s, home, k)
    case .both(let a, let b): return try isOver(a, home, k) || isOver(b, home, k)
    case .batch(_, let ticks): return try isOver(ticks, home, k)
    case .bufferUntil(_, let end): return try isOver(end, home, k)
    case .merge(let all): return try all.allSatisfy { try isOver($0, home, k) }
    case .zip(let a, let b):
      return try has(a) <= has(b) && isOver(a, home, k) || has(b) <= has(a) && isOver(b, home, k)
    case .delay(let s, let d), .debounce(let s, let d), .audit(let s, let d):
      return try isOver(s, home, k) && !isAwaited(s, d, home, k)
    case .flatMap(let s, _): return try isOver(s, home, k) && going(node, home, k).isEmpty
    case .flatMapLatest(let s, _), .debounceUntil(let s, _), .auditUntil(let s, _):
      guard try isOver(s, home, k) else { return false }
      return try current(node, home, k).map { try isOver(core[$0.scope].results[0], $0, k) } ?? true
    case .chosen(let owner, let index):
      return try chosen(owner, home, k).map { try isOver(core[$0.scope].results[index], $0, k) } ?? false
    case .items(let performer): return try isOver(performer, home, k)
    case .perform(let s, _, _): return try isOver(s, home, k) && !runs(node, home, k).isBusy
    default: return false
    }
  }

  /// Whether an event has left out an occurrence of the one that it takes, up to instant k.
  private func hasClosed(_ node: NodeID, _ s: NodeID, _ home: Instance, _ k: Int) throws -> Bool {
    for j in home.birth..<max(k + 1, home.birth)
    where try occurrences(s, home, j).count > occurrences(node, home, j).count { return true }
    return false
  }

  /// Whether a test has failed for an occurrence up to instant k.
  private func hasFailed(_ test: CoreLambda, _ s: NodeID, _ home: Instance, _ k: Int) throws -> Bool {
    for j in home.birth..<max(k + 1, home.birth) {
      for a in try occurrences(s, home, j) where try !bool(enter(test, [a], Environment(home, history[j].before))) {
        return true
      }
    }
    return false
  }

  /// Whether a test is known once and fails: one branch of an `if` on what the scope was given.
  private func isShut(_ test: CoreLambda, _ home: Instance) -> Bool {
    guard reads(test.body).isEmpty, !mentions(test.body, test.parameters) else { return false }
    return (try? bool(enter(test, [.unit], Environment(home, after(home.birth))))).map { !$0 } ?? false
  }

  private func mentions(_ expr: CoreExprID, _ locals: [LocalID]) -> Bool {
    var exprs = [expr]
    while let next = exprs.popLast() {
      if case .local(let local) = core[next], locals.contains(local) { return true }
      if case .thunk(let local) = core[next], locals.contains(local) { return true }
      core[next].forEachChild { exprs.append($0) }
    }
    return false
  }

  /// Whether something that came in is still to come out.
  private func isAwaited(_ s: NodeID, _ d: CoreExprID, _ home: Instance, _ k: Int) throws -> Bool {
    for j in home.birth..<max(k + 1, home.birth) where try !occurrences(s, home, j).isEmpty {
      if let time = try due(j, d, home) {
        if time > history[k].timersServed { return true }
      } else if j == k {
        return true
      }
    }
    return false
  }

  // MARK: The last instant of a scope

  /// The instances whose results count at instant k, whether or not they go on.
  func counting(_ node: NodeID, _ home: Instance, _ k: Int) throws -> [Instance] {
    switch core[node].op {
    case .flatMap, .flatMapLatest, .debounceUntil, .throttleUntil, .auditUntil, .switchOpen, .keyed, .groupBy:
      return try (k > home.birth ? children(node, home, k - 1) : []) + spawned(node, home, k)
    default: return try children(node, home, k)
    }
  }

  /// What the results of a scope that ends are made of is computed; of what is in it, only what counts at this instant.
  func settleLast(_ instance: Instance, _ k: Int) throws {
    if k == instance.startIndex { try settlePlain(instance) }
    let made = made(instance.scope)
    for node in core[instance.scope].nodes where isNeeded[node.index] && made.contains(node) {
      try settle(node, instance, k)
      if core[node].op.scopes.isEmpty { continue }
      for child in try counting(node, instance, k) { try settleLast(child, k) }
    }
  }

  /// What the results of a scope at an instant are made of: all that is asked for values or occurrences of that instant,
  /// not what is read as it was just before.
  private func made(_ scope: ScopeID) -> Set<NodeID> {
    if let known = made[scope] { return known }
    var nodes = core[scope].results
    var result: Set<NodeID> = []
    while let node = nodes.popLast() {
      guard isNeeded[node.index], result.insert(node).inserted else { continue }
      let op = core[node].op
      switch op {
      case .delay, .debounce, .audit, .when, .perform: break
      case .batch(_, let ticks): nodes.append(ticks)
      case .busy(let perform), .link(let perform): nodes += [perform] + core[perform].op.nodeOperands
      default: nodes += op.nodeOperands
      }
      op.forEachExpr { expr, moment in
        if moment == .new { nodes += reads(expr) }
        if moment == .rate, case .crossing = op { nodes += reads(expr) }
        if case .rounding = op { nodes += reads(expr) }
      }
      for scope in op.scopes { nodes += core[scope].results }
    }
    made[scope] = result
    return result
  }
}
