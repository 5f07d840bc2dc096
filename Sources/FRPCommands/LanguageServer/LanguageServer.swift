// What the server is between two messages, and which function answers what.
//
// In: a message's text. Out: the texts of answers and notifications. Nothing waits, and no message ends the process: what
// cannot be read is an error response.

import FRP
import FRPBase

final class LanguageServer {
  enum State { case fresh, running, stopped }

  /// The protocol's numbers for errors.
  enum ErrorCode: Int {
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
    case notInitialized = -32002
    case requestFailed = -32803
  }

  /// Why a request has no answer.
  struct Refusal: Error {
    var code: ErrorCode
    var message: String
    init(_ code: ErrorCode, _ message: String) {
      self.code = code
      self.message = message
    }
  }

  private let given: Surroundings
  private(set) var state = State.fresh
  private(set) var encoding = PositionEncoding.utf16
  private(set) var documents: [String: Document] = [:]
  /// The folders that the editor has open.
  private(set) var workspace: [String] = []
  /// What closed files of the workspace declare, as far as somebody has asked.
  var outlines: [String: Outline] = [:]
  /// How the process ends, once the client has said so.
  private(set) var exitCode: ExitCode?
  /// Notifications that go out behind the answer.
  var pending: [String] = []

  init(_ surroundings: Surroundings) { given = surroundings }

  /// What texts are compiled with: an imported file that is open is read from the editor.
  var surroundings: Surroundings {
    var result = given
    let open = Dictionary(documents.values.map { ($0.path, $0.file.bytes) }) { first, _ in first }
    let read = given.modules.read
    result.modules.read = { open[$0] ?? read($0) }
    return result
  }

  // MARK: Messages

  /// Answers a message.
  func receive(_ text: String) -> [String] {
    guard JSONParts.object(text) != nil else {
      return [Self.failure(id: "null", .parseError, "a message is a JSON object")]
    }
    let message = JSONObject(text)
    let id = message["id"]
    guard let method = message.string("method") else {
      // A response to what the server has asked needs no answer.
      if message["result"] != nil || message["error"] != nil { return [] }
      return [Self.failure(id: id ?? "null", .invalidRequest, "a message without a method")]
    }
    var out: [String] = []
    if let id {
      do throws(Refusal) {
        out.append("{\"jsonrpc\":\"2.0\",\"id\":\(Self.safe(id)),\"result\":\(try answer(method, message).json)}")
      } catch { out.append(Self.failure(id: Self.safe(id), error.code, error.message)) }
    } else {
      notice(method, message.object("params"))
    }
    out += pending
    pending = []
    return out
  }

  /// An id as it can be given back: a number or a text.
  private static func safe(_ id: String) -> String {
    if Int(id) != nil { return id }
    return JSONParts.string(id).map(jsonString) ?? "null"
  }

  static func failure(id: String, _ code: ErrorCode, _ message: String) -> String {
    "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"error\":{\"code\":\(code.rawValue),\"message\":\(jsonString(message))}}"
  }

  func notify(_ method: String, _ params: JSONTree) {
    pending.append("{\"jsonrpc\":\"2.0\",\"method\":\(jsonString(method)),\"params\":\(params.json)}")
  }

  /// What there is to say without being asked, when nothing else is to be done.
  func tell() -> [String] {
    guard state == .running else { return [] }
    for uri in documents.keys.sorted() {
      if let document = documents[uri], document.isUntold { publish(document) }
    }
    defer { pending = [] }
    return pending
  }

  // MARK: Dispatch

  private typealias Answer = @Sendable (LanguageServer, Document, JSONObject) throws(Refusal) -> JSONTree

  /// What is asked about an open document.
  private static let answers: [String: Answer] = [
    "textDocument/codeAction": { $0.codeActions($1, $2) },
    "textDocument/hover": { $0.hover($1, $2) },
    "textDocument/definition": { $0.definition($1, $2) },
    "textDocument/references": { $0.references($1, $2) },
    "textDocument/documentHighlight": { $0.highlights($1, $2) },
    "textDocument/documentSymbol": { server, document, _ in server.symbols(document) },
    "textDocument/formatting": { server, document, _ in server.formatting(document) },
    "textDocument/prepareRename": { (server, document, params) throws(Refusal) in
      try server.prepareRename(document, params)
    },
    "textDocument/rename": { (server, document, params) throws(Refusal) in try server.rename(document, params) },
    "textDocument/completion": { $0.completion($1, $2) },
    "textDocument/signatureHelp": { $0.signatures($1, $2) },
    "textDocument/semanticTokens/full": { server, document, _ in server.semanticTokens(document) },
    "textDocument/inlayHint": { $0.inlayHints($1, $2) },
    "textDocument/foldingRange": { server, document, _ in server.folds(document) },
    "textDocument/codeLens": { server, document, _ in server.lenses(document) },
  ]

  private func answer(_ method: String, _ message: JSONObject) throws(Refusal) -> JSONTree {
    let params = message.object("params")
    switch (method, state) {
    case ("initialize", .fresh): return initialize(params)
    case ("initialize", _): throw Refusal(.invalidRequest, "the server is initialized")
    case (_, .fresh): throw Refusal(.notInitialized, "`initialize` comes first")
    case (_, .stopped): throw Refusal(.invalidRequest, "after `shutdown` comes `exit`")
    case ("shutdown", _):
      state = .stopped
      return nil
    case ("workspace/executeCommand", _): return try execute(params)
    case ("workspace/symbol", _): return workspaceSymbols(params)
    default: break
    }
    guard let answer = Self.answers[method] else { throw Refusal(.methodNotFound, "there is no `\(method)`") }
    guard let uri = params.object("textDocument").string("uri"), let document = documents[uri] else {
      throw Refusal(.invalidParams, "no such document is open")
    }
    return try answer(self, document, params)
  }

  private func notice(_ method: String, _ params: JSONObject) {
    if method == "exit" {
      exitCode = state == .stopped ? .success : .programHasErrors
      return
    }
    guard state == .running else { return }
    if method == "workspace/didChangeWatchedFiles" {
      documents.values.forEach { $0.forget() }
      return
    }
    let text = params.object("textDocument")
    guard let uri = text.string("uri") else { return }
    switch method {
    case "textDocument/didOpen":
      documents[uri] = Document(uri: uri, version: text.int("version"), text: text.string("text") ?? "")
      forgetImporters(of: uri)
    case "textDocument/didChange": change(uri, version: text.int("version"), params.array("contentChanges"))
    case "textDocument/didClose":
      if let document = documents.removeValue(forKey: uri) { unpublish(document) }
      forgetImporters(of: uri)
    case "textDocument/didSave": forgetImporters(of: uri)
    default: break
    }
  }

  // MARK: Documents

  private func change(_ uri: String, version: Int?, _ changes: [String]) {
    guard let document = documents[uri] else { return }
    var file = document.file
    for json in changes {
      let change = JSONObject(json)
      guard let text = change.string("text") else { continue }
      guard change["range"] != nil else {
        file = SourceFile(name: file.name, text: text)
        continue
      }
      let range = offsets(change.object("range"), in: file)
      var bytes = file.bytes
      bytes.replaceSubrange(range, with: Array(text.utf8))
      file = SourceFile(name: file.name, bytes: bytes)
    }
    document.replace(file.bytes, version: version)
    forgetImporters(of: uri)
  }

  /// Texts that import another one are to be looked at again.
  private func forgetImporters(of uri: String) {
    guard let path = FileAddress.path(uri) else { return }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    guard file.hasSuffix(".frp") else { return }
    // One of them may import it through another.
    for document in documents.values where document.uri != uri {
      if String(decoding: document.file.bytes, as: UTF8.self).contains("import ") { document.forget() }
    }
  }

  func offset(_ position: JSONObject, in file: SourceFile) -> Int {
    file.offset(
      of: TextPosition(line: position.int("line") ?? 0, character: position.int("character") ?? 0), encoding)
  }

  /// The bytes of a range; one that ends before it begins is empty.
  func offsets(_ range: JSONObject, in file: SourceFile) -> Range<Int> {
    let start = offset(range.object("start"), in: file)
    return start..<max(start, offset(range.object("end"), in: file))
  }

  func position(_ offset: Int, in file: SourceFile) -> JSONTree {
    let place = file.textPosition(at: offset, encoding)
    return ["line": .int(place.line), "character": .int(place.character)]
  }

  func range(_ span: Span, in file: SourceFile) -> JSONTree {
    [
      "start": position(Int(span.start), in: file), "end": position(Int(max(span.start, span.end)), in: file),
    ]
  }

  func analysis(_ document: Document) -> Analysis { document.analysis(surroundings) }

  // MARK: Beginning

  private func initialize(_ params: JSONObject) -> JSONTree {
    state = .running
    let offered = params.object("capabilities").object("general").array("positionEncodings")
    if offered.compactMap(JSONParts.string).contains(PositionEncoding.utf8.rawValue) { encoding = .utf8 }
    var folders = params.array("workspaceFolders").compactMap { JSONObject($0).string("uri") }
    if folders.isEmpty { folders = [params.string("rootUri")].compactMap(\.self) }
    workspace = folders.compactMap(FileAddress.path)
    return [
      "capabilities": capabilities,
      "serverInfo": ["name": "frp", "version": .text(VersionCommand.version)],
    ]
  }

  private var capabilities: JSONTree {
    [
      "positionEncoding": .text(encoding.rawValue),
      "textDocumentSync": ["openClose": true, "change": 2, "save": true],
      "codeActionProvider": ["codeActionKinds": ["quickfix"]],
      "hoverProvider": true, "definitionProvider": true, "referencesProvider": true,
      "documentHighlightProvider": true, "documentSymbolProvider": true, "documentFormattingProvider": true,
      "renameProvider": ["prepareProvider": true], "workspaceSymbolProvider": true,
      "completionProvider": ["triggerCharacters": [".", ">"]],
      "signatureHelpProvider": ["triggerCharacters": ["(", ","]],
      "semanticTokensProvider": [
        "legend": [
          "tokenTypes": .array(TokenKindOfProtocol.allCases.map { .text($0.rawValue) }),
          "tokenModifiers": .array(TokenModifier.allCases.map { .text($0.rawValue) }),
        ],
        "full": true,
      ],
      "inlayHintProvider": true, "foldingRangeProvider": true, "codeLensProvider": ["resolveProvider": false],
      "executeCommandProvider": ["commands": [.text(Self.runTest)]],
    ]
  }
}
