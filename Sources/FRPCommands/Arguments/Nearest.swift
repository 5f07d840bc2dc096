// The nearest of some names to one that does not exist: Damerau-Levenshtein, at most a third of the letters wrong.

/// The candidate that is most likely meant, if any is near enough. The first of equals.
func nearest(to word: String, among candidates: [String]) -> String? {
  let allowed = max(1, word.count / 3)
  var best: (distance: Int, name: String)?
  for candidate in candidates {
    let distance = editDistance(Array(word.lowercased()), Array(candidate.lowercased()))
    if distance <= allowed, distance < best?.distance ?? Int.max { best = (distance, candidate) }
  }
  return best?.name
}

/// Insertions, deletions, replacements, and swaps of neighbours.
private func editDistance(_ a: [Character], _ b: [Character]) -> Int {
  var twoAbove: [Int] = []
  var above = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var cost = min(above[j + 1] + 1, row[j] + 1, above[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, twoAbove[j - 1] + 1) }
      row.append(cost)
    }
    twoAbove = above
    above = row
  }
  return above[b.count]
}
