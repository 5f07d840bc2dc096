// Text -> tree -> text -> the same tree, and the same text.

import FRPBase
import FRPDifferential
import FRPSyntax

enum SyntaxFuzz {
  private struct Module {
    var sources = SourceMap()
    var tree = Tree()
    let file: FileID
    let id: ModuleID
    let diagnostics: [Diagnostic]

    init(_ bytes: [UInt8]) {
      file = sources.add(SourceFile(name: "a.frp", bytes: bytes))
      (id, diagnostics) = Parser.parse(file, name: "A", in: sources, into: &tree)
    }

    var dump: String { TreeDump.dump(tree, id) }
    var comments: [String] { tree.modules[id.index].comments.map(\.text) }
  }

  static func problem(_ bytes: [UInt8]) -> String? {
    let module = Module(bytes)
    // Words about places that do not exist would trap here.
    let words = renderText(module.diagnostics, sources: module.sources)
    if !module.diagnostics.isEmpty {
      if words.isEmpty { return "there are diagnostics without words" }
      return entryProblem(module.sources)
    }
    guard let once = Printer.format(module.file, in: module.sources).text else { return "is not printed" }
    let printed = Module(Array(once.utf8))
    if !printed.diagnostics.isEmpty { return "printed, it does not parse:\n\(once)" }
    if module.dump != printed.dump { return "printed, it has another tree:\n\(once)" }
    if module.comments != printed.comments { return "printed, it has other comments:\n\(once)" }
    guard let twice = Printer.format(printed.file, in: printed.sources).text, twice == once else {
      return "printed twice, it differs:\n\(once)"
    }
    return entryProblem(module.sources)
  }

  /// The prompt reads the same text as one entry.
  private static func entryProblem(_ sources: SourceMap) -> String? {
    var tree = Tree()
    _ = Parser.parseEntry(FileID(0), in: sources, into: &tree)
    return nil
  }
}
