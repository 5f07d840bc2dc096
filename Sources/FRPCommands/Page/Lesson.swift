// A text with programs in it: Markdown whose blocks in fences with the word `frp` are programs.
//
// In: one file, or a folder of them, each a chapter. Out: chapters of parts, text and programs by turns.

import FRPBase
import FRPIO

struct Lesson {
  enum Part {
    /// Markdown, as it was written.
    case text(String)
    /// By its place in `programs`.
    case program(Int)
  }

  struct Chapter {
    /// Of its file.
    var name: String
    /// Its first heading.
    var title: String
    var parts: [Part]
  }

  private(set) var chapters: [Chapter] = []
  private(set) var programs: [String] = []

  /// Reads a file, or all files `….md` of a folder in the order of their names.
  init(path: String) throws(IOError) {
    let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
    let names = Files.names(in: folder).filter { $0.hasSuffix(".md") }
    if names.isEmpty, Files.isDirectory(folder) {
      throw IOError("there is no lesson in the folder `\(path)`: a file whose name ends in .md is one")
    }
    for file in names.isEmpty ? [path] : names.map({ "\(folder)/\($0)" }) {
      do {
        add(String(decoding: try Files.contents(of: file), as: UTF8.self), name: Self.name(of: file))
      } catch { throw IOError("cannot read `\(file)`: \(error.message)") }
    }
    if programs.isEmpty { throw IOError("there is no program in \(path): a block that begins with ```frp is one") }
  }

  init(_ text: String, name: String) { add(text, name: name) }

  private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  private mutating func add(_ text: String, name: String) {
    var chapter = Chapter(name: name, title: "", parts: [])
    var words: [Substring] = []
    var fence: Fence?
    func isText(_ lines: [Substring]) -> Bool { lines.contains { $0.contains { !$0.isWhitespace } } }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let open = fence {
        guard open.isClosed(by: line) else {
          words.append(line)
          continue
        }
        fence = nil
        if open.isProgram {
          addProgram(words, to: &chapter)
          words = []
        } else {
          words.append(line)
        }
      } else if let open = Fence(line) {
        fence = open
        if !open.isProgram {
          words.append(line)
          continue
        }
        if isText(words) { chapter.parts.append(.text(words.joined(separator: "\n"))) }
        words = []
      } else {
        if chapter.title.isEmpty, line.hasPrefix("# ") { chapter.title = trimmed(String(line.dropFirst(2))) }
        words.append(line)
      }
    }
    // A block that nobody closes goes on to the end, as it does elsewhere.
    if fence?.isProgram == true {
      addProgram(words, to: &chapter)
    } else if isText(words) {
      chapter.parts.append(.text(words.joined(separator: "\n")))
    }
    if chapter.title.isEmpty { chapter.title = name.hasSuffix(".md") ? String(name.dropLast(3)) : name }
    chapters.append(chapter)
  }

  private mutating func addProgram(_ lines: [Substring], to chapter: inout Chapter) {
    chapter.parts.append(.program(programs.count))
    programs.append(lines.joined(separator: "\n") + "\n")
  }

  /// The line that opens a block: up to three blanks, three or more marks, and what the block is.
  private struct Fence {
    let mark: Character
    let count: Int
    let isProgram: Bool

    init?(_ line: Substring) {
      let blanks = line.prefix { $0 == " " }.count
      let rest = line.dropFirst(blanks)
      guard blanks < 4, let mark = rest.first, mark == "`" || mark == "~" else { return nil }
      let count = rest.prefix { $0 == mark }.count
      let words = rest.dropFirst(count)
      if count < 3 || mark == "`" && words.contains("`") { return nil }
      (self.mark, self.count) = (mark, count)
      isProgram = words.split(separator: " ").first == "frp"
    }

    func isClosed(by line: Substring) -> Bool {
      let blanks = line.prefix { $0 == " " }.count
      let rest = line.dropFirst(blanks)
      let marks = rest.prefix { $0 == mark }.count
      return blanks < 4 && marks >= count && rest.dropFirst(marks).allSatisfy(\.isWhitespace)
    }
  }

  // MARK: As a message

  func message(isViewer: Bool) -> String {
    "{\"is\":\"lesson\",\"isViewer\":\(isViewer),\"chapters\":[\(chapters.map(json).joined(separator: ","))]}"
  }

  private func json(_ chapter: Chapter) -> String {
    let parts = chapter.parts.map { part in
      switch part {
      case .text(let text): "{\"text\":\(jsonString(text))}"
      case .program(let number): "{\"program\":\(number),\"text\":\(jsonString(programs[number]))}"
      }
    }
    return "{\"name\":\(jsonString(chapter.name)),\"title\":\(jsonString(chapter.title)),"
      + "\"parts\":[\(parts.joined(separator: ","))]}"
  }
}
