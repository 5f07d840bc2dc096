// The world around a session: the shell, the folder, memory.

import FRP
import FRPBase
import Glibc

extension ReplSession {
  /// `:!COMMAND`: the shell has the terminal meanwhile, and the program's time stands still.
  func runShell(_ command: String) {
    guard source.isInteractive else { return fail("a command of the shell needs a terminal") }
    let status = lendingTerminal(rows: false) { Self.run(["sh", "-c", command]) }
    if status != 0 { fail("it ended with \(Self.exitCode(status))") }
  }

  /// `:cd`, `:cd FOLDER`.
  func changeFolder(_ text: String) {
    let home = console.environment("HOME") ?? "/"
    let path = text == "~" ? home : text.hasPrefix("~/") ? home + text.dropFirst() : text
    if !path.isEmpty, chdir(path) != 0 { return fail("\(text): \(String(cString: strerror(errno)))") }
    guard let folder = getcwd(nil, 0) else { return fail("the folder is gone") }
    defer { free(folder) }
    show(String(cString: folder))
  }

  /// `:mem`.
  func showMemory() {
    advance()
    var rows = [["values and state", Self.size(simulation?.liveBytes ?? 0), "of \(Self.size(Self.limits.heapBytes))"]]
    let kept = checkpoints.reduce(0) { $0 + $1.snapshot.bytes.count }
    rows.append(["states to go back to", Self.size(kept), "\(checkpoints.count) of them"])
    let sent = log.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.json.utf8.count + $1.name.utf8.count } }
    rows.append(["the log", Self.size(sent), "\(log.count) events"])
    rows.append(["the process", Self.residentBytes.map(Self.size) ?? "?", "resident"])
    show(aligned(rows))
  }

  /// Lets another program have the terminal; `rows` is whether it gets the pinned rows too.
  func lendingTerminal<Result>(rows: Bool, _ body: () -> Result) -> Result {
    if rows { source.pin(rows: 0) }
    source.lend(true)
    let began = ReplClock.monotonic()
    defer {
      clock.skip(ReplClock.monotonic() - began)
      source.lend(false)
      if rows { pinRows() }
    }
    return body()
  }

  /// Runs a program of the path, and waits; its status.
  static func run(_ words: [String]) -> Int32 {
    var child = pid_t()
    var arguments = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    if posix_spawnp(&child, words[0], nil, nil, arguments, environ) != 0 { return -1 }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status
  }

  /// As shells say it.
  private static func exitCode(_ status: Int32) -> Int32 {
    status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  static func size(_ bytes: Int) -> String {
    bytes < 10_000 ? "\(bytes) B" : bytes < 10_000_000 ? "\(bytes / 1000) kB" : "\(bytes / 1_000_000) MB"
  }

  private static var residentBytes: Int? {
    guard let bytes = Source.bytes("/proc/self/statm") else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    return words.count > 1 ? Int(words[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
  }
}
