// Which limits slide from a moment on, and when one is left. See Sliding.swift.

import FRPCore
import FRPGraph

/// What becomes of a limit at which a group stands.
enum SlideVerdict {
  case slides, above, below
  /// Neither outcome leads away, or both do: it stays on the side on which it is.
  case open
}

extension ContinuousGroup {
  /// Decides at a restart, from the state in `y`, which limits slide from here on.
  func findSlides(at t: Double) {
    let wasSliding = slides != nil
    slides = nil
    if wasSliding { for index in integrals.indices { integrals[index].isSteered = false } }
    let reached = guards.indices.filter { guards[$0].isSteering && !guards[$0].isStuck && stands($0, at: t) }
    for index in guards.indices {
      guards[index].isSliding = false
      guards[index].forced = nil
      guards[index].hasJumped = false
    }
    if reached.isEmpty { return }
    var steering = host.steering(of: self)
    let limits = limits(of: reached, steering)
    if limits.isEmpty { return }
    let said = guards.indices.map { guards[$0].new[guards[$0].slot] }
    var decision = SlideDecision(open: limits)
    decide(&decision, &steering, at: t)
    for index in guards.indices { guards[index].new[guards[index].slot] = said[index] }
    recompute(steering)
    take(decision)
    if !decision.stuck.isEmpty { standStill(decision.stuck, steering, at: t) }
  }

  /// Limits of which nothing can be decided: what they compare keeps its outcomes, and what they steer stands still.
  private func standStill(_ limits: [SlideLimit], _ steering: Steering, at t: Double) {
    let places = limits.flatMap(\.guards)
    let owners = Set(places.map { guards[$0].owner })
    for index in integrals.indices where !owners.isDisjoint(with: steering.comparisons[index]) {
      integrals[index].isFrozen = true
      integrals[index].isReported = true
      integrals[index].isStuck = true
    }
    for index in places {
      guards[index].isStuck = true
      guards[index].holds = guards[index].new[guards[index].slot].bool
    }
    host.didStick(self, places, at: t)
  }

  /// The limits at which these comparisons stand, with all others that stand there, as far as they steer some rate.
  private func limits(of reached: [Int], _ steering: Steering) -> [SlideLimit] {
    for index in guards.indices where guards[index].limit == nil {
      guards[index].limit = host.limit(of: guards[index])
    }
    let keys = Set(reached.compactMap { guards[$0].limit?.key })
    var limits: [SlideLimit] = []
    var places: [LimitKey: Int] = [:]
    for index in guards.indices {
      guard let limit = guards[index].limit, keys.contains(limit.key),
        machine.poison(at: guards[index].new + guards[index].slot) == nil
      else { continue }
      if let place = places[limit.key] {
        let first = guards[limits[place].guards[0]].limit?.isTurned ?? false
        limits[place].guards.append(index)
        limits[place].isTurned.append(limit.isTurned != first)
      } else {
        places[limit.key] = limits.count
        limits.append(SlideLimit(guards: [index], isTurned: [false]))
      }
    }
    let read = steering.comparisons.reduce(into: Set<RowOwner>()) { $0.formUnion($1) }
    return limits.filter { $0.guards.contains { read.contains(guards[$0].owner) } }
  }

  /// Whether a comparison stands at its limit.
  private func stands(_ index: Int, at t: Double) -> Bool {
    let row = guards[index]
    if row.isSliding, !row.hasJumped { return true }
    place(t, y)
    guard let now = try? difference(row), now.value.isFinite else { return false }
    if row.limitTime == t, now.value.magnitude <= 1e-6 * max(now.size, 1e-3) { return true }
    return now.value.magnitude <= 1e-14 * now.size
  }

  // MARK: Deciding

  private func decide(_ decision: inout SlideDecision, _ steering: inout Steering, at t: Double) {
    while !decision.open.isEmpty {
      let slides = makeSlides(decision.open, &steering)
      guard measure(slides, at: t, y) else {
        decision.stuck = []
        decision.open = []
        return
      }
      let entangled = entangled(slides, at: t, y)
      var fixed: [(place: Int, verdict: SlideVerdict)] = []
      var slid: Set<Int> = []
      var rest = Array(slides.limits.indices)
      while let turn = rest.firstIndex(where: {
        slides.sources($0).union(entangled[$0]).subtracting(slid).subtracting([$0]).isEmpty
      }) {
        let place = rest.remove(at: turn)
        switch verdict(slides, place, at: t) {
        case .slides where !entangled[place].isEmpty: rest.append(place); slides.isUndetermined = true
        case .slides:
          slid.insert(place)
          slides.blocks.append([place])
        case let other: fixed.append((place, other))
        }
        if slides.isUndetermined { break }
      }
      if fixed.isEmpty {
        decision.slides = slides
        if rest.isEmpty { return decision.open.removeAll() }
        return decideTogether(&decision, rest, blocks: slid.isEmpty ? [] : slides.blocks, steering: &steering, at: t)
      }
      fix(fixed, of: slides, decision: &decision)
      recompute(steering)
    }
  }

  /// Steps between comparisons and rates, after comparisons were let say something else.
  private func recompute(_ steering: Steering) {
    machine.epoch += 1
    for step in steering.steps { host.recompute(step.owner) }
  }

  private func fix(_ fixed: [(place: Int, verdict: SlideVerdict)], of slides: Slides, decision: inout SlideDecision) {
    for (place, verdict) in fixed {
      let limit = slides.limits[place]
      // At its limit a comparison is on the side of which it says what it says now.
      let isAbove =
        verdict == .open ? guards[limit.guards[0]].new[guards[limit.guards[0]].slot].bool : verdict == .above
      say(limit, isAbove: isAbove)
      if verdict != .open { decision.sides.append((limit, isAbove)) }
    }
    let places = Set(fixed.map(\.place))
    decision.open = slides.limits.indices.filter { !places.contains($0) }.map { slides.limits[$0] }
  }

  /// What becomes of a limit whose slope depends on no weight that is not known yet.
  private func verdict(_ slides: Slides, _ place: Int, at t: Double) -> SlideVerdict {
    let (below, gain) = alone(slides, place)
    let above = below + gain
    let size = below.magnitude + gain.magnitude
    let noise = 1e-10 * size
    let row = guards[slides.limits[place].guards[0]]
    if row.leftTime == t, row.leftAbove ? above >= -1e-6 * size : below <= 1e-6 * size {
      return row.leftAbove ? .above : .below
    }
    if below >= -noise, above <= noise, below > noise || above < -noise {
      slides.limits[place].weight = min(1, max(0, -below / gain))
      slides.limits[place].steepness = gain
      return .slides
    }
    if below > noise, above > noise { return .above }
    if below < -noise, above < -noise { return .below }
    return .open
  }

  /// Limits that depend on one another: all modes are tried; exactly one must do.
  private func decideTogether(
    _ decision: inout SlideDecision, _ rest: [Int], blocks: [[Int]], steering: inout Steering, at t: Double
  ) {
    guard let slides = decision.slides else { return }
    decision.slides = nil
    let members = rest.map { slides.limits[$0] }
    let others = blocks.flatMap { $0 }.map { slides.limits[$0] }
    defer { decision.open = [] }
    var found: [(weights: [Double], slides: Slides, sides: [(SlideLimit, Bool)])] = []
    if members.count <= SlideDecision.mostTogether, !slides.isUndetermined {
      let modes = Int(Elementary.pow(3, Double(members.count)).rounded())
      for mode in 0..<modes {
        guard let trial = tryMode(mode, members, others: others, steering: &steering, at: t) else { continue }
        if let same = found.firstIndex(where: {
          zip($0.weights, trial.weights).allSatisfy { ($0 - $1).magnitude < 1e-9 }
        }) {
          if trial.slides.limits.count > found[same].slides.limits.count { found[same] = trial }
        } else {
          found.append(trial)
        }
      }
    }
    if found.count == 1 {
      decision.slides = found[0].slides
      decision.sides += found[0].sides
    } else {
      decision.stuck = members + others
    }
  }

  private func tryMode(
    _ mode: Int, _ members: [SlideLimit], others: [SlideLimit], steering: inout Steering, at t: Double
  ) -> (weights: [Double], slides: Slides, sides: [(SlideLimit, Bool)])? {
    var rest = mode
    var sliding: [Int] = []
    var sides: [(SlideLimit, Bool)] = []
    var weights = [Double](repeating: 0, count: members.count)
    for place in members.indices {
      switch rest % 3 {
      case 0: sliding.append(place)
      case let side:
        say(members[place], isAbove: side == 2)
        sides.append((members[place], side == 2))
        weights[place] = side == 2 ? 1 : 0
      }
      rest /= 3
    }
    recompute(steering)
    let slides = makeSlides(others + sliding.map { members[$0] }, &steering)
    slides.blocks = others.indices.map { [$0] }
    if !sliding.isEmpty { slides.blocks.append(sliding.indices.map { others.count + $0 }) }
    guard measure(slides, at: t, y), entangled(slides, at: t, y).allSatisfy(\.isEmpty), weigh(slides) else {
      return nil
    }
    for limit in slides.limits where limit.weight < -1e-9 || limit.weight > 1 + 1e-9 { return nil }
    for (place, member) in sliding.enumerated() { weights[member] = slides.limits[others.count + place].weight }
    mean(slides, into: slides.direction)
    for (limit, isAbove) in sides {
      let slope = slope(limit, at: t, y, clock: 1, slides)
      if isAbove ? slope < -1e-9 : slope > 1e-9 { return nil }
    }
    return (weights, slides, sides)
  }

  private func makeSlides(_ limits: [SlideLimit], _ steering: inout Steering) -> Slides {
    var classes: [SlideClass] = []
    var places: [[Int]: Int] = [:]
    var limitOf: [RowOwner: Int] = [:]
    for (place, limit) in limits.enumerated() { for index in limit.guards { limitOf[guards[index].owner] = place } }
    for index in integrals.indices {
      let read = Set(steering.comparisons[index].compactMap { limitOf[$0] }).sorted()
      integrals[index].isSteered = !read.isEmpty
      if read.isEmpty { continue }
      if let place = places[read] {
        classes[place].integrals.append(index)
        continue
      }
      places[read] = classes.count
      let steps = read.reduce(into: Set<Int>()) { result, limit in
        for index in limits[limit].guards { result.formUnion(steering.stepsAbove[guards[index].owner] ?? []) }
      }
      classes.append(
        SlideClass(limits: read, integrals: [index], steps: steps.sorted().map { steering.steps[$0].owner }, rates: []))
    }
    for place in classes.indices where classes[place].limits.count <= SlideClass.mostLimits {
      classes[place].rates = Array(repeating: 0, count: classes[place].integrals.count * classes[place].outcomes)
    }
    let slides = Slides(limits: limits, classes: classes, count: integrals.count)
    var placeOf: [RowOwner: Int] = [:]
    for index in integrals.indices { placeOf[integrals[index].owner] = index }
    for (place, limit) in limits.enumerated() {
      for owner in host.integrals(comparedBy: guards[limit.guards[0]]) {
        if let index = placeOf[owner] { slides.readers[index].append(place) }
      }
    }
    return slides
  }

  // MARK: Taking a decision

  private func take(_ decision: SlideDecision) {
    for index in integrals.indices { integrals[index].isSteered = false }
    for (limit, isAbove) in decision.sides {
      for (place, index) in limit.guards.enumerated() { guards[index].forced = isAbove != limit.isTurned[place] }
    }
    guard let slides = decision.slides, !slides.limits.isEmpty else { return }
    for group in slides.classes { for index in group.integrals { integrals[index].isSteered = true } }
    for place in slides.limits.indices {
      point(slides, place)
      for index in slides.limits[place].guards {
        guards[index].isSliding = true
        guards[index].holds = guards[index].holdsAtZero
      }
    }
    self.slides = slides
  }

  // MARK: While it slides

  /// Puts the state in `y` back onto the limits, from which rounding takes it. What stands as near as rounding lets it stays as it is, so
  /// to do it again changes nothing.
  func putOntoLimits(_ slides: Slides, at t: Double) {
    for _ in 0..<3 {
      var isMeasured = false
      for index in slides.limits.indices {
        place(t, y)
        guard let now = try? difference(guards[slides.limits[index].guards[0]]), now.value != 0,
          now.value.magnitude <= 1e-6 * max(now.size, 1e-3)
        else { continue }
        if !slides.isSteady, !isMeasured {
          guard measure(slides, at: t, y) else { return }
          isMeasured = true
          for index in slides.limits.indices { point(slides, index) }
        }
        let limit = slides.limits[index]
        if limit.steepness == 0 { continue }
        let way = -now.value / limit.steepness
        for (integral, rate) in limit.direction {
          slides.before[integral] = y[integral]
          y[integral] += way * rate
        }
        place(t, y)
        let then = try? difference(guards[limit.guards[0]])
        if let then, then.value.magnitude < now.value.magnitude { continue }
        for (integral, _) in limit.direction { y[integral] = slides.before[integral] }
      }
      if !isMeasured && !slides.isSteady { return }
    }
  }

  /// Where a limit's weight moves the state, and how fast the difference.
  private func point(_ slides: Slides, _ index: Int) {
    _ = direct(slides, alone: index)
    slides.limits[index].direction.removeAll(keepingCapacity: true)
    for integral in integrals.indices where slides.direction[integral] != 0 {
      slides.limits[index].direction.append((integral, slides.direction[integral]))
    }
    slides.limits[index].steepness = slides.gains[index].first { $0.limit == index }?.slope ?? 0
  }

  /// How far a limit is from being left: above zero while both outcomes drive back to it.
  func slideSample(_ index: Int, at t: Double) -> GuardSample {
    guard let slides, let place = slides.limits.firstIndex(where: { $0.guards[0] == index }) else { return .undefined }
    computeState(at: t)
    guard measure(slides, at: t, y), weigh(slides) else { return .undefined }
    let limit = slides.limits[place]
    let size = max(limit.below.magnitude + limit.above.magnitude, limit.steepness.magnitude, 1e-300)
    return GuardSample(value: min(limit.below, -limit.above) / size, size: 1)
  }

  /// A limit is left at `t`: says to which side.
  func leaveSlide(_ index: Int, at t: Double) {
    guard let slides, let place = slides.limits.firstIndex(where: { $0.guards.contains(index) }) else { return }
    _ = slideSample(slides.limits[place].guards[0], at: t)
    let limit = slides.limits[place]
    let isAbove: Bool
    if limit.above.magnitude == limit.below.magnitude {
      isAbove = guards[limit.guards[0]].holdsAtZero
    } else {
      isAbove = limit.above.magnitude < limit.below.magnitude
    }
    for (place, index) in limit.guards.enumerated() {
      guards[index].isSliding = false
      guards[index].limitTime = t
      guards[index].leftTime = t
      guards[index].leftAbove = isAbove != limit.isTurned[place]
      guards[index].holds = guards[index].leftAbove
    }
  }
}

/// What has been decided of the limits at which a group stands.
private struct SlideDecision {
  var open: [SlideLimit]
  var slides: Slides?
  var sides: [(SlideLimit, Bool)] = []
  /// Those of which nothing can be decided.
  var stuck: [SlideLimit] = []

  static let mostTogether = 4
}

// MARK: Polynomials

extension ContinuousGroup {
  /// The mean of an integral's rates as a polynomial, with the weights as they are now; nil where one of them is none.
  func meanPolynomial(of index: Int, _ slides: Slides, reader: inout PolynomialReader) -> Polynomial? {
    guard let group = slides.classes.first(where: { $0.integrals.contains(index) }) else { return nil }
    let row = integrals[index]
    let shown = group.limits.map { slides.limits[$0].guards.map { guards[$0].new[guards[$0].slot] } }
    defer {
      for (place, limit) in group.limits.enumerated() {
        for (index, word) in zip(slides.limits[limit].guards, shown[place]) {
          guards[index].new[guards[index].slot] = word
        }
      }
      for step in group.steps { host.recompute(step) }
    }
    var sum = Polynomial(0)
    var sizes = SIMD16<Double>.zero
    for outcome in 0..<group.outcomes {
      var share = 1.0
      for (bit, limit) in group.limits.enumerated() {
        let isAbove = outcome >> bit & 1 == 1
        say(slides.limits[limit], isAbove: isAbove)
        share *= isAbove ? slides.limits[limit].weight : 1 - slides.limits[limit].weight
      }
      if share == 0 { continue }
      place(origin, y)
      for step in group.steps { host.recompute(step) }
      guard let rate = polynomial(row.rateExpr, row.rate, base: row.new, scope: row.scope, reader: &reader),
        let part = rate.times(Polynomial(share))
      else { return nil }
      sum = sum + part
      sizes += part.sizes
    }
    // What stands still does so exactly: two that rest at one limit do not part.
    return sum.withoutRounding(of: sizes)
  }

  /// Whether the polynomials that come of the present weights keep the state on its limits, and the weights as they are.
  func isSteady(_ slides: Slides, _ reader: inout PolynomialReader) -> Bool {
    for limit in slides.limits {
      var row = guards[limit.guards[0]]
      guard let difference = difference(&row, &reader), difference.isNothing(row.size) else { return false }
    }
    let weights = slides.limits.map(\.weight)
    let state = y
    let later = UnsafeMutablePointer<Double>.allocate(capacity: max(1, integrals.count))
    defer { later.deallocate() }
    for seconds in [1.0, 37.0] {
      for index in integrals.indices { later[index] = polynomials[index].value(at: seconds) }
      guard measure(slides, at: origin + seconds, later), weigh(slides),
        zip(weights, slides.limits).allSatisfy({ ($0 - $1.weight).magnitude < 1e-9 && $1.below - $1.above > 0 })
      else {
        _ = measure(slides, at: origin, state) && weigh(slides)
        return false
      }
    }
    for (place, weight) in weights.enumerated() { slides.limits[place].weight = weight }
    slides.isSteady = true
    return true
  }
}
