import FRPBase
import FRPDifferential
import FRPSyntax
import FRPTestFiles
import Glibc
import Testing

/// What the formatter prints has the same tree and the same comments, and is printed the same again.
@Suite struct PrinterTests {
  static func format(_ text: String) -> String? {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "p", text: text))
    return Printer.format(file, in: sources).text
  }

  static func problem(_ program: String) -> String? {
    let before = Parsed(program)
    guard before.diagnostics.isEmpty else { return "does not parse: \(before.messages)" }
    guard let once = format(program) else { return "is not formatted" }
    let after = Parsed(once)
    guard after.diagnostics.isEmpty else { return "formatted, does not parse: \(after.messages)\n\(once)" }
    if TreeDump.dump(before) != TreeDump.dump(after) { return "formatted, has another tree:\n\(once)" }
    func comments(_ parsed: Parsed) -> [String] { parsed.tree.modules[0].comments.map(\.text) }
    if comments(before) != comments(after) { return "formatted, has other comments:\n\(once)" }
    guard let twice = format(once), twice == once else {
      return "formatted twice, differs:\n\(once)\n---\n\(format(once) ?? "-")"
    }
    return nil
  }

  static let examples = TestFiles.names(in: TestFiles.root + "/examples", ending: ".frp")

  @Test(arguments: ["examples", "Tests/Golden/types", "Tests/Golden/core", "Tests/Golden/errors"])
  func programsStayWhatTheyAre(folder: String) throws {
    let folder = TestFiles.root + "/" + folder
    for name in TestFiles.names(in: folder, ending: ".frp") {
      let text = try #require(TestFiles.read("\(folder)/\(name).frp"))
      guard Parsed(text).diagnostics.isEmpty else { continue }
      if let problem = Self.problem(text) { Issue.record("\(name) \(problem)") }
    }
  }

  @Test func thereAreExamples() {
    #expect(Self.examples.count > 10)
  }

  @Test func generatedProgramsStayWhatTheyAre() throws {
    var generator = GrammarGenerator(try Grammar.ofTheLanguage(), seed: 7)
    for round in 0..<(Int(getenv("FRP_GRAMMAR_ROUNDS").map { String(cString: $0) } ?? "") ?? 1) * 200 {
      let program = generator.program(size: 50 + (round % 40) * 15)
      if let problem = Self.problem(program) {
        Issue.record("\(problem)\n--- from\n\(program)")
        return
      }
    }
  }

  /// Comments between any two tokens survive, in order.
  @Test func commentsAnywhereAreKept() throws {
    var dice = Dice(11)
    var kept = 0
    for name in Self.examples {
      let text = try #require(TestFiles.read("\(TestFiles.root)/examples/\(name).frp"))
      for _ in 0..<6 {
        let program = commented(text, &dice)
        guard Parsed(program).diagnostics.isEmpty else { continue }
        kept += 1
        if let problem = Self.problem(program) {
          Issue.record("\(problem)\n--- from\n\(program)")
          return
        }
      }
    }
    #expect(kept > 40)
  }

  private func commented(_ text: String, _ dice: inout Dice) -> String {
    let source = SourceFile(name: "c", text: text)
    var result = text
    let places = Parser.grammarTokens(source).filter { $0.name != "NEWLINE" && !$0.name.hasPrefix("TEXT") }
    guard !places.isEmpty else { return text }
    for place in (0..<3).map({ _ in places[dice.roll(places.count)].start }).sorted().reversed() {
      let index = result.utf8.index(result.utf8.startIndex, offsetBy: place)
      result.insert(contentsOf: "// c\(place)\n" + String(repeating: " ", count: 4 + dice.roll(3) * 8), at: index)
    }
    return result
  }

  /// A comment may stand between a port and what it is connected to, and ends no line before the port.
  @Test(arguments: [
    "input s: Event<{ // c\n  a: Int}> from Serve.sockets(\"/\")\n",
    "input s: Event<Int> // c\n  from Serve.sockets(\"/\")\n",
    "input s: Event<Int> from // c\n  Serve.sockets(\"/\")\n", "output o = e to // from to\n  print\n",
    "output o = e // to\n  to print\n",
  ])
  func commentsBesidePortsStayWhereTheyAre(_ text: String) {
    let problem = Self.problem(text)
    #expect(problem == nil)
  }

  @Test func linesEndAlikeInTextsToo() {
    let text = "output a = \"\"\"\r\n  x {1 + 2}\r\n  y\r\n  \"\"\"\r\n"
    let formatted = Self.format(text)
    #expect(formatted == "output a = \"\"\"\n  x {1 + 2}\n  y\n  \"\"\"\n")
  }

  /// One file a case in Tests/Golden/format: `name.frp` becomes `name.txt`.
  @Test func goldenFiles() throws {
    let folder = TestFiles.tests + "/Golden/format/"
    let names = TestFiles.names(in: folder, ending: ".frp")
    #expect(!names.isEmpty)
    for name in names {
      let text = try #require(TestFiles.read("\(folder)\(name).frp"))
      let difference = TestFiles.difference(Self.format(text) ?? "not formatted", from: "\(folder)\(name).txt")
      #expect(difference == nil)
      if let problem = Self.problem(text) { Issue.record("\(name) \(problem)") }
    }
  }
}
