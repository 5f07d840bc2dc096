// Running the marked entries of a frame, most of which are a lift or the map, scan or fold of one occurrence, with a
// quick code (Machine/Quick.swift). These run here, with everything that changes in registers of this loop; all others
// through `execute`.

import FRPCore
import FRPGraph

/// What the loop over a frame's entries looks at again and again.
private struct EntryLoop {
  let present: UnsafeMutablePointer<Present>
  let machine: UnsafeMutablePointer<MachineState>
  let frame: FrameRef
  let dirty: Address
  let summary: Address
  let template: UnsafeMutablePointer<TemplateRecord>
  let entries: UnsafeMutablePointer<Entry>

  @inline(__always)
  init(_ present: UnsafeMutablePointer<Present>, _ machine: UnsafeMutablePointer<MachineState>, _ frame: FrameRef) {
    self.present = present
    self.machine = machine
    self.frame = frame
    dirty = frame.pointee.dirty
    summary = frame.pointee.summary
    template = frame.pointee.template
    entries = template.pointee.entries
  }
}

extension Reactor {
  /// Runs the marked entries below `limit`, in order.
  func run(_ frame: FrameRef, below limit: Int) throws(Fault) {
    let loop = EntryLoop(present, machine.state, frame)
    let quick = loop.template.pointee.quick
    for block in 0..<loop.template.pointee.summaryWords {
      while loop.summary[block] != 0 {
        let word = block << 6 | loop.summary[block].trailingZeroBitCount
        var bits = loop.dirty[word]
        while bits != 0 {
          let index = word << 6 | bits.trailingZeroBitCount
          if index >= limit { return }
          loop.dirty[word] = bits & (bits &- 1)
          if let code = quick[index], runQuick(loop, index, loop.entries + index, code) {
            bits = loop.dirty[word]
            continue
          }
          try execute(frame, index)
          // An owner that marks its scopes marks itself; it has just run.
          bits = loop.dirty[word] & ~(1 << UInt64(index & 63))
          loop.dirty[word] = bits
        }
        loop.summary[block] &= ~(1 << UInt64(word & 63))
      }
    }
  }

  /// Runs an entry with a quick code. Where it gives false, nothing has happened.
  @inline(__always)
  private func runQuick(_ loop: EntryLoop, _ index: Int, _ entry: EntryRef, _ code: UnsafePointer<Instr>) -> Bool {
    if loop.machine.pointee.poisonCount != 0 { return false }
    let window = loop.machine.pointee.top + CodeTable.callHeader
    switch entry.pointee.kind {
    case .lift:
      guard let value = Machine.quick(loop.machine, code, window, loop.frame.pointee.new) else { return false }
      keep(loop, index, entry, value)
      return true
    case .map:
      guard let occurrence = onlyOccurrence(loop, entry) else { return false }
      window[0] = occurrence
      guard let value = Machine.quick(loop.machine, code, window, loop.frame.pointee.old) else { return false }
      if !hasSkipped(loop) { show(loop, index, entry, value) }
      return true
    case .scan:
      guard let occurrence = onlyOccurrence(loop, entry) else { return false }
      let state = loop.frame.pointee.state + Int(entry.pointee.state)
      window[0] = state.pointee
      window[1] = occurrence
      guard let value = Machine.quick(loop.machine, code, window, loop.frame.pointee.old) else { return false }
      if hasSkipped(loop) { return true }
      loop.present.pointee.undo.note(state)
      state.pointee = entry.pointee.hasTail ? window[0] : value
      show(loop, index, entry, value)
      return true
    default:
      guard let occurrence = onlyOccurrence(loop, entry) else { return false }
      window[0] = loop.frame.pointee.new[Int(entry.pointee.slot)]
      window[1] = occurrence
      guard let value = Machine.quick(loop.machine, code, window, loop.frame.pointee.old) else { return false }
      if !hasSkipped(loop) { keep(loop, index, entry, value) }
      return true
    }
  }

  /// The only occurrence that an entry is fed with, if there is one and there is room for another.
  @inline(__always)
  private func onlyOccurrence(_ loop: EntryLoop, _ entry: EntryRef) -> Word? {
    let present = loop.present
    if entry.pointee.first.up != 0 || present.pointee.occurrenceCount == present.pointee.occurrenceCapacity {
      return nil
    }
    let info = loop.frame.pointee.info + Int(entry.pointee.first.entry)
    if info.pointee.instant != present.pointee.instant || info.pointee.count != 1 { return nil }
    return present.pointee.occurrences[Int(info.pointee.start)]
  }

  @inline(__always)
  private func hasSkipped(_ loop: EntryLoop) -> Bool {
    if !loop.machine.pointee.hasSkipped { return false }
    loop.machine.pointee.hasSkipped = false
    return true
  }

  /// `store` of what is not poisoned.
  @inline(__always)
  private func keep(_ loop: EntryLoop, _ index: Int, _ entry: EntryRef, _ value: Word) {
    let slot = Int(entry.pointee.slot)
    let address = loop.frame.pointee.new + slot
    if isSame(address.pointee, value, entry) { return }
    address.pointee = value
    let present = loop.present
    if present.pointee.changedCount == present.pointee.changedCapacity { growChanged() }
    (present.pointee.changed + present.pointee.changedCount).initialize(
      to: ChangedSlot(old: loop.frame.pointee.old + slot, new: address))
    present.pointee.changedCount &+= 1
    loop.frame.pointee.info[index].instant = present.pointee.instant
    touch(loop, index, entry)
  }

  @inline(__always)
  private func show(_ loop: EntryLoop, _ index: Int, _ entry: EntryRef, _ value: Word) {
    let present = loop.present
    let place = present.pointee.occurrenceCount
    present.pointee.occurrences[place] = value
    present.pointee.occurrenceCount = place &+ 1
    loop.frame.pointee.info[index] = EntryInfo(
      instant: present.pointee.instant, start: Int32(truncatingIfNeeded: place), count: 1)
    touch(loop, index, entry)
  }

  /// `touch` of an entry whose info is written.
  @inline(__always)
  private func touch(_ loop: EntryLoop, _ index: Int, _ entry: EntryRef) {
    if entry.pointee.isOutput { loop.present.pointee.touchedOutputs.append(Int32(truncatingIfNeeded: index)) }
    if entry.pointee.isResult, !loop.frame.pointee.isQueued { queue(loop.frame) }
    let dependents = loop.template.pointee.dependents
    var next = dependents + Int(entry.pointee.dependentsStart)
    let end = dependents + Int(entry.pointee.dependentsEnd)
    if next == end { return }
    let early = loop.template.pointee.earlyCount
    while next < end {
      let dependent = Int(next.pointee)
      let word = dependent >> 6
      loop.dirty[word] |= 1 << UInt64(dependent & 63)
      loop.summary[word >> 6] |= 1 << UInt64(word & 63)
      if dependent >= early {
        queueLate(loop.frame)
      } else if !loop.frame.pointee.isQueued {
        queue(loop.frame)
      }
      next += 1
    }
  }
}
