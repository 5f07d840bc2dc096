// What the system grants: stacks of machines, and the limit of memory where nobody has set one.

import FRPBase
import Testing

@testable import FRPRuntime

@Suite struct MemoryLimitTests {
  /// 2^44 words are more than any address space: less is granted, and nothing traps.
  @Test func aStackIsAsLargeAsTheSystemGrants() {
    for words in [0, 1 << 14, 1 << 32, 1 << 44, Int.max] {
      let stack = MachineStack(words: words)
      #expect(stack.words >= 1 << 12)
      #expect(stack.words <= max(words, 1 << 12))
      stack.start[0] = 1
      stack.start[stack.words - 1] = 2
      #expect(stack.start[0] == 1)
    }
  }

  @Test func theLimitOfMemoryIsTheSystems() {
    #expect(SystemMemory.available > 1 << 24)
    #expect(Limits().heapBytes <= max(16 << 20, SystemMemory.available / 2))
    #expect(Limits().heapBytes >= 16 << 20)
  }
}
