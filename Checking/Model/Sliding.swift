// Sliding, as section 2 of the language says it: where either outcome of a comparison drives its operands back to their
// limit, the solution stays there, with the mean of the rates, weighted so that the operands' difference stands still.
//
// The rates are computed for every outcome of the comparisons that stand at their limits; the slopes of the differences
// follow from them by central differences, and are linear in each weight. Everything else is a question to that table.

import FRPCore

/// Comparisons of one difference, which stand at its limit.
struct StoodAt {
  /// The first one's difference is the limit's; `isTurned` says that the other holds where the first fails.
  var places: [(place: Place, isTurned: Bool)]
}

/// The limits that slide from an instant on.
struct SlidingLimits {
  var limits: [StoodAt] = []
  /// The side to which a limit goes that has been left, or decided beside others.
  var sides: [Place: Bool] = [:]
  var isStuck = false
  /// Comparisons of which nothing can be decided stay as they are, and what they steer stands still.
  var stuck: Set<Place> = []
  var stopped: Set<Place> = []

  func contains(_ place: Place) -> Bool { limits.contains { $0.places.contains { $0.place == place } } }
}

/// Rates and slopes for every outcome of some limits: bit i of an outcome is set where limit i is above.
private struct OutcomeTable {
  /// The integrals, and by outcome their rates.
  var places: [Place]
  var rates: [[Double]]
  /// By limit, by outcome.
  var slopes: [[Double]]
  var count: Int { slopes.count }

  /// A limit's slope with some weights.
  func slope(_ limit: Int, _ weights: [Double]) -> Double {
    var sum = 0.0
    for outcome in slopes[limit].indices { sum += share(outcome, weights) * slopes[limit][outcome] }
    return sum
  }

  func share(_ outcome: Int, _ weights: [Double]) -> Double {
    weights.indices.reduce(1.0) { $0 * (outcome >> $1 & 1 == 1 ? weights[$1] : 1 - weights[$1]) }
  }

  func size(_ limit: Int) -> Double { slopes[limit].reduce(0) { max($0, $1.magnitude) } }

  /// Whether a limit's slope depends on a weight, whatever those of `known` limits are not.
  func depends(_ limit: Int, on other: Int) -> Bool {
    slopes[limit].indices.contains { outcome in
      (slopes[limit][outcome] - slopes[limit][outcome ^ (1 << other)]).magnitude > 1e-6 * size(limit)
    }
  }

  /// Whether two weights together change a slope otherwise than each by itself.
  func isBent(_ limit: Int, _ a: Int, _ b: Int) -> Bool {
    slopes[limit].indices.contains { outcome in
      let none = outcome & ~(1 << a) & ~(1 << b)
      let cross =
        slopes[limit][none | 1 << a | 1 << b] - slopes[limit][none | 1 << a] - slopes[limit][none | 1 << b]
        + slopes[limit][none]
      return cross.magnitude > 1e-6 * size(limit)
    }
  }
}

extension Model {
  // MARK: From which instant on

  /// What slides just after instant k.
  func sliding(_ k: Int) throws -> SlidingLimits {
    if let known = history[k].sliding { return known }
    // While it is being found out, nothing slides.
    history[k].sliding = SlidingLimits()
    guard k >= 1 else { return SlidingLimits() }
    let before = try sliding(k - 1)
    let isStill = try !before.stuck.isEmpty && !before.stopped.contains { try isTouched($0, k) }
    var reached: [Place] = []
    var left: [Place: Bool] = [:]
    for (place, home) in try comparisons(k) where !isStill || !before.stuck.contains(place) {
      if case .crossings(let located) = history[k].cause, located[place] != nil, try !jumps(place.node, home, k) {
        if before.contains(place), let side = history[k].left[place] { left[place] = side }
        reached.append(place)
      } else if k > home.startIndex, before.contains(place), try !jumps(place.node, home, k) {
        reached.append(place)
      } else if (try? isAtLimit(place.node, home, after(k))) == true {
        reached.append(place)
      }
    }
    var result = try decide(reached, left, k, history[k].clock.seconds, state(k))
    if isStill {
      result.stuck.formUnion(before.stuck)
      result.stopped.formUnion(before.stopped)
    }
    history[k].sliding = result
    history[k].values = history[k].values.filter { !dependsOnLimits($0.key) }
    history[k].after.memo = [:]
    if k == 1 {
      history[0].values = history[0].values.filter { !dependsOnLimits($0.key) }
      history[0].after.memo = [:]
      history[1].before.memo = [:]
    }
    if result.isStuck { fault(ModelFault("too many micro-steps"), history[k].clock.seconds) }
    return result
  }

  /// The integrals just after instant k.
  private func state(_ k: Int) throws -> [Place: Double] {
    var result: [Place: Double] = [:]
    for instance in try alive(k) {
      instances[instance.id] = instance
      for node in core[instance.scope].nodes where isNeeded[node.index] {
        guard case .integral = core[node].op else { continue }
        result[Place(node: node, instance: instance.id)] = try integral(node, instance, after(k))
      }
    }
    return result
  }

  /// What may have been computed while it was not known yet what slides.
  private func dependsOnLimits(_ place: Place) -> Bool {
    switch core[place.node].op {
    case .crossing, .rounding, .lift, .switchTo, .each, .groupBy, .chosen: return true
    default: return false
    }
  }

  private func comparisons(_ k: Int) throws -> [(Place, Instance)] {
    var result: [(Place, Instance)] = []
    for instance in try alive(k) {
      instances[instance.id] = instance
      for node in core[instance.scope].nodes where isNeeded[node.index] {
        if case .crossing = core[node].op { result.append((Place(node: node, instance: instance.id), instance)) }
      }
    }
    return result
  }

  /// Where comparisons are about to switch at a moment after instant k: those among them, and among what slides, that will
  /// slide say what they say there, and so do those that cease to.
  func withSlides(_ located: [Place: Bool], _ k: Int, _ seconds: Double) throws -> (
    located: [Place: Bool], left: [Place: Bool]
  ) {
    let before = try sliding(k)
    var result = located
    var left: [Place: Bool] = [:]
    let flow = try flow(k)
    let state = Dictionary(uniqueKeysWithValues: zip(flow.places, advance(flow, k, seconds)))
    for limit in before.limits where limit.places.contains(where: { located[$0.place] != nil }) {
      let bit = before.limits.firstIndex { $0.places[0].place == limit.places[0].place } ?? 0
      let weight = try weights(before.limits, k, seconds, state)[bit]
      for (place, isTurned) in limit.places {
        left[place] = (weight > 0.5) != isTurned
        result[place] = left[place]
      }
    }
    let reached = Array(located.keys) + before.limits.flatMap { $0.places.map(\.place) }.filter { located[$0] == nil }
    let now = try decide(reached, left, k, seconds, state)
    for limit in now.limits {
      for (place, _) in limit.places { result[place] = holdsAtLimit(place.node) }
    }
    return (result, left)
  }

  func holdsAtLimit(_ node: NodeID) -> Bool {
    guard case .crossing(let prim, _, _) = core[node].op else { return false }
    return prim == .lessEqual || prim == .greaterEqual
  }

  // MARK: Differences

  /// What is above zero where a comparison holds.
  private func difference(_ place: Place, _ view: View) throws -> Double {
    guard let home = instances[place.instance], case .crossing(let prim, let left, let right) = core[place.node].op
    else { return 0 }
    let environment = Environment(home, view)
    let (x, y) = (try float(evaluate(left, environment)), try float(evaluate(right, environment)))
    return prim == .greater || prim == .greaterEqual ? x - y : y - x
  }

  /// Comparisons that are each other's equal or opposite wherever one looks are of one difference.
  private func limits(_ places: [Place], _ k: Int, _ seconds: Double, _ state: [Place: Double]) throws -> [StoodAt] {
    func profile(_ place: Place) throws -> [Double] {
      try (1...5).map { round in
        var shift = 0.0
        let moved = state.keys.sorted { ($0.instance, $0.node.index) < ($1.instance, $1.node.index) }.map { key in
          shift += 1
          return (
            key, state[key, default: 0] + 1e-3 * (shift * 0.71 * Double(round)).truncatingRemainder(dividingBy: 1.3)
          )
        }
        let view = View(
          k, seconds + 1e-3 * Double(round), trial: Dictionary(uniqueKeysWithValues: moved), located: [:])
        return try difference(place, view)
      }
    }
    var result: [(limit: StoodAt, profile: [Double])] = []
    for place in places.sorted(by: { ($0.instance, $0.node.index) < ($1.instance, $1.node.index) }) {
      guard let own = try? profile(place) else { continue }
      let same = result.firstIndex { known in
        [1.0, -1.0].contains { sign in
          zip(known.profile, own).allSatisfy { ($0 - sign * $1).magnitude <= 1e-12 * max(1, $0.magnitude) }
        }
      }
      if let same {
        let isTurned = zip(result[same].profile, own).contains { $0 * $1 < 0 }
        result[same].limit.places.append((place, isTurned))
      } else {
        result.append((StoodAt(places: [(place, false)]), own))
      }
    }
    return result.map(\.limit)
  }

  // MARK: Outcomes

  private func table(
    _ limits: [StoodAt], _ k: Int, _ seconds: Double, _ state: [Place: Double]
  ) throws -> OutcomeTable {
    if limits.count > 5 { throw ModelFault("unsupported: so many limits at once") }
    let places = Array(state.keys)
    let y = places.map { state[$0, default: 0] }
    var rates: [[Double]] = []
    for outcome in 0..<(1 << limits.count) {
      var said: [Place: Bool] = [:]
      for (bit, limit) in limits.enumerated() {
        for (place, isTurned) in limit.places { said[place] = (outcome >> bit & 1 == 1) != isTurned }
      }
      let view = View(k, seconds, trial: state, located: said)
      rates.append(
        try places.map { place in
          if history[k].flow?.stopped.contains(place) == true { return 0 }
          guard case .integral(let rate, _, _) = core[place.node].op, let home = instances[place.instance] else {
            return 0
          }
          return try float(evaluate(rate, Environment(home, view)))
        })
    }
    let h = 1e-5
    let slopes = try limits.map { limit in
      try rates.map { rate in
        func moved(_ by: Double) throws -> Double {
          let state = zip(places, zip(y, rate)).map { ($0, $1.0 + by * $1.1) }
          let view = View(k, seconds + by, trial: Dictionary(uniqueKeysWithValues: state), located: [:])
          return try difference(limit.places[0].place, view)
        }
        return try (moved(h) - moved(-h)) / (2 * h)
      }
    }
    return OutcomeTable(places: places, rates: rates, slopes: slopes)
  }

  // MARK: Deciding

  private func decide(
    _ reached: [Place], _ left: [Place: Bool], _ k: Int, _ seconds: Double, _ state: [Place: Double]
  ) throws -> SlidingLimits {
    var result = SlidingLimits()
    if reached.isEmpty { return result }
    var stood = try limits(Array(Set(reached)), k, seconds, state)
    guard let first = try? table(stood, k, seconds, state) else { return result }
    // What steers nothing does not count.
    let steering = stood.indices.filter { limit in
      first.rates.indices.contains { first.rates[$0] != first.rates[$0 ^ (1 << limit)] }
    }
    stood = steering.map { stood[$0] }
    if stood.isEmpty { return result }
    let table = try table(stood, k, seconds, state)
    var weights = [Double?](repeating: nil, count: stood.count)
    var isSliding = [Bool](repeating: false, count: stood.count)
    var isProgress = true
    while isProgress {
      isProgress = false
      for limit in stood.indices where weights[limit] == nil {
        let unknown = stood.indices.filter { $0 != limit && weights[$0] == nil }
        if unknown.contains(where: { table.depends(limit, on: $0) }) { continue }
        var (low, high) = (weights.map { $0 ?? 0 }, weights.map { $0 ?? 0 })
        (low[limit], high[limit]) = (0, 1)
        let (below, above) = (table.slope(limit, low), table.slope(limit, high))
        let noise = 1e-7 * max(below.magnitude, above.magnitude)
        let side = left[stood[limit].places[0].place]
        isProgress = true
        if let side, side ? above >= -1e-5 * below.magnitude : below <= 1e-5 * above.magnitude {
          weights[limit] = side ? 1 : 0
          for (place, isTurned) in stood[limit].places { result.sides[place] = side != isTurned }
        } else if below >= -noise, above <= noise, below > noise || above < -noise {
          weights[limit] = below / (below - above)
          isSliding[limit] = true
          if stood.indices.contains(where: { isSliding[$0] && $0 != limit && table.isBent(limit, limit, $0) }) {
            return standStill(stood, table, result)
          }
        } else if below > noise, above > noise {
          weights[limit] = 1
        } else if below < -noise, above < -noise {
          weights[limit] = 0
        } else {
          let place = stood[limit].places[0].place
          weights[limit] = try said(place, k) ? 1 : 0
        }
      }
    }
    if weights.contains(where: { $0 == nil }) {
      guard let modes = together(table, weights, isSliding) else { return standStill(stood, table, result) }
      isSliding = modes
    }
    result.limits = stood.indices.filter { isSliding[$0] }.map { stood[$0] }
    return result
  }

  private func standStill(_ stood: [StoodAt], _ table: OutcomeTable, _ known: SlidingLimits) -> SlidingLimits {
    var result = known
    result.isStuck = true
    result.stuck = Set(stood.flatMap { $0.places.map(\.place) })
    for (index, place) in table.places.enumerated()
    where table.rates.contains(where: { $0[index] != table.rates[0][index] }) {
      result.stopped.insert(place)
    }
    return result
  }

  private func said(_ place: Place, _ k: Int) throws -> Bool {
    guard let home = instances[place.instance] else { return false }
    return try bool(value(place.node, home, after(max(0, k - 1))))
  }

  /// Limits that depend on one another: which of them slide; nil unless exactly one solution does.
  private func together(_ table: OutcomeTable, _ known: [Double?], _ sliding: [Bool]) -> [Bool]? {
    let open = known.indices.filter { known[$0] == nil }
    var found: [(weights: [Double], modes: [Bool])] = []
    var modes = [Int](repeating: 0, count: open.count)
    while true {
      if let trial = solution(table, known, open, modes) {
        var isSliding = sliding
        for (place, limit) in open.enumerated() { isSliding[limit] = modes[place] == 0 }
        let same = found.firstIndex { zip($0.weights, trial).allSatisfy { ($0 - $1).magnitude < 1e-6 } }
        if let same {
          if isSliding.count(where: { $0 }) > found[same].modes.count(where: { $0 }) { found[same].modes = isSliding }
        } else {
          found.append((trial, isSliding))
        }
      }
      guard let next = modes.firstIndex(where: { $0 < 2 }) else { break }
      modes[next] += 1
      for place in 0..<next { modes[place] = 0 }
    }
    return found.count == 1 ? found[0].modes : nil
  }

  private func solution(_ table: OutcomeTable, _ known: [Double?], _ open: [Int], _ modes: [Int]) -> [Double]? {
    var weights = known.map { $0 ?? 0 }
    let sliding = open.indices.filter { modes[$0] == 0 }.map { open[$0] }
    for (place, limit) in open.enumerated() where modes[place] > 0 { weights[limit] = modes[place] == 1 ? 0 : 1 }
    for a in sliding {
      for b in sliding where a != b {
        if sliding.contains(where: { table.isBent($0, a, b) }) { return nil }
      }
    }
    guard let solved = solve(table, sliding, weights) else { return nil }
    weights = solved
    for limit in sliding where weights[limit] < -1e-7 || weights[limit] > 1 + 1e-7 { return nil }
    for (place, limit) in open.enumerated() where modes[place] > 0 {
      let slope = table.slope(limit, weights)
      if modes[place] == 1 ? slope > 1e-7 : slope < -1e-7 { return nil }
    }
    return weights
  }

  /// The weights of some limits with which none of their differences moves, the others as they are; Gauss's elimination.
  private func solve(_ table: OutcomeTable, _ sliding: [Int], _ weights: [Double]) -> [Double]? {
    let count = sliding.count
    var rows = sliding.map { limit in
      var base = weights
      for other in sliding { base[other] = 0 }
      let below = table.slope(limit, base)
      return sliding.map { other in
        var one = base
        one[other] = 1
        return table.slope(limit, one) - below
      } + [-below]
    }
    for column in 0..<count {
      guard let pivot = (column..<count).max(by: { rows[$0][column].magnitude < rows[$1][column].magnitude }),
        rows[pivot][column].magnitude > 1e-9
      else { return nil }
      rows.swapAt(column, pivot)
      for row in 0..<count where row != column {
        let factor = rows[row][column] / rows[column][column]
        for place in column...count { rows[row][place] -= factor * rows[column][place] }
      }
    }
    var result = weights
    for (place, limit) in sliding.enumerated() { result[limit] = rows[place][count] / rows[place][place] }
    return result
  }

  // MARK: While it slides

  private func weights(
    _ limits: [StoodAt], _ k: Int, _ seconds: Double, _ state: [Place: Double]
  ) throws -> [Double] {
    let table = try table(limits, k, seconds, state)
    return solve(table, Array(limits.indices), limits.map { _ in 0 }) ?? limits.map { _ in 0.5 }
  }

  /// The mean rates at a moment, in the order of the flow's places; nil where nothing slides.
  func slidingRates(_ flow: Flow, _ k: Int, _ seconds: Double, _ y: [Double]) throws -> [Double]? {
    let limits = try sliding(k).limits
    if limits.isEmpty { return nil }
    let state = Dictionary(uniqueKeysWithValues: zip(flow.places, y))
    let table = try table(limits, k, seconds, state)
    let weights = solve(table, Array(limits.indices), limits.map { _ in 0 }) ?? limits.map { _ in 0.5 }
    var mean: [Place: Double] = [:]
    for (index, place) in table.places.enumerated() {
      mean[place] = table.rates.indices.reduce(0) { $0 + table.share($1, weights) * table.rates[$1][index] }
    }
    return flow.places.map { mean[$0, default: 0] }
  }

  /// The rate of an integral as it goes: the mean rate while something slides that it reads.
  func slope(of integral: NodeID, _ home: Instance, _ view: View) throws -> Double {
    guard case .integral(let rate, _, _) = core[integral].op else { return 0 }
    let k = view.index
    if view.trial == nil, view.located == nil, k >= 1 {
      let limits = try sliding(k).limits
      var state = limits.isEmpty ? [:] : try self.state(k)
      for place in state.keys {
        guard let home = instances[place.instance] else { continue }
        state[place] = try self.integral(place.node, home, view)
      }
      if !limits.isEmpty {
        let table = try table(limits, k, view.seconds, state)
        let weights = solve(table, Array(limits.indices), limits.map { _ in 0 }) ?? limits.map { _ in 0.5 }
        guard let index = table.places.firstIndex(of: Place(node: integral, instance: home.id)) else { return 0 }
        return table.rates.indices.reduce(0) { $0 + table.share($1, weights) * table.rates[$1][index] }
      }
    }
    return try float(evaluate(rate, Environment(home, view)))
  }

  /// The state with what rounding and the steps' errors add to the differences taken away again.
  func ontoLimits(_ flow: Flow, _ k: Int, _ seconds: Double, _ y: [Double]) -> [Double] {
    guard let limits = try? sliding(k).limits, !limits.isEmpty else { return y }
    var state = Dictionary(uniqueKeysWithValues: zip(flow.places, y))
    for _ in 0..<2 {
      for (bit, limit) in limits.enumerated() {
        guard let table = try? table(limits, k, seconds, state),
          let now = try? difference(limit.places[0].place, View(k, seconds, trial: state, located: [:])), now != 0
        else { continue }
        let gain = table.slopes[bit][1 << bit] - table.slopes[bit][0]
        if gain.magnitude < 1e-9 { continue }
        for (index, place) in table.places.enumerated() {
          state[place, default: 0] -= now / gain * (table.rates[1 << bit][index] - table.rates[0][index])
        }
      }
    }
    return flow.places.map { state[$0, default: 0] }
  }

  /// How far a comparison that slides after instant k is from being left at a moment; below zero it has been.
  func stays(_ place: Place, _ k: Int, _ seconds: Double) -> Double? {
    guard let limits = try? sliding(k).limits,
      let bit = limits.firstIndex(where: { $0.places.contains { $0.place == place } }), let flow = try? flow(k)
    else { return nil }
    let state = Dictionary(uniqueKeysWithValues: zip(flow.places, advance(flow, k, seconds)))
    guard let table = try? table(limits, k, seconds, state),
      let weights = solve(table, Array(limits.indices), limits.map { _ in 0 })
    else { return -1 }
    return min(weights[bit], 1 - weights[bit])
  }
}
