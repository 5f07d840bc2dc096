// `frp` and `frp repl [FILE]`: the prompt on a terminal, or entries from a pipe.

import FRP
import FRPBase
import Glibc

enum ReplEntryPoint {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    if invocation.value("--protocol") != nil { return speak(invocation, console) }
    return run(console, invocation.surroundings, file: invocation.operands.first)
  }

  /// A session on a terminal or a pipe, with a program's definitions if there is a file.
  static func run(_ console: Console, _ surroundings: Surroundings, file: String?) -> ExitCode {
    let session = ReplSession(source(console), console, surroundings)
    if let mistakes = session.mistakesOfHost {
      console.err.writeLine(mistakes)
      return .programHasErrors
    }
    if session.source.isInteractive {
      for entry in ReplHistory.load(console) {
        session.source.remember(entry)
        session.entries.add(entry)
      }
    }
    if let file {
      session.load(file, begins: true)
      if session.hasFailed { return failure(of: file) }
      session.awaitTasks()
    }
    return session.run()
  }

  private static func speak(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let conversation = ReplProtocol(console, invocation.surroundings)
    if let file = invocation.operands.first, !conversation.load(file) { return failure(of: file) }
    // No request, which is answered as such.
    let reader = PlainLines(console.input) { "line \($0) is too long" }
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
    let reader = PlainLines(console.input) { line in
      console.err.writeLine("frp: standard input, line \(line): longer than \(PlainLines.longest >> 20) MiB")
      console.err.flush()
      return nil
    }
    return PlainSource(lines: { reader.next() }, out: console.out)
  }
}

/// Lines of a descriptor as text.
private final class PlainLines {
  /// No honest entry is longer.
  static let longest = 16 << 20
  private var lines: LineReader
  /// Given the number of a line that is too long; what stands in its place, if anything.
  private let replacement: (Int) -> String?

  init(_ descriptor: Int32, tooLong replacement: @escaping (Int) -> String?) {
    lines = LineReader(descriptor: descriptor, longest: Self.longest)
    self.replacement = replacement
  }

  func next() -> String? {
    while true {
      switch lines.next() {
      case .text(let range): return String(decoding: lines[range], as: UTF8.self)
      case .tooLong: if let text = replacement(lines.lineNumber) { return text }
      case nil:
        if lines.isAtEnd { return nil }
        if lines.fill() == .later { wait() }
      }
    }
  }

  /// Somebody has made the descriptor one that does not wait.
  private func wait() {
    var waiting = pollfd(fd: lines.descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&waiting, 1, -1)
  }
}
