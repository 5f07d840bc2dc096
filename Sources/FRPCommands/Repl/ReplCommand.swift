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
  var run: @Sendable (ReplSession, String) -> Void

  init(_ name: String, _ usage: String, _ summary: String, _ run: @escaping @Sendable (ReplSession, String) -> Void) {
    self.name = name
    self.usage = usage
    self.summary = summary
    self.run = run
  }

  static let all: [ReplCommand] = looking + feeding + timing + changing + keeping + session

  static func named(_ word: String) -> [ReplCommand] {
    if let exact = all.first(where: { $0.name == word }) { return [exact] }
    return all.filter { $0.name.hasPrefix(word) }
  }

  private static let looking = [
    ReplCommand("type", "EXPR", "the type of an expression") { $0.showType($1) },
    ReplCommand("list", "", "all definitions with type and present value") { session, _ in session.list() },
    ReplCommand("info", "NAME", "type, source, what it uses and who uses it") { $0.info($1) },
    ReplCommand("source", "NAME", "the text of a definition") { $0.showSource($1) },
    ReplCommand("doc", "NAME", "what a built-in does, with an example") { $0.document($1) },
    ReplCommand("watch", "NAME", "show every change or occurrence above the prompt") { $0.watch($1) },
    ReplCommand("unwatch", "[NAME]", "stop that") { $0.unwatch($1) },
    ReplCommand("sample", "EXPR every 100ms for 5s", "values at regular times from now on, in simulated time") {
      $0.sample($1)
    },
    ReplCommand("plot", "EXPR for 10s", "a picture of a number's next seconds, in simulated time") { $0.plot($1) },
    ReplCommand("graph", "[NAME]", "who depends on whom") { $0.graph($1) },
    ReplCommand("explain", "CODE", "why a rule exists, and two ways out") { $0.explain($1) },
  ]

  private static let feeding = [
    ReplCommand("push", "NAME [VALUE] [xN] [every 200ms]", "let an input event occur") { $0.push($1) },
    ReplCommand("set", "NAME VALUE", "give an input behavior a value") { $0.push($1) },
    ReplCommand("feed", "NAME from FILE", "one occurrence a line of a file, now") { $0.feed($1) },
  ]

  private static let timing = [
    ReplCommand("pause", "", "stop the program's clock") { session, _ in session.pause(true) },
    ReplCommand("resume", "", "let it go on") { session, _ in session.pause(false) },
    ReplCommand("step", "[10ms|next]", "move the stopped clock on, or to what is next due") { $0.step($1) },
    ReplCommand("to", "12s", "move the clock on to a time") { $0.moveTo($1) },
    ReplCommand("back", "5s", "go back; what was pushed since is forgotten") { $0.back($1) },
    ReplCommand("speed", "0.1", "how fast the clock goes") { $0.setSpeed($1) },
    ReplCommand("clock", "real|virtual", "virtual: time only passes by :step and :to") { $0.chooseClock($1) },
    ReplCommand("reset", "", "time 0 again; definitions are kept") { session, _ in session.reset() },
  ]

  private static let changing = [
    ReplCommand("undo", "", "take back the last definition, with the state of before") { session, _ in session.undo() },
    ReplCommand("redo", "", "bring it back") { session, _ in session.redo() },
    ReplCommand("forget", "NAME", "remove a definition") { $0.forget($1) },
    ReplCommand("rename", "OLD NEW", "rename a definition everywhere") { $0.rename($1) },
    ReplCommand("edit", "[NAME]", "change a definition in $EDITOR") { $0.edit($1) },
  ]

  private static let keeping = [
    ReplCommand("load", "FILE", "take the definitions of a program") { $0.load($1) },
    ReplCommand("reload", "", "load the same files again") { session, _ in session.reload() },
    ReplCommand("save", "FILE", "write the definitions as a program, formatted") { $0.save($1) },
  ]

  private static let session = [
    ReplCommand("help", "[COMMAND]", "this list, or more about one command") { $0.help($1) },
    ReplCommand("tour", "", "ten steps to find your way") { session, _ in session.tour() },
    ReplCommand("clear", "", "clear the screen") { session, _ in session.show("\u{1B}[2J\u{1B}[H") },
    ReplCommand("quit", "", "leave; so do ^D, exit and quit") { session, _ in session.isOver = true },
  ]
}

extension ReplSession {
  /// Carries out `:name rest`.
  func command(_ entry: String) {
    let body = entry.dropFirst()
    let word = String(body.prefix { !$0.isWhitespace })
    let rest = trimmed(String(body.dropFirst(word.count)))
    let found = ReplCommand.named(word == "q" ? "quit" : word == "t" ? "type" : word)
    if found.count == 1 { return found[0].run(self, rest) }
    if found.count > 1 { return fail(":\(word) could be " + found.map { ":" + $0.name }.joined(separator: ", ")) }
    let near = nearestNames(word, among: ReplCommand.all.map(\.name)).first
    fail("there is no command :\(word)" + (near.map { "; did you mean :\($0)?" } ?? "") + "   (:help lists them)")
  }

  func help(_ name: String) {
    if !name.isEmpty {
      let word = name.hasPrefix(":") ? String(name.dropFirst()) : name
      guard let command = ReplCommand.named(word).first else { return document(name) }
      return show(":\(command.name) \(command.usage)\n  \(command.summary)")
    }
    var lines = [
      "Type a definition (count = clicks |> count), an expression (1 + 2), or a command:"
    ]
    for command in ReplCommand.all {
      let head = ":\(command.name) \(command.usage)"
      lines.append("  " + head + String(repeating: " ", count: max(1, 34 - head.count)) + command.summary)
    }
    lines.append("Return finishes an entry, Alt-Return opens a line, Tab completes, ^R searches, ^C drops the entry.")
    show(lines.joined(separator: "\n"))
  }

  func tour() {
    show(
      """
      1. An expression shows its value:                 sum(1..10)
      2. A definition has a name:                       double(x) = x * 2
      3. Time goes on while you type; watch it:         time
      4. Behaviors work in functions as values do:      double(time)
      5. Declare an input event:                        input clicks: Event<Unit>
      6. Count it:                                      n = clicks |> count
      7. Let it occur, three times, now and then:       :push clicks x3 every 500ms
      8. Redefine something; what depends follows:      double(x) = x * 10   ·   :undo
      9. Stop the clock, step, go back:                 :pause  ·  :step 1s  ·  :back 2s  ·  :resume
      10. Keep what you have:                           :save mine.frp   ·   then: frp run mine.frp
      """)
  }

  func explain(_ code: String) {
    let memory = Writer()
    var quiet = console
    quiet.out = memory
    _ = ExplainCommand.run(Invocation(command: "explain", operands: [code.uppercased()], flags: [:]), quiet)
    show(memory.text.isEmpty ? "there is no page for \(code)" : memory.text.trimmingLines())
  }

  // MARK: Looking

  func showType(_ text: String) {
    if let known = current.name(text) { return show("\(text) : \(known.type)") }
    let item = ReplItem(names: ["it"], text: "it = " + text.replacingLineBreaks())
    let next = ReplProgram(items: current.items.filter { $0.names != ["it"] } + [item], first: [item.text])
    if !next.errors.isEmpty { return fail(render(next.errors, next.program.sources)) }
    show(next.name("it").map { ": \($0.type)" } ?? "?")
  }

  func list() {
    let names = current.names.filter { $0.name != "it" }
    if names.isEmpty { return show("nothing is defined yet; :tour shows how to begin") }
    show(names.map { describe($0.name) }.joined(separator: "\n"))
    if !pending.isEmpty {
      show(
        pending.map { "\($0.item.names.joined(separator: ", ")) is pending: \($0.missing.joined(separator: ", "))" }
          .joined(separator: "\n"))
    }
  }

  func info(_ name: String) {
    guard let item = current.items.first(where: { $0.names.contains(name) }) else { return document(name) }
    var lines = [describe(name), "  " + item.text.replacingLineBreaks()]
    let uses = current.users.filter { $0.value.contains(name) }.keys.sorted().filter { current.name($0) != nil }
    if !uses.isEmpty { lines.append("  uses " + uses.joined(separator: ", ")) }
    let users = current.users[name] ?? []
    if !users.isEmpty { lines.append("  used by " + users.joined(separator: ", ")) }
    show(lines.joined(separator: "\n"))
  }

  func showSource(_ name: String) {
    let found = current.items.first { $0.names.contains(name) }
    show(found?.text ?? "nothing is called \(name)")
  }

  func document(_ name: String) {
    let rows = Builtins.all.filter { $0.name == name || "\($0.container).\($0.name)" == name }
    if rows.isEmpty {
      let near = nearestNames(name, among: Builtins.all.map(\.name)).first
      return fail("nothing is called \(name)" + (near.map { "; did you mean \($0)?" } ?? ""))
    }
    var lines: [String] = []
    for row in rows {
      lines.append("\(row.isBare ? row.name : "\(row.container).\(row.name)") : \(row.signature)")
      lines.append("  \(row.summary)")
      if let equation = row.equation { lines.append("  \(equation)") }
      for example in row.examples { lines.append("  \(example.source)  gives  \(example.result)") }
    }
    show(lines.joined(separator: "\n"))
  }

  func watch(_ name: String) {
    guard current.name(name) != nil else { return fail("nothing is called \(name)") }
    if !live.watched.contains(name) { live.watched.append(name) }
    try? simulation?.record(name)
  }

  func unwatch(_ name: String) {
    live.watched.removeAll { name.isEmpty || $0 == name }
    live.followed = nil
  }

  func graph(_ name: String) {
    var lines: [String] = []
    for known in current.names where known.name != "it" && (name.isEmpty || known.name == name) {
      let uses = current.users.filter { $0.value.contains(known.name) }.keys.sorted().filter { current.name($0) != nil }
      let users = current.users[known.name] ?? []
      lines.append(
        (uses.isEmpty ? "" : uses.joined(separator: ", ") + " ──▶ ") + known.name
          + (users.isEmpty ? "" : " ──▶ " + users.joined(separator: ", ")))
    }
    show(lines.isEmpty ? "nothing is called \(name)" : lines.joined(separator: "\n"))
  }
}
