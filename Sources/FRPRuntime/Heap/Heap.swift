// The heap: bump allocation in chunks. Objects are never freed one by one; `collect` (Collector.swift) moves what is live
// into new chunks, between instants and, at calls and turns of loops, within one.
//
// Every chunk can be read from its start object by object, up to its end: what is left over at the end of a chunk, and
// between objects that a collection could not move, is covered by objects without references.
//
// Allocation counts bytes against `limit` and throws a memory fault; it never lets malloc fail. One thread.

import CStack
import FRPBase
import FRPCore
import FRPLibc

/// One run of memory.
struct Chunk {
  var start: Address
  var words: Int
}

/// What allocation needs, behind one pointer so that no access is checked for exclusivity.
struct HeapState {
  var top: Address
  var end: Address
  /// Bytes of all chunks that are held for values.
  var heldBytes: Int
  /// Bytes that were in use in chunks before the current one.
  var filledBytes: Int
  /// Bytes in use after the last collection.
  var liveBytes: Int
  var limitBytes: Int
  /// The start of the current chunk.
  var start: Address
  var emptyString: Word
  var emptyList: Word
  var threshold = 1 << 20
  /// Parts that comparisons and hashes may look at before they ask `meter`; see Structure.swift.
  var partsLeft = Int.max
  /// Whether one of them was given up since the limits were granted: what it said means nothing.
  var hasGivenUp = false
  var collectAlways = false
  var collectInside = false
}

public final class Heap {
  let state: UnsafeMutablePointer<HeapState>
  var chunks: [Chunk] = []
  /// Chunks kept for reuse, all of `Heap.chunkWords` words.
  var spare: [Chunk] = []
  var permanentChunks: [Chunk] = []
  /// Room between objects of chunks that a collection could not empty: filled before other chunks are.
  private var gaps: [Chunk] = []
  /// While a collection runs: the chunks that are moved out of, and those of them that nothing is left in. Kept between
  /// collections for their memory only.
  private(set) var leaving: [Chunk] = []
  private var empty: [Chunk] = []
  private var filledBefore = 0
  private var usedBefore = 0
  /// Bytes that collections have given back.
  private(set) var reclaimedBytes = 0
  /// The most bytes that chunks of values have taken at once.
  public private(set) var mostHeldBytes = 0
  private var isMoving = false
  /// Whether the collection that runs has been refused a chunk, and asks for no more.
  private var isShort = false
  /// Of the bytes held, those of large objects, which never move.
  private var largeBytes = 0
  private var reserve: UnsafeMutableRawPointer?
  private var reserved = 0
  private(set) lazy var collector = Collector(self)
  private var permanentTop: Address
  private var permanentEnd: Address
  /// The program's types, flattened for structural operations.
  public let shapes: TypeShapes
  /// Pending work of structural operations and of the collector.
  let work: WorkStack
  /// Those who keep values of this heap outside of it; none of them is retained.
  var rootSets: [Unmanaged<RootSet>] = []
  /// Told at the end of a collection, with what gives the new place of an object, or nil where it is gone: for those who know
  /// something of values that they do not keep.
  var followers: [((Word) -> Word?) -> Void] = []
  /// Collect at every chance and overwrite what was left (a debug switch). In a debug build the variable FRP_COLLECT in
  /// the environment sets it for all heaps, so that any suite can run in this mode.
  public var collectAlways: Bool {
    get { state.pointee.collectAlways }
    set { state.pointee.collectAlways = newValue }
  }
  /// Collect at every call and every turn of a loop, too (a debug switch): FRP_COLLECT=2 in a debug build.
  public var collectInside: Bool {
    get { state.pointee.collectInside }
    set { state.pointee.collectInside = newValue }
  }
  /// Called where a chunk has been begun or a large object made, and so much was allocated that a collection pays.
  var alarm: (() -> Void)?
  /// Takes the steps of so many parts that were looked at; false where a limit is met.
  var meter: ((Int) -> Bool)?
  /// For tests: whether the system has no memory any more.
  var isRefused = false
  public private(set) var collections = 0
  public let hashSeed: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The permanent empty string.
  @inline(__always) public var emptyString: Word { state.pointee.emptyString }
  /// The permanent empty list.
  @inline(__always) public var emptyList: Word { state.pointee.emptyList }

  /// Words of a chunk: 256 KiB, so that a program which allocates little stays small, and in the cache.
  static let chunkWords = 1 << 15
  /// Objects of more words get a chunk of their own, unless there is room for them in the current one.
  static let largestShared = chunkWords / 4
  /// Objects of more words, which never fit into a shared chunk, stay where they are when the heap is collected.
  static let largestMoved = chunkWords
  /// Gaps between objects that could not be moved are filled if they have so many words.
  private static let leastGap = 1024
  /// A heap of fewer bytes has no reserve.
  private static let leastReserving = 8 << 20
  /// Bytes allocated between collections at least. A collection visits all roots, so whoever has many sets this higher.
  public var threshold: Int {
    get { state.pointee.threshold }
    set { state.pointee.threshold = newValue }
  }

  public init(types: TypeTable, limitBytes: Int = 4 << 30) {
    let none = Address(bitPattern: 8).unsafelyUnwrapped
    state = UnsafeMutablePointer<HeapState>.allocate(capacity: 1)
    state.initialize(
      to: HeapState(
        top: none, end: none, heldBytes: 0, filledBytes: 0, liveBytes: 0, limitBytes: limitBytes,
        start: none, emptyString: 0, emptyList: 0, threshold: min(1 << 20, limitBytes / 4)))
    #if DEBUG
      state.pointee.collectAlways = Heap.collectsAlways
      state.pointee.collectInside = Heap.collectsInside
    #endif
    permanentTop = none
    permanentEnd = none
    shapes = TypeShapes(types)
    work = WorkStack()
    state.pointee.emptyString = permanentString([])
    let buffer = permanent(2)
    buffer[0] = Header.other(.words, payload: 1, flags: Header.permanent).bits
    buffer[1] = 0
    let list = permanent(4)
    list[0] = Header.other(.list, payload: 3, flags: Header.permanent).bits
    list[1] = Word(buffer)
    list[2] = 0
    list[3] = 0
    state.pointee.emptyList = Word(list)
  }

  #if DEBUG
    private static let collectsAlways = getenv("FRP_COLLECT") != nil
    private static let collectsInside = getenv("FRP_COLLECT").map { String(cString: $0) } == "2"
  #endif

  deinit {
    giveBackReserve()
    for chunk in chunks + spare + permanentChunks { free(chunk.start) }
    state.deallocate()
  }

  /// The most bytes values may take; over it, allocation throws.
  public var limitBytes: Int {
    get { state.pointee.limitBytes }
    set { state.pointee.limitBytes = newValue }
  }

  /// Bytes taken by values, garbage included.
  public var usedBytes: Int {
    state.pointee.filledBytes + (state.pointee.top - state.pointee.start) * 8
  }

  public var bytesSinceCollection: Int { usedBytes - state.pointee.liveBytes }
  /// Bytes in use after the last collection.
  public var liveBytes: Int { state.pointee.liveBytes }

  /// Whether it is time for `collect`: with this rule collection costs amortised O(1) a byte allocated.
  @inline(__always)
  public var wantsCollection: Bool {
    bytesSinceCollection > max(state.pointee.threshold, state.pointee.liveBytes) || state.pointee.collectAlways
  }

  /// The same within an instant. Where little is left below the limit it is time earlier, so that what counts is what is
  /// alive; never for less than a 64th of the limit.
  var wantsCollectionInside: Bool {
    if state.pointee.collectInside { return true }
    let live = state.pointee.liveBytes
    let limit = state.pointee.limitBytes
    return bytesSinceCollection > max(min(max(state.pointee.threshold, live), (limit - live) / 2), limit / 64)
  }

  // MARK: Allocation

  /// `words` words, header included, not initialised: the header must be written before anything is called that may run
  /// code of the program. Cost: O(1).
  @inline(__always)
  public func allocate(_ words: Int) throws(Fault) -> Address {
    let top = state.pointee.top
    if words <= state.pointee.end - top {
      state.pointee.top = top + words
      return top
    }
    return try allocateInNewChunk(words)
  }

  @inline(never)
  private func allocateInNewChunk(_ words: Int) throws(Fault) -> Address {
    guard words >= 0, words < state.pointee.limitBytes / 8, usedBytes + words * 8 <= state.pointee.limitBytes
    else { throw Fault.memory }
    let result: Address
    if words > Heap.largestShared {
      result = try allocateAlone(words)
    } else {
      try openChunk(words)
      result = state.pointee.top
      state.pointee.top = result + words
    }
    if let alarm, wantsCollectionInside { alarm() }
    return result
  }

  /// A large object in a chunk of its own; the current chunk stays open.
  private func allocateAlone(_ words: Int) throws(Fault) -> Address {
    // Its size tells such a chunk from the shared ones.
    let chunk = try obtain(words == Heap.chunkWords ? words + 1 : words)
    chunks.append(chunk)
    state.pointee.filledBytes += chunk.words * 8
    return chunk.start
  }

  /// Closes the current chunk, or gap, and opens another with room for so many words.
  private func openChunk(_ words: Int) throws(Fault) {
    while let gap = gaps.popLast() { if gap.words >= words { return open(gap) } }
    let chunk: Chunk
    if let kept = spare.popLast() { chunk = kept } else { chunk = try obtain(Heap.chunkWords) }
    chunks.append(chunk)
    open(chunk)
  }

  private func open(_ room: Chunk) {
    close()
    state.pointee.start = room.start
    state.pointee.top = room.start
    state.pointee.end = room.start + room.words
  }

  private func close() {
    let none = Address(bitPattern: 8).unsafelyUnwrapped
    Heap.cover(state.pointee.top, state.pointee.end - state.pointee.top)
    state.pointee.filledBytes += (state.pointee.top - state.pointee.start) * 8
    state.pointee.start = none
    state.pointee.top = none
    state.pointee.end = none
  }

  /// Makes words that nobody uses readable as an object.
  private static func cover(_ start: Address, _ words: Int) {
    if words > 0 { start[0] = Header.other(.bytes, payload: words - 1).bits }
  }

  private func obtain(_ words: Int) throws(Fault) -> Chunk {
    let large = words == Heap.chunkWords ? 0 : words * 8
    guard !isRefused, !isShort, let memory = cs_reallocate(nil, words * 8) else {
      giveBackReserve()
      throw Fault.memory
    }
    largeBytes += large
    guard hasReserve(beside: state.pointee.heldBytes + words * 8) else {
      largeBytes -= large
      free(memory)
      throw Fault.memory
    }
    state.pointee.heldBytes += words * 8
    mostHeldBytes = max(mostHeldBytes, state.pointee.heldBytes)
    return Chunk(start: memory.bindMemory(to: Word.self, capacity: words), words: words)
  }

  /// Whether the system has room for a collection: for a copy of all that moves, as far as it does not fit into chunks
  /// that are kept, and for those who cannot be refused memory, such as arrays. That room is kept in reserve; pages that
  /// nobody touches take no memory.
  private func hasReserve(beside held: Int) -> Bool {
    let kept = spare.count * Heap.chunkWords * 8
    let wanted = max(0, held - largeBytes - 2 * kept) + Heap.roomForArrays(held - kept)
    if isMoving { return true }
    if !SystemMemory.hasRoom { return false }
    if held < Heap.leastReserving || wanted <= reserved { return true }
    giveBackReserve()
    // A quarter more, so that a heap that grows asks seldom.
    for bytes in [wanted + wanted / 4, wanted] {
      let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let memory, memory != MAP_FAILED else { continue }
      reserve = memory
      reserved = bytes
      return true
    }
    return false
  }

  /// What a collection of so many bytes may need besides copies: above all, eight bytes for each object that waits.
  private static func roomForArrays(_ bytes: Int) -> Int { bytes / 3 }

  /// Gives back all that is in reserve. A collection that runs asks for no more chunks then.
  func giveBackReserve() {
    isShort = isMoving
    keepInReserve(0)
  }

  private func keepInReserve(_ bytes: Int) {
    guard let reserve, bytes < reserved else { return }
    let page = 1 << 16
    let kept = (bytes + page - 1) / page * page
    if kept < reserved { munmap(reserve + kept, reserved - kept) }
    reserved = min(kept, reserved)
    if reserved == 0 { self.reserve = nil }
  }

  /// Starts filling new chunks; the old ones wait in `leaving`. For the collector.
  func beginMove() {
    isShort = !hasReserve(beside: state.pointee.heldBytes)
    keepInReserve(Heap.roomForArrays(state.pointee.heldBytes))
    isMoving = true
    usedBefore = usedBytes
    close()
    gaps.removeAll(keepingCapacity: true)
    swap(&chunks, &leaving)
    filledBefore = state.pointee.filledBytes
    state.pointee.filledBytes = 0
  }

  /// Goes on filling chunks as if nothing had begun. The current one is closed.
  func takeBackMove() {
    isMoving = false
    isShort = false
    swap(&chunks, &leaving)
    state.pointee.filledBytes = filledBefore
  }

  /// Gives the old chunks back, or keeps them: those of objects that have stayed where they are, marked as permanent for
  /// the duration of the collection, and those that will be filled until the next collection. `stayed` are the objects of
  /// shared chunks among them, by address.
  func endMove(_ stayed: [Address]) {
    for chunk in leaving {
      if chunk.words == Heap.chunkWords {
        if stayed.isEmpty || !keep(chunk, stayed) { empty.append(chunk) }
      } else if Header(bits: chunk.start[0]).isKept {
        chunk.start[0] &= ~Header.permanent
        chunks.append(chunk)
        state.pointee.filledBytes += chunk.words * 8
      } else {
        empty.append(chunk)
      }
    }
    leaving.removeAll(keepingCapacity: true)
    isMoving = false
    isShort = false
    state.pointee.liveBytes = usedBytes
    reclaimedBytes += max(0, usedBefore - usedBytes)
    keepSpare(empty)
    empty.removeAll(keepingCapacity: true)
    collections += 1
  }

  /// Keeps a shared chunk if objects have stayed in it; large gaps between them will be filled.
  private func keep(_ chunk: Chunk, _ stayed: [Address]) -> Bool {
    let end = chunk.start + chunk.words
    var place = stayed.partition { $0 >= chunk.start }
    if place == stayed.count || stayed[place] >= end { return false }
    chunks.append(chunk)
    var at = chunk.start
    while at < end {
      let next = place < stayed.count && stayed[place] < end ? stayed[place] : end
      let gap = Chunk(start: at, words: next - at)
      if overwrites { overwrite(gap) }
      Heap.cover(gap.start, gap.words)
      if gap.words >= Heap.leastGap { gaps.append(gap) } else { state.pointee.filledBytes += gap.words * 8 }
      if next == end { break }
      next[0] &= ~Header.permanent
      let words = Header(bits: next[0]).payloadCount + 1
      state.pointee.filledBytes += words * 8
      at = next + words
      place += 1
    }
    return true
  }

  /// Whoever kept an old address shall see nonsense at once.
  private var overwrites: Bool { state.pointee.collectAlways || state.pointee.collectInside }

  private func overwrite(_ chunk: Chunk) { chunk.start.update(repeating: ~0 / 3, count: chunk.words) }

  private func keepSpare(_ old: [Chunk]) {
    if overwrites { for chunk in old { overwrite(chunk) } }
    let wanted = max(threshold, 2 * state.pointee.liveBytes) / (Heap.chunkWords * 8) + 1
    for chunk in old.reversed() {
      if chunk.words == Heap.chunkWords, spare.count < wanted { spare.append(chunk) } else { giveBack(chunk) }
    }
    while spare.count > wanted, let chunk = spare.popLast() { giveBack(chunk) }
  }

  private func giveBack(_ chunk: Chunk) {
    state.pointee.heldBytes -= chunk.words * 8
    if chunk.words != Heap.chunkWords { largeBytes -= chunk.words * 8 }
    free(chunk.start)
  }

  // MARK: Permanent objects

  /// Memory for an object that lives as long as the heap: constants. They may refer to permanent objects only.
  func permanent(_ words: Int) -> Address {
    if words > permanentEnd - permanentTop {
      let size = max(words, 512)
      let start = Address.allocateWords(size)
      permanentChunks.append(Chunk(start: start, words: size))
      permanentTop = start
      permanentEnd = start + size
    }
    let result = permanentTop
    permanentTop += words
    return result
  }

  /// A permanent object with one field, which is no reference to the moving heap.
  func permanentObject(_ header: UInt64, _ field: Word) -> Word {
    let address = permanent(2)
    address[0] = header | Header.permanent
    address[1] = field
    return Word(address)
  }

  // MARK: Objects with fields

  /// A tuple, record or constructor with up to 32 fields. `mask` bit i says that field i is a reference.
  @inline(__always)
  public func object(_ header: Header) throws(Fault) -> Address {
    let address = try allocate(header.payloadCount + 1)
    address[0] = header.bits
    return address
  }

  /// A record, tuple or constructor of `type`, from its fields in order of memory.
  public func construct(_ type: TypeID, tag: Int = 0, _ fields: UnsafePointer<Word>, _ count: Int) throws(Fault)
    -> Word
  {
    if count == 0 { return Word(tag: tag) }
    let shape = shapes.constructor(type, tag)
    let address = try object(Header(bits: shape.header))
    (address + 1).update(from: fields, count: count)
    if count > Header.widestMask { shapes.writeWideMask(shape, at: address + 1 + count) }
    return Word(address)
  }

  /// A constructor or record with one field.
  @inline(__always)
  public func construct(_ type: TypeID, tag: Int = 0, field: Word) throws(Fault) -> Word {
    let address = try allocate(2)
    address[0] = shapes.constructor(type, tag).header
    address[1] = field
    return Word(address)
  }

  /// A pair.
  @inline(__always)
  public func construct(_ type: TypeID, tag: Int = 0, _ first: Word, _ second: Word) throws(Fault) -> Word {
    let address = try allocate(3)
    address[0] = shapes.constructor(type, tag).header
    address[1] = first
    address[2] = second
    return Word(address)
  }

  /// `Some(value)` of the Option type given.
  @inline(__always)
  public func some(_ value: Word, _ option: TypeID) throws(Fault) -> Word {
    try construct(option, tag: 1, field: value)
  }

  /// A copy of an object with fields, to be changed before anybody sees it.
  @inline(__always)
  public func copy(_ word: Word) throws(Fault) -> Address {
    let source = word.address
    let count = Header(bits: source[0]).payloadCount
    let address = try allocate(count + 1)
    address.update(from: source, count: count + 1)
    address[0] &= ~Header.permanent
    return address
  }
}

extension UnsafeMutablePointer where Pointee == Word {
  static func allocateWords(_ count: Int) -> Address {
    let memory = malloc(max(count, 1) * 8)
    precondition(memory != nil, "out of memory for a program's constants")
    return memory.unsafelyUnwrapped.bindMemory(to: Word.self, capacity: count)
  }

  func release() { free(self) }
}

extension Array {
  /// The first place from which on `fits` holds: before it, it must not. Cost: O(log n).
  func partition(_ fits: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if fits(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
