// The command line in this process: standard input in, words out.

import FRPCommands
import Glibc

enum CommandFuzz {
  private static let program = """
    type Side = Buy | Sell
    input order: Event<{id: Int, side: Side, price: Float, note: Option<String>}>
    output volume = order |> fold(0.0, (sum, o) => sum + o.price)
    output notes = order |> filterMap(.note)
    output last = order |> map(o => (o.id, o.side))
    """

  /// The first byte chooses the format, the others are the lines.
  static func ports(_ bytes: [UInt8]) -> String? {
    guard let first = bytes.first else { return nil }
    let path = file("program", Array(program.utf8))
    let input = file("input", Array(bytes.dropFirst()))
    defer { for path in [path, input] { unlink(path) } }
    let words: [String]
    switch first % 4 {
    case 0: words = ["run", path, "--virtual", "--in", "order=jsonl:" + input]
    case 1: words = ["run", path, "--virtual", "--in", "order=csv:" + input, "--format", "jsonl"]
    case 2: words = ["run", path, "--trace", input, "--for", "1min"]
    default: words = ["run", path, "--virtual", "--in", "order=csv:" + input, "--out", "last=csv:/dev/null"]
    }
    return run(words, input: -1)
  }

  /// Commands that look, or change the program; none that touches files, waits, or lets much time pass.
  private static let commands = [
    "type", "list", "table", "top", "info", "source", "doc", "why", "whynot", "lift", "explain", "watch", "unwatch",
    "push", "set", "step", "reset", "mark", "goto", "undo", "redo", "forget", "rename", "help",
  ]

  static func prompt(_ bytes: [UInt8]) -> String? {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(30).filter(isHarmless)
    let path = file("entries", Array(lines.joined(separator: [0x0A])))
    let input = open(path, O_RDONLY)
    unlink(path)
    defer { close(input) }
    return run(["repl"], input: input)
  }

  private static func isHarmless(_ line: ArraySlice<UInt8>) -> Bool {
    // Large numbers only make large work.
    var digits = 0
    for byte in line {
      digits = (0x30...0x39).contains(byte) || byte == 0x5F ? digits + 1 : 0
      if digits > 3 { return false }
    }
    guard line.contains(0x3A) else { return true }
    let text = String(decoding: line, as: UTF8.self).drop { $0.isWhitespace }
    if !text.hasPrefix(":") { return !text.contains("frp> ") }
    let word = text.dropFirst().prefix { $0.isLetter }
    if word == "step" { return text.hasSuffix("ms") }
    return commands.contains(String(word))
  }

  private static func run(_ words: [String], input: Int32) -> String? {
    let code = CommandLineInterface.run(words, Console(input: input, out: Writer(), err: Writer()))
    return (0...3).contains(code.rawValue) ? nil : "exit code \(code.rawValue)"
  }

  /// A file of this process.
  private static func file(_ name: String, _ bytes: [UInt8]) -> String {
    let path = "/tmp/frp-fuzz-\(getpid())-\(name)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    return path
  }
}
