// Whole forms of other languages, and what they are here: comprehensions, record updates, placeholders of functions, texts
// with JSON in them, signatures on lines of their own. What is proposed is made of what was written.

import FRPBase

extension Parser {
  /// What stands between two tokens, as it is written; the end is not part of it.
  func written(_ start: Int, _ end: Int) -> String {
    start < end ? text(span(Int(layout.tokens[start].start), Int(layout.tokens[end - 1].end))) : ""
  }

  /// Where the tokens end that belong together from here: at a comma or at what closes the bracket around them.
  func endOfPart(_ start: Int) -> Int {
    var position = start
    while position < limit {
      let kind = layout.tokens[position].kind
      if kind.opensBracket, let after = layout.afterClose(position) {
        position = after
        continue
      }
      if kind == .comma || kind.opener != nil { break }
      position += 1
    }
    return min(position, limit)
  }

  /// The bracket that a token stands in, and where its part of that bracket begins.
  func bracket(around position: Int) -> (open: Int, start: Int)? {
    var depth = 0
    var start: Int?
    var before = position - 1
    while before >= statementStart {
      let kind = layout.tokens[before].kind
      if kind.opener != nil { depth += 1 }
      if kind == .comma, depth == 0 { start = start ?? before + 1 }
      if kind.opensBracket {
        if depth == 0 { return (before, start ?? before + 1) }
        depth -= 1
      }
      before -= 1
    }
    return nil
  }

  // MARK: - Functions

  /// `map(_ * 2)`, `map($0 * 2)`, `map(*2)`, `(+ 2)`: the argument that is meant as a function, as a lambda.
  func lambda(meantAt position: Int) -> Help? {
    guard let (open, start) = bracket(around: position), isForFunctions(open) else { return nil }
    let end = endOfPart(start)
    guard end - start > 1, end < limit, !(start..<end).contains(where: { layout.tokens[$0].kind == .fatArrow }) else {
      return nil
    }
    let taken = Set((start..<end).map { text($0) })
    let free = ["x", "y", "a", "b"].filter { !taken.contains($0) }
    let names = Array(free.prefix(2))
    guard names.count == 2, let (body, count) = filled(start, end, names: names), (1...2).contains(count) else {
      return nil
    }
    let code = "\(count == 1 ? names[0] : "(\(names[0]), \(names[1]))") => \(body)"
    if code.count > 70 || code.contains("\n") { return nil }
    let place = span(Int(layout.tokens[start].start), Int(layout.tokens[end - 1].end))
    return Help("a function names what it is given", code: code, edit: Help.Edit(place, code))
  }

  /// Whether a parenthesis opens what a function is given, or stands where one may stand.
  private func isForFunctions(_ open: Int) -> Bool {
    guard layout.tokens[open].kind == .leftParen, open > statementStart else { return false }
    let before = layout.tokens[open - 1]
    switch before.kind {
    case .lowerName, .rightParen: return before.end == layout.tokens[open].start
    default: return [.pipe, .leftParen, .comma].contains(before.kind)
    }
  }

  /// What is written there with names in place of what stands for arguments, and how many there are.
  private func filled(_ start: Int, _ end: Int, names: [String]) -> (body: String, count: Int)? {
    if layout.tokens[start].kind.infix != nil, layout.tokens[start].kind != .minus {
      // `f(*xs)` hands over elements elsewhere.
      if layout.tokens[start].kind == .star, ![.int, .float].contains(layout.tokens[start + 1].kind) { return nil }
      if layout.tokens[start].kind == .pipe { return nil }
      return ("\(names[0]) \(text(start)) \(written(start + 1, end))", 1)
    }
    var body = ""
    var count = 0
    var position = start
    var done = Int(layout.tokens[start].start)
    while position < end {
      var number: Int?
      var next = position + 1
      if layout.tokens[position].kind == .wildcard {
        number = count
      } else if layout.tokens[position].kind == .foreign, text(position) == "$", next < end,
        layout.tokens[next].kind == .int
      {
        number = Int(text(next))
        next += 1
      }
      if let number {
        guard number < names.count else { return nil }
        body += text(span(done, Int(layout.tokens[position].start))) + names[number]
        done = Int(layout.tokens[next - 1].end)
        count = max(count, number + 1)
      }
      position = next
    }
    return (body + text(span(done, Int(layout.tokens[end - 1].end))), count)
  }

  /// `f(x, y = 2) = …`
  mutating func reportDefault() {
    guard let (open, _) = bracket(around: index), layout.afterClose(open) != nil else { return }
    let place = span(lastEnd, Int(layout.tokens[max(endOfPart(index) - 1, index)].end))
    report(
      Diagnostic(
        .foreignHabit, "parameters have no default values", at: currentSpan, label: "every call gives all arguments",
        helps: [replacing("write", place, new: "")]))
  }

  /// `count: Int` on a line above `count = 3`, `f : Int -> Int` above `f x = …`.
  mutating func reportSignature() -> Bool {
    guard !failed, current == .lowerName, peek() == .colon, limit + 1 < layout.tokens.count, index + 2 < limit,
      layout.tokens[limit].kind == .lowerName, text(limit) == text(index),
      [.equal, .leftParen, .lowerName, .wildcard].contains(layout.tokens[limit + 1].kind),
      !(index..<limit).contains(where: { layout.tokens[$0].kind == .equal })
    else { return false }
    var help = Help("for example", code: "area(r: Float): Float = pi * r * r")
    if layout.tokens[limit + 1].kind == .equal, limit + 2 < layout.tokens.count {
      let head = "\(text(index)): \(written(index + 2, limit)) ="
      let place = span(Int(token().start), Int(layout.tokens[limit + 1].end))
      help = Help("write", code: "\(head) \(lineText(limit + 2))", edit: Help.Edit(place, head))
    }
    report(
      Diagnostic(
        .foreignHabit, "a type has no line of its own: it stands in the definition", at: tokenSpan(index + 1),
        helps: [help]))
    return true
  }

  /// Whether a definition of a function begins here in the form of another language: `add a b =`, `add(a, b) { … }`.
  func beginsForeignFunction() -> Bool {
    guard index < limit, layout.tokens[index].kind == .lowerName else { return false }
    if peek() == .leftParen {
      return [.leftBrace, .fatArrow, .arrow].contains(kind(at: layout.afterClose(index + 1)))
    }
    var position = index + 1
    while [.lowerName, .wildcard].contains(kind(at: position)) { position += 1 }
    return position > index + 1 && kind(at: position) == .equal
  }

  /// What was to be defined by a line that says it wrongly: its uses mean it, and not what else has that name.
  mutating func damagedDefinition(_ position: Int) -> Item {
    lastEnd = Int(layout.tokens[limit - 1].end)
    let name: PatternID = tree.add(.name(text(position)), tokenSpan(position))
    return .definition(Definition(binder: .value(name), type: nil, body: missing(), isOutput: false))
  }

  // MARK: - Lists and records

  /// `[x * 2 | x <- xs]`, `[x | x <- xs, x > 1]`; the bar stands here.
  mutating func reportComprehension() -> Bool {
    guard let (open, start) = bracket(around: index), layout.tokens[open].kind == .leftBracket, start == open + 1,
      let close = layout.afterClose(open), kind(at: index + 1) == .lowerName, index + 3 < limit
    else { return false }
    let arrow = Int(layout.tokens[index + 2].start)
    guard bytes[arrow...].starts(with: Array("<-".utf8)) else { return false }
    let source = layout.tokens[index + 2].end == arrow + 2 ? index + 3 : index + 4
    let end = endOfPart(source)
    let (value, name) = (written(start, index), text(index + 1))
    var code = written(source, end)
    if end + 1 < close, layout.tokens[end].kind == .comma {
      let last = endOfPart(end + 1)
      let condition = written(end + 1, last)
      if last + 1 != close || condition.contains("<-") { code = "" }
      code += code.isEmpty ? "" : " |> filter(\(name) => \(condition))"
    }
    if value != name, !code.isEmpty { code += " |> map(\(name) => \(value))" }
    var help = Help("for example", code: "xs |> filter(x => x > 0) |> map(x => x * 2)")
    if !code.isEmpty, code.count <= 80, !code.contains("\n") {
      let place = span(Int(layout.tokens[open].start), Int(layout.tokens[close - 1].end))
      help = Help("write", code: code, edit: Help.Edit(place, "(\(code))"))
    }
    report(Diagnostic(.foreignHabit, "there are no comprehensions", at: currentSpan, helps: [help]))
    return true
  }

  /// `{p with x: 3}`, `{p | x = 3}`; the brace stands here.
  mutating func reportForeignUpdate() -> Bool {
    guard peek() == .lowerName, peek(2) == .bar || (peek(2) == .lowerName && text(index + 2) == "with"),
      isFieldName(peek(3)), [.colon, .equal].contains(peek(4)), let close = layout.afterClose(index)
    else { return false }
    var fields: [String] = []
    var position = index + 3
    while position < close - 1, isFieldName(kind(at: position)), [.colon, .equal].contains(kind(at: position + 1)) {
      let end = endOfPart(position + 2)
      fields.append("\(text(position)): \(written(position + 2, end))")
      position = end + 1
    }
    let code = "{...\(text(index + 1)), \(fields.joined(separator: ", "))}"
    var help = Help("for example", code: "{...\(text(index + 1)), \(text(index + 3)): 3}")
    if position >= close - 1, code.count <= 80, !code.contains("\n") {
      help = Help("write", code: code, edit: Help.Edit(span(here, Int(layout.tokens[close - 1].end)), code))
    }
    report(
      Diagnostic(
        .foreignHabit, "a record is updated with `...` before it", at: tokenSpan(index + 2), helps: [help]))
    return true
  }

  /// `1 : [2, 3]`: an element before a list.
  mutating func reportCons() -> Bool {
    guard index > statementStart, index + 1 < limit,
      [.int, .float, .lowerName].contains(layout.tokens[index - 1].kind), !token(1).startsLine
    else { return false }
    let end: Int
    switch layout.tokens[index + 1].kind {
    case .leftBracket:
      guard let close = layout.afterClose(index + 1) else { return false }
      end = close
    case .lowerName: end = index + 2
    default: return false
    }
    let code = "[\(text(index - 1)), ...\(written(index + 1, end))]"
    let place = span(Int(layout.tokens[index - 1].start), Int(layout.tokens[end - 1].end))
    report(
      Diagnostic(
        .foreignHabit, "`:` puts no element before a list", at: currentSpan,
        helps: [Help("write", code: code, edit: Help.Edit(place, code))]))
    return true
  }

  /// `xs !! 0`
  mutating func reportBangs(_ previous: Token) -> Bool {
    guard current == .not, peek() == .not, token(1).start == token().end,
      [.lowerName, .rightBracket, .rightParen].contains(previous.kind)
    else { return false }
    let list = previous.kind == .lowerName ? text(index - 1) : "xs"
    let place = [.int, .lowerName].contains(peek(2)) ? text(index + 2) : "i"
    report(
      Diagnostic(
        .foreignHabit, "an element of a list is taken with `get`", at: span(here, Int(token(1).end)),
        notes: ["It gives an Option: there may be no such element."],
        helps: [Help("write", code: "\(list) |> get(\(place))")]))
    return true
  }

  /// `x ** 2`, `1.5 ^ n`, `(x + 1) ** 2`
  func power(_ position: Int) -> Help {
    let (start, end) = (operandStart(position), operandEnd(position))
    let base = start.map { inParentheses($0, position) } ?? Help.blank
    let code = "pow(\(base), \(end.map { inParentheses(position + 1, $0) } ?? Help.blank))"
    guard let start, let end else { return Help("write", code: code) }
    let place = span(Int(layout.tokens[start].start), Int(layout.tokens[end - 1].end))
    return Help("write", code: code, edit: Help.Edit(place, code))
  }

  /// Where the name, the number or the parenthesis before an operator begins; nil where a field, a call or another
  /// operator that binds as tightly belongs to it.
  private func operandStart(_ position: Int) -> Int? {
    guard position > statementStart else { return nil }
    var start = position - 1
    if layout.tokens[start].kind == .rightParen {
      var depth = 1
      while depth > 0, start > statementStart {
        start -= 1
        let kind = layout.tokens[start].kind
        if kind.opener != nil { depth += 1 }
        if kind.opensBracket { depth -= 1 }
      }
      if layout.tokens[start].kind != .leftParen { return nil }
    } else if ![.lowerName, .int, .float].contains(layout.tokens[start].kind) {
      return nil
    }
    let before = start > statementStart ? layout.tokens[start - 1] : nil
    if let before, before.kind == .dot || before.kind == .foreign { return nil }
    let isCall = layout.tokens[start].kind == .leftParen && before?.end == layout.tokens[start].start
    return isCall && (before?.kind == .lowerName || before?.kind == .rightParen) ? nil : start
  }

  /// Where what stands behind an operator ends.
  private func operandEnd(_ position: Int) -> Int? {
    let start = position + 1
    guard start < limit else { return nil }
    var end = start + 1
    if layout.tokens[start].kind == .leftParen, let after = layout.afterClose(start) {
      end = after
    } else if ![.lowerName, .int, .float].contains(layout.tokens[start].kind) {
      return nil
    }
    let after = kind(at: end)
    return after == .dot || after == .leftParen || after == .foreign ? nil : end
  }

  /// What stands there, without parentheses around all of it.
  private func inParentheses(_ start: Int, _ end: Int) -> String {
    let isGroup = layout.tokens[start].kind == .leftParen && layout.afterClose(start) == end
    return isGroup ? written(start + 1, end - 1) : written(start, end)
  }

  /// `x!`, as an Option is opened elsewhere.
  mutating func reportForced(_ previous: Token) -> Bool {
    guard current == .not, previous.end == token().start,
      [.lowerName, .rightBracket, .rightParen].contains(previous.kind)
    else { return false }
    let option = previous.kind == .lowerName ? text(index - 1) : "option"
    report(
      Diagnostic(
        .foreignHabit, "what may be absent is not taken by force", at: currentSpan,
        label: "`!` stands before a Bool, for \"not\"",
        helps: [
          Help("say what counts when there is none", code: "\(option) |> withDefault(0)"),
          Help("or take both cases apart", code: "match \(option) { Some(x) => x; None => 0 }"),
        ]))
    return true
  }

  /// `x as Float`
  mutating func reportCast() {
    let types = ["Float": "toFloat", "Double": "toFloat", "Int": "round", "String": "toString"]
    var helps: [Help] = []
    if index > statementStart, kind(at: index + 1) == .upperName, let function = types[text(index + 1)] {
      let before = layout.tokens[index - 1]
      let isName = [.lowerName, .int, .float].contains(before.kind)
      let code = "\(function)(\(isName ? text(index - 1) : "x"))"
      let isWhole = isName && (index - 1 == statementStart || layout.tokens[index - 2].kind != .dot)
      let place = span(Int(before.start), Int(token(1).end))
      helps = [Help("a function turns one into the other", code: code, edit: isWhole ? Help.Edit(place, code) : nil)]
    }
    report(Diagnostic(.unexpectedToken, "`as` stands only in patterns", at: currentSpan, helps: helps))
  }

  /// `x = 3 -- a comment`: words behind two dashes.
  mutating func reportDashes() -> Bool {
    var last = min(index, layout.tokens.count - 1)
    // Lines of thousands of words are no comments.
    let end = last - 100
    while last > max(1, end), !layout.tokens[last].startsLine {
      let (first, second) = (layout.tokens[last - 2], layout.tokens[last - 1])
      if first.kind == .minus, second.kind == .minus, first.end == second.start, second.blankAfter,
        first.startsLine || layout.tokens[max(0, last - 3)].end < first.start
      {
        let dashes = span(Int(first.start), Int(second.end))
        report(
          Diagnostic(
            .foreignHabit, "comments begin with `//`", at: dashes,
            helps: [Help("write", code: "//", edit: Help.Edit(dashes, "//"))]))
        return true
      }
      last -= 1
    }
    return false
  }

  // MARK: - Texts

  /// `f"hello {name}"`
  mutating func reportTextLetter(_ previous: Token) -> Bool {
    guard current == .stringBegin, previous.kind == .lowerName, previous.end == token().start,
      ["f", "s", "r", "b", "u", "fr", "rf"].contains(text(index - 1))
    else { return false }
    let letter = text(index - 1)
    let isRaw = letter.contains("r")
    report(
      Diagnostic(
        .foreignHabit, "no letter stands before a text", at: tokenSpan(index - 1),
        label: isRaw ? "a raw text is written `#\"…\"#`" : "braces put a value into any text",
        helps: isRaw ? [] : [replacing("write", tokenSpan(index - 1), new: "")]))
    return true
  }

  /// `"{"a": 1}"`: a text that is JSON. `open` is the brace that would put a value in.
  mutating func reportJSONInText(_ open: Int) {
    var begin = open - 1
    var depth = 0
    while begin > statementStart, layout.tokens[begin].kind != .stringBegin || depth > 0 {
      if layout.tokens[begin].kind == .stringEnd { depth += 1 }
      if layout.tokens[begin].kind == .stringBegin { depth -= 1 }
      begin -= 1
    }
    var end = begin
    depth = 0
    while end < limit {
      if layout.tokens[end].kind == .stringBegin { depth += 1 }
      if layout.tokens[end].kind == .stringEnd { depth -= 1 }
      end += 1
      if depth == 0 { break }
    }
    let whole = written(begin, end)
    var helps = [Help("for example", code: "\"\\{\\\"a\\\": 1\\}\""), Help("or a raw text", code: "#\"{\"a\": 1}\"#")]
    if whole.count > 2, whole.count <= 70, !whole.contains("\n"), !whole.contains("\\"), !whole.hasPrefix("\"\"\""),
      whole.hasSuffix("\"")
    {
      let place = span(Int(layout.tokens[begin].start), Int(layout.tokens[end - 1].end))
      let inner = whole.dropFirst().dropLast().map { "\"{}".contains($0) ? "\\\($0)" : "\($0)" }.joined()
      helps = [
        Help("a raw text, in which nothing is put", code: "#\(whole)#", edit: Help.Edit(place, "#\(whole)#")),
        Help("or", code: "\"\(inner)\""),
      ]
    }
    report(
      Diagnostic(
        .malformedText, "a brace in a text begins a value, and a quote ends the text", at: tokenSpan(open),
        label: "for the characters themselves write `\\{` and `\\\"`", helps: helps))
  }

  // MARK: - Modules and lines

  /// Modules that every program has.
  private static let library: Set<String> = [
    "List", "Map", "Set", "String", "Math", "Json", "Date", "Option", "Result",
  ]

  /// `import qualified Data.Map as M`
  mutating func reportQualifiedImport() -> Bool {
    guard !failed, current == .lowerName, peek() == .upperName else { return false }
    let word = text(index)
    var last = index + 1
    while kind(at: last + 1) == .dot, kind(at: last + 2) == .upperName { last += 2 }
    let module = text(last)
    let isLibrary = Parser.library.contains(module)
    report(
      Diagnostic(
        .foreignHabit, "`import` takes the name of a module and no `\(word)`", at: currentSpan,
        label: "what a module has is always named with it, as in `Geometry.area`",
        notes: isLibrary ? ["`\(module)` is part of the library, which needs no import."] : [],
        helps: isLibrary ? [] : [Help("to read \(module).frp beside this file", code: "import \(module)")]))
    return true
  }

  /// `import Geometry exposing (area)`, `import Geometry as G`
  mutating func reportImportList(_ module: Name) -> Bool {
    guard !failed, ["as", "exposing", "hiding"].contains(text(index)) else { return false }
    let isLibrary = Parser.library.contains(module.text)
    report(
      Diagnostic(
        .foreignHabit, "`import` takes the name of a module, and nothing behind it", at: currentSpan,
        label: "what a module has is always named with it, as in `Geometry.area`",
        notes: isLibrary ? ["`\(module.text)` is part of the library, which needs no import."] : [],
        helps: isLibrary ? [] : [Help("write", code: "import \(module.text)")]))
    return true
  }

  /// `type alias Point = {x: Float, y: Float}`
  mutating func reportTypeAlias(_ keyword: Span) -> Bool {
    guard !failed, current == .aliasWord else { return false }
    report(
      Diagnostic(
        .foreignHabit, "another name for a type is an `alias`, without `type`", at: keyword,
        helps: [Help("for example", code: "alias Point = {x: Float, y: Float}")]))
    return true
  }

  package static let listeners: Set<String> = [
    "subscribe", "observe", "listen", "forEach", "addListener", "addEventListener", "onValue",
  ]
  private static let functions: Set<String> = [
    "all", "any", "average", "contains", "count", "debounce", "delay", "distinct", "drop", "filter", "flatMap", "fold",
    "get", "hold", "join", "lower", "map", "maximum", "merge", "minimum", "reverse", "scan", "size", "sort", "sortBy",
    "sortWith", "split", "sum", "take", "throttle", "toString", "trim", "upper",
  ]

  /// `p.x = 3`
  private mutating func reportFieldAssignment() -> Bool {
    guard peek() == .dot, peek(2) == .lowerName, peek(3) == .equal, index + 4 < limit else { return false }
    let value = written(index + 4, limit)
    let code = "{...\(text(index)), \(text(index + 2)): \(value.count > 60 || value.contains("\n") ? "…" : value)}"
    report(
      Diagnostic(
        .foreignHabit, "there is no assignment", at: tokenSpan(index + 3),
        label: "a definition holds for ever; what changes is made from events",
        helps: [Help("another record with that field", code: code)]))
    return true
  }

  /// `clicks.subscribe(…)`, `xs.sort()` as a line.
  mutating func reportMethodLine() -> Bool {
    if current == .lowerName, reportFieldAssignment() { return true }
    guard current == .lowerName, peek() == .dot, peek(2) == .lowerName, peek(3) == .leftParen,
      let after = layout.afterClose(index + 3), after >= limit
    else { return false }
    let (subject, method) = (text(index), text(index + 2))
    if Parser.listeners.contains(method) {
      report(
        Diagnostic(
          .misplacedLine, "there is no `\(method)`: an output is told by itself", at: tokenSpan(index + 2),
          helps: [Help("write", code: "output result = \(subject)")]))
      return true
    }
    guard Parser.functions.contains(method) else { return false }
    let arguments = written(index + 4, after - 1)
    let code = arguments.isEmpty ? "\(method)(\(subject))" : "\(subject) |> \(method)(\(arguments))"
    if code.count > 60 || code.contains("\n") { return false }
    report(
      Diagnostic(
        .misplacedLine, "this is a value without a name", at: currentSpan, label: "a file holds definitions",
        notes: ["Functions are applied to their subject, which stays as it is."],
        helps: [Help("to show it", code: "output result = \(code)"), Help("to name it", code: "result = \(code)")]))
    return true
  }

  // MARK: - Choices

  /// `ready ? 1 : 0`; the question mark stands there.
  func choice(at position: Int) -> Help? {
    let begin = beginOfValue(position)
    var colon = position + 1
    while colon < limit, layout.tokens[colon].kind != .colon, colon < position + 40 { colon += 1 }
    let end = endOfPart(colon + 1)
    guard begin < position, colon < limit, layout.tokens[colon].kind == .colon, colon > position + 1, end > colon + 1,
      end <= limit
    else { return nil }
    return choice(written(begin, position), written(position + 1, colon), written(colon + 1, end), begin, end)
  }

  /// `1 if ready else 0`; the condition begins here.
  func laterCondition() -> Help? {
    let begin = beginOfValue(index)
    guard let other = (index..<limit).first(where: { layout.tokens[$0].kind == .elseWord }) else { return nil }
    let end = endOfPart(other + 1)
    guard begin < index, other > index + 1, end > other + 1 else { return nil }
    return choice(written(index + 1, other), written(begin, index), written(other + 1, end), begin, end)
  }

  private func choice(_ condition: String, _ value: String, _ other: String, _ begin: Int, _ end: Int) -> Help? {
    let code = "if \(condition) then \(value) else \(other)"
    if code.count > 70 || code.contains("\n") || other.contains("?") || other.contains(" if ") { return nil }
    let place = span(Int(layout.tokens[begin].start), Int(layout.tokens[end - 1].end))
    return Help("write", code: code, edit: Help.Edit(place, code))
  }

  /// Where the value begins that ends before a token: behind a `=`, an arrow, or at the beginning of its part of a bracket.
  private func beginOfValue(_ position: Int) -> Int {
    var begin = bracket(around: position)?.start ?? statementStart
    for place in begin..<position where [.equal, .fatArrow].contains(layout.tokens[place].kind) { begin = place + 1 }
    return begin
  }
}
