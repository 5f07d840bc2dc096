// Running behaviors, and what all entries share as they run.

import FRPCore
import FRPGraph

extension Reactor {
  typealias EntryRef = UnsafeMutablePointer<Entry>

  @inline(__always)
  func code(_ raw: Int32) -> CodeID { codes[Int(raw)] }

  /// A plain expression of an entry.
  @inline(__always)
  func plain(_ frame: FrameRef, _ entry: EntryRef) throws(Fault) -> Word {
    try machine.run(code(entry.pointee.plain), base: frame.pointee.new)
  }

  // MARK: Behaviors

  /// [[lift(x)]](t) = x, point by point.
  func runLift(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let value: Word
    do throws(Fault) {
      value = try machine.run(code(entry.pointee.code), base: frame.pointee.new)
    } catch {
      try storeFault(frame, index, entry, error)
      return
    }
    store(frame, index, entry, value)
  }

  /// hold(e, x0)(t) = the last a with (t', a) in e and t' < t, else x0
  func runHold(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (start, count) = occurred(frame, entry.pointee.first)
    if count == 0 { return }
    if !entry.pointee.hasStages {
      store(frame, index, entry, live.occurrences[start + count - 1])
      return
    }
    var last: Word?
    for place in start..<start + count {
      let value = try machine.run(code(entry.pointee.code), base: frame.pointee.old, live.occurrences[place])
      if !machine.hasSkipped { last = value }
    }
    if let last { store(frame, index, entry, last) }
  }

  /// fold(e, x0, f)(t) = f(...f(f(x0, a1), a2)..., an) over the (ti, ai) in e with ti < t
  func runFold(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (start, count) = occurred(frame, entry.pointee.first)
    if count == 0 { return }
    let step = code(entry.pointee.code)
    var value = frame.pointee.new[Int(entry.pointee.slot)]
    for place in start..<start + count {
      let next = try machine.run(step, base: frame.pointee.old, value, live.occurrences[place])
      if entry.pointee.hasStages, machine.hasSkipped { continue }
      value = next
    }
    store(frame, index, entry, value)
  }

  /// changes(b) = (t, value just after t) for each instant t where that differs from just before
  func runChanges(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let operand = entry.pointee.first
    if frame.pointee.born != live.instant, !isTouched(frame, operand) { return }
    let home = outer(frame, operand.up)
    let slot = Int(operand.slot)
    if let fault = machine.poison(at: home.pointee.new + slot) {
      // What had no value before and has none now has not changed.
      if machine.poison(at: home.pointee.old + slot) != nil { return }
      throw fault
    }
    let new = home.pointee.new[slot]
    let start = live.occurrenceCount
    if machine.poison(at: home.pointee.old + slot) == nil, heap.equal(new, home.pointee.old[slot], entry.pointee.type) {
      return
    }
    try add(new)
    emit(frame, index, from: start)
  }

  /// A scope shows its first value in its first instant: the program and a group in the one that starts them, others in
  /// the next micro-step.
  func startUpdates(_ frame: FrameRef, _ index: Int, _ entry: EntryRef, isGroup: Bool) {
    frame.pointee.state[Int(entry.pointee.state) + 1] = 1
    if isGroup {
      showFirst(frame, index)
    } else if live.isStarting, frame.pointee.born == live.root.pointee.born {
      live.startEntries.append((frame, Int32(index)))
    } else {
      cause(frame, index)
    }
  }

  /// This is the instant in which an `updates` shows its first value.
  func showFirst(_ frame: FrameRef, _ index: Int) {
    let entry = frame.pointee.template.pointee.entries[index]
    frame.pointee.state[Int(entry.state)] = live.instant
    mark(frame, index)
  }

  /// updates(b) = (t0, value just after t0) and changes(b) after t0, where t0 is the first instant of the scope
  func runUpdates(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let isFirst = frame.pointee.state[Int(entry.pointee.state)] == live.instant
    if !isFirst {
      if frame.pointee.born != live.instant { try runChanges(frame, index, entry) }
      return
    }
    let home = outer(frame, entry.pointee.first.up)
    let slot = home.pointee.new + Int(entry.pointee.first.slot)
    if let fault = machine.poison(at: slot) { throw fault }
    try showOne(frame, index, slot.pointee)
  }

  /// when(c): made true by an instant, it fires in the next micro-step; at a located crossing, in that instant.
  func runWhenWatch(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let source = Int(entry.pointee.partner)
    let state = frame.pointee.state + Int(frame.pointee.template.pointee.entries[source].state)
    let operand = entry.pointee.first
    let home = outer(frame, operand.up)
    if let fault = machine.poison(at: home.pointee.new + Int(operand.slot)) { throw fault }
    let isTrue = home.pointee.new[Int(operand.slot)].bool
    let wasTrue = state[WhenState.seen].bool
    if isTrue == wasTrue { return }
    set(state + WhenState.seen, Word(bool: isTrue))
    if isTrue { cause(frame, source) }
  }

  /// Lets an entry fire in the next micro-step, if this instant does not fault.
  func cause(_ frame: FrameRef, _ index: Int) {
    live.causedNext.append(CausedStep(frame: frame, generation: frame.pointee.generation, entry: Int32(index)))
  }

  /// A result of a `choose` or an open `switch`: the behavior of the instance that counts just after the instant, the
  /// occurrences of the one that counted just before.
  func runChosen(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let home = outer(frame, entry.pointee.first.up)
    let chooser = home.pointee.template.pointee.entries + Int(entry.pointee.first.entry)
    let isEvent = entry.pointee.slot < 0
    let side = isEvent ? OwnerState.previous : OwnerState.current
    guard let child = self.frame(home.pointee.state[Int(chooser.pointee.state) + side]) else { return }
    let result = child.pointee.template.pointee.results[Int(entry.pointee.count)]
    if isEvent {
      let (start, count) = occurred(child, result)
      if count > 0 { show(frame, index, start, count) }
      return
    }
    if entry.pointee.isContinuous {
      touch(frame, index)
      return
    }
    let isTurned = self.frame(home.pointee.state[Int(chooser.pointee.state) + OwnerState.previous]) != child
    if !isTurned, child.pointee.born != live.instant, !isTouched(child, result) { return }
    try copyResult(frame, index, entry, child, result)
  }

  /// Makes a behavior what a result of one of its scopes is.
  func copyResult(_ frame: FrameRef, _ index: Int, _ entry: EntryRef, _ child: FrameRef, _ result: Operand)
    throws(Fault)
  {
    let home = outer(child, result.up)
    let slot = home.pointee.new + Int(result.slot)
    if let fault = machine.poison(at: slot) {
      try storeFault(frame, index, entry, fault)
    } else {
      store(frame, index, entry, slot.pointee)
    }
  }
}
