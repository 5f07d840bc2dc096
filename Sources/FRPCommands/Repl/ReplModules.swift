// The texts of the modules that a session's program imports.
//
// - A program keeps what it was compiled with, and so does each change in the log: an entry, `:back` and `:undo` compile the program
//   that ran, whatever has become of the files.
// - `:load`, `:reload` and an entry that imports read all of them anew.
// - A module is in the folder that the session was in when it was imported.

import FRP
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

  var isEmpty: Bool { texts.isEmpty }

  /// These, and whatever else is asked for as `files` have it, read once.
  func files(of items: [ReplItem], in files: ModuleFiles) -> ModuleFiles {
    let reader = ReplModuleReader(self, items, files)
    return ModuleFiles(
      read: reader.read, list: reader.list,
      refusal: { path in reader.places(path).lazy.compactMap(files.refusal).first })
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
  /// The folder that an import of this name is beside; what modules import lies in one of these.
  private let folders: [(path: String, folder: String)]
  private let files: ModuleFiles

  init(_ known: ReplModules, _ items: [ReplItem], _ files: ModuleFiles) {
    texts = known.texts
    folders = items.compactMap { item in item.folder.map { ("\(item.names[0]).frp", $0) } }
    self.files = files
  }

  func read(_ path: String) -> [UInt8]? {
    if let text = texts[path] { return text }
    guard let text = places(path).lazy.compactMap(self.files.read).first else { return nil }
    texts[path] = text
    return text
  }

  /// Where a file may lie.
  func places(_ path: String) -> [String] {
    let own = folders.filter { $0.path == path }.map { $0.folder + path }
    let others = folders.map { $0.folder + path }
    return own + (!own.isEmpty ? [] : others.isEmpty ? [path] : others)
  }

  func list(_ folder: String) -> [String] {
    Set(files.list(folder) + folders.flatMap { $0.folder.isEmpty ? [] : files.list($0.folder) }).sorted()
  }
}
