import FRPBase
import Testing

@Suite struct TextSearchTests {
  @Test(arguments: [
    ("", "", 0), ("abc", "", 0), ("", "a", nil), ("abc", "abc", 0), ("abc", "abcd", nil), ("xabcabc", "abc", 1),
    ("aaab", "aab", 1), ("äöü", "ü", 2), ("a\r\nb", "\n", nil), ("a\r\nb", "\r\n", 1), ("e\u{301}e", "e", 1),
    ("👩‍👩‍👧👧", "👧", 1),
  ])
  func whereATextOccurs(_ whole: String, _ text: String, _ place: Int?) {
    let range = whole.firstRange(of: text)
    #expect(range.map { whole.distance(from: whole.startIndex, to: $0.lowerBound) } == place)
    #expect(range.map { String(whole[$0]) } == (place == nil ? nil : text))
    #expect(whole.contains(text) == (place != nil))
    #expect("<\(whole)>".dropFirst().dropLast().contains(text) == (place != nil))
  }

  @Test func replacing() {
    #expect("a.b..c".replacing(".", with: "::") == "a::b::::c")
    #expect("aaa".replacing("aa", with: "a") == "aa")
    #expect("abc".replacing("", with: "-") == "abc")
    #expect("\"quoted\"".dropFirst().replacing("\"", with: "\\\"") == "quoted\\\"")
  }

  @Test func parts() {
    #expect("a, b, c".parts(separatedBy: ", ") == ["a", "b", "c"])
    #expect("a, b, c".parts(separatedBy: ", ", maxSplits: 1) == ["a", "b, c"])
    #expect(", ".parts(separatedBy: ", ") == ["", ""])
    #expect("abc".parts(separatedBy: "") == ["abc"])
  }
}
