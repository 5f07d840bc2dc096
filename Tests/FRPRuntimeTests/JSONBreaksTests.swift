import FRPRuntime
import Testing

@Suite struct JSONBreaksTests {
  /// What a text is cut into that comes so many bytes at a time.
  private func cut(_ text: String, by step: Int) -> [String] {
    let bytes = Array(text.utf8)
    var breaks = JSONBreaks()
    var parts: [ArraySlice<UInt8>] = []
    var start = 0
    var here = 0
    while true {
      let found = bytes[start..<here].withUnsafeBufferPointer { breaks.next(in: $0) }
      if let found {
        parts.append(bytes[start..<start + found])
        start += found + 1
      } else if here < bytes.count {
        here = min(bytes.count, here + step)
      } else {
        break
      }
    }
    parts.append(bytes[start...])
    return parts.map { part in
      String(decoding: part, as: UTF8.self).split(separator: "\n").joined(separator: " ")
        .split(separator: " ").joined(separator: " ")
    }.filter { !$0.isEmpty }
  }

  @Test(arguments: [
    ("[1,2,3]", ["1", "2", "3"]), ("[\n 1,\n 2\n]\n", ["1", "2"]), ("[]", []), ("[[1,2],[3]]", ["[1,2]", "[3]"]),
    (#"[{"a": "],[\"}"}, {"b": [",", {}]}]"#, [#"{"a": "],[\"}"}"#, #"{"b": [",", {}]}"#]),
    ("{\"a\":\n1}\n{\"a\":2}\n\n3\n", ["{\"a\": 1}", "{\"a\":2}", "3"]), ("[1]\n[2,3]", ["1", "2", "3"]), ("7", ["7"]),
    ("[\"\\\\\",\"\\\\\\\"\"]", ["\"\\\\\"", "\"\\\\\\\"\""]),
    // Malformed: what is whole comes whole.
    ("[{\"a\":\"1},\n{\"a\":2},\n{\"a\":3}]", ["{\"a\":\"1},", "{\"a\":2}", "{\"a\":3}"]), ("[1,2", ["1", "2"]),
    ("{]}\n1", ["{]}", "1"]), ("]1\n2", ["]1", "2"]),
  ])
  func values(_ text: String, _ wanted: [String]) {
    for step in [1, 2, 3, 7, 1000] { #expect(cut(text, by: step) == wanted, "\(step) bytes at a time") }
  }
}
