// The texts of the modules that a session's program imports.
//
// - A program keeps what it was compiled with, and so does each change in the log: an entry, `:back` and `:undo` compile the program
//   that ran, whatever has become of the files.
// - `:load`, `:reload` and an entry that imports read all of them anew.
// - A module is beside the file that imports it; where that was typed, in the folder of that time.

import FRP
import FRPBase
import FRPSyntax
import Glibc

/// Modules as they were read.
struct ReplModules {
  /// By the path that the compiler asks for.
  private(set) var texts: [String: [UInt8]] = [:]

  /// Nothing has been read.
  init() {}

  /// Those that a program was compiled with.
  init(of program: Program) {
    // The first is the program itself.
    for text in program.ownTexts.dropFirst() { texts[text.name] = text.bytes }
  }

  /// These, and whatever else is asked for as `files` have it, read once.
  func files(of items: [ReplItem], in files: ModuleFiles) -> ModuleFiles {
    let reader = ReplModuleReader(self, items, files)
    return ModuleFiles(read: reader.read, list: reader.list, refusal: reader.refusal)
  }

  /// The folder that a file lies in, with a slash behind it, wherever the session goes.
  static func folder(of path: String) -> String {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    return folder.hasPrefix("/") ? folder : presentFolder + folder
  }

  /// Where what is typed now imports from.
  static var presentFolder: String {
    guard let folder = getcwd(nil, 0) else { return "" }
    defer { free(folder) }
    let path = String(cString: folder)
    return path.hasSuffix("/") ? path : path + "/"
  }
}

private final class ReplModuleReader {
  private var texts: [String: [UInt8]]
  /// The files that are imported, and the folders that these imports are in.
  private let imports: [(path: String, folder: String)]
  private let files: ModuleFiles
  /// By the path that is asked for, where the file lies; in several places where imports in several folders lead to it.
  private lazy var known = found()

  init(_ known: ReplModules, _ items: [ReplItem], _ files: ModuleFiles) {
    texts = known.texts
    imports = items.compactMap { item in item.folder.map { ("\(item.names[0]).frp", $0) } }
    self.files = files
  }

  func read(_ path: String) -> [UInt8]? {
    if let text = texts[path] { return text }
    let found = places(path).compactMap(files.read)
    guard let text = found.first, found.allSatisfy({ $0 == text }) else { return nil }
    texts[path] = text
    return text
  }

  func refusal(_ path: String) -> String? {
    if let reason = places(path).lazy.compactMap(files.refusal).first { return reason }
    let there = places(path).filter { files.read($0) != nil }.sorted()
    return there.count < 2 ? nil : "imports lead to different files: \(there.joined(separator: ", "))"
  }

  func list(_ folder: String) -> [String] {
    Set(files.list(folder) + Set(imports.map(\.folder)).flatMap { $0.isEmpty ? [] : files.list($0) }).sorted()
  }

  private func places(_ path: String) -> [String] {
    if imports.isEmpty { return [path] }
    return known[path] ?? Set(imports.map(\.folder)).sorted().map { $0 + path }
  }

  /// A module is beside the file that imports it.
  private func found() -> [String: [String]] {
    var found: [String: [String]] = [:]
    var next = imports
    while let (path, folder) = next.popLast() {
      let place = folder + path
      if found[path, default: []].contains(place) { continue }
      found[path, default: []].append(place)
      next += files.read(place).map { Self.imports(of: $0).map { ("\($0).frp", folder) } } ?? []
    }
    return found
  }

  private static func imports(of text: [UInt8]) -> [String] {
    var sources = SourceMap()
    var tree = Tree()
    let file = sources.add(SourceFile(name: "module", bytes: text))
    _ = Parser.parse(file, name: "module", in: sources, into: &tree)
    return tree.items.compactMap { item in
      if case .importModule(let name) = item { name.text } else { nil }
    }
  }
}
