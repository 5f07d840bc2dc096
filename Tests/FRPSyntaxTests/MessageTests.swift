import FRPBase
import FRPSyntax
import FRPTestFiles
import Testing

/// What the parser says: one file a case in Tests/Golden/syntax, `name.frp` and the messages in `name.txt`.
@Suite struct MessageTests {
  @Test func goldenFiles() throws {
    let folder = TestFiles.tests + "/Golden/syntax/"
    let names = TestFiles.names(in: folder, ending: ".frp")
    #expect(names.count > 40)
    for name in names {
      let parsed = Parsed(try #require(TestFiles.read("\(folder)\(name).frp")), name: name + ".frp")
      if name.hasPrefix("E0") {
        #expect(
          parsed.diagnostics.contains { name.hasPrefix($0.code.rawValue) },
          "\(name) gives \(parsed.diagnostics.map(\.code))")
      }
      let difference = TestFiles.difference(parsed.messages, from: "\(folder)\(name).txt")
      #expect(difference == nil)
    }
  }

  @Test func oneMistakeIsOneMessage() throws {
    for text in [
      "x = (1 + \ny = 2", "x = [1, {a: 2, (3]\ny = 1", "f(x) = match x { A => (1; B => 2 }\ng = 1",
      "x = \"{f(\"\ny = 1",
    ] {
      #expect(Parsed(text).diagnostics.count == 1, "\(text): \(Parsed(text).messages)")
    }
  }

  /// Words of other languages are names like others, wherever a name may stand.
  @Test(arguments: [
    "for", "foreach", "while", "loop", "repeat", "until", "fn", "fun", "func", "function", "lambda", "proc", "def",
    "let", "var", "const",
    "val", "mut", "when", "case", "switch", "cond", "new", "await", "yield", "do", "return", "not", "unless", "of",
    "where", "in", "and",
    "or", "print", "echo", "class", "struct", "enum", "data", "try", "catch", "throw", "begin", "static", "public",
    "async", "then2",
  ])
  func wordsOfOtherLanguagesAreNames(word: String) {
    for shape in [
      "W = 1", "a = W", "a = 1 + W", "a = -W", "a = [W, W]", "a = {x: W, y: 1}", "a = \"{W}\"", "a = {W: 1}.W",
      "a = if W then 1 else 2",
      "a = match W { 1 => 2; _ => 3 }", "a = match 1 + W { 1 => 2; _ => 3 }", "a = match (W, W(1)) { _ => 3 }",
      "W(x) = x + 1",
      "a = W(1)", "a = W({x: 1})", "a = match W(1) { 1 => 2; _ => 3 }", "a = match 1 + W(1) { 1 => 2; _ => 3 }",
      "a = match x { 1 => match W(x) { _ => W }; _ => W(2) }", "a = [1] |> map(W)", "a = 1 |> W",
      "a = [1] |> map(W => W + 1)",
      "a = match x { W => W }", "a = match x { y if y < W => y; _ => 0 }", "a = { W = 1; W + 1 }",
      "a = {\n  b = 1\n  W\n}",
      "a = W\n  |> f", "f(W) = W + 1", "input W: Event<Int>",
    ] {
      let text = String(shape.split(separator: "W", omittingEmptySubsequences: false).joined(separator: word))
      #expect(Parsed(text).diagnostics.isEmpty, "\(text): \(Parsed(text).messages)")
    }
  }

  /// Applying the edits that may be applied without looking gives a program without mistakes.
  @Test(arguments: [
    "x = “hello”", "x = 3 − 2", "x := 3", "x = (a, b) -> a", "x = a === b", "x = 'a'", "# note\nx = 1",
    "x = 1\u{A0}+ 2",
  ])
  func safeEditsRepair(text: String) {
    let parsed = Parsed(text)
    #expect(!parsed.diagnostics.isEmpty)
    var bytes = Array(text.utf8)
    let edits = parsed.diagnostics.flatMap(\.helps).compactMap(\.edit).filter(\.isSafe).sorted {
      $0.span.start > $1.span.start
    }
    #expect(!edits.isEmpty)
    for edit in edits { bytes.replaceSubrange(Int(edit.span.start)..<Int(edit.span.end), with: Array(edit.text.utf8)) }
    let repaired = String(decoding: bytes, as: UTF8.self)
    #expect(Parsed(repaired).diagnostics.isEmpty, "\(repaired)")
  }
}
