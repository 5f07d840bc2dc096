// Random programs from the grammar. Rules in capitals are tokens, written without blanks; every other terminal
// is followed by one. Deep down only the shortest way out is taken, so every walk ends.

/// A small generator of random numbers that gives the same everywhere (SplitMix64).
struct Dice {
  var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func roll(_ sides: Int) -> Int { Int(next() % UInt64(max(1, sides))) }
}

struct GrammarGenerator {
  let grammar: Grammar
  var dice: Dice
  /// The least depth at which each rule can end.
  private var depths: [String: Int] = [:]
  private var out = ""
  private var indent = 0
  private var textsOpen = 0
  private var atLineStart = true
  private var budget = 0
  private var marble = 0
  /// Whether one name of six is a word of another language.
  var hasForeignWords = false
  private static let foreignWords = [
    "for", "while", "loop", "repeat", "until", "fn", "fun", "func", "lambda", "def", "let", "var", "val", "when",
    "case", "switch", "new",
    "do", "return", "not", "of", "where", "in", "and", "or", "print", "class", "data", "try", "begin",
  ]

  init(_ grammar: Grammar, seed: UInt64) {
    self.grammar = grammar
    dice = Dice(seed)
    measure()
  }

  mutating func program(size: Int) -> String {
    out = ""
    indent = 0
    textsOpen = 0
    atLineStart = true
    budget = size
    walk(.rule("File"), depth: 70)
    return out + "\n"
  }

  // MARK: - How deep a rule must go

  private mutating func measure() {
    var changed = true
    while changed {
      changed = false
      for name in grammar.order {
        guard let node = grammar.rules[name], let depth = least(node) else { continue }
        if depths[name] == nil || depth + 1 < depths[name] ?? 0 {
          depths[name] = depth + 1
          changed = true
        }
      }
    }
  }

  private func least(_ node: GrammarNode) -> Int? {
    switch node {
    case .terminal, .range: return 0
    case .words: return nil
    case .optional, .many: return 0
    case .rule(let name):
      if name == "NEWLINE" || isToken(name) { return 0 }
      return depths[name]
    case .sequence(let nodes):
      var depth = 0
      for node in nodes {
        guard let inner = least(node) else { return nil }
        depth = max(depth, inner)
      }
      return depth
    case .choice(let nodes): return nodes.compactMap(least).min()
    }
  }

  private func isToken(_ name: String) -> Bool { name.allSatisfy { $0.isUppercase || $0 == "_" } }

  // MARK: - The walk

  private mutating func walk(_ node: GrammarNode, depth: Int) {
    switch node {
    case .terminal(let text): write(text)
    case .rule("NEWLINE"): lineBreak()
    case .rule(let name):
      if isToken(name) { return writeToken(name) }
      if name == "Text" || name == "PlainText" { return writeText(plain: name == "PlainText", depth) }
      if name == "Marble" { return writeMarble() }
      budget -= 1
      // A marble or a field may be any word; braces of blocks, arms and steps know line breaks.
      let breaksLines = ["Block", "Match", "Test"].contains(name)
      if breaksLines { indent += 1 }
      if let inner = grammar.rules[name] { walk(inner, depth: depth - 1) }
      if breaksLines { indent -= 1 }
    case .sequence(let nodes): for node in nodes { walk(node, depth: depth) }
    case .optional(let inner):
      // A file is seldom without items.
      if canGoOn(inner, depth), depth == 69 || dice.roll(3) == 0 { walk(inner, depth: depth) }
    case .many(let inner):
      let isFile = depth == 69
      var left = isFile ? 8 : 3
      while left > 0, canGoOn(inner, depth), isFile ? budget > 0 : dice.roll(3) == 0 {
        walk(inner, depth: depth)
        left -= 1
      }
    case .choice(let nodes):
      let open = nodes.filter { canGoOn($0, depth) }
      if open.isEmpty {
        guard let way = nodes.filter({ least($0) != nil }).min(by: { least($0) ?? 0 < least($1) ?? 0 }) else { return }
        return walk(way, depth: depth)
      }
      walk(open[dice.roll(open.count)], depth: depth)
    case .range, .words: break
    }
  }

  private func canGoOn(_ node: GrammarNode, _ depth: Int) -> Bool {
    guard let needed = least(node) else { return false }
    return needed < depth && (budget > 0 || needed == 0)
  }

  // MARK: - Writing

  private mutating func write(_ text: String) {
    if text == ";", atLineStart { return }
    if text == "-", atLineStart {
      // At the margin only a minus directly before its operand begins a statement.
      out += "-"
      atLineStart = false
      return
    }
    out += text + " "
    atLineStart = false
  }

  private mutating func lineBreak() {
    if atLineStart { return }
    // A short text ends with its line, interpolations included.
    if textsOpen > 0 { return write(";") }
    out += "\n" + String(repeating: "  ", count: indent)
    atLineStart = true
  }

  private mutating func writeToken(_ name: String) {
    if name == "LOWER", hasForeignWords, dice.roll(6) == 0 {
      return write(Self.foreignWords[dice.roll(Self.foreignWords.count)])
    }
    for _ in 0..<20 {
      var text = ""
      token(.rule(name), &text, 4)
      if isUsable(text, name) { return write(text) }
    }
    write(["LOWER": "a", "UPPER": "A", "QUOTED": "`a b`", "INT": "1", "FLOAT": "1.5"][name] ?? "1s")
  }

  /// What stands for a value in a lane is one character, each another one.
  private mutating func writeMarble() {
    marble += 1 + dice.roll(2)
    write(Self.marbles[marble % Self.marbles.count])
  }

  private static let marbles = ["a", "B", "1", "_", "\"+\"", "x", "0", "\"é\"", "Z", "\"😀\"", "\"\\\"\"", "9"]

  /// Words of the language are no names.
  private func isUsable(_ text: String, _ name: String) -> Bool {
    if name == "INT" { return text.count < 12 }
    if name != "LOWER" { return !text.isEmpty }
    let taken = ["if", "as", "or", "is", "in", "of", "do", "fn", "my", "at"]
    return text.count < 4 && !taken.contains(text)
  }

  private mutating func token(_ node: GrammarNode, _ text: inout String, _ left: Int) {
    switch node {
    case .terminal(let part): text += part
    case .range(let low, let high):
      text.unicodeScalars.append(Unicode.Scalar(low + UInt8(dice.roll(Int(high - low) + 1))))
    case .rule(let name): if let inner = grammar.rules[name] { token(inner, &text, left) }
    case .sequence(let nodes): for node in nodes { token(node, &text, left) }
    case .choice(let nodes):
      let ways = nodes.filter { if case .words = $0 { false } else { true } }
      if !ways.isEmpty { token(ways[dice.roll(ways.count)], &text, left) }
    case .optional(let inner): if dice.roll(3) == 0 { token(inner, &text, left) }
    case .many(let inner): for _ in 0..<dice.roll(left) { token(inner, &text, left - 1) }
    case .words: break
    }
  }

  private mutating func writeText(plain: Bool, _ depth: Int) {
    out += "\""
    atLineStart = false
    for _ in 0..<dice.roll(4) {
      switch dice.roll(plain ? 3 : 4) {
      case 0: out += ["a b", "--x", "é", "}", "0"][dice.roll(5)]
      case 1: out += ["\\n", "\\{", "\\\"", "\\\\", "\\u{1F600}"][dice.roll(5)]
      case 2: out += " "
      default:
        out += "{"
        textsOpen += 1
        walk(.rule("Expression"), depth: min(depth - 2, 30))
        textsOpen -= 1
        out += "}"
      }
    }
    out += "\" "
  }
}
