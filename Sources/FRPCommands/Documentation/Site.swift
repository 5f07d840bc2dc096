// Pages of HTML in a folder that needs no network: one style for all, no script.

import FRP
import FRPBase
import Glibc

struct Site {
  struct Page {
    /// Its file in the folder.
    var file: String
    var title: String
    /// A sentence for lists of pages.
    var summary = ""
    var isProgram = false
    var body: String
    var contents: [(title: String, anchor: String, isInner: Bool)] = []
  }

  let title: String
  var pages: [Page] = []

  /// Writes all pages and the style; the folder is made where there is none.
  func write(to folder: String) throws(SystemError) {
    if mkdir(folder, 0o777) != 0, errno != EEXIST || !Files.isDirectory(folder) {
      throw SystemError(code: errno == EEXIST ? ENOTDIR : errno)
    }
    try Files.write(SiteStyle.css, to: folder + "/style.css")
    for page in pages { try Files.write(html(page), to: "\(folder)/\(page.file)") }
  }

  func html(_ page: Page) -> String {
    let name = page.title == title ? title : "\(page.title) – \(title)"
    return Self.document(
      title: name, style: "<link rel=\"stylesheet\" href=\"style.css\">",
      body: "<div class=\"sheet\">\n\(navigation(page))<main>\n\(page.body)</main>\n</div>\n")
  }

  static func document(title: String, style: String, body: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(SVG.escaped(title))</title>
    \(style)
    </head>
    <body>
    \(body)</body>
    </html>

    """
  }

  private func navigation(_ page: Page) -> String {
    var out = "<nav>\n"
    if pages.count > 1 {
      out += "<ul class=\"pages\">\n"
      for other in pages where !other.isProgram || other.file == page.file {
        let here = other.file == page.file ? " aria-current=\"page\"" : ""
        out += "<li><a href=\"\(SVG.escaped(other.file))\"\(here)>\(SVG.escaped(other.title))</a></li>\n"
      }
      out += "</ul>\n"
    }
    if !page.contents.isEmpty {
      out += "<ul class=\"contents\">\n"
      for place in page.contents {
        let style = place.isInner ? " class=\"inner\"" : ""
        out += "<li\(style)><a href=\"#\(SVG.escaped(place.anchor))\">\(SVG.escaped(place.title))</a></li>\n"
      }
      out += "</ul>\n"
    }
    return out + "</nav>\n"
  }

  /// The first page: what there is.
  mutating func addIndex(_ introduction: String) {
    func list(_ pages: [Page]) -> String {
      let items = pages.map { page in
        let summary = page.summary.isEmpty ? "" : " " + MarkdownHTML().inline(page.summary)
        return "<li><a href=\"\(SVG.escaped(page.file))\">\(SVG.escaped(page.title))</a>\(summary)</li>\n"
      }
      return "<ul class=\"list\">\n" + items.joined() + "</ul>\n"
    }
    let texts = pages.filter { !$0.isProgram }
    let programs = pages.filter(\.isProgram)
    var body = "<h1>\(SVG.escaped(title))</h1>\n\(introduction)"
    if !texts.isEmpty { body += list(texts) }
    if !programs.isEmpty { body += "<h2 id=\"programs\">Programs</h2>\n" + list(programs) }
    pages.insert(Page(file: "index.html", title: title, body: body), at: 0)
  }

  /// A file's name that no other page has.
  func file(for name: String) -> String {
    var file = name + ".html"
    var number = 2
    while file == "index.html" || pages.contains(where: { $0.file == file }) {
      file = "\(name)-\(number).html"
      number += 1
    }
    return file
  }
}
