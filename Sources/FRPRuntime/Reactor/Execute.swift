// Running behaviors, and what all entries share as they run.

import FRPCore
import FRPGraph

extension Reactor {
  @inline(__always)
  func code(_ raw: Int32) -> CodeID { codes[Int(raw)] }

  /// A plain expression of an entry.
  @inline(__always)
  func plain(_ site: EntrySite) throws(Fault) -> Word {
    try machine.run(code(site.entry.pointee.plain), base: site.frame.pointee.new)
  }

  // MARK: Behaviors

  /// [[lift(x)]](t) = x, point by point.
  func runLift(_ site: EntrySite) throws(Fault) {
    let value: Word
    do throws(Fault) {
      value = try machine.run(code(site.entry.pointee.code), base: site.frame.pointee.new)
    } catch {
      try storeFault(site, error)
      return
    }
    store(site, value)
  }

  /// hold(e, x0)(t) = the last a with (t', a) in e and t' < t, else x0
  func runHold(_ site: EntrySite) throws(Fault) {
    let (start, count) = fed(site)
    if count == 0 { return }
    if !site.entry.pointee.hasStages {
      store(site, live.occurrences[start + count - 1])
      return
    }
    var last: Word?
    for place in start..<start + count {
      let value = try machine.run(
        code(site.entry.pointee.code), base: site.frame.pointee.old, with: live.occurrences[place])
      if !machine.hasSkipped { last = value }
    }
    if let last { store(site, last) }
  }

  /// fold(e, x0, f)(t) = f(...f(f(x0, a1), a2)..., an) over the (ti, ai) in e with ti < t
  func runFold(_ site: EntrySite) throws(Fault) {
    let (start, count) = fed(site)
    if count == 0 { return }
    let step = code(site.entry.pointee.code)
    var value = site.new.pointee
    for place in start..<start + count {
      let next = try machine.run(step, base: site.frame.pointee.old, with: value, live.occurrences[place])
      if site.entry.pointee.hasStages, machine.hasSkipped { continue }
      value = next
    }
    store(site, value)
  }

  /// changes(b) = (t, value just after t) for each instant t where that differs from just before
  func runChanges(_ site: EntrySite) throws(Fault) {
    let operand = site.entry.pointee.first
    if site.frame.pointee.born != live.instant, !isTouched(site.frame, operand) { return }
    let home = outer(site.frame, operand.up)
    let slot = Int(operand.slot)
    if let fault = machine.poison(at: home.pointee.new + slot) {
      // What had no value before and has none now has not changed.
      if machine.poison(at: home.pointee.old + slot) != nil { return }
      throw fault
    }
    let new = home.pointee.new[slot]
    let start = live.occurrenceCount
    if machine.poison(at: home.pointee.old + slot) == nil,
      heap.equal(new, home.pointee.old[slot], type: site.entry.pointee.type)
    {
      return
    }
    try add(new)
    emit(site, from: start)
  }

  /// A scope shows its first value in its first instant: the program and a group in the one that starts them, others in
  /// the next micro-step.
  func startUpdates(_ site: EntrySite, isGroup: Bool) {
    site.state[1] = 1
    if isGroup {
      showFirst(site)
    } else if live.isStarting, site.frame.pointee.born == live.root.pointee.born {
      live.startEntries.append(site)
    } else {
      cause(site)
    }
  }

  /// This is the instant in which an `updates` shows its first value.
  func showFirst(_ site: EntrySite) {
    site.state[0] = live.instant
    mark(site)
  }

  /// updates(b) = (t0, value just after t0) and changes(b) after t0, where t0 is the first instant of the scope
  func runUpdates(_ site: EntrySite) throws(Fault) {
    let isFirst = site.state[0] == live.instant
    if !isFirst {
      if site.frame.pointee.born != live.instant { try runChanges(site) }
      return
    }
    let home = outer(site.frame, site.entry.pointee.first.up)
    let slot = home.pointee.new + Int(site.entry.pointee.first.slot)
    if let fault = machine.poison(at: slot) { throw fault }
    try showOne(site, slot.pointee)
  }

  /// when(c): made true by an instant, it fires in the next micro-step; at a located crossing, in that instant.
  func runWhenWatch(_ site: EntrySite) throws(Fault) {
    let source = site.partner
    let state = source.state
    let operand = site.entry.pointee.first
    let home = outer(site.frame, operand.up)
    if let fault = machine.poison(at: home.pointee.new + Int(operand.slot)) { throw fault }
    let isTrue = home.pointee.new[Int(operand.slot)].bool
    let wasTrue = state[WhenState.seen].bool
    if isTrue == wasTrue { return }
    set(state + WhenState.seen, Word(bool: isTrue))
    if isTrue, !isBeginning(source.frame) { cause(source) }
  }

  /// Lets an entry fire in the next micro-step, if this instant does not fault.
  func cause(_ site: EntrySite) { live.causedNext.append(CausedStep(site)) }

  /// A result of a `choose` or an open `switch`: the behavior of the instance that counts just after the instant, the
  /// occurrences of the one that counted just before.
  func runChosen(_ site: EntrySite) throws(Fault) {
    let home = outer(site.frame, site.entry.pointee.first.up)
    let chooser = home.pointee.template.pointee.entries + Int(site.entry.pointee.first.entry)
    let isEvent = site.entry.pointee.slot < 0
    let side = isEvent ? OwnerState.previous : OwnerState.current
    guard let child = self.frame(home.pointee.state[Int(chooser.pointee.state) + side]) else { return }
    let result = child.pointee.template.pointee.results[Int(site.entry.pointee.count)]
    if isEvent {
      let (start, count) = occurred(child, result)
      if count > 0 { show(site, from: start, count: count) }
      return
    }
    if site.entry.pointee.isContinuous {
      touch(site)
      return
    }
    let isTurned = self.frame(home.pointee.state[Int(chooser.pointee.state) + OwnerState.previous]) != child
    if !isTurned, child.pointee.born != live.instant, !isTouched(child, result) { return }
    try copyResult(site, result, of: child)
  }

  /// Makes a behavior what a result of one of its scopes is.
  func copyResult(_ site: EntrySite, _ result: Operand, of child: FrameRef)
    throws(Fault)
  {
    let home = outer(child, result.up)
    let slot = home.pointee.new + Int(result.slot)
    if let fault = machine.poison(at: slot) {
      try storeFault(site, fault)
    } else {
      store(site, slot.pointee)
    }
  }
}
