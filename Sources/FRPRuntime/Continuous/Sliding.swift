// Sliding: where either outcome of a comparison drives what it compares back to the limit, the solution stays there, with
// the mean of both rates, weighted so that the difference stands still (Filippov).
//
// In: a group at the moment of a restart. Out: which limits slide, their weights, and for each other limit the side to
// which it goes; while they slide, the mean rates at any moment and how far each limit is from being left.
// Rules
// - Comparisons of one difference are one limit. A weight is the share of the side above it, from 0 to 1.
// - A limit whose difference depends on the weights of no other is decided alone; such as depend on one another are
//   decided together, by trying all modes. Without exactly one solution, or where the rates of the differences are not
//   linear in the weights, nothing is decided: the clock would stand still.
// - The slopes of differences are measured, not derived; the state is put back exactly onto the limits wherever it is
//   shown.

import FRPCore
import FRPGraph

/// What comparisons of one difference stand at.
struct SlideLimit {
  /// Places among the group's guards, and whether each is above zero where the first is below. The first one's difference
  /// is the limit's.
  var guards: [Int]
  var isTurned: [Bool]
  /// The share of the rates above the limit.
  var weight = 0.0
  /// The slopes of the difference on either side, as they last were.
  var below = 0.0
  var above = 0.0
  /// How the state moves towards the upper side as the weight grows, and how fast the difference does: when it began.
  var direction: [(integral: Int, rate: Double)] = []
  var steepness = 0.0
}

/// Integrals whose rates read the same limits.
struct SlideClass {
  /// Places among the limits, and the integrals.
  var limits: [Int]
  var integrals: [Int]
  /// The steps between, in the order in which they are computed.
  var steps: [RowOwner]
  /// By outcome of the limits (bit i is set where that of `limits[i]` is above), then by integral.
  var rates: [Double]

  var outcomes: Int { 1 << limits.count }
  static let mostLimits = 6
}

/// The limits that a group slides along.
final class Slides {
  var limits: [SlideLimit]
  var classes: [SlideClass]
  /// The limits in the order in which their weights can be found, together where they depend on one another.
  var blocks: [[Int]] = []
  /// By integral: the limits whose differences it is part of; by limit: the classes that read it.
  var readers: [[Int]]
  var classesOf: [[Int]]
  /// By limit: what its slope is where all weights are 0, and what each weight adds.
  var base: [Double]
  var gains: [[(limit: Int, slope: Double)]]
  /// Scratch: states and directions of the group.
  let probe: UnsafeMutablePointer<Double>
  let first: UnsafeMutablePointer<Double>
  let direction: UnsafeMutablePointer<Double>
  let before: UnsafeMutablePointer<Double>
  /// By integral: how far rounding moves its mean rate.
  var noise: [Double]
  /// Rates are being computed by outcome: what reads a rate reads that of the outcome.
  var isMeasuring = false
  /// The weights do not change before the next instant.
  var isSteady = false
  /// The slopes are not linear in the weights.
  var isUndetermined = false

  init(limits: [SlideLimit], classes: [SlideClass], count: Int) {
    self.limits = limits
    self.classes = classes
    readers = Array(repeating: [], count: count)
    classesOf = Array(repeating: [], count: limits.count)
    for (place, group) in classes.enumerated() { for limit in group.limits { classesOf[limit].append(place) } }
    base = Array(repeating: 0, count: limits.count)
    noise = Array(repeating: 0, count: count)
    gains = Array(repeating: [], count: limits.count)
    probe = .allocate(capacity: 4 * max(1, count))
    probe.initialize(repeating: 0, count: 4 * max(1, count))
    first = probe + count
    direction = first + count
    before = direction + count
  }

  deinit { probe.deallocate() }

  /// The limits on whose weights a limit's slope depends.
  func sources(_ place: Int) -> Set<Int> { Set(gains[place].map(\.limit)) }
}

extension ContinuousGroup {
  // MARK: Rates by outcome

  /// Lets the comparisons of a limit say what they say on one of its sides.
  func say(_ limit: SlideLimit, isAbove: Bool) {
    for (place, index) in limit.guards.enumerated() {
      guards[index].new[guards[index].slot] = Word(bool: isAbove != limit.isTurned[place])
    }
  }

  /// Computes the rates of a class for every outcome of its limits at a moment; false where one faults.
  private func findRates(_ slides: Slides, _ number: Int, at t: Double, _ y: UnsafePointer<Double>) -> Bool {
    let limits = slides.classes[number].limits
    let count = slides.classes[number].integrals.count
    let shown = limits.map { slides.limits[$0].guards.map { guards[$0].new[guards[$0].slot] } }
    var isDefined = true
    for outcome in 0..<slides.classes[number].outcomes where isDefined {
      for (bit, limit) in limits.enumerated() { say(slides.limits[limit], isAbove: outcome >> bit & 1 == 1) }
      place(t, y)
      for step in slides.classes[number].steps { host.recompute(step) }
      for (place, index) in slides.classes[number].integrals.enumerated() {
        let row = integrals[index]
        if row.isFrozen {
          slides.classes[number].rates[outcome * count + place] = 0
          continue
        }
        do throws(Fault) {
          slides.classes[number].rates[outcome * count + place] = try machine.run(row.rate, base: row.new).float
        } catch {
          fault = error
          slideFault = index
          isDefined = false
          break
        }
      }
    }
    for (place, limit) in limits.enumerated() {
      for (index, word) in zip(slides.limits[limit].guards, shown[place]) {
        guards[index].new[guards[index].slot] = word
      }
    }
    place(t, y)
    for step in slides.classes[number].steps { host.recompute(step) }
    return isDefined
  }

  /// All rates with every weight 0, into `slides.first`; false where one faults.
  private func findFirstRates(_ slides: Slides, at t: Double, _ y: UnsafePointer<Double>) -> Bool {
    place(t, y)
    for index in integrals.indices where !integrals[index].isSteered {
      if integrals[index].isFrozen {
        slides.first[index] = 0
        continue
      }
      do throws(Fault) {
        slides.first[index] = try machine.run(integrals[index].rate, base: integrals[index].new).float
      } catch {
        fault = error
        slideFault = index
        return false
      }
    }
    for number in slides.classes.indices {
      if slides.classes[number].limits.count > SlideClass.mostLimits { return false }
      if !findRates(slides, number, at: t, y) { return false }
      for (place, index) in slides.classes[number].integrals.enumerated() {
        slides.first[index] = slides.classes[number].rates[place]
      }
    }
    return true
  }

  // MARK: Slopes

  /// d/ds of a limit's difference at (t + s·clock, y + s·direction), s = 0.
  func slope(
    _ limit: SlideLimit, at t: Double, _ y: UnsafePointer<Double>, clock: Double, _ slides: Slides
  ) -> Double {
    let row = guards[limit.guards[0]]
    func value(_ s: Double) -> GuardSample {
      for index in integrals.indices { slides.probe[index] = y[index] + s * slides.direction[index] }
      place(t + s * clock, slides.probe)
      return (try? difference(row)) ?? .undefined
    }
    let now = value(0)
    // Linear differences, which most are, are measured over a long way, where rounding is least.
    let (a, b, c, d) = (value(1), value(-1), value(0.5), value(-0.5))
    let noise = 1e-15 * max(a.size, b.size, now.size)
    let wide = (a.value - b.value) / 2
    let isLinear =
      (a.value + b.value - 2 * now.value).magnitude <= noise * 4
      && (c.value + d.value - 2 * now.value).magnitude <= noise * 4
      && (wide - (c.value - d.value)).magnitude <= noise * 4
    return isLinear ? wide : Slopes.extrapolated { value($0).value }
  }

  private func clearDirection(_ slides: Slides) { slides.direction.update(repeating: 0, count: integrals.count) }

  /// Measures how the slopes depend on the weights at a moment.
  func measure(_ slides: Slides, at t: Double, _ y: UnsafePointer<Double>) -> Bool {
    slides.isMeasuring = true
    defer { slides.isMeasuring = false }
    if !findFirstRates(slides, at: t, y) { return false }
    for place in slides.limits.indices {
      slides.direction.update(from: slides.first, count: integrals.count)
      slides.base[place] = slope(slides.limits[place], at: t, y, clock: 1, slides)
      slides.gains[place].removeAll(keepingCapacity: true)
    }
    for source in slides.limits.indices {
      if !direct(slides, alone: source) { continue }
      var moved: Set<Int> = []
      for place in slides.classesOf[source] {
        for index in slides.classes[place].integrals where slides.direction[index] != 0 {
          moved.formUnion(slides.readers[index])
        }
      }
      for place in moved.sorted() {
        let gain = slope(slides.limits[place], at: t, y, clock: 0, slides)
        if gain != 0 { slides.gains[place].append((source, gain)) }
      }
    }
    place(t, y)
    return true
  }

  /// What the rates gain where one weight goes from 0 to 1, the others 0; false if nothing.
  func direct(_ slides: Slides, alone source: Int) -> Bool {
    clearDirection(slides)
    var isMoving = false
    for place in slides.classesOf[source] {
      let group = slides.classes[place]
      guard let bit = group.limits.firstIndex(of: source) else { continue }
      let count = group.integrals.count
      for (place, index) in group.integrals.enumerated() {
        let gain = group.rates[count << bit + place] - group.rates[place]
        slides.direction[index] = gain
        isMoving = isMoving || gain != 0
      }
    }
    return isMoving
  }

  /// By limit: the limits whose outcomes together, not each by itself, change the slope of its difference, so that it is
  /// not linear in their weights.
  func entangled(_ slides: Slides, at t: Double, _ y: UnsafePointer<Double>) -> [Set<Int>] {
    var result = [Set<Int>](repeating: [], count: slides.limits.count)
    for group in slides.classes where group.limits.count > 1 {
      for subset in 1..<group.outcomes where subset.nonzeroBitCount > 1 {
        if !direct(slides, group, together: subset) { continue }
        let members = group.limits.indices.filter { subset >> $0 & 1 == 1 }.map { group.limits[$0] }
        for limit in slides.limits.indices {
          let slope = slope(slides.limits[limit], at: t, y, clock: 0, slides)
          if slope.magnitude > 1e-9 * scale(slides, limit) { result[limit].formUnion(members) }
        }
      }
    }
    return result
  }

  /// What several outcomes together add to the rates of a class that they do not add each by itself; false if nothing.
  private func direct(_ slides: Slides, _ group: SlideClass, together subset: Int) -> Bool {
    clearDirection(slides)
    var isMoving = false
    let count = group.integrals.count
    for (place, index) in group.integrals.enumerated() {
      var sum = 0.0
      var size = 0.0
      for outcome in 0..<group.outcomes where outcome & ~subset == 0 {
        let rate = group.rates[outcome * count + place]
        sum += (subset ^ outcome).nonzeroBitCount & 1 == 0 ? rate : -rate
        size = max(size, rate.magnitude)
      }
      if sum.magnitude <= 1e-12 * size { continue }
      slides.direction[index] = sum
      isMoving = true
    }
    return isMoving
  }

  func scale(_ slides: Slides, _ limit: Int) -> Double {
    slides.gains[limit].reduce(slides.base[limit].magnitude) { $0 + $1.slope.magnitude }
  }

  // MARK: Weights

  /// Finds the weights, block by block; false where they are not determined.
  func weigh(_ slides: Slides) -> Bool {
    for block in slides.blocks {
      if block.count == 1 {
        let place = block[0]
        let (below, gain) = alone(slides, place)
        slides.limits[place].below = below
        slides.limits[place].above = below + gain
        if gain == 0 { return false }
        slides.limits[place].weight = -below / gain
      } else {
        guard let weights = LinearSystem.solve(together(slides, block)) else { return false }
        for (place, weight) in zip(block, weights) {
          slides.limits[place].weight = weight
          // As far from being left as its weight is from its bounds.
          slides.limits[place].below = weight
          slides.limits[place].above = weight - 1
        }
      }
    }
    return true
  }

  /// The slope of a limit's difference below it, with the weights of the others as they are, and what its own adds.
  func alone(_ slides: Slides, _ place: Int) -> (below: Double, gain: Double) {
    var below = slides.base[place]
    var own = 0.0
    for (source, slope) in slides.gains[place] {
      if source == place { own = slope } else { below += slope * slides.limits[source].weight }
    }
    return (below, own)
  }

  /// The equations of a block: rows of gains, and what they must make up for.
  private func together(_ slides: Slides, _ block: [Int]) -> [[Double]] {
    block.map { place in
      var row = [Double](repeating: 0, count: block.count + 1)
      row[block.count] = -slides.base[place]
      for (source, slope) in slides.gains[place] {
        if let column = block.firstIndex(of: source) {
          row[column] += slope
        } else {
          row[block.count] -= slope * slides.limits[source].weight
        }
      }
      return row
    }
  }

  /// The rates with the weights as they are: the mean over the outcomes of what each reads, by products.
  func mean(_ slides: Slides, into rates: UnsafeMutablePointer<Double>) {
    rates.update(from: slides.first, count: integrals.count)
    for group in slides.classes {
      let count = group.integrals.count
      for (place, index) in group.integrals.enumerated() {
        var sum = 0.0
        var size = 0.0
        for outcome in 0..<group.outcomes {
          var share = 1.0
          for (bit, limit) in group.limits.enumerated() {
            let weight = slides.limits[limit].weight
            share *= outcome >> bit & 1 == 1 ? weight : 1 - weight
          }
          let part = share == 0 ? 0 : share * group.rates[outcome * count + place]
          sum += part
          size += part.magnitude
        }
        slides.noise[index] = 1e-14 * size
        rates[index] = sum.magnitude <= 1e-14 * size ? 0 : sum
      }
    }
  }

  /// The mean rates at a moment; false where they cannot be had.
  func slidingRates(
    _ slides: Slides, at t: Double, _ y: UnsafePointer<Double>, into rates: UnsafeMutablePointer<Double>
  ) -> Bool {
    slideFault = 0
    fault = nil
    if slides.isSteady {
      slides.isMeasuring = true
      defer { slides.isMeasuring = false }
      if !findFirstRates(slides, at: t, y) { return false }
    } else {
      guard measure(slides, at: t, y), weigh(slides) else { return false }
    }
    mean(slides, into: rates)
    return true
  }
}

extension ContinuousSolver {
  /// The rate of an integral that slides along a limit, at the moment and in the state of the slots; nil if it does not.
  func meanRate(of owner: RowOwner, old: Bool) throws(Fault) -> Double? {
    guard let group = group(of: owner), let slides = group.slides, !slides.isMeasuring,
      !(old && turned.contains(group.number)),
      let index = group.integrals.firstIndex(where: { $0.owner == owner }), group.integrals[index].isSteered
    else { return nil }
    group.isAsked = true
    defer { group.isAsked = false }
    let state = group.integrals.map { (old ? $0.old : $0.new)[$0.slot].float }
    let present = group.integrals.map { $0.new[$0.slot] }
    defer { for (row, word) in zip(group.integrals, present) { row.new[row.slot] = word } }
    var rates = state
    if !group.slidingRates(slides, at: clock.time, state, into: &rates) { throw group.fault ?? .notFinite }
    return rates[index]
  }
}

/// Derivatives by differences.
enum Slopes {
  /// The derivative of a function at 0 (Ridders' method): central differences over ever smaller steps, extrapolated to 0;
  /// the answer is the one that differs least from its neighbors.
  static func extrapolated(_ value: (Double) -> Double) -> Double {
    var best = 0.0
    var error = Double.infinity
    var before: [Double] = []
    var h = 0x1p-4
    for _ in 0..<10 {
      let difference = (value(h) - value(-h)) / (2 * h)
      h /= 2
      guard difference.isFinite else {
        before = []
        continue
      }
      var row = [difference]
      var factor = 4.0
      for (place, old) in before.enumerated() {
        let next = row[place] + (row[place] - old) / (factor - 1)
        let change = max((next - row[place]).magnitude, (next - old).magnitude)
        if change < error { (error, best) = (change, next) }
        row.append(next)
        factor *= 4
      }
      if let last = row.last, let old = before.last, (last - old).magnitude > 2 * error { break }
      before = row
    }
    return best
  }
}

/// Linear equations, few of them.
enum LinearSystem {
  /// Solves rows of coefficients, each with its right side at the end; nil where there is not exactly one solution.
  static func solve(_ rows: [[Double]]) -> [Double]? {
    var rows = rows
    let count = rows.count
    let size = rows.reduce(0) { max($0, $1.dropLast().reduce(0) { max($0, $1.magnitude) }) }
    for column in 0..<count {
      guard let pivot = (column..<count).max(by: { rows[$0][column].magnitude < rows[$1][column].magnitude }),
        rows[pivot][column].magnitude > 1e-10 * size
      else { return nil }
      rows.swapAt(column, pivot)
      for row in 0..<count where row != column {
        let factor = rows[row][column] / rows[column][column]
        if factor == 0 { continue }
        for place in column...count { rows[row][place] -= factor * rows[column][place] }
      }
    }
    return (0..<count).map { rows[$0][count] / rows[$0][$0] }
  }
}
