// What has ended. A scope of `flatMap` goes when its result can never occur again: what else stands in it is not needed
// by anybody from then on, and cannot fault. (`switch`, `flatMapLatest`, `keyed` and `groupBy` say themselves when theirs
// end.) An answer is looked for from the result towards its sources; where none is known, it may still occur.

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
    switch core[node].op {
    case .never: return true
    case .start: return k >= 1
    case .after(let d):
      guard let time = home.clock.due(try float(plain(d, home))) else { return k > home.startIndex }
      return time <= history[k].timersServed
    case .take(let s, let n): return try has(s) >= int(plain(n, home)) || isOver(s, home, k)
    case .takeWhile(let s, _): return try has(s) > has(node) || isOver(s, home, k)
    case .takeUntil(let s, let stop): return try has(stop) > 0 || isOver(s, home, k)
    case .filter(let s, let p): return try isShut(p, home) || isOver(s, home, k)
    case .map(let s, _), .filterMap(let s, _), .scan(let s, _, _), .drop(let s, _), .dropWhile(let s, _),
      .dropUntil(let s, _), .distinct(let s), .pairwise(let s), .spill(let s), .coalesce(let s, _), .buffer(let s, _),
      .throttle(let s, _):
      return try isOver(s, home, k)
    case .batch(_, let ticks): return try isOver(ticks, home, k)
    case .merge(let all): return try all.allSatisfy { try isOver($0, home, k) }
    case .zip(let a, let b):
      return try has(a) <= has(b) && isOver(a, home, k) || has(b) <= has(a) && isOver(b, home, k)
    case .delay(let s, let d), .debounce(let s, let d), .audit(let s, let d):
      return try isOver(s, home, k) && !isAwaited(s, d, home, k)
    case .flatMap(let s, _): return try isOver(s, home, k) && going(node, home, k).isEmpty
    case .flatMapLatest(let s, _):
      guard try isOver(s, home, k) else { return false }
      return try current(node, home, k).map { try isOver(core[$0.scope].results[0], $0, k) } ?? true
    case .chosen(let owner, let index):
      return try chosen(owner, home, k).map { try isOver(core[$0.scope].results[index], $0, k) } ?? false
    case .perform(let s, _, _): return try isOver(s, home, k) && !runs(node, home, k).isBusy
    default: return false
    }
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
}
