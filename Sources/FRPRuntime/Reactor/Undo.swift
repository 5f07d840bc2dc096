// What an instant has changed, so that a fault can take it back.
//
// Private words are logged before they are written; values of behaviors need no log, because `old` still holds them.
// Memory that an instant replaces is freed when it is over, whichever way it ends.

import FRPGraph

struct UndoRow {
  var address: Address
  var word: Word
}

/// A log of words, behind a pointer of its own.
struct UndoLog {
  private(set) var rows: UnsafeMutablePointer<UndoRow>
  private var capacity = 256
  private(set) var count = 0

  init() { rows = .allocate(capacity: 256) }

  func deallocate() { rows.deallocate() }

  @inline(__always)
  mutating func note(_ address: Address) {
    if count == capacity { grow() }
    (rows + count).initialize(to: UndoRow(address: address, word: address.pointee))
    count &+= 1
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<UndoRow>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: rows, count: count)
    rows.deallocate()
    rows = larger
    capacity *= 2
  }

  mutating func forget() {
    count = 0
    if capacity > 1 << 16 { shrink() }
  }

  @inline(never)
  private mutating func shrink() {
    rows.deallocate()
    capacity = 256
    rows = .allocate(capacity: capacity)
  }

  /// Takes every write back, newest first.
  mutating func takeBack() {
    while count > 0 {
      count -= 1
      rows[count].address.pointee = rows[count].word
    }
  }
}

extension Reactor {
  /// Writes a private word; a fault takes it back.
  @inline(__always)
  func set(_ address: Address, _ word: Word) {
    live.undo.note(address)
    address.pointee = word
  }

  /// Frees memory when the instant has been committed; a fault keeps it.
  func freeOnCommit(_ word: Word) {
    if word != 0 { live.buffersToFreeOnCommit.append(word) }
  }

  /// Frees memory when the instant is undone.
  func freeOnUndo(_ word: Word) {
    if word != 0 { live.buffersToFreeOnUndo.append(word) }
  }

  func settleBuffers(committed: Bool) {
    if live.buffersToFreeOnCommit.isEmpty && live.buffersToFreeOnUndo.isEmpty { return }
    for word in (committed ? live.buffersToFreeOnCommit : live.buffersToFreeOnUndo).buffer { word.address.deallocate() }
    live.buffersToFreeOnCommit.removeAll()
    live.buffersToFreeOnUndo.removeAll()
  }
}
