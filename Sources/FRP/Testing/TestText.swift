// Texts of a failed test that somebody reads: what is long is cut where it says least.

enum TestText {
  /// How many failures of one test are told.
  private static let failures = 20
  /// Characters of a value.
  private static let value = 400
  /// Characters of what both values have before they differ.
  private static let part = 80

  static func short(_ text: String) -> String {
    text.count <= value ? text : text.prefix(value - 1) + "…"
  }

  /// Two values that differ, each cut around the first difference where one is long.
  static func pair(_ expected: String, _ actual: String) -> (String, String) {
    if expected.utf8.count <= value, actual.utf8.count <= value { return (expected, actual) }
    let common = zip(expected, actual).prefix { $0 == $1 }.count
    let start = common <= part ? 0 : common - part / 2
    return (cut(expected, from: start), cut(actual, from: start))
  }

  private static func cut(_ text: String, from start: Int) -> String {
    let rest = text.dropFirst(start)
    let hidden = rest.count - value
    return (start > 0 ? "…" : "") + rest.prefix(value)
      + (hidden > 0 ? "… and \(grouped(hidden)) more characters" : "")
  }

  static func limited(_ list: [String]) -> [String] {
    if list.count <= failures { return list }
    return list.prefix(failures) + ["… and \(grouped(list.count - failures)) more failures of this test"]
  }

  /// `3,490`.
  static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.insert(",", at: text.startIndex) }
      text.insert(digit, at: text.startIndex)
    }
    return text
  }
}
