// First in, first out, in six private words of a frame and a ring of memory. Elements have one or two words.
//
// `head` and `tail` only grow; an element's place is its number modulo the capacity. What an instant takes out stays in
// the ring until the next instant that uses the queue, so undoing is restoring two numbers.

import FRPGraph

struct Queue {
  let words: Address
  let width: Int

  @inline(__always)
  init(_ words: Address, width: Int = 1) {
    self.words = words
    self.width = width
  }

  @inline(__always) var count: Int { Int(words[QueueState.tail] &- words[QueueState.head]) }
  @inline(__always) var isEmpty: Bool { words[QueueState.tail] == words[QueueState.head] }

  /// The words of an element, counted from the oldest.
  @inline(__always)
  func element(_ index: Int) -> Address {
    let number = Int(words[QueueState.head]) + index
    return words[QueueState.buffer].address + (number & (Int(words[QueueState.capacity]) - 1)) * width
  }

  /// Frees the ring.
  func release() {
    if words[QueueState.buffer] != 0 { words[QueueState.buffer].address.deallocate() }
    for index in 0..<QueueState.words { words[index] = 0 }
  }

  /// Takes out the oldest for good, whatever becomes of the instant.
  @inline(__always)
  func dropFirstForGood(_ count: Int = 1) { words[QueueState.head] &+= UInt64(count) }

  fileprivate func grow() {
    let capacity = Int(words[QueueState.capacity])
    let larger = max(4, capacity * 2)
    let buffer = Address.allocate(capacity: larger * width)
    buffer.initialize(repeating: 0, count: larger * width)
    let tail = Int(words[QueueState.tail])
    if capacity > 0 {
      let ring = words[QueueState.buffer].address
      for number in max(0, tail - capacity)..<tail {
        for word in 0..<width {
          buffer[(number & (larger - 1)) * width + word] = ring[(number & (capacity - 1)) * width + word]
        }
      }
      ring.deallocate()
    }
    words[QueueState.buffer] = Word(buffer)
    words[QueueState.capacity] = UInt64(larger)
  }
}

extension Reactor {
  /// Makes room; what is over the limit of memory is a fault at the end of the instant, which takes it out again.
  @inline(never)
  private func grow(_ queue: Queue) {
    let before = Int(queue.words[QueueState.capacity])
    queue.grow()
    live.frameBytes += (Int(queue.words[QueueState.capacity]) - before) * queue.width * 8
    if liveBytes > limits.heapBytes { live.isOverMemory = true }
    if before >= limits.queueLength {
      live.isOverMemory = true
      live.isOverQueue = true
    }
  }

  /// Frees a queue's ring.
  func release(_ queue: Queue) {
    live.frameBytes -= Int(queue.words[QueueState.capacity]) * queue.width * 8
    queue.release()
  }

  /// Appends an element; a fault takes it out again.
  @inline(__always)
  func append(_ queue: Queue, _ first: Word, second: Word = 0) {
    let words = queue.words
    if words[QueueState.instant] != live.instant {
      words[QueueState.instant] = live.instant
      words[QueueState.floor] = words[QueueState.head]
    }
    if Int(words[QueueState.tail] &- words[QueueState.floor]) >= Int(words[QueueState.capacity]) { grow(queue) }
    let element = queue.element(queue.count)
    element[0] = first
    if queue.width == 2 { element[1] = second }
    set(words + QueueState.tail, words[QueueState.tail] &+ 1)
  }

  /// Takes out the oldest; a fault puts them back.
  @inline(__always)
  func dropFirst(_ queue: Queue, _ count: Int = 1) {
    let words = queue.words
    if words[QueueState.instant] != live.instant {
      words[QueueState.instant] = live.instant
      words[QueueState.floor] = words[QueueState.head]
    }
    set(words + QueueState.head, words[QueueState.head] &+ UInt64(count))
  }
}
