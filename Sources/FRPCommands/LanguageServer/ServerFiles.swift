// Files beside a document: the programs that mention a name of it, and what the whole workspace declares.
//
// A program imports files of its own folder, and names what they define as `Module.name`. So a name of a file's margin is
// mentioned by that file and by files beside it that import it; the analysis of each is asked for its own text alone.

import FRP
import FRPBase
import FRPSema
import FRPSyntax

extension LanguageServer {
  // MARK: Who mentions a name

  /// Where a name stands, in each program whose text mentions it: the one that defines it first. What no file defines is
  /// looked for in the document and its imports. Cost: a compilation for each file beside the definition that mentions it.
  func uses(of target: NameTarget, in document: Document) -> [(Analysis, [NameOccurrence])] {
    let analysis = analysis(document)
    guard let made = analysis.definition(of: target), !analysis.sources[made.span.file].isHost else {
      return [(analysis, analysis.allNames.filter { $0.target == target && !analysis.sources[$0.span.file].isHost })]
    }
    let home = analysis.sources[made.span.file].name
    return programs(mentioning: analysis.sources.text(made.span), of: home).compactMap { program in
      let own = program.allNames.first {
        $0.isDefinition && $0.span.start == made.span.start && program.sources[$0.span.file].name == home
      }
      let names = own.map { own in program.names.filter { $0.target == own.target } } ?? []
      return names.isEmpty ? nil : (program, names)
    }
  }

  private func programs(mentioning name: String, of home: String) -> [Analysis] {
    let folder = Files.directory(of: home)
    let open = documents.values.map(\.path).filter { Files.directory(of: $0) == folder }
    let beside = home.hasPrefix("/") ? Set(open + Files.names(in: folder).map { folder + $0 }) : []
    let module = ModuleLoader.moduleName(home)
    let read = surroundings.modules.read
    return ([home] + beside.filter { $0.hasSuffix(".frp") && $0 != home }.sorted()).compactMap { path in
      if let document = documents.values.first(where: { $0.path == path }) {
        return path == home || Self.mentions(module, name, document.file.bytes) ? self.analysis(document) : nil
      }
      guard let bytes = read(path), path == home || Self.mentions(module, name, bytes) else { return nil }
      return Analysis(SourceFile(name: path, bytes: bytes), surroundings)
    }
  }

  private static func mentions(_ module: String, _ name: String, _ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.contains("import \(module)") && ReplNames.mentions(module, name, in: text)
  }

  // MARK: Symbols of the workspace

  /// What a text declares at its margin, by its syntax alone.
  struct Outline {
    /// What tells whether the file has changed since.
    var stamp: [Int]
    var file: SourceFile
    var symbols: [(name: Name, kind: SymbolKind)]
  }

  /// At most so many files are looked into, so deep below a folder of the workspace, and so many symbols are told.
  private static let most = (files: 5_000, depth: 16, symbols: 1_000)

  /// The declarations whose names have the letters of the query, in their order. Cost: reads each file that has changed.
  func workspaceSymbols(_ params: JSONObject) -> JSONTree {
    let query = Array((params.string("query") ?? "").lowercased())
    var found: [JSONTree] = []
    for path in programsOfWorkspace() {
      guard let outline = outline(of: path) else { continue }
      for (name, kind) in outline.symbols where Self.has(Array(name.text.lowercased()), query) {
        found.append([
          "name": .text(name.text), "kind": .int(kind.rawValue), "containerName": .text(ModuleLoader.moduleName(path)),
          "location": ["uri": .text(uri(of: path)), "range": range(name.span, in: outline.file)],
        ])
        if found.count == Self.most.symbols { return .array(found) }
      }
    }
    return .array(found)
  }

  private static func has(_ name: [Character], _ query: [Character]) -> Bool {
    var rest = query[...]
    for letter in name where letter == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }

  /// The paths of programs below the workspace's folders, and of those that are open.
  private func programsOfWorkspace() -> [String] {
    var found = Set(documents.values.map(\.path))
    var folders = workspace.map { (path: $0.hasSuffix("/") ? $0 : $0 + "/", depth: 0) }
    while let (folder, depth) = folders.popLast(), found.count < Self.most.files {
      for name in Files.names(in: folder) where !name.hasPrefix(".") && name != "node_modules" {
        if name.hasSuffix(".frp") {
          found.insert(folder + name)
        } else if depth < Self.most.depth, Files.isDirectory(folder + name) {
          folders.append((folder + name + "/", depth + 1))
        }
      }
    }
    return found.sorted()
  }

  private func outline(of path: String) -> Outline? {
    if let document = documents.values.first(where: { $0.path == path }) {
      return Self.outline(document.file, stamp: [])
    }
    guard let stamp = Files.stamp(path) else { return nil }
    if let known = outlines[path], known.stamp == stamp { return known }
    guard let bytes = surroundings.modules.read(path) else { return nil }
    let made = Self.outline(SourceFile(name: path, bytes: bytes), stamp: stamp)
    outlines[path] = made
    return made
  }

  private static func outline(_ file: SourceFile, stamp: [Int]) -> Outline {
    var sources = SourceMap()
    var tree = Tree()
    let id = sources.add(file)
    _ = Parser.parse(id, name: ModuleLoader.moduleName(file.name), in: sources, into: &tree)
    let items = tree.modules.first?.items ?? []
    return Outline(stamp: stamp, file: file, symbols: items.flatMap { symbols(of: tree[$0], tree) })
  }

  private static func symbols(of item: Item, _ tree: Tree) -> [(name: Name, kind: SymbolKind)] {
    switch item {
    case .alias(let name, _, _): return [(name, .structure)]
    case .type(let name, _, let constructors):
      return [(name, .enumeration)] + constructors.map { ($0.name, .enumerationMember) }
    case .input(let name, _, _, _): return [(name, .variable)]
    case .definition(let definition):
      switch definition.binder {
      case .function(let name, _): return [(name, .function)]
      case .value(let pattern):
        var found: [(name: Name, kind: SymbolKind)] = []
        tree.forEachName(in: pattern) { found.append((Name($0, tree.span($1)), .variable)) }
        return found
      }
    case .importModule, .output, .test: return []
    }
  }
}
