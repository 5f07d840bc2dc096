// What a group reads of other groups: their integrals at a moment, as steps or polynomials that those have made for themselves.
//
// In: the groups that are read, which know nothing of who reads them. Out: their values in the slots, or as polynomials and bounds.
// Rules:
// - A group asks for what it reads as far as its own next step, or window, is to go, and for so many steps at most. Whoever asks for more
//   makes no difference, since earlier steps are kept (StepTrail.swift), to the same bits.
// - Where steps meet, what is read has a kink as small as its error. That counts in the steps of who reads it as what rounding does.

import FRPCore
import FRPGraph

/// A group that another one reads.
struct Feeder {
  let group: ContinuousGroup
  /// Places among its integrals: those that are read.
  let integrals: [Int]
  /// The first of the steps in which something is being searched: its place in the trail; nil for the newest.
  var step: Int?

  /// So many steps of what is read may lie in one step of who reads it, and in one window.
  static let mostStepsOfStep = 64
  static let mostStepsOfWindow = 8
  /// The share of its size by which the steps of what is read may err.
  static let error = 0x1p-42
}

/// What stands in the way of a step: an integral must stand still first.
enum Obstacle {
  case halt(ContinuousGroup, Halt)
  /// A polynomial leaves the Floats.
  case leaving(ContinuousGroup)
  /// The call is to end.
  case end
}

extension ContinuousGroup {
  // MARK: Steps

  /// The group whose polynomial leaves the Floats first, of this one and those that it reads; nil if none does.
  var leaver: ContinuousGroup? {
    if horizon == .infinity { return nil }
    var group = self
    while group.leaving.time != horizon {
      guard let source = group.feeders.first(where: { $0.group.horizon == horizon })?.group else { return nil }
      group = source
    }
    return group
  }

  /// Lets stand still what is in the way.
  func clear(_ obstacle: Obstacle) {
    switch obstacle {
    case .halt(let group, let halt): group.freeze(halt)
    case .leaving(let group): group.stopLeaving()
    case .end: break
    }
  }

  /// Makes steps until one of them shows what comes after `t`.
  func reach(past t: Double) -> Obstacle? {
    while !isKnown(after: t) { if let obstacle = goOn() { return obstacle } }
    return nil
  }

  /// Whether steps show what comes after `t`, or there are none.
  func isKnown(after t: Double) -> Bool {
    guard course == .steps, let stepper else { return horizon > t }
    return stepper.end > t + Stepper.shortest(t)
  }

  /// Makes steps until one reaches `t`, so many after `from` at most: where that one ends, or how far there is something.
  func reach(to t: Double, after from: Double, steps most: Int) -> Double {
    while true {
      if let end = stepEnd(to: t, after: from, steps: most) { return end }
      if goOn() != nil { return reach }
    }
  }

  /// Where the step ends that reaches `t`, or the last of so many after `from`; nil if it has not been made.
  func stepEnd(to t: Double, after from: Double, steps most: Int) -> Double? {
    guard course == .steps, let stepper else { return horizon }
    let beyond = from + Stepper.shortest(from)
    var step = stepper.start > beyond ? trail.step(after: beyond) : nil
    for _ in 1..<most {
      guard let known = step, trail.end(known) < t else { break }
      step = trail.next(known)
    }
    if let step { return trail.end(step) }
    return stepper.end >= t ? stepper.end : nil
  }

  /// Makes the steps, own ones and others, that show what comes after `t`.
  func see(past t: Double) -> Obstacle? {
    if course == .steps, let stepper, stepper.end <= t, let obstacle = goOn() { return obstacle }
    for feeder in feeders { if let obstacle = feeder.group.reach(past: t) { return obstacle } }
    return nil
  }

  /// The step that shows what comes after `t`; without bounds but the horizon where there are none.
  func step(after t: Double) -> (start: Double, end: Double) {
    guard course == .steps, let stepper else { return (-.infinity, horizon) }
    let beyond = t + Stepper.shortest(t)
    if stepper.start > beyond, let step = trail.step(after: beyond) { return (trail.start(step), trail.end(step)) }
    return (stepper.start, stepper.end)
  }

  /// Where the first of the steps ends, own ones and others, that show what comes after `t`.
  func stepEnd(after t: Double) -> Double {
    feeders.reduce(step(after: t).end) { min($0, $1.group.step(after: t).end) }
  }

  /// Where a window ends in which something after `t` is searched: with the own step, or with the longest of others, unless there are too many
  /// steps of some other one in that.
  func windowEnd(after t: Double) -> Double {
    let own = step(after: t).end
    let longest =
      course == .steps
      ? own
      : feeders.reduce(t) {
        $1.group.course == .steps ? max($0, $1.group.step(after: t).end) : $0
      }
    return feeders.reduce(min(own, longest)) {
      min($0, $1.group.reach(to: longest, after: t, steps: Feeder.mostStepsOfWindow))
    }
  }

  /// The steps after `t`, own ones and those that others have made, are those in which something is searched.
  func lookAtSteps(after t: Double) {
    let beyond = t + Stepper.shortest(t)
    searchedStep = trail.step(after: beyond)
    for place in feeders.indices { feeders[place].step = feeders[place].group.trail.step(after: beyond) }
  }

  // MARK: Values

  /// Puts some of the group's integrals as they are so many seconds after a moment, which they have reached, into their slots.
  private func place(_ indices: [Int], _ base: Double, after since: Double) {
    let t = base + since
    if isOnLimits {
      computeState(at: t)
      for index in indices { integrals[index].new[integrals[index].slot] = Word(float: y[index]) }
      return
    }
    switch course {
    case .polynomial:
      let s = base - origin + since
      for index in indices {
        integrals[index].new[integrals[index].slot] = Word(float: polynomials[index].floatValue(at: s))
      }
    case .steps:
      guard let stepper else { return }
      if t < stepper.start, let step = trail.step(at: t) {
        let s = base - trail.start(step) + since
        for index in indices {
          integrals[index].new[integrals[index].slot] = Word(float: trail.value(step, index, after: s))
        }
      } else {
        let s = base - stepper.start + since
        for index in indices {
          integrals[index].new[integrals[index].slot] = Word(float: stepper.value(index, after: s))
        }
      }
    }
  }

  /// Puts all that others follow, and this group reads, as it is at `t` into the slots; for a step of its own to more digits than the clock
  /// tells, since what is short beside the clock's resolution is smooth all the same.
  func placeFeeders(at t: Double) {
    var moment = (base: t, since: 0.0)
    if isAdvancing, let asked = stepper?.asked, asked.base + asked.since == t { moment = asked }
    for feeder in feeders { feeder.group.place(feeder.integrals, moment.base, after: moment.since) }
    if disturbance != 0 { disturbFeeders(at: t) }
  }

  private func disturbFeeders(at t: Double) {
    var list = feeders.flatMap { feeder in
      feeder.integrals.map { index in
        let row = feeder.group.integrals[index]
        return (slot: row.new + row.slot, error: feeder.group.error(of: index, at: t))
      }
    }
    list.sort { ($0.slot.pointee.float, $0.error) < ($1.slot.pointee.float, $1.error) }
    for (rank, (slot, error)) in list.enumerated() {
      slot.pointee = Word(float: slot.pointee.float + (rank & 1 == 0 ? disturbance : -disturbance) * error)
    }
  }

  /// How far an integral may be from what it is at a moment.
  private func error(of index: Int, at t: Double) -> Double {
    switch course {
    case .polynomial: return 0x1p-52 * polynomials[index].size(at: t - origin)
    case .steps:
      guard let stepper else { return 0 }
      let (first, last): (Double, Double)
      if t < stepper.start, let step = trail.step(at: t) {
        (first, last) = (trail.value(step, index, after: 0), trail.value(step, index, after: .infinity))
      } else {
        (first, last) = (stepper.first(index), stepper.last(index))
      }
      return Feeder.error * max(first.magnitude, last.magnitude)
    }
  }

  /// Moves the state in `y` from `t` on by h seconds: as far as it has been followed, and then along its rates.
  func moveAhead(from t: Double, by h: Double) {
    if reach >= t + h { return computeState(at: t + h) }
    computeState(at: t)
    if rates(at: t, y, into: drift) == nil { for index in integrals.indices { y[index] += h * drift[index] } }
  }

  // MARK: Polynomials and bounds

  /// Hands the polynomials of what is read to a reader.
  func readFeeders(_ reader: inout PolynomialReader) {
    for feeder in feeders where feeder.group.course == .polynomial {
      let group = feeder.group
      for index in feeder.integrals {
        let row = group.integrals[index]
        let polynomial = group.polynomials[index]
        reader.integrals[row.new + row.slot] =
          reader.origin == group.origin ? polynomial : polynomial.shifted(by: reader.origin - group.origin)
      }
    }
  }

  /// What an integral can be over `middle` ± `half` seconds, which the step that is looked at or the polynomials cover.
  func model(ofIntegral row: Int, _ middle: Double, half: Double) -> TaylorModel {
    if isShownInSlots { return TaylorModel(shown(row)) }
    if row < integrals.count { return model(of: row, from: searchedStep, middle, half: half) }
    let (feeder, index) = fed[row - integrals.count]
    return feeders[feeder].group.model(of: index, from: feeders[feeder].step, middle, half: half)
  }

  private func shown(_ row: Int) -> Double {
    if row < integrals.count { return integrals[row].new[integrals[row].slot].float }
    let (feeder, index) = fed[row - integrals.count]
    let source = feeders[feeder].group.integrals[index]
    return source.new[source.slot].float
  }

  /// The same of one of the group's own, from a step of the trail or the newest on.
  private func model(of index: Int, from first: Int?, _ middle: Double, half: Double) -> TaylorModel {
    if course == .polynomial { return TaylorModel(polynomials[index], middle - origin, half).orUnknown }
    guard let stepper, stepper.end > stepper.start else { return .unknown() }
    // What is only rounding is not the next step's.
    let slack = half > 0 ? half * 0x1p-40 + 4 * middle.ulp : 0
    let (low, high) = (middle - half, middle + half)
    var step = first
    while let known = step, trail.end(known) < low + slack { step = trail.next(known) }
    func end(_ step: Int?) -> Double { step.map { trail.end($0) } ?? stepper.end }
    if step == nil || end(step) >= high - slack { return model(of: index, in: step, middle, half: half) }
    var start = low
    var bounds: (low: Double, high: Double)?
    while true {
      let reached = step == nil ? high : min(high, end(step))
      let part = model(of: index, in: step, start / 2 + reached / 2, half: max(0, reached - start) / 2).bounds
      bounds = (min(bounds?.low ?? part.low, part.low), max(bounds?.high ?? part.high, part.high))
      guard let known = step, reached < high - slack else { break }
      start = reached
      step = trail.next(known)
    }
    return bounds.map { TaylorModel($0.low, $0.high).orUnknown } ?? .unknown()
  }

  private func model(of index: Int, in step: Int?, _ middle: Double, half: Double) -> TaylorModel {
    guard let stepper else { return .unknown() }
    let start = step.map { trail.start($0) } ?? stepper.start
    let length = (step.map { trail.end($0) } ?? stepper.end) - start
    let rows = step.map { trail.rows($0, index) } ?? stepper.rows(index)
    return TaylorModel(rows, (middle - start) / length, half / length).orUnknown
  }

  /// The size that an integral which is followed in steps has had of late: its error is a share of that.
  func recentSize(_ row: Int) -> Double {
    if row < integrals.count { return recentSize(row, in: searchedStep) }
    let (feeder, index) = fed[row - integrals.count]
    return feeders[feeder].group.recentSize(index, in: feeders[feeder].step)
  }

  private func recentSize(_ index: Int, in step: Int?) -> Double {
    guard course == .steps else { return 0 }
    return step.map { trail.recentSize($0, index) } ?? stepper?.recentSize(index) ?? 0
  }

  /// The newest piece of an integral by its row: one of the group's own, or one that is read.
  func newestPiece(_ row: Int) -> IntegralPiece? {
    if row < integrals.count { return presentPiece(row, until: .infinity) }
    let (feeder, index) = fed[row - integrals.count]
    return feeders[feeder].group.presentPiece(index, until: .infinity)
  }
}
