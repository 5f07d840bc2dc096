// How a host ends an instant that takes too long: it empties the count of steps, and the next step faults as if the
// limit had been reached. The instant is undone, as at every fault.
//
// A limit of wall time is looked at when a slice of the steps is used up, so it costs nothing where there is none.

import FRPGraph
import Glibc

extension Machine {
  /// Where the steps left are counted. A signal handler may write -1 there while something runs on this machine.
  public var stepsLeftAddress: UnsafeMutablePointer<Int>? {
    guard let offset = MemoryLayout<MachineState>.offset(of: \.stepsLeft) else { return nil }
    return UnsafeMutableRawPointer(state).advanced(by: offset).assumingMemoryBound(to: Int.self)
  }

  /// Steps between two looks at the clock: about a millisecond.
  private static let slice = 100_000

  /// Grants steps for what comes next; with a limit of time, slice by slice. Infinite seconds are no limit.
  @inline(__always)
  func grant(steps: Int, seconds: Double) {
    state.pointee.stepsLeft = steps
    if seconds < .infinity { grantSlices(steps, seconds) } else { state.pointee.stepsInReserve = 0 }
  }

  @inline(never)
  private func grantSlices(_ steps: Int, _ seconds: Double) {
    let nanoseconds = UInt64(min(max(0, seconds), 1e9) * 1e9)
    state.pointee.deadline = Self.wallNanoseconds() + nanoseconds
    state.pointee.stepsLeft = min(steps, Machine.slice)
    state.pointee.stepsInReserve = max(0, steps - Machine.slice)
  }

  /// The steps granted are used up: goes on with the next slice, or faults.
  @inline(never)
  func takeSlice() throws(Fault) {
    let reserve = state.pointee.stepsInReserve
    let over = min(0, state.pointee.stepsLeft)
    if reserve <= 0 { throw Fault.steps }
    if Self.wallNanoseconds() >= state.pointee.deadline { throw Fault.time }
    let slice = min(reserve, max(Machine.slice, -over))
    state.pointee.stepsInReserve = reserve - slice
    state.pointee.stepsLeft = slice + over
    if state.pointee.stepsLeft < 0 { throw Fault.steps }
  }

  /// The same, placed at the instruction before `pc`.
  @inline(never)
  func takeSlice(_ pc: UnsafePointer<Instr>) throws(Fault) {
    do throws(Fault) { try takeSlice() } catch { throw fault(error, pc) }
  }

  private static func wallNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(max(0, time.tv_sec)) &* 1_000_000_000 &+ UInt64(max(0, time.tv_nsec))
  }
}
