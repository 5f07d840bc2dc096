// What a name is: its type, what it is in time, its documentation; of built-ins, the page of the reference.

import FRP
import FRPBase
import FRPCore
import FRPSema
import FRPSyntax

extension LanguageServer {
  func hover(_ document: Document, _ params: JSONObject) -> JSONTree {
    let offset = offset(params.object("position"), in: document.file)
    let analysis = analysis(document)
    if let name = analysis.name(at: offset) {
      guard let text = description(of: name, document) else { return nil }
      return hover(text, at: name.span, document)
    }
    guard let (expr, span) = analysis.expression(at: offset), let typed = analysis.typed else {
      return earlier(document, analysis, at: offset)
    }
    let type = analysis.named(typed.describe(typed.exprTypes[expr.index]))
    if case .field(_, let name) = typed.tree[expr], Int(name.span.start) <= offset {
      return hover(Self.code("\(name.text): \(type)"), at: name.span, document)
    }
    return hover(Self.code(type), at: span, document)
  }

  /// Of a name in a text with mistakes, what it was in the last text without any.
  private func earlier(_ document: Document, _ analysis: Analysis, at offset: Int) -> JSONTree {
    guard !analysis.isClean, let word = document.file.word(at: offset), let good = document.good,
      let name = good.topLevel(document.file.text(word)), let text = description(of: name, good, document)
    else { return nil }
    return hover(text, at: word, document)
  }

  private func hover(_ text: String, at span: Span, _ document: Document) -> JSONTree {
    ["contents": ["kind": "markdown", "value": .text(text)], "range": range(span, in: document.file)]
  }

  /// What people read about a name, as Markdown; nil where nothing is known.
  func description(of name: NameOccurrence, _ document: Document) -> String? {
    description(of: name, analysis(document), document)
  }

  private func description(of name: NameOccurrence, _ analysis: Analysis, _ document: Document) -> String? {
    let text = analysis.sources.text(name.span)
    switch name.target {
    case .builtin(let rows): return Self.reference(analysis.meant(rows, by: name).map { Builtins.all[$0] })
    case .builtinType(let type): return Self.code("type \(type)")
    case .module(let module): return moduleText(module, analysis)
    case .constructor:
      guard let type = analysis.type(of: name.target) else { return nil }
      return Self.code("\(text): \(type)") + Self.paragraph("a constructor")
    case .item(let item):
      guard let tree = analysis.typed?.tree else { return nil }
      switch tree[item] {
      case .type, .alias: return declaration(item, analysis)
      default: return definition(text, name.target, in: analysis, of: document)
      }
    case .binder: return definition(text, name.target, in: analysis, of: document)
    }
  }

  /// A type or alias as it is written.
  private func declaration(_ item: ItemID, _ analysis: Analysis) -> String? {
    guard let tree = analysis.typed?.tree else { return nil }
    let text = analysis.sources.text(tree.span(item))
    return Self.code(text) + Self.paragraph(tree.itemDocs[item])
  }

  private func definition(
    _ text: String, _ target: NameTarget, in analysis: Analysis, of document: Document
  ) -> String? {
    // With mistakes elsewhere, evaluation says nothing: then what the name was when there were none.
    let time = analysis.time(of: target) ?? earlierTime(text, target, in: analysis, of: document)
    guard var type = analysis.type(of: target) ?? earlierType(text, document) else { return nil }
    if !analysis.isClean, type.hasPrefix("Num "), let decided = earlierType(text, document) { type = decided }
    if time == .step || time == .continuous, !type.hasPrefix("Behavior<") { type = "Behavior<\(type)>" }
    let isInput = analysis.typed?.inputs.contains { .item($0.item) == target } == true
    var kind = ""
    if isInput { kind = "an input" }
    if analysis.isParameter(target) { kind = "a parameter" }
    if let said = Self.words(time, isEvent: analysis.isEvent(target)) { kind += (kind.isEmpty ? "" : ", ") + said }
    if let home = home(of: target, analysis) { kind += (kind.isEmpty ? "" : ", ") + "of `\(home)`" }
    return Self.code("\(text): \(type)") + Self.paragraph(kind) + Self.paragraph(analysis.documentation(of: target))
  }

  private func earlierTime(
    _ name: String, _ target: NameTarget, in analysis: Analysis, of document: Document
  ) -> TimeKind? {
    if analysis.isClean || analysis.isEvent(target) || analysis.isFunction(target) || analysis.isParameter(target) {
      return nil
    }
    return document.good?.time(ofName: name)
  }

  private func earlierType(_ name: String, _ document: Document) -> String? {
    document.good.flatMap { good in good.topLevel(name).flatMap { good.type(of: $0.target) } }
  }

  private static func words(_ time: TimeKind?, isEvent: Bool) -> String? {
    if isEvent { return "an event" }
    switch time {
    case .constant: return TimeWords.constant
    case .step: return TimeWords.step
    case .continuous: return TimeWords.continuous
    case nil: return nil
    }
  }

  /// The module that something is defined in, unless it is the document itself.
  private func home(of target: NameTarget, _ analysis: Analysis) -> String? {
    guard let place = analysis.definition(of: target), place.span.file != FileID(0) else { return nil }
    return analysis.module(of: place.span.file)?.name
  }

  private func moduleText(_ module: String, _ analysis: Analysis) -> String? {
    let host = Reference.host(surroundings, module)
    if !host.isEmpty { return host }
    if let members = analysis.facts?.members(of: module) {
      return Self.code("import \(module)") + Self.paragraph(members.map { "`\($0)`" }.joined(separator: ", "))
    }
    let names = Builtins.documented.filter { $0.container == module }.map { "`\($0.name)`" }
    return names.isEmpty ? nil : Self.code(module) + Self.paragraph(names.joined(separator: ", "))
  }

  /// The pages of built-ins; of overloaded names the first three.
  static func reference(_ rows: [Builtin]) -> String {
    let pages = rows.prefix(3).map { row -> String in
      let name = row.isBare ? row.name : "\(row.container).\(row.name)"
      var text = code("\(name): \(row.signature)") + paragraph(row.summary)
      if let equation = row.equation { text += "\n" + code(equation) }
      if let example = TimedExample.find(row) { text += "\n" + code(example.shown) }
      let examples = row.examples.prefix(2).map { "\($0.source)   // \($0.result)" }
      if !examples.isEmpty { text += "\n" + code(examples.joined(separator: "\n")) }
      return text
    }
    let more =
      rows.count > 3
      ? ["and \(rows.count - 3) more: \(rows.dropFirst(3).map(\.container).joined(separator: ", "))"] : []
    return (pages + more).joined(separator: "\n---\n\n")
  }

  static func code(_ text: String) -> String { "```frp\n\(text)\n```\n" }

  static func paragraph(_ text: String?) -> String { text.map { $0.isEmpty ? "" : "\n\($0)\n" } ?? "" }
}

extension SourceFile {
  /// The word at a place.
  func word(at offset: Int) -> Span? {
    var start = min(offset, bytes.count)
    var end = start
    while start > 0, Self.isWord(bytes[start - 1]) { start -= 1 }
    while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
    return start < end ? Span(file: FileID(0), start: start, end: end) : nil
  }

  /// Letters beyond ASCII count.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x80...0xFF: true
    default: false
    }
  }
}
