// The history of entries across sessions: a file of our own, one JSON text a line, so that entries of several lines and
// several sessions at once do no harm. `FRP_HISTORY` names it; an empty value keeps none.

import FRP
import FRPBase
import Glibc

enum ReplHistory {
  /// Entries kept when a session reads them.
  private static let limit = 5_000

  static func path(_ console: Console) -> String? {
    if let named = console.environment("FRP_HISTORY") { return named.isEmpty ? nil : named }
    if let state = console.environment("XDG_STATE_HOME"), !state.isEmpty { return state + "/frp/history.jsonl" }
    return console.environment("HOME").map { $0 + "/.local/state/frp/history.jsonl" }
  }

  static func load(_ console: Console) -> [String] {
    guard let path = path(console), let bytes = Source.bytes(path) else { return [] }
    let lines = bytes.split(separator: 0x0A).suffix(limit)
    return lines.compactMap { JSONParts.string(String(decoding: $0, as: UTF8.self)) }
  }

  static func append(_ entry: String, _ console: Console) {
    guard let path = path(console) else { return }
    makeFolders(path)
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if file < 0 { return }
    defer { close(file) }
    var line = jsonString(entry) + "\n"
    line.withUTF8 { bytes in _ = write(file, bytes.baseAddress, bytes.count) }
  }

  private static func makeFolders(_ path: String) {
    var end = path.startIndex
    while let slash = path[path.index(after: end)...].firstIndex(of: "/") {
      mkdir(String(path[..<slash]), 0o700)
      end = slash
    }
  }
}

/// What was entered, from earlier sessions as well, the newest last; each once.
struct ReplEntries {
  private(set) var all: [String] = []
  private static let most = 10_000

  mutating func add(_ entry: String) {
    if all.last == entry { return }
    all.append(entry)
    if all.count > 2 * Self.most { all.removeFirst(all.count - Self.most) }
  }

  /// How the newest entry that begins so goes on.
  func suggestion(_ text: String) -> String? {
    if text.utf8.allSatisfy({ $0 == 0x20 }) { return nil }
    let found = all.last { $0.utf8.count > text.utf8.count && $0.utf8.starts(with: text.utf8) }
    return found.map { String(decoding: $0.utf8.dropFirst(text.utf8.count), as: UTF8.self) }
  }
}

extension ReplSession {
  /// Keeps an entry where the arrow keys, suggestions and `:history` find it, and for later sessions.
  func remember(_ entry: String) {
    source.remember(entry)
    entries.add(entry)
    if options.keepsHistory { ReplHistory.append(entry, console) }
  }

  /// `:history [20|WORD]`: what was entered, numbered from the newest; with a word, what has it.
  func showHistory(_ text: String) {
    let count = Int(text)
    if let count, count < 1 { return fail("how many? Write :history 20, or :history WORD for what has a word in it") }
    let numbered = entries.all.reversed().enumerated().map { (number: $0 + 1, entry: $1) }
    let isWanted = { (entry: String) in count != nil || text.isEmpty || entry.contains(text) }
    // The newest is this command.
    let found = numbered.dropFirst().filter { isWanted($0.entry) }.prefix(count ?? 20)
    if found.isEmpty { return show(text.isEmpty ? "nothing was entered yet" : "no entry has \(text) in it") }
    let width = console.width(nil)
    let lines = found.reversed().map { number, entry in
      let head = ScreenText.padded("\(number - 1)", 5, before: true) + "  "
      let line = head + entry.replacing("\n", with: "\n" + String(repeating: " ", count: head.count))
      return hasScreen ? line.split(separator: "\n").map { fit(String($0), width) }.joined(separator: "\n") : line
    }
    show(lines.joined(separator: "\n"))
  }
}

/// Writes a whole file; false if that failed.
func writeFile(_ path: String, _ text: String) -> Bool { writeFile(path, Array(text.utf8)) }

func writeFile(_ path: String, _ content: [UInt8]) -> Bool {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
  if file < 0 { return false }
  defer { close(file) }
  return content.withUnsafeBytes { bytes in
    var done = 0
    while done < bytes.count {
      let count = write(file, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if count > 0 { done += count } else if count == 0 || errno != EINTR { return false }
    }
    return true
  }
}
