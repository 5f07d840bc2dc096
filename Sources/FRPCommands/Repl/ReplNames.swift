// Names inside of entries: putting one for another, and what the last expression is called.
//
// - A name is replaced where it is used or bound. Texts in quotes, fields after a dot and labels of records stay.
// - `it` is the last expression. An entry that mentions it means that expression, for good: what `it` is changes with
//   every entry, and a definition does not.

import FRP
import FRPBase
import FRPSyntax

enum ReplNames {
  /// The text with one name put for another one.
  static func replace(_ old: String, by new: String, in text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var end = 0
    for use in uses(of: old, in: text) {
      result += bytes[end..<use.start] + Array(new.utf8)
      end = use.end
    }
    return String(decoding: result + bytes[end...], as: UTF8.self)
  }

  /// Whether `Module.name` stands in a text.
  static func mentions(_ module: String, _ name: String, in text: String) -> Bool {
    let tokens = Parser.grammarTokens(SourceFile(name: "prompt", text: text)).filter { $0.end > $0.start }.map(\.text)
    return tokens.indices.dropLast(2).contains { Array(tokens[$0...($0 + 2)]) == [module, ".", name] }
  }

  static func isMentioned(_ name: String, in text: String) -> Bool { !uses(of: name, in: text).isEmpty }

  /// Whether something is done with a name as a value: `name |> …`.
  static func isPiped(_ name: String, in text: String) -> Bool {
    let tokens = Parser.grammarTokens(SourceFile(name: "prompt", text: text)).filter { $0.end > $0.start }
    return tokens.indices.dropLast().contains { index in
      tokens[index].text == name && tokens[index + 1].text == "|>" && (index == 0 || tokens[index - 1].text != "|>")
    }
  }

  private static func uses(of name: String, in text: String) -> [GrammarToken] {
    let tokens = Parser.grammarTokens(SourceFile(name: "prompt", text: text)).filter { $0.end > $0.start }
    var open: [String] = []
    var found: [GrammarToken] = []
    for (index, token) in tokens.enumerated() {
      switch token.text {
      case "(", "[", "{": open.append(token.text)
      case ")", "]", "}": _ = open.popLast()
      case name:
        let isField = index > 0 && tokens[index - 1].text == "." && tokens[index - 1].end == token.start
        let isLabel = open.last == "{" && index + 1 < tokens.count && tokens[index + 1].text == ":"
        if !isField, !isLabel { found.append(token) }
      default: break
      }
    }
    return found
  }
}

extension ReplSession {
  /// The last expression's own definition.
  var lastExpression: ReplItem? {
    expressionApart ?? current.items.first { $0.names == ["it"] && $0.text.hasPrefix(Self.itPrefix) }
  }

  private static let pastKept = 9

  /// What was the last expression becomes `it1`.
  func keepExpression(_ last: ReplItem) {
    pastExpressions.insert(String(last.text.dropFirst(Self.itPrefix.count)), at: 0)
    if pastExpressions.count > Self.pastKept { pastExpressions.removeLast() }
  }

  /// The expressions that `it`, `it1`, … mean, as far as a definition has not the name.
  private var results: [(name: String, expression: String)] {
    let last = lastExpression.map { [("it", String($0.text.dropFirst(Self.itPrefix.count)))] } ?? []
    let past = pastExpressions.enumerated().map { ("it\($0 + 1)", $1) }
    return last + past.filter { current.name($0.0) == nil }
  }

  /// Definitions with the last expressions in place of `it`, `it1`, …, where they mean that.
  func spelledOut(_ items: [ReplItem]) -> [ReplItem] {
    let defined = Set(items.filter { $0.names != ["it"] || !$0.text.hasPrefix(Self.itPrefix) }.flatMap(\.names))
    let mentioned = results.filter { result in
      !defined.contains(result.name) && items.contains { ReplNames.isMentioned(result.name, in: $0.text) }
    }
    if mentioned.isEmpty { return items }
    // A parameter may be called so as well; what the name means is the checker's to say.
    let asked = items.map { item in
      if item.names != ["it"] { return item }
      return ReplItem(names: ["asked"], text: "asked = " + item.text.dropFirst(Self.itPrefix.count))
    }
    let names = Set(asked.flatMap(\.names))
    let past = mentioned.filter { $0.name != "it" }.map {
      ReplItem(names: [$0.name], text: "\($0.name) = \($0.expression)")
    }
    let last = expressionApart.map { [$0] } ?? []
    let others = current.items.filter { names.isDisjoint(with: $0.names) && (last.isEmpty || $0.names != ["it"]) }
    let program = compiled(others + last + past + asked)
    let meant = mentioned.filter { !names.isDisjoint(with: program.users[$0.name] ?? []) }
    return items.map { item in
      let isExpression = item.names == ["it"] && item.text.hasPrefix(Self.itPrefix)
      let text = isExpression ? String(item.text.dropFirst(Self.itPrefix.count)) : item.text
      return ReplItem(
        names: item.names,
        text: (isExpression ? Self.itPrefix : "")
          + meant.reduce(text) { ReplNames.replace($1.name, by: "(\($1.expression))", in: $0) },
        isInput: item.isInput, folder: item.folder, comments: item.comments)
    }
  }

  /// These definitions, with the session's files and host, and with modules as the present program has them, or as they are given.
  func compiled(_ items: [ReplItem], first: [String] = [], modules: ReplModules? = nil) -> ReplProgram {
    ReplProgram(items: items, first: first, modules: modules ?? current.modules, in: surroundings)
  }

  /// A program of these definitions; without the last expression where that no longer fits.
  func program(of items: [ReplItem], first: [String] = [], modules: ReplModules? = nil) -> ReplProgram {
    let next = compiled(items, first: first, modules: modules)
    let others = items.filter { $0.names != ["it"] || first.contains($0.text) }
    return next.errors.isEmpty || next.isStopped || others.count == items.count
      ? next : compiled(others, first: first, modules: modules)
  }

  /// The session's program with an expression as `it`; nil after saying what is wrong with the expression.
  func program(asking text: String) -> ReplProgram? {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: text))
    var tree = Tree()
    let parsed = Parser.parseEntry(file, in: sources, into: &tree)
    if !parsed.diagnostics.isEmpty {
      fail(render(parsed.diagnostics, sources))
      return nil
    }
    guard parsed.parts.count == 1, case .expr = parsed.parts[0] else {
      fail("\(text) is no expression")
      return nil
    }
    let item = spelledOut([ReplItem(names: ["it"], text: Self.itPrefix + text.replacingLineBreaks())])[0]
    let program = compiled(current.items.filter { $0.names != ["it"] } + [item], first: [item.text])
    if program.errors.isEmpty { return program }
    explain(program, text)
    return nil
  }

  /// Says what is wrong with an expression.
  func explain(_ program: ReplProgram, _ expression: String) {
    if current.name("it") == nil, ReplNames.isMentioned("it", in: expression),
      program.errors.contains(where: { $0.title.contains("`it`") })
    {
      return fail("`it` is the last expression, and there is none now")
    }
    fail(render(program.errors, program.program.sources))
    for hint in hintsOfNames(expression) { show(wrappedToFit(hint)) }
  }
}
