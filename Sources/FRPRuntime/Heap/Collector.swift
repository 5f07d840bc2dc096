// The collector: Cheney's copying algorithm over chunks, between instants only. Cost: O(live words); no recursion.
//
// A list's view may use a small part of a large buffer. Views of less than half of a buffer wait until everything else
// is moved; then only the union of the parts that wait is kept. So a program that keeps the last three of a million
// elements keeps three, and views that overlap still share.
//
// Objects that never fit into a shared chunk have one of their own and stay where they are.
//
// Marks left in the old memory: an object that moved has its new address as header (bits 00). A buffer of which a part
// moved has that part's first index in its `used` word. A buffer that waits has its place in `partial` as header,
// shifted left by two, with bits 10.

import FRPBase

/// A buffer of which only parts are in use.
private struct PartialBuffer {
  var address: Address
  var header: UInt64
  var low: Int
  var high: Int
}

/// Hands the collector its roots.
public struct RootVisitor: ~Copyable {
  fileprivate let collector: Collector

  /// A word of a reference type: updated in place.
  @inline(__always)
  public func visit(_ word: inout Word) {
    if word.isObject { word = collector.moved(word) }
  }

  @inline(__always)
  public func visit(_ word: UnsafeMutablePointer<Word>) {
    if word.pointee.isObject { word.pointee = collector.moved(word.pointee) }
  }
}

extension Heap {
  /// Moves everything reachable from the roots to new memory and gives the rest back. `roots` must visit every word
  /// that is a reference, wherever it is kept; each may be visited more than once. Not while an instant runs.
  public func collect(_ roots: (borrowing RootVisitor) -> Void) {
    let collector = self.collector
    beginMove()
    let limit = state.pointee.limitBytes
    // What is live fits below the limit, but both copies exist for a moment.
    state.pointee.limitBytes = Int.max / 2
    roots(RootVisitor(collector: collector))
    collector.finish()
    state.pointee.limitBytes = limit
    endMove()
  }
}

/// Kept between collections for its memory only.
final class Collector {
  private unowned(unsafe) let heap: Heap
  private let state: UnsafeMutablePointer<HeapState>
  private var partial: [PartialBuffer] = []
  /// Views (in new memory) of buffers that wait.
  private var waiting: [Address] = []
  /// The lists that are being worked on while these fill.
  private var taken: (partial: [PartialBuffer], waiting: [Address]) = ([], [])
  /// Moved objects still to be scanned.
  private let pending = AddressStack()

  init(_ heap: Heap) {
    self.heap = heap
    state = heap.state
  }

  /// The new place of an object.
  @inline(__always)
  func moved(_ word: Word) -> Word {
    let header = word.address[0]
    if header & 3 == 0 { return header }
    if header & Header.permanent != 0 { return word }
    return move(word.address, Header(bits: header))
  }

  private func move(_ source: Address, _ header: Header) -> Word {
    let kind = header.kind
    var count = header.payloadCount + 1
    var used = count
    if kind == ObjectKind.words.rawValue || kind == ObjectKind.references.rawValue {
      used = Int(source[1]) + 2
      // Room for growth is kept only where much of the room was used.
      if used * 2 < count { count = used }
    }
    if count > Heap.largestMoved { return kept(source, kind) }
    let target = take(count)
    if used <= 8 {
      for index in 0..<used { target[index] = source[index] }
    } else {
      target.update(from: source, count: used)
    }
    if kind == ObjectKind.words.rawValue || kind == ObjectKind.references.rawValue {
      target[0] = header.bits & 0xFF | UInt64(count - 1) << 8
      source[1] = 0
    }
    source[0] = Word(target)
    if kind == ObjectKind.string.rawValue || kind == ObjectKind.bytes.rawValue || kind == ObjectKind.words.rawValue {
      return Word(target)
    }
    pending.push(target)
    return Word(target)
  }

  /// A large object stays. While the collection lasts it counts as permanent, so that nobody looks at it twice.
  private func kept(_ object: Address, _ kind: UInt64) -> Word {
    object[0] |= Header.permanent
    if kind == ObjectKind.references.rawValue || kind == ObjectKind.wideFields.rawValue { pending.push(object) }
    return Word(object)
  }

  /// New memory; from the chunk at hand without the heap itself, which would be counted as used meanwhile.
  @inline(__always)
  private func take(_ words: Int) -> Address {
    let top = state.pointee.top
    if words > state.pointee.end - top { return takeFromNewChunk(words) }
    state.pointee.top = top + words
    return top
  }

  @inline(never)
  private func takeFromNewChunk(_ words: Int) -> Address {
    do throws(Fault) {
      return try heap.allocate(words)
    } catch {
      // The limit is lifted while collecting, so the system itself has no memory left: nothing can go on.
      preconditionFailure("out of memory while collecting")
    }
  }

  func finish() {
    while true {
      while let next = pending.pop() { scanObject(next) }
      if waiting.isEmpty { return }
      movePartialBuffers()
    }
  }

  @inline(__always)
  private func visit(_ slot: Address) {
    if slot.pointee.isObject { slot.pointee = moved(slot.pointee) }
  }

  private func scanObject(_ object: Address) {
    let header = Header(bits: object[0])
    switch header.kind {
    case ObjectKind.fields.rawValue:
      var mask = header.mask
      while mask != 0 {
        visit(object + 1 + mask.trailingZeroBitCount)
        mask &= mask &- 1
      }
    case ObjectKind.wideFields.rawValue:
      let count = header.fieldCount
      for index in 0..<count where object[1 + count + index >> 6] >> UInt64(index & 63) & 1 != 0 {
        visit(object + 1 + index)
      }
    case ObjectKind.references.rawValue:
      for index in 0..<Int(object[1]) { visit(object + 2 + index) }
    case ObjectKind.mapNode.rawValue:
      if header.bits & Header.flagA != 0 { visit(object + 1) }
      if header.bits & Header.flagB != 0 { visit(object + 2) }
      visit(object + 3)
      visit(object + 4)
    case ObjectKind.list.rawValue: scanView(object)
    default: break
    }
  }

  private func scanView(_ view: Address) {
    let buffer = view[1].address
    let bits = buffer[0]
    let offset = Int(view[2])
    let end = offset + Int(view[3])
    switch bits & 3 {
    case 0:
      // Moved: all of it (first index 0), or a part that may or may not cover this view.
      if let target = Address(bitPattern: UInt(bits)) { attach(view, old: buffer, target) }
    case 2:
      let place = Int(bits >> 2)
      partial[place].low = min(partial[place].low, offset)
      partial[place].high = max(partial[place].high, end)
      waiting.append(view)
    default:
      if bits & Header.permanent != 0 { return }
      if (end - offset) * 2 >= Int(buffer[1]) {
        view[1] = move(buffer, Header(bits: bits))
      } else {
        buffer[0] = UInt64(partial.count) << 2 | 2
        partial.append(PartialBuffer(address: buffer, header: bits, low: offset, high: end))
        waiting.append(view)
      }
    }
  }

  /// Points a view at its buffer's new place; copies the view's elements if only another part has moved.
  private func attach(_ view: Address, old: Address, _ target: Address) {
    let low = Int(old[1])
    let offset = Int(view[2])
    if offset >= low, offset - low + Int(view[3]) <= Int(target[1]) {
      view[1] = Word(target)
      view[2] = UInt64(offset - low)
      return
    }
    copyPart(view, old, Header(bits: target[0]).kind == ObjectKind.references.rawValue ? .references : .words)
  }

  /// Gives a view a buffer of its own. The old buffer's elements are still in place, though its first two words are not.
  private func copyPart(_ view: Address, _ old: Address, _ kind: ObjectKind) {
    let count = Int(view[3])
    let target = take(count + 2)
    target[0] = Header.other(kind, payload: count + 1).bits
    target[1] = UInt64(count)
    (target + 2).update(from: old + 2 + Int(view[2]), count: count)
    view[1] = Word(target)
    view[2] = 0
    if kind == .references { pending.push(target) }
  }

  private func movePartialBuffers() {
    swap(&partial, &taken.partial)
    swap(&waiting, &taken.waiting)
    for buffer in taken.partial {
      let count = buffer.high - buffer.low
      let target = take(count + 2)
      let kind: ObjectKind =
        Header(bits: buffer.header).kind == ObjectKind.references.rawValue ? .references : .words
      target[0] = Header.other(kind, payload: count + 1).bits
      target[1] = UInt64(count)
      (target + 2).update(from: buffer.address + 2 + buffer.low, count: count)
      buffer.address[0] = Word(target)
      buffer.address[1] = UInt64(buffer.low)
      if kind == .references { pending.push(target) }
    }
    for view in taken.waiting {
      let old = view[1].address
      if let target = Address(bitPattern: UInt(old[0])) { attach(view, old: old, target) }
    }
    taken.partial.removeAll(keepingCapacity: true)
    taken.waiting.removeAll(keepingCapacity: true)
  }
}

/// A growable stack of addresses, behind pointers so that no access is checked for exclusivity.
private final class AddressStack {
  private struct State {
    var start: UnsafeMutablePointer<Address>
    var top: UnsafeMutablePointer<Address>
    var end: UnsafeMutablePointer<Address>
  }
  private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

  init() {
    let start = UnsafeMutablePointer<Address>.allocate(capacity: 256)
    state.initialize(to: State(start: start, top: start, end: start + 256))
  }

  deinit {
    state.pointee.start.deallocate()
    state.deallocate()
  }

  @inline(__always)
  func push(_ address: Address) {
    if state.pointee.top == state.pointee.end { grow() }
    state.pointee.top.initialize(to: address)
    state.pointee.top += 1
  }

  @inline(__always)
  func pop() -> Address? {
    if state.pointee.top == state.pointee.start { return nil }
    state.pointee.top -= 1
    return state.pointee.top.pointee
  }

  @inline(never)
  private func grow() {
    let count = state.pointee.end - state.pointee.start
    let wider = UnsafeMutablePointer<Address>.allocate(capacity: count * 2)
    wider.update(from: state.pointee.start, count: count)
    state.pointee.start.deallocate()
    state.pointee = State(start: wider, top: wider + count, end: wider + count * 2)
  }
}
