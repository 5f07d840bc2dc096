// The colours of an entry while it is typed: words of the language, numbers, texts with the code between their braces,
// names by what they are in time. The bracket at the cursor and its partner stand out; one that closes nothing is red.

struct EntryPainter {
  private enum Style: String {
    case plain = ""
    case text = "\u{1B}[32m"
    case comment = "\u{1B}[90m"
    case word = "\u{1B}[35m"
    case command = "\u{1B}[1m"
    case known = "\u{1B}[36m"
    case behavior = "\u{1B}[34m"
    case event = "\u{1B}[33m"
    case wrong = "\u{1B}[31m"
    case matched = "\u{1B}[1;4m"
  }

  private let text: [Unicode.Scalar]
  private let program: ReplProgram
  private var styles: [Style]
  /// How many texts the code that is painted stands within; what is deeper is painted as text.
  private var level = 0
  private static let deepest = 50
  /// Brackets that are open, and those that belong together.
  private var open: [Int] = []
  private var partners: [Int: Int] = [:]

  init(_ text: String, _ program: ReplProgram, cursor: Int?) {
    self.text = Array(text.unicodeScalars)
    self.program = program
    styles = Array(repeating: .plain, count: self.text.count)
    _ = code(from: 0, inText: false)
    if let cursor { match(cursor) }
  }

  /// The text with the escapes of its colours.
  var painted: String {
    var out = String.UnicodeScalarView()
    var style = Style.plain
    for (index, scalar) in text.enumerated() {
      if styles[index] != style {
        if style != .plain { out.append(contentsOf: "\u{1B}[0m".unicodeScalars) }
        style = styles[index]
        out.append(contentsOf: style.rawValue.unicodeScalars)
      }
      out.append(scalar)
    }
    if style != .plain { out.append(contentsOf: "\u{1B}[0m".unicodeScalars) }
    return String(out)
  }

  /// Paints code up to its end, or up to the brace that ends it in a text; where that is.
  private mutating func code(from start: Int, inText: Bool) -> Int {
    var index = start
    var depth = 0
    while index < text.count {
      let scalar = text[index]
      switch scalar {
      case "\"": index = quoted(index)
      case "#" where isRaw(index): index = raw(index)
      case "/" where begins("//", index):
        index = paint(.comment, from: index) { $0 != "\n" }
      case "}" where inText && depth == 0: return index
      case "(", "[", "{":
        depth += 1
        open.append(index)
        index += 1
      case ")", "]", "}":
        depth -= 1
        close(index)
        index += 1
      case _ where Self.isLetter(scalar) || scalar == "_" || scalar == ":" && index == 0: index = word(index)
      case _ where Self.isDigit(scalar):
        index = paint(.known, from: index) { Self.isDigit($0) || Self.isLetter($0) || $0 == "." || $0 == "_" }
      default: index += 1
      }
    }
    return index
  }

  // MARK: Pieces

  private mutating func paint(_ style: Style, from start: Int, while isPart: (Unicode.Scalar) -> Bool) -> Int {
    var end = start + 1
    while end < text.count, isPart(text[end]) { end += 1 }
    for index in start..<end { styles[index] = style }
    return end
  }

  private mutating func word(_ start: Int) -> Int {
    var end = start + 1
    while end < text.count, Self.isLetter(text[end]) || Self.isDigit(text[end]) || text[end] == "_" { end += 1 }
    let style = style(of: String(String.UnicodeScalarView(text[start..<end])))
    for index in start..<end { styles[index] = style }
    return end
  }

  private func style(of word: String) -> Style {
    if ReplSyntax.words.contains(word) { return .word }
    if word.hasPrefix(":") { return word.count > 1 ? .command : .plain }
    if let known = program.name(word) {
      switch known.kind {
      case .behavior: return .behavior
      case .event: return .event
      case .constant: return .known
      default: return .plain
      }
    }
    if word == "time" { return .behavior }
    if ["start", "end", "never"].contains(word) { return .event }
    return word.first?.isUppercase == true ? .known : .plain
  }

  /// `"a {x} b"`, or one with three quotes, as far as it goes.
  private mutating func quoted(_ start: Int) -> Int {
    let quotes = begins("\"\"\"", start) ? "\"\"\"" : "\""
    var index = start
    for _ in quotes.unicodeScalars {
      styles[index] = .text
      index += 1
    }
    while index < text.count {
      styles[index] = .text
      if begins(quotes, index) {
        for place in index..<index + quotes.unicodeScalars.count { styles[place] = .text }
        return index + quotes.unicodeScalars.count
      }
      if text[index] == "\\" {
        if index + 1 < text.count { styles[index + 1] = .text }
        index += 2
      } else if text[index] == "{", level < Self.deepest {
        level += 1
        let end = code(from: index + 1, inText: true)
        level -= 1
        if end < text.count { styles[end] = .text }
        index = end + 1
      } else {
        index += 1
      }
    }
    return text.count
  }

  private func isRaw(_ start: Int) -> Bool {
    var index = start
    while index < text.count, text[index] == "#" { index += 1 }
    return index < text.count && text[index] == "\""
  }

  /// `#"…"#`, as far as it goes.
  private mutating func raw(_ start: Int) -> Int {
    var hashes = 0
    while text[start + hashes] == "#" { hashes += 1 }
    let ending = "\"" + String(repeating: "#", count: hashes)
    var end = start + hashes + 1
    while end < text.count, !begins(ending, end) { end += 1 }
    end = min(text.count, end + hashes + 1)
    for index in start..<end { styles[index] = .text }
    return end
  }

  private func begins(_ piece: String, _ start: Int) -> Bool { text[start...].starts(with: piece.unicodeScalars) }
  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic }
  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  // MARK: Brackets

  private mutating func close(_ index: Int) {
    let wanted: Unicode.Scalar = text[index] == ")" ? "(" : text[index] == "]" ? "[" : "{"
    guard let last = open.last, text[last] == wanted else {
      styles[index] = .wrong
      return
    }
    open.removeLast()
    partners[last] = index
    partners[index] = last
  }

  /// The bracket just before the cursor counts, else the one below it.
  private mutating func match(_ cursor: Int) {
    guard let place = [cursor - 1, cursor].first(where: { partners[$0] != nil }), let partner = partners[place] else {
      return
    }
    styles[place] = .matched
    styles[partner] = .matched
  }
}
