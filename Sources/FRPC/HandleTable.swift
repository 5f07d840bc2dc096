// Where handles lead: rows that never move, found by index and without a lock.
//
// Rules
// - A row's state says all that a call must know: its generation, whether there is something, whether it is in use.
//   Looking a handle up is one exchange of that word, and so is a second thread's being told that it is busy.
// - What is in use cannot be released, so that a call counts no references.
// - Blocks of rows are made twice as large each time, and stay: a handle that was never given out finds none, or a row of
//   another generation.

import FRP
import Synchronization

/// A row of the table.
struct HandleRow: ~Copyable {
  /// The generation above, `live` and `busy` below.
  let state = Atomic<UInt64>(0)
  /// What the handle names. Written before the state says that it is there, read after.
  var box: Unmanaged<Box>?

  static let live: UInt64 = 1
  static let busy: UInt64 = 2

  static func state(_ generation: UInt32, _ marks: UInt64) -> UInt64 { UInt64(generation) << 32 | marks }
}

/// Rows in blocks: the first of 64, each of the others as large as all before it.
enum HandleRows {
  typealias Row = UnsafeMutablePointer<HandleRow>

  private static let firstBits = 6
  /// As many blocks as an index of 32 bits can name.
  nonisolated(unsafe) private static let blocks: UnsafeMutablePointer<Atomic<UInt>> = {
    let blocks = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: 33 - firstBits)
    for place in 0...32 - firstBits { (blocks + place).initialize(to: Atomic(0)) }
    return blocks
  }()

  /// In which block a row is, and where there.
  @inline(__always)
  private static func place(_ index: UInt32) -> (block: Int, offset: Int) {
    let above = Int(index >> UInt32(firstBits))
    if above == 0 { return (0, Int(index)) }
    let block = Int.bitWidth - above.leadingZeroBitCount
    return (block, Int(index) - (1 << (block - 1 + firstBits)))
  }

  /// The row of an index; nil where no handle of this index was ever given out.
  @inline(__always)
  static func row(_ index: UInt32) -> Row? {
    let (block, offset) = place(index)
    guard let rows = Row(bitPattern: blocks[block].load(ordering: .acquiring)) else { return nil }
    return rows + offset
  }

  /// The row of an index, made where it is the first of its block. One thread at a time.
  static func made(_ index: UInt32) -> Row {
    if let row = row(index) { return row }
    let (block, offset) = place(index)
    let count = 1 << (block == 0 ? firstBits : block - 1 + firstBits)
    let rows = Row.allocate(capacity: count)
    for place in 0..<count { (rows + place).initialize(to: HandleRow()) }
    blocks[block].store(UInt(bitPattern: rows), ordering: .releasing)
    return rows + offset
  }
}

/// Which rows are free.
private struct FreeRows {
  var count: UInt32 = 0
  var free: [UInt32] = []
  var live = 0
}

private let freeRows = Mutex(FreeRows())

/// Of runs that are watched, by handle: whoever interrupts one must not wait for it.
let interrupters = Mutex<[UInt64: Interrupter]>([:])

enum Handles {
  /// A handle for something.
  static func add(_ box: Box) -> UInt64 {
    freeRows.withLock { table in
      let index = table.free.popLast() ?? table.count
      if index == table.count { table.count += 1 }
      table.live += 1
      let row = HandleRows.made(index)
      let generation = max(1, UInt32(truncatingIfNeeded: row.pointee.state.load(ordering: .relaxed) >> 32))
      row.pointee.box = .passRetained(box)
      row.pointee.state.store(HandleRow.state(generation, HandleRow.live), ordering: .releasing)
      return UInt64(generation) << 32 | UInt64(index)
    }
  }

  static var live: Int { freeRows.withLock { $0.live } }

  static func release(_ handle: UInt64) -> Status {
    guard let row = HandleRows.row(UInt32(truncatingIfNeeded: handle)) else { return .badHandle }
    let status = take(row, handle)
    if status != .ok { return status }
    let box = row.pointee.box
    row.pointee.box = nil
    interrupters.withLock { $0[handle] = nil }
    freeRows.withLock { table in
      row.pointee.state.store(
        HandleRow.state(UInt32(truncatingIfNeeded: handle >> 32) &+ 1, 0), ordering: .releasing)
      table.free.append(UInt32(truncatingIfNeeded: handle))
      table.live -= 1
    }
    // What it held is given back outside of the lock.
    box?.release()
    return .ok
  }

  /// Marks a row as in use by this thread.
  @inline(__always)
  private static func take(_ row: HandleRows.Row, _ handle: UInt64) -> Status {
    let free = handle & 0xFFFF_FFFF_0000_0000 | HandleRow.live
    let (isTaken, found) = row.pointee.state.compareExchange(
      expected: free, desired: free | HandleRow.busy, ordering: .acquiringAndReleasing)
    if isTaken { return .ok }
    return found == free | HandleRow.busy ? .busy : .badHandle
  }

  /// Works with what a handle names, whatever that is.
  static func withAny(_ handle: UInt64, _ body: (Box) -> Status) -> Int32 { with(handle, nil, body) }

  /// Works with the program that a handle names.
  static func withProgram(_ handle: UInt64, _ body: (ProgramBox) -> Status) -> Int32 {
    with(handle, .program) { body(unsafeDowncast($0, to: ProgramBox.self)) }
  }

  /// Works with the run that a handle names.
  @inline(__always)
  static func withRun(_ handle: UInt64, _ body: (RunBox) -> Status) -> Int32 {
    with(handle, .run) { body(unsafeDowncast($0, to: RunBox.self)) }
  }

  @inline(__always)
  private static func with(_ handle: UInt64, _ kind: Box.Kind?, _ body: (Box) -> Status) -> Int32 {
    guard let row = HandleRows.row(UInt32(truncatingIfNeeded: handle)) else { return Status.badHandle.rawValue }
    let status = take(row, handle)
    if status != .ok { return status.rawValue }
    defer {
      row.pointee.state.store(handle & 0xFFFF_FFFF_0000_0000 | HandleRow.live, ordering: .releasing)
    }
    guard let box = row.pointee.box else { return Status.badHandle.rawValue }
    return box._withUnsafeGuaranteedRef { box in
      if let kind, box.kind != kind { return box.isOfOtherKind.rawValue }
      return body(box).rawValue
    }
  }
}
