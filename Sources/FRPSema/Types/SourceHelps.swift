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
    let item = type.text.hasPrefix("Source<") ? String(type.text.dropFirst("Source<".count).dropLast()) : ""
    // `number` is what nothing has decided to be an Int or a Float.
    let written = item == "number" ? "Int" : item
    let isOpen = Self.isVariable(written) || written.contains("number")
    let shown = written.isEmpty || written.count > 40 || isOpen ? Help.blank : written
    let text = expr.flatMap(source) ?? "SOURCE"
    let from = text.count <= 60 ? text : "SOURCE"
    diagnostic.helps = [
      Help("let an input listen, and use that", code: "input items: Event<\(shown)> from \(from)"),
      Help("or listen at each occurrence", code: "(e |> listen(Latest, x => \(from))).items"),
    ]
    return diagnostic
  }

  /// A type that nothing has decided yet.
  private static func isVariable(_ text: String) -> Bool { text.count == 1 }
}
