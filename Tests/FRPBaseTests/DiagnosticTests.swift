import FRPBase
import Testing

@Suite struct DiagnosticTests {
  private func render(_ text: String, _ diagnostics: [Diagnostic], style: DiagnosticStyle = DiagnosticStyle()) -> String
  {
    var sources = SourceMap()
    _ = sources.add(SourceFile(name: "game.frp", text: text))
    return renderText(diagnostics, sources: sources, style: style)
  }

  private func span(_ start: Int, _ end: Int) -> Span { Span(file: FileID(0), start: start, end: end) }

  @Test func theWholeAnatomy() {
    let text = "input clicks: Event<Point>\ncursor = 2.0 * clicks.x\n"
    let diagnostic = Diagnostic(
      .eventAsValue, "this needs a behavior, but `clicks` is an event", at: span(42, 48),
      label: "an event has no value between its occurrences",
      labels: [Label(span(6, 12), "`clicks` is declared as an Event here")], notes: ["Events happen at moments."],
      helps: [
        Help("keep the last one", code: "clicks |> hold(origin)"),
        Help("or work on occurrences", code: "clicks |> map(c => 2.0 * c.x)"),
      ])
    #expect(
      render(text, [diagnostic]) == """
        error[E0403]: this needs a behavior, but `clicks` is an event

          game.frp:2:16
           1 │ input clicks: Event<Point>
             │       ------ `clicks` is declared as an Event here
           2 │ cursor = 2.0 * clicks.x
             │                ^^^^^^ an event has no value between its occurrences
          note: Events happen at moments.
          help: keep the last one:       clicks |> hold(origin)
          help: or work on occurrences:  clicks |> map(c => 2.0 * c.x)
          more: frp explain E0403

        """)
  }

  @Test func wideCharactersAreMeasuredAndControlsShown() {
    let text = "名 =\t\"é👩‍👩‍👧\" + \u{7}x"
    let start = Array(text.utf8).count - 1
    let out = render(
      text, [Diagnostic(.unknownName, "no `x`", at: span(start, start + 1))],
      style: DiagnosticStyle(showsFile: false, showsMore: false))
    #expect(
      out == """
        error[E0201]: no `x`

           1 │ 名 =    "é👩‍👩‍👧" + \\u{7}x
             │                      ^

        """)
  }

  @Test func proseIsWrappedAndSourceIsNot() {
    let line = "x = " + String(repeating: "a", count: 120)
    let long = String(repeating: "word ", count: 40)
    let out = render(line, [Diagnostic(.typeMismatch, long, at: span(0, 1), label: long, notes: [long])])
    for row in out.split(separator: "\n") where !row.contains("aaaa") { #expect(displayWidth(row) <= 80, "\(row)") }
    #expect(out.contains(line))
  }

  @Test func orderLimitAndDuplicates() {
    let text = "a\nb\nc\n"
    let many = (0..<3).reversed().flatMap { n in
      [
        Diagnostic(.unknownName, "no \(n)", at: span(n * 2, n * 2 + 1)),
        Diagnostic(.unknownName, "no \(n)", at: span(n * 2, n * 2 + 1)),
      ]
    }
    let out = render(text, many, style: DiagnosticStyle(limit: 2, showsMore: false))
    #expect(out.contains("no 0") && out.contains("no 1") && !out.contains("no 2"))
    #expect(out.hasSuffix("\nand 1 more\n"))
  }

  @Test func placesThatAreNone() {
    let out = render(
      "", [Diagnostic(.undefinedValue, "division by zero", at: .none, helps: [Help("guard it")])],
      style: DiagnosticStyle(showsMore: false))
    #expect(out == "error[R0101]: division by zero\n  help: guard it\n")
    #expect(render("x", [Diagnostic(.unusedDefinition, "odd", at: span(5, 90))]).contains("warning[W0201]"))
  }

  @Test func json() {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "a\"b.frp", text: "é = 1\n"))
    let diagnostic = Diagnostic(
      .confusedEquals, "two\nlines\u{1}", at: Span(file: file, start: 3, end: 4), label: "l",
      labels: [Label(Span(file: file, start: 0, end: 2), "m")],
      notes: ["n"],
      helps: [
        Help("h", code: "==", edit: Help.Edit(Span(file: file, start: 3, end: 4), "==", isSafe: true)), Help("g"),
      ])
    #expect(
      renderJSON([diagnostic], sources: sources)
        == #"{"code":"E0103","severity":"error","message":"two\nlines\u0001","label":"l","file":"a\"b.frp","span":{"start":{"line":1,"col":3,"utf8":3},"end":{"line":1,"col":4,"utf8":4}},"#
        + #""labels":[{"file":"a\"b.frp","span":{"start":{"line":1,"col":1,"utf8":0},"end":{"line":1,"col":2,"utf8":2}},"message":"m"}],"notes":["n"],"#
        + #""help":[{"message":"h","code":"=="},{"message":"g","code":null}],"#
        + #""edits":[{"file":"a\"b.frp","span":{"start":{"line":1,"col":3,"utf8":3},"end":{"line":1,"col":4,"utf8":4}},"text":"==","safe":true}],"explain":"frp explain E0103"}"#
        + "\n")
  }

  @Test func positionsCountCharacters() {
    let file = SourceFile(name: "f", text: "aé\r\n👩‍👩‍👧x")
    #expect(file.position(at: 3) == LineColumn(line: 1, column: 3))
    #expect(file.position(at: file.bytes.count) == LineColumn(line: 2, column: 3))
    #expect(file.position(at: 10_000) == LineColumn(line: 2, column: 3))
    #expect(String(decoding: file.lineBytes(0), as: UTF8.self) == "aé")
  }

  /// A machine-written line: wherever one looks in it, and whatever its Characters are made of.
  @Test func positionsInLongLines() {
    let parts = ["a", "é", "e\u{301}", "👩‍👩‍👧", "🇦🇹", "\t", "漢", "\r\r", "\u{200D}", "ab"]
    var text = "first\n"
    var place = 1
    for _ in 0..<3_000 {
      place = place * 16_807 % 2_147_483_647
      text += parts[place % parts.count]
    }
    text += "\nlast\n"
    let file = SourceFile(name: "f", text: text)
    for offset in file.bytes.indices {
      let line = file.lineIndex(at: offset)
      let before = String(decoding: file.bytes[Int(file.lineStarts[line])..<offset], as: UTF8.self)
      #expect(file.position(at: offset) == LineColumn(line: line + 1, column: before.count + 1))
    }
  }

  /// In a terminal a mistake is shown with what stands around it, also far to the right.
  @Test func croppedFarToTheRight() {
    var style = DiagnosticStyle(width: 60, showsMore: false)
    style.cropsLines = true
    let words = (0..<2_000).map { "w\($0)" }
    for number in [0, 3, 250, 1_999] {
      let start = words[..<number].map { $0.utf8.count + 1 }.reduce(0, +)
      let text = words.joined(separator: " ")
      let place = span(start, start + words[number].utf8.count)
      let shown = render(text, [Diagnostic(.confusedEquals, "t", at: place)], style: style).split(separator: "\n")
      let line = Array(shown.first { $0.contains(" │ w") || $0.contains(" │ …") } ?? "")
      let marks = Array(shown.last { $0.contains("^") } ?? "")
      guard let first = marks.firstIndex(of: "^"), let last = marks.lastIndex(of: "^"), last < line.count else {
        Issue.record("\(shown)")
        continue
      }
      #expect(String(line[first...last]) == words[number])
      #expect(line.count <= 60)
    }
  }
}
