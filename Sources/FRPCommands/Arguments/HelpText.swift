// Help, generated from the table: examples first, then flags.

enum HelpText {
  /// `frp --help`.
  static func overview(_ commands: [CommandSpecification] = CommandTable.commands) -> String {
    var text = """
      frp runs programs of behaviors and events.

      Examples:

      """
    text += examples(CommandTable.examples)
    text += "\nUsage: frp COMMAND [flags] [operands]\n       frp FILE\n\nCommands:\n"
    text += table(commands.map { ($0.name, $0.summary) })
    text += "\nFlags of every command:\n"
    text += table(CommandTable.globalFlags.map { (heading($0), $0.summary) })
    text += "\n`frp help COMMAND` tells more; `frp help TOPIC` explains: "
    text += HelpTopic.all.map(\.name).joined(separator: ", ") + ".\n"
    return text
  }

  /// `frp help run`.
  static func page(_ command: CommandSpecification) -> String {
    var text = "frp \(command.name): \(command.summary)\n\nExamples:\n"
    text += examples(command.examples)
    text += "\nUsage: \(usage(command))\n"
    text += flags(of: command)
    for remark in command.remarks { text += "\n" + wrap(remark, width: 80) + "\n" }
    return text
  }

  static func flags(of command: CommandSpecification) -> String {
    let own = command.flags.isEmpty ? "" : "\nFlags:\n" + table(command.flags.map { (heading($0), $0.summary) })
    return own + "\nFlags of every command:\n" + table(CommandTable.globalFlags.map { (heading($0), $0.summary) })
  }

  static func usage(_ command: CommandSpecification) -> String {
    "frp \(command.name)\(command.flags.isEmpty ? "" : " [flags]")\(command.operands.usage)"
  }

  private static func heading(_ flag: FlagSpecification) -> String {
    let short = flag.short.map { "-\($0), " } ?? ""
    return short + flag.name + flag.valueText
  }

  private static func examples(_ list: [UsageExample]) -> String {
    list.map { "  \($0.line)\n      \($0.meaning)\n" }.joined()
  }

  /// Two columns; a heading too wide for its column gets a line of its own.
  static func table(_ rows: [(String, String)]) -> String {
    let column = min(rows.map(\.0.count).max() ?? 0, 26)
    return rows.map { heading, summary in
      let body = wrap(summary, width: 80 - column - 4).split(separator: "\n", omittingEmptySubsequences: false)
      let indent = "\n" + String(repeating: " ", count: column + 4)
      let gap = heading.count <= column ? String(repeating: " ", count: column - heading.count + 2) : indent
      return "  " + heading + gap + body.joined(separator: indent) + "\n"
    }.joined()
  }

  /// Breaks a paragraph at blanks.
  static func wrap(_ paragraph: String, width: Int) -> String {
    var lines: [String] = [""]
    for word in paragraph.split(separator: " ") {
      let last = lines[lines.count - 1]
      if !last.isEmpty, last.count + 1 + word.count > width {
        lines.append(String(word))
      } else {
        lines[lines.count - 1] = last.isEmpty ? String(word) : last + " " + word
      }
    }
    return lines.joined(separator: "\n")
  }
}
