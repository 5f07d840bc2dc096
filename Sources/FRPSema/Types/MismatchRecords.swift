// Records that do not fit, in words: which fields are missing, unknown, or of another type (E0501 to E0503).

import FRPBase
import FRPCore
import FRPSyntax

extension Rendering {
  func fields(_ fact: MismatchFact) -> Diagnostic? {
    let path = pathText(fact.within + fact.path)
    let inside = path.isEmpty ? "" : " in `\(path)`"
    if path.isEmpty, isNamed(fact.expected), isNamed(fact.actual) { return nil }
    switch fact.leaf {
    case .missingField(let name, let has):
      if case .field = fact.reason { return unknownFieldIn(fact, name, has: has) }
      let near = nearestNames(name, among: has)
      return Diagnostic(
        .wrongFields, "the field `\(name)` is missing\(inside)", at: fact.span,
        label: has.isEmpty ? "this record is empty" : "this has \(fieldList(has))",
        labels: reasonLabels(fact.reason), notes: needed(fact),
        helps: near.map { Help("is `\($0)` meant to be", code: name) })
    case .extraField(let name, let has):
      let near = nearestNames(name, among: has)
      return Diagnostic(
        .wrongFields, "`\(name)` is not a field\(inside) here", at: fact.span,
        label: has.isEmpty ? "no fields are expected" : "expected: \(fieldList(has))",
        labels: reasonLabels(fact.reason), notes: needed(fact),
        helps: near.map { Help("did you mean", code: $0) })
    case .different(let expected, let actual):
      if case .newValue(let name) = fact.reason, path.isEmpty {
        return Diagnostic(
          .fieldMismatch, "the field `\(name.text)` is \(named(expected)), this is \(given(actual))", at: fact.span,
          label: "this is \(given(fact.actual))", notes: [Self.updateKeeps])
      }
      guard !path.isEmpty else { return nil }
      return Diagnostic(
        .fieldMismatch, "the field `\(path)` is \(given(actual)), \(named(expected)) is needed", at: fact.span,
        label: "this is \(given(fact.actual))", labels: reasonLabels(fact.reason),
        notes: fact.path.isEmpty ? [] : needed(fact))
    default: return nil
    }
  }

  private func unknownFieldIn(_ fact: MismatchFact, _ name: String, has: [String]) -> Diagnostic {
    Diagnostic(
      .unknownField, "there is no field `\(name)`", at: fact.span, label: "this is \(fact.actual.text)",
      helps: nearestNames(name, among: has).map { Help("did you mean", code: ".\($0)") })
  }

  /// What cannot be compared or shown: `a function`, or a type that holds one.
  func opaque(_ type: ShownType) -> String {
    if case .nominal = type.head { return "`\(type.text)` holds a function, event or task and" }
    return kind(type)
  }

  /// A record that has a name of its own.
  private func isNamed(_ type: ShownType) -> Bool {
    if case .record = type.head { return !type.text.hasPrefix("{") }
    return false
  }

  /// The whole type that is needed, where it is short enough to be read.
  private func needed(_ fact: MismatchFact) -> [String] {
    fact.expected.text.count <= 120 ? ["Needed: \(fact.expected.text)"] : []
  }

  func pathText(_ path: [PathStep]) -> String {
    path.compactMap { step in
      if case .field(let name) = step { name } else { nil }
    }.joined(separator: ".")
  }
}
