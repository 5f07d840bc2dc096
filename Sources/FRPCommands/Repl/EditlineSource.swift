// Entries typed at a terminal, through libedit (see CEditline). The editor's hooks come back here with an opaque
// pointer to this object.

import CEditline
import Glibc

final class EditlineSource: LineSource {
  let isInteractive = true
  private weak var listener: (any EntryListener)?
  private var isReading = false
  /// Whether the row above what is being typed is the live one.
  private var hasLiveRow = false
  private var shown = ShownLines()

  /// Opens the terminal; nil where libedit cannot.
  init?(colours: Bool) {
    let hooks = ce_hooks(
      context: Unmanaged.passUnretained(self).toOpaque(),
      idle: { EditlineSource.from($0).listener.map { $0.goOn() ?? Int32(CE_INTERRUPT_KEY) } ?? 1000 },
      is_complete: { context, text in
        EditlineSource.from(context).listener?.isComplete(String(cString: text)) ?? true ? 1 : 0
      },
      complete: { context, text, cursor in
        let answer =
          EditlineSource.from(context).listener?.complete(String(cString: text), cursor: Int(cursor)) ?? .nothing
        return ce_completion(
          replaced: Int32(answer.replaced), insertion: answer.insertion.flatMap { strdup($0) },
          listing: answer.listing.flatMap { strdup($0) })
      },
      paint: { context, text, cursor in
        let listener = EditlineSource.from(context).listener
        return listener?.paint(String(cString: text), cursor: Int(cursor)).flatMap { strdup($0) }
      },
      suggest: { context, text in
        EditlineSource.from(context).listener?.suggestion(String(cString: text)).flatMap { strdup($0) }
      },
      adjust: { context, text, cursor, direction in
        let listener = EditlineSource.from(context).listener
        guard let made = listener?.adjust(String(cString: text), cursor: Int(cursor.pointee), by: Int(direction))
        else { return nil }
        cursor.pointee = Int32(made.cursor)
        return strdup(made.text)
      },
      redraw: { context, columns, rows in
        let source = EditlineSource.from(context)
        // The live row is always one row.
        if source.hasLiveRow { source.shown.cutLast(columns: Int(columns) - 1) }
        return strdup(source.shown.newest(columns: Int(columns), rows: Int(rows)))
      })
    if ce_open("frp", hooks, colours ? 1 : 0) == 0 { return nil }
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> EditlineSource {
    guard let context else { preconditionFailure("hooks are given this object") }
    return Unmanaged<EditlineSource>.fromOpaque(context).takeUnretainedValue()
  }

  func read(_ prompt: String, _ listener: any EntryListener) -> EntryRead {
    self.listener = listener
    isReading = true
    defer {
      isReading = false
      hasLiveRow = false
    }
    var text: UnsafePointer<CChar>?
    switch ce_read(prompt, &text) {
    case CE_ENTRY:
      let entry = text.map { String(cString: $0) } ?? ""
      shown.add(ShownLines.visible(prompt) + (listener.paint(entry, cursor: nil) ?? entry))
      return .text(entry)
    case CE_INTERRUPTED: return .interrupted
    case CE_EDIT: return .edit(text.map { String(cString: $0) } ?? "")
    default:
      // What comes next on the screen is the shell's.
      Swift.print("")
      fflush(nil)
      return .end
    }
  }

  func show(_ text: String) {
    let text = safeForTerminal(text, keepsColours: true)
    hasLiveRow = false
    if isReading {
      shown.add(text)
      ce_print_above(text + "\n")
    } else {
      printInPieces(text)
    }
  }

  /// A long text takes a terminal its time, and ^C may come before its end.
  private func printInPieces(_ text: String) {
    var rest = text[...]
    var isStopped = false
    while !rest.isEmpty, !isStopped {
      let end = rest.utf8.index(rest.startIndex, offsetBy: Self.piece, limitedBy: rest.endIndex) ?? rest.endIndex
      // Between characters, and so not within an escape sequence of ours, which stand at the ends of lines.
      let piece = rest[..<rest.index(rest.startIndex, offsetBy: rest[..<end].count)]
      Swift.print(piece, terminator: "")
      fflush(nil)
      rest = rest[piece.endIndex...]
      isStopped = !rest.isEmpty && ReplInterrupt.isPressed
    }
    Swift.print(isStopped ? "…" : "")
    if isStopped { Swift.print("stopped") }
    fflush(nil)
    shown.add(isStopped ? "stopped" : text)
  }

  private static let piece = 4_096

  func replaceLast(_ text: String) {
    guard isReading else { return }
    let text = safeForTerminal(text, keepsColours: true)
    if hasLiveRow { ce_replace_row_above(text) } else { ce_print_above(text + "\n") }
    if hasLiveRow { shown.removeLast() }
    shown.add(text)
    hasLiveRow = true
  }

  func keepLast() { hasLiveRow = false }
  func remember(_ entry: String) { ce_remember(entry) }
  func prefill(_ text: String) { ce_prefill(text) }
  var paneRoom: Int { Int(ce_pane_room()) }
  func pin(rows: Int) { ce_pane_resize(Int32(rows)) }
  func drawPane(_ rows: [String]) { ce_pane_draw(safeForTerminal(rows.joined(separator: "\n"), keepsColours: true)) }
  func clear() {
    shown = ShownLines()
    ce_clear()
  }
  func lend(_ lends: Bool) { ce_lend(lends ? 1 : 0) }
  func fillScreen(_ fills: Bool) { ce_fill(fills ? 1 : 0) }
  func drawScreen(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    Swift.print("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J", terminator: "")
    fflush(nil)
  }
  func bytes(within milliseconds: Int32) -> [UInt8] {
    var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    guard poll(&input, 1, milliseconds) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(0, &bytes, bytes.count)
    // Nobody is there any more.
    return count > 0 ? Array(bytes.prefix(count)) : [0x1B]
  }
  func takeSuspended() -> Double { ce_take_suspended() }
  func close() { ce_close() }
}

/// The newest lines on the screen, for when it has to be drawn again.
struct ShownLines {
  private var lines: [String] = []
  private static let most = 300
  private static let longest = 20_000

  mutating func add(_ text: String) {
    // No more of a line than a screen holds is ever drawn again.
    lines += text.split(separator: "\n", omittingEmptySubsequences: false).suffix(Self.most)
      .map { String($0.prefix(Self.longest)) }
    if lines.count > 2 * Self.most { lines.removeFirst(lines.count - Self.most) }
  }

  mutating func removeLast() { _ = lines.popLast() }

  mutating func cutLast(columns: Int) {
    guard var line = lines.popLast() else { return }
    while Self.width(line) > columns { line.removeLast() }
    lines.append(line)
  }

  /// As many of the newest lines as take no more than so many rows, each with its break.
  func newest(columns: Int, rows: Int) -> String {
    var left = rows
    var first = lines.count
    while first > 0 {
      let width = Self.width(lines[first - 1])
      left -= max(1, (width + columns - 1) / max(1, columns))
      if left < 0 { break }
      first -= 1
    }
    return lines[first...].map { $0 + "\n" }.joined()
  }

  /// A prompt without the marks around what takes no room.
  static func visible(_ prompt: String) -> String { prompt.filter { $0 != "\u{1}" } }

  private static func width(_ line: String) -> Int {
    var width = 0
    var isEscape = false
    for scalar in line.unicodeScalars {
      if scalar == "\u{1B}" { isEscape = true }
      if !isEscape { width += max(0, Int(ce_width(scalar.value))) }
      if isEscape, scalar == "m" { isEscape = false }
    }
    return width
  }
}
