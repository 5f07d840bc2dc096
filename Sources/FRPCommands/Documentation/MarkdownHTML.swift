// Blocks of Markdown as HTML. All that a text holds is escaped; links lead to pages or to http, and nowhere else.

struct MarkdownHTML {
  /// What is drawn of code, escaped already.
  let code: (_ code: String, _ language: String?) -> String
  /// Where a link to another document leads on this site; nil where it is not there.
  let target: (String) -> String?
  /// Levels by which headings are lowered.
  var lowered = 0
  /// The headings so far: level, anchor, text.
  private(set) var headings: [(level: Int, anchor: String, text: String)] = []
  private var anchors: Set<String> = []

  init(
    code: @escaping (_ code: String, _ language: String?) -> String = { code, _ in "<pre>\(SVG.escaped(code))</pre>\n"
    },
    target: @escaping (String) -> String? = { $0 }
  ) {
    self.code = code
    self.target = target
  }

  mutating func html(_ text: String) -> String { html(MarkdownText(text).blocks) }

  mutating func html(_ blocks: [MarkdownText.Block]) -> String {
    var out = ""
    for block in blocks {
      switch block {
      case .heading(let level, let text): out += heading(level, text)
      case .paragraph(let text): out += "<p>\(inline(text))</p>\n"
      case .code(let code, let language): out += self.code(code, language)
      case .list(let isNumbered, let items): out += list(isNumbered, items)
      case .table(let head, let rows): out += table(head, rows)
      }
    }
    return out
  }

  private mutating func heading(_ level: Int, _ text: String) -> String {
    let anchor = anchor(for: text)
    headings.append((level, anchor, text))
    let tag = "h\(min(6, level + lowered))"
    return "<\(tag) id=\"\(anchor)\">\(inline(text))</\(tag)>\n"
  }

  /// As other tools make them: letters and digits, `-` for blanks; numbered where it is there already.
  mutating func anchor(for text: String) -> String {
    var anchor = ""
    for character in text.lowercased() {
      if character.isLetter || character.isNumber || character == "_" || character == "-" { anchor.append(character) }
      if character == " " { anchor.append("-") }
    }
    if anchor.isEmpty { anchor = "section" }
    var unique = anchor
    var number = 1
    while !anchors.insert(unique).inserted {
      unique = "\(anchor)-\(number)"
      number += 1
    }
    return unique
  }

  private mutating func list(_ isNumbered: Bool, _ items: [[MarkdownText.Block]]) -> String {
    let tag = isNumbered ? "ol" : "ul"
    var out = "<\(tag)>\n"
    for item in items {
      // A short item is no paragraph.
      if case .paragraph(let text)? = item.first {
        let rest = html(Array(item.dropFirst()))
        out += "<li>\(inline(text))\(rest.isEmpty ? "" : "\n" + rest)</li>\n"
      } else {
        out += "<li>\(html(item))</li>\n"
      }
    }
    return out + "</\(tag)>\n"
  }

  private func table(_ head: [String], _ rows: [[String]]) -> String {
    func row(_ cells: [String], _ tag: String) -> String {
      "<tr>" + cells.map { "<\(tag)>\(inline($0))</\(tag)>" }.joined() + "</tr>\n"
    }
    return "<div class=\"wide\"><table>\n<thead>\(row(head, "th"))</thead>\n<tbody>\n"
      + rows.map { row($0, "td") }.joined() + "</tbody></table></div>\n"
  }

  // MARK: Within a line

  func inline(_ text: String) -> String {
    var out = ""
    var rest = text[...]
    while let character = rest.first {
      if character == "`", let (code, after) = Self.codeSpan(rest) {
        out += "<code>\(SVG.escaped(code))</code>"
        rest = after
      } else if rest.hasPrefix("**"), let (inside, after) = Self.between("**", in: rest) {
        out += "<strong>\(inline(inside))</strong>"
        rest = after
      } else if character == "*", let (inside, after) = Self.between("*", in: rest) {
        out += "<em>\(inline(inside))</em>"
        rest = after
      } else if character == "[", let link = Self.link(rest) {
        out += html(of: link)
        rest = link.after
      } else if character == "\\", let next = rest.dropFirst().first, "\\`*_{}[]()#+-.!|<>&".contains(next) {
        out += SVG.escaped(String(next))
        rest = rest.dropFirst(2)
      } else {
        out += SVG.escaped(String(character))
        rest = rest.dropFirst()
      }
    }
    return out
  }

  /// Between runs of as many backticks.
  private static func codeSpan(_ text: Substring) -> (code: String, after: Substring)? {
    let marks = text.prefix { $0 == "`" }
    var rest = text.dropFirst(marks.count)
    let start = rest.startIndex
    while !rest.isEmpty {
      let end = rest.startIndex
      let run = rest.prefix { $0 == "`" }
      if run.count == marks.count { return (String(text[start..<end]), rest.dropFirst(run.count)) }
      rest = rest.dropFirst(max(1, run.count))
    }
    return nil
  }

  /// What stands between two marks, with no blank inside of them.
  private static func between(_ mark: String, in text: Substring) -> (inside: String, after: Substring)? {
    let rest = text.dropFirst(mark.count)
    guard let first = rest.first, first != " ", first != "*" else { return nil }
    var end = rest.startIndex
    while end < rest.endIndex {
      if rest[end...].hasPrefix(mark), end > rest.startIndex, rest[rest.index(before: end)] != " " {
        let after = rest[end...].dropFirst(mark.count)
        if mark == "**" || after.first != "*" { return (String(rest[..<end]), after) }
      }
      end = rest.index(after: end)
    }
    return nil
  }

  private struct Link {
    var text: String
    var target: String
    var after: Substring
  }

  private static func link(_ text: Substring) -> Link? {
    var depth = 0
    var end = text.startIndex
    while end < text.endIndex {
      if text[end] == "[" { depth += 1 }
      if text[end] == "]" { depth -= 1 }
      if depth == 0 { break }
      end = text.index(after: end)
    }
    guard end < text.endIndex else { return nil }
    let behind = text[text.index(after: end)...]
    guard behind.first == "(", let close = closing(behind) else { return nil }
    let target = String(behind[behind.index(after: behind.startIndex)..<close])
    return Link(
      text: String(text[text.index(after: text.startIndex)..<end]), target: target,
      after: behind[behind.index(after: close)...])
  }

  /// The bracket that closes the one that a text begins with.
  private static func closing(_ text: Substring) -> Substring.Index? {
    var depth = 0
    return text.indices.first { place in
      if text[place] == "(" { depth += 1 }
      if text[place] == ")" { depth -= 1 }
      return depth == 0
    }
  }

  private func html(of link: Link) -> String {
    let words = inline(link.text)
    let isOutside = link.target.hasPrefix("https://") || link.target.hasPrefix("http://")
    let isScheme = link.target.prefix { $0 != "/" && $0 != "#" }.contains(":")
    let leads = isOutside || link.target.hasPrefix("#") ? link.target : isScheme ? nil : target(link.target)
    guard let leads else { return words }
    return "<a href=\"\(SVG.escaped(leads))\">\(words)</a>"
  }
}
