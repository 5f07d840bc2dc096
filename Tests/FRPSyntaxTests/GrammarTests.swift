import FRPBase
import FRPSyntax
import FRPTestFiles
import Glibc
import Testing

/// Grammar and parser say the same, in both directions.
@Suite struct GrammarTests {
  let grammar: Grammar
  /// `FRP_GRAMMAR_ROUNDS=50` looks that much longer.
  let factor = Int(getenv("FRP_GRAMMAR_ROUNDS").map { String(cString: $0) } ?? "") ?? 1

  init() throws {
    grammar = try .ofTheLanguage()
  }

  @Test func everyRuleIsDefinedAndUsed() {
    #expect(grammar.looseEnds() == [])
    #expect(grammar.order.count > 80)
  }

  /// Editors colour the words that the parser knows.
  @Test func theEditorGrammarHasEveryWord() throws {
    let text = try #require(TestFiles.read(TestFiles.root + "/grammar/frp.tmLanguage.json"))
    for word in [
      "if", "then", "else", "match", "input", "output", "type", "alias", "import", "test", "true", "false",
      "as", "given", "expect", "every", "with", "at", "within", "from", "to",
    ] {
      #expect(
        text.contains("|\(word)|") || text.contains(":\(word)|") || text.contains("|\(word))")
          || text.contains(")\(word)\\\\b"), "\(word)")
    }
  }

  @Test(arguments: [false, true])
  func whatTheGrammarMakesIsAccepted(hasForeignWords: Bool) {
    var generator = GrammarGenerator(grammar, seed: 1)
    generator.hasForeignWords = hasForeignWords
    var characters = 0
    for round in 0..<(600 * factor) {
      let program = generator.program(size: 50 + (round % 60) * 15)
      characters += program.utf8.count
      let parsed = Parsed(program)
      if let first = parsed.diagnostics.first {
        let near = Array(program.utf8)[
          max(0, Int(first.span.start) - 120)..<min(program.utf8.count, Int(first.span.start) + 60)]
        Issue.record("\(first.code) \(first.title) at \(String(decoding: near, as: UTF8.self).debugDescription)")
        return
      }
    }
    #expect(characters > 300_000)
  }

  @Test func theRecogniserAcceptsWhatTheGrammarMakes() {
    var generator = GrammarGenerator(grammar, seed: 2)
    for _ in 0..<(80 * factor) {
      let program = generator.program(size: 200)
      let tokens = Parser.grammarTokens(SourceFile(name: "g", text: program))
      if !GrammarRecogniser.accepts(grammar, tokens) {
        Issue.record("not recognised:\n\(program)")
        return
      }
    }
  }

  @Test func theRecogniserRejectsWhatIsNoProgram() {
    for text in [
      "x = ", "x = (", "x = 1 2", "= 3", "x = a < b < c", "x = { a = 1 }", "match", "x = match a { }", "x = {a, b}",
    ] {
      #expect(!GrammarRecogniser.accepts(grammar, Parser.grammarTokens(SourceFile(name: "g", text: text))), "\(text)")
    }
  }

  /// Programs with a token deleted, doubled or swapped: the parser ends, and accepts no more than the grammar.
  @Test func whatTheParserAcceptsIsInTheGrammar() {
    var generator = GrammarGenerator(grammar, seed: 3)
    var accepted = 0
    for round in 0..<(700 * factor) {
      let program = round % 3 == 0 ? Self.samples[round % Self.samples.count] : generator.program(size: 120)
      let mutant = mutate(program, &generator.dice)
      guard Parsed(mutant).diagnostics.isEmpty else { continue }
      accepted += 1
      let tokens = Parser.grammarTokens(SourceFile(name: "g", text: mutant))
      if !GrammarRecogniser.accepts(grammar, tokens) {
        Issue.record("accepted, but not in the grammar:\n\(mutant)")
        return
      }
    }
    #expect(accepted > 60)
  }

  private func mutate(_ program: String, _ dice: inout Dice) -> String {
    let source = SourceFile(name: "g", text: program)
    let tokens = Parser.grammarTokens(source).filter { $0.name != "NEWLINE" && $0.end > $0.start }
    guard tokens.count > 2 else { return program }
    let chosen = dice.roll(tokens.count - 1)
    let (first, second) = (tokens[chosen], tokens[chosen + 1])
    func text(_ start: Int, _ end: Int) -> String { String(decoding: source.bytes[start..<end], as: UTF8.self) }
    let before = text(0, first.start)
    let after = text(first.end, source.bytes.count)
    switch dice.roll(4) {
    case 0: return before + after
    case 1: return before + first.text + " " + first.text + after
    case 2:
      return before + second.text + text(first.end, second.start) + first.text + text(second.end, source.bytes.count)
    default: return before + tokens[dice.roll(tokens.count)].text + after
    }
  }

  private static let samples = [
    "count = clicks |> fold(0, (n, _) => n + 1)\noutput label = \"clicked {count} times\"\n",
    "type Shape = Circle(Float) | Rect(w: Float, h: Float)\narea(shape) = match shape {\n  Circle(r) => 3.14 * r * r\n  Rect(w, h) if w == h => w * w\n  Rect(w: a, h: b) => a * b\n}\n",
    "distance(a: Point, b: Point): Float = {\n  dx = a.x - b.x\n  dy = a.y - b.y\n  -dx + sqrt(dx * dx + dy * dy)\n}\n",
    "f(x) = if x > 1 && !b then {...p, a.b: [1, ...x]} else {x: 1, y: (+)}\n(big, small) = e |> partition(x => x > 9)\n",
    "test \"counts\" {\n  given clicks = \"--x\" every 100ms with {x: 1}\n  expect count at 450ms == 2 ± 0.1\n  expect d |> map(.a) == \"--A\" every 1s with {A: 2}\n}\n",
  ]
}
