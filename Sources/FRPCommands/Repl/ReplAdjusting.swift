// A number at the cursor that Alt-Up and Alt-Down change, while the program, its pane and a row above the entry follow.
// Return keeps what is there then; Escape, or dropping the entry, takes it back as if it had never been.
//
// Each change of a definition is in the log, so that the run can be lived through again as it was; `:undo` takes all of
// them back with the entry that ends them.

import FRP
import FRPBase
import FRPSyntax

/// What was there before the first change of a number.
struct ReplAdjusting {
  var text: String
  var cursor: Int
  /// How much of the log had happened.
  var logged: Int
  var lastExpression: ReplItem?
  var followed: String?
  /// The digit that is changed, counted from the right, for as long as entry and cursor are the last made here.
  var place = 0
  var made = (text: "", cursor: 0)
}

/// A number in a text: its digits, and which of them the cursor is on.
struct NumberAtCursor {
  private let text: [Unicode.Scalar]
  private let start: Int
  private let end: Int
  private let cursor: Int
  /// Without point and underscores.
  private let value: Int
  private let decimals: Int
  /// The digit at the cursor, counted from the right.
  let place: Int

  init?(_ text: String, at cursor: Int) {
    let scalars = Array(text.unicodeScalars)
    let isDigit = { (index: Int) in scalars.indices.contains(index) && ("0"..."9").contains(scalars[index]) }
    let isPart = { (index: Int) in
      isDigit(index)
        || scalars.indices.contains(index) && (scalars[index] == "." || scalars[index] == "_") && isDigit(index - 1)
          && isDigit(index + 1)
    }
    guard let anchor = [cursor, cursor - 1].first(where: isPart) else { return nil }
    var (start, end) = (anchor, anchor + 1)
    while isPart(start - 1) { start -= 1 }
    while isPart(end) { end += 1 }
    if start > 0, scalars[start - 1].properties.isAlphabetic || scalars[start - 1] == "_" { return nil }
    let digits = scalars[start..<end].filter { ("0"..."9").contains($0) }
    let points = scalars[start..<end].filter { $0 == "." }.count
    guard points <= 1, digits.count < 18, let size = Int(String(String.UnicodeScalarView(digits))) else { return nil }
    decimals = points == 0 ? 0 : scalars[start..<end].reversed().prefix { $0 != "." }.filter { $0 != "_" }.count
    place = min(digits.count - 1, scalars[min(anchor + 1, end)..<end].filter { ("0"..."9").contains($0) }.count)
    let isNegative = Self.isSign(scalars, start - 1)
    if isNegative { start -= 1 }
    value = isNegative ? -size : size
    (self.text, self.start, self.end, self.cursor) = (scalars, start, end, cursor)
  }

  /// Whether a minus belongs to the number behind it: nothing that it could be taken from stands before it.
  private static func isSign(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
    guard index >= 0, scalars[index] == "-" else { return false }
    let before = String(String.UnicodeScalarView(scalars[..<index])).split(separator: " ").last ?? ""
    guard let last = before.unicodeScalars.last else { return true }
    if ["then", "else", "match", "if"].contains(String(before)) { return true }
    return !(last.properties.isAlphabetic || ("0"..."9").contains(last) || [")", "]", "}", "\"", "_"].contains(last))
  }

  /// The text with another number, and the cursor on the same digit; nil where there are too many digits.
  func changed(by direction: Int, place: Int) -> (text: String, cursor: Int)? {
    let step = (0..<place).reduce(1) { value, _ in value * 10 }
    let new = value + direction * step
    guard new.magnitude < 1_000_000_000_000_000_000 else { return nil }
    var digits = String(new.magnitude)
    digits = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    let whole = digits.dropLast(decimals)
    let number = (new < 0 ? "-" : "") + whole + (decimals == 0 ? "" : "." + digits.suffix(decimals))
    let head = String(String.UnicodeScalarView(text[..<start])) + number
    let behind = min(end - cursor, number.unicodeScalars.count)
    return (head + String(String.UnicodeScalarView(text[end...])), head.unicodeScalars.count - behind)
  }
}

extension ReplSession {
  func adjust(_ text: String, cursor: Int, by direction: Int) -> (text: String, cursor: Int)? {
    guard hasScreen else { return nil }
    if direction == 0 { return putNumberBack() }
    guard let number = NumberAtCursor(text, at: cursor) else { return nil }
    let place = adjusting.flatMap { $0.made == (text, cursor) ? $0.place : nil } ?? number.place
    guard let made = number.changed(by: direction, place: place) else { return nil }
    if adjusting == nil {
      adjusting = ReplAdjusting(
        text: text, cursor: cursor, logged: log.count, lastExpression: lastExpression, followed: live.expression)
      advance()
      checkpoint()
      source.keepLast()
    }
    adjusting?.place = place
    adjusting?.made = made
    tryOut(made.text)
    (live.paneDrawn, live.lastDrawn) = (0, 0)
    return made
  }

  /// Lets the program be what an entry says, if it checks; says nothing.
  private func tryOut(_ text: String) {
    advance()
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: text))
    var tree = Tree()
    let parsed = Parser.parseEntry(file, in: sources, into: &tree)
    if !parsed.diagnostics.isEmpty || text.hasPrefix(":") || text.hasPrefix("?") { return }
    var items: [ReplItem] = []
    for part in parsed.parts {
      switch part {
      case .item(let id): items.append(item(id, tree, sources))
      case .expr(let expr):
        let text = Self.itPrefix + sources.text(tree.span(expr)).replacingLineBreaks()
        items.append(ReplItem(names: ["it"], text: text))
      }
    }
    let spelled = spelledOut(items.filter { !$0.names.isEmpty })
    if spelled.isEmpty { return }
    let next = program(with: spelled)
    guard next.errors.isEmpty, case .success = exchange(next) else { return }
    if spelled.contains(where: { $0.names != ["it"] }) {
      keepChange(current.items, title: spelled.flatMap(\.names).joined(separator: ", "))
      log[log.count - 1].isStep = true
    }
    let shown = spelled.flatMap(\.names).compactMap { current.name($0) }.last
    if let shown, shown.kind == .behavior || shown.kind == .constant { live.expression = shown.name }
  }

  /// Takes back all that became of a number; what the entry was before.
  @discardableResult
  func putNumberBack() -> (text: String, cursor: Int)? {
    guard let before = adjusting else { return nil }
    adjusting = nil
    (live.paneDrawn, live.lastDrawn) = (0, 0)
    let hasChanged = log.indices.contains { $0 >= before.logged && log[$0].isStep }
    if hasChanged {
      let early = log.prefix(before.logged)
      log = Array(early) + log.dropFirst(before.logged).filter { !$0.isStep }
      checkpoints.removeAll { $0.count > before.logged }
      rebuild(until: clock.now)
    }
    let others = current.items.filter { $0.names != ["it"] }
    exchange(program(of: others + (before.lastExpression.map { [$0] } ?? [])))
    // A row that has followed goes on with what is there now, so that it does not show what is not.
    live.expression = live.expression.flatMap { current.name($0)?.name } ?? before.followed
    return (before.text, before.cursor)
  }
}
