// Numbers in order, that come and go in any order: rows of at most 512, sorted, one after the other.
//
// Adding and taking out moves part of one row and looks at the ends of rows by halving; finding the n-th counts along the rows. Of a
// hundred thousand numbers there are some three hundred rows, so both take well below a microsecond, and a number takes 8 to 16 bytes.

struct OrderedKeys {
  private var rows: [[Int64]] = []
  private(set) var count = 0

  private static let most = 512
  static let bytes = 2 * MemoryLayout<Int64>.stride

  /// Has these numbers instead of what it had. Cost: O(n log n).
  mutating func replaceAll(_ numbers: [Int64]) {
    let sorted = numbers.sorted()
    count = sorted.count
    rows = stride(from: 0, to: sorted.count, by: Self.most / 2).map {
      Array(sorted[$0..<min(sorted.count, $0 + Self.most / 2)])
    }
  }

  mutating func add(_ key: Int64) {
    count += 1
    if rows.isEmpty {
      rows.append([key])
      return
    }
    let row = min(self.row(of: key), rows.count - 1)
    rows[row].insert(key, at: Self.place(of: key, in: rows[row]))
    if rows[row].count > Self.most {
      let half = Array(rows[row][(Self.most / 2)...])
      rows[row].removeLast(half.count)
      rows.insert(half, at: row + 1)
    }
  }

  /// Takes out one number, which is there.
  mutating func remove(_ key: Int64) {
    let row = row(of: key)
    rows[row].remove(at: Self.place(of: key, in: rows[row]))
    if rows[row].isEmpty { rows.remove(at: row) }
    count -= 1
  }

  /// The number at a place of the order.
  subscript(place: Int) -> Int64 {
    var place = place
    for row in rows {
      if place < row.count { return row[place] }
      place -= row.count
    }
    preconditionFailure("no such place")
  }

  /// The first row whose greatest number is not below `key`.
  private func row(of key: Int64) -> Int {
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if rows[middle][rows[middle].count - 1] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The first place of a row whose number is not below `key`.
  private static func place(of key: Int64, in row: [Int64]) -> Int {
    var (low, high) = (0, row.count)
    while low < high {
      let middle = (low + high) / 2
      if row[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
