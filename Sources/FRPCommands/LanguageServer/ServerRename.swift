// Another name for what is defined, in every file that mentions it.
//
// The edited texts are checked before they are proposed: every name must mean what it meant.

import FRP
import FRPBase
import FRPSema
import FRPSyntax

extension LanguageServer {
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
    case .module(let module):
      let file = analysis(document).typed?.tree.modules.first { $0.name == module }
      let why = file.map { $0.isHost ? "belongs to the host" : "is called as its file is: rename the file" }
      throw Refusal(.requestFailed, "`\(text)` \(why ?? "is built in")")
    case .binder, .item, .constructor: break
    }
    let analysis = analysis(document)
    guard let made = analysis.definition(of: name.target) else {
      throw Refusal(.requestFailed, "`\(text)` is built in")
    }
    if analysis.sources[made.span.file].isHost { throw Refusal(.requestFailed, "`\(text)` belongs to the host") }
    return name
  }

  func rename(_ document: Document, _ params: JSONObject) throws(Refusal) -> JSONTree {
    let name = try renamed(document, params)
    let new = params.string("newName") ?? ""
    let old = document.file.text(name.span)
    if new == old { return ["changes": [:]] }
    try checkSpelling(of: new, for: old)
    let edits = uses(of: name.target, in: document).map { program, names in
      (program, edits: names.map { (span: $0.span, text: $0.isShorthand ? "\(old): \(new)" : new) })
    }
    try checkMeaning(of: edits, old: old, new: new)
    return changes(edits.map { (uri: uri(of: $0.file.name), file: $0.file, edits: $1) })
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

  /// The edited texts must mean what the texts mean, in each program: every name, by order of place, is what it was.
  private func checkMeaning(
    of edits: [(Analysis, edits: [(span: Span, text: String)])], old: String, new: String
  ) throws(Refusal) {
    var texts: [String: [UInt8]] = [:]
    for (program, edits) in edits { texts[program.file.name] = program.file.replacing(edits) }
    var edited = surroundings
    let read = edited.modules.read
    edited.modules.read = { texts[$0] ?? read($0) }
    for (before, _) in edits {
      let file = before.file
      let place = edits.count == 1 ? "" : " in \(file.name)"
      let after = Analysis(SourceFile(name: file.name, bytes: texts[file.name] ?? file.bytes), edited)
      let known = Set(before.diagnostics.filter { $0.severity == .error }.map(\.code))
      if let problem = after.diagnostics.first(where: { $0.severity == .error && !known.contains($0.code) }) {
        throw Refusal(.requestFailed, "`\(old)` cannot be called `\(new)`: \(problem.title)\(place)")
      }
      guard Self.meanings(before) == Self.meanings(after) else {
        throw Refusal(
          .requestFailed, "`\(old)` cannot be called `\(new)`: another `\(new)` would be meant somewhere\(place)")
      }
    }
  }

  /// Of each name, the place of the name that it means in the order of all, or how what is no part of the text is called.
  private static func meanings(_ analysis: Analysis) -> [String] {
    var places: [NameTarget: Int] = [:]
    for (place, name) in analysis.allNames.enumerated() where name.isDefinition { places[name.target] = place }
    return analysis.allNames.map { name in places[name.target].map(String.init) ?? analysis.sources.text(name.span) }
  }
}

extension SourceFile {
  /// The bytes with other texts at some places, which are in order and do not overlap.
  fileprivate func replacing(_ edits: [(span: Span, text: String)]) -> [UInt8] {
    var result: [UInt8] = []
    var end = 0
    for edit in edits {
      result += bytes[end..<Int(edit.span.start)] + Array(edit.text.utf8)
      end = Int(edit.span.end)
    }
    return result + bytes[end...]
  }
}
