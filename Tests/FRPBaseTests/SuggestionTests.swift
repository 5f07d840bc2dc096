import FRPBase
import Testing

@Suite struct SuggestionTests {
  @Test(arguments: [
    ("sped", "speed", 1), ("ab", "ba", 1), ("kitten", "sitting", 3), ("", "abc", 3), ("x", "x", 0),
    ("größe", "grosse", 3),
  ])
  func distances(a: String, b: String, expected: Int) {
    #expect(editDistance(a, b) == expected)
    #expect(editDistance(b, a) == expected)
  }

  @Test func aLimitCutsOff() {
    #expect(editDistance("kitten", "sitting", limit: 2) == nil)
  }

  @Test func theNearestComeFirst() {
    #expect(nearestNames("sped", among: ["time", "speed", "spend", "sped2"]) == ["speed", "spend", "sped2"])
    #expect(nearestNames("point", among: ["Point", "paint"]) == ["Point", "paint"])
    #expect(nearestNames("x", among: ["y", "z"]) == [])
    #expect(nearestNames("foldl", among: ["fold", "hold", "fold"]) == ["fold"])
  }
}
