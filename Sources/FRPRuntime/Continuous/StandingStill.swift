// Integrals that stand still until an instant touches what they read.
//
// In: a group, and why it cannot be followed any further. Out: the group from there on, and what reads it, which start anew together.
// Rules:
// - A rate that faults freezes its integral until the next instant; the others go on. So does one that would make it
//   infinite, or takes more steps to follow than an instant may take, and the same again for every second since the
//   group was restarted.

import FRPCore
import FRPGraph

extension ContinuousGroup {
  /// The rate of an integral cannot be had from the end of the newest step, or where a polynomial leaves the Floats: it stands still. What
  /// reads the group comes as far first, and starts anew there with it.
  func freeze(_ halt: Halt) {
    let isLeaving = course == .polynomial
    guard let t = isLeaving ? leaving.time : stepper?.end else { return }
    let component: Int
    let fault: Fault
    switch halt {
    case .fault(let index):
      component = index
      fault = self.fault ?? .notFinite
    case .unbounded(let index):
      component = index
      fault = Fault(
        .message,
        "this integral cannot be followed any further: its rate grows, flickers, or is driven back, faster than the clock can tell"
      )
    }
    guard host.bring(readersOf: self, to: t) else { return }
    let isNew = !integrals[component].isReported || t > origin
    integrals[component].isFrozen = true
    integrals[component].isReported = true
    // The others shall not take as long once more, one after the other.
    if case .limit = fault.kind { allowance /= 2 }
    if isLeaving { computeState(at: t) } else { stepper?.state(at: t, into: y) }
    renew(at: t)
    host.didFreeze(self)
    host.renew(readersOf: self)
    if isNew { host.report(fault, node: integrals[component].node, at: t) }
  }

  /// Starts anew at `t` from the state in `y`. No instant has happened, so nothing may have switched.
  func renew(at t: Double) {
    close(at: t)
    let holds = guards.map(\.holds)
    restartFromState(at: t)
    for index in guards.indices { guards[index].holds = holds[index] }
  }

  /// An instant that touches what a rate reads gives it another chance; whether one stood still.
  func thaw(_ touched: Set<RowOwner>) -> Bool {
    var wasFrozen = false
    for index in integrals.indices where integrals[index].isFrozen && touched.contains(integrals[index].owner) {
      integrals[index].isFrozen = false
      wasFrozen = true
    }
    guard
      integrals.contains(where: { $0.isStuck && touched.contains($0.owner) })
        || guards.contains(where: { $0.isStuck && touched.contains($0.owner) })
    else { return wasFrozen }
    // What takes part in one knot is let go together.
    for index in guards.indices { guards[index].isStuck = false }
    for index in integrals.indices where integrals[index].isStuck {
      integrals[index].isStuck = false
      integrals[index].isFrozen = false
    }
    return true
  }

  /// Lets some integrals stand still; whether there are any.
  func freeze(where takesPart: (IntegralRow) -> Bool) -> Bool {
    var isAny = false
    for index in integrals.indices where takesPart(integrals[index]) {
      integrals[index].isFrozen = true
      integrals[index].isReported = true
      isAny = true
    }
    return isAny
  }

  var isFrozen: Bool { integrals.contains { $0.isFrozen } }
  /// Whether the rates are what their expressions say.
  var hasPlainRates: Bool { slides == nil && !isFrozen }

  /// A guard that could not be computed at a moment that has come.
  func reportGuardFaults(before t: Double) {
    for index in guards.indices where guards[index].faultTime <= t && !guards[index].isReported {
      guards[index].isReported = true
      if let fault = guards[index].fault { host.report(fault, node: guards[index].node, at: guards[index].faultTime) }
    }
  }
}
