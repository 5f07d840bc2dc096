// Tree -> text: the formatter. Shape in: a module without syntax errors, with its source. Shape out: text of the same
// meaning, at most `width` columns wide where that is possible.
//
// Rules:
// - Tokens are printed as they are in the tree; numbers and texts as they were written. What is printed parses to
//   the same tree, and printing it again changes nothing.
// - What fits on a line stands on one, unless the author broke it: pipes and operators over lines, the branches
//   of an `if`, records and lists that begin with a line break, blocks and matches over lines stay broken.
// - Comments stay before what they stood before, at the end of the line they ended; one blank line is kept.
//
// `PrinterExpressions.swift` prints expressions, `PrinterText.swift` what is always on one line.

import FRPBase

/// Prints syntax.
package struct Printer {
  let tree: Tree
  let source: SourceFile
  let width: Int
  let comments: [Comment]
  var out = ""
  /// Columns of the line so far.
  var column = 0
  /// Where lines of the innermost construct begin.
  var indent = 0
  /// Nothing but (pending) indentation stands on the line.
  var lineIsEmpty = true
  /// What is printed is known to fit on the line.
  var isFlat = false
  var nextComment = 0
  /// Where the text ends after a comment that ended a line: nothing else can stand on it.
  var afterComment = -1
  /// Flat widths by expression, -1 where not measured yet.
  var widths: [Int32]

  /// More than any line has: what cannot stand on one line.
  static let tooWide = 1_000_000

  init(tree: Tree, source: SourceFile, comments: [Comment], width: Int) {
    self.tree = tree
    self.source = source
    self.comments = comments
    self.width = width
    widths = [Int32](repeating: -1, count: tree.exprs.count)
  }

  /// For what holds no expressions: nothing is measured.
  private init(tree: Tree, source: SourceFile) {
    (self.tree, self.source, comments, width, widths) = (tree, source, [], Self.tooWide, [])
  }

  /// The text of a module that was parsed without errors. Cost: linear in its size.
  package static func format(_ module: ModuleID, of tree: Tree, in sources: SourceMap, width: Int = 100) -> String {
    let syntax = tree.modules[module.index]
    var printer = Printer(tree: tree, source: sources[syntax.file], comments: syntax.comments, width: width)
    printer.items(syntax.items)
    return printer.out
  }

  /// Formats a text; nil, with what is wrong, when it cannot be read.
  package static func format(_ file: FileID, in sources: SourceMap, width: Int = 100) -> (text: String?, [Diagnostic]) {
    var tree = Tree()
    let (module, diagnostics) = Parser.parse(file, name: "", in: sources, into: &tree)
    if diagnostics.contains(where: { $0.severity == .error }) { return (nil, diagnostics) }
    return (format(module, of: tree, in: sources, width: width), diagnostics)
  }

  /// An expression on one line, without comments.
  package static func text(_ expr: ExprID, of tree: Tree, in sources: SourceMap) -> String {
    let span = tree.span(expr)
    if span.isNone { return "" }
    var printer = Printer(tree: tree, source: sources[span.file], comments: [], width: tooWide)
    printer.isFlat = true
    printer.expr(expr)
    return printer.out
  }

  /// A pattern on one line, without comments: what names what it defines, however it is laid out.
  package static func text(of pattern: PatternID, of tree: Tree, in sources: SourceMap) -> String {
    if case .name(let name) = tree[pattern] { return name }
    let span = tree.span(pattern)
    if span.isNone { return "" }
    return Printer(tree: tree, source: sources[span.file]).patternText(pattern)
  }

  // MARK: - Writing

  mutating func write(_ text: String) {
    if text.isEmpty { return }
    if lineIsEmpty {
      out += String(repeating: " ", count: column)
      lineIsEmpty = false
    }
    out += text
    column += displayWidth(text)
  }

  /// Ends the line; the next one begins at `indent`.
  mutating func newline() {
    out += "\n"
    column = indent
    lineIsEmpty = true
  }

  /// Text of the source over several lines, as it is.
  mutating func writeVerbatim(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    write(String(lines.first ?? ""))
    guard lines.count > 1 else { return }
    for line in lines.dropFirst() { out += "\n" + line }
    column = displayWidth(lines[lines.count - 1])
  }

  /// Lines end as all others do. A return of its own before such an end would become a part of that.
  func slice(_ span: Span) -> String {
    let text = source.text(span)
    return text.utf8.contains(13) && !text.contains("\r\r\n") ? text.replacing("\r\n", with: "\n") : text
  }

  // MARK: - Comments and blank lines

  /// Writes the comments that stand before an offset; afterwards the line is empty. False when there are none.
  @discardableResult
  mutating func flushComments(before offset: Int32) -> Bool {
    var any = false
    while nextComment < comments.count, comments[nextComment].span.start < offset {
      let comment = comments[nextComment]
      nextComment += 1
      if !lineIsEmpty, comment.ownsLine || out.utf8.count == afterComment { newline() }
      if lineIsEmpty {
        if comment.blankLinesBefore > 0 { blankLine() }
      } else {
        trimLine()
        write(String(repeating: " ", count: blanksBefore(comment.span.start)))
      }
      write(comment.text)
      newline()
      any = true
    }
    return any
  }

  /// Before a token in the middle of a line: comments there push it to a line of its own.
  mutating func hook(_ offset: Int32) {
    guard !isFlat, nextComment < comments.count, comments[nextComment].span.start < offset else { return }
    indent += 2
    flushComments(before: offset)
    indent -= 2
  }

  /// Ends the line before what begins at an offset, after the comments before it.
  mutating func breakLine(before offset: Int32) {
    if !flushComments(before: offset) || !lineIsEmpty { newline() }
    column = indent
  }

  /// An empty line, unless there is one or the text or its block has just begun.
  mutating func blankLine() {
    if out.isEmpty || out.hasSuffix("\n\n") || out.hasSuffix("{\n") { return }
    out += "\n"
  }

  private mutating func trimLine() {
    while out.utf8.last == 0x20 {
      out.removeLast()
      column -= 1
    }
  }

  /// Blanks between a comment at the end of a line and what it follows; authors align them.
  private func blanksBefore(_ offset: Int32) -> Int {
    var start = Int(offset)
    while start > 0, source.bytes[start - 1] == 0x20 { start -= 1 }
    return max(1, Int(offset) - start)
  }

  /// Whether an empty line stands directly before an offset.
  func hasBlankLine(before offset: Int32) -> Bool {
    var at = Int(offset)
    var breaks = 0
    while at > 0 {
      let byte = source.bytes[at - 1]
      if byte == 10 { breaks += 1 }
      guard byte == 10 || byte == 13 || byte == 32 || byte == 9 else { break }
      at -= 1
    }
    return breaks > 1
  }

  func hasLineBreak(_ start: Int32, _ end: Int32) -> Bool {
    start < end && source.bytes[Int(start)..<min(Int(end), source.bytes.count)].contains(10)
  }

  func hasComment(_ span: Span) -> Bool {
    var low = 0
    var high = comments.count
    while low < high {
      let middle = (low + high) / 2
      if comments[middle].span.start < span.start { low = middle + 1 } else { high = middle }
    }
    return low < comments.count && comments[low].span.start < span.end
  }

  // MARK: - Items

  mutating func items(_ items: [ItemID]) {
    for (number, item) in items.enumerated() {
      let span = tree.span(item)
      if number > 0 { newline() }
      flushComments(before: span.start)
      if hasBlankLine(before: span.start) { blankLine() }
      self.item(item)
      trailingComment(after: span.end)
    }
    if !lineIsEmpty { newline() }
    flushComments(before: Int32.max)
    while out.hasSuffix("\n\n") { out.removeLast() }
  }

  /// The comment that ends the line on which something ends.
  mutating func trailingComment(after offset: Int32) {
    guard nextComment < comments.count else { return }
    let comment = comments[nextComment]
    guard !comment.ownsLine, comment.span.start >= offset, !hasLineBreak(offset, comment.span.start), !lineIsEmpty
    else {
      return
    }
    // What else stands on that line keeps the comment.
    let between = source.bytes[Int(offset)..<Int(comment.span.start)]
    guard between.allSatisfy({ $0 == 32 || $0 == 9 || $0 == 0x3B || $0 == 0x2C }) else { return }
    nextComment += 1
    write(String(repeating: " ", count: blanksBefore(comment.span.start)) + comment.text)
    afterComment = out.utf8.count
  }

  private mutating func item(_ id: ItemID) {
    switch tree[id] {
    case .definition(let definition):
      self.definition(definition)
    case .input(let name, let type, let start, let source):
      write("input \(name.text): \(typeText(type))")
      if let start {
        write(" = ")
        expr(start)
      }
      if let source { port("from", source, after: start.map { tree.span($0) } ?? tree.span(type)) }
    case .output(let names):
      write("output " + names.map(\.text).joined(separator: ", "))
    case .type(let name, let parameters, let constructors):
      typeDeclaration(name, parameters, constructors: constructors, at: tree.span(id))
    case .alias(let name, let parameters, let type):
      write("alias \(name.text)\(parametersText(parameters)) = \(typeText(type))")
    case .importModule(let name):
      write("import \(name.text)")
    case .test(_, let steps):
      test(steps, tree.span(id))
    }
  }

  mutating func definition(_ definition: Definition) {
    if definition.isOutput { write("output ") }
    switch definition.binder {
    case .value(let pattern):
      write(binderText(pattern))
    case .function(let name, let parameters):
      write(name.text)
      let texts = parameters.map { parameter in
        patternText(parameter.pattern) + (parameter.type.map { ": " + typeText($0) } ?? "")
      }
      let flat = "(" + texts.joined(separator: ", ") + ")"
      if column + flat.count <= width - 4 { write(flat) } else { brokenParameters(texts) }
    }
    if let type = definition.type { write(": " + typeText(type)) }
    write(" = ")
    expr(definition.body)
    if let sink = definition.sink { port("to", sink, after: tree.span(definition.body)) }
  }

  /// What a port is connected to: on the line where it fits, else on one of its own, which authors may choose, too.
  private mutating func port(_ word: String, _ end: ExprID, after before: Span) {
    let isBroken = hasLineBreak(before.end, place(of: word, before.end, tree.span(end).start))
    indent += 2
    defer { indent -= 2 }
    if isBroken || column + word.count + 2 + flatWidth(end) > width { newline() } else { write(" ") }
    write(word + " ")
    expr(end)
  }

  /// Where a word stands between two places, outside of comments: what ends a comment behind it breaks no line before it.
  private func place(of word: String, _ start: Int32, _ end: Int32) -> Int32 {
    var index = Int(start)
    while index < Int(end) {
      let rest = source.bytes[index..<Int(end)]
      if rest.starts(with: word.utf8) { return Int32(index) }
      if rest.starts(with: "//".utf8) { index = rest.firstIndex(of: 10) ?? Int(end) } else { index += 1 }
    }
    return end
  }

  private mutating func brokenParameters(_ texts: [String]) {
    write("(")
    indent += 2
    for (number, text) in texts.enumerated() {
      newline()
      write(text + (number + 1 < texts.count ? "," : ""))
    }
    indent -= 2
    newline()
    write(")")
  }

  private mutating func typeDeclaration(
    _ name: Name, _ parameters: [Name], constructors: [ConstructorDeclaration], at span: Span
  ) {
    let head = "type \(name.text)\(parametersText(parameters))"
    let texts = constructors.map(constructorText)
    let flat = head + " = " + texts.joined(separator: " | ")
    let isBroken =
      constructors.count > 1
      && constructors.indices.dropFirst().contains { index in
        hasLineBreak(constructors[index - 1].name.span.end, constructors[index].name.span.start)
      }
    if !isBroken, column + flat.count <= width { return write(flat) }
    write(head)
    indent += 2
    for (number, text) in texts.enumerated() {
      breakLine(before: constructors[number].name.span.start)
      write((number == 0 ? "= " : "| ") + text)
    }
    indent -= 2
  }

  // MARK: - Tests

  private mutating func test(_ steps: [TestStep], _ span: Span) {
    let text = slice(span)
    let brace = nameEnd(text)
    write("test " + brace + " {")
    indent += 2
    for (number, step) in steps.enumerated() {
      let place = stepSpan(step)
      breakLine(before: place.start)
      if number > 0, hasBlankLine(before: place.start) { blankLine() }
      self.step(step)
      trailingComment(after: place.end)
    }
    let hadComments = flushComments(before: span.end - 1)
    indent -= 2
    if !steps.isEmpty || hadComments {
      if !lineIsEmpty { newline() }
      column = indent
    }
    write("}")
  }

  /// The name of a test as written, quotes included.
  private func nameEnd(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count, bytes[start] != 0x22 { start += 1 }
    let isLong = start + 2 < bytes.count && bytes[start + 1] == 0x22 && bytes[start + 2] == 0x22
    var end = start + (isLong ? 3 : 1)
    while end < bytes.count {
      if bytes[end] == 0x5C {
        end += 2
        continue
      }
      if bytes[end] == 0x22, !isLong || (end + 2 < bytes.count && bytes[end + 1] == 0x22 && bytes[end + 2] == 0x22) {
        break
      }
      end += 1
    }
    end = min(bytes.count, end + (isLong ? 3 : 1))
    return String(decoding: bytes[min(start, end)..<end], as: UTF8.self)
  }

  private func stepSpan(_ step: TestStep) -> Span {
    switch step {
    case .given(_, _, _, _, let span), .answer(_, _, _, _, _, let span), .expectAt(_, _, _, _, let span),
      .expectMarbles(_, _, _, _, let span):
      span
    }
  }

  private mutating func step(_ step: TestStep) {
    switch step {
    case .given(let input, let value, let every, let with, _):
      write("given \(input.text) = ")
      expr(value)
      if let every { word(" every ", every) }
      marbles(with)
    case .answer(let callee, let parameters, let value, let every, let with, _):
      write("given ")
      expr(callee)
      if !parameters.isEmpty { write("(" + parameters.map { patternText($0) }.joined(separator: ", ") + ")") }
      write(" = ")
      expr(value)
      if let every { word(" every ", every) }
      marbles(with)
    case .expectAt(let subject, let moment, let value, let within, _):
      write("expect ")
      expr(subject)
      word(" at ", moment)
      word(" == ", value)
      if let within { word(" ± ", within) }
    case .expectMarbles(let subject, let marbles, let every, let with, _):
      write("expect ")
      expr(subject)
      word(" == ", marbles)
      word(" every ", every)
      self.marbles(with)
    }
  }

  private mutating func word(_ word: String, _ value: ExprID) {
    write(word)
    expr(value)
  }

  private mutating func marbles(_ fields: [RecordField]) {
    if fields.isEmpty { return }
    write(" with {")
    for (number, field) in fields.enumerated() {
      if number > 0 { write(", ") }
      hook(field.name.span.start)
      write(slice(field.name.span) + ": ")
      expr(field.value)
    }
    write("}")
  }
}
