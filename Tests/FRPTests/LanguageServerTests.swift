import FRPBase
import FRPTestFiles
import Testing

@testable import FRPCommands

/// The same numbers every time.
private struct Numbers {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}

/// The language server without a process: places, edits, and what a hostile stream comes to. Sessions of an editor are in
/// `Tests/LanguageServer`.
@Suite struct LanguageServerTests {
  // MARK: Places

  private static let texts = [
    "", "\n", "a", "a\n", "ä = \"😀e\u{301}\"\r\nb\n\n\tc 𝄞 𝄞", "x\r\ny\r\n", "\u{FEFF}a\n", "a\rb\r\nc\r\rd\n\re\r",
  ]

  @Test(arguments: [PositionEncoding.utf8, .utf16])
  func placesAndOffsetsAreInverse(_ encoding: PositionEncoding) {
    for text in Self.texts {
      let file = SourceFile(name: "a", text: text)
      var offset = 0
      for scalar in text.unicodeScalars {
        // Breaks are no part of their lines.
        if scalar != "\n", scalar != "\r" {
          #expect(file.offset(of: file.textPosition(at: offset, encoding), encoding) == offset)
        }
        offset += String(scalar).utf8.count
      }
      #expect(file.offset(of: file.textPosition(at: offset, encoding), encoding) == offset)
    }
  }

  @Test func placesCountWhatTheEncodingSays() {
    let file = SourceFile(name: "a", text: "ä = \"😀x\"")
    let x = 2 + 4 + 4
    #expect(file.textPosition(at: x, .utf8) == TextPosition(line: 0, character: 10))
    #expect(file.textPosition(at: x, .utf16) == TextPosition(line: 0, character: 7))
    // Within the pair of units is its start.
    #expect(file.offset(of: TextPosition(line: 0, character: 6), .utf16) == 6)
  }

  @Test func placesOutsideAreTheNearestOnes() {
    let file = SourceFile(name: "a", text: "ab\r\ncd")
    #expect(file.offset(of: TextPosition(line: 0, character: 99), .utf16) == 2)
    #expect(file.offset(of: TextPosition(line: 9, character: 0), .utf16) == 6)
    #expect(file.offset(of: TextPosition(line: -1, character: -5), .utf16) == 0)
  }

  /// As the protocol has it; the compiler's own messages count what ends with `\n`.
  @Test func aReturnAloneEndsALine() {
    let file = SourceFile(name: "a", text: "// a\rb = 1\r\nc = 2\r")
    #expect(file.textPosition(at: 5, .utf16) == TextPosition(line: 1, character: 0))
    #expect(file.offset(of: TextPosition(line: 0, character: 99), .utf16) == 4)
    #expect(file.offset(of: TextPosition(line: 1, character: 99), .utf16) == 10)
    #expect(file.offset(of: TextPosition(line: 2, character: 4), .utf16) == 16)
    #expect(file.textPosition(at: 18, .utf16) == TextPosition(line: 3, character: 0))
    #expect(file.lineStarts.count == 2)
    #expect(file.position(at: 5).line == 1)
  }

  @Test func addressesOfFiles() {
    #expect(FileAddress.path("file:///a%20b/%C3%A4.frp") == "/a b/ä.frp")
    #expect(FileAddress.uri("/a b/ä.frp") == "file:///a%20b/%C3%A4.frp")
    #expect(FileAddress.path("untitled:Untitled-1") == nil)
    #expect(FileAddress.path("file:///a%0") == "/a%0")
    #expect(FileAddress.path("file:///a%00b") == nil)
  }

  // MARK: Edits

  private static func message(_ method: String, id: Int? = nil, _ params: String) -> String {
    let name = id.map { "\"id\":\($0)," } ?? ""
    return "{\"jsonrpc\":\"2.0\",\(name)\"method\":\"\(method)\",\"params\":\(params)}"
  }

  private static let address = "\"textDocument\":{\"uri\":\"file:///nowhere/a.frp\",\"version\":1}"

  /// A server with a document, over places in UTF-16.
  private static func server(_ text: String) -> LanguageServer {
    let server = LanguageServer(Surroundings())
    _ = server.receive(message("initialize", id: 0, "{\"capabilities\":{}}"))
    _ = server.receive(
      message(
        "textDocument/didOpen",
        "{\"textDocument\":{\"uri\":\"file:///nowhere/a.frp\",\"version\":1,\"text\":\(jsonString(text))}}"))
    return server
  }

  private static func change(_ start: (Int, Int), _ end: (Int, Int), text: String) -> String {
    "{\"range\":{\"start\":{\"line\":\(start.0),\"character\":\(start.1)},\"end\":{\"line\":\(end.0),\"character\":\(end.1)}},"
      + "\"text\":\(jsonString(text))}"
  }

  private func text(after changes: [String], of text: String) -> String? {
    let server = Self.server(text)
    _ = server.receive(
      Self.message(
        "textDocument/didChange", "{\(Self.address),\"contentChanges\":[\(changes.joined(separator: ","))]}"))
    return server.documents.values.first.map { String(decoding: $0.file.bytes, as: UTF8.self) }
  }

  @Test func editsApplyOneAfterTheOther() {
    let changes = [Self.change((0, 1), (0, 3), text: "x"), Self.change((0, 2), (1, 1), text: "\n\n")]
    #expect(text(after: changes, of: "a😀b\ncd") == "ax\n\nd")
    #expect(text(after: ["{\"text\":\"new\"}", Self.change((0, 3), (0, 3), text: "er")], of: "old") == "newer")
    // One that ends before it begins is an insertion.
    #expect(text(after: [Self.change((0, 2), (0, 1), text: "-")], of: "abc") == "ab-c")
    #expect(text(after: ["{\"range\":7,\"text\":\"x\"}", "3", "{}"], of: "abc") == "xabc")
  }

  // MARK: The wire

  private func codes(_ input: String) -> (code: Int32, out: String) {
    let result = frp("lsp", input: input)
    return (result.code, result.out)
  }

  private func framed(_ messages: String...) -> String {
    messages.map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }.joined()
  }

  @Test func aSessionEndsInOrder() {
    let (code, out) = codes(
      framed(
        Self.message("initialize", id: 1, "{}"), Self.message("shutdown", id: 2, "null"), Self.message("exit", "null")))
    #expect(code == 0)
    #expect(out.contains("\"id\":2,\"result\":null"))
    #expect(codes(framed(Self.message("exit", "null"))).code == 1)
    #expect(codes("").code == 1)
  }

  @Test func whatCannotBeReadIsAnError() {
    let shutdown = Self.message("shutdown", id: 9, "null")
    let bad = ["[]", "{", "nonsense", "{}", "{\"id\":1}", "\"\u{301}", "{\"id\":{},\"method\":\"x\"}", "\u{0}"]
    for message in bad {
      let out = codes(framed(Self.message("initialize", id: 0, "{}"), message, shutdown)).out
      #expect(out.contains("\"error\":{\"code\":-32"), "\(message)")
      #expect(out.contains("\"id\":9,\"result\":null"), "\(message): what follows is answered")
    }
    #expect(codes("Content-Length: x\r\n\r\n{}").out.contains("-32700"))
    #expect(codes("\r\n\r\n").out.contains("-32700"))
    #expect(codes(String(repeating: "a", count: 20_000)).out.contains("-32700"))
    #expect(codes("Content-Length: -5\r\n\r\n{}").code == 1)
    #expect(codes("Content-Length: 99999999999999999999\r\n\r\n{}").code == 1)
    #expect(codes("Content-Length: 1000000000000\r\n\r\n{}").code == 1)
    #expect(codes("Content-Length: 100\r\n\r\n{\"id\"").code == 1)
    #expect(codes("Content-Len").code == 1)
  }

  @Test func requestsComeInTheirOrder() {
    let server = LanguageServer(Surroundings())
    #expect(server.receive(Self.message("textDocument/hover", id: 1, "{}"))[0].contains("-32002"))
    _ = server.receive(Self.message("initialize", id: 2, "{}"))
    #expect(server.receive(Self.message("initialize", id: 3, "{}"))[0].contains("-32600"))
    #expect(server.receive(Self.message("no/such", id: 4, "{}"))[0].contains("-32601"))
    #expect(server.receive(Self.message("textDocument/hover", id: 5, "{}"))[0].contains("-32602"))
    #expect(server.receive(Self.message("$/cancelRequest", "{\"id\":5}")).isEmpty)
    _ = server.receive(Self.message("shutdown", id: 6, "null"))
    #expect(server.receive(Self.message("shutdown", id: 7, "null"))[0].contains("-32600"))
  }

  // MARK: Names

  private func renamed(_ text: String, _ word: String, to name: String) -> String {
    let server = Self.server(text)
    let offset = text.firstRange(of: word).map { text[..<$0.lowerBound].utf8.count } ?? 0
    let place = SourceFile(name: "a", text: text).textPosition(at: offset, .utf16)
    let position = "{\"line\":\(place.line),\"character\":\(place.character)}"
    return server.receive(
      Self.message(
        "textDocument/rename", id: 1, "{\(Self.address),\"position\":\(position),\"newName\":\"\(name)\"}"))[0]
  }

  @Test func aRenameThatChangesTheMeaningIsRefused() {
    let text = "limit = 1\nout = [1] |> map(x => x + limit)\noutput out\n"
    #expect(renamed(text, "limit", to: "bound").contains("\"newText\":\"bound\""))
    #expect(renamed(text, "limit", to: "x").contains("another `x` would be meant"))
    #expect(renamed(text, "x =>", to: "limit").contains("another `limit` would be meant"))
    #expect(renamed(text, "limit", to: "out").contains("defined twice"))
    #expect(renamed(text, "limit", to: "map").contains("-32803"), "the built-in is meant elsewhere")
    #expect(renamed("f({x}) = x\noutput a = f({x: 1})\n", "x})", to: "y").contains("\"newText\":\"x: y\""))
    #expect(renamed("output a = List.range(1, 2)\n", "List", to: "Row").contains("`List` is built in"))
  }

  @Test func typesAreNamedAsTheProgramNamesThem() {
    let server = Self.server(
      "alias Point = {x: Int, y: Int}\ninput press: Event<Point>\noutput places = press |> hold({x: 1, y: 2})\n")
    let hints = server.receive(
      Self.message("textDocument/inlayHint", id: 1, "{\(Self.address),\"range\":{\"end\":{\"line\":9}}}"))
    #expect(hints[0].contains("\": Behavior<Point>\""), "\(hints)")
  }

  // MARK: While typing

  /// Messages with a byte changed, cut or put in: each gives answers that can be read, and nothing ends the process.
  @Test func damagedMessagesAreAnswered() {
    var random = Numbers(state: 7)
    let place = "{\(Self.address),\"position\":{\"line\":1,\"character\":3},\"newName\":\"q\"}"
    let messages = ["hover", "completion", "rename", "references", "signatureHelp"].map {
      Self.message("textDocument/\($0)", id: 1, place)
    }
    let server = Self.server("a = 1\noutput b = a + 1\n")
    for round in 0..<600 {
      var bytes = Array(messages[round % messages.count].utf8)
      let index = Int(random.next() % UInt64(bytes.count))
      switch random.next() % 3 {
      case 0: bytes[index] = UInt8(random.next() & 0x7F)
      case 1: bytes.remove(at: index)
      default: bytes.insert(UInt8(random.next() & 0x7F), at: index)
      }
      for answer in server.receive(String(decoding: bytes, as: UTF8.self)) {
        #expect(JSONParts.object(answer) != nil, "\(answer)")
      }
      #expect(server.state == .running)
    }
  }

  /// Every request has an answer at every place of texts that are cut anywhere.
  @Test func prefixesOfAProgramAreAnswered() throws {
    let program = try #require(TestFiles.read(root + "/examples/tic_tac_toe.frp"))
    let bytes = Array(program.utf8)
    let requests = [
      "hover", "definition", "references", "documentHighlight", "documentSymbol", "completion", "signatureHelp",
      "semanticTokens/full", "inlayHint", "foldingRange", "codeLens", "codeAction", "formatting",
    ]
    let server = Self.server("")
    for count in stride(from: 1, through: bytes.count, by: 61) {
      let prefix = String(decoding: bytes[..<count], as: UTF8.self)
      _ = server.receive(
        Self.message(
          "textDocument/didChange", "{\(Self.address),\"contentChanges\":[{\"text\":\(jsonString(prefix))}]}"))
      let place = SourceFile(name: "a", text: prefix).textPosition(at: count, .utf16)
      let position = "{\"line\":\(place.line),\"character\":\(place.character)}"
      for (id, request) in requests.enumerated() {
        let answer = server.receive(
          Self.message(
            "textDocument/\(request)", id: id,
            "{\(Self.address),\"position\":\(position),\"range\":{\"start\":{},\"end\":\(position)}}"))
        #expect(answer.first?.contains("\"result\":") == true, "\(request) after \(count) bytes")
      }
    }
  }
}
