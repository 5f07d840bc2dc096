import FRPBase
import FRPDifferential
import FRPSyntax

/// A text, parsed.
struct Parsed {
  var sources = SourceMap()
  var tree = Tree()
  var module: ModuleID
  var diagnostics: [Diagnostic]

  init(_ text: String, name: String = "main.frp") { self.init(bytes: Array(text.utf8), name: name) }

  init(bytes: [UInt8], name: String = "main.frp") {
    let file = sources.add(SourceFile(name: name, bytes: bytes))
    (module, diagnostics) = Parser.parse(file, name: "Main", in: sources, into: &tree)
  }

  var messages: String { renderText(diagnostics, sources: sources, style: DiagnosticStyle(showsMore: false)) }
}

extension TreeDump {
  static func dump(_ parsed: Parsed) -> String { dump(parsed.tree, parsed.module) }
}
