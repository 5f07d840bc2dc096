// Items: definitions, `input`, `output`, `type`, `alias`, `import`; and the loop over a file or a prompt entry.

import FRPBase

extension Parser {
  /// File = { Item }
  mutating func items() -> [ItemID] {
    var result: [ItemID] = []
    var afterUnfinished = false
    forEachItem { parser in
      let first = parser.current
      if afterUnfinished, first != .lowerName, !first.opensItem, !parser.beginsDefinition() {
        // The line that should have been indented: part of the mistake before it.
        afterUnfinished = false
        return
      }
      if let item = parser.item() { result.append(item) }
      afterUnfinished = parser.failed && parser.index >= parser.limit
    }
    return result
  }

  mutating func entryParts() -> [Entry.Part] {
    var parts: [Entry.Part] = []
    forEachItem { parser in
      if parser.current.opensItem || parser.beginsDefinition() || parser.isForeignStatement() {
        if let item = parser.item() { parts.append(.item(item)) }
      } else {
        parts.append(.expr(parser.expression()))
        if !parser.failed, parser.current != .endOfFile { parser.unexpected("the end of the expression") }
      }
    }
    return parts
  }

  private mutating func forEachItem(_ body: (inout Parser) -> Void) {
    let starts = layout.itemStarts
    for (number, start) in starts.enumerated() {
      var end = number + 1 < starts.count ? starts[number + 1] : layout.tokens.count - 1
      while end > start, layout.tokens[end - 1].kind == .semicolon { end -= 1 }
      if end <= start || start < told { continue }
      begin(start, end)
      body(&self)
    }
  }

  /// Item = Input | Output | TypeDeclaration | AliasDeclaration | Import | Test | Definition
  mutating func item() -> ItemID? {
    let start = here
    let first = index
    guard let item = itemBody() else { return nil }
    if !failed, current != .endOfFile { unexpected("a new line") }
    let id = tree.add(item, span(from: start))
    if let docs = docs(before: Int(layout.tokens[first].start)) { tree.itemDocs[id] = docs }
    return id
  }

  private mutating func itemBody() -> Item? {
    if current.isWord, [.equal, .colon].contains(peek()), peek(2) != .endOfFile || peek() == .equal {
      reportReserved(index, as: "a name")
      return nil
    }
    switch current {
    case .inputWord: return input()
    case .outputWord: return output()
    case .typeWord: return typeDeclaration()
    case .aliasWord: return aliasDeclaration()
    case .importWord: return importDeclaration()
    case .testWord: return test()
    default: break
    }
    if reportForeignStatement() { return nil }
    if reportSignature() { return nil }
    if let item = foreignEquations() { return item }
    if beginsDefinition() { return .definition(definition(isOutput: false)) }
    let (first, isFunction) = (index, beginsForeignFunction())
    reportNoDefinition()
    return isFunction ? damagedDefinition(first) : nil
  }

  // MARK: - Definitions

  /// Whether what stands here reads as a definition: something that binds, then `=` or `:`.
  func beginsDefinition() -> Bool {
    if current == .separator || current == .stop { return false }
    let next = peek()
    switch layout.tokens[index].kind {
    case .lowerName, .wildcard:
      if next == .equal || next == .colon { return true }
      if next == .asWord { return true }
      if next == .foreign { return isAssignment(index + 1) }
      guard next == .leftParen else { return false }
      let after = kind(at: layout.afterClose(index + 1))
      return after == .equal || after == .colon
    case .leftParen, .leftBracket, .leftBrace:
      let after = kind(at: layout.afterClose(index))
      return after == .equal || after == .colon || after == .asWord
    case .upperName:
      if next == .equal { return true }
      var position = index + 1
      if next == .dot, kind(at: index + 2) == .upperName { position = index + 3 }
      guard kind(at: position) == .leftParen else { return false }
      let after = kind(at: layout.afterClose(position))
      return after == .equal || after == .colon || after == .asWord
    default: return false
    }
  }

  func isAssignment(_ position: Int) -> Bool {
    guard position < limit, layout.tokens[position].kind == .foreign else { return false }
    return [":=", "+=", "-=", "*=", "/=", "%="].contains(text(position))
  }

  /// Definition = ( Function | Binder ) [ ":" Type ] "=" Expression
  mutating func definition(isOutput: Bool) -> Definition {
    let binder: Definition.Binder
    if current == .lowerName, peek() == .leftParen {
      let name = takeName()
      binder = .function(name, parameters())
    } else {
      binder = .value(definitionPattern())
    }
    let type: TypeExprID? = eat(.colon) ? self.type() : nil
    expectEqual()
    let body = expression()
    return Definition(binder: binder, type: type, body: body, isOutput: isOutput)
  }

  private mutating func definitionPattern() -> PatternID {
    if current == .upperName, peek() == .equal {
      let name = text(index)
      report(
        Diagnostic(
          .unexpectedToken, "the name of a value starts with a small letter", at: currentSpan,
          helps: [Help("write", code: lowerFirst(name), edit: Help.Edit(currentSpan, lowerFirst(name)))]))
    }
    let start = here
    let inner = patternPrimary()
    return aliasSuffix(inner, start)
  }

  /// Parameters = "(" [ Parameter { "," Parameter } [ "," ] ] ")"
  private mutating func parameters() -> [Parameter] {
    bracketed(.rightParen, "a parameter") { parser in
      let pattern = parser.pattern(isTyped: true)
      let type: TypeExprID? = parser.eat(.colon) ? parser.type() : nil
      if !parser.failed, parser.current == .equal { parser.reportDefault() }
      return Parameter(pattern: pattern, type: type)
    }
  }

  private mutating func expectEqual() {
    if eat(.equal) || failed { return }
    if current == .equalEqual {
      return report(
        Diagnostic(
          .confusedEquals, "`==` compares; a definition is made with `=`", at: currentSpan,
          helps: [replacing("write", currentSpan, new: "=")]))
    }
    unexpected("`=`")
  }

  // MARK: - Ports

  /// Input = "input" LowerName ":" Type [ "=" Expression ] [ "from" Expression ]
  /// `from` and `to` are words only here.
  private mutating func input() -> Item {
    advance()
    let name = bindingName("an input's name", example: "input clicks: Event<Unit>")
    if !failed, current != .colon {
      let example = name.text.isEmpty ? "clicks" : name.text
      report(
        Diagnostic(
          .unexpectedToken, "an input needs its type", at: currentSpan, label: "expected `:` and a type",
          helps: [
            Help("for something that happens", code: "input \(example): Event<Unit>"),
            Help("for something that always has a value", code: "input \(example): Behavior<Int> = 0"),
          ]))
    }
    _ = eat(.colon)
    let type = self.type()
    let start: ExprID? = eat(.equal) ? expression() : nil
    return .input(name, type, start: start, source: eatWord("from") ? expression() : nil)
  }

  /// Output = "output" ( Definition [ "to" Expression ] | LowerName { "," LowerName } )
  private mutating func output() -> Item {
    advance()
    if current == .lowerName, peek() != .comma, peek() != .asWord, beginsDefinition() {
      var definition = definition(isOutput: true)
      if eatWord("to") { definition.sink = expression() }
      return .definition(definition)
    }
    reportOutputPattern()
    var names = [bindingName("an output's name", example: "output total = 3")]
    while eat(.comma) { names.append(bindingName("an output's name", example: "output total, average")) }
    if !failed, current != .endOfFile { reportUnnamedOutput(names[0]) }
    return .output(names)
  }

  private mutating func reportUnnamedOutput(_ name: Name) {
    if current == .foreign || current == .equal { return unexpected("a new line") }
    let start = Int(name.span.start)
    let end = Int(layout.tokens[limit - 1].end)
    var code = String(decoding: bytes[start..<min(end, start + 60)], as: UTF8.self)
    if code.contains("\n") { code = name.text + " …" }
    report(
      Diagnostic(
        .unexpectedToken, "an output needs a name", at: currentSpan,
        label: "only names that are defined elsewhere stand alone",
        helps: [Help("name it", code: "output result = \(code)")]))
  }

  /// A lower-case name; a word of the language or an upper-case one is a mistake of its own.
  mutating func bindingName(_ what: String, example: String) -> Name {
    if current == .lowerName { return takeName() }
    if failed { return Name("", currentSpan) }
    if current.isWord {
      reportReserved(index, as: what)
    } else if current == .upperName {
      let lower = lowerFirst(text(index))
      report(
        Diagnostic(
          .unexpectedToken, "\(what) starts with a small letter", at: currentSpan,
          helps: [Help("write", code: lower, edit: Help.Edit(currentSpan, lower))]))
    } else {
      report(
        Diagnostic(
          .unexpectedToken, "expected \(what)", at: currentSpan, label: foundText(),
          helps: [Help("for example", code: example)])
      )
    }
    return Name("", currentSpan)
  }

  // MARK: - Types, modules

  /// TypeDeclaration = "type" UpperName [ TypeParameters ] "=" [ "|" ] Constructor { "|" Constructor }
  private mutating func typeDeclaration() -> Item {
    let keyword = currentSpan
    advance()
    if reportTypeAlias(keyword) { return aliasDeclaration() }
    let name = typeName("a type's name", example: "type Shape = Circle(Float) | Square(Float)")
    let parameters = typeParameters()
    expectEqual()
    if !failed, beginsNoVariant { return meantAlias(name, parameters, keyword: keyword) }
    _ = eat(.bar)
    var constructors = [constructorDeclaration()]
    while eat(.bar) { constructors.append(constructorDeclaration()) }
    return .type(name, parameters: parameters, constructors)
  }

  /// `type Point = {x: Float}`, `type Ids = List<Int>`: what is meant is an alias, and as one it is read on.
  private mutating func meantAlias(_ name: Name, _ parameters: [Name], keyword: Span) -> Item {
    let what = current == .leftBrace ? "a record type" : "another name for a type"
    note(
      Diagnostic(
        .unexpectedToken, "`type` lists variants; \(what) is an `alias`", at: keyword,
        helps: [Help("write", code: "alias \(name.text) = …", edit: Help.Edit(keyword, "alias"))]))
    return .alias(name, parameters: parameters, type())
  }

  /// Whether what stands here is a type and cannot be a variant.
  private var beginsNoVariant: Bool {
    switch current {
    case .leftBrace, .leftParen: true
    case .upperName: [.less, .arrow].contains(peek())
    default: false
    }
  }

  /// Constructor = UpperName [ "(" ( Fields | Types ) ")" ]
  private mutating func constructorDeclaration() -> ConstructorDeclaration {
    if !failed, current == .leftBrace {
      report(
        Diagnostic(
          .unexpectedToken, "a variant starts with its name", at: currentSpan,
          helps: [Help("for example", code: "Rect(w: Float, h: Float)")]))
    }
    let name = typeName("a variant's name", example: "Circle(Float)")
    guard current == .leftParen else {
      if current == .leftBrace { reportBraceVariant(name) }
      return ConstructorDeclaration(name: name, fields: [])
    }
    let fields: [(label: Name?, type: TypeExprID)] = bracketed(.rightParen, "a type") { parser in
      var label: Name?
      if parser.isFieldName(parser.current), parser.peek() == .colon {
        label = parser.takeName()
        parser.advance()
      }
      return (label, parser.type())
    }
    let labelled = fields.filter { $0.label != nil }.count
    if labelled != 0, labelled != fields.count {
      let types = fields.map { text(tree.span($0.type)) }.joined(separator: ", ")
      note(
        Diagnostic(
          .unexpectedToken, "either all fields of `\(name.text)` have labels or none", at: name.span,
          helps: [Help("leave the labels out, or give one to each", code: "\(name.text)(\(types))")]))
    }
    if fields.isEmpty, !failed {
      note(
        Diagnostic(
          .unexpectedToken, "a variant without fields has no parentheses", at: span(from: Int(name.span.start)),
          helps: [Help("write", code: name.text)]))
    }
    return ConstructorDeclaration(name: name, fields: fields)
  }

  private mutating func reportBraceVariant(_ name: Name) {
    report(
      Diagnostic(
        .unexpectedToken, "the fields of a variant stand in parentheses", at: currentSpan,
        helps: [Help("for example", code: "\(name.text)(w: Float, h: Float)")]))
  }

  /// AliasDeclaration = "alias" UpperName [ TypeParameters ] "=" Type
  private mutating func aliasDeclaration() -> Item {
    advance()
    let name = typeName("a type's name", example: "alias Point = {x: Float, y: Float}")
    let parameters = typeParameters()
    expectEqual()
    return .alias(name, parameters: parameters, type())
  }

  /// Import = "import" UpperName
  private mutating func importDeclaration() -> Item {
    advance()
    if current == .stringBegin || current == .leftBrace || current == .star {
      report(
        Diagnostic(
          .foreignHabit, "a module is imported by its name", at: currentSpan,
          label: "`import Geometry` reads `Geometry.frp` beside this file",
          helps: [Help("write", code: "import Geometry")]))
    }
    if reportQualifiedImport() { return .importModule(Name("", currentSpan)) }
    let start = here
    let name = typeName("a module's name", example: "import Geometry")
    if reportImportList(name) { return .importModule(Name("", currentSpan)) }
    guard !failed, current == .dot else { return .importModule(name) }
    while current == .dot, peek() == .upperName || peek() == .lowerName {
      advance()
      advance()
    }
    let last = upperFirst(text(index - 1))
    report(
      Diagnostic(
        .foreignHabit, "a module's name has no dots", at: span(from: start),
        label: "modules stand beside the file: `import \(last)` reads `\(last).frp`",
        helps: [Help("write", code: "import \(last)")]))
    return .importModule(Name("", currentSpan))
  }

  /// TypeParameters = "<" LowerName { "," LowerName } ">"
  private mutating func typeParameters() -> [Name] {
    if !failed, current == .lowerName {
      let name = text(index)
      report(
        Diagnostic(
          .unexpectedToken, "the parameters of a type stand in `<` and `>`", at: currentSpan,
          helps: [Help("write", code: "<\(name)>", edit: Help.Edit(currentSpan, "<\(name)>"))]))
    }
    guard eat(.less) else { return [] }
    var names = [bindingName("a type parameter", example: "type Tree<a> = Leaf | Node(Tree<a>, a, Tree<a>)")]
    while eat(.comma) { names.append(bindingName("a type parameter", example: "<a, b>")) }
    closeAngle()
    return names
  }

  /// An upper-case name.
  mutating func typeName(_ what: String, example: String) -> Name {
    if current == .upperName { return takeName() }
    if failed { return Name("", currentSpan) }
    if current == .lowerName {
      let upper = upperFirst(text(index))
      report(
        Diagnostic(
          .unexpectedToken, "\(what) starts with a capital letter", at: currentSpan,
          helps: [Help("write", code: upper, edit: Help.Edit(currentSpan, upper))]))
    } else if current.isWord {
      reportReserved(index, as: what)
    } else {
      report(
        Diagnostic(
          .unexpectedToken, "expected \(what)", at: currentSpan, label: foundText(),
          helps: [Help("for example", code: example)])
      )
    }
    return Name("", currentSpan)
  }

  // MARK: - Lists in brackets

  /// Reads "(" [ element { "," element } [ "," ] ] ")" or its like; the opening bracket is current.
  mutating func bracketed<T>(_ closing: TokenKind, _ what: String, element: (inout Parser) -> T) -> [T] {
    let outer = openBracket()
    var elements: [T] = []
    while current != closing, !failed, current != .endOfFile {
      elements.append(element(&self))
      if current != .comma { break }
      advance()
      if current == .comma { unexpected(what) }
    }
    closeBracket(closing, outer)
    return elements
  }

  /// What `closeBracket` restores.
  struct Outer {
    var open: Int
    var margin: Int32
    var context: Parser.Context
  }

  /// Eats what opens; line breaks mean nothing until it is closed (in a block, its margin counts).
  mutating func openBracket(asBlock: Bool = false) -> Outer {
    let outer = Outer(open: index, margin: margin, context: context)
    let payload = Int(layout.tokens[index].payload)
    margin = asBlock && payload >= 0 ? layout.brackets[payload].margin : -1
    context = .any
    advance()
    return outer
  }

  func closeIndex(_ outer: Outer) -> Int {
    let payload = Int(layout.tokens[outer.open].payload)
    return payload >= 0 ? Int(layout.brackets[payload].close) : -1
  }

  mutating func closeBracket(_ closing: TokenKind, _ outer: Outer) {
    if !failed {
      if current == .separator {
        passed = index
        refresh()
      }
      // Layout may have given this closing bracket to another one.
      if current != closing || token().payload != layout.tokens[outer.open].payload {
        reportUnclosed(outer.open, closing)
      }
    }
    margin = outer.margin
    context = outer.context
    if !failed { advance() }
  }

  // MARK: - Documentation

  /// The text of the `///` lines that end right before an offset.
  mutating func docs(before offset: Int) -> String? {
    let comments = lexed.comments
    var low = 0
    var high = comments.count
    while low < high {
      let middle = (low + high) / 2
      if Int(comments[middle].span.start) < offset { low = middle + 1 } else { high = middle }
    }
    var lines: [String] = []
    var next = offset
    while low > 0 {
      let comment = comments[low - 1]
      let between = bytes[Int(comment.span.end)..<next]
      guard comment.ownsLine, comment.text.hasPrefix("///"), !comment.text.hasPrefix("////"),
        between.allSatisfy({ $0 == 10 || $0 == 13 || $0 == 32 || $0 == 9 })
      else { break }
      let text = comment.text.dropFirst(3)
      lines.append(String(text.first == " " ? text.dropFirst() : text))
      next = Int(comment.span.start)
      low -= 1
    }
    return lines.isEmpty ? nil : lines.reversed().joined(separator: "\n")
  }

  func lowerFirst(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

  func upperFirst(_ name: String) -> String {
    let bare = name.drop { $0 == "_" }
    return bare.prefix(1).uppercased() + bare.dropFirst()
  }
}
