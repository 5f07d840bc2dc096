// Numbers in a row that changes anywhere, with the places of its largest: a random search tree by place (Martinez and Roura,
// "Randomized binary search trees", 1998), in which each subtree knows its largest number.

/// Numbers with places 0, 1, ….
struct PlacedKeys: ~Copyable {
  private struct Node {
    var key: Int64
    /// The largest key of its subtree.
    var best: Int64
    var left: Int32
    var right: Int32
    var size: Int32
  }

  /// A subtree or a single number beside the ways that were taken, and the place of the first number in it.
  private struct Candidate {
    var best: Int64
    var start: Int
    /// -1 for a single number.
    var tree: Int32

    func comes(before other: Candidate) -> Bool {
      best != other.best ? best > other.best : start < other.start
    }
  }

  private var nodes: UnsafeMutablePointer<Node>
  private var capacity = 0
  private var used = 0
  /// The first of the nodes that are free; each has the next in `left`.
  private var free: Int32 = -1
  private var root: Int32 = -1
  private var random: UInt64 = 0x9E37_79B9_7F4A_7C15
  /// Kept, so that asking allocates nothing.
  private var candidates: [Candidate] = []

  static let bytes = MemoryLayout<Node>.stride

  init() { nodes = .allocate(capacity: 0) }
  deinit { nodes.deallocate() }

  var count: Int { Int(size(root)) }

  @inline(__always)
  private func size(_ tree: Int32) -> Int32 { tree < 0 ? 0 : nodes[Int(tree)].size }

  private func measure(_ tree: Int32) {
    let node = nodes + Int(tree)
    var best = node.pointee.key
    var size: Int32 = 1
    for child in [node.pointee.left, node.pointee.right] where child >= 0 {
      best = max(best, nodes[Int(child)].best)
      size += nodes[Int(child)].size
    }
    (node.pointee.best, node.pointee.size) = (best, size)
  }

  // MARK: Changes

  /// Has these numbers instead of what it had. Cost: O(n).
  mutating func replaceAll(_ keys: [Int64]) {
    (used, free) = (0, -1)
    reserve(keys.count)
    used = keys.count
    root = build(keys, 0..<keys.count)
  }

  private func build(_ keys: [Int64], _ places: Range<Int>) -> Int32 {
    if places.isEmpty { return -1 }
    let middle = (places.lowerBound + places.upperBound) / 2
    let left = build(keys, places.lowerBound..<middle)
    let right = build(keys, middle + 1..<places.upperBound)
    (nodes + middle).initialize(to: Node(key: keys[middle], best: 0, left: left, right: right, size: 0))
    measure(Int32(middle))
    return Int32(middle)
  }

  private mutating func reserve(_ wanted: Int) {
    if wanted <= capacity { return }
    let larger = max(wanted, 2 * capacity, 64)
    let other = UnsafeMutablePointer<Node>.allocate(capacity: larger)
    other.moveInitialize(from: nodes, count: used)
    nodes.deallocate()
    (nodes, capacity) = (other, larger)
  }

  /// Exchanges the number at a place for another; gives the old one. Cost: O(log n), expected, as of the others.
  mutating func replace(at place: Int, with key: Int64) -> Int64 { replace(root, Int32(place), key) }

  private func replace(_ tree: Int32, _ place: Int32, _ key: Int64) -> Int64 {
    let node = nodes + Int(tree)
    let before = size(node.pointee.left)
    let old: Int64
    if place == before {
      old = node.pointee.key
      node.pointee.key = key
    } else if place < before {
      old = replace(node.pointee.left, place, key)
    } else {
      old = replace(node.pointee.right, place - before - 1, key)
    }
    measure(tree)
    return old
  }

  /// Puts a number at a place; those from there on move up by one.
  mutating func insert(_ key: Int64, at place: Int) {
    var new = free
    if new >= 0 {
      free = nodes[Int(new)].left
    } else {
      reserve(used + 1)
      new = Int32(used)
      used += 1
    }
    (nodes + Int(new)).initialize(to: Node(key: key, best: key, left: -1, right: -1, size: 1))
    var (root, random) = (self.root, self.random)
    insert(new, Int32(place), at: &root, &random)
    (self.root, self.random) = (root, random)
  }

  /// The new node is the root of a tree of n nodes with probability 1 / n: so any tree is a random one.
  private func insert(_ new: Int32, _ place: Int32, at link: inout Int32, _ random: inout UInt64) {
    let size = size(link)
    if Self.below(size + 1, &random) == 0 {
      split(link, place, &nodes[Int(new)].left, &nodes[Int(new)].right)
      measure(new)
      link = new
      return
    }
    let node = nodes + Int(link)
    let before = self.size(node.pointee.left)
    if place <= before {
      insert(new, place, at: &node.pointee.left, &random)
    } else {
      insert(new, place - before - 1, at: &node.pointee.right, &random)
    }
    measure(link)
  }

  /// The first `place` of a tree, and the others.
  private func split(_ tree: Int32, _ place: Int32, _ low: inout Int32, _ high: inout Int32) {
    if tree < 0 {
      (low, high) = (-1, -1)
      return
    }
    let node = nodes + Int(tree)
    let before = size(node.pointee.left)
    if place <= before {
      high = tree
      split(node.pointee.left, place, &low, &node.pointee.left)
    } else {
      low = tree
      split(node.pointee.right, place - before - 1, &node.pointee.right, &high)
    }
    measure(tree)
  }

  /// Takes out the number at a place, and gives it.
  mutating func remove(at place: Int) -> Int64 {
    var (root, random) = (self.root, self.random)
    let old = remove(Int32(place), at: &root, &random)
    (self.root, self.random) = (root, random)
    nodes[Int(old)].left = free
    free = old
    return nodes[Int(old)].key
  }

  private func remove(_ place: Int32, at link: inout Int32, _ random: inout UInt64) -> Int32 {
    let tree = link
    let node = nodes + Int(tree)
    let before = size(node.pointee.left)
    if place == before {
      link = joined(node.pointee.left, node.pointee.right, &random)
      return tree
    }
    let old =
      place < before
      ? remove(place, at: &node.pointee.left, &random)
      : remove(place - before - 1, at: &node.pointee.right, &random)
    measure(tree)
    return old
  }

  private func joined(_ low: Int32, _ high: Int32, _ random: inout UInt64) -> Int32 {
    if low < 0 { return high }
    if high < 0 { return low }
    if Self.below(size(low) + size(high), &random) < size(low) {
      nodes[Int(low)].right = joined(nodes[Int(low)].right, high, &random)
      measure(low)
      return low
    }
    nodes[Int(high)].left = joined(low, nodes[Int(high)].left, &random)
    measure(high)
    return high
  }

  @inline(__always)
  private static func below(_ limit: Int32, _ random: inout UInt64) -> Int32 {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int32((random >> 32 &* UInt64(limit)) >> 32)
  }

  // MARK: Asking

  /// The places of the `wanted` largest, which must exist, the largest first; of equal ones the first comes first. Gives the
  /// smallest of them as well. Cost: O(wanted log n), expected.
  mutating func largest(_ wanted: Int, _ found: (Int) -> Void) -> Int64 {
    candidates.removeAll(keepingCapacity: true)
    push(root, 0)
    var left = wanted
    var smallest = Int64.max
    while left > 0, let next = pop() {
      smallest = next.best
      found(next.tree < 0 ? next.start : descend(next))
      left -= 1
    }
    return smallest
  }

  /// The place of the first of the largest in a subtree; what lies beside the way there waits.
  private mutating func descend(_ candidate: Candidate) -> Int {
    var (tree, start) = (candidate.tree, candidate.start)
    while true {
      let node = nodes[Int(tree)]
      let place = start + Int(size(node.left))
      if node.left >= 0, nodes[Int(node.left)].best == candidate.best {
        push(Candidate(best: node.key, start: place, tree: -1))
        push(node.right, place + 1)
        tree = node.left
        continue
      }
      push(node.left, start)
      if node.key == candidate.best {
        push(node.right, place + 1)
        return place
      }
      push(Candidate(best: node.key, start: place, tree: -1))
      (tree, start) = (node.right, place + 1)
    }
  }

  private mutating func push(_ tree: Int32, _ start: Int) {
    if tree >= 0 { push(Candidate(best: nodes[Int(tree)].best, start: start, tree: tree)) }
  }

  /// Into a binary heap.
  private mutating func push(_ candidate: Candidate) {
    candidates.append(candidate)
    var place = candidates.count - 1
    while place > 0, candidate.comes(before: candidates[(place - 1) / 2]) {
      candidates[place] = candidates[(place - 1) / 2]
      place = (place - 1) / 2
    }
    candidates[place] = candidate
  }

  private mutating func pop() -> Candidate? {
    guard let first = candidates.first, let last = candidates.popLast() else { return nil }
    if candidates.isEmpty { return first }
    var place = 0
    while true {
      var child = 2 * place + 1
      if child >= candidates.count { break }
      if child + 1 < candidates.count, candidates[child + 1].comes(before: candidates[child]) { child += 1 }
      if !candidates[child].comes(before: last) { break }
      candidates[place] = candidates[child]
      place = child
    }
    candidates[place] = last
    return first
  }
}
