// What syntax errors make unreliable, so that one slip gives one report.
//
// In:  the parser's errors.
// Out: the items they lie in, and whether a later report may only follow from them.
// Rules: nothing is said about a damaged item; an unknown name that is written in a damaged part of the text may be
// what was meant to be defined there.

import FRPBase
import FRPSyntax

struct Damage {
  var items: Set<ItemID> = []
  private var spans: [Span] = []
  private var texts: [String] = []
  private let sources: SourceMap

  init(_ tree: Tree, _ sources: SourceMap, _ errors: [Diagnostic]) {
    self.sources = sources
    let errors = errors.filter { $0.severity == .error && !$0.span.isNone }
    if errors.isEmpty { return }
    for module in tree.modules {
      let ordered = module.items.sorted { tree.span($0).start < tree.span($1).start }
      for error in errors where error.span.file == module.file {
        let before = ordered.last { tree.span($0).start <= error.span.start }
        let next = ordered.first { tree.span($0).start > error.span.start }
        let start = before.map { Int(tree.span($0).start) } ?? 0
        let end = next.map { Int(tree.span($0).start) } ?? sources[module.file].bytes.count
        if let before { items.insert(before) }
        let span = Span(file: module.file, start: start, end: end)
        spans.append(span)
        texts.append(sources.text(span))
      }
    }
  }

  /// Whether a report says nothing new.
  func explains(_ diagnostic: Diagnostic) -> Bool {
    if spans.contains(where: {
      $0.file == diagnostic.span.file && $0.start <= diagnostic.span.start && diagnostic.span.start < $0.end
    }) {
      return true
    }
    guard [DiagnosticCode.unknownName, .moduleNotImported, .unknownType, .unknownMember].contains(diagnostic.code)
    else { return false }
    let name = sources.text(diagnostic.span)
    return !name.isEmpty && texts.contains { $0.contains(name) }
  }
}
