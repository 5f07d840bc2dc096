// The commands of the prompt as one table: help, completion and dispatch read it. A unique beginning of a name will do.

import FRP
import FRPBase
import FRPCore
import Glibc

struct ReplCommand: Sendable {
  var name: String
  /// What follows the name, for help.
  var usage: String
  var summary: String
  /// A line worth typing.
  var example: String
  var run: @Sendable (ReplSession, String) -> Void

  init(
    _ name: String, _ usage: String, _ summary: String, _ example: String,
    _ run: @escaping @Sendable (ReplSession, String) -> Void
  ) {
    self.name = name
    self.usage = usage
    self.summary = summary
    self.example = example
    self.run = run
  }

  static let groups: [(title: String, commands: [ReplCommand])] = [
    (title: "look", commands: looking), ("pictures", picturing), ("feed", feeding), ("time", timing),
    ("change", changing), ("files", keeping), ("session", session),
  ]
  static let all: [ReplCommand] = looking + picturing + feeding + timing + changing + keeping + session

  static func named(_ word: String) -> [ReplCommand] {
    if let exact = all.first(where: { $0.name == word }) { return [exact] }
    return all.filter { $0.name.hasPrefix(word) }
  }

  private static let looking = [
    ReplCommand("type", "EXPR", "the type of an expression", ":type 1..3") { $0.showType($1) },
    ReplCommand("list", "", "all definitions with type and present value", ":list") { session, _ in session.list() },
    ReplCommand("show", "all|NAME", "a value to its end; all: the one that was shown in part", ":show all") {
      $0.showWhole($1)
    },
    ReplCommand("table", "", "the same in columns, with the time of the last change", ":table") { s, _ in s.table() },
    ReplCommand("top", "", "what occurs most, what it costs, what it remembers", ":top") { session, _ in session.top()
    },
    ReplCommand("info", "NAME", "type, source, what it uses and who uses it", ":info n") { $0.info($1) },
    ReplCommand("source", "NAME", "the text of a definition", ":source n") { $0.showSource($1) },
    ReplCommand("doc", "NAME", "what a built-in or a host's function does", ":doc debounce") { $0.document($1) },
    ReplCommand("browse", "[GROUP]", "the built-ins and modules by group, or all of one group", ":browse List") {
      $0.browse($1)
    },
    ReplCommand("why", "EXPR", "the values and occurrences behind the present one", ":why n") { $0.why($1) },
    ReplCommand("whynot", "EVENT", "what an event waits for, and which guard was false", ":whynot big") {
      $0.whyNot($1)
    },
    ReplCommand("lift", "EXPR", "what each operator of an expression is lifted over, and why", ":lift 2 * time") {
      $0.lift($1)
    },
    ReplCommand("time", "EXPR", "how long checking and computing takes", ":time sum(1..1000)") { $0.time($1) },
    ReplCommand("explain", "CODE", "why a rule exists, and two ways out", ":explain E0401") { $0.explain($1) },
  ]

  private static let picturing = [
    ReplCommand("watch", "NAME …", "pin values at the top of the screen; EXPR as NAME, too", ":watch sin(time) as wave")
    {
      $0.watch($1)
    },
    ReplCommand("log", "NAME …", "show every change or occurrence above the prompt", ":log n") { $0.log($1) },
    ReplCommand("unwatch", "[NAME …]", "stop both", ":unwatch n") { $0.unwatch($1) },
    ReplCommand(
      "sample", "EXPR every 100ms for 5s|last 5s", "values at regular times, as time goes on, or looking back",
      ":sample time every 1s for 3s"
    ) { $0.sample($1) },
    ReplCommand(
      "plot", "[--live] EXPR, … for 10s|last 10s [to FILE.svg]",
      "numbers as curves, events as marks; the next seconds, or the last; --live: as time goes on, pinned",
      ":plot sin(time), every(1s) for 6s to waves.svg"
    ) { $0.plot($1) },
    ReplCommand(
      "marble", "EVENT, … [for 5s|last 5s]", "occurrences as a lane that tests read", ":marble every(1s) for 4s"
    ) { $0.marble($1) },
    ReplCommand(
      "graph", "[NAME] [to FILE.dot|.svg]", "who depends on whom", ":graph n to n.svg"
    ) { $0.graph($1) },
  ]

  private static let feeding = [
    ReplCommand("push", "NAME [VALUE] [xN] [every 200ms]", "let an input event occur", ":push clicks x3 every 500ms") {
      $0.push($1)
    },
    ReplCommand("set", "[NAME VALUE]", "give an input behavior a value; alone: the options", ":set celsius 21.5") {
      $0.set($1)
    },
    ReplCommand(
      "bind", "[KEY => INPUT VALUE|KEY off]", "what a key sends in :play; any: its own name", ":bind left => x -1"
    ) {
      $0.bind($1)
    },
    ReplCommand("play", "[NAME …]", "the whole screen for a program, single keys drive it; Escape ends", ":play") {
      $0.play($1)
    },
    ReplCommand("feed", "NAME from FILE", "one occurrence a line of a file, now", ":feed lines from log.txt") {
      $0.feed($1)
    },
  ]

  private static let timing = [
    ReplCommand("pause", "", "stop the program's clock", ":pause") { session, _ in session.pause(true) },
    ReplCommand("resume", "", "let it go on", ":resume") { session, _ in session.pause(false) },
    ReplCommand("step", "[10ms|next]", "move the stopped clock on, or to what is next due", ":step next") {
      $0.step($1)
    },
    ReplCommand("to", "12s", "move the clock on to a time", ":to 12s") { $0.moveTo($1) },
    ReplCommand("back", "5s", "go back, before what was pushed since; :undo undoes it", ":back 5s") {
      $0.back($1)
    },
    ReplCommand("speed", "0.1", "how fast the clock goes", ":speed 0.1") { $0.setSpeed($1) },
    ReplCommand("clock", "real|virtual", "virtual: time only passes by :step and :to", ":clock virtual") {
      $0.chooseClock($1)
    },
    ReplCommand("reset", "", "time 0 again; definitions are kept", ":reset") { session, _ in session.reset() },
    ReplCommand("mark", "[NAME]", "name this moment; alone: the names so far", ":mark before") { $0.mark($1) },
    ReplCommand(
      "branch", "[NAME]", "name the run that :back, :reset or :goto left; alone: those left", ":branch before"
    ) {
      $0.branch($1)
    },
    ReplCommand("goto", "NAME", "go to a named moment, with what was pushed by then", ":goto before") { $0.goTo($1) },
  ]

  private static let changing = [
    ReplCommand("at", "EVENT DEFINITION", "take a definition when an event occurs next", ":at beat speed = 2 * n") {
      $0.takeAt($1)
    },
    ReplCommand("undo", "", "take back the last definition or going back, with the state of before", ":undo") { s, _ in
      s.undo()
    },
    ReplCommand("redo", "", "bring it back", ":redo") { session, _ in session.redo() },
    ReplCommand("force", "", "take what was refused because of what depends on it; that waits", ":force") { s, _ in
      s.force()
    },
    ReplCommand("forget", "NAME", "remove a definition", ":forget n") { $0.forget($1) },
    ReplCommand("rename", "OLD NEW", "rename a definition everywhere", ":rename n clicksSoFar") { $0.rename($1) },
    ReplCommand("edit", "[NAME]", "change a definition in $EDITOR", ":edit n") { $0.edit($1) },
  ]

  private static let keeping = [
    ReplCommand("load", "FILE", "take the definitions of a program", ":load counter.frp") { $0.load($1) },
    ReplCommand("reload", "", "load the same files again", ":reload") { session, _ in session.reload() },
    ReplCommand(
      "save", "[test] FILE", "write the definitions as a program, formatted; with a test of this session",
      ":save test counter.frp"
    ) { $0.saveWhat($1) },
    ReplCommand("snapshot", "FILE", "write the definitions with all that they remember", ":snapshot now.state") {
      $0.snapshot($1)
    },
    ReplCommand("restore", "FILE", "go on from there", ":restore now.state") { $0.restore($1) },
    ReplCommand("record", "[FILE|off]", "write what is pushed to a trace", ":record clicks.jsonl") { $0.record($1) },
    ReplCommand(
      "replay", "FILE [SPEED] [first]", "push what a trace holds, from now on; first: its first line is now",
      ":replay clicks.jsonl 2"
    ) {
      $0.replay($1)
    },
  ]

  private static let session = [
    ReplCommand("help", "[COMMAND]", "this list, or more about one command", ":help push") { $0.help($1) },
    ReplCommand("tour", "[next|back|stop|4]", "ten steps to find your way; each waits until it is done", ":tour") {
      $0.tour($1)
    },
    ReplCommand("history", "[20|WORD]", "what was entered; with a word, what has it", ":history integral") {
      $0.showHistory($1)
    },
    ReplCommand("!", "COMMAND", "run a command of the shell", ":!ls") { $0.runShell($1) },
    ReplCommand("cd", "[FOLDER]", "where files are; with a folder, go there", ":cd ../examples") {
      $0.changeFolder($1)
    },
    ReplCommand("mem", "", "what values, the log and the past take of memory", ":mem") { session, _ in
      session.showMemory()
    },
    ReplCommand("clear", "", "clear the screen", ":clear") { session, _ in
      session.source.clear()
    },
    ReplCommand("quit", "", "leave; so do ^D, exit and quit", ":quit") { session, _ in session.isOver = true },
  ]
}

extension ReplSession {
  /// Carries out `:name rest`.
  func command(_ entry: String) {
    let body = entry.dropFirst()
    let word = body.hasPrefix("!") ? "!" : String(body.prefix { !$0.isWhitespace })
    let rest = trimmed(String(body.dropFirst(word.count)))
    if word.isEmpty { return fail("a colon begins a command, such as :list   (:help lists them)") }
    var found = ReplCommand.named(word)
    if found.count != 1, let other = Self.otherWords[word] { found = ReplCommand.named(other) }
    if found.count == 1 {
      let command = found[0]
      deed.command = command.name
      if command.usage.isEmpty, !rest.isEmpty { return fail(Self.tooMuch(rest, behind: ":" + command.name)) }
      if !rest.isEmpty || !command.needsOperand { return command.run(self, rest) }
      let usage = ":\(command.name) \(command.usage)"
      return fail("Write \(usage)" + (usage == command.example ? "" : "   (for example  \(command.example))"))
    }
    if found.count > 1 { return fail(":\(word) could be " + found.map { ":" + $0.name }.joined(separator: ", ")) }
    let near = nearestNames(word, among: ReplCommand.all.map(\.name)).first
    fail("there is no command :\(word)" + (near.map { "; did you mean :\($0)?" } ?? "") + "   (:help lists them)")
  }

  /// Words that a command has no use for.
  static func tooMuch(_ words: String, behind command: String) -> String {
    "nothing stands behind \(command), so \(words) is too much"
  }

  func help(_ name: String) {
    if name == "all" { return helpWithAll() }
    if !name.isEmpty {
      let word = name.hasPrefix(":") ? String(name.dropFirst()) : name
      guard let command = ReplCommand.named(Self.otherWords[word] ?? word).first else { return info(name) }
      let usage = command.usage.isEmpty ? "" : " " + command.usage
      return show(wrappedToFit(":\(command.name)\(usage)\n  \(command.summary)\n  for example   \(command.example)"))
    }
    var lines = ["Type a definition (n = clicks |> count), an expression (1 + 2), or a command:"]
    let width = console.width(nil)
    for group in ReplCommand.groups {
      let names = group.commands.map { ":" + $0.name }.joined(separator: " ")
      lines += wrapped(
        "  " + group.title + String(repeating: " ", count: max(1, 11 - group.title.count)) + names, 13, width)
    }
    lines.append(":help COMMAND tells more, :help all lists everything, :tour is a first round.")
    lines += [
      "Return finishes an entry, Alt-Return opens a line, Tab completes, Right takes",
      "what is suggested in grey. Up goes through entries that begin so, ^R searches,",
      "^_ takes typing back, ^X ^E opens the entry in $EDITOR, ^C drops it or stops",
      "what runs. Alt-Up and Alt-Down change the number at the cursor while the",
      "program follows: Return keeps it, Escape does not.",
      "?NAME tells what something is; it, it1, it2 are the last expressions.",
    ]
    show(lines.flatMap { wrapped($0, 0, width) }.joined(separator: "\n"))
  }

  /// Lines that are too long for a terminal go on in the next one.
  func wrappedToFit(_ text: String) -> String {
    if !source.isInteractive { return text }
    let width = console.width(nil)
    return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      columns(String(line)) <= width || line.contains("\u{1B}") ? [String(line)] : wrapped(String(line), 2, width)
    }.joined(separator: "\n")
  }

  /// Every command with its operands.
  private func helpWithAll() {
    let width = console.width(nil)
    let indent = width < 60 ? 6 : 34
    show(
      ReplCommand.all.flatMap { command in
        let head = "  :\(command.name) \(command.usage)"
        let isShort = head.count < indent - 1
        let gap = String(repeating: " ", count: isShort ? indent - head.count : indent)
        if isShort { return wrapped(head + gap + command.summary, indent, width) }
        return wrapped(head, 6, width) + wrapped(gap + command.summary, indent, width)
      }.joined(separator: "\n"))
  }

  /// Breaks a line at blanks where it is too long; what follows is indented.
  func wrapped(_ text: String, _ indent: Int, _ width: Int) -> [String] {
    var lines: [String] = []
    var line = String(text.prefix { $0 == " " })
    var isFirst = true
    for word in text.dropFirst(line.count).split(separator: " ", omittingEmptySubsequences: false) {
      if !isFirst, line.count + 1 + word.count > width - 1 {
        lines.append(line)
        line = String(repeating: " ", count: indent) + word
      } else {
        line += (isFirst ? "" : " ") + word
      }
      isFirst = false
    }
    return lines + [line]
  }

  func explain(_ code: String) {
    let memory = Writer()
    var quiet = console
    quiet.out = memory
    quiet.err = Writer()
    let digits = code.drop { !$0.isNumber }
    let full =
      code.first?.isNumber == true ? "E" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits : code
    _ = ExplainCommand.run(Invocation(command: "explain", operands: [full.uppercased()], flags: [:]), quiet)
    if memory.text.isEmpty {
      return fail("there is no page for \(code); codes are like E0401   (frp explain lists them)")
    }
    show(memory.text.trimmingLines())
  }

  // MARK: Looking

  func showType(_ text: String) {
    if let known = current.name(text) { return show("\(text) : \(known.type)") }
    guard let next = program(asking: text) else { return }
    show(next.name("it").map { ": \($0.type)" } ?? "?")
  }

  func list() {
    let names = current.names.filter { $0.name != "it" }
    if names.isEmpty, pending.isEmpty { return show("nothing is defined yet; :tour shows how to begin") }
    show(names.map { rowOf($0.name) }.joined(separator: "\n"))
    if !pending.isEmpty {
      show(
        pending.map { "\($0.item.names.joined(separator: ", ")) is pending: \($0.missing.joined(separator: ", "))" }
          .joined(separator: "\n"))
    }
  }

  func showSource(_ name: String) {
    let found = current.items.first { $0.names.contains(name) }
    guard let found else {
      let isDocumented = Builtins.documented.contains { $0.name == name } || hostDocumentation(name) != nil
      return isDocumented ? document(name) : fail(unknownName(name))
    }
    show(found.text)
  }
}
