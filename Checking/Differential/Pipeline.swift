// From text to the meaning: the whole front end, then the model. What every test of meaning starts from.

import FRPBase
import FRPCore
import FRPModel
import FRPSema
import FRPSyntax

/// A program, compiled as far as the core.
package struct Compiled: Sendable {
  package var typed: TypedProgram?
  package var core: CoreProgram?
  package var diagnostics: [Diagnostic]
  package var sources: SourceMap

  /// Compiles a text, which may call the functions of `HostExamples` if `hasHost`.
  package init(_ text: String, name: String = "main.frp", hasHost: Bool = false, calls: CallChoice = .bySize) {
    let loader = ModuleLoader(read: { _ in nil }, hosts: hasHost ? [HostExamples.text] : [])
    let loaded = loader.load(path: name, bytes: Array(text.utf8))
    let (tree, sources, problems) = (loaded.tree, loaded.sources, loaded.diagnostics)
    self.sources = sources
    diagnostics = problems
    if problems.contains(where: { $0.severity == .error }) { return }
    let (program, more) = checkTypes(tree, sources: sources)
    diagnostics += more
    guard let program, !more.contains(where: { $0.severity == .error }) else { return }
    typed = program
    let (core, last) = elaborate(program, calls: calls)
    diagnostics += last
    self.core = core
  }

  /// What is wrong, a line a problem.
  package var problems: String {
    diagnostics.filter { $0.severity == .error }.map { "\($0.code): \($0.title)" }.joined(separator: "\n")
  }
}
