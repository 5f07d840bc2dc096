// What changes while a reactor runs, behind one pointer: fields of a class are checked for exclusive access at every
// use, which costs more than most of what an instant does.

import FRPCore
import FRPGraph

/// A growing list of trivial values that keeps its memory.
struct Rows<Element> {
  private(set) var start: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private var capacity = 16

  init() { start = .allocate(capacity: 16) }

  func deallocate() { start.deallocate() }

  @inline(__always) var isEmpty: Bool { count == 0 }
  @inline(__always) var indices: Range<Int> { 0..<count }
  @inline(__always) var buffer: UnsafeMutableBufferPointer<Element> {
    UnsafeMutableBufferPointer(start: start, count: count)
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get { start[index] }
    nonmutating set { start[index] = newValue }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow() }
    (start + count).initialize(to: element)
    count &+= 1
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: start, count: count)
    start.deallocate()
    start = larger
    capacity *= 2
  }

  /// Replaces all by what `fill` writes, at most `most`; it gives how many these are.
  @inline(__always)
  mutating func replaceAll(most: Int, _ fill: (UnsafeMutablePointer<Element>) -> Int) {
    while capacity < most { grow() }
    count = fill(start)
  }

  /// Elements have been written from `start` on, to the place before `end`.
  @inline(__always)
  mutating func setEnd(_ end: UnsafeMutableRawPointer) {
    count = Int((UInt(bitPattern: end) &- UInt(bitPattern: start)) / UInt(MemoryLayout<Element>.stride))
  }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func replaceAll(with element: Element) {
    start.initialize(to: element)
    count = 1
  }

  @inline(__always)
  mutating func removeLast(to count: Int) { self.count = count }

  @inline(__always)
  mutating func popLast() -> Element? {
    if count == 0 { return nil }
    count -= 1
    return start[count]
  }

  @inline(__always) var range: Range<Int> { 0..<count }

  mutating func append(all other: Rows<Element>) { for index in other.range { append(other[index]) } }

  /// Removes what fits; the rest stays in order.
  mutating func removeAll(where fits: (Element) -> Bool) {
    var kept = 0
    for index in 0..<count where !fits(start[index]) {
      start[kept] = start[index]
      kept += 1
    }
    count = kept
  }
}

/// Who is told what an instant shows. An object, so that calling it counts no references.
public final class Observer {
  let call: (Moment, UnsafeBufferPointer<OutputChange>) -> Void
  /// Where it says whether it wants to be told at present.
  let isNeeded: UnsafePointer<Bool>

  nonisolated(unsafe) private static let always = UnsafePointer(UnsafeMutablePointer<Bool>.copy([true]))

  /// `body` gets the moment and the changes; it is called only while what `isNeeded` points to is true, which must stay there for as
  /// long as the observer is used. Without it, it is always called.
  public init(
    while isNeeded: UnsafePointer<Bool>? = nil, _ body: @escaping (Moment, UnsafeBufferPointer<OutputChange>) -> Void
  ) {
    call = body
    self.isNeeded = isNeeded ?? Observer.always
  }
}

/// What changes while a reactor runs; `Reactor.live`.
struct LiveState {
  var now: Moment = Moment.start
  /// Numbers instants; entries' infos are compared with it.
  var instant: UInt64 = 0
  var isRunning: Bool = false
  /// Whether what entries take is counted: `profile` is there.
  var isProfiled = false
  /// Whether the entries of an instant are run, so that a collection knows all there is.
  var isComputing: Bool = false
  var hasStarted: Bool = false
  /// Whether behaviors have values: not before the start, and not if that failed.
  var hasValues: Bool = false
  /// Whether the run is over: it was finished, or a fault at its start ended it.
  var isOver: Bool = false
  var instantCount: Int = 0
  var faultCount: Int = 0
  /// Micro-steps and crossings since the clock moved or something came from outside.
  var causedSteps: Int = 0
  /// When an input will be sent, if a host has said so: what is located within 0.5 ns of it is at that time.
  var inputDue = Clock.never
  /// Whether an instant has happened at this clock time.
  var hasStepped: Bool = false
  var frames: FrameTable = FrameTable()
  var root: FrameRef
  var nextAge: UInt64 = 0
  /// Where the heap stood when a collection was last considered.
  var lastHeapTop: Address?
  /// How often the list of an `each` has been looked at.
  var eachRuns: UInt64 = 0
  var liveNodes: Int = 0
  var liveScopes: Int = 0
  /// Bytes of frames and of what they keep outside the heap.
  var frameBytes: Int = 0
  /// Whether the running instant has outgrown the limit of memory.
  var isOverMemory: Bool = false
  /// What is over the limit is a queue.
  var isOverQueue: Bool = false
  var occurrences: Address
  var occurrenceCapacity: Int = 1024
  var occurrenceCount: Int = 0
  var undo: UndoLog = UndoLog()
  /// Slots of behaviors that have changed: pairs of (old, new).
  var changed: UnsafeMutablePointer<ChangedSlot>
  var changedCapacity: Int = 256
  var changedCount: Int = 0
  var bornFrames: Rows<FrameRef> = Rows()
  var leavingFrames: Rows<FrameRef> = Rows()
  var touchedFrames: Rows<FrameRef> = Rows()
  var timerChanges: Rows<TimerChange> = Rows()
  var buffersToFreeOnCommit: Rows<Word> = Rows()
  var buffersToFreeOnUndo: Rows<Word> = Rows()
  var poisonChanges: [PoisonChange] = []
  /// The node whose code runs, for faults.
  var runningNode: NodeID = NodeID(0)
  var touchedOutputs: Rows<Int32> = Rows()
  var isStarting: Bool = false
  /// Entries of `start` in the scopes that begin with the program.
  var startEntries: [EntrySite] = []
  var timers: TimerTable = TimerTable()
  var caused: Rows<CausedStep> = Rows()
  /// Those of the instant that runs.
  var firing: Rows<CausedStep> = Rows()
  var causedNext: Rows<CausedStep> = Rows()
  var causedForGood: Rows<CausedStep> = Rows()
  var sentNext: Rows<Sent> = Rows()
  /// What a host has sent while other things must happen first.
  var waiting: Rows<Sent> = Rows()
  var outputChanges: Rows<OutputChange> = Rows()
  /// Instants of interpreted regions until those that have run often become machine code, and from then until the next time.
  var turnsUntilSweep = 1_024
  var sweepTurns = 1_024
  var observer: Unmanaged<Observer>?
  /// Lists of frames that owners are at work on; those of nested owners lie above.
  var frameStack: Rows<FrameRef> = Rows()
  /// Of groups that are being dealt occurrences: how many each has, then where they go.
  var dealt: Rows<Int> = Rows()
  /// Frames' slots of `time`, which the clock sets.
  var clockSlots: Rows<ClockSlot> = Rows()
  /// Follows what is continuous; nil in a program without.
  var solver: ContinuousSolver?
  var hasSolver = false
  /// Whether what is continuous is so by `time` alone: then the solver has nothing to do between instants.
  var isClockOnly = false
  var tasks: TaskTable = TaskTable()
  /// Whether one of the lists of tasks below may have changed in the running instant.
  var hasTaskWork = false
  /// Performs whose tasks have ended in the instant that is being seeded.
  var performsToShow: [PerformRef] = []
  var timeoutsDue: [(step: Int32, serial: UInt64)] = []
  /// After the last instant: for how many nanoseconds sinks have gone on.
  var sinceEnd: Int64 = 0
  /// Steps of tasks whose timers have come in the running instant.
  var tasksDue: [(step: Int32, serial: UInt64)] = []
  /// Performs whose queue goes on in this instant without an occurrence, and those whose next task faulted at once.
  var queuesToGoOn: [PerformRef] = []
  var queuesThatFaulted: [PerformRef] = []
  var cancelledRuns: [Int32] = []
  var startedRuns: [Int32] = []
  var hostStarts: [TaskToken] = []
  /// Ends that hosts have announced from inside a callback.
  var hostEnds: [HostEnd] = []
  /// What sources bring in the instant under way, and what of it is for inputs.
  var arrivals: [Arrival] = []
  var arrivedInputs: Rows<Sent> = Rows()
  /// Calls of the host that began in it and are answered in its place.
  var answeredCalls: [Word] = []
  /// How sources and sinks of ports have ended in it.
  var bindingEnds: [BindingEnd] = []
  /// What waits for events.
  var awaits = Awaits()

  var profile: Profile?

  /// While a run is being taken over from an image: what guides its start.
  var adoption: Adoption?
  var isAdopting = false

  init(root: FrameRef) {
    self.root = root
    occurrences = .allocate(capacity: 1024)
    changed = .allocate(capacity: 256)
  }

  func deallocate() {
    occurrences.deallocate()
    changed.deallocate()
    undo.deallocate()
    timers.deallocate()
    tasks.deallocate()
    frames.deallocate()
    touchedFrames.deallocate()
    touchedOutputs.deallocate()
    outputChanges.deallocate()
    bornFrames.deallocate()
    leavingFrames.deallocate()
    timerChanges.deallocate()
    frameStack.deallocate()
    dealt.deallocate()
    clockSlots.deallocate()
    caused.deallocate()
    firing.deallocate()
    causedNext.deallocate()
    causedForGood.deallocate()
    buffersToFreeOnCommit.deallocate()
    buffersToFreeOnUndo.deallocate()
    sentNext.deallocate()
    arrivedInputs.deallocate()
    waiting.deallocate()
  }
}

extension Reactor {
  /// All that changes.
  var live: LiveState {
    @inline(__always) unsafeAddress { UnsafePointer(liveState) }
    @inline(__always) unsafeMutableAddress { liveState }
  }

  public var now: Moment { live.now }
  /// When the next input will be sent, in nanoseconds, where that is known before time is let pass until then: as with what is due by
  /// itself, a crossing within half a nanosecond of it is at that time. Never, once something has been sent.
  public var inputDue: Int64 {
    get { live.inputDue }
    set { live.inputDue = newValue }
  }
  public var isRunning: Bool { live.isRunning }
  public var hasStarted: Bool { live.hasStarted }
  /// Whether the run is over: it was finished, or a fault at its start ended it.
  public var isOver: Bool { live.isOver }
  public var instantCount: Int { live.instantCount }
  public var faultCount: Int { live.faultCount }
  public var liveNodes: Int { live.liveNodes }
  public var liveScopes: Int { live.liveScopes }
}
