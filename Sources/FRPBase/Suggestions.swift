// "Did you mean": the names nearest to one that is not known, by Damerau–Levenshtein distance (insertions, deletions,
// substitutions, and swaps of neighbours, each once: the "optimal string alignment" variant).

/// The distance of two names, or nil when it is above `limit`. Cost: O(|a| · |b|).
public func editDistance(_ a: String, _ b: String, limit: Int = Int.max) -> Int? {
  let x = Array(a.unicodeScalars)
  let y = Array(b.unicodeScalars)
  if x.isEmpty || y.isEmpty {
    let distance = max(x.count, y.count)
    return distance <= limit ? distance : nil
  }
  if abs(x.count - y.count) > limit { return nil }
  var beforeLast = [Int](repeating: 0, count: y.count + 1)
  var last = Array(0...y.count)
  var row = last
  for i in 1...x.count {
    row[0] = i
    var least = i
    for j in 1...y.count {
      let cost = x[i - 1] == y[j - 1] ? 0 : 1
      var value = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
      if i > 1, j > 1, x[i - 1] == y[j - 2], x[i - 2] == y[j - 1] { value = min(value, beforeLast[j - 2] + 1) }
      row[j] = value
      least = min(least, value)
    }
    if least > limit { return nil }
    (beforeLast, last, row) = (last, row, beforeLast)
  }
  return last[y.count] <= limit ? last[y.count] : nil
}

/// At most `count` of the candidates that are near enough to be a slip of `name` (a distance of at most a third of its
/// length, or another case), nearest first; equal ones in the order given, so callers rank by type or scope before.
public func nearestNames(_ name: String, among candidates: some Sequence<String>, count: Int = 3) -> [String] {
  let limit = max(1, name.unicodeScalars.count / 3)
  let lowered = name.lowercased()
  var found: [(name: String, distance: Int, order: Int)] = []
  var seen: Set<String> = []
  for (order, candidate) in candidates.enumerated() where candidate != name && seen.insert(candidate).inserted {
    if candidate.lowercased() == lowered {
      found.append((candidate, 0, order))
    } else if let distance = editDistance(name, candidate, limit: limit), distance < name.unicodeScalars.count {
      found.append((candidate, distance, order))
    }
  }
  return found.sorted { ($0.distance, $0.order) < ($1.distance, $1.order) }.prefix(count).map(\.name)
}

/// The letters of a name that are no Latin ones and look like such: each with the one that it looks like.
public func lookAlikes(in name: String) -> [(letter: Character, latin: Character)] {
  name.compactMap { letter in latinLetters[letter].map { (letter, $0) } }
}

/// The name in Latin letters, as far as it looks so.
public func inLatinLetters(_ name: String) -> String {
  // Most names are, and each unknown one is compared with all that are known.
  name.utf8.allSatisfy { $0 < 0x80 } ? name : String(name.map { latinLetters[$0] ?? $0 })
}

/// Cyrillic and Greek letters, by what they look like.
private let latinLetters: [Character: Character] = [
  "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "і": "i", "ј": "j", "к": "k", "ӏ": "l", "м": "m",
  "п": "n",
  "о": "o", "р": "p", "ԛ": "q", "г": "r", "ѕ": "s", "т": "t", "ѵ": "v", "ѡ": "w", "х": "x", "у": "y", "А": "A",
  "В": "B",
  "С": "C", "Е": "E", "Н": "H", "І": "I", "Ј": "J", "К": "K", "М": "M", "О": "O", "Р": "P", "Ѕ": "S", "Т": "T",
  "Х": "X",
  "У": "Y", "α": "a", "ι": "i", "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "τ": "t", "υ": "u", "χ": "x", "Α": "A",
  "Β": "B",
  "Ε": "E", "Ζ": "Z", "Η": "H", "Ι": "I", "Κ": "K", "Μ": "M", "Ν": "N", "Ο": "O", "Ρ": "P", "Τ": "T", "Υ": "Y",
  "Χ": "X",
]
