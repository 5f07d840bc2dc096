// Where a name is made and used, what a document declares, and other names for it.

import FRP
import FRPBase
import FRPSema
import FRPSyntax

extension LanguageServer {
  // MARK: Places

  func definition(_ document: Document, _ params: JSONObject) -> JSONTree {
    let analysis = analysis(document)
    guard let name = name(document, params) else { return nil }
    if case .module(let module) = name.target {
      guard let home = analysis.typed?.tree.modules.first(where: { $0.name == module && !$0.isHost }) else {
        return nil
      }
      return location(Span(file: home.file, start: 0, end: 0), analysis)
    }
    guard let place = analysis.definition(of: name.target), !analysis.sources[place.span.file].isHost else {
      return nil
    }
    return location(place.span, analysis)
  }

  private func name(_ document: Document, _ params: JSONObject) -> NameOccurrence? {
    analysis(document).name(at: offset(params.object("position"), in: document.file))
  }

  func references(_ document: Document, _ params: JSONObject) -> JSONTree {
    guard let name = name(document, params) else { return [] }
    let analysis = analysis(document)
    let isWithDefinition = params.object("context")["includeDeclaration"] != "false"
    let found = analysis.allNames.filter {
      $0.target == name.target && (isWithDefinition || !$0.isDefinition) && !analysis.sources[$0.span.file].isHost
    }
    return .array(found.map { location($0.span, analysis) })
  }

  func highlights(_ document: Document, _ params: JSONObject) -> JSONTree {
    guard let name = name(document, params) else { return [] }
    let found = analysis(document).names.filter { $0.target == name.target }
    return .array(found.map { ["range": range($0.span, in: document.file), "kind": $0.isDefinition ? 3 : 2] })
  }

  // MARK: Symbols

  func symbols(_ document: Document) -> JSONTree {
    let analysis = analysis(document)
    guard let tree = analysis.typed?.tree, let main = tree.modules.first else { return [] }
    return .array(main.items.flatMap { symbols(of: $0, tree, analysis) })
  }

  /// The protocol's numbers for kinds of symbols.
  private enum SymbolKind: Int {
    case module = 2
    case method = 6
    case enumeration = 10
    case function = 12
    case variable = 13
    case constant = 14
    case enumerationMember = 22
    case structure = 23
    case event = 24
  }

  private func symbols(of item: ItemID, _ tree: Tree, _ analysis: Analysis) -> [JSONTree] {
    let span = tree.span(item)
    switch tree[item] {
    case .importModule(let name): return [symbol(name, .module, of: span, in: analysis)]
    case .alias(let name, _, _): return [symbol(name, .structure, of: span, in: analysis)]
    case .test(let name, _): return [symbol(Name("test \(name)", span), .method, of: span, in: analysis)]
    case .type(let name, _, let constructors):
      let children = constructors.map { symbol($0.name, .enumerationMember, of: $0.name.span, in: analysis) }
      return [symbol(name, .enumeration, of: span, in: analysis, children: children)]
    case .input, .definition:
      return analysis.declared(by: item).map { name, target in
        symbol(name, kind(target, analysis), of: span, type: analysis.type(of: target), in: analysis)
      }
    case .output: return []
    }
  }

  private func kind(_ target: NameTarget, _ analysis: Analysis) -> SymbolKind {
    if analysis.isEvent(target) { return .event }
    if analysis.isFunction(target) { return .function }
    return analysis.time(of: target) == .constant ? .constant : .variable
  }

  private func symbol(
    _ name: Name, _ kind: SymbolKind, of span: Span, type: String? = nil, in analysis: Analysis,
    children: [JSONTree] = []
  ) -> JSONTree {
    var fields: [(name: String, value: JSONTree)] = [
      ("name", .text(name.text.isEmpty ? "?" : name.text)), ("kind", .int(kind.rawValue)),
      ("range", range(span.union(name.span), in: analysis.file)),
      ("selectionRange", range(name.span, in: analysis.file)),
    ]
    if let type { fields.append(("detail", .text(type))) }
    if !children.isEmpty { fields.append(("children", .array(children))) }
    return .object(fields)
  }

  // MARK: Formatting

  /// The whole text in the language's one style, where that is another; nothing where it cannot be read.
  func formatting(_ document: Document) -> JSONTree {
    let source = Source(name: document.path, bytes: document.file.bytes)
    guard let text = source.formatted().text, Array(text.utf8) != source.bytes else { return [] }
    let whole = Span(file: FileID(0), start: 0, end: document.file.bytes.count)
    return [["range": range(whole, in: document.file), "newText": .text(text)]]
  }

  // MARK: Renaming

  func prepareRename(_ document: Document, _ params: JSONObject) throws(Refusal) -> JSONTree {
    let name = try renamed(document, params)
    return ["range": range(name.span, in: document.file), "placeholder": .text(document.file.text(name.span))]
  }

  /// The name at a place, if it may be called otherwise.
  private func renamed(_ document: Document, _ params: JSONObject) throws(Refusal) -> NameOccurrence {
    guard let name = name(document, params) else { throw Refusal(.requestFailed, "there is no name here") }
    let text = document.file.text(name.span)
    switch name.target {
    case .builtin, .builtinType: throw Refusal(.requestFailed, "`\(text)` is built in")
    case .module: throw Refusal(.requestFailed, "a module is called as its file is: rename the file")
    case .binder, .item, .constructor: break
    }
    let analysis = analysis(document)
    guard let made = analysis.definition(of: name.target) else {
      throw Refusal(.requestFailed, "`\(text)` is built in")
    }
    if made.span.file != FileID(0) {
      let file = analysis.sources[made.span.file]
      throw Refusal(
        .requestFailed,
        file.isHost ? "`\(text)` belongs to the host" : "`\(text)` is defined in \(file.name): rename it there")
    }
    return name
  }

  func rename(_ document: Document, _ params: JSONObject) throws(Refusal) -> JSONTree {
    let name = try renamed(document, params)
    let new = params.string("newName") ?? ""
    let old = document.file.text(name.span)
    if new == old { return ["changes": [:]] }
    try checkSpelling(of: new, for: old)
    let analysis = analysis(document)
    if let importer = importer(of: document, mentioning: old) {
      throw Refusal(
        .requestFailed, "\(importer) imports this file and mentions `\(old)`: it would not mean it any more")
    }
    let edits = analysis.names.filter { $0.target == name.target }.map { use in
      (span: use.span, text: use.isShorthand ? "\(old): \(new)" : new)
    }
    try checkMeaning(of: edits, old: old, new: new, document)
    return changes(edits, document)
  }

  /// A name of the same kind: small for values, capital for types and constructors, and no word of the language.
  private func checkSpelling(of new: String, for old: String) throws(Refusal) {
    func kind(_ text: String) -> String? {
      let tokens = Parser.grammarTokens(SourceFile(name: "name", text: text)).filter { $0.end > $0.start }
      guard tokens.count == 1, tokens[0].text == text else { return nil }
      return tokens[0].name
    }
    guard let found = kind(new), found == "LOWER" || found == "UPPER" else {
      throw Refusal(.invalidParams, "`\(new)` is no name")
    }
    if found != kind(old) {
      let wanted = found == "UPPER" ? "a small letter" : "a capital"
      throw Refusal(.invalidParams, "`\(new)`: what `\(old)` is begins with \(wanted)")
    }
  }

  /// A file beside this one that imports it and mentions a name of its margin.
  private func importer(
    of document: Document, mentioning name: String
  ) -> String? {
    guard FileAddress.path(document.uri) != nil, document.path.hasSuffix(".frp") else { return nil }
    let module = ModuleLoader.moduleName(document.path)
    let folder = Files.directory(of: document.path)
    for other in Files.names(in: folder) where other.hasSuffix(".frp") && folder + other != document.path {
      let open = documents.values.first { $0.path == folder + other }?.file.bytes
      guard let bytes = open ?? surroundings.modules.read(folder + other) else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      if text.contains("import \(module)"), ReplNames.mentions(module, name, in: text) { return other }
    }
    return nil
  }

  /// The edited text must mean what the text means: every name, by order of place, is what it was.
  private func checkMeaning(
    of edits: [(span: Span, text: String)], old: String, new: String, _ document: Document
  ) throws(Refusal) {
    var bytes: [UInt8] = []
    var end = 0
    for edit in edits {
      bytes += document.file.bytes[end..<Int(edit.span.start)] + Array(edit.text.utf8)
      end = Int(edit.span.end)
    }
    bytes += document.file.bytes[end...]
    let before = analysis(document)
    let after = Analysis(SourceFile(name: document.path, bytes: bytes), surroundings)
    let known = Set(before.diagnostics.filter { $0.severity == .error }.map(\.code))
    if let problem = after.diagnostics.first(where: { $0.severity == .error && !known.contains($0.code) }) {
      throw Refusal(.requestFailed, "`\(old)` cannot be called `\(new)`: \(problem.title)")
    }
    guard Self.meanings(before) == Self.meanings(after) else {
      throw Refusal(.requestFailed, "`\(old)` cannot be called `\(new)`: another `\(new)` would be meant somewhere")
    }
  }

  /// Of each name, the place of the name that it means in the order of all, or how what is no part of the text is called.
  private static func meanings(_ analysis: Analysis) -> [String] {
    var places: [NameTarget: Int] = [:]
    for (place, name) in analysis.allNames.enumerated() where name.isDefinition { places[name.target] = place }
    return analysis.allNames.map { name in places[name.target].map(String.init) ?? analysis.sources.text(name.span) }
  }
}
