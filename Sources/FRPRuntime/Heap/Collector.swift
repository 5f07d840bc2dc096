// The collector: Cheney's copying algorithm over chunks. Cost: O(live words), and the words of those chunks that hold
// objects which must stay; no recursion.
//
// Between instants every root is known. Within an instant there are words besides that may be references or may be
// anything: on the machine's stack and on the thread's. Whatever object such a word points to, or into, stays where it is
// (Bartlett's mostly copying collection, object by object); everything else moves.
//
// A list's view may use a small part of a large buffer. Views of less than half of a buffer wait until everything else
// is moved; then only the union of the parts that wait is kept. So a program that keeps the last three of a million
// elements keeps three, and views that overlap still share.
//
// Objects that never fit into a shared chunk have one of their own and stay where they are.
//
// Marks left in the old memory: an object that moved has its new address as header (bits 00). A buffer of which a part
// moved has the number of that part, from 1, in its `used` word, any other that moved 0. A buffer that waits has its place in
// `partial` as header, shifted left by two, with bits 10.
//
// Which lists are the newest of their line (HeapList.swift) is kept: a part of a buffer goes on growing where the buffer did if
// it reaches there, and is closed if it does not.

import CStack
import FRPBase
import FRPLibc

/// A buffer of which only parts are in use.
private struct PartialBuffer {
  var address: Address
  var header: UInt64
  var used: Word
  var low: Int
  var high: Int
}

/// Collects words that may refer to the heap; the objects that they point to, or into, will stay where they are.
public struct PinVisitor: ~Copyable {
  fileprivate let collector: Collector

  @inline(__always)
  public func visit(_ word: Word) { collector.mayPin(word) }

  /// Consecutive words.
  @inline(__always)
  public func visit(from start: Address, to end: Address) {
    var at = start
    while at < end {
      collector.mayPin(at.pointee)
      at += 1
    }
  }
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
    beginMove()
    moveAll(roots)
  }

  /// The same while code runs. `words` must visit every word that may be a reference, and is no root; the thread's stack
  /// is looked at as well. Where that cannot be done nothing happens, and the answer is false.
  func collect(pinning words: (borrowing PinVisitor) -> Void, _ roots: (borrowing RootVisitor) -> Void) -> Bool {
    beginMove()
    collector.beginPins(leaving)
    guard collector.pinFromStack() else {
      takeBackMove()
      return false
    }
    words(PinVisitor(collector: collector))
    collector.pin()
    moveAll(roots)
    return true
  }

  private func moveAll(_ roots: (borrowing RootVisitor) -> Void) {
    let collector = self.collector
    let limit = state.pointee.limitBytes
    let alarm = self.alarm
    // What is live fits below the limit, but both copies exist for a moment.
    state.pointee.limitBytes = Int.max / 2
    self.alarm = nil
    roots(RootVisitor(collector: collector))
    for set in rootSets { set.takeUnretainedValue().visit(RootVisitor(collector: collector)) }
    collector.finish()
    state.pointee.limitBytes = limit
    self.alarm = alarm
    for follower in followers { follower(Collector.newPlace) }
    endMove(collector.takeStayed())
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
  /// Buffers of which parts have moved.
  private var parted: [PartialBuffer] = []
  /// Objects still to be scanned: they have moved, or stay.
  private let pending = AddressStack()
  /// Objects of shared chunks that stay where they are.
  private var stayed: [Address] = []
  /// The chunks that are moved out of, by address, and words that point into them.
  private var places: [Chunk] = []
  private var candidates: [Address] = []
  /// So many words are looked up at once: few beside the heap, but enough for reading its chunks again.
  private var mostCandidates = 0
  private var lowest: UInt64 = 0
  private var highest: UInt64 = 0

  init(_ heap: Heap) {
    self.heap = heap
    state = heap.state
    pending.whenRefused = { [unowned heap] in heap.giveBackReserve() }
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
      // Where it grows at its start, the last word says from where on it is used.
      used = header.bits & Header.flagB == 0 ? Int(source[1]) + 2 : count
      // Room for growth is kept only where much of the room was used.
      if used * 2 < count { count = used }
    }
    if count > Heap.largestMoved { return kept(source) }
    guard let target = take(count) else { return pinned(source) }
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
    if !Collector.isLeaf(header) { pending.push(target) }
    return Word(target)
  }

  /// Whether an object refers to no other.
  @inline(__always)
  private static func isLeaf(_ header: Header) -> Bool {
    switch header.kind {
    case ObjectKind.string.rawValue: header.bits & Header.flagB == 0
    case ObjectKind.bytes.rawValue, ObjectKind.words.rawValue: true
    default: false
    }
  }

  /// A large object stays. While the collection lasts it counts as permanent, so that nobody looks at it twice.
  private func kept(_ object: Address) -> Word {
    object[0] |= Header.permanent
    if !Collector.isLeaf(Header(bits: object[0])) { pending.push(object) }
    return Word(object)
  }

  /// The same for an object of any size.
  private func pinned(_ object: Address) -> Word {
    stayed.append(object)
    return kept(object)
  }

  /// New memory; from the chunk at hand without the heap itself, which would be counted as used meanwhile. Nil where the
  /// system has none: then what is there stays where it is.
  @inline(__always)
  private func take(_ words: Int) -> Address? {
    let top = state.pointee.top
    if words > state.pointee.end - top { return takeFromNewChunk(words) }
    state.pointee.top = top + words
    return top
  }

  @inline(never)
  private func takeFromNewChunk(_ words: Int) -> Address? { try? heap.allocate(words) }

  func finish() {
    while true {
      while let next = pending.pop() {
        if Word(next) & 1 == 0 { scanObject(next) } else { scanRest(next) }
      }
      if waiting.isEmpty { break }
      movePartialBuffers()
    }
    parted.removeAll(keepingCapacity: true)
  }

  /// Of an object from before a collection that is about to end: where it stands now; nil where it is gone.
  static func newPlace(_ word: Word) -> Word? {
    let header = word.address[0]
    return header & 3 == 0 ? header : header & Header.permanent != 0 ? word : nil
  }

  /// The objects of shared chunks that have stayed, by address.
  func takeStayed() -> [Address] {
    var all: [Address] = []
    swap(&all, &stayed)
    all.sort()
    return all
  }

  // MARK: What must stay

  func beginPins(_ chunks: [Chunk]) {
    places = chunks.sorted { $0.start < $1.start }
    lowest = places.first.map { Word($0.start) } ?? 0
    highest = places.last.map { Word($0.start + $0.words) } ?? 0
    mostCandidates = max(1 << 16, chunks.reduce(0) { $0 + $1.words } / 16)
  }

  @inline(__always)
  func mayPin(_ word: Word) {
    if word >= lowest, word < highest { addCandidate(word.address) }
  }

  private func addCandidate(_ address: Address) {
    if candidates.count == mostCandidates { pinCandidates() }
    candidates.append(address)
  }

  /// What the thread's stack and registers point to. False where the stack is unknown.
  @inline(never)
  func pinFromStack() -> Bool {
    let found: @convention(c) (UnsafeMutableRawPointer?, UInt) -> Void = { context, word in
      guard let context else { return }
      Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue().addCandidate(UInt64(word).address)
    }
    return cs_stack_words(UInt(lowest), UInt(highest), found, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Makes all objects stay that candidates point to, or into.
  func pin() {
    pinCandidates()
    places.removeAll(keepingCapacity: true)
  }

  /// A chunk that has candidates is read from its start, which tells where its objects begin.
  private func pinCandidates() {
    candidates.sort()
    var next = 0
    var last = -1
    while next < candidates.count {
      let place = places.partition { $0.start > candidates[next] } - 1
      // Between two chunks, or a second time in one.
      guard place > last, candidates[next] < places[place].start + places[place].words else {
        next += 1
        continue
      }
      last = place
      pin(in: places[place], &next)
    }
    candidates.removeAll(keepingCapacity: true)
  }

  private func pin(in chunk: Chunk, _ next: inout Int) {
    let end = chunk.start + chunk.words
    if chunk.words != Heap.chunkWords {
      // It holds one object.
      let header = Header(bits: chunk.start[0])
      if !header.isKept { _ = kept(chunk.start) }
    } else {
      var object = chunk.start
      while object < end, next < candidates.count, candidates[next] < end {
        let header = Header(bits: object[0])
        let after = object + (header.payloadCount + 1)
        assert(!header.isForwarded && after <= end, "a chunk that cannot be read")
        if candidates[next] < after {
          if header.kind != ObjectKind.bytes.rawValue, !header.isKept { _ = pinned(object) }
          while next < candidates.count, candidates[next] < after { next += 1 }
        }
        object = after
      }
    }
    while next < candidates.count, candidates[next] < end { next += 1 }
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
    case ObjectKind.references.rawValue: scanReferences(object, from: 0)
    case ObjectKind.mapNode.rawValue:
      if header.bits & Header.flagA != 0 { visit(object + 1) }
      if header.bits & Header.flagB != 0 { visit(object + 2) }
      visit(object + 3)
      visit(object + 4)
    case ObjectKind.list.rawValue: scanView(object)
    // Of a string that is a view.
    case ObjectKind.string.rawValue: visit(object + 3)
    default: break
    }
  }

  /// Of a long list a part at once: what is pending is as much as data is deep, not as it is long. The place where it goes
  /// on waits below the odd address of the object.
  private func scanReferences(_ object: Address, from start: Int) {
    let count = Int(object[1])
    let end = min(count, start + Collector.part)
    if end < count {
      pending.push(UInt64(end << 1).address)
      pending.push((Word(object) | 1).address)
    }
    for index in start..<end { visit(object + 2 + index) }
  }

  private func scanRest(_ object: Address) {
    guard let place = pending.pop() else { return }
    scanReferences((Word(object) & ~1).address, from: Int(Word(place) >> 1))
  }

  private static let part = 1 << 10

  private func scanView(_ view: Address) {
    let buffer = view[1].address
    let bits = buffer[0]
    let offset = Int(view[2])
    let end = offset + Int(view[3])
    switch bits & 3 {
    case 0:
      // Moved: all of it (first index 0), or a part that may or may not cover this view.
      if let target = Address(bitPattern: UInt(bits)) { attach(view, old: buffer, target: target) }
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
        partial.append(PartialBuffer(address: buffer, header: bits, used: buffer[1], low: offset, high: end))
        buffer[0] = UInt64(partial.count - 1) << 2 | 2
        waiting.append(view)
      }
    }
  }

  /// Points a view at its buffer's new place; copies the view's elements if only another part has moved.
  private func attach(_ view: Address, old: Address, target: Address) {
    let number = Int(old[1])
    let low = number == 0 ? 0 : parted[number - 1].low
    let (offset, count) = (Int(view[2]), Int(view[3]))
    if offset >= low, offset - low + count <= Int(target[1]) {
      view[1] = Word(target)
      view[2] = UInt64(offset - low)
    } else if let own = takePart(parted[number - 1], from: offset, count: count) {
      view[1] = Word(own)
      view[2] = 0
    } else {
      // All of its elements are still there.
      stay(parted[number - 1])
    }
  }

  /// A new buffer with a part of an old one, whose elements are still in place, though its first two words may not be. It grows
  /// where the old one did if it reaches there.
  private func takePart(_ old: PartialBuffer, from low: Int, count: Int) -> Address? {
    let header = Header(bits: old.header)
    let growsAtStart = header.bits & Header.flagB != 0 && old.address[header.payloadCount] == UInt64(low)
    let growsAtEnd = header.bits & (Header.flagA | Header.flagB) == 0 && UInt64(low + count) == old.used
    let payload = count + (growsAtStart ? 2 : 1)
    guard let target = take(payload + 1) else { return nil }
    let flags = growsAtStart ? Header.flagB : growsAtEnd ? 0 : Header.flagA
    target[0] = header.bits & 0x1F | flags | UInt64(payload) << 8
    target[1] = UInt64(count)
    (target + 2).update(from: old.address + 2 + low, count: count)
    if growsAtStart { target[payload] = 0 }
    if !Collector.isLeaf(header) { pending.push(target) }
    return target
  }

  private func stay(_ buffer: PartialBuffer) {
    buffer.address[0] = buffer.header
    buffer.address[1] = buffer.used
    _ = pinned(buffer.address)
  }

  private func movePartialBuffers() {
    swap(&partial, &taken.partial)
    swap(&waiting, &taken.waiting)
    for buffer in taken.partial {
      guard let target = takePart(buffer, from: buffer.low, count: buffer.high - buffer.low) else {
        stay(buffer)
        continue
      }
      parted.append(buffer)
      buffer.address[0] = Word(target)
      buffer.address[1] = UInt64(parted.count)
    }
    for view in taken.waiting {
      let old = view[1].address
      if Header(bits: old[0]).isForwarded, let target = Address(bitPattern: UInt(old[0])) {
        attach(view, old: old, target: target)
      }
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
  /// Makes the system have some memory again.
  var whenRefused: () -> Void = {}

  init() {
    let start = UnsafeMutablePointer<Address>.allocate(capacity: 256)
    state.initialize(to: State(start: start, top: start, end: start + 256))
  }

  deinit {
    free(state.pointee.start)
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

  /// Half as much more: what is large is moved by the system and not copied, so this takes no more than it says.
  @inline(never)
  private func grow() {
    let count = state.pointee.end - state.pointee.start
    let wider = resized(to: count + count / 2)
    state.pointee = State(start: wider, top: wider + count, end: wider + (count + count / 2))
  }

  private func resized(to count: Int) -> UnsafeMutablePointer<Address> {
    let bytes = count * MemoryLayout<Address>.stride
    var memory = cs_reallocate(state.pointee.start, bytes)
    if memory == nil {
      whenRefused()
      memory = cs_reallocate(state.pointee.start, bytes)
    }
    if let memory { return memory.bindMemory(to: Address.self, capacity: count) }
    // This cannot be refused: it ends the process.
    let last = UnsafeMutablePointer<Address>.allocate(capacity: count)
    last.update(from: state.pointee.start, count: state.pointee.end - state.pointee.start)
    free(state.pointee.start)
    return last
  }
}
