// Problems as the editor shows them, and the ways out that can be applied: the compiler's diagnostics and their edits.

import FRP
import FRPBase

extension LanguageServer {
  /// Tells what is wrong with a document, and with modules it imports that are not open themselves.
  func publish(_ document: Document) {
    document.isUntold = false
    let analysis = analysis(document)
    var byFile: [FileID: [Diagnostic]] = [:]
    for diagnostic in analysis.diagnostics {
      byFile[diagnostic.span.isNone ? FileID(0) : diagnostic.span.file, default: []].append(diagnostic)
    }
    publish(document.uri, byFile[FileID(0)] ?? [], of: analysis, version: document.version)
    var told: Set<String> = []
    for (file, list) in byFile.sorted(by: { $0.key.raw < $1.key.raw }) where file != FileID(0) {
      let source = analysis.sources[file]
      let uri = FileAddress.uri(source.name)
      if source.isHost || documents[uri] != nil { continue }
      told.insert(uri)
      publish(uri, list, of: analysis, version: nil)
    }
    for uri in document.toldFiles.subtracting(told).sorted() where documents[uri] == nil { clear(uri) }
    document.toldFiles = told
  }

  /// Takes back what was said of a document that is closed.
  func unpublish(_ document: Document) {
    clear(document.uri)
    for uri in document.toldFiles.sorted() where documents[uri] == nil { clear(uri) }
  }

  private func clear(_ uri: String) {
    notify("textDocument/publishDiagnostics", ["uri": .text(uri), "diagnostics": []])
  }

  private func publish(_ uri: String, _ list: [Diagnostic], of analysis: Analysis, version: Int?) {
    var params: [(name: String, value: JSONTree)] = [("uri", .text(uri))]
    if let version { params.append(("version", .int(version))) }
    params.append(("diagnostics", .array(list.map { tree($0, analysis) })))
    notify("textDocument/publishDiagnostics", .object(params))
  }

  private func tree(_ diagnostic: Diagnostic, _ analysis: Analysis) -> JSONTree {
    let file = diagnostic.span.isNone ? analysis.file : analysis.sources[diagnostic.span.file]
    let span = diagnostic.span.isNone ? Span(file: FileID(0), start: 0, end: 0) : diagnostic.span
    let related: [JSONTree] = diagnostic.labels.filter { !$0.span.isNone && !analysis.sources[$0.span.file].isHost }.map
    {
      ["location": location($0.span, analysis), "message": .text($0.text)]
    }
    var fields: [(name: String, value: JSONTree)] = [
      ("range", range(span, in: file)), ("severity", .int(Self.severity(diagnostic.severity))),
      ("code", .text(diagnostic.code.rawValue)), ("source", "frp"), ("message", .text(Self.message(diagnostic))),
    ]
    if !related.isEmpty { fields.append(("relatedInformation", .array(related))) }
    // What nobody uses is shown pale.
    if diagnostic.code == .unusedDefinition || diagnostic.code == .unreachableArm { fields.append(("tags", [1])) }
    return .object(fields)
  }

  private static func severity(_ severity: Severity) -> Int {
    switch severity {
    case .error: 1
    case .warning: 2
    case .note: 3
    }
  }

  /// The title, what stands beneath the place, notes, and ways out.
  private static func message(_ diagnostic: Diagnostic) -> String {
    var lines = [diagnostic.title]
    if !diagnostic.label.isEmpty { lines.append(diagnostic.label) }
    lines += diagnostic.notes.map { "note: " + $0 }
    lines += diagnostic.helps.map { "help: " + $0.text + ($0.code.map { ": `\($0)`" } ?? "") }
    lines.append("more: frp explain \(diagnostic.code)")
    return lines.joined(separator: "\n")
  }

  func location(_ span: Span, _ analysis: Analysis) -> JSONTree {
    let file = analysis.sources[span.file]
    return ["uri": .text(uri(of: file.name)), "range": range(span, in: file)]
  }

  /// The address that the editor knows a file by.
  func uri(of path: String) -> String {
    documents.values.first { $0.path == path }?.uri ?? FileAddress.uri(path)
  }

  // MARK: Quick fixes

  /// The edits that diagnostics in a range propose.
  func codeActions(_ document: Document, _ params: JSONObject) -> JSONTree {
    let only = params.object("context").array("only").compactMap(JSONParts.string)
    if !only.isEmpty, !only.contains(where: { $0 == "quickfix" || $0.isEmpty }) { return [] }
    let analysis = analysis(document)
    let wanted = offsets(params.object("range"), in: document.file)
    var actions: [JSONTree] = []
    for diagnostic in analysis.diagnostics where Self.touches(diagnostic, wanted) {
      for help in diagnostic.helps {
        guard let edit = help.edit, !edit.span.isNone, edit.span.file == FileID(0) else { continue }
        actions.append([
          "title": .text(Self.title(help, edit)), "kind": "quickfix",
          "diagnostics": [tree(diagnostic, analysis)], "isPreferred": .bool(edit.isSafe),
          "edit": changes([(document.uri, document.file, [(edit.span, edit.text)])]),
        ])
      }
    }
    return .array(actions)
  }

  private static func touches(_ diagnostic: Diagnostic, _ range: Range<Int>) -> Bool {
    if diagnostic.span.isNone || diagnostic.span.file != FileID(0) { return false }
    return Int(diagnostic.span.start) <= range.upperBound && range.lowerBound <= Int(diagnostic.span.end)
  }

  private static func title(_ help: Help, _ edit: Help.Edit) -> String {
    let code = help.code ?? edit.text
    let line = code.split(separator: "\n", omittingEmptySubsequences: true).first.map(String.init) ?? ""
    if line.isEmpty { return help.text }
    return "\(help.text): `\(line)\(line.count < code.count ? " …" : "")`"
  }

  /// Changes of texts.
  func changes(_ texts: [(uri: String, file: SourceFile, edits: [(span: Span, text: String)])]) -> JSONTree {
    [
      "changes": .object(
        texts.map { uri, file, edits in
          (uri, .array(edits.map { ["range": range($0.span, in: file), "newText": .text($0.text)] }))
        })
    ]
  }
}
