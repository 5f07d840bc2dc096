// Pending work of structural operations: a growable stack outside of the heap and of the thread's stack, so that the
// depth of data is limited by memory only.

import FRPCore

/// A pair of values still to be compared from part `index` on.
struct WorkItem {
  var a: Word
  var b: Word
  var type: TypeID
  var index: Int
}

final class WorkStack {
  private var items: UnsafeMutablePointer<WorkItem>
  private var capacity = 64
  private(set) var count = 0

  init() { items = .allocate(capacity: 64) }
  deinit { items.deallocate() }

  @inline(__always)
  func push(_ item: WorkItem) {
    if count == capacity { grow() }
    items[count] = item
    count += 1
  }

  @inline(__always)
  func pop() -> WorkItem {
    count -= 1
    return items[count]
  }

  func removeAll(from mark: Int) { count = mark }

  private func grow() {
    let wider = UnsafeMutablePointer<WorkItem>.allocate(capacity: capacity * 2)
    wider.update(from: items, count: count)
    items.deallocate()
    items = wider
    capacity *= 2
  }
}
