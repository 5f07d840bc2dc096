import FRP
import FRPBase
import Testing

@testable import FRPCommands

/// Programs and texts as pages: what they say, that their examples are run, and that nothing in them is markup.
@Suite final class DocumentationSiteTests {
  private let folder = TemporaryFolder()

  private func file(_ text: String, _ name: String = "shop.frp") throws -> String { try folder.file(text, name) }

  private static let shop = """
    // A small shop.

    /// What somebody buys, <b>now</b> & here.
    ///
    ///     given orders = "-2--3" every 100ms
    ///     expect doubled == "-4--6" every 100ms
    input orders: Event<Int>

    /// The part that a discount leaves of a price.
    ///
    /// ```frp
    /// reduced(100.0)   // 90.0
    /// half = 0.5
    /// reduced(half * 20.0)
    /// ```
    reduced(price) = price * 0.9

    output doubled = orders |> map(n => 2 * n)

    /// See [here](javascript:alert(1)).
    ///
    ///     sun
    output sun = sin(time)

    test "one order" {
      given orders = "-2" every 100ms
      expect doubled == "-4" every 100ms
    }

    """

  /// The pages of a site by their files.
  private func pages(_ path: String) throws -> [String: String] {
    var pages: [String: String] = [:]
    for name in Files.names(in: path) where name.hasSuffix(".html") {
      pages[name] = String(decoding: try Files.contents(of: "\(path)/\(name)"), as: UTF8.self)
    }
    return pages
  }

  // MARK: One program

  @Test func aProgramIsKnownAsJSON() throws {
    let result = frp("doc", try file(Self.shop), "--json")
    #expect(result.code == 0 && result.err.isEmpty)
    #expect(result.out.contains("\"description\": \"A small shop.\""))
    #expect(
      result.out.contains(
        "{\"name\":\"doubled\",\"sort\":\"output\",\"type\":\"Event<Int>\",\"time\":\"event\",\"line\":18,\"documentation\":\"\","
          + "\"source\":\"output doubled = orders |> map(n => 2 * n)\",\"uses\":[\"orders\"],\"usedBy\":[],\"examples\":[]}"
      ))
    #expect(result.out.contains("{\"source\":\"reduced(100.0)\",\"value\":\"90.0\"}"))
    #expect(result.out.contains("{\"source\":\"reduced(half * 20.0)\",\"value\":\"9.0\"}"))
    #expect(result.out.contains("\"time\":\"continuous\""))
    #expect(result.out.contains("\"tests\": [{\"name\":\"one order\",\"line\":25,\"passed\":true}]"))
  }

  @Test func aProgramIsShownAsMarkdown() throws {
    let text = frp("doc", try file(Self.shop)).out
    #expect(
      text.hasPrefix(
        "# shop.frp\n\nA small shop.\n\n## Inputs\n\n### `orders`\n\n    orders: Event<Int>\n\nAn event.\n"))
    #expect(text.contains("    reduced(half * 20.0)   // 9.0\n"))
  }

  @Test func whatExamplesSayMustBeTrue() throws {
    let wrong = Self.shop.replacing("// 90.0", with: "// 80.0").replacing("\"-4--6\"", with: "\"-4--7\"")
    let result = frp("doc", try file(wrong, "wrong.frp"))
    #expect(result.code == 1)
    #expect(result.err.contains("an example of `reduced`: `reduced(100.0)` gives 90.0, not 80.0"))
    #expect(result.err.contains("an example of `orders`: "))
    let unknown = frp(
      "doc", try file("/// Half.\n///\n///     half(missing)\nhalf(x) = x / 2.0\noutput h = half(1.0)\n", "u.frp"))
    #expect(unknown.code == 1 && unknown.err.contains("an example of `half`: nothing is called `missing`"))
  }

  /// A mistake hides nothing of what stands beside it, and each has its line.
  @Test func everyMistakeOfAnExampleIsToldWithItsLine() throws {
    let result = frp(
      "doc",
      try file(
        """
        /// Doubles.
        ///
        ///     twice(2)   // 4
        ///     twice(
        ///     twice(3)   // 7
        ///     nope(3)
        twice(x) = 2 * x
        output a = twice(1)

        """, "several.frp"))
    #expect(result.code == 1)
    #expect(result.err.contains("several.frp:4: an example of `twice`: "))
    #expect(result.err.contains("several.frp:5: an example of `twice`: `twice(3)` gives 6, not 7"))
    #expect(result.err.contains("several.frp:6: an example of `twice`: nothing is called `nope`"))
  }

  /// What faults at the start ends a run, which hides nothing of what stands beside it either.
  @Test func anExampleThatFaultsAtTheStartSilencesNoOther() throws {
    let result = frp(
      "doc", "--json",
      try file(
        """
        /// A wave.
        ///
        ///     1 + 1   // 2
        ///     10.0 / toFloat(count(every(1s)))
        ///     every(2s)
        output a = sin(time)

        """, "starts.frp"))
    #expect(result.code == 1)
    #expect(result.err.contains("starts.frp:4: an example of `a`: `10.0 / toFloat(count(every(1s)))` faults: "))
    #expect(result.err.split(separator: "\n").count { $0.contains("an example of") } == 1)
    #expect(result.out.contains("{\"source\":\"every(2s)\",\"value\":\"() at 2.0 s, () at 4.0 s\"}"))
    let text = "/// A wave.\n///\n///     1 + 1\n///     2 + 2\noutput a = 10.0 / toFloat(count(every(1s)))\n"
    let program = frp("doc", try file(text, "b.frp"))
    #expect(program.err.contains("b.frp:3: an example of `a`: the program faults at its start: division by zero"))
  }

  @Test func whatMovesAndHappensIsDrawn() throws {
    let site = folder.path + "-site"
    defer { removeSite(site) }
    let path = try file(Self.shop)
    let trace = try file("{\"at\":1,\"orders\":3}\n{\"at\":2,\"orders\":4}\n", "shop.trace")
    #expect(frp("doc", path, "-o", site).code == 0)
    let page = try #require(try pages(site)["index.html"])
    // The run beside it: a curve and a lane; the graph; an example's curve, an example's lanes, and those of the test.
    #expect(count("<figure", in: page) == 6)
    #expect(page.contains(">2s</text>"))
    // Without what stands beside it nothing comes in, and it ends nevertheless; flags go before it.
    #expect(frp("doc", try file(Self.shop, "alone.frp"), "-o", site).code == 0)
    #expect(count(">10s</text>", in: try pages(site)["index.html"] ?? "") == 1)
    #expect(frp("doc", path, "-o", site, "--trace", trace, "--for", "8s").code == 0)
    #expect(try pages(site)["index.html"]?.contains(">8s</text>") == true)
    #expect(Files.exists(site + "/style.css"))
  }

  @Test func commentsHoldNoMarkup() throws {
    let site = folder.path + "-markup"
    defer { removeSite(site) }
    #expect(frp("doc", try file(Self.shop), "-o", site).code == 0)
    let page = try #require(try pages(site)["index.html"])
    #expect(page.contains("&lt;b&gt;now&lt;/b&gt; &amp; here.") && !page.contains("<b>"))
    #expect(!page.contains("href=\"javascript:") && page.contains("See here."))
    #expect(!page.contains("<script") && !page.contains("src=") && !page.contains("href=\"http"))
  }

  @Test func whatThePageAboutItShowsIsTrue() throws {
    let programs = try ManualTests.programs("documenting")
    #expect(programs.count == 1)
    let path = try file(programs[0], "shown.frp")
    #expect(frp("test", path).code == 0 && frp("fmt", "--check", path).code == 0)
    let result = frp("doc", path)
    #expect(result.code == 0 && result.err.isEmpty && result.out.contains("    reduced(10.0)   // 9.0\n"))
  }

  // MARK: Sites

  /// Texts, programs, the reference and every diagnostic: all tags are closed, all links lead somewhere.
  @Test func theManualHangsTogether() throws {
    let site = folder.path + "-manual"
    defer { removeSite(site) }
    let words = ["tutorial.md", "pictures.md", "meaning.md"].map { "\(root)/docs/\($0)" }
    let programs = ["counter.frp", "gearbox.frp"].map { "\(root)/examples/\($0)" }
    let result = frp(["doc", "--manual"] + words + programs + ["-o", site])
    #expect(result.code == 0 && result.err == "frp: 8 pages in `\(site)`: open index.html\n")
    let pages = try pages(site)
    #expect(pages.count == 8)
    var anchors: [String: Set<String>] = [:]
    for (name, page) in pages {
      #expect(Self.unbalanced(page) == nil, "\(name)")
      let all = Self.attributes("id", in: page)
      #expect(Set(all).count == all.count, "\(name) has an anchor twice")
      anchors[name] = Set(all)
    }
    for (name, page) in pages {
      for link in Self.attributes("href", in: page) where !link.hasPrefix("http") && link != "style.css" {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let target = parts[0].isEmpty ? name : parts[0]
        #expect(pages[target] != nil, "\(name) leads to \(link)")
        if parts.count > 1 { #expect(anchors[target]?.contains(parts[1]) == true, "\(name) leads to \(link)") }
      }
    }
    for page in ExplainPage.all { #expect(anchors["errors.html"]?.contains(page.code.rawValue) == true) }
    #expect(count("<figure", in: pages["reference.html"] ?? "") > 50)
    #expect(count("<figure", in: pages["tutorial.html"] ?? "") >= 5)
    #expect(count("<figure", in: pages["gearbox.html"] ?? "") == 3)
    // Events, behaviors and constants have colours of their own.
    let tutorial = pages["tutorial.html"] ?? ""
    #expect(
      tutorial.contains("<span class=\"k-event\">plus</span>")
        && tutorial.contains("<span class=\"k-step\">total</span>"))
  }

  @Test func whatCannotBeDocumentedIsSaid() throws {
    let path = try file(Self.shop)
    let near = frp("doc", path.replacing("shop.frp", with: "shopp.frp"))
    #expect(near.code == 2 && near.err.contains("did you mean"))
    let bare = frp("doc", try file("output n = 1\n", "bare.frp"))
    #expect(bare.code == 0 && bare.err.contains("has no `///` comments"))
    let unwritable = frp("doc", path, "-o", path + "/inside")
    #expect(unwritable.code == 3 && unwritable.err.contains("cannot write into"))
    #expect(frp("doc", path, "-o", path).err.contains("Not a directory"))
    #expect(frp("doc", folder.path).err.contains("a site is written into a folder: `-o DIR`"))
    #expect(frp("doc", folder.path, "-o", "x", "--json").err.contains("is for one program"))
    #expect(frp("doc", "map", "-o", "x").err.contains("is for programs and texts"))
    #expect(frp("doc", "map", "filter").err.contains("one name at a time"))
    let wrong = frp("doc", try file("output n = missing\n", "wrong.frp"))
    #expect(wrong.code == 1 && wrong.err.contains("E0201") && wrong.out.isEmpty)
  }

  @Test func everyDiagnosticIsInTheGallery() throws {
    let text = frp("explain", "--all").out
    for page in ExplainPage.all { #expect(count("\(page.code): \(page.title)\n", in: text) == 1) }
    let html = frp("explain", "--all", "-o", "-").out
    #expect(
      Self.unbalanced(html) == nil && count("<h2 id=\"E0401\">", in: html) == 1 && count("<style>", in: html) == 1)
    #expect(frp("explain", "--all", "-o", "/nowhere/e.html").code == 3)
    #expect(frp("explain", "E0401", "--all").code == 2)
  }

  // MARK: Markdown

  @Test func blocksAreReadAsTheyAreWritten() {
    let text =
      "# A `b`\n\none\ntwo\n- x\n  y\n- z\n\n      deep\n\n1. n\n\n| a | b \\| c |\n|---|---|\n| 1 | 2 |\n```frp\nm = 1\n```\n    set in\n"
    #expect(
      MarkdownText(text).blocks == [
        .heading(level: 1, "A `b`"), .paragraph("one\ntwo"),
        .list(isNumbered: false, [[.paragraph("x\ny")], [.paragraph("z"), .code("deep", language: nil)]]),
        .list(isNumbered: true, [[.paragraph("n")]]), .table(head: ["a", "b | c"], rows: [["1", "2"]]),
        .code("m = 1", language: "frp"), .code("set in", language: nil),
      ])
  }

  @Test(arguments: [
    ("a `<b>` *c* **d** e", "a <code>&lt;b&gt;</code> <em>c</em> <strong>d</strong> e"),
    ("2 * 3 * 4", "2 * 3 * 4"), ("``a`b``", "<code>a`b</code>"), ("`open", "`open"), ("\\*no\\*", "*no*"),
    ("[a](b.md#c)", "<a href=\"b.md#c\">a</a>"), ("[a](http://x/?q=1&r)", "<a href=\"http://x/?q=1&amp;r\">a</a>"),
    ("[a](data:text/html,x)", "a"), ("[a](\" onclick=\"x)", "<a href=\"&quot; onclick=&quot;x\">a</a>"),
    ("[a] (b)", "[a] (b)"),
    ("<img src=x>", "&lt;img src=x&gt;"), ("**a*", "*<em>a</em>"), ("[a](b(c))", "<a href=\"b(c)\">a</a>"),
  ])
  func linesAreEscaped(text: String, html: String) { #expect(MarkdownHTML().inline(text) == html) }

  @Test func noTextIsTooOddToBeRead() {
    for text in ["```", "|", "|\n|--", "-", "#", "    ", "- \n- ", "1. ", "[", "[]()", "\\", "*", "``", "\n\n"] {
      var html = MarkdownHTML()
      #expect(Self.unbalanced(html.html(text)) == nil, "\(text)")
    }
  }

  // MARK: Looking at pages

  private func removeSite(_ path: String) {
    for name in Files.names(in: path) { unlinkFile("\(path)/\(name)") }
    removeFolder(path)
  }

  private func count(_ part: String, in text: String) -> Int { Self.places(of: part, in: Array(text.utf8)).count }

  /// Bytes behind each occurrence. Pages are large, and Characters slow.
  private static func places(of part: String, in bytes: [UInt8]) -> [Int] {
    let part = Array(part.utf8)
    return bytes.indices.dropLast(part.count - 1).filter { place in
      bytes[place] == part[0] && bytes[place..<place + part.count].elementsEqual(part)
    }.map { $0 + part.count }
  }

  /// The values of an attribute, unescaped.
  private static func attributes(_ name: String, in html: String) -> [String] {
    let bytes = Array(html.utf8)
    return places(of: " \(name)=\"", in: bytes).map { start in
      String(decoding: bytes[start...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self).replacing("&amp;", with: "&")
    }
  }

  /// The first tag that is closed without being open, or left open.
  private static func unbalanced(_ html: String) -> String? {
    let bytes = Array(html.utf8)
    var open: [String] = []
    for start in places(of: "<", in: bytes) {
      let tag = String(decoding: bytes[start...].prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
      if tag.hasPrefix("!") || tag.hasSuffix("/") { continue }
      let name = String(tag.prefix { $0 != " " && $0 != "\n" })
      if name.hasPrefix("/") {
        if open.popLast() != String(name.dropFirst()) { return tag }
      } else if name != "meta", name != "link" {
        open.append(name)
      }
    }
    return open.last
  }
}
