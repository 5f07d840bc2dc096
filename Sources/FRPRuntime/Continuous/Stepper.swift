// One system of differential equations, followed in error-controlled steps with dense output.
//
// In: a `RateField` (dy/dt as a function of t and y), a time and a state to start from.
// Out: a chain of steps; within the newest one the state at any moment.
// Rules:
// - The steps depend on the rates, the state and the restarts only, never on who asks for which moment.
// - The estimated error of every component is held below 1e-12 of its own size (its recent size where it passes through
//   zero), or, just after steps as short as the clock allows, below what its resolution makes of the rate. Within a step no
//   estimate sees everything: of 1,500 random kinks in a rate, the worst was passed with 2.6e-10.
// - What cannot be followed (a pole, sliding along a jump, a rate that faults) ends in a `Halt`, never in a hang.
// - Buffers are made once; a step allocates nothing, but where what rounding does to many components is measured, which sorts them.

/// The right-hand side of a system of differential equations.
protocol RateField: AnyObject {
  /// Writes dy/dt at (t, y) to `rates`; gives the number of the first component whose rate faults there, else nil. The
  /// number's complement says that it is no use to try nearer.
  func rates(at t: Double, _ y: UnsafePointer<Double>, into rates: UnsafeMutablePointer<Double>) -> Int?
  /// How far rounding is known to move a component's rate.
  func noise(_ component: Int) -> Double
  /// Whether the rates read what other steppers have made.
  var isFed: Bool { get }
  /// Raises the rates' noise at (t, y) by what their operations round.
  func addRounding(to noise: UnsafeMutablePointer<Double>, at t: Double, _ y: UnsafePointer<Double>)
  /// From now on all that other steppers have made is wrong by so many times its error, what lies next to one another to different sides.
  func disturb(_ times: Double)
}

extension RateField {
  func noise(_ component: Int) -> Double { 0 }
  var isFed: Bool { false }
  func disturb(_ times: Double) {}
  func addRounding(to noise: UnsafeMutablePointer<Double>, at t: Double, _ y: UnsafePointer<Double>) {}
}

/// Why a system cannot be followed beyond a moment.
enum Halt: Equatable {
  /// The rate of this component faults there.
  case fault(component: Int)
  /// The rates grow or flicker without bound there; this component is the worst.
  case unbounded(component: Int)
}

/// See the head of this file.
final class Stepper {
  let count: Int
  /// The newest step spans `start...end`; they are equal after a restart.
  private(set) var start = 0.0
  private(set) var end = 0.0
  /// When the chain of steps began.
  private(set) var origin = 0.0
  /// The component whose error has kept the newest step short.
  private(set) var hardest = 0

  /// The moment for which rates are computed, as so many seconds after another: the clock tells less where a step is short.
  private(set) var asked = (base: 0.0, since: 0.0)

  private let tableau = Tableau.dormandPrince853
  private let y0: UnsafeMutablePointer<Double>
  private let y1: UnsafeMutablePointer<Double>
  private let stage: UnsafeMutablePointer<Double>
  private let noise: UnsafeMutablePointer<Double>
  /// The largest size each component has had of late: half of it is forgotten at every step.
  private let size: UnsafeMutablePointer<Double>
  /// Rates of all stages, one row of `count` a stage.
  private let k: UnsafeMutablePointer<Double>
  /// Rows 0 to 6 of the interpolant.
  private let f: UnsafeMutablePointer<Double>
  private let block: UnsafeMutablePointer<Double>
  /// The components by their values, as of the last time that somebody asked.
  private let ranks: UnsafeMutablePointer<Int32>

  private var nextStep = 0.0
  /// How long the newest step was to be, where there was a border; else 0.
  private var wantedStep = 0.0
  /// The newest step was to be no longer than it is: it ends at a border.
  private(set) var isCutShort = false
  /// The time between the last two restarts. Where restarts are frequent, steps much longer than that would be cut
  /// short again and again where the interpolant is at its worst.
  private var lastStretch = 0.0
  private var hasEndRates = false
  private var hasDroppedRemnants = false
  /// Whether steps have lately been as short as the clock allows: rounding may be all that moves a rate.
  private var isFine = false
  /// Whether how far others err, or what the rates round, has lately been what refused steps.
  private var isNoisy = false
  /// Whether steps have been refused so often since that what the rates round counts.
  private var isRounding = false
  private var patience = Patience()

  static let relativeTolerance = 1e-12
  /// Errors of this size are tolerated, however small the values are.
  private static let nothing = 1e-300
  /// How often a step computes the rates.
  static let rows = Tableau.count
  private static let denseRows = 7
  /// So many refusals of one step in a row are more than its length.
  private static let manyRejections = 4

  init(count: Int) {
    self.count = count
    let rows = 5 + Stepper.rows + Stepper.denseRows
    let total = max(1, rows * count)
    block = .allocate(capacity: total)
    block.initialize(repeating: 0, count: total)
    y0 = block
    y1 = y0 + count
    stage = y1 + count
    noise = stage + count
    size = noise + count
    k = size + count
    f = k + Stepper.rows * count
    ranks = .allocate(capacity: max(1, count))
    for i in 0..<count { ranks[i] = Int32(i) }
  }

  deinit {
    block.deallocate()
    ranks.deallocate()
  }

  // MARK: Reading

  /// Writes the state at a moment of the newest step.
  func state(at t: Double, into y: UnsafeMutablePointer<Double>) {
    if t >= end { return y.update(from: y1, count: count) }
    if t <= start { return y.update(from: y0, count: count) }
    let x = (t - start) / (end - start)
    for i in 0..<count { y[i] = interpolate(i, x) }
  }

  /// Component `i` so many seconds after the start of the newest step.
  func value(_ i: Int, after s: Double) -> Double {
    if s >= end - start { return y1[i] }
    if s <= 0 { return y0[i] }
    return interpolate(i, s / (end - start))
  }

  /// What the newest step knows of component `i`: its value at the start, then the rows of the interpolant.
  func rows(_ i: Int) -> SIMD8<Double> {
    var rows = SIMD8<Double>.zero
    rows[0] = y0[i]
    for row in 0..<Stepper.denseRows { rows[row + 1] = f[row * count + i] }
    return rows
  }

  /// Component `i` at the start of the newest step.
  func first(_ i: Int) -> Double { y0[i] }

  /// Component `i` at the end of the newest step.
  func last(_ i: Int) -> Double { y1[i] }

  /// The size that component `i` has had of late, half of which is forgotten at every step.
  func recentSize(_ i: Int) -> Double { size[i] }

  /// The value at the fraction `x` of a step that has gone.
  static func interpolate(_ rows: SIMD8<Double>, _ x: Double) -> Double {
    let w = 1 - x
    let high = ((rows[7] * x + rows[6]) * w + rows[5]) * x + rows[4]
    return rows[0] + (((high * w + rows[3]) * x + rows[2]) * w + rows[1]) * x
  }

  /// Component `i` at the fraction `x` of the newest step.
  private func interpolate(_ i: Int, _ x: Double) -> Double {
    let w = 1 - x
    var sum = f[6 * count + i] * x
    sum = (sum + f[5 * count + i]) * w
    sum = (sum + f[4 * count + i]) * x
    sum = (sum + f[3 * count + i]) * w
    sum = (sum + f[2 * count + i]) * x
    sum = (sum + f[count + i]) * w
    return y0[i] + (sum + f[i]) * x
  }

  // MARK: Restarting

  /// Forgets the steps so far and starts at `t` from `y`; nothing is evaluated yet.
  func restart(at t: Double, _ y: UnsafePointer<Double>) {
    lastStretch = t - origin
    origin = t
    start = t
    end = t
    y1.update(from: y, count: count)
    y0.update(from: y, count: count)
    for i in 0..<count { size[i] = y[i].magnitude }
    hasEndRates = false
    hasDroppedRemnants = false
    isFine = false
    isNoisy = false
    isRounding = false
    nextStep = 0
    patience = Patience()
  }

  // MARK: Stepping

  /// How finely moments are told at the start of the step. Near zero a Float tells 1e-300 s from 2e-300 s, and steps as
  /// short as that would lead nowhere.
  private var resolution: Double { Stepper.resolution(start) }
  private static func resolution(_ t: Double) -> Double { max(t.ulp, 1e-30) }
  /// The shortest step that is made at a moment.
  static func shortest(_ t: Double) -> Double { 8 * resolution(t) }
  /// Whether a step is so short that the clock's resolution tells in it.
  static func isFine(_ start: Double, _ end: Double) -> Bool { end - start <= 1e9 * resolution(start) }

  /// How long the next step of a system that reads others would be, of at most `most` seconds; 0 where nothing is known of it yet.
  func plannedStep(most: Double) -> Double {
    if !hasEndRates { return 0 }
    let h = min(nextStep, longestStep, most)
    return min(h, meeting(end, h))
  }

  /// How far it is from `t` to where systems meet that read others, with steps of length h: at all multiples of a power of two of seconds,
  /// 16 to 32 times as long; before there are any, since the start, at each power of 16. Without that, where each of many reads the one
  /// before, each would have to be a step further ahead than the next.
  private func meeting(_ t: Double, _ h: Double) -> Double {
    let age = t - origin
    if age <= 0 { return .infinity }
    func power(_ exponent: Int) -> Double { Double(sign: .plus, exponent: exponent, significand: 1) }
    let period = power(Int(h.exponent) + 5)
    if age < period { return power((Int(age.exponent) & ~3) + 4) - age }
    let next = ((t / period).rounded(.down) + 1) * period - t
    // Beyond the clock's resolution, and beyond the Floats, there is none.
    return next > 0 ? next : .infinity
  }

  /// Makes the next step, from `end`, of at most `most` seconds, and not across a border: for so many seconds it is known what the rates
  /// read. `isFine`: that comes from steps as short as the clock allows. Nil when it is made.
  func advance(
    _ field: some RateField, most: Double = .infinity, border: Double = .infinity, isFine isFedFine: Bool = false
  ) -> Halt? {
    guard count > 0 else { return nil }
    isFine = isFine || isFedFine
    if !hasEndRates {
      if let bad = ask(field, end, 0, y1, into: k + Tableau.endStage * count) {
        return .fault(component: bad < 0 ? ~bad : bad)
      }
      hasEndRates = true
      nextStep = firstStep(field)
    }
    // Until the step is made, `end` equals `start`.
    start = end
    y0.update(from: y1, count: count)
    k.update(from: k + Tableau.endStage * count, count: count)
    for i in 0..<count { noise[i] = field.noise(i) }
    var h = min(nextStep, longestStep, most)
    let border = field.isFed ? min(border, meeting(start, h)) : border
    isCutShort = border < h
    wantedStep = isCutShort ? h : 0
    h = min(h, border)
    var rejections = 0
    var isNoiseKnown = isFine || isNoisy
    if isNoiseKnown { measureNoise(field) }
    while true {
      let smallest = Stepper.shortest(start)
      let isForced = h <= smallest
      if isForced { h = smallest }
      let next = start + h
      h = next - start
      let attempt = self.attempt(field, h)
      switch attempt {
      case .fault(let component):
        if isForced || component < 0 { return give(up: .fault(component: component)) }
        h *= 0.25
      case .ratio(let ratio, let worst):
        // In the shortest steps of all, rounding may be all that moves a rate.
        if ratio > 1, !isNoiseKnown, isForced || rejections == 1 {
          measureNoise(field)
          isNoiseKnown = true
          isNoisy = field.isFed
          isFine = isFine || isForced
          if isForced && ratio.isFinite { continue }
        }
        if ratio > 1, ratio.isFinite, !isRounding, isForced || rejections == Stepper.manyRejections {
          isRounding = true
          isNoisy = true
          isNoiseKnown = true
          measureNoise(field)
          continue
        }
        if ratio <= 1 || (isForced && ratio.isFinite) {
          guard let halt = finish(next, h, ratio: ratio, rejections: rejections, isForced: isForced, worst: worst)
          else { return nil }
          return give(up: halt)
        }
        if isForced { return give(up: .unbounded(component: worst)) }
        h *= ratio.isFinite ? max(0.2, 0.9 * Elementary.pow(ratio, -1.0 / 8)) : 0.1
      }
      rejections += 1
      if !isCutShort { patience.reject() }
    }
  }

  /// Leaves the state at the end of the last good step, to be restarted from.
  private func give(up halt: Halt) -> Halt {
    var halt = halt
    if case .fault(let component) = halt, component < 0 { halt = .fault(component: ~component) }
    end = start
    y1.update(from: y0, count: count)
    hasEndRates = false
    return halt
  }

  private var longestStep: Double { max(1, 0.02 * (end - origin)) }

  private enum Attempt {
    /// A stage faulted.
    case fault(component: Int)
    /// The error as a share of what is tolerated, and the component where it is largest.
    case ratio(Double, worst: Int)
  }

  /// Tries a step of length `h` from `start`; on success `y1`, all rates and the interpolant are those of that step.
  private func attempt(_ field: some RateField, _ h: Double) -> Attempt {
    for s in 1..<Tableau.endStage {
      combine(tableau.stages[s], h, into: stage)
      if let bad = ask(field, start, tableau.nodes[s] * h, stage, into: k + s * count) {
        return .fault(component: bad)
      }
    }
    combine(tableau.stages[Tableau.endStage], h, into: y1)
    for i in 0..<count where !y1[i].isFinite { return .ratio(.infinity, worst: i) }
    if let bad = ask(field, start, h, y1, into: k + Tableau.endStage * count) { return .fault(component: bad) }
    let (ratio, worst) = errorRatio(h)
    let isForced = h <= Stepper.shortest(start)
    guard ratio <= 1 || isForced else { return .ratio(ratio, worst: worst) }
    for s in (Tableau.endStage + 1)..<Tableau.count {
      combine(tableau.stages[s], h, into: stage)
      if let bad = ask(field, start, tableau.nodes[s] * h, stage, into: k + s * count) {
        return .fault(component: bad)
      }
    }
    interpolant(h)
    if !isForced, let rejection = checkInterpolant(field, h) { return rejection }
    return .ratio(ratio, worst: worst)
  }

  private func ask(
    _ field: some RateField, _ base: Double, _ since: Double, _ y: UnsafePointer<Double>,
    into rates: UnsafeMutablePointer<Double>
  ) -> Int? {
    asked = (base, since)
    return field.rates(at: base + since, y, into: rates)
  }

  private func combine(_ row: Tableau.Row, _ h: Double, into y: UnsafeMutablePointer<Double>) {
    for i in 0..<count { y[i] = y0[i] + h * sum(row, i) }
  }

  private func sum(_ row: Tableau.Row, _ i: Int) -> Double {
    var sum = 0.0
    for j in 0..<row.stages.count { sum += row.weights[j] * k[row.stages[j] * count + i] }
    return sum
  }

  /// The method's error estimate (of order 5, corrected by that of order 3) against the tolerance, worst component.
  private func errorRatio(_ h: Double) -> (Double, Int) {
    var worst = 0
    var largest = 0.0
    for i in 0..<count {
      let tolerated = tolerated(i, h)
      let e5 = (h * sum(tableau.error5, i) / tolerated).magnitude
      let e3 = (h * sum(tableau.error3, i) / tolerated).magnitude
      // The squares of tiny errors would be zero, and their quotient not a number; any bound will do that far below one.
      let ratio = e5 < 1e-150 ? e5 : e5 * e5 / (e5 * e5 + 0.01 * e3 * e3).squareRoot()
      // Also catches what is not a number.
      if !(ratio <= largest) { (largest, worst) = (ratio.isNaN ? .infinity : ratio, i) }
    }
    return (largest, worst)
  }

  private func tolerated(_ i: Int, _ h: Double) -> Double {
    let own = max(y0[i].magnitude, y1[i].magnitude)
    let tolerated = Stepper.relativeTolerance * max(own, 1e-3 * size[i]) + 8 * h * noise[i] + Stepper.nothing
    guard isFine else { return tolerated }
    // Moments are known to the clock's resolution only: what has hardly left zero is not known to its own size.
    let rate = max(k[i].magnitude, k[Tableau.endStage * count + i].magnitude)
    return tolerated + 8 * resolution * rate
  }

  /// Where a rate has a kink within the step, the estimates above happen to cancel once in a hundred times, which lets
  /// an error of 1e-7 pass. So the interpolant's slope is held against the rate at one more moment: for smooth rates they
  /// differ by up to 200 times what is tolerated, at a kink by 10,000 times and more. Nil if they agree.
  private func checkInterpolant(_ field: some RateField, _ h: Double) -> Attempt? {
    let x = 0.6
    let probe = k + (Tableau.count - 1) * count
    for i in 0..<count { stage[i] = interpolate(i, x) }
    if let bad = ask(field, start, x * h, stage, into: probe) { return .fault(component: bad) }
    var worst = 0
    var largest = 0.0
    for i in 0..<count {
      let ratio = (slope(i, x) - h * probe[i]).magnitude / (300 * tolerated(i, h))
      if !(ratio <= largest) { (largest, worst) = (ratio.isNaN ? .infinity : ratio, i) }
    }
    return largest > 1 ? .ratio(largest, worst: worst) : nil
  }

  /// The derivative of the interpolant by the fraction `x` of the step.
  private func slope(_ i: Int, _ x: Double) -> Double {
    var value = 0.0
    var slope = 0.0
    for row in (0..<Stepper.denseRows).reversed() {
      value += f[row * count + i]
      let (factor, change) = row & 1 == 0 ? (x, 1.0) : (1 - x, -1.0)
      slope = slope * factor + value * change
      value *= factor
    }
    return slope
  }

  private func interpolant(_ h: Double) {
    for i in 0..<count {
      let change = y1[i] - y0[i]
      f[i] = change
      f[count + i] = h * k[i] - change
      f[2 * count + i] = 2 * change - h * (k[Tableau.endStage * count + i] + k[i])
      for row in 0..<4 { f[(3 + row) * count + i] = h * sum(tableau.dense[row], i) }
    }
  }

  private func finish(
    _ next: Double, _ h: Double, ratio: Double, rejections: Int, isForced: Bool, worst: Int
  ) -> Halt? {
    end = next
    hardest = worst
    if !Stepper.isFine(start, next) { isFine = false }
    if isNoisy { isNoisy = (0..<count).contains { 80 * h * noise[$0] > tolerated($0, h) } }
    isRounding = isRounding && isNoisy
    for i in 0..<count { size[i] = max(0.5 * size[i], y1[i].magnitude) }
    let growth = ratio == 0 ? 6 : min(6, max(0.2, 0.9 * Elementary.pow(ratio, -1.0 / 8)))
    nextStep = h * (rejections > 0 ? min(1, growth) : growth)
    // A step that was cut short tells little of how long the next one may be.
    if rejections == 0, ratio <= 1 { nextStep = max(nextStep, wantedStep) }
    hasEndRates = true
    // Steps that are short for somebody else's sake tell nothing of this system.
    if isCutShort { return nil }
    let isCrawling = isForced || (isFine && h < 1e4 * resolution)
    if patience.accept(at: next, isCrawling: isCrawling) || dropRemnants() { return nil }
    return .unbounded(component: worst)
  }

  /// What has decayed to nothing that can be told from zero keeps the steps short for ever, and so is zero from here on;
  /// whether there was any. Once between two restarts, so that what is fed again and again does not go on without end.
  private func dropRemnants() -> Bool {
    if hasDroppedRemnants { return false }
    hasDroppedRemnants = true
    var isAny = false
    for i in 0..<count where y1[i] != 0 && y1[i].magnitude <= 1000 * Stepper.nothing {
      y1[i] = 0
      isAny = true
    }
    if isAny {
      hasEndRates = false
      patience = Patience()
    }
    return isAny
  }

  /// How far rounding alone moves each rate: where steps are refused again and again this is why, if the rate is a
  /// small difference of large terms. The lesser of two probes, so that a jump beside the state is not taken for
  /// noise. What lies next to one another goes apart, and not what is defined next to one another: the order of
  /// definitions makes no difference.
  private func measureNoise(_ field: some RateField) {
    let probe = k + (Tableau.count - 1) * count
    for i in 0..<count { noise[i] = .infinity }
    var ranked = UnsafeMutableBufferPointer(start: ranks, count: count)
    ranked.sort { (y0[Int($0)], k[Int($0)]) < (y0[Int($1)], k[Int($1)]) }
    for side in [0x1p-51, -0x1p-51] {
      for (rank, i) in zip(0..., ranked) { stage[Int(i)] = y0[Int(i)] * (1 + (rank & 1 == 0 ? side : -side)) }
      field.disturb(side > 0 ? 1 : -1)
      let isDefined = ask(field, start, side > 0 ? resolution : -resolution, stage, into: probe) == nil
      field.disturb(0)
      for i in 0..<count { noise[i] = isDefined ? min(noise[i], (probe[i] - k[i]).magnitude) : 0 }
    }
    if isRounding { field.addRounding(to: noise, at: start, y0) }
  }

  /// The step to begin with, from the size of the rates and how fast they turn (Hairer, Nørsett, Wanner, II.4).
  private func firstStep(_ field: some RateField) -> Double {
    let rates = k + Tableau.endStage * count
    let probe = k + (Tableau.count - 1) * count
    var h = 1e-2
    for i in 0..<count where rates[i] != 0 && y1[i] != 0 { h = min(h, 0.01 * (y1[i] / rates[i]).magnitude) }
    h = max(h, 1e-6)
    for i in 0..<count { stage[i] = y1[i] + h * rates[i] }
    guard ask(field, end, h, stage, into: probe) == nil else { return h * 0.1 }
    var fastest = 0.0
    for i in 0..<count {
      // What starts at zero, even with a rate of zero, is soon as large as its rates make it.
      let own = max(y1[i].magnitude, size[i], max(rates[i].magnitude, probe[i].magnitude) * h)
      let scale = Stepper.relativeTolerance * own + Stepper.nothing
      let turn = (probe[i] - rates[i]).magnitude / h
      fastest = max(fastest, turn > 0 ? max(turn, rates[i].magnitude) / scale : 0)
    }
    let longest = lastStretch > 0 ? min(100 * h, 4 * lastStretch) : 100 * h
    return fastest > 0 ? min(longest, Elementary.pow(0.01 / fastest, 1.0 / 8)) : longest
  }
}

/// Tells following something fast from not getting anywhere.
private struct Patience {
  private var crawled = 0
  private var steps = 0
  private var rejections = 0
  private var mark = -Double.infinity

  /// Steps after which the clock must have moved, and by how much (in seconds) at least.
  private static let window = 10_000
  private static let leastProgress = 1e-7

  mutating func reject() { rejections += 1 }

  /// Counts a step; false when there have been too many for nothing.
  mutating func accept(at t: Double, isCrawling: Bool) -> Bool {
    crawled = isCrawling ? crawled + 1 : 0
    if crawled > 100 { return false }
    if steps == 0 { mark = t }
    steps += 1
    guard steps == Patience.window else { return true }
    let isStuck = t - mark < Patience.leastProgress || rejections > steps
    steps = 0
    rejections = 0
    return !isStuck
  }
}
