import FRPBase
import FRPSyntax
import Testing

/// Texts that are meant to hurt: no crash, no hang, and few words.
@Suite struct HostileTests {
  static let nests: [(String, String)] = [
    ("open parentheses", "x = " + String(repeating: "(", count: 100_000)),
    ("parentheses", "x = " + String(repeating: "(", count: 20_000) + "1" + String(repeating: ")", count: 20_000)),
    ("open braces", "x = " + String(repeating: "{", count: 100_000)),
    ("lists", "x = " + String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000)),
    ("mismatched", "x = " + String(repeating: "([", count: 20_000) + String(repeating: "))", count: 20_000)),
    ("sums", "x = 1" + String(repeating: " + 1", count: 20_000)),
    ("pipes", "x = a" + String(repeating: " |> f", count: 20_000)),
    ("joins", "x = a" + String(repeating: " ++ a", count: 20_000)),
    ("fields", "x = a" + String(repeating: ".b", count: 20_000)),
    ("calls", "x = a" + String(repeating: "()", count: 20_000)),
    ("minuses", "x = " + String(repeating: "-", count: 20_000) + "1"),
    ("lambdas", "x = " + String(repeating: "a => ", count: 20_000) + "1"),
    ("ifs", "x = " + String(repeating: "if a then b else ", count: 20_000) + "1"),
    ("interpolations", "x = " + String(repeating: "\"{", count: 20_000)),
    ("types", "input x: " + String(repeating: "List<", count: 20_000) + "Int"),
    ("arrows", "input x: " + String(repeating: "a -> ", count: 20_000) + "Int"),
    ("patterns", "f(" + String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000) + ") = 1"),
    ("blocks", "x = " + String(repeating: "{ a = 1; ", count: 20_000) + "a" + String(repeating: "}", count: 20_000)),
    (
      "matches",
      "x = " + String(repeating: "match a { _ => ", count: 20_000) + "a" + String(repeating: "}", count: 20_000)
    ),
    ("records", "x = " + String(repeating: "{a: ", count: 20_000) + "1" + String(repeating: "}", count: 20_000)),
    ("lines", "x = " + String(repeating: "(\n", count: 20_000) + String(repeating: ")\n", count: 20_000)),
    ("nul", "x = 1\0"), ("unfinished", "x = \"\"\"" + String(repeating: "abc\n", count: 100_000)),
    ("quotes", "x = " + String(repeating: "'", count: 10_001)),
  ]

  @Test func deepAndUnfinishedTextsGiveOneMessage() {
    onLargeStack {
      for (name, text) in Self.nests where name != "quotes" {
        let diagnostics = Parsed(text).diagnostics
        #expect(diagnostics.count == 1, "\(name) gives \(diagnostics.count): \(diagnostics.prefix(3).map(\.title))")
      }
    }
  }

  @Test func longButFlatIsFine() {
    #expect(Parsed("x = [" + String(repeating: "1, ", count: 20_000) + "1]").diagnostics.isEmpty)
    #expect(Parsed((0..<5_000).map { "f\($0)(a) = a + \($0)" }.joined(separator: "\n")).diagnostics.isEmpty)
    #expect(Parsed("").diagnostics.isEmpty)
    #expect(Parsed(String(repeating: ";", count: 10_000)).diagnostics.isEmpty)
  }

  @Test func messagesAreLimited() {
    let many = (0..<5_000).map { "f\($0) = (a +" }.joined(separator: "\n")
    #expect(Parsed(many).diagnostics.count <= 400)
    #expect(renderText(Parsed(many).diagnostics, sources: Parsed(many).sources).contains("\nand 180 more\n"))
  }

  /// Each line is read once, however many unclosed blocks within one another could go on at it (the fuzzer found this).
  @Test func mistakesInUnclosedBlocksAreReadOnce() {
    func open(_ count: Int) -> String { String(repeating: "{", count: count) }
    let text = [
      "x=\(open(6));{ev2", "\(open(4))2", "\(open(15));\(open(6))0ao2", "\(open(3));\(open(6))utput  = 2",
      "\(open(14))put  = 2", "\(open(29))p(ype%ShflatM=\(open(6));\(open(9))0aoutput  = 2",
      "\(open(7))ap(\(open(5));{every(100ms)tput  = 2", "\(open(7)) 2", "\(open(23))lter(c.",
      "tap(ype%ShflatM=\(open(6));\(open(8))flatM=\(open(6));\(open(9))0aoutput  = 2", "\(open(3))",
    ].joined(separator: "\n")
    onLargeStack {
      let parsed = Parsed(text)
      #expect(!parsed.diagnostics.isEmpty)
      #expect(parsed.tree.exprs.count <= 2 * text.utf8.count, "\(parsed.tree.exprs.count) expressions")
    }
  }

  @Test func whatIsNoTextIsOneMessage() {
    #expect(Parsed(bytes: [0x78, 0x20, 0x3D, 0x20, 0xFF]).diagnostics.map(\.code) == [.strayCharacter])
    #expect(Parsed(bytes: [0xC0, 0x80]).diagnostics.map(\.code) == [.strayCharacter])
    #expect(Parsed(bytes: [0xED, 0xA0, 0x80]).diagnostics.map(\.code) == [.strayCharacter])
    #expect(
      Parsed(bytes: [UInt8](repeating: 0x20, count: Parser.maximumSize + 1)).diagnostics.map(\.code) == [.largeFile])
  }

  /// Random bytes and random pieces of programs.
  @Test func noiseNeverStopsTheParser() throws {
    var dice = Dice(5)
    let pieces = [
      "x", "=", "(", ")", "{", "}", "[", "]", "\"", "\"\"\"", "match", "if", "then", "else", "=>", "->", "\n", "\n  ",
      ";", ":", ",", "|", "|>",
      "...", "..", ".", "1", "1.5", "-", "test", "input", "output", "type", "as", "_", "Foo", "<", ">", "//", "\\", "'",
      "é", "“", "±", "given", "expect", "@", "+=",
    ]
    for round in 0..<1_500 {
      var text = ""
      for _ in 0..<dice.roll(40) { text += pieces[dice.roll(pieces.count)] + (dice.roll(2) == 0 ? " " : "") }
      if round % 4 == 0 { text = String(decoding: (0..<60).map { _ in UInt8(dice.roll(255) + 1) }, as: UTF8.self) }
      let parsed = Parsed(text)
      var tree = Tree()
      let entry = Parser.parseEntry(FileID(0), in: parsed.sources, into: &tree)
      _ = renderText(parsed.diagnostics, sources: parsed.sources)
      _ = renderJSON(parsed.diagnostics, sources: parsed.sources)
      if parsed.diagnostics.isEmpty { #expect(PrinterTests.problem(text) == nil, "\(text)") }
      if case .incomplete = entry.status { #expect(!entry.diagnostics.isEmpty, "\(text)") }
    }
  }
}
