// What the tests of names and types share: programs from text, golden files.

import FRPBase
import FRPCore
import FRPSema
import FRPSyntax

struct TypesCheck {
  var program: TypedProgram?
  var diagnostics: [Diagnostic]
  var sources: SourceMap

  init(_ text: String, name: String = "main.frp") {
    var sources = SourceMap()
    var tree = Tree()
    let file = sources.add(SourceFile(name: name, text: text))
    let (_, problems) = Parser.parse(file, name: "main", in: sources, into: &tree)
    self.sources = sources
    if problems.contains(where: { $0.severity == .error }) {
      diagnostics = problems
    } else {
      (program, diagnostics) = checkTypes(tree, sources: sources)
      diagnostics += bidiWarnings(file, in: sources)
    }
  }

  var codes: [DiagnosticCode] { diagnostics.map(\.code) }

  /// `name: type` of every top-level definition, in order.
  var listing: String {
    guard let program else { return diagnostics.map { "\($0.code): \($0.title)" }.joined(separator: "\n") + "\n" }
    var lines: [String] = []
    for item in program.tree.modules[0].items {
      guard case .definition(let definition) = program.tree[item], let scheme = program.schemes[item] else { continue }
      let name: String
      switch definition.binder {
      case .function(let function, _): name = function.text
      case .value(let pattern): name = program.sources.text(program.tree.span(pattern))
      }
      lines.append("\(name): \(program.describe(scheme, of: item))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  func type(_ name: String) -> String? {
    listing.split(separator: "\n").first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
  }
}
