// The stepper against closed forms.

import Glibc
import Testing

@testable import FRPRuntime

/// A system given by a closure.
final class ClosureField: RateField {
  typealias Rates = (Double, UnsafePointer<Double>, UnsafeMutablePointer<Double>) -> Int?
  private let body: Rates
  private(set) var evaluations = 0

  init(_ body: @escaping Rates) { self.body = body }

  func rates(at t: Double, _ y: UnsafePointer<Double>, into rates: UnsafeMutablePointer<Double>) -> Int? {
    evaluations += 1
    return body(t, y, rates)
  }
}

extension Stepper {
  func values(at t: Double) -> [Double] {
    var result = [Double](repeating: 0, count: count)
    state(at: t, into: &result)
    return result
  }
}

/// Follows a system to `end`, showing every step.
func follow(
  _ start: [Double], from t: Double = 0, to end: Double, _ field: ClosureField, _ look: (Stepper) -> Void = { _ in }
) -> (Stepper, Halt?) {
  let stepper = Stepper(count: start.count)
  stepper.restart(at: t, start)
  while stepper.end < end {
    if let halt = stepper.advance(field) { return (stepper, halt) }
    look(stepper)
  }
  return (stepper, nil)
}

struct ContinuousStepperTests {
  @Test func harmonicOscillatorOverHundredPeriods() {
    let field = ClosureField { _, y, f in
      f[0] = y[1]
      f[1] = -y[0]
      return nil
    }
    var worst = 0.0
    let (_, halt) = follow([1, 0], to: 200 * .pi, field) { stepper in
      for part in stride(from: 0.0, through: 1.0, by: 0.125) {
        let t = stepper.start + part * (stepper.end - stepper.start)
        worst = max(worst, abs(stepper.values(at: t)[0] - cos(t)), abs(stepper.values(at: t)[1] + sin(t)))
      }
    }
    #expect(halt == nil)
    #expect(worst < 1e-9)
    #expect(field.evaluations < 80_000)
  }

  @Test func exponentialDecayKeepsItsRelativeError() {
    let field = ClosureField { _, y, f in
      f[0] = -y[0]
      return nil
    }
    var worst = 0.0
    let (_, halt) = follow([3], to: 200, field) { stepper in
      let t = (stepper.start + stepper.end) / 2
      worst = max(worst, abs(stepper.values(at: t)[0] / (3 * exp(-t)) - 1))
    }
    #expect(halt == nil)
    #expect(worst < 1e-9)
  }

  @Test func stiffDecayTakesManyStepsButArrives() {
    let field = ClosureField { t, y, f in
      f[0] = -1e5 * (y[0] - cos(t))
      return nil
    }
    let (stepper, halt) = follow([0], to: 1, field)
    #expect(halt == nil)
    let k = 1e5
    let exact = (k * k * cos(1.0) + k * sin(1.0)) / (k * k + 1)
    #expect(abs(stepper.values(at: 1)[0] - exact) < 1e-9)
  }

  @Test func twoBodiesKeepTheirEnergy() {
    // Eccentricity 0.6, ten turns.
    let field = ClosureField { _, y, f in
      let r = (y[0] * y[0] + y[1] * y[1]).squareRoot()
      f[0] = y[2]
      f[1] = y[3]
      f[2] = -y[0] / (r * r * r)
      f[3] = -y[1] / (r * r * r)
      return nil
    }
    func energy(_ y: [Double]) -> Double {
      (y[2] * y[2] + y[3] * y[3]) / 2 - 1 / (y[0] * y[0] + y[1] * y[1]).squareRoot()
    }
    var drift = 0.0
    let (stepper, halt) = follow([0.4, 0, 0, 2], to: 20 * .pi, field) { stepper in
      drift = max(drift, abs(energy(stepper.values(at: (stepper.start + stepper.end) / 2)) / -0.5 - 1))
    }
    #expect(halt == nil)
    #expect(drift < 1e-10)
    let back = stepper.values(at: 20 * .pi)
    #expect(abs(back[0] - 0.4) < 1e-8 && abs(back[1]) < 1e-8)
  }

  @Test func polynomialsAreExact() {
    let field = ClosureField { t, y, f in
      f[0] = y[1]
      f[1] = -9.81
      f[2] = 5 * t * t * t * t
      return nil
    }
    var worst = 0.0
    _ = follow([10, 0, 0], to: 100, field) { stepper in
      for part in [0.1, 0.5, 0.77] {
        let t = stepper.start + part * (stepper.end - stepper.start)
        let y = stepper.values(at: t)
        worst = max(worst, abs(y[0] - (10 - 4.905 * t * t)) / (10 + 4.905 * t * t))
        let end = stepper.end
        worst = max(worst, abs(y[2] - t * t * t * t * t) / (end * end * end * end * end))
      }
    }
    #expect(worst < 1e-13)
    #expect(field.evaluations < 3000)
  }

  @Test func quadratureOfWhatDependsOnTimeOnly() {
    let field = ClosureField { t, _, f in
      f[0] = cos(10 * t)
      return nil
    }
    var worst = 0.0
    _ = follow([0], to: 20, field) { stepper in
      let t = (stepper.start + 2 * stepper.end) / 3
      worst = max(worst, abs(stepper.values(at: t)[0] - sin(10 * t) / 10))
    }
    #expect(worst < 1e-11)
  }

  /// The squares of its errors are zero long before they are.
  @Test func ratesThatVanish() {
    for power in [2.0, 4] {
      let field = ClosureField { t, _, f in
        f[0] = exp(-pow(t, power))
        return nil
      }
      let (stepper, halt) = follow([0], to: 1e4, field)
      #expect(halt == nil)
      #expect(abs(stepper.last(0) - tgamma(1 + 1 / power)) < 1e-11)
    }
  }

  @Test func aPoleHalts() {
    let field = ClosureField { _, y, f in
      f[0] = y[0] * y[0]
      return f[0].isFinite ? nil : 0
    }
    let (stepper, halt) = follow([1], to: 2, field)
    #expect(halt != nil)
    #expect(abs(stepper.end - 1) < 1e-9)
  }

  @Test func aRateThatFaultsHaltsWhereItBegins() {
    let field = ClosureField { t, _, f in
      guard t <= 1 else { return 0 }
      f[0] = (1 - t).squareRoot()
      return nil
    }
    let (stepper, halt) = follow([0], to: 2, field)
    #expect(halt == .fault(component: 0))
    #expect(abs(stepper.end - 1) < 1e-12)
    #expect(abs(stepper.values(at: 1)[0] - 2.0 / 3) < 1e-12)
  }

  @Test func slidingAlongAJumpHalts() {
    let field = ClosureField { _, y, f in
      f[0] = y[0] > 0 ? -1 : 1
      return nil
    }
    let (stepper, halt) = follow([0.5], to: 2, field)
    #expect(halt == .unbounded(component: 0))
    #expect(abs(stepper.end - 0.5) < 1e-3)
    #expect(field.evaluations < 2_000_000)
  }

  @Test func kinksInARateAreNoticed() {
    // y' = |t - z| / 100 + sin wt, with the kink anywhere in a step.
    for number in 0..<400 {
      let z = 2 + Double(number) / 400
      let w = 0.5 + 2.5 * Double(number * 7 % 400) / 400
      let field = ClosureField { t, _, f in
        f[0] = 0.01 * abs(t - z) + sin(w * t)
        return nil
      }
      let (stepper, _) = follow([1], to: 4, field)
      let t = stepper.end
      let exact = 1 + 0.005 * (z * z + (t - z) * (t - z)) + (1 - cos(w * t)) / w
      #expect(abs(stepper.values(at: t)[0] - exact) < 1e-9)
    }
  }

  @Test func whatBeginsAtZeroWithARateOfZeroBeginsWithALongStep() {
    // Its own size is no measure of how finely to look.
    let field = ClosureField { _, y, f in
      f[0] = -y[0]
      f[1] = 1 - y[0]
      return nil
    }
    let (stepper, halt) = follow([1, 0], to: 1, field)
    #expect(halt == nil)
    #expect(abs(stepper.values(at: 1)[1] - exp(-1)) < 1e-11)
    #expect(field.evaluations < 500)
  }

  @Test func aJumpInARateIsPassed() {
    let field = ClosureField { t, _, f in
      f[0] = t < 1.0 / 3 ? 1 : -2
      return nil
    }
    let (stepper, halt) = follow([0], to: 1, field)
    #expect(halt == nil)
    #expect(abs(stepper.values(at: 1)[0] - (1.0 / 3 - 4.0 / 3)) < 1e-11)
    #expect(field.evaluations < 3000)
  }

  @Test func whatIsOnlyRoundingDoesNotStopTheClock() {
    // x·v' - x·v' in disguise: zero but for rounding, at a large scale.
    let field = ClosureField { _, y, f in
      let r2 = y[0] * y[0] + y[1] * y[1]
      f[0] = -y[1]
      f[1] = y[0]
      f[2] = (y[0] * f[0] + y[1] * f[1]) * r2.squareRoot() / 3
      return nil
    }
    let (_, halt) = follow([7e6, 0, 0], to: 60, field)
    #expect(halt == nil)
    #expect(field.evaluations < 60_000)
  }

  @Test func whatStartsAtZeroWithARateOfZeroMovesOn() {
    // The second rate begins as a small difference of large terms.
    let field = ClosureField { _, y, f in
      f[0] = -y[0]
      f[1] = 0.1 + y[0]
      return nil
    }
    let (stepper, halt) = follow([-0.1, 0], to: 0.5, field)
    #expect(halt == nil)
    let t = stepper.end
    #expect(abs(stepper.values(at: t)[1] / (0.1 * (t - 1 + exp(-t))) - 1) < 1e-10)
    #expect(field.evaluations < 1000)
  }

  @Test func stepsDoNotAllocateOrDependOnLooking() {
    func ends(looking: Bool) -> [Double] {
      var ends: [Double] = []
      let field = ClosureField { t, y, f in
        f[0] = sin(t) - y[0]
        return nil
      }
      _ = follow([1], to: 10, field) { stepper in
        if looking { for part in 1..<10 { _ = stepper.values(at: stepper.start + Double(part) * 0.01) } }
        ends.append(stepper.end)
      }
      return ends
    }
    #expect(ends(looking: true) == ends(looking: false))
  }
}
