// `frp` and `frp repl [FILE]`: the prompt on a terminal, or entries from a pipe.

import FRP
import FRPBase
import Glibc

enum ReplEntryPoint {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    if invocation.value("--protocol") != nil { return speak(invocation, console) }
    let session = ReplSession(source(console), console)
    if session.source.isInteractive {
      for entry in ReplHistory.load(console) { session.source.remember(entry) }
    }
    if let file = invocation.operands.first {
      session.load(file)
      if session.hasFailed { return failure(of: file) }
    }
    return session.run()
  }

  private static func speak(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let conversation = ReplProtocol(console)
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
