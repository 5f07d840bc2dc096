// `:watch`: definitions in rows at the top of the screen that stay there, with their values, while the session scrolls
// below. Where there is no terminal, `:watch` is `:log`: every change is a line.

import FRP
import FRPBase

extension ReplSession {
  /// `NAME …`, or `EXPR as NAME`, which defines the name first.
  func watch(_ text: String) {
    if let name = definedForWatching(text) { return watch(name) }
    let names = text.split { $0 == " " || $0 == "," }.map(String.init)
    guard names.allSatisfy({ current.name($0) != nil }) else {
      let unknown = names.first { current.name($0) == nil } ?? text
      if names.count == 1 { return fail(unknownName(unknown)) }
      return fail("\(unknown) is no name; to watch an expression, name it:  :watch \(text) as w")
    }
    for name in names {
      guard let kind = current.name(name)?.kind, kind != .function, kind != .hidden else {
        return fail("\(name) is a function: it has no value to watch")
      }
    }
    guard source.paneRoom > 1, hasScreen else { return log(text) }
    for name in names where !live.pinned.contains(name) { live.pinned.append(name) }
    pinRows()
  }

  /// Defines NAME for `EXPR as NAME`; nil for anything else, or if it does not check.
  func definedForWatching(_ text: String) -> String? {
    let words = text.split(separator: " ")
    guard words.count >= 3, words[words.count - 2] == "as" else { return nil }
    let name = String(words[words.count - 1])
    enter(" \(name) = \(words.dropLast(2).joined(separator: " "))")
    return current.name(name) == nil ? nil : name
  }

  /// `:log NAME`: every change or occurrence is a line above the prompt.
  func log(_ text: String) {
    for name in text.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init) {
      guard current.name(name) != nil else { return fail(unknownName(name)) }
      if !live.watched.contains(name) { live.watched.append(name) }
    }
  }

  func unwatch(_ text: String) {
    let names = Set(text.split { $0 == " " || $0 == "," }.map(String.init))
    let known = Set(live.pinned + live.watched)
    live.series = live.series.filter { known.contains($0.key) && !names.contains($0.key) }
    if let unknown = names.subtracting(known).sorted().first {
      return fail(
        "\(unknown) is not watched" + (known.isEmpty ? "" : "; what is: \(known.sorted().joined(separator: ", "))"))
    }
    live.pinned.removeAll { names.isEmpty || names.contains($0) }
    live.watched.removeAll { names.isEmpty || names.contains($0) }
    if names.isEmpty { (live.followed, live.plot) = (nil, nil) }
    pinRows()
  }

  /// Takes as many rows as the pane needs: one for each name, and a line below them.
  func pinRows() {
    guard hasScreen else { return }
    let isEmpty = live.pinned.isEmpty && live.plot == nil
    let wanted = isEmpty ? 0 : plotRows(of: source.paneRoom) + live.pinned.count + 1
    source.pin(rows: min(wanted, source.paneRoom))
    if wanted > source.paneRoom { show("only \(source.paneRoom - 1) rows fit on this screen") }
    live.paneDrawn = 0
    drawPane()
  }

  /// Draws the pane, as often a second as the live row at most.
  func drawPane() {
    if live.pinned.isEmpty && live.plot == nil || live.isPlaying { return }
    let moment = ReplClock.monotonic()
    if moment - live.paneDrawn < 1 / Double(options.rate) { return }
    live.paneDrawn = moment
    let width = max(20, console.width(nil))
    let label = min(24, live.pinned.map(\.count).max() ?? 0)
    takeSeries()
    var rows =
      livePlot(source.paneRoom)?.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) ?? []
    rows += live.pinned.prefix(max(0, source.paneRoom - 1)).map { paneRow($0, label, width) }
    rows.append(paneLine(width))
    source.drawPane(rows)
  }

  /// `n        5          since 12.4s   #5   2.0 a second`.
  private func paneRow(_ name: String, _ label: Int, _ width: Int) -> String {
    let head = name + String(repeating: " ", count: max(0, label - name.count))
    guard let known = current.name(name) else { return fit(head + "  is not defined now", width) }
    let shown = trace[name]
    var value = known.kind == .event ? "-" : self.value(name)
    var notes: [String] = []
    if let last = shown?.last, known.kind == .event {
      value = simulation?.sourceText(last.json, name) ?? last.json
      notes.append("at \(tenths(last.time))")
    } else if let last = shown?.last, !current.program.isContinuous(output: name) {
      notes.append(last.time == 0 ? "since the start" : "since \(tenths(last.time))")
    }
    if let shown, shown.count > 0 {
      notes.append("#\(shown.count)")
      let rate = shown.rate(at: clock.now)
      if rate >= 0.1 { notes.append("\((rate * 10).rounded() / 10)/s") }
    }
    var note = notes.joined(separator: "  ")
    // One below the other.
    if width >= 72, let spark = sparkline(known, columns: width < 100 ? 12 : 30) {
      note = spark + "  " + ScreenText.padded(note, 26)
    }
    let room = width - note.count - 3
    let left = fit(head + "  " + value, max(10, room))
    if note.isEmpty || room < 10 { return left }
    return left + String(repeating: " ", count: max(1, width - 1 - columns(left) - note.count)) + dimmed(note)
  }

  private func paneLine(_ width: Int) -> String {
    let state = clock.isVirtual ? "virtual" : clock.isPaused ? "paused" : clock.speed == 1 ? "" : "x\(clock.speed)"
    let dash = isASCII ? "-" : "─"
    let text = String(repeating: dash, count: 2) + " \(tenths(clock.now)) \(state)" + (state.isEmpty ? "" : " ")
    return dimmed(text + String(repeating: dash, count: max(0, width - 1 - text.count)))
  }

  func dimmed(_ text: String) -> String { hasColours ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

  /// Seconds with one digit after the point: it is read while it moves.
  private func tenths(_ time: Double) -> String { "\((time * 10).rounded() / 10)s" }
}
