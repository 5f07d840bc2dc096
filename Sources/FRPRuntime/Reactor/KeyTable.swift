// Instances by key: open addressing with linear probing over (hash, frame) pairs in one buffer. Keys lie in the frames'
// records, where the collector finds them. Order of iteration is never used.

import FRPCore
import FRPGraph

struct KeyTable {
  /// The owner's word that holds the buffer: capacity, count, then the pairs.
  let word: Address

  init(_ word: Address) { self.word = word }

  private static let header = 2
  @inline(__always) private var buffer: Address { word.pointee.address }
  @inline(__always) private var capacity: Int { Int(buffer[0]) }

  func deallocate() {
    word.pointee.address.deallocate()
    word.pointee = 0
  }

  private static func make(_ capacity: Int) -> Address {
    let buffer = Address.allocate(capacity: header + 2 * capacity)
    buffer.initialize(repeating: 0, count: header + 2 * capacity)
    buffer[0] = Word(UInt(capacity))
    return buffer
  }

  /// The frame with a key of this hash of which `isIt` says that it is the one; nil if there is none.
  @inline(__always)
  func find(_ hash: UInt64, _ isIt: (FrameRef) -> Bool) -> FrameRef? {
    if word.pointee == 0 { return nil }
    let mask = capacity &- 1
    var place = Int(truncatingIfNeeded: hash) & mask
    while let frame = FrameRef(bitPattern: UInt(pair(place)[1])) {
      if pair(place)[0] == hash, isIt(frame) { return frame }
      place = (place &+ 1) & mask
    }
    return nil
  }

  @inline(__always)
  private func pair(_ place: Int) -> Address { buffer + KeyTable.header + 2 * place }

  /// Adds a frame under its key, which must be new.
  func insert(_ frame: FrameRef, keyType type: TypeID, heap: Heap) {
    if word.pointee == 0 { word.pointee = Word(KeyTable.make(8)) }
    if (Int(buffer[1]) + 1) * 4 > capacity * 3 { grow() }
    put(heap.hash(frame.pointee.key, type), frame)
    buffer[1] += 1
  }

  private func put(_ hash: UInt64, _ frame: FrameRef) {
    var place = Int(truncatingIfNeeded: hash) & (capacity - 1)
    while pair(place)[1] != 0 { place = (place + 1) & (capacity - 1) }
    pair(place)[0] = hash
    pair(place)[1] = Word(UInt(bitPattern: frame))
    frame.pointee.keyHash = hash
  }

  private func grow() {
    let old = buffer
    let count = Int(old[0])
    let larger = KeyTable.make(count * 2)
    larger[1] = old[1]
    word.pointee = Word(larger)
    for place in 0..<count {
      let pair = old + KeyTable.header + 2 * place
      if let frame = FrameRef(bitPattern: UInt(pair[1])) { put(pair[0], frame) }
    }
    old.deallocate()
  }

  /// Removes a frame, if it is there; closes the gap.
  func remove(_ frame: FrameRef) {
    if word.pointee == 0 { return }
    let mask = capacity - 1
    var hole = Int(truncatingIfNeeded: frame.pointee.keyHash) & mask
    let target = Word(UInt(bitPattern: frame))
    while pair(hole)[1] != target {
      if pair(hole)[1] == 0 { return }
      hole = (hole + 1) & mask
    }
    buffer[1] -= 1
    var place = hole
    while true {
      place = (place + 1) & mask
      if pair(place)[1] == 0 { break }
      let home = Int(truncatingIfNeeded: pair(place)[0]) & mask
      if (place - home) & mask >= (place - hole) & mask {
        pair(hole)[0] = pair(place)[0]
        pair(hole)[1] = pair(place)[1]
        hole = place
      }
    }
    pair(hole)[0] = 0
    pair(hole)[1] = 0
  }
}
