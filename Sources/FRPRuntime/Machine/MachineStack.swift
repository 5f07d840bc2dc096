// The machine's stack: address space that the system fills with memory page by page, on first touch. It comes from the
// system and goes back there, not through the allocator, which would keep the touched pages of every run that is over.

import FRPBase
import FRPLibc
import Synchronization

/// Room for the calls of one machine.
final class MachineStack {
  let start: Address
  let words: Int
  private let isMapped: Bool

  /// What any code needs that calls nothing.
  private static let leastWords = 1 << 12

  /// Bytes of all stacks of the process.
  private static let reserved = Atomic<Int>(0)

  /// Of limited address space all stacks together have a half, and each new one a quarter of what is left of that.
  private static var mostWords: Int {
    if SystemMemory.addressSpace == .max { return .max }
    return max(0, SystemMemory.addressSpace / 2 - reserved.load(ordering: .relaxed)) / 32
  }

  /// Reserves so many words; where the system refuses that a half, a quarter, and so on: then calls can be nested less
  /// deeply.
  init(words wanted: Int) {
    var words = max(MachineStack.leastWords, min(wanted, Int.max / 16, MachineStack.mostWords))
    defer { MachineStack.reserved.add(self.words * 8, ordering: .relaxed) }
    while true {
      let memory = mmap(
        nil, words * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
      if let memory, memory != MAP_FAILED {
        start = memory.bindMemory(to: Word.self, capacity: words)
        self.words = words
        isMapped = true
        return
      }
      if words == MachineStack.leastWords { break }
      words = max(MachineStack.leastWords, words / 2)
    }
    start = Address.allocateWords(words)
    self.words = words
    isMapped = false
  }

  deinit {
    MachineStack.reserved.subtract(words * 8, ordering: .relaxed)
    if isMapped { munmap(start, words * 8) } else { start.release() }
  }
}
