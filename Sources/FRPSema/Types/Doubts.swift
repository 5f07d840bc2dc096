// What checks and is hardly meant: durations without a unit, numbers and dollar signs in texts. Syntax alone decides, so a
// doubt costs nothing where there is none, and each has a way to say that it is meant.

import FRPBase
import FRPCore
import FRPSyntax

/// Warnings for a program without errors, of its own files.
func doubts(_ tree: Tree, _ sources: SourceMap) -> [Diagnostic] {
  let file = tree.modules.first?.file
  let own = Set(tree.items.compactMap { functionName($0) })
  var found: [Diagnostic] = []
  for (index, expr) in tree.exprs.enumerated() where tree.exprSpans[index].file == file {
    switch expr {
    case .call(let callee, let arguments) where isTimed(tree[callee], own):
      found += lengths(timesOnly(tree[callee], arguments), tree, sources: sources)
    case .string(let parts): found += pieces(parts, tree.exprSpans[index], tree: tree, sources: sources)
    default: break
    }
  }
  return found
}

/// Built-ins whose plain numbers are lengths of time.
private let timed: Set<String> = [
  "debounce", "throttle", "audit", "delay", "window", "summary", "every", "after", "timeout",
]

private func functionName(_ item: Item) -> String? {
  guard case .definition(let definition) = item, case .function(let name, _) = definition.binder else { return nil }
  return name.text
}

/// Whether it names such a built-in, and not a function of the program's own.
private func isTimed(_ callee: Expr, _ own: Set<String>) -> Bool {
  switch callee {
  case .name(let name): timed.contains(name) && !own.contains(name)
  case .qualified(let module, let name):
    timed.contains(name.text) && Builtins.all.contains { $0.container == module.text && $0.name == name.text }
  default: false
  }
}

/// The arguments that are lengths of time: others are values, as in `Task.after(1s, 99)` and `delay(99, 1s)`.
private func timesOnly(_ callee: Expr, _ arguments: [ExprID]) -> [ExprID] {
  switch callee {
  case .qualified(let module, let name) where module.text == "Task" && name.text == "after":
    return arguments.count == 2 ? [arguments[0]] : []
  case .name("summary"): return arguments
  default: return arguments.suffix(1)
  }
}

/// More seconds than this are rarely written without a unit.
private let longest = 60.0

/// `debounce(300)`: seconds, where milliseconds are meant.
private func lengths(_ arguments: [ExprID], _ tree: Tree, sources: SourceMap) -> [Diagnostic] {
  arguments.compactMap { argument in
    let value: Double
    switch tree[argument] {
    case .int(let number): value = Double(number)
    case .float(let number): value = number
    default: return nil
    }
    if value <= longest { return nil }
    let (place, text) = (tree.span(argument), sources.text(tree.span(argument)))
    return Diagnostic(
      .missingUnit, "a length of time without a unit is seconds", at: place, label: "these are \(text) seconds",
      helps: [
        Help("milliseconds", code: "\(text)ms", edit: .init(place, "\(text)ms")),
        Help("if seconds are meant", code: "\(text)s", edit: .init(place, "\(text)s")),
      ])
  }
}

/// `"\\d{4}"`: a number put into the text; `"${x}"`: a dollar sign before it.
private func pieces(_ parts: [StringPart], _ whole: Span, tree: Tree, sources: SourceMap) -> [Diagnostic] {
  var found: [Diagnostic] = []
  for (index, part) in parts.enumerated() {
    guard case .expr(let value) = part else { continue }
    let place = tree.span(value)
    let text = sources.text(place)
    let brace = Span(file: place.file, start: Int(place.start) - 1, end: Int(place.end) + 1)
    let isWritten = sources.text(brace) == "{\(text)}"
    if case .int = tree[value], isWritten {
      found.append(
        Diagnostic(
          .doubtfulText, "braces put a value into a text, and this is the number \(text)", at: brace,
          label: "the text has \(text) here, and no braces",
          helps: [
            Help("for the braces themselves", code: "\\{\(text)}", edit: .init(brace, "\\{\(text)}")),
            Help("or a raw text, in which nothing is put", code: "#\"…{\(text)}…\"#"),
          ]))
    } else if index > 0, case .text(let before) = parts[index - 1], before.hasSuffix("$"), isWritten {
      let dollar = Span(file: place.file, start: Int(brace.start) - 1, end: Int(brace.start))
      if sources.text(dollar) != "$" { continue }
      found.append(
        Diagnostic(
          .doubtfulText, "the `$` stays in the text: braces alone put a value in", at: dollar,
          label: "shown before the value",
          helps: [
            Help("without it", code: "{\(text)}", edit: .init(dollar, "")),
            Help("if a dollar sign is meant", code: "\\u{24}{\(text)}", edit: .init(dollar, "\\u{24}")),
          ]))
    }
  }
  return found
}
