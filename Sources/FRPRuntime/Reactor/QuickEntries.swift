// Running the marked entries of a frame, most of which are a lift or take one occurrence (map, filter, scan, fold, hold), with a
// quick code (Machine/Quick.swift). These run here; all others through `execute`. Codes of one instruction run in the
// loop itself, which has nothing else in it, so that it fits the registers.

import FRPCore
import FRPGraph

extension Reactor {
  /// Runs the marked entries below `limit`, in order.
  func run(_ frame: FrameRef, below limit: Int) throws(Fault) {
    let live = liveState
    if live.pointee.isProfiled { return try runProfiled(frame, below: limit) }
    let state = machine.state
    let template = frame.pointee.template
    let rows = template.pointee.rows
    let dirty = frame.pointee.dirty
    let summary = frame.pointee.summary
    var block = 0
    while block < template.pointee.summaryWords {
      while summary[block] != 0 {
        let word = block << 6 | summary[block].trailingZeroBitCount
        while case let bits = dirty[word], bits != 0 {
          let index = word << 6 | bits.trailingZeroBitCount
          if index >= limit { return }
          dirty[word] = bits & (bits &- 1)
          let row = rows + index
          if row.pointee.hasQuickCode, state.pointee.poisonCount == 0 {
            let site = RowSite(live: live, frame: frame, index: index, row: row)
            if row.pointee.work == .liftOnce {
              if let code = row.pointee.code, takesStep(state), let value = quickOfSlots(code, base: frame.pointee.new)
              {
                keep(site, value)
                continue
              }
            } else if row.pointee.work == .mapOnce {
              if runMapOnce(site, state) { continue }
            } else if runQuick(site, state) {
              continue
            }
          }
          do throws(Fault) {
            try execute(frame, index)
          } catch {
            // What has faulted stays marked.
            dirty[word] |= 1 << UInt64(index & 63)
            throw error
          }
          // An owner that marks its scopes marks itself; it has just run.
          dirty[word] &= ~(1 << UInt64(index & 63))
        }
        summary[block] &= ~(1 << UInt64(word & 63))
      }
      block &+= 1
    }
  }

  @inline(__always)
  private func runMapOnce(_ site: RowSite, _ state: UnsafeMutablePointer<MachineState>) -> Bool {
    guard let code = site.row.pointee.code, let occurrence = onlyOccurrence(site), takesStep(state),
      let value = quickOfOccurrence(code, occurrence: occurrence)
    else { return false }
    showOnly(site, value)
    return true
  }

  /// The occurrence that an entry is fed with, if there is one and room for another.
  @inline(__always)
  private func onlyOccurrence(_ site: RowSite) -> Word? {
    let live = site.live
    let info = site.frame.pointee.info + Int(site.row.pointee.source)
    if info.pointee.instant != live.pointee.instant || info.pointee.count != 1
      || live.pointee.occurrenceCount == live.pointee.occurrenceCapacity
    {
      return nil
    }
    return live.pointee.occurrences[Int(info.pointee.start)]
  }

  /// Shows one occurrence.
  @inline(__always)
  private func showOnly(_ site: RowSite, _ value: Word) {
    let live = site.live
    let place = live.pointee.occurrenceCount
    live.pointee.occurrences[place] = value
    live.pointee.occurrenceCount = place &+ 1
    site.frame.pointee.info[site.index] = EntryInfo(
      instant: live.pointee.instant, start: Int32(truncatingIfNeeded: place), count: 1)
    markDependents(site)
  }

  /// Runs an entry with a quick code. Where it gives false, nothing has happened.
  @inline(never)
  private func runQuick(_ site: RowSite, _ state: UnsafeMutablePointer<MachineState>) -> Bool {
    let (frame, row) = (site.frame, site.row)
    guard let code = row.pointee.code else { return keepOccurrence(site) }
    let window = state.pointee.top + Layout.callHeader
    let work = row.pointee.work
    var base = frame.pointee.new
    if work != .lift {
      base = frame.pointee.old
      guard let occurrence = onlyOccurrence(site) else { return false }
      if work == .scan || work == .fold {
        window[0] =
          work == .scan ? frame.pointee.state[Int(row.pointee.state)] : frame.pointee.new[Int(row.pointee.slot)]
        window[1] = occurrence
      } else {
        window[0] = occurrence
      }
    }
    guard let value = quickCode(state, code, r: window, base: base) else { return false }
    if state.pointee.hasSkipped {
      state.pointee.hasSkipped = false
      return true
    }
    switch work {
    case .lift, .fold, .hold: keep(site, value)
    case .filter: if value.bool, let occurrence = onlyOccurrence(site) { showOnly(site, occurrence) }
    case .filterMap: if value.isObject { showOnly(site, value.field(0)) }
    default:
      if work == .scan {
        let kept = frame.pointee.state + Int(row.pointee.state)
        site.live.pointee.undo.note(kept)
        kept.pointee = row.pointee.hasTail ? window[0] : value
      }
      showOnly(site, value)
    }
    return true
  }

  /// A `hold` of what occurs. Where it gives false, nothing has happened.
  private func keepOccurrence(_ site: RowSite) -> Bool {
    guard site.row.pointee.work == .hold, let occurrence = onlyOccurrence(site) else { return false }
    keep(site, occurrence)
    return true
  }

  /// `store` of what is not poisoned.
  @inline(__always)
  private func keep(_ site: RowSite, _ value: Word) {
    let (live, frame, row) = (site.live, site.frame, site.row)
    let slot = Int(row.pointee.slot)
    let address = frame.pointee.new + slot
    let before = address.pointee
    if before == value { return }
    if row.pointee.equality != .word, isEqual(before, value, of: site) { return }
    address.pointee = value
    if live.pointee.changedCount == live.pointee.changedCapacity { growChanged() }
    (live.pointee.changed + live.pointee.changedCount).initialize(
      to: ChangedSlot(old: frame.pointee.old + slot, new: address))
    live.pointee.changedCount &+= 1
    frame.pointee.info[site.index].instant = live.pointee.instant
    markDependents(site)
  }

  @inline(__always)
  private func isEqual(_ a: Word, _ b: Word, of site: RowSite) -> Bool {
    if site.row.pointee.equality == .float { return a.float == b.float }
    return heap.equal(a, b, type: site.frame.pointee.template.pointee.entries[site.index].type)
  }
}
