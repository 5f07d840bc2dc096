// Programs with mistakes: definitions of all kinds that use one another whatever they are, and random programs with names
// exchanged, put into brackets or left out. What is said of them matters little; that something is said, and soon.

package enum Mistakes {
  package static func program(seed: UInt64) -> String {
    var random = Random(seed: seed ^ 0x0DD5_A1AD)
    var text =
      switch random.below(8) {
      case 0: Generator.program(seed: seed).source
      case 1: Generator.wide(seed: seed).source
      case 2: Nestings.program(seed).source
      default: mixed(&random)
      }
    for _ in 0..<random.below(5) { text = changed(text, &random) }
    return text
  }

  /// Definitions from several families of `Growth`, of which some take an argument.
  private static func mixed(_ random: inout Random) -> String {
    let forms = (0..<random.within(1...4)).flatMap { _ in
      let family = random.pick(Growth.families)
      return [random.pick(family.forms), random.pick(family.first.split(separator: "\n").map(String.init))]
    }
    let count = random.within(2...12)
    var lines = ["input e: Event<Int>", "input b: Behavior<Float> = 0.5"]
    for place in 0..<count {
      let others = (0..<2).map { _ in
        random.oneIn(6) ? random.pick(["e", "b", "1", "[]", "time"]) : "n\(random.below(count))"
      }
      lines.append(
        random.pick(forms).replacing("N", "n\(place)").replacing("A", others[0]).replacing("B", others[1]))
    }
    lines.append(
      "output y = " + random.pick(["n0", "n0(1)", "n\(count - 1)", "n\(count - 1)(e)", "[n0, n\(count - 1)]"]))
    return lines.joined(separator: "\n") + "\n"
  }

  /// The text with one name exchanged, wrapped or left out.
  private static func changed(_ text: String, _ random: inout Random) -> String {
    let parts = words(text)
    let names = parts.indices.filter { parts[$0].first?.isLetter == true }
    if names.isEmpty { return text }
    let (place, other) = (random.pick(names), random.pick(names))
    var result = parts
    let name = parts[place]
    switch random.below(12) {
    case 0...3: result[place] = parts[other]
    case 4: result.swapAt(place, other)
    case 5: result[place] = "[\(name)]"
    case 6: result[place] = "(\(name), \(parts[other]))"
    case 7: result[place] = "{a: \(name), b: \(parts[other])}"
    case 8: result[place] = "(\(name) => \(parts[other]))"
    case 9: result[place] = "\(name)(\(parts[other]))"
    case 10: result[place] = random.pick(["1", "\"x\"", "true", "2s", "None", "never", "()", "[]"])
    default: result[place] = ""
    }
    return result.joined()
  }

  /// A text as names and what lies between them.
  private static func words(_ text: String) -> [String] {
    var result: [String] = []
    var isName = false
    for character in text {
      let belongs = character.isLetter || character.isNumber || character == "_"
      if result.isEmpty || belongs != isName { result.append("") }
      isName = belongs
      result[result.count - 1].append(character)
    }
    return result
  }
}
