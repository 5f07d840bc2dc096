// Collection while code runs: at calls and turns of loops, when so much was allocated that it pays (`Heap.alarm`).
//
// It costs nothing where it does not happen: the alarm moves the steps that are left into the reserve, so that the next
// step looks for more of them (`takeSlice`), and there is the collection. Where memory is refused before that, the
// instruction is run again after a collection; routines are pure, so they can be.
//
// What code holds is found by looking at the words of the machine's stack and the thread's, so routines and the reactor
// may keep references in variables while they call functions of the program, but not in arrays, which nobody looks at:
// these go into a `RootSet`, or the call is `holdingStill`.

import FRPGraph

extension Machine {
  /// Asks for a collection at the next call or turn of a loop, or some steps later.
  static func askForCollection(_ state: UnsafeMutablePointer<MachineState>, after steps: Int = 0) {
    state.pointee.wantsCollection = true
    if state.pointee.stepsLeft > steps {
      state.pointee.stepsInReserve &+= state.pointee.stepsLeft - steps
      state.pointee.stepsLeft = steps
    }
  }

  /// Calls functions of the program without collecting meanwhile.
  func holdingStill<Result>(_ body: () throws(Fault) -> Result) throws(Fault) -> Result {
    state.pointee.stillness += 1
    defer { state.pointee.stillness -= 1 }
    return try body()
  }

  /// The collection that was asked for. The window is the one in use.
  @inline(never)
  func collectIfAsked(_ window: Address) {
    state.pointee.wantsCollection = false
    // A deep stack is looked at no more often than as much was allocated.
    if heap.collectInside || (window - stackStart) * 8 <= heap.bytesSinceCollection { _ = collectNow(window) }
    // At every chance at first; what never ends shall come to its limit all the same.
    if heap.collectInside { Machine.askForCollection(state, after: heap.collections / 8) }
  }

  private func collectNow(_ window: Address) -> Bool {
    guard state.pointee.stillness == 0, let collectInside else { return false }
    return collectInside(stackStart, min(window + widestWindow, state.pointee.stackEnd))
  }

  /// Whether the instruction before `pc`, which was refused memory, is to be run again, since there has been a collection.
  /// Once it is refused after that, nothing more of this instant is run again.
  @inline(never)
  func canTryAgain(_ error: Fault, _ pc: UnsafePointer<Instr>, window: Address) -> Bool {
    guard case .limit(.memory) = error.kind, state.pointee.gaveUpEpoch != state.pointee.epoch else { return false }
    if state.pointee.triedAgain == pc, state.pointee.triedAgainAfter == heap.collections {
      state.pointee.gaveUpEpoch = state.pointee.epoch
      return false
    }
    guard collectNow(window) else { return false }
    state.pointee.triedAgain = pc
    state.pointee.triedAgainAfter = heap.collections
    return true
  }
}
