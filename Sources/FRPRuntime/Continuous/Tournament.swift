// The least of many keys that change one at a time.
//
// In: a key for each number. Out: the number with the least key; of equal ones the lowest. A change costs the
// logarithm of the count, asking nothing. Without allocation, but when it grows.

struct Tournament {
  private var keys: [Double] = []
  /// A complete binary tree; node i has children 2i and 2i + 1, leaves come last. Each holds the number that wins
  /// there.
  private var winners: [Int32] = []
  private var leaves = 0

  /// The number with the least key, and that key; infinity where there is none.
  var first: (number: Int, key: Double) {
    if leaves == 0 { return (-1, .infinity) }
    let number = Int(winners[1])
    return (number, keys[number])
  }

  mutating func set(_ number: Int, _ key: Double) {
    if number >= leaves { grow(number) }
    if keys[number] == key { return }
    keys[number] = key
    var node = (leaves + number) / 2
    while node >= 1 {
      winners[node] = winner(node)
      node /= 2
    }
  }

  private func winner(_ node: Int) -> Int32 {
    let (left, right) = (winners[2 * node], winners[2 * node + 1])
    return keys[Int(right)] < keys[Int(left)] ? right : left
  }

  private mutating func grow(_ number: Int) {
    var count = max(2, leaves)
    while count <= number { count *= 2 }
    keys += [Double](repeating: .infinity, count: count - keys.count)
    leaves = count
    winners = [Int32](repeating: 0, count: 2 * count)
    for leaf in 0..<count { winners[count + leaf] = Int32(leaf) }
    for node in (1..<count).reversed() { winners[node] = winner(node) }
  }
}
