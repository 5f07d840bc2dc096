// Where conditions on continuous quantities switch.
//
// In: a `GuardField` (each guard's value as a function of time; above zero the condition holds), a window of time in
// which the guards are smooth as a rule, and whether each holds just after the window's start.
// Out: the first moment at which one of them switches, with all that switch at that moment.
// Rules:
// - A condition that touches its limit and turns back does not switch; neither does one that is at its limit all
//   along. One that comes to its limit and stays there exactly, if only for a microsecond, is there.
// - Two switches within the window are seldom mistaken for none: between samples an interpolant is searched for turns.
//   What can be bounded (CrossingProof.swift) is not scanned.
// - What was sampled, and so what is found, depends on the windows only.

/// One guard at one moment: above zero the condition holds; `size` is that of what was compared.
struct GuardSample {
  var value: Double
  var size: Double
  /// A guard that faults at this moment.
  static let undefined = GuardSample(value: .nan, size: 1)
}

/// The conditions that a scan watches.
protocol GuardField: AnyObject {
  /// Whether the guard holds at exactly zero (`<=`, `>=`).
  func holdsAtZero(_ guardIndex: Int) -> Bool
  /// Writes the guards that are scanned at `t`, one after the other.
  func sample(at t: Double, into samples: UnsafeMutablePointer<GuardSample>)
  /// The value of one guard at `t`.
  func sample(_ guardIndex: Int, at t: Double) -> GuardSample
}

/// See the head of this file.
final class GuardScan {
  /// Crossings so close together are one.
  static let together = 0.5e-9
  /// How far, against its size, a guard must pass its limit for two switches to count.
  let touchTolerance: Double

  let count: Int
  private let samples: UnsafeMutablePointer<GuardSample>
  private var times: [Double]
  private var values: [Double]
  private var known: [Knowledge]
  /// By guard: its first switch in the window, or infinity.
  private(set) var roots: [Double]
  /// How far the newest interpolant may be from its guard.
  private var tail = 0.0
  /// What is less than this is rounding.
  private var noise = 0.0

  static let nodes = 9
  private static let deepest = 6

  /// What a sample tells of the condition.
  private enum Knowledge { case holds, fails, unclear }

  init(count: Int, touchTolerance: Double) {
    self.count = count
    self.touchTolerance = touchTolerance
    samples = .allocate(capacity: max(1, count * GuardScan.nodes))
    samples.initialize(repeating: .undefined, count: max(1, count * GuardScan.nodes))
    times = Array(repeating: 0, count: GuardScan.nodes)
    values = Array(repeating: 0, count: GuardScan.nodes)
    known = Array(repeating: .unclear, count: GuardScan.nodes)
    roots = Array(repeating: .infinity, count: count)
  }

  deinit { samples.deallocate() }

  /// The result of scanning a window.
  enum Outcome: Equatable {
    /// Nothing switches up to this moment, which is the window's end or a little before it.
    case clear(until: Double)
    /// `roots` tells who switches at `first` or so shortly after that it is the same moment.
    case crossing(first: Double)
  }

  /// Scans `start...end`; `holds` tells of each guard whether it holds just after `start`. A guard whose sampled
  /// course the window does not resolve is looked at in halves.
  func scan(_ field: some GuardField, from start: Double, to end: Double, holds: [Bool]) -> Outcome {
    scan(field, start, end: end, holds: holds, depth: 0)
  }

  /// Whether the newest scan's window resolved all guards at once: the caller may take a longer one.
  private(set) var wasSmooth = true

  private func scan(_ field: some GuardField, _ start: Double, end: Double, holds: [Bool], depth: Int) -> Outcome {
    place(start, end)
    for node in 0..<GuardScan.nodes { field.sample(at: times[node], into: samples + node * count) }
    let isResolved = (0..<count).allSatisfy {
      load($0, field); return self.isResolved()
    }
    if depth == 0 { wasSmooth = isResolved }
    let middle = start + (end - start) / 2
    if !isResolved, depth < GuardScan.deepest, start < middle, middle < end {
      let first = scan(field, start, end: middle, holds: holds, depth: depth + 1)
      guard case .clear(let until) = first, until >= middle else { return first }
      return scan(field, middle, end: end, holds: holds, depth: depth + 1)
    }
    return resolve(field, holds)
  }

  /// Reads every guard's samples; the nodes are as `place` set them.
  private func resolve(_ field: some GuardField, _ holds: [Bool]) -> Outcome {
    var first = Double.infinity
    var until = times[GuardScan.nodes - 1]
    for index in 0..<count {
      load(index, field)
      if !isResolved() { tail = values.reduce(0) { $1.isFinite ? max($0, $1.magnitude) : $0 } }
      let found = firstSwitch(index, field, holds: holds[index])
      roots[index] = found.root
      first = min(first, found.root)
      until = min(until, found.until)
    }
    if first <= until + GuardScan.together {
      for index in 0..<count where roots[index] > first + GuardScan.together { roots[index] = .infinity }
      return .crossing(first: first)
    }
    return .clear(until: until)
  }

  // MARK: Samples

  /// Chebyshev's nodes on the window: dense at its ends, so that an interpolant through them does not swing.
  private func place(_ start: Double, _ end: Double) {
    let last = GuardScan.nodes - 1
    for node in 1..<last { times[node] = start + (end - start) * ChebyshevNodes.fractions[node] }
    times[0] = start
    times[last] = end
  }

  private func load(_ index: Int, _ field: some GuardField) {
    let atZero: Knowledge = field.holdsAtZero(index) ? .holds : .fails
    noise = 0
    for node in 0..<GuardScan.nodes {
      let sample = samples[node * count + index]
      values[node] = sample.value
      noise = max(noise, touchTolerance * sample.size)
      let isClear = sample.value.magnitude > touchTolerance * sample.size
      known[node] = !isClear ? .unclear : sample.value > 0 ? .holds : .fails
    }
    // Exactly at its limit for two samples running, and clearly not before: it has come to stay there. What creeps up
    // to its limit until rounding makes them equal never gets there.
    var isStaying = false
    for node in 1..<GuardScan.nodes {
      if values[node] != 0 { isStaying = false }
      if !isStaying, values[node] == 0, known[node - 1] != .unclear, known[node - 1] != atZero {
        let isNext = node + 1 < GuardScan.nodes && values[node + 1] == 0
        isStaying = isNext || stays(field, index, times[node])
      }
      if isStaying { known[node] = atZero }
    }
  }

  /// Whether a guard that is exactly at its limit at a moment is so beside it as well: no touch, but a stretch.
  private func stays(_ field: some GuardField, _ index: Int, _ t: Double) -> Bool {
    let step = max(1e-6, 1e-3 * (times[GuardScan.nodes - 1] - times[0]))
    let moments = [t - step, t + step].filter { $0 > times[0] && $0 < times[GuardScan.nodes - 1] }
    return moments.contains { field.sample(index, at: $0).value == 0 }
  }

  /// Whether the interpolant's last coefficients are small: then it follows the guard between the samples.
  private func isResolved() -> Bool {
    var largest = 0.0
    // Nothing is known of it in the whole window; a shorter one would not tell more.
    if values.allSatisfy({ !$0.isFinite }) { return true }
    for value in values {
      guard value.isFinite else { return false }
      largest = max(largest, value.magnitude)
    }
    let last = GuardScan.nodes - 1
    tail = 0
    for degree in [last - 1, last] {
      var sum = 0.0
      for node in 0...last {
        let weight = node == 0 || node == last ? 0.5 : 1.0
        sum += weight * values[node] * ChebyshevNodes.cosines[(node * degree) % (2 * last)]
      }
      tail = max(tail, (sum * 2 / Double(last)).magnitude)
    }
    return tail <= max(0.02 * largest, noise)
  }

  // MARK: One guard

  private func firstSwitch(_ index: Int, _ field: some GuardField, holds: Bool) -> (root: Double, until: Double) {
    let now: Knowledge = holds ? .holds : .fails
    var from = 0
    for node in 1..<GuardScan.nodes where known[node] != .unclear {
      let turn = from + 1 < node ? nil : self.turn(index, field, from: from, to: node, now: now)
      if let turn { return (GuardScan.bisect(index, field, start: times[from], end: turn, holds: holds), .infinity) }
      if known[node] != now {
        return (GuardScan.bisect(index, field, start: times[from], end: times[node], holds: holds), .infinity)
      }
      from = node
    }
    return (.infinity, from == 0 ? times[GuardScan.nodes - 1] : times[from])
  }

  /// A moment between two neighboring samples at which the guard is clearly on the other side, if its interpolant
  /// comes near its limit there and turns back.
  private func turn(
    _ index: Int, _ field: some GuardField, from: Int, to: Int, now: Knowledge
  ) -> Double? {
    guard known[to] == now, from == 0 || known[from] == now else { return nil }
    let sign = now == .holds ? 1.0 : -1.0
    func value(_ t: Double) -> Double { ChebyshevNodes.interpolate(times, values, at: t) * sign }
    var (a, b) = (times[from], times[to])
    let part = (b - a) * 1e-4
    guard value(a + part) < value(a), value(b - part) < value(b) else { return nil }
    for _ in 0..<20 {
      let (c, d) = (a + (b - a) / 3, b - (b - a) / 3)
      if value(c) < value(d) { b = d } else { a = c }
    }
    let lowest = (a + b) / 2
    let depth = values.reduce(0) { max($0, $1.magnitude) }
    guard value(lowest) < 3 * tail + 1e-6 * depth else { return nil }
    let reach = (times[to] - times[from]) / 8
    return search(index, field, from: max(lowest - reach, times[from]), to: min(lowest + reach, times[to]), sign)
  }

  /// Golden-section search for the guard's turn; ends as soon as it is clearly past its limit.
  private func search(
    _ index: Int, _ field: some GuardField, from start: Double, to end: Double, _ sign: Double
  ) -> Double? {
    func value(_ t: Double) -> Double { field.sample(index, at: t).value * sign }
    let switchesAtZero = field.holdsAtZero(index) == (sign < 0)
    func isPast(_ t: Double) -> Bool {
      let sample = field.sample(index, at: t)
      if sample.value == 0 { return switchesAtZero && stays(field, index, t) }
      return sample.value * sign < -touchTolerance * sample.size
    }
    let golden = 0.381966011250105
    var (a, b) = (start, end)
    var (c, d) = (a + golden * (b - a), b - golden * (b - a))
    var (vc, vd) = (value(c), value(d))
    for _ in 0..<60 where b - a > 4 * end.ulp {
      if isPast(vc < vd ? c : d) { return vc < vd ? c : d }
      if vc < vd {
        (b, d, vd) = (d, c, vc)
        c = a + golden * (b - a)
        vc = value(c)
      } else {
        (a, c, vc) = (c, d, vd)
        d = b - golden * (b - a)
        vd = value(d)
      }
    }
    return nil
  }

  /// The first representable moment in `(start, end]` at which the condition is not `holds` any more, given that it is
  /// so just after `start` and not at `end`, with its limit at this value. Secants, kept honest by halving.
  static func bisect(
    _ index: Int, _ field: some GuardField, start: Double, end: Double, holds: Bool, level: Double = 0
  ) -> Double {
    let sign = holds ? 1.0 : -1.0
    let atZero = field.holdsAtZero(index)
    var (low, high) = (start, end)
    func value(_ t: Double) -> Double { field.sample(index, at: t).value - level }
    var lowValue = max(0, value(low) * sign)
    var highValue = value(high) * sign
    var side = 0
    for round in 0..<400 {
      let middle = low + (high - low) / 2
      if middle <= low || middle >= high { break }
      var t = middle
      if round % 3 != 2, lowValue > 0, highValue < 0 {
        t = low + (high - low) * (lowValue / (lowValue - highValue))
        let least = max(low.magnitude, high.magnitude).ulp
        t = min(max(t, low + least), high - least)
        if !(t > low && t < high) { t = middle }
      }
      let value = value(t)
      let isHolding = value > 0 || (value == 0 && atZero)
      if value.isFinite && isHolding != holds {
        (high, highValue) = (t, value * sign)
        // Regula falsi stalls with one end fixed; halving its weight (Illinois) draws it in.
        if side == 1 { lowValue /= 2 }
        side = 1
      } else {
        (low, lowValue) = (t, value * sign)
        if side == -1 { highValue /= 2 }
        side = -1
      }
    }
    return high
  }
}

/// Interpolation through 9 samples at Chebyshev's points of the second kind.
private enum ChebyshevNodes {
  /// From 0 to 1. Written out, so that every machine has the same.
  static let fractions: [Double] = [
    0.0, 0.03806023374435663, 0.1464466094067262, 0.3086582838174551, 0.5,
    0.6913417161825448, 0.8535533905932737, 0.9619397662556434, 1.0,
  ]
  /// cos(πk/8). Nodes run from the left, which flips the sign of odd degrees only.
  static let cosines: [Double] = [
    1.0, 0.9238795325112867, 0.7071067811865476, 0.38268343236508984, 0.0,
    -0.38268343236508984, -0.7071067811865476, -0.9238795325112867, -1.0, -0.9238795325112867,
    -0.7071067811865476, -0.38268343236508984, 0.0, 0.38268343236508984, 0.7071067811865476, 0.9238795325112867,
  ]

  /// Barycentric evaluation between the samples.
  static func interpolate(_ times: [Double], _ values: [Double], at t: Double) -> Double {
    var above = 0.0
    var below = 0.0
    let last = GuardScan.nodes - 1
    for node in 0...last {
      if t == times[node] { return values[node] }
      let weight = (node == 0 || node == last ? 0.5 : 1) * (node & 1 == 0 ? 1.0 : -1.0) / (t - times[node])
      above += weight * values[node]
      below += weight
    }
    return above / below
  }
}
