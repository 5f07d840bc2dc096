// Where a name is made and used, and what a document declares.

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

  func name(_ document: Document, _ params: JSONObject) -> NameOccurrence? {
    analysis(document).name(at: offset(params.object("position"), in: document.file))
  }

  func references(_ document: Document, _ params: JSONObject) -> JSONTree {
    guard let name = name(document, params) else { return [] }
    let isWithDefinition = params.object("context")["includeDeclaration"] != "false"
    return .array(
      uses(of: name.target, in: document).flatMap { program, names in
        names.filter { isWithDefinition || !$0.isDefinition }.map { location($0.span, program) }
      })
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
  enum SymbolKind: Int {
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
}
