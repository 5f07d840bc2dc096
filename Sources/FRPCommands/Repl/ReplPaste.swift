// What is pasted: a transcript, with prompts and answers, or a block of definitions with commands among them.
//
// - In a transcript an entry begins behind a prompt and goes on while it is incomplete; all else are answers.
// - In a block a command is a line of its own that begins with a colon, a question one that begins with `?`; what stands between is taken together.

import FRPBase

extension ReplSession {
  private static let usualPrompt = "frp> "

  /// The entries of a text, which is one unless it was pasted.
  func parts(ofPasted text: String) -> [String] {
    let entry = trimmed(text)
    let lines = entry.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.contains(where: { isBehindPrompt($0) != nil }) {
      isTranscript = !source.isInteractive
      return entries(ofTranscript: lines)
    }
    // In a pipe what follows in lines of their own are answers, too.
    if isTranscript { return [] }
    guard lines.count > 1, lines.contains(where: Self.isCommand), !entry.hasPrefix(":at ") else {
      return [entry]
    }
    var found: [String] = []
    var block: [String] = []
    for line in lines + [":"] {
      guard Self.isCommand(line) else {
        // A command goes on in lines that are indented.
        if block.isEmpty, line.first?.isWhitespace == true, let last = found.last, Self.isCommand(last) {
          found[found.count - 1] += "\n" + line
        } else {
          block.append(line)
        }
        continue
      }
      let text = trimmed(block.joined(separator: "\n"))
      block = []
      found += (text.isEmpty ? [] : [text]) + (line == ":" ? [] : [trimmed(line)])
    }
    return found
  }

  /// Whether a line is a command or a question.
  private static func isCommand(_ line: String) -> Bool { line.hasPrefix(":") || line.hasPrefix("?") }

  private func entries(ofTranscript lines: [String]) -> [String] {
    var found: [String] = []
    var open: String?
    for line in lines {
      if let begun = isBehindPrompt(line) {
        open = begun
      } else if let begun = open {
        open = begun + "\n" + line
      }
      guard let entry = open, isComplete(entry) else { continue }
      if !trimmed(entry).isEmpty { found.append(trimmed(entry)) }
      open = nil
    }
    return found + (open.map { [trimmed($0)] } ?? [])
  }

  /// Whether the last entry of a transcript needs no more lines; nil if the text is none.
  func isCompleteTranscript(_ text: String) -> Bool? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let start = lines.lastIndex(where: { isBehindPrompt($0) != nil }), let first = isBehindPrompt(lines[start])
    else { return nil }
    var entry = first
    // What follows a complete entry is its answer.
    for line in lines[(start + 1)...] {
      if isComplete(entry) { return true }
      entry += "\n" + line
    }
    return isComplete(entry)
  }

  /// What stands behind a prompt, the usual one or that of this session.
  private func isBehindPrompt(_ line: String) -> String? {
    for prompt in [Self.usualPrompt, options.prompt] where prompt.count > 1 && line.hasPrefix(prompt) {
      return String(line.dropFirst(prompt.count))
    }
    return trimmed(line) == trimmed(Self.usualPrompt) ? "" : nil
  }
}
