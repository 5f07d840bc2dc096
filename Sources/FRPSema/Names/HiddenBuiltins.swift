// `count = clicks |> count` means itself: a definition hides the built-in of its name, also in its own body. What goes
// wrong there is said in terms of types; the cause is added.

import FRPBase
import FRPCore
import FRPSyntax

/// Adds the cause to mistakes in definitions that mention themselves by the name of a built-in.
func namingHidden(_ diagnostics: [Diagnostic], _ program: TypedProgram) -> [Diagnostic] {
  guard diagnostics.contains(where: mayComeFromHiding) else { return diagnostics }
  let hiding = hidingDefinitions(program)
  let hidden = hiddenNames(program)
  if hidden.isEmpty { return diagnostics }
  return diagnostics.map { diagnostic in
    if let named = namingOutright(diagnostic, hidden, program: program) { return named }
    let span = diagnostic.span
    guard mayComeFromHiding(diagnostic),
      let found = hiding.first(where: {
        $0.span.file == span.file && $0.span.start <= span.start && span.end <= $0.span.end
      })
    else { return diagnostic }
    var result = diagnostic
    result.notes = ["`\(found.name)` is this definition here: it hides the built-in of that name."]
    result.helps = [Help("give the definition another name", code: "\(found.name)1 = …")] + outright(found.name)
    return result
  }
}

private func mayComeFromHiding(_ diagnostic: Diagnostic) -> Bool {
  [DiagnosticCode.typeMismatch, .missingArguments, .surplusArguments, .infiniteType].contains(diagnostic.code)
}

/// The names of the program's definitions and inputs that are those of built-ins, with their places.
private func hiddenNames(_ program: TypedProgram) -> [String: Span] {
  var found: [String: Span] = [:]
  for (index, item) in program.tree.items.enumerated() {
    var name = ""
    if case .input(let input, _, _, _) = item { name = input.text }
    if case .definition(let definition) = item {
      switch definition.binder {
      case .function(let function, _): name = function.text
      case .value(let pattern): if case .name(let text) = program.tree[pattern] { name = text }
      }
    }
    if Builtins.byBareName[name] != nil { found[name] = program.tree.span(ItemID(index)) }
  }
  return found
}

/// A use of a hidden built-in in another definition: `every(1s)` beside `every = 3`.
private func namingOutright(_ diagnostic: Diagnostic, _ hidden: [String: Span], program: TypedProgram) -> Diagnostic? {
  guard [DiagnosticCode.missingArguments, .surplusArguments].contains(diagnostic.code) else { return nil }
  let text = program.sources.text(diagnostic.span)
  let name = String(text.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
  guard let definition = hidden[name], text.count == name.count || text.dropFirst(name.count).first == "(",
    !(definition.file == diagnostic.span.file && definition.start <= diagnostic.span.start
      && diagnostic.span.end <= definition.end)
  else { return nil }
  var result = diagnostic
  let line = program.sources.files[Int(definition.file.raw)].lineIndex(at: Int(definition.start)) + 1
  result.notes.append("`\(name)` is the definition in line \(line), which hides the built-in of that name.")
  let place = Span(
    file: diagnostic.span.file, start: Int(diagnostic.span.start), end: Int(diagnostic.span.start) + name.utf8.count)
  result.helps += outright(name, at: place)
  return result
}

/// How a built-in is named outright.
private func outright(_ name: String, at place: Span? = nil) -> [Help] {
  var seen: Set<String> = []
  let containers = (Builtins.byBareName[name] ?? []).map { Builtins.all[$0].container }.filter {
    seen.insert($0).inserted
  }
  return containers.prefix(3).map { container in
    let code = "\(container).\(name)"
    return Help("the built-in", code: code, edit: place.map { Help.Edit($0, code) })
  }
}

private func hidingDefinitions(_ program: TypedProgram) -> [(name: String, span: Span)] {
  program.tree.items.indices.compactMap { index -> (name: String, span: Span)? in
    let item = ItemID(index)
    guard case .definition(let definition) = program.tree[item], case .value(let pattern) = definition.binder,
      case .name(let name) = program.tree[pattern], Builtins.all.contains(where: { $0.isBare && $0.name == name })
    else { return nil }
    var mentionsItself = false
    program.tree.walk(definition.body) { child in
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
