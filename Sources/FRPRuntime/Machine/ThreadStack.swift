// How much of the thread's own stack is left: the machine's calls need none of it, but what calls back in between does.
//
// In: where a call stands. Out: the same call on a large stack, where there is hardly any left: the machine's own limits are met first,
// which are the same on whatever thread a host calls.
// Rules: each call of the host may come on another thread, whose stack may lie where that of one that has ended lay.

import CStack
import FRPBase

/// The part of a thread's stack that may be used, as far as it is known since the host's call began.
struct ThreadStack {
  private var lowest: UInt = 0
  private var size: UInt = 0

  /// For those who look at how much is left, and for a build's widest frames, at most half of the stack.
  private static let reserve: UInt = 512 << 10
  /// What is used of a stack that nobody knows, such as a coroutine's, below where it is first seen.
  private static let unknown: UInt = 64 << 10

  /// Another call of the host begins.
  @inline(__always)
  mutating func forget() { size = 0 }

  @inline(__always)
  func contains(_ address: UInt) -> Bool { address &- lowest < size }

  /// Whether there is room for a call at an address that is not known to be in the part that may be used.
  @inline(never)
  mutating func hasRoom(at address: UInt) -> Bool {
    var (start, end): (UInt, UInt) = (0, 0)
    if cs_thread_stack(&start, &end), start <= address, address < end {
      lowest = start + min(ThreadStack.reserve, (end - start) / 2)
      size = end - lowest
      return address >= lowest
    }
    if size > 0 { return address >= lowest }
    lowest = address - min(address, ThreadStack.unknown)
    size = address - lowest + 1
    return true
  }
}

extension Machine {
  /// Whether there is stack enough for a call in between, however large a build's frames are. Cost: a few instructions.
  @inline(__always)
  var hasThreadStack: Bool {
    var here: UInt8 = 0
    let address = withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
    return state.pointee.threadStack.contains(address) || state.pointee.threadStack.hasRoom(at: address)
  }

  /// Goes on where there is room. No collection would see what is held on this stack.
  @inline(never)
  func onAnotherStack(_ body: () throws(Fault) -> Word) throws(Fault) -> Word {
    let here = state.pointee.threadStack
    defer { state.pointee.threadStack = here }
    return try holdingStill { () throws(Fault) in
      try onLargeStack { () -> Result<Word, Fault> in
        do throws(Fault) { return .success(try body()) } catch { return .failure(error) }
      }.get()
    }
  }
}
