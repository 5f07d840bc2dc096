// `:why`: why a value is what it is, in terms of the definitions.

import FRP
import FRPBase
import FRPSyntax

extension ReplSession {
  /// `:why NAME`: the values and occurrences behind the present one.
  func why(_ text: String) {
    advance()
    guard current.name(text) != nil else {
      let names = mentioned(in: text).filter { current.name($0) != nil }
      if names.isEmpty {
        if program(asking: text) == nil { return }
        return show("nothing in \(text) changes: it is \(present(text) ?? "what it is")")
      }
      return show(names.map { reasons(of: $0).joined(separator: "\n") }.joined(separator: "\n"))
    }
    show(reasons(of: text).map { fit($0, console.width(nil)) }.joined(separator: "\n"))
  }

  private static let depth = 12

  private func reasons(of name: String) -> [String] {
    var lines: [String] = []
    var seen: Set<String> = []
    var pending: [(name: String, level: Int)] = [(name, 0)]
    while let next = pending.popLast() {
      let indent = next.level == 0 ? "" : String(repeating: "  ", count: next.level - 1) + "└ "
      let isRepeated = !seen.insert(next.name).inserted
      let definition = isRepeated || next.level >= Self.depth ? "" : shortSource(next.name)
      lines.append(indent + state(of: next.name) + definition)
      if isRepeated || next.level >= Self.depth { continue }
      for used in uses(of: next.name).reversed() { pending.append((used, next.level + 1)) }
    }
    return lines
  }

  /// What a definition mentions, in the order of the session; functions are seen through.
  func uses(of name: String) -> [String] {
    var found: Set<String> = []
    var pending = [name]
    var seen: Set<String> = [name]
    while let next = pending.popLast() {
      for (used, users) in current.users where users.contains(next) && current.name(used) != nil {
        if current.name(used)?.kind != .function {
          found.insert(used)
        } else if seen.insert(used).inserted {
          pending.append(used)
        }
      }
    }
    return current.names.map(\.name).filter { found.contains($0) && $0 != name }
  }

  func shortSource(_ name: String) -> String {
    guard let item = current.items.first(where: { $0.names.contains(name) }) else { return "" }
    let lines = item.text.split(separator: "\n")
    return "    " + (lines.first.map(String.init) ?? "") + (lines.count > 1 ? " …" : "")
  }

  /// `n = 2 since 1.52s`, `clicks #2 at 1.52s (:push)`.
  func state(of name: String) -> String {
    guard let known = current.name(name) else { return name }
    let shown = trace[name]
    switch known.kind {
    case .constant: return "\(name) = \(value(name)), a constant"
    case .function, .hidden: return "\(name) : \(known.type)"
    case .event:
      guard let last = shown?.last, let count = shown?.count else { return "\(name) has not occurred" }
      let value = last.json == "null" ? "" : " = " + (simulation?.sourceText(last.json, name) ?? last.json)
      return "\(name) #\(count)\(value) at \(seconds(last.time))" + (known.isInput ? " (:push)" : "")
    case .behavior:
      guard let last = shown?.last else { return "\(name) = \(value(name)) at \(seconds(clock.now))" }
      let since = last.time == 0 ? "since the start" : "since \(seconds(last.time))"
      return "\(name) = \(value(name)) \(since)" + (known.isInput && last.time > 0 ? " (:set)" : "")
    }
  }

  /// Names in an expression.
  func mentioned(in text: String) -> [String] {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: text))
    var tree = Tree()
    _ = Parser.parseEntry(file, in: sources, into: &tree)
    var names: [String] = []
    for case .name(let name) in tree.exprs where !names.contains(name) { names.append(name) }
    return names
  }
}
