// Everything that is due at a time: a binary heap over rows of a table, in order of time, then of arming.
//
// What leaves a `window` is *late*: it comes after everything else of its time, inputs included, so that data at whole
// seconds leaves in the instant in which new data comes. The top bit of a row's order says so.
//
// A timer belongs to an entry of a frame. The entry keeps its number + 1 in a private word, which the timer clears when
// it fires. Arming and disarming are logged, so that a fault takes them back; firing is not.

import FRPGraph

struct TimerRow {
  var due: Int64
  /// The number of its arming; for what is late with `TimerTable.late` added.
  var order: UInt64
  var frame: FrameRef?
  var entry: Int32
  /// For `perform`: which run. Otherwise 0.
  var tag: Int32
  /// Its place in the heap; -1 if it is not armed.
  var place: Int32
}

extension TimerRow {
  /// Whether it waits for the inputs of its time.
  fileprivate var isLate: Bool {
    guard let frame else { return false }
    let kind = frame.pointee.template.pointee.entries[Int(entry)].kind
    return kind == .window || kind == .summary
  }
}

/// What a change of a timer was, to take it back.
struct TimerChange {
  var timer: Int32
  var due: Int64
  var order: UInt64
  var wasArmed: Bool
  var isNew: Bool
}

struct TimerTable {
  private(set) var rows: UnsafeMutablePointer<TimerRow>
  private var heap: UnsafeMutablePointer<Int32>
  private var capacity = 64
  private var rowCount = 0
  private var freeRows: [Int32] = []
  private(set) var count = 0
  private var order: UInt64 = 0

  init() {
    rows = .allocate(capacity: 64)
    heap = .allocate(capacity: 64)
  }

  func deallocate() {
    rows.deallocate()
    heap.deallocate()
  }

  /// When the next timer is due; `Clock.never` without one.
  @inline(__always)
  var nextDue: Int64 { count == 0 ? Clock.never : rows[Int(heap[0])].due }

  @inline(__always)
  var first: Int32 { heap[0] }

  /// In an order: that the row waits for the inputs of its time.
  static let late: UInt64 = 1 << 63

  /// Whether all that is due next waits for the inputs of its time.
  @inline(__always)
  var isFirstLate: Bool { count > 0 && rows[Int(heap[0])].order >= Self.late }

  /// A row that is not armed.
  mutating func make(for site: EntrySite, tag: Int32 = 0) -> Int32 {
    let row: Int32
    if let free = freeRows.popLast() {
      row = free
    } else {
      if rowCount == capacity { grow() }
      row = Int32(rowCount)
      rowCount += 1
    }
    (rows + Int(row)).initialize(
      to: TimerRow(due: Clock.never, order: 0, frame: site.frame, entry: Int32(site.index), tag: tag, place: -1))
    return row
  }

  private mutating func grow() {
    let moreRows = UnsafeMutablePointer<TimerRow>.allocate(capacity: capacity * 2)
    moreRows.moveInitialize(from: rows, count: rowCount)
    rows.deallocate()
    rows = moreRows
    let moreHeap = UnsafeMutablePointer<Int32>.allocate(capacity: capacity * 2)
    moreHeap.moveInitialize(from: heap, count: count)
    heap.deallocate()
    heap = moreHeap
    capacity *= 2
  }

  /// Gives a row back; it must not be armed.
  mutating func free(_ row: Int32) {
    rows[Int(row)].frame = nil
    freeRows.append(row)
  }

  /// Sets when a row is due, whether it is armed or not.
  mutating func arm(_ row: Int32, due: Int64) {
    order += 1
    let isLate = rows[Int(row)].isLate
    put(row, due: due, order: isLate ? order | Self.late : order)
  }

  mutating func put(_ row: Int32, due: Int64, order: UInt64) {
    rows[Int(row)].due = due
    rows[Int(row)].order = order
    if rows[Int(row)].place < 0 {
      rows[Int(row)].place = Int32(count)
      heap[count] = row
      count += 1
    }
    siftUp(Int(rows[Int(row)].place))
    siftDown(Int(rows[Int(row)].place))
  }

  mutating func disarm(_ row: Int32) {
    let place = Int(rows[Int(row)].place)
    if place < 0 { return }
    rows[Int(row)].place = -1
    count -= 1
    if place == count { return }
    let moved = heap[count]
    heap[place] = moved
    rows[Int(moved)].place = Int32(place)
    siftUp(place)
    siftDown(Int(rows[Int(moved)].place))
  }

  @inline(__always)
  private func isBefore(_ a: Int32, _ b: Int32) -> Bool {
    let x = rows + Int(a)
    let y = rows + Int(b)
    if x.pointee.due != y.pointee.due { return x.pointee.due < y.pointee.due }
    return x.pointee.order < y.pointee.order
  }

  private func siftUp(_ start: Int) {
    var place = start
    let row = heap[place]
    while place > 0 {
      let above = (place - 1) / 2
      if !isBefore(row, heap[above]) { break }
      heap[place] = heap[above]
      rows[Int(heap[place])].place = Int32(place)
      place = above
    }
    heap[place] = row
    rows[Int(row)].place = Int32(place)
  }

  private func siftDown(_ start: Int) {
    var place = start
    let row = heap[place]
    while true {
      var below = 2 * place + 1
      if below >= count { break }
      if below + 1 < count, isBefore(heap[below + 1], heap[below]) { below += 1 }
      if !isBefore(heap[below], row) { break }
      heap[place] = heap[below]
      rows[Int(heap[place])].place = Int32(place)
      place = below
    }
    heap[place] = row
    rows[Int(row)].place = Int32(place)
  }

  /// Visits the rows that are due by a time, in no order. Costs as much as there are.
  func forEachDue(by time: Int64, _ body: (TimerRow) -> Void) {
    var pending = [0]
    while let place = pending.popLast() {
      if place >= count || rows[Int(heap[place])].due > time { continue }
      body(rows[Int(heap[place])])
      pending += [2 * place + 1, 2 * place + 2]
    }
  }

  /// Disarms what is of no interest any more.
  mutating func disarm(where isUnwanted: (TimerRow) -> Bool) {
    let unwanted = (0..<count).map { heap[$0] }.filter { isUnwanted(rows[Int($0)]) }
    for row in unwanted { disarm(row) }
  }

  /// By row: its place among all that are armed, in the order in which they will fire.
  func ranks() -> [Int32: UInt64] {
    let rows = (0..<count).map { heap[$0] }.sorted { isBefore($0, $1) }
    return Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1, UInt64($0)) })
  }

  /// Whether the heap is one, for `checkInvariants`.
  func isConsistent() -> Bool {
    for place in 0..<count {
      if rows[Int(heap[place])].place != Int32(place) { return false }
      if place > 0, isBefore(heap[place], heap[(place - 1) / 2]) { return false }
    }
    return true
  }
}

extension Reactor {
  /// Lets an entry fire at `due`: at the next micro-step if that is not after now. Replaces what was armed before.
  func arm(_ site: EntrySite, due: Int64) {
    let word = site.state + TimedState.timer
    if due <= now.nanoseconds {
      disarm(word)
      cause(site)
      return
    }
    if due == Clock.never {
      disarm(word)
      return
    }
    if word.pointee == 0 {
      let row = live.timers.make(for: site)
      set(word, Word(row) + 1)
      live.timerChanges.append(TimerChange(timer: row, due: 0, order: 0, wasArmed: false, isNew: true))
      live.timers.arm(row, due: due)
    } else {
      let row = Int32(word.pointee - 1)
      noteTimer(row)
      live.timers.arm(row, due: due)
    }
  }

  /// Arms or re-arms for good, whatever becomes of the instant (before its first entry runs).
  func armForGood(_ site: EntrySite, due: Int64) {
    if due == Clock.never { return }
    if due <= now.nanoseconds { return live.causedForGood.append(CausedStep(site)) }
    let word = site.state + TimedState.timer
    if word.pointee == 0 { word.pointee = Word(live.timers.make(for: site)) + 1 }
    live.timers.arm(Int32(word.pointee - 1), due: due)
  }

  func disarm(_ word: Address) {
    if word.pointee == 0 { return }
    let row = Int32(word.pointee - 1)
    noteTimer(row)
    live.timers.disarm(row)
    set(word, 0)
  }

  private func noteTimer(_ row: Int32) {
    let old = live.timers.rows[Int(row)]
    live.timerChanges.append(
      TimerChange(timer: row, due: old.due, order: old.order, wasArmed: old.place >= 0, isNew: false))
  }

  /// At the end of an instant: rows that were disarmed become free.
  func commitTimers() {
    for change in live.timerChanges.buffer where live.timers.rows[Int(change.timer)].place < 0 {
      if live.timers.rows[Int(change.timer)].frame != nil { live.timers.free(change.timer) }
    }
    live.timerChanges.removeAll()
  }

  func undoTimers() {
    for change in live.timerChanges.buffer.reversed() {
      if change.isNew {
        live.timers.disarm(change.timer)
        if live.timers.rows[Int(change.timer)].frame != nil { live.timers.free(change.timer) }
      } else if change.wasArmed {
        live.timers.put(change.timer, due: change.due, order: change.order)
      } else {
        live.timers.disarm(change.timer)
      }
    }
    live.timerChanges.removeAll()
  }

  /// Disarms and frees for good: its frame goes.
  func releaseTimer(_ word: Address) {
    if word.pointee == 0 { return }
    let row = Int32(word.pointee - 1)
    live.timers.disarm(row)
    live.timers.free(row)
    word.pointee = 0
  }
}
