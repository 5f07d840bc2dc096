// The one layout of a program.

import FRPBase
import FRPSyntax

extension Source {
  /// The text in the language's one style; nil if it cannot be read, which `diagnostics` explains. Formatting twice
  /// changes nothing more; comments stay.
  public func formatted() -> (text: String?, diagnostics: [Diagnostic], sources: SourceMap) {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: name, bytes: bytes))
    let (text, diagnostics) = Printer.format(file, in: sources)
    return (text, diagnostics, sources)
  }
}
