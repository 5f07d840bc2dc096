import FRPRuntime
import Testing

@Suite struct JSONBreaksTests {
  /// What a text is cut into that comes so many bytes at a time.
  private func cut(_ text: String, by step: Int, at keys: [String] = []) -> [String] {
    let bytes = Array(text.utf8)
    var breaks = JSONBreaks(at: keys)
    var parts: [ArraySlice<UInt8>] = []
    var start = 0
    var here = 0
    while true {
      let isAround = breaks.isAround
      let found = bytes[start..<here].withUnsafeBufferPointer { breaks.next(in: $0) }
      if let found {
        if !isAround { parts.append(bytes[start..<start + found]) }
        start += found + 1
      } else if here < bytes.count {
        here = min(bytes.count, here + step)
      } else {
        break
      }
    }
    if !breaks.isAround { parts.append(bytes[start...]) }
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

  @Test(arguments: [
    (#"{"type": "a", "rows": [1, {"rows": [2]}], "n": [3]}"#, "rows", ["1", #"{"rows": [2]}"#]),
    ("{\n \"a\": {\"rows\": [0]},\n \"rows\":\n [\n1,\n2]\n}\n", "rows", ["1", "2"]),
    (#"{"a": "rows", "b": ["rows", [9]], "rows": [1]}{"rows": [2]} {"rows":[]}"#, "rows", ["1", "2"]),
    (#"{"rows": {"rows": [1]}, "x": {"rows": [2]}}"#, "rows", []), (#"[{"rows": [1]}]"#, "rows", []),
    (#"{"data": {"x": [0], "rows": [1, 2]}, "rows": [3]}"#, "data.rows", ["1", "2"]),
    (#"{"data": [{"rows": [1]}], "data": {"y": {"rows": [2]}, "rows": [3]}}"#, "data.rows", ["3"]),
    (#"{"ro\"ws": [1], "\"rows": [2], "rows\"": [3], "row": [4], "rowsx": [5], "rows": [6]}"#, "rows", ["6"]),
    (#"{"rows": 1, "x": [2]}"#, "rows", []), (#"{"rows" x: [1]}"#, "rows", []), ("7\n[1]\n", "rows", []),
  ])
  func listsOfKeys(_ text: String, _ keys: String, _ wanted: [String]) {
    let keys = keys.split(separator: ".").map(String.init)
    for step in [1, 2, 3, 7, 1000] { #expect(cut(text, by: step, at: keys) == wanted, "\(step) bytes at a time") }
  }

  @Test(arguments: [
    (#"{"a": 1, "b": {"c": [1]}, "d \" e": [1]}"#, #"d \" e"#), (#"{"a": [], "b": [1]}"#, "a"), ("[[1]]", nil),
    ("{}", nil),
    (#"{"a": {"b": [1]}}"#, nil), (#"{"a": "["}"#, nil),
  ])
  func theKeyOfAList(_ text: String, _ wanted: String?) {
    #expect(Array(text.utf8).withUnsafeBufferPointer { JSONBreaks.keyOfList(in: $0) } == wanted)
  }
}
