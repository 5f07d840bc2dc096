// How much a run remembers, by entry: the words of its frames, of its queues, and what these refer to in the heap.
//
// Rules
// - Between instants, and the heap is not changed.
// - What several refer to counts for the first of them, in the order of frames and entries.
// - A list counts with the whole buffer that it lies in, as the heap keeps it.

import FRPCore
import FRPGraph

extension Reactor {
  /// Words that are kept, by template and entry. An owner of scopes has, besides its own, what each of its instances takes
  /// before it holds anything.
  public func keptWords() -> [[Int]] {
    var words = plan.templates.map { [Int](repeating: 0, count: $0.entries.count) }
    var seen = ReachedWords()
    for number in 0..<live.frames.count {
      guard let frame = live.frames.frames[number], frame.pointee.isLive else { continue }
      let template = frame.pointee.template.pointee.index
      for index in words[template].indices { words[template][index] += keptWords(EntrySite(frame, index), &seen) }
      guard let parent = frame.pointee.parent else { continue }
      words[parent.pointee.template.pointee.index][Int(frame.pointee.owner)] += MemoryLayout<FrameRecord>.stride / 8
    }
    return words
  }

  private func keptWords(_ site: EntrySite, _ seen: inout ReachedWords) -> Int {
    let entry = site.entry.pointee
    var words = 2 + entry.kind.state.words
    if entry.slot >= 0 {
      words += entry.isContinuous ? 4 : 2
      if !entry.isContinuous, heap.shapes.isReference(entry.type) { words += seen.reach(site.new.pointee) }
    }
    for part in entry.kind.state.parts {
      guard case .queue(let offset, let width, _) = part else { continue }
      words += Int((site.state + offset)[QueueState.capacity]) * width
    }
    for row in StateRow.references(entry, heap.shapes) {
      let place = site.frame.pointee.state + Int(row.offset)
      if row.content == .queue {
        let queue = Queue(place, width: Int(row.width))
        for element in 0..<queue.count { words += seen.reach(queue.element(element)[Int(row.width) - 1]) }
      } else {
        words += seen.reach(place.pointee)
      }
    }
    return words
  }
}

/// Objects of the heap that have been reached.
private struct ReachedWords {
  private var seen: Set<Address> = []
  private var pending: [Address] = []

  /// The words of all objects that this one leads to and that nobody has reached before. No recursion: data may be deep.
  mutating func reach(_ word: Word) -> Int {
    add(word)
    var words = 0
    while let object = pending.popLast() {
      let header = Header(bits: object[0])
      words += header.payloadCount + 1
      addParts(of: object, header)
    }
    return words
  }

  private mutating func add(_ word: Word) {
    guard word.isObject, word.address[0] & Header.permanent == 0, seen.insert(word.address).inserted else { return }
    pending.append(word.address)
  }

  private mutating func addParts(of object: Address, _ header: Header) {
    switch ObjectKind(rawValue: header.kind) {
    case .fields:
      var mask = header.mask
      while mask != 0 {
        add(object[1 + mask.trailingZeroBitCount])
        mask &= mask &- 1
      }
    case .wideFields:
      let count = header.fieldCount
      for index in 0..<count where object[1 + count + index >> 6] >> UInt64(index & 63) & 1 != 0 {
        add(object[1 + index])
      }
    case .references: for index in 0..<Int(object[1]) { add(object[2 + index]) }
    case .mapNode:
      if header.bits & Header.flagA != 0 { add(object[1]) }
      if header.bits & Header.flagB != 0 { add(object[2]) }
      add(object[3])
      add(object[4])
    case .list: add(object[1])
    case .string: if header.bits & Header.flagB != 0 { add(object[3]) }
    case .words, .bytes, nil: break
    }
  }
}
