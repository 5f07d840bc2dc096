// "Did you mean": names a slip of the keyboard away.

/// Up to three of the candidates that are near a word, the nearest first, then in the order given. Distance is
/// Damerau-Levenshtein on lower-cased text, at most a third of the word's length (one at least).
func nearest(_ word: String, among candidates: [String]) -> [String] {
  let limit = max(1, word.count / 3)
  let target = Array(word.lowercased().unicodeScalars)
  var seen: Set<String> = []
  var found: [(distance: Int, place: Int, name: String)] = []
  for (place, name) in candidates.enumerated() where name != word && seen.insert(name).inserted {
    if abs(name.unicodeScalars.count - target.count) > limit { continue }
    let distance = editDistance(target, Array(name.lowercased().unicodeScalars), limit)
    if distance <= limit { found.append((distance, place, name)) }
  }
  return found.sorted { ($0.distance, $0.place) < ($1.distance, $1.place) }.prefix(3).map(\.name)
}

/// The number of insertions, deletions, substitutions and swaps of neighbours; more than `limit` is only "more".
func editDistance(_ a: [UnicodeScalar], _ b: [UnicodeScalar], _ limit: Int) -> Int {
  if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in 1...a.count {
    var row = [i] + Array(repeating: 0, count: b.count)
    for j in 1...b.count {
      let change = a[i - 1] == b[j - 1] ? 0 : 1
      row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + change)
      if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], beforeLast[j - 2] + 1) }
    }
    if row.min() ?? 0 > limit { return limit + 1 }
    beforeLast = last
    last = row
  }
  return last[b.count]
}
