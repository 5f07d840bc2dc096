// What the formatter always writes on one line: patterns, types, constructors.

import FRPBase

extension Printer {
  // MARK: - Patterns

  /// `isPart` when it stands where alternatives and `as` need parentheses.
  func patternText(_ id: PatternID, isPart: Bool = false) -> String {
    switch tree[id] {
    case .missing: return slice(tree.span(id))
    case .wildcard: return "_"
    case .name(let name): return name
    case .int, .float, .string: return signed(slice(tree.span(id)))
    case .bool(let value): return value ? "true" : "false"
    case .unit: return "()"
    case .constructor(let module, let name, let arguments):
      let head = (module.map { $0.text + "." } ?? "") + name.text
      if arguments.isEmpty { return head }
      let parts = arguments.map { labelText($0.label) + patternText($0.pattern) }
      return head + "(" + parts.joined(separator: ", ") + ")"
    case .tuple(let parts):
      return "(" + parts.map { patternText($0) }.joined(separator: ", ") + ")"
    case .record(let fields):
      let parts = fields.map { field in
        if case .name(let name) = tree[field.pattern], name == field.name.text,
          tree.span(field.pattern) == field.name.span
        {
          return name
        }
        return fieldText(field.name.text) + ": " + patternText(field.pattern)
      }
      return "{" + parts.joined(separator: ", ") + "}"
    case .list(let elements, let rest, let restIndex):
      return listText(elements, rest, restIndex: restIndex)
    case .alternatives(let parts):
      let text = parts.map { patternText($0, isPart: true) }.joined(separator: " | ")
      return isPart ? "(" + text + ")" : text
    case .alias(let inner, let binder):
      // `a | b as c` names the whole.
      let isAlias = if case .alias = tree[inner] { true } else { false }
      let text = patternText(inner, isPart: isAlias) + " as " + patternText(binder)
      return isPart ? "(" + text + ")" : text
    }
  }

  /// `w: `, or nothing.
  func labelText(_ label: Name?) -> String { label.map { fieldText($0.text) + ": " } ?? "" }

  /// A pattern at the start of a definition: what could not begin one stands in parentheses.
  func binderText(_ id: PatternID) -> String {
    switch tree[id] {
    case .alias(let inner, let binder): return binderPart(inner) + " as " + patternText(binder)
    default: return binderPart(id)
    }
  }

  private func binderPart(_ id: PatternID) -> String {
    switch tree[id] {
    case .int, .float, .string, .bool, .alternatives, .alias: return "(" + patternText(id) + ")"
    case .constructor(_, _, let arguments) where arguments.isEmpty: return "(" + patternText(id) + ")"
    default: return patternText(id)
    }
  }

  private func listText(_ elements: [PatternID], _ rest: RestPattern, restIndex: Int) -> String {
    var parts = elements.map { patternText($0) }
    if case .rest(let binder) = rest {
      parts.insert("..." + (binder.map { patternText($0) } ?? ""), at: min(restIndex, parts.count))
    }
    return "[" + parts.joined(separator: ", ") + "]"
  }

  /// A number as written, without blanks after its sign; comments there are written like all others.
  func signed(_ text: String) -> String {
    guard text.hasPrefix("-") else { return text }
    func isBlank(_ c: Character) -> Bool { c == " " || c == "\t" || c.isNewline }
    var rest = text.dropFirst().drop(while: isBlank)
    while rest.hasPrefix("//") { rest = rest.drop { !$0.isNewline }.drop(while: isBlank) }
    return "-" + rest
  }

  // MARK: - Types

  func typeText(_ id: TypeExprID) -> String {
    switch tree[id] {
    case .missing: return slice(tree.span(id))
    case .unit: return "()"
    case .variable(let name): return name.text
    case .named(let module, let name, let arguments):
      let head = (module.map { $0.text + "." } ?? "") + name.text
      return arguments.isEmpty ? head : head + "<" + typesText(arguments) + ">"
    case .tuple(let parts): return "(" + typesText(parts) + ")"
    case .record(let fields):
      return "{" + fields.map { fieldText($0.name.text) + ": " + typeText($0.type) }.joined(separator: ", ") + "}"
    case .function(let parameters, let result):
      let arrow = " -> " + typeText(result)
      if parameters.count == 1, isBareParameter(parameters[0]) { return typeText(parameters[0]) + arrow }
      return "(" + typesText(parameters) + ")" + arrow
    }
  }

  /// A tuple or `()` as the only parameter would read as several or none.
  private func isBareParameter(_ id: TypeExprID) -> Bool {
    switch tree[id] {
    case .named, .variable, .record: true
    default: false
    }
  }

  private func typesText(_ ids: [TypeExprID]) -> String { ids.map(typeText).joined(separator: ", ") }

  func parametersText(_ names: [Name]) -> String {
    names.isEmpty ? "" : "<" + names.map(\.text).joined(separator: ", ") + ">"
  }

  func constructorText(_ constructor: ConstructorDeclaration) -> String {
    if constructor.fields.isEmpty { return constructor.name.text }
    let parts = constructor.fields.map { labelText($0.label) + typeText($0.type) }
    return constructor.name.text + "(" + parts.joined(separator: ", ") + ")"
  }
}
