// How the word at the cursor goes on: commands after `:`, files after commands that take one, else what fits the place, as
// editors are told (see CompletionPlace). Only the word at the cursor is touched, also in the middle of a line.

import FRP
import FRPBase
import FRPCore
import FRPSema
import FRPSyntax
import Glibc

enum ReplCompletion {
  struct Candidate {
    var name: String
    /// Its type, or what it is.
    var note: String
    /// Its documentation.
    var words: String
    /// Whether its type is known not to be the one that is needed.
    var isMisfit: Bool

    init(_ name: String, _ note: String, _ words: String = "", isMisfit: Bool = false) {
      (self.name, self.note, self.words, self.isMisfit) = (name, note, words, isMisfit)
    }
  }

  private static let listed = 20

  static func answer(_ text: String, cursor: Int, _ session: ReplSession) -> CompletionAnswer {
    let found = candidates(text, cursor: cursor, session)
    guard let first = found.names.first else { return .nothing }
    let tail = tail(text, cursor)
    if found.names.count == 1 {
      let answer = insertion(first.name, found.word, tail)
      // What is complete is explained.
      return answer.insertion == nil && tail.isEmpty && !first.note.isEmpty
        ? CompletionAnswer(replaced: 0, insertion: nil, listing: listing(found.names, session)) : answer
    }
    // In the middle of a word: the one name that ends as the word does is meant.
    let ending = tail.isEmpty ? [] : found.names.filter { $0.name.dropFirst(found.word.count).hasSuffix(tail) }
    if ending.count == 1 { return insertion(ending[0].name, found.word, tail) }
    let common = found.names.dropFirst().reduce(first.name) { commonPrefix($0, $1.name) }
    if common.count > found.word.count, !(found.word + tail).hasPrefix(common) {
      return insertion(common, found.word, tail)
    }
    return CompletionAnswer(replaced: 0, insertion: nil, listing: listing(found.names, session))
  }

  /// Names with their types and the first sentence of what is known of them, each in a row of the screen.
  private static func listing(_ all: [Candidate], _ session: ReplSession) -> String {
    let fitting = all.filter { !$0.isMisfit }
    let names = fitting.isEmpty ? all : fitting
    let columns = session.console.width(nil)
    let shown = names.prefix(listed)
    let name = min(24, shown.map { ScreenText.columns($0.name) }.max() ?? 0)
    let note = min(max(20, columns / 2 - name), shown.map { ScreenText.columns($0.note) }.max() ?? 0)
    let rows = shown.map { row in
      let type = ScreenText.columns(row.note) <= note ? row.note : ScreenText.fit(row.note, note)
      let line = "  \(ScreenText.padded(row.name, name))  \(ScreenText.padded(type, note))  "
      return ScreenText.fit(line + row.words.prefix { $0 != "\n" }, columns)
    }
    let more = names.count > listed ? ["  … \(names.count - listed) more"] : []
    return (rows + more).joined(separator: "\n") + "\n"
  }

  /// What is missing between the word before the cursor and what already stands behind it.
  private static func insertion(_ name: String, _ word: String, _ tail: String) -> CompletionAnswer {
    var missing = String(name.dropFirst(word.count))
    if !tail.isEmpty, missing.hasSuffix(tail) { missing = String(missing.dropLast(tail.count)) }
    if missing.isEmpty { return .nothing }
    return CompletionAnswer(replaced: 0, insertion: missing, listing: nil)
  }

  /// The word before the cursor, and what it may become.
  static func candidates(_ text: String, cursor: Int, _ session: ReplSession) -> (word: String, names: [Candidate]) {
    let scalars = Array(text.unicodeScalars.prefix(cursor))
    if let files = files(String(String.UnicodeScalarView(scalars))) { return files }
    var start = scalars.count
    while start > 0, isWord(scalars[start - 1]) { start -= 1 }
    let word = String(String.UnicodeScalarView(scalars[start...]))
    let before = String(String.UnicodeScalarView(scalars[..<start]))
    let all = names(text, before, word, cursor, session)
    return (word, all.filter { $0.name.hasPrefix(word) })
  }

  private static func tail(_ text: String, _ cursor: Int) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(cursor).prefix { isWord($0) }))
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar == "." || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
  }

  private static func names(
    _ text: String, _ before: String, _ word: String, _ cursor: Int, _ session: ReplSession
  ) -> [Candidate] {
    if before == ":" || before == "?:" { return ReplCommand.all.map { Candidate($0.name, $0.summary) } }
    if let words = operands(before, session) { return words }
    if before == "?" { return asked(session) }
    let owner = word.lastIndex(of: ".").map { word[...$0] } ?? ""
    return placed(text, before, cursor, session).map { found in
      let own = owner.isEmpty ? session.current.name(found.name)?.type : nil
      let type = own ?? found.type
      let note = type.isEmpty ? found.kind.word : found.kind == .constructor ? type : ": " + type
      return Candidate(owner + found.name, note, found.words, isMisfit: found.isMisfit)
    }
  }

  private static func asked(_ session: ReplSession) -> [Candidate] {
    let own = session.current.names.filter { $0.name != "it" }.map { Candidate($0.name, ": " + $0.type) }
    let built = Builtins.documented.filter(\.isBare).map { Candidate($0.name, ": " + $0.signature, $0.summary) }
    var seen: Set<String> = []
    return (own + built).filter { seen.insert($0.name).inserted }.sorted { $0.name < $1.name }
  }

  /// What fits the place, as editors are told: the session's definitions with the entry behind them as one text.
  private static func placed(
    _ text: String, _ before: String, _ cursor: Int, _ session: ReplSession
  ) -> [CompletionCandidate] {
    var entry = text
    var place = cursor
    if before.hasPrefix(":") {
      guard let space = text.firstIndex(of: " ") else { return [] }
      // A definition stands behind the event of `:at`, an expression behind other commands.
      let hasWord = [":at ", ":bind ", ":plot --live "].contains { text.hasPrefix($0) }
      let skipped = hasWord ? text[text.index(after: space)...].firstIndex(of: " ") : space
      guard let skipped else { return [] }
      entry = String(text[text.index(after: skipped)...])
      place -= text[...skipped].unicodeScalars.count
    }
    let isItem = isItem(entry, place - (cursor - before.unicodeScalars.count))
    let head = isItem ? "" : ReplSession.itPrefix
    let defined = isItem ? String(entry.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) : ""
    let items = session.current.items.filter { $0.names != ["it"] && !$0.names.contains(defined) }
    let start = items.map { $0.whole() + "\n" }.joined() + head
    let scalars = entry.unicodeScalars
    let typed = String(scalars.prefix(place)).replacingLineBreaks()
    let rest = String(scalars.dropFirst(place)).replacingLineBreaks()
    let document = Document(uri: "prompt", version: nil, text: start + typed + rest + closing(typed + rest) + "\n")
    let surroundings = session.current.surroundings
    var found = CompletionPlace(document, at: start.utf8.count + typed.utf8.count, surroundings).candidates()
    // What cannot take what is piped is a mistake.
    if trimmed(before).hasSuffix("|>") { found.removeAll(where: \.isMisfit) }
    let isFirst = trimmed(String(scalars.prefix(place))).allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    let words = isFirst && !before.hasPrefix(":") ? itemWords.map { CompletionCandidate(name: $0, kind: .keyword) } : []
    return (found + words).filter { $0.name != "it" && $0.name != "at" }.sorted {
      ($0.rank, $0.name) < ($1.rank, $1.name)
    }
  }

  /// What closes the innermost brackets that are open at the end of an entry, so that a call that is not finished says
  /// what its arguments are.
  private static func closing(_ entry: String) -> String {
    var open: [String] = []
    for token in Parser.grammarTokens(SourceFile(name: "prompt", text: entry)) where token.end > token.start {
      switch token.text {
      case "(": open.append(")")
      case "[": open.append("]")
      case "{": open.append("}")
      case ")", "]", "}": _ = open.popLast()
      default: break
      }
    }
    return open.reversed().prefix { $0 != "}" }.joined()
  }

  private static let itemWords = ["input", "type", "alias", "import"]

  /// Whether an entry defines or declares something, as far as it stands before a place.
  private static func isItem(_ entry: String, _ cursor: Int) -> Bool {
    let before = String(entry.unicodeScalars.prefix(cursor))
    let tokens = Parser.grammarTokens(SourceFile(name: "prompt", text: before)).filter { $0.end > $0.start }
    guard let first = tokens.first else { return false }
    if ["input", "type", "alias", "import", "output"].contains(first.text) { return true }
    var depth = 0
    for (index, token) in tokens.enumerated() {
      if ["(", "[", "{"].contains(token.text) { depth += 1 }
      if [")", "]", "}"].contains(token.text) { depth -= 1 }
      if depth == 0, token.text == "=" { return true }
      // `area(s: Sh`: a type is written where a parameter is.
      if depth == 1, token.text == ":", tokens[1].text == "(", first.name == "LOWER", index == tokens.count - 1 {
        return true
      }
    }
    return first.name == "LOWER" && tokens.count > 1 && tokens[1].text == ":"
  }

  // MARK: Files

  private static let takingFiles = ["load", "save", "feed", "record", "replay", "plot", "graph", "snapshot", "restore"]

  /// The files that begin as the last word does, after a command that takes one.
  private static func files(_ text: String) -> (word: String, names: [Candidate])? {
    guard text.hasPrefix(":"), let space = text.firstIndex(of: " ") else { return nil }
    let command = String(text[text.index(after: text.startIndex)..<space])
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard takingFiles.contains(command), words.count >= 2 else { return nil }
    if ["feed", "plot", "graph"].contains(command), !["from", "to"].contains(words[words.count - 2]) { return nil }
    let word = String(words[words.count - 1])
    let folder = word.lastIndex(of: "/").map { String(word[...$0]) } ?? ""
    guard let directory = opendir(folder.isEmpty ? "." : folder) else { return (word, []) }
    defer { closedir(directory) }
    var found: [Candidate] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix("."), !word.hasSuffix(".") { continue }
      let isFolder = entry.pointee.d_type == UInt8(DT_DIR)
      found.append(Candidate(folder + name + (isFolder ? "/" : ""), ""))
      if found.count > 2000 { break }
    }
    return (word, found.filter { $0.name.hasPrefix(word) }.sorted { $0.name < $1.name })
  }

  /// What a folder holds.
  static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder.isEmpty ? "/" : folder) else { return [] }
    defer { closedir(directory) }
    var found: [String] = []
    while found.count < 2000, let entry = readdir(directory) {
      found.append(
        withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return found.sorted()
  }

  private static func commonPrefix(_ a: String, _ b: String) -> String {
    String(zip(a, b).prefix { $0 == $1 }.map(\.0))
  }
}
