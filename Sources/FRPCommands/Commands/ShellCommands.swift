// `frp completions SHELL` and `frp man`: made from the table of commands, like the help.

import FRPBase

enum CompletionsCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    switch invocation.operands.first {
    case "bash": console.out.write(bash())
    case "zsh": console.out.write(zsh())
    case "fish": console.out.write(fish())
    default:
      return Usage.report(UsageProblem(message: "shells are bash, zsh and fish", command: "completions"), console)
    }
    return .success
  }

  private static var names: String { CommandTable.commands.map(\.name).joined(separator: " ") }

  /// Source it: `source <(frp completions bash)`.
  private static func bash() -> String {
    var text = """
      _frp() {
        local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} flags="" choices=""
        if [ "$COMP_CWORD" = 1 ] && [[ $cur != -* ]]; then
          COMPREPLY=($(compgen -W "\(names)" -- "$cur") $(compgen -f -- "$cur"))
          return
        fi
        case "$command" in
          -e|--eval) command=eval ;;
          \(names.replacing(" ", with: "|"))) ;;
          -*) command="" ;;
          *) command=run ;;
        esac
        case "$command" in

      """
    for command in CommandTable.commands {
      text += "    \(command.name)) flags=\"\(command.allFlags.map(\.name).joined(separator: " "))\" ;;\n"
    }
    text += "    *) flags=\"\(CommandTable.globalFlags.map(\.name).joined(separator: " "))\" ;;\n  esac\n"
    text += "  case \"$command ${COMP_WORDS[COMP_CWORD-1]}\" in\n"
    for command in CommandTable.commands {
      for flag in command.allFlags where !flag.choices.isEmpty {
        text += "    '\(command.name) \(flag.name)') choices=\"\(flag.choices.joined(separator: " "))\" ;;\n"
      }
    }
    return text + """
        esac
        if [ -n "$choices" ]; then
          COMPREPLY=($(compgen -W "$choices" -- "$cur"))
        elif [[ $cur == -* ]]; then
          COMPREPLY=($(compgen -W "$flags" -- "$cur"))
        else
          COMPREPLY=($(compgen -f -- "$cur"))
        fi
      }
      complete -o filenames -F _frp frp

      """
  }

  /// Put it into a file `_frp` of the search path for functions.
  private static func zsh() -> String {
    var text = "#compdef frp\n_frp() {\n  if (( CURRENT == 2 )); then\n    local -a commands=(\n"
    for command in CommandTable.commands { text += "      '\(command.name):\(quoted(command.summary))'\n" }
    text += "    )\n    _describe command commands\n    _files -g '*.frp'\n    return\n  fi\n  case ${words[2]} in\n"
    for command in CommandTable.commands {
      text += "    \(command.name)) _arguments"
      for flag in command.allFlags {
        let value =
          flag.value == nil
          ? "" : flag.choices.isEmpty ? ":value:_files" : ":value:(\(flag.choices.joined(separator: " ")))"
        text += " \\\n      '\(flag.name)[\(quoted(flag.summary))]\(value)'"
      }
      text += " \\\n      '*:file:_files' ;;\n"
    }
    return text + "  esac\n}\n_frp \"$@\"\n"
  }

  private static func quoted(_ text: String) -> String {
    text.filter { !"'[]:\\".contains($0) }
  }

  /// Put it into `~/.config/fish/completions/frp.fish`.
  private static func fish() -> String {
    var text = ""
    for command in CommandTable.commands {
      text += "complete -c frp -n __fish_use_subcommand -a \(command.name) -d '\(quoted(command.summary))'\n"
      for flag in command.allFlags {
        let value =
          flag.value == nil ? "" : flag.choices.isEmpty ? " -r" : " -x -a '\(flag.choices.joined(separator: " "))'"
        let short = flag.short.map { " -s \($0)" } ?? ""
        text +=
          "complete -c frp -n '__fish_seen_subcommand_from \(command.name)' -l \(flag.name.dropFirst(2))\(short)\(value) -d '\(quoted(flag.summary))'\n"
      }
    }
    return text
  }
}

enum ManCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    var text = ".TH FRP 1\n.SH NAME\nfrp \\- runs programs of behaviors and events\n.SH SYNOPSIS\n"
    text += ".B frp\nCOMMAND [flags] [operands]\n.br\n.B frp\nFILE\n.SH EXAMPLES\n" + examples(CommandTable.examples)
    for command in CommandTable.commands {
      text += ".SH \(command.name.uppercased())\n\(line(HelpText.usage(command)))\n.PP\n\(line(command.summary))\n"
      text += flags(command.flags) + examples(command.examples)
      for remark in command.remarks { text += ".PP\n\(line(remark))\n" }
    }
    text += ".SH FLAGS OF EVERY COMMAND\n" + flags(CommandTable.globalFlags)
    text +=
      ".SH EXIT STATUS\n.nf\n\(line(HelpTopic.exitCodes.text)).fi\n.SH ENVIRONMENT\n.nf\n\(line(HelpTopic.environment.text)).fi\n"
    console.out.write(text)
    return .success
  }

  private static func flags(_ list: [FlagSpecification]) -> String {
    list.map { flag in
      let value = flag.valueText
      return ".TP\n.B \(line((flag.short.map { "-\($0), " } ?? "") + flag.name + value))\n\(line(flag.summary))\n"
    }.joined()
  }

  private static func examples(_ list: [UsageExample]) -> String {
    list.map { ".TP\n.B \(line($0.line))\n\(line($0.meaning))\n" }.joined()
  }

  /// Text with what roff would read as its own escaped.
  private static func line(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return escaped.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&" + $0 : $0[...] }.joined(separator: "\n")
  }
}
