// Instances of scopes. A frame is one block of memory: its record, the arrays `old` and `new` (see Layout), private
// state, what every entry has shown in the running instant, and the set of entries that must run.
//
// Frames of one template come from that template's free list, so a scope that comes and goes allocates nothing in the
// steady state. A frame's record never moves while it lives.

import FRPCore
import FRPGraph
import FRPLibc

typealias FrameRef = UnsafeMutablePointer<FrameRecord>

/// What an entry has shown.
struct EntryInfo {
  /// The instant in which it occurred or changed.
  var instant: UInt64
  /// Its occurrences in `Reactor.occurrences`.
  var start: Int32
  var count: Int32
}

struct FrameRecord {
  // What every instant looks at comes first: two lines of the cache.
  var old: Address
  var new: Address
  var state: Address
  var info: UnsafeMutablePointer<EntryInfo>
  /// One bit an entry, then one bit a word of those bits.
  var dirty: Address
  var summary: Address
  var template: UnsafeMutablePointer<TemplateRecord>
  var parent: FrameRef?
  var born: UInt64
  var key: Word
  /// The entry of the parent that owns this instance.
  var owner: Int32
  /// Scopes created by an occurrence see only what comes strictly after it: events of scopes less deep than this are
  /// not seen in the instant of birth. Alternatives of `choose` are born with the scope around them.
  var birthDepth: Int32
  var nextDirty: FrameRef?
  var nextLate: FrameRef?
  var isQueued: Bool
  var isQueuedLate: Bool
  var isLeaving: Bool
  var isTouched: Bool
  var isLive: Bool
  /// It has ended, and is kept for those who delay what it has shown.
  var isKept: Bool
  /// Whether it sees the instant that makes it (see `startFrame`).
  var isGroup: Bool
  /// A mark of `keyed` and `groupBy` while they sort out an instant.
  var dealt: Int32
  /// Its late entries have still to be started.
  var needsLateStart: Bool
  var number: Int32
  /// Counts the lives of this block.
  var generation: UInt32
  /// Order of age.
  var age: UInt64
  var keyHash: UInt64
  /// `each`: the run of the entry (`Present.eachRuns`) in which it was last among the members.
  var memberRun: UInt64
  var previousSibling: FrameRef?
  var nextSibling: FrameRef?
}

/// Entries of a template that depend on something outside, behind pointers.
struct CaptureRecord {
  var source: Operand
  var dependents: UnsafeMutablePointer<Int32>
  var count: Int
}

/// A template, behind pointers; made once from the plan.
struct TemplateRecord {
  var index: Int
  var parent: Int32
  var depth: Int32
  var entries: UnsafeMutablePointer<Entry>
  var count: Int
  var earlyCount: Int
  /// What a frame counts for in `Reactor.liveNodes`.
  var nodeCount: Int
  /// By entry; what they mark lies in one block.
  var rows: UnsafeMutablePointer<EntryRow>
  var marks: UnsafeMutablePointer<MarkRow>
  /// The only entry that runs when `keyed` hands a frame an occurrence; -1 if there is more to do.
  var sole: Int32
  var frameWords: Int
  var stateWords: Int
  var results: UnsafeMutablePointer<Operand>
  var resultCount: Int
  var parameterCount: Int
  var earlyCaptures: UnsafeMutablePointer<CaptureRecord>
  var earlyCaptureCount: Int
  var lateCaptures: UnsafeMutablePointer<CaptureRecord>
  var lateCaptureCount: Int
  /// The `.member` or `.group` entry, if it runs; -1 otherwise.
  var inlet: Int32
  /// Whether there are nodes that the solver follows, or results from outside that it may.
  var isContinuous: Bool
  /// The entries that have something to do when a frame starts: before others are known (constants first, which these
  /// may read), and after.
  var starters: UnsafeMutablePointer<Int32>
  var constantCount: Int
  var starterCount: Int
  var dependentStarters: UnsafeMutablePointer<Int32>
  var earlyDependentStarterCount: Int
  var dependentStarterCount: Int
  /// What is to be given back when a frame goes.
  var holdings: UnsafeMutablePointer<StateRow>
  var holdingCount: Int
  /// For the collector: slots that hold references, pulled ones that may, and private words and queues that may.
  var references: UnsafeMutablePointer<Int32>
  var referenceCount: Int
  var pulledReferences: UnsafeMutablePointer<Int32>
  var pulledReferenceCount: Int
  var keepers: UnsafeMutablePointer<StateRow>
  var keeperCount: Int
  var free: FrameRef?
  var dirtyWords: Int
  var summaryWords: Int
  /// Bytes of a frame.
  var bytes = 0
}

extension UnsafeMutablePointer {
  /// A copy of an array that lives until it is deallocated, at a multiple of `alignment` bytes.
  static func copy(
    _ array: [Pointee], alignment: Int = MemoryLayout<Pointee>.alignment
  ) -> UnsafeMutablePointer<Pointee> {
    let bytes = MemoryLayout<Pointee>.stride * Swift.max(1, array.count)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: alignment)
    let result = memory.bindMemory(to: Pointee.self, capacity: array.count)
    result.initialize(from: array, count: array.count)
    return result
  }
}

extension TemplateRecord {
  /// `quickCode` gives the quick code of an entry, if it has one.
  init(
    _ template: Template, index: Int, shapes: TypeShapes, hasDirectGroups: Bool, showsContinuous: Bool,
    quickCode: (Entry) -> UnsafePointer<Instr>?
  ) {
    self.index = index
    (rows, marks) = EntryRow.rows(template, quickCode: quickCode)
    parent = template.parent
    depth = template.depth
    entries = .copy(template.entries)
    count = template.entries.count
    earlyCount = Int(template.earlyCount)
    nodeCount = template.entries.count + Int(template.stageCount)
    frameWords = Int(template.frameWords)
    stateWords = Int(template.stateWords)
    results = .copy(template.results)
    resultCount = template.results.count
    parameterCount = template.parameters.count
    let record = { (capture: ScopeCapture) in
      CaptureRecord(source: capture.source, dependents: .copy(capture.dependents), count: capture.dependents.count)
    }
    earlyCaptures = .copy(template.earlyCaptures.map(record))
    earlyCaptureCount = template.earlyCaptures.count
    lateCaptures = .copy(template.lateCaptures.map(record))
    lateCaptureCount = template.lateCaptures.count
    let inlet = template.entries.firstIndex { $0.kind == .member || $0.kind == .group } ?? -1
    self.inlet = Int32(inlet)
    sole = hasDirectGroups ? EntryRow.sole(template, rows, inlet: inlet) : -1
    let places = { (fits: (EntryKind) -> Bool) in
      template.entries.indices.filter { fits(template.entries[$0].kind) }.map { Int32($0) }
    }
    let constants = places { $0 == .constant }
    let values = constants + places { $0.start.contains(.atOnce) }
    constantCount = constants.count
    starters = .copy(values)
    starterCount = values.count
    let later = places { $0.start.contains(.fromOthers) }
    dependentStarters = .copy(later)
    dependentStarterCount = later.count
    earlyDependentStarterCount = later.prefix { $0 < template.earlyCount }.count
    let held = template.entries.flatMap { StateRow.holdings($0) }
    holdings = .copy(held)
    holdingCount = held.count
    references = .copy(template.referenceSlots)
    referenceCount = template.referenceSlots.count
    pulledReferences = .copy(template.pulledReferenceSlots)
    pulledReferenceCount = template.pulledReferenceSlots.count
    let keeping = template.entries.flatMap { StateRow.references($0, shapes) }
    keepers = .copy(keeping)
    keeperCount = keeping.count
    dirtyWords = (template.entries.count + 63) / 64
    summaryWords = (dirtyWords + 63) / 64
    let hasContinuous = template.entries.contains {
      $0.isContinuous || $0.kind == .integral || $0.kind == .crossing || $0.kind == .time || $0.kind == .when
        || $0.kind == .rounding
    }
    isContinuous = hasContinuous || showsContinuous
    free = nil
    bytes = FrameRecord.bytes(self)
  }

  func deallocate() {
    for index in 0..<earlyCaptureCount { earlyCaptures[index].dependents.deallocate() }
    for index in 0..<lateCaptureCount { lateCaptures[index].dependents.deallocate() }
    entries.deallocate()
    rows.deallocate()
    marks.deallocate()
    starters.deallocate()
    dependentStarters.deallocate()
    holdings.deallocate()
    references.deallocate()
    pulledReferences.deallocate()
    keepers.deallocate()
    results.deallocate()
    earlyCaptures.deallocate()
    lateCaptures.deallocate()
  }
}

/// A part of a frame's private words that holds something outside of them, or refers to the heap.
struct StateRow {
  enum Content: UInt8 { case timer, queue, scopes, tasks, value }
  var content: Content
  /// Of a queue: the words of an element.
  var width: UInt8 = 1
  /// From the first of the frame's private words.
  var offset: Int32

  /// What an entry gives back when its frame goes, in this order.
  static func holdings(_ entry: Entry) -> [StateRow] {
    entry.kind.state.parts.compactMap { part in
      switch part {
      case .plain, .number, .float, .value, .remembered: nil
      case .timer: StateRow(content: .timer, offset: entry.state + Int32(TimedState.timer))
      case .queue(let offset, let width, _):
        StateRow(content: .queue, width: UInt8(width), offset: entry.state + Int32(offset))
      case .scopes: StateRow(content: .scopes, offset: entry.state)
      case .tasks: StateRow(content: .tasks, offset: entry.state)
      }
    }
  }

  /// Where among an entry's words the collector looks.
  static func references(_ entry: Entry, _ shapes: TypeShapes) -> [StateRow] {
    entry.kind.state.parts.compactMap { part in
      switch part {
      case .plain, .number, .float, .timer, .scopes, .tasks: return nil
      case .value(let offset, let content, _), .remembered(let offset, let content):
        guard shapes.isReference(entry.type(of: content, shapes)) else { return nil }
        return StateRow(content: .value, offset: entry.state + Int32(offset))
      case .queue(let offset, let width, let content):
        guard shapes.isReference(entry.type(of: content, shapes)) else { return nil }
        return StateRow(content: .queue, width: UInt8(width), offset: entry.state + Int32(offset))
      }
    }
  }
}

/// All frames, by number.
struct FrameTable {
  var frames: UnsafeMutablePointer<FrameRef?>
  var capacity = 64
  var count = 0
  private var freeNumbers: Rows<Int32> = Rows()

  init() {
    frames = .allocate(capacity: 64)
    frames.initialize(repeating: nil, count: 64)
  }

  /// Blocks are in no free list any more when this is called.
  func deallocate() {
    frames.deallocate()
    freeNumbers.deallocate()
  }

  mutating func add(_ frame: FrameRef) -> Int32 {
    if let number = freeNumbers.popLast() {
      frames[Int(number)] = frame
      return number
    }
    if count == capacity {
      let larger = UnsafeMutablePointer<FrameRef?>.allocate(capacity: capacity * 2)
      larger.initialize(repeating: nil, count: capacity * 2)
      larger.update(from: frames, count: count)
      frames.deallocate()
      frames = larger
      capacity *= 2
    }
    frames[count] = frame
    count += 1
    return Int32(count - 1)
  }

  mutating func remove(_ number: Int32) {
    frames[Int(number)] = nil
    freeNumbers.append(number)
  }
}

extension FrameRecord {
  /// A new block for a template: record, then arrays.
  static func allocate(_ template: UnsafeMutablePointer<TemplateRecord>) -> FrameRef {
    let shape = template.pointee
    let record = (MemoryLayout<FrameRecord>.stride + 7) / 8
    let infoWords = shape.count * MemoryLayout<EntryInfo>.stride / 8
    let words =
      record + 2 * shape.frameWords + shape.stateWords + infoWords + shape.dirtyWords + shape.summaryWords
    let block = Address.allocate(capacity: words)
    block.initialize(repeating: 0, count: words)
    let old = block + record
    let new = old + shape.frameWords
    let state = new + shape.frameWords
    let info = state + shape.stateWords
    let dirty = info + infoWords
    let frame = UnsafeMutableRawPointer(block).bindMemory(to: FrameRecord.self, capacity: 1)
    frame.initialize(
      to: FrameRecord(
        old: old, new: new, state: state,
        info: UnsafeMutableRawPointer(info).bindMemory(to: EntryInfo.self, capacity: shape.count), dirty: dirty,
        summary: dirty + shape.dirtyWords, template: template, parent: nil, born: 0, key: 0, owner: -1, birthDepth: 0,
        nextDirty: nil, nextLate: nil, isQueued: false, isQueuedLate: false, isLeaving: false, isTouched: false,
        isLive: false, isKept: false, isGroup: false, dealt: 0, needsLateStart: false, number: -1, generation: 0,
        age: 0,
        keyHash: 0, memberRun: 0, previousSibling: nil, nextSibling: nil))
    return frame
  }

  /// Bytes of a template's block.
  static func bytes(_ shape: TemplateRecord) -> Int {
    MemoryLayout<FrameRecord>.stride
      + 8 * (2 * shape.frameWords + shape.stateWords + 2 * shape.count + shape.dirtyWords + shape.summaryWords)
  }
}
