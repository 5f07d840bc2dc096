// `:graph`: who depends on whom.

import FRP
import FRPBase

extension ReplSession {
  /// `[NAME] [to FILE.dot|FILE.svg]`.
  func graph(_ text: String) {
    var words = ReplWords(text)
    let path = words.takePath()
    let name = trimmed(words.rest)
    let names = current.names.filter { $0.name != "it" && (name.isEmpty || isNear($0.name, name)) }
    if names.isEmpty { return show(name.isEmpty ? "nothing is defined yet" : "nothing is called \(name)") }
    guard let path else {
      return show(names.filter { name.isEmpty || $0.name == name }.map { line($0.name) }.joined(separator: "\n"))
    }
    let graph = current.program.graph
    let shown = name.isEmpty ? graph.definitions : graph.near(name)
    let known = shown.filter { other in other != "it" && names.contains { $0.name == other } }
    if !path.hasSuffix(".svg"), !path.hasSuffix(".dot") { return fail("Write :graph to FILE.dot, or to FILE.svg") }
    let picture = path.hasSuffix(".svg") ? GraphPicture(graph, of: known).svg : graph.dot(of: known)
    show(writeFile(path, picture) ? path : "\(path) cannot be written")
  }

  /// Whether a definition is this one, or stands before or behind it.
  private func isNear(_ other: String, _ name: String) -> Bool {
    other == name || current.dependents(of: name).contains(other) || current.dependents(of: other).contains(name)
  }

  private func line(_ name: String) -> String {
    let uses = current.users.filter { $0.value.contains(name) }.keys.sorted().filter {
      current.name($0) != nil && $0 != "it"
    }
    let users = (current.users[name] ?? []).filter { $0 != "it" }
    let arrow = isASCII ? " --> " : " ──▶ "
    return (uses.isEmpty ? "" : uses.joined(separator: ", ") + arrow) + name
      + (users.isEmpty ? "" : arrow + users.joined(separator: ", "))
  }
}
