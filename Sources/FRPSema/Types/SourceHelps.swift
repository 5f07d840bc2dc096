// A source in the place of an event, a task or a value: what somebody needs to know who has never heard of sources.

import FRPBase
import FRPCore
import FRPSyntax

extension Rendering {
  private static var whatSourcesAre: String {
    "A source only describes what brings values from outside: an input opens it for the whole run, `listen` at each occurrence."
  }

  /// The words added to a message about a source that stands where something else is needed.
  func openingSource(_ diagnostic: Diagnostic, _ expr: ExprID?, _ type: ShownType) -> Diagnostic {
    guard type.head == .nominal(.source) else { return diagnostic }
    var diagnostic = diagnostic
    diagnostic.notes = [Self.whatSourcesAre]
    diagnostic.helps = waysToOpen(expr.flatMap(source) ?? "SOURCE", type)
    return diagnostic
  }

  /// How a source that is written so is opened.
  func waysToOpen(_ source: String, _ type: ShownType) -> [Help] {
    let item = type.text.hasPrefix("Source<") ? String(type.text.dropFirst("Source<".count).dropLast()) : ""
    // `number` is what nothing has decided to be an Int or a Float.
    let written = item == "number" ? "Int" : item
    let isOpen = Self.isVariable(written) || written.contains("number")
    let shown = written.isEmpty || written.count > 40 || isOpen ? Help.blank : written
    let from = source.count <= 60 ? source : "SOURCE"
    return [
      Help("let an input listen, and use that", code: "input items: Event<\(shown)> from \(from)"),
      Help("or listen at each occurrence", code: "(e |> listen(Latest, x => \(from))).items"),
    ]
  }

  /// A type that nothing has decided yet.
  private static func isVariable(_ text: String) -> Bool { text.count == 1 }
}
