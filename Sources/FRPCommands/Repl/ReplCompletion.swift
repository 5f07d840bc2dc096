// How the word at the cursor goes on: commands after `:`, files after commands that take one, else what fits the place
// (see ReplPlace). Only the word at the cursor is touched, also in the middle of a line.

import FRP
import FRPBase
import FRPCore
import FRPSema
import FRPSyntax
import Glibc

enum ReplCompletion {
  typealias Candidate = (name: String, note: String)
  private static let listed = 20

  static func answer(_ text: String, cursor: Int, _ session: ReplSession) -> CompletionAnswer {
    let found = candidates(text, cursor: cursor, session)
    guard let first = found.names.first else { return .nothing }
    let tail = tail(text, cursor)
    if found.names.count == 1 { return insertion(first.name, found.word, tail) }
    // In the middle of a word: the one name that ends as the word does is meant.
    let ending = tail.isEmpty ? [] : found.names.filter { $0.name.dropFirst(found.word.count).hasSuffix(tail) }
    if ending.count == 1 { return insertion(ending[0].name, found.word, tail) }
    let common = found.names.dropFirst().reduce(first.name) { commonPrefix($0, $1.name) }
    if common.count > found.word.count, !(found.word + tail).hasPrefix(common) {
      return insertion(common, found.word, tail)
    }
    let width = min(40, found.names.map(\.name.count).max() ?? 0)
    let columns = session.console.width(nil)
    let rows = found.names.prefix(listed).map {
      session.fit("  " + $0.name + String(repeating: " ", count: max(0, width - $0.name.count) + 2) + $0.note, columns)
    }
    let more = found.names.count > listed ? ["  … \(found.names.count - listed) more"] : []
    return CompletionAnswer(replaced: 0, insertion: nil, listing: (rows + more).joined(separator: "\n") + "\n")
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
    let all = names(text, start, scalars, word, session)
    return (word, all.filter { $0.name.hasPrefix(word) })
  }

  private static func tail(_ text: String, _ cursor: Int) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(cursor).prefix { isWord($0) }))
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar == "." || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
  }

  private static func names(
    _ text: String, _ start: Int, _ scalars: [Unicode.Scalar], _ word: String, _ session: ReplSession
  ) -> [Candidate] {
    if start == 1, scalars.first == ":" { return ReplCommand.all.map { ($0.name, $0.summary) } }
    let place = ReplPlace(String(String.UnicodeScalarView(scalars[..<start])), session)
    if let words = place.operands(start) { return words }
    if word.contains("."), let fields = place.fields(of: word) { return fields }
    if place.isType { return types(session) }
    var result: [Candidate] = session.current.names.filter { $0.name != "it" }.map { ($0.name, ": " + $0.type) }
    for item in session.current.items { result += declared(item, session) }
    for function in session.surroundings.allModules.flatMap(\.functions) {
      result.append((function.qualifiedName, ": " + function.type))
    }
    var seen = Set(result.map(\.name))
    for builtin in Builtins.documented {
      let name = builtin.isBare ? builtin.name : "\(builtin.container).\(builtin.name)"
      let fits = place.subject.map { ReplPlace.takes(builtin.signature, $0) } ?? true
      if fits, seen.insert(name).inserted { result.append((name, ": " + builtin.signature)) }
    }
    if let subject = place.subject {
      // Behind `|>` stands a function.
      return result.filter { $0.note.contains("->") && ReplPlace.takes($0.note, subject) }.sorted { $0.name < $1.name }
    }
    for (name, type) in [("Some", "Option"), ("None", "Option"), ("Ok", "Result"), ("Err", "Result")]
    where !seen.contains(name) { result.append((name, "of " + type)) }
    return result.sorted { $0.name < $1.name }
  }

  /// The language's types and the session's.
  private static func types(_ session: ReplSession) -> [Candidate] {
    let own = session.current.items.filter { $0.text.hasPrefix("type") || $0.text.hasPrefix("alias") }.flatMap(\.names)
    return (own + builtinTypeNames.filter { !own.contains($0) }).sorted().map { ($0, "type") }
  }

  /// A type's name and its constructors.
  private static func declared(_ item: ReplItem, _ session: ReplSession) -> [Candidate] {
    let types = item.names.filter { session.current.name($0) == nil }
    if types.isEmpty || !item.text.hasPrefix("type") { return types.map { ($0, "type") } }
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: item.text))
    var tree = Tree()
    _ = Parser.parse(file, name: "prompt", in: sources, into: &tree)
    var result: [Candidate] = types.map { ($0, "type") }
    for case .type(let name, _, let constructors) in tree.items {
      result += constructors.map { ($0.name.text, "of \(name.text)") }
    }
    return result
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
      found.append((folder + name + (isFolder ? "/" : ""), ""))
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
