// `type Id = Int` is no other name for Int, but a new type whose only value is called `Int`. What goes wrong with such a
// type is said in terms of types; the cause is added.

import FRPBase

/// Adds the cause to mistakes that name a type whose only variant has the name of a type.
func namingVariants(_ diagnostics: [Diagnostic], _ nominals: [Nominal]) -> [Diagnostic] {
  var variants: [Substring: String] = [:]
  for nominal in nominals where nominal.cases.count == 1 && nominal.cases[0].fields.isEmpty {
    let name = nominal.cases[0].name
    if NameTable.builtinTypes.contains(name) { variants[nominal.name[...]] = name }
  }
  if variants.isEmpty { return diagnostics }
  return diagnostics.map { diagnostic in
    let texts = [diagnostic.title, diagnostic.label] + diagnostic.labels.map(\.text)
    let words = texts.lazy.flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" } }
    guard let name = words.first(where: { variants[$0] != nil }), let variant = variants[name] else {
      return diagnostic
    }
    var result = diagnostic
    result.notes.append("`type \(name) = \(variant)` makes a new type; its only value is called `\(variant)`.")
    result.helps.append(Help("for another name of \(variant)", code: "alias \(name) = \(variant)"))
    return result
  }
}
