// `frp lsp`: the loop over the stream.

import FRPBase

enum LanguageServerCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    var reader = MessageReader(descriptor: console.input)
    let server = LanguageServer(invocation.surroundings)
    if console.inputIsTerminal {
      console.err.writeLine("frp: an editor starts this and speaks to it (docs/editors.md); ^D ends it")
      console.err.flush()
    }
    while true {
      if reader.isIdle { send(server.tell(), console) }
      switch reader.next() {
      case .text(let text): send(server.receive(text), console)
      case .tooLong(let count):
        send(
          [LanguageServer.failure(id: "null", .invalidRequest, "a message of \(count) bytes is too long")], console)
      case .malformed:
        send([LanguageServer.failure(id: "null", .parseError, "a header without `Content-Length`")], console)
        return .programHasErrors
      case .end: return .programHasErrors
      }
      if let code = server.exitCode { return code }
      if console.out.isBroken { return .success }
    }
  }

  private static func send(_ messages: [String], _ console: Console) {
    for message in messages { console.out.write("Content-Length: \(message.utf8.count)\r\n\r\n\(message)") }
    console.out.flush()
  }
}
