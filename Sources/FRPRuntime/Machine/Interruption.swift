// How a host ends an instant that takes too long: it empties the count of steps, and the next step faults as if the
// limit had been reached. The instant is undone, as at every fault.
//
// A limit of wall time is looked at when a slice of the steps is used up, so it costs nothing where there is none. So is
// whether another thread wants an end, and so are the steps counted (`Limits.isWatched`).
//
// A routine that goes through a collection or a text takes its steps as it goes, not all at once: one by one with `step`, or in
// stretches with `inStretches` where an element is less work than a step. What it needs besides the heap, it borrows.

import FRPBase
import FRPGraph
import FRPLibc
import Synchronization

/// How other threads end what a run is doing: the call that is under way, and no later one.
public final class Interrupter: Sendable {
  private let count = Atomic<Int>(0)

  /// One that no run listens to yet.
  public init() {}

  /// Ends the call that is under way: its instant faults (R0104) and is undone, and `advance` comes back where it is. Seen
  /// within about a millisecond; where no call is under way nothing happens. From any thread; not from a signal handler.
  public func interrupt() { count.wrappingAdd(1, ordering: .relaxed) }

  var asked: Int { count.load(ordering: .relaxed) }
}

/// What a machine that is watched keeps.
struct MachineWatch {
  var interrupter: Interrupter?
  /// How often an interruption had been asked for when the call under way began.
  var heard = 0
  /// Whether instants are part of a longer call.
  var isInCall = false
  /// Whether the count was found empty between two evaluations of the call.
  var wasStopped = false
  /// The steps that were granted last, and those taken before.
  var granted = 0
  var taken = 0
}

extension Machine {
  /// The deadline where there is none and steps are granted in slices all the same.
  private static var noDeadline: UInt64 { .max - 1 }

  /// Steps taken so far, where they are granted in slices; else 0.
  public var stepsTaken: Int { watch.taken + stepsSinceGrant }

  /// None where something has emptied the count.
  private var stepsSinceGrant: Int {
    stepsLeft < Machine.stopped / 2 ? 0 : min(max(0, watch.granted - stepsLeft), watch.granted)
  }

  /// Whether another thread wants an end to the call under way.
  var isInterrupted: Bool { watch.interrupter.map { $0.asked != watch.heard } ?? false }

  /// Instants up to `endCall` are part of one call.
  func beginCall() {
    listen()
    watch.isInCall = true
    watch.wasStopped = false
  }

  /// Whether somebody wants an end to the call under way, by whatever way.
  var isCallStopped: Bool {
    watch.isInCall && (watch.wasStopped || state.pointee.stepsLeft < Machine.stopped / 2 || isInterrupted)
  }

  /// Grants steps for one of many evaluations; where a host has emptied the count, that is kept in mind.
  @inline(__always)
  func grantNext(_ steps: Int) {
    if state.pointee.stepsLeft < Machine.stopped / 2 { watch.wasStopped = true }
    stepsLeft = steps
  }

  func endCall() { watch.isInCall = false }

  private func listen() { if let interrupter = watch.interrupter { watch.heard = interrupter.asked } }

  /// Grants steps slice by slice, and counts those that were taken before.
  @inline(never)
  func grantSlices(_ steps: Int) {
    watch.taken = stepsTaken
    watch.granted = steps
    state.pointee.stepsLeft = min(steps, Machine.slice)
    state.pointee.stepsInReserve = max(0, steps - Machine.slice)
  }

  /// What a host writes there to end the instant.
  public static var stopped: Int { .min / 2 }

  /// Where the steps left are counted. A signal handler may write `stopped` there while something runs on this machine.
  public var stepsLeftAddress: UnsafeMutablePointer<Int>? {
    guard let offset = MemoryLayout<MachineState>.offset(of: \.stepsLeft) else { return nil }
    return UnsafeMutableRawPointer(state).advanced(by: offset).assumingMemoryBound(to: Int.self)
  }

  /// Steps between two looks at the clock: about a millisecond.
  static let slice = 100_000

  /// Grants steps for what comes next; with a limit of time, slice by slice. Infinite seconds are no limit.
  @inline(__always)
  func grant(steps: Int, seconds: Double) {
    heap.startMetering()
    state.pointee.threadStack.forget()
    if seconds < .infinity {
      grantSlices(steps, seconds)
    } else {
      state.pointee.stepsLeft = steps
      state.pointee.stepsInReserve = 0
      state.pointee.deadline = .max
    }
  }

  @inline(never)
  private func grantSlices(_ steps: Int, _ seconds: Double) {
    if !watch.isInCall { listen() }
    state.pointee.deadline =
      seconds < 1e9 ? Self.wallNanoseconds() + UInt64(max(0, seconds) * 1e9) : Machine.noDeadline
    grantSlices(steps)
  }

  /// The steps granted are used up: goes on with the next slice, or faults.
  @inline(never)
  func takeSlice() throws(Fault) {
    try checkGivenUp()
    let reserve = state.pointee.stepsInReserve
    let over = min(0, state.pointee.stepsLeft)
    if reserve <= 0 || over < Machine.stopped / 2 { throw Fault.steps }
    try checkDeadline()
    // A routine's steps must not drown the wish for a collection: the next call or turn of a loop comes here again.
    let slice = min(reserve, state.pointee.wantsCollection ? -over : max(Machine.slice, -over))
    state.pointee.stepsInReserve = reserve - slice
    state.pointee.stepsLeft = slice + over
    if state.pointee.stepsLeft < 0 { throw Fault.steps }
  }

  /// Faults where an end was asked for, or the time has run out, while something ran that takes no steps: a function of the host.
  func checkEnd() throws(Fault) {
    if state.pointee.stepsLeft < Machine.stopped / 2 { throw Fault.steps }
    try checkDeadline()
  }

  private func checkDeadline() throws(Fault) {
    if state.pointee.deadline == .max { return }
    if isInterrupted { throw Fault.interrupted }
    if isLate { throw Fault.time }
  }

  /// Whether the time that was granted last is over.
  var isLate: Bool {
    let deadline = state.pointee.deadline
    return deadline < Machine.noDeadline && Self.wallNanoseconds() >= deadline
  }

  /// The same at a call or a turn of a loop, which is where a collection may be: `window` is the one in use.
  @inline(never)
  func takeSlice(_ window: Address) throws(Fault) {
    try takeSlice()
    if state.pointee.wantsCollection { collectIfAsked(window) }
  }

  /// The same, placed at the instruction before `pc`.
  @inline(never)
  func takeSlice(_ pc: UnsafePointer<Instr>, _ window: Address) throws(Fault) {
    do throws(Fault) { try takeSlice(window) } catch { throw fault(error, pc) }
  }

  /// Takes a step for eight parts that comparisons have looked at. Where a limit is met, the next step faults, too.
  func mayGoOn(after parts: Int) -> Bool {
    do throws(Fault) {
      try pause(parts / 8)
      return true
    } catch {
      givenUp = error
      state.pointee.stepsLeft = Machine.stopped
      return false
    }
  }

  /// Faults where a comparison was given up, so that what it said is not kept: asked at the end of whatever limits are
  /// granted for.
  @inline(__always)
  func checkGivenUp() throws(Fault) {
    if heap.state.pointee.hasGivenUp { throw givenUp }
  }

  /// Takes the steps of a stretch, and looks at the clock at once: routines may take long over a step.
  func pause(_ count: Int) throws(Fault) {
    try step(count)
    try checkDeadline()
  }

  /// Elements, words or bytes that are gone through at once.
  static let stretch = 1 << 14

  /// Calls `body` with one stretch of 0..<count after the other, and takes the steps of each before it: one for
  /// `perStep` elements.
  @inline(__always)
  func inStretches(
    _ count: Int, perStep: Int = 1, body: (Range<Int>) throws(Fault) -> Void
  ) throws(Fault) {
    var start = 0
    while start < count {
      let end = min(start + Machine.stretch, count)
      try pause((end - start) / perStep + 1)
      try body(start..<end)
      start = end
    }
  }

  /// Calls `body` while so many bytes beside the heap count against the limit of memory; faults where they do not fit, or
  /// the system has not so many.
  @inline(__always)
  func borrowing<Result>(_ bytes: Int, _ body: () throws(Fault) -> Result) throws(Fault) -> Result {
    let heap = heap.state
    let (used, limit) = (self.heap.usedBytes, heap.pointee.limitBytes)
    if bytes > limit - used || !SystemMemory.grants(bytes) { throw Fault.memory }
    // What is borrowed is not there for values, either.
    heap.pointee.limitBytes = limit - bytes
    defer { heap.pointee.limitBytes += bytes }
    return try body()
  }

  private static func wallNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(max(0, time.tv_sec)) &* 1_000_000_000 &+ UInt64(max(0, time.tv_nsec))
  }
}
