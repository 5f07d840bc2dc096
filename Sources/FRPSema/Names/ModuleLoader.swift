// Loading a program with all it imports.
//
// In:  the main file, and a way to read other files.
// Out: one tree of all modules (the main one first, then in the order they are met), and what went wrong.
// Rules: `import Geometry` is the file `Geometry.frp` beside the importing one. A module is read once. Modules that
// import each other in a circle are an error, which draws the circle. What a host declares comes after the main file; it
// needs no import, and hides a file of its name.

import FRPBase
import FRPCore
import FRPSyntax

/// Reads a program and everything it imports.
package struct ModuleLoader {
  /// A file's bytes by its path; nil where there is none.
  package var read: (String) -> [UInt8]?
  /// The names of the files in a folder, for suggestions.
  package var list: (String) -> [String]
  /// Why a file that is there is not read.
  package var refusal: (String) -> String?

  /// What the host declares.
  package var hosts: [HostText]

  package init(
    read: @escaping (String) -> [UInt8]?, list: @escaping (String) -> [String] = { _ in [] },
    refusal: @escaping (String) -> String? = { _ in nil }, hosts: [HostText] = []
  ) {
    self.read = read
    self.list = list
    self.refusal = refusal
    self.hosts = hosts
  }

  /// A module whose functions the host provides. Each is declared with the types of its parameters and its result, and
  /// has for its body a call `hostCall(n, arguments)` of function number n; only such modules know that name.
  package struct HostText: Sendable {
    package var name: String
    package var text: String
    /// Whether it is read only for who names it.
    package var isOnDemand: Bool
    package init(name: String, text: String, isOnDemand: Bool = false) {
      self.name = name
      self.text = text
      self.isOnDemand = isOnDemand
    }
  }

  /// How a host's text names the definitions of the main file.
  package static let mainAsHost = "Main"

  package struct Loaded {
    package var tree: Tree
    package var sources: SourceMap
    package var diagnostics: [Diagnostic]
  }

  /// Parses a main file, named by its path, and its imports. Cost: linear in all files.
  package func load(path: String, bytes: [UInt8]) -> Loaded {
    var sources = SourceMap()
    var tree = Tree()
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let file = sources.add(SourceFile(name: path, bytes: bytes))
    var diagnostics = Parser.parse(file, name: Self.moduleName(path), in: sources, into: &tree).1
    diagnostics += bidiWarnings(file, in: sources)
    var known = [tree.modules[0].name: true]
    func add(_ host: HostText) {
      known[host.name] = true
      var source = SourceFile(name: "\(host.name) (host)", text: host.text)
      source.isHost = true
      let file = sources.add(source)
      let (module, problems) = Parser.parse(file, name: host.name, in: sources, into: &tree)
      tree.modules[module.index].isHost = true
      diagnostics += problems
    }
    for host in hosts where known[host.name] == nil && !host.isOnDemand { add(host) }
    var next = 0
    while next < tree.modules.count {
      for item in tree.modules[next].items {
        guard case .importModule(let name) = tree[item], !name.text.isEmpty else { continue }
        if let isFound = known[name.text] {
          if !isFound, !hosts.contains(where: { $0.name == name.text }) {
            diagnostics.append(notFound(name, folder))
          }
          continue
        }
        let place = folder + name.text + ".frp"
        guard let bytes = read(place) else {
          known[name.text] = false
          if !hosts.contains(where: { $0.isOnDemand && $0.name == name.text }) {
            diagnostics.append(notFound(name, folder))
          }
          continue
        }
        known[name.text] = true
        let file = sources.add(SourceFile(name: place, bytes: bytes))
        diagnostics += Parser.parse(file, name: name.text, in: sources, into: &tree).1
        diagnostics += bidiWarnings(file, in: sources)
      }
      next += 1
    }
    let named = hosts.contains(where: \.isOnDemand) ? tree.qualifiers : []
    for host in hosts where known[host.name] != true && host.isOnDemand && named.contains(host.name) { add(host) }
    diagnostics += cycles(tree, sources)
    sources.reportOrder = dependenciesFirst(tree)
    tree.nameLambdas()
    return Loaded(tree: tree, sources: sources, diagnostics: diagnostics)
  }

  /// `Geometry` for `lib/Geometry.frp`.
  package static func moduleName(_ path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.hasSuffix(".frp") ? String(file.dropLast(4)) : file
  }

  private func notFound(_ name: Name, _ folder: String) -> Diagnostic {
    let place = folder + name.text + ".frp"
    if let reason = refusal(place) {
      return Diagnostic(
        .moduleNotFound, "the module `\(name.text)` cannot be imported", at: name.span, label: reason,
        notes: ["I looked at \(place)."],
        helps: [Help("modules are files in the folder of the program, or in one that is allowed: --allow-import DIR")])
    }
    let files = list(folder.isEmpty ? "." : folder).filter { $0.hasSuffix(".frp") }.sorted().map {
      String($0.dropLast(4))
    }
    let lower = name.text.prefix(1).lowercased() + name.text.dropFirst()
    var near = nearestNames(name.text, among: files)
    if near.isEmpty, read(folder + lower + ".frp") != nil { near = [String(lower)] }
    var notes = ["I looked for \(place)."]
    if let other = near.first { notes.append("There is \(folder)\(other).frp.") }
    if Builtins.all.contains(where: { $0.container == name.text }) {
      notes.append("`\(name.text)` is built in: its names need no import.")
    }
    let helps = near.first.map { other in
      let capital = other.prefix(1).uppercased() + other.dropFirst()
      return capital == name.text
        ? [Help("a module's file starts with a capital: rename it", code: "\(capital).frp")]
        : [Help("did you mean", code: "import \(capital)", edit: .init(name.span, capital))]
    }
    return Diagnostic(
      .moduleNotFound, "the module `\(name.text)` is not found", at: name.span, label: "no such file", notes: notes,
      helps: helps ?? hostHelps(name.text))
  }

  // MARK: Order

  /// The files of all modules, each behind those that it imports; of two in a circle, that which is met last comes first.
  /// Cost: linear in the imports.
  private func dependenciesFirst(_ tree: Tree) -> [FileID] {
    let edges = imports(tree)
    var isMet = Array(repeating: false, count: edges.count)
    var order: [FileID] = []
    for root in edges.indices where !isMet[root] {
      var path: [(module: Int, edge: Int)] = [(root, 0)]
      isMet[root] = true
      while let (module, edge) = path.last {
        guard edge < edges[module].count else {
          order.append(tree.modules[module].file)
          path.removeLast()
          continue
        }
        path[path.count - 1].edge += 1
        let target = edges[module][edge].target
        if isMet[target] { continue }
        isMet[target] = true
        path.append((target, 0))
      }
    }
    return order
  }

  // MARK: Circles

  private typealias Edge = (target: Int, name: Name)

  /// The imports of each module.
  private func imports(_ tree: Tree) -> [[Edge]] {
    var places: [String: Int] = [:]
    for (index, module) in tree.modules.enumerated() where places[module.name] == nil { places[module.name] = index }
    return tree.modules.map { module in
      module.items.compactMap { item in
        guard case .importModule(let name) = tree[item], let target = places[name.text] else { return nil }
        return (target, name)
      }
    }
  }

  /// One report a circle, at the import that closes it.
  private func cycles(_ tree: Tree, _ sources: SourceMap) -> [Diagnostic] {
    let edges = imports(tree)
    var state = Array(repeating: 0, count: edges.count)
    var found: [Diagnostic] = []
    for root in edges.indices where state[root] == 0 {
      var path: [(module: Int, edge: Int)] = [(root, 0)]
      state[root] = 1
      while let (module, edge) = path.last {
        guard edge < edges[module].count else {
          state[module] = 2
          path.removeLast()
          continue
        }
        path[path.count - 1].edge += 1
        let target = edges[module][edge].target
        if state[target] == 0 {
          state[target] = 1
          path.append((target, 0))
        } else if state[target] == 1, let start = path.firstIndex(where: { $0.module == target }) {
          found.append(circle(path[start...].map { edges[$0.module][$0.edge - 1] }, tree, sources: sources))
        }
      }
    }
    return found
  }

  private func circle(_ steps: [Edge], _ tree: Tree, sources: SourceMap) -> Diagnostic {
    func place(_ step: Edge) -> String {
      let file = sources[step.name.span.file]
      return "\(file.name):\(file.position(at: Int(step.name.span.start)).line)"
    }
    let drawn = steps.map(place) + [steps.first.map { sources[$0.name.span.file].name } ?? ""]
    let last = steps[steps.count - 1].name
    return Diagnostic(
      .circularImport, steps.count == 1 ? "this module imports itself" : "these modules import each other in a circle",
      at: last.span, label: "the circle closes here",
      labels: steps.dropLast().map { Label($0.name.span, "imports `\($0.name.text)`") },
      notes: [drawn.joined(separator: " → ")],
      helps: [Help("move what both need to a module of its own")])
  }
}

/// What an application or a plug-in adds stands in no file of the program.
func hostHelps(_ module: String) -> [Help] {
  [
    Help("what an application adds", code: "--host \(module).host"),
    Help("what a plug-in adds", code: "--host \(module)=PROGRAM"),
  ]
}
