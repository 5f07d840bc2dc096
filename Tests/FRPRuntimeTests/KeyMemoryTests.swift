import FRPCore
import FRPRuntime
import Testing

/// A decoder that remembers keys gives what a fresh one gives, whatever came before.
struct KeyMemoryTests {
  /// One object as text: known and unknown keys in any order, written in several ways.
  private static func object(_ seed: inout UInt64) -> String {
    func next(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    let spellings = [
      ["\"x\"", "\"\\u0078\""], ["\"y\""], ["\"note\"", "\"n\\u006fte\""], ["\"unknown\""],
      ["\"a key that is longer than what is remembered of keys\""], ["\"\""], ["\"x2\""],
    ]
    var parts: [String] = []
    for _ in 0..<2 + next(5) {
      let names = spellings[next(spellings.count)]
      let key = names[next(names.count)]
      let colon = [":", " : ", ":  "][next(3)]
      let number = names[0] == "\"note\"" ? ["1", "null"][next(2)] : "2.5"
      let others = ["null", "\"é\"", "{\"x\":1}", "[\"\\q\"]", "\"\\t\""]
      // Mostly what fits, so that most objects can be read to their ends.
      let value = next(8) > 0 && names[0].count < 7 ? number : others[next(5)]
      parts.append(key + colon + value)
    }
    return "{" + parts.joined(separator: [",", ", "][next(2)]) + "}"
  }

  @Test func rememberedKeysChangeNothing() throws {
    var seed: UInt64 = 7
    let old = CodecFixture()
    var readable = 0
    for _ in 0..<400 {
      let text = Self.object(&seed)
      let fresh = try CodecFixture().again(text, old.point)
      #expect(try old.again(text, old.point) == fresh, "\(text)")
      if fresh.hasPrefix("{") { readable += 1 }
    }
    #expect(readable > 25 && readable < 350)
  }

  @Test func aKeyAtTheEndOfTheText() throws {
    let f = CodecFixture()
    #expect(try f.again(#"{"x":1,"y":2}"#, f.point) == #"{"note":null,"x":1.0,"y":2.0}"#)
    // Shorter than what is compared at once, and cut off inside a key that is remembered.
    for count in 1..<12 {
      let text = String(#"{"x":1,"y":2}"#.prefix(count))
      #expect(try f.again(text, f.point) == CodecFixture().again(text, f.point), "\(text)")
    }
    #expect(try f.again(#"{"xx":1,"y":2,"x":3}"#, f.point) == #"{"note":null,"x":3.0,"y":2.0}"#)
    #expect(try f.again(#"{"x":1,"y":2,"x":3}"#, f.point) == #"{"note":null,"x":3.0,"y":2.0}"#)
  }

  @Test func skippedTextIsStillChecked() throws {
    let f = CodecFixture()
    for (text, problem) in [
      (#"{"x":1,"y":2,"z":"\q"}"#, "this escape is unknown"),
      (#"{"x":1,"y":2,"z":"\ud800"}"#, "this escape is half of a surrogate pair"),
      (#"{"x":1,"y":2,"z":"\u12"}"#, "\\u needs four hexadecimal digits"),
      ("{\"x\":1,\"y\":2,\"z\":\"a\u{1}\"}", "a control character in a string must be escaped"),
    ] {
      let shown = try f.again(text, f.point)
      #expect(shown.hasSuffix(problem), "\(shown)")
    }
    #expect(try f.again(#"{"x":1,"y":2,"z":"\"\\\/\b\f\n\r\t\u00e9"}"#, f.point) == #"{"note":null,"x":1.0,"y":2.0}"#)
  }
}
