// Entries from a pipe or a file: no prompt, no editing, answers to standard output. An entry goes on over the next line
// while it is incomplete and not longer than any honest one.

final class PlainSource: LineSource {
  private let lines: () -> String?
  private let out: Writer
  let isInteractive = false
  private static let longestEntry = 1 << 20

  init(lines: @escaping () -> String?, out: Writer) {
    self.lines = lines
    self.out = out
  }

  func read(_ prompt: String, _ listener: any EntryListener) -> EntryRead {
    _ = listener.goOn()
    guard var text = lines() else { return .end }
    while text.utf8.count < Self.longestEntry, !listener.isComplete(text), let more = lines() { text += "\n" + more }
    return .text(text)
  }

  func show(_ text: String) {
    out.writeLine(text)
    out.flush()
  }

  func replaceLast(_ text: String) {}
  func remember(_ entry: String) {}
  func prefill(_ text: String) {}
  func close() {}
}
