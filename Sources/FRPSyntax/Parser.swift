// Tokens -> Tree. Recursive descent with one token of lookahead, helped by the bracket matches of `Layout`.
//
// Shape in: one file of a `SourceMap`. Shape out: a `Module` in the shared `Tree`, whole (`.missing` where nothing was
// found), and diagnostics. Parsing never fails.
//
// Rules:
// - At a mistake the parser reports once and sees `.stop` until a loop over statements, arms, steps or items
//   recovers at the next line of its own block; so one mistake is one message.
// - Every loop eats a token or stops; every recursion counts depth (`maximumDepth`).
// - Grammar rules carry the name they have in `grammar/frp.ebnf`.

import FRPBase

/// Turns source text into syntax.
package struct Parser {
  /// How deeply expressions, patterns and types may nest, and how long a chain of operators may be: later passes
  /// recurse over the tree, and nobody can read 2,000 levels.
  package static let maximumDepth = 2_000
  /// The largest file in bytes. Tokens and tree of a file this size stay below a few hundred megabytes.
  package static let maximumSize = 8 << 20

  let file: FileID
  let bytes: [UInt8]
  let lexed: Lexed
  var layout: Layout
  var tree: Tree
  var diagnostics: [Diagnostic] = []

  var index = 0
  /// The token at which the item ends.
  var limit = 0
  /// The token that is looked at, as layout shows it.
  var current = TokenKind.endOfFile
  /// The margin of the innermost block; -1 where line breaks mean nothing.
  var margin: Int32 = -1
  /// The line start that was already taken as a separator.
  var passed = -1
  var lastEnd = 0
  var failed = false
  /// The furthest place that `recover` has gone on at.
  private var recovered = -1
  /// Nesting went too deep; nothing in this item is worth reading on.
  var gaveUp = false
  /// What follows the expression that is read, outside of its brackets.
  enum Context {
    case any
    /// `=>` would end it (guards, words of tests): no lambda and no `if`.
    case beforeArrow
    /// A brace ends it, and begins the arms of a `match`.
    case beforeArms
  }
  var context = Context.any
  var nesting = 0
  /// The token at which the innermost statement begins.
  var statementStart = 0
  /// Items before this token belong to a mistake that has been told.
  var told = 0
  /// Whether a mistake was found only because the text ended.
  var failedAtEnd = false
  var heights: [Int32] = []
  let firstExpr: Int
  /// Errors of the lexer, by offset: what comes after one in the same statement is not reported again.
  let lexerErrors: [Int32]

  private init(file: FileID, source: SourceFile, lexed: Lexed, tree: Tree) {
    self.file = file
    bytes = source.bytes
    layout = Layout.split(lexed.tokens)
    self.lexed = lexed
    firstExpr = tree.exprs.count
    lexerErrors = lexed.diagnostics.filter { $0.code != .malformedNumber && $0.code != .lookAlikeCharacter }.map(
      \.span.start
    ).sorted()
    self.tree = tree
    // For a prompt's small entries the arrays grow by themselves; asking each time would copy them each time.
    if lexed.tokens.count > 2_000 {
      self.tree.exprs.reserveCapacity(tree.exprs.count + lexed.tokens.count / 2)
      self.tree.exprSpans.reserveCapacity(tree.exprs.count + lexed.tokens.count / 2)
      heights.reserveCapacity(lexed.tokens.count / 2)
    }
  }

  /// Parses one file into the shared tree. Cost: linear in the size of the file.
  package static func parse(
    _ file: FileID, name: String, in sources: SourceMap, into tree: inout Tree
  ) -> (ModuleID, [Diagnostic]) {
    let source = sources[file]
    var module = Module(name: name, file: file, items: [], comments: [])
    let moduleID = ModuleID(tree.modules.count)
    if let problem = unreadable(source, file) {
      tree.modules.append(module)
      return (moduleID, [problem])
    }
    let lexed = Lexer.lex(source, file)
    var parser = Parser(file: file, source: source, lexed: lexed, tree: take(&tree))
    module.items = parser.items()
    module.comments = lexed.comments
    tree = parser.tree
    tree.modules.append(module)
    return (moduleID, sorted(lexed.diagnostics + parser.diagnostics))
  }

  /// Parses what was typed at a prompt: definitions, expressions, or both.
  package static func parseEntry(_ file: FileID, in sources: SourceMap, into tree: inout Tree) -> Entry {
    let source = sources[file]
    if let problem = unreadable(source, file) {
      return Entry(parts: [], comments: [], status: .complete, diagnostics: [problem])
    }
    let lexed = Lexer.lex(source, file)
    var parser = Parser(file: file, source: source, lexed: lexed, tree: take(&tree))
    let parts = parser.entryParts()
    tree = parser.tree
    var status = Entry.Status.complete
    if lexed.endsInText {
      status = .incomplete(waitingFor: "\"\"\"")
    } else if lexed.diagnostics.isEmpty, parser.diagnostics.count == 1, parser.failedAtEnd {
      status = .incomplete(waitingFor: parser.waitingFor())
    }
    return Entry(
      parts: parts, comments: lexed.comments, status: status,
      diagnostics: sorted(lexed.diagnostics + parser.diagnostics))
  }

  /// Parses a single expression.
  package static func parseExpression(
    _ file: FileID, in sources: SourceMap, into tree: inout Tree
  ) -> (ExprID, [Diagnostic]) {
    let source = sources[file]
    if let problem = unreadable(source, file) {
      return (tree.add(.missing, Span(file: file, start: 0, end: 0)), [problem])
    }
    let lexed = Lexer.lex(source, file)
    var parser = Parser(file: file, source: source, lexed: lexed, tree: take(&tree))
    parser.begin(0, lexed.tokens.count - 1)
    let expr = parser.expression()
    if !parser.failed, parser.current != .endOfFile { parser.unexpected("the end of the expression") }
    tree = parser.tree
    return (expr, sorted(lexed.diagnostics + parser.diagnostics))
  }

  private static func take(_ tree: inout Tree) -> Tree {
    let taken = tree
    tree = Tree()
    return taken
  }

  private static func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    diagnostics.enumerated().sorted { a, b in
      (a.element.span.start, a.offset) < (b.element.span.start, b.offset)
    }.map(\.element)
  }

  /// What makes a file no program at all: its size, or bytes that are no text.
  private static func unreadable(_ source: SourceFile, _ file: FileID) -> Diagnostic? {
    if source.bytes.count > maximumSize {
      return Diagnostic(
        .largeFile, "this file has \(source.bytes.count) bytes; a program has at most \(maximumSize)",
        at: Span(file: file, start: 0, end: 0),
        helps: [Help("move parts into modules of their own", code: "import Parts")])
    }
    guard let bad = firstInvalidByte(source.bytes) else { return nil }
    let span = Span(file: file, start: bad, end: min(bad + 1, source.bytes.count))
    if source.bytes[bad] == 0 {
      return Diagnostic(
        .strayCharacter, "there is a NUL byte here: this is not the text of a program", at: span,
        notes: ["Byte \(bad) of the file is 0. Programs are UTF-8 text."])
    }
    return Diagnostic(
      .strayCharacter, "this is not UTF-8 text", at: span,
      notes: ["Byte \(bad) of the file begins no UTF-8 character. Save the file in the encoding UTF-8."])
  }

  // MARK: - Tokens

  func token(_ offset: Int = 0) -> Token { layout.tokens[min(index + offset, layout.tokens.count - 1)] }

  /// The kind of a token further on in this statement; what lies behind its end shows as `.separator`.
  func peek(_ offset: Int = 1) -> TokenKind {
    if index + offset >= limit { return .endOfFile }
    for position in (index + 1)...(index + offset) where beginsStatement(position) { return .separator }
    return layout.tokens[index + offset].kind
  }

  /// The kind of the token at a position of this statement.
  func kind(at position: Int?) -> TokenKind {
    guard let position, position < limit else { return .endOfFile }
    return beginsStatement(position) ? .separator : layout.tokens[position].kind
  }

  mutating func refresh() {
    if failed {
      current = .stop
    } else if index >= limit {
      current = .endOfFile
    } else {
      let token = layout.tokens[index]
      current = token.startsLine && index != passed && beginsStatement(index) ? .separator : token.kind
    }
  }

  /// Whether the line that begins here is one of the innermost block's own.
  func beginsStatement(_ position: Int) -> Bool {
    let token = layout.tokens[position]
    guard token.startsLine, margin >= 0, token.column <= margin else { return false }
    return !token.kind.continuesLine || layout.isSigned(position)
  }

  mutating func advance() {
    if failed || index >= limit { return }
    lastEnd = Int(layout.tokens[index].end)
    index += 1
    refresh()
  }

  mutating func eat(_ kind: TokenKind) -> Bool {
    if current != kind { return false }
    advance()
    return true
  }

  /// Starts reading at a token, up to a limit.
  mutating func begin(_ start: Int, _ end: Int) {
    index = start
    limit = end
    margin = -1
    passed = -1
    failed = false
    gaveUp = false
    context = .any
    nesting = 0
    statementStart = start
    lastEnd = Int(layout.tokens[start].start)
    refresh()
  }

  // MARK: - Places and names

  var here: Int { Int(token().start) }

  func span(_ start: Int, _ end: Int) -> Span { Span(file: file, start: start, end: max(start, end)) }

  func span(from start: Int) -> Span { span(start, lastEnd) }

  func tokenSpan(_ position: Int) -> Span {
    let token = layout.tokens[min(position, layout.tokens.count - 1)]
    return span(Int(token.start), Int(token.end))
  }

  var currentSpan: Span {
    index >= limit ? span(lastEnd, lastEnd) : tokenSpan(index)
  }

  func text(_ position: Int) -> String {
    let token = layout.tokens[position]
    return text(span(Int(token.start), Int(token.end)))
  }

  func text(_ span: Span) -> String {
    String(decoding: bytes[Int(span.start)..<Int(span.end)], as: UTF8.self)
  }

  /// The name that stands here, eaten; without its backticks.
  mutating func takeName() -> Name {
    var place = tokenSpan(index)
    if current == .quotedName {
      place.end = max(place.start + 1, place.end - 1)
      place.start += 1
    }
    let name = Name(text(place), tokenSpan(index))
    advance()
    return name
  }

  // MARK: - Nodes

  func height(_ id: ExprID) -> Int32 {
    id.index >= firstExpr ? heights[id.index - firstExpr] : 0
  }

  mutating func add(_ expr: Expr, _ span: Span, height: Int32 = 0) -> ExprID {
    if height > Parser.maximumDepth {
      reportDepth(span)
      heights.append(0)
      return tree.add(.missing, span)
    }
    heights.append(height)
    return tree.add(expr, span)
  }

  mutating func missing() -> ExprID { add(.missing, currentSpan) }

  /// Counts one level of recursion; false when there are too many.
  mutating func enter() -> Bool {
    nesting += 1
    if nesting <= Parser.maximumDepth, hasStackLeft { return true }
    reportDepth(currentSpan)
    return false
  }

  private mutating func reportDepth(_ span: Span) {
    report(
      Diagnostic(
        .deepNesting, "this nests more than \(Parser.maximumDepth) levels deep",
        at: Span(file: file, start: Int(span.start), end: min(Int(span.end), Int(span.start) + 1)),
        label: "a chain of operators counts as well", helps: [Help("give parts of it names of their own")]))
    gaveUp = true
  }

  // MARK: - Mistakes

  /// Reports a mistake and stops reading until somebody recovers.
  mutating func report(_ diagnostic: Diagnostic) {
    if failed { return }
    if index >= limit, limit >= layout.tokens.count - 1 { failedAtEnd = true }
    failed = true
    current = .stop
    let from = Int32(statementStart < layout.tokens.count ? Int(layout.tokens[statementStart].start) : 0)
    let to = index < limit ? layout.tokens[index].start : Int32(lastEnd)
    if lexerErrors.contains(where: { $0 >= from && $0 <= to }) { return }
    if diagnostics.count < 200 { diagnostics.append(diagnostic) }
  }

  /// Reports something that does not keep the parser from going on.
  mutating func note(_ diagnostic: Diagnostic) {
    if !failed, diagnostics.count < 200 { diagnostics.append(diagnostic) }
  }

  /// After a mistake: goes on at the next line of the block whose statement began at `start`, or at its end. Lines that a
  /// block within has gone on at are not read again, or unclosed brackets would cost a power of their depth.
  mutating func recover(from start: Int, close: Int) {
    if !failed || gaveUp { return }
    let stop = close >= 0 ? min(close, limit) : limit
    var position = start
    while position < stop {
      let token = layout.tokens[position]
      if position > max(start, recovered), beginsStatement(position) || token.kind == .semicolon { break }
      if token.kind.opensBracket, let after = layout.afterClose(position), after <= stop {
        position = after
      } else {
        position += 1
      }
    }
    failed = false
    recovered = max(recovered, position)
    index = position
    passed = -1
    context = .any
    refresh()
  }
}

/// What was typed at a prompt.
package struct Entry: Sendable {
  package enum Part: Sendable {
    case item(ItemID)
    case expr(ExprID)
  }
  package enum Status: Sendable, Equatable {
    case complete
    /// More lines are needed; `waitingFor` is the bracket or quotes to come, or empty.
    case incomplete(waitingFor: String)
  }
  package var parts: [Part]
  package var comments: [Comment]
  package var status: Status
  /// Also filled when incomplete: what to say if no more comes.
  package var diagnostics: [Diagnostic]
}

/// The offset of the first byte that is NUL or belongs to no UTF-8 character.
func firstInvalidByte(_ bytes: [UInt8]) -> Int? {
  var at = 0
  let count = bytes.count
  while at < count {
    let lead = bytes[at]
    if lead < 0x80 {
      if lead == 0 { return at }
      at += 1
      continue
    }
    let length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0
    if length == 0 || at + length > count { return at }
    for offset in 1..<length where bytes[at + offset] & 0xC0 != 0x80 { return at }
    let second = bytes[at + 1]
    switch lead {
    case 0xE0 where second < 0xA0, 0xED where second > 0x9F, 0xF0 where second < 0x90, 0xF4 where second > 0x8F:
      return at
    default: at += length
    }
  }
  return nil
}
