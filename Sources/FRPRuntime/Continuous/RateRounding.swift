// How far rounding within a rate moves it: what is a small difference of large terms is known to their digits only.
//
// In: a moment and a state. Out: for each rate, a bound of what its own operations round (BoundTape.swift).
// Rules:
// - It is asked for where steps are refused again and again, and as long as it has been the reason.
// - A bound that is no share of what the rate is made of, as where a choice stands at its limit, is none.

import FRPCore
import FRPGraph

/// What the rates of a group are made of, as long as no instant touches it.
struct RateTape {
  private let tape: BoundTape
  private let places: [Int32?]
  private let needed: [Int32]
  let until: Double

  /// The largest share of the largest part of a rate that is taken for rounding.
  private static let share = 0x1p-40

  init(_ group: ContinuousGroup, from start: Double) {
    var reader = BoundReader(group, from: start)
    places = group.integrals.map { row in
      row.isFrozen || group.host.isStep(row.rateExpr) ? nil : reader.operation(row.rateExpr, row.new, scope: row.scope)
    }
    tape = reader.tape
    until = reader.until
    needed = tape.needed(for: places.compactMap { $0.map(Int.init) })
  }

  /// Raises what is known of the rates' noise, with the moment and the state in their slots.
  func raise(_ noise: UnsafeMutablePointer<Double>, _ group: ContinuousGroup, at t: Double) {
    withUnsafeTemporaryAllocation(of: TaylorModel.self, capacity: max(1, tape.operations.count)) { models in
      guard let first = models.baseAddress else { return }
      tape.evaluate(needed, group, middle: t, half: 0, into: first)
      let largest = needed.reduce(0.0) { max($0, first[Int($1)].t0.magnitude) }
      for (index, place) in places.enumerated() {
        guard let place, first[Int(place)].rest <= RateTape.share * largest else { continue }
        noise[index] = max(noise[index], first[Int(place)].rest)
      }
    }
  }
}

extension ContinuousGroup {
  func addRounding(to noise: UnsafeMutablePointer<Double>, at t: Double, _ y: UnsafePointer<Double>) {
    if slides != nil { return }
    let rates: RateTape
    if let known = rateTape, t < known.until {
      rates = known
    } else {
      rates = RateTape(self, from: t)
      rateTape = rates
    }
    place(t, y)
    isShownInSlots = true
    defer { isShownInSlots = false }
    rates.raise(noise, self, at: t)
  }
}
