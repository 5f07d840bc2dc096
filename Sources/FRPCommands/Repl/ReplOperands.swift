// What a command of the prompt takes as its first operand.

extension ReplCompletion {
  /// What a command takes as its first operand, where that is a name or a word.
  static func operands(_ before: String, _ session: ReplSession) -> [Candidate]? {
    guard before.hasPrefix(":"), let space = before.firstIndex(of: " ") else { return nil }
    let command = String(before[before.index(after: before.startIndex)..<space])
    guard trimmed(String(before[space...])).isEmpty else { return nil }
    let known = session.current.names.filter { $0.name != "it" }
    func named(_ names: [ReplName]) -> [Candidate] { names.map { Candidate($0.name, ": " + $0.type) } }
    func words(_ words: [String], _ note: String) -> [Candidate] { words.map { Candidate($0, note) } }
    switch command {
    case "help": return ReplCommand.all.map { Candidate($0.name, $0.summary) }
    case "set":
      return words(ReplSession.optionNames, "option") + named(known.filter { $0.isInput && $0.kind != .event })
    case "push", "feed": return named(known.filter(\.isInput))
    case "whynot", "at": return named(known.filter { $0.kind == .event })
    case "info", "source", "forget", "rename", "edit":
      return session.current.items.flatMap(\.names).filter { $0 != "it" }.map { name in
        Candidate(name, session.current.name(name).map { ": " + $0.type } ?? "type")
      }
    case "show": return words(["all"], "what was shown in part") + named(known)
    case "goto": return words(session.marks.keys.sorted(), "mark")
    case "unwatch": return words(session.live.watched + session.live.pinned, "watched")
    case "clock": return words(["real", "virtual"], "")
    case "play": return named(known.filter { $0.kind == .behavior || $0.kind == .event })
    case "bind": return words(KeyNames.all.sorted() + ["any"], "key")
    case "browse":
      return words(session.titlesOfGroups, "group")
    case "branch": return []
    case "tour": return words(["next", "back", "stop"], "")
    case "step": return words(["next"], "")
    default: return nil
    }
  }
}
