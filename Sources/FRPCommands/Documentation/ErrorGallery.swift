// Every diagnostic with its page: what is wrong, what the compiler says, why the rule exists, two ways out.

import FRP
import FRPBase

enum ErrorGallery {
  /// What is said of each wrong program: some of these run until they meet a limit.
  private static let messages = Dictionary(
    ExplainPage.all.map { ($0.code, ExplainCommand.message(of: $0)) }
  ) { first, _ in first }

  /// All pages as text.
  static func text() -> String {
    ExplainPage.all.map { $0.text(message: messages[$0.code] ?? "") }
      .joined(separator: String(repeating: "─", count: 80) + "\n\n")
  }

  static var contents: [(title: String, anchor: String, isInner: Bool)] {
    ExplainPage.all.map { ("\($0.code) \($0.title)", $0.code.rawValue, false) }
  }

  /// The body of a page.
  static func body(_ surroundings: Surroundings) -> String {
    "<h1>Errors and warnings</h1>\n"
      + "<p>What the compiler and runs say, by subject. Each message is what a wrong program gets now.</p>\n"
      + ExplainPage.all.map { section($0, surroundings) }.joined()
  }

  private static func section(_ page: ExplainPage, _ surroundings: Surroundings) -> String {
    var surroundings = surroundings
    // For colours alone nothing is checked for seconds; one of these programs would be.
    surroundings.limits.steps = 10_000
    let html = MarkdownHTML()
    var out = "<h2 id=\"\(page.code)\">\(page.code): \(html.inline(page.title))</h2>\n"
    out += CodeHTML.html(page.wrong, in: surroundings)
    let message = messages[page.code] ?? ""
    if !message.isEmpty { out += "<pre>\(SVG.escaped(trimmed(message)))</pre>\n" }
    out += "<p>\(html.inline(page.why))</p>\n"
    for way in page.waysOut {
      out += "<p>\(html.inline(way.text))</p>\n" + CodeHTML.html(way.program, in: surroundings)
    }
    return out
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.last == "\n" { text.removeLast() }
    return String(text)
  }

  /// One page that stands alone.
  static func document(_ surroundings: Surroundings) -> String {
    Site.document(
      title: "Errors and warnings of frp", style: "<style>\n\(SiteStyle.css)</style>",
      body: "<div class=\"sheet\">\n<nav><ul class=\"contents\">\n"
        + contents.map { "<li><a href=\"#\($0.anchor)\">\(SVG.escaped($0.title))</a></li>\n" }.joined()
        + "</ul></nav>\n<main>\n\(body(surroundings))</main>\n</div>\n")
  }
}
