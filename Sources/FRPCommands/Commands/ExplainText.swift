// Pages about diagnostics as text.

import FRP

extension ExplainPage {
  /// The page as text; `message` is what the compiler says about the wrong program.
  func text(message: String) -> String {
    var text = "\(code): \(title)\n\nWrong:\n\n\(Self.indented(wrong))\n"
    if !message.isEmpty { text += "\nMessage:\n\n\(Self.indented(message))\n" }
    text += "\n\(HelpText.wrap(why, width: 80))\n"
    for (number, way) in waysOut.enumerated() {
      text += "\nWay out \(number + 1): \(way.text)\n\n\(Self.indented(way.program))\n"
    }
    return text
  }

  private static func indented(_ block: String) -> String {
    var lines = block.split(separator: "\n", omittingEmptySubsequences: false)
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
  }
}
