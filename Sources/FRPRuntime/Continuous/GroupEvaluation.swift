// How a group evaluates its rates and guards: the moment and the state are put into the frames' slots, the epoch is
// raised so that nothing pulled is taken from another moment, and the machine runs the code.

import FRPCore
import FRPGraph

extension ContinuousGroup {
  /// Puts a moment and a state into the slots, with all that others follow and this group reads.
  func place(_ t: Double, _ state: UnsafePointer<Double>) {
    clock.time = t
    for slot in clock.slots { slot.pointee = Word(float: t) }
    for index in integrals.indices { integrals[index].new[integrals[index].slot] = Word(float: state[index]) }
    if !isAsked, !feeders.isEmpty { placeFeeders(at: t) }
    machine.epoch += 1
    machine.grantNext(host.stepBudget)
  }
}

extension ContinuousGroup: RateField {
  func noise(_ component: Int) -> Double { slides.map { $0.noise[component] } ?? 0 }
  var isFed: Bool { !feeders.isEmpty }
  func disturb(_ times: Double) { disturbance = times }

  func rates(at t: Double, _ y: UnsafePointer<Double>, into rates: UnsafeMutablePointer<Double>) -> Int? {
    if let slides { return slidingRates(slides, at: t, y, into: rates) ? nil : slideFault }
    place(t, y)
    for index in integrals.indices {
      if integrals[index].isFrozen {
        rates[index] = 0
        continue
      }
      do throws(Fault) {
        rates[index] = try machine.run(integrals[index].rate, base: integrals[index].new).float
      } catch {
        fault = error
        // An exhausted limit is not a matter of the moment.
        if case .limit = error.kind { return ~index }
        return index
      }
    }
    return nil
  }
}

extension ContinuousGroup: GuardField {
  func holdsAtZero(_ guardIndex: Int) -> Bool {
    guards[sampled[guardIndex]].isSliding || guards[sampled[guardIndex]].holdsAtZero
  }

  func sample(at t: Double, into samples: UnsafeMutablePointer<GuardSample>) {
    computeState(at: t)
    place(t, y)
    for place in 0..<search.scanned { samples[place] = evaluate(sampled[place], at: t) }
  }

  func sample(_ guardIndex: Int, at t: Double) -> GuardSample {
    computeState(at: t)
    place(t, y)
    return evaluate(sampled[guardIndex], at: t)
  }

  /// A guard at a moment that steps have reached.
  func sample(_ row: GuardRow, at t: Double) -> GuardSample {
    computeState(at: t)
    place(t, y)
    return (try? difference(row)) ?? .undefined
  }

  /// A guard a little after the origin, where the state has moved along its rates.
  func sampleAhead(_ row: GuardRow, by h: Double) -> GuardSample {
    for feeder in feeders { feeder.group.moveAhead(from: origin, by: h) }
    moveAhead(from: origin, by: h)
    place(origin + h, y)
    for feeder in feeders {
      for index in feeder.integrals {
        let row = feeder.group.integrals[index]
        row.new[row.slot] = Word(float: feeder.group.y[index])
      }
    }
    machine.epoch += 1
    return (try? difference(row)) ?? .undefined
  }

  private func evaluate(_ index: Int, at t: Double) -> GuardSample {
    if guards[index].isSliding {
      defer { place(t, y) }
      return slideSample(index, at: t)
    }
    if guards[index].faultTime < .infinity, case .limit? = guards[index].fault?.kind { return .undefined }
    do throws(Fault) {
      return try difference(guards[index])
    } catch {
      if t < guards[index].faultTime, !host.isBrokenOff {
        guards[index].faultTime = t
        guards[index].fault = error
      }
      return .undefined
    }
  }

  func difference(_ row: GuardRow) throws(Fault) -> GuardSample {
    let left = try machine.run(row.left, base: row.new).float
    let right = try machine.run(row.right, base: row.new).float
    return GuardSample(value: row.isGreater ? left - right : right - left, size: left.magnitude + right.magnitude)
  }
}
