// Crossings against closed forms, and polynomials.

import Glibc
import Testing

@testable import FRPRuntime

/// Guards given by closures of time; above zero they hold.
final class ClosureGuards: GuardField {
  private let guards: [(Double) -> Double]
  var inclusive = true
  private(set) var evaluations = 0

  init(_ guards: (Double) -> Double...) { self.guards = guards }

  func holdsAtZero(_ guardIndex: Int) -> Bool { inclusive }
  func sample(at t: Double, into samples: UnsafeMutablePointer<GuardSample>) {
    for index in guards.indices { samples[index] = sample(index, at: t) }
  }
  func sample(_ guardIndex: Int, at t: Double) -> GuardSample {
    evaluations += 1
    let value = guards[guardIndex](t)
    return GuardSample(value: value, size: value.magnitude + 1)
  }
}

struct ContinuousCrossingTests {
  /// All switches in windows of `length`, guard by guard, as they come.
  func crossings(
    _ field: ClosureGuards, holds: [Bool], to end: Double, window length: Double = 1
  ) -> [(time: Double, who: [Int])] {
    let scan = GuardScan(count: holds.count, touchTolerance: 1e-13)
    var holds = holds
    var found: [(time: Double, who: [Int])] = []
    var at = 0.0
    while at < end, found.count < 1000 {
      switch scan.scan(field, from: at, to: min(end, at + length), holds: holds) {
      case .clear(let until): at = until
      case .crossing(let first):
        let who = holds.indices.filter { scan.roots[$0] < .infinity }
        for index in who { holds[index].toggle() }
        found.append((first, who))
        at = first
      }
    }
    return found
  }

  @Test func sineCrossesTwiceAPeriod() {
    let found = crossings(ClosureGuards { sin($0) - 0.5 }, holds: [false], to: 100)
    #expect(found.count == 32)
    for (index, crossing) in found.enumerated() {
      let turn = Double(index / 2) * 2 * .pi
      let exact = index % 2 == 0 ? turn + .pi / 6 : turn + 5 * .pi / 6
      #expect(abs(crossing.time - exact) < 1e-13 * max(1, exact))
    }
  }

  @Test func doubleCrossingsInsideAWindowAreSeen() {
    // Above the limit for about 0.009 s at the top of each hill, windows of two seconds.
    let found = crossings(ClosureGuards { sin($0) - 0.99999 }, holds: [false], to: 30, window: 2)
    #expect(found.count == 10)
    let half = acos(0.99999)
    #expect(abs(found[0].time - (.pi / 2 - half)) < 1e-11)
    #expect(abs(found[1].time - (.pi / 2 + half)) < 1e-11)
  }

  @Test func touchingIsNoCrossing() {
    #expect(crossings(ClosureGuards { sin($0) - 1 }, holds: [false], to: 30).isEmpty)
    #expect(crossings(ClosureGuards { -($0 - 1.5) * ($0 - 1.5) }, holds: [false], to: 3).isEmpty)
    // At a node, at a window's end.
    #expect(crossings(ClosureGuards { -($0 - 1) * ($0 - 1) }, holds: [false], to: 3).isEmpty)
    #expect(crossings(ClosureGuards { ($0 - 0.5) * ($0 - 0.5) }, holds: [true], to: 3).isEmpty)
  }

  @Test func aCrossingAtAWindowsEndIsFoundOnce() {
    let found = crossings(ClosureGuards { $0 - 1 }, holds: [false], to: 3)
    #expect(found.count == 1)
    #expect(found[0].time == 1)
  }

  @Test func simultaneousOnesComeTogether() {
    let guards = ClosureGuards({ $0 - 0.7 }, { 0.7 - $0 }, { $0 * $0 - 0.49 })
    let found = crossings(guards, holds: [false, true, false], to: 2)
    #expect(found.count == 1)
    #expect(found[0].who == [0, 1, 2])
  }

  @Test func theLeftmostComesFirst() {
    let found = crossings(ClosureGuards({ $0 - 0.71 }, { $0 - 0.7 }), holds: [false, false], to: 2)
    #expect(found.map(\.who) == [[1], [0]])
  }

  @Test func stayingAtTheLimitCountsAsTheComparisonSays() {
    let plateau = ClosureGuards { min($0, 0.6) - 0.6 }
    #expect(crossings(plateau, holds: [false], to: 3).map(\.time) == [0.6])
    let strict = ClosureGuards { min($0, 0.6) - 0.6 }
    strict.inclusive = false
    #expect(crossings(strict, holds: [false], to: 3).isEmpty)
  }

  @Test func jumpsAreLocated() {
    let found = crossings(ClosureGuards { floor($0 * 3) - 1.5 }, holds: [false], to: 3)
    #expect(found.count == 1)
    #expect(abs(found[0].time - 2.0 / 3) < 1e-15)
  }

  @Test func samplingIsFrugal() {
    let field = ClosureGuards { sin($0) - 0.5 }
    _ = crossings(field, holds: [false], to: 100, window: 1)
    #expect(field.evaluations < 3000)
  }

  @Test func valuesThatAreUndefinedAreSkipped() {
    let found = crossings(ClosureGuards { $0 < 1 ? .nan : $0 - 2.25 }, holds: [false], to: 3)
    #expect(found.map(\.time) == [2.25])
  }

  // MARK: Polynomials

  @Test func polynomialArithmetic() {
    let velocity = Polynomial(-9.81).integral(from: 2)!
    let height = velocity.integral(from: 10)!
    #expect(height.value(at: 1) == 10 + 2 - 4.905)
    #expect(height.derivative == velocity)
    #expect(velocity.times(velocity)!.degree == 2)
    #expect((height - height).degree == 0)
    #expect(Polynomial([1, 1]).times(Polynomial([1, -1]))! == Polynomial([1, 0, -1]))
  }

  @Test func polynomialRoots() {
    let fall = Polynomial([10, 0, -4.905])
    #expect(abs(fall.firstChange(from: 1, within: .infinity)! - (10 / 4.905).squareRoot()) < 1e-15)
    // (s - 1)(s - 2)(s - 3)
    let cubic = Polynomial([-6, 11, -6, 1])
    #expect(abs(cubic.firstChange(from: -1, within: .infinity)! - 1) < 1e-15)
    // (s - 1)²(s - 2): touches at 1.
    let touching = Polynomial([-2, 5, -4, 1])
    #expect(abs(touching.firstChange(from: -1, within: .infinity)! - 2) < 1e-14)
    #expect(Polynomial([1, -2, 1]).firstChange(from: 1, within: .infinity) == nil)
    #expect(Polynomial([1, 0, 1]).firstChange(from: 1, within: .infinity) == nil)
    #expect(Polynomial([-1e6, 1]).firstChange(from: -1, within: .infinity) == 1e6)
    #expect(Polynomial([-1e6, 1]).firstChange(from: -1, within: 10) == nil)
  }

  @Test func polynomialsThatStartAtZero() {
    // A bounce so small that its time is far below the clock's resolution.
    let bounce = Polynomial([-1e-20, 1e-15, -4.905]).fromZero
    #expect(bounce.signAfterZero == 1)
    let next = bounce.firstChange(from: 1, within: .infinity)!
    #expect(abs(next / (1e-15 / 4.905) - 1) < 1e-12)
  }

  @Test func randomPolynomialsChangeSignWhereTheyWereBuiltTo() {
    var seed: UInt64 = 7
    func random() -> Double {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(seed >> 11) * 0x1p-53
    }
    for _ in 0..<2000 {
      var product = Polynomial(random() < 0.5 ? 1 : -1)
      var roots: [Double] = []
      for _ in 0..<(1 + Int(random() * 6)) {
        let root = random() * 4 - 1
        roots.append(root)
        product = product.times(Polynomial([-root, 1]))!
      }
      let positive = roots.filter { $0 > 0 }.sorted()
      guard zip(positive, positive.dropFirst()).allSatisfy({ $1 - $0 > 1e-2 }) else { continue }
      let found = product.firstChange(from: product.signAfterZero, within: .infinity)
      guard let first = positive.first else {
        #expect(found == nil)
        continue
      }
      #expect(found != nil && abs(found! - first) < 1e-8, "\(roots) gave \(String(describing: found))")
    }
  }
}
