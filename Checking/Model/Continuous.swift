// Between instants: integrals that depend on one another are one system, followed with small fixed steps of the
// classical Runge-Kutta method, halved where rates change fast, which end where a delayed behavior may have a kink; crossings
// are found on a fine grid and by bisection. Slow, simple, and good to about 1e-8; an engine is compared with a tolerance.

import FRPCore

/// The solution of all integrals after one instant, as far as it has been followed.
final class Flow {
  let start: Double
  let places: [Place]
  /// By step: its time, and the integrals there.
  var times: [Double]
  var states: [[Double]]
  /// Between steps, by time: what delays come back to.
  var between: [Double: [Double]] = [:]
  /// Where rates may have kinks, in order: no step goes over one.
  let kinks: [Double]
  /// Integrals whose rate has faulted keep their values until an instant changes something that they read.
  var stopped: Set<Place> = []
  /// When the rates of those did that fault in this flow: who looks for crossings has gone further than what comes.
  private var stops: [Place: Double] = [:]
  static let step = 1.0 / 256
  /// A step is halved while the slopes at its middle are further apart, so often at most.
  static let roughest = 1e-5
  static let mostHalvings = 12

  init(_ start: Double, _ places: [Place], _ state: [Double], kinks: [Double]) {
    self.start = start
    self.places = places
    self.kinks = kinks
    times = [start]
    states = [state]
  }

  func stop(_ place: Place, at time: Double) {
    stopped.insert(place)
    stops[place] = min(time, stops[place] ?? .infinity)
  }

  func isStopped(_ place: Place, at time: Double) -> Bool {
    stopped.contains(place) && time >= stops[place] ?? -.infinity
  }

  /// The last step that ends by then.
  func index(_ seconds: Double) -> Int {
    var (low, high) = (0, times.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if times[middle] <= seconds { low = middle } else { high = middle }
    }
    return low
  }

  /// Where the next step ends.
  var nextTime: Double {
    let last = times[times.count - 1]
    return min(last + Flow.step, kinks.first { $0 > last } ?? .infinity)
  }
}

extension Model {
  /// integral(b)(t) = the integral of b from the start of the scope to t; an occurrence of resets sets it.
  func integral(_ node: NodeID, _ home: Instance, _ view: View) throws -> Double {
    let place = Place(node: node, instance: home.id)
    if let value = view.trial?[place] { return value }
    guard case .integral(let rate, let start, let reset) = core[node].op else { return 0 }
    let k = view.index
    if view.ahead > 0 {
      let rate = try float(evaluate(rate, Environment(home, after(k))))
      return try integral(node, home, after(k)) + view.ahead * rate
    }
    if k < home.birth || k < 1 && view.seconds <= history[k].clock.seconds { return try float(plain(start, home)) }
    if view.seconds <= history[k].clock.seconds {
      if let known = history[k].values[place] { return try float(known) }
      let resets = try reset.map { event in try occurrences(event, home, k) } ?? []
      let result =
        try resets.last.map { value in try float(value) }
        ?? (k <= home.startIndex ? float(plain(start, home)) : integral(node, home, history[k].before))
      history[k].values[place] = .float(result)
      return result
    }
    let flow = try flow(k)
    guard let index = flow.places.firstIndex(of: place) else { return try integral(node, home, after(k)) }
    return advance(flow, k, view.seconds)[index]
  }

  func flow(_ k: Int) throws -> Flow {
    if let known = history[k].flow { return known }
    var places: [Place] = []
    var state: [Double] = []
    for instance in try alive(k) {
      instances[instance.id] = instance
      for node in core[instance.scope].nodes where isNeeded[node.index] {
        guard case .integral = core[node].op else { continue }
        places.append(Place(node: node, instance: instance.id))
        state.append(try integral(node, instance, after(k)))
      }
    }
    let made = try Flow(history[k].clock.seconds, places, state, kinks: kinks(k))
    if k > 0, let last = history[k - 1].flow {
      for place in last.stopped where places.contains(place) && last.isStopped(place, at: made.start) {
        if try !isTouched(place, k) { made.stopped.insert(place) }
      }
    }
    made.stopped.formUnion(try sliding(k).stopped)
    history[k].flow = made
    return made
  }

  /// Whether instant k changes something that an integral's rate reads, or resets it.
  func isTouched(_ place: Place, _ k: Int) throws -> Bool {
    guard let home = instances[place.instance], case .integral(let rate, _, let reset) = core[place.node].op else {
      return true
    }
    if let reset, try !occurrences(reset, home, k).isEmpty { return true }
    var seen: Set<NodeID> = []
    var pending = reads(rate)
    while let node = pending.popLast() {
      guard seen.insert(node).inserted else { continue }
      if case .lift(let expr) = core[node].op, core[node].isContinuous {
        pending += reads(expr)
      } else if case .time = core[node].op {
        continue
      } else if let old = try? value(node, home, history[k].before), let new = try? value(node, home, after(k)),
        ModelValue.equal(old, new)
      {
        continue
      } else {
        return true
      }
    }
    return false
  }

  /// What may happen to a behavior in an instant comes again, delayed, after instant k; twice where delays follow on
  /// delays.
  private func kinks(_ k: Int) throws -> [Double] {
    let start = history[k].clock.seconds
    var durations: Set<Double> = []
    for instance in try alive(k) {
      for node in core[instance.scope].nodes where isNeeded[node.index] && core[node].isContinuous {
        guard case .delayBehavior(_, let d) = core[node].op else { continue }
        if let duration = try? float(plain(d, instance)), duration > 0 { durations.insert(duration) }
      }
    }
    var result: Set<Double> = []
    for sum in durations.union(durations.flatMap { a in durations.map { a + $0 } }) {
      // More instants than these within a delay are too many to tell apart.
      for record in history[...k].suffix(32).reversed() {
        if record.clock.seconds + sum <= start { break }
        result.insert(record.clock.seconds + sum)
      }
    }
    return result.sorted()
  }

  func advance(_ flow: Flow, _ k: Int, _ seconds: Double) -> [Double] {
    var next = flow.nextTime
    while next <= seconds {
      let last = flow.times.count - 1
      flow.states.append(step(flow, k, flow.times[last], flow.states[last], next - flow.times[last]))
      flow.times.append(next)
      next = flow.nextTime
    }
    let index = flow.index(seconds)
    let time = flow.times[index]
    if seconds == time { return flow.states[index] }
    if let known = flow.between[seconds] { return known }
    let state = step(flow, k, time, flow.states[index], seconds - time)
    flow.between[seconds] = state
    return state
  }

  /// A step, or several where one would be too long: just before a solution ends in a pole no step is short enough once and
  /// for all.
  private func step(
    _ flow: Flow, _ k: Int, _ time: Double, _ y: [Double], _ h: Double, halvings: Int = 0
  ) -> [Double] {
    let whole = rungeKutta(flow, k, time, y, h)
    let isFinite = whole.state.allSatisfy(\.isFinite)
    if halvings == Flow.mostHalvings, !isFinite { return standing(flow, time, y, whole.state) }
    if isFinite, !(whole.roughness >= Flow.roughest) || halvings == Flow.mostHalvings { return whole.state }
    let middle = step(flow, k, time, y, h / 2, halvings: halvings + 1)
    return step(flow, k, time + h / 2, middle, h / 2, halvings: halvings + 1)
  }

  /// No Float is infinite: an integral that would be stands still.
  private func standing(_ flow: Flow, _ time: Double, _ before: [Double], _ after: [Double]) -> [Double] {
    for (index, value) in after.enumerated() where !value.isFinite { flow.stop(flow.places[index], at: time) }
    return zip(before, after).map { $1.isFinite ? $1 : $0 }
  }

  /// The state after a step, and how far the two slopes at its middle are apart, as a part of the state.
  private func rungeKutta(
    _ flow: Flow, _ k: Int, _ time: Double, _ y: [Double], _ h: Double
  ) -> (state: [Double], roughness: Double) {
    func moved(_ rates: [Double], _ by: Double) -> [Double] { zip(y, rates).map { $0 + by * $1 } }
    // Just after the step's start: what is delayed may jump there, and is seen to only after it.
    let a = rates(flow, k, time + min(1e-9, h / 2), y)
    let b = rates(flow, k, time + h / 2, moved(a, h / 2))
    let c = rates(flow, k, time + h / 2, moved(b, h / 2))
    let d = rates(flow, k, time + h, moved(c, h))
    let state = y.indices.map { index in
      let sum = h / 6 * (a[index] + 2 * b[index] + 2 * c[index] + d[index])
      // The sum of rates that are Floats may be none.
      return y[index] + (sum.isFinite ? sum : h / 6 * a[index] + h / 3 * b[index] + h / 3 * c[index] + h / 6 * d[index])
    }
    let roughness = y.indices.reduce(0) { max($0, h * (b[$1] - c[$1]).magnitude / (1 + state[$1].magnitude)) }
    return (ontoLimits(flow, k, time + h, state), roughness)
  }

  private func rates(_ flow: Flow, _ k: Int, _ time: Double, _ y: [Double]) -> [Double] {
    // Between the ends of a step, too, what slides is on its limit: others may read how far it is from there.
    let y = ontoLimits(flow, k, time, y)
    if let mean = try? slidingRates(flow, k, time, y) { return mean }
    let trial = View(k, time, trial: Dictionary(uniqueKeysWithValues: zip(flow.places, y)))
    return flow.places.map { place in
      guard !flow.isStopped(place, at: time), case .integral(let rate, _, _) = core[place.node].op,
        let home = instances[place.instance]
      else { return 0 }
      do {
        return try float(evaluate(rate, Environment(home, trial)))
      } catch {
        flow.stop(place, at: time)
        return 0
      }
    }
  }

  // MARK: Crossings

  /// A located comparison just after instant k: as located, or as it was, unless a side jumped.
  func crossing(_ node: NodeID, _ home: Instance, _ k: Int) throws -> Bool {
    let place = Place(node: node, instance: home.id)
    if k >= home.startIndex, try sliding(k).contains(place) { return holdsAtLimit(node) }
    // Before the start it is as it will be, too: nothing occurs where a slide begins with its scope.
    if k == 0, history.count > 1, home.startIndex == 1, try sliding(1).contains(place), try !jumps(node, home, 1) {
      return holdsAtLimit(node)
    }
    if k > home.startIndex {
      if try !jumps(node, home, k) {
        if case .crossings(let located) = history[k].cause, let value = located[place] { return value }
        return try bool(value(node, home, self.after(k - 1)))
      }
    }
    // What stands at its limit is what it will be: what is seen at an instant is what holds just after it. Before what
    // made a group is just before that, not just after the instant before; what has not jumped since is as it is now.
    let isBefore = k < home.birth && k == home.unseen
    let view = isBefore ? history[k + 1].before : history[k].after
    if isBefore, try !jumps(node, home, k + 1) { return try bool(value(node, home, self.after(k + 1))) }
    guard try isAtLimit(node, home, view) else { return try compare(node, home, view) }
    // What will be may depend on who is a member by then, which may depend on this: then the rates of now decide.
    let isWithin = !atLimits.insert(place).inserted
    defer { if !isWithin { atLimits.remove(place) } }
    return try compare(node, home, View(k, view.seconds + Self.soon, ahead: isWithin ? Self.soon : 0))
  }

  /// Whether a side of a comparison jumps in instant k.
  func jumps(_ node: NodeID, _ home: Instance, _ k: Int) throws -> Bool {
    guard case .crossing(_, let left, let right) = core[node].op else { return false }
    let before = Environment(home, history[k].before)
    let after = Environment(home, history[k].after)
    return try float(evaluate(left, before)) != float(evaluate(left, after))
      || float(evaluate(right, before)) != float(evaluate(right, after))
  }

  /// So much later it is plain where something goes.
  private static let soon = 1e-6

  func isAtLimit(_ node: NodeID, _ home: Instance, _ view: View) throws -> Bool {
    guard case .crossing(_, let left, let right) = core[node].op else { return false }
    return try float(evaluate(left, Environment(home, view))) == float(evaluate(right, Environment(home, view)))
  }

  /// floor(x) or ceil(x) just after instant k, as a step: what it was, or beyond a limit that was located, unless x jumps.
  func rounding(
    _ node: NodeID, _ prim: Prim, _ x: CoreExprID, _ above: NodeID, _ below: NodeID, _ home: Instance, _ k: Int
  ) throws -> Int {
    func float(_ view: View) throws -> Double { try self.float(evaluate(x, Environment(home, view))) }
    func whole(_ x: Double) throws -> Int { try int(self.whole(x.rounded(prim == .floor ? .down : .up))) }
    func jumps(_ k: Int) throws -> Bool { try float(history[k].before) != float(history[k].after) }
    // What will be may depend on who is a member by then; as `crossing`.
    func soon(_ view: View) throws -> Double {
      let place = Place(node: node, instance: home.id)
      let isWithin = !atLimits.insert(place).inserted
      defer { if !isWithin { atLimits.remove(place) } }
      return try float(View(k, view.seconds + Self.soon, ahead: isWithin ? Self.soon : 0))
    }
    if k > home.startIndex, try !jumps(k) {
      let old = try int(value(node, home, after(k - 1)))
      guard case .crossings(let located) = history[k].cause else { return old }
      let isAbove = located[Place(node: above, instance: home.id)] == true
      if !isAbove, located[Place(node: below, instance: home.id)] != true { return old }
      let now = try float(after(k))
      let next = isAbove ? old + 1 : old - 1
      let limit = Double(prim == .floor ? max(old, next) : min(old, next))
      // The instant may have turned it back at its limit.
      if (now - limit).magnitude < 1e-9 * max(1, limit.magnitude) {
        let later = try soon(after(k))
        if isAbove ? later < now : later > now { return old }
      }
      // Where x jumps without an instant (x is a remainder) it may arrive at another limit: there it is what it will be.
      let there = (now - now.rounded()).magnitude < 1e-9 * max(1, now.magnitude) ? try soon(after(k)) : now
      return try isAbove ? max(next, whole(there)) : min(next, whole(there))
    }
    let isBefore = k < home.birth && k == home.unseen
    let view = isBefore ? history[k + 1].before : history[k].after
    if isBefore, try !jumps(k + 1) { return try int(value(node, home, self.after(k + 1))) }
    let now = try float(view)
    // At a limit it is what it will be.
    return try whole(now == now.rounded() ? soon(view) : now)
  }

  private func compare(_ node: NodeID, _ home: Instance, _ view: View) throws -> Bool {
    guard case .crossing(let prim, let left, let right) = core[node].op else { return false }
    let environment = Environment(home, view)
    let (x, y) = (try float(evaluate(left, environment)), try float(evaluate(right, environment)))
    switch prim {
    case .less: return x < y
    case .lessEqual: return x <= y
    case .greater: return x > y
    default: return x >= y
    }
  }

  /// The next located crossings after the last instant and up to `limit` (and 0.5 ns more): all within 1 ns are one.
  func nextCrossings(_ limit: Double) throws -> (seconds: Double, located: [Place: Bool])? {
    let k = history.count - 1
    var found: [(seconds: Double, place: Place, value: Bool)] = []
    for instance in try alive(k) {
      for node in core[instance.scope].nodes where isNeeded[node.index] {
        guard case .crossing = core[node].op else { continue }
        let place = Place(node: node, instance: instance.id)
        if try sliding(k).stuck.contains(place) { continue }
        let now = try undone[place] ?? bool(value(node, instance, after(k)))
        let isSliding = try sliding(k).contains(place)
        if let seconds = locate(node, instance, k, from: now, isSliding: isSliding, to: limit + 0.5e-9) {
          found.append((seconds, place, !now))
        }
      }
    }
    guard let first = found.map(\.seconds).min() else { return nil }
    let together = found.filter { $0.seconds <= first + 1e-9 }
    return (first, Dictionary(uniqueKeysWithValues: together.map { ($0.place, $0.value) }))
  }

  /// Where a comparison first differs from `now`, or what slides is left.
  private func locate(
    _ node: NodeID, _ home: Instance, _ k: Int, from now: Bool, isSliding: Bool, to limit: Double
  ) -> Double? {
    func differs(_ seconds: Double) -> Bool {
      if isSliding { return stays(Place(node: node, instance: home.id), k, seconds).map { $0 < -1e-9 } ?? false }
      return (try? compare(node, home, View(k, seconds))).map { $0 != now } ?? false
    }
    let start = max(history[k].clock.seconds, scannedTo)
    var low = start
    while low < limit {
      let high = min(limit, low + Flow.step)
      if differs(high) { return bisect(low, high, differs) }
      low = high
    }
    return nil
  }

  private func bisect(_ low: Double, _ high: Double, _ differs: (Double) -> Bool) -> Double {
    var (low, high) = (low, high)
    for _ in 0..<80 {
      let middle = low + (high - low) / 2
      if middle <= low || middle >= high { break }
      if differs(middle) { high = middle } else { low = middle }
    }
    return high
  }
}
