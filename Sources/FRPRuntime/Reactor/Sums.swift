// Sums of neighbouring slots, kept up to date by what has changed.
//
// An Int's sum faults where any sum of the first few terms leaves the range, so the sum alone is not enough: beside it
// is kept the sum of all magnitudes. While that is in range, no partial sum can leave it, and the order of adding does
// not matter. Otherwise, and for Floats, the terms are added again from the first on: those of `+` are rounded one by one, so
// that their order matters, those of a list are added exactly.
// What cannot be shown to be right here is left to the lift's own code, which also knows where to fault.

import FRPCore
import FRPGraph

extension Reactor {
  /// [[sum([a, b, …])]](t) = a + b + …, point by point.
  func runSum(_ site: EntrySite) throws(Fault) {
    try machine.step()
    let bound = site.state
    let value: Word?
    if machine.state.pointee.poisonCount != 0 {
      value = nil
    } else if site.entry.pointee.equality == .float {
      value = floatSum(site.frame.pointee.new + Int(site.entry.pointee.first.slot), site.entry)
    } else {
      value = changedSum(site, bound) ?? wholeSum(site, bound)
    }
    if let value { return store(site, value) }
    if bound.pointee != 0 { set(bound, 0) }
    try runLift(site)
  }

  private func floatSum(_ terms: Address, _ entry: EntryRef) -> Word? {
    let count = Int(entry.pointee.count)
    var sum = -0.0
    if entry.pointee.isPlainTest {
      for place in 0..<count { sum += terms[place].float }
    } else {
      sum = machine.library.sums.0.sum(terms, count)
    }
    return sum.isFinite ? Word(float: sum) : nil
  }

  /// All terms again, and the sum of their magnitudes.
  private func wholeSum(_ site: EntrySite, _ bound: Address) -> Word? {
    let terms = site.frame.pointee.new + Int(site.entry.pointee.first.slot)
    var sum = 0
    var magnitude: UInt = 0
    for place in 0..<Int(site.entry.pointee.count) {
      let term = terms[place].int
      sum &+= term
      let (next, isOver) = magnitude.addingReportingOverflow(term.magnitude)
      if isOver { return nil }
      magnitude = next
    }
    if magnitude >= UInt(Int.max) { return nil }
    set(bound, Word(magnitude) + 1)
    return Word(int: sum)
  }

  /// The sum as it was, with what has changed in this instant; nil if it is not known, or much has changed.
  private func changedSum(_ site: EntrySite, _ bound: Address) -> Word? {
    let changes = live.changedCount
    if bound.pointee == 0 || site.frame.pointee.born == live.instant || changes > 16 { return nil }
    let low = site.frame.pointee.old + Int(site.entry.pointee.first.slot)
    let high = low + Int(site.entry.pointee.count)
    return changedSum(changes, before: site.frame.pointee.new[Int(site.entry.pointee.slot)], bound: bound) { place in
      let slot = live.changed[place]
      if slot.old < low || slot.old >= high || isChanged(slot.old, before: place) { return nil }
      return (slot.old.pointee, slot.new.pointee)
    }
  }

  /// A sum with `changes` of slots, of which `term` says what they were and are, if they are terms; nil where any sum of the first few
  /// may leave the range.
  @inline(__always)
  func changedSum(
    _ changes: Int, before: Word, bound: Address, term: (Int) -> (before: Word, after: Word)?
  ) -> Word? {
    var sum = before.int
    var magnitude = UInt(bound.pointee - 1)
    for place in 0..<changes {
      guard let term = term(place) else { continue }
      let (before, after) = (term.before.int, term.after.int)
      sum = sum &+ after &- before
      let (next, isOver) = (magnitude - before.magnitude).addingReportingOverflow(after.magnitude)
      if isOver || next >= UInt(Int.max) { return nil }
      magnitude = next
    }
    set(bound, Word(magnitude) + 1)
    return Word(int: sum)
  }

  /// A slot that has changed twice stands twice in the list; it counts once, as it is now.
  private func isChanged(_ slot: Address, before place: Int) -> Bool {
    for earlier in 0..<place where live.changed[earlier].old == slot { return true }
    return false
  }
}
