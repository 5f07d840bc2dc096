// `frp` and `frp repl [FILE]`: the prompt on a terminal, or entries from a pipe.

import FRP
import FRPBase
import Glibc

enum ReplEntryPoint {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    if invocation.value("--protocol") != nil { return speak(invocation, console) }
    return run(console, Surroundings(host: invocation.host), file: invocation.operands.first)
  }

  /// A session on a terminal or a pipe, with a program's definitions if there is a file.
  static func run(_ console: Console, _ surroundings: Surroundings, file: String?) -> ExitCode {
    let session = ReplSession(source(console), console, surroundings)
    if let mistakes = session.mistakesOfHost {
      console.err.writeLine(mistakes)
      return .programHasErrors
    }
    if session.source.isInteractive {
      for entry in ReplHistory.load(console) { session.source.remember(entry) }
    }
    if let file {
      session.load(file)
      if session.hasFailed { return failure(of: file) }
    }
    return session.run()
  }

  private static func speak(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let conversation = ReplProtocol(console, Surroundings(host: invocation.host))
    if let file = invocation.operands.first, !conversation.load(file) { return failure(of: file) }
    let reader = PlainLines(console.input)
    return conversation.run({ reader.next() }, console.out)
  }

  /// Exit codes mean what they mean to `frp run`.
  private static func failure(of file: String) -> ExitCode {
    access(file, R_OK) == 0 ? .programHasErrors : .wrongUsage
  }

  private static func source(_ console: Console) -> any LineSource {
    if console.inputIsTerminal, console.outputIsTerminal, let editor = EditlineSource(colours: console.wantsColor(nil))
    {
      return editor
    }
    let reader = PlainLines(console.input)
    return PlainSource(lines: { reader.next() }, out: console.out)
  }
}

/// Lines of a descriptor, without their breaks.
private final class PlainLines {
  private let descriptor: Int32
  private var pending: [UInt8] = []
  private var hasEnded = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func next() -> String? {
    while true {
      if let end = pending.firstIndex(of: 0x0A) {
        let line = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeSubrange(...end)
        return line
      }
      if hasEnded {
        if pending.isEmpty { return nil }
        defer { pending = [] }
        return String(decoding: pending, as: UTF8.self)
      }
      var block = [UInt8](repeating: 0, count: 1 << 14)
      let count = read(descriptor, &block, block.count)
      if count > 0 { pending += block[..<count] } else if count == 0 || errno != EINTR { hasEnded = true }
    }
  }
}
