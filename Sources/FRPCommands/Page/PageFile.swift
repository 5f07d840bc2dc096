// The file that a page's program comes from, and those that it imports: what another editor writes there comes into the page, and
// the page's text is saved there.
//
// Rules
// - What another has written is never overwritten unseen: who saves is asked.
// - A file that is being written is looked at once it has stood still from one look to the next.

final class PageFile {
  /// Whose a change is that came from the file: nobody's, so that anybody may take it back.
  static let author = -1

  private let path: String
  /// Whether the page may write to it.
  let isWritable: Bool
  /// What stood there when it was read or written last.
  private(set) var text: String
  /// Whether that came from another editor and is no program, so that the page shows something else.
  var isRefused = false
  private var known: [Int]?
  private var seen: [Int]?
  /// The imported files, as they were when the program was made of them, and as they were at the last look.
  private var imports: [String: [Int]?] = [:]
  private var seenImports: [String: [Int]?] = [:]

  /// Nil for what is no file: a pipe has been read once and for all.
  init?(_ path: String, _ text: String, isWritable: Bool) {
    guard path != "-", Files.isRegular(path) else { return nil }
    (self.path, self.text, self.isWritable) = (path, text, isWritable)
    known = Files.stamp(path)
    seen = known
  }

  /// The text that another editor has put there since; nil where it is as it was, is being written, or is gone.
  func takeChange() -> String? {
    let present = Files.stamp(path)
    defer { seen = present }
    guard let present, present != known, present == seen, let there = content, !there.isEmpty else { return nil }
    known = present
    if there == text { return nil }
    text = there
    return there
  }

  /// Remembers what has just been read, or was not there: before anybody is told what came of it, so that what is written then is a change.
  func note(imports names: [String]) { note(stamps(names)) }

  private func note(_ present: [String: [Int]?]) {
    for (name, stamp) in present where imports[name] == nil { imports[name] = stamp }
  }

  private func stamps(_ names: [String]) -> [String: [Int]?] {
    let folder = Files.directory(of: path)
    var present: [String: [Int]?] = [:]
    for name in names { present[name] = .some(Files.stamp(name.hasPrefix("/") ? name : folder + name)) }
    return present
  }

  /// Whether one of the files that the program imports is another since it was made of them, and has come to rest.
  func takeChange(ofImports names: [String]) -> Bool {
    let present = stamps(names)
    defer { seenImports = present }
    note(present)
    guard present == seenImports, present.contains(where: { imports[$0.key] != $0.value }) else { return false }
    imports = present
    return true
  }

  /// Whether something stands there that has not come into the page.
  var isAhead: Bool { isRefused || (content.map { $0 != text } ?? false) }

  /// Puts a text in its place: nobody ever sees half of it.
  func save(_ source: String) throws(SystemError) {
    try Files.replace(path, with: source)
    (text, known, isRefused) = (source, Files.stamp(path), false)
    seen = known
  }

  private var content: String? {
    guard Files.isRegular(path), let bytes = try? Files.contents(of: path) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
