// Numbers in order, of which the oldest leave and new ones come: a treap (Seidel and Aragon, "Randomized search trees",
// 1996) with the sizes of its subtrees, in a ring by age. Equal numbers stand by age, as in a stable sort of a list.

/// Keys that are numbered by age, the oldest 0.
struct AgedOrder: ~Copyable {
  private struct Node {
    var key: Int64
    var left: Int32
    var right: Int32
    var size: Int32
    var priority: UInt32
  }

  private var nodes: UnsafeMutablePointer<Node>
  /// Places of the ring, a power of two, less one.
  private var mask = 15
  /// The place of the oldest.
  private var first = 0
  private var root: Int32 = -1
  private var random: UInt64 = 0x9E37_79B9_7F4A_7C15
  private(set) var count = 0

  static let bytes = MemoryLayout<Node>.stride

  init() { nodes = .allocate(capacity: 16) }
  deinit { nodes.deallocate() }

  /// Adds the youngest. Cost: O(log n), expected.
  mutating func add(_ key: Int64) {
    if count > mask { resize(2 * (mask + 1)) }
    let new = Int32((first + count) & mask)
    count += 1
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    nodes[Int(new)] = Node(key: key, left: -1, right: -1, size: 1, priority: UInt32(random >> 32))
    var root = self.root
    insert(new, at: &root)
    self.root = root
  }

  private func insert(_ new: Int32, at link: inout Int32) {
    if link < 0 {
      link = new
      return
    }
    let node = nodes + Int(link)
    let fresh = nodes + Int(new)
    if node.pointee.priority < fresh.pointee.priority {
      split(link, fresh.pointee.key, low: &fresh.pointee.left, high: &fresh.pointee.right)
      measure(new)
      link = new
    } else {
      node.pointee.size += 1
      if fresh.pointee.key < node.pointee.key {
        insert(new, at: &node.pointee.left)
      } else {
        insert(new, at: &node.pointee.right)
      }
    }
  }

  /// A tree's keys up to `key`, and those above it.
  private func split(_ tree: Int32, _ key: Int64, low: inout Int32, high: inout Int32) {
    if tree < 0 {
      (low, high) = (-1, -1)
      return
    }
    let node = nodes + Int(tree)
    if key < node.pointee.key {
      high = tree
      split(node.pointee.left, key, low: &low, high: &node.pointee.left)
    } else {
      low = tree
      split(node.pointee.right, key, low: &node.pointee.right, high: &high)
    }
    measure(tree)
  }

  private func joined(_ low: Int32, _ high: Int32) -> Int32 {
    if low < 0 { return high }
    if high < 0 { return low }
    if nodes[Int(low)].priority < nodes[Int(high)].priority {
      nodes[Int(high)].left = joined(low, nodes[Int(high)].left)
      measure(high)
      return high
    }
    nodes[Int(low)].right = joined(nodes[Int(low)].right, high)
    measure(low)
    return low
  }

  @inline(__always)
  private func size(_ tree: Int32) -> Int32 { tree < 0 ? 0 : nodes[Int(tree)].size }

  private func measure(_ tree: Int32) {
    let node = nodes + Int(tree)
    node.pointee.size = size(node.pointee.left) + size(node.pointee.right) + 1
  }

  /// Takes out the oldest, which must be there. Cost: O(log n), expected.
  mutating func removeOldest() {
    var root = self.root
    remove(Int32(first), nodes[first].key, at: &root)
    self.root = root
    first = (first + 1) & mask
    count -= 1
    if mask > 1 << 10, count < mask >> 3 { resize((mask + 1) >> 1) }
  }

  private func remove(_ oldest: Int32, _ key: Int64, at link: inout Int32) {
    let node = nodes + Int(link)
    if link == oldest {
      link = joined(node.pointee.left, node.pointee.right)
      return
    }
    node.pointee.size -= 1
    // Of equal ones the oldest is the leftmost.
    if key <= node.pointee.key {
      remove(oldest, key, at: &node.pointee.left)
    } else {
      remove(oldest, key, at: &node.pointee.right)
    }
  }

  private mutating func resize(_ capacity: Int) {
    let other = UnsafeMutablePointer<Node>.allocate(capacity: capacity)
    let (old, before, start) = (nodes, mask, first)
    // The oldest comes first.
    func place(_ tree: Int32) -> Int32 { tree < 0 ? -1 : Int32((Int(tree) - start) & before) }
    for age in 0..<count {
      var node = old[(start + age) & before]
      (node.left, node.right) = (place(node.left), place(node.right))
      (other + age).initialize(to: node)
    }
    root = place(root)
    nodes = other
    old.deallocate()
    (mask, first) = (capacity - 1, 0)
  }

  // MARK: Asking

  /// The age of the key at a place in the order, which must exist. Cost: O(log n), expected.
  func age(at index: Int) -> Int {
    var index = Int32(index)
    var tree = root
    while true {
      let node = nodes[Int(tree)]
      let before = size(node.left)
      if index == before { return (Int(tree) - first) & mask }
      if index < before {
        tree = node.left
      } else {
        index -= before + 1
        tree = node.right
      }
    }
  }

  /// The age of the oldest of the greatest; there must be one.
  func ageOfGreatest() -> Int {
    let greatest = nodes[(first + age(at: count - 1)) & mask].key
    var found = root
    var tree = root
    while tree >= 0 {
      if nodes[Int(tree)].key < greatest {
        tree = nodes[Int(tree)].right
      } else {
        found = tree
        tree = nodes[Int(tree)].left
      }
    }
    return (Int(found) - first) & mask
  }
}
