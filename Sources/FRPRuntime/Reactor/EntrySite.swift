// An entry where it runs: of which frame, which place among its entries, and what the template says of it.

import FRPGraph

typealias EntryRef = UnsafeMutablePointer<Entry>

struct EntrySite {
  let frame: FrameRef
  let index: Int
  let entry: EntryRef

  @inline(__always)
  init(_ frame: FrameRef, _ index: Int) {
    self.frame = frame
    self.index = index
    entry = frame.pointee.template.pointee.entries + index
  }

  /// The entry's private words.
  @inline(__always)
  var state: Address { frame.pointee.state + Int(entry.pointee.state) }

  /// A step behavior's value just after the instant.
  @inline(__always)
  var new: Address { frame.pointee.new + Int(entry.pointee.slot) }

  /// Its value just before the instant.
  @inline(__always)
  var old: Address { frame.pointee.old + Int(entry.pointee.slot) }

  /// The entry that this one feeds, or that feeds it.
  @inline(__always)
  var partner: EntrySite { EntrySite(frame, Int(entry.pointee.partner)) }
}

/// An entry as the loop of an instant sees it: its row, and the live state, which is looked up once.
struct RowSite {
  let live: UnsafeMutablePointer<LiveState>
  let frame: FrameRef
  let index: Int
  let row: UnsafeMutablePointer<EntryRow>

  @inline(__always)
  init(live: UnsafeMutablePointer<LiveState>, frame: FrameRef, index: Int, row: UnsafeMutablePointer<EntryRow>) {
    (self.live, self.frame, self.index, self.row) = (live, frame, index, row)
  }
}

extension CausedStep {
  init(_ site: EntrySite) {
    self.init(frame: site.frame, generation: site.frame.pointee.generation, entry: Int32(site.index))
  }
}

extension RowOwner {
  init(_ site: EntrySite) {
    self.init(frame: UInt(bitPattern: site.frame), entry: Int32(site.index))
  }
}
