// Values that somebody outside of the heap keeps while the engine goes on.
//
// A `Word` of a reference type is an address, and whatever runs an instant may move what stands there: `advance`, `send`,
// `finish`, `value(of:)`, a snapshot. So a word is used at once (decoded and sent, read and written out), and what must
// wait, such as the values of a line of a trace until their moment, waits in a `RootSet`, which collections keep current. So
// does what a routine keeps in an array while it calls functions of the program.

/// A list of values of one heap that stay valid while they are in it, whatever is collected. One thread.
public final class RootSet {
  private struct Root {
    var word: Word
    var isReference: Bool
  }

  /// Bytes of a value that is kept.
  static var stride: Int { MemoryLayout<Root>.stride }

  public let heap: Heap
  private var roots: [Root] = []
  /// Places that `insert` may use.
  private var free: [Int] = []

  public init(_ heap: Heap) {
    self.heap = heap
    heap.rootSets.append(Unmanaged.passUnretained(self))
  }

  deinit {
    let mine = Unmanaged.passUnretained(self).toOpaque()
    heap.rootSets.removeAll { $0.toOpaque() == mine }
  }

  public var count: Int { roots.count }

  /// The value at a place, where it stands now: valid until the engine is called again.
  public subscript(place: Int) -> Word { roots[place].word }

  public func append(_ word: Word, isReference: Bool) { roots.append(Root(word: word, isReference: isReference)) }

  /// Keeps a value until `remove`; its place. Cost: O(1).
  public func insert(_ word: Word, isReference: Bool) -> Int {
    let root = Root(word: word, isReference: isReference)
    if let place = free.popLast() {
      roots[place] = root
      return place
    }
    roots.append(root)
    return roots.count - 1
  }

  /// Gives back what was inserted at a place; it stays valid until the engine is called again.
  public func remove(_ place: Int) -> Word {
    roots[place].isReference = false
    free.append(place)
    return roots[place].word
  }

  /// All values, where they stand now.
  var words: [Word] { roots.map(\.word) }

  /// Forgets all values but keeps the room for them.
  public func removeAll() {
    roots.removeAll(keepingCapacity: true)
    free.removeAll(keepingCapacity: true)
  }

  func visit(_ visitor: borrowing RootVisitor) {
    for place in roots.indices where roots[place].isReference { visitor.visit(&roots[place].word) }
  }
}
