// Tables over all definitions, and what an expression costs.

import FRP
import FRPBase

extension ReplSession {
  /// `:table`: every definition with its type, value, and when it last changed.
  func table() {
    advance()
    var rows = [["name", "type", "value", "last"]]
    for known in current.names where known.name != "it" && known.kind != .function && known.kind != .hidden {
      let shown = trace[known.name]
      let last = shown?.last.map { seconds($0.time) } ?? "-"
      let value: String
      if known.kind == .event {
        value = (shown?.last).flatMap { last in simulation?.sourceText(last.json, known.name) } ?? "-"
      } else {
        value = self.value(known.name)
      }
      rows.append([known.name, known.type, value, known.kind == .constant ? "-" : last])
    }
    show(rows.count == 1 ? "nothing is defined yet" : aligned(rows))
  }

  func aligned(_ rows: [[String]]) -> String {
    let columns = rows.first?.count ?? 0
    let widths = (0..<columns).map { column in min(40, rows.map { self.columns($0[column]) }.max() ?? 0) }
    return rows.map { row in
      let cells = zip(row, widths).enumerated().map { index, cell in
        let text = index == columns - 1 ? cell.0 : fit(cell.0, 41)
        return text + String(repeating: " ", count: max(0, cell.1 - self.columns(text)))
      }
      return fit("  " + trimmedEnd(cells.joined(separator: "  ")), console.width(nil))
    }.joined(separator: "\n")
  }

  private func trimmedEnd(_ text: String) -> String {
    var text = text[...]
    while text.hasSuffix(" ") { text = text.dropLast() }
    return String(text)
  }

  /// `:time EXPR`: how long checking and computing takes.
  func time(_ expression: String) {
    if expression.isEmpty { return fail("of what? Write :time sum(1..1000)") }
    let start = ReplClock.monotonic()
    guard let program = program(asking: expression) else { return }
    let checked = ReplClock.monotonic()
    guard program.name("it")?.kind != .event else { return fail("an event has no value that could be computed") }
    guard let copy = copy(of: program, until: clock.now) else { return }
    let computing = ReplClock.monotonic()
    var rounds = 0
    while rounds < 1000, ReplClock.monotonic() - computing < 0.2, !ReplInterrupt.isPressed {
      _ = ReplInterrupt.guarding(copy) { try? copy.source(of: "it") }
      rounds += 1
    }
    let each = (ReplClock.monotonic() - computing) / Double(max(1, rounds))
    show(
      "checked in \(milliseconds(checked - start)), run up to now in \(milliseconds(computing - checked)), a look takes \(milliseconds(each))"
    )
  }

  func milliseconds(_ seconds: Double) -> String {
    if seconds < 1e-3 { return "\((seconds * 1e7).rounded() / 10) us" }
    return "\((seconds * 1e4).rounded() / 10) ms"
  }
}
