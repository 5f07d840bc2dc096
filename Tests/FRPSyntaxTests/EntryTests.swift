import FRPBase
import FRPSyntax
import Testing

/// What a prompt does with a line: run it, or ask for more.
@Suite struct EntryTests {
  private func entry(_ text: String) -> Entry {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: text))
    var tree = Tree()
    return Parser.parseEntry(file, in: sources, into: &tree)
  }

  @Test(arguments: [
    "1 + 2", "x = 3", "clicks |> map(_ => 1)", "f(x) = {\n  x\n}", "\"text\"", "{}", "input a: Int", "x = 1\ny = 2",
    "-x", "{x: 1}", "// note", "",
  ])
  func complete(text: String) {
    let entry = entry(text)
    #expect(entry.status == .complete)
    #expect(entry.diagnostics.isEmpty)
  }

  @Test(arguments: [
    ("f(x) = {", "}"), ("foo(1,", ")"), ("[1, 2", "]"), ("1 +", ""), ("x =", ""), ("x = \"\"\"", "\"\"\""),
    ("if a then b", ""),
    ("xs |>", ""), ("match x {\n  A => 1", "}"), ("(a, b) =>", ""), ("test \"a\" {", "}"), ("input a:", ""),
    ("type T =", ""), ("[1, (2 +", ""),
  ])
  func incomplete(text: String, waitingFor: String) {
    let entry = entry(text)
    #expect(entry.status == .incomplete(waitingFor: waitingFor))
    #expect(!entry.diagnostics.isEmpty)
  }

  @Test(arguments: ["x = )", "1 2 3", "let x = 3", "x = \"abc", "x += 1", "f(a b", "(]"])
  func wrong(text: String) {
    let entry = entry(text)
    #expect(entry.status == .complete)
    #expect(!entry.diagnostics.isEmpty)
  }

  @Test func partsInOrder() {
    let parts = entry("x = 1; x + 1\noutput y = 2").parts.map { part in
      switch part {
      case .item: "item"
      case .expr: "expr"
      }
    }
    #expect(parts == ["item", "expr", "item"])
  }
}
