// What occurs: section 2 and 6 of the language, an equation an operator.
//
// S is the source; S(i) its occurrences at instant i; `past(S)` those before i. Functions are applied with the values
// just before i. Whatever stands in a scope sees nothing at its scope's birth but what a group was made by.

import FRPCore

extension Model {
  /// The instance a node belongs to, seen from one inside it.
  func home(_ node: NodeID, _ reader: Instance) -> Instance {
    var instance = reader
    while instance.scope != core[node].scope, let parent = instance.parent { instance = parent }
    return instance
  }

  /// The occurrences of a node at instant i, as `reader` sees them: only those strictly after its own birth.
  func occurrences(_ node: NodeID, _ reader: Instance, _ i: Int) throws -> [ModelValue] {
    let home = home(node, reader)
    if home.root !== reader.root, i <= reader.root.birth { return [] }
    if i < home.birth || i < 1 { return [] }
    let place = Place(node: node, instance: home.id)
    if let known = history[i].occurrences[place] { return known }
    depth += 1
    defer { depth -= 1 }
    if depth > depthLimit { throw ModelFault("a cycle within an instant") }
    let result: [ModelValue]
    do {
      result = try equation(node, home, i)
    } catch {
      throw named(ModelFault(error), node)
    }
    history[i].occurrences[place] = result
    return result
  }

  func named(_ fault: ModelFault, _ node: NodeID) -> ModelFault {
    if !fault.definition.isEmpty { return fault }
    var fault = fault
    fault.definition = core[node].definition
    return fault
  }

  /// All occurrences of S before instant i, oldest first.
  private func past(_ s: NodeID, _ home: Instance, _ i: Int) throws -> [ModelValue] {
    var result: [ModelValue] = []
    for j in home.birth..<max(i, home.birth) { result += try occurrences(s, home, j) }
    return result
  }

  /// A plain expression: a start value, a duration, a count; known once.
  func plain(_ expr: CoreExprID, _ home: Instance) throws -> ModelValue {
    if let known = home.plain[expr] { return known }
    let value = try evaluate(expr, Environment(home, history[home.birth].after))
    home.plain[expr] = value
    return value
  }

  private func old(_ home: Instance, _ i: Int) -> Environment { Environment(home, history[i].before) }

  private func equation(_ node: NodeID, _ home: Instance, _ i: Int) throws -> [ModelValue] {
    try fromOutside(node, home, i) ?? oneByOne(node, home, i) ?? chosen(node, home, i) ?? together(node, home, i)
      ?? gathered(node, home, i) ?? later(node, home, i) ?? scopeEquation(node, home, i)
  }

  /// What occurs by itself.
  private func fromOutside(_ node: NodeID, _ home: Instance, _ i: Int) throws -> [ModelValue]? {
    switch core[node].op {
    case .never: return []
    case .start:
      if case .start = history[i].cause, home.root.parent == nil { return [.unit] }
      return []
    case .end:
      if case .end = history[i].cause { return [.unit] }
      return []
    case .inputEvent(let port):
      if case .inputs(let values) = history[i].cause, let value = values[port] { return [value] }
      return []
    case .every(let period, let isAligned):
      guard case .timers = history[i].cause else { return [] }
      let now = history[i].clock.nanoseconds
      return try nextTick(period, isAligned, home, after: now - 1) == now ? [.unit] : []
    case .after(let d): return try isServed(home.startIndex, home.clock, d, home, at: i) ? [.unit] : []
    default: return nil
    }
  }

  /// One occurrence at a time, with what came before it.
  private func oneByOne(_ node: NodeID, _ home: Instance, _ i: Int) throws -> [ModelValue]? {
    switch core[node].op {
    // map(e, f) = [(ti, f(ti)(ai))]
    case .map(let s, let f):
      var result: [ModelValue] = []
      for a in try occurrences(s, home, i) { result.append(try enter(f, [a], old(home, i))) }
      return result
    // filter(e, p) = those for which p(ti)(ai)
    case .filter(let s, let p):
      var result: [ModelValue] = []
      for a in try occurrences(s, home, i) where try bool(enter(p, [a], old(home, i))) { result.append(a) }
      return result
    case .filterMap(let s, let f):
      var result: [ModelValue] = []
      for a in try occurrences(s, home, i) {
        if let b = try content(enter(f, [a], old(home, i))) { result.append(b) }
      }
      return result
    // scan(e, x0, f) = [(ti, f(...f(x0, a1)..., ai))]
    case .scan(let s, let x0, let f):
      var result: [ModelValue] = []
      for a in try occurrences(s, home, i) {
        let state = try result.last ?? past(node, home, i).last ?? plain(x0, home)
        result.append(try enter(f, [state, a], old(home, i)))
      }
      return result
    // mapAccum(e, s0, f) = [(ti, bi)] where (si, bi) = f(s(i-1), ai)
    case .mapAccum(let s, let s0, let f):
      var state = try plain(s0, home)
      var result: [ModelValue] = []
      for j in home.birth...max(i, home.birth) {
        result = []
        for a in try occurrences(s, home, j) {
          guard case .data(_, let pair) = try enter(f, [state, a], old(home, j)), pair.count == 2 else {
            throw ModelFault("not a pair")
          }
          state = pair[0]
          result.append(pair[1])
        }
      }
      return result
    default: return nil
    }
  }

  /// Which occurrences of a source, from when and until when.
  private func chosen(_ node: NodeID, _ home: Instance, _ i: Int) throws -> [ModelValue]? {
    switch core[node].op {
    case .take(let s, let n):
      let left = try int(plain(n, home)) - past(s, home, i).count
      return left <= 0 ? [] : Array(try occurrences(s, home, i).prefix(left))
    case .drop(let s, let n):
      let left = try int(plain(n, home)) - past(s, home, i).count
      return Array(try occurrences(s, home, i).dropFirst(max(0, left)))
    case .takeWhile(let s, let p):
      if try past(s, home, i).count > past(node, home, i).count { return [] }
      let now = try occurrences(s, home, i)
      var result: [ModelValue] = []
      for a in now {
        if try !bool(enter(p, [a], old(home, i))) { break }
        result.append(a)
      }
      return result
    // takeWhile, and the first that does not hold
    case .takeThrough(let s, let p):
      for j in home.birth..<max(i, home.birth) {
        for a in try occurrences(s, home, j) where try !bool(enter(p, [a], old(home, j))) { return [] }
      }
      var result: [ModelValue] = []
      for a in try occurrences(s, home, i) {
        result.append(a)
        if try !bool(enter(p, [a], old(home, i))) { break }
      }
      return result
    case .dropWhile(let s, let p):
      let all = try occurrences(s, home, i)
      if try !past(node, home, i).isEmpty { return all }
      for (place, a) in all.enumerated() where try !bool(enter(p, [a], old(home, i))) { return Array(all[place...]) }
      return []
    // the occurrences before the instant of stop's first occurrence
    case .takeUntil(let s, let stop):
      let hasStopped = try !past(stop, home, i).isEmpty || !occurrences(stop, home, i).isEmpty
      return try hasStopped ? [] : occurrences(s, home, i)
    // the rest, that instant included
    case .dropUntil(let s, let stop):
      let hasStarted = try !past(stop, home, i).isEmpty || !occurrences(stop, home, i).isEmpty
      let now = try occurrences(s, home, i)
      return hasStarted ? now : []
    // drops what equals the occurrence before it
    case .distinct(let s):
      let now = try occurrences(s, home, i)
      let before = [try past(s, home, i).last] + now.map { Optional($0) }
      return zip(before, now).filter { previous, a in previous.map { !ModelValue.equal($0, a) } ?? true }.map(\.1)
    default: return nil
    }
  }

  /// Two sources, or the occurrences of one instant.
  private func together(_ node: NodeID, _ home: Instance, _ i: Int) throws -> [ModelValue]? {
    switch core[node].op {
    // merge(a, b) = both; in one instant first those of a, then those of b
    case .merge(let all):
      var result: [ModelValue] = []
      for s in all { result += try occurrences(s, home, i) }
      return result
    // n-th with n-th
    case .zip(let a, let b):
      let (pastA, pastB) = (try past(a, home, i), try past(b, home, i))
      let (allA, allB) = (try pastA + occurrences(a, home, i), try pastB + occurrences(b, home, i))
      return zip(allA, allB).dropFirst(min(pastA.count, pastB.count)).map { .pair($0, $1) }
    // pairs of what the two have in one instant, n-th with n-th
    case .both(let a, let b):
      return zip(try occurrences(a, home, i), try occurrences(b, home, i)).map { .pair($0, $1) }
    // those in instants in which b has none
    case .except(let a, let b): return try occurrences(b, home, i).isEmpty ? occurrences(a, home, i) : []
    case .spill(let s):
      var result: [ModelValue] = []
      for a in try occurrences(s, home, i) { result += try list(a) }
      return result
    // the occurrences of one instant, folded into one
    case .coalesce(let s, let f):
      var result: ModelValue?
      for a in try occurrences(s, home, i) {
        result = try result == nil ? a : enter(f, [result ?? a, a], old(home, i))
      }
      return result.map { [$0] } ?? []
    default: return nil
    }
  }

  /// Occurrences gathered in lists and pairs.
  private func gathered(_ node: NodeID, _ home: Instance, _ i: Int) throws -> [ModelValue]? {
    switch core[node].op {
    case .pairwise(let s):
      let all = try [past(s, home, i).last].compactMap { $0 } + occurrences(s, home, i)
      return zip(all, all.dropFirst()).map { .pair($0, $1) }
    case .buffer(let s, let n):
      let size = max(1, try int(plain(n, home)))
      let before = try past(s, home, i)
      let open = before.suffix(before.count % size) + (try occurrences(s, home, i))
      return stride(from: 0, to: open.count - open.count % size, by: size).map {
        .list(Array(Array(open)[$0..<$0 + size]))
      }
    // the last n at every step-th, from the n-th
    case .bufferEvery(let s, let pair):
      guard case .data(_, let numbers) = try plain(pair, home) else { return [] }
      let (n, step) = (max(1, try int(numbers[0])), max(1, try int(numbers[1])))
      let before = try past(s, home, i).count
      let all = try past(s, home, i) + occurrences(s, home, i)
      return (before..<all.count).filter { $0 + 1 >= n && ($0 + 1 - n) % step == 0 }.map {
        .list(Array(all[$0 + 1 - n...$0]))
      }
    // at each tick the list since the last; what occurs in the tick's own instant belongs to the next
    case .batch(let s, let ticks):
      let count = try occurrences(ticks, home, i).count
      if count == 0 { return [] }
      var since: [ModelValue] = []
      for j in home.birth..<i {
        if try !occurrences(ticks, home, j).isEmpty { since = [] }
        since += try occurrences(s, home, j)
      }
      return [.list(since)] + Array(repeating: .list([]), count: count - 1)
    // at each end the list since the last; what occurs in the end's own instant belongs to it
    case .bufferUntil(let s, let end):
      let count = try occurrences(end, home, i).count
      if count == 0 { return [] }
      var since: [ModelValue] = []
      for j in home.birth...i {
        since += try occurrences(s, home, j)
        if try j < i && !occurrences(end, home, j).isEmpty { since = [] }
      }
      return [.list(since)] + Array(repeating: .list([]), count: count - 1)
    default: return nil
    }
  }

  /// What time, behaviors and tasks make of them.
  private func later(_ node: NodeID, _ home: Instance, _ i: Int) throws -> [ModelValue]? {
    switch core[node].op {
    // delay(e, d) = [(ti + d, ai)]
    case .delay(let s, let d):
      var result: [ModelValue] = []
      for j in home.birth..<i where try isServed(j, d, home, at: i) { result += try occurrences(s, home, j) }
      return result
    // x at t comes out at t + d if no other came after it and before that timer's instant
    case .debounce(let s, let d):
      guard let j = try lastInstant(of: s, home, before: i), try isServed(j, d, home, at: i) else { return [] }
      return Array(try occurrences(s, home, j).suffix(1))
    // first comes out, then nothing for less than d
    case .throttle(let s, let d):
      let now = Array(try occurrences(s, home, i).prefix(1))
      guard let j = try lastInstant(of: node, home, before: i) else { return now }
      return try isPast(j, d, home, at: i) ? now : []
    // the first opens a window of d; at its end the newest comes out
    case .audit(let s, let d):
      guard let open = try openWindow(s, d, home, i), try isServed(open, d, home, at: i) else { return [] }
      return Array(try past(s, home, i).suffix(1))
    // changes(b) = (t, value just after t) where that differs from just before
    case .changes(let b):
      return try changed(b, home, i).map { [$0] } ?? []
    // b's value in the first instant of the scope, and then its changes
    case .updates(let b):
      if isFirst(i, of: home) { return [try value(b, home, after(i))] }
      return try i <= home.unseen ? [] : changed(b, home, i).map { [$0] } ?? []
    case .when(let c): return try fires(c, home, i) ? [.unit] : []
    case .perform: return try results(node, home, i)
    case .items(let performer): return try items(performer, home, i)
    default: return nil
    }
  }

  /// The new value of a behavior that instant i changed. One that faulted before has changed when it has a value again.
  func changed(_ b: NodeID, _ home: Instance, _ i: Int) throws -> ModelValue? {
    if i <= home.unseen { return nil }
    guard let old = try? value(b, home, after(i - 1)) else { return try? value(b, home, after(i)) }
    let new = try value(b, home, after(i))
    return ModelValue.equal(new, old) ? nil : new
  }

  /// Whether a scope sees instant i first: that is of the program the start, of a group the one that made it, of others the
  /// micro-step after that.
  private func isFirst(_ i: Int, of home: Instance) -> Bool {
    if home.root.isGroup || home.root.birth == 0 { return i == home.unseen + 1 }
    if case .caused = history[i].cause { return i == home.unseen + 1 }
    return false
  }

  /// The behaviors that an expression reads.
  func reads(_ expr: CoreExprID) -> [NodeID] {
    var exprs = [expr]
    var seen: Set<CoreExprID> = []
    var result: [NodeID] = []
    while let next = exprs.popLast() {
      guard seen.insert(next).inserted else { continue }
      if case .read(let node) = core[next] { result.append(node) }
      if case .call(let function, _) = core[next] { exprs.append(core[function].body) }
      core[next].forEachChild { exprs.append($0) }
    }
    return result
  }

  func after(_ i: Int) -> View { history[max(0, i)].after }

  /// The last instant before i at which S occurs.
  func lastInstant(of s: NodeID, _ home: Instance, before i: Int) throws -> Int? {
    for j in (home.birth..<max(i, home.birth)).reversed() where try !occurrences(s, home, j).isEmpty { return j }
    return nil
  }

  /// The instant that opened the window of an `audit` which is still open just before instant i.
  func openWindow(_ s: NodeID, _ d: CoreExprID, _ home: Instance, _ i: Int) throws -> Int? {
    var open: Int?
    for j in home.birth..<max(i, home.birth) {
      if let opened = open, try isPast(opened, d, home, at: j) { open = nil }
      if try open == nil && !occurrences(s, home, j).isEmpty { open = j }
    }
    return open
  }

  // when(c) = (t, ()) where a continuous c crosses from false to true, located
  //           and (t, n+1) where an instant (t, n) made c true; it then reads the new values
  private func fires(_ c: NodeID, _ home: Instance, _ i: Int) throws -> Bool {
    switch history[i].cause {
    case .crossings: return try crosses(c, home, i)
    case .caused: return try wasMadeTrue(c, home, i - 1)
    default: return false
    }
  }

  /// Whether the crossings located at i alone make c true.
  private func crosses(_ c: NodeID, _ home: Instance, _ i: Int) throws -> Bool {
    guard case .crossings(let located) = history[i].cause, i > home.root.birth else { return false }
    if try bool(value(c, home, after(i - 1))) { return false }
    return try bool(value(c, home, View(i - 1, history[i].clock.seconds, located: located)))
  }

  /// Whether instant j made c true by a jump.
  func wasMadeTrue(_ c: NodeID, _ home: Instance, _ j: Int) throws -> Bool {
    if j < 1 || j <= home.unseen { return false }
    if try !bool(value(c, home, after(j))) || bool(value(c, home, after(j - 1))) { return false }
    return try !crosses(c, home, j)
  }
}
