// When something is due: in the next micro-step, or at a time. A duration of 0 or less is the next micro-step.

import FRPCore

extension Model {
  /// When something is due that takes d from instant j on; nil for the next micro-step.
  func due(_ j: Int, _ d: CoreExprID, _ home: Instance) throws -> Int? {
    history[j].clock.due(try float(plain(d, home)))
  }

  /// Whether instant i is the one at which that happens.
  func isServed(_ j: Int, _ d: CoreExprID, _ home: Instance, at i: Int) throws -> Bool {
    try isServed(j, history[j].clock, d, home, at: i)
  }

  func isServed(
    _ j: Int, _ clock: Clock, _ d: CoreExprID, _ home: Instance, at i: Int
  ) throws -> Bool {
    isServed(j, clock.due(try float(plain(d, home))), at: i)
  }

  func isServed(_ j: Int, _ due: Int?, at i: Int) -> Bool {
    switch (due, history[i].cause) {
    case (nil, .caused): return j == i - 1
    case (let time?, .timers): return time == history[i].clock.nanoseconds
    default: return false
    }
  }

  /// Whether that moment has come or gone at instant i.
  func isPast(_ j: Int, _ d: CoreExprID, _ home: Instance, at i: Int) throws -> Bool {
    guard let time = try due(j, d, home) else { return i > j }
    return time <= history[i].clock.nanoseconds
  }

  /// every(d): at k·d exactly, counted from the scope's start; the first tick after a time.
  func nextTick(_ period: CoreExprID, _ isAligned: Bool, _ home: Instance, after time: Int) throws -> Int? {
    let d = try float(plain(period, home))
    // Here time 0 is 1970.
    let start = isAligned ? Clock(0) : home.clock
    let time = max(time, home.clock.nanoseconds)
    var k = max(1, (Double(time) / 1e9 - start.seconds) / d).rounded(.down)
    k = max(1, k - 1)
    for _ in 0..<4 {
      guard let tick = start.due(k * d) else { return nil }
      if tick > time { return tick == .max ? nil : tick }
      k += 1
    }
    return nil
  }

  func checkPeriod(_ period: CoreExprID, _ home: Instance) throws {
    if try float(plain(period, home)) <= 0 { throw ModelFault("a period must be above 0") }
  }

  // MARK: What is to come after the last instant

  /// Whether the last instant caused anything for the next micro-step.
  func hasCaused() throws -> Bool {
    let j = history.count - 1
    for instance in try alive(j) {
      for node in core[instance.scope].nodes where isNeeded[node.index] {
        if try hasCaused(node, instance, j) { return true }
      }
    }
    return false
  }

  private func hasCaused(_ node: NodeID, _ home: Instance, _ j: Int) throws -> Bool {
    switch core[node].op {
    case .after(let d): return try j == home.startIndex && home.clock.due(float(plain(d, home))) == nil
    case .delay(let s, let d), .debounce(let s, let d), .window(let s, let d), .summary(let s, let d, _):
      return try due(j, d, home) == nil && !occurrences(s, home, j).isEmpty
    case .audit(let s, let d):
      return try due(j, d, home) == nil && openWindow(s, d, home, j + 1) == j
    case .delayBehavior(let b, let d):
      return try due(j, d, home) == nil && j > home.unseen && changed(b, home, j) != nil
    case .when(let c): return try wasMadeTrue(c, home, j)
    case .updates: return j == home.root.birth && j > 0 && !home.root.isGroup
    case .perform:
      return try runs(node, home, j).active.contains { goesOn(try resolved($0, upTo: j), after: history[j].attempt) }
    default: return false
    }
  }

  /// The next time at which a timer is due.
  func nextTimer() throws -> Int? {
    let k = history.count - 1
    var times: [Int] = []
    for instance in try alive(k) {
      for node in core[instance.scope].nodes where isNeeded[node.index] { times += try timers(node, instance, k) }
    }
    return times.filter { $0 > timersServed }.min()
  }

  /// The next time at which something leaves a window by itself.
  func nextLeaving() throws -> Int? {
    let k = history.count - 1
    var next: Int?
    for instance in try alive(k) {
      for node in core[instance.scope].nodes where isNeeded[node.index] {
        let (s, d): (NodeID, CoreExprID)
        switch core[node].op {
        case .window(let source, let length), .summary(let source, let length, _): (s, d) = (source, length)
        default: continue
        }
        for j in instance.birth..<k + 1 where try !occurrences(s, instance, j).isEmpty {
          guard let time = try due(j, d, instance), time > leavingServed, time < next ?? .max else { continue }
          if try !hasCome(s, instance, at: time) { next = time }
        }
      }
    }
    return next
  }

  /// Whether an event has occurred at a clock time.
  private func hasCome(_ s: NodeID, _ home: Instance, at time: Int) throws -> Bool {
    try history.indices.contains {
      try $0 >= home.birth && history[$0].clock.nanoseconds == time && !occurrences(s, home, $0).isEmpty
    }
  }

  private func timers(_ node: NodeID, _ home: Instance, _ k: Int) throws -> [Int] {
    switch core[node].op {
    case .every(let period, let isAligned):
      return [try nextTick(period, isAligned, home, after: timersServed)].compactMap { $0 }
    case .after(let d): return [home.clock.due(try float(plain(d, home)))].compactMap { $0 }
    case .delay(let s, let d), .debounce(let s, let d), .audit(let s, let d):
      var result: [Int] = []
      for j in home.birth..<k + 1 where try !occurrences(s, home, j).isEmpty {
        if let time = try due(j, d, home) { result.append(time) }
      }
      return result
    case .delayBehavior(let b, let d):
      var result: [Int] = []
      for j in home.unseen + 1..<max(k, home.unseen) + 1 {
        guard let time = try due(j, d, home) else { continue }
        if try core[b].isContinuous || changed(b, home, j) != nil { result.append(time) }
      }
      return result
    case .perform:
      return try runs(node, home, k).active.map { try resolved($0, upTo: k) }
        .flatMap { run in (run.isOpen ? run.timers : []) + [run.due.nanoseconds] }.filter { $0 != .max }
    default: return []
    }
  }
}
