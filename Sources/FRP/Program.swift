// The architecture on one page: text -> tree -> types -> core -> plan.
//
// In:  a source and what reads the modules it imports. Out: a `Program`: diagnostics, and a plan if there are no errors.
// Nothing here throws: what is wrong with a program is data. A `Program` is immutable and can be shared by any number of
// simulations on any threads.

import FRPBase
import FRPSema
import FRPSyntax

/// A program's text and the name it is known by in messages.
public struct Source: Sendable {
  public var name: String
  public var bytes: [UInt8]

  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  public init(name: String, text: String) { self.init(name: name, bytes: Array(text.utf8)) }
}

/// A compiled program, or what is wrong with it.
public struct Program: Sendable {
  /// Errors and warnings, in the order of their places.
  public let diagnostics: [Diagnostic]
  /// The texts that the places in `diagnostics` lie in.
  public let sources: SourceMap

  /// Compiles a source. Cost: about linear in the text; nothing is run.
  public init(_ source: Source) {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: source.name, bytes: source.bytes))
    var tree = Tree()
    var diagnostics = Parser.parse(file, name: source.name, in: sources, into: &tree).1
    let typed = checkTypes(tree, sources: sources)
    diagnostics += typed.diagnostics
    if !diagnostics.contains(where: { $0.severity == .error }), let program = typed.program {
      let elaborated = elaborate(program)
      diagnostics += elaborated.diagnostics
    }
    self.sources = sources
    self.diagnostics = sortedDiagnostics(diagnostics)
  }

  public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}
