// That no crossing is missed: what a group's guards can be over a stretch of time is bounded from their expressions
// (BoundReader.swift), and the stretch is divided until a crossing is found or excluded.
//
// In: a window, and whether each guard holds just after its start. Out: the first moment at which one of them switches,
// with all that switch at that moment.
// Rules:
// - A guard that stays within rounding, or the solver's error, of its limit counts as being at it: it does not switch.
//   Neither does one that touches it. One that comes to it and stays there, level but for rounding, is there.
// - Two switches less than 1 ns apart may count as none, unless a reset reads them.
// - A guard takes so many evaluations a window at most. Where they end before a sixteenth of it is known, the rest is
//   looked at 16 times; else it is another window.
// - All guards of a group share one tape: what several compare is evaluated once a window.
// - While a limit slides, it is the slopes on its sides that are bounded (SlideBounds.swift).
// - What cannot be bounded is scanned (GuardScan.swift) and looked at 16 times a window.
// - What is found depends on the windows only, never on who looks.

import FRPCore
import FRPGraph

final class CrossingSearch {
  /// By sampled guard: when it switches, as the newest search found, or infinity.
  private(set) var moments: [Double] = []

  /// By sampled guard, those that cannot be bounded first: what it compares.
  private var bounds: [Bound?] = []
  private var scan: GuardScan?
  /// How many guards cannot be bounded.
  var scanned: Int { scan?.count ?? 0 }
  /// What all guards compare; the operations that any of them needs; until when it is what they compare.
  private var tape = BoundTape()
  private var needed: [Int32] = []
  private var readUntil = -Double.infinity
  /// How often the past had changed when the guards were read; nil if they do not ask for it.
  private var readChanges: Int?
  private var holds: [Bool] = []
  /// By place, the guards that may switch in a window.
  private var open: [Int] = []
  private var models: UnsafeMutablePointer<TaylorModel>
  private var capacity = 64

  private struct Bound {
    /// The guard holds where `above` is above `below`.
    var above: Int
    var below: Int
    /// What both are sums of: its size tells what is rounding.
    var terms: [BoundTape.Term] = []
    /// The operations that it needs, once it has been looked at by itself.
    var needed: [Int32] = []
  }

  /// Evaluations of one guard in one window; how many are few, and how many are too many to take a longer one.
  private static let most = 2_000
  private static let few = 50
  private static let many = 300
  static let looks = 16

  init() {
    models = .allocate(capacity: capacity)
  }

  deinit { models.deallocate() }

  /// The group has been restarted.
  func forget() { readUntil = -.infinity }

  // MARK: Reading guards

  private func read(_ group: ContinuousGroup, from start: Double) {
    // Code may collect garbage, so it runs before anything is read.
    let steps = group.sampled.map { index in
      let row = group.guards[index]
      return (
        step(row.leftExpr, row.left, row: row, group: group), step(row.rightExpr, row.right, row: row, group: group)
      )
    }
    var reader = BoundReader(group, from: start)
    let slides = group.boundSlides(&reader)
    let zero = reader.step(0)
    var unbounded: [Int] = []
    var bounded: [Int] = []
    var found: [Bound?] = []
    for (index, (left, right)) in zip(group.sampled, steps) {
      let row = group.guards[index]
      if let slide = slides[index] {
        bounded.append(index)
        found.append(Bound(above: Int(slide), below: Int(zero)))
        continue
      }
      guard !row.isSliding, let left = operand(row.leftExpr, left, row: row, group: group, reader: &reader),
        let right = operand(row.rightExpr, right, row: row, group: group, reader: &reader)
      else {
        unbounded.append(index)
        continue
      }
      bounded.append(index)
      let (above, below) = row.isGreater ? (left, right) : (right, left)
      found.append(Bound(above: Int(above), below: Int(below)))
    }
    group.sampled = unbounded + bounded
    bounds = unbounded.map { _ in nil } + found
    moments = Array(repeating: .infinity, count: bounds.count)
    tape = reader.tape
    readUntil = reader.until
    readChanges = reader.readsPast ? group.host.pastChanges : nil
    for place in bounds.indices {
      guard let bound = bounds[place] else { continue }
      bounds[place]?.terms = tape.terms(of: Int32(bound.above)) + tape.terms(of: Int32(bound.below))
    }
    needed = tape.needed(for: found.flatMap { bound in bound.map { [$0.above, $0.below] } ?? [] })
    let tolerance = group.tolerance
    if unbounded.isEmpty {
      scan = nil
    } else if scan?.count != unbounded.count || scan?.touchTolerance != tolerance {
      scan = GuardScan(count: unbounded.count, touchTolerance: tolerance)
    }
    if tape.operations.count > capacity {
      models.deallocate()
      capacity = 2 * tape.operations.count
      models = .allocate(capacity: capacity)
    }
  }

  /// What reads no continuous behavior is constant, however it is computed.
  private func step(_ expr: CoreExprID, _ code: CodeID, row: GuardRow, group: ContinuousGroup) -> Double? {
    guard group.host.isStep(expr) else { return nil }
    group.machine.stepsLeft = group.host.stepBudget
    return (try? group.machine.run(code, base: row.new))?.float
  }

  private func operand(
    _ expr: CoreExprID, _ step: Double?, row: GuardRow, group: ContinuousGroup, reader: inout BoundReader
  ) -> Int32? {
    if let step { return reader.step(step) }
    return group.host.isStep(expr) ? nil : reader.operation(expr, row.new, scope: row.scope)
  }

  // MARK: A window

  /// The first switch in `start...end`, and by how much the next window may be longer.
  func look(
    _ group: ContinuousGroup, from start: Double, to end: Double
  ) -> (outcome: GuardScan.Outcome, growth: Double) {
    // What has become known of the past since may end what was read of it.
    let isStale = readChanges.map { $0 != group.host.pastChanges } ?? false
    if isStale || readUntil <= start + BoundReader.slack { read(group, from: start) }
    let end = min(end, readUntil)
    holds.removeAll(keepingCapacity: true)
    for index in group.sampled { holds.append(group.guards[index].isSliding || group.guards[index].holds) }
    for place in moments.indices { moments[place] = .infinity }
    var until = end
    var growth = 2.0
    if let scan {
      if case .clear(let known) = scan.scan(group, from: start, to: end, holds: holds) { until = known }
      for place in 0..<scan.count { moments[place] = scan.roots[place] }
      growth = scan.wasSmooth ? 2 : 0.5
    }
    var first = moments.reduce(.infinity, min)
    findOpen(group, start, end: min(first + 8 * GuardScan.together, until))
    for place in open {
      // A little beyond what others do: guards that switch together are one instant.
      let limit = min(first + 8 * GuardScan.together, until)
      guard let bound = bounds[place] else {
        if let found = glance(group, place, from: start, to: limit, holds: holds[place]) {
          moments[place] = found
          first = min(first, found)
        }
        continue
      }
      if bound.needed.isEmpty { bounds[place]?.needed = tape.needed(for: [bound.above, bound.below]) }
      let row = group.guards[group.sampled[place]]
      var division = Division(
        place: place, bound: bounds[place] ?? bound, holds: holds[place],
        isZeroSame: group.holdsAtZero(place) == holds[place], isExact: row.isResetting, tolerance: group.tolerance,
        floor: group.noiseBesideSlide(row), start: start, lastClear: start, left: CrossingSearch.most)
      var found = divide(group, &division, start: start, end: limit, last: .unclear)
      if found == nil, let spent = division.spent {
        if spent - start >= (limit - start) / Double(CrossingSearch.looks) {
          until = min(until, spent)
        } else {
          found = glance(group, place, from: spent, to: limit, holds: holds[place])
        }
      }
      let used = CrossingSearch.most - division.left
      // Windows do not become so short that it is their number that holds up the clock.
      let isShort = end - start <= ContinuousGroup.firstWindow
      growth = min(growth, used <= CrossingSearch.few ? 2 : used <= CrossingSearch.many || isShort ? 1 : 0.5)
      if let found {
        moments[place] = found
        first = min(first, found)
      }
    }
    if first > until + GuardScan.together { return (.clear(until: until), growth) }
    for place in moments.indices where moments[place] > first + GuardScan.together { moments[place] = .infinity }
    return (.crossing(first: first), growth)
  }

  /// Notes in `open` the guards that may switch in a window: all but those that certainly stay on their side all along.
  private func findOpen(_ group: ContinuousGroup, _ start: Double, end: Double) {
    open.removeAll(keepingCapacity: true)
    evaluate(needed, group, start: start, end: end)
    for (place, bound) in bounds.enumerated() where bound != nil || !group.guards[group.sampled[place]].isSliding {
      if let bound {
        let difference = models[bound.above] - models[bound.below]
        let (low, high) = difference.bounds
        let least = holds[place] ? low : -high
        let isZeroSame = group.holdsAtZero(place) == holds[place]
        if difference.isTotal, least > 0 || (least == 0 && isZeroSame) { continue }
      }
      open.append(place)
    }
  }

  private func evaluate(_ needed: [Int32], _ group: ContinuousGroup, start: Double, end: Double) {
    let half = (end - start) / 2
    tape.evaluate(needed, group, middle: start + half, half: half * (1 + 0x1p-50), into: models)
  }

  /// Above zero the guard holds; with the least size of the terms of what is compared. An integral's error is that of its
  /// recent size where it passes through zero.
  private func difference(
    _ bound: Bound, _ group: ContinuousGroup, start: Double, end: Double
  ) -> (TaylorModel, size: Double) {
    evaluate(bound.needed, group, start: start, end: end)
    let (above, below) = (models[bound.above], models[bound.below])
    var size = 0.0
    for term in bound.terms {
      var own = models[Int(term.place)].leastSize
      if case .integral(let row) = tape.operations[Int(term.place)] { own = max(own, group.recentSize(Int(row))) }
      size += term.factor * own
    }
    return (above - below, size)
  }

  // MARK: One guard

  private enum Side {
    case same, other, unclear
  }

  /// A window that is being divided for a guard.
  private struct Division {
    let place: Int
    let bound: Bound
    let holds: Bool
    /// Whether being at the limit is no switch.
    let isZeroSame: Bool
    /// A reset reads it: what is shorter than a nanosecond counts.
    let isExact: Bool
    let tolerance: Double
    /// What counts as its limit, whatever is compared: where a slide has just been left, rounding of the state.
    let floor: Double
    let start: Double
    /// When it was last known to be clearly as it is, or the start.
    var lastClear: Double
    /// Evaluations that are left, and up to where nothing switches if none are.
    var left: Int
    var spent: Double?

    /// The range of a model, turned so that what lies below zero is beyond the limit.
    func range(_ difference: TaylorModel) -> (least: Double, greatest: Double) {
      let (low, high) = difference.bounds
      return holds ? (low, high) : (-high, -low)
    }
  }

  /// The first switch in a part of the window at whose end the guard is on the side `last`, earliest half first.
  private func divide(
    _ group: ContinuousGroup, _ division: inout Division, start: Double, end: Double, last: Side
  ) -> Double? {
    if division.spent != nil { return nil }
    division.left -= 1
    if division.left < 0 {
      division.spent = start
      return nil
    }
    let (difference, size) = difference(division.bound, group, start: start, end: end)
    // That it has no value is a fault, which the machine notes.
    if difference.isNowhere && last != .other {
      _ = group.sample(division.place, at: start)
      return nil
    }
    let (least, greatest) = division.range(difference)
    let slack = division.tolerance * size + division.floor
    // Of what cancels out but for rounding, before it is compared with zero, the machine's own zero decides.
    let isCancelled = difference.size == 0 && difference.rest > slack && difference.rest < 1e-9 && difference.isTotal
    if isCancelled, !difference.isZero, last != .other,
      group.sample(division.place, at: start + (end - start) / 2).value != 0
    {
      return nil
    }
    let isLevel = difference.isLevel(ofSize: size)
    if difference.isZero || isCancelled || isLevel {
      // It has come to its limit and stays there.
      let isSwitch = !division.isZeroSame && end - start > GuardScan.together
      return isSwitch || last == .other ? locate(group, division, end: end, isLevel: isLevel) : nil
    }
    if least > slack, difference.isTotal {
      division.lastClear = end
      return nil
    }
    if last != .other, least >= -slack, difference.isTotal,
      division.isZeroSame || least > 0 || greatest <= slack
    {
      return nil
    }
    if greatest < -slack, difference.isTotal { return locate(group, division, end: end) }
    let half = (end - start) / 2
    let middle = start + half
    // Where it rises or falls all along, its ends decide: what rounding leaves open is too short to count.
    let slope = difference.leastSlope
    let shortest = division.isExact ? 2 * end.ulp : GuardScan.together
    let isMonotone = slope > 0 && (difference.rest <= slack || 2 * difference.rest * half <= shortest * slope)
    if isMonotone || half <= shortest / 2 || middle <= start || middle >= end {
      let isOther = last == .other || side(group, &division, end) == .other
      return isOther ? locate(group, division, end: end) : nil
    }
    let side = side(group, &division, middle)
    if let found = divide(group, &division, start: start, end: middle, last: side) { return found }
    if side == .same { division.lastClear = middle }
    return divide(group, &division, start: middle, end: end, last: last)
  }

  private func side(_ group: ContinuousGroup, _ division: inout Division, _ t: Double) -> Side {
    division.left -= 1
    let (difference, size) = difference(division.bound, group, start: t, end: t)
    if !difference.isTotal { _ = group.sample(division.place, at: t) }
    let (least, greatest) = division.range(difference)
    let slack = division.tolerance * size + division.floor
    return least > slack ? .same : greatest < -slack ? .other : .unclear
  }

  /// When a guard that is on the other side at `end` came there: at the window's start, if rounding hid it there before.
  /// `isLevel`: its value at `end`, which rounding has left beside zero, is its limit.
  private func locate(_ group: ContinuousGroup, _ division: Division, end: Double, isLevel: Bool = false) -> Double {
    let start = division.lastClear
    let row = group.guards[group.sampled[division.place]]
    if start == division.start, start > group.origin, row.limitTime < start {
      let sample = group.sample(division.place, at: start)
      let isHolding = sample.value == 0 ? group.holdsAtZero(division.place) : sample.value > 0
      if sample.value.isFinite && isHolding != division.holds { return start }
    }
    let level = isLevel ? group.sample(division.place, at: end).value : 0
    return GuardScan.bisect(
      division.place, group, start: start, end: end, holds: division.holds, level: level.isFinite ? level : 0)
  }

  /// Looks at a guard so many times, and no more.
  private func glance(
    _ group: ContinuousGroup, _ place: Int, from start: Double, to end: Double, holds: Bool
  ) -> Double? {
    var clear = start
    let floor = group.noiseBesideSlide(group.guards[group.sampled[place]])
    for look in 1..<CrossingSearch.looks {
      let t = start + (end - start) * (Double(look) / Double(CrossingSearch.looks))
      guard t > start, t < end else { continue }
      let sample = group.sample(place, at: t)
      guard sample.value.magnitude > group.tolerance * sample.size + floor else { continue }
      if (sample.value > 0) != holds { return GuardScan.bisect(place, group, start: clear, end: t, holds: holds) }
      clear = t
    }
    return nil
  }
}

extension ContinuousGroup {
  /// How far, against the size of what is compared, a guard must be beyond its limit to be there. The stepper's error is
  /// larger than rounding; within it a touch is a touch.
  var tolerance: Double { isInSteps ? 1e-10 : 1e-13 }

  /// How far from its limit rounding has put a comparison that left a slide at the last restart: what it compares may be
  /// the difference of two numbers, of whose sizes it tells nothing.
  func noiseBesideSlide(_ row: GuardRow) -> Double {
    if row.leftTime != origin { return 0 }
    return 1e-13 * integrals.reduce(1e-3) { max($0, $1.new[$1.slot].float.magnitude) }
  }
}
