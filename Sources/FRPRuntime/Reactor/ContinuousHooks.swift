// Where the solver meets the reactor: the clock's slots, the moments before and after instants, crossings, and the
// behaviors that are neither pushed nor computed by code.

import FRPCore
import FRPGraph

/// A `time` slot, which the clock sets.
struct ClockSlot {
  var old: Address
  var new: Address
}

extension Reactor {
  // MARK: Instants

  /// Before the first entry of an instant runs.
  func beginContinuous() {}

  /// After an instant was committed.
  func endContinuous() {}

  /// After an instant was undone.
  func undoContinuous() {}

  /// After the clock has moved, before any instant there.
  func clockMoved() {
    let seconds = Word(float: now.seconds)
    for slot in clockSlots {
      slot.old.pointee = seconds
      slot.new.pointee = seconds
    }
    machine.epoch += 1
  }

  // MARK: Scopes

  /// After the early part of a frame with continuous nodes has started.
  func startContinuous(_ frame: FrameRef) {
    let template = frame.pointee.template
    for index in 0..<template.pointee.count where template.pointee.entries[index].kind == .time {
      let slot = Int(template.pointee.entries[index].slot)
      clockSlots.append(ClockSlot(old: frame.pointee.old + slot, new: frame.pointee.new + slot))
    }
  }

  /// Before a frame with continuous nodes goes.
  func releaseContinuous(_ frame: FrameRef) {
    let low = frame.pointee.old
    let high = frame.pointee.state
    clockSlots.removeAll { $0.old >= low && $0.old < high }
  }

  // MARK: Crossings

  /// The first located crossing at or before a time in nanoseconds, if any.
  func nextCrossing(before limit: Int64) -> Moment? { nil }

  /// One instant with all crossings located at the present time.
  func runCrossings() {}

  // MARK: Entries

  /// A reset of an integral.
  func runIntegral(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let (start, count) = occurred(frame, entry.pointee.second)
    if count == 0 { return }
    let slot = Int(entry.pointee.slot)
    frame.pointee.new[slot] = occurrences[start + count - 1]
    noteChange(frame.pointee.old + slot, frame.pointee.new + slot)
    touch(frame, index)
  }

  /// A rate may have jumped.
  func runIntegralFeed(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) {}

  /// A comparison may have jumped.
  func runCrossing(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    let value: Word
    do throws(Fault) {
      value = try compare(frame, entry, base: frame.pointee.new)
    } catch {
      try storeFault(frame, index, entry, error)
      return
    }
    store(frame, index, entry, value)
  }

  func startCrossing(_ frame: FrameRef, _ index: Int, _ entry: EntryRef) throws(Fault) {
    do throws(Fault) {
      begin(frame, entry, try compare(frame, entry, base: frame.pointee.new))
    } catch {
      try beginFault(frame, entry, error)
    }
  }

  private func compare(_ frame: FrameRef, _ entry: EntryRef, base: Address) throws(Fault) -> Word {
    let left = try machine.run(code(entry.pointee.code), base: base).float
    let right = try machine.run(code(entry.pointee.plain), base: base).float
    switch Prim(rawValue: UInt16(truncatingIfNeeded: entry.pointee.count)) {
    case .less: return Word(bool: left < right)
    case .lessEqual: return Word(bool: left <= right)
    case .greater: return Word(bool: left > right)
    default: return Word(bool: left >= right)
    }
  }

  func visitContinuous(_ visitor: borrowing RootVisitor) {}
}
