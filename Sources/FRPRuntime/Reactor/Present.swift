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
final class Observer {
  let call: (Moment, UnsafeBufferPointer<OutputChange>) -> Void

  init(_ call: @escaping (Moment, UnsafeBufferPointer<OutputChange>) -> Void) { self.call = call }
}

struct Present {
  var now: Moment = Moment.start
  /// Numbers instants; entries' infos are compared with it.
  var instant: UInt64 = 0
  var isRunning: Bool = false
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
  var startEntries: [(FrameRef, Int32)] = []
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
  /// Performs whose queue goes on in this instant without an occurrence, and those whose next task faulted at once.
  var queuesToGoOn: [PerformRef] = []
  var queuesThatFaulted: [PerformRef] = []
  var cancelledRuns: [Int32] = []
  var startedRuns: [Int32] = []
  var hostStarts: [TaskToken] = []
  /// Ends that hosts have announced from inside a callback.
  var hostEnds: [HostEnd] = []

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
    waiting.deallocate()
  }
}

// The same fields, as the reactor's own.
extension Reactor {
  public internal(set) var now: Moment {
    @inline(__always) get { present.pointee.now }
    @inline(__always) _modify { yield &present.pointee.now }
  }
  var instant: UInt64 {
    @inline(__always) get { present.pointee.instant }
    @inline(__always) _modify { yield &present.pointee.instant }
  }
  public internal(set) var isRunning: Bool {
    @inline(__always) get { present.pointee.isRunning }
    @inline(__always) _modify { yield &present.pointee.isRunning }
  }
  public internal(set) var hasStarted: Bool {
    @inline(__always) get { present.pointee.hasStarted }
    @inline(__always) _modify { yield &present.pointee.hasStarted }
  }
  var hasValues: Bool {
    @inline(__always) get { present.pointee.hasValues }
    @inline(__always) _modify { yield &present.pointee.hasValues }
  }
  public internal(set) var isOver: Bool {
    @inline(__always) get { present.pointee.isOver }
    @inline(__always) _modify { yield &present.pointee.isOver }
  }
  public internal(set) var instantCount: Int {
    @inline(__always) get { present.pointee.instantCount }
    @inline(__always) _modify { yield &present.pointee.instantCount }
  }
  public internal(set) var faultCount: Int {
    @inline(__always) get { present.pointee.faultCount }
    @inline(__always) _modify { yield &present.pointee.faultCount }
  }
  var causedSteps: Int {
    @inline(__always) get { present.pointee.causedSteps }
    @inline(__always) _modify { yield &present.pointee.causedSteps }
  }
  var hasStepped: Bool {
    @inline(__always) get { present.pointee.hasStepped }
    @inline(__always) _modify { yield &present.pointee.hasStepped }
  }
  var frames: FrameTable {
    @inline(__always) get { present.pointee.frames }
    @inline(__always) _modify { yield &present.pointee.frames }
  }
  var root: FrameRef {
    @inline(__always) get { present.pointee.root }
    @inline(__always) _modify { yield &present.pointee.root }
  }
  var eachRuns: UInt64 {
    @inline(__always) get { present.pointee.eachRuns }
    @inline(__always) _modify { yield &present.pointee.eachRuns }
  }
  var lastHeapTop: Address? {
    @inline(__always) get { present.pointee.lastHeapTop }
    @inline(__always) _modify { yield &present.pointee.lastHeapTop }
  }
  var nextAge: UInt64 {
    @inline(__always) get { present.pointee.nextAge }
    @inline(__always) _modify { yield &present.pointee.nextAge }
  }
  public internal(set) var liveNodes: Int {
    @inline(__always) get { present.pointee.liveNodes }
    @inline(__always) _modify { yield &present.pointee.liveNodes }
  }
  public internal(set) var liveScopes: Int {
    @inline(__always) get { present.pointee.liveScopes }
    @inline(__always) _modify { yield &present.pointee.liveScopes }
  }
  var isOverMemory: Bool {
    @inline(__always) get { present.pointee.isOverMemory }
    @inline(__always) _modify { yield &present.pointee.isOverMemory }
  }
  var isOverQueue: Bool {
    @inline(__always) get { present.pointee.isOverQueue }
    @inline(__always) _modify { yield &present.pointee.isOverQueue }
  }
  var frameBytes: Int {
    @inline(__always) get { present.pointee.frameBytes }
    @inline(__always) _modify { yield &present.pointee.frameBytes }
  }
  var occurrences: Address {
    @inline(__always) get { present.pointee.occurrences }
    @inline(__always) _modify { yield &present.pointee.occurrences }
  }
  var occurrenceCapacity: Int {
    @inline(__always) get { present.pointee.occurrenceCapacity }
    @inline(__always) _modify { yield &present.pointee.occurrenceCapacity }
  }
  var occurrenceCount: Int {
    @inline(__always) get { present.pointee.occurrenceCount }
    @inline(__always) _modify { yield &present.pointee.occurrenceCount }
  }
  var undo: UndoLog {
    @inline(__always) get { present.pointee.undo }
    @inline(__always) _modify { yield &present.pointee.undo }
  }
  var changed: UnsafeMutablePointer<ChangedSlot> {
    @inline(__always) get { present.pointee.changed }
    @inline(__always) _modify { yield &present.pointee.changed }
  }
  var changedCapacity: Int {
    @inline(__always) get { present.pointee.changedCapacity }
    @inline(__always) _modify { yield &present.pointee.changedCapacity }
  }
  var changedCount: Int {
    @inline(__always) get { present.pointee.changedCount }
    @inline(__always) _modify { yield &present.pointee.changedCount }
  }
  var bornFrames: Rows<FrameRef> {
    @inline(__always) get { present.pointee.bornFrames }
    @inline(__always) _modify { yield &present.pointee.bornFrames }
  }
  var leavingFrames: Rows<FrameRef> {
    @inline(__always) get { present.pointee.leavingFrames }
    @inline(__always) _modify { yield &present.pointee.leavingFrames }
  }
  var touchedFrames: Rows<FrameRef> {
    @inline(__always) get { present.pointee.touchedFrames }
    @inline(__always) _modify { yield &present.pointee.touchedFrames }
  }
  var timerChanges: Rows<TimerChange> {
    @inline(__always) get { present.pointee.timerChanges }
    @inline(__always) _modify { yield &present.pointee.timerChanges }
  }
  var buffersToFreeOnCommit: Rows<Word> {
    @inline(__always) get { present.pointee.buffersToFreeOnCommit }
    @inline(__always) _modify { yield &present.pointee.buffersToFreeOnCommit }
  }
  var buffersToFreeOnUndo: Rows<Word> {
    @inline(__always) get { present.pointee.buffersToFreeOnUndo }
    @inline(__always) _modify { yield &present.pointee.buffersToFreeOnUndo }
  }
  var poisonChanges: [PoisonChange] {
    @inline(__always) get { present.pointee.poisonChanges }
    @inline(__always) _modify { yield &present.pointee.poisonChanges }
  }
  var runningNode: NodeID {
    @inline(__always) get { present.pointee.runningNode }
    @inline(__always) _modify { yield &present.pointee.runningNode }
  }
  var touchedOutputs: Rows<Int32> {
    @inline(__always) get { present.pointee.touchedOutputs }
    @inline(__always) _modify { yield &present.pointee.touchedOutputs }
  }
  var isStarting: Bool {
    @inline(__always) get { present.pointee.isStarting }
    @inline(__always) _modify { yield &present.pointee.isStarting }
  }
  var startEntries: [(FrameRef, Int32)] {
    @inline(__always) get { present.pointee.startEntries }
    @inline(__always) _modify { yield &present.pointee.startEntries }
  }
  var timers: TimerTable {
    @inline(__always) get { present.pointee.timers }
    @inline(__always) _modify { yield &present.pointee.timers }
  }
  var caused: Rows<CausedStep> {
    @inline(__always) get { present.pointee.caused }
    @inline(__always) _modify { yield &present.pointee.caused }
  }
  var causedNext: Rows<CausedStep> {
    @inline(__always) get { present.pointee.causedNext }
    @inline(__always) _modify { yield &present.pointee.causedNext }
  }
  var causedForGood: Rows<CausedStep> {
    @inline(__always) get { present.pointee.causedForGood }
    @inline(__always) _modify { yield &present.pointee.causedForGood }
  }
  var waiting: Rows<Sent> {
    @inline(__always) get { present.pointee.waiting }
    @inline(__always) _modify { yield &present.pointee.waiting }
  }
  var sentNext: Rows<Sent> {
    @inline(__always) get { present.pointee.sentNext }
    @inline(__always) _modify { yield &present.pointee.sentNext }
  }
  var outputChanges: Rows<OutputChange> {
    @inline(__always) get { present.pointee.outputChanges }
    @inline(__always) _modify { yield &present.pointee.outputChanges }
  }
  var frameStack: Rows<FrameRef> {
    @inline(__always) get { present.pointee.frameStack }
    @inline(__always) _modify { yield &present.pointee.frameStack }
  }
  var clockSlots: Rows<ClockSlot> {
    @inline(__always) get { present.pointee.clockSlots }
    @inline(__always) _modify { yield &present.pointee.clockSlots }
  }
  var isClockOnly: Bool {
    @inline(__always) get { present.pointee.isClockOnly }
    @inline(__always) _modify { yield &present.pointee.isClockOnly }
  }
  var hasSolver: Bool {
    @inline(__always) get { present.pointee.hasSolver }
    @inline(__always) _modify { yield &present.pointee.hasSolver }
  }
  var solver: ContinuousSolver? {
    @inline(__always) get { present.pointee.solver }
    @inline(__always) _modify { yield &present.pointee.solver }
  }
  var tasks: TaskTable {
    @inline(__always) get { present.pointee.tasks }
    @inline(__always) _modify { yield &present.pointee.tasks }
  }
  var performsToShow: [PerformRef] {
    @inline(__always) get { present.pointee.performsToShow }
    @inline(__always) _modify {
      present.pointee.hasTaskWork = true
      yield &present.pointee.performsToShow
    }
  }
  var timeoutsDue: [(step: Int32, serial: UInt64)] {
    @inline(__always) get { present.pointee.timeoutsDue }
    @inline(__always) _modify { yield &present.pointee.timeoutsDue }
  }
  var queuesToGoOn: [PerformRef] {
    @inline(__always) get { present.pointee.queuesToGoOn }
    @inline(__always) _modify {
      present.pointee.hasTaskWork = true
      yield &present.pointee.queuesToGoOn
    }
  }
  var queuesThatFaulted: [PerformRef] {
    @inline(__always) get { present.pointee.queuesThatFaulted }
    @inline(__always) _modify { yield &present.pointee.queuesThatFaulted }
  }
  var cancelledRuns: [Int32] {
    @inline(__always) get { present.pointee.cancelledRuns }
    @inline(__always) _modify {
      present.pointee.hasTaskWork = true
      yield &present.pointee.cancelledRuns
    }
  }
  var startedRuns: [Int32] {
    @inline(__always) get { present.pointee.startedRuns }
    @inline(__always) _modify {
      present.pointee.hasTaskWork = true
      yield &present.pointee.startedRuns
    }
  }
  var hostStarts: [TaskToken] {
    @inline(__always) get { present.pointee.hostStarts }
    @inline(__always) _modify {
      present.pointee.hasTaskWork = true
      yield &present.pointee.hostStarts
    }
  }
  var hostEnds: [HostEnd] {
    @inline(__always) get { present.pointee.hostEnds }
    @inline(__always) _modify { yield &present.pointee.hostEnds }
  }
  var adoption: Adoption? {
    @inline(__always) get { present.pointee.adoption }
    @inline(__always) _modify { yield &present.pointee.adoption }
  }
  var isAdopting: Bool {
    @inline(__always) get { present.pointee.isAdopting }
    @inline(__always) _modify { yield &present.pointee.isAdopting }
  }
}
