// `count = clicks |> count` means itself: a definition hides the built-in of its name, also in its own body. What goes
// wrong there is said in terms of types; the cause is added.

import FRPBase
import FRPCore
import FRPSyntax

/// Adds the cause to mistakes in definitions that mention themselves by the name of a built-in.
func namingHidden(_ diagnostics: [Diagnostic], _ program: TypedProgram) -> [Diagnostic] {
  guard diagnostics.contains(where: mayComeFromHiding) else { return diagnostics }
  let hiding = hidingDefinitions(program)
  if hiding.isEmpty { return diagnostics }
  return diagnostics.map { diagnostic in
    let span = diagnostic.span
    guard mayComeFromHiding(diagnostic),
      let found = hiding.first(where: {
        $0.span.file == span.file && $0.span.start <= span.start && span.end <= $0.span.end
      })
    else { return diagnostic }
    var result = diagnostic
    result.notes = ["`\(found.name)` is this definition here: it hides the built-in of that name."]
    result.helps = [Help("give the definition another name", code: "\(found.name)1 = …")]
    return result
  }
}

private func mayComeFromHiding(_ diagnostic: Diagnostic) -> Bool {
  ["E0301", "E0302", "E0307"].contains(diagnostic.code)
}

private func hidingDefinitions(_ program: TypedProgram) -> [(name: String, span: Span)] {
  program.tree.items.indices.compactMap { index -> (name: String, span: Span)? in
    let item = ItemID(index)
    guard case .definition(let definition) = program.tree[item], case .value(let pattern) = definition.binder,
      case .name(let name) = program.tree[pattern], Builtins.all.contains(where: { $0.isBare && $0.name == name })
    else { return nil }
    var mentionsItself = false
    Effects.walk(program.tree, definition.body) { child in
      if case .name(let text) = program.tree[child], text == name,
        case .binder(let binder, _) = program.resolutions[child.index], binder == pattern
      {
        mentionsItself = true
      }
      return !mentionsItself
    }
    return mentionsItself ? (name, program.tree.span(item)) : nil
  }
}
