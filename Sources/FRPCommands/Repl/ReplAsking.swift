// What a name is: `?name`, `:info`, `:doc`; and what there is at all: `:browse`.

import FRP
import FRPBase
import FRPCore

extension ReplSession {
  /// `?name`: a definition, a built-in, something of a module, or a command.
  func ask(_ name: String) {
    if name.isEmpty { return help("") }
    let word = name.hasPrefix(":") ? String(name.dropFirst()) : name
    let isCommand = ReplCommand.all.contains { $0.name == word }
    let isName = current.items.contains { $0.names.contains(name) } || !documentation(name).isEmpty
    if isCommand, name.hasPrefix(":") || !isName { return help(word) }
    if !isName, titlesOfGroups.contains(name) { return browse(name) }
    info(name)
  }

  /// `:info NAME`: type and value, what it is in time, its comments and text, what it uses and who uses it.
  func info(_ name: String) {
    guard let item = current.items.first(where: { $0.names.contains(name) }) else { return document(name) }
    // A type has no value, and its text says what it is.
    var lines = current.name(name) == nil ? [] : [rowOf(name)]
    if let words = current.name(name).flatMap(inTime) { lines.append("  " + words) }
    lines += item.comments.above.map { "  " + $0 }
    lines.append("  " + item.text.replacingLineBreaks())
    let uses = current.users.filter { $0.value.contains(name) }.keys.sorted().filter { current.name($0) != nil }
    if !uses.isEmpty { lines.append("  uses " + uses.joined(separator: ", ")) }
    let users = current.users[name] ?? []
    if !users.isEmpty { lines.append("  used by " + users.joined(separator: ", ")) }
    show(lines.joined(separator: "\n"))
  }

  private func inTime(_ known: ReplName) -> String? {
    switch known.kind {
    case .constant: TimeWords.constant
    case .event: TimeWords.event
    case .behavior: current.program.isContinuous(output: known.name) ? TimeWords.continuous : TimeWords.step
    case .function, .hidden: nil
    }
  }

  /// `:doc NAME`.
  func document(_ name: String) {
    let lines = documentation(name)
    if !lines.isEmpty { return show(wrappedToFit(lines.joined(separator: "\n"))) }
    let known = current.names.map(\.name).filter { $0 != "it" } + ReplCommand.all.map { ":" + $0.name }
    fail(unknownName(name, among: known + surroundings.names + Builtins.documented.map(\.name)))
  }

  /// What is known of a built-in, or of something of a module; empty if nothing is.
  private func documentation(_ name: String) -> [String] {
    let rows = Builtins.documented.filter { $0.name == name || "\($0.container).\($0.name)" == name }
    let host = hostDocumentation(name)
    let made = ConstructorEntry.all.filter { $0.name == name }.flatMap {
      ["\($0.name) : \($0.type)", "  \($0.summary)", "  \($0.example)  gives  \($0.result)"]
    }
    let word = KeywordEntry.find(name).map { entry in
      [entry.form, "  \(entry.summary)"] + entry.example.split(separator: "\n").map { "    \($0)" }
    }
    return (host.map { [$0] } ?? []) + rows.flatMap { page(of: $0) } + made + (word ?? [])
  }

  private func page(of row: Builtin) -> [String] {
    let name = row.isBare ? row.name : "\(row.container).\(row.name)"
    var lines = ["\(name) : \(row.signature)", "  \(row.summary)"]
    if let words = TimeWords.of(row.signature) { lines.append("  " + words) }
    if let equation = row.equation { lines.append("  \(equation)") }
    if let lane = TimedExample.find(row) { lines += lane.shown.split(separator: "\n").map { "    \($0)" } }
    for example in row.examples { lines.append("  \(example.source)  gives  \(example.result)") }
    return lines
  }

  // MARK: Browsing

  /// `:browse`, or `:browse GROUP`.
  func browse(_ text: String) {
    let groups = groupsOfNames
    if text.isEmpty {
      let width = console.width(nil)
      let indent = 2 + (groups.map(\.title.count).max() ?? 0) + 2
      let lines = groups.flatMap { group in
        wrapped(
          ScreenText.padded("  " + group.title, indent) + group.members.map(\.name).joined(separator: " "), indent,
          width)
      }
      return show((lines + ["  :browse List tells more of one group, ?map of one name"]).joined(separator: "\n"))
    }
    guard let group = groups.first(where: { $0.title.lowercased() == text.lowercased() }) else {
      let near = nearestNames(text, among: groups.map(\.title)).first
      return fail("there is no group \(text)" + (near.map { "; did you mean \($0)?" } ?? "   (:browse lists them)"))
    }
    let name = min(20, group.members.map(\.name.count).max() ?? 0)
    let type = min(48, group.members.map(\.type.count).max() ?? 0)
    show(
      group.members.map { member in
        let head = "  " + ScreenText.padded(member.name, name) + "  " + ScreenText.padded(member.type, type) + "  "
        return rowOfScreen(head + member.summary)
      }.joined(separator: "\n"))
  }

  private func rowOfScreen(_ text: String) -> String { hasScreen ? fit(text, console.width(nil)) : text }

  var titlesOfGroups: [String] { groupsOfNames.map(\.title) }

  private typealias Member = (name: String, type: String, summary: String)

  /// The built-ins by the kind of value they are for, then the modules.
  private var groupsOfNames: [(title: String, members: [Member])] {
    var groups: [(title: String, members: [Member])] = []
    for row in Builtins.documented {
      let member = (name: row.name, type: row.signature, summary: row.summary)
      if let index = groups.firstIndex(where: { $0.title == row.container }) {
        if groups[index].members.last?.name != row.name { groups[index].members.append(member) }
      } else {
        groups.append((row.container, [member]))
      }
    }
    for module in surroundings.allModules {
      let functions = module.functions.map { ($0.name, $0.type, firstSentence($0.help)) }
      let defined = module.defined.map { ($0.name, $0.declaration, firstSentence($0.help)) }
      groups.append((module.name, functions + defined))
    }
    return groups
  }

  private func firstSentence(_ text: String) -> String {
    String(text.prefix { $0 != "\n" })
  }
}

/// What something is in time, in words.
enum TimeWords {
  static let constant = "a constant: known once"
  static let step = "a step behavior: it changes only at instants"
  static let continuous = "a continuous behavior: it varies between instants"
  static let event = "an event: it happens at moments"

  /// Of a built-in, by its type.
  static func of(_ signature: String) -> String? {
    if signature.hasPrefix("Event<") { return event }
    if signature.hasPrefix("Behavior<") { return continuous }
    guard let parts = SignatureText.parameters(of: signature) else { return nil }
    let isOfTime = (parts.parameters + [parts.result]).contains { $0.contains("Event<") || $0.contains("Behavior<") }
    return isOfTime ? nil : "plain: where its arguments vary, so does what it gives"
  }
}
